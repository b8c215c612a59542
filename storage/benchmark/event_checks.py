"""Rules of the benchmark's log: the values that an event's changes must hold, by kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

from storage.benchmark.candidates import BUILD_DECISIONS, DETAILS, ROLES, STAGES
from storage.benchmark.events import BUILD_EVENTS, BuildKind
from storage.log.rules import EventRules, Rule, is_count, one_of, optional, seconds, such, text


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _lists(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_texts, value.values()))


def _are_roles(value: Any) -> bool:
    return _lists(value) and all(role in ROLES for roles in value.values() for role in roles)


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
        isinstance(each, list) and len(each) == 2 and is_count(each[0]) and isinstance(each[1], str)
        for each in value.values()
    )


def _is_rule(value: Any) -> bool:
    from storage.benchmark.difficulty import rule_from_json

    if not isinstance(value, dict):
        return False
    numbers = [value.get(name) for name in ("min_failed", "min_share")]
    if not all(each is None or _is_number(each) for each in numbers):
        return False
    try:
        rule_from_json(value)
    except ValueError:
        return False
    return True


def _is_written(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("filter"), dict | None):
        return False
    return all(is_count(value[name]) for name in ("prompt_id", "version") if name in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_OF_ARTICLES = "an object of articles, by candidate"
_VERSION: dict[str, Rule] = {
    "article_id": text,
    "points": optional(such(_are_points, "a list of rubric points")),
    **dict.fromkeys((*DETAILS, "note", "base", "file"), optional(text)),
    "line": optional(such(is_count, "the number of a line")),
    "written": optional(such(_is_written, "what a data set says of a version")),
}
_DECISION: dict[str, Rule] = {
    "decision": one_of(BUILD_DECISIONS),
    "article_id": text,
    "reason": optional(text),
    "stage": optional(one_of(STAGES)),
    "without": optional(such(_texts, "a list of texts")),
}
_WITHOUT: dict[str, Rule] = {
    "without": optional(such(_lists, "an object of lists of conditions, by candidate")),
    "articles": optional(such(lambda value: isinstance(value, dict) and _texts(list(value.values())), _OF_ARTICLES)),
    "why": optional(text),
}
_KINDS: dict[str, dict[str, Rule]] = {
    **{kind: {} for kind in get_args(BuildKind)},
    "added": _VERSION,
    "revised": _VERSION,
    "decided": _DECISION,
    "settled": _DECISION,
    "assigned": {
        "people": such(_lists, "an object of lists of names, by candidate"),
        **_WITHOUT,
    },
    "quotas": {"quotas": such(_are_quotas, "a list of quotas")},
    "lengths": {"least": such(_are_lengths, "an object of [count, unit], by language")},
    "filtered": {
        "rule": such(_is_rule, "the rule of a filter"),
        **dict.fromkeys(("systems", "signatures"), such(_texts, "a list of texts")),
        "candidates": such(lambda value: isinstance(value, dict) and _texts(list(value.values())), _OF_ARTICLES),
        "judge": optional(text),
    },
    "checked_off": {"finding": text, "why": optional(text)},
    "written": _WITHOUT,
    "people": {"roles": such(_are_roles, f"an object of lists of {', '.join(ROLES)}, by name")},
    "hours": {
        "of": text,
        "stage": one_of(STAGES),
        "seconds": such(_is_number, "a number"),
        "what": optional(text),
    },
    "target": {"share": such(lambda value: _is_number(value) and 0 < value <= 1, "a share above 0 and at most 1")},
    "time": {"seconds": seconds},
}

RULES = EventRules(
    BUILD_EVENTS,
    names={},
    needed={"candidate": ("added", "revised", "decided", "settled", "checked_off"), "target": ("undo", "redo")},
    kinds=_KINDS,
    closed=False,
)
"""The rules of the benchmark's log. Other fields than these may stand beside them."""
