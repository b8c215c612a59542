"""The app under a pilot, on a real library file: press, click, wait for what should come, read the screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from textual._xterm_parser import XTermParser
from textual.events import Key
from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen

from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.core.keys import named
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.key_bar import KeyBar
from discox_tui.widgets.text_pane import TextPane
from judges.model import Verdict
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.record.library import StoredFinding
from storage.reviews.events import as_json, read_events
from tests.support import builders
from tests.support.settling import settle

CHARACTERS = {"enter": "\r", "escape": "\x1b", "tab": "\t", "space": " ", "backspace": "\x7f"}
"""The keys with a name that send a character."""
Kind = TypeVar("Kind", bound=Screen[Any])
LOOK_AGAIN = 0.001
"""Seconds between two looks at what a thread, a process or a timer does."""
PATIENCE = 60.0
"""Seconds after which something that does not happen will not, on a busy machine either."""
WIDE, MIDDLE, SMALL = (160, 45), (100, 30), (80, 24)


@dataclass
class Driver:
    """One app being driven."""

    app: DiscoxApp
    pilot: Pilot[None]

    async def press(self, *keys: str) -> None:
        """Press keys one by one, each once the one before has had its effect and that is painted."""
        for key in keys:
            with self.app._context():
                await self.pilot.press(key)
            await self.rest()

    async def rest(self) -> None:
        """Wait until all that was typed has had its effect."""
        await self.until(lambda: not self.app.is_running or self.app.typeahead.resting, "rest")

    async def write(self, text: str) -> None:
        """Type a text as a terminal sends it: what a pilot presses has no character where that is full-width."""
        await self.send(*XTermParser().feed(text))

    async def burst(self, *keys: str) -> None:
        """Press keys all at once, as a line delivers them that was slow; a key is named as for ``press``."""
        await self.send(*(Key(named(key), key if len(key) == 1 else CHARACTERS.get(key)) for key in keys))

    async def send(self, *events: Message) -> None:
        """Let events arrive all at once."""
        driver = self.app._driver
        assert driver is not None
        for event in events:
            event.set_sender(self.app)
            driver.send_message(event)
        await settle(self.app)
        await self.rest()

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait until the condition holds; fail after a minute, saying what was waited for."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain for {what or condition}\n{self.text}"
            await asyncio.sleep(LOOK_AGAIN)
            await settle(self.app)

    async def on(self, kind: type[Kind]) -> Kind:
        """Wait until a screen of this kind is on top, laid out and drawn, and return it."""
        await self.until(lambda: isinstance(self.app.screen, kind) and self.app.screen.is_mounted, kind.__name__)
        await self.pilot.pause()
        await self.rest()  # what is typed before a change of screens is painted may be too early
        screen = self.app.screen
        assert isinstance(screen, kind)
        return screen

    async def review(self, index: int = 0) -> ReviewScreen:
        """From the queue, open the review of the row at ``index``."""
        queue = await self.on(QueueScreen)
        queue.table.move_cursor(index)
        await self.press("enter")
        return await self.on(ReviewScreen)

    # --- what can be seen ---

    @property
    def lines(self) -> list[str]:
        """The screen as rows of text."""
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        """The screen as text."""
        return "\n".join(self.lines)

    def bar(self, selector: str) -> str:
        """What a bar says."""
        rows = self.app.screen.query_one(selector, Bar).rows
        return "\n".join("".join(run[0] for run in (*left, *right)) for left, right in rows)

    @property
    def detail(self) -> str:
        """What is said of the current finding."""
        return self.app.screen.query_one("#detail", TextBlock).text

    @property
    def said(self) -> list[str]:
        """The message that is being shown, if any."""
        return [bar.message for screen in self.app.screen_stack for bar in screen.query(KeyBar) if bar.message]

    # --- what was decided ---

    @property
    def screen(self) -> ReviewScreen:
        screen = self.app.screen
        assert isinstance(screen, ReviewScreen)
        return screen

    @property
    def number(self) -> int:
        """The number of the current finding."""
        return self.finding.number

    @property
    def finding(self) -> StoredFinding:
        finding = self.screen.finding
        assert finding is not None
        return finding

    def verdict(self, number: int) -> Verdict:
        """The verdict on the finding with this number."""
        session = self.app.session
        assert session.evaluation is not None
        return session.verdict(session.evaluation.findings[number - 1])

    @property
    def events(self) -> list[dict[str, Any]]:
        """The review log, read from the file by another connection."""
        connection = open_library(self.app.session.connection.path, create=False)
        try:
            return [as_json(event) for event in read_events(connection)]
        finally:
            connection.close()

    def row(self, number: int) -> str:
        """The line of the list for the finding with this number."""
        table = self.screen.errors
        return table.render_line(number - table.scroll_offset.y).text

    async def click_text(self, pane: TextPane, offset: int) -> None:
        """Click on a character of a text."""
        for y in range(pane.size.height):
            for x in range(pane.size.width):
                if pane.offset_at(x, y) == offset:
                    await self.pilot.hover(pane)  # so that it is not the second click of a double one
                    await self.pilot.click(pane, offset=(x, y))
                    await self.pilot.pause()
                    return
        raise AssertionError(f"character {offset} is not in view\n{self.text}")


@asynccontextmanager
async def opened(
    path: Path,
    *,
    reviewer: str = "mei",
    size: tuple[int, int] = WIDE,
    start: str | None = None,
    settings: Settings | None = None,
) -> AsyncIterator[Driver]:
    """Open the app on a library file."""
    connection = open_library(path)
    app = DiscoxApp(connection, reviewer, settings or Settings(theme="discox-dark"), start=start)
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            await pilot.pause()
            yield Driver(app, pilot)
    finally:
        connection.close()


def library(path: Path, *evaluations: dict[str, Any]) -> list[str]:
    """Make a library file of evaluations, as ``builders.add`` takes them, with their errors located."""
    connection = open_library(path)
    ids = [builders.add(connection, **({"system": f"system-{i}"} | each)) for i, each in enumerate(evaluations)]
    ground_pending(connection, path)
    connection.close()
    return ids
