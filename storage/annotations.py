"""Storing what other tools' files come to: people's marks as blind passes, judges' as findings.

The mapping into Metric-S's words is kept with the import; the file's own words are kept with every error.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from judges.mapping import Kind, Mapped, Mapping
from judges.metric_s.rubric import parse_rubric
from judges.metric_s.scoring import judged, score
from judges.model import (
    SIDES,
    Article,
    Bead,
    Finding,
    Flag,
    Grounded,
    Judge,
    Judgement,
    Side,
    Span,
)
from storage.connection import insert
from storage.formats.annotated import Annotation, Document, Mark
from storage.formats.rows import LeftOut
from storage.formats.scores import Remark, ScoreLine
from storage.groundings import GIVEN, Grounding, add_groundings
from storage.identity import digest, evaluation_id, finding_id
from storage.imports import FileReport, Note, store_file
from storage.library import FromFile, add_evaluation, add_translation, has_evaluation
from storage.review_log import Event, add_event, derive, derive_waiting
from storage.scores import add_score, take_score
from storage.text import storable, utc

NOT_JUDGED = "not judged"
"""What stands for a judge's answer where none was asked: one such evaluation of each translation."""

MQM = "MQM"
"""The metric whose score of a document is computed here: minus the mean weight of a segment's errors."""

Item = Document | Annotation | ScoreLine | LeftOut | Remark
"""What readers yield."""


def import_annotations(
    connection: sqlite3.Connection,
    path: Path,
    format: str,
    items: Callable[[], Iterable[Item]],
    mapping: Mapping,
    *,
    options: dict[str, str | None] | None = None,
    program: str = "",
    progress: Callable[[int], None] = lambda rows: None,
) -> FileReport:
    """Store what a reader yields, all in one transaction, and the report of it. Importing it again changes nothing.

    ``items`` is called once. Never raises for what a file holds: ``FileReport.problem`` says why nothing could be read.
    """
    report = FileReport(path, format)

    def take_rows(import_id: int) -> None:
        writer = _Writer(connection, report, import_id, mapping)
        for item in items():
            writer.take(item)
            progress(report.rows)
        writer.finish()

    kept = {**(options or {}), "mapping": mapping.signature, "mapping_text": mapping.text}
    store_file(connection, report, take_rows, kept, program)
    return report


