"""What validity promises: learnt in milliseconds, harmless in an audited leaderboard, past the gate only if it helps.

A judge reports errors of five systems, some of which are none. Where quotes tell, what it invents is mostly quoted from
nowhere; where they do not, validity has nothing to go by. People audit ten of sixty articles, and the rest is told by
what was learnt from these.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.figures import Figure, figure
from judges.meta_eval.superiority_test import superiority_test
from judges.ranking.acceptance_model import QUOTED, DecidedFinding, Features, assess_acceptance, fit_acceptance
from judges.ranking.audit_estimate import audited

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

ARTICLES, SYSTEMS, REPORTED, AUDITED = 60, 5, 6, 10
ROUNDS = 150
POINTS = 5.0
SEED = 8
TELLS = {"quotes tell": ((0.15, 0.25, 0.6), (0.75, 0.15, 0.1)), "quotes do not tell": ((1 / 3,) * 3, (1 / 3,) * 3)}
"""How often what is invented, and what is right, is found exactly, approximately and not."""


def _world(
    kind: str, drawn: np.random.Generator, rows: list[int]
) -> tuple[Floats, Floats, Callable[[], tuple[Floats, list[DecidedFinding]]]]:
    """People's scores and the judge's, and what makes the judge's by validity, with the cases it is learnt from."""
    odds = 0.6 + drawn.normal(0, 0.45, SYSTEMS) + drawn.normal(0, 0.4, (ARTICLES, 1))
    stands = drawn.random((ARTICLES, SYSTEMS, REPORTED)) < 1 / (1 + np.exp(-odds))[..., None]
    reported = drawn.random(stands.shape) < 0.8
    human = 100 - POINTS * (stands.sum(2) + drawn.poisson(1.0, (ARTICLES, SYSTEMS)))
    judge = 100 - POINTS * reported.sum(2)

    def by_validity() -> tuple[Floats, list[DecidedFinding]]:
        places = [tuple(place) for place in np.argwhere(reported).tolist()]
        cases = []
        for article, system, n in places:
            right = bool(stands[article, system, n])
            quoted = QUOTED[drawn.choice(3, p=TELLS[kind][right])]
            known = Features("accuracy", "major", quoted, 1.0, int(reported[article, system].sum()))
            cases.append(DecidedFinding(f"{article:03}", known, right if article in rows else None))
        scores = np.full((ARTICLES, SYSTEMS), 100.0)
        for (article, system, _), chance in zip(places, fit_acceptance(cases).probabilities(cases), strict=True):
            scores[article, system] -= POINTS * chance
        return scores, cases

    return human, judge, by_validity


def _milliseconds(act: Callable[[], object]) -> float:
    spent = []
    for _ in range(5):
        started = process_time()
        act()
        spent.append((process_time() - started) * 1000)
    return min(spent)


def measure() -> list[Figure]:
    """Measure time, and by what quotes tell: coverage and width in an audited leaderboard, and what the gate adopts."""
    drawn = np.random.default_rng(SEED)
    _, _, by_validity = _world("quotes tell", drawn, list(range(44)))
    cases = [case for case in by_validity()[1] if case.valid is not None][:1000]
    one = [case for case in cases if case.article == cases[0].article]
    figures = [
        figure("validity: learnt from 1,000 verdicts, told of one article", _milliseconds(
            lambda: fit_acceptance(cases).probabilities(one)), "ms", "≤ 30"),
        figure("… told of all, each without its article, and assessed", _milliseconds(
            lambda: assess_acceptance(fit_acceptance(cases), cases)), "ms", "≤ 100"),
    ]  # fmt: skip
    for kind in TELLS:
        covered, widths, adopted, areas = [], [], [], []
        for _ in range(ROUNDS):
            rows = drawn.permutation(ARTICLES)[:AUDITED].tolist()
            human, judge, by_validity = _world(kind, drawn, rows)
            scores, cases = by_validity()
            found = audited(scores, human[rows], rows)
            truth = human.mean(0)
            for each in found.differences:
                covered.append(abs(each.value - (truth[each.first] - truth[each.second])) <= (each.half_width or 0))
                widths.append((each.half_width or 0) / (each.human_only or 1))
            adopted.append(superiority_test(human[rows], judge[rows], scores[rows]).adopted)
            areas.append(assess_acceptance(fit_acceptance(cases), cases, 200).auc.value or 0.5)
        share = float(np.mean(adopted))
        figures += [
            figure(f"validity, {kind}: AUC", float(np.mean(areas)), ""),
            figure("… audited leaderboard: coverage", float(np.mean(covered)), "", "≥ 0.91"),
            figure("… width, to people alone", float(np.mean(widths)), "×", "≤ 1.02"),
            figure("… the gate adopts it", share, "", "≥ 0.2" if kind == "quotes tell" else "≤ 0.05"),
        ]
    return figures
