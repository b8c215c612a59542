"""Counts from which error slices are made, evaluation by evaluation, and the findings that a slice consists of."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from judges.consistency.crosstabs import NOT_GIVEN
from judges.consistency.error_slices import Slice, Tally
from judges.consistency.records import FindingKind, MissedKind
from judges.model import Decision
from storage.analysis.review_data import CHOSEN, NOT_BY_DOUBT, OPENED, reviewer_among
from storage.analysis.review_extras import NOTHING, read_extras
from storage.reviews.layers import layers_of
from storage.reviews.queue import words_clause


def read_tallies(
    connection: sqlite3.Connection, words: str = "", evaluations: Sequence[str] | None = None
) -> Iterator[Tally]:
    """Yield the tally of each evaluation, or of these, that somebody opened and in which every word occurs.

    A word that is a reviewer's name chooses that reviewer, as in `read_reviewed`.
    """
    where, values = _chosen(connection, words)
    if evaluations is not None:
        where, values = f"{where} AND e.id IN (SELECT value FROM json_each(?))", [*values, json.dumps(evaluations)]
    extras = read_extras(connection, evaluations)
    known: dict[tuple[Any, ...], FindingKind] = {}
    for (evaluation, direction, article, domain), rows in groupby(
        connection.execute(_tallies_sql(where), values), itemgetter(0, 1, 2, 3)
    ):
        kinds: Counter[FindingKind] = Counter()
        missed: Counter[MissedKind] = Counter()
        for reviewer, of_one in groupby(rows, itemgetter(4)):
            beside = extras.get((evaluation, reviewer), NOTHING)
            missed.update(beside.missed)
            for row in of_one:
                finding, said = row[5], row[6:]
                if finding is None:
                    continue  # the judge found nothing
                kind = known.get(said) or known.setdefault(
                    said, FindingKind._make((*said[:4], bool(said[4]), *said[5:], False))
                )
                kinds[kind._replace(repeat=True) if finding in beside.repeats else kind] += 1
        yield Tally(evaluation, (direction, article), domain, kinds, missed)


def _chosen(connection: sqlite3.Connection, words: str) -> tuple[str, list[Any]]:
    """The condition on reviews ``r`` and evaluations ``e`` that words make, and its values; as in `read_reviewed`."""
    reviewer, words = reviewer_among(connection, words) if words else (None, "")
    matching, values = words_clause(words)
    return f"{OPENED} AND {CHOSEN} AND {NOT_BY_DOUBT} AND {matching}", [reviewer, reviewer, *values]


class Disputed(NamedTuple):
    """A finding that a reviewer rejected or moved; ``dimension`` is the one it was moved to, where it was moved.

    ``said``: the words that the judge quotes, or else the beginning of what it says.
    """

    evaluation: str
    finding: str
    article: str
    system: str
    number: int
    severity: str | None
    said: str
    reviewer: str
    decision: Decision
    dimension: str | None
    note: str | None


def read_disputed(connection: sqlite3.Connection, spot: Slice, words: str = "") -> list[Disputed]:
    """Return the findings of a weak spot that count in its rate, in the order of the queue, with who disputes them."""
    where, values = _chosen(connection, words)
    category = None if spot.category == NOT_GIVEN else spot.category
    query = connection.execute(_disputed_sql(where), (*values, spot.dimension, category, spot.domain))
    found = [Disputed._make(row) for row in query]
    extras = read_extras(connection, sorted({row.evaluation for row in found}))
    return [row for row in found if row.finding not in extras.get((row.evaluation, row.reviewer), NOTHING).repeats]


def latest_act(connection: sqlite3.Connection, reviewer: str) -> int:
    """Return the counter of a reviewer's latest entry in the log, in any of their layers; -1 if there is none."""
    query = "SELECT coalesce(max(counter), -1) FROM events WHERE reviewer = ?"
    return max(int(connection.execute(query, (layer,)).fetchone()[0]) for layer in layers_of(reviewer))


def touched_since(connection: sqlite3.Connection, reviewer: str, counter: int) -> list[str]:
    """Return the evaluations in which a reviewer did anything after that counter, in any layer, undoing too."""
    query = "SELECT DISTINCT evaluation_id FROM events WHERE reviewer = ? AND counter > ?"
    touched = (connection.execute(query, (layer, counter)) for layer in layers_of(reviewer))
    return list(dict.fromkeys(row[0] for rows in touched for row in rows))


_FROM = """
reviews r CROSS JOIN evaluations e ON e.id = r.evaluation_id LEFT JOIN findings f ON f.evaluation_id = e.id
LEFT JOIN verdicts v ON v.evaluation_id = e.id AND v.reviewer = r.reviewer AND v.finding_id = f.id
"""


def _tallies_sql(where: str) -> str:
    """CROSS JOIN holds SQLite to the order in which reviews lie on disk, which is that of evaluations."""
    return f"""
SELECT e.id, e.direction, e.article, e.domain, r.reviewer, f.id, f.judge, f.dimension, f.category, f.severity, f.kept,
  v.decision, v.dimension, v.category, v.severity
FROM {_FROM} WHERE {where} ORDER BY r.evaluation_id, r.reviewer
"""


def _disputed_sql(where: str) -> str:
    return f"""
SELECT e.id, f.id, e.article, e.system, f.number, f.severity,
  substr(coalesce(f.translation_quote, f.source_quote, f.explanation), 1, 400),
  r.reviewer, v.decision, nullif(v.dimension, f.dimension), v.note
FROM {_FROM} WHERE {where} AND f.kept AND f.dimension = ? AND f.category IS ? AND e.domain = ?
  AND (v.decision IN ('not_an_error', 'duplicate', 'too_strict')
    OR v.decision IN ('agree', 'override', 'reattribute', 'restore') AND v.dimension <> f.dimension)
ORDER BY e.position, f.number, r.reviewer
"""
