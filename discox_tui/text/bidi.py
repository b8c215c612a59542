"""Right-to-left text is written as it is stored, and held in its place where a terminal puts it in order itself.

Such a terminal takes a whole line for one paragraph: columns, signs, borders and what stands in the next pane change
places with the text, unless something written from left to right stands on both sides of it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain

LEFT_TO_RIGHT = "\u2800"
"""A cell that shows nothing, as a space does, and yet is written from left to right: the empty Braille pattern."""
EDGE = "\u2812"
"""The same for a horizontal border, of which it looks like a part."""
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RIGHT_TO_LEFT = re.compile(f"[{_LETTERS}]")
_SIGN = "[~\u00b7\u2190-\u21ff\u2219\u2500-\u25ff\u2700-\u27bf]+(?: |$)"
"""Arrows, dots between facts, borders, and the signs of the app."""
_WORD = f"(?!{_SIGN})[^ {LEFT_TO_RIGHT}]+"


@cache  # few texts need it, and compiling it takes its time
def _piece() -> re.Pattern[str]:
    """Something that is held already, or words with one space between them, none of which is a sign."""
    return re.compile(f"{LEFT_TO_RIGHT}[^{LEFT_TO_RIGHT}]*{LEFT_TO_RIGHT}|{_WORD}(?: {_WORD})*")


@cache
def right_to_left() -> re.Pattern[str]:
    """Words that are written from right to left, one after the other."""
    return re.compile(f"[{_LETTERS}](?:[{_LETTERS}\\s]*[{_LETTERS}])?")


def reorders(shown: str) -> bool:
    """Tell if a terminal may put characters of this text in another order than that of their cells."""
    return not shown.isascii() and _RIGHT_TO_LEFT.search(shown) is not None


def held(line: str) -> str:
    """Return a line in which each piece with right-to-left text stays where it is; cell for cell, nothing else changes.

    A piece ends at two spaces and at a sign that stands alone: it is a column, a fact of a title, a side of an arrow.
    The spaces on both sides of it become cells that are written from left to right.
    """
    if not reorders(line):
        return line
    cells = list(line)
    for piece in _piece().finditer(line):
        if not piece[0].startswith(LEFT_TO_RIGHT) and reorders(piece[0]):
            for place in (piece.start() - 1, piece.end()):
                if line[place : place + 1] == " ":
                    cells[place] = LEFT_TO_RIGHT
    return "".join(cells)


_SCRIPTS = (
    *(range(0x0900, 0x1D00), range(0x3020, 0x3030), range(0xA800, 0xAC00)),
    *(range(0x11000, 0x12000), range(0x16F00, 0x17000), range(0x1D100, 0x1D200)),
)
"""Unicode blocks of the scripts that have spacing marks."""
_MAYBE = re.compile("[\U000f1000-\U000fffff\U00100900-\U0010abff]")
"""Characters that may stand for a mark, for a quick look."""


def stand_in(mark: str) -> str:
    """Return the character of private use that stands for a spacing mark."""
    code = ord(mark)
    return chr(0x100000 + code if code < 0x10000 else 0xF0000 + (code & 0xFFFF))


def with_marks(text: str) -> str:
    """Return ``text`` with every mark that another character stands for in its place again."""
    return text.translate(_marks()) if _MAYBE.search(text) else text


def as_written(output: str) -> str:
    """Return what a terminal is to be given for ``output``: each mark joined to its letter, a cell kept for it.

    The cells are blanked first; the cursor's place behind them is saved, and restored once the marks are written.
    """
    return output if output.isascii() or not _MAYBE.search(output) else _cluster().sub(_placed, output)


@cache
def _marks() -> dict[int, str]:
    """Each spacing mark by the code point of what stands for it."""
    return {ord(stand_in(mark)): mark for mark in map(chr, chain(*_SCRIPTS)) if unicodedata.category(mark) == "Mc"}


@cache
def _cluster() -> re.Pattern[str]:
    """The marks of one letter, from the first spacing one on."""
    spacing = "".join(map(chr, _marks()))
    others = "".join(mark for mark in map(chr, chain(*_SCRIPTS)) if unicodedata.category(mark) == "Mn")
    return re.compile(f"[{spacing}][{spacing}{others}]*")


def _placed(marks: re.Match[str]) -> str:
    cells = sum(ord(each) in _marks() for each in marks[0])
    return f"{' ' * cells}\x1b7{chr(8) * cells}{with_marks(marks[0])}\x1b8"
