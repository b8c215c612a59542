"""The policy around attempts, to the second and to the status, with a provider and a clock that are made up."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from judges.providers import client
from judges.providers.client import MORE_ROOM, Client, Policy, plan, reread
from judges.providers.model import (
    Allowance,
    Attempt,
    Fatal,
    Form,
    Outcome,
    Parameters,
    Reading,
    Reply,
    Request,
    Stopped,
    Tokens,
    Unreachable,
)
from judges.providers.rate_limit import Clock, Pace, Slots, Throttle, backoff
from judges.providers.token_counts import cut_short, estimated_tokens

Value = TypeVar("Value")
SERVER = "http://host/v1"
Script = Callable[[str, int, float], Attempt | Exception | Awaitable[Attempt]]


def request(task: str = "a", **more: Any) -> Request:
    return Request("accuracy", "openai", SERVER, "m-1", "", "", task, {"type": "object"}, **more)


def made(outcome: Outcome = "ok", answer: str = "{}", **more: Any) -> Attempt:
    form = more.pop("form", Form())
    return Attempt(more.pop("request", request()), form, outcome, more.pop("started", 1.0), 0.1, answer=answer, **more)


def read(text: str, cut: bool) -> Reading[str]:
    if text == "no":
        return Reading(None, "unparsable")
    return Reading(text, "truncated" if cut and text != "whole" else "ok", "whole")


class Times:
    """A clock on which everybody who sleeps wakes at their own time, and nobody before all others have gone on."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        coming: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (self.now + seconds, len(self.sleeps), coming))
        await coming

    async def run(self, work: Coroutine[Any, Any, Value] | asyncio.Future[Value]) -> Value:
        task = asyncio.ensure_future(work)
        while True:
            for _ in range(400):
                await asyncio.sleep(0)
            if task.done():
                return task.result()
            while self._waiting and self._waiting[0][2].done():
                heapq.heappop(self._waiting)
            if not self._waiting:
                continue
            self.now, _, coming = heapq.heappop(self._waiting)
            coming.set_result(None)


class Case:
    """A caller, what it sent and when, and what was recorded."""

    name = "openai"
    server = SERVER

    def __init__(self, script: Script, **options: Any) -> None:
        self.script, self.times = script, Times()
        self.kept: list[Attempt] = []
        self.sent: list[tuple[str, float]] = []
        self.timeouts: list[float] = []
        self.forms: list[Form] = []
        clock = Clock(lambda: self.times.now, self.times.sleep, lambda: options.pop("chance", 0.5))
        recorded = options.pop("recorded", lambda wanted: [a for a in self.kept if a.request.id == wanted.id])
        self.caller = Client(self, record=self.record, recorded=recorded, clock=clock, **options)

    async def record(self, attempt: Attempt) -> None:
        self.kept.append(attempt)

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        number = sum(task == request.task for task, _ in self.sent)
        self.sent.append((request.task, self.times.now - 1000))
        self.timeouts.append(timeout)
        self.forms.append(form)
        said = self.script(request.task, number, self.times.now)
        for _ in range(20):  # a network takes longer than a record
            await asyncio.sleep(0)
        if isinstance(said, Exception):
            raise said
        attempt = said if isinstance(said, Attempt) else await said
        return replace(attempt, request=request, form=form)

    async def close(self) -> None:
        pass

    async def ask(self, *tasks: str) -> list[Any]:
        asked = (self.caller.ask(request(task), read) for task in tasks)
        return await self.times.run(asyncio.gather(*asked, return_exceptions=True))


def first(*said: Attempt, task: str = "a") -> Script:
    """Say this to the first attempts of one request; everything else is answered."""
    return lambda asked, number, now: said[number] if asked == task and number < len(said) else made()


# Waiting


async def test_the_wait_a_server_asks_for_is_kept_by_all() -> None:
    case = Case(first(made("rate_limited", "", status=429, retry_after=30.0)), policy=Policy(concurrency=1))
    await case.ask("a", "b", "c", "d")
    assert [time for _, time in case.sent] == [0, 30, 30, 30, 30]


async def test_the_longest_wait_that_a_server_asked_for_holds() -> None:
    def script(task: str, number: int, now: float) -> Attempt:
        return (
            made("rate_limited", "", retry_after={"a": 30.0, "b": 5.0}[task]) if task in "ab" and not number else made()
        )

    case = Case(script, policy=Policy(concurrency=2))
    await case.ask(*"abcdef")
    assert case.sent[:2] == [("a", 0), ("b", 0)]
    assert {time for _, time in case.sent[4:]} == {30}
    assert len(case.sent) == 8


