"""``discox plan``: who is to review what, drawn by the seed alone; and how far and how fast everybody is."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discox_tui.screens.library.queue import QueueScreen
from storage.db.connection import Connection, transaction
from storage.integrity.opening import open_library
from storage.reviews.blinding import choose_blinding, is_hidden
from storage.reviews.pace import ENOUGH, pace
from storage.reviews.plans import PlanOptions, draw_plan, planned_reviewers, write_plan
from storage.reviews.queue import Queue
from storage.reviews.review_log import ReviewLog
from storage.runs.runs import Work, store_judged
from tests.conftest import Command
from tests.support import builders
from tests.support.driving import opened
from tests.support.tables import dump

ARTICLES, SYSTEMS, DOMAINS = 12, ("heron", "osprey", "plover"), ("文学", "法律")


def fill(connection: Connection) -> list[str]:
    """Store 36 evaluations of three systems, two domains and three bands of scores; one judge failed."""
    ids = []
    for number in range(ARTICLES):
        for place, system in enumerate(SYSTEMS):
            ids.append(
                builders.add(
                    connection,
                    article=f"article-{number}",
                    system=system,
                    domain=DOMAINS[number % 2],
                    found=builders.findings()[place : place + 1 + number % 3],
                    state="judge_failed" if (number, place) == (0, 0) else "scored",
                )
            )
    return ids


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plans") / "filled.db"
    with closing(open_library(path)) as connection:
        fill(connection)
    return path


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    return Path(tmp_path / "library.db").write_bytes(filled.read_bytes()) and tmp_path / "library.db"


def made(discox: Command, path: Path, *arguments: object) -> dict[str, Any]:
    result = discox("plan", "--db", path, "--json", *arguments)
    assert (result.code, result.err) == (0, "")
    return dict(json.loads(result.out))


def rows(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, values).fetchall()


def test_a_plan_is_distributed_evenly_and_kept(discox: Command, path: Path) -> None:
    plan = made(discox, path, "--reviewers", "ana,ben", "--number", 20, "--overlap", 0.2, "--again", 0.25, "--seed", 7)
    assert (plan["there"], plan["drawn"], plan["overlap"], plan["seed"]) == (35, 20, 4, 7)
    assert plan["left_out"] == {"judge failed: no score is claimed": 1}
    assert plan["reviewers"] == {name: {"review": 8, "overlap": 4, "again": 3} for name in ("ana", "ben")}
    assert sum(stratum["drawn"] for stratum in plan["strata"]) == 20
    for stratum in plan["strata"]:
        gets = stratum["reviewers"].values()
        assert max(gets) - min(gets) <= 1
    kept = rows(
        path, "SELECT reviewer, layer, position, evaluation_id, purpose, blind FROM assignments ORDER BY 1, position"
    )
    assert kept == [tuple(each.values()) for each in plan["assignments"]]
    ((identity, seed, options),) = rows(path, "SELECT id, seed, options FROM plans")
    assert (identity, seed) == (plan["plan"], 7)
    assert json.loads(options)["overlap"] == 0.2
    shared = Counter(each["evaluation"] for each in plan["assignments"] if each["purpose"] == "overlap")
    assert set(shared.values()) == {2}
    for name in ("ana", "ben"):
        hers = [each for each in plan["assignments"] if each["reviewer"] == name]
        assert [each["position"] for each in hers] == list(range(1, 16))
        assert {each["layer"] for each in hers[:12]} == {name}
        assert {each["layer"] for each in hers[12:]} == {f"{name}:again"}
        assert [each["evaluation"] for each in hers[12:]] == [each["evaluation"] for each in hers[:3]]


def test_the_queue_of_a_reviewer_is_what_she_was_assigned(discox: Command, path: Path) -> None:
    plan = made(discox, path, "--reviewers", "ana,ben", "--number", 20, "--again", 0.25)
    with closing(open_library(path)) as connection:
        queue = [(row.id, row.layer) for row in Queue(connection, "ana", assigned=True)]
    assert queue == [(e["evaluation"], e["layer"]) for e in plan["assignments"] if e["reviewer"] == "ana"]


def test_the_seed_decides_and_a_dry_run_writes_nothing(discox: Command, path: Path) -> None:
    before = dump(path)
    asked = ("--reviewers", "ana,ben", "--number", 10, "--again", 0.3, "--seed", 3)
    dry = made(discox, path, *asked, "--dry-run")
    assert dump(path) == before
    assert dry["plan"] is None
    assert made(discox, path, *asked[:-1], 4, "--dry-run")["assignments"] != dry["assignments"]
    real = made(discox, path, *asked)
    assert real | {"plan": None} == dry


def test_a_second_plan_adds_and_changes_nothing(discox: Command, path: Path) -> None:
    made(discox, path, "--reviewers", "ana,ben", "--number", 10)
    before = dump(path)
    second = made(discox, path, "--reviewers", "ana,carl", "--number", 10, "--by", "system")
    after = dump(path)
    for table in ("plans", "assignments"):
        assert set(before[table]) < set(after[table])
    assert second["left_out"]["assigned by an earlier plan"] == 10
    assigned = rows(path, "SELECT evaluation_id FROM assignments")
    assert len(set(assigned)) == len(assigned) == 20
    with closing(open_library(path)) as connection:
        assert planned_reviewers(connection) == ["ana", "ben", "carl"]
        assert len(Queue(connection, "ana", assigned=True)) == 10
    everything = made(discox, path, "--reviewers", "dora")
    assert everything["drawn"] == 15
    nothing = discox("plan", "--db", path, "--reviewers", "dora")
    assert nothing.code == 1
    assert (
        "no evaluation can be drawn (1 judge failed: no score is claimed; 35 assigned by an earlier plan)"
        in nothing.err
    )
    assert len(rows(path, "SELECT 1 FROM plans")) == 3


def test_words_and_what_was_opened_narrow_what_can_be_drawn(discox: Command, path: Path) -> None:
    (identity,), *_ = rows(
        path, "SELECT id FROM evaluations WHERE system = 'heron' AND domain = '文学' AND state = 'scored' LIMIT 1"
    )
    with closing(open_library(path)) as connection:
        ReviewLog(connection, "ben").open(identity)
    asked = ("--words", "heron", "文学", "--by", "score", "--dry-run")
    plan = made(discox, path, "--reviewers", "ana,ben", *asked)
    assert plan["left_out"] == {
        "judge failed: no score is claimed": 1,
        "opened already by one of these reviewers": 1,
    }
    assert plan["drawn"] == 4
    assert {name for stratum in plan["strata"] for name in stratum} == {"score", "there", "drawn", "reviewers"}
    assert made(discox, path, "--reviewers", "ana", *asked)["drawn"] == 5


def test_of_one_translation_one_evaluation_is_drawn(discox: Command, path: Path) -> None:
    with closing(open_library(path)) as connection:
        first = builders.a_run(connection)
        query = "SELECT translation_id, run_id FROM evaluations WHERE id = ?"
        translation, run = connection.execute(query, (first,)).fetchone()
        with transaction(connection):
            store_judged(connection, run, Work(translation, 2), builders.signature(), builders.judged())
    plan = made(discox, path, "--reviewers", "ana", "--dry-run")
    assert plan["left_out"]["another evaluation of the same translation can be drawn"] == 1
    translations = rows(
        path,
        "SELECT translation_id FROM evaluations WHERE id IN (SELECT value FROM json_each(?))",
        json.dumps([each["evaluation"] for each in plan["assignments"]]),
    )
    assert len(set(translations)) == len(translations) == plan["drawn"]


def test_what_a_blind_plan_assigns_is_hidden_from_the_reviewer(discox: Command, path: Path) -> None:
    plan = made(discox, path, "--reviewers", "ana,ben", "--number", 6, "--again", 0.5, "--blind")
    with closing(open_library(path)) as connection:
        for each in plan["assignments"]:
            assert each["blind"]
            assert is_hidden(connection, each["layer"], each["evaluation"], "open")
            others = {row["evaluation"] for row in plan["assignments"] if row["layer"] == "ben"}
            assert is_hidden(connection, "ben", each["evaluation"], "open") == (each["evaluation"] in others)


def test_any_two_reviewers_can_share(discox: Command, path: Path) -> None:
    plan = made(discox, path, "--reviewers", "ana,ben,carl", "--number", 18, "--overlap", 0.5, "--overlap-with", 2)
    shared = Counter(each["evaluation"] for each in plan["assignments"] if each["purpose"] == "overlap")
    assert (len(shared), set(shared.values()), plan["overlap"]) == (9, {2}, 9)
    assert [sum(counts.values()) for counts in plan["reviewers"].values()] == [9, 9, 9]


def test_a_plan_is_told_as_a_table(discox: Command, path: Path) -> None:
    asked = (
        "--reviewers",
        "ana,ben",
        "--number",
        10,
        "--by",
        "domain,score",
        "--overlap",
        0.2,
        "--again",
        0.2,
        "--blind",
    )
    out = discox("plan", "--db", path, *asked).out
    assert out.splitlines()[0].split() == ["domain", "score", "there", "drawn", "ana", "ben"]
    assert "together" in out
    for said in (
        "10 evaluations of 35 that can be drawn, seed 1",
        "2 go to all",
        "2 come a second time, in the layers ana:again, ben:again",
        "blind: ",
        "1 judge failed: no score is claimed",
        "kept as plan ",
    ):
        assert said in out
    few = discox("plan", "--db", path, "--reviewers", "ana", "--number", 3, "--dry-run").out
    assert "got none" in few
    assert "nothing was written" in few
    assert "asks for more" in discox("plan", "--db", path, "--reviewers", "ana", "--number", 99, "--dry-run").out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--number", "5"],
        ["--blind"],
        ["--dry-run"],
        ["--reviewers", ""],
        ["--reviewers", "ana,"],
        ["--reviewers", "ana,ana"],
        ["--reviewers", "ana:again"],
        ["--reviewers", "ana", "--by", "colour"],
        ["--reviewers", "ana", "--by", "system,system"],
        ["--reviewers", "ana", "--number", "0"],
        ["--reviewers", "ana", "--number", "five"],
        ["--reviewers", "ana", "--overlap", "0.5"],
        ["--reviewers", "ana,ben", "--overlap", "1.5"],
        ["--reviewers", "ana,ben", "--overlap", "nan"],
        ["--reviewers", "ana,ben", "--again", "-1"],
        ["--reviewers", "ana,ben", "--overlap-with", "2"],
        ["--reviewers", "ana,ben", "--overlap", "0.5", "--overlap-with", "3"],
        ["--reviewers", "ana", "--seed", "-1"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_one_line_and_writes_nothing(discox: Command, path: Path, arguments: list[str]) -> None:
    before = dump(path)
    result = discox("plan", "--db", path, *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert dump(path) == before


def test_names_and_texts_are_shown_safely(discox: Command, tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        for article in ("one", "two"):
            builders.add(connection, article=article, system="[b]\x1b[31m\u202e", domain="")
    result = discox("plan", "--db", tmp_path / "a.db", "--reviewers", "a\x1bna, 本[/]\u202e")
    assert result.code == 0
    assert not set("\x1b\u202e") & set(result.out)
    result = discox("plan", "--db", tmp_path / "a.db")
    assert not set("\x1b\u202e") & set(result.out)
    assert "本[/]" in result.out


OPTIONS = st.builds(
    PlanOptions,
    st.sampled_from([("ana",), ("ana", "ben"), ("ana", "ben", "carl")]),
    st.none() | st.integers(1, 50),
    st.sampled_from([(), ("score",), ("system", "domain"), ("system", "direction", "domain", "score")]),
    st.floats(0, 1),
    st.sampled_from([None, 2]),
    st.floats(0, 1),
    st.booleans(),
    st.sampled_from(["", "heron", "文学"]),
    st.integers(0, 9),
)


@given(st.lists(OPTIONS, max_size=3))
def test_whatever_is_planned_nothing_is_assigned_twice_and_everything_is_as_asked(
    filled: Path, tmp_path_factory: pytest.TempPathFactory, asked: list[PlanOptions]
) -> None:
    with (
        closing(sqlite3.connect(filled)) as original,
        closing(open_library(tmp_path_factory.mktemp("p") / "a.db")) as c,
    ):
        original.backup(c)
        for each in asked:
            with transaction(c):
                before = c.execute("SELECT * FROM assignments").fetchall()
                plan = draw_plan(c, each)
                write_plan(c, plan, "0")
            assert set(before) <= set(c.execute("SELECT * FROM assignments").fetchall())
            known = {row[4] for row in before}
            assert known.isdisjoint(plan.drawn)
            wanted = len(plan.strata) if each.number is None else min(each.number, len(plan.strata))
            assert len(plan.drawn) == len(set(plan.drawn)) == wanted
            assert {a.evaluation_id for a in plan.assignments} == set(plan.drawn)
            loads = Counter(a.reviewer for a in plan.assignments if a.purpose != "again")
            counts = [loads[name] for name in each.reviewers]
            assert max(counts) - min(counts) <= 1
            for name in each.reviewers:
                again = [a.evaluation_id for a in plan.assignments if a.layer == f"{name}:again"]
                first = [a.evaluation_id for a in plan.assignments if a.layer == name]
                assert len(again) == round(each.again * len(first))
                assert first[: len(again)] == again
            left = pace(c, each.reviewers[0])
            assert left.done == 0
            assert left.left == left.assigned
            assert left.seconds_left is None


def test_plans_of_two_files_unite_and_nobody_reviews_anything_twice(discox: Command, path: Path) -> None:
    other = path.with_name("other.db")
    other.write_bytes(path.read_bytes())
    first = made(discox, path, "--reviewers", "ana,ben", "--number", 10, "--again", 0.2)
    second = made(discox, other, "--reviewers", "ana,carl", "--number", 12, "--overlap", 1)
    for one, two in ((path, other), (other, path)):
        assert discox("merge", two, "--db", one).code == 0
    assert rows(path, "SELECT * FROM assignments ORDER BY plan_id, layer, position") == rows(
        other, "SELECT * FROM assignments ORDER BY plan_id, layer, position"
    )
    mine = {
        (a["layer"], a["evaluation"]) for a in first["assignments"] + second["assignments"] if a["reviewer"] == "ana"
    }
    with closing(open_library(path)) as connection:
        queue = [(row.layer, row.id) for row in Queue(connection, "ana", assigned=True)]
        assert len(queue) == len(mine)
        assert set(queue) == mine
        assert pace(connection, "ana").assigned == len(mine)


# --- how far everybody is ---


def work(connection: Connection, layer: str, identity: str, seconds: dict[str, float], state: str = "done") -> None:
    log = ReviewLog(connection, layer)
    log.open(identity)
    log.reveal(identity)
    findings = [
        row[0] for row in connection.execute("SELECT id FROM findings WHERE evaluation_id = ? AND kept", (identity,))
    ]
    if state == "done":
        for finding in findings:
            log.decide(identity, finding, decision="agree")
    log.spend(identity, {findings[int(key)] if key.isdecimal() else key: value for key, value in seconds.items()})
    log.set_state(identity, state, "not my field" if state == "skipped" else None)  # type: ignore[arg-type]


def test_progress_pace_and_time_left(discox: Command, path: Path) -> None:
    assert "nothing is planned yet" in discox("plan", "--db", path).out
    made(discox, path, "--reviewers", "ana,ben", "--number", 20, "--overlap", 0.2, "--again", 0.25)
    with closing(open_library(path)) as connection:
        rows_of = list(Queue(connection, "ana", assigned=True))
        assert len(rows_of) == 15
        for row in rows_of[: ENOUGH - 1]:
            work(connection, "ana", row.id, {"0": 30 * row.errors, "": 60})
        assert pace(connection, "ana").seconds_left is None
        work(connection, "ana", rows_of[2].id, {"0": 300 * rows_of[2].errors, "": 20, "own": 40})
        work(connection, "ana", rows_of[3].id, {"": 1000}, "skipped")
        work(connection, "ana", rows_of[4].id, {"": 1000}, "in_progress")
        work(connection, "ana:again", rows_of[12].id, {"0": 30 * rows_of[12].errors, "": 60})
        left = [row for row in rows_of if row not in rows_of[:4] and row != rows_of[12]]
        done = [*rows_of[:3], rows_of[12]]
    ana, ben = json.loads(discox("plan", "--db", path, "--json").out)
    assert (ana["assigned"], ana["done"], ana["in_progress"], ana["skipped"]) == (15, 4, 1, 1)
    assert ana["again"] == {"assigned": 3, "done": 1}
    assert ana["overlap"]["assigned"] == 4
    speed = ana["pace"]
    assert (speed["evaluations"], speed["seconds_a_finding"], speed["seconds_besides"]) == (4, 30, 60)
    total = sum(row.errors for row in done)
    assert speed["findings"] == total
    assert speed["seconds"] == pytest.approx(240 + 30 * (total + 9 * rows_of[2].errors))
    assert speed["evaluations_an_hour"] == pytest.approx(4 * 3600 / speed["seconds"])
    assert speed["findings_an_hour"] == pytest.approx(total * 3600 / speed["seconds"])
    assert ana["findings_left"] == sum(row.errors for row in left)
    assert ana["seconds_left"] == 30 * ana["findings_left"] + 60 * 10
    assert (ben["done"], ben["pace"], ben["seconds_left"]) == (0, None, None)
    out = discox("plan", "--db", path).out
    assert "about" in out
    assert "unknown yet" in out
    assert "ana: 30 s an error and 1 min 0 s besides for an evaluation (medians of 4 done, without pauses)" in out
    assert "ben: a pace takes 3 evaluations" in out
    assert [
        each["reviewer"] for each in json.loads(discox("plan", "--db", path, "--json", "--reviewer", "ben").out)
    ] == ["ben"]


def test_time_left_tells_nothing_of_hidden_findings(discox: Command, path: Path) -> None:
    made(discox, path, "--reviewers", "ana", "--number", 5, "--blind")
    with closing(open_library(path)) as connection:
        hers = list(Queue(connection, "ana", assigned=True))
        errors = dict(connection.execute("SELECT id, errors FROM evaluations"))
        for row in hers[:3]:
            work(connection, "ana", row.id, {"0": 30, "": 60})
        usual = sorted(errors[row.id] for row in hers[:3])[1]
        assert pace(connection, "ana").findings_left == 2 * usual
        choose_blinding(connection, "ana", "first")
        assert pace(connection, "ana").findings_left == 2 * usual


def test_all_that_is_assigned_done_leaves_nothing(discox: Command, path: Path) -> None:
    made(discox, path, "--reviewers", "ana", "--number", 1)
    with closing(open_library(path)) as connection:
        work(connection, "ana", Queue(connection, "ana", assigned=True)[0].id, {})
    assert "nothing left" in discox("plan", "--db", path).out
    assert "nothing assigned" in discox("plan", "--db", path, "--reviewer", "ben").out


async def test_the_queue_says_the_pace_and_the_time_left_of_what_is_assigned(discox: Command, path: Path) -> None:
    made(discox, path, "--reviewers", "ana", "--number", 5)
    async with opened(path, reviewer="ben") as driver:
        await driver.on(QueueScreen)
        assert "left" not in driver.bar("#title")
    async with opened(path, reviewer="ana") as driver:
        await driver.on(QueueScreen)
        assert "time left: unknown yet" in driver.bar("#title")
    with closing(open_library(path)) as connection:
        for row in list(Queue(connection, "ana", assigned=True))[:3]:
            work(connection, "ana", row.id, {"": 600})
    async with opened(path, reviewer="ana") as driver:
        await driver.on(QueueScreen)
        assert "6.0 an hour, about 20 min left" in driver.bar("#title")
