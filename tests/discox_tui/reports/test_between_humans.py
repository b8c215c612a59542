"""Figures between humans stay readable with many reviewers: means, ranges, and each with the others."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from discox_tui.reports.consistency.annotators import spans
from discox_tui.reports.consistency.between_humans import between_humans
from discox_tui.reports.render.html import as_html
from discox_tui.reports.render.model import Report
from discox_tui.reports.render.text import as_text
from judges.consistency.blind_annotation import span_report
from judges.consistency.records import BlindAnnotation, FindingTable, ReviewedFinding
from judges.consistency.report import ConsistencyReport, EvaluationCounts, consistency
from judges.consistency.spans import ErrorSpan


def report(reviewers: int) -> ConsistencyReport:
    chance = random.Random(1)
    rows = [
        ReviewedFinding(
            evaluation=f"e{n % 3}",
            article=f"a{n % 3}",
            system="s",
            direction="zh-en",
            domain="",
            judge_model="j",
            reviewer=f"rev{r}",
            judge="accuracy",
            dimension="accuracy",
            category="omission",
            severity="major",
            decision=chance.choice(["agree", "agree", "not_an_error"]),
            finding=n,
        )
        for n in range(12)
        for r in range(reviewers)
    ]
    counts = EvaluationCounts(3, 3, 3, 0, 0, 0, 0, 0)
    return consistency(rows, [], {}, counts, resamples=100)


@pytest.mark.parametrize(("reviewers", "each"), [(2, 1), (4, 6), (5, 0), (8, 0)])
def test_pairs_stand_there_while_one_can_read_them(reviewers: int, each: int) -> None:
    found = report(reviewers)
    section = between_humans(found, (), "both")
    text = as_text([section])
    shown = sum(f"\n  rev{a}, rev{b}\n" in text for a, b in combinations(range(reviewers), 2))
    assert shown == (each if reviewers > 2 else 0)
    assert max(map(len, text.splitlines())) <= 80
    page = as_html(Report("t", {}, [section]))
    several = reviewers > 2
    for words in ("with the others", f"over {reviewers * (reviewers - 1) // 2} pairs"):
        assert (words in text) is several
    assert ("Each reviewer with the others" in page) is several
    pairs = found.between_humans.pairs
    assert len(pairs) == reviewers * (reviewers - 1) // 2
    values = [pair.humans.verdicts.observed.value or 0.0 for pair in pairs]
    if several:
        line = next(line for line in text.splitlines() if "verdicts, observed" in line)
        assert f"{sum(values) / len(values):.3f}" in line
        assert f"{min(values):.2f}-{max(values):.2f}" in line
    assert "Fleiss' kappa: verdicts, humans" in text


@pytest.mark.parametrize("reviewers", [3, 6])
def test_many_blind_reviewers_are_summed_up(reviewers: int) -> None:
    markings = [
        BlindAnnotation("t", "zh-en", "a", f"rev{r}", (ErrorSpan("translation", 0, 5 + r, "minor", "grammar"),), {})
        for r in range(reviewers)
    ]
    found = span_report(markings, [], FindingTable.of([]), 50)
    text = as_text([spans(found, (), "both")])
    assert ("rev0, rev1" in text) is (reviewers < 5)
    assert (f"Over {reviewers * (reviewers - 1) // 2} pairs of blind reviewers" in " ".join(text.split())) is (
        reviewers > 4
    )
    assert len(found.pairs) == reviewers * (reviewers - 1) // 2
    assert "category, blind reviewers" in text


def test_who_shares_nothing_is_named() -> None:
    found = report(3)
    apart: Any = (("rev0", "someone"),)
    named = replace(found, between_humans=replace(found.between_humans, apart=apart))
    assert "– nothing in common, so no figure of theirs: rev0 and someone." in as_text(
        [between_humans(named, (), "both")]
    )
