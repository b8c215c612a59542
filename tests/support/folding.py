"""The plain fold of the events of one subject, later fields over earlier ones: what the log comes to without contradictions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from judges.model import MarkedError, PointVerdict, Verdict
from storage.reviews.events import Event
from storage.reviews.fold import Review, error_of, point_of, review_of, verdict_of


def _changes(events: Iterable[Event]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for event in events:
        state |= event.changes
    return state


def fold_verdict(events: Iterable[Event]) -> Verdict:
    """Return the verdict that follows from events on one finding."""
    return verdict_of(_changes(events))


def fold_error(identity: str, events: Iterable[Event], blind: bool) -> MarkedError | None:
    """Return the error that follows from events on it; None if it is removed, or was never marked."""
    return error_of(identity, _changes(events), blind)


def fold_point(events: Iterable[Event]) -> PointVerdict | None:
    """Return the verdict that follows from events on one rubric point."""
    return point_of(_changes(events))


def fold_review(events: Iterable[Event], touched: bool) -> Review:
    """Return the state of a review that follows from events on one evaluation."""
    return review_of(_changes(events), touched)
