"""Segments as people rate them: every figure against a plain reading of its definition, by hand, and at the edges."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.consistency.rater_effects import rater_severity
from judges.meta_eval import rated_segments
from judges.meta_eval.rated_segments import (
    ACROSS,
    CONSTANT,
    GROUPINGS,
    NO_GROUP,
    NO_SEGMENT,
    PEOPLE_TIE,
    SIDE_TIES,
    TOO_MANY,
    SegmentCell,
    segment_cells,
)
from judges.meta_eval.score_table import ScoreRow
from judges.stats.intervals import ExpandedBootstrap
from judges.stats.resampling import TOO_FEW

Key = tuple[str, int, str]
Pair = tuple[Fraction, Fraction]


def row_of(metric: str, article: str, system: str, segments: dict[int, float], human: bool = False) -> ScoreRow:
    return ScoreRow(metric, system, article, "zh-en", 0.0, human, segments=tuple(segments.items()))


def rows_of(scores: dict[Key, tuple[float | None, float | None]]) -> list[ScoreRow]:
    """One rater's rows and one metric's, of scores by article, segment and system."""
    rows = []
    for article, system in sorted({(article, system) for article, _, system in scores}):
        for name, side in (("ann", 0), ("m", 1)):
            own = {n: both[side] for (a, n, s), both in scores.items() if (a, s) == (article, system)}
            known = {n: score for n, score in own.items() if score is not None}
            if known:
                rows.append(row_of(name, article, system, known, human=name == "ann"))
    return rows


def groups_of(scores: dict[Key, tuple[float | None, float | None]], grouping: str) -> list[list[Pair]]:
    held: dict[object, list[Pair]] = {}
    for (article, number, system), (human, metric) in sorted(scores.items()):
        if human is not None and metric is not None:
            key = {"item": (article, number), "sys": system, "none": None}[grouping]
            held.setdefault(key, []).append((Fraction(str(human)), Fraction(str(metric))))
    return list(held.values())


def counted(group: list[Pair], epsilon: Fraction = Fraction(0)) -> dict[str, int]:
    found = dict.fromkeys(("con", "dis", "h", "m", "both"), 0)
    for (h1, m1), (h2, m2) in combinations(group, 2):
        h, m = h1 - h2, 0 if abs(m1 - m2) <= epsilon else m1 - m2
        found["both" if h == m == 0 else "h" if h == 0 else "m" if m == 0 else "con" if h * m > 0 else "dis"] += 1
    return found


def by_definition(name: str, group: list[Pair], epsilon: Fraction = Fraction(0)) -> float | None:
    n = counted(group, epsilon)
    con, dis, h, m, both = n.values()
    match name:
        case "acc_eq":
            return float(Fraction(con + both, sum(n.values()))) if any(n.values()) else None
        case "c_index":
            return float((con + Fraction(m, 2)) / (con + dis + m)) if con + dis + m else None
        case "kendall_tau_b":
            untied = (con + dis + m) * (con + dis + h)
            return (con - dis) / math.sqrt(untied) if untied else None
    xs, ys = zip(*group, strict=True)
    mx, my = (sum(of) / Fraction(len(of)) for of in (xs, ys))
    xy, xx, yy = (
        sum((a - ma) * (b - mb) for a, b in zip(*of, strict=True))
        for of, ma, mb in (((xs, ys), mx, my), ((xs, xs), mx, mx), ((ys, ys), my, my))
    )
    return float(xy) / math.sqrt(xx * yy) if xx and yy else None


def mean_of(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


@st.composite
def tables(draw: Any) -> dict[Key, tuple[float | None, float | None]]:
    systems = draw(st.integers(1, 4))
    human = st.one_of(st.none(), st.integers(0, 4).map(float))
    metric = st.one_of(st.none(), st.integers(0, 12).map(lambda n: n / 4))
    return {
        (f"a{a}", n, "ABCD"[s]): (draw(human), draw(metric))
        for a in range(draw(st.integers(1, 3)))
        for n in range(1, draw(st.integers(1, 3)) + 1)
        for s in range(systems)
    }


@settings(deadline=None)
@given(tables(), st.integers(0, 2))
def test_figures_are_their_definition(scores: Any, many: int) -> None:
    cells = segment_cells(rows_of(scores), 20)
    if not cells:
        assert not any(h is not None for h, _ in scores.values()) or not any(m is not None for _, m in scores.values())
        return
    cell = cells["m", "zh-en"]
    for grouping in GROUPINGS:
        groups = groups_of(scores, grouping)
        figures = cell.figures[grouping]
        for name in ("acc_eq", "c_index", "kendall_tau_b", "pearson"):
            values = [by_definition(name, group) for group in groups]
            expected = mean_of(values)
            assert figures[name].value == (None if expected is None else pytest.approx(expected, abs=1e-9))
            assert bool(figures[name].why) == (expected is None)
            if expected is not None:
                assert figures[name].groups == (len([v for v in values if v is not None]), len(groups))
        tried = {Fraction(0), *(abs(a[1] - b[1]) for group in groups for a, b in combinations(group, 2))}
        means = {e: mean_of([by_definition("acc_eq", group, e) for group in groups]) for e in tried}
        if means[Fraction(0)] is None:
            assert (figures["acc_eq_calibrated"].value, cell.epsilons[grouping]) == (None, None)
        else:
            best = max(value for value in means.values() if value is not None)
            assert figures["acc_eq_calibrated"].value == pytest.approx(best, abs=1e-9)
            smallest = min(e for e, value in means.items() if value is not None and value >= best - 1e-9)
            assert cell.epsilons[grouping] == pytest.approx(float(smallest))


@settings(deadline=None)
@given(tables(), st.randoms())
def test_neither_order_nor_repeats_change_anything(scores: Any, chance: random.Random) -> None:
    rows = rows_of(scores)
    again = [*rows, *rows]
    chance.shuffle(again)
    assert segment_cells(again, 20) == segment_cells(rows, 20)


def test_counting_by_sorting_is_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    scores = {(f"a{a}", n, s): (float(chance.randrange(4)), chance.randrange(40) / 8) for a in range(5) for n in range(1, 7) for s in "ABC"}  # fmt: skip
    plain = segment_cells(rows_of(scores), 20)  # type: ignore[arg-type]
    monkeypatch.setattr(rated_segments, "_MANY", 2)
    assert segment_cells(rows_of(scores), 20) == plain  # type: ignore[arg-type]


UNEVEN: dict[Key, tuple[float | None, float | None]] = {
    # a1: two segments; the metric orders A before B in 1, and all three wrongly in 2. a2: A and B tie, by the metric no.
    ("a1", 1, "A"): (5, 9), ("a1", 1, "B"): (2, 8),
    ("a1", 2, "A"): (3, 1), ("a1", 2, "B"): (2, 2), ("a1", 2, "C"): (1, 4),
    ("a2", 1, "A"): (4, 6), ("a2", 1, "B"): (4, 6.5), ("a2", 1, "C"): (None, 1),
}  # fmt: skip


def test_an_uneven_table_by_hand() -> None:
    cell = segment_cells(rows_of(UNEVEN), 2000)["m", "zh-en"]
    assert (cell.scores, cell.segments, cell.articles, cell.systems) == (7, 3, 2, 3)
    by_item = cell.figures["item"]
    # acc_eq: 1 in a1.1, 0 of 3 in a1.2, 0 of 1 in a2.1; c_index is undefined in the last.
    assert (by_item["acc_eq"].value, by_item["acc_eq"].n, by_item["acc_eq"].groups) == (pytest.approx(1 / 3), 5, (3, 3))
    assert (by_item["c_index"].value, by_item["c_index"].n, by_item["c_index"].groups) == (0.5, 4, (2, 3))
    assert by_item["kendall_tau_b"].value == 0  # (1 - 1) / 2
    # With ε .5 the tie of a2 is right and nothing else changes; a larger one loses a1.1.
    assert (by_item["acc_eq_calibrated"].value, cell.epsilons["item"]) == (pytest.approx(2 / 3), 0.5)
    assert by_item["acc_eq"].interval is not None
    assert (by_item["acc_eq"].interval.ends, by_item["acc_eq"].interval.why) == (None, TOO_FEW)
    by_system = cell.figures["sys"]
    # A: 5, 3, 4 against 9, 1, 6 all alike; B: 2, 2, 4 against 8, 2, 6.5; C has one score.
    assert (by_system["acc_eq"].value, by_system["acc_eq"].groups) == (pytest.approx((1 + 1 / 3) / 2), (2, 3))
    assert by_system["acc_eq"].interval is not None
    assert (by_system["acc_eq"].interval.ends, by_system["acc_eq"].interval.why) == (None, ACROSS)
    assert cell.figures["none"]["acc_eq"].n == 21
    assert cell.left_out["scores of segments by the metric that people have none beside"] == 1


def test_the_interval_is_of_a_share_over_five_articles() -> None:
    """Two systems in each segment, so that each is right or wrong: 1 of 2, 2 of 2, 0 of 1, 1 of 1, 0 of 1."""
    right = ((1, 0), (1, 1), (0,), (1,), (0,))
    scores: dict[Key, tuple[float | None, float | None]] = {}
    for k, of in enumerate(right):
        for segment, each in enumerate(of):
            scores[f"a{k}", segment, "A"] = (2, 2 if each else 0)
            scores[f"a{k}", segment, "B"] = (1, 1)
    found = segment_cells(rows_of(scores), 2000)["m", "zh-en"].figures["item"]["acc_eq"]
    expected = ExpandedBootstrap(2000, 1).share([sum(of) for of in right], [len(of) for of in right], "")
    assert (found.value, found.interval) == (pytest.approx(4 / 7), expected.interval)
    assert found.interval is not None
    assert found.interval.ends is not None


def test_a_segments_human_score_is_the_mean_of_its_raters() -> None:
    """Both rated segment 1 of A, ben segment 2 alone; a whole rating counts in each segment that was rated."""
    rows = [
        row_of("ann", "a", "A", {1: 0.0}, human=True), row_of("ben", "a", "A", {1: 6.0, 2: 1.0}, human=True),
        row_of("ann", "a", "B", {1: 2.0, 2: 5.0}, human=True),
        row_of("m", "a", "A", {1: 1.0, 2: 0.0}), row_of("m", "a", "B", {1: 0.0, 2: 9.0}),
    ]  # fmt: skip
    figures = segment_cells(rows, 20)["m", "zh-en"].figures["item"]
    assert (figures["acc_eq"].value, figures["acc_eq"].n) == (1.0, 2)  # 3 > 2, as 1 > 0; 1 < 5, as 0 < 9


def test_undefined_figures_say_why() -> None:
    def figures(scores: dict[Key, tuple[float | None, float | None]], grouping: Any = "item") -> dict[str, str]:
        return {n: f.why for n, f in segment_cells(rows_of(scores), 20)["m", "zh-en"].figures[grouping].items()}

    assert set(figures({("a", 1, "A"): (1, None), ("a", 2, "A"): (None, 3)}).values()) == {NO_SEGMENT}
    alone = figures({("a", 1, "A"): (1, 2), ("a", 2, "A"): (2, 3)})
    assert alone["acc_eq"] == alone["acc_eq_calibrated"] == NO_GROUP
    tied = figures({("a", 1, "A"): (1, 2), ("a", 1, "B"): (1, 3)})
    assert (tied["acc_eq"], tied["c_index"], tied["kendall_tau_b"], tied["pearson"]) == ("", PEOPLE_TIE, SIDE_TIES, CONSTANT)  # fmt: skip


def test_what_has_no_segments_is_counted() -> None:
    rows = [*rows_of(UNEVEN), row_of("ann", "a9", "A", {}, human=True), row_of("m", "a9", "A", {}), row_of("whole", "a1", "A", {})]  # fmt: skip
    cells = segment_cells(rows, 20)
    assert cells["m", "zh-en"].left_out["translations that people rated as a whole only"] == 1
    assert cells["m", "zh-en"].left_out["translations that the metric scored as a whole only"] == 1
    whole = cells["whole", "zh-en"]
    assert (whole.scores, whole.figures["none"]["acc_eq"].why) == (0, NO_SEGMENT)
    assert segment_cells([row_of("m", "a", "A", {1: 2.0}), row_of("ann", "a", "A", {}, human=True)]) == {}


def test_too_many_pairs_for_every_epsilon_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rated_segments, "MOST_PAIRS", 20)
    cell: SegmentCell = segment_cells(rows_of(UNEVEN), 20)["m", "zh-en"]
    calibrated = cell.figures["none"]["acc_eq_calibrated"]
    assert (calibrated.value, calibrated.why, cell.epsilons["none"]) == (None, TOO_MANY, None)
    assert cell.figures["none"]["acc_eq"].value is not None
    assert cell.figures["item"]["acc_eq_calibrated"].value is not None


@settings(deadline=None)
@given(tables())
def test_figures_stay_where_they_are_by_what_they_leave_out(scores: Any) -> None:
    """Rows of whole articles, and of segments that people alone or the metric alone scored."""
    rows = rows_of(scores)
    more = [
        ScoreRow("ann", "A", "in one piece", "zh-en", 3.0, True, rated_as="MQM"),
        *(ScoreRow(row.metric, "A", f"of {row.metric}", "zh-en", 2.0, row.human, rated_as=row.rated_as, segments=((1, 2.0),)) for row in rows[:1] + rows[-1:]),
    ]  # fmt: skip
    before, after = segment_cells(rows, 20), segment_cells([*more, *rows], 20)
    for key, cell in before.items():
        for grouping, figures in cell.figures.items():
            for name, figure in figures.items():
                other = after[key].figures[grouping][name]
                assert (other.value, other.n, other.interval) == (figure.value, figure.n, figure.interval)


def test_severity_stays_where_it_is_by_scores_that_are_nobodys() -> None:
    rows = [
        ScoreRow(rater, system, f"a{n}", "zh-en", 50.0 + 7 * n + off + 3 * (system == "B"), True, rated_as="ESA")
        for n in range(6)
        for system in "AB"
        for rater, off in (("ana", -5 * (n % 2)), ("ben", n))
    ]
    more = [
        ScoreRow("ESA", "A", "a1", "zh-en", 12.0, True, rated_as="ESA"),
        ScoreRow("m", "A", "a9", "zh-en", 1.0, False),
    ]
    before, after = rater_severity(rows)["zh-en"], rater_severity([*more, *rows])["zh-en"]
    assert (after.raters, after.variance) == (before.raters, before.variance)
    assert before.raters[0].difference.value is not None
