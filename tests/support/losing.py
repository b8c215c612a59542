"""Every way in which a library's files are taken away from under a program that has it open."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from storage.reviews.review_log import ReviewLog
from tests.support import builders


def another(folder: Path) -> Path:
    """Another library, somewhat like the one that it is put in the place of, with a verdict of somebody else's."""
    path = folder / "another.db"
    connection, (first, _) = builders.two_evaluations(path)
    with closing(connection):
        ReviewLog(connection, "zoe").set_state(first, "done")
    return path


def copy_of(path: Path) -> Path:
    """The library as it was before it was opened, without what waits in its journal: a colleague's copy, a backup."""
    return path.with_name("copy.db")


def rename_over(path: Path) -> None:
    another(path.parent).replace(path)


def rename_copy_over(path: Path) -> None:
    copy_of(path).replace(path)


def write_over(path: Path) -> None:
    shutil.copyfile(another(path.parent), path)


def write_copy_over(path: Path) -> None:
    shutil.copyfile(copy_of(path), path)


def write_noise_over(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def turn_link(path: Path) -> None:
    """What is at the path becomes a link to another library."""
    path.unlink()
    path.symlink_to(another(path.parent))


def delete(path: Path) -> None:
    path.unlink()


def delete_all(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def empty(path: Path) -> None:
    os.truncate(path, 0)


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def rename_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("renamed"))


def delete_journal(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def delete_index(path: Path) -> None:
    Path(f"{path}-shm").unlink()


def replace_journal(path: Path) -> None:
    shutil.copyfile(f"{path}-wal", f"{path}-other")
    Path(f"{path}-other").replace(f"{path}-wal")


def empty_journal(path: Path) -> None:
    os.truncate(f"{path}-wal", 0)


Way = Callable[[Path], None]

READABLE: tuple[Way, ...] = (
    *(rename_over, rename_copy_over, turn_link, delete, delete_all, move, rename_folder),
    *(delete_journal, delete_index, replace_journal),
)
"""After these all can be saved."""
UNREADABLE: tuple[Way, ...] = (write_over, write_copy_over, write_noise_over, empty, cut_short)
"""After these only what is in memory can."""
REPLACED: tuple[Way, ...] = (rename_over, rename_copy_over, turn_link, *UNREADABLE)
"""After these there is something at the path that is to be left as it is."""


def name_of(way: Way) -> str:
    return way.__name__
