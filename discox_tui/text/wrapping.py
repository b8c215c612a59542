"""Line breaking: rules for mixed Chinese and Latin text, found once a document, applied in no time.

Rich's wrap takes a run of Chinese for one word, so rows are ragged and begin with 。 or ，. Here every place where a
row may end is found once, with the cells up to it; wrapping to a width is then one bisection a row.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from discox_tui.text.safe import display
from discox_tui.text.widths import Ambiguous, widths
from judges.model import Paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPENING = frozenset("“‘「『（《〈【〔［｛〖〘〝￥＄￡＃#$£€¥№")
_CLOSING = frozenset(
    "”’」』）》〉】〕］｝〗〙〞〟，。、；：！？．％…‥‰℃°·・‧々〻～〜ﾞﾟ!%,.:;?"
    "ーゝゞヽヾぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ"
)
_WIDE_SCRIPTS = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u4dbf\u4e00-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U0001f300-\U0001faff\U00020000-\U0003ffff]"
)


class _Classes(dict[int, str]):
    """Code point → the letter of its class for breaking, for ``str.translate``.

    ``s`` space; ``i`` ideographic; ``O`` and ``C`` opening and closing, beside which a row may end on the outer
    side; ``o`` and ``c`` the same of Latin, where only a space does that; ``h`` hyphen or slash; ``d`` dash;
    ``g`` combining mark; ``n`` never a break on either side; ``a`` the rest.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        wide = code >= 0x2E80
        if character in "\u00a0\u2007\u202f\"'":
            letter = "n"
        elif category == "Zs":
            letter = "s"
        elif character in "—―⸺":
            letter = "d"
        elif character in "-‐–/\\":
            letter = "h"
        elif character in _OPENING or category in ("Ps", "Pi"):
            letter = "O" if wide or category == "Pi" else "o"
        elif character in _CLOSING or category in ("Pe", "Pf"):
            letter = "C" if wide or character in "…‥‰℃·" else "c"
        elif category in ("Mn", "Me", "Mc"):
            letter = "g"
        elif _WIDE_SCRIPTS.match(character):
            letter = "i"
        else:
            letter = "a"
        self[code] = letter
        return letter


_CLASSES = _Classes()
_BREAK = re.compile(
    r"(?<=[^soO])s+(?=[^scCgn])"  # after spaces, which hang past the row's end and are not shown
    r"|(?<=[iC])(?=[iOoad])|(?<=[acgh])(?=[iO])|(?<=[cC])(?=O)"  # beside anything ideographic
    r"|(?<=d)(?=[iOoa])"  # after a dash: it is not split, and begins no row among Latin
    r"|(?<=ah)(?=a)"  # after a hyphen or slash inside a word
)


@dataclass(frozen=True, slots=True)
class Rows:
    """A text wrapped to one width, as offsets into it.

    ``starts[r]``: where row ``r`` begins; it reaches to the next row of its paragraph, or its paragraph's end.
    ``stops[r]``: where what is shown of it ends (spaces at a row's end hang). ``first[p]``: the first row of
    paragraph ``p``, with the number of rows as one more entry at the end.
    """

    starts: list[int]
    stops: list[int]
    first: list[int]

    def at(self, offset: int) -> int:
        """Return the row that holds ``offset`` (between paragraphs: the one before; at least 0)."""
        return max(0, bisect_right(self.starts, offset) - 1)

    def paragraph(self, row: int) -> int:
        """Return the paragraph that a row belongs to."""
        return bisect_right(self.first, row) - 1

    @property
    def counts(self) -> list[int]:
        """The number of rows of each paragraph."""
        return [end - start for start, end in pairwise(self.first)]


class Typeset:
    """A text made ready for painting: what is shown, its widths, and every place where a row may end.

    Attributes: ``text``, as it is; ``shown``, the display string, 1:1 with it; ``cells``, prefix sums of its widths;
    ``paragraphs``, the stretches of the text that make rows.
    """

    def __init__(self, text: str, paragraphs: Sequence[Paragraph] | None = None, ambiguous: Ambiguous = 1) -> None:
        """Find the widths and breaks of ``text``; ``paragraphs`` are its non-blank lines if not given."""
        self.text = text
        self.shown = display(text)
        self.cells = widths(ambiguous).prefix_sums(self.shown)
        self.paragraphs = tuple(lines(text) if paragraphs is None else paragraphs)
        classes = self.shown.translate(_CLASSES)
        self._breaks: list[int] = []  # where the next row may begin
        self._stops: list[int] = []  # where what is shown of the row before would end
        self._breaks_before: list[int] = []  # how many breaks there are up to each paragraph's end
        for paragraph in self.paragraphs:
            for match in _BREAK.finditer(classes, paragraph.start, paragraph.end):
                if match.start() > paragraph.start:
                    self._breaks.append(match.end())
                    self._stops.append(match.start())
            self._breaks_before.append(len(self._breaks))
        self._reach = [self.cells[stop] for stop in self._stops]
        self._edges = [self.cells[place] for place in self._breaks]

    def rows(self, width: int) -> Rows:
        """Wrap to ``width`` cells (at least 1).

        The rows of a paragraph partition it. No row shown is wider than ``width`` but where a single character is;
        one that has no legal break in it is cut where it is full.
        """
        starts: list[int] = []
        stops: list[int] = []
        first: list[int] = []
        cells, breaks, visible, reach, edges = self.cells, self._breaks, self._stops, self._reach, self._edges
        lowest = 0
        for paragraph, highest in zip(self.paragraphs, self._breaks_before, strict=True):
            first.append(len(starts))
            start, end = paragraph.start, paragraph.end
            stop = start + len(self.shown[start:end].rstrip())
            all_cells, edge = cells[stop], cells[start]
            while (limit := edge + width) < all_cells:
                index = bisect_right(reach, limit, lowest, highest) - 1
                if index >= lowest:
                    starts.append(start)
                    stops.append(visible[index])
                    start, edge, lowest = breaks[index], edges[index], index + 1
                else:
                    cut = bisect_right(cells, max(limit, cells[start + 1]), start, stop + 1) - 1
                    if cut == stop:
                        break
                    starts.append(start)
                    stops.append(cut)
                    start, edge = cut, cells[cut]
            starts.append(start)
            stops.append(max(start, stop))
            lowest = highest
        first.append(len(starts))
        return Rows(starts, stops, first)


def lines(text: str) -> list[Paragraph]:
    """Return the non-blank lines of ``text``, without LF or CRLF: as many as ``judges.grounding`` finds, indented."""
    found = re.finditer(r"[^\n]+", text)
    return [Paragraph(line.start(), line.end() - line[0].endswith("\r")) for line in found if not line[0].isspace()]
