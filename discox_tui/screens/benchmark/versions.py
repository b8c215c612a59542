"""The versions of a candidate: who made each, when and why, and what is different from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.screens.benchmark.diff import ADDED, REMOVED, differences
from discox_tui.screens.common.base import DiscoxScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.text.runs import Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from judges.benchmark.rubric.points import Point
from storage.benchmark.candidates import Version

COLUMNS = (
    Column("number", "#", 3, align="right", priority=9),
    Column("person", "by", 10, flex=1, priority=8),
    Column("at", "when", 16, priority=6),
    Column("points", "points", 6, align="right", priority=4),
    Column("note", "why, or the file it is from", 10, flex=3, priority=7),
)


class VersionsScreen(DiscoxScreen):
    """Every version of one candidate, those that were taken back too, the latest first."""

    NAME = "versions"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "VersionsScreen")

    def __init__(self, key: str) -> None:
        """``key``: the candidate's."""
        super().__init__()
        self._key = key

    def content(self) -> ComposeResult:
        """A title, the versions, the difference."""
        yield Bar(id="title")
        yield VirtualTable[Version](COLUMNS, self._cells, key=lambda version: version.number, id="list")
        yield TextBlock(id="detail")

    @property
    def table(self) -> VirtualTable[Version]:
        """The versions."""
        return self.query_one("#list", VirtualTable)

    def on_mount(self) -> None:
        """Begin at the one that counts."""
        now = self.app.building.candidates[self._key]
        left = [("discox", "title"), (f"  {self._key}", "strong"), ("  versions", "")]
        self.query_one("#title", Bar).show((left, ()))
        self.table.set_rows(tuple(reversed(now.versions)))
        self.table.move_cursor(len(now.versions) - now.version.number)
        self.set_focus(self.table)
        self._show()

    def _cells(self, version: Version) -> Sequence[Cell]:
        counts = version.number == self.app.building.candidates[self._key].version.number
        style = "faint" if version.undone else "strong" if counts else "plain"
        why = version.note or (f"{version.file}:{version.line}" if version.file else "")
        if version.undone:
            why = f"taken back  {why}"
        return (
            (str(version.number), style),
            (version.person, style),
            (local(version.at), "faint"),
            (str(len(version.points)), "faint"),
            (why, "faint" if version.undone else "plain"),
        )

    @on(VirtualTable.Highlighted, "#list")
    def _show(self) -> None:
        version = self.table.current
        if version is None:
            return
        building = self.app.building
        versions = building.candidates[self._key].versions
        before = next((v for v in versions if v.article_id == version.base and v.number < version.number), None)
        if before is None:
            shown: list[Runs] = [[("This is how it came in.", "faint")]]
        else:
            then, now = building.article_of(before.article_id), building.article_of(version.article_id)
            shown = [
                [(f"What is different from version {before.number}", "strong")],
                *differences(then.source, now.source),
                *point_differences(before.points, version.points),
            ]
            if len(shown) == 1:
                shown = [[("Neither the text nor the points are different; its details are.", "faint")]]
        self.query_one("#detail", TextBlock).show(shown)

    def action_next_row(self) -> None:
        """Go to the version before, which is the next row."""
        self._go(1)

    def action_previous_row(self) -> None:
        """Go to the row before."""
        self._go(-1)

    def _go(self, step: int) -> None:
        self.table.move_cursor((self.table.cursor or 0) + step)
        self._show()

    def action_versions(self) -> None:
        """The key that opened it closes it."""
        self.app.pop_screen()

    def action_back(self) -> None:
        """Go back to the candidate."""
        self.app.pop_screen()


def point_differences(before: Sequence[Point], after: Sequence[Point]) -> list[Runs]:
    """Return the points that were taken out, came in or are worded otherwise."""
    kept = {_said(point) for point in before} & {_said(point) for point in after}
    shown: list[Runs] = [
        [(f"{REMOVED}point {p.number}  {_said(p)}", "removed")] for p in before if _said(p) not in kept
    ]
    shown += [[(f"{ADDED}point {p.number}  {_said(p)}", "added")] for p in after if _said(p) not in kept]
    return shown


def _said(point: Point) -> str:
    """All that a point says but its number."""
    return f"{point.text}  ({point.type or 'no type'}: {point.term or 'no term'})"


def local(at: str) -> str:
    """A moment as the clock on the wall here shows it."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M")
