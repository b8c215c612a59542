"""Errors that reviewers marked before they saw the judge's, beside where these are; places that they changed."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from judges.consistency.records import BlindAnnotation, Key, MovedPlace, ReviewedRow
from judges.consistency.spans import ErrorSpan
from judges.model import SHOWN, Place, Places, Severity
from storage.analysis.review_extras import ReviewExtras, ReviewKey
from storage.reviews.queue import STANDING

Located = dict[str, list[ErrorSpan]]
"""Finding → where it is."""


def read_markings(
    connection: sqlite3.Connection, reviewers: str, whose: Sequence[object], matching: str, values: Sequence[object]
) -> list[BlindAnnotation]:
    """Return the marks of every blind pass that is over and in which something was marked, or the search done.

    It is over once the judge's record was shown or, also where there is none, the review is done. A pass in which
    nothing was marked, and which does not claim to be a search, says nothing. Who was blind saw no judge's findings of
    the translation: their marks stand beside those of all its evaluations, and where they made several passes over it,
    beside one judge's record and another's or none, the first one counts. ``reviewers``: an SQL condition on reviews
    ``r``, ``matching``: one on evaluations ``e``, each with its values; a pass is taken if its own evaluation, or a
    judge's of the same translation, is meant.
    """
    passes = connection.execute(_passes_sql(reviewers, matching), (*whose, *values, *values)).fetchall()
    evaluations = {evaluation for evaluation, *_ in passes}
    marked: dict[ReviewKey, list[ErrorSpan]] = defaultdict(list)
    for evaluation, reviewer, severity, category, error, spans in connection.execute(_BLIND, (_list(evaluations),)):
        marked[evaluation, reviewer] += (ErrorSpan(*place, severity, category, error) for place in _places(spans))
    judged: dict[str, list[str]] = defaultdict(list)
    translations = _list(translation for _, translation, *_ in passes)
    for translation, evaluation in connection.execute(_judged_sql(matching), (translations, *values)):
        judged[translation].append(evaluation)
    located = _located(connection, (evaluation for each in judged.values() for evaluation in each))
    judges = {each: tuple(span for spans in located[each].values() for span in spans) for each in located}
    found: dict[ReviewKey, BlindAnnotation] = {}
    for evaluation, translation, direction, article, reviewer, search in passes:
        if search or (evaluation, reviewer) in marked:
            spans = tuple(marked.get((evaluation, reviewer), ()))
            beside: dict[Key, tuple[ErrorSpan, ...]] = {each: judges.get(each, ()) for each in judged[translation]}
            found.setdefault(
                (translation, reviewer),
                BlindAnnotation(
                    translation=translation,
                    direction=direction,
                    article=article,
                    reviewer=reviewer,
                    spans=spans,
                    judges=beside,
                ),
            )
    return list(found.values())


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


def _located(connection: sqlite3.Connection, evaluations: Iterable[str]) -> dict[str, Located]:
    """Return where the findings that stood after de-duplication are, of evaluations that were grounded."""
    found: dict[str, Located] = defaultdict(dict)
    severity: Severity | None
    for evaluation, finding, severity, category, side, start, end in connection.execute(
        _JUDGES, (_list(evaluations), SHOWN)
    ):
        places = found[evaluation].setdefault(finding, [])
        if side is not None:
            places.append(ErrorSpan(side, start, end, severity or "", category or "", finding))
    return found


def _places(spans: str) -> Places:
    return tuple(Place(*place) for place in json.loads(spans))


def _list(evaluations: Iterable[str]) -> str:
    return json.dumps(sorted(set(evaluations)))


def _passes_sql(reviewers: str, matching: str) -> str:
    return f"""
SELECT e.id, e.translation_id, e.direction, e.article, r.reviewer, r.search
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE (r.blind = 'revealed' AND r.state <> 'skipped' OR r.blind = 'started' AND r.state = 'done') AND {reviewers}
  AND ({matching} OR e.translation_id IN (
    SELECT e.translation_id FROM evaluations e WHERE e.state = 'scored' AND {matching}
  ))
ORDER BY e.position, r.reviewer
"""


def _judged_sql(matching: str) -> str:
    """One whose findings were never located has none that are nowhere."""
    return f"""
SELECT e.translation_id, e.id FROM json_each(?) chosen JOIN evaluations e ON e.translation_id = chosen.value
WHERE e.state = 'scored' AND {STANDING} AND {matching} AND e.id IN (SELECT evaluation_id FROM groundings)
ORDER BY e.position
"""


_BLIND = """
SELECT evaluation_id, reviewer, coalesce(severity, ''), coalesce(category, lower(category_label)), id, spans
FROM blind_errors
WHERE dimension IS NOT NULL AND evaluation_id IN (SELECT value FROM json_each(?)) ORDER BY evaluation_id, reviewer, id
"""
_JUDGES = """
SELECT f.evaluation_id, f.id, f.severity, f.category, s.side, s.start, s."end"
FROM json_each(?) chosen JOIN findings f ON f.evaluation_id = chosen.value AND f.kept
LEFT JOIN spans s ON s.evaluation_id = f.evaluation_id AND s.finding_id = f.id AND s.role = 'quote'
  AND s.confidence >= ? AND s.method =
  (SELECT g.method FROM groundings g WHERE g.evaluation_id = f.evaluation_id ORDER BY g.at DESC LIMIT 1)
ORDER BY f.evaluation_id, f.number, s.position
"""
