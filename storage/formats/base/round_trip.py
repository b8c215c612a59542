"""Fields that an export of ours adds to a tool's own, under ``discox``, so that an import of it is exact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judges.model import SIDES, Place
from storage.formats.base.items import Mark, Unmarked, read_ours
from storage.formats.base.span_marks import is_missing

KEY = "discox"
"""The field that holds it. Tools pass over what they do not know."""


def of_mark(mark: Mark, shown: Place | None) -> dict[str, Any]:
    """Return what a tool's own fields do not say of a mark; ``shown``: the one place that they hold."""
    written: dict[str, Any] = {}
    if mark.ours:
        written |= {"ours": list(mark.ours), "labels": [mark.category, mark.severity]}
    if shown is None or mark.places != (shown,):
        written["places"] = [list(place) for place in mark.places]
    for name in ("quote", "note", "unplaced", "missing", "kept", "line"):
        if value := getattr(mark, name):
            written[name] = value
    return written


def of_segments(value: object) -> tuple[tuple[int, float], ...]:
    """Return the segments that a score was written with; none where they are not what we write."""
    pairs = value if isinstance(value, list) else []
    read = tuple(
        (pair[0], float(pair[1]))
        for pair in pairs
        if isinstance(pair, list) and [type(each) in (int, float) for each in pair] == [True, True]
    )
    return read if len(read) == len(pairs) and all(type(number) is int for number, _ in read) else ()


def to_mark(mark: Mark, written: object, fits: Callable[[Place], bool]) -> Mark:
    """Return a mark with what was written beside it; a place that does not fit the texts is not taken."""
    if not isinstance(written, Mapping):
        return mark
    if ours := read_ours(written.get("ours")):
        match written.get("labels"):
            case [str(category), str(severity)]:
                mark = mark._replace(category=category, severity=severity)
            case _:
                mark = mark._replace(category="", severity="")
    if isinstance(places := written.get("places"), list):
        fitting = tuple(place for value in places if (place := _place(value)) and fits(place))
        mark = mark._replace(places=fitting, unplaced="" if len(fitting) == len(places) else "lies beyond its text")
    kept, line = written.get("kept"), written.get("line")
    kept = kept if isinstance(kept, Mapping) else {}
    unplaced = _text(written, "unplaced") or mark.unplaced
    return mark._replace(
        quote=_text(written, "quote"),
        note=_text(written, "note"),
        unplaced=unplaced,
        missing=written.get("missing") is True or (not mark.places and is_missing(kept, unplaced)),
        kept=kept,
        line=line if type(line) is int and 0 <= line < 1 << 53 else mark.line,
        ours=ours,
    )


def of_rows(rows: Sequence[Unmarked]) -> list[dict[str, Any]]:
    """Return rows that are no errors, as they are written; a clean one that says nothing more goes without."""
    return [
        {name: value for name in ("kind", "category", "severity", "kept", "line") if (value := getattr(row, name))}
        for row in rows
    ]


def to_rows(written: object, segment: int) -> list[Unmarked]:
    """Return the rows that were written of a segment."""
    found = []
    for row in written if isinstance(written, list) else ():
        match row:
            case {"kind": "clean" | "quality_check" | "other" as kind}:
                kept = row["kept"] if isinstance(row.get("kept"), Mapping) else {}
                line = row["line"] if type(row.get("line")) is int else 0
                found.append(Unmarked(segment, kind, _text(row, "category"), _text(row, "severity"), kept, line))
    return found


def _text(written: Mapping[Any, Any], name: str) -> str:
    value = written.get(name)
    return value if isinstance(value, str) else ""


def _place(value: object) -> Place | None:
    match value:
        case [side, int(start), int(end)] if side in SIDES and start <= end:
            return Place(side, start, end)
    return None
