"""Rate limit: requests held back in order, so many at once and a minute, and longer after every failure."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass

LONGEST_WAIT = 60.0
"""Seconds that waiting after failures grows to."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time, sleep and chance that waiting stands on. ``now``: monotonic seconds; ``chance``: from [0, 1)."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


REAL = Clock()


def estimated_tokens(text: str) -> float:
    """Return about how many tokens a text is: four Latin letters are one, four Chinese characters three.

    A rough figure for what has to be known before anyone has counted; tokenizers differ by a third either way.
    """
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) / 2
    return 0.25 * (len(text) - wide) + 0.75 * wide


def backoff(failures: int, chance: float) -> float:
    """Return the seconds to wait after so many failures (≥ 1): exponential with full jitter, so none march in step.

    Source: M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
    """
    return chance * min(LONGEST_WAIT, 2.0 ** min(failures - 1, 10))


class Pace:
    """So much a minute, evenly: what is taken pushes the moment away at which the next may be taken."""

    def __init__(self, per_minute: float | None) -> None:
        if per_minute is not None and per_minute <= 0:
            raise ValueError("a rate must be above 0")
        self._seconds = 60.0 / per_minute if per_minute else 0.0
        self._free = 0.0

    def take(self, amount: float, now: float) -> float:
        """Take an amount at its turn and return the seconds to wait for it."""
        begin = max(self._free, now)
        self._free = begin + amount * self._seconds
        return begin - now

    def correct(self, amount: float) -> None:
        """Add what an estimate fell short of; below 0, give back what it was too much."""
        self._free += amount * self._seconds


class Slots:
    """So many at once, first come first served; who has begun already goes before who has not."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError("at least one request must be allowed at once")
        self._free = count
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self, begun: bool = False) -> None:
        """Wait for a slot. Raises what ``cut`` was given."""
        if self._free and not self._waiting:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if begun else self._waiting.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.give()  # it was handed over just as its taker was cancelled
            raise

    def give(self) -> None:
        """Give a slot back, to whoever waits longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def cut(self, error: Exception) -> None:
        """Let everyone who waits fail with this."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(copy(error))
