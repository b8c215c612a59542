"""Rows that have named fields, whether a file is JSON Lines, one JSON list, CSV or TSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from judges.model import Flag
from storage.formats.io.input_file import AnyFile
from storage.formats.io.json_objects import object_reader, read_objects
from storage.formats.io.json_parser import MEND_LINE, JsonObject
from storage.formats.io.lines import UNDECODABLE, not_utf8, open_file, read_lines
from storage.formats.io.rows import LeftOut

LONGEST = 1_000
"""Lines that a cell in quotes may have; more are a quote that was never closed."""
_BEGINNING = 1 << 20
"""Bytes of a line that is looked at."""
_QUOTED = re.compile(r'"(?:[^"]*"")+[^"]*"')
_OPEN = re.compile(r'"(?:[^"]|"")*')


def records(
    path: AnyFile, is_header: Callable[[Sequence[str]], bool] = lambda names: True
) -> Iterator[JsonObject | LeftOut]:
    """Yield the rows of a file, each with its first line.

    Of a table the first row names the fields, or of the first rows the one that ``is_header``; Excel's ``sep=;`` above
    says what parts them. The file is streamed. Raises FormatError where it cannot be opened.
    """
    if is_json(path):
        yield from read_objects(path)
    else:
        yield from _table(path, is_header)


def is_json(path: AnyFile) -> bool:
    """Tell if a file begins as JSON does, or its first line is broken and the next is an object."""
    with open_file(path) as file:
        lines = (line.strip() for line in iter(lambda: file.readline(_BEGINNING), b""))
        first, second = (next(filter(None, lines), b"") for _ in range(2))
    if first[:1] in (b"[", b"{"):
        return True
    row = object_reader()(second.decode("utf-8", "replace"), 2) if second[:1] == b"{" else None
    return isinstance(row, JsonObject) and bool(row.value)


def cells(path: AnyFile, delimiter: str, width: int = 0) -> Iterator[tuple[int, list[str]] | LeftOut]:
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
            yield LeftOut(number, "not_utf8", "", *not_utf8(text))
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


def _table(path: AnyFile, is_header: Callable[[Sequence[str]], bool]) -> Iterator[JsonObject | LeftOut]:
    line, delimiter, names = header_of(path, is_header)
    if not names:
        return
    flags = (Flag("header_row", f"the header is in line {line}; what is above it is passed over"),) if line > 1 else ()
    found = False
    for row in cells(path, delimiter, len(names)):
        number = row.line if isinstance(row, LeftOut) else row[0]
        if not found and number <= line:
            found = number == line
            if found and isinstance(row, LeftOut):
                yield row
                return
        elif isinstance(row, LeftOut):
            yield row
        elif len(row[1]) < len(names) or any(cell.strip() for cell in row[1][len(names) :]):
            reason = f"has {len(row[1])} cells where the header names {len(names)}"
            yield LeftOut(number, "cells", "", reason, MEND_LINE)
        else:
            yield JsonObject(number, dict(zip(names, row[1], strict=False)), flags)
            flags = ()


def header_of(path: AnyFile, is_header: Callable[[Sequence[str]], bool]) -> tuple[int, str, list[str]]:
    """Return the line of a table's header, what parts its cells, and these; without one those of the first line."""
    first: tuple[int, str, list[str]] | None = None
    delimiters = "\t,;"
    for number, text in islice(((n, text) for n, text in read_lines(path) if text.strip()), HEADER_WITHIN):
        if first is None and (said := _SEP.fullmatch(text)):
            delimiters = said[1]
            continue
        delimiter = max(delimiters, key=text.count)
        names = [name.strip().strip("\ufeff").strip() for name in _cells_of(text, delimiter)]
        first = first or (number, delimiter, names)
        if is_header(names):
            return number, delimiter, names
    return first or (0, "", [])


def _cells_of(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return text.split(delimiter)


HEADER_WITHIN = 10
"""Rows that are not empty of which one is the header."""
_SEP = re.compile("sep=(.)", re.IGNORECASE)
"""The first line that Excel reads, and writes, to say what parts cells."""
