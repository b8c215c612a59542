"""Errors that reviewers marked before they saw the judge's, beside where these are; places that they changed."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from judges.consistency.blind_annotation import NOT_SHARED
from judges.consistency.records import BlindAnnotation, Key, MovedPlace, ReviewedRow, both_read, spans_in
from judges.consistency.spans import ErrorSpan
from judges.model import SHOWN, Place, Places, Severity
from storage.analysis.judged_segments import JudgedSegments, read_extents
from storage.analysis.review_extras import ReviewExtras, ReviewKey
from storage.reviews.queue import STANDING

Located = dict[str, list[ErrorSpan]]
"""Finding → where it is."""


@dataclass(frozen=True, slots=True)
class Markings:
    """Blind passes; ``left_out``: reason → how many others say nothing of where errors are."""

    passes: list[BlindAnnotation]
    left_out: dict[str, int]


NOT_OVER = "blind passes that are not over"
SKIPPED = "blind passes of translations that were skipped"
SAYS_NOTHING = "blind passes that hold no error, and are no search"
FURTHER = "further passes of the same person over the same translation: the first counts"
NO_PLACE = "findings of the judge without a known place"
NOT_LOCATED = "evaluations whose findings are not located yet (discox ground)"


def read_markings(
    connection: sqlite3.Connection, reviewers: str, whose: Sequence[object], matching: str, values: Sequence[object]
) -> Markings:
    """Return the marks of every blind pass that is over and in which something was marked, or the search done.

    It is over once the judge's record was shown or, also where there is none, the review is done; of an imported one
    the segments that were looked at are. A pass in which nothing was marked, and which does not claim to be a search,
    says nothing. Who was blind saw no judge's findings of the translation: their marks stand beside those of all its
    evaluations, and where they made several passes over it, beside one judge's record and another's or none, the first
    one counts. Every place that was marked counts, with the severity that the reviewer gave; beside a judge's finding
    of a severity of Metric-S it counts with that which it comes to there, if it comes to one. ``reviewers``: an SQL
    condition on reviews ``r``, ``matching``: one on evaluations ``e``, each with its values; a pass is taken if its own
    evaluation, or a judge's of the same translation, is meant.
    """
    passes = connection.execute(_passes_sql(reviewers, matching), (*whose, *values, *values)).fetchall()
    evaluations = _list(evaluation for evaluation, *_ in passes)
    marked = _marked(connection, evaluations)
    parts = {
        (evaluation, reviewer): frozenset(number - 1 for number in json.loads(segments))
        for evaluation, reviewer, segments in connection.execute(_LOOKED_AT, (evaluations,))
    }
    judges = _Judges(connection, matching, values, {translation for _, translation, *_ in passes})
    partly = {translation for evaluation, translation, *_, state in passes if state == "in_progress"}
    extents = judges.extents | read_extents(connection, partly)
    left_out: Counter[str] = Counter()
    found: dict[ReviewKey, BlindAnnotation] = {}
    for evaluation, translation, direction, article, reviewer, search, blind, state in passes:
        own = marked.get((evaluation, reviewer), _Marked())
        over = state == "done" or blind == "revealed"
        read = None if over else parts.get((evaluation, reviewer), frozenset())
        places = extents.get(translation, ())
        lacking = (
            (state == "skipped", SKIPPED),
            (not over and not (read and places), NOT_OVER),
            (over and not search and not own.errors, SAYS_NOTHING),
            ((translation, reviewer) in found, FURTHER),
        )
        if why := next((why for lacks, why in lacking if lacks), ""):
            left_out[why] += 1
            continue
        found[translation, reviewer] = judges.beside(
            BlindAnnotation(
                translation=translation,
                direction=direction,
                article=article,
                reviewer=reviewer,
                spans=tuple(own.given),
                judges={},
                read=read,
                extents=places,
                unplaced=own.unplaced,
            ),
            tuple(own.ours),
        )
    return Markings(list(found.values()), dict(left_out))


@dataclass(slots=True)
class _Marked:
    """Errors of one pass: their spans with the severities as given, and as Metric-S has them; those of no place."""

    given: list[ErrorSpan] = field(default_factory=list)
    ours: list[ErrorSpan] = field(default_factory=list)
    errors: int = 0
    unplaced: int = 0


def _marked(connection: sqlite3.Connection, evaluations: str) -> dict[ReviewKey, _Marked]:
    found: defaultdict[ReviewKey, _Marked] = defaultdict(_Marked)
    for evaluation, reviewer, severity, label, category, error, spans in connection.execute(_BLIND, (evaluations,)):
        of, places = found[evaluation, reviewer], _places(spans)
        of.errors += 1
        of.unplaced += not places
        of.given += (ErrorSpan(*place, label.casefold() or severity, category, error) for place in places)
        of.ours += (ErrorSpan(*place, severity or label.casefold(), category, error) for place in places)
    return found


class _Judges:
    """Findings of judges in translations, to stand beside what people marked there."""

    def __init__(
        self, connection: sqlite3.Connection, matching: str, values: Sequence[object], translations: Collection[str]
    ) -> None:
        self._of: defaultdict[str, list[str]] = defaultdict(list)
        self._not_located: Counter[str] = Counter()
        self._in_their_words = set()
        for translation, evaluation, located, mapped in connection.execute(
            _judged_sql(matching), (_list(translations), *values)
        ):
            if located:
                self._of[translation].append(evaluation)
            else:
                self._not_located[translation] += 1
            if mapped:
                self._in_their_words.add(evaluation)
        every = [evaluation for each in self._of.values() for evaluation in each]
        self._located = _located(connection, every, self._in_their_words)
        self._read = JudgedSegments(connection, every)
        self.extents = self._read.extents

    def beside(self, marking: BlindAnnotation, ours: tuple[ErrorSpan, ...]) -> BlindAnnotation:
        """Return a marking with the judges' spans, of both sides what both looked at.

        ``ours``: the reviewer's, in Metric-S's words.
        """
        aside: Counter[str] = Counter()
        judges: dict[Key, tuple[ErrorSpan, ...]] = {}
        beside: dict[Key, tuple[ErrorSpan, ...]] = {}
        for evaluation in self._of[str(marking.translation)]:
            findings = self._located.get(evaluation, {})
            both = both_read(marking.read, self._read.read_by(evaluation))
            if both is not None and not both:
                aside[NOTHING_READ] += 1
                continue
            theirs = [span for spans in findings.values() for span in spans]
            own = marking.spans if evaluation in self._in_their_words else ours
            judges[evaluation] = spans_in(theirs, both, marking.extents)
            beside[evaluation] = spans_in(own, both, marking.extents)
            aside[NO_PLACE] += sum(not spans for spans in findings.values())
            aside[NOT_SHARED] += len(theirs) + len(own) - len(judges[evaluation]) - len(beside[evaluation])
        aside[NOT_LOCATED] += self._not_located[str(marking.translation)]
        return marking._replace(judges=judges, beside=beside, aside={why: n for why, n in aside.items() if n})


NOTHING_READ = "evaluations whose judge read no segment that the reviewer looked at"


def read_replaced(
    connection: sqlite3.Connection, reviews: Mapping[ReviewKey, ReviewedRow], extras: Mapping[ReviewKey, ReviewExtras]
) -> list[MovedPlace]:
    """Return the places that reviewers gave to findings which they left standing, beside those located for these."""
    moved = {key: extras[key].moved for key in extras.keys() & reviews.keys() if extras[key].moved}
    judges = _located(connection, {evaluation for evaluation, _ in moved}) if moved else {}
    return [
        MovedPlace(
            reviews[key].direction,
            reviews[key].article,
            tuple(ErrorSpan(*place, "") for place in places),
            tuple(
                ErrorSpan(span.side, span.start, span.end, "")
                for span in judges[key[0]][finding]
                if span.side in {place.side for place in places}  # elsewhere it stays where it is
            ),
        )
        for key, findings in sorted(moved.items())
        for finding, places in ((finding, _places(spans)) for finding, spans in sorted(findings.items()))
        if finding in judges.get(key[0], {})
    ]


def _located(
    connection: sqlite3.Connection, evaluations: Iterable[str], in_their_words: Collection[str] = ()
) -> dict[str, Located]:
    """Return where the findings that stood after de-duplication are, of evaluations that were grounded.

    ``in_their_words``: evaluations of which severities, and categories that are none of ours, are as a file gives them.
    """
    found: dict[str, Located] = defaultdict(dict)
    severity: Severity | None
    for evaluation, finding, severity, label, category, named, side, start, end in connection.execute(
        _JUDGES, (_list(evaluations), SHOWN)
    ):
        places = found[evaluation].setdefault(finding, [])
        if side is not None:
            theirs = evaluation in in_their_words
            given = (label.casefold() if theirs else "") or severity or ""
            places.append(ErrorSpan(side, start, end, given, category or (named if theirs else ""), finding))
    return found


def _places(spans: str) -> Places:
    return tuple(Place(*place) for place in json.loads(spans))


def _list(evaluations: Iterable[str]) -> str:
    return json.dumps(sorted(set(evaluations)))


def _passes_sql(reviewers: str, matching: str) -> str:
    return f"""
