"""The one table behind every list of the app: it draws only the rows on screen, so its cost does not grow with them.

Rows stay what the caller has (any sequence of anything); ``cells`` turns one into text when it is about to be seen.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import Binding
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from discox_tui.text.columns import Align, fit
from discox_tui.text.glyphs import ASCENDING_MARK, CURRENT_MARK, DESCENDING_MARK
from discox_tui.widgets.compositor import Lines
from discox_tui.widgets.named_styles import named_style

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from rich.style import Style
    from textual.binding import BindingType
    from textual.events import Click, Resize

Row = TypeVar("Row")
Cell = str | tuple[str, str]
"""Text, or text and the name of its style: one of ``named_styles.STYLES``."""

GAP = 2
"""Blank cells between columns."""
MARKER = 2
"""Cells before the first column, for the mark of the current row."""
MARGIN_RIGHT = 1
"""Blank cells after the last column."""
MARGIN = 2
"""Rows kept in sight beyond the cursor when it moves a row at a time."""


class Column(NamedTuple):
    """One column, as data.

    ``width``: its cells; with ``flex`` its least, and ``flex`` is its share of what the fixed ones leave.
    ``priority``: where room is short, the lowest go first (of equals the rightmost).
    """

    key: str
    title: str
    width: int
    flex: int = 0
    align: Align = "left"
    priority: int = 0


class Slot(NamedTuple):
    """The place of a column: its position among all columns, first cell and width."""

    column: int
    x: int
    width: int


def lay_out(columns: Sequence[Column], width: int) -> list[Slot]:
    """Return the columns that fit ``width`` cells and where; at least one, however narrow."""
    shown = list(range(len(columns)))

    def spare() -> int:
        return width - sum(columns[i].width for i in shown) - GAP * (len(shown) - 1)

    while len(shown) > 1 and spare() < 0:
        shown.remove(min(reversed(shown), key=lambda i: columns[i].priority))
    left, weights = spare(), sum(columns[i].flex for i in shown)
    slots, x = [], 0
    for i in shown:
        share = left * columns[i].flex // weights if weights and left > 0 else min(left, 0)
        left, weights = left - share, weights - columns[i].flex
        slots.append(Slot(i, x, max(columns[i].width + share, 0)))
        x += slots[-1].width + GAP
    return slots


class VirtualTable(ScrollView, Lines, Generic[Row], can_focus=True, inherit_bindings=False):
    """A table of any number of rows with a cursor; ``j``, ``k`` and all other letters are left to the screen.

    Its messages say what the *user* did: moves that the program makes are silent.
    """

    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_by(-1)", show=False),
        Binding("down", "cursor_by(1)", show=False),
        Binding("pageup", "cursor_page(-1)", show=False),
        Binding("pagedown", "cursor_page(1)", show=False),
        Binding("home", "cursor_home", show=False),
        Binding("end", "cursor_end", show=False),
        Binding("enter", "select", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "virtual-table--cursor",
        "virtual-table--cursor-blurred",
    }

    DEFAULT_CSS = """
    VirtualTable {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;

        & > .virtual-table--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
        & > .virtual-table--cursor-blurred {
            color: $block-cursor-blurred-foreground;
            background: $block-cursor-blurred-background;
            text-style: $block-cursor-blurred-text-style;
        }
    }
    """

    sort: reactive[tuple[str, bool] | None] = reactive(None, repaint=False)
    """The key of the column that the rows are sorted by and whether descending; only drawn, the caller sorts."""

    empty: reactive[str] = reactive("", layout=False)
    """Message of a table without rows."""

    class _RowMessage(Message):
        def __init__(self, table: VirtualTable[Any], index: int) -> None:
            super().__init__()
            self.table = table
            self.index = index

        @property
        def control(self) -> VirtualTable[Any]:
            """The table it came from."""
            return self.table

    class Highlighted(_RowMessage):
        """The user moved the cursor to the row at ``index``."""

    class Selected(_RowMessage):
        """The user chose the row at ``index``: enter, or a click on the current row."""

    class Unreadable(Message):
        """A row could not be read, and is drawn blank."""

        def __init__(self, error: sqlite3.Error) -> None:
            super().__init__()
            self.error = error

    class HeaderClicked(Message):
        """The user clicked the title of the column ``key``."""

        def __init__(self, table: VirtualTable[Any], key: str) -> None:
            super().__init__()
            self.table = table
            self.key = key

        @property
        def control(self) -> VirtualTable[Any]:
            """The table it came from."""
            return self.table

    def __init__(
        self,
        columns: Sequence[Column],
        cells: Callable[[Row], Sequence[Cell]],
        *,
        key: Callable[[Row], Hashable] = lambda row: row,
        rows: Sequence[Row] = (),
        empty: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Make a table.

        ``cells`` gives one cell per column and is called for visible rows only. ``key`` names a row whatever its
        position, for keeping the cursor on it when rows are filtered or sorted anew.
        """
        super().__init__(id=id, classes=classes)
        self.columns = tuple(columns)
        self._cells = cells
        self._key = key
        self._rows: Sequence[Row] = rows
        self._cursor = 0
        self._width = -1
        self._slots: list[Slot] = []
        self._strips: LRUCache[tuple[int, str], Strip] = LRUCache(512)
        self._grounds: dict[str, Style] = {}
        self.virtual_size = Size(0, len(rows) + 1)
        self.set_reactive(VirtualTable.empty, empty)

    # --- what the caller reads and sets ---

    @property
    def rows(self) -> Sequence[Row]:
        """The rows as last set."""
        return self._rows

    @property
    def cursor(self) -> int | None:
        """The position of the current row; None where there are no rows."""
        return self._cursor if self._rows else None

    @property
    def current(self) -> Row | None:
        """The current row; None where there are no rows."""
        return self._rows[self._cursor] if self._rows else None

    def set_rows(self, rows: Sequence[Row], *, keep: Hashable | None = None) -> None:
        """Show these rows. The cursor goes to the row with the key ``keep`` and stays where it was on screen.

        Without such a row the cursor keeps its position in the list, as far as the list goes.
        """
        if keep is None and self._cursor < len(self._rows):
            keep = self._key(self._rows[self._cursor])
        top = self._cursor - self.scroll_offset.y
        self._rows = rows
        self._cursor = self._find(keep)
        self._strips.clear()
        self.virtual_size = Size(0, len(rows) + 1)
        self.scroll_to(y=self._cursor - top, animate=False)
        self._reveal(0)
        self.refresh()

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns; ``cells`` must give one cell for each from now on."""
        if tuple(columns) != self.columns:
            self.columns = tuple(columns)
            self._width = -1
            self.refresh()

    def move_cursor(self, index: int) -> None:
        """Make the row at ``index`` (held within the list) the current one and bring it into sight; silent."""
        self._move(index)

    def refresh_row(self, index: int) -> None:
        """Draw the row at ``index`` anew: what its cells say has changed."""
        for state in ("", "cursor", "cursor-blurred"):
            self._strips.discard((index, state))
        self._repaint(index)

    def _repaint(self, index: int) -> None:
        """Put the row on screen again, as it was last drawn in its present state."""
        y = index - self.scroll_offset.y
        if 0 <= y < self._page:  # without the scrollbar, which would be asked for the line too
            self.refresh(Region(0, y + 1, self.scrollable_content_region.width, 1))

    # --- moving ---

    @property
    def _page(self) -> int:
        """Rows that fit on screen below the header."""
        return max(self.size.height - 1, 0)

    def _find(self, key: Hashable | None) -> int:
        """The position of the row with this key; failing that the cursor's, held within the list."""
        index = max(min(self._cursor, len(self._rows) - 1), 0)
        if key is None or (self._rows and self._key(self._rows[index]) == key):
            return index
        return next((i for i, row in enumerate(self._rows) if self._key(row) == key), index)

    def _reveal(self, margin: int) -> bool:
        """Scroll as little as shows the cursor with ``margin`` rows beyond it; True if that moved anything."""
        before = self.scroll_offset.y
        margin = min(margin, max(self._page - 1, 0) // 2)
        top = min(max(before, self._cursor + margin + 1 - self._page), self._cursor - margin)
        if self._page and top != before:
            self.scroll_to(y=top, animate=False)
        return self.scroll_offset.y != before

    def _move(self, index: int, *, margin: int = MARGIN, tell: bool = False) -> None:
        index = max(min(index, len(self._rows) - 1), 0)
        if index == self._cursor or not self._rows:
            return
        before, self._cursor = self._cursor, index
        if not self._reveal(margin):
            self._repaint(before)
            self._repaint(index)
        if tell:
            self.post_message(self.Highlighted(self, index))

    def action_cursor_by(self, step: int) -> None:
        """Move the cursor by ``step`` rows."""
        self._move(self._cursor + step, tell=True)

    def action_cursor_page(self, pages: int) -> None:
        """Move the cursor by that many screenfuls."""
        self._move(self._cursor + pages * max(self._page - 1, 1), tell=True)

    def action_cursor_home(self) -> None:
        """Move the cursor to the first row."""
        self._move(0, tell=True)

    def action_cursor_end(self) -> None:
        """Move the cursor to the last row."""
        self._move(len(self._rows) - 1, tell=True)

    def action_select(self) -> None:
        """Choose the current row."""
        if self._rows:
            self.post_message(self.Selected(self, self._cursor))

    # --- events ---

    def on_resize(self, event: Resize) -> None:
        """The top row stays, unless the cursor would leave the screen."""
        self._reveal(0)

    def on_click(self, event: Click) -> None:
        """Highlight the clicked row, choose it if it is the current one, or name the clicked column."""
        if event.y == 0:
            x = event.x - MARKER
            for slot in self._slots:
                if slot.x <= x < slot.x + slot.width:
                    self.post_message(self.HeaderClicked(self, self.columns[slot.column].key))
            return
        index = self.scroll_offset.y + event.y - 1
        if index >= len(self._rows):
            return
        if index == self._cursor:
            self.action_select()
        else:  # no margin: the row must stay under the pointer for a second click
            self._move(index, margin=0, tell=True)

    def watch_has_focus(self, value: bool) -> None:
        """Draw the cursor as focused or not; no style sheet asks for the focus of a table."""
        self._repaint(self._cursor)

    def watch_sort(self) -> None:
        """Draw the header with the mark at the column sorted by."""
        self.refresh(Region(0, 0, self.size.width, 1))

    def notify_style_update(self) -> None:
        """Forget what was drawn in other colours."""
        super().notify_style_update()
        self._strips.clear()
        self._grounds.clear()

    # --- drawing ---

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen: the header, a row, the message of an empty table or nothing."""
        width = self.scrollable_content_region.width
        if self._width != width:  # seen here, as a line may be drawn before a resize is announced
            self._width = width
            self._slots = lay_out(self.columns, width - MARKER - MARGIN_RIGHT)
            self._strips.clear()
        if y == 0:
            return self._header()
        index = self.scroll_offset.y + y - 1
        if index < len(self._rows):
            try:
                return self._row(index)
            except sqlite3.Error as error:  # a row that cannot be read must not end the program
                self.post_message(self.Unreadable(error))
                return Strip.blank(width, self._ground(""))
        if not self._rows and self.empty and 0 <= (line := y - 1 - (self._page - 1) // 3) < self._page:
            words = self._empty_lines(width)[line : line + 1]
            return Strip(
                [Segment(fit(each, width, "center"), self._style("faint", self._ground(""))) for each in words]
            )
        return Strip.blank(width, self._ground(""))

    def _empty_lines(self, width: int) -> list[str]:
        """Return the sentence for an empty table, in lines of this width."""
        from discox_tui.text.wrapping import Typeset  # few tables are empty

        typeset = Typeset(self.empty)
        rows = typeset.rows(max(1, width - 2))
        return [typeset.shown[start:stop] for start, stop in zip(rows.starts, rows.stops, strict=True)]

    def _style(self, name: str, base: Style) -> Style:
        return base + named_style(self.app, name)

    def _ground(self, state: str) -> Style:
        """The style under a row's cells: of the current one, ``state`` says how it is current."""
        ground = self._grounds.get(state)
        if ground is None:
            ground = self.rich_style
            if state:
                ground += self.get_component_rich_style(f"virtual-table--{state}", partial=True)
            self._grounds[state] = ground
        return ground

    def _line(self, base: Style, mark: Segment, cells: Iterable[tuple[str, Style]]) -> Strip:
        """Put one cell into each slot, on a ground of style ``base``."""
        segments = [mark]
        for slot, (text, style) in zip(self._slots, cells, strict=True):
            for words, look in ((text, style), (" " * (slot.width + GAP - cell_len(text)), base)):
                if look == segments[-1].style:  # each segment is written with its colours
                    segments[-1] = Segment(segments[-1].text + words, look)
                else:
                    segments.append(Segment(words, look))
        return Strip(segments).adjust_cell_length(self._width, base)

    def _header(self) -> Strip:
        base = self._style("faint", self._ground(""))
        titles: list[tuple[str, Style]] = []
        for slot in self._slots:
            column = self.columns[slot.column]
            title = fit(column.title, slot.width, column.align)
            if self.sort is None or self.sort[0] != column.key:
                titles.append((title, base))
            else:  # the mark may stand in the gap, so the title loses nothing
                mark = DESCENDING_MARK if self.sort[1] else ASCENDING_MARK
                titles.append((title.rstrip() + mark, self._style("title", self._ground(""))))
        return self._line(base, Segment(" " * MARKER, base), titles)

    def _row(self, index: int) -> Strip:
        state = "" if index != self._cursor else "cursor" if self.has_focus else "cursor-blurred"
        strip = self._strips.get((index, state))
        if strip is None:
            base = self._ground(state)
            mark = (
                Segment(fit(CURRENT_MARK, MARKER), self._style("title", base)) if state else Segment(" " * MARKER, base)
            )
            cells = self._cells(self._rows[index])
            strip = self._line(base, mark, [self._cell(cells[slot.column], slot, base) for slot in self._slots])
            self._strips[(index, state)] = strip
        return strip

    def _cell(self, cell: Cell, slot: Slot, base: Style) -> tuple[str, Style]:
        text, style = (cell, base) if isinstance(cell, str) else (cell[0], self._style(cell[1], base))
        return fit(text, slot.width, self.columns[slot.column].align), style
