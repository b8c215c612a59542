"""Spacing marks, such as the vowel signs of Hindi, Tamil or Khmer: to some terminals a cell, to others a part of one.

So each is given a cell. On the way to the screen a character of private use stands for it, which takes one cell
everywhere. What is written to a terminal at last puts the mark itself behind its letter, and then goes on after that
cell wherever the terminal thinks that it is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain

_SCRIPTS = (
    *(range(0x0900, 0x1D00), range(0x3020, 0x3030), range(0xA800, 0xAC00)),
    *(range(0x11000, 0x12000), range(0x16F00, 0x17000), range(0x1D100, 0x1D200)),
)
"""Where the marks are that scripts with spacing ones are written with."""
_MAYBE = re.compile("[\U000f1000-\U000fffff\U00100900-\U0010abff]")
"""What may stand for a mark, looked for in little time."""


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
