"""Read what a model answers when it mends a passage, and when it compares two versions of one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from judges.metric_s.reading.answers import CUT_OFF, NOT_READABLE
from judges.metric_s.reading.json_answer import SEVERAL, without_thinking
from judges.metric_s.reading.key_scan import Looks, read_json
from judges.metric_s.reading.labels import normal
from judges.metric_s.reading.material import NOTHING_SHOWN, Material
from judges.providers.model import Reading

Value = TypeVar("Value")

BETTER = ("first", "second", "equal")
"""The words that a comparison ends in."""
_LONGEST = 20_000
"""Characters of a passage; a model that writes more goes round in circles."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two versions. ``better``: one of `BETTER`; ``explanation``: what speaks for it."""

    better: str
    explanation: str


def read_mend(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[str]:
    """Read a mended passage, on one line, in the texts' own words; empty where nothing of it should remain."""

    def value(said: dict[str, Any]) -> str | None:
        mended = said["mended"]
        if not isinstance(mended, str) or len(mended) > _LONGEST:
            return None
        return str(material.restored(" ".join(mended.splitlines()).strip()))

    return _read(text, cut, "mended", value)


def read_comparison(text: str, cut: bool, material: Material = NOTHING_SHOWN) -> Reading[Comparison]:
    """Read which of two versions is better, and why; anything but one of the three words is no decision."""

    def value(said: dict[str, Any]) -> Comparison | None:
        better, why = normal(said["better"]), said.get("explanation")
        if not isinstance(said["better"], str) or better not in BETTER:
            return None
        return Comparison(better, str(material.restored(why)) if isinstance(why, str) else "")

    return _read(text, cut, "better", value)


def _read(text: str, cut: bool, key: str, value: Callable[[dict[str, Any]], Value | None]) -> Reading[Value]:
    """Read the one JSON object that has a key: alone, or in what a model says around it; never raises."""
    try:
        (whole, contradicts), step = read_json(text), "json"
        said = [whole]
    except (ValueError, RecursionError):
        (said, contradicts), step = _objects(without_thinking(text)), "objects"
    found = [each for each in said if isinstance(each, dict) and key in each]
    if not found:
        return Reading(None, "truncated", reason=CUT_OFF) if cut else Reading(None, "unparsable", reason=NOT_READABLE)
    values = [value(each) for each in found]
    first = values[0]
    if first is None or any(each is None for each in values):
        return Reading(None, "wrong_shape", step, f"“{key}” is not what was asked for")
    if contradicts or any(each != first for each in values):
        return Reading(None, "wrong_shape", step, SEVERAL)
    return Reading(first, step=step)


def _objects(text: str) -> tuple[list[Any], bool]:
    """The JSON objects that stand in a text, one after the other, and whether one of them contradicts itself."""
    looks, found, at, contradicts = Looks(text), list[Any](), 0, False
    try:
        while (start := text.find("{", at)) >= 0:
            try:
                each, at = looks.decode(start)
                found.append(each)
                contradicts = contradicts or looks.pairs.contradict
            except json.JSONDecodeError:
                at = start + 1
    except (ValueError, RecursionError):
        return [], False
    return found, contradicts
