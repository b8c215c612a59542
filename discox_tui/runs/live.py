"""Live run: every piece of work done with a caller whose attempts are on record, whatever is asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from typing import Protocol

from discox_tui.runs.budget import Spending
from discox_tui.runs.connect import recording
from discox_tui.runs.workers import Item, OnStart, Progress, Result, work_through
from judges.providers.client import Policy
from judges.providers.model import Ask, Form, Provider, Request
from judges.providers.rate_limit import Throttle
from storage.db.connection import Connection, file_of
from storage.runs.calls import Journal


class Run(Protocol):
    """A run that has begun on a library; ``progress`` and ``spending`` tell how far it is, at any time."""

    connection: Connection
    run_id: int
    spending: Spending
    progress: Progress


async def ask_through(
    run: Run,
    items: Iterator[Item],
    do: Callable[[Journal, Item, Ask], Awaitable[Result]],
    provider: Provider,
    policy: Policy,
    *,
    on_start: OnStart,
    model: str,
    retry_failed: bool,
    start: Form | None,
    allow: Callable[[Request], bool] | None = None,
    further: Sequence[str] = (),
    throttle: Throttle | None = None,
) -> None:
    """Do every item of a run, then give up the provider's connections.

    ``model``, ``retry_failed``, ``start``, ``allow``, ``further`` and ``throttle`` are as of `recording`. Raises
    StorageError where the record cannot be written.
    """
    with closing(Journal(run.connection.path, run.run_id, file_of(run.connection))) as journal:
        caller = recording(
            provider,
            journal,
            run.spending,
            model,
            policy=policy,
            retry_failed=retry_failed,
            allow=allow,
            start=start,
            further=further,
            throttle=throttle,
        )

        async def one(item: Item) -> Result:
            return await do(journal, item, caller.ask)

        run.progress.slowed, run.progress.hold = caller.slowed, caller.hold
        on_start(caller.stop)
        try:
            await work_through(items, one, run.progress, workers=policy.concurrency, stop=caller.stop)
        finally:
            await provider.close()
