"""The one file on disk: made, upgraded with a backup, shared by programs, and its records never rewritten."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage.base.errors import StorageError
from storage.db import connection as opening
from storage.db import schema
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from storage.record.library import read_evaluation
from storage.reviews.queue import ORDERS, Queue
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders
from tests.support.nightly import by_day
from tests.support.tables import dump, events

pytestmark = pytest.mark.usefixtures("made_anew")


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_a_new_file_is_stamped_durable_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "a.db"
    with closing(open_library(path)) as connection:
        assert pragma(connection, "application_id") == schema.APPLICATION_ID
        assert pragma(connection, "user_version") == schema.VERSION
        assert pragma(connection, "journal_mode") == "wal"
        assert pragma(connection, "synchronous") == 2
        assert pragma(connection, "foreign_keys") == 1
        assert connection.notice == ""
    assert list(path.parent.glob("*.bak")) == []
    before = dump(path)
    open_library(path).close()
    assert dump(path) == before


def test_every_record_is_only_ever_added_to(sample: Path) -> None:
    with closing(open_library(sample)) as connection:
        builders.a_run(connection)
        for table in (*schema.IMMUTABLE, "import_reasons", *schema.RUN_RECORDS):
            column = connection.execute(f"SELECT name FROM pragma_table_info('{table}')").fetchone()[0]
            for statement in (f'UPDATE {table} SET "{column}" = "{column}"', f"DELETE FROM {table}"):
                with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
                    connection.execute(statement)


def test_what_others_open_adds_up(sample: Path) -> None:
    """The views that people open with other tools agree with the tables."""
    with closing(sqlite3.connect(sample)) as connection:

        def count(query: str) -> int:
            return int(connection.execute(query).fetchone()[0])

        assert count("SELECT count(DISTINCT evaluation) FROM v_scores") == count("SELECT count(*) FROM evaluations")
        assert count("SELECT count(DISTINCT finding) FROM v_findings") == count("SELECT count(*) FROM findings")
        assert count("SELECT count(*) FROM v_verdicts") == count("SELECT count(*) FROM verdicts")
        for quote, side, start, end, evaluation in connection.execute(
            'SELECT quote, side, start, "end", evaluation FROM v_findings WHERE side IS NOT NULL'
        ):
            stored = read_evaluation(connection, evaluation)
            text = stored.article.source if side == "source" else stored.translation or ""
            assert text[start:end] == quote


def test_an_old_file_is_upgraded_once_with_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    builders.two_evaluations(path)[0].close()
    before = dump(path)

    def upgrade(database: object) -> None:
        database.execute(f"PRAGMA user_version = {schema.VERSION}")  # type: ignore[attr-defined]

    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(schema, "migrate", upgrade)
    open_library(path).close()
    (backup,) = tmp_path.glob("*.bak")
    assert backup.name == f"a.db.v{schema.VERSION - 1}.bak"
    assert dump(backup) == before == dump(path)
    open_library(path).close()
    assert len(list(tmp_path.glob("*.bak"))) == 1


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    builders.two_evaluations(path)[0].close()
    before = dump(path)

    def upgrade(database: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(schema, "migrate", upgrade)
    with pytest.raises(StorageError, match="the disk is full"):
        open_library(path)
    assert dump(path) == before


def test_a_file_that_another_program_holds_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.05)
    path = tmp_path / "a.db"
    connection, (first, _) = builders.two_evaluations(path)
    other = open_library(path)
    with transaction(connection):
        with pytest.raises(sqlite3.OperationalError) as error:
            ReviewLog(other, "mei").set_state(first, "done")
        assert "another program is writing to the database" in opening.explain(error.value, path)
    ReviewLog(other, "mei").set_state(first, "done")
    assert events(path)[-1]["changes"]["state"] == "done"


def test_a_transaction_is_whole_or_not_at_all(tmp_path: Path) -> None:
    connection, _ = builders.two_evaluations(tmp_path / "a.db")
    before = dump(tmp_path / "a.db")

    def half() -> None:
        with transaction(connection):
            connection.execute("INSERT INTO app_state VALUES ('a', 'b', 'c')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert dump(tmp_path / "a.db") == before


def test_programs_that_start_at_once_make_one_library(tmp_path: Path, sample_files: Path) -> None:
    command = [sys.executable, "-m", "discox_tui", "import", "--no-ground", "--judge", "osprey"]
    running = [
        subprocess.Popen(
            [*command, "--db", str(tmp_path / "a.db"), str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for file in sorted(sample_files.glob("*DISCOX*"))
    ]
    for process in running:
        _, error = process.communicate()
        assert (process.returncode, error) == (0, b"")
    assert len(dump(tmp_path / "a.db")["evaluations"]) == 12


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_may_not_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    builders.two_evaluations(path)[0].close()
    path.chmod(0)
    with pytest.raises(StorageError, match="cannot be opened"):
        open_library(path)


def test_a_library_where_nothing_may_be_written_is_read_and_no_file_is_made_beside_it(
    discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = discox("consistency", "--db", sample)
    before = {path.name: path.read_bytes() for path in sample.parent.iterdir()}
    monkeypatch.setattr(opening, "is_still", lambda path: True)  # a folder without permission; root has it anywhere
    for command in ("list", "consistency", "leaderboard", "usage"):
        read = discox(command, "--db", sample)
        assert read.code == 0
        assert "can be read, not reviewed; copy it" in read.err
    assert discox("consistency", "--db", sample).out == expected.out
    refused = discox("plan", "--reviewers", "lin,okafor", "--db", sample)
    assert (refused.code, refused.out) == (1, "")
    assert "may not be written; check its permissions, or copy it" in refused.err
    assert {path.name: path.read_bytes() for path in sample.parent.iterdir()} == before


@by_day(12)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("words", ["", "heron", "done", "not opened", "judge failed", "%", "_"])
def test_the_queue_is_one_order_however_it_is_read(sample: Path, order: str, descending: bool, words: str) -> None:
    with closing(open_library(sample)) as connection:
        queue = Queue(connection, "lin", words=words, order=order, descending=descending)
        rows = list(queue)
        assert len(rows) == len(queue) == len({row.id for row in rows})
        for index, row in enumerate(rows):
            assert queue.index_of(row.id) == index
            assert queue[index] == row
        everything = {row.id for row in Queue(connection, "lin")}
        for hidden in everything - {row.id for row in rows}:
            assert queue.index_of(hidden) is None
        values = [getattr(row, order) for row in rows if order in ("article", "system", "total", "human", "judge")]
        known = [value for value in values if value is not None]
        assert known == sorted(known, reverse=descending)
        assert values == known + [None] * (len(values) - len(known)), "what has no value is last"
        progress = queue.progress()
        assert progress.total == len(rows)
        assert progress.done == sum(row.review == "done" for row in rows)


@pytest.mark.skipif(sys.platform == "win32", reason="SQLite's lock files of this kind are for unix")
def test_a_drive_that_cannot_share_a_write_ahead_log_works_with_a_word_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def without_shared_memory(path: Path, **options: Any) -> sqlite3.Connection:
        options["uri"] = True
        opened: sqlite3.Connection = connect(f"file:{path}?vfs=unix-dotfile", **options)
        return opened

    monkeypatch.setattr(sqlite3, "connect", without_shared_memory)
    with closing(open_library(tmp_path / "a.db")) as connection:
        assert pragma(connection, "journal_mode") != "wal"
        assert "one program use the file at a time" in connection.notice
        evaluation = builders.add(connection)
        ReviewLog(connection, "mei").set_state(evaluation, "done")
    with closing(open_library(tmp_path / "a.db", create=False)) as connection:
        assert ReviewLog(connection, "mei").review(evaluation).state == "done"
