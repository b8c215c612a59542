"""Votes where people meet them: leaderboards, consistency, one evaluation in the command and in the review."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discox_tui.screens.figures.audited import AuditedScreen
from discox_tui.screens.figures.leaderboard import LeaderboardScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.widgets.bars import TextBlock
from judges.model import Article, Finding, Score
from judges.providers.model import Form
from storage.analysis.judge_votes import votes_at
from storage.db.connection import Connection, transaction
from storage.integrity.opening import open_library
from storage.record.library import add_article
from storage.reviews.blinding import choose_blinding
from storage.runs import batches
from storage.runs.runs import Work, start_run, store_judged, store_translation
from tests.conftest import Command
from tests.discox_tui.screens.test_audited_leaderboard import audit, sql
from tests.judges.ranking.test_judge_votes import JUDGES, error, fill, locate
from tests.support import builders
from tests.support.driving import SMALL, opened


def words(text: str) -> str:
    return " ".join(text.split())


def samples(connection: Connection, *found: Sequence[Finding]) -> list[str]:
    """Let one judge judge a translation once for each list of findings; return the evaluations' ids."""
    with transaction(connection):
        run = builders.start(connection)
        asked = builders.request()
        article, _ = add_article(connection, Article("river-09", builders.SOURCE, "zh-en"))
        batch = batches.begin(connection, run, "token", [(asked, Form())])
        batches.collected(connection, batch, run, [builders.attempt(asked)])
        translation = store_translation(connection, run, article, "heron", builders.TRANSLATION, asked.id)
        made = [
            store_judged(connection, run, Work(translation, n), builders.signature(), builders.judged(found=tuple(of)))
            for n, of in enumerate(found, 1)
        ]
        locate(connection)
        return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three judges of six articles by two systems; on another, three samples of one judge."""
    with closing(open_library(tmp_path / "library.db")) as connection:
        fill(connection)
    return tmp_path / "library.db"


def board(discox: Command, path: Path, *options: object) -> dict[str, Any]:
    result = discox("leaderboard", "--weigh", "votes", "--db", path, "--json", *options)
    assert (result.code, result.err) == (0, "")
    (found,) = next(iter(json.loads(result.out).values()))
    assert isinstance(found, dict)
    return found


def test_a_leaderboard_by_votes_is_of_all_judges_together(discox: Command, path: Path) -> None:
    found = board(discox, path, "--by", "total")
    votes = found["votes"]
    assert votes["judges"] == list(JUDGES)
    assert 1 <= votes["effective_votes"]["low"] <= votes["effective_votes"]["value"] <= 3
    assert votes["effective_votes"]["n"] == 12
    assert votes["findings"] == sum(each["votes"] * each["n"] for each in votes["errors"])
    text = words(discox("leaderboard", "--weigh", "votes", "--db", path).out)
    assert "LEADERBOARD BY votes of kite + osprey + plover" in text
    assert "3 votes: kite; osprey; plover. Effective votes: " in text
    assert f"{votes['findings']} findings of" in text
    rows = list(csv.DictReader(io.StringIO(discox("leaderboard", "--weigh", "votes", "--db", path, "--csv").out)))
    means = {each["system"]: each["mean"]["value"] for each in found["rankings"][0]["standings"]}
    assert {row["system"]: float(row["mean"]) for row in rows if row["cut"] == "total"} == pytest.approx(means)
    assert {(row["votes"], float(row["effective_votes"])) for row in rows} == {("3", votes["effective_votes"]["value"])}
    assert "Effective votes" in discox("leaderboard", "--weigh", "votes", "--db", path, "--html", "-").out


def test_words_choose_who_votes(discox: Command, path: Path) -> None:
    found = board(discox, path, "kite")
    plain = json.loads(discox("leaderboard", "--db", path, "--json", "kite").out)["leaderboards"][0]
    assert found["judge"] == "votes of kite"
    assert found["rankings"] == plain["rankings"]
    assert found["votes"]["effective_votes"] == {
        "value": None, "n": 12, "why": "one judge, asked once: nothing to compare", "low": None, "high": None
    }  # fmt: skip
    assert "Effective votes: undefined (one judge" in words(
        discox("leaderboard", "--weigh", "votes", "--db", path, "kite").out
    )


def test_judges_under_other_weights_do_not_vote_together(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection, transaction(connection):
        run = builders.start(connection)
        translation = connection.execute("SELECT id FROM translations").fetchone()[0]
        only = Score(55, 0, 0)
        said = builders.judged(found=(error(1),), scheme="accuracy")
        assert said.judgement.score == only
        store_judged(connection, run, Work(translation, 1), builders.signature("accuracy"), said)
    found = json.loads(discox("leaderboard", "--weigh", "votes", "--db", path, "--json").out)["leaderboards"]
    assert [each["weights"] for each in found] == ["60/20/20-2/5/10/50/5", "60/0/0-2/5/10/50/5"]


def test_votes_take_the_judges_place_in_an_audited_leaderboard(discox: Command, path: Path) -> None:
    plan = discox("plan", "--audit", 4, "--reviewers", "ana", "--judge", "osprey", "--db", path)
    assert (plan.code, plan.err) == (0, "")
    ((options,),) = sql(path, "SELECT options FROM plans")
    assert json.loads(options)["audit"]["judge"] == "osprey"
    keys = dict(sql(path, "SELECT id, key FROM articles"))
    audit(path, [keys[each] for each in json.loads(options)["audit"]["articles"]], systems=6)
    found = board(discox, path, "--audited")
    assert found["judge"] == "votes of kite + osprey + plover"
    assert len(found["plans"]) == 1
    assert found["cuts"][0]["n"] == 4
    means = {each["system"]: each["mean"]["value"] for each in board(discox, path)["rankings"][0]["standings"]}
    assert {each["system"]: each["judge"] for each in found["cuts"][0]["scores"]} == pytest.approx(means)
    text = words(discox("leaderboard", "--audited", "--weigh", "votes", "--db", path).out)
    assert "AUDITED LEADERBOARD BY votes of kite" in text
    assert "Effective votes: " in text


def test_consistency_has_votes_as_a_metric_of_their_own(discox: Command, path: Path) -> None:
    audit(path, ["river-1", "river-2"], systems=6)
    metrics = json.loads(discox("consistency", "--db", path, "--json").out)
    text = discox("consistency", "--db", path).out
    assert "Metric-S (votes of kite + osprey + plover)" in words(text)
    assert "votes of kite" in json.dumps(metrics)
    alone = discox("consistency", "--db", path, "kite").out
    assert "votes" not in alone


def test_samples_of_one_judge_are_votes_too(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        first, *others = samples(connection, [error(1), error(2)], [error(1)], [error(1), error(3)])
    text = discox("show", first, "--db", path).out
    assert "found by 3 of 3 samples" in text
    assert "found by 1 of 3 samples" in text
    shown = json.loads(discox("show", first, "--db", path, "--json").out)["findings"]
    assert [each["votes"] for each in shown] == [
        {"votes": 3, "judges": 3, "share": 1.0}, {"votes": 1, "judges": 3, "share": pytest.approx(1 / 3)}
    ]  # fmt: skip
    found = board(discox, path, "river-09")
    assert found["judge"].endswith("×3")
    assert [each.partition(", ")[2] for each in found["votes"]["judges"]] == ["", "sample 2", "sample 3"]
    assert found["rankings"][0]["standings"][0]["mean"]["value"] == pytest.approx(100 - 5 * 5 / 3)
    assert len(others) == 2


def test_a_judge_that_was_asked_in_two_ways_votes_twice_under_two_names(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        (first,) = samples(connection, [error(1), error(2)])
        ((translation,),) = connection.execute("SELECT translation_id FROM evaluations WHERE id = ?", (first,))
        other = replace(builders.signature(), server="http://127.0.0.1:2/v1")
        with transaction(connection):
            run = builders.start(connection)
            store_judged(connection, run, Work(translation, 1), other, builders.judged(found=(error(1),)))
    assert "found by 2 of 2 judges" in discox("show", first, "--db", path).out
    assert board(discox, path, "river-09")["votes"]["judges"] == ["osprey", "osprey [2]"]


def test_what_no_longer_counts_has_no_vote(path: Path) -> None:
    with closing(open_library(path)) as connection:
        older, _ = samples(connection, [error(1)], [error(1)])
        ((translation,),) = connection.execute("SELECT translation_id FROM evaluations WHERE id = ?", (older,))
        with transaction(connection):
            again = start_run(connection, "judge", "openai", builders.SERVER, "osprey", {"samples": 1}, "0.2")
            said = builders.judged(found=(error(1), error(2)))
            counts = store_judged(connection, again, Work(translation, 1), builders.signature(), said)
        locate(connection)
        assert counts != older
        assert votes_at(connection, older) == ({}, ())
        assert sorted(vote.votes for vote in votes_at(connection, counts)[0].values()) == [1, 2, 2]


async def test_the_review_says_how_many_found_an_error(path: Path) -> None:
    with closing(open_library(path)) as connection:
        first, *_ = samples(connection, [error(1), error(2)], [error(1)], [error(1)])
    async with opened(path, start=first, size=SMALL) as driver:
        await driver.on(ReviewScreen)
        assert "found by 3 of 3 samples" in driver.detail
        await driver.press("]")
        assert "found by 1 of 3 samples" in driver.detail


async def test_no_vote_is_shown_where_the_judge_is_hidden(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        first, *_ = samples(connection, [error(1)], [error(1)], [error(1)])
        choose_blinding(connection, "mei", "first")
    assert "found by" not in discox("show", first, "--db", path).out
    assert json.loads(discox("show", first, "--db", path, "--json").out)["findings"] == []
    refused = discox("leaderboard", "--weigh", "votes", "--db", path)
    assert refused.code == 1
    async with opened(path, start=first) as driver:
        await driver.on(ReviewScreen)
        assert "found by" not in driver.text


def test_hostile_names_of_judges_are_shown_literally(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        builders.add(connection, article="river-0", system="heron", judge="evil\x1b[31m‮[b]", found=(error(1),))
    out = discox("leaderboard", "--weigh", "votes", "--db", path).out
    assert "\x1b" not in out
    assert "‮" not in out


def test_showing_one_evaluation_locates_what_others_found(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        says = Finding("fluency", 1, "“grows shallow”搭配不当。", "1", "grammar", "语法正确性", "minor", "有问题")
        alike = replace(says, explanation="此处“grows shallow in winter”很不自然，应予修改。")
        one, _ = (
            builders.add(connection, article="river-8", judge=judge, found=(found,))
            for judge, found in (("kite", says), ("osprey", alike))
        )
    board = json.loads(discox("leaderboard", "--weigh", "votes", "--db", path, "river-8", "--json").out)
    assert board["leaderboards"][0]["votes"]["unlocated"] == 1
    assert "found by 2 of 2 judges" in discox("show", one, "--db", path).out
    text = discox("leaderboard", "--weigh", "votes", "--db", path, "river-8").out
    assert "2 findings of 1 error: 1 by 2 of 2." in words(text)
    assert "not located" not in text


async def test_leaderboards_on_screen_weigh_by_votes_as_the_command_does(discox: Command, path: Path) -> None:
    (plain, *_) = json.loads(discox("leaderboard", "--json", "--db", path).out)["leaderboards"]
    (voted, *_) = json.loads(discox("leaderboard", "--weigh", "votes", "--json", "--db", path).out)["leaderboards"]
    assert plain["judge"] != voted["judge"]
    by_rank = discox("leaderboard", "--weigh", "reciprocal-rank", "--json", "--db", path)
    (of_samples, *_) = json.loads(by_rank.out)["leaderboards"]
    async with opened(path) as driver:
        await driver.press("l")
        await driver.on(LeaderboardScreen)
        await driver.until(lambda: f"by {plain['judge']}" in driver.bar("#title"))
        await driver.press("w")
        await driver.until(lambda: f"by {voted['judge']}" in driver.bar("#title"))
        screen = driver.app.screen
        assert isinstance(screen, LeaderboardScreen)
        means = {row.system: row.standing.mean.value for row in screen.table.rows if row.standing}
        assert means == {row["system"]: row["mean"]["value"] for row in voted["rankings"][0]["standings"]}
        await driver.press("w")
        await driver.until(lambda: f"by reciprocal-rank of {plain['judge']} ×" in driver.bar("#title"))
        ranked = {row.system: row.standing.mean.value for row in screen.table.rows if row.standing}
        assert ranked == {row["system"]: row["mean"]["value"] for row in of_samples["rankings"][0]["standings"]}
        await driver.press("w")
        await driver.until(lambda: f"by {plain['judge']}" in driver.bar("#title"))
        await driver.press("a")
        audited = await driver.on(AuditedScreen)
        whole = audited.query_one("#whole", TextBlock)
        await driver.until(lambda: "Target" in whole.text)
        await driver.press("w")
        await driver.until(lambda: "Votes: " in whole.text)
        assert "this test set, by votes" in driver.bar("#title")
        await driver.press("w")
        await driver.until(lambda: "Votes: " not in whole.text)
        assert "this test set, by reciprocal rank" in driver.bar("#title")
        await driver.press("w")
        await driver.until(lambda: ", by" not in driver.bar("#title"))
        assert "this test set" in driver.bar("#title")
        assert ", by" not in driver.bar("#title")
