"""The review log as a file: JSON Lines, one event a line, in UTF-8 (documented in ``docs/data-model.md``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from storage.base.strict_json import read_json
from storage.formats.io.lines import UNDECODABLE, not_utf8, read_lines
from storage.log.rules import EventError
from storage.reviews.event_checks import RULES
from storage.reviews.events import Event

KEYS = frozenset(("id", "at", "reviewer", "kind", "evaluation", "finding", "target", "changes", "guideline", "counter"))
"""The fields that an event may have in the log's file form."""
LeftOutEvent = tuple[int, str, str]
"""Line number, field, what is wrong with it and how to mend it."""


def read_log(
    path: Path, check: Callable[[Event], object] = lambda event: None, others: Counter[str] | None = None
) -> tuple[list[Event], list[LeftOutEvent]]:
    """Return a file's events, and its lines that hold none. Raises FormatError if it cannot be read at all.

    ``check`` raises EventError for an event that does not fit where it is to go (``storage.integrity.log_checks``).
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
            row = read_json(line)
            event = from_json(row)
            check(event)
            events.append(event)
            if others is not None:
                others.update(row.keys() - KEYS)
        except EventError as error:
            left_out.append((number, error.field, str(error)))
        except ValueError as error:
            why = str(error) if error.__class__ is ValueError else "is not JSON"
            left_out.append((number, "(line)", f"{why}; export the log again, or mend the line"))
    return events, left_out


def from_json(row: object) -> Event:
    """Read one event of the log's file form. Raises EventError naming the field that does not fit."""
    if not isinstance(row, dict):
        raise EventError("(line)", "must be a JSON object")
    return RULES.event_of(row)
