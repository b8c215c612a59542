"""Figures hang on no last bit: sums are exact, and order, company and noise of what is computed change nothing."""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product as every
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.benchmark.quality.benchmark_quality import Cell, benchmark_quality
from judges.consistency.documents import compare
from judges.consistency.error_slices import effective_interval
from judges.consistency.inter_annotator import between_humans
from judges.consistency.records import FindingTable, ReviewedDocument
from judges.consistency.spans import ErrorSpan, span_match
from judges.consistency.spans import total as total_overlap
from judges.meta_eval.metric_tests import compare_metrics
from judges.meta_eval.pairwise import pairwise
from judges.meta_eval.score_table import ScoreRow
from judges.meta_eval.superiority_test import correlations, superiority_test
from judges.meta_eval.system_tests import compare_systems
from judges.model import DIMENSIONS, Score
from judges.ranking.acceptance_model import DecidedFinding, Features, assess_acceptance, fit_acceptance
from judges.ranking.audit_estimate import audited
from judges.ranking.audit_sampling import draw_balanced
from judges.ranking.judge_votes import effective_votes
from judges.ranking.ranking import CUTS, JudgedTranslation, Ranking, rankings
from judges.stats.kappa import krippendorff_alpha
from judges.stats.numerics import (
    comparable,
    exp,
    exponential,
    fine,
    log,
    mean,
    points,
    power,
    product,
    rounded_down,
    rounded_up,
    snapped,
    solve,
    total,
    total_by,
    variance,
    weighted,
)
from judges.stats.resampling import bootstrap, percentiles, resampled_sums, sign_flips
from tests.conftest import REPOSITORY
from tests.support.nightly import rounds

FEW = settings(max_examples=rounds(8, 80))
SEEDS = st.integers(0, 2**32)
SHAPES = st.tuples(st.integers(1, 64), st.integers(1, 64), st.integers(0, 2**32))

# The primitives


def numbers(rows: int, columns: int, seed: int) -> Any:
    """Numbers of very different sizes, most of which no float holds exactly."""
    draw = np.random.default_rng(seed)
    return draw.normal(size=(rows, columns)) * 10.0 ** draw.integers(-6, 7, (rows, columns)) / 3


def exactly(values: Sequence[float]) -> Fraction:
    return sum(map(Fraction, values), Fraction(0))


@FEW
@given(SHAPES)
def test_what_is_snapped_adds_up_exactly_in_every_order(shape: tuple[int, int, int]) -> None:
    rows, columns, seed = shape
    values = snapped(numbers(rows, columns, seed), 0)
    for column in values.T:
        in_order, backwards, shuffled = column.tolist(), column[::-1].tolist(), column.tolist()
        random.Random(seed).shuffle(shuffled)
        for given_order in (in_order, backwards, shuffled):
            running = 0.0
            for each in given_order:  # not `sum`, which makes up for rounding from Python 3.12 on
                running += each
            assert running == exactly(in_order)


@FEW
@given(SHAPES)
def test_weighted_sums_are_exact_and_the_same_in_any_company(shape: tuple[int, int, int]) -> None:
    rows, columns, seed = shape
    values = snapped(numbers(rows, columns, seed), 0)
    weights = np.random.default_rng(seed).multinomial(rows, [1 / rows] * rows, 9).astype(float)
    found = weighted(weights, values)
    for i, j in every(range(9), range(columns)):
        assert found[i, j] == exactly((weights[i] * values[:, j]).tolist())
    for j in range(columns):
        assert (weighted(weights, values[:, [j]])[:, 0] == found[:, j]).all()
        assert (weighted(weights[::2], values[:, : j + 1]) == found[::2, : j + 1]).all()


