"""A dry run: the same walk with made-up answers, to count what would be asked and estimate what it would take."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from discox_tui.runs.asking_places import PlacesWanted
from discox_tui.runs.budget import Spending
from discox_tui.runs.judging import Choice
from discox_tui.runs.proving import to_prove
from discox_tui.runs.translating import Translations
from judges.metric_s.protocol.place_questions import OUTPUT as PLACES_OUTPUT
from judges.metric_s.protocol.placeholder_answers import OUTPUT, placeholder_answer
from judges.metric_s.protocol.proofs import prove
from judges.metric_s.protocol.protocol import evaluate
from judges.metric_s.protocol.translating import read_translation
from judges.model import Article, Bead, Finding, Grounded
from judges.providers.client import Client, Read, reread
from judges.providers.model import Attempt, Form, Reply, Request, Tokens
from judges.providers.replay import Replay
from judges.providers.token_counts import estimated_tokens
from storage.db.connection import Connection
from storage.record.groundings import read_located
from storage.record.library import read_article, read_evaluation
from storage.runs import batches, calls, runs, usage

Value = TypeVar("Value")


@dataclass(slots=True)
class Estimate:
    """Upper bound of what a run takes, but for answers that must be asked for again and quotes that need repair.

    ``pieces``: evaluations or translations to be made. ``proved``: evaluations whose errors are to be proved, those
    to be made among them; ``errors``: how many these have, one of each judge where nobody has judged yet. ``calls`` by
    step; ``waiting``: calls beside these that are in a batch already. ``shown``: how many examples each evaluation
    has to go by, where there is a pack. Tokens are estimates, by ``estimated_tokens`` and by what the model's answers
    on record took on average, if there are any.
    """

    pieces: int = 0
    proved: int = 0
    errors: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    shown: list[int] = field(default_factory=list)
    waiting: int = 0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    by_model: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def again(self) -> int:
        """Return how many calls more it takes at most where advice on duplicates is refused: each is asked twice."""
        return self.calls["deduplication"]

    def cost(self, spending: Spending) -> float | None:
        """Return about what it would cost by its prices, nothing being cached; None where one is not known."""
        prices = [(spending.price_of(model), tokens) for model, tokens in self.by_model.items()]
        if spending.price is None or any(price is None for price, _ in prices):
            return None
        return sum(price.of(Tokens(round(asked), 0, round(said))) or 0.0 for price, (asked, said) in prices if price)


_FIRST = Grounded(source_paragraph=0, translation_paragraph=0)
"""The place of a made-up error."""


class _Rehearsal(Replay):
    """Answers every question with made-up words, and counts it."""

    def __init__(
        self,
        name: str,
        server: str,
        output: Mapping[str, float],
        waits: Callable[[Request], bool] = lambda request: False,
    ) -> None:
        """``output``: tokens of answers on average, by step; ``waits``: says if a question is in a batch."""
        super().__init__(name, server)
        self._waits = waits
        self.estimate = Estimate()
        self.article = Article("", "", "")
        self._output = output
        self._asked: set[str] = set()

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        """Return an answer that the protocol can go on with."""
        self.count(request)
        answer = placeholder_answer(request.step, self.article, request.id)
        return Attempt(request, form, "ok", time.time(), 0.0, answer=answer)

    def count(self, request: Request, expected: float | None = None) -> None:
        """Add a question to the estimate; the second time it would be on record. ``expected``: tokens of its answer."""
        if request.id in self._asked:
            return
        self._asked.add(request.id)
        if self._waits(request):
            self.estimate.waiting += 1
            return
        self.estimate.calls[request.step] += 1
        asked = estimated_tokens(request.system) + estimated_tokens(request.user)
        if expected is None:
            expected = OUTPUT.get(request.step, estimated_tokens(self.article.source) * 1.2)
        said = self._output.get(request.step, expected)
        self.estimate.input_tokens += asked
        self.estimate.output_tokens += said
        before = self.estimate.by_model.get(request.model, (0.0, 0.0))
        self.estimate.by_model[request.model] = (before[0] + asked, before[1] + said)


def rehearse_translating(connection: Connection, translations: Translations) -> Estimate:
    """Return what translating would take. Nobody is asked and nothing is written."""
    rehearsal = _Rehearsal(
        translations.provider, translations.server, usage.output_by_step(connection, translations.model)
    )
    for _, article in translations.work(connection):
        request = translations.request(article)
        said = [read_translation(attempt.answer, False) for attempt in calls.recorded(connection, request)]
        rehearsal.article = article
        rehearsal.estimate.pieces += 1
        if not any(reading.outcome == "ok" for reading in said):
            rehearsal.count(request)
    return rehearsal.estimate


def rehearse_places(connection: Connection, wanted: PlacesWanted) -> Estimate:
    """Return what asking for the places of findings would take. Nobody is asked and nothing is written."""
    rehearsal = _Rehearsal(wanted.provider, wanted.server, usage.output_by_step(connection, wanted.model))
    for identity in wanted.work(connection):
        rehearsal.estimate.pieces += 1
        for question in wanted.questions(read_evaluation(connection, identity)):
            said = [question.read(attempt.answer, False) for attempt in calls.recorded(connection, question.request)]
            if not any(reading.outcome == "ok" for reading in said):
                rehearsal.count(question.request, PLACES_OUTPUT * len(question.numbers))
    return rehearsal.estimate


async def questions(connection: Connection, choice: Choice, translation_id: str) -> list[Request]:
    """Return what judges are asked of one translation, but for what depends on their answers. Nobody is asked."""
    article, system, text = runs.load(connection, translation_id)
    asked: list[Request] = []

    async def ask(request: Request, read: Read[Value]) -> Reply[Value]:
        if request.step != "deduplication":
            asked.append(request)
        answer = placeholder_answer(request.step, article, request.id)
        return reread(Attempt(request, Form(), "ok", time.time(), 0.0, answer=answer), read)

    await evaluate(article=article, translation=text, settings=choice.settings, ask=ask, system=system)
    return asked


async def rehearse_judging(
    connection: Connection,
    choice: Choice,
    *,
    proving: bool = False,
    unmade: Mapping[str, Sequence[str]] = {},
    made: bool = True,
) -> Estimate:
    """Return what judging would take, and ``proving`` what was found. Nobody is asked and nothing is written.

    ``unmade``: by system, ids of articles whose translation is still to be made; until it is, the source stands for it,
    as it is about as long. ``made``: also what there is, as it was chosen.
    """
    settings = choice.settings
    output = usage.output_by_step(connection, settings.model)
    rehearsal = _Rehearsal(
        settings.provider, settings.server, output, lambda request: batches.is_waiting(connection, request.id)
    )

    async def forget(attempt: Attempt) -> None:
        pass

    caller = Client(
        rehearsal,
        record=forget,
        recorded=lambda request: calls.recorded(connection, request),
        retry_failed=choice.retry_failed,
    )

    async def rehearse(
        article: Article,
        text: str,
        located: Sequence[tuple[Finding, Grounded]],
        alignment: Sequence[Bead],
        *,
        sample: int,
    ) -> None:
        rehearsal.estimate.proved += 1
        rehearsal.estimate.errors += sum(finding.kept for finding, _ in located)
        await prove(article, text, located, alignment, settings, caller.ask, sample)

    rehearsal.estimate.calls.update(dict.fromkeys(OUTPUT, 0))  # in the order in which they are asked
    for name, articles in unmade.items():
        for identity in articles:
            rehearsal.article = read_article(connection, identity)
            rehearsal.estimate.pieces += 1
            source = rehearsal.article.source
            await evaluate(
                article=rehearsal.article,
                translation=f"{name}: {source}",  # a question of its own for each system
                settings=settings,
                ask=caller.ask,
                system=name,
            )
    for work in choice.work(connection) if made else ():
        rehearsal.article, system, text = runs.load(connection, work.translation_id)
        rehearsal.estimate.pieces += 1
        if settings.examples and text is not None:
            rehearsal.estimate.shown.append(len(settings.examples.shown_for(rehearsal.article, system, text)))
        judged = await evaluate(
            article=rehearsal.article,
            translation=text,
            settings=settings,
            ask=caller.ask,
            sample=work.sample,
            system=system,
        )
        if proving and text:
            located = [(finding, _FIRST) for finding in judged.judgement.findings]
            await rehearse(rehearsal.article, text, located, (), sample=work.sample)
    for item in to_prove(connection, choice) if proving else ():
        evaluation = read_located(connection, item.original)
        located = [(each.finding, each.grounded) for each in evaluation.findings]
        rehearsal.article = evaluation.article
        await rehearse(
            evaluation.article, evaluation.translation or "", located, evaluation.alignment, sample=item.work.sample
        )
    rehearsal.estimate.calls = +rehearsal.estimate.calls
    return rehearsal.estimate
