"""Small things the app remembers for a reviewer, such as where they stopped. No part of the record."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from storage.db.connection import transaction


def remember(connection: sqlite3.Connection, reviewer: str, key: str, value: Any) -> None:
    """Keep a small JSON-able value under a key of one reviewer, in place of what was there."""
    with transaction(connection):
        connection.execute(
            "INSERT OR REPLACE INTO app_state (reviewer, key, value) VALUES (?, ?, ?)",
            (reviewer, key, json.dumps(value, ensure_ascii=False)),
        )


def recall(connection: sqlite3.Connection, reviewer: str, key: str) -> Any:
    """Return what ``remember`` kept, or None."""
    row = connection.execute("SELECT value FROM app_state WHERE reviewer = ? AND key = ?", (reviewer, key)).fetchone()
    return json.loads(row[0]) if row else None


def recall_all(connection: sqlite3.Connection, reviewer: str, beginning: str) -> list[Any]:
    """Return what ``remember`` kept under keys that begin so."""
    rows = connection.execute(
        "SELECT value FROM app_state WHERE reviewer = ? AND substr(key, 1, ?) = ? ORDER BY key",
        (reviewer, len(beginning), beginning),
    )
    return [json.loads(value) for (value,) in rows]


def forget(connection: sqlite3.Connection, reviewer: str, key: str) -> None:
    """Keep nothing under a key any more."""
    with transaction(connection):
        connection.execute("DELETE FROM app_state WHERE reviewer = ? AND key = ?", (reviewer, key))


def take(connection: sqlite3.Connection, reviewer: str, key: str, file: Path) -> None:
    """Keep a value in a file, as its database will be thrown away. A disk that refuses is no matter."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(recall(connection, reviewer, key)), encoding="utf-8")


def bring(connection: sqlite3.Connection, reviewer: str, key: str, file: Path) -> None:
    """Remember the value that ``take`` left in a file, if it can be read."""
    with suppress(OSError, ValueError):
        remember(connection, reviewer, key, json.loads(file.read_text(encoding="utf-8")))
