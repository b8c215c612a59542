"""How many more articles it would take to tell two systems, or two metrics, apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from judges.agreement.comparing import MetricDifference
from judges.agreement.correlation import DECIMALS
from judges.agreement.intervals import Z95

POWER = 0.80
Z_POWER = 0.8416212335729143
"""The standard normal's 80 % quantile."""

ASSUMPTION = (
    "Assumes that articles to come are like those so far, drawn independently, with the same mean difference and the "
    "same spread about it; a two-sided test of paired differences at the 5 % level with 80 % power, in the normal "
    "approximation. A difference that so few articles show is itself uncertain, and so is this number."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What it takes to tell apart: ``further`` articles after the ``n`` there are, ``needed`` in all; None: ``why``.

    ``difference``: the mean of the paired differences. ``deviation``: their standard deviation from one article to
    another, in the same unit.
    """

    further: int | None
    needed: int | None
    n: int
    difference: float | None
    deviation: float | None
    why: str = ""
    assumption: str = ASSUMPTION


def plan(difference: float | None, deviation: float | None, n: int) -> Plan:
    """Return the articles needed for 80 % power: ((z_.975 + z_.80) · deviation / difference)², rounded up, at least 2.

    Undefined where the difference is 0 or undefined, or below two articles.
    """
    if difference is None or deviation is None or n < 2:
        why = "the difference is undefined" if n >= 2 else "fewer than two articles"
        return Plan(None, None, n, difference, deviation, why)
    if round(difference, DECIMALS) == 0:
        return Plan(None, None, n, difference, deviation, "the difference so far is 0")
    needed = max(2, math.ceil(((Z95 + Z_POWER) * deviation / difference) ** 2 - 1e-9))
    return Plan(max(0, needed - n), needed, n, difference, deviation)


def plan_systems(first: Sequence[float | None], second: Sequence[float | None]) -> Plan:
    """Return what it takes to tell two systems apart by their scores of the same articles; None: not scored."""
    differences = [
        b - a
        for a, b in zip(first, second, strict=True)
        if a is not None and b is not None and math.isfinite(a) and math.isfinite(b)
    ]
    n = len(differences)
    if n < 2:
        return plan(None, None, n)
    mean = math.fsum(differences) / n
    return plan(mean, math.sqrt(math.fsum((each - mean) ** 2 for each in differences) / (n - 1)), n)


def plan_metrics(compared: MetricDifference) -> Plan:
    """Return what it takes to tell the consistency of two metrics apart, on the systems they were compared on.

    The deviation is the paired bootstrap's standard error, brought to one article: error · n / √(n - 1).
    """
    n, error = compared.articles, compared.error
    return plan(compared.difference.value, None if error is None else error * n / math.sqrt(n - 1), n)
