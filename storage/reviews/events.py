"""Events of the review log: their kinds and fields, and what passes from other tools' files stand for.

What follows from them is ``storage.reviews.fold``'s and ``storage.reviews.projections``'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from storage.log.events import EventTable, LoggedEvent, readable

Kind = Literal["verdict", "error", "point", "review", "opened", "blind", "imported", "hiding", "time", "undo", "redo"]
"""``verdict``: of a judge's finding. ``error``: one that the reviewer marked. ``point``: of a rubric point that is
no finding. ``review``: of a whole evaluation. ``opened``: it was looked at, ``blind``: without the judge's record, or
that was shown then. ``imported``: a whole blind pass that came from another tool's file. ``hiding``: what they choose
not to see from then on, which is of no one evaluation. ``time``: what was spent."""

ACTS: tuple[Kind, ...] = ("verdict", "error", "point", "review")
"""The kinds that undo takes back."""

FIELDS: dict[Kind, tuple[str, ...]] = {
    "verdict": (
        *("decision", "severity", "category", "dimension", "duplicate_of", "repeat_of", "spans", "invented"),
        *("matches", "note"),
    ),
    "error": (
        *("dimension", "category", "severity", "spans", "repeat_of", "missed", "note", "removed"),
        *("category_label", "severity_label"),
    ),
    "point": ("decision", "note"),
    "review": ("state", "reason", "search", "instruction"),
    "opened": (),
    "blind": ("stage",),
    "imported": ("errors", "rows", "state", "search", "file", "kept", "of"),
    "hiding": ("blinding",),
    "time": ("seconds",),
    "undo": (),
    "redo": (),
}

POINT = "point:"
"""The text before the number of a rubric point, where an event is of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(LoggedEvent):
    """One line of the review log. ``changes``: None takes a change back.

    ``reviewer`` is a layer (``storage.reviews.layers``). ``finding_id`` is what a verdict is of: a finding's id, the id
    of an error that the reviewer marked, or ``point:N``. ``guideline``: the version of the guideline that was gone by.
    ``evaluation_id`` is empty where the event is of no one evaluation.
    """

    kind: Kind
    reviewer: str
    evaluation_id: str
    finding_id: str | None
    guideline: str = ""


EVENTS = EventTable(
    "events",
    Event,
    person="reviewer",
    subject="evaluation_id",
    acts=ACTS,
    undone="SELECT event_id FROM undone",
)
"""The review log."""
read_events = EVENTS.read
add_event = EVENTS.add


def contradicted(connection: sqlite3.Connection, events: Iterable[Event]) -> list[str]:
    """Return the ids under which the log holds something else than these events say, each once."""
    here = ((event, EVENTS.by_id(connection, event.id)) for event in events)
    return list(dict.fromkeys(event.id for event, kept in here if kept is not None and kept != event))


def unknown_evaluations(connection: sqlite3.Connection) -> int:
    """Return how many evaluations the log has events of that are not in the library, or not yet."""
    return int(
        connection.execute(
            "SELECT count(DISTINCT evaluation_id) FROM events WHERE evaluation_id <> '' "
            f"AND evaluation_id NOT IN (SELECT id FROM evaluations) AND {readable('events')}"
        ).fetchone()[0]
    )


def latest_entry(connection: sqlite3.Connection) -> int:
    """Return the number of the entry that came into the log last, of whomever; 0 if there is none."""
    return int(connection.execute("SELECT coalesce(max(rowid), 0) FROM events").fetchone()[0])


@contextmanager
def checked_entries(connection: sqlite3.Connection) -> Iterator[None]:
    """Remember of many events that are added within, if all were looked at before, that these are what they must be."""
    before = latest_entry(connection)
    yield
    connection.execute(
        "UPDATE checked SET events = ?1 WHERE events = ?2 AND ?1 >= ?2 + ?3",
        (latest_entry(connection), before, MANY),
    )


