"""The questions behind a verdict: which severity, which category, of what a duplicate, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from textual.screen import ModalScreen

from discox_tui.review_session import Refused, ReviewSession, category_choices, severity_choices
from discox_tui.screens import describe
from discox_tui.screens.dialogs import Ask, Choice, Choose
from judges.model import DIMENSIONS, Dimension
from storage.library import StoredFinding
from storage.review_log import Event


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask of a finding, and what the answer does. ``decides``: whether the answer is a verdict."""

    screen: ModalScreen[str | None]
    act: Callable[[StoredFinding, str], Event | None]
    decides: bool = True


def _numbered(names: Iterable[str], detail: Callable[[str], str]) -> Sequence[Choice]:
    return [Choice(name, number, describe.words(name), detail(name)) for number, name in enumerate(names, 1)]


def severity(session: ReviewSession, stored: StoredFinding) -> Question:
    """Ask for another severity. Raises Refused where the judge has only one."""
    session.refuse_dropped(stored)
    verdict, judged = session.verdict(stored), stored.finding.severity
    choices = _numbered(
        severity_choices(stored.finding, verdict),
        lambda level: describe.severity_detail(level, judged, session.weights),
    )
    screen = Choose(f"Severity of error {stored.number}", choices, verdict.severity or judged)
    return Question(screen, session.set_severity)


def category(session: ReviewSession, stored: StoredFinding) -> Question:
    """Ask for another category. Raises Refused for a rubric point."""
    session.refuse_dropped(stored)
    verdict, judged = session.verdict(stored), stored.finding.category
    choices = _numbered(category_choices(stored.finding, verdict), lambda name: describe.category_detail(name, judged))
    screen = Choose(f"Category of error {stored.number}", choices, verdict.category or judged)
    return Question(screen, session.set_category)


def dimension(session: ReviewSession, stored: StoredFinding) -> Question:
    """Ask for another dimension."""
    session.refuse_dropped(stored)
    judged = stored.finding.dimension
    choices = _numbered(DIMENSIONS, lambda name: "the judge's" if name == judged else "")
    screen = Choose(f"Dimension of error {stored.number}", choices, session.verdict(stored).dimension or judged)
    return Question(screen, lambda found, value: session.set_dimension(found, cast("Dimension", value)))


def duplicate(session: ReviewSession, stored: StoredFinding) -> Question:
    """Ask which error it is a duplicate of. Raises Refused where it was dropped already, or is the only one."""
    assert session.evaluation is not None
    session.refuse_dropped(stored)
    evaluation = session.evaluation
    choices = [
        Choice(str(other.number), other.number, describe.short_title(other), describe.excerpt(evaluation, other))
        for other in evaluation.findings
        if other.id != stored.id
    ]
    if not choices:
        raise Refused("This is the only error here; there is none it could duplicate")
    screen = Choose(f"Error {stored.number} is a duplicate of", choices)
    return Question(screen, lambda found, value: session.set_duplicate(found, int(value)))


def note(session: ReviewSession, stored: StoredFinding) -> Question:
    """Ask for a note; an empty one removes what was there."""
    before = session.verdict(stored).note or ""
    screen = Ask(f"Note on error {stored.number}", before, "why? (empty removes the note)")
    return Question(screen, session.set_note, decides=False)
