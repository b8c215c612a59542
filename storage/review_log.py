"""The human record: an append-only log of events, and the present state that follows from it.

An event says who, when (UTC), about what, and which fields changed; fields that did not change are absent and
``null`` takes a change back. Undo and redo are events too. Nothing is ever rewritten: the tables ``verdicts``,
``reviews`` and ``undone`` are derived and can be rebuilt from the log at any time (``rebuild``).
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from judges.metric_s.scoring import Weights, reviewed, score
from judges.model import NO_VERDICT, Finding, ReviewState, Score, Verdict
from storage.connection import insert, transaction
from storage.library import read_signature
from storage.text import utc

Kind = Literal["verdict", "review", "opened", "undo", "redo"]
"""``verdict``: of a finding. ``review``: of a whole evaluation (done, skipped…). ``opened``: it was looked at."""

ACTS: tuple[Kind, ...] = ("verdict", "review")
"""The kinds that undo takes back."""

FIELDS: dict[Kind, tuple[str, ...]] = {
    "verdict": ("decision", "severity", "category", "dimension", "duplicate_of", "note"),
    "review": ("state", "reason"),
    "opened": (),
    "undo": (),
    "redo": (),
}


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log. ``changes`` holds only the fields that changed; ``target`` is what undo or redo is of."""

    id: str
    at: str
    reviewer: str
    kind: Kind
    evaluation_id: str
    finding_id: str | None
    changes: dict[str, Any]
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """The state of one reviewer's work on one evaluation."""

    state: ReviewState = "not_opened"
    reason: str | None = None


def undone_ids(events: Iterable[Event]) -> set[str]:
    """Return the ids of acts that are undone at the end of the events, which must be in log order."""
    undone: set[str] = set()
    for event in events:
        if event.kind == "undo" and event.target:
            undone.add(event.target)
        elif event.kind == "redo" and event.target:
            undone.discard(event.target)
    return undone


def fold_verdict(events: Iterable[Event]) -> Verdict:
    """Return the verdict that follows from one reviewer's standing ``verdict`` events on one finding, in order."""
    state: dict[str, Any] = {}
    for event in events:
        state.update(event.changes)
    return Verdict(**{name: state.get(name) for name in FIELDS["verdict"]})


def fold_review(events: Sequence[Event], touched: bool) -> Review:
    """Return the review state that follows from one reviewer's standing ``review`` events on one evaluation.

    ``touched``: she opened it or gave a verdict in it, which alone makes it ``in_progress``.
    """
    state: dict[str, Any] = {}
    for event in events:
        state.update(event.changes)
    named = cast("ReviewState", state.get("state") or ("in_progress" if touched else "not_opened"))
    return Review(named, state.get("reason"))


class ReviewLog:
    """One reviewer's hand on the log of one database. Every act is committed when its method returns."""

    def __init__(self, connection: sqlite3.Connection, reviewer: str) -> None:
        self.connection = connection
        self.reviewer = reviewer

    def decide(self, evaluation_id: str, finding_id: str, **changes: Any) -> Event:
        """Record what changed in the verdict on a finding (``decision``, ``severity``, …; None takes it back)."""
        return self._append("verdict", evaluation_id, finding_id, changes)

    def set_state(self, evaluation_id: str, state: ReviewState, reason: str | None = None) -> Event | None:
        """Record that the evaluation is done, skipped (with a reason), or in progress again; None if it is already."""
        now = self.review(evaluation_id)
        wanted = {"state": state, "reason": reason}
        changes = {name: value for name, value in wanted.items() if value != getattr(now, name)}
        return self._append("review", evaluation_id, None, changes) if changes else None

    def review(self, evaluation_id: str) -> Review:
        """The state of the reviewer's work on an evaluation."""
        row = self.connection.execute(
            "SELECT state, reason FROM reviews WHERE evaluation_id = ? AND reviewer = ?", (evaluation_id, self.reviewer)
        ).fetchone()
        return Review(*row) if row else Review()

    def open(self, evaluation_id: str) -> None:
        """Record that the reviewer looked at an evaluation, once."""
        if self.review(evaluation_id).state == "not_opened":
            self._append("opened", evaluation_id, None, {})

    def undo(self) -> Event | None:
        """Take back the reviewer's latest standing act, wherever it was, and return that act (None: nothing left)."""
        with transaction(self.connection):
            act = self._one(
                "kind IN ('verdict', 'review') AND id NOT IN (SELECT event_id FROM undone) ORDER BY at DESC, id DESC"
            )
            if act:
                self._write(self._event("undo", act.evaluation_id, act.finding_id, {}, act.id))
        return act

    def redo(self) -> Event | None:
        """Restore the act that was undone last, if no new act came since, and return it."""
        with transaction(self.connection):
            act = self._one(
                "kind IN ('verdict', 'review') AND id IN (SELECT event_id FROM undone) AND id = ("
                " SELECT u.target FROM events u WHERE u.reviewer = events.reviewer AND u.kind = 'undo'"
                " AND u.target IN (SELECT event_id FROM undone)"
                " AND u.at > coalesce((SELECT max(a.at) FROM events a WHERE a.reviewer = u.reviewer"
                "  AND a.kind IN ('verdict', 'review')), '')"
                " ORDER BY u.at DESC, u.id DESC LIMIT 1)"
            )
            if act:
                self._write(self._event("redo", act.evaluation_id, act.finding_id, {}, act.id))
        return act

    def _append(self, kind: Kind, evaluation_id: str, finding_id: str | None, changes: dict[str, Any]) -> Event:
        with transaction(self.connection):
            event = self._event(kind, evaluation_id, finding_id, changes)
            self._write(event)
        return event

    def _event(
        self, kind: Kind, evaluation_id: str, finding_id: str | None, changes: dict[str, Any], target: str | None = None
    ) -> Event:
        return Event(os.urandom(16).hex(), self._now(), self.reviewer, kind, evaluation_id, finding_id, changes, target)

    def _now(self) -> str:
        # Strictly later than this reviewer's last event, whatever the clock does: the order of the log is its time.
        last = self.connection.execute("SELECT max(at) FROM events WHERE reviewer = ?", (self.reviewer,)).fetchone()[0]
        now = datetime.now(UTC)
        if last and (after := datetime.fromisoformat(last) + timedelta(microseconds=1)) > now:
            now = after
        return utc(now)

    def _one(self, where: str) -> Event | None:
        row = self.connection.execute(
            f"SELECT {_COLUMNS} FROM events WHERE reviewer = ? AND {where} LIMIT 1", (self.reviewer,)
        ).fetchone()
        return _event(row) if row else None

    def _write(self, event: Event) -> None:
        _add(self.connection, event)
        derive(self.connection, event.evaluation_id, event.reviewer, event.finding_id)