@pytest.mark.parametrize(
    ("said", "again"),
    [
        (made("server", "", status=503, retry_after=6.0), 6.0),  # it asks for this one request
        (made("timeout", ""), 0.5),  # half of the first second
        (made("server", "", status=503), 0.5),
    ],
)
async def test_other_failures_let_the_others_go_on(said: Attempt, again: float) -> None:
    case = Case(first(said), policy=Policy(concurrency=1))
    await case.ask("a", "b")
    assert case.sent == [("a", 0), ("b", 0), ("a", again)]


@pytest.mark.parametrize(("asked", "again"), [(None, 0.75), (0.25, 0.25), (6.0, 6.0)])
@pytest.mark.parametrize(
    "said",
    [
        made("rate_limited", "", status=429),
        made("server", "", status=503, error="503: the model is overloaded"),
        made("server", "", status=529),
    ],
    ids=["429", "503", "529"],
)
async def test_an_overload_lets_nobody_go_on(said: Attempt, asked: float | None, again: float) -> None:
    case = Case(first(replace(said, retry_after=asked)), policy=Policy(concurrency=1))
    await case.ask("a", "b")
    assert case.sent[0] == ("a", 0)
    assert sorted(case.sent[1:]) == [("a", again), ("b", again)]


async def test_who_has_begun_goes_before_who_has_not() -> None:
    coming: list[asyncio.Future[Attempt]] = []

    def script(task: str, number: int, now: float) -> Attempt | Awaitable[Attempt]:
        if task == "a" and not number:
            return made("server", "")
        if task == "b":
            coming.append(asyncio.get_running_loop().create_future())
            return coming[0]
        return made()

    case = Case(script, policy=Policy(concurrency=1))

    async def let_go() -> None:
        await case.times.sleep(2)
        coming[0].set_result(made())

    release = asyncio.ensure_future(let_go())
    await case.ask("a", "b", "c")
    await release
    assert case.sent == [("a", 0), ("b", 0), ("a", 2), ("c", 2)]


@pytest.mark.parametrize(("outcome", "ends"), [("rate_limited", Reply), ("server", Unreachable)])
async def test_a_wait_as_long_as_the_deadline_is_no_end_of_the_run_but_of_a_request_that_failed(
    outcome: Outcome, ends: type
) -> None:
    policy = Policy(deadline=100.0)
    case = Case(first(made(outcome, "", retry_after=100.0)), policy=policy)
    (ended,) = await case.ask("a")
    assert type(ended) is ends
    case = Case(first(made("rate_limited", "", retry_after=101.0, error="429: later")), policy=policy)
    ended, after = (await case.ask("a"))[0], (await case.ask("b"))[0]
    assert (
        str(ended)
        == str(after)
        == f"{SERVER} asks to wait for 101 seconds; run the same command again then (429: later)"
    )
    assert len(case.sent) == 1


@pytest.mark.parametrize(
    ("said", "tries", "message"),
    [
        (made("server", "", error="503: busy"), 1, "was asked once in vain: 503: busy"),
        (made("server", "", error="503: busy"), 2, "was asked 2 times in vain: 503: busy"),
        (made("timeout", ""), 3, "was asked 3 times in vain: timeout"),
        (made("connection", "", error="refused"), 2, "was asked 2 times in vain: refused; is the server there?"),
    ],
)
async def test_a_request_is_given_up_after_its_tries(said: Attempt, tries: int, message: str) -> None:
    case = Case(lambda task, number, now: said, policy=Policy(tries=tries))
    (ended,) = await case.ask("a")
    assert (type(ended), str(ended)) == (Unreachable, f"{SERVER} {message}")
    assert len(case.sent) == tries
    assert case.times.sleeps == [0.5, 1.0][: tries - 1]


async def test_an_attempt_has_the_time_that_is_left_until_the_deadline() -> None:
    said = [made("server", "", retry_after=40.0), made("server", "", retry_after=40.0)]
    case = Case(first(*said), policy=Policy(timeout=50.0, deadline=100.0))
    (reply,) = await case.ask("a")
    assert reply.outcome == "ok"
    assert case.timeouts == [50, 50, 20]
    case = Case(first(*said, said[0]), policy=Policy(timeout=50.0, deadline=120.0))
    (ended,) = await case.ask("a")  # the third wait would end at the deadline itself
    assert type(ended) is Unreachable
    assert case.timeouts == [50, 50, 40]


