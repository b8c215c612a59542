"""Events of a benchmark that is being built: their kinds. An event says who, when, to which candidate, what changed."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, dataclass
from typing import Literal

from storage.log.events import EventTable, LoggedEvent, readable, undone_ids

BuildKind = Literal[
    "added",
    "revised",
    "decided",
    "settled",
    "assigned",
    "quotas",
    "lengths",
    "filtered",
    "checked_off",
    "written",
    "people",
    "hours",
    "target",
    "time",
    "undo",
    "redo",
]
"""``added``, ``revised``: a version. ``decided``: one person accepts or rejects. ``settled``: what holds where two
differ. ``assigned``: who is to decide on which. ``quotas``: what the benchmark should hold, ``lengths``: how long its
articles should be. ``filtered``: which versions were put under a difficulty filter. ``checked_off``: a check's finding
is all right. ``written``: a data set was written with articles that a stage's condition keeps out, and why.
``people``: who is author, reviewer, adjudicator. ``hours``: what somebody spent outside of the program. ``target``: the
share of candidates that should come in. ``time``: what was spent in the program.
"""

ACTS: tuple[BuildKind, ...] = (
    "revised",
    "decided",
    "settled",
    "assigned",
    "quotas",
    "lengths",
    "filtered",
    "checked_off",
    "written",
    "people",
    "hours",
    "target",
)
"""The kinds that undo takes back. A candidate that should not have been added is rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildEvent(LoggedEvent):
    """One line of the log. ``candidate`` is its key, "" where the event is of none or of many."""

    kind: BuildKind
    person: str
    candidate: str


BUILD_EVENTS = EventTable(
    "build_events",
    BuildEvent,
    person="person",
    subject="candidate",
    acts=ACTS,
    undone=f"""
SELECT target FROM (
  SELECT target, kind, row_number() OVER (PARTITION BY target ORDER BY counter DESC, at DESC, id DESC) AS latest
  FROM build_events WHERE kind IN ('undo', 'redo') AND {readable("build_events")}
) WHERE latest = 1 AND kind = 'undo'
""",
    as_json=lambda event: {"log": "build", **asdict(event)},
)
"""The log of the benchmark. Decisions are not hidden in it."""
read_build_events = BUILD_EVENTS.read


def standing_events(connection: sqlite3.Connection, kind: BuildKind) -> list[BuildEvent]:
    """Return the events of one kind that are not undone, in log order."""
    events = list(read_build_events(connection, "kind IN (?, 'undo', 'redo')", (kind,)))
    undone = undone_ids(events)
    return [event for event in events if event.kind == kind and event.id not in undone]
