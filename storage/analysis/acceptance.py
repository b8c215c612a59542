"""Probabilities that reviewers accept findings, learnt from the library's verdicts.

No reviewer is told the probability of a finding that they are to judge unaided: in a blind pass, or a second time.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import repeat
from operator import add

from judges.model import EXACT, SHOWN
from judges.ranking.acceptance_model import (
    AcceptanceModel,
    DecidedFinding,
    Features,
    ModelAssessment,
    assess_acceptance,
    fit_acceptance,
)
from judges.stats.resampling import RESAMPLES, SEED
from storage.analysis.invented_quotes import INVENTED, NEWEST
from storage.analysis.judge_scores import read_judged
from storage.analysis.judge_votes import match_panel, panels
from storage.analysis.review_data import OPENED, selection
from storage.reviews.blinding import hides, shown_evaluations
from storage.reviews.layers import is_adjudicated, layer_of, layers_of, split_layer
from storage.reviews.plans import BY_DOUBT
from storage.reviews.queue import STANDING


@dataclass(frozen=True, slots=True)
class Cases:
    """Standing findings that people accepted or rejected; ``left_out``: why others tell nothing → how many."""

    cases: tuple[DecidedFinding, ...]
    left_out: Mapping[str, int]


UNDECIDED = "reviewers are unsure, or as many accept as reject"
UNLOCATED = "their places are not looked up yet (discox ground)"


def read_cases(
    connection: sqlite3.Connection,
    words: str = "",
    reviewer: str | None = None,
    judges: Collection[str] = (),
    among: Collection[str] | None = None,
) -> Cases:
    """Read them out of the evaluations that words and judges leave, as in `storage.analysis.review_data.read_reviewed`.

    What an adjudication came to counts before what the majority of reviewers says; where as many say the one as the
    other, or all are unsure, nothing is said. ``reviewer``: only what this layer says; ``among``: of these
    evaluations only.
    """
    where, values = selection(connection, words, judges)
    settled: dict[str, int] = {}
    balance: dict[str, int] = {}
    evaluations = set()
    query = f"{_SAID} AND {where} GROUP BY r.evaluation_id, r.reviewer"
    for evaluation, layer, ids, accepts in connection.execute(query, (reviewer, reviewer, *values)):
        if among is not None and evaluation not in among:
            continue
        evaluations.add(evaluation)
        of_kind, findings = settled if is_adjudicated(layer) else balance, json.loads(ids)
        sums = map(add, map(of_kind.get, findings, repeat(0)), map(_ACCEPTS.__getitem__, accepts))
        of_kind.update(zip(findings, sums, strict=True))
    by_doubt = {row[0] for row in connection.execute(BY_DOUBT)}
    left_out: Counter[str] = Counter()
    cases = []
    for evaluation, finding, article, known in _findings(connection, evaluations):
        if finding not in balance and finding not in settled:
            continue
        counted = settled.get(finding) or balance.get(finding, 0)
        if known is None or not counted:
            left_out[UNDECIDED if known else UNLOCATED] += 1
        else:
            cases.append(DecidedFinding(article, known, counted > 0, evaluation in by_doubt))
    return Cases(tuple(cases), left_out)


def learn(connection: sqlite3.Connection, layer: str | None = None) -> AcceptanceModel:
    """Learn from all that is said; where that is too little, ``why`` says what else there would be.

    ``layer``: the reviewer's layer that it is for, so that what is said of what is hidden from them is left out.
    """
    among = shown_evaluations(connection, layer) if layer and hides(connection, layer) else None
    said = read_cases(connection, among=among)
    learnt, left = fit_acceptance(said.cases), said.left_out.get(UNLOCATED, 0)
    if learnt.why and left:
        return replace(learnt, why=f"{learnt.why}; {left:,} verdicts left out: {UNLOCATED}")
    return learnt


def assess(
    connection: sqlite3.Connection,
    words: str = "",
    reviewer: str | None = None,
    judges: Collection[str] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> ModelAssessment:
    """Learn from what `read_cases` reads, and say how well that does."""
    said = read_cases(connection, words, reviewer, judges)
    return assess_acceptance(fit_acceptance(said.cases), said.cases, resamples, seed, said.left_out)


def probabilities(
    connection: sqlite3.Connection, learnt: AcceptanceModel, evaluations: Collection[str] | None = None
) -> dict[str, dict[str, float]]:
    """Return evaluation → its standing findings → how likely each stands; of all evaluations, or of these.

    An evaluation whose findings nobody has located yet is not there. Raises ValueError where nothing was learnt.
    """
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    located = [
        (evaluation, finding, DecidedFinding(article, known))
        for evaluation, finding, article, known in _findings(connection, evaluations)
        if known is not None
    ]
    chances = learnt.probabilities([case for _, _, case in located])
    for (evaluation, finding, _), chance in zip(located, chances, strict=True):
        found[evaluation][finding] = chance
    return found


def told_to(
    connection: sqlite3.Connection, learnt: AcceptanceModel, layer: str, evaluations: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return, as `probabilities` does, what a layer may be told of these evaluations: of what it has not decided.

    What is hidden from it is not to be among them.
    """
    decided = {row[0] for row in connection.execute(_DECIDED, (layer,))}
    found = probabilities(connection, learnt, set(evaluations) - unaided(connection, layer))
    return {
        evaluation: {finding: chance for finding, chance in of.items() if finding not in decided}
        for evaluation, of in found.items()
    }


