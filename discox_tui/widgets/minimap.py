"""One column that says where in a long text the errors are, which part is in view, and which one is current."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from discox_tui.text.looks import rank

if TYPE_CHECKING:
    from rich.style import Style
    from textual import events

    from discox_tui.widgets.text_pane import TextPane

_BLOCKS = (
    ("▖", "unread"),
    ("▖", "minor"),
    ("▌", "violated"),
    ("▌", "major"),
    ("▙", "critical"),
    ("▛", "extremely_critical"),
)
"""What marks a place, by the rank of the worst error there: more ink for a worse one. All narrow in every terminal."""
_CURRENT = ("◂", "current")


class Minimap(Widget):
    """The map of a :class:`TextPane`, at its right; click or drag to go there."""

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

    def __init__(self, pane: TextPane) -> None:
        """``pane``: what is mapped."""
        super().__init__()
        self._pane = pane
        self._worst: list[int] = []
        self._cells: list[tuple[str, str, bool]] = []
        self._dragging = False

    def on_mount(self) -> None:
        """Follow the pane."""
        for attribute, callback in {
            "looks": self._survey,
            "tops": self._survey,
            "virtual_size": self._survey,
            "current": self._update,
            "scroll_y": self._update,
        }.items():
            self.watch(self._pane, attribute, callback, init=False)
        self._survey()

    def on_resize(self) -> None:
        """The scale is another one."""
        self._survey()

    def render_line(self, y: int) -> Strip:
        """Return one cell."""
        sign, name, in_view = self._cells[y] if y < len(self._cells) else (" ", "", False)
        return Strip([Segment(sign, self._style(name, in_view))], 1)

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

    def _go(self, y: int) -> None:
        line = y * self._lines // max(1, self.size.height)
        self._pane.scroll_to_line(line - self._pane.size.height // 2)

    @property
    def _lines(self) -> int:
        """The lines that the map's height stands for: those of the text, or its own if the text has fewer."""
        return max(self._pane.virtual_size.height, self.size.height)

    def _places(self, lines: tuple[int, int]) -> range:
        scale = self.size.height / max(1, self._lines)
        return range(int(lines[0] * scale), int(lines[1] * scale) + 1)

    def _survey(self) -> None:
        """Find the worst mark in each place."""
        self._worst = [-1] * self.size.height
        for first, last, mark in self._pane.mark_lines():
            if not (mark.weak or mark.dropped):
                for place in self._places((first, last)):
                    if place < len(self._worst):
                        self._worst[place] = max(self._worst[place], rank(mark.severity))
        self._update()

    def _update(self) -> None:
        """Repaint the cells that changed."""
        pane = self._pane
        current = {
            place
            for first, last, mark in (() if pane.current is None else pane.mark_lines(pane.current))
            if not mark.weak
            for place in self._places((first, last))
        }
        top = pane.scroll_offset.y
        fits = pane.virtual_size.height <= pane.size.height
        view = range(0) if fits else self._places((top, top + pane.size.height - 1))
        cells = [
            (*(_CURRENT if place in current else _BLOCKS[worst] if worst >= 0 else (" ", "")), place in view)
            for place, worst in enumerate(self._worst)
        ]
        before, self._cells = self._cells, cells
        if len(before) != len(cells):
            self.refresh()
        elif changed := [Region(0, y, 1, 1) for y, cell in enumerate(cells) if cell != before[y]]:
            self.refresh(*changed)

    def _style(self, name: str, in_view: bool) -> Style:
        style = self.get_component_rich_style(f"minimap--{name}") if name else self.rich_style
        if in_view:
            view = self.get_component_rich_style("minimap--view")
            style += view.from_color(None, view.bgcolor) + self.get_component_styles("minimap--view").text_style
        return style
