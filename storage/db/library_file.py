"""The files of an open library: told apart from others that were put in their place, emptied, moved or taken away.

SQLite goes on writing to a file that has been deleted, and takes another that was copied over it for its own. So every
transaction asks here, before it begins and before it is committed. Nothing is opened for it but the ``-shm``, once for
all connections of the program: to close a file releases the locks that SQLite has on it.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple

from storage.base.errors import StorageError

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
"""The losses after which the open file is no longer the library, so that nothing of it can be saved."""


class LibraryLost(StorageError):
    """The open library is no longer the file at its path. ``trouble`` says in which way."""

    def __init__(self, path: Path, trouble: Trouble) -> None:
        super().__init__(f"{path}: {_SAID[trouble]}; this was not stored, and what is there now is left as it is")
        self.trouble: Trouble = trouble


class _Index(bytes):
    """The state in SQLite's ``-shm`` (sqlite.org/walformat.html): its header, how much of the journal is copied to the
    library, and how much is being copied."""

    @property
    def salt(self) -> bytes:
        """The salt of its journal, another one each time that the journal is begun anew."""
        return self[32:40]

    @property
    def copying(self) -> bytes:
        """The part that changes before SQLite writes to the library."""
        return self[32:40] + self[48:56]

    def copied_since(self, before: _Index) -> bool:
        """Tell if SQLite may have written to the library after ``before``."""
        return self.copying != before.copying or before[48:52] != before[52:56]

    @property
    def length(self) -> int:
        """The bytes that the journal has at least."""
        page_size, frames = struct.unpack_from("=14xHI", self)
        return 32 + frames * (24 + (65536 if page_size == 1 else page_size)) if frames else 0


class _Look(NamedTuple):
    """The library's bytes, when they were last written, and the journal's index, at one moment."""

    size: int
    at: int
    journal: _Index


class _Shared:
    """The state that all connections of this program to one library share.

    ``indexes``: the open ``-shm``, of which there are several once one was deleted; ``wrote``: something was stored.
    """

    def __init__(self) -> None:
        self.connections = 0
        self.indexes: dict[FileId, int] = {}
        self.wrote = False


_shared: dict[Path, _Shared] = {}
_lock = Lock()


class LibraryFile:
    """The files that one connection has open. Made before it is opened, released after it is closed."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow a link, which may turn elsewhere
        self.real = Path(os.path.realpath(path))
        self.id: FileId = (0, 0)
        self.kept: Path | None = None
        """The journal of a library that was replaced, out of the way of the file that is there now."""
        self._wal, self._shm = Path(f"{self.real}-wal"), Path(f"{self.real}-shm")
        self._shown = path
        self._beside: dict[str, FileId] = {}
        self._open_index: int | None = None
        self._last: _Look | None = None
        with _lock:
            self._shared = _shared.setdefault(self.real, _Shared())
            self._shared.connections += 1

    def release(self) -> None:
        """Let go of what is held for the connection, which must be closed."""
        with _lock:
            self._shared.connections -= 1
            if not self._shared.connections:
                for index in self._shared.indexes.values():
                    os.close(index)
                _shared.pop(self.real, None)

    def now(self) -> FileId:
        """Return the id of the file at the path now; (0, 0): none that can be reached."""
        try:
            return _id(_stat(self.path))
        except OSError:
            return 0, 0

    @property
    def wrote(self) -> bool:
        """True if this program has stored something in the library."""
        return self._shared.wrote

    def note_saved(self) -> None:
        """Note that all that was stored is saved elsewhere, or is to go."""
        self._shared.wrote = False

    def note_commit(self) -> None:
        """Note that something was stored, by which SQLite may have begun its journal anew, or copied from it."""
        self._shared.wrote = True
        self._trouble(self.real)

    def note(self, *, shared: bool = True) -> None:
        """Note which files are there, once SQLite has opened them. Raises OSError.

        ``shared``: it is used together with other programs, by way of the ``-shm``.
        """
        self.id = _id(_stat(self.path))
        for beside in (self._wal, self._shm) if shared else ():
            with suppress(FileNotFoundError):
                self._beside[str(beside)] = _id(_stat(beside))
        if len(self._beside) < 2 or not hasattr(os, "pread"):
            return  # Windows lets nobody delete or replace what is open
        key = self._beside[str(self._shm)]
        with _lock:
            if key not in self._shared.indexes:
                self._shared.indexes[key] = os.open(self._shm, os.O_RDONLY | os.O_CLOEXEC)
            self._open_index = self._shared.indexes[key]
        self._trouble(self.real)

    # --- looking ---

    def check(self) -> None:
        """Raise LibraryLost if the library is not what is at its path any more."""
        if trouble := self.trouble():
            self._set_aside(trouble)
            raise LibraryLost(self._shown, trouble)

    def trouble(self) -> Trouble | None:
        """Return in which way the library is not what is at its path any more; None: it is."""
        return self._trouble(self.path)

    def _trouble(self, path: Path) -> Trouble | None:
        try:
            for _ in range(100):  # until no program writes while one looks, so that all is of one moment
                index = self._index()
                there = _stat(path)
                if _id(there) != self.id:
                    return "replaced"
                beside = [(_found(name), known) for name, known in self._beside.items()]
                if index == self._index():
                    break
        except (FileNotFoundError, NotADirectoryError):
            return "missing"
        except OSError:
            return "unreachable"
        if index is not None:
            now = _Look(there.st_size, there.st_mtime_ns, index)
            if trouble := self._of_content(now):
                return trouble
            self._last = now
        for found, known in beside:
            if found is None:
                return "journal missing"
            if _id(found) != known:
                return "journal replaced"
        if index is not None and beside[0][0] is not None and beside[0][0].st_size < index.length:
            return "journal replaced"
        return None

    def _of_content(self, now: _Look) -> Trouble | None:
        """Tell if anything but SQLite has written to the file since the last look.

        SQLite writes to it only to copy from its journal, and says first in the index that it does.
        """
        if not now.size:
            return "emptied"
        before = self._last
        if before is None or now[:2] == before[:2] or now.journal.copied_since(before.journal):
            return None
        return "overwritten"

    def _index(self) -> _Index | None:
        if self._open_index is None:
            return None
        data = os.pread(self._open_index, 136, 0).ljust(136, b"\0")
        return _Index(data[:48] + data[96:100] + data[128:132])

    # --- keeping what was put there as it is ---

    @property
    def may_be_closed(self) -> bool:
        """True if SQLite may close the library: it then copies its journal into what it takes for the library.

        It asks by itself whether another file is at the path, but not whether the one that is there was overwritten.
        """
        return self._trouble(self.real) not in (*FOREIGN, "journal replaced")

    def _is_at_its_place(self) -> bool:
        return _id(_stat(self.real)) == self.id

    def _set_aside(self, trouble: Trouble) -> None:
        """Take our journal away from beside the file that is there now: SQLite would take it for that one's."""
        with suppress(OSError):  # nothing is there
            if trouble in FOREIGN or not self._is_at_its_place():  # else a link leads elsewhere
                self._take_away()

    def _take_away(self) -> None:
        with suppress(OSError):
            if self._is_ours(self._wal) and self._is_our_journal():
                if _stat(self._wal).st_size:
                    self.kept = free_name(self._wal, "kept")
                    self._wal.rename(self.kept)
                else:
                    self._wal.unlink()
        with suppress(OSError):
            if self._is_ours(self._shm):
                self._shm.unlink()

    def _is_ours(self, beside: Path) -> bool:
        return _id(_stat(beside)) == self._beside.get(str(beside))

    def _is_our_journal(self) -> bool:
        """Tell if its content is still ours."""
        with self._wal.open("rb") as file:
            head = file.read(32)
        index = self._index()
        return index is None or len(head) < 32 or head[16:24] == index.salt

    def forget_journal(self) -> None:
        """Delete our journal, if the library is lost: all that it holds is saved elsewhere."""
        try:
            if self._is_at_its_place():
                return
        except FileNotFoundError:
            self._take_away()
        except OSError:
            return
        if self.kept is not None:
            with suppress(OSError):
                self.kept.unlink()
            self.kept = None


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


def _stat(path: Path | str) -> os.stat_result:
    return os.stat(path)  # noqa: PTH116 - before each act; a Path's own takes half as long again


def _found(path: str) -> os.stat_result | None:
    try:
        return _stat(path)
    except FileNotFoundError:
        return None
