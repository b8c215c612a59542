"""Pearmut: a campaign with what judges found filled in, and beside it the log of what people said."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from judges.metric_s.schemes.mapping import Mapping
from storage.base.errors import StorageError
from storage.base.identity import digest
from storage.exports.items import read_annotations
from storage.exports.scores import Scores
from storage.exports.selection import ExportReport, Selection
from storage.exports.wmt_esa import Said, said_by_source, spans_of
from storage.formats.base.items import Annotation
from storage.formats.base.offsets import Pearmut
from storage.formats.base.own_blocks import block_of
from storage.formats.base.round_trip import KEY
from storage.formats.io.json_objects import top_level_keys, value_under
from storage.formats.tools.pearmut import signature

LOG = ".log.jsonl"
"""Ending of the name of the file beside: the log of what people said."""
_CATEGORIES = {"protocol": "MQM", "special_tokens": ["[missing]"], "assignment": "single-stream"}


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write the campaign, a document for each source. Memory holds one, and the whole log."""
    report = ExportReport({"documents": 0, "translations": 0, "annotations": 0, "prefilled errors": 0})
    log = StringIO()
    info = {**_CATEGORIES, "shuffle": False, "users": 1}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        head = json.dumps({"campaign_id": path.stem, "info": info, "made_by": KEY}, ensure_ascii=False)
        file.write(f'{head.removesuffix("}")}, "data": [')
        documents = said_by_source(read_annotations(connection, selection), Scores(connection, selection))
        for number, same in enumerate(documents):
            items = _items(same, selection.mapping, report)
            file.write(("," if number else "") + "\n" + json.dumps(items, ensure_ascii=False))
            for line in _lines(number, same, items, selection.mapping):
                log.write(json.dumps(line, ensure_ascii=False) + "\n")
                report.counts["annotations"] += 1
        file.write("\n]}\n")
    if log.getvalue():
        report.beside[LOG] = log.getvalue()
        report.notes.append(f"the file that ends in {LOG} holds what people said; import it with or after the campaign")
    report.notes.append("one annotator is asked for: change users in info for more, then pearmut add FILE")
    return report


def is_ours(path: Path) -> bool:
    """Return True if a file is a campaign as it is written here."""
    try:
        return "data" in top_level_keys(path) and value_under(path, "made_by") == KEY
    except StorageError:
        return False


def _items(same: list[Said], mapping: Mapping, report: ExportReport) -> list[dict[str, Any]]:
    """The items of one document: a segment with every translation of it, and what the first judge found in each."""
    one = same[0].document
    key = digest(one.article, one.direction, one.domain, one.rubric, *map(list, one.segments))
    items: list[dict[str, Any]] = []
    for number, segment in enumerate(one.segments):
        shown = {_model(each.shown): each.document.segments[number].translation for each in same}
        spans = {
            model: _prefilled(each, number, text, mapping)
            for each, (model, text) in zip(same, shown.items(), strict=True)
        }
        report.counts["prefilled errors"] += sum(map(len, spans.values()))
        item = {"src": segment.source, "tgt": shown, "item_id": f"{one.article}_#_{number}"}
        items.append(item | ({"error_spans": spans} if any(spans.values()) else {}))
    blocks = [[_model(each.shown), block_of(each.document, each.own(human=False), each.scores)] for each in same]
    items[0][KEY] = {"set": key, "sign": signature(items), "translations": blocks}
    report.counts["documents"] += 1
    report.counts["translations"] += len(same)
    return items


def _model(system: str) -> str:
    """A system's name as Pearmut takes it, which refuses one of digits alone."""
    return f"{system} " if system.isdigit() else system


def _prefilled(said: Said, number: int, text: str, mapping: Mapping) -> list[dict[str, Any]]:
    units = Pearmut(text)
    return [span for one in said.own(human=False)[:1] for span in spans_of(one, number, units, mapping, units.missing)]


def _lines(item_i: int, same: list[Said], items: list[dict[str, Any]], mapping: Mapping) -> Iterator[dict[str, Any]]:
    """Yield the log's lines of one document, one for each person and translation."""
    plain = [{name: value for name, value in item.items() if name != KEY} for item in items]
    for each in same:
        for one in each.own(human=True):
            model = _model(each.shown)
            answers = [{model: _answer(one, each, number, mapping)} for number in range(len(items))]
            line = {"user_id": one.annotator, "item_i": item_i, "annotation": answers, "item": plain}
            block = block_of(each.document, [one], ())
            own = {"set": items[0][KEY]["set"], "sign": signature(plain, answers), "translations": [[model, block]]}
            yield line | {KEY: own}


def _answer(one: Annotation, said: Said, number: int, mapping: Mapping) -> dict[str, Any]:
    """Answer of a person on a segment; of one that was not rated it has neither a score nor an error."""
    kept = next((row.kept for row in one.unmarked if row.segment == number), {})
    score = kept.get("score")
    units = Pearmut(said.document.segments[number].translation)
    return {
        "score": score if isinstance(score, (int, float)) else None,
        "error_spans": spans_of(one, number, units, mapping, units.missing),
    }
