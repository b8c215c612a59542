"""Google's Gemini API: puts a request in its words, and says in ours what came back."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from judges.providers.endpoint import building, checked
from judges.providers.errors import (
    allowance,
    no_money,
    one_line,
    outcome_of,
    parsed,
    redacted,
    retry_after,
    status_within,
)
from judges.providers.http import LARGEST, LARGEST_NAME, aside, bounded_client
from judges.providers.model import ANSWERED, Attempt, Form, Outcome, Request, Tokens
from judges.providers.streams import broken, generated, is_stream
from judges.providers.token_counts import with_cached
from judges.providers.wire import PLAIN, Wire

if TYPE_CHECKING:
    import httpx2
    from google import genai

WORDS = {"max_tokens": "maxOutputTokens", "temperature": "temperature", "top_p": "topP", "seed": "seed"}
"""Our name of a parameter → Gemini's."""

TOP = frozenset({"safetySettings", "tools", "toolConfig", "cachedContent", "labels", "serviceTier"})
"""Further fields that stand beside the configuration of an answer; all others stand in it."""

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
"""Words in a 429's message when waiting does not help. (Each 429 says "check your plan and billing details".)"""
PLAN = "You exceeded your current quota, please check your plan and billing details"
"""Words of every 429, whichever quota it is."""
DELAY = re.compile(r"(\d{1,8}(?:\.\d{1,9})?)s")
"""A duration as Google writes it."""

RPC = {1: 500, 2: 500, 3: 400, 4: 504, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 11: 400, 12: 501, 13: 500}
RPC |= {14: 503, 15: 500, 16: 401}
"""A number of google.rpc.Code, which errors within a batch carry → the HTTP status it stands for."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Outcome of an HTTP exchange: what came (``status``, the body's ``text``, ``headers``), or why nothing did.

    ``status`` None: nothing came, for the reason that ``outcome`` names and ``text`` tells; ``unsent``: nor was
    anything sent.
    """

    status: int | None
    text: str
    headers: Mapping[str, str] = field(default_factory=dict)
    outcome: Outcome = "connection"
    unsent: bool = False


class Gemini:
    """One kept-alive client for one server that speaks Gemini's protocol."""

    name = "gemini"
    key_variables: tuple[str, ...] = ("GEMINI_API_KEY",)
    address = "https://generativelanguage.googleapis.com"
    address_variables: tuple[str, ...] = ("GOOGLE_GEMINI_BASE_URL",)
    batches = "judges.providers.gemini_batch:GeminiBatches"
    largest = LARGEST

    takes_wire = True

    def __init__(self, key: str, base_url: str | None = None, wire: Wire = PLAIN) -> None:
        if wire.path:
            raise ValueError("Gemini's protocol has no path of its own; leave it out")
        self._key, self._address, self._wire = key, base_url or self.address, wire
        self.server, secrets = checked(key, self._address)
        self._secrets = (*secrets, *wire.secrets)
        self._client: genai.Client | None = None
        self._http: httpx2.AsyncClient | None = None

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        """Ask once, for at most ``timeout`` seconds, connecting included. Never raises for what the server does."""
        asked = Attempt(request, form, "connection", started=time.time(), seconds=0.0)
        begin = time.monotonic()
        call = "streamGenerateContent?alt=sse" if form.stream else "generateContent"
        path = f"{model_path(request.model)}:{call}"
        came = await self._exchange(timeout, self._call, "post", path, body(request, form))
        if came.status is None:
            asked = replace(asked, outcome=came.outcome, error=came.text)
        else:
            status, read = came.status, partial(told, headers=came.headers, secrets=self._secrets)
            asked = await aside(len(came.text), lambda: read(asked, status, came.text))
        return replace(asked, seconds=time.monotonic() - begin)

    async def close(self) -> None:
        """Give up its connections."""
        if self._client and self._http:
            await self._http.aclose()
            self._client.close()

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> str:
        """Return the body of what ``path`` of the API answers.

        The library's own calls build an object of every part of a question and an answer, and take it apart again:
        twice the work. This one they stand on gives the body as it came. (Its name has an underscore: the dependency's
        upper bound and the tests over real sockets are what it leans on.)
        """
        answer = await self._opened()._api_client.async_request(method, path, body or {})
        return answer.body or ""

    async def _exchange(self, timeout: float, call: Callable[..., Awaitable[str]], *given: Any) -> Exchange:
        """Make a call of the API with what is given, for at most ``timeout`` seconds.

        Never raises for what the server does; raises Fatal, before the call is begun, where no client can be made.
        """
        with building(self.server, *self._secrets):
            import httpx2
            from google.genai import errors

            self._opened()  # which takes its time once, and none of the server's
        try:
            # httpx2 would measure the time between two bytes: a server that drips them would never be late.
            async with asyncio.timeout(timeout):
                return Exchange(200, await call(*given))
        except errors.APIError as error:
            response: Any = error.response
            return Exchange(response.status_code, response.text, response.headers)
        except (TimeoutError, httpx2.TimeoutException):
            return Exchange(None, f"no complete answer within {timeout:.3g} seconds", outcome="timeout")
        except (httpx2.DecodingError, UnicodeError) as error:
            return Exchange(None, one_line(str(error), *self._secrets), outcome="malformed_body")
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, KeyError, AttributeError) as error:
            # The last three: the library's, over a body or a header of no known shape.
            unsent = isinstance(error, httpx2.ConnectError | httpx2.ProxyError)
            return Exchange(None, one_line(str(error) or type(error).__name__, *self._secrets), unsent=unsent)

    def _opened(self) -> genai.Client:
        if self._client is None:
            import httpx2
            from google import genai
            from google.genai import types

            # It warns of keys in the environment that are not used here anyhow.
            logging.getLogger("google_genai").setLevel(logging.ERROR)
            # Handed in, so that neither aiohttp (where it is installed) nor a pool of 100 connections takes over.
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
            self._http = bounded_client(self.largest, limits=limits, timeout=None, params=dict(self._wire.query))
            # All of them, since the environment decides those that are not given. Without retries, by default.
            options = types.HttpOptions(
                base_url=self._address,
                api_version="v1beta",
                httpx_async_client=self._http,
                timeout=None,
                headers=dict(self._wire.headers) or None,
            )
            self._client = genai.Client(api_key=self._key or "none", vertexai=False, http_options=options)
        return self._client


