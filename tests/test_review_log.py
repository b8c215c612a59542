"""The review log: append-only, undoable without limit, and always rebuildable."""

from __future__ import annotations

import itertools
import sqlite3
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from judges.model import DECISIONS, Verdict
from storage.connection import Connection, open_database
from storage.formats.verdict_log import as_json, from_json
from storage.review_log import ReviewLog, fold_verdict, merge, read_events, rebuild, undone_ids, verdicts_of
from storage.text import utc

from . import builders

DERIVED = ("verdicts", "reviews", "undone")


def derived(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    return {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in DERIVED}


class LogMachine(RuleBasedStateMachine):
    """Acts in any order, against a plain undo stack, and against a rebuild from the log alone."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.connection, self.evaluations = builders.two_evaluations(Path(self.folder.name) / "a.db")
        self.logs = {name: ReviewLog(self.connection, name) for name in ("lin", "okafor")}
        self.findings = {
            identity: [
                row[0]
                for row in self.connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (identity,))
            ]
            for identity in self.evaluations
        }
        self.done: dict[str, list[tuple[str, str | None, dict[str, Any]]]] = {"lin": [], "okafor": []}
        self.undone: dict[str, list[tuple[str, str | None, dict[str, Any]]]] = {"lin": [], "okafor": []}

    def teardown(self) -> None:
        self.connection.close()
        self.folder.cleanup()

    reviewer = st.sampled_from(("lin", "okafor"))

    @rule(
        reviewer=reviewer,
        evaluation=st.integers(0, 1),
        finding=st.integers(0, 5),
        decision=st.sampled_from([None, *DECISIONS]),
        note=st.sampled_from([None, "", "想一想 [b]"]),
        whole=st.booleans(),
    )
    def decide(
        self, reviewer: str, evaluation: int, finding: int, decision: str | None, note: str | None, whole: bool
    ) -> None:
        identity = self.evaluations[evaluation]
        changes = {"decision": decision, "note": note} if whole else {"note": note}
        self.logs[reviewer].decide(identity, self.findings[identity][finding], **changes)
        self.done[reviewer].append((identity, self.findings[identity][finding], changes))
        self.undone[reviewer].clear()

    @rule(reviewer=reviewer, evaluation=st.integers(0, 1), state=st.sampled_from(["done", "skipped", "in_progress"]))
    def set_state(self, reviewer: str, evaluation: int, state: Any) -> None:
        if self.logs[reviewer].set_state(self.evaluations[evaluation], state, "late"):
            self.done[reviewer].append((self.evaluations[evaluation], None, {"state": state}))
            self.undone[reviewer].clear()

    @rule(reviewer=reviewer, evaluation=st.integers(0, 1))
    def open(self, reviewer: str, evaluation: int) -> None:
        self.logs[reviewer].open(self.evaluations[evaluation])

    @rule(reviewer=reviewer)
    def undo(self, reviewer: str) -> None:
        event = self.logs[reviewer].undo()
        if not self.done[reviewer]:
            assert event is None
            return
        act = self.done[reviewer].pop()
        self.undone[reviewer].append(act)
        assert event is not None
        assert (event.evaluation_id, event.finding_id) == act[:2]

    @rule(reviewer=reviewer)
    def redo(self, reviewer: str) -> None:
        event = self.logs[reviewer].redo()
        if not self.undone[reviewer]:
            assert event is None
            return
        act = self.undone[reviewer].pop()
        self.done[reviewer].append(act)
        assert event is not None
        assert (event.evaluation_id, event.finding_id) == act[:2]

    @invariant()
    def verdicts_are_those_of_the_stack(self) -> None:
        for (name, acts), evaluation in itertools.product(self.done.items(), self.evaluations):
            expected: dict[str, dict[str, Any]] = {}
            for identity, finding, changes in acts:
                if identity == evaluation and finding is not None:
                    expected.setdefault(finding, {}).update(changes)
            verdicts = {finding: Verdict(**fields) for finding, fields in expected.items()}
            standing = {finding: verdict for finding, verdict in verdicts.items() if verdict != Verdict()}
            assert verdicts_of(self.connection, evaluation, name) == standing

    @invariant()
    def a_rebuild_changes_nothing(self) -> None:
        before = derived(self.connection)
        rebuild(self.connection)
        assert derived(self.connection) == before


LogMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestLog = LogMachine.TestCase


def test_events_cannot_be_changed_or_deleted(tmp_path: Path) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    ReviewLog(connection, "lin").open(first)
    for statement in ("UPDATE events SET reviewer = 'me'", "DELETE FROM events", "UPDATE findings SET kept = 0"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            connection.execute(statement)


def test_fields_that_did_not_change_are_absent(tmp_path: Path) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    finding = connection.execute("SELECT id FROM findings").fetchone()[0]
    event = ReviewLog(connection, "lin").decide(first, finding, note="看原文")
    assert as_json(event)["changes"] == {"note": "看原文"}


def test_two_logs_merge_in_any_order_and_any_number_of_times(tmp_path: Path) -> None:
    logs = []
    for name in ("lin", "okafor"):
        connection, (first, second) = builders.two_evaluations(tmp_path / f"{name}.db")
        log = ReviewLog(connection, name)
        log.open(first)
        for row in connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (first,)).fetchall():
            log.decide(first, row[0], decision="agree" if name == "lin" else "not_an_error")
        log.undo()
        log.set_state(second, "skipped", "not my field")
        logs.append([from_json(as_json(event)) for event in read_events(connection)])
    results = []
    for order in ((0, 1), (1, 0, 1, 0)):
        connection = builders.two_evaluations(tmp_path / f"merged{len(order)}.db")[0]
        added = [merge(connection, logs[i]) for i in order]
        assert sum(added) == len(logs[0]) + len(logs[1])
        results.append(derived(connection))
    assert results[0] == results[1]


def test_the_log_keeps_its_order_when_the_clock_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    finding = connection.execute("SELECT id FROM findings").fetchone()[0]
    log = ReviewLog(connection, "lin")
    event = from_json(
        {
            "id": "later",
            "at": utc(datetime.now(UTC) + timedelta(hours=5)),
            "reviewer": "lin",
            "kind": "verdict",
            "evaluation": first,
            "finding": finding,
            "changes": {"decision": "agree"},
        }
    )
    merge(connection, [event])
    log.decide(first, finding, decision="unsure")
    assert verdicts_of(connection, first, "lin")[finding].decision == "unsure"
    undone = log.undo()
    assert undone is not None
    assert undone.changes == {"decision": "unsure"}


def test_folding_is_the_meaning_of_the_log(tmp_path: Path) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    finding = connection.execute("SELECT id FROM findings").fetchone()[0]
    log = ReviewLog(connection, "lin")
    log.decide(first, finding, decision="override", severity="critical")
    log.decide(first, finding, decision="agree", severity=None)
    log.undo()
    events = list(read_events(connection))
    undone = undone_ids(events)
    standing = [e for e in events if e.kind == "verdict" and e.id not in undone]
    assert fold_verdict(standing) == Verdict("override", "critical") == verdicts_of(connection, first, "lin")[finding]


def test_a_second_program_sees_and_loses_nothing(tmp_path: Path) -> None:
    connection, (first, second) = builders.two_evaluations(tmp_path / "a.db")
    other = open_database(tmp_path / "a.db")
    ReviewLog(connection, "lin").set_state(first, "done")
    ReviewLog(other, "lin").set_state(second, "done")
    assert connection.execute("SELECT count(*) FROM events").fetchone() == (2,)
