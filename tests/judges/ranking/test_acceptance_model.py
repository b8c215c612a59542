"""How likely findings stand: learnt without the article they are of, honest about how well it works."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judges.model import DIMENSIONS, Severity
from judges.ranking.acceptance_model import (
    QUOTED,
    DecidedFinding,
    Features,
    ModelAssessment,
    assess_acceptance,
    fit_acceptance,
    uncertainty_order,
)


def findings(articles: int, each: int, seed: int, told: float = 1.0) -> list[DecidedFinding]:
    """Findings that stand more often if their quote was found exactly and many samples found them."""
    drawn = np.random.default_rng(seed)
    levels: tuple[Severity, ...] = ("minor", "major", "critical")
    cases = []
    for number, _ in product(range(articles), range(each)):
        quoted, share = int(drawn.integers(3)), float(drawn.integers(1, 5)) / 4
        stands = drawn.random() < 1 / (1 + np.exp(-(2.5 * share - 1.2 * quoted)))
        dimension, severity = DIMENSIONS[int(drawn.integers(3))], levels[int(drawn.integers(3))]
        said = bool(stands) if drawn.random() < told else None
        cases.append(
            DecidedFinding(f"article {number}", Features(dimension, severity, QUOTED[quoted], share, each), said)
        )
    return cases


def assessed(cases: Sequence[DecidedFinding]) -> ModelAssessment:
    return assess_acceptance(fit_acceptance(cases), cases)


def probabilities(cases: Sequence[DecidedFinding]) -> list[float]:
    return fit_acceptance(cases).probabilities(cases)


def test_what_tells_is_learnt_and_its_worth_is_told() -> None:
    found = assessed(findings(20, 15, 1))
    assert (found.n, found.articles, found.why) == (300, 20, "")
    assert found.auc.interval is not None
    assert found.auc.interval.low is not None
    assert found.auc.interval.low > 0.6
    assert sum(each.stood.n for each in found.bins) == 300
    predicted = [each.predicted.value or 0 for each in found.bins]
    assert predicted == sorted(predicted)
    for each in found.bins:
        assert each.stood.interval is not None
        assert each.stood.interval.ends is not None
        assert each.stood.interval.ends[0] <= (each.stood.value or 0) <= each.stood.interval.ends[1]


def test_nothing_is_learnt_from_noise() -> None:
    drawn = np.random.default_rng(3)
    cases = [case._replace(valid=bool(drawn.integers(2))) for case in findings(20, 10, 2)]
    interval = assessed(cases).auc.interval
    assert interval is not None
    assert interval.ends is not None
    assert interval.ends[0] < 0.5 < interval.ends[1] + 0.05


@given(st.integers(4, 9), st.integers(2, 6), st.integers(0, 999))
def test_an_articles_own_verdicts_say_nothing_of_its_findings(articles: int, each: int, seed: int) -> None:
    cases = findings(articles, each, seed)
    other = [case._replace(valid=not case.valid) if case.article == "article 0" else case for case in cases]
    one, two = fit_acceptance(cases), fit_acceptance(other)
    if not one.why and not two.why:
        assert one.probabilities(cases[:each]) == pytest.approx(two.probabilities(cases[:each]), abs=1e-9)
        assert all(0 <= p <= 1 for p in one.probabilities(cases))


@given(st.integers(4, 8), st.integers(2, 6), st.integers(0, 999), st.integers(0, 999))
@example(7, 5, 330, 0)
def test_the_order_of_findings_changes_nothing(articles: int, each: int, seed: int, turn: int) -> None:
    cases = findings(articles, each, seed, told=0.7)
    turned = [cases[i] for i in np.random.default_rng(turn).permutation(len(cases)).tolist()]
    assert assessed(cases) == assessed(turned)
    if not (learnt := fit_acceptance(cases)).why:
        assert learnt.probabilities(turned) == fit_acceptance(turned).probabilities(turned)


@given(st.integers(4, 8), st.integers(2, 6), st.integers(0, 999))
def test_what_else_is_asked_about_changes_no_answer(articles: int, each: int, seed: int) -> None:
    cases = findings(articles, each, seed, told=0.7)
    learnt = fit_acceptance(cases)
    if not learnt.why:
        alone = [fit_acceptance(cases).probabilities([case])[0] for case in cases]
        assert learnt.probabilities(cases) == pytest.approx(alone, abs=1e-11)


def test_the_area_is_the_share_of_pairs_in_order() -> None:
    cases = findings(6, 8, 5)
    found = probabilities(cases)
    pairs = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, one in zip(found, cases, strict=True)
        for b, two in zip(found, cases, strict=True)
        if one.valid and not two.valid
    ]
    assert assessed(cases).auc.value == pytest.approx(sum(pairs) / len(pairs))


def test_what_was_chosen_by_doubt_is_learnt_from_and_is_in_no_figure() -> None:
    cases = findings(12, 8, 5)
    doubtful = [case._replace(by_doubt=case.article in ("article 1", "article 2")) for case in cases]
    assert probabilities(doubtful) == probabilities(cases)
    found = assessed(doubtful)
    assert (found.n, found.auc.n, found.left_out) == (96, 80, {"learnt from, but chosen by doubt": 16})
    assert sum(each.stood.n for each in found.bins) == 80
    none = assessed([case._replace(by_doubt=True) for case in cases])
    assert (none.auc.value, none.why, none.bins) == (None, "every finding with a verdict was chosen by doubt", ())


@pytest.mark.parametrize(
    ("cases", "why"),
    [
        ([], "verdicts in 0 articles; at least 4 are needed"),
        (findings(3, 9, 1), "verdicts in 3 articles; at least 4 are needed"),
        ([case._replace(valid=True) for case in findings(5, 3, 1)], "all findings with a verdict stand"),
        ([case._replace(valid=False) for case in findings(5, 3, 1)], "no finding with a verdict stands"),
    ],
)
def test_where_nothing_can_be_learnt_it_says_why(cases: list[DecidedFinding], why: str) -> None:
    found = assessed(cases)
    assert (found.why, found.auc.value, found.auc.why, found.bins) == (why, None, why, ())
    with pytest.raises(ValueError, match=why):
        probabilities(cases)


def test_a_review_may_begin_with_what_is_most_doubtful() -> None:
    assert uncertainty_order([0.5, 0.1, 0.9, 0.1]) == [1, 3, 0, 2]
