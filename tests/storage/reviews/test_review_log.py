"""The review log: append-only, undoable without limit, and always rebuildable."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
import tempfile
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from judges.model import DECISIONS, DIMENSIONS, POINT_DECISIONS, SEVERITIES, MarkedError, Place, Places, Verdict
from storage.db.connection import Connection, transaction
from storage.importing.verdict_log import from_json
from storage.integrity.opening import open_library
from storage.log.events import undone_ids
from storage.reviews.events import Event, as_json, read_events
from storage.reviews.projections import DERIVED, merge, rebuild
from storage.reviews.review_log import Entry, ReviewLog
from storage.reviews.review_state import errors_of, read_work, verdicts_of
from tests.support import builders
from tests.support.folding import fold_verdict
from tests.support.nightly import rounds

Act = tuple[str, str | None, str, dict[str, Any]]
"""What the model keeps of an act: evaluation, subject, kind, changes."""


def derived(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    return {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in DERIVED}


REVIEWERS = ("lin", "okafor")
notes = st.sampled_from([None, "", "想一想 [b]"])
places = st.sampled_from([None, [["source", 0, 2]], [["source", 3, 5], ["translation", 4, 9]], [["translation", 0, 0]]])
NOTHING: dict[str, Any] = dict.fromkeys(
    ("decision", "severity", "category", "dimension", "duplicate_of", "repeat_of", "spans", "matches")
)
consistent = st.sampled_from(
    [
        {},
        *({"decision": decision} for decision in ("agree", "unsure", "not_an_error")),
        {"decision": "duplicate", "duplicate_of": "f1"},
        {"decision": "agree", "repeat_of": "f2"},
        {"decision": "reattribute", "dimension": "appropriateness", "category": "tone"},
        {"decision": "override", "spans": [["source", 3, 5], ["translation", 4, 9]]},
    ]
).map(lambda said: NOTHING | said)
"""Whole verdicts on any of the judge's errors that stands; none contradicts another."""
verdicts = st.one_of(
    consistent,
    st.fixed_dictionaries({}, optional={"invented": st.sampled_from([None, True]), "note": notes}),
    st.tuples(consistent, notes).map(lambda said: said[0] | {"note": said[1]}),
)
any_verdicts = st.fixed_dictionaries(
    {},
    optional={
        "decision": st.sampled_from([None, *DECISIONS]),
        "severity": st.sampled_from([None, *SEVERITIES]),
        "dimension": st.sampled_from([None, *DIMENSIONS]),
        "duplicate_of": st.sampled_from([None, "f1", "f2"]),
        "repeat_of": st.sampled_from([None, "f1", "e1"]),
        "spans": places,
        "invented": st.sampled_from([None, True]),
        "matches": st.sampled_from([None, "e1"]),
        "note": notes,
    },
)
"""Also what makes no sense, as a log that somebody wrote by hand may hold it."""
labels = st.sampled_from(
    [
        {"dimension": "accuracy", "severity": "major", "category": "omission"},
        {"dimension": "accuracy", "severity": "critical", "category": None},
        {"dimension": "fluency", "severity": "minor", "category": "grammar"},
        {"dimension": "appropriateness", "severity": "major", "category": "style"},
    ]
)
errors = st.tuples(labels, places, notes).map(lambda said: said[0] | {"spans": said[1], "note": said[2]})
changes_of_errors = st.tuples(
    st.one_of(st.just({}), labels),
    st.fixed_dictionaries(
        {"removed": st.sampled_from([None, True])},
        optional={
            "repeat_of": st.sampled_from([None, "f1", "e9"]),
            "missed": st.sampled_from([None, True]),
            "spans": places,
            "note": notes,
        },
    ),
).map(lambda said: said[0] | said[1])
any_changes_of_errors = st.fixed_dictionaries(
    {},
    optional={
        "severity": st.sampled_from(["critical", "minor"]),
        "repeat_of": st.sampled_from([None, "f1", "e9"]),
        "missed": st.sampled_from([None, True]),
        "removed": st.sampled_from([None, True]),
        "spans": places,
        "note": notes,
    },
)


