"""What the screens of building look like at each stage: ``pytest tests/discox_tui/screens/test_benchmark_snapshots.py -n0 --snapshot-update``."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import count
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.screens.benchmark.candidate import CandidateScreen
from discox_tui.screens.benchmark.forms import DetailsForm, ParagraphForm, PointForm
from discox_tui.screens.benchmark.screen import BuildScreen
from discox_tui.screens.benchmark.versions import VersionsScreen
from discox_tui.screens.common.dialogs import Ask
from discox_tui.widgets.text_editor import TextEditor
from judges.benchmark.selection.selection import discox
from storage.benchmark.log import BuildLog
from storage.integrity.opening import open_library
from storage.log import writer
from storage.record.groundings import ground_pending
from tests.support.building_candidates import DYKE, build_library, judge
from tests.support.driving import SMALL, WIDE, Driver

Steps = Callable[[Driver], Awaitable[object]]


class _Noon(datetime):
    """The moments at which all is done: a second after one another, from noon on."""

    seconds = count()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> _Noon:
        return cls(2026, 5, 4, 12, tzinfo=tz or UTC) + timedelta(seconds=next(cls.seconds))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The six candidates, quotas, decisions, one that two people decide on, a filter, two versions."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(writer, "datetime", _Noon)
    monkeypatch.setattr(_Noon, "seconds", count())
    found = tmp_path / "a.db"
    build_library(found)
    with closing(open_library(found)) as connection:
        ana, mei = BuildLog(connection, "ana"), BuildLog(connection, "mei")
        mei.set_quotas(discox(20))
        ana.revise("dyke", source=DYKE.replace("老周", "老赵"), note="he asked not to be named")
        ana.assign({"slipway": ["ana", "mei"], "grove": ["mei"]})
        ana.decide("slipway", "reject", "every system translates it well")
        ana.decide("notice", "reject", "it is an advertisement", stage=1)
    judge(found, {"owlet": {1, 2, 3}, "heron": {1, 2}})
    with closing(open_library(found)) as connection:
        ground_pending(connection, found)  # the paragraphs that go together stand side by side from the first
    yield found
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def draw(path: Path, snap_compare: Callable[..., bool]) -> Iterator[Callable[..., bool]]:
    """Open the app on the candidates, take some steps, and compare the picture with the one on disk."""
    connections = []

    def compare(steps: Steps, size: tuple[int, int], theme: str = "discox-dark") -> bool:
        connections.append(open_library(path))
        app = DiscoxApp(connections[-1], "mei", Settings(theme=theme), building=True)

        async def before(pilot: Pilot[None]) -> None:
            driver = Driver(app, pilot)
            screen = await driver.on(BuildScreen)
            await driver.until(lambda: not screen.building.needs_twins)
            await steps(driver)
            for field in app.screen.query(Input):
                field.cursor_blink = False
            for editor in app.screen.query(TextEditor):
                editor.cursor_blink = False
            await pilot.pause()

        return snap_compare(app, terminal_size=size, run_before=before)

    yield compare
    for connection in connections:
        connection.close()


async def the_list(driver: Driver) -> None:
    await driver.press("down")


async def candidate(driver: Driver, key: str = "dyke") -> None:
    screen = await driver.on(BuildScreen)
    screen.open(key)
    await driver.on(CandidateScreen)


async def intake(driver: Driver) -> None:
    await candidate(driver, "notice")
    await driver.press("j")


async def point(driver: Driver) -> None:
    await intake(driver)
    await driver.press("c")
    await driver.on(PointForm)


async def judged(driver: Driver) -> None:
    await candidate(driver)
    await driver.press("j", "n", "s")


async def differ(driver: Driver) -> None:
    await candidate(driver, "slipway")
    await driver.press("a")
    await driver.on(Ask)
    await driver.write("the only one in English\r")
    await driver.on(CandidateScreen)


async def exception(driver: Driver) -> None:
    await candidate(driver, "hostile")
    await driver.press("a")
    await driver.on(Ask)


async def paragraph(driver: Driver) -> None:
    await candidate(driver, "hostile")
    await driver.press("t")
    await driver.on(ParagraphForm)


async def versions(driver: Driver) -> None:
    await candidate(driver)
    await driver.press("V")
    await driver.on(VersionsScreen)


async def details(driver: Driver) -> None:
    await candidate(driver, "hostile")
    await driver.press("i")
    await driver.on(DetailsForm)


STEPS: dict[str, Steps] = {
    "candidates": the_list,
    "intake": intake,
    "point": point,
    "judged": judged,
    "differ": differ,
    "exception": exception,
    "paragraph": paragraph,
    "versions": versions,
    "details": details,
}


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["160x45", "80x24"])
@pytest.mark.parametrize("stage", STEPS)
def test_stage(draw: Callable[..., bool], stage: str, size: tuple[int, int]) -> None:
    assert draw(STEPS[stage], size)


@pytest.mark.parametrize("theme", ["discox-light", "discox-16"])
def test_theme(draw: Callable[..., bool], theme: str) -> None:
    assert draw(judged, (100, 30), theme=theme)
