"""Rules of verdicts, proved on the session: what each act says, what it takes back, what it costs, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from discox_tui.sessions.library import Refused
from discox_tui.sessions.review import ReviewSession
from judges.model import NO_VERDICT, Finding, MarkedError, Place, Quoted, Verdict
from storage.integrity.opening import open_library
from storage.record.library import StoredFinding
from storage.reviews.events import EVENTS, read_events
from storage.reviews.fold import Review
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import read_work
from tests.support.driving import library

RUBRIC, FLUENCY, DROPPED = 3, 4, 5
"""The numbers of the sample's finding on a rubric point, of one of fluency, and of the dropped one."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[ReviewSession]:
    first, _ = library(tmp_path / "a.db", {}, {})
    with closing(open_library(tmp_path / "a.db")) as connection:
        session = ReviewSession(connection, "mei")
        session.open(first)
        yield session


def found(session: ReviewSession, number: int = 1) -> StoredFinding:
    assert session.evaluation is not None
    return session.evaluation.findings[number - 1]


def said(session: ReviewSession, number: int = 1) -> Verdict:
    """The verdict that the session shows, which is the one that is on disk."""
    assert session.evaluation is not None
    finding = found(session, number)
    kept = read_work(session.connection, session.evaluation.id, "mei").verdicts.get(finding.id, NO_VERDICT)
    assert session.verdict(finding) == kept
    return kept


def own(session: ReviewSession, *, severity: str = "major", category: str = "omission") -> MarkedError:
    return session.mark((Place("source", 0, 2),), "accuracy", category, severity)  # type: ignore[arg-type]


# --- places ---


def test_a_second_place_on_a_side_takes_the_place_of_the_first(session: ReviewSession) -> None:
    first, second, other = Place("source", 0, 2), Place("source", 3, 4), Place("translation", 0, 9)
    session.set_spans(found(session), (first,))
    session.set_spans(found(session), (other,))
    assert session.places(found(session)) == (first, other)
    session.set_spans(found(session), (second,))
    assert session.places(found(session)) == (second, other)
    error = own(session)
    session.set_spans(error, (second,))
    session.set_spans(session.work.errors[error.id], (other,))
    assert session.work.errors[error.id].spans == (second, other)


def test_the_judges_own_place_is_no_difference(session: ReviewSession) -> None:
    (judged, _) = session.places(found(session))
    session.set_spans(found(session), (Place("source", 0, 2),))
    assert said(session).decision == "override"
    session.set_spans(found(session), (judged,))
    assert said(session) == Verdict("agree")


# --- errors of one kind ---


@pytest.mark.parametrize("decision", ["agree", "unsure"])
def test_ungrouping_leaves_the_decision(session: ReviewSession, decision: str) -> None:
    session.set_repeat(found(session, 2), found(session))
    assert said(session, 2) == Verdict("agree", repeat_of=found(session).id)
    session.decide(found(session, 2), decision)  # type: ignore[arg-type]
    session.set_repeat(found(session, 2), None)
    assert said(session, 2) == Verdict(decision)  # type: ignore[arg-type]


def test_what_repeats_another_error_is_right(session: ReviewSession) -> None:
    session.decide(found(session, 2), "not_an_error")
    session.set_repeat(found(session, 2), found(session))
    assert said(session, 2) == Verdict("agree", repeat_of=found(session).id)


# --- matching ---


def test_matching_with_a_dropped_finding_restores_it(session: ReviewSession) -> None:
    error = session.mark((Place("translation", 10, 23),), "fluency", "grammar", "minor")
    session.match(error, found(session, DROPPED))
    assert said(session, DROPPED) == Verdict("restore", matches=error.id)


def test_matching_with_a_rubric_point_agrees_with_it_whatever_the_labels(session: ReviewSession) -> None:
    error = own(session)
    session.match(error, found(session, RUBRIC))
    assert said(session, RUBRIC) == Verdict("agree", matches=error.id)


def test_matching_says_in_what_the_reviewer_labels_it_otherwise(session: ReviewSession) -> None:
    error = own(session, severity="critical")
    session.match(error, found(session))
    assert said(session) == Verdict("override", severity="critical", category="omission", matches=error.id)
    other = own(session)
    session.match(other, found(session, FLUENCY))
    moved = Verdict("reattribute", severity="major", category="omission", dimension="accuracy", matches=other.id)
    assert said(session, FLUENCY) == moved


