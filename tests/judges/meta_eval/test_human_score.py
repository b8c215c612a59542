"""One human score of a translation: segment by segment, worked out by hand and by brute force."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.meta_eval.human_score import Rating, human_score, on_the_same, segment_scores
from judges.meta_eval.score_table import ScoreRow, human_scores, sheets

ANA = Rating("ana", -1.0, {1: 0.0, 2: -2.0})
BEN = Rating("ben", -6.0, {2: -6.0})
WHOLE = Rating("cy", -10.0)

of_segments = st.dictionaries(st.integers(1, 5), st.integers(-40, 0).map(float), min_size=1, max_size=5)
ratings_ = st.lists(
    st.builds(lambda who, of: Rating(who, fmean(of.values()), of), st.sampled_from("abc"), of_segments), max_size=6
)


def test_a_segment_counts_once_however_many_rated_it() -> None:
    assert segment_scores([ANA, BEN]) == {1: 0.0, 2: -4.0}
    assert human_score([ANA, BEN]) == -2.0  # the mean of their own means would be -3.5
    assert human_score([BEN]) == -6.0
    assert human_score([]) is None


def test_who_rated_a_segment_twice_is_one_rater_of_it() -> None:
    again = Rating("ben", -2.0, {2: -2.0})
    assert human_score([ANA, BEN, again]) == (0 + fmean([-2, fmean([-6, -2])])) / 2
    assert human_score([WHOLE, Rating("cy", -4.0), Rating("di", -1.0)]) == (-7 - 1) / 2


def test_a_rating_of_the_whole_counts_in_every_segment() -> None:
    assert human_score([ANA, WHOLE]) == ((0 - 10) / 2 + (-2 - 10) / 2) / 2
    assert human_score([WHOLE]) == -10


def test_two_are_compared_on_what_both_rated() -> None:
    assert on_the_same([ANA], [BEN]) == (-2.0, -6.0)
    assert on_the_same([BEN], [ANA]) == (-6.0, -2.0)
    assert on_the_same([ANA], [WHOLE]) == (-1.0, -10.0)
    assert on_the_same([WHOLE], [Rating("di", -3.0)]) == (-10.0, -3.0)
    assert on_the_same([BEN], [Rating("di", -3.0, {1: -3.0})]) is None


@given(ratings_, st.randoms())
def test_it_is_the_mean_of_the_definition_in_any_order(ratings: list[Rating], random: Random) -> None:
    segments = {number for rating in ratings for number in rating.segments}
    means = []
    for number in segments:
        of: dict[str, list[Fraction]] = {}
        for rating in ratings:
            if number in rating.segments:
                of.setdefault(rating.rater, []).append(Fraction(rating.segments[number]))
        by_rater = [sum(each, Fraction()) / len(each) for each in of.values()]
        means.append(sum(by_rater, Fraction()) / len(by_rater))
    found = human_score(ratings)
    assert found == (pytest.approx(float(sum(means, Fraction()) / len(means))) if means else None)
    assert human_score(random.sample(ratings, len(ratings))) == found


def row(rater: str, score: float, segments: tuple[tuple[int, float], ...] = (), rated_as: str = "MQM") -> ScoreRow:
    return ScoreRow(rater, "A", "1", "zh-en", score, True, rated_as=rated_as, segments=segments)


def test_tables_take_the_same_score() -> None:
    rows = [row("ana", -1, ((1, 0), (2, -2))), row("ben", -6, ((2, -6),))]
    assert human_scores(rows) == {("zh-en", "1", "A"): -2.0}
    (sheet,) = sheets(rows).values()
    assert sheet.human.tolist() == [[-2.0]]
    assert sheet.rated_by_several == 1


def test_ratings_by_nobody_with_a_name_are_each_anothers() -> None:
    nobodys = [row("MQM", -1), row("MQM", -3), row("ana", -8)]
    assert human_scores(nobodys) == {("zh-en", "1", "A"): -4.0}
    assert human_scores([row("ana", -1), row("ana", -3), row("ben", -8)]) == {("zh-en", "1", "A"): -5.0}
