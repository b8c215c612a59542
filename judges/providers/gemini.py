"""Google's Gemini API: puts a request in its words, and says in ours what came back."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from judges.providers.errors import one_line, outcome_of, parsed, retry_after
from judges.providers.model import Attempt, Form, Outcome, Request, Tokens

HOME = "https://generativelanguage.googleapis.com"
"""Where Google serves it."""

SAFETY = [
    {"category": f"HARM_CATEGORY_{name}", "threshold": "BLOCK_NONE"}
    for name in ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
]
"""The four filters that can be set, off. A judge reads what others wrote: reports of wars, court rulings, novels. A
filter that takes fright at such a text would leave out just these articles, and so bend every average. What Google
never lets through stays blocked. The civic filter is not named: it is gone, and naming it may be refused."""

BLOCKED = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "ESCALATION"}
)
"""Finish reasons that mean a filter stopped the answer."""
CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})
"""Finish reasons that mean the answer ran out of room."""
ACCOUNT_LIMITED = "PUP_LIMITED_DISABLED"
"""The finish reason of an account that broke Google's rules of use: no request will go better."""

SPENT = re.compile(r"\blimit: 0\b(?![.\d])|credits\b.{0,24}\bdepleted|spending cap", re.IGNORECASE)
"""What the message of a 429 says when waiting does not help. (Each 429 says "check your plan and billing details".)"""
DELAY = re.compile(r"(\d+(?:\.\d+)?)s")
"""A duration as Google writes it."""

RPC = {1: 500, 2: 500, 3: 400, 4: 504, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 11: 400, 12: 501, 13: 500}
RPC |= {14: 503, 15: 500, 16: 401}
"""A number of google.rpc.Code, which errors within a batch carry → the HTTP status it stands for."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP exchange as it ended: the body's text, or (``outcome``, ``error``) where there was none.

    ``started``: UTC seconds since 1970; ``seconds``: how long it took. ``headers`` have lower-case names.
    """

    started: float
    seconds: float
    status: int | None = None
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    outcome: Outcome | None = None
    error: str = ""


class Gemini:
    """A provider that asks Gemini models. ``base_url``: another server that speaks the same protocol."""

    name = "gemini"

    def __init__(self, key: str, base_url: str | None = None) -> None:
        import httpx2
        from google import genai
        from google.genai import types

        # It warns of keys in the environment that are not used here anyhow.
        logging.getLogger("google_genai").setLevel(logging.ERROR)
        self._key = key.strip()
        self.server = without_credentials(base_url or HOME)
        # Handed in, so that neither aiohttp (if somebody installed it) nor a pool of 100 connections takes over.
        self._http = httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None))
        # Each option is given, since the environment would decide those that are not.
        self.client = genai.Client(
            api_key=self._key or "none",
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=base_url or HOME, api_version="v1beta", httpx_async_client=self._http
            ),
        )

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        """Ask once, for at most ``timeout`` seconds. Never raises for what the server or the network does."""
        path = f"{model_path(request.model)}:generateContent"
        exchange = await self.exchange("post", path, body_of(request, form), timeout)
        return self.read(request, form, exchange)

    async def close(self) -> None:
        """Give up its connections."""
        await self._http.aclose()
        self.client.close()

    async def exchange(self, method: str, path: str, body: dict[str, Any], timeout: float) -> Exchange:
        """Do one HTTP exchange with ``path`` of the API, for at most ``timeout`` seconds; never raises.

        The client library's own calls build and take apart a model object for every part of every answer, which costs
        more than all the rest; ``async_request`` is what they stand on, and it gives the body as it came.
        """
        import httpx2
        from google.genai import errors

        started, begin = time.time(), time.perf_counter()

        def ended(**how: Any) -> Exchange:
            return Exchange(started, time.perf_counter() - begin, **how)

        try:
            # httpx2 would measure the time between two bytes: a server that drips them would never be late.
            async with asyncio.timeout(timeout):
                answer = await self.client._api_client.async_request(method, path, body)
            return ended(status=200, text=answer.body or "", headers=lower(answer.headers or {}))
        except errors.APIError as error:
            response: Any = error.response
            return ended(status=response.status_code, text=response.text, headers=lower(response.headers))
        except (TimeoutError, httpx2.TimeoutException):
            return ended(outcome="timeout", error=f"no answer within {timeout:g} s")
        except Exception as error:
            # A key that no header can carry fails before anything is sent, in words that quote it.
            if not (self._key.isascii() and self._key.isprintable()):
                return ended(outcome="auth", error="the key holds characters that no key has")
            message = one_line(f"{type(error).__name__}: {error}", self._key)
            undecodable = isinstance(error, httpx2.DecodingError | UnicodeError)
            return ended(outcome="malformed_body" if undecodable else "connection", error=message)

    def read(self, request: Request, form: Form, exchange: Exchange) -> Attempt:
        """Say in our words what an exchange about a request came to."""
        if exchange.outcome:
            return Attempt(request, form, exchange.outcome, exchange.started, exchange.seconds, error=exchange.error)
        body, wait = parsed(exchange.text), retry_after(exchange.headers)
        return read_body(
            request, form, body, exchange.status or 200, exchange.started, exchange.seconds, wait, self._key
        )


