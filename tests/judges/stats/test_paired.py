"""Intervals of paired scores: pairs of pairs are counted one by one or in a grid of values, and come to the same."""

from __future__ import annotations

import numpy as np
import pytest

from judges.stats import paired
from judges.stats.intervals import Bootstrap


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
