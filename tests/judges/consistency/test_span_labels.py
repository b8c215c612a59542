"""Labels of errors that two marked in the same place, by hand."""

from __future__ import annotations

import pytest

from judges.consistency.blind_annotation import span_report
from judges.consistency.records import BlindAnnotation, FindingTable
from judges.consistency.span_labels import (
    NO_LABEL,
    NONE_MATCHED,
    MatchedError,
    MatchedLabels,
    match_labels,
    matched_agreement,
)
from judges.consistency.spans import ErrorSpan
from judges.stats.intervals import ExpandedBootstrap
from judges.stats.kappa import NO_VARIATION
from judges.stats.resampling import TOO_FEW

DRAWS = ExpandedBootstrap(200, 1)


def span(start: int, end: int, category: str = "grammar", severity: str = "minor", **more: str) -> ErrorSpan:
    return ErrorSpan(more.get("side", "translation"), start, end, severity, category, more.get("error", ""))  # type: ignore[arg-type]


def test_errors_match_by_where_they_are_whatever_they_are_called() -> None:
    first = [span(0, 10), span(20, 30, "tone", "major"), span(50, 60)]
    second = [span(0, 4, "grammar", "minor"), span(4, 10, "style", "major"), span(20, 30, "tone", "minor")]
    found = match_labels(first, second)
    assert found.matched == (
        MatchedError(("grammar", "style"), ("minor", "major")),  # it has the longer part, though it is called otherwise
        MatchedError(("tone", "tone"), ("major", "minor")),
    )
    assert (found.only_first, found.only_second) == (1, 1)
    back = match_labels(second, first)
    assert {(e.category[::-1], e.severity[::-1]) for e in back.matched} == {
        (e.category, e.severity) for e in found.matched
    }


def test_all_places_of_an_error_are_one_error() -> None:
    both = [span(0, 5, error="a", side="source"), span(3, 9, error="a")]
    found = match_labels(both, [span(4, 9, "tone"), span(0, 5, "style", side="source", error="x")])
    assert len(found.matched) == 1
    assert (found.only_first, found.only_second) == (0, 1)


def test_source_and_translation_never_match() -> None:
    found = match_labels([span(0, 5, side="source")], [span(0, 5)])
    assert found == MatchedLabels((), 1, 1)


def labels(*pairs: tuple[str, str, str, str], alone: tuple[int, int] = (0, 0)) -> MatchedLabels:
    return MatchedLabels(tuple(MatchedError((a, b), (c, d)) for a, b, c, d in pairs), *alone)


def test_agreement_by_hand() -> None:
    """Categories x x, x y, y y and one without; severities equal in three of four."""
    documents = [
        [labels(("x", "x", "major", "major"), ("x", "y", "minor", "major"), alone=(2, 0))],
        [labels(("y", "y", "minor", "minor"), alone=(0, 3)), labels(("", "y", "major", "major"))],
    ]
    found = matched_agreement(documents, DRAWS)
    assert (found.matched, found.only_first, found.only_second) == (4, 2, 3)
    category = found.category
    assert (category.observed.value, category.observed.n, category.without) == (pytest.approx(2 / 3), 3, 1)
    assert category.kappa.value == pytest.approx(1 - (1 / 3) / (5 / 9))  # by chance unequal: 2/3 · 2/3 + 1/3 · 1/3
    assert category.ac1.value == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert category.observed.interval is not None
    assert (category.observed.interval.ends, category.observed.interval.why) == (None, TOO_FEW)
    severity = found.severity
    assert (severity.observed.value, severity.observed.n, severity.without) == (0.75, 4, 0)


def test_intervals_are_those_of_a_share_of_five_articles() -> None:
    """Equal in 2 of 2, 1 of 2, 0 of 1, 1 of 1 and 3 of 4; a sixth article without a label does not count."""
    shares = [(2, 2), (1, 2), (0, 1), (1, 1), (3, 4)]
    pairs = [[("x", "x", "", "")] * equal + [("x", "y", "", "")] * (n - equal) for equal, n in shares]
    found = matched_agreement([*([labels(*each)] for each in pairs), [labels(("x", "", "", ""))]], DRAWS).category
    equal, n = zip(*shares, strict=True)
    assert found.observed.interval == DRAWS.share(equal, n, "").interval
    assert found.observed.interval is not None
    assert found.observed.interval.ends is not None
    assert (found.observed.value, found.without) == (0.7, 1)


def test_what_is_undefined_says_why() -> None:
    nothing = matched_agreement([[labels(alone=(1, 0))]], DRAWS)
    assert [nothing.category.observed.why, nothing.severity.ac1.why] == [NONE_MATCHED, NONE_MATCHED]
    unlabelled = matched_agreement([[labels(("", "x", "major", ""))]], DRAWS)
    assert (unlabelled.category.observed.why, unlabelled.severity.without) == (NO_LABEL, 1)
    alike = matched_agreement([[labels(("x", "x", "", ""))]], DRAWS).category
    assert (alike.observed.value, alike.kappa.why, alike.ac1.value) == (1.0, NO_VARIATION, None)


def test_blind_reviewers_and_the_judge_beside_them() -> None:
    judge = {"e": (span(0, 10, "style", "minor", error="f1"),)}

    def marking(reviewer: str, *spans: ErrorSpan) -> BlindAnnotation:
        return BlindAnnotation("t", "zh-en", "a", reviewer, spans, judge)

    found = span_report(
        [marking("ana", span(0, 10)), marking("ben", span(1, 10), span(40, 45))], [], FindingTable.of([]), 50
    )
    assert found.humans.labels is not None
    assert (found.humans.labels.category.observed.value, found.humans.labels.only_second) == (1.0, 1)
    assert found.judge.labels is not None
    assert (found.judge.labels.category.observed.value, found.judge.labels.category.observed.n) == (0.0, 2)
    assert found.judge.labels.severity.observed.value == 1.0
    assert found.places.labels is None
