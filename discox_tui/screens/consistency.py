"""The consistency screen: how far judge and reviewers agree, with the plot, for one reviewer or all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.events import Resize

from discox_tui import actions
from discox_tui.screens.filtering import FilteredScreen
from discox_tui.widgets.lines import Bar, Runs, TextBlock
from storage.connection import open_database
from storage.errors import StorageError
from storage.reviewed import read_reviewed

TWO_COLUMNS = 130
"""Columns from which the plot stands beside the figures."""


def _style(line: str) -> str:
    """Headings stand out, definitions stand back."""
    return "title" if line.isupper() else "faint" if line.startswith("    ") else ""


class ConsistencyScreen(FilteredScreen):
    """The figures, computed behind the screen: numpy is loaded only now."""

    NAME = "consistency"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = """
    ConsistencyScreen {
        & > Horizontal { margin: 1 0 0 0; }
        & #figures { width: 86; }
        & #plot { width: 1fr; }
        &.-one-column #figures { width: 1fr; }
        &.-one-column #plot { display: none; }
    }
    """

    HINT = "words that article, system, direction, domain or reviewer contain"

    def content(self) -> ComposeResult:
        """A title, the figures with the plot beside them."""
        yield Bar(id="title")
        with Horizontal():
            yield TextBlock(id="figures")
            yield TextBlock(id="plot")

    def on_mount(self) -> None:
        """Compute over everything."""
        self.set_focus(self.query_one("#figures"))
        self._compute("")

    def on_resize(self, event: Resize) -> None:
        """Beside the figures there may be room for the plot."""
        super().on_resize(event)
        self.set_class(event.size.width < TWO_COLUMNS, "-one-column")

    @work(thread=True, exclusive=True)
    def _compute(self, filter_words: str) -> None:
        from discox_tui.reports.consistency import as_text
        from discox_tui.reports.plots import scatter

        try:
            with closing(open_database(self.app.session.connection.path, create=False)) as connection:
                reviewed = read_reviewed(connection, words=filter_words)
        except (sqlite3.Error, StorageError) as error:
            self.app.call_from_thread(self.app.say, str(error), warning=True)
            return
        judge = [document.judge.total for document in reviewed.documents]
        human = [document.human.total for document in reviewed.documents]
        beside = self.size.width >= TWO_COLUMNS
        plot = scatter(judge, human, 100, self.size.width - 90 if beside else 76, 26 if beside else 20)
        drawn: list[Runs] = [
            [("Judge's score and the reviewer's, a point a document", "strong")],
            *([(line, "")] for line in ("", *plot.split("\n"))),
        ]
        figures: list[Runs] = [[(line, _style(line))] for line in as_text(reviewed.report()).split("\n")]
        self.app.call_from_thread(self._show, filter_words, figures, drawn, beside)

    def _show(self, words: str, figures: list[Runs], plot: list[Runs], beside: bool) -> None:
        left = [("discox", "title"), ("  consistency", ""), (f"  with “{words}”" if words else "", "faint")]
        self.query_one("#title", Bar).show((left, [("all reviewers" if not words else "", "faint")]))
        self.query_one("#figures", TextBlock).show(figures if beside else [*figures, *plot])
        self.query_one("#plot", TextBlock).show(plot)

    def body(self) -> TextBlock:
        """The figures have the focus."""
        return self.query_one("#figures", TextBlock)

    def filtered(self) -> None:
        """Compute over what the words leave."""
        self._compute(self.words)
