"""Judging translations: each walked through the protocol, every call recorded, each evaluation stored when complete."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, TypeVar

from discox_tui import __version__
from discox_tui.runs.budget import Spending
from discox_tui.runs.live import ask_through
from discox_tui.runs.workers import OnStart, Progress, Result, work_through
from discox_tui.text.counts import counted
from judges.metric_s.protocol.protocol import Judged, Settings, evaluate
from judges.metric_s.protocol.signature import Signature
from judges.providers.client import Client, Policy
from judges.providers.model import Ask, Form, NotRecorded, Provider, Request
from judges.providers.rate_limit import Throttle
from storage.db.connection import Connection, file_of, transaction
from storage.record.few_shot_sets import keep_pack
from storage.runs import batches, runs
from storage.runs.calls import Journal

PROGRAM = __version__

Item = TypeVar("Item")


@dataclass(frozen=True)
class Choice:
    """Choice of translations to judge, and of the settings.

    ``systems``, ``articles``, ``translations`` (ids): only these, or all if empty. ``start``: the form that requests
    begin with at this server, where one is set.
    """

    settings: Settings
    samples: int = 1
    systems: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    retry_failed: bool = False
    translations: tuple[str, ...] = ()
    start: Form | None = None

    @property
    def asked(self) -> str:
        """Identity of the settings in the database."""
        return Signature.of(self.settings, PROGRAM).asked

    def count(self, connection: sqlite3.Connection) -> runs.Progress:
        """Count what was chosen by what came of it until now."""
        return runs.progress(
            connection, self.asked, self.samples, self.systems, self.articles, translations=self.translations
        )

    def remarks(self, connection: sqlite3.Connection) -> Iterator[str]:
        """Yield what a run on articles of these directions should not be begun without."""
        from judges.meta_eval.pairwise import DIRECTIONS

        articles = runs.directions(connection, self.systems, self.articles, translations=self.translations)
        if others := [direction for direction in articles if direction and direction not in DIRECTIONS]:
            yield (
                f"Metric-S was made for {' and '.join(DIRECTIONS)}, and only of these it was published how far it "
                f"agrees with people. In {', '.join(others)} the prompts name the two languages; definitions, "
                "severities and weights are the same. Review some before you rely on them."
            )
        if unsaid := articles.get(""):
            yield (
                f"Of {counted(unsaid, 'article')} nobody said the languages, so judges are not told them; import with "
                "--direction SRC-TGT"
            )

    def work(self, connection: sqlite3.Connection, *, again: bool = False) -> Iterator[runs.Work]:
        """Yield what is to be done. ``again``: what is done as well."""
        return runs.work(
            connection,
            self.asked,
            self.samples,
            self.systems,
            self.articles,
            translations=self.translations,
            retry_failed=self.retry_failed,
            again=again,
        )


@dataclass(slots=True)
class Repeated:
    """Result of reading the record once more.

    ``same``: evaluations that came out as they are stored. ``other``: that came out otherwise and are stored beside.
    ``new``: that were not stored yet. ``missing``: what is not on record, by (article, system, sample).
    """

    same: int = 0
    other: int = 0
    new: int = 0
    missing: dict[tuple[str, str, int], str] = field(default_factory=dict)


@dataclass
class Judging:
    """One run of ``discox judge`` on one library: ``progress`` and ``spending`` tell how far it is, at any time.

    ``throttle``: the pace that the server takes, for all runs of a command, which are with one key at one address.
    """

    connection: Connection
    run_id: int
    choice: Choice
    spending: Spending
    progress: Progress = field(default_factory=Progress)
    throttle: Throttle = field(default_factory=Throttle)

    @property
    def lock(self) -> str:
        """Name of what goes on once at a time on a library: other settings may ask some of the same questions."""
        return f"judging by {self.choice.settings.model} at {self.choice.settings.server}"

    def begin(self, options: Mapping[str, Any]) -> None:
        """Note that the run begins, and what it was asked for."""
        settings = self.choice.settings
        with transaction(self.connection) as connection:
            if settings.examples:
                keep_pack(connection, settings.examples)
            self.run_id = runs.start_run(
                connection,
                command="judge",
                provider=settings.provider,
                server=settings.server,
                model=settings.model,
                options=options,
                program=PROGRAM,
            )

    async def live(self, provider: Provider, policy: Policy, on_start: OnStart) -> None:
        """Ask whatever is missing. Raises StorageError where the record cannot be written."""
        await self.through(self.choice.work(self.connection), self.judge, provider, policy, on_start)

    async def through(
        self,
        items: Iterator[Item],
        do: Callable[[Journal, Item, Ask], Awaitable[Result]],
        provider: Provider,
        policy: Policy,
        on_start: OnStart,
    ) -> None:
        """Do every item with a caller whose attempts are all on record; then give up the provider's connections."""
        settings = self.choice.settings
        batched = bool(batches.open_batches(self.connection, settings.provider, settings.server, settings.model))

        def allow(request: Request) -> bool:
            if batched and batches.is_waiting(self.connection, request.id):
                raise NotRecorded("waits for a batch; collect it with --batch, or give it up with --batch-forget")
            return self.spending.allow(request)

        await ask_through(
            self,
            items,
            do,
            provider,
            policy,
            on_start=on_start,
            model=settings.model,
            retry_failed=self.choice.retry_failed,
            start=self.choice.start,
            allow=allow,
            further=settings.models[1:],
            throttle=self.throttle,
        )

    async def replay(self, provider: Provider, on_start: OnStart) -> Repeated:
        """Go through everything that was chosen, done or not, with what is on record alone."""
        found = Repeated()
        with closing(Journal(self.connection.path, self.run_id, file_of(self.connection))) as journal:
            caller = Client(provider, record=journal.record, recorded=journal.recorded)

            async def do(work: runs.Work) -> Result:
                article, system, _ = runs.load(self.connection, work.translation_id)
                try:
                    judged = await self._judge(work, caller.ask)
                except NotRecorded as reason:
                    found.missing[article.key, system, work.sample] = str(reason)
                    raise
                if work.standing is not None and runs.repeats(self.connection, work.standing, judged):
                    found.same += 1
                else:
                    found.new += work.standing is None
                    found.other += work.standing is not None
                    await self._store(journal, work, judged)
                return _result(judged)

            on_start(caller.stop)
            await work_through(
                self.choice.work(self.connection, again=True), do, self.progress, workers=1, stop=caller.stop
            )
        return found

    async def judge(self, journal: Journal, work: runs.Work, ask: Ask) -> Result:
        """Judge one translation and store what came of it."""
        judged = await self._judge(work, ask)
        await self._store(journal, work, judged)
        return _result(judged)

    async def _judge(self, work: runs.Work, ask: Ask) -> Judged:
        article, system, text = runs.load(self.connection, work.translation_id)
        return await evaluate(
            article=article, translation=text, settings=self.choice.settings, ask=ask, sample=work.sample, system=system
        )

    async def _store(self, journal: Journal, work: runs.Work, judged: Judged) -> None:
        signature = Signature.of(self.choice.settings, PROGRAM, judged)
        await journal.write(lambda connection: runs.store_judged(connection, self.run_id, work, signature, judged))


def _result(judged: Judged) -> Result:
    return "failed" if judged.judgement.state == "judge_failed" else "done"
