"""Validity out of a library: what is learnt from, whom it is told, and what was chosen by it stands for nothing else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.sessions.library import Refused
from judges.model import Decision
from storage.analysis import acceptance
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from storage.record.groundings import read_grounded
from storage.record.library import read_evaluation
from storage.reviews.blinding import choose_blinding
from storage.reviews.layers import layer_of
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders
from tests.support.driving import SMALL, WIDE, opened

ARTICLES, SYSTEMS = 8, ("heron", "osprey", "plover")


def decide(connection: Connection, layer: str, identity: str, decisions: dict[int, Decision]) -> None:
    """Decide findings by their number; the rest is agreed with. Then the evaluation is done."""
    log = ReviewLog(connection, layer)
    log.open(identity)
    for stored in read_evaluation(connection, identity).findings:
        log.decide(identity, stored.id, decision=decisions.get(stored.number, "agree"))
    log.set_review(identity, state="done")


def library(path: Path, reviewed: int = 5) -> dict[tuple[int, str], str]:
    """Store 24 evaluations, their findings located; in the first articles ana rejects most of what is critical."""
    ids = {}
    with closing(open_library(path)) as connection:
        for article in range(ARTICLES):
            for place, system in enumerate(SYSTEMS):
                found = builders.findings()[place:]
                identity = builders.add(connection, article=f"article-{article}", system=system, found=found)
                read_grounded(connection, identity)
                ids[article, system] = identity
        for (article, system), identity in ids.items():
            if article < reviewed:
                critical = 2 - SYSTEMS.index(system)
                rejects: Decision = "agree" if article == 1 else "not_an_error"
                decide(connection, "ana", identity, {critical: rejects} if critical else {})
    return ids


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.db"


def test_verdicts_are_learnt_from_and_doubt_what_is_like_what_was_rejected(path: Path) -> None:
    ids = library(path)
    with closing(open_library(path)) as connection:
        learnt = acceptance.learn(connection)
        assert (learnt.n, learnt.articles, learnt.why) == (5 * (5 + 4 + 3), 5, "")
        told = acceptance.probabilities(connection, learnt, [ids[7, "heron"]])[ids[7, "heron"]]
        evaluation = read_evaluation(connection, ids[7, "heron"])
        assert told.keys() == {stored.id for stored in evaluation.findings if stored.finding.kept}
        least = min(told, key=told.__getitem__)
        assert evaluation.find(least).finding.severity == "critical"  # type: ignore[union-attr]
        assert acceptance.probabilities(connection, learnt)[ids[7, "heron"]] == pytest.approx(told)
        found = acceptance.assess(connection)
        assert found.auc.value is not None
        assert found.auc.n == learnt.n


def test_settled_words_come_first_then_the_majority(path: Path) -> None:
    ids = library(path)
    one = ids[0, "heron"]
    with closing(open_library(path)) as connection:

        def of(number: int) -> bool | None:
            said = acceptance.read_cases(connection, words="article-0 heron").cases
            kept = [stored.number for stored in read_evaluation(connection, one).findings if stored.finding.kept]
            return (
                {n: case.valid for n, case in zip(kept, said, strict=True)}[number] if len(said) == len(kept) else None
            )

        assert of(2) is False
        decide(connection, "ben", one, {2: "agree"})
        assert of(2) is None  # one accepts, one rejects
        said = acceptance.read_cases(connection, words="article-0 heron")
        assert said.left_out == {acceptance.UNDECIDED: 1}
        decide(connection, "cy", one, {2: "override"})
        assert of(2) is True
        decide(connection, layer_of("cy", "again"), one, {2: "not_an_error", 3: "not_an_error"})
        assert of(2) is True
        decide(connection, layer_of("ana", "adjudicated"), one, {2: "duplicate"})
        assert of(2) is False
        assert acceptance.read_cases(connection, "article-0 heron", "cy").cases != acceptance.read_cases(
            connection, "article-0 heron", "ana"
        ).cases  # fmt: skip


def test_what_is_not_located_tells_nothing(path: Path) -> None:
    library(path)
    with closing(open_library(path)) as connection:
        identity = builders.add(connection, article="article-9")
        decide(connection, "ana", identity, {})
        said = acceptance.read_cases(connection)
        assert said.left_out == {acceptance.UNLOCATED: 5}
        learnt = acceptance.learn(connection)
        assert identity not in acceptance.probabilities(connection, learnt)
        assert acceptance.assess(connection).left_out == said.left_out


def test_what_several_judges_found_is_known(path: Path) -> None:
    ids = library(path)
    with closing(open_library(path)) as connection:
        other = builders.add(connection, article="article-0", found=builders.findings()[:1], judge="osprey-2")
        read_grounded(connection, other)
        said = acceptance.read_cases(connection, "article-0 heron").cases
        assert sorted(case.known.share for case in said) == [0.5, 0.5, 0.5, 0.5, 1.0]
        assert {case.known.share for case in acceptance.read_cases(connection, "article-1").cases} == {1.0}
        learnt = acceptance.learn(connection)
        assert acceptance.probabilities(connection, learnt, [other]).keys() == {other}
        told = acceptance.probabilities(connection, learnt)
        assert told[ids[3, "heron"]] == pytest.approx(
            acceptance.probabilities(connection, learnt, [ids[3, "heron"]])[ids[3, "heron"]]
        )


def test_nobody_is_told_in_a_blind_pass_or_a_second_time(path: Path) -> None:
    ids = library(path)
    with closing(open_library(path)) as connection:
        log = ReviewLog(connection, "ben")
        log.open(ids[6, "heron"], hidden=True)
        log.reveal(ids[6, "heron"])
        assert acceptance.unaided(connection, "ben") == {ids[6, "heron"]}
        assert acceptance.unaided(connection, "ana") == set()
        assert acceptance.unaided(connection, layer_of("ana", "again")) == set(ids.values())


# --- plans by doubt ---


def plan(discox: Command, path: Path, *arguments: object) -> dict[str, Any]:
    result = discox("plan", "--db", path, "--json", *arguments)
    assert (result.code, result.err) == (0, "")
    return dict(json.loads(result.out))


def test_a_plan_by_doubt_begins_with_what_is_expected_to_fall(discox: Command, path: Path) -> None:
    ids = library(path)
    made = plan(discox, path, "--doubtful", 5, "--reviewers", "ben,cy")
    assert (made["order"], made["random"], made["there"], made["drawn"]) == ("most doubtful first", False, 9, 5)
    assert made["left_out"] == {"opened already": 15}
    assert made["learnt_from"] == {"verdicts": 60, "articles": 5}
    of_ben = [each for each in made["assignments"] if each["reviewer"] == "ben"]
    assert [each["position"] for each in of_ben] == [1, 2, 3]
    doubts = [each["doubtful"] for each in sorted(made["assignments"], key=lambda e: (e["position"], e["reviewer"]))]
    assert doubts == sorted(doubts, reverse=True)
    heads = {ids[article, system] for article in (5, 6, 7) for system in ("heron", "osprey")}
    assert {each["evaluation"] for each in made["assignments"]} < heads
    with closing(sqlite3.connect(path)) as connection:
        ((options,),) = connection.execute("SELECT options FROM plans").fetchall()
        assert json.loads(options)["order"] == "most doubtful first"
        assert json.loads(options)["doubt"]["expected"] == {e["evaluation"]: e["doubtful"] for e in made["assignments"]}
    text = discox("plan", "--db", path, "--doubtful", 1, "--reviewers", "ben").out
    assert "learnt from 60 verdicts in 5 articles" in text
    assert "Not a random sample" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "ben: 4 evaluations chosen by doubt, not at random" in discox("plan", "--db", path).out
    again = plan(discox, path, "--doubtful", 9, "--reviewers", "ben")
    assert [each["position"] for each in again["assignments"]] == [5, 6, 7]


def test_nothing_is_chosen_that_is_hidden_from_a_reviewer(discox: Command, path: Path) -> None:
    library(path)
    with closing(open_library(path)) as connection:
        choose_blinding(connection, "ben", "first")
    refused = discox("plan", "--db", path, "--doubtful", 5, "--reviewers", "ana,ben")
    assert refused.code == 1
    assert "9 the judge's findings are hidden from one of these reviewers" in refused.err


@pytest.mark.parametrize(
    "other", [("--number", 3), ("--audit", 3), ("--blind",), ("--seed", 2), ("--overlap", 0.5), ("--again", 0.5)]
)
def test_a_plan_by_doubt_draws_nothing_and_hides_nothing(
    discox: Command, path: Path, other: tuple[object, ...]
) -> None:
    library(path)
    refused = discox("plan", "--db", path, "--doubtful", 5, "--reviewers", "ben", *other)
    assert (refused.code, refused.out) == (2, "")
    assert "does not go with --doubtful" in refused.err


def test_where_nothing_can_be_learnt_no_plan_is_made(discox: Command, path: Path) -> None:
    library(path, reviewed=3)
    refused = discox("plan", "--db", path, "--doubtful", 5, "--reviewers", "ben")
    assert refused.code == 1
    assert "verdicts in 3 articles; at least 4 are needed" in refused.err


# --- what was chosen by doubt stands for no others ---


def consistency(discox: Command, path: Path) -> dict[str, Any]:
    return dict(json.loads(discox("consistency", "--db", path, "--json").out))


def test_no_rate_rests_on_what_was_chosen_by_doubt(discox: Command, path: Path) -> None:
    library(path)
    before = consistency(discox, path)
    made = plan(discox, path, "--doubtful", 4, "--reviewers", "ben")
    with closing(open_library(path)) as connection:
        for each in made["assignments"]:
            decide(connection, "ben", each["evaluation"], dict.fromkeys(range(1, 7), "not_an_error"))
    after = consistency(discox, path)
    for part in ("findings", "documents", "weak_spots", "signatures", "basis"):
        assert after[part] == before[part], part
    why = "chosen by doubt, not at random: they stand for no others"
    assert after["left_out"] == {why: 4, "not reviewed yet": 5}
    assert after["evaluations"]["reviewed"] == before["evaluations"]["reviewed"]
    assert after["validity"]["n"] > before["validity"]["n"]
    assert after["validity"]["auc"]["n"] == before["validity"]["auc"]["n"]
    assert after["validity"]["left_out"]["learnt from, but chosen by doubt"] == after["validity"]["n"] - 60
    text = discox("consistency", "--db", path).out
    assert f"4  {why}"[:40] in text
    (ranked,) = json.loads(discox("leaderboard", "--db", path, "--json").out)["leaderboards"]
    assert ranked["by_doubt"] == 4
    assert sum(row["human"]["human"]["n"] for row in ranked["rankings"][0]["standings"]) == 15
    left_out = [row["human"]["human"].get("left_out", {}) for row in ranked["rankings"][0]["standings"]]
    assert sum(each.get("evaluations chosen by doubt", 0) for each in left_out) == 4
    assert "evaluations chosen by doubt (" in " ".join(discox("leaderboard", "--db", path).out.split())


def test_what_a_random_plan_assigned_too_counts(discox: Command, path: Path) -> None:
    library(path)
    drawn = plan(discox, path, "--number", 2, "--reviewers", "cy")
    made = plan(discox, path, "--doubtful", 2, "--reviewers", "ben")
    with closing(open_library(path)) as connection:
        for each in (*made["assignments"], *drawn["assignments"]):
            decide(connection, each["reviewer"], each["evaluation"], {})
    why = "chosen by doubt, not at random: they stand for no others"
    assert consistency(discox, path)["left_out"][why] == 2
    chosen = {each["evaluation"] for each in made["assignments"]}
    blind = plan(discox, path, "--reviewers", "ben", "--blind", "--dry-run")
    assert not chosen & {each["evaluation"] for each in blind["assignments"]}
    later = plan(discox, path, "--reviewers", "ben")
    assert chosen < {each["evaluation"] for each in later["assignments"]}
    assert why not in consistency(discox, path)["left_out"]


def test_how_well_it_is_told_is_reported_in_every_form(discox: Command, path: Path, tmp_path: Path) -> None:
    library(path)
    plain = consistency(discox, path)["validity"]
    assert plain["auc"]["n"] == 60
    assert plain["auc"]["interval"]["method"]
    assert sum(each["stood"]["n"] for each in plain["bins"]) == 60
    text = discox("consistency", "--db", path).out
    section = text[text.index("\nVALIDITY") :]
    assert "Learnt from 60 verdicts in 5 articles." in section
    assert max(map(len, section.splitlines())) <= 80
    rows = [row for row in discox("consistency", "--db", path, "--csv").out.splitlines() if ",validity," in row]
    assert len(rows) == 1 + 2 * len(plain["bins"])
    files = {form: tmp_path / f"report.{form}" for form in ("html", "markdown", "latex")}
    discox("consistency", "--db", path, *(part for form, file in files.items() for part in (f"--{form}", file)))
    for file in files.values():
        assert "Calibration" in file.read_text(encoding="utf-8")
    assert "Scatter plot of 10 groups of findings" in files["html"].read_text(encoding="utf-8")


def test_where_nothing_can_be_learnt_the_report_says_why(discox: Command, path: Path) -> None:
    library(path, reviewed=2)
    found = consistency(discox, path)["validity"]
    assert (found["auc"]["value"], found["bins"]) == (None, [])
    assert found["why"] == "verdicts in 2 articles; at least 4 are needed"
    assert "nothing can be said: verdicts in 2 articles" in discox("consistency", "--db", path).out


def test_verdicts_on_findings_that_nobody_located_are_named_as_what_is_missing(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        for article in range(4):
            decide(connection, "ana", builders.add(connection, article=f"article-{article}"), {})
    refused = discox("plan", "--doubtful", 3, "--reviewers", "ben", "--db", path)
    assert refused.code == 1
    assert "20 verdicts left out: their places are not looked up yet (discox ground)" in refused.err


def test_no_score_is_weighed_by_it(discox: Command, path: Path) -> None:
    result = discox("leaderboard", "--db", path, "--weigh", "validity")
    assert (result.code, result.out) == (2, "")
    assert "argument --weigh: invalid choice: 'validity'" in result.err
    assert not path.exists()


# --- told on request ---


def test_it_is_told_on_request_and_only_of_what_is_undecided(discox: Command, path: Path) -> None:
    ids = library(path)
    with closing(open_library(path)) as connection:
        log = ReviewLog(connection, "ben")
        first = read_evaluation(connection, ids[7, "heron"]).findings[0]
        log.decide(ids[7, "heron"], first.id, decision="agree")
        log.open(ids[6, "heron"], hidden=True)
        log.open(ids[6, "osprey"], hidden=True)
        log.reveal(ids[6, "osprey"])

    def ask(command: str, *arguments: object) -> Any:
        return json.loads(discox(command, "--db", path, "--reviewer", "ben", "--json", *arguments).out)

    assert all("validity" not in each for each in ask("list"))
    listed = {each["id"]: each["validity"] for each in ask("list", "--validity")}
    assert listed[ids[7, "heron"]]["undecided"] == 4
    assert listed[ids[5, "heron"]]["undecided"] == 5
    assert listed[ids[6, "heron"]] is listed[ids[6, "osprey"]] is None
    shown = ask("show", ids[7, "heron"], "--validity")
    assert shown["learnt_from"] == {"verdicts": 61, "articles": 6, "why": None}
    told = {each["number"]: each["validity"] for each in shown["findings"]}
    assert told[1] is told[5] is None  # decided; dropped as a duplicate
    assert min((2, 3, 4, 6), key=lambda number: told[number]) == 2
    assert sum(1 - told[number] for number in (2, 3, 4, 6)) == pytest.approx(listed[ids[7, "heron"]]["doubtful"])
    assert all("validity" not in each for each in ask("show", ids[7, "heron"])["findings"])
    assert {each["validity"] for each in ask("show", ids[6, "osprey"], "--validity")["findings"]} == {None}
    text = discox("show", "--db", path, "--reviewer", "ben", "--validity", ids[7, "heron"])
    assert text.out.count("% likely to stand") == 4
    assert "learnt from 61 verdicts in 6 articles" in text.err
    assert "doubtful" in discox("list", "--db", path, "--reviewer", "ben", "--validity").out.splitlines()[0]


def test_where_nothing_can_be_learnt_nothing_is_told(discox: Command, path: Path) -> None:
    library(path, reviewed=3)
    result = discox("list", "--db", path, "--validity", "--json")
    assert {each["validity"] for each in json.loads(result.out)} == {None}
    assert "nothing can be learnt yet of which errors are doubtful: verdicts in 3 articles" in result.err


async def test_a_key_shows_it_in_the_review(path: Path) -> None:
    library(path)
    async with opened(path, size=WIDE) as driver:
        await driver.review(21)
        assert "likely to stand" not in driver.detail
        await driver.press("Y")
        assert driver.said[-1] == "First show how likely errors stand (V)"
        await driver.press("V")
        assert driver.said[-1] == "How likely errors stand: learnt from 60 verdicts in 5 articles"
        assert "% likely to stand, learnt from 60 verdicts in 5 articles" in driver.detail
        assert " % “" in driver.row(2)
        await driver.press("Y")
        assert driver.number == 2
        await driver.press("x")
        assert driver.number == 3
        assert "%" not in driver.row(2)
        await driver.press("V")
        assert "likely to stand" not in driver.detail
        assert "%" not in driver.row(3)


async def test_no_key_shows_it_in_a_blind_pass(path: Path) -> None:
    ids = library(path)
    with closing(open_library(path)) as connection:
        ReviewLog(connection, "mei").open(ids[7, "heron"], hidden=True)
    async with opened(path, size=WIDE) as driver:
        await driver.review(20)
        await driver.press("V")
        driver.app.session.open(ids[7, "heron"])
        driver.app.session.reveal()
        assert all(driver.app.session.chance(each) is None for each in driver.app.session.evaluation.findings)  # type: ignore[union-attr]
        driver.app.session.opinions.toggle_chances()
        with pytest.raises(Refused, match="Not in a blind pass"):
            driver.app.session.opinions.toggle_chances()


async def test_the_queue_says_what_is_no_random_sample(discox: Command, path: Path) -> None:
    library(path)
    plan(discox, path, "--doubtful", 3, "--reviewers", "mei")
    async with opened(path, size=WIDE) as driver:
        await driver.until(lambda: "3 by doubt, not at random" in driver.bar("#progress"))


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_part_of_the_consistency_screen_shows_how_well_it_is_told(path: Path, size: tuple[int, int]) -> None:
    library(path)
    async with opened(path, size=size) as driver:
        await driver.on(QueueScreen)
        await driver.press("c", "6")
        await driver.on(ConsistencyScreen)
        await driver.until(lambda: "Learnt from 60 verdicts in 5 articles." in driver.text)
        assert "6 validity" in driver.bar("#sections")
        await driver.press("pagedown")
        await driver.until(lambda: "predicted" in driver.text)


def test_an_article_that_was_chosen_by_doubt_is_chosen_by_hand(discox: Command, path: Path) -> None:
    library(path)
    made = plan(discox, path, "--doubtful", 9, "--reviewers", "ben")
    with closing(open_library(path)) as connection:
        for each in made["assignments"]:
            decide(connection, "ben", each["evaluation"], {})
            ReviewLog(connection, "ben").set_review(each["evaluation"], search="done")
    (found,) = json.loads(discox("leaderboard", "--db", path, "--audited", "--json").out)["audited_leaderboards"]
    assert [each["counts"] for each in found["audited"]] == [False] * 3
    assert all(each["by_doubt"] and not each["drawn"] for each in found["audited"])
    assert "Of these 3 chosen by doubt, the most doubtful first: article-5, article-6, article-7." in found["notes"]
