"""Forecast of what an order takes, judge by judge: calls, tokens and money. Nobody is asked and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discox_tui.runs.batching import waiting_batches
from discox_tui.runs.budget import Spending
from discox_tui.runs.dry_run import Estimate, rehearse_judging, rehearse_translating
from discox_tui.runs.judging import Judging
from discox_tui.runs.orders import JudgeOrder, TranslateOrder
from discox_tui.runs.summary import estimate_lines
from discox_tui.runs.translating import Translating
from discox_tui.runs.workers import Progress
from discox_tui.text.counts import counted, money
from storage.db.connection import Connection

AnyOrder = JudgeOrder | TranslateOrder

NOTHING_LEFT = "nothing is left to do"


@dataclass(frozen=True, slots=True)
class Forecast:
    """Forecast of a run: how many calls it takes at most, in how many lines of words, and for about how much.

    ``pieces``: evaluations or translations to be made, or whose errors are to be proved. ``cost``: in words, "" without
    a price. ``waiting``: batches that may be collected.
    """

    pieces: int
    calls: int
    cost: str
    lines: tuple[str, ...]
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class _Part:
    """Forecast of one judge, or of one translator."""

    model: str
    estimate: Estimate
    spending: Spending
    batches: tuple[str, ...] = ()

    @property
    def pieces(self) -> int:
        return max(self.estimate.pieces, self.estimate.proved)

    @property
    def cost(self) -> float | None:
        return self.estimate.cost(self.spending)


def prepared(connection: Connection, order: AnyOrder, earlier: Sequence[Spending] = ()) -> Judging | Translating:
    """Return what carries out an order of one model. ``earlier``: runs that share its budget. Raises StorageError."""
    known, whom = order.known_prices(), order.asked.offline(connection)
    if isinstance(order, JudgeOrder):
        spending = order.spending(known, batch=order.batch, earlier=tuple(earlier))
        choice = order.choice(whom)
        before = choice.count(connection)
        again = before.failed + before.done if order.provider == "replay" else before.failed * order.retry_failed
        return Judging(connection, 0, choice, spending, Progress(of=before.to_do + again))
    wanted = order.translations(connection, whom)
    left = sum(1 for _ in wanted.work(connection))
    return Translating(connection, 0, wanted, order.spending(known, earlier=tuple(earlier)), Progress(of=left))


async def forecast(connection: Connection, order: AnyOrder) -> Forecast:
    """Return what an order takes, all its judges together. Raises StorageError for what cannot be carried out."""
    known = order.known_prices()
    currency = known.currency if known else ""
    noun, parts, remarks = "translation", list[_Part](), list[str]()
    for each in order.each():
        run = prepared(connection, each)
        if isinstance(run, Translating):
            parts.append(_Part(each.model, rehearse_translating(connection, run.translations), run.spending))
            continue
        noun, proving = "evaluation", isinstance(each, JudgeOrder) and each.prove
        remarks = list(run.choice.remarks(connection))
        estimate = await rehearse_judging(connection, run.choice, proving=proving)
        if each.provider == "replay":
            return _of_replay(run.progress.of, estimate)
        waiting = (
            f"  batch {batch.remote or '(perhaps not handed in)'} of {counted(batch.requests, 'request')} waits since "
            f"{batch.at}"
            for batch in waiting_batches(run)
        )
        parts.append(_Part(each.model, estimate, run.spending, tuple(waiting)))
    pieces, batches = sum(part.pieces for part in parts), [line for part in parts for line in part.batches]
    costs = [part.cost for part in parts]
    cost = None if None in costs else sum(filter(None, costs))
    lines = [*_lines(noun, parts, cost, currency), *batches] if pieces else [NOTHING_LEFT]
    if pieces and isinstance(order, JudgeOrder) and order.batch:
        lines.append("  in batches: answers come within a day, a round at a time, at the price of batches")
    return Forecast(
        pieces=pieces,
        calls=sum(part.estimate.calls.total() for part in parts),
        cost="" if cost is None else money(cost, currency),
        lines=(*lines, *order.each()[0].asked.remarks(), *(remarks if pieces else ())),
        waiting=len(batches),
    )


def _of_replay(pieces: int, estimate: Estimate) -> Forecast:
    lines = [f"{counted(pieces, 'evaluation')} would be made again of what is on record; nobody is asked"]
    if lacking := estimate.calls.total():
        lines.append(f"  of what is not judged yet, {counted(lacking, 'answer')} at most are not on record")
    return Forecast(pieces, 0, "", tuple(lines) if pieces else (NOTHING_LEFT,))


def _lines(noun: str, parts: Sequence[_Part], cost: float | None, currency: str) -> Iterator[str]:
    """Yield what it takes: of one judge step by step, of several a line each."""
    if len(parts) == 1:
        yield from estimate_lines(noun, parts[0].estimate, parts[0].spending, currency)
        return
    calls = sum(part.estimate.calls.total() for part in parts)
    about = "" if cost is None else f", about {money(cost, currency)}"
    yield f"{counted(len(parts), 'judge')} would take at most {counted(calls, 'call')}{about}"
    for part in parts:
        said, paid = part.estimate, "" if part.cost is None else f", about {money(part.cost, currency)}"
        proved = f", {counted(said.errors, 'error')} to prove" if said.proved else ""
        tokens = f"{said.input_tokens:,.0f} tokens in and {said.output_tokens:,.0f} out"
        more = f", {counted(said.waiting, 'call')} beside these in a batch" if said.waiting else ""
        yield (
            f"  {part.model}: {counted(part.pieces, noun)}{proved}, {counted(said.calls.total(), 'call')}, about "
            f"{tokens}{paid}{more}"
        )
    yield "  not counted: answers that must be asked for again, quotes that need repair"


def asked_in_words(forecast: Forecast) -> str:
    """Say what a run takes, in a few words."""
    if not forecast.calls:
        return "collect what is ready" if forecast.waiting else "nobody is asked"
    return f"{counted(forecast.calls, 'call')}{f', about {forecast.cost}' if forecast.cost else ''}"
