"""One attempt at a server that speaks OpenAI's protocol: every way it can end, over a real socket."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.providers.errors import LONGEST, message_of, one_line, outcome_of, retry_after
from judges.providers.model import Allowance, Attempt, Form, Outcome, Parameters, Request, Tokens
from judges.providers.openai import OpenAI, body, told
from tests.support.scripted_server import (
    GARBAGE,
    HTML,
    Response,
    ScriptedServer,
    chat,
    failure,
    one_after_the_other,
    openai,
)

KEY = "tk-0123456789-secret"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def request(server: str = "", **more: Any) -> Request:
    return Request(
        "accuracy", "openai", server, "m-1", "You judge.", "<source>原文</source>", "List the errors.", **more
    )


@asynccontextmanager
async def serving(*said: Any) -> AsyncIterator[tuple[OpenAI, ScriptedServer]]:
    with ScriptedServer(openai(one_after_the_other(*said))) as server:
        provider = OpenAI(KEY, f"{server.url}/v1")
        try:
            yield provider, server
        finally:
            await provider.close()


async def attempt(said: Any, timeout: float = 20.0) -> Attempt:
    async with serving(said) as (provider, server):
        made = await provider.attempt(request(server.url), Form(), timeout)
        assert len(server.requests) == 1 or (made.outcome == "timeout" and not server.requests)
        return made


async def test_an_answer_comes_back_exactly_with_what_it_cost() -> None:
    usage = {
        "prompt_tokens": 3000,
        "completion_tokens": 800,
        "prompt_tokens_details": {"cached_tokens": 2048},
        "completion_tokens_details": {"reasoning_tokens": 300},
    }
    made = await attempt(chat(' {"items": []}\u202e\n', usage=usage, model="m-1-0613"))
    assert (made.outcome, made.status, made.answer) == ("ok", 200, ' {"items": []}\u202e\n')
    assert (made.model, made.finish, made.error) == ("m-1-0613", "stop", "")
    assert made.tokens == Tokens(3000, 2048, 800, 300)
    assert made.seconds > 0
    assert abs(made.started - time.time()) < 600


async def test_what_is_sent_is_the_request_and_nothing_of_the_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    async with serving("fine") as (provider, server):
        await provider.attempt(request(schema=SCHEMA), Form(), 20.0)
        assert provider.server == f"{server.url}/v1"
        [sent] = server.requests
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.json == {
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "You judge."},
            {"role": "user", "content": "<source>原文</source>\n\nList the errors."},
        ],
        "max_tokens": 16384,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}},
    }


def test_the_form_decides_how_it_is_put() -> None:
    asked = request(
        schema=SCHEMA, parameters=Parameters(max_tokens=100, temperature=0.0, seed=7, reasoning_effort="low")
    )
    sent = body(asked, Form("json_object", "max_completion_tokens", 200, frozenset({"seed"})))
    assert sent["response_format"] == {"type": "json_object"}
    assert {name: sent.get(name) for name in ("max_completion_tokens", "temperature", "reasoning_effort")} == {
        "max_completion_tokens": 200,
        "temperature": 0.0,
        "reasoning_effort": "low",
    }
    assert not {"seed", "max_tokens", "top_p"} & set(sent)
    assert "response_format" not in body(asked, Form("none"))
    assert "response_format" not in body(request(), Form())
    assert "max_tokens" not in body(asked, Form(max_tokens=5, dropped=frozenset({"max_tokens"})))


ANSWERS: list[tuple[Any, Outcome, str]] = [
    (chat(None, refusal="I cannot help with that."), "refused", "I cannot help with that."),
    (chat([{"type": "refusal", "refusal": "No."}]), "refused", "No."),
    (chat("half a", finish_reason="content_filter"), "blocked", "half a"),
    (chat(None, finish_reason="sensitive"), "blocked", ""),
    (chat('{"items": [', finish_reason="length"), "truncated", '{"items": ['),
    (chat(None, finish_reason="length"), "truncated", ""),
    (chat(None, finish_reason="error"), "server", ""),
    (chat([{"type": "text", "text": "one "}, {"type": "text", "text": "two"}, "!"]), "ok", "one two!"),
    (chat("fine", finish_reason=None), "ok", "fine"),
    (chat(None), "ok", ""),
    (Response(body=r'{"choices": [{"message": {"content": "a\ud83d b \ud83d\ude00"}}]}'), "ok", "a\ud83d b 😀"),
    ({"choices": [{"message": {"content": "bare"}}]}, "ok", "bare"),
    (chat([{"type": "reasoning", "text": '{"items": []}'}, {"type": "text", "text": "x"}]), "ok", "x"),
    (
        chat([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "x"}]),
        "ok",
        "x",
    ),
    (chat([{"type": "thinking", "text": "only thoughts"}]), "ok", ""),
    (Response(body="\ufeff" + json.dumps(chat("after a byte order mark"))), "ok", "after a byte order mark"),
    ({"choices": [{"message": {"content": "x", "reasoning_content": "long thoughts"}}], "usage": None}, "ok", "x"),
    ({"id": "x", "object": "chat.completion"}, "malformed_body", ""),
    ({"choices": None}, "malformed_body", ""),
    ({"choices": []}, "malformed_body", ""),
    ({"choices": [{"finish_reason": "stop"}]}, "malformed_body", ""),
    ({"choices": ["?"]}, "malformed_body", ""),
    (Response(body="[1, 2]"), "malformed_body", ""),
    (Response(body='{"choices": [{"mess'), "malformed_body", ""),
    (Response(body=b"\xff\xfe\x00"), "malformed_body", ""),
    (Response(body="[" * 100_000), "malformed_body", ""),
    (Response(body=b""), "malformed_body", ""),
    (HTML, "malformed_body", ""),
    ({"error": {"message": "Provider returned error", "code": 502}}, "server", ""),
    ({"error": {"message": "Rate limit exceeded", "code": 429}}, "rate_limited", ""),
    ({"error": {"message": "insufficient balance"}}, "quota", ""),
    ({"error": "overloaded"}, "server", ""),
    ({"choices": [{"error": {"code": 503, "message": "gone"}, "message": {"content": ""}}]}, "server", ""),
]


@pytest.mark.parametrize(("said", "outcome", "answer"), ANSWERS)
async def test_what_comes_with_status_200(said: Any, outcome: Outcome, answer: str) -> None:
    made = await attempt(said)
    assert (made.outcome, made.answer, made.status) == (outcome, answer, 200)
    assert bool(made.error) == (outcome not in ("ok", "truncated"))


REFUSALS: list[tuple[Response, Outcome, str]] = [
    (failure(400, "Unsupported value", param="temperature"), "bad_request", "temperature"),
    (failure(400, "Content Exists Risk"), "blocked", "Risk"),
    (failure(400, "filtered", code="content_filter"), "blocked", "content_filter"),
    (failure(400, "API key not valid. Please pass a valid API key."), "auth", "API key"),
    (failure(401, f"Incorrect API key provided: {KEY}."), "auth", "[key]"),
    (failure(402, "Insufficient Balance"), "quota", "Balance"),
    (failure(403, "Country not supported"), "auth", "Country"),
    (failure(403, "Your input was flagged", metadata={"reasons": ["violence"]}), "blocked", "flagged"),
    (failure(404, "The model `m-1` does not exist"), "bad_request", "does not exist"),
    (failure(408, "slow"), "timeout", "slow"),
    (failure(409, "conflict"), "server", "conflict"),
    (failure(413, "too long"), "bad_request", "too long"),
    (Response(422, {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs"}]}), "bad_request", "seed"),
    (failure(429, "You exceeded your current quota", code="insufficient_quota"), "quota", "quota"),
    (failure(429, "Rate limit reached; see https://x/account/billing"), "rate_limited", "reached"),
    *(
        (failure(status, message), "quota", message)
        for status in (400, 403, 429, 503)
        for message in (
            "spend limit of the organization reached",
            "Billing hard limit has been reached",
            "Your account is not active, please check your billing details",
            "Your credit balance is too low",
            "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0",
            "Your team has either used all available credits or reached its monthly spending limit",
            "Key limit exceeded (total limit)",
            "账户余额不足",
        )
    ),
    *(
        (failure(429, "no", code=code), "quota", code)
        for code in (
            "organization_spend_limit_exceeded",
            "billing_not_active",
            "project_spend_limit",
            "budget_exceeded",
        )
    ),
    (failure(400, "Thinking budget exceeds the limit"), "bad_request", "Thinking"),
    (failure(400, "The thinking_budget exceeds 1024"), "bad_request", "thinking"),
    (failure(429, "usage limit per minute: slow down"), "rate_limited", "slow"),
    (failure(429, "You exceeded your current quota. Please retry in 12.5s."), "rate_limited", "retry"),
    (failure(500, "oops"), "server", "oops"),
    (failure(500, "failed to parse grammar"), "bad_request", "grammar"),
    (
        failure(429, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000."),
        "bad_request",
        "too large",
    ),
    (failure(400, "Failed to generate JSON.", code="json_validate_failed"), "unparsable", "generate JSON"),
    (failure(500, "The model produced output that does not match the expected format"), "unparsable", "not match"),
    (failure(500, "Input should be 'text' or 'json_object'"), "bad_request", "json_object"),
    (failure(503, "Model is overloaded, please try again"), "server", "overloaded"),
    (failure(529, "Overloaded", type="overloaded_error"), "server", "529"),
    (failure(501, "not implemented"), "bad_request", "not implemented"),
    (Response(502, "<html><h1>Bad gateway</h1></html>"), "server", "Bad gateway"),
    (Response(503, b""), "server", "503"),
    (failure(504, "upstream"), "timeout", "upstream"),
    (Response(307, b"", {"location": "https://elsewhere/v1"}), "bad_request", "elsewhere"),
    (Response(400, {"object": "error", "message": "vLLM says no"}), "bad_request", "vLLM says no"),
    (Response(400, {"error": "ollama says no"}), "bad_request", "ollama says no"),
    (Response(400, {"error": {"message": "Provider", "metadata": {"raw": "no top_p"}}}), "bad_request", "no top_p"),
]


@pytest.mark.parametrize(("said", "outcome", "words"), REFUSALS)
async def test_other_statuses(said: Response, outcome: Outcome, words: str) -> None:
    made = await attempt(said)
    assert (made.outcome, made.status) == (outcome, said.status)
    assert words in made.error
    assert KEY not in made.error


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ({"retry-after": "7"}, "", 7.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1.5),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "-3"}, "", 0.0),
        ({"retry-after": "inf"}, "", None),
        ({}, "Please try again in 1.2s.", 1.2),
        ({}, "try again in 6ms", 0.006),
        ({}, "Please retry in 7m12s", 432.0),
        ({}, "try again in 2m", 120.0),
        ({}, "Please try again in 1h2m3.5s.", 3723.5),
        ({"retry-after": "30s"}, "", 30.0),
        ({"retry-after": "9" * 5000}, "", None),
        ({"retry-after-ms": "9" * 400}, "", None),
        ({}, f"try again in {'9' * 5000}s", None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m2.5s"}, "", 62.5),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "1m2.5s"}, "", None),
        (
            {
                "x-ratelimit-remaining-requests": "7",
                "x-ratelimit-reset-requests": "60ms",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "6s",
            },
            "",
            6.0,
        ),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "12"}, "Please try again in 2s.", 2.0),
        ({}, "", None),
    ],
)
async def test_how_long_a_server_asks_to_wait(headers: dict[str, str], message: str, seconds: float | None) -> None:
    made = await attempt(failure(429, f"Slow down. {message}", headers))
    assert made.retry_after == (pytest.approx(seconds) if seconds is not None else None)


SOON = datetime(2030, 1, 1, tzinfo=UTC)
RENEWED = {
    f"anthropic-ratelimit-{kind}": {
        f"anthropic-ratelimit-{kind}-reset": (SOON + timedelta(seconds=60)).isoformat(),
        "date": formatdate(SOON.timestamp(), usegmt=True),
    }
    for kind in ("input-tokens", "output-tokens")
}
"""Headers of a limit that is renewed in a minute, by the server's own clock."""


