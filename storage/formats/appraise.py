"""Appraise's table of ESA ratings: twelve columns without a header, and, as Appraise writes it, without the texts.

These are found beside it (``appraise_texts``); a table whose columns 5 and 6 hold texts and no languages has its own.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from storage.formats.annotated import Annotation, Document
from storage.formats.appraise_texts import Found, Texts, find_texts
from storage.formats.directions import direction_of_codes
from storage.formats.lines import FormatError
from storage.formats.offsets import Appraise
from storage.formats.ratings import Rating, collect
from storage.formats.readers import ReadOptions
from storage.formats.records import cells
from storage.formats.rows import LeftOut
from storage.formats.scores import Remark, ScoreLine
from storage.formats.span_marks import marks_of
from storage.formats.values import decimal, number

ESA = "ESA"
WHOLE = "ESA (document)"
"""The score of a row that is about a document as a whole."""
COLUMNS = ("user", "system", "item", "type", "source", "target", "score", "document", "whole", "spans", "start", "end")
_TYPES = {"TGT", "BAD", "REF", "CHK"}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
_NOT_RATED = re.compile(r"#(bad|dup|incomplete)\d*$|-tutorial")
_WHY = {
    "#bad": "was damaged on purpose, to check the annotator",
    "#dup": "repeats another, to check the annotator",
    "#inc": "was not rated to its end",
    "-tut": "is of the tutorial",
}
_MEND = "mend the line, or delete it and import the file again"


def fits(path: Path) -> bool:
    """Whether a file's first row that can be read is one of Appraise's."""
    try:
        return _delimiter(path) is not None
    except FormatError:
        return False


def _delimiter(path: Path) -> str | None:
    """What parts the cells of such a table; a spreadsheet may write semicolons. None for another file."""
    for mark in ",;":
        first = next((row for row in islice(cells(path, mark), 20) if isinstance(row, tuple)), None)
        if first is not None and _whole(first[1]) and first[1][3].strip() in _TYPES:
            return mark
    return None


def _whole(row: list[str]) -> list[str] | None:
    """The twelve cells of a row; some campaigns' tables end with the spans, without the times. None for another row."""
    if len(row) == len(COLUMNS) - 2 and (not row[-1].strip() or row[-1].strip()[0] in "[{"):
        return [*row, "", ""]
    return row if len(row) == len(COLUMNS) else None


def read(path: Path, options: ReadOptions) -> Iterator[Annotation | Document | ScoreLine | LeftOut | Remark]:
    """Yield each document's annotations. Raises FormatError where nothing can be read."""
    mark = _delimiter(path) or ","
    held = (_whole(row[1]) for row in islice(cells(path, mark), 200) if isinstance(row, tuple))
    own_texts = any(not _LANGUAGE.fullmatch(cell.strip()) for row in held if row for cell in row[4:6])
    with find_texts(path, options.beside) as texts:
        scores: list[ScoreLine] = []
        yield from collect(_ratings(path, mark, options, None if own_texts else texts, scores))
        yield from scores


def _ratings(
    path: Path, mark: str, options: ReadOptions, texts: Texts | None, scores: list[ScoreLine]
) -> Iterator[Rating | LeftOut | Remark]:
    if texts is not None:
        held = (_whole(row[1]) for row in cells(path, mark) if isinstance(row, tuple))
        texts.expect((row[0], row[2], row[7]) for row in held if row)
    for row in cells(path, mark):
        if isinstance(row, LeftOut):
            yield row
        elif (whole := _whole(row[1])) is None:
            yield LeftOut(row[0], "cells", "", f"has {len(row[1])} cells where Appraise writes {len(COLUMNS)}", _MEND)
        else:
            item = _row(row[0], [cell.strip() for cell in whole[:4]] + whole[4:], options, texts)
            if isinstance(item, ScoreLine):
                scores.append(item)
            elif isinstance(item, tuple):
                yield from item
            else:
                yield item


def _row(
    line: int, row: list[str], options: ReadOptions, texts: Texts | None
) -> Rating | ScoreLine | LeftOut | tuple[Remark, Rating]:
    user, system, item, kind, source, target, score, named, whole, spans, start, end = row
    if kind not in _TYPES:
        return LeftOut(line, "bad_field", "type", f"is “{kind[:20]}”, none of TGT, BAD, REF and CHK", _MEND)
    if kind in ("BAD", "CHK"):
        what = "damaged on purpose" if kind == "BAD" else "a repetition"
        return LeftOut(line, "no_rating", "type", f"is {kind}: {what}, to check the annotator", "nothing to do")
    if other := _NOT_RATED.search(named):
        reason = f"is {named[:60]}: {_WHY[other[0][:4]]}"
        return LeftOut(line, "no_rating", "document", reason, "nothing to do")
    points = decimal(score)
    if points is None or not user or not system or not named:
        missing = next((n for n, v in zip(COLUMNS, row, strict=True) if not v), "score")
        shown = f"is “{score[:20]}”, no number" if missing == "score" else "is empty"
        return LeftOut(line, "bad_field", missing, shown, _MEND)
    direction = options.direction or (direction_of_codes(source, target) if texts is not None else "")
    article, system = _names(named, system)
    system = options.system or system
    if whole.strip().lower() == "true":
        return ScoreLine(line, WHOLE, system, article, direction, points, True, user)
    found = Found(source, target, item) if texts is None else texts.find(row, direction)
    if isinstance(found, str):
        return LeftOut(line, "no_texts", "document", f"item {item[:20]} of {named[:60]} {found}", _MEND_TEXTS)
    read = _spans(spans)
    rating = Rating(
        line,
        article,
        system,
        found.source,
        found.translation,
        user,
        True,
        found.segment,
        number(item) or 0,
        direction,
        found.domain,
        marks=() if read is None else marks_of(read, Appraise(found.translation), line),
        kind="other" if read is None else None,
        score=points,
        metric=ESA,
        kept={"item": item, "document": named, "type": kind, "times": [start, end]}
        | ({"spans": spans} if read is None else {}),
    )
    if read is None:
        return Remark(line, "spans", "spans", "cannot be read as a list of errors; kept as they are"), rating
    return rating


_MEND_TEXTS = "put Appraise's batches (JSON) or WMT's folder txt beside it, or name them too, and import it again"


def _names(document: str, system: str) -> tuple[str, str]:
    """A document's name without its system's, and the system's without the campaign's: “d#A” by “wmt23.A”."""
    name, mark, last = document.rpartition("#")
    if mark and (system == last or system.endswith(f".{last}")):
        return name, last
    return document, system


def _spans(text: str) -> list[object] | None:
    """Read the errors, which are JSON, or in older tables Python's way to write it; None where they are neither."""
    try:
        value = json.loads(text) if text.strip() else []
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return None
    value = [value] if isinstance(value, dict) else [] if value is None else value
    return list(value) if isinstance(value, (list, tuple)) else None
