"""Promises of the audited leaderboard, on data whose truth is known: how often intervals cover it, how wide they are.

People's scores have effects of article and system and noise. A fair judge's go with them by about .5 within articles, a
favouring one's as much but it gives one system more, and a useless one's not at all. Coverage is held against that of
people's scores alone where articles are drawn at random: a balanced draw is the judge's doing, and makes intervals of
people's scores alone cover more than they claim, as these do not count what balancing gained.

And what the gate lets pass: scores are totals of Metric-S, of errors of which people and judges each find some. What
only breaks ties, what adds noise, and another judge as good as the standard are noise; a judge that finds more of the
errors and makes fewer up is a gain, and must not be kept out by a gate that never opens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.figures import Figure, figure
from judges.meta_eval.superiority_test import superiority_test
from judges.ranking.audit_estimate import TARGETS, audited
from judges.ranking.audit_sampling import draw_balanced

if TYPE_CHECKING:
    from judges.stats.arrays import Floats, Integers

ARTICLES, SYSTEMS = 100, 5
AUDITED = (8, 16)
ROUNDS = 250
SEED = 8
NAMES = [f"{number:03}" for number in range(ARTICLES)]
JUDGES = ("fair", "favouring", "useless")

GATED = {8: 0.1, 16: 0.3, 40: 0.7}
"""Audited articles with which candidates come to the gate, and how often what is better is to pass at the least."""
GATE_ROUNDS = 600
ATTEMPTS = 5
COSTS = (2, 5, 10)
ERRORS = (3.0, 1.5, 0.5)
"""Errors of a translation, by what they cost."""
STANDARD = 0.6, 1.5
"""The share of the errors that a judge finds, and how many it makes up."""
BETTER = 0.9, 0.5


def _judge(kind: str, human: Floats, drawn: np.random.Generator) -> Floats:
    noise = drawn.normal(0, 10, human.shape)
    if kind == "useless":
        return np.asarray(70 + noise)
    scores: Floats = human + noise * np.sqrt(3)
    if kind == "favouring":
        scores[:, 0] += 8
    return scores


def measure() -> list[Figure]:
    """Measure coverage, widths and errors by judge, audits, draw and target; then what passes the gate."""
    return [*_leaderboards(), *_gate()]


def _leaderboards() -> list[Figure]:
    sums: dict[tuple[str, int, str, str], list[Floats]] = {}
    drawn = np.random.default_rng(SEED)
    for number in range(ROUNDS):
        effects = drawn.normal(0, 3, SYSTEMS)
        human = 70 + drawn.normal(0, 6, (ARTICLES, 1)) + effects + drawn.normal(0, 10, (ARTICLES, SYSTEMS))
        for kind in JUDGES:
            judge = _judge(kind, human, drawn)
            for n in AUDITED:
                rows = {
                    "balanced": [int(name) for name in draw_balanced(NAMES, judge, n, number).articles],
                    "random": drawn.permutation(ARTICLES)[:n].tolist(),
                }
                for draw, chosen in rows.items():
                    for target in TARGETS:
                        truth = human.mean(0) if target == "this-test-set" else effects
                        found = _held(judge, human[chosen], chosen, target, truth)
                        sums.setdefault((kind, n, draw, target), []).append(found)
    figures = []
    means = {key: np.mean(found, axis=0).tolist() for key, found in sums.items()}
    for (kind, n, draw, which), (covered, _, width, width_alone, error, error_alone) in means.items():
        alone = means[kind, n, "random", which][1]
        name = f"{kind}, {n}, {draw}, {which}: "
        widest = {"fair": "≤ 0.92", "useless": "≤ 1.02"}.get(kind)
        figures += [
            figure(name + "coverage", covered, "", "≥ 0.91"),
            figure(name + "below people's", alone - covered, "", "≤ 0.01"),
            figure(name + "width", width / width_alone, "x people's", widest),
            figure(name + "best guess", float(np.sqrt(error / error_alone)), "x people's", "≤ 1.02"),
        ]
    return figures


def _held(judge: Floats, human: Floats, rows: list[int], target: str, truth: Floats) -> Floats:
    """Covered with and without the judge, both half-widths, squared errors of the best guess and of people's means."""
    found = audited(judge, human, rows, "this-test-set" if target == "this-test-set" else "new-documents")
    means = np.array(found.human)
    pairs = []
    for each in found.differences:
        wanted = truth[each.first] - truth[each.second]
        half, alone = each.half_width or 0.0, each.human_only or 0.0
        by_people = means[each.first] - means[each.second]
        pairs.append([abs(each.value - wanted) <= half, abs(by_people - wanted) <= alone, half, alone])
    errors = [((side - side.mean() - truth + truth.mean()) ** 2).mean() for side in (np.array(found.best), means)]
    return np.array([*np.mean(pairs, axis=0), *errors])


def _gate() -> list[Figure]:
    """Return how often noise passes, alone and in several attempts on the same audits, and how often a gain does."""
    drawn = np.random.default_rng(SEED)
    figures = []
    for n, power in GATED.items():
        passed = dict.fromkeys(("ties broken", "noise added", "another as good", f"any of {ATTEMPTS}", "better"), 0)
        for _ in range(GATE_ROUNDS):
            hard = drawn.gamma(4, 0.25, (n, 1, 1)) * np.exp(drawn.normal(0, 0.3, (1, SYSTEMS, 1)))
            errors = drawn.poisson(hard * ERRORS, (n, SYSTEMS, len(COSTS)))
            human, standard, equal, better = (
                _total(errors, drawn, *skill) for skill in ((0.8, 0.5), STANDARD, STANDARD, BETTER)
            )
            tried = {
                "ties broken": standard + drawn.normal(0, 0.01, standard.shape),
                "noise added": standard + drawn.normal(0, 5, standard.shape),
                "another as good": equal,
                "better": better,
            }
            for name, candidate in tried.items():
                passed[name] += superiority_test(human, standard, candidate).adopted
            more = [_total(errors, drawn, *STANDARD) for _ in range(ATTEMPTS)]
            passed[f"any of {ATTEMPTS}"] += any(
                superiority_test(human, standard, candidate, attempt).adopted
                for attempt, candidate in enumerate(more, 1)
            )
        for name, times in passed.items():
            limit = f"≥ {power}" if name == "better" else "≤ 0.05"
            figures.append(figure(f"gate, {n} audited, {name}: adopted", times / GATE_ROUNDS, "", limit))
    return figures


def _total(errors: Integers, drawn: np.random.Generator, finds: float, invents: float) -> Floats:
    """The totals of Metric-S by one who finds this share of the errors and makes so many up."""
    made_up = np.array(ERRORS) / sum(ERRORS) * invents
    found = drawn.binomial(errors, finds) + drawn.poisson(made_up, errors.shape)
    return np.asarray(np.maximum(100.0 - found @ COSTS, 0))
