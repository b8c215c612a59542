"""A user's file, opened once however often it is read, and the checksum of what was read."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import BinaryIO, cast

_BUFFER = 1 << 16


class InputFile:
    """A file or folder that is read, for a ``with``. A file is opened when it is first read, and only then.

    ``str`` of it is its path, as messages say it. The file is closed with the ``with``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checked = False
        self._file: io.FileIO | None = None
        self._hash = hashlib.sha256()
        self._hashed = 0

    def __str__(self) -> str:
        return str(self.path)

    def __enter__(self) -> InputFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def name(self) -> str:
        """Its name without folders."""
        return self.path.name

    @property
    def stem(self) -> str:
        """Its name without folders and the last ending."""
        return self.path.stem

    def open(self) -> BinaryIO:
        """Return the file from its beginning, with a place of its own in it. Raises OSError."""
        if self._file is None:
            if self.path.exists() and not (self.path.is_file() or self.path.is_dir()):
                raise OSError(0, "is a pipe or a device, not a file")
            self._file = io.FileIO(self.path)
        return cast(BinaryIO, io.BufferedReader(_View(self), _BUFFER))

    def require(self) -> None:
        """Open the file, unless it is a folder. Raises OSError where it cannot be read."""
        if not self.path.is_dir():
            self.open().close()

    def read_into(self, buffer: memoryview, at: int) -> int:
        """Read what stands at a place of the file that is open; return how many bytes."""
        assert self._file is not None
        self._file.seek(at)
        read = self._file.readinto(buffer)
        if at <= self._hashed < at + read:
            self._hash.update(buffer[self._hashed - at : read])
            self._hashed = at + read
        return read

    def size(self) -> int:
        """Return how many bytes the file has that is open."""
        assert self._file is not None
        return self._file.seek(0, io.SEEK_END)

    def checksum(self) -> str:
        """Return the file's SHA-256; only what nobody has read is read for it.

        Of a folder it is that of the names and checksums of the files in it, in the order of the names. Raises OSError.
        """
        if self.path.is_dir():
            files = sorted(file for file in self.path.rglob("*") if file.is_file())
            listed = "".join(f"{_checksum(file)}  {file.relative_to(self.path).as_posix()}\n" for file in files)
            return hashlib.sha256(listed.encode(errors="surrogateescape")).hexdigest()
        with self.open() as file:
            file.seek(self._hashed)
            while file.read(_BUFFER):
                pass
        return self._hash.hexdigest()


def _checksum(path: Path) -> str:
    with InputFile(path) as file:
        return file.checksum()


AnyFile = Path | InputFile
"""File for the readers of lines, objects and tables: one opened once, or any other that lies beside it."""


def path_of(file: AnyFile) -> Path:
    """Return where a file lies."""
    return file.path if isinstance(file, InputFile) else file


class _View(io.RawIOBase):
    """A file from its beginning, beside others who read the same one."""

    def __init__(self, file: InputFile) -> None:
        self._input = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at}.get(whence, 0)
        if whence == io.SEEK_END:
            self._at += self._input.size()
        return self._at

    def readinto(self, buffer: object) -> int:
        read = self._input.read_into(memoryview(buffer), self._at)  # type: ignore[arg-type]
        self._at += read
        return read
