"""Whatever SQLite answers, people are told what happened and what to do: by errors of its own, where one can be had."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from storage.db.library_file import LibraryLost
from storage.db.sqlite_errors import explain
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.support import builders

MENDS = (
    r"free some space|try again|check |name another|go back to|copy it |close |shorten|report it|open the library anew"
)
CODES = {
    name: getattr(sqlite3, name)
    for name in dir(sqlite3)
    if re.match(
        "SQLITE_(ABORT|AUTH|BUSY|CANTOPEN|CONSTRAINT|CORRUPT|EMPTY|ERROR|FORMAT|FULL|INTERNAL|INTERRUPT|IOERR|LOCKED|MISMATCH"
        "|MISUSE|NOLFS|NOMEM|NOTADB|NOTFOUND|PERM|PROTOCOL|RANGE|READONLY|SCHEMA|TOOBIG)(_|$)",
        name,
    )
}


def made(name: str, text: str = "something went wrong") -> sqlite3.Error:
    """An error as SQLite's binding makes it."""
    error = sqlite3.OperationalError(text)
    error.sqlite_errorname, error.sqlite_errorcode = name, CODES[name]
    return error


@pytest.mark.parametrize("name", CODES)
def test_every_code_has_words_that_end_with_what_to_do(name: str, tmp_path: Path) -> None:
    said = explain(made(name), tmp_path / "a.db")
    assert said.startswith(f"{tmp_path / 'a.db'}: ")
    assert re.search(MENDS, said), said
    assert "{" not in said
    assert "\n" not in said
    assert len(said) - len(str(tmp_path)) < 240, "three rows of a small terminal"
    assert explain(made(name), tmp_path / "a.db", short=True).startswith("a.db: ")


@pytest.mark.parametrize(
    "text", ["", "{0} {text} {", "Could not decode to UTF-8 column 'x'", "database disk is malformed"]
)
def test_errors_that_are_not_sqlites_own_have_words_too(text: str, tmp_path: Path) -> None:
    for kind in (sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.DatabaseError):
        assert re.search(MENDS, explain(kind(text), tmp_path / "a.db"))


