"""Cost of one act in an app, from rest to rest: CPU time, paints, bytes to the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.app import App
from textual.events import Key
from textual.widgets import Static

from discox_tui.core.themes import VARIABLES, install

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.widget import Widget

QUIET = 0.06
"""Seconds for the app to come to rest before a measurement and to finish painting within one."""


class Cost(NamedTuple):
    """CPU milliseconds, writes to the terminal, and their bytes."""

    cpu: float
    paints: int
    sent: int


class Meter(App[None]):
    """An app that counts what it sends to the terminal, run under ``run_test``."""

    @property
    def is_headless(self) -> bool:
        """No, so that what a terminal would get is made and counted too."""
        return False

    def on_mount(self) -> None:
        """Count what is written."""
        self.sent: list[int] = []
        driver: Any = self._driver
        write = driver.write

        def counted(data: str) -> None:
            self.sent.append(len(data.encode()))
            write(data)

        driver.write = counted

    async def cost(self, act: Callable[[], object]) -> Cost:
        """Measure an act. Keys in a burst are coalesced, so each measurement begins and ends at rest."""
        await asyncio.sleep(QUIET)
        self.sent.clear()
        started = process_time()
        result = act()
        if isinstance(result, Awaitable):
            await result
        await asyncio.sleep(QUIET)
        return Cost((process_time() - started) * 1000, len(self.sent), sum(self.sent))

    async def press(self, key: str, character: str | None = None) -> Cost:
        """Measure a key, named as Textual names it."""
        return await self.cost(partial(self.post_message, Key(key, character)))


class Counter(Static, can_focus=True):
    """The bare app's widget: a key changes one line."""

    presses = 0

    def on_key(self) -> None:
        """Count."""
        self.presses += 1
        self.update(str(self.presses))


class Bench(Meter):
    """A bare app of one widget, with a meter."""

    def __init__(self, make: Callable[[], Widget]) -> None:
        super().__init__()
        install(self)
        self.make = make

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the names of our colours."""
        return VARIABLES

    def compose(self) -> ComposeResult:
        """Show the widget."""
        yield self.make()
