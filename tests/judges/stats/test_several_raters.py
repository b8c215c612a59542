"""Percent agreement, Fleiss' kappa and Gwet's AC of several raters: published examples, and the definitions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from judges.stats.kappa import (
    NO_UNIT,
    NO_VARIATION,
    ONE_CATEGORY,
    ONE_RATER,
    credits_of,
    fleiss_kappa,
    gwet_ac,
    gwet_ac1,
    percent_agreement,
    rating_table,
)

FLEISS_1971 = """
...6. .3..3 .14.1 ....6 .3.3. 2.4.. ..4.2 2.31. 2..4. ....6 1..5. 11.4. .33.. 1..5. .2.31
..5.1 3..12 51... .2.4. 1.2.3 ....6 .1.5. .2.13 2..4. 1..41 .5.1. 4...2 .2.4. 1.5.. ....6
"""
"""Thirty patients, six psychiatrists each, five diagnoses: how many chose which."""

_ = None
FOUR_RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
"""Gwet's twelve units, four raters, five categories, with gaps."""


def columns(counts: list[list[int]]) -> list[list[int]]:
    """Ratings (raters × units) that have these counts."""
    chosen = [[k for k, n in enumerate(row) for _ in range(n)] for row in counts]
    return [list(rater) for rater in zip(*chosen, strict=True)]


def test_fleiss_of_1971() -> None:
    counts = [[int(each) if each != "." else 0 for each in row] for row in FLEISS_1971.split()]
    assert [sum(column) for column in zip(*counts, strict=True)] == [26, 26, 30, 55, 43]
    found = fleiss_kappa(columns(counts))
    assert (found.n, found.value) == (30, pytest.approx(0.430, abs=5e-4))
    assert percent_agreement(columns(counts)).value == pytest.approx(0.5556, abs=5e-5)


def test_four_raters_with_gaps_as_published() -> None:
    assert percent_agreement(FOUR_RATERS).value == pytest.approx(0.81818, abs=5e-6)
    assert gwet_ac(FOUR_RATERS).value == pytest.approx(0.77544, abs=5e-6)
    assert fleiss_kappa(FOUR_RATERS).value == pytest.approx(0.76117, abs=5e-6)
    assert gwet_ac(FOUR_RATERS).n == 11  # the twelfth unit has one rating: it counts in what chance would give alone


def plain(ratings: list[list[Any]], q: int, weight: Any, of: str) -> Fraction | None:
    """The definitions, over ordered pairs of raters."""
    units = [[rater[u] for rater in ratings if rater[u] is not None] for u in range(len(ratings[0]))]
    pairable = [unit for unit in units if len(unit) > 1]
    if not pairable:
        return None
    agreed = Fraction(0)
    for unit in pairable:
        pairs = list(permutations(unit, 2))
        agreed += sum((weight(a, b) for a, b in pairs), Fraction(0)) / len(pairs) / len(pairable)
    rated = [unit for unit in units if unit]
    shares = [sum((Fraction(unit.count(k), len(unit)) for unit in rated), Fraction(0)) / len(rated) for k in range(q)]
    if of == "percent":
        return agreed
    if of == "fleiss":
        chance = sum(weight(k, m) * shares[k] * shares[m] for k in range(q) for m in range(q))
    else:
        whole = sum(weight(k, m) for k in range(q) for m in range(q))
        chance = whole / (q * (q - 1)) * sum(p * (1 - p) for p in shares)
    return None if chance == 1 else (agreed - chance) / (1 - chance)


WEIGHTS: dict[str, Any] = {
    "nominal": lambda q: lambda a, b: Fraction(a == b),
    "linear": lambda q: lambda a, b: 1 - Fraction(abs(a - b), q - 1),
    "quadratic": lambda q: lambda a, b: 1 - Fraction((a - b) ** 2, (q - 1) ** 2),
    "ordinal": lambda q: lambda a, b: 1 - Fraction(abs(a - b) * (abs(a - b) + 1), q * (q - 1)),
}


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("seed", range(12))
def test_they_are_their_definitions(weighting: Any, seed: int) -> None:
    chance = random.Random(seed)
    q, raters = chance.randint(2, 4), chance.randint(2, 5)
    skewed = [*range(q), *[q - 1] * 4, None, None]
    ratings = [[chance.choice(skewed) for _ in range(9)] for _ in range(raters)]
    for of, function in (("percent", percent_agreement), ("fleiss", fleiss_kappa), ("ac", gwet_ac)):
        expected = plain(ratings, q, WEIGHTS[weighting](q), of)
        found = function(ratings, weighting, list(range(q))).value
        assert found == (None if expected is None else pytest.approx(float(expected), abs=1e-12)), (of, ratings)


def test_ordinal_credit_of_four_levels_by_hand() -> None:
    assert credits_of(4, "ordinal")[0].tolist() == pytest.approx([1, 5 / 6, 1 / 2, 0])
    assert credits_of(4, "linear")[1].tolist() == pytest.approx([2 / 3, 1, 2 / 3, 1 / 3])


def test_two_raters_without_gaps_are_as_in_their_table() -> None:
    one, other = list("aabbbcaabc"), list("abbbbcaacc")
    found = gwet_ac([one, other], categories=["a", "b", "c", "d"])
    assert found.value == pytest.approx(gwet_ac1(rating_table(one, other, ["a", "b", "c", "d"])))


def test_severities_by_hand() -> None:
    """Three raters of two errors: minor, minor, major; critical by two, of three declared levels."""
    ratings = [["minor", "critical"], ["minor", "critical"], ["major", None]]
    levels = ["minor", "major", "critical"]
    agreed = Fraction(1, 2) * (Fraction(1, 3) * (1 + 2 * Fraction(2, 3)) + 1)  # 1 of 3 pairs, 2 with ordinal credit 2/3
    shares = [Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)]
    chance = Fraction(3 + 4 * Fraction(2, 3)) / 6 * sum(p * (1 - p) for p in shares)
    assert gwet_ac(ratings, "ordinal", levels).value == pytest.approx(float((agreed - chance) / (1 - chance)))
    assert gwet_ac(ratings, "ordinal", levels[::-1]).value == pytest.approx(float((agreed - chance) / (1 - chance)))


@pytest.mark.parametrize(
    ("ratings", "categories", "fleiss", "ac"),
    [
        ([["a", "b"]], ["a", "b"], ONE_RATER, ONE_RATER),
        ([["a", None], [None, "b"]], ["a", "b"], NO_UNIT, NO_UNIT),
        ([["a", "a"], ["a", "a"], ["a", None]], ["a", "b"], NO_VARIATION, 1.0),
        ([["a", "a"], ["a", "a"]], [], NO_VARIATION, ONE_CATEGORY),
        ([[], []], ["a"], NO_UNIT, NO_UNIT),
    ],
)
def test_what_is_undefined_says_why(ratings: Any, categories: list[str], fleiss: Any, ac: Any) -> None:
    for function, expected in ((fleiss_kappa, fleiss), (gwet_ac, ac)):
        found = function(ratings, categories=categories)
        assert (found.why if found.value is None else found.value) == expected


def test_labels_need_an_order_for_credit_by_distance() -> None:
    with pytest.raises(ValueError, match="categories"):
        gwet_ac([["minor"], ["major"]], "ordinal")
    with pytest.raises(ValueError, match="none of the categories"):
        fleiss_kappa([["minor"], ["huge"]], categories=["minor", "major"])
