"""The tables as one workbook for people: a sheet each, wrapped, with a filter and a header that stays."""

from __future__ import annotations

import sqlite3
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

from storage.exports.selection import ExportReport, Selection
from storage.exports.tables.cells import Cells
from storage.exports.tables.rows import TABLES, rows
from storage.formats.io.lines import FormatError
from storage.formats.io.zips import BROKEN, open_zip

_MARK = "Written by discox export xlsx"
_ROWS = 1_048_576
"""Rows that a sheet of Excel holds."""
_WIDE = {
    **dict.fromkeys(("source", "translation", "explanation", "note", "rubric", "signature"), 60),
    **dict.fromkeys(("source_words", "translation_words", "suggestion", "reason", "flags", "undefined_because"), 30),
    **dict.fromkeys(("article", "system", "domain", "subdomain", "judge", "figure", "category_label"), 18),
    "of": 40,
}
"""Columns that hold more than a word → how many characters wide they are; every other is made for its heading."""


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write the workbook, row by row: memory holds one row of each sheet."""
    import xlsxwriter

    counts, cells = Counter(dict.fromkeys(TABLES, 0)), Cells(cut=True)
    with tempfile.TemporaryDirectory(prefix="discox-xlsx-") as folder:
        options = {"constant_memory": True, "tmpdir": folder, "strings_to_urls": False}
        book = xlsxwriter.Workbook(str(path), options)
        book.use_zip64()
        book.set_properties({"comments": _MARK})
        wrapped, right_to_left = (
            book.add_format({"text_wrap": True, "valign": "top", "reading_order": order}) for order in (0, 2)
        )
        heading = book.add_format({"bold": True, "valign": "top", "bottom": 1})
        sheets = {name: _sheet(book, name, columns, heading) for name, columns in TABLES.items()}
        for name, row in rows(connection, selection):
            counts[name] += 1
            if counts[name] < _ROWS:
                _write_row(
                    sheet=sheets[name],
                    number=counts[name],
                    row=row,
                    table=name,
                    cells=cells,
                    formats=(wrapped, right_to_left),
                )
        for name, columns in TABLES.items():
            sheets[name].autofilter(0, 0, min(counts[name], _ROWS - 1), len(columns) - 1)
        book.close()
    notes = list(cells.notes())
    for name, count in counts.items():
        if count >= _ROWS:
            over = f"{name}: a sheet of Excel holds {_ROWS - 1:,} rows; {count - _ROWS + 1:,} are left out; CSV has all"
            notes.append(over)
    return ExportReport({name.replace("_", " "): count for name, count in counts.items() if count}, notes)


def _sheet(book: Any, name: str, columns: tuple[str, ...], heading: Any) -> Any:
    sheet = book.add_worksheet(name.replace("_", " "))
    sheet.freeze_panes(1, 0)
    for number, column in enumerate(columns):
        sheet.set_column(number, number, _WIDE.get(column, len(column) + 4))
        sheet.write_string(0, number, column.replace("_", " "), heading)
    return sheet


def _write_row(
    sheet: Any, number: int, row: dict[str, Any], table: str, cells: Cells, formats: tuple[Any, Any]
) -> None:
    for column, name in enumerate(TABLES[table]):
        value = cells.cell(row[name], f"{table}.{name}")
        if isinstance(value, str):
            sheet.write_string(number, column, value, formats[_begins_from_the_right(value)])
        elif value is not None:
            sheet.write_number(number, column, value, formats[False])


def _begins_from_the_right(text: str) -> bool:
    """Return True if a text's first letter is written from right to left. Not every program sees to it by itself."""
    strong = (kind for kind in map(unicodedata.bidirectional, text) if kind in ("L", "R", "AL"))
    return next(strong, "L") != "L"


def is_ours(path: Path) -> bool:
    """Return True if a workbook was written here."""
    try:
        with open_zip(path) as packed:
            return _MARK.encode() in packed.read("docProps/core.xml")
    except (FormatError, KeyError, *BROKEN):
        return False
