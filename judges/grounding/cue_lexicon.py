"""Lexicon of cues: the Chinese and English words by which a judge says what a quote, or an error, is.

A cue's name says what it does to the quote after it (or, in the section ``tail``, to the quote before it). Order
matters: at any position the first entry that matches is taken, so composite phrases stand above their parts.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from judges.words import expression, word_tables

Cue = Literal[
    "hard",  # the sentence ends: nothing carries over
    "soft",  # a comma, colon or bracket
    "but",
    "forbid",  # not to be rendered as …
    "instead",  # … rather than (what stands there now)
    "nothing",  # neutral phrase that holds another cue's letters
    "absent",  # the source does not have …, the translation adds …
    "suggest",
    "change",  # changed to …: a suggestion, or what the translation does from one place to the next
    "compare",  # unlike …, like …
    "elsewhere",
    "gloss",
    "fine",
    "poor",
    "omit",
    "object",  # 将 / 把: what follows is what gets changed
    "render",  # rendered as; who says so decides
    "fact",  # how it is now
    "source",
    "translation",
    "together",  # used beside another quote, which is in the text too
]


class FoundCue(NamedTuple):
    """A cue met in the prose at ``start`` … ``end``."""

    cue: Cue
    start: int
    end: int
    text: str


@cache
def _lexer(position: Literal["lead", "tail"]) -> re.Pattern[str]:
    tables = word_tables(__file__)
    rows = (f"(?P<{cue}>{_bounded(expression(words, tables['sets']))})" for cue, words in tables[position].items())
    return re.compile("|".join(rows), re.I)


def _bounded(pattern: str) -> str:
    """Put English cues at word boundaries: an alternative that starts with a letter must start a word."""
    return f"(?:(?<![A-Za-z])(?=[A-Za-z])|(?![A-Za-z]))(?:{pattern})(?:(?<=[A-Za-z])(?![A-Za-z])|(?<![A-Za-z]))"


def read_lead(prose: str, start: int, end: int) -> list[FoundCue]:
    """Return the cues of ``prose[start:end]``, the words before a quote, in order."""
    return _read("lead", prose, start, end)


def read_tail(prose: str, start: int, end: int) -> list[FoundCue]:
    """Return the cues of ``prose[start:end]``, the words after a quote, up to the sentence's end."""
    found = _read("tail", prose, start, end)
    stop = next((k for k, cue in enumerate(found) if cue.cue == "hard"), len(found))
    return found[:stop]


def _read(position: Literal["lead", "tail"], prose: str, start: int, end: int) -> list[FoundCue]:
    return [
        FoundCue(match.lastgroup, match.start(), match.end(), match[0])  # type: ignore[arg-type]
        for match in _lexer(position).finditer(prose, start, min(end + 1, len(prose)))
        if match.start() < end
    ]


@cache
def _kind(name: str) -> re.Pattern[str]:
    return re.compile(expression(word_tables(__file__)["kind"][name]), re.I)


def inconsistent(category: str, prose: str) -> bool:
    """Return whether the finding is about one term rendered in several ways."""
    return bool(_kind("inconsistent").search(category) or _kind("inconsistent").search(prose))


def several(category: str, prose: str) -> bool:
    """Return whether the finding is *about* one term's several renderings, all of which matter."""
    if _kind("inconsistent").search(category):
        return True
    other = _kind("untranslated").search(category) or omission(category) or addition(category)
    return bool(_kind("several").search(prose)) and not other


def untranslated(category: str, prose: str) -> bool:
    """Return whether the finding is about source-language text left in the translation."""
    return bool(_kind("untranslated").search(category) or _kind("untranslated").search(prose))


def omission(category: str) -> bool:
    """Return whether the category is omission, by any of its names."""
    return bool(_kind("omission").search(category))


def addition(category: str) -> bool:
    """Return whether the category is addition, by any of its names."""
    return bool(_kind("addition").search(category))
