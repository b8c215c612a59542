"""Quantiles of Student's t, and tails of it and of the normal, without SciPy, which takes seconds to load."""

from __future__ import annotations

import math
from functools import lru_cache

from judges.stats.numerics import exp, power

_STEPS = 500
_FAR = 2.5
"""Value from which on half the probability less a series would lose digits."""
_MANY = 50.0
"""From here on the series of `_beta` is right to the last digits."""


@lru_cache(maxsize=512)
def t_quantile(share: float, df: float) -> float:
    """Return what a t variable of ``df`` > 0 degrees of freedom is below with the probability ``share`` in (0, 1).

    Newton's method with bisection on the distribution function, to about 1e-13 of the value. Raises ValueError outside.
    Near 1 take the mirror, -t_quantile(1 - share): a float holds a small share better than what is left of 1.
    """
    if not 0 < share < 1 or not df > 0:
        raise ValueError(f"no quantile {share} of {df} degrees of freedom")
    if share > 0.5:
        return -t_quantile(1 - share, df)
    if share == 0.5:
        return 0.0
    tail = share
    low, high = 0.0, 1.0
    while t_tail(high, df) > tail:
        low, high = high, 2 * high
    at = (low + high) / 2
    highest = 1 / (math.sqrt(df) * _beta(df / 2))
    for _ in range(_STEPS):
        excess = t_tail(at, df) - tail
        low, high = (at, high) if excess > 0 else (low, at)
        density = highest * power(df / (df + at * at), (df + 1) / 2)
        after = at + excess / density if density > 0 else low
        if not low < after < high:
            after = (low + high) / 2
        if abs(after - at) <= 1e-15 * after:
            return -after
        at = after
    return -at


def t_tail(t: float, df: float) -> float:
    """Return the probability that a t variable of ``df`` degrees of freedom exceeds ``t`` ≥ 0."""
    a, b, x = df / 2, 0.5, df / (df + t * t)
    if not 0 < x < 1:
        return 0.5 * x
    front = power(x, a) * math.sqrt(t * t / (df + t * t)) / _beta(a)
    if x > (a + 1) / (a + b + 2):
        return 0.5 * (1 - front / b * _fraction(b, a, 1 - x))
    return 0.5 * front / a * _fraction(a, b, x)


def normal_tail(x: float) -> float:
    """Return the probability that a standard normal variable exceeds ``x`` ≥ 0, to about 1e-14 of itself.

    Near 0 by the series of Abramowitz & Stegun 26.2.11, further out by the continued fraction of 26.2.14.
    """
    density = exp(-x * x / 2) / math.sqrt(2 * math.pi)
    if x >= _FAR:
        fraction = x
        for step in range(_STEPS, 0, -1):
            fraction = x + step / fraction
        return density / fraction
    term = series = x
    for n in range(3, 2 * _STEPS, 2):
        term *= x * x / n
        series += term
    return 0.5 - density * series


@lru_cache(maxsize=512)
def _beta(a: float) -> float:
    """The beta function of ``a`` and ½: √π · Γ(a) / Γ(a + ½), by its series for large ``a``."""
    factor = 1.0
    while a < _MANY:
        factor *= (a + 0.5) / a
        a += 1
    series = 0.0
    for coefficient in (869 / 2**22, -399 / 2**18, -21 / 2**15, 5 / 2**10, 1 / 2**7, -1 / 2**3, 1):
        series = series / a + coefficient
    return factor * math.sqrt(math.pi / a) / series


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the regularised incomplete beta function: by Lentz's method, as modified by Thompson
    and Barnett (1986), the continued fraction of Abramowitz & Stegun 26.5.8.
    """
    tiny = 1e-300
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
    return fraction - 1 if fraction != 1 else fraction
