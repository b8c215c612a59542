"""Appraise's table of ESA ratings: twelve columns without a header, and, as Appraise writes it, without the texts.

These are found beside it (``appraise_texts``); a table whose columns 5 and 6 hold texts and no languages has its own.
Some tables lack the times, or go on with the batch and the item's number in the database; WMT25's name the segment by
its id of the data set, in place of the item or in a column of its own after the user. Campaigns that ask for scores
alone, and those of pairs, have no column of spans.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from storage.formats.base.directions import direction_of_codes
from storage.formats.base.fillers import filler
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Remark, ScoreLine
from storage.formats.base.offsets import Appraise
from storage.formats.base.ratings import Rating, collect
from storage.formats.base.score_lines import Timed, standing
from storage.formats.base.span_marks import marks_of
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import LOOKED_AT, json_value
from storage.formats.io.json_parser import is_deep
from storage.formats.io.records import cells
from storage.formats.io.rows import LeftOut
from storage.formats.io.values import decimal, latest_moment, number, wmt_names
from storage.formats.tools.appraise_texts import Found, Texts, find_texts

ESA, DA = "ESA", "DA"
NOT_ASKED = "not asked"
"""The cell that stands for the spans in a table that has none."""
WHOLE, WHOLE_DA = f"{ESA} (document)", f"{DA} (document)"
"""The score of a row that is about a document as a whole."""
COLUMNS = ("user", "system", "item", "type", "source", "target", "score", "document", "whole", "spans", "start", "end")
_TYPES = {"TGT", "BAD", "REF", "CHK"}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
_MEND = "mend the line, or delete it and import the file again"


class AppraiseEsa(Format):
    """Appraise's table of ESA ratings."""

    name, title = "appraise-esa", "Appraise ESA CSV"

    def sniff(self, head: Head) -> bool:
        """Tell if one of the first rows is one of Appraise's."""
        return _delimiter(head.file) is not None

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield each document's annotations, then the scores of whole documents."""
        mark = _delimiter(file) or ","
        held = (_whole(row[1]) for row in islice(cells(file, mark), 200) if isinstance(row, tuple))
        own_texts = any(not _LANGUAGE.fullmatch(cell.strip()) for row in held if row for cell in row[4:6])
        with find_texts(file.path, options.beside) as texts:
            scores: list[Timed] = []
            ratings = _ratings(file, mark, options, None if own_texts else texts, scores)
            yield from collect(ratings, newest_first=True)  # as Appraise writes them
            yield from standing(lambda: scores, newest_first=True)


def _delimiter(path: InputFile) -> str | None:
    """Return what parts the cells of such a table; a spreadsheet may write semicolons. None for another file."""
    for mark in ",;":
        rows = (_whole(row[1]) for row in islice(cells(path, mark), LOOKED_AT) if isinstance(row, tuple))
        if any(row and row[3].strip() in _TYPES for row in rows):
            return mark
    return None


def _whole(row: list[str]) -> list[str] | None:
    """The twelve cells of a row, and what follows them: batch, item in the database, and item. None for another row."""
    match len(row) - len(COLUMNS):
        case -2 if not row[-1].strip() or row[-1].strip()[0] in "[{":
            return [*row, "", ""]
        case -1 | 1 | 2 if all(number(cell) is not None for cell in row[9:]):  # times, batch, item, target of a pair
            return [*row[:9], NOT_ASKED, *row[9:]]
        case 0:
            return row
        case 2 if all(cell.strip().isdigit() for cell in row[-2:]):
            return row
        case 3 if row[4].strip() in _TYPES:  # user, segment's id, system, item, type …
            return [row[0], row[2], row[1], *row[4:], row[3]]
        case _:
            return None


def _ratings(
    path: InputFile, mark: str, options: ReadOptions, texts: Texts | None, scores: list[Timed]
) -> Iterator[Rating | LeftOut | Remark]:
    in_segments: set[tuple[str, str]] = set()
    for held in filter(None, (_whole(row[1]) for row in cells(path, mark) if isinstance(row, tuple))):
        if texts is not None:
            texts.expect(held[0], held[2], held[7])
        if not is_true(held[8]):
            in_segments.add((held[7], held[1].strip()))
    for row in cells(path, mark):
        if isinstance(row, LeftOut):
            yield row
        elif (whole := _whole(row[1])) is None:
            yield LeftOut(row[0], "cells", "", f"has {len(row[1])} cells where Appraise writes {len(COLUMNS)}", _MEND)
        else:
            item = _row(row[0], [cell.strip() for cell in whole[:4]] + whole[4:], options, texts, in_segments)
            if isinstance(item, ScoreLine):
                scores.append(Timed(item, latest_moment([whole[10], whole[11]])))
            elif isinstance(item, LeftOut):
                yield item
            else:
                yield from item


