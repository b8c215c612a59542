"""``discox build filter`` where something comes between: an interrupt, a budget, a person's word, a failed judge."""

from __future__ import annotations

import json
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage.benchmark.candidates import Candidate, candidate
from storage.benchmark.difficulty import judged, outcomes
from storage.benchmark.settings import filters
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.discox_tui.cli.test_build_pipeline import CANDIDATES, FOUND, SYSTEMS, Script, options, states
from tests.support.judge_script import Question, ScriptedJudge, answer
from tests.support.judging import MODEL, PATIENCE, PROTOCOLS, calls, child, intact, judge, listed, report
from tests.support.nightly import by_day
from tests.support.scripted_server import ScriptedServer

ALL_CALLS = {"translation": 10, "instruction_check": 10, "rubric": 10}


class Refusing(Script):
    """The script whose judge calls what borea gives no translation."""

    def __init__(self) -> None:
        super().__init__()
        self.judge = ScriptedJudge({"rubric": self.rubric, "instruction_check": self.check})

    def check(self, question: Question, _: int) -> Any:
        refused = question.translation[0].startswith("borea ")
        return json.dumps(json.loads(answer(question)) | {"verdict": "fail"}) if refused else None


@pytest.fixture
def library(tmp_path: Path, discox: Command) -> Path:
    """Ten candidates, five of which can pass."""
    path = tmp_path / "a.db"
    assert discox("build", "quotas", "--db", path, "--least", "zh=200", "--least", "en=120").code == 0
    assert discox("build", "add", "--db", path, "--reviewer", "ana", CANDIDATES).code == 0
    return path


@pytest.fixture
def served() -> Iterator[tuple[ScriptedServer, Script]]:
    script = Script()
    with ScriptedServer(PROTOCOLS["openai"](script)) as server:
        yield server, script


def look(connection: Connection, key: str, system: str) -> tuple[Candidate, str]:
    """A candidate, and the evaluation of a system's translation of it under the last filter."""
    each = candidate(connection, key, "ana")
    assert each is not None
    (under,) = [one for one in filters(connection) if one.id == each.filters[-1]]
    said = judged(connection, each.article_id, under)[system]
    assert said is not None
    return each, said.evaluation


# --- interrupted, by somebody or by what it may cost ---


@by_day(2)
@pytest.mark.parametrize(
    ("step", "made"),
    [(("translation", "alba"), 0), (("translation", "borea"), 1), (("rubric", MODEL), 2)],
    ids=["the first system", "the second system", "the judge"],
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_interrupted_in_a_step_it_begins_no_other(
    discox: Command, library: Path, step: tuple[str, str], made: int, number: int
) -> None:
    """All that is asked in the step is in flight, so that nothing of it is left undone."""
    script, held, go = Script(), threading.Event(), threading.Event()

    def slowly(body: dict[str, Any], n: int) -> Any:
        said = script(body, n)
        if (script.judge.asked[-1].step, body["model"]) == step:
            held.set()
            assert go.wait(PATIENCE)
        return said

    with ScriptedServer(PROTOCOLS["openai"](slowly)) as server:
        running = child(*options(server, library, "--concurrency", "16"))
        assert held.wait(PATIENCE)
        running.send_signal(number)
        assert running.stderr is not None
        while "stopping" not in (line := running.stderr.readline()):
            assert line, "it was not heard"
        go.set()
        running.communicate(timeout=PATIENCE)
        assert running.returncode == 1 if made < 2 else running.returncode in (0, 1)
        assert intact(library)
        asked = Counter(question.step for question in script.judge.asked)
        assert asked["translation"] <= 5 * (made + 1)
        assert made == 2 or not asked["rubric"]
        so_far = states(discox("build", "filter", "--db", library, "--json"))
        assert so_far.keys() == FOUND.keys(), "the filter is on record from the beginning"
        assert made == 2 or set(so_far.values()) == {"waiting", "cannot_pass"}
        result = discox(*options(server, library, "--json"))
    assert (result.code, states(result)) == (0, FOUND)
    assert Counter(step for step, outcome in calls(library) if outcome == "ok") == ALL_CALLS


def test_a_budget_is_that_of_the_whole_command(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script]
) -> None:
    server, script = served
    first = discox(*options(server, library, "--max-calls", "7", "--concurrency", "1"))
    assert (first.code, len(script.judge.asked)) == (1, 7)
    assert "the limit of 7 calls is reached" in first.err
    second = discox(*options(server, library, "--max-calls", "13", "--concurrency", "1"))
    assert (second.code, len(script.judge.asked)) == (1, 20)
    assert discox(*options(server, library)).code == 0
    assert script.judge.steps == ALL_CALLS


