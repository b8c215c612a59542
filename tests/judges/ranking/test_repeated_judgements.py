"""Repeated judgements made into one score: values worked out by hand, ties, and what cannot be left out."""

from __future__ import annotations

import statistics
from itertools import permutations
from random import Random

import pytest

from judges.ranking.ranking import Points
from judges.ranking.repeated_judgements import aggregate


def only(*totals: float) -> list[Points]:
    """Samples that are of one dimension alone."""
    return [(each, each, None, None) for each in totals]


def test_the_published_example() -> None:
    found = aggregate(only(-50, -11, -6, -6, -11, -6, -6, -55, -6, -11))
    # m = −16.8, σ = √(606.8 − 282.24) = 18.02: −55 is 38.2 away, −50 only 33.2.
    # −6 (1 + 1/2 + 1/3 + 1/4 + 1/5) − 11 (1/6 + 1/7 + 1/8) − 50/9, divided by 1 + … + 1/9 = 7129/2520.
    assert (found.samples, found.outliers, found.weighed) == (10, 1, True)
    assert found.points[0] == pytest.approx(-(13.7 + 11 * 73 / 168 + 50 / 9) / (7129 / 2520))
    assert round(found.points[0] or 0, 2) == -8.50


def test_better_scores_weigh_more() -> None:
    # (90 + 60/2 + 30/3) / (1 + 1/2 + 1/3) = 130 · 6/11
    assert aggregate(only(30, 90, 60)).points[0] == pytest.approx(780 / 11)


def test_equal_totals_share_their_weights_so_that_no_order_counts() -> None:
    rows: list[Points] = [(80, 60, 10, 10), (80, 40, 20, 20), (70, 50, 10, 10)]
    for order in permutations(rows):
        total, accuracy, fluency, appropriateness = aggregate(order).points
        # weights 3/4, 3/4 and 1/3 of 11/6 in all
        assert total == pytest.approx((80 * 1.5 + 70 / 3) * 6 / 11)
        assert accuracy == pytest.approx((100 * 0.75 + 50 / 3) * 6 / 11)
        assert fluency == appropriateness == pytest.approx((30 * 0.75 + 10 / 3) * 6 / 11)
        assert total == pytest.approx(accuracy + fluency + appropriateness)


def test_samples_that_do_not_differ_have_no_outlier() -> None:
    found = aggregate(only(*[78.0] * 10))
    assert (found.points, found.outliers) == ((78, 78, None, None), 0)


def test_one_and_two_samples_are_a_plain_mean() -> None:
    assert aggregate(only(40)) == ((40, 40, None, None), 1, 0, False)
    assert aggregate(only(40, 90)) == ((65, 65, None, None), 2, 0, False)


def test_none_of_five_can_be_an_outlier_and_one_of_six_can() -> None:
    assert aggregate(only(0, 100, 100, 100, 100)).outliers == 0  # exactly 2σ
    found = aggregate(only(0, 100, 100, 100, 100, 100))  # √5 σ
    assert (found.points[0], found.outliers) == (100, 1)


def test_never_are_all_left_out_and_a_second_way_of_reckoning_agrees() -> None:
    drawn = Random(7)
    for _ in range(200):
        totals = [drawn.choice((0, 20, 60, 61, 75, 80, 98, 100)) for _ in range(drawn.randint(3, 12))]
        mean, spread = statistics.fmean(totals), statistics.pstdev(totals)
        kept = sorted((each for each in totals if abs(each - mean) <= 2 * spread + 1e-9), reverse=True)
        found = aggregate(only(*totals))
        assert kept
        assert found.outliers == len(totals) - len(kept) <= len(totals) / 4
        weights = [1 / rank for rank in range(1, len(kept) + 1)]
        expected = sum(score * weight for score, weight in zip(kept, weights, strict=True)) / sum(weights)
        assert found.points[0] == pytest.approx(expected)
        assert expected >= statistics.fmean(kept) - 1e-9
