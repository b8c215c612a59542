"""Blind first: errors marked before the judge's are seen, the reveal, the comparison, assignments, and what is kept."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.screens.common.dialogs import Choose
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.matching import MatchingScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.sessions.review import ReviewSession
from judges.consistency.spans import match_errors
from judges.model import DIMENSIONS, MarkedError, Place
from storage.db.connection import insert
from storage.integrity.opening import open_library
from storage.reviews.blinding import blinding_of, choose_blinding, hides, is_hidden
from storage.reviews.projections import rebuild
from storage.reviews.queue import Queue
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support.builders import SOURCE, TRANSLATION
from tests.support.driving import Driver, library, opened

# What ``builders.findings`` makes, by number: 1 accuracy major (变浅, grows shallow), 2 accuracy critical (仍旧, still),
# 3 rubric (渡船), 4 fluency (with few passengers), 5 fluency dropped, 6 appropriateness (waits for no one).


def place(words: str) -> Place:
    """Where words stand, in whichever text they are."""
    text, side = (TRANSLATION, "translation") if words in TRANSLATION else (SOURCE, "source")
    start = text.index(words)
    return Place(side, start, start + len(words))  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two evaluations; of the first, mei marked four errors blind: two are the judge's, and are labelled otherwise."""
    path = tmp_path / "a.db"
    ids = library(path, {}, {})
    with closing(open_library(path)) as connection:
        choose_blinding(connection, "mei", "first")
        session = ReviewSession(connection, "mei", blinding="first")
        session.open(ids[0])
        assert session.hidden
        session.mark((place("grows shallow"),), "accuracy", "mistranslation", "major")
        session.mark((place("few passengers"),), "accuracy", "omission", "critical")
        session.mark((place("every night"),), "fluency", "grammar", "minor", note="why")
        session.mark((place("江是不会等人的"),), "accuracy", "omission", "major")
    return path


async def revealed(driver: Driver) -> MatchingScreen:
    """Open the first evaluation, reveal it and come to the comparison."""
    await driver.review(0)
    await driver.press("R")
    await driver.on(Choose)
    await driver.press("2")
    return await driver.on(MatchingScreen)


def marked(driver: Driver) -> dict[str, MarkedError]:
    """The errors of the open evaluation, by the words that they are on."""
    evaluation = driver.app.session.evaluation
    assert evaluation is not None
    errors = driver.app.session.work.errors.values()
    return {evaluation.text(e.spans[0].side)[e.spans[0].start : e.spans[0].end]: e for e in errors}


def found(driver: Driver) -> dict[str, int]:
    """The words of an error → the number of the judge's that it is, as she said."""
    session = driver.app.session
    assert session.evaluation is not None
    numbers = {f.id: f.number for f in session.evaluation.findings}
    matched = session.work.matched
    return {words: numbers[matched[error.id]] for words, error in marked(driver).items() if error.id in matched}


async def test_each_error_is_confirmed_with_a_key(path: Path) -> None:
    async with opened(path) as driver:
        screen = await revealed(driver)
        assert "0 of 4 confirmed" in driver.bar("#title")
        said = {"every night": "m", "grows shallow": "y", "few passengers": "y", "江是不会等人的": "m"}
        for number in range(1, 5):
            assert screen.error is not None
            words = next(words for words, error in marked(driver).items() if error == screen.error)
            assert f"“{words}”" in driver.text
            await driver.press(said[words])
            assert f"{number} of 4 confirmed" in driver.bar("#title")
        assert found(driver) == {"grows shallow": 1, "few passengers": 4}
        assert [words for words, error in marked(driver).items() if error.missed] == ["江是不会等人的", "every night"]
        assert driver.app.session.work.unconfirmed == {}
        assert "All 4 confirmed; 3 of the judge's errors are to be decided (esc)." in driver.said
        await driver.press("escape")
        await driver.on(ReviewScreen)
        assert driver.verdict(1).decision == "agree"
        assert (driver.verdict(4).decision, driver.verdict(4).dimension) == ("reattribute", "accuracy")
        assert driver.verdict(2).decision is None, "what she did not mark is judged in the ordinary review"
        assert "error 1" not in driver.said


