"""Pairwise consistency, comparing and planning: worked cases, plain loops with exact fractions, and what may not matter."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from judges.meta_eval.metric_tests import MEASURES, SPREAD, compare_metrics, difference, perm_both, value_of
from judges.meta_eval.pair_counts import RULES, PairCounts, calibrate, count_pairs, pair_scores, tally
from judges.meta_eval.pairwise import DIRECTIONS, LEVELS, mean_of_cells, pairwise, pairwise_by
from judges.meta_eval.sample_size import BEYOND, TOO_LARGE, UNKNOWN_SPREAD, plan, plan_systems
from judges.meta_eval.score_table import ScoreRow, comparable, sheets
from judges.meta_eval.soft_pairwise import confidences, resampled_spa, soft_pairwise_accuracy
from judges.meta_eval.system_tests import compare_systems
from judges.stats.arrays import share
from judges.stats.intervals import FEW, Bootstrap, from_draws, wilson
from judges.stats.resampling import NEVER_VARIES, TOO_FEW, resampled_sums, resampled_weights
from tests.conftest import SHARED

NAN = float("nan")
FOUR_CELLS = list(product(LEVELS, DIRECTIONS))

# Worked cases


def computed_pairwise(given_: dict[str, Any]) -> dict[str, Any]:
    counts = count_pairs(given_["gold"], given_["metric"])
    assert counts == PairCounts.of(tally(pair_scores(given_["gold"]), pair_scores(given_["metric"])))
    return {
        "acc_eq": counts.rule("acc_eq").value,
        "drop_gold_ties": counts.rule("drop_human_ties").value,
        "drop_all_ties": counts.rule("drop_all_ties").value,
        "half": counts.rule("half").value,
        "counts": dict(zip(("con", "dis", "tg", "tm", "both"), counts.each, strict=True)),
    }


def computed_calibrated(given_: dict[str, Any]) -> dict[str, Any]:
    best = calibrate(pair_scores(given_["gold"]), pair_scores(given_["metric"]))
    return {"acc": best.figure.value, "epsilon": best.epsilon}


def computed_average(given_: dict[str, Any]) -> dict[str, Any]:
    names = {(level, direction): f"{level[:3]} {direction}" for level, direction in FOUR_CELLS}
    return {
        metric: mean_of_cells({cell: Fraction(*cells[name]) for cell, name in names.items()}, FOUR_CELLS)
        for metric, cells in given_["cells"].items()
    }


def computed_spa(given_: dict[str, Any]) -> dict[str, Any]:
    gold, metric = np.array(given_["gold"], dtype=float), np.array(given_["metric"], dtype=float)
    (p_gold,), (p_metric,) = confidences(gold, metric)
    return {"p_gold": p_gold, "p_metric": p_metric, "spa": soft_pairwise_accuracy(gold, metric).value}


def computed_bootstrap(given_: dict[str, Any]) -> dict[str, Any]:
    sums = np.array([[sum(doc), len(doc)] for doc in given_["docs"]], dtype=float)
    values = share(*resampled_sums(sums, 2000, 1).T)
    interval = Bootstrap().share(*sums.T, "").interval
    assert interval is not None
    distribution = {
        str(Fraction(value).limit_denominator(100)): n / len(values) for value, n in Counter(values.tolist()).items()
    }
    return {
        "point": sums[:, 0].sum() / sums[:, 1].sum(),
        "ci": list(interval.ends or ()),
        "distribution": distribution,
    }


def computed_perm_both(given_: dict[str, Any]) -> dict[str, Any]:
    human, first, second = (np.array(given_[key], dtype=float)[:, None] for key in ("gold", "metric1", "metric2"))
    found = perm_both(human, first, second, "pearson", "system")
    values = [value_of("pearson", "system", human, each) for each in (first, second)]
    assert None not in values
    return {"delta": values[1] - values[0], "p": found.p}  # type: ignore[operator]


COMPUTED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "pairwise": computed_pairwise,
    "acc_eq_calibrated": computed_calibrated,
    "four_cell_average": computed_average,
    "spa_exact": computed_spa,
    "wilson95": lambda g: {"ci": list(wilson(g["k"] / g["n"], g["n"]).ends or ())},
    "cluster_bootstrap": computed_bootstrap,
    "cluster_bootstrap_exact": computed_bootstrap,
    "perm_both": computed_perm_both,
    "perm_both_exact": computed_perm_both,
}
CASES = SHARED / "cases" / "agreement" / "cases.json"


def worked_cases() -> list[Any]:
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="the worked cases are not on this machine"))]
    cases = json.loads(CASES.read_text("utf-8"))
    return [pytest.param(case, id=case["id"]) for case in cases if case["stat"] in COMPUTED]


@pytest.mark.parametrize("case", worked_cases())
def test_worked_case(case: dict[str, Any]) -> None:
    def check(ours: Any, expected: Any) -> None:
        if isinstance(expected, dict):
            for key, value in expected.items():
                check(ours[key], value)
        elif expected is None:
            assert ours is None
        else:
            ours = [float(each) for each in ours] if isinstance(expected, list) else float(ours)
            assert ours == pytest.approx(expected, abs=1e-9)

    check(COMPUTED[case["stat"]](case["input"]), case["expected"])


# Against plain loops with exact fractions


def plain_counts(pairs: list[tuple[float, float]]) -> PairCounts:
    """Of one item's (human, metric) scores."""
    found: Counter[str] = Counter()
    for (h, m), (g, n) in combinations([(round(h, 6), round(m, 6)) for h, m in pairs], 2):
        if h == g:
            found["tied_both" if m == n else "tied_human"] += 1
        elif m == n:
            found["tied_metric"] += 1
        else:
            found["concordant" if (h < g) == (m < n) else "discordant"] += 1
    return PairCounts(**found)


