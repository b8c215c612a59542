"""JSON that every reader takes alike: no key twice, no NaN, no depth without end, no half characters."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from storage.base.text import is_whole

TOO_DEEP = "is nested too deeply to be read"
DEEPEST = 200
"""The most lists and objects that may be nested; SQLite gives up at 1,000, Python at its recursion limit."""


def read_json(text: str) -> Any:
    """Return what a text of JSON says. Raises ValueError where two readers could take it for different things.

    That is where a key stands twice, and where a number is none or has no end. For the rest there is ``check_json``.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def check_json(value: Any) -> None:
    """Raise ValueError for a value, made of JSON's types, with a text or number that cannot be stored, or too deep."""
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            raise ValueError(TOO_DEEP)
        depth += 1
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below += each
                below += each.values()
            elif isinstance(each, list):
                below += each
            elif isinstance(each, str):
                if not each.isascii() and not is_whole(each):
                    raise ValueError("holds half a character (a lone surrogate)")
            elif isinstance(each, float) and not math.isfinite(each):
                raise ValueError(f"holds {each}, which is no number of JSON")
        level = below


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"says {next(name for name in names if names.count(name) > 1)!r:.40} twice")
    return made


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"holds {name}, which is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"holds {digits:.40}, a number without end")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite)
