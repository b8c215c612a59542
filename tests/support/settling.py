"""The wait of a pilot: until an app has nothing more to do, instead of until the processor looks idle.

Textual sleeps 20 ms and more, twice a key, for work of 4 ms. This asks the event loop instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from textual._context import active_app
from textual.app import App
from textual.pilot import Pilot


async def settle(app: App[Any]) -> None:
    """Wait until no message waits, what they changed is painted, and what waits for that paint has run.

    Threads and timers that are not due yet are not waited for: ``Driver.until`` is for these.
    """
    with app._context():  # of two apps, a screen takes the one that was opened last for its own
        while True:
            await _drain()
            if app._resize_timer is not None:
                app._check_resize()  # a new size is told after a 120th of a second
                continue
            if not app.is_running or not app._screen_stack or not _paint(app):
                return


def _paint(app: App[Any]) -> bool:
    """Paint what changed now, not at the next tick of the screen's timer; return True if there was anything to do."""
    screen = app.screen
    if not screen.is_running or not screen.is_current or app._batch_count:
        return False
    waits = bool(screen._dirty_widgets or screen._callbacks)
    waits |= (
        screen._layout_required or screen._repaint_required or screen._scroll_required or screen._recompose_required
    )
    if waits:
        screen._on_timer_update()
    return waits


async def _drain() -> None:
    """Let all others have their turn until the event loop has nothing that is ready to run."""
    loop: Any = asyncio.get_running_loop()
    await asyncio.sleep(0)
    while loop._ready or (loop._scheduled and loop._scheduled[0]._when <= loop.time()):
        await asyncio.sleep(0)


def quick_pilots() -> Iterator[None]:
    """Let every pilot wait in this way."""

    async def settled(pilot: Pilot[Any], timeout: float = 0) -> bool:
        await settle(pilot.app)
        return pilot.app._exception is None

    async def idle(*_: float) -> None:
        await settle(active_app.get())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pilot, "_wait_for_screen", settled)
        patch.setattr("textual.pilot.wait_for_idle", idle)
        patch.setattr("textual.app.wait_for_idle", idle)
        yield
