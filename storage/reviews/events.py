"""Events of the review log: their kinds and fields, and what passes from other tools' files stand for.

What follows from them is ``storage.reviews.fold``'s and ``storage.reviews.projections``'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from storage.base.repeats import latest
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
    "imported": ("errors", "rows", "state", "search", "file", "kept", "of", "rated", "segments", "times"),
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
    as_json=lambda event: as_json(event),
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


def expanded(events: Iterable[Event]) -> Iterator[Event]:
    """Yield events in order, a pass from another tool's file as what it stands for: started blind, its errors, done.

    A pass stands for nothing of the segments that a later one of the same evaluation and layer speaks of: it was
    imported again, read by another mapping or with other errors. What was done with its errors then goes too.
    """
    events = list(events)
    passes, gone = passes_of(events)
    standing = {each.event.id: each for each in passes}
    for event in events:
        if event.kind != "imported":
            if event.finding_id not in gone:
                yield event
            continue
        if event.id not in standing:
            continue
        of: dict[str, Any] = {name: getattr(event, name) for name in ("at", "reviewer", "evaluation_id", "counter")}
        yield Event(id=f"{event.id}:blind", kind="blind", finding_id=None, changes={"stage": "started"}, **of)
        for number, error in standing[event.id].errors():
            changes = {name: error[name] for name in FIELDS["error"] if name in error}
            identity = imported_id(event, number)
            yield Event(id=f"{event.id}:{number}", kind="error", finding_id=identity, changes=changes, **of)
        state = {name: event.changes[name] for name in ("state", "search") if event.changes.get(name)}
        if _are_whole(each for each in passes if _of(each.event) == _of(event)):
            state |= {"state": "done", "search": "done"}
        yield Event(id=f"{event.id}:review", kind="review", finding_id=None, changes=state, **of)


@dataclass(frozen=True, slots=True)
class StandingPass:
    """An imported pass as far as it stands. ``lost``: the segments, from 1, of which a later one speaks."""

    event: Event
    lost: frozenset[int] = frozenset()

    def errors(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the errors that stand, each with its number in the pass, from 1."""
        for number, error in enumerate(self.event.changes.get("errors") or (), 1):
            if _segment(error) not in self.lost:
                yield number, error

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield what stands of the rows that are no errors."""
        return (row for row in self.event.changes.get("rows") or () if _segment(row) not in self.lost)

    def rated(self) -> set[int] | None:
        """Return the segments that were looked at and of which it stands; None: all but those that are lost."""
        changes = self.event.changes
        return None if changes.get("state") == "done" else set(changes.get("rated") or ()) - self.lost


def standing_passes(imported: Sequence[Event]) -> list[StandingPass]:
    """Return the imported passes, given in log order, that stand for any segment (`storage.base.repeats`).

    The later stands, segment by segment: by the files' own times, else by the log.
    """
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in imported:
        groups.setdefault(_of(event), []).append(event)
    lost: dict[str, frozenset[int] | None] = {}
    for events in groups.values():
        if len(events) == 1:
            continue
        spoken = {event.id: _spoken_of(event) for event in events}
        wins: dict[str, set[int]] = {event.id: set() for event in events}
        for segment in (_REST, *sorted(set().union(*spoken.values()))):
            about = [e for e in events if segment in spoken[e.id] or e.changes.get("state") == "done"]
            if about:
                wins[about[latest([_time(event, segment) for event in about])].id].add(segment)
        for event in events:
            whole = event.changes.get("state") == "done"
            about_all = {_REST, *set().union(*spoken.values())} if whole else spoken[event.id]
            gone = about_all - wins[event.id]
            lost[event.id] = None if about_all and gone == about_all else frozenset(gone)
    found = ((event, lost.get(event.id, frozenset())) for event in imported)
    return [StandingPass(event, gone) for event, gone in found if gone is not None]


_REST = 0
"""The number that stands for the segments of which no row speaks, in a pass of the whole."""


def _of(event: Event) -> tuple[str, str]:
    return event.evaluation_id, event.reviewer


def _segment(row: dict[str, Any]) -> int:
    return int(row.get("segment", 1))


def _spoken_of(event: Event) -> set[int]:
    """The segments, from 1, that a pass has rows of, or says that they were looked at."""
    rows = (row for name in ("errors", "rows") for row in event.changes.get(name) or ())
    return {*map(_segment, rows), *(event.changes.get("rated") or ())}


def _time(event: Event, segment: int) -> float | None:
    """The time when a segment was rated, as the file says; of the rest of a text the latest time that it says."""
    times: dict[str, float] = event.changes.get("times") or {}
    return max(times.values(), default=None) if segment == _REST else times.get(str(segment))


def _are_whole(passes: Iterable[StandingPass]) -> bool:
    """Tell if the passes of one person on one evaluation come to all of it."""
    rated: set[int] = set()
    segments = 0
    for each in passes:
        if (own := each.rated()) is None:
            return True
        rated |= own
        segments = segments or each.event.changes.get("segments") or 0
    return 0 < segments <= len(rated)


def passes_of(events: Iterable[Event]) -> tuple[list[StandingPass], set[str]]:
    """The imported passes that stand, and the ids of errors that are in none of them any more."""
    imported = [event for event in events if event.kind == "imported"]
    standing = standing_passes(imported)
    if len(imported) == 1:
        return standing, set()
    every = {imported_id(event, n + 1) for event in imported for n in range(len(event.changes.get("errors") or ()))}
    return standing, every - {imported_id(each.event, number) for each in standing for number, _ in each.errors()}


def imported_id(event: Event, number: int) -> str:
    """Return the id of an error of an imported pass, by its number from 1; it is the same whatever the mapping."""
    return f"{event.changes.get('of', event.id)}-{number}"


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
