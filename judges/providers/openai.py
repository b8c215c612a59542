"""OpenAI's chat completions: OpenAI itself and the many servers that are compatible, more or less."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from judges.providers.endpoint import NO_KEY, belongs, building, checked
from judges.providers.errors import (
    CUT,
    allowance,
    headers_within,
    message_of,
    one_line,
    outcome_of,
    parsed,
    redacted,
    retry_after,
    status_within,
)
from judges.providers.http import LARGEST, LARGEST_NAME, aside, bounded_client
from judges.providers.model import ANSWERED, Attempt, Form, Outcome, Request, Tokens
from judges.providers.streams import broken, chat, is_stream
from judges.providers.token_counts import with_cached
from judges.providers.wire import PLAIN, Wire

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncClient
    from openai import AsyncOpenAI

CONNECT = 15.0
"""Seconds that connecting may take; everything together may take what an attempt is given."""

_BLOCKED = frozenset({"content_filter", "sensitive", "safety", "recitation"})
_BROKEN = frozenset({"error", "network_error", "insufficient_system_resource"})
"""``finish_reason`` of compatible servers that failed in the middle of an answer."""


class OpenAI:
    """One server, over as many kept-alive connections as there are calls at once.

    ``key`` may be "" for a local server that wants none. The SDK says where and with which headers a call goes; the
    exchange itself is made without the SDK, whose layers would take as much time again.
    """

    name = "openai"
    key_variables: tuple[str, ...] = ("OPENAI_API_KEY",)
    address = "https://api.openai.com/v1"
    address_variables: tuple[str, ...] = ("OPENAI_BASE_URL",)
    batches = "judges.providers.openai_batch:OpenAIBatches"
    largest = LARGEST

    takes_wire = True

    def __init__(self, key: str, base_url: str | None = None, wire: Wire = PLAIN) -> None:
        self._key, self._address, self._wire = key, base_url or self.address, wire
        self.server, secrets = checked(key, self._address)
        self._secrets = (*secrets, *wire.secrets)
        self._clients: list[AsyncClient] = []
        self._idle: list[AsyncClient] = []

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        """Ask once, for at most ``timeout`` seconds, connecting included. Never raises for what the server does.

        Raises Fatal where no client can be made.
        """
        import httpx2

        with building(self.server, *self._secrets):
            client = self._idle.pop() if self._idle else self._open()
        asked = Attempt(request, form, "connection", started=time.time(), seconds=0.0)
        begin = time.monotonic()
        response: httpx2.Response | None = None
        try:
            sent = json.dumps(body(request, form), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            async with asyncio.timeout(timeout):
                response = await client.post(self._path(request.model), content=sent)
        except httpx2.TimeoutException:
            asked = replace(asked, outcome="timeout", error=f"no connection within {CONNECT:.3g} seconds")
        except TimeoutError:
            asked = replace(asked, outcome="timeout", error=f"no complete answer within {timeout:.3g} seconds")
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, RuntimeError) as error:
            outcome: Outcome = "malformed_body" if isinstance(error, httpx2.DecodingError) else "connection"
            asked = replace(asked, outcome=outcome, error=one_line(_reason(error), *self._secrets))
        finally:
            self._idle.append(client)
        if response is not None:
            came = response
            read = partial(told, headers=came.headers, secrets=self._secrets)
            asked = await aside(len(came.content), lambda: read(asked, came.status_code, came.text))
        if asked.outcome == "auth" and not self._key:
            asked = replace(asked, error=f"{NO_KEY} ({asked.error})")
        return replace(asked, seconds=time.monotonic() - begin)

    async def close(self) -> None:
        """Give up its connections."""
        for client in self._clients:
            await client.aclose()

    def _open(self) -> AsyncClient:
        """A client for one call at a time: one for many looks at all its connections before and after each call."""
        headers = (*self._sdk.default_headers.items(), *self._sdk.auth_headers.items())
        sent = self._wire.with_key(((name, value) for name, value in headers if isinstance(value, str)), self._key)
        return self._http(base_url=str(self._sdk.base_url), headers=sent, params=dict(self._wire.query))

    def _path(self, model: str) -> str:
        return self._wire.path.replace("{model}", quote(model, safe="")) or "chat/completions"

    @cached_property
    def _sdk(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        sdk = AsyncOpenAI(api_key=self._key or "none", base_url=self._address, max_retries=0, http_client=self._http())
        if not belongs(self._address, self.address, os.environ.get(self.address_variables[0], "")):
            # The library has read them from the environment; they are OpenAI's, and nobody else's to know.
            sdk.organization = sdk.project = sdk.admin_api_key = None
            sdk._custom_headers = {}
        if self._wire.headers or self._wire.query:
            return sdk.with_options(default_headers=dict(self._wire.headers), default_query=dict(self._wire.query))
        return sdk

    def _http(self, **more: Any) -> AsyncClient:
        from httpx2 import Timeout

        client = bounded_client(self.largest, timeout=Timeout(None, connect=CONNECT), verify=_trusted(), **more)
        self._clients.append(client)
        return client


@cache
def _trusted() -> SSLContext:
    from httpx2 import create_ssl_context

    return create_ssl_context()


def body(request: Request, form: Form) -> dict[str, Any]:
    """Return what is sent for a request in a form: the JSON body of ``/chat/completions``."""
    messages = [{"role": "system", "content": request.system}] if request.system else []
    sent: dict[str, Any] = {
        "model": request.model,
        "messages": [*messages, {"role": "user", "content": request.user}],
    }
    parameters = request.parameters.named()
    if form.max_tokens is not None:
        parameters["max_tokens"] = form.max_tokens
    for name, value in parameters.items():
        if name not in form.dropped:
            sent[form.limit_name if name == "max_tokens" else name] = value
    sent |= request.parameters.further()
    if request.schema is not None and form.format == "json_schema":
        held = {"name": "answer", "strict": True, "schema": request.schema}
        sent["response_format"] = {"type": "json_schema", "json_schema": held}
    elif request.schema is not None and form.format == "json_object":
        sent["response_format"] = {"type": "json_object"}
    if form.stream:
        sent["stream"] = True
        if "stream_options" not in form.dropped:
            sent["stream_options"] = {"include_usage": True}
    return sent


def told(
    asked: Attempt, status: int, text: str, headers: Mapping[str, str] | None = None, secrets: tuple[str, ...] = ()
) -> Attempt:
    """Return an attempt with what a server's reply says: its HTTP status, the text of its body, its headers.

    Whether an answer can be used is not decided here: ``ok`` says that there is one.
    """
    if 200 <= status < 300 and is_stream(text):
        came = chat(text)
        error = f"an event of the stream is no JSON object: {came.unreadable}"
        if came.unreadable or not came.whole:
            return replace(asked, outcome="malformed_body", status=status, error=one_line(error, *secrets))
        whole = told(asked, status, json.dumps(came.whole), headers, secrets)
        return whole if came.complete or whole.outcome not in ANSWERED else broken(whole, came.reason, secrets)
    data = parsed(text)
    if not 200 <= status < 300:
        where = f" to {headers['location']}" if headers and 300 <= status < 400 and "location" in headers else ""
        said = message_of(data) or text
        return _failed(
            asked=asked,
            status=status,
            code=status,
            message=f"{status}{where}: {said}",
            headers=headers_within(_error(data), headers or {}),
            secrets=secrets,
        )
    if not isinstance(data, dict):
        error = f"the answer is no JSON object: {text}"
        return replace(asked, outcome="malformed_body", status=status, error=one_line(error, *secrets))
    choice = _first_choice(data)
    # Some gateways say what is wrong in place of an answer, with a word or a number of their own for it.
    nothing_else = {"error": data} if not choice and not data.get("error") and status_within(data) != 500 else {}
    for holder in (data, choice, nothing_else):
        if holder.get("error"):
            inner = status_within(holder["error"])
            return _failed(
                asked=asked,
                status=status,
                code=inner,
                message=f"{inner}: {message_of(holder['error'])}",
                headers=headers_within(holder["error"], headers or {}),
                secrets=secrets,
            )
    asked = replace(
        asked,
        status=status,
        model=redacted(_text(data.get("model")), *secrets)[:LARGEST_NAME],
        finish=redacted(_text(choice.get("finish_reason")), *secrets)[:LARGEST_NAME],
        tokens=(tokens := _tokens(data.get("usage"))),
        allowance=allowance(headers or {}, tokens),
        cost=_cost(data.get("usage")),
    )
    message = choice.get("message")
    if not isinstance(message, dict):
        error = "the answer has no choices" if not choice else "the answer's choice has no message"
        error = f"{error}: {message_of(data) or text}"
        return replace(asked, outcome="malformed_body", error=one_line(error, *secrets))
    answer, refusal = _text(message.get("content")), _refusal(message)
    finish = asked.finish.lower()
    outcome: Outcome = "ok"
    if finish in _BROKEN:
        outcome = "server"
    elif finish in _BLOCKED:
        outcome = "blocked"
    elif refusal and not answer.strip():
        outcome, answer = "refused", refusal
    elif finish in CUT:
        outcome = "truncated"
    error = "" if outcome in ("ok", "truncated") else f"{outcome}: {refusal or finish}"
    if outcome == "ok" and not answer.strip() and (message.get("tool_calls") or message.get("function_call")):
        error = "the answer is a call of a tool, and there is none"
    return replace(asked, outcome=outcome, answer=redacted(answer, *secrets), error=one_line(error, *secrets))


def _failed(
    asked: Attempt,
    status: int,
    code: int,
    message: str,
    headers: Mapping[str, str],
    secrets: tuple[str, ...],
) -> Attempt:
    outcome = outcome_of(code, message)
    wait = retry_after(headers, message) if outcome in ("rate_limited", "server") else None
    return replace(asked, outcome=outcome, status=status, error=one_line(message, *secrets), retry_after=wait)


def _first_choice(data: dict[str, Any]) -> dict[str, Any]:
    """The first choice by its index, whatever comes first; empty where there is none."""
    choices = data.get("choices")
    found = [each for each in choices if isinstance(each, dict)] if isinstance(choices, list) else []
    return next((each for each in found if each.get("index") == 0), found[0] if found else {})


def _error(data: object) -> object:
    return data.get("error") if isinstance(data, dict) else None


def _reason(error: BaseException) -> str:
    """Return the root cause of a failed connection: the SDK's own words say nothing."""
    root = error
    while root.__cause__ or root.__context__:
        root = root.__cause__ or root.__context__ or root
    return str(root) or str(error) or type(root).__name__