async def test_the_judges_error_is_shown_beside_ones_own(path: Path) -> None:
    async with opened(path) as driver:
        screen = await revealed(driver)
        while screen.error != marked(driver)["grows shallow"]:
            await driver.press("]")
        assert "“变浅”译为“grows shallow”" in driver.text
        assert "the same?  100% of the places shared" in driver.text
        keys = {mark.key for side in (screen.texts.source, screen.texts.translation) for mark in side.looks.marks}
        assert len(keys) == 2
        await driver.press("space")
        assert screen.error != marked(driver)["grows shallow"]


async def test_it_can_be_left_resumed_and_undone(path: Path) -> None:
    async with opened(path) as driver:
        await revealed(driver)
        await driver.press("y" if "100%" in driver.text else "m")
        await driver.press("escape")
        await driver.on(ReviewScreen)
        await driver.press("q")
    async with opened(path) as driver:
        await driver.on(ReviewScreen)
        await driver.press("M")
        await driver.on(MatchingScreen)
        assert "1 of 4 confirmed" in driver.bar("#title")
        await driver.press("u")
        assert "0 of 4 confirmed" in driver.bar("#title")
        assert driver.said[-1].startswith("Undid: ")
        await driver.press("r")
        assert "1 of 4 confirmed" in driver.bar("#title")
        await driver.press("u", "u")
        assert len(marked(driver)) == 3, "undo goes on to what was marked"
        assert "0 of 3 confirmed" in driver.bar("#title")


