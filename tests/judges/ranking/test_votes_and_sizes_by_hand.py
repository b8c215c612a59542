"""Groups of several judges' findings, and numbers of articles to audit, by hand and by trying every one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from judges.model import Place
from judges.ranking.audit_estimate import Target, expected_half_width
from judges.ranking.audit_sample_size import articles_needed, noise_of_judge, noise_with_judge, sizes
from judges.ranking.judge_votes import LocatedFinding, effective_votes, group_findings


def at(start: int, end: int) -> LocatedFinding:
    return LocatedFinding((Place("translation", start, end),), "accuracy")


def test_of_three_judges_the_closest_findings_are_joined_first() -> None:
    """x–z1 overlap by 0.9, y–z2 by 0.8 and x–y by 0.6, which would put z1 and z2, both of one judge, together."""
    judges = {"x": [at(0, 10)], "y": [at(4, 14)], "z": [at(1, 11), at(6, 16)]}
    for order in permutations(judges):
        of = [judges[name] for name in order]
        x, y, z = (order.index(name) for name in "xyz")
        expected = {tuple(sorted([(x, 0), (z, 0)])), tuple(sorted([(y, 0), (z, 1)]))}
        assert set(group_findings(of)) == expected


def test_three_judges_that_overlap_two_by_two_find_one_error() -> None:
    assert group_findings([[at(0, 10)], [at(6, 16)], [at(3, 13)]]) == [((0, 0), (1, 0), (2, 0))]
    assert group_findings([[at(0, 10)], [at(10, 20)], [at(5, 15)]]) == [((0, 0), (1, 0), (2, 0))]
    assert group_findings([[at(0, 10)], [at(10, 20)]]) == [((0, 0),), ((1, 0),)]


def test_words_that_are_four_fifths_alike_are_the_same_error() -> None:
    def says(words: str) -> LocatedFinding:
        return LocatedFinding((), "accuracy", "omission", None, words)

    assert len(group_findings([[says("abcdefghij")], [says("abcdefghXY")]])) == 1  # 2 × 8 / 20
    assert len(group_findings([[says("abcdefghij")], [says("abcdefgXYZ")]])) == 2  # 2 × 7 / 20
    assert len(group_findings([[says("")], [says("")]])) == 2


def test_effective_votes_by_hand() -> None:
    """Within articles and systems the first two go together, the third goes against both: ρ is (1 − 1 − 1) / 3."""
    one, other = [[0.0, 2.0], [2.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]]
    found = effective_votes([one, one, other], 50)
    assert found.correlation.value == pytest.approx(-1 / 3)
    assert (found.votes.value, found.votes.n) == (3.0, 4)
    found = effective_votes([one, one], 50)
    assert (found.correlation.value, found.votes.value) == (pytest.approx(1), pytest.approx(1))


@pytest.mark.parametrize("target", ["this-test-set", "new-documents"])
@pytest.mark.parametrize(("noise", "difference", "rest"), [(100, 5, 0), (100, 2.5, 0), (40, -4, 0.5), (3, 9, 0)])
def test_the_fewest_articles_are_the_first_that_are_enough(
    target: Target, noise: float, difference: float, rest: float
) -> None:
    needed = next(
        (n for n in range(4, 501) if expected_half_width(noise, n, 500, target, 0.05, rest) < abs(difference)), None
    )
    assert articles_needed(noise, difference, 500, target, 0.05, rest) == needed


def test_no_number_of_articles_shows_that_there_is_no_difference() -> None:
    assert articles_needed(100, 0, 500, "new-documents") is None
    assert articles_needed(100, 5, 1, "this-test-set") is None
    assert articles_needed(1e12, 1e-3, 500, "new-documents") is None


def test_sizes_that_are_forecast() -> None:
    assert sizes(10, 100) == (5, 10, 20, 40)
    assert sizes(10, 25) == (5, 10, 20, 25)
    assert sizes(1, 30) == (4,)  # with fewer there would be no interval
    assert sizes(3, 30) == (4, 6, 12)
    assert sizes(1, 3) == (3,)  # but of all there are
    assert sizes(5, 2) == (2,)
    assert sizes(5, 1) == ()
    assert sizes(1, 3, "new-documents") == ()
    assert sizes(2, 4, "new-documents") == (4,)
    assert articles_needed(100, 1, 3, "this-test-set") == 3
    assert articles_needed(1e300, 1, 30, "new-documents", 1e-9) is None


def test_what_a_judge_leaves_of_the_noise() -> None:
    """Of four audited c is 2/3, so that 0.25 · 8/9 is taken off."""
    assert noise_with_judge(9.0, 4) == pytest.approx(9 * (1 - 0.25 * 8 / 9))
    assert noise_with_judge(9.0, 4, 0.9) == pytest.approx(9 * (1 - 0.81 * 8 / 9))
    assert noise_with_judge(9.0, 3) == 9.0
    assert noise_of_judge(np.array([[1.0, 2.0, 0.0], [3.0, 7.0, 0.0]])) == pytest.approx((4.5 + 2 + 12.5) / 3)
