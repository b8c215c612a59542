"""A user's file as lines of text: UTF-8 or a message that says what it is instead, never a wrong character."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from storage.base.errors import StorageError
from storage.base.files import dangling, why_not
from storage.formats.io.input_file import AnyFile, InputFile, path_of


class FormatError(StorageError):
    """A file that cannot be read as what it should be. One line: the file, what is wrong, how to mend it."""


UNDECODABLE = "\ufffd"
"""The text that stands for a line that is not UTF-8. No format reads it as a row."""


class _CutOff(str):
    """It, where the file ends within one of the line's characters."""

    __slots__ = ()


def not_utf8(line: str) -> tuple[str, str]:
    """Return why a line that is ``UNDECODABLE`` is, and how to mend it."""
    if isinstance(line, _CutOff):
        return "is cut off within a character: the file is not whole", "copy or download it again"
    return (
        "is not UTF-8 throughout (damaged, or in another encoding)",
        "mend the line, or save the file as UTF-8, and import it again",
    )


_BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_PACKED = (
    (b"PK\x03\x04", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh9", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
)
_SAMPLE = 1 << 16


def open_file(path: AnyFile) -> BinaryIO:
    """Open a file for reading, past a UTF-8 byte-order mark.

    Raises FormatError for a folder, a file that is missing, not readable or empty, for a zip file, and for UTF-16,
    UTF-32, GB18030, Big5 or an encoding with a byte for each letter as far as its beginning tells.
    """
    file = _open(path)
    try:
        sample = file.read(_SAMPLE)
        if not (isinstance(path, InputFile) and path.checked):
            _check(path, file, sample)
        if isinstance(path, InputFile):
            path.checked = True
        file.seek(len(codecs.BOM_UTF8) if sample.startswith(codecs.BOM_UTF8) else 0)
    except BaseException:
        file.close()
        raise
    return file


def _open(given: AnyFile) -> BinaryIO:
    path = path_of(given)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise FormatError(f"{path}: is a pipe or a device; name a file")
    try:
        return given.open() if isinstance(given, InputFile) else given.open("rb")
    except IsADirectoryError:
        raise FormatError(f"{path}: is a folder; name the files in it") from None
    except (OSError, ValueError) as error:
        if broken := dangling(path):
            raise FormatError(f"{path}: {broken}; mend the link, or name the file itself") from None
        if isinstance(error, FileNotFoundError):
            raise FormatError(f"{path}: there is no such file; check the name") from None
        raise FormatError(f"{path}: cannot be read ({why_not(path, error)}); check its permissions") from None


def _check(path: AnyFile, file: BinaryIO, sample: bytes) -> None:
    """Raise FormatError for a file that is open and read past its sample, where it cannot be text in UTF-8."""
    chunks = iter(lambda: file.read(_SAMPLE), b"")
    if not sample.strip(b" \t\r\n" + codecs.BOM_UTF8) and not any(chunk.strip() for chunk in chunks):
        raise FormatError(f"{path}: is empty; check that it was written or downloaded whole")
    if sample.startswith(b"%PDF-"):
        raise FormatError(
            f"{path}: is a PDF; save its text (“save as text” in a viewer, DOCX in Word, or pdftotext FILE.pdf), "
            "look whether its paragraphs are whole, and name that file"
        )
    if sample.startswith(b"version https://git-lfs.github.com/spec/"):
        raise FormatError(f"{path}: stands for a file that Git LFS keeps apart; fetch that (git lfs pull), and name it")
    if packed := next((name for magic, name in _PACKED if sample.startswith(magic)), ""):
        raise FormatError(f"{path}: is a {packed} file; unpack it, and name the file in it")
    if (name := _encoding(sample)) is not None:
        raise _other_encoding(path, name)


def read_lines(path: AnyFile) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, the line without its end). Lines end at LF or CRLF and at nothing else.

    The file is streamed. A line that is not UTF-8, such as one cut off within a character, is given as
    ``UNDECODABLE``. Raises FormatError where the file cannot be opened, is empty, or is in another encoding.
    """
    with open_file(path) as file:
        utf8_seen = False
        first = 1
        while lines := file.readlines(_SAMPLE):
            block = b"".join(lines)
            try:  # decoding many lines at once takes a fifth of the time
                texts = block.decode("utf-8").removesuffix("\n").split("\n")
                utf8_seen = utf8_seen or not block.isascii()
            except UnicodeDecodeError:
                for number, raw in enumerate(lines, first):
                    line = raw.removesuffix(b"\n").removesuffix(b"\r")
                    try:
                        text = line.decode("utf-8")
                    except UnicodeDecodeError as error:
                        if not utf8_seen and (name := _encoding(raw)) is not None:
                            raise _other_encoding(path, name) from None
                        whole = raw.endswith(b"\n") or error.reason != "unexpected end of data"
                        text = UNDECODABLE if whole else _CutOff(UNDECODABLE)
                    else:
                        utf8_seen = utf8_seen or not line.isascii()
                    yield number, text
            else:
                for number, text in enumerate(texts, first):
                    yield number, text.removesuffix("\r")
            first += len(lines)


def _encoding(sample: bytes) -> str | None:
    """The encoding that the bytes look like, or None for UTF-8 (or nothing that is known)."""
    for mark, name in _BOMS:
        if sample.startswith(mark):
            return name
    start = sample.lstrip(b"\r\n\t ")[:4]
    if len(start) > 1 and b"\0" in start[:2] and start[:2] != b"\0\0":
        return "UTF-16"
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return None
    wrong, right = _foreign(sample, "utf-8")
    if wrong <= right:  # UTF-8, be it damaged in places
        return None
    found = [name for name in _CHINESE if _fits(*_foreign(sample, name)) and _common(sample, name) >= _COMMON]
    chinese = max(found, key=lambda name: _common(sample, name), default=None)
    return chinese or (_A_BYTE_A_LETTER if right == 0 and _is_a_byte_a_letter(sample) else None)


_CHINESE = {"GB18030": ("gb2312", 0xB0, 0xD7), "BIG5": ("big5", 0xA4, 0xC6)}
"""Encodings of Chinese, and where each keeps common characters: the first bytes, of two. Most bytes fit both."""


_COMMON = 0.25
"""The share of common characters that Chinese has at least. “ö” and a letter after it are rare characters."""
_A_BYTE_A_LETTER = "ENCODING"
"""The name of all encodings with a byte for each letter; only who knows the language can tell them apart."""
_MARKS = {*"€‚„…‘’“”–—".encode("cp1252"), *range(0xA0, 0xC0)}
_OLDER = "an older encoding (WINDOWS-1252 of German or French, WINDOWS-1251 of Russian, WINDOWS-1256 of Arabic)"


def _is_a_byte_a_letter(sample: bytes) -> bool:
    """Tell if bytes beyond ASCII are those of letters (of Latin, Cyrillic, Greek, Arabic) and typographic marks."""
    beyond = [byte for byte in sample if byte > 0x7F]
    letters = sum(byte >= 0xC0 for byte in beyond)
    marks = sum(byte in _MARKS for byte in beyond)
    return letters >= max(_TELLING, marks) and letters + marks >= 0.9 * len(beyond)


def _fits(wrong: int, right: int) -> bool:
    return wrong <= right / 10 and right >= _TELLING


def _common(sample: bytes, encoding: str) -> float:
    """The share of common characters among those beyond ASCII that the bytes are in an encoding."""
    plain, first, last = _CHINESE[encoding]
    others = [character for character in sample.decode(encoding, "ignore") if character > "\x7f"]
    codes = [character.encode(plain, "ignore")[:1] for character in others]
    return sum(code != b"" and first <= code[0] <= last for code in codes) / max(1, len(others))


_TELLING = 4
"""Characters beyond ASCII: fewer are a damaged byte or two, and no sign of an encoding."""


def _foreign(sample: bytes, encoding: str) -> tuple[int, int]:
    """Return how many bytes are wrong in the encoding, and how many characters beyond ASCII it gives."""
    text = codecs.getincrementaldecoder(encoding)("surrogateescape").decode(sample)
    wrong = sum("\udc80" <= character <= "\udcff" for character in text)
    return wrong, sum(character > "\x7f" for character in text) - wrong


def _other_encoding(path: AnyFile, name: str) -> FormatError:
    like = _OLDER if name == _A_BYTE_A_LETTER else name
    return FormatError(
        f"{path}: looks like {like}, not UTF-8; convert it (iconv -f {name} -t UTF-8 OLD > NEW; on Windows open it in "
        "Notepad and save it as UTF-8, or in Excel as “CSV UTF-8”) and read the new file"
    )
