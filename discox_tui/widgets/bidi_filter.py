"""Line filters that keep right-to-left text in its place; of their own, as any widget's lines pass them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.filter import LineFilter

from discox_tui.text.bidi import EDGE, LEFT_TO_RIGHT, held, reorders

if TYPE_CHECKING:
    from textual.color import Color


class BidiFilter(LineFilter):
    """Holds right-to-left text between cells that are written from left to right.

    ``met``: whether there was any yet.
    """

    met = False

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line with its text held."""
        line = "".join(segment.text for segment in segments)
        if not reorders(line):
            return segments
        self.met = True
        return _rewritten(segments, line, held(line))


class Fence(LineFilter):
    """Holds what a box covers a part of: text on its left has nothing to do with text in it, or on its right."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line of the box's border with a cell of the kind inside each end."""
        line = "".join(segment.text for segment in segments)
        cells = list(line)
        for place in (1, len(cells) - 2):
            cells[place] = LEFT_TO_RIGHT if cells[place] == " " else EDGE
        return _rewritten(segments, line, "".join(cells))


FENCE = Fence()


def _rewritten(segments: list[Segment], before: str, after: str) -> list[Segment]:
    if before == after:
        return segments
    end, found = 0, []
    for text, style, control in segments:
        end += len(text)
        found.append(Segment(after[end - len(text) : end], style, control))
    return found