def test_matching_leaves_what_was_said_of_the_finding_and_is_said_anew_of_what_was_none(session: ReviewSession) -> None:
    error = own(session)
    session.set_duplicate(found(session, 2), 1)
    session.match(error, found(session, 2))
    assert said(session, 2) == Verdict("duplicate", duplicate_of=found(session).id, matches=error.id)
    session.unmatch(error)
    session.decide(found(session), "not_an_error")
    session.match(error, found(session))
    assert said(session) == Verdict("override", category="omission", matches=error.id)


def test_an_error_is_one_finding_at_the_most(session: ReviewSession) -> None:
    error = own(session)
    session.match(error, found(session))
    before = said(session)
    with pytest.raises(Refused, match="error 1; take that back first"):
        session.match(error, found(session, 2))
    assert (said(session), said(session, 2)) == (before, NO_VERDICT)
    assert session.match(error, found(session)) is None


def test_what_is_no_error_is_no_match_but_a_duplicate_may_be(session: ReviewSession) -> None:
    error = own(session)
    session.match(error, found(session, 2))
    session.set_duplicate(found(session, 2), 1)
    assert said(session, 2) == Verdict("duplicate", duplicate_of=found(session).id, matches=error.id)
    session.decide(found(session, 2), "not_an_error")
    assert said(session, 2) == Verdict("not_an_error")


# --- labels ---


def test_what_the_judge_said_is_no_difference(session: ReviewSession) -> None:
    finding = found(session, FLUENCY)
    session.set_dimension(finding, "accuracy")
    session.set_severity(finding, "critical")
    assert said(session, FLUENCY) == Verdict("reattribute", dimension="accuracy", severity="critical")
    session.set_dimension(finding, "fluency")
    assert said(session, FLUENCY).dimension is None
    session.set_dimension(found(session), "accuracy")
    assert said(session) == Verdict("agree")
    session.set_severity(found(session), "critical")
    session.set_severity(found(session), "major")
    assert said(session) == Verdict("agree"), "as the judge had it"


# --- what is refused ---


@pytest.mark.parametrize(("category", "severity"), [("grammar", "major"), ("omission", "minor"), ("tone", "minor")])
def test_labels_that_a_dimension_does_not_have_are_refused(
    session: ReviewSession, category: str, severity: str
) -> None:
    with pytest.raises(Refused, match="Fluency has no"):
        session.mark((Place("source", 0, 2),), "fluency", category, severity)  # type: ignore[arg-type]
    error = session.mark((Place("source", 0, 2),), "fluency", "grammar", "minor")
    with pytest.raises(Refused, match="Fluency has no"):
        session.change_error(error, category=category, severity=severity)
    assert list(session.work.errors.values()) == [error]


@pytest.mark.parametrize("side", ["source", "translation", None])
def test_only_what_is_quoted_can_be_invented(tmp_path: Path, side: str | None) -> None:
    """A judge that was asked for quotes says in fields of their own whether there are any."""
    quoted = Quoted(**{side: "nowhere to be found"} if side else {})
    finding = Finding("accuracy", 1, "Stiff.", "1", "mistranslation", "错译", "major", "普通", quoted=quoted)
    (first,) = library(tmp_path / "b.db", {"found": (finding,)})
    with closing(open_library(tmp_path / "b.db")) as connection:
        session = ReviewSession(connection, "mei")
        session.open(first)
        if side is None:
            with pytest.raises(Refused, match="quotes nothing here"):
                session.set_invented(found(session), invented=True)
        else:
            session.set_invented(found(session), invented=True)
        assert said(session) == Verdict(invented=True if side else None)


def test_a_dropped_finding_is_changed_only_once_it_is_restored(session: ReviewSession) -> None:
    dropped = found(session, DROPPED)
    for act in (
        lambda: session.set_dimension(dropped, "accuracy"),
        lambda: session.set_spans(dropped, (Place("source", 0, 2),)),
        lambda: session.set_repeat(dropped, found(session)),
        lambda: session.refuse_dropped(dropped),
    ):
        with pytest.raises(Refused, match="De-duplication dropped this one"):
            act()
    assert said(session, DROPPED) == NO_VERDICT
    session.decide(dropped, "restore")
    session.refuse_dropped(dropped)
    session.set_dimension(dropped, "accuracy")
    assert said(session, DROPPED) == Verdict("restore", dimension="accuracy")
    with pytest.raises(Refused, match="stands already"):
        session.decide(found(session), "restore")


# --- the log ---


