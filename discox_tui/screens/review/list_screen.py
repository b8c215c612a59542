"""The base of screens that open from a review: a list about its evaluation, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.events import Resize

from discox_tui.screens.common.base import LOOK_AFTER
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.review import presenter
from discox_tui.screens.review.base import EvaluationScreen
from discox_tui.text.runs import Run, Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from storage.reviews.events import Event

Row = TypeVar("Row")

ROOMY = 120
"""Columns of the terminal from which a list has room for words."""
HIDDEN = "What the judge said is hidden from you until you reveal it; so is this."


class EvaluationListScreen(EvaluationScreen, Generic[Row]):
    """A list about the evaluation that a review has open. Rows are read anew after every act.

    A subclass says how wide its list is (``COLUMNS`` and ``NARROW_COLUMNS``), what it is called and what is in it.
    """

    TITLE_WORDS: ClassVar[str]
    COLUMNS: ClassVar[Sequence[Column]]
    NARROW_COLUMNS: ClassVar[Sequence[Column]]
    DEFAULT_CSS = style_sheet(__file__, "EvaluationListScreen")

    def __init__(self, after: Callable[[Event | None, str | None], None], subject: str | None = None) -> None:
        """Make the screen.

        ``after``: called when it closes, with what was undone or done again in another evaluation if that closed it,
        and with the id of the error to go to, if one was chosen. ``subject``: the error to begin at.
        """
        super().__init__()
        self._after = after
        self._subject = subject

    # --- what a subclass says ---

    def nothing(self) -> str:
        """Return the reason for an empty list; empty where there is something."""
        raise NotImplementedError

    def rows(self) -> Sequence[Row]:
        """Return the rows of now."""
        raise NotImplementedError

    def key(self, row: Row) -> Hashable:
        """Return the identity of a row, whatever its place."""
        raise NotImplementedError

    def cells(self, row: Row) -> Sequence[Cell]:
        """A row as cells."""
        raise NotImplementedError

    def subject(self, row: Row) -> str | None:
        """The id of the error that a row is about, to go to in the review; None: of none."""
        raise NotImplementedError

    def concerns(self, row: Row, identity: str | None) -> bool:
        """Tell if an act on this subject is about a row."""
        return identity is not None and self.subject(row) == identity

    def detail(self, row: Row) -> list[Runs]:
        """Return the paragraphs about a row."""
        raise NotImplementedError

    def count(self) -> Runs:
        """Return the title's summary of the list."""
        return ()

    def scores(self) -> Sequence[tuple[Runs, Runs]]:
        """The rows of the score bar."""
        return presenter.scores(self.evaluation, self.app.session, narrow=not self.roomy)

    # --- showing ---

    @property
    def list(self) -> VirtualTable[Row]:
        """The list."""
        return self.query_one("#list", VirtualTable)

    @property
    def roomy(self) -> bool:
        """True if there is room for words."""
        return self.size.width >= ROOMY

    def make_list(self) -> VirtualTable[Row]:
        """The list, to be composed."""
        return VirtualTable(self.NARROW_COLUMNS, self.cells, key=self.key, id="list")

    def on_mount(self) -> None:
        """Begin at the error that was current in the review."""
        self.set_focus(self.list)
        self.refresh_rows()
        rows = self.list.rows
        self.select(next((i for i, row in enumerate(rows) if self.concerns(row, self._subject)), 0))
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        """Show what another program has decided meanwhile for the same reviewer."""
        with self.app.looking():
            if self.is_active and self.app.session.changed_elsewhere():
                self.refresh_rows()

    def on_resize(self, event: Resize) -> None:
        """Other words fit."""
        super().on_resize(event)
        self.list.set_columns(self.COLUMNS if self.roomy else self.NARROW_COLUMNS)
        if self.is_mounted:
            self._show_scores()

    @property
    def absent(self) -> str:
        """Return why nothing is shown; empty where something is."""
        return HIDDEN if self.app.session.hidden or self.evaluation.hidden else self.nothing()

    def refresh_rows(self) -> None:
        """Show what was said meanwhile."""
        self.list.empty = self.absent
        self.list.set_rows([] if self.absent else self.rows())
        article = self.evaluation.article
        left: list[Run] = [("discox", "title"), (f"  {article.key}", "strong"), (f"  {self.TITLE_WORDS}", "")]
        self.query_one("#title", Bar).show((left, () if self.absent else self.count()))
        self._show_scores()
        self.show_current()

    def _show_scores(self) -> None:
        hidden = self.app.session.hidden or self.evaluation.hidden
        for bar in self.query("#score").results(Bar):
            bar.show(*([((), ())] * len(bar.rows) if hidden else self.scores()))

    def show_current(self) -> None:
        """Show all of the current row."""
        row = self.list.current
        self.query_one("#detail", TextBlock).show([[(self.absent, "")]] if row is None else self.detail(row))

    # --- moving ---

    def select(self, index: int) -> None:
        """Go to a row."""
        self.list.move_cursor(index)
        self.show_current()

    @on(VirtualTable.Highlighted, "#list")
    def _highlighted(self) -> None:
        self.show_current()

    def action_next_row(self) -> None:
        """Go to the next row."""
        self.select((self.list.cursor or 0) + 1)

    def action_previous_row(self) -> None:
        """Go to the previous row."""
        self.select((self.list.cursor or 0) - 1)

    @on(VirtualTable.Selected, "#list")
    def action_go_to_error(self) -> None:
        """Go to the error in the review."""
        row = self.list.current
        if row is not None:
            if (subject := self.subject(row)) is None:
                self.app.say("This row is none of the errors in the review.")
            else:
                self.leave(subject=subject)

    def action_back(self) -> None:
        """Go back to the review."""
        self.leave()

    def leave(self, event: Event | None = None, subject: str | None = None) -> None:
        """Close, and let the review go to an evaluation in which something was undone, or to an error."""
        self.app.pop_screen()
        self._after(event, subject)

    # --- undoing ---

    def follow(self, event: Event) -> str:
        """Show what is said now where the act was, and return it in words."""
        if event.evaluation_id != self.evaluation.id:
            self.leave(event)  # the review goes there
        else:
            self.refresh_rows()
            rows = enumerate(self.list.rows)
            self.select(next((i for i, row in rows if self.concerns(row, event.finding_id)), self.list.cursor or 0))
        return presenter.act(event, self.app.session)