def body_of(request: Request, form: Form) -> dict[str, Any]:
    """Return what is sent for a request, put in a form: a GenerateContentRequest.

    ``reasoning_effort`` is a level ("minimal", "low", "medium", "high") or, for older models, a number of tokens
    ("0": no thinking, "-1": as much as the model likes).
    """
    given = request.parameters.given() | ({"max_tokens": form.max_tokens} if form.max_tokens else {})
    generation: dict[str, Any] = {
        word: given[name]
        for name, word in (
            ("max_tokens", "maxOutputTokens"),
            ("temperature", "temperature"),
            ("top_p", "topP"),
            ("seed", "seed"),
        )
        if name in given and name not in form.dropped
    }
    effort = given.get("reasoning_effort")
    if effort and "reasoning_effort" not in form.dropped:
        budget = re.fullmatch(r"-?\d+", effort)
        generation["thinkingConfig"] = {"thinkingBudget": int(effort)} if budget else {"thinkingLevel": effort.upper()}
    if request.schema is not None and form.format != "none":
        generation["responseMimeType"] = "application/json"
        if form.format == "json_schema":
            generation["responseJsonSchema"] = dict(request.schema)
    body: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [{"text": request.user}]}],
        "safetySettings": SAFETY,
        "generationConfig": generation,
    }
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    return body


def read_body(
    request: Request,
    form: Form,
    body: Any,
    status: int,
    started: float,
    seconds: float,
    wait: float | None = None,
    key: str = "",
) -> Attempt:
    """Say in our words what a body (read as JSON; None if it is none) with an HTTP status means for a request.

    ``wait``: seconds that the headers ask to wait. ``key`` is kept out of the error.
    """
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if status != 200 or (isinstance(body, dict) and isinstance(body.get("error"), dict)):
        outcome, error, said = _failure(body, status)
        return Attempt(
            request,
            form,
            outcome,
            started,
            seconds,
            status=status,
            error=one_line(error, key),
            retry_after=wait if said is None else said,
        )
    outcome, answer, finish = _ending(body)
    errors = {
        "blocked": f"the provider's filter stopped it: {finish}",
        "truncated": "" if answer else "no room was left for an answer",
        "malformed_body": "the reply is no Gemini answer",
        "auth": "Google limited this account",
    }
    usage = _dict(body, "usageMetadata")
    written, thought = _count(usage, "candidatesTokenCount"), _count(usage, "thoughtsTokenCount")
    return Attempt(
        request,
        form,
        outcome,
        started,
        seconds,
        status=status,
        answer=answer,
        model=_text(body, "modelVersion"),
        finish=finish,
        tokens=Tokens(
            _count(usage, "promptTokenCount"),
            _count(usage, "cachedContentTokenCount"),
            None if written is None and thought is None else (written or 0) + (thought or 0),
            thought,
        ),
        error=one_line(errors.get(outcome, ""), key),
    )


def _ending(body: Any) -> tuple[Outcome, str, str]:
    """Return the outcome, the answer and the finish reason of a body that came with status 200."""
    candidates = _list(body, "candidates")
    if not candidates:
        reason = _text(_dict(body, "promptFeedback"), "blockReason")
        return ("blocked" if reason else "malformed_body"), "", reason
    parts = _list(_dict(candidates[0], "content"), "parts")
    answer = "".join(_text(part, "text") for part in parts if not _truth(part, "thought"))
    finish = _text(candidates[0], "finishReason")
    outcome: Outcome = "ok"
    if finish in CUT:
        outcome = "truncated"
    elif finish in BLOCKED or (finish == "OTHER" and not answer):
        outcome = "blocked"
    elif finish == ACCOUNT_LIMITED:
        outcome = "auth"
    # Whatever else ended it (a call of a tool it does not have, …), its reader will see that nothing can be read.
    return outcome, answer, finish


def _failure(body: Any, status: int) -> tuple[Outcome, str, float | None]:
    """Return the outcome, the message and the seconds to wait that an error says."""
    error = _dict(body, "error")
    code = error.get("code")
    if status == 200 and isinstance(code, int):
        status = RPC.get(code, code)
    message, word = _text(error, "message"), _text(error, "status")
    shown = f"HTTP {status}: {message or word or 'no explanation'}"
    details = _list(error, "details")
    violations = [violation for detail in details for violation in _list(detail, "violations")]
    delays = [DELAY.fullmatch(_text(detail, "retryDelay")) for detail in details]
    wait = next((float(delay[1]) for delay in delays if delay), retry_after({}, message))
    if status == 429:
        spent = SPENT.search(message) or any(
            "PerDay" in _text(violation, "quotaId") or _text(violation, "quotaValue") == "0" for violation in violations
        )
        return ("quota", shown, None) if spent else ("rate_limited", shown, wait)
    # FAILED_PRECONDITION: the API is not offered at this place, or not without a paid plan.
    if word == "FAILED_PRECONDITION" or any(_text(detail, "reason").startswith("API_KEY") for detail in details):
        return "auth", shown, None
    return (outcome_of(status, message) if status >= 400 else "malformed_body"), shown, wait


def model_path(model: str) -> str:
    """Return where the API keeps a model: ``models/…``, or what the name itself says (``tunedModels/…``)."""
    kind, _, name = model.partition("/") if model.startswith(("models/", "tunedModels/")) else ("models", "", model)
    return f"{kind}/{quote(name, safe='')}"


def without_credentials(address: str) -> str:
    """Return a server's address without a user, a password and a trailing slash."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))


def lower(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers with lower-case names."""
    return {name.lower(): value for name, value in headers.items()}


def _dict(value: Any, name: str) -> dict[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _text(value: Any, name: str) -> str:
    """Return a text in an object, "" if there is none. Half a surrogate pair, which no file can hold, becomes �."""
    found = value.get(name) if isinstance(value, dict) else None
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(found, str) else ""


def _truth(value: Any, name: str) -> bool:
    return isinstance(value, dict) and bool(value.get(name))


def _count(value: Mapping[str, Any], name: str) -> int | None:
    found = value.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None
