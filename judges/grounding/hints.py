"""Paragraph hints of a judge ("第3段", "2-3", "标题"), and places named in its prose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

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
        if char == "十":
            total, current = total + (current or 1) * 10, 0
        elif char == "百":
            total, current = total + (current or 1) * 100, 0
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


Kind = Literal["paragraph", "title", "sentence", "half", "nth", "next"]
WHOLE: tuple[Kind, ...] = ("paragraph", "title")
"""Kinds of places that are whole paragraphs: of several of them any is meant, the others narrow it down."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place named beside a quote. ``numbers``: which paragraph, sentence, half or occurrence (−1: the last).

    Of paragraphs 0 is the first that is no title.
    """

    kind: Kind
    numbers: frozenset[int] = frozenset()


_PLACES: tuple[tuple[Kind, re.Pattern[str], int | None], ...] = (
    (
        "paragraph",
        re.compile(
            rf"第\s*({_NUMERAL}(?:\s*[、,，和与及至\-–—~～]\s*第?{_NUMERAL})*)\s*(?:自然)?段"
            r"|(?:paragraphs?|paras?\.?|¶)\s*(\d+(?:\s*(?:,|and|-)\s*\d+)*)",
            re.I,
        ),
        None,
    ),
    ("paragraph", re.compile(r"首段|开篇段|first paragraph|opening paragraph", re.I), 0),
    ("paragraph", re.compile(r"[末尾]段|最后一段|last paragraph|final paragraph|closing paragraph", re.I), -1),
    ("title", re.compile(r"(?<!副)(?:小?标题|题目)(?!党)|(?:the |in the |sub)?(?:heading|title)\b", re.I), 1),
    (
        "nth",
        re.compile(
            rf"第({_NUMERAL})[处次](?:出现)?|首次|(?:the )?(first|second|third) (?:occurrence|instance|mention|time)",
            re.I,
        ),
        None,
    ),
    (
        "sentence",
        re.compile(
            rf"(?<!同)第({_NUMERAL})(?:个)?(?:句|分句)|(?:the )?(first|second|third|fourth|last|final) sentence", re.I
        ),
        None,
    ),
    ("sentence", re.compile(r"首句|[段句]首|开头|开篇|第一句|opening sentence|at the (?:start|beginning)", re.I), 1),
    ("sentence", re.compile(r"末句|尾句|最后一句|[段句]末|段尾|结尾|文末|末尾|closing sentence|at the end", re.I), -1),
    ("half", re.compile(r"前半[句段部]?|前一?分句|first half|first clause", re.I), 1),
    ("half", re.compile(r"后半[句段部]?|后一?分句|second half|second clause", re.I), -1),
    (
        "next",
        re.compile(
            r"[下上前]一[句段]|(?<!最)后一[句段]|另一处|随后|紧接着|接下来"
            r"|the (?:next|previous|following) (?:sentence|paragraph)",
            re.I,
        ),
        1,
    ),
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1, "final": -1}


def read_places(prose: str) -> tuple[Place, ...]:
    """Return the places named in a stretch of prose, in the order of the table (paragraphs first)."""
    found = []
    for kind, pattern, value in _PLACES:
        for match in pattern.finditer(prose):
            if value is not None:
                numbers = frozenset({value})
            else:
                named = next((group for group in match.groups() if group), "1")
                ordinal = _ORDINALS.get(named.casefold())
                numbers = frozenset({ordinal}) if ordinal else _all_numbers(named)
            found.append(Place(kind, numbers))
    return tuple(found)
