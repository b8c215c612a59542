"""The audited leaderboard's figures: worked cases, and what may not change them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judges.ranking.audit_estimate import (
    SCORES_ONLY,
    TARGETS,
    AuditedScores,
    Target,
    audited,
    expected_half_width,
)
from judges.ranking.audit_sampling import draw_balanced
from judges.stats.resampling import NEVER_VARIES
from judges.stats.student_t import t_quantile, t_tail
from tests.conftest import SHARED

CASES = SHARED / "cases" / "audited" / "cases.json"


@pytest.mark.skipif(not CASES.is_file(), reason="the worked cases are not here")
@pytest.mark.parametrize("target", TARGETS)
def test_the_worked_cases(target: Target) -> None:
    for case in json.loads(CASES.read_text(encoding="utf-8")):
        rows = [row for row, scores in enumerate(case["human_scores"]) if scores is not None]
        human = np.array([case["human_scores"][row] for row in rows])
        found = audited(np.array(case["judge_scores"]), human, rows, target, case["alpha"])
        wanted = case["expected"][target.replace("-", "_")]
        assert (found.n, found.articles) == (wanted["n"], wanted["N"])
        assert found.slope == pytest.approx(wanted["slope"], abs=1e-9)
        assert [each.value for each in found.scores] == pytest.approx(wanted["scores"], abs=1e-9)
        assert [[each.first, each.second] for each in found.differences] == wanted["pairs"]
        assert [each.value for each in found.differences] == pytest.approx(wanted["difference"], abs=1e-9)
        assert [each.half_width for each in found.differences] == pytest.approx(wanted["half_width"], abs=1e-9)


@given(st.floats(0.55, 0.999999), st.one_of(st.integers(1, 400), st.floats(0.5, 1e4)))
def test_quantiles_of_t_are_scipys(share: float, df: float) -> None:
    assert t_quantile(share, df) == pytest.approx(stats.t.ppf(share, df), rel=1e-9)
    assert t_tail(t_quantile(share, df), df) == pytest.approx(1 - share, rel=1e-8)
    assert t_quantile(1 - share, df) == pytest.approx(-t_quantile(share, df), rel=1e-8)


@pytest.mark.parametrize(("share", "df"), [(0.0, 3), (1.0, 3), (0.5, 0)])
def test_no_quantile_of_nonsense(share: float, df: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(share, df)


def boards(articles: int, systems: int, n: int, seed: int) -> tuple[Any, Any, list[int]]:
    """A judge's scores of articles with effects of article and system, people's of some of them, and of which."""
    drawn = np.random.default_rng(seed)
    truth = drawn.normal(0, 6, (articles, 1)) + np.arange(systems) + drawn.normal(70, 4, (articles, systems))
    judge = truth + drawn.normal(0, 4, (articles, systems))
    rows = sorted(int(row) for row in drawn.permutation(articles)[:n])
    return judge, (truth + drawn.normal(0, 3, (articles, systems)))[rows], rows


SHAPES = st.tuples(st.integers(8, 30), st.integers(2, 6), st.integers(2, 8), st.integers(0, 10_000))


def values(found: AuditedScores) -> dict[str, list[float | None]]:
    """Everything about single systems and pairs that a constant cannot shift."""
    return {
        "difference": [each.value for each in found.differences],
        "half_width": [each.half_width for each in found.differences],
        "human_only": [each.human_only for each in found.differences],
        "p": [each.p for each in found.differences],
        "gap": [each.value for each in found.gaps or ()],
        "gap_half_width": [each.half_width for each in found.gaps or ()],
        "one": [found.slope, found.correlation, found.effective, found.noise],
    }


def same(one: AuditedScores, other: AuditedScores) -> None:
    for name, numbers in values(one).items():
        assert values(other)[name] == pytest.approx(numbers, rel=1e-6, abs=1e-7), name


@given(SHAPES, st.sampled_from(TARGETS), st.integers(0, 99), st.floats(-50, 50), st.floats(-50, 50))
def test_orders_and_constants_change_nothing(
    shape: tuple[int, int, int, int], target: Target, seed: int, more: float, less: float
) -> None:
    judge, human, rows = boards(*shape)
    found = audited(judge, human, rows, target)
    drawn = np.random.default_rng(seed)
    order = drawn.permutation(len(judge))
    place = {int(old): new for new, old in enumerate(order)}
    turned = drawn.permutation(len(rows))
    same(found, audited(judge[order], human[turned], [place[rows[i]] for i in turned], target))
    same(found, audited(judge + more, human + less, rows, target))
    columns = drawn.permutation(judge.shape[1])
    moved = audited(judge[:, columns], human[:, columns], rows, target)
    scores = [found.scores[column] for column in columns]
    assert [each.value for each in moved.scores] == pytest.approx([each.value for each in scores])
    assert [each.half_width for each in moved.scores] == pytest.approx([each.half_width for each in scores])
    if found.best is not None and moved.best is not None:
        assert moved.best == pytest.approx([found.best[column] for column in columns])


@given(SHAPES)
def test_a_full_audit_is_peoples_means_for_certain(shape: tuple[int, int, int, int]) -> None:
    articles, systems, _, seed = shape
    judge, human, rows = boards(articles, systems, articles, seed)
    found = audited(judge, human, rows)
    assert [each.value for each in found.scores] == pytest.approx(list(human.mean(0)))
    assert [each.half_width for each in found.scores] == [0.0] * systems
    assert [each.half_width for each in found.differences] == [0.0] * len(found.differences)
    assert found.effective == articles
    if found.best is not None:
        assert found.best == pytest.approx(list(human.mean(0)))


def test_a_judge_that_says_nothing_leaves_peoples_scores() -> None:
    judge, human, rows = boards(20, 3, 8, 1)
    found = audited(np.full_like(judge, 70.0), human, rows)
    assert (found.slope, found.correlation) == (0.0, None)
    assert [each.value for each in found.scores] == pytest.approx(list(human.mean(0)))
    assert [each.half_width for each in found.differences] == [each.human_only for each in found.differences]
    assert found.effective == 8


def nothing_but_scores(found: AuditedScores) -> bool:
    """Whether there is no interval, no p, no decision and nothing that only these would make a claim."""
    assert found.why == SCORES_ONLY
    assert {each.why for each in (*found.scores, *found.differences)} == {SCORES_ONLY}
    more = found.best, found.gaps, found.correlation, found.effective, found.noise, found.noise_alone, found.rest
    pairs = [
        one for each in found.differences for one in (each.half_width, each.human_only, each.noise, each.p, each.holm)
    ]
    decided = [each.decided(0.5, of_all=together) for each in found.differences for together in (True, False)]
    return {*more, *pairs, *(each.half_width for each in found.scores)} == {None} and not any(decided)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_audits_give_peoples_means_only(n: int, target: Target) -> None:
    judge, human, rows = boards(20, 4, n, 2)
    found = audited(judge, human, rows, target)
    assert found.slope == 0.0
    assert [each.value for each in found.scores] == pytest.approx(list(human.mean(0)))
    assert found.differences[0].value == pytest.approx(human[:, 0].mean() - human[:, 1].mean())
    assert nothing_but_scores(found)


@pytest.mark.parametrize("target", TARGETS)
def test_four_audits_are_enough_for_an_interval(target: Target) -> None:
    judge, human, rows = boards(20, 4, 4, 2)
    found = audited(judge, human, rows, target)
    assert found.why == ""
    assert all(each.half_width and each.p and each.holm and not each.why for each in found.differences)
    assert all(each.half_width and not each.why for each in found.scores)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_of_a_full_audit_nothing_is_left_to_chance_but_of_new_documents(n: int) -> None:
    judge = np.array([[50.0, 40.0, 70.0], [60.0, 65.0, 55.0], [30.0, 35.0, 20.0]])[:n]
    human = np.array([[80.0, 70.0, 80.0], [60.0, 64.0, 60.0], [75.0, 70.0, 75.0]])[:n]
    found = audited(judge, human, range(n))
    assert [each.value for each in found.scores] == pytest.approx(list(human.mean(0)))
    assert {each.half_width for each in (*found.scores, *found.differences)} == {0.0}
    # The first and the last are the same for certain; the second is another.
    assert [each.p for each in found.differences] == [0.0, 1.0, 0.0]
    assert [each.decided(0.05, of_all=True) for each in found.differences] == [True, False, True]
    assert (found.effective, found.why) == (n, "")
    assert nothing_but_scores(audited(judge, human, range(n), "new-documents"))


DIFFERENT = [[50.0, 41.0, 30.0], [60.0, 65.0, 15.0], [30.0, 33.0, 20.0], [44.0, 51.0, 66.0], [71.0, 40.0, 32.0]]


@pytest.mark.parametrize("gap", [0.0, 10.0, 0.1 + 0.2])
@pytest.mark.parametrize("target", TARGETS)
def test_differences_that_never_vary_are_no_certainty(gap: float, target: Target) -> None:
    """The judge tells nothing apart, so that people's differences are all there is: 0–1 is the same in each article."""
    judge = np.repeat(np.linspace(40, 90, 12)[:, None], 3, axis=1)
    human = np.array(DIFFERENT)
    human[:, 1] = human[:, 0] + gap
    found = audited(judge, human, [0, 3, 5, 7, 11], target)
    pair, first, second = found.differences
    assert pair.value == pytest.approx(-gap)
    assert (pair.half_width, pair.human_only, pair.noise, pair.p, pair.holm) == (None,) * 5
    assert (pair.why, pair.decided(0.5), pair.decided(0.5, of_all=True)) == (NEVER_VARIES, False, False)
    assert first.half_width
    assert second.half_width
    # t over the differences of five articles, by hand with scipy; the two tests alone are adjusted for.
    differences = human[:, 0] - human[:, 2]
    left = 1 - 5 / 12 if target == "this-test-set" else 1
    error = math.sqrt(left * differences.var(ddof=1) / 5)
    assert first.half_width == pytest.approx(stats.t.isf(0.025, 4) * error)
    assert first.p == pytest.approx(2 * stats.t.sf(abs(differences.mean()) / error, 4))
    low, high = sorted(each.p or 0 for each in (first, second))
    assert sorted(each.holm or 0 for each in (first, second)) == pytest.approx([min(1, 2 * low), max(2 * low, high)])
    assert found.effective == 5
    assert found.noise == pytest.approx((differences.var(ddof=1) + (human[:, 1] - human[:, 2]).var(ddof=1)) / 2)


