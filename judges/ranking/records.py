"""Records of a leaderboard, one for each judged translation; apart, since storage makes them without ranking."""

from __future__ import annotations

from dataclasses import dataclass

from judges.model import EvaluationState

Points = tuple[float | None, float | None, float | None, float | None]
"""Total, accuracy, fluency, appropriateness; None for a dimension that was not judged."""


@dataclass(frozen=True, slots=True)
class JudgedTranslation:
    """One evaluation that counts: of one judge, of one sample of its answers.

    ``points``: the judge's; None where it failed or there was no translation, all 0 where the instruction check
    failed. ``human``: the mean over the reviewers who are done with it; None where nobody is. ``evaluation``: its id.
    """

    article: str
    system: str
    direction: str
    domain: str
    subdomain: str
    state: EvaluationState
    points: Points | None
    human: Points | None = None
    sample: int = 1
    evaluation: str = ""
