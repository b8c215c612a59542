"""The review: what a reviewer says of the errors and of the evaluation; one key decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.reports.render.phrases import learnt_from
from discox_tui.screens.common.dialogs import Ask
from discox_tui.screens.review import dialogs, presenter
from discox_tui.screens.review.annotate import YOUR_OWN, MarkingScreen
from discox_tui.screens.review.base import UndoingScreen
from discox_tui.sessions.drafts import Draft
from discox_tui.sessions.review import ReviewSession, Subject
from discox_tui.sessions.verdict_rules import Refused
from judges.model import InstructionDecision, MarkedError
from storage.record.library import StoredFinding
from storage.reviews.events import Event

if TYPE_CHECKING:
    from discox_tui.screens.review.list_screen import BesideScreen
    from storage.reviews.queue import QueueRow

DECIDING = {action.id for action in actions.ACTIONS if action.group == "Decide"} | {"finish", "skip"}
"""What no key does while text is selected."""

JUDGING = DECIDING - {"finish", "skip", "undo", "redo"}
"""What is said of an error."""
OF_THE_JUDGES = {"agree", "unsure", "restore", "invented", "clear_verdict"}
"""What is said of no error of the reviewer's own."""


class ReviewScreen(MarkingScreen, UndoingScreen):
    """One evaluation under review: the one that the session has open."""

    NAME = "review"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)

    # --- deciding ---

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense for the current finding is not offered."""
        if action in DECIDING and self.is_mounted and self.texts.selections:
            return False
        if action in ("reveal", "compare"):
            review = self.app.session.review
            return review.blind == ("started" if action == "reveal" else "revealed")
        return True

    def offers(self, action: str) -> bool:
        """What would be refused for the current error is not shown among the keys; pressed, it says why."""
        if action not in JUDGING or not self.is_mounted or self.app.session.evaluation is None:
            return True
        subject = self.current
        if isinstance(subject, StoredFinding):
            return action != "restore" or not subject.finding.kept
        return subject is not None and action not in OF_THE_JUDGES

    def _decide(self, act: Callable[[StoredFinding], Event | None], *, advance: bool = True) -> None:
        """Do something about the current finding; an error of the reviewer's own needs no verdict of hers."""

        def decide(subject: Subject) -> Event | None:
            if not isinstance(subject, StoredFinding):
                raise Refused(YOUR_OWN)
            return act(subject)

        self._act(decide, advance=advance)

    def action_agree(self) -> None:
        """The judge is right."""
        self._decide(lambda stored: self.app.session.decide(stored, "agree"))

    def action_not_an_error(self) -> None:
        """There is no error: of her own, the reviewer removes it."""
        if isinstance(error := self.current, MarkedError):
            self._act(lambda _: self.app.session.remove_error(error))
            return
        self._decide(lambda stored: self.app.session.decide(stored, "not_an_error"))

    def action_unsure(self) -> None:
        """Come back to it."""
        self._decide(lambda stored: self.app.session.decide(stored, "unsure"))

    def action_restore(self) -> None:
        """Bring back what was dropped."""
        self._decide(lambda stored: self.app.session.decide(stored, "restore"))

    def action_invented(self) -> None:
        """The judge's quote occurs nowhere, or does after all."""
        session = self.app.session
        self._decide(lambda stored: session.set_invented(stored, not session.verdict(stored).invented), advance=False)

    def action_clear_verdict(self) -> None:
        """No verdict after all."""

        def clear(stored: StoredFinding) -> Event:
            event = self.app.session.clear(stored)
            self.app.say(presenter.cleared(f"error {stored.number}", self.app.session.verdict(stored).note))
            return event

        self._decide(clear, advance=False)

    async def _ask(self, make: Callable[[ReviewSession, Subject], dialogs.Question]) -> None:
        """Ask something about the current error and act by the answer. Raises Refused where it makes no sense."""
        if (subject := self.current) is None:
            self._act(lambda _: None)  # which says why
            return
        question = make(self.app.session, subject)

        def answered(value: str | None) -> None:
            if value is not None:

                def act(_: Subject) -> Event | None:
                    event = question.act(value)
                    self.app.drafts.drop(question.draft)
                    return event

                advance = question.decides and isinstance(subject, StoredFinding)
                self._act(act, advance=advance)
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
            self._open(event.evaluation_id, event.reviewer)
        self._forget_step()
        self._show_work(event.finding_id)
        self._reveal()
        return presenter.act(event, self.app.session)

    # --- a blind pass ---

    async def action_reveal(self) -> None:
        """Show what the judge said, once and for all, and compare."""

        def answered(value: str | None) -> None:
            if value == "reveal":
                self.app.session.reveal()
                self._show_evaluation()
                self.refresh_bindings()
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
        self._show_evaluation()
        if event is not None:
            self._open(event.evaluation_id, event.reviewer)

    # --- what is looked at beside ---

    def action_deduplication(self) -> None:
        """What was dropped, and why."""
        from discox_tui.screens.review.deduplication import DeduplicationScreen

        self._beside(DeduplicationScreen)

    def action_rubric(self) -> None:
        """The rubric points, and where their terms are."""
        from discox_tui.screens.review.rubric import RubricScreen

        self._beside(RubricScreen)

    def action_waterfall(self) -> None:
        """What each error takes from the score."""
        from discox_tui.screens.review.waterfall import WaterfallScreen

        self._beside(WaterfallScreen)

    def _beside(self, screen: type[BesideScreen[Any]]) -> None:
        self.app.push_screen(screen(self._compared, self.current.id if self.current else None))

    async def action_instruction(self) -> None:
        """Whether the instruction check is right."""
        from discox_tui.screens.review.instruction import InstructionCheck

        def answered(decision: InstructionDecision | Literal["nothing"] | None) -> None:
            if decision is not None:
                with self.app.safely():
                    self.app.session.set_instruction(None if decision == "nothing" else decision)
                    self._show_work()
                    if decision == "nothing":
                        self.app.say(presenter.cleared("the instruction check", None))

        await self.app.push_screen(InstructionCheck(self.app.session), answered)

    # --- what is doubtful ---

    def action_validity(self) -> None:
        """Show how likely each error stands, or no more."""
        session = self.app.session
        session.opinions.toggle_chances()
        self._show_work(self.current.id if self.current else None)
        learnt = session.opinions.learnt
        told = learnt and learnt_from(learnt.n, learnt.articles)
        self.app.say(f"How likely errors stand: {told}" if told else "How likely errors stand is hidden")

    def action_next_doubtful(self) -> None:
        """Go to the undecided error that is least likely to stand; from there to the one after it."""
        from judges.ranking.acceptance_model import uncertainty_order  # opening a review does not wait for it

        if self.app.session.opinions.learnt is None:
            raise Refused("First show how likely errors stand (V)")
        chances = {stored.id: self.app.session.chance(stored) for stored in self.evaluation.findings}
        told = {identity: chance for identity, chance in chances.items() if chance is not None}
        order = [list(told)[i] for i in uncertainty_order(list(told.values()))]
        if not order:
            raise Refused("There is no error here of which it is told: none is undecided, or it must not be told")
        there = self.current is not None and self.current.id == order[0]
        self._select_subject(order[:2][-1] if there else order[0])

    # --- the evaluation as a whole ---

    def action_finish(self) -> None:
        """Mark the evaluation as done; go to the next."""
        session, onward = self.app.session, self._row_beside(1)
        session.set_state("done")
        self._show_scores()
        left = len(self.evaluation.errors) - session.decided()
        lacking = [f"{left} undecided: its score does not count"] if left else []
        if session.hidden:
            lacking.append("what the judge said is hidden yet (R)")
        if again := len(session.contradictions):
            lacking.append(f"{again} contradict (⇄)")
        if waiting := len(session.work.unconfirmed):
            lacking.append(f"{waiting} not compared (M)")
        if not session.work.search_done:
            lacking.append("not searched (m): no recall")
        message = f"Done; {'; '.join(lacking)}." if lacking else "Done."
        self._leave(message, onward)

    def _leave(self, message: str, onward: QueueRow | None) -> None:
        """Go on, saying what became of this evaluation.

        ``onward``: what came next in the queue before anything became of it, since that may have moved it.
        """
        if onward is None:
            message += " It was the last of the queue."
        else:
            try:
                self._open(onward.id, onward.layer)
            except Refused as reason:
                message += f" {reason}"
        self.app.say(message)

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
                onward = self._row_beside(1)
                self.app.session.set_state("skipped", reason.strip())
                self.app.drafts.drop(draft)
                self._show_scores()
                self._leave("Skipped.", onward)

        draft = Draft(self.evaluation.id, "skip", "Skip this evaluation")
        await self.app.push_screen(Ask(draft.title, placeholder="why? such as: not my field", draft=draft), given)

    def action_auto_advance(self) -> None:
        """Go on after a verdict, or stay."""
        self.app.auto_advance = not self.app.auto_advance
        self.app.session.remember("auto_advance", self.app.auto_advance)
        self.app.say("A verdict goes on to the next error" if self.app.auto_advance else "A verdict stays at its error")
