"""The view of a review: source and translation side by side, the errors, the current one in detail, the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.containers import Horizontal

from discox_tui.screens.common.text_search import TextSearch
from discox_tui.screens.review import presenter
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from judges.model import SIDES, Place, Places, Side

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from discox_tui.screens.review.state import ReviewState
    from discox_tui.sessions.open_review import Subject
    from discox_tui.text.styles import Mark, ParagraphMark
    from discox_tui.text.widths import Ambiguous

COLUMNS = (
    Column("decision", "", 1, priority=9),
    Column("number", "#", 3, align="right", priority=8),
    Column("dimension", "dimension", 15, priority=6),
    Column("severity", "severity", 11, priority=5),
    Column("points", "", 3, align="right", priority=4),
    Column("quote", "quote", 10, flex=1, priority=7),
)
NARROW_COLUMNS = (
    Column("decision", "", 1),
    Column("number", "#", 3, align="right"),
    Column("mark", "", 1),
    Column("dimension", "dim.", 4),
    Column("points", "", 3, align="right"),
    Column("quote", "quote", 8, flex=1),
)
ROOMY = 120
"""Columns of the terminal from which the list of errors and the scores have room for words."""


class ReviewView:
    """The widgets of a review. It shows states and decides nothing."""

    def __init__(
        self, cells: Callable[[Subject], Sequence[Cell]], text: Callable[[Side], str], *, ambiguous: Ambiguous
    ) -> None:
        """``cells``: an error as a row of the list; ``text``: a side's text; ``ambiguous``: the cells of “ ” — …"""
        self.title = Bar(id="title")
        self.texts = PairedTexts(ambiguous=ambiguous, id="texts")
        self.errors: VirtualTable[Subject] = VirtualTable(COLUMNS, cells, key=lambda subject: subject.id, id="errors")
        self.detail = TextBlock(id="detail")
        self.scores = Bar(2, id="score")
        self.search = TextSearch(text, id="search")
        self._shown: ReviewState | None = None

    def compose(self) -> ComposeResult:
        """Title, texts, errors and detail, scores, and the line to search with."""
        yield self.title
        yield self.texts
        with Horizontal(id="lower"):
            yield self.errors
            yield self.detail
        yield self.scores
        yield self.search

    def open(self, state: ReviewState) -> None:
        """Show an evaluation from the beginning of its texts."""
        evaluation = state.evaluation
        self.texts.show(evaluation.text("source"), evaluation.text("translation"), evaluation.alignment)
        self.texts.set_headings(*presenter.headings(evaluation))
        self.errors.empty = state.empty
        self._shown = None
        self.show(state)

    def show(self, state: ReviewState) -> None:
        """Show another state of the same evaluation; only what differs is painted."""
        before, self._shown = self._shown, state
        if before is None or state.changed is None:
            self.errors.set_rows(state.subjects)
            self._mark_all(state)
        else:
            self._show_changed(before, state, state.changed)
        self.texts.current = state.current.id if state.current else None
        self.errors.move_cursor(state.index)
        self.detail.show(state.detail)
        self.title.show(state.title)
        self.scores.show(*state.scores)

    def _show_changed(self, before: ReviewState, state: ReviewState, changed: frozenset[str]) -> None:
        shown = {each.finding for each in (before.occurrence, state.occurrence) if each is not None}
        other_places = shown if before.occurrence != state.occurrence else set()
        if not changed and not other_places:
            return
        for index, subject in enumerate(state.subjects):
            if subject.id in changed:
                self.errors.refresh_row(index)
            differs = before.standings.get(subject.id) != state.standings[subject.id]
            if subject.id in other_places or (subject.id in changed and differs):
                for side in SIDES:
                    if not self.texts.pane(side).change_marks(subject.id, *state.marks(subject, side)):
                        self._mark_all(state)
                        break

    def _mark_all(self, state: ReviewState) -> None:
        shown: dict[Side, list[Mark]] = {side: [] for side in SIDES}
        gutter: dict[Side, list[ParagraphMark]] = {side: [] for side in SIDES}
        for subject in state.subjects:
            for side in SIDES:
                marks, paragraph_marks = state.marks(subject, side)
                shown[side] += marks
                gutter[side] += paragraph_marks
        self.texts.set_marks(shown["source"], shown["translation"], gutter["source"], gutter["translation"])

    def reveal(self) -> None:
        """Bring the current error into view on both sides."""
        if self._shown is not None and self._shown.current is not None:
            self.texts.reveal(self._shown.target("source"), self._shown.target("translation"))

    def once_sized(self, act: Callable[[], None]) -> None:
        """Do something once both panes know their size: each learns it in its own time."""
        self.texts.call_after_refresh(self.texts.source.call_later, self.texts.translation.call_later, act)

    # --- where the reviewer is ---

    @property
    def narrow(self) -> bool:
        """True if the list has marks and short names for words."""
        return self.errors.columns == NARROW_COLUMNS

    def fit(self, width: int) -> None:
        """Choose the columns that fit a terminal of so many."""
        self.errors.set_columns(NARROW_COLUMNS if width < ROOMY else COLUMNS)

    @property
    def selected(self) -> Places:
        """The places that are selected, on either side."""
        return tuple(sorted(Place(side, *span) for side, span in self.texts.selections.items()))

    def tops(self) -> dict[str, int]:
        """Return the offsets at the top of the panes that are shown."""
        panes = {side: self.texts.pane(side) for side in SIDES}
        return {f"{side}_top": pane.top_offset for side, pane in panes.items() if pane.size}

    def scroll_to(self, place: dict[str, Any]) -> None:
        """Scroll to where ``tops`` found the panes."""
        for side in SIDES:
            if isinstance(top := place.get(f"{side}_top"), int):
                self.texts.pane(side).top_offset = top
