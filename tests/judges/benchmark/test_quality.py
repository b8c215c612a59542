"""Whether a benchmark is a good test: worked by hand, whatever the order of things, and through the command."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.reports.benchmark.quality import as_csv, as_json, examined_report
from discox_tui.reports.render.text import as_text
from judges.benchmark.quality.benchmark_quality import NOT_JUDGED, BenchmarkQuality, Cell, benchmark_quality
from judges.benchmark.quality.item_discrimination import NO_DIFFERENCE, NO_OTHER, TOO_FEW, ArticleTest, PointTest
from judges.benchmark.quality.ranking_stability import ALL_TIED, FEW_ARTICLES, NOT_REACHED, TIED, TWO_SYSTEMS, taus
from judges.stats.correlation import kendall_tau_b
from judges.stats.resampling import NEVER_VARIES
from judges.stats.resampling import TOO_FEW as TOO_FEW_ARTICLES
from storage.analysis.benchmark_quality import benchmark_tests
from storage.analysis.judge_scores import JudgedRows, leaderboards
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders
from tests.support.driving import library


def cells(scores: Mapping[str, Sequence[float | None]], systems: str = "ABCDEFGH") -> list[Cell]:
    """Cells of articles with a score for each system; None: the judge failed."""
    return [
        Cell(article, system, score, "" if score is not None else "judge failed")
        for article, row in scores.items()
        for system, score in zip(systems, row, strict=False)
    ]


def articles(found: BenchmarkQuality) -> dict[str, ArticleTest]:
    return {each.article: each for each in found.articles}


def points(found: BenchmarkQuality) -> dict[tuple[str, int], PointTest]:
    return {(each.article, each.number): each for each in found.points}


# Worked by hand

WORKED = {
    "ahead": (50, 40, 30, 20, 10),
    "alike-but-one": (60, 40, 30, 20, 10),
    "against": (10, 20, 30, 40, 50),
    "full": (100,) * 5,
    "none": (0,) * 5,
    "alike": (30,) * 5,
}


def test_articles_worked_by_hand() -> None:
    found = articles(benchmark_quality(cells(WORKED), 100))
    # The rest of "ahead" orders the systems 70 60 60 60 60: r = 200 / √(1000 · 80); as far wherever A is at an end.
    ahead = found["ahead"]
    assert ahead.relation.r.value == pytest.approx(1 / math.sqrt(2))
    assert ahead.relation.p == pytest.approx(2 / 5)
    assert (ahead.relation.exact, ahead.verdict, ahead.n) == (True, "not_shown", 5)
    assert ahead.spread.value == pytest.approx(math.sqrt(1000 / 4))
    assert ahead.spread.interval is not None
    chi2 = (11.1433, 0.4844)  # of four degrees of freedom
    assert ahead.spread.interval.ends == pytest.approx([math.sqrt(1000 / of) for of in chi2], rel=0.05)
    assert (ahead.lowest, ahead.mean, ahead.highest) == (10, 30, 50)
    z = math.atanh(1 / math.sqrt(2))
    assert ahead.relation.r.interval is not None
    assert ahead.relation.r.interval.ends == pytest.approx(
        (math.tanh(z - 1.959964 / math.sqrt(2)), math.tanh(z + 1.959964 / math.sqrt(2)))
    )
    # The rest of "against": 110 80 60 40 20; only the same order and the reverse are as far.
    against = found["against"]
    assert against.relation.r.value == pytest.approx(-2200 / math.sqrt(1000 * 4880))
    assert against.relation.p == pytest.approx(2 / 120)
    assert against.verdict == "against"
    # On the others than this one all systems have 60.
    assert (found["alike-but-one"].relation.r.why, found["alike-but-one"].verdict) == (NO_DIFFERENCE, "undefined")
    assert [found[name].verdict for name in ("full", "none", "alike")] == ["saturated", "failed_by_all", "alike"]
    assert all(found[name].relation.r.value is None and found[name].relation.r.why for name in ("full", "none"))


def test_points_worked_by_hand() -> None:
    # Which systems fail: A and B; nobody; everybody; A, while E is not known; nothing known.
    failed: dict[str, dict[int, float | None]] = {
        "A": {1: 1.0, 2: 0.0, 3: 1.0, 4: 1.0, 5: None},
        "B": {1: 1.0, 2: 0.0, 3: 1.0, 4: 0.0},
        "C": {1: 0.0, 2: 0.0, 3: 1.0, 4: 0.0},
        "D": {1: 0.0, 2: 0.0, 3: 1.0, 4: 0.0},
        "E": {1: 0.0, 2: 0.0, 3: 1.0, 4: None},
    }
    given = [
        Cell(each.article, each.system, each.score, "", failed[each.system] if each.article == "against" else {})
        for each in cells(WORKED)
    ]
    found = points(benchmark_quality(given, 100))
    first = found["against", 1]
    assert (first.failed.value, first.failed.n) == (0.4, 5)
    # Distances from the mean of the rest: 48 18 -2 -22 -42; of ten pairs that could fail it only A and B are as far.
    assert first.relation.r.value == pytest.approx(-66 / math.sqrt(1.2 * 4880))
    assert first.relation.p == pytest.approx(1 / 10)
    assert [found["against", number].verdict for number in (1, 2, 3, 5)] == [
        "not_shown",
        "saturated",
        "failed_by_all",
        "undefined",
    ]
    fourth = found["against", 4]
    assert (fourth.failed.value, fourth.failed.n, fourth.unknown, fourth.relation.r.n) == (0.25, 4, 1, 4)
    assert fourth.relation.p == pytest.approx(1 / 4)
    assert fourth.failed.interval is not None
    assert found["against", 5].failed.value is None
    assert found["against", 5].failed.why


def test_the_ranking_worked_by_hand() -> None:
    nine = {f"{i}": (30, 20, 10) for i in range(9)}
    # A draw with the tenth article turns C before B, at nine articles ties them: only draws without it have the order.
    turned = benchmark_quality(cells(nine | {"x": (0, 20, 100)}), 100).ranking
    assert [(place.system, place.rank, place.mean.value) for place in turned.places] == [
        ("A", 1, 27),
        ("B", 2, 20),
        ("C", 3, 19),
    ]
    assert (turned.enough.value, turned.enough.why, turned.enough.n) == (None, NOT_REACHED, 10)
    assert [size.n for size in turned.curve] == list(range(1, 10))
    for size in turned.curve:
        assert size.reached.value == pytest.approx(1 - size.n / 10, abs=0.04)
    # This one only turns them where it is drawn alone.
    mild = benchmark_quality(cells(nine | {"x": (20, 20, 28)}), 100).ranking
    assert mild.enough.value == 2
    assert mild.curve[0].reached.value == pytest.approx(0.9, abs=0.03)
    assert mild.tau.value == pytest.approx(1, abs=0.001)
    assert [pair.holds.value for pair in mild.neighbours] == pytest.approx([1, 1], abs=0.001)


def test_the_order_of_two_holds_as_often_as_counted() -> None:
    # All 3³ resamples of differences 1 1 -1: above 0 in 1·8 + 3·4 = 20 of 27, else below.
    found = benchmark_quality(cells({"1": (11, 10), "2": (11, 10), "3": (9, 10)}), 100, resamples=20_000).ranking
    (pair,) = found.neighbours
    assert pair.holds.value == pytest.approx(20 / 27, abs=0.015)
    assert (pair.tied, pair.holds.n) == (0, 3)
    assert [(place.ranks, place.why) for place in found.places] == [(None, TOO_FEW_ARTICLES)] * 2
    assert (found.tau.value, found.tau.why, found.curve) == (None, TWO_SYSTEMS, ())


def test_the_order_of_two_whose_difference_never_varies_is_undefined() -> None:
    found = benchmark_quality(cells({f"{i}": (11 + i, 10 + i) for i in range(12)}), 100).ranking
    (pair,) = found.neighbours
    assert (pair.holds.value, pair.holds.n, pair.holds.why, pair.tied) == (None, 12, NEVER_VARIES, None)
    assert all(place.ranks is not None for place in found.places)


def test_how_wide_a_spread_chance_makes() -> None:
    scores = {f"{i}": (50, 50 + (-1) ** i, 50 - (-1) ** i) for i in range(19)} | {"wide": (20, 50, 80)}
    found = articles(benchmark_quality(cells(scores), 100))
    assert found["wide"].spread_p == 1 / 20
    assert found["0"].spread_p is not None
    assert found["0"].spread_p > 0.5


def test_what_is_missing_is_counted_and_left_out() -> None:
    given = [*cells({"1": (50, 40, None), "2": (60, None, 20), "3": (None, None, None)}), Cell("4", "A", 10.0)]
    found = benchmark_quality([*given, Cell("1", "mute", None, "no translation")], 100)
    assert found.systems == ("A", "B", "C")
    assert (found.unscored_systems, found.unscored_articles) == (("mute",), ("3",))
    assert (found.cells, found.complete) == (5, 0)
    assert found.missing == {"judge failed": 2, NOT_JUDGED: 2}
    assert [each.n for each in found.articles] == [2, 2, 1]
    assert {each.relation.r.why for each in found.articles} == {TOO_FEW}


def test_a_weak_system_that_misses_hard_articles_is_not_taken_for_a_good_one() -> None:
    # D is 10 below the others wherever it is, and has only the easy articles, so that its own mean is the highest.
    hard: dict[str, Sequence[float | None]] = {f"hard{i}": (30, 25, 20, None) for i in range(5)}
    easy: dict[str, Sequence[float | None]] = {f"easy{i}": (90, 85, 80, 70) for i in range(3)}
    found = benchmark_quality(cells(hard | easy), 100)
    assert found.ranking.places[0].system == "D"
    r = articles(found)["easy0"].relation.r
    assert r.value is not None
    assert r.value > 0.9


def test_nothing_and_little_is_undefined_with_a_reason() -> None:
    for few_cells in ([], cells({"1": (None, None)}), cells({"1": (5,)}), cells({"1": (5, 6, 7, 8)})):
        found = benchmark_quality(few_cells, 100)
        assert found.ranking.tau.value is None
        assert found.ranking.tau.why
        assert found.ranking.enough.why
        assert all(each.relation.r.why in (TOO_FEW, NO_OTHER) for each in found.articles)
        assert json.dumps(shown(found), allow_nan=False)
    few = benchmark_quality(cells({f"{i}": (5, 6, 7) for i in range(9)}), 100).ranking
    assert (few.enough.value, few.enough.why, len(few.curve)) == (None, FEW_ARTICLES, 8)
    with pytest.raises(ValueError, match="two scores"):
        benchmark_quality([Cell("1", "A", 1.0), Cell("1", "A", 1.0)], 100)


# Whatever the data

scores = st.integers(0, 20).map(lambda n: n * 5.0)
tables = st.integers(1, 6).flatmap(
    lambda systems: st.lists(st.lists(st.none() | scores, min_size=systems, max_size=systems), min_size=1, max_size=12)
)
shares = st.none() | st.sampled_from([0.0, 0.5, 1.0])


@st.composite
def givens(draw: st.DrawFn) -> list[Cell]:
    return [
        Cell(each.article, each.system, each.score, each.why, draw(st.dictionaries(st.integers(1, 3), shares)))
        for each in cells({f"{i}": row for i, row in enumerate(draw(tables))})
    ]


def shown(found: BenchmarkQuality) -> Any:
    """Everything as JSON, which knows no NaN; and that text and CSV can be made."""
    from judges.metric_s.scoring import METRIC_S
    from storage.analysis.benchmark_quality import BenchmarkTest

    test = BenchmarkTest(JudgedRows("osprey", (), METRIC_S, (), 0, 0), 100, None, found)
    plain = as_json([test])
    json.dumps(plain, allow_nan=False)
    assert "nan" not in as_text(examined_report([test], {}).sections).lower().split()
    assert "nan" not in as_csv([test]).lower().replace("\n", ",").split(",")
    return plain


@given(givens(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter_and_all_is_in_its_range(given: list[Cell], chance: random.Random) -> None:
    found = benchmark_quality(given, 100, resamples=50)
    shuffled = list(given)
    chance.shuffle(shuffled)
    assert benchmark_quality(shuffled, 100, resamples=50) == found
    assert shown(found)
    assert found.cells + sum(found.missing.values()) == len(found.systems) * len(found.articles)
    for relation in [each.relation for each in found.articles] + [each.relation for each in found.points]:
        r = relation.r
        assert (r.value is None) == bool(r.why) == (relation.p is None)
        assert r.value is None or -1 <= r.value <= 1
        assert relation.p is None or 0 < relation.p <= 1
    for place in found.ranking.places:
        assert 1 <= place.rank <= len(found.systems)
        assert (place.ranks is None) == bool(place.why)
    for size in found.ranking.curve:
        assert 0 < size.n < len(found.articles)


@given(st.lists(st.lists(scores, min_size=4, max_size=4), min_size=2, max_size=8))
def test_of_complete_data_the_rest_is_the_mean_over_the_other_articles(rows: list[list[float]]) -> None:
    found = benchmark_quality(cells({f"{i}": row for i, row in enumerate(rows)}), 100, resamples=30)
    table = np.array(rows)
    for i, each in enumerate(found.articles):
        rest = np.delete(table, i, axis=0).mean(axis=0)
        if each.relation.r.value is not None:
            assert each.relation.r.value == pytest.approx(np.corrcoef(table[i], rest)[0, 1], abs=1e-9)
        else:
            assert np.ptp(table[i]) == 0 or np.ptp(rest) < 1e-9


@given(st.lists(st.lists(scores, min_size=3, max_size=3), min_size=2, max_size=12))
def test_a_system_that_is_there_twice_shares_rank_mean_and_intervals(rows: list[list[float]]) -> None:
    once = benchmark_quality(cells({f"{i}": row for i, row in enumerate(rows)}), 100, resamples=50).ranking
    twice = benchmark_quality(cells({f"{i}": [row[0], *row] for i, row in enumerate(rows)}), 100, resamples=50).ranking
    of = {place.system: place for place in twice.places}
    assert (of["A"].rank, of["A"].mean, of["A"].ranks) == (of["B"].rank, of["B"].mean, of["B"].ranks)
    pairs = [each for each in twice.neighbours if {each.upper, each.lower} == {"A", "B"}]
    assert all((each.holds.value, each.holds.why) == (None, TIED) for each in pairs)
    alone = {place.system: place.mean for place in once.places}
    assert (of["A"].mean, of["C"].mean, of["D"].mean) == (alone["A"], alone["B"], alone["C"])


@given(scores, st.integers(3, 5), st.integers(2, 12))
def test_of_constant_scores_nothing_is_claimed(score: float, systems: int, n: int) -> None:
    found = benchmark_quality(cells({f"{i}": [score] * systems for i in range(n)}), 100, resamples=20)
    same = "saturated" if score == 100 else "failed_by_all" if score == 0 else "alike"
    assert {each.verdict for each in found.articles} == {same}
    assert {each.relation.p for each in found.articles} == {None}
    assert {place.rank for place in found.ranking.places} == {1}
    assert {pair.holds.why for pair in found.ranking.neighbours} == {TIED}
    assert (found.ranking.tau.why, found.ranking.enough.why, found.ranking.curve) == (ALL_TIED, ALL_TIED, ())


@given(st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), min_size=2, max_size=20))
def test_tau_is_kendalls(rows: list[list[int]]) -> None:
    full, drawn = np.array(rows[0], dtype=float), np.array(rows[1:], dtype=float)
    for row, tau in zip(drawn, taus(full, drawn).tolist(), strict=True):
        expected = kendall_tau_b(full, row)
        assert math.isnan(tau) if expected is None else tau == pytest.approx(expected)


# The command


def test_the_command_says_what_it_rests_on(discox: Command, sample: Path) -> None:
    result = discox("build", "test", "--db", sample)
    assert result.code == 0
    text = " ".join(result.out.split())
    assert "imported, signature unknown: judge meridian-pro" in text
    assert "11 scores of 0-100: 3 systems, 4 articles, 38 rubric points." in text
    assert "Left out: 1 of 12 translations (judge failed 1). All systems have a score on 3 articles" in text
    assert "aurora-72b 1 – 4 60.00" in text  # as on the leaderboard
    assert "aurora-72b > heron-14b 3 0.933 0.000" in text
    assert "saturated 0 2" in text
    assert "law-01 10 3 0.00 0.00–0.56" in text
    assert FEW_ARTICLES in text
    assert max(map(len, result.out.splitlines())) <= 80


def test_json_and_csv_say_the_same(discox: Command, sample: Path) -> None:
    (test,) = json.loads(discox("build", "test", "--db", sample, "--json").out)["tests"]
    rows = list(csv.DictReader(io.StringIO(discox("build", "test", "--db", sample, "--csv").out)))
    by_kind: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_kind.setdefault(row["row"], []).append(row)
    assert {kind: len(of) for kind, of in by_kind.items()} == {
        "system": 3,
        "neighbours": 2,
        "tau": 1,
        "enough": 1,
        "size": 3,
        "article": 4,
        "point": 38,
    }
    assert [row["verdict"] for row in by_kind["article"]] == [each["verdict"] for each in test["articles"]]
    (essay,) = [each for each in test["articles"] if each["article"] == "essay-02"]
    assert (essay["n"], essay["r"]["value"], essay["verdict"]) == (2, None, "undefined")
    assert TOO_FEW in essay["r"]["why"]
    with closing(open_library(sample)) as connection:
        standings = leaderboards(connection)[0].rankings[0].standings
    assert [(each["system"], each["rank"], each["mean"]["low"]) for each in test["ranking"]] == [
        (each.system, each.rank, each.mean.low) for each in standings
    ]


def test_people_stand_in_for_the_judge_where_they_are_done(discox: Command, sample: Path) -> None:
    def first(*options: object) -> Any:
        return json.loads(discox("build", "test", "--db", sample, "--json", *options).out)["tests"][0]

    judge, everybody, lin = first(), first("--people"), first("--people", "--reviewer", "lin")
    assert judge["by_people"] is None
    assert everybody["by_people"] >= lin["by_people"] > 0
    assert everybody["points"] != judge["points"]
    assert first("--people", "--reviewer", "nobody")["ranking"] == judge["ranking"]
    with closing(open_library(sample)) as connection:
        standings = leaderboards(connection)[0].rankings[0].standings
    human = next(each.human for each in standings if each.system == "aurora-72b")
    assert human is not None
    assert human.human.n == 4  # all of hers
    place = next(each for each in everybody["ranking"] if each["system"] == "aurora-72b")
    assert place["mean"]["value"] == human.human.value


def test_a_point_that_a_person_turns_is_turned_and_undone(discox: Command, sample: Path) -> None:
    connection = open_library(sample)
    evaluation, point = connection.execute(
        "SELECT r.evaluation_id, v.point FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id "
        "JOIN rubric_verdicts v ON v.evaluation_id = e.id "
        "WHERE r.reviewer = 'lin' AND r.state = 'done' AND e.state = 'scored' AND v.met ORDER BY e.id, v.point"
    ).fetchone()
    article, system = connection.execute(
        "SELECT article, system FROM evaluations WHERE id = ?", (evaluation,)
    ).fetchone()

    def failed() -> float | None:
        (test,) = benchmark_tests(connection, people=True)
        return points(test.examined)[article, point].failed.value

    before = failed()
    log = ReviewLog(connection, "lin")
    log.set_point(evaluation, point, decision="violated")
    assert failed() == pytest.approx((before or 0) + 1 / 3), system
    log.undo()
    assert failed() == before
    connection.close()


def test_reports_are_written_and_no_name_acts(discox: Command, tmp_path: Path) -> None:
    names = ["=1+1", "[bold]m[/]", "\x1b[31mred", "a\tb\nc", "\u202egpj", "混元大模型🙂" * 20]
    library(tmp_path / "hostile.db", *({"system": name, "article": f"{name}{i}"} for name in names for i in range(2)))
    for options in ((), ("--csv",), ("--json",), ("--html", "-"), ("--markdown", "-"), ("--latex", "-")):
        result = discox("build", "test", "--db", tmp_path / "hostile.db", *options)
        assert result.code == 0, result
        assert not {"\x1b", "\u202e"} & set(result.out)
    assert discox("build", "test", "--db", tmp_path / "hostile.db", "--html", tmp_path / "r.html").code == 0
    assert "Is it a good test?" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_what_makes_no_sense_is_refused(discox: Command, sample: Path) -> None:
    assert discox("build", "test", "--db", sample, "--resamples", 10).code == 2
    assert discox("build", "test", "--db", sample, "--json", "--csv").code == 2
    empty = discox("build", "test", "--db", sample, "no-such-word")
    assert (empty.code, empty.out.startswith("Nothing is judged")) == (0, True)


def test_an_output_that_is_no_translation_has_0_and_fails_every_point(sample: Path) -> None:
    with closing(open_library(sample)) as connection:
        found = benchmark_tests(connection)[0].examined
    assert articles(found)["news-04"].lowest == 0
    of_article = [each for each in found.points if each.article == "news-04"]
    assert of_article
    assert all(each.unknown == 0 and each.failed.value and each.failed.value >= 1 / 3 for each in of_article)


def test_versions_of_one_article_are_told_apart_and_signatures_are_never_mixed(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "library.db")) as connection:
        for system in ("alba", "borea"):
            builders.add(connection, system=system)
            builders.add(connection, system=system, source=f"{builders.SOURCE}\n\n终。")
        builders.add(connection, system="alba", judge="kestrel")
        first, second = benchmark_tests(connection)
        ids = [row[0] for row in connection.execute("SELECT id FROM articles ORDER BY id")]
    assert [first.of.judge, second.of.judge] == ["osprey", "kestrel"]
    assert [each.article for each in first.examined.articles] == [f"river-01 [{identity[:8]}]" for identity in ids]
    assert [each.article for each in second.examined.articles] == ["river-01"]
