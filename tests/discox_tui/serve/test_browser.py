"""The page in a real Chromium: nothing from outside, Chinese typed and drawn, paste, copy, mouse, reload, two tabs."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("aiohttp")
pytest.importorskip("textual_serve")

from tests.support.browser import Browser, Page, chromium, running
from tests.support.nightly import at_night
from tests.support.served import Served, serving

pytestmark = pytest.mark.skipif(chromium() is None or os.name != "posix", reason="there is no Chromium here")

MEASURE = """
(() => {
  const context = document.createElement("canvas").getContext("2d");
  context.font = "16px 'Roboto Mono', monospace";
  return [context.measureText("m").width, context.measureText("译").width];
})()
"""
SIZES = {(800, 600): "acc", (1280, 800): "accuracy", (1920, 1080): "accuracy"}
"""Window in pixels → the word of the list that has room in it."""


@asynccontextmanager
async def browsing(sample: Path, folder: Path) -> AsyncIterator[tuple[Served, Browser]]:
    async with (
        serving(sample, folder / "state", noor="reviewer", mei="reviewer") as served,
        running(folder / "profile") as browser,
    ):
        yield served, browser


def outside(page: Page, served: Served) -> list[str]:
    """The addresses that a page asked for anywhere else."""
    here = urlsplit(served.base).netloc
    return [each for each in page.requests if urlsplit(each).netloc != here and not each.startswith("data:")]


async def test_a_review_in_a_browser(sample: Path, tmp_path: Path) -> None:
    async with browsing(sample, tmp_path) as (served, browser):
        page = await browser.open(served.url("noor"), (1280, 800))
        await page.sees("reviewer noor")
        assert await page.run("document.title") == "discox · noor"
        await page.press("Enter")
        await page.sees("error 1/7")
        narrow, wide = await page.run(MEASURE)
        assert narrow < wide <= 2 * narrow  # a Chinese character fits into its two columns
        cells = []
        for size, word in SIZES.items():
            told = len(page.sent)
            await page.resize(*size)
            await page.wait(lambda told=told: any('["resize"' in each for each in page.sent[told:]))
            await page.sees(word)
            cells.append(await page.cells())
        assert cells == sorted(cells)
        assert cells[0] < cells[1] < cells[2]

        # A note: letters under composition reach nobody, the text that they become does; a paste comes whole.
        await page.press("n")
        await page.sees("Note")
        typed = len(page.sent)
        await page.compose("louyi", "漏译")
        await page.sees("漏译")
        assert not any("lou" in each for each in page.sent[typed:])
        await page.paste("，见第六段 `rm -rf` “原文”")
        await page.sees("漏译，见第六段")
        await page.press("Enter")
        await page.sees("note 漏译，见第六段")

        # What is dragged over is selected; y puts it on the clipboard of the browser.
        column, row = page.screen.cell_of("dispute")
        await page.drag((column, row), (column + 6, row))
        await page.sees("character back")
        await page.press("y")
        await page.sees("Copied 7 characters")
        assert await page.run("navigator.clipboard.readText()") == "dispute"
        await page.press("Escape")

        # F5 is the browser's, and no key of the app; the place is the same afterwards.
        await page.press("]")
        await page.sees("error 2/7")
        told = len(page.sent)
        await page.press("F5")
        assert not any("15~" in each for each in page.sent[told:])
        await page.reload()
        await page.sees("error 2/7")
        assert outside(page, served) == []
        assert page.problems == []


@at_night
async def test_two_tabs_show_each_others_acts_and_words_for_every_end(sample: Path, tmp_path: Path) -> None:
    async with browsing(sample, tmp_path) as (served, browser):
        first = await browser.open(served.url("noor"))
        await first.sees("reviewer noor")
        await first.press("Enter")
        await first.sees("error 1/7")
        second = await browser.open(served.url("noor"))
        await second.sees("reviewer noor")
        await second.press("Enter")
        await second.sees("error 1/7")
        await first.press("a")
        await first.sees("✓ 1")
        await second.sees("✓ 1")
        await second.close()
        await served.gone(served.pids[1])
        await first.press("q")
        await first.says("Everything is saved")
        stranger = await browser.open(f"{served.base}/{'A' * 32}/")
        await stranger.says("not valid")
        assert outside(first, served) == outside(second, served) == outside(stranger, served) == []
