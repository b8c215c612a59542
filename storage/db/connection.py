"""Opening the one SQLite file: made if absent, migrated if old, refused if foreign, damaged or too new."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from storage.base.errors import StorageError
from storage.base.files import dangling
from storage.db import schema
from storage.db.library_file import FileId, LibraryFile, LibraryLost
from storage.db.sqlite_errors import explain, is_for_want_of_room

BUSY_SECONDS = 15.0
"""Seconds that a writer waits for another program's transaction."""

LOOK_AGAIN = 0.002
"""Seconds between two looks at whether that transaction is over."""
TAKE_TURNS = 0.5
"""Seconds for which a writer, having met another, waits a moment before each transaction."""


class Connection(sqlite3.Connection):
    """A connection to a library file.

    ``notice`` says what works less well than it should, or is empty. ``acts``: what people did on this connection, as
    lines of a log, in case the file is lost; ``doing``: likewise, in the transaction that is open. ``is_waiting``:
    nothing can be stored until the disk has room. ``lets_others``: the time until which a transaction waits a moment.
    """

    notice: str = ""
    path: Path
    file: LibraryFile | None = None
    acts: list[bytes]
    doing: list[bytes]
    is_waiting: bool = False
    lets_others: float = 0.0

    def check(self) -> None:
        """Raise LibraryLost if the library is not the file at its path any more."""
        if self.file is not None:
            self.file.check()

    def move_to(self, path: Path) -> None:
        """Go on with the library at ``path``; whoever holds this connection goes on with it. Raises StorageError."""
        patience = _pragma(self, "busy_timeout")
        self.close()
        _open(path, into=self)
        self.execute(f"PRAGMA busy_timeout = {patience}")

    def close(self) -> None:
        """Close the library; the last to do so leaves one file that holds all."""
        file, self.file = self.file, None
        if file is None:
            super().close()
            return
        with suppress(LibraryLost):
            file.check()
        if file.may_be_closed:
            super().close()
            file.release()
        else:
            _leave_open(self)

    def __del__(self) -> None:
        with suppress(sqlite3.Error):
            self.close()


