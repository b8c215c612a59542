"""The list of evaluations: for the screen page by page, at the cost of the page; for scripts whole, with all scores."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from storage.base.text import for_like
from storage.record.article_versions import EARLIER_VERSIONS
from storage.reviews.blinding import (
    ASKED,
    HIDDEN,
    HIDDEN_CLAUSE,
    OTHERS,
    OTHERS_HIDDEN_CLAUSE,
    SYSTEM_HIDDEN_CLAUSE,
    SYSTEM_SHOWN,
    Blinding,
    flags_shown,
    hides,
)
from storage.reviews.layers import split_layer
from storage.reviews.pass_scores import RATED, Rated, read_rated

if TYPE_CHECKING:
    from judges.model import BlindStage, EvaluationState, Flag, ReviewState, Step, StoredScore

PAGE = 128


class QueueRow(NamedTuple):
    """One evaluation as the queue shows it to one layer. ``review`` and all but one that follow it are the layer's own.

    ``blind``: None where they saw the judge's record from the start; ``unconfirmed``: errors that they marked blind and
    has not compared yet. ``others``: how many other people have reviewed it, or begun to. ``hidden``: the judge's
    record, which then is left out of the row, as the others are; ``state`` is None. ``rated``: people's scores from
    other tools, where no judge was asked.
    """

    id: str
    article: str
    system: str
    direction: str
    domain: str
    judge: str
    state: EvaluationState | None
    total: int | None
    errors: int
    review: ReviewState
    decided: int
    human: int | None
    reason: str | None
    layer: str
    blind: BlindStage | None
    unconfirmed: int
    others: int
    hidden: bool
    rated: tuple[Rated, ...] = ()


def _unless_hidden(expression: str) -> str:
    """An SQL expression that is NULL where the judge's record is hidden, so that no order tells of it."""
    return f"CASE WHEN {HIDDEN_CLAUSE} THEN NULL ELSE {expression} END"


_SYSTEM = f"CASE WHEN {SYSTEM_HIDDEN_CLAUSE} THEN NULL ELSE e.system END"

ORDERS: dict[str, tuple[str, ...]] = {
    "position": (),
    "article": ("e.article", _SYSTEM),
    "system": (_SYSTEM, "e.article"),
    "direction": ("e.direction",),
    "domain": ("e.domain",),
    "judge": (_unless_hidden("e.judge"),),
    "state": (_unless_hidden("e.state"),),
    "total": (_unless_hidden("e.total"),),
    "human": (_unless_hidden("r.total"),),
    "review": (
        "CASE coalesce(r.state, 'not_opened') WHEN 'in_progress' THEN 0 WHEN 'not_opened' THEN 1 "
        "WHEN 'skipped' THEN 2 ELSE 3 END",
    ),
    "decided": (_unless_hidden("e.errors - coalesce(r.decided, 0)"),),
}
"""The orders of the queue. What is hidden comes last, in an order of its own that tells nothing."""

_AS_THEY_CAME = ("e.position",)
_NEUTRAL = ("e.article", "e.id")
"""Files bring one system after the other, so the order in which they came tells whose a translation is; this does not,
as ids are hashes. It holds for all as long as anything is hidden: the order of the rest would tell of it."""


class Progress(NamedTuple):
    """The progress of one reviewer: evaluations by review state, of all that the queue holds."""

    total: int
    done: int
    in_progress: int
    skipped: int


SUBDOMAIN = "(SELECT s.subdomain FROM articles s WHERE s.id = e.article_id)"
"""The second domain of an evaluation's article, as an SQL expression on evaluations ``e``; empty for none."""
EVALUATION_WORDS = (
    "e.article || ' ' || e.system || ' ' || e.direction || ' ' || e.domain || ' ' || "
    f"{SUBDOMAIN} || ' ' || e.judge || ' ' || replace(e.state, '_', ' ')"
)
"""The text that a filter looks in, as an SQL expression on evaluations ``e``."""


_SUPERSEDED = "(SELECT supersedes FROM evaluations WHERE supersedes IS NOT NULL)"
LATEST = f"e.id NOT IN {_SUPERSEDED}"
"""An SQL condition on evaluations ``e``: no later one took its place, as one does of a failed one that is retried."""
STANDING = f"{LATEST} AND e.article_id NOT IN {EARLIER_VERSIONS}"
"""The same condition, and the article is no candidate's text of before it was revised."""


_COUNT = f"""
SELECT count(*) - (SELECT count(*) FROM evaluations WHERE id IN {_SUPERSEDED}) - (
  SELECT count(*) FROM evaluations e WHERE e.article IN (SELECT key FROM articles WHERE id IN {EARLIER_VERSIONS})
  AND e.article_id IN {EARLIER_VERSIONS} AND {LATEST}
) FROM evaluations
"""
"""Found by indexes, whatever the library holds."""