def test_a_date_says_how_long_to_wait() -> None:
    wait = retry_after({"retry-after": formatdate(time.time() + 3600, usegmt=True)})
    assert wait is not None
    assert 3000 < wait <= 3600
    assert retry_after({"retry-after": formatdate(time.time() - 3600, usegmt=True)}) == 0.0
    for moment in (f"{time.time() + 3600:.0f}", f"{1000 * (time.time() + 3600):.0f}"):
        assert retry_after({"x-ratelimit-remaining": "0", "x-ratelimit-reset": moment}) == pytest.approx(3600, abs=60)
    later = datetime.fromtimestamp(time.time() + 3600, UTC).isoformat()
    headers = {"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": later}
    assert retry_after(headers) == pytest.approx(3600, abs=60)


@pytest.mark.parametrize("ahead", [-7200.0, 0.0, 7200.0])
def test_a_date_is_by_the_servers_own_clock(ahead: float) -> None:
    now = int(time.time() + ahead)
    date = {"date": formatdate(now, usegmt=True)}
    assert retry_after({"retry-after": formatdate(now + 40, usegmt=True), **date}) == 40
    assert retry_after({"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{1000 * (now + 25)}", **date}) == 25


async def test_limits_that_a_gateway_repeats_within_the_error_are_read() -> None:
    until = {"X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "12"}
    error = {"message": "Rate limit exceeded: free-models-per-min", "code": 429, "metadata": {"headers": until}}
    for status in (200, 429):
        made = await attempt(Response(status, {"error": error}))
        assert (made.outcome, made.retry_after) == ("rate_limited", 12.0)
    hostile = {**error, "metadata": {"headers": {"X-RateLimit-Remaining": ["0"], "X-RateLimit-Reset": None}}}
    assert (await attempt(Response(429, {"error": hostile}))).retry_after is None


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, None),
        ({"x-ratelimit-remaining-requests": "19"}, None),
        ({"x-ratelimit-remaining-requests": "many", "x-ratelimit-reset-requests": "3s"}, None),
        ({"x-ratelimit-remaining-requests": "19", "x-ratelimit-reset-requests": "3s"}, Allowance(19, 3)),
        ({"x-ratelimit-remaining-tokens": "480", "x-ratelimit-reset-tokens": "250ms"}, Allowance(4, 0.25)),
        (
            {
                "x-ratelimit-remaining-requests": "9",
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-tokens": "1200",
                "x-ratelimit-reset-tokens": "8",
            },
            Allowance(9, 1),
        ),
        ({"x-ratelimit-remaining": "-1", "x-ratelimit-reset": "60"}, Allowance(0, 60)),
        (
            {"anthropic-ratelimit-input-tokens-remaining": "300", **RENEWED["anthropic-ratelimit-input-tokens"]},
            Allowance(3, 60),
        ),
        (
            {"anthropic-ratelimit-output-tokens-remaining": "300", **RENEWED["anthropic-ratelimit-output-tokens"]},
            Allowance(15, 60),
        ),
        (
            {"x-ratelimit-remaining-requests-minute": "8", "x-ratelimit-reset-requests-minute": "20.5"},
            Allowance(8, 20.5),
        ),
        ({"x-ratelimitbysize-remaining": "4", "x-ratelimitbysize-reset": "9"}, Allowance(4, 9)),
        (
            {
                "x-ratelimit-remaining-requests-day": "2",
                "x-ratelimit-reset-requests-day": "33000",
                "x-ratelimit-remaining-tokens-minute": "600",
                "x-ratelimit-reset-tokens-minute": "30",
            },
            Allowance(5, 30),
        ),
        ({"RateLimit": '"burst";r=7;t=12, "daily";r=3;t=86000'}, Allowance(7, 12)),
        ({"RateLimit": "limit=100, remaining=3, reset=5"}, Allowance(3, 5)),
        ({"RateLimit": "r=" + "9" * 400}, None),
    ],
)
async def test_what_is_left_of_a_limit_is_read_from_an_answer(headers: dict[str, str], told: Allowance | None) -> None:
    """A scripted answer takes 120 tokens, of which so many more are left."""
    assert (await attempt(Response(body=chat("fine"), headers=headers))).allowance == told


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (Response(manner="close"), "connection"),
        (Response(body=chat("fine"), manner="cut"), "connection"),
        (GARBAGE, "connection"),
        (Response(200, b"no gzip", {"content-encoding": "gzip"}), "malformed_body"),
        (Response(manner="hang"), "timeout"),
        (Response(body=chat("fine"), manner="drip", pause=0.05), "timeout"),
        (Response(body=chat("fine"), delay=30.0), "timeout"),
        (Response(body=chat("fine"), manner="drip", pause=0.0), "ok"),
    ],
)
async def test_bad_manners(said: Response, outcome: Outcome) -> None:
    made = await attempt(said, timeout=0.5 if outcome == "timeout" else 20.0)
    assert made.outcome == outcome
    assert bool(made.error) == (outcome != "ok")


