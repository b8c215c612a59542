"""What can go wrong on disk, said to people: one line, what happened and how to mend it."""

from __future__ import annotations


class StorageError(Exception):
    """Something on disk that the user can mend. The message is one line and holds no traceback."""
