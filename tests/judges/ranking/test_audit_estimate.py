"""The audited leaderboard's figures: worked cases, and what may not change them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judges.ranking.audit_estimate import TARGETS, AuditedScores, Target, audited, expected_half_width
from judges.ranking.audit_sampling import draw_balanced
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


@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_audits_do_without_the_judge(n: int) -> None:
    judge, human, rows = boards(20, 4, n, 2)
    found = audited(judge, human, rows)
    assert found.slope == 0.0
    assert (found.differences[0].half_width is None) is (n == 1)
    assert (found.best is None, found.gaps is None) == (n == 1, n == 1)


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
