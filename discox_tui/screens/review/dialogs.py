"""The questions behind a verdict: which severity, which category, of what a duplicate, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from textual.screen import ModalScreen

from discox_tui.screens.common.dialogs import Ask, Choice, ChoiceOf, Choose, ChooseInTurn
from discox_tui.screens.review import presenter
from discox_tui.screens.review.error_marks import Standing
from discox_tui.sessions.drafts import Draft
from discox_tui.sessions.library import Refused
from discox_tui.sessions.open_review import Subject
from discox_tui.sessions.review import ReviewSession
from discox_tui.sessions.verdict_rules import category_choices, severity_choices
from judges.metric_s.scoring import Weights
from judges.model import CATEGORIES, DIMENSIONS, LEVELS, Dimension, MarkedError, Places, Severity
from storage.record.library import StoredFinding
from storage.reviews.events import Event

NOT_OVERLAPPING = "none of these"
"""The answer that what is selected is another error than those that are there already."""
MOST_OVERLAPPING = 4
"""Errors at most that are offered as what is selected."""
NO_REPEAT = "no repeat"


@dataclass(frozen=True, slots=True)
class Question:
    """A question about an error, and the act of its answer.

    ``decides``: whether the answer is a verdict. ``then``: what is to be said afterwards, or nothing. ``draft``: what
    is kept of the answer until it is stored.
    """

    screen: ModalScreen[str | None]
    act: Callable[[str], Event | None]
    decides: bool = True
    then: Callable[[], str] = str
    draft: Draft | None = None


class Labels(NamedTuple):
    """The labels with which a reviewer marks an error."""

    dimension: Dimension
    category: str | None
    severity: Severity


def _numbered(names: Iterable[str], detail: Callable[[str], str]) -> Sequence[Choice]:
    return [Choice(name, number, presenter.words(name), detail(name)) for number, name in enumerate(names, 1)]


def _dimension_of(error: MarkedError) -> Dimension:
    if error.dimension is None:
        raise Refused("This error came from another tool and has no dimension here; give it one first (d)")
    return error.dimension


def severity(session: ReviewSession, subject: Subject) -> Question:
    """Ask for another severity. Raises Refused where there is only one."""
    name = f"Severity of error {session.label(subject)}"
    if isinstance(subject, MarkedError):
        dimension = _dimension_of(subject)
        levels = LEVELS[dimension]
        if len(levels) == 1:
            raise Refused(f"{dimension.capitalize()} has only one severity; change the dimension first (d)")
        own = _numbered(levels, lambda level: presenter.severity_detail(level, None, session.weights))
        return Question(
            Choose(name, own, subject.severity), lambda value: session.change_error(subject, severity=value)
        )
    session.refuse_dropped(subject)
    verdict, judged = session.verdict(subject), subject.finding.severity
    choices = _numbered(
        severity_choices(subject.finding, verdict),
        lambda level: presenter.severity_detail(level, judged, session.weights),
    )
    screen = Choose(name, choices, verdict.severity or judged)
    return Question(screen, lambda value: session.set_severity(subject, value))


def category(session: ReviewSession, subject: Subject) -> Question:
    """Ask for another category. Raises Refused for a rubric point."""
    name = f"Category of error {session.label(subject)}"
    if isinstance(subject, MarkedError):
        own = _numbered(CATEGORIES[_dimension_of(subject)], lambda name: presenter.category_detail(name, None))
        return Question(
            Choose(name, own, subject.category), lambda value: session.change_error(subject, category=value)
        )
    session.refuse_dropped(subject)
    verdict, judged = session.verdict(subject), subject.finding.category
    choices = _numbered(
        category_choices(subject.finding, verdict), lambda name: presenter.category_detail(name, judged)
    )
    screen = Choose(name, choices, verdict.category or judged)
    return Question(screen, lambda value: session.set_category(subject, value))


def dimension(session: ReviewSession, stored: Subject) -> Question:
    """Ask for another dimension of a finding."""
    assert isinstance(stored, StoredFinding)
    session.refuse_dropped(stored)
    judged = stored.finding.dimension
    choices = _numbered(DIMENSIONS, lambda name: "the judge's" if name == judged else "")
    screen = Choose(f"Dimension of error {stored.number}", choices, session.verdict(stored).dimension or judged)
    return Question(screen, lambda value: session.set_dimension(stored, cast("Dimension", value)))


def labels(weights: Weights, now: MarkedError | None, category: str | None = None) -> ChooseInTurn:
    """Ask what an error of the reviewer's own is; ``now``: the last answer; ``category``: what is likely."""
    return ChooseInTurn(lambda answers: _next_label(answers, weights, now, category))


def marking(session: ReviewSession, places: Places) -> ChooseInTurn:
    """Ask what an error at these places is; before, if errors are there already, whether it is one of these."""
    found = session.overlapping(places)[:MOST_OVERLAPPING]
    omission = "omission" if all(place.side == "source" for place in places) else None

    def following(answers: tuple[str, ...]) -> ChoiceOf | None:
        if not found:
            return _next_label(answers, session.weights, None, omission)
        if not answers:
            choices = [_row(session, subject, number) for number, subject in enumerate(found, 1)]
            another = Choice(NOT_OVERLAPPING, 0, "another error", "mark it")
            return ChoiceOf(f"Already found as {session.label(found[0])}?", [*choices, another])
        if answers[0] != NOT_OVERLAPPING:
            return None
        return _next_label(answers[1:], session.weights, None, omission)

    return ChooseInTurn(following)


