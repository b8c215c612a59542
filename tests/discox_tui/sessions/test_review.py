"""A reviewer's acts in any order, through what the screens call, against a replay of the log alone."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from discox_tui.sessions.library import Refused
from discox_tui.sessions.review import ReviewSession
from discox_tui.sessions.verdict_rules import REJECTING, category_choices, severity_choices
from judges.metric_s.human_score import human_deduction
from judges.metric_s.scoring import METRIC_S, Deduction, score
from judges.model import (
    CATEGORIES,
    DIMENSIONS,
    LEVELS,
    NO_VERDICT,
    POINT_DECISIONS,
    Decision,
    Dimension,
    MarkedError,
    Place,
    PointVerdict,
    Score,
    Verdict,
)
from storage.integrity.opening import open_library
from storage.log.events import undone_ids
from storage.record.library import StoredFinding
from storage.reviews.blinding import Blinding
from storage.reviews.events import read_events
from storage.reviews.fold import Review
from storage.reviews.projections import DERIVED, rebuild
from storage.reviews.review_state import read_work
from tests.support.driving import library
from tests.support.folding import fold_error, fold_point, fold_review, fold_verdict
from tests.support.nightly import rounds

State = dict[str, tuple[dict[str, Verdict], dict[str, MarkedError], dict[int, PointVerdict], Review]]
"""By evaluation what is said of it; not how far a blind pass is, since that is never undone."""

numbers = st.integers(1, 6)
spans = st.lists(
    st.sampled_from(
        [
            Place("source", 0, 2),
            Place("source", 5, 8),
            Place("translation", 0, 9),
            Place("translation", 10, 23),
            Place("translation", 4, 4),
        ]
    ),
    max_size=3,
    unique=True,
).map(tuple)


class SessionMachine(RuleBasedStateMachine):
    """One reviewer in the app; a plain stack of states says what undo and redo must come back to."""

    blinding: Blinding = "open"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "a.db"
        self.ids = library(path, {}, {})
        self.connection = open_library(path)
        self.session = ReviewSession(self.connection, "mei", blinding=self.blinding)
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
        states: State = {}
        for identity in self.ids:
            work = read_work(self.connection, identity, "mei")
            states[identity] = (work.verdicts, work.errors, work.points, self.review(identity))  # type: ignore[assignment]
        return states

    def review(self, identity: str) -> Review:
        return replace(self.session.log.review(identity), blind=None)

    def finding(self, number: int) -> StoredFinding:
        """One of the judge's findings; there are none as long as they are hidden."""
        assert self.session.evaluation is not None
        findings = self.session.evaluation.findings
        if not findings:
            raise Refused("it is hidden")
        return findings[number - 1]

    def error(self, number: int) -> MarkedError:
        """One of the reviewer's own errors."""
        errors = list(self.session.work.errors.values())
        if not errors:
            raise Refused("there is none yet")
        return errors[number % len(errors)]

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

    @rule(
        number=numbers,
        decision=st.sampled_from(["agree", "not_an_error", "unsure", "restore", "duplicate", "too_strict"]),
    )
    def decide(self, number: int, decision: Decision) -> None:
        self.act(lambda: self.session.decide(self.finding(number), decision))

    @rule(number=numbers, choice=st.integers(0, 2))
    def set_severity(self, number: int, choice: int) -> None:
        def do() -> Any:
            found = self.finding(number)
            levels = severity_choices(found.finding, self.session.verdict(found))
            return self.session.set_severity(found, levels[choice])

        self.act(do)

    @rule(number=numbers, choice=st.integers(0, 3))
    def set_category(self, number: int, choice: int) -> None:
        def do() -> Any:
            found = self.finding(number)
            return self.session.set_category(
                found, category_choices(found.finding, self.session.verdict(found))[choice]
            )

        self.act(do)

    @rule(number=numbers, dimension=st.sampled_from(DIMENSIONS))
    def set_dimension(self, number: int, dimension: Dimension) -> None:
        self.act(lambda: self.session.set_dimension(self.finding(number), dimension))

    @rule(number=numbers, other=st.integers(0, 7))
    def set_duplicate(self, number: int, other: int) -> None:
        self.act(lambda: self.session.set_duplicate(self.finding(number), other))

    @rule(number=numbers, text=st.sampled_from(["", "  ", "想一想 [b]", "why"]))
    def set_note(self, number: int, text: str) -> None:
        if self.session.hidden:
            return
        found = self.finding(number)
        decision = self.session.verdict(found).decision
        self.act(lambda: self.session.set_note(found, text))
        assert self.session.verdict(found).decision == decision
        assert self.session.verdict(found).note == (text.strip() or None)

    @rule(number=numbers, places=spans)
    def set_spans(self, number: int, places: tuple[Place, ...]) -> None:
        def do() -> Any:
            found = self.finding(number)
            event = self.session.set_spans(found, places)
            for side in {place.side for place in places}:
                assert {p for p in self.session.places(found) if p.side == side} == {
                    p for p in places if p.side == side
                }
            return event

        self.act(do)

    @rule(number=numbers)
    def take_back_spans(self, number: int) -> None:
        self.act(lambda: self.session.set_spans(self.finding(number), None))

    @rule(number=numbers, invented=st.booleans())
    def set_invented(self, number: int, invented: bool) -> None:
        self.act(lambda: self.session.set_invented(self.finding(number), invented))

    @rule(places=spans, dimension=st.sampled_from(DIMENSIONS), choice=st.integers(0, 3), level=st.integers(0, 2))
    def mark(self, places: tuple[Place, ...], dimension: Dimension, choice: int, level: int) -> None:
        category = list(CATEGORIES[dimension])[choice]
        severity = LEVELS[dimension][level % len(LEVELS[dimension])]
        self.act(lambda: self.session.mark(places, dimension, category, severity, "why"))

    @rule(
        number=numbers,
        dimension=st.sampled_from(DIMENSIONS),
        severity=st.sampled_from(["minor", "major", "critical"]),
        category=st.sampled_from(["omission", "grammar", "style"]),
    )
    def change_error(self, number: int, dimension: Any, severity: Any, category: str) -> None:
        def do() -> Any:
            wanted = {"dimension": dimension, "severity": severity, "category": category}
            return self.session.change_error(self.error(number), **wanted)

        self.act(do)

    @rule(number=numbers, text=st.sampled_from(["", "想一想 [b]"]), places=spans)
    def change_note_and_place_of_an_error(self, number: int, text: str, places: tuple[Place, ...]) -> None:
        self.act(lambda: self.session.set_note(self.error(number), text))
        self.act(lambda: self.session.set_spans(self.error(number), places))

    @rule(number=numbers)
    def remove_error(self, number: int) -> None:
        self.act(lambda: self.session.remove_error(self.error(number)))

    @rule(number=st.integers(0, 20), other=st.integers(0, 20), group=st.booleans())
    def set_repeat(self, number: int, other: int, group: bool) -> None:
        def do() -> Any:
            subjects = self.session.subjects
            if not subjects:
                raise Refused("there is nothing yet")
            of = subjects[other % len(subjects)] if group else None
            return self.session.set_repeat(subjects[number % len(subjects)], of)

        self.act(do)

    @rule(error=numbers, finding=numbers)
    def match(self, error: int, finding: int) -> None:
        self.act(lambda: self.session.match(self.error(error), self.finding(finding)))

    @rule(error=numbers)
    def unmatch(self, error: int) -> None:
        self.act(lambda: self.session.unmatch(self.error(error)))

    @rule(number=numbers, missed=st.booleans())
    def confirm_missed(self, number: int, missed: bool) -> None:
        self.act(lambda: self.session.confirm_missed(self.error(number), missed))

    @rule(done=st.booleans())
    def set_search(self, done: bool) -> None:
        self.act(lambda: self.session.set_search(done))
        assert self.session.work.search_done == done

    @rule(decision=st.sampled_from(["agree", "overturn", None]))
    def set_instruction(self, decision: Any) -> None:
        self.act(lambda: self.session.set_instruction(decision))

    @rule(number=st.integers(1, 2), decision=st.sampled_from(POINT_DECISIONS))
    def set_point(self, number: int, decision: Any) -> None:
        if not self.session.hidden:
            self.act(lambda: self.session.set_point(number, decision))
            assert self.session.point_decision(number) == decision

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
        self.session = ReviewSession(self.connection, "mei", blinding=self.blinding)
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
        identity = self.session.evaluation.id
        assert self.session.work == read_work(self.connection, identity, "mei")
        assert self.session.review == self.session.log.review(identity)
        rows = self.connection.execute("SELECT total, accuracy, fluency, appropriateness, marked FROM reviews r "
            "WHERE evaluation_id = ?", (identity,)).fetchall()  # fmt: skip
        human = self.session.human
        points = (human.total, human.accuracy, human.fluency, human.appropriateness) if human else (None,) * 4
        assert rows == [(*points, len(self.session.work.errors))]

    @invariant()
    def a_replay_of_the_log_gives_the_same(self) -> None:
        events = list(read_events(self.connection))
        undone = undone_ids(events)
        for identity, (verdicts, errors, points, review) in self.state().items():
            standing = [e for e in events if e.evaluation_id == identity and e.changes and e.id not in undone]

            def by_subject(kind: str, standing: list[Any] = standing) -> dict[str, list[Any]]:
                subjects = {str(e.finding_id) for e in standing if e.kind == kind}
                return {key: [e for e in standing if (e.kind, e.finding_id) == (kind, key)] for key in subjects}

            replayed = {key: fold_verdict(mine) for key, mine in by_subject("verdict").items()}
            assert {key: value for key, value in replayed.items() if value != NO_VERDICT} == verdicts
            marked = {
                key: fold_error(key, mine, key in errors and errors[key].blind)
                for key, mine in by_subject("error").items()
            }
            assert {key: value for key, value in marked.items() if value} == errors
            assert {key: fold_point(mine) for key, mine in by_subject("point").items()} == {
                f"point:{number}": value for number, value in points.items()
            }
            assert fold_review([e for e in standing if e.kind == "review"], touched=True) == review

    @invariant()
    def a_rebuild_changes_nothing(self) -> None:
        tables = [sorted(self.connection.execute(f"SELECT * FROM {name}"), key=repr) for name in DERIVED]
        rebuild(self.connection)
        assert [sorted(self.connection.execute(f"SELECT * FROM {name}"), key=repr) for name in DERIVED] == tables

    @invariant()
    def the_score_is_that_of_what_stands(self) -> None:
        assert self.session.human == self.expected_score()

    def expected_score(self) -> Score:
        session = self.session
        assert session.evaluation is not None
        if session.work.instruction == "overturn":
            return Score(0, 0, 0)
        costs: dict[str, Deduction | None] = {
            f.id: human_deduction(f.finding, session.verdict(f)) for f in session.evaluation.findings
        }
        found = {verdict.matches: identity for identity, verdict in session.work.verdicts.items() if verdict.matches}
        for error in session.work.errors.values():
            if error.id not in found:
                assert error.dimension
                assert error.severity
                costs[error.id] = (error.dimension, error.severity)
        if not session.hidden:
            points = session.work.points.items()
            costs |= {f"p{n}": ("accuracy", "violated") for n, point in points if point.decision == "violated"}
        groups = {identity: identity for identity in costs}
        of = [(e.id, e.repeat_of) for e in session.work.errors.values() if e.id not in found]
        of += found.items()
        of += [(identity, verdict.repeat_of) for identity, verdict in session.work.verdicts.items()]
        for one, other in of:
            if other:
                first, second = groups.setdefault(one, one), groups.setdefault(other, other)
                groups = {key: first if group == second else group for key, group in groups.items()}
        dearest: dict[str, Deduction] = {}
        for identity, cost in costs.items():
            if cost:
                now = dearest.get(groups[identity])
                if now is None or METRIC_S.severities[cost[1]] > METRIC_S.severities[now[1]]:
                    dearest[groups[identity]] = cost
        return score(dearest.values())

    @invariant()
    def verdicts_make_sense(self) -> None:
        assert self.session.evaluation is not None
        for found in self.session.evaluation.findings:
            verdict = self.session.verdict(found)
            if not found.finding.kept:
                assert verdict.decision in (None, "agree", "unsure", "restore")
            changed = (verdict.severity, verdict.category, verdict.dimension)
            if verdict.decision in (*REJECTING, "agree", "unsure", None):
                assert changed == (None, None, None)
                assert verdict.spans is None
                assert (verdict.duplicate_of is None) or verdict.decision == "duplicate"
            if verdict.decision in REJECTING:
                assert verdict.repeat_of is None
            if verdict.decision == "override":
                assert verdict.dimension is None
                assert any(changed) or verdict.spans
            if verdict.decision == "reattribute":
                assert verdict.dimension != found.finding.dimension
            assert verdict.duplicate_of != found.id

    @invariant()
    def errors_make_sense(self) -> None:
        subjects = self.session.subjects
        assert [self.session.find(subject.id) for subject in subjects] == list(subjects)
        labels = [self.session.label(subject) for subject in subjects]
        assert len(set(labels)) == len(labels)
        matched = [verdict.matches for verdict in self.session.work.verdicts.values() if verdict.matches]
        assert len(set(matched)) == len(matched), "an error of hers is one of the judge's at most"
        for error in self.session.work.errors.values():
            assert error.spans
            assert error.dimension
            assert error.severity in LEVELS[error.dimension]
            assert error.category in CATEGORIES[error.dimension]
            assert self.session.overlapping(error.spans) or all(start == end for _, start, end in error.spans)
        for subject in subjects:
            step, seen = subject, 0
            while (before := self.session.find(self.session.repeat_of(step))) is not None:
                step, seen = before, seen + 1
                assert seen <= len(subjects), "repeats lead to a first one"


class BlindMachine(SessionMachine):
    """The same with a blind pass before, at the end of which the judge's record is shown."""

    blinding: Blinding = "first"

    @rule()
    def reveal(self) -> None:
        before = self.state()
        shown = self.session.reveal()
        assert shown.findings
        assert not self.session.hidden
        assert self.state() == before

    @invariant()
    def nothing_of_the_judges_is_there_before(self) -> None:
        assert self.session.evaluation is not None
        assert bool(self.session.evaluation.findings) == (not self.session.hidden)
        if self.session.hidden:
            assert self.session.evaluation.score is None
            assert all(isinstance(subject, MarkedError) for subject in self.session.subjects)


BlindMachine.TestCase.settings = settings(max_examples=rounds(8, 300), stateful_step_count=30)
TestBlind = BlindMachine.TestCase
SessionMachine.TestCase.settings = settings(max_examples=rounds(8, 300), stateful_step_count=30)
TestSession = SessionMachine.TestCase
