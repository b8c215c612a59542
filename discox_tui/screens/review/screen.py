"""The review: what a reviewer says of the errors and of the evaluation; one key decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.screens.common.base import LOOK_AFTER
from discox_tui.screens.common.dialogs import Ask
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.review import dialogs, presenter
from discox_tui.screens.review.base import EvaluationScreen
from discox_tui.screens.review.controller import ReviewController
from discox_tui.screens.review.view import ReviewView
from discox_tui.sessions.drafts import Draft
from discox_tui.sessions.library import Refused
from discox_tui.sessions.open_review import Subject
from discox_tui.sessions.review import ReviewSession
from discox_tui.sessions.verdict_rules import NOTHING_SELECTED
from discox_tui.widgets.text_pane import TextPane
from discox_tui.widgets.virtual_table import Cell, VirtualTable
from judges.model import InstructionDecision, MarkedError
from storage.record.library import StoredFinding
from storage.reviews.events import Event

if TYPE_CHECKING:
    from textual.events import Resize
    from textual.timer import Timer

    from discox_tui.screens.review.list_screen import EvaluationListScreen
    from discox_tui.screens.review.state import ReviewState
    from discox_tui.text.runs import Runs

REMEMBER_AFTER = 2.0
"""Seconds of rest after which the place is noted, so that moving about costs no write each time."""
DECIDING = {action.id for action in actions.ACTIONS if action.group == "Decide"} | {"finish", "skip"}
"""Actions that no key does while text is selected."""

JUDGING = DECIDING - {"finish", "skip", "undo", "redo"}
"""Actions on an error."""
OF_THE_JUDGES = {"agree", "unsure", "restore", "invented", "clear_verdict"}
"""Actions on a judge's error only, not on the reviewer's own."""


class ReviewScreen(EvaluationScreen):
    """One evaluation under review: the one that the session has open.

    Keys and answers become calls of the controller; the states that it makes go to the view.
    """

    NAME = "review"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "ReviewScreen")

    view: ReviewView

    def __init__(self, place: dict[str, Any] | None = None) -> None:
        """``place``: the finding and the scroll positions to begin with, as ``place`` gave them."""
        super().__init__()
        self.controller = ReviewController(self.app, self)
        self._place = place
        self._remember: Timer | None = None
        self._kind: object = None  # what decides which keys are offered

    def content(self) -> ComposeResult:
        """The view."""
        self.view = ReviewView(self._cells, lambda side: self.evaluation.text(side), ambiguous=self.app.ambiguous)
        yield from self.view.compose()

    def _cells(self, subject: Subject) -> Sequence[Cell]:
        return self.controller.cells(subject, narrow=self.view.narrow)

    @property
    def errors(self) -> VirtualTable[Subject]:
        """The list of errors."""
        return self.view.errors

    @property
    def current(self) -> Subject | None:
        """The current error, the judge's or the reviewer's own; None where there is none."""
        return self.controller.current

    @property
    def finding(self) -> StoredFinding | None:
        """The current error if it is the judge's."""
        return self.controller.finding

    @property
    def about(self) -> str | None:
        """The subject that the guideline is asked about from here: the current error's category."""
        current = self.current
        if isinstance(current, StoredFinding):
            return current.finding.category
        return current.category if current else None

    # --- showing ---

    def opened(self, state: ReviewState) -> None:
        """Show another evaluation, where the reviewer stopped."""
        self.view.open(state)
        self._shown(state)
        self.refresh_bindings()
        self._remember_soon()
        self.app.offer_draft(state.evaluation.id)
        self.view.once_sized(self._restore)

    def shows(self, state: ReviewState) -> None:
        """Show another state of the evaluation."""
        self.view.show(state)
        self._shown(state)

    def _shown(self, state: ReviewState) -> None:
        current = state.current
        self.app.stopwatch.look_at(self.app.session.layer, state.evaluation.id, current.id if current else "")
        before = self._kind
        self._kind = current.finding.kept if isinstance(current, StoredFinding) else type(current)
        if before != self._kind:
            self.refresh_bindings()

    def reveals(self) -> None:
        """Bring the current error into view, and note where the reviewer is."""
        self.view.reveal()
        self._remember_soon()

    def described(self, subject: Subject | None, shown: str) -> Sequence[Runs]:
        """Return what is said of an error; ``shown``: the occurrence of its quote that is shown, in words."""
        return presenter.detail(self.evaluation, subject, self.app.session, shown)

    def on_mount(self) -> None:
        """Show the evaluation."""
        self.controller.open()
        self.set_focus(self.errors)
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        if self.is_active:
            self.controller.look_elsewhere()

    def on_resize(self, event: Resize) -> None:
        """Other words fit."""
        super().on_resize(event)
        self.view.fit(event.size.width)
        if self.is_mounted and self.app.session.evaluation is not None:
            self.controller.refit()

    def _restore(self) -> None:
        """Go to where the reviewer stopped, once the panes know their size."""
        place, self._place = self._place, None
        if place:
            self.controller.select_subject(place.get("finding"))
            self.view.scroll_to(place)
        else:
            self.view.reveal()

    def place(self) -> dict[str, Any]:
        """Return what to remember of this screen."""
        current = self.current
        return {
            "evaluation": self.evaluation.id,
            "layer": self.app.session.layer,
            "finding": current.id if current else None,
            **self.view.tops(),
        }

    def _remember_soon(self) -> None:
        if self._remember is None:
            self._remember = self.set_timer(REMEMBER_AFTER, self._remember_now)
        else:
            self._remember.reset()

    def _remember_now(self) -> None:
        self._remember = None
        self.app.remember_place()

    # --- moving ---

    @on(VirtualTable.Selected)
    def _chosen(self, message: VirtualTable.Selected) -> None:
        """Take the place that is shown, with enter on the current error; else go to the error."""
        if self.controller.shows_occurrence and message.index == self.controller.index:
            self.action_other_place()
        else:
            self.controller.select(message.index)

    @on(VirtualTable.Highlighted)
    def _highlighted(self, message: VirtualTable.Highlighted) -> None:
        self.controller.select(message.index)

    @on(TextPane.MarkClicked)
    def _mark_clicked(self, message: TextPane.MarkClicked) -> None:
        """Select the finding clicked; again: the next of those that overlap there."""
        keys = message.keys
        current = self.current.id if self.current else None
        chosen = keys[(keys.index(current) + 1) % len(keys)] if current in keys else keys[0]
        self.controller.select_subject(chosen)

    def action_next_finding(self) -> None:
        """Go to the next error."""
        self.controller.select(self.controller.index + 1)

    def action_previous_finding(self) -> None:
        """Go to the previous error."""
        self.controller.select(self.controller.index - 1)

    def action_next_undecided(self) -> None:
        """Go to the next error that is to be decided, or decided anew, from the top again after the last."""
        if not self.controller.next_undecided():
            self.app.say("Every error here is decided. f marks the evaluation as done.")

    def action_next_doubtful(self) -> None:
        """Go to the undecided error that is least likely to stand; from there to the one after it."""
        self.controller.next_doubtful()

    def action_next_evaluation(self) -> None:
        """Go to the next evaluation of the queue."""
        self.controller.turn_by(1)

    def action_previous_evaluation(self) -> None:
        """Go to the previous evaluation of the queue."""
        self.controller.turn_by(-1)

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
        if self.view.search.open:
            self.view.search.end()
            self.set_focus(self.errors)
        elif self.texts.selections:
            self.texts.clear_selections()
        elif isinstance(self.focused, TextPane):
            self.set_focus(self.errors)
        else:
            self.app.stopwatch.leave()
            self.app.places[self.evaluation.id, self.app.session.layer] = self.place()
            self.app.remember_place()
            self.app.pop_screen()

    def action_search(self) -> None:
        """Search both texts."""
        self.view.search.begin()

    # --- deciding ---

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Refuse an action that makes no sense for the current finding."""
        if action in DECIDING and self.is_mounted and self.texts.selections:
            return False
        if action in ("reveal", "compare"):
            review = self.app.session.review
            return self.app.session.hidden if action == "reveal" else review.blind == "revealed"
        return True

    def offers(self, action: str) -> bool:
        """Tell if an action's key is shown: not what would be refused for the current error; pressed, it says why."""
        if action not in JUDGING or not self.is_mounted or self.app.session.evaluation is None:
            return True
        subject = self.current
        if isinstance(subject, StoredFinding):
            return action != "restore" or not subject.finding.kept
        return subject is not None and action not in OF_THE_JUDGES

    def action_agree(self) -> None:
        """The judge is right."""
        self.controller.decide("agree")

    def action_not_an_error(self) -> None:
        """There is no error; the reviewer removes one of their own."""
        self.controller.reject()

    def action_unsure(self) -> None:
        """Come back to it."""
        self.controller.decide("unsure")

    def action_restore(self) -> None:
        """Bring back what was dropped."""
        self.controller.decide("restore")

    def action_invented(self) -> None:
        """The judge's quote occurs nowhere, or does after all."""
        self.controller.toggle_invented()

    def action_clear_verdict(self) -> None:
        """No verdict after all."""
        self.controller.clear_verdict()

    async def _ask(self, make: Callable[[ReviewSession, Subject], dialogs.Question]) -> None:
        """Ask something about the current error and act by the answer. Raises Refused where it makes no sense."""
        if (subject := self.current) is None:
            self.controller.act(lambda _: None)  # which says why
            return
        question = make(self.app.session, subject)

        def answered(value: str | None) -> None:
            if value is not None:

                def act(_: Subject) -> Event | None:
                    event = question.act(value)
                    self.app.drafts.drop(question.draft)
                    return event

                advance = question.decides and isinstance(subject, StoredFinding)
                self.controller.act(act, advance=advance)
                if said := question.then():
                    self.app.say(said)

        # Waiting until it stands keeps the keys that are typed meanwhile for it.
        await self.app.push_screen(question.screen, answered)

    async def action_severity(self) -> None:
        """Another severity."""
        await self._ask(dialogs.severity)

    async def action_category(self) -> None:
        """Another category."""
        await self._ask(dialogs.category)

    async def action_dimension(self) -> None:
        """Another dimension; in that, an error of the reviewer's own has another category and severity."""
        if isinstance(error := self.current, MarkedError):
            await self._relabel(error)
        else:
            await self._ask(dialogs.dimension)

    async def action_duplicate(self) -> None:
        """A duplicate of another one; an error of the reviewer's own can only repeat one."""
        await self._ask(dialogs.repeat if isinstance(self.current, MarkedError) else dialogs.duplicate)

    async def action_repeat(self) -> None:
        """The same mistake as another one."""
        await self._ask(dialogs.repeat)

    async def action_note(self) -> None:
        """A note on the error."""
        await self._ask(dialogs.note)

    def follow(self, event: Event) -> str:
        """Show what is said now where the act was, and return it in words."""
        if event.evaluation_id != self.evaluation.id:
            self.controller.turn_to(event.evaluation_id, event.reviewer)
        self.controller.forget_occurrence()
        self.controller.refresh(event.finding_id)
        self.view.reveal()
        return presenter.act(event, self.app.session)

    # --- errors of the reviewer's own, and other places ---

    async def action_mark_error(self) -> None:
        """Mark what is selected as an error that the judge missed."""
        places = self.view.selected
        if not places:
            raise Refused(NOTHING_SELECTED)

        def answered(answers: tuple[str, ...] | None) -> None:
            if answers is not None:
                with self.app.safely():
                    self.controller.mark(places, dialogs.marked(answers), self._let_go)

        # Waiting until it stands keeps the keys that are typed meanwhile for it.
        await self.app.push_screen(dialogs.marking(self.app.session, places), answered)

    def _let_go(self) -> None:
        self.texts.clear_selections()
        self.set_focus(self.errors)

    async def _relabel(self, error: MarkedError) -> None:
        """Ask anew what an error of the reviewer's own is."""

        def answered(answers: tuple[str, ...] | None) -> None:
            if answers is not None:
                now = dialogs.labelled(answers)
                self.controller.act(lambda _: self.app.session.change_error(error, **now._asdict()))

        await self.app.push_screen(dialogs.labels(self.app.session.weights, error), answered)

    def action_search_done(self) -> None:
        """State that the texts were searched for missed errors, or take that back."""
        self.controller.toggle_search()

    def action_other_place(self) -> None:
        """Say that the error is where text is selected, or at the occurrence that is shown; else take that back."""
        self.controller.move(self.view.selected, self._let_go)

    def action_next_occurrence(self) -> None:
        """Show the next place where the words occur that the judge quotes."""
        self.controller.next_occurrence()

    # --- a blind pass ---

    async def action_reveal(self) -> None:
        """Show what the judge said, once and for all, and compare."""

        def answered(value: str | None) -> None:
            if value == "reveal":
                self.app.session.reveal()
                self.controller.open()
                if self.app.session.work.unconfirmed:
                    self.action_compare()

        await self.app.push_screen(dialogs.reveal(self.app.session), answered)

    def action_compare(self) -> None:
        """Say of each error that was marked blind whether the judge found it."""
        from discox_tui.screens.review.matching import MatchingScreen

        self.app.push_screen(MatchingScreen(self._compared))

    def _compared(self, event: Event | None, subject: str | None = None) -> None:
        """Show what was said meanwhile, at an error; ``event``: what was undone or done again elsewhere."""
        self._place = {"finding": subject} if subject else self.place()
        self.controller.open()
        if event is not None:
            self.controller.turn_to(event.evaluation_id, event.reviewer)

    # --- what is looked at beside ---

    def action_deduplication(self) -> None:
        """Open the list of what was dropped, and why."""
        from discox_tui.screens.review.deduplication import DeduplicationScreen

        self._open_list(DeduplicationScreen)

    def action_rubric(self) -> None:
        """The rubric points, and where their terms are."""
        from discox_tui.screens.review.rubric import RubricScreen

        self._open_list(RubricScreen)

    def action_waterfall(self) -> None:
        """Open the score breakdown."""
        from discox_tui.screens.review.waterfall import WaterfallScreen

        self._open_list(WaterfallScreen)

    def _open_list(self, screen: type[EvaluationListScreen[Any]]) -> None:
        self.app.push_screen(screen(self._compared, self.current.id if self.current else None))

    async def action_instruction(self) -> None:
        """Ask if the instruction check is right."""
        from discox_tui.screens.review.instruction import InstructionCheck

        def answered(decision: InstructionDecision | Literal["nothing"] | None) -> None:
            if decision is not None:
                with self.app.safely():
                    self.app.session.set_instruction(None if decision == "nothing" else decision)
                    self.controller.refresh()
                    if decision == "nothing":
                        self.app.say(presenter.cleared("the instruction check", None))

        await self.app.push_screen(InstructionCheck(self.app.session), answered)

    # --- what is doubtful ---

    def action_validity(self) -> None:
        """Show how likely each error stands, or no more."""
        self.controller.toggle_chances()

    # --- the evaluation as a whole ---

    def action_finish(self) -> None:
        """Mark the evaluation as done; go to the next."""
        self.controller.finish()

    async def action_skip(self) -> None:
        """Put the evaluation aside, with a reason."""

        def given(reason: str | None) -> None:
            if reason is None:
                return
            if not reason.strip():
                self.app.drafts.drop(draft)
                self.app.say("Skipping needs a reason, so that it is not taken for done.", warning=True)
                return
            with self.app.safely():
                self.controller.skip(reason.strip(), lambda: self.app.drafts.drop(draft))

        draft = Draft(self.evaluation.id, "skip", "Skip this evaluation")
        await self.app.push_screen(Ask(draft.title, placeholder="why? such as: not my field", draft=draft), given)

    def action_auto_advance(self) -> None:
        """Go on after a verdict, or stay."""
        self.controller.toggle_auto_advance()
