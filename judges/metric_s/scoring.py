"""Metric-S scoring: one pure function, its weights as data.

Source: the DiscoX paper (ICLR 2026, arXiv 2511.10984): S_x = max(0, MAX_x − Σ weight) per dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from judges.model import DIMENSIONS, SEVERITIES, Dimension, Finding, Score, Severity


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of a metric: each dimension's maximum, and the deduction for each severity, in points."""

    maxima: Mapping[Dimension, int] = field(
        default_factory=lambda: {"accuracy": 60, "fluency": 20, "appropriateness": 20}
    )
    severities: Mapping[Severity, int] = field(
        default_factory=lambda: {"minor": 2, "major": 5, "critical": 10, "extremely_critical": 50, "violated": 5}
    )

    @property
    def judged(self) -> tuple[Dimension, ...]:
        """The dimensions that can give points at all; what has a maximum of 0 was not asked about."""
        return tuple(dimension for dimension in DIMENSIONS if self.maxima[dimension])

    @property
    def text(self) -> str:
        """The weights as signatures hold them: maxima, then severities, in our order: ``60/20/20-2/5/10/50/5``."""
        maxima = "/".join(str(self.maxima[dimension]) for dimension in DIMENSIONS)
        return maxima + "-" + "/".join(str(self.severities[severity]) for severity in SEVERITIES)

    @classmethod
    def of(cls, text: str) -> Weights:
        """The weights that ``text`` stands for. Raises ValueError for any other text."""
        maxima, severities = ([int(number) for number in part.split("/")] for part in text.split("-"))
        return cls(dict(zip(DIMENSIONS, maxima, strict=True)), dict(zip(SEVERITIES, severities, strict=True)))


METRIC_S = Weights()

Deduction = tuple[Dimension, Severity]


def score(deductions: Iterable[Deduction], weights: Weights = METRIC_S) -> Score:
    """Return the score left after the deductions, each dimension floored at 0.

    The floors are per dimension; ``Score.lost`` says by how many points the deductions went below each.
    """
    left = dict(weights.maxima)
    for dimension, severity in deductions:
        left[dimension] -= weights.severities[severity]
    accuracy, fluency, appropriateness = (left[d] for d in DIMENSIONS)
    return Score(
        max(0, accuracy),
        max(0, fluency),
        max(0, appropriateness),
        (max(0, -accuracy), max(0, -fluency), max(0, -appropriateness)),
    )


def judge_deduction(finding: Finding) -> Deduction | None:
    """Return a finding's deduction as the judge left it: None if it was dropped or its severity is unreadable."""
    if not finding.kept or finding.severity is None:
        return None
    return finding.dimension, finding.severity
