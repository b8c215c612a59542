"""The pane a linguist reads in for hours: one text with its marks, painted row by row and only where it changed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from discox_tui.marks import SEVERITY_MARKS
from discox_tui.text.looks import Look, Looks, Mark, ParagraphMark, rank
from discox_tui.text.placing import stacked_tops
from discox_tui.text.widths import Ambiguous, widths
from discox_tui.text.wrapping import Rows, Typeset

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textual import events

    from judges.model import Paragraph

_UNREAD_MARK = "▪"
_APPROXIMATE_MARK = "~"
_SIGN_WIDTH = 3
"""Cells of the gutter for a sign: ~ where the place is approximate, the severity's mark, a space."""
_RIGHT_MARGIN = 1


class TextPane(ScrollView, can_focus=True):
    """A text that scrolls, with marks on it and a gutter of paragraph numbers and severity signs.

    Every offset is in code points of the text given to :meth:`show`. What a key press costs does not grow with the
    text or the number of marks: only rows in view are ever built, and only rows whose look changed are painted.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "text-pane--gutter",
        "text-pane--unread",
        "text-pane--minor",
        "text-pane--violated",
        "text-pane--major",
        "text-pane--critical",
        "text-pane--extremely_critical",
        "text-pane--approximate",
        "text-pane--weak",
        "text-pane--dropped",
        "text-pane--overlap",
        "text-pane--match",
        "text-pane--current",
        "text-pane--current-weak",
        "text-pane--current-sign",
    }
    DEFAULT_CSS = """
    TextPane {
        overflow: hidden hidden;
        background: $background;
        color: $foreground;

        .text-pane--gutter { color: $faint; text-style: $faint-style; }
        .text-pane--unread { text-style: underline; }
        .text-pane--minor { color: $severity-minor; text-style: underline; }
        .text-pane--violated { color: $severity-violated; text-style: uu; }
        .text-pane--major { color: $severity-major; text-style: bold underline; }
        .text-pane--critical { color: $severity-critical; text-style: bold uu; }
        .text-pane--extremely_critical {
            color: $severity-extreme;
            background: $severity-extreme 20%;
            text-style: bold uu;
        }
        .text-pane--approximate { text-style: italic; }
        .text-pane--weak { background: $foreground 7%; }
        .text-pane--dropped { color: $faint; text-style: underline; }
        .text-pane--overlap { background: $foreground 15%; }
        .text-pane--match { background: $match; color: $match-text; }
        .text-pane--current { background: $current; color: $background; }
        .text-pane--current-weak { background: $current 25%; }
        .text-pane--current-sign { color: $current; text-style: bold; }

        &:ansi {
            .text-pane--extremely_critical { background: ansi_default; text-style: bold uu overline; }
            .text-pane--weak { background: ansi_default; text-style: dim; }
            .text-pane--overlap { background: ansi_default; text-style: overline; }
            .text-pane--dropped { text-style: dim underline; }
            .text-pane--current { background: ansi_default; color: $current; text-style: reverse; }
            .text-pane--current-weak { background: ansi_default; color: $current; }
        }
    }
    """

    current: reactive[str | None] = reactive(None, repaint=False)
    """The key of the finding that is being looked at: the only thing in the accent colour."""

    looks: reactive[Looks] = reactive(Looks, repaint=False)
    """The marks as they are painted; set by :meth:`show` and :meth:`set_marks`."""

    tops: reactive[Sequence[int]] = reactive((), repaint=False, always_update=True)
    """The line on which each paragraph begins; set by :meth:`set_tops`."""

    @dataclass
    class MarkClicked(Message):
        """A mark was clicked, or the gutter beside it: the keys of all findings there, the narrowest first."""

        pane: TextPane
        keys: tuple[str, ...]

        @property
        def control(self) -> TextPane:
            """The pane, for ``@on``."""
            return self.pane

    @dataclass
    class OffsetClicked(Message):
        """Text without a mark was clicked: the code point under the pointer."""

        pane: TextPane
        offset: int

        @property
        def control(self) -> TextPane:
            """The pane, for ``@on``."""
            return self.pane

    @dataclass
    class Rewrapped(Message):
        """The rows are other ones than before: another text, or another width."""

        pane: TextPane

        @property
        def control(self) -> TextPane:
            """The pane, for ``@on``."""
            return self.pane

    def __init__(self, *, ambiguous: Ambiguous = 1, id: str | None = None, classes: str | None = None) -> None:
        """``ambiguous``: the cells that this terminal gives to “ ” — … and the like."""
        super().__init__(id=id, classes=classes)
        self._widths = widths(ambiguous)
        self._typeset = Typeset("", (), ambiguous)
        self._rows = Rows([], [], [0])
        self._row_width = 0
        self._paragraph_marks: Sequence[ParagraphMark] = ()
        self._matches: Sequence[tuple[int, int]] = ()
        self._top_offset = 0
        self._strips: dict[int, Strip] = {}
        self._styles_by_name: dict[tuple[str, ...], Style] = {}

    # What is shown

    def show(
        self,
        text: str,
        marks: Sequence[Mark] = (),
        gutter: Sequence[ParagraphMark] = (),
        *,
        paragraphs: Sequence[Paragraph] | None = None,
    ) -> None:
        """Show another text from its beginning.

        Args:
            text: anything; it is made safe here.
            marks: what to highlight.
            gutter: findings that have a paragraph but no place in it.
            paragraphs: as ``judges.grounding`` finds them; the non-blank lines if not given.
        """
        self._typeset = Typeset(text, paragraphs, self._widths.ambiguous)
        self._matches = ()
        self._top_offset = 0
        self.current = None
        self._paragraph_marks = tuple(gutter)
        self.looks = Looks(marks, self._typeset.shown)
        self._rewrap()

    def set_marks(self, marks: Sequence[Mark], gutter: Sequence[ParagraphMark] = ()) -> None:
        """Replace all marks; rows whose marks stay the same are not painted again."""
        changed = set(self.looks.marks) ^ set(marks)
        paragraphs = {mark.paragraph for mark in set(self._paragraph_marks) ^ set(gutter)}
        before = self.looks
        self._paragraph_marks = tuple(gutter)
        self.looks = Looks(marks, self._typeset.shown)
        touched = [span for looks in (before, self.looks) for span, mark in looks.spans() if mark in changed]
        self._repaint([*touched, *map(self._paragraph_start, paragraphs)])

    def set_matches(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Highlight what a search found: code-point ranges, sorted and apart from each other."""
        before, self._matches = self._matches, tuple(ranges)
        self._repaint(set(before) ^ set(self._matches))

    def watch_current(self, before: str | None, now: str | None) -> None:
        """Paint again the rows of the finding that was current and of the one that is."""
        self._repaint(span for key in (before, now) if key is not None for span in self._spans_of(key))

    # Where things are

    @property
    def row_counts(self) -> list[int]:
        """The number of rows of each paragraph at the present width."""
        first = self._rows.first
        return [after - before for before, after in pairwise(first)]

    @property
    def top_offset(self) -> int:
        """The code point at the top of the pane. It stays there when the width changes, and can be set."""
        return self._top_offset

    @top_offset.setter
    def top_offset(self, offset: int) -> None:
        self._top_offset = offset
        self._restore_top()

    def set_tops(self, tops: Sequence[int], height: int) -> None:
        """Place paragraph ``p`` at line ``tops[p]`` and give the whole ``height`` lines; what was at the top stays."""
        if tops != self.tops or height != self.virtual_size.height:
            self._place(tops, height)

    def lines_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and last line that ``[start, end)`` is on; (0, 0) of a text without rows."""
        if not self._rows.starts:
            return 0, 0
        first = self._rows.at(start)
        return self._line_of(first), self._line_of(max(first, self._rows.at(end - 1)))

    def offset_at(self, x: int, y: int) -> int | None:
        """Return the code point painted in cell (x, y) of the pane, or None where there is no text."""
        row = self._row_on(y + self.scroll_offset.y)
        x -= self._gutter_width
        if row is None or x < 0:
            return None
        start, stop, cells = self._rows.starts[row], self._rows.stops[row], self._typeset.cells
        if cells[start] + x >= cells[stop]:
            return None
        return bisect_right(cells, cells[start] + x, start, stop) - 1

    def mark_lines(self, key: str | None = None) -> Iterator[tuple[int, int, Mark]]:
        """Yield each mark (of one finding, or all) with the first and last line it is on."""
        for (start, end), mark in self.looks.spans(key):
            yield *self.lines_of(start, end), mark

    # Moving about

    @property
    def allow_vertical_scroll(self) -> bool:
        """The pane scrolls though it has no scrollbar of its own."""
        return True

    def reveal(self, start: int, end: int) -> None:
        """Bring ``[start, end)`` into view; nothing moves if it already is, with some text around it."""
        if not self.is_comfortable(lines := self.lines_of(start, end)):
            self.scroll_to_line(self.best_top(lines))

    def is_comfortable(self, lines: tuple[int, int], top: int | None = None) -> bool:
        """Return whether these lines, or the first screenful of them, are in view if ``top`` were the first line."""
        top = self.scroll_offset.y if top is None else top
        height, margin = self.size.height, self._margin
        first, last = lines[0], min(lines[1], lines[0] + height - 2 * margin - 1)
        below = self.virtual_size.height - top - height  # at either end of the text no margin is to be had
        return first >= top + min(margin, top) and last < top + height - min(margin, max(0, below))

    def best_top(self, lines: tuple[int, int]) -> int:
        """Return the line to scroll to so that these lines are a third down the pane, or all seen if they fit."""
        spare = self.size.height - (lines[1] - lines[0] + 1)
        return max(0, min(lines[0] - max(self._margin, spare // 3), self.max_scroll_y))

    def scroll_to_line(self, line: int) -> None:
        """Make ``line`` the first in view, as far as there is text. Whoever scrolls the pane does it through this."""
        self.scroll_to(y=line, animate=False)
        self._top_offset = self._offset_from(self.scroll_offset.y)

    def action_scroll_up(self) -> None:
        """Scroll one line up, at once: an animation would be many paints over a slow line."""
        self.scroll_to_line(self.scroll_offset.y - 1)

    def action_scroll_down(self) -> None:
        """Scroll one line down."""
        self.scroll_to_line(self.scroll_offset.y + 1)

    def action_page_up(self) -> None:
        """Scroll one screenful up, less two lines to keep one's place."""
        self.scroll_to_line(self.scroll_offset.y - max(1, self.size.height - 2))

    def action_page_down(self) -> None:
        """Scroll one screenful down, less two lines."""
        self.scroll_to_line(self.scroll_offset.y + max(1, self.size.height - 2))

    def action_scroll_home(self) -> None:
        """Scroll to the beginning."""
        self.scroll_to_line(0)

    def action_scroll_end(self) -> None:
        """Scroll to the end."""
        self.scroll_to_line(self.max_scroll_y)

    # Events

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the pane under the pointer."""
        event.stop()
        event.prevent_default()
        self.scroll_to_line(self.scroll_offset.y - round(self.app.scroll_sensitivity_y))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the pane under the pointer."""
        event.stop()
        event.prevent_default()
        self.scroll_to_line(self.scroll_offset.y + round(self.app.scroll_sensitivity_y))

    def on_resize(self) -> None:
        """Wrap again if the width is another one."""
        if self._text_width != self._row_width:
            self._rewrap()

    def on_click(self, event: events.Click) -> None:
        """Say what was clicked."""
        point = event.get_content_offset(self)
        if point is None:
            return
        keys: tuple[str, ...] = ()
        offset = self.offset_at(*point)
        if offset is not None:
            keys = tuple(mark.key for mark in self.looks.at(offset))
        elif point.x < self._gutter_width and (row := self._row_on(point.y + self.scroll_offset.y)) is not None:
            keys = tuple(mark.key for mark in self._signs(row))
        if keys:
            self.post_message(self.MarkClicked(self, tuple(dict.fromkeys(keys))))
        elif offset is not None:
            self.post_message(self.OffsetClicked(self, offset))

    def notify_style_update(self) -> None:
        """Forget what was painted in the old theme."""
        super().notify_style_update()
        self._styles_by_name.clear()
        self._strips.clear()

    # Painting

    def render_line(self, y: int) -> Strip:
        """Return line ``y`` of the pane, building it if it was not seen since it changed."""
        row = self._row_on(y + self.scroll_offset.y)
        if row is None:
            return Strip.blank(self.size.width, self._style())
        strip = self._strips.get(row)
        if strip is None:
            strip = self._strips[row] = self._build(row)
        return strip

    def _build(self, row: int) -> Strip:
        start, stop = self._rows.starts[row], self._rows.stops[row]
        shown, cells = self._typeset.shown, self._typeset.cells
        pieces = [*self._gutter(row)]
        current = list(self._current_in(start, stop))
        for begin, end, look in self.looks.runs(start, stop):
            for left, right, names in self._overlaid(begin, end, current):
                pieces.append((shown[left:right], self._style(*_names(look), *names)))
        spare = self.size.width - self._gutter_width - (cells[stop] - cells[start])
        pieces.append((" " * spare, self._style()))
        segments: list[Segment] = []
        for text, style in pieces:
            if segments and segments[-1].style is style:
                segments[-1] = Segment(segments[-1].text + text, style)
            elif text:
                segments.append(Segment(text, style))
        return Strip(segments, self.size.width)

    def _overlaid(
        self, start: int, end: int, current: list[tuple[int, int, bool]]
    ) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Cut ``[start, end)`` where a search match or the current finding begins or ends, and name what is there."""
        low = bisect_right(self._matches, start, key=lambda match: match[1])
        high = bisect_left(self._matches, end, lo=low, key=lambda match: match[0])
        matches = self._matches[low:high]
        edges = {start, end}
        edges.update(edge for span in (*matches, *current) for edge in span[:2] if start < edge < end)
        ordered = sorted(edges)
        for left, right in pairwise(ordered):
            names = ["match"] if any(a <= left < b for a, b in matches) else []
            here = [weak for a, b, weak in current if a <= left < b]
            if here:
                names.append("current-weak" if all(here) else "current")
            yield left, right, tuple(names)

    def _gutter(self, row: int) -> Iterator[tuple[str, Style]]:
        paragraph = bisect_right(self._rows.first, row) - 1
        is_first = self._rows.first[paragraph] == row
        label = f" ¶{paragraph + 1}" if is_first else ""
        room = self._gutter_width - _SIGN_WIDTH
        yield label + " " * (room - self._widths.of(label)), self._style("gutter") if label else self._style()
        signs = self._signs(row)
        if not signs:
            yield " " * _SIGN_WIDTH, self._style()
            return
        shown = next((mark for mark in signs if mark.key == self.current), signs[0])
        exact = isinstance(shown, Mark) and not shown.approximate
        mark = SEVERITY_MARKS[shown.severity] if shown.severity else _UNREAD_MARK
        if shown.key == self.current:
            style = self._style("current-sign")
        elif shown.dropped:
            style = self._style("gutter")
        else:
            style = self._sign_style(shown.severity or "unread")
        yield (" " if exact else _APPROXIMATE_MARK) + mark, style
        yield " ", self._style()

    def _signs(self, row: int) -> list[Mark | ParagraphMark]:
        """Return what the gutter has to say beside a row, the worst first."""
        paragraph = bisect_right(self._rows.first, row) - 1
        starts = self._rows.starts
        end = starts[row + 1] if row + 1 < len(starts) else len(self._typeset.shown)
        signs: list[Mark | ParagraphMark] = [m for m in self.looks.beginning(starts[row], end) if not m.weak]
        if self._rows.first[paragraph] == row:
            signs += [mark for mark in self._paragraph_marks if mark.paragraph == paragraph]
        return sorted(signs, key=lambda mark: (mark.dropped, -rank(mark.severity)))

    def _style(self, *names: str) -> Style:
        """Return the pane's own style with those of these component classes laid over it."""
        style = self._styles_by_name.get(names)
        if style is None:
            style = self.rich_style
            for name in names:
                name = f"text-pane--{name}"
                rules, full = self.get_component_styles(name), self.get_component_rich_style(name)
                style += Style.from_color(
                    full.color if rules.has_any_rules("color", "auto_color") else None,
                    full.bgcolor if rules.has_rule("background") else None,
                )
                style += rules.text_style
            self._styles_by_name[names] = style
        return style

    def _sign_style(self, name: str) -> Style:
        """Return the style of a sign in the gutter: the severity's colour, nothing else of it."""
        names = ("sign", name)
        if names not in self._styles_by_name:
            self._styles_by_name[names] = self.rich_style + Style.from_color(self._style(name).color)
        return self._styles_by_name[names]

    def _repaint(self, spans: Iterable[tuple[int, int]]) -> None:
        """Forget and repaint the rows that these stretches of text are on."""
        if not self._rows.starts:
            return
        rows: set[int] = set()
        for start, end in spans:
            first = self._rows.at(start)
            rows.update(range(first, max(first, self._rows.at(end - 1)) + 1))
        top, height, width = self.scroll_offset.y, self.size.height, self.size.width
        regions = []
        for row in rows:
            self._strips.pop(row, None)
            line = self._line_of(row) - top
            if 0 <= line < height:
                regions.append(Region(0, line, width, 1))
        if regions:
            self.refresh(*regions)

    # Rows, lines and offsets

    @property
    def _gutter_width(self) -> int:
        return self._widths.of(f" ¶{max(1, len(self._typeset.paragraphs))}") + _SIGN_WIDTH

    @property
    def _text_width(self) -> int:
        return max(1, self.size.width - self._gutter_width - _RIGHT_MARGIN)

    @property
    def _margin(self) -> int:
        """Lines of context wanted above and below what is revealed."""
        return min(3, self.size.height // 5)

    def _rewrap(self) -> None:
        self._row_width = self._text_width if self.size else 0
        self._rows = self._typeset.rows(self._row_width) if self._row_width else Rows([], [], [0])
        self._strips.clear()
        self._place(*stacked_tops(self.row_counts))
        self.post_message(self.Rewrapped(self))

    def _place(self, tops: Sequence[int], height: int) -> None:
        self.tops = tops
        self.virtual_size = Size(self.size.width, height)
        self._restore_top()
        self.refresh()

    def _restore_top(self) -> None:
        if self._rows.starts:
            line = self._line_of(self._rows.at(self._top_offset)) if self._top_offset else 0
            self.scroll_to(y=line, animate=False)

    def _line_of(self, row: int) -> int:
        paragraph = bisect_right(self._rows.first, row) - 1
        return self.tops[paragraph] + row - self._rows.first[paragraph]

    def _row_on(self, line: int) -> int | None:
        """Return the row on a line, or None if nothing is painted there."""
        paragraph = bisect_right(self.tops, line) - 1
        if paragraph < 0:
            return None
        row = self._rows.first[paragraph] + line - self.tops[paragraph]
        return row if row < self._rows.first[paragraph + 1] else None

    def _offset_from(self, line: int) -> int:
        """Return the first code point on ``line`` or below it."""
        row = self._row_on(line)
        if row is None:
            row = self._rows.first[bisect_right(self.tops, line)] if self._rows.starts else 0
        return self._rows.starts[min(row, len(self._rows.starts) - 1)] if self._rows.starts else 0

    def _paragraph_start(self, paragraph: int) -> tuple[int, int]:
        start = self._typeset.paragraphs[paragraph].start
        return start, start + 1

    def _spans_of(self, key: str) -> list[tuple[int, int]]:
        spans = [span for span, _ in self.looks.spans(key)]
        return spans + [self._paragraph_start(mark.paragraph) for mark in self._paragraph_marks if mark.key == key]

    def _current_in(self, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        """Yield what of the current finding lies in ``[start, end)``, with whether it is only context."""
        if self.current is not None:
            for (begin, stop), mark in self.looks.spans(self.current):
                if begin < end and stop > start:
                    yield begin, stop, mark.weak


def _names(look: Look | None) -> tuple[str, ...]:
    """Return the component classes that make a look."""
    if look is None:
        return ()
    if look.dropped:
        return ("dropped",)
    if look.weak:
        return ("weak",)
    return (
        look.severity or "unread",
        *(("approximate",) if look.approximate else ()),
        *(("overlap",) if look.overlap else ()),
    )