def full(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")
    connection.execute("INSERT INTO app_state VALUES ('a', 'b', ?)", ("x" * 200_000,))


def busy(connection: sqlite3.Connection, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        connection.execute("PRAGMA busy_timeout = 1")
        connection.execute("BEGIN IMMEDIATE")


def locked(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("CREATE TABLE more (x)")
    connection.executemany("INSERT INTO more VALUES (?)", [(1,), (2,)])
    rows = connection.execute("SELECT * FROM more")
    next(rows)
    connection.execute("DROP TABLE more")


def read_only(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA query_only = ON")
    connection.execute("INSERT INTO app_state VALUES ('a', 'b', 'c')")


def refused_by_trigger(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("DELETE FROM findings")


def not_unique(connection: sqlite3.Connection, path: Path) -> None:
    for _ in range(2):
        connection.execute("INSERT INTO app_state VALUES ('a', 'b', 'c')")


def without_a_table(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("SELECT * FROM elsewhere")


def too_big(connection: sqlite3.Connection, path: Path) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1000)
    connection.execute("SELECT ?", ("x" * 2000,))


def interrupted(connection: sqlite3.Connection, path: Path) -> None:
    connection.set_progress_handler(lambda: 1, 1)
    connection.execute("SELECT count(*) FROM findings, findings AS others").fetchone()


def not_allowed(connection: sqlite3.Connection, path: Path) -> None:
    connection.set_authorizer(lambda *_: sqlite3.SQLITE_DENY)
    connection.execute("SELECT * FROM findings")


def no_such_folder(connection: sqlite3.Connection, path: Path) -> None:
    sqlite3.connect(path / "nothing" / "here.db").execute("SELECT 1")


def no_database(connection: sqlite3.Connection, path: Path) -> None:
    other = path.with_name("text.db")
    other.write_text("This is a text and no database. " * 100)
    sqlite3.connect(other).execute("SELECT * FROM sqlite_master")


def damaged(connection: sqlite3.Connection, path: Path) -> None:
    with closing(sqlite3.connect(path.with_name("copy.db"))) as copy:
        connection.backup(copy)
    data = bytearray(path.with_name("copy.db").read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.with_name("copy.db").write_bytes(data)
    sqlite3.connect(path.with_name("copy.db")).execute("SELECT * FROM events").fetchall()


def closed(connection: sqlite3.Connection, path: Path) -> None:
    connection.close()
    connection.execute("SELECT 1")


SAID: dict[Callable[[sqlite3.Connection, Path], None], str] = {
    full: "the disk is full",
    busy: "another program is writing",
    locked: "another program is writing",
    read_only: "may not be written",
    refused_by_trigger: "the database refused a row (findings are a record: rows are only ever added)",
    not_unique: "the database refused a row (UNIQUE constraint failed",
    without_a_table: "lacks what discox needs (no such table: elsewhere)",
    too_big: "too long for SQLite",
    interrupted: "was interrupted",
    not_allowed: "may not be used like this",
    no_such_folder: "cannot be opened",
    no_database: "is not an SQLite file",
    damaged: "the database is damaged",
    closed: "did not do what discox asked of it (Cannot operate on a closed database)",
}


@pytest.mark.parametrize("fail", SAID, ids=lambda fail: fail.__name__)
def test_real_answers_are_told_apart(fail: Callable[[sqlite3.Connection, Path], None], tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connection, _ = builders.two_evaluations(path)
    try:
        with pytest.raises(sqlite3.Error) as raised:
            fail(connection, path)
        said = explain(raised.value, path)
        assert SAID[fail] in said
        assert re.search(MENDS, said)
    finally:
        connection.close()


COMMANDS = (
    ("list",),
    ("show", "0"),
    ("consistency",),
    ("leaderboard",),
    ("usage",),
    ("ground",),
    ("plan",),
    ("plan", "--reviewers", "a,b"),
    ("export", "archive", "{folder}/a.zip"),
    ("export", "jsonl", "{folder}/a.jsonl"),
    ("verdicts", "export", "-"),
    ("verdicts", "import", "{sample}/verdicts-lin.jsonl"),
    ("import", "{sample}"),
    ("merge", "{folder}/broken.db"),
    ("backup", "{folder}/backup.db"),
    ("build", "list"),
    ("build", "check"),
    ("pack", "list"),
    ("judge", "--provider", "openai", "--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--dry-run"),
)
BREAKING: dict[str, Callable[[Path], object]] = {
    "text": lambda path: path.write_text("no database at all " * 200),
    "zeroed": lambda path: path.write_bytes(path.read_bytes()[:4096] + bytes(path.stat().st_size - 4096)),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 3]),
    "noise": lambda path: path.write_bytes(path.read_bytes()[:8192] + b"\xa5" * (path.stat().st_size - 8192)),
}


@pytest.mark.parametrize("broken", BREAKING)
def test_no_command_prints_a_traceback_or_sqlites_words_alone(
    broken: str, discox: Command, sample: Path, sample_files: Path, tmp_path: Path
) -> None:
    BREAKING[broken](sample)
    sample.rename(tmp_path / "broken.db")
    whole = (tmp_path / "broken.db").read_bytes()
    for command in COMMANDS:
        (tmp_path / "broken.db").write_bytes(whole)
        names = {"folder": tmp_path, "sample": sample_files}
        done = discox("--db", tmp_path / "broken.db", *(part.format(**names) for part in command))
        assert "Traceback" not in done.err
        if done.code:
            assert re.search(f"{MENDS}|the ids", done.err), (command, done.err)
            assert done.err.count("\n") < 4
    assert not (tmp_path / "backup.db").exists(), "what is damaged is no backup"


def test_a_row_that_is_being_read_when_the_file_is_overwritten_says_what_happened(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    builders.two_evaluations(path)[0].close()
    connection = open_library(path)
    path.write_bytes(b"\xa5" * path.stat().st_size)
    with pytest.raises(sqlite3.DatabaseError):
        connection.execute("SELECT count(*) FROM findings, answers, articles").fetchall()
    with pytest.raises(LibraryLost, match="was overwritten"):
        connection.check()
    connection.close()
