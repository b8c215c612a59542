"""Intervals of paired scores against a bootstrap that draws the pairs themselves, every resample there is."""

from __future__ import annotations

import random
from itertools import product
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from judges.stats import paired
from judges.stats.intervals import Bootstrap
from judges.stats.paired import TOO_MANY, paired_intervals
from judges.stats.resampling import holm, percentiles, sign_flips

NAN = float("nan")


def drawn(judge: list[float], human: list[float], articles: list[int], groups: list[int]) -> list[list[float]]:
    """The five figures in each of the n^n resamples: mean difference, mean |difference|, r, rho (ranks held), tau-b."""
    n = max(articles) + 1
    ranks: list[dict[int, tuple[float, float]]] = []
    for group in sorted(set(groups)):
        of = [k for k, each in enumerate(groups) if each == group]
        own = (stats.rankdata([side[k] for k in of]) for side in (judge, human))
        ranks.append(dict(zip(of, zip(*own, strict=True), strict=True)))
    found: list[list[float]] = [[] for _ in range(5)]
    for resample in product(range(n), repeat=n):
        values: list[list[float]] = [[] for _ in range(5)]
        for group, own_ranks in zip(sorted(set(groups)), ranks, strict=True):
            taken = [
                k for article in resample for k in range(len(judge)) if articles[k] == article and groups[k] == group
            ]
            x, y = ([side[k] for k in taken] for side in (judge, human))
            if not taken:
                continue
            values[0].append(fmean(a - b for a, b in zip(x, y, strict=True)))
            values[1].append(fmean(abs(a - b) for a, b in zip(x, y, strict=True)))
            if len(set(x)) > 1 and len(set(y)) > 1:
                values[2].append(np.corrcoef(x, y)[0, 1])
                values[3].append(np.corrcoef(*zip(*(own_ranks[k] for k in taken), strict=True))[0, 1])
                values[4].append(stats.kendalltau(x, y).statistic)
        for figure, of_groups in zip(found, values, strict=True):
            figure.append(fmean(of_groups) if of_groups else NAN)
    return found


@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_intervals_are_those_of_every_resample(seed: int, n_groups: int) -> None:
    chance = random.Random(seed)
    size = 10
    judge, human = ([float(chance.randint(0, 5)) for _ in range(size)] for _ in range(2))
    articles = [0, 1, 2, *(chance.randrange(3) for _ in range(size - 3))]
    groups = [k % n_groups for k in range(size)]
    bootstrap = Bootstrap(50, 1)  # more than the 27 there are
    found = paired_intervals(
        np.array(judge), np.array(human), np.array(articles), bootstrap, np.array(groups) if n_groups > 1 else None
    )
    for interval, draws in zip(found, drawn(judge, human, articles, groups), strict=True):
        expected = bootstrap.interval(np.array(draws), 3)
        assert interval.ends == pytest.approx(expected.ends)
        assert (interval.clusters, interval.resamples, interval.dropped, interval.seed) == (
            3,
            expected.resamples,
            expected.dropped,
            None,
        )


def test_one_article_has_no_intervals() -> None:
    found = paired_intervals(np.array([1.0, 2.0]), np.array([2.0, 1.0]), np.array([0, 0]), Bootstrap(20, 1))
    assert [interval.why for interval in found] == ["fewer than two articles: no interval"] * 5


def test_of_many_documents_tau_b_has_fewer_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(1)
    judge, human = chance.integers(0, 9, (2, 40)).astype(float)
    articles = np.arange(40) % 20
    whole = paired_intervals(judge, human, articles, Bootstrap(60, 1))
    monkeypatch.setattr(paired, "FEWER", 30)
    monkeypatch.setattr(paired, "MANY", 40)
    assert paired_intervals(judge, human, articles, Bootstrap(60, 1)) == whole
    monkeypatch.setattr(paired, "MANY", 39)
    fewer = paired_intervals(judge, human, articles, Bootstrap(60, 1))
    assert [interval.resamples for interval in fewer] == [60, 60, 60, 60, 30]
    assert fewer[:4] == whole[:4]
    assert paired_intervals(judge, human, articles, Bootstrap(20, 1))[4].resamples == 20
    monkeypatch.setattr(paired, "MOST_FOR_TAU_B", 19)
    assert paired_intervals(judge, human, articles, Bootstrap(60, 1))[4].why == TOO_MANY


def test_the_ends_of_an_interval() -> None:
    def ends(n: int, steps: bool) -> tuple[float, float]:
        low, high = percentiles(np.arange(float(n))[::-1][None], steps=steps)
        return float(low[0]), float(high[0])

    assert ends(81, steps=False) == (2, 78)
    assert ends(101, steps=False) == (2.5, 97.5)
    assert ends(1, steps=False) == (0, 0)
    assert ends(27, steps=True) == (0, 26)
    assert ends(80, steps=True) == (1.5, 77.5)
    assert ends(100, steps=True) == (2, 97)
    low, high = percentiles(np.array([[NAN, 4.0, 3.0], [NAN, NAN, NAN]]))
    assert (low[0], high[0]) == (3.025, 3.975)
    assert np.isnan(low[1])


def test_sign_flips_by_hand() -> None:
    rows = np.array([[1.0, 2.0, 3.0], [1.0, -1.0, 0.0], [1.0, -2.0, 3.0], [5.0, NAN, NAN], [4.0, NAN, 4.0]])
    found = sign_flips(rows, 8, 1)
    # Of the third, ±2 is reached by all signs but those of 0 (1 + 2 − 3): six of eight.
    assert [(test.p, test.exact) for test in found] == [
        (2 / 8, True),
        (1, True),
        (6 / 8, True),
        (None, False),
        (None, False),  # twice the same: nothing is known of how much it varies
    ]
    many = sign_flips(np.arange(1.0, 13.0)[None], 199, 1)[0]
    assert (many.exact, many.p) == (False, pytest.approx(1 / 200, abs=3 / 200))
    assert sign_flips(rows, 7, 1)[0].exact is False


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, None, 0.03]) == pytest.approx([0.03, 0.06, None, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize("values", [2, 7, 40])
def test_tau_bs_interval_is_the_same_by_a_grid_of_values_and_by_pairs(
    values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(values)
    judge, human = chance.integers(0, values, (2, 400)).astype(float)
    articles = chance.permutation(np.repeat(np.arange(20), 20))
    found = []
    for ratio in (0, 10**9):
        monkeypatch.setattr(paired, "FEW_VALUES", ratio)
        order = paired._order(judge, human, articles, 20)
        assert order is not None
        found.append((order[1], paired.paired_intervals(judge, human, articles, Bootstrap(200, 1))[-1]))
    (by_grid, interval), (by_pairs, expected) = found
    assert np.array_equal(by_grid, by_pairs)
    assert interval == expected
    assert by_grid.sum() == 2 * sum(
        np.sign(judge[i] - judge[j]) * np.sign(human[i] - human[j]) for i in range(400) for j in range(i)
    )