async def test_finishing_says_that_nothing_is_revealed_yet(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review(0)
        await driver.press("m", "f")
        await driver.until(lambda: any("Done; what the judge said is hidden yet (R)." in said for said in driver.said))


async def test_another_finding_can_be_chosen_and_taken_back(path: Path) -> None:
    async with opened(path) as driver:
        screen = await revealed(driver)
        while screen.error != marked(driver)["every night"]:
            await driver.press("]")
        assert "No error of the judge's is where yours is" in driver.text
        await driver.press("y")
        assert "No error of the judge's is proposed for this one" in driver.said[-1]
        await driver.press("o")
        await driver.on(Choose)
        await driver.press("2")
        await driver.on(MatchingScreen)
        assert found(driver) == {"every night": 2}
        assert driver.app.session.work.verdicts[next(iter(driver.app.session.work.verdicts))].dimension == "fluency"
        while screen.error != marked(driver)["every night"]:
            await driver.press("[")
        await driver.press("m")
        assert found(driver) == {}
        assert marked(driver)["every night"].missed
        assert all(verdict.decision is None for verdict in driver.app.session.work.verdicts.values())


async def test_a_finding_is_matched_once(path: Path) -> None:
    async with opened(path) as driver:
        screen = await revealed(driver)
        while screen.error != marked(driver)["grows shallow"]:
            await driver.press("]")
        await driver.press("y", "o")
        choose = await driver.on(Choose)
        assert 1 not in [choice.number for choice in choose.choices]


def test_what_was_blind_is_kept_and_shown(path: Path, discox: Command) -> None:
    with closing(open_library(path)) as connection:
        first, _ = (row.id for row in Queue(connection, "mei"))
        session = ReviewSession(connection, "mei", blinding="first")
        session.open(first)
        session.reveal()
        assert session.evaluation is not None
        own = {error.spans[0]: error for error in session.work.errors.values()}
        session.match(own[place("grows shallow")], session.evaluation.findings[0])
        session.confirm_missed(own[place("every night")])
        session.set_search(True)
        choose_blinding(connection, "mei", "open")
        rebuild(connection)
        assert (Queue(connection, "mei")[0].blind, Queue(connection, "mei")[0].unconfirmed) == ("revealed", 2)
    ask = ("--db", path, "--reviewer", "mei")
    review = json.loads(discox("list", "--json", *ask).out)[0]["review"]
    assert {name: review[name] for name in ("blind", "marked", "unconfirmed", "search", "hidden")} == {
        "blind": "revealed",
        "marked": 4,
        "unconfirmed": 2,
        "search": "done",
        "hidden": False,
    }
    shown = json.loads(discox("show", first, "--json", *ask).out)
    errors = {error["spans"][0]["text"]: error for error in shown["marked_errors"]}
    assert errors["grows shallow"]["finding"] == shown["findings"][0]["id"]
    assert errors["every night"] == {
        "id": own[place("every night")].id,
        "dimension": "fluency",
        "category": "grammar",
        "severity": "minor",
        "spans": [{"side": "translation", "start": 60, "end": 71, "text": "every night"}],
        "repeat_of": None,
        "blind": True,
        "missed": True,
        "finding": None,
        "note": "why",
    }
    said = discox("show", first, *ask).out
    assert "review in_progress, blind first: revealed" in said
    assert "+ fluency · grammar · minor → missed by the judge" in said
    assert "+ accuracy · mistranslation · major → 1" in said
    assert "in progress, blind first" in discox("list", *ask).out


async def test_the_queue_says_what_is_and_was_blind(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.on(QueueScreen)
        assert "▸ blind " in driver.text
        assert "∙ blind first" in driver.text
        await revealed(driver)
        await driver.press("escape", "escape")
        await driver.on(QueueScreen)
        assert "▸ compare 4" in driver.text
        for blinding, shown in (("open", "system-1"), ("systems", "osprey"), ("first", "∙ blind first")):
            await driver.press("h")
            assert driver.app.session.blinding == blinding
            assert shown in driver.text
            assert ("systems hidden" in driver.text) == (blinding == "systems")
        assert len(screen.queue) == 2
    with closing(open_library(path)) as connection:
        assert blinding_of(connection, "mei") == blinding_of(connection, "mei:again") == "first"
        assert blinding_of(connection, "lin") == "open"


async def test_undo_goes_to_what_it_undoes(path: Path) -> None:
    async with opened(path) as driver:
        await revealed(driver)
        first = driver.app.session.evaluation
        assert first is not None
        await driver.press("escape", "}")
        assert driver.app.session.hidden
        await driver.press("v", ")", "e", "1", "1", "1", "{", "M")
        await driver.on(MatchingScreen)
        assert driver.app.session.evaluation == first
        await driver.press("u")
        screen = await driver.on(ReviewScreen)
        assert screen.evaluation.id != first.id
        assert driver.said[-1].startswith("Undid: marking")
        assert "by hidden" in driver.said[-1]


@pytest.mark.parametrize(("flag", "blinding"), [("--blind", "first"), ("--hide-systems", "systems"), (None, "open")])
def test_the_command_chooses_what_is_hidden(
    path: Path, flag: str | None, blinding: str, discox: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discox_tui.cli.open_app._run", lambda *_: 0)
    monkeypatch.setattr("discox_tui.cli.open_app.can_show_app", lambda: True)
    assert discox("review", *([flag] if flag else []), "--db", path, "--reviewer", "ben").code == 0
    with closing(open_library(path)) as connection:
        assert blinding_of(connection, "ben") == blinding


async def test_figures_wait_until_nothing_is_hidden(path: Path) -> None:
    async with opened(path) as driver:
        await driver.on(QueueScreen)
        await driver.press("h")
        for key in ("c", "l", "i"):
            await driver.press(key)
            assert isinstance(driver.app.screen, QueueScreen), "the first evaluation was begun blind"
            assert driver.said[-1].startswith("Not while anything is hidden from you")
        await revealed(driver)
        await driver.press("escape", "escape", "i")
        assert not isinstance(driver.app.screen, QueueScreen)


async def test_what_is_revealed_in_another_window_appears(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review(0)
        evaluation = driver.app.session.evaluation
        assert evaluation is not None
        assert evaluation.findings == ()
        with closing(open_library(path)) as connection:
            ReviewLog(connection, "mei").reveal(evaluation.id)
        await driver.until(lambda: "变浅”译为" in driver.text, "the judge's words")


def test_adjudication_is_not_blind_by_choice(path: Path) -> None:
    with closing(open_library(path)) as connection:
        identity = Queue(connection, "mei")[1].id
        assert is_hidden(connection, "ben", identity, "first")
        assert not is_hidden(connection, "ben:adjudicated", identity, "first")


# --- assignments ---


def assign(path: Path, *rows: tuple[str, int, int], blind: int = 1) -> list[str]:
    """Assign evaluations, by their place in the library, to layers of mei's: (layer, position, which)."""
    with closing(open_library(path)) as connection:
        ids = [row.id for row in Queue(connection, "mei")]
        insert(connection, "plans", [{"id": "p", "at": "2026-05-04", "seed": 1, "options": "{}", "program": "x"}])
        made: list[dict[str, Any]] = [
            {"plan_id": "p", "reviewer": "mei", "layer": layer, "position": position, "evaluation_id": ids[which]}
            | {"purpose": "again" if layer.endswith("again") else "review", "blind": blind}
            for layer, position, which in rows
        ]
        insert(connection, "assignments", made)
        return ids


def test_assignments_are_a_queue_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {}, {}, {})
    ids = assign(path, ("mei", 1, 2), ("mei", 2, 0), ("mei:again", 3, 2), blind=1)
    with closing(open_library(path)) as connection:
        ReviewLog(connection, "mei").open(ids[2])
        queue = Queue(connection, "mei", assigned=True)
        assert [(row.id, row.layer, row.hidden) for row in queue] == [
            (ids[2], "mei", False),
            (ids[0], "mei", True),
            (ids[2], "mei:again", False),
        ], "what she has seen in one layer is hidden in none"
        assert [queue.index_of(row.id, row.layer) for row in queue] == [0, 1, 2]
        assert queue.index_of(ids[1]) is None
        assert (queue.progress().total, queue.progress().in_progress) == (3, 1)
        assert len(Queue(connection, "mei", assigned=True, words="system-2")) == 0, (
            "what is shown of an article would tell whose the hidden one is"
        )
        assert len(Queue(connection, "mei")) == 3
        assert len(Queue(connection, "lin", assigned=True)) == 0
        assert is_hidden(connection, "mei", ids[0], "open")
        assert not is_hidden(connection, "lin", ids[0], "open")
        assert hides(connection, "mei")
        assert not hides(connection, "lin")


async def test_a_second_time_shows_nothing_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {}, {})
    ids = assign(path, ("mei", 1, 0), ("mei:again", 2, 0), blind=0)
    async with opened(path) as driver:
        await driver.on(QueueScreen)
        assert "your assignments" in driver.text
        await driver.review(0)
        await driver.press("x", "a", "escape")
        screen = await driver.on(QueueScreen)
        screen.table.move_cursor(1)
        await driver.press("enter")
        assert isinstance(driver.app.screen, QueueScreen), "the first time is not over"
        assert driver.said[-1].startswith("This comes to you a second time")
        await driver.review(0)
        await driver.press("f")
        assert driver.app.session.layer == "mei:again"
        assert driver.verdict(1).decision is None
        await driver.press("a")
        assert [(event["reviewer"], event["kind"]) for event in driver.events][-1] == ("mei:again", "verdict")
        await driver.press("escape")
        screen = await driver.on(QueueScreen)
        assert screen.table.current is not None
        assert screen.table.current.layer == "mei:again"
        assert "again" in driver.text
        await driver.press("m")
        assert len(screen.queue) == 2
        assert "your assignments" not in driver.text
        await driver.review(1)
        await driver.press("q")
    async with opened(path) as driver:
        assert driver.app.session.evaluation is None or driver.app.session.evaluation.id == ids[1]
        await driver.on(ReviewScreen)
        await driver.press("escape")
        assert not (await driver.on(QueueScreen)).assigned, "the choice is remembered"


# --- two reviewers ---

REVIEWER = """
import sys
from pathlib import Path
from discox_tui.sessions.review import ReviewSession
from judges.model import Place
from storage.integrity.opening import open_library
path, name = sys.argv[1:]
connection = open_library(Path(path))
connection.execute("PRAGMA busy_timeout = 30000")
session = ReviewSession(connection, name, blinding="first")
for identity, in connection.execute("SELECT id FROM evaluations ORDER BY position").fetchall():
    session.open(identity)
    for start in range(12):
        session.mark((Place("translation", start, start + 5),), "accuracy", "omission", "major")
        session.undo()
        session.redo()
    session.reveal()
    for finding in session.evaluation.errors:
        session.decide(finding, "agree")
"""


def test_two_reviewers_in_two_processes_on_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    ids = library(path, {}, {})
    running = [
        subprocess.Popen([sys.executable, "-c", REVIEWER, str(path), name], stderr=subprocess.PIPE)
        for name in ("mei", "lin")
    ]
    for process in running:
        _, error = process.communicate()
        assert (process.returncode, error) == (0, b"")
    with closing(open_library(path)) as connection:
        for name in ("mei", "lin"):
            session = ReviewSession(connection, name)
            for identity in ids:
                session.open(identity)
                assert session.review.blind == "revealed"
                assert len(session.work.errors) == 12
                assert all(error.blind for error in session.work.errors.values())
                assert session.decided() == 5
        tables = ("verdicts", "reviews", "marked_errors", "blind_errors", "undone")
        before = [connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in tables[:4]]
        rebuild(connection)
        assert before == [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in tables[:4]
        ]


# --- matching ---

places = st.lists(
    st.builds(lambda side, at, n: Place(side, at, at + n), st.sampled_from(["source", "translation"]), st.integers(0, 9),
              st.integers(1, 5)),
    min_size=1, max_size=3,
).map(tuple)  # fmt: skip
markings = st.lists(st.tuples(places, st.sampled_from(DIMENSIONS)), max_size=6)


@given(markings, markings)
def test_errors_are_matched_once_and_only_where_they_overlap(first: Any, second: Any) -> None:
    pairs = match_errors(first, second)
    assert len({pair.first for pair in pairs}) == len({pair.second for pair in pairs}) == len(pairs)
    for pair in pairs:
        a, b = first[pair.first][0], second[pair.second][0]
        assert any(p.side == q.side and p.start < q.end and q.start < p.end for p in a for q in b)
        assert 0 < pair.overlap <= 1
    backward = match_errors(second, first)
    assert sum(pair.overlap for pair in backward) == pytest.approx(sum(pair.overlap for pair in pairs), abs=1e-4)
    assert [(pair.first, pair.second, pair.overlap) for pair in match_errors(first, first)] == [
        (i, pair.second, 1.0) for i, pair in enumerate(match_errors(first, first))
    ]


def test_the_same_dimension_decides_between_equal_overlaps() -> None:
    here = (Place("translation", 3, 9),)
    (pair,) = match_errors([(here, "fluency")], [(here, "accuracy"), (here, "fluency"), (here, "appropriateness")])
    assert (pair.second, pair.overlap) == (1, 1.0)


def test_an_omission_matches_on_its_source() -> None:
    mine = (Place("source", 0, 10),)
    judges = (Place("source", 0, 10), Place("translation", 0, 40))
    (pair,) = match_errors([(mine, "accuracy")], [((Place("translation", 0, 10),), "accuracy"), (judges, "accuracy")])
    assert (pair.second, pair.overlap) == (1, 1.0)
