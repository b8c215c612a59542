"""The team's screen: it follows what others do, hands out work, and leaves notes that the reviewers see."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.library.team import TeamScreen
from discox_tui.widgets.bars import TextBlock
from storage.integrity.opening import open_library
from storage.reviews.lead_notes import tell, told
from storage.reviews.review_log import ReviewLog
from tests.support.driving import opened


async def test_it_follows_what_others_do(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press("p")
        screen = await driver.on(TeamScreen)
        assert [row.name for row in screen.table.rows] == ["lin", "okafor"]
        await driver.until(lambda: "alike on 57 of 72" in screen.query_one("#together", TextBlock).text)
        with closing(open_library(sample)) as other:
            identity = other.execute("SELECT id FROM evaluations WHERE state = 'scored'").fetchone()[0]
            ReviewLog(other, "noor").open(identity)
        screen._look_elsewhere()
        assert [row.name for row in screen.table.rows] == ["lin", "noor", "okafor"]


async def test_work_is_handed_out_and_nonsense_is_not(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.press("p")
        screen = await driver.on(TeamScreen)
        await driver.press("down", "h")
        await driver.write("0")
        await driver.press("enter")
        assert "nothing was handed out" in driver.said[0]
        await driver.press("h")
        await driver.write("3")
        await driver.press("enter")
        row = screen.table.current
        assert row is not None
        assert (row.name, row.pace.assigned) == ("okafor", 3)
        assert driver.said[0].startswith("3 evaluations more for okafor")


async def test_a_note_reaches_the_reviewer_and_is_gone_once_seen(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.press("p")
        await driver.on(TeamScreen)
        await driver.press("n")
        await driver.write("search, [b]too")
        await driver.press("enter")
        with closing(open_library(sample)) as other:
            assert told(other, "lin") == "mei: search, [b]too"
            tell(other, "mei", "好", "lin")
        await driver.press("escape")
        queue = await driver.on(QueueScreen)
        queue._look_elsewhere()
        assert "lin: 好" in driver.bar("#title")
        assert driver.said[0] == "lin: 好"
        await driver.press("q")
    with closing(open_library(sample)) as other:
        assert told(other, "mei") == ""
        assert told(other, "lin") != ""
