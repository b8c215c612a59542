"""The review within an adjudication, a screen of its own: the adjudicator's own verdict beside the reviewers'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discox_tui.screens.adjudication import opinions
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.sessions.open_review import Subject
from discox_tui.widgets.bars import Runs
from storage.reviews.disagreements import Case, read_docket

ELSEWHERE = {"finish", "skip", "next_evaluation", "previous_evaluation"}
"""What would lead out of the adjudicated layer."""


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
