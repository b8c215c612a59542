"""The list of evaluations: for the screen page by page, at the cost of the page; for scripts whole, with all scores."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

from judges.model import EvaluationState, Flag, ReviewState, Step, StoredScore
from storage.text import for_like

PAGE = 128


class QueueRow(NamedTuple):
    """One evaluation as the queue shows it. ``human`` and ``decided`` are one reviewer's."""

    id: str
    article: str
    system: str
    direction: str
    domain: str
    judge: str
    state: EvaluationState
    total: int | None
    errors: int
    review: ReviewState
    decided: int
    human: int | None
    reason: str | None


ORDERS: dict[str, tuple[str, ...]] = {
    "position": (),
    "article": ("e.article", "e.system"),
    "system": ("e.system", "e.article"),
    "direction": ("e.direction",),
    "domain": ("e.domain",),
    "judge": ("e.judge",),
    "state": ("e.state",),
    "total": ("e.total",),
    "human": ("r.total",),
    "review": (
        "CASE coalesce(r.state, 'not_opened') WHEN 'in_progress' THEN 0 WHEN 'not_opened' THEN 1 "
        "WHEN 'skipped' THEN 2 ELSE 3 END",
    ),
    "decided": ("e.errors - coalesce(r.decided, 0)",),
}
"""What the queue can be sorted by."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one reviewer is: evaluations by review state, of all that the queue holds."""

    total: int
    done: int
    in_progress: int
    skipped: int


EVALUATION_WORDS = (
    "e.article || ' ' || e.system || ' ' || e.direction || ' ' || e.domain || ' ' || e.judge || ' ' || "
    "replace(e.state, '_', ' ')"
)
"""What a filter looks in, as an SQL expression on evaluations ``e``."""


_SUPERSEDED = "(SELECT supersedes FROM evaluations WHERE supersedes IS NOT NULL)"
STANDING = f"e.id NOT IN {_SUPERSEDED}"
"""An SQL condition on evaluations ``e``: no later one took its place, as one does of a failed one that is retried."""


def words_clause(words: str, expression: str = EVALUATION_WORDS) -> tuple[str, list[str]]:
    """Return an SQL condition that every one of the words occurs in an expression, and its values."""
    values = [f"%{for_like(word)}%" for word in words.split()]
    clauses = [f"{expression} LIKE ? ESCAPE '\\'"] * len(values) or ["1"]
    while len(clauses) > 1:  # in pairs, as SQLite knows no chain of more than 1,000
        clauses = [" AND ".join(clauses[i : i + 2]) for i in range(0, len(clauses), 2)]
        clauses = [f"({clause})" for clause in clauses]
    return clauses[0], values