@FEW
@given(SHAPES)
def test_resampled_sums_are_the_same_beside_whatever(shape: tuple[int, int, int]) -> None:
    rows, columns, seed = shape
    values = numbers(rows, columns, seed)
    found = resampled_sums(values, 50, 1)
    assert all((resampled_sums(values[:, [j]], 50, 1)[:, 0] == found[:, j]).all() for j in range(columns))
    assert found == pytest.approx(resampled_sums(np.asfortranarray(values)[:, ::-1], 50, 1)[:, ::-1], rel=0, abs=0)


@FEW
@given(SHAPES)
def test_a_total_is_right_to_the_last_bit_in_every_order_and_layout(shape: tuple[int, int, int]) -> None:
    rows, columns, seed = shape
    values = numbers(rows, columns, seed)
    for axis in (0, 1):
        found = total(values, axis)
        assert (found == total(np.flip(values, axis), axis)).all()
        assert (found == total(np.asfortranarray(values), axis)).all()
        sizes = abs(values).sum(axis)
        exact = np.array([float(exactly(line)) for line in (values.T if axis == 0 else values).tolist()])
        assert (abs(found - exact) <= 1e-16 * abs(exact) + 1e-25 * sizes * len(values.ravel())).all()
    assert total(values) == total(values.T) == total(values.ravel())


def test_sums_of_nothing_are_0() -> None:
    assert total(np.zeros(0)) == 0
    assert total(np.zeros((0, 3)), 0).tolist() == [0, 0, 0]
    assert snapped(np.zeros((0, 3)), 0).shape == (0, 3)


def test_a_mean_and_a_variance() -> None:
    values = np.array([[1.0, 0.1], [2.0, 0.1], [6.0, 0.1]])
    assert mean(values, 0).tolist() == pytest.approx([3, 0.1])
    assert variance(values).tolist() == pytest.approx([7, 0])
    assert mean(values) == pytest.approx(9.3 / 6)


def test_whole_numbers_are_left_alone() -> None:
    values = np.random.default_rng(1).integers(-(10**11), 10**11, (200, 5)).astype(float)
    assert (snapped(values, 0) == values).all()
    groups = np.arange(200) % 7
    by_hand = [sum(int(each) for each in values[groups == g, 0]) for g in range(7)]
    assert total_by(groups, values[:, 0], 7).tolist() == by_hand


@FEW
@given(SHAPES)
def test_a_product_is_the_same_in_any_company_and_nearly_right(shape: tuple[int, int, int]) -> None:
    rows, columns, seed = shape
    left, right = (
        np.random.default_rng([seed, i]).normal(size=size) for i, size in enumerate([(9, rows), (rows, columns)])
    )
    found = product(left, right)
    for j in range(columns):
        assert (product(left[[0]], right[:, [j]])[0, 0] == found[0, j]).all()
    assert found == pytest.approx(left @ right, rel=0, abs=1e-10)
    order = np.random.default_rng(seed).permutation(rows)
    assert (product(left[:, order], right[order]) == found).all()


def test_solving_is_right() -> None:
    draw = np.random.default_rng(1)
    for n in (1, 2, 13):
        matrix = draw.normal(size=(n, n))
        matrix = matrix @ matrix.T + np.eye(n)
        wanted = draw.normal(size=n)
        assert solve(matrix, matrix @ wanted) == pytest.approx(wanted)


def test_exponentials_and_logarithms_are_right() -> None:
    values = np.concatenate([np.linspace(-700, 700, 2001), [0, 1e-20, -1e-9]])
    for value, found in zip(values.tolist(), exponential(values).tolist(), strict=True):
        assert found == pytest.approx(math.exp(value), rel=1e-14)
        assert exp(value) == pytest.approx(math.exp(value), rel=1e-14)
    assert exponential(np.zeros(1)).tolist() == [1]
    assert [log(each) for each in (1, math.e, 7e-300, 3e200)] == pytest.approx(
        [0, 1, math.log(7e-300), math.log(3e200)]
    )
    assert power(0.3, 1000.5) == pytest.approx(0.3**1000.5)
    assert power(0.999999, 500_000) == pytest.approx(0.999999**500_000)


