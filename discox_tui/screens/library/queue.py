"""The queue: every evaluation, how far its review is, filtered as you type, sorted as you like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.config.access import NO_MACHINE, ONLY_THE_LEAD
from discox_tui.core import actions
from discox_tui.screens.common.base import LOOK_AFTER
from discox_tui.screens.common.filtered import FilteredScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.sessions.library import Refused
from discox_tui.text.counts import counted
from discox_tui.widgets.bars import Bar
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from storage.reviews.blinding import BLINDINGS, HIDDEN, Blinding, hides
from storage.reviews.layers import is_again
from storage.reviews.queue import Queue, QueueRow, is_assigned
from storage.runs.not_judged import not_judged

if TYPE_CHECKING:
    from storage.reviews.pace import Pace

COLUMNS = (
    Column("article", "article", 10, flex=2, priority=9),
    Column("system", "system", 12, flex=2, priority=8),
    Column("direction", "dir", 5, priority=3),
    Column("domain", "domain", 8, flex=2, priority=1),
    Column("judge", "judge", 8, flex=1, priority=0),
    Column("total", "judge's", 9, align="right", priority=6),
    Column("human", "yours", 7, align="right", priority=5),
    Column("decided", "decided", 9, align="right", priority=4),
    Column("review", "review", 14, priority=7),
)
SORTS = ("position", "article", "system", "direction", "domain", "judge", "total", "human", "decided", "review")
"""Columns that ``sort`` goes through; every column's title can be clicked."""

REVIEW_WORDS = {
    "not_opened": ("∙ not opened", "faint"),
    "in_progress": ("▸ in progress", "current"),
    "done": ("✓ done", "good"),
    "skipped": ("⤼ skipped", "faint"),
}
BLIND_WORDS = {
    "not_opened": "∙ blind first",
    "in_progress": "▸ blind",
    "done": "✓ done, blind",
    "skipped": "⤼ skip, blind",
}
"""The same where the judge's record is hidden, or was until the reviewer had marked their own errors."""
STATE_WORDS = {
    "judge_failed": ("failed", "critical"),
    "instruction_failed": ("0 check", "critical"),
    "no_translation": ("no text", "critical"),
    "not_judged": ("no judge", "faint"),
}
"""Words in the place of a judge's score that cannot be compared."""
BLINDING_WORDS: dict[Blinding, str] = {
    "open": "You hide nothing from now on; what you began blind, or are to review blind, is hidden until you reveal it",
    "systems": "The names of systems are hidden",
    "first": "Blind first: what the judge said is hidden until you have marked your own errors and reveal it",
}


def cells(row: QueueRow) -> Sequence[Cell]:
    """One evaluation as cells of the table."""
    article = f"{row.article} · again" if is_again(row.layer) else row.article
    words, style = REVIEW_WORDS[row.review]
    if row.hidden or row.blind:
        words = f"▸ compare {row.unconfirmed}" if row.unconfirmed else BLIND_WORDS[row.review]
    elif row.state == "not_judged" and row.review == "not_opened" and row.others:
        words = f"∙ {counted(row.others, 'other')}"  # what is there to see is what they marked
    decided = f"{row.decided}/{row.errors}"
    judged: Cell = STATE_WORDS.get(row.state or "") or ("–" if row.total is None else str(row.total))
    if row.rated:  # where no judge was asked
        from discox_tui.reports.render.phrases import rated_words

        judged = rated_words(row.rated)[0], "faint"
    return (
        article,
        (row.system, "faint" if row.system == HIDDEN else "plain"),
        (row.direction.replace("-", "→"), "faint"),
        (row.domain, "faint"),
        (row.judge or "–", "faint"),
        judged,
        "–" if row.human is None else str(row.human),
        (
            "–" if row.hidden else decided,
            "good" if row.decided >= row.errors and row.review == "done" and not row.hidden else "faint",
        ),
        (words, style),
    )