async def test_waiting_for_an_overloaded_server_is_no_time_of_a_request() -> None:
    said = {"a": made("server", "", retry_after=6.0), "b": made("rate_limited", "", retry_after=50.0)}
    case = Case(lambda task, number, now: made() if number else said[task], policy=Policy(deadline=50.0))
    ended = await case.ask("a", "b")
    assert [type(each) for each in ended] == [Reply, Reply]
    assert case.sent[:2] == [("a", 0), ("b", 0)]
    assert sorted(case.sent[2:]) == [("a", 50), ("b", 50)]
    assert sorted(case.timeouts) == [44, 50, 50, 50]


# Overload


class Limited:
    """A server that lets through so much in so many seconds, by its own rule, and refuses what is beyond that."""

    def __init__(self, rule: str, most: int, seconds: float) -> None:
        self.rule, self.most, self.seconds = rule, most, seconds
        self.taken: list[tuple[float, int]] = []
        self.bucket, self.at = float(most), 0.0

    def left(self, now: float) -> float:
        """Return the calls or tokens that it lets through at this moment."""
        if self.rule == "bucket":
            self.bucket = min(self.most, self.bucket + (now - self.at) * self.most / self.seconds)
            self.at = now
            return self.bucket
        since = now // self.seconds * self.seconds if self.rule == "window" else now - self.seconds
        counts = (each >= since if self.rule == "window" else each > since for each, _ in self.taken)
        return self.most - sum(size for counted, (_, size) in zip(counts, self.taken, strict=True) if counted)

    def takes(self, now: float, size: int = 1) -> bool:
        """Tell if a call of this size is let through."""
        free = self.left(now) >= size
        if free:
            self.taken.append((now, size))
            self.bucket -= size
        return free


async def run_at(
    server: Limited, calls: int, concurrency: int, takes: float = 0.2, throttle: Throttle | None = None, **more: Any
) -> tuple[Case, list[Any]]:
    """Let as many workers as calls may be in flight ask so many questions; refusals come quicker than answers.

    ``sizes``: what each call counts at the server, 1 else; ``tells``: its answers tell how many such calls are left.
    """
    sizes, tells = more.get("sizes", [1] * calls), more.get("tells", False)

    def script(task: str, number: int, now: float) -> Awaitable[Attempt]:
        size = sizes[int(task)]
        through = server.takes(now, size)
        left = Allowance(server.left(now) / size, server.seconds) if tells else None

        async def later() -> Attempt:
            await case.times.sleep(takes if through else takes / 4)
            if through:
                return made(allowance=left)
            return made("rate_limited", "", status=429, error="429: slow down", allowance=left)

        return later()

    case = Case(script, policy=Policy(concurrency=concurrency), throttle=throttle)
    case.times.now = more.get("at", case.times.now)
    tasks, replies = iter(range(calls)), []

    async def work() -> None:
        for task in tasks:
            replies.append(await case.caller.ask(request(str(task)), read))

    await case.times.run(asyncio.gather(*(work() for _ in range(concurrency))))
    return case, replies


@pytest.mark.parametrize("rule", ["window", "sliding", "bucket"])
@pytest.mark.parametrize(
    ("most", "seconds", "concurrency"), [(20, 60.0, 8), (20, 1.0, 8), (5, 60.0, 8), (60, 60.0, 32), (200, 60.0, 128)]
)
async def test_a_limit_that_a_server_does_not_tell_is_found_out(
    rule: str, most: int, seconds: float, concurrency: int
) -> None:
    """Everything is answered, with few refusals, in not much more than the time that the limit leaves."""
    case, replies = await run_at(Limited(rule, most, seconds), 260, concurrency)
    assert [reply.outcome for reply in replies] == ["ok"] * 260
    assert len(case.sent) <= 1.3 * 260
    assert case.times.now - 1000 <= 2 * 260 / most * seconds


@pytest.mark.parametrize("rule", ["window", "sliding", "bucket"])
@pytest.mark.parametrize("calls", [18, 36, 60, 120])
async def test_a_short_run_pays_few_refusals_too(rule: str, calls: int) -> None:
    case, replies = await run_at(Limited(rule, 20, 60.0), calls, 8)
    assert {reply.outcome for reply in replies} == {"ok"}
    assert len(case.sent) <= 1.3 * calls
    assert case.times.now - 1000 <= 60 + 1.5 * 60 * calls / 20


@pytest.mark.parametrize("rule", ["window", "sliding", "bucket"])
@pytest.mark.parametrize("tells", [True, False], ids=["told", "not told"])
async def test_a_limit_by_tokens_is_found_out_whatever_calls_take(rule: str, tells: bool) -> None:
    sizes = [(500, 6_000, 1_500, 1_500, 500)[i * i % 5] for i in range(260)]
    case, replies = await run_at(Limited(rule, 40_000, 60.0), 260, 8, sizes=sizes, tells=tells)
    assert {reply.outcome for reply in replies} == {"ok"}
    assert len(case.sent) <= (1.1 if tells else 1.3) * 260
    assert case.times.now - 1000 <= 2 * 60 * sum(sizes) / 40_000