def beside(value: float) -> list[float]:
    """A number and its two neighbours."""
    return [np.nextafter(value, -math.inf), value, np.nextafter(value, math.inf)]


@pytest.mark.parametrize("score", [0.1 + 0.2, 72.3, 1 / 128, 3 / 128, 0.0000005, 99.9999995, 1e6 / 3, 100 / 3])
def test_noise_in_a_score_makes_no_difference(score: float) -> None:
    assert len(set(comparable(np.array(beside(score))).tolist())) == 1
    assert len(set(fine(np.array(beside(score))).tolist())) == 1
    assert len(set(points(np.array(beside(score))).tolist())) == 1 or score > 1000  # where 1e-12 is less than noise


def test_scores_of_nine_decimals_stay_what_they_are() -> None:
    scores = np.array([72.3, 0.1, -3.000000001, 0, 100])
    assert points(scores).tolist() == scores.tolist()
    assert fine(scores).tolist() == [72.3e9, 0.1e9, -3000000001, 0, 1e11]
    assert str(fine(np.array([-0.0]))[0]) == str(comparable(np.array([-1e-12]))[0]) == "0.0"


def test_numbers_that_are_whole_but_for_noise_count_as_whole() -> None:
    assert rounded_up(0.07 * 100) == 7
    assert (rounded_up(7.001), rounded_up(-0.5)) == (8, 0)
    assert rounded_down(0.29 * 100) == 29
    assert (rounded_down(7.999), rounded_down(-0.5)) == (7, -1)


def test_an_interval_ends_exactly_where_its_share_is_reached() -> None:
    # Of 41 draws one lies beyond either end; of 81 two.
    for n, beyond in ((41, 1), (81, 2), (2001, 50)):
        (low,), (high,) = percentiles(np.arange(n, dtype=float)[None])
        assert (low, high) == (beyond, n - 1 - beyond)
    # Of all there are: the mean of the last left out and the first kept, where the share is exactly whole.
    for n, low_end in ((40, 0.5), (80, 1.5), (39, 0), (41, 1), (1, 0)):
        (low,), (high,) = percentiles(np.arange(n, dtype=float)[None], steps=True)
        assert (low, high) == (low_end, n - 1 - low_end)
        oracle = np.quantile(np.arange(n), (Fraction(1, 40), Fraction(39, 40)), method="averaged_inverted_cdf")
        assert (low, high) == pytest.approx(tuple(map(float, oracle)))


@FEW
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=60))
def test_the_two_ends_of_an_interval_mirror_each_other(draws: list[float]) -> None:
    values = np.array([draws + [math.nan] * 3])
    for steps in (False, True):
        (low,), (high,) = percentiles(values, steps=steps)
        (negative_high,), (negative_low,) = percentiles(-values, steps=steps)
        assert (low, high) == (-negative_low, -negative_high)


# Whole figures, whatever order, company and noise their scores come in


def noisy(value: float, chance: random.Random) -> float:
    """A number or one of its neighbours."""
    return float(chance.choice(beside(value)))


SCORES = st.sampled_from(("whole", "thirds", "eighths", "decimals"))
"""None lies half way between two multiples of 1e-9, where noise does decide."""


def score(kind: str, chance: random.Random) -> float:
    whole = chance.randrange(60, 70)
    match kind:
        case "thirds":
            return whole + chance.randrange(3) / 3
        case "eighths":
            return whole + chance.randrange(8) / 8
        case "decimals":
            return round(chance.uniform(60, 70), 8)
    return float(whole)


