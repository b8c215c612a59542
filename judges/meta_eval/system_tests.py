"""Tests of two systems by humans and by each metric, and the articles it would take to tell them apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from judges.meta_eval.sample_size import Plan, plan_systems
from judges.meta_eval.score_table import ScoreRow, sheets
from judges.stats.resampling import RESAMPLES, SEED, Estimate, bootstrap, sign_flips


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemDifference:
    """Two systems by the scores of one metric, or of humans (``scorer`` None), over the articles that both have.

    ``difference`` is second - first in points, its interval of the bootstrap over articles; ``p`` of the two-sided
    paired permutation test, None below two articles.
    """

    scorer: str | None
    direction: str
    first: str
    second: str
    difference: Estimate
    p: float | None
    exact: bool
    plan: Plan


def compare_systems(
    rows: Iterable[ScoreRow], first: str, second: str, resamples: int = RESAMPLES, seed: int = SEED
) -> list[SystemDifference]:
    """Compare two systems by the humans' mean score and by every metric, in each direction in which both are."""
    import numpy as np

    found = []
    for sheet in sheets(rows).values():
        if not {first, second} <= set(sheet.systems):
            continue
        a, b = map(sheet.systems.index, (first, second))
        scorers = [None, *sheet.metrics]
        layers = np.array([sheet.human, *sheet.metrics.values()])
        differences = layers[:, b] - layers[:, a]
        # Each over the articles that it is of: others would make resamples of fewer of them, and wider intervals.
        estimates = [bootstrap(row[None, np.isfinite(row)], resamples, seed, paired=True)[0] for row in differences]
        tests = sign_flips(differences, resamples, seed)
        for scorer, layer, estimate, test in zip(scorers, layers, estimates, tests, strict=True):
            plan = plan_systems(layer[a].tolist(), layer[b].tolist(), test.p)
            found.append(
                SystemDifference(
                    scorer=scorer,
                    direction=sheet.direction,
                    first=first,
                    second=second,
                    difference=estimate,
                    p=test.p,
                    exact=test.exact,
                    plan=plan,
                )
            )
    return found
