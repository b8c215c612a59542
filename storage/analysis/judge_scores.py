"""Judges' scores, read out of the library: for each judge the evaluations that count, and leaderboards of them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from judges.consistency.documents import PARTS, Part
from judges.meta_eval.human_score import Rating, human_score
from judges.metric_s.published import Kind
from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import DIMENSIONS
from judges.ranking.judge_votes import Votes
from judges.ranking.ranking import USUAL, Cut, JudgedTranslation, Points, Ranking, rankings
from judges.ranking.repeated_judgements import Repeated
from judges.stats.resampling import RESAMPLES, SEED
from storage.analysis.judged_segments import NOTHING_READ
from storage.analysis.review_data import CHOSEN, COMPLETE, NOT_BY_DOUBT
from storage.record.article_versions import EARLIER_VERSIONS, said_since
from storage.reviews.queue import words_clause


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """The evaluations of one judge that was always asked in the same way; those of different ones are never mixed.

    ``signatures``: what decided the scores, the commonest first; more than one where the same question was answered
    by another model, in another form, or read by another version of the program. None for imported evaluations, whose
    files do not say how the judge was asked. ``weights``: what made scores of its findings. ``superseded``: failed
    ones that were judged again later, and those of a candidate's text of before it was revised. ``passed_over``: others
    of which a newer one of the same article, system and sample counts. Neither are among the ``rows``, which say why
    what somebody began to review has no human score.

    Judges that vote are ``members`` of rows that are theirs together (`storage.analysis.vote_scores`), and ``votes``
    says how; rows of one judge's samples have it as their one member. ``repeated``: where the points are those that the
    samples come to together (`storage.analysis.sample_scores`).
    """

    judge: str
    signatures: tuple[str, ...]
    weights: Weights
    rows: tuple[JudgedTranslation, ...]
    superseded: int
    passed_over: int
    members: tuple[JudgedRows, ...] = ()
    votes: Votes | None = None
    repeated: Repeated | None = None

    @property
    def signature(self) -> str | None:
        """The signature of most of them, None where it is unknown."""
        return self.signatures[0] if self.signatures else None

    def unreviewed(self, why: str) -> int:
        """Return the number of evaluations that have no human score for this reason."""
        return sum(row.unreviewed == why for row in self.rows)

    @property
    def samples(self) -> int:
        """Number of samples of the judge's answers; they are averaged."""
        return len({row.sample for row in self.rows})


BY_DOUBT = "evaluations chosen by doubt"
UNFINISHED = "evaluations of no complete review"
"""Reasons for which an evaluation that somebody began to review has no human score."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """One judge's rankings, with what they rest on and how intervals and p-values were drawn."""

    of: JudgedRows
    rankings: tuple[Ranking, ...]
    seed: int
    resamples: int

    def maximum(self, part: Part) -> int:
        """The points that the total or a dimension can reach by this judge."""
        maxima = self.of.weights.maxima
        return sum(maxima.values()) if part == "total" else maxima[part]


def leaderboards(
    connection: sqlite3.Connection,
    words: str = "",
    reviewer: str | None = None,
    cuts: Collection[Cut] = USUAL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    read: Reader | None = None,
    kinds: Mapping[str, Kind] | None = None,
) -> list[Leaderboard]:
    """Read what the words leave (as `read_judged` does, or ``read``) and rank the systems by each judge.

    ``kinds``: of systems, where they are not as published.
    """
    return [
        Leaderboard(group, rankings(group.rows, cuts, resamples, seed, kinds), seed, resamples)
        for group in (read or read_judged)(connection, words, reviewer)
    ]


def read_judged(
    connection: sqlite3.Connection,
    words: str = "",
    reviewer: str | None = None,
    cell: tuple[str, str] | None = None,
    *,
    human: bool = True,
) -> list[JudgedRows]:
    """Read one group of rows for each judge and signature, the one with most evaluations first.

    ``words``: only evaluations in whose article, system, direction, domain, judge or state every word occurs. What is
    superseded or passed over is so whether or not the words leave what took its place. ``reviewer``: whose reviews
    count as the human's score, where not everybody's; only those that are done with every error decided, none unsure.
    ``human`` False: without human scores. ``cell``: only this article (by key) by this system. An evaluation of which
    the judge read nothing has no points, and no human score; it takes the place of none.
    """
    matching, values = words_clause(words)
    narrowed = "AND e.article = ? AND e.system = ?" if cell else ""
    said = said_since(connection)
    (signatures, texts), reviews = _signatures(connection), _human(connection, reviewer) if human else {}
    newest: dict[_Board, dict[tuple[str, str, int], JudgedTranslation | None]] = {}
    weights_of: dict[_Board, Weights] = {}
    superseded: Counter[_Board] = Counter()
    passed_over: Counter[_Board] = Counter()
    begun = {row[0] for row in connection.execute(_BEGUN, (reviewer, reviewer))} - reviews.keys() if human else set()
    for row in connection.execute(_evaluations_sql(matching, narrowed), [*values, *(cell or ())]):
        identity, judge, signature, replaced, matches, *parts = row[:-7]
        article, system, direction, domain, subdomain, state, sample = row[-7:]
        asked, weights = signatures[signature]
        # The name of a further sample's judge ends in its number; it is the same judge.
        board = judge if sample == 1 else judge.removesuffix(f"#{sample}"), asked
        weights_of[board] = weights
        chosen = newest.setdefault(board, {})
        key = article, system, sample
        if replaced:
            superseded[board] += matches
            continue
        unread = state == "not_judged"
        passed_over[board] += chosen.get(key) is not None
        if unread and key in chosen:
            continue
        if article in said:
            direction, domain, subdomain = said[article].values()
        own = _only(weights, (0, 0, 0, 0) if state == "instruction_failed" else None if unread else parts)
        reviewed = None if unread else _only(weights, reviews.get(identity))
        why = BY_DOUBT if identity in reviews and reviewed is None else UNFINISHED if identity in begun else ""
        chosen[key] = (
            JudgedTranslation(
                article=article,
                system=system,
                direction=direction,
                domain=domain,
                subdomain=subdomain,
                state=state,
                points=own,
                human=reviewed,
                sample=sample,
                evaluation=identity,
                unreviewed="" if unread else why,
            )
            if matches
            else None
        )
    groups = [
        JudgedRows(
            judge=board[0],
            signatures=texts.get(board[1], ()),
            weights=weights_of[board],
            rows=tuple(filter(None, chosen.values())),
            superseded=superseded[board],
            passed_over=passed_over[board],
        )
        for board, chosen in newest.items()
    ]
    found = [group for group in groups if group.rows]
    return sorted(found, key=lambda group: (-len(group.rows), group.judge, group.signature or ""))