def plain_rules(c: PairCounts) -> dict[str, Fraction | None]:
    ordered = c.concordant + c.discordant + c.tied_metric
    half = Fraction(1, 2)

    def over(numerator: Any, denominator: int) -> Fraction | None:
        return Fraction(numerator) / denominator if denominator else None

    return {
        "acc_eq": over(c.concordant + c.tied_both, c.n),
        "c_index": over(c.concordant + half * c.tied_metric, ordered),
        "drop_human_ties": over(c.concordant, ordered),
        "drop_all_ties": over(c.concordant, c.concordant + c.discordant),
        "half": over(c.concordant + c.tied_both + half * (c.tied_human + c.tied_metric), c.n),
    }


points = st.one_of(st.integers(0, 4).map(float), st.floats(-100, 100).map(lambda v: round(v, 2)))
one_item = st.lists(st.tuples(points, points), max_size=14)


@given(one_item)
def test_counts_and_rules_are_their_definitions(pairs: list[tuple[float, float]]) -> None:
    human, metric = [h for h, _ in pairs], [m for _, m in pairs]
    plain = plain_counts(pairs)
    counts = PairCounts.of(tally(pair_scores(human), pair_scores(metric)))
    assert counts == count_pairs(human, metric) == plain
    for rule, expected in plain_rules(plain).items():
        figure = counts.rule(rule)  # type: ignore[arg-type]
        assert figure.value == (None if expected is None else pytest.approx(float(expected)))
        assert bool(figure.why) == (expected is None)


@given(one_item)
def test_where_they_coincide_they_are_scipys_tau(pairs: list[tuple[float, float]]) -> None:
    human, metric = [h for h, _ in pairs], [m for _, m in pairs]
    assume(len(set(human)) > 1 and len(set(metric)) > 1)
    tau = stats.kendalltau(human, metric).statistic
    column = np.array(human)[:, None], np.array(metric)[:, None]
    assert value_of("kendall_tau_b", "segment", *column) == pytest.approx(tau, abs=1e-9)
    if len(set(human)) == len(human) and len(set(metric)) == len(metric):
        for rule in RULES:
            assert count_pairs(human, metric).rule(rule).value == pytest.approx((tau + 1) / 2)


@given(st.lists(one_item, max_size=4))
def test_the_best_epsilon_is_found_and_is_the_smallest(items: list[list[tuple[float, float]]]) -> None:
    """One ε over all items: every difference is tried, and nothing between them can be better."""
    size = max(map(len, items), default=0)
    scores = np.full((2, size, len(items)), NAN)
    for column, item in enumerate(items):
        for row, pair in enumerate(item):
            scores[:, row, column] = pair
    found = calibrate(*comparable(scores))
    pairs = [(round(h - g, 6), round(m - n, 6)) for item in items for (h, m), (g, n) in combinations(item, 2)]
    if not pairs:
        assert (found.figure.value, found.epsilon) == (None, None)
        return

    def right(epsilon: float) -> int:
        return sum((h == 0) if abs(m) <= epsilon else h * m > 0 for h, m in pairs)

    candidates = sorted({0.0, *(abs(m) for _, m in pairs)})
    best = max(map(right, candidates))
    assert found.figure.value == best / len(pairs)
    assert found.epsilon == next(each for each in candidates if right(each) == best)
    held = PairCounts.of(tally(*comparable(scores), epsilon=round(found.epsilon * 1e6)))
    assert held.rule("acc_eq").value == found.figure.value


def test_epsilon_is_told_apart_on_whole_numbers() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 are one difference, which floats do not know.
    best = calibrate(pair_scores([1, 1, 1]), pair_scores([0.1, 0.2, 0.3]))
    assert (best.figure.value, best.epsilon) == (1, 0.2)
    best = calibrate(pair_scores([1, 1, 1, 5, 9]), pair_scores([0.1, 0.2, 0.3, 0.5, 0.9]))
    assert best.epsilon == 0.1


# Tables of scores


def rows_of(scores: dict[tuple[str, str, str], tuple[float | None, float | None]], metric: str = "m") -> list[ScoreRow]:
    """Rows of (direction, article, system) → (human, metric)."""
    return [
        ScoreRow(name, system, article, direction, value, human)
        for (direction, article, system), both in scores.items()
        for value, name, human in zip(both, ("ann", metric), (True, False), strict=True)
        if value is not None
    ]


