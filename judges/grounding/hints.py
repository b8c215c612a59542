"""Paragraph hints of a judge ("第3段", "2-3", "标题"), and places named in its prose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from judges.grounding.cue_lexicon import lexer

_DIGITS = {c: k for k, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_NUMERAL = r"(?:\d{1,3}|[零〇一二两三四五六七八九十百]{1,4})"
_NUMBERS = re.compile(rf"({_NUMERAL})\s*(?:[-–—~～至到]\s*第?\s*({_NUMERAL}))?")
_TITLE = re.compile(r"标题|题目|题名|heading|title", re.I)


def number(numeral: str) -> int:
    """Return the value of a numeral in digits or in Chinese up to 999 (``十二`` → 12)."""
    if numeral.isdigit():
        return int(numeral)
    total = current = 0
    for char in numeral:
        if char in "十百":
            total, current = total + (current or 1) * (10 if char == "十" else 100), 0
        else:
            current = _DIGITS[char]
    return total + current


def _all_numbers(text: str) -> frozenset[int]:
    found: set[int] = set()
    for match in _NUMBERS.finditer(text):
        first = number(match[1])
        last = number(match[2]) if match[2] else first
        found.update(range(first, min(last, first + 40) + 1))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Hint:
    """The paragraphs a judge gave for a finding, from 1; ``title`` where it said so. Empty: it said nothing."""

    numbers: frozenset[int] = frozenset()
    title: bool = False


def read_hint(hint: str) -> Hint:
    """Read a paragraph hint in any of the forms judges use; what cannot be read is an empty hint."""
    title = bool(_TITLE.search(hint))
    return Hint(frozenset() if title else _all_numbers(hint) - {0}, title)


Kind = Literal["paragraph", "title", "sentence", "half", "nth"]
WHOLE: tuple[Kind, ...] = ("paragraph", "title")
"""Kinds of places that are whole paragraphs: of several of them any is meant, the others narrow it down."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place named beside a quote. ``numbers``: which paragraph, sentence, half or occurrence (−1: the last).

    Of paragraphs 0 is the first that is no title.
    """

    kind: Kind
    numbers: frozenset[int] = frozenset()


_PLACES: dict[str, tuple[Kind, int | None]] = {  # entry of the lexicon: its kind, its number where it names none
    "paragraph": ("paragraph", None),
    "first_paragraph": ("paragraph", 0),
    "last_paragraph": ("paragraph", -1),
    "title": ("title", 1),
    "nth": ("nth", None),
    "sentence": ("sentence", None),
    "first_sentence": ("sentence", 1),
    "last_sentence": ("sentence", -1),
    "first_half": ("half", 1),
    "last_half": ("half", -1),
}
_ORDINALS = {"首次": 1, "first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1, "final": -1}


def read_places(prose: str) -> tuple[Place, ...]:
    """Return the places named in a stretch of prose, in order."""
    found = []
    for match in lexer("place").finditer(prose):
        kind, value = _PLACES[(match.lastgroup or "").rstrip("1")]
        if value is None:
            value = next((n for word, n in _ORDINALS.items() if word in match[0].casefold()), None)
        found.append(Place(kind, _all_numbers(match[0]) if value is None else frozenset({value})))
    return tuple(found)