async def test_what_a_run_found_out_holds_for_the_next_at_the_same_server() -> None:
    server, throttle = Limited("sliding", 20, 60.0), Throttle()
    before, _ = await run_at(server, 60, 8, throttle=throttle)
    refused = len(before.sent) - 60
    after, replies = await run_at(server, 60, 8, throttle=throttle, at=before.times.now + 300)
    anew, _ = await run_at(Limited("sliding", 20, 60.0), 60, 8)
    assert {reply.outcome for reply in replies} == {"ok"}
    assert len(anew.sent) - 60 == refused > len(after.sent) - 60
    slow = after.times.now - before.times.now - 300
    assert slow <= 2 * 60 * 60 / 20, "the five minutes between say nothing of its pace"


async def test_patience_begins_anew_with_each_run() -> None:
    throttle, refused = Throttle(), made("rate_limited", "", error="429: no more")
    for _ in range(2):
        case = Case(lambda task, number, now: refused, policy=Policy(concurrency=2), throttle=throttle)
        ended = await case.ask("a", "b", "c")
        assert [type(each) for each in ended] == [Fatal] * 3
        assert case.times.now - 1000 >= 150


async def test_a_server_that_takes_everything_is_asked_at_full_width_within_few_calls() -> None:
    case, _ = await run_at(Limited("bucket", 10**9, 1.0), 2_000, 128, takes=1.0)
    assert case.caller.slowed() is None
    at = [time for _, time in case.sent]
    assert max(map(at.count, set(at))) == 128
    assert at[-1] <= 2_000 / 128 + 7


async def test_what_was_halved_grows_back_and_the_pace_is_told() -> None:
    refuses = iter([False] * 100 + [True] * 8)
    slowed: list[float | None] = []

    def script(task: str, number: int, now: float) -> Awaitable[Attempt]:
        through = not next(refuses, False)

        async def later() -> Attempt:
            await case.times.sleep(1.0)
            slowed.append(case.caller.slowed())
            return made() if through else made("rate_limited", "", status=429)

        return later()

    case = Case(script, policy=Policy(concurrency=8))
    await case.ask(*map(str, range(600)))
    told = [each for each in slowed if each is not None]
    assert slowed[90] is None
    assert 0 < min(told) < 8 * 60
    assert slowed[-1] is None
    late = [time for _, time in case.sent[-80:]]
    assert 80 / (late[-1] - late[0] + 1) > 0.8 * 8


async def test_what_a_server_tells_of_its_limit_is_kept_without_a_refusal() -> None:
    """Twenty a minute, told with every answer, in the headers' terms."""
    server = Limited("window", 20, 60.0)
    refused = 0

    def script(task: str, number: int, now: float) -> Awaitable[Attempt]:
        nonlocal refused
        through = server.takes(now)
        refused += not through
        left = 20 - sum(each >= now // 60 * 60 for each, _ in server.taken)
        allowance = Allowance(left, 60 - now % 60)

        async def later() -> Attempt:
            await case.times.sleep(0.2)
            return made(allowance=allowance) if through else made("rate_limited", "", allowance=allowance)

        return later()

    case = Case(script, policy=Policy(concurrency=8))
    replies = await case.ask(*map(str, range(100)))
    assert {reply.outcome for reply in replies} == {"ok"}
    assert refused == 0
    assert case.sent[-1][1] <= 5 * 60


async def test_a_limit_by_the_day_is_left_to_refusals() -> None:
    case = Case(lambda task, number, now: made(allowance=Allowance(0, 80_000.0)), policy=Policy(concurrency=1))
    await case.ask("a", "b")
    assert case.sent == [("a", 0), ("b", 0)]


@pytest.mark.parametrize(("before", "within"), [(0, (150, 300)), (3, (3_900, 4_000))])
async def test_a_server_that_takes_nothing_any_more_ends_the_run(before: int, within: tuple[float, float]) -> None:
    def script(task: str, number: int, now: float) -> Attempt:
        return made() if int(task) < before else made("rate_limited", "", error="429: no more")

    case = Case(script, policy=Policy(concurrency=2))
    ended = await case.ask(*map(str, range(before + 5)))
    assert [type(each) for each in ended] == [Reply] * before + [Fatal] * 5
    assert "has taken no call for" in str(ended[-1])
    assert "(429: no more)" in str(ended[-1])
    assert within[0] <= case.times.now - 1000 <= within[1]
    assert len(case.sent) <= before + within[1] / 30


async def test_one_request_that_is_refused_whatever_the_load_is_given_up() -> None:
    def script(task: str, number: int, now: float) -> Attempt:
        return made("rate_limited", "", error="429: not this one") if task == "a" else made()

    case = Case(script, policy=Policy(concurrency=2))
    ended = await case.ask("a", *map(str, range(200)))
    assert type(ended[0]) is Unreachable
    assert "(429: not this one)" in str(ended[0])
    assert [type(each) for each in ended[1:]] == [Reply] * 200
    assert case.times.now - 1000 < 300


async def test_an_estimate_of_tokens_is_put_right_by_what_was_used() -> None:
    """Eight letters are two tokens; ten a second are let through."""
    said = [made(tokens=Tokens(input=30, output=20)), made(tokens=Tokens(input=1)), made()]
    case = Case(lambda task, number, now: said[int(task[0])], policy=Policy(concurrency=1, tokens_per_minute=600))
    await case.ask("0" * 8, "1" * 8, "2" * 8, "2" * 8 + "2222")
    assert [round(time, 6) for _, time in case.sent] == [0, 5.0, 5.1, 5.3]


# Statuses


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 404, 405])
async def test_a_wrong_address_ends_the_run(status: int) -> None:
    case = Case(lambda task, number, now: made("bad_request", "", status=status, error="no model unknown"))
    (ended,) = await case.ask("a")
    assert type(ended) is Fatal
    assert str(ended) == f"{SERVER} knows no such address or model (m-1); check both (no model unknown)"
    assert len(case.sent) == 1
    (after,) = await case.ask("b")
    assert (str(after), len(case.sent)) == (str(ended), 1)