FEW_WORDS = 8


def words_clause(words: str, expression: str = EVALUATION_WORDS) -> tuple[str, list[str]]:
    """Return an SQL condition that every one of the words occurs in an expression, and its values."""
    values = [f"%{for_like(word)}%" for word in dict.fromkeys(words.split())]
    if len(values) > FEW_WORDS:  # what was pasted there; so often written out, the expression would take long to parse
        clause = f"NOT EXISTS (SELECT 1 FROM json_each(?) word WHERE {expression} NOT LIKE word.value ESCAPE '\\')"
        return clause, [json.dumps(values)]
    return " AND ".join([f"{expression} LIKE ? ESCAPE '\\'"] * len(values)) or "1", values


class Queue(Sequence[QueueRow]):
    """A filtered, sorted window on the evaluations, for one reviewer. Rows are fetched by the page and kept.

    An evaluation that a later one took the place of is not in it, nor one of a candidate's text of before it was
    revised: there would be two of the same to review.
    ``words``: every word must occur in the article's key, system, direction, domains, judge, state or review state, or
    in ``hidden``, ``blind`` or ``contradicts`` (what they did in two copies) where that is so; never in what is hidden.
    ``order`` "position": as they came, or by article as long as anything is hidden. ``assigned``: only what they are to
    review, in the order of the plan, a row for
    each layer.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        reviewer: str,
        *,
        words: str = "",
        order: str = "position",
        descending: bool = False,
        blinding: Blinding = "open",
        assigned: bool = False,
    ) -> None:
        self.connection = connection
        self.reviewer = reviewer
        self.order = order
        self.descending = descending
        self.blinding = blinding
        self.assigned = assigned
        matching, values = words_clause(words, _ALL_WORDS)
        self._filters = bool(values)
        self._asked = _ASSIGNED if assigned else ASKED
        self._from = f"{self._asked} LEFT JOIN {_REVIEWS}"
        self._where = f"{matching} AND {STANDING}"
        self._values = [blinding, reviewer, *values]
        self._pages: dict[int, list[QueueRow]] = {}

    @cached_property
    def _count(self) -> int:
        if not self._filters and not self.assigned:
            return int(self.connection.execute(_COUNT).fetchone()[0])
        query = f"SELECT count(*) FROM {self._from} WHERE {self._where}"
        return int(self.connection.execute(query, self._values).fetchone()[0])

    @cached_property
    def _place(self) -> tuple[str, ...]:
        """The columns of the order in which evaluations came, or are told to the reviewer."""
        came = _NEUTRAL if hides(self.connection, self.reviewer, self.blinding) else _AS_THEY_CAME
        return ("e.place",) if self.assigned else came

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
        place = self._place if terms else [f"{term} {way}" for term in self._place]
        return ", ".join([*terms, *place, "e.layer"])

    def _fetch(self, number: int) -> list[QueueRow]:
        rows = self.connection.execute(
            f"SELECT {_COLUMNS} FROM {self._from} WHERE {self._where} ORDER BY {self._ordering()} LIMIT ? OFFSET ?",
            (*self._values, PAGE, number * PAGE),
        )
        return [self._row(row) for row in rows]

    def _row(self, values: tuple[Any, ...]) -> QueueRow:
        *values_, hidden, alone, given = values
        row = QueueRow._make((*values_, bool(hidden), self._rated(given, alone)))
        if row.hidden:
            return row._replace(judge=HIDDEN, state=None, total=None, errors=0, decided=0, human=None)
        return row

    def _rated(self, given: str | None, alone: int) -> tuple[Rated, ...]:
        return read_rated(given, [split_layer(self.reviewer)[0]] if alone else None)

    def index_of(self, evaluation_id: str, layer: str | None = None) -> int | None:
        """Return where the evaluation stands in this window, or None if the filter hides it.

        ``layer``: the row of this layer; the reviewer's own if not given, or what they are assigned first.
        """
        values = (*self._values, evaluation_id, layer)
        if self.order == "position" and not self.assigned:
            # Counting what stands before is many times faster than numbering everything.
            place, before = ", ".join(self._place), ">" if self.descending else "<"
            row = self.connection.execute(
                f"SELECT {place} FROM {self._from} WHERE {self._where} AND e.id = ? AND e.layer = coalesce(?, e.layer)",
                values,
            ).fetchone()
            if row is None:
                return None
            stands = f"({place}) {before} ({', '.join('?' * len(row))})"
            query = f"SELECT count(*) FROM {self._from} WHERE {self._where} AND {stands}"
            return int(self.connection.execute(query, (*self._values, *row)).fetchone()[0])
        row = self.connection.execute(
            f"SELECT min(at) FROM (SELECT e.id, e.layer, row_number() OVER (ORDER BY {self._ordering()}) - 1 AS at "
            f"FROM {self._from} WHERE {self._where}) WHERE id = ? AND layer = coalesce(?, layer)",
            values,
        ).fetchone()
        return None if row[0] is None else int(row[0])

    def chosen(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the ids of the translations that are shown, and of their articles, each once, as they came."""
        rows = self.connection.execute(
            f"SELECT e.translation_id, e.article_id FROM {self._from} WHERE {self._where} ORDER BY e.position",
            self._values,
        ).fetchall()
        return tuple(dict.fromkeys(one for one, _ in rows)), tuple(dict.fromkeys(article for _, article in rows))

    def forget(self) -> None:
        """Drop the fetched pages, so that rows show what was decided since."""
        self._pages.clear()

    def progress(self) -> Progress:
        """Return how far the reviewer is in what the filter leaves."""
        query = f"SELECT r.state, count(*) FROM {self._asked} JOIN {_REVIEWS} WHERE {self._where} GROUP BY r.state"
        counts = dict(self.connection.execute(query, self._values).fetchall())
        return Progress(self._count, counts.get("done", 0), counts.get("in_progress", 0), counts.get("skipped", 0))


