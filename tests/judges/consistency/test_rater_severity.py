"""Severity of raters and the variance of scores: by hand, against the ANOVA, and where they are undefined."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from judges.consistency.rater_effects import (
    NO_ONE_ELSE,
    NO_SPREAD,
    UNNAMED,
    rater_severity,
    variance_components,
)
from judges.meta_eval.score_table import ScoreRow
from judges.stats.intervals import ExpandedBootstrap
from judges.stats.resampling import TOO_FEW

RATED = {
    "ana": {("a1", "A"): 10, ("a1", "B"): 4, ("a2", "A"): 7},
    "ben": {("a1", "A"): 12, ("a1", "B"): 9, ("a3", "A"): 0, ("a2", "A"): 7},
    "cy": {("a1", "B"): 5, ("a4", "A"): 5},
    "dee": {("a9", "A"): 3},
}
"""Asymmetrical: no two raters scored the same; cy's scores are all equal, and dee's is one that nobody else has."""


def rows_of(rated: Mapping[str, Mapping[tuple[str, str], float]], **more: Any) -> list[ScoreRow]:
    return [
        ScoreRow(rater, system, article, "zh-en", score, True, rated_as="ESA", **more)
        for rater, scores in rated.items()
        for (article, system), score in scores.items()
    ]


def test_severity_by_hand() -> None:
    report = rater_severity(rows_of(RATED))["zh-en"]
    ana, ben, cy, dee = report.raters
    assert [each.rater for each in report.raters] == ["ana", "ben", "cy", "dee"]
    assert (ana.mean.value, ana.mean.n, ana.deviation.value) == (7.0, 3, 3.0)
    assert [(z.article, z.system, z.score, z.z) for z in ana.z_scores] == [
        ("a1", "A", 10, 1.0), ("a1", "B", 4, -1.0), ("a2", "A", 7, 0.0)]  # fmt: skip
    # 10 - 12, 4 - (9 + 5) / 2, 7 - 7
    assert (ana.difference.value, ana.difference.n) == (pytest.approx(-5 / 3), 3)
    # 12 - 10, 9 - 4.5, 7 - 7; a3 is ben's alone
    assert (ben.difference.value, ben.difference.n) == (pytest.approx(6.5 / 3), 3)
    assert (cy.difference.value, cy.difference.n) == (5 - 6.5, 1)
    # z of ben: mean 7, sum of squares 25 + 4 + 49 = 78, sd √26
    of_ben = [5 / math.sqrt(26), 2 / math.sqrt(26), 0]
    assert ben.deviation.value == pytest.approx(math.sqrt(26))
    assert ana.difference_z.value == pytest.approx(sum(a - b for a, b in zip([1, -1, 0], of_ben, strict=True)) / 3)
    assert (cy.deviation.value, cy.z_scores[0].z) == (0.0, None)
    assert (cy.difference_z.value, cy.difference_z.why) == (None, NO_SPREAD)
    assert (dee.deviation.value, dee.deviation.why) == (None, NO_SPREAD)
    assert (dee.difference.value, dee.difference.why, dee.difference_z.why) == (None, NO_ONE_ELSE, NO_ONE_ELSE)


def test_raters_of_other_segments_are_compared_on_those_both_rated() -> None:
    rows = [
        ScoreRow("ana", "A", "a", "zh-en", 2.0, True, rated_as="MQM", segments=((1, 0.0), (2, 4.0))),
        ScoreRow("ben", "A", "a", "zh-en", 9.0, True, rated_as="MQM", segments=((2, 3.0), (3, 15.0))),
    ]
    ana, ben = rater_severity(rows)["zh-en"].raters
    assert (ana.difference.value, ben.difference.value) == (1.0, -1.0)
    apart = [rows[0], ScoreRow("ben", "A", "a", "zh-en", 9.0, True, rated_as="MQM", segments=((3, 9.0),))]
    alone = rater_severity([*apart, *rows_of({"ana": {("b", "A"): 1}, "ben": {("c", "A"): 4}})])["zh-en"].raters[0]
    assert (alone.difference.why, alone.difference_z.why) == (NO_ONE_ELSE, NO_ONE_ELSE)


def test_the_interval_is_of_a_share_over_five_articles() -> None:
    """Differences ana - ben by article: 1 and 3, 0, -2, 5, and 4 and 4; fewer than five give no interval."""
    differences = ((1, 3), (0,), (-2,), (5,), (4, 4))
    ana = {(f"a{k}", "AB"[i]): 10.0 + d for k, of in enumerate(differences) for i, d in enumerate(of)}
    rows = rows_of({"ana": ana, "ben": dict.fromkeys(ana, 10.0)})
    found = rater_severity(rows)["zh-en"].raters[0].difference
    expected = ExpandedBootstrap().share([sum(of) for of in differences], [len(of) for of in differences], "")
    assert (found.value, found.n, found.interval) == (pytest.approx(15 / 7), 7, expected.interval)
    assert found.interval is not None
    assert found.interval.ends is not None
    few = rater_severity([row for row in rows if row.article != "a4"])["zh-en"].raters[0].difference.interval
    assert few is not None
    assert (few.ends, few.why) == (None, TOO_FEW)


def test_neither_order_nor_repeats_change_anything() -> None:
    rows = [*rows_of(RATED), *rows_of(RATED)]
    random.Random(4).shuffle(rows)
    assert rater_severity(rows) == rater_severity(rows_of(RATED))


def test_ratings_of_nobody_are_counted() -> None:
    unnamed = ScoreRow("ESA", "A", "a1", "zh-en", 50, True, rated_as="ESA")
    report = rater_severity([*rows_of(RATED), unnamed])["zh-en"]
    assert report.left_out == {UNNAMED: 1}
    assert [each.rater for each in report.raters] == ["ana", "ben", "cy", "dee"]
    assert rater_severity([unnamed, ScoreRow("m", "A", "a1", "zh-en", 50, False)]) == {}


# Components of variance

Scores = dict[tuple[str, str, str], float]


def made(articles: int, systems: int, raters: int, seed: int = 1) -> Scores:
    chance = random.Random(seed)
    return {
        (f"a{a}", f"s{s}", f"r{r}"): float(chance.randrange(9) + 3 * a + 5 * s - 2 * r)
        for a, s, r in product(range(articles), range(systems), range(raters))
    }


def anova(scores: Scores, shape: tuple[int, int, int]) -> list[float]:
    """Components of a crossed design by its mean squares."""
    y = np.array([scores[key] for key in sorted(scores)]).reshape(shape)
    a, s, r = shape
    grand, of = y.mean(), (y.mean((1, 2)), y.mean((0, 2)), y.mean((0, 1)))
    squares = [y.size / n * ((m - grand) ** 2).sum() for n, m in zip(shape, of, strict=True)]
    rest = (((y - grand) ** 2).sum() - sum(squares)) / (y.size - a - s - r + 2)
    return [(ss / (n - 1) - rest) / (y.size / n) for n, ss in zip(shape, squares, strict=True)] + [rest]


@pytest.mark.parametrize("shape", [(4, 3, 2), (2, 2, 2), (7, 2, 5)])
def test_a_crossed_design_is_the_anova(shape: tuple[int, int, int]) -> None:
    found = variance_components(made(*shape))
    assert [figure.value for figure in found.figures.values()] == pytest.approx(anova(made(*shape), shape))
    assert found.crossed
    assert {figure.n for figure in found.figures.values()} == {math.prod(shape)}
    assert found.levels == dict(zip(("article", "system", "rater"), shape, strict=True))


def test_an_uneven_design_by_hand() -> None:
    """Five scores; every sum of squares and coefficient is worked out from the counts.

    a1: A by r1 2, A by r2 4, B by r1 8; a2: A by r1 6, B by r2 10. Sum 30, N 5.
    """
    scores = {("a1", "A", "r1"): 2.0, ("a1", "A", "r2"): 4.0, ("a1", "B", "r1"): 8.0, ("a2", "A", "r1"): 6.0, ("a2", "B", "r2"): 10.0}  # fmt: skip
    found = variance_components(scores)
    of_mean = np.array([(9 + 4) / 5, (9 + 4) / 5, (9 + 4) / 5, 1]), 180.0
    terms = [
        (np.array([5, 5 / 3 + 1, 5 / 3 + 1, 2]), 14**2 / 3 + 16**2 / 2),  # articles: 3 and 2 scores
        (np.array([5 / 3 + 1, 5, 5 / 3 + 1, 2]), 12**2 / 3 + 18**2 / 2),  # systems: A 3, B 2
        (np.array([5 / 3 + 1, 5 / 3 + 1, 5, 2]), 16**2 / 3 + 14**2 / 2),  # raters: r1 3, r2 2
        (np.array([5, 5, 5, 5]), 4 + 16 + 64 + 36 + 100.0),
    ]
    matrix = np.array([coefficients - of_mean[0] for coefficients, _ in terms])
    expected = np.linalg.solve(matrix, [square - of_mean[1] for _, square in terms])
    assert [figure.value for figure in found.figures.values()] == pytest.approx(expected.tolist())
    assert not found.crossed
    above = [max(value, 0.0) for value in expected]
    assert list(found.shares.values()) == pytest.approx([value / sum(above) for value in above])


def test_a_component_below_zero_stays() -> None:
    """Both raters agree in the mean and differ everywhere: the rater's component is below 0."""
    scores = {(f"a{a}", f"s{s}", f"r{r}"): float(4 * ((a + s + r) % 2)) for a, s, r in product(range(2), repeat=3)}
    rater = variance_components(scores).figures["rater"].value
    assert rater == pytest.approx(anova(scores, (2, 2, 2))[2])
    assert rater is not None
    assert rater < 0
    assert variance_components(scores).shares["rater"] == 0


def test_what_no_design_tells_apart_is_undefined() -> None:
    one = variance_components(made(4, 3, 1))
    assert {figure.value for figure in one.figures.values()} == {None}
    assert {figure.why for figure in one.figures.values()} == {"fewer than two raters"}
    assert set(one.shares.values()) == {None}
    own = {key: score for key, score in made(4, 2, 4).items() if key[0][1:] == key[2][1:]}  # each rater has an article
    assert all("tell" in figure.why for figure in variance_components(own).figures.values())
    assert variance_components({}).figures["rest"].value is None


def test_no_variance_has_no_shares() -> None:
    found = variance_components(dict.fromkeys(made(3, 2, 2), 5.0))
    assert {figure.value for figure in found.figures.values()} == {0.0}
    assert set(found.shares.values()) == {None}


def test_components_are_exact_whatever_the_scale() -> None:
    small, large = (variance_components({k: Fraction(v) * scale for k, v in made(5, 3, 2).items()}) for scale in (1, 1000))  # type: ignore[misc]  # fmt: skip
    for name, figure in small.figures.items():
        assert large.figures[name].value == pytest.approx((figure.value or 0) * 1e6, rel=1e-12)
