"""Lines of a pane and the text on them: rows one below the other, paragraphs beside their counterparts."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discox_tui.text.wrapping import Rows, Typeset
from judges.model import Bead

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, eq=False, slots=True)
class Page:
    """A text wrapped and placed: paragraph ``p`` begins on line ``tops[p]`` of ``height`` lines."""

    typeset: Typeset
    rows: Rows
    tops: Sequence[int]
    height: int

    def line_of(self, row: int) -> int:
        """Return the line that a row is on."""
        paragraph = self.rows.paragraph(row)
        return self.tops[paragraph] + row - self.rows.first[paragraph]

    def row_on(self, line: int) -> int | None:
        """Return the row on a line, or None if the line is empty."""
        paragraph = bisect_right(self.tops, line) - 1
        if paragraph < 0:
            return None
        row = self.rows.first[paragraph] + line - self.tops[paragraph]
        return row if row < self.rows.first[paragraph + 1] else None

    def rows_of(self, start: int, end: int) -> range:
        """Return the rows that ``[start, end)`` is on; at least one, if there are any."""
        if not self.rows.starts:
            return range(0)
        first = self.rows.at(start)
        return range(first, max(first, self.rows.at(end - 1)) + 1)

    def lines_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and last line that ``[start, end)`` is on; (0, 0) of a text without rows."""
        rows = self.rows_of(start, end)
        if not rows:
            return 0, 0
        first = self.line_of(rows[0])
        return first, self.line_of(rows[-1]) if len(rows) > 1 else first

    def offset_in(self, row: int, cell: int) -> int | None:
        """Return the code point in a cell of a row (either cell of a wide one), or None past the row's end."""
        start, stop, cells = self.rows.starts[row], self.rows.stops[row], self.typeset.cells
        if not 0 <= cell < cells[stop] - cells[start]:
            return None
        return bisect_right(cells, cells[start] + cell, start, stop) - 1

    def offset_from(self, line: int) -> int:
        """Return the first code point on a line or below it, or of the last row; 0 of a text without rows."""
        if not self.rows.starts:
            return 0
        row = self.row_on(line)
        if row is None:
            row = min(self.rows.first[bisect_right(self.tops, line)], len(self.rows.starts) - 1)
        return self.rows.starts[row]


def stacked_tops(rows: Sequence[int]) -> tuple[list[int], int]:
    """Return the line each paragraph begins on with an empty line between them, and how many lines that makes."""
    tops, line = [], 0
    for count in rows:
        tops.append(line)
        line += count + 1
    return tops, max(0, line - 1)


def aligned_tops(
    beads: Sequence[Bead], rows: tuple[Sequence[int], Sequence[int]]
) -> tuple[tuple[list[int], list[int]], int]:
    """Return the line each paragraph of either side begins on so that aligned ones begin on the same, and the height.

    Args:
        beads: the alignment, in order. A paragraph that no bead names goes with what stands before it.
        rows: how many rows each paragraph of the source, and of the translation, takes.
    """
    tops: tuple[list[int], list[int]] = ([], [])
    ends = [0, 0]
    for bead in (*beads, Bead(tuple(range(len(rows[0]))), tuple(range(len(rows[1]))))):
        ends = [max(ends)] * 2
        for side, numbers in enumerate((bead.source, bead.translation)):
            last = min(max(numbers, default=-1), len(rows[side]) - 1)
            for paragraph in range(len(tops[side]), last + 1):
                tops[side].append(ends[side])
                ends[side] += rows[side][paragraph] + 1
    return tops, max(0, max(ends) - 1)
