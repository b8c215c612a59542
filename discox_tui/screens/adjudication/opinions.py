"""Reviewers' opinions on one disagreement, in marks, in a line, and with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discox_tui.screens.adjudication import opinions
from discox_tui.screens.review import presenter
from discox_tui.screens.review.presenter import words
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.sessions.open_review import Subject
from discox_tui.text.glyphs import DECISION_MARKS, OWN_MARK, SEVERITY_MARKS
from discox_tui.text.runs import Runs
from judges.consistency.disagreements import ComparedOpinions, Saying, is_unsure
from judges.model import MarkedError, PointVerdict, Verdict
from storage.record.library import StoredEvaluation
from storage.reviews.disagreements import Case, Disagreement, read_docket
from storage.reviews.events import POINT

NOTHING_SAID = "∙"


def mark(compared: ComparedOpinions, layer: str) -> str:
    """One cell for what a reviewer says."""
    return _mark(compared.said[layer]) if layer in compared.said else NOTHING_SAID


def _mark(saying: Saying) -> str:
    match saying:
        case Verdict():
            return DECISION_MARKS[saying.decision]
        case MarkedError():
            return OWN_MARK
        case PointVerdict():
            return {"met": "✓", "violated": "✗", "too_strict": "⊘"}[saying.decision]
        case None:
            return "✗"
        case _:
            return "✓" if saying == "agree" else "✗"


def in_words(saying: Saying) -> str:
    """Return a reviewer's opinion in a line."""
    match saying:
        case Verdict():
            changes = [words(value) for value in (saying.dimension, saying.category, saying.severity) if value]
            changes += ["other place"] if saying.spans else []
            changes += ["the same mistake as another"] if saying.repeat_of else []
            return f"{words(saying.decision or 'not decided')}{': ' if changes else ''}{', '.join(changes)}"
        case MarkedError():
            severity = words(saying.severity or saying.severity_label)
            return f"{saying.dimension or '–'} · {words(saying.category or saying.category_label)} · {severity}"
        case PointVerdict():
            return words(saying.decision)
        case None:
            return "no error: searched, and marked nothing here"
        case _:
            return f"{saying}s with the instruction check" if saying == "agree" else "overturns the instruction check"


def one(evaluation: StoredEvaluation, compared: ComparedOpinions, layer: str, key: str) -> list[Runs]:
    """Return a reviewer's opinion, with the reason; ``key``: what takes it, or nothing."""
    rows: list[Runs] = [[(f"{key}  " if key else "", "title"), (layer, "strong")]]
    if layer not in compared.said:
        silent = "does not say that she searched: no opinion" if compared.kind == "error" else "says nothing of it"
        return [*rows, [(f"{NOTHING_SAID} {silent}", "faint")]]
    saying = compared.said[layer]
    rows.append([(f"{_mark(saying)} {in_words(saying)}", "faint" if is_unsure(saying) else "")])
    if isinstance(saying, Verdict) and (other := evaluation.find(saying.duplicate_of or saying.repeat_of)):
        rows.append([("of  ", "faint"), (f"{other.number}, {presenter.short_title(other)}", "")])
    if isinstance(saying, Verdict | MarkedError):
        rows += [
            [(f"{side}  ", "faint"), (f"“{evaluation.text(side)[start:end]}”", "")]
            for side, start, end in saying.spans or ()
        ]
    if isinstance(saying, Verdict | MarkedError | PointVerdict) and saying.note:
        rows.append([("note  ", "faint"), (saying.note, "")])
    return rows


def judges(evaluation: StoredEvaluation, disagreement: Disagreement) -> list[Runs]:
    """Return the judge's finding."""
    compared = disagreement.compared
    finding = evaluation.find(compared.subject)
    if finding is not None:
        sign = SEVERITY_MARKS[finding.finding.severity] if finding.finding.severity else "?"
        title = f"{finding.number}  {presenter.short_title(finding)}"
        why = "left out as unproved" if finding.left_out_unproved else "dropped by de-duplication"
        dropped = [] if finding.finding.kept else [(f"  {why}", "faint")]
        return [[("judge  ", "faint"), (f"{sign} {title}", "strong"), *dropped], [(finding.finding.explanation, "")]]
    match compared.kind:
        case "point":
            number = int(compared.subject.removeprefix(POINT))
            text = next((point.text for point in evaluation.article.rubric if point.number == number), "")
            return [[("rubric  ", "faint"), (f"{number}  {text}", "")]]
        case "instruction":
            return [[("judge  ", "faint"), (evaluation.instruction_check or words(evaluation.state), "")]]
    marked = [layer for layer, saying in compared.said.items() if saying is not None]
    return [[("judge  ", "faint"), (f"nothing here: {' and '.join(marked)} marked it as missed", "")]]


ELSEWHERE = {"finish", "skip", "next_evaluation", "previous_evaluation"}
"""Actions that would lead out of the adjudicated layer."""


class OwnVerdictScreen(ReviewScreen):
    """The evaluation that the session has open in the adjudicated layer."""

    _case: Case | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Refuse what leads elsewhere than back."""
        return False if action in ELSEWHERE else super().check_action(action, parameters)

    def place(self) -> dict[str, Any]:
        """Nothing to come back to: the app never opens here."""
        return {}

    def described(self, subject: Subject | None, shown: str) -> Sequence[Runs]:
        """Return what is said of an error, the reviewers' words after its name."""
        paragraphs = list(super().described(subject, shown))
        return [*paragraphs[:1], *self._sayings(subject), *paragraphs[1:]]

    def _sayings(self, subject: Subject | None) -> list[Runs]:
        session, evaluation = self.app.session, self.evaluation
        if self._case is None or self._case.evaluation != evaluation.id:
            cases = read_docket(session.connection, session.reviewer, evaluation=evaluation.id).cases
            self._case = cases[0] if cases else None
        if subject is None or self._case is None:
            return []
        for disagreement in self._case.disagreements:
            compared = disagreement.compared
            if subject.id == compared.subject or subject.id in compared.errors:
                return [row for layer in self._case.reviewers for row in opinions.one(evaluation, compared, layer, "")]
        return []
