"""One reviewer at work on one library: which evaluation is open, what they decide, what follows. No screen here.

Screens ask this for what to show and tell it what was decided; it writes to the review log first and then changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from discox_tui.sessions import verdict_rules
from discox_tui.sessions.library import LibrarySession, Overtaken, Refused
from discox_tui.sessions.open_review import OpenReview, Subject
from discox_tui.sessions.second_opinions import SecondOpinions
from discox_tui.sessions.verdict_rules import NOTHING_SELECTED, VERDICT, in_order, refuse_labels
from judges.metric_s.contradictions import ASIDE, OPENED, ActKind
from judges.metric_s.human_score import Work, human_deduction
from judges.model import (
    Decision,
    Dimension,
    InstructionDecision,
    MarkedError,
    Places,
    PointDecision,
    ReviewState,
    Severity,
)
from storage.base.errors import StorageError
from storage.db.connection import Connection, data_version
from storage.record.library import StoredEvaluation, StoredFinding
from storage.reviews.blinding import Blinding, comes_too_early, hides_others, masked, unseen
from storage.reviews.events import POINT, Event
from storage.reviews.fold import Review
from storage.reviews.layers import layer_of
from storage.reviews.pass_scores import RatedBySegment, rated_at
from storage.reviews.review_log import Entry, ReviewLog
from storage.reviews.review_state import ReviewFold

if TYPE_CHECKING:
    from storage.reviews.disagreements import Adjudication

NO_VERDICT_HERE = "You have given no verdict here, so there is nothing to clear"

OVERTAKEN = "You decided on this in another window meanwhile; that is shown now: press again to change it"


def _said_of(subject: str, work: Work, review: Review) -> object:
    """Return what a reviewer says of a finding, an error of their own, a rubric point, or the evaluation ("")."""
    if not subject:
        return review.state, review.reason, review.search, review.instruction
    if subject.startswith(POINT):
        return work.points.get(int(subject.removeprefix(POINT)))
    return work.verdicts.get(subject), work.errors.get(subject)


class ReviewSession(OpenReview, LibrarySession):
    """The open evaluation with one reviewer's word on it, and every act on it.

    ``reviewer`` is the person at work, ``layer`` the layer that is written: the reviewer's own, or a further one.
    ``opinions``: what others say of the evaluation's findings. ``reopened``: the findings that the latest act left open
    again.
    """

    def __init__(
        self,
        connection: Connection,
        reviewer: str,
        *,
        guideline: str = "",
        blinding: Blinding = "open",
        before: LibrarySession | None = None,
    ) -> None:
        """``guideline``: the version that is kept with every act; ``blinding``: what is hidden of what is new.

        ``before``: the session that this one goes on from, which had no evaluation open.
        """
        OpenReview.__init__(self)
        LibrarySession.__init__(self, connection, reviewer, blinding, before)
        self.log = ReviewLog(connection, reviewer, guideline)
        self.reopened: list[StoredFinding] = []
        self.opinions = SecondOpinions(connection)
        self.rated: Sequence[RatedBySegment] = ()
        """People's scores of the open evaluation's translation, from other tools."""
        self.on_unstored: Callable[[Exception], object] | None = None
        """A function to call if it cannot be stored that an evaluation was opened; None: the error is raised."""

    @property
    def layer(self) -> str:
        """The layer that is read and written."""
        return self.log.reviewer

    def changed_elsewhere(self) -> bool:
        """Return whether another program has written to the file since this was asked last; if so, read anew."""
        if not super().changed_elsewhere():
            return False
        self.opinions.forget_votes()
        self.refresh()
        if self.evaluation is not None and self.evaluation.hidden and not self.hidden:
            self.open(self.evaluation.id, self.layer)  # it was revealed there
        return True

    # --- opening ---

    def open(self, identity: str, layer: str | None = None) -> StoredEvaluation:
        """Open an evaluation, and keep that it was opened. Raises StorageError if it is not there.

        It can be read where nothing can be stored, unless it is hidden from them: that they began must be on record.
        ``layer``: whose word is read and written from now on; the reviewer's own if not given. Raises Refused for a
        second time before the first is over.
        """
        if layer and comes_too_early(self.connection, layer, identity):
            raise Refused("This comes to you a second time; be done with it the first time before")
        before = self.evaluation, self.log
        evaluation = self._load(identity, layer or self.reviewer)
        try:
            self._show(self.log.open(identity, hidden=evaluation.hidden))
        except (sqlite3.Error, StorageError) as error:
            if evaluation.hidden or self.on_unstored is None:
                self.evaluation, self.log = before
                if self.evaluation is not None:
                    self.opinions.turn_to(self.evaluation, self.layer)
                raise
            self.on_unstored(error)
            self.refresh()
        return evaluation

    def adjudicate(self) -> Adjudication:
        """Settle from now on what others disagree about: what is written is the reviewer's adjudicated layer."""
        self.log = ReviewLog(self.connection, layer_of(self.reviewer, "adjudicated"), self.log.guideline)
        self.evaluation = None
        from storage.reviews.disagreements import Adjudication  # who reviews does not wait for it

        return Adjudication(self.log)

    def look(self, identity: str) -> StoredEvaluation:
        """Open an evaluation in the same layer, only to look at it: nothing is written."""
        evaluation = self._load(identity, self.layer)
        self.refresh()
        return evaluation

    def _load(self, identity: str, layer: str) -> StoredEvaluation:
        """Read an evaluation without what is hidden from a layer, locating its errors first if nobody has yet."""
        from storage.record.groundings import read_grounded  # opening the app does not wait for it

        evaluation = read_grounded(self.connection, identity)
        self.log = ReviewLog(self.connection, layer, self.log.guideline)
        self.evaluation = masked(evaluation, unseen(self.connection, self.layer, identity, self.blinding))
        self.opinions.turn_to(self.evaluation, self.layer)
        alone = hides_others(self.connection, self.layer, identity, self.blinding)
        self.rated = rated_at(self.connection, identity, [self.reviewer] if alone else None)
        return self.evaluation

    def reveal(self) -> StoredEvaluation:
        """Show the judge's record of the open evaluation, which cannot be undone; return the evaluation with it."""
        assert self.evaluation is not None
        self.log.reveal(self.evaluation.id)
        return self.open(self.evaluation.id, self.layer)

    @property
    def position(self) -> int | None:
        """Return where the open evaluation stands in the queue, None if it is not in it."""
        return self.queue.index_of(self.evaluation.id, self.layer) if self.evaluation else None

    def refresh(self) -> None:
        """Read what was said of the open evaluation anew, as it is on disk now."""
        if self.evaluation is not None:
            self._show(self.log.read(self.evaluation.id))

    def _show(self, found: ReviewFold) -> None:
        """Go on from what follows from the log for the open evaluation, once it is on disk."""
        self.take(found)
        self.queue.forget()

    def chance(self, finding: StoredFinding) -> float | None:
        """Return how likely a finding of the open evaluation stands, 0–1.

        None where it is not asked for, not to be told, or not needed, as they have decided.
        """
        return None if self.verdict(finding).decision is not None else self.opinions.chance(finding)

    # --- deciding ---

    def decide(self, finding: StoredFinding, decision: Decision, **fields: Any) -> Event | None:
        """Record a decision with the fields in which the reviewer differs; every other difference is taken back.

        Returns the event, or None if nothing changed. Raises Refused where the decision does not fit the finding.
        """
        return self._change(finding, verdict_rules.decided(finding, decision, **fields))

    def set_severity(self, finding: StoredFinding, severity: str) -> Event | None:
        """Record another severity; the judge's own means that the reviewer agrees with it."""
        return self._differ(finding, severity=severity)

    def set_category(self, finding: StoredFinding, category: str) -> Event | None:
        """Record another category within the dimension that the reviewer gives the finding."""
        return self._differ(finding, category=category)

    def set_dimension(self, finding: StoredFinding, dimension: Dimension) -> Event | None:
        """Record that the error belongs to another dimension; what was said of its severity there is taken back."""
        return self._differ(finding, dimension=dimension, severity=None, category=None)

    def set_spans(self, subject: Subject, spans: Places | None) -> Event | None:
        """Record where the error really is, on the sides that are given; what was said of the other one stands.

        The judge's own place is no difference. None takes all of it back, except of an error of the reviewer's own.
        """
        if not spans:
            if spans is None and isinstance(subject, StoredFinding) and self.verdict(subject).spans:
                return self._differ(subject, spans=None)
            raise Refused(NOTHING_SELECTED)
        if isinstance(subject, MarkedError):
            sides = {place.side for place in spans}
            kept = tuple(place for place in subject.spans if place.side not in sides)
            return self.change_error(subject, spans=in_order((*kept, *spans)))
        return self._change(subject, verdict_rules.placed(subject, self.verdict(subject), spans))

    def set_invented(self, finding: StoredFinding, invented: bool) -> Event | None:
        """Record that what the judge quotes occurs nowhere, or take that back. The decision stays as it is."""
        return self._change(finding, verdict_rules.invented(finding, invented))

    def set_duplicate(self, finding: StoredFinding, number: int) -> Event | None:
        """Record that the finding is a duplicate of the finding with this number."""
        assert self.evaluation is not None
        return self._change(finding, verdict_rules.duplicate(finding, number, self.evaluation, self.said()))

    def clear(self, finding: StoredFinding) -> Event:
        """Record that the reviewer takes their verdict on a finding back, all but their note.

        Raises Refused where they have given none.
        """
        event = self._change(finding, dict.fromkeys(VERDICT))
        if event is None:
            raise Refused(NO_VERDICT_HERE)
        return event

    def set_note(self, subject: Subject, text: str) -> Event | None:
        """Record a note on an error; an empty one removes it. The decision stays as it is."""
        note = text.strip() or None
        if isinstance(subject, MarkedError):
            return self.change_error(subject, note=note)
        return self._change(subject, {"note": note})

    def refuse_dropped(self, finding: StoredFinding) -> None:
        """Raise Refused for a finding that de-duplication dropped and the reviewer has not brought back."""
        verdict_rules.refuse_dropped(finding, self.verdict(finding))

    def _differ(self, finding: StoredFinding, **fields: Any) -> Event | None:
        return self._change(finding, verdict_rules.differing(finding, self.verdict(finding), **fields))

    def _change(self, finding: StoredFinding, wanted: dict[str, Any]) -> Event | None:
        return self._act("verdict", finding.id, wanted, self.verdict(finding))

    def _act(self, kind: ActKind, subject: str, wanted: dict[str, Any], now: object) -> Event | None:
        """Record what differs from ``now``, if anything does; said again is what had given way, and so is decided."""
        assert self.evaluation is not None
        changes = {name: value for name, value in wanted.items() if value != getattr(now, name, None)}
        if not wanted.keys() <= ASIDE:
            lost = (name for each in self.contradictions.get(subject, ()) for name in each.gave_way)
            changes |= {name: wanted.get(name, getattr(now, name, None)) for name in lost}
        return self._record(kind, subject, changes) if changes else None

    def _record(self, kind: ActKind, subject: str, changes: dict[str, Any]) -> Event:
        assert self.evaluation is not None
        before = self.work.verdicts
        check = partial(self._refuse_overtaken, subject)
        entry = self.log.act(kind, self.evaluation.id, subject, changes, self.said(), check)
        self._show(entry.fold)
        others = (found for found in self.evaluation.findings if found.id != subject and found.id in before)
        self.reopened = [each for each in others if before[each.id].decision and not self.verdict(each).decision]
        return entry.event

    def _refuse_overtaken(self, subject: str) -> None:
        """Raise Overtaken where the reviewer has said something else of a subject meanwhile, in another window.

        That is then what is shown, so that the next act is a change of it. Call inside the transaction of the act.
        """
        assert self.evaluation is not None
        if data_version(self.connection) == self._version:
            return
        found = self.log.read(self.evaluation.id)
        if _said_of(subject, found.work, found.review) != _said_of(subject, self.work, self.review):
            self._show(found)
            raise Overtaken(OVERTAKEN)

    # --- the reviewer's own errors ---

    def mark(
        self,
        spans: Places,
        dimension: Dimension,
        category: str | None,
        severity: Severity,
        note: str | None = None,
    ) -> MarkedError:
        """Record an error that the reviewer found themselves, and return it. Raises Refused where it is nowhere."""
        if not spans:
            raise Refused(NOTHING_SELECTED)
        refuse_labels(dimension, category, severity)
        assert self.evaluation is not None
        entry = self.log.mark(
            self.evaluation.id,
            spans=[list(place) for place in spans],
            dimension=dimension,
            category=category,
            severity=severity,
            **({"note": note.strip()} if note and note.strip() else {}),
        )
        self._show(entry.fold)
        return self.work.errors[str(entry.event.finding_id)]

    def change_error(self, error: MarkedError, **wanted: Any) -> Event | None:
        """Record what is different in an error of the reviewer's own: ``dimension``, ``severity``, ``note`` …

        Raises Refused where the dimension does not know the severity or the category.
        """
        now = replace(error, **wanted)
        if now.dimension and now.severity:
            refuse_labels(now.dimension, now.category, now.severity)
        return self._act("error", error.id, wanted, error)

    def remove_error(self, error: MarkedError) -> Event:
        """Record that an error of the reviewer's own is none after all, nor what the judge found, nor repeated."""
        return self._record("error", error.id, {"removed": True})

    def set_repeat(self, subject: Subject, of: Subject | None) -> Event | None:
        """Record that an error is the same mistake as another one, elsewhere. None: it is not, nor are others it.

        It is right, and counts once. Raises Refused where the other one leads back to it, or is no error.
        """
        if of is not None:
            if of.id == subject.id:
                raise Refused("An error is no repeat of itself; choose the other one")
            if self.said().leads(of.id, subject.id) is not None:
                raise Refused("That one is a repeat of this one already; ungroup it first")
            if isinstance(of, StoredFinding) and human_deduction(of.finding, self.verdict(of)) is None:
                raise Refused(f"Error {of.number} does not count, so nothing can repeat it")
        wanted = of.id if of else None
        if wanted is None and self.repeat_of(subject) is None:
            with self.log.as_one():
                taken_back = [self.set_repeat(other, None) for other in self.repeats(subject)]
            return taken_back[-1] if taken_back else None
        if isinstance(subject, MarkedError):
            return self.change_error(subject, repeat_of=wanted)
        return self._change(subject, verdict_rules.repeating(subject, self.verdict(subject), wanted))

    # --- matching what was marked blind ---

    def match(self, error: MarkedError, finding: StoredFinding) -> Event | None:
        """Record that the judge found an error that the reviewer had marked: the finding is right.

        Raises Refused where the error is another finding already.
        """
        found = self.find(self.work.matched.get(error.id))
        if found is not None and found.id != finding.id:
            raise Refused(f"You said that it is error {self.label(found)}; take that back first")
        return self._change(finding, verdict_rules.matching(finding, self.verdict(finding), error))

    def unmatch(self, error: MarkedError) -> Event | None:
        """Take back that the judge found an error: what followed from it for the finding is open again."""
        found = self.evaluation.find(self.work.matched.get(error.id)) if self.evaluation else None
        return self._change(found, OPENED) if found else None

    def clear_match(self, error: MarkedError) -> None:
        """Take back whether the judge found an error, either way. Raises Refused where that was not said."""
        if error.id not in self.work.matched and not error.missed:
            raise Refused("You have not said yet whether the judge found this one, so there is nothing to clear")
        with self.log.as_one():
            self.unmatch(error)
            self.confirm_missed(error, missed=False)

    def confirm_missed(self, error: MarkedError, missed: bool = True) -> Event | None:
        """Record that an error which the reviewer had marked is none of the judge's findings."""
        return self.change_error(error, missed=missed or None)

    # --- rubric points, the instruction check, the evaluation as a whole ---

    def clear_point(self, number: int) -> Event:
        """Record that the reviewer takes back what they said of a rubric point. Raises Refused where that is nothing.

        Their note stays: on a finding at once, on a point that is none as soon as they say something of it again.
        """
        assert self.evaluation is not None
        if (finding := self.point_finding(number)) is not None:
            return self.clear(finding)
        if self.point_decision(number) is None:
            raise Refused(NO_VERDICT_HERE)
        return self._record("point", f"{POINT}{number}", {"decision": None})

    def set_point(self, number: int, decision: PointDecision) -> Event | None:
        """Record whether a rubric point is met, violated, or asks too much."""
        finding = self.point_finding(number)
        if finding is not None:
            said: dict[PointDecision, Decision] = {
                "met": "not_an_error",
                "violated": "agree",
                "too_strict": "too_strict",
            }
            return self.decide(finding, said[decision])
        return self._act("point", f"{POINT}{number}", {"decision": decision}, self.work.points.get(number))

    def set_point_note(self, number: int, text: str) -> Event | None:
        """Record a note on a rubric point of which something was decided; an empty one removes it."""
        assert self.evaluation is not None
        finding, note = self.point_finding(number), text.strip() or None
        if finding is not None:
            return self.set_note(finding, text)
        if note == self.point_note(number):
            return None
        entry = self.log.set_point(self.evaluation.id, number, note=note)
        self._show(entry.fold)
        return entry.event

    def set_instruction(self, decision: InstructionDecision | None) -> Event | None:
        """Record whether the reviewer agrees with the instruction check; None takes it back."""
        return self._set_review(instruction=decision)

    def set_search(self, done: bool) -> Event | None:
        """Record that the reviewer has searched the texts for errors that the judge missed, or take that back."""
        return self._set_review(search="done" if done else None)

    def set_state(self, state: ReviewState, reason: str | None = None) -> Event | None:
        """Record that the evaluation is done, skipped with a reason, or in progress again."""
        return self._set_review(state=state, reason=reason)

    def _set_review(self, **wanted: str | None) -> Event | None:
        return self._act("review", "", wanted, self.review)

    def undo(self) -> Event | None:
        """Take back the reviewer's latest act, wherever it was; return that act, None if there is none left."""
        return self._follow(self.log.undo())

    def redo(self) -> Event | None:
        """Restore the act that was undone last; return it, None if there is none."""
        return self._follow(self.log.redo())

    def _follow(self, entry: Entry | None) -> Event | None:
        """Go on from what an undo or a redo came to, on whichever evaluation."""
        if entry is not None and self.evaluation is not None and entry.event.evaluation_id == self.evaluation.id:
            self._show(entry.fold)
        else:
            self.refresh()
        return entry.event if entry else None
