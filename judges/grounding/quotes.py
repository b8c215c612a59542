"""Find the quotes in a judge's prose, in every style of marks, well paired or not.

Where marks face the wrong way or are left open, there are several ways to pair them; the right one is that whose quotes
stand in the texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["quote", "title", "bare"]
Reach = Callable[[str], int]
"""The number of characters of a stretch, from its beginning, that stand together in one of the texts."""

_PAIRS = dict(zip("“‘「『《〈【«〝", "”’」』》〉】»〞", strict=True))
_OPENING = {closing: opening for opening, closing in _PAIRS.items()}
_LONGEST = 2_000
"""Longest quote in characters; what seems longer was never closed."""
_LONGEST_OPEN = 80
_MOST_CLOSERS = 6
_STRAIGHT_DOUBLE = '"＂`'
_STRAIGHT_SINGLE = "'＇"
_TITLES = "《〈【"
_DOUBLE = re.compile(r"[“”\"＂]")
_MARKUP = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_LOW = re.compile(r"„([^„“”\"\n]+)[“”\"]")
_LOW_SINGLE = re.compile(r"‚([^‚‘\n]+)‘")
_INWARD = re.compile(r"»([^«»\n]+)«")
_LETTER = "[\u05d0-\u05ea]"
_IN_ACRONYM = rf"(?<={_LETTER})[\"״](?={_LETTER}(?!{_LETTER}))"
"""The mark before the last letter of a Hebrew acronym."""
_ACRONYM = re.compile(_IN_ACRONYM)
_HEBREW = re.compile(rf"(?!{_IN_ACRONYM})״((?:[^״\n]|{_IN_ACRONYM})+)(?!{_IN_ACRONYM})״")
_DOUBLED = re.compile(r"``|''|’’|‘‘")
_UNCLOSED = re.compile(  # Latin words up to another script, or anything up to a pause
    r"(?:[A-Za-z\u00c0-\u024f\d][^\u3000-\uffef“”\"，。；：、\n]*|[^，。；;：:、！？!?“”‘’「」\"'\n]+)"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Something the prose names: ``prose[start:end]`` is what was read, marks included; ``text`` is without them."""

    text: str
    start: int
    end: int
    kind: Kind = "quote"


def plain(prose: str) -> str:
    """Return ``prose`` with markdown emphasis blanked and marks facing our way, its length unchanged.

    „Quotes“, ‚quotes‘ and, where the first one so begins, »quotes« of German, Polish, Danish and others become ours;
    Hebrew's ״quotes״ too, in which the mark of an acronym is none of a quote.
    """
    prose = _HEBREW.sub(r"“\1”", _ACRONYM.sub("״", prose))
    prose = _LOW_SINGLE.sub(r"‘\1’", _LOW.sub(r"“\1”", prose))
    prose = _INWARD.sub(r"«\1»", prose) if re.match("[^«]*»", prose) else prose
    prose = _MARKUP.sub(lambda m: " " * len(m[0]), prose)
    return _DOUBLED.sub(lambda m: ' "' if m[0] in ("``", "‘‘") else '" ', prose)


def size_of(text: str) -> int:
    """Return the number of letters and digits."""
    return sum(map(str.isalnum, text))


def quotes(prose: str, reach: Reach = len) -> list[Mention]:
    """Return the quotes of a ``plain`` prose in order, outermost only. ``reach`` decides where the marks do not."""
    as_it_is = _read(prose, reach)
    marks = list(_DOUBLE.finditer(prose))
    if all(mark[0] == "“”"[k % 2] for k, mark in enumerate(marks)) and len(marks) % 2 == 0:
        return as_it_is
    in_turn = list(prose)
    for k, mark in enumerate(marks):
        in_turn[mark.start()] = "“”"[k % 2]

    def held(found: list[Mention]) -> int:
        return sum(size_of(m.text) for m in found if reach(m.text) >= len(m.text))

    return max(as_it_is, _read("".join(in_turn), reach), key=held)


def _read(prose: str, reach: Reach) -> list[Mention]:
    """Return the quotes of a prose whose marks are taken to face the right way."""
    ends = _pairs(prose)
    singles = [k for k, char in enumerate(prose) if char in _STRAIGHT_SINGLE + "’" and _closes(prose, k)]
    found: list[Mention] = []
    at = 0
    while at < len(prose):
        char, end = prose[at], -1
        if char in _PAIRS:
            end = ends.get(at, -1)
        elif char in _STRAIGHT_DOUBLE:
            end = prose.find(char, at + 1)
        if end < 0 and (char == "‘" or (char in _STRAIGHT_SINGLE and _opens(prose, at))):
            end = _single(prose, at, singles, reach)
        if at < end <= at + _LONGEST:
            if text := prose[at + 1 : end].strip():
                found.append(Mention(text, at, end + 1, "title" if char in _TITLES else "quote"))
            at = end + 1
        elif char in '“‘「"' and (left_open := _left_open(prose, at, reach)):
            found.append(left_open)
            at = left_open.end
        else:
            at += 1
    return found


def _left_open(prose: str, at: int, reach: Reach) -> Mention | None:
    """Return the quote that opens at ``at`` and is never closed: as much as stands in the texts, up to a pause."""
    match = _UNCLOSED.match(prose, at + 1, at + 1 + _LONGEST_OPEN)
    text = match[0][: reach(match[0])].strip() if match else ""
    return Mention(text, at, at + 1 + len(text)) if size_of(text) >= 2 else None


def _single(prose: str, at: int, singles: list[int], reach: Reach) -> int:
    """Return where the single quote opened at ``at`` closes: so that it stands in the texts, else at the first mark."""
    another = prose.find("‘", at + 1)
    last = min(at + _LONGEST, another if another >= 0 else len(prose))
    later = [k for k in singles if at + 2 <= k <= last][:_MOST_CLOSERS]
    whole = (k for k in later if reach(text := prose[at + 1 : k].strip()) >= len(text))
    return next(whole, later[0] if later else -1)


def _pairs(prose: str) -> dict[int, int]:
    """Return where each directional quote that is opened is closed, nested ones of a kind properly."""
    opened: dict[str, list[int]] = {opening: [] for opening in _PAIRS}
    ends: dict[int, int] = {}
    for k, char in enumerate(prose):
        if char in opened:
            opened[char].append(k)
        elif (opening := _OPENING.get(char)) and opened[opening] and not (char == "’" and _apostrophe(prose, k)):
            ends[opened[opening].pop()] = k
    return ends


def _apostrophe(prose: str, k: int) -> bool:
    """Return whether the mark at ``k`` stands inside a word, as in *else's*."""
    before, after = prose[k - 1 : k], prose[k + 1 : k + 2]
    return before.isascii() and before.isalpha() and after.isascii() and after.isalpha()


def _opens(prose: str, k: int) -> bool:
    """Return whether the straight single quote at ``k`` can open a quote."""
    before = prose[k - 1 : k] if k else ""
    return not (before.isascii() and before.isalnum())


def _closes(prose: str, k: int) -> bool:
    """Return whether the single quote at ``k`` can close a quote."""
    return k > 0 and not _apostrophe(prose, k) and not prose[k - 1].isspace()
