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
from storage.exports.tables import TABLES, rows

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
    """Write a file for each table, a group of rows at a time; texts exact, lists as JSON text.

    Raises StorageError where the library that writes Parquet is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise StorageError(
            "Parquet needs pyarrow, which is not installed; pip install 'discox-tui[parquet]', or export jsonl"
        ) from None
    path.mkdir()
    counts, waiting = Counter(dict.fromkeys(TABLES, 0)), {name: list[dict[str, Any]]() for name in TABLES}
    with ExitStack() as stack:
        schemas = {name: _schema(name, pyarrow) for name in TABLES}
        files = {
            name: stack.enter_context(
                pyarrow.parquet.ParquetWriter(path / f"{name}.parquet", schema, compression="zstd")
            )
            for name, schema in schemas.items()
        }

        def flush(name: str) -> None:
            files[name].write_table(pyarrow.Table.from_pylist(waiting[name], schemas[name]))
            counts[name] += len(waiting[name])
            waiting[name].clear()

        for name, row in rows(connection, selection):
            waiting[name].append({key: _value(value) for key, value in row.items()})
            if len(waiting[name]) == _GROUP:
                flush(name)
        for name in TABLES:
            flush(name)
    return ExportReport({name.replace("_", " "): count for name, count in counts.items() if count})


def _schema(table: str, pyarrow: Any) -> pyarrow.Schema:
    kinds = {**dict.fromkeys(_WHOLE, pyarrow.int64()), **dict.fromkeys(_REAL, pyarrow.float64())}
    kinds |= dict.fromkeys(_TRUTH, pyarrow.bool_())
    if table == "own_errors":
        kinds["blind"] = pyarrow.bool_()
    return pyarrow.schema([(column, kinds.get(column, pyarrow.string())) for column in TABLES[table]])


def _value(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
