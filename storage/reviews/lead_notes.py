"""Notes of whoever leads a team to its reviewers. Apart from ``team``, as every app reads them and few see that."""

from __future__ import annotations

import sqlite3
from typing import Any

from storage.db import app_state

NOTE = "note from the lead"
"""Key under which the app keeps what a reviewer is to be told."""


def tell(connection: sqlite3.Connection, reviewer: str, text: str, lead: str) -> None:
    """Leave a note that a reviewer sees at once, or when they come; an empty one takes back what was not seen."""
    if text.strip():
        app_state.remember(connection, reviewer, NOTE, {"from": lead, "text": text.strip()})
    else:
        app_state.forget(connection, reviewer, NOTE)


def told(connection: sqlite3.Connection, reviewer: str) -> str:
    """Return the note that was left for a reviewer, and by whom; "" if there is none."""
    found: dict[str, Any] = app_state.recall(connection, reviewer, NOTE) or {}
    return f"{found['from']}: {found['text']}" if found else ""
