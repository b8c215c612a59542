"""One column that says where in a long text the errors are, which part is in view, and which one is current."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from discox_tui.text.styles import rank
from discox_tui.widgets.compositor import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.style import Style
    from textual import events

    from discox_tui.text.row_layout import Page
    from discox_tui.widgets.text_view import TextView

_BLOCKS = (
    ("▖", "unread"),
    ("▖", "minor"),
    ("▌", "violated"),
    ("▌", "major"),
    ("▙", "critical"),
    ("▛", "extremely_critical"),
)
"""Glyphs of a place, by the rank of the worst error there: more ink for a worse one. All narrow in every terminal."""
_CURRENT = ("◂", "current")


class Minimap(Lines):
    """The map of a :class:`TextView`, at its right; click or drag to go there."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "minimap--minor",
        "minimap--violated",
        "minimap--major",
        "minimap--critical",
        "minimap--extremely_critical",
        "minimap--current",
        "minimap--unread",
        "minimap--view",
    }
    DEFAULT_CSS = """
    Minimap {
        width: 1;
        height: 1fr;
        background: $background;
        color: $foreground;

        .minimap--unread { color: $faint; }
        .minimap--minor { color: $severity-minor; }
        .minimap--violated { color: $severity-violated; }
        .minimap--major { color: $severity-major; }
        .minimap--critical { color: $severity-critical; }
        .minimap--extremely_critical { color: $severity-extreme; }
        .minimap--current { color: $current; text-style: bold; }
        .minimap--view { background: $foreground 12%; }

        &:ansi .minimap--view { background: ansi_default; text-style: reverse; }
    }
    """

    def __init__(self, pane: TextView, *, classes: str | None = None) -> None:
        """``pane``: what is mapped."""
        super().__init__(classes=classes)
        self._pane = pane
        self._height = 0
        self._surveyed: tuple[Page, int] | None = None
        self._extents: Sequence[tuple[int, int]] = ()
        self._cells: list[range] = []  # of each mark
        self._worst: dict[int, int] = {}
        self._current: set[int] = set()
        self._in_view = range(0)
        self._dragging = False
        self._styles_by_name: dict[tuple[str, bool], Style] = {}

    def on_mount(self) -> None:
        """Follow the pane."""
        for attribute, callback in (
            ("looks", self._survey),
            ("page", self._survey),
            ("current", self._follow),
            ("scroll_y", self._follow),
        ):
            self.watch(self._pane, attribute, callback, init=False)

    def on_resize(self) -> None:
        """The scale is another one."""
        self._height = self.size.height
        self._survey()

    def render_line(self, y: int) -> Strip:
        """Return one cell."""
        if y in self._current:
            sign, name = _CURRENT
        elif y in self._worst:
            sign, name = _BLOCKS[self._worst[y]]
        else:
            sign, name = " ", ""
        return Strip([Segment(sign, self._style(name, y in self._in_view))], 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go there, and follow the pointer until it is let go."""
        event.stop()
        self._dragging = True
        self.capture_mouse()
        self._go(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go where the pointer is dragged."""
        if self._dragging:
            self._go(event.y)

    def on_mouse_up(self) -> None:
        """Let go."""
        self._dragging = False
        self.release_mouse()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel is the pane's."""
        self._pane.on_mouse_scroll_up(event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel is the pane's."""
        self._pane.on_mouse_scroll_down(event)

    def _go(self, y: int) -> None:
        """Scroll so that the map's first cell is the text's beginning, and the last its end."""
        self._pane.scroll_to_line(round(y * self._pane.max_scroll_y / max(1, self._height - 1)))

    @property
    def _lines(self) -> int:
        """The lines that the map's height stands for: those of the text, or its own if the text has fewer."""
        return max(self._pane.page.height, self._height, 1)

    def _places(self, lines: tuple[int, int]) -> range:
        """Return the cells for a first and last line."""
        return range(lines[0] * self._height // self._lines, lines[1] * self._height // self._lines + 1)

    def _survey(self) -> None:
        """Find the worst mark in each place."""
        page, looks, scale = self._pane.page, self._pane.looks, self._height
        if (page, scale) != self._surveyed or looks.extents != self._extents:
            self._surveyed, self._extents = (page, scale), looks.extents
            self._cells = [self._places(page.lines_of(*extent)) for extent in looks.extents]
        worst: dict[int, int] = {}
        for mark, cells in zip(looks.marks, self._cells, strict=True):
            if not (mark.weak or mark.dropped):
                severity = rank(mark.severity)
                for cell in cells:
                    if severity > worst.get(cell, -1):
                        worst[cell] = severity
        before, self._worst = self._worst, worst
        self._repaint(cell for cell in worst.keys() | before.keys() if worst.get(cell) != before.get(cell))

    def _follow(self) -> None:
        self._repaint(())

    def _repaint(self, changed: Iterable[int]) -> None:
        """Repaint the cells that changed: these, those of another current finding, those in and out of view."""
        pane = self._pane
        current: set[int] = set()
        if pane.current is not None:
            for span, mark in pane.looks.spans(pane.current):
                if not mark.weak:
                    current.update(self._places(pane.page.lines_of(*span)))
        seen = pane.visible_lines
        in_view = self._places((seen[0], seen[-1])) if 0 < len(seen) < pane.page.height else range(0)
        cells = {*changed, *(current ^ self._current)}
        if in_view != self._in_view:
            cells |= set(in_view) ^ set(self._in_view)
        self._current, self._in_view = current, in_view
        if cells:
            self.refresh(*(Region(0, y, 1, 1) for y in cells))

    def notify_style_update(self) -> None:
        """Forget the styles of the old theme."""
        super().notify_style_update()
        self._styles_by_name.clear()

    def _style(self, name: str, in_view: bool) -> Style:
        style = self._styles_by_name.get((name, in_view))
        if style is None:
            style = self.get_component_rich_style(f"minimap--{name}") if name else self.rich_style
            if in_view:
                view = self.get_component_rich_style("minimap--view")
                style += view.from_color(None, view.bgcolor) + self.get_component_styles("minimap--view").text_style
            self._styles_by_name[name, in_view] = style
        return style