def judged(kind: str, systems: int, articles: int, chance: random.Random) -> list[JudgedTranslation]:
    found = []
    for a, s in every(range(articles), range(systems)):
        if chance.random() < 0.9 or s == 0:
            parts = [score(kind, chance) / 3 for _ in range(3)]
            human = (math.fsum(parts), *parts) if chance.random() < 0.5 else None
            found.append(
                JudgedTranslation(
                    f"{a}",
                    f"s{s}",
                    ("zh-en", "en-zh")[a % 2],
                    "news",
                    "",
                    "scored",
                    (math.fsum(parts) + 1, *parts),
                    human,
                )
            )
    return found


def shaken(rows: Sequence[JudgedTranslation], chance: random.Random) -> list[JudgedTranslation]:
    """The same rows in another order, each score off by a last bit."""

    def noise(of: tuple[float | None, ...] | None) -> Any:
        return None if of is None else tuple(None if each is None else noisy(each, chance) for each in of)

    return [replace(row, points=noise(row.points), human=noise(row.human)) for row in chance.sample(rows, len(rows))]


@FEW
@given(SCORES, st.integers(1, 8), st.integers(1, 20), SEEDS)
def test_a_leaderboard_is_the_same_in_any_order_and_noise(kind: str, systems: int, articles: int, seed: int) -> None:
    chance = random.Random(seed)
    rows = judged(kind, systems, articles, chance)
    found = rankings(rows, CUTS, 200)
    assert rankings(shaken(rows, chance), CUTS, 200) == found
    for cut in CUTS:
        assert rankings(rows, [cut], 200) == tuple(ranking for ranking in found if ranking.cut == cut)


@FEW
@given(SCORES, st.integers(1, 20), st.integers(1, 30), SEEDS)
def test_a_system_has_the_same_figures_beside_more_others(kind: str, more: int, articles: int, seed: int) -> None:
    chance = random.Random(seed)
    rows = judged(kind, 3, articles, chance)
    others = [row for row in judged(kind, more + 3, articles, chance) if int(row.system[1:]) >= 3]
    alone, together = ({s.system: s for s in r.standings} for r in (total_of(rows), total_of(rows + others)))
    for system, standing in alone.items():
        assert (standing.mean, standing.parts, standing.human) == (
            together[system].mean,
            together[system].parts,
            together[system].human,
        )


def total_of(rows: Sequence[JudgedTranslation]) -> Ranking:
    (found,) = rankings(rows, ["total"], 200)
    return found


def test_means_that_are_the_same_share_a_rank_whatever_their_parts() -> None:
    # (⅓ + ⅓ + ⅓) / 3 = (0 + 0 + 1) / 3, and 7/128 lies half way between two multiples of 1e-6.
    for one, other in (((1 / 3,) * 3, (0.0, 0.0, 1.0)), ((7 / 128,) * 3, (0.0, 7 / 128, 7 / 64))):
        for sides in ((one, other), (other, one)):
            rows = [
                JudgedTranslation(f"{a}", name, "zh-en", "news", "", "scored", (points_, points_, 0.0, 0.0))
                for name, side in zip("AB", sides, strict=True)
                for a, points_ in enumerate(side)
            ]
            assert [standing.rank for standing in total_of(rows).standings] == [1, 1]