_COLUMNS = "id, at, reviewer, kind, evaluation_id, finding_id, changes, target"


def _event(row: Sequence[Any]) -> Event:
    identity, at, reviewer, kind, evaluation_id, finding_id, changes, target = row
    return Event(identity, at, reviewer, kind, evaluation_id, finding_id, json.loads(changes), target)


def _add(connection: sqlite3.Connection, event: Event) -> bool:
    """Add an event to the log; return False, changing nothing, if the log has it already."""
    row = {
        "id": event.id,
        "at": event.at,
        "reviewer": event.reviewer,
        "kind": event.kind,
        "evaluation_id": event.evaluation_id,
        "finding_id": event.finding_id,
        "changes": json.dumps(event.changes, ensure_ascii=False, sort_keys=True),
        "target": event.target,
    }
    return bool(insert(connection, "events", [row], or_ignore=True))


def read_events(connection: sqlite3.Connection, where: str = "1", values: Sequence[Any] = ()) -> Iterator[Event]:
    """Yield events in log order (time, then id), optionally only those that an SQL condition selects."""
    query = f"SELECT {_COLUMNS} FROM events WHERE {where} ORDER BY at, id"
    return map(_event, connection.execute(query, values))


def unknown_evaluations(connection: sqlite3.Connection) -> int:
    """Return how many evaluations the log has events of that are not in the library, or not yet."""
    return int(
        connection.execute(
            "SELECT count(DISTINCT evaluation_id) FROM events WHERE evaluation_id NOT IN (SELECT id FROM evaluations)"
        ).fetchone()[0]
    )


def derive(connection: sqlite3.Connection, evaluation_id: str, reviewer: str, finding_id: str | None) -> None:
    """Bring the derived tables up to date for one finding (or none) and its evaluation. Call inside a transaction."""
    events = list(
        read_events(
            connection,
            "evaluation_id = ? AND reviewer = ? AND (finding_id IS ? OR finding_id IS NULL)",
            (evaluation_id, reviewer, finding_id),
        )
    )
    undone = undone_ids(events)
    for event in events:
        if event.kind in ACTS:
            if event.id in undone:
                connection.execute("INSERT OR IGNORE INTO undone VALUES (?)", (event.id,))
            else:
                connection.execute("DELETE FROM undone WHERE event_id = ?", (event.id,))
    standing = [event for event in events if event.kind in ACTS and event.id not in undone]
    if finding_id is not None:
        _derive_verdict(connection, evaluation_id, reviewer, finding_id, standing)
    _derive_review(connection, evaluation_id, reviewer, events, standing)


def derive_waiting(connection: sqlite3.Connection, stored: str, values: Sequence[Any] = ()) -> None:
    """Derive what follows from events that were here before their evaluations. Call inside a transaction.

    ``stored`` selects the ids of evaluations that are new: verdicts may have come, from another's log, before them.
    """
    waiting = connection.execute(
        f"SELECT DISTINCT evaluation_id, reviewer, finding_id FROM events WHERE evaluation_id IN ({stored})", values
    ).fetchall()
    for evaluation_id, reviewer, finding_id in waiting:
        derive(connection, evaluation_id, reviewer, finding_id)


