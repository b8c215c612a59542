"""Claims that one metric is more consistent with people than another: each attempt is kept before it is shown."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING

from judges.meta_eval.score_table import Sheet, sheets
from judges.meta_eval.superiority_test import Claim, correlations, superiority_test
from storage.analysis.metric_scores import ScoreTable
from storage.base.identity import digest
from storage.base.text import utc
from storage.db.connection import insert, transaction
from storage.record.few_shot_sets import articles_shown

if TYPE_CHECKING:
    from judges.stats.arrays import Floats


def claims(
    table: ScoreTable, standard: str, candidate: str, connection: sqlite3.Connection | None = None
) -> tuple[Claim, ...]:
    """Hold two metrics of a table against its people in each direction in which both are, and keep each attempt.

    The same pair on the very same scores is the same attempt; another pair, other people, more audits or fewer articles
    are another, for each is another chance to find something. Articles that either judge was shown examples of do not
    count. ``connection``: the library that the table is of; None: there is none, and nothing is kept.
    Raises sqlite3.Error where an attempt cannot be kept.
    """
    both = [sheet for sheet in sheets(table.rows).values() if {standard, candidate} <= sheet.metrics.keys()]
    if connection is None:
        return tuple(
            Claim(standard, candidate, each.direction, superiority_test(*tables), correlations(*tables))
            for each in both
            for tables in [_tables(each, standard, candidate)]
        )
    judged = [of for name in (standard, candidate) if (of := table.metrics.get(name))]
    shown = _shown(connection, [each for of in judged for each in of.signatures])
    with transaction(connection):
        return tuple(_counted(connection, each, standard, candidate, shown) for each in both)


def _shown(connection: sqlite3.Connection, signatures: Collection[str]) -> frozenset[str]:
    """The keys of the articles that one who scores so was shown examples of."""
    keys = dict(connection.execute("SELECT id, key FROM articles"))
    return frozenset(keys[article] for each in signatures for article in articles_shown(connection, each))


def _tables(sheet: Sheet, standard: str, candidate: str) -> tuple[Floats, Floats, Floats]:
    """People's scores and both metrics', articles × systems."""
    return sheet.human.T, sheet.metrics[standard].T, sheet.metrics[candidate].T


def _counted(
    connection: sqlite3.Connection, sheet: Sheet, standard: str, candidate: str, shown: Collection[str]
) -> Claim:
    """The claim of one direction, kept where there is anything to see."""
    tables = _tables(sheet, standard, candidate)
    seen = {row for row, article in enumerate(sheet.articles) if article in shown}
    found = superiority_test(*tables, seen=seen)
    identity = digest("comparison", sheet.direction, standard, candidate, _scores(sheet, standard, candidate, shown))
    if found.gain is not None:
        details = {
            "direction": sheet.direction,
            "articles": found.n,
            "pairs": found.pairs,
            "standard": found.standard,
            "candidate": found.candidate,
            "gain": found.gain,
        }
        row = {
            "id": identity,
            "at": utc(datetime.now(UTC)),
            "standard": standard,
            "candidate": candidate,
            "details": json.dumps(details, ensure_ascii=False, sort_keys=True),
        }
        insert(connection, "comparisons", [row], or_ignore=True)
    attempts = [each for (each,) in connection.execute(_ATTEMPTS, (sheet.direction,))]
    if identity in attempts[1:]:
        found = superiority_test(*tables, attempts.index(identity) + 1, seen)
    return Claim(
        standard=standard,
        candidate=candidate,
        direction=sheet.direction,
        gate=found,
        correlations=correlations(*tables, seen),
        attempts=len(attempts),
    )


def _scores(sheet: Sheet, standard: str, candidate: str, shown: Collection[str]) -> list[tuple[object, ...]]:
    """Return all that the gate sees: scores by people and both, of what all three scored and no judge was shown."""
    cells = product(sheet.articles, sheet.systems)
    layers = (each.ravel().tolist() for each in _tables(sheet, standard, candidate))
    return [
        (*cell, *scores)
        for cell, *scores in zip(cells, *layers, strict=True)
        if cell[0] not in shown and all(map(math.isfinite, scores))
    ]


_ATTEMPTS = "SELECT id FROM comparisons WHERE json_extract(details, '$.direction') = ? ORDER BY at, id"