@FEW
@given(st.integers(1, 64), st.integers(1, 64), st.integers(0, 2**32))
def test_intervals_are_the_same_for_one_row_as_for_many(rows: int, articles: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    values = draw.uniform(0, 100, (rows, articles))
    values[draw.random(values.shape) < 0.1] = math.nan
    together, tests = bootstrap(values, 100, 1), sign_flips(values - 50, 100, 1)
    for i in range(rows):
        assert bootstrap(values[[i]], 100, 1) == [together[i]]
        assert sign_flips(values[[i]] - 50, 100, 1) == [tests[i]]


def score_rows(kind: str, metrics: Sequence[str], chance: random.Random, articles: int = 12) -> list[ScoreRow]:
    return [
        ScoreRow(name, system, f"{a}", direction, score(kind, chance), name in ("ann", "bo", "cy"))
        for name, system, a, direction in every(
            ("ann", "bo", "cy", *metrics), "ABCD", range(articles), ("zh-en", "en-zh")
        )
        if chance.random() < 0.9
    ]


def shaken_scores(rows: Sequence[ScoreRow], chance: random.Random) -> list[ScoreRow]:
    return [replace(row, score=noisy(row.score, chance)) for row in chance.sample(rows, len(rows))]


@FEW
@given(SCORES, SEEDS)
def test_pairwise_figures_are_the_same_in_any_order_noise_and_company(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    rows = score_rows(kind, ("m", "n", "o"), chance)
    found = pairwise(rows, 100)
    assert pairwise(shaken_scores(rows, chance), 100) == found
    alone = pairwise([row for row in rows if row.human or row.metric == "n"], 100)
    assert all(cell == found.cells[key] for key, cell in alone.cells.items())
    assert alone.averages["n"] == found.averages["n"]


@FEW
@given(SCORES, st.sampled_from(("acc_eq", "pearson", "kendall_tau_b")), SEEDS)
def test_comparisons_are_the_same_in_any_order_and_noise(kind: str, measure: Any, seed: int) -> None:
    chance = random.Random(seed)
    rows = score_rows(kind, ("m", "n"), chance, 6)
    other = shaken_scores(rows, chance)
    assert compare_metrics(other, "m", "n", measure, 60) == compare_metrics(rows, "m", "n", measure, 60)
    assert compare_systems(other, "A", "C", 60) == compare_systems(rows, "A", "C", 60)


def tables(kind: str, chance: random.Random, articles: int = 14, systems: int = 5, n: int = 3) -> list[Any]:
    return [np.array([[score(kind, chance) for _ in range(systems)] for _ in range(articles)]) for _ in range(n)]


def off(values: Any, chance: random.Random) -> Any:
    return np.vectorize(lambda each: noisy(each, chance))(values)


@FEW
@given(SCORES, st.sampled_from(("this-test-set", "new-documents")), SEEDS)
def test_audited_scores_are_the_same_in_any_order_and_noise(kind: str, target: Any, seed: int) -> None:
    chance = random.Random(seed)
    judge, human, _ = tables(kind, chance)
    rows = chance.sample(range(len(judge)), 9)
    found = audited(judge, human[rows], rows, target)
    order, drawn = chance.sample(range(len(judge)), len(judge)), chance.sample(rows, len(rows))
    other = audited(off(judge[order], chance), off(human[drawn], chance), [order.index(row) for row in drawn], target)
    assert other == found
    assert audited(np.asfortranarray(judge), human[rows], rows, target) == found


def test_systems_that_people_score_alike_are_not_told_apart_by_what_is_rounded() -> None:
    # All articles are audited, so that nothing is left to chance: any difference would be certain.
    draw = np.random.default_rng(1)
    judge, human = draw.uniform(0, 100, (2, 12, 4)).round(1)
    human[:, 1] = human[::-1, 0]
    first = audited(judge, human, range(12)).differences[0]
    assert (first.value, first.p, first.decided(0.05)) == (0, 1, False)


@FEW
@given(SCORES, SEEDS)
def test_the_gate_says_the_same_in_any_order_and_noise(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    given_ = tables(kind, chance)
    order = chance.sample(range(14), 14)
    assert superiority_test(*(off(each[order], chance) for each in given_)) == superiority_test(*given_)
    assert correlations(*(off(each, chance) for each in given_), resamples=60) == correlations(*given_, resamples=60)


@FEW
@given(SCORES, SEEDS)
def test_a_draw_of_articles_and_votes_are_the_same_in_any_order_and_noise(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    judges = tables(kind, chance)
    names = [f"{a}" for a in range(14)]
    order, across = chance.sample(range(14), 14), chance.sample(range(5), 5)
    other = draw_balanced([names[i] for i in order], off(judges[0][order][:, across], chance), 6, 1)
    assert other == draw_balanced(names, judges[0], 6, 1)
    assert effective_votes([off(each, chance).tolist() for each in judges], 60) == effective_votes(
        [each.tolist() for each in judges], 60
    )


def cases(chance: random.Random, n: int = 120) -> list[DecidedFinding]:
    found = []
    for i in range(n):
        known = Features(
            chance.choice(DIMENSIONS),
            chance.choice(("Critical", "Major", "Minor")),
            chance.choice(("exact", "approximate", "not found")),
            chance.randrange(1, 4) / 3,
            chance.randrange(1, 9),
        )
        found.append(DecidedFinding(f"{i % 8}", known, chance.random() < 0.5 + known.share / 3))
    return found


@FEW
@given(SEEDS)
def test_what_is_learnt_is_the_same_in_any_order_and_company(seed: int) -> None:
    chance = random.Random(seed)
    said = cases(chance)
    other = chance.sample(said, len(said))
    learnt = fit_acceptance(said)
    assert assess_acceptance(fit_acceptance(other), other, 60) == assess_acceptance(learnt, said, 60)
    together = learnt.probabilities(said)
    for i, case in enumerate(said[:10]):
        assert fit_acceptance(other).probabilities([case]) == [together[i]]


def documents(kind: str, chance: random.Random) -> list[ReviewedDocument]:
    found = []
    for a, s in every(range(5), range(3)):
        judge, *humans = [[int(score(kind, chance) / 3) for _ in range(3)] for _ in range(3)]
        for reviewer, human in zip(("ann", "bo"), humans, strict=True):
            sides = [Score(sum(parts), *parts) for parts in (judge, human)]
            found.append(ReviewedDocument(f"{a} {s}", f"{a}", f"s{s}", "zh-en", "news", "j", reviewer, *sides))
    return found


@FEW
@given(SCORES, SEEDS)
def test_figures_of_documents_are_the_same_in_any_order(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    rows = documents(kind, chance)
    other = chance.sample(rows, len(rows))
    assert compare(other, 60) == compare(rows, 60)
    nothing = FindingTable.of([])
    assert between_humans(nothing, other, 60) == between_humans(nothing, rows, 60)


@FEW
@given(SCORES, st.integers(1, 8), st.integers(2, 10), SEEDS)
def test_a_benchmarks_test_is_the_same_in_any_order_and_noise(
    kind: str, systems: int, articles: int, seed: int
) -> None:
    chance = random.Random(seed)
    cells = [
        Cell(
            f"{a}", f"s{s}", score(kind, chance), failed={1: chance.randrange(4) / 3 if chance.random() < 0.9 else None}
        )
        for a, s in every(range(articles), range(systems))
        if chance.random() < 0.9
    ]
    other = [
        replace(cell, score=noisy(cell.score or 0, chance)) for cell in chance.sample(cells, len(cells))
    ]  # fmt: skip
    assert benchmark_quality(other, 100, 60) == benchmark_quality(cells, 100, 60)


@FEW
@given(SEEDS)
def test_matched_spans_and_rates_are_the_same_in_any_order(seed: int) -> None:
    chance = random.Random(seed)

    def spans() -> list[ErrorSpan]:
        starts = [chance.randrange(40) for _ in range(6)]
        return [
            ErrorSpan("target", at, at + chance.randrange(1, 9), chance.choice(("Minor", "Major"))) for at in starts
        ]

    def shuffled(found: Sequence[Any]) -> list[Any]:
        return chance.sample(found, len(found))

    both = [(spans(), spans()) for _ in range(9)]
    overlaps = [span_match(*each) for each in both]
    assert [span_match(shuffled(gold), shuffled(found)) for gold, found in both] == overlaps
    assert total_overlap(shuffled(overlaps)) == total_overlap(overlaps)
    by_article = [(chance.randrange(n + 1), n) for n in (3, 7, 5, 9, 11, 2)]
    assert effective_interval(shuffled(by_article)) == effective_interval(by_article)


@FEW
@given(st.sampled_from(("nominal", "ordinal", "interval", "ratio")), SEEDS)
def test_alpha_is_the_same_in_any_order_and_noise(measurement: Any, seed: int) -> None:
    chance = random.Random(seed)
    rated = np.array([[score("thirds", chance) for _ in range(15)] for _ in range(3)])
    rated[0, :4] = math.nan
    order = chance.sample(range(15), 15)
    assert krippendorff_alpha(off(rated, chance)[::-1, order], measurement) == krippendorff_alpha(rated, measurement)


# The rule, held to

OF_THE_MACHINE = {
    "numpy": frozenset(
        [
            "mean",
            "std",
            "var",
            "average",
            "median",
            "nanmean",
            "nanstd",
            "nanvar",
            "nansum",
            "quantile",
            "percentile",
            "nanquantile",
            "nanpercentile",
            "dot",
            "vdot",
            "inner",
            "matmul",
            "tensordot",
            "einsum",
            "vecdot",
            "matvec",
            "vecmat",
            "linalg",
            "corrcoef",
            "cov",
            "trapezoid",
            "convolve",
            "exp",
            "expm1",
            "exp2",
            "log",
            "log1p",
            "log2",
            "log10",
            "power",
            "float_power",
            "sin",
            "cos",
            "tan",
            "sinh",
            "cosh",
            "tanh",
            "arctanh",
            "logaddexp",
            "cumprod",
        ]
    ),
    "math": frozenset(
        [
            "exp",
            "expm1",
            "exp2",
            "log",
            "log1p",
            "log2",
            "log10",
            "pow",
            "sin",
            "cos",
            "tan",
            "atan",
            "atan2",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "lgamma",
            "gamma",
            "erf",
            "erfc",
            "hypot",
            "dist",
            "cbrt",
            "sumprod",
        ]
    ),
}
"""What may differ between processors, systems or versions in the last bit."""
OF_WHOLE_NUMBERS = {
    "judges/stats/paired.py": {"@", "einsum"},
    "judges/meta_eval/soft_pairwise.py": {"@"},
    "judges/meta_eval/superiority_test.py": {"@"},
    "judges/ranking/acceptance_model.py": {"@"},
    "judges/benchmark/quality/ranking_stability.py": {"@"},
    "judges/benchmark/checks/near_duplicates.py": {"cumprod"},
    "judges/stats/resampling.py": {"@"},
    "judges/stats/numerics.py": {"@"},
    "judges/providers/rate_limit.py": {"pow"},  # of seconds that are waited, which are no figure
}
"""Where what is multiplied is whole, so that nothing is rounded."""


def of_the_machine(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
                yield "@"
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name) if name in OF_THE_MACHINE["numpy"]:
                yield name
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if name in OF_THE_MACHINE["math"]:
                yield name
            case ast.Call(func=ast.Attribute(value=value, attr="mean" | "std" | "var" | "dot" as name)):
                yield f"{ast.unparse(value)}.{name}"


def test_the_rule_sees_what_is_of_the_machine() -> None:
    source = "import numpy as np, math\nx = np.exp(a @ b).mean(0) + math.log(2) + np.linalg.solve(a, b) + np.sqrt(2)"
    assert sorted(of_the_machine(source)) == ["@", "exp", "linalg", "log", "np.exp(a @ b).mean"]


@pytest.mark.parametrize("room", ["judges", "storage"])
def test_no_figure_is_left_to_the_machine(room: str) -> None:
    for path in sorted((REPOSITORY / room).rglob("*.py")):
        name = path.relative_to(REPOSITORY).as_posix()
        assert set(of_the_machine(path.read_text(encoding="utf-8"))) <= OF_WHOLE_NUMBERS.get(name, set()), name
