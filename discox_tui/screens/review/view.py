"""Reading an evaluation: source and translation side by side, the errors, the current one in detail; no act here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Resize
from textual.timer import Timer

from discox_tui.screens.common.base import LOOK_AFTER, NARROW
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.common.text_search import TextSearch
from discox_tui.screens.review import error_marks, presenter
from discox_tui.screens.review.base import OpenedScreen
from discox_tui.screens.review.error_marks import Standing
from discox_tui.sessions.review import Subject
from discox_tui.text.styles import Mark, ParagraphMark
from discox_tui.widgets.bars import Bar, Runs, TextBlock
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.text_pane import TextPane
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from judges.model import SIDES, Side
from storage.record.library import StoredFinding

if TYPE_CHECKING:
    from storage.reviews.queue import QueueRow

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
REMEMBER_AFTER = 2.0
"""Seconds of rest after which the place is noted, so that moving about costs no write each time."""


class ReadingScreen(OpenedScreen):
    """One evaluation to read: the one that the session has open."""

    DEFAULT_CSS = style_sheet(__file__, "ReadingScreen")

    def __init__(self, place: dict[str, Any] | None = None) -> None:
        """``place``: the finding and the scroll positions to begin with, as ``place`` gave them."""
        super().__init__()
        self._place = place
        self._index = 0
        self._remember: Timer | None = None
        self._standings: dict[str, Standing] = {}
        self._queue_position: int | None = None

    def content(self) -> ComposeResult:
        """Title, texts, errors and detail, scores."""
        yield Bar(id="title")
        yield PairedTexts(ambiguous=self.app.ambiguous, id="texts")
        with Horizontal(id="lower"):
            yield VirtualTable(COLUMNS, self._cells, key=lambda subject: subject.id, id="errors")
            yield TextBlock(id="detail")
        yield Bar(2, id="score")
        yield TextSearch(lambda side: self.evaluation.text(side), id="search")

    @property
    def errors(self) -> VirtualTable[Subject]:
        """The list of errors."""
        return self.query_one("#errors", VirtualTable)

    @property
    def current(self) -> Subject | None:
        """The current error, the judge's or the reviewer's own; None where there is none."""
        subjects = self.app.session.subjects
        return subjects[min(self._index, len(subjects) - 1)] if subjects else None

    @property
    def finding(self) -> StoredFinding | None:
        """The current error if it is the judge's."""
        return current if isinstance(current := self.current, StoredFinding) else None

    @property
    def about(self) -> str | None:
        """What the guideline is asked about from here: the current error's category."""
        current = self.current
        if isinstance(current, StoredFinding):
            return current.finding.category
        return current.category if current else None

    # --- showing ---

    def on_mount(self) -> None:
        """Show the evaluation."""
        self._show_evaluation()
        self.set_focus(self.errors)
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        """Show what another program has decided meanwhile for the same reviewer."""
        with self.app.looking():
            if self.is_active and self.app.session.changed_elsewhere():
                self._show_work()

    def _show_work(self, identity: str | None = None) -> None:
        """Show anew what is said of the evaluation; the error with this id, or the one in its place, is current."""
        self._index = max(0, self._index_of(identity))
        self.errors.set_rows(self.app.session.subjects)
        self._show_marks()
        self._show_current()
        self._show_scores()

    def _index_of(self, identity: str | None) -> int:
        """Where in the list the error with this id is; without it, where the list is."""
        subjects = self.app.session.subjects
        found = (index for index, subject in enumerate(subjects) if subject.id == identity)
        return next(found, min(self._index, len(subjects) - 1))

    def _show_evaluation(self) -> None:
        evaluation = self.evaluation
        self._queue_position = self.app.session.position
        self.texts.show(evaluation.text("source"), evaluation.text("translation"), evaluation.alignment)
        self.texts.set_headings(*presenter.headings(evaluation))
        self.errors.empty = presenter.nothing_to_review(self.app.session)
        self._index = self._first()
        self._show_work()
        self._remember_soon()
        self.app.offer_draft(evaluation.id)
        # Once both panes know their size: each learns it in its own time.
        self.call_after_refresh(self.texts.source.call_later, self.texts.translation.call_later, self._restore)

    def _first(self) -> int:
        """The first error that is undecided, or is to be decided anew."""
        session = self.app.session
        return next((index for index, subject in enumerate(session.subjects) if session.is_open(subject)), 0)

    def _restore(self) -> None:
        """Go to where the reviewer stopped, once the panes know their size."""
        place, self._place = self._place, None
        if place:
            self._select_subject(place.get("finding"))
            for side in SIDES:
                if isinstance(top := place.get(f"{side}_top"), int):
                    self.texts.pane(side).top_offset = top
        else:
            self._reveal()

    def place(self) -> dict[str, Any]:
        """What to remember of this screen."""
        return {
            "evaluation": self.evaluation.id,
            "layer": self.app.session.layer,
            "finding": self.current and self.current.id,
            **{f"{side}_top": self.texts.pane(side).top_offset for side in SIDES if self.texts.pane(side).size},
        }

    def _cells(self, subject: Subject) -> Sequence[Cell]:
        narrow = self.errors.columns == NARROW_COLUMNS
        return presenter.error_cells(self.evaluation, subject, self.app.session, narrow=narrow)

    def _show_marks(self) -> None:
        session = self.app.session
        shown: dict[Side, list[Mark]] = {side: [] for side in SIDES}
        gutter: dict[Side, list[ParagraphMark]] = {side: [] for side in SIDES}
        self._standings = {subject.id: Standing.of(subject, session) for subject in session.subjects}
        for subject in session.subjects:
            for side in SIDES:
                marks, paragraph_marks = self._marks_on(subject, side)
                shown[side] += marks
                gutter[side] += paragraph_marks
        self.texts.set_marks(shown["source"], shown["translation"], gutter["source"], gutter["translation"])

    def _show_marks_of(self, subject: Subject) -> None:
        """Mark one error as it stands now; all others stand as they did."""
        now = Standing.of(subject, self.app.session)
        if now == self._standings[subject.id]:
            return
        self._standings[subject.id] = now
        for side in SIDES:
            if not self.texts.pane(side).change_marks(subject.id, *self._marks_on(subject, side)):
                self._show_marks()
                return

    def _marks_on(self, subject: Subject, side: Side) -> tuple[list[Mark], list[ParagraphMark]]:
        """The marks of an error on a side; without any, the signs beside its paragraph."""
        now = self._standings[subject.id]
        marks = list(self._marks(subject, now, side))
        return marks, [] if marks else list(error_marks.paragraph_marks(subject, now, side))

    def _marks(self, subject: Subject, now: Standing, side: Side) -> Iterable[Mark]:
        """What is highlighted of an error on a side."""
        return error_marks.marks(subject, now, side)

    def _show_current(self) -> None:
        subject = self.current
        session = self.app.session
        self.app.stopwatch.look_at(session.layer, self.evaluation.id, subject.id if subject else "")
        self.texts.current = subject.id if subject else None
        self.errors.move_cursor(self._index)
        self.query_one("#detail", TextBlock).show(self._detail(subject))
        self.query_one("#title", Bar).show(
            presenter.title(session, self._index, self._queue_position, narrow=self.size.width < NARROW)
        )

    def _detail(self, subject: Subject | None) -> Sequence[Runs]:
        """What is said of the current error."""
        return presenter.detail(self.evaluation, subject, self.app.session)

    def _show_scores(self) -> None:
        width = self.size.width
        self.query_one("#score", Bar).show(*presenter.scores(self.evaluation, self.app.session, narrow=width < ROOMY))

    def _reveal(self) -> None:
        """Bring the current error into view on both sides."""
        if (subject := self.current) is not None:
            self.texts.reveal(self._target(subject, "source"), self._target(subject, "translation"))

    def _target(self, subject: Subject, side: Side) -> tuple[int, int] | None:
        """What of an error to bring into view on a side."""
        return error_marks.target(self.evaluation, subject, side, Standing.of(subject, self.app.session).moved)

    def _select(self, index: int) -> None:
        count = len(self.app.session.subjects)
        if not count:
            return
        before = self.finding
        self._index = max(0, min(index, count - 1))
        self._show_current()
        self._reveal()
        if before is None or self.finding is None or before.finding.kept != self.finding.finding.kept:
            self.refresh_bindings()
        self._remember_soon()

    def _select_subject(self, identity: str | None) -> None:
        if self.app.session.find(identity) is not None:
            self._select(self._index_of(identity))

    def _remember_soon(self) -> None:
        if self._remember is None:
            self._remember = self.set_timer(REMEMBER_AFTER, self._remember_now)
        else:
            self._remember.reset()

    def _remember_now(self) -> None:
        self._remember = None
        self.app.remember_place()

    def on_resize(self, event: Resize) -> None:
        """Other words fit."""
        super().on_resize(event)
        self.errors.set_columns(NARROW_COLUMNS if event.size.width < ROOMY else COLUMNS)
        if self.is_mounted and self.app.session.evaluation is not None:
            self._show_scores()

    # --- moving ---

    @on(VirtualTable.Highlighted)
    @on(VirtualTable.Selected)
    def _row(self, message: VirtualTable.Highlighted) -> None:
        self._select(message.index)

    @on(TextPane.MarkClicked)
    def _mark_clicked(self, message: TextPane.MarkClicked) -> None:
        """Select the finding clicked; again: the next of those that overlap there."""
        keys = message.keys
        current = self.current.id if self.current else None
        chosen = keys[(keys.index(current) + 1) % len(keys)] if current in keys else keys[0]
        self._select_subject(chosen)

    def action_next_finding(self) -> None:
        """Go to the next error."""
        self._select(self._index + 1)

    def action_previous_finding(self) -> None:
        """Go to the previous error."""
        self._select(self._index - 1)

    def action_next_undecided(self) -> None:
        """Go to the next error that is to be decided, or decided anew, from the top again after the last."""
        session, subjects = self.app.session, self.app.session.subjects
        for step in range(1, len(subjects) + 1):
            index = (self._index + step) % len(subjects)
            if session.is_open(subjects[index]):
                self._select(index)
                return
        self.app.say("Every error here is decided. f marks the evaluation as done.")

    def action_next_evaluation(self) -> None:
        """Go to the next evaluation of the queue."""
        self._open_beside(1)

    def action_previous_evaluation(self) -> None:
        """Go to the previous evaluation of the queue."""
        self._open_beside(-1)

    def _open_beside(self, step: int) -> None:
        if (row := self._row_beside(step)) is not None:
            self._open(row.id, row.layer)
        else:
            self.app.say("That was the last evaluation of the queue." if step > 0 else "This is the first evaluation.")

    def _row_beside(self, step: int) -> QueueRow | None:
        """The row of the queue that is so many after the open evaluation; None: there is none."""
        queue, position = self.app.session.queue, self.app.session.position
        wanted = step - 1 if position is None else position + step
        return queue[wanted] if 0 <= wanted < len(queue) else None

    def _open(self, identity: str, layer: str) -> None:
        self.app.session.open(identity, layer)
        self._show_evaluation()
        self.refresh_bindings()

    def action_switch_pane(self) -> None:
        """Go to the other pane."""
        self.texts.swap()

    def action_select_start(self) -> None:
        """Let the keys select text."""
        self.texts.start_selection()

    def action_lock(self) -> None:
        """Scroll together, or each alone."""
        self.texts.locked = not self.texts.locked
        self.app.say("The texts scroll together" if self.texts.locked else "The texts scroll each alone")

    def action_back(self) -> None:
        """Close what is open, then go back to the queue."""
        if self.search.open:
            self._end_search()
        elif self.texts.selections:
            self.texts.clear_selections()
        elif isinstance(self.focused, TextPane):
            self.set_focus(self.errors)
        else:
            self.app.stopwatch.leave()
            self.app.places[self.evaluation.id, self.app.session.layer] = self.place()
            self.app.remember_place()
            self.app.pop_screen()

    # --- search ---

    @property
    def search(self) -> TextSearch:
        """The line to search with."""
        return self.query_one("#search", TextSearch)

    def action_search(self) -> None:
        """Search both texts."""
        self.search.begin()

    def _end_search(self) -> None:
        self.search.end()
        self.set_focus(self.errors)
