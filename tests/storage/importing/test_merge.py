"""``discox merge``: several people's files become one, whatever the order and however often; nothing is lost."""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.db import schema
from storage.db.connection import Connection
from storage.importing.merge import merge_file
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.reviews.projections import DERIVED, rebuild
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.storage.db.test_migrations import made_by
from tests.support import builders
from tests.support.nightly import rounds
from tests.support.tables import dump

COUNTED = {"imports", "import_notes", "runs", "batches", "calls", "batch_requests", "made_translations", "scores"}
"""Tables in which rows have, or point to, numbers that are given anew."""


def said(path: Path) -> dict[str, Any]:
    """What a library says, without the numbers that only count its rows."""
    with closing(open_library(path)) as connection:
        found: dict[str, Any] = {}
        for table in dump(path, without=("app_state", "_sqlite_migrations", "sqlite_sequence")):
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            free = {"position", "import_id", "line", "run_id", "batch_id"} | ({"id"} if table in COUNTED else set())
            if table in ("batches", "made_translations"):
                free.add("at")  # the same was made twice, and known here from whichever came first
            if table in ("advice", "rubric_verdicts", "spans", "assignments"):
                free.discard("position")
            kept = ", ".join(f'"{name}"' for name in names if name not in free)
            found[table] = sorted(set(connection.execute(f"SELECT {kept} FROM {table}")), key=repr)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return found


def work(connection: Connection, evaluations: list[str], reviewer: str, chance: random.Random) -> None:
    """Let a reviewer do all kinds of things."""
    log = ReviewLog(connection, reviewer, "2026-1")
    marked: list[tuple[str, str]] = []
    for _ in range(chance.randrange(12)):
        identity = chance.choice(evaluations)
        findings = [r[0] for r in connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (identity,))]
        match chance.randrange(10):
            case 9:
                log.hide(chance.choice(["open", "systems", "first"]))
            case 0:
                log.open(identity, hidden=True)
            case 1:
                log.reveal(identity)
            case 2:
                spans = [["source", 0, chance.randrange(1, 9)]]
                event, _ = log.mark(identity, dimension="accuracy", severity="major", category="omission", spans=spans)
                marked.append((identity, str(event.finding_id)))
            case 3 if marked:
                identity, error = chance.choice(marked)
                log.mark(identity, error, **chance.choice([{"removed": True}, {"note": "再看"}, {"missed": True}]))
            case 4:
                log.set_point(identity, 1, decision=chance.choice(["met", "violated", "too_strict"]))
            case 5:
                log.set_review(
                    identity, state=chance.choice(["done", "in_progress"]), search=chance.choice(["done", None])
                )
            case 6:
                log.undo() if chance.random() < 0.6 else log.redo()
            case 7:
                log.spend(identity, {"": 4.5})
            case _:
                log.decide(identity, chance.choice(findings), decision=chance.choice(["agree", "not_an_error"]))


def library(path: Path, seed: int) -> None:
    """Make somebody's library: some of the same evaluations, one of her own, several reviewers' work, some scores."""
    chance = random.Random(seed)
    with closing(open_library(path)) as connection:
        systems = chance.sample(range(4), chance.randrange(1, 4))
        evaluations = [builders.add(connection, system=f"system-{i}") for i in systems]
        evaluations.append(builders.add(connection, system=f"own-{seed}"))
        evaluations.append(builders.add(connection, system=f"system-{systems[0]}", judge="egret"))
        if chance.random() < 0.5:
            builders.a_run(connection)
        if chance.random() < 0.5:
            table = path.with_suffix(".csv")
            table.write_text(f"metric,system,article,score\nchrF,heron,river-01,{seed}\n", encoding="utf-8")
            import_path(connection, table, format="scores")
        for reviewer in chance.sample(["lin", "lin:again", "okafor", f"own-{seed}"], 3):
            work(connection, evaluations, reviewer, chance)


def united(folder: Path, name: str, parts: list[Path]) -> Path:
    path = folder / f"{name}.db"
    with closing(open_library(path)) as connection:
        for part in parts:
            report = merge_file(connection, part)
            assert report.problem == ""
            assert report.conflicts == []
    return path


@given(seeds=st.lists(st.integers(0, 10_000), min_size=2, max_size=3, unique=True), again=st.integers(0, 2))
@settings(max_examples=rounds(4, 100))
def test_any_order_and_any_repetition_come_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, seeds: list[int], again: int
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    parts = [folder / f"{seed}.db" for seed in seeds]
    for part, seed in zip(parts, seeds, strict=True):
        library(part, seed)
    before = [dump(part) for part in parts]
    results = [
        said(united(folder, f"all-{number}", [*order, order[again % len(order)]]))
        for number, order in enumerate(itertools.permutations(parts))
    ]
    for result in results:
        assert result == results[0]
    # One of them takes the others in, and theirs comes to the same as a new file's.
    host = folder / "host.db"
    host.write_bytes(parts[0].read_bytes())
    with closing(open_library(host)) as connection:
        for part in parts[1:]:
            merge_file(connection, part)
    assert said(host) == results[0]
    assert [dump(part) for part in parts] == before, "the others are only read"
    with closing(open_library(host)) as connection:
        derived = dump(host)
        rebuild(connection)
    assert dump(host) == derived
    for part in parts:
        one = said(part)
        for table, rows in one.items():
            if table in ("batches", *DERIVED):
                continue  # what follows from the whole log may differ from what followed from a part of it
            missing = set(rows) - set(results[0][table])
            assert not missing, f"{table}: something is lost"