class _Writer:
    """Takes the items of one file into the library and counts what became of each."""

    def __init__(self, connection: sqlite3.Connection, report: FileReport, import_id: int, mapping: Mapping) -> None:
        self.connection = connection
        self.report = report
        self.import_id = import_id
        self.mapping = mapping
        self._last: tuple[Document, _Placed] | None = None
        self._kinds: Counter[tuple[str, str, str]] = Counter()
        self._waiting: set[str] = set()

    def take(self, item: Item) -> None:
        match item:
            case LeftOut():
                self.report.leave_out(item)
            case Remark():
                self.report.notes.append(Note(item.line, "flag", item.code, item.message, item.field))
            case ScoreLine():
                take_score(self.connection, self.report, self.import_id, item)
            case Document():
                before = self.connection.total_changes
                self._place(item)
                self._count(1, self.connection.total_changes > before)
            case Annotation():
                if item.human:
                    self._take_pass(item)
                else:
                    self._take_judgement(item)

    def finish(self) -> None:
        """Derive what waited for these evaluations, and say which labels are none of ours or lose something."""
        for (category, severity, why), count in sorted(self._kinds.items()):
            message = f"{category or 'no category'} / {severity or 'no severity'}: {why} ({count:,} times)"
            self.report.notes.append(Note(0, "flag", "mapping", message))
        marks = ", ".join("?" * len(self._waiting))
        derive_waiting(self.connection, f"SELECT id FROM evaluations WHERE id IN ({marks})", tuple(self._waiting))

    def _count(self, rows: int, new: bool) -> None:
        self.report.rows += rows
        if new:
            self.report.stored += rows
        else:
            self.report.unchanged += rows

    def _place(self, document: Document) -> _Placed:
        """Store a document, unless it was the last one too, and say where its segments are."""
        if self._last is None or self._last[0] is not document:
            placed = _Placed(document)
            article = _article(document, placed.source)
            translation = add_translation(self.connection, article, document.system, placed.translation)
            placed.id = translation
            if len(document.segments) > 1:
                insert(self.connection, "segments", placed.rows(translation), or_ignore=True)
            self._last = document, placed
        return self._last[1]

    # --- people ---

    def _take_pass(self, annotation: Annotation) -> None:
        placed = self._place(annotation.document)
        identity = evaluation_id(placed.id, "", NOT_JUDGED)
        if not has_evaluation(self.connection, identity):
            origin = FromFile(self.import_id, annotation.document.line or annotation.line)
            add_evaluation(self.connection, placed.id, "", Judgement("not_judged", None), origin, raw=NOT_JUDGED)
            self._waiting.add(identity)
        changes = self._changes(annotation, placed)
        event_id = digest("imported", identity, annotation.annotator, changes)
        for number, error in enumerate(changes["errors"], 1):
            error["id"] = f"{event_id}-{number}"
        at = utc(datetime.now(UTC))
        event = Event(event_id, at, annotation.annotator, "imported", identity, None, changes)
        new = add_event(self.connection, event)
        self._count(annotation.rows, new)
        if new:
            derive(self.connection, identity, annotation.annotator)
            self._score(annotation)

    def _changes(self, annotation: Annotation, placed: _Placed) -> dict[str, Any]:
        """What an ``imported`` event holds of an annotation."""
        errors = []
        for mark in annotation.marks:
            mapped = self._map(mark)
            error: dict[str, Any] = {
                "id": "",
                "segment": mark.segment + 1,
                "line": mark.line,
                "category_label": mark.category,
                "severity_label": mark.severity,
                "spans": placed.places(mark),
            }
            if mapped.severity and mapped.dimension:
                error |= {"dimension": mapped.dimension, "severity": mapped.severity}
                if mapped.category:
                    error["category"] = mapped.category
            for name, value in (("note", mark.note), ("unplaced", mark.unplaced), ("kept", mark.kept)):
                if value:
                    error[name] = value
            errors.append(error)
        rows = [
            {"segment": row.segment + 1, "line": row.line, "kind": row.kind}
            | {name: value for name in ("category", "severity", "kept") if (value := getattr(row, name))}
            for row in annotation.unmarked
        ]
        whole = annotation.rated is None or len(annotation.rated) == len(annotation.document.segments)
        state = {"state": "done", "search": "done"} if whole else {"state": "in_progress"}
        kept = {"kept": annotation.kept} if annotation.kept else {}
        return {"errors": errors, "rows": rows, "file": self.report.format, **state, **kept}

    # --- judges ---

    def _take_judgement(self, annotation: Annotation) -> None:
        placed = self._place(annotation.document)
        raw = json.dumps(
            [
                self.mapping.id,
                annotation.metric,
                annotation.score,
                annotation.kept,
                [_raw(m) for m in annotation.marks],
                annotation.unmarked,
                None if annotation.rated is None else sorted(annotation.rated),
            ],
            ensure_ascii=False,
            sort_keys=True,
        )
        identity = evaluation_id(placed.id, annotation.annotator, raw)
        new = not has_evaluation(self.connection, identity)
        self._count(annotation.rows, new)
        if not new:
            return
        findings, found = self._findings(annotation, placed)
        unmapped = sum(finding.severity is None for finding in findings)
        flags = (
            [Flag("not_mapped", f"{unmapped} errors have no severity of Metric-S and cost nothing")] if unmapped else []
        )
        judgement = Judgement("scored", score(cost for f in findings if (cost := judged(f))), (), findings)
        stored = (annotation.score, None, None, None)
        origin = FromFile(self.import_id, annotation.line)
        add_evaluation(
            self.connection,
            placed.id,
            annotation.annotator,
            judgement,
            origin,
            raw=raw,
            stored_score=stored,
            flags=flags,
        )
        self._waiting.add(identity)
        ids = [finding_id(identity, finding) for finding in findings]
        grounding = Grounding(identity, GIVEN, placed.alignment(), dict(zip(ids, found, strict=True)))
        add_groundings(self.connection, [grounding])
        self._score(annotation)

    def _findings(self, annotation: Annotation, placed: _Placed) -> tuple[tuple[Finding, ...], list[Grounded]]:
        findings, found = [], []
        numbers: Counter[Judge] = Counter()
        for mark in annotation.marks:
            mapped = self._map(mark)
            judge = mapped.judge or "accuracy"
            numbers[judge] += 1
            said = mark.note or (f"“{mark.quote}”" if mark.quote else f"{mark.category} {mark.severity}".strip())
            findings.append(
                Finding(
                    judge,
                    numbers[judge],
                    said,
                    category=mapped.category,
                    category_label=mark.category,
                    severity=mapped.severity,
                    severity_label=mark.severity,
                )
            )
            found.append(placed.grounded(mark))
        return tuple(findings), found

    # --- both ---

    def _map(self, mark: Mark) -> Mapped:
        if mark.ours:
            judge, category, severity = mark.ours
            kind: Kind = "error" if severity else "note"
            return Mapped("ours", kind, judge, category, severity, mark.category, mark.severity)
        mapped = self.mapping.read(mark.category, mark.severity, missing=mark.missing)
        why = "; ".join((*mapped.lost, *((f"choice: {mapped.choice}",) if mapped.choice else ())))
        if why:
            self._kinds[mark.category, mark.severity, why] += 1
        return mapped

    def _score(self, annotation: Annotation) -> None:
        """Keep what the annotator's own scheme gives the document, a score of its own or by the weights of MQM."""
        value, document = annotation.score, annotation.document
        if value is None and annotation.metric == MQM:
            weights = [self.mapping.weight(mark.category, mark.severity) for mark in annotation.marks]
            rated = len(document.segments) if annotation.rated is None else len(annotation.rated)
            if None not in weights and rated:
                value = -sum(weight for weight in weights if weight is not None) / rated
        if value is None or not annotation.metric:
            return
        human, rater = annotation.human, annotation.annotator if annotation.human else ""
        add_score(
            self.connection,
            self.import_id,
            ScoreLine(
                annotation.line, annotation.metric, document.system, document.article, document.direction, value, human,
                rater, document.domain,
            ),
        )  # fmt: skip


