"""Agreement of raters against the definitions, pair by pair."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from judges.stats.kappa import (
    NO_UNIT,
    NO_VARIATION,
    ONE_RATER,
    alphas,
    coincidences,
    gwet_ac1,
    krippendorff_alpha,
    observed_agreement,
    weighted_kappa,
)

NAN = float("nan")
TABLE = [[4, 1, 0], [1, 2, 1], [0, 0, 1]]


def test_a_table_by_hand() -> None:
    assert observed_agreement(TABLE) == 0.7
    assert weighted_kappa(TABLE) == pytest.approx(1 - 0.3 / 0.61)
    # Linear: 3 of 10 are one apart; by chance Σ row · column · distance = 5·(3 + 2·2) + 4·(5 + 2) + (2·5 + 3) = 76.
    assert weighted_kappa(TABLE, "linear") == pytest.approx(1 - 10 * 3 / 76)
    # Quadratic: 5·(3 + 4·2) + 4·(5 + 2) + (4·5 + 3) = 106.
    assert weighted_kappa(TABLE, "quadratic") == pytest.approx(1 - 10 * 3 / 106)
    assert gwet_ac1(TABLE) == pytest.approx((0.7 - 0.3025) / 0.6975)


def test_what_is_undefined() -> None:
    for figure in (observed_agreement, weighted_kappa, gwet_ac1):
        assert figure([[0, 0], [0, 0]]) is None
    assert weighted_kappa([[5, 0], [0, 0]]) is None
    assert gwet_ac1([[5, 0], [0, 0]]) == 1
    assert gwet_ac1([[5]]) is None
    assert observed_agreement([[5]]) == 1
    for table in ([[1, 2]], [[1, -1], [0, 0]], [1, 2]):
        with pytest.raises(ValueError, match="not a square table"):
            weighted_kappa(table)  # type: ignore[arg-type]
    assert krippendorff_alpha([[1, 2, 3]]).why == ONE_RATER
    assert krippendorff_alpha([[1, NAN], [NAN, 2]]).why == NO_UNIT
    alike = krippendorff_alpha([[2, 2, 1], [2, 2, NAN]])
    assert (alike.value, alike.n, alike.why) == (None, 2, NO_VARIATION)
    with pytest.raises(ValueError, match="below 0"):
        krippendorff_alpha([[-1, 2], [1, 2]], "ratio")
    with pytest.raises(ValueError, match="raters × units"):
        krippendorff_alpha([1, 2])  # type: ignore[list-item]


def plain_alpha(ratings: list[list[float]], measurement: str) -> float:
    units = [[value for value in unit if value == value] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted(value for unit in units for value in unit)

    def disagreement(a: float, b: float) -> float:
        if measurement == "nominal":
            return float(a != b)
        if measurement == "ordinal":
            a, b = min(a, b), max(a, b)
            between = sum(a <= value <= b for value in values) - (values.count(a) + values.count(b)) / 2
            return between**2 if a != b else 0.0
        return (a - b) ** 2 if measurement == "interval" else ((a - b) / (a + b)) ** 2 if a + b else 0.0

    observed = sum(disagreement(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2))
    expected = sum(disagreement(a, b) for a, b in permutations(values, 2)) / (len(values) - 1)
    return 1 - observed / expected


@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("seed", range(6))
def test_alpha_is_its_definition_with_gaps(measurement: Any, seed: int) -> None:
    chance = random.Random(seed)
    raters = 2 + seed % 3
    ratings = [
        [float(chance.randint(0, 4)) if chance.random() < 0.7 else NAN for _ in range(12)] for _ in range(raters)
    ]
    found = krippendorff_alpha(ratings, measurement)
    assert found.value == pytest.approx(plain_alpha(ratings, measurement))
    assert found.n == sum(sum(value == value for value in unit) > 1 for unit in zip(*ratings, strict=True))


@pytest.mark.parametrize("measurement", ["nominal", "ordinal"])
def test_alpha_of_coincidences_is_that_of_the_ratings(measurement: Any) -> None:
    chance = np.random.default_rng(3)
    codes = chance.integers(-1, 3, (3, 20))
    groups = chance.integers(0, 4, 20)
    found = coincidences(codes, groups, 3, 4)
    assert found.shape == (4, 3, 3)
    ratings = np.where(codes < 0, NAN, codes).tolist()
    assert float(alphas(found.sum(axis=0), measurement)) == pytest.approx(plain_alpha(ratings, measurement))
    several = (codes >= 0).sum(axis=0) > 1
    for group in range(4):
        of_group = (codes[:, several & (groups == group)] >= 0).sum()
        assert found[group].sum() == pytest.approx(of_group)
