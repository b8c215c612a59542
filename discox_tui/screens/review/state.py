"""The state that the review's view shows: the open evaluation at one of its errors, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from discox_tui.screens.review import error_marks
from discox_tui.screens.review.error_marks import Standing
from discox_tui.sessions.open_review import Subject
from discox_tui.text.runs import Runs
from discox_tui.text.styles import Mark, ParagraphMark
from judges.model import Place, Side
from storage.record.library import StoredEvaluation

NAMED = 24
"""Characters at most by which a quote is named."""


class Occurrence(NamedTuple):
    """One of the places where ``words`` that a finding quotes occur: ``number``, from 1, ``of`` how many."""

    finding: str
    place: Place
    words: str
    number: int
    of: int

    def __str__(self) -> str:
        """Name the occurrence in words; a finding may quote several."""
        words = self.words if len(self.words) <= NAMED else f"{self.words[: NAMED - 1]}…"
        return f"“{words}”, {self.place.side}, {self.number} of {self.of}: p takes this place, o shows the next"


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The open evaluation at one error, with all that is said of both.

    Attributes:
        evaluation: the evaluation, without what is hidden from the reviewer.
        subjects: its errors, the judge's and the reviewer's.
        standings: id of an error → how it stands.
        index: the current error's position in ``subjects``; 0 where there is none.
        title: the title bar, left and right.
        detail: paragraphs about the current error.
        scores: the rows of the score bar, left and right.
        empty: the sentence for a list without errors.
        occurrence: the place of the current error's quote that is shown instead of its own.
        changed: ids of the errors that may look different from the state before; None: all of them.
    """

    evaluation: StoredEvaluation
    subjects: tuple[Subject, ...]
    standings: Mapping[str, Standing]
    index: int
    title: tuple[Runs, Runs]
    detail: Sequence[Runs]
    scores: Sequence[tuple[Runs, Runs]]
    empty: str
    occurrence: Occurrence | None = None
    changed: frozenset[str] | None = None

    @property
    def current(self) -> Subject | None:
        """The current error; None where there is none."""
        return self.subjects[self.index] if self.subjects else None

    def marks(self, subject: Subject, side: Side) -> tuple[list[Mark], list[ParagraphMark]]:
        """Return the marks of an error on a side or, if it has none there, the signs beside its paragraph."""
        now = self.standings[subject.id]
        if place := self._occurrence_of(subject, side):
            return [Mark(subject.id, place.start, place.end, now.severity)], []
        found = list(error_marks.marks(subject, now, side))
        return found, [] if found else list(error_marks.paragraph_marks(subject, now, side))

    def target(self, side: Side) -> tuple[int, int] | None:
        """Return the stretch of a side's text to bring into view for the current error; None where there is none."""
        if (subject := self.current) is None:
            return None
        if place := self._occurrence_of(subject, side):
            return place.start, place.end
        return error_marks.target(self.evaluation, subject, side, self.standings[subject.id].moved)

    def _occurrence_of(self, subject: Subject, side: Side) -> Place | None:
        shown = self.occurrence
        return shown.place if shown and (shown.finding, shown.place.side) == (subject.id, side) else None
