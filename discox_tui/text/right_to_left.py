"""Right-to-left text is written as it is stored, and held in its place where a terminal puts it in order itself.

Such a terminal takes a whole line for one paragraph: columns, signs, borders and what stands in the next pane change
places with the text, unless something written from left to right stands on both sides of it.
"""

from __future__ import annotations

import re

LEFT_TO_RIGHT = "\u2800"
"""A cell that shows nothing, as a space does, and yet is written from left to right: the empty Braille pattern."""
EDGE = "\u2812"
"""The same for a horizontal border, of which it looks like a part."""
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RIGHT_TO_LEFT = re.compile(f"[{_LETTERS}]")
WORDS = re.compile(f"[{_LETTERS}](?:[{_LETTERS}\\s]*[{_LETTERS}])?")
"""Words that are written from right to left, one after the other."""
_SIGN = "[~\u00b7\u2190-\u21ff\u2219\u2500-\u25ff\u2700-\u27bf]+(?: |$)"
"""Arrows, dots between facts, borders, and the signs of the app."""
_WORD = f"(?!{_SIGN})[^ {LEFT_TO_RIGHT}]+"
_PIECE = re.compile(f"{LEFT_TO_RIGHT}[^{LEFT_TO_RIGHT}]*{LEFT_TO_RIGHT}|{_WORD}(?: {_WORD})*")
"""Something that is held already, or words with one space between them, none of which is a sign."""


def reorders(shown: str) -> bool:
    """Whether a terminal may put characters of this text in another order than that of their cells."""
    return not shown.isascii() and _RIGHT_TO_LEFT.search(shown) is not None


def held(line: str) -> str:
    """Return a line in which each piece with right-to-left text stays where it is; cell for cell, nothing else changes.

    A piece ends at two spaces and at a sign that stands alone: it is a column, a fact of a title, a side of an arrow.
    The spaces on both sides of it become cells that are written from left to right.
    """
    if not reorders(line):
        return line
    cells = list(line)
    for piece in _PIECE.finditer(line):
        if not piece[0].startswith(LEFT_TO_RIGHT) and reorders(piece[0]):
            for place in (piece.start() - 1, piece.end()):
                if line[place : place + 1] == " ":
                    cells[place] = LEFT_TO_RIGHT
    return "".join(cells)
