"""Pairwise figures by hand, of tables in which no two readings coincide.

The directions have other systems and other numbers of articles, and a system that one direction lacks.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.meta_eval.pair_counts import (
    FOLDS,
    NO_ORDER,
    NO_ORDERS,
    NO_PAIR,
    TOO_FEW_TO_HOLD_OUT,
    PairCounts,
    all_pairs,
    calibrate,
    hold_out,
    pair_scores,
    tally,
    terms,
)
from judges.meta_eval.pairwise import (
    EPSILON_HELD,
    EPSILONS_HELD,
    PairwiseReport,
    averaged_directions,
    mean_of_cells,
    pairwise,
    pairwise_by,
)
from judges.meta_eval.score_table import ScoreRow, sheets
from judges.stats.figure import Interval
from judges.stats.intervals import (
    BOOTSTRAP,
    EVERY_RESAMPLE,
    NO_WIDTH,
    WILSON,
    Bootstrap,
    expanded,
    from_draws,
    no_width,
    wilson,
)
from judges.stats.numerics import MICRO
from judges.stats.resampling import NEVER_VARIES, TOO_FEW, resampled_sums

COUNTS = PairCounts(7, 5, 3, 2, 4)


def test_five_counts_make_five_figures() -> None:
    assert (COUNTS.n, COUNTS.each) == (21, (7, 5, 3, 2, 4))
    figures = {rule: COUNTS.rule(rule) for rule in ("acc_eq", "c_index", "drop_human_ties", "drop_all_ties", "half")}  # type: ignore[arg-type]
    assert {rule: (figure.value, figure.n) for rule, figure in figures.items()} == {
        "acc_eq": (11 / 21, 21),
        "c_index": (8 / 14, 14),
        "drop_human_ties": (7 / 14, 14),
        "drop_all_ties": (7 / 12, 12),
        "half": (13.5 / 21, 21),
    }
    assert terms("half", 7, 5, 3, 2, 4) == (13.5, 21)


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        (PairCounts(), dict.fromkeys(("acc_eq", "half", "c_index", "drop_human_ties", "drop_all_ties"), NO_PAIR)),
        (
            PairCounts(tied_human=2, tied_both=1),
            {"acc_eq": "", "half": "", "c_index": NO_ORDER, "drop_human_ties": NO_ORDER, "drop_all_ties": NO_ORDERS},
        ),
        (PairCounts(tied_metric=2), {"acc_eq": "", "c_index": "", "drop_human_ties": "", "drop_all_ties": NO_ORDERS}),
    ],
)
def test_a_figure_of_nothing_says_why(counts: PairCounts, why: dict[Any, str]) -> None:
    assert {rule: counts.rule(rule).why for rule in why} == why
    assert all((counts.rule(rule).value is None) == bool(each) for rule, each in why.items())


def plain(human: Any, metric: Any, pairs: Any, epsilon: float) -> tuple[int, ...]:
    found: Counter[str] = Counter()
    for i, j in pairs:
        h, m = human[i] - human[j], metric[i] - metric[j]
        if np.isnan(h) or np.isnan(m):
            continue
        m = 0 if abs(m) <= epsilon else m
        found[
            "both" if h == m == 0 else "h" if h == 0 else "m" if m == 0 else "con" if (h > 0) == (m > 0) else "dis"
        ] += 1
    return tuple(found[name] for name in ("con", "dis", "h", "m", "both"))


@pytest.mark.parametrize("seed", range(12))
def test_pairs_are_counted_in_every_kind_of_number(seed: int) -> None:
    chance = np.random.default_rng(seed)
    human, metric = chance.integers(0, 6, (2, 7, 3)).astype(float)
    if seed % 3 == 1:
        human[chance.random((7, 3)) < 0.3] = np.nan
    if seed % 3 == 2:
        metric *= 2.0**30
    if seed % 4 == 3:
        metric[chance.random((7, 3)) < 0.3] = np.nan
    unit = 2.0**30 if seed % 3 == 2 else 1.0
    i, j = all_pairs(7)
    some = chance.random(len(i)) < 0.5
    for pairs in (None, (i[some], j[some])):
        asked = combinations(range(7), 2) if pairs is None else zip(*pairs, strict=True)
        asked = list(asked)
        for epsilon in (0.0, unit, 2 * unit):
            found = tally(human, metric, pairs, epsilon)
            assert [tuple(map(int, column)) for column in found.T] == [
                plain(human[:, k], metric[:, k], asked, epsilon) for k in range(3)
            ]


def test_many_columns_are_counted_in_parts_that_add_up() -> None:
    chance = np.random.default_rng(1)
    human, metric = chance.integers(0, 4, (2, 5, 6000)).astype(float)
    found = tally(human, metric)
    assert found.shape == (5, 6000)
    pairs = list(combinations(range(5), 2))
    assert [tuple(found[:, k]) for k in (0, 777, 5999)] == [
        plain(human[:, k], metric[:, k], pairs, 0) for k in (0, 777, 5999)
    ]
    assert found.sum() == 60_000


def test_the_best_epsilon_by_hand() -> None:
    """Human ties A and B, which the metric has 1 apart; C and D are 2 apart, E is right by 9 and more."""
    human, metric = [1, 1, 5, 6, 20], [1, 2, 11, 13, 30]
    best = calibrate(pair_scores(human), pair_scores(metric))
    assert (best.figure.value, best.figure.n, best.epsilon) == (1.0, 10, 1.0)
    best = calibrate(pair_scores([1, 1, 5]), pair_scores([1, 4, 3]))  # ε 3 would gain one pair and lose two
    assert (best.figure.value, best.epsilon) == (1 / 3, 0.0)
    best = calibrate(pair_scores([1, 1, 5]), pair_scores([1, 2, 3]))  # ε 1 gains one and loses one
    assert (best.figure.value, best.epsilon) == (2 / 3, 0.0)
    best = calibrate(pair_scores([3, 3]), pair_scores([4, 4]))
    assert (best.figure.value, best.epsilon) == (1.0, 0.0)
    best = calibrate(pair_scores([1, None]), pair_scores([1, 2]))
    assert (best.figure.value, best.figure.why, best.epsilon) == (None, NO_PAIR, None)


# A report

SYSTEMS = {"zh-en": "ABC", "en-zh": "BCDE"}
ARTICLES = {"zh-en": 12, "en-zh": 3}


def table() -> dict[tuple[str, str, str], tuple[float, float]]:
    """(direction, article, system) → (human, metric), with holes."""
    chance = random.Random(3)
    found = {
        (direction, f"{a:02}", system): (float(chance.randint(0, 5)), float(chance.randint(0, 5)))
        for direction, systems in SYSTEMS.items()
        for a in range(ARTICLES[direction])
        for system in systems
    }
    for hole in [("zh-en", "00", "A"), ("zh-en", "00", "B"), ("zh-en", "05", "C"), ("en-zh", "01", "D")]:
        del found[hole]
    return found


TABLE = table()
ROWS = [
    ScoreRow("m" if k else "ann", system, article, direction, both[k], human=not k)
    for (direction, article, system), both in TABLE.items()
    for k in (0, 1)
]


def counted(direction: str, level: str, only: str | None = None) -> tuple[int, ...]:
    """Plain counts of the pairs of one cell, or of those that one system is in."""
    of = {(a, s): both for (d, a, s), both in TABLE.items() if d == direction}
    systems = SYSTEMS[direction]
    pairs = [(i, j) for i, j in combinations(range(len(systems)), 2) if only in (None, systems[i], systems[j])]
    if level == "segment":
        columns = [[of.get((f"{a:02}", s), (np.nan, np.nan)) for s in systems] for a in range(ARTICLES[direction])]
    else:
        own = [[both for (_, each), both in of.items() if each == s] for s in systems]
        columns = [[(sum(h for h, _ in each) / len(each), sum(m for _, m in each) / len(each)) for each in own]]
    counts = [plain([h for h, _ in column], [m for _, m in column], pairs, 0) for column in columns]
    return tuple(map(sum, zip(*counts, strict=True)))


@pytest.fixture(scope="module")
def report() -> PairwiseReport:
    return pairwise(ROWS, 200)


@pytest.fixture(scope="module")
def by_system() -> dict[str, PairwiseReport]:
    return pairwise_by("system", ROWS, 60)


@pytest.mark.parametrize("direction", ["zh-en", "en-zh"])
@pytest.mark.parametrize("level", ["system", "segment"])
def test_a_cell_holds_the_pairs_of_its_own_systems(
    report: PairwiseReport, by_system: dict[str, PairwiseReport], direction: str, level: Any
) -> None:
    assert report.cells["m", level, direction].counts.each == counted(direction, level)
    assert list(by_system) == list("ABCDE")
    for system, own in by_system.items():
        expected = counted(direction, level, system)
        assert own.cells["m", level, direction].counts.each == expected
        assert (sum(expected) == 0) == (system not in SYSTEMS[direction])


def test_a_system_that_a_direction_lacks_has_no_figure_there_and_no_mean(by_system: dict[str, PairwiseReport]) -> None:
    alone = by_system["A"]
    assert alone.cells["m", "segment", "zh-en"].figures["acc_eq"].value is not None
    assert alone.cells["m", "segment", "en-zh"].figures["acc_eq"].why == NO_PAIR
    assert alone.average["m"].value is None
    assert alone.average["m"].why == f"undefined without system en-zh ({NO_PAIR}), segment en-zh ({NO_PAIR})"
    assert by_system["B"].average["m"].value is not None


def test_what_a_cell_says_of_its_data(report: PairwiseReport) -> None:
    cells = report.cells
    assert {key[1:]: (cell.articles, cell.systems) for key, cell in cells.items()} == {
        ("system", "zh-en"): (12, 3),
        ("segment", "zh-en"): (11, 3),  # the first article has one system alone
        ("system", "en-zh"): (3, 4),
        ("segment", "en-zh"): (3, 4),
    }
    assert cells["m", "segment", "zh-en"].left_out["articles without a pair of systems"] == 1
    assert "articles without a pair of systems" not in cells["m", "system", "zh-en"].left_out
    for cell in cells.values():
        for rule, figure in cell.figures.items():
            assert figure.value == cell.counts.rule(rule).value
            assert figure.interval is not None
            assert figure.interval.clusters == cell.articles
            assert cell.wilson[rule] == wilson(figure.value, figure.n)
        assert (cell.spa is None) == (cell.level == "segment")


def test_the_mean_is_of_the_four_cells_and_as_sure_as_the_fewest_articles(report: PairwiseReport) -> None:
    for rule in ("acc_eq", "c_index", "half"):
        figures = [cell.figures[rule] for cell in report.cells.values()]  # type: ignore[index]
        average = report.averages["m"][rule]  # type: ignore[index]
        assert average.value == pytest.approx(sum(figure.value or 0 for figure in figures) / 4)
        assert average.n == sum(figure.n for figure in figures)
        assert average.interval is not None
        assert average.interval.clusters == 3
        assert (average.interval.ends, average.interval.why) == (None, TOO_FEW)


def test_a_mean_of_other_directions_is_of_these(report: PairwiseReport) -> None:
    rows = [ScoreRow(r.metric, r.system, r.article, "zh-ja", r.score, r.human) for r in ROWS if r.direction == "en-zh"]
    three = pairwise([*ROWS, *rows], 20, soft=False)
    assert three.averaged == ("zh-en", "en-zh")
    assert three.average["m"].value == report.average["m"].value
    two = pairwise([*(r for r in ROWS if r.direction == "zh-en"), *rows], 20, soft=False)
    assert two.averaged == ("zh-en", "zh-ja")
    one = pairwise(rows, 20, soft=False)
    assert one.averaged == ("zh-ja",)
    cells = [cell.figures["acc_eq"].value or 0 for cell in one.cells.values()]
    assert one.average["m"].value == pytest.approx(sum(cells) / 2)


@pytest.mark.parametrize(
    ("present", "averaged"),
    [
        (["zh-en", "en-zh"], ("zh-en", "en-zh")),
        (["zh-en"], ("zh-en", "en-zh")),
        ([], ("zh-en", "en-zh")),
        (["zh-en", "en-zh", "ja-zh"], ("zh-en", "en-zh")),
        (["zh-en", "ja-zh"], ("ja-zh", "zh-en")),
        (["ja-zh", "de-en"], ("de-en", "ja-zh")),
    ],
)
def test_the_directions_of_the_mean(present: list[str], averaged: tuple[str, ...]) -> None:
    assert averaged_directions(present) == averaged


def test_domains_are_reported_apart() -> None:
    rows = [
        ScoreRow(r.metric, r.system, r.article, r.direction, r.score, r.human, "law" if r.article < "04" else "news")
        for r in ROWS
    ]
    reports = pairwise_by("domain", rows, 5)
    assert list(reports) == ["law", "news"]
    cells = {domain: found.cells for domain, found in reports.items()}
    assert ("m", "segment", "en-zh") not in cells["news"]
    assert reports["news"].averaged == ("zh-en", "en-zh")
    assert sum(found["m", "segment", "zh-en"].articles for found in cells.values()) == 11


def test_two_raters_and_two_rows_of_a_metric_are_means() -> None:
    rows = [
        ScoreRow("ann", "A", "1", "zh-en", 1, human=True),
        ScoreRow("ben", "A", "1", "zh-en", 4, human=True),
        ScoreRow("ann", "B", "1", "zh-en", 3, human=True),
        ScoreRow("m", "A", "1", "zh-en", 1, human=False),
        ScoreRow("m", "A", "1", "zh-en", 2, human=False),
        ScoreRow("m", "B", "2", "zh-en", 1e71, human=False),
        ScoreRow("m", "B", "1", "zh-en", 9, human=False),
    ]
    sheet = sheets(rows)["zh-en"]
    assert sheet.human[:, 0].tolist() == [2.5, 3]
    assert sheet.metrics["m"][:, 0].tolist() == [1.5, 9]
    assert np.isnan(sheet.metrics["m"][:, 1]).all()
    assert (sheet.systems, sheet.articles, sheet.raters) == (("A", "B"), ("1", "2"), ("ann", "ben"))
    assert sheet.rated_by_several == 1


def test_directions_systems_articles_and_metrics_are_in_the_order_of_their_names() -> None:
    rows = [
        ScoreRow(name, system, article, direction, 1e69, human=name == "ann")
        for direction in ("zh-en", "en-zh")
        for name in ("n", "m", "ann")
        for system in "CAB"
        for article in "21"
    ]
    found = sheets(rows)
    assert list(found) == ["en-zh", "zh-en"]
    sheet = found["zh-en"]
    assert (sheet.systems, sheet.articles, list(sheet.metrics)) == (("A", "B", "C"), ("1", "2"), ["m", "n"])
    assert np.isfinite(sheet.human).all()
    assert list(dict.fromkeys(metric for metric, *_ in pairwise(rows, 5, soft=False).cells)) == ["m", "n"]


def test_a_system_without_a_score_by_both_is_not_among_those_of_the_cell() -> None:
    alone = ScoreRow("m", "Z", "03", "zh-en", 1.0, human=False)
    unscored = ScoreRow("ann", "Y", "03", "zh-en", 1.0, human=True)
    report = pairwise([*ROWS, alone, unscored, unscored], 5, soft=False)
    cell = report.cells["m", "segment", "zh-en"]
    assert (cell.systems, cell.articles) == (3, 11)
    assert cell.left_out["translations without a human score"] == 1
    assert cell.left_out["translations without a score by the metric"] == 1


def test_the_mean_can_be_asked_of_other_directions() -> None:
    rows = [row for row in ROWS if row.direction == "zh-en"]
    assert pairwise(rows, 5, soft=False, averaged=["zh-en"]).average["m"].value is not None
    assert pairwise(rows, 5, soft=False).average["m"].value is None


def tied_by_people(apart: list[float]) -> list[ScoreRow]:
    """Two systems that humans tie in each article, and a metric that has them so far apart there."""
    return [
        ScoreRow(name, system, str(a), "zh-en", score, human=name == "ann")
        for a, d in enumerate(apart)
        for name, system, score in (("ann", "A", 1.0), ("ann", "B", 1.0), ("m", "A", 0.0), ("m", "B", d))
    ]


def test_epsilon_is_held_out_by_article() -> None:
    """Each of five articles is a part: only the one with the largest difference has an ε, 4, that is too small."""
    cells = pairwise(tied_by_people([1, 2, 5, 3, 4]), 50, soft=False).cells
    cell = cells["m", "segment", "zh-en"]
    assert (cell.calibrated.figure.value, cell.calibrated.epsilon) == (1.0, 5.0)
    assert cell.held_out is not None
    assert (cell.held_out.figure.value, cell.held_out.figure.n) == (0.8, 5)
    assert sorted(cell.held_out.epsilons) == [4, 5, 5, 5, 5]
    assert cell.held_out.figure.interval is not None
    assert cell.held_out.figure.interval.method == EPSILONS_HELD
    assert cell.held_out.figure.interval.ends == cell_of_share([1, 1, 0, 1, 1], 50)
    assert cells["m", "system", "zh-en"].held_out is None


def cell_of_share(right: list[int], resamples: int) -> Any:
    draws = resampled_sums(np.array([right, [1] * len(right)], dtype=float).T, resamples, [1, zlib.crc32(b"zh-en")])
    return expanded(draws[:, 0] / draws[:, 1], len(right), 1).ends


def test_too_few_articles_to_hold_any_out() -> None:
    rows = [*tied_by_people([1, 2, 3, 4]), ScoreRow("ann", "A", "5", "zh-en", 1, True), ScoreRow("m", "A", "5", "zh-en", 1, False)]  # fmt: skip
    held_out = pairwise(rows, 20, soft=False).cells["m", "segment", "zh-en"].held_out
    assert held_out is not None
    assert (held_out.figure.value, held_out.figure.why, held_out.epsilons) == (None, TOO_FEW_TO_HOLD_OUT, ())
    alone = pairwise([row for row in rows if row.system == "A"], 20, soft=False).cells["m", "segment", "zh-en"]
    assert alone.held_out is not None
    assert alone.held_out.figure.why == NO_PAIR


@given(st.integers(2, 4), st.integers(5, 13), st.integers(0, 9), st.data())
def test_no_pair_is_judged_by_an_epsilon_chosen_on_it(systems: int, articles: int, seed: int, data: st.DataObject) -> None:  # fmt: skip
    """Every part is calibrated by trying each difference of the others, over the parts as they are dealt."""
    of = st.lists(st.one_of(st.integers(0, 5).map(float), st.just(float("nan"))), min_size=systems, max_size=systems)
    human, metric = (np.array([data.draw(of) for _ in range(articles)]).T * MICRO for _ in range(2))
    held_out, tallies = hold_out(human, metric, seed=seed)

    def pairs_in(columns: list[int]) -> list[tuple[float, float]]:
        found = []
        for a in columns:
            for i, j in combinations(range(systems), 2):
                h, m = human[i, a] - human[j, a], metric[i, a] - metric[j, a]
                if np.isfinite(h) and np.isfinite(m):
                    found.append((h, m))
        return found

    def right(pairs: list[tuple[float, float]], epsilon: float) -> int:
        return sum(np.sign(h) == (0 if abs(m) <= epsilon else np.sign(m)) for h, m in pairs)

    paired = [a for a in range(articles) if pairs_in([a])]
    if len(paired) < FOLDS:
        assert held_out.figure.value is None
        return
    dealt = np.random.default_rng(seed).permutation(paired).tolist()
    expected = 0
    for part in range(FOLDS):
        others = pairs_in([a for at, a in enumerate(dealt) if at % FOLDS != part])
        tried = sorted({0.0, *(abs(m) for _, m in others)})
        best = max(tried, key=lambda each: (right(others, each), -each))
        assert held_out.epsilons[part] * MICRO == best
        expected += right(pairs_in(dealt[part::FOLDS]), best)
    every = pairs_in(paired)
    assert held_out.figure.n == len(every) == tallies.sum()
    assert held_out.figure.value == expected / len(every)


def test_an_epsilon_is_held_in_every_resample() -> None:
    """Humans tie A and B, whom the metric has 1 apart; so every resample is perfect with ε 1, and none without."""
    scores = {"A": (1.0, 1.0), "B": (1.0, 2.0), "C": (5.0, 9.0)}
    rows = [
        ScoreRow("m" if k else "ann", system, str(a), "zh-en", both[k], human=not k)
        for system, both in scores.items()
        for a in range(12)
        for k in (0, 1)
    ]
    for cell in pairwise(rows, 20, soft=False).cells.values():
        assert (cell.calibrated.epsilon, cell.calibrated.figure.value) == (1.0, 1.0)
        assert cell.calibrated.figure.interval is not None
        assert cell.calibrated.figure.interval.ends == (1.0, 1.0)
        assert cell.calibrated.figure.interval.method == EPSILON_HELD
        assert cell.figures["acc_eq"].value == 2 / 3
    undefined = pairwise([row for row in rows if row.system == "A"], 20, soft=False)
    for cell in undefined.cells.values():
        assert cell.calibrated.figure.interval is not None
        assert cell.calibrated.figure.interval.method == EPSILON_HELD
        assert cell.figures["acc_eq"].interval is not None
        assert cell.figures["acc_eq"].interval.method == BOOTSTRAP


# Intervals


def test_nine_articles_are_few_and_ten_are_not() -> None:
    draws = np.arange(81.0)
    assert expanded(draws, 9, 1).warning == "9 articles: a rough guess"
    assert expanded(draws, 10, 1).warning == ""


def test_of_fewer_than_five_articles_there_is_no_interval() -> None:
    draws = np.arange(2001.0)
    for articles in (1, 2, 3, 4):
        assert (expanded(draws, articles, 1).ends, expanded(draws, articles, 1).why) == (None, TOO_FEW)
    # Φ(-√(5/4) · t(.975, 4)) = Φ(-3.1041600) = .00095410055, of 2,000 steps 1.9082011.
    assert expanded(draws, 5, 1).ends == pytest.approx((1.9082011, 2000 - 1.9082011), abs=1e-6)
    assert from_draws(draws, 4, 1).ends == (50, 1950)  # a resampling's own


def test_a_difference_that_never_varies_has_no_interval() -> None:
    never = expanded(np.full(50, 0.25), 12, 1, paired=True)
    assert (never.ends, never.why) == (None, NEVER_VARIES)
    assert expanded(np.full(50, 0.25), 3, 1, paired=True).why == NEVER_VARIES
    assert expanded(np.full(50, 0.25), 12, 1).warning == NO_WIDTH
    assert expanded(np.r_[np.full(50, 0.25), 0.5], 12, 1, paired=True).why == ""


def test_an_interval_says_how_it_came_about() -> None:
    draws = np.array([0.0, 1.0, np.nan, 2.0])
    found = expanded(draws, 12, 7)
    assert (found.method, found.clusters, found.resamples, found.dropped, found.seed) == (BOOTSTRAP, 12, 3, 1, 7)
    every = expanded(draws, 12, None)
    assert (every.method, every.seed) == (EVERY_RESAMPLE, None)
    assert expanded(draws, 12, None, "mine").method == "mine"
    nothing = expanded(np.full(3, np.nan), 12, 7)
    assert (nothing.ends, nothing.why, nothing.resamples, nothing.dropped) == (
        None,
        "undefined in every resample",
        0,
        3,
    )


def test_wilson_by_hand() -> None:
    """Of 3 in 4: (0.75 + z²/8 ± z √(0.75 · 0.25 / 4 + z²/64)) / (1 + z²/4)."""
    z = 1.959963984540054
    middle, half = 0.75 + z * z / 8, z * (0.1875 / 4 + z * z / 64) ** 0.5
    found = wilson(0.75, 4)
    assert found.ends == pytest.approx(((middle - half) / (1 + z * z / 4), (middle + half) / (1 + z * z / 4)))
    assert found.method == WILSON
    assert wilson(0.0, 4).ends == pytest.approx((0, 1 - 1 / (1 + z * z / 4)))
    assert wilson(1.0, 4).ends == pytest.approx((1 / (1 + z * z / 4), 1))
    assert wilson(None, 4).why == wilson(0.5, 0).why == "the figure is undefined"


def test_an_interval_without_width_says_that_this_is_no_certainty() -> None:
    assert no_width(Interval(0.5, 0.5, ""))
    assert not no_width(Interval(0.5, 0.6, ""))
    assert not no_width(Interval(None, None, ""))
    assert not no_width(None)
    rows = [
        ScoreRow(name, system, str(a), "zh-en", float(k), human=name == "ann")
        for a in range(9)
        for k, system in enumerate("AB")
        for name in ("ann", "m")
    ]
    figure = pairwise(rows, 20).cells["m", "segment", "zh-en"].figures["acc_eq"]
    assert figure.interval is not None
    assert figure.interval.warning == f"9 articles: a rough guess; {NO_WIDTH}"


def test_shares_of_sums_by_article() -> None:
    first, second = Bootstrap(200, 1).shares([([1, 2, 0], [2, 2, 0], None), ([1, 1, 1], [3, 3, 3], 7)], ["a", "b"])
    assert (first.value, first.n) == (3 / 4, 4)
    assert first.interval is not None
    assert (first.interval.clusters, first.interval.ends) == (2, (0.5, 1.0))
    assert (second.value, second.n) == (1 / 3, 7)
    assert second.interval is not None
    assert second.interval.clusters == 3
    one, other = Bootstrap(200, 1).shares([([1, 2], [2, 2], None), ([2, 1], [4, 1], None)], ["a", "b"])
    assert one.interval is not None
    assert other.interval is not None
    assert (one.interval.ends, other.interval.ends) == ((0.5, 1.0), (0.5, 1.0))
    assert (one.value, other.value) == (3 / 4, 3 / 5)
    nothing = Bootstrap(200, 1).share([0, 0], [0, 0], "why not")
    assert (nothing.value, nothing.why, nothing.n) == (None, "why not", 0)
    assert nothing.interval is None


def test_a_mean_of_cells_needs_every_cell() -> None:
    wanted: Any = [("system", "zh-en"), ("segment", "zh-en")]
    assert mean_of_cells({wanted[0]: 0.0, wanted[1]: 1.0, ("system", "en-zh"): 9.0}, wanted) == 0.5
    assert mean_of_cells({wanted[0]: 0.5, wanted[1]: None}, wanted) is None
    assert mean_of_cells({wanted[0]: 0.5}, wanted) is None
    assert mean_of_cells({}, []) is None
