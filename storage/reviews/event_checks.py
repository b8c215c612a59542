"""Checks of an event of the review log by its values alone, the same whichever way it comes: a file, or a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

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
from storage.base.strict_json import check_json, read_json
from storage.base.text import is_whole, storable, utc
from storage.reviews.blinding import BLINDINGS
from storage.reviews.events import FIELDS, HIGHEST_COUNTER, POINT, Event, Kind


class EventError(ValueError):
    """An event that does not fit the log: ``field`` names what is wrong, the message says how to mend it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


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

SHAPES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "spans": (lambda value: isinstance(value, list) and all(map(_is_place, value)), "a list of [side, start, end]"),
    "seconds": (
        lambda value: isinstance(value, dict) and all(_is_number(seconds) for seconds in value.values()),
        "an object of seconds, 0 or more",
    ),
    "errors": (lambda value: isinstance(value, list) and all(map(_is_error, value)), "a list of errors"),
    "rows": (lambda value: isinstance(value, list) and all(map(_is_row, value)), "a list of rows of a file"),
    "kept": (lambda value: isinstance(value, dict), "an object"),
    **{name: (lambda value: value is True, "true or null") for name in ("invented", "missed", "removed")},
}
"""The fields whose values are no texts: what they must be, and that in words."""

_MOST = 1 << 40
"""Beyond any place in a text, any line of a file and any second that somebody spent."""


def event_of(given: Mapping[str, Any]) -> Event:
    """Return the event that the fields of the log's file form say. Raises EventError naming the one that does not fit.

    ``changes`` must be made of JSON's types; other fields than those of an event are passed over.
    """
    kind = cast("Kind", given.get("kind"))
    texts: dict[str, str | None] = {}
    for name, needed in {
        "id": True,
        "at": True,
        "reviewer": True,
        "kind": True,
        "evaluation": kind != "hiding",
        "finding": kind in ("verdict", "error", "point"),
        "target": kind in ("undo", "redo"),
    }.items():
        value = given.get(name)
        if value is None and not needed:
            texts[name] = None
        elif isinstance(value, str) and value.strip():
            texts[name] = _text(name, value)
        else:
            raise EventError(name, f"must be a non-empty text, not {value!r:.40}")
    if kind not in FIELDS:
        raise EventError("kind", f"must be one of {', '.join(FIELDS)}, not {kind!r:.40}")
    at = time_of(cast("str", texts["at"]))
    changes = given.get("changes", {})
    if not isinstance(changes, dict):
        raise EventError("changes", "must be an object of the fields that changed")
    _check_changes(kind, changes, texts["finding"])
    number = (texts["finding"] or "").removeprefix(POINT)
    if kind == "point" and not (texts["finding"] == f"{POINT}{number}" and re.fullmatch(r"[0-9]{1,9}", number)):
        raise EventError("finding", f"must be {POINT} and the number of the rubric point, like {POINT}3")
    guideline = given.get("guideline", "")
    if not isinstance(guideline, str):
        raise EventError("guideline", "must be the version of a guideline, or absent")
    known = cast("dict[str, str]", texts | {"evaluation": texts["evaluation"] or ""})
    return Event(
        *(known["id"], at, known["reviewer"], kind, known["evaluation"], texts["finding"], changes, texts["target"]),
        _text("guideline", guideline),
        counter_of(given.get("counter", 0)),
    )


def event_of_row(row: Sequence[Any]) -> Event:
    """Return the event of a row of ``events.COLUMNS``, whatever the columns hold. Raises EventError."""
    identity, at, reviewer, kind, evaluation, finding, changes, target, guideline, counter = row
    return event_of(
        {
            "id": identity,
            "at": at,
            "reviewer": reviewer,
            "kind": kind,
            "finding": finding,
            "target": target,
            "evaluation": evaluation or None,
            "guideline": guideline,
            "counter": counter,
            "changes": changes_of(changes),
        }
    )


def changes_of(text: object) -> Any:
    """Return what a log's column of changes holds. Raises EventError where it is not JSON."""
    if not isinstance(text, str):
        raise EventError("changes", "must be JSON")
    try:
        return read_json(text)
    except ValueError as error:
        raise EventError("changes", f"must be JSON ({str(error).splitlines()[0]:.80})") from None


def time_of(value: str) -> str:
    """Return a time as the log writes it, whatever its zone and whatever the clock says now.

    Raises EventError for one without a zone or out of the calendar.
    """
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            return utc(moment)
    except (ValueError, OverflowError):
        pass
    raise EventError("at", f"must be a UTC time like 2026-03-02T09:15:04.000000Z, not {value!r:.40}")


def counter_of(value: object) -> int:
    """Return an event's counter. Raises EventError for what is none."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST_COUNTER:
        return value
    raise EventError("counter", f"must be a whole number from 0 to {HIGHEST_COUNTER}, not {value!r:.40}")


def _check_changes(kind: Kind, changes: dict[str, Any], finding: str | None) -> None:
    """Raise EventError for a field that is none of the kind's, or has a value that it cannot have."""
    for name, value in changes.items():
        if name not in FIELDS[kind]:
            known = ", ".join(FIELDS[kind]) or "none"
            raise EventError(f"changes.{_shown(name)}", f"is not a field of a {kind} event; known: {known}")
        _check_value(kind, name, value)
    try:
        check_json(changes)
    except ValueError as error:
        raise EventError("changes", f"{error}; write the line again") from None
    for name in ("duplicate_of", "repeat_of"):
        if changes.get(name) and changes[name] == finding:
            raise EventError(f"changes.{name}", "names the finding itself; it must be another one")


def _check_value(kind: Kind, name: str, value: Any) -> None:
    """Raise EventError for a value that the field cannot have; None takes any back."""
    if name in SHAPES:
        fits, shape = SHAPES[name]
        if value is not None and not fits(value):
            raise EventError(f"changes.{name}", f"must be {shape}")
        return
    allowed = ALLOWED.get((kind, name))
    if value is not None and (not isinstance(value, str) or (allowed and value not in allowed)):
        raise EventError(f"changes.{name}", f"must be one of {', '.join(allowed)}" if allowed else "must be a text")
    if not is_whole(value or ""):
        raise EventError(f"changes.{name}", "holds half a character (a lone surrogate); write the line again")


def _is_error(value: Any) -> bool:
    """Tell if a value is an error of an imported pass: what an ``error`` event may say, and where the file has it."""
    if not isinstance(value, dict):
        return False
    try:
        for name in FIELDS["error"]:
            _check_value("error", name, value.get(name))
    except EventError:
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
    numbers = value.get("segment", 1), value.get("line", 0)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
    return whole and 1 <= numbers[0] < _MOST and 0 <= numbers[1] < _MOST and isinstance(value.get("kept", {}), dict)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9


def _is_place(value: Any) -> bool:
    match value:
        case [str(side), int(start), int(end)] if not isinstance(start, bool) and not isinstance(end, bool):
            return side in SIDES and 0 <= start <= end < _MOST
    return False


def _text(name: str, value: str) -> str:
    """Return the text, if it is one that can be stored."""
    if value != storable(value):
        raise EventError(name, "holds NUL or half a character (a lone surrogate); write the line again")
    return value


def _shown(name: str) -> str:
    return storable(name)[:40]