class _Placed:
    """A document's two texts as they are stored, and where its segments are in them."""

    def __init__(self, document: Document) -> None:
        self.id = ""
        self._known: dict[Side, list[int]] = {}
        self._segments = document.segments
        self.source, self._source_starts = _joined(segment.source for segment in document.segments)
        self.translation, self._starts = _joined(segment.translation for segment in document.segments)

    def rows(self, translation: str) -> list[dict[str, object]]:
        """The segments as rows."""
        return [
            {
                "translation_id": translation,
                "number": number + 1,
                "id": segment.id,
                "source_start": self._source_starts[number],
                "source_end": self._source_starts[number] + len(segment.source),
                "start": self._starts[number],
                "end": self._starts[number] + len(segment.translation),
            }
            for number, segment in enumerate(self._segments)
        ]

    def places(self, mark: Mark) -> list[list[Any]]:
        """Where a mark is in the whole texts."""
        base = {"source": self._source_starts[mark.segment], "translation": self._starts[mark.segment]}
        return [[place.side, base[place.side] + place.start, base[place.side] + place.end] for place in mark.places]

    def grounded(self, mark: Mark) -> Grounded:
        """Where a mark is, as a finding is located; of one without a place the paragraph of its segment."""
        spans = tuple(Span(side, start, end) for side, start, end in self.places(mark))
        unlocated: tuple[tuple[Side, str], ...] = (("translation", mark.quote),) if mark.quote and not spans else ()
        number = mark.segment
        return Grounded(spans, self._paragraph("source", number), self._paragraph("translation", number), unlocated)

    def alignment(self) -> tuple[Bead, ...]:
        """Which paragraphs go together: those of a segment."""
        return tuple(
            Bead(*(tuple(self._within(side, number)) for side in SIDES)) for number in range(len(self._segments))
        )

    def _paragraph(self, side: Side, number: int) -> int | None:
        held = self._within(side, number)
        return held[0] if held else None

    def _within(self, side: Side, number: int) -> range:
        """The numbers of the paragraphs, from 0, that begin in a segment."""
        starts = self._paragraphs(side)
        begin = (self._source_starts if side == "source" else self._starts)[number]
        segment = self._segments[number]
        end = begin + len(segment.source if side == "source" else segment.translation)
        return range(bisect_left(starts, begin), bisect_left(starts, end))

    def _paragraphs(self, side: Side) -> list[int]:
        from judges.grounding.paragraphs import paragraphs

        if side not in self._known:
            text = self.source if side == "source" else self.translation
            self._known[side] = [paragraph.start for paragraph in paragraphs(text)]
        return self._known[side]


def _joined(texts: Iterable[str]) -> tuple[str, list[int]]:
    """The texts, each on a line of its own, and where each begins."""
    parts, starts, at = [], [], 0
    for text in texts:
        starts.append(at)
        parts.append(text)
        at += len(text) + 1
    return storable("\n".join(parts)), starts


def _article(document: Document, source: str) -> Article:
    rubric = storable(document.rubric)
    return Article(
        storable(document.article),
        source,
        document.direction,
        storable(document.domain),
        rubric_text=rubric,
        rubric=parse_rubric(rubric),
    )


def _raw(mark: Mark) -> list[Any]:
    return [mark.segment, mark.category, mark.severity, mark.places, mark.quote, mark.note, mark.kept, mark.ours]
