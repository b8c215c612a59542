"""A file of an older version becomes one of today with everything in it, and what it was is kept beside it."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from storage.analysis.review_data import read_reviewed
from storage.db import schema
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.record.library import read_evaluation
from storage.reviews.projections import rebuild
from storage.reviews.queue import headers
from tests.support import builders
from tests.support.nightly import by_day
from tests.support.tables import dump

pytestmark = pytest.mark.usefixtures("made_anew")

RELEASED = {
    1: "d23074ff6818cb72",
    2: "a2227d6c4321c24e",
    3: "4294932edf88654c",
    4: "85fa8488aac84402",
    5: "a4c9ac010592e51d",
    6: "91adb53813bdf5b2",
    7: "62729aae705dd440",
    8: "50c5159f727e43c6",
    9: "43ff9c7336a66b32",
    10: "651b82b73b0f7744",
    11: "ac1e1f72eb4068c8",
    12: "e2ecb3683650910a",
    13: "1f3089f7f6911317",
    14: "87e8d6cea77bf382",
    15: "3c59de5a40f46f66",
}
"""The beginning of the digest of what the migrations up to each make. Released: if one differs, it was edited."""

SEEN = "checked"
"""The table that says how far the log was looked at, from where opening goes on."""


def made_by(version: int, path: Path) -> None:
    """Make a file as an earlier version made it, empty."""
    with closing(sqlite3.connect(path)) as connection:
        migrations = Migrations("discox")
        for step in schema.STEPS[:version]:
            migrations()(step)
        migrations.apply(Database(connection))
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()


@pytest.fixture(params=range(1, schema.VERSION), ids="version {}".format)
def version(request: pytest.FixtureRequest) -> int:
    """Each version that there was before this one."""
    return int(request.param)


@pytest.fixture
def old(version: int, sample: Path, tmp_path: Path) -> Path:
    """The sample's library, with its verdicts, as a file of an earlier version."""
    path = tmp_path / "old.db"
    made_by(version, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ATTACH ? AS new", (str(sample),))
        for (table,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            if table not in ("_sqlite_migrations", SEEN):
                columns = ", ".join(f'"{row[1]}"' for row in connection.execute(f"PRAGMA main.table_info({table})"))
                connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        connection.commit()
    return path


def test_the_migrations_are_as_they_were_released(version: int, tmp_path: Path) -> None:
    made_by(version, tmp_path / "a.db")
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        made = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE '%sqlite_%'")]
    assert hashlib.sha256("\n".join(sorted(filter(None, made))).encode()).hexdigest().startswith(RELEASED[version])


@by_day(5)
def test_everything_in_an_old_file_is_in_the_new_one(version: int, old: Path, sample: Path) -> None:
    before = dump(old)
    with closing(open_library(old)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        with closing(sqlite3.connect(old.with_name(f"old.db.v{version}.bak"))) as backup:
            assert backup.execute("PRAGMA user_version").fetchone()[0] == version
            for table in before.keys() - {SEEN}:
                columns = ", ".join(f'"{row[1]}"' for row in backup.execute(f"PRAGMA table_info({table})"))
                rows = f"SELECT {columns} FROM {table}" + f" LIMIT {version}" * (table == "_sqlite_migrations")
                assert connection.execute(rows).fetchall() == backup.execute(rows).fetchall(), table
        rebuild(connection)  # the sample's reviewers say more than that version could derive anything from
        with closing(open_library(sample)) as made_new:
            ids = [row[0] for row in made_new.execute("SELECT id FROM evaluations ORDER BY position")]
            assert [read_evaluation(connection, i) for i in ids] == [read_evaluation(made_new, i) for i in ids]
            assert headers(connection, "lin") == headers(made_new, "lin")
            assert read_reviewed(connection) == read_reviewed(made_new)
    assert dump(old.with_name(f"old.db.v{version}.bak")) == before
    open_library(old).close()
    assert len(list(old.parent.glob("*.bak"))) == 1


@by_day(5)
def test_an_upgraded_file_is_made_as_a_new_one(old: Path, tmp_path: Path) -> None:
    shapes = []
    for path in (old, tmp_path / "new.db"):
        with closing(open_library(path)) as connection:
            shapes.append(sorted(connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall(), key=repr))
    assert shapes[0] == shapes[1]


@by_day(5)
def test_an_upgraded_file_keeps_its_records_and_takes_new_ones(old: Path) -> None:
    with closing(open_library(old)) as connection:
        table = old.with_name("scores.csv")
        table.write_text("metric,system,article,score\nchrF,heron,river-01,50\n", encoding="utf-8")
        assert import_path(connection, table, format="scores").stored == 1
        statements = ["UPDATE evaluations SET state = 'scored'", "UPDATE scores SET score = 0"]
        for statement in (*statements, *(f"DELETE FROM {table}" for table in ("evaluations", "findings", "scores"))):
            with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
                connection.execute(statement)
        identity = builders.a_run(connection)
        assert read_evaluation(connection, identity).signature == builders.signature().text
        count: Callable[[str], int] = lambda view: connection.execute(f"SELECT count(*) FROM {view}").fetchone()[0]  # noqa: E731
        assert [count(view) for view in ("v_calls", "v_usage")] == [2, 2]
        assert min(count(view) for view in ("v_scores", "v_findings", "v_verdicts")) > 0
        rebuild(connection)
        before = dump(old, without=("undone",))
        rebuild(connection)
    assert dump(old, without=("undone",)) == before


@by_day(2)
def test_a_view_of_the_users_own_survives(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("CREATE VIEW mine AS SELECT id FROM evaluations WHERE state = 'scored'")
    with closing(open_library(old)) as connection:
        assert connection.execute("SELECT count(*) FROM mine").fetchone()[0] > 0
