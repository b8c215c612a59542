"""Items put together by a key, on disk and not in memory, so that a file may be larger than the memory."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Groups(Generic[T]):
    """Items by their keys, for a ``with``; memory holds one group. A key is told by its ``repr``; items can be pickled.

    They are in a file that is deleted when it is closed, and in memory while they are few.
    """

    def __init__(self) -> None:
        self._connection = sqlite3.connect("")
        self._connection.executescript(_TABLES)
        self._last: tuple[Hashable, int] | None = None

    def __enter__(self) -> Groups[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all items."""
        self._connection.close()

    def add(self, key: Hashable, item: T) -> None:
        """Put an item behind those of its key."""
        if self._last is None or self._last[0] != key:  # what belongs together often stands together
            text = repr(key)
            self._connection.execute("INSERT OR IGNORE INTO keys (key) VALUES (?)", (text,))
            (number,) = self._connection.execute("SELECT id FROM keys WHERE key = ?", (text,)).fetchone()
            self._last = key, number
        self._connection.execute("INSERT INTO items (held, item) VALUES (?, ?)", (self._last[1], pickle.dumps(item)))

    def of(self, key: Hashable) -> list[T]:
        """Return the items of a key, as they came; none for one that is not there."""
        found = self._connection.execute(
            "SELECT item FROM items WHERE held = (SELECT id FROM keys WHERE key = ?) ORDER BY id", (repr(key),)
        )
        return [pickle.loads(item) for (item,) in found]

    def __iter__(self) -> Iterator[list[T]]:
        """Yield the items of each key, keys as they came first. No statement lies open between two of them."""
        last = 0
        while (found := self._connection.execute(_NEXT, (last,)).fetchone()) is not None:
            (last,) = found
            held = self._connection.execute("SELECT item FROM items WHERE held = ? ORDER BY id", (last,)).fetchall()
            yield [pickle.loads(item) for (item,) in held]


_TABLES = """
CREATE TABLE keys (id INTEGER PRIMARY KEY, key TEXT UNIQUE);
CREATE TABLE items (id INTEGER PRIMARY KEY, held INTEGER, item BLOB);
CREATE INDEX of_group ON items (held);
"""
_NEXT = "SELECT id FROM keys WHERE id > ? ORDER BY id LIMIT 1"
