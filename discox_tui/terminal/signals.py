"""Signals that end the program: they end the app in order, with what is open kept and the terminal given back."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from discox_tui.app import DiscoxApp

ENDING = ("SIGHUP", "SIGINT", "SIGTERM")
HANGS = 5.0
"""Seconds after which an app that does not end, being busy or writing to a terminal that does not read, is ended."""


@contextmanager
def ended_by_signals(app: DiscoxApp) -> Iterator[None]:
    """Let the signals end the app while the block runs; the exit code is 128 and the signal's number.

    One that is ignored, as ``nohup`` has it, stays so.
    """

    def end(number: int, frame: FrameType | None) -> None:
        if app.ending is None:
            timer = threading.Timer(HANGS, _give_up, (app, 128 + number))
            timer.daemon = True
            timer.start()
            app.end(128 + number)

    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, end)
    try:
        yield
    finally:
        if app.ending is None:
            for number, handler in before.items():
                signal.signal(number, handler)


def _give_up(app: DiscoxApp, code: int) -> None:
    if give_back := getattr(app._driver, "give_back", None):
        give_back()
    os._exit(code)
