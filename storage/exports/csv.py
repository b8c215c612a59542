"""The tables as CSV for people: a folder of files, or a zip file of them, that Excel opens as they are meant."""

from __future__ import annotations

import csv
import sqlite3
import zipfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from storage.exports.cells import Cells
from storage.exports.selection import ExportReport, Selection
from storage.exports.tables import TABLES, rows
from storage.formats.io.lines import FormatError
from storage.formats.io.zips import open_zip

_MARK = b"tables of discox"


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write a file for each table; into a zip file if the name ends so, else into a folder.

    UTF-8 with a byte-order mark, by which Excel knows it, and lines that end at CR LF.
    """
    packed = path.suffix.lower() == ".zip"
    folder = path.with_name("tables") if packed else path
    folder.mkdir()
    counts, cells = Counter(dict.fromkeys(TABLES, 0)), Cells(cut=False)
    with ExitStack() as stack:
        writers = {}
        for name, columns in TABLES.items():
            file = stack.enter_context((folder / f"{name}.csv").open("w", encoding="utf-8-sig", newline=""))
            writers[name] = csv.writer(file)
            writers[name].writerow(columns)
        for name, row in rows(connection, selection):
            writers[name].writerow([cells.cell(row[column], f"{name}.{column}") for column in TABLES[name]])
            counts[name] += 1
    if packed:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.comment = _MARK
            for name in TABLES:
                archive.write(folder / f"{name}.csv", f"{name}.csv")
    return ExportReport({name.replace("_", " "): count for name, count in counts.items() if count}, list(cells.notes()))


def is_ours(path: Path) -> bool:
    """Return True if a zip file was written here."""
    try:
        with open_zip(path) as archive:
            return archive.comment == _MARK
    except FormatError:
        return False
