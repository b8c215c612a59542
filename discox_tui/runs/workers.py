"""Workers that do many pieces of work at once; any piece may have to wait for another day."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from judges.providers.model import Fatal, NotAnswered, NotRecorded, Stopped, Unreachable

Item = TypeVar("Item")

OnStart = Callable[[Callable[[], None]], None]
"""Is handed, before anything is asked, the function that ends a run in good order."""

Result = Literal["done", "failed"]
"""``failed``: it is stored, and a model gave nothing usable for some of it."""


SELDOM = 20_000
"""Objects that come to be, beyond those that go, before garbage is looked for."""


@dataclass(slots=True)
class Progress:
    """Progress of a run. ``of``: pieces of work in all; ``undone`` counts why some have to be done another time.

    ``problem``: why the run stopped before its end, or "". ``interrupted``: somebody told it to stop, which may have
    come too late to leave anything undone. ``slowed``: how many calls a minute the server lets through, None while it
    takes all there are. ``hold``: begins no further call, or goes on; called where the run goes on.
    """

    of: int = 0
    done: int = 0
    failed: int = 0
    undone: Counter[str] = field(default_factory=Counter)
    problem: str = ""
    interrupted: bool = False
    slowed: Callable[[], float | None] = lambda: None
    hold: Callable[[bool], None] = lambda held: None

    @property
    def ended(self) -> int:
        """Pieces of work that need not be looked at again in this run."""
        return self.done + self.failed + self.undone.total()


async def work_through(
    items: Iterator[Item],
    do: Callable[[Item], Awaitable[Result]],
    progress: Progress,
    *,
    workers: int,
    stop: Callable[[], None],
) -> None:
    """Do every item, ``workers`` at a time, in order, and count in ``progress`` what became of each.

    An item that has no answer for now is counted and passed over. What ends everything (Fatal, Stopped) begins no
    further item and calls ``stop``; whatever is under way comes to its end. Any other exception does the same and is
    raised in the end.
    """
    over = False

    async def take() -> None:
        nonlocal over
        for item in items:
            try:
                result = await do(item)
            except NotAnswered as reason:
                progress.undone[_kind(reason)] += 1
                if isinstance(reason, Fatal | Stopped):
                    progress.problem = progress.problem or str(reason)
                    over = True
                    stop()
            except BaseException:
                over = True
                stop()
                raise
            else:
                if result == "done":
                    progress.done += 1
                else:
                    progress.failed += 1
            if over:
                return

    with _garbage_left_lying():
        ended = await asyncio.gather(*(take() for _ in range(workers)), return_exceptions=True)
    if over and progress.of > progress.ended:
        progress.undone["the run stopped before"] += progress.of - progress.ended
    for problem in ended:
        if isinstance(problem, BaseException):
            raise problem


@contextmanager
def _garbage_left_lying() -> Iterator[None]:
    """Look for cycles seldom and not among what was loaded before: there are few, and looking took a tenth of a run."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(SELDOM, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def _kind(reason: NotAnswered) -> str:
    """Return why a piece of work is not done, in words that stay the same from one to the next."""
    match reason:
        case Unreachable():
            return f"no answer: {reason}"
        case NotRecorded():
            return str(reason)
        case _:
            return "the run stopped before"
