"""The cells of a character, in a module of their own: one answer for wrapping, painting and the mouse."""

from __future__ import annotations

import unicodedata
from array import array
from functools import cache
from itertools import accumulate
from typing import Literal

from rich.cells import get_character_cell_size

Ambiguous = Literal[1, 2]
"""Cells of the characters that Unicode leaves open (“ ” — … ● and others): 2 where the terminal is set to "wide"."""


class Widths(dict[str, int]):
    """Character → cells (0, 1 or 2), filled as characters turn up, so that looking one up costs a dict access."""

    def __init__(self, ambiguous: Ambiguous = 1) -> None:
        self.ambiguous: Ambiguous = ambiguous

    def __missing__(self, character: str) -> int:
        cells = get_character_cell_size(character)
        if cells == 1 and self.ambiguous == 2 and unicodedata.east_asian_width(character) == "A":
            cells = 2
        self[character] = cells
        return cells

    def of(self, text: str) -> int:
        """Return the cells that ``text`` takes. It should be ``display`` text."""
        return sum(map(self.__getitem__, text))

    def prefix_sums(self, text: str) -> array[int]:
        """Return ``sums`` with ``sums[j] - sums[i]`` the cells of ``text[i:j]``, of length ``len(text) + 1``."""
        return array("I", accumulate(map(self.__getitem__, text), initial=0))


@cache
def widths(ambiguous: Ambiguous = 1) -> Widths:
    """Return the one table of widths for a terminal that shows ambiguous characters in this many cells."""
    return Widths(ambiguous)
