"""Annotations of each translation by judges and people, as other tools' files have them."""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judges.metric_s.human_score import deductions, human_deduction
from judges.metric_s.schemes.mapping import Mapping, MqmLabel
from judges.metric_s.scoring import METRIC_S
from judges.model import CATEGORIES, NO_VERDICT, Judge, MarkedError, Place, Places, Side, Verdict
from storage.exports.selection import Selection
from storage.formats.base.items import Annotation, Document, Mark, Ours, Segment, Unmarked, read_ours
from storage.record.groundings import GIVEN
from storage.record.library import StoredEvaluation, StoredFinding, read_evaluation
from storage.reviews.events import Event, StandingPass, imported_id, read_events, standing_passes
from storage.reviews.review_state import read_work

REPEAT = "repeat"
"""Key in ``Mark.kept``: the same mistake as another that is marked, so that it costs nothing again."""


@dataclass(frozen=True, slots=True)
class TranslationAnnotation:
    """Annotation by one judge or one layer of one translation, of which ``translation`` is the id.

    ``of``: the judge whose findings a layer reviewed, so that the annotation is what they left standing of them and
    what they added; empty for what a judge says, and for a pass of one's own.
    """

    translation: str
    annotation: Annotation
    of: str = ""

    @property
    def document(self) -> Document:
        """Key of the translation that it is said of."""
        return self.annotation.document


def read_annotations(
    connection: sqlite3.Connection, selection: Selection, *, judges_only: bool = False
) -> Iterator[TranslationAnnotation | Document]:
    """Yield each chosen translation and then what is said of it: directions, articles, translations together.

    A judge's findings are those that stand after de-duplication. A review of them counts once it is done, a pass of
    one's own (an imported one too) as far as it is. Marks are in the file's own words where they came from another
    tool and nobody changed them since; else ``Mark.ours`` says what they are. ``judges_only``: what judges say, and no
    translation that none judged.
    """
    chosen, values = selection.clause(connection)
    if judges_only:
        chosen = f"{chosen} AND e.state = 'scored'"
    reviewers, layer = selection.reviewer_clause()
    rows = connection.execute(_evaluations_sql(chosen), values).fetchall()
    last = ""
    for identity, translation in rows:
        evaluation = read_evaluation(connection, identity)
        if translation != last:
            document = _document(connection, translation, evaluation)
            cut = Cut(document)
            last = translation
            yield document
        judge: Annotation | None = None
        if evaluation.state == "scored":
            judge = _judged(connection, evaluation, document, cut)
            yield TranslationAnnotation(translation, judge)
        if judges_only:
            continue
        for reviewer, state in connection.execute(_reviews_sql(reviewers), (identity, *layer)).fetchall():
            if judge is None:
                yield TranslationAnnotation(
                    translation,
                    _pass(connection, evaluation=identity, reviewer=reviewer, state=state, document=document, cut=cut),
                )
            elif state == "done":
                yield TranslationAnnotation(
                    translation, _reviewed(connection, evaluation, reviewer, judge, cut), evaluation.judge
                )


def imported(connection: sqlite3.Connection, selection: Selection) -> Iterator[tuple[int, Annotation]]:
    """Yield each imported pass on what is chosen as its file had it, with the number of the import that it came by.

    Where a reviewer has several on one translation, from several files, each comes by itself. What a later pass of the
    same file took the place of comes too.
    """
    chosen, values = selection.clause(connection)
    reviewers, layer = selection.reviewer_clause()
    for identity, translation in connection.execute(_evaluations_sql(chosen), values).fetchall():
        document = _document(connection, translation, read_evaluation(connection, identity))
        cut = Cut(document)
        where = f"evaluation_id = ? AND kind = 'imported' AND {reviewers}"
        passes = list(read_events(connection, where, (identity, *layer)))
        numbers = {event.id: connection.execute(_IMPORT, (event.at, identity)).fetchone()[0] for event in passes}
        for each in with_replaced(passes, numbers):
            event, number = each.event, numbers[each.event.id]
            marks = tuple(_imported(given, None, cut) for _, given in each.errors())
            unmarked = tuple(_unmarked(each))
            yield (
                number,
                Annotation(document, event.reviewer, True, marks, unmarked, kept=event.changes.get("kept") or {}),
            )


