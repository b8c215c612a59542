"""A library copied to a file of its own while programs use it: backups, and what is saved of one that was lost."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from storage.base.errors import StorageError
from storage.db.library_file import FOREIGN, free_name
from storage.db.sqlite_errors import explain

if TYPE_CHECKING:
    from storage.db.connection import Connection


DEMO_FOLDER = "discox-demo-"
"""The first part of the name of a folder that is deleted once the demo ends."""


def back_up(connection: sqlite3.Connection, target: Path) -> None:
    """Write all that a library holds at this moment to one new file, which only its owner may read, and check it.

    The file is there whole or not at all. Raises StorageError where something is there already, where it cannot be
    written, and where what was written is damaged.
    """
    with _new_file(target) as path:
        try:
            with closing(sqlite3.connect(path, isolation_level=None)) as copy:
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # nothing is beside it then, not even for who reads it
                problem = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
        except sqlite3.Error as error:
            raise StorageError(explain(error, target)) from None
        if problem != "ok":
            raise StorageError(
                f"{target}: not written, since the library is damaged ({problem}); copy the library away with its "
                "-wal, then try `sqlite3 FILE .recover`, or go back to an earlier backup"
            )


@dataclass(frozen=True, slots=True)
class Saved:
    """The fate of a library that is no longer the file at its path.

    ``whole``: whether the file is a library that holds all, or only a log of what was done since it was opened.
    """

    file: Path
    whole: bool
    problem: str = ""


def save_lost(connection: Connection, target: Path) -> Saved:
    """Save all that a connection can still read of a lost library to a new one.

    If that fails, what people did on this connection is saved as a log (JSON Lines) beside the name that was given.
    Raises StorageError where neither can be written.
    """
    assert connection.file is not None
    trouble = connection.file.trouble()
    if trouble in FOREIGN:
        problem = "the library itself can no longer be read"
    else:
        try:
            back_up(connection, target)
        except StorageError as error:
            if target.exists() or not _may_be_written(target):
                raise  # another name would do
            problem = str(error)
        else:
            connection.file.forget_journal()
            connection.file.note_saved()
            return Saved(target, whole=True)
    log = target.with_suffix(".jsonl")
    if log.exists():
        log = free_name(log, "acts")
    save_acts(connection, log)
    connection.file.note_saved()
    return Saved(log, whole=False, problem=problem)


def save_acts(connection: Connection, target: Path) -> None:
    """Write what people did on a connection to a new file, an event a line, for ``discox verdicts import``.

    Acts of building a benchmark are in it too; those no command reads. Raises StorageError.
    """
    with _new_file(target) as path:
        path.write_bytes(b"".join(line + b"\n" for line in connection.acts))


def proposed(connection: Connection) -> Path:
    """A new file's name to save a lost library under: beside it, or where that cannot be, in the home folder."""
    assert connection.file is not None
    path = connection.file.path
    lasts = _may_be_written(path) and not path.parent.name.startswith(DEMO_FOLDER)
    return free_name(path, "saved", path.parent if lasts else Path.home())


def _may_be_written(path: Path) -> bool:
    return path.parent.is_dir() and os.access(path.parent, os.W_OK)


@contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """A place to write at; what is written there is then put at ``target``, where nothing may be."""
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise StorageError(f"{target}: is there already, and is left as it is; choose another name") from None
    except OSError as error:
        raise StorageError(f"{target}: cannot be written ({error.strerror}); choose another file") from None
    try:
        with tempfile.TemporaryDirectory(prefix=".discox-", dir=target.parent, ignore_cleanup_errors=True) as beside:
            path = Path(beside) / target.name
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            yield path
            with path.open("rb") as written:
                os.fsync(written.fileno())
            path.replace(target)
    except BaseException as error:
        with suppress(OSError):
            target.unlink()
        if isinstance(error, OSError):
            raise StorageError(
                f"{target}: cannot be written ({error.strerror or error}); choose another file"
            ) from None
        raise
