"""Text out of Office files (DOCX, XLSX): their XML read piece by piece, within limits, and obeyed in nothing."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import BinaryIO, NamedTuple, cast

from storage.formats.io.input_file import AnyFile
from storage.formats.io.lines import FormatError
from storage.formats.io.values import number as number_in
from storage.formats.io.xml_pieces import LARGEST, BrokenXml, Piece, pieces
from storage.formats.io.zips import BROKEN, open_zip

_AGAIN = "open it in the program that made it, and save it again"

# --- Word documents -------------------------------------------------------------------------------------------

DOCUMENT = "word/document.xml"
_BESIDE = frozenset(("moveFrom", "Fallback", "instrText", "delText", "rPh", "pPr", "rPr"))
"""Elements that hold no text of the document as it stands: moved away, deleted, said twice, or about its looks."""
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
TRACKED = "tracked changes"
NOTES = "footnotes or endnotes"
_TOLD = {"ins": TRACKED, "del": TRACKED, "moveFrom": TRACKED, "footnoteReference": NOTES, "endnoteReference": NOTES}


def docx_text(path: AnyFile) -> tuple[str, set[str]]:
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


class Sheet(NamedTuple):
    """A sheet of a workbook: its name, whether it is not shown, and its member of the zip file."""

    name: str
    hidden: bool
    member: str


class SheetRow(NamedTuple):
    """A row, numbered from 1, as texts; what is empty is "". ``told``: column → what its cell is here, if no text."""

    number: int
    cells: list[str]
    told: dict[int, str]


class Workbook:
    """A workbook that is open: its sheets in their order, and the rows of each. Memory holds its texts and one row."""

    def __init__(self, path: AnyFile, packed: zipfile.ZipFile) -> None:
        self._path, self._packed = path, packed
        self._since_1904 = False
        self.sheets = self._sheets()
        if not self.sheets:
            raise FormatError(f"{path}: has no sheet of cells; {_AGAIN}")
        names = packed.namelist()
        self._shared = list(_shared_strings(path, packed)) if _STRINGS in names else []
        self._dates = _date_styles(path, packed) if _STYLES in names else frozenset()

    def _sheets(self) -> list[Sheet]:
        found = []
        for piece in _pieces(self._path, self._packed, WORKBOOK):
            if piece.begins and piece.name == "sheet":
                found.append(piece.attributes)
            elif piece.begins and piece.name == "workbookPr":
                self._since_1904 = piece.attributes.get("date1904") in ("1", "true")
        targets = {
            piece.attributes.get("Id"): piece.attributes.get("Target", "")
            for piece in _pieces(self._path, self._packed, "xl/_rels/workbook.xml.rels")
            if piece.begins and piece.name == "Relationship"
        }
        sheets, names = [], set(self._packed.namelist())
        for number, attributes in enumerate(found, 1):
            target = targets.get(attributes.get("id", ""), "")
            member = str(PurePosixPath(target[1:] if target.startswith("/") else f"xl/{target}"))
            if target and member in names:
                hidden = attributes.get("state", "visible") != "visible"
                sheets.append(Sheet(attributes.get("name") or str(number), hidden, member))
        return sheets

    def rows(self, sheet: Sheet) -> Iterator[SheetRow]:
        """Yield the rows of a sheet that hold something. Dates are as ISO has them, other numbers as they are stored.

        Raises FormatError.
        """
        number, row, told, text = 0, dict[int, str](), dict[int, str](), list[str]()
        attributes, column, within = dict[str, str](), -1, 0
        for piece in _pieces(self._path, self._packed, sheet.member):
            if piece.name == "row":
                if piece.begins:
                    number = _whole(piece.attributes.get("r"), number + 1)
                    row, told = {}, {}
                    column = -1
                elif row:
                    yield SheetRow(number, [row.get(place, "") for place in range(max(row) + 1)], told)
            elif piece.name == "c" and piece.begins:
                column = _column(piece.attributes.get("r", ""), column + 1)
                attributes = piece.attributes
                text.clear()
            elif piece.name == "c":
                value = "".join(text)
                kind = attributes.get("t", "")
                if kind == "s":
                    place = _whole(value, -1)
                    if not 0 <= place < len(self._shared):
                        raise FormatError(
                            f"{self._path}: {sheet.member}: row {number}: names a text that is not there; {_AGAIN}"
                        )
                    row[column] = self._shared[place]
                elif value and kind == "e":
                    row[column], told[column] = "", f"is {value}, what a formula came to, and taken as empty"
                elif value and kind == "b":
                    row[column], told[column] = ("TRUE" if value == "1" else "FALSE"), "is a truth value, not a text"
                elif value and kind in ("", "n") and attributes.get("s") in self._dates and (date := self._date(value)):
                    row[column], told[column] = date, "is a date, not a text"
                elif value:
                    row[column] = _unescaped(value) if kind in ("inlineStr", "str") else value
            elif piece.name in ("f", "rPh"):  # a formula, whose value stands beside it
                within += 1 if piece.begins else -1
            elif piece.text and not within:
                text.append(piece.text)

    def _date(self, value: str) -> str:
        """A number of days as a date, a time, or both; "" for what is none."""
        days = number_in(value)
        if days is None or not 0 <= days < _LAST_DAY:
            return ""
        first = datetime(1904, 1, 1) if self._since_1904 else datetime(1899, 12, 30 if days >= 60 else 31)
        at = first + timedelta(seconds=round(days * 86_400))
        if days < 1:
            return at.time().isoformat()
        return at.date().isoformat() if days.is_integer() else at.isoformat()


_LAST_DAY = 2_958_466
"""The days up to the end of the year 9999."""
_STYLES = "xl/styles.xml"
_DATE_FORMATS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""The numbers of formats of dates and times that are not written out in a workbook."""
_NOT_OF_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
"""Parts of a format that stand for themselves, for a colour or for a blank."""


