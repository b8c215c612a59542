"""Disagreements between the reviewers of one evaluation, thing by thing, for the adjudicator.

Two who say the same in other ways (one moved an error to fluency, which has one severity; one chose it as well) agree.
Unsure, and nothing said yet, are no opinions. Errors that reviewers marked themselves are one thing where they overlap;
who searched the texts and marked nothing there says that there is no error, who did not search says nothing.

What one reviewer alone says is agreed only where it leaves the judge's word and its price as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

from judges.metric_s.human_score import Work, human_deduction
from judges.model import (
    NO_VERDICT,
    Finding,
    InstructionDecision,
    MarkedError,
    Places,
    PointVerdict,
    Verdict,
)

Saying: TypeAlias = "Verdict | MarkedError | PointVerdict | InstructionDecision | None"
"""One reviewer's opinion; None, of errors only: that there is none."""

Kind = Literal["finding", "error", "point", "instruction"]


@dataclass(frozen=True, slots=True)
class ComparedOpinions:
    """One thing that reviewers said something of, or left open.

    ``subject``: a finding's id, ``point:N``, ``instruction``, or of marked errors the least of their ids; ``errors``:
    all of these ids. ``said``: layer → its opinion, also that the reviewer is unsure; a layer without one is not in it.
    """

    kind: Kind
    subject: str
    said: Mapping[str, Saying]
    agreed: bool
    errors: tuple[str, ...] = ()

    @property
    def opinions(self) -> dict[str, Saying]:
        """Return the opinions that can be adopted: all but those of reviewers who are unsure."""
        return {layer: saying for layer, saying in self.said.items() if not is_unsure(saying)}


def is_unsure(saying: Saying) -> bool:
    """Return whether what is said is no opinion."""
    return isinstance(saying, Verdict) and saying.decision in (None, "unsure")


def compare(findings: Mapping[str, Finding], works: Mapping[str, Work]) -> list[ComparedOpinions]:
    """Return all of which the layers (their names → their work on one evaluation) have an opinion, or would need one.

    ``findings``: the judge's, by id, in their order. They come first, then points, errors and the instruction check.
    """
    return [each for each in _compared(findings, works) if each.opinions or not each.agreed]


def _compared(findings: Mapping[str, Finding], works: Mapping[str, Work]) -> Iterator[ComparedOpinions]:
    for identity, finding in findings.items():
        said = {layer: work.verdicts[identity] for layer, work in works.items() if identity in work.verdicts}
        opinions = [verdict for verdict in said.values() if not is_unsure(verdict)]
        meant = {_meaning(finding, verdict) for verdict in opinions}
        agreed = len(meant) == 1 if len(opinions) > 1 else not finding.kept and meant <= {_meaning(finding, NO_VERDICT)}
        yield ComparedOpinions("finding", identity, said, agreed)
    for number in sorted({number for work in works.values() for number in work.points}):
        points = {layer: point for layer, work in works.items() if (point := work.points.get(number))}
        decisions = {point.decision for point in points.values()}
        yield ComparedOpinions("point", f"point:{number}", points, _is_agreed(points, decisions, "violated"))
    for group in _groups(works):
        marked = {layer: group.get(layer) for layer, work in works.items() if layer in group or work.search_done}
        labels = {e and (e.dimension, e.category, e.severity, *_labels(e)) for e in marked.values()}
        ids = tuple(sorted(error.id for error in group.values()))
        yield ComparedOpinions("error", ids[0], marked, len(marked) > 1 and len(labels) == 1, ids)
    checks = {layer: work.instruction for layer, work in works.items() if work.instruction}
    yield ComparedOpinions("instruction", "instruction", checks, _is_agreed(checks, {*checks.values()}, "overturn"))


def _is_agreed(said: Mapping[str, object], decisions: Collection[str], changing: str) -> bool:
    """Return whether all decide the same; one alone must not decide what changes the judge's word."""
    return len(decisions) < 2 and (len(said) > 1 or changing not in decisions)


def _labels(error: MarkedError) -> tuple[str, str]:
    return error.category_label, error.severity_label


def _meaning(finding: Finding, verdict: Verdict) -> tuple[object, ...]:
    """Return the meaning of a verdict, however it was put."""
    if verdict.decision == "duplicate":
        return "duplicate", verdict.duplicate_of
    cost = human_deduction(finding, verdict)
    if cost is None:
        return ("too strict" if verdict.decision == "too_strict" else "no error",)
    moved = verdict.dimension not in (None, finding.dimension)
    return *cost, verdict.category or (None if moved else finding.category), verdict.spans, verdict.repeat_of


def _groups(works: Mapping[str, Work]) -> list[dict[str, MarkedError]]:
    """Errors of different layers that overlap, each layer's in a group once; the most overlapping go together first."""
    errors = [(layer, error) for layer, work in works.items() for error in work.unmatched.values()]
    group_of = {error.id: {layer: error} for layer, error in errors}
    pairs = [
        (-shared, a.id, b.id)
        for (one, a), (other, b) in combinations(errors, 2)
        if one != other and (shared := _shared(a.spans, b.spans))
    ]
    for _, a, b in sorted(pairs):
        first, second = group_of[a], group_of[b]
        if first is not second and not first.keys() & second.keys():
            first |= second
            for error in second.values():
                group_of[error.id] = first
    unique = {id(group): group for group in group_of.values()}
    return sorted(unique.values(), key=lambda group: min((error.spans, error.id) for error in group.values()))


def _shared(first: Places, second: Places) -> int:
    return sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a in first for b in second if a.side == b.side)