Reader = Callable[[sqlite3.Connection, str, str | None], list[JudgedRows]]
"""`read_judged`, or what reads the same otherwise: of words and a reviewer."""
_Board = tuple[str, str]
"""A judge, and what stands for how it was asked ("" where that is unknown)."""


def _signatures(
    connection: sqlite3.Connection,
) -> tuple[dict[str | None, tuple[str, Weights]], dict[str, tuple[str, ...]]]:
    """Return signature id → what was asked, and the weights; and what was asked → the texts, commonest first.

    Where no model answered, as for a missing translation or a failed judge, the text says nothing that the others of
    the same question do not; it stands only where it is alone.
    """
    found: dict[str | None, tuple[str, Weights]] = {None: ("", METRIC_S)}
    texts: dict[str, tuple[str, ...]] = {}
    for identity, asked, text, fields, _ in connection.execute(_SIGNATURES):
        says = json.loads(fields)
        found[identity] = asked, Weights.of(says["weights"])
        if says["answered"] or asked not in texts:
            texts[asked] = (*texts.get(asked, ()), text)
    return found, texts


def _only(weights: Weights, points: Sequence[float | None] | None) -> Points | None:
    """The points of the parts that are judged; None where there is no total."""
    if points is None or points[0] is None:
        return None
    total, *parts = points
    accuracy, fluency, appropriateness = (
        p if dimension in weights.judged else None for p, dimension in zip(parts, DIMENSIONS, strict=True)
    )
    return total, accuracy, fluency, appropriateness


def _human(connection: sqlite3.Connection, reviewer: str | None) -> dict[str, tuple[float | None, ...]]:
    """Return the human score of each evaluation, total and parts, of the reviews of all of it that are complete."""
    reviews: defaultdict[str, list[list[Rating]]] = defaultdict(lambda: [[] for _ in PARTS])
    for identity, by, *points in connection.execute(_REVIEWS, (reviewer, reviewer)):
        for ratings, score in zip(reviews[identity], points, strict=True):
            if score is not None:
                ratings.append(Rating(by, score))
    return {identity: tuple(map(human_score, of)) for identity, of in reviews.items()}


_SIGNATURES = """
SELECT s.id, s.asked, s.text, s.fields, count(*) AS evaluations
FROM signatures s JOIN evaluations e ON e.signature_id = s.id
GROUP BY s.id ORDER BY json_array_length(s.fields, '$.formats') = 0, evaluations DESC, s.text
"""


def _evaluations_sql(matching: str, narrowed: str) -> str:
    return f"""
SELECT e.id, e.judge, e.signature_id,
  EXISTS (SELECT 1 FROM evaluations later WHERE later.supersedes = e.id) OR e.article_id IN {EARLIER_VERSIONS},
  {matching},
  e.total, e.accuracy, e.fluency, e.appropriateness,
  e.article_id, e.system, e.direction, e.domain, a.subdomain,
  CASE WHEN {NOTHING_READ} THEN 'not_judged' ELSE e.state END, e.sample
FROM evaluations e JOIN articles a ON a.id = e.article_id
WHERE e.state <> 'not_judged' {narrowed} ORDER BY e.position
"""


_REVIEWS = f"""
SELECT e.id, r.reviewer, CASE WHEN {NOT_BY_DOUBT} THEN r.total END, r.accuracy, r.fluency, r.appropriateness
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE e.state = 'scored' AND {COMPLETE} AND {CHOSEN}
"""
"""Human scores; an evaluation that was chosen by doubt has none."""
_BEGUN = f"""
SELECT r.evaluation_id FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id
WHERE e.state = 'scored' AND r.state IN ('in_progress', 'done') AND {CHOSEN}
"""
