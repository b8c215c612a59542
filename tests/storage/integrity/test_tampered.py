"""A library that another program wrote into: what nothing can be made of is left out by name, and all else works."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discox_tui.sessions.review import ReviewSession
from storage.base.errors import StorageError
from storage.benchmark.candidates import candidates
from storage.db import schema
from storage.integrity.opening import open_library
from storage.reviews.projections import rebuild
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import read_work
from tests.conftest import Command
from tests.storage.db.test_migrations import made_by
from tests.support.nightly import by_day
from tests.support.tables import dump
from tests.support.tampering import AT, BAD, EVENTS, changed_by_hand, event, good_events, library, spoil, spoil_as

NOT_ALIKE = ("events", "_sqlite_migrations", "checked", "unreadable", "app_state")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    library(path)
    return path


@pytest.fixture
def whole(original: Path, tmp_path: Path) -> Path:
    """A library to be spoilt."""
    return Path(shutil.copy(original, tmp_path / "spoilt.db"))


def reviewed(path: Path) -> list[Any]:
    """What people said, as a session has it, evaluation by evaluation."""
    with closing(open_library(path)) as connection:
        session = ReviewSession(connection, "lin")
        found = []
        for (identity,) in connection.execute("SELECT id FROM evaluations ORDER BY position").fetchall():
            session.open(identity)
            found.append((session.human, session.work, read_work(connection, identity, "zoe")))
        return found


@by_day(8)
@pytest.mark.parametrize("name", EVENTS)
def test_a_spoilt_event_is_left_out_by_name_and_all_else_works(
    name: str, discox: Command, whole: Path, original: Path, tmp_path: Path
) -> None:
    field, _ = EVENTS[name]
    expected, figures = good_events(original), discox("consistency", "--json", "--db", original).out
    spoil_as(whole, name)
    listed = discox("list", "--json", "--db", whole)
    assert listed.code == 0
    assert f"{whole}: 1 entry of its logs is left out" in listed.err
    assert "discox repair" in listed.err
    (first, *_) = json.loads(listed.out)
    assert discox("show", first["id"], "--db", whole).code == 0
    assert discox("consistency", "--json", "--db", whole).out == figures
    assert reviewed(whole) == reviewed(original)
    # Out it does not go.
    assert discox("export", "jsonl", tmp_path / "out.jsonl", "--db", whole).code == 0
    lines = discox("verdicts", "export", "-", "--db", whole).out.splitlines()
    assert {json.loads(line)["id"] for line in lines} == expected
    assert discox("export", "archive", tmp_path / "a.zip", "--db", whole).code == 0
    assert discox("import", tmp_path / "a.zip", "--db", tmp_path / "archived.db").code == 0
    assert good_events(tmp_path / "archived.db") == expected
    # In it does not come.
    merged = discox("merge", whole, "--db", tmp_path / "merged.db")
    assert merged.code == 0
    assert f"{whole}: events {BAD}: {field} " in merged.err
    assert good_events(tmp_path / "merged.db") == expected
    assert BAD not in {row[0] for row in dump(tmp_path / "merged.db")["events"]}
    (report,) = json.loads(discox("merge", whole, "--json", "--db", tmp_path / "merged.db").out)["files"]
    assert (report["added"], report["conflicts"]) == ({}, [])
    assert [(left["record"], left["id"], left["field"]) for left in report["left_out"]] == [("events", BAD, field)]
    assert discox("merge", original, "--db", whole).code == 0
    # It is said, and set aside.
    repaired = discox("repair", "--db", whole)
    assert (repaired.code, repaired.err) == (0, "")
    assert f"{whole}: events {BAD}: {field} " in repaired.out
    assert discox("list", "--db", whole).err == ""
    assert discox("consistency", "--json", "--db", whole).out == figures
    assert dump(whole, without=NOT_ALIKE) == dump(original, without=NOT_ALIKE)
    with closing(sqlite3.connect(whole)) as connection:
        kept = connection.execute("SELECT count(*) FROM events WHERE id = ?", (BAD,)).fetchone()
    assert kept == (1,), "the log only grows"


def test_work_goes_on_after_a_spoilt_event(whole: Path) -> None:
    spoil(whole, reviewer="lin", counter=(1 << 53) + 1)
    with closing(open_library(whole)) as connection:
        log = ReviewLog(connection, "lin")
        identity, finding = connection.execute("SELECT evaluation_id, id FROM findings").fetchone()
        log.decide(identity, finding, decision="unsure")
        undone = log.undo()
        assert undone is not None
        assert undone.event.changes == {"decision": "unsure"}
        before = dump(whole)
        rebuild(connection)
        assert dump(whole) == before


def test_an_event_that_was_changed_is_found_once_its_trigger_is_gone(
    discox: Command, whole: Path, tmp_path: Path
) -> None:
    """What follows from it goes with it, before any repair."""
    with closing(sqlite3.connect(whole)) as connection:
        query = "SELECT id FROM events WHERE changes LIKE '%major%source%'"
        (identity,) = connection.execute(query).fetchone()
    said = "json_set(changes, '$.decision', 'maybe')"
    changed_by_hand(whole, f"UPDATE events SET changes = {said} WHERE id = '{identity}'")
    result = discox("list", "--db", whole)
    assert result.code == 0
    assert "1 entry of its logs is left out" in result.err
    with closing(sqlite3.connect(whole)) as connection:
        assert connection.execute("SELECT count(*) FROM verdicts WHERE decision = 'override'").fetchone() == (1,)
        count = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
        with closing(open_library(tmp_path / "new.db")) as new:
            assert connection.execute(count).fetchone() == new.execute(count).fetchone()
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            connection.execute("DELETE FROM events")
    assert f"events {identity}: changes.decision " in discox("repair", "--db", whole).out


def test_what_is_derived_takes_no_value_that_there_is_not(discox: Command, whole: Path) -> None:
    statements = (
        "UPDATE verdicts SET decision = 'maybe'",
        "UPDATE verdicts SET spans = '{'",
        "UPDATE single_errors SET severity = 'catastrophic'",
        "UPDATE point_verdicts SET decision = 'agree'",
        "UPDATE reviews SET state = 'half'",
        "UPDATE reviews SET total = 'much'",
    )
    before = dump(whole)
    with closing(sqlite3.connect(whole)) as connection:
        for statement in statements:
            with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
                connection.execute(statement)
        connection.execute("UPDATE verdicts SET decision = 'not_an_error'")
        connection.execute("DELETE FROM reviews")
        connection.commit()
    assert discox("repair", "--db", whole).code == 0
    assert dump(whole, without=NOT_ALIKE) == {name: rows for name, rows in before.items() if name not in NOT_ALIKE}


def test_a_library_of_an_earlier_version_with_a_spoilt_event_opens(
    discox: Command, whole: Path, original: Path, tmp_path: Path
) -> None:
    """An earlier program derived from it, too."""
    old = tmp_path / "old.db"
    made_by(8, old)
    spoil(whole, changes={"decision": "maybe"})
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("ATTACH ? AS new", (str(whole),))
        for (table,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            if table != "_sqlite_migrations":
                columns = ", ".join(f'"{row[1]}"' for row in connection.execute(f"PRAGMA main.table_info({table})"))
                connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        spoilt = event(whole)
        row = (spoilt["evaluation_id"], "zoe", spoilt["finding_id"], "maybe", AT)
        columns = "evaluation_id, reviewer, finding_id, decision, at"
        connection.execute(f"INSERT INTO verdicts ({columns}) VALUES (?, ?, ?, ?, ?)", row)
        connection.commit()
    result = discox("consistency", "--json", "--db", old)
    assert (result.code, result.out) == (0, discox("consistency", "--json", "--db", original).out)
    assert "1 entry of its logs is left out" in result.err
    assert BAD in discox("repair", "--db", old).out


BUILD = {
    "no object": ("decided", "[1]", "changes"),
    "no JSON": ("decided", "{", "changes"),
    "a decision that there is not": ("decided", '{"decision": "maybe", "article_id": "x"}', "changes.decision"),
    "a version of nothing": ("revised", '{"article_id": "nowhere"}', "changes.article_id"),
    "a number of a file that is none": (
        "revised",
        '{"article_id": "x", "written": {"prompt_id": -1}}',
        "changes.written",
    ),
    "points that are none": ("revised", '{"article_id": "x", "points": [{"number": "one"}]}', "changes.points"),
    "people that are none": ("assigned", '{"people": ["dyke"]}', "changes.people"),
    "time that is none": ("time", '{"seconds": 3}', "changes.seconds"),
    "quotas that are none": ("quotas", '{"quotas": 3}', "changes.quotas"),
    "lengths that are none": ("lengths", '{"least": [1]}', "changes.least"),
    "a filter that is none": ("filtered", '{"rule": {"min_failed": 1}, "systems": 1}', "changes.systems"),
    "a rule that is none": ("filtered", '{"rule": {"min_failed": "all"}}', "changes.rule"),
    "a finding that is none": ("checked_off", '{"finding": 3}', "changes.finding"),
    "a kind that there is not": ("opinion", "{}", "kind"),
}


@by_day(3)
@pytest.mark.parametrize("name", BUILD)
def test_a_spoilt_event_of_a_benchmark_is_left_out_too(
    name: str, discox: Command, whole: Path, original: Path, tmp_path: Path
) -> None:
    kind, changes, field = BUILD[name]
    with closing(sqlite3.connect(whole)) as connection:
        row = (BAD, "2099-01-01T00:00:00.000000Z", "ana", kind, "dyke", changes)
        columns = "id, at, person, kind, candidate, changes"
        connection.execute(f"INSERT INTO build_events ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)
        connection.commit()
    listed = discox("build", "list", "--json", "--db", whole)
    assert (listed.code, listed.out) == (0, discox("build", "list", "--json", "--db", original).out)
    assert "1 entry of its logs is left out" in listed.err
    merged = discox("merge", whole, "--db", tmp_path / "merged.db")
    assert f"{whole}: build_events {BAD}: {field} " in merged.err
    assert discox("export", "archive", tmp_path / "a.zip", "--db", whole).code == 0
    assert discox("import", tmp_path / "a.zip", "--db", tmp_path / "archived.db").code == 0
    for path in (tmp_path / "merged.db", tmp_path / "archived.db"):
        with closing(open_library(path)) as connection, closing(open_library(original)) as before:
            assert candidates(connection, "lin") == candidates(before, "lin")
    assert f"build_events {BAD}: {field} " in discox("repair", "--db", whole).out
    assert discox("build", "list", "--db", whole).err == ""


RECORD = {
    "a severity": ("UPDATE findings SET severity = 'catastrophic' WHERE number = 1", "findings", "severity"),
    "a dimension": ("UPDATE findings SET dimension = 'x' WHERE number = 1", "findings", "dimension"),
    "a state": ("UPDATE evaluations SET state = 'x' WHERE position = 1", "evaluations", "state"),
    "flags": ("UPDATE evaluations SET flags = '[1]' WHERE position = 1", "evaluations", "flags"),
    "a list that is none": ("UPDATE evaluations SET failed = '{' WHERE position = 1", "evaluations", "failed"),
    "points that are text": ("UPDATE evaluations SET total = 'much' WHERE position = 1", "evaluations", "total"),
    "bytes": ("UPDATE findings SET explanation = x'00ff' WHERE number = 1", "findings", "explanation"),
    "no origin": ("UPDATE evaluations SET import_id = NULL WHERE position = 1", "evaluations", "import_id"),
    "no answers": (
        "DELETE FROM answers WHERE evaluation_id = (SELECT id FROM evaluations WHERE position = 1)",
        "evaluations",
        "id",
    ),
    "no translation": (
        "DELETE FROM translations WHERE id = (SELECT translation_id FROM evaluations WHERE position = 1)",
        "evaluations",
        "translations",
    ),
}


@by_day(4)
@pytest.mark.parametrize("name", RECORD)
def test_a_spoilt_record_is_refused_in_a_line_and_the_rest_of_it_comes_by_a_merge(
    name: str, discox: Command, whole: Path, original: Path, tmp_path: Path
) -> None:
    statement, table, field = RECORD[name]
    changed_by_hand(whole, statement)
    for command in (("list",), ("consistency", "--json"), ("repair",), ("verdicts", "export", "-")):
        result = discox(*command, "--db", whole)
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith(f"discox: {whole}: {table} ")
        assert field in result.err
        assert result.err.count("\n") == 1
    merged = discox("merge", whole, "--db", tmp_path / "merged.db")
    assert merged.code == 0
    assert f"{whole}: {table} " in merged.err
    assert "merge" not in merged.err.replace(str(whole), "")
    assert "left out" not in discox("list", "--db", tmp_path / "merged.db").err
    assert good_events(tmp_path / "merged.db") == good_events(original)
    with closing(open_library(tmp_path / "merged.db")) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        left = connection.execute("SELECT count(*) FROM evaluations").fetchone()[0]
        assert left == (0 if "number = 1" in statement else 1)
    assert discox("merge", original, "--db", tmp_path / "merged.db").code == 0
    assert good_events(tmp_path / "merged.db") == good_events(original)


def test_rows_that_no_library_takes_are_said_of_the_file_that_has_them(
    discox: Command, whole: Path, tmp_path: Path
) -> None:
    changed_by_hand(
        whole,
        "CREATE TABLE other AS SELECT * FROM advice",
        "DROP TABLE advice",
        "CREATE TABLE advice (evaluation_id TEXT NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL, "
        "drops TEXT NOT NULL, keeps TEXT NOT NULL, status TEXT NOT NULL, more TEXT, PRIMARY KEY (evaluation_id, more))",
        *2 * ("INSERT INTO advice SELECT id, 1, '', '[]', '[]', 'applied', NULL FROM evaluations",),
    )
    result = discox("merge", whole, "--db", tmp_path / "new.db")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"discox: {whole}: ")
    assert result.err.count("\n") == 1
    assert dump(tmp_path / "new.db")["evaluations"] == []


TABLES = {
    "a table": "DROP TABLE reviews",
    "a column": "ALTER TABLE findings DROP COLUMN suggestion",
    "the mark of what was looked at": "DROP TABLE checked",
    "a version that it is not": "PRAGMA user_version = 9",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_library_without_a_table_is_refused_in_a_line(
    name: str, discox: Command, whole: Path, tmp_path: Path
) -> None:
    if name == "a version that it is not":
        whole = tmp_path / "seven.db"
        made_by(7, whole)
    with closing(sqlite3.connect(whole)) as connection:
        for (view,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            connection.execute(f'DROP VIEW "{view}"')
        connection.execute(TABLES[name])
        connection.commit()
    for command in (("list", "--db", whole), ("repair", "--db", whole), ("merge", whole, "--db", tmp_path / "c.db")):
        result = discox(*command)
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith(f"discox: {whole}: ")
        assert "another program" in result.err
        assert result.err.count("\n") == 1


@pytest.mark.parametrize("dropped", ["VIEW marked_errors", "INDEX events_order", "TRIGGER events_no_update"])
def test_what_can_be_made_again_is_put_back(dropped: str, discox: Command, whole: Path, original: Path) -> None:
    with closing(sqlite3.connect(whole)) as connection:
        connection.execute(f"DROP {dropped}")
        connection.commit()
    shutil.copy(whole, whole.with_name("other.db"))
    assert discox("list", "--db", whole).err == ""
    shapes = []
    for path in (whole, original):
        with closing(sqlite3.connect(path)) as connection:
            shapes.append(sorted(connection.execute("SELECT type, name, sql FROM sqlite_master"), key=repr))
    assert shapes[0] == shapes[1]
    assert f"{dropped.split()[1]} was missing" in discox("repair", "--db", whole.with_name("other.db")).out


def test_a_library_where_nothing_can_be_written_leaves_out_what_it_can(whole: Path, monkeypatch: Any) -> None:
    spoil_as(whole, "a decision that there is not")
    monkeypatch.setattr("storage.integrity.log_checks._is_writable", lambda path: False)
    assert BAD not in good_events(whole)
    with closing(open_library(whole)) as connection:
        assert "1 entry of its logs is left out" in connection.notice


def test_opening_looks_at_what_is_new_only(whole: Path) -> None:
    """A library of many events is looked at once; then its size is not felt."""
    with closing(open_library(whole)) as connection:
        (evaluation,) = connection.execute("SELECT id FROM evaluations").fetchone()
        columns = "id, at, reviewer, kind, evaluation_id, changes"
        rows = [(f"e{i}", AT, "zoe", "opened", evaluation, "{}") for i in range(1_500)]
        connection.executemany(f"INSERT INTO events ({columns}) VALUES (?, ?, ?, ?, ?, ?)", rows)
        latest = connection.execute("SELECT max(rowid) FROM events").fetchone()
    open_library(whole).close()
    with closing(open_library(whole)) as connection:
        assert connection.execute("SELECT events FROM checked").fetchone() == latest
        seen: list[str] = []
        connection.set_trace_callback(seen.append)
        from storage.integrity.log_checks import check_opened

        check_opened(connection)
        assert not [statement for statement in seen if "changes" in statement]
    assert schema.VERSION == 16


def test_a_folder_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="is a folder"):
        open_library(tmp_path)


def test_what_people_wrote_is_never_set_aside(whole: Path) -> None:
    """Whatever characters a note has, and whoever has the name."""
    with closing(open_library(whole)) as connection:
        identity, finding = connection.execute("SELECT evaluation_id, id FROM findings").fetchone()
        for reviewer in ("mei:again", "[b]", "\u202eeve", "林"):
            log = ReviewLog(connection, reviewer, "v\u2028")
            log.decide(identity, finding, decision="agree", note="a\0b\x1b\u202e🦊 \u2028")
            log.mark(identity, severity="minor", dimension="fluency", spans=[["translation", 0, 0]], note="")
            log.set_review(identity, state="skipped", reason="\0")
            log.spend(identity, {"": 0.0, finding: 1e-9})
            log.hide("first")
        before = len(list(connection.execute("SELECT id FROM events")))
    assert len(good_events(whole)) == before
    changed_by_hand(whole)
    assert len(good_events(whole)) == before
