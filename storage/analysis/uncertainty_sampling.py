"""Plans that begin with what is most doubtful: for finding a judge's errors, and no sample of anything.

An evaluation is as doubtful as the number of its findings that are expected not to stand.
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from judges.ranking.acceptance_model import AcceptanceModel
from storage.analysis.acceptance import learn, probabilities
from storage.base.errors import StorageError
from storage.reviews.blinding import shown_evaluations
from storage.reviews.plans import BY_DOUBT, DOUBTFUL, Assignment, Plan, PlanOptions, candidates, write_plan

LEFT_OUT = {
    "hidden": "the judge's findings are hidden from one of these reviewers",
    "opened": "opened already",
    "assigned": "assigned by an earlier plan by doubt",
    "unlocated": "errors not looked up in the texts yet (discox ground)",
    "none": "no error to doubt",
}
"""Reasons for which an evaluation cannot be chosen, beside `storage.reviews.plans.LEFT_OUT`."""


@dataclass(frozen=True, slots=True)
class DoubtfulPlan:
    """A plan in the order of doubt. ``expected``: evaluation → findings that will not stand, of all in the plan."""

    plan: Plan
    expected: Mapping[str, float]
    learnt: AcceptanceModel


def draw_doubtful(connection: sqlite3.Connection, options: PlanOptions) -> DoubtfulPlan:
    """Choose the ``options.number`` most doubtful evaluations and deal them out in turn, without writing anything.

    Nobody has opened any of them, and none is hidden from one of the reviewers, whom the order would tell of what the
    judge found. Raises StorageError where nothing can be learnt from the verdicts there are.
    """
    learnt = learn(connection)
    if learnt.why:
        raise StorageError(f"nothing can be learnt of which findings are doubtful: {learnt.why}")
    strata, why_not = candidates(connection, options)
    shown = set.intersection(*(set(shown_evaluations(connection, name)) for name in options.reviewers))
    opened = {row[0] for row in connection.execute("SELECT evaluation_id FROM reviews")}
    assigned = {row[0] for row in connection.execute(BY_DOUBT)}
    chances = probabilities(connection, learnt, strata)
    errors = dict(connection.execute("SELECT id, errors FROM evaluations"))
    left_out: Counter[str] = Counter()
    expected: dict[str, float] = {}
    for identity in strata:
        whys = (
            ("hidden", identity not in shown),
            ("opened", identity in opened),
            ("assigned", identity in assigned),
            ("none", not errors[identity]),
            ("unlocated", identity not in chances),
        )
        reason = next((why for why, holds in whys if holds), None)
        if reason:
            left_out[reason] += 1
        else:
            expected[identity] = round(math.fsum(1 - chance for chance in chances[identity].values()), 9)
    first = sorted(expected, key=lambda identity: (-expected[identity], identity))[: options.number]
    reviewers = options.reviewers
    last = dict(connection.execute("SELECT reviewer, max(position) FROM assignments GROUP BY reviewer"))
    assignments = [
        Assignment(name, name, last.get(name, 0) + position, identity, "review", blind=False)
        for turn, name in enumerate(reviewers)
        for position, identity in enumerate(first[turn :: len(reviewers)], 1)
    ]
    reasons = {**why_not, **{text: left_out[reason] for reason, text in LEFT_OUT.items() if left_out[reason]}}
    plan = Plan(options, {each: strata[each] for each in expected}, tuple(first), assignments, reasons)
    return DoubtfulPlan(plan, {each: expected[each] for each in first}, learnt)


def write_doubtful(connection: sqlite3.Connection, made: DoubtfulPlan, program: str) -> str:
    """Keep what was chosen, and by what; return the plan's id. Call inside the transaction in which it was."""
    by = {"verdicts": made.learnt.n, "articles": made.learnt.articles, "expected": dict(made.expected)}
    return write_plan(connection, made.plan, program, {"order": DOUBTFUL, "doubt": by})
