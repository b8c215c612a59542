"""The tables of WMT's shared task on evaluation (2025 on): segments, and scores or error spans that a metric gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Any

from storage.formats.base.directions import direction_of_codes
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Annotation, Document, Mark, MeanScore, Remark, ScoreLine
from storage.formats.base.offsets import CodePoints
from storage.formats.base.ratings import Rating, collect
from storage.formats.base.score_lines import SegmentScores
from storage.formats.base.span_marks import marks_of
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import LOOKED_AT
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.records import records
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import number, word

GOLD = "gold"
"""The annotator of what stands in the columns of people's errors; the table does not say."""
_SEGMENT = {"doc_id", "segment_id", "system_id"}
_TEXTS = {"source_segment", "hypothesis_segment"}
_SPANS = ("start_indices", "end_indices", "error_types", "categories")
_READ = {*_SEGMENT, *_TEXTS, "source_lang", "target_lang", "domain_name", "overall", *_SPANS}
_READ |= {f"{name}_{GOLD}" for name in _SPANS}
_EMPTY = ("", "nan", "none")
"""Cells that say nothing."""
OFFICIAL = "official"
_MEND = "mend the line, or delete it and import the file again"


class WmtMteval(Format):
    """Tables of WMT's shared task on evaluation."""

    name, title, phrase = "wmt-mteval", "WMT evaluation task TSV", "a table of WMT's evaluation task"
    needed = (
        *("doc_id", "segment_id", "system_id", "source_segment", "hypothesis_segment"),
        *("start_indices", "end_indices", "error_types"),
    )

    def sniff(self, head: Head) -> bool:
        """Tell if the header names segments of the task, with their texts, scores or spans."""
        rows = islice(records(head.file, _is_header), LOOKED_AT)
        first = next((row for row in rows if isinstance(row, JsonObject)), None)
        return first is not None and _is_header([*first.value])

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield each document's annotations, and the scores of documents."""
        judge = options.judge or file.stem
        means = SegmentScores()
        told = texts = False
        for item in collect(_ratings(file, options, judge, means)):
            if not told and not options.judge and isinstance(item, Annotation) and not item.human:
                told = True
                yield Remark(1, "judge", "", f"the judge is called as the file, {judge[:60]}; --judge says else")
            texts = texts or isinstance(item, (Annotation, Document))
            yield item
        documents = 0
        for mean in means.means():
            if isinstance(mean, MeanScore):
                documents += 1
                mean.made_of *= not texts  # else the rows are counted with these
            yield mean
        if documents:
            count = f"{means.segments:,} scores of segments come to a mean for each document and system"
            yield Remark(1, "means", "overall", f"{count}, {documents:,} in all")


def _is_header(names: Sequence[str]) -> bool:
    held = {*names}
    texts = held >= {*_TEXTS, "set_id"}
    return held >= _SEGMENT and (texts or "overall" in held or _spans_of(held, "") or _spans_of(held, GOLD))


def _spans_of(names: set[str], whose: str) -> bool:
    return {f"{name}_{whose}".strip("_") for name in _SPANS[:3]} <= names


def _ratings(
    path: InputFile, options: ReadOptions, judge: str, means: SegmentScores
) -> Iterator[Rating | LeftOut | Remark]:
    for item in records(path, _is_header):
        if isinstance(item, LeftOut):
            yield item
            continue
        for flag in item.flags:
            yield Remark(item.line, flag.code, "", flag.message)
        row = {name: word(value) if name in _TEXTS else _value(value) for name, value in item.value.items()}
        if missing := next((name for name in ("doc_id", "system_id") if not row.get(name)), ""):
            yield LeftOut(item.line, "bad_field", missing, "is empty", _MEND)
            continue
        of_set = row.get("set_id", "")
        article = row["doc_id"] if of_set in ("", OFFICIAL) else f"{of_set}:{row['doc_id']}"
        system, score = options.system or row["system_id"], number(row.get("overall"))
        direction = options.direction or direction_of_codes(row.get("source_lang", ""), row.get("target_lang", ""))
        domain = row.get("domain_name", "")
        if score is None and row.get("overall"):
            reason = f"is “{row['overall'][:20]}”, no number"
            yield LeftOut(item.line, "bad_field", "overall", reason, "give a number, or leave it empty")
            continue
        spans = [who for who in ("", GOLD) if _spans_of({*row}, who)]
        if score is not None and "" not in spans:
            given = ScoreLine(item.line, judge, system, article, direction, score, human=False, domain=domain)
            means.add(given, row.get("segment_id", ""))
        if row.keys() >= _TEXTS:
            alone = Rating(
                line=item.line,
                article=article,
                system=system,
                source=row["source_segment"],
                translation=row["hypothesis_segment"],
                annotator="",
                human=True,
                segment=row.get("segment_id", ""),
                order=number(row.get("segment_id")) or 0,
                direction=direction,
                domain=domain,
                is_row=True,
            )
            yield from _said(alone, row, spans, judge, score)
        elif score is None or spans:
            what = "score" if "overall" in row else "texts: source_segment and hypothesis_segment"
            mend = "import the table that holds them" if spans else "nothing to do"
            yield LeftOut(item.line, "no_score" if "overall" in row else "no_texts", "", f"has no {what}", mend)


def _said(
    alone: Rating, row: dict[str, str], spans: Sequence[str], judge: str, score: float | None
) -> Iterator[Rating]:
    """Yield what each says of a segment; where no spans are told, its texts alone."""
    for who in spans:
        yield replace(
            alone,
            annotator=who or judge,
            human=bool(who),
            marks=tuple(_marks(alone.line, row, alone.translation, who)),
            score=None if who else score,
            metric="" if who or score is None else judge,
            kept={name: value for name, value in row.items() if name not in _READ and value},
        )
    if not spans:
        yield alone


def _marks(line: int, row: dict[str, str], text: str, whose: str) -> Iterator[Mark]:
    """Yield the errors of one segment: parallel lists, or -1 and no-error."""
    starts, ends, types, categories = (row.get(f"{name}_{whose}".strip("_"), "").split() for name in _SPANS)
    for start, end, kind, category in zip_longest(starts, ends, types, categories[: len(types)], fillvalue=""):
        if kind.replace("_", "-").casefold() == "no-error" or (start, end, kind) == ("-1", "-1", ""):
            continue
        span: dict[str, Any] = {"start_i": start, "end_i": end, "severity": kind, "category": category}
        (mark,) = marks_of([span], CodePoints(text), line)
        if mark.places and mark.places[0].start == mark.places[0].end:
            mark = mark._replace(places=(), unplaced="begins where it ends")
        yield mark


def _value(value: object) -> str:
    text = word(value)
    return "" if text.strip().casefold() in _EMPTY else text