def test_differences_that_never_vary_are_certain_where_all_is_audited() -> None:
    human = np.array(DIFFERENT)
    human[:, 1] = human[:, 0] + 10
    found = audited(human[:, ::-1], human, range(5))
    assert [(each.half_width, each.why) for each in found.differences] == [(0.0, "")] * 3
    assert [each.p for each in found.differences] == [0.0] * 3
    beyond = audited(human[:, ::-1], human, range(5), "new-documents")
    assert beyond.differences[0].value == -10


def test_scores_of_one_system_that_never_vary_have_no_interval_either() -> None:
    human = np.array(DIFFERENT)
    human[:, 2] = 100.0
    found = audited(np.full((12, 3), 70.0), human, range(5))
    assert [(each.half_width is None, each.why) for each in found.scores] == [
        (False, ""),
        (False, ""),
        (True, NEVER_VARIES),
    ]
    assert all(each.half_width for each in found.differences)


def test_all_pairs_the_same_in_every_article_say_nothing() -> None:
    judge = np.linspace(0, 99, 48).reshape(12, 4) ** 1.3
    human = np.linspace(10, 60, 6)[:, None] + [0.0, 5.0, 7.0, 7.0]
    found = audited(np.repeat(judge[:, :1], 4, axis=1), human, range(6))
    assert {each.why for each in found.differences} == {NEVER_VARIES}
    assert (found.effective, found.noise, found.noise_alone, found.rest) == (None,) * 4


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, math.nan, math.inf])
def test_a_rate_of_error_is_a_probability(alpha: float) -> None:
    judge, human, rows = boards(10, 3, 4, 3)
    with pytest.raises(ValueError, match="rate of error"):
        audited(judge, human, rows, alpha=alpha)


