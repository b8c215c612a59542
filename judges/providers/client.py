"""Client of a provider: which requests are sent, when, how often and in which form; a provider is one attempt.

What is on record decides first: ``plan`` takes the attempts so far, of this run or an earlier one, and says how to ask
next or that there is no more asking. So a run that was killed goes on as if it had not been.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from judges.providers import request_forms
from judges.providers.errors import CUT, one_line, overloaded, way_to
from judges.providers.http import aside
from judges.providers.model import (
    ANSWERED,
    FATAL,
    TRANSIENT,
    Attempt,
    Fatal,
    Form,
    NotAnswered,
    Outcome,
    Provider,
    Reading,
    Reply,
    Request,
    Stopped,
    Unreachable,
)
from judges.providers.rate_limit import LONGEST_HEEDED, REAL, STEEP, Clock, Pace, Slots, Throttle, backoff
from judges.providers.token_counts import cut_short, estimated_tokens

Value = TypeVar("Value")
Read = Callable[[str, bool], Reading[Value]]

WIDEN = "raise its context, e.g. num_ctx"
"""Advice for a server that reads only the beginning or the end of what it is sent."""
SHOWN = 120
"""Characters of an answer without use that its attempt's error repeats."""
MORE_ROOM = 8192
"""Tokens that a truncated answer is given at least when it is asked for again."""
MOST_REFUSALS = 10
"""Forms of one request that a server may refuse before it is left alone."""
REFUSED_ALL = 5
"""A server that refused so many requests in every form, and took none, is not asked the thousands that follow."""

OTHERS = 20
"""Calls of others that a server answers between two refusals of one request before its load is not the reason."""
PATIENCE = 3_900.0
"""Seconds that a server which has answered before may refuse everything: longer than an hour, by which some count."""
FIRST_PATIENCE = 150.0
"""The same of one that never answered in this run, and where one call is left that it may never take: longer than two
minutes, since most count by the minute."""

_ALLOWED: dict[Outcome, tuple[str, int]] = {
    "truncated": ("truncated", 3),
    "unparsable": ("unusable", 2),
    "wrong_shape": ("unusable", 2),
    "refused": ("declined", 2),
    "blocked": ("declined", 2),
    "prompt_cut": ("prompt_cut", 1),
    "bad_request": ("bad_request", MOST_REFUSALS),
}
"""Outcome → the kind it counts as, and how many of that kind are final. A refusal may be chance, hence once more."""
_READABLE: frozenset[Outcome] = frozenset({"ok", "truncated", "unparsable", "wrong_shape"})
_NOWHERE = frozenset({301, 302, 303, 307, 308, 404, 405})
"""Statuses that say that the address or the model is wrong, for every request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Policy of the calls to one server: concurrency, rates, timeouts, retries.

    ``concurrency``: requests in flight at most. ``requests_per_minute``, ``tokens_per_minute``: None for no limit.
    ``tries``: failures on the way (no connection, overload, …) that one request survives, plus one. ``timeout``:
    seconds an attempt may take. ``deadline``: seconds that a request's attempts, and waiting after its failures, may
    take together. What an overloaded server refuses is no failure of a request, and no time of it.
    """

    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    tries: int = 6
    timeout: float = 300.0
    deadline: float = 900.0


@dataclass(slots=True)
class _Course(Generic[Value]):
    """History of one request. ``past``: what decides about it. ``begun``: it was sent before.

    ``spent``: seconds of its attempts and of waiting after its failures; not of waiting for an overloaded server.
    ``refused``: how many calls the server had answered when it refused this one, and that counted.
    """

    request: Request
    read: Read[Value]
    past: list[Reply[Value]] = field(default_factory=list)
    failures: int = 0
    begun: bool = False
    spent: float = 0.0
    refused: int | None = None

    def attempts(self) -> list[Attempt]:
        """The attempts that decide."""
        return [reply.attempt for reply in self.past]

    def final(self) -> Reply[Value]:
        """The reply when no more is asked: the last with at least part of a value, or an answer, or else the last."""
        with_value = [reply for reply in self.past if reply.value is not None]
        answered = [reply for reply in self.past if reply.outcome in ANSWERED]
        return (with_value or answered or self.past)[-1]