@pytest.mark.parametrize("status", [300, 304, 306, 309, 403, 406, 413])
async def test_another_refusal_is_one_requests_own_until_the_fifth(status: int) -> None:
    case = Case(
        lambda task, number, now: made("bad_request", "", status=status, error="no"), policy=Policy(concurrency=1)
    )
    ended = await case.ask(*"abcdefg")
    assert [type(each) for each in ended] == [Reply] * 4 + [Fatal] * 3
    assert str(ended[-1]) == f"{SERVER} refuses everything that it is asked; check model and parameters (no)"


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (
            "quota",
            f"the account at {SERVER} has no credit left or is at its limit; top it up or raise the limit, then run the "
            "same command again (why)",
        ),
        ("auth", f"{SERVER} gives no access to m-1; check the key (why)"),
    ],
)
async def test_what_no_request_can_survive_says_how_to_mend_it(outcome: Outcome, message: str) -> None:
    case = Case(lambda task, number, now: made(outcome, "", status=429, error="why"), policy=Policy(concurrency=1))
    ended = await case.ask(*"abcd")
    assert [(type(each), str(each)) for each in ended] == [(Fatal, message)] * 4
    assert len(set(map(id, ended))) == 4, "each its own, or they would drag each other's traces along"
    assert len(case.sent) == 2


async def test_the_last_attempt_tells_if_the_address_is_wrong() -> None:
    case = Case(first(made("unparsable", "no"), made("bad_request", "", status=404, error="model not found")))
    (ended,) = await case.ask("a")
    assert type(ended) is Fatal


async def test_refusals_on_record_say_nothing_of_the_server_as_it_is_now() -> None:
    past = [made("bad_request", "", status=413)]
    case = Case(lambda task, number, now: made(), recorded=lambda wanted: past)
    assert [type(each) for each in await case.ask(*"abcdefg")] == [Reply] * 7
    assert case.sent == []


async def test_a_server_that_took_one_request_may_refuse_any_number() -> None:
    for answered in (made(), made("refused", ""), made("unparsable", "no")):
        script = lambda task, number, now, said=answered: said if task == "a" else made("bad_request", "", status=413)  # noqa: E731
        case = Case(script, policy=Policy(concurrency=1))
        await case.ask("a")
        assert all(isinstance(each, Reply) for each in await case.ask(*"bcdefgh"))


@pytest.mark.parametrize(
    ("attempt", "asked"),
    [
        (made("bad_request", "", status=404, error="model not found"), True),
        (made("bad_request", "", status=308), True),
        (made("bad_request", "", status=413), False),
        (made("server", "", status=503), True),
        (made("quota", "", status=429), True),
    ],
)
async def test_of_the_record_only_what_lasts_counts(attempt: Attempt, asked: bool) -> None:
    case = Case(lambda task, number, now: made(), recorded=lambda wanted: [attempt])
    (reply,) = await case.ask("a")
    assert (reply.recorded, bool(case.sent)) == (not asked, asked)


