"""Candidate translations: a model asked for each article, the answer stored as that system's text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from discox_tui import __version__
from discox_tui.runs.budget import Spending
from discox_tui.runs.live import ask_through
from discox_tui.runs.workers import OnStart, Progress, Result
from judges.metric_s.protocol.prompts import Prompts
from judges.metric_s.protocol.translating import translation_reader, translation_request
from judges.model import Article
from judges.providers.client import Policy
from judges.providers.model import Ask, Form, Parameters, Provider, Request
from storage.base.identity import system_slug
from storage.db.connection import Connection, transaction
from storage.runs import runs
from storage.runs.calls import Journal


@dataclass(frozen=True)
class Translations:
    """Choice of translations to make: the articles, the model, and the name of the system."""

    system: str
    provider: str
    server: str
    model: str
    parameters: Parameters
    prompts: Prompts
    sample: int = 1
    articles: tuple[str, ...] = ()
    retry_failed: bool = False
    start: Form | None = None

    def work(self, connection: sqlite3.Connection) -> Iterator[tuple[str, Article]]:
        """Yield, with their ids, the articles that the system has no text of."""
        return runs.articles_to_translate(connection, self.system, self.articles)

    def request(self, article: Article) -> Request:
        """The question for one article."""
        return translation_request(
            article=article,
            prompts=self.prompts,
            provider=self.provider,
            server=self.server,
            model=self.model,
            parameters=self.parameters,
            sample=self.sample,
        )


@dataclass
class Translating:
    """One run of ``discox translate`` on one library. ``useless``: article → why no translation of it can be had."""

    connection: Connection
    run_id: int
    translations: Translations
    spending: Spending
    progress: Progress = field(default_factory=Progress)
    useless: dict[str, str] = field(default_factory=dict)

    @property
    def lock(self) -> str:
        """Name of what goes on once at a time on a library."""
        return f"translating as {system_slug(self.translations.system)}"

    def begin(self, options: Mapping[str, Any]) -> None:
        """Note that the run begins, and what it was asked for."""
        made = self.translations
        with transaction(self.connection) as connection:
            self.run_id = runs.start_run(
                connection,
                command="translate",
                provider=made.provider,
                server=made.server,
                model=made.model,
                options=options,
                program=__version__,
            )

    async def live(self, provider: Provider, policy: Policy, on_start: OnStart) -> None:
        """Ask whatever is missing. Raises StorageError where the record cannot be written."""
        made = self.translations
        await ask_through(
            self,
            made.work(self.connection),
            self._translate,
            provider,
            policy,
            on_start=on_start,
            model=made.model,
            retry_failed=made.retry_failed,
            start=made.start,
        )

    async def _translate(self, journal: Journal, work: tuple[str, Article], ask: Ask) -> Result:
        identity, article = work
        request = self.translations.request(article)
        reply = await ask(request, translation_reader(article))
        if reply.outcome != "ok" or reply.value is None:
            self.useless[article.key] = reply.outcome.replace("_", " ")
            return "failed"
        text, system = reply.value, self.translations.system
        await journal.write(
            lambda connection: runs.store_translation(
                connection,
                run_id=self.run_id,
                article_id=identity,
                system=system,
                text=text,
                request_id=request.id,
            )
        )
        return "done"
