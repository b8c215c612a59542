"""Errors of servers, in whatever words they come, as outcomes that one policy can handle."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from judges.providers.model import Outcome

LONGEST = 300
"""Characters of a message that are kept."""

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
"""The words, in lower case, by which providers say that an answer was cut off."""

_BLOCKED = re.compile(
    r"content[_ ]?(filter|policy|management)|content exists risk|data_?inspection_?failed|moderation|flagged"
    r"|considered high risk|不安全|敏感",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(
    r"insufficient[_ ](quota|balance|funds|credits?)|exceeded your current quota|arrearage|credit balance is too low"
    r"|余额不足|欠费",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate[_ -]?limit|too many requests", re.IGNORECASE)
_NO_KEY = re.compile(r"invalid[_ ]api[_ ]key|incorrect api key|api key not valid", re.IGNORECASE)
_SCHEMA = re.compile(r"grammar|json_(?:schema|object)|response_format|structured output", re.IGNORECASE)
_NO_JSON = re.compile(
    r"json_validate_failed|failed to (generate|validate) json|model produced output that does not match", re.IGNORECASE
)
"""The words of servers that check an answer themselves when the model's was no JSON."""
_AGAIN_IN = re.compile(r"(?:retry|try again) in (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?i:\b(bearer|basic)\s+)[^\s\"',;]+|\bsk-[\w-]{8,}")


def redacted(text: str, *secrets: str) -> str:
    """Return a text without these secrets."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[key]")
    return text


def one_line(text: str, *secrets: str) -> str:
    """Return a message fit for a log: one line of printable characters, not long, without credentials."""
    text = _CREDENTIALS.sub("[key]", redacted(text[:20_000], *secrets))
    text = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def message_of(data: object) -> str:
    """Return what an error's body says to people, whichever of the usual shapes it has."""
    if isinstance(data, str):
        return data
    if isinstance(data, list):
        return "; ".join(filter(None, map(message_of, data[:3])))
    if not isinstance(data, dict):
        return ""
    for name in ("error", "errors", "detail"):
        if data.get(name) and (inner := message_of(data[name])):
            return inner
    said = [str(data.get("message") or data.get("msg") or "")]
    said += [f"[{name}: {_short(data[name])}]" for name in ("param", "code", "type", "loc") if _short(data.get(name))]
    if isinstance(metadata := data.get("metadata"), dict) and metadata.get("raw"):
        said.append(str(metadata["raw"]))
    return " ".join(filter(None, said))


def _short(value: object) -> str:
    if isinstance(value, list):
        return ".".join(map(str, value))
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def outcome_of(status: int, message: str) -> Outcome:
    """Return how an attempt ended that an HTTP status (or an error's own code) and a message describe."""
    message = message[: 2 * LONGEST]
    if status == 402 or (status in (400, 403, 429) and _NO_MONEY.search(message)):
        waits = status == 429 and "insufficient" not in message.lower() and _AGAIN_IN.search(message)
        return "rate_limited" if waits else "quota"
    if status == 429:  # one that is larger than what a whole minute allows has no better minute
        return "bad_request" if "request too large" in message.lower() else "rate_limited"
    if status in (400, 422, 500) and _NO_JSON.search(message):
        return "unparsable"
    if status in (400, 403, 422, 451) and _BLOCKED.search(message):
        return "blocked"
    if status in (401, 403, 407) or (status == 400 and _NO_KEY.search(message)):
        return "auth"
    if status in (408, 504, 524):
        return "timeout"
    if status in (409, 425) or (status >= 500 and status != 501 and not _SCHEMA.search(message)):
        return "server"
    return "bad_request"


def status_within(error: object) -> int:
    """Return the HTTP status that an error within an answer with status 200 stands for; 500 if it does not say."""
    if isinstance(error, dict):
        for name in ("code", "status"):
            code = error.get(name)
            if isinstance(code, str) and code.isdecimal():
                code = int(code)
            if isinstance(code, int) and 400 <= code < 600:
                return code
    said = message_of(error)
    if _NO_MONEY.search(said):
        return 402
    if _NO_KEY.search(said):
        return 401
    if _RATE.search(said):
        return 429
    return 400 if _BLOCKED.search(said) else 500


def retry_after(headers: Mapping[str, str], message: str = "") -> float | None:
    """Return the seconds that a server asks to wait: from its headers, or else as its message says; None if neither."""
    try:
        seconds = float(headers["retry-after-ms"]) / 1000
    except (KeyError, ValueError):
        given = headers.get("retry-after")
        try:
            seconds = float(given) if given else math.nan
        except ValueError:
            try:
                seconds = parsedate_to_datetime(given or "").timestamp() - time.time()
            except (ValueError, TypeError, OverflowError):
                seconds = math.nan
    if not math.isfinite(seconds) and (found := _AGAIN_IN.search(message)) and any(found.groups()):
        hours, minutes, rest, unit = found.groups()
        seconds = 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(rest or 0) / (1000 if unit == "ms" else 1)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def parsed(text: str) -> Any:
    """Return a body's JSON, or None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