def is_assigned(connection: sqlite3.Connection, reviewer: str) -> bool:
    """Return whether a reviewer was told what to review."""
    query = "SELECT EXISTS (SELECT 1 FROM assignments WHERE reviewer = ?)"
    return bool(connection.execute(query, (reviewer,)).fetchone()[0])


class Header(NamedTuple):
    """One evaluation without its texts and its findings, and how far one reviewer is with it.

    ``findings`` counts all that the judges reported, ``errors`` those that stand after de-duplication, ``decided`` and
    ``unsure`` what the reviewer said of these. Scores are (total, accuracy, fluency, appropriateness): recomputed, as
    the file gave them, and what the reviewer left standing. ``signature``, ``quotes``, ``quotes_verified``: None for an
    imported one. ``superseded_by``: the evaluation that took its place, None where it stands. ``earlier_version``: its
    article is a candidate's text of before it was revised. ``marked``: the errors
    that they marked, ``unconfirmed`` those of them that they marked blind and have not compared with the judge's.
    ``others``: how many other people have reviewed it, or begun to.
    ``hidden``: the judge's record is to be hidden from them, so nothing of it is here; ``state`` is None. ``rated``:
    people's scores from other tools, where others' word is hidden the reviewer's own.
    """

    id: str
    article: str
    system: str
    direction: str
    domain: str
    subdomain: str
    judge: str
    state: EvaluationState | None
    failed: tuple[Step, ...]
    flags: tuple[Flag, ...]
    findings: int
    errors: int
    review: ReviewState
    reason: str | None
    decided: int
    unsure: int
    search: Literal["done"] | None
    blind: BlindStage | None
    marked: int
    unconfirmed: int
    others: int
    hidden: bool
    signature: str | None
    sample: int
    quotes: int | None
    quotes_verified: int | None
    superseded_by: str | None
    earlier_version: bool
    score: StoredScore
    stored_score: StoredScore
    human_score: StoredScore
    rated: tuple[Rated, ...] = ()


def headers(
    connection: sqlite3.Connection,
    reviewer: str,
    *,
    words: str = "",
    evaluation_id: str | None = None,
    blinding: Blinding = "open",
) -> list[Header]:
    """Return the headers of the evaluations in which every word occurs, or of one, in the order they came.

    Without what is hidden from the reviewer; as long as anything is, by article. One that a later one took the place of
    is not among many where its record is hidden: that there is a later one tells that its judge failed.
    """
    from judges.model import Flag  # the queue shows neither flags nor scores
    from storage.record.library import NO_SCORE

    nothing = _NOTHING | dict.fromkeys(("score", "stored_score", "human_score"), NO_SCORE)
    place = _NEUTRAL if hides(connection, reviewer, blinding) else _AS_THEY_CAME
    matching, values = words_clause(words, _ALL_WORDS)
    chosen = f"NOT ({HIDDEN_CLAUSE} AND e.id IN {_SUPERSEDED})" if evaluation_id is None else "e.id = ?"
    rows = connection.execute(
        f"SELECT {_HEADER} FROM {ASKED} LEFT JOIN {_REVIEWS} LEFT JOIN signatures g ON g.id = e.signature_id "
        f"WHERE {matching} AND {chosen} ORDER BY {', '.join(place)}",
        (blinding, reviewer, *values, *([] if evaluation_id is None else [evaluation_id])),
    )
    found = []
    for row in rows:
        names, (failed, flags), counts, scores = row[:8], row[8:10], row[10:-14], row[-14:-2]
        told = flags_shown([Flag(code, message) for code, message in json.loads(flags)], named=names[2] != HIDDEN)
        read = tuple(json.loads(failed)), told
        header = Header._make((*names, *read, *counts, scores[:4], scores[4:8], scores[8:], ()))
        header = header._replace(rated=read_rated(row[-1], [split_layer(reviewer)[0]] if row[-2] else None))
        if header.hidden:
            header = header._replace(**nothing)
        found.append(header._replace(hidden=bool(header.hidden), earlier_version=bool(header.earlier_version)))
    return found


