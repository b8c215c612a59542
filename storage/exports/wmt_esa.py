"""WMT's unified JSON Lines of ESA: a line for each segment, with every system's translation and who rated it how."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judges.metric_s.schemes.mapping import Mapping
from storage.base.errors import StorageError
from storage.base.identity import digest
from storage.exports.items import TranslationAnnotation, label, read_annotations
from storage.exports.scores import Scores
from storage.exports.selection import ExportReport, Selection
from storage.formats.base.items import Annotation, Document
from storage.formats.base.offsets import Appraise, Units
from storage.formats.base.own_blocks import block_of
from storage.formats.base.round_trip import KEY
from storage.formats.io.json_objects import objects_by_line
from storage.formats.io.json_parser import JsonObject
from storage.formats.wmt.esa import ESA, signature

_MARK = "_#_"
_TOLD = (
    "what the format has no place for stands under discox, from which an import is exact: errors in the source, "
    "several places of one, notes, our own words; tools pass over it"
)


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write the lines of each article. Memory holds one article with all that is said of its translations."""
    report = ExportReport({"segments": 0, "translations": 0, "annotations": 0, "errors": 0})
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for same in said_by_source(read_annotations(connection, selection), Scores(connection, selection)):
            for row in _rows(same, selection.mapping, report):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    report.notes.append(_TOLD)
    return report


def is_ours(path: Path) -> bool:
    """Return True if the first line is one as it is written here."""
    try:
        first = next(objects_by_line(path), None)
    except StorageError:
        return False
    return isinstance(first, JsonObject) and isinstance(first.value.get(KEY), dict) and "tgt_text" in first.value


@dataclass(slots=True)
class Said:
    """One translation, what is said of it, and its scores. ``shown``: the system, told from another of its name."""

    document: Document
    scores: list[Any]
    shown: str = ""
    annotations: list[TranslationAnnotation] = field(default_factory=list)

    def own(self, *, human: bool | None = None) -> list[Annotation]:
        """Return what people, judges or both say of themselves, not what they left of somebody else's findings."""
        each = [one.annotation for one in self.annotations if not one.of]
        return [one for one in each if human is None or one.human == human]


def said_by_source(items: Iterable[TranslationAnnotation | Document], scores: Scores) -> Iterator[list[Said]]:
    """Yield translations of one source that are cut alike, together, with all that is said of them."""
    held: dict[tuple[Any, ...], list[Said]] = {}
    article = None
    last: Said | None = None
    for item in items:
        if not isinstance(item, Document):
            assert last is not None
            last.annotations.append(item)
            continue
        if article != (item.direction, item.article):
            yield from held.values()
            held, article = {}, (item.direction, item.article)
        key = item.domain, item.rubric, *((segment.id, segment.source) for segment in item.segments)
        same = held.setdefault(key, [])
        times = sum(each.document.system == item.system for each in same)
        last = Said(item, list(scores.of(item)), f"{item.system} ({times + 1})" if times else item.system)
        same.append(last)
    yield from held.values()


def _rows(same: list[Said], mapping: Mapping, report: ExportReport) -> Iterator[dict[str, Any]]:
    """Yield the lines of one source."""
    one = same[0].document
    name = one.article if _MARK in one.article else _MARK.join((one.direction, one.domain, one.article))
    key = digest(one.article, one.direction, one.domain, one.rubric, *map(list, one.segments))
    rows: list[dict[str, Any]] = []
    for number, segment in enumerate(one.segments):
        scores = {each.shown: list(_entries(each, number, mapping)) for each in same}
        rows.append(
            {
                "doc_id": f"{name}{_MARK}{number}",
                "src_text": segment.source,
                "tgt_text": {each.shown: each.document.segments[number].translation for each in same},
                "scores": scores,
                KEY: {"set": key, "n": number},
            }
        )
    blocks = [[each.shown, block_of(each.document, each.own(), each.scores)] for each in same]
    rows[0][KEY] |= {"sign": signature(rows), "translations": blocks}
    report.counts["segments"] += len(rows)
    report.counts["translations"] += len(same)
    report.counts["annotations"] += sum(len(each.own()) for each in same)
    report.counts["errors"] += sum(len(one.marks) for each in same for one in each.own())
    yield from rows


def _entries(said: Said, number: int, mapping: Mapping) -> Iterator[dict[str, Any]]:
    """Yield who rated a segment of a translation, and how."""
    for one in said.own():
        if one.rated is not None and number not in one.rated:
            continue
        kept = next((row.kept for row in one.unmarked if row.segment == number), {})
        entry: dict[str, Any] = {"annotator": one.annotator, "protocol": ESA if one.human else one.metric or "judge"}
        if isinstance(score := kept.get("score"), (int, float)):
            entry["score"] = score
        units = Appraise(said.document.segments[number].translation)
        yield entry | {"errors": spans_of(one, number, units, mapping, Appraise.missing)}


def spans_of(
    one: Annotation, number: int, units: Units, mapping: Mapping, missing: tuple[Any, Any]
) -> list[dict[str, Any]]:
    """Return the errors of a segment as tools write them, each with its first place in the translation.

    ``units`` counts as the tool does; ``missing``: its start and end of an error that has no place there.
    """
    spans = []
    for mark in one.marks:
        if mark.segment == number:
            place = next((place for place in mark.places if place.side == "translation"), None)
            at = units.to_theirs(place.start, place.end) if place else None
            start, end = at or missing
            category, severity, _ = label(mark, mapping)
            said = {"start_i": start, "end_i": end, "severity": severity.casefold() or None}
            spans.append(said | {"category": category or None})
    return spans
