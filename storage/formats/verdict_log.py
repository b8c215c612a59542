"""The review log as a file: JSON Lines, one event a line, in UTF-8 (documented in ``docs/data-model.md``)."""

from __future__ import annotations

import json
from pathlib import Path

from storage.formats.lines import read_lines
from storage.review_log import Event, EventError, from_json

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
