"""The agreement figures: worked cases, an independent library as oracle, and what is left undefined."""

import json
import math
import re
import subprocess
import sys
from collections import Counter
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judges.consistency import PUBLIC
from judges.consistency.blind_annotation import span_report
from judges.consistency.detection import GROUPINGS, NOT_SEARCHED
from judges.consistency.documents import PARTS, SCOPES, compare
from judges.consistency.findings import detection_by, finding_figures
from judges.consistency.inter_annotator import ONE_ONLY, between_humans
from judges.consistency.label_agreement import instruction_agreement
from judges.consistency.outcomes import OUTCOMES
from judges.consistency.records import (
    AddedError,
    BlindAnnotation,
    FindingTable,
    InstructionCheck,
    MetPoint,
    MovedPlace,
    QuoteCount,
    ReviewedDocument,
    ReviewedFinding,
)
from judges.consistency.report import EvaluationCounts, consistency
from judges.consistency.spans import ErrorSpan
from judges.metric_s.human_score import human_deduction
from judges.model import CATEGORIES, DECISIONS, DIMENSIONS, JUDGES, LEVELS, Finding, Score, Verdict, dimension_of
from judges.stats.correlation import kendall_tau_b, kendall_tau_c, pearson, spearman, within_groups
from judges.stats.intervals import NO_WIDTH, ExpandedBootstrap
from judges.stats.kappa import gwet_ac1, krippendorff_alpha, weighted_kappa
from judges.stats.resampling import NEVER_VARIES, RESAMPLES, TOO_FEW, resampled_weights
from tests.conftest import SHARED

DOCUMENT = {
    "evaluation": "e1",
    "article": "a1",
    "system": "A",
    "direction": "zh-en",
    "domain": "news",
    "judge_model": "j",
    "reviewer": "r",
}
SEARCHED = {("e1", "r")}


def finding(judge="accuracy", severity="", decision=None, **other) -> ReviewedFinding:
    fields = {
        "dimension": dimension_of(judge),
        "category": next(iter(CATEGORIES[judge])),
        "severity": severity or LEVELS[judge][0],
    }
    return ReviewedFinding(**(DOCUMENT | fields | other), judge=judge, decision=decision)


def added(dimension="accuracy", severity="major", **other) -> AddedError:
    return AddedError(**(DOCUMENT | other), dimension=dimension, category=None, severity=severity)


def ratio_interval(numerators, denominators, resamples=RESAMPLES):
    """The interval of a ratio that nothing else is computed beside."""
    return ExpandedBootstrap(resamples).share(numerators, denominators, "").interval


def document(judge, human, **other) -> ReviewedDocument:
    return ReviewedDocument(**(DOCUMENT | other), judge=judge, human=human)


def detection(findings, *about):
    return finding_figures(findings, *about).overall


def attribution(findings):
    return finding_figures(findings).attribution


def severity_agreement(findings, *about):
    return finding_figures(findings, *about).severity


def rubric_agreement(findings, points=()):
    return finding_figures(findings, points=points).rubric


# Worked cases


def computed_error_prf(given):
    """A worked case's own words for what a reviewer did, in ours."""
    said = {
        "agree": {"decision": "agree"},
        "reseverity": {"decision": "override", "human_severity": "critical"},
        "reject": {"decision": "not_an_error"},
        "undecided": {},
    }
    findings = [finding(**said[word]) for word in given["judge"]]
    all_added = [added()] * given["added"]
    found = detection(findings, all_added, SEARCHED)
    return {
        "reviewed": found.right + found.wrong,
        "tp": found.right,
        "fp": found.wrong,
        "fn": found.missed,
        "precision": found.precision.value,
        "recall": found.recall.value,
        "f1": found.f1.value,
        "precision_bounds": [bound.value for bound in found.precision_bounds],
        "coverage": found.coverage.value,
        "severity_correct": severity_agreement(findings).agreement.value,
    }


def computed_by_dimension(given):
    said = {"reattribute": "reattribute", "agree": "agree", "reject": "not_an_error"}
    findings = [
        finding(row["dim"], decision=said[row["verdict"]], human_dimension=row.get("to")) for row in given["judge"]
    ]
    table = attribution(findings)

    def plain(found):
        return {
            "tp": found.right,
            "fp": found.wrong,
            "fn": found.missed,
            "precision": found.precision.value,
            "recall": found.recall.value,
        }

    return {
        **{label: plain(found) for label, found in detection_by("dimension", findings, (), SEARCHED).items()},
        "overall_detection": plain(detection(findings, (), SEARCHED)),
        "confusion": {
            row: {column: n for column, n in zip(table.columns, counts, strict=True) if n}
            for row, counts in zip(table.rows, table.counts, strict=True)
            if any(counts)
        },
    }


def computed_by_item(given):
    items = len(given["gold"]) // given["num_sys"]
    mean = within_groups(pearson, given["gold"], given["metric"], [i % items for i in range(len(given["gold"]))])
    return {"value": mean.value, "groups_used": mean.groups_used, "groups_total": mean.groups_total}


