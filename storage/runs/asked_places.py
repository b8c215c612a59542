"""Evaluations whose findings a model can be asked to find: those of a judge that only wrote prose."""

from __future__ import annotations

import sqlite3

from storage.record.groundings import GIVEN
from storage.reviews.queue import STANDING, words_clause


def to_ask(connection: sqlite3.Connection, method: str, words: str = "") -> list[str]:
    """Return the ids of those that this method has not located yet, in the order in which they came.

    ``words``: only evaluations in which every word occurs. One that another took the place of is not among them, nor
    one whose places were given.
    """
    matching, values = words_clause(words)
    rows = connection.execute(
        "SELECT e.id FROM evaluations e JOIN translations t ON t.id = e.translation_id "
        f"WHERE {matching} AND {STANDING} AND t.text IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM findings f WHERE f.evaluation_id = e.id AND f.quote_notes IS NULL) "
        "AND NOT EXISTS (SELECT 1 FROM groundings g WHERE g.evaluation_id = e.id AND g.method IN (?, ?)) "
        "ORDER BY e.position",
        (*values, method, GIVEN),
    )
    return [row[0] for row in rows]
