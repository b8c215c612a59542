"""Translations that no judge has an evaluation of yet; a module of its own, as no queue of evaluations holds them."""

from __future__ import annotations

import sqlite3

from storage.record.article_versions import EARLIER_VERSIONS
from storage.reviews.queue import words_clause

_WORDS = "a.key || ' ' || a.direction || ' ' || a.domain || ' ' || a.subdomain"


def not_judged(connection: sqlite3.Connection, words: str = "", *, by_system: bool = True) -> list[str]:
    """Return the ids of the translations that were not judged, in the order in which they came.

    ``words``: only those in whose article's key, direction or domains every word occurs, or in the system's name too:
    ``by_system``, not where names are hidden. One whose judge failed was judged; one that only people's marks came of
    was not.
    """
    matching, values = words_clause(words, f"({_WORDS} || ' ' || t.system)" if by_system else f"({_WORDS})")
    rows = connection.execute(
        f"SELECT t.id FROM translations t JOIN articles a ON a.id = t.article_id WHERE {matching} "
        "AND NOT EXISTS (SELECT 1 FROM evaluations e WHERE e.translation_id = t.id AND e.state <> 'not_judged') "
        f"AND a.id NOT IN {EARLIER_VERSIONS} ORDER BY t.rowid",
        values,
    )
    return [row[0] for row in rows]