def body(request: Request, form: Form) -> dict[str, Any]:
    """Return what is sent for a request in a form: a GenerateContentRequest.

    ``reasoning_effort`` is a level ("minimal", "low", "medium", "high") or, for older models, a number of tokens
    ("0": no thinking, "-1": as much as the model likes).
    """
    given = request.parameters.named() | ({} if form.max_tokens is None else {"max_tokens": form.max_tokens})
    given = {name: value for name, value in given.items() if name not in form.dropped}
    generation: dict[str, Any] = {WORDS[name]: value for name, value in given.items() if name in WORDS}
    further = request.parameters.further()
    generation |= {name: value for name, value in further.items() if name not in TOP}
    if effort := given.get("reasoning_effort"):
        budget = re.fullmatch(r"-?\d+", effort)
        generation["thinkingConfig"] = {"thinkingBudget": int(effort)} if budget else {"thinkingLevel": effort.upper()}
    if request.schema is not None and form.format != "none":
        generation["responseMimeType"] = "application/json"
        if form.format == "json_schema":
            generation["responseJsonSchema"] = dict(request.schema)
    sent: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [{"text": request.user}]}],
        "safetySettings": SAFETY,
        "generationConfig": generation,
    }
    sent |= {name: value for name, value in further.items() if name in TOP}
    if request.system:
        sent["systemInstruction"] = {"parts": [{"text": request.system}]}
    return sent


