"""Errors on disk, said to people: one line, what happened and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
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


def fault_lines(faults: Iterable[Fault]) -> list[str]:
    """Return faults in lines for people, one for each reason; of several rows it names the first."""
    from storage.base.reasons import grouped  # faults are rare

    lines = []
    for group in grouped(faults, lambda fault: (fault.record, fault.field), lambda fault: fault.reason):
        more = f" (and {len(group.things) - 1:,} more like it)" if len(group.things) > 1 else ""
        lines.append(f"{group.things[0].line}{more}")
    return lines
