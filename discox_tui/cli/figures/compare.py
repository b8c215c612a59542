"""The pair that ``--compare A B`` names: two metrics, or two systems. A part of a name will do if no other has it.

Of two metrics it is a claim, which the library keeps and counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from storage.base.errors import StorageError

if TYPE_CHECKING:
    from storage.analysis.metric_scores import ScoreTable
    from storage.analysis.pairwise import Pairwise


def comparison(
    given: tuple[str, str], table: ScoreTable, connection: sqlite3.Connection | None = None
) -> Callable[[Pairwise], Pairwise]:
    """Return what compares the two; metrics come first. Raises StorageError where they are neither.

    ``connection``: the library that counts attempts, None where the table is of none.
    """
    from storage.analysis.comparisons import claims
    from storage.analysis.pairwise import with_metrics, with_systems

    metrics = tuple(sorted({row.metric for row in table.rows if not row.human}))
    systems = tuple(sorted({row.system for row in table.rows}))
    if pair := _both(given, metrics):
        first, second = pair
        by_first, by_second = ({row.direction for row in table.rows if row.metric == name} for name in pair)
        if not by_first & by_second:
            raise StorageError(f"--compare: {first} and {second} have scores in no direction that is the same")
        return lambda found: replace(
            with_metrics(found, first, second), claims=claims(found.table, first, second, connection)
        )
    if pair := _both(given, systems):
        first, second = pair
        return lambda found: with_systems(found, first, second)
    raise StorageError(
        f"--compare takes two metrics or two systems; metrics here: {', '.join(metrics) or 'none'}; "
        f"systems: {', '.join(systems) or 'none'}"
    )


def _both(given: tuple[str, str], names: tuple[str, ...]) -> tuple[str, str] | None:
    """The names that are meant; None where one is none of them, or more than one, or both are the same."""
    first, second = (_meant(each.casefold(), names) for each in given)
    return (first, second) if first and second and first != second else None


def _meant(given: str, names: tuple[str, ...]) -> str | None:
    for fits in (given.__eq__, lambda name: given in name):
        found = [name for name in names if fits(name.casefold())]
        if len(found) == 1:
            return found[0]
    return None
