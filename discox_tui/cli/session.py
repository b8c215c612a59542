"""What most commands begin with: the library that the options name, and who is asking."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from discox_tui.cli.output import note
from storage.blinding import hides, works_here
from storage.connection import Connection, open_database
from storage.errors import StorageError
from storage.paths import database_path, load_settings, reviewer_name


@contextmanager
def library(options: argparse.Namespace, *, create: bool = False, check: bool = True) -> Iterator[Connection]:
    """Open the database that the options name; say on standard error what works less well than it should.

    ``check``: look at what other programs wrote into it. Raises StorageError where it cannot be opened, or is absent
    and ``create`` is not set.
    """
    connection = open_database(database_path(options.db).path, create=create, check=check)
    try:
        if connection.notice:
            note(f"discox: {connection.notice}")
        yield connection
    finally:
        connection.close()


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
