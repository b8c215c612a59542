"""Human score: the same weights on the errors that the reviewer left standing and those they added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from judges.metric_s.scoring import Deduction, Weights, judge_deduction, score
from judges.model import (
    DIMENSIONS,
    LEVELS,
    NO_VERDICT,
    BlindStage,
    Decision,
    Dimension,
    EvaluationState,
    Finding,
    InstructionDecision,
    MarkedError,
    PointDecision,
    PointVerdict,
    Score,
    Severity,
    Verdict,
)

SINGLE_LEVEL: Mapping[Dimension, Severity] = {d: LEVELS[d][0] for d in DIMENSIONS if len(LEVELS[d]) == 1}
"""The dimensions that know one severity: an error moved there takes it."""


def human_deduction(finding: Finding, verdict: Verdict = NO_VERDICT) -> Deduction | None:
    """Return the deduction of a finding with the reviewer's verdict applied, or None if it costs nothing.

    Undecided and unsure findings stand as the judge left them. An error moved to fluency or appropriateness takes
    that dimension's only severity; one moved to accuracy keeps a severity the dimension knows, else ``major``.
    """
    match verdict.decision:
        case "not_an_error" | "duplicate" | "too_strict":
            return None
        case None | "unsure" | "agree":
            return judge_deduction(finding)
    if not finding.kept and verdict.decision != "restore":
        return None
    dimension = verdict.dimension or finding.dimension
    severity = verdict.severity or finding.severity
    if dimension in SINGLE_LEVEL:
        severity = SINGLE_LEVEL[dimension]
    elif dimension != finding.dimension and verdict.severity is None:
        severity = "major"
    return None if severity is None else (dimension, severity)


POINT_MET: Mapping[Decision | PointDecision, bool] = {
    **dict.fromkeys(("not_an_error", "too_strict", "met"), True),
    **dict.fromkeys(("agree", "override", "reattribute", "restore", "violated"), False),
}
"""Decision on a rubric point, or on the finding that it is violated → whether the translation meets it.

That a point asks too much takes the failure away: the system did nothing wrong. A duplicate of another error is no word
on the point, nor is unsure.
"""


@dataclass(frozen=True, slots=True)
class Work:
    """Review of one evaluation by one reviewer. Findings and errors are known by their ids, points by number.

    ``search_done``: they say that they have looked for errors that the judge missed. ``blind``: None where they saw the
    judge's findings from the start.
    """

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    errors: Mapping[str, MarkedError] = field(default_factory=dict)
    points: Mapping[int, PointVerdict] = field(default_factory=dict)
    instruction: InstructionDecision | None = None
    search_done: bool = False
    blind: BlindStage | None = None

    @property
    def matched(self) -> dict[str, str]:
        """The id of an error they marked → that of the judge's finding that it is, as they confirmed."""
        return {verdict.matches: finding for finding, verdict in self.verdicts.items() if verdict.matches}

    @property
    def unmatched(self) -> dict[str, MarkedError]:
        """The reviewer's errors that are none of the judge's findings, as far as they have said."""
        matched = self.matched
        return {identity: error for identity, error in self.errors.items() if identity not in matched}

    @property
    def links(self) -> dict[str, str]:
        """The id of a finding or error → that of which it is a repeat, or of the finding that it is."""
        said: dict[str, MarkedError | Verdict] = {**self.verdicts, **self.errors}
        return {identity: each.repeat_of for identity, each in said.items() if each.repeat_of} | self.matched

    @property
    def unconfirmed(self) -> dict[str, MarkedError]:
        """The errors marked blind of which it is not yet said whether the judge found them; none before the reveal."""
        if self.blind != "revealed":
            return {}
        return {identity: error for identity, error in self.unmatched.items() if error.blind and not error.missed}


def deductions(findings: Mapping[str, Finding], work: Work, weights: Weights) -> dict[str, Deduction]:
    """Return what each finding, error or point (``point:N``) costs after review, by id; nothing for what is free.

    Of an error that is marked at several places the severest place costs, the first of these, and no other. As long as
    the pass is blind the judge's findings count for nothing.
    """
    costs = dict(_costs(findings, work))
    counting = _counting(costs, work, weights)
    return {identity: cost for identity, cost in costs.items() if counting[identity] == identity}


def counted_elsewhere(findings: Mapping[str, Finding], work: Work, weights: Weights) -> dict[str, str]:
    """Return which errors cost nothing because another place of the same error does: their ids → its id."""
    costs = dict(_costs(findings, work))
    return {identity: other for identity, other in _counting(costs, work, weights).items() if other != identity}


def _counting(costs: Mapping[str, Deduction], work: Work, weights: Weights) -> dict[str, str]:
    """Return the place that costs for each: of an error that is marked once itself, else the first of the severest."""
    links = work.links
    groups = {identity: first_of_group(identity, links) for identity in costs}
    dearest: dict[str, str] = {}
    for identity, first in groups.items():
        before = dearest.setdefault(first, identity)
        if weights.severities[costs[identity][1]] > weights.severities[costs[before][1]]:
            dearest[first] = identity
    return {identity: dearest[first] for identity, first in groups.items()}


def _costs(findings: Mapping[str, Finding], work: Work) -> Iterator[tuple[str, Deduction]]:
    for identity, finding in findings.items() if work.blind != "started" else ():
        cost = human_deduction(finding, work.verdicts.get(identity, NO_VERDICT))
        if cost is not None:
            yield identity, cost
    for identity, error in work.unmatched.items():
        if error.dimension and error.severity:
            yield identity, (error.dimension, error.severity)
    if work.blind != "started":
        for number, point in work.points.items():
            if point.decision == "violated":
                yield f"point:{number}", ("accuracy", "violated")


def first_of_group(identity: str, links: Mapping[str, str]) -> str:
    """Return the error that a repeat leads back to, by ``Work.links``; in a ring of them, the least id of the ring."""
    path = [identity]
    while (before := links.get(path[-1])) is not None:
        if before in path:
            return min(path[path.index(before) :])
        path.append(before)
    return path[-1]


def human_score(
    state: EvaluationState,
    findings: Mapping[str, Finding],
    work: Work,
    weights: Weights,
    costs: Mapping[str, Deduction] | None = None,
) -> Score | None:
    """Return the score of what the reviewer left standing and added, or None where none can be claimed.

    Where the judge's word is not the whole (a score alone, a failed judge, an overturned instruction check), there is a
    score once they say that the search is done: until then nobody has looked for what that judge would have found. An
    output that they call no translation has 0, as with the judge. ``costs``: the `deductions`, where they are known.
    """
    if state == "no_translation":
        return None
    translated = state != "instruction_failed"
    if work.instruction == "overturn":
        translated = not translated
    if not translated:
        return Score(0, 0, 0) if work.instruction is not None else None
    if state != "scored" and not work.search_done:
        return None
    return score((deductions(findings, work, weights) if costs is None else costs).values(), weights)
