"""Sample size: the articles needed to tell two systems, or two metrics, apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from judges.stats.figure import Figure
from judges.stats.intervals import Z95
from judges.stats.numerics import DECIMALS, NOISE, rounded_up

Z_POWER = 0.8416212335729143
"""The standard normal's 80 % quantile."""

FEWEST = 6
"""Articles with which a two-sided exact test of paired differences can fall below 5 % at all: 2 / 2⁶ = .03."""
ALPHA = 0.05
MOST = 1_000_000
"""More articles than anyone will ever have."""
LARGEST = 1e150
"""Differences whose squares can surely be added up are below."""
TOO_LARGE = "the differences are too large to be reckoned with"
BEYOND = f"more than {MOST:,} articles"
UNKNOWN_SPREAD = "the differences do not vary from article to article: how much they would is not known"

ASSUMPTION = (
    "Assumes that articles to come are like those so far, drawn independently, with the same mean difference and the "
    "same spread about it; a two-sided test of paired differences at the 5 % level with 80 % power, by the t "
    "distribution, of no fewer than 6 articles. 0 only where the two are told apart now. A difference that so few "
    "articles show is itself uncertain, and so is this number."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Sample size to tell two apart: ``further`` articles after the ``n`` there are, ``needed`` in all; None: ``why``.

    ``further`` is 0 where a test tells the two apart now, and only there; ``needed`` is then what it would take anew.

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


def plan(difference: float | None, deviation: float | None, n: int, told_apart: bool = False) -> Plan:
    """Return the articles needed for 80 % power at least `FEWEST`: ((z_.975 + z_.80) · deviation / difference)² + z²/2.

    The last term (z_.975) is what the t distribution takes more than the normal one (Guenther 1981). Undefined where
    the difference is 0 or undefined or never varies, below two articles, beyond `MOST`, and where so many articles are
    there and yet do not tell the two apart: then the spread so far cannot be what it seems.
    """
    if difference is None or deviation is None or n < 2:
        why = "the difference is undefined" if n >= 2 else "fewer than two articles"
        return Plan(further=None, needed=None, n=n, difference=difference, deviation=deviation, why=why)
    if round(difference, DECIMALS) == 0:
        return Plan(
            further=None, needed=None, n=n, difference=difference, deviation=deviation, why="the difference so far is 0"
        )
    if deviation <= NOISE * max(1.0, abs(difference)):
        return Plan(further=None, needed=None, n=n, difference=difference, deviation=None, why=UNKNOWN_SPREAD)
    ratio = (Z95 + Z_POWER) * deviation / difference
    normal = ratio * ratio
    if not normal < MOST:  # it may be infinite
        return Plan(further=None, needed=None, n=n, difference=difference, deviation=deviation, why=BEYOND)
    needed = max(FEWEST, rounded_up(normal + Z95 * Z95 / 2))
    if needed <= n and not told_apart:
        why = "by their spread there are articles enough, yet the two are not told apart: no number can be given"
        return Plan(further=None, needed=needed, n=n, difference=difference, deviation=deviation, why=why)
    return Plan(0 if told_apart else needed - n, needed, n, difference, deviation)


def plan_systems(first: Sequence[float | None], second: Sequence[float | None], p: float | None = None) -> Plan:
    """Return what it takes to tell two systems apart by their scores of the same articles; None: not scored.

    ``p``: of the two-sided test of the scores there are.
    """
    differences = [
        b - a
        for a, b in zip(first, second, strict=True)
        if a is not None and b is not None and math.isfinite(a) and math.isfinite(b)
    ]
    n = len(differences)
    if n < 2:
        return plan(None, None, n)
    if not max(map(abs, differences)) < LARGEST:
        return Plan(further=None, needed=None, n=n, difference=None, deviation=None, why=TOO_LARGE)
    mean = math.fsum(differences) / n
    deviation = math.sqrt(math.fsum((each - mean) * (each - mean) for each in differences) / (n - 1))
    return plan(mean, deviation, n, p is not None and p <= ALPHA)


def plan_metrics(difference: Figure, error: float | None) -> Plan:
    """Return what it takes to tell the consistency of two metrics apart, on the systems they were compared on.

    ``difference`` is over its ``n`` articles. The deviation is the standard ``error`` of the paired bootstrap, brought
    to one article: error · n / √(n - 1). They are told apart where an interval of `FEWEST` articles or more leaves out
    0.
    """
    n, ends = difference.n, difference.interval.ends if difference.interval else None
    told_apart = n >= FEWEST and ends is not None and (ends[0] > 0 or ends[1] < 0)
    return plan(difference.value, None if error is None else error * n / math.sqrt(n - 1), n, told_apart)
