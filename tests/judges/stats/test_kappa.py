"""Agreement of raters: worked cases, the krippendorff package as oracle, and what is left undefined."""

import json

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.stats.kappa import (
    MEASUREMENTS,
    NO_UNIT,
    NO_VARIATION,
    ONE_RATER,
    alphas,
    coincidences,
    gwet_ac1,
    krippendorff_alpha,
    observed_agreement,
    rating_table,
    weighted_kappa,
)
from tests.conftest import SHARED

CASES = SHARED / "cases" / "agreement" / "cases.json"
COMPUTED = {
    "kappa_ac1": lambda g: {
        "po": observed_agreement(g["table"]),
        "kappa": weighted_kappa(g["table"]),
        "ac1": gwet_ac1(g["table"]),
    },
    "weighted_kappa": lambda g: {
        "kappa": weighted_kappa(g["table"]),
        "linear": weighted_kappa(g["table"], "linear"),
        "quadratic": weighted_kappa(g["table"], "quadratic"),
    },
    "alpha": lambda g: {measure: krippendorff_alpha(g["data"], measure).value for measure in MEASUREMENTS},
}


def worked_cases():
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="the worked cases are not on this machine"))]
    cases = json.loads(CASES.read_text("utf-8"))
    return [pytest.param(case, id=case["id"]) for case in cases if case["stat"] in COMPUTED]


@pytest.mark.parametrize("case", worked_cases())
def test_worked_case(case):
    ours = COMPUTED[case["stat"]](case["input"])
    for name, expected in case["expected"].items():
        # the fractions are exact, so we ask for more than the case's own tolerance
        assert ours[name] == (None if expected is None else pytest.approx(expected, abs=1e-12)), name


# Two raters

tables = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=k, max_size=k)
)


@given(tables)
def test_kappa_is_its_definition(table):
    """Worked out pair by pair from the two raters' lists, as the definition has it."""
    k, n = len(table), sum(map(sum, table))
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    for weighting, weight in {
        "nominal": lambda i, j: i != j,
        "linear": lambda i, j: abs(i - j),
        "quadratic": lambda i, j: (i - j) ** 2,
    }.items():
        cells = [(i, j) for i in range(k) for j in range(k)]
        expected = sum(weight(i, j) * rows[i] * columns[j] for i, j in cells)
        kappa = weighted_kappa(table, weighting)
        if expected == 0:
            assert kappa is None
        else:
            assert kappa == pytest.approx(1 - n * sum(weight(i, j) * table[i][j] for i, j in cells) / expected)


def test_an_unused_level_still_sets_the_distance():
    assert weighted_kappa([[5, 0, 1], [0, 0, 0], [2, 0, 4]], "linear") == weighted_kappa([[5, 1], [2, 4]])
    assert weighted_kappa([[5, 1, 1], [0, 0, 0], [2, 0, 4]], "linear") != weighted_kappa(
        [[5, 1, 1], [2, 0, 4], [0, 0, 0]]
    )


@pytest.mark.parametrize("table", [[[1, 2]], [[1, -1], [0, 0]], [1, 2]])
def test_kappa_refuses_what_is_no_square_of_counts(table):
    with pytest.raises(ValueError, match="square"):
        weighted_kappa(table)


@given(tables)
def test_ac1_is_its_definition(table):
    q, n = len(table), sum(map(sum, table))
    ac1 = gwet_ac1(table)
    if n == 0 or q == 1:
        assert ac1 is None
        return
    shares = [(sum(table[k]) + sum(row[k] for row in table)) / (2 * n) for k in range(q)]
    chance = sum(share * (1 - share) for share in shares) / (q - 1)
    assert ac1 == pytest.approx((observed_agreement(table) - chance) / (1 - chance))
    assert ac1 <= 1


def test_ac1_stays_where_kappa_collapses():
    nearly_all = [[118, 5], [2, 0]]
    assert weighted_kappa(nearly_all) < 0 < 0.94 < gwet_ac1(nearly_all)


# Any number of raters