class Pass:
    """What the machine knows of one reviewer's blind pass over one evaluation."""

    def __init__(self) -> None:
        self.seen = self.started = False
        self.marked: set[str] = set()
        self.shown: dict[str, dict[str, Any]] | None = None

    @property
    def stage(self) -> str | None:
        return None if not self.started else "started" if self.shown is None else "revealed"


class LogMachine(RuleBasedStateMachine):
    """Acts in any order, against a plain undo stack, and against a rebuild from the log alone."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.connection, self.evaluations = builders.two_evaluations(Path(self.folder.name) / "a.db")
        self.logs = {name: ReviewLog(self.connection, name) for name in REVIEWERS}
        self.findings = {
            identity: [
                row[0]
                for row in self.connection.execute(
                    "SELECT id FROM findings WHERE evaluation_id = ? AND kept", (identity,)
                )
            ]
            for identity in self.evaluations
        }
        self.done: dict[str, list[Act]] = {name: [] for name in REVIEWERS}
        self.undone: dict[str, list[Act]] = {name: [] for name in REVIEWERS}
        self.passes = {key: Pass() for key in itertools.product(REVIEWERS, self.evaluations)}
        self.spent = 0

    def teardown(self) -> None:
        self.connection.close()
        self.folder.cleanup()

    # --- what the machine knows ---

    def fold(self, reviewer: str, evaluation: str, kind: str) -> dict[str, dict[str, Any]]:
        """What stands of a kind, by subject."""
        found: dict[str, dict[str, Any]] = {}
        for identity, subject, kind_of_act, changes in self.done[reviewer]:
            if (identity, kind_of_act) == (evaluation, kind):
                found.setdefault(subject or "", {}).update(changes)
        return found

    def marked_by(self, reviewer: str, evaluation: str) -> dict[str, dict[str, Any]]:
        standing = self.fold(reviewer, evaluation, "error")
        return {key: fields for key, fields in standing.items() if "dimension" in fields and not fields.get("removed")}

    def show(self, reviewer: str, evaluation: str) -> None:
        """The reviewer sees something of the judge's."""
        now = self.passes[reviewer, evaluation]
        if now.stage == "started":
            now.shown = self.marked_by(reviewer, evaluation)
        now.seen = True

    def act(self, reviewer: str, act: Act) -> None:
        self.done[reviewer].append(act)
        self.undone[reviewer].clear()

    reviewer = st.sampled_from(REVIEWERS)
    evaluation = st.integers(0, 1)

    @rule(reviewer=reviewer, evaluation=evaluation, finding=st.integers(0, 3), changes=verdicts)
    def decide(self, reviewer: str, evaluation: int, finding: int, changes: dict[str, Any]) -> None:
        identity = self.evaluations[evaluation]
        self.show(reviewer, identity)
        self.logs[reviewer].decide(identity, self.findings[identity][finding], **changes)
        self.act(reviewer, (identity, self.findings[identity][finding], "verdict", changes))

    @rule(reviewer=reviewer, evaluation=evaluation, number=st.integers(1, 2), decision=st.sampled_from(POINT_DECISIONS))
    def set_point(self, reviewer: str, evaluation: int, number: int, decision: str) -> None:
        identity = self.evaluations[evaluation]
        self.show(reviewer, identity)
        self.logs[reviewer].set_point(identity, number, decision=decision)
        self.act(reviewer, (identity, f"point:{number}", "point", {"decision": decision}))

    @rule(reviewer=reviewer, evaluation=evaluation, changes=errors)
    def mark(self, reviewer: str, evaluation: int, changes: dict[str, Any]) -> None:
        identity = self.evaluations[evaluation]
        entry = self.logs[reviewer].mark(identity, **changes)
        self.marked(reviewer, identity, str(entry.event.finding_id), changes)

    @rule(reviewer=reviewer, which=st.integers(0, 20), changes=changes_of_errors)
    def change_error(self, reviewer: str, which: int, changes: dict[str, Any]) -> None:
        known = [act for act in self.done[reviewer] if act[2] == "error"]
        if known:
            identity, subject = known[which % len(known)][:2]
            self.logs[reviewer].mark(identity, subject, **changes)
            self.marked(reviewer, identity, str(subject), changes)

    def marked(self, reviewer: str, identity: str, subject: str, changes: dict[str, Any]) -> None:
        if self.passes[reviewer, identity].stage == "started":
            self.passes[reviewer, identity].marked.add(subject)
        self.act(reviewer, (identity, subject, "error", changes))

    @rule(
        reviewer=reviewer,
        evaluation=evaluation,
        wanted=st.sampled_from(
            [
                *({"state": state, "reason": None} for state in ("done", "in_progress")),
                {"state": "skipped", "reason": "late"},
                *({"search": value} for value in ("done", None)),
                *({"instruction": value} for value in ("agree", "overturn", None)),
            ]
        ),
    )
    def set_review(self, reviewer: str, evaluation: int, wanted: dict[str, Any]) -> None:
        identity = self.evaluations[evaluation]
        entry = self.logs[reviewer].set_review(identity, **wanted)
        if entry:
            self.act(reviewer, (identity, None, "review", entry.event.changes))
        review = self.logs[reviewer].review(identity)
        assert {name: getattr(review, name) for name in wanted} == wanted

    @rule(reviewer=reviewer, evaluation=evaluation, hidden=st.booleans())
    def open(self, reviewer: str, evaluation: int, hidden: bool) -> None:
        identity = self.evaluations[evaluation]
        new = self.logs[reviewer].review(identity).state == "not_opened"
        self.logs[reviewer].open(identity, hidden=hidden)
        if new and hidden:
            now = self.passes[reviewer, identity]
            now.started = not now.seen
            if now.started:  # what was marked before, and taken back, was marked blind too
                acts = (*self.done[reviewer], *self.undone[reviewer])
                now.marked |= {str(act[1]) for act in acts if (act[0], act[2]) == (identity, "error")}
        elif new:
            self.show(reviewer, identity)

    @rule(reviewer=reviewer, evaluation=evaluation)
    def reveal(self, reviewer: str, evaluation: int) -> None:
        identity = self.evaluations[evaluation]
        self.logs[reviewer].reveal(identity)
        if self.passes[reviewer, identity].stage == "started":
            self.show(reviewer, identity)

    @rule(reviewer=reviewer, evaluation=evaluation)
    def spend(self, reviewer: str, evaluation: int) -> None:
        self.logs[reviewer].spend(self.evaluations[evaluation], {"": 1.5, "f1": 2})
        self.spent += 1

    @rule(reviewer=reviewer)
    def undo(self, reviewer: str) -> None:
        self.step(self.logs[reviewer].undo(), self.done[reviewer], self.undone[reviewer])

    @rule(reviewer=reviewer)
    def redo(self, reviewer: str) -> None:
        self.step(self.logs[reviewer].redo(), self.undone[reviewer], self.done[reviewer])

    @staticmethod
    def step(entry: Entry | None, taken: list[Act], given: list[Act]) -> None:
        if not taken:
            assert entry is None
            return
        given.append(taken.pop())
        assert entry is not None
        event = entry.event
        assert (event.evaluation_id, event.finding_id, event.kind, event.changes) == given[-1]

    # --- what always holds ---

    @invariant()
    def what_stands_is_what_is_on_the_stack(self) -> None:
        for name, evaluation in itertools.product(REVIEWERS, self.evaluations):
            expected = {
                finding: Verdict(**fields | {"spans": as_places(fields.get("spans"))})
                for finding, fields in self.fold(name, evaluation, "verdict").items()
            }
            work = read_work(self.connection, evaluation, name)
            assert work.verdicts == {key: verdict for key, verdict in expected.items() if verdict != Verdict()}
            points = self.fold(name, evaluation, "point")
            assert {f"point:{number}": point.decision for number, point in work.points.items()} == {
                key: fields["decision"] for key, fields in points.items()
            }
            review = self.fold(name, evaluation, "review").get("", {})
            assert work.search_done == (review.get("search") == "done")
            assert work.instruction == review.get("instruction")

    @invariant()
    def errors_are_those_of_the_stack(self) -> None:
        for name, evaluation in itertools.product(REVIEWERS, self.evaluations):
            assert errors_of(self.connection, evaluation, name) == {
                key: MarkedError(
                    key,
                    blind=key in self.passes[name, evaluation].marked,
                    **fields | {"spans": as_places(fields["spans"]) or (), "category": fields.get("category")},
                )
                for key, fields in (
                    (key, {name: value for name, value in fields.items() if name != "removed"})
                    for key, fields in self.marked_by(name, evaluation).items()
                )
            }

    @invariant()
    def what_was_marked_blind_is_kept_as_it_was(self) -> None:
        for (name, evaluation), now in self.passes.items():
            assert self.logs[name].review(evaluation).blind == now.stage
            expected = (self.marked_by(name, evaluation) if now.shown is None else now.shown) if now.started else {}
            rows = self.connection.execute(
                "SELECT id, dimension, severity, spans FROM blind_errors WHERE evaluation_id = ? AND reviewer = ?",
                (evaluation, name),
            )
            assert {row[0]: (row[1], row[2], json.loads(row[3])) for row in rows} == {
                key: (fields["dimension"], fields["severity"], fields["spans"] or [])
                for key, fields in expected.items()
                if key in now.marked
            }

    @invariant()
    def time_is_only_ever_added(self) -> None:
        count = self.connection.execute("SELECT count(*) FROM events WHERE kind = 'time'").fetchone()[0]
        assert count == self.spent

    @invariant()
    def a_rebuild_changes_nothing(self) -> None:
        before = derived(self.connection)
        rebuild(self.connection)
        assert derived(self.connection) == before


