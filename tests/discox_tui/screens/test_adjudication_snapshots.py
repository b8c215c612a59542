"""What adjudication looks like: ``pytest tests/discox_tui/screens/test_adjudication_snapshots.py -n0 --snapshot-update``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.screens.adjudication.opinions import OwnVerdictScreen
from discox_tui.screens.adjudication.screen import AdjudicationScreen
from discox_tui.screens.library.queue import QueueScreen
from storage.integrity.opening import open_library
from tests.discox_tui.screens.test_blind_snapshots import in_view
from tests.support.driving import SMALL, WIDE, Driver
from tests.support.nightly import by_day


async def disagreement(driver: Driver) -> None:
    await driver.on(QueueScreen)
    await driver.press("d")
    await in_view(driver, (await driver.on(AdjudicationScreen)).texts)


async def end(driver: Driver) -> None:
    """All of the first evaluation is settled."""
    await disagreement(driver)
    await driver.press("1", "2", "x")


async def own_word(driver: Driver) -> None:
    await disagreement(driver)
    await driver.press("o")
    await in_view(driver, (await driver.on(OwnVerdictScreen)).texts)


SCREENS: dict[str, Callable[[Driver], Awaitable[None]]] = {
    "disagreement": disagreement,
    "end": end,
    "own word": own_word,
}


@by_day(3)
@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["160x45", "80x24"])
@pytest.mark.parametrize("screen", SCREENS)
def test_adjudication(sample: Path, snap_compare: Callable[..., bool], screen: str, size: tuple[int, int]) -> None:
    connection = open_library(sample)
    app = DiscoxApp(connection, "mei", Settings(theme="discox-dark"))

    async def before(pilot: Pilot[None]) -> None:
        await SCREENS[screen](Driver(app, pilot))
        await pilot.pause()

    try:
        assert snap_compare(app, terminal_size=size, run_before=before)
    finally:
        connection.close()