class QueueScreen(FilteredScreen):
    """All evaluations of the library."""

    NAME = "queue"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "QueueScreen")

    HINT = "words that article, system, domain or state contain"

    def __init__(self, state: dict[str, Any]) -> None:
        """``state``: filter, order and choice as ``place`` gave them, or empty."""
        super().__init__()
        self.words = str(state.get("words", ""))
        self._order = state["order"] if state.get("order") in SORTS else "position"
        self._descending = bool(state.get("descending", False))
        self._pace: Pace | None = None  # read anew when the reviewer comes back, not with each letter of a filter
        self._assigned: bool | None = state.get("assigned")
        self._not_judged: int | None = None
        """Translations without an evaluation that the words leave; None where they have to be counted."""

    def content(self) -> ComposeResult:
        """A title, the filter, the table."""
        yield Bar(id="title")
        yield VirtualTable(COLUMNS, cells, key=lambda row: (row.id, row.layer), id="queue")
        yield Bar(id="progress")

    @property
    def table(self) -> VirtualTable[QueueRow]:
        """The table of evaluations."""
        return self.query_one("#queue", VirtualTable)

    @property
    def queue(self) -> Queue:
        """The evaluations that are shown, in their order; the review goes through these."""
        return self.app.library.queue

    async def on_mount(self) -> None:
        """Show the evaluations."""
        if self.words:
            await self.open_filter(focus=False)
        self.app.look_for_note()
        self.filtered()
        self.set_focus(self.table)
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        """Show what another program has brought in or decided meanwhile."""
        with self.app.looking():
            if self.is_active and self.app.library.changed_elsewhere():
                self._pace = None
                self._not_judged = None
                self.app.look_for_note()
                self.filtered()
            elif self.is_active and self.app.model_run is not None:
                self._describe()

    def body(self) -> VirtualTable[QueueRow]:
        """The table has the focus."""
        return self.table

    def on_screen_resume(self) -> None:
        """Something may have been decided, here or by another program."""
        with self.app.safely():
            self._pace = None
            self._not_judged = None
            self.queue.forget()
            if self.is_mounted and (index := self.app.library.position) is not None:
                row = self.queue[index]
                self.table.set_rows(self.queue, keep=(row.id, row.layer))
                self.table.move_cursor(index)
            self._describe()

    def place(self) -> dict[str, Any]:
        """Return what to remember of this screen."""
        state = {"words": self.words, "order": self._order, "descending": self._descending}
        return {"queue": state if self._assigned is None else state | {"assigned": self._assigned}}

    def filtered(self) -> None:
        """Read the queue that filter and order make; the current evaluation stays current if it is in it."""
        session = self.app.library
        session.queue = Queue(
            session.connection,
            session.reviewer,
            words=self.words,
            order=self._order,
            descending=self._descending,
            blinding=session.blinding,
            assigned=self.assigned,
        )
        table = self.table
        current = table.current
        table.sort = None if self._order == "position" else (self._order, self._descending)
        self._not_judged = None
        table.empty = self._why_empty() if not session.queue else ""
        keep = session.queue.index_of(current.id, current.layer) if current is not None else None
        table.set_rows(session.queue)
        table.move_cursor(keep or 0)
        self._describe()

    @property
    def not_judged(self) -> int:
        """Number of translations without an evaluation that the words leave; assignments are of evaluations."""
        if self._not_judged is None:
            library = self.app.library
            hidden = hides(library.connection, library.reviewer, library.blinding)
            found = () if self.assigned else not_judged(library.connection, self.words, by_system=not hidden)
            self._not_judged = len(found)
        return self._not_judged

    def _why_empty(self) -> str:
        if n := self.not_judged:
            judged = counted(n, "translation")
            return f"Nothing of this is judged: {self.app.key_of('judge')} lets a model judge {judged}."
        if self.words:
            return "No evaluation contains these words. Esc clears the filter."
        return "Nothing here yet. Bring result files in with:  discox import FILE"

    @property
    def assigned(self) -> bool:
        """True if only the reviewer's assignments are shown: as they chose, else if there are any."""
        session = self.app.library
        return self._assigned is not False and is_assigned(session.connection, session.reviewer)

    def _describe(self) -> None:
        progress = self.queue.progress()
        left = [("discox", "title"), ("  your assignments" if self.assigned else "  evaluations", "")]
        if self.words:
            left.append((f" with “{self.words}”", "faint"))
        if said := {"systems": "systems hidden", "first": "blind first"}.get(self.app.library.blinding):
            left.append((f"  {said}", "current"))
        if self.app.note:
            left.append((f"  {self.app.note}", "major"))
        right = [(f"reviewer {self.app.library.reviewer}", "faint")]
        if n := self.not_judged:
            right.insert(0, (f"{counted(n, 'translation')} not judged   ", "faint"))
        if (run := self.app.model_run) is not None and run.going:
            right.insert(0, (f"{run.parts(discreet=True)[0]}   ", "current"))
        if self.assigned:
            from discox_tui.reports.render.phrases import pace_words  # only for those to whom something is assigned
            from storage.reviews.pace import pace

            self._pace = self._pace or pace(self.app.library.connection, self.app.library.reviewer)
            right.insert(0, (f"{pace_words(self._pace)}   ", "faint"))
        self.query_one("#title", Bar).show((left, right))
        rest = progress.total - progress.done - progress.in_progress - progress.skipped
        counts = [
            (f"{progress.total:,} evaluation{'s' * (progress.total != 1)}", "strong"),
            (f"   ✓ {progress.done:,} done", "good"),
            (f"   ▸ {progress.in_progress:,} in progress", "current"),
            (f"   {progress.skipped:,} skipped   {rest:,} not opened", "faint"),
        ]
        if self.assigned:
            from storage.reviews.plans import count_by_doubt

            if n := count_by_doubt(self.app.library.connection, self.app.library.reviewer):
                counts.append((f"   {n:,} by doubt, not at random", "faint"))
        self.query_one("#progress", Bar).show((counts, ()))

    # --- opening ---

    def review(self, identity: str, layer: str | None = None, place: dict[str, Any] | None = None) -> None:
        """Open the review of an evaluation, in a layer of the reviewer's, at a place remembered if given."""
        from discox_tui.screens.review.screen import ReviewScreen

        with self.app.safely():
            session = self.app.session
            session.open(identity, layer)
            self.app.push_screen(ReviewScreen(place or self.app.places.get((identity, session.layer))))

    def action_open(self) -> None:
        """Open the current evaluation."""
        if (row := self.table.current) is not None:
            self.review(row.id, row.layer)

    @on(VirtualTable.Selected)
    def _selected(self, message: VirtualTable.Selected) -> None:
        row = self.queue[message.index]
        self.review(row.id, row.layer)

    # --- filter and order ---

    async def key_escape(self) -> None:
        """Close the filter; from here there is no going back further."""
        await self.close_filter()

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._sort_by(SORTS[(SORTS.index(self._order) + 1) % len(SORTS)], descending=False)

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._sort_by(self._order, descending=not self._descending)

    @on(VirtualTable.HeaderClicked)
    def _header(self, message: VirtualTable.HeaderClicked) -> None:
        self._sort_by(message.key, descending=self._order == message.key and not self._descending)

    def _sort_by(self, order: str, *, descending: bool) -> None:
        self._order, self._descending = order, descending
        self.filtered()

    def action_blinding(self) -> None:
        """Hide nothing, the systems, or all that the judge said."""
        session = self.app.library
        session.hide(BLINDINGS[(BLINDINGS.index(session.blinding) + 1) % len(BLINDINGS)])
        self.filtered()
        self.app.say(BLINDING_WORDS[session.blinding])

    def action_assigned(self) -> None:
        """Show what the reviewer is to review, or everything."""
        session = self.app.library
        if not is_assigned(session.connection, session.reviewer):
            raise Refused("Nothing is assigned to you; discox plan distributes evaluations among reviewers")
        self._assigned = not self.assigned
        self.filtered()
        self.app.remember_place()

    # --- other screens ---

    def action_consistency(self) -> None:
        """Show the figures."""
        self.app.library.refuse_hidden()
        from discox_tui.screens.figures.consistency import ConsistencyScreen

        self.app.push_screen(ConsistencyScreen())

    def action_leaderboard(self) -> None:
        """Show which system is ahead."""
        self.app.library.refuse_hidden()
        from discox_tui.screens.figures.leaderboard import LeaderboardScreen

        self.app.push_screen(LeaderboardScreen())

    def action_import_report(self) -> None:
        """Show what was imported."""
        self.app.library.refuse_hidden()
        from discox_tui.screens.library.import_report import ImportReportScreen

        self.app.push_screen(ImportReportScreen(self.review))

    def action_build(self) -> None:
        """Show the benchmark that is being built."""
        from discox_tui.screens.benchmark.screen import BuildScreen

        self.app.push_screen(BuildScreen())

    def action_judge(self) -> None:
        """Let a model judge translations."""
        self._ask_model("judge")

    def action_translate(self) -> None:
        """Let a model translate the articles."""
        self._ask_model("translate")

    def _ask_model(self, command: Literal["judge", "translate"]) -> None:
        if not self.app.access.machine:
            raise Refused(NO_MACHINE)
        from discox_tui.screens.library.model_run import ModelRunScreen

        self.app.push_screen(ModelRunScreen(command, self.words, bool(self.words) or self.assigned))

    def action_team(self) -> None:
        """Show how far everybody is."""
        if not self.app.access.lead:
            raise Refused(ONLY_THE_LEAD)
        from discox_tui.screens.library.team import TeamScreen

        self.app.push_screen(TeamScreen())

    def action_adjudicate(self) -> None:
        """Settle what reviewers disagree about, in what the filter leaves."""
        from discox_tui.screens.adjudication.screen import AdjudicationScreen

        self.app.push_screen(AdjudicationScreen(self.words))
