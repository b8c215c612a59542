"""Part 5 of the consistency screen has what the command line has: segments, raters, and metrics in clusters."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.widgets.bars import TextBlock
from judges.model import Place
from storage.db.connection import Connection
from storage.formats.base.items import Annotation, Document, Mark, ScoreLine, Segment
from storage.integrity.opening import open_library
from tests.discox_tui.screens.test_consistency import consistency, part
from tests.support.annotated_files import library
from tests.support.driving import SMALL, WIDE, Driver, opened

SEGMENTS = tuple(Segment(f"{n}", f"原文第{n}句。", f"Sentence {n} of it.") for n in range(1, 4))
ANNOTATORS = (("ana", True, 0.2), ("ben", True, 0.5), ("kite", False, 0.4), ("tern", False, 0.6))
"""People who mark errors, and how severe each is with them."""


def items() -> Iterator[object]:
    """Eight documents by three systems that two people and two judges marked, and a metric of whole documents."""
    chance = random.Random(12)
    for n in range(8):
        for place, system in enumerate(("aurora", "heron", "plover")):
            document = Document(f"doc-{n}", system, SEGMENTS, "zh-en", "news")
            errors = [place / 3 + chance.random() * 0.8 for _ in SEGMENTS]
            for name, human, strict in ANNOTATORS:
                marks = tuple(
                    Mark(at, "Accuracy/Mistranslation", chance.choice(("Major", "Minor")), (Place("translation", k, k + 6),))
                    for at, much in enumerate(errors)
                    for k in range(3)
                    if chance.random() < much * strict
                )  # fmt: skip
                yield Annotation(document, name, human, marks, metric="MQM" if human else "")
            yield ScoreLine(1, "chrF", system, f"doc-{n}", "zh-en", 60 - 9 * place + chance.random() * 20, False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with library(list(items())) as made, closing(open_library(tmp_path / "rated.db")) as copy:
        made.backup(copy)
    return tmp_path / "rated.db"


TITLES = {"segments": "RATED SEGMENTS", "raters": "SEVERITY OF RATERS", "clusters": "METRICS RANKED"}


async def at(driver: Driver, title: str) -> None:
    """Show part 5 from a section on."""
    await consistency(driver)
    await part(driver, "5")
    figures = driver.app.screen.query_one("#figures", TextBlock)
    await driver.until(lambda: title in figures.text)
    lines = figures.text.splitlines()
    figures.go_to(next(n for n, line in enumerate(lines) if title in line))
    await driver.pilot.pause()


async def test_every_section_is_there(path: Path) -> None:
    async with opened(path, size=WIDE) as driver:
        await at(driver, TITLES["clusters"])
        assert isinstance(driver.app.screen, ConsistencyScreen)
        shown = driver.app.screen.query_one("#figures", TextBlock).text
        for title in (*TITLES.values(), "SEGMENTS: zh-en", "RATERS: zh-en", "Metric-S (kite)", "tern (errors)"):
            assert title in shown
        assert "MQM" in shown


@pytest.fixture
def connection(path: Path) -> Iterator[Connection]:
    with closing(open_library(path)) as opened_library:
        yield opened_library


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["160x45", "80x24"])
@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES.keys())
def test_section(connection: Connection, snap_compare: Callable[..., bool], title: str, size: tuple[int, int]) -> None:
    app = DiscoxApp(connection, "mei", Settings())

    async def before(pilot: Pilot[None]) -> None:
        await at(Driver(app, pilot), title)

    assert snap_compare(app, terminal_size=size, run_before=before)
