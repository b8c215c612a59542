"""The two logs of a library: their tables, and the SQL that leaves out what nothing can be made of."""

from __future__ import annotations

from typing import Literal, get_args

Log = Literal["events", "build_events"]
"""The tables of the two logs."""


LOGS: tuple[Log, ...] = get_args(Log)


def readable(log: Log, alias: str = "") -> str:
    """Return the SQL condition that an event of a log is readable; ``alias``: the name that the query gives the log."""
    return f"{alias and f'{alias}.'}id NOT IN (SELECT id FROM unreadable WHERE record = '{log}')"
