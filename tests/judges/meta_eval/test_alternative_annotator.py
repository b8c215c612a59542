"""The alternative annotator test: worked cases, values by hand and against SciPy, and what cannot be tested."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from scipy import stats

from judges.meta_eval.alternative_annotator import (
    ALONE,
    NO_ARTICLES,
    NO_TEST,
    NO_VARIANCE,
    NOBODY,
    NOT_JUDGED,
    ONE_ARTICLE,
    alternative_annotator_test,
    benjamini_yekutieli,
)

CASES = Path(os.environ.get("DISCOX_SHARED", "")) / "cases" / "alt_test" / "cases.json"


@pytest.mark.skipif(not CASES.is_file(), reason="the worked cases are not here")
@pytest.mark.parametrize("which", range(3))
def test_worked_case(which: int) -> None:
    case = json.loads(CASES.read_text())["cases"][which]
    found = alternative_annotator_test(case["judge"], case["people"], case["scoring"], case["epsilon"]).items
    expected = case["expected"]
    for own, theirs in zip(found.people, expected["by_person"], strict=True):
        assert (own.person, own.n, own.rejected) == (theirs["person"], theirs["n"], theirs["rejected"])
        assert own.p == pytest.approx(theirs["p"], abs=1e-12)
        assert own.advantage == pytest.approx(theirs["advantage"], abs=1e-12)
    assert found.winning_rate.value == expected["winning_rate"]
    assert found.advantage.value == pytest.approx(expected["advantage"], abs=1e-12)
    assert found.passes is expected["passes"]


def test_labels_by_hand() -> None:
    """Item 1: others of ana say x, x: judge 2, ana 0. Item 2: one of two each. Item 3: ana alone is right."""
    judge = {1: "x", 2: "y", 3: "z", 4: "x"}
    people = {
        "ana": {1: "y", 2: "x", 3: "x", 4: "x"},
        "ben": {1: "x", 2: "x", 3: "x"},
        "cho": {1: "x", 2: "y", 3: "x", 5: "x"},
    }
    found = alternative_annotator_test(judge, people, epsilon=0.1, least=2).items.people
    ana = found[0]
    assert (ana.person, ana.n) == ("ana", 3)  # nobody else looked at item 4
    differences = [-1, 0, 1]
    assert ana.difference == 0
    assert ana.advantage == pytest.approx(2 / 3)
    assert ana.p == pytest.approx(stats.ttest_1samp(differences, 0.1, alternative="less").pvalue)


def plain(judge: Any, people: Any, scoring: str, person: str) -> dict[Any, tuple[int, int]]:
    """The definition, item by item: d, and whether the judge is at least as good."""

    def aligned(value: float, others: list[float]) -> float:
        if scoring == "accuracy":
            return fmean(value == other for other in others)
        return -(fmean((value - other) ** 2 for other in others) ** 0.5)

    found = {}
    for item, value in people[person].items():
        others = [said[item] for name, said in people.items() if name != person and item in said]
        if others and item in judge:
            of_judge, own = aligned(judge[item], others), aligned(value, others)
            found[item] = (own >= of_judge) - (of_judge >= own), int(of_judge >= own)
    return found


@pytest.mark.parametrize("scoring", ["accuracy", "neg_rmse"])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_its_definition(scoring: Any, seed: int) -> None:
    chance = random.Random(seed)
    truth = {i: chance.randint(1, 4) for i in range(90)}

    def annotator(share: float) -> dict[int, int]:
        return {
            i: t if chance.random() < 0.7 else chance.randint(1, 4) for i, t in truth.items() if chance.random() < share
        }

    judge, people = annotator(0.95), {name: annotator(0.7) for name in "abcd"}
    articles = {i: i // 7 for i in truth}
    found = alternative_annotator_test(judge, people, scoring, 0.15, articles=articles)
    assert not found.left_out
    for of_items, of_articles in zip(found.items.people, found.articles.people, strict=True):
        expected = plain(judge, people, scoring, of_items.person)
        d = [each for each, _ in expected.values()]
        assert of_items.n == len(d)
        assert of_items.p == pytest.approx(stats.ttest_1samp(d, 0.15, alternative="less").pvalue, abs=1e-12)
        assert of_items.advantage == pytest.approx(fmean(won for _, won in expected.values()))
        there = sorted({articles[i] for i in expected})
        means = [fmean(each for i, (each, _) in expected.items() if articles[i] == at) for at in there]
        assert of_articles.n == len(there)
        assert of_articles.difference == pytest.approx(fmean(means))
        assert of_articles.p == pytest.approx(stats.ttest_1samp(means, 0.15, alternative="less").pvalue, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_discoveries_are_scipys(seed: int) -> None:
    chance = random.Random(seed)
    p = [chance.random() ** 4 for _ in range(chance.randint(1, 8))]
    adjusted = stats.false_discovery_control(p, method="by")
    assert benjamini_yekutieli(p) == [bool(each <= 0.05) for each in adjusted]


def many(value: Any, n: int = 40) -> dict[int, Any]:
    return dict.fromkeys(range(n), value)


def test_who_has_too_few_items_is_left_out_and_named_and_still_among_the_others() -> None:
    judge = {i: i % 3 for i in range(40)}
    people = {"ana": {i: i % 2 for i in range(40)}, "ben": {i: i % 3 for i in range(40)}, "cho": many(0, 29)}
    found = alternative_annotator_test(judge, people)
    assert [each.person for each in found.items.people] == ["ana", "ben"]
    assert found.left_out == {"cho": "29 items that another and the candidate annotated too; a test takes 30"}
    without = alternative_annotator_test(judge, {name: people[name] for name in ("ana", "ben")})
    assert without.items.people[0].difference != found.items.people[0].difference


def test_no_variance_is_undefined_and_no_loss() -> None:
    found = alternative_annotator_test(many("x"), {"ana": many("x"), "ben": many("x")}, articles=many(1))
    assert [(each.p, each.why, each.advantage) for each in found.items.people] == [(None, NO_VARIANCE, 1.0)] * 2
    assert (found.items.winning_rate.value, found.items.winning_rate.why) == (None, NO_VARIANCE)
    assert (found.items.passes, found.items.advantage.value) == (None, 1.0)
    assert {each.why for each in found.articles.people} == {ONE_ARTICLE}


def test_an_undefined_test_is_not_in_the_winning_rate() -> None:
    """Ana always differs from ben and the judge, who say the same; cho says either: one test of three."""
    judge = {i: i % 2 for i in range(60)}
    people = {
        "ana": dict.fromkeys(range(60), 2),
        "ben": {i: i % 2 for i in range(60)},
        "cho": {i: (i % 2) if i % 5 else 2 for i in range(60)},
    }
    found = alternative_annotator_test(judge, people).items
    assert [each.why for each in found.people] == ["", NO_VARIANCE, NO_VARIANCE]
    assert found.winning_rate.n == 1


@pytest.mark.parametrize(
    ("judge", "people", "why"),
    [
        ({}, {}, NOBODY),
        (many(1), {"ana": {}}, NOBODY),
        (many(1), {"ana": many(1)}, ALONE),
        (many(1), {"ana": many(1), "ben": many(None)}, ALONE),
        ({}, {"ana": many(1), "ben": many(2)}, NOT_JUDGED),
        (many(1, 12), {"ana": many(1), "ben": many(2)}, NO_TEST),
    ],
)
def test_nothing_to_test_says_why(judge: Any, people: Any, why: str) -> None:
    found = alternative_annotator_test(judge, people)
    for outcome in (found.items, found.articles):
        assert (outcome.people, outcome.passes) == ((), None)
        assert (outcome.winning_rate.why, outcome.advantage.why) == (why, why)
    assert set(found.left_out) == set(people)


def test_without_articles_there_is_no_test_over_them() -> None:
    judge = {i: i % 3 for i in range(40)}
    found = alternative_annotator_test(judge, {"ana": {i: i % 2 for i in range(40)}, "ben": many(1)})
    assert {(each.p, each.n, each.why) for each in found.articles.people} == {(None, 0, NO_ARTICLES)}
    assert found.items.passes is not None


def test_scores_that_noise_alone_tells_apart_are_equal() -> None:
    judge = {i: 0.1 + 0.2 + i % 2 for i in range(40)}
    people = {"ana": {i: 0.3 + i % 2 for i in range(40)}, "ben": {i: float(i % 3) for i in range(40)}}
    found = alternative_annotator_test(judge, people, "neg_rmse")
    assert found.items.people[0].why == NO_VARIANCE
    assert found.items.people[0].difference == 0


def test_scores_that_are_not_finite_are_missing() -> None:
    judge = many(1.0) | {0: float("nan"), 1: float("inf"), 2: None}
    found = alternative_annotator_test(judge, {"ana": many(2.0), "ben": many(3.0)}, "neg_rmse")
    assert [each.n for each in found.items.people] == [37, 37]


@pytest.mark.parametrize("epsilon", [-0.1, 1.0, float("nan")])
def test_epsilon_is_a_share(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        alternative_annotator_test({}, {}, epsilon=epsilon)
