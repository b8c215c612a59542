"""Forms of a request: the one that a server takes is found from its words about the form it refused."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args
from urllib.parse import urlsplit

from judges.providers.model import Attempt, Form, Format

LEAST_ROOM = 256
"""Tokens below which asking for an answer is pointless."""

_ABOUT_THE_BODY = frozenset({400, 404, 422})
"""Statuses by which servers refuse something in the body; 404 where none of several servers behind one takes it."""
_LOWER: dict[Format, Format] = {"json_schema": "json_object", "json_object": "none"}
_PARAM = re.compile(r"\[param: ([^\]]+)\]")
_FORMAT = re.compile(
    r"response_?\w*format|response_?\w*schema|json_?schema|json_?object|structured.?output|grammar|guided|\bschema\b"
    r"|json mode|mime_?type",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"max_?(completion|output|new)?_?tokens|(completion|output) tokens", re.IGNORECASE)
_TOO_LARGE = re.compile(r"too (large|big|high)|exceed|at most|less than|maximum|range|<=|≤|>", re.IGNORECASE)
_PARAMETERS = {
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "top_p": re.compile(r"\btop_?p\b", re.IGNORECASE),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
    "reasoning_effort": re.compile(r"reasoning[_. ]?effort|\breasoning\b|thinking", re.IGNORECASE),
}
_STREAMS_ONLY = re.compile(
    r"only supports? (?:the )?stream"
    r"|stream\W{0,3}(?:mode |parameter )?(?:must|has to|needs to|should) be (?:set to |true|enabled)"
    r"|(?:enable|requires?|use) (?:the )?stream(?:ing)?\b|non[- ]?stream\w* (?:\w+ ){0,4}not (?:supported|allowed)"
    r"|stream\W{0,3}(?:mode |parameter )?is required",
    re.IGNORECASE,
)
"""The words of servers that answer piece by piece or not at all."""
_NO_STREAM = re.compile(
    r"(?<!non)(?<!non[- ])\bstream(?:ing)?\b (?:\w+ ){0,4}(?:not|un)[ -]?(?:supported|allowed|available)"
    r"|(?:not|n't) support (?:\w+ ){0,2}stream|unknown (?:parameter|field)\W{1,4}stream\b",
    re.IGNORECASE,
)
"""The words of servers that answer at once or not at all."""
_NO_FORM_HELPS = re.compile(
    r"\bmodels?\b.{0,80}\b(not found|not exist|does not exist|no such|unknown)|context (?:length|window|size)",
    re.IGNORECASE,
)
"""The words of servers that have no such model, or are asked more than it takes."""
_CEILING = re.compile(
    r"at most (\d+)|\[\s*[01]\s*,\s*(\d+)\s*\]|> (\d+), which|to (\d+) \((?:in|ex)clusive\)"
    r"|(?:less than or equal to|<=|≤|exceed|maximum(?: \w+){0,4}|up to|limit of)\D{0,12}(\d+)",
    re.IGNORECASE,
)
_CONTEXT_NAMED = re.compile(r"context[_ ]?(?:length|window|size)|prompt is too long|input is too long", re.IGNORECASE)
_CONTEXT = re.compile(r"context (?:length|window|size)\D{0,20}(\d+)", re.IGNORECASE)
_INPUT = re.compile(
    r"(\d+)(?: tokens)? (?:in|of|from) (?:the |your )?(?:text|messages|input|prompt)|(\d+) (?:input|prompt) tokens",
    re.IGNORECASE,
)


_REQUESTED = re.compile(r"\blimit:? (\d{1,12}).{0,40}?\brequested:? (\d{1,12})", re.IGNORECASE)
"""The words of servers that count the room for the answer into what a request may be."""


def about_context(error: str) -> bool:
    """Say whether a server refused a request for being more than its model can hold."""
    return bool(_CONTEXT_NAMED.search(error) or _REQUESTED.search(error))


def first_form(provider: str, server: str) -> Form:
    """Return the form to begin with: everything asked for, in the words of that kind of server."""
    own = provider == "openai" and (urlsplit(server).hostname or "").endswith(".openai.com")
    return Form(limit_name="max_completion_tokens" if own else "max_tokens")


def begun_with(known: Form | None, start: Form | None) -> Form | None:
    """Return the form to begin with, by the record and by what is set: neither asks for what the other leaves out.

    None where both are None.
    """
    if known is None or start is None:
        return known or start
    order = list(get_args(Format))
    weaker = max(known.format, start.format, key=order.index)
    stream = known.stream or start.stream
    return replace(known, format=weaker, dropped=known.dropped | start.dropped, stream=stream)


def limit_of(attempt: Attempt) -> int | None:
    """Return the room for an answer that an attempt asked for, in tokens; None if it named none."""
    if "max_tokens" in attempt.form.dropped:
        return None
    return attempt.form.max_tokens or attempt.request.parameters.max_tokens


def token_limit(attempt: Attempt) -> tuple[int, bool] | None:
    """Return the room that a refusal names as the most, in tokens, and whether that holds for every request.

    It does not where the documents leave so much of the model's context. None if the refusal is not about room.
    """
    sent = limit_of(attempt)
    text = re.sub(r"(?<=\d),(?=\d{3})", "", attempt.error)
    if sent is None:
        return None
    if (context := _CONTEXT.search(text)) and (used := _INPUT.search(text)):
        left = int(context[1]) - int(used[1] or used[2])
        return (left - 16, False) if left < sent else None
    if (whole := _REQUESTED.search(text)) and (over := int(whole[2]) - int(whole[1])) > 0:
        return sent - over - 16, False
    if context is None and _LIMIT.search(text):
        for found in _CEILING.finditer(text):
            most = int(next(filter(None, found.groups())))
            if 0 < most <= sent and (most != sent or "exclusive" in found[0]):
                return most - ("exclusive" in found[0]), True
    return None


def lower_form(attempt: Attempt) -> Form | None:
    """Return the form to try after one that was refused for other reasons than room; None if nothing is left to try.

    What the refusal names is given up: one rung of the format, the limit's name, a parameter. Of a refusal that names
    nothing the format is guessed to be the reason.
    """
    form, request = attempt.form, attempt.request
    param = _PARAM.search(attempt.error)
    formatted = request.schema is not None and form.format in _LOWER
    if form.stream and "stream_options" not in form.dropped and "stream_options" in attempt.error:
        return replace(form, dropped=form.dropped | {"stream_options"})
    if not form.stream and _STREAMS_ONLY.search(attempt.error):
        return replace(form, stream=True)
    if form.stream and _NO_STREAM.search(attempt.error):
        return replace(form, stream=False)
    for text in (param[1] if param else "", attempt.error):
        if formatted and _FORMAT.search(text):
            return replace(form, format=_LOWER[form.format])
        if limit_of(attempt) is not None and _LIMIT.search(text):
            if _TOO_LARGE.search(attempt.error):
                return replace(form, dropped=form.dropped | {"max_tokens"})
            other = "max_tokens" if form.limit_name == "max_completion_tokens" else "max_completion_tokens"
            return replace(form, limit_name=other)
        for name, named in _PARAMETERS.items():
            if getattr(request.parameters, name) is not None and name not in form.dropped and named.search(text):
                return replace(form, dropped=form.dropped | {name})
    if formatted and attempt.status in _ABOUT_THE_BODY and not _NO_FORM_HELPS.search(attempt.error):
        return replace(form, format=_LOWER[form.format])
    return None
