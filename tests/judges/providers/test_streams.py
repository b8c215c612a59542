"""Answers that come piece by piece, over real sockets: put together, cut off, refused, and asked for where need be."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from judges.providers.gemini import Gemini
from judges.providers.model import Attempt, Form, Provider, Request, Tokens
from judges.providers.openai import OpenAI
from judges.providers.request_forms import lower_form
from judges.providers.streams import events
from tests.support.scripted_server import Response, Route, ScriptedServer, chat, failure

PIECES = Form(stream=True)
STREAM = {"content-type": "text/event-stream; charset=utf-8"}
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 7}, "cost": 0.5}


def delta(content: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk of a chat completion; ``more`` goes into what is new."""
    said = {} if content is None else {"content": content}
    return {"model": "scripted-1", "choices": [{"index": 0, "delta": said | more, "finish_reason": finish}]}


def stream(chunks: Iterable[Any], end: str = "data: [DONE]\n\n", **how: Any) -> Response:
    """A stream of these; what is no text is sent as an event."""
    lines = (each if isinstance(each, str) else f"data: {json.dumps(each, ensure_ascii=False)}\n\n" for each in chunks)
    return Response(body="".join(lines) + end, headers=STREAM, **how)


GOOD = [
    ": processing\n\n",
    delta("", role="assistant"),
    delta('{"a": "河'),
    delta(None, reasoning_content='I think {"a": 7}'),
    delta(None, reasoning="or 8"),
    delta('水"}'),
    delta(None, "stop"),
    {"model": "scripted-1", "choices": [], "usage": USAGE},
]


def ask(*routes: Route, provider: type = OpenAI, timeout: float = 20.0, form: Form = PIECES) -> Attempt:
    async def one(url: str) -> Attempt:
        asked: Provider = provider("", f"{url}/v1" if provider is OpenAI else url)
        request = Request("x", asked.name, asked.server, "m", "be brief", "", "hi")
        try:
            return await asked.attempt(request, form, timeout)
        finally:
            await asked.close()

    with ScriptedServer(*routes) as server:
        return asyncio.run(one(server.url))


def said(response: Response, **how: Any) -> Attempt:
    return ask(("POST", r"/v1/chat/completions", lambda request: response), **how)


def test_a_stream_is_one_answer() -> None:
    attempt = said(stream(GOOD))
    assert (attempt.outcome, attempt.answer, attempt.finish) == ("ok", '{"a": "河水"}', "stop")
    assert (attempt.model, attempt.tokens, attempt.cost) == ("scripted-1", Tokens(100, 7, 20), 0.5)
    assert (attempt.error, attempt.status) == ("", 200)


@pytest.mark.parametrize("manner", ["drip"])
def test_it_may_come_byte_by_byte(manner: Any) -> None:
    attempt = said(stream([delta("河"), delta("水", "stop")], manner=manner, pause=0.0))
    assert (attempt.outcome, attempt.answer) == ("ok", "河水")


@pytest.mark.parametrize("end", ["\r\n\r\n", "\r\r", "\n\n"])
def test_lines_end_in_any_way(end: str) -> None:
    body = f"data:{json.dumps(delta('a'))}{end}event: message{end[: len(end) // 2]}data: {json.dumps(delta('b', 'stop'))}{end}"
    assert said(Response(body=body, headers=STREAM)).answer == "ab"


def test_an_event_of_several_lines_is_one() -> None:
    assert list(events('data: {"a":\ndata: 1}\n\nevent: x\ndata: y')) == [("", '{"a":\n1}'), ("x", "y")]
    assert list(events(": only a comment\n\nid: 3\n\n")) == []


@pytest.mark.parametrize(
    ("chunks", "outcome", "answer", "error"),
    [
        ([delta("half"), delta(None, "length")], "truncated", "half", ""),
        (
            [delta(None, refusal="I can"), delta(None, refusal="not"), delta(None, "stop")],
            "refused",
            "I cannot",
            "I cannot",
        ),
        ([delta("x"), delta(None, "content_filter")], "blocked", "x", "content_filter"),
        ([delta("x"), {"error": {"message": "upstream went away", "code": 502}}], "server", "", "upstream went away"),
        ([delta("x"), {"error": {"message": "slow down", "code": 429}}], "rate_limited", "", "slow down"),
        ([delta("x", "error")], "server", "x", "error"),
        ([delta("x"), "data: {no json\n\n", delta("y", "stop")], "malformed_body", "", "no JSON object: {no json"),
        ([], "malformed_body", "", "no JSON object"),
        ([delta(None, "stop", tool_calls=[{"id": "1"}])], "ok", "", "a call of a tool"),
    ],
)
def test_how_a_stream_ends(chunks: list[Any], outcome: str, answer: str, error: str) -> None:
    attempt = said(stream(chunks))
    assert (attempt.outcome, attempt.answer) == (outcome, answer)
    assert error in attempt.error


def test_only_thoughts_are_no_answer() -> None:
    attempt = said(stream([delta(None, reasoning_content='{"a": 1}'), delta(None, "stop")]))
    assert (attempt.outcome, attempt.answer) == ("ok", "")
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]
    assert said(stream([delta(parts), delta(None, "stop")])).answer == "yes"


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (stream([delta("half of it, and a bit more")], end=""), "without saying why the model stopped"),
        (
            stream([delta("half of it, and a bit more"), delta("x" * 400), delta("y" * 400)], manner="cut"),
            "peer closed",
        ),
    ],
)
def test_a_stream_that_breaks_off_is_no_answer_and_is_kept(response: Response, reason: str) -> None:
    attempt = said(response)
    assert attempt.outcome == "connection"
    assert "the stream broke off after" in attempt.error
    assert reason in attempt.error
    assert attempt.answer.startswith("half of it")


