"""The events of a benchmark that is being built: what one says, and how they are kept.

An event says who, when (UTC), to which candidate, and what changed. Undo and redo are events too, nothing is ever
rewritten, and two libraries' logs are united by their ids.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from storage.db.connection import insert
from storage.db.logs import readable
from storage.reviews.events import LOG_ORDER, Place, undone_ids

BuildKind = Literal[
    "added",
    "revised",
    "decided",
    "settled",
    "assigned",
    "quotas",
    "lengths",
    "filtered",
    "checked_off",
    "time",
    "undo",
    "redo",
]
"""``added``, ``revised``: a version. ``decided``: one person accepts or rejects. ``settled``: what holds where two
differ. ``assigned``: who is to decide on which. ``quotas``: what the benchmark should hold, ``lengths``: how long its
articles should be. ``filtered``: which versions were put under a difficulty filter. ``checked_off``: a check's finding
is all right. ``time``: what was spent.
"""

ACTS: tuple[BuildKind, ...] = (
    "revised",
    "decided",
    "settled",
    "assigned",
    "quotas",
    "lengths",
    "filtered",
    "checked_off",
)
"""The kinds that undo takes back. A candidate that should not have been added is rejected."""


@dataclass(frozen=True, slots=True)
class BuildEvent:
    """One line of the log. ``candidate`` is its key, "" where the event is of none or of many.

    ``changes``: JSON's own types. ``target``: id of the event that undo and redo are of. ``at`` and ``counter``
    are as those of an event of the review log.
    """

    id: str
    at: str
    person: str
    kind: BuildKind
    candidate: str
    changes: dict[str, Any]
    target: str | None = None
    counter: int = 0

    @property
    def place(self) -> Place:
        """The place in the log; of two events the lesser came first."""
        return self.counter, self.at, self.id


def add_build_event(connection: sqlite3.Connection, event: BuildEvent) -> None:
    """Add an event to the log."""
    row = {name: getattr(event, name) for name in ("id", "at", "person", "kind", "candidate", "target", "counter")}
    row["changes"] = json.dumps(event.changes, ensure_ascii=False, sort_keys=True)
    insert(connection, "build_events", [row])


def read_build_events(
    connection: sqlite3.Connection, where: str = "1", values: Sequence[Any] = ()
) -> Iterator[BuildEvent]:
    """Yield events in log order, only those that an SQL condition selects, and none that is unreadable.

    Decisions are not hidden.
    """
    query = f"SELECT {COLUMNS} FROM build_events WHERE ({where}) AND {readable('build_events')} ORDER BY {LOG_ORDER}"
    for identity, at, person, kind, key, changes, *rest in connection.execute(query, values):
        yield BuildEvent(identity, at, person, kind, key, json.loads(changes), *rest)


COLUMNS = "id, at, person, kind, candidate, changes, target, counter"


def standing_events(connection: sqlite3.Connection, kind: BuildKind) -> list[BuildEvent]:
    """Return the events of one kind that are not undone, in log order."""
    events = list(read_build_events(connection, "kind IN (?, 'undo', 'redo')", (kind,)))
    undone = undone_ids(events)
    return [event for event in events if event.kind == kind and event.id not in undone]
