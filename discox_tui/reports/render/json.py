"""Figures and what holds them as JSON for programs, without NaN: what is undefined is null, and says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from judges.consistency.crosstabs import Crosstab
from judges.consistency.error_slices import SliceOutcome
from judges.stats.figure import Figure, Interval
from judges.stats.resampling import Estimate


def whole(figure: Figure) -> dict[str, Any]:
    """A figure with all that is known of its interval.

    ``{"value", "n"}``, with ``"why"`` where the value is null, ``"groups": {"used", "total"}`` where it is a mean over
    groups, and ``"interval"`` where it has one: ``{"low", "high", "method", "articles", "resamples", "dropped",
    "seed"}``, with ``"why"`` where both ends are null and ``"warning"`` where it rests on few articles. ``"left_out"``:
    reason → how many, where it leaves anything out.
    """
    why = {"why": figure.why} if figure.value is None else {}
    groups = {"groups": dict(zip(("used", "total"), figure.groups, strict=True))} if figure.groups else {}
    interval = {"interval": _interval(figure.interval)} if figure.interval else {}
    return {"value": figure.value, "n": figure.n, **why, **groups, **interval, **_left_out(figure)}


def ended(figure: Figure) -> dict[str, Any]:
    """A figure with both ends of its interval as an array, and why it or they are null."""
    interval = ends_of(figure.interval)
    why = {"why": figure.why} if figure.value is None else {}
    undefined = {"interval_why": figure.interval.why} if figure.interval and interval is None else {}
    return {"value": figure.value, "n": figure.n, **why, "interval": interval, **undefined, **_left_out(figure)}


def flat(figure: Figure) -> dict[str, Any]:
    """A figure with ``"low"`` and ``"high"`` where it has an interval, and what there is to say of either."""
    found: dict[str, Any] = {"value": figure.value, "n": figure.n}
    if figure.interval:
        found |= {"low": figure.interval.low, "high": figure.interval.high}
    why = figure.why or (figure.interval.caution if figure.interval else "")
    return found | ({"why": why} if why else {}) | _left_out(figure)


def _left_out(figure: Figure | Estimate) -> dict[str, Any]:
    """Return what a figure leaves out: reason → how many, where there is any."""
    return {"left_out": dict(figure.left_out)} if figure.left_out else {}


def plain(value: Any, figure: Callable[[Figure], dict[str, Any]] = whole) -> Any:
    """Return what `json.dumps` takes: dataclasses and mappings become objects, tuples and lists arrays.

    ``figure``: what a figure becomes.
    """
    match value:
        case Figure():
            return figure(value)
        case Estimate():
            own = {name: getattr(value, name) for name in ("value", "n", "low", "high")}
            return own | ({"why": value.why} if value.why else {}) | _left_out(value)
        case Crosstab():
            rows = zip(value.rows, value.counts, strict=True)
            return {row: dict(zip(value.columns, counts, strict=True)) for row, counts in rows}
        case SliceOutcome():
            counts = {name: getattr(value, name) for name in ("decided", "articles", "rejected", "moved")}
            return {**value.spot._asdict(), **counts, "rate": figure(value.rate)}
        case Mapping():
            return {str(key): plain(part, figure) for key, part in value.items()}
        case list() | tuple():
            return [plain(part, figure) for part in value]
        case _ if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name), figure) for field in fields(value)}
    return value


def ends_of(interval: Interval | None) -> list[float] | None:
    """Both ends of an interval, or None where it is undefined."""
    both = interval.ends if interval else None
    return None if both is None else list(both)


def _interval(of: Interval) -> dict[str, Any]:
    known = {name: getattr(of, _NAMES.get(name, name)) for name in _INTERVAL}
    return known | {name: said for name in ("why", "warning") if (said := getattr(of, name))}


_INTERVAL = ("low", "high", "method", "articles", "resamples", "dropped", "seed")
_NAMES = {"articles": "clusters"}
