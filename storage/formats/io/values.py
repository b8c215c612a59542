"""Single values of other tools' files, read whatever their type: never an error, nothing guessed."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from storage.base.repeats import LATEST

LARGEST = 1e12
"""Scores may be as far from 0 as this."""


def word(value: object) -> str:
    """A name or label as text; "" for what is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else "" if value is None or isinstance(value, (list, dict)) else str(value)


def points_text(value: object) -> str:
    """Rubric points as one text, a line each where they are a list of texts; "" for what is neither."""
    if isinstance(value, list) and value and all(isinstance(point, str) for point in value):
        return "\n".join(" ".join(point.split()) for point in value)
    return word(value)


def number(value: object) -> float | None:
    """A finite number, also one written as text; None for what is none."""
    if isinstance(value, str):
        text = value.strip()
        value = float(text) if _NUMBER.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) + 0.0 if abs(value) <= LARGEST and math.isfinite(value) else None


def decimal(value: object) -> float | None:
    """A number as `number` reads it, also one with a decimal comma where that is sure: “73,5”, but not “1,234”."""
    if isinstance(value, str) and _COMMA.fullmatch(value.strip()):
        value = value.replace(",", ".")
    return number(value)


_COMMA = re.compile(r"[-+]?(\d{1,12},(\d{1,2}|\d{4,12})|0,\d{1,12}|\d{4,12},\d{1,12})", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\d{1,300}(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?", re.IGNORECASE | re.ASCII)


def wmt_names(identity: str) -> tuple[str, str, str, str]:
    """Return document, direction, domain and line of a segment's id like WMT's ``lp_#_domain_#_document_#_line``.

    Earlier years have ``document_#_line``, and WMT26 the marks ``_###_``. The document is "" for an id of another form.
    """
    stem, _, line = identity.rpartition(_WMT26 if _WMT26 in identity else _WMT25)
    return stem, *wmt_document(stem), line


def wmt_document(identity: str) -> tuple[str, str]:
    """Return direction and domain of a document's id like WMT's, "" for what it does not say.

    WMT25 has ``lp_#_domain_#_document``; WMT26 ``set_###_domain_###_source_###_target_###_document``, perhaps without
    the set, and in its campaigns ``domain_###_document``.
    """
    match identity.split(_WMT26):
        case [_, domain, source, target, _, *_] | [domain, source, target, _]:
            return f"{source}→{target}", domain
        case [domain, _]:
            return "", domain
    parts = identity.split(_WMT25)
    return (parts[0] if "-" in parts[0] else "", parts[1]) if len(parts) >= 3 else ("", "")


_WMT25, _WMT26 = "_#_", "_###_"
"""The marks between the parts of an id."""


def moment(value: object) -> float | None:
    """A time in seconds since 1970: a number of seconds or milliseconds, also as text, or a time as ISO 8601 writes it.

    One that names no offset is taken as UTC. None for what is no time.
    """
    if isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
        try:
            read = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    given = float(value)
    if not 0 <= given < LATEST * 1000:
        return None
    return given / 1000 if given >= LATEST else given


def latest_moment(value: object) -> float | None:
    """The latest of the times in a value or a list of them, or of lists; None where there is none."""
    if not isinstance(value, list):
        return moment(value)
    return max((time for each in value if (time := latest_moment(each)) is not None), default=None)
