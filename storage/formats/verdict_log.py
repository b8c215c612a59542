"""The review log as a file: JSON Lines, one event a line, in UTF-8 (documented in ``docs/data-model.md``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from storage.event_checks import EventError, event_of
from storage.events import FIELDS, Event
from storage.formats.lines import read_lines
from storage.strict_json import read_json

LeftOutEvent = tuple[int, str, str]
"""Line number, field, what is wrong with it and how to mend it."""


def read_log(
    path: Path, check: Callable[[Event], object] = lambda event: None
) -> tuple[list[Event], list[LeftOutEvent]]:
    """Return a file's events, and its lines that hold none. Raises FormatError if it cannot be read at all.

    ``check`` raises EventError for an event that does not fit where it is to go (``storage.log_checks``).
    """
    events: list[Event] = []
    left_out: list[LeftOutEvent] = []
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            event = from_json(read_json(line))
            check(event)
            events.append(event)
        except EventError as error:
            left_out.append((number, error.field, str(error)))
        except ValueError as error:
            why = str(error) if error.__class__ is ValueError else "is not JSON"
            left_out.append((number, "(line)", f"{why}; export the log again, or mend the line"))
    return events, left_out


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
    if event.counter:
        row["counter"] = event.counter
    return row


def from_json(row: object) -> Event:
    """Read one event of the log's file form. Raises EventError naming the field that does not fit."""
    if not isinstance(row, dict):
        raise EventError("(line)", "must be a JSON object")
    return event_of(row)