def test_a_cost_that_cannot_be_known_is_refused_before_anything_is_paid(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script], tmp_path: Path
) -> None:
    server, script = served
    prices = tmp_path / "prices.toml"
    dear = "input = 1000.0\noutput = 1000.0\n"
    prices.write_text(f'[models.alba]\n{dear}[models."borea"]\n{dear}', encoding="utf-8")
    result = discox(*options(server, library, "--prices", prices, "--max-cost", "1"))
    assert result.code == 1
    assert f"has no price for {MODEL}" in result.err
    assert not script.judge.asked
    prices.write_text(prices.read_text(encoding="utf-8") + f"[models.{MODEL}]\n{dear}", encoding="utf-8")
    result = discox(*options(server, library, "--prices", prices, "--max-cost", "2.5", "--concurrency", "1"))
    assert result.code == 1
    assert "would be passed" in result.err
    assert 5 < script.judge.steps["translation"] < 10, "what the first system cost counts for the second"
    assert not script.judge.steps["rubric"]


# --- without asking ---


def test_a_dry_run_asks_nobody_and_keeps_nothing(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script]
) -> None:
    server, script = served
    said = report(discox(*options(server, library, "--dry-run", "--json")))
    assert said["candidates"] == ["rent-ruling", "silk-salt", "harbour-lights", "audit-trail", "kelp-beds"]
    assert said["cannot_pass"] == ["few-points"]
    assert {name: each["calls"] for name, each in said["translations"].items()} == {"alba": 5, "borea": 5}
    assert (said["judging"]["to_make"], said["judging"]["calls_by_step"]) == (
        10,
        {"instruction_check": 10, "rubric": 10},
    )
    plain = discox(*options(server, library, "--dry-run"))
    assert "10 translations of these are still to be made" in plain.out
    assert discox("build", "filter", "--db", library, "--json").out == "[]\n"
    assert not script.judge.asked
    discox(*options(server, library))
    said = report(discox(*options(server, library, "--dry-run", "--json")))
    assert said["translations"] == {}
    assert said["judging"]["calls"] == 0


def test_it_is_repeated_from_the_record_alone(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script]
) -> None:
    server, script = served
    first = discox(*options(server, library, "--json"))
    asked = len(script.judge.asked)
    replayed = discox(
        *("build", "filter", "--db", library, "--reviewer", "ana", "--systems", ",".join(SYSTEMS), "--json"),
        *("--provider", "replay", "--model", MODEL),
    )
    assert (replayed.code, replayed.out) == (0, first.out)
    assert "10 came out as they are stored, 0 otherwise, 0 are new" in replayed.err
    assert len(script.judge.asked) == asked
    with closing(open_library(library)) as connection:
        assert len(filters(connection)) == 1, "the same filter is kept once"


def test_candidates_that_are_named_are_shown_point_by_point(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script]
) -> None:
    server, _ = served
    discox(*options(server, library))
    shown = discox("build", "filter", "--db", library, "kelp-beds")
    assert "rent-ruling" not in shown.out
    assert shown.out.count("every system fails it") == 5
    assert shown.out.count("alba fails it") == 3
    assert [each["key"] for each in report(discox("build", "filter", "--db", library, "--json", "kelp-beds"))] == [
        "kelp-beds"
    ]
    for more in ((), ("--systems", "alba,borea", "--provider", "replay", "--model", MODEL)):
        unknown = discox("build", "filter", "--db", library, "nobody", *more)
        assert (unknown.code, unknown.out) == (1, "")
        assert "there is no such candidate" in unknown.err


# --- people's word ---


@pytest.mark.parametrize("decision", ["met", "too_strict"])
def test_a_word_on_a_point_counts_whoever_says_it_last(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script], decision: str
) -> None:
    """Of kelp-beds borea meets three points, so that it is easy until people say that it meets none."""
    server, _ = served
    discox(*options(server, library))
    with closing(open_library(library)) as connection:
        each, evaluation = look(connection, "kelp-beds", "borea")
        ana, ben = ReviewLog(connection, "ana"), ReviewLog(connection, "ben")

        def state() -> str:
            return outcomes(connection, [each])["kelp-beds"].state

        for number in (1, 2):
            ana.set_point(evaluation, number, decision="violated")
            assert state() == "easy"
        ana.set_point(evaluation, 3, decision="violated")
        assert state() == "stays"
        ben.set_point(evaluation, 3, decision=decision)
        assert state() == "easy"
        ben.undo()
        assert state() == "stays"
        ana.undo()
        assert state() == "easy"
        ana.redo()
        assert state() == "stays"


