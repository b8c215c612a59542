"""Judging through a provider's batch API: the same walk, but what is missing is handed in together, round by round."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Generic

from discox_tui.runs.connect import recording
from discox_tui.runs.judging import Judging
from discox_tui.runs.workers import Item, OnStart, Result, work_through
from discox_tui.text.counts import counted
from judges.metric_s.protocol.request_readers import reader_of
from judges.providers.batch import Asked, Batches, BatchState, portions
from judges.providers.client import Policy, reread
from judges.providers.model import (
    FATAL,
    TRANSIENT,
    Ask,
    Attempt,
    Fatal,
    Form,
    NotAnswered,
    NotRecorded,
    Request,
    Stopped,
)
from judges.providers.replay import Collector
from storage.base.text import utc
from storage.db.connection import file_of, transaction
from storage.runs import batches, runs
from storage.runs.calls import Journal

PORTION = 10_000
"""Requests that are held in memory before they are handed in."""

WAITING = "waits for a batch"


@dataclass(slots=True)
class Standing:
    """State of one batch. ``id``: its number in the database; ``remote``: its name at the provider, if it has one."""

    id: int
    at: str
    requests: int
    remote: str | None
    state: BatchState


@dataclass(slots=True)
class Round:
    """Result of one look at the batches: the state of those that were open, and which were handed in now."""

    looked_at: list[Standing] = field(default_factory=list)
    handed_in: list[Standing] = field(default_factory=list)

    @property
    def open(self) -> int:
        """Number of batches that may still bring answers."""
        return sum(each.state.state == "running" for each in self.looked_at) + len(self.handed_in)

    @property
    def in_vain(self) -> str:
        """Reason why a batch that ended brought nothing to go on with ("" if none did): the next may end like it."""
        for each in self.looked_at:
            if each.state.state == "lost" and each.remote is not None:
                return each.state.reason
            if each.state.state == "done" and all(a.outcome in TRANSIENT | FATAL for a in each.state.attempts):
                return each.state.attempts[0].error
        return ""


class _Missing(Collector):
    """Notes what is neither on record nor on its way, as far as the budget has room for it."""

    def __init__(self, judging: Judging, provider: Batches) -> None:
        super().__init__(provider.name, provider.server)
        self._judging = judging

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        """Raise NotRecorded, having noted the request unless it is waiting already."""
        if batches.is_waiting(self._judging.connection, request.id):
            raise NotRecorded(WAITING)
        if request.id not in self.missing and not self._judging.spending.allow(request):
            raise Stopped("the limit would be passed by what is handed in already")
        self.missing[request.id] = (request, form)
        raise NotRecorded(WAITING)


class Batching(Generic[Item]):
    """One run of ``discox judge --batch``: look at the open batches, go on with what they brought, hand in the rest.

    ``items``: what is to be done, read anew in every round; ``do``: does one of them, or raises NotAnswered.
    """

    def __init__(
        self,
        judging: Judging,
        provider: Batches,
        items: Callable[[], Iterator[Item]],
        do: Callable[[Journal, Item, Ask], Awaitable[Result]],
    ) -> None:
        self.judging = judging
        self.provider = provider
        self._items, self._do = items, do

    @classmethod
    def of(cls, judging: Judging, provider: Batches) -> Batching[runs.Work]:
        """Return what judges so."""
        return Batching(judging, provider, lambda: judging.choice.work(judging.connection), judging.judge)

    async def look(self, *, settle: bool = True) -> list[Standing]:
        """Return how every open batch of this model stands.

        ``settle``: record what has come, and give up what is lost. Raises Fatal or Unreachable.
        """
        connection, provider = self.judging.connection, self.provider
        model = self.judging.choice.settings.model
        found = []
        for batch in batches.open_batches(connection, provider.name, provider.server, model):
            try:
                remote = batch.remote or await provider.find(batch.token)
            except Fatal as problem:
                raise Fatal(f"{problem}; --batch-forget gives up what may have been handed in") from None
            if remote is None:
                state = BatchState("lost", total=batch.requests, reason="it was never handed in")
            else:
                requests = batches.requests_of(connection, batch.id)
                state = await provider.collect(remote, requests)
                read = [reread(attempt, reader_of(attempt.request)).attempt for attempt in state.attempts]
                state = replace(state, attempts=read)
            found.append(Standing(batch.id, batch.at, batch.requests, remote, state))
            if settle:
                self._settle(batch.id, remote, state)
        return found

    def _settle(self, batch_id: int, remote: str | None, state: BatchState) -> None:
        with transaction(self.judging.connection) as connection:
            if remote is not None:
                batches.submitted(connection, batch_id, remote)
            if state.state == "done":
                batches.collected(connection, batch_id, self.judging.run_id, state.attempts)
            elif state.state == "lost":
                batches.lost(connection, batch_id, state.reason)
        for attempt in state.attempts:
            self.judging.spending.count(attempt)

    async def rounds(
        self, on_start: OnStart, on_round: Callable[[Round], None], *, wait: bool, poll: float
    ) -> list[Round]:
        """Do one round; ``wait``: and then one every ``poll`` seconds until no batch is open, or one was in vain."""
        over = asyncio.Event()
        on_start(over.set)
        done: list[Round] = []
        try:
            while not over.is_set():
                self.judging.progress.undone.clear()
                done.append(await self.go_on(on_start))
                on_round(done[-1])
                if not wait or not done[-1].open or self.judging.progress.problem:
                    break
                if reason := done[-1].in_vain:
                    self.judging.progress.problem = f"a batch was in vain, so no more are waited for: {reason}"
                    break
                with suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), poll)
        except NotAnswered as problem:
            self.judging.progress.problem = str(problem)
        finally:
            await self.provider.close()
        return done

    async def go_on(self, on_start: OnStart) -> Round:
        """Do one round: look, store the evaluations that are complete now, hand in what they want to know next."""
        judging = self.judging
        done = Round(await self.look())
        missing = _Missing(judging, self.provider)
        with closing(Journal(judging.connection.path, judging.run_id, file_of(judging.connection))) as journal:
            caller = recording(
                missing,
                journal,
                judging.spending,
                judging.choice.settings.model,
                policy=Policy(concurrency=8),
                retry_failed=False,
                allow=lambda request: True,
                withdraw=lambda request: None,
                start=judging.choice.start,
                further=judging.choice.settings.models[1:],
            )

            async def do(item: Item) -> Result:
                if len(missing.missing) >= PORTION:
                    await self._hand_in(missing, done)
                return await self._do(journal, item, caller.ask)

            interrupted = False

            def interrupt() -> None:
                nonlocal interrupted
                interrupted = True
                caller.stop()

            on_start(interrupt)
            await work_through(self._items(), do, judging.progress, workers=1, stop=caller.stop)
            if not interrupted:  # where the budget ended it, what there was room for is handed in
                await self._hand_in(missing, done)
        return done

    async def _hand_in(self, missing: _Missing, done: Round) -> None:
        asked, missing.missing = list(missing.missing.values()), {}
        models = dict.fromkeys(request.model for request, _ in asked)
        one_model = ([each for each in asked if each[0].model == model] for model in models)
        waiting = chain.from_iterable(portions(self.provider, each) for each in one_model)
        for portion in waiting:
            try:
                done.handed_in.append(await self._hand_in_one(portion))
            except NotAnswered:
                for later in waiting:
                    self._withdraw(later)
                raise

    async def _hand_in_one(self, portion: Sequence[Asked]) -> Standing:
        """Note a batch, hand it in, note its name. Killed in between, it is found again by its token.

        Where it was refused for certain, the note is taken back.
        """
        token = uuid.uuid4().hex
        with transaction(self.judging.connection) as connection:
            batch_id = batches.begin(connection, self.judging.run_id, token, portion)
        try:
            remote = await self.provider.submit(portion, token)
        except NotAnswered as problem:
            if not problem.nothing_done:
                raise
            with transaction(self.judging.connection) as connection:
                batches.lost(connection, batch_id, f"it was not handed in: {problem}")
            self._withdraw(portion)
            raise type(problem)(f"{problem}; nothing was handed in, and without --batch it is asked at once") from None
        with transaction(self.judging.connection) as connection:
            batches.submitted(connection, batch_id, remote)
        return Standing(batch_id, "", len(portion), remote, BatchState("running", total=len(portion)))

    def _withdraw(self, portion: Sequence[Asked]) -> None:
        for request, _ in portion:
            self.judging.spending.withdraw(request)


def forget(judging: Judging) -> list[batches.Batch]:
    """Give up every open batch of a model at a server, whatever it would have brought; return them. Nobody is asked."""
    with transaction(judging.connection) as connection:
        waiting = waiting_batches(judging)
        for batch in waiting:
            batches.lost(connection, batch.id, f"forgotten on request, {utc(datetime.now(UTC), 'seconds')}")
    return waiting


def waiting_batches(judging: Judging) -> list[batches.Batch]:
    """Return the open batches of a model at a server, oldest first. Nobody is asked."""
    settings = judging.choice.settings
    return batches.open_batches(judging.connection, settings.provider, settings.server, settings.model)


def standing_line(each: Standing) -> str:
    """Say how a batch stands."""
    state = each.state
    reason = f": {state.reason}" if state.reason else ""
    name = each.remote or "(not handed in)"
    return f"batch {name}: {counted(each.requests, 'request')}, {state.state}, {state.answered:,} answered{reason}"