@st.composite
def tables(draw: st.DrawFn) -> dict[tuple[str, str, str], tuple[float | None, float | None]]:
    """Scores of a few systems and articles in both directions, some missing."""
    value = st.one_of(st.none(), st.integers(0, 3).map(float), st.integers(0, 300).map(lambda v: v / 3))
    cells = [
        (direction, f"a{a}", f"s{s}")
        for direction in ("zh-en", "en-zh")
        for a in range(draw(st.integers(1, 5)))
        for s in range(draw(st.integers(1, 4)))
    ]
    return {cell: (draw(value), draw(value)) for cell in cells}


def plain_cell(table: Any, direction: str, level: str) -> PairCounts:
    """The definition, in fractions."""
    both = {
        (a, s): (Fraction(h).limit_denominator(3), Fraction(m).limit_denominator(3))
        for (d, a, s), (h, m) in table.items()
        if d == direction and h is not None and m is not None
    }
    systems, articles = sorted({s for _, s in both}), sorted({a for a, _ in both})
    if level == "segment":
        items = [[both[a, s] for s in systems if (a, s) in both] for a in articles]
    else:
        found = [[both[a, s] for a in articles if (a, s) in both] for s in systems]
        items = [[(sum(h for h, _ in each) / len(each), sum(m for _, m in each) / len(each)) for each in found]]
    counts = [plain_counts(item) for item in items]  # type: ignore[arg-type]
    return PairCounts(*(sum(each) for each in zip(*(c.each for c in counts), strict=True)))


@given(tables())
def test_cells_are_their_definition(table: Any) -> None:
    report = pairwise(rows_of(table), 20)
    for (metric, level, direction), cell in report.cells.items():
        expected = plain_cell(table, direction, level)
        assert (metric, cell.counts) == ("m", expected)
        for rule in RULES:
            figure = cell.figures[rule]
            assert figure.value == expected.rule(rule).value
            assert figure.interval is not None
            assert (figure.interval.ends is None) == bool(figure.interval.why)
            if figure.interval.ends:
                assert 0 <= figure.interval.ends[0] <= figure.interval.ends[1] <= 1
                assert cell.articles >= 2
                assert bool(figure.interval.warning) == (cell.articles < FEW)
        if cell.calibrated.figure.value is not None:
            assert cell.calibrated.figure.value >= cell.figures["acc_eq"].value
        assert (cell.spa is None) == (level == "segment")
    for rule in RULES:
        average = report.averages["m"][rule] if report.cells else None
        values = [report.cells.get(("m", *each)) for each in FOUR_CELLS]
        defined = [cell.figures[rule].value for cell in values if cell and cell.figures[rule].value is not None]
        if average and len(defined) == 4:
            assert average.value == pytest.approx(sum(defined) / 4)
        elif average:
            assert average.value is None
            assert "undefined without" in average.why
            assert " (" in average.why
            assert "  " not in average.why, "a direction without a name leaves no gap"


@given(tables(), st.randoms())
def test_the_order_of_rows_changes_nothing(table: Any, chance: Any) -> None:
    rows = [*rows_of(table), *(replace(row, metric="ben") for row in rows_of(table)[::3] if row.human)]
    assert pairwise(chance.sample(rows, len(rows)), 50) == pairwise(rows, 50)


@given(tables(), st.permutations(range(4)), st.permutations(range(5)))
def test_the_names_of_systems_and_articles_change_nothing(table: Any, systems: Any, articles: Any) -> None:
    renamed = {(d, f"a{articles[int(a[1:])]}", f"s{systems[int(s[1:])]}"): both for (d, a, s), both in table.items()}
    before, after = pairwise(rows_of(table)).cells, pairwise(rows_of(renamed)).cells
    assert before.keys() == after.keys()
    for key, cell in before.items():
        assert after[key].counts == cell.counts
        assert after[key].calibrated.epsilon == cell.calibrated.epsilon
        if cell.spa is not None:
            assert after[key].spa.value == (None if cell.spa.value is None else pytest.approx(cell.spa.value))


@given(tables())
def test_a_rising_metric_is_as_consistent_within_articles(table: Any) -> None:
    risen = {cell: (h, m if m is None else m**3 + 2 * m) for cell, (h, m) in table.items()}
    before, after = pairwise(rows_of(table), 5).cells, pairwise(rows_of(risen), 5).cells
    for key, cell in before.items():
        if key[1] == "segment":
            assert after[key].counts == cell.counts
    # At system level means are compared, so only lines leave the order as it is.
    straight = {cell: (h, m if m is None else 3 * m + 7) for cell, (h, m) in table.items()}
    after = pairwise(rows_of(straight), 5).cells
    assert all(after[key].counts == cell.counts for key, cell in before.items())


