"""Files that are in none of the formats, known by their beginning: what they are, and what to make of them."""

from __future__ import annotations

import re
from contextlib import closing
from itertools import islice

from storage.formats.io.head import Head
from storage.formats.io.lines import FormatError, read_lines
from storage.formats.io.xml_pieces import root_of
from storage.formats.io.zips import open_zip

_LOOKED_AT = 50
"""Lines of a file that are looked at for what it is."""
_BEGINNING = 1 << 16
_PAIR = "discox import pair SOURCE TRANSLATION takes two texts, plain or DOCX"
_XLIFF = "export it from there as XLIFF, TMX or a table of two columns"
_KINDS = (
    (
        re.compile(r'\s*(#.*\n\s*)*(msgctxt\s+".*\n)?msgid\s+"'),
        f"a gettext catalogue (PO); make it XLIFF (po2xliff OLD.po NEW.xlf of the Translate Toolkit), or {_XLIFF}",
    ),
    (re.compile(r"\s*\{\\rtf"), f"RTF; save it as DOCX or plain text: {_PAIR}"),
    (re.compile(r"\s*(WEBVTT|\d+\s*\n\d\d:\d\d:\d\d[,.]\d+ -->)"), f"subtitles; save each language's text: {_PAIR}"),
    (re.compile(r"\s*<(!doctype\s+)?html", re.IGNORECASE), f"HTML; save its text as plain text or DOCX: {_PAIR}"),
)
_PACKED = (
    (re.compile(r".*\.(sdlxliff|mqxliff|mxliff|xlf|xliff|tmx)$", re.IGNORECASE), "unpack it, and name {name}"),
    (re.compile(r"(word|xl)/"), "save it as DOCX or XLSX in the program that made it"),
    (re.compile(r"ppt/"), f"is of slides; save their text: {_PAIR}"),
    (re.compile(r"content\.xml$"), f"is an OpenDocument file; save it as XLSX, or as DOCX: {_PAIR}"),
    (re.compile(r"designmap\.xml$"), f"is of InDesign; {_XLIFF}"),
)


def told_otherwise(head: Head) -> str:
    """Return what a file is that no format reads, and which one is the nearest, in words; "" where that is not known.

    A FormatError of the file itself is not raised.
    """
    try:
        if head.is_folder:
            return ""
        if head.is_zip:
            return _packed(head)
        with head.file.open() as file:
            root = root_of(file.read(_BEGINNING))
        text = "\n".join(line for _, line in islice(read_lines(head.file), _LOOKED_AT))
    except (FormatError, OSError):
        return ""
    for pattern, what in _KINDS:
        if pattern.match(text):
            return f"is {what}"
    if root:
        return f"is XML of another kind (<{root[:40]}>): of XML, XLIFF and TMX are read; {_XLIFF}"
    if len(text.split()) > 1 and not head.is_json and not any(mark in text for mark in '\t,;{}[]\0\ufffd"'):
        return f"is none of the formats that can be read, and plain text as it seems; {_PAIR}"
    return ""


def _packed(head: Head) -> str:
    with closing(open_zip(head.file)) as packed:
        names = packed.namelist()
    for pattern, what in _PACKED:
        if name := next((name for name in names if pattern.match(name)), ""):
            said = what.format(name=name[:80])
            return said if said.startswith("is ") else f"is a package with {name[:80]} in it; {said}"
    return ""
