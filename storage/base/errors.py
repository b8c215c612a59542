"""Errors on disk, said to people: one line, what happened and how to mend it."""

from __future__ import annotations

from typing import NamedTuple


class StorageError(Exception):
    """Something on disk that the user can mend. The message is one line and holds no traceback."""


class Fault(NamedTuple):
    """A row that discox cannot have written: its table, its name, the column, and what is wrong with it."""

    record: str
    id: str
    field: str
    reason: str

    @property
    def line(self) -> str:
        """The fault in words, as one line."""
        return f"{self.record} {self.id}: {self.field} {self.reason}"