@given(tables())
def test_swapping_the_roles_swaps_the_ties(table: Any) -> None:
    swapped = {cell: (m, h) for cell, (h, m) in table.items()}
    before, after = pairwise(rows_of(table), 5).cells, pairwise(rows_of(swapped), 5).cells
    for key in before.keys() & after.keys():
        a, b = before[key].counts, after[key].counts
        assert (b.concordant, b.discordant, b.tied_both) == (a.concordant, a.discordant, a.tied_both)
        assert (b.tied_human, b.tied_metric) == (a.tied_metric, a.tied_human)


@given(tables(), st.randoms())
def test_noise_neither_makes_nor_breaks_ties(table: Any, chance: Any) -> None:
    def noisy(value: float | None) -> float | None:
        return value if value is None else value + chance.uniform(-1e-10, 1e-10)

    shaken = {cell: (noisy(h), noisy(m)) for cell, (h, m) in table.items()}
    before, after = pairwise(rows_of(table), 50).cells, pairwise(rows_of(shaken), 50).cells
    for key, cell in before.items():
        assert after[key].counts == cell.counts
        assert after[key].calibrated == cell.calibrated
        assert after[key].figures == cell.figures


def test_thirds_and_their_sum_are_tied() -> None:
    scores = {"A": (1 / 6, 1 / 2), "B": (1 / 3, 1 / 3), "C": (0.1 + 0.2, 0.3)}
    rows = rows_of({("zh-en", f"a{i}", s): (v, v) for s, vs in scores.items() for i, v in enumerate(vs)})
    assert pairwise(rows, 5).cells["m", "system", "zh-en"].counts == PairCounts(concordant=2, tied_both=1)


def test_the_human_score_is_the_mean_of_the_raters() -> None:
    rows = [
        *rows_of({("zh-en", "1", "A"): (10, 1), ("zh-en", "1", "B"): (20, 2)}),
        ScoreRow("ben", "A", "1", "zh-en", 30, human=True),
    ]
    sheet = sheets(rows)["zh-en"]
    assert (sheet.human.tolist(), sheet.raters, sheet.rated_by_several) == ([[20], [20]], ("ann", "ben"), 1)
    report = pairwise(rows)
    assert report.cells["m", "segment", "zh-en"].counts == PairCounts(tied_human=1)
    assert (report.raters, report.rated_by_several) == (("ann", "ben"), 1)


def test_what_is_left_out_is_counted_and_what_is_not_finite_is_missing() -> None:
    table = {
        ("zh-en", "1", "A"): (1, 1),
        ("zh-en", "1", "B"): (2, None),
        ("zh-en", "1", "C"): (None, 3),
        ("zh-en", "2", "A"): (1, math.inf),
        ("zh-en", "2", "B"): (NAN, 3),
    }
    cell = pairwise(rows_of(table)).cells["m", "segment", "zh-en"]
    assert cell.left_out == {
        "translations without a score by the metric": 2,
        "translations without a human score": 2,
        "articles without a pair of systems": 1,
    }
    assert (cell.figures["acc_eq"].value, cell.figures["acc_eq"].n, cell.articles) == (None, 0, 0)
    assert cell.figures["acc_eq"].why
    assert pairwise([]).cells == {}


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("12"), st.floats(), st.booleans()), max_size=12))
@pytest.mark.filterwarnings("error")
def test_no_score_yields_nan(scores: list[tuple[str, str, float, bool]]) -> None:
    rows = [ScoreRow("ann" if human else "m", s, a, "zh-en", score, human) for s, a, score, human in scores]
    report = pairwise(rows, 20)
    for cell in report.cells.values():
        for figure in (*cell.figures.values(), cell.calibrated.figure, *filter(None, [cell.spa])):
            assert (figure.value is None) == bool(figure.why)
            assert figure.value is None or 0 <= figure.value <= 1
    twice = [*rows, *(replace(row, metric="n", score=-row.score) for row in rows if not row.human)]
    for measure in MEASURES:
        for found in compare_metrics(twice, "m", "n", measure, 20):
            assert found.difference.value is None or -2 <= found.difference.value <= 2
            assert found.difference.value is not None or found.test.p is None


def test_one_article_has_no_interval_and_few_have_a_warning() -> None:
    table = {("zh-en", f"{a}", s): (float(i), float(i)) for a in range(9) for i, s in enumerate("AB")}
    figure = pairwise(rows_of(table)).cells["m", "segment", "zh-en"].figures["acc_eq"]
    assert figure.interval is not None
    assert (figure.value, figure.interval.ends, figure.interval.seed) == (1, (1, 1), 1)
    assert "9 articles" in figure.interval.warning
    one = {cell: both for cell, both in table.items() if cell[1] == "0"}
    figure = pairwise(rows_of(one)).cells["m", "segment", "zh-en"].figures["acc_eq"]
    assert figure.interval is not None
    assert (figure.value, figure.interval.ends) == (1, None)
    assert figure.interval.why == TOO_FEW


def test_an_average_without_a_cell_says_which() -> None:
    report = pairwise(rows_of({("zh-en", f"{a}", s): (1.0, 1.0) for a in range(3) for s in "AB"}))
    average = report.average["m"]
    assert average.value is None
    assert "system en-zh" in average.why
    assert "segment en-zh" in average.why
    assert "zh-en (" not in average.why.replace("en-zh", "")


