"""Rate limit: requests held back in order, so many at once and a minute, by our choice or by what a server takes."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass

from judges.providers.model import Allowance

LONGEST_WAIT = 60.0
"""Seconds that waiting after failures grows to."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time, sleep and chance that waiting stands on. ``now``: monotonic seconds; ``chance``: from [0, 1)."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


REAL = Clock()


def backoff(failures: float, chance: float) -> float:
    """Return the seconds to wait after so many failures (≥ 1): exponential with full jitter, so none march in step.

    Source: M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
    """
    return chance * min(LONGEST_WAIT, math.pow(2.0, min(failures - 1, 10)))


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


STEEP = 1.6
"""Failures that a refusal counts as in waiting: the next call comes three times as late, since most count by the
minute, and each call that comes too early is one in vain."""
FIRST_AT_ONCE = 8
"""Calls at once to begin with, before it is known what a server takes."""
EVIDENCE = 10
"""Answers below which they say nothing of how many a minute a server lets through."""
NO_BLIP = 3
"""Refusals, one after the other, after which it is no passing trouble, so that few answers say something, too."""
SLOWLY = 20
"""Round trips of full use in which what was halved doubles."""
LONGEST_HEEDED = 900.0
"""Seconds beyond which a server's word on when it takes more is left to its refusals: it may count by the day."""


class Throttle:
    """Calls that a server takes at once and a minute, found out as it answers and refuses.

    At first more at once with every answer, up to the ``most`` that are wanted. When it refuses, nothing goes for a
    while, then calls at the pace that got through so far. Once one gets through, half as many go at once and a minute
    as before, and never more a minute than it let through, refusing and all; from there both grow again by a little
    with every answer. All that is refused before an answer gets through is one overload, and halves once. All times
    are seconds on one clock.

    Source: additive increase, multiplicative decrease: D. Chiu, R. Jain, "Analysis of the increase and decrease
    algorithms for congestion avoidance", 1989; slow start: V. Jacobson, "Congestion avoidance and control", 1988.
    """

    def __init__(self, most: int = FIRST_AT_ONCE) -> None:
        self.most = most
        self.at_once = float(min(most, FIRST_AT_ONCE))
        self._latest: float | None = None
        self.rate: float | None = None
        """Calls a second, None for as many as there are."""
        self.refusals = 0
        """Number of them, one after the other, since a call last got through; 0: it takes calls."""
        self.answered = 0
        self._before, self._base = self.at_once, 0.0
        self._since: float | None = None
        self._let_through = 0
        self._closed = self._turned = -math.inf
        self._free = 0.0
        self._held = self._waited = False
        self._left: float | None = None
        self._renewed = 0.0

    def go_on(self, most: int, now: float) -> None:
        """Begin another run at the same server with what is known of its pace; nobody asked since the last answer.

        How patient one is with it begins anew, and of how many calls are left it may count each model's apart.
        """
        self.most, self.at_once = most, min(self.at_once, float(most))
        if self._latest is not None:
            self.pass_over(max(0.0, now - self._latest))
        self._left, self.answered = None, 0
        self._closed = now if self.refusals else self._closed

    def wait(self, now: float) -> float:
        """Return the seconds until the next call may go, 0 or less for at once; it may be less once one has ended."""
        seconds = self._free - now
        if self._left is not None and self._left < 1:
            seconds = max(seconds, self._renewed - now)
        self._waited = self._waited or seconds > 0
        return seconds

    def sent(self, now: float) -> None:
        """Count a call that goes now."""
        if self._since is None:
            self._since = now
        self._held, self._waited = self._waited, False
        if (pace := self._pace(now)) is not None:
            self._free = max(self._free, now) + 1 / pace
        if self._left is not None:
            self._left = self._left - 1 if now < self._renewed else None

    def heed(self, allowance: Allowance, in_flight: int, now: float) -> None:
        """Take a server's word on how many calls it takes until when; those ``in_flight`` may not be counted there."""
        if allowance.seconds <= LONGEST_HEEDED:
            self._left, self._renewed = allowance.calls - in_flight, now + allowance.seconds

    def passed(self, sent: float, now: float) -> None:
        """Note that a call that was ``sent`` then was let through."""
        self._latest = now
        self.answered += 1
        self._let_through += 1
        if self.refusals and sent > self._turned:
            self._open(now)
        elif not self.refusals:
            self._grow()

    def refused(self, sent: float, now: float, pause: float) -> None:
        """Note that a call that was ``sent`` then was refused, and that nothing is to go for ``pause`` seconds."""
        self._latest = now
        self._free = max(self._free, now + pause)
        if sent <= self._turned:
            return  # it went before the server was known to refuse
        if not self.refusals:
            self._closed = now
            self._before = self.at_once
            self.at_once = max(1.0, self.at_once / 2)
        self.refusals += 1
        self._turned = now

    def refusing(self, now: float) -> float:
        """Return for how many seconds it has refused everything, 0 while it takes calls."""
        return now - self._closed if self.refusals else 0.0

    def pass_over(self, seconds: float) -> None:
        """Leave out a time in which nobody asked, which says nothing of what the server takes."""
        self._closed += seconds
        self._since = None if self._since is None else self._since + seconds

    def slowed(self, now: float) -> float | None:
        """Return how many calls a minute go now since the server takes no more, None where it takes them all."""
        pace = self._pace(now)
        return None if pace is None or not self._held else 60 * pace

    def _pace(self, now: float) -> float | None:
        """The calls a second that may go now: while it refuses, as many as got through so far, or one a minute."""
        if not self.refusals or self._since is None:
            return self.rate
        so_far = max(self._let_through, 1) / max(now - self._since, 1e-3)
        return max(min(so_far, self.rate or so_far), 1 / LONGEST_WAIT)

    def _open(self, now: float) -> None:
        assert self._since is not None
        halved = None if self.rate is None else self.rate / 2
        if self._let_through >= EVIDENCE or self.refusals >= NO_BLIP:
            so_far = max(self._let_through, 1) / max(now - self._since, 1e-3)
            halved = min(so_far, halved or so_far)
            self._since, self._let_through = now, 0
        self.rate = halved
        self._base = 2 * (halved or 0.0)
        self.refusals = 0
        self._turned = now
        self._free = now + (1 / halved if halved else 0.0)

    def _grow(self) -> None:
        if self._closed == -math.inf:
            self.at_once = min(self.most, self.at_once + 0.5)
            return
        share = 1 / (SLOWLY * max(self.at_once, FIRST_AT_ONCE / 2))
        self.at_once = min(self.most, self.at_once + self._before * share)
        if self.rate is not None:
            self.rate += self._base * share


class Slots:
    """So many at once, first come first served; who has begun already goes before who has not."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError("at least one request must be allowed at once")
        self._count = count
        self._used = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self, begun: bool = False) -> None:
        """Wait for a slot. Raises what ``cut`` was given."""
        if self._used < self._count and not self._waiting:
            self._used += 1
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
        self._used -= 1
        self.resize(self._count)

    def resize(self, count: int) -> None:
        """Let so many be taken at once from now on; what is taken stays so."""
        self._count = count
        while self._waiting and self._used < count:
            turn = self._waiting.popleft()
            if not turn.done():
                self._used += 1
                turn.set_result(None)

    def cut(self, error: Exception) -> None:
        """Let everyone who waits fail with this."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(copy(error))
