"""A run that asks a model beside the app: in a thread of its own, on a connection of its own; no screen awaits it."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, fields, replace
from itertools import islice
from threading import Thread
from typing import Any, Literal

from discox_tui.runs.budget import Spending
from discox_tui.runs.dry_run import Estimate, rehearse_judging, rehearse_translating
from discox_tui.runs.judging import Judging
from discox_tui.runs.orders import JudgeOrder, TranslateOrder
from discox_tui.runs.summary import estimate_lines, progress_parts, stop_reason, sum_lines, undone_lines
from discox_tui.runs.translating import Translating
from discox_tui.runs.workers import Progress
from discox_tui.text.counts import counted, money
from judges.providers.model import NotAnswered
from storage.base.errors import StorageError
from storage.db.connection import Connection, file_of, open_database
from storage.db.run_lock import only_run
from storage.db.sqlite_errors import explain

Stage = Literal["new", "counting", "counted", "asking", "ended"]
AnyOrder = JudgeOrder | TranslateOrder

NOTHING_LEFT = "nothing is left to do"

STOPPING = 3.0
"""Seconds that ending at once waits at most for what was answered to be on disk."""

ORDERS: Mapping[str, type[AnyOrder]] = {"judge": JudgeOrder, "translate": TranslateOrder}
"""Order by the command that gives it."""


def order_to_plain(order: AnyOrder) -> dict[str, Any]:
    """Return an order as a JSON-able object. It holds no key, nor headers and queries, which may."""
    plain = {name: value for name, value in asdict(order).items() if name not in ("header", "query")}
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
    given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return kind(**given)


@dataclass(frozen=True, slots=True)
class Forecast:
    """Forecast of a run: how many calls it takes at most, in how many lines of words, and for about how much.

    ``pieces``: evaluations or translations to be made. ``cost``: in words, "" without a price.
    """

    pieces: int
    calls: int
    cost: str
    lines: tuple[str, ...]


class ModelRun:
    """One order, counted by a dry run, then carried out; other threads read its attributes at any time.

    ``order`` names, once it is counted, every translation or article that is chosen, so that it stays the same
    whatever is stored meanwhile. ``problem``: why nothing came of it, in one line, or "". ``error``: what no run
    should raise.
    """

    def __init__(self, connection: Connection, order: AnyOrder, *, most: int | None = None) -> None:
        """``most``: of what is chosen and not yet done, only so many translations or articles."""
        self.order = order
        self.most = most
        self.stage: Stage = "new"
        self.forecast: Forecast | None = None
        self.progress, self.spending, self.currency = Progress(), Spending(), ""
        self.begun = self.held = False
        self.problem = ""
        self.error: Exception | None = None
        self._path, self._file = connection.path, file_of(connection)
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._stop: Callable[[], None] | None = None
        self._seconds, self._since = 0.0, 0.0

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
            self.progress.interrupted = True
            if self._stop is not None:
                self._in_loop(self._stop)

    def cancel(self) -> None:
        """End at once: what is on its way is given up, what was answered is kept."""
        self.progress.interrupted = True
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
    def finished(self) -> bool:
        """True once all that was ordered is done."""
        progress = self.progress
        return self.stage == "ended" and not (self.problem or progress.problem or progress.undone)

    @property
    def seconds(self) -> float:
        """Seconds that it has asked, without those in which it was held."""
        running = self.going and not self.held
        return self._seconds + (time.monotonic() - self._since if running else 0.0)

    @property
    def made(self) -> str:
        """Word for what is being done."""
        order = self.order
        return "judged" if isinstance(order, JudgeOrder) else f"translated by {order.system}"

    def parts(self, *, discreet: bool = False) -> list[str]:
        """Return how far it is, part by part. ``discreet``: nothing of what models answered."""
        return progress_parts(self.made, self.progress, self.spending, self.currency, self.seconds, discreet=discreet)

    @property
    def reasons(self) -> list[str]:
        """Reasons why work was put off, the commonest first."""
        return [line.strip() for line in undone_lines(self.progress)]

    @property
    def outcome(self) -> str:
        """Result in one line, without what models answered."""
        said = [self.parts(discreet=True)[0]] if self.begun else []
        said += filter(None, (self.progress.problem, self.problem))
        return "; ".join(said) or NOTHING_LEFT

    def sums(self, *, discreet: bool = False) -> list[str]:
        """Return what it came to, line by line, the reason why it ended early last."""
        noun = "translation" if isinstance(self.order, JudgeOrder) else "article"
        if not self.begun:
            return [self.problem or NOTHING_LEFT]
        lines = list(sum_lines(noun, self.made, self.progress, self.spending, self.currency))
        if discreet:
            lines = self.parts(discreet=True) + self.reasons
        why = self.progress.problem if discreet else stop_reason(self.progress, self.spending)
        return lines + ([f"stopped: {why}"] if self.progress.problem else []) + ([self.problem] if self.problem else [])

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

    def _prepared(self, connection: Connection) -> Judging | Translating:
        """Make of the order what carries it out, with a new count of what is spent."""
        order = self.order
        known = order.known_prices()
        spending, self.currency = order.spending(known), known.currency if known else ""
        whom = order.asked.offline(connection)
        if isinstance(order, JudgeOrder):
            choice = order.choice(whom)
            before = choice.count(connection)
            to_do = before.to_do + (before.failed if order.retry_failed else 0)
            return Judging(connection, 0, choice, spending, Progress(of=to_do))
        wanted = order.translations(connection, whom)
        return Translating(connection, 0, wanted, spending, Progress(of=sum(1 for _ in wanted.work(connection))))

    async def _count(self, connection: Connection) -> None:
        self._fix(connection)
        run = self._prepared(connection)
        remarks = list(self.order.asked.remarks())
        if isinstance(run, Judging):
            remarks += run.choice.remarks(connection)
            estimate, noun = await rehearse_judging(connection, run.choice), "evaluation"
        else:
            estimate, noun = rehearse_translating(connection, run.translations), "translation"
        self.forecast = _forecast(noun, estimate, run.spending, self.currency, remarks)

    def _fix(self, connection: Connection) -> None:
        """Let the order name each piece of work, if only some of what is to do is wanted."""
        if self.most is None:
            return
        run = self._prepared(connection)
        if isinstance(run, Judging) and isinstance(self.order, JudgeOrder):
            each = dict.fromkeys(work.translation_id for work in run.choice.work(connection))
            self.order = replace(self.order, translations=tuple(islice(each, self.most)) or self.order.translations)
        elif isinstance(run, Translating) and isinstance(self.order, TranslateOrder):
            ids = tuple(identity for identity, _ in islice(run.translations.work(connection), self.most))
            self.order = replace(self.order, article=ids or self.order.article)

    async def _ask(self, connection: Connection) -> None:
        run = self._prepared(connection)
        run.progress.interrupted = self.progress.interrupted
        self.progress, self.spending = run.progress, run.spending
        if not run.progress.of:
            return
        with only_run(connection.path, run.lock):
            provider = self.order.asked.connect()
            run.begin(self.order.on_record())
            self.begun = True
            await run.live(provider, self.order.policy, self._started)

    def _started(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self.progress.hold(self.held)
        if self.progress.interrupted:
            stop()

    def _in_loop(self, what: Callable[[], object]) -> None:
        if (loop := self._loop) is not None:
            with suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(what)

    def _take_time(self) -> None:
        """Add up the time until now, if it counts."""
        self._seconds, self._since = self.seconds, time.monotonic()


def _forecast(noun: str, estimate: Estimate, spending: Spending, currency: str, remarks: list[str]) -> Forecast:
    about = estimate.cost(spending)
    lines = [*estimate_lines(noun, estimate, spending, currency), *remarks] if estimate.pieces else [NOTHING_LEFT]
    cost = "" if about is None else money(about, currency)
    return Forecast(estimate.pieces, estimate.calls.total(), cost, tuple(lines))


def asked_in_words(forecast: Forecast) -> str:
    """Say what a run takes, in a few words."""
    return f"{counted(forecast.calls, 'call')}{f', about {forecast.cost}' if forecast.cost else ''}"
