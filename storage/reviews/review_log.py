"""The human record: an append-only log of events, and the acts of one reviewer on it.

An event says who, when (UTC, by the clock), about what, and which fields changed; fields that did not change are absent
and ``null`` takes a change back. Its counter says where it stands in the log, whatever the clock does. Undo and redo
are events too. Nothing is ever rewritten.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from judges.metric_s.contradictions import ActKind, Statements
from judges.model import ReviewState
from storage.db.connection import at_once
from storage.log.writer import LogWriter
from storage.reviews.events import ACTS, EVENTS, POINT, Event, Kind
from storage.reviews.fold import Review
from storage.reviews.projections import Derived, blind_beside, derive
from storage.reviews.review_state import JudgedRecord, ReviewFold, judged_of, read_fold, read_review


class Entry(NamedTuple):
    """An act that was written, and all that follows from its reviewer's events on the evaluation from then on."""

    event: Event
    fold: ReviewFold


class ReviewLog(LogWriter[Event]):
    """The acts of one reviewer on the log of one database. Every act is committed when its method returns."""

    def __init__(self, connection: sqlite3.Connection, reviewer: str, guideline: str = "") -> None:
        """``reviewer``: the layer to write; ``guideline``: the version of the guideline that is kept with each act."""
        super().__init__(connection, EVENTS, reviewer=reviewer, guideline=guideline)
        self.reviewer = reviewer
        self.guideline = guideline
        self._judged: tuple[str, JudgedRecord] | None = None
        """The judge's record of the evaluation that was written of last."""
        self._derived_last: tuple[tuple[str, int, int], Derived] | None = None
        """The last that was derived, and how the log stood then."""

    def act(
        self,
        kind: ActKind,
        evaluation_id: str,
        subject: str,
        changes: Mapping[str, Any],
        seen: Statements,
        check: Callable[[], None] = lambda: None,
    ) -> Entry:
        """Record an act and, as one with it, that all is taken back which cannot stand beside it; return the act.

        ``seen``: what the reviewer had before them, to which the act is applied. ``check``: raises, in the transaction
        of the act, where that is not to be.
        """
        gave: dict[str, dict[str, Any]] = {}
        for each in seen.apply(kind, subject, changes):
            gave.setdefault(each.subject, {})[each.field] = each.now
        changes = {**changes, **gave.pop(subject, {})}
        if not gave:
            return self._append(kind, evaluation_id, subject or None, changes, check)
        with self.as_one():
            check()
            for other, fields in gave.items():
                self._say("verdict" if other in seen.verdicts else "error", evaluation_id, other, fields)
            return self._append(kind, evaluation_id, subject or None, changes)

    def decide(self, evaluation_id: str, finding_id: str, **changes: Any) -> Entry:
        """Record what changed in the verdict on a finding (``decision``, ``severity``, …; None takes it back)."""
        return self._append("verdict", evaluation_id, finding_id, changes)

    def mark(self, evaluation_id: str, error_id: str | None = None, **changes: Any) -> Entry:
        """Record an error of the reviewer's own, or what changed in one; its id is the event's ``finding_id``."""
        return self._append("error", evaluation_id, error_id or os.urandom(10).hex(), changes)

    def set_point(self, evaluation_id: str, number: int, **changes: Any) -> Entry:
        """Record what changed in the verdict on a rubric point that is no finding."""
        return self._append("point", evaluation_id, f"{POINT}{number}", changes)

    def set_state(self, evaluation_id: str, state: ReviewState, reason: str | None = None) -> Entry | None:
        """Record that the evaluation is done, skipped (with a reason), or in progress again; None if it is already."""
        return self.set_review(evaluation_id, state=state, reason=reason)

    def set_review(self, evaluation_id: str, **wanted: str | None) -> Entry | None:
        """Record the fields of the review that differ from what they are; None if none does.

        ``state`` with its ``reason``, ``search``, ``instruction``.
        """
        now = self.review(evaluation_id)
        changes = {name: value for name, value in wanted.items() if value != getattr(now, name)}
        return self._append("review", evaluation_id, None, changes) if changes else None

    def review(self, evaluation_id: str) -> Review:
        """The state of the reviewer's work on an evaluation."""
        return read_review(self.connection, evaluation_id, self.reviewer)

    def read(self, evaluation_id: str) -> ReviewFold:
        """Return all that the reviewer has said of an evaluation, as it stands."""
        return read_fold(self.connection, evaluation_id, self.reviewer, self._judged_of(evaluation_id))

    def open(self, evaluation_id: str, *, hidden: bool = False) -> ReviewFold:
        """Record that the reviewer looked at an evaluation, once, and return all that they have said of it.

        ``hidden``: without the judge's record.
        """
        found = self.read(evaluation_id)
        if found.review.state != "not_opened":
            return found
        if hidden:
            return self._append("blind", evaluation_id, None, {"stage": "started"}).fold
        return self._append("opened", evaluation_id, None, {}).fold

    def reveal(self, evaluation_id: str) -> None:
        """Record that the reviewer is shown the judge's record from now on; this cannot be undone."""
        if self.review(evaluation_id).blind == "started":
            self._append("blind", evaluation_id, None, {"stage": "revealed"})

    def hide(self, blinding: str) -> None:
        """Record what the reviewer chooses not to see from now on (``storage.reviews.blinding``)."""
        with at_once(self.connection):
            self._say("hiding", "", None, {"blinding": blinding})

    def spend(self, evaluation_id: str, seconds: Mapping[str, float]) -> None:
        """Record the seconds spent on findings and errors of an evaluation; ``""``: on none of them."""
        self._append("time", evaluation_id, None, {"seconds": dict(seconds)})

    def undo(self) -> Entry | None:
        """Take back the reviewer's latest standing act, wherever it was, and return that act (None: nothing left)."""
        with at_once(self.connection):
            return self._derived(self._take_back())

    def redo(self) -> Entry | None:
        """Restore the act that was undone last, if no new act came since, and return it."""
        with at_once(self.connection):
            return self._derived(self._restore())

    def _append(
        self,
        kind: Kind,
        evaluation_id: str,
        finding_id: str | None,
        changes: dict[str, Any],
        check: Callable[[], None] = lambda: None,
    ) -> Entry:
        last, self._derived_last = self._derived_last, None
        with at_once(self.connection):
            check()
            stood = self._stands(evaluation_id)
            event = self._say(kind, evaluation_id, finding_id, changes)
            before = last[1] if last and last[0] == stood else None
            if before and before.fold.events[-1].place > event.place:
                before = None  # past the highest counter, clocks decide
            found = self._derive(event, before)
        if not self.connection.in_transaction:  # else it may be taken back yet
            evaluation, version, count = stood
            self._derived_last = (evaluation, version, count + 1), found
        return Entry(event, found.fold)

    def _stands(self, evaluation_id: str) -> tuple[str, int, int]:
        """Return how the log stands for an evaluation: whether others have written, how many events there are.

        Events are only added: where both are as they were, nothing was said since.
        """
        query = (
            "SELECT (SELECT data_version FROM pragma_data_version), count(*) FROM events "
            "WHERE evaluation_id = ? AND reviewer = ?"
        )
        return evaluation_id, *self.connection.execute(query, (evaluation_id, self.reviewer)).fetchone()

    def _say(self, kind: Kind, evaluation_id: str, finding_id: str | None, changes: dict[str, Any]) -> Event:
        """Add an event to the log; the last of an act is followed by ``_derive``."""
        return self._add(
            Event(
                **self._stamp(),
                kind=kind,
                evaluation_id=evaluation_id,
                finding_id=finding_id,
                changes=changes,
                target=self._one_act if kind in ACTS else None,
            )
        )

    def _derived(self, done: tuple[Event, Event] | None) -> Entry | None:
        """The act that was undone or redone, and what follows from that."""
        return Entry(done[0], self._derive(done[1]).fold) if done else None

    def _derive(self, event: Event, before: Derived | None = None) -> Derived:
        """Bring up to date what follows from the events on an evaluation, of which this one was added last.

        ``before``: what followed until then, if that is known.
        """
        judged = self._judged_of(event.evaluation_id)
        found = derive(self.connection, event.evaluation_id, self.reviewer, judged, before, EVENTS.as_read(event))
        if found.fold.shown == event.place:  # it ends blind passes, which no later one does
            for other in blind_beside(self.connection, event.evaluation_id, self.reviewer):
                derive(self.connection, *other)
        return found

    def _judged_of(self, evaluation_id: str) -> JudgedRecord:
        """The judge's record of an evaluation, read once, as it never changes; it may not be there yet."""
        if self._judged is None or self._judged[0] != evaluation_id:
            found = judged_of(self.connection, evaluation_id)
            if found.state is None:
                return found
            self._judged = evaluation_id, found
        return self._judged[1]
