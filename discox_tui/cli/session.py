"""What most commands begin with: the library that the options name, and who is asking."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from discox_tui.cli.output import note
from storage.blinding import hides, works_here
from storage.connection import Connection, holds_nothing, open_database
from storage.errors import StorageError
from storage.paths import database_path, load_settings, reviewer_name


@contextmanager
def library(options: argparse.Namespace, *, create: bool = False) -> Iterator[Connection]:
    """Open the database that the options name; say on standard error what works less well than it should.

    One that was made for this and got nothing is taken away again. Raises StorageError where it cannot be opened, or
    is absent and ``create`` is not set.
    """
    path = database_path(options.db).path
    new = not path.exists()
    connection = open_database(path, create=create)
    try:
        if connection.notice:
            note(f"discox: {connection.notice}")
        yield connection
    finally:
        unused = new and holds_nothing(connection)
        connection.close()
        beside = (path.with_name(f"{path.name}-{kind}") for kind in ("shm", "wal", "journal"))
        if unused and not any(file.exists() for file in beside):  # or another program has it open by now
            path.unlink()


def refuse_hidden(connection: Connection, options: argparse.Namespace) -> None:
    """Raise StorageError where anything is hidden from whoever asks: sums over all evaluations would show it.

    Of a rater of other tools' files figures are asked for by others.
    """
    if hides(connection, name := reviewer(options)) and works_here(connection, name):
        raise StorageError(
            f"something is hidden from {name} yet, and this would show it; reveal it in the app, or let another ask"
        )


def reviewer(options: argparse.Namespace) -> str:
    """Return the name of the reviewer that the options, the settings or the login name give."""
    return reviewer_name(options.reviewer, load_settings())
