"""Contradictions between a reviewer's acts in two copies: what counts and what gave way, until they decide."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, NamedTuple

from storage.reviews.events import EVENTS, Event
from storage.reviews.review_state import read_fold


class Reported(NamedTuple):
    """A contradiction as it is reported: ``subject`` a finding, an error of theirs, ``point:N``, or "" for the review.

    ``error``: its number, as the screens show it; None where it is no error. ``counts``: what the later act says, by
    field; ``of``: the number of the error that it is about, ``undone``: it takes back what was said before.
    """

    evaluation: str
    article: str
    system: str
    reviewer: str
    subject: str
    error: str | None
    counts: dict[str, Any]
    of: str | None
    undone: bool
    gave_way: dict[str, Any]


Known = tuple[str, str, str, str, str]
"""A row of ``contradictions``."""


def known_contradictions(connection: sqlite3.Connection) -> set[Known]:
    """Return all contradictions that are open, to be held against those that are after a merge."""
    query = "SELECT evaluation_id, reviewer, subject, event_id, gave_way FROM contradictions"
    return set(connection.execute(query).fetchall())


def new_contradictions(connection: sqlite3.Connection, before: set[Known]) -> list[Reported]:
    """Return the contradictions that are open now and were not before, by evaluation."""
    found = []
    for evaluation, reviewer, subject, event_id, gave_way in sorted(known_contradictions(connection) - before):
        article, system = connection.execute(
            "SELECT article, system FROM evaluations WHERE id = ?", (evaluation,)
        ).fetchone() or ("", "")
        event, undone = _counting(connection, event_id)
        numbers = error_numbers(connection, evaluation, reviewer)
        of = numbers.get(event.finding_id or "") if event else None
        said = event.changes if event else {}
        lost = json.loads(gave_way)
        error = numbers.get(subject)
        found.append(
            Reported(
                evaluation=evaluation,
                article=article,
                system=system,
                reviewer=reviewer,
                subject=subject,
                error=error,
                counts=said,
                of=of,
                undone=undone,
                gave_way=lost,
            )
        )
    return found


def error_numbers(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, str]:
    """Return what the errors of an evaluation are called, by id: ``7``, or ``+2`` where the reviewer marked it."""
    query = "SELECT id, number FROM findings WHERE evaluation_id = ?"
    judged = {identity: str(number) for identity, number in connection.execute(query, (evaluation_id,))}
    own = read_fold(connection, evaluation_id, reviewer).numbers
    return judged | {identity: f"+{number}" for identity, number in own.items()}


def _counting(connection: sqlite3.Connection, event_id: str) -> tuple[Event | None, bool]:
    """The act that counts, and whether it is an undoing."""
    # An imported pass stands for acts whose ids begin with its own.
    event = EVENTS.by_id(connection, event_id) or EVENTS.by_id(connection, event_id.rpartition(":")[0])
    return event, event is not None and event.kind == "undo"
