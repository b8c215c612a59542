"""The policy around attempts: what is asked again, in what form, how many at once, and when it ends."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.providers.client import REFUSED_ALL, Client, Policy, plan
from judges.providers.model import (
    Attempt,
    Fatal,
    Form,
    NotRecorded,
    Outcome,
    Parameters,
    Reading,
    Reply,
    Request,
    Stopped,
    Tokens,
    Unreachable,
)
from judges.providers.openai import OpenAI
from judges.providers.rate_limit import LONGEST_WAIT, Clock, Pace, Slots, Throttle, backoff
from judges.providers.replay import Collector, Replay
from judges.providers.request_forms import first_form, lower_form, token_limit
from tests.support.scripted_server import HTML, Response, ScriptedServer, chat, failure, one_after_the_other, openai

SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
GOOD = '{"items": []}'
USAGE = {"prompt_tokens": 10, "completion_tokens": 5}


def request(task: str = "List the errors.", server: str = "http://127.0.0.1/v1", **more: Any) -> Request:
    return Request("accuracy", "openai", server, "m-1", "You judge.", "<source>原文</source>", task, SCHEMA, **more)


def read(text: str, cut: bool) -> Reading[Any]:
    """A reader for tests: JSON or nothing; a cut answer has a part if it has any item."""
    try:
        value = json.loads(text)
    except ValueError:
        return Reading([1] if cut and "1" in text else None, "truncated" if cut else "unparsable")
    return Reading(value, "ok", "json") if isinstance(value, dict) else Reading(None, "wrong_shape", "json")


class FakeTime:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.slept: list[float] = []

    def clock(self, chance: float = 0.5) -> Clock:
        return Clock(lambda: self.time, self.sleep, lambda: chance)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


class Case:
    """A caller at a scripted server, and everything that was recorded."""

    def __init__(self, server: ScriptedServer, caller: Client, kept: list[Attempt], fake: FakeTime) -> None:
        self.server, self.caller, self.kept, self.fake = server, caller, kept, fake

    async def ask(self, task: str = "List the errors.", **more: Any) -> Any:
        return await self.caller.ask(request(task, **more), read)

    @property
    def outcomes(self) -> list[Outcome]:
        return [attempt.outcome for attempt in self.kept]

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [each.json for each in self.server.requests]


@asynccontextmanager
async def case(
    *said: Any,
    script: Callable[[dict[str, Any], int], Any] | None = None,
    kept: Sequence[Attempt] = (),
    **options: Any,
) -> AsyncIterator[Case]:
    journal, fake = list(kept), FakeTime()

    async def record(attempt: Attempt) -> None:
        await asyncio.sleep(0)
        journal.append(attempt)

    with ScriptedServer(openai(script or one_after_the_other(*said))) as server:
        provider = OpenAI("tk-0123456789", f"{server.url}/v1")
        options = {"clock": fake.clock(), "record": record} | options
        find = lambda wanted: [attempt for attempt in journal if attempt.request.id == wanted.id]  # noqa: E731
        caller = Client(provider, recorded=find, **options)
        try:
            yield Case(server, caller, journal, fake)
        finally:
            await provider.close()


def made(outcome: Outcome, answer: str = "", form: Form | None = None, **more: Any) -> Attempt:
    return Attempt(request(), form or Form(), outcome, 1.0, 0.1, answer=answer, **more)


async def test_an_answer_is_on_record_before_it_is_acted_on_and_asked_once_for_all_time() -> None:
    async with case(GOOD) as c:
        reply = await c.ask()
        assert (reply.outcome, reply.value, reply.recorded) == ("ok", {"items": []}, False)
        assert c.kept == [reply.attempt]
        assert reply.attempt.read_by == "json"
        again = await c.ask()
        assert (again.value, again.recorded) == ({"items": []}, True)
        assert len(c.server.requests) == 1


async def test_equal_requests_at_once_are_asked_once() -> None:
    async with case(Response(body=chat(GOOD), delay=0.05)) as c:
        replies = await asyncio.gather(*(c.ask() for _ in range(20)))
        assert len(c.server.requests) == 1
        assert all(reply.value == {"items": []} for reply in replies)


async def test_who_waits_for_a_cancelled_one_asks_oneself() -> None:
    cancelled = threading.Event()
    async with case(Response(body=chat(GOOD), when=cancelled.is_set)) as c:
        first, second = asyncio.ensure_future(c.ask()), asyncio.ensure_future(c.ask())
        while not c.server.requests:
            await asyncio.sleep(0.01)
        first.cancel()
        cancelled.set()
        assert (await second).outcome == "ok"
        assert len(c.server.requests) == 2


@pytest.mark.parametrize(
    ("said", "outcomes"),
    [
        ((HTML, GOOD), ["malformed_body", "ok"]),
        ((failure(500, "oops"), failure(503, "busy"), GOOD), ["server", "server", "ok"]),
        ((failure(429, "slow"), GOOD), ["rate_limited", "ok"]),
        ((Response(manner="close"), GOOD), ["connection", "ok"]),
        (("no json", GOOD), ["unparsable", "ok"]),
        (("[1]", GOOD), ["wrong_shape", "ok"]),
        (("no json", "[1]"), ["unparsable", "wrong_shape"]),
        ((chat(None), ""), ["unparsable", "unparsable"]),
        ((chat(None, refusal="No."), GOOD), ["refused", "ok"]),
        ((chat(None, refusal="No."), chat(None, finish_reason="content_filter")), ["refused", "blocked"]),
        ((chat("{", finish_reason="length"), "no json", GOOD), ["truncated", "unparsable", "ok"]),
        ((chat("{", finish_reason="length"),), ["truncated"] * 3),
        ((chat(GOOD, finish_reason="length"),), ["ok"]),
        ((failure(413, "too long"),), ["bad_request"]),
    ],
)
async def test_what_is_asked_again(said: tuple[Any, ...], outcomes: list[Outcome]) -> None:
    async with case(*said) as c:
        reply = await c.ask()
        assert c.outcomes == outcomes
        assert (reply.outcome, reply.recorded) == (outcomes[-1], False)
        again = await c.ask()
        assert (again.outcome, again.value, again.recorded) == (reply.outcome, reply.value, True)
        assert len(c.server.requests) == len(outcomes)


async def test_a_truncated_answer_gets_more_room_and_keeps_what_was_complete() -> None:
    async with case(chat("[1, ", finish_reason="length"), chat("", finish_reason="length")) as c:
        reply = await c.ask(parameters=Parameters(max_tokens=5000))
        assert [sent["max_tokens"] for sent in c.sent] == [5000, 10_000, 20_000]
        assert (reply.outcome, reply.value) == ("truncated", [1])
        await c.ask("Another.", parameters=Parameters(max_tokens=100))
        assert [sent["max_tokens"] for sent in c.sent[3:]] == [100, 8192, 16_384]


async def test_without_a_limit_the_room_follows_from_what_the_answer_took() -> None:
    cut = chat("{", finish_reason="length", usage={"completion_tokens": 30_000})
    async with case(cut, GOOD) as c:
        await c.ask(parameters=Parameters(max_tokens=None))
        assert [sent.get("max_tokens") for sent in c.sent] == [None, 60_000]


async def test_a_server_that_flaps_is_given_time() -> None:
    async with case(*[failure(503, "busy")] * 5, GOOD) as c:
        assert (await c.ask()).outcome == "ok"
        assert c.fake.slept == [0.5, 1.0, 2.0, 4.0, 8.0]


async def test_a_server_that_never_comes_back_leaves_the_request_undone() -> None:
    async with case(failure(503, "busy"), policy=Policy(tries=4)) as c:
        with pytest.raises(Unreachable, match="4 times in vain: 503: busy"):
            await c.ask()
        assert c.outcomes == ["server"] * 4
        with pytest.raises(Unreachable):  # nothing of it is final
            await c.ask()
        assert len(c.server.requests) == 8


async def test_the_wait_a_server_asks_for_is_kept_by_all() -> None:
    async with case(failure(429, "slow", {"retry-after": "30"}), GOOD, policy=Policy(concurrency=1)) as c:
        await asyncio.gather(c.ask("a"), c.ask("b"))
        assert c.fake.slept[0] == 30.0
        assert c.fake.time >= 1030.0
        assert len(c.server.requests) == 3


async def test_a_wait_beyond_the_deadline_ends_the_run() -> None:
    async with case(failure(429, "tomorrow", {"retry-after": "80000"})) as c:
        with pytest.raises(Fatal, match="80000 seconds"):
            await c.ask()
        with pytest.raises(Fatal):
            await c.ask("b")
        assert len(c.server.requests) == 1


async def test_the_deadline_holds_for_all_tries_together() -> None:
    policy = Policy(tries=1000, deadline=20.0)
    async with case(failure(503, "busy", {"retry-after": "6"}), policy=policy) as c:
        with pytest.raises(Unreachable):
            await c.ask()
        assert len(c.server.requests) == 4
        assert sum(c.fake.slept) == 18.0


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (failure(401, "Incorrect API key provided: tk-0123456789"), "check the key"),
        (failure(429, "none left", code="insufficient_quota"), "top it up"),
        (failure(404, "The model `m-1` does not exist"), "m-1"),
        (Response(307, b"", {"location": "https://elsewhere/"}), "elsewhere"),
    ],
)
async def test_what_no_request_can_survive_ends_the_run(said: Response, words: str) -> None:
    async with case(said, policy=Policy(concurrency=1)) as c:
        ended = await asyncio.gather(*(c.ask(str(n)) for n in range(5)), return_exceptions=True)
        assert all(isinstance(each, Fatal) and words in str(each) for each in ended)
        assert "0123456789" not in f"{ended}{c.kept}"
        assert len(c.server.requests) <= 2  # the second is on its way while the first is being recorded


async def test_a_server_that_refuses_everything_is_left_alone() -> None:
    async with case(failure(400, "no effort for you"), policy=Policy(concurrency=1)) as c:
        ended = await asyncio.gather(*(c.ask(str(n)) for n in range(20)), return_exceptions=True)
        assert sum(isinstance(each, Reply) for each in ended) == REFUSED_ALL - 1
        assert all("no effort" in str(each) for each in ended if isinstance(each, Fatal))
    script = lambda sent, number: Response(body=chat(GOOD)) if number == 1 else failure(400, "too long")  # noqa: E731
    async with case(script=script, policy=Policy(concurrency=1)) as c:
        ended = await asyncio.gather(*(c.ask(str(n)) for n in range(20)), return_exceptions=True)
        assert all(isinstance(each, Reply) for each in ended)


async def test_the_order_is_kept_and_never_too_many_at_once() -> None:
    script = lambda sent, number: Response(body=chat(GOOD), when=lambda: c.server.peak >= 5)  # noqa: E731
    async with case(script=script, policy=Policy(concurrency=5)) as c:
        seen = []
        wait = asyncio.gather(*(c.ask(str(n)) for n in range(40)))
        while not wait.done():
            seen.append(c.caller.in_flight)
            await asyncio.sleep(0.001)
        assert c.server.peak == 5
        assert max(seen) <= 5
        tasks = [int(sent["messages"][1]["content"].split()[-1]) for sent in c.sent]
        assert all(abs(task - place) < 5 for place, task in enumerate(tasks))


async def test_requests_and_tokens_a_minute() -> None:
    async with case(GOOD, policy=Policy(concurrency=1, requests_per_minute=6)) as c:
        for n in range(4):
            await c.ask(str(n))
        assert c.fake.slept == [10.0, 10.0, 10.0]
    usage = {"prompt_tokens": 900, "completion_tokens": 100}
    async with case(chat(GOOD, usage=usage), policy=Policy(concurrency=1, tokens_per_minute=1000)) as c:
        for n in range(4):
            await c.ask(str(n))
        assert c.fake.slept == pytest.approx([60.0, 60.0, 60.0])


async def test_stopping_lets_what_is_in_flight_finish_and_nothing_else_start() -> None:
    stopped = threading.Event()
    script = lambda sent, number: Response(body=chat(GOOD), when=stopped.is_set)  # noqa: E731
    async with case(script=script, policy=Policy(concurrency=2)) as c:
        asking = [asyncio.ensure_future(c.ask(str(n))) for n in range(6)]
        while c.server.in_flight < 2:
            await asyncio.sleep(0.01)
        c.caller.stop()
        stopped.set()
        ended = await asyncio.gather(*asking, return_exceptions=True)
        assert [type(each).__name__ for each in ended] == ["Reply"] * 2 + ["Stopped"] * 4
        assert c.outcomes == ["ok", "ok"]
        assert (await c.ask("0")).recorded  # what is on record stays answered
        with pytest.raises(Stopped):
            await c.ask("new")


async def test_holding_begins_nothing_until_it_is_let_go_and_a_stop_ends_it_all_the_same() -> None:
    answers = threading.Event()
    script = lambda sent, number: Response(body=chat(GOOD), when=answers.is_set)  # noqa: E731
    async with case(script=script, policy=Policy(concurrency=2)) as c:
        asking = [asyncio.ensure_future(c.ask(str(n))) for n in range(5)]
        while c.server.in_flight < 2:
            await asyncio.sleep(0.01)
        c.caller.hold(True)
        answers.set()
        await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        while len(c.kept) < 2:
            await asyncio.sleep(0.01)
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(c.server.requests) == 2
        c.caller.hold(False)
        assert [type(each).__name__ for each in await asyncio.gather(*asking)] == ["Reply"] * 5
        c.caller.hold(True)
        late = asyncio.ensure_future(c.ask("late"))
        await asyncio.sleep(0)
        c.caller.stop()
        with pytest.raises(Stopped):
            await late
        assert len(c.server.requests) == 5


def test_a_time_in_which_nobody_asked_says_nothing_of_a_server() -> None:
    throttle = Throttle(8)
    throttle.sent(100.0)
    throttle.refused(100.0, 101.0, pause=1.0)
    assert throttle.refusing(111.0) == 10.0
    throttle.pass_over(7.0)
    assert throttle.refusing(111.0) == 3.0
    assert throttle.slowed(111.0) is None
    fresh = Throttle(8)
    fresh.pass_over(7.0)
    assert fresh.refusing(111.0) == 0.0


async def test_stopping_cuts_a_wait() -> None:
    async with case(failure(503, "busy", {"retry-after": "800"}), clock=Clock()) as c:
        asking = asyncio.ensure_future(c.ask())
        while not c.kept:
            await asyncio.sleep(0.01)
        c.caller.stop()
        with pytest.raises(Stopped):
            await asking


async def test_a_budget_may_stop_a_request_before_it_is_sent() -> None:
    def allow(request: Request) -> bool:
        if request.task != "a":
            raise Stopped("the budget is used up")
        return True

    async with case(GOOD, allow=allow) as c:
        await c.ask("a")
        with pytest.raises(Stopped, match="budget"):
            await c.ask("b")
        assert len(c.server.requests) == 1


async def test_a_budget_may_let_a_request_wait_until_another_has_ended() -> None:
    kept: list[Attempt] = []

    async def record(attempt: Attempt) -> None:
        kept.append(attempt)

    begun = 0

    def allow(request: Request) -> bool:
        nonlocal begun
        begun += (free := begun == len(kept))
        return free

    async with case(GOOD, allow=allow, record=record) as c:
        await asyncio.gather(*(c.ask(str(n)) for n in range(6)))
        assert len(c.server.requests) == len(kept) == 6
        assert c.server.peak == 1


async def test_a_failing_record_is_not_swallowed() -> None:
    async def full(attempt: Attempt) -> None:
        raise OSError("disk full")

    async with case(GOOD, record=full) as c:
        with pytest.raises(OSError, match="disk full"):
            await c.ask()


async def test_a_cancelled_request_still_records_what_has_arrived() -> None:
    kept, begun, go = [], asyncio.Event(), asyncio.Event()

    async def slow(attempt: Attempt) -> None:
        begun.set()
        await go.wait()
        kept.append(attempt)

    async with case(GOOD, record=slow) as c:
        asking = asyncio.ensure_future(c.ask())
        await begun.wait()
        asking.cancel()
        await asyncio.sleep(0)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert [attempt.outcome for attempt in kept] == ["ok"]


async def test_a_reader_that_breaks_loses_no_answer() -> None:
    def broken(text: str, cut: bool) -> Reading[Any]:
        raise RuntimeError("a reader's fault")

    async with case(GOOD) as c:
        with pytest.raises(RuntimeError):
            await c.caller.ask(request(), broken)
        assert (await c.ask()).recorded


def picky(**refuses: Response) -> Callable[[dict[str, Any], int], Any]:
    """A server that refuses bodies with certain fields, or a certain response format, in this order."""

    def script(sent: dict[str, Any], number: int) -> Any:
        sent = sent | {(sent.get("response_format") or {}).get("type", "none"): True}
        return next((said for name, said in refuses.items() if name in sent), GOOD)

    return script


@pytest.mark.parametrize(
    ("refuses", "form"),
    [
        ({"json_schema": failure(400, "This response_format type is unavailable now")}, Form("json_object")),
        (
            {
                "json_schema": failure(422, "unknown variant `json_schema`"),
                "json_object": failure(400, "'messages' must contain the word 'json' to use 'response_format'"),
            },
            Form("none"),
        ),
        ({"json_schema": failure(500, "Failed to initialize samplers: failed to parse grammar")}, Form("json_object")),
        ({"json_schema": failure(400, "Invalid request.")}, Form("json_object")),
        (dict.fromkeys(("json_schema", "json_object"), Response(400, "Bad Request")), Form("none")),
        ({"json_schema": failure(404, "No endpoints found that can handle the requested parameters.")}, Form("json_object")),
        (
            {
                "max_tokens": failure(
                    400,
                    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                    param="max_tokens",
                ),
                "temperature": failure(400, "Unsupported value: 'temperature' does not support 0.0 with this model."),
                "seed": Response(422, {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}),
            },
            Form(limit_name="max_completion_tokens", dropped=frozenset({"temperature", "seed"})),
        ),
        (
            {
                "max_tokens": failure(400, "Unknown field: max_tokens"),
                "max_completion_tokens": failure(400, "Unknown field: max_completion_tokens"),
            },
            Form(dropped=frozenset({"max_tokens"})),
        ),
        ({"max_tokens": failure(400, "max_tokens is too large")}, Form(dropped=frozenset({"max_tokens"}))),
        ({"reasoning_effort": failure(400, "Unrecognized request argument supplied: reasoning_effort")},
         Form(dropped=frozenset({"reasoning_effort"}))),
        ({"top_p": failure(400, "`temperature` and `top_p` cannot both be specified", param="top_p")},
         Form(dropped=frozenset({"top_p"}))),
    ],
)  # fmt: skip
async def test_a_form_is_found_and_remembered(refuses: dict[str, Response], form: Form) -> None:
    parameters = Parameters(max_tokens=1000, temperature=0.0, top_p=0.9, seed=1, reasoning_effort="low")
    async with case(script=picky(**refuses)) as c:
        assert (await c.ask(parameters=parameters)).outcome == "ok"
        assert c.outcomes == ["bad_request"] * len(refuses) + ["ok"]
        assert c.caller.form("m-1") == form
        for n in range(3):
            await c.ask(str(n), parameters=parameters)
        assert c.outcomes.count("bad_request") == len(refuses)
    async with case(script=picky(**refuses), forms={"m-1": form}) as c:
        await c.ask(parameters=parameters)
        assert c.outcomes == ["ok"]


async def test_the_most_room_that_a_model_allows_is_remembered() -> None:
    def script(sent: dict[str, Any], number: int) -> Any:
        if sent["max_tokens"] > 8192:
            return failure(400, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]")
        return GOOD if "fits" in sent["messages"][1]["content"] else chat("[1, ", finish_reason="length")

    async with case(script=script) as c:
        assert (await c.ask("fits")).outcome == "ok"
        assert (await c.ask("fits too")).outcome == "ok"
        assert [sent["max_tokens"] for sent in c.sent] == [16_384, 8192, 8192]
        reply = await c.ask("long")
        assert (reply.outcome, reply.value) == ("truncated", [1])
        assert len(c.server.requests) == 4  # there is no more room to give


async def test_a_context_that_is_almost_full_narrows_this_request_only() -> None:
    def script(sent: dict[str, Any], number: int) -> Any:
        if "long" in sent["messages"][1]["content"] and sent["max_tokens"] > 4000:
            words = "This model's maximum context length is 16384 tokens. However, you requested 28768 tokens"
            return failure(400, f"{words} (12384 in the messages, {sent['max_tokens']} in the completion).")
        return GOOD

    async with case(script=script) as c:
        await c.ask("long")
        await c.ask("short")
        assert [sent["max_tokens"] for sent in c.sent] == [16_384, 3984, 16_384]


async def test_a_document_that_does_not_fit_is_final_at_once() -> None:
    words = "This model's maximum context length is 8192 tokens. However, your messages resulted in 20,000 tokens."
    async with case(failure(400, words)) as c:
        assert (await c.ask()).outcome == "bad_request"
        assert (await c.ask()).recorded
        assert len(c.server.requests) == 1


async def test_a_server_that_takes_nothing_is_left_alone() -> None:
    async with case(script=lambda sent, number: failure(400, "max_tokens response_format seed: no")) as c:
        assert (await c.ask(parameters=Parameters(seed=1))).outcome == "bad_request"
        assert len(c.server.requests) <= 10


@pytest.mark.parametrize(
    ("kept", "requests"),
    [
        ([made("unparsable", "no json"), made("unparsable", "no json")], 0),
        ([made("unparsable", "no json")], 1),
        ([made("refused"), made("blocked")], 0),
        ([made("rate_limited"), made("server"), made("timeout")], 1),
        ([made("auth", status=401), made("quota", status=429)], 1),
        ([made("bad_request", status=404, error="404: model not found")], 1),
        ([made("bad_request", status=400, error="400: response_format")], 1),
        ([made("bad_request", status=413, error="413: too long")], 0),
        ([made("truncated", "{", finish="length")] * 3, 0),
    ],
)
async def test_a_resumed_run_goes_on_where_the_record_ends(kept: list[Attempt], requests: int) -> None:
    async with case(GOOD, kept=kept) as c:
        reply = await c.ask()
        assert len(c.server.requests) == requests
        assert reply.recorded == (requests == 0)
    async with case("no json", kept=kept, retry_failed=True) as c:
        await c.ask()
        assert len(c.server.requests) == 2  # this run's own failures do count
        assert (await c.ask()).recorded


async def test_a_better_reader_mends_a_recorded_answer() -> None:
    async with case("never asked", kept=[made("unparsable", GOOD), made("unparsable", "no")]) as c:
        reply = await c.ask()
        assert (reply.outcome, reply.recorded) == ("ok", True)
        assert not c.server.requests


async def test_a_replay_asks_nobody_and_a_collector_notes_what_is_missing() -> None:
    async def never(attempt: Attempt) -> None:
        raise AssertionError("nothing was attempted")

    kept = {request("a").id: [replace(made("ok", GOOD), request=request("a"))]}
    collector = Collector("openai", "http://127.0.0.1/v1")
    for provider in (Replay("openai", "http://127.0.0.1/v1"), collector):
        caller = Client(provider, record=never, recorded=lambda wanted: kept.get(wanted.id, []))
        assert (await caller.ask(request("a"), read)).recorded
        for task in ("b", "b", "c"):
            with pytest.raises(NotRecorded, match="accuracy"):
                await caller.ask(request(task), read)
    assert list(collector.missing.values()) == [(request("b"), Form()), (request("c"), Form())]


@pytest.mark.parametrize(
    "past",
    [
        [made("bad_request", form=Form("json_object"), status=400, error="400: input exceeds the context length")],
        [made("truncated", '{"items": [', replace(Form(), max_tokens=4096), finish="length")],
    ],
    ids=["refused in the form known then", "cut off at the ceiling known then"],
)
async def test_what_was_final_is_final_in_a_replay_that_knows_nothing_of_the_server(past: list[Attempt]) -> None:
    async def never(attempt: Attempt) -> None:
        raise AssertionError("there was nothing to record")

    caller = Client(Replay("openai", "http://127.0.0.1/v1"), record=never, recorded=lambda wanted: past)
    reply = await caller.ask(request(), read)
    assert (reply.recorded, reply.outcome) == (True, past[-1].outcome)


@pytest.mark.parametrize(
    ("error", "most"),
    [
        ("max_tokens is too large: 6000. This model supports at most 4096 completion tokens, you provided 16384.", (4096, True)),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", (8192, True)),
        ("max_tokens: 16384 > 8,192, which is the maximum allowed number of output tokens for m", (8192, True)),
        ("`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens`", (8192, True)),
        ("has a maxOutputTokens value of 16384 but the supported range is from 1 (inclusive) to 8193 (exclusive)", (8192, True)),
        ("'max_tokens' is too large: 16384. This model's maximum context length is 8192 tokens and your request has 1000 input tokens", (7176, False)),
        ("This endpoint's maximum context length is 10000 tokens. However, you requested about 17384 tokens (1000 of text input, 16384 in the output)", (8984, False)),
        ("Request too large for m on tokens per minute (TPM): Limit 12000, Requested 20,384, reduce it", (7984, False)),
        ("Request too large for m on tokens per minute (TPM): Limit 12000, Requested 9000", None),
        ("max_tokens is too large", None),
        ("Unsupported parameter: 'max_tokens'", None),
        ("temperature must be at most 2", None),
    ],
)  # fmt: skip
def test_the_room_that_a_refusal_names(error: str, most: tuple[int, bool] | None) -> None:
    assert token_limit(made("bad_request", error=f"400: {error}")) == most


def test_an_unknown_model_is_not_tried_in_another_form() -> None:
    assert lower_form(made("bad_request", status=404, error="404: The model `x` does not exist")) is None
    assert lower_form(made("bad_request", status=404, error="HTTP 404: models/x is not found for API v1beta")) is None


def test_the_first_form_knows_openai_itself() -> None:
    assert first_form("openai", "https://api.openai.com/v1").limit_name == "max_completion_tokens"
    assert first_form("openai", "https://eu.api.openai.com/v1").limit_name == "max_completion_tokens"
    assert first_form("openai", "https://api.openai.com.example.org/v1").limit_name == "max_tokens"
    assert first_form("gemini", "https://x") == Form()


histories = st.lists(
    st.builds(
        made,
        st.sampled_from(["truncated", "unparsable", "wrong_shape", "refused", "blocked", "bad_request"]),
        error=st.sampled_from(
            ["", "400: seed", "400: response_format", "400: max_tokens", "400: max_tokens at most 512"]
        ),
        tokens=st.builds(Tokens, output=st.none() | st.integers(0, 40_000)),
    ),
    max_size=12,
)


@given(histories, st.sampled_from([None, 100, 20_000]), st.none() | st.integers(1, 50_000))
def test_asking_always_ends_and_never_with_less_room(
    past: list[Attempt], limit: int | None, ceiling: int | None
) -> None:
    asked = request(parameters=Parameters(max_tokens=limit, seed=1))
    past = [replace(attempt, request=asked) for attempt in past]
    for _ in range(30):
        form = plan(asked, past, Form(), ceiling)
        if form is None:
            break
        cut = [attempt.form.max_tokens or limit or 0 for attempt in past if attempt.outcome == "truncated"]
        if cut and form.max_tokens is not None:
            assert form.max_tokens > max(cut)
        past.append(replace(past[-1] if past else made("truncated"), request=asked, form=form))
    else:
        pytest.fail("it would be asked for ever")


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_waits_grow_and_stay_within_bounds(failures: int, chance: float) -> None:
    assert 0 <= backoff(failures, chance) <= min(LONGEST_WAIT, 2.0 ** min(failures - 1, 10))
    assert backoff(failures, 0.5) <= backoff(failures + 1, 0.5)


@given(st.floats(0.5, 1000), st.lists(st.tuples(st.floats(0, 30), st.floats(0.1, 5)), min_size=2, max_size=40))
def test_no_window_holds_more_than_the_rate(rate: float, takes: list[tuple[float, float]]) -> None:
    pace, now, went = Pace(rate), 0.0, []
    for idle, amount in takes:
        now += idle
        wait = pace.take(amount, now)
        assert wait >= 0
        went.append((now + wait, amount))
    assert went == sorted(went, key=lambda each: each[0])
    for first in range(len(went)):
        for last in range(first + 1, len(went)):
            between = sum(amount for _, amount in went[first:last])
            assert (went[last][0] - went[first][0]) * rate / 60 >= between - 1e-6


@given(st.integers(1, 4), st.lists(st.booleans(), min_size=1, max_size=20), st.data())
def test_slots_are_never_lost_nor_given_twice(count: int, cancelled: list[bool], data: st.DataObject) -> None:
    async def scene() -> None:
        slots, held, most, served = Slots(count), 0, 0, []

        async def worker(number: int) -> None:
            nonlocal held, most
            await slots.take()
            try:
                held += 1
                most = max(most, held)
                served.append(number)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            finally:
                held -= 1
                slots.give()

        tasks = [asyncio.ensure_future(worker(number)) for number in range(len(cancelled))]
        for task, cancel in zip(tasks, cancelled, strict=True):
            for _ in range(data.draw(st.integers(0, 2))):
                await asyncio.sleep(0)
            if cancel:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert most <= count
        assert held == 0
        assert served == sorted(served)
        assert {n for n, cancel in enumerate(cancelled) if not cancel} <= set(served)
        for _ in range(count):  # all are there again
            await asyncio.wait_for(slots.take(), 5)

    asyncio.run(scene())