class Queue(Sequence[QueueRow]):
    """A filtered, sorted window on the evaluations, for one reviewer. Rows are fetched by the page and kept.

    An evaluation that a later one took the place of is not in it: there would be two of the same to review.
    ``words``: every word must occur in the article's key, system, direction, domain, judge, state or review state.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        reviewer: str,
        *,
        words: str = "",
        order: str = "position",
        descending: bool = False,
    ) -> None:
        self.connection = connection
        self.reviewer = reviewer
        self.order = order
        self.descending = descending
        matching, values = words_clause(words, _ALL_WORDS)
        self._where = f"{matching} AND {STANDING}"
        self._values = [reviewer, *values]
        self._pages: dict[int, list[QueueRow]] = {}
        if values:
            query = f"SELECT count(*) FROM {_FROM} WHERE {self._where}"
            self._count = int(connection.execute(query, self._values).fetchone()[0])
        else:
            query = f"SELECT count(*) - (SELECT count(*) FROM evaluations WHERE id IN {_SUPERSEDED}) FROM evaluations"
            self._count = int(connection.execute(query).fetchone()[0])

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> QueueRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[QueueRow]: ...
    def __getitem__(self, index: int | slice) -> QueueRow | list[QueueRow]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        number, offset = divmod(index, PAGE)
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = self._fetch(number)
        return page[offset]

    def _ordering(self) -> str:
        way = "DESC" if self.descending else "ASC"
        terms = [f"{term} {way} NULLS LAST" for term in ORDERS[self.order]]
        return ", ".join([*terms, f"e.position {way}" if not terms else "e.position"])

    def _fetch(self, number: int) -> list[QueueRow]:
        rows = self.connection.execute(
            f"SELECT {_COLUMNS} FROM {_FROM} WHERE {self._where} ORDER BY {self._ordering()} LIMIT ? OFFSET ?",
            (*self._values, PAGE, number * PAGE),
        )
        return [QueueRow._make(row) for row in rows]

    def index_of(self, evaluation_id: str) -> int | None:
        """Return where the evaluation stands in this window, or None if the filter hides it."""
        if self.order == "position":
            # Counting what stands before is many times faster than numbering everything.
            before = ">" if self.descending else "<"
            row = self.connection.execute(
                f"SELECT e.position FROM {_FROM} WHERE {self._where} AND e.id = ?", (*self._values, evaluation_id)
            ).fetchone()
            query = f"SELECT count(*) FROM {_FROM} WHERE {self._where} AND e.position {before} ?"
            return int(self.connection.execute(query, (*self._values, *row)).fetchone()[0]) if row else None
        row = self.connection.execute(
            f"SELECT at FROM (SELECT e.id, row_number() OVER (ORDER BY {self._ordering()}) - 1 AS at FROM {_FROM} "
            f"WHERE {self._where}) WHERE id = ?",
            (*self._values, evaluation_id),
        ).fetchone()
        return int(row[0]) if row else None

    def forget(self) -> None:
        """Drop the fetched pages, so that rows show what was decided since."""
        self._pages.clear()

    def progress(self) -> Progress:
        """Return how far the reviewer is in what the filter leaves."""
        query = (
            "SELECT r.state, count(*) FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id "
            f"WHERE r.reviewer = ? AND {self._where} GROUP BY r.state"
        )
        counts = dict(self.connection.execute(query, self._values).fetchall())
        return Progress(self._count, counts.get("done", 0), counts.get("in_progress", 0), counts.get("skipped", 0))


class Header(NamedTuple):
    """One evaluation without its texts and its findings, and how far one reviewer is with it.

    ``findings`` counts all that the judges reported, ``errors`` those that stand after de-duplication, ``decided`` and
    ``unsure`` what the reviewer said of these. Scores are (total, accuracy, fluency, appropriateness): recomputed, as
    the file gave them, and what the reviewer left standing. ``signature``, ``quotes``, ``quotes_verified``: None for an
    imported one. ``superseded_by``: the evaluation that took its place, None where it stands.
    """

    id: str
    article: str
    system: str
    direction: str
    domain: str
    judge: str
    state: EvaluationState
    failed: tuple[Step, ...]
    flags: tuple[Flag, ...]
    findings: int
    errors: int
    review: ReviewState
    reason: str | None
    decided: int
    unsure: int
    signature: str | None
    sample: int
    quotes: int | None
    quotes_verified: int | None
    superseded_by: str | None
    score: StoredScore
    stored_score: StoredScore
    human_score: StoredScore


def headers(
    connection: sqlite3.Connection, reviewer: str, *, words: str = "", evaluation_id: str | None = None
) -> list[Header]:
    """Return the headers of the evaluations in which every word occurs, or of one, in the order they came."""
    matching, values = words_clause(words, _ALL_WORDS)
    rows = connection.execute(
        f"SELECT {_HEADER} FROM {_FROM} LEFT JOIN signatures g ON g.id = e.signature_id "
        f"WHERE {matching} AND e.id = coalesce(?, e.id) ORDER BY e.position",
        (reviewer, *values, evaluation_id),
    )
    found = []
    for row in rows:
        names, (failed, flags), counts, scores = row[:7], row[7:9], row[9:-12], row[-12:]
        read = tuple(json.loads(failed)), tuple(Flag(code, message) for code, message in json.loads(flags))
        found.append(Header._make((*names, *read, *counts, scores[:4], scores[4:8], scores[8:])))
    return found


_ALL_WORDS = f"{EVALUATION_WORDS} || ' ' || replace(coalesce(r.state, 'not_opened'), '_', ' ')"
_FROM = "evaluations e LEFT JOIN reviews r ON r.evaluation_id = e.id AND r.reviewer = ?"
_COLUMNS = (
    "e.id, e.article, e.system, e.direction, e.domain, e.judge, e.state, e.total, e.errors, "
    "coalesce(r.state, 'not_opened'), coalesce(r.decided, 0), r.total, r.reason"
)
_HEADER = (
    "e.id, e.article, e.system, e.direction, e.domain, e.judge, e.state, e.failed, e.flags, "
    "(SELECT count(*) FROM findings f WHERE f.evaluation_id = e.id), e.errors, coalesce(r.state, 'not_opened'), "
    "r.reason, coalesce(r.decided, 0), coalesce(r.unsure, 0), g.text, e.sample, e.quotes, e.quotes_verified, "
    "(SELECT n.id FROM evaluations n WHERE n.supersedes = e.id ORDER BY n.position DESC LIMIT 1), "
    "e.total, e.accuracy, e.fluency, e.appropriateness, "
    "e.stored_total, e.stored_accuracy, e.stored_fluency, e.stored_appropriateness, "
    "r.total, r.accuracy, r.fluency, r.appropriateness"
)