def _row(
    line: int, row: list[str], options: ReadOptions, texts: Texts | None, in_segments: Container[tuple[str, str]]
) -> ScoreLine | LeftOut | Iterator[Rating | Remark]:
    user, system, item, kind, source, target, score, named, whole, spans, start, end, *more = row
    if why := no_rating(line, kind, named, item, system):
        return why
    points = decimal(score)
    if points is None or not user or not system or not named:
        missing = next((n for n, v in zip(COLUMNS, row, strict=False) if not v), "score")
        shown = f"is “{score[:20]}”, no number" if missing == "score" else "is empty"
        return LeftOut(line, "bad_field", missing, shown, _MEND)
    direction = options.direction or (direction_of_codes(source, target) if texts is not None else "")
    asked = spans != NOT_ASKED
    read = spans_in(spans if asked else "")
    as_whole = is_true(whole) and read == [] and (named, system) in in_segments
    article, system = names(named, system)
    system = options.system or system
    if as_whole:
        return ScoreLine(
            line=line,
            metric=WHOLE if asked else WHOLE_DA,
            system=system,
            article=article,
            direction=direction,
            score=points,
            human=True,
            rater=user,
        )
    _, _, domain, number_in_document = wmt_names(item)
    if texts is None:
        batch = more[0] if len(more) > 1 else user
        found: Found | str = Found(source, target, piece=batch, order=number(item) or 0)
    else:
        found = texts.find(row, direction)
    if isinstance(found, str):
        return LeftOut(line, "no_texts", "document", f"item “{item[:20]}” of “{named[:60]}” {found}", _MEND_TEXTS)
    rating = Rating(
        line=line,
        article=article,
        system=system,
        source=found.source,
        translation=found.translation,
        annotator=user,
        human=True,
        segment=found.segment or (number_in_document if domain else ""),
        order=(number(number_in_document) or 0) if domain else found.order,
        piece="" if domain else found.piece,
        at=latest_moment([start, end]),
        direction=direction,
        domain=found.domain or domain,
        marks=() if read is None else marks_of(read, Appraise(found.translation, breaks=bool(domain)), line),
        kind="other" if read is None else None,
        score=points,
        metric=ESA if asked else DA,
        asked=asked,
        kept={"item": item, "document": named, "type": kind, "times": [start, end]}
        | ({"more": more} if more else {})
        | ({"spans": spans} if read is None else {}),
    )
    return _with_document(rating, named, row, texts, unread=read is None)


def _with_document(
    rating: Rating, named: str, row: list[str], texts: Texts | None, *, unread: bool
) -> Iterator[Rating | Remark]:
    """Yield a rating, and before the first of a document the texts of all of it, as far as they are known."""
    if texts is not None:
        for found in texts.document(named, row[1], rating.direction):
            yield replace(
                rating,
                source=found.source,
                translation=found.translation,
                annotator="",
                segment=found.segment,
                order=found.order,
                piece=found.piece,
                marks=(),
            )
    if unread:
        yield Remark(rating.line, "spans", "spans", "cannot be read as a list of errors; kept as they are")
    yield rating


_MEND_TEXTS = "put Appraise's batches (JSON) or WMT's folder txt beside it, or name them too, and import it again"


def is_true(text: str) -> bool:
    """Tell if a row says that its item is the last of its document: about the whole, where there are others."""
    return text.strip().lower() == "true"


def no_rating(line: int, kind: str, document: str, item: str, system: str) -> LeftOut | None:
    """Return why an item is none of which a rating counts; None for others."""
    if kind not in _TYPES:
        return LeftOut(line, "bad_field", "type", f"is “{kind[:20]}”, none of TGT, BAD, REF and CHK", _MEND)
    if kind in ("BAD", "CHK"):
        what = "damaged on purpose" if kind == "BAD" else "a repetition"
        return LeftOut(line, "no_rating", "type", f"is {kind}: {what}, to check the annotator", "nothing to do")
    return filler(line, document, item, system)


def names(document: str, system: str) -> tuple[str, str]:
    """A document's name without its system's, and the system's without the campaign's: “d#A” by “wmt23.A”."""
    name, mark, last = document.rpartition("#")
    if mark and (system == last or system.endswith(f".{last}")):
        return name, last
    return document, system


_NOTHING = ("null", "None")
"""Words that stand for no errors beside an empty list."""


def spans_in(text: str) -> list[Any] | None:
    """Read the errors, which are JSON, or in older tables Python's way to write it; None where they are neither."""
    try:
        value = json_value(text) if text.strip() else []
    except ValueError:
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return None
        if is_deep(value):
            return None
    value = [value] if isinstance(value, dict) else [] if text.strip() in _NOTHING else value
    return list(value) if isinstance(value, (list, tuple)) else None
