"""Requests to a model and their outcomes, in terms that hold for every provider."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any, Generic, Literal, Protocol, TypeVar

Outcome = Literal[
    "ok",
    "refused",
    "blocked",
    "truncated",
    "unparsable",
    "wrong_shape",
    "prompt_cut",
    "rate_limited",
    "quota",
    "bad_request",
    "auth",
    "timeout",
    "server",
    "connection",
    "malformed_body",
]
"""The end of one HTTP attempt. ``refused``: the model declined. ``blocked``: a filter of the provider did.
``truncated``: the answer breaks off. ``unparsable``: there is an answer, but nothing usable can be read in it.
``wrong_shape``: it can be read and is not what was asked for. ``prompt_cut``: the server left out part of the question
without a word, so that nothing in the answer counts. ``quota``: no money is left, final. ``malformed_body``:
the server's reply is not what its protocol says."""

ANSWERED: frozenset[Outcome] = frozenset(
    {"ok", "refused", "blocked", "truncated", "unparsable", "wrong_shape", "prompt_cut"}
)
"""The model was reached and paid for: what it said is final for that attempt, good or bad."""
TRANSIENT: frozenset[Outcome] = frozenset({"rate_limited", "timeout", "server", "connection", "malformed_body"})
"""Asking the same again later may go better."""
FATAL: frozenset[Outcome] = frozenset({"quota", "auth"})
"""Every other request will end the same way: the run stops."""

Format = Literal["json_schema", "json_object", "none"]
"""The strictness with which the server is held to JSON, the strictest form first."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of a model's answer. None: not sent, the server's default.

    ``max_tokens``: room for answer and thinking together; a truncated answer is asked again with more. ``extra``:
    further fields of the request, name → JSON. ``headers``: name → a hash of the value; ``query``: name → value, or a
    hash of it: what goes along with every call, so far as it may be known.
    """

    max_tokens: int | None = 16_384
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    extra: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()

    def named(self) -> dict[str, Any]:
        """The parameters that every provider knows and that are set, by name."""
        own = (part.name for part in fields(self) if part.name not in _PAIRS)
        return {name: value for name in own if (value := getattr(self, name)) is not None}

    def further(self) -> dict[str, Any]:
        """The further fields of the request, by name."""
        return {name: json.loads(text) for name, text in self.extra}

    def given(self) -> dict[str, Any]:
        """Return all that is set, by name, as JSON can hold it."""
        pairs = {"extra": self.further(), "headers": dict(self.headers), "query": dict(self.query)}
        return self.named() | {name: value for name, value in pairs.items() if value}

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Parameters:
        """Return the parameters that ``given`` came from."""
        pairs = {name: tuple(sorted(given[name].items())) for name in ("headers", "query") if name in given}
        return cls(**{"max_tokens": None, **given, **pairs, "extra": as_fields(given.get("extra", {}))})

    def words(self) -> tuple[tuple[str, str], ...]:
        """Return all that is set as sorted pairs of name and text, as a signature holds it."""
        own = [(name, str(value)) for name, value in self.named().items()]
        along = [(f"{kind}:{name}", text) for kind in ("header", "query") for name, text in self._along(kind)]
        return tuple(sorted((*own, *self.extra, *along)))

    def _along(self, kind: str) -> tuple[tuple[str, str], ...]:
        return self.headers if kind == "header" else self.query


_PAIRS = ("extra", "headers", "query")