def marked(answers: tuple[str, ...]) -> Labels | str:
    """Return the answer to ``marking``: labels of the error, or the id of the one that was there already."""
    if answers[0] == NOT_OVERLAPPING:
        return labelled(answers[1:])
    return labelled(answers) if answers[0] in DIMENSIONS else answers[0]


def labelled(answers: tuple[str, ...]) -> Labels:
    """Make labels of answers; where a dimension has but one severity, it was not asked for."""
    name = cast("Dimension", answers[0])
    level = answers[2] if len(answers) > 2 else LEVELS[name][0]
    return Labels(name, answers[1], cast("Severity", level))


def _next_label(
    answers: tuple[str, ...], weights: Weights, now: MarkedError | None, category: str | None
) -> ChoiceOf | None:
    """The question after these answers: dimension, category, severity where there are several."""
    if not answers:
        choices = _numbered(DIMENSIONS, lambda name: ", ".join(map(presenter.words, CATEGORIES[name])))  # type: ignore[index]
        return ChoiceOf("What is wrong?", choices, now.dimension if now else None)
    name = cast("Dimension", answers[0])
    if len(answers) == 1:
        choices = _numbered(CATEGORIES[name], lambda each: presenter.category_detail(each, None))
        return ChoiceOf(name.capitalize(), choices, now.category if now else category)
    if len(answers) == 2 and len(LEVELS[name]) > 1:
        choices = _numbered(LEVELS[name], lambda level: presenter.severity_detail(level, None, weights))
        return ChoiceOf(f"{name.capitalize()} · {presenter.words(answers[1])}", choices, now.severity if now else None)
    return None


def _row(session: ReviewSession, subject: Subject, number: int) -> Choice:
    """An error as something to choose."""
    assert session.evaluation is not None
    label = session.label(subject)
    title = presenter.short_title(subject) if label == str(number) else f"{label}  {presenter.short_title(subject)}"
    words = presenter.excerpt(session.evaluation, subject, Standing.of(subject, session))
    return Choice(subject.id, number, title, words)


def repeat(session: ReviewSession, subject: Subject) -> Question:
    """Ask of which error this one is a repeat. Raises Refused where it is the only one."""
    if isinstance(subject, StoredFinding):
        session.refuse_dropped(subject)
    numbered = enumerate(session.subjects, 1)
    choices = [_row(session, other, number) for number, other in numbered if other.id != subject.id]
    if not choices:
        raise Refused("This is the only error here; there is none that it could repeat")
    now = session.repeat_of(subject)
    grouped = now or next((other.id for other in session.repeats(subject)), None)
    if grouped is not None:
        choices.insert(0, Choice(NO_REPEAT, 0, "none", "it counts by itself"))
    screen = Choose(f"Error {session.label(subject)} is the same mistake as", choices, grouped)

    def left() -> str:
        """Say that grouping leaves the other error undecided."""
        now = session.find(subject.id)
        other = session.find(session.repeat_of(now)) if now else None
        if not isinstance(other, StoredFinding) or session.verdict(other).decision is not None:
            return ""
        return f"Error {session.label(subject)} counts once with {other.number}, which is not decided yet."

    return Question(screen, lambda value: session.set_repeat(subject, session.find(value)), decides=False, then=left)


def duplicate(session: ReviewSession, stored: Subject) -> Question:
    """Ask which error a finding duplicates. Raises Refused where it was dropped already, or is the only one."""
    assert session.evaluation is not None
    assert isinstance(stored, StoredFinding)
    session.refuse_dropped(stored)
    evaluation = session.evaluation
    choices = [
        Choice(
            str(other.number),
            other.number,
            presenter.short_title(other),
            presenter.excerpt(evaluation, other, Standing.of(other, session)),
        )
        for other in evaluation.findings
        if other.id != stored.id
    ]
    if not choices:
        raise Refused("This is the only error here; there is none it could duplicate")
    screen = Choose(f"Error {stored.number} is a duplicate of", choices)
    return Question(screen, lambda value: session.set_duplicate(stored, int(value)))


def reveal(session: ReviewSession) -> Choose:
    """Ask whether the judge's record is to be shown, which cannot be taken back."""
    choices = [
        Choice("keep", 1, "keep it hidden", f"{len(session.work.errors)} marked so far"),
        Choice("reveal", 2, "reveal", "this cannot be undone"),
    ]
    return Choose("Show what the judge said?", choices, "keep")


def note(session: ReviewSession, subject: Subject) -> Question:
    """Ask for a note; an empty one removes what was there."""
    before = (subject.note if isinstance(subject, MarkedError) else session.verdict(subject).note) or ""
    assert session.evaluation is not None
    title = f"Note on error {session.label(subject)}"
    draft = Draft(session.evaluation.id, f"note {subject.id}", title)
    screen = Ask(title, before, "why? (empty removes the note)", draft=draft)
    return Question(screen, lambda text: session.set_note(subject, text), decides=False, draft=draft)
