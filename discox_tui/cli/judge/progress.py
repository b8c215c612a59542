"""A run on the command line: progress while it lasts, and a good end when it is interrupted."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from discox_tui.cli.core.output import note
from discox_tui.runs.budget import Spending
from discox_tui.runs.summary import progress_parts
from discox_tui.runs.workers import OnStart, Progress
from discox_tui.text.safe import safe

Result = TypeVar("Result")

OFTEN, SELDOM = 0.25, 15.0
"""Seconds between two looks at the progress: redrawn on a terminal, a line of a log elsewhere."""


def until_done(
    run: Callable[[OnStart], Coroutine[Any, Any, Result]],
    what: str,
    progress: Progress,
    spent: Spending,
    currency: str,
) -> Result:
    """Run a coroutine to its end, with progress on standard error.

    ``run`` is handed what to call with the function that stops in good order: that is what the first Ctrl-C does; a
    second one cancels. ``what``: what is being done ("judged").
    """

    async def all_of_it() -> Result:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        stops: list[Callable[[], None]] = []
        asked_before = False

        def interrupted() -> None:
            nonlocal asked_before
            if asked_before and task is not None:
                task.cancel()
            asked_before = progress.interrupted = True
            for stop in stops:  # before anything is said: nobody may be there any more to read it
                stop()
            take_away()
            note("stopping: calls in flight are finished and kept (again: stop at once)")

        def on_start(stop: Callable[[], None]) -> None:
            stops.append(stop)
            if asked_before:
                stop()

        previous = {
            number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(interrupted))
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        display = asyncio.create_task(_show(what, progress, spent, currency))
        try:
            return await run(on_start)
        finally:
            display.cancel()
            with suppress(asyncio.CancelledError):
                await display
            for number, handler in previous.items():
                signal.signal(number, handler)

    try:
        return asyncio.run(all_of_it())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _show(what: str, progress: Progress, spent: Spending, currency: str) -> None:
    terminal = sys.stderr.isatty()
    begun = time.monotonic()
    said: tuple[int, bool] = (0, False)
    try:
        while True:
            await asyncio.sleep(OFTEN if terminal else SELDOM)
            now = (spent.calls + progress.ended, progress.slowed() is not None)
            if not terminal and said == (said := now):
                continue  # a log needs no line that nothing has come of
            parts = progress_parts(what, progress, spent, currency, time.monotonic() - begun)
            if terminal:
                _draw(parts)
            else:
                note(" · ".join(parts))
    finally:
        take_away()


def take_away() -> None:
    """Clear what progress is drawn on, if it is."""
    if sys.stderr.isatty():
        print("\r\x1b[J", end="", file=sys.stderr, flush=True)


def _draw(parts: Sequence[str]) -> None:
    """Draw progress over what was drawn before: the cursor stays where it begins."""
    from discox_tui.text.columns import fit
    from discox_tui.text.widths import widths

    columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    rows: list[str] = []
    for part in map(safe, parts):
        if rows and widths().of(joined := f"{rows[-1]} · {part}") <= columns:
            rows[-1] = joined
        else:
            rows.append(fit(part, columns).rstrip())
    up = f"\x1b[{len(rows) - 1}A" if len(rows) > 1 else ""
    print("\r\x1b[J" + "\n".join(rows) + up, end="\r", file=sys.stderr, flush=True)