def _date_styles(path: AnyFile, packed: zipfile.ZipFile) -> frozenset[str]:
    """The styles of cells that show a number as a date."""
    formats = set(map(str, _DATE_FORMATS))
    found: set[str] = set()
    at, within = 0, False
    for piece in _pieces(path, packed, _STYLES):
        if piece.begins and piece.name == "numFmt":
            code = _NOT_OF_DATE.sub("", piece.attributes.get("formatCode", ""))
            if re.search("[ymdhs]", code, re.IGNORECASE):
                formats.add(piece.attributes.get("numFmtId", ""))
        elif piece.name == "cellXfs":
            within = piece.begins
        elif within and piece.begins and piece.name == "xf":
            if piece.attributes.get("numFmtId") in formats:
                found.add(str(at))
            at += 1
    return frozenset(found)


@contextmanager
def open_workbook(path: AnyFile) -> Iterator[Workbook]:
    """``with open_workbook(path) as book:`` the workbook. Raises FormatError."""
    with closing(open_zip(path)) as packed:
        yield Workbook(path, packed)


def is_office(path: AnyFile, member: str) -> bool:
    """Tell if a zip file is a workbook, or a Word document: has this member."""
    try:
        with closing(open_zip(path)) as packed:
            return member in packed.namelist()
    except FormatError:
        return False


def _shared_strings(path: AnyFile, packed: zipfile.ZipFile) -> Iterator[str]:
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
    """Return what Excel writes as ``_x000D_`` is the character of that code; of line ends there is one."""
    if "_x" not in text:
        return text
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # two halves are one character


# --- XML ------------------------------------------------------------------------------------------------------


def _pieces(path: AnyFile, packed: zipfile.ZipFile, member: str) -> Iterator[Piece]:
    """Yield the elements and texts of a member in their order; memory holds some of them."""

    def refuse(reason: str) -> FormatError:
        return FormatError(f"{path}: {member}: {reason}; {_AGAIN}")

    try:
        if packed.getinfo(member).file_size > LARGEST:
            raise FormatError(f"{path}: {member}: has more than {LARGEST >> 20} MB; cut the file into smaller ones")
        with packed.open(member) as file:
            yield from pieces(cast(BinaryIO, file), refuse)
    except KeyError:
        raise FormatError(f"{path}: has no {member}, so it is none of what can be read here; {_AGAIN}") from None
    except BrokenXml as error:
        raise refuse(str(error)) from None
    except BROKEN as error:
        raise refuse(f"is damaged ({error})") from None
