"""Selection of what is written of a library, and the report of what became of it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from judges.metric_s.schemes.mapping import Mapping, read_mapping
from storage.analysis.review_data import is_meant, metric_name
from storage.base.errors import StorageError
from storage.reviews.queue import STANDING, words_clause


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection of what is written of a library.

    ``words``: only evaluations in which every word occurs; ``reviewer``: only this layer's work, None for everybody's;
    ``judges``: only evaluations by these, in any case, none for all. ``mapping``: from our words into other schemes'.
    ``program``: name and version of what writes. ``table``: of a format of tables, only this one.
    """

    words: str = ""
    reviewer: str | None = None
    judges: tuple[str, ...] = ()
    mapping: Mapping = field(default_factory=lambda: read_mapping(""))
    program: str = ""
    table: str | None = None

    def clause(self, connection: sqlite3.Connection) -> tuple[str, list[str]]:
        """Return an SQL condition on evaluations ``e``, and its values: those that are chosen and stand.

        An evaluation that a later one took the place of is in no export, as it is in no list. Raises StorageError
        where there is no evaluation by the judges.
        """
        matching, values = words_clause(self.words)
        if self.judges:
            known = [row[0] for row in connection.execute("SELECT DISTINCT judge FROM evaluations ORDER BY judge")]
            chosen = [judge for judge in known if is_meant(self.judges, judge, metric_name(judge))]
            if not chosen:
                asked, there = ", ".join(self.judges), ", ".join(filter(None, known)) or "none"
                raise StorageError(f"there is no evaluation by {asked}; the judges are: {there}")
            matching = f"{matching} AND e.judge IN ({', '.join('?' * len(chosen))})"
            values = [*values, *chosen]
        return f"({matching}) AND {STANDING}", values

    def reviewer_clause(self, column: str = "reviewer") -> tuple[str, list[str]]:
        """Return an SQL condition on a column that holds layers, and its values: the reviewer's that is chosen."""
        return ("1", []) if self.reviewer is None else (f"{column} = ?", [self.reviewer])


@dataclass(slots=True)
class ExportReport:
    """Report of what was written. ``counts``: what → how many, in words; ``notes``: what was changed or left out.

    ``beside``: what the name of a further file, beside the one that was asked for, ends in → its text.
    """

    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)