def test_both_directions_are_drawn_independently() -> None:
    """Else the interval of an average would be that of one direction, mirrored or not."""
    chance = np.random.default_rng(4)
    table = {}
    for a in range(60):
        for s in "ABCD":
            both = float(chance.integers(0, 9)), float(chance.integers(0, 9))
            table["zh-en", f"{a}", s] = table["en-zh", f"{a}", s] = both
    report = pairwise(rows_of(table))
    low, high = report.average["m"].interval.ends  # type: ignore[union-attr, misc]
    cells = [report.cells["m", *each].figures["acc_eq"].interval.ends for each in FOUR_CELLS]  # type: ignore[union-attr]
    widths = [b - a for a, b in cells]  # type: ignore[misc]
    assert high - low < 0.95 * sum(widths) / 4


def test_groups_hold_their_own_pairs() -> None:
    table = {("zh-en", f"{a}", s): (float(i * a % 5), float(i * a % 3)) for a in range(8) for i, s in enumerate("ABC")}
    rows = [replace(row, domain="news" if int(row.article) % 2 else "law") for row in rows_of(table)]
    whole = pairwise(rows, 5).cells["m", "segment", "zh-en"].counts
    domains = pairwise_by("domain", rows, 5)
    systems = pairwise_by("system", rows, 5)
    assert (list(domains), list(systems)) == (["law", "news"], ["A", "B", "C"])
    for groups, times in ((domains, 1), (systems, 2)):
        counts = [report.cells["m", "segment", "zh-en"].counts.each for report in groups.values()]
        assert [sum(each) for each in zip(*counts, strict=True)] == [times * each for each in whole.each]


def test_an_interval_is_where_a_plain_bootstrap_has_it() -> None:
    chance = np.random.default_rng(9)
    scores = chance.integers(0, 6, (2, 4, 40)).astype(float)
    rows = rows_of({("zh-en", f"{a}", f"s{s}"): tuple(scores[:, s, a]) for s in range(4) for a in range(40)})
    cells = pairwise(rows, 4000).cells
    draws: dict[str, list[float]] = {"system": [], "segment": []}
    for _ in range(1500):
        drawn = scores[:, :, chance.integers(0, 40, 40)]
        segment = PairCounts.of(tally(*comparable(drawn)))
        system = PairCounts.of(tally(*comparable(drawn.mean(axis=2))))
        draws["segment"].append(segment.rule("acc_eq").value)  # type: ignore[arg-type]
        draws["system"].append(system.rule("acc_eq").value)  # type: ignore[arg-type]
    for level in LEVELS:
        interval = cells["m", level, "zh-en"].figures["acc_eq"].interval
        assert interval is not None
        assert interval.ends == pytest.approx(np.percentile(draws[level], (2.5, 97.5)), abs=0.03)


def test_of_few_articles_the_ends_are_those_of_all_resamples() -> None:
    """Three articles: each is all of a resample in one of 27, which is more than 2.5 %, so all is in the interval."""
    shares = Bootstrap().share([0, 1, 1], [1, 1, 1], "")
    assert shares.interval is not None
    assert (shares.interval.ends, shares.interval.resamples) == ((0, 1), 27)
    random = np.random.default_rng(1).integers(0, 3, (20_000, 3))
    assert shares.interval.ends == tuple(np.percentile(np.array([0, 1, 1])[random].mean(axis=1), (2.5, 97.5)))


@pytest.mark.parametrize("n", [40, 80, 120, 160, 200, 240])
def test_both_ends_of_all_resamples_are_where_the_distribution_has_them(n: int) -> None:
    """A whole number of resamples lies beyond either end, which is then half way to the next: of both alike."""
    low, high = from_draws(np.arange(1.0, n + 1), 4, None).ends or (0, 0)
    assert (low, n + 1 - high) == (n / 40 + 0.5, n / 40 + 0.5)


def test_a_resample_in_which_it_is_undefined_is_counted() -> None:
    interval = from_draws(np.array([NAN, 0.2, 0.4, NAN]), 12, 1)
    assert (interval.resamples, interval.dropped) == (2, 2)
    assert from_draws(np.full(4, NAN), 12, 1).ends is None
    # Humans order the systems in one article of twelve only: many resamples lack it.
    table = {
        ("zh-en", f"{a}", s): (float(a == 0 and s == "B"), float(i)) for a in range(12) for i, s in enumerate("AB")
    }
    figure = pairwise(rows_of(table)).cells["m", "segment", "zh-en"].figures["drop_human_ties"]
    assert figure.interval is not None
    assert (figure.value, figure.n, figure.interval.ends) == (1, 1, (1, 1))
    assert 0.25 < figure.interval.dropped / 2000 < 0.45
    assert figure.interval.resamples + figure.interval.dropped == 2000


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_is_scipys(successes: int, n: int) -> None:
    assume(successes <= n)
    oracle = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes / n, n).ends == pytest.approx((oracle.low, oracle.high), abs=1e-9)
    assert wilson(None, 0).ends is None