class Client:
    """Answers requests from the record or from a provider, within a policy. It is an ``Ask`` by its method ``ask``.

    ``record`` is awaited with every attempt before anyone sees its answer; ``recorded`` returns a request's attempts in
    the order they were made. ``forms`` (model → form, of this server) spares refusals that were met before.
    ``retry_failed``: failures recorded before this Caller was made do not count. ``allow`` is asked just
    before a request is sent: no means not before another has ended; it may raise Stopped. ``withdraw`` is told where
    what was allowed came to nothing.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        record: Callable[[Attempt], Awaitable[object]],
        recorded: Callable[[Request], Sequence[Attempt]],
        policy: Policy = Policy(),
        forms: Mapping[str, Form] | None = None,
        retry_failed: bool = False,
        allow: Callable[[Request], bool] = lambda request: True,
        withdraw: Callable[[Request], object] = lambda request: None,
        clock: Clock = REAL,
        throttle: Throttle | None = None,
    ) -> None:
        """``throttle``: what runs before this one found out of the same server with the same key."""
        self.in_flight = 0
        self.forms = {model: replace(form, max_tokens=None) for model, form in (forms or {}).items()}
        self._provider, self._record, self._recorded = provider, record, recorded
        self._policy, self._allow, self._withdraw, self._clock = policy, allow, withdraw, clock
        self._count_from = time.time() if retry_failed else 0.0
        self._ceilings: dict[str, int] = {}
        self._throttle = throttle or Throttle()
        self._throttle.go_on(policy.concurrency, clock.now())
        self._slots = Slots(int(self._throttle.at_once))
        self._door = asyncio.Lock()
        self._requests, self._tokens = Pace(policy.requests_per_minute), Pace(policy.tokens_per_minute)
        self._asking: dict[str, asyncio.Future[Reply[Any]]] = {}
        self._taken = False
        self._refused: set[str] = set()
        self._ended: NotAnswered | None = None
        self._ending = asyncio.Event()
        self._ended_one = asyncio.Event()
        self._held_since: float | None = None

    def form(self, model: str) -> Form:
        """Return the form that this server is known to take for a model, or is asked in first."""
        return self.forms.get(model) or request_forms.first_form(self._provider.name, self._provider.server)

    def slowed(self) -> float | None:
        """Return how many calls a minute the server lets through, None where it takes all that there are."""
        return self._throttle.slowed(self._clock.now())

    def stop(self) -> None:
        """Start nothing new and cut every wait; what is in flight finishes. Later asks raise Stopped."""
        self._end(Stopped("it was interrupted; the same command goes on from here"))

    def hold(self, held: bool) -> None:
        """Begin no further attempt, or go on; what is in flight finishes either way."""
        now = self._clock.now()
        if self._held_since is not None:
            self._throttle.pass_over(now - self._held_since)
        self._held_since = now if held else None
        self._wake()

    async def ask(self, request: Request, read: Read[Value]) -> Reply[Value]:
        """Return the final reply to a request; equal requests at the same time are asked once.

        Raises a NotAnswered: Unreachable, Fatal, Stopped, or NotRecorded (by a replay). What ``record`` raises is
        raised too.
        """
        while asked := self._asking.get(request.id):
            await asyncio.wait([asked])
            if not asked.cancelled():
                return asked.result()
        asking = self._asking[request.id] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._ask(request, read)
        except Exception as error:
            asking.set_exception(error)
            asking.exception()  # seen, even if nobody else asked
            raise
        else:
            asking.set_result(reply)
            return reply
        finally:
            asking.cancel()
            del self._asking[request.id]

    async def _ask(self, request: Request, read: Read[Value]) -> Reply[Value]:
        course = _Course(request, read)
        for attempt in self._recorded(request):
            reply = await aside(len(attempt.answer), partial(reread, attempt, read, recorded=True))
            if reply.outcome == "ok":
                return reply
            lasting = reply.outcome in _ALLOWED and attempt.status not in _NOWHERE
            if lasting and attempt.started >= self._count_from:
                course.past.append(reply)
        asked = False
        while form := self._plan(course):
            reply = await self._attempt(course, form)
            asked = True
            if reply.outcome in TRANSIENT:
                await self._wait_after(course, reply.attempt)
            elif reply.outcome in FATAL:
                raise self._end(_fatal(reply.attempt, self._provider.server))
            else:
                self._learn(course, reply.attempt)
                self._taken = self._taken or reply.outcome in ANSWERED
                if reply.outcome == "ok":
                    return reply
                course.past.append(reply)
        last = course.past[-1].attempt
        if last.outcome == "bad_request" and asked:
            self._refused.add(request.id)
            if last.status in _NOWHERE or (not self._taken and len(self._refused) >= REFUSED_ALL):
                raise self._end(_fatal(last, self._provider.server))
        return replace(course.final(), recorded=not asked)

    def _plan(self, course: _Course[Any]) -> Form | None:
        """Return how to ask next. Where nothing else is known of the server, it was first asked as it first refused."""
        model, attempts = course.request.model, course.attempts()
        refused = [attempt.form for attempt in attempts if attempt.outcome == "bad_request"]
        form = replace(refused[0], max_tokens=None) if refused and model not in self.forms else self.form(model)
        return plan(course.request, attempts, form, self._ceilings.get(model))

    async def _attempt(self, course: _Course[Value], form: Form) -> Reply[Value]:
        """Make one attempt when its turn comes, and have it recorded."""
        request = course.request
        self._check()
        # What was refused goes behind all others, or one that is always refused would let nobody through.
        await self._slots.take(begun=course.begun and course.refused is None)
        try:
            estimate = estimated_tokens(request.system) + estimated_tokens(request.user)
            await self._turn(estimate)
            self._check()
            while self._held_since is not None or not self._allow(request):
                await self._until(self._ended_one.wait())  # its cost makes room, or shows that there is none
            course.begun = True
            timeout = min(self._policy.timeout, max(self._policy.deadline - course.spent, 0.001))
            sent = self._clock.now()
            self.in_flight += 1
            try:
                attempt = await self._provider.attempt(request, form, timeout)
            except NotAnswered as problem:
                self._withdraw(request)
                if isinstance(problem, Fatal):
                    self._end(problem)
                raise
            finally:
                self.in_flight -= 1
            self._heed(course, attempt, sent)
        finally:
            self._slots.give()
        if attempt.tokens.input is not None:
            self._tokens.correct(attempt.tokens.input + (attempt.tokens.output or 0) - estimate)
        try:
            came = attempt
            reply = await aside(len(came.answer), lambda: reread(came, course.read))
            attempt = reply.attempt
        finally:  # paid for, whatever the reader does
            await self._keep(attempt)
        return reply

    async def _keep(self, attempt: Attempt) -> None:
        """Have an attempt recorded, even if whoever asked is cancelled meanwhile."""
        keeping = asyncio.ensure_future(self._record(attempt))
        try:
            await asyncio.shield(keeping)
        except asyncio.CancelledError:
            await asyncio.wait([keeping])
            raise
        finally:
            self._wake()

    def _wake(self) -> None:
        """Let those look again who wait to begin."""
        self._ended_one.set()
        self._ended_one = asyncio.Event()

    async def _turn(self, tokens: float) -> None:
        """Wait, one after the other, until the rates and what the server takes let the next request go."""
        async with self._door:
            now = self._clock.now()
            if (seconds := max(self._requests.take(1, now), self._tokens.take(tokens, now))) > 0:
                await self._until(self._clock.sleep(seconds))
            while (seconds := self._throttle.wait(self._clock.now())) > 0:
                await self._until(self._clock.sleep(min(seconds, LONGEST_HEEDED)), self._ended_one.wait())
            self._throttle.sent(self._clock.now())

    def _heed(self, course: _Course[Any], attempt: Attempt, sent: float) -> None:
        """Learn from how an attempt ended what the server takes, for all."""
        now, throttle = self._clock.now(), self._throttle
        if attempt.allowance:
            throttle.heed(attempt.allowance, self.in_flight, now)
        if overloaded(attempt):
            pause = attempt.retry_after or backoff(1 + STEEP * throttle.refusals, 0.5 + self._clock.chance() / 2)
            throttle.refused(sent, now, min(pause, self._policy.deadline))
            if course.refused is None or throttle.answered - course.refused >= OTHERS:
                course.failures += course.refused is not None
                course.refused = throttle.answered
        else:
            course.spent += now - sent
            if attempt.outcome not in TRANSIENT:
                throttle.passed(sent, now)
        self._slots.resize(int(throttle.at_once))

    async def _wait_after(self, course: _Course[Any], attempt: Attempt) -> None:
        """Wait after a failure on the way, or give up; an overloaded server is waited for where a turn is taken."""
        refused = overloaded(attempt)
        course.failures += not refused
        asked = attempt.retry_after or 0.0
        if asked > self._policy.deadline:
            message = f"{self._provider.server} asks to wait for {min(asked, 1e9):.0f} seconds"
            raise self._end(Fatal(f"{message}; run the same command again then ({attempt.error})"))
        refusing = self._throttle.refusing(self._clock.now())
        alone = self._throttle.answered > 0 and len(self._asking) == 1
        if refusing > (FIRST_PATIENCE if alone or not self._throttle.answered else PATIENCE):
            message = f"{self._provider.server} has taken no call for {refusing / 60:.0f} minutes"
            message = f"{message}; run the same command again later ({attempt.error})"
            raise Unreachable(message) if alone else self._end(Fatal(message))
        seconds = 0.0 if refused else max(asked, backoff(course.failures, self._clock.chance()))
        if course.failures >= self._policy.tries or course.spent + seconds >= self._policy.deadline:
            times = "once" if course.failures == 1 else f"{course.failures} times"
            message = f"{self._provider.server} was asked {times} in vain: {attempt.error or attempt.outcome}"
            raise Unreachable(f"{message}; {way_to(attempt.error)}" if attempt.outcome == "connection" else message)
        if seconds:
            course.spent += seconds
            await self._until(self._clock.sleep(seconds))

    async def _until(self, *coming: Awaitable[object]) -> None:
        """Wait for the first of these, unless the run ends before: then raise what ended it."""
        waits = {asyncio.ensure_future(each) for each in (*coming, self._ending.wait())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        self._check()

    def _learn(self, course: _Course[Any], attempt: Attempt) -> None:
        """Remember what this server takes, once it took what it had refused in another form."""
        model = attempt.request.model
        if attempt.outcome == "bad_request":
            if (most := request_forms.token_limit(attempt)) and most[1]:
                self._ceilings[model] = most[0]
        elif any(before.outcome == "bad_request" for before in course.past):
            self.forms[model] = replace(attempt.form, max_tokens=None)

    def _check(self) -> None:
        if self._ended:
            raise copy(self._ended)  # each its own: one that is raised a thousand times drags a thousand traces along

    def _end(self, reason: NotAnswered) -> NotAnswered:
        """End the run for this reason, unless there is one already; return the reason."""
        self._ended = self._ended or reason
        self._ending.set()
        self._slots.cut(self._ended)
        return reason


def plan(request: Request, past: Sequence[Attempt], form: Form, ceiling: int | None = None) -> Form | None:
    """Return the form in which to ask next, or None if what is on record is final.

    ``past``: the request's answers that were not usable and the forms of it that were refused, in order. ``form``:
    what the server is known to take. ``ceiling``: the room that the model is known to allow at most, in tokens.

    A truncated answer is asked again with double room, at most twice; an unusable one, and a declined one, once more.
    """
    counts = Counter(_ALLOWED[attempt.outcome][0] for attempt in past)
    if any(counts[kind] >= most for kind, most in _ALLOWED.values()):
        return None
    ceilings = [ceiling] if ceiling else []
    refused: list[Form] = []
    for attempt in past:
        if attempt.outcome != "bad_request":
            continue
        if most := request_forms.token_limit(attempt):
            ceilings.append(most[0])
        elif replace(attempt.form, max_tokens=None) == form:
            if (lower := request_forms.lower_form(attempt)) is None:
                return None
            refused.append(form)
            form = replace(lower, max_tokens=None)
            if form in refused:  # it is back at the limit's first name, so the server has none for it
                form = replace(form, dropped=form.dropped | {"max_tokens"})
    wanted = request.parameters.max_tokens
    # Less room than asked for was only ever given where a ceiling was known.
    ceilings += [least for attempt in past if (least := attempt.form.max_tokens) and wanted and least < wanted]
    had = [_room_had(attempt) for attempt in past if attempt.outcome == "truncated"]
    if had:
        wanted = max(2 * max(had), MORE_ROOM)
    if wanted is not None and ceilings:
        wanted = min(wanted, *ceilings)
        if wanted < request_forms.LEAST_ROOM and wanted != request.parameters.max_tokens:
            return None
    if had and ("max_tokens" in form.dropped or (wanted or 0) <= max(had)):
        return None
    form = form if wanted == request.parameters.max_tokens else replace(form, max_tokens=wanted)
    return None if past and past[-1].outcome == "bad_request" and past[-1].form == form else form


def _room_had(attempt: Attempt) -> int:
    """The room that was not enough: what was asked for, or what the answer took."""
    return request_forms.limit_of(attempt) or attempt.tokens.output or 0


def reread(attempt: Attempt, read: Read[Value], recorded: bool = False) -> Reply[Value]:
    """Return what the reader makes of an attempt's answer, with the attempt's true outcome."""
    if attempt.outcome not in _READABLE:
        return Reply(None, attempt, recorded)
    request, tokens = attempt.request, attempt.tokens
    # Some count what they had cached apart.
    counted = None if tokens.input is None else tokens.input + (tokens.cached or 0)
    if counted is not None and cut_short(counted, request.system, request.user):
        sent = len(request.system) + len(request.user)
        error = f"the server cut the text: it read {counted:,} tokens of {sent:,} characters; {WIDEN}"
        return Reply(None, replace(attempt, outcome="prompt_cut", error=error), recorded)
    cut = attempt.finish.lower() in CUT if attempt.finish else attempt.outcome == "truncated"
    reading: Reading[Value] = Reading(None, "unparsable")
    if attempt.answer.strip():
        reading = read(attempt.answer, cut)
    outcome: Outcome = "truncated" if cut and reading.outcome != "ok" else reading.outcome
    reason = one_line(reading.reason) if outcome == "wrong_shape" else ""
    error = "" if outcome == "ok" else attempt.error or reason or _unusable(outcome, attempt)
    return Reply(reading.value, replace(attempt, outcome=outcome, read_by=reading.step, error=error), recorded)


_UNUSABLE: Mapping[str, str] = {
    "truncated": "the answer breaks off",
    "unparsable": "nothing usable can be read in the answer",
    "wrong_shape": "the answer is not what was asked for",
}


def _unusable(outcome: Outcome, attempt: Attempt) -> str:
    """Return why an answer is of no use, in one line for the record."""
    if not attempt.answer.strip():
        thought = attempt.tokens.thinking
        return f"the answer is empty{f'; thinking took {thought:,} tokens' if thought else ''}"
    shown = attempt.answer[-SHOWN:] if outcome == "truncated" else attempt.answer[:SHOWN]
    return one_line(f"{_UNUSABLE[outcome]}: {'…' if outcome == 'truncated' else ''}{shown}")


def _fatal(attempt: Attempt, server: str) -> Fatal:
    """The end of a run, and how to mend it."""
    if attempt.outcome == "quota":
        mend = "top it up or raise the limit, then run the same command again"
        return Fatal(f"the account at {server} has no credit left or is at its limit; {mend} ({attempt.error})")
    if attempt.outcome == "auth":
        return Fatal(f"{server} gives no access to {attempt.request.model}; check the key ({attempt.error})")
    if attempt.status not in _NOWHERE:
        return Fatal(f"{server} refuses everything that it is asked; check model and parameters ({attempt.error})")
    return Fatal(f"{server} knows no such address or model ({attempt.request.model}); check both ({attempt.error})")
