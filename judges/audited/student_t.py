"""Quantiles of Student's t without SciPy, which takes seconds to load."""

from __future__ import annotations

import math
from functools import lru_cache

_STEPS = 500


@lru_cache(maxsize=512)
def t_quantile(share: float, df: float) -> float:
    """Return what a t variable of ``df`` > 0 degrees of freedom is below with the probability ``share`` in (0, 1).

    Newton's method with bisection on the distribution function, to about 1e-13 of the value. Raises ValueError outside.
    """
    if not 0 < share < 1 or df <= 0:
        raise ValueError(f"no quantile {share} of {df} degrees of freedom")
    if share < 0.5:
        return -t_quantile(1 - share, df)
    if share == 0.5:
        return 0.0
    tail = 1 - share
    low, high = 0.0, 1.0
    while t_tail(high, df) > tail:
        low, high = high, 2 * high
    at = (low + high) / 2
    constant = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    for _ in range(_STEPS):
        excess = t_tail(at, df) - tail
        low, high = (at, high) if excess > 0 else (low, at)
        density = math.exp(constant - (df + 1) / 2 * math.log1p(at * at / df))
        after = at + excess / density if density > 0 else low
        if not low < after < high:
            after = (low + high) / 2
        if abs(after - at) <= 1e-15 * after:
            return after
        at = after
    return at


def t_tail(t: float, df: float) -> float:
    """Return the probability that a t variable of ``df`` degrees of freedom exceeds ``t`` ≥ 0."""
    return 0.5 * _incomplete_beta(df / 2, 0.5, df / (df + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Abramowitz & Stegun 26.5.8)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    tiny = 1e-300  # Lentz's method, as modified by Thompson and Barnett (1986)
    fraction, c, d = 1.0, 1.0, 0.0
    for step in range(_STEPS):
        m = step // 2
        if step == 0:
            term = 1.0
        elif step % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 + term * d
        d = 1 / (d if abs(d) > tiny else tiny)
        c = 1 + term / (c if abs(c) > tiny else tiny)
        c = c if abs(c) > tiny else tiny
        fraction *= c * d
        if abs(1 - c * d) < 1e-16:
            break
    return front * (fraction - 1) if fraction != 1 else front
