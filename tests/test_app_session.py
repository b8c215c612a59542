"""A reviewer's acts in any order, through what the screens call, against a replay of the log alone."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from discox_tui.review_session import Refused, ReviewSession, category_choices, severity_choices
from judges.metric_s.reviewing import reviewed
from judges.metric_s.scoring import score
from judges.model import DIMENSIONS, NO_VERDICT, Decision, Dimension, Verdict
from storage.connection import open_database
from storage.library import StoredFinding
from storage.review_log import Review, fold_review, fold_verdict, read_events, rebuild, undone_ids, verdicts_of

from .driving import library

DERIVED = ("verdicts", "reviews", "undone")
State = tuple[dict[str, dict[str, Verdict]], dict[str, Review]]


class SessionMachine(RuleBasedStateMachine):
    """One reviewer in the app; a plain stack of states says what undo and redo must come back to."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "a.db"
        self.ids = library(path, {}, {})
        self.connection = open_database(path)
        self.session = ReviewSession(self.connection, "mei")
        self.session.open(self.ids[0])
        self.session.open(self.ids[1])
        self.session.open(self.ids[0])
        self.past: list[State] = []
        self.future: list[State] = []

    def teardown(self) -> None:
        self.connection.close()
        self.folder.cleanup()

    # --- what the machine knows ---

    def state(self) -> State:
        verdicts = {identity: verdicts_of(self.connection, identity, "mei") for identity in self.ids}
        rows = self.connection.execute("SELECT evaluation_id, state, reason FROM reviews ORDER BY 1")
        return verdicts, {identity: Review(state, reason) for identity, state, reason in rows}

    def finding(self, number: int) -> StoredFinding:
        assert self.session.evaluation is not None
        return self.session.evaluation.findings[number - 1]

    def act(self, do: Any) -> None:
        """Do something that is one act, or nothing, or refused."""
        before = self.state()
        log = len(list(read_events(self.connection)))
        try:
            event = do()
        except Refused:
            event = None
        if event is None:
            assert self.state() == before
            assert len(list(read_events(self.connection))) == log
        else:
            self.past.append(before)
            self.future.clear()

    numbers = st.integers(1, 6)

    @rule(
        number=numbers,
        decision=st.sampled_from(["agree", "not_an_error", "unsure", "restore", "duplicate"]),
    )
    def decide(self, number: int, decision: Decision) -> None:
        self.act(lambda: self.session.decide(self.finding(number), decision))

    @rule(number=numbers, choice=st.integers(0, 2))
    def set_severity(self, number: int, choice: int) -> None:
        found = self.finding(number)

        def do() -> Any:
            levels = severity_choices(found.finding, self.session.verdict(found))
            return self.session.set_severity(found, levels[choice])

        self.act(do)

    @rule(number=numbers, choice=st.integers(0, 3))
    def set_category(self, number: int, choice: int) -> None:
        found = self.finding(number)

        def do() -> Any:
            return self.session.set_category(
                found, category_choices(found.finding, self.session.verdict(found))[choice]
            )

        self.act(do)

    @rule(number=numbers, dimension=st.sampled_from(DIMENSIONS))
    def set_dimension(self, number: int, dimension: Dimension) -> None:
        found = self.finding(number)
        self.act(lambda: self.session.set_dimension(found, dimension))

    @rule(number=numbers, other=st.integers(0, 7))
    def set_duplicate(self, number: int, other: int) -> None:
        found = self.finding(number)
        self.act(lambda: self.session.set_duplicate(found, other))

    @rule(number=numbers, text=st.sampled_from(["", "  ", "想一想 [b]", "why"]))
    def set_note(self, number: int, text: str) -> None:
        found = self.finding(number)
        decision = self.session.verdict(found).decision
        self.act(lambda: self.session.set_note(found, text))
        assert self.session.verdict(found).decision == decision
        assert self.session.verdict(found).note == (text.strip() or None)

    @rule(state=st.sampled_from(["done", "skipped", "in_progress"]))
    def set_state(self, state: Any) -> None:
        before = self.state()
        reason = "late" if state == "skipped" else None
        new = (self.session.review.state, self.session.review.reason) != (state, reason)
        self.session.set_state(state, reason)
        if new:
            self.past.append(before)
            self.future.clear()
        assert (self.session.review.state, self.session.review.reason) == (state, reason)

    @rule(which=st.integers(0, 1))
    def open(self, which: int) -> None:
        before = self.state()
        self.session.open(self.ids[which])
        assert self.state() == before

    @rule()
    def restart(self) -> None:
        """Another session on the same file knows all of it."""
        assert self.session.evaluation is not None
        identity = self.session.evaluation.id
        self.session = ReviewSession(self.connection, "mei")
        self.session.open(identity)

    @rule()
    def undo(self) -> None:
        before = self.state()
        event = self.session.undo()
        if not self.past:
            assert event is None
            assert self.state() == before
            return
        assert event is not None
        self.future.append(before)
        assert self.state() == self.past.pop()

    @precondition(lambda self: self.future)
    @rule()
    def redo(self) -> None:
        before = self.state()
        assert self.session.redo() is not None
        self.past.append(before)
        assert self.state() == self.future.pop()

    @precondition(lambda self: not self.future)
    @rule()
    def redo_nothing(self) -> None:
        before = self.state()
        assert self.session.redo() is None
        assert self.state() == before

    # --- what always holds ---

    @invariant()
    def what_is_shown_is_what_is_on_disk(self) -> None:
        assert self.session.evaluation is not None
        verdicts, states = self.state()
        assert self.session.work.verdicts == verdicts[self.session.evaluation.id]
        assert self.session.review == states[self.session.evaluation.id]

    @invariant()
    def a_replay_of_the_log_gives_the_same(self) -> None:
        events = list(read_events(self.connection))
        undone = undone_ids(events)
        verdicts, states = self.state()
        for identity in self.ids:
            standing = [e for e in events if e.evaluation_id == identity and e.changes and e.id not in undone]
            replayed = {
                finding: fold_verdict([e for e in standing if e.finding_id == finding])
                for finding in {e.finding_id for e in standing if e.finding_id}
            }
            assert {key: value for key, value in replayed.items() if value != NO_VERDICT} == verdicts[identity]
            assert fold_review([e for e in standing if e.kind == "review"], touched=True) == states[identity]

    @invariant()
    def a_rebuild_changes_nothing(self) -> None:
        tables = [self.connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in DERIVED]
        rebuild(self.connection)
        assert [self.connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in DERIVED] == tables

    @invariant()
    def the_score_is_that_of_what_stands(self) -> None:
        assert self.session.evaluation is not None
        costs = [reviewed(f.finding, self.session.verdict(f)) for f in self.session.evaluation.findings]
        assert self.session.human == score(cost for cost in costs if cost)

    @invariant()
    def verdicts_make_sense(self) -> None:
        assert self.session.evaluation is not None
        for found in self.session.evaluation.findings:
            verdict = self.session.verdict(found)
            if not found.finding.kept:
                assert verdict.decision in (None, "agree", "unsure", "restore")
            changed = (verdict.severity, verdict.category, verdict.dimension)
            if verdict.decision in ("agree", "not_an_error", "unsure", None):
                assert changed == (None, None, None)
                assert verdict.duplicate_of is None
            if verdict.decision == "override":
                assert verdict.dimension is None
                assert any(changed)
            if verdict.decision == "reattribute":
                assert verdict.dimension != found.finding.dimension
            assert verdict.duplicate_of != found.id


SessionMachine.TestCase.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
TestSession = SessionMachine.TestCase