def test_a_judge_that_fails_is_made_good_by_people_point_by_point(discox: Command, library: Path) -> None:
    with ScriptedServer(PROTOCOLS["openai"](Script(fails="borea"))) as server:
        discox(*options(server, library))
    with closing(open_library(library)) as connection:
        each, evaluation = look(connection, "rent-ruling", "borea")
        log = ReviewLog(connection, "ana")
        for number in range(1, 8):
            log.set_point(evaluation, number, decision="violated")
        assert outcomes(connection, [each])["rent-ruling"].state == "judge_failed"
        log.set_point(evaluation, 8, decision="met")
        assert outcomes(connection, [each])["rent-ruling"].state == "easy"


def test_no_translation_fails_every_point_unless_people_say_that_it_is_one(discox: Command, library: Path) -> None:
    script = Refusing()
    with ScriptedServer(PROTOCOLS["openai"](script)) as server:
        result = discox(*options(server, library, "--json"))
        assert states(result)["kelp-beds"] == "no_translation"
        with closing(open_library(library)) as connection:
            each, evaluation = look(connection, "kelp-beds", "borea")
            log = ReviewLog(connection, "ana")
            log.set_review(evaluation, instruction="overturn")
            outcome = outcomes(connection, [each])["kelp-beds"]
            assert (outcome.state, outcome.points[0].unknown_by) == ("judge_failed", ("borea",))
            log.undo()
            assert outcomes(connection, [each])["kelp-beds"].state == "no_translation"
            _, other = look(connection, "kelp-beds", "alba")
            log.set_review(other, instruction="overturn")
            assert outcomes(connection, [each])["kelp-beds"].failed["alba"] == 8


# --- what comes after ---


def test_only_what_stays_is_dealt_out(discox: Command, library: Path, served: tuple[ScriptedServer, Script]) -> None:
    server, _ = served
    before = discox("build", "assign", "--db", library, "--people", "ana", "--dry-run", "--json")
    assert before.code == 1, "nothing was filtered"
    discox(*options(server, library))
    after = discox("build", "assign", "--db", library, "--people", "ana", "--dry-run", "--json")
    assert set(json.loads(after.out)["people"]) == {key for key, state in FOUND.items() if state == "stays"}
    assert "left out, kelp-beds: The filter says easy: borea fails 5 points; 8 are asked for." in after.err
    assert "left out, tide-bell: It was never filtered." in after.err
    every = report(
        discox("build", "assign", "--db", library, "--people", "ana", "--dry-run", "--json", "--exception", "a pilot")
    )
    assert len(every["people"]) == 10
    assert every["exceptions"]["kelp-beds"] == ["filter"]
    assert every["exceptions"]["short-note"] == ["filter", "length"]


def test_the_rubric_alone_is_a_judge_of_its_own(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script]
) -> None:
    """Its calls are those of the full metric, its scores are not: lists and leaderboards keep them apart."""
    server, script = served
    discox(*options(server, library))
    assert judge(discox, library, server, "--system", "alba").code == 0
    assert script.judge.steps["rubric"] == 10, "the full metric finds these answers on record"
    boards = report(discox("leaderboard", "--db", library, "--json"))["leaderboards"]
    assert {(each["judge"], each["evaluations"]) for each in boards} == {(MODEL, 5), (f"{MODEL}:rubric", 10)}
    for row in listed(discox, library):
        assert (row["judge"] == f"{MODEL}:rubric") == (row["score"]["fluency"] is None)


def test_a_judge_that_failed_is_asked_again_and_then_counts(discox: Command, library: Path) -> None:
    script = Script(fails="borea")
    with ScriptedServer(PROTOCOLS["openai"](script)) as server:
        first = states(discox(*options(server, library, "--json")))
        assert {first[key] for key, state in FOUND.items() if state != "cannot_pass"} == {"judge_failed"}
        script.fails = ""
        assert states(discox(*options(server, library, "--json"))) == first, "what failed is not asked again by itself"
        assert states(discox(*options(server, library, "--json", "--retry-failed"))) == FOUND


def test_names_that_differ_in_case_alone_are_one_system(discox: Command, library: Path) -> None:
    model = ("--provider", "openai", "--model", MODEL)
    result = discox("build", "filter", "--db", library, "--systems", "alba,Alba", *model)
    assert (result.code, result.out) == (2, "")


def test_every_article_that_is_missing_is_named(discox: Command, library: Path) -> None:
    model = ("--provider", "openai", "--model", MODEL)
    result = discox("build", "filter", "--db", library, "--systems", "alba,borea", *model)
    assert result.err.count("--article ") == 2 * 5
