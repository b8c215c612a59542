"""SQLite's errors in words for people: what happened, what it means, what to do."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

_SAFE = "(what was stored before is safe)"
_DRIVE = "see that the drive is connected and has room, for you too, then try again, or copy the library elsewhere"
_MEMORY = f"there is not enough memory, so this was not done; close other programs and try again {_SAFE}"
_NO_DATABASE = "is not an SQLite file; name another database (nothing was changed)"
_BUSY = "another program is writing to the database, so this was not stored; try again when it is done, or close it"
_DAMAGED = (
    "the database is damaged ({text}); copy it away, then try `sqlite3 {name} .recover`, or go back to a backup "
    "(*.bak beside it, or what `discox backup` wrote)"
)
_AGAIN = "so this was not stored; try again"

_ANSWERS: dict[str, str] = {
    "SQLITE_FULL": f"the disk is full, so this was not stored; free some space and try again {_SAFE}",
    "SQLITE_IOERR": f"the drive failed ({{text}}); {_DRIVE} {_SAFE}",
    "SQLITE_IOERR_READ": f"the drive failed to read; {_DRIVE} {_SAFE}",
    "SQLITE_IOERR_WRITE": f"the drive refused to write, so this was not stored; {_DRIVE} {_SAFE}",
    "SQLITE_IOERR_FSYNC": f"the drive did not keep what was written, so this was not stored; {_DRIVE} {_SAFE}",
    "SQLITE_IOERR_SHM": f"the drive refused the file that SQLite needs beside it (-shm); {_DRIVE} {_SAFE}",
    "SQLITE_IOERR_LOCK": f"the drive refused to lock it; {_DRIVE} {_SAFE}",
    "SQLITE_IOERR_SHORT_READ": _DAMAGED,
    "SQLITE_IOERR_DATA": _DAMAGED,
    "SQLITE_IOERR_CORRUPTFS": _DAMAGED,
    "SQLITE_IOERR_NOMEM": _MEMORY,
    "SQLITE_NOMEM": _MEMORY,
    "SQLITE_BUSY": _BUSY,
    "SQLITE_LOCKED": _BUSY,
    "SQLITE_PROTOCOL": f"other programs are busy with it all the time, {_AGAIN} when they are done",
    "SQLITE_READONLY": "may not be written; check its permissions, or copy it and use --db (nothing was stored)",
    "SQLITE_READONLY_DBMOVED": "was moved or replaced while it was open, so this was not stored; close discox and open "
    "the file where it is now",
    "SQLITE_CANTOPEN": "cannot be opened; check that the folder is there and that you may write in it, or name another "
    "file with --db",
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_NOTADB": _NO_DATABASE,
    "SQLITE_FORMAT": _NO_DATABASE,
    "SQLITE_PERM": "may not be used like this; check its permissions, or copy it and use --db",
    "SQLITE_AUTH": "may not be used like this ({text}); check its permissions, or copy it and use --db",
    "SQLITE_TOOBIG": "a text is too long for SQLite (1,000 million bytes), so this was not stored; shorten the text",
    "SQLITE_SCHEMA": f"another program has changed its tables, {_AGAIN}",
    "SQLITE_CONSTRAINT": "the database refused a row ({text}), so this was not stored; if nothing in it explains that, "
    f"report it {_SAFE}",
    "SQLITE_INTERRUPT": f"SQLite was interrupted, {_AGAIN}",
    "SQLITE_ABORT": f"SQLite was interrupted, {_AGAIN}",
    "SQLITE_NOLFS": "is too big for this drive; copy it to another drive and use --db",
    "SQLITE_ERROR": "the database lacks what discox needs ({text}), so this was not done; if another program changed "
    "it, go back to a backup",
}
"""Messages by the beginning of an error's name; the longest that fits counts."""

_OTHERS = (
    "SQLite did not do what discox asked of it ({text}), so this was not stored; open the library anew, and report it "
    f"if it comes again {_SAFE}"
)

_WORDS = {
    "not a database": "SQLITE_NOTADB",
    "malformed": "SQLITE_CORRUPT",
    "corrupt": "SQLITE_CORRUPT",
    "decode to utf-8": "SQLITE_CORRUPT",
    "locked": "SQLITE_BUSY",
    "busy": "SQLITE_BUSY",
    "unable to open": "SQLITE_CANTOPEN",
    "readonly": "SQLITE_READONLY",
    "read-only": "SQLITE_READONLY",
    "full": "SQLITE_FULL",
    "disk i/o": "SQLITE_IOERR",
    "too big": "SQLITE_TOOBIG",
}
"""The messages of errors that Python made, not SQLite."""

SCARCE = 100_000
"""Bytes that are left on a disk that is as good as full."""


def name_of(error: sqlite3.Error) -> str:
    """Return SQLite's name of an error (``SQLITE_IOERR_WRITE``); "" for those of Python's own."""
    text = str(error).lower()
    return getattr(error, "sqlite_errorname", None) or next((_WORDS[words] for words in _WORDS if words in text), "")


def is_for_want_of_room(error: sqlite3.Error, path: Path) -> bool:
    """Tell if an error is that of a disk that is full, or lets nothing grow."""
    name = name_of(error)
    return name.startswith(("SQLITE_FULL", "SQLITE_IOERR_SHM", "SQLITE_IOERR_WRITE")) or (
        name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) and _is_full(path)
    )


def explain(error: sqlite3.Error, path: Path, *, short: bool = False) -> str:
    """Return one line for people: what SQLite met at ``path``, what it means and how to mend it.

    ``short``: the file is named without its folder.
    """
    name = name_of(error)
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) and _is_full(path):
        name = "SQLITE_FULL"
    known = max((each for each in _ANSWERS if name.startswith(each)), key=len, default="")
    said = _ANSWERS.get(known, _OTHERS).format(text=str(error).rstrip("."), name=path.name)
    return f"{path.name if short else path}: {said}"


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.absolute().parent).free < SCARCE
    except OSError:
        return False