async def test_a_dead_connection_does_not_spoil_the_next_attempt() -> None:
    async with serving(Response(manner="close"), Response(manner="hang"), "fine") as (provider, _):
        made = [await provider.attempt(request(), Form(), timeout) for timeout in (20.0, 3.0, 20.0)]
    assert [each.outcome for each in made] == ["connection", "timeout", "ok"]


async def test_nobody_is_listening() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        provider = OpenAI(KEY, f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        made = await provider.attempt(request(), Form(), 20.0)
        await provider.close()
    assert (made.outcome, made.status) == ("connection", None)
    assert made.error


@pytest.mark.parametrize(
    "said",
    [
        failure(400, f"bad header: Authorization: Bearer {KEY}"),
        Response(500, f"<pre>{'x' * (LONGEST - 10)} {KEY}</pre>"),
        Response(200, f"debug: {KEY}"),
        {"error": {"message": f"{KEY} is no key"}},
        {"choices": None, "message": f"your key {KEY}"},
        chat(f"the key is {KEY}", model=KEY, finish_reason=KEY),
        chat(None, refusal=f"I refuse {KEY}"),
        Response(302, b"", {"location": f"https://elsewhere/?key={KEY}"}),
    ],
)
async def test_an_echoed_key_is_nowhere(said: Any) -> None:
    made = await attempt(said)
    assert KEY[:12] not in repr(made)


async def test_an_echoed_password_is_nowhere_however_it_is_spelt() -> None:
    spelt = ("hunt%2Fer%4022", "hunt/er@22", b64encode(b"mei:hunt/er@22").decode(), "zq-k/e+y==", "zq-k%2Fe%2By%3D%3D")
    with ScriptedServer(openai(one_after_the_other(*(chat(f"sent: {each}") for each in spelt)))) as server:
        address = server.url.replace("//", f"//mei:{spelt[0]}@")
        provider = OpenAI("zq-k/e+y==", f"{address}/v1")
        made = [await provider.attempt(request(), Form(), 20.0) for _ in spelt]
        await provider.close()
        assert server.requests[0].headers["authorization"] == f"Basic {spelt[2]}"
    assert [each.answer for each in made] == ["sent: [key]"] * len(spelt)


def test_a_password_in_the_address_is_no_part_of_the_server() -> None:
    assert OpenAI("", "https://mei:hunter22@host:8443/v1/").server == "https://host:8443/v1"
    assert OpenAI("k").server == "https://api.openai.com/v1"


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "“quoted”"])
def test_no_such_key(key: str) -> None:
    with pytest.raises(ValueError, match="key") as caught:
        OpenAI(key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        *("api.example.com/v1", "ftp://host/v1", "http:///v1", "https://host/v1?key=x", "https://host/v1#x"),
        *("http://[::1/v1", "http://host:99999/v1", "ftp://mei:hunter22@host/v1", "mei:hunter22@host/v1"),
        "https://mei:hunter22/x@host/v1",
    ],
)
def test_no_such_address(address: str) -> None:
    with pytest.raises(ValueError, match="address") as caught:
        OpenAI("k", address)
    assert "hunter22" not in str(caught.value)