async def test_a_retry_leaves_out_what_was_recorded_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.time, "time", lambda: 50.0)
    for started, asked in ((49.0, True), (50.0, False)):
        past = [made("bad_request", "", status=413, started=started)]
        case = Case(lambda task, number, now: made(), recorded=lambda wanted, past=past: past, retry_failed=True)
        await case.ask("a")
        assert bool(case.sent) == asked


# One call for several


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (made("server", "", error="503"), Unreachable),
        (made("auth", "", error="401"), Fatal),
        (RuntimeError("broken"), RuntimeError),
    ],
)
async def test_equal_requests_that_share_a_call_share_its_error(said: Attempt | Exception, kind: type) -> None:
    case = Case(lambda task, number, now: said, policy=Policy(tries=1))
    ended = await case.ask("a", "a", "a")
    assert [type(each) for each in ended] == [kind] * 3
    assert len({str(each) for each in ended}) == 1
    assert len(case.sent) == 1


async def test_an_error_is_not_remembered_for_the_next_who_asks() -> None:
    case = Case(first(made("server", "")), policy=Policy(tries=1))
    assert [type(each) for each in await case.ask("a", "a")] == [Unreachable] * 2
    (reply,) = await case.ask("a")
    assert (reply.outcome, len(case.sent)) == ("ok", 2)


async def test_equal_requests_share_one_answer_and_others_have_their_own() -> None:
    case = Case(lambda task, number, now: made(answer=task))
    replies = await case.ask("a", "b", "a")
    assert [reply.value for reply in replies] == ["a", "b", "a"]
    assert case.sent == [("a", 0), ("b", 0)]


async def test_a_run_ends_for_its_first_reason() -> None:
    case = Case(lambda task, number, now: made("auth", "", error="401"))
    case.caller.stop()
    (ended,) = await case.ask("a")
    assert (type(ended), str(ended)) == (Stopped, "it was interrupted; the same command goes on from here")
    assert case.sent == []
    case = Case(lambda task, number, now: made("auth", "", error="401"))
    await case.ask("a")
    case.caller.stop()
    assert type((await case.ask("b"))[0]) is Fatal


async def test_whoever_waits_for_a_turn_learns_at_once_that_the_run_has_ended() -> None:
    coming: list[asyncio.Future[Attempt]] = []

    def script(task: str, number: int, now: float) -> Awaitable[Attempt]:
        coming.append(asyncio.get_running_loop().create_future())
        return coming[0]

    case = Case(script, policy=Policy(concurrency=1))
    asking = [asyncio.ensure_future(case.caller.ask(request(task), read)) for task in "ab"]
    while not coming:
        await asyncio.sleep(0)
    case.caller.stop()
    with pytest.raises(Stopped):
        await asking[1]
    assert not asking[0].done()
    coming[0].set_result(made())
    assert (await asking[0]).outcome == "ok"


async def test_openai_itself_is_asked_in_its_own_words_from_the_start() -> None:
    case = Case(lambda task, number, now: made())
    case.server = "https://api.openai.com/v1"
    await case.ask("a")
    assert case.forms == [Form(limit_name="max_completion_tokens")]


async def test_a_budget_is_asked_again_when_another_has_ended() -> None:
    coming: list[asyncio.Future[Attempt]] = []
    answers: list[bool] = []

    def script(task: str, number: int, now: float) -> Attempt | Awaitable[Attempt]:
        if task == "a":
            coming.append(asyncio.get_running_loop().create_future())
            return coming[0]
        return made()

    def allow(asked: Request) -> bool:
        answers.append(asked.task == "a" or coming[0].done())
        return answers[-1]

    case = Case(script, allow=allow)

    async def let_go() -> None:
        await case.times.sleep(3)
        coming[0].set_result(made())

    release = asyncio.ensure_future(let_go())
    await case.ask("a", "b")
    await release
    assert (case.sent, answers) == ([("a", 0), ("b", 3)], [True, False, True])


# Forms


REFUSED = made("bad_request", "", status=400, error="response_format is not supported")
OBJECT = Form("json_object")


def test_only_refusals_of_the_form_in_use_go_down_the_ladder() -> None:
    assert plan(request(), [REFUSED], Form()) == OBJECT
    assert plan(request(), [replace(REFUSED, form=OBJECT)], Form()) == Form()
    for outcome in ("unparsable", "wrong_shape", "refused", "blocked"):
        said = replace(REFUSED, outcome=outcome, answer="no")  # whatever the words, it is no refusal
        assert plan(request(), [said], Form()) == Form()
    assert plan(request(), [REFUSED, replace(REFUSED, form=OBJECT)], Form()) == Form("none")
    assert plan(request(), [replace(REFUSED, status=413, error="no")], Form()) is None


