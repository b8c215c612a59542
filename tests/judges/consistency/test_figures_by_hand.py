"""Every figure of a small review by hand, of data in which no two figures are equal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judges.consistency import documents as judge_scores
from judges.consistency.detection import FindingCounts
from judges.consistency.error_slices import Slice, Tallies, Tally, effective_interval, error_slices
from judges.consistency.findings import FindingFigures, detection_by, finding_figures
from judges.consistency.inter_annotator import (
    NO_DOCUMENT,
    NO_LEVEL,
    NO_ORDER,
    NOBODY,
    TWO_ONLY,
    between_humans,
    within_reviewers,
)
from judges.consistency.label_agreement import instruction_agreement
from judges.consistency.outcomes import (
    further_places,
    humans_category,
    humans_dimension,
    humans_severity,
    outcome_of,
)
from judges.consistency.records import (
    AddedError,
    FindingKind,
    FindingTable,
    InstructionCheck,
    MetPoint,
    MissedKind,
    QuoteCount,
    ReviewedDocument,
    ReviewedFinding,
    ReviewedRow,
    article_codes,
)
from judges.consistency.spans import (
    ErrorSpan,
    Overlap,
    Pair,
    assign_few,
    char_f1,
    match_errors,
    overlaps,
    span_match,
    total,
)
from judges.model import Place, Score
from judges.stats.intervals import wilson
from judges.stats.kappa import NO_VARIATION

Kinds = list[tuple[FindingKind, int]]


def kind(decision: Any = None, severity: Any = "major", **more: Any) -> FindingKind:
    parts: dict[str, Any] = {"judge": "accuracy", "dimension": "accuracy", "category": "mistranslation"}
    return FindingKind(**{**parts, "severity": severity, "decision": decision, **more})


RUBRIC = {"judge": "rubric", "severity": "violated", "category": "rubric_point"}
REVIEWS: dict[str, Kinds] = {
    "a1": [(kind("agree"), 3), (kind("not_an_error"), 1), (kind(), 2)],
    "a2": [
        (kind("agree"), 1),
        (kind("duplicate"), 1),
        (kind("override", human_severity="critical"), 1),
        (kind("unsure"), 1),
        (kind("agree", repeat=True), 1),
        (kind("agree", kept=False), 1),
        (kind("restore", kept=False), 1),
        (kind("duplicate", kept=False), 1),
        (kind(kept=False), 1),
    ],
    "a3": [
        (kind("reattribute", human_dimension="fluency"), 1),
        (kind("agree", "critical"), 2),
        (kind("override", "critical", human_severity="major"), 1),
        (kind("agree", **RUBRIC), 2),
        (kind("too_strict", **RUBRIC), 1),
        (kind("not_an_error", **RUBRIC), 1),
        (kind("duplicate", **RUBRIC), 1),
        (kind("unsure", **RUBRIC), 1),
    ],
}
ROWS = {article: ReviewedRow(f"e-{article}", article, "heron", "zh-en", "law", "osprey", "lin") for article in REVIEWS}
FINDINGS = [
    ReviewedFinding(*(getattr(ROWS[article], name) for name in ReviewedRow.__slots__ if name != "blind"), *each)
    for article, kinds in REVIEWS.items()
    for each, n in kinds
    for _ in range(n)
]
ADDED = [
    AddedError.of(ROWS["a1"], MissedKind("accuracy", "omission", "major")),
    AddedError.of(ROWS["a1"], MissedKind("fluency", "grammar", "minor")),
    AddedError.of(ROWS["a2"], MissedKind("fluency", "grammar", "minor")),
]
SEARCHED = {("e-a1", "lin")}
QUOTES = [QuoteCount("zh-en", "a1", 5, 2, 1, 1), QuoteCount("zh-en", "a2", 3, 1, 3, 1)]
POINTS = [
    MetPoint("zh-en", article, decision)  # type: ignore[arg-type]
    for article, decision, n in (("a1", "met", 3), ("a2", "violated", 1), ("a3", "too_strict", 2))
    for _ in range(n)
]


@pytest.fixture(scope="module")
def found() -> FindingFigures:
    return finding_figures(FINDINGS, ADDED, SEARCHED, QUOTES, 100, 1, POINTS)


def test_detection(found: FindingFigures) -> None:
    every = found.overall
    assert (every.right, every.wrong, every.unsure, every.unseen, every.missed, every.repeated) == (11, 5, 2, 2, 3, 1)
    assert every.found == 20
    assert (every.coverage.value, every.coverage.n) == (16 / 20, 20)
    assert (every.precision.value, every.precision.n) == (11 / 16, 16)
    assert [figure.value for figure in every.precision_bounds] == [11 / 20, 15 / 20]
    assert every.searched == FindingCounts(3, 1, 0, 2, 2, 0)
    assert (every.recall.value, every.recall.n) == (3 / 5, 5)
    assert (every.f1.value, every.f1.n) == (6 / 9, 6)
    assert every.precision.interval is not None
    assert every.precision.interval.clusters == 3
    assert every.recall.interval is not None
    assert every.recall.interval.clusters == 1


def test_the_judges_label_counts_for_precision_and_the_reviewers_for_recall(found: FindingFigures) -> None:
    by = found.by["dimension"]
    assert list(by) == ["accuracy", "fluency"]
    assert replace(by["accuracy"], searched=None) != replace(by["fluency"], searched=None)
    accuracy, fluency = by["accuracy"], by["fluency"]
    assert (accuracy.right, accuracy.wrong, accuracy.missed, accuracy.repeated) == (10, 6, 1, 1)
    assert (fluency.right, fluency.wrong, fluency.missed) == (0, 0, 3)
    assert fluency.searched == FindingCounts(missed=1)
    severities = found.by["severity"]
    assert list(severities) == ["minor", "major", "critical", "violated"]
    assert (severities["critical"].right, severities["critical"].wrong, severities["critical"].missed) == (2, 1, 1)
    assert (severities["major"].right, severities["major"].wrong, severities["major"].missed) == (4, 4, 2)
    assert {label: each.found for label, each in found.by["reviewer"].items()} == {"lin": 20}
    without = detection_by("seen", FINDINGS, ADDED, resamples=20)
    assert list(without) == ["anchored"]
    assert without["anchored"].recall.value is None
    assert without["anchored"].searched is None


def test_tables_of_labels(found: FindingFigures) -> None:
    table = found.attribution
    assert table.rows == ("accuracy", "fluency", "appropriateness", "added")
    assert table.columns == ("accuracy", "fluency", "appropriateness", "rejected")
    assert table.counts == ((10, 1, 0, 5), (0, 0, 0, 0), (0, 0, 0, 0), (1, 2, 0, 0))
    severity = found.severity
    assert severity.table.columns == ("major", "critical", "extremely_critical", "elsewhere", "rejected")
    assert severity.table.counts == ((4, 1, 0, 1, 2), (1, 2, 0, 0, 0), (0, 0, 0, 0, 0), (1, 0, 0, 0, 0))
    assert (severity.agreement.value, severity.agreement.n) == (6 / 8, 8)
    assert severity.kappa["nominal"].value == pytest.approx((6 / 8 - 34 / 64) / (1 - 34 / 64))
    assert severity.agreement.interval is not None
    assert severity.agreement.interval.clusters == 3


def test_deduplication_rubric_and_quotes(found: FindingFigures) -> None:
    drops = found.deduplication
    assert (drops.dropped, drops.undecided_drops) == (4, 1)
    assert (drops.drops_confirmed.value, drops.drops_confirmed.n) == (2 / 3, 3)
    assert (drops.duplicates_kept.value, drops.duplicates_kept.n) == (2 / 17, 17)
    rubric = found.rubric
    assert (rubric.violated, rubric.undecided) == (6, 1)
    assert (rubric.upheld.value, rubric.rejected.value, rubric.met_points.value) == (2 / 5, 1 / 5, 3 / 6)
    assert rubric.table.columns == ("violated", "met", "too_strict")
    assert (rubric.table.rows, rubric.table.counts) == (("violated", "met"), ((3, 1, 1), (1, 3, 2)))
    assert (rubric.agreement.value, rubric.too_strict.value) == (6 / 8, 3 / 11)
    assert (found.invented_quotes.value, found.marked_invented.value) == (3 / 8, 4 / 8)
    assert (found.marked_nowhere.value, found.marked_nowhere.n) == (2 / 4, 4)


def test_instruction_checks() -> None:
    checks = [
        InstructionCheck("zh-en", article, passed, decision)  # type: ignore[arg-type]
        for article, passed, decision in (
            ("a1", True, "agree"),
            ("a1", True, "agree"),
            ("a2", True, "overturn"),
            ("a2", False, "agree"),
        )
    ]
    found = instruction_agreement(checks, 50)
    assert (found.table.columns, found.table.counts) == (("agree", "overturn"), ((2, 1), (1, 0)))
    assert (found.agreed.value, found.agreed.n) == (3 / 4, 4)
    assert instruction_agreement([]).agreed.value is None


# Outcomes


def test_what_became_of_a_finding() -> None:
    decisions: list[Any] = ["agree", "override", "reattribute", "restore", "not_an_error", "duplicate", "too_strict"]
    assert [outcome_of(kind(each)) for each in (*decisions, "unsure", None)] == [
        *["right"] * 4,
        *["wrong"] * 3,
        "unsure",
        "unseen",
    ]
    assert outcome_of(kind("agree", repeat=True)) == "repeated"
    assert outcome_of(kind("not_an_error", repeat=True)) == "wrong"


@pytest.mark.parametrize(
    ("of", "dimension", "category", "severity"),
    [
        (kind(), "accuracy", "mistranslation", "major"),
        (kind(human_severity="critical"), "accuracy", "mistranslation", "critical"),
        (kind(human_category="omission"), "accuracy", "omission", "major"),
        (kind(human_dimension="accuracy"), "accuracy", "mistranslation", "major"),
        (kind(human_dimension="fluency"), "fluency", None, "minor"),
        (kind(human_dimension="fluency", human_category="grammar"), "fluency", "grammar", "minor"),
        (kind(human_dimension="appropriateness", human_severity="critical"), "appropriateness", None, "major"),
        (kind(severity="minor", dimension="fluency", human_dimension="accuracy"), "accuracy", None, "major"),
        (
            kind(severity="minor", dimension="fluency", human_dimension="accuracy", human_severity="critical"),
            "accuracy",
            None,
            "critical",
        ),
        (kind(severity=None), "accuracy", "mistranslation", None),
    ],
)
def test_labels_as_the_reviewer_left_them(
    of: FindingKind, dimension: str, category: str | None, severity: str | None
) -> None:
    assert (humans_dimension(of), humans_category(of), humans_severity(of)) == (dimension, category, severity)


def test_further_places_of_an_error() -> None:
    links = {"b": "a", "c": "a", "e": "d"}
    assert further_places([["a", "b", "c", "d"]], links) == {"b", "c"}
    assert further_places([["b", "a"]], links) == {"b"}
    assert further_places([["b", "c"]], links) == {"c"}
    assert further_places([["b"], ["a", "c"]], links) == {"a", "c"}
    assert further_places([["e"], ["d"]], links) == {"d"}
    assert further_places([], links) == set()


def test_articles_are_numbered_by_direction_and_key() -> None:
    rows = [
        replace(ROWS["a1"], article=article, direction=direction)
        for direction, article in (("zh-en", 10), ("en-zh", 9), ("zh-en", 9))
    ]
    assert article_codes(rows) == {("en-zh", 9): 0, ("zh-en", 10): 1, ("zh-en", 9): 2}


def test_a_table_of_some_reviewers_findings() -> None:
    rows = [
        replace(row, reviewer=name, finding=k // 2)
        for k, (row, name) in enumerate(zip(FINDINGS[:6], ["lin", "okafor"] * 3, strict=True))
    ]
    table = FindingTable.of(rows)
    assert FindingTable.of(table) is table
    assert list(table.finding) == [0, 0, 2, 2, 4, 4]
    one = table.only(lambda name: name == "okafor")
    assert [row.reviewer for row in one.reviews] == ["okafor"]
    assert (list(one.review), list(one.finding)) == ([0, 0, 0], [0, 2, 4])
    assert [one.kinds[k] for k in one.kind] == [table.kinds[k] for k in table.kind][1::2]
    assert table.only(lambda name: True) is table


# Weak spots


def test_weak_spots_by_hand() -> None:
    spots = {each.spot: each for each in error_slices(FINDINGS)}
    spot = spots[Slice("accuracy", "mistranslation", "law")]
    assert (spot.decided, spot.articles, spot.rejected, spot.moved) == (11, 3, 2, 1)
    assert (spot.rate.value, spot.rate.n) == (3 / 11, 11)
    assert spot.rate.interval == effective_interval([(1, 4), (1, 3), (1, 4)])
    point = spots[Slice("accuracy", "rubric_point", "law")]
    assert (point.decided, point.articles, point.rejected, point.moved) == (5, 1, 3, 0)
    assert len(spots) == 2


def test_tallies_are_put_and_taken_back() -> None:
    tally = Tally(
        "e",
        ("zh-en", "a1"),
        "law",
        {kind("agree"): 2, kind("not_an_error"): 1},
        {MissedKind("fluency", None, "minor"): 2},
    )
    tallies = Tallies([tally])
    assert (len(tallies), tallies.counts) == (1, FindingCounts(right=2, wrong=1, missed=2))
    assert tallies.attribution().counts == ((2, 0, 0, 1), (0,) * 4, (0,) * 4, (0, 2, 0, 0))
    assert tallies.severity().counts[0] == (2, 0, 0, 0, 1)
    (spot,) = tallies.weak_spots()
    assert (spot.decided, spot.rejected) == (3, 1)
    tallies.put(
        "e", replace(tally, kinds={kind("agree"): 1, kind("unsure"): 4, kind("agree", kept=False): 9}, missed={})
    )
    assert tallies.counts == FindingCounts(right=1, unsure=4)
    (spot,) = tallies.weak_spots()
    assert (spot.decided, spot.rejected) == (1, 0)
    tallies.put("e", None)
    assert (len(tallies), tallies.counts, tallies.weak_spots()) == (0, FindingCounts(), [])


def test_an_interval_over_the_effective_number() -> None:
    """Of 3 in 4 and 1 in 4: p ½, between 2 · (1 + 1) / 64 = 1/16, so that 8 are worth ¼ · 16 = 4."""
    found = effective_interval([(3, 4), (1, 4)])
    assert found.ends == pytest.approx(wilson(0.5, 4).ends)
    assert (found.clusters, found.warning) == (2, "2 articles: a rough guess")
    assert effective_interval([(2, 4), (2, 4)]).ends == pytest.approx(wilson(0.5, 8).ends)
    assert effective_interval([(1, 4), (0, 0)]).ends == pytest.approx(wilson(0.25, 1).ends)
    assert effective_interval([(4, 4)] * 10).ends == pytest.approx(wilson(1.0, 10).ends)
    assert effective_interval([(4, 4)] * 10).warning == ""
    assert effective_interval([(0, 4)] * 3).ends == pytest.approx(wilson(0.0, 3).ends)
    assert effective_interval([(1, 2), (1, 3), (2, 4)]).ends == pytest.approx(wilson(4 / 9, 9).ends)  # never above all
    assert effective_interval([]).ends is None


# Reviewers with one another

CODES: list[Any] = ["agree", "not_an_error", "duplicate"]
BOTH = [[4, 1, 0], [1, 2, 1], [0, 0, 1]]
"""Ten findings: what lin decided (rows) and okafor (columns)."""


def two_reviewers() -> FindingTable:
    cells = [(a, b) for a in range(3) for b in range(3) for _ in range(BOTH[a][b])]
    rows = []
    for number, pair in enumerate(cells):
        for name, code in zip(("lin", "okafor"), pair, strict=True):
            row = replace(ROWS["a1"], article=f"a{number % 3}", evaluation=f"e{number % 3}", reviewer=name)
            of = (getattr(row, field) for field in ReviewedRow.__slots__ if field != "blind")
            rows.append(ReviewedFinding(*of, *kind(CODES[code]), finding=number))
    return FindingTable.of(rows)


def scores() -> list[ReviewedDocument]:
    judge = {"e0": 70, "e1": 75, "e2": 95}
    human = {"lin": {"e0": 80, "e1": 60, "e2": 90}, "okafor": {"e0": 90, "e1": 50, "e2": 85}}
    return [
        ReviewedDocument.of(
            replace(ROWS["a1"], article=f"a{e[1]}", evaluation=e, reviewer=name),
            Score(judge[e] - 30, 15, 15),
            Score(value - 20, 10, 10),
            ("accuracy", "fluency"),
        )
        for name, of in human.items()
        for e, value in of.items()
    ]


def test_two_reviewers_agree_by_four_measures() -> None:
    found = between_humans(two_reviewers(), scores(), 50)
    assert len(found.pairs) == 1
    assert found.together == found.pairs[0]
    together = found.pairs[0]
    assert together.reviewers == ("lin", "okafor")
    verdicts = together.humans.verdicts
    assert (verdicts.observed.value, verdicts.observed.n) == (0.7, 10)
    assert verdicts.kappa.value == pytest.approx(0.31 / 0.61)  # by chance (25 + 12 + 2) / 100
    assert verdicts.ac1.value == pytest.approx((0.7 - 0.3025) / (1 - 0.3025))  # ½ · (.5·.5 + .35·.65 + .15·.85)
    assert verdicts.alpha.value == pytest.approx(1 - 0.3 / (1 - (90 + 42 + 6) / 380))
    assert verdicts.alpha.n == 10
    assert verdicts.percent_agreement.value == 0.7
    assert verdicts.fleiss_kappa.value == pytest.approx(0.305 / 0.605)  # Scott's pi: .5² + .35² + .15² by chance
    assert together.judge.verdicts.observed.value == 10 / 20  # right: five of lin's, five of okafor's
    assert together.judge.verdicts.observed.n == 20
    severities = together.humans.severities
    assert (severities.observed.value, severities.observed.n) == (1.0, 4)


def test_two_reviewers_scores_by_three_measures() -> None:
    humans = between_humans(two_reviewers(), scores(), 50).pairs[0].humans.scores
    assert (humans.mean_absolute_difference.value, humans.mean_absolute_difference.n) == (pytest.approx(25 / 3), 3)
    assert humans.pearson.value == pytest.approx(600 / (1400 / 3 * 950) ** 0.5)
    assert humans.kendall_tau_b.value == pytest.approx(1 / 3)
    judge = between_humans(two_reviewers(), scores(), 50).pairs[0].judge.scores
    assert judge.mean_absolute_difference.value == pytest.approx((10 + 15 + 5 + 20 + 25 + 10) / 6)
    assert judge.mean_absolute_difference.n == 6


def test_who_shares_nothing_is_not_compared() -> None:
    table = two_reviewers()
    one = between_humans(table.only(lambda name: name == "lin"), [], 20)
    assert (one.together, one.pairs, one.why) == (None, (), NOBODY)
    again = within_reviewers(table, scores(), [("okafor", "lin"), ("lin", "nobody")], 20)
    assert [pair.reviewers for pair in again] == [("okafor", "lin")]


def test_what_one_reviewer_alone_finished_is_no_agreement_and_a_score_of_0_is_one() -> None:
    documents = scores()
    nothing = Score(0, 0, 0)
    alone = replace(documents[0], evaluation="e9", human=Score(60, 20, 20))
    zero = [
        replace(each, evaluation="e8", human=nothing, judge=Score(7, 0, 0)) for each in (documents[0], documents[3])
    ]
    other = replace(documents[0], reviewer="zoe", evaluation="e7")
    found = between_humans(two_reviewers(), [other, *zero, alone, *documents], 50)
    assert [pair.reviewers for pair in found.pairs] == [("lin", "okafor")]
    humans, judge = found.pairs[0].humans.scores, found.pairs[0].judge.scores
    assert (humans.mean_absolute_difference.value, humans.mean_absolute_difference.n) == (pytest.approx(25 / 4), 4)
    assert (judge.mean_absolute_difference.value, judge.mean_absolute_difference.n) == (pytest.approx(99 / 8), 8)
    assert judge.mean_absolute_difference.interval is not None
    assert judge.mean_absolute_difference.interval.clusters == 3


def test_levels_that_both_gave_and_why_there_are_none() -> None:
    def rows(severities: list[tuple[Any, Any]]) -> list[ReviewedFinding]:
        of = [getattr(ROWS["a1"], field) for field in ReviewedRow.__slots__ if field not in ("blind", "reviewer")]
        return [
            ReviewedFinding(*of, name, *kind("override", human_severity=severity), finding=number)
            for number, pair in enumerate(severities)
            for name, severity in zip(("lin", "okafor"), pair, strict=True)
        ]

    levels: list[tuple[Any, Any]] = [("major", "major"), ("major", "critical"), ("critical", "extremely_critical")]
    found = between_humans(
        FindingTable.of(rows([*levels, ("extremely_critical", "extremely_critical")])), [], 20
    ).pairs[0]
    severities = found.humans.severities
    assert (severities.observed.value, severities.observed.n) == (2 / 4, 4)
    # Ranks of major 2 (three of them), critical 4.5 (two), extremely critical 7 (three), as places in between.
    assert severities.alpha.value == pytest.approx(1 - 7 * 2 * (2.5**2 + 2.5**2) / (2 * (6 * 6.25 + 9 * 25 + 6 * 6.25)))
    # The judge said major of all: so did two of lin's four and one of okafor's.
    assert (found.judge.severities.observed.value, found.judge.severities.observed.n) == (3 / 8, 8)
    nobody = between_humans(FindingTable.of(rows([("minor", "violated")])), [], 20).pairs[0].humans
    assert nobody.severities.observed.why == NO_LEVEL
    assert nobody.verdicts.observed.value == 1
    assert nobody.verdicts.kappa.why == NO_VARIATION
    assert nobody.scores.mean_absolute_difference.why == NO_DOCUMENT


def test_of_three_reviewers_kappa_is_of_the_pairs() -> None:
    table = two_reviewers()
    third = [
        ReviewedFinding(
            *(
                getattr(replace(table.reviews[review], reviewer="zoe"), f)
                for f in ReviewedRow.__slots__
                if f != "blind"
            ),
            *table.kinds[k],
            finding=number,
        )
        for review, k, number in zip(table.review, table.kind, table.finding, strict=True)
        if table.reviews[review].reviewer == "lin"
    ]
    first = [
        ReviewedFinding(
            *(getattr(table.reviews[review], f) for f in ReviewedRow.__slots__ if f != "blind"),
            *table.kinds[k],
            finding=number,
        )
        for review, k, number in zip(table.review, table.kind, table.finding, strict=True)
    ]
    found = between_humans(FindingTable.of([*first, *third]), [], 20)
    assert [pair.reviewers for pair in found.pairs] == [("lin", "okafor"), ("lin", "zoe"), ("okafor", "zoe")]
    assert found.together is not None
    verdicts = found.together.humans.verdicts
    assert (verdicts.observed.value, verdicts.observed.n) == (pytest.approx(24 / 30), 30)
    assert (verdicts.kappa.value, verdicts.kappa.why, verdicts.alpha.n) == (None, TWO_ONLY, 10)
    assert (verdicts.percent_agreement.value, verdicts.percent_agreement.n) == (pytest.approx(0.8), 10)
    by_chance = (15**2 + 11**2 + 4**2) / 900  # of 30 verdicts 15 agree, 11 are no error, 4 duplicates
    assert verdicts.fleiss_kappa.value == pytest.approx((0.8 - by_chance) / (1 - by_chance))
    assert (verdicts.ac1.value, verdicts.ac1.n) == (pytest.approx(451 / 631), 10)  # by chance ½ · (1 - 362 / 900)
    assert verdicts.ac1.interval is not None
    assert (verdicts.ac2.value, verdicts.ac2.why) == (None, NO_ORDER)
    severities = found.together.humans.severities
    assert (severities.ac2.value, severities.ac2.n, severities.fleiss_kappa.why) == (1.0, 5, NO_VARIATION)


def test_the_judges_scores_against_the_reviewers() -> None:
    found = judge_scores.compare(scores(), 20)["total"]
    every = found["all"]
    assert every.mean_difference.value == pytest.approx((-10 + 15 + 5 - 20 + 25 + 10) / 6)
    assert every.mean_absolute_difference.value == pytest.approx(85 / 6)
    assert every.pearson.n == 6
    fluency = judge_scores.compare(scores(), 20)["fluency"]["all"]
    assert fluency.mean_difference.value == 5
    assert fluency.pearson.why == "all scores of the judge are equal"
    assert (
        judge_scores.compare(scores(), 20)["appropriateness"]["all"].mean_difference.why
        == "no document has been reviewed"
    )
    assert found["articles"].mean_difference.groups == (3, 3)
    assert found["systems"].pearson.groups == (1, 1)
    assert (
        found["articles"].pearson.why
        == "none of the articles has two documents whose scores differ for judge and reviewer"
    )
    assert judge_scores.compare(scores()[:1], 20)["total"]["all"].pearson.why == "one document only"


def test_a_side_whose_scores_are_all_equal_is_named() -> None:
    flat = [replace(each, human=Score(40, 10, 10)) for each in scores()]
    found = judge_scores.compare(flat, 20)["total"]["all"]
    assert found.pearson.why == "all scores of the reviewers are equal"
    assert found.mean_difference.value == pytest.approx((70 + 75 + 95) / 3 - 60)
    assert judge_scores.compare(scores()[:2], 20)["total"]["all"].pearson.value == pytest.approx(-1)


def test_the_mean_over_articles_is_of_those_in_which_a_figure_is_defined() -> None:
    """In a0 and a1 the judge rises with the reviewer and falls against them; in a2 it says the same of both."""
    of = {"a0": ((50, 60), (40, 50)), "a1": ((50, 60), (50, 30)), "a2": ((70, 70), (50, 60))}
    rows = [
        replace(
            scores()[0],
            article=article,
            evaluation=f"{article}-{k}",
            judge=Score(j - 20, 10, 10),
            human=Score(h - 20, 10, 10),
        )
        for article, (judge, human) in of.items()
        for k, (j, h) in enumerate(zip(judge, human, strict=True))
    ]
    found = judge_scores.compare(rows, 50)["total"]["articles"]
    assert (found.pearson.value, found.pearson.groups) == (0, (2, 3))
    assert found.pearson.interval is not None
    assert (found.pearson.interval.ends, found.pearson.interval.clusters) == (None, 2)
    assert found.mean_difference.value == pytest.approx((10 + 15 + 15) / 3)
    assert found.mean_absolute_difference.value == pytest.approx((10 + 15 + 15) / 3)


# Spans


def span(start: int, end: int, severity: str = "major", side: Any = "translation") -> ErrorSpan:
    return ErrorSpan(side, start, end, severity)


@pytest.mark.parametrize(
    ("gold", "predicted", "credit", "found", "recalled"),
    [
        ([span(0, 4)], [span(0, 4)], "exact", 1, 1),
        ([span(0, 4)], [span(0, 5)], "exact", 0, 0),
        ([span(0, 4)], [span(1, 4)], "exact", 0, 0),
        ([span(0, 4)], [span(0, 4, "minor")], "exact", 0.5, 0.5),
        ([span(0, 4)], [span(3, 9)], "overlap", 1, 1),
        ([span(0, 4)], [span(4, 9)], "overlap", 0, 0),
        ([span(0, 4)], [span(0, 4, side="source")], "overlap", 0, 0),
        ([span(0, 4)], [span(2, 10)], "partial", 2 / 8, 2 / 4),
        ([span(0, 4)], [span(2, 10, "minor")], "partial", 1 / 8, 1 / 4),
        ([span(3, 3)], [span(3, 3)], "partial", 1, 1),
        ([span(3, 3)], [span(2, 5)], "partial", 0, 0),
        ([span(3, 3)], [span(4, 4)], "exact", 0, 0),
        ([span(0, 4), span(4, 8)], [span(0, 8)], "partial", 4 / 8, 4 / 4),
        ([span(0, 10), span(8, 12)], [span(0, 10), span(9, 12)], "partial", 2, 1 + 3 / 4),
        ([], [span(0, 4)], "partial", 0, 0),
    ],
)
def test_spans_match_one_to_one(
    gold: list[ErrorSpan], predicted: list[ErrorSpan], credit: Any, found: float, recalled: float
) -> None:
    assert span_match(gold, predicted, credit) == Overlap(
        found=found, recalled=recalled, predicted=len(predicted), gold=len(gold), documents=1, empty=0
    )


def test_sums_of_documents() -> None:
    one, other = (
        Overlap(found=1, recalled=2, predicted=4, gold=3, documents=1, empty=0),
        Overlap(found=1.5, recalled=0.5, predicted=1, gold=2, documents=2, empty=1),
    )
    both = total([one, other])
    assert both == Overlap(found=2.5, recalled=2.5, predicted=5, gold=5, documents=3, empty=1)
    assert (one.precision.value, one.precision.n, one.recall.value, one.recall.n) == (1 / 4, 4, 2 / 3, 3)
    assert (one.f1.value, one.f1.n) == (pytest.approx(2 * (1 / 4) * (2 / 3) / (1 / 4 + 2 / 3)), 7)
    assert (
        Overlap(found=0, recalled=0, predicted=2, gold=0).f1.value
        == Overlap(found=0, recalled=0, predicted=0, gold=2).f1.value
        == Overlap(found=0, recalled=0, predicted=2, gold=2).f1.value
        == 0
    )
    assert Overlap().f1.value is Overlap().precision.value is None
    assert span_match([], []).empty == char_f1([], []).empty == 1


@pytest.mark.parametrize(
    ("gold", "predicted", "counting", "both", "n_predicted", "n_gold"),
    [
        ([span(0, 4)], [span(2, 8)], "wmt25", 2, 6, 4),
        ([span(0, 4)], [span(2, 8, "minor")], "wmt25", 1, 6, 4),
        ([span(0, 4), span(0, 4)], [span(2, 8)], "wmt25", 2, 6, 8),
        ([span(0, 4), span(0, 4)], [span(2, 8)], "wmt23", 2, 6, 4),
        ([span(0, 4), span(0, 4, "minor")], [span(0, 4), span(0, 4, "critical")], "wmt25", 6, 8, 8),
        ([span(0, 4), span(0, 4, "minor")], [span(0, 4), span(0, 4, "critical")], "wmt23", 4, 4, 4),
        ([span(0, 4, "minor")], [span(0, 4)], "wmt23", 2, 4, 4),
        ([span(0, 4)], [span(0, 4, side="source")], "wmt25", 0, 4, 4),
        ([span(2, 2)], [span(2, 2)], "wmt25", 0, 0, 0),
        ([], [span(0, 4)], "wmt25", 0, 4, 0),
        ([span(0, 4)], [], "wmt23", 0, 0, 4),
    ],
)
def test_characters_that_both_mark(
    gold: list[ErrorSpan], predicted: list[ErrorSpan], counting: Any, both: float, n_predicted: int, n_gold: int
) -> None:
    assert char_f1(gold, predicted, counting) == Overlap(
        found=both, recalled=both, predicted=n_predicted, gold=n_gold, documents=1, empty=0
    )


def places(*spans: tuple[str, int, int]) -> tuple[Place, ...]:
    return tuple(Place(*each) for each in spans)  # type: ignore[arg-type]


def test_how_far_errors_overlap() -> None:
    errors = [
        places(("translation", 0, 4)),
        places(("translation", 2, 8)),
        places(("translation", 4, 6), ("source", 0, 2)),
        places(("source", 1, 3), ("source", 2, 5)),
        places(("source", 2, 5)),
    ]
    assert overlaps(errors) == {
        (0, 1): 2 * 2 / 10,
        (1, 2): 2 * 2 / 8,
        (2, 3): 2 * 1 / 6,
        (3, 4): 2 * 3 / 7,
    }


def test_errors_are_matched_by_overlap_and_then_by_dimension() -> None:
    first: Any = [(places(("translation", 0, 4)), "accuracy"), (places(("translation", 6, 9)), None)]
    second: Any = [
        (places(("translation", 0, 4)), "fluency"),
        (places(("translation", 0, 4)), "accuracy"),
        (places(("source", 6, 9)), None),
    ]
    assert match_errors(first, second) == [Pair(0, 1, 1.0)]
    assert match_errors(first[:1], [*second[:1], (places(("translation", 0, 3)), "accuracy")]) == [Pair(0, 0, 1.0)]


def test_the_best_of_all_assignments() -> None:
    assert assign_few({(0, 0): 5, (0, 1): 4, (1, 0): 4}) == [(0, 1), (1, 0)]
    assert assign_few({(0, 0): 9, (0, 1): 4, (1, 0): 4}) == [(0, 0)]
    assert assign_few({(0, 0): 2, (0, 1): 2.5, (1, 1): 1, (7, 9): 3}) == [(0, 0), (1, 1), (7, 9)]
    assert assign_few({}) == []
