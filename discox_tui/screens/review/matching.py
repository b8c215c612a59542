"""Comparing after a blind pass: each error that the reviewer marked, beside the judge's that it may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from discox_tui.core import actions
from discox_tui.screens.common.base import LOOK_AFTER
from discox_tui.screens.common.dialogs import Choice, Choose
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.review import presenter
from discox_tui.screens.review.base import EvaluationScreen
from discox_tui.sessions.library import Refused
from discox_tui.sessions.verdict_rules import judged_places
from discox_tui.text.glyphs import SEVERITY_MARKS
from discox_tui.text.runs import Runs
from discox_tui.text.styles import Mark
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from judges.model import EXACT, SIDES, MarkedError, Places, Side
from storage.record.library import StoredEvaluation, StoredFinding
from storage.reviews.events import Event

COLUMNS = (
    Column("state", "", 9, priority=9),
    Column("label", "", 5, priority=7),
    Column("quote", "you marked", 8, flex=1, priority=8),
)


class MatchingScreen(EvaluationScreen):
    """The errors of a blind pass, one after another: the same as one of the judge's, or missed by it."""

    NAME = "matching"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "MatchingScreen")

    def __init__(self, after: Callable[[Event | None], None]) -> None:
        """``after``: called when the screen closes, with what was undone or done again elsewhere, if that closed it."""
        super().__init__()
        self._after = after
        self._marked: list[MarkedError] = []
        self._proposed: dict[str, tuple[StoredFinding, float]] = {}
        self._index = 0

    def content(self) -> ComposeResult:
        """Title, texts, the reviewer's errors, the current one and the judge's beside it."""
        yield Bar(id="title")
        yield PairedTexts(ambiguous=self.app.ambiguous, id="texts")
        with Horizontal(id="lower"):
            yield VirtualTable(COLUMNS, self._cells, key=lambda error: error.id, id="errors")
            yield TextBlock(id="yours")
            yield TextBlock(id="judges")

    @property
    def errors(self) -> VirtualTable[MarkedError]:
        """The list of the reviewer's errors."""
        return self.query_one("#errors", VirtualTable)

    @property
    def error(self) -> MarkedError | None:
        """The reviewer's current error."""
        return self._marked[self._index] if self._marked else None

    # --- showing ---

    def on_mount(self) -> None:
        """Begin at the first error that is not confirmed."""
        evaluation = self.evaluation
        self.texts.show(evaluation.text("source"), evaluation.text("translation"), evaluation.alignment)
        self.texts.set_headings(*presenter.headings(evaluation))
        self.errors.empty = "You marked nothing blind here. Esc goes back."
        self.set_focus(self.errors)
        self._read()
        open_ = self.app.session.work.unconfirmed
        self._index = next((i for i, error in enumerate(self._marked) if error.id in open_), 0)
        self._show()
        # Once both panes know their size: each learns it in its own time.
        self.call_after_refresh(self.texts.source.call_later, self.texts.translation.call_later, self._reveal)
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        """Show what another program has decided meanwhile for the same reviewer."""
        with self.app.looking():
            if self.is_active and self.app.session.changed_elsewhere():
                self._read()
                self._show()

    def _read(self) -> None:
        """Read what was said, and propose for what is open: each of the judge's errors once."""
        from judges.consistency.spans import match_errors

        session, work = self.app.session, self.app.session.work
        self._marked = [error for error in work.errors.values() if error.blind]
        self._index = max(0, min(self._index, len(self._marked) - 1))
        open_ = list(work.unconfirmed.values())
        taken = set(work.matched.values())
        free = [found for found in self.evaluation.errors if found.id not in taken]
        pairs = match_errors(
            [(error.spans, error.dimension) for error in open_],
            [(session.places(found), found.finding.dimension) for found in free],
        )
        self._proposed = {open_[pair.first].id: (free[pair.second], pair.overlap) for pair in pairs}
        self.errors.set_rows(self._marked)

    def _found(self, error: MarkedError) -> StoredFinding | None:
        """Return the judge's error that the reviewer's is, as they said or as is proposed."""
        if (identity := self.app.session.work.matched.get(error.id)) is not None:
            return self.evaluation.find(identity)
        return self._proposed[error.id][0] if error.id in self._proposed else None

    def _state(self, error: MarkedError) -> Cell:
        """Return the reviewer's match of an error, or the proposed one."""
        found = self._found(error)
        if error.id in self.app.session.work.matched:
            return f"✓ same {found.number if found else ''}", "good"
        if error.missed:
            return "✓ missed", "good"
        return (f"? {found.number}", "current") if found else ("? missed", "current")

    def _cells(self, error: MarkedError) -> Sequence[Cell]:
        mark = SEVERITY_MARKS[error.severity] if error.severity else "?"
        label = f"{mark} {presenter.SHORT.get(error.dimension or '', '–')}"
        return self._state(error), (label, error.severity or "plain"), _quote(self.evaluation, error.spans)

    def _show(self) -> None:
        """Show the current pair."""
        error = self.error
        left = len(self.app.session.work.unconfirmed)
        of = len(self._marked)
        article = self.evaluation.article
        title: Runs = [("discox", "title"), (f"  {article.key}", "strong"), ("  your errors and the judge's", "")]
        progress: Runs = [(f"{of - left} of {of} confirmed", "good" if not left else "strong")]
        self.query_one("#title", Bar).show((title, progress))
        if error is None:
            return
        found = self._found(error)
        self._show_marks(error, found)
        self.errors.move_cursor(self._index)
        self.query_one("#yours", TextBlock).show(self._yours(error))
        self.query_one("#judges", TextBlock).show(self._judges(error, found))

    def _show_marks(self, error: MarkedError, found: StoredFinding | None) -> None:
        marks: dict[Side, list[Mark]] = {side: [] for side in SIDES}
        for side, start, end in error.spans:
            marks[side].append(Mark(error.id, start, end, error.severity, own=True))
        for span in found.grounded.spans if found else ():
            if found and span.lit:
                approximate, weak = span.confidence < EXACT, span.role == "context"
                mark = Mark(found.id, span.start, span.end, found.finding.severity, approximate, weak)
                marks[span.side].append(mark)
        self.texts.set_marks(marks["source"], marks["translation"])
        self.texts.current = error.id

    def _reveal(self) -> None:
        """Bring the current pair into view on both sides."""
        if (error := self.error) is None:
            return
        found = self._found(error)
        places = [*error.spans, *(self.app.session.places(found) if found else ())]
        first = {side: next(((p.start, p.end) for p in places if p.side == side), None) for side in SIDES}
        self.texts.reveal(first["source"], first["translation"])

    def _yours(self, error: MarkedError) -> list[Runs]:
        category = presenter.words(error.category) if error.category else error.category_label or "–"
        labels = f"{error.dimension or 'no dimension'} · {category} · "
        rows: list[Runs] = [
            [("yours  ", "title"), (labels, "strong"), (presenter.marked_severity(error), error.severity or "plain")],
            *_quotes(self.evaluation, error.spans),
        ]
        return [*rows, [("note  ", "faint"), (error.note, "")]] if error.note else rows

    def _judges(self, error: MarkedError, found: StoredFinding | None) -> list[Runs]:
        if found is None:
            if error.missed:
                return [[("the judge missed it", "good")]]
            return [[("No error of the judge's is where yours is: m if it was missed, o to choose one.", "")]]
        finding = found.finding
        category = presenter.words(finding.category) if finding.category else finding.category_label or "?"
        if error.id in self.app.session.work.matched:
            said = ("the same error", "good")
        else:
            said = (f"the same?  {self._proposed[error.id][1]:.0%} of the places shared", "current")
        return [
            [
                (f"{found.number}  ", "title"),
                (f"{finding.dimension} · {category} · ", "strong"),
                (presenter.severity_words(finding), finding.severity or "strong"),
            ],
            [said],
            *_quotes(self.evaluation, judged_places(found)),
            [(finding.explanation, "")],
        ]

    # --- moving ---

    def _select(self, index: int) -> None:
        self._index = max(0, min(index, len(self._marked) - 1))
        self._show()
        self._reveal()

    @on(VirtualTable.Highlighted)
    @on(VirtualTable.Selected)
    def _row(self, message: VirtualTable.Highlighted) -> None:
        self._select(message.index)

    def _next_unconfirmed(self, start: int) -> bool:
        open_ = self.app.session.work.unconfirmed
        for step in range(len(self._marked)):
            index = (start + step) % len(self._marked)
            if self._marked[index].id in open_:
                self._select(index)
                return True
        return False

    def action_next_unconfirmed(self) -> None:
        """Leave this one for later."""
        if not self._next_unconfirmed(self._index + 1):
            self._all_said()

    def action_next_pair(self) -> None:
        """Go to the next error."""
        self._select(self._index + 1)

    def action_previous_pair(self) -> None:
        """Go to the previous error."""
        self._select(self._index - 1)

    def action_switch_pane(self) -> None:
        """Go to the other pane."""
        self.texts.swap()

    def action_back(self) -> None:
        """Go back to the review; what is not confirmed can be later."""
        self._leave(None)

    def _leave(self, event: Event | None) -> None:
        self.app.pop_screen()
        self._after(event)

    # --- deciding ---

    def action_same_error(self) -> None:
        """The judge found it: the one that is proposed."""
        error = self._current()
        if error.id in self.app.session.work.matched:
            raise Refused("You said so already; o chooses another one, m says that it was missed")
        found = self._found(error)
        if found is None or error.missed:
            raise Refused("No error of the judge's is proposed for this one; o chooses one")
        self._match(error, found)

    def action_missed_error(self) -> None:
        """The judge did not find it."""
        error = self._current()
        self.app.session.unmatch(error)
        self.app.session.confirm_missed(error)
        self._said()

    def action_clear_verdict(self) -> None:
        """Neither, for now."""
        error = self._current()
        self.app.session.clear_match(error)
        self._read()
        self._show()
        self.app.say("It is open again whether the judge found this error. u brings back what you said.")

    async def action_other_finding(self) -> None:
        """Choose another one of the judge's."""
        error = self._current()
        matched = self.app.session.work.matched
        taken = {finding for own, finding in matched.items() if own != error.id}
        choices = [
            Choice(
                found.id,
                found.number,
                presenter.short_title(found),
                _quote(self.evaluation, self.app.session.places(found)) or found.finding.explanation[:QUOTED],
            )
            for found in self.evaluation.findings
            if found.id not in taken
        ]
        if not choices:
            raise Refused("The judge has no error that is not matched already")
        now = self._found(error)

        def answered(identity: str | None) -> None:
            with self.app.safely():
                if (found := self.evaluation.find(identity)) is not None and matched.get(error.id) != found.id:
                    self._match(error, found)

        await self.app.push_screen(Choose("Your error is the judge's", choices, now.id if now else None), answered)

    def _current(self) -> MarkedError:
        if (error := self.error) is None:
            raise Refused("You marked nothing blind here")
        return error

    def _match(self, error: MarkedError, found: StoredFinding) -> None:
        session = self.app.session
        session.unmatch(error)
        session.confirm_missed(error, missed=False)
        session.match(error, found)
        self._said()

    def _said(self) -> None:
        """Show what was said, and go on."""
        self._read()
        if not self._next_unconfirmed(self._index):
            self._show()
            self._all_said()

    def _all_said(self) -> None:
        left = len(self.evaluation.errors) - self.app.session.decided()
        rest = f"; {left} of the judge's errors are to be decided (esc)" if left else ""
        self.app.say(f"All {len(self._marked)} confirmed{rest}.")

    def follow(self, event: Event) -> str:
        """Show what is said now where the act was, and return it in words."""
        if event.evaluation_id != self.evaluation.id:
            self._leave(event)  # the review goes there
        else:
            self._read()
            about = {event.finding_id, event.changes.get("matches")}
            self._select(next((i for i, error in enumerate(self._marked) if error.id in about), self._index))
        return presenter.act(event, self.app.session)


def _quotes(evaluation: StoredEvaluation, places: Places) -> list[Runs]:
    """The words at each place, with the side that they are on."""
    return [
        [(f"{place.side}  ", "faint"), (f"“{evaluation.text(place.side)[place.start : place.end][:QUOTED]}”", "")]
        for place in places
    ]


def _quote(evaluation: StoredEvaluation, places: Places) -> str:
    """A few words by which to recognise an error: of the translation, if it has a place there."""
    for side in reversed(SIDES):
        for place in places:
            if place.side == side:
                return f"“{evaluation.text(side)[place.start : place.end][:QUOTED]}”"
    return ""


QUOTED = 200
"""Characters of a place that are shown at the most."""
