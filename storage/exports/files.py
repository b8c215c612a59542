"""Putting a file in its place whole or not at all, and never over anything that is not ours."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from storage.base.errors import StorageError
from storage.base.files import link_target, why_not


def never(path: Path) -> bool:
    """Say of no file that it is ours."""
    return False


def is_stream(name: str) -> bool:
    """Return True for ``-``, and for a device or a pipe, beside which no file can be."""
    path = Path(name)
    return name == "-" or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def whole(
    name: str,
    is_ours: Callable[[Path], bool] = never,
    what: str = "file",
    shown: Callable[[str], str] = lambda line: line,
) -> Iterator[Path]:
    """``with whole(name) as path:`` write a file or folder at ``path``; it is then put at ``name``, or nothing is.

    ``-`` is standard output; to it, to a device or to a pipe what was written is copied: as it is, but for a terminal,
    which gets each line as ``shown``. An empty file and an empty
    folder are replaced, another only if ``is_ours`` says so. Raises StorageError where it cannot be written; ``what``
    then says in words what is written.
    """
    given = Path(name)
    stream = is_stream(name)
    try:
        target = given if stream else link_target(given)
        if not stream:
            _refuse_to_replace(given, target, is_ours, what)
        folder = None if stream else target.parent
        with tempfile.TemporaryDirectory(prefix=".discox-", dir=folder, ignore_cleanup_errors=True) as beside:
            path = Path(beside) / ("output" if stream else target.name)
            yield path
            if stream:
                _copy(path, target, shown, to_output=name == "-")
                return
            if target.is_file():
                path.chmod(target.stat().st_mode & 0o777)
            elif target.is_dir():
                if not path.is_dir():
                    raise StorageError(f"{given}: is a folder; name a file in it")
                target.rmdir()
            os.replace(path, target)  # noqa: PTH105 - the pair of names reads best so
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        why = why_not(given, error)
        raise StorageError(f"{name}: cannot be written ({why}); choose another file") from None


def make_folder(name: str) -> None:
    """Make a folder that files are to be written into, if it is not there. Raises StorageError."""
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = why_not(Path(name), error)
        raise StorageError(f"{name}: is no folder, and none can be made there ({why}); choose another name") from None


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file that was written."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse_to_replace(given: Path, target: Path, is_ours: Callable[[Path], bool], what: str) -> None:
    if target.is_dir():
        if any(target.iterdir()):
            raise StorageError(f"{given}: is a folder that is not empty; choose another name")
    elif target.exists() and target.stat().st_size and not is_ours(target):
        raise StorageError(f"{given}: is there already and is no {what}; choose another name, or delete it")


def _copy(path: Path, target: Path, shown: Callable[[str], str], *, to_output: bool) -> None:
    if path.is_dir():
        raise StorageError("this is a folder of files, which cannot go to a stream; name a folder")
    sys.stdout.flush()
    with path.open("rb") as file, nullcontext(sys.stdout.buffer) if to_output else target.open("wb") as stream:
        if stream.isatty():
            for line in file:
                text = line.decode("utf-8", "replace").removesuffix("\n")
                stream.write(f"{shown(text)}\n".encode())
        else:
            shutil.copyfileobj(file, stream)
        stream.flush()
