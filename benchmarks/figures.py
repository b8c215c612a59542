"""Measured figures and the table of them: a name, a value, a target where one is promised, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict


class Figure(TypedDict):
    """One measured figure. ``target`` is like "≤ 1.25" or "≥ 20", None where nothing is promised; so is ``ok``."""

    name: str
    value: float
    unit: str
    target: str | None
    ok: bool | None


def figure(name: str, value: float, unit: str, target: str | None = None) -> Figure:
    """Return a figure held against its target."""
    ok = None
    if target is not None:
        sign, limit = target.split()
        ok = value <= float(limit) if sign == "≤" else value >= float(limit)
    return {"name": name, "value": round(value, 3 if abs(value) < 1 else 2), "unit": unit, "target": target, "ok": ok}


def table(figures: Iterable[Figure]) -> str:
    """Return the figures as lines: what, measured, unit, target, verdict."""
    verdicts = {True: "ok", False: "MISSED", None: ""}
    return "\n".join(
        f"{each['name']:<58} {each['value']:>10,.10g} {each['unit']:<10} {each['target'] or '':<8} "
        f"{verdicts[each['ok']]}".rstrip()
        for each in figures
    )
