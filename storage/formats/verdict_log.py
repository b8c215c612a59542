"""The review log as a file: JSON Lines, one event a line, in UTF-8 (documented in ``docs/data-model.md``)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from judges.model import CATEGORIES, DECISIONS, DIMENSIONS, JUDGES, REVIEW_STATES, SEVERITIES
from storage.formats.lines import read_lines
from storage.review_log import ACTS, FIELDS, Event, Kind
from storage.text import storable, utc

LeftOutEvent = tuple[int, str, str]
"""Line number, field, what is wrong with it and how to mend it."""


def read_log(path: Path) -> tuple[list[Event], list[LeftOutEvent]]:
    """Return a file's events, and its lines that hold none. Raises FormatError if it cannot be read at all."""
    events: list[Event] = []
    left_out: list[LeftOutEvent] = []
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            events.append(from_json(json.loads(line)))
        except EventError as error:
            left_out.append((number, error.field, str(error)))
        except (ValueError, RecursionError):
            left_out.append((number, "(line)", "is not JSON; export the log again, or mend the line"))
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
        "evaluation": event.evaluation_id,
    }
    if event.finding_id is not None:
        row["finding"] = event.finding_id
    if event.target is not None:
        row["target"] = event.target
    if event.kind in ACTS:
        row["changes"] = event.changes
    return row


ALLOWED: dict[str, tuple[str, ...]] = {
    "decision": DECISIONS,
    "severity": SEVERITIES,
    "category": tuple(name for judge in JUDGES for name in CATEGORIES[judge]),
    "dimension": DIMENSIONS,
    "state": REVIEW_STATES,
}
"""The values that an event's changes may take, where they are a closed list."""


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
        "evaluation": True,
        "finding": row.get("kind") == "verdict",
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
        if value is not None and (not isinstance(value, str) or (name in ALLOWED and value not in ALLOWED[name])):
            raise EventError(f"changes.{name}", f"must be one of {', '.join(ALLOWED.get(name, ('a text',)))}")
        _text(f"changes.{name}", value or "")
    if changes.get("duplicate_of") and changes["duplicate_of"] == texts["finding"]:
        raise EventError("changes.duplicate_of", "names the finding itself; it must be another one")
    known = cast("dict[str, str]", texts)
    return Event(
        known["id"], at, known["reviewer"], kind, known["evaluation"], texts["finding"], changes, texts["target"]
    )


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
        raise EventError(name, "holds half a character (a lone surrogate); write the line again")
    return value
