"""A model's server as a test scripts it: real HTTP/1.1 over a real loopback socket, good and bad manners alike.

``with ScriptedServer(openai(script)) as server:`` serves ``server.url`` from a thread of its own until the block ends.
A route is ``(method, regular expression for the whole path, handler)``; its handler gets the Request and returns the
Response. Handlers run in the server's thread, one at a time; one that raises makes the block raise.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Any, Literal, Self

Manner = Literal["proper", "close", "cut", "hang", "drip", "garbage", "stall", "endless"]
"""``close``: not a byte of an answer. ``cut``: half the body, then the connection ends. ``hang``: nothing, for ever.
``drip``: a byte of the body every ``pause`` seconds. ``garbage``: the body alone, without HTTP around it,
or with what it has of it; then the connection ends. ``stall``: the same, and then nothing, for ever.
``endless``: the body over and over, in chunks, for as long as somebody reads."""


@dataclass(frozen=True)
class Request:
    """What arrived. ``headers`` have lower-case names, ``query`` is what stands after the "?", ``at`` is monotonic."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    at: float

    @cached_property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Response:
    """An answer, sent once ``when`` holds and ``delay`` seconds have passed. A body of another type is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    when: Callable[[], object] | None = None
    manner: Manner = "proper"
    pause: float = 0.02

    @cached_property
    def payload(self) -> bytes:
        """The body's bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body, ensure_ascii=False)).encode()

    @cached_property
    def head(self) -> bytes:
        """The status line and the headers."""
        kind = "application/json" if not isinstance(self.body, bytes | str) else "text/plain; charset=utf-8"
        headers = {"content-type": kind, "content-length": str(len(self.payload)), **self.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"HTTP/1.1 {self.status} Scripted\r\n{lines}\r\n".encode()


Handler = Callable[[Request], Response]
Route = tuple[str, str, Handler]

LOOK_AGAIN = 0.002
"""Seconds until the server looks again whether an answer may be sent."""

HTML = Response(200, "<html><body>Please sign in to the hotel's network</body></html>", {"content-type": "text/html"})
GARBAGE = Response(body=b"\x00\xffthis is no HTTP\r\n\r\n", manner="garbage")


class ScriptedServer:
    """A server on a free port of 127.0.0.1. ``requests`` in order of arrival; ``peak``: the most in flight at once."""

    def __init__(self, *routes: Route) -> None:
        self.routes = [(method, re.compile(path), handler) for method, path, handler in routes]
        self.requests: list[Request] = []
        self.in_flight = self.peak = 0
        self.connections = 0
        self.open: set[_Connection] = set()
        self.troubles: list[BaseException] = []
        self._loop = asyncio.new_event_loop()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="scripted server", daemon=True)
        self.url = ""
        self.host = "127.0.0.1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._listening.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        if self.troubles and error is None:
            raise self.troubles[0]

    def _serve(self) -> None:
        listening = self._loop.create_server(lambda: _Connection(self, self._loop), self.host, 0, backlog=1024)
        server = self._loop.run_until_complete(listening)
        host = f"[{self.host}]" if ":" in self.host else self.host
        self.url = f"http://{host}:{server.sockets[0].getsockname()[1]}"
        self._listening.set()
        self._loop.run_forever()
        server.close()
        for connection in list(self.open):
            connection.transport.abort()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def answer(self, request: Request) -> Response:
        """Return what the first fitting route says; 404 if none fits."""
        self.requests.append(request)
        for method, path, handler in self.routes:
            if method == request.method and path.fullmatch(request.path):
                try:
                    return handler(request)
                except Exception as error:
                    self.troubles.append(error)
                    return Response(500, f"the script failed: {error!r}")
        return Response(404, {"error": {"message": f"no route for {request.method} {request.path}"}})


