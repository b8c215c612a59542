"""A library's tables as plain values, so that a test can say that nothing changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def dump(path: Path, *, without: tuple[str, ...] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)
            for name in names
            if name not in without
        }


def events(path: Path) -> list[dict[str, Any]]:
    """The review log in its order, as an export gives it."""
    from storage.integrity.opening import open_library
    from storage.reviews.events import as_json, read_events

    with closing(open_library(path, create=False)) as connection:
        return [as_json(event) for event in read_events(connection)]