SELECT e.id, e.translation_id, e.direction, e.article, r.reviewer, r.search, r.blind, r.state
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE r.blind IS NOT NULL AND {reviewers}
  AND ({matching} OR e.translation_id IN (
    SELECT e.translation_id FROM evaluations e WHERE e.state = 'scored' AND {matching}
  ))
ORDER BY e.position, r.reviewer
"""


def _judged_sql(matching: str) -> str:
    """One whose findings were never located has none that are nowhere; of one that is read by a mapping, its words."""
    return f"""
SELECT e.translation_id, e.id, e.id IN (SELECT evaluation_id FROM groundings),
  EXISTS (SELECT 1 FROM imports i WHERE i.id = e.import_id
    AND CASE WHEN json_valid(i.options) THEN json_extract(i.options, '$.mapping') END IS NOT NULL)
FROM json_each(?) chosen JOIN evaluations e ON e.translation_id = chosen.value
WHERE e.state = 'scored' AND {STANDING} AND {matching} ORDER BY e.position
"""


_LOOKED_AT = """
SELECT p.evaluation_id, p.reviewer, (SELECT json_group_array(number) FROM (
  SELECT json_extract(value, '$.segment') AS number FROM json_each(v.changes, '$.errors')
  UNION
  SELECT json_extract(value, '$.segment') FROM json_each(v.changes, '$.rows')
  WHERE json_extract(value, '$.kind') = 'clean'
))
FROM json_each(?) chosen JOIN whole_passes p ON p.evaluation_id = chosen.value JOIN events v ON v.id = p.event_id
"""
"""The segments, from 1, that an imported pass says anything of: it may be of a part of the document."""
_BLIND = """
SELECT evaluation_id, reviewer, coalesce(severity, ''), severity_label,
  coalesce(category, lower(category_label), ''), id, spans
FROM blind_errors
WHERE evaluation_id IN (SELECT value FROM json_each(?)) ORDER BY evaluation_id, reviewer, id
"""
_JUDGES = """
SELECT f.evaluation_id, f.id, f.severity, f.severity_label, f.category, lower(f.category_label),
  s.side, s.start, s."end"
FROM json_each(?) chosen JOIN findings f ON f.evaluation_id = chosen.value AND f.kept
LEFT JOIN spans s ON s.evaluation_id = f.evaluation_id AND s.finding_id = f.id AND s.role = 'quote'
  AND s.confidence >= ? AND s.method =
  (SELECT g.method FROM groundings g WHERE g.evaluation_id = f.evaluation_id ORDER BY g.at DESC LIMIT 1)
ORDER BY f.evaluation_id, f.number, s.position
"""