COMPUTED = {
    "kendall": lambda g: {"tau_b": kendall_tau_b(g["x"], g["y"]), "tau_c": kendall_tau_c(g["x"], g["y"])},
    "pearson_spearman": lambda g: {"pearson": pearson(g["x"], g["y"]), "spearman": spearman(g["x"], g["y"])},
    "pearson_by_item": computed_by_item,
    "error_prf": computed_error_prf,
    "error_prf_by_dimension": computed_by_dimension,
}
CASES = SHARED / "cases" / "agreement" / "cases.json"


def worked_cases():
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="the worked cases are not on this machine"))]
    cases = json.loads(CASES.read_text("utf-8"))
    return [pytest.param(case, id=case["id"]) for case in cases if case["stat"] in COMPUTED]


@pytest.mark.parametrize("case", worked_cases())
def test_worked_case(case):
    def check(ours, expected):
        if isinstance(expected, dict):
            for key, value in expected.items():
                check(ours[key], value)
        else:
            assert ours == (expected if expected is None else pytest.approx(expected, abs=case["tolerance"]))

    check(COMPUTED[case["stat"]](case["input"]), case["expected"])


def test_what_can_be_relied_on_is_there_and_documented():
    text = (Path(__file__).parents[3] / "docs" / "consistency.md").read_text(encoding="utf-8")
    listed = text.split("## From Python")[1].split("```")[0]
    for module, names in PUBLIC.items():
        row = next(line for line in listed.splitlines() if line.startswith(f"| `{module}` |"))
        assert re.findall(r"`(\w+)`", row.split("|")[2]) == list(names)
        found = import_module(f"judges.{module}")
        assert all(getattr(found, name).__doc__ for name in names)
    assert listed.count("\n| `") == len(PUBLIC)


# Correlations against scipy, with ties and gaps

scores = st.one_of(st.none(), st.integers(0, 8).map(float), st.floats(-1000, 1000).map(lambda v: round(v, 3)))
pairs = st.lists(st.tuples(scores, scores), max_size=60)


