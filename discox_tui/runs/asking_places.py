"""Places of findings that a model is asked for: an evaluation a call, located by what is verified of its answer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discox_tui import __version__
from discox_tui.runs.budget import Spending
from discox_tui.runs.live import ask_through
from discox_tui.runs.workers import OnStart, Progress, Result
from judges.metric_s.protocol.place_questions import PlaceQuestion, method_of, place_questions
from judges.metric_s.reading.answers import Places
from judges.model import Finding
from judges.providers.client import Policy
from judges.providers.model import Ask, Form, Parameters, Provider
from storage.db.connection import Connection, transaction
from storage.record.grounding_changes import Changes
from storage.record.groundings import add_groundings, compare, ground_asked
from storage.record.library import StoredEvaluation, read_evaluation
from storage.runs import runs
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

    @property
    def lock(self) -> str:
        """Name of what goes on once at a time on a library."""
        return f"asking {self.wanted.model} at {self.wanted.server} for places"

    def begin(self, options: Mapping[str, Any]) -> None:
        """Note that the run begins, and what it was asked for."""
        wanted = self.wanted
        with transaction(self.connection) as connection:
            self.run_id = runs.start_run(
                connection,
                command="ground",
                provider=wanted.provider,
                server=wanted.server,
                model=wanted.model,
                options=options,
                program=__version__,
            )

    async def live(self, provider: Provider, policy: Policy, on_start: OnStart) -> None:
        """Ask about whatever is not located yet. Raises StorageError where the record cannot be written."""
        wanted = self.wanted
        await ask_through(
            self,
            iter(wanted.work(self.connection)),
            self._ask,
            provider,
            policy,
            on_start=on_start,
            model=wanted.model,
            retry_failed=wanted.retry_failed,
            start=wanted.start,
        )

    async def _ask(self, journal: Journal, identity: str, ask: Ask) -> Result:
        evaluation = read_evaluation(self.connection, identity)
        quotes: Places = {}
        for question in self.wanted.questions(evaluation):
            reply = await ask(question.request, question.read)
            if reply.outcome != "ok" or reply.value is None:
                self.useless[identity] = reply.outcome.replace("_", " ")
                return "failed"
            quotes |= reply.value
        await self._store(journal, evaluation, quotes)
        return "done"

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
