"""Audits from plan to leaderboard, through the command and on the screen; the figures are computed here once more."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing
from datetime import UTC, datetime, tzinfo
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]
from textual.pilot import Pilot

from discox_tui.app import DiscoxApp
from discox_tui.config.paths import Settings
from discox_tui.screens.figures.audited import AuditedScreen
from discox_tui.screens.figures.leaderboard import LeaderboardScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.widgets.bars import TextBlock
from judges.model import Finding, Severity
from judges.ranking.audit_estimate import SCORES_ONLY
from storage.analysis.audit.drawing import draw_audit, write_audit
from storage.db.connection import Connection, transaction
from storage.integrity.opening import open_library
from storage.reviews import plans
from storage.reviews.layers import layer_of
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import findings_of
from tests.conftest import Command
from tests.judges.ranking.test_ranking import run_of
from tests.support import builders
from tests.support.driving import SMALL, WIDE, Driver, opened

Scores = Any
"""An array, articles × systems."""
SYSTEMS = ("aurora", "heron", "plover", "sparrow")
ARTICLES = 16


class Noon(datetime):
    """The moment at which the plan of the pictures is made."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Noon:
        return cls(2026, 5, 4, 12, tzinfo=tz or UTC)


KEYS = [f"article-{number:02}" for number in range(ARTICLES)]


def found(drawn: Random, more: int) -> tuple[Finding, ...]:
    """So many and more findings of the judge, of costs that differ."""
    number = drawn.randint(2, 5) + more
    severities: tuple[Severity, ...] = ("minor", "major", "critical")
    return tuple(
        Finding("accuracy", n, f"Error {n}.", str(n), "omission", "漏译", drawn.choice(severities), "严重")
        for n in range(1, number + 1)
    )


def fill(connection: Connection, articles: Collection[str] = KEYS, seed: int = 1, direction: str = "zh-en") -> None:
    """Store one judge's evaluations of four systems' translations of every article."""
    drawn = Random(seed)
    for key in articles:
        hard = drawn.randint(0, 3)
        for place, system in enumerate(SYSTEMS):
            builders.add(connection, article=key, system=system, found=found(drawn, hard + place), direction=direction)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audits") / "filled.db"
    with closing(open_library(path)) as connection:
        fill(connection)
    return path


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "library.db"
    copy.write_bytes(filled.read_bytes())
    return copy


def evaluations(connection: sqlite3.Connection, article: str) -> list[str]:
    query = "SELECT id FROM evaluations WHERE article = ? ORDER BY system"
    return [row[0] for row in connection.execute(query, (article,))]


def sql(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, values).fetchall()


