"""What most commands begin with: the library that the options name, and who is asking."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from discox_tui.cli.output import note
from storage.blinding import Blinding, blinding_of, hides, works_here
from storage.connection import Connection, open_database
from storage.errors import StorageError
from storage.paths import database_path, load_settings, reviewer_name


@contextmanager
def library(options: argparse.Namespace, *, create: bool = False, discreet: bool = False) -> Iterator[Connection]:
    """Open the database that the options name; say on standard error what works less well than it should.

    ``discreet``: the command keeps to what whoever asks may see. Any other is refused as long as something is hidden
    from her. Raises StorageError for that, and where the database cannot be opened, or is absent and ``create`` is not
    set.
    """
    connection = open_database(database_path(options.db).path, create=create)
    try:
        if connection.notice:
            note(f"discox: {connection.notice}")
        if not discreet:
            _refuse_hidden(connection, reviewer(options))
        yield connection
    finally:
        connection.close()


_HIDDEN: dict[Blinding, str] = {
    "first": "what judges said of all that is not revealed; R in the app's review reveals it, h in the queue turns "
    "hiding off",
    "systems": "the names of systems; h in the app's queue shows them",
    "open": "what judges said of what is to be reviewed blind; R in the app's review reveals it",
}
"""What is hidden by each choice, and how to see it."""


def _refuse_hidden(connection: Connection, name: str) -> None:
    """Raise StorageError where anything is hidden from a reviewer: a command that is not discreet would show it.

    Of a rater of other tools' files figures are asked for by others.
    """
    if hides(connection, name) and works_here(connection, name):
        said = _HIDDEN[blinding_of(connection, name)]
        raise StorageError(
            f"something is hidden from {name} yet, and this would show it: {said}; or let another ask (--reviewer NAME)"
        )


def is_hiding(connection: Connection, options: argparse.Namespace) -> bool:
    """Whether anything is hidden from whoever asks, so that a discreet command leaves something out."""
    return hides(connection, reviewer(options))


def say_left_out(options: argparse.Namespace, what: str) -> None:
    """Say on standard error what a discreet command does not tell whoever asks, and who may be told."""
    note(f"discox: not told, as something is hidden from {reviewer(options)}: {what}; another --reviewer is told")


def reviewer(options: argparse.Namespace) -> str:
    """Return the name of the reviewer that the options, the settings or the login name give."""
    return reviewer_name(options.reviewer, load_settings())
