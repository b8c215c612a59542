"""The tour: each step done before the next is said, by any key or the mouse; left and taken up again; never in the way."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from discox_tui.app import DiscoxApp
from discox_tui.cli import open_app as cli
from discox_tui.cli.parser import run
from discox_tui.config.paths import Settings, data_directory
from discox_tui.core.actions import ACTIONS
from discox_tui.core.keys import key_label
from discox_tui.screens.common.dialogs import Ask, Choose, ChooseInTurn, Page
from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.guideline import GuidelinePage
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.tour.steps import OFFER, STEPS, Step
from discox_tui.tour.tour import WAYS
from discox_tui.widgets.bars import TourStrip
from discox_tui.widgets.key_bar import KeyBar
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.support.driving import SMALL, WIDE, Driver
from tests.support.nightly import by_day

KEYS = {action.id: action.keys for action in ACTIONS}
BY_ID = {step.action: at for at, step in enumerate(STEPS)}


@asynccontextmanager
async def touring(
    path: Path, tour: cli.TourStart | None = "begin", size: tuple[int, int] = SMALL, keymap: Path | None = None
) -> AsyncIterator[Driver]:
    connection = open_library(path)
    settings = Settings(theme="discox-dark", keymap=str(keymap) if keymap else None)
    app = DiscoxApp(connection, "you", settings, tour=tour)
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            await pilot.pause()
            yield Driver(app, pilot)
    finally:
        connection.close()


def said(driver: Driver) -> str:
    """What the strip says on the screen that is on top."""
    return "".join(strip.text for strip in driver.app.screen.query(TourStrip))


async def at(driver: Driver, step: int) -> None:
    """Wait until the tour is at a step and says so."""
    await driver.until(lambda: said(driver).startswith(f"{step + 1}/{len(STEPS)}"), f"step {step + 1}")
    assert driver.app.tour is not None
    assert driver.app.tour.step is STEPS[step]


async def look(driver: Driver) -> None:
    """Let the tour look whether its step is done, as it does by itself from time to time."""
    assert driver.app.tour is not None
    driver.app.tour.look()
    await driver.pilot.pause()


async def do(driver: Driver, step: Step, *, key: Callable[[Step], str] = lambda step: KEYS[step.action][0]) -> None:
    """Do what a step asks for."""
    if step.action == "mark_error":
        await driver.press("v", "w", "w")
    await driver.press(key(step))
    if step.action == "mark_error":
        screen = await driver.on(ChooseInTurn)
        await driver.press(*("0" if "Already" in driver.bar("#dialog-title") else ""), "1", "1", "1")
        await driver.until(lambda: driver.app.screen is not screen)
    if step.action == "dimension":
        await driver.on(Choose)
        await driver.press("2")
    if step.action == "guideline":
        await driver.on(GuidelinePage)
        await driver.press("escape")


# --- from end to end ---


@by_day(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_from_start_to_end_each_step_waits_until_it_is_done(sample: Path, size: tuple[int, int]) -> None:
    async with touring(sample, size=size) as driver:
        screen = await driver.on(ReviewScreen)
        assert screen.evaluation.article.key == "news-04"
        for number, step in enumerate(STEPS):
            await at(driver, number)
            await look(driver)
            await at(driver, number)
            assert "skip" in driver.text, "the strip is cut off"
            if step.action == "not_an_error":
                assert driver.number == 1
            if step.action == "agree" and number > BY_ID["dimension"]:
                assert driver.number == 4
            await do(driver, step)
            if step.action == "not_an_error":
                await driver.pilot.pause()
                assert "73" in driver.bar("#score")
        await driver.until(lambda: driver.app.tour is None)
        assert driver.said == ["That was the tour."]
        await driver.on(Page)
        await driver.press("escape")
        await driver.on(ConsistencyScreen)
        assert not [strip for screen in driver.app.screen_stack for strip in screen.query(TourStrip)]
        assert driver.app.session.recall("tour") == 0
        kinds = [event["kind"] for event in driver.events if event["reviewer"] == "you"]
        assert kinds.count("verdict") == 4


async def test_the_users_own_keys_are_shown_and_count(sample: Path, tmp_path: Path) -> None:
    keymap = tmp_path / "keys.toml"
    own = {"not_an_error": "J", "agree": "f10", "undo": "Q", "back": "B", "tour": "H"}
    keymap.write_text("".join(f'{name} = "{key}"\n' for name, key in own.items()), encoding="utf-8")
    async with touring(sample, keymap=keymap) as driver:
        await driver.on(ReviewScreen)
        for number, step in enumerate(STEPS):
            await at(driver, number)
            assert key_label(own.get(step.action, KEYS[step.action][0])) in said(driver)
            assert "H skip" in said(driver)
            await do(driver, step, key=lambda step: own.get(step.action, KEYS[step.action][0]))
        await driver.until(lambda: driver.app.tour is None)


async def test_the_mouse_counts(sample: Path) -> None:
    async with touring(sample, size=WIDE) as driver:
        await driver.on(ReviewScreen)
        for number in (0, 1):
            await at(driver, number)
            bar = driver.app.screen.query_one(KeyBar)
            left = "".join(run[0] for run in bar.rows[0][0])
            title = {"not_an_error": "not an error", "agree": "agree"}[STEPS[number].action]
            await driver.pilot.click(bar, offset=(left.index(f" {title}") + 2, 0))
        await at(driver, 2)
        await driver.press("d")
        table = (await driver.on(Choose)).query_one("VirtualTable")
        await driver.pilot.click(table, offset=(10, 2))
        await driver.pilot.click(table, offset=(10, 2))
        await at(driver, 3)


async def test_what_is_cancelled_or_refused_does_not_count(sample: Path) -> None:
    async with touring(sample) as driver:
        await driver.on(ReviewScreen)
        await driver.press("asterisk", "asterisk")
        await at(driver, BY_ID["dimension"])
        await driver.press("d", "escape")
        await driver.press("d", "1")
        await driver.on(ReviewScreen)
        await look(driver)
        await at(driver, BY_ID["dimension"])
        await driver.press("d", "3")
        await at(driver, BY_ID["undo"])


async def test_every_step_can_be_skipped(sample: Path) -> None:
    async with touring(sample) as driver:
        await driver.on(ReviewScreen)
        for number in range(len(STEPS)):
            await at(driver, number)
            await driver.press("asterisk")
        await driver.until(lambda: driver.app.tour is None)
        assert {event["kind"] for event in driver.events if event["reviewer"] == "you"} == {"opened"}


# --- never in the way ---


async def test_other_keys_do_what_they_always_do(sample: Path) -> None:
    async with touring(sample) as driver:
        await driver.on(ReviewScreen)
        await at(driver, 0)
        await driver.press("n")
        await driver.on(Ask)
        await driver.write("!x]")
        await driver.press("enter")
        assert driver.verdict(1).note == "!x]"
        await driver.press("]", "]", "[", "?")
        await driver.on(Page)
        await driver.press("escape", "/")
        await driver.write("rain")
        await driver.press("escape", "tab", "escape")
        assert driver.number == 2
        await at(driver, 0)
        await driver.press("ctrl+p")
        await driver.press("escape")
        await at(driver, 0)


async def test_on_another_screen_it_says_where_it_goes_on(sample: Path) -> None:
    async with touring(sample) as driver:
        await driver.on(ReviewScreen)
        await at(driver, 0)
        await driver.app.run_action("screen.back")
        await driver.on(QueueScreen)
        await driver.until(lambda: WAYS["review"] in said(driver))
        await driver.press("enter", "x")
        await at(driver, 1)


async def test_below_the_least_size_nothing_breaks(sample: Path) -> None:
    async with touring(sample, size=(50, 15)) as driver:
        await driver.on(ReviewScreen)
        assert "discox needs 60 × 20" in driver.text
        await driver.pilot.resize_terminal(80, 24)
        await at(driver, 0)


# --- left, offered, taken up again ---


async def test_escape_leaves_it_and_a_key_takes_it_up_again(sample: Path) -> None:
    async with touring(sample) as driver:
        await driver.on(ReviewScreen)
        await driver.press("x", "a")
        await at(driver, 2)
        await driver.press("escape")
        assert driver.app.tour is None
        assert driver.said == ["* brings the tour back, where you left it."]
        assert not driver.app.screen.query(TourStrip)
        await driver.press("escape")
        await driver.on(QueueScreen)
        await driver.press("i", "asterisk")
        await driver.on(ReviewScreen)
        await at(driver, 2)
        await driver.press("escape")
    async with touring(sample) as driver:
        await driver.on(ReviewScreen)
        await at(driver, 2)


async def test_it_is_offered_once(sample: Path) -> None:
    async with touring(sample, "offer") as driver:
        await driver.on(QueueScreen)
        await driver.until(lambda: "New here?" in said(driver))
        await driver.press("down", "enter")
        await driver.on(ReviewScreen)
        await driver.until(lambda: "New here?" in said(driver))
        await driver.press("escape")
        assert driver.app.tour is None
        await driver.press("escape")
        await driver.on(QueueScreen)
        await driver.press("q")
    async with touring(sample, "offer") as driver:
        await driver.on(QueueScreen)
        await driver.pilot.pause()
        assert driver.app.tour is None
        assert said(driver) == ""
        await driver.press("asterisk")
        await driver.on(ReviewScreen)
        await at(driver, 0)


async def test_it_opens_its_own_evaluation_from_another_one(sample: Path) -> None:
    async with touring(sample, "offer") as driver:
        await driver.review(0)
        await driver.press("asterisk")
        await at(driver, 0)
        assert driver.screen.evaluation.article.key == "news-04"


@by_day(2)
@pytest.mark.parametrize("remembered", [99, -1, "x", None, [1]])
async def test_nonsense_remembered_begins_at_the_beginning(sample: Path, remembered: object) -> None:
    connection = open_library(sample)
    cli.app_state.remember(connection, "you", "tour", remembered)
    connection.close()
    async with touring(sample) as driver:
        await driver.on(ReviewScreen)
        await at(driver, 0)


async def test_in_ones_own_library_it_says_where_it_is(sample: Path) -> None:
    async with touring(sample, None) as driver:
        await driver.on(QueueScreen)
        await driver.press("asterisk")
        assert "discox tour" in driver.said[0]
        assert driver.app.tour is None


def test_what_was_seen_outlives_the_sample(monkeypatch: pytest.MonkeyPatch, discox: Command) -> None:
    """The copy of the sample is thrown away, what was seen of the tour is not."""
    kept = data_directory() / "tour.json"
    kept.unlink(missing_ok=True)
    seen = []

    class Looker(DiscoxApp):
        def run(self, *_: object, **__: object) -> None:  # type: ignore[override]
            seen.append((self._tour_begins, self.session.recall("tour")))
            self.session.remember("tour", 4)

    monkeypatch.setattr("discox_tui.app.DiscoxApp", Looker)
    monkeypatch.setattr(cli, "can_show_app", lambda: True)
    assert run(["demo"]) == 0
    assert run(["tour"]) == 0
    assert json.loads(kept.read_text(encoding="utf-8")) == 4
    kept.write_text("{", encoding="utf-8")
    assert run(["tour"]) == 0
    kept.unlink()
    kept.mkdir()
    assert run(["demo"]) == 0
    kept.rmdir()
    assert seen == [("offer", None), ("begin", 4), ("begin", None), ("offer", None)]


def test_without_a_terminal_it_says_so(discox: Command) -> None:
    result = discox("tour")
    assert result.code == 1
    assert "needs a terminal" in result.err


# --- what it says ---


def test_it_takes_less_than_three_minutes() -> None:
    """By counting: words read at 200 a minute, and three seconds for every act."""
    words = sum(len(re.findall(r"[^\s—]+", step.text)) for step in STEPS)
    assert len(STEPS) <= 14
    assert words / 200 * 60 + 3 * (len(STEPS) + 3) < 180
    assert words <= 400


@pytest.mark.parametrize("text", [OFFER, *WAYS.values(), *(step.text for step in STEPS)])
def test_every_key_it_names_is_an_actions(text: str) -> None:
    assert set(re.findall(r"\{(.*?)\}", text)) <= set(KEYS)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.action)
def test_a_step_names_the_key_of_its_action_and_where_that_is_said_otherwise(step: Step) -> None:
    assert f"{{{step.action}}}" in step.text
    screens = next(action.screens for action in ACTIONS if action.id == step.action)
    assert "app" in screens or screens[0] in WAYS


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["160x45", "80x24"])
def test_a_step_looks_as_drawn(sample: Path, snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    connection = open_library(sample)
    app = DiscoxApp(connection, "you", Settings(theme="discox-dark"), tour="begin")

    async def before(pilot: Pilot[None]) -> None:
        driver = Driver(app, pilot)
        await driver.on(ReviewScreen)
        await at(driver, 0)
        await driver.press("x")
        await at(driver, 1)

    assert snap_compare(app, terminal_size=size, run_before=before)
    connection.close()
