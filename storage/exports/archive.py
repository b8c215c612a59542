"""A whole library as one file for other people and later years: JSON Lines by table, with a manifest of hashes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from storage.base.errors import StorageError
from storage.base.text import utc
from storage.exports.selection import ExportReport, Selection
from storage.importing.archive import FORMAT, MANIFEST, VERSION, is_archive
from storage.log.events import LOGS
from storage.reviews.projections import LEFT_OUT

is_ours = is_archive

_LINES = 100
"""Lines that are packed at once."""


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write every table but what the app remembers and what follows from the log; all of it as of one moment.

    Entries of the logs that nothing can be made of are left out, as they are everywhere.
    Memory holds some rows at a time. Keys are in no table, and so in no archive.
    """
    tables: dict[str, Any] = {}
    connection.execute("BEGIN")  # what others write meanwhile is in none of the tables
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in _tables(connection):
                tables[name] = _write_table(connection, packed, name)
            manifest = {
                "format": FORMAT,
                "version": VERSION,
                "schema": connection.execute("PRAGMA user_version").fetchone()[0],
                "program": selection.program,
                "at": utc(datetime.now(UTC), "seconds"),
                "tables": tables,
            }
            packed.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1))
    finally:
        connection.execute("ROLLBACK")
    shown = {name: tables[name]["rows"] for name in ("articles", "translations", "evaluations", "findings", "events")}
    rest = sum(table["rows"] for table in tables.values()) - sum(shown.values())
    return ExportReport({**shown, "other rows": rest})


def _tables(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name"
    return [name for (name,) in connection.execute(query) if name not in LEFT_OUT]


_UNREADABLE = "SELECT 1 FROM sqlite_master WHERE name = 'unreadable'"


def _write_table(connection: sqlite3.Connection, packed: zipfile.ZipFile, name: str) -> dict[str, Any]:
    """Write one table, a JSON object a line, and return what the manifest says of it."""
    member = f"tables/{name}.jsonl"
    readable = f" WHERE id NOT IN (SELECT id FROM unreadable WHERE record = '{name}')"
    known = name in LOGS and connection.execute(_UNREADABLE).fetchone()
    found = connection.execute(f'SELECT * FROM "{name}"{readable if known else ""}')
    columns = [column[0] for column in found.description]
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    digest, rows, size = hashlib.sha256(), 0, 0
    try:
        with packed.open(member, "w", force_zip64=True) as file:
            while some := found.fetchmany(_LINES):
                lines = [encode(dict(zip(columns, row, strict=True))) for row in some]
                data = ("\n".join(lines) + "\n").encode("utf-8")
                digest.update(data)
                file.write(data)
                rows += len(some)
                size += len(data)
    except (ValueError, TypeError) as error:
        raise StorageError(
            f"the table {name} holds what is no text and no number ({error}); nothing was written"
        ) from None
    return {"file": member, "rows": rows, "bytes": size, "sha256": digest.hexdigest(), "columns": columns}