MANY = 1_000
"""Events that were looked at, from which on it is worth a write to remember that they were."""


def latest_hiding(connection: sqlite3.Connection, reviewer: str) -> str | None:
    """Return what a reviewer chose last not to see; None: they never chose."""
    found = None
    for event in read_events(connection, "evaluation_id = '' AND reviewer = ? AND kind = 'hiding'", (reviewer,)):
        found = event.changes.get("blinding")
    return found


def expanded(events: Iterable[Event]) -> Iterator[Event]:
    """Yield events in order, a pass from another tool's file as what it stands for: started blind, its errors, done.

    A pass stands for nothing once a later one of the same evaluation and layer speaks of the same segments: it was
    imported again, read by another mapping or with other errors. What was done with its errors then goes too.
    """
    events = list(events)
    standing, gone = passes_of(events)
    for event in events:
        if event.kind != "imported":
            if begins(event.finding_id) not in gone:
                yield event
            continue
        if event not in standing:
            continue
        of: dict[str, Any] = {name: getattr(event, name) for name in ("at", "reviewer", "evaluation_id", "counter")}
        yield Event(id=f"{event.id}:blind", kind="blind", finding_id=None, changes={"stage": "started"}, **of)
        for number, error in enumerate(event.changes.get("errors") or (), 1):
            changes = {name: error[name] for name in FIELDS["error"] if name in error}
            identity = imported_id(event, number)
            yield Event(id=f"{event.id}:{number}", kind="error", finding_id=identity, changes=changes, **of)
        state = {name: event.changes[name] for name in ("state", "search") if event.changes.get(name)}
        yield Event(id=f"{event.id}:review", kind="review", finding_id=None, changes=state, **of)


def standing_passes(imported: Sequence[Event]) -> list[Event]:
    """Return the imported passes, given in log order, that no later one of the same layer takes the place of."""
    later: dict[tuple[str, str], list[set[int]]] = {}
    standing = []
    for event in reversed(imported):
        rows = [row for name in ("errors", "rows") for row in event.changes.get(name) or ()]
        whole = event.changes.get("state") == "done"
        spoken = _EVERY if whole else {row.get("segment", 0) for row in rows}
        others = later.setdefault((event.evaluation_id, event.reviewer), [])
        if not any(other is _EVERY or spoken is _EVERY or spoken & other for other in others):
            standing.append(event)
        others.append(spoken)
    return standing[::-1]


def passes_of(events: Iterable[Event]) -> tuple[list[Event], set[str]]:
    """The imported passes that stand, and what the ids of errors begin with that are in none of them any more."""
    imported = [event for event in events if event.kind == "imported"]
    standing = standing_passes(imported)
    return standing, {_base(event) for event in imported} - {_base(event) for event in standing}


_EVERY: set[int] = set()
"""The set in the place of all segments there are."""


def imported_id(event: Event, number: int) -> str:
    """Return the id of an error of an imported pass, by its number from 1; it is the same whatever the mapping."""
    return f"{_base(event)}-{number}"


def _base(event: Event) -> str:
    return str(event.changes.get("of", event.id))


def begins(error_id: str | None) -> str:
    """Return what the id of an error of an imported pass begins with; "" for any other."""
    return (error_id or "").rpartition("-")[0]


def as_json(event: Event) -> dict[str, Any]:
    """Return an event as one JSON object of the log's file form, without the fields that are absent."""
    row: dict[str, Any] = {
        "id": event.id,
        "at": event.at,
        "reviewer": event.reviewer,
        "kind": event.kind,
    }
    if event.evaluation_id:
        row["evaluation"] = event.evaluation_id
    if event.finding_id is not None:
        row["finding"] = event.finding_id
    if event.target is not None:
        row["target"] = event.target
    if FIELDS[event.kind]:
        row["changes"] = event.changes
    if event.guideline:
        row["guideline"] = event.guideline
    if event.counter:
        row["counter"] = event.counter
    return row
