"""Things that go along with every call, as people type them; a module of its own, as command line and app read them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence

from judges.providers.model import as_fields
from judges.providers.wire import is_header
from storage.base.text import storable

Pair = tuple[str, str]

_OURS = frozenset(
    (
        *("model", "messages", "stream", "stream_options", "response_format", "n", "max_tokens"),
        *("max_completion_tokens", "temperature", "top_p", "seed", "reasoning_effort"),
        *("contents", "systemInstruction", "generationConfig", "maxOutputTokens", "topP"),
        *("responseMimeType", "responseJsonSchema", "responseSchema", "thinkingConfig", "candidateCount"),
    )
)
"""Fields of a request that its own options set, or that the program has to."""
_KEYLIKE = re.compile(r"(^|[_-])(api_?key|secret|password|credentials?|access_?token|authorization)$", re.IGNORECASE)


def pair(given: str) -> Pair:
    """Return a name and a value. Raises ValueError, which does not repeat what was given: it may hold a secret."""
    called, equals, value = given.partition("=")
    if not equals or not called.strip() or not value.strip():
        raise ValueError("takes NAME=VALUE, with neither empty")
    return storable(called.strip()), storable(value.strip())


def header(given: str) -> Pair:
    """Return the name and the value of a header. Raises ValueError."""
    called, value = pair(given)
    if not is_header(called, value):
        raise ValueError(f"{called:.60}: can be no header of yours, or its value none")
    return called, value


def param(given: str) -> Pair:
    """Return a further field of the request, and its value as JSON. Raises ValueError."""
    called, text = pair(given)
    if called in _OURS:
        raise ValueError(f"{called}: is set by an option of its own, or by the program")
    if _KEYLIKE.search(called):
        raise ValueError(f"{called}: fields are kept on record; a key goes with --key-env or --header")
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        value = text
    return as_fields({called: value})[0]


def _no_number(word: str) -> None:
    raise ValueError(word)


def several(line: str, read: Callable[[str], Pair]) -> list[Pair]:
    """Return what ``read`` makes of each NAME=VALUE in a line, quoted as in a shell. Raises ValueError."""
    return [read(each) for each in shlex.split(line)]


def as_line(pairs: Sequence[Sequence[str]]) -> str:
    """Return pairs as a line that `several` reads."""
    return shlex.join(f"{called}={value}" for called, value in pairs)
