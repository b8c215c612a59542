"""The figures of a leaderboard: worked by hand, and whatever the order of things; which rows count."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.reports.ranking.leaderboard import as_json
from discox_tui.reports.ranking.leaderboard_sections import leaderboard_report
from discox_tui.reports.render.text import as_text
from judges.metric_s.published import field_of, published
from judges.model import Article, EvaluationState
from judges.ranking.ranking import CUTS, JudgedTranslation, Points, Ranking, SystemRank, rankings
from judges.stats.resampling import NEVER_VARIES, Estimate
from storage.analysis.judge_scores import leaderboards, read_judged
from storage.db.connection import Connection, transaction
from storage.integrity.opening import open_library
from storage.record.library import add_translation
from storage.reviews.queue import headers
from storage.runs.runs import Work, store_judged
from tests.support import builders


def row(
    article: str, system: str, total: float | None, state: EvaluationState = "scored", **more: Any
) -> JudgedTranslation:
    points: Points | None = None if total is None else (total, total * 0.6, total * 0.2, total * 0.2)
    given = {"direction": "zh-en", "domain": "news", "subdomain": "", **more}
    return JudgedTranslation(article, system, state=state, points=points, **given)


def board(*scores: tuple[str, dict[str, float | None]], **more: Any) -> Ranking:
    """The ranking by total of systems with their totals by article; None: the judge failed."""
    rows = [
        row(article, system, total, "scored" if total is not None else "judge_failed")
        for system, totals in scores
        for article, total in totals.items()
    ]
    (found,) = rankings(rows, ["total"], **more)
    return found


def by_system(ranking: Ranking) -> dict[str, SystemRank]:
    return {standing.system: standing for standing in ranking.standings}


# Worked by hand


def test_a_failed_judge_is_left_out_and_a_failed_check_is_a_judged_0() -> None:
    rows = [
        row("1", "A", 80),
        row("2", "A", None, "judge_failed"),
        row("3", "A", None, "no_translation"),
        row("4", "A", 0, "instruction_failed"),
        row("5", "A", None, "not_judged"),
        row("6", "A", None, "not_judged"),
    ]
    (ranking,) = rankings(rows, ["total"])
    (standing,) = ranking.standings
    assert (standing.mean.value, standing.mean.n) == (40, 2)
    assert vars_of(standing.counts) == (1, 1, 1, 1)
    left_out = {
        "evaluations in which a judge failed": 1,
        "evaluations without a translation by the system": 1,
        "evaluations of which the judge read nothing": 2,
    }
    assert dict(standing.mean.left_out) == dict(standing.parts["fluency"].left_out) == left_out
    assert standing.lead is None
    assert ranking.few == ("A",)


def vars_of(counts: Any) -> tuple[int, ...]:
    return counts.scored, counts.instruction_failed, counts.judge_failed, counts.no_translation


def test_neighbours_are_compared_over_what_both_have() -> None:
    # B is above by its own articles, and below by the seven that both have.
    common = {f"c{i}": 50.0 + i for i in range(7)}
    ranking = board(("A", dict.fromkeys(common, 63.0)), ("B", {**common, **{f"b{i}": 100.0 for i in range(7)}}))
    first, second = ranking.standings
    assert (first.system, first.mean.value, second.mean.value) == ("B", 76.5, 63)
    assert (ranking.articles, ranking.common, ranking.same_articles) == (14, 7, False)
    assert first.lead is not None
    assert (first.lead.difference.value, first.lead.difference.n) == (-10, 7)
    low, high = first.lead.difference.ends or (0, 0)
    assert -13 < low < -10 < high < -7
    assert (first.lead.p, first.lead.exact, first.lead.verdict) == (2 / 2**7, True, "behind")


def test_ahead_takes_an_interval_above_0_and_an_adjusted_p() -> None:
    six = [f"{i}" for i in range(6)]
    rising = {each: 60 + i for i, each in enumerate(six)}
    two = board(("A", rising), ("B", dict.fromkeys(six, 50)))
    assert two.standings[0].lead is not None
    assert (two.standings[0].lead.p_holm, two.standings[0].lead.verdict) == (2 / 2**6, "ahead")
    three = board(
        ("A", rising), ("B", dict.fromkeys(six, 50)), ("C", {each: 40 - i for i, each in enumerate(six)})
    )  # the same difference, but one of two
    assert three.standings[0].lead is not None
    assert (three.standings[0].lead.p_holm, three.standings[0].lead.verdict) == (4 / 2**6, "not_shown")


@pytest.mark.parametrize(("gap", "n"), [(0, 2), (10, 4), (0, 12), (10, 40), (0.1 + 0.2, 12)])
def test_a_lead_that_never_varies_is_undefined(gap: float, n: int) -> None:
    scores = {f"{i}": 40.0 + 7 * (i % 5) for i in range(n)}
    ranking = board(("A", {each: score + gap for each, score in scores.items()}), ("B", scores))
    lead = ranking.standings[0].lead
    assert lead is not None
    assert lead.difference == Estimate(pytest.approx(gap), n, why=NEVER_VARIES)
    assert (lead.p, lead.p_holm, lead.verdict) == (None, None, "undefined")


def test_equal_means_share_a_rank_and_nothing_judged_has_none() -> None:
    ranking = board(("A", {"1": 10}), ("B", {"1": 0.1 + 0.2}), ("C", {"1": 0.3}), ("D", {"1": None}), ("E", {"1": 10}))
    assert [(s.system, s.rank) for s in ranking.standings] == [("A", 1), ("E", 1), ("B", 3), ("C", 3), ("D", None)]
    left_out = (("evaluations in which a judge failed", 1),)
    assert by_system(ranking)["D"].mean == Estimate(None, 0, why="no article", left_out=left_out)
    assert by_system(ranking)["A"].lead is not None
    assert ranking.standings[0].lead.verdict == "undefined"  # type: ignore[union-attr]
    assert ranking.same_articles  # of those that have any


def test_samples_are_averaged_first() -> None:
    rows = [
        *(row("1", "A", total, sample=i) for i, total in enumerate((10, 20, 60), 1)),
        row("2", "A", 50),
        row("2", "A", None, "judge_failed", sample=2),
    ]
    (standing,) = rankings(rows, ["total"])[0].standings
    assert (standing.mean.value, standing.mean.n) == (40, 2)
    assert vars_of(standing.counts) == (4, 0, 1, 0)


def test_the_human_stands_beside_the_judge_over_the_same_articles() -> None:
    rows = [row("1", "A", 40, human=(60, 40, 10, 10)), row("2", "A", 100)]
    (standing,) = rankings(rows, ["total"])[0].standings
    assert standing.human is not None
    assert (standing.human.human.value, standing.human.judge.value, standing.human.human.n) == (60, 40, 1)
    assert standing.mean.value == 70


def test_every_cut() -> None:
    kinds = {"1": ("zh-en", "news", "x"), "2": ("en-zh", "news", "y"), "3": ("en-zh", "law", "y")}
    rows = [
        row(article, "A", float(article), direction=direction, domain=domain, subdomain=subdomain)
        for article, (direction, domain, subdomain) in kinds.items()
    ]
    found = {(ranking.cut, ranking.label): ranking.standings[0].mean.value for ranking in rankings(rows, CUTS)}
    assert found == {
        ("total", ""): 2,
        ("dimension", "accuracy"): pytest.approx(1.2),
        ("dimension", "fluency"): pytest.approx(0.4),
        ("dimension", "appropriateness"): pytest.approx(0.4),
        ("direction", "en-zh"): 2.5,
        ("direction", "zh-en"): 1,
        ("domain", "news"): 1.5,
        ("domain", "law"): 3,
        ("subdomain", "y"): 2.5,
        ("subdomain", "x"): 1,
        ("academic", "non-academic"): 1.5,
    }


def test_systems_of_a_kind_are_ranked_among_themselves() -> None:
    totals = {"GPT-4o": (40, 60), "qwen 3 8b": (70, 10), "mine": (90, 80), "Youdao-14B": (1, 2), "unknown": (5, 5)}
    rows = [row(str(n), system, total) for system, of in totals.items() for n, total in enumerate(of)]
    found = rankings(rows, ["kind"], kinds={"Mine": "closed", "gpt-4o": "closed"})
    assert [(ranking.label, [(s.system, s.mean.value) for s in ranking.standings]) for ranking in found] == [
        ("open", [("qwen 3 8b", 40)]),
        ("closed", [("mine", 85), ("GPT-4o", 50)]),
        ("domain-specific", [("Youdao-14B", 1.5)]),
    ]
    assert found[1].standings[0].lead is not None
    assert found[1].standings[0].lead.difference.value == 35
    assert rankings([row("1", "unknown", 4)], ["kind"]) == ()


@pytest.mark.parametrize(
    ("domain", "half"),
    [
        ("学术论文", "academic"),
        ("社会科学", "academic"),
        ("Applied", "academic"),
        ("文学艺术", "non-academic"),
        ("News", "non-academic"),
        ("Literature arts", "non-academic"),
        ("cooking", None),
        ("", None),
    ],
)
def test_a_domain_is_in_one_half(domain: str, half: str | None) -> None:
    assert field_of(domain) == half


def test_the_halves_are_totals_over_their_domains() -> None:
    domains = ("学术论文", "新闻资讯", "垂类场景", "cooking")
    rows = [row(str(n), "A", float(10 * n), domain=domain) for n, domain in enumerate(domains, 1)]
    found = {
        ranking.label: (ranking.articles, ranking.standings[0].mean.value) for ranking in rankings(rows, ["academic"])
    }
    assert found == {"academic": (1, 10), "non-academic": (2, 25)}


def test_what_is_not_judged_has_no_ranking() -> None:
    alone = [replace(row("1", "A", 40), points=(40, 40, None, None))]
    assert [ranking.label for ranking in rankings(alone)] == ["", "accuracy", "zh-en", "news", "non-academic"]
    assert rankings([], CUTS) == ()
    failed = rankings([row("1", "A", None, "judge_failed")])
    assert [ranking.cut for ranking in failed] == ["total", "direction", "domain", "academic"]
    assert failed[0].standings[0].counts.judge_failed == 1


# Whatever the order


@st.composite
def sheets(draw: st.DrawFn) -> list[JudgedTranslation]:
    """Rows of a few systems and articles, some missing."""
    cells = [(f"a{a}", f"s{s}") for a in range(draw(st.integers(1, 12))) for s in range(draw(st.integers(1, 4)))]
    scores = st.one_of(st.none(), st.integers(0, 100))
    rows = [(article, system, draw(scores)) for article, system in dict.fromkeys(cells)]
    return [
        row(article, system, total, "judge_failed" if total is None else "scored", direction=f"d{int(article[1:]) % 2}")
        for article, system, total in rows
    ]


@given(sheets(), st.randoms())
def test_the_order_of_rows_changes_nothing(rows: list[JudgedTranslation], chance: random.Random) -> None:
    shuffled = chance.sample(rows, len(rows))
    assert rankings(shuffled, CUTS, 200) == rankings(rows, CUTS, 200)


@given(sheets(), st.integers(1, 50))
def test_a_constant_moves_means_and_leaves_leads(rows: list[JudgedTranslation], constant: int) -> None:
    def moved(points: Points | None) -> Points | None:
        return points and tuple(part + constant for part in points if part is not None)  # type: ignore[return-value]

    before = rankings(rows, ["total", "direction"], 200)
    after = rankings([replace(each, points=moved(each.points)) for each in rows], ["total", "direction"], 200)
    for old, new in zip(before, after, strict=True):
        for a, b in zip(old.standings, new.standings, strict=True):
            assert (a.system, a.rank, a.counts) == (b.system, b.rank, b.counts)
            if a.mean.low is not None and a.mean.value is not None:
                assert (b.mean.value, b.mean.low) == pytest.approx((a.mean.value + constant, a.mean.low + constant))
            if a.lead and b.lead:
                assert (a.lead.p, a.lead.verdict) == (b.lead.p, b.lead.verdict)


@given(sheets())
def test_figures_are_in_their_bounds(rows: list[JudgedTranslation]) -> None:
    for ranking in rankings(rows, CUTS, 200):
        assert ranking.common <= ranking.articles
        means = [round(s.mean.value, 6) for s in ranking.standings if s.mean.value is not None]
        assert means == sorted(means, reverse=True)
        for standing in ranking.standings:
            for estimate in standing.parts.values():
                assert (estimate.value is None) == (estimate.n == 0)
                assert (estimate.low is None) == (estimate.n < 5) == bool(estimate.why)
                if estimate.low is not None and estimate.high is not None and estimate.value is not None:
                    assert 0 <= estimate.low <= estimate.high <= 100
            if standing.lead and standing.lead.p is not None and standing.lead.p_holm is not None:
                assert 0 < standing.lead.p <= standing.lead.p_holm <= 1


def test_a_table_is_the_same_whichever_others_are_asked_for() -> None:
    rows = [row(f"{a}", f"s{s}", (a * 7 + s * 13) % 101) for a in range(30) for s in range(3)]
    everything = rankings(rows, CUTS, 200)
    for cut in CUTS:
        assert rankings(rows, [cut], 200) == tuple(ranking for ranking in everything if ranking.cut == cut)
    assert rankings(rows, CUTS, 200, seed=2) != everything


# The published figures


def test_the_published_rows_are_all_there_and_add_up_as_far_as_they_do() -> None:
    figures = published()
    assert len(figures.systems) == 21
    for system in figures.systems:
        parts = system.parts
        assert sum(parts[part] for part in parts if part != "total") == pytest.approx(parts["total"], abs=0.02)
        if system.directions and system.system != "Claude-4":
            assert sum(each["total"] for each in system.directions.values()) / 2 == pytest.approx(
                parts["total"], abs=0.05
            )
    claude = figures.find("claude 4")
    assert claude is not None
    assert (claude.figure("total", ""), claude.figure("direction", "zh-en")) == (54.04, 62.44)


@pytest.mark.parametrize(
    ("name", "cut", "label", "figure"),
    [
        ("GPT-4o", "academic", "academic", 39.6),
        ("GPT-4o", "academic", "non-academic", 40.43),
        ("Google NMT", "kind", "nmt", 37.1),
        ("Google NMT", "kind", "open", None),
        ("gpt-5 HIGH", "total", "", 76.66),
        ("GPT5-high", "dimension", "fluency", 15.21),
        ("qwen-3-235b-t", "direction", "zh-en", 58.12),
        ("GPT-4o", "domain", "学术论文", 39.6),
        ("GPT-4o", "subdomain", "人文科学", 33.25),
        ("GPT-4o", "domain", "news", 49.51),
        ("Human Expert", "direction", "zh-en", None),
        ("Human Expert", "domain", "news", None),
        ("GPT-4o", "domain", "cooking", None),
    ],
)
def test_a_published_figure_is_found(name: str, cut: str, label: str, figure: float | None) -> None:
    system = published().find(name)
    assert system is not None
    assert system.figure(cut, label) == figure


def test_a_name_that_was_not_published_is_not_found() -> None:
    assert published().find("heron-14b") is None
    assert published().find("") is None


def test_kinds_and_means_by_direction_are_as_published() -> None:
    figures = published()
    assert Counter(row.kind for row in figures.systems) == {
        "closed": 11, "open": 7, "domain-specific": 1, "nmt": 1, "human": 1,
    }  # fmt: skip
    assert {row.system for row in figures.systems if row.open_source} == {
        *("Qwen-3-235B", "Kimi-K2", "Qwen-3-235B-T", "DeepSeek-V3", "DeepSeek-R1", "Qwen-3-14B", "Qwen-3-8B"),
        "Youdao-14B",
    }
    for direction, total in (("zh-en", 61.37), ("en-zh", 39.94)):
        own = [row.directions[direction]["total"] for row in figures.systems if row.directions]
        assert figures.averages[direction]["total"] == total == pytest.approx(sum(own) / len(own), abs=0.01)
    assert list(figures.ablations.values()) == [0.9, 0.7, 0.7, 0.6, 0.2]


# Which rows count


@pytest.fixture
def connection(tmp_path: Path) -> Connection:
    return open_library(tmp_path / "library.db")


def run_of(connection: Connection, article: str = "1", system: str = "heron", **given: Any) -> str:
    """Store an evaluation of a run; ``given`` may hold what a `Work`, a signature and a `Judged` take."""
    sample, standing, scheme = given.get("sample", 1), given.get("standing"), given.get("scheme", "full")
    with transaction(connection):
        translation = add_translation(connection, Article(article, "source", "zh-en"), system, given.get("text", "t"))
        work = Work(translation, sample, standing, failed=bool(standing))
        answered = given.get("answered", ("osprey-2",))
        judged = builders.judged(given.get("state", "scored"), given.get("found"), scheme)
        return store_judged(connection, builders.start(connection), work, builders.signature(scheme, answered), judged)


def test_signatures_and_imports_are_never_mixed(connection: Connection) -> None:
    builders.add(connection)
    for article in "12":
        run_of(connection, article)
    run_of(connection, scheme="accuracy")
    groups = read_judged(connection)
    assert [(group.judge, group.signature is None, len(group.rows)) for group in groups] == [
        ("osprey", False, 2),
        ("osprey", True, 1),
        ("osprey:accuracy", False, 1),
    ]
    alone = leaderboards(connection)[2]
    assert [ranking.label for ranking in alone.rankings if ranking.cut == "dimension"] == ["accuracy"]
    assert (alone.maximum("total"), alone.maximum("fluency")) == (60, 0)


def test_samples_of_one_judge_are_one_board(connection: Connection) -> None:
    run_of(connection)
    run_of(connection, sample=2, found=())
    (group,) = read_judged(connection)
    assert (group.judge, group.samples, len(group.rows)) == ("osprey", 2, 2)
    (ranking, *_) = leaderboards(connection)[0].rankings
    first, perfect = (header.score[0] for header in headers(connection, "mei"))
    assert first is not None
    assert perfect == 100
    assert ranking.standings[0].mean.value == (first + 100) / 2
    assert ranking.standings[0].mean.n == 1


def test_what_was_judged_again_and_what_is_older_do_not_count(connection: Connection) -> None:
    failed = run_of(connection, state="judge_failed")
    run_of(connection, standing=failed)
    (group,) = read_judged(connection)
    assert [each.state for each in group.rows] == ["scored"]
    assert (group.superseded, group.passed_over) == (1, 0)
    run_of(connection, text="another", found=())
    (group,) = read_judged(connection)
    assert [each.points and each.points[0] for each in group.rows] == [100]
    assert (group.superseded, group.passed_over) == (1, 1)


def test_words_do_not_bring_back_what_was_replaced(connection: Connection) -> None:
    failed = run_of(connection, state="judge_failed")
    run_of(connection, standing=failed)
    run_of(connection, "2", "judge-failed")
    assert read_judged(connection, "judge failed 1") == []
    (group,) = read_judged(connection, "judge-failed")
    assert [each.system for each in group.rows] == ["judge-failed"]


def test_an_evaluation_that_no_model_answered_goes_with_those_asked_alike(connection: Connection) -> None:
    run_of(connection, "1")
    run_of(connection, "2", state="no_translation", answered=(), text=None, found=())
    (group,) = read_judged(connection)
    assert {each.state for each in group.rows} == {"scored", "no_translation"}
    assert group.signature is not None
    assert "answered:osprey-2" in group.signature


def test_another_version_of_the_model_is_named_on_the_same_board(connection: Connection) -> None:
    for article in "12":
        run_of(connection, article)
    run_of(connection, "3", answered=("osprey-3",))
    (group,) = read_judged(connection)
    assert ["osprey-2" in text for text in group.signatures] == [True, False]
    text = as_text(leaderboard_report(leaderboards(connection), {}).sections)
    assert all(signature in text for signature in group.signatures)
    assert "2 signatures" in text
    (board,) = as_json(leaderboards(connection))["leaderboards"]
    assert (board["signature"], *board["further_signatures"]) == group.signatures


def test_a_failed_check_is_0_in_what_is_judged(connection: Connection) -> None:
    run_of(connection, state="instruction_failed", found=(), scheme="accuracy")
    (group,) = read_judged(connection)
    assert group.rows[0].points == (0, 0, None, None)


def test_only_reviews_that_are_done_count(sample: Path) -> None:
    connection = open_library(sample)
    assert sum(each.human is not None for group in read_judged(connection) for each in group.rows) == 9
    one = [each.human for group in read_judged(connection, reviewer="okafor") for each in group.rows if each.human]
    assert 0 < len(one) < 9
    assert not [each for group in read_judged(connection, reviewer="nobody") for each in group.rows if each.human]
    connection.close()
