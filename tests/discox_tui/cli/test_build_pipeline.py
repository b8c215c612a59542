"""A benchmark from ten candidates to a data set: every stage by the command line, over a real socket, interrupted."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discox_tui.cli.sample import sample_folder
from storage.benchmark.candidates import candidate, candidates
from storage.benchmark.difficulty import judged, outcomes
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import filters
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command, Result
from tests.support.judge_script import Question, ScriptedJudge, answer
from tests.support.judging import MODEL, PROTOCOLS, address, calls, child, intact, report
from tests.support.nightly import by_day
from tests.support.scripted_server import Response, ScriptedServer

CANDIDATES = Path(__file__).parents[2] / "data" / "candidates.jsonl"
SAMPLE = sample_folder() / "DISCOX-sample.json"
SYSTEMS = ("alba", "borea")
BLOCKED = {"short-note", "wrong-language", "tide-bell", "tide-bell-again"}
MET = {"kelp-beds": {"borea": 3}}
"""Candidate → system → how many points it meets; whoever is not named meets none."""
FOUND = {"rent-ruling": "stays", "silk-salt": "stays", "harbour-lights": "stays", "audit-trail": "stays"}
FOUND |= {"kelp-beds": "easy", "few-points": "cannot_pass"}


class Script:
    """Two systems that translate, and a rubric judge; ``fails``: systems whose translations the judge cannot judge."""

    def __init__(self, fails: str = "", delay: float = 0.0) -> None:
        self.judge = ScriptedJudge({"rubric": self.rubric})
        self.fails, self.delay = fails, delay

    def __call__(self, body: dict[str, Any], number: int) -> Any:
        question = Question.of(body)
        if question.step == "translation":
            self.judge.asked.append(question)
            said: Any = f"{body['model']} has this: {question.message.splitlines()[-1][:200]}"
        else:
            said = self.judge(body, number)
        if self.delay and isinstance(said, str):
            time.sleep(self.delay)
        return said

    def rubric(self, question: Question, _: int) -> Any:
        system = question.translation[0].split(" ", 1)[0]
        if system == self.fails:
            return "I would rather not say."
        key = next((k for k in MET if KEYS[k] in question.source[0]), "")
        met = MET.get(key, {}).get(system, 0)
        said = json.loads(answer(question))
        return json.dumps({"items": [{**item, "met": i < met} for i, item in enumerate(said["items"])]})


KEYS = {row["article"]: row["source"][:30] for row in map(json.loads, CANDIDATES.read_text("utf-8").splitlines())}


@pytest.fixture
def library(tmp_path: Path, discox: Command) -> Path:
    """The ten candidates, checked for lengths of their own."""
    path = tmp_path / "a.db"
    assert discox("build", "quotas", "--db", path, "--least", "zh=200", "--least", "en=120").code == 0
    added = report(discox("build", "add", "--db", path, "--reviewer", "ana", "--json", CANDIDATES))
    assert (added["rows"], added["stored"], added["left_out"]) == (10, 10, 0)
    return path


def options(server: ScriptedServer, path: Path, *more: object) -> tuple[object, ...]:
    where = ("--provider", "openai", "--model", MODEL, "--base-url", address(server))
    made = [part for system in SYSTEMS for part in ("--translate", f"{system}={system}")]
    return ("build", "filter", "--db", path, "--reviewer", "ana", "--systems", ",".join(SYSTEMS), *made, *where, *more)


def states(result: Result) -> dict[str, str]:
    return {each["key"]: each["state"] for each in json.loads(result.out)}


@pytest.fixture
def served() -> Iterator[tuple[ScriptedServer, Script]]:
    script = Script()
    with ScriptedServer(PROTOCOLS["openai"](script)) as server:
        yield server, script


def test_intake_names_what_is_wrong(discox: Command, library: Path) -> None:
    checked = report(discox("build", "check", "--db", library, "--json"), 1)
    blocking = {
        each["key"]: {one["code"] for one in each["findings"] if one["severity"] == "blocks"} for each in checked
    }
    assert {key for key, codes in blocking.items() if codes} == BLOCKED
    assert blocking["short-note"] == {"length"}
    assert blocking["wrong-language"] == {"language"}
    assert blocking["tide-bell"] == {"near_duplicate"}


def test_the_whole_way_from_candidates_to_a_data_set(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script], tmp_path: Path
) -> None:
    server, script = served
    (twin,) = [
        one["id"]
        for one in report(discox("build", "check", "--db", library, "--json", "tide-bell"), 1)[0]["findings"]
        if one["code"] == "near_duplicate"
    ]
    why = ("--all-right", twin[:8], "--why", "the other one goes")
    assert discox("build", "check", "--db", library, "tide-bell", *why).code == 0
    filtered = discox(*options(server, library, "--json"))
    assert filtered.code == 0, filtered
    assert states(filtered) == FOUND | {"tide-bell": "stays"}
    assert "few-points can never pass: 2 points, and 8 have to fail" in filtered.err
    steps = script.judge.steps
    assert steps == {"translation": 12, "instruction_check": 12, "rubric": 12}, "nobody is asked about few-points"
    again = discox(*options(server, library, "--json"))
    assert states(again) == states(filtered)
    assert script.judge.steps == steps, "nothing is asked twice"
    assert discox("build", "filter", "--db", library, "--json").out == again.out
    ids = {row["key"]: row for row in json.loads(again.out)}
    assert ids["kelp-beds"]["failed"] == {"alba": 8, "borea": 5}
    assert ids["rent-ruling"]["failed_by_all"] == [1, 2, 3, 4, 5, 6, 7, 8]

    accepted = ("tide-bell", "rent-ruling", "silk-salt", "harbour-lights", "audit-trail")
    dealt = discox("build", "assign", "--db", library, "--people", "ana,ben", "--overlap", "1", *accepted)
    assert dealt.code == 0
    with closing(open_library(library)) as connection:
        for person in ("ana", "ben"):
            log = BuildLog(connection, person)
            for key in accepted:
                log.decide(key, "reject" if (person, key) == ("ben", "silk-salt") else "accept", "too plain")
            log.spend("rent-ruling", {3: 1800.0})
        assert {c.key: c.outcome for c in candidates(connection, "ana")}["silk-salt"] == "differ"
        BuildLog(connection, "cleo").settle("silk-salt", "reject", "too plain")
    names = [tmp_path / name for name in ("out.json", "out.jsonl", "sheet.md", "sheet.html")]
    written = discox("build", "write", "--db", library, "--reviewer", "ana", *names)
    assert written.code == 0, written
    chosen = json.loads(names[0].read_text(encoding="utf-8"))
    assert [row["article"] for row in chosen] == ["tide-bell", "rent-ruling", "harbour-lights", "audit-trail"]
    assert all(type(row["prompt_id"]) is int for row in chosen)
    (came,) = (row["filter"] for row in chosen if row["article"] == "rent-ruling")
    assert (came["state"], came["needed"], came["rule"]["min_failed"]) == ("stays", 8, 8)
    assert {each["system"]: len(each["failed"]) for each in came["systems"]} == {"alba": 8, "borea": 8}
    assert all("scheme:rubric" in judge for judge in came["judges"])
    sheet = names[2].read_text(encoding="utf-8")
    for said in (
        "4 articles (accepted candidates), 34 rubric points",
        "| candidates added | 10 |",
        "| filter: stays | 5 |",
        "| filter: easy | 1 |",
        "| filter: cannot pass | 1 |",
        f"every system fails 8 points at least | {MODEL} |",
        "| too plain | 1 |",
        "| translation | alba | alba |",
        "scheme:rubric",
        "| near duplicate | 0 | 1 |",
        "| ana \\~ ben | 5 | 0 | 0.800",
        "| all | 0.0 | 0.0 | 1.0 | 1.0 |",
        "| written for the tests | Apache-2.0 | 4 |",
    ):
        assert said in sheet, said
    assert "<h1>Data sheet</h1>" in names[3].read_text(encoding="utf-8")
    assert intact(library)


@pytest.mark.parametrize("name", ["out.json", "out.jsonl"])
def test_what_is_written_comes_in_again_equal(discox: Command, library: Path, tmp_path: Path, name: str) -> None:
    path, other = tmp_path / name, tmp_path / "b.db"
    assert discox("build", "write", "--db", library, "--all", path).code == 0
    if name == "out.json":
        assert discox("import", "--db", other, path).code == 0
    else:
        assert discox("build", "add", "--db", other, path).code in (0, 1)
    said = "SELECT key, direction, domain, subdomain, source, rubric_text FROM articles ORDER BY key"
    with closing(sqlite3.connect(library)) as ours, closing(sqlite3.connect(other)) as theirs:
        assert theirs.execute(said).fetchall() == ours.execute(said).fetchall()
    before = path.read_bytes()
    assert discox("build", "write", "--db", library, "--all", path).code == 0, "it is ours, so it is replaced"
    assert path.read_bytes() == before


def test_a_persons_word_on_a_point_turns_the_outcome_and_its_undo_turns_it_back(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script]
) -> None:
    server, _ = served
    discox(*options(server, library))
    with closing(open_library(library)) as connection:
        each = candidate(connection, "rent-ruling", "ana")
        assert each is not None
        (under,) = [f for f in filters(connection) if f.id == each.filters[-1]]
        said = judged(connection, each.article_id, under)["alba"]
        assert said is not None
        (finding,) = connection.execute(
            "SELECT id FROM findings WHERE evaluation_id = ? AND rubric_point = 3", (said.evaluation,)
        ).fetchone()
        log = ReviewLog(connection, "ana")
        log.decide(said.evaluation, finding, decision="not_an_error")
        after = outcomes(connection, [each])["rent-ruling"]
        assert (after.state, after.failed["alba"]) == ("easy", 7)
        log.undo()
        assert outcomes(connection, [each])["rent-ruling"].state == "stays"


def test_a_revised_candidate_alone_is_judged_again(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script]
) -> None:
    server, script = served
    discox(*options(server, library))
    before = script.judge.steps
    with closing(open_library(library)) as connection:
        log = BuildLog(connection, "ana")
        each = candidate(connection, "rent-ruling", "ana")
        assert each is not None
        source = connection.execute("SELECT source FROM articles WHERE id = ?", (each.article_id,)).fetchone()[0]
        log.revise("rent-ruling", source=source + "本判决为终审判决。", note="the last sentence was missing")
    waiting = discox("build", "filter", "--db", library, "--json")
    assert "rent-ruling" not in states(waiting), "its present version is under no filter"
    again = discox(*options(server, library, "--json"))
    assert states(again)["rent-ruling"] == "stays"
    more = script.judge.steps - before
    assert more == {"translation": 2, "instruction_check": 2, "rubric": 2}


def test_a_judge_that_fails_is_no_failure_of_the_system(discox: Command, library: Path) -> None:
    with ScriptedServer(PROTOCOLS["openai"](Script(fails="borea"))) as server:
        first = discox(*options(server, library, "--json"))
        assert states(first)["rent-ruling"] == "judge_failed"
    with ScriptedServer(PROTOCOLS["openai"](Script())) as server:
        second = discox(*options(server, library, "--json", "--retry-failed"))
    assert states(second) == FOUND


def test_without_a_model_it_says_how_to_make_what_is_missing(
    discox: Command, library: Path, served: tuple[ScriptedServer, Script]
) -> None:
    server, script = served
    where = ("--provider", "openai", "--model", MODEL, "--base-url", address(server))
    result = discox("build", "filter", "--db", library, "--systems", "alba,borea", *where, "--json")
    assert result.code == 1
    assert set(states(result).values()) == {"waiting", "cannot_pass"}
    assert "discox translate --system alba --provider PROVIDER --model MODEL --article" in result.err
    assert not script.judge.asked


@pytest.mark.parametrize(
    "wrong",
    [
        ("--systems", "alba"),
        ("--systems", "alba,alba"),
        ("--systems", "alba,borea", "--translate", "carme=x"),
        ("--systems", "alba,borea", "--min-share", "1.5"),
        ("--systems", "alba,borea", "--min-failed", "0"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(discox: Command, library: Path, wrong: tuple[str, ...]) -> None:
    result = discox("build", "filter", "--db", library, "--provider", "openai", "--model", MODEL, *wrong)
    assert (result.code, result.out) == (2, "")


@by_day(1)
@pytest.mark.parametrize("after", [3, 9, 14, 25])
def test_it_goes_on_where_it_was_killed(discox: Command, library: Path, after: int) -> None:
    script = Script(delay=0.02)
    with ScriptedServer(PROTOCOLS["openai"](script)) as server:
        running = child(*options(server, library, "--concurrency", "1"))
        until = time.monotonic() + 60
        while len(script.judge.asked) < after and time.monotonic() < until:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.communicate()
        assert intact(library)
        paid = [call for call in calls(library) if call[1] == "ok"]
        result = discox(*options(server, library, "--json"))
    assert states(result) == FOUND
    assert len(paid) >= after - 2
    assert len([call for call in calls(library) if call[1] == "ok"]) == 30, "what was answered is not asked again"


@by_day(1)
@pytest.mark.parametrize("seconds", [0.3, 0.6, 0.9])
def test_intake_and_writing_go_on_where_they_were_killed(discox: Command, tmp_path: Path, seconds: float) -> None:
    path, out = tmp_path / "a.db", tmp_path / "out.json"
    for after in (seconds, 2 * seconds):
        running = child("build", "add", "--db", path, "--reviewer", "ana", CANDIDATES)
        time.sleep(after)
        running.send_signal(signal.SIGKILL)
        running.communicate()
        assert not path.exists() or intact(path)
    added = report(discox("build", "add", "--db", path, "--reviewer", "ana", "--json", CANDIDATES))
    assert added["stored"] in (0, 10), "a file comes in whole or not at all"
    assert added["stored"] + added["unchanged"] == 10
    running = child("build", "write", "--db", path, "--all", out)
    time.sleep(seconds)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert not out.exists() or len(json.loads(out.read_text(encoding="utf-8"))) == 10
    assert discox("build", "write", "--db", path, "--all", out).code == 0
    assert len(json.loads(out.read_text(encoding="utf-8"))) == 10


def test_the_servers_failures_leave_what_was_not_reached_waiting(discox: Command, library: Path) -> None:
    with ScriptedServer(
        PROTOCOLS["openai"](lambda body, number: Response(401, {"error": {"message": "no"}}))
    ) as server:
        result = discox(*options(server, library, "--json"))
    assert result.code != 0
    assert intact(library)


def test_the_samples_articles_go_through_the_data_sheet(discox: Command, tmp_path: Path) -> None:
    path, sheet = tmp_path / "s.db", tmp_path / "sheet.md"
    assert discox("build", "add", "--db", path, "--origin", "the sample", "--licence", "Apache-2.0", SAMPLE).code == 0
    nothing = discox("build", "write", "--db", path, sheet)
    assert (nothing.code, sheet.exists()) == (1, False)
    assert "no candidate is accepted yet, of 4" in nothing.err
    assert discox("build", "write", "--db", path, "--all", sheet).code == 0
    said = sheet.read_text(encoding="utf-8")
    assert "These are not only accepted candidates: the data set is not finished." in said
    assert "| the sample | Apache-2.0 | 4 |" in said
    assert "No candidate was given to two people." in said