@pytest.mark.parametrize(
    ("outcomes", "again"),
    [
        (["unparsable"], True),
        (["unparsable", "wrong_shape"], False),
        (["refused"], True),
        (["refused", "blocked"], False),
        (["refused", "unparsable"], True),
        (["truncated", "truncated"], True),
        (["truncated", "truncated", "truncated"], False),
    ],
)
def test_how_often_an_answer_is_asked_for_again(outcomes: list[Outcome], again: bool) -> None:
    past = [made(outcome, "no", form=Form(max_tokens=1000 * 2**k)) for k, outcome in enumerate(outcomes)]
    asked = replace(request(), parameters=Parameters(max_tokens=1000))
    assert (plan(asked, past, Form()) is not None) == again


@pytest.mark.parametrize(
    ("wanted", "had", "ceiling", "room"),
    [
        (5000, 5000, None, 10_000),
        (4096, 4096, None, MORE_ROOM),
        (100, 100, None, MORE_ROOM),
        (5000, 5000, 7000, 7000),
        (5000, 5000, 5000, "final"),
        (5000, 5000, 5001, 5001),
        (5000, None, 4000, 4000),
        (5000, None, 256, 256),
        (5000, None, 255, "final"),
        (200, None, 255, 200),
        (5000, None, None, None),
    ],
)
def test_the_room_that_is_asked_for(wanted: int, had: int | None, ceiling: int | None, room: int | str | None) -> None:
    asked = replace(request(), parameters=Parameters(max_tokens=wanted))
    past = [] if had is None else [made("truncated", "no", request=asked, form=Form(max_tokens=had))]
    form = plan(asked, past, Form(), ceiling)
    if room == "final":
        assert form is None
    else:
        assert form == Form(max_tokens=None if room == wanted else room)  # type: ignore[arg-type]


def test_without_a_limit_the_room_follows_from_what_the_answer_took() -> None:
    asked = replace(request(), parameters=Parameters(max_tokens=None))
    cut = made("truncated", "no", request=asked, tokens=Tokens(output=30_000))
    assert plan(asked, [cut], Form()) == Form(max_tokens=60_000)
    assert plan(asked, [replace(cut, form=Form(dropped=frozenset({"max_tokens"})))], Form()) == Form(max_tokens=60_000)
    again = replace(cut, form=Form(max_tokens=60_000))
    assert plan(asked, [cut, again], Form()) == Form(max_tokens=120_000)
    assert plan(asked, [cut], Form(dropped=frozenset({"max_tokens"}))) is None


async def test_a_form_is_remembered_once_it_was_taken_in_place_of_another() -> None:
    case = Case(first(REFUSED))
    assert case.caller.form("m-1") == Form()
    await case.ask("a", "b")
    assert case.caller.form("m-1") == OBJECT
    assert case.caller.form("m-2") == Form()
    await case.ask("c")
    assert case.forms[-1] == OBJECT
    case = Case(first(made("unparsable", "no")))
    await case.ask("a")
    assert case.caller.forms == {}


@pytest.mark.parametrize(
    ("answers", "value", "outcome"),
    [
        ([made("truncated", "part", finish="length"), made("unparsable", "no"), made("unparsable", "no")], "part", "truncated"),
        ([made("refused", ""), made("bad_request", "", status=413)], None, "refused"),
        ([made("refused", "", error="1"), made("blocked", "", error="2")], None, "blocked"),
    ],
)  # fmt: skip
async def test_the_final_reply_is_the_last_that_has_most_to_say(
    answers: list[Attempt], value: str | None, outcome: Outcome
) -> None:
    case = Case(first(*answers))
    (reply,) = await case.ask("a")
    assert (reply.value, reply.outcome, reply.recorded) == (value, outcome, False)
    (again,) = await case.ask("a")
    assert (again.value, again.outcome, again.recorded) == (value, outcome, True)


