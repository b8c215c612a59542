"""The open evaluation with one reviewer's word on it: the values that are shown, and no act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from discox_tui.sessions.verdict_rules import judged_places
from judges.metric_s.contradictions import Statements
from judges.metric_s.human_score import Work, counted_elsewhere, deductions, human_deduction, human_score
from judges.metric_s.scoring import METRIC_S, Deduction, Weights
from judges.model import NO_VERDICT, MarkedError, Places, PointDecision, Score, Verdict
from storage.record.library import StoredEvaluation, StoredFinding
from storage.reviews.fold import Contradicted, Review
from storage.reviews.review_state import ReviewFold

Subject: TypeAlias = StoredFinding | MarkedError
"""An error that a judge found, or one that the reviewer marked."""


class OpenReview:
    """The open evaluation with one reviewer's word on it.

    Attributes: ``evaluation``, None before one was opened, without what is hidden from the reviewer; ``work``, all that
    was said of it; ``subjects``, its errors, the judge's and then the reviewer's own in order of the text; ``human``,
    the score of what the reviewer left standing, None where no score is claimed; ``review``, how far the reviewer says
    to be. ``contradictions``: by subject, what gave way to acts in another copy of the library, and is to be decided
    anew.
    """

    def __init__(self) -> None:
        self.evaluation: StoredEvaluation | None = None
        self.work = Work()
        self.review = Review()
        self.human: Score | None = None
        self.subjects: tuple[Subject, ...] = ()
        self.contradictions: Mapping[str, Sequence[Contradicted]] = {}
        self._costs: dict[str, Deduction] = {}
        self._elsewhere: dict[str, str] = {}
        self._numbers: Mapping[str, int] = {}

    def take(self, found: ReviewFold) -> None:
        """Go on from what follows from the log for the open evaluation."""
        assert self.evaluation is not None
        evaluation = self.evaluation
        self.work = found.work
        self.review = found.review
        self.contradictions = found.contradictions
        self._numbers = found.numbers
        self.subjects = (*evaluation.findings, *self.work.errors.values())
        findings = {f.id: f.finding for f in evaluation.findings}
        self._costs = deductions(findings, self.work, self.weights)
        self._elsewhere = counted_elsewhere(findings, self.work, self.weights) if self.work.links else {}
        self.human = human_score(evaluation.state, findings, self.work, self.weights, self._costs)

    @property
    def weights(self) -> Weights:
        """Return what the open evaluation's score is made of, the judge's and the reviewer's."""
        return self.evaluation.weights if self.evaluation else METRIC_S

    def verdict(self, finding: StoredFinding) -> Verdict:
        """The reviewer's present verdict on a finding."""
        return self.work.verdicts.get(finding.id, NO_VERDICT)

    @property
    def hidden(self) -> bool:
        """Return whether the judge's record is hidden from the reviewer, until they reveal it."""
        return self.review.blind == "started" and self.evaluation is not None and self.evaluation.hidden

    def decided(self) -> int:
        """Return how many of the errors that stand after de-duplication are decided."""
        errors = self.evaluation.errors if self.evaluation else ()
        return sum(self.verdict(f).decision is not None for f in errors)

    def is_open(self, subject: Subject) -> bool:
        """Tell if an error is undecided, or has a contradiction that is to be decided anew."""
        undecided = isinstance(subject, StoredFinding) and subject.finding.kept and not self.verdict(subject).decision
        return undecided or subject.id in self.contradictions

    def cost(self, finding: StoredFinding) -> tuple[int, int]:
        """The points that a finding takes away, by the judge and by the reviewer (0 or less, floors aside)."""
        judge = human_deduction(finding.finding)
        return -self.weights.severities[judge[1]] if judge else 0, self.human_cost(finding.id)

    def human_cost(self, identity: str) -> int:
        """The points that a finding, an error of the reviewer's or a point takes away by them (0 or less)."""
        cost = self._costs.get(identity)
        return -self.weights.severities[cost[1]] if cost else 0

    def find(self, identity: str | None) -> Subject | None:
        """The error with this id, or None."""
        own = self.work.errors.get(identity or "")
        return own or (self.evaluation.find(identity) if self.evaluation else None)

    def label(self, subject: Subject) -> str:
        """Return the number of an error: ``7``, or ``+2`` for the second that the reviewer marked."""
        return self.called(subject.id)

    def called(self, identity: str | None) -> str:
        """Return the number of the error with this id, also of a removed one; nothing where there is none."""
        if self.evaluation is None or identity is None:
            return ""
        if found := self.evaluation.find(identity):
            return str(found.number)
        return f"+{self._numbers[identity]}" if identity in self._numbers else ""

    @property
    def untranslated(self) -> bool:
        """Return whether they say that the output is no translation of the whole text, which has no points."""
        failed = self.evaluation is not None and self.evaluation.state == "instruction_failed"
        return self.work.instruction == ("agree" if failed else "overturn")

    def repeat_of(self, subject: Subject) -> str | None:
        """The id of the error that this one is a repeat of, as the reviewer says."""
        return subject.repeat_of if isinstance(subject, MarkedError) else self.verdict(subject).repeat_of

    def counts_as(self, subject: Subject) -> Subject | None:
        """The error that costs in the place of this one, which is the same mistake; None where none does."""
        return self.find(self._elsewhere.get(subject.id))

    def repeats(self, subject: Subject) -> list[Subject]:
        """The errors that are repeats of this one, as the reviewer says."""
        found = [self.find(identity) for identity, said in self.work.verdicts.items() if said.repeat_of == subject.id]
        own = [error for error in self.work.errors.values() if error.repeat_of == subject.id]
        return [*(other for other in found if other is not None), *own]

    def places(self, subject: Subject) -> Places:
        """Return the places of an error: as the reviewer says or, on a side not spoken of, as it is highlighted."""
        if isinstance(subject, MarkedError):
            return subject.spans
        given = self.verdict(subject).spans or ()
        sides = {place.side for place in given}
        return (*given, *(place for place in judged_places(subject) if place.side not in sides))

    def overlapping(self, spans: Places) -> list[Subject]:
        """The errors that are where these spans are, the most shared characters first."""

        def shared(subject: Subject) -> int:
            return sum(
                max(0, min(end, e) - max(start, s))
                for side, start, end in spans
                for where, s, e in self.places(subject)
                if where == side
            )

        found = [(shared(subject), subject) for subject in self.subjects]
        return [subject for count, subject in sorted(found, key=lambda row: -row[0]) if count]

    def point_decision(self, number: int) -> PointDecision | None:
        """Return what the reviewer says of a rubric point, whether it is a finding or not; None: nothing yet."""
        finding = self.point_finding(number)
        if finding is None:
            said = self.work.points.get(number)
            return said.decision if said else None
        decision = self.verdict(finding).decision
        if decision in (None, "unsure"):
            return None
        if decision == "too_strict":
            return "too_strict"
        return "met" if decision == "not_an_error" else "violated"

    def point_finding(self, number: int) -> StoredFinding | None:
        """The judge's finding that a rubric point is violated, if there is one."""
        findings = self.evaluation.findings if self.evaluation else ()
        return next((f for f in findings if f.finding.rubric_point == number), None)

    def point_note(self, number: int) -> str | None:
        """The reviewer's note on a rubric point, whether it is a finding or not."""
        finding = self.point_finding(number)
        said = self.verdict(finding) if finding else self.work.points.get(number)
        return said.note if said else None

    def said(self) -> Statements:
        """All that the reviewer said of the open evaluation, as rules ask for it."""
        findings = self.evaluation.findings if self.evaluation else ()
        absorbed = {found.id: found.duplicate_of for found in findings if found.duplicate_of is not None}
        return Statements.of({found.id: found.finding for found in findings}, absorbed, self.work)
