"""Phrases by which authors of rubric points say what is wanted: one table, a row for each language.

Each entry is a regular expression met outside quotation marks. Where no row fits a point, its quotation marks alone are
read: the first quote that stands in the source is the term, the others are its renderings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from judges.words import NEVER, expression, word_tables

PointType = Literal["grammar", "keyword", "terminology", "culture", "proper_noun", "wordplay"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """One language's cues. Before a quote: ``expects`` a rendering, ``forbids`` one, ``demands`` something that can be
    checked without a rendering, ``explains``. After one: ``spurns`` (it is the rendering that is not wanted). Between
    two: ``holds`` (“whole”…“part”) and ``held`` (“part”…“whole”). ``each``: renderings in the terms' order.
    ``first``, ``throughout``: what is asked beside a rendering, of the term's first mention and of all of them.
    ``vague``: what nobody could check. ``types``: what a point says of its own kind."""

    expects: str
    forbids: str
    demands: str = NEVER
    explains: str = NEVER
    spurns: str = NEVER
    holds: str = NEVER
    held: str = NEVER
    each: str = NEVER
    first: str = NEVER
    throughout: str = NEVER
    vague: str = NEVER
    types: tuple[tuple[PointType, str], ...] = ()


def _phrases(language: str) -> Phrases:
    tables = word_tables(__file__)
    types = tables.get(f"{language}.types", {})
    return Phrases(
        **{name: expression(words) for name, words in tables[language].items()},
        types=tuple((kind, expression(types[kind])) for kind in types),  # type: ignore[misc]
    )


ANY = _phrases("any")
"""Signs that all languages share."""

PHRASES: Mapping[str, Phrases] = {
    language: _phrases(language) for language in word_tables(__file__) if language != "any" and "." not in language
}
"""Two-letter language of a point's own prose → its cues."""


@cache
def pattern(expression: str) -> re.Pattern[str]:
    """Return an entry of the table, compiled."""
    return re.compile(expression, re.I)


def language_of(outside: str) -> str:
    """Return the language of what stands outside a point's quotes: the row that knows most of it, or "" for none.

    Chinese prose that names Latin words has words of both, so whatever is said in Chinese characters decides.
    """
    if re.search(r"[\u3040-\u30ff]", outside):
        return "ja"
    known = {
        language: sum(
            len(m[0])
            for entry in (row.expects, row.forbids, row.demands, row.explains, row.spurns, row.vague)
            for m in pattern(entry).finditer(outside)
        )
        for language, row in PHRASES.items()
    }
    best = "zh" if known["zh"] else max(known, key=lambda language: known[language])
    return best if known[best] else ""
