"""The library goes away under the open app: nothing is shown as decided, all is saved to a new file, and one goes on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.widgets import Input

from discox_tui.screens.benchmark.candidate import CandidateScreen
from discox_tui.screens.benchmark.screen import BuildScreen
from discox_tui.screens.common.dialogs import Ask
from discox_tui.screens.common.lost_library import LostLibrary
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.widgets.bars import TextBlock
from storage.importing.verdict_log import read_log
from tests.support import losing
from tests.support.building_candidates import build_library
from tests.support.driving import SMALL, Driver, library, opened
from tests.support.tables import events

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows lets nobody replace a file that is open")


async def lost(driver: Driver) -> str:
    """Wait for the dialog; return what it says."""
    screen = await driver.on(LostLibrary)
    return screen.query_one(TextBlock).text


def decisions(path: Path) -> list[object]:
    return [event["changes"].get("decision") for event in events(path) if event["kind"] == "verdict"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "a.db"
    library(path, {}, {})
    losing.copy_of(path).write_bytes(path.read_bytes())
    return path


@pytest.mark.parametrize("way", [losing.rename_over, losing.delete, losing.move, losing.delete_journal])
async def test_nothing_is_shown_as_decided_and_one_goes_on_in_a_new_file(path: Path, way: losing.Way) -> None:
    async with opened(path) as driver:
        review = await driver.review()
        await driver.press("a")
        way(path)
        before = path.read_bytes() if way is losing.rename_over else b""
        await driver.press("x")
        said = await lost(driver)
        assert str(path) in said
        assert "this was not stored" in said
        assert [review.app.session.verdict(found).decision for found in review.evaluation.findings[:2]] == [
            "agree",
            None,
        ]
        await driver.press("1")
        await driver.on(ReviewScreen)
        (saved,) = path.parent.glob("a-saved-*.db")
        await driver.until(lambda: any(f"All is saved in {saved.name}" in each for each in driver.said))
        assert driver.app.session.connection.path == saved
        await driver.press("x")
        assert "✗" in driver.row(2)
        await driver.press("u", "u", "r")
        await driver.press("q")
    if way is losing.rename_over:
        assert path.read_bytes() == before
    assert decisions(saved) == ["agree", "not_an_error"]
    kinds = [event["kind"] for event in events(saved) if event["kind"] != "time"]
    assert kinds[-3:] == ["undo", "undo", "redo"]


@pytest.mark.parametrize("way", [losing.write_over, losing.write_copy_over, losing.empty])
async def test_of_an_overwritten_library_the_log_is_saved(path: Path, way: losing.Way) -> None:
    async with opened(path) as driver:
        review = await driver.review()
        await driver.press("a")
        way(path)
        await driver.press("x")
        await lost(driver)
        await driver.press("1")
        await driver.on(ReviewScreen)
        (saved,) = path.parent.glob("a-saved-*.jsonl")
        await driver.until(lambda: any(saved.name in each and "verdicts import" in each for each in driver.said))
        await driver.press("x")
        await driver.until(lambda: any("verdicts import" in each for each in driver.said), "it is said again")
        assert isinstance(driver.app.screen, ReviewScreen)
        assert review.app.session.verdict(review.evaluation.findings[1]).decision is None
    acts = [event.changes for event in read_log(saved)[0] if event.kind == "verdict"]
    assert acts == [{"decision": "agree"}]


async def test_one_is_told_within_two_seconds_and_only_once_unless_one_does_something(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        losing.delete(path)
        driver.screen._look_elsewhere()
        assert "no longer there" in await lost(driver)
        await driver.press("escape")
        await driver.on(ReviewScreen)
        driver.screen._look_elsewhere()
        driver.screen._look_elsewhere()
        await driver.press("]")
        assert isinstance(driver.app.screen, ReviewScreen), "reading goes on"
        await driver.press("w")
        await lost(driver)


async def test_another_name_may_be_given_and_nothing_is_overwritten(path: Path, tmp_path: Path) -> None:
    taken, free = tmp_path / "taken.db", tmp_path / "free.db"
    taken.write_text("mine")
    async with opened(path, size=SMALL) as driver:
        await driver.review()
        await driver.press("a")
        losing.delete(path)
        await driver.press("u")
        for name in (taken, free):
            await lost(driver)
            await driver.press("2")
            screen = await driver.on(Ask)
            screen.query_one(Input).value = str(name)
            await driver.press("enter")
            if name == taken:
                assert "is there already" in await lost(driver)
        await driver.on(ReviewScreen)
        await driver.until(lambda: driver.app.session.connection.path == free)
        await driver.press("u")
        assert "∙" in driver.row(1)
    assert taken.read_text() == "mine"
    assert "undo" in [event["kind"] for event in events(free)]


@pytest.mark.parametrize("written", [True, False], ids=["its draft was written", "its draft was not written yet"])
async def test_a_note_that_was_typed_meanwhile_is_asked_for_again(
    path: Path, written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discox_tui.sessions.drafts.KEEP_AFTER", 0.01 if written else 3600)
    async with opened(path) as driver:
        await driver.review()
        await driver.press("n", *"why")
        if written:
            await driver.until(lambda: "why" in str(list(driver.app.session.recall_all("draft "))))
        losing.rename_over(path)
        await driver.press("enter")
        await lost(driver)
        await driver.press("1")
        await driver.on(ReviewScreen)
        assert driver.verdict(1).note is None
        await driver.press("n", "enter")  # what was typed is there again
        await driver.until(lambda: driver.verdict(1).note == "why")


async def test_an_evaluation_is_opened_for_reading_all_the_same(path: Path) -> None:
    async with opened(path) as driver:
        await driver.on(QueueScreen)
        losing.rename_over(path)
        await driver.press("enter")
        await lost(driver)
        await driver.press("escape")
        await driver.on(ReviewScreen)
        assert "error 1/6" in driver.text


async def test_it_is_the_same_in_building(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    build_library(path)
    async with opened(path) as driver:
        await driver.press("b")
        screen = await driver.on(BuildScreen)
        screen.open("dyke")
        await driver.on(CandidateScreen)
        losing.rename_over(path)
        before = path.read_bytes()
        await driver.press("a", "w", "h", "y", "enter")
        await lost(driver)
        assert screen.building.candidates["dyke"].decisions == {}
        await driver.press("1")
        await driver.on(CandidateScreen)
        await driver.press("a", "w", "h", "y", "enter")
        await driver.until(lambda: screen.building.candidates["dyke"].decisions.keys() == {"mei"})
        (saved,) = tmp_path.glob("a-saved-*.db")
        assert driver.app.building.connection.path == saved
    assert path.read_bytes() == before


async def test_figures_are_never_those_of_another_library(path: Path) -> None:
    async with opened(path) as driver:
        await driver.on(QueueScreen)
        losing.rename_over(path)
        await driver.press("c")
        await lost(driver)


def test_whoever_quits_without_saving_finds_all_in_a_new_file(path: Path) -> None:
    from tests.support.terminal import running

    with running(path) as terminal:
        terminal.until("2 evaluations")
        terminal.send("\r")
        terminal.until("error 1/6")
        terminal.send("a")
        terminal.until("✓ 1 ")
        losing.rename_over(path)
        before = path.read_bytes()
        terminal.send("x")
        terminal.until("was taken away")
        assert "✗ 2 " not in terminal.text
        terminal.send("\x1b")
        terminal.until(lambda: "another name" not in terminal.text)
        terminal.send("q")
        assert terminal.end() == 1
    (saved,) = path.parent.glob("a-saved-*.db")
    assert b"a-saved-" in terminal.output
    assert b"Traceback" not in terminal.output
    assert decisions(saved) == ["agree"]
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.glob("a.db-*")] == []
