"""The findings that make a weak spot: what the judge said and reviewers made of it; enter opens each in review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.screens.common.base import DiscoxScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.text.glyphs import DECISION_MARKS
from discox_tui.text.runs import Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from judges.consistency.error_slices import Slice
from storage.analysis.error_slices import Disputed, read_disputed

COLUMNS = (
    Column("decision", "", 1, priority=9),
    Column("became", "the reviewer", 14, priority=8),
    Column("reviewer", "", 8, flex=1, priority=3),
    Column("article", "article", 10, flex=1, priority=6),
    Column("system", "system", 10, flex=1, priority=5),
    Column("number", "#", 3, align="right", priority=4),
    Column("said", "the judge", 16, flex=3, priority=7),
)
BECAME = {"not_an_error": "no error", "duplicate": "a duplicate"}


def _cells(row: Disputed) -> Sequence[Cell]:
    return (
        (DECISION_MARKS["reattribute" if row.dimension else row.decision], "current"),
        _became(row),
        (row.reviewer, "faint"),
        row.article,
        row.system,
        (str(row.number), "faint"),
        row.said,
    )


def _became(row: Disputed) -> str:
    return BECAME.get(row.decision) or row.dimension or ""


class WeakSpotScreen(DiscoxScreen):
    """The disputed findings of one spot, over what the filter of the consistency screen leaves."""

    NAME = "weak_spot"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "WeakSpotScreen")

    def __init__(self, spot: Slice, words: str) -> None:
        super().__init__()
        self._spot = spot
        self._words = words

    def content(self) -> ComposeResult:
        """A title, the findings, the whole of the current one."""
        yield Bar(id="title")
        yield VirtualTable[Disputed](COLUMNS, _cells, key=lambda row: (row.finding, row.reviewer))
        yield TextBlock(id="whole")

    @property
    def table(self) -> VirtualTable[Disputed]:
        """The findings."""
        return self.query_one(VirtualTable)

    def on_mount(self) -> None:
        """Show them."""
        self.table.empty = "No reviewer rejects or moves a finding here. Esc goes back."
        self.set_focus(self.table)
        self._read()

    def on_screen_resume(self) -> None:
        """Something may have been decided meanwhile."""
        if self.is_mounted:
            self._read()

    def _read(self) -> None:
        with self.app.safely():
            rows = read_disputed(self.app.session.connection, self._spot, self._words)
            self.table.set_rows(rows)
            spot = self._spot
            name = f"  {spot.dimension} · {spot.category.replace('_', ' ')} · {spot.domain or '(no domain)'}"
            count = f"{len(rows):,} rejected or moved"
            left = [("discox", "title"), (name, ""), (f"  with “{self._words}”" if self._words else "", "faint")]
            self.query_one("#title", Bar).show((left, [(count, "faint")]))
            self._show_whole()

    @on(VirtualTable.Highlighted)
    def _show_whole(self) -> None:
        row = self.table.current
        said: list[Runs] = []
        if row is not None:
            what = f"{row.article} · {row.system} · finding {row.number}"
            severity = (row.severity or "no severity").replace("_", " ")
            said = [
                [(what, "strong"), (f"  {severity}  ", "faint"), (row.reviewer, ""), (f": {_became(row)}", "current")]
            ]
            said += [[("note  ", "faint"), (row.note, "")]] if row.note else []
            said.append([("judge  ", "faint"), (row.said, "")])
        self.query_one("#whole", TextBlock).show(said)

    @on(VirtualTable.Selected)
    def action_open(self) -> None:
        """Open the evaluation at the current finding."""
        from discox_tui.screens.review.screen import ReviewScreen

        if (row := self.table.current) is not None:
            with self.app.safely():
                self.app.session.open(row.evaluation)
                self.app.push_screen(ReviewScreen({"finding": row.finding}))

    def action_back(self) -> None:
        """Go back to the figures."""
        self.app.pop_screen()
