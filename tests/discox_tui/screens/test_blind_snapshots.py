"""What blind passes look like: ``pytest tests/discox_tui/screens/test_blind_snapshots.py -n0 --snapshot-update``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.screens.common.dialogs import Choose
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.matching import MatchingScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.sessions.review import ReviewSession
from discox_tui.widgets.paired_texts import PairedTexts
from judges.model import Place
from storage.integrity.opening import open_library
from storage.reviews.blinding import choose_blinding
from storage.reviews.queue import Queue
from tests.discox_tui.screens.test_snapshots import HEAVY
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver
from tests.support.nightly import by_day


@pytest.fixture
def blind(sample: Path) -> Path:
    """The sample, of which mei marked two errors of one evaluation blind; one of them is the judge's first."""
    with closing(open_library(sample)) as connection:
        choose_blinding(connection, "mei", "first")
        session = ReviewSession(connection, "lin")
        found = session.open(HEAVY).errors[0]
        (place, *_) = session.places(found)
        session = ReviewSession(connection, "mei", blinding="first")
        session.open(HEAVY)
        session.mark((place,), found.finding.dimension, found.finding.category, "major", note="see the contract")
        session.mark((Place("translation", 0, 12),), "fluency", "grammar", "minor")
        assert [row.hidden for row in Queue(connection, "mei", blinding="first")] == [True] * 12
    return sample


async def in_view(driver: Driver, texts: PairedTexts) -> None:
    """Wait until the current error has come into view, and all that was under way is done."""
    await driver.until(lambda: max(texts.tops) > 0, "the error in view")
    await driver.pilot.pause()


async def queue(driver: Driver) -> None:
    await driver.on(ReviewScreen)
    await driver.press("escape")
    await driver.on(QueueScreen)


async def review(driver: Driver) -> None:
    await in_view(driver, (await driver.on(ReviewScreen)).texts)


async def reveal(driver: Driver) -> None:
    await review(driver)
    await driver.press("R")
    await driver.on(Choose)


async def matching(driver: Driver) -> None:
    await reveal(driver)
    await driver.press("2")
    screen = await driver.on(MatchingScreen)
    if screen.error is not None and screen.error.note is None:
        await driver.press("]")
    await in_view(driver, screen.texts)


SCREENS = {"queue": queue, "review": review, "reveal": reveal, "matching": matching}
SIZES = {"160x45": WIDE, "100x30": MIDDLE, "80x24": SMALL}


@by_day(8)
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())
@pytest.mark.parametrize("screen", SCREENS)
def test_blind(blind: Path, snap_compare: Callable[..., bool], screen: str, size: tuple[int, int]) -> None:
    connection = open_library(blind)
    app = DiscoxApp(connection, "mei", Settings(theme="discox-dark"), start=HEAVY)

    async def before(pilot: Pilot[None]) -> None:
        await SCREENS[screen](Driver(app, pilot))
        await pilot.pause()

    try:
        assert snap_compare(app, terminal_size=size, run_before=before)
    finally:
        connection.close()
