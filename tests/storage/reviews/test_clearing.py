"""Taking a verdict back: nothing is decided then, nothing that was written is lost, and undo brings it back."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discox_tui.screens.adjudication.screen import AdjudicationScreen
from discox_tui.screens.review.deduplication import DeduplicationScreen
from discox_tui.screens.review.matching import MatchingScreen
from discox_tui.screens.review.rubric import RubricScreen
from discox_tui.sessions.library import Refused
from discox_tui.sessions.review import ReviewSession
from judges.model import NO_VERDICT, Place, Verdict
from storage.importing.verdict_log import from_json
from storage.integrity.opening import open_library
from storage.reviews.blinding import choose_blinding
from storage.reviews.disagreements import Adjudication, read_docket
from storage.reviews.events import ACTS, as_json, read_events
from storage.reviews.projections import DERIVED, rebuild
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import read_work
from tests.support import builders
from tests.support.driving import Driver, library, opened
from tests.support.tables import dump


@pytest.fixture
def path(tmp_path: Path) -> Path:
    library(tmp_path / "a.db", {}, {})
    return tmp_path / "a.db"


def last(driver: Driver) -> dict[str, Any]:
    """The last act's changes."""
    return next(event["changes"] for event in reversed(driver.events) if event["kind"] in ACTS)


# --- what it does to the log ---


def test_all_but_the_note_is_taken_back_and_comes_back(path: Path) -> None:
    with closing(open_library(path)) as connection:
        session = ReviewSession(connection, "mei")
        session.open(connection.execute("SELECT id FROM evaluations").fetchone()[0])
        assert session.evaluation is not None
        stored, other, *_ = session.evaluation.findings
        with pytest.raises(Refused, match="no verdict here"):
            session.clear(stored)
        session.set_note(stored, "why")
        with pytest.raises(Refused, match="no verdict here"):
            session.clear(stored)
        untouched = session.human
        session.decide(other, "agree")
        agreed = session.human
        session.set_severity(stored, "critical")
        session.set_spans(stored, (Place("translation", 0, 3),))
        session.set_invented(stored, True)
        session.set_repeat(stored, other)
        before = session.verdict(stored)
        event = session.clear(stored)
        assert set(event.changes) == {"decision", "severity", "spans", "invented", "repeat_of"}
        assert not any(event.changes.values())
        assert from_json(as_json(event)) == event, "other libraries read it"
        assert session.verdict(stored) == Verdict(note="why")
        assert session.human == agreed
        assert session.decided() == 1
        session.undo()
        assert session.verdict(stored) == before
        session.redo()
        session.clear(other)
        assert (session.verdict(other), session.human) == (NO_VERDICT, untouched)
        derived = {name: dump(path)[name] for name in DERIVED}
        rebuild(connection)
        assert {name: dump(path)[name] for name in DERIVED} == derived


def test_a_rubric_point_that_is_no_finding(path: Path) -> None:
    with closing(open_library(path)) as connection:
        session = ReviewSession(connection, "mei")
        session.open(connection.execute("SELECT id FROM evaluations").fetchone()[0])
        with pytest.raises(Refused, match="no verdict here"):
            session.clear_point(7)
        session.set_point(7, "met")
        session.set_point_note(7, "why")
        session.clear_point(7)
        assert (session.point_decision(7), session.point_note(7)) == (None, None)
        session.set_point(7, "violated")
        assert session.point_note(7) == "why", "the note was kept for it"


def test_what_was_settled_is_open_again(tmp_path: Path) -> None:
    """Of every kind: a finding, a point, a missed error that was taken, or called none, the instruction check."""
    path = tmp_path / "a.db"
    connection, (first, _) = builders.two_evaluations(path)
    with closing(connection):
        findings = [f for (f,) in connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (first,))]
        lin, okafor = ReviewLog(connection, "lin"), ReviewLog(connection, "okafor")
        for log, decision, point, instruction in (
            (lin, "agree", "met", "agree"),
            (okafor, "not_an_error", "violated", "overturn"),
        ):
            log.open(first)
            for finding in findings:
                log.decide(first, finding, decision="agree" if finding != findings[0] else decision)
            log.set_point(first, 7, decision=point)
            log.set_review(first, state="done", search="done", instruction=instruction)
        lin.mark(first, dimension="fluency", category="grammar", severity="minor", spans=[["translation", 5, 9]])
        hers = "mei:adjudicated"
        hand = Adjudication(ReviewLog(connection, hers))
        (case,) = read_docket(connection, "mei").cases
        kinds = {each.compared.kind for each in case.disagreements}
        assert kinds == {"finding", "point", "error", "instruction"}
        for each in case.disagreements:
            takes = list(each.compared.opinions.values())
            for saying in takes:
                hand.settle(first, each.compared, saying)
                standing = read_work(connection, first, hers)
                assert read_docket(connection, "mei").cases[0].left == case.left - 1
                hand.unsettle(first, each.compared)
                assert read_docket(connection, "mei").cases[0].left == case.left
                hand.log.undo()
                assert read_work(connection, first, hers) == standing
                hand.log.redo()
                assert read_docket(connection, "mei").cases[0].left == case.left
            hand.settle(first, each.compared, takes[0])
            hand.unsettle(first, each.compared)
        work = read_work(connection, first, hers)
        assert (work.points, work.errors, work.instruction) == ({}, {}, None)
        assert all(from_json(as_json(event)) == event for event in read_events(connection))


