"""A benchmark by three people and two systems: every stage in order and out of it, exceptions, kills in each stage."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command, Result
from tests.discox_tui.cli.test_build_pipeline import CANDIDATES, FOUND, Script, options, states
from tests.support.judging import MODEL, PATIENCE, PROTOCOLS, address, child, intact, report
from tests.support.nightly import by_day
from tests.support.scripted_server import ScriptedServer

STAY = [key for key, state in FOUND.items() if state == "stays"]
EXCEPTION = ("--exception", "the only one of its field")


@pytest.fixture
def library(tmp_path: Path, discox: Command) -> Path:
    """The ten candidates, and three people."""
    path = tmp_path / "a.db"
    assert discox("build", "quotas", "--db", path, "--least", "zh=200", "--least", "en=120", "--target", 0.3).code == 0
    roles = ("ana=author", "ben=reviewer", "cleo=reviewer+adjudicator")
    assert discox("build", "people", "--db", path, *roles, "--hours", "ana=2.5", "--what", "typing").code == 0
    assert discox("build", "add", "--db", path, "--reviewer", "ana", CANDIDATES).code == 0
    return path


@pytest.fixture
def served() -> Iterator[ScriptedServer]:
    with ScriptedServer(PROTOCOLS["openai"](Script())) as server:
        yield server


Build = Callable[..., Result]


@pytest.fixture
def build(discox: Command, library: Path) -> Build:
    """A command on the library, as ana unless another is named."""

    def command(name: str, *arguments: object, person: str = "ana") -> Result:
        return discox("build", name, "--db", library, "--reviewer", person, *arguments)

    return command


def listed(build: Build) -> dict[str, dict[str, Any]]:
    return {each["key"]: each for each in report(build("list", "--json"))}


# --- the whole way ----------------------------------------------------------------------------------------------


def steps(server: ScriptedServer, path: Path, out: Path) -> dict[str, list[tuple[object, ...]]]:
    """The commands of each stage, all words of them."""

    def command(name: str, person: str, *more: object) -> tuple[object, ...]:
        return ("build", name, "--db", path, "--reviewer", person, *more)

    every = [*STAY, "kelp-beds"]
    return {
        "add": [command("add", "ana", CANDIDATES)],
        "filter": [(*options(server, path), "--concurrency", "1")],
        "assign": [
            command("assign", "ana", "--people", "ben,cleo", "--overlap", "1", "--again", *every, *EXCEPTION),
        ],
        "decide": [
            command("decide", "ben", "accept", *every[1:], *EXCEPTION),
            command("decide", "ben", "reject", every[0], "--why", "too plain"),
            command("decide", "cleo", "accept", *every, *EXCEPTION),
            command("decide", "cleo", "reject", every[0], "--settle", "--why", "too plain indeed"),
        ],
        "write": [command("write", "ana", out / "out.jsonl", out / "out.json", out / "sheet.md")],
    }


def killed(path: Path, arguments: tuple[object, ...]) -> None:
    """Run a command and kill it as soon as it writes into the library or is over."""
    beside = path.with_name(f"{path.name}-wal")

    def state() -> tuple[int, ...]:
        return tuple(file.stat().st_size if file.exists() else 0 for file in (path, beside))

    running, before, until = child(*arguments), state(), time.monotonic() + PATIENCE
    while running.poll() is None and state() == before and time.monotonic() < until:
        time.sleep(0.001)
    running.send_signal(signal.SIGKILL)
    running.communicate()


@by_day(1)
@pytest.mark.parametrize("stage", ["filter", "add", "assign", "decide", "write"])
def test_the_whole_way_of_three_people_goes_on_where_it_was_killed(
    discox: Command, library: Path, served: ScriptedServer, tmp_path: Path, stage: str
) -> None:
    for name, commands in steps(served, library, tmp_path).items():
        for command in commands:
            if name == stage:
                killed(library, command)
                assert intact(library)
            came = discox(*command)
            assert came.code == 0, came
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["article"] for row in rows} == {*STAY[1:], "kelp-beds"}
    assert len(json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))) == len(rows)
    sheet = (tmp_path / "sheet.md").read_text(encoding="utf-8")
    for said in (
        "4 articles (accepted candidates)",
        "| filter: easy | 1 |",
        f"every system fails 8 points at least | {MODEL} |",
        "accepted without the filter: the only one of its field",
        "dealt out without the filter: the only one of its field",
        "| cleo | reviewer, adjudicator | reviewer, adjudicator |",
        "3 experts: 1 author, 2 reviewers, 1 adjudicator",
        "| ana | 2.5 | 0.0 | 0.0 | 2.5 |",
        "| target: accepted, of all candidates | 30% | 10 |",
        "| too plain indeed | 1 |",
        "| ben \\~ cleo | 5 | 0 | 0.800",
    ):
        assert said in sheet, said
    assert intact(library)


# --- out of order -----------------------------------------------------------------------------------------------


def test_no_stage_is_passed_by_unnoticed(build: Build, served: ScriptedServer, library: Path, tmp_path: Path) -> None:
    early = build("decide", "accept", "rent-ruling")
    assert (early.code, early.out) == (1, "")
    assert "rent-ruling: It was never filtered." in early.err
    assert "--exception WHY" in early.err
    assert build("assign", "--people", "ben").code == 1
    assert build("assign", "--people", "ben", "rent-ruling").code == 1, "nor is one that is named"
    assert build("write", tmp_path / "out.json").code == 1
    assert not any(each["assigned"] or each["decisions"] for each in listed(build).values())
    filter_options = options(served, library)[6:]
    assert build("filter", *filter_options).code == 0
    assert build("decide", "accept", "rent-ruling", "kelp-beds").code == 1, "all of them or none"
    assert listed(build)["rent-ruling"]["outcome"] == "undecided"
    assert build("decide", "accept", "rent-ruling").code == 0
    blocked = build("decide", "accept", "short-note", *EXCEPTION)
    assert "accepted without the filter and mending length: the only one of its field" in blocked.out
    assert "still short" not in blocked.out
    assert build("decide", "reject", "silk-salt").code == 2, "a rejection says why"
    assert build("decide", "undecided", "silk-salt").code == 1, "nothing to take back"


def test_an_exception_is_on_every_list(build: Build, served: ScriptedServer, library: Path, tmp_path: Path) -> None:
    filter_options = options(served, library)[6:]
    assert build("filter", *filter_options).code == 0
    dealt = build("assign", "--people", "ben", "kelp-beds", *EXCEPTION)
    assert "kelp-beds: dealt out without the filter: the only one of its field" in dealt.out
    assert build("decide", "accept", "kelp-beds", *EXCEPTION, person="ben").code == 0
    wanted = [
        {"step": step, "without": ["filter"], "person": person, "why": EXCEPTION[1]}
        for step, person in (("assign", "ana"), ("accept", "ben"))
    ]

    def said(of: dict[str, Any]) -> list[dict[str, Any]]:
        return [{name: each[name] for name in ("step", "without", "person", "why")} for each in of["exceptions"]]

    kelp = listed(build)["kelp-beds"]
    assert said(kelp) == wanted
    assert kelp["decisions"][0]["without"] == ["filter"]
    (filtered,) = report(build("filter", "--json", "kelp-beds"))
    assert said(filtered) == wanted
    for text in (build("list").out, build("filter").out):
        assert "kelp-beds: accepted without the filter: the only one of its field (ben)" in text
    assert "accepted without a condition (ben accept)" in build("list").out
    assert report(build("quotas", "--json"))["exceptions"] == 1
    (row,) = report(build("write", "--json", tmp_path / "out.jsonl"))
    assert said({"exceptions": row["exceptions"]["kelp-beds"]}) == wanted
    assert row["left_out"] == {}


def test_what_was_accepted_and_no_longer_may_be_is_not_written(
    build: Build, served: ScriptedServer, library: Path, tmp_path: Path
) -> None:
    filter_options = options(served, library)[6:]
    assert build("filter", *filter_options).code == 0
    assert build("decide", "accept", "rent-ruling", "silk-salt").code == 0
    harder = build("filter", *filter_options, "--min-failed", "9", "rent-ruling")
    assert harder.code in (0, 1)
    from contextlib import closing

    from storage.benchmark.log import BuildLog
    from storage.integrity.opening import open_library

    with closing(open_library(library)) as connection:
        BuildLog(connection, "ana").revise("silk-salt", licence="")
    (row,) = report(build("write", "--json", tmp_path / "out.jsonl"))
    assert (row["articles"], row["left_out"]) == (1, {"silk-salt": ["licence"]})
    sheet = tmp_path / "sheet.md"
    written = build("write", tmp_path / "out.jsonl", sheet, "--exception", "the permission is on its way")
    assert written.code == 0
    assert "written without mending licence: the permission is on its way" in sheet.read_text(encoding="utf-8")
    assert listed(build)["silk-salt"]["exceptions"][0]["step"] == "write"
    draft = build("write", "--all", sheet)
    assert draft.code == 0
    assert "kelp-beds | without the filter" in sheet.read_text(encoding="utf-8")


# --- people -----------------------------------------------------------------------------------------------------


def test_people_have_roles_and_hours(build: Build) -> None:
    assert (
        build("people", "ben=", "dora=author+reviewer", "--hours", "ana=-0.5", "--hours", "ben=3", "--stage", "3").code
        == 0
    )
    found = {each["person"]: each for each in report(build("people", "--json"))}
    assert found["ana"]["hours"] == {"inside": 0, "outside": 2.0}
    assert (found["ana"]["said"], found["ana"]["acted"]) == (["author"], ["author"])
    assert (found["ben"]["said"], found["ben"]["hours"]["outside"]) == ([], 3.0)
    assert found["dora"]["roles"] == ["author", "reviewer"]
    text = build("people").out
    assert "4 experts: 2 authors, 2 reviewers, 1 adjudicator; 5.0 hours, 5.0 of them outside of the program" in text


@pytest.mark.parametrize(
    "wrong", [("ana",), ("ana=boss",), ("=author",), ("--hours", "ana"), ("--hours", "ana=0"), ("--what", "x")]
)
def test_roles_and_hours_that_make_no_sense_are_refused(build: Build, wrong: tuple[object, ...]) -> None:
    assert build("people", *wrong).code == 2


def test_an_adjudicator_settles_where_there_is_one(build: Build, served: ScriptedServer, library: Path) -> None:
    filter_options = options(served, library)[6:]
    assert build("filter", *filter_options).code == 0
    assert build("assign", "--people", "ana,ben", "--overlap", "1", "rent-ruling").code == 0
    assert build("decide", "accept", "rent-ruling").code == 0
    assert build("decide", "reject", "rent-ruling", "--why", "dull", person="ben").code == 0
    refused = build("decide", "accept", "rent-ruling", "--settle", person="ben")
    assert (refused.code, "cleo settles it, not ben" in refused.err) == (1, True)
    assert "rent-ruling: accepted" in build("decide", "accept", "rent-ruling", "--settle", person="cleo").out


# --- checks, types, quotas --------------------------------------------------------------------------------------


def test_findings_are_counted_by_code_and_types_are_proposed(build: Build) -> None:
    shown = build("check").out
    assert "found" in shown
    counts = {line.split("  ")[0]: line.split()[-5:] for line in shown.splitlines()}
    assert counts["length"] == ["2", "1", "1", "–", "–"]
    assert counts["near duplicate"] == ["2", "2", "–", "–", "–"]
    before = report(build("check", "--json", "harbour-lights"))[0]["findings"]
    proposed = {one["point"]: one["proposed"] for one in before if one["code"] == "untyped"}
    assert {one["severity"] for one in before if one["code"] == "untyped"} <= {"remarks"}
    taken = build("check", "--take-types", "harbour-lights")
    assert taken.code == 0
    after = report(build("check", "--json", "harbour-lights"))[0]["findings"]
    assert len([one for one in after if one["code"] == "untyped"]) == sum(kind is None for kind in proposed.values())


def test_quotas_are_asked_by_code_or_name_in_either_language(build: Build, tmp_path: Path) -> None:
    asked = tmp_path / "q.toml"
    asked.write_text(
        '[[quotas]]\nwanted = 3\ndomain = "natural science"\n[[quotas]]\nwanted = 1\ndomain = "literature_arts"\n'
        '[[quotas]]\nwanted = 9\ndomain = "non-academic"\n',
        encoding="utf-8",
    )
    found = report(build("quotas", "--json", asked))["quotas"]
    assert [each["open"] for each in found] == [1, 3, 3], "自然科学; 文学 twice, Literature; 新闻 twice, News"
    assert "10 candidates accepted (0%); 30% should come in, 3" in build("quotas").out


# --- the filter -------------------------------------------------------------------------------------------------


def test_the_filter_says_its_rule_and_its_judge(build: Build, served: ScriptedServer, library: Path) -> None:
    filter_options = options(served, library)[6:]
    assert build("filter", *filter_options).code == 0
    words = f"every system fails 8 points at least; rubric judge {MODEL}; systems alba, borea"
    assert f"filter: {words}" in build("filter").out
    assert f"filter: {words}" in build("list").out
    (row,) = report(build("filter", "--json", "kelp-beds"))
    assert (row["filter"]["words"], row["filter"]["judges"]) == (words, [MODEL])
    assert row["filter"]["rule"]["min_failed"] == 8


def test_a_failed_judge_is_no_number(build: Build, library: Path) -> None:
    with ScriptedServer(PROTOCOLS["openai"](Script(fails="borea"))) as server:
        result = build("filter", *options(server, library)[6:], "--json")
    row = next(each for each in json.loads(result.out) if each["key"] == "rent-ruling")
    assert (row["state"], row["failed"], row["owed"]) == (
        "judge_failed",
        {"alba": 8, "borea": None},
        {"alba": 0, "borea": 8},
    )
    assert row["failed_by_all"] is row["failed_by_none"] is None
    line = next(line for line in build("filter").out.splitlines() if line.startswith("rent-ruling"))
    assert line.split()[1:6] == ["8", "8", "–", "–", "–"]


def test_two_servers_in_one_command(
    build: Build, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one system is asked at another server, of another protocol, which the settings name."""
    here, there = Script(), list[int]()

    def far_away(body: dict[str, Any], number: int) -> str:
        there.append(number)
        return f"borea has this, for the {number}th time of asking."

    with (
        ScriptedServer(PROTOCOLS["openai"](here)) as server,
        ScriptedServer(PROTOCOLS["gemini"](far_away)) as far,
    ):
        settings = tmp_path / "config.toml"
        where_far = f'provider = "gemini"\naddress = "{address(far, "gemini")}"\n'
        settings.write_text(f"[presets.far]\n{where_far}", encoding="utf-8")
        monkeypatch.setenv("DISCOX_CONFIG", str(settings))
        where = ("--provider", "openai", "--model", MODEL, "--base-url", address(server))
        made = ("--translate", "alba=alba", "--translate", "borea=borea@far")
        result = build("filter", "--systems", "alba,borea", *made, *where, "--json")
        assert result.code == 0, result.err
    assert states(result) == FOUND
    assert here.judge.steps == {"translation": 5, "instruction_check": 10, "rubric": 10}
    assert len(there) == 5