def as_fields(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return fields as ``Parameters.extra`` holds them, each value in the one spelling JSON has for it."""
    return tuple(
        sorted((name, json.dumps(value, sort_keys=True, separators=(",", ":"))) for name, value in values.items())
    )


@lru_cache(maxsize=128)
def _digest(text: str) -> str:
    """Return the digest of a long text; several requests share theirs, so that each is hashed once."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Request:
    """One question to one model. Two equal requests have one ``id``, in every database and every run.

    ``step`` says what it is for ("accuracy", "translation", …). The user's message is ``documents`` and ``task``, in
    this order, so that what several steps share comes first and a provider can reuse it. ``schema``: the JSON schema
    of the answer (its root an object); None asks for plain text. ``sample``: 1-based, to ask the same several times.
    ``server``: the address that is asked, part of the identity since the same name may be another model elsewhere.
    """

    step: str
    provider: str
    server: str
    model: str
    system: str
    documents: str
    task: str
    schema: Mapping[str, Any] | None = None
    parameters: Parameters = field(default_factory=Parameters)
    sample: int = 1

    @cached_property
    def id(self) -> str:
        """Twenty hex digits over all that decides the answer (not over ``step``, which is only a name)."""
        parts = (
            self.provider,
            self.server,
            self.model,
            _digest(self.system),
            _digest(self.documents),
            self.task,
            self.schema,
            self.parameters.given(),
            self.sample,
        )
        text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @property
    def user(self) -> str:
        """The user's message."""
        return f"{self.documents}\n\n{self.task}" if self.documents and self.task else self.documents or self.task


@dataclass(frozen=True, slots=True)
class Form:
    """Form of a request for one server: what that server was found to take.

    ``max_tokens`` overrides the request's. ``limit_name``: what the server calls the limit. ``dropped``: parameters it
    refused, not sent any more. ``stream``: the answer is asked for piece by piece.
    """

    format: Format = "json_schema"
    limit_name: str = "max_tokens"
    max_tokens: int | None = None
    dropped: frozenset[str] = frozenset()
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of an attempt, as far as the server says. ``cached`` is part of ``input``; ``thinking`` of ``output``."""

    input: int | None = None
    cached: int | None = None
    output: int | None = None
    thinking: int | None = None


@dataclass(frozen=True, slots=True)
class Allowance:
    """Allowance that a server tells of: so many more ``calls`` within the coming ``seconds``, then as many as ever."""

    calls: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One HTTP exchange. ``started``: UTC seconds since 1970; ``seconds``: how long it took.

    ``answer``: what the model said, exactly, "" if nothing. ``model``: as the server names it. ``finish``: why it
    stopped, in the provider's word. ``error``: one line for people, without any key: what went wrong, or why the answer
    cannot be used. ``retry_after``: seconds that the server asks to wait. ``read_by``: the step that could read the
    answer, "" if none or nobody tried. ``cost``: what the server says that it cost, in US dollars, None if it does not.
    ``allowance``: how much more it takes, where it says so; not kept on record.
    """

    request: Request
    form: Form
    outcome: Outcome
    started: float
    seconds: float
    status: int | None = None
    answer: str = ""
    model: str = ""
    finish: str = ""
    tokens: Tokens = Tokens()
    error: str = ""
    retry_after: float | None = None
    read_by: str = ""
    allowance: Allowance | None = None
    cost: float | None = None


class Provider(Protocol):
    """A kind of server. Adding one is one module with such a class."""

    @property
    def name(self) -> str:
        """The name that ``--provider`` takes."""

    @property
    def server(self) -> str:
        """The address it asks, without credentials."""

    async def attempt(self, request: Request, form: Form, timeout: float) -> Attempt:
        """Ask once, for at most ``timeout`` seconds. Never raises for what the server or the network does.

        Raises a NotAnswered where nothing could be asked: Fatal if no client can be made.
        """

    async def close(self) -> None:
        """Give up its connections."""


Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Reading(Generic[Value]):
    """Reading of an answer's text: its value if it is usable; ``step`` names the reading that succeeded.

    ``outcome`` is one of ``ok``, ``truncated``, ``unparsable``, ``wrong_shape``. A truncated answer may have a value:
    what was complete of it. ``reason``: why it is not ``ok``, for people.
    """

    value: Value | None
    outcome: Outcome = "ok"
    step: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reply(Generic[Value]):
    """Reply to a request after everything the policy allows: the last attempt, and what was read of it.

    ``outcome`` other than ``ok`` means that the model gave nothing usable, for good; ``value`` may still hold what was
    complete of a truncated answer. ``recorded``: it was on record, nothing was asked.
    """

    value: Value | None
    attempt: Attempt
    recorded: bool = False

    @property
    def outcome(self) -> Outcome:
        """The outcome of its last attempt."""
        return self.attempt.outcome


class Ask(Protocol):
    """Whatever answers requests: the network, the record, or nobody (to see what would be asked)."""

    async def __call__(self, request: Request, read: Callable[[str, bool], Reading[Value]]) -> Reply[Value]:
        """Return the final reply. ``read`` takes an answer's text and whether the provider says it was cut off.

        Raises NotAnswered where there is none, and may be one later.
        """


class NotAnswered(Exception):
    """Error: no reply for now. Nothing is known about the judge, and the evaluation stays to be done.

    ``nothing_done``: the server did nothing of what was asked, for certain, so that whatever was noted before can be
    taken back.
    """

    nothing_done = False


class Unreachable(NotAnswered):
    """Error: every try that the policy allows ended on the way; asking again later may go better."""


class Stopped(NotAnswered):
    """The run is stopping, on request or because its budget is used up; nothing was asked."""


class Fatal(NotAnswered):
    """Error: no request of this run can succeed (no valid key, no quota); the message says how to mend it."""


class NotRecorded(NotAnswered):
    """The answer is not on record, and nobody is to be asked."""
