"""Text out of Office files (DOCX, XLSX): their XML read piece by piece, within limits, and obeyed in nothing."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from xml.parsers import expat

from storage.formats.lines import FormatError
from storage.formats.zips import BROKEN, open_zip

LARGEST = 256 << 20
"""Bytes of XML that are read of one member."""
_CHUNK = 1 << 16
_AGAIN = "open it in the program that made it, and save it again"


class Piece(NamedTuple):
    """The beginning of an element, its end, or text. ``name`` is without its namespace, "" for text."""

    begins: bool
    name: str
    attributes: dict[str, str]
    text: str


# --- Word documents -------------------------------------------------------------------------------------------

DOCUMENT = "word/document.xml"
_BESIDE = frozenset(("moveFrom", "Fallback", "instrText", "delText", "rPh", "pPr", "rPr"))
"""What holds no text of the document as it stands: moved away, deleted, said twice, or about its looks."""
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
TRACKED = "tracked changes"
NOTES = "footnotes or endnotes"
_TOLD = {"ins": TRACKED, "del": TRACKED, "moveFrom": TRACKED, "footnoteReference": NOTES, "endnoteReference": NOTES}


def docx_text(path: Path) -> tuple[str, set[str]]:
    """Return a Word document's text, a line for each paragraph, and which of `TRACKED` and `NOTES` it has.

    Tracked changes count as accepted; headers, footers, notes and comments are left out. Raises FormatError.
    """
    lines: list[str] = []
    open_paragraphs: list[list[str]] = []
    told: set[str] = set()
    with closing(open_zip(path)) as packed:
        within = 0
        for piece in _pieces(path, packed, DOCUMENT):
            if piece.name in _BESIDE:
                within += 1 if piece.begins else -1
            if piece.begins and piece.name in _TOLD:
                told.add(_TOLD[piece.name])
            if within and piece.name not in _TOLD:
                continue
            if piece.name == "p" and piece.begins:
                open_paragraphs.append([])
            elif piece.name == "p" and open_paragraphs:
                lines.append("".join(open_paragraphs.pop()))
            elif piece.begins and piece.name in _SIGNS and open_paragraphs:
                open_paragraphs[-1].append(_SIGNS[piece.name])
            elif piece.text and open_paragraphs:
                open_paragraphs[-1].append(piece.text)
    return "\n".join(lines), told


# --- Workbooks ------------------------------------------------------------------------------------------------

WORKBOOK = "xl/workbook.xml"
_STRINGS = "xl/sharedStrings.xml"
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def first_sheet(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a workbook's first sheet, each with its number, as texts; what is empty is "".

    Memory holds the workbook's table of texts and one row. Numbers are as they are stored. Raises FormatError.
    """
    with closing(open_zip(path)) as packed:
        sheet = _first_sheet_name(path, packed)
        shared = list(_shared_strings(path, packed)) if _STRINGS in packed.namelist() else []
        yield from _rows(path, packed, sheet, shared)


def _first_sheet_name(path: Path, packed: zipfile.ZipFile) -> str:
    sheets = [
        piece.attributes.get("id", "")
        for piece in _pieces(path, packed, WORKBOOK)
        if piece.begins and piece.name == "sheet"
    ]
    targets = {
        piece.attributes.get("Id"): piece.attributes.get("Target", "")
        for piece in _pieces(path, packed, "xl/_rels/workbook.xml.rels")
        if piece.begins and piece.name == "Relationship"
    }
    target = targets.get(sheets[0], "") if sheets else ""
    name = str(PurePosixPath(target[1:] if target.startswith("/") else f"xl/{target}"))
    if not target or name not in packed.namelist():
        raise FormatError(f"{path}: has no sheet of cells; {_AGAIN}")
    return name


def _shared_strings(path: Path, packed: zipfile.ZipFile) -> Iterator[str]:
    text: list[str] = []
    within = 0
    for piece in _pieces(path, packed, _STRINGS):
        if piece.name == "rPh":  # how Chinese or Japanese is read aloud
            within += 1 if piece.begins else -1
        elif piece.name == "si" and not piece.begins:
            yield _unescaped("".join(text))
            text.clear()
        elif piece.text and not within:
            text.append(piece.text)


def _rows(path: Path, packed: zipfile.ZipFile, sheet: str, shared: list[str]) -> Iterator[tuple[int, list[str]]]:
    number, row, text = 0, dict[int, str](), list[str]()
    kind, column, within = "", -1, 0
    for piece in _pieces(path, packed, sheet):
        if piece.name == "row":
            if piece.begins:
                number = _whole(piece.attributes.get("r"), number + 1)
                row.clear()
                column = -1
            elif row:
                yield number, [row.get(place, "") for place in range(max(row) + 1)]
        elif piece.name == "c" and piece.begins:
            column = _column(piece.attributes.get("r", ""), column + 1)
            kind = piece.attributes.get("t", "")
            text.clear()
        elif piece.name == "c":
            value = "".join(text)
            if kind == "s":
                place = _whole(value, -1)
                if not 0 <= place < len(shared):
                    raise FormatError(f"{path}: {sheet}: row {number}: names a text that is not there; {_AGAIN}")
                row[column] = shared[place]
            elif value:
                row[column] = _unescaped(value) if kind in ("inlineStr", "str") else value
        elif piece.name in ("f", "rPh"):  # a formula, whose value stands beside it
            within += 1 if piece.begins else -1
        elif piece.text and not within:
            text.append(piece.text)


def _column(reference: str, otherwise: int) -> int:
    """The number, from 0, of a cell like ``AB12``."""
    letters = reference.rstrip("0123456789")
    if not re.fullmatch("[A-Z]{1,3}", letters):
        return otherwise
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def _unescaped(text: str) -> str:
    """What Excel writes as ``_x000D_`` is the character of that code."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


# --- XML ------------------------------------------------------------------------------------------------------


def _pieces(path: Path, packed: zipfile.ZipFile, member: str) -> Iterator[Piece]:
    """Yield the elements and texts of a member in their order; memory holds some of them."""
    found: list[Piece] = []

    def refuse(*_: object) -> None:
        raise FormatError(f"{path}: {member}: declares a document type, as no office program writes; {_AGAIN}")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, attributes: found.append(
        Piece(True, _local(name), {_local(key): value for key, value in attributes.items()}, "")
    )
    parser.EndElementHandler = lambda name: found.append(Piece(False, _local(name), {}, ""))
    parser.CharacterDataHandler = lambda text: found.append(Piece(False, "", {}, text))
    try:
        if packed.getinfo(member).file_size > LARGEST:
            raise FormatError(f"{path}: {member}: has more than {LARGEST >> 20} MB; cut the file into smaller ones")
        with packed.open(member) as file:
            while chunk := file.read(_CHUNK):
                parser.Parse(chunk, False)
                yield from found
                found.clear()
            parser.Parse(b"", True)
        yield from found
    except KeyError:
        raise FormatError(f"{path}: has no {member}, so it is none of what can be read here; {_AGAIN}") from None
    except expat.ExpatError as error:
        raise FormatError(f"{path}: {member}: is broken at line {error.lineno} ({error}); {_AGAIN}") from None
    except BROKEN as error:
        raise FormatError(f"{path}: {member}: is damaged ({error}); {_AGAIN}") from None


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
