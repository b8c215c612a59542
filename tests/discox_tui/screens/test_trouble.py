"""What can go wrong around the app while it is open: a busy file, other programs, pastes, thousands of words."""

from __future__ import annotations

from pathlib import Path

from textual.events import Paste

from discox_tui.screens.library.queue import QueueScreen
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.support.driving import library, opened


async def test_a_busy_file_is_said_and_nothing_is_shown_as_decided(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        driver.app.session.connection.execute("PRAGMA busy_timeout = 50")
        other = open_library(path)
        with transaction(other):
            await driver.press("a")
            await driver.until(lambda: any("another program is writing" in said for said in driver.said))
            assert driver.verdict(1).decision is None
            assert "✓" not in driver.row(1)
        await driver.press("a")
        await driver.until(lambda: driver.verdict(1).decision == "agree")
        other.close()


async def test_what_the_same_reviewer_decides_in_another_program_shows(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        evaluation = driver.screen.evaluation
        other = open_library(path)
        ReviewLog(other, "mei").decide(evaluation.id, evaluation.findings[2].id, decision="not_an_error")
        await driver.until(lambda: "✗" in driver.row(3), "the other program's verdict")
        await driver.press("a")
        assert "✗" in driver.row(3)
        other.close()


async def test_what_another_program_imports_arrives_in_the_queue(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with opened(path) as driver:
        queue = await driver.on(QueueScreen)
        assert "Nothing here yet" in driver.text
        library(path, {})
        await driver.until(lambda: len(queue.table.rows) == 1)


async def test_all_lines_of_a_paste_arrive_in_a_note(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        await driver.press("n")
        driver.app.post_message(Paste("first\nsecond\r\nthird"))
        await driver.pilot.pause()
        await driver.press("enter")
        await driver.until(lambda: driver.verdict(1).note)
        assert driver.verdict(1).note == "first second third"


async def test_thousands_of_words_are_a_filter_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        queue = await driver.on(QueueScreen)
        await driver.press("/")
        driver.app.post_message(Paste("word " * 3000))
        await driver.until(lambda: len(queue.table.rows) == 0)
        assert "No evaluation contains these words" in driver.text


async def test_back_in_the_queue_an_evaluation_opens_where_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        await driver.press("]", "]", "]")
        await driver.press("escape")
        await driver.review()
        await driver.until(lambda: driver.number == 4)


async def test_a_message_goes_with_the_next_key(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        await driver.press("u")
        assert driver.said == ["There is nothing left to undo."]
        await driver.press("]")
        assert driver.said == []