# Soft pairwise accuracy


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=4, max_size=4)
    )
)
def test_confidence_is_the_share_of_all_swaps(scores: list[list[int]]) -> None:
    human, metric = np.array(scores[:2], dtype=float), np.array(scores[2:], dtype=float)
    n = human.shape[1]
    deltas = [[Fraction(int(a - b)) for a, b in zip(*each, strict=True)] for each in (human, metric)]
    turn = next((-1 if sum(each) < 0 else 1 for each in deltas if sum(each)), 1)

    def p(delta: list[Fraction]) -> Fraction:
        sums = [sum(s * d for s, d in zip(signs, delta, strict=True)) for signs in product((1, -1), repeat=n)]
        return Fraction(sum(each >= turn * sum(delta) for each in sums), 2**n)

    ours = [float(each[0]) for each in confidences(human, metric)]
    assert ours == [float(p(delta)) for delta in deltas]
    assert soft_pairwise_accuracy(human, metric).value == pytest.approx(1 - abs(ours[0] - ours[1]))


@st.composite
def two_sheets(draw: st.DrawFn, articles: int = 6) -> tuple[Any, Any]:
    """Scores by humans and by a metric, systems × articles, some missing."""
    shape = draw(st.integers(1, 4)), draw(st.integers(1, articles))
    value = st.one_of(st.integers(0, 4).map(float), st.integers(0, 300).map(lambda v: v / 3), st.just(NAN))
    layers = draw(st.lists(value, min_size=2 * shape[0] * shape[1], max_size=2 * shape[0] * shape[1]))
    human, metric = np.array(layers).reshape(2, *shape)
    return human, metric


@given(two_sheets(), st.integers(0, 9))
def test_soft_accuracy_is_tested_anew_in_every_resample(layers: tuple[Any, Any], seed: int) -> None:
    human, metric = layers
    found = resampled_spa(human, metric, resamples=30, seed=seed)
    if soft_pairwise_accuracy(human, metric).value is None:
        assert np.isnan(found).all()
        return
    weights = np.concatenate(list(resampled_weights(human.shape[1], 30, seed)))
    for ours, weight in zip(found, weights, strict=True):
        drawn = np.repeat(np.arange(human.shape[1]), weight.astype(int))
        value = soft_pairwise_accuracy(human[:, drawn], metric[:, drawn], permutations=2**6).value
        assert (None if math.isnan(ours) else ours) == (None if value is None else pytest.approx(value))


@given(two_sheets(12), st.randoms())
def test_the_order_of_systems_changes_no_interval(layers: tuple[Any, Any], chance: Any) -> None:
    human, metric = layers
    order = chance.sample(range(len(human)), len(human))
    before, after = resampled_spa(human, metric), resampled_spa(human[order], metric[order])
    assert after == pytest.approx(before, nan_ok=True)