def with_replaced(passes: Sequence[Event], files: dict[str, int]) -> list[StandingPass]:
    """Return the imported passes that stand, and those that gave way to one of the same file, by event in ``files``."""
    standing = standing_passes(passes)
    here = {(event.reviewer, files[event.id]) for event in (each.event for each in standing)}
    known = {each.event.changes.get("of", each.event.id) for each in standing}
    replaced: dict[str, Event] = {}
    for event in passes:
        of = event.changes.get("of", event.id)
        if of not in known and (event.reviewer, files[event.id]) in here:
            replaced[of] = event  # read again by another mapping, it is the same pass
    return [*standing, *map(StandingPass, replaced.values())]


def label(mark: Mark, mapping: Mapping) -> MqmLabel:
    """Return what a mark is called in MQM: the file's own words, or what the mapping makes of ours."""
    return mapping.to_mqm(*mark.ours) if mark.ours else MqmLabel(mark.category, mark.severity)


def weight(mark: Mark, mapping: Mapping) -> float | None:
    """Return what a mark takes from an MQM score (≥ 0); None for an unknown severity, 0 for a repeat."""
    category, severity, _ = label(mark, mapping)
    return 0.0 if mark.kept.get(REPEAT) else mapping.weight(category, severity)


def _evaluations_sql(chosen: str) -> str:
    return f"""
SELECT id, translation_id FROM (
  SELECT e.id, e.direction, e.article_id, e.translation_id, e.position,
    min(e.position) OVER (PARTITION BY e.article_id) AS article_at,
    min(e.position) OVER (PARTITION BY e.translation_id) AS translation_at
  FROM evaluations e WHERE {chosen} AND e.state <> 'no_translation')
ORDER BY direction, article_at, article_id, translation_at, translation_id, position
"""


_IMPORT = """
SELECT coalesce(min(n.id), 0) FROM imports n WHERE n.sha256 = (
  SELECT i.sha256 FROM imports i WHERE i.id = coalesce(
    (SELECT o.id FROM imports o WHERE o.at >= ? AND o.stored ORDER BY o.at, o.id LIMIT 1),
    (SELECT e.import_id FROM evaluations e WHERE e.id = ?)))
"""
"""An import is noted when all of it is stored: what came by it came before that, and after the import before it. A file
that was imported again, by another mapping, is the same file."""


def _reviews_sql(reviewers: str) -> str:
    return f"""
SELECT reviewer, state FROM reviews WHERE evaluation_id = ? AND {reviewers} AND state IN ('done', 'in_progress')
ORDER BY reviewer
"""


_SEGMENTS = """
SELECT id, source_start, source_end, start, "end" FROM segments WHERE translation_id = ? ORDER BY number
"""


def _document(connection: sqlite3.Connection, translation: str, evaluation: StoredEvaluation) -> Document:
    article, source, text = evaluation.article, evaluation.article.source, evaluation.translation or ""
    segments = tuple(
        Segment(name, source[slice(*place[:2])], text[slice(*place[2:])])
        for name, *place in connection.execute(_SEGMENTS, (translation,))
    )
    segments = segments or (Segment("", source, text),)
    return Document(
        article=article.key,
        system=evaluation.system,
        segments=segments,
        direction=article.direction,
        domain=article.domain,
        rubric=article.rubric_text,
    )


