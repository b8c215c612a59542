"""The consistency screen: how far judge and reviewers agree, with the plot, for one reviewer or all."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from discox_tui import actions
from discox_tui.screens.base import DiscoxScreen
from discox_tui.screens.dialogs import SafeInput
from discox_tui.widgets.lines import Bar, Runs, TextBlock
from storage.connection import open_database
from storage.reviewed import read_reviewed


class ConsistencyScreen(DiscoxScreen):
    """The figures, computed behind the screen: numpy is loaded only now."""

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("consistency")]
    DEFAULT_CSS = """
    ConsistencyScreen {
        & > #filter { display: none; border: none; height: 1; padding: 0 1; background: $surface; }
        & > #filter.-open { display: block; }
        & > TextBlock { margin: 1 0 0 0; }
    }
    """

    def content(self) -> ComposeResult:
        """A title, the filter, the figures."""
        yield Bar(id="title")
        yield SafeInput(placeholder="a reviewer's name; empty: all reviewers", id="filter")
        yield TextBlock(id="figures")

    def on_mount(self) -> None:
        """Compute over all reviewers."""
        self.query_one("#figures").focus()
        self._compute("")

    @work(thread=True, exclusive=True)
    def _compute(self, reviewer: str) -> None:
        from discox_tui.reports.consistency import as_text
        from discox_tui.reports.plots import scatter
        from judges.agreement.report import consistency

        connection = open_database(self.app.session.connection.path, create=False)
        try:
            reviewed = read_reviewed(connection, reviewer or None)
        finally:
            connection.close()
        report = consistency(
            reviewed.findings, reviewed.documents, reviewed.left_out, reviewed.evaluations, reviewed.unfinished
        )
        paragraphs: list[Runs] = [[(line, "")] for line in as_text(report).split("\n")]
        judge = [document.judge.total for document in reviewed.documents]
        human = [document.human.total for document in reviewed.documents]
        width = max(30, min(80, self.size.width - 4))
        plot = scatter(judge, human, 100, width, 20)
        paragraphs += [
            [(line, "")] for line in ("", "Judge's score against the reviewer's, by document", *plot.split("\n"))
        ]
        self.app.call_from_thread(self._show, reviewer, paragraphs)

    def _show(self, reviewer: str, paragraphs: list[Runs]) -> None:
        whose = f"reviewer {reviewer}" if reviewer else "all reviewers"
        self.query_one("#title", Bar).show(([("discox", "title"), ("  consistency", "")], [(whose, "faint")]))
        self.query_one("#figures", TextBlock).show(paragraphs)

    def action_filter(self) -> None:
        """Choose one reviewer."""
        field = self.query_one("#filter", Input)
        field.set_class(True, "-open")
        field.focus()

    @on(Input.Submitted)
    def _entered(self, message: Input.Submitted) -> None:
        self._compute(message.value.strip())
        self.query_one("#figures").focus()

    def action_back(self) -> None:
        """Clear the filter; then go back."""
        field = self.query_one("#filter", Input)
        if field.has_class("-open"):
            field.value = ""
            field.set_class(False, "-open")
            self.query_one("#figures").focus()
            self._compute("")
        else:
            self.app.pop_screen()