def told(
    asked: Attempt, status: int, text: str, headers: Mapping[str, str] | None = None, secrets: tuple[str, ...] = ()
) -> Attempt:
    """Return an attempt with what a server's reply says: its HTTP status, the text of its body, its headers.

    Whether an answer can be used is not decided here: ``ok`` says that there is one.
    """
    if status == 200 and is_stream(text):
        came = generated(text)
        error = f"an event of the stream is no JSON object: {came.unreadable}"
        if came.unreadable or not came.whole:
            return replace(asked, outcome="malformed_body", status=status, error=one_line(error, *secrets))
        whole = told(asked, status, json.dumps(came.whole), headers, secrets)
        return whole if came.complete or whole.outcome not in ANSWERED else broken(whole, came.reason, secrets)
    data = parsed(text)
    if isinstance(data, list) and len(data) == 1:
        data = data[0]
    if status != 200 or object_in(data, "error"):
        outcome, error, wait = _failure(data, status)
        wait = retry_after(headers or {}) if wait is None else wait
        kept = wait if outcome in ("rate_limited", "server") else None
        return replace(asked, outcome=outcome, status=status, error=one_line(error, *secrets), retry_after=kept)
    outcome, answer, finish = _ending(data)
    errors: dict[Outcome, str] = {
        "ok": f"it gave no text: {finish}" if not answer and finish not in ("", "STOP") else "",
        "blocked": f"a filter of the provider stopped it: {finish}",
        "malformed_body": f"the answer has no candidates: {text}",
        "auth": f"the provider limited this account: {finish}",
    }
    usage = object_in(data, "usageMetadata")
    written, thought = _count(usage, "candidatesTokenCount"), _count(usage, "thoughtsTokenCount")
    tokens = Tokens(
        input=_count(usage, "promptTokenCount"),
        cached=_count(usage, "cachedContentTokenCount"),
        output=None if written is None and thought is None else (written or 0) + (thought or 0),
        thinking=thought,
    )
    return replace(
        asked,
        outcome=outcome,
        status=status,
        answer=redacted(answer, *secrets),
        model=redacted(text_in(data, "modelVersion"), *secrets)[:LARGEST_NAME],
        finish=redacted(finish, *secrets)[:LARGEST_NAME],
        tokens=(tokens := with_cached(tokens)),
        allowance=allowance(headers or {}, tokens),
        error=one_line(errors.get(outcome, ""), *secrets),
    )


def _ending(body: Any) -> tuple[Outcome, str, str]:
    """Return the outcome, the answer and the finish reason of a body that came with status 200."""
    candidates = list_in(body, "candidates")
    if not candidates:
        reason = text_in(object_in(body, "promptFeedback"), "blockReason")
        return ("blocked" if reason else "malformed_body"), "", reason
    parts = list_in(object_in(candidates[0], "content"), "parts")
    answer = "".join(text_in(part, "text") for part in parts if not (isinstance(part, dict) and part.get("thought")))
    finish = text_in(candidates[0], "finishReason")
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
    error = object_in(body, "error")
    if status == 200:
        code = error.get("code")
        status = RPC.get(code if isinstance(code, int) else 0) or status_within(error)
    message, word = text_in(error, "message"), text_in(error, "status")
    shown = f"HTTP {status}: {message or word or 'no explanation'}"
    details = list_in(error, "details")
    violations = [violation for detail in details for violation in list_in(detail, "violations")]
    delays = [DELAY.fullmatch(text_in(detail, "retryDelay")) for detail in details]
    wait = next((float(delay[1]) for delay in delays if delay), retry_after({}, message))
    if status == 429:
        # Each of them says "check your plan and billing details", and that a quota is exceeded.
        spent = (
            SPENT.search(message)
            or (wait is None and no_money(message.replace(PLAN, "")))
            or any(
                "PerDay" in text_in(violation, "quotaId") or text_in(violation, "quotaValue") == "0"
                for violation in violations
            )
        )
        return ("quota", shown, None) if spent else ("rate_limited", shown, wait)
    # FAILED_PRECONDITION: the API is not offered at this place, or not without a paid plan.
    if word == "FAILED_PRECONDITION" or any(text_in(detail, "reason").startswith("API_KEY") for detail in details):
        return "auth", shown, None
    return (outcome_of(status, message) if status >= 300 else "malformed_body"), shown, wait


def model_path(model: str) -> str:
    """Return where the API keeps a model: ``models/…``, or what the name itself says (``tunedModels/…``)."""
    kind, _, name = model.partition("/") if model.startswith(("models/", "tunedModels/")) else ("models", "", model)
    return f"{kind}/{quote(name, safe='')}"


def object_in(value: Any, name: str) -> dict[str, Any]:
    """Return the object of that name in a JSON value, an empty one if there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def list_in(value: Any, name: str) -> list[Any]:
    """Return the list of that name in a JSON value, an empty one if there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def text_in(value: Any, name: str) -> str:
    """Return the text of that name in a JSON value, "" if there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _count(value: Mapping[str, Any], name: str) -> int | None:
    found = value.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None
