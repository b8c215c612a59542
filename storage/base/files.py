"""Files and links as a user names them: links to nothing, and why a file cannot be opened, in words."""

from __future__ import annotations

import errno
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path


def dangling(path: Path) -> str:
    """Return in words what is wrong with a path that is a link to nothing, or leads through one; "" for another."""
    for each in (path, *path.parents):
        with suppress(OSError):
            if each.is_symlink() and not each.exists():
                where = "is a link to" if each == path else f"leads through {each}, a link to"
                return f"{where} {each.readlink()}, which {'leads back to it' if _is_loop(each) else 'is not there'}"
    return ""


def _is_loop(link: Path) -> bool:
    try:
        link.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def why_not(path: Path, error: OSError | ValueError) -> str:
    """Return in words why a file could not be opened: that it is a link to nothing, or what the system says."""
    return dangling(path) or getattr(error, "strerror", None) or str(error)


def files_within(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the files in a folder and below that end so, by name; links to nothing too, to be said."""
    found = (file for file in folder.rglob("*") if file.suffix.lower() in suffixes)
    return sorted(file for file in found if file.is_file() or dangling(file))


def link_target(path: Path) -> Path:
    """Return where a link leads, be anything there or not, or a path that is none. Raises OSError for a loop."""
    try:
        return path.resolve() if path.is_symlink() else path
    except RuntimeError as error:  # what Python says of a loop before 3.13
        raise OSError(errno.ELOOP, str(error)) from None
