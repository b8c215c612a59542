"""The tables as CSV for people: a folder of files, or a zip file of them, that Excel opens as they are meant."""

from __future__ import annotations

import csv
import sqlite3
import zipfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from storage.exports.selection import ExportReport, Selection
from storage.exports.tables.cells import Cells
from storage.exports.tables.rows import TABLES, chosen_table, one_of, rows
from storage.formats.io.lines import FormatError
from storage.formats.io.zips import open_zip

_MARK = b"tables of discox"


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write a file for each table; into a zip file if the name ends so, else into a folder. ``a.csv`` is one table.

    UTF-8 with a byte-order mark, by which Excel knows it, and lines that end at CR LF.
    """
    only = chosen_table(path, selection, ".csv")
    packed = path.suffix.lower() == ".zip"
    if only:
        paths = {only: path}
    else:
        folder = path.with_name("tables") if packed else path
        folder.mkdir()
        paths = {name: folder / f"{name}.csv" for name in TABLES}
    counts, cells = Counter(dict.fromkeys(paths, 0)), Cells(cut=False)
    with ExitStack() as stack:
        writers = {}
        for name, where in paths.items():
            file = stack.enter_context(where.open("w", encoding="utf-8-sig", newline=""))
            writers[name] = csv.writer(file)
            writers[name].writerow(TABLES[name])
        for name, row in rows(connection, selection, only):
            writers[name].writerow([cells.cell(row[column], f"{name}.{column}") for column in TABLES[name]])
            counts[name] += 1
    if packed and not only:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.comment = _MARK
            for where in paths.values():
                archive.write(where, where.name)
    notes = [*one_of(only, ".csv"), *cells.notes()]
    return ExportReport({name.replace("_", " "): count for name, count in counts.items() if count}, notes)


def is_ours(path: Path) -> bool:
    """Return True if a zip file was written here, or a file that holds one of the tables."""
    if path.suffix.lower() != ".zip":
        try:
            with path.open(encoding="utf-8-sig", errors="replace") as file:
                return tuple(file.readline().rstrip("\n").split(",")) in TABLES.values()
        except OSError:
            return False
    try:
        with open_zip(path) as archive:
            return archive.comment == _MARK
    except FormatError:
        return False
