"""Zip files from outside: opened only if no member is a bomb, stands twice, or would leave the archive."""

from __future__ import annotations

import re
import struct
import zipfile
from zlib import error as zlib_error

from storage.base.files import why_not
from storage.formats.io.input_file import AnyFile, InputFile, path_of
from storage.formats.io.lines import FormatError

FREE = 64 << 20
"""Bytes that any zip file may unpack to."""
RATIO = 200
"""Factor by which a larger file may grow when it is unpacked; text of this program packs to a twentieth at best."""
BROKEN = (
    *(zipfile.BadZipFile, zlib_error, EOFError, NotImplementedError, RuntimeError),
    *(OSError, struct.error, UnicodeDecodeError),
)
"""Errors of a member that is damaged, or packed in a way that is not known here."""

_LEAVES = re.compile(r"(^|[/\\])\.\.([/\\]|$)|^[/\\]|^[A-Za-z]:|\x00")


def is_zip(path: AnyFile) -> bool:
    """Tell if a file begins as a zip file does."""
    try:
        with path.open() if isinstance(path, InputFile) else path.open("rb") as file:
            return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except OSError:
        return False


def open_zip(path: AnyFile) -> zipfile.ZipFile:
    """Open a zip file for reading. Nothing of it is ever put on disk under its own name.

    Raises FormatError, naming the member, where it is damaged, encrypted, or not what an honest program packs.
    """
    try:
        opened = zipfile.ZipFile(path.open() if isinstance(path, InputFile) else path)
    except OSError as error:
        raise FormatError(
            f"{path}: cannot be read ({why_not(path_of(path), error)}); check its name and permissions"
        ) from None
    except (*BROKEN, ValueError) as error:
        raise FormatError(f"{path}: is no whole zip file ({error}); copy or download it again") from None
    try:
        _check(path, opened)
    except BaseException:
        opened.close()
        raise
    return opened


def _check(path: AnyFile, opened: zipfile.ZipFile) -> None:
    names: set[str] = set()
    for member in opened.infolist():
        name = member.orig_filename
        if _LEAVES.search(name):
            raise FormatError(f"{path}: {name!r}: leads out of the zip file; do not trust it, and ask for another")
        if member.filename in names:
            raise FormatError(f"{path}: {name!r}: stands in it twice; pack it again")
        if member.flag_bits & 1:
            raise FormatError(f"{path}: {name!r}: is encrypted; pack it again without a password")
        names.add(member.filename)
    size, packed = sum(member.file_size for member in opened.infolist()), path_of(path).stat().st_size
    if size > max(FREE, RATIO * packed):
        largest = max(opened.infolist(), key=lambda member: member.file_size)
        raise FormatError(
            f"{path}: {largest.filename!r}: would unpack to {size:,} bytes, more than {RATIO} times the zip file's "
            "size; it may be a zip bomb, and is not read"
        )
