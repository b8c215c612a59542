"""Metrics ranked in clusters: worked p-values, PERM-BOTH by SPA against all swaps, and what may not matter."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from judges.meta_eval.metric_ranking import CORRECTIONS, PairTest, adjusted, clusters, rank_metrics
from judges.meta_eval.metric_tests import SPREAD, PermBoth, perm_both, perm_both_by
from judges.meta_eval.pairwise import pairwise
from judges.meta_eval.score_table import ScoreRow
from judges.meta_eval.soft_pairwise import soft_pairwise_accuracy, spa_of_versions

NAN = float("nan")


def by_letters(ps: dict[str, float | None]) -> dict[tuple[str, str], PairTest]:
    """Tests by two letters, the one ahead first."""
    return {
        (a, b): PairTest(ahead=a, behind=b, translations=9, test=PermBoth(p, False, 9, 0), p=p)
        for (a, b), p in ps.items()
    }


def test_a_cluster_begins_behind_any_metric_of_the_one_above() -> None:
    """A cluster ends where any of its metrics is surely ahead: b is of c though a is not, and c is of e though d is not."""
    ps = {"ab": 0.3, "ac": 0.06, "ad": 0.01, "ae": 0.01, "bc": 0.04, "bd": 0.01, "be": 0.01, "cd": 0.2, "ce": 0.05, "de": 0.6}  # fmt: skip
    ranks, closest = clusters("abcde", by_letters(ps))
    assert ranks == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}
    assert {name: (test.ahead, test.p) for name, test in closest.items()} == {
        "b": ("a", 0.3), "c": ("b", 0.04), "d": ("c", 0.2), "e": ("c", 0.05)}  # fmt: skip


def test_no_test_begins_no_cluster() -> None:
    ranks, closest = clusters("abc", by_letters({"ab": None, "ac": 0.02, "bc": None}))
    assert (ranks, {n: t.ahead for n, t in closest.items()}) == ({"a": 1, "b": 1, "c": 2}, {"c": "a"})
    assert clusters("", {}) == ({}, {})
    assert clusters("a", {}) == ({"a": 1}, {})


def test_p_values_are_adjusted_by_hand() -> None:
    ps = [0.03, None, 0.01, 0.04, 0.005]
    assert adjusted(ps, "none") == ps
    assert adjusted(ps, "holm") == [0.06, None, 0.03, 0.06, 0.02]
    assert adjusted(ps, "bh") == [pytest.approx(0.04), None, 0.02, 0.04, 0.02]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_benjamini_and_hochberg_as_scipy_has_it(ps: list[float]) -> None:
    assert adjusted(ps, "bh") == pytest.approx(stats.false_discovery_control(ps, method="bh").tolist())


# Soft pairwise accuracy of many versions, and its test


def spa_by_hand(human: Any, metric: Any) -> Fraction | None:
    """SPA in fractions: every sign change of the articles that a pair has in common; sums 1e-6 apart are equal."""
    close = Fraction(1, 10**6)
    apart: list[Fraction] = []
    for i, j in combinations(range(len(human)), 2):
        common = [a for a in range(human.shape[1]) if np.isfinite([human[i, a], human[j, a], metric[i, a], metric[j, a]]).all()]  # fmt: skip
        if not common:
            continue
        h, m = ([Fraction(float(s[i, a])) - Fraction(float(s[j, a])) for a in common] for s in (human, metric))
        turn = -1 if sum(h) < 0 or (sum(h) == 0 and sum(m) < 0) else 1
        signs = list(product((1, -1), repeat=len(common)))
        p = [
            Fraction(sum(sum(map(lambda x, y: x * y, s, d)) * turn >= sum(d) * turn - close for s in signs), len(signs))
            for d in (h, m)
        ]
        apart.append(abs(p[0] - p[1]))
    return 1 - sum(apart, Fraction(0)) / len(apart) if apart else None


def drawn(data: st.DataObject, systems: int, articles: int, gaps: bool) -> Any:
    of = st.integers(0, 4).map(float)
    flat = data.draw(st.lists(st.one_of(of, st.just(NAN)) if gaps else of, min_size=systems * articles, max_size=systems * articles))  # fmt: skip
    return np.array(flat).reshape(systems, articles)


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_spa_of_versions_is_that_of_each(systems: int, articles: int, data: st.DataObject) -> None:
    human = drawn(data, systems, articles, gaps=True)
    versions = np.stack([np.where(np.isnan(human), NAN, drawn(data, systems, articles, gaps=False)) for _ in range(3)], 1)  # fmt: skip
    found = spa_of_versions(human, versions)
    for k in range(3):
        wanted = spa_by_hand(human, versions[:, k])
        if wanted is None:
            assert np.isnan(found[k])
        else:
            assert found[k] == pytest.approx(float(wanted), abs=1e-12)
            assert found[k] == pytest.approx(soft_pairwise_accuracy(human, versions[:, k]).value, abs=1e-12)


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 3), st.integers(1, 2), st.data())
def test_perm_both_by_spa_tries_all_swaps(systems: int, articles: int, data: st.DataObject) -> None:
    human, first, second = (drawn(data, systems, articles, gaps=False) for _ in range(3))

    def z(scores: Any) -> Any:
        return (scores - scores.mean()) / (scores.std() or 1) * SPREAD

    one, other = z(first), z(second)
    seen = spa_by_hand(human, other) - spa_by_hand(human, one)  # type: ignore[operator]
    reached = 0
    for mask in product((True, False), repeat=human.size):
        kept = np.array(mask).reshape(human.shape)
        b, a = (spa_by_hand(human, np.where(kept, *both)) for both in ((other, one), (one, other)))
        reached += b - a >= seen - Fraction(1, 10**9)  # type: ignore[operator]
    found = perm_both(human, first, second, "spa", "system")
    assert (found.p, found.exact, found.permutations) == (reached / 2**human.size, True, 2**human.size)


def test_several_measures_see_the_same_swaps() -> None:
    chance = np.random.default_rng(5)
    human, first, second = chance.integers(0, 5, (3, 4, 9)).astype(float)
    first[1, 2] = NAN
    for level in ("segment", "system"):
        together = perm_both_by(human, first, second, ["acc_eq", "c_index", "pearson"], level, 500)
        assert together == [perm_both(human, first, second, each, level, 500) for each in ("acc_eq", "c_index", "pearson")]  # fmt: skip
        assert {each.permutations for each in together} == {500}
    apart = np.arange(36.0).reshape(4, 9)
    defined, undefined = perm_both_by(np.ones((4, 9)), apart, apart + 1, ["acc_eq", "c_index"], "segment", 200)
    assert (defined.p, undefined.p) == (1.0, None)
    assert undefined.why


# Whole rankings


def table(gap: bool = False) -> list[ScoreRow]:
    """Four systems, eight articles; metrics that see people through more and more noise, and one that sees nothing."""
    chance = np.random.default_rng(2)
    rows = []
    for article, system in product(range(8), "ABCD"):
        human = float(chance.integers(0, 8))
        where = system, f"{article}", "zh-en"
        rows.append(ScoreRow("ann", *where, human, True))
        for name, noise in (("b", 0.1), ("a", 2.0), ("c", 9.0)):
            if not (gap and name == "a" and article == 3):
                rows.append(ScoreRow(name, *where, human + float(chance.normal(0, noise)), False))
        rows.append(ScoreRow("flat", *where, 1.0, False))
    return rows


def ranked(rows: list[ScoreRow], correction: Any = "none") -> dict[tuple[str, str], Any]:
    report = pairwise(rows, 2000, 3)
    found = rank_metrics(rows, report, ("acc_eq", "drop_all_ties"), correction)
    assert [(each.level, each.measure) for each in found] == [
        ("segment", "acc_eq"), ("segment", "drop_all_ties"),
        ("system", "acc_eq"), ("system", "drop_all_ties"), ("system", "spa")]  # fmt: skip
    return {(each.level, each.measure): each for each in found}


def test_metrics_are_ranked_over_what_both_scored() -> None:
    rows = table(gap=True)
    found = ranked(rows)["segment", "acc_eq"]
    assert [(each.metric, each.rank, each.lacks) for each in found.metrics] == [
        ("b", 1, 0), ("a", 2, 4), ("c", 3, 0), ("flat", 4, 0)]  # fmt: skip
    assert {(t.ahead, t.behind): t.translations for t in found.tests} == {
        ("b", "a"): 28, ("b", "c"): 32, ("b", "flat"): 32, ("a", "c"): 28, ("a", "flat"): 28, ("c", "flat"): 32}  # fmt: skip
    shared = [row for row in rows if row.article != "3"]
    again = {(t.ahead, t.behind): t.test.p for t in ranked(shared)["segment", "acc_eq"].tests}
    assert next(t.test.p for t in found.tests if (t.ahead, t.behind) == ("b", "a")) == pytest.approx(
        again["b", "a"], abs=0.02
    )  # other swaps are drawn where there are other articles
    assert found.resamples == (2000, 2000)


def test_the_undefined_have_no_rank_and_no_test() -> None:
    found = ranked(table())["segment", "drop_all_ties"]
    last = found.metrics[-1]
    assert (last.metric, last.rank, last.figure.value, last.closest) == ("flat", None, None, None)
    assert last.figure.why
    assert {name for t in found.tests for name in (t.ahead, t.behind)} == {"a", "b", "c"}


def test_a_correction_is_over_all_tests_of_a_ranking() -> None:
    for correction in CORRECTIONS:
        for each in ranked(table(), correction).values():
            assert [t.p for t in each.tests] == adjusted([t.test.p for t in each.tests], correction)
            assert each.correction == correction


def test_neither_order_nor_repeats_change_a_ranking() -> None:
    rows = table(gap=True)
    again = [*rows, *rows]  # the mean of a score and itself
    random.Random(1).shuffle(again)
    assert ranked(again, "holm") == ranked(rows, "holm")