def test_an_answer_that_came_to_its_end_counts_without_the_mark_of_the_end() -> None:
    attempt = said(stream([delta("whole", "stop")], end=""))
    assert (attempt.outcome, attempt.answer, attempt.tokens) == ("ok", "whole", Tokens())
    assert said(stream([delta("whole")])).outcome == "ok"  # the mark, and no reason


def test_a_stream_that_stays_open_behind_its_end_is_not_waited_for() -> None:
    whole = stream([delta("whole", "stop")])
    endless = replace(
        whole, headers={**STREAM, "content-length": str(len(whole.payload) + 9)}, manner="drip", pause=0.0
    )
    attempt = said(endless, timeout=15)
    assert (attempt.outcome, attempt.answer) == ("ok", "whole")


def test_tokens_may_stand_elsewhere() -> None:
    within = delta("x", "stop")
    within["choices"][0]["usage"] = USAGE
    assert said(stream([within])).tokens.input == 100
    assert said(stream([delta("x", "stop") | {"x_groq": {"usage": USAGE}}])).tokens.output == 20


def test_a_server_that_does_not_stream_answers_all_the_same() -> None:
    attempt = said(Response(body=chat("at once")))
    assert (attempt.outcome, attempt.answer) == ("ok", "at once")
    assert said(failure(401, "no key")).outcome == "auth"


def test_what_is_sent_asks_for_a_stream_and_its_tokens() -> None:
    bodies: list[dict[str, Any]] = []

    def note(request: Any) -> Response:
        bodies.append(request.json)
        return stream(GOOD)

    for form in (Form(stream=True), Form(stream=True, dropped=frozenset({"stream_options"})), Form()):
        ask(("POST", r"/v1/chat/completions", note), form=form)
    assert [(body.get("stream"), body.get("stream_options")) for body in bodies] == [
        (True, {"include_usage": True}),
        (True, None),
        (None, None),
    ]


@pytest.mark.parametrize(
    ("error", "before", "after"),
    [
        ("This model only support stream mode, please enable the stream parameter", Form(), Form(stream=True)),
        ("stream must be set to true", Form(), Form(stream=True)),
        ("Non-streaming requests are not supported for this model", Form(), Form(stream=True)),
        (
            "Unrecognized request argument: stream_options",
            Form(stream=True),
            Form(stream=True, dropped=frozenset({"stream_options"})),
        ),
        ("streaming is not supported by this deployment", Form(stream=True), Form()),
        ("this model does not support streaming", Form(stream=True), Form()),
        ("messages are too many", Form(), None),
    ],
)
def test_what_a_refusal_says_of_streams_is_heeded(error: str, before: Form, after: Form | None) -> None:
    request = Request("x", "openai", "http://s", "m", "", "", "hi")
    assert lower_form(Attempt(request, before, "bad_request", 0, 0, 400, error=f"400: {error}")) == after


# --- Gemini ---


def piece(text: str, finish: str = "", thought: bool = False, **more: Any) -> dict[str, Any]:
    part: dict[str, Any] = {"text": text} | ({"thought": True} if thought else {})
    candidate: dict[str, Any] = {"content": {"parts": [part]}} | ({"finishReason": finish} if finish else {})
    return {"candidates": [candidate], "modelVersion": "scripted-g", **more}


def gemini(response: Response) -> Attempt:
    def handle(request: Any) -> Response:
        assert request.query == "alt=sse"
        return response

    return ask(("POST", r"/v1beta/models/m:streamGenerateContent", handle), provider=Gemini)


COUNTS = {"usageMetadata": {"promptTokenCount": 90, "candidatesTokenCount": 5, "thoughtsTokenCount": 4}}


def test_gemini_streams_are_one_answer() -> None:
    attempt = gemini(stream([piece("I think {1}", thought=True), piece("河"), piece("水", "STOP", **COUNTS)], end=""))
    assert (attempt.outcome, attempt.answer, attempt.finish) == ("ok", "河水", "STOP")
    assert (attempt.model, attempt.tokens) == ("scripted-g", Tokens(90, None, 9, 4))


@pytest.mark.parametrize(
    ("chunks", "outcome", "answer"),
    [
        ([piece("half", "MAX_TOKENS")], "truncated", "half"),
        ([piece("x"), piece("", "SAFETY")], "blocked", "x"),
        ([{"promptFeedback": {"blockReason": "SAFETY"}}], "blocked", ""),
        ([piece("x"), {"error": {"code": 503, "message": "down", "status": "UNAVAILABLE"}}], "server", ""),
        ([piece("half")], "connection", "half"),
        ([piece("x"), "data: {no\n\n", piece("y", "STOP")], "malformed_body", ""),
    ],
)
def test_how_a_gemini_stream_ends(chunks: list[Any], outcome: str, answer: str) -> None:
    attempt = gemini(stream(chunks, end=""))
    assert (attempt.outcome, attempt.answer) == (outcome, answer)


def test_a_gemini_stream_that_breaks_off_says_so() -> None:
    attempt = gemini(stream([piece("half of it"), piece("x" * 500), piece("y" * 500, "STOP")], end="", manner="cut"))
    assert (attempt.outcome, attempt.answer.startswith("half of it")) == ("connection", True)
    assert "the stream broke off after" in attempt.error
