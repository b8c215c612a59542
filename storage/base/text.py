"""Text as a database can hold it and be asked for it; what comes from outside may be bytes that are no text at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

Value = TypeVar("Value")

_UNFIT = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """Return the text with NUL, where SQL takes a text to end, and lone surrogates, which have no UTF-8, replaced.

    Each becomes U+FFFD, one for one.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNFIT.sub("\ufffd", text)
    return text.replace("\0", "\ufffd") if "\0" in text else text


def utc(moment: datetime, precision: str = "microseconds") -> str:
    """Return a moment as ISO 8601 in UTC, ending in ``Z``; of one precision, the texts sort as the moments do."""
    return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def is_whole(text: str) -> bool:
    """Tell if a text has no lone surrogates, which have no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def for_like(text: str) -> str:
    """Return the text as a pattern of SQL's ``LIKE … ESCAPE '\\'`` that matches it literally."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def named_by(given: str, ids: Iterable[str]) -> list[str]:
    """Return the id that is given, whole, or else those that begin with it; nothing begins with nothing."""
    known = list(ids)
    return [given] if given in known else [each for each in known if given and each.startswith(given)]


def storable_all(value: Value) -> Value:
    """Return a value, a tuple or a dataclass with every text in it made storable."""
    changed: Any = value
    if isinstance(value, str):
        changed = storable(value)
    elif isinstance(value, tuple):
        changed = tuple(map(storable_all, value))
    elif is_dataclass(value) and not isinstance(value, type):
        parts = ((part.name, getattr(value, part.name)) for part in fields(value))
        other = {name: new for name, old in parts if (new := storable_all(old)) != old}
        changed = replace(value, **other) if other else value
    return cast("Value", changed)
