"""What every screen looks like, as pictures to look at when they change: ``pytest tests/discox_tui/screens/test_snapshots.py -n0 --snapshot-update``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.config.prices import Price
from discox_tui.runs.budget import Spending
from discox_tui.runs.model_run import Leg, ModelRun
from discox_tui.runs.orders import JudgeOrder
from discox_tui.runs.workers import Progress
from discox_tui.screens.common.dialogs import Ask, Choose, ChooseInTurn, Page
from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.figures.error_slice import WeakSpotScreen
from discox_tui.screens.figures.leaderboard import LeaderboardScreen
from discox_tui.screens.library.import_report import ImportReportScreen
from discox_tui.screens.library.model_run import ModelRunScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.deduplication import DeduplicationScreen
from discox_tui.screens.review.instruction import InstructionCheck
from discox_tui.screens.review.rubric import RubricScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.screens.review.waterfall import WaterfallScreen
from discox_tui.widgets.bars import TextBlock
from judges.providers.model import Tokens
from storage.integrity.opening import open_library
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver
from tests.support.nightly import by_day

SIZES = {"160x45": WIDE, "100x30": MIDDLE, "80x24": SMALL}
HEAVY = "73044a12051082cf8e16"
"""hydrology-03 by heron-14b: errors of every kind, some dropped, some approximate."""
NO_TRANSLATION = "9eccc5c3556583956c0f"
"""news-04 by sparrow-3b: the instruction check failed."""
FLOORED = "757e0f9ab86ceedd191f"
"""law-01 by sparrow-3b: accuracy far below its floor."""

Compare = Callable[..., bool]
Steps = Callable[[Driver], Awaitable[object]]


async def queue(driver: Driver) -> None:
    await driver.on(QueueScreen)
    await driver.press("down", "down")


async def review(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("]", "]", "a", "x")


async def selection(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("]", "]", "v", "w", "w", "w", "tab", "right", "right", "down")


async def severity(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("s")
    await driver.on(Choose)


async def duplicate(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("=")
    await driver.on(Choose)


async def missed_error(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("v", ")", "e")
    await driver.on(ChooseInTurn)


async def label(driver: Driver) -> None:
    await missed_error(driver)
    await driver.press("0", "1", "2")


async def marked(driver: Driver) -> None:
    await label(driver)
    await driver.press("2")
    await driver.on(ReviewScreen)
    await driver.press("m", "t", "1", "enter")
    await driver.on(ReviewScreen)


async def note(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("n")
    await driver.on(Ask)
    await driver.write("看原文 first")


async def search(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("/")
    await driver.write("river")


async def help_page(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("question_mark")
    await driver.on(Page)


async def import_report(driver: Driver) -> None:
    await driver.on(QueueScreen)
    await driver.press("i")
    await driver.on(ImportReportScreen)
    await driver.press("down")


async def consistency(driver: Driver) -> None:
    await driver.on(QueueScreen)
    await driver.press("c")
    screen = await driver.on(ConsistencyScreen)
    await driver.until(lambda: "Precision" in screen.query_one("#figures", TextBlock).text)
    await driver.until(lambda: "updating" not in driver.bar("#title"))


async def weak_spots(driver: Driver) -> None:
    await consistency(driver)
    await driver.press("2", "down")


async def weak_spot(driver: Driver) -> None:
    await weak_spots(driver)
    await driver.press("enter")
    await driver.on(WeakSpotScreen)


async def heat_maps(driver: Driver) -> None:
    await consistency(driver)
    await driver.press("3")


async def scatter(driver: Driver) -> None:
    await consistency(driver)
    await driver.press("4")


async def leaderboard(driver: Driver) -> None:
    await driver.on(QueueScreen)
    await driver.press("l")
    screen = await driver.on(LeaderboardScreen)
    await driver.until(lambda: screen.table.rows)
    await driver.press("down")


async def deduplication(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("D")
    await driver.on(DeduplicationScreen)
    await driver.press("home", "down", "a", "b")


async def rubric(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("P")
    await driver.on(RubricScreen)
    await driver.press("home", "m", "v", "s", "down", "o", "o")


async def instruction(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("I")
    await driver.on(InstructionCheck)


async def waterfall(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("a", "x", "s", "1", "d", "2", "W")
    await driver.on(WaterfallScreen)
    await driver.press("down")


async def model_run(driver: Driver, key: str = "J", **settings: Any) -> ModelRunScreen:
    """Go to the screen from the filtered queue; no key is needed where nobody is asked."""
    await driver.on(QueueScreen)
    kept = {"provider": "openai", "model": "kestrel", "base_url": "http://127.0.0.1:1/v1", "prices": None}
    for command in ("judge", "translate"):
        driver.app.session.remember(f"{command} settings", kept | settings)
    await driver.press("/")
    await driver.write("essay-02")
    await driver.press("enter", key)
    return await driver.on(ModelRunScreen)


async def dry_run(driver: Driver) -> None:
    screen = await model_run(driver)
    await driver.press("d")
    await driver.until(lambda: "at most" in screen.query_one("#news", TextBlock).text)


async def model_asked(driver: Driver) -> None:
    """Stand still in the middle of a run."""
    screen = await model_run(driver)
    driver.app.model_run = run = ModelRun(
        driver.app.session.connection, JudgeOrder(provider="openai", model="kestrel", article=("essay-02",))
    )
    run.stage, run.held, run.currency = "asking", True, "USD"
    undone = Counter({"no answer: asked 6 times in vain": 2})
    leg = Leg("judged", "translation", progress=Progress(of=40, done=11, failed=1, undone=undone), seconds=95.0)
    leg.progress.slowed = lambda: 18.0
    run.legs.append(leg)
    leg.spending = Spending(price=Price(1.0, 4.0), input_tokens=412_000, output_tokens=63_000, last_failure="HTTP 503")
    leg.spending._priced["kestrel"] = Tokens(412_000, 0, 63_000)
    leg.spending.ended.update({"ok": 74, "server": 3})
    screen.model_run_ended()


async def translating(driver: Driver) -> None:
    await model_run(driver, "t", system="plover")


SCREENS: dict[str, tuple[Steps, dict[str, Any]]] = {
    "queue": (queue, {"reviewer": "lin"}),
    "review": (review, {"start": HEAVY}),
    "selection": (selection, {"start": HEAVY}),
    "severity": (severity, {"start": HEAVY}),
    "duplicate": (duplicate, {"start": HEAVY}),
    "note": (note, {"start": HEAVY}),
    "missed-error": (missed_error, {"start": HEAVY}),
    "label": (label, {"start": HEAVY}),
    "marked": (marked, {"start": HEAVY}),
    "search": (search, {"start": HEAVY}),
    "help": (help_page, {"start": HEAVY}),
    "deduplication": (deduplication, {"start": HEAVY}),
    "rubric": (rubric, {"start": HEAVY}),
    "instruction": (instruction, {"start": NO_TRANSLATION}),
    "waterfall": (waterfall, {"start": FLOORED}),
    "import-report": (import_report, {}),
    "dry-run": (dry_run, {}),
    "model-asked": (model_asked, {}),
    "translating": (translating, {}),
    "consistency": (consistency, {"differing": True}),
    "weak-spots": (weak_spots, {"differing": True}),
    "weak-spot": (weak_spot, {"differing": True}),
    "heat-maps": (heat_maps, {"differing": True}),
    "scatter": (scatter, {"differing": True}),
    "leaderboard": (leaderboard, {"differing": True}),
}


@pytest.fixture
def draw(sample: Path, contested: Path, snap_compare: Compare) -> Iterator[Callable[..., bool]]:
    """Open the app on the sample, take some steps, and compare the picture with the one on disk.

    ``differing``: on the library whose figures differ, so that the picture shows which one stands where.
    """
    connections = []

    def compare(
        steps: Steps,
        size: tuple[int, int],
        *,
        theme: str = "discox-dark",
        reviewer: str = "mei",
        start: str | None = None,
        differing: bool = False,
    ) -> bool:
        connections.append(open_library(contested if differing else sample))
        app = DiscoxApp(connections[-1], reviewer, Settings(theme=theme), start=start)

        async def before(pilot: Pilot[None]) -> None:
            await steps(Driver(app, pilot))
            await pilot.pause()

        return snap_compare(app, terminal_size=size, run_before=before)

    yield compare
    for connection in connections:
        connection.close()


@by_day(16)
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())
@pytest.mark.parametrize(
    "screen",
    [
        *("queue", "review", "marked", "severity", "help", "import-report", "leaderboard"),
        *("consistency", "weak-spots", "weak-spot", "heat-maps", "scatter"),
    ],
)
def test_screen(draw: Callable[..., bool], screen: str, size: tuple[int, int]) -> None:
    steps, more = SCREENS[screen]
    assert draw(steps, size, **more)


@by_day(6)
@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["160x45", "80x24"])
@pytest.mark.parametrize(
    "screen", ["deduplication", "rubric", "instruction", "waterfall", "dry-run", "model-asked", "translating"]
)
def test_beside(draw: Callable[..., bool], screen: str, size: tuple[int, int]) -> None:
    steps, more = SCREENS[screen]
    assert draw(steps, size, **more)


@by_day(3)
@pytest.mark.parametrize("screen", ["selection", "duplicate", "note", "missed-error", "label", "search"])
def test_question(draw: Callable[..., bool], screen: str) -> None:
    steps, more = SCREENS[screen]
    assert draw(steps, MIDDLE, **more)


@by_day(3)
@pytest.mark.parametrize("theme", ["discox-light", "discox-16"])
@pytest.mark.parametrize("screen", ["review", "marked", "queue", "heat-maps"])
def test_theme(draw: Callable[..., bool], screen: str, theme: str) -> None:
    steps, more = SCREENS[screen]
    assert draw(steps, MIDDLE, theme=theme, **more)
