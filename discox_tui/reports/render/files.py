"""Puts a report into a file, whole or not at all, and never over anything but an earlier report."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from discox_tui import __version__
from discox_tui.reports.render.model import MARK
from discox_tui.text.safe import safe
from storage.base.errors import StorageError
from storage.base.files import link_target, why_not


def made(arguments: Sequence[str]) -> dict[str, str]:
    """Return how a report is made: program, command as it was typed, and date."""
    return {
        "Program": f"discox-tui {__version__}",
        "Command": shlex.join(["discox", *arguments]),
        "Date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }


def write_report(path: str, content: str) -> None:
    """Write to a file, replacing an earlier report only; "-" is standard output, and a device or pipe is written to.

    On a terminal nothing in it can act.

    Raises StorageError, with what to do, where it cannot be written or something else is there.
    """
    content = content.encode("utf-8", "replace").decode("utf-8")
    if path == "-":
        sys.stdout.write(safe(content, multiline=True) if sys.stdout.isatty() else content)
        return
    given = Path(path)
    try:
        target = link_target(given)
        if target.is_dir():
            raise StorageError(f"{path}: is a folder; name a file in it")
        if target.exists() and not target.is_file():
            target.write_text(content, encoding="utf-8", newline="\n")
            return
        if target.exists() and not _is_report(target):
            raise StorageError(f"{path}: is there already and is no report; choose another name, or delete it")
        _replace(target, content)
    except (OSError, ValueError) as error:
        why = why_not(given, error)
        raise StorageError(f"{path}: cannot be written ({why}); choose another file") from None


def _is_report(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(200)
    return not start or MARK.encode() in start


def _replace(target: Path, content: str) -> None:
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    partial = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(content)
        partial.chmod(mode if mode is not None else 0o666 & ~_umask())
        partial.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _umask() -> int:
    """Return what a new file's permissions leave out; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
