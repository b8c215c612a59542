"""Where reviewers of one evaluation agree and where they do not, thing by thing, so that somebody can settle it.

Two who say the same in other ways (one moved an error to fluency, which has one severity; one chose it as well) agree.
Unsure, and nothing said yet, are no opinions. Errors that reviewers marked themselves are one thing where they overlap;
who searched the texts and marked nothing there says that there is no error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

from judges.metric_s.reviewing import Work, reviewed
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
"""What one reviewer says; None of errors only: that there is none."""

Kind = Literal["finding", "error", "point", "instruction"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One thing that two or more reviewers said something of.

    ``subject``: a finding's id, ``point:N``, ``instruction``, or of marked errors the least of their ids; ``errors``:
    all of these ids. ``said``: layer → what she says of it, of those who have an opinion.
    """

    kind: Kind
    subject: str
    said: Mapping[str, Saying]
    agreed: bool
    errors: tuple[str, ...] = ()


def compare(findings: Mapping[str, Finding], works: Mapping[str, Work]) -> list[Compared]:
    """Return what two or more of the layers (their names → their work on one evaluation) have an opinion of.

    ``findings``: the judge's, by id, in their order. They come first, then points, errors and the instruction check.
    """
    return [each for each in _compared(findings, works) if len(each.said) > 1]


def _compared(findings: Mapping[str, Finding], works: Mapping[str, Work]) -> Iterator[Compared]:
    for identity, finding in findings.items():
        verdicts = {layer: work.verdicts.get(identity, NO_VERDICT) for layer, work in works.items()}
        opinions = {layer: v for layer, v in verdicts.items() if v.decision not in (None, "unsure")}
        meant = {_meaning(finding, verdict) for verdict in opinions.values()}
        yield Compared("finding", identity, opinions, len(meant) < 2)
    for number in sorted({number for work in works.values() for number in work.points}):
        points = {layer: point for layer, work in works.items() if (point := work.points.get(number))}
        yield Compared("point", f"point:{number}", points, len({p.decision for p in points.values()}) < 2)
    searched = {layer: work for layer, work in works.items() if work.search_done and not work.unconfirmed}
    for group in _groups(searched):
        said: dict[str, Saying] = {layer: group.get(layer) for layer in searched}
        labels = {(e.dimension, e.category, e.severity) if e else None for e in map(group.get, searched)}
        ids = tuple(sorted(error.id for error in group.values()))
        yield Compared("error", ids[0], said, len(labels) < 2, ids)
    checks = {layer: work.instruction for layer, work in works.items() if work.instruction}
    yield Compared("instruction", "instruction", checks, len(set(checks.values())) < 2)


def _meaning(finding: Finding, verdict: Verdict) -> tuple[object, ...]:
    """What a verdict comes to, however it was put."""
    if verdict.decision == "duplicate":
        return "duplicate", verdict.duplicate_of
    cost = reviewed(finding, verdict)
    if cost is None:
        return ("too strict" if verdict.decision == "too_strict" else "no error",)
    moved = verdict.dimension not in (None, finding.dimension)
    return *cost, verdict.category or (None if moved else finding.category), verdict.spans


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
