"""The files of an open library: told apart from others that were put in their place, emptied, moved or taken away.

SQLite goes on writing to a file that has been deleted, and takes another that was copied over it for its own. So every
transaction asks here, before it begins and before it is committed. Nothing is opened for it but the ``-shm``, once for
all connections of the program: to close a file releases the locks that SQLite has on it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple, TypeVar

from storage.errors import StorageError

Seen = TypeVar("Seen")

FileId = tuple[int, int]
"""Device and inode."""

Trouble = Literal["missing", "unreachable", "replaced", "emptied", "overwritten", "journal missing", "journal replaced"]

_SAID: dict[Trouble, str] = {
    "missing": "is no longer there: it was deleted or moved, or its folder renamed",
    "unreachable": "cannot be reached any more (was its drive disconnected, or its folder closed to you?)",
    "replaced": "another file was put in its place, as synchronizing programs do",
    "emptied": "was emptied by another program",
    "overwritten": "was overwritten by another program",
    "journal missing": "what SQLite keeps beside it (-wal, -shm) was deleted or moved",
    "journal replaced": "what SQLite keeps beside it (-wal, -shm) was replaced or cut short by another program",
}

FOREIGN: frozenset[Trouble] = frozenset(("emptied", "overwritten"))
"""Where the file that is read is no longer the library, so that nothing of it can be saved."""


class LibraryLost(StorageError):
    """The open library is no longer the file at its path. ``trouble`` says in which way."""

    def __init__(self, path: Path, trouble: Trouble) -> None:
        super().__init__(f"{path}: {_SAID[trouble]}; this was not stored, and what is there now is left as it is")
        self.trouble: Trouble = trouble


class _Index(NamedTuple):
    """What SQLite's ``-shm`` says (sqlite.org/walformat.html): of which journal, how long it is, how much of it is
    copied into the library, and how much is being copied."""

    page_size: int
    frames: int
    salt: bytes
    copied: int
    copying: int

    def copied_since(self, before: _Index) -> bool:
        """Whether SQLite may have written to the library after ``before``."""
        ways = [(each.salt, each.copied, each.copying) for each in (self, before)]
        return ways[0] != ways[1] or before.copied != before.copying

    @property
    def length(self) -> int:
        """The bytes that the journal has at least."""
        return 32 + self.frames * (24 + self.page_size) if self.frames else 0


@dataclass(frozen=True, slots=True)
class _Look:
    """The library's file, and the journal's index, as they were at one moment."""

    file: tuple[int, int]  # its bytes, and when they were last written
    index: _Index


class _Shared:
    """What all connections of this program to one library have in common. ``wrote``: any of them stored something."""

    def __init__(self) -> None:
        self.connections = 0
        self.index: int | None = None
        self.wrote = False


_shared: dict[Path, _Shared] = {}
_lock = Lock()


class LibraryFile:
    """The files that one connection has open. Made before it is opened, released after it is closed."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow a link, which may turn elsewhere
        self.real = Path(os.path.realpath(path))
        self._wal, self._shm = Path(f"{self.real}-wal"), Path(f"{self.real}-shm")
        self.id: FileId = (0, 0)
        self.kept: Path | None = None
        """The journal of a library that was replaced, out of the way of the file that is there now."""
        self._shown = path
        self._beside: dict[Path, FileId] = {}
        self._last: _Look | None = None
        with _lock:
            self._shared = _shared.setdefault(self.real, _Shared())
            self._shared.connections += 1

    def release(self) -> None:
        """Let go of what is held for the connection, which must be closed."""
        with _lock:
            self._shared.connections -= 1
            if not self._shared.connections:
                if self._shared.index is not None:
                    os.close(self._shared.index)
                _shared.pop(self.real, None)

    def now(self) -> FileId:
        """Which file is at the path now; (0, 0): none that can be reached."""
        try:
            return _id(self.path.stat())
        except OSError:
            return 0, 0

    @property
    def wrote(self) -> bool:
        """Whether this program has stored something in the library."""
        return self._shared.wrote

    def note_saved(self) -> None:
        """Note that all that was stored is saved elsewhere, or is to go."""
        self._shared.wrote = False

    def note_commit(self) -> None:
        """Note that something was stored, by which SQLite may have begun its journal anew, or copied from it."""
        self._shared.wrote = True
        with suppress(OSError):
            self._of_content()

    def note(self, *, shared: bool = True) -> None:
        """Note which files are there, once SQLite has opened them. Raises OSError.

        ``shared``: it is used together with other programs, by way of the ``-shm``.
        """
        self.id = _id(self.path.stat())
        for beside in (self._wal, self._shm) if shared else ():
            with suppress(FileNotFoundError):
                self._beside[beside] = _id(beside.stat())
        if self._shm not in self._beside or not hasattr(os, "pread"):
            return  # Windows lets nobody delete or replace what is open
        with _lock:
            if self._shared.index is None:
                self._shared.index = os.open(self._shm, os.O_RDONLY | os.O_CLOEXEC)
        found = self._still(lambda: _signature(self.real.stat()))
        self._last = _Look(*found) if found else None

    # --- looking ---

    def check(self) -> None:
        """Raise LibraryLost if the library is not what is at its path any more."""
        if trouble := self.trouble():
            self._set_aside(trouble)
            raise LibraryLost(self._shown, trouble)

    def trouble(self) -> Trouble | None:
        """In which way the library is not what is at its path any more; None: it is."""
        try:
            at_path = self.path.stat()
            if _id(at_path) != self.id:
                return "replaced"
            return self._of_content() or self._of_journal()
        except (FileNotFoundError, NotADirectoryError):
            return "missing"
        except OSError:
            return "unreachable"

    def _of_content(self) -> Trouble | None:
        """Whether anything but SQLite has written to the file.

        SQLite writes to it only to copy from its journal, and says first in the index that it does.
        """
        if self._last is None:
            return None
        found = self._still(lambda: _signature(self.real.stat()))
        if found is None:
            return None  # programs are busy with it; the next look will tell
        before, now = self._last, _Look(*found)
        if not now.file[0]:
            return "emptied"
        if now.file != before.file and not now.index.copied_since(before.index):
            return "overwritten"
        self._last = now
        return None

    def _of_journal(self) -> Trouble | None:
        """Whether the files beside it are those that were opened, and the journal holds all that it should."""
        for name, known in self._beside.items():
            try:
                if _id(name.stat()) != known:
                    return "journal replaced"
            except FileNotFoundError:
                return "journal missing"
        if self._last is not None:
            found = self._still(lambda: self._wal.stat().st_size)
            if found is not None and found[0] < found[1].length:
                return "journal replaced"
        return None

    def _still(self, look: Callable[[], Seen]) -> tuple[Seen, _Index] | None:
        """What ``look`` returns, and the index that it goes with; None where programs keep writing."""
        for _ in range(100):
            before, seen, after = self._index(), look(), self._index()
            if before == after:
                return seen, after
        return None

    def _index(self) -> _Index:
        assert self._shared.index is not None
        data = os.pread(self._shared.index, 136, 0).ljust(136, b"\0")
        size, frames = struct.unpack_from("=14xHI", data)
        copied, copying = struct.unpack_from("=I28xI", data, 96)
        return _Index(65536 if size == 1 else size, frames, data[32:40], copied, copying)

    # --- keeping what was put there as it is ---

    @property
    def may_be_closed(self) -> bool:
        """Whether SQLite may close the library: it then copies its journal into what it takes for the library.

        It asks by itself whether another file is at the path, but not whether the one that is there was overwritten.
        """
        with suppress(OSError):
            if _id(self.real.stat()) == self.id:
                return self._of_content() is None and self._of_journal() in (None, "journal missing")
        return True

    def _set_aside(self, trouble: Trouble) -> None:
        """Take our journal away from beside the file that is there now: SQLite would take it for that one's."""
        with suppress(OSError):  # nothing is there
            if trouble in FOREIGN or _id(self.real.stat()) != self.id:  # else a link leads elsewhere
                self._take_away()

    def _take_away(self) -> None:
        with suppress(OSError):
            if _id(self._wal.stat()) == self._beside.get(self._wal) and self._is_our_journal():
                if self._wal.stat().st_size:
                    self.kept = free_name(self._wal, "kept")
                    self._wal.rename(self.kept)
                else:
                    self._wal.unlink()
        with suppress(OSError):
            if _id(self._shm.stat()) == self._beside.get(self._shm):
                self._shm.unlink()

    def forget_journal(self) -> None:
        """Delete our journal, if the library is lost: all that it holds is saved elsewhere."""
        try:
            if _id(self.real.stat()) == self.id:
                return
        except FileNotFoundError:
            self._take_away()
        except OSError:
            return
        if self.kept is not None:
            with suppress(OSError):
                self.kept.unlink()
            self.kept = None

    def _is_our_journal(self) -> bool:
        if self._shared.index is None:
            return True
        with self._wal.open("rb") as file:
            head = file.read(32)
        return len(head) < 32 or head[16:24] == self._index().salt


def free_name(path: Path, word: str, folder: Path | None = None) -> Path:
    """A name that no file has: the path's with a word and the time (``library-saved-20261130-094512.db``)."""
    folder = folder or path.parent
    stem = f"{path.stem}-{word}-{datetime.now():%Y%m%d-%H%M%S}"
    found, count = folder / f"{stem}{path.suffix}", 1
    while found.exists():
        count += 1
        found = folder / f"{stem}-{count}{path.suffix}"
    return found


def _id(stat: os.stat_result) -> FileId:
    return stat.st_dev, stat.st_ino


def _signature(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_size, stat.st_mtime_ns