@given(pairs)
def test_correlations_are_scipys(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    complete = [(a, b) for a, b in pairs if a is not None and b is not None]
    sides = [[a for a, _ in complete], [b for _, b in complete]]
    ours = {
        "pearson": (pearson(x, y), lambda a, b: stats.pearsonr(a, b).statistic),
        "spearman": (spearman(x, y), lambda a, b: stats.spearmanr(a, b).statistic),
        "tau_b": (kendall_tau_b(x, y), lambda a, b: stats.kendalltau(a, b, variant="b").statistic),
        "tau_c": (kendall_tau_c(x, y), lambda a, b: stats.kendalltau(a, b, variant="c").statistic),
    }
    for value, oracle in ours.values():
        if any(len(set(side)) < 2 for side in sides):
            assert value is None
        else:
            assert value == pytest.approx(oracle(*sides), abs=1e-9)
            assert -1 <= value <= 1


@given(pairs)
def test_noise_neither_makes_nor_breaks_ties(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    noisy = [None if a is None else a + (-1) ** i * 1e-9 for i, a in enumerate(x)]
    for statistic in (spearman, kendall_tau_b, kendall_tau_c):
        assert statistic(noisy, y) == statistic(x, y)
    assert pearson([0.1 + 0.2, 0.3, 0.3], [1, 2, 3]) is None


@given(st.lists(st.tuples(st.floats(), st.floats()), max_size=8))
def test_no_input_yields_nan(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    for statistic in (pearson, spearman, kendall_tau_b, kendall_tau_c):
        value = statistic(x, y)
        assert value is None or math.isfinite(value)


def test_tau_of_many_is_scipys():
    random = np.random.default_rng(5)
    x = random.integers(0, 101, 20_000).astype(float)
    y = (x + random.normal(0, 20, 20_000)).round(3)
    assert kendall_tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_lengths_must_match():
    with pytest.raises(ValueError, match="equally long"):
        pearson([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="equally many"):
        within_groups(pearson, [1, 2], [1, 2], ["a"])


def test_an_undefined_group_is_dropped_and_counted():
    mean = within_groups(pearson, [1, 2, 3, 5, 5, 7], [2, 4, 6, 1, 2, 7], ["a", "a", "a", "b", "b", "c"])
    assert (mean.value, mean.n, mean.groups_used, mean.groups_total) == (pytest.approx(1), 3, 1, 3)
    nothing = within_groups(pearson, [], [], [])
    assert (nothing.value, nothing.groups_used, nothing.groups_total) == (None, 0, 0)


# Findings


@st.composite
def some_finding(draw):
    judge = draw(st.sampled_from(JUDGES))
    dimension = dimension_of(judge)
    decision = draw(st.sampled_from([None, *DECISIONS]))
    moved = decision == "reattribute"
    humans = draw(st.sampled_from([d for d in DIMENSIONS if d != dimension])) if moved else None
    changed = draw(st.sampled_from([None, *LEVELS[judge]])) if decision == "override" else None
    return finding(
        judge,
        draw(st.sampled_from(LEVELS[judge])),
        decision,
        category=draw(st.sampled_from([None, *CATEGORIES[judge]])),
        kept=draw(st.booleans()),
        system=draw(st.sampled_from("AB")),
        human_dimension=humans,
        human_severity=changed,
    )


@given(st.lists(some_finding(), max_size=30))
def test_every_finding_is_counted_once(findings):
    kept = [f for f in findings if f.kept]
    overall = detection(findings)
    assert overall.found == len(kept)
    outcomes = Counter(OUTCOMES[f.decision] for f in kept)
    assert (overall.right, overall.wrong) == (outcomes["right"], outcomes["wrong"])
    assert (overall.unsure, overall.unseen) == (outcomes["unsure"], outcomes["unseen"])
    assert overall.missed == 0
    for grouping in GROUPINGS:
        parts = detection_by(grouping, findings).values()
        assert sum(part.found for part in parts) == overall.found
        assert sum(part.unsure for part in parts) == overall.unsure
        # what a human's other label turns wrong in one group is missed in another
        assert sum(part.wrong for part in parts) - overall.wrong == sum(part.missed for part in parts)
    table = attribution(findings)
    assert sum(map(sum, table.counts)) == overall.right + overall.wrong
    low, high = overall.precision_bounds
    if kept:
        assert 0 <= low.value <= high.value <= 1
    if overall.precision.value is not None:
        assert low.value <= overall.precision.value <= high.value


@given(some_finding())
def test_the_humans_severity_is_the_one_that_is_scored(row):
    verdict = Verdict(row.decision, row.human_severity, row.human_category, row.human_dimension)
    scored = human_deduction(Finding(row.judge, 1, "", category=row.category, severity=row.severity), verdict)
    if OUTCOMES[row.decision] != "right" or not row.kept:
        return
    dimension, severity = scored
    right_under = {
        grouping: {label for label, d in detection_by(grouping, [row]).items() if d.right or d.missed}
        for grouping in ("dimension", "severity")
    }
    assert right_under == {"dimension": {dimension}, "severity": {severity}}


def test_recall_needs_a_declared_search():
    findings = [finding(decision="agree"), finding("fluency", decision="reattribute", human_dimension="accuracy")]
    unsearched = detection_by("dimension", findings)["accuracy"]
    assert (unsearched.recall.value, unsearched.recall.why) == (None, NOT_SEARCHED)
    assert (unsearched.f1.value, unsearched.missed) == (None, 1)
    elsewhere = finding(decision="agree", evaluation="e2")
    searched = detection([*findings, elsewhere], [added(), added(evaluation="e2")], SEARCHED)
    assert searched.recall.value == pytest.approx(2 / 3)  # e2 was not searched
    assert searched.f1.value == pytest.approx(4 / 5)
    assert searched.precision.n == 3


def test_groups_come_in_the_declared_order():
    findings = [finding("appropriateness"), finding(severity="critical"), finding("fluency"), finding("rubric")]
    assert list(detection_by("dimension", findings)) == ["accuracy", "fluency", "appropriateness"]
    assert list(detection_by("severity", findings)) == ["minor", "major", "critical", "violated"]
    assert list(detection_by("category", [finding(category=None), finding()])) == ["mistranslation", "not given"]


def test_severity_is_of_the_accuracy_judge_only():
    agreement = severity_agreement(
        [
            finding(severity="major", decision="agree"),
            finding(severity="critical", decision="override", human_severity="major"),
            finding(severity="critical", decision="agree"),
            finding(severity="critical", decision="reattribute", human_dimension="fluency"),
            finding(severity="extremely_critical", decision="not_an_error"),
            finding(severity="major", decision="unsure"),
            finding("rubric", decision="agree"),
            finding("fluency", decision="agree"),
            finding("fluency", decision="reattribute", human_dimension="accuracy"),
        ],
        [added(severity="critical"), added("fluency", "minor")],
    )
    assert agreement.table.rows == ("major", "critical", "extremely_critical", "added")
    assert agreement.table.columns == ("major", "critical", "extremely_critical", "elsewhere", "rejected")
    assert agreement.table.counts == ((1, 0, 0, 0, 0), (1, 1, 0, 1, 0), (0, 0, 0, 0, 1), (0, 1, 0, 0, 0))
    assert (agreement.agreement.value, agreement.agreement.n) == (pytest.approx(2 / 3), 3)
    assert agreement.kappa["nominal"].value == pytest.approx(0.4)


def test_kappa_of_one_level_is_undefined_with_its_reason():
    one_level = severity_agreement([finding(decision="agree")] * 4)
    assert one_level.agreement.value == 1
    assert (one_level.kappa["linear"].value, one_level.kappa["linear"].n) == (None, 4)
    assert "one and the same level" in one_level.kappa["linear"].why
    assert severity_agreement([]).kappa["linear"].why == "no finding has been decided"


def test_deduplication():
    figures = finding_figures(
        [
            finding(kept=False, decision="agree"),
            finding(kept=False, decision="duplicate"),
            finding(kept=False, decision="restore"),
            finding(kept=False),
            finding(kept=False, decision="unsure"),
            finding(decision="duplicate"),
            finding(decision="agree"),
            finding(decision="unsure"),
        ]
    ).deduplication
    assert (figures.dropped, figures.undecided_drops) == (5, 2)
    assert (figures.drops_confirmed.value, figures.drops_confirmed.n) == (pytest.approx(2 / 3), 3)
    assert (figures.duplicates_kept.value, figures.duplicates_kept.n) == (0.5, 2)


def test_rubric_points():
    figures = rubric_agreement(
        [
            finding("rubric", decision="agree"),
            finding("rubric", decision="agree"),
            finding("rubric", decision="not_an_error"),
            finding("rubric", decision="duplicate"),
            finding("rubric"),
            finding("rubric", decision="agree", kept=False),
            finding(decision="not_an_error"),
        ]
    )
    assert (figures.violated, figures.undecided) == (5, 1)
    assert (figures.upheld.value, figures.upheld.n) == (0.5, 4)
    assert figures.rejected.value == 0.25
    assert figures.met_points.why
    assert (figures.agreement.value, figures.agreement.n) == (0.75, 4)  # a duplicate is no less violated
    assert (figures.too_strict.value, figures.too_strict.n) == (0, 4)


def test_rubric_points_that_the_judge_calls_met():
    points = [MetPoint("zh-en", "a9", decision) for decision in ("met", "met", "violated", "too_strict")]
    figures = rubric_agreement([finding("rubric", decision="agree"), finding("rubric", decision="too_strict")], points)
    assert figures.table.counts == ((1, 0, 1), (1, 2, 1))
    assert (figures.agreement.value, figures.agreement.n) == (0.75, 4)
    assert (figures.too_strict.value, figures.too_strict.n) == (pytest.approx(2 / 6), 6)
    assert (figures.met_points.value, figures.met_points.n) == (0.5, 4)
    assert figures.upheld.value == 0.5
    assert rubric_agreement([]).agreement.why == "no point has been called met or violated"


def test_invented_quotes():
    quotes = [QuoteCount("zh-en", "a1", 8, 2), QuoteCount("zh-en", "a2", 2, 0)]
    invented = finding_figures([], quotes=quotes).invented_quotes
    assert (invented.value, invented.n) == (0.2, 10)
    assert (invented.interval.ends, invented.interval.why) == (None, TOO_FEW)
    assert finding_figures([]).invented_quotes.why
    assert finding_figures([], quotes=quotes).marked_nowhere.why == "no reviewer has marked a quote as invented"
    marked = finding_figures([], quotes=[QuoteCount("zh-en", "a1", 8, 2, 4, 1)])
    assert (marked.marked_invented.value, marked.marked_invented.n) == (0.5, 8)
    assert (marked.marked_nowhere.value, marked.marked_nowhere.n) == (0.25, 4)


def test_a_repeat_counts_as_a_place_and_not_as_an_error():
    findings = [
        finding("rubric", decision="agree"),
        finding("rubric", decision="agree", repeat=True),
        finding(decision="reattribute", human_dimension="fluency", repeat=True),
        finding(decision="not_an_error", repeat=True),  # what is no error repeats none
    ]
    found = detection(findings, [added()], SEARCHED)
    assert (found.right, found.wrong, found.repeated, found.missed) == (1, 1, 2, 1)
    assert (found.recall.value, found.precision.value) == (0.5, 0.5)
    assert sum(map(sum, attribution(findings).counts)) == 2
    assert rubric_agreement(findings).upheld.n == 2


def test_the_instruction_check_is_decided_on_by_result():
    checks = [InstructionCheck("zh-en", "a1", *said) for said in ((False, "agree"), (False, "overturn"))]
    found = instruction_agreement([*checks, InstructionCheck("zh-en", "a2", True, "agree")])
    assert found.table.counts == ((1, 0), (1, 1))
    assert (found.agreed.value, found.agreed.n) == (pytest.approx(2 / 3), 3)
    assert instruction_agreement([]).agreed.why == "no reviewer has decided on an instruction check"


def test_spans_of_articles_are_added_up_and_drawn():
    def marking(article, spans, judges):
        hers, judges = (tuple(ErrorSpan("translation", *span, "minor") for span in side) for side in (spans, judges))
        return BlindAnnotation(f"t{article}", "zh-en", f"a{article}", "r", hers, {f"e{article}": judges})

    markings = [marking(1, [(0, 4)], [(0, 4)]), marking(2, [(0, 4)], [(8, 9), (20, 22)]), marking(3, [], [])]
    found = span_report(markings, [], FindingTable.of([]))
    assert (found.judge.documents, found.judge.empty, found.judge.partial.n) == (3, 1, 5)
    assert found.judge.partial.value == pytest.approx(0.4)  # 1 of 3 predicted, 1 of 2 marked
    interval = found.judge.partial.interval
    assert (interval.clusters, interval.ends, interval.why) == (2, None, TOO_FEW)
    assert [(each.value, each.n) for each in (found.recall, found.precision)] == [(0.5, 2), (pytest.approx(1 / 3), 3)]
    assert found.recall.interval.why == TOO_FEW
    assert found.humans.partial.why == "no document was reviewed blind first by two reviewers"
    assert found.moved.why == "no finding was left standing"


def test_places_that_reviewers_changed():
    places = tuple([ErrorSpan("source", start, start + 4, "")] for start in (0, 2))
    replaced = [MovedPlace("zh-en", "a1", *map(tuple, places))]
    found = span_report([], replaced, FindingTable.of([finding(decision="override")] * 3))
    assert (found.moved.value, found.moved.n) == (pytest.approx(1 / 3), 3)
    assert found.places.partial.value == pytest.approx(0.5)


# Intervals


@given(st.lists(st.tuples(some_finding(), st.sampled_from(["a1", "a2", "a3"])), max_size=30))
def test_intervals_are_over_articles(rows):
    findings = [replace(row, article=article) for row, article in rows]
    whole = finding_figures(findings, resamples=300)
    for grouping in GROUPINGS:
        for label, found in whole.by[grouping].items():
            for figure in (found.precision, found.coverage, *found.precision_bounds):
                assert (figure.interval is None) == (figure.value is None)
                if figure.interval is None or figure.interval.low is None:
                    continue
                assert 0 <= figure.interval.low <= figure.interval.high <= 1
            if grouping == "system" and found.precision.value is not None:
                # the same as if nothing else were there
                alone = [f for f in findings if f.system == label]
                assert found.precision == finding_figures(alone, resamples=300).overall.precision
                decided = [(f.article, OUTCOMES[f.decision]) for f in alone if f.kept]
                right = [sum(a == each and o == "right" for a, o in decided) for each in ("a1", "a2", "a3")]
                both = [sum(a == each and o in ("right", "wrong") for a, o in decided) for each in ("a1", "a2", "a3")]
                assert found.precision.interval == ratio_interval(right, both, 300)


def test_one_article_has_no_interval_and_equal_ones_one_of_no_width():
    findings = [finding(decision=decision) for decision in ("agree", "not_an_error")]
    assert detection(findings).precision.interval.why == TOO_FEW
    alike = [replace(row, article=f"a{i}") for i in range(12) for row in findings]
    interval = detection(alike).precision.interval
    assert (interval.ends, interval.clusters, interval.warning) == ((0.5, 0.5), 12, NO_WIDTH)
    assert interval.seed is not None
    few = detection(alike[:12]).precision.interval
    assert "6 articles" in few.warning
    assert detection(alike[:8]).precision.interval.why == TOO_FEW


def test_severity_agreement_has_intervals():
    rows = [
        finding(severity="major", decision="override", human_severity="critical", article="a1"),
        finding(severity="critical", decision="agree", article="a2"),
        finding(severity="major", decision="agree", article="a2"),
    ]
    agreement = severity_agreement(rows)
    assert agreement.agreement.interval == ratio_interval([0, 2], [1, 2])
    assert agreement.kappa["linear"].interval.why == TOO_FEW
    more = severity_agreement([replace(row, article=f"{row.article}-{i}") for row in rows for i in range(3)])
    assert more.agreement.interval == ratio_interval([0, 2] * 3, [1, 2] * 3)
    assert more.kappa["linear"].interval.ends is not None


# Between humans


def by_reviewers(*decisions, **other):
    """One finding that reviewers r0, r1, … decided so."""
    return [
        finding(decision=decision, reviewer=f"r{i}", **({"finding": 1} | other)) for i, decision in enumerate(decisions)
    ]


A_PAIR = st.tuples(st.integers(0, 6), st.integers(0, 6))
"""A judge's score and a human's, or two people's."""


def between(findings, documents=()):
    return between_humans(FindingTable.of(findings), documents, resamples=200)


def test_reviewers_agree_on_what_both_decided():
    rows = [
        *by_reviewers("agree", "override", finding=1),
        *by_reviewers("agree", "not_an_error", finding=2, article="a2"),
        *by_reviewers("duplicate", "duplicate", finding=3, article="a2"),
        *by_reviewers("unsure", "agree", finding=4),
        *by_reviewers(None, "agree", finding=5),
        *by_reviewers("agree", "agree", finding=6, kept=False),
        *by_reviewers("agree", finding=7),
    ]
    found = between(rows)
    assert found.together == found.pairs[0]
    assert found.together.reviewers == ("r0", "r1")
    humans, judge = found.together.humans.verdicts, found.together.judge.verdicts
    assert (humans.observed.value, humans.observed.n) == (pytest.approx(2 / 3), 3)
    table = [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert humans.kappa.value == pytest.approx(weighted_kappa(table))
    assert humans.ac1.value == pytest.approx(gwet_ac1(table))
    assert humans.alpha.value == pytest.approx(krippendorff_alpha([[0, 0, 2], [0, 1, 2]]).value)
    assert humans.observed.interval.clusters == 2
    assert (judge.observed.value, judge.observed.n) == (pytest.approx(3 / 6), 6)  # of the same three findings
    assert judge.kappa.value == 0  # the judge has one verdict only


def test_severities_are_levels_of_accuracy_that_both_left_standing():
    rows = [
        *by_reviewers("agree", "agree", finding=1, severity="critical"),
        finding(severity="major", decision="agree", reviewer="r0", finding=2),
        finding(severity="major", decision="override", human_severity="critical", reviewer="r1", finding=2),
        *by_reviewers("agree", "not_an_error", finding=3),
        *by_reviewers("agree", "agree", finding=4, judge="fluency"),
        *by_reviewers("agree", "agree", finding=5, judge="rubric"),
    ]
    found = between(rows).together
    assert (found.humans.severities.observed.value, found.humans.severities.observed.n) == (0.5, 2)
    alpha = krippendorff_alpha([[1, 0], [1, 1]], "ordinal").value
    assert found.humans.severities.alpha.value == pytest.approx(alpha)
    assert (found.judge.severities.observed.value, found.judge.severities.observed.n) == (0.75, 4)


def test_three_reviewers_together_and_in_pairs():
    rows = [*by_reviewers("agree", "agree", "not_an_error"), *by_reviewers("agree", None, "agree", finding=2)]
    found = between(rows)
    assert [pair.reviewers for pair in found.pairs] == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]
    together = found.together.humans.verdicts
    assert together.observed.value == pytest.approx(2 / 4)  # pairs: 1 of 3, and 1 of 1
    assert together.alpha.value == pytest.approx(krippendorff_alpha([[0, 0], [0, None], [1, 0]]).value)
    assert (together.kappa.value, together.kappa.why) == (None, "defined for two reviewers: see the pairs")
    assert found.pairs[0].humans.verdicts.kappa.why == "no variation: all ratings are the same"


def test_scores_of_documents_that_both_finished():
    judge = Score(60, 20, 20)
    documents = [
        document(judge, Score(50, 20, 20), reviewer="r0", evaluation="e1", article="a1"),
        document(judge, Score(54, 20, 20), reviewer="r1", evaluation="e1", article="a1"),
        document(judge, Score(40, 20, 20), reviewer="r0", evaluation="e2", article="a2"),
        document(judge, Score(38, 20, 20), reviewer="r1", evaluation="e2", article="a2"),
        document(judge, Score(0, 0, 0), reviewer="r1", evaluation="e3", article="a3"),
    ]
    found = between([], documents).together
    humans, judges = found.humans.scores, found.judge.scores
    assert (humans.mean_absolute_difference.value, humans.mean_absolute_difference.n) == (3, 2)
    assert humans.pearson.value == pytest.approx(1)
    assert (judges.mean_absolute_difference.value, judges.mean_absolute_difference.n) == ((10 + 6 + 20 + 22) / 4, 4)
    assert judges.pearson.why == "all scores of one side are equal"
    assert humans.mean_absolute_difference.interval == ratio_interval([4, 2], [1, 1])
    assert humans.pearson.interval.why == humans.kendall_tau_b.interval.why == TOO_FEW
    assert judges.pearson.interval is None


@given(st.lists(st.lists(A_PAIR, min_size=1, max_size=3), min_size=1, max_size=6), st.randoms())
def test_people_are_compared_as_judge_and_people_are(articles, chance):
    """Two reviewers' scores have the intervals that a judge's and a reviewer's have; rows may come in any order."""
    as_judge_and_human = compare(scores_of(articles), resamples=50)["total"]["all"]
    rows = [
        document(Score(0, 0, 0), score, reviewer=name, evaluation=row.evaluation, article=row.article)
        for row in scores_of(articles)
        for name, score in (("r0", row.judge), ("r1", row.human))
    ]
    between_them = between_humans(FindingTable.of([]), chance.sample(rows, len(rows)), 50).together.humans.scores
    for name in ("mean_absolute_difference", "pearson", "kendall_tau_b"):
        ours, theirs = getattr(between_them, name), getattr(as_judge_and_human, name)
        assert ours.value == (None if theirs.value is None else pytest.approx(theirs.value))
        assert (ours.interval is None) == (theirs.interval is None)
        if ours.interval:
            assert ours.interval.why == theirs.interval.why
            assert ours.interval.ends == (theirs.interval.ends and pytest.approx(theirs.interval.ends))


def test_nobody_shares_anything():
    alone = between(by_reviewers("agree"))
    assert (alone.together, alone.pairs) == (None, ())
    assert alone.why


# Documents and the whole


def test_documents():
    rows = [
        document(Score(60, 20, 20), Score(50, 20, 15), article="a1", system="A"),
        document(Score(40, 18, 20), Score(40, 18, 10), article="a1", system="B"),
        document(Score(50, 20, 10), Score(30, 20, 10), article="a2", system="A"),
    ]
    figures = compare(rows)
    assert set(figures) == set(PARTS)
    total = figures["total"]
    assert set(total) == set(SCOPES)
    assert (total["all"].mean_difference.value, total["all"].mean_difference.n) == (pytest.approx(15), 3)
    assert total["all"].mean_difference.groups is None
    within = total["articles"]
    assert within.mean_difference.value == pytest.approx((12.5 + 20) / 2)  # articles weigh the same
    assert within.mean_difference.groups == (2, 2)
    assert (within.pearson.value, within.pearson.groups, within.pearson.n) == (pytest.approx(1), (1, 2), 2)
    fluency = figures["fluency"]["all"]
    assert fluency.pearson.value == pytest.approx(1)
    assert fluency.mean_absolute_difference.value == 0


def scores_of(articles):
    """Documents of some articles, as (judge's total, human's) by article."""
    return [
        document(Score(judge, 0, 0), Score(human, 0, 0), article=f"a{i}", system=f"s{k}", evaluation=f"e{i}-{k}")
        for i, pairs in enumerate(articles)
        for k, (judge, human) in enumerate(pairs)
    ]


def plain_figures(scores, drawn):
    """The five figures of drawn (judge's total, human's), with the ranks that these have among all the scores."""
    places = [dict(zip(side, stats.rankdata(side), strict=True)) for side in zip(*scores, strict=True)]
    x, y = zip(*drawn, strict=True)
    difference = [a - b for a, b in drawn]
    rho = pearson([places[0][a] for a in x], [places[1][b] for b in y])
    figures = (np.mean(difference), np.mean(np.abs(difference)), pearson(x, y), rho, kendall_tau_b(x, y))
    return [math.nan if each is None else each for each in figures]


def plainly_resampled(articles, weights, systems=False):
    """The figures of each resample in plain loops: articles repeated as often as they are drawn."""
    groups = (
        [[pairs[k : k + 1] for pairs in articles] for k in range(max(map(len, articles)))] if systems else [articles]
    )
    for weight in weights:
        found = []
        for group in groups:
            drawn = [pair for pairs, w in zip(group, weight, strict=True) for pair in pairs * int(w)]
            if drawn:
                found.append(plain_figures([pair for pairs in group for pair in pairs], drawn))
        by_figure = [[each for each in values if not math.isnan(each)] for values in zip(*found, strict=True)]
        yield [np.mean(values) if values else math.nan for values in by_figure]


@given(st.lists(st.lists(A_PAIR, min_size=1, max_size=4), min_size=2, max_size=7), st.integers(0, 9))
def test_intervals_of_documents_are_those_of_a_plain_bootstrap(articles, seed):
    found = compare(scores_of(articles), resamples=60, seed=seed)["total"]
    weights = np.concatenate(list(resampled_weights(len(articles), 60, seed)))
    cases = []
    for scope in ("all", "systems"):
        draws = np.array(list(plainly_resampled(articles, weights, scope == "systems"))).T
        cases += zip((getattr(found[scope], field.name) for field in fields(found[scope])), draws, strict=True)
    for figure, draw in cases:
        if figure.value is None:
            assert figure.interval is None
            continue
        interval, counted, m = figure.interval, draw[~np.isnan(draw)], len(articles)
        assert interval.clusters == m
        if interval.why == NEVER_VARIES:
            assert np.ptp(counted) < 1e-9
            continue
        if m < 5:
            assert (interval.ends, interval.why) == (None, TOO_FEW)
            continue
        assert (interval.resamples, interval.dropped) == (len(counted), len(draw) - len(counted))
        if len(counted):
            assert interval.warning.startswith(f"{m} articles: a rough guess")
            tail = stats.norm.sf(math.sqrt(m / (m - 1)) * stats.t.isf(0.025, m - 1))
            assert interval.ends == pytest.approx(tuple(np.quantile(counted, (tail, 1 - tail))), abs=1e-9)
        else:
            assert interval.why == "undefined in every resample"


def test_intervals_of_documents_within_groups():
    articles = [[(1, 2), (3, 5)], [(4, 4), (2, 6)], [(5, 1)], [(2, 3), (6, 4), (1, 1)], [(3, 1), (2, 2)], [(7, 2)]]
    found = compare(scores_of(articles))["total"]
    drawn = [statistic for pairs in articles if (statistic := pearson(*zip(*pairs, strict=True))) is not None]
    within = found["articles"].pearson
    assert (within.groups, within.interval) == ((4, 6), ratio_interval(drawn, [1] * len(drawn)))
    assert found["articles"].mean_difference.interval.clusters == 6
    systems = found["systems"]
    assert (systems.mean_difference.interval.clusters, systems.pearson.groups) == (6, (2, 3))
    low, high = systems.mean_difference.interval.ends
    assert low <= systems.mean_difference.value <= high


def test_documents_without_an_interval():
    one = compare(scores_of([[(1, 2), (3, 5), (2, 2)]]))["total"]["all"]
    assert all(getattr(one, field.name).interval.why == TOO_FEW for field in fields(one))
    constant = compare(scores_of([[(3, 2)], [(3, 5)], [(3, 4)]]))["total"]["all"]
    assert constant.kendall_tau_b.interval is None
    assert constant.mean_difference.interval.why == TOO_FEW
    equal = compare(scores_of([[(n, n + 2)] for n in range(12)]))["total"]["all"]
    assert (equal.mean_difference.value, equal.mean_difference.interval.why) == (-2, NEVER_VARIES)
    assert equal.mean_absolute_difference.interval.ends == (2, 2)
    assert equal.kendall_tau_b.interval.ends == (1, 1)
    assert equal.kendall_tau_b.interval.warning == NO_WIDTH
    within = compare(scores_of([[(n, n + 2)] * 2 for n in range(6)]))["total"]["articles"]
    assert within.mean_difference.interval.why == NEVER_VARIES


def test_intervals_of_many_documents():
    many = compare(scores_of([[(n % 7, n % 5)] * 151 for n in range(10)]))["total"]["all"]
    assert (many.kendall_tau_b.interval.resamples, many.spearman.interval.resamples) == (500, 2000)
    # as often as a document stands for itself, so often its article does: the same resamples, the same figure
    few = compare(scores_of([[(n % 7, n % 5)] for n in range(10)]), resamples=500)["total"]["all"]
    assert many.kendall_tau_b.interval.ends == pytest.approx(few.kendall_tau_b.interval.ends)
    different = compare(scores_of([[(n, n // 2)] for n in range(3_001)]), resamples=20)["total"]["all"]
    assert different.kendall_tau_b.value is not None
    assert different.kendall_tau_b.interval.why.startswith("too many")
    assert different.spearman.interval.ends is not None


def test_why_a_correlation_is_undefined():
    score, other = Score(60, 20, 20), Score(50, 20, 20)
    assert compare([])["total"]["all"].pearson.why == "no document has been reviewed"
    assert compare([document(score, score)])["total"]["all"].pearson.why == "one document only"
    constant = compare([document(score, score), document(other, score)])["total"]
    assert constant["all"].pearson.why == "all scores of the reviewers are equal"
    assert "none of the articles" in constant["articles"].spearman.why
    assert constant["articles"].spearman.groups == (0, 1)


def test_a_report_of_nothing_has_a_reason_for_everything():
    report = consistency([], [], {}, EvaluationCounts(0, 0, 0, 0, 0, 0, 0, 0))
    assert report.basis.articles == 0
    figures = [report.findings.overall.precision, report.findings.overall.recall, report.findings.severity.agreement]
    figures += [report.documents[part][scope].pearson for part in PARTS for scope in SCOPES]
    assert all(figure.value is None and figure.why for figure in figures)


def test_importing_the_figures_does_not_import_numpy():
    program = "import sys, judges.consistency.report; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_each_of_several_reviewers_is_held_against_the_others_and_who_shares_nothing_is_named():
    rows = [*by_reviewers("agree", "agree", "not_an_error"), *by_reviewers("agree", None, "agree", finding=2)]
    alone = [replace(each, reviewer=f"z{each.reviewer}", finding=9) for each in by_reviewers("agree")]
    found = between([*rows, *alone])
    assert found.apart == (("r0", "zr0"), ("r1", "zr0"), ("r2", "zr0"))
    first, second, third = found.against_others
    assert [each.reviewers for each in found.against_others] == [("r0",), ("r1",), ("r2",)]
    assert (first.humans.verdicts.observed.value, first.humans.verdicts.observed.n) == (2 / 3, 3)
    assert (second.humans.verdicts.observed.value, second.humans.verdicts.observed.n) == (1 / 2, 2)
    assert (third.humans.verdicts.observed.value, third.humans.verdicts.observed.n) == (1 / 3, 3)
    assert (third.judge.verdicts.observed.value, third.judge.verdicts.observed.n) == (1 / 2, 2)
    assert [dict(each.humans.verdicts.observed.left_out) for each in found.against_others] == [{}, {}, {}]
    lone = [*rows, *by_reviewers("agree", finding=3)]
    assert dict(between(lone).against_others[0].judge.verdicts.ac1.left_out) == {ONE_ONLY: 1}
    assert between(by_reviewers("agree", "agree")).against_others == ()


def test_two_reviewers_alone_have_no_means_over_pairs():
    found = between(by_reviewers("agree", "not_an_error"))
    assert (len(found.pairs), found.against_others, found.apart) == (1, (), ())