def ids(path: Path, article: str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return evaluations(connection, article)


def audit(
    path: Path, articles: Collection[str], reviewer: str = "ana", *, search: bool = True, systems: int = len(SYSTEMS)
) -> None:
    """Let a reviewer audit articles: of every evaluation some findings are rejected, which ones only she knows."""
    with closing(open_library(path)) as connection, (log := ReviewLog(connection, reviewer)).as_one():
        for article in articles:
            drawn = Random(f"{reviewer} {article}")
            for identity in evaluations(connection, article)[:systems]:
                for finding in findings_of(connection, identity):
                    log.decide(identity, finding, decision=drawn.choice(["agree", "agree", "not_an_error"]))
                log.set_review(identity, state="done", **({"search": "done"} if search else {}))


def table(path: Path, query: str, *values: object) -> Scores:
    """Scores by article and system, articles × systems."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(query, values).fetchall()
    articles = sorted({row[0] for row in rows})
    scores = {(article, system): score for article, system, score in rows}
    return np.array([[scores[article, system] for system in SYSTEMS] for article in articles], dtype=float)


def judges_scores(path: Path) -> Scores:
    return table(path, "SELECT article, system, total FROM evaluations")


def peoples_scores(path: Path, reviewer: str = "ana") -> Scores:
    query = (
        "SELECT e.article, e.system, r.total FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id "
        "WHERE r.reviewer = ? AND r.search = 'done'"
    )
    return table(path, query, reviewer)


def centre(values: Scores) -> Scores:
    return values - values.mean(1, keepdims=True) - values.mean(0) + values.mean()


def slope_of(human: Scores, judge: Scores, n: int) -> float:
    power = (centre(judge) ** 2).sum()
    return float(max(0.0, (centre(human) * centre(judge)).sum() / power) / (1 + 2 / n)) if n >= 4 else 0.0


def plainly(judge: Scores, human: Scores, rows: list[int], target: str) -> dict[str, Any]:
    """The audited scores by the formulas, each written down as it stands."""
    articles, n, seen = len(judge), len(rows), judge[rows]
    slope = slope_of(human, seen, n)
    mean = judge.mean(0)
    scores = (human - slope * (seen - mean)).mean(0)
    errors = np.array(
        [human[d] - slope_of(np.delete(human, d, 0), np.delete(seen, d, 0), n) * (seen[d] - mean) for d in range(n)]
    )
    t = stats.t.ppf(0.975, n - 1)
    widths = []
    for s, u in combinations(range(len(SYSTEMS)), 2):
        e, f, seen_f = errors[:, s] - errors[:, u], judge[:, s] - judge[:, u], seen[:, s] - seen[:, u]
        variance = (1 - n / articles) * e.var(ddof=1) / n
        if target == "new-documents":
            together = np.cov(e, seen_f, ddof=1)[0, 1]
            variance = e.var(ddof=1) / n + slope**2 * f.var(ddof=1) / articles + 2 * slope * together / articles
        widths.append(t * np.sqrt(variance))
    x, y = mean - mean.mean(), scores - scores.mean()
    share = 1 - n / articles if target == "this-test-set" else 1.0
    v = (share * (errors - errors.mean(1, keepdims=True)).var(0, ddof=1) / n).mean()
    b = max(0.0, (x * y).sum() / (x**2).sum())
    rest = y - b * x
    tau = max(0.0, (rest**2).sum() / (len(SYSTEMS) - 2) - v)
    best = scores.mean() + b * x + (tau / (tau + v) if tau + v else 1.0) * rest
    return {"slope": slope, "audited": scores, "half_width": widths, "best_guess": best, "gap": -rest, "judge": mean}


def boards(discox: Command, path: Path, *options: object) -> list[dict[str, Any]]:
    result = discox("leaderboard", "--audited", "--db", path, "--json", *options)
    assert (result.code, result.err) == (0, "")
    return list(json.loads(result.out)["audited_leaderboards"])


def compare(cut: dict[str, Any], wanted: dict[str, Any]) -> None:
    by_system = {row["system"]: row for row in cut["scores"]}
    for name in ("judge", "audited", "best_guess", "gap"):
        assert [by_system[system][name] for system in SYSTEMS] == pytest.approx(list(wanted[name]), abs=1e-9), name
    assert [pair["half_width"] for pair in cut["pairs"]] == pytest.approx(wanted["half_width"], abs=1e-9)
    assert cut["slope"] == pytest.approx(wanted["slope"], abs=1e-12)
    for pair in cut["pairs"]:
        difference = by_system[pair["first"]]["audited"] - by_system[pair["second"]]["audited"]
        assert pair["difference"] == pytest.approx(difference)
        beyond = abs(difference) > pair["half_width"]
        assert pair["better"] == ((pair["first"] if difference > 0 else pair["second"]) if beyond else None)


# What counts


def test_a_full_audit_is_peoples_means_for_certain(discox: Command, path: Path) -> None:
    audit(path, KEYS)
    (board,) = boards(discox, path)
    (cut,) = board["cuts"]
    assert (cut["n"], cut["articles"], cut["saw_the_judge"]) == (ARTICLES, ARTICLES, ARTICLES)
    means = dict(zip(SYSTEMS, peoples_scores(path).mean(0), strict=True))
    assert {row["system"]: row["audited"] for row in cut["scores"]} == pytest.approx(means)
    assert {row["half_width"] for row in cut["scores"]} == {0.0}
    assert cut["undecided"] == []
    assert [row["audited"] for row in cut["scores"]] == pytest.approx(sorted(means.values(), reverse=True))


def test_what_people_chose_by_hand_is_left_out(discox: Command, path: Path) -> None:
    audit(path, KEYS[:6])
    (board,) = boards(discox, path)
    assert [(each["article"], each["drawn"], each["counts"]) for each in board["audited"]] == [
        (key, False, False) for key in KEYS[:6]
    ]
    assert board["cuts"][0]["n"] == 0
    text = " ".join(discox("leaderboard", "--audited", "--db", path).out.split())
    assert "6 audited articles that no plan drew" in text
    assert "No audited article counts yet" in text
    assert "draws which to audit" in text
    assert discox("plan", "--audit", "4", "--reviewers", "ben", "--db", path).code == 0
    text = " ".join(discox("leaderboard", "--audited", "--db", path).out.split())
    assert "Of 4 drawn articles 4 are not audited yet" in text
    assert "draws which to audit" not in text, "they are drawn"


def test_an_article_counts_once_it_is_whole(discox: Command, path: Path) -> None:
    audit(path, KEYS[1:])
    audit(path, KEYS[:1], systems=3)
    (board,) = boards(discox, path)
    assert board["incomplete"] == [{"article": KEYS[0], "direction": "zh-en", "why": ["ana, sparrow: not reviewed"]}]
    audit(path, KEYS[:1], "ben")
    assert boards(discox, path)[0]["audited"][0]["auditors"] == ["ben"]
    assert boards(discox, path, "--reviewer", "ana")[0]["incomplete"] != []


def test_without_the_search_for_missed_errors_nothing_counts(discox: Command, path: Path) -> None:
    audit(path, KEYS[:2], search=False)
    (board,) = boards(discox, path)
    assert board["audited"] == []
    why = [f"ana, {system}: search for missed errors not done" for system in SYSTEMS]
    assert [each["why"] for each in board["incomplete"]] == [why, why]


def test_articles_without_a_score_of_every_system_are_named(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        builders.add(connection, article="torn", system="aurora", state="judge_failed")
    (board,) = boards(discox, path)
    assert board["left_out"] == [
        {
            "article": "torn",
            "direction": "zh-en",
            "why": [
                "aurora: judge failed", *(f"{system}: no evaluation" for system in SYSTEMS[1:])
            ],
        }
    ]  # fmt: skip
    assert board["cuts"][0]["articles"] == ARTICLES


def test_what_is_no_translation_has_nothing(discox: Command, path: Path) -> None:
    audit(path, KEYS)
    with closing(open_library(path)) as connection:
        for system in SYSTEMS[1:]:
            builders.add(connection, article="torn", system=system)
        summary = builders.add(connection, article="torn", system="aurora", state="instruction_failed", found=())
    audit(path, ["torn"])
    (board,) = boards(discox, path)
    assert board["incomplete"][0]["why"] == ["ana, aurora: instruction check not decided"]
    with closing(open_library(path)) as connection:
        ReviewLog(connection, "ana").set_review(summary, instruction="agree", search=None)
    (board,) = boards(discox, path)
    (torn,) = (each for each in board["audited"] if each["article"] == "torn")
    assert (torn["judge"][0], torn["human"][0]) == (0, 0)
    assert (board["cuts"][0]["n"], board["left_out"]) == (ARTICLES + 1, [])
    with closing(open_library(path)) as connection:
        ReviewLog(connection, "ana").set_review(summary, instruction="overturn")
    (board,) = boards(discox, path)
    assert board["incomplete"][0]["why"] == ["ana, aurora: search for missed errors not done"]


def test_what_an_adjudication_came_to_takes_the_place_of_what_all_others_say(discox: Command, path: Path) -> None:
    for name in ("ana", "ben"):
        audit(path, KEYS, name)
    disputed = ids(path, KEYS[0])[0]
    with closing(open_library(path)) as connection:
        log = ReviewLog(connection, layer_of("mei", "adjudicated"))
        for finding in findings_of(connection, disputed):
            log.decide(disputed, finding, decision="not_an_error")
        log.set_review(disputed, state="done", search="done")
    (board,) = boards(discox, path)
    means = (peoples_scores(path) + peoples_scores(path, "ben")) / 2
    means[0, 0] = 100
    assert np.array([each["human"] for each in board["audited"]]) == pytest.approx(means)
    assert board["audited"][0]["auditors"] == ["ana + mei:adjudicated", "ben + mei:adjudicated"]


def test_samples_of_a_judge_are_one_score_and_so_are_what_people_say_of_them(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "samples.db"
    drawn = Random(2)
    with closing(open_library(path)) as connection:
        for key in KEYS[:5]:
            for place, system in enumerate(SYSTEMS):
                for sample in (1, 2):
                    run_of(connection, key, system, sample=sample, found=found(drawn, place))
    audit(path, KEYS[:5], systems=2 * len(SYSTEMS))
    (board,) = boards(discox, path)
    mean = (
        "SELECT e.article, e.system, avg({}) FROM evaluations e JOIN reviews r ON r.evaluation_id = e.id GROUP BY 1, 2"
    )
    assert np.array([each["judge"] for each in board["audited"]]) == pytest.approx(table(path, mean.format("e.total")))
    assert np.array([each["human"] for each in board["audited"]]) == pytest.approx(table(path, mean.format("r.total")))
    assert board["cuts"][0]["n"] == 5


def test_what_is_judged_again_is_audited_still(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "again.db"
    drawn = Random(2)

    def judge(keys: Collection[str]) -> None:
        with closing(open_library(path)) as connection:
            for key in keys:
                for place, system in enumerate(SYSTEMS):
                    run_of(connection, key, system, text=f"{key} {system}", found=found(drawn, place))

    judge(KEYS[:6])
    plan = planned(discox, path, "--audit", 3, "--reviewers", "ana")
    audit(path, plan["articles"])
    (before,) = boards(discox, path)
    judge(KEYS[:6])  # by another version of the program, say, in a library that was merged
    (after,) = boards(discox, path)
    assert after["cuts"][0]["n"] == 3
    assert [each["human"] for each in after["audited"]] == [each["human"] for each in before["audited"]]
    assert [each["judge"] for each in after["audited"]] != [each["judge"] for each in before["audited"]]
    later = ids(path, plan["articles"][0])[1]  # aurora's second
    with closing(open_library(path)) as connection, (log := ReviewLog(connection, "ana")).as_one():
        for finding in findings_of(connection, later):
            log.decide(later, finding, decision="not_an_error")
        log.set_review(later, state="done", search="done")
    (read,) = boards(discox, path)
    assert [each["human"][0] for each in read["audited"] if each["article"] == plan["articles"][0]] == [100]


def test_a_judge_that_never_differs_foretells_nothing(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "dull.db"
    with closing(open_library(path)) as connection:
        for key in KEYS[:8]:
            for system in SYSTEMS:
                builders.add(connection, article=key, system=system)
    text = discox("plan", "--audit", 5, "--reviewers", "ana", "--db", path).out
    assert "cannot be told" in text
    assert max(map(len, text.splitlines())) <= 80
    audit(path, [key for (key,) in sql(path, _PLANNED)])
    (board,) = boards(discox, path)
    (cut,) = board["cuts"]
    assert (cut["slope"], cut["correlation"], cut["effective_audits"]) == (0, None, 5)
    assert {(row["best_guess"], row["gap"]) for row in cut["scores"]} == {(None, None)}
    assert "that the judge tells apart" in discox("leaderboard", "--audited", "--db", path).out


_PLANNED = "SELECT DISTINCT e.article FROM assignments a JOIN evaluations e ON e.id = a.evaluation_id"


# A plan, and what follows from it


def test_directions_can_be_drawn_by_plans_of_their_own(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "both.db"
    there = {"en-zh": KEYS[:6], "zh-en": KEYS[6:]}
    with closing(open_library(path)) as connection:
        for direction, keys in there.items():
            fill(connection, keys, direction=direction)
    plans = [planned(discox, path, "--audit", n, "--reviewers", "ana", "--words", way) for way, n in _SHARES.items()]
    audit(path, [key for plan in plans for key in plan["articles"]])
    (board,) = boards(discox, path)
    cuts = [(cut["direction"], cut["n"], cut["articles"]) for cut in board["cuts"]]
    assert cuts == [("en-zh", 4, 6), ("zh-en", 4, 10)]  # all together would be two parts in en-zh and one in zh-en
    assert board["outside"] == []
    assert "each stands for itself" in " ".join(board["notes"])
    rows = [key in plans[1]["articles"] for key in there["zh-en"]]
    mine = [i for i, chosen in enumerate(rows) if chosen]
    judge = judges_scores(path)[6:]
    compare(board["cuts"][1], plainly(judge, peoples_scores(path)[4:], mine, "this-test-set"))
    audit(path, KEYS)
    assert [cut["n"] for cut in boards(discox, path)[0]["cuts"]] == [ARTICLES, 6, 10]


_SHARES = {"en-zh": 4, "zh-en": 4}


def test_directions_with_other_systems_have_leaderboards_of_their_own(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "both.db"
    with closing(open_library(path)) as connection:
        fill(connection)
        drawn = Random(3)
        for key in ("back-1", "back-2", "back-3"):
            for system in ("aurora", "swift"):
                builders.add(connection, article=key, system=system, found=found(drawn, 1), direction="en-zh")
    refused = discox("plan", "--audit", 2, "--reviewers", "ana", "--db", path)
    assert refused.code == 1
    assert "with --words: zh-en, en-zh" in refused.err
    plan = planned(discox, path, "--audit", 2, "--reviewers", "ana", "--words", "en-zh")
    audit(path, plan["articles"], systems=2)
    zh_en, en_zh = boards(discox, path)
    assert (zh_en["systems"], en_zh["systems"]) == (list(SYSTEMS), ["aurora", "swift"])
    assert (zh_en["plans"], zh_en["left_out"], len(en_zh["plans"])) == ([], [], 1)
    assert [(cut["direction"], cut["n"], cut["articles"]) for cut in en_zh["cuts"]] == [("en-zh", 2, 3)]


def test_plans_that_drew_from_different_articles_have_scores_by_words(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "domains.db"
    drawn = Random(4)
    with closing(open_library(path)) as connection:
        for domain, keys in {"law": KEYS[:8], "poetry": KEYS[8:]}.items():
            for key in keys:
                for system in SYSTEMS:
                    builders.add(connection, article=key, system=system, found=found(drawn, 1), domain=domain)
    for domain in ("law", "poetry"):
        audit(path, planned(discox, path, "--audit", 4, "--reviewers", "ana", "--words", domain)["articles"])
    (board,) = boards(discox, path)
    assert (board["cuts"][0]["articles"], len(board["outside"])) == (0, ARTICLES)
    assert "No article could be drawn by every plan" in " ".join(board["notes"])
    for domain in ("law", "poetry"):
        ((cut,),) = ([*each["cuts"]] for each in boards(discox, path, domain))
        assert (cut["n"], cut["articles"]) == (4, 8)


def test_a_further_plan_draws_nothing_that_cannot_count(discox: Command, path: Path) -> None:
    first = planned(discox, path, "--audit", 4, "--reviewers", "ana")
    with closing(open_library(path)) as connection:
        fill(connection, ["later-1", "later-2"], 5)
    second = planned(discox, path, "--audit", ARTICLES, "--reviewers", "ana", "--dry-run")
    assert second["left_out"]["that an earlier plan could not draw, so that they could not count"] == 2
    assert sorted(first["articles"] + second["articles"]) == KEYS
    audit(path, ["later-1"])
    (board,) = boards(discox, path)
    assert board["outside"] == ["later-1", "later-2"]
    assert not any("no plan drew" in note for note in board["notes"])
    audit(path, KEYS)  # drawn or not: of what could be drawn nothing is left
    (cut,) = boards(discox, path)[0]["cuts"]
    assert (cut["n"], cut["articles"]) == (ARTICLES, ARTICLES)
    assert {row["half_width"] for row in cut["scores"]} == {0.0}


def test_each_direction_is_drawn_from_and_has_scores_of_its_own(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "both.db"
    there = {"en-zh": KEYS[:6], "zh-en": KEYS[6:]}
    with closing(open_library(path)) as connection:
        for direction, keys in there.items():
            fill(connection, keys, direction=direction)
    plan = planned(discox, path, "--audit", 8, "--reviewers", "ana")
    assert {way: len(set(keys) & set(plan["articles"])) for way, keys in there.items()} == {"en-zh": 3, "zh-en": 5}
    audit(path, plan["articles"])
    (board,) = boards(discox, path)
    assert [(cut["direction"], cut["n"], cut["articles"]) for cut in board["cuts"]] == [
        ("", 8, ARTICLES),
        ("en-zh", 3, 6),
        ("zh-en", 5, 10),
    ]
    of_all, people = judges_scores(path), peoples_scores(path)
    for cut, keys in zip(board["cuts"], (KEYS, *there.values()), strict=True):
        drawn = [each for each in plan["articles"] if each in keys]
        human = people[[plan["articles"].index(each) for each in drawn]]
        judge = of_all[[KEYS.index(key) for key in keys]]
        if len(drawn) < 4:
            nothing_but_scores(board, cut, human.mean(0))
            continue
        compare(cut, plainly(judge, human, [keys.index(key) for key in drawn], "this-test-set"))


def nothing_but_scores(board: dict[str, Any], cut: dict[str, Any], means: Any) -> None:
    """Hold that too few audits give people's means, with the reason, and nothing that claims more."""
    by_system = {row["system"]: row for row in cut["scores"]}
    assert [by_system[system]["audited"] for system in SYSTEMS] == pytest.approx(list(means))
    for row in cut["scores"]:
        assert {row[name] for name in ("half_width", "best_guess", "gap", "gap_half_width")} == {None}
    for pair in cut["pairs"]:
        names = ("half_width", "human_only_half_width", "p", "p_holm", "better", "audits_needed")
        assert {pair[name] for name in names} == {None}
    assert {each["why"] for each in (cut, *cut["scores"], *cut["pairs"])} == {SCORES_ONLY}
    assert (cut["slope"], cut["effective_audits"], cut["correlation"]) == (0, None, None)
    assert f"Too few: {SCORES_ONLY}." in cut["warnings"]


@pytest.mark.parametrize("holm", [(), ("--holm",)])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_than_four_audits_give_scores_only_in_every_format(
    discox: Command, path: Path, n: int, holm: tuple[str, ...]
) -> None:
    plan = planned(discox, path, "--audit", n, "--reviewers", "ana")
    audit(path, plan["articles"])
    (board,) = boards(discox, path, *holm)
    (cut,) = board["cuts"]
    assert (cut["n"], cut["expected_from"]) == (n, "judge")
    assert cut["expected"][0]["n"] == 4
    nothing_but_scores(board, cut, peoples_scores(path).mean(0))
    asked = ("leaderboard", "--audited", "--db", path, *holm)
    texts = [
        discox(*asked, *form).out for form in ((), *((f"--{each}", "-") for each in ("html", "markdown", "latex")))
    ]
    for text in texts:
        plain = " ".join(text.split())
        assert SCORES_ONLY in plain
        assert " > " not in "".join(line for line in text.splitlines() if "heron" in line)
        assert "undecided" not in plain
        assert "Unstable" not in plain
    rows = list(csv.DictReader(io.StringIO(discox(*asked, "--csv").out)))
    assert {row["why"] for row in rows} == {SCORES_ONLY}
    assert {row[name] for row in rows for name in ("half_width", "p", "p_holm", "better", "gap")} == {""}


def planned(discox: Command, path: Path, *options: object) -> dict[str, Any]:
    result = discox("plan", "--db", path, "--json", *options)
    assert (result.code, result.err) == (0, "")
    return dict(json.loads(result.out))


def test_a_plan_draws_whole_articles_with_balance(discox: Command, path: Path) -> None:
    plan = planned(discox, path, "--audit", 6, "--reviewers", "ana,ben", "--seed", 3)
    assert (plan["there"], len(plan["articles"]), plan["overlap"]) == (ARTICLES, 6, 0)
    names = {identity: key for key in KEYS for identity in ids(path, key)}
    for name in ("ana", "ben"):
        hers = [each for each in plan["assignments"] if each["reviewer"] == name]
        assert [each["position"] for each in hers] == list(range(1, 1 + 3 * len(SYSTEMS)))
        in_turn = [names[each["evaluation"]] for each in hers]
        assert in_turn == [key for key in dict.fromkeys(in_turn) for _ in SYSTEMS]
    judge = judges_scores(path)
    contrasts = judge - judge.mean(1, keepdims=True)
    rows = [KEYS.index(key) for key in plan["articles"]]
    distance = ((contrasts[rows].mean(0) - contrasts.mean(0)) ** 2).sum()
    (direction,) = plan["directions"]
    assert direction == {
        "direction": "zh-en",
        "there": ARTICLES,
        "drawn": 6,
        "distance": pytest.approx(distance, abs=1e-6),
        "reviewers": {"ana": 3, "ben": 3},
    }
    ((options,),) = sql(path, "SELECT options FROM plans WHERE id = ?", plan["plan"])
    frozen = json.loads(options)["audit"]
    assert (frozen["judge"], len(frozen["of"]), len(frozen["articles"])) == ("osprey", ARTICLES, 6)
    assert frozen["criterion"] == plan["criterion"]


def test_what_to_expect_follows_from_the_judges_spread(discox: Command, path: Path) -> None:
    plan = planned(discox, path, "--audit", 6, "--reviewers", "ana", "--dry-run")
    assert plan["plan"] is None
    judge = judges_scores(path)
    pairs = list(combinations(range(len(SYSTEMS)), 2))
    noise = np.mean([(judge[:, s] - judge[:, u]).var(ddof=1) for s, u in pairs])
    for target, share in (("this-test-set", lambda n: 1 - n / ARTICLES), ("new-documents", lambda n: 1.0)):
        expected = plan["expected"][target]
        assert [each["n"] for each in expected] == [4, 6, 12, ARTICLES]  # 3 would give no interval
        for each in expected:
            n, c = each["n"], 1 / (1 + 2 / each["n"])
            alone = stats.t.ppf(0.975, n - 1) * np.sqrt(share(n) * noise / n)
            assert each["alone"] == pytest.approx(alone)
            assert each["with_judge"] == pytest.approx(alone * np.sqrt(1 - 0.25 * (2 * c - c * c)))


@pytest.mark.parametrize("target", ["this-test-set", "new-documents"])
def test_a_planned_audit_gives_the_scores_of_the_formulas(discox: Command, path: Path, target: str) -> None:
    plan = planned(discox, path, "--audit", 9, "--reviewers", "ana")
    audit(path, plan["articles"])
    audit(path, sorted(set(KEYS) - set(plan["articles"]))[:2])
    (board,) = boards(discox, path, "--target", target)
    (cut,) = board["cuts"]
    assert (cut["n"], cut["articles"], cut["warnings"][0][:15]) == (9, ARTICLES, "The auditor saw")
    assert [each["article"] for each in board["audited"] if each["counts"]] == plan["articles"]
    rows = [KEYS.index(key) for key in plan["articles"]]
    done = sorted(each["article"] for each in board["audited"])
    human = peoples_scores(path)[[done.index(key) for key in plan["articles"]]]
    compare(cut, plainly(judges_scores(path), human, rows, target))
    assert cut["expected_from"] == "audits"


def test_what_was_said_before_the_plan_does_not_count(discox: Command, path: Path) -> None:
    audit(path, KEYS[:2], systems=1)
    plan = planned(discox, path, "--audit", 5, "--reviewers", "ana")
    assert plan["there"] == ARTICLES - 2
    assert plan["left_out"] == {"opened already by one of these reviewers": 2}
    audit(path, [*plan["articles"], *KEYS[:2]])
    (board,) = boards(discox, path)
    assert board["outside"] == KEYS[:2]
    assert (board["cuts"][0]["n"], board["cuts"][0]["articles"]) == (5, ARTICLES - 2)
    assert any(warning.startswith("Unstable") for warning in board["cuts"][0]["warnings"])


def test_a_second_plan_adds_and_what_is_drawn_is_still_to_be_done(discox: Command, path: Path) -> None:
    first = planned(discox, path, "--audit", 4, "--reviewers", "ana")
    audit(path, first["articles"][:3])
    second = planned(discox, path, "--audit", 4, "--reviewers", "ana")
    assert not set(first["articles"]) & set(second["articles"])
    audit(path, second["articles"])
    (board,) = boards(discox, path)
    assert (board["drawn"], board["cuts"][0]["n"], board["cuts"][0]["articles"]) == (8, 7, ARTICLES)
    assert [(each["article"], each["why"]) for each in board["incomplete"]] == [(first["articles"][3], ["not begun"])]


def test_an_overlap_gives_the_mean_of_those_who_audited(discox: Command, path: Path) -> None:
    plan = planned(discox, path, "--audit", 4, "--reviewers", "ana,ben", "--overlap", 1)
    assert plan["overlap"] == 4
    for name in ("ana", "ben"):
        audit(path, plan["articles"], name)
    (board,) = boards(discox, path)
    both = (peoples_scores(path) + peoples_scores(path, "ben")) / 2
    counted = [each for each in board["audited"] if each["counts"]]
    assert [each["auditors"] for each in counted] == [["ana", "ben"]] * 4
    assert np.array([each["human"] for each in counted]) == pytest.approx(both)
    (of_ben,) = boards(discox, path, "--reviewer", "ben")
    assert np.array([each["human"] for each in of_ben["audited"]]) == pytest.approx(peoples_scores(path, "ben"))


def test_words_restrict_what_is_drawn_and_what_the_scores_are_of(discox: Command, path: Path) -> None:
    plan = planned(discox, path, "--audit", 3, "--reviewers", "ana", "--words", "article-0")
    assert plan["there"] == 10
    audit(path, plan["articles"])
    (board,) = boards(discox, path)
    assert (board["cuts"][0]["n"], board["cuts"][0]["articles"], board["outside"]) == (3, 10, KEYS[10:])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--audit", "4"), "--reviewers"),
        (("--audit", "0", "--reviewers", "ana"), "argument --audit: '0' is not a whole number from 1"),
        (("--audit", "4", "--reviewers", "ana", "--again", "0.5"), "--again does not go with --audit"),
        (("--judge", "osprey", "--reviewers", "ana"), "--judge goes with --audit"),
    ],
)
def test_plans_that_make_no_sense_are_refused(discox: Command, path: Path, options: tuple[str, ...], said: str) -> None:
    result = discox("plan", "--db", path, *options)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_the_judge_is_to_be_named_where_there_are_several(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        builders.add(connection, article=KEYS[0], system="aurora", judge="merlin")
    result = discox("plan", "--db", path, "--audit", 2, "--reviewers", "ana")
    assert result.code == 1
    assert "--judge merlin" in result.err
    assert planned(discox, path, "--audit", 2, "--reviewers", "ana", "--judge", "osprey")["judge"] == "osprey"


def test_the_plan_says_in_words_what_it_froze(discox: Command, path: Path) -> None:
    text = discox("plan", "--db", path, "--audit", 4, "--reviewers", "ana", "--blind").out
    for said in ("4 whole articles of 16", "200 simple random subsets", "blind:", "kept as plan", "this test set"):
        assert said in text


# What it is written as


@pytest.fixture
def audited_path(discox: Command, path: Path) -> Path:
    audit(path, planned(discox, path, "--audit", 9, "--reviewers", "ana")["articles"])
    return path


def test_csv_and_text_say_what_json_says(discox: Command, audited_path: Path) -> None:
    (board,) = boards(discox, audited_path)
    (cut,) = board["cuts"]
    result = discox("leaderboard", "--audited", "--db", audited_path, "--csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    scores, pairs = rows[: len(SYSTEMS)], rows[len(SYSTEMS) :]
    for row, wanted in zip(scores, cut["scores"], strict=True):
        assert (row["system"], row["against"]) == (wanted["system"], "")
        for name in ("audited", "half_width", "best_guess", "gap", "gap_half_width"):
            assert float(row[name]) == pytest.approx(wanted[name], abs=1e-6)
    for row, wanted in zip(pairs, cut["pairs"], strict=True):
        assert (row["system"], row["against"], row["better"]) == (
            wanted["first"],
            wanted["second"],
            wanted["better"] or "",
        )
        assert float(row["difference"]) == pytest.approx(wanted["difference"], abs=1e-6)
    text = discox("leaderboard", "--audited", "--db", audited_path).out
    assert max(map(len, text.splitlines())) <= 80
    line = next(line for line in text.splitlines() if line.split()[:2] == ["1", cut["scores"][0]["system"]])
    best = cut["scores"][0]
    assert line.split()[2:] == [
        *(f"{best[name]:.2f}" for name in ("judge", "audited", "half_width", "best_guess")),
        f"{best['gap']:+.2f}",
        f"{best['gap_half_width']:.2f}",
    ]


def test_a_pair_needs_as_many_audits_as_make_its_interval_narrower_than_it(discox: Command, audited_path: Path) -> None:
    (board,) = boards(discox, audited_path, "--target", "new-documents", "--alpha", "0.001")
    (cut,) = board["cuts"]
    (of_this,) = boards(discox, audited_path)
    of_these = {(pair["first"], pair["second"]): pair for pair in of_this["cuts"][0]["pairs"]}
    undecided = [pair for pair in cut["pairs"] if pair["better"] is None]
    assert undecided
    assert cut["undecided"] == [
        [pair["first"], pair["second"]] for pair in sorted(undecided, key=lambda pair: float(pair["p"]))
    ]
    for pair in undecided:
        n, here = pair["audits_needed"], of_these[pair["first"], pair["second"]]
        noise = (here["half_width"] / stats.t.ppf(0.975, 8)) ** 2 * 9 / (1 - 9 / ARTICLES)
        rest = (pair["half_width"] / stats.t.ppf(0.9995, 8)) ** 2 - noise / 9

        def half(n: int, noise: float = noise, rest: float = rest) -> float:
            return float(stats.t.ppf(0.9995, n - 1) * np.sqrt(noise / n + rest))

        if n is None:
            assert half(1_000_000) >= abs(pair["difference"]), "what the judge's own sampling leaves is too much"
        else:
            assert half(n) < abs(pair["difference"]) <= half(n - 1)
    assert {pair["audits_needed"] is None for pair in undecided} == {True, False}


def test_files_hold_the_tables(discox: Command, audited_path: Path, tmp_path: Path) -> None:
    files = {kind: tmp_path / f"board.{kind}" for kind in ("html", "markdown", "latex")}
    asked = (part for kind, file in files.items() for part in (f"--{kind}", file))
    assert discox("leaderboard", "--audited", "--db", audited_path, *asked).code == 0
    (board,) = boards(discox, audited_path)
    for file in files.values():
        text = file.read_text(encoding="utf-8")
        assert "ALL TOGETHER: pairs" in text
        assert f"{board['cuts'][0]['scores'][0]['audited']:.2f}" in text


def test_names_do_not_act_and_nothing_is_no_failure(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "hostile.db"
    with closing(open_library(path)) as connection:
        for key in ("[bold]a[/]", "\x1b[31mb", "c\u202e"):
            for system in ("=1+1", "[red]x", "混元🙂" * 20):
                builders.add(connection, article=key, system=system, judge="\x1b[2Jjudge")
    for options in ((), ("--csv",), ("--html", "-"), ("nothing such",)):
        result = discox("leaderboard", "--audited", "--db", path, *options)
        assert result.code == 0
        assert not set("\x1b\u202e") & set(result.out)
    audit(path, ["[bold]a[/]", "\x1b[31mb", "c\u202e"])
    for options in ((), ("--csv",), ("--html", "-")):
        result = discox("leaderboard", "--audited", "--db", path, *options)
        assert result.code == 0
        assert not set("\x1b\u202e") & set(result.out)


# The screen


async def shown(driver: Driver) -> AuditedScreen:
    """Go from the queue to the audited leaderboard."""
    await driver.on(QueueScreen)
    await driver.press("l")
    await driver.on(LeaderboardScreen)
    await driver.press("a")
    screen = await driver.on(AuditedScreen)
    await driver.until(lambda: "audited" in screen.query_one("#whole", TextBlock).text)
    return screen


async def test_the_screen_shows_what_the_command_says(discox: Command, audited_path: Path) -> None:
    (board,) = boards(discox, audited_path)
    (new,) = boards(discox, audited_path, "--target", "new-documents", "--holm")
    async with opened(audited_path) as driver:
        screen = await shown(driver)
        whole = screen.query_one("#whole", TextBlock)
        for row, wanted in zip(screen.table.rows, board["cuts"][0]["scores"], strict=True):
            assert row.name == wanted["system"]
            assert row.found.scores[row.system].half_width == pytest.approx(wanted["half_width"])
        assert "The auditor saw the judge's findings" in whole.text
        first, second = (row["system"] for row in board["cuts"][0]["scores"][:2])
        await driver.press("down")
        await driver.until(lambda: f"{second} " in whole.text and f" {first}: -" in whole.text)
        await driver.press("t", "h")
        await driver.until(lambda: "new documents, Holm" in driver.bar("#title"))
        await driver.until(
            lambda: (
                screen.table.rows[0].found.scores[screen.table.rows[0].system].half_width
                == pytest.approx(new["cuts"][0]["scores"][0]["half_width"])
            )
        )
        await driver.press("v")
        assert ("There is one table only." in driver.said) == (len(board["cuts"]) < 2)
        await driver.press("m", "escape")
        await driver.on(LeaderboardScreen)


async def test_the_words_of_the_leaderboard_stay(path: Path) -> None:
    async with opened(path) as driver:
        await driver.on(QueueScreen)
        await driver.press("l")
        await driver.on(LeaderboardScreen)
        await driver.press("/", *"aurora", "enter", "a")
        screen = await driver.on(AuditedScreen)
        await driver.until(lambda: "No audited article" in screen.query_one("#whole", TextBlock).text)
        assert "aurora" in driver.bar("#title")


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["160x45", "80x24"])
def test_screen(
    path: Path, snap_compare: Callable[..., bool], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn with ``pytest tests/discox_tui/screens/test_audited_leaderboard.py -n0 --snapshot-update``; the plan has one id."""
    monkeypatch.setattr(plans, "datetime", Noon)
    with closing(open_library(path)) as connection:
        with transaction(connection):
            drawn = draw_audit(connection, plans.PlanOptions(("ana",), 7, ("direction",)))
            write_audit(connection, drawn, "0")
        keys = [drawn.of.keys[article] for article in drawn.plan.drawn]
    audit(path, [*keys, next(key for key in KEYS if key not in keys)])
    with closing(open_library(path)) as connection:
        app = DiscoxApp(connection, "mei", Settings(theme="discox-dark"))

        async def before(pilot: Pilot[None]) -> None:
            await shown(Driver(app, pilot))
            await pilot.pause()

        assert snap_compare(app, terminal_size=size, run_before=before)


# Options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--holm",), "--holm goes with --audited"),
        (("--target", "new-documents"), "--target goes with --audited"),
        (("--audited", "--seed", "0"), "--seed does not go with --audited"),
        (("--audited", "--published"), "--published does not go with --audited"),
        *(
            (("--audited", "--alpha", alpha), f"argument --alpha: '{alpha}' is not a number from 1e-09 to 0.5")
            for alpha in ("0", "1", "nan", "inf", "1e-17", "1e-320", "1e308", "-1", "0.51", "five")
        ),
        (("--audited", "--json", "--html", "-"), "only one"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    discox: Command, path: Path, options: tuple[str, ...], said: str
) -> None:
    result = discox("leaderboard", "--db", path, *options)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