def unaided(connection: sqlite3.Connection, layer: str) -> set[str]:
    """Return the evaluations that a layer is to judge, or has judged, without help: blind; all, a second time.

    It goes by translation, and by person: a blind pass of one evaluation is one of every other of its translation.
    """
    person, purpose = split_layer(layer)
    if purpose == "again":
        return {row[0] for row in connection.execute("SELECT id FROM evaluations")}
    return {row[0] for row in connection.execute(_UNAIDED, (json.dumps(layers_of(person)), person))}


def _findings(
    connection: sqlite3.Connection, evaluations: Collection[str] | None
) -> Iterator[tuple[str, str, str, Features | None]]:
    """Yield evaluation, finding, article and what is known of each standing finding; None before it is located."""
    chosen = None if evaluations is None else json.dumps(sorted(evaluations))
    shares = _shares(connection, evaluations)
    for evaluation, finding, article, dimension, severity, quoted, errors in connection.execute(
        _FINDINGS, (chosen, chosen)
    ):
        known = Features(dimension, severity, quoted, shares.get(finding, 1.0), errors) if quoted else None
        yield evaluation, finding, article, known


def _shares(connection: sqlite3.Connection, evaluations: Collection[str] | None) -> dict[str, float]:
    """The vote share of each finding of a translation that several judges, or samples, judged."""
    if not connection.execute(_SEVERAL).fetchone()[0]:
        return {}
    shares: dict[str, float] = {}
    for panel in panels(connection, read_judged(connection)):
        ballots = {
            translation: of
            for translation, of in panel.ballots.items()
            if len(of) > 1 and (evaluations is None or any(row.evaluation in evaluations for _, row in of))
        }
        matched = match_panel(connection, replace(panel, ballots=ballots))
        shares |= {finding: vote.share for finding, vote in matched.votes.items()}
    return shares


_SEVERAL = (
    "SELECT EXISTS (SELECT 1 FROM evaluations WHERE state = 'scored' GROUP BY translation_id HAVING count(*) > 1)"
)
_ACCEPTS = {"+": 1, "-": -1, "?": 0}
_SAID = f"""
SELECT r.evaluation_id, r.reviewer, json_group_array(v.finding_id), group_concat(
  CASE WHEN v.decision = 'unsure' THEN '?'
  WHEN v.decision IN ('not_an_error', 'duplicate', 'too_strict') THEN '-' ELSE '+' END, '')
FROM reviews r CROSS JOIN evaluations e ON e.id = r.evaluation_id
JOIN verdicts v ON v.evaluation_id = r.evaluation_id AND v.reviewer = r.reviewer
WHERE {OPENED} AND {STANDING} AND v.decision IS NOT NULL
  AND (r.reviewer = ? OR ? IS NULL AND r.reviewer NOT GLOB '{layer_of("?*", "again")}')
"""
"""One row a review, as rows take longer than what is in them: its findings, and a sign for each verdict on them."""
_FINDINGS = f"""
SELECT f.evaluation_id, f.id, e.direction || ' ' || e.article, f.dimension, f.severity,
  CASE WHEN g.method IS NULL THEN NULL
  WHEN {INVENTED} THEN 'not found'
  ELSE coalesce((
    SELECT CASE WHEN min(s.confidence) >= {EXACT} THEN 'exact' WHEN count(*) THEN 'approximate' END FROM spans s
    WHERE s.evaluation_id = g.evaluation_id AND s.method = g.method AND s.finding_id = g.finding_id
      AND s.role = 'quote' AND s.confidence >= {SHOWN}
  ), 'not found') END, e.errors
FROM evaluations e CROSS JOIN findings f ON f.evaluation_id = e.id
{NEWEST}
WHERE e.state = 'scored' AND f.kept AND {STANDING} AND (? IS NULL OR e.id IN (SELECT value FROM json_each(?)))
ORDER BY e.position, f.number
"""
_DECIDED = "SELECT finding_id FROM verdicts WHERE reviewer = ? AND decision IS NOT NULL"
_UNAIDED = """
SELECT e.id FROM evaluations e WHERE e.translation_id IN (
  SELECT t.translation_id FROM reviews h JOIN evaluations t ON t.id = h.evaluation_id
  WHERE h.blind IS NOT NULL AND h.reviewer IN (SELECT value FROM json_each(?1))
  UNION
  SELECT t.translation_id FROM assignments s JOIN evaluations t ON t.id = s.evaluation_id
  WHERE s.blind AND s.reviewer = ?2
)
"""
