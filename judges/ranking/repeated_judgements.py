"""Repeated judgements: one score of several samples of a judge, as GEMBA-MQM V2 makes it of ten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from judges.ranking.ranking import Points

METHOD = "reciprocal-rank"
"""The name of this aggregation in signatures and options."""
OUTLIERS = "2sd"
"""The outliers that it leaves out, as signatures say it."""
FEWEST = 3
"""Samples from which they are weighed; of fewer it is the plain mean."""
_DEVIATIONS = 2
_DIGITS = 9
"""Decimals that are kept, those in which scores are added up."""


class Aggregate(NamedTuple):
    """One score of so many samples. ``outliers``: of them left out; ``weighed``: by rank, not as a plain mean."""

    points: Points
    samples: int
    outliers: int
    weighed: bool


@dataclass(frozen=True, slots=True)
class Repeated:
    """Samples of a judge that scores are made of. ``usable``: samples with a score → translations that have so many.

    ``failed``: samples of which the judge failed, left out; ``outliers``: samples left out beyond two standard
    deviations; ``plain``: translations with fewer than ``FEWEST`` usable samples, whose score is their plain mean.
    """

    usable: Mapping[int, int]
    failed: int
    outliers: int
    plain: int


def aggregate(samples: Sequence[Points]) -> Aggregate:
    """Return the reciprocal-rank weighted average of samples' scores, each with a total; at least one.

    Totals farther than two standard deviations (of all samples, divided by n) from their mean are left out. The rest
    are ranked from the best, 1, and weighed by 1 / rank: Σ score / rank ÷ Σ 1 / rank. So a good score weighs more than
    a bad one. Samples with the same total share the mean of the weights of their ranks. The dimensions are weighed by
    the same weights, so that they still add up to the total. Of fewer than ``FEWEST`` samples it is the plain mean.

    No sample of n lies farther than √(n − 1) standard deviations from their mean, so of five or fewer none is left out;
    and at most a quarter of them lie beyond two. The arithmetic is exact up to the last rounding.

    Source: Junczys-Dowmunt, "GEMBA V2: Ten Judgments Are Better Than One" (WMT 2025, 2025.wmt-1.67).
    """
    rows = [tuple(None if each is None else Fraction(each) for each in points) for points in samples]
    totals = [row[0] or Fraction(0) for row in rows]
    if len(rows) < FEWEST:
        return Aggregate(_weighed(rows, [Fraction(1)] * len(rows)), len(rows), 0, False)
    n, mean = len(rows), sum(totals) / len(totals)
    variance = sum((each - mean) ** 2 for each in totals) / n
    kept = [i for i in range(n) if (totals[i] - mean) ** 2 <= _DEVIATIONS**2 * variance]
    ranked = sorted((totals[i] for i in kept), reverse=True)
    shares: dict[Fraction, list[Fraction]] = {}
    for rank, each in enumerate(ranked, 1):
        shares.setdefault(each, []).append(Fraction(1, rank))
    weights = [sum(shares[totals[i]], Fraction(0)) / len(shares[totals[i]]) for i in kept]
    return Aggregate(_weighed([rows[i] for i in kept], weights), n, n - len(kept), True)


def _weighed(rows: Sequence[Sequence[Fraction | None]], weights: Sequence[Fraction]) -> Points:
    """The weighted means of total and parts; None for a part that is not judged."""
    whole = sum(weights)

    def mean(column: Sequence[Fraction | None]) -> float | None:
        known = [each * weight for each, weight in zip(column, weights, strict=True) if each is not None]
        return round(float(sum(known, Fraction(0)) / whole), _DIGITS) if len(known) == len(column) else None

    total, accuracy, fluency, appropriateness = (mean(column) for column in zip(*rows, strict=True))
    return total, accuracy, fluency, appropriateness
