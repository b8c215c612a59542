"""Checks of an event of the building log by its values alone, the same whichever way it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from storage.base.text import storable
from storage.benchmark.candidates import BUILD_DECISIONS, DETAILS, STAGES
from storage.benchmark.events import BuildEvent, BuildKind
from storage.reviews.event_checks import EventError, changes_of, counter_of, time_of

KINDS: tuple[BuildKind, ...] = get_args(BuildKind)

_OF_ONE: tuple[BuildKind, ...] = ("added", "revised", "decided", "settled", "checked_off")
"""The kinds that are of one candidate."""


def build_event_of_row(row: Sequence[Any]) -> BuildEvent:
    """Return the event of a row of ``building_events.COLUMNS``, whatever the columns hold. Raises EventError."""
    identity, at, person, kind, candidate, changes, target, counter = row
    for name, value, needed in (
        *(("id", identity, True), ("at", at, True), ("person", person, True), ("kind", kind, True)),
        ("candidate", candidate, kind in _OF_ONE),
        ("target", target, kind in ("undo", "redo")),
    ):
        absent = value is None and not needed and name == "target"
        if not (absent or (isinstance(value, str) and value == storable(value) and (value.strip() or not needed))):
            raise EventError(name, f"must be a {'non-empty ' * needed}text, not {value!r:.40}")
    if kind not in KINDS:
        raise EventError("kind", f"must be one of {', '.join(KINDS)}, not {kind!r:.40}")
    said = changes_of(changes)
    if not isinstance(said, dict):
        raise EventError("changes", "must be an object")
    for name, (fits, shape) in _SHAPES.get(kind, {}).items():
        if not fits(said.get(name)):
            raise EventError(f"changes.{name}", f"must be {shape}")
    return BuildEvent(identity, time_of(at), person, kind, candidate, said, target, counter_of(counter))


Shape = tuple[Callable[[Any], bool], str]


def _text(needed: bool = True) -> Shape:
    return lambda value: isinstance(value, str) or (value is None and not needed), "a text"


def _one_of(values: Sequence[object], needed: bool = True) -> Shape:
    named = ", ".join(map(str, values))
    return lambda value: (value in values and not isinstance(value, bool)) or (value is None and not needed), (
        f"one of {named}"
    )


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40


def _are_points(value: Any) -> bool:
    from judges.benchmark.rubric.points import from_json

    try:
        return isinstance(value, list) and all(isinstance(each, Mapping) and from_json(each) for each in value)
    except ValueError:
        return False


def _are_quotas(value: Any) -> bool:
    from judges.benchmark.selection.selection import quotas_from_json

    try:
        quotas_from_json({"quotas": value})
    except ValueError:
        return False
    return True


def _are_lengths(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(each, list) and len(each) == 2 and _is_count(each[0]) and isinstance(each[1], str)
        for each in value.values()
    )


def _is_rule(value: Any) -> bool:
    from storage.benchmark.difficulty import rule_from_json

    if not isinstance(value, dict):
        return False
    numbers = [value.get(name) for name in ("min_failed", "min_share")]
    if not all(each is None or (isinstance(each, int | float) and not isinstance(each, bool)) for each in numbers):
        return False
    try:
        rule_from_json(value)
    except ValueError:
        return False
    return True


def _are_seconds(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(each, int | float) and not isinstance(each, bool) and 0 <= each < 1e9 for each in value.values()
    )


_VERSION: dict[str, Shape] = {
    "article_id": _text(),
    "points": (lambda value: value is None or _are_points(value), "a list of rubric points"),
    **{name: _text(needed=False) for name in (*DETAILS, "note", "base", "file")},
    "line": (lambda value: value is None or _is_count(value), "the number of a line"),
}
_DECISION: dict[str, Shape] = {
    "decision": _one_of(BUILD_DECISIONS),
    "article_id": _text(),
    "reason": _text(needed=False),
    "stage": _one_of(STAGES, needed=False),
}
_SHAPES: dict[BuildKind, dict[str, Shape]] = {
    "added": _VERSION,
    "revised": _VERSION,
    "decided": _DECISION,
    "settled": _DECISION,
    "assigned": {
        "people": (
            lambda value: isinstance(value, dict) and all(map(_texts, value.values())),
            "an object of lists of names, by candidate",
        )
    },
    "quotas": {"quotas": (_are_quotas, "a list of quotas")},
    "lengths": {"least": (_are_lengths, "an object of [count, unit], by language")},
    "filtered": {
        "rule": (_is_rule, "the rule of a filter"),
        **dict.fromkeys(("systems", "signatures"), (_texts, "a list of texts")),
        "candidates": (
            lambda value: isinstance(value, dict) and _texts(list(value.values())),
            "an object of articles, by candidate",
        ),
    },
    "checked_off": {"finding": _text(), "why": _text(needed=False)},
    "time": {"seconds": (_are_seconds, "an object of seconds, 0 or more")},
}
"""The values that an event's changes must hold, by kind: a check of the field, and that in words."""
