"""Opening the one SQLite file: made if absent, migrated if old, refused if foreign, damaged or too new."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from storage import schema
from storage.errors import StorageError
from storage.paths import dangling

BUSY_SECONDS = 15.0
"""How long a writer waits for another program's transaction."""


class Connection(sqlite3.Connection):
    """A connection to a library file. ``notice`` says what works less well than it should, or is empty."""

    notice: str = ""
    path: Path


def open_database(path: Path, *, create: bool = True) -> Connection:
    """Open the library at ``path`` for reading and writing; in a folder where nothing may be written, for reading.

    Creates the file (and its folder) if ``create``; applies pending migrations after a backup beside the file.
    The connection is in autocommit mode: writers use ``with transaction(connection)``.

    Raises StorageError for a missing, foreign, damaged, newer or unreadable file; such a file is not touched.
    """
    if broken := dangling(path):
        raise StorageError(f"{path}: {broken}; mend the link, or name another file with --db")
    if not path.exists():
        if not create:
            raise StorageError(
                f"{path}: there is no database here; import something first, or add candidates, or check --db"
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # verdicts are the reviewer's own business
        except OSError as error:
            raise StorageError(
                f"{path.parent}: cannot be made ({error.strerror}); choose another file with --db"
            ) from None
    elif path.is_dir():
        raise StorageError(f"{path}: is a folder, not a database file; name a file with --db")
    still = is_still(path)
    try:
        connection = sqlite3.connect(
            read_only(path) if still else path,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            factory=Connection,
            check_same_thread=False,
            uri=still,
        )
        connection.path = path
        try:
            _check_and_migrate(connection, path)
            _configure(connection, path)
        except UnicodeDecodeError:
            # A header that was overwritten: even the names of the tables are no text.
            raise sqlite3.DatabaseError("malformed: its tables cannot be read") from None
        except BaseException:
            connection.close()
            raise
    except sqlite3.DatabaseError as error:
        raise StorageError(explain(error, path)) from error
    return connection


def is_still(path: Path) -> bool:
    """Whether a library lies where nothing can be written, and so not the files either that SQLite makes beside one.

    What was last said may wait in such a file (``-wal``): a library that has one is not read without it.
    """
    journal = path.with_name(f"{path.name}-wal")
    return not os.access(path.parent, os.W_OK) and not (journal.exists() and journal.stat().st_size)


def read_only(path: Path) -> str:
    """Return the address by which SQLite opens a library for reading alone, and a still one with no file beside it."""
    return f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if is_still(path) else ''}"


def explain(error: sqlite3.Error, path: Path) -> str:
    """Return one line for people: what SQLite met at ``path`` and how to mend it."""
    text = str(error)
    if "not a database" in text:
        return f"{path}: is not an SQLite file; name another database (nothing was changed)"
    if "malformed" in text or "corrupt" in text:
        return (
            f"{path}: the database is damaged ({text}); copy it away, then try `sqlite3 {path.name} .recover`, "
            "or go back to a backup (*.bak beside it)"
        )
    if "locked" in text or "busy" in text:
        return f"{path}: another program is writing to the database; try again when it is done, or close it"
    if "unable to open" in text:
        return f"{path}: cannot be opened; check that the folder is there and that you may write in it"
    if "readonly" in text or "read-only" in text:
        return f"{path}: may not be written; check its permissions, or copy it and use --db"
    if "full" in text:
        return f"{path}: the disk is full; free some space and try again (what was stored before is safe)"
    return f"{path}: {text}"


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _check_and_migrate(connection: sqlite3.Connection, path: Path) -> None:
    if _is_current(connection):
        return
    with transaction(connection):
        # Looked at again under the lock: another program may be making or migrating the same file just now.
        version = _pragma(connection, "user_version")
        ours = _pragma(connection, "application_id") == schema.APPLICATION_ID
        if ours and version > schema.VERSION:
            raise StorageError(
                f"{path}: was written by a newer discox (data version {version}, this program knows "
                f"{schema.VERSION}); upgrade discox-tui; the file was not touched"
            )
        empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if not ours and not empty:
            raise StorageError(
                f"{path}: is an SQLite file of another program; name another database (nothing was changed)"
            )
        if not _is_current(connection):
            if not empty:
                _back_up(path, version)
            from sqlite_utils import Database

            schema.migrate(Database(connection))


def _is_current(connection: sqlite3.Connection) -> bool:
    ours = _pragma(connection, "application_id") == schema.APPLICATION_ID
    return ours and _pragma(connection, "user_version") == schema.VERSION


def _back_up(path: Path, version: int) -> None:
    """Copy the database to ``<name>.v<version>.bak`` beside it (a number is added where that is taken)."""
    target = path.with_name(f"{path.name}.v{version}.bak")
    count = 1
    while target.exists():
        count += 1
        target = path.with_name(f"{path.name}.v{version}.{count}.bak")
    with closing(sqlite3.connect(path)) as original, closing(sqlite3.connect(target)) as copy:
        original.backup(copy)


def _configure(connection: Connection, path: Path) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    try:
        mode = str(connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "readonly" in str(error):
            mode = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
        else:
            raise
    # In WAL mode only FULL makes a committed verdict survive a power cut; it costs one fsync a verdict.
    connection.execute("PRAGMA synchronous = FULL")
    # A file is imported in one transaction: its pages should be put in place afterwards.
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    if is_still(path):
        connection.notice = f"{path}: nothing may be written here, so it can be read, not reviewed; copy it to review"
    elif mode != "wal" and os.access(path, os.W_OK):
        connection.notice = (
            f"{path}: this drive cannot share a write-ahead log (a network drive?); discox works, "
            "but let only one program use the file at a time"
        )


def insert(
    connection: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, object]], *, or_ignore: bool = False
) -> int:
    """Add rows (column → value, all with the columns of the first) to a table; return how many were added.

    ``or_ignore``: a row whose key is there already is passed over.
    """
    if not rows:
        return 0
    names = tuple(rows[0])
    columns = ", ".join(f'"{name}"' for name in names)
    verb = "INSERT OR IGNORE" if or_ignore else "INSERT"
    cursor = connection.executemany(
        f"{verb} INTO {table} ({columns}) VALUES ({', '.join('?' * len(names))})",
        [tuple(row[name] for name in names) for row in rows],
    )
    return cursor.rowcount


@contextmanager
def room_for_many(connection: sqlite3.Connection) -> Iterator[None]:
    """Let the pages that a big transaction writes fit in memory (16 MB); whoever only looks needs an eighth of it."""
    connection.execute("PRAGMA cache_size = -16000")
    try:
        yield
    finally:
        connection.execute("PRAGMA cache_size = -2000")


class transaction:  # noqa: N801 - reads as the statement it is
    """``with transaction(connection):`` one immediate transaction: committed whole, or not at all."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> sqlite3.Connection:
        self.connection.execute("BEGIN IMMEDIATE")
        return self.connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.connection.execute("COMMIT")
        finally:
            # A commit can fail too, on a full disk; what it left open must not swallow the next one.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
