"""Result of one check of a candidate; apart, since every check makes one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

CheckCode = Literal[
    "empty",
    "unreadable",
    "language",
    "mixed_language",
    "length",
    "truncated",
    "begins_amid",
    "ends_amid",
    "dangling_reference",
    "missing_figure",
    "missing_note",
    "unclosed",
    "direction",
    "no_points",
    "few_points",
    "domain",
    "origin",
    "licence",
]
CHECK_CODES: tuple[CheckCode, ...] = get_args(CheckCode)

Level = Literal["blocks", "warns", "remarks"]
"""``blocks``: as it is, no result on this text would mean anything, or nobody could use it. ``warns``: somebody should
look. ``remarks``: good to know."""
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is wrong with a candidate, and what mends it; a text has at most one of each code.

    ``start``, ``end``: the first place in question, as code points of the text; None where it is about all of it.
    """

    code: CheckCode
    severity: Level
    message: str
    mend: str
    start: int | None = None
    end: int | None = None


def listed(names: list[str], most: int = 5) -> str:
    """Return names as people list them, each once and the first few only."""
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - most} more" if len(distinct) > most else ""
    return ", ".join(distinct[:most]) + more
