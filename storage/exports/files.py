"""Putting a file in its place whole or not at all, and never over anything that is not ours."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.errors import StorageError


def never(path: Path) -> bool:
    """Say of no file that it is ours."""
    return False


@contextmanager
def whole(name: str, is_ours: Callable[[Path], bool] = never, what: str = "file") -> Iterator[Path]:
    """``with whole(name) as path:`` write a file or folder at ``path``; it is then put at ``name``, or nothing is.

    ``-`` is standard output; to it, to a device or to a pipe what was written is copied. An empty file and an empty
    folder are replaced, another only if ``is_ours`` says so. Raises StorageError where it cannot be written; ``what``
    then says in words what is written.
    """
    given = Path(name)
    stream = name == "-" or (given.exists() and not given.is_file() and not given.is_dir())
    target = given.resolve() if given.is_symlink() and not stream else given
    try:
        if not stream:
            _refuse_to_replace(given, target, is_ours, what)
        folder = None if stream else target.parent
        with tempfile.TemporaryDirectory(prefix=".discox-", dir=folder, ignore_cleanup_errors=True) as beside:
            path = Path(beside) / ("output" if stream else target.name)
            yield path
            if stream:
                _copy(path, target, to_output=name == "-")
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
        why = getattr(error, "strerror", None) or str(error)
        raise StorageError(f"{name}: cannot be written ({why}); choose another file") from None


def _refuse_to_replace(given: Path, target: Path, is_ours: Callable[[Path], bool], what: str) -> None:
    if target.is_dir():
        if any(target.iterdir()):
            raise StorageError(f"{given}: is a folder that is not empty; choose another name")
    elif target.exists() and target.stat().st_size and not is_ours(target):
        raise StorageError(f"{given}: is there already and is no {what}; choose another name, or delete it")


def _copy(path: Path, target: Path, *, to_output: bool) -> None:
    if path.is_dir():
        raise StorageError("this is a folder of files, which cannot go to a stream; name a folder")
    with path.open("rb") as file:
        if to_output:
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        else:
            with target.open("wb") as stream:
                shutil.copyfileobj(file, stream)
