"""Small things the app remembers for a reviewer, such as where she stopped. No part of the record."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from storage.connection import transaction


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
