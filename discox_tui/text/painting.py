"""Painting a row of text: number and sign in the gutter, then the text, in pieces of one look each.

Looks go by the names that a style sheet gives them; what is said here holds in every theme.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from discox_tui.text.bidi import LEFT_TO_RIGHT, reorders
from discox_tui.text.glyphs import OWN_MARK, SEVERITY_MARKS
from discox_tui.text.styles import Mark, rank

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from discox_tui.text.row_layout import Page
    from discox_tui.text.segments import Range
    from discox_tui.text.styles import Look, Looks, ParagraphMark
    from discox_tui.text.widths import Widths

Names: TypeAlias = tuple[str, ...]
"""The looks that are laid over one another; none: the pane's own. After ``SIGN`` it is the next one's colour alone."""
SIGN = "sign"

_UNREAD_MARK = "▪"
_APPROXIMATE_MARK = "~"
_SIGN_WIDTH = 3
"""Cells of the gutter for a sign: ~ where the place is approximate, or ✎ where one of the errors is the reviewer's own;
the severity's mark; a space."""


def gutter_width(paragraphs: int, widths: Widths) -> int:
    """Return the cells of the gutter of a text with so many paragraphs."""
    return widths.of(f" ¶{max(1, paragraphs)} ") + _SIGN_WIDTH


class Painting(NamedTuple):
    """All that decides what rows look like, ``width`` cells wide with the gutter.

    ``paragraph_marks``: findings that have a paragraph but no place. ``matches``: what a search found, in order and
    apart from each other. ``current``: the key of the finding that is looked at. ``selected``: what is selected, and
    where the caret is; None where nothing is.
    """

    page: Page
    looks: Looks
    paragraph_marks: Sequence[ParagraphMark]
    matches: Sequence[Range]
    current: str | None
    selected: tuple[Range, Range] | None
    width: int
    gutter_width: int
    widths: Widths

    def pieces(self, row: int) -> list[tuple[str, Names]]:
        """Return what is painted from left to right; some of it may be empty."""
        typeset, rows = self.page.typeset, self.page.rows
        start, stop = rows.starts[row], rows.stops[row]
        pieces, end = self._gutter(row), " "
        if reorders(typeset.shown[start:stop]):
            before, names = pieces[-1]
            pieces[-1], end = (before[:-1] + LEFT_TO_RIGHT, names), LEFT_TO_RIGHT
        pieces += [(typeset.shown[left:right], names) for left, right, names in self._overlaid(start, stop)]
        spare = self.width - self.gutter_width - (typeset.cells[stop] - typeset.cells[start])
        return [*pieces, (" " * (spare - 1) + end if spare > 0 else "", ())]

    def signs(self, row: int) -> list[Mark | ParagraphMark]:
        """Return what the gutter has to say beside a row, the worst first."""
        rows = self.page.rows
        paragraph = rows.paragraph(row)
        end = rows.starts[row + 1] if row + 1 < len(rows.starts) else len(self.page.typeset.shown)
        signs: list[Mark | ParagraphMark] = [m for m in self.looks.beginning(rows.starts[row], end) if not m.weak]
        if rows.first[paragraph] == row:
            signs += [mark for mark in self.paragraph_marks if mark.paragraph == paragraph]
        return sorted(signs, key=lambda mark: (mark.dropped, -rank(mark.severity)))

    def _gutter(self, row: int) -> list[tuple[str, Names]]:
        paragraph = self.page.rows.paragraph(row)
        room = self.gutter_width - _SIGN_WIDTH
        pieces: list[tuple[str, Names]] = [(" " * room, ())]
        if self.page.rows.first[paragraph] == row:
            label = f" ¶{paragraph + 1}"
            pieces = [(label + " " * (room - self.widths.of(label)), ("gutter",))]
        signs = self.signs(row)
        if not signs:
            return [*pieces, (" " * _SIGN_WIDTH, ())]
        shown = next((mark for mark in signs if mark.key == self.current), signs[0])
        exact = isinstance(shown, Mark) and not shown.approximate
        sign = SEVERITY_MARKS[shown.severity] if shown.severity else _UNREAD_MARK
        names: Names = (SIGN, shown.severity or "unread")
        if shown.key == self.current:
            names = ("current-sign",)
        elif shown.dropped:
            names = ("gutter",)
        own = any(isinstance(mark, Mark) and mark.own for mark in signs)
        before = OWN_MARK if own else " " if exact else _APPROXIMATE_MARK
        return [*pieces, (before + sign, names), (" ", ())]

    def _overlaid(self, start: int, end: int) -> Iterator[tuple[int, int, Names]]:
        """Cut ``[start, end)`` where its look changes, and name the looks of each piece."""
        low = bisect_right(self.matches, start, key=lambda match: match[1])
        matches = self.matches[low : bisect_left(self.matches, end, low, key=lambda match: match[0])]
        current = [
            (span, mark.weak)
            for span, mark in (() if self.current is None else self.looks.spans(self.current))
            if span[0] < end and span[1] > start
        ]
        selected = self.selected or ()
        overlays = [*matches, *(span for span, _ in current), *selected]
        for begin, stop, look in self.looks.runs(start, end):
            edges = {begin, stop}
            edges.update(edge for span in overlays for edge in span if begin < edge < stop)
            for left, right in pairwise(sorted(edges)):
                names = _names(look)
                if any(a <= left < b for a, b in matches):
                    names += ("match",)
                if weak := [weak for (a, b), weak in current if a <= left < b]:
                    names += ("current-weak" if all(weak) else "current",)
                if on := [a <= left < b for a, b in selected]:
                    names = ("caret",) if on[1] else ("selected",) if on[0] else names
                yield left, right, names


def _names(look: Look | None) -> Names:
    """Return the names of a look."""
    if look is None:
        return ()
    if look.dropped:
        return ("dropped",)
    if look.weak:
        return ("weak",)
    names: Names = (look.severity or "unread",)
    if look.approximate:
        names += ("approximate",)
    if look.overlap:
        names += ("overlap",)
    if look.own:
        names += ("own",)
    return names
