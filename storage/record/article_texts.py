"""Articles as they are known by name or by text, whatever blanks and line ends the text has; those replaced are none.

A table loses line ends, a translator's tool cuts a text into segments: the letters are what tells two texts apart.
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Collection
from dataclasses import dataclass

from storage.record.article_versions import EARLIER_VERSIONS, said_since

_BLANKS = str.maketrans("", "", " \n\r\t\u3000")
_LETTER = re.compile("[^ \n\r\t\u3000]")
_FOUND_BY = 64
"""Letters that the index ``articles_text`` holds of each text."""
_FOLDED = (
    "substr(replace(replace(replace(replace(replace(source, ' ', ''), char(10), ''), char(13), ''), char(9), ''), "
    f"char(12288), ''), 1, {_FOUND_BY})"
)
_COLUMNS = "SELECT rowid, id, key, source, direction, domain, subdomain, rubric_text FROM articles"
_OF_TEXT = f"{_COLUMNS} WHERE {_FOLDED} = ? ORDER BY rowid"
_OF_NAME = f"{_COLUMNS} WHERE key = ? ORDER BY rowid"


@dataclass(frozen=True, slots=True)
class KnownArticle:
    """An article that is here. ``position``: the order in which articles came."""

    position: int
    id: str
    key: str
    source: str
    direction: str
    domain: str
    subdomain: str
    rubric_text: str


def folded(text: str) -> str:
    """Return a text without blanks and line ends."""
    return text.translate(_BLANKS)


def replaced(connection: sqlite3.Connection) -> set[str]:
    """Return the ids of the articles that no longer count."""
    return {identity for (identity,) in connection.execute(f"SELECT * FROM {EARLIER_VERSIONS}")}


def articles_of_text(connection: sqlite3.Connection, source: str, gone: Collection[str]) -> list[KnownArticle]:
    """Return the articles of which this is the text, but those ``gone``, in the order in which they came."""
    text = folded(source)
    found = _read(connection, _OF_TEXT, text[:_FOUND_BY], gone)
    return [each for each in found if each.source == source or folded(each.source) == text]


def articles_named(connection: sqlite3.Connection, name: str, gone: Collection[str]) -> list[KnownArticle]:
    """Return the articles of this name, but those ``gone``, in the order in which they came."""
    return _read(connection, _OF_NAME, name, gone)


def _read(connection: sqlite3.Connection, query: str, value: str, gone: Collection[str]) -> list[KnownArticle]:
    found = []
    for position, identity, key, source, direction, domain, subdomain, rubric in connection.execute(query, (value,)):
        if identity not in gone:
            here = {"direction": direction, "domain": domain, "subdomain": subdomain}
            here |= said_since(connection, key).get(identity, {})
            found.append(KnownArticle(position, identity, key, source, rubric_text=rubric, **here))
    return found


def is_of_direction(here: str, said: str) -> bool:
    """Tell if two directions may be one, as they are where one of them is not known."""
    return here == said or not here or not said


def moved(text: str, other: str) -> Callable[[int, bool], int]:
    """Return what gives the place in ``other`` of a place in ``text``, which differ in blanks and line ends alone.

    It takes a code point's offset and whether a stretch ends there, behind the letter before it, or begins.
    """
    theirs, ours = ([letter.start() for letter in _LETTER.finditer(whole)] for whole in (text, other))

    def place(at: int, is_end: bool) -> int:
        before = bisect_left(theirs, at)
        if is_end:
            return ours[before - 1] + 1 if before else 0
        return ours[before] if before < len(ours) else len(other)

    return place
