"""Errors of servers, in whatever words they come, as outcomes that one policy can handle."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from judges.providers.model import Allowance, Attempt, Outcome, Tokens
from judges.providers.rate_limit import LONGEST_HEEDED

LONGEST = 300
"""Characters of a message that are kept."""
_MOST_READ = 20_000
"""Characters of a message that are looked at."""

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
"""The words, in lower case, by which providers say that an answer was cut off."""

_BLOCKED = re.compile(
    r"content[_ ]?(filter|policy|management)|content exists risk|data_?inspection_?failed|moderation|flagged"
    r"|considered high risk|不安全|敏感",
    re.IGNORECASE,
)
_MONEY = r"(?:spend(?:ing)?|billing|credits?|balance|funds|prepayment|monthly[_ ](?:usage|budget)|usage[_ ]budget)"
_AT_AN_END = (
    r"(?:limit|[_ ]cap\b|exceed|reached|exhaust|deplet|insufficient|too[_ ]low|used up|not[_ ]active"
    r"|overdue|past[_ ]due)"
)
_NO_MONEY = re.compile(
    rf"{_MONEY}[^.:;\n]{{0,30}}?{_AT_AN_END}"
    r"|(?:insufficient|used all|out of|not enough|no more|no remaining)\b[^.:;\n]{0,30}"
    r"(?:credits?|balance|funds|budget)\b"
    r"|insufficient[_ ](?:quota|balance|funds|credits?)|exceeded[_ ](?:your[_ ])?current[_ ]quota|arrearage"
    r"|(?<!thinking )(?<!thinking_)budget[_ ](?:has[_ ]been[_ ])?exceeded|payment[_ ]required|monthly[_ ]limit"
    r"|key limit exceeded|account[_ ](?:is[_ ])?(?:not[_ ]active|suspended|deactivated|disabled)"
    r"|余额不足|欠费|额度(?:不足|已用)",
    re.IGNORECASE,
)
"""The words of servers at which the account has no money left, or has come to a limit that somebody set for it."""
_RATE = re.compile(r"rate[_ -]?limit|too many requests", re.IGNORECASE)
_NO_KEY = re.compile(r"invalid[_ ]api[_ ]key|incorrect api key|api key not valid", re.IGNORECASE)
_SCHEMA = re.compile(r"grammar|json_(?:schema|object)|response_format|structured output", re.IGNORECASE)
_NO_JSON = re.compile(
    r"json_validate_failed|failed to (generate|validate) json|model produced output that does not match", re.IGNORECASE
)
"""The words of servers that check an answer themselves when the model's was no JSON."""
_TIME = r"(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)(ms|s))?"
_AGAIN_IN = re.compile(rf"(?:retry|try again) in {_TIME}", re.IGNORECASE)
_SPAN = re.compile(_TIME, re.IGNORECASE)
_EPOCH = 1_000_000_000
"""Seconds above which a number is no span but a moment, counted since 1970; a thousand times that, in milliseconds."""
_YEARS = 1e8
"""Seconds beyond which a number means nothing."""
_OVERLOADED = re.compile(
    r"overload|(?:at|over|out of|no|insufficient)[_ ]capacity|too many (?:concurrent )?requests|queue is full"
    r"|high demand",
    re.IGNORECASE,
)
_CREDENTIALS = re.compile(r"(?i:\b(bearer|basic)\s+)[^\s\"',;]+|\bsk-[\w-]{8,}|(?<=://)[^/\s@]+(?=@)")


def redacted(text: str, *secrets: str) -> str:
    """Return a text without these secrets."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[key]")
    return text


def one_line(text: str, *secrets: str) -> str:
    """Return a message fit for a log: one line of printable characters, not long, without credentials."""
    text = _CREDENTIALS.sub("[key]", redacted(text[:_MOST_READ], *secrets))
    text = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def message_of(data: object, deep: int = 6) -> str:
    """Return what an error's body says to people, whichever of the usual shapes it has, down to so many levels."""
    if isinstance(data, str):
        return data[:_MOST_READ]
    if isinstance(data, list) and deep:
        return "; ".join(filter(None, (message_of(each, deep - 1) for each in data[:3])))
    if not isinstance(data, dict) or not deep:
        return ""
    for name in ("error", "errors", "detail"):
        if data.get(name) and (inner := message_of(data[name], deep - 1)):
            return inner
    said = [str(data.get("message") or data.get("msg") or "")[:_MOST_READ]]
    said += [f"[{name}: {_short(data[name])}]" for name in ("param", "code", "type", "loc") if _short(data.get(name))]
    if isinstance(metadata := data.get("metadata"), dict) and metadata.get("raw"):
        said.append(str(metadata["raw"]))
    return " ".join(filter(None, said))


def _short(value: object) -> str:
    if isinstance(value, list):
        return ".".join(_short(each) for each in value[:10] if not isinstance(each, list))
    return str(value)[:LONGEST] if isinstance(value, str | int) and not isinstance(value, bool) else ""


def outcome_of(status: int, message: str) -> Outcome:
    """Return how an attempt ended that an HTTP status (or an error's own code) and a message describe."""
    message = message[: 2 * LONGEST]
    if status == 402 or no_money(message):
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


def overloaded(attempt: Attempt) -> bool:
    """Say whether a server refused for its load: nothing is wrong with the request, and all others would fare alike."""
    broken = attempt.outcome == "server" and attempt.status == 503 and _OVERLOADED.search(attempt.error)
    return attempt.outcome == "rate_limited" or attempt.status == 529 or bool(broken)


