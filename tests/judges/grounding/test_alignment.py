"""Alignment of paragraphs, held against every other way to pair them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache

import pytest

from judges.grounding.alignment import align, weigh
from judges.model import Bead

PRIORS = {
    (1, 1): 0.0,
    (1, 2): 2.8,
    (2, 1): 2.8,
    (2, 2): 6.3,
    (1, 3): 4.2,
    (3, 1): 4.2,
    (1, 4): 5.0,
    (4, 1): 5.0,
    (1, 0): 3.0,
    (0, 1): 3.0,
}


def beads(source: list[str], translation: list[str]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    found = align("\n".join(source), "\n".join(translation))
    return [(bead.source, bead.translation) for bead in found]


def test_a_chinese_character_weighs_as_much_as_three_letters_and_a_fifth() -> None:
    assert weigh("中文ab") == pytest.approx(2 + 2 / 3.2)
    assert weigh("한, !") == pytest.approx(1)
    assert weigh("a b. 7") == pytest.approx(3 / 3.2)
    assert weigh("") == 0


@cache
def ways(n: int, m: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Every sequence of beads over so many paragraphs."""
    return tuple(_ways(n, m))


def _ways(n: int, m: int) -> Iterator[tuple[tuple[int, int], ...]]:
    if n == m == 0:
        yield ()
    for taken, given in PRIORS:
        if taken <= n and given <= m:
            for rest in ways(n - taken, m - given):
                yield ((taken, given), *rest)


def cost(way: tuple[tuple[int, int], ...], source: list[str], translation: list[str]) -> float:
    """Of one way: length variance after Gale and Church, what each bead costs, and what both sides share."""
    ratio = sum(map(weigh, translation)) / sum(map(weigh, source))
    total, i, j = 0.0, 0, 0
    for taken, given in way:
        left, right = source[i : i + taken], translation[j : j + given]
        i, j = i + taken, j + given
        total += PRIORS[taken, given]
        if taken and given:
            a, b = sum(map(weigh, left)) * ratio, sum(map(weigh, right))
            words = [
                set(re.findall(r"[a-z]{2,}|\d+", " ".join(side).replace(",", "").lower())) for side in (left, right)
            ]
            total += (a - b) ** 2 / (1.5 * (a + b + 2)) - 2 * min(5, len(words[0] & words[1]))
    return total


WORDS = ["Heron", "HERON", "1,200", "1200", "37", "Delta", "delta", "Kappa", "Sigma", "Omega", "Theta", "Zeta"]


@pytest.mark.parametrize("seed", range(30))
def test_no_other_way_is_cheaper(seed: int) -> None:
    chance = random.Random(seed)

    def side(letters: str, longest: int, most: int) -> list[str]:
        return [
            " ".join(
                [
                    "".join(chance.choices(letters, k=chance.choice([1, 4, longest]))),
                    *chance.sample(WORDS, chance.choice([0, 0, 1, 3, 8])),
                ]
            )
            for _ in range(chance.randint(1, most))
        ]

    source, translation = side("天地玄黄宇宙", 30, 4), side("一二三四五六", 40, 4)
    found = beads(source, translation)
    assert [p for left, _ in found for p in left] == list(range(len(source)))
    assert [p for _, right in found for p in right] == list(range(len(translation)))
    chosen = tuple((len(left), len(right)) for left, right in found)
    best = min(cost(way, source, translation) for way in ways(len(source), len(translation)))
    assert cost(chosen, source, translation) == pytest.approx(best)


@pytest.mark.parametrize(
    ("source", "translation", "last"),
    [
        (["甲" * 9, "乙" * 40], ["x" * 29, *["y" * 32] * 4], ((1,), (1, 2, 3, 4))),
        (["甲" * 9, *["乙" * 10] * 4], ["x" * 29, "y" * 128], ((1, 2, 3, 4), (1,))),
    ],
)
def test_last_paragraphs_need_not_be_one_to_one(
    source: list[str], translation: list[str], last: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    assert beads(source, translation) == [((0,), (0,)), last]


def test_one_side_may_be_empty() -> None:
    assert align("", "") == ()
    assert align("甲\n乙", "") == (Bead((0,), ()), Bead((1,), ()))
    assert align("", "x\ny") == (Bead((), (0,)), Bead((), (1,)))


@pytest.mark.parametrize(("taken", "given"), [(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (4, 1), (1, 4)])
def test_long_documents_are_aligned_though_not_every_way_is_looked_at(taken: int, given: int) -> None:
    """Each bead holds the same number on both sides, so that no other way comes near."""
    n = 30
    source = [f"{'甲' * 12 * given}{k}00" for k in range(n) for _ in range(taken)]
    translation = [f"{'x' * 38 * taken} {k}00" for k in range(n) for _ in range(given)]
    assert beads(source, translation) == [
        (tuple(range(k * taken, k * taken + taken)), tuple(range(k * given, k * given + given))) for k in range(n)
    ]


def test_a_last_paragraph_may_have_no_counterpart_on_either_side() -> None:
    """Eight pairs of 100 fix the ratio, so that taking two for one would cost far more than leaving one out."""
    source = ["甲" * 100 + f" {k}0" for k in range(8)]
    translation = ["x" * 320 + f" {k}0" for k in range(8)]
    pairs = [((k,), (k,)) for k in range(8)]
    assert beads([*source, "乙" * 100], translation) == [*pairs, ((8,), ())]
    assert beads(source, [*translation, "y" * 320]) == [*pairs, ((), (8,))]


def test_a_number_is_the_same_with_and_without_commas() -> None:
    """Five shared numbers gain 10; leaving out a paragraph on each side costs 6, and all four in one bead 6.3."""
    source = ["甲" * 10, "乙" * 10 + " 1,200 1,300 1,400 1,500 1,600"]
    translation = ["x" * 32 + " 1200 1300 1400 1500 1600", "y" * 32]
    assert beads(source, translation) == [((0,), ()), ((1,), (0,)), ((), (1,))]