def test_a_small_rate_of_error_has_its_quantile() -> None:
    judge, human, rows = boards(20, 2, 6, 2)
    found, usual = audited(judge, human, rows, alpha=1e-9), audited(judge, human, rows)
    ratio = (found.differences[0].half_width or 0) / (usual.differences[0].half_width or 1)
    assert ratio == pytest.approx(stats.t.isf(5e-10, 5) / stats.t.isf(0.025, 5), rel=1e-9)


def test_what_cannot_be_estimated_is_refused() -> None:
    judge, human, rows = boards(10, 3, 4, 3)
    for named, scores in (([], human[:0]), ([1, 1, 2, 3], human), (rows, human[:, :2])):
        with pytest.raises(ValueError, match="each named once"):
            audited(judge, scores, named)
    with pytest.raises(ValueError, match="known: this-test-set, new-documents"):
        audited(judge, human, rows, "this_test_set")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="missing"):
        audited(judge, np.where(human == human[0, 0], np.nan, human), rows)


def test_holm_is_that_of_the_pairs_together() -> None:
    judge, human, rows = boards(40, 4, 10, 4)
    found = audited(judge, human, rows)
    by_p = sorted(found.differences, key=lambda each: each.p or 0)
    highest = 0.0
    for rank, each in enumerate(by_p):
        highest = max(highest, min(1.0, (each.p or 0) * (len(by_p) - rank)))
        assert each.holm == pytest.approx(highest)
    assert all(each.decided(0.05) == (abs(each.value) > (each.half_width or 0)) for each in found.differences)


