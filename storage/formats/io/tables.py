"""Rows with named fields as people keep them: a title above the header, other names, a workbook of several sheets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Set
from itertools import islice
from typing import Any, NamedTuple

from judges.model import Flag
from storage.formats.io.input_file import AnyFile
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import FormatError
from storage.formats.io.office import Sheet, Workbook, open_workbook
from storage.formats.io.records import HEADER_WITHIN, records
from storage.formats.io.rows import LeftOut
from storage.formats.io.zips import is_zip

_OTHERS = {
    "source": "src sourcetext srctext sourcesegment original originaltext 原文 源文 源语 原语",
    "translation": "target tgt mt hypothesis hyp targettext translatedtext translationtext mttext 译文 译语 目标语",
    "article": "document doc docid documentid articleid promptid 文章 文档 篇章",
    "system": "model systemid systemname 系统 模型",
    "direction": "langpair languagepair lp langs languages 方向 语言对 翻译方向",
    "domain": "领域",
    "rubric": "考点 评分点",
}
_CANONICAL = {other: name for name, others in _OTHERS.items() for other in (name, *others.split())}
"""Columns as people call them, without case, blanks and underscores → our names."""
_MEND = "mend the row, or delete it and import the file again"


class Wanted(NamedTuple):
    """Names that make a header one, in our words: all of some set; ``expected`` says them for people."""

    any_of: tuple[Set[str], ...]
    expected: str

    def fits(self, cells: Iterable[str]) -> bool:
        """Tell if cells are such a header."""
        names = {our_name(cell) for cell in cells}
        return any(wanted <= names for wanted in self.any_of)


def our_name(column: str) -> str:
    """Return our name of a column: “Source text”, “src” and “原文” are ``source``; others stay, in small letters."""
    plain = column.strip().casefold()
    return _CANONICAL.get(re.sub(r"[\s_-]+", "", plain), plain)


def by_name(values: dict[str, Any]) -> dict[str, Any]:
    """Return a row's values by our names of its columns; of two columns of one name the one that has it exactly."""
    exact = {name.strip().casefold() for name in values}
    found: dict[str, Any] = {}
    for name, value in values.items():
        plain, ours = name.strip().casefold(), our_name(name)
        found[plain if ours in found or (ours in exact and ours != plain) else ours] = value
    return found


def renamed(names: Collection[str]) -> str:
    """Return which columns are read under another name, in words; "" for none."""
    ours = by_name(dict(zip(names, names, strict=True)))
    told = {name: as_is for name, as_is in ours.items() if as_is.strip().casefold() not in (name, "prompt_id")}
    return ", ".join(f"“{as_is[:40]}” as {name}" for name, as_is in told.items())


def named_rows(path: AnyFile, wanted: Wanted) -> Iterator[JsonObject | LeftOut]:
    """Yield a file's rows with named fields; the first of each sheet has flags that say how it is read.

    A table's header is one of its first rows. Of a workbook all sheets that are shown and have the header are read.
    Raises FormatError where the file cannot be read, and for a workbook without the header.
    """
    rows = _of_workbook(path, wanted) if is_zip(path) else records(path, wanted.fits)
    first = True
    for row in rows:
        if isinstance(row, JsonObject) and first:
            first = False
            if told := renamed(row.value):
                flag = Flag("column_names", f"columns are read by other names: {told}")
                row = JsonObject(row.line, row.value, (*row.flags, flag))
        yield row


def _of_workbook(path: AnyFile, wanted: Wanted) -> Iterator[JsonObject | LeftOut]:
    with open_workbook(path) as book:
        headers: list[tuple[Sheet, int, list[str]]] = []
        passed, looked = [], []
        for sheet in book.sheets:
            if sheet.hidden:
                passed.append(f"the sheet “{sheet.name}” is hidden: it is passed over")
                continue
            head = list(islice(book.rows(sheet), HEADER_WITHIN))
            header = next((row for row in head if wanted.fits(row.cells)), None)
            if header:
                headers.append((sheet, header.number, [name.strip() for name in header.cells]))
            else:
                passed.append(f"the sheet “{sheet.name}” has no such header: it is passed over")
                shown = ", ".join(cell.strip()[:40] or "(empty)" for cell in head[0].cells[:10]) if head else "nothing"
                looked.append(f"sheet “{sheet.name}”, row {head[0].number if head else 1}, has {shown}")
        if not headers:
            found = "; ".join(looked[:3]) or "every sheet is hidden"
            raise FormatError(f"{path}: {found}; {wanted.expected}; rename the columns (a header in rows 1 to 10)")
        for sheet, line, names in headers:
            if twice := [name for name in names if name and names.count(name) > 1]:
                raise FormatError(f"{path}: row {line} names the column {twice[0]} twice; leave one")
            notes = [f"the sheet “{sheet.name}” is read"] if len(book.sheets) > 1 else []
            notes += [f"the header is in row {line}; what is above it is passed over"] if line > 1 else []
            yield from _sheet(book, sheet, line, names, [Flag("sheet", note) for note in (*notes, *passed)])
            passed = []


def _sheet(
    book: Workbook, sheet: Sheet, header: int, names: list[str], flags: list[Flag]
) -> Iterator[JsonObject | LeftOut]:
    told: set[int] = set()
    for row in book.rows(sheet):
        if row.number <= header:
            continue
        if any(row.cells[len(names) :]):
            reason = f"has {len(row.cells)} cells where row {header} names {len(names)}"
            yield LeftOut(row.number, "cells", "", reason, _MEND)
            continue
        for column, what in row.told.items():
            if column not in told:
                told.add(column)
                here = f", here {row.cells[column]}" if row.cells[column] else ""
                flags.append(Flag("cell", f"{names[column] or '(no name)'}: {what}{here}"))
        filled = [*row.cells, *[""] * (len(names) - len(row.cells))]
        value = {name: cell for name, cell in zip(names, filled, strict=True) if name}
        yield JsonObject(row.number, value, tuple(flags))
        flags.clear()
