"""The import report: what came in, what was flagged, what was left out and why, by file and line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.screens.common.filtered import FilteredScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.text.counts import counted
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from storage.base.reasons import first_lines
from storage.importing.import_report import Note, imports

COLUMNS = (
    Column("file", "file", 16, flex=2, priority=8),
    Column("line", "line", 6, align="right", priority=7),
    Column("kind", "", 9, priority=9),
    Column("message", "what", 24, flex=3, priority=6),
)


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One line of the report: a file's sum, what is to know of rows, or one of those rows.

    ``rows``: those that a reason is of, where they are several; enter shows and hides them.
    """

    key: int
    file: str
    line: int | None
    kind: str
    message: str
    evaluation_id: str | None = None
    rows: tuple[ReportRow, ...] = ()


STYLES = {"file": "strong", "left_out": "critical", "flag": "major"}


def cells(row: ReportRow) -> Sequence[Cell]:
    """One row as cells of the table."""
    style = STYLES[row.kind]
    plain = style if row.kind == "file" else "plain"
    line = f"{len(row.rows):,} ×" if row.rows else str(row.line) if row.line else ""  # 0 is of the whole file
    kind = "" if row.kind == "file" else row.kind.replace("_", " ")
    return (row.file, style if row.kind == "file" else "faint"), (line, "faint"), (kind, style), (row.message, plain)


class ImportReportScreen(FilteredScreen):
    """All imports of the library, newest first."""

    NAME = "import_report"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "ImportReportScreen")

    HINT = "words that a line contains"

    def __init__(self, review: Callable[[str], None]) -> None:
        """``review`` opens the review of an evaluation."""
        super().__init__()
        self._review = review

    def content(self) -> ComposeResult:
        """A title, the table, the whole of the current row."""
        yield Bar(id="title")
        yield VirtualTable(
            COLUMNS,
            cells,
            key=lambda row: row.key,
            empty="Nothing was imported yet. Bring result files in with:  discox import FILE",
        )
        yield TextBlock(id="whole")

    def on_mount(self) -> None:
        """Read the reports."""
        self._rows: list[ReportRow] = []
        self._unfolded: set[int] = set()
        stored = left_out = flags = 0
        for _, at, report in imports(self.app.session.connection):
            total = (
                f"{counted(report.rows, 'row')} = {report.stored:,} stored + {report.unchanged:,} unchanged + "
                f"{report.left_out:,} left out   {report.format}   {at[:16].replace('T', ' ')} UTC"
            )
            self._rows.append(ReportRow(len(self._rows), report.file.name, None, "file", total))
            stored += report.stored
            left_out += report.left_out
            for reason in report.reasons():
                rows = tuple(self._row(report.file.name, note, key) for key, note in enumerate(reason.things))
                flags += len(rows) * (reason.things[0].kind == "flag")
                if len(rows) == 1:
                    self._rows.append(replace(rows[0], key=len(self._rows)))
                    continue
                like = "" if reason.alike else ", and the like"
                message = f"{rows[0].message}{like}{first_lines(note.line for note in reason.things)}"
                self._rows.append(replace(rows[0], key=len(self._rows), line=None, message=message, rows=rows))
        left = [("discox", "title"), ("  import report", "")]
        right = [
            (f"{stored:,} stored", "good"),
            (f"   {left_out:,} left out", "critical"),
            (f"   {flags:,} flags", "major"),
        ]
        self.query_one("#title", Bar).show((left, right))
        self.filtered()
        self.set_focus(self.body())

    @staticmethod
    def _row(file: str, note: Note, key: int) -> ReportRow:
        message = f"{note.field}: {note.message}" if note.field else note.message
        return ReportRow(-1 - key, file, note.line, note.kind, message, note.evaluation_id)

    def _show_whole(self) -> None:
        row = self.query_one(VirtualTable).current
        paragraphs = [] if row is None else [[(row.file, "strong")], [(row.message, "")]]
        self.query_one("#whole", TextBlock).show(paragraphs)

    @on(VirtualTable.Highlighted)
    def _highlighted(self) -> None:
        self._show_whole()

    @on(VirtualTable.Selected)
    def _selected(self, message: VirtualTable.Selected) -> None:
        """Open the evaluation that a line is about; of a line about several rows show or hide these."""
        row = message.table.current
        if row is not None and row.rows:
            self._unfolded ^= {row.key}
            self.filtered()
        elif row is not None and row.evaluation_id:
            self.app.pop_screen()
            self._review(row.evaluation_id)

    def body(self) -> VirtualTable[ReportRow]:
        """The table has the focus."""
        return self.query_one(VirtualTable)

    def filtered(self) -> None:
        """Show the lines in which every word occurs."""
        words = self.words.casefold().split()
        shown: list[ReportRow] = []
        for row in self._rows:
            if all(word in f"{row.file} {row.kind.replace('_', ' ')} {row.message}".casefold() for word in words):
                shown.append(row)
                if row.key in self._unfolded:
                    shown += (replace(each, key=(row.key + 1) * _APART + at) for at, each in enumerate(row.rows))
        self.body().set_rows(shown)
        self._show_whole()


_APART = 1 << 32
"""The number by which the keys of a reason's rows are apart from those of another's."""
