"""A run that asks a model beside the app: in a thread of its own, on a connection of its own; no screen awaits it."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import islice
from threading import Thread
from typing import Any, Literal

from discox_tui.runs.batching import Batching, Round, forget, standing_line, waiting_batches
from discox_tui.runs.budget import Spending
from discox_tui.runs.forecast import NOTHING_LEFT, AnyOrder, Forecast, forecast, prepared
from discox_tui.runs.judging import Judging
from discox_tui.runs.orders import JudgeOrder, TranslateOrder
from discox_tui.runs.proving import Proving, to_prove
from discox_tui.runs.summary import progress_parts, repeated_lines, stop_reason, sum_lines, undone_lines
from discox_tui.runs.translating import Translating
from discox_tui.runs.workers import OnStart, Progress
from discox_tui.text.counts import counted
from judges.providers.model import NotAnswered
from judges.providers.rate_limit import Throttle
from judges.providers.replay import Replay
from judges.providers.wire import is_secret
from storage.base.errors import StorageError
from storage.db.connection import Connection, file_of, open_database
from storage.db.run_lock import only_run
from storage.db.sqlite_errors import explain

Stage = Literal["new", "counting", "counted", "asking", "ended"]
Way = Callable[[OnStart], Coroutine[Any, Any, object]]
"""Carries out a leg; is handed what to call with the function that ends it in good order."""

STOPPING = 3.0
"""Seconds that ending at once waits at most for what was answered to be on disk."""

ORDERS: Mapping[str, type[AnyOrder]] = {"judge": JudgeOrder, "translate": TranslateOrder}
"""Order by the command that gives it."""


def order_to_plain(order: AnyOrder) -> dict[str, Any]:
    """Return an order as a JSON-able object. It holds no key: of headers and queries, secrets are left out."""
    plain = asdict(order)
    for name in ("header", "query"):
        plain[name] = [pair for pair in plain[name] if pair[1].startswith("env:") or not is_secret(*pair)]
    return {"command": "judge" if isinstance(order, JudgeOrder) else "translate", **plain}


def order_from_plain(plain: Any) -> AnyOrder | None:
    """Return the order that ``order_to_plain`` made so; None for anything else, as another version may have left."""
    try:
        return order_of(plain["command"], plain)
    except (KeyError, TypeError, AttributeError):
        return None


def order_of(command: str, values: Mapping[str, Any]) -> AnyOrder:
    """Return a command's order with these values of its fields; what is no field of it is passed over.

    Raises KeyError for another command, TypeError where a field is missing that has no default.
    """
    kind = ORDERS[command]
    given: dict[str, Any] = {each.name: values[each.name] for each in fields(kind) if each.name in values}
    return kind(**{name: _frozen(value) for name, value in given.items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


@dataclass(slots=True)
class Leg:
    """Leg of a run: what one judge judges, what of that is proved, or what is translated.

    ``made``, ``noun``: words for what is done to what. ``whose``: the judge, where there are several, else "".
    ``news``: lines on batches, or on what a replay found. ``seconds``: how long it has asked.
    """

    made: str
    noun: str
    whose: str = ""
    progress: Progress = field(default_factory=Progress)
    spending: Spending = field(default_factory=Spending)
    news: list[str] = field(default_factory=list)
    seconds: float = 0.0


class ModelRun:
    """One order, counted by a dry run, then carried out leg by leg; other threads read its attributes at any time.

    ``order`` names, once it is counted, every translation or article that is chosen, so that it stays the same
    whatever is stored meanwhile. ``legs``: what was begun, the current one last. ``waiting``: batches that were open
    at the last look. ``problem``: why nothing came of it, in one line, or "". ``error``: what no run should raise.
    """

    def __init__(self, connection: Connection, order: AnyOrder, *, most: int | None = None) -> None:
        """``most``: of what is chosen and not yet done, only so many translations or articles."""
        self.order = order
        self.most = most
        self.stage: Stage = "new"
        self.forecast: Forecast | None = None
        self.legs: list[Leg] = []
        self.waiting = 0
        self.currency = ""
        self.held = self.interrupted = False
        self.problem = ""
        self.error: Exception | None = None
        self._whole = False
        self._path, self._file = connection.path, file_of(connection)
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._stop: Callable[[], None] | None = None
        self._since = 0.0

    # --- what the app tells it ---

    def count(self, on_end: Callable[[], object]) -> None:
        """Find out what it takes; nobody is asked and nothing is written. ``on_end`` is called in its thread."""
        self._begin("counting", self._count, on_end)

    def ask(self, on_end: Callable[[], object]) -> None:
        """Carry it out. ``on_end`` is called in its thread."""
        self._begin("asking", self._ask, on_end)

    def hold(self, held: bool) -> None:
        """Begin no further call, or go on; what is on its way is waited for and kept."""
        if self.going and held != self.held:
            self._take_time()
            self.held = held
            self._in_loop(lambda: self.progress.hold(held))

    def stop(self) -> None:
        """Begin no further call and end once all that is on its way is kept; another run goes on from there."""
        if self.going:
            self.interrupted = self.progress.interrupted = True
            if self._stop is not None:
                self._in_loop(self._stop)

    def cancel(self) -> None:
        """End at once: what is on its way is given up, what was answered is kept."""
        self.interrupted = self.progress.interrupted = True
        self._in_loop(lambda: self._task and self._task.cancel())

    def close(self) -> None:
        """End at once, and wait until all that was answered is on disk."""
        if self._thread is not None and self._thread.is_alive():
            self.cancel()
            self._thread.join(STOPPING)

    # --- what it tells the app ---

    @property
    def going(self) -> bool:
        """True while a model is asked."""
        return self.stage == "asking"

    @property
    def begun(self) -> bool:
        """True once anything was noted to begin."""
        return bool(self.legs)

    @property
    def progress(self) -> Progress:
        """Progress of the current leg."""
        return self.legs[-1].progress if self.legs else Progress()

    @property
    def finished(self) -> bool:
        """True once all that was ordered is done."""
        left = any(leg.progress.problem or leg.progress.undone for leg in self.legs)
        return self.stage == "ended" and self._whole and not (self.problem or left)

    @property
    def seconds(self) -> float:
        """Seconds that the current leg has asked, without those in which it was held."""
        running = self.going and not self.held
        return (self.legs[-1].seconds if self.legs else 0.0) + (time.monotonic() - self._since if running else 0.0)

    def parts(self, *, discreet: bool = False) -> list[str]:
        """Return how far the current leg is, part by part. ``discreet``: nothing of what models answered."""
        if not self.legs:
            return [NOTHING_LEFT]
        return self._parts(self.legs[-1], self.seconds, discreet)

    @property
    def reasons(self) -> list[str]:
        """Reasons why work of the current leg was put off, the commonest first; and how its batches stand."""
        news = self.legs[-1].news if self.legs else []
        return [*(line.strip() for line in undone_lines(self.progress)), *news]

    @property
    def outcome(self) -> str:
        """Result in one line, without what models answered."""
        said = [self._parts(leg, leg.seconds, True)[0] for leg in self.legs]
        if self.waiting:
            said.append(f"{counted(self.waiting, 'batch', 'batches')} open at the provider")
        said += dict.fromkeys(filter(None, (*(leg.progress.problem for leg in self.legs), self.problem)))
        return "; ".join(said) or NOTHING_LEFT

    def sums(self, *, discreet: bool = False) -> list[str]:
        """Return what it came to, line by line, the reason why it ended early last."""
        lines: list[str] = []
        for leg in self.legs:
            progress, whose = leg.progress, f"{leg.whose}: " if leg.whose else ""
            if discreet:
                lines += [*self._parts(leg, leg.seconds, True), *(line.strip() for line in undone_lines(progress))]
            else:
                first, *rest = sum_lines(leg.noun, leg.made, progress, leg.spending, self.currency)
                lines += [f"{whose}{first}", *rest, *leg.news]
            if progress.problem:
                lines.append(f"stopped: {progress.problem if discreet else stop_reason(progress, leg.spending)}")
        return [*lines, *filter(None, [self.problem])] or [NOTHING_LEFT]

    def _parts(self, leg: Leg, seconds: float, discreet: bool) -> list[str]:
        first, *rest = progress_parts(leg.made, leg.progress, leg.spending, self.currency, seconds, discreet=discreet)
        return [f"{leg.whose}: {first}" if leg.whose else first, *rest]

    # --- its thread ---

    def _begin(
        self, stage: Stage, work: Callable[[Connection], Coroutine[Any, Any, None]], end: Callable[[], object]
    ) -> None:
        self.stage, self.problem, self.error = stage, "", None
        self._since = time.monotonic()
        self._thread = Thread(target=self._run, args=(work, end), name="model run", daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[Connection], Coroutine[Any, Any, None]], end: Callable[[], object]) -> None:
        try:
            with closing(open_database(self._path, create=False, same_as=self._file)) as connection:
                asyncio.run(self._watched(work(connection)))
        except (StorageError, NotAnswered) as refusal:
            self.problem = " ".join(str(refusal).split())
        except sqlite3.Error as refusal:
            self.problem = explain(refusal, self._path, short=True)
        except asyncio.CancelledError:
            self.problem = "it was ended at once"
        except Exception as error:
            self.problem, self.error = f"it broke ({type(error).__name__})", error
        finally:
            self._take_time()
            self._loop = self._task = self._stop = None
            self.stage = "counted" if self.stage == "counting" and self.forecast else "ended"
            end()

    async def _watched(self, work: Coroutine[Any, Any, None]) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        await work

    async def _count(self, connection: Connection) -> None:
        if self.most is not None:
            self.order = _with_most(self.order, prepared(connection, self.order.each()[0]), self.most)
        self.forecast = await forecast(connection, self.order)

    async def _ask(self, connection: Connection) -> None:
        """Go leg by leg: each judge judges, then proves; all by one budget."""
        known = self.order.known_prices()
        self.currency = known.currency if known else ""
        orders, spent, throttle = self.order.each(), list[Spending](), Throttle()
        for order in orders:
            run = prepared(connection, order, spent)
            spent.append(run.spending)
            whose = order.model if len(orders) > 1 else ""
            if isinstance(run, Translating):
                live = partial(_translating, run, order)
                await self._go(order, run, Leg(f"translated by {run.translations.system}", "article", whose), live)
            elif isinstance(order, JudgeOrder):
                run.throttle = throttle
                leg = Leg("repeated" if order.provider == "replay" else "judged", "translation", whose)
                went = await self._go(order, run, leg, partial(self._judging, order, run, leg))
                if order.prove and went and not self.interrupted:
                    budget = order.spending(known, batch=order.batch, earlier=tuple(spent))
                    spent.append(budget)
                    proving = Judging(connection, run.run_id, run.choice, budget, throttle=throttle)
                    proving.progress.of = sum(1 for _ in to_prove(connection, run.choice))
                    leg = Leg("proved", "evaluation", whose)
                    await self._go(order, proving, leg, partial(self._proving, order, proving, leg))
            if self.interrupted or any(each.exhausted for each in spent):
                return
        self._whole = True

    async def _go(self, order: AnyOrder, run: Judging | Translating, leg: Leg, way: Callable[[], Way]) -> bool:
        """Go a leg, unless nothing is left of it; say whether it came to its end.

        ``way`` returns what does it. Raises StorageError where something that it needs (a key) is missing.
        """
        leg.progress, leg.spending = run.progress, run.spending
        if not run.progress.of:
            return True
        with only_run(self._path, run.lock):
            do = way()
            if not run.run_id:
                run.begin(order.on_record())
            self._take_time()
            leg.progress.interrupted = self.interrupted
            self.legs.append(leg)
            await do(self._started)
        return not run.progress.problem

    def _judging(self, order: JudgeOrder, run: Judging, leg: Leg) -> Way:
        if order.provider == "replay":
            return partial(self._repeat, run, order.asked.offline(run.connection), leg)
        if order.batch:
            return partial(self._look, Batching.of(run, order.asked.connect_batches()), leg)
        return partial(run.live, order.asked.connect(), order.policy)

    def _proving(self, order: JudgeOrder, run: Judging, leg: Leg) -> Way:
        if order.batch:
            return partial(self._look, Proving(run).batching(order.asked.connect_batches()), leg)
        asked = order.asked
        whom = asked.offline(run.connection) if order.provider == "replay" else asked.connect()
        return partial(Proving(run).live, whom, order.policy)

    async def _repeat(self, run: Judging, whom: Replay, leg: Leg, on_start: OnStart) -> None:
        leg.news = list(repeated_lines(await run.replay(whom, on_start)))

    async def _look(self, batching: Batching[Any], leg: Leg, on_start: OnStart) -> None:
        """Look at the batches once, go on with what they brought, hand in the rest."""

        def on_round(done: Round) -> None:
            leg.news = [standing_line(each) for each in (*done.looked_at, *done.handed_in)]
            self.waiting = done.open

        await batching.rounds(on_start, on_round, wait=False, poll=0.0)

    def _started(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self.progress.hold(self.held)
        if self.interrupted:
            stop()

    def _in_loop(self, what: Callable[[], object]) -> None:
        if (loop := self._loop) is not None:
            with suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(what)

    def _take_time(self) -> None:
        """Add up the time until now, if it counts."""
        if self.legs:
            self.legs[-1].seconds = self.seconds
        self._since = time.monotonic()


def _translating(run: Translating, order: AnyOrder) -> Way:
    return partial(run.live, order.asked.connect(), order.policy)


def _with_most(order: AnyOrder, run: Judging | Translating, most: int) -> AnyOrder:
    """Return an order that names each piece of work, where only some of what is to do is wanted."""
    if isinstance(run, Judging) and isinstance(order, JudgeOrder):
        each = dict.fromkeys(work.translation_id for work in run.choice.work(run.connection))
        return replace(order, translations=tuple(islice(each, most)) or order.translations)
    if isinstance(run, Translating) and isinstance(order, TranslateOrder):
        ids = tuple(identity for identity, _ in islice(run.translations.work(run.connection), most))
        return replace(order, article=ids or order.article)
    return order


def batch_lines(connection: Connection, order: AnyOrder) -> list[str]:
    """Return a line for each batch that may still bring answers to an order. Raises StorageError."""
    return [
        f"batch {each.remote or '(perhaps not handed in)'}: {counted(each.requests, 'request')}, since {each.at}"
        for judging in _judgings(connection, order)
        for each in waiting_batches(judging)
    ]


def forget_batches(connection: Connection, order: AnyOrder) -> int:
    """Give up every batch that may still bring answers to an order; return how many. Raises StorageError."""
    given_up = 0
    for judging in _judgings(connection, order):
        with only_run(connection.path, judging.lock):
            given_up += len(forget(judging))
    return given_up


def _judgings(connection: Connection, order: AnyOrder) -> list[Judging]:
    found = (prepared(connection, each) for each in order.each())
    return [run for run in found if isinstance(run, Judging)]