def way_to(error: str) -> str:
    """Return how to mend it that a server cannot be reached, by what the attempt says."""
    return next((mend for words, mend in _WAYS if words.search(error)), "is the server there?")


_WAYS = (
    (
        re.compile(r"CERTIFICATE_VERIFY_FAILED|certificate verify failed", re.IGNORECASE),
        "nobody here vouches for its certificate; SSL_CERT_FILE names a file of those that you trust",
    ),
    (
        re.compile(r"WRONG_VERSION_NUMBER|HTTP_REQUEST|UNKNOWN_PROTOCOL|record layer failure", re.IGNORECASE),
        "no https is spoken there; an address with http:// may be right",
    ),
    (
        re.compile(r"name or service|nodename nor|name resolution|getaddrinfo|no address associated", re.IGNORECASE),
        "no host has that name; check the address",
    ),
)


def no_money(message: str) -> bool:
    """Say whether a message is about what the account may spend, so that no request will go better."""
    return bool(_NO_MONEY.search(message[: 2 * LONGEST]))


def status_within(error: object) -> int:
    """Return the HTTP status that an error within an answer with status 200 stands for; 500 if it does not say."""
    if isinstance(error, dict):
        for name in ("code", "status"):
            code = error.get(name)
            if isinstance(code, str) and code.isdecimal() and len(code) == 3:
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


def headers_within(error: object, headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return an answer's headers with those that a gateway repeats within the error, as OpenRouter does."""
    metadata = error.get("metadata") if isinstance(error, dict) else None
    repeated = metadata.get("headers") if isinstance(metadata, dict) else None
    if not isinstance(repeated, dict):
        return headers
    told = {name.lower(): value for name, value in list(repeated.items())[:100] if isinstance(value, str)}
    return {**told, **headers}


def retry_after(headers: Mapping[str, str], message: str = "") -> float | None:
    """Return the seconds that a server asks to wait; None if it does not.

    From its headers for that, or else as its message says, or else until what its limits say is used up is renewed.
    """
    now = _now(headers)
    milliseconds = headers.get("retry-after-ms")
    wait = _seconds(f"{milliseconds.strip()}ms", now) if milliseconds else None
    wait = _seconds(headers.get("retry-after", ""), now) if wait is None else wait
    if wait is None and (found := _AGAIN_IN.search(message[:_MOST_READ])) and any(found.groups()):
        wait = _span(found)
    used_up = [seconds for _, left, seconds in _limits(headers) if left < 1]
    return max(used_up, default=None) if wait is None else wait


def allowance(headers: Mapping[str, str], tokens: Tokens) -> Allowance | None:
    """Return how many more calls a server's headers let through, and for how long; None where they do not say.

    ``tokens``: those of this call; where tokens are limited, the coming calls are taken to be like it. Limits by the
    day are left out.
    """
    told: list[Allowance] = []
    for name, left, seconds in _limits(headers):
        used = 1
        if "token" in name:
            asked, said = tokens.input or 0, tokens.output or 0
            used = asked if "input" in name else said if "output" in name else asked + said
        if used and seconds <= LONGEST_HEEDED:
            told.append(Allowance(left / used, seconds))
    return min(told, key=lambda each: each.calls, default=None)


def _limits(headers: Mapping[str, str]) -> Iterator[tuple[str, float, float]]:
    """Yield a server's limits: the header's name, how much is left, and the seconds until all of it is there again.

    Headers of OpenAI, Anthropic and most others have a pair of names for each limit, as had the IETF's first drafts;
    later ones have a list of limits in one. Source: draft-ietf-httpapi-ratelimit-headers.
    """
    for name in headers:
        if "ratelimit" not in name:
            continue
        if "remaining" in name:
            left, renewed = headers[name], headers.get(name.replace("remaining", "reset"), "")
            found = [(left, renewed)]
        elif name == "ratelimit":
            found = [(each["left"], each["renewed"]) for each in _LISTED.finditer(headers[name][:1000])]
        else:
            continue
        for left, renewed in found:
            seconds = _seconds(renewed, _now(headers))
            if seconds is not None and _NUMBER.fullmatch(left.strip()):
                yield name, max(0.0, float(left)), seconds


_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")
_LISTED = re.compile(
    r"(?:\br|remaining)=(?P<left>\d{1,15})\b[^=]{0,20}[;,]\s*(?:t|reset)=(?P<renewed>\d{1,15})\b", re.IGNORECASE
)


def _now(headers: Mapping[str, str]) -> float:
    """The time by the server's own clock, as far as it tells: the moments that it names are by that."""
    try:
        return parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return time.time()


def _seconds(text: str, now: float) -> float | None:
    """Return the seconds from now that a header means: "30", "1m2.5s", "20ms", seconds since 1970, or a date."""
    text = text.strip()[:100]
    try:
        seconds = float(text)
    except ValueError:
        if (found := _SPAN.fullmatch(text)) and text:
            return _span(found)
        return _until(text, now)
    if not math.isfinite(seconds):
        return None
    if seconds > _EPOCH:
        seconds = (seconds if seconds < 100 * _EPOCH else seconds / 1000) - now
    return max(0.0, seconds) if seconds <= _YEARS else None


def _span(found: re.Match[str]) -> float:
    hours, minutes, rest, unit = found.groups()
    return (
        3600 * int(hours or 0)
        + 60 * int(minutes or 0)
        + float(rest or 0) / (1000 if (unit or "").lower() == "ms" else 1)
    )


def _until(date: str, now: float) -> float | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return max(0.0, read(date).timestamp() - now)
        except (ValueError, TypeError, OverflowError, OSError):
            continue
    return None


def parsed(text: str) -> Any:
    """Return a body's JSON, or None if it is none."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
