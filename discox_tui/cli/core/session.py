"""The library that a command's options name, and the reviewer who asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from discox_tui.cli.core.options import LibraryOptions
from discox_tui.cli.core.output import note
from discox_tui.config.paths import database_path, load_settings, reviewer_name
from storage.base.errors import StorageError
from storage.db.connection import Connection, open_database
from storage.db.library_file import LibraryLost
from storage.integrity.opening import open_library
from storage.reviews.blinding import Blinding, blinding_of, hides, works_here


@contextmanager
def library(
    options: LibraryOptions, *, create: bool = False, check: bool = True, discreet: bool = False
) -> Iterator[Connection]:
    """Open the database that the options name; say on standard error what works less well than it should.

    ``check``: look at what other programs wrote into it. ``discreet``: the command keeps to what whoever asks may see;
    any other is refused as long as something is hidden from them. What was stored in a file that was meanwhile deleted
    or replaced is saved to another one, and that is said. Raises StorageError for a refusal, and where the database
    cannot be opened, or is absent and ``create`` is not set.
    """
    path = database_path(options.db).path
    connection = open_library(path, create=create) if check else open_database(path, create=create)
    try:
        if connection.notice:
            note(f"discox: {connection.notice}")
        if not discreet:
            _refuse_hidden(connection, reviewer(options))
        yield connection
    except BaseException as error:
        if lost := _lost(connection, error):
            if isinstance(error, StorageError | sqlite3.Error):
                raise StorageError(lost) from None
            note(f"discox: {lost}")
        raise
    else:
        if lost := _lost(connection):
            raise StorageError(lost)
    finally:
        connection.close()


def _lost(connection: Connection, error: BaseException | None = None) -> str:
    """Say that a library was lost in which something was stored, or that failed for it, and where it is saved now."""
    concerned = isinstance(error, LibraryLost | sqlite3.Error)
    if connection.file is None or not (concerned or connection.file.wrote):
        return ""
    try:
        connection.check()
    except LibraryLost as lost:
        return f"{lost}; {_saved(connection)}"
    return ""


def _saved(connection: Connection) -> str:
    """Save what can still be read of a lost library, and say where it is now."""
    from storage.integrity.backups import proposed, save_lost

    try:
        saved = save_lost(connection, proposed(connection))
    except StorageError as error:
        return f"what was stored could not be saved either ({error})"
    if saved.whole:
        return (
            f"all that was stored until then is in {saved.file}: name it with --db, or add it to another library with "
            "`discox merge`"
        )
    return f"{saved.problem}; what you decided is in {saved.file}: `discox verdicts import` adds it to a library"


_HIDDEN: dict[Blinding, str] = {
    "first": "what judges said of all that is not revealed; R in the app's review reveals it, h in the queue turns "
    "hiding off",
    "systems": "the names of systems; h in the app's queue shows them",
    "open": "what judges said of what is to be reviewed blind; R in the app's review reveals it",
}
"""The things that each choice hides, and the way to see them."""


def _refuse_hidden(connection: Connection, name: str) -> None:
    """Raise StorageError where anything is hidden from a reviewer: a command that is not discreet would show it.

    Of a rater of other tools' files figures are asked for by others.
    """
    if hides(connection, name) and works_here(connection, name):
        said = _HIDDEN[blinding_of(connection, name)]
        raise StorageError(
            f"something is hidden from {name} yet, and this would show it: {said}; or let another ask (--reviewer NAME)"
        )


def is_hiding(connection: Connection, options: LibraryOptions) -> bool:
    """Tell if anything is hidden from whoever asks, so that a discreet command leaves something out."""
    return hides(connection, reviewer(options))


def say_left_out(options: LibraryOptions, what: str) -> None:
    """Say on standard error what a discreet command does not tell whoever asks, and who may be told."""
    note(f"discox: not told, as something is hidden from {reviewer(options)}: {what}; another --reviewer is told")


def reviewer(options: LibraryOptions) -> str:
    """Return the name of the reviewer that the options, the settings or the login name give."""
    return reviewer_name(options.reviewer, load_settings())