def open_database(path: Path, *, create: bool = True, same_as: FileId | None = None) -> Connection:
    """Open the library at ``path`` for reading and writing; where nothing may be written, for reading.

    Creates the file (and its folder) if ``create``; applies pending migrations after a backup beside the file.
    ``same_as``: which file it must be. The connection is in autocommit mode: writers use
    ``with transaction(connection)``. A disk without room is no hindrance to reading. What another program wrote into it
    is not checked here, but by ``storage.integrity.opening``.

    Raises StorageError for a missing, foreign, damaged, newer or unreadable file; such a file is not touched.
    """
    if broken := dangling(path):
        raise StorageError(f"{path}: {broken}; mend the link, or name another file with --db")
    made = False
    if not path.exists():
        if not create:
            raise StorageError(
                f"{path}: there is no database here; import something first, or add candidates, or check --db"
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # verdicts are the reviewer's own business
            made = True
        except OSError as error:
            raise StorageError(
                f"{path.parent}: cannot be made ({error.strerror}); choose another file with --db"
            ) from None
    elif path.is_dir():
        raise StorageError(f"{path}: is a folder, not a database file; name a file with --db")
    try:
        return _open(path, same_as=same_as)
    except StorageError:
        if made:
            with suppress(OSError):
                if not path.stat().st_size:
                    path.unlink()
        raise


def file_of(connection: sqlite3.Connection) -> FileId | None:
    """Return which file a connection has open. Raises LibraryLost if that is not at its path any more."""
    if not isinstance(connection, Connection) or connection.file is None:
        return None
    connection.check()
    return connection.file.id


def open_beside(connection: Connection) -> Connection:
    """Open the library of a connection a second time, for another thread. Raises LibraryLost if it is not there."""
    return open_database(connection.path, create=False, same_as=file_of(connection))


def data_version(connection: Connection) -> int:
    """Return a number that is another one once another program has written. Raises LibraryLost."""
    connection.check()
    if connection.is_waiting:
        with suppress(StorageError):
            _try_for_room(connection)
            return 0  # others may have written since it could only be read
    return _pragma(connection, "data_version")


def _open(path: Path, *, same_as: FileId | None = None, into: Connection | None = None) -> Connection:
    file = LibraryFile(path)
    try:
        if same_as is not None and file.now() != same_as:
            raise LibraryLost(path, "replaced")
        still = is_still(path)
        connection = _handle(read_only(path) if still else path, still, into)
        try:
            _check_and_migrate(connection, path)
            _configure(connection, path)
            _pragma(connection, "schema_version")  # only whoever reads has the journal opened
            file.note(shared=not still)
            if same_as is not None and file.id != same_as:
                raise LibraryLost(path, "replaced")
        except UnicodeDecodeError:
            connection.close()
            # A header that was overwritten: even the names of the tables are no text.
            raise sqlite3.DatabaseError("malformed: its tables cannot be read") from None
        except BaseException:
            connection.close()
            raise
    except sqlite3.DatabaseError as error:
        if not is_for_want_of_room(error, path):
            file.release()
            raise StorageError(explain(error, path)) from error
        return _open_without_room(path, file, error, into)
    except OSError as error:
        file.release()
        raise StorageError(
            f"{path}: cannot be read ({error.strerror or error}); check the drive and try again"
        ) from None
    except BaseException:
        file.release()
        raise
    return _of_file(connection, path, file)


def _of_file(connection: Connection, path: Path, file: LibraryFile) -> Connection:
    connection.path, connection.file, connection.acts, connection.doing = path, file, [], []
    return connection


def go_on_without_room(connection: Connection, error: sqlite3.Error) -> None:
    """Go on, only reading, with a library in which a write failed for want of room. Raises StorageError."""
    path = connection.path
    connection.close()
    _open_without_room(path, LibraryFile(path), error, connection)


def _handle(database: Path | str, uri: bool, into: Connection | None = None) -> Connection:
    """Connect anew, or an object that was connected before."""
    options: dict[str, Any] = {"timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": False, "uri": uri}
    if into is None:
        return sqlite3.connect(database, factory=Connection, **options)
    sqlite3.Connection.__init__(into, database, **options)
    return into


def _open_without_room(path: Path, file: LibraryFile, error: sqlite3.Error, into: Connection | None) -> Connection:
    try:
        connection = _read_without_room(path, error, into)
        file.note(shared=False)
    except sqlite3.Error:
        file.release()
        raise StorageError(explain(error, path)) from error
    except BaseException:
        file.release()
        raise
    return _of_file(connection, path, file)


def _read_without_room(path: Path, error: sqlite3.Error, into: Connection | None) -> Connection:
    """Open a library for reading where SQLite finds no room for the files that it makes beside one.

    What was last said may wait in its journal: that is put in its place if the disk lets it, else read from there, for
    which this program must be the only one.
    """
    journal = path.with_name(f"{path.name}-wal")

    def waits() -> bool:
        return journal.exists() and journal.stat().st_size > 0

    if waits():
        with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as alone:
            alone.execute("PRAGMA locking_mode = EXCLUSIVE")
            alone.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    immutable = not waits()
    connection = _handle(read_only(path, immutable=True) if immutable else path, immutable, into)
    try:
        if not immutable:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        if not _is_current(connection):
            raise error
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    connection.is_waiting = immutable
    connection.notice = (
        f"{path}: its disk has no room, or none for you, so it can be read and exported to another disk, but nothing "
        "can be stored; free some space, then go on"
    )
    return connection


def _leave_open(connection: Connection) -> None:
    """Never close a connection, not even when Python ends: SQLite would write to what is in the library's place now."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def is_still(path: Path) -> bool:
    """Return whether a library lies where nothing can be written, nor the files that SQLite makes beside one.

    What was last said may wait in such a file (``-wal``): a library that has one is not read without it.
    """
    journal = path.with_name(f"{path.name}-wal")
    return not os.access(path.parent, os.W_OK) and not (journal.exists() and journal.stat().st_size)


def read_only(path: Path, *, immutable: bool = False) -> str:
    """Return the address by which SQLite opens a library for reading alone, and a still one with no file beside it.

    ``immutable``: it is to be taken for a still one.
    """
    return f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if immutable or is_still(path) else ''}"


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
            if empty:
                connection.execute("UPDATE checked SET schema = ?", (_pragma(connection, "schema_version"),))


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
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
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


@contextmanager
def waiting(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Let writers within wait so long for another program's transaction."""
    connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")


def _begin(connection: sqlite3.Connection) -> None:
    """Begin to write, waiting for others as long as the connection is patient, and looking often.

    SQLite's own looks grow rarer: among several who write all the time, one would find it locked for ever. Who has met
    others lately lets them look before writing again.
    """
    if isinstance(connection, Connection) and time.monotonic() < connection.lets_others:
        time.sleep(2 * LOOK_AGAIN)
    patience = _pragma(connection, "busy_timeout")
    deadline = time.monotonic() + patience / 1000
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                    raise
            if isinstance(connection, Connection):
                connection.lets_others = time.monotonic() + TAKE_TURNS
            time.sleep(LOOK_AGAIN)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")


class transaction:  # noqa: N801 - reads as the statement it is
    """``with transaction(connection):`` one immediate transaction: committed whole, or not at all.

    Raises LibraryLost, and commits nothing, if the library is not the file at its path any more.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> sqlite3.Connection:
        if isinstance(self.connection, Connection) and self.connection.is_waiting:
            _try_for_room(self.connection)
        self._check()  # first of all, since even a lock is not for a file that was put there
        _begin(self.connection)
        return self.connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._check()
                self.connection.execute("COMMIT")
                if isinstance(self.connection, Connection) and self.connection.file is not None:
                    self.connection.acts += self.connection.doing
                    self.connection.file.note_commit()
        finally:
            # A commit can fail too, on a full disk; what it left open must not swallow the next one.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            if isinstance(self.connection, Connection) and self.connection.file is not None:
                self.connection.doing.clear()

    def _check(self) -> None:
        if isinstance(self.connection, Connection):
            self.connection.check()


def at_once(connection: sqlite3.Connection) -> transaction | nullcontext[None]:
    """Return a transaction for what follows, or nothing where the caller's is open: then it is part of that."""
    return nullcontext() if connection.in_transaction else transaction(connection)


def _try_for_room(connection: Connection) -> None:
    """Open a library for writing that could only be read until now. Raises StorageError if that is still so."""
    connection.check()
    path, notice = connection.path, connection.notice
    with closing(open_beside(connection)) as tried:
        if tried.is_waiting:
            raise StorageError(notice)
        connection.move_to(path)


def note_act(connection: sqlite3.Connection, line: bytes) -> None:
    """Keep in memory what a person did, within a transaction, in case the file is lost: a line, which takes little."""
    if isinstance(connection, Connection) and connection.file is not None:
        connection.doing.append(line)