def as_places(value: list[list[Any]] | None) -> Places | None:
    return None if value is None else tuple(Place(*place) for place in value)


LogMachine.TestCase.settings = settings(max_examples=rounds(8, 300), stateful_step_count=25)
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
    event, _ = ReviewLog(connection, "lin").decide(first, finding, note="看原文")
    assert as_json(event)["changes"] == {"note": "看原文"}


one_act = st.one_of(
    st.tuples(st.just("decide"), st.integers(0, 1), st.integers(0, 2), any_verdicts),
    st.tuples(st.just("mark"), st.integers(0, 1), st.integers(0, 2), errors),
    st.tuples(st.just("mark"), st.integers(0, 1), st.integers(0, 2), any_changes_of_errors),
    st.tuples(st.just("set_point"), st.integers(0, 1), st.integers(1, 2), st.just({"decision": "met"})),
    st.tuples(
        st.just("set_review"),
        st.integers(0, 1),
        st.just(0),
        st.sampled_from([{"search": "done"}, {"state": "done"}, {"instruction": "overturn"}]),
    ),
    st.tuples(
        st.sampled_from(["open", "hidden", "reveal", "undo", "redo"]), st.integers(0, 1), st.just(0), st.just({})
    ),
)


def perform(log: ReviewLog, evaluations: list[str], findings: list[str], act: tuple[str, int, int, Any]) -> None:
    name, which, number, changes = act
    evaluation = evaluations[which]
    match name:
        case "decide":
            log.decide(evaluation, f"{findings[number]}", **changes)
        case "mark":
            log.mark(evaluation, f"e{number}", **changes)
        case "set_point":
            log.set_point(evaluation, number, **changes)
        case "set_review":
            log.set_review(evaluation, **changes)
        case "open" | "hidden":
            log.open(evaluation, hidden=name == "hidden")
        case "reveal":
            log.reveal(evaluation)
        case "undo":
            log.undo()
        case "redo":
            log.redo()


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A library of two evaluations and no reviews, to be copied."""
    path = tmp_path_factory.mktemp("merge") / "empty.db"
    connection, evaluations = builders.two_evaluations(path)
    connection.close()
    return path, evaluations


@given(
    acts=st.lists(st.tuples(st.integers(0, 1), st.sampled_from(REVIEWERS), one_act), max_size=24),
    chance=st.randoms(use_true_random=False),
)
def test_logs_merge_in_any_order_and_any_number_of_times(
    empty: tuple[Path, list[str]], acts: list[tuple[int, str, Any]], chance: Any
) -> None:
    """Two files in which the same two reviewers work, taken together in pieces and again."""
    path, evaluations = empty
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:

        def copy(name: str) -> Connection:
            shutil.copy(path, Path(folder) / name)
            return stack.enter_context(closing(open_library(Path(folder) / name)))

        files = [copy("0.db"), copy("1.db")]
        findings = [row[0] for row in files[0].execute("SELECT id FROM findings ORDER BY evaluation_id, number")][:3]
        for which, reviewer, act in acts:
            perform(ReviewLog(files[which], reviewer), evaluations, findings, act)
        events = [from_json(as_json(event)) for file in files for event in read_events(file)]
        whole = copy("whole.db")
        assert merge(whole, events) == len(events)
        pieces = copy("pieces.db")
        shuffled = chance.sample(events, len(events)) + events[: len(events) // 2]
        assert sum(merge(pieces, shuffled[at : at + 3]) for at in range(0, len(shuffled), 3)) == len(events)
        assert derived(pieces) == derived(whole)
        rebuild(whole)
        assert derived(pieces) == derived(whole)


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
    other = open_library(tmp_path / "a.db")
    ReviewLog(connection, "lin").set_state(first, "done")
    ReviewLog(other, "lin").set_state(second, "done")
    assert connection.execute("SELECT count(*) FROM events").fetchone() == (2,)


def test_an_act_takes_up_what_was_said_since_the_last_one_wherever_it_was_said(tmp_path: Path) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    finding = connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (first,)).fetchone()[0]
    other = open_library(tmp_path / "a.db")
    elsewhere = Event(
        id="e" * 32,
        at="2020-01-01T00:00:00.000000Z",
        kind="verdict",
        counter=1,
        reviewer="lin",
        evaluation_id=first,
        finding_id=finding,
        guideline="",
        changes={"invented": True},
    )
    log = ReviewLog(connection, "lin")
    log.decide(first, finding, decision="agree")
    for number, say in enumerate(
        (
            lambda: ReviewLog(other, "lin").mark(first, "e1", spans=[["source", 0, 2]], severity="minor"),
            lambda: ReviewLog(connection, "lin").set_point(first, 7, decision="met"),
            lambda: log.spend(first, {"": 2.5}),
            lambda: merge(connection, [elsewhere]),
            log.undo,
            lambda: None,
        )
    ):
        say()
        entry = log.decide(first, finding, note=f"note {number}")
        assert entry.fold == log.read(first)
        kept = derived(connection)
        rebuild(connection)
        assert derived(connection) == kept
    assert set(entry.fold.work.errors) == {"e1"}
    assert entry.fold.work.verdicts[finding].invented


def test_an_act_whose_transaction_fails_leaves_nothing_of_itself_to_the_next(tmp_path: Path) -> None:
    connection, (first, _) = builders.two_evaluations(tmp_path / "a.db")
    finding = connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (first,)).fetchone()[0]
    log = ReviewLog(connection, "lin")
    log.decide(first, finding, decision="agree")
    with suppress(RuntimeError), transaction(connection):
        log.decide(first, finding, note="lost")
        raise RuntimeError
    ReviewLog(connection, "lin").spend(first, {"": 1.0})  # there are as many events as there would have been
    entry = log.decide(first, finding, invented=True)
    assert entry.fold.work.verdicts[finding] == Verdict("agree", invented=True)
    assert verdicts_of(connection, first, "lin")[finding] == Verdict("agree", invented=True)