def test_what_to_expect_of_as_many_audits_is_what_they_gave_on_average() -> None:
    judge, human, rows = boards(60, 3, 12, 5)
    found = audited(judge, human, rows)
    assert found.noise is not None
    expected = expected_half_width(found.noise, 12, 60, "this-test-set")
    mean_square = np.mean([(each.half_width or 0) ** 2 for each in found.differences])
    assert expected**2 == pytest.approx(mean_square)
    assert expected_half_width(found.noise, 24, 60, "this-test-set") < expected


@given(st.integers(3, 40), st.integers(1, 8), st.integers(0, 500))
def test_what_is_drawn_follows_from_the_seed_alone(articles: int, n: int, seed: int) -> None:
    judge, _, _ = boards(articles, 4, 1, seed)
    names = [f"article {number}" for number in range(articles)]
    drawn = draw_balanced(names, judge, n, seed)
    assert len(drawn.articles) == min(n, articles)
    assert set(drawn.articles) <= set(names)
    order = np.random.default_rng(seed).permutation(articles)
    assert draw_balanced([names[i] for i in order], judge[order][:, ::-1], n, seed) == drawn
    assert n < articles or drawn.distance == 0.0


def test_a_balanced_draw_is_nearer_to_all_than_most_draws() -> None:
    judge, _, _ = boards(100, 5, 1, 6)
    names = [f"{number:03}" for number in range(100)]
    contrasts = judge - judge.mean(1, keepdims=True)

    def distance(rows: Any) -> float:
        return float(((contrasts[rows].mean(0) - contrasts.mean(0)) ** 2).sum())

    drawn = np.random.default_rng(1)
    others = [distance(drawn.permutation(100)[:10]) for _ in range(200)]
    balanced = [draw_balanced(names, judge, 10, seed).distance for seed in range(5)]
    assert max(balanced) < np.percentile(others, 10)


def test_systems_that_the_judge_scores_alike_but_for_rounding_have_no_best_guess() -> None:
    scores = np.linspace(0.1, 99.7, 12)
    alike = np.array([scores, scores[::-1], np.roll(scores, 5), np.roll(scores, 7)]).T
    assert len(set(alike.mean(0))) > 1
    found = audited(alike, np.arange(24.0).reshape(6, 4) ** 2, range(6))
    assert (found.best, found.gaps) == (None, None)
