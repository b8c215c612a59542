"""Score breakdown: what each error takes from 60/20/20 in its turn, by the judge and by the reviewer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from judges.metric_s.human_score import Work, deductions, human_score
from judges.metric_s.scoring import METRIC_S, Deduction, Weights, judge_deduction, score
from judges.model import DIMENSIONS, Dimension, EvaluationState, Finding, Score, Severity

NO_TRANSLATION = "no translation"
"""The subject of the steps that take everything: the output is no translation of the whole text."""
POINT = "point:"
"""Before the number of a rubric point that is the subject of a step, and no finding of the judge's."""


@dataclass(frozen=True, slots=True)
class Move:
    """Deduction of one error from a dimension by the judge, or by the reviewer, in points.

    ``points``: by rule; ``counted``: what the floor at 0 lets count of them; ``left``: what the dimension has then.
    ``severity`` is None where nothing is taken, and where everything is.
    """

    severity: Severity | None
    points: int
    counted: int
    left: int


@dataclass(frozen=True, slots=True)
class Step:
    """One error in one dimension, and what it takes there; None on the side of whom no score is claimed.

    ``subject``: the id of a finding or of an error that the reviewer marked, ``point:N``, or ``NO_TRANSLATION``. A
    finding that the reviewer moved to another dimension has a step in both.
    """

    subject: str
    dimension: Dimension
    judge: Move | None
    human: Move | None


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Steps of a score, dimension after dimension, and the scores that they come to; None where none is claimed.

    A judge that gave points and named no errors claims a score, but there are no steps to it: None here.
    """

    steps: tuple[Step, ...]
    judge: Score | None
    human: Score | None


def waterfall(
    state: EvaluationState, findings: Mapping[str, Finding], work: Work, weights: Weights = METRIC_S
) -> Waterfall:
    """Return how the judge's score and the reviewer's come about.

    In each dimension the findings come first, by id in the judge's order, those that de-duplication dropped too; then
    the reviewer's own errors, then the rubric points that they alone call violated. Each dimension's maximum, less
    what its steps count, is its score: that of the judge's deductions, and `human_score` of theirs.
    """
    human = human_score(state, findings, work, weights)
    untranslated = state == "instruction_failed"
    nothing = untranslated != (work.instruction == "overturn")
    counted = state == "scored" or (human is not None and not nothing)
    shown = findings if counted and work.blind != "started" else {}
    judge_side = her_side = None
    if untranslated or (state == "scored" and work.blind != "started"):
        costs = {identity: cost for identity, finding in shown.items() if (cost := judge_deduction(finding))}
        judge_side = _Side(costs, weights, untranslated)
    if human is not None:
        her_side = _Side(deductions(shown, work, weights), weights, nothing)
    sides = [side for side in (judge_side, her_side) if side]
    steps = tuple(
        Step(
            subject,
            dimension,
            judge_side.take(subject, dimension) if judge_side else None,
            her_side.take(subject, dimension) if her_side else None,
        )
        for dimension in DIMENSIONS
        for subject in _subjects(dimension, shown, work, sides)
    )
    return Waterfall(steps, judge_side.score if judge_side else None, human)


def effect(
    subject: str, state: EvaluationState, findings: Mapping[str, Finding], work: Work, weights: Weights = METRIC_S
) -> int | None:
    """Return by how many points the reviewer's total would differ without their word on one subject of a step.

    Floors and repeats are minded, so it can be 0 where the error has points. None where no score is claimed with it or
    without it.
    """
    number = int(subject.removeprefix(POINT)) if subject.startswith(POINT) else None
    without = replace(
        work,
        verdicts={identity: verdict for identity, verdict in work.verdicts.items() if identity != subject},
        errors={identity: error for identity, error in work.errors.items() if identity != subject},
        points={point: said for point, said in work.points.items() if point != number},
        instruction=None if subject == NO_TRANSLATION else work.instruction,
    )
    now, then = (human_score(state, findings, each, weights) for each in (work, without))
    return None if now is None or then is None else now.total - then.total


class _Side:
    """Points left of each dimension while one side's errors are deducted in turn."""

    def __init__(self, costs: Mapping[str, Deduction], weights: Weights, everything: bool) -> None:
        """``everything``: the output is no translation, so it has no points whatever its errors."""
        self.costs = {} if everything else costs
        self.everything = everything
        self._weights = weights
        self._left = dict(weights.maxima)

    @property
    def score(self) -> Score:
        return Score(0, 0, 0) if self.everything else score(self.costs.values(), self._weights)

    def take(self, subject: str, dimension: Dimension) -> Move:
        left = self._left[dimension]
        cost = self.costs.get(subject)
        severity = cost[1] if cost and cost[0] == dimension else None
        points = self._weights.severities[severity] if severity else 0
        if subject == NO_TRANSLATION and self.everything:
            points = left
        counted = min(points, left)
        self._left[dimension] -= counted
        return Move(severity, points, counted, left - counted)


def _subjects(dimension: Dimension, findings: Mapping[str, Finding], work: Work, sides: list[_Side]) -> Iterator[str]:
    """The subjects of the steps in a dimension, in their order."""
    if any(side.everything for side in sides):
        yield NO_TRANSLATION
    elif not sides:
        return
    for identity, finding in findings.items():
        counted = (cost[0] for side in sides if (cost := side.costs.get(identity)))
        if dimension in (finding.dimension, *counted):
            yield identity
    yield from (identity for identity, error in work.unmatched.items() if error.dimension == dimension)
    if dimension == "accuracy" and work.blind != "started":
        yield from (f"{POINT}{number}" for number, said in work.points.items() if said.decision == "violated")
