"""Signals that end the program: they end the app in order, with what is open kept and the terminal given back."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from types import FrameType


ENDING = ("SIGHUP", "SIGINT", "SIGTERM")
HANGS = 5.0
"""Seconds after which an app that does not end, being busy or writing to a terminal that does not read, is ended."""


class Endable(Protocol):
    """An app that can be told from without to end; ``ending``: the exit code with which it is ending."""

    ending: int | None

    def end(self, code: int) -> None:
        """End in order with an exit code, whatever is open."""


@contextmanager
def ended_by_signals(app: Endable) -> Iterator[None]:
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


def _give_up(app: Endable, code: int) -> None:
    if give_back := getattr(getattr(app, "_driver", None), "give_back", None):
        give_back()
    os._exit(code)
