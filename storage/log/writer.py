"""Acts of one person on a log: each with its id, its time and its counter, several as one, undone and redone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Literal, TypeVar

from storage.base.text import utc
from storage.db.connection import at_once, note_act
from storage.log.events import EventTable, LoggedEvent, Place, next_counter

E = TypeVar("E", bound=LoggedEvent)


class LogWriter(Generic[E]):
    """One person's acts on the log of one database."""

    def __init__(self, connection: sqlite3.Connection, table: EventTable[E], **signed: str) -> None:
        """``signed``: what each event says of the person, by field."""
        self.connection = connection
        self._table = table
        self._signed = signed
        self._one_act: str | None = None
        self._place: tuple[int, datetime] | None = None
        """The place of the last part of one act: no act of another copy comes between two parts."""

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """Make the acts within, on one subject, one: on disk together or not at all, undone and redone together."""
        if self._one_act:
            yield
            return
        with at_once(self.connection):
            self._one_act = os.urandom(16).hex()
            self._place = None
            try:
                yield
            finally:
                self._one_act = self._place = None

    def last(self) -> E | None:
        """Return the person's latest standing act, wherever it was; None: there is none."""
        return self._latest(f"{self._table.acts_clause} AND id NOT IN ({self._table.undone})")

    def last_undo(self) -> Place:
        """Return the place in the log of the person's latest undo; the place before all where there is none."""
        event = self._latest("kind = 'undo'")
        return event.place if event else (0, "", "")

    def _take_back(self) -> tuple[E, E] | None:
        """Undo the latest standing act; return it, and the last event of the undo. Call inside a transaction."""
        act = self.last()
        if act is None:
            return None
        return act, self._follow("undo", self._parts(act)[::-1])

    def _restore(self) -> tuple[E, E] | None:
        """Redo the act that was undone last, if no new act came since; return it, and the last event of the redo.

        Call inside a transaction.
        """
        undo = self._latest(f"kind = 'undo' AND target IN ({self._table.undone})")
        since = self._latest(self._table.acts_clause)
        if undo is None or (since and since.place > undo.place):
            return None
        act = self._latest(f"{self._table.acts_clause} AND id = :id", id=undo.target)
        if act is None:
            return None
        parts = self._parts(act)
        return parts[-1], self._follow("redo", parts)

    def _follow(self, kind: Literal["undo", "redo"], parts: Sequence[E]) -> E:
        """Take back or restore the parts of one act, one after the other; return the last event of it."""
        for part in parts:
            event = self._add(replace(part, **self._stamp(), kind=kind, changes={}, target=part.id))
        return event

    def _parts(self, act: E) -> list[E]:
        """Return what was done as one with an act, that among it, in order."""
        if act.target is None:
            return [act]
        subject = self._table.subject
        where = f"{subject} = :subject AND {self._of_person} AND target = :target AND {self._table.acts_clause}"
        values = {"subject": getattr(act, subject), "person": self._person, "target": act.target}
        return list(self._table.read(self.connection, where, values))

    def _latest(self, where: str, **values: str | None) -> E | None:
        """The latest of the person's events that an SQL condition selects."""
        return self._table.latest(self.connection, f"{self._of_person} AND {where}", {"person": self._person, **values})

    @property
    def _person(self) -> str:
        return self._signed[self._table.person]

    @property
    def _of_person(self) -> str:
        return f"{self._table.person} = :person"

    def _stamp(self) -> dict[str, Any]:
        """Return what the event that is added next says of the act: its id, its time, its counter, and whose it is."""
        now = datetime.now(UTC)
        if self._place is None:
            counter = next_counter(self.connection)
        else:
            counter, before = self._place
            now = max(now, before + timedelta(microseconds=1))  # parts of one act are told apart by their times
        if self._one_act:
            self._place = counter, now
        return {"id": os.urandom(16).hex(), "at": utc(now), "counter": counter, **self._signed}

    def _add(self, event: E) -> E:
        """Add an event to the log, and keep it in memory in case the file is lost."""
        self._table.add(self.connection, event)
        note_act(self.connection, self._table.line(event))
        return event