some_ratings = st.tuples(st.integers(1, 5), st.integers(0, 12)).flatmap(
    lambda shape: st.lists(
        st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(some_ratings, st.sampled_from(MEASUREMENTS))
def test_alpha_is_the_packages(ratings, measure):
    ours = krippendorff_alpha(np.array(ratings, dtype=float).reshape(len(ratings), -1), measure)
    pairable = [unit for unit in zip(*ratings, strict=True) if sum(value is not None for value in unit) > 1]
    assert ours.n == len(pairable)
    said = {value for unit in pairable for value in unit if value is not None}
    if len(said) < 2:
        assert ours.value is None
        assert ours.why == (NO_VARIATION if pairable else ONE_RATER if len(ratings) == 1 else NO_UNIT)
        return
    theirs = krippendorff.alpha(np.array(ratings, dtype=float), level_of_measurement=measure)
    assert ours.value == pytest.approx(theirs, abs=1e-9)
    assert ours.value <= 1


@given(some_ratings.filter(lambda r: len(r[0]) > 0), st.sampled_from(["nominal", "ordinal"]), st.integers(1, 3))
def test_alpha_of_added_coincidences_is_alpha(ratings, measure, n_groups):
    """Coincidences of groups of units add up, as a bootstrap over articles needs."""
    codes = np.array([[-1 if value is None else value for value in row] for row in ratings])
    groups = np.arange(codes.shape[1]) % n_groups
    together = coincidences(codes, groups, 6, n_groups).sum(axis=0)
    expected = krippendorff_alpha(ratings, measure).value
    value = float(alphas(together, measure))
    assert np.isnan(value) if expected is None else value == pytest.approx(expected, abs=1e-9)


@given(some_ratings)
def test_alpha_knows_no_order_of_raters_or_units(ratings):
    turned = [row[::-1] for row in ratings[::-1]]
    for measure in MEASUREMENTS:
        a, b = krippendorff_alpha(ratings, measure), krippendorff_alpha(turned, measure)
        assert (a.n, a.why) == (b.n, b.why)
        assert a.value == (None if b.value is None else pytest.approx(b.value, abs=1e-9))


@given(st.lists(st.lists(st.floats(0, 1e300), min_size=4, max_size=4), min_size=2, max_size=4))
def test_alpha_of_extreme_values_is_finite(ratings):
    for measure in MEASUREMENTS:
        value = krippendorff_alpha(ratings, measure).value
        assert value is None or np.isfinite(value)


def test_noise_makes_no_variation():
    assert krippendorff_alpha([[0.3, 0.3], [0.1 + 0.2, 0.3]], "interval").why == NO_VARIATION
    assert krippendorff_alpha([[1, 2], [1 + 1e-9, 2]], "nominal").value == 1


def test_a_large_offset_costs_no_digits():
    ratings = np.array([[1, 2, 3, 3, 2], [1, 2, 3, 2, 2]], dtype=float)
    assert krippendorff_alpha(ratings + 1e6, "interval").value == pytest.approx(
        krippendorff_alpha(ratings, "interval").value, abs=1e-9
    )


def test_alpha_refuses_what_it_cannot_rate():
    with pytest.raises(ValueError, match="below 0"):
        krippendorff_alpha([[-1, 2], [1, 2]], "ratio")
    with pytest.raises(ValueError, match="raters × units"):
        krippendorff_alpha([1, 2, 3])


def test_ratio_of_many_values_is_the_packages():
    random = np.random.default_rng(3)
    ratings = random.integers(0, 600, (3, 300)).astype(float)
    ratings[random.random(ratings.shape) < 0.2] = np.nan
    theirs = krippendorff.alpha(ratings, level_of_measurement="ratio")
    assert krippendorff_alpha(ratings, "ratio").value == pytest.approx(theirs, abs=1e-9)


def test_ratings_may_be_labels():
    order = ["minor", "major", "critical"]
    named = [["minor", "major", "critical", None], ["major", "major", "critical", "minor"]]
    numbered = [[0, 1, 2, None], [1, 1, 2, 0]]
    for measure in ("nominal", "ordinal"):
        assert krippendorff_alpha(named, measure, order) == krippendorff_alpha(numbered, measure)
    assert krippendorff_alpha(named) == krippendorff_alpha(numbered)
    assert krippendorff_alpha(np.array(named, dtype=object)) == krippendorff_alpha(numbered)
    assert rating_table(*named, order) == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert rating_table(*numbered) == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert rating_table(*named) == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]  # by name where no order is declared
    assert weighted_kappa(rating_table(*named, order), "linear") == weighted_kappa(
        [[0, 1, 0], [0, 1, 0], [0, 0, 1]], "linear"
    )


@pytest.mark.parametrize(
    ("measurement", "categories", "why"),
    [
        ("ordinal", (), "need their categories"),
        ("interval", (), "takes numbers"),
        ("nominal", ("a",), "'b' is none of"),
    ],
)
def test_labels_that_say_too_little_are_refused(measurement, categories, why):
    with pytest.raises(ValueError, match=why):
        krippendorff_alpha([["a", "b"], ["a", "b"]], measurement, categories)
    with pytest.raises(ValueError, match="2 ratings of one rater, 1 of the other"):
        rating_table(["a", "b"], ["a"])