def _derive_verdict(
    connection: sqlite3.Connection, evaluation_id: str, reviewer: str, finding_id: str, standing: list[Event]
) -> None:
    mine = [event for event in standing if event.finding_id == finding_id]
    verdict = fold_verdict(mine)
    if verdict == NO_VERDICT:
        connection.execute(
            "DELETE FROM verdicts WHERE evaluation_id = ? AND reviewer = ? AND finding_id = ?",
            (evaluation_id, reviewer, finding_id),
        )
        return
    values = [getattr(verdict, name) for name in FIELDS["verdict"]]
    connection.execute(
        "INSERT OR REPLACE INTO verdicts (evaluation_id, reviewer, finding_id, decision, severity, category, "
        "dimension, duplicate_of, note, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (evaluation_id, reviewer, finding_id, *values, mine[-1].at),
    )


def _derive_review(
    connection: sqlite3.Connection, evaluation_id: str, reviewer: str, events: list[Event], standing: list[Event]
) -> None:
    verdicts = verdicts_of(connection, evaluation_id, reviewer)
    opened = any(event.kind == "opened" for event in events)
    review = fold_review([event for event in standing if event.finding_id is None], opened or bool(verdicts))
    decided = unsure = 0
    row = connection.execute("SELECT state, signature_id FROM evaluations WHERE id = ?", (evaluation_id,)).fetchone()
    human: Score | None = None
    if row:
        findings = findings_of(connection, evaluation_id)
        for identity, finding in findings.items():
            decision = verdicts[identity].decision if identity in verdicts else None
            decided += finding.kept and decision is not None
            unsure += finding.kept and decision == "unsure"
        if row[0] == "scored":
            human = human_score(findings, verdicts, read_signature(connection, row[1])[1])
    latest = connection.execute(
        "SELECT max(at) FROM events WHERE evaluation_id = ? AND reviewer = ?", (evaluation_id, reviewer)
    ).fetchone()[0]
    if review.state == "not_opened":
        connection.execute("DELETE FROM reviews WHERE evaluation_id = ? AND reviewer = ?", (evaluation_id, reviewer))
        return
    points = (human.accuracy, human.fluency, human.appropriateness, human.total) if human else (None,) * 4
    connection.execute(
        "INSERT OR REPLACE INTO reviews (evaluation_id, reviewer, state, reason, decided, unsure, accuracy, fluency, "
        "appropriateness, total, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (evaluation_id, reviewer, review.state, review.reason, decided, unsure, *points, latest),
    )


def human_score(findings: dict[str, Finding], verdicts: dict[str, Verdict], weights: Weights) -> Score:
    """Return the score of what the reviewer left standing, by the weights that the judge's was made with."""
    costs = (reviewed(finding, verdicts.get(identity, NO_VERDICT)) for identity, finding in findings.items())
    return score((cost for cost in costs if cost is not None), weights)


def findings_of(connection: sqlite3.Connection, evaluation_id: str) -> dict[str, Finding]:
    """Return an evaluation's findings by id, in their order, with what scoring needs of them."""
    rows = connection.execute(
        "SELECT id, judge, judge_index, severity, kept, rubric_point FROM findings WHERE evaluation_id = ? "
        "ORDER BY number",
        (evaluation_id,),
    )
    return {
        identity: Finding(judge, index, "", severity=severity, kept=bool(kept), rubric_point=point)
        for identity, judge, index, severity, kept, point in rows
    }


def verdicts_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, Verdict]:
    """Return one reviewer's present verdicts on an evaluation's findings, by finding id."""
    rows = connection.execute(
        "SELECT finding_id, decision, severity, category, dimension, duplicate_of, note FROM verdicts "
        "WHERE evaluation_id = ? AND reviewer = ?",
        (evaluation_id, reviewer),
    )
    return {row[0]: Verdict(*row[1:]) for row in rows}


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the derived tables anew from the log alone."""
    with transaction(connection):
        for table in ("verdicts", "reviews", "undone"):
            connection.execute(f"DELETE FROM {table}")
        subjects = connection.execute(
            "SELECT DISTINCT evaluation_id, reviewer, finding_id FROM events ORDER BY finding_id IS NULL"
        ).fetchall()
        for evaluation_id, reviewer, finding_id in subjects:
            derive(connection, evaluation_id, reviewer, finding_id)


def merge(connection: sqlite3.Connection, events: Iterable[Event]) -> int:
    """Add events of another log; return how many were new. Order and repetition do not matter."""
    touched: set[tuple[str, str, str | None]] = set()
    added = 0
    with transaction(connection):
        for event in events:
            if _add(connection, event):
                added += 1
                touched.add((event.evaluation_id, event.reviewer, event.finding_id))
        for evaluation_id, reviewer, finding_id in sorted(touched, key=lambda subject: subject[2] is None):
            derive(connection, evaluation_id, reviewer, finding_id)
    return added
