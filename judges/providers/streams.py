"""Event streams: answers that come piece by piece, put together as if they had come at once.

Source of the format: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from judges.providers.errors import one_line, parsed
from judges.providers.model import Attempt

BROKEN = "discox-broken"
"""Name of the event that the HTTP client puts behind a stream that broke off; its data says why."""
END = "[DONE]"
_BEGINS = re.compile(r"\s*(?:data|event|id|retry)?:")
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Streamed:
    """Answer of a stream. ``whole``: as the protocol has one that comes at once. ``complete``: the end was there.

    ``reason``: why it is not complete. ``unreadable``: an event that is no JSON object, "" where all are.
    """

    whole: dict[str, Any]
    complete: bool
    reason: str = ""
    unreadable: str = ""


def is_stream(text: str) -> bool:
    """Say whether a body is an event stream, and no JSON."""
    return _BEGINS.match(text) is not None


def broken_off(reason: str) -> bytes:
    """Return what stands behind a stream that broke off for a reason."""
    return f"\n\nevent: {BROKEN}\ndata: {' '.join(reason.split())}\n\n".encode()


def events(text: str) -> Iterator[tuple[str, str]]:
    """Yield the events of a stream: name ("" for none) and data. One that the stream breaks off in is yielded too."""
    name, data = "", list[str]()
    for line in (*_LINE_END.split(text.removeprefix("\ufeff")), ""):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield name, "\n".join(data)
            name, data = "", []
        elif field == "data":
            data.append(value)
        elif field == "event":
            name = value
    if data:
        yield name, "\n".join(data)


def chat(text: str) -> Streamed:
    """Return what a stream of OpenAI's chat completions comes to.

    Thinking, which comes beside the answer (``reasoning``, ``reasoning_content``), is no part of it. Tokens stand in
    the last chunk, at some servers within the choice, or within ``x_groq``.
    """
    came = _objects(text)
    content, refusal, finish = list[Any](), list[str](), None
    whole: dict[str, Any] = {}
    message: dict[str, Any] = {}
    for chunk in came.objects:
        if chunk.get("error"):
            return Streamed({"error": chunk["error"]}, True)
        whole["model"] = whole.get("model") or chunk.get("model")
        choices = [each for each in _list(chunk.get("choices")) if isinstance(each, dict) and not each.get("index")]
        for choice in choices:
            if choice.get("error"):
                return Streamed({"error": choice["error"]}, True)
            delta = choice.get("delta") if isinstance(choice.get("delta"), dict) else choice.get("message")
            delta = delta if isinstance(delta, dict) else {}
            said = delta.get("content")
            content += said if isinstance(said, list) else [{"type": "text", "text": said}] if said else []
            refusal += [delta["refusal"]] if isinstance(delta.get("refusal"), str) else []
            message |= {name: delta[name] for name in ("tool_calls", "function_call") if delta.get(name)}
            finish = choice.get("finish_reason") or finish
            whole["usage"] = choice.get("usage") or whole.get("usage")
        beside = chunk.get("x_groq")
        whole["usage"] = chunk.get("usage") or (_dict(beside).get("usage")) or whole.get("usage")
    message |= {"content": content, "refusal": "".join(refusal) or None}
    if came.objects:
        whole["choices"] = [{"message": message, "finish_reason": finish}]
    return came.streamed(whole, bool(finish) or came.ended)


def generated(text: str) -> Streamed:
    """Return what a stream of Gemini's answers comes to; parts that are thoughts stay marked as such."""
    came = _objects(text)
    parts, finish = list[Any](), ""
    whole: dict[str, Any] = {}
    for chunk in came.objects:
        if chunk.get("error"):
            return Streamed(chunk, True)
        whole |= {name: chunk[name] for name in ("usageMetadata", "modelVersion", "promptFeedback") if chunk.get(name)}
        for candidate in _list(chunk.get("candidates"))[:1]:
            held = _dict(candidate)
            parts += _list(_dict(held.get("content")).get("parts"))
            finish = held.get("finishReason") or finish
            whole["candidates"] = [{"content": {"parts": parts}, "finishReason": finish}]
    return came.streamed(whole, bool(finish) or bool(_dict(whole.get("promptFeedback")).get("blockReason")))


def broken(said: Attempt, reason: str, secrets: tuple[str, ...]) -> Attempt:
    """Return the attempt at an answer whose stream broke off: what came of it is kept, and nobody reads it."""
    error = f"the stream broke off after {len(said.answer):,} characters: {reason}"
    return replace(said, outcome="connection", error=one_line(error, *secrets))


@dataclass(frozen=True, slots=True)
class _Came:
    objects: list[dict[str, Any]]
    ended: bool
    broken: str
    unreadable: str

    def streamed(self, whole: dict[str, Any], complete: bool) -> Streamed:
        reason = self.broken or "the server ended it without saying why the model stopped"
        # What broke off may have done so within an event.
        return Streamed(whole, complete, "" if complete else reason, "" if self.broken else self.unreadable)


def _objects(text: str) -> _Came:
    objects, ended, broken, unreadable = list[dict[str, Any]](), False, "", ""
    for name, data in events(text):
        if name == BROKEN:
            broken = data or "the connection ended"
        elif data.strip() == END:
            ended = True
        elif isinstance(said := parsed(data), dict):
            objects.append(said)
        else:
            unreadable = unreadable or data
    return _Came(objects, ended, broken, unreadable)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
