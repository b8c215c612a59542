"""Growing a selection: what lies under the pointer, where a caret goes, and the whole characters in between."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discox_tui.text.segments import cluster, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from discox_tui.text.row_layout import Page
    from discox_tui.text.segments import Range, Unit
    from discox_tui.text.wrapping import Typeset


@dataclass(frozen=True, slots=True)
class Selection:
    """The first and the last range taken hold of; all from the one to the other is selected, both included.

    Each is a unit of text, or a gap of it as :func:`under` gives.
    """

    anchor: Range
    head: Range

    @property
    def forward(self) -> bool:
        """True if the end is what moves."""
        return self.head[1] >= self.anchor[1]

    def span(self, typeset: Typeset) -> Range | None:
        """Return the code points ``[start, end)`` selected, in whole clusters; None if there are none."""
        start, end = min(self.anchor[0], self.head[0]), max(self.anchor[1], self.head[1])
        return whole(typeset, start, end) if start < end else None

    def ends(self, typeset: Typeset) -> tuple[Range, Range]:
        """Return the clusters at both ends of a span that is not None, the one that moves (the caret) last."""
        first, last = (
            cluster(typeset, min(self.anchor[0], self.head[0])),
            cluster(typeset, max(self.anchor[1], self.head[1]) - 1),
        )
        return (first, last) if self.forward else (last, first)


def under(page: Page, line: int, cell: int) -> Range:
    """Return the cluster in a cell of a line, or the gap between rows that a place without text is part of.

    A gap goes from where the text after it begins *back* to where the text before it ends. So a drag into it ends with
    that text, from whichever side it comes, and one within it selects nothing.
    """
    rows, row = page.rows, page.row_on(line)
    if row is not None and (offset := page.offset_in(row, cell)) is not None:
        return cluster(page.typeset, offset)
    if not rows.starts:
        return 0, 0
    after = rows.first[bisect_right(page.tops, line)] if row is None else row + (cell >= 0)
    before = rows.stops[after - 1] if after else rows.starts[0]
    return (rows.starts[after] if after < len(rows.starts) else before), before


def caret_at(page: Page, offset: int) -> int:
    """Return where the caret stands for ``offset``: its cluster, or the next one that shows, or the last."""
    rows = page.rows
    if not rows.starts:
        return 0
    row = rows.at(offset)
    if offset >= rows.stops[row]:
        shown = [each for each in range(len(rows.starts)) if rows.stops[each] > rows.starts[each]]
        following = next((each for each in shown if each > row), None)
        offset = rows.starts[following] if following is not None else rows.stops[shown[-1]] - 1 if shown else 0
    return cluster(page.typeset, max(offset, rows.starts[0]))[0]


def right(page: Page, caret: int) -> int:
    """Return the next cluster that shows; the last one stays."""
    found = caret_at(page, cluster(page.typeset, caret)[1])
    return max(caret, found)


def left(page: Page, caret: int) -> int:
    """Return the cluster before that shows; the first one stays."""
    rows = page.rows
    row = rows.at(caret)
    offset = caret - 1
    while row >= 0:
        offset = min(offset, rows.stops[row] - 1)
        if offset >= rows.starts[row]:
            return cluster(page.typeset, offset)[0]
        row -= 1
    return caret


def column(page: Page, caret: int) -> int:
    """Return the cell of its row that the caret begins in."""
    cells = page.typeset.cells
    return cells[caret] - cells[page.rows.starts[page.rows.at(caret)]]


def vertically(page: Page, caret: int, step: int, goal: int) -> int:
    """Return the cluster at cell ``goal``, or the last one, of the row above (``step`` −1) or below (1)."""
    rows, cells = page.rows, page.typeset.cells
    row = rows.at(caret) + step
    while 0 <= row < len(rows.starts):
        width = cells[rows.stops[row]] - cells[rows.starts[row]]
        offset = page.offset_in(row, min(goal, width - 1))
        if offset is not None:
            found = cluster(page.typeset, offset)[0]
            return found if found != caret else right(page, caret)  # the same where a cluster goes over two rows
        row += step
    return caret


def row_start(page: Page, caret: int) -> int:
    """Return the first cluster of the caret's row."""
    return min(caret, caret_at(page, page.rows.starts[page.rows.at(caret)]))


def row_end(page: Page, caret: int) -> int:
    """Return the last cluster that shows of the caret's row."""
    return max(caret, cluster(page.typeset, page.rows.stops[page.rows.at(caret)] - 1)[0])


def onward(page: Page, fixed: int, caret: int, unit: Unit) -> int:
    """Return where the caret goes by a unit, so that what is selected ends, or begins, with a whole one.

    That is the end of the unit that the caret is in or, if it stands there, of the next; where the selection is made
    smaller (``fixed``, its other end, is after the caret), the start of the next. Spaces are passed over.
    """
    if caret < fixed:
        after = _past_spaces(page, right(page, cluster(page.typeset, unit(page.typeset, caret)[1] - 1)[0]), right)
        if caret < after <= fixed:
            return after
    end = unit(page.typeset, _past_spaces(page, right(page, caret), right))[1]
    return max(caret, cluster(page.typeset, end - 1)[0])


def back(page: Page, fixed: int, caret: int, unit: Unit) -> int:
    """Return where the caret goes back to by a unit: :func:`onward` the other way round."""
    if caret > fixed:
        before = _past_spaces(page, left(page, unit(page.typeset, caret)[0]), left)
        if fixed <= before < caret:
            return before
    return min(caret, unit(page.typeset, _past_spaces(page, left(page, caret), left))[0])


def _past_spaces(page: Page, caret: int, step: Callable[[Page, int], int]) -> int:
    while page.typeset.text[caret].isspace() and (further := step(page, caret)) != caret:
        caret = further
    return caret
