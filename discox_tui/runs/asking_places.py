"""Places of findings that a model is asked for: an evaluation a call, located by what is verified of its answer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field

from discox_tui.runs.budget import Spending
from discox_tui.runs.connect import recording
from discox_tui.runs.workers import OnStart, Progress, Result, work_through
from judges.metric_s.protocol.place_questions import PlaceQuestion, method_of, place_questions
from judges.metric_s.reading.answers import Places
from judges.model import Finding
from judges.providers.client import Policy
from judges.providers.model import Form, Parameters, Provider
from storage.db.connection import Connection, file_of
from storage.record.grounding_changes import Changes
from storage.record.groundings import add_groundings, compare, ground_asked
from storage.record.library import StoredEvaluation, read_evaluation
from storage.runs.asked_places import to_ask
from storage.runs.calls import Journal


@dataclass(frozen=True)
class PlacesWanted:
    """Choice of evaluations, and the model that is to quote what their findings are about.

    ``words``: only evaluations in which every word occurs.
    """

    provider: str
    server: str
    model: str
    parameters: Parameters
    words: str = ""
    retry_failed: bool = False
    start: Form | None = None

    @property
    def method(self) -> str:
        """The name of the groundings that come of it."""
        return method_of(self.model)

    def work(self, connection: sqlite3.Connection) -> list[str]:
        """Return the ids of the evaluations that this method has not located yet."""
        return to_ask(connection, self.method, self.words)

    def questions(self, evaluation: StoredEvaluation) -> list[PlaceQuestion]:
        """Return the questions for one evaluation, seldom more than one."""
        return place_questions(
            evaluation.article,
            evaluation.translation or "",
            prose_findings(evaluation),
            provider=self.provider,
            server=self.server,
            model=self.model,
            parameters=self.parameters,
        )


def prose_findings(evaluation: StoredEvaluation) -> Mapping[int, Finding]:
    """Return, by number, the findings of which the judge was not asked to quote anything."""
    return {stored.number: stored.finding for stored in evaluation.findings if stored.finding.quoted is None}


@dataclass(slots=True)
class Verified:
    """Sums over the answers of a run.

    Of the ``findings`` asked about so many were ``answered``; of the ``quotes`` given so many were ``verified``.
    ``notes``: on the quotes → how many findings have it.
    """

    findings: int = 0
    answered: int = 0
    quotes: int = 0
    verified: int = 0
    notes: Counter[str] = field(default_factory=Counter)


@dataclass
class AskingPlaces:
    """One run of ``discox ground --provider`` on one library.

    ``changed``: what became of the places; ``useless``: evaluation → why its answer is of no use, so that it keeps the
    places that it had.
    """

    connection: Connection
    run_id: int
    wanted: PlacesWanted
    spending: Spending
    progress: Progress = field(default_factory=Progress)
    changed: Changes = field(default_factory=Changes)
    verified: Verified = field(default_factory=Verified)
    useless: dict[str, str] = field(default_factory=dict)

    async def live(self, provider: Provider, policy: Policy, on_start: OnStart) -> None:
        """Ask about whatever is not located yet. Raises StorageError where the record cannot be written."""
        wanted = self.wanted
        with closing(Journal(self.connection.path, self.run_id, file_of(self.connection))) as journal:
            caller = recording(
                provider,
                journal,
                self.spending,
                wanted.model,
                policy=policy,
                retry_failed=wanted.retry_failed,
                start=wanted.start,
            )

            async def do(identity: str) -> Result:
                evaluation = read_evaluation(self.connection, identity)
                quotes: Places = {}
                for question in wanted.questions(evaluation):
                    reply = await caller.ask(question.request, question.read)
                    if reply.outcome != "ok" or reply.value is None:
                        self.useless[identity] = reply.outcome.replace("_", " ")
                        return "failed"
                    quotes |= reply.value
                await self._store(journal, evaluation, quotes)
                return "done"

            self.progress.slowed = caller.slowed
            on_start(caller.stop)
            try:
                await work_through(
                    iter(wanted.work(self.connection)),
                    do,
                    self.progress,
                    workers=policy.concurrency,
                    stop=caller.stop,
                )
            finally:
                await provider.close()

    async def _store(self, journal: Journal, evaluation: StoredEvaluation, quotes: Places) -> None:
        """Locate an evaluation's findings by the quotes, beside the loop, and store that."""
        found, places = await asyncio.to_thread(ground_asked, evaluation, quotes, self.wanted.method)
        await journal.write(lambda connection: add_groundings(connection, [found]))
        self.changed += compare(evaluation, found)
        sums = self.verified
        sums.findings += len(prose_findings(evaluation))
        sums.answered += len(quotes)
        sums.quotes += places.quotes
        sums.verified += places.verified
        for where in places.grounded:
            sums.notes.update(where.notes)