def _text(content: object) -> str:
    """The text of a message's content: a string, or the parts that hold text and no thinking, one or a list."""
    if isinstance(content, list):
        return "".join(map(_part, content))
    return content if isinstance(content, str) else _part(content)


def _part(part: object) -> str:
    if not isinstance(part, dict):
        return part if isinstance(part, str) else ""
    said = part.get("text")
    said = said.get("value") if isinstance(said, dict) else said
    return said if isinstance(said, str) and part.get("type") not in _THINKING else ""


_THINKING = ("thinking", "redacted_thinking", "reasoning", "reasoning_text")
"""Types of the parts that hold what a model thought aloud."""


def _refusal(message: dict[str, Any]) -> str:
    parts = message.get("content")
    said = [part.get("refusal") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return next(filter(None, map(_text, (message.get("refusal"), *said))), "")


def _tokens(usage: object) -> Tokens:
    if not isinstance(usage, dict):
        return Tokens()
    cached = _count(usage.get("prompt_tokens_details"), "cached_tokens")
    told = Tokens(
        input=_count(usage, "prompt_tokens"),
        cached=_count(usage, "prompt_cache_hit_tokens") if cached is None else cached,
        output=_count(usage, "completion_tokens"),
        thinking=_count(usage.get("completion_tokens_details"), "reasoning_tokens"),
    )
    return with_cached(told)


def _cost(usage: object) -> float | None:
    """Return what an answer cost, as OpenRouter and gateways like it say: their share, and that of a key of one's own.

    Source: https://openrouter.ai/docs/use-cases/usage-accounting.
    """
    cost = _amount(usage, "cost")
    if cost is not None and isinstance(usage, dict) and usage.get("is_byok") is True:
        cost += _amount(usage.get("cost_details"), "upstream_inference_cost") or 0.0
    return cost


def _amount(holder: object, name: str) -> float | None:
    value = holder.get(name) if isinstance(holder, dict) else None
    right = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if right and isinstance(value, int | float) else None


def _count(holder: object, name: str) -> int | None:
    value = holder.get(name) if isinstance(holder, dict) else None
    return int(value) if isinstance(value, int | float) and 0 <= value < 2**53 else None