def test_a_second_time_brings_nothing(discox: Command, tmp_path: Path) -> None:
    library(tmp_path / "a.db", 1)
    library(tmp_path / "b.db", 2)
    first = discox("merge", tmp_path / "a.db", tmp_path / "b.db", "--db", tmp_path / "c.db")
    assert first.code == 0
    assert "evaluation" in first.out
    before = dump(tmp_path / "c.db")
    second = discox("merge", tmp_path / "b.db", tmp_path / "a.db", "--db", tmp_path / "c.db", "--json")
    assert second.code == 0
    assert [(file["added"], file["conflicts"]) for file in json.loads(second.out)["files"]] == [({}, [])] * 2
    assert dump(tmp_path / "c.db") == before


def test_scores_that_came_are_counted_in_words(discox: Command, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("metric,system,article,score\na,b,c,1\na,b,d,2\n", encoding="utf-8")
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, tmp_path / "scores.csv", format="scores")
    assert "2 imported scores new" in discox("merge", tmp_path / "a.db", "--db", tmp_path / "c.db").out


def test_two_states_of_a_batch_become_the_later_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with closing(open_library(tmp_path / f"{name}.db")) as connection:
            builders.a_run(connection)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("UPDATE batches SET state = 'submitted', remote = 'r-1'")
        connection.commit()
    for order in (("a", "b"), ("b", "a")):
        path = united(tmp_path, "-".join(order), [tmp_path / f"{name}.db" for name in order])
        with closing(open_library(path)) as connection:
            assert connection.execute("SELECT state FROM batches").fetchall() == [("collected",)]


def test_what_contradicts_is_reported_and_kept(discox: Command, tmp_path: Path) -> None:
    for name in ("a", "b"):
        with closing(open_library(tmp_path / f"{name}.db")) as connection:
            builders.add(connection)
    with closing(sqlite3.connect(tmp_path / "b.db")) as connection:
        for trigger in ("findings_no_update", "evaluations_no_update"):
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("UPDATE findings SET explanation = '[b]别的话\x1b' WHERE number = 1")
        connection.execute("UPDATE evaluations SET total = 7")
        connection.commit()
    before = dump(tmp_path / "a.db", without=("merge_conflicts",))
    result = discox("merge", tmp_path / "b.db", "--db", tmp_path / "a.db")
    assert result.code == 0
    assert "2 conflicts (1 in evaluations, 1 in findings)" in result.out
    assert "total" in result.out
    assert "explanation" in result.out
    assert "\x1b" not in result.out
    assert dump(tmp_path / "a.db", without=("merge_conflicts",)) == before
    kept = dump(tmp_path / "a.db")["merge_conflicts"]
    assert {row[0] for row in kept} == {"evaluations", "findings"}
    assert any("别的话" in row[2] for row in kept)
    assert "2 conflicts" in discox("merge", tmp_path / "b.db", "--db", tmp_path / "a.db").out
    assert dump(tmp_path / "a.db")["merge_conflicts"] == kept


def test_a_library_of_an_earlier_version_is_read_and_left_as_it_is(discox: Command, tmp_path: Path) -> None:
    made_by(1, tmp_path / "old.db")
    before = (tmp_path / "old.db").read_bytes()
    assert discox("merge", tmp_path / "old.db", "--db", tmp_path / "c.db").code == 0
    assert (tmp_path / "old.db").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir() if "old" in path.name) == ["old.db"]


def test_a_library_in_a_folder_that_cannot_be_written_is_read(discox: Command, tmp_path: Path) -> None:
    folder = tmp_path / "medium"
    folder.mkdir()
    library(folder / "other.db", 1)
    expected = said(folder / "other.db")["events"]
    folder.chmod(0o555)
    try:
        assert discox("merge", folder / "other.db", "--db", tmp_path / "c.db").code == 0
    finally:
        folder.chmod(0o755)
    assert said(tmp_path / "c.db")["events"] == expected


def test_files_that_are_no_libraries_are_named_and_the_others_arrive(discox: Command, tmp_path: Path) -> None:
    library(tmp_path / "good.db", 1)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("not a database, but long enough to be looked at" * 99, encoding="utf-8")
    (tmp_path / "cut.db").write_bytes((tmp_path / "good.db").read_bytes()[:9000])
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as connection:
        connection.execute("CREATE TABLE t (a)")
    with closing(sqlite3.connect(tmp_path / "newer.db")) as connection:
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 999")
        connection.execute("CREATE TABLE t (a)")
    bad = ("absent.db", "folder", "empty.db", "text.db", "cut.db", "foreign.db", "newer.db", "c.db")
    names = [tmp_path / name for name in (*bad, "good.db")]
    with closing(open_library(tmp_path / "c.db")):
        pass
    result = discox("merge", *names, "--db", tmp_path / "c.db")
    assert result.code == 1
    for name in bad:
        assert f"{tmp_path / name}: " in result.err, name
    assert "discox-merge-" not in result.err
    assert "--db" not in result.err, "it is another library that is to be named"
    assert len(result.err.strip().splitlines()) == len(bad)
    assert said(tmp_path / "c.db")["events"] == said(tmp_path / "good.db")["events"]


def test_what_the_app_remembers_stays_where_it_is(tmp_path: Path) -> None:
    from storage.db.app_state import recall, remember

    for name in ("a", "b"):
        with closing(open_library(tmp_path / f"{name}.db")) as connection:
            remember(connection, "lin", "theme", name)
    path = tmp_path / "a.db"
    with closing(open_library(path)) as connection:
        merge_file(connection, tmp_path / "b.db")
        assert recall(connection, "lin", "theme") == "a"
