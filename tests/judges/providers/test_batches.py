"""The batch APIs over real sockets: handing in, finding again, and every way a batch can end."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from judges.providers.batch import Asked, Batches, BatchState, UnknownBatch, portions
from judges.providers.gemini_batch import GeminiBatches
from judges.providers.model import Fatal, Form, NotAnswered, Parameters, Request, Unreachable
from judges.providers.openai_batch import OpenAIBatches
from judges.providers.wire import Wire
from tests.support.scripted_batches import Lines, Scripted, gemini_batches, openai_batches
from tests.support.scripted_gemini import generated, google_error
from tests.support.scripted_server import HTML, Response, Route, ScriptedServer, chat, failure

KEY = "sk-scripted-0123456789-abcdefghijk"
DOING = r"sending the batch's file|starting the batch"
FORM = Form("json_object", max_tokens=500)


def asked(count: int = 3, model: str = "scripted-1") -> list[Asked]:
    base = Request(
        "accuracy", "x", "http://x", model, "You judge.", "原文‮\u2028", "?", {"type": "object"}, Parameters()
    )
    return [(replace(base, task=f"Judge {number}."), FORM) for number in range(count)]


@dataclass
class Kind:
    """One batch API: its class, its routes, the words it has for what all of them have."""

    make: Callable[[str, str], Batches]
    routes: Callable[[Scripted], list[Route]]
    good: Callable[[dict[str, Any], str], dict[str, Any]]
    bad: Callable[[dict[str, Any]], dict[str, Any]]
    running: list[str]
    done: str
    gone: Response
    files: str
    start: str
    name: str


def good_line(line: dict[str, Any], text: str) -> dict[str, Any]:
    response = {"status_code": 200, "request_id": "r", "body": chat(text)}
    return {"id": "x", "custom_id": line["custom_id"], "response": response, "error": None}


def bad_line(line: dict[str, Any]) -> dict[str, Any]:
    body = failure(400, f"Unsupported parameter, by {KEY}").body
    return {"id": "x", "custom_id": line["custom_id"], "response": {"status_code": 400, "body": body}, "error": None}


OPENAI = Kind(
    lambda key, url: OpenAIBatches(key, f"{url}/v1"),
    openai_batches,
    good_line,
    bad_line,
    ["validating", "in_progress", "finalizing"],
    "completed",
    failure(404, "No such File object"),
    r"/v1/files",
    r"/v1/batches",
    "batch_0",
)
GEMINI = Kind(
    GeminiBatches,
    gemini_batches,
    lambda line, text: {"key": line["key"], "response": generated(text)},
    lambda line: {"key": line["key"], "error": {"code": 3, "message": f"Unsupported, by {KEY}"}},
    ["BATCH_STATE_PENDING", "BATCH_STATE_RUNNING", "JOB_STATE_RUNNING"],
    "BATCH_STATE_SUCCEEDED",
    google_error(403, "PERMISSION_DENIED", "You do not have permission to access the File"),
    r"/upload/v1beta/files",
    r"/v1beta/models/.*:batchGenerateContent",
    "batches/b0",
)


@pytest.fixture(params=[OPENAI, GEMINI], ids=["openai", "gemini"])
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def serving(kind: Kind, api: Scripted) -> ScriptedServer:
    return ScriptedServer(*kind.routes(api))


def by_id(requests: list[Asked]) -> dict[str, Asked]:
    return {request.id: (request, form) for request, form in requests}


async def brought(kind: Kind, api: Scripted, requests: list[Asked] | None = None) -> BatchState:
    """Hand requests in and look once."""
    requests = requests or asked()
    with serving(kind, api) as server:
        batches = kind.make(KEY, server.url)
        remote = await batches.submit(requests, "token-1")
        state = await batches.collect(remote, by_id(requests))
        await batches.close()
    assert KEY not in repr(state)
    return state


@contextmanager
def refused(kind: type[NotAnswered], says: str) -> Any:
    with pytest.raises(kind, match=says) as error:
        yield error
    line = str(error.value)
    assert KEY not in line
    assert "\n" not in line
    assert len(line) <= 300


def answers(kind: Kind) -> Lines:
    return lambda lines: [kind.good(line, f"answer {number}") for number, line in enumerate(lines)][::-1]


async def test_from_handing_in_to_the_answers(kind: Kind) -> None:
    api = Scripted([*kind.running, kind.done], answers(kind))
    requests = asked()
    with serving(kind, api) as server:
        batches = kind.make(KEY, server.url)
        remote = await batches.submit(requests, "token-1")
        assert remote == kind.name
        for _ in kind.running:
            state = await batches.collect(remote, by_id(requests))
            assert (state.state, state.total, state.attempts) == ("running", 3, ())
        state = await batches.collect(remote, by_id(requests))
        await batches.close()
    assert state.state == "done"
    found = {attempt.request.id: attempt for attempt in state.attempts}
    for number, (request, form) in enumerate(requests):
        attempt = found[request.id]
        assert (attempt.request, attempt.form, attempt.answer) == (request, form, f"answer {number}")
        assert (attempt.outcome, attempt.tokens.input, attempt.tokens.output) == ("ok", 100, 20)
        assert (int(attempt.started), attempt.seconds) == (1000, 600.0)
    assert KEY not in repr(server.requests[0].body)


async def test_what_is_asked_is_what_would_be_asked_at_once(kind: Kind) -> None:
    api = Scripted([kind.done])
    requests = asked(2)
    with serving(kind, api) as server:
        batches = kind.make(KEY, server.url)
        await batches.submit(requests, "token-1")
        await batches.close()
    (file,) = (content for content in api.files.values() if content)
    assert file == b"".join(batches.line(*each) for each in requests)
    for line in api.asked(next(name for name, content in api.files.items() if content)):
        sent = line.get("body") or line.get("request")
        if kind is OPENAI:
            assert (line["method"], line["url"], sent["model"]) == ("POST", "/v1/chat/completions", "scripted-1")
            assert sent["max_tokens"] == 500
            assert sent["response_format"] == {"type": "json_object"}
        else:
            assert sent["generationConfig"] == {"maxOutputTokens": 500, "responseMimeType": "application/json"}
        assert json.dumps("原文‮\u2028")[1:-1] in json.dumps(sent)


async def test_one_that_was_handed_in_before_a_crash_is_found(kind: Kind) -> None:
    api = Scripted([kind.done], answers(kind))
    requests = asked()
    with serving(kind, api) as server:
        batches = kind.make(KEY, server.url)
        assert await batches.find("token-0") is None
        names = [await batches.submit(requests, f"token-{number}") for number in range(5)]
        for number, name in enumerate(names):
            assert await batches.find(f"token-{number}") == name
        assert await batches.find("token") is None
        state = await batches.collect(names[0], by_id(requests))
        await batches.close()
    assert len(state.attempts) == 3


async def test_what_is_odd_among_the_results_is_passed_over(kind: Kind) -> None:
    def odd(lines: list[dict[str, Any]]) -> list[dict[str, Any] | str]:
        stranger = kind.good(lines[0] | {"custom_id": "0" * 20, "key": "0" * 20}, "whose?")
        first = kind.good(lines[0], "one\u2028two")
        twice = kind.good(lines[0], "again")
        return [stranger, "\n", "[1, 2]\n", '{"custom_id": 7, "key": null}\n', first, twice, str(first)[:40]]

    state = await brought(kind, Scripted([kind.done], odd))
    assert state.state == "done"
    assert [attempt.answer for attempt in state.attempts] == ["one\u2028two"]


async def test_a_request_that_failed_is_an_attempt_too(kind: Kind) -> None:
    good: Lines = lambda lines: [kind.good(lines[1], "fine")]  # noqa: E731
    bad: Lines = lambda lines: [kind.bad(lines[0])]  # noqa: E731
    api = Scripted([kind.done], good, bad)
    if kind is GEMINI:
        api = Scripted(["JOB_STATE_PARTIALLY_SUCCEEDED"], lambda lines: [*bad(lines), *good(lines)])
    state = await brought(kind, api)
    found = {attempt.request.task: attempt for attempt in state.attempts}
    assert {task: attempt.outcome for task, attempt in found.items()} == {"Judge 0.": "bad_request", "Judge 1.": "ok"}
    assert "nsupported" in found["Judge 0."].error


async def test_all_of_them_failed() -> None:
    state = await brought(OPENAI, Scripted(["completed"], None, lambda lines: map(bad_line, lines)))
    assert [attempt.outcome for attempt in state.attempts] == ["bad_request"] * 3


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ({"code": "rate_limit_exceeded", "message": "Rate limit reached"}, "rate_limited"),
        ({"code": "server_error", "message": "The server had an error"}, "server"),
        (None, "server"),
    ],
)
async def test_an_error_without_a_response(error: Any, outcome: str) -> None:
    def fail(lines: list[dict[str, Any]]) -> list[dict[str, Any] | str]:
        return [{"custom_id": lines[0]["custom_id"], "response": None, "error": error}]

    state = await brought(OPENAI, Scripted(["completed"], None, fail))
    assert [attempt.outcome for attempt in state.attempts] == [outcome]


@pytest.mark.parametrize(
    ("code", "outcome"), [(3, "bad_request"), (7, "auth"), (8, "rate_limited"), (13, "server"), (429, "rate_limited")]
)
async def test_an_error_by_the_number_google_gives_it(code: int, outcome: str) -> None:
    def fail(lines: list[dict[str, Any]]) -> list[dict[str, Any] | str]:
        return [{"key": lines[0]["key"], "error": {"code": code, "message": "no"}}]

    state = await brought(GEMINI, Scripted(["BATCH_STATE_SUCCEEDED"], fail))
    assert [attempt.outcome for attempt in state.attempts] == [outcome]


@pytest.mark.parametrize("ended", ["expired", "cancelled"])
async def test_one_that_ran_out_of_time_brings_what_it_has(kind: Kind, ended: str) -> None:
    def late(lines: list[dict[str, Any]]) -> list[dict[str, Any] | str]:
        error = {"code": f"batch_{ended}", "message": "This request could not be executed in time."}
        return [{"custom_id": line["custom_id"], "response": None, "error": error} for line in lines[1:]]

    word = ended if kind is OPENAI else f"BATCH_STATE_{ended.upper()}"

    def some(lines: list[dict[str, Any]]) -> list[dict[str, Any] | str]:
        more = [
            {"key": line["key"], "error": {"code": 1, "message": "cancelled"}} for line in lines[1:] if "key" in line
        ]
        return [kind.good(lines[0], "in time"), *more]

    state = await brought(kind, Scripted([word], some, late))
    assert (state.state, [attempt.answer for attempt in state.attempts]) == ("done", ["in time"])
    state = await brought(kind, Scripted([word], None, late))
    assert (state.state, state.attempts) == ("lost", ())
    assert ended in state.reason


async def test_one_that_is_being_cancelled_is_not_over(kind: Kind) -> None:
    word = "cancelling" if kind is OPENAI else "JOB_STATE_PAUSED"
    api = Scripted([word])
    if kind is GEMINI:
        api.more = {"done": False}
    assert (await brought(kind, api)).state == "running"


async def test_one_that_was_refused_as_a_whole(kind: Kind) -> None:
    said = f"Enqueued token limit reached, for {KEY}.\nPlease wait."
    if kind is OPENAI:
        api = Scripted(["failed"], more={"errors": {"data": [{"code": "token_limit_exceeded", "message": said}]}})
    else:
        api = Scripted(["BATCH_STATE_FAILED"], more={"error": {"code": 8, "message": said}})
    state = await brought(kind, api)
    assert state.state == "lost"
    assert "Enqueued token limit reached" in state.reason
    assert "\n" not in state.reason


async def test_a_file_of_answers_that_is_gone(kind: Kind) -> None:
    api = Scripted([kind.done], answers(kind), refuse={r".*(content|download)": kind.gone})
    state = await brought(kind, api)
    assert state.state == "lost"
    assert "gone" in state.reason


async def test_a_file_of_answers_that_does_not_come_now(kind: Kind) -> None:
    for said in (Response(503, "busy"), Response(body=b"x" * 99, manner="cut"), Response(manner="close")):
        with refused(Unreachable, "fetching the batch's answers"):
            await brought(kind, Scripted([kind.done], answers(kind), refuse={r".*(content|download)": said}))


async def test_one_that_this_key_does_not_see(kind: Kind) -> None:
    with serving(kind, Scripted([kind.done])) as server:
        batches = kind.make(KEY, server.url)
        with refused(UnknownBatch, "not there for this key"):
            await batches.collect(f"{kind.name}9", {})
        await batches.close()


@pytest.mark.parametrize("where", ["files", "start"])
@pytest.mark.parametrize(
    ("said", "error", "says", "certain"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), Fatal, "401", True),
        (failure(429, "You have no credit", code="insufficient_quota"), Fatal, "no credit", True),
        (failure(400, "Invalid file format\nfor batch"), Fatal, "Invalid file format for batch", True),
        (failure(404, "no such thing here"), Fatal, "404", True),
        (failure(405, "not allowed"), Fatal, "405", True),
        (failure(501, "not implemented"), Fatal, "501", True),
        (failure(429, "Rate limit reached"), Unreachable, "Rate limit", True),
        (failure(408, "late"), Unreachable, "408", False),
        (failure(409, "conflict"), Unreachable, "409", False),
        (failure(503, f"overloaded, {KEY}"), Unreachable, "overloaded", False),
        (HTML, Unreachable, DOING, False),
        (Response(200, {}), Unreachable, DOING, False),
        (Response(manner="close"), Unreachable, DOING, False),
    ],
)
async def test_it_cannot_be_handed_in(
    kind: Kind, where: str, said: Response, error: type[NotAnswered], says: str, certain: bool
) -> None:
    """Without its file no batch begins; one that was started with an answer of no use may go on unseen."""
    if kind is GEMINI and "insufficient" in repr(said.body):
        said = google_error(429, "RESOURCE_EXHAUSTED", "You have no credit, limit: 0")
    path = kind.files if where == "files" else kind.start
    with serving(kind, Scripted([kind.done], refuse={path: said})) as server:
        batches = kind.make(KEY, server.url)
        with refused(error, says) as problem:
            await batches.submit(asked(), "token-1")
        await batches.close()
    assert problem.value.nothing_done == (certain or where == "files")


async def test_nobody_is_there(kind: Kind) -> None:
    with ScriptedServer() as server:
        batches = kind.make(KEY, server.url)
    with refused(Unreachable, "sending the batch's file"):
        await batches.submit(asked(), "token-1")
    with refused(Unreachable, "looking for the batch"):
        await batches.find("token-1")
    await batches.close()


async def test_a_batch_asks_one_model(kind: Kind) -> None:
    batches = kind.make(KEY, "http://127.0.0.1:9")
    for requests in ([], [*asked(1), *asked(1, "another")]):
        with pytest.raises(ValueError, match="one model"):
            await batches.submit(requests, "token-1")


def test_portions_hold_what_one_batch_can(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = kind.make(KEY, "http://127.0.0.1:9")
    requests = asked(7)
    length = len(batches.line(*requests[0]))
    assert [len(portion) for portion in portions(batches, requests)] == [7]
    assert list(portions(batches, [])) == []
    monkeypatch.setattr(type(batches), "most_requests", 3)
    assert [len(portion) for portion in portions(batches, requests)] == [3, 3, 1]
    monkeypatch.setattr(type(batches), "most_bytes", 2 * length)
    assert [len(portion) for portion in portions(batches, requests)] == [2, 2, 2, 1]
    monkeypatch.setattr(type(batches), "most_bytes", 1)
    assert [each for portion in portions(batches, requests) for each in portion] == requests


def test_a_line_is_a_line(kind: Kind) -> None:
    batches = kind.make(KEY, "http://127.0.0.1:9")
    (request, form) = asked(1)[0]
    line = batches.line(replace(request, documents="a\nb\0\ud83d\u2028"), form)
    assert line.count(b"\n") == 1
    assert line.isascii()


@pytest.mark.parametrize("status", [302, 307])
async def test_a_file_that_lies_elsewhere_is_fetched_without_what_goes_along(status: int) -> None:
    """As where a server keeps its files in a store of another host, by an address that is signed."""
    requests = asked()
    lines = "".join(json.dumps(good_line({"custom_id": request.id}, "fine")) + "\n" for request, _ in requests)
    with ScriptedServer(("GET", r"/store/1", lambda request: Response(body=lines.encode()))) as store:
        api = Scripted(["completed"], answer=lambda asked: ())
        api.refuse[r"/v1/files/file-output/content"] = Response(
            status, b"", {"location": f"{store.url}/store/1?signature=abc", "set-cookie": "a=b; Path=/"}
        )
        with ScriptedServer(*openai_batches(api)) as server:
            provider = OpenAIBatches(KEY, f"{server.url}/v1", Wire(headers=(("x-gateway-key", "secret-of-mine"),)))
            try:
                remote = await provider.submit(requests, "token")
                state = await provider.collect(remote, {each[0].id: each for each in requests})
            finally:
                await provider.close()
        assert "secret-of-mine" in repr(server.requests[-1].headers), "it goes to the server itself"
        assert [attempt.answer for attempt in state.attempts] == ["fine"] * 3
        (request,) = store.requests
        assert request.query == "signature=abc"
        assert not {"authorization", "x-gateway-key", "cookie"} & set(request.headers)
        assert KEY not in repr(request.headers)