async def test_as_many_connections_as_calls_at_once_are_kept() -> None:
    script = openai(lambda sent, number: Response(body=chat("fine"), when=lambda: server.peak == 150))
    with ScriptedServer(script) as server:
        provider = OpenAI(KEY, f"{server.url}/v1")
        for _ in range(2):
            made = await asyncio.gather(*(provider.attempt(request(), Form(), 100.0) for _ in range(150)))
            assert {each.outcome for each in made} == {"ok"}
        await provider.close()
        assert 150 <= server.connections < 2 * 150  # one that is idle for long, on a busy machine, is given up


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["choices", "message", "content", "error", "code", "finish_reason", "usage", "prompt_tokens",
                         "completion_tokens_details", "detail", "param", "metadata", "raw", "refusal", "model"]),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(json_values, st.sampled_from([200, 301, 400, 404, 429, 500]))
def test_no_body_can_break_the_reading(data: Any, status: int) -> None:
    asked = Attempt(request(), Form(), "connection", 0.0, 0.0)
    made = told(asked, status, json.dumps(data))
    assert made.outcome != "connection"
    assert len(made.error) <= LONGEST
    assert made.error.isprintable()


@given(st.text(max_size=2000))
def test_a_message_is_one_short_line(text: str) -> None:
    line = one_line(text, KEY)
    assert len(line) <= LONGEST
    assert "\n" not in line
    assert line.isprintable()


@given(st.integers(300, 599), st.text(max_size=80))
def test_every_status_has_an_outcome(status: int, message: str) -> None:
    assert outcome_of(status, message) not in ("ok", "truncated", "unparsable", "wrong_shape")


def test_messages_of_all_shapes() -> None:
    assert message_of({"errors": [{"message": "a"}, {"message": "b"}]}) == "a; b"
    assert message_of({"detail": "plain"}) == "plain"
    assert message_of(7) == ""
