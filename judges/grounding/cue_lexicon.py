"""Lexicon of judges' prose: the Chinese and English words by which a judge says what a quote, or an error, is.

The words are data (``cue_lexicon.toml``, read by ``judges.words``); each alternative is a regular expression. What the
cues of the sections ``lead`` (before a quote) and ``tail`` (after one) do is said in ``quote_roles``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from judges.words import expression, word_tables


class FoundCue(NamedTuple):
    """A cue met in the prose at ``start`` … ``end``."""

    cue: str
    start: int
    end: int
    text: str


@cache
def words(section: str, entry: str) -> re.Pattern[str]:
    """Return the alternatives of an entry as one regular expression; case matters only in the section ``mention``."""
    tables = word_tables(__file__)
    return re.compile(expression(tables[section][entry], tables["sets"]), re.NOFLAG if section == "mention" else re.I)


@cache
def lexer(section: str) -> re.Pattern[str]:
    """Return all entries of a section, with the English ones of its own section, as one regular expression.

    The group that matches has the entry's name, and a figure if it is English. English words are whole.
    """
    tables = word_tables(__file__)
    other, english = (
        "|".join(f"(?P<{cue}{mark}>{expression(words, tables['sets'])})" for cue, words in tables[name].items())
        for name, mark in ((section, ""), (f"{section}_english", "1"))
    )
    return re.compile(rf"(?![A-Za-z])(?:{other})|(?<![A-Za-z])(?=[A-Za-z])(?i:{english})(?:(?<![A-Za-z])|(?![A-Za-z]))")


def read_cues(position: Literal["lead", "tail"], prose: str, start: int, end: int) -> list[FoundCue]:
    """Return the cues of ``prose[start:end]`` in order: the words before a quote, or after it to the sentence's end."""
    found: list[FoundCue] = []
    for match in lexer(position).finditer(prose, start, min(end + 1, len(prose))):
        cue = (match.lastgroup or "").rstrip("1")
        if match.start() >= end or (position == "tail" and cue == "hard"):
            break
        found.append(FoundCue(cue, match.start(), match.end(), match[0]))
    return found


def says(kind: str, *texts: str) -> bool:
    """Return whether one of ``texts`` (category, explanation) says that an error is of a ``kind``."""
    return any(words("kind", kind).search(text) for text in texts)


def several(category: str, prose: str) -> bool:
    """Return whether the finding is *about* one term's several renderings, all of which matter."""
    if says("inconsistent", category):
        return True
    other = any(says(kind, category) for kind in ("untranslated", "omission", "addition"))
    return says("several", prose) and not other
