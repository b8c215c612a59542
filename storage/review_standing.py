"""What stands of a reviewer's events: a verdict, an error, a review, a blind pass, each from the events about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judges.model import BlindStage, InstructionDecision, MarkedError, Place, Places, PointVerdict, ReviewState, Verdict
from storage.events import FIELDS, Event
from storage.events import Place as LogPlace


@dataclass(frozen=True, slots=True)
class Review:
    """The state of one reviewer's work on one evaluation as a whole.

    ``search`` "done": she has looked for errors that the judge missed. ``blind``: None where it never was.
    """

    state: ReviewState = "not_opened"
    reason: str | None = None
    search: Literal["done"] | None = None
    instruction: InstructionDecision | None = None
    blind: BlindStage | None = None


def _changes(events: Iterable[Event]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for event in events:
        state.update(event.changes)
    return state


def spans_of(value: Sequence[Sequence[Any]] | None) -> Places | None:
    """Return places as an event or a derived row holds them; None where none are said."""
    return None if value is None else tuple(Place(*place) for place in value)


def fold_verdict(events: Iterable[Event]) -> Verdict:
    """Return the verdict that follows from one reviewer's standing ``verdict`` events on one finding, in order."""
    state = _changes(events)
    return Verdict(**{name: state.get(name) for name in FIELDS["verdict"]} | {"spans": spans_of(state.get("spans"))})


def fold_error(identity: str, events: Iterable[Event], blind: bool) -> MarkedError | None:
    """Return the error that follows from one reviewer's standing ``error`` events on it; None if it is removed."""
    state = _changes(events)
    labels = {name: state.get(name) or "" for name in ("category_label", "severity_label")}
    if state.get("removed") or not (state.get("severity") or any(labels.values())):
        return None
    spans = spans_of(state.get("spans")) or ()
    values = {name: state.get(name) for name in ("dimension", "category", "severity", "repeat_of", "missed", "note")}
    return MarkedError(identity, spans=spans, blind=blind, **labels, **values)  # type: ignore[arg-type]


def fold_point(events: Iterable[Event]) -> PointVerdict | None:
    """Return what follows from one reviewer's standing ``point`` events on one rubric point; None: nothing."""
    state = _changes(events)
    return PointVerdict(state["decision"], state.get("note")) if state.get("decision") else None


def fold_review(events: Sequence[Event], touched: bool, blind: BlindStage | None = None) -> Review:
    """Return the review state that follows from one reviewer's standing ``review`` events on one evaluation.

    ``touched``: she opened it or gave a verdict in it, which alone makes it ``in_progress``; so does what she says of
    it as a whole.
    """
    state = _changes(events)
    touched = bool(touched or blind or state.get("search") or state.get("instruction"))
    named: ReviewState = state.get("state") or ("in_progress" if touched else "not_opened")
    return Review(named, state.get("reason"), state.get("search"), state.get("instruction"), blind)


@dataclass(frozen=True, slots=True)
class BlindPass:
    """A pass in which the reviewer marked errors before she saw the judge's record; ``shown``: when she did see it.

    ``shown`` is the place in the log; None as long as the pass goes on.
    """

    shown: LogPlace | None = None

    @property
    def stage(self) -> BlindStage:
        """How far it is."""
        return "revealed" if self.shown else "started"

    def holds(self, event: Event) -> bool:
        """Whether an event came before the judge's record was shown."""
        return self.shown is None or event.place < self.shown


def shows(event: Event) -> bool:
    """Whether the reviewer saw a judge's record when she did this, or from then on."""
    return event.kind in ("opened", "verdict", "point") or event.changes.get("stage") == "revealed"


def fold_blind(events: Iterable[Event], evaluation_id: str, reviewer: str) -> BlindPass | None:
    """Return the blind pass of one layer on one evaluation that follows from events, in order; None: there was none.

    ``events``: in every layer of the same person, on every evaluation of the same translation. It is a blind pass only
    if she had seen nothing of a judge's on it before, and until she does. What was seen stays so, whatever is undone.
    """
    started = False
    for event in events:
        if event.changes.get("stage") == "started":
            started |= (event.evaluation_id, event.reviewer) == (evaluation_id, reviewer)
        elif shows(event):
            return BlindPass(event.place) if started else None
    return BlindPass() if started else None
