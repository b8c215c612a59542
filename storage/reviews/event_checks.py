"""Rules of the review log: the fields that an event of each kind may have, and the values that each may take."""

from __future__ import annotations

import re
from typing import Any

from judges.model import (
    BLIND_STAGES,
    CATEGORIES,
    DECISIONS,
    DIMENSIONS,
    INSTRUCTION_DECISIONS,
    JUDGES,
    POINT_DECISIONS,
    REVIEW_STATES,
    SEVERITIES,
    SIDES,
)
from storage.base.repeats import LATEST
from storage.log.rules import EventError, EventRules, Rule, is_count, one_of, optional, seconds, such, text
from storage.reviews.blinding import BLINDINGS
from storage.reviews.events import EVENTS, FIELDS, POINT, Event, Kind

ALLOWED: dict[tuple[Kind, str], tuple[str, ...]] = {
    ("verdict", "decision"): DECISIONS,
    ("point", "decision"): POINT_DECISIONS,
    ("review", "state"): REVIEW_STATES,
    ("review", "search"): ("done",),
    ("review", "instruction"): INSTRUCTION_DECISIONS,
    ("blind", "stage"): BLIND_STAGES,
    ("hiding", "blinding"): BLINDINGS,
    ("imported", "state"): REVIEW_STATES,
    ("imported", "search"): ("done",),
    **{
        (kind, name): values
        for kind in ("verdict", "error")
        for name, values in {
            "severity": SEVERITIES,
            "category": tuple(name for judge in JUDGES for name in CATEGORIES[judge]),
            "dimension": DIMENSIONS,
        }.items()
    },
}
"""The values that an event's changes may take, where they are a closed list."""

_SHAPES: dict[str, Rule] = {
    "spans": such(lambda value: isinstance(value, list) and all(map(_is_place, value)), "a list of [side, start, end]"),
    "seconds": seconds,
    "errors": such(lambda value: isinstance(value, list) and all(map(_is_error, value)), "a list of errors"),
    "rows": such(lambda value: isinstance(value, list) and all(map(_is_row, value)), "a list of rows of a file"),
    "kept": such(lambda value: isinstance(value, dict), "an object"),
    "rated": such(
        lambda value: isinstance(value, list) and all(map(_is_segment, value)), "a list of segments, numbered from 1"
    ),
    "segments": such(lambda value: _is_segment(value), "a number of segments"),
    "times": such(
        lambda value: isinstance(value, dict) and all(map(_is_moment, value.items())),
        "an object of times in seconds, by segments numbered from 1",
    ),
    **dict.fromkeys(("invented", "missed", "removed"), such(lambda value: value is True, "true or null")),
}
"""The rules of the fields whose values are no texts."""


def _rule(kind: Kind, name: str) -> Rule:
    if name in _SHAPES:
        return optional(_SHAPES[name])
    return optional(one_of(ALLOWED[kind, name]) if (kind, name) in ALLOWED else text)


def _check(event: Event) -> None:
    """Raise EventError for an event whose fields do not go together."""
    if event.kind == "point" and not re.fullmatch(f"{POINT}[0-9]{{1,9}}", event.finding_id or ""):
        raise EventError("finding", f"must be {POINT} and the number of the rubric point, like {POINT}3")
    for name in ("duplicate_of", "repeat_of"):
        if event.changes.get(name) and event.changes[name] == event.finding_id:
            raise EventError(f"changes.{name}", "names the finding itself; it must be another one")


_KINDS: dict[str, dict[str, Rule]] = {
    kind: {name: _rule(kind, name) for name in names} for kind, names in FIELDS.items()
}

RULES = EventRules(
    EVENTS,
    names={"evaluation_id": "evaluation", "finding_id": "finding"},
    needed={
        "evaluation_id": tuple(kind for kind in FIELDS if kind != "hiding"),
        "finding_id": ("verdict", "error", "point"),
        "target": ("undo", "redo"),
        "guideline": (),
    },
    kinds=_KINDS,
    closed=True,
    check=_check,
)
"""The rules of the review log. ``event_of`` takes its file form."""


def _is_error(value: Any) -> bool:
    """Tell if a value is an error of an imported pass: what an ``error`` event may say, and where the file has it."""
    if not isinstance(value, dict):
        return False
    if any(rule(value.get(name)) for name, rule in _KINDS["error"].items()):
        return False
    return _is_of_file(value) and isinstance(value.get("unplaced", ""), str)


def _is_row(value: Any) -> bool:
    """Tell if a value is what an imported pass says of a segment without an error."""
    known = {"segment", "kind", "category", "severity", "kept", "line"}
    return (
        isinstance(value, dict)
        and value.keys() <= known
        and _is_of_file(value)
        and value.get("kind") in ("clean", "quality_check", "other")
        and all(isinstance(value.get(name, ""), str) for name in ("category", "severity"))
    )


def _is_of_file(value: dict[str, Any]) -> bool:
    return (
        _is_segment(value.get("segment", 1))
        and is_count(value.get("line", 0))
        and isinstance(value.get("kept", {}), dict)
    )


def _is_segment(value: Any) -> bool:
    return is_count(value) and value > 0


def _is_moment(item: tuple[str, Any]) -> bool:
    segment, time = item
    known = isinstance(time, int | float) and not isinstance(time, bool) and 0 <= time < LATEST
    return known and re.fullmatch("[1-9][0-9]{0,8}", segment) is not None


def _is_place(value: Any) -> bool:
    match value:
        case [str(side), start, end]:
            return side in SIDES and is_count(start) and is_count(end) and bool(start <= end)
    return False