# --- by a key ---


async def test_in_the_review(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("backspace")
        assert "no verdict here" in driver.said[0]
        await driver.press("a", "[", "n", *"why", "enter", "backspace")
        assert last(driver) == {"decision": None}
        assert driver.verdict(1) == Verdict(note="why")
        assert driver.number == 1
        assert driver.said == ["Your verdict on error 1 is cleared, your note stays. u brings it back."]
        await driver.press("u")
        assert driver.said[0].startswith("Undid: clearing your verdict, error 1 of")
        assert driver.verdict(1).decision == "agree"
        await driver.press("]", "]", "]", "]", "b", "[", "delete")
        assert (driver.number, last(driver)) == (5, {"decision": None}), "of what was dropped, too"
        await driver.press("v", "right", "backspace")
        assert len([event for event in driver.events if event["kind"] == "verdict"]) == 5, "not while text is selected"


async def test_a_blind_pass_is_told_nothing(path: Path) -> None:
    with closing(open_library(path)) as connection:
        choose_blinding(connection, "mei", "first")
    async with opened(path) as driver:
        screen = await driver.review()
        await driver.press("backspace")
        assert "hidden" in driver.said[0]
        driver.app.session.mark((Place("translation", 4, 9),), "fluency", "grammar", "minor")
        screen.controller.refresh()
        await driver.press("backspace")
        assert "your own" in driver.said[0]
        await driver.press("P", "backspace")
        assert "hidden" in driver.said[0]
        assert [event["kind"] for event in driver.events] == ["hiding", "blind", "error"]


async def test_whether_the_judge_found_it_is_open_again(path: Path) -> None:
    with closing(open_library(path)) as connection:
        choose_blinding(connection, "mei", "first")
    async with opened(path) as driver:
        screen = await driver.review()
        session = driver.app.session
        error = session.mark((Place("translation", 4, 9),), "fluency", "grammar", "minor")
        screen.controller.refresh()
        await driver.press("R", "2")
        await driver.on(MatchingScreen)
        await driver.press("backspace")
        assert "nothing to clear" in driver.said[0]
        for key in ("m", "o"):
            await driver.press(key, *(["enter"] if key == "o" else []))
            assert not session.work.unconfirmed
            await driver.press("backspace")
            assert list(session.work.unconfirmed) == [error.id]
            assert not any(verdict.decision for verdict in session.work.verdicts.values())
        await driver.press("u")
        assert not session.work.unconfirmed, "one act"


async def test_on_the_screens_beside(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("P")
        await driver.on(RubricScreen)
        await driver.press("1", "n", *"why", "enter", "[", "backspace")
        assert driver.app.session.point_decision(1) is None
        assert driver.said == ["Your verdict on rubric point 1 is cleared, your note stays. u brings it back."]
        await driver.press("u")
        assert driver.app.session.point_decision(1) == "met"
        await driver.press("escape", "D")
        screen = await driver.on(DeduplicationScreen)
        rows = screen.list.rows
        dropped = next(i for i, row in enumerate(rows) if row.stored and not row.stored.finding.kept)
        screen.select(dropped)
        await driver.press("b")
        screen.select(dropped)
        await driver.press("backspace")
        assert last(driver) == {"decision": None}
        assert "is cleared" in driver.said[0]
        await driver.press("backspace")
        assert "no verdict here" in driver.said[0]


async def test_where_reviewers_differ(path: Path) -> None:
    with closing(open_library(path)) as connection:
        (first,) = connection.execute("SELECT id FROM evaluations ORDER BY rowid LIMIT 1").fetchone()
        findings = [f for (f,) in connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (first,))]
        for name, decision in (("lin", "agree"), ("okafor", "not_an_error")):
            log = ReviewLog(connection, name)
            log.open(first)
            for finding in findings:
                log.decide(first, finding, decision=decision if finding == findings[0] else "agree")
            log.set_review(first, state="done", search="done")
    async with opened(path) as driver:
        await driver.press("d")
        screen = await driver.on(AdjudicationScreen)
        await driver.press("backspace")
        assert "not settled" in driver.said[0]
        await driver.press("2", "up", "backspace")
        assert not screen.table.rows[0].case.disagreements[0].settled
        assert driver.said == ["What holds of error 1 is open again. u brings back what you settled."]
        await driver.press("u")
        assert screen.table.rows[0].case.disagreements[0].settled


@pytest.mark.parametrize("key", ["backspace", "3"])
async def test_the_instruction_check(path: Path, key: str) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        await driver.press("I", "backspace")
        assert driver.app.screen is not screen, "there is nothing to take back yet"
        await driver.press("1", "I", key)
        assert (last(driver), driver.app.session.work.instruction) == ({"instruction": None}, None)
        assert driver.said == ["Your verdict on the instruction check is cleared. u brings it back."]
        await driver.press("u")
        assert driver.app.session.work.instruction == "agree"
