"""Libraries that another program wrote into: one of two people's work, and every way to spoil an event of it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from judges.metric_s.reading.rubric import parse_rubric
from judges.model import Article
from storage.benchmark.log import BuildLog
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.reviews.review_log import ReviewLog
from tests.support import builders

BAD = "bad-event"
"""The id of the event that is spoilt."""
AT = "2026-05-11T01:04:20.000000Z"


def library(path: Path) -> None:
    """Make a library with every kind of event of two reviewers, and a candidate."""
    connection, (first, second) = builders.two_evaluations(path)
    with closing(connection):
        for name in ("lin", "okafor"):
            log = ReviewLog(connection, name, "2026-1")
            log.open(first)
            findings = [r[0] for r in connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (first,))]
            for finding in findings:
                log.decide(first, finding, decision="agree")
            log.decide(first, findings[1], decision="override", severity="major", spans=[["source", 0, 3]])
            log.undo()
            log.redo()
            spans = [["translation", 0, 3]]
            log.mark(first, dimension="accuracy", severity="major", category="omission", spans=spans)
            log.set_review(first, state="done", search="done", instruction="agree")
            log.spend(first, {"": 2.0, findings[0]: 4.5})
            log.open(second, hidden=True)
            log.mark(second, dimension="fluency", severity="minor", category="grammar", spans=spans)
            log.reveal(second)
            log.set_point(second, 1, decision="met")
        ground_pending(connection, path)
        rubric = "考点1：“渡船”推荐译为“ferry”"
        article = Article("dyke", "堤很长。", "zh-en", "文学", rubric_text=rubric, rubric=parse_rubric(rubric))
        BuildLog(connection, "lin").add(article, (), origin="a paper")
        BuildLog(connection, "lin").decide("dyke", "accept")


def event(path: Path, **changed: Any) -> dict[str, Any]:
    """Return the columns of an event on the library's first evaluation, good but for what is changed.

    ``changes`` that are no text become JSON.
    """
    with closing(sqlite3.connect(path)) as connection:
        evaluation, finding = connection.execute(
            "SELECT e.id, f.id FROM evaluations e JOIN findings f ON f.evaluation_id = e.id ORDER BY position, number"
        ).fetchone()
    row: dict[str, Any] = {
        "id": BAD,
        "at": AT,
        "reviewer": "zoe",
        "kind": "verdict",
        "evaluation_id": evaluation,
        "finding_id": finding,
        "changes": {"decision": "agree"},
        "target": None,
        "guideline": "",
        "counter": 3,
        **changed,
    }
    if isinstance(row["changes"], dict | list):
        row["changes"] = json.dumps(row["changes"])
    return row


def spoil(path: Path, **changed: Any) -> None:
    """Add a spoilt event to the log, as any program can."""
    row = event(path, **changed)
    with closing(sqlite3.connect(path)) as connection:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO events ({names}) VALUES ({marks})", tuple(row.values()))
        connection.commit()


EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a decision that there is not": ("changes.decision", {"changes": {"decision": "maybe"}}),
    "a decision that is a list": ("changes.decision", {"changes": {"decision": ["agree"]}}),
    "a severity that there is not": ("changes.severity", {"changes": {"severity": "catastrophic"}}),
    "a dimension that there is not": ("changes.dimension", {"changes": {"dimension": "style"}}),
    "a category that there is not": ("changes.category", {"changes": {"category": "misc"}}),
    "a field that there is not": ("changes.colour", {"changes": {"colour": "red"}}),
    "a kind that there is not": ("kind", {"kind": "opinion"}),
    "changes that are a list": ("changes", {"changes": [1]}),
    "changes that are no JSON": ("changes", {"changes": "{"}),
    "changes that are nothing": ("changes", {"changes": ""}),
    "changes that are bytes": ("changes", {"changes": b"{}"}),
    "changes that are no UTF-8": ("changes", {"changes": "bytes as text"}),
    "a key twice": ("changes", {"changes": '{"decision": "agree", "decision": "unsure"}'}),
    "a number without end": ("changes", {"kind": "time", "finding_id": None, "changes": '{"seconds": {"": 1e999}}'}),
    "no number": ("changes", {"kind": "time", "finding_id": None, "changes": '{"seconds": {"": NaN}}'}),
    "seconds that are text": ("changes.seconds", {"kind": "time", "finding_id": None, "changes": {"seconds": "long"}}),
    "seconds below nothing": ("changes.seconds", {"kind": "time", "changes": {"seconds": {"": -4}}}),
    "depth": ("changes", {"kind": "imported", "changes": '{"kept": {"a": ' + "[" * 900 + "]" * 900 + "}}"}),
    "half a character in a note": ("changes.note", {"changes": '{"note": "\\ud800"}'}),
    "half a character in a key": ("changes", {"kind": "time", "changes": '{"seconds": {"\\ud800": 1}}'}),
    "a span that ends before it begins": ("changes.spans", {"changes": {"spans": [["source", 5, 2]]}}),
    "a span that begins before the text": ("changes.spans", {"changes": {"spans": [["source", -1, 2]]}}),
    "a span beyond the text": ("changes.spans", {"changes": {"spans": [["source", 0, 9_999]]}}),
    "a span of a side that there is not": ("changes.spans", {"changes": {"spans": [["margin", 0, 2]]}}),
    "a span that is a number": ("changes.spans", {"changes": {"spans": [3]}}),
    "a span of broken numbers": ("changes.spans", {"changes": {"spans": [["source", 0.5, 2]]}}),
    "a time without a zone": ("at", {"at": "2026-05-11T01:04:20"}),
    "a time that is none": ("at", {"at": "yesterday"}),
    "a time that is a number": ("at", {"at": 1_770_000_000}),
    "a time that is bytes": ("at", {"at": b"2026-05-11T01:04:20.000000Z"}),
    "no reviewer": ("reviewer", {"reviewer": "  "}),
    "a reviewer that is bytes": ("reviewer", {"reviewer": b"zoe"}),
    "NUL in a reviewer": ("reviewer", {"reviewer": "zo\0e"}),
    "no evaluation": ("evaluation", {"evaluation_id": ""}),
    "no finding": ("finding", {"finding_id": None}),
    "a finding that is bytes": ("finding", {"finding_id": b"\xff"}),
    "a finding of another evaluation": ("finding", {"finding_id": "f" * 20}),
    "an error that is the judge's": ("finding", {"kind": "error", "changes": {"severity": "major"}}),
    "a point that is none": ("finding", {"kind": "point", "finding_id": "point:one", "changes": {"decision": "met"}}),
    "a state that there is not": (
        "changes.state",
        {"kind": "review", "finding_id": None, "changes": {"state": "half"}},
    ),
    "a stage that there is not": ("changes.stage", {"kind": "blind", "finding_id": None, "changes": {"stage": "over"}}),
    "an undo of nothing": ("target", {"kind": "undo", "changes": {}}),
    "a duplicate of itself": ("changes.duplicate_of", {"changes": {"decision": "duplicate", "duplicate_of": "itself"}}),
    "errors that are none": ("changes.errors", {"kind": "imported", "finding_id": None, "changes": {"errors": [1]}}),
    "an error of a segment that is none": (
        "changes.errors",
        {"kind": "imported", "finding_id": None, "changes": {"errors": [{"segment": "one"}]}},
    ),
    "rows that are none": ("changes.rows", {"kind": "imported", "finding_id": None, "changes": {"rows": [{"x": 1}]}}),
    "a counter that is text": ("counter", {"counter": "first"}),
    "a counter beyond all": ("counter", {"counter": (1 << 63) - 1}),
    "a counter before all": ("counter", {"counter": -1}),
    "a guideline that is bytes": ("guideline", {"guideline": b"x"}),
}
"""Ways to spoil an event → the field to blame, what is changed of a good one."""


def spoil_as(path: Path, name: str) -> None:
    """Add the spoilt event of this name."""
    changed = dict(EVENTS[name][1])
    if name == "a duplicate of itself":
        changed["changes"] = {"decision": "duplicate", "duplicate_of": event(path)["finding_id"]}
    spoil(path, **changed)
    if name == "changes that are no UTF-8":
        changed_by_hand(path, f"UPDATE events SET changes = CAST(x'7bff7d' AS TEXT) WHERE id = '{BAD}'")


def changed_by_hand(path: Path, *statements: str) -> None:
    """Do what a record refuses: take its triggers away, and change it."""
    with closing(sqlite3.connect(path)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def good_events(path: Path) -> set[str]:
    """The ids of the review log's events that can be read."""
    from storage.reviews.events import read_events

    with closing(open_library(path)) as connection:
        return {event.id for event in read_events(connection)}
