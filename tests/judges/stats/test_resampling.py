"""What chance could have done: worked by hand, against scipy, and counted out where that can be done."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy import stats

from judges.stats import resampling
from judges.stats.resampling import (
    NEVER_VARIES,
    NO_ARTICLE,
    TOO_FEW,
    Estimate,
    all_resampled,
    all_signs,
    bootstrap,
    constant,
    expanded_tail,
    holm,
    percentiles,
    resampled_sums,
    sign_flips,
    signs_of,
)
from judges.stats.student_t import normal_tail

NAN = float("nan")

# Worked by hand


def test_a_mean_its_interval_and_what_is_undefined() -> None:
    # Of five articles one in 3,125 resamples is all of one: of 2,000 the expanded ends leave out 1.9 at either side.
    five, four, one, none = bootstrap(
        np.array([[10, 20, 40, 60, 90, NAN], [40, 60, 50, NAN, 30, NAN], [NAN] * 4 + [50, NAN], [NAN] * 6]), 2000, 1
    )
    assert (five.value, five.n, five.why) == (44, 5, "")
    assert five.low is not None
    assert five.high is not None
    assert 10 < five.low < 16
    assert 80 < five.high <= 90
    assert four == Estimate(45, 4, why=TOO_FEW)
    assert one == Estimate(50, 1, why=TOO_FEW)
    assert none == Estimate(None, 0, why=NO_ARTICLE)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("m", [5, 6, 7, 10, 30, 101, 1000])
def test_expanded_tails_are_scipys(m: int, level: float) -> None:
    tail = (1 - level) / 2
    oracle = stats.norm.sf(math.sqrt(m / (m - 1)) * stats.t.isf(tail, m - 1))
    assert expanded_tail(m, tail) == pytest.approx(oracle, rel=1e-12)
    assert expanded_tail(m, tail) < tail  # wider than the plain one


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 1.0, 2.499, 2.5, 3.1, 8.0, 30.0])
def test_tails_of_the_normal_are_scipys(x: float) -> None:
    assert normal_tail(x) == pytest.approx(stats.norm.sf(x), rel=1e-12)


def test_wider_tails_leave_out_as_much_as_they_say() -> None:
    draws = np.stack([np.arange(101.0), np.arange(101.0)[::-1], np.where(np.arange(101) < 41, np.arange(101.0), NAN)])
    low, high = percentiles(draws, tails=np.array([0.1, 0.013, 0.25]))
    assert low == pytest.approx([10, 1.3, 10])
    assert high == pytest.approx([90, 98.7, 30])
    # Every draw there is, a step each: one is left out at either end, then between two, then none.
    few = np.array([[1.0, 2.0, 3.0, 4.0, 5.0]])
    ends = [[float(each[0]) for each in percentiles(few, tails=np.array([t]), steps=True)] for t in (0.3, 0.2, 0.1)]
    assert ends == [[2, 4], [1.5, 4.5], [1, 5]]


def test_differences_that_never_vary() -> None:
    rows = np.array([[3.0, 3.0, NAN], [0.3, 0.1 + 0.2, 0.3], [3.0, 3.0, 3.001], [3.0, NAN, NAN], [NAN] * 3, [0.0] * 3])
    assert constant(rows).tolist() == [True, True, False, False, False, True]
    assert [test.p for test in sign_flips(rows, 2000, 1)] == [None, None, 0.25, None, None, None]
    many = np.array([[4.0] * 8, [4.0] * 7 + [5.0]])
    never, varies = bootstrap(many, 2000, 1, paired=True)
    assert never == Estimate(4, 8, why=NEVER_VARIES)
    assert varies.ends is not None
    assert bootstrap(many[:1], 2000, 1)[0].ends == (4, 4)  # of scores, not of differences


def test_equal_scores_have_an_interval_of_no_width() -> None:
    (third,) = bootstrap(np.full((1, 7), 100 / 3), 2000, 1)
    assert third.low == third.high == third.value == pytest.approx(100 / 3)


def test_all_signs_are_tried_where_they_are_few() -> None:
    # 32 + 37 - 6 = 63 and 32 + 37 + 6 = 75 are as far from 0, and so are their negatives: 4 of 8.
    four_of_eight, none, same = sign_flips(np.array([[32, 37, -6], [NAN, 5, NAN], [0, 0, 0]]), 2000, 1)
    assert (four_of_eight.p, four_of_eight.exact) == (0.5, True)
    assert (none.p, none.exact) == (None, False)
    assert same.p is None


def test_random_signs_never_give_a_p_of_nothing() -> None:
    (twelve,) = sign_flips(np.arange(3.0, 43.0)[None], 2000, 1)
    assert (twelve.p, twelve.exact) == (1 / 2001, False)


def test_holm() -> None:
    # 0.01 × 4, 0.02 × 3, then 0.03 × 2 and 0.04 × 1, which may not be less than those before.
    assert holm([0.04, 0.01, None, 0.03, 0.02]) == pytest.approx([0.06, 0.04, None, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1, 1]
    assert holm([]) == []


# Against scipy


@pytest.mark.parametrize("n", [2, 5, 8, 10, 25, 200])
def test_p_is_scipys(n: int) -> None:
    draw = np.random.default_rng(n)
    x, y = draw.integers(0, 101, n).astype(float), draw.integers(5, 101, n).astype(float)
    oracle = stats.permutation_test(
        (x, y),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=100_000,
        vectorized=True,
        rng=1,
    )
    (ours,) = sign_flips((x - y)[None], 2000, 1)
    assert ours.exact == (n <= 10)
    # scipy doubles the smaller tail; by symmetry that is the same as both tails.
    assert ours.p == pytest.approx(oracle.pvalue, abs=1e-12 if ours.exact else 0.04)


@pytest.mark.parametrize("n", [8, 40, 200])
def test_intervals_are_scipys(n: int) -> None:
    scores = np.random.default_rng(n).integers(0, 101, n).astype(float)
    level = 1 - 2 * expanded_tail(n)
    oracle = stats.bootstrap(
        (scores,), np.mean, method="percentile", confidence_level=level, n_resamples=20_000, rng=1
    ).confidence_interval
    (ours,) = bootstrap(scores[None], 20_000, 1)
    spread = scores.std() / math.sqrt(n)
    assert (ours.low, ours.high) == pytest.approx(tuple(oracle), abs=0.1 * spread)


def test_a_row_with_gaps_has_nearly_the_interval_of_what_it_has() -> None:
    scores = np.random.default_rng(5).integers(0, 101, 60).astype(float)
    with_gaps = np.full(200, NAN)
    with_gaps[::4][:50] = scores[:50]
    gaps, alone = bootstrap(with_gaps[None], 20_000, 1)[0], bootstrap(scores[None, :50], 20_000, 1)[0]
    assert gaps.value == alone.value
    assert (gaps.low, gaps.high) == pytest.approx((alone.low, alone.high), abs=1)


def test_many_resamples_are_drawn_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).normal(50, 10, (3, 30))
    whole = bootstrap(values, 2000, 1), sign_flips(values - 50, 2000, 1)
    monkeypatch.setattr("judges.stats.resampling.BLOCK", 30 * 7)
    for ours, theirs in zip((bootstrap(values, 2000, 1), sign_flips(values - 50, 2000, 1)), whole, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            if isinstance(a, Estimate) and isinstance(b, Estimate):
                assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=0.6)
            else:
                assert a.p == pytest.approx(b.p, abs=0.04)  # type: ignore[union-attr]


# Sums of resampled articles


@pytest.mark.parametrize("articles", [1, 2, 3, 4])
def test_every_resample_of_few_articles_is_taken_once(articles: int) -> None:
    values = 10.0 ** np.arange(articles)
    ours = Counter(resampled_sums(values[:, None], 2000, 1)[:, 0].tolist())
    assert ours == Counter(sum(drawn) for drawn in product(values.tolist(), repeat=articles))
    assert all_resampled(articles, 2000)


def test_of_more_articles_as_many_are_drawn_as_are_asked_for() -> None:
    sums = np.array([np.arange(7.0), np.ones(7)]).T
    drawn = resampled_sums(sums, 2000, 1)
    assert not all_resampled(7, 2000)
    assert drawn.shape == (2000, 2)
    assert (drawn[:, 1] == 7).all()
    assert drawn[:, 0].mean() == pytest.approx(21, abs=0.5)
    assert (drawn == resampled_sums(sums, 2000, 1)).all()
    assert not (drawn == resampled_sums(sums, 2000, 2)).all()
    assert resampled_sums(np.zeros((0, 3)), 5, 1).tolist() == [[0, 0, 0]] * 5


def test_percentiles_pass_over_what_is_undefined() -> None:
    draws = np.random.default_rng(1).normal(0, 1, (2, 500))
    draws[1, ::3] = NAN
    low, high = percentiles(draws)
    assert (low[0], high[0]) == pytest.approx(tuple(np.percentile(draws[0], (2.5, 97.5))))
    assert (low[1], high[1]) == pytest.approx(tuple(np.nanpercentile(draws[1], (2.5, 97.5))))


def test_signs_are_all_there_are_or_drawn() -> None:
    assert sorted(map(tuple, all_signs(3).tolist())) == sorted(product((-1, 1), repeat=3))
    blocks, exact = signs_of(3, 8, 1)
    assert (exact, [len(block) for block in blocks]) == (True, [8])
    blocks, exact = signs_of(30, 1000, 1)
    signs = np.concatenate(list(blocks))
    assert (exact, signs.shape, set(signs.flat)) == (False, (1000, 30), {-1, 1})
    assert abs(signs.mean()) < 0.03


def test_signs_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "BLOCK", 300)
    assert [len(block) for block in signs_of(30, 25, 1)[0]] == [10, 10, 5]
