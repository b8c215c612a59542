"""Events of a log, the order they stand in, and the tables of the two logs: reviews, and a benchmark in the making.

Nothing is ever rewritten: undo and redo are events too. Two libraries' logs are united by the events' ids.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, get_args

from storage.db.connection import insert
from storage.db.rows import RowMapper

Log = Literal["events", "build_events"]
"""The tables of the two logs."""
LOGS: tuple[Log, ...] = get_args(Log)

Place: TypeAlias = tuple[int, str, str]
"""A place in the order of both logs: counter, time, id."""

LATEST_FIRST = "counter DESC, at DESC, id DESC"
"""The order of a log backwards, as columns in SQL."""

HIGHEST_COUNTER = (1 << 53) - 1
"""The largest counter; events that come after it are told apart by their times."""


def readable(log: Log, alias: str = "") -> str:
    """Return the SQL condition that an event of a log is readable; ``alias``: the name that the query gives the log."""
    return f"{alias and f'{alias}.'}id NOT IN (SELECT id FROM unreadable WHERE record = '{log}')"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEvent:
    """One line of a log. A log adds whose act it is, and what it is of.

    ``at``: the time by the clock, in UTC. ``changes``: JSON's own types, only the fields that changed. ``target``: the
    act that undo or redo is of; acts that were done as one have the same, which is the id of nothing else. ``counter``
    is one more than any that the logs had when the event was added, so that order needs no clock; 0: it is of an
    earlier program, whose events are in the order of their times.
    """

    id: str
    at: str
    kind: str
    changes: dict[str, Any]
    target: str | None = None
    counter: int = 0

    @property
    def place(self) -> Place:
        """The place in the log; of two events the lesser came first."""
        return self.counter, self.at, self.id


E = TypeVar("E", bound=LoggedEvent)


def undone_ids(events: Iterable[LoggedEvent]) -> set[str]:
    """Return the ids of acts that are undone at the end of a log's events, which must be in log order."""
    undone: set[str] = set()
    for event in events:
        if event.kind == "undo" and event.target:
            undone.add(event.target)
        elif event.kind == "redo" and event.target:
            undone.discard(event.target)
    return undone


class EventTable(Generic[E]):
    """One of the two logs: its table, whose columns are the fields of its events.

    ``person``, ``subject``: the columns of who acted, and of what the act is of. ``acts``: the kinds that undo takes
    back. ``undone``: the ids of the acts that are undone, as an SQL query. ``as_json``: an event as files have it.
    """

    def __init__(
        self,
        name: Log,
        event: type[E],
        *,
        person: str,
        subject: str,
        acts: Sequence[str],
        undone: str,
        as_json: Callable[[E], dict[str, Any]],
    ) -> None:
        self.name: Log = name
        self.event = event
        self.person = person
        self.subject = subject
        self.acts = tuple(acts)
        self.undone = undone
        self._as_json = as_json
        self._rows = RowMapper(event)
        self.columns = self._rows.columns

    @property
    def acts_clause(self) -> str:
        """The condition that an event is an act, in SQL."""
        return f"kind IN ({', '.join(map(repr, self.acts))})"

    def add(self, connection: sqlite3.Connection, event: E) -> bool:
        """Add an event to the log; return False, changing nothing, if the log has it already."""
        return bool(insert(connection, self.name, [self._rows.row_of(event)], or_ignore=True))

    def line(self, event: E) -> bytes:
        """Return an event as a line of the log's file form, in UTF-8."""
        return json.dumps(self._as_json(event), ensure_ascii=False).encode()

    def as_read(self, event: E) -> E:
        """Return an event as it is read once it was added: its changes are of JSON's own types."""
        return self._rows.value_of(list(self._rows.row_of(event).values()))

    def read(
        self, connection: sqlite3.Connection, where: str = "1", values: Sequence[Any] | Mapping[str, Any] = ()
    ) -> Iterator[E]:
        """Yield events in log order, optionally only those that an SQL condition selects; none that is unreadable."""
        order = "+counter, +at, +id"  # + : not by way of all of a person's
        return map(self._rows.value_of, connection.execute(f"{self._select(where)} ORDER BY {order}", values))

    def latest(
        self, connection: sqlite3.Connection, where: str, values: Sequence[Any] | Mapping[str, Any] = ()
    ) -> E | None:
        """Return the last event that an SQL condition selects and that is readable; None: there is none."""
        row = connection.execute(f"{self._select(where)} ORDER BY {LATEST_FIRST} LIMIT 1", values).fetchone()
        return self._rows.value_of(row) if row else None

    def by_id(self, connection: sqlite3.Connection, identity: str) -> E | None:
        """Return the event with this id, be it readable or not; None: there is none."""
        query = f"SELECT {self._rows.select} FROM {self.name} WHERE id = ?"
        row = connection.execute(query, (identity,)).fetchone()
        return self._rows.value_of(row) if row else None

    def _select(self, where: str) -> str:
        return f"SELECT {self._rows.select} FROM {self.name} WHERE ({where}) AND {readable(self.name)}"


def next_counter(connection: sqlite3.Connection) -> int:
    """Return the counter of the event that is added next, to either log. Call inside the transaction that adds it."""
    return min(1 + int(connection.execute(_COUNTED).fetchone()[0]), HIGHEST_COUNTER)


_COUNTED = f"SELECT max({', '.join(f'(SELECT coalesce(max(counter), 0) FROM {log})' for log in LOGS)})"
