"""Judges' scores in which each finding counts by how likely it stands, told without its article.

On a leaderboard they take the place of the judge's own only where the gate lets them; as what an audited leaderboard
corrects they need no gate, for people's scores have the last word there.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from judges.meta_eval.score_table import ScoreRow
from judges.ranking.acceptance_model import AcceptanceModel
from judges.ranking.weighting import ByValidity
from storage.analysis.acceptance import learn, probabilities
from storage.analysis.comparisons import claims
from storage.analysis.judge_scores import JudgedRows, read_judged
from storage.analysis.metric_scores import Metric, ScoreTable, read_scores
from storage.analysis.review_data import metric_name
from storage.analysis.vote_scores import read_costs, reweighed

if TYPE_CHECKING:
    from storage.analysis.judge_scores import Reader


NO_GAIN = "no proven gain"
NO_PEOPLE = "nobody has scored anything that the judge has"


def cross_fitted(connection: sqlite3.Connection, words: str = "", reviewer: str | None = None) -> list[JudgedRows]:
    """Read rows as `read_judged` does, with points by validity: to be corrected by people's, so without the gate."""
    learnt = learn(connection)
    groups = read_judged(connection, words, reviewer)
    if learnt.why:
        return _kept(groups, learnt)
    chances = _chances(connection, learnt)
    return [replace(weighed, validity=by) for weighed, by in (_weighed(connection, g, learnt, chances) for g in groups)]


def gated(connection: sqlite3.Connection, words: str = "", reviewer: str | None = None) -> list[JudgedRows]:
    """Read rows as `read_judged` does, with points by validity where these are shown to be the more consistent.

    So they are where the gate lets them in every direction in which people scored anything; else the judge's own are
    kept. Each asking is an attempt that is kept and counted (`storage.analysis.comparisons`).
    """
    learnt = learn(connection)
    groups = read_judged(connection, words, reviewer)
    if learnt.why:
        return _kept(groups, learnt)
    chances = _chances(connection, learnt)
    scores = read_scores(connection, words, reviewer)
    people = tuple(row for row in scores.rows if row.human)
    keys = dict(connection.execute("SELECT id, key FROM articles"))
    found = []
    for group in groups:
        weighed, of_weighed = _weighed(connection, group, learnt, chances)
        standard, candidate = metric_name(group.judge), metric_name(weighed.judge)
        metric = Metric(group.judge, group.signatures)
        rows = (*people, *_rows(standard, group, keys), *_rows(candidate, weighed, keys))
        said = claims(ScoreTable(rows, {standard: metric, candidate: metric}), standard, candidate, connection)
        if said and all(claim.gate.adopted for claim in said):
            shown, by = weighed, of_weighed
        else:
            shown, by = group, replace(of_weighed, why=NO_GAIN if said else NO_PEOPLE, unlocated=0)
        seen = sum(gold.ratings for gold in scores.gold if gold.judge == group.judge and not gold.blind)
        found.append(replace(shown, validity=replace(by, claims=said, ratings=len(people), seen=seen)))
    return found


def _kept(groups: list[JudgedRows], learnt: AcceptanceModel) -> list[JudgedRows]:
    return [replace(group, validity=ByValidity(learnt.n, learnt.articles, (), learnt.why)) for group in groups]


def _chances(connection: sqlite3.Connection, learnt: AcceptanceModel) -> dict[str, float]:
    found = probabilities(connection, learnt)
    return {finding: chance for of in found.values() for finding, chance in of.items()}


def _weighed(
    connection: sqlite3.Connection, group: JudgedRows, learnt: AcceptanceModel, chances: dict[str, float]
) -> tuple[JudgedRows, ByValidity]:
    """The judge's rows with points by validity, under a name that says so, and what these rest on."""
    costs = read_costs(connection, (row.evaluation for row in group.rows if row.state == "scored"))
    unlocated = sum(cost.finding not in chances for of in costs.values() for cost in of)
    weighed = reweighed(connection, group, lambda finding: chances.get(finding, 1.0))
    rows = replace(weighed, judge=f"{group.judge} by validity", members=(group,))
    return rows, ByValidity(learnt.n, learnt.articles, (), "", unlocated)


def _rows(metric: str, group: JudgedRows, keys: dict[str, str]) -> list[ScoreRow]:
    return [
        ScoreRow(metric, row.system, keys[row.article], row.direction, row.points[0], False, row.domain)
        for row in group.rows
        if row.points is not None and row.points[0] is not None
    ]


Weighing = Literal["votes", "validity"]
"""By the share of the judges, or samples, that found it; by how likely people let it stand."""


def reader_by(weighing: Weighing | None, *, audited: bool) -> Reader | None:
    """Return what reads judges' scores for a leaderboard, or an audited one; None where each error costs its all."""
    if weighing == "validity":
        from storage.analysis.weighted_scores import cross_fitted, gated

        return cross_fitted if audited else gated
    if weighing == "votes":
        from storage.analysis.vote_scores import by_votes

        return by_votes
    return None
