"""Words that refer to other places: earlier, later, a numbered part, a figure; the words are the TOML beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from judges.words import NEVER, expression, word_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceWords:
    """Regular expressions of one language; `NEVER` where it has no such thing.

    ``back``, ``forward``: something said before, or still to come. ``elsewhere``: another part of the same book, that
    is in no article. ``numbered``: a numbered part of the text. ``figure``: a numbered figure or table. Both have the
    groups ``label`` and ``number``. ``picture``: one that is pointed at without a number. ``connective``: what joins a
    text's first sentence to one before it. ``of_another``: what follows a number that belongs to another document;
    ``another``: what names such a document, earlier in the sentence.
    """

    back: str
    forward: str
    elsewhere: str
    numbered: str
    figure: str
    picture: str
    connective: str
    of_another: str = NEVER
    another: str = NEVER


def _row(language: str) -> ReferenceWords:
    tables = word_tables(__file__)
    return ReferenceWords(**{name: expression(words, tables["sets"]) for name, words in tables[language].items()})


ROWS: Mapping[str, ReferenceWords] = {
    language: _row(language) for language in word_tables(__file__) if language != "sets"
}
"""ISO 639 code of the source language → its row; the checks that need one are left out for other languages."""


@cache
def pattern(words: str) -> re.Pattern[str]:
    """Return an entry of the table, compiled; letters' case counts only where it tells a name from a word."""
    return re.compile(words)
