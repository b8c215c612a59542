"""Acting on the current error, and saying where errors are: the reviewer's own, other places, what was searched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from textual import on

from discox_tui.screens.review import dialogs, presenter
from discox_tui.screens.review.error_marks import Standing
from discox_tui.screens.review.view import ReadingScreen
from discox_tui.sessions.review import Subject
from discox_tui.sessions.verdict_rules import NOTHING_SELECTED, Refused
from discox_tui.text.styles import Mark
from discox_tui.widgets.bars import Runs
from discox_tui.widgets.virtual_table import VirtualTable
from judges.model import MarkedError, Place, Places, Side
from storage.record.library import StoredFinding
from storage.reviews.events import Event

NOTHING_HERE = "There is no error here to decide on. f marks the evaluation as done."
STILL_HIDDEN = f"What the judge said is hidden. {presenter.HOW_TO_MARK}"
NAMED = 24
"""Characters at most by which a quote is named."""
YOUR_OWN = "This error is your own: s c d n change it, t groups it, p moves it, x removes it"


class Occurrence(NamedTuple):
    """One of the places where ``words`` that a finding quotes occur: ``number``, from 1, ``of`` how many."""

    finding: str
    place: Place
    words: str
    number: int
    of: int

    def __str__(self) -> str:
        """Which it is, in words; a finding may quote several."""
        words = self.words if len(self.words) <= NAMED else f"{self.words[: NAMED - 1]}…"
        return f"“{words}”, {self.place.side}, {self.number} of {self.of}: p takes this place, o shows the next"


class MarkingScreen(ReadingScreen):
    """Lets the reviewer act on what she reads, mark errors of her own in it, and say where errors are."""

    _shown_step: Occurrence | None = None
    """The place that is shown of the current finding's quote instead of its own."""

    # --- acting on the current error ---

    def _act(self, act: Callable[[Subject], Event | None], *, advance: bool = False) -> None:
        """Do something about the current error, show what came of it and, if wanted, go to the next of the judge's."""
        subject = self.current
        if subject is None:
            raise Refused(STILL_HIDDEN if self.app.session.hidden else NOTHING_HERE)
        with self.app.safely():
            linked = self._linked
            event = act(subject)
            self._look_elsewhere()
            if event is not None:
                reopened = self.app.session.reopened
                self._show_changed(subject, linked=linked or self._linked or bool(reopened))
                if reopened:
                    labels = ", ".join(map(self.app.session.label, reopened))
                    self.app.say(f"To be decided again, since it does not go with this: {labels}.", warning=True)
            if advance and self.app.auto_advance and self._index + 1 < len(self.evaluation.findings):
                self._select(self._index + 1)
            else:
                self._show_current()

    @property
    def _linked(self) -> bool:
        """Whether what is said of one error may show in the row of another: one repeats one, or is one of her own."""
        work = self.app.session.work
        return any(error.repeat_of for error in work.errors.values()) or any(
            verdict.repeat_of or verdict.matches for verdict in work.verdicts.values()
        )

    def _show_changed(self, subject: Subject, *, linked: bool) -> None:
        """Show what is said of an error now and, where errors are linked, what follows for others."""
        if linked or not isinstance(subject, StoredFinding):
            self._show_work(subject.id)
            return
        self.errors.refresh_row(subject.number - 1)
        self._show_marks_of(subject)
        self._show_scores()

    # --- errors of the reviewer's own ---

    async def action_mark_error(self) -> None:
        """Mark what is selected as an error that the judge missed."""
        places = self._selected
        if not places:
            raise Refused(NOTHING_SELECTED)

        def answered(answers: tuple[str, ...] | None) -> None:
            if answers is not None:
                with self.app.safely():
                    self._mark(places, dialogs.marked(answers))

        # Waiting until it stands keeps the keys that are typed meanwhile for it.
        await self.app.push_screen(dialogs.marking(self.app.session, places), answered)

    def _mark(self, places: Places, what: dialogs.Labels | str) -> None:
        """Mark an error. Raises Refused where it is one that is here already, having gone there."""
        session = self.app.session
        error = None if isinstance(what, str) else session.mark(places, *what)
        self._let_go()
        if isinstance(what, str):
            self._select_subject(what)
            # Refused, so that digits typed ahead for the next question are no verdicts.
            raise Refused("Nothing is marked: this is the error that is here already")
        if error is not None:
            self._show_work(error.id)
            self._select_subject(error.id)
            if missing := presenter.misses(error):
                side = "source" if error.category == "omission" else "translation"
                self.app.say(f"Marked {session.label(error)}; in the {side} {missing}.", warning=True)
                return
            points = -session.human_cost(error.id)
            self.app.say(f"Marked {session.label(error)}: {presenter.short_title(error)}, −{points}. n adds a note.")

    async def _relabel(self, error: MarkedError) -> None:
        """Ask anew what an error of the reviewer's own is."""

        def answered(answers: tuple[str, ...] | None) -> None:
            if answers is not None:
                now = dialogs.labelled(answers)
                self._act(lambda _: self.app.session.change_error(error, **now._asdict()))

        await self.app.push_screen(dialogs.labels(self.app.session.weights, error), answered)

    def action_search_done(self) -> None:
        """State that the texts were searched for missed errors, or take that back."""
        done = not self.app.session.work.search_done
        self.app.session.set_search(done)
        self._show_work()
        searched = "You searched for missed errors: what the judge found can be held against what there is."
        self.app.say(searched if done else "The search for missed errors is not done: no recall is claimed.")

    # --- other places ---

    @property
    def _selected(self) -> Places:
        """What is selected on either side."""
        return tuple(sorted(Place(side, *span) for side, span in self.texts.selections.items()))

    def _let_go(self) -> None:
        self.texts.clear_selections()
        self.set_focus(self.errors)

    def action_other_place(self) -> None:
        """Say that the error is where text is selected, or at the occurrence that is shown; else take that back."""
        places = self._selected or ((self._shown_step.place,) if self._shown_step else None)
        self._forget_step()

        def move(subject: Subject) -> Event | None:
            event = self.app.session.set_spans(subject, places)
            self._let_go()
            return event

        self._act(move, advance=places is not None and self.finding is not None)
        self._reveal()

    def action_next_occurrence(self) -> None:
        """Show the next place where the words occur that the judge quotes."""
        stored = self.finding
        steps = self._steps(stored) if stored else []
        if stored is None or len(steps) < 2:
            raise Refused("No quote of the judge's is here more than once; select the right words (v) and press p")
        if self._shown_step in steps:
            before = steps.index(self._shown_step)
        else:
            here = self.app.session.places(stored)
            before = next((index for index, step in enumerate(steps) if step.place in here), -1)
        self._shown_step = steps[(before + 1) % len(steps)]
        self._show_marks()
        self._show_current()
        self._reveal()
        self.app.say(str(self._shown_step))

    def _steps(self, stored: StoredFinding) -> list[Occurrence]:
        """The places of each of a finding's quotes that occurs more than once, in their order."""
        from judges.grounding import same_words  # few need it

        found: dict[Place, Occurrence] = {}
        for span in stored.grounded.spans:
            if span.role == "quote" and span.occurrences > 1:
                places = same_words(self.evaluation.text(span.side), span.start, span.end)
                words = self.evaluation.text(span.side)[span.start : span.end]
                for number, (start, end) in enumerate(places, 1):
                    place = Place(span.side, start, end)
                    found.setdefault(place, Occurrence(stored.id, place, words, number, len(places)))
        return list(found.values())

    def _step_of(self, subject: Subject, side: Side) -> Place | None:
        step = self._shown_step
        return step.place if step and (step.finding, step.place.side) == (subject.id, side) else None

    def _forget_step(self) -> None:
        if self._shown_step is not None:
            self._shown_step = None
            self._show_marks()

    def _marks(self, subject: Subject, now: Standing, side: Side) -> Iterable[Mark]:
        if place := self._step_of(subject, side):
            return [Mark(subject.id, place.start, place.end, now.severity)]
        return super()._marks(subject, now, side)

    def _target(self, subject: Subject, side: Side) -> tuple[int, int] | None:
        place = self._step_of(subject, side)
        return (place.start, place.end) if place else super()._target(subject, side)

    def _detail(self, subject: Subject | None) -> Sequence[Runs]:
        step = self._shown_step
        return presenter.detail(self.evaluation, subject, self.app.session, str(step) if step else "")

    def _select(self, index: int) -> None:
        self._forget_step()
        super()._select(index)

    def _show_evaluation(self) -> None:
        self._shown_step = None
        super()._show_evaluation()

    @on(VirtualTable.Selected)
    def _take_step(self, message: VirtualTable.Selected) -> None:
        """Take the place that is shown, with enter on the current error."""
        if self._shown_step is not None and message.index == self._index:
            message.prevent_default()
            self.action_other_place()
