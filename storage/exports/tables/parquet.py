"""The tables as Parquet, for data frames and for data that outgrow one machine: a folder with a file for each."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.base.errors import StorageError
from storage.exports.selection import ExportReport, Selection
from storage.exports.tables.rows import TABLES, chosen_table, one_of, rows

if TYPE_CHECKING:
    import pyarrow

_GROUP = 2_000
"""Rows that are written at once."""
_WHOLE = (
    *("total", "accuracy", "fluency", "appropriateness", "errors", "sample", "quotes", "quotes_verified", "number"),
    *("rubric_point", "decided", "unsure", "marked", "point", "n"),
)
_REAL = ("stored_total", "stored_accuracy", "stored_fluency", "stored_appropriateness", "value", "low", "high")
_TRUTH = ("kept", "invented", "missed")


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write a file for each table, a group of rows at a time; texts exact, lists as JSON text. ``a.parquet`` is one.

    Raises StorageError where the library that writes Parquet is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise StorageError(
            "Parquet needs pyarrow, which is not installed: `pip install pyarrow` beside discox, or export csv"
        ) from None
    if only := chosen_table(path, selection, ".parquet"):
        paths = {only: path}
    else:
        path.mkdir()
        paths = {name: path / f"{name}.parquet" for name in TABLES}
    counts, waiting = Counter(dict.fromkeys(paths, 0)), {name: list[dict[str, Any]]() for name in paths}
    with ExitStack() as stack:
        schemas = {name: _schema(name, pyarrow) for name in paths}
        files = {
            name: stack.enter_context(pyarrow.parquet.ParquetWriter(paths[name], schema, compression="zstd"))
            for name, schema in schemas.items()
        }

        def flush(name: str) -> None:
            files[name].write_table(pyarrow.Table.from_pylist(waiting[name], schemas[name]))
            counts[name] += len(waiting[name])
            waiting[name].clear()

        for name, row in rows(connection, selection, only):
            waiting[name].append({key: _value(value) for key, value in row.items()})
            if len(waiting[name]) == _GROUP:
                flush(name)
        for name in paths:
            flush(name)
    found = {name.replace("_", " "): count for name, count in counts.items() if count}
    return ExportReport(found, one_of(only, ".parquet"))


def is_ours(path: Path) -> bool:
    """Return True if a file holds one of the tables."""
    try:
        import pyarrow.parquet

        return tuple(pyarrow.parquet.read_schema(path).names) in TABLES.values()
    except (ImportError, OSError, ValueError):  # what pyarrow raises of a file that is none of its own is a ValueError
        return False


def _schema(table: str, pyarrow: Any) -> pyarrow.Schema:
    kinds = {**dict.fromkeys(_WHOLE, pyarrow.int64()), **dict.fromkeys(_REAL, pyarrow.float64())}
    kinds |= dict.fromkeys(_TRUTH, pyarrow.bool_())
    if table == "own_errors":
        kinds["blind"] = pyarrow.bool_()
    return pyarrow.schema([(column, kinds.get(column, pyarrow.string())) for column in TABLES[table]])


def _value(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
