"""The review log as a file: JSON Lines, one event a line, in UTF-8 (documented in ``docs/data-model.md``)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
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
from storage.blinding import BLINDINGS
from storage.events import FIELDS, POINT, Event, Kind
from storage.formats.json_objects import json_value
from storage.formats.json_stream import TOO_DEEP
from storage.formats.lines import UNDECODABLE, not_utf8, read_lines
from storage.text import storable, utc

KEYS = frozenset(("id", "at", "reviewer", "kind", "evaluation", "finding", "target", "changes", "guideline"))
"""The fields that an event may have in the log's file form."""
LeftOutEvent = tuple[int, str, str]
"""Line number, field, what is wrong with it and how to mend it."""


def read_log(path: Path, others: Counter[str] | None = None) -> tuple[list[Event], list[LeftOutEvent]]:
    """Return a file's events, and its lines that hold none. Raises FormatError if it cannot be read at all.

    ``others`` counts the fields of events that the log does not know, and that are not read.
    """
    events: list[Event] = []
    left_out: list[LeftOutEvent] = []
    for number, line in read_lines(path):
        if line == UNDECODABLE:
            left_out.append((number, "(line)", "; ".join(not_utf8(line))))
            continue
        if not line.strip():
            continue
        try:
            row = json_value(line)
            events.append(from_json(row))
            if others is not None:
                others.update(row.keys() - KEYS)
        except EventError as error:
            left_out.append((number, error.field, str(error)))
        except ValueError as error:
            what = TOO_DEEP if str(error) == TOO_DEEP else "is not JSON"
            left_out.append((number, "(line)", f"{what}; export the log again, or mend the line"))
    return events, left_out


class EventError(ValueError):
    """An event that does not fit the log: ``field`` names what is wrong, the message says how to mend it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


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
    return row


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
    "errors": (
        lambda value: isinstance(value, list) and all(map(_is_error, value)),
        "a list of errors",
    ),
    "rows": (lambda value: isinstance(value, list), "a list"),
    "kept": (lambda value: isinstance(value, dict), "an object"),
    **{name: (lambda value: value is True, "true or null") for name in ("invented", "missed", "removed")},
}
"""The fields whose values are no texts: what they must be, and that in words."""


def _is_error(value: Any) -> bool:
    """Whether a value is an error of an imported pass: what an ``error`` event may say, and more."""
    if not isinstance(value, dict):
        return False
    try:
        for name in FIELDS["error"]:
            _check_value("error", name, value.get(name))
    except EventError:
        return False
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9


def _is_place(value: Any) -> bool:
    match value:
        case [side, int(start), int(end)] if not isinstance(start, bool) and not isinstance(end, bool):
            return side in SIDES and 0 <= start <= end < 1 << 40
    return False


def from_json(row: object) -> Event:
    """Read one event of the log's file form. Raises EventError naming the field that does not fit."""
    if not isinstance(row, dict):
        raise EventError("(line)", "must be a JSON object")
    texts: dict[str, str | None] = {}
    for name, needed in {
        "id": True,
        "at": True,
        "reviewer": True,
        "kind": True,
        "evaluation": row.get("kind") != "hiding",
        "finding": row.get("kind") in ("verdict", "error", "point"),
        "target": row.get("kind") in ("undo", "redo"),
    }.items():
        value = row.get(name)
        if value is None and not needed:
            texts[name] = None
        elif isinstance(value, str) and value:
            texts[name] = _text(name, value)
        else:
            raise EventError(name, f"must be a non-empty text, not {value!r:.40}")
    kind = cast("Kind", texts["kind"])
    if kind not in FIELDS:
        raise EventError("kind", f"must be one of {', '.join(FIELDS)}, not {kind!r:.40}")
    at = _time(cast("str", texts["at"]))
    changes = row.get("changes", {})
    if not isinstance(changes, dict):
        raise EventError("changes", "must be an object of the fields that changed")
    for name, value in changes.items():
        if name not in FIELDS[kind]:
            raise EventError(f"changes.{name}", f"is not a field of a {kind} event; known: {', '.join(FIELDS[kind])}")
        _check_value(kind, name, value)
    for name in ("duplicate_of", "repeat_of"):
        if changes.get(name) and changes[name] == texts["finding"]:
            raise EventError(f"changes.{name}", "names the finding itself; it must be another one")
    number = (texts["finding"] or "").removeprefix(POINT)
    if kind == "point" and not (texts["finding"] == f"{POINT}{number}" and re.fullmatch(r"[0-9]{1,9}", number)):
        raise EventError("finding", f"must be {POINT} and the number of the rubric point, like {POINT}3")
    guideline = row.get("guideline", "")
    if not isinstance(guideline, str):
        raise EventError("guideline", "must be the version of a guideline, or absent")
    known = cast("dict[str, str]", texts | {"evaluation": texts["evaluation"] or ""})
    return Event(
        *(known["id"], at, known["reviewer"], kind, known["evaluation"], texts["finding"], changes, texts["target"]),
        _text("guideline", guideline),
    )


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
    _text(f"changes.{name}", value or "")


def _time(value: str) -> str:
    """Return a time as the log writes it, whatever its zone.

    Raises EventError for one without a zone, out of the calendar or in the future.
    A future time would be the latest for ever, and everything decided later would have to pretend to be later still.
    """
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None and moment <= datetime.now(UTC) + timedelta(days=1):
            return utc(moment)
    except (ValueError, OverflowError):
        pass
    raise EventError("at", f"must be a past UTC time like 2026-03-02T09:15:04.000000Z, not {value!r:.40}")


def _text(name: str, value: str) -> str:
    """Return the text, if it is one that can be stored."""
    if value != storable(value):
        raise EventError(name, "holds NUL or half a character (a lone surrogate); write the line again")
    return value
