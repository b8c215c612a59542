"""Rows that have named fields, whether a file is JSON Lines, one JSON list, CSV or TSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from storage.formats.json_objects import MEND_LINE, JsonObject, objects_by_line, objects_in_array
from storage.formats.lines import UNDECODABLE, open_file, read_lines
from storage.formats.rows import LeftOut

LONGEST = 1_000
"""Lines that a cell in quotes may have; more are a quote that was never closed."""
_QUOTED = re.compile(r'"(?:[^"]*"")+[^"]*"')
_OPEN = re.compile(r'"(?:[^"]|"")*')


def records(path: Path) -> Iterator[JsonObject | LeftOut]:
    """Yield the rows of a file, each with its first line. Of a table the first row names the fields.

    The file is streamed. Raises FormatError where it cannot be opened.
    """
    with open_file(path) as file:
        beginning = file.read(1 << 16).lstrip()[:1]
    if beginning == b"[":
        yield from objects_in_array(path)
    elif beginning == b"{":
        yield from objects_by_line(path)
    else:
        yield from _table(path)


def cells(path: Path, delimiter: str, width: int = 0) -> Iterator[tuple[int, list[str]] | LeftOut]:
    """Yield the rows of a table without a header, each with its first line; blank lines are no rows.

    Cells are quoted as CSV has it where a row can be read so; a quote that is never closed takes no other row with it.
    A line that tabs part into ``width`` cells is a row as it stands, unless its last cell goes on in a later line: many
    tools write tabs and never quote. Of those cells only such are unquoted as show by a doubled quotation mark within
    that they were quoted.
    """
    lines = _Lines(read_lines(path))
    while (line := lines.next()) is not None:
        number, text = line
        if text == UNDECODABLE:
            yield LeftOut(number, "not_utf8", "", "is not UTF-8 throughout (damaged, or cut off)", MEND_LINE)
        elif text.strip():
            yield _row(lines, number, text, delimiter, width)


class _Lines:
    """Numbered lines, some of which can be put back."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines = lines
        self._again: list[tuple[int, str]] = []

    def next(self) -> tuple[int, str] | None:
        return self._again.pop() if self._again else next(self._lines, None)

    def put_back(self, lines: list[tuple[int, str]]) -> None:
        self._again += reversed(lines)


def _row(lines: _Lines, number: int, text: str, delimiter: str, width: int) -> tuple[int, list[str]] | LeftOut:
    """Read the row that begins with a line, and as many lines more as its quotes need."""
    raw = text.split(delimiter)
    if '"' not in text:
        return number, raw
    plain = delimiter == "\t" and len(raw) == width
    if plain and not _OPEN.fullmatch(raw[-1]):
        return number, [cell[1:-1].replace('""', '"') if _QUOTED.fullmatch(cell) else cell for cell in raw]
    taken: list[tuple[int, str]] = []

    def more() -> Iterator[str]:
        yield text + "\n"
        while len(taken) < LONGEST and (line := lines.next()) is not None:
            taken.append(line)
            if line[1] == UNDECODABLE:
                return
            yield line[1] + "\n"

    try:
        row = next(csv.reader(more(), delimiter=delimiter, strict=True))
        if plain and len(row) != width:
            raise csv.Error("no quoted cell")
        return number, row
    except csv.Error as error:
        lines.put_back(taken)
        if delimiter == "\t":
            return number, raw
        if "field limit" in str(error):
            reason = f"has a cell of more than {csv.field_size_limit():,} characters"
            return LeftOut(number, "cells", "", reason, MEND_LINE)
        return LeftOut(number, "quotes", "", "has a quotation mark that is not closed or not doubled", MEND_LINE)


def _table(path: Path) -> Iterator[JsonObject | LeftOut]:
    header = next((text for _, text in read_lines(path) if text.strip()), "")
    delimiter = max("\t,;", key=header.count)
    rows = cells(path, delimiter, header.count(delimiter) + 1)
    first = next(rows, None)
    if not isinstance(first, tuple):
        if first is not None:
            yield first
        return
    names = [name.strip().strip("\ufeff").strip() for name in first[1]]
    for row in rows:
        if isinstance(row, LeftOut):
            yield row
            continue
        number, held = row
        if len(held) < len(names) or any(cell.strip() for cell in held[len(names) :]):
            reason = f"has {len(held)} cells where the header names {len(names)}"
            yield LeftOut(number, "cells", "", reason, MEND_LINE)
        else:
            yield JsonObject(number, dict(zip(names, held, strict=False)))