@pytest.mark.parametrize(
    ("attempt", "outcome", "value"),
    [
        (made(answer="x"), "ok", "x"),
        (made(answer="x", finish="length"), "truncated", "x"),
        (made("truncated", "x"), "truncated", "x"),
        (made("truncated", "x", finish="stop"), "ok", "x"),
        (made(answer="whole", finish="length"), "ok", "whole"),
        (made("ok", "no", finish="LENGTH"), "truncated", None),
        (made("ok", " \n"), "unparsable", None),
        (made("refused", "x"), "refused", None),
        (made("server", "x"), "server", None),
    ],
)
def test_an_answer_is_read_for_what_it_is(attempt: Attempt, outcome: Outcome, value: str | None) -> None:
    reply = reread(attempt, read)
    assert (reply.outcome, reply.value, reply.recorded) == (outcome, value, False)
    assert reply.attempt.read_by == ("whole" if value else "")
    assert reread(attempt, read, recorded=True).recorded


# Rates


def test_tokens_are_estimated_by_script() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("abcdefgh") == 2
    assert estimated_tokens("天地玄黄") == 3
    assert estimated_tokens("天地abcd") == 2.5


@pytest.mark.parametrize(
    ("text", "counted", "cut"),
    [
        ("translation of text " * 800, 512, True),  # 16,000 characters
        ("translation of text " * 800, 1_999, True),
        ("translation of text " * 800, 2_000, False),
        ("天地玄黄宇宙洪荒" * 2_000, 4_096, True),
        ("天地玄黄宇宙洪荒" * 2_000, 5_333, True),
        ("天地玄黄宇宙洪荒" * 2_000, 5_334, False),
        ("天地玄黄宇宙洪荒" * 2_000, 16_000 // 3 + 1_000, False),
        ("ภาษาไทยที่เขียน" * 1_000, 15_000 // 6, False),  # wide, but not Chinese
        ("Съешь же ещё этих мягких " * 640, 16_000 // 6, False),
        (" " * 16_000, 300, False),
        ("字" * 16_000, 300, False),
        ("translation of text " * 800, 255, False),
        ("translation of text " * 800, 0, False),
        ("short", 300, False),
    ],
)
def test_too_few_tokens_for_a_text_show_that_it_was_cut(text: str, counted: int, cut: bool) -> None:
    assert cut_short(counted, text) == cut
    assert cut_short(counted, text[:5_000], text[5_000:]) == cut


@pytest.mark.parametrize(
    ("tokens", "outcome"),
    [
        (Tokens(input=512), "prompt_cut"),
        (Tokens(input=512, cached=512), "prompt_cut"),
        (Tokens(input=512, cached=1_600), "ok"),
        (Tokens(input=4_000), "ok"),
        (Tokens(output=5), "ok"),
    ],
)
async def test_an_answer_to_half_a_question_is_none(tokens: Tokens, outcome: Outcome) -> None:
    case = Case(lambda task, number, now: made(tokens=tokens))
    (reply,) = await case.ask("translation of text " * 800)
    assert (reply.outcome, reply.value is None) == (outcome, outcome != "ok")
    if outcome != "ok":
        assert (
            f"it read {(tokens.input or 0) + (tokens.cached or 0):,} tokens of 16,000 characters" in reply.attempt.error
        )
        assert "raise its context, e.g. num_ctx" in reply.attempt.error
    assert len(case.sent) == 1
    (again,) = await case.ask("translation of text " * 800)
    assert (again.outcome, again.recorded, len(case.sent)) == (outcome, True, 1)


def test_waits_double_up_to_a_minute() -> None:
    assert [backoff(failures, 1.0) for failures in (1, 2, 3, 6, 7, 99)] == [1, 2, 4, 32, 60, 60]
    assert backoff(3, 0.25) == 1


def test_a_rate_is_kept_evenly() -> None:
    pace = Pace(6)
    assert [pace.take(1, now) for now in (100, 100, 105, 200, 200)] == [0, 10, 15, 0, 10]
    pace.correct(2)
    assert pace.take(1, 200) == 40
    pace.correct(-1)
    assert pace.take(1, 200) == 40
    assert [Pace(None).take(9, now) for now in (0, 5)] == [0, 0]
    with pytest.raises(ValueError, match="above 0"):
        Pace(0)


async def test_slots_go_to_who_waits_longest_but_first_to_who_has_begun() -> None:
    slots, order = Slots(1), []

    async def take(name: str, begun: bool = False) -> None:
        await slots.take(begun)
        order.append(name)

    await slots.take()
    waiting = [asyncio.ensure_future(take(name, name == "begun")) for name in ("a", "b", "begun")]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.sleep(0)
    for _ in range(3):
        slots.give()
        await asyncio.sleep(0)
    assert order == ["begun", "b"]
    await slots.take()
    late = asyncio.ensure_future(take("late"))
    await asyncio.sleep(0)
    slots.cut(Stopped("over"))
    with pytest.raises(Stopped, match="over"):
        await late
    with pytest.raises(ValueError, match="at least one"):
        Slots(0)