class Cut:
    """Starts of a document's segments in its whole texts, each being on a line of its own."""

    def __init__(self, document: Document) -> None:
        self.texts: dict[Side, str] = {
            "source": "\n".join(s.source for s in document.segments),
            "translation": "\n".join(s.translation for s in document.segments),
        }
        self.starts: dict[Side, list[int]] = {"source": [0], "translation": [0]}
        for segment in document.segments[:-1]:
            self.starts["source"].append(self.starts["source"][-1] + len(segment.source) + 1)
            self.starts["translation"].append(self.starts["translation"][-1] + len(segment.translation) + 1)

    def segment(self, places: Sequence[Place]) -> int:
        """The number of the segment that a mark is of: where its first place in the translation begins."""
        place = next((p for p in places if p.side == "translation"), next(iter(places), None))
        return max(0, bisect_right(self.starts[place.side], place.start) - 1) if place else 0

    def within(self, number: int, places: Sequence[Place]) -> Places:
        """Places in the whole texts as places in a segment's; they may go beyond it."""
        return tuple(
            p._replace(start=p.start - self._base(p, number), end=p.end - self._base(p, number)) for p in places
        )

    def whole(self, number: int, places: Sequence[Place]) -> Places:
        """Places in a segment's texts as places in the whole ones."""
        return tuple(
            p._replace(start=p.start + self._base(p, number), end=p.end + self._base(p, number)) for p in places
        )

    def _base(self, place: Place, number: int) -> int:
        return self.starts[place.side][number]


# --- judges ---


def _judged(connection: sqlite3.Connection, evaluation: StoredEvaluation, document: Document, cut: Cut) -> Annotation:
    """Return what a judge said: an imported one to the letter, one of Metric-S as its findings."""
    if evaluation.method == GIVEN:
        (raw,) = connection.execute("SELECT raw FROM answers WHERE evaluation_id = ?", (evaluation.id,)).fetchone()
        _, metric, score, kept, marks, unmarked, rated = json.loads(raw)
        return Annotation(
            document=document,
            annotator=evaluation.judge,
            human=False,
            marks=tuple(map(_mark, marks)),
            unmarked=tuple(Unmarked(*row) for row in unmarked),
            rated=None if rated is None else frozenset(rated),
            metric=metric,
            score=score,
            kept=kept,
        )
    marks = tuple(_found(finding, NO_VERDICT, cut) for finding in evaluation.findings if finding.finding.kept)
    return Annotation(document, evaluation.judge, False, marks)


def _mark(raw: Sequence[Any]) -> Mark:
    segment, category, severity, places, quote, note, kept, ours = raw
    placed = tuple(Place(*place) for place in places)
    return Mark(
        segment=segment,
        category=category,
        severity=severity,
        places=placed,
        quote=quote,
        note=note,
        kept=kept,
        ours=read_ours(ours),
    )


def _found(stored: StoredFinding, verdict: Verdict, cut: Cut) -> Mark:
    """A finding of Metric-S, as a verdict leaves it."""
    finding = stored.finding
    lit = tuple(Place(span.side, span.start, span.end) for span in stored.grounded.spans if span.lit)
    places = lit if verdict.spans is None else verdict.spans
    judge = finding.judge
    if verdict.dimension and verdict.dimension != finding.dimension:
        judge = verdict.dimension
    category = verdict.category or finding.category
    category = category if category in CATEGORIES[judge] else None
    cost = human_deduction(finding, verdict) if verdict.decision else None
    number = cut.segment(places)
    return Mark(
        number,
        finding.category_label,
        finding.severity_label,
        cut.within(number, places),
        note=verdict.note or finding.explanation,
        ours=Ours(judge, category, cost[1] if cost else finding.severity),
    )


# --- people ---


