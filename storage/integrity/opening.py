"""Opening of a library, with a check of what another program may have written into it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from storage.base.errors import StorageError
from storage.db.connection import Connection, go_on_without_room, open_database
from storage.db.sqlite_errors import explain, is_for_want_of_room


def open_library(path: Path, *, create: bool = True) -> Connection:
    """Open the library at ``path`` as `open_database` does, and leave out of its logs what nothing can be made of.

    ``create``: make the file where there is none. Raises StorageError where it cannot be opened, and where its tables
    or the judge's record are not what discox wrote.
    """
    connection = open_database(path, create=create)
    try:
        if not _was_checked(connection):
            from storage.integrity.log_checks import check_opened  # most libraries were checked before

            check_opened(connection)
    except UnicodeDecodeError:
        connection.close()
        # A header that was overwritten: even the names of the tables are no text.
        raise StorageError(explain(sqlite3.DatabaseError("malformed: its tables cannot be read"), path)) from None
    except sqlite3.DatabaseError as error:
        if not is_for_want_of_room(error, path):
            connection.close()
            raise StorageError(explain(error, path)) from error
        go_on_without_room(connection, error)
    except BaseException:
        connection.close()
        raise
    return connection


def _was_checked(connection: sqlite3.Connection) -> bool:
    """Tell if a library is as it was when it was last checked, and needs no message."""
    try:
        row = connection.execute(_SAME).fetchone()
    except sqlite3.OperationalError:  # it lacks a table
        return False
    return row is not None and row[0] == connection.execute("PRAGMA schema_version").fetchone()[0]


_SAME = """
SELECT schema FROM checked WHERE events = (SELECT coalesce(max(rowid), 0) FROM events)
AND build_events = (SELECT coalesce(max(rowid), 0) FROM build_events)
AND NOT EXISTS (SELECT 1 FROM unreadable WHERE NOT set_aside)
"""
