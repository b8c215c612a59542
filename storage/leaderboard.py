"""What leaderboards are computed from, read out of the library: for each judge the evaluations that count."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from judges.leaderboard.records import JudgedTranslation, Points
from judges.metric_s.scoring import Weights
from judges.model import DIMENSIONS
from storage.queue import words_clause


@dataclass(frozen=True, slots=True)
class JudgesRows:
    """The evaluations of one judge under one signature; those of different ones are never put together.

    ``signature``: None for imported evaluations, whose files do not say how the judge was asked. ``superseded``: failed
    ones that were judged again later. ``passed_over``: others of which a newer one of the same article, system and
    sample counts. Neither are among the ``rows``.
    """

    judge: str
    signature: str | None
    rows: tuple[JudgedTranslation, ...]
    superseded: int
    passed_over: int

    @property
    def samples(self) -> int:
        """How many samples of the judge's answers there are; they are averaged."""
        return len({row.sample for row in self.rows})


def read_judged(connection: sqlite3.Connection, words: str = "", reviewer: str | None = None) -> list[JudgesRows]:
    """Read one group of rows for each judge and signature, the one with most evaluations first.

    ``words``: only evaluations in whose article, system, direction, domain, judge or state every word occurs. What is
    superseded or passed over is so whether or not the words leave what took its place. ``reviewer``: whose reviews
    count as the human's score, where not everybody's; only those that are done with every error decided, none unsure.
    """
    matching, values = words_clause(words)
    signatures, human = _signatures(connection), _human(connection, reviewer)
    newest: dict[_Board, dict[tuple[str, str, int], JudgedTranslation | None]] = {}
    superseded: Counter[_Board] = Counter()
    passed_over: Counter[_Board] = Counter()
    for row in connection.execute(_EVALUATIONS.format(matching), values):
        identity, judge, signature, replaced, matches, *parts = row[:-7]
        article, system, direction, domain, subdomain, state, sample = row[-7:]
        text, judged = signatures[signature]
        board = judge, text
        chosen = newest.setdefault(board, {})
        key = article, system, sample
        if replaced:
            superseded[board] += matches
            continue
        passed_over[board] += chosen.get(key) is not None
        own = _only(judged, (0, 0, 0, 0) if state == "instruction_failed" else parts)
        reviewed = _only(judged, human.get(identity))
        chosen[key] = (
            JudgedTranslation(article, system, direction, domain, subdomain, state, own, reviewed, sample)
            if matches
            else None
        )
    boards = [
        JudgesRows(*board, tuple(filter(None, chosen.values())), superseded[board], passed_over[board])
        for board, chosen in newest.items()
    ]
    found = [board for board in boards if board.rows]
    return sorted(found, key=lambda board: (-len(board.rows), board.judge, board.signature or ""))


_Board = tuple[str, str | None]
"""A judge and a signature."""
_EVERYTHING = (True,) * 4


def _signatures(connection: sqlite3.Connection) -> dict[str | None, tuple[str | None, tuple[bool, ...]]]:
    """Signature id → the text under which its evaluations are shown, and which of the points it judges at all.

    The text says which models answered. Where none did, as for a missing translation or a failed judge, the
    evaluation goes with those that were asked in the same way and answered.
    """
    found: dict[str | None, tuple[str | None, tuple[bool, ...]]] = {None: (None, _EVERYTHING)}
    shown: dict[str, str] = {}
    for identity, asked, text, fields, _ in connection.execute(_SIGNATURES):
        says = json.loads(fields)
        if says["answered"]:
            shown.setdefault(asked, text)
        else:
            text = shown.get(asked, text)
        judged = Weights.of(says["weights"]).judged
        found[identity] = text, (True, *(dimension in judged for dimension in DIMENSIONS))
    return found


def _only(judged: tuple[bool, ...], points: Sequence[float | None] | None) -> Points | None:
    """The points of the parts that are judged; None where there is no total."""
    if points is None or points[0] is None:
        return None
    total, accuracy, fluency, appropriateness = (p if j else None for p, j in zip(points, judged, strict=True))
    return total, accuracy, fluency, appropriateness


def _human(connection: sqlite3.Connection, reviewer: str | None) -> dict[str, tuple[float | None, ...]]:
    return {row[0]: row[1:] for row in connection.execute(_REVIEWS, (reviewer, reviewer))}


_SIGNATURES = """
SELECT s.id, s.asked, s.text, s.fields, count(*) AS evaluations
FROM signatures s JOIN evaluations e ON e.signature_id = s.id
GROUP BY s.id ORDER BY json_array_length(s.fields, '$.answered') = 0, evaluations DESC, s.text
"""
_EVALUATIONS = """
SELECT e.id, e.judge, e.signature_id, EXISTS (SELECT 1 FROM evaluations later WHERE later.supersedes = e.id), {},
  e.total, e.accuracy, e.fluency, e.appropriateness,
  e.article_id, e.system, e.direction, e.domain, a.subdomain, e.state, e.sample
FROM evaluations e JOIN articles a ON a.id = e.article_id
ORDER BY e.position
"""
_REVIEWS = """
SELECT e.id, avg(r.total), avg(r.accuracy), avg(r.fluency), avg(r.appropriateness)
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE e.state = 'scored' AND r.state = 'done' AND r.decided >= e.errors AND NOT r.unsure
  AND (? IS NULL OR r.reviewer = ?)
GROUP BY e.id
"""
