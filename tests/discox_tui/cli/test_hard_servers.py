"""Behaviours of servers and what a run makes of each: one table, over real sockets, from answer to exit code.

Each row has one translation judged in one call, so that the calls on record are the attempts at it.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import formatdate
from pathlib import Path
from typing import Any, Literal

import pytest

from judges.providers import client
from tests.conftest import Command
from tests.support.judge_script import POINTS, Question, ScriptedJudge
from tests.support.judging import calls, judge, listed, served
from tests.support.nightly import by_day
from tests.support.scripted_server import GARBAGE, HTML, Response, ScriptedServer, chat, failure, openai

ONE = ("--article", "essay-02", "--system", "aurora-72b", "--scheme", "single-simple", "--no-ground")
GOOD = json.dumps(POINTS)
End = Literal["scored", "failed", "undone", "stopped"]
ENDS: Mapping[End, tuple[int, list[str]]] = {
    "scored": (0, ["score_only"]),
    "failed": (1, ["judge_failed"]),
    "undone": (1, []),
    "stopped": (1, []),
}
"""Endings of a run: name → exit code, and the states of the evaluations that are stored."""


@dataclass(frozen=True)
class Row:
    """A server's behaviour. ``first``: what it says so many ``times``, then the right answer (0: from then on).

    ``calls``: the attempts on record by outcome. ``words``: what is printed of it. ``options``: of the command.
    """

    name: str
    first: Any
    calls: Mapping[str, int]
    end: End = "scored"
    words: str = ""
    times: int = 1
    options: tuple[str, ...] = ()


def once(name: str, said: Any, outcome: str, words: str = "", **more: Any) -> Row:
    """A row of a server that does so once, and then answers."""
    return Row(name, said, {outcome: 1, "ok": 1}, words=words, **more)


def always(name: str, said: Any, outcome: str, count: int, end: End, words: str, **more: Any) -> Row:
    """A row of a server that does so for ever."""
    return Row(name, said, {outcome: count}, end, words, times=0, **more)


def good(name: str, said: Any) -> Row:
    """A row of a server that is odd, and whose answer counts."""
    return Row(name, said, {"ok": 1}, times=0)


def body(content: Any = GOOD, **changes: Any) -> Response:
    """A good answer, as bytes, with other fields."""
    return Response(body=json.dumps(chat(content) | changes).encode())


def choice(**changes: Any) -> Response:
    """A good answer whose choice has other fields."""
    answer = chat(GOOD)
    answer["choices"][0] |= changes
    return Response(body=answer)


def packed(data: bytes) -> Response:
    """A body, packed as gzip."""
    return Response(body=gzip.compress(data), headers={"content-encoding": "gzip"})


def raw(head: str, body: bytes, manner: Any = "garbage") -> Response:
    """Bytes as they go over the wire, from the status line on; then the connection ends, or stalls."""
    return Response(body=head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body, manner=manner)


def chunked(*pieces: bytes) -> bytes:
    """A body in chunks, without the last."""
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)


def streamed(*events: Any, end: str = "\n", comment: str = "") -> Response:
    """An event stream of JSON objects, or of lines as they are, with a comment before each event."""
    lines = (each if isinstance(each, str) else f"data: {json.dumps(each)}" for each in events)
    return Response(body="".join(f"{comment}{line}{end}{end}" for line in lines), headers=EVENTS)


def piece(text: str, finish: str | None = None) -> dict[str, Any]:
    """A chunk of a streamed answer."""
    return {"model": "scripted-1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


def labelled(charset: str, encoding: str = "utf-8") -> Response:
    """A good answer with letters beyond ASCII, said to be in one charset and written in an encoding."""
    text = json.dumps(chat(GOOD, model="模型"), ensure_ascii=False)
    return Response(body=text.encode(encoding), headers={"content-type": f"application/json; charset={charset}"})


def refused_with(refuses: Callable[[Question], bool], said: Response) -> Callable[[Question, int], Response | None]:
    """A server that refuses some forms of a question."""
    return lambda question, time: said if refuses(question) else None


def called(name: str) -> dict[str, Any]:
    """A message that calls a tool."""
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": GOOD}}
    return {"message": {"role": "assistant", "content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}


EVENTS = {"content-type": "text/event-stream"}
WIRE = json.dumps(chat(GOOD)).encode()
OK = "HTTP/1.1 200 OK"
SLOW = ("--timeout", "0.3")
BOMB = packed(b" " * 300_000_000)
SPEND_LIMIT = failure(
    429, "spend limit of the organization reached", type="limit", code="organization_spend_limit_exceeded"
)
NESTED: Any = "no"
for _ in range(400):
    NESTED = {"error": NESTED}

ROWS = [
    # On the way: asked again.
    once("500", failure(500, "oops"), "server", "1 server"),
    once("500 without a word", Response(500, b""), "server"),
    once("502 as a page", Response(502, "<html><h1>Bad gateway</h1></html>"), "server"),
    once("503 down", failure(503, "down"), "server"),
    once("504", failure(504, "upstream"), "timeout"),
    once("408", failure(408, "late"), "timeout"),
    once("409", failure(409, "conflict"), "server"),
    once("425", failure(425, "too early"), "server"),
    once("an error nested without end", Response(500, NESTED), "server"),
    once("an error code of 5,000 digits", {"error": {"message": "no", "code": "9" * 5000}}, "server"),
    once("an error within 200", {"error": {"message": "Provider returned error", "code": 502}}, "server"),
    once("an answer that failed half way", choice(finish_reason="error"), "server"),
    once("a page with 200", HTML, "malformed_body"),
    once("204", Response(204, b""), "malformed_body"),
    once("an empty body", Response(body=b""), "malformed_body"),
    once("a list", Response(body="[1, 2]"), "malformed_body"),
    once("another type", Response(body='"fine"'), "malformed_body"),
    once("half a JSON text", Response(body='{"choices": [{"mess'), "malformed_body"),
    once("brackets without end", Response(body="[" * 100_000), "malformed_body"),
    once("no UTF-8", Response(body=b"\xff\xfe\x00"), "malformed_body"),
    once("no choices", {"choices": []}, "malformed_body"),
    once("choices that are null", {"choices": None}, "malformed_body"),
    once("a choice without a message", {"choices": [{"finish_reason": "stop"}]}, "malformed_body"),
    once("no gzip, though it says so", Response(200, b"no gzip", {"content-encoding": "gzip"}), "malformed_body"),
    once("a gzip bomb", BOMB, "malformed_body", "larger than 8 MB"),
    once("9 MB", Response(body=b'{"x": "' + b"x" * 9_000_000 + b'"}'), "malformed_body", "larger than 8 MB"),
    once("9 MB with an error", Response(500, b"x" * 9_000_000), "malformed_body", "larger than 8 MB"),
    once("an endless answer", Response(body=b" " * 65_536, manner="endless"), "malformed_body", "larger than 8 MB"),
    once("not a byte", Response(manner="close"), "connection"),
    once("half a body", replace(body(), manner="cut"), "connection"),
    once("no HTTP", GARBAGE, "connection"),
    once("silence", Response(manner="hang"), "timeout", "no complete answer within 0.3 seconds", options=SLOW),
    once("a byte now and then", replace(body(), manner="drip", pause=0.05), "timeout", options=SLOW),
    once("an answer that is late", replace(body(), delay=5.0), "timeout", options=SLOW),
    once("chunks that stall", raw(f"{OK}\ntransfer-encoding: chunked", chunked(WIRE[:40]), "stall"), "timeout", options=SLOW),
    once("chunks that are none", raw(f"{OK}\ntransfer-encoding: chunked", b"zz\r\n" + WIRE), "connection"),
    once("HTTP/1.0, cut", raw("HTTP/1.0 200 OK", WIRE[:60]), "malformed_body"),
    once("a length that is too short", raw(f"{OK}\ncontent-length: {len(WIRE) - 9}", WIRE), "malformed_body"),
    once("a length that is too long", raw(f"{OK}\ncontent-length: {len(WIRE) + 9}", WIRE), "connection"),
    once("two lengths", raw(f"{OK}\ncontent-length: 5\ncontent-length: 6", WIRE), "connection"),
    once("300 kB of headers", raw(f"{OK}\nx-a: {'v' * 300_000}", WIRE), "connection"),
    once("a header that is none", raw(f"{OK}\nnonsense", WIRE), "connection"),
    once("gzip, cut", Response(body=gzip.compress(WIRE)[:-20], headers={"content-encoding": "gzip"}), "malformed_body"),
    once("objects in a row", Response(body=WIRE + b"\n" + WIRE), "malformed_body"),
    once("objects without end", Response(body=b'{"a":' * 100_000 + b"1" + b"}" * 100_000), "malformed_body"),
    once("status 520", Response(520, "<html>Web server is returning an unknown error</html>"), "server"),
    once("a hotel's page with 511", Response(511, "<html>login</html>"), "server"),
    once("an error that is a text", {"error": "model is down"}, "server", "1 server"),
    once("a stream without an end", streamed(piece(GOOD)), "connection"),
    once("a stream that fails", streamed(piece(GOOD[:9]), {"error": {"message": "died", "code": 500}}), "server"),
    once(
        "a stream that says so by an event",
        streamed(piece(GOOD[:9]), 'event: error\ndata: {"type": "error", "error": {"message": "Overloaded"}}'),
        "server",
    ),
    # Overload: waited for.
    once("429 as a page", Response(429, "<html>error code: 1015</html>"), "rate_limited"),
    once("a limit in place of an answer", {"detail": "Rate limit exceeded"}, "rate_limited"),
    once("a limit by its code", {"error": {"message": "no", "code": "rate_limit_exceeded"}}, "rate_limited"),
    once("429", failure(429, "slow down"), "rate_limited", "1 rate limited"),
    once("429 with seconds", failure(429, "slow down", {"retry-after": "0.1"}), "rate_limited"),
    once("429 with milliseconds", failure(429, "slow down", {"retry-after-ms": "80"}), "rate_limited"),
    once("429 with a date", failure(429, "slow", {"retry-after": formatdate(0, usegmt=True)}), "rate_limited"),
    once("429 with words", failure(429, "Please try again in 60ms."), "rate_limited"),
    once(
        "429 with a reset",
        failure(429, "slow", {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "70ms"}),
        "rate_limited",
    ),
    once("429 with a wait of a million years", failure(429, "slow", {"retry-after": "9" * 30}), "rate_limited"),
    once("503 overloaded", failure(503, "The model is overloaded"), "server"),
    once("529", failure(529, "Overloaded"), "server"),
    once("a limit within 200", {"error": {"message": "Rate limit exceeded", "code": 429}}, "rate_limited"),
    # The model's doing: asked once more.
    once("prose", "A poem about ferries.", "unparsable", "nothing usable can be read in the answer: A poem"),
    once("another shape", json.dumps(POINTS | {"fluency": 21}), "wrong_shape"),
    once("nothing", chat(None), "unparsable", "the answer is empty"),
    once(
        "nothing but thinking",
        chat(None, usage={"completion_tokens": 900, "completion_tokens_details": {"reasoning_tokens": 900}}),
        "unparsable",
        "the answer is empty; thinking took 900 tokens",
    ),
    once("a call of a tool", choice(**called("judge")), "unparsable", "the answer is a call of a tool"),
    once("a refusal", chat(None, refusal="I cannot help with that."), "refused", "I cannot help with that."),
    once("a filter after the answer", chat("half", finish_reason="content_filter"), "blocked"),
    once("a filter before it", failure(400, "Content Exists Risk"), "blocked"),
    once("an answer that breaks off", chat(GOOD[:12], finish_reason="length"), "truncated", "the answer breaks off"),
    once("a server that checks JSON itself", failure(400, "no", code="json_validate_failed"), "unparsable"),
    once("numbers that are none", chat('{"accuracy": NaN, "fluency": 17, "appropriateness": 16}'), "wrong_shape"),
    once("a number without end", chat('{"accuracy": 1e999, "fluency": 17, "appropriateness": 16}'), "wrong_shape"),
    once("a number of 6,000 digits", chat(f'{{"accuracy": {"5" * 6000}, "fluency": 17}}'), "wrong_shape"),
    once("two numbers for one thing", chat(f'{{"fluency": 3, {GOOD[1:]}'), "wrong_shape"),
    once("the same in a fence", chat(f'```json\n{{"fluency": 3, {GOOD[1:]}\n```'), "wrong_shape"),
    once("brackets without end in it", chat("[" * 200_000), "unparsable"),
    once("objects without end in it", chat('{"a":' * 50_000 + "1" + "}" * 50_000), "unparsable"),
    once("a number in place of a text", choice(message={"content": 7}), "unparsable", "the answer is empty"),
    once(
        "a call of a function",
        choice(message={"content": None, "function_call": {"name": "f", "arguments": GOOD}}),
        "unparsable",
        "the answer is a call of a tool",
    ),
    # Forms: the next one is tried.
    Row(
        "no json_schema",
        refused_with(lambda q: q.form == "json_schema", failure(400, "response_format json_schema is not supported")),
        {"bad_request": 1, "ok": 1},
    ),
    Row("no form at all", refused_with(lambda q: q.form != "none", Response(400, "Bad Request")), {"bad_request": 2, "ok": 1}),
    Row(
        "less room",
        refused_with(lambda q: (q.room or 0) > 4096, failure(400, "max_tokens must be at most 4096")),
        {"bad_request": 1, "ok": 1},
    ),
    Row(
        "413 that counts the room for the answer",
        refused_with(
            lambda q: (q.room or 0) > 8_000,
            failure(413, "Request too large on tokens per minute (TPM): Limit 12000, Requested 20384"),
        ),
        {"bad_request": 1, "ok": 1},
    ),
    # Odd, and good.
    good("a byte order mark", Response(body="\ufeff" + json.dumps(chat(GOOD)))),
    good("gzip", packed(json.dumps(chat(GOOD)).encode())),
    good("parts", chat([{"type": "text", "text": GOOD[:9]}, {"type": "text", "text": GOOD[9:]}])),
    good("no reason why it ended", choice(finish_reason=None)),
    good("no count of tokens", body(usage=None)),
    good("a count that is none", body(usage={"prompt_tokens": "many", "completion_tokens": -7})),
    good("a model's name of a megabyte", body(model="m" * 1_000_000)),
    good("a model's name that is a number", body(model=7)),
    good("a fence", chat(f"```json\n{GOOD}\n```")),
    good("thinking before the answer", chat(f"<think>accuracy [60] or {{}}?</think>\n{GOOD}")),
    good("thinking beside it", choice(message={"content": GOOD, "reasoning_content": "hm " * 999})),
    good("half a surrogate pair", Response(body=json.dumps(chat(GOOD, model="half \ud83d a pair")).encode())),
    good("an answer byte by byte", replace(body(), manner="drip", pause=0.0)),
    good("the end of a limit", Response(
        body=chat(GOOD), headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "50ms"}
    )),
    good("a stream that nobody asked for, kept alive", streamed(
        piece(GOOD[:9]), "retry: 10", piece(GOOD[9:]), piece("", "stop"), comment=": PROCESSING\n\n"
    )),
    good("a stream with other line ends", streamed(piece(GOOD, "stop"), "data: [DONE]", end="\r\n")),
    good("a stream by another name", replace(streamed(piece(GOOD, "stop")), headers={"content-type": "application/json"})),
    good("an answer called a stream", replace(body(), headers=EVENTS)),
    good("HTTP/1.0, until it closes", raw("HTTP/1.0 200 OK\ncontent-type: application/json", WIRE)),
    good("hints before the answer", raw(f"HTTP/1.1 103 Early Hints\nlink: </x>\n\n{OK}\ncontent-length: {len(WIRE)}", WIRE)),
    good("chunks and trailers", raw(
        f"{OK}\ntransfer-encoding: chunked", chunked(b" \n", b" \n", WIRE) + b"0\r\nx-a: b\r\n\r\n"
    )),
    good("packed twice", Response(
        body=gzip.compress(gzip.compress(WIRE)), headers={"content-encoding": "gzip, gzip"}
    )),
    good("packed bare", Response(body=zlib.compress(WIRE)[2:-4], headers={"content-encoding": "deflate"})),
    good("packed in a way of its own, it says", Response(body=WIRE, headers={"content-encoding": "zz"})),
    good("Latin, it says", labelled("iso-8859-1")),
    good("a charset that is none", labelled("klingon")),
    good("another charset", labelled("gbk", "gbk")),
    good("UTF-16", labelled("utf-16", "utf-16")),
    good("no error", body(error=None)),
    good("choices twice, the first ones none", Response(body=b'{"choices": [], ' + WIRE[1:])),
    good("choices in another order", Response(
        body=chat("") | {"choices": [{"index": 1, "message": {"content": "no"}}, {"index": 0, "message": {"content": GOOD}}]}
    )),
    good("a part without a list", choice(message={"content": {"type": "text", "text": GOOD}})),
    good("parts of other kinds", choice(
        message={"content": [None, 7, {"type": "image"}, {"type": "text", "text": {"value": GOOD}}]}
    )),
    good("tools beside the answer", choice(message={"content": GOOD, "tool_calls": [{"id": "1"}]})),
    good("no room left, and all is said", choice(finish_reason="length")),
    good("an end that is no word", choice(finish_reason={"a": 1})),
    good("one number twice", chat(f'{{"fluency": 17, {GOOD[1:]}')),
    good("counts that are no numbers", Response(body=WIRE.replace(b"100", b"NaN").replace(b"20,", b"1e999,"))),
    # For ever: put off.
    always("500", failure(500, "oops"), "server", 6, "undone", "was asked 6 times in vain: 500: oops"),
    always("a page", HTML, "malformed_body", 6, "undone", "Please sign in to the hotel's network"),
    always("not a byte", Response(manner="close"), "connection", 6, "undone", "is the server there?"),
    always("silence", Response(manner="hang"), "timeout", 6, "undone", "no complete answer", options=SLOW),
    # For ever: a failed judge.
    always("a refusal", chat(None, refusal="No."), "refused", 2, "failed", "refused: No."),
    always("a filter", chat(None, finish_reason="content_filter"), "blocked", 2, "failed", "content_filter"),
    always("prose", "A poem about ferries.", "unparsable", 2, "failed", "A poem about ferries."),
    always("a call of a tool", choice(**called("judge")), "unparsable", 2, "failed", "the answer is a call of a tool"),
    always("half an answer", chat(GOOD[:12], finish_reason="length"), "truncated", 3, "failed", "breaks off"),
    always("413", failure(413, "larger than 4 KB"), "bad_request", 1, "failed", "413: larger than 4 KB"),
    always("a context that is too small", failure(400, "input exceeds the context length"), "bad_request", 1, "failed", "context"),
    always(
        "a text that was cut", body(usage={"prompt_tokens": 512}), "prompt_cut", 1, "failed", "it read 512 tokens of"
    ),
    # For ever: the end of the run.
    always("401", failure(401, "Incorrect API key"), "auth", 1, "stopped", "gives no access to kestrel; check the key"),
    always("403", failure(403, "Your account is not allowed"), "auth", 1, "stopped", "gives no access"),
    always("402", failure(402, "Payment"), "quota", 1, "stopped", "top it up"),
    always("no credit", failure(429, "none", code="insufficient_quota"), "quota", 1, "stopped", "top it up"),
    always("a limit of spending", SPEND_LIMIT, "quota", 1, "stopped", "organization_spend_limit_exceeded"),
    always("a hard limit", failure(400, "Billing hard limit has been reached"), "quota", 1, "stopped", "hard limit"),
    always("no key, in place of an answer", {"code": 401, "msg": "令牌无效"}, "auth", 1, "stopped", "gives no access"),
    always("no money, in place of an answer", {"success": False, "message": "余额不足"}, "quota", 1, "stopped", "top it up"),
    always("404", failure(404, "The model `kestrel` does not exist"), "bad_request", 1, "stopped", "no such address or model"),
    always("a way elsewhere", Response(307, b"", {"location": "https://elsewhere/"}), "bad_request", 1, "stopped", "elsewhere"),
    always("a wait until tomorrow", failure(429, "later", {"retry-after": "80000"}), "rate_limited", 1, "stopped", "80000 seconds"),
]  # fmt: skip


@by_day(24)
@pytest.mark.parametrize("row", ROWS, ids=[f"{row.name}{'' if row.times else ', always'}" for row in ROWS])
def test_what_a_run_makes_of_a_server(discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, row: Row) -> None:
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.0)

    def says(question: Question, time: int) -> Any:
        if callable(row.first):
            return row.first(question, time)
        return row.first if not row.times or time <= row.times else None

    with ScriptedServer(openai(ScriptedJudge({"*": says}))) as server:
        result = judge(discox, sample, server, *ONE, *row.options)
    code, states = ENDS[row.end]
    assert Counter(outcome for _, outcome in calls(sample)) == row.calls
    assert len(server.requests) == sum(row.calls.values())
    assert (result.code, [each["state"] for each in listed(discox, sample)]) == (code, states), result
    assert row.words in result.out + result.err
    assert ("discox: stopped: " in result.err) == (row.end == "stopped")


def test_a_server_that_takes_nothing_ends_the_run(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "FIRST_PATIENCE", 0.3)
    monkeypatch.setattr(client, "backoff", lambda failures, chance: 0.1)
    with ScriptedServer(openai(ScriptedJudge({"*": failure(429, "no more today")}))) as server:
        result = judge(discox, sample, server, *ONE)
        assert len(server.requests) <= 6
    assert result.code == 1
    assert "has taken no call for" in result.err
    assert "no more today" in result.err


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_nothing_follows_a_way_elsewhere(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch, status: int, provider: str
) -> None:
    monkeypatch.setenv("MY_KEY", "kx-4fQ9-recognisable-7Zb2")
    with ScriptedServer() as other:

        def away(body: dict[str, Any], number: int) -> Response:
            return Response(status, b"", {"location": f"{other.url}/v1/chat/completions"})

        with served(away, provider) as server:
            result = judge(discox, sample, server, *ONE, "--key-env", "MY_KEY", provider=provider)
        assert len(server.requests) == 1
        assert other.requests == []
    assert result.code == 1
    assert "knows no such address or model" in result.err


def test_a_servers_cookies_go_nowhere(discox: Command, sample: Path) -> None:
    judge_ = ScriptedJudge()

    def script(body: dict[str, Any], number: int) -> Response:
        return Response(body=chat(judge_(body)), headers={"set-cookie": f"session={'c' * 3000}; Path=/; Max-Age=999"})

    with ScriptedServer(openai(script)) as server:
        assert judge(discox, sample, server, *ONE[:4], "--concurrency", "1").code == 0
        assert len(server.requests) == 6
        assert not any("cookie" in request.headers for request in server.requests)


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_server_of_another_family_of_addresses(discox: Command, sample: Path, provider: str) -> None:
    """One at [::1], as local servers have it that listen on localhost alone."""
    server = served(ScriptedJudge(), provider)
    server.host = "::1"
    with server:
        assert "[::1]" in server.url
        result = judge(discox, sample, server, *ONE, provider=provider)
    assert (result.code, f"|server:http://[::1]:{server.url.rpartition(':')[2]}" in result.out) == (0, True), result
