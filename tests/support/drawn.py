"""The screen that an app draws, wherever its output goes."""

from __future__ import annotations

import re

import pyte
from wcwidth import wcwidth

PRIVATE = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p")
"""Questions to the terminal, and its keyboard's modes."""


def rows_of(screen: pyte.Screen) -> list[str]:
    """What is on a screen, row by row; of a wide character of which a half was drawn over nothing is left."""
    return [_row([screen.buffer[y][x].data for x in range(screen.columns)]) for y in range(screen.lines)]


def _row(cells: list[str]) -> str:
    """The text of a row of cells; the second cell of a wide character is empty."""
    shown = []
    for x, data in enumerate(cells):
        wide = bool(data) and wcwidth(data[0]) == 2
        if wide and cells[x + 1 : x + 2] == [""]:
            shown.append(data)
        elif wide or not data:
            shown.append("" if x and wcwidth((cells[x - 1] or " ")[0]) == 2 else " ")
        else:
            shown.append(data)
    return "".join(shown)


class Drawn:
    """A screen, and what was drawn on it."""

    def __init__(self, columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)

    def draw(self, data: bytes) -> None:
        """Take what an app writes. pyte knows neither these private sequences nor that they print nothing."""
        self._stream.feed(PRIVATE.sub(b"", data))

    @property
    def rows(self) -> list[str]:
        """What is on the screen, row by row."""
        return rows_of(self.screen)

    def shows(self, text: str) -> bool:
        """Tell if a text stands on the screen, whatever blanks are in it or between its lines."""
        return re.sub(r"\s", "", text) in re.sub(r"\s", "", "".join(self.rows))

    def cell_of(self, text: str) -> tuple[int, int]:
        """Return the column and the row at which a text of narrow characters begins."""
        for y in range(self.screen.lines):
            cells = [self.screen.buffer[y][x].data or " " for x in range(self.screen.columns)]
            for x in range(self.screen.columns):
                if "".join(cells[x : x + len(text)]) == text:
                    return x, y
        raise AssertionError("\n".join((text, *self.rows)))
