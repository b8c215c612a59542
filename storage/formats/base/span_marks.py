"""Error spans as Pearmut, Appraise and the WMT files write them, as marks: only how they count a text differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judges.model import Place
from storage.formats.base.items import Mark
from storage.formats.base.offsets import REASONS, Units

_READ = ("start_i", "end_i", "severity", "category", "error_type")
UNREADABLE = "is no error span that can be read"


def marks_of(spans: object, units: Units, line: int, beyond: Sequence[str] = ()) -> tuple[Mark, ...]:
    """Return the marks of a list of spans {start_i, end_i, severity, category or error_type} on one translation.

    ``units`` counts as the tool does. ``beyond``: what the places after the text's last stand for, such as
    ``[missing]``. What is no span is kept as a mark without a place. Places are within the segment, whose number is 0.
    """
    if not isinstance(spans, Sequence) or isinstance(spans, str):
        spans = [] if spans is None else [spans]
    return tuple(_mark(span, units, line, beyond) for span in spans)


def _mark(span: object, units: Units, line: int, beyond: Sequence[str]) -> Mark:
    if not isinstance(span, Mapping):
        return Mark(0, "", "", unplaced=UNREADABLE, kept={"span": span}, line=line)
    start, end = span.get("start_i"), span.get("end_i")
    category, severity = _path(span.get("category", span.get("error_type"))), _word(span.get("severity"))
    kept: dict[str, Any] = {"start_i": start, "end_i": end}
    kept |= {name: value for name, value in span.items() if name not in _READ}
    kept |= {name: span[name] for name in ("category", "error_type") if isinstance(span.get(name), list)}
    at = start - len(units) if type(start) is int and start == end else -1
    if 0 <= at < len(beyond):
        token = beyond[at]
        return Mark(
            0, category, severity, unplaced=f"stands for {token}", missing=token == MISSING, kept=kept, line=line
        )
    reason = units.reason(start, end)
    if reason is None:
        place = units.to_ours(start, end)
        assert place is not None
        return Mark(
            0, category, severity, (Place("translation", *place),), units.text[slice(*place)], kept=kept, line=line
        )
    return Mark(0, category, severity, unplaced=REASONS[reason], missing=reason == "missing", kept=kept, line=line)


MISSING = "[missing]"


def is_missing(kept: Mapping[str, Any], unplaced: str) -> bool:
    """Tell if a mark that was read from such a span stands for what is missing, by what is known of it since."""
    return "missing" in (kept.get("start_i"), kept.get("end_i")) or unplaced == f"stands for {MISSING}"


def _path(value: object) -> str:
    """A category, which some tools write as a path of names."""
    return "/".join(map(_word, value)) if isinstance(value, list) else _word(value)


def _word(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