class _Connection(asyncio.Protocol):
    """One kept-alive connection: requests are answered one after the other."""

    transport: asyncio.Transport

    def __init__(self, server: ScriptedServer, loop: asyncio.AbstractEventLoop) -> None:
        self.server, self.loop = server, loop
        self.buffer = bytearray()
        self.busy = False
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.open.add(self)
        self.server.connections += 1

    def connection_lost(self, error: Exception | None) -> None:
        self.server.open.discard(self)
        if self.timer:
            self.timer.cancel()
        self._finished()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.busy:
            self._take()

    def _take(self) -> None:
        """Take one request from the buffer, if it is there as a whole."""
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        first, *lines = self.buffer[:end].decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        whole = end + 4 + int(headers.get("content-length", 0))
        if len(self.buffer) < whole:
            return
        method, target, _ = first.split(" ")
        path, _, query = target.partition("?")
        request = Request(method, path, query, headers, bytes(self.buffer[end + 4 : whole]), time.monotonic())
        del self.buffer[:whole]
        self.busy = True
        self.server.in_flight += 1
        self.server.peak = max(self.server.peak, self.server.in_flight)
        response = self.server.answer(request)
        if response.delay:
            self.timer = self.loop.call_later(response.delay, self._send, response)
        else:
            self._send(response)

    def _send(self, response: Response) -> None:
        if response.when is not None and not response.when():
            self.timer = self.loop.call_later(LOOK_AGAIN, self._send, response)
            return
        if response.manner == "hang":
            return
        if response.manner == "drip":
            self.transport.write(response.head)
            self._drip(response, 0)
            return
        if response.manner == "endless":
            kind = b"content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
            self.transport.write(b"HTTP/1.1 200 Scripted\r\n" + kind)
            self._again(response)
            return
        if response.manner == "proper":
            self.transport.write(response.head + response.payload)
        elif response.manner == "cut":
            self.transport.write(response.head + response.payload[: len(response.payload) // 2])
        elif response.manner in ("garbage", "stall"):
            self.transport.write(response.payload)
            if response.manner == "stall":
                return
        self._finished()
        if response.manner != "proper":
            self.transport.close()
        elif self.buffer:
            self._take()

    def _drip(self, response: Response, sent: int) -> None:
        self.transport.write(response.payload[sent : sent + 1])
        if sent + 1 < len(response.payload):
            self.timer = self.loop.call_later(response.pause, self._drip, response, sent + 1)
        else:
            self._finished()

    def _again(self, response: Response) -> None:
        if self.transport.get_write_buffer_size() < 1_000_000:
            self.transport.write(b"%x\r\n%b\r\n" % (len(response.payload), response.payload))
        self.timer = self.loop.call_later(0.001, self._again, response)

    def _finished(self) -> None:
        if self.busy:
            self.busy = False
            self.server.in_flight -= 1


def chat(
    content: Any,
    finish_reason: str | None = "stop",
    usage: Mapping[str, Any] | None = None,
    model: str = "scripted-1",
    refusal: str | None = None,
) -> dict[str, Any]:
    """Return a chat completion as OpenAI's protocol has it. ``content``: text, None, or a list of parts."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120} if usage is None else usage,
    }


def failure(status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    """Return an error as OpenAI's protocol has it; ``more`` goes beside the message (``code="…"``, ``type="…"``)."""
    return Response(status, {"error": {"message": message, **more}}, headers or {})


def openai(script: Callable[[dict[str, Any], int], Response | str | dict[str, Any]]) -> Route:
    """Return the route ``/v1/chat/completions``. ``script`` gets a request's body and its number, from 1.

    It returns the content of a good answer, a whole body, or a Response.
    """
    count = 0

    def handle(request: Request) -> Response:
        nonlocal count
        count += 1
        said = script(request.json, count)
        return said if isinstance(said, Response) else Response(body=chat(said) if isinstance(said, str) else said)

    return ("POST", r"/v1/chat/completions", handle)


def one_after_the_other(*said: Response | str | dict[str, Any]) -> Callable[[dict[str, Any], int], Any]:
    """Return a script that says these in turn, and the last one from then on."""
    return lambda body, number: said[min(number, len(said)) - 1]
