"""Gemini over real sockets: what is sent, and each way an exchange can end."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.providers.gemini import Gemini, body, told
from judges.providers.model import Attempt, Form, Parameters, Request, Tokens
from judges.providers.request_forms import lower_form
from tests.support.nightly import by_day
from tests.support.scripted_gemini import Said, blocked, gemini, generated, google_error, reason, retry_in, violated
from tests.support.scripted_server import GARBAGE, HTML, Response, ScriptedServer

KEY = "AIzaSyScriptedKey-0123456789abcdefghijk"
SCHEMA = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "string"}, "maxItems": 3}},
    "required": ["items"],
    "additionalProperties": False,
}


def question(**changes: Any) -> Request:
    return replace(
        Request("accuracy", "gemini", "http://x", "scripted", "You judge.", "<text>原文\0‮</text>", "Judge it.", SCHEMA),
        **changes,
    )


async def ask(
    server: ScriptedServer, request: Request | None = None, form: Form | None = None, timeout: float = 5.0
) -> Attempt:
    provider = Gemini(KEY, server.url)
    try:
        return await provider.attempt(request or question(), form or Form(), timeout)
    finally:
        await provider.close()


async def came(said: Said, timeout: float = 5.0) -> Attempt:
    """Ask a server that says this; whatever comes, nothing of the key is in it, and the error is a line."""
    with ScriptedServer(gemini(lambda body, number: said)) as server:
        attempt = await ask(server, timeout=timeout)
    assert len(server.requests) == 1, "an attempt is one exchange"
    assert KEY not in repr(attempt)
    assert len(attempt.error) <= 300
    assert "\n" not in attempt.error
    return attempt


async def test_a_good_answer_is_read_whole() -> None:
    usage = {
        "promptTokenCount": 900,
        "cachedContentTokenCount": 512,
        "candidatesTokenCount": 40,
        "thoughtsTokenCount": 60,
        "totalTokenCount": 1000,
    }
    attempt = await came(generated('{"items": ["错译"]}', usage=usage, model="scripted-002", thoughts="Let me see {"))
    assert (attempt.outcome, attempt.status, attempt.answer) == ("ok", 200, '{"items": ["错译"]}')
    assert (attempt.model, attempt.finish, attempt.error) == ("scripted-002", "STOP", "")
    assert attempt.tokens == Tokens(input=900, cached=512, output=100, thinking=60)
    assert attempt.seconds > 0
    assert attempt.started > 1_700_000_000


async def test_what_is_sent() -> None:
    parameters = Parameters(max_tokens=9_000, temperature=0.5, top_p=0.9, seed=7, reasoning_effort="low")
    with ScriptedServer(gemini(lambda body, number: "{}")) as server:
        await ask(server, question(parameters=parameters))
        await ask(server, question(parameters=parameters), Form("json_object", max_tokens=18_000))
        await ask(server, question(parameters=Parameters(max_tokens=None)), Form("none"))
        await ask(server, question(schema=None, system=""))
        await ask(
            server, question(parameters=parameters), Form("none", dropped=frozenset({"seed", "reasoning_effort"}))
        )
    first = server.requests[0]
    assert first.path == "/v1beta/models/scripted:generateContent"
    assert first.headers["x-goog-api-key"] == KEY
    assert KEY not in first.query
    sent = [request.json for request in server.requests]
    assert sent[0]["systemInstruction"] == {"parts": [{"text": "You judge."}]}
    assert sent[0]["contents"] == [{"role": "user", "parts": [{"text": "<text>原文\0‮</text>\n\nJudge it."}]}]
    assert sent[0]["generationConfig"] == {
        "maxOutputTokens": 9_000,
        "temperature": 0.5,
        "topP": 0.9,
        "seed": 7,
        "thinkingConfig": {"thinkingLevel": "LOW"},
        "responseMimeType": "application/json",
        "responseJsonSchema": SCHEMA,
    }
    assert {setting["threshold"] for setting in sent[0]["safetySettings"]} == {"BLOCK_NONE"}
    assert sent[1]["generationConfig"]["maxOutputTokens"] == 18_000
    assert sent[1]["generationConfig"]["responseMimeType"] == "application/json"
    assert "responseJsonSchema" not in sent[1]["generationConfig"]
    assert sent[2]["generationConfig"] == {}
    assert "responseMimeType" not in sent[3]["generationConfig"]
    assert "systemInstruction" not in sent[3]
    assert set(sent[4]["generationConfig"]) == {"maxOutputTokens", "temperature", "topP"}


def test_thinking_can_be_a_number_of_tokens() -> None:
    sent = body(question(parameters=Parameters(reasoning_effort="0")), Form())
    assert sent["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}


async def test_a_name_cannot_lead_elsewhere() -> None:
    with ScriptedServer(("POST", r".*", lambda request: Response(body=generated("{}")))) as server:
        await ask(server, question(model="../../files?key=1#x"))
        await ask(server, question(model="tunedModels/mine"))
    assert [request.path for request in server.requests] == [
        "/v1beta/models/..%2F..%2Ffiles%3Fkey%3D1%23x:generateContent",
        "/v1beta/tunedModels/mine:generateContent",
    ]


@by_day(5)
@pytest.mark.parametrize(
    ("said", "outcome", "answer"),
    [
        (blocked("PROHIBITED_CONTENT"), "blocked", ""),
        (generated(None, "SAFETY"), "blocked", ""),
        (generated("The first half", "RECITATION"), "blocked", "The first half"),
        (generated(None, "OTHER"), "blocked", ""),
        (generated('{"items": ["a', "MAX_TOKENS"), "truncated", '{"items": ["a'),
        (generated(None, "MAX_TOKENS", thoughts="thinking and thinking"), "truncated", ""),
        (generated(None, "STOP"), "ok", ""),
        (generated(None, "MALFORMED_FUNCTION_CALL"), "ok", ""),
        (generated("whole", None), "ok", "whole"),
        (generated(None, "PUP_LIMITED_DISABLED"), "auth", ""),
        (generated("half a pair \ud83d!"), "ok", "half a pair \ud83d!"),
    ],
)
async def test_an_answer_that_is_none(said: dict[str, Any], outcome: str, answer: str) -> None:
    # As JSON's escapes: half a pair cannot be sent otherwise.
    attempt = await came(Response(body=json.dumps(said).encode(), headers={"content-type": "application/json"}))
    assert (attempt.outcome, attempt.answer) == (outcome, answer)
    assert attempt.tokens.input == 100
    if outcome == "blocked":
        assert attempt.finish in attempt.error


PER_DAY = violated("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "20")
PER_MINUTE = violated("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "5")
PLAN = "You exceeded your current quota, please check your plan and billing details."


@by_day(12)
@pytest.mark.parametrize(
    ("said", "outcome", "wait"),
    [
        (
            google_error(400, "INVALID_ARGUMENT", f"API key not valid: {KEY}", reason("API_KEY_INVALID")),
            "auth",
            None,
        ),
        (google_error(401, "UNAUTHENTICATED", "who are you?"), "auth", None),
        (google_error(403, "PERMISSION_DENIED", "not you"), "auth", None),
        (google_error(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), "auth", None),
        (google_error(400, "INVALID_ARGUMENT", "Thinking level is not supported for this model."), "bad_request", None),
        (google_error(404, "NOT_FOUND", "models/none is not found for API version v1beta"), "bad_request", None),
        (google_error(429, "RESOURCE_EXHAUSTED", PLAN, PER_MINUTE, retry_in("27s")), "rate_limited", 27.0),
        (google_error(429, "RESOURCE_EXHAUSTED", f"{PLAN}\nPlease retry in 36.43s."), "rate_limited", 36.43),
        (google_error(429, "RESOURCE_EXHAUSTED", PLAN, headers={"Retry-After": "12"}), "rate_limited", 12.0),
        (google_error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted."), "rate_limited", None),
        (google_error(429, "RESOURCE_EXHAUSTED", PLAN, PER_DAY, retry_in("36s")), "quota", None),
        (google_error(429, "RESOURCE_EXHAUSTED", f"{PLAN} metric: x, limit: 0, model: y"), "quota", None),
        (google_error(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."), "quota", None),
        (google_error(402, "FAILED", "Pay."), "quota", None),
        (google_error(429, "RESOURCE_EXHAUSTED", "Your project has reached its spend limit."), "quota", None),
        (google_error(403, "PERMISSION_DENIED", "The billing account is past due."), "quota", None),
        (google_error(500, "INTERNAL", "An internal error has occurred."), "server", None),
        (google_error(503, "UNAVAILABLE", "The model is overloaded.", headers={"retry-after": "3"}), "server", 3.0),
        (google_error(504, "DEADLINE_EXCEEDED", "late"), "timeout", None),
        (Response(502, "<html>Bad Gateway</html>"), "server", None),
        (Response(200, google_error(503, "UNAVAILABLE", "overloaded").body), "server", None),
        (Response(200, google_error(8, "", "Quota exceeded").body), "rate_limited", None),
        (Response(429, [google_error(429, "RESOURCE_EXHAUSTED", "slow", retry_in("2.5s")).body]), "rate_limited", 2.5),
        (Response(302, "", {"location": "/login"}), "bad_request", None),
        (Response(204, ""), "malformed_body", None),
        (Response(200, {"error": {"message": "busy"}}), "server", None),
        (HTML, "malformed_body", None),
        (Response(200, '{"candidates": [{"content'), "malformed_body", None),
        (Response(200, ""), "malformed_body", None),
        (Response(200, {}), "malformed_body", None),
        (Response(200, {"error": "odd"}), "malformed_body", None),
        (Response(200, b"\xff\xfe\x00", {"content-type": "application/json"}), "malformed_body", None),
        (Response(200, b"no gzip", {"content-encoding": "gzip"}), "malformed_body", None),
        (Response(manner="close"), "connection", None),
        (Response(body=generated("{}"), manner="cut"), "connection", None),
        (GARBAGE, "connection", None),
    ],
)
async def test_a_failure_is_classed(said: Response, outcome: str, wait: float | None) -> None:
    attempt = await came(said)
    assert (attempt.outcome, attempt.retry_after, attempt.answer) == (outcome, wait, "")
    assert attempt.error
    assert attempt.status == (None if outcome == "connection" or said.headers.get("content-encoding") else said.status)


@pytest.mark.parametrize(
    ("message", "form"),
    [
        ("Thinking level is not supported for this model.", Form(dropped=frozenset({"reasoning_effort"}))),
        ("Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field.", Form("json_object")),
        ("The specified schema produces a constraint that has too many states.", Form("json_object")),
        ("Unknown name \"seed\" at 'generation_config': Cannot find field.", Form(dropped=frozenset({"seed"}))),
    ],
)
async def test_a_refusal_is_understood(message: str, form: Form) -> None:
    request = question(parameters=Parameters(seed=3, reasoning_effort="low"))
    with ScriptedServer(gemini(lambda body, number: google_error(400, "INVALID_ARGUMENT", message))) as server:
        assert lower_form(await ask(server, request)) == form


@pytest.mark.parametrize(
    "said", [Response(manner="hang"), Response(body=generated("{}"), manner="drip", pause=0.05)], ids=["hang", "drip"]
)
async def test_a_server_that_never_ends_is_left_in_time(said: Response) -> None:
    attempt = await came(said, timeout=1.0)
    assert attempt.outcome == "timeout"


async def test_nobody_is_there() -> None:
    with ScriptedServer() as server:
        pass
    assert (await ask(server)).outcome == "connection"


def test_a_key_or_an_address_that_is_none() -> None:
    for key, address in (("schlüssel", None), ("two\nlines", None), (KEY, "ftp://x"), (KEY, f"no address {KEY}")):
        with pytest.raises(ValueError, match=r"key|address") as error:
            Gemini(key, address)
        assert key not in str(error.value)


async def test_many_at_once_over_kept_connections() -> None:
    script = gemini(lambda body, number: Response(body=generated("{}"), when=lambda: server.peak == 120))
    with ScriptedServer(script) as server:
        provider = Gemini(KEY, server.url)
        for _ in range(2):
            attempts = await asyncio.gather(*(provider.attempt(question(), Form(), 100.0) for _ in range(120)))
            assert {attempt.outcome for attempt in attempts} == {"ok"}
        await provider.close()
    assert server.peak == 120
    assert 120 <= server.connections < 2 * 120  # one that is idle for long, on a busy machine, is given up


async def test_the_environment_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_API_KEY", "another")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v9")
    assert (await came("{}")).outcome == "ok"


def test_the_address_shows_no_credentials() -> None:
    assert Gemini(KEY, "https://me:secret@example.org:8/v1/").server == "https://example.org:8/v1"
    assert Gemini(KEY).server == "https://generativelanguage.googleapis.com"


ASKED = Attempt(question(), Form(), "connection", 0.0, 0.0)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "candidates",
                    "content",
                    "parts",
                    "text",
                    "thought",
                    "finishReason",
                    "error",
                    "code",
                    "message",
                    "details",
                    "violations",
                    "quotaId",
                    "retryDelay",
                    "usageMetadata",
                    "promptTokenCount",
                    "promptFeedback",
                    "blockReason",
                    "modelVersion",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=24,
)


@given(body=JSON, status=st.sampled_from([200, 400, 404, 429, 500]))
def test_no_body_is_too_odd_to_be_read(body: Any, status: int) -> None:
    attempt = told(ASKED, status, json.dumps(body))
    assert attempt.outcome != "ok" or status == 200
    assert (attempt.outcome == "ok") or attempt.error or attempt.outcome == "truncated"


@given(text=st.text(max_size=60), status=st.sampled_from([200, 302, 400, 503]))
def test_no_text_is_too_odd_to_be_read(text: str, status: int) -> None:
    assert told(ASKED, status, text).outcome != "ok"