def test_the_parts_of_an_act_are_undone_backwards_and_redone_in_order(session: ReviewSession) -> None:
    error = own(session)
    session.match(error, found(session))
    marked = len(list(read_events(session.connection)))
    session.remove_error(error)
    events = list(read_events(session.connection))
    parts = [event.id for event in events[marked:]]
    assert len(parts) == 2
    session.undo()
    session.redo()
    after = list(read_events(session.connection))[len(events) :]
    assert [(event.kind, event.target) for event in after] == [
        ("undo", parts[1]),
        ("undo", parts[0]),
        ("redo", parts[0]),
        ("redo", parts[1]),
    ]
    assert said(session) == NO_VERDICT
    assert session.work.errors == {}


def test_undo_goes_back_act_by_act_also_on_another_evaluation(session: ReviewSession) -> None:
    assert session.evaluation is not None
    first = session.evaluation.id
    session.decide(found(session), "agree")
    (second,) = (row[0] for row in session.connection.execute("SELECT id FROM evaluations WHERE id <> ?", (first,)))
    session.open(second)
    session.decide(found(session), "unsure")
    for evaluation in (second, first):
        act = session.undo()
        assert act is not None
        assert act.evaluation_id == evaluation
        session.open(evaluation)
        assert said(session) == NO_VERDICT
    assert session.undo() is None


def test_nothing_is_said_of_an_evaluation_that_was_not_opened(session: ReviewSession) -> None:
    (second,) = (
        row[0] for row in session.connection.execute("SELECT id FROM evaluations ORDER BY position LIMIT 1 OFFSET 1")
    )
    log = ReviewLog(session.connection, "mei")
    assert log.review(second) == Review() == log.read(second).review
    session.look(second)
    assert session.review.state == "not_opened"
    assert session.human is not None
    log.set_review(second, instruction="overturn")
    assert log.review(second) == Review("in_progress", instruction="overturn") == log.read(second).review
    assert list(EVENTS.read(session.connection, "kind = 'opened' AND evaluation_id = ?", (second,))) == []


# --- the cost of an act ---


def traced(session: ReviewSession) -> list[str]:
    """The statements from now on, without those that are about other writers and touch no table."""
    statements: list[str] = []

    def note(statement: str) -> None:
        if not statement.startswith(("PRAGMA busy_timeout", "PRAGMA data_version")):
            statements.append(statement)

    session.connection.set_trace_callback(note)
    return statements


def test_a_verdict_and_all_that_is_shown_of_it_take_twelve_statements_at_the_most(session: ReviewSession) -> None:
    error = own(session)
    statements = traced(session)
    acts = {
        "the first": lambda: session.decide(found(session), "agree"),
        "another": lambda: session.decide(found(session), "not_an_error"),
        "severity": lambda: session.set_severity(found(session, 2), "minor"),
        "note": lambda: session.set_note(found(session), "看原文"),
        "duplicate": lambda: session.set_duplicate(found(session, 2), 1),
        "match": lambda: session.match(error, found(session, FLUENCY)),
        "undo": session.undo,
        "redo": session.redo,
        "done": lambda: session.set_state("done"),
    }
    counts = {}
    for name, act in acts.items():
        statements.clear()
        assert act() is not None
        _ = [(session.label(each), session.cost(each)) for each in session.subjects if isinstance(each, StoredFinding)]
        _ = session.label(error), session.human, session.decided()
        counts[name] = len(statements)
        assert [each for each in statements if each in ("BEGIN IMMEDIATE", "COMMIT")] == ["BEGIN IMMEDIATE", "COMMIT"]
    assert max(counts.values()) <= 12, counts
    assert counts["another"] <= 8


def test_a_verdict_after_the_program_was_started_again_takes_twelve_statements_too(session: ReviewSession) -> None:
    assert session.evaluation is not None
    session.decide(found(session), "agree")
    again = ReviewSession(session.connection, "mei")
    again.open(session.evaluation.id)
    statements = traced(session)
    again.decide(found(again), "unsure")
    assert len(statements) <= 12


def test_what_the_write_returns_is_what_is_read(session: ReviewSession) -> None:
    assert session.evaluation is not None
    error = own(session)
    for act in (
        lambda: session.match(error, found(session)),
        lambda: session.set_note(session.work.errors[error.id], "想一想"),
        lambda: session.set_repeat(found(session, 2), found(session)),
        lambda: session.set_instruction("agree"),
        lambda: session.remove_error(error),
        session.undo,
    ):
        act()
        shown = session.work, session.review, session.contradictions, session.human, session.subjects
        labels = [session.label(each) for each in session.subjects]
        session.refresh()
        assert shown == (session.work, session.review, session.contradictions, session.human, session.subjects)
        assert labels == [session.label(each) for each in session.subjects]
        assert session.work == read_work(session.connection, session.evaluation.id, "mei")
        assert session.review == session.log.review(session.evaluation.id)
