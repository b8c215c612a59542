"""Typing faster than screens open: what follows a key belongs to what the key opens, and never decides anything."""

from __future__ import annotations

from pathlib import Path

from discox_tui.screens.common.dialogs import Ask
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from tests.support.driving import library, opened


async def test_a_note_typed_in_one_burst_is_a_note_and_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        number = driver.number
        await driver.write("nax is fine\r")
        await driver.until(lambda: driver.verdict(number).note)
        assert driver.verdict(number).note == "ax is fine"
        assert driver.verdict(number).decision is None


async def test_a_severity_chosen_in_one_burst(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        await driver.write("s3")
        await driver.until(lambda: driver.verdict(1).severity)
        assert driver.verdict(1).severity == "extremely_critical"


async def test_a_search_typed_in_one_burst_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        await driver.write("/axw")
        assert [event["kind"] for event in driver.events] == ["opened"]


async def test_a_filter_typed_in_one_burst_filters(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {"system": "aurora"}, {"system": "iris"})
    async with opened(path) as driver:
        queue = await driver.on(QueueScreen)
        await driver.write("/iris\r")
        await driver.until(lambda: len(queue.table.rows) == 1)
        await driver.press("enter")
        assert (await driver.on(ReviewScreen)).evaluation.system == "iris"


async def test_skipping_in_one_burst_keeps_the_whole_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        await driver.write("zqax\r")
        await driver.until(lambda: driver.app.session.review.state == "skipped")
        assert driver.app.session.review.reason == "qax"
        assert not isinstance(driver.app.screen, Ask)


async def test_a_digit_after_a_question_that_did_not_open_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.review()
        await driver.press("]", "]", "]")
        assert driver.finding.finding.judge == "fluency"
        await driver.write("s2")
        assert driver.verdict(4).decision is None
        await driver.press("2")
        assert driver.verdict(4).decision is None, "as long as the message stands"
        await driver.press("[", "]", "2")
        assert driver.verdict(4).decision == "not_an_error"