_NOTHING: dict[str, Any] = {
    "judge": HIDDEN,
    "state": None,
    "failed": (),
    "flags": (),
    "sample": 1,
    **dict.fromkeys(("findings", "errors", "decided", "unsure"), 0),
    **dict.fromkeys(("signature", "quotes", "quotes_verified", "superseded_by")),
}
"""The fields of a header, but for its scores, where the judge's record is hidden; whether the judge failed is part of
that record."""

_STATE = "replace(coalesce(r.state, 'not_opened'), '_', ' ')"
_ALL_WORDS = (
    f"(e.article || ' ' || e.direction || ' ' || e.domain || ' ' || {SUBDOMAIN} || ' ' || {_STATE} || "
    "CASE WHEN r.blind IS NULL THEN '' ELSE ' blind' END || "
    "CASE WHEN EXISTS (SELECT 1 FROM contradictions c WHERE c.evaluation_id = e.id AND c.reviewer = e.layer) "
    "THEN ' contradicts' ELSE '' END || "
    f"CASE WHEN {HIDDEN_CLAUSE} THEN ' {HIDDEN}' ELSE ' ' || e.judge || ' ' || replace(e.state, '_', ' ') || "
    f"CASE WHEN {SYSTEM_HIDDEN_CLAUSE} THEN '' ELSE ' ' || e.system END END)"
)
_ASSIGNED = (
    "(SELECT v.*, a.* FROM (SELECT asked.blinding, s.layer, s.evaluation_id, min(s.position) AS place "
    "FROM (SELECT ?1 AS blinding, ?2 AS reviewer) asked JOIN assignments s ON s.reviewer = asked.reviewer "
    "GROUP BY s.layer, s.evaluation_id) a JOIN evaluations v ON v.id = a.evaluation_id) e"
)
"""Like ``ASKED``, a row for each evaluation and layer that a reviewer was told to review; ``place``: in their queue."""
_REVIEWS = "reviews r ON r.evaluation_id = e.id AND r.reviewer = e.layer"
_COLUMNS = (
    f"e.id, e.article, {SYSTEM_SHOWN}, e.direction, e.domain, e.judge, e.state, e.total, e.errors, "
    "coalesce(r.state, 'not_opened'), coalesce(r.decided, 0), r.total, r.reason, e.layer, r.blind, "
    f"coalesce(r.unconfirmed, 0), {OTHERS}, {HIDDEN_CLAUSE}, "
    f"{OTHERS_HIDDEN_CLAUSE}, CASE WHEN e.state = 'not_judged' AND NOT {HIDDEN_CLAUSE} THEN {RATED} END"
)
_HEADER = (
    f"e.id, e.article, {SYSTEM_SHOWN}, e.direction, e.domain, {SUBDOMAIN}, e.judge, e.state, e.failed, e.flags, "
    "(SELECT count(*) FROM findings f WHERE f.evaluation_id = e.id), e.errors, coalesce(r.state, 'not_opened'), "
    "r.reason, coalesce(r.decided, 0), coalesce(r.unsure, 0), r.search, r.blind, coalesce(r.marked, 0), "
    f"coalesce(r.unconfirmed, 0), {OTHERS}, {HIDDEN_CLAUSE}, g.text, e.sample, e.quotes, e.quotes_verified, "
    "(SELECT n.id FROM evaluations n WHERE n.supersedes = e.id ORDER BY n.position DESC LIMIT 1), "
    f"e.article_id IN {EARLIER_VERSIONS}, "
    "e.total, e.accuracy, e.fluency, e.appropriateness, "
    "e.stored_total, e.stored_accuracy, e.stored_fluency, e.stored_appropriateness, "
    f"r.total, r.accuracy, r.fluency, r.appropriateness, {OTHERS_HIDDEN_CLAUSE}, {RATED}"
)
