"""How likely findings stand: learnt without the article they are of, honest about how well it works."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from judges.audited.validity import QUOTED, Case, learn_validity, most_doubtful_first
from judges.model import DIMENSIONS, Severity


def findings(articles: int, each: int, seed: int, told: float = 1.0) -> list[Case]:
    """Findings that stand more often if their quote was found exactly and many samples found them."""
    drawn = np.random.default_rng(seed)
    levels: tuple[Severity, ...] = ("minor", "major", "critical")
    cases = []
    for number, _ in product(range(articles), range(each)):
        quoted, share = int(drawn.integers(3)), float(drawn.integers(1, 5)) / 4
        stands = drawn.random() < 1 / (1 + np.exp(-(2.5 * share - 1.2 * quoted)))
        dimension, severity = DIMENSIONS[int(drawn.integers(3))], levels[int(drawn.integers(3))]
        said = bool(stands) if drawn.random() < told else None
        cases.append(Case(f"article {number}", dimension, severity, QUOTED[quoted], share, each, said))
    return cases


def test_what_tells_is_learnt_and_its_worth_is_told() -> None:
    found = learn_validity(findings(20, 15, 1))
    assert found.probabilities is not None
    assert (found.n, found.articles) == (300, 20)
    assert found.auc.value is not None
    assert found.auc.interval is not None
    assert found.auc.interval.low is not None
    assert found.auc.interval.low > 0.6
    assert sum(each.n for each in found.bins) == 300
    assert [each.predicted for each in found.bins] == sorted(each.predicted for each in found.bins)
    assert all(each.interval.low is not None and each.interval.low <= each.stood for each in found.bins)


def test_nothing_is_learnt_from_noise() -> None:
    drawn = np.random.default_rng(3)
    cases = [replace(case, valid=bool(drawn.integers(2))) for case in findings(20, 10, 2)]
    interval = learn_validity(cases).auc.interval
    assert interval is not None
    assert interval.ends is not None
    assert interval.ends[0] < 0.5 < interval.ends[1] + 0.05


@settings(deadline=None, max_examples=25)
@given(st.integers(4, 9), st.integers(2, 6), st.integers(0, 999))
def test_an_articles_own_verdicts_say_nothing_of_its_findings(articles: int, each: int, seed: int) -> None:
    cases = findings(articles, each, seed)
    other = [replace(case, valid=not case.valid) if case.article == "article 0" else case for case in cases]
    one, two = learn_validity(cases), learn_validity(other)
    if one.probabilities is not None and two.probabilities is not None:
        assert one.probabilities[:each] == pytest.approx(two.probabilities[:each], abs=1e-9)
    assert all(0 <= p <= 1 for p in one.probabilities or ())


@settings(deadline=None, max_examples=25)
@given(st.integers(4, 8), st.integers(2, 6), st.integers(0, 999), st.integers(0, 999))
@example(7, 5, 330, 0)
def test_the_order_of_findings_changes_nothing(articles: int, each: int, seed: int, turn: int) -> None:
    cases = findings(articles, each, seed, told=0.7)
    order = np.random.default_rng(turn).permutation(len(cases)).tolist()
    one, two = learn_validity(cases), learn_validity([cases[i] for i in order])
    assert one.why == two.why
    if one.probabilities is not None and two.probabilities is not None:
        assert [one.probabilities[i] for i in order] == list(two.probabilities)
        assert two.auc == one.auc


def test_the_area_is_the_share_of_pairs_in_order() -> None:
    cases = findings(6, 8, 5)
    found = learn_validity(cases)
    assert found.probabilities is not None
    pairs = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, one in zip(found.probabilities, cases, strict=True)
        for b, two in zip(found.probabilities, cases, strict=True)
        if one.valid and not two.valid
    ]
    assert found.auc.value == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize(
    ("cases", "why"),
    [
        ([], "verdicts in 0 articles; at least 4 are needed"),
        (findings(3, 9, 1), "verdicts in 3 articles; at least 4 are needed"),
        ([replace(case, valid=True) for case in findings(5, 3, 1)], "all findings with a verdict stand"),
        ([replace(case, valid=False) for case in findings(5, 3, 1)], "no finding with a verdict stands"),
    ],
)
def test_where_nothing_can_be_learnt_it_says_why(cases: list[Case], why: str) -> None:
    found = learn_validity(cases)
    assert (found.probabilities, found.why, found.auc.value, found.bins) == (None, why, None, ())


def test_a_review_may_begin_with_what_is_most_doubtful() -> None:
    assert most_doubtful_first([0.5, 0.1, 0.9, 0.1]) == [1, 3, 0, 2]
