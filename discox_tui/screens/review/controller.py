"""The controller of a review: acts become calls of the session, and what came of them a new state for the view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from discox_tui.reports.render.phrases import learnt_from
from discox_tui.screens.common.base import NARROW
from discox_tui.screens.review import presenter
from discox_tui.screens.review.error_marks import Standing
from discox_tui.screens.review.state import Occurrence, ReviewState
from discox_tui.screens.review.view import ROOMY
from discox_tui.sessions.library import Overtaken, Refused
from judges.model import MarkedError, Place, Places
from storage.record.library import StoredEvaluation, StoredFinding

if TYPE_CHECKING:
    from discox_tui.screens.common.app_base import AppBase
    from discox_tui.screens.review.dialogs import Labels
    from discox_tui.sessions.open_review import Subject
    from discox_tui.sessions.review import ReviewSession
    from discox_tui.text.runs import Runs
    from discox_tui.widgets.virtual_table import Cell
    from judges.model import Decision
    from storage.reviews.events import Event
    from storage.reviews.queue import QueueRow

NOTHING_HERE = "There is no error here to decide on. f marks the evaluation as done."
STILL_HIDDEN = f"What the judge said is hidden. {presenter.HOW_TO_MARK}"
YOUR_OWN = "This error is your own: s c d n change it, t groups it, p moves it, x removes it"
NOTHING_CHANGED: frozenset[str] = frozenset()


class Shows(Protocol):
    """The screen, as its controller knows it."""

    def opened(self, state: ReviewState) -> None:
        """Show another evaluation, from its beginning."""

    def shows(self, state: ReviewState) -> None:
        """Show another state of the evaluation."""

    def reveals(self) -> None:
        """Bring the current error into view."""

    def described(self, subject: Subject | None, shown: str) -> Sequence[Runs]:
        """Return what is said of an error; ``shown``: the occurrence of its quote that is shown, in words."""


class ReviewController:
    """A reviewer's acts on the open evaluation. ``index`` is the current error's; the state follows from it."""

    def __init__(self, app: AppBase, screen: Shows) -> None:
        self._app = app
        self._screen = screen
        self._session: ReviewSession = app.session
        self._state: ReviewState | None = None
        self._position: int | None = None
        self._occurrence: Occurrence | None = None
        self.index = 0

    # --- the state ---

    @property
    def evaluation(self) -> StoredEvaluation:
        """The evaluation under review."""
        assert self._session.evaluation is not None
        return self._session.evaluation

    @property
    def current(self) -> Subject | None:
        """The current error, the judge's or the reviewer's own; None where there is none."""
        subjects = self._session.subjects
        return subjects[min(self.index, len(subjects) - 1)] if subjects else None

    @property
    def finding(self) -> StoredFinding | None:
        """The current error if it is the judge's."""
        return current if isinstance(current := self.current, StoredFinding) else None

    def cells(self, subject: Subject, *, narrow: bool) -> Sequence[Cell]:
        """Return an error as cells of the list."""
        return presenter.error_cells(self.evaluation, subject, self._session, narrow=narrow)

    def _made(self, changed: frozenset[str] | None) -> ReviewState:
        """Return the state of now. ``changed``: the errors of which something else is said since the last; None: any.

        What moving about changes is made anew, all else only if something changed.
        """
        session, before, evaluation = self._session, self._state, self.evaluation
        width = self._app.size.width
        if before is None or len(session.subjects) != len(before.subjects):
            changed = None
        if before is None or changed is None:
            standings: Mapping[str, Standing] = {each.id: Standing.of(each, session) for each in session.subjects}
        else:
            found = [subject for identity in changed if (subject := session.find(identity)) is not None]
            anew = {subject.id: Standing.of(subject, session) for subject in found}
            standings = {**before.standings, **anew} if anew else before.standings
        if before is None or changed != NOTHING_CHANGED:
            scores: Sequence[tuple[Runs, Runs]] = presenter.scores(evaluation, session, narrow=width < ROOMY)
        else:
            scores = before.scores
        return ReviewState(
            evaluation=evaluation,
            subjects=session.subjects,
            standings=standings,
            index=self.index,
            title=presenter.title(session, self.index, self._position, narrow=width < NARROW),
            detail=self._screen.described(self.current, str(self._occurrence or "")),
            scores=scores,
            empty=before.empty if before is not None else presenter.nothing_to_review(session),
            occurrence=self._occurrence,
            changed=changed,
        )

    def _show(self, changed: frozenset[str] | None = NOTHING_CHANGED) -> None:
        self._state = self._made(changed)
        self._screen.shows(self._state)

    def open(self) -> None:
        """Show what the session has open, at the first error that is undecided or is to be decided anew."""
        session = self._session
        self._position = session.position
        self._occurrence = None
        self._state = None
        self.index = next((index for index, subject in enumerate(session.subjects) if session.is_open(subject)), 0)
        self._state = self._made(None)
        self._screen.opened(self._state)

    def refresh(self, identity: str | None = None) -> None:
        """Show anew what is said of the evaluation; the error with this id, or the one in its place, is current."""
        self.index = max(0, self._index_of(identity))
        self._show(None)

    def look_elsewhere(self) -> None:
        """Show what another program has decided meanwhile for the same reviewer."""
        with self._app.looking():
            if self._session.changed_elsewhere():
                self._app.look_for_note()
                self.refresh()

    def refit(self) -> None:
        """Show the title and the scores in the words that fit the terminal now."""
        if self._state is not None:
            narrow = self._app.size.width < ROOMY
            self._state = replace(self._state, scores=presenter.scores(self.evaluation, self._session, narrow=narrow))
            self._show()

    def _index_of(self, identity: str | None) -> int:
        """Return where in the list the error with this id is; without it, where the list is."""
        subjects = self._session.subjects
        found = (index for index, subject in enumerate(subjects) if subject.id == identity)
        return next(found, min(self.index, len(subjects) - 1))

    # --- moving ---

    def select(self, index: int) -> None:
        """Go to an error, the first or last if there are not so many."""
        if count := len(self._session.subjects):
            self.index = max(0, min(index, count - 1))
            self._occurrence = None
            self._show()
            self._screen.reveals()

    def select_subject(self, identity: str | None) -> None:
        """Go to the error with this id, if there is one."""
        if self._session.find(identity) is not None:
            self.select(self._index_of(identity))

    def next_undecided(self) -> bool:
        """Go to the next error that is to be decided, from the top again after the last; False if all are."""
        session, subjects = self._session, self._session.subjects
        for step in range(1, len(subjects) + 1):
            index = (self.index + step) % len(subjects)
            if session.is_open(subjects[index]):
                self.select(index)
                return True
        return False

    def turn_to(self, identity: str, layer: str) -> None:
        """Open another evaluation, in a layer of the reviewer's."""
        self._session.open(identity, layer)
        self.open()

    def turn_by(self, step: int) -> None:
        """Open the evaluation so many after this one in the queue, or say that there is none."""
        if (row := self._row_beside(step)) is not None:
            self.turn_to(row.id, row.layer)
        else:
            last = "That was the last evaluation of the queue." if step > 0 else "This is the first evaluation."
            self._app.say(last)

    def _row_beside(self, step: int) -> QueueRow | None:
        queue, position = self._session.queue, self._session.position
        wanted = step - 1 if position is None else position + step
        return queue[wanted] if 0 <= wanted < len(queue) else None

    def next_doubtful(self) -> None:
        """Go to the undecided error that is least likely to stand; from there to the one after it.

        Raises Refused where no chances are shown, or none may be told.
        """
        from judges.ranking.acceptance_model import uncertainty_order  # opening a review does not wait for it

        session = self._session
        if session.opinions.learnt is None:
            raise Refused("First show how likely errors stand (V)")
        chances = {stored.id: session.chance(stored) for stored in self.evaluation.findings}
        told = {identity: chance for identity, chance in chances.items() if chance is not None}
        order = [list(told)[i] for i in uncertainty_order(list(told.values()))]
        if not order:
            raise Refused("There is no error here of which it is told: none is undecided, or it must not be told")
        there = self.current is not None and self.current.id == order[0]
        self.select_subject(order[:2][-1] if there else order[0])

    # --- acting on the current error ---

    def act(self, act: Callable[[Subject], Event | None], *, advance: bool = False) -> None:
        """Do something about the current error, show what came of it and, if wanted, go to the next of the judge's.

        Raises Refused where there is no error.
        """
        subject = self.current
        if subject is None:
            raise Refused(STILL_HIDDEN if self._session.hidden else NOTHING_HERE)
        with self._app.safely():
            linked = self._linked
            try:
                event = act(subject)
            except Overtaken:
                self.refresh(subject.id)
                raise
            self.look_elsewhere()
            changed: frozenset[str] | None = NOTHING_CHANGED
            if event is not None:
                reopened = self._session.reopened
                alone = isinstance(subject, StoredFinding) and not (linked or self._linked or reopened)
                changed = frozenset({subject.id}) if alone else None
                if changed is None:
                    self.index = max(0, self._index_of(subject.id))
                if reopened:
                    labels = ", ".join(map(self._session.label, reopened))
                    self._app.say(f"To be decided again, since it does not go with this: {labels}.", warning=True)
            onward = advance and self._app.auto_advance and self.index + 1 < len(self.evaluation.findings)
            if onward:
                self.index += 1
                self._occurrence = None
            self._show(changed)
            if onward:
                self._screen.reveals()

    def _of_the_judges(self, act: Callable[[StoredFinding], Event | None], *, advance: bool = False) -> None:
        """Do something about the current finding; an error of the reviewer's own needs no verdict of theirs."""

        def done(subject: Subject) -> Event | None:
            if not isinstance(subject, StoredFinding):
                raise Refused(YOUR_OWN)
            return act(subject)

        self.act(done, advance=advance)

    def decide(self, decision: Decision) -> None:
        """Give a verdict on the current finding."""
        self._of_the_judges(lambda stored: self._session.decide(stored, decision), advance=True)

    def reject(self) -> None:
        """Say that there is no error; one of the reviewer's own is removed."""
        if isinstance(error := self.current, MarkedError):
            self.act(lambda _: self._session.remove_error(error))
        else:
            self.decide("not_an_error")

    def toggle_invented(self) -> None:
        """Say that the judge's quote occurs nowhere, or does after all."""
        session = self._session
        self._of_the_judges(lambda stored: session.set_invented(stored, not session.verdict(stored).invented))

    def clear_verdict(self) -> None:
        """Take the verdict on the current finding back."""

        def clear(stored: StoredFinding) -> Event:
            event = self._session.clear(stored)
            self._app.say(presenter.cleared(f"error {stored.number}", self._session.verdict(stored).note))
            return event

        self._of_the_judges(clear)

    @property
    def _linked(self) -> bool:
        """True if a verdict on one error may show in the row of another: one repeats one, or matches one."""
        work = self._session.work
        return any(error.repeat_of for error in work.errors.values()) or any(
            verdict.repeat_of or verdict.matches for verdict in work.verdicts.values()
        )

    # --- errors of the reviewer's own, and other places ---

    def mark(self, places: Places, what: Labels | str, done: Callable[[], None]) -> None:
        """Mark an error of the reviewer's own, go to it, and say what it costs or what it lacks.

        ``done``: called once it is stored. Raises Refused where it is one that is here already (its id is ``what``),
        having gone there.
        """
        if isinstance(what, str):
            done()
            self.select_subject(what)
            # Refused, so that digits typed ahead for the next question are no verdicts.
            raise Refused("Nothing is marked: this is the error that is here already")
        session = self._session
        error = session.mark(places, *what)
        done()
        self.refresh(error.id)
        self.select_subject(error.id)
        if missing := presenter.misses(error):
            side = "source" if error.category == "omission" else "translation"
            self._app.say(f"Marked {session.label(error)}; in the {side} {missing}.", warning=True)
        else:
            points = -session.human_cost(error.id)
            self._app.say(f"Marked {session.label(error)}: {presenter.short_title(error)}, −{points}. n adds a note.")

    def move(self, selected: Places, done: Callable[[], None]) -> None:
        """Say that the error is at the places selected, or at the occurrence that is shown; else take that back.

        ``done``: called once it is stored.
        """
        places = selected or ((self._occurrence.place,) if self._occurrence else None)
        self.forget_occurrence()

        def moved(subject: Subject) -> Event | None:
            event = self._session.set_spans(subject, places)
            done()
            return event

        self.act(moved, advance=places is not None and self.finding is not None)
        self._screen.reveals()

    @property
    def shows_occurrence(self) -> bool:
        """True if another place of the current error's quote is shown than its own."""
        return self._occurrence is not None

    def forget_occurrence(self) -> None:
        """Show the current error in its own place again."""
        if self._occurrence is not None:
            self._occurrence = None
            self._show()

    def next_occurrence(self) -> None:
        """Show the next place where the words occur that the judge quotes. Raises Refused where there is one only."""
        stored = self.finding
        found = _occurrences(self.evaluation, stored) if stored else []
        if stored is None or len(found) < 2:
            raise Refused("No quote of the judge's is here more than once; select the right words (v) and press p")
        if self._occurrence in found:
            before = found.index(self._occurrence)
        else:
            here = self._session.places(stored)
            before = next((index for index, each in enumerate(found) if each.place in here), -1)
        self._occurrence = found[(before + 1) % len(found)]
        self._show()
        self._screen.reveals()
        self._app.say(str(self._occurrence))

    # --- the evaluation as a whole ---

    def toggle_search(self) -> None:
        """State that the texts were searched for missed errors, or take that back."""
        done = not self._session.work.search_done
        self._session.set_search(done)
        self.refresh()
        searched = "You searched for missed errors: what the judge found can be held against what there is."
        self._app.say(searched if done else "The search for missed errors is not done: no recall is claimed.")

    def toggle_chances(self) -> None:
        """Show how likely each error stands, or hide it."""
        opinions = self._session.opinions
        opinions.toggle_chances()
        self.refresh(self.current.id if self.current else None)
        learnt = opinions.learnt
        told = learnt and learnt_from(learnt.n, learnt.articles)
        self._app.say(f"How likely errors stand: {told}" if told else "How likely errors stand is hidden")

    def toggle_auto_advance(self) -> None:
        """Go on after a verdict, or stay."""
        app = self._app
        app.auto_advance = not app.auto_advance
        self._session.remember("auto_advance", app.auto_advance)
        app.say("A verdict goes on to the next error" if app.auto_advance else "A verdict stays at its error")

    def finish(self) -> None:
        """Mark the evaluation as done, say what it lacks, and go on."""
        session, onward = self._session, self._row_beside(1)
        session.set_state("done")
        self.refit()
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
        self._go_on(f"Done; {'; '.join(lacking)}." if lacking else "Done.", onward)

    def skip(self, reason: str, done: Callable[[], None]) -> None:
        """Put the evaluation aside, and go on. ``done``: called once it is stored."""
        onward = self._row_beside(1)
        self._session.set_state("skipped", reason)
        done()
        self.refit()
        self._go_on("Skipped.", onward)

    def _go_on(self, message: str, onward: QueueRow | None) -> None:
        """Open the next evaluation, saying what became of this one.

        ``onward``: what came next in the queue before anything became of it, since that may have moved it.
        """
        if onward is None:
            message += " It was the last of the queue."
        else:
            try:
                self.turn_to(onward.id, onward.layer)
            except Refused as reason:
                message += f" {reason}"
        self._app.say(message)


def _occurrences(evaluation: StoredEvaluation, stored: StoredFinding) -> list[Occurrence]:
    """Return the places of each of a finding's quotes that occurs more than once, in their order."""
    from judges.grounding import same_words  # few need it

    found: dict[Place, Occurrence] = {}
    for span in stored.grounded.spans:
        if span.role == "quote" and span.occurrences > 1:
            text = evaluation.text(span.side)
            places, words = same_words(text, span.start, span.end), text[span.start : span.end]
            for number, (start, end) in enumerate(places, 1):
                place = Place(span.side, start, end)
                found.setdefault(place, Occurrence(stored.id, place, words, number, len(places)))
    return list(found.values())
