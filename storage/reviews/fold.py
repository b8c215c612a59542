"""The fold of a reviewer's events: a verdict, an error, a review, a blind pass, each from the events about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

from judges.metric_s.contradictions import ActKind, Fields, Statements, is_error
from judges.model import (
    NO_VERDICT,
    BlindStage,
    Finding,
    InstructionDecision,
    MarkedError,
    Place,
    Places,
    PointVerdict,
    ReviewState,
    Verdict,
)
from storage.log.events import Place as LogPlace
from storage.log.events import undone_ids
from storage.reviews.events import ACTS, FIELDS, POINT, Event


@dataclass(frozen=True, slots=True)
class Review:
    """The state of one reviewer's work on one evaluation as a whole.

    ``search`` "done": they have looked for errors that the judge missed. ``blind``: None where it never was.
    """

    state: ReviewState = "not_opened"
    reason: str | None = None
    search: Literal["done"] | None = None
    instruction: InstructionDecision | None = None
    blind: BlindStage | None = None


class Contradiction(NamedTuple):
    """Fields of a subject that gave way to a later act, made where the earlier was not known; the later one counts.

    ``subject``: a finding, an error of theirs, ``point:N``; "" for the review. ``event_id``: the act that counts, or
    the undoing. ``gave_way``: fields → what had been said.
    """

    subject: str
    event_id: str
    gave_way: dict[str, Any]


class Contradicted(NamedTuple):
    """A subject's contradiction. ``gave_way``: fields → what had been said; ``counts``: the later act, or undoing."""

    counts: Event
    gave_way: dict[str, Any]


@dataclass(slots=True)
class Standing:
    """The state that follows from all that one reviewer did about one evaluation.

    ``last``: by subject the last act that stands. ``contradictions``: those that they have not decided anew.
    """

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    errors: dict[str, MarkedError] = field(default_factory=dict)
    points: dict[int, PointVerdict] = field(default_factory=dict)
    review: Fields = field(default_factory=dict)
    contradictions: list[Contradiction] = field(default_factory=list)
    last: dict[str, Event] = field(default_factory=dict)


def fold(
    events: Sequence[Event],
    findings: Mapping[str, Finding],
    absorbed: Mapping[str, str],
    blind: Collection[str] = (),
) -> Standing:
    """Return what follows from one reviewer's events on one evaluation, in log order, undoings among them.

    ``findings``, ``absorbed``: as in ``Statements``. ``blind``: the ids of the errors that they marked blind.
    """
    said, standing = Statements(findings, absorbed), Standing()
    undone = undone_ids(events)
    places = {event.target: place for place, event in enumerate(events) if event.kind == "undo"} if undone else {}
    open_: dict[str, dict[str, dict[str, Any]]] = {}
    for place, event in enumerate(events, 1):
        if event.kind not in ACTS:
            continue
        kind, subject = cast("ActKind", event.kind), event.finding_id or ""
        if event.id in undone:
            at = places[event.id]
            said.take_back(kind, subject, event.changes, at + 1, events[at].id)
            continue
        standing.last[subject] = event
        gave = said.apply(kind, subject, event.changes, place)
        for lost in open_.get(subject, {}).values():
            for name in event.changes:  # which is decided anew
                lost.pop(name, None)
        for each in gave:
            standing.last.setdefault(each.subject, event)
            by = open_.setdefault(each.subject, {}).setdefault(each.taken_back or event.id, {})
            by.setdefault(each.field, each.was)
    standing.contradictions = [
        Contradiction(subject, event_id, lost) for subject, by in open_.items() for event_id, lost in by.items() if lost
    ]
    verdicts = ((identity, verdict_of(fields)) for identity, fields in said.verdicts.items())
    standing.verdicts = {identity: verdict for identity, verdict in verdicts if verdict != NO_VERDICT}
    errors = (error_of(identity, fields, identity in blind) for identity, fields in said.errors.items())
    standing.errors = {error.id: error for error in errors if error}
    points = ((int(name.removeprefix(POINT)), point_of(fields)) for name, fields in said.points.items())
    standing.points = {number: point for number, point in points if point}
    standing.review = said.review
    return standing


def spans_of(value: Sequence[Sequence[Any]] | None) -> Places | None:
    """Return places as an event or a derived row holds them; None where none are said."""
    return None if value is None else tuple(Place(*place) for place in value)


def verdict_of(fields: Fields) -> Verdict:
    """Return the verdict that has the fields of ``verdict`` events."""
    if fields.get("spans") is not None:
        fields = fields | {"spans": spans_of(fields["spans"])}
    return Verdict(*map(fields.get, FIELDS["verdict"]))  # whose fields are in the same order


def error_of(identity: str, fields: Fields, blind: bool) -> MarkedError | None:
    """Return the error that has the fields of ``error`` events; None if it is removed, or was never marked."""
    if fields.get("removed") or not is_error(fields):
        return None
    labels = {name: fields.get(name) or "" for name in ("category_label", "severity_label")}
    values = {name: fields.get(name) for name in ("dimension", "category", "severity", "repeat_of", "missed", "note")}
    spans = spans_of(fields.get("spans")) or ()
    return MarkedError(identity, spans=spans, blind=blind, **labels, **values)  # type: ignore[arg-type]


def point_of(fields: Fields) -> PointVerdict | None:
    """Return the verdict on a rubric point that has the fields of ``point`` events; None: nothing is decided."""
    return PointVerdict(fields["decision"], fields.get("note")) if fields.get("decision") else None


def review_of(fields: Fields, touched: bool, blind: BlindStage | None = None) -> Review:
    """Return the review state that has the fields of ``review`` events.

    ``touched``: they opened the evaluation or gave a verdict in it, which alone makes it ``in_progress``; so does what
    they say of it as a whole.
    """
    touched = bool(touched or blind or fields.get("search") or fields.get("instruction"))
    named: ReviewState = fields.get("state") or ("in_progress" if touched else "not_opened")
    return Review(named, fields.get("reason"), fields.get("search"), fields.get("instruction"), blind)


@dataclass(frozen=True, slots=True)
class BlindPass:
    """A pass in which the reviewer marked errors before they saw the judge's record; ``shown``: when they did see it.

    ``shown`` is the place in the log; None as long as the pass goes on.
    """

    shown: LogPlace | None = None

    @property
    def stage(self) -> BlindStage:
        """Return how far it is."""
        return "revealed" if self.shown else "started"

    def holds(self, event: Event) -> bool:
        """Return whether an event came before the judge's record was shown."""
        return self.shown is None or event.place < self.shown


def shows(event: Event) -> bool:
    """Return whether the reviewer saw a judge's record when they did this, or from then on."""
    return event.kind in ("opened", "verdict", "point") or event.changes.get("stage") == "revealed"


def fold_blind(events: Iterable[Event], evaluation_id: str, reviewer: str) -> BlindPass | None:
    """Return the blind pass of one layer on one evaluation that follows from events, in order; None: there was none.

    ``events``: in every layer of the same person, on every evaluation of the same translation. It is a blind pass only
    if they had seen nothing of a judge's on it before, and until they do. What was seen stays so, whatever is undone.
    """
    started = False
    for event in events:
        if event.changes.get("stage") == "started":
            started |= (event.evaluation_id, event.reviewer) == (evaluation_id, reviewer)
        elif shows(event):
            return BlindPass(event.place) if started else None
    return BlindPass() if started else None