def _pass(
    connection: sqlite3.Connection, evaluation: str, reviewer: str, state: str, document: Document, cut: Cut
) -> Annotation:
    """A pass of a reviewer's own: the errors as they stand, and of an imported one all that its file said besides."""
    errors = dict(read_work(connection, evaluation, reviewer).errors)
    where = "evaluation_id = ? AND reviewer = ? AND kind = 'imported'"
    marks: list[Mark] = []
    unmarked: list[Unmarked] = []
    kept: dict[str, Any] = {}
    for each in standing_passes(list(read_events(connection, where, (evaluation, reviewer)))):
        for number, given in each.errors():
            error = errors.pop(imported_id(each.event, number), None)
            if error is not None or not any(
                given.get(name) for name in ("severity", "severity_label", "category_label")
            ):
                marks.append(_imported(given, error, cut))
        unmarked += _unmarked(each)
        kept |= each.event.changes.get("kept") or {}
    marks += [_marked(error, cut) for error in errors.values()]
    rated = None
    if state != "done":  # nobody knows how much of a text without segments was read
        looked_at = {mark.segment for mark in marks} | {row.segment for row in unmarked if row.kind != "other"}
        rated = frozenset(looked_at if len(document.segments) > 1 else ())
    return Annotation(
        document=document,
        annotator=reviewer,
        human=True,
        marks=tuple(marks),
        unmarked=tuple(unmarked),
        rated=rated,
        kept=kept,
    )


def _unmarked(imported: StandingPass) -> Iterator[Unmarked]:
    """The rows of an imported pass that are no errors."""
    for row in imported.rows():
        yield Unmarked(row.get("segment", 1) - 1, **{name: row[name] for name in row if name != "segment"})


def _imported(given: dict[str, Any], error: MarkedError | None, cut: Cut) -> Mark:
    """An error of an imported pass as it stands; ``error`` is None for one that is none in Metric-S."""
    number = min(given.get("segment", 1), len(cut.starts["source"])) - 1
    places = tuple(Place(*place) for place in given.get("spans") or ()) if error is None else error.spans
    changed = error is not None and (error.dimension, error.category, error.severity) != tuple(
        given.get(name) for name in ("dimension", "category", "severity")
    )
    labels = given.get("category_label") or "", given.get("severity_label") or ""
    return Mark(
        number,
        *labels,
        cut.within(number, places),
        note=(error.note if error else given.get("note")) or "",
        unplaced="" if places else given.get("unplaced", ""),
        kept=given.get("kept", {}),
        line=given.get("line", 0),
        ours=_ours(error) if error and (changed or not any(labels)) else None,
    )


def _marked(error: MarkedError, cut: Cut) -> Mark:
    """An error that a reviewer marked in the program."""
    number = cut.segment(error.spans)
    kept = {REPEAT: True} if error.repeat_of else {}
    places = cut.within(number, error.spans)
    labels = error.category_label, error.severity_label
    return Mark(number, *labels, places, note=error.note or "", kept=kept, ours=_ours(error))


def _ours(error: MarkedError) -> Ours | None:
    if error.dimension is None:
        return None
    judge: Judge = "rubric" if error.category in CATEGORIES["rubric"] else error.dimension
    return read_ours([judge, error.category, error.severity])


def _reviewed(
    connection: sqlite3.Connection, evaluation: StoredEvaluation, reviewer: str, judged: Annotation, cut: Cut
) -> Annotation:
    """Return what a reviewer left standing of a judge's findings, as they changed them, and what they added."""
    work = read_work(connection, evaluation.id, reviewer)
    findings = {stored.id: stored.finding for stored in evaluation.findings}
    costs = deductions(findings, work, METRIC_S)
    given = dict(zip(findings, judged.marks, strict=False)) if evaluation.method == GIVEN else {}
    marks: list[Mark] = []
    for stored in evaluation.findings:
        verdict = work.verdicts.get(stored.id, NO_VERDICT)
        if human_deduction(stored.finding, verdict) is None:
            continue
        mark = _found(stored, verdict, cut)
        if stored.id in given and verdict.decision in (None, "agree", "unsure") and verdict.spans is None:
            mark = given[stored.id]
        marks.append(mark if stored.id in costs else mark._replace(kept={**mark.kept, REPEAT: True}))
    marks += [_marked(error, cut) for error in work.unmatched.values()]
    for number, point in work.points.items():
        if point.decision == "violated":
            note = point.note or f"rubric point {number}"
            marks.append(Mark(0, "", "", note=note, ours=Ours("rubric", "rubric_point", "violated")))
    return Annotation(judged.document, reviewer, True, tuple(marks))
