"""Severity and places of errors after the reviewer's verdict: the marks of the panes, and what they bring into view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from discox_tui.sessions.open_review import Subject
from discox_tui.sessions.review import ReviewSession
from discox_tui.text.styles import Mark, ParagraphMark
from discox_tui.text.wrapping import lines
from judges.metric_s.contradictions import stands
from judges.metric_s.human_score import human_deduction
from judges.model import EXACT, SIDES, MarkedError, Paragraph, Place, Severity, Side, Span
from storage.record.library import StoredEvaluation, StoredFinding


@dataclass(frozen=True, slots=True)
class Standing:
    """An error as it stands now: with the reviewer's severity if there is one; ``dropped`` if it does not count.

    ``moved``: the places that the reviewer gave, on the sides that have any.
    """

    severity: Severity | None
    dropped: bool
    moved: tuple[Place, ...] = ()

    @classmethod
    def of(cls, subject: Subject, session: ReviewSession) -> Standing:
        """The standing that follows from the judge's record and the reviewer's word."""
        if isinstance(subject, MarkedError):
            return cls(subject.severity, subject.id in session.work.matched, subject.spans)
        verdict = session.verdict(subject)
        dropped = not stands(subject.finding, verdict.decision)
        cost = human_deduction(subject.finding, verdict)
        return cls(cost[1] if cost else verdict.severity or subject.finding.severity, dropped, verdict.spans or ())


def lit(stored: StoredFinding, side: Side) -> list[Span]:
    """The spans that are highlighted on a side by the judge's word, in order of the text, context last."""
    spans = [span for span in stored.grounded.spans if span.side == side and span.lit]
    return sorted(spans, key=lambda span: (span.role == "context", span.start))


def marks(subject: Subject, now: Standing, side: Side) -> Iterator[Mark]:
    """Yield what is highlighted of an error on a side: where the reviewer says it is, else where the judge does."""
    own = isinstance(subject, MarkedError)
    moved = [place for place in now.moved if place.side == side]
    for place in moved:
        yield Mark(subject.id, place.start, place.end, now.severity, dropped=now.dropped, own=own)
    if isinstance(subject, StoredFinding) and not moved:
        for span in lit(subject, side):
            approximate, weak = span.confidence < EXACT, span.role == "context"
            yield Mark(subject.id, span.start, span.end, now.severity, approximate, weak, now.dropped)


def paragraph_marks(subject: Subject, now: Standing, side: Side) -> Iterator[ParagraphMark]:
    """Yield what the margin says of an error that is not highlighted on a side, where its paragraph is known."""
    if isinstance(subject, StoredFinding) and (paragraph := subject.grounded.paragraph(side)) is not None:
        yield ParagraphMark(subject.id, paragraph, now.severity, now.dropped)


@lru_cache(maxsize=4)
def _paragraphs(text: str) -> tuple[Paragraph, ...]:
    return tuple(lines(text))


def paragraph_at(text: str, offset: int) -> int | None:
    """The number of the paragraph, from 0, that an offset is in; None: in none."""
    found = enumerate(_paragraphs(text))
    return next((number for number, paragraph in found if paragraph.start <= offset <= paragraph.end), None)


def target(
    evaluation: StoredEvaluation, subject: Subject, side: Side, moved: Iterable[Place] = ()
) -> tuple[int, int] | None:
    """Return the stretch to bring into view: the first highlight, else the place of an omission, else the paragraph.

    Of several highlights it is one in the paragraph that the finding is said to be in, if there is one there.
    ``moved``: where the reviewer says that it is.
    """
    if place := next((place for place in moved if place.side == side), None):
        return place.start, max(place.end, place.start + 1)
    if isinstance(subject, MarkedError):
        return None
    number = subject.grounded.paragraph(side)
    found = () if number is None else _paragraphs(evaluation.text(side))
    here = found[number] if number is not None and number < len(found) else None
    if spans := lit(subject, side):
        best = next((span for span in spans if here and here.start <= span.start < here.end), spans[0])
        return best.start, best.end
    for span in subject.grounded.spans:
        if span.side == side and span.role == "anchor":
            return span.start, max(span.end, span.start + 1)
    return (here.start, here.start + 1) if here else None


def quoted(evaluation: StoredEvaluation, subject: Subject, now: Standing) -> str:
    """The words that an error is about: of the translation, else of the source; empty where none are highlighted."""
    for side in reversed(SIDES):
        if next(marks(subject, now, side), None) and (place := target(evaluation, subject, side, now.moved)):
            return evaluation.text(side)[slice(*place)]
    return ""