def table_of(systems: int, articles: int, seed: int = 7) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Systems that differ a little, by humans and by a metric that sees much of what humans see."""
    chance = np.random.default_rng(seed)
    human = chance.normal(70, 15, (systems, articles)) + np.arange(systems)[:, None]
    metric = human + chance.normal(0, 10, human.shape)
    cells = product(range(systems), range(articles))
    return {("zh-en", f"a{a:03}", f"s{s:02}"): (round(human[s, a]), round(metric[s, a])) for s, a in cells}


def spa_of(table: Any, resamples: int = 2000, seed: int = 1) -> Any:
    return pairwise(rows_of(table), resamples, seed).cells["m", "system", "zh-en"].spa


def test_soft_accuracy_has_an_interval() -> None:
    spa = spa_of(table_of(5, 40))
    assert spa.interval.ends[0] < spa.value < spa.interval.ends[1] <= 1
    assert (spa.interval.resamples, spa.interval.seed, spa.interval.clusters) == (500, 1, 40)
    assert "a permutation test in each" in spa.interval.method
    assert spa_of(table_of(5, 40)) == spa
    assert spa_of(table_of(5, 40), seed=2).interval.ends != spa.interval.ends
    assert spa_of(table_of(5, 40), 90).interval.resamples == 90
    assert spa_of(table_of(16, 200)).interval.resamples == 200  # of so much, fewer
    # Five articles have 3,125 resamples, more than are taken.
    few = spa_of(table_of(3, 5)).interval
    assert (few.resamples, few.seed, few.warning) == (500, 1, "5 articles: a rough guess")


def test_random_signs_come_close_to_all_of_them() -> None:
    human, metric = (np.array(list(table_of(5, 14).values()))[:, k].reshape(5, 14) for k in (0, 1))
    weights = next(resampled_weights(14, 40, 1))
    drawn = [np.repeat(np.arange(14), weight.astype(int)) for weight in weights]
    exact = [soft_pairwise_accuracy(human[:, each], metric[:, each], permutations=2**14).value for each in drawn]
    assert resampled_spa(human, metric, resamples=40) == pytest.approx(exact, abs=0.03)


def test_soft_accuracy_without_an_interval() -> None:
    one = spa_of(table_of(3, 1))
    assert (one.interval.ends, one.interval.why) == (None, TOO_FEW)
    assert one.value is not None
    alone = spa_of(table_of(1, 5))
    assert (alone.value, alone.interval.ends, alone.interval.why) == (None, None, "the figure is undefined")


def test_a_metric_that_is_the_human_has_all_the_accuracy() -> None:
    human = np.random.default_rng(1).integers(0, 9, (5, 40)).astype(float)
    assert soft_pairwise_accuracy(human, human).value == 1
    assert soft_pairwise_accuracy(human[:1], human[:1]).value is None
    far = np.random.default_rng(1).normal(0, 1, (5, 40)) + np.arange(5)[:, None]
    assert soft_pairwise_accuracy(far, -far).value == pytest.approx(0, abs=0.01)


# Two metrics


@given(st.integers(2, 3), st.integers(1, 2), st.data())
def test_perm_both_tries_all_swaps(systems: int, articles: int, data: st.DataObject) -> None:
    def draw() -> Any:
        flat = data.draw(st.lists(st.integers(0, 5), min_size=systems * articles, max_size=systems * articles))
        return np.array(flat, dtype=float).reshape(systems, articles)

    human, first, second = draw(), draw(), draw()
    for measure, level in (("acc_eq", "segment"), ("pearson", "system"), ("kendall_tau_b", "system")):
        found = perm_both(human, first, second, measure, level)  # type: ignore[arg-type]

        def value(scores: Any, measure: Any = measure, level: Any = level) -> float | None:
            return value_of(measure, level, human, scores)

        if value(first) is None or value(second) is None:
            assert found.p is None
            continue

        def z(scores: Any) -> Any:
            spread = scores.std()
            return (scores - scores.mean()) / (spread or 1) * SPREAD  # what is a tie depends on the scale

        one, other = z(first), z(second)
        seen = value(other) - value(one)  # type: ignore[operator]
        reached = degenerate = 0
        for mask in product((True, False), repeat=human.size):
            kept = np.array(mask).reshape(human.shape)
            a, b = value(np.where(kept, one, other)), value(np.where(kept, other, one))
            degenerate += a is None or b is None
            reached += (b or 0) - (a or 0) >= seen - 1e-9
        assert found.p == reached / 2**human.size
        assert (found.exact, found.permutations, found.degenerate) == (True, 2**human.size, degenerate)


def scored(seed: int, articles: int = 40, noise: tuple[float, ...] = (1, 9)) -> list[ScoreRow]:
    """Scores by a human and by metrics that see her through more and more noise."""
    chance = np.random.default_rng(seed)
    rows = []
    for article, system in product(range(articles), "ABCD"):
        human = float(chance.integers(0, 10))
        where = system, f"{article}", "zh-en"
        rows.append(ScoreRow("ann", *where, human, True))
        rows += [ScoreRow(f"n{i}", *where, human + round(chance.normal(0, n)), False) for i, n in enumerate(noise)]
    return rows


@pytest.mark.parametrize("measure", MEASURES)
def test_the_better_metric_is_told(measure: Any) -> None:
    system, segment = compare_metrics(scored(3), "n1", "n0", measure, 300)
    assert (segment.first, segment.second, segment.level) == ("n1", "n0", "segment")
    assert segment.first_value is not None
    assert segment.second_value is not None
    assert segment.difference.value == segment.second_value - segment.first_value
    assert segment.test.p == 1 / 301
    assert segment.difference.interval is not None
    assert segment.difference.interval.low > 0  # type: ignore[operator]
    assert system.level == "system"
    cell = pairwise(scored(3), 300).cells["n0", "segment", "zh-en"]
    if measure in RULES:
        assert cell.figures[measure].value == segment.second_value


def test_metrics_of_the_same_scores_cannot_be_told_apart() -> None:
    rows = scored(3, noise=(2,))
    twice = [*rows, *(replace(row, metric="double", score=2 * row.score) for row in rows if not row.human)]
    for found in compare_metrics(twice, "n0", "double", "acc_eq", 200):
        assert (found.difference.value, found.test.p, found.test.why) == (0, None, NEVER_VARIES)
        assert found.difference.interval is not None
        assert (found.difference.interval.ends, found.difference.interval.why) == (None, NEVER_VARIES)
        assert found.plan.further is None
        assert "is 0" in found.plan.why


def test_no_common_translation_and_no_order_are_undefined() -> None:
    rows = [row for row in scored(3) if row.metric != ("n0" if int(row.article) % 2 else "n1")]
    for found in compare_metrics(rows, "n0", "n1", "acc_eq", 50):
        assert (found.difference.value, found.test.p, found.articles, found.error) == (None, None, 0, None)
        assert found.difference.why
        assert found.test.why
        assert found.plan.further is None
    flat = [replace(row, score=1.0) if row.human else row for row in scored(3)]
    found = difference(sheets(flat)["zh-en"], "n0", "n1", "drop_human_ties", "segment", 50)
    assert (found.difference.value, found.test.p) == (None, None)


# Planning


def test_a_plan_worked_by_hand() -> None:
    # (1.95996 + 0.84162)² = 7.84888; with deviation 10 and difference 2 that is 7.84888 × 25 = 196.2, and 1.92 more.
    found = plan(2, 10, 50)
    assert (found.needed, found.further) == (199, 149)
    assert plan(-2, 10, 50).further == 149
    assert plan(2, 10, 400, True).further == 0
    assert "80 % power" in found.assumption


def test_a_plan_promises_nothing_that_a_test_could_not_show() -> None:
    assert plan(5, 0.1, 2).further == 4  # no fewer than six articles can be significant
    not_yet = plan(2, 10, 400)  # articles enough by their spread, and yet no difference is shown
    assert (not_yet.further, not_yet.needed) == (None, 199)
    assert "not told apart" in not_yet.why
    assert plan_systems([1, 2, 3], [6, 7, 8.1], 0.25).further == 3
    assert plan_systems([1, 2, 3, 4, 5, 6], [6, 7, 8, 9, 10, 11.1], 2 / 64).further == 0


def test_a_plan_of_differences_that_never_vary_or_overflow_is_undefined() -> None:
    never = plan_systems([1, 2, 3, 4, 5, 6], [6, 7, 8, 9, 10, 11], None)
    assert (never.further, never.needed, never.difference, never.deviation) == (None, None, 5, None)
    assert never.why == UNKNOWN_SPREAD
    for far in (plan(1e-5, 1e300, 9), plan(1e-3, 1.0, 9)):
        assert (far.further, far.needed, far.why) == (None, None, BEYOND)
    large = plan_systems([1e308, 1e308, 0.0], [-1e308, 1.0, 2.0])
    assert (large.further, large.needed, large.why) == (None, None, TOO_LARGE)


@pytest.mark.parametrize(
    ("difference_", "deviation", "n"), [(0, 3, 9), (1e-9, 3, 9), (None, 3, 9), (4, 2, 1), (4, None, 1)]
)
def test_a_plan_can_be_undefined(difference_: float | None, deviation: float | None, n: int) -> None:
    found = plan(difference_, deviation, n)
    assert (found.further, found.needed) == (None, None)
    assert found.why


def test_p_counts_sums_as_equal_that_float_noise_tells_apart() -> None:
    """Of 1e12 - x, as seen, and the 16 sums of ±1e12 ±1e12 ±1e12 ±x, eight are no less."""
    human = np.array([[1e12, -1e12, 123456789.123456, -1e12], [0, 0, 0, 0]])
    (p,), _ = confidences(human, human)
    assert p == 0.5


def test_two_systems_are_planned_over_what_both_have() -> None:
    found = plan_systems([1, None, 3, 5, 4], [2, 4, 6, NAN, 4])
    assert (found.n, found.difference) == (3, pytest.approx(4 / 3))
    assert found.deviation == pytest.approx(np.std([1, 3, 0], ddof=1))
    assert plan_systems([1], [2]).further is None


def test_two_systems_are_compared_as_if_other_articles_were_not_there() -> None:
    rows = [
        ScoreRow(name, system, f"{a}", "zh-en", float(a * 7 % 5 * (system == "B")), name == "h")
        for name in ("h", "m")
        for system in "AB"
        for a in range(8)
    ]
    others = [ScoreRow("m", "A", f"x{a}", "zh-en", 1.0, False) for a in range(30)]
    assert compare_systems([*rows, *others], "A", "B") == compare_systems(rows, "A", "B")


def test_a_plan_for_metrics_is_that_of_their_articles() -> None:
    """Of as many pairs in every article the figure is a mean, and its deviation that of the articles' own figures."""
    rows = scored(3, 60, (3, 4))
    found = difference(sheets(rows)["zh-en"], "n1", "n0", "acc_eq", "segment", 20_000)
    sheet = sheets(rows)["zh-en"]
    own = [
        [value_of("acc_eq", "segment", sheet.human[:, [a]], sheet.metrics[name][:, [a]]) for a in range(60)]
        for name in ("n1", "n0")
    ]
    expected = plan_systems(*own)
    assert found.plan.deviation == pytest.approx(expected.deviation, rel=0.03)
    assert found.plan.difference == pytest.approx(expected.difference)


@pytest.mark.parametrize(("articles", "said"), [(3, "all resamples"), (40, "bootstrap")])
def test_an_interval_says_whether_every_resample_was_drawn(articles: int, said: str) -> None:
    rows = [
        ScoreRow(
            "ANNA" if human else "m", f"s{i}", f"a{n}", "zh-en", float((i * 7 + n * 3 + human * i * n) % 11), human
        )
        for i, n, human in product(range(3), range(articles), (False, True))
    ]
    cells = pairwise(rows, resamples=200).cells
    spa = cells["m", "system", "zh-en"].spa
    assert spa is not None
    for figure in (spa, cells["m", "segment", "zh-en"].figures["acc_eq"]):
        assert figure.interval is not None
        assert said in figure.interval.method
