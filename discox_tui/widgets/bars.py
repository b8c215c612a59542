"""Small texts that change with every key: bars of one or two rows, and a block that wraps and scrolls.

Both paint whole rows from runs of (text, style name), literally, without markup or layout, so that a change costs
one repaint of themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from discox_tui.text.columns import fit
from discox_tui.text.runs import Run, Runs
from discox_tui.text.safe import display
from discox_tui.text.widths import widths
from discox_tui.widgets.compositor import Lines
from discox_tui.widgets.named_styles import named_style

if TYPE_CHECKING:
    from textual.events import Click


class Painter(Lines):
    """The base of widgets that paint runs: their styles, looked up by name."""

    ALLOW_SELECT = False

    _run_styles: dict[str, Style] | None = None

    def style_of(self, name: str) -> Style:
        """The Rich style of a run's style name on this widget's ground."""
        if self._run_styles is None:
            self._run_styles = {"": self.rich_style}
        style = self._run_styles.get(name)
        if style is None:
            style = self._run_styles[""] + named_style(self.app, name)
            self._run_styles[name] = style
        return style

    def notify_style_update(self) -> None:
        """Look the styles up anew."""
        super().notify_style_update()
        self._run_styles = None

    def paint(self, runs: Runs, width: int) -> tuple[list[Segment], int]:
        """Return segments for runs cut to ``width`` cells, and the cells they take."""
        measure = widths()
        segments: list[Segment] = []
        taken = 0
        for text, name in runs:
            shown = display(text)
            cells = measure.of(shown)
            if taken + cells > width:
                shown = fit(text, width - taken)
                cells = width - taken
            segments.append(Segment(shown, self.style_of(name)))
            taken += cells
            if taken >= width:
                break
        return segments, taken


class Bar(Painter):
    """A few rows, each with something at the left and something at the right; the right gives way last."""

    DEFAULT_CSS = "Bar { height: 1; padding: 0 1; color: $foreground; background: $background; }"

    def __init__(self, rows: int = 1, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._rows: list[tuple[Runs, Runs]] = [((), ())] * rows
        self.styles.height = rows

    @property
    def rows(self) -> Sequence[tuple[Runs, Runs]]:
        """The rows that are shown: (left, right)."""
        return self._rows

    def show(self, *rows: tuple[Runs, Runs]) -> None:
        """Show these rows of (left, right); what stays the same is not repainted."""
        before, self._rows = self._rows, list(rows)
        if len(before) != len(rows):
            self.refresh()
            return
        measure, width = widths(), self.size.width
        for y, ((left, right), (old_left, old_right)) in enumerate(zip(rows, before, strict=True)):
            if left is old_left and right is old_right:
                continue
            taken, was = (sum(measure.of(text) for text, _ in runs) for runs in (right, old_right))
            if list(left) != list(old_left) or taken != was:
                self.refresh(Region(0, y, width, 1))
            elif list(right) != list(old_right):
                self.refresh(Region(max(0, width - taken), y, taken, 1))

    def render_line(self, y: int) -> Strip:
        """Paint one row."""
        width = self.size.width
        left, right = self._rows[y] if y < len(self._rows) else ((), ())
        ends, taken = self.paint(right, width)
        starts, used = self.paint(left, max(0, width - taken - (2 if taken else 0)))
        gap = Segment(" " * max(0, width - used - taken), self.style_of(""))
        return Strip([*starts, gap, *ends], width)


KNOWN = 128
"""Wrapped paragraphs that a block keeps at the most."""


class TextBlock(ScrollView, Painter, can_focus=True):
    """Paragraphs of runs, wrapped to the width by the rules of the text pane, scrolled where they do not fit."""

    DEFAULT_CSS = """
    TextBlock {
        color: $foreground; background: $background;
        height: 1fr; padding: 0 1; overflow-x: hidden; overflow-y: scroll;
        scrollbar-size-vertical: 1; scrollbar-background: $background; scrollbar-background-hover: $background;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._paragraphs: list[Runs] = []
        self._lines: list[Strip] | None = None
        self._wrapped: dict[tuple[Run, ...], list[Strip]] = {}
        self._width = 0

    @property
    def text(self) -> str:
        """The plain text that is shown, one paragraph a line."""
        return "\n".join("".join(run[0] for run in runs) for runs in self._paragraphs)

    def show(self, paragraphs: Sequence[Runs]) -> None:
        """Show these paragraphs from the top."""
        if list(paragraphs) == self._paragraphs:
            return
        self._paragraphs = list(paragraphs)
        before, self._lines = self._lines, None
        if scrolled := self.scroll_offset.y > 0:
            self.scroll_to(y=0, animate=False)
        self._measure()
        if scrolled or before is None or self._lines is None:
            self.refresh()
            return
        nothing = Strip([])
        for y, (old, new) in enumerate(zip_longest(before, self._lines, fillvalue=nothing)):
            if y < self.size.height and old != new:
                self.refresh(Region(0, y, max(old.cell_length, new.cell_length), 1))

    def go_to(self, paragraph: int) -> None:
        """Scroll so that a paragraph (counted from 0) is at the top, if so much follows it."""
        self._measure()
        before = self._paragraphs[:paragraph]
        self.scroll_to(y=sum(len(self._wrapped.get(tuple(runs), ())) for runs in before), animate=False)

    def notify_style_update(self) -> None:
        """Paint anew in other colours."""
        super().notify_style_update()
        self._lines = None
        self._wrapped = {}

    def on_resize(self) -> None:
        """Wrap to the new width."""
        self._measure()

    def _measure(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        if self._lines is None or width != self._width:
            # What is shown again, a finding gone back to or a flag of the evaluation, was wrapped before.
            if width != self._width or len(self._wrapped) > KNOWN:
                self._wrapped = {}
            self._width = width
            self._lines = []
            for runs in map(tuple, self._paragraphs):
                if runs not in self._wrapped:
                    self._wrapped[runs] = self._wrap(runs, width)
                self._lines += self._wrapped[runs]
        # The scrollbar's place is always kept, so another height moves nothing; assigning it would lay out the screen.
        height = max(len(self._lines), self.size.height)
        self.set_reactive(Widget.virtual_size, Size(width, height))
        self.vertical_scrollbar.window_virtual_size = height

    def _wrap(self, runs: Runs, width: int) -> list[Strip]:
        from discox_tui.text.wrapping import Typeset  # the first screen has nothing to wrap

        text = "".join(run[0] for run in runs)
        typeset = Typeset(text)
        styles: list[tuple[int, Style]] = []
        end = 0
        for piece, name in runs:
            end += len(piece)
            styles.append((end, self.style_of(name)))
        rows = typeset.rows(width)
        if not rows.starts:
            return [Strip([])]
        lines = []
        for start, stop in zip(rows.starts, rows.stops, strict=True):
            segments = []
            for until, style in styles:
                if until > start:
                    segments.append(Segment(typeset.shown[start : min(until, stop)], style))
                    start = until
                if start >= stop:
                    break
            lines.append(Strip(segments))
        return lines

    def render_line(self, y: int) -> Strip:
        """Paint one row of the screen."""
        if self._lines is None or self._width != self.scrollable_content_region.width:
            self._measure()  # a row may be painted before a new size is announced
        index = self.scroll_offset.y + y
        line = self._lines[index] if self._lines is not None and index < len(self._lines) else Strip([])
        return line.adjust_cell_length(self.size.width, self.style_of(""))


class TourStrip(TextBlock, can_focus=False):
    """The strip in which the tour speaks: three rows above the keys, over nothing that is being read."""

    DEFAULT_CSS = "TourStrip { height: 3; background: $surface; overflow-y: hidden; }"


BETWEEN = "   "


class TabBar(Bar):
    """Names of parts, the one that is shown marked. ``parts``: (key, name, action of the screen)."""

    def __init__(self, parts: Sequence[tuple[str, str, str]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._parts = parts

    def mark(self, index: int) -> None:
        """Mark the part that is shown now."""
        runs: list[Run] = []
        for i, (key, name, _) in enumerate(self._parts):
            here = i == index
            runs += [(f"{key} ", "title" if here else "faint"), (name, "title" if here else ""), (BETWEEN, "")]
        self.show((runs, ()))

    async def on_click(self, event: Click) -> None:
        """Show the part under the pointer."""
        x = 1
        for key, name, action in self._parts:
            width = widths().of(f"{key} {name}")
            if x <= event.x < x + width:
                await self.screen.run_action(action)
                return
            x += width + len(BETWEEN)
