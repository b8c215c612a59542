"""Arithmetic that comes to the same on every machine, in any order, and however much is computed at once.

Processors add and multiply in different orders, by the shape of the arrays too, and so differ in the last bit. Here:

- a score is a whole number of 1e-9 points where it is added up (`fine`), of 1e-12 where it is multiplied (`points`),
  and two are compared as whole numbers of 1e-6 (`comparable`);
- a sum is exact: what is added is first rounded to multiples of one power of two, chosen so that no sum of them can be
  rounded, in whatever order (`snapped`; Demmel and Nguyen 2013, "Fast reproducible floating-point summation");
- other numbers that arithmetic has been through are equal if `NOISE` does not tell them apart;
- exponential and logarithm are not the processor's or the system's own, of which each is off in another last bit.

What is left (+, -, ×, /, √ of two numbers) is rounded alike everywhere. So no sum of floats is taken but here or by
``math.fsum`` and ``statistics.fmean``, which are exact, and no matrix is multiplied but here or where all is whole.
"""

from __future__ import annotations

import math
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from judges.stats.arrays import Floats, Integers

    Axis = int | tuple[int, ...] | None

DECIMALS = 6
"""Two scores that are the same up to here are tied."""
MICRO = 10**DECIMALS
"""Comparable units in a point."""
FINE = 1e9
"""Units in a point in which scores are added up."""
NOISE = 1e-9
"""The difference that arithmetic may leave between equal numbers, as a share of what went into it."""
ROUNDING = 1e-12
"""The spread that rounding may leave, as a share of a number's size: no more is none."""

FEW = 500
"""Values in a row up to which they are added up one by one, which is sooner done than rounding them all."""
_BITS = 52
"""Bits of a whole number that a float surely holds, one less than it does: rounding may have made it larger."""


def fine(scores: Floats) -> Floats:
    """Return scores as whole multiples of 1e-9, to be added up: noise in what was scored is gone. NaN stays."""
    import numpy as np

    with np.errstate(over="ignore"):
        whole: Floats = np.rint(np.asarray(scores, dtype=float) * FINE)
    return whole + 0.0


def points(scores: Floats) -> Floats:
    """Return scores without the noise in them, to be multiplied: the nearest multiples of 1e-12. NaN stays."""
    import numpy as np

    with np.errstate(over="ignore"):
        rounded: Floats = np.asarray(scores, dtype=float).round(12)
    return np.where(np.isinf(rounded), scores, rounded) + 0.0


def comparable(scores: Floats) -> Floats:
    """Return scores as whole multiples of 1e-6, to be compared: noise neither makes nor breaks a tie. NaN stays.

    Rounded to 1e-8 first, lest noise decide of what lies half way between two multiples.
    """
    import numpy as np

    with np.errstate(over="ignore"):
        whole: Floats = np.rint(np.rint(np.asarray(scores, dtype=float) * (100 * MICRO)) / 100)
    return whole + 0.0


def snapped(values: Floats, axis: Axis = None, terms: int | None = None) -> Floats:
    """Return finite values, each rounded to a multiple of a power of two by which their sum along ``axis`` is exact.

    So is every sum of them with whole weights whose sizes add up to no more than their number. What is rounded off is
    2^-52 of such a sum's size at most; whole numbers stay as they are while a float holds their sum. None: all values.
    ``terms``: how many of them are added up, where that is not their number.
    """
    import numpy as np

    if not values.size:
        return values
    largest = abs(values).max(axis=axis, keepdims=True)
    return _rounded(values, np.frexp(largest * (terms or values.size // largest.size))[1] - _BITS)


def _rounded(values: Floats, exponents: Any) -> Floats:
    """Values as multiples of 2^exponents: adding what is so much larger pushes out all that is less."""
    import numpy as np

    beyond = np.ldexp(1.5, exponents + _BITS)
    rounded: Floats = (values + beyond) - beyond
    return rounded


def total(values: Floats, axis: Axis = None) -> Any:
    """Return the sum of finite values along ``axis``, right but for its last rounding; None: of all, a float."""
    if values.ndim == 1 and values.size <= FEW:
        import numpy as np

        return np.float64(math.fsum(values.tolist()) + 0.0)
    high, low = total_in_two(values, axis)
    return (high + low) + 0.0


def total_in_two(values: Floats, axis: Axis = None) -> tuple[Any, Any]:
    """Return the sum of finite values before its last rounding: two numbers, for ``math.fsum`` to add to others."""
    high = snapped(values, axis)
    return high.sum(axis=axis), snapped(values - high, axis).sum(axis=axis)


def total_by(groups: Integers, values: Floats, size: int) -> Floats:
    """Return the sum of the finite values of each of ``size`` groups, which are numbered from 0; as `snapped` has it.

    Only values of one group are added up, so that they are rounded the less.
    """
    import numpy as np

    most = int(np.bincount(groups).max(initial=0))
    return np.bincount(groups, weights=snapped(values, terms=most), minlength=size).astype(float)


def mean(values: Floats, axis: int | None = None) -> Any:
    """Return the mean of finite values along ``axis``, of which there must be one; None: of all, a float."""
    return total(values, axis) / (values.size if axis is None else values.shape[axis])


def variance(values: Floats, axis: int = 0) -> Floats:
    """Return the variance of finite values along ``axis``, over n − 1; of two at least."""
    import numpy as np

    deviations = values - np.expand_dims(mean(values, axis), axis)
    found: Floats = np.asarray(total(deviations**2, axis) / (values.shape[axis] - 1))
    return found


def weighted(weights: Floats, columns: Floats) -> Floats:
    """Return the sums of each column by each row of ``weights``: whole numbers whose sizes add up to the rows at most.

    ``columns`` are `snapped` along their rows: so a sum is what it is, whatever multiplies, and beside whatever.
    """
    sums: Floats = weights @ columns
    return sums + 0.0


class Halves(NamedTuple):
    """A matrix taken apart into two that hold so few bits that their products add up exactly: see `halved`."""

    first: Floats
    rest: Floats

    @property
    def T(self) -> Halves:  # noqa: N802 - as numpy has it
        """The same with rows as columns."""
        return Halves(self.first.T, self.rest.T)


def product(left: Floats | Halves, right: Floats | Halves) -> Floats:
    """Return the matrix product of any finite numbers, right to 2^-40 of the sizes that go into each sum.

    By what each side is when `halved` (Ozaki et al. 2012): so one that is multiplied often is halved once.
    """
    a, a_rest = left if isinstance(left, Halves) else halved(left, -1)
    b, b_rest = right if isinstance(right, Halves) else halved(right, 0)
    found: Floats = a @ b + (a @ b_rest + a_rest @ b)
    return found + 0.0


def halved(values: Floats, axis: int) -> Halves:
    """Return the first bits of numbers, as the largest along ``axis`` has them, and as many that follow these.

    ``axis`` is what a product adds up over: of a left side the last, of a right side the first.
    """
    import numpy as np

    bits = (_BITS - values.shape[axis].bit_length()) // 2
    exponents = np.frexp(abs(values).max(axis=axis, keepdims=True, initial=0))[1] - bits
    first = _rounded(values, exponents)
    return Halves(first, _rounded(values - first, exponents - bits))


def solve(matrix: Floats, values: Floats) -> Floats:
    """Return x of matrix · x = values, for a symmetric positive definite matrix: by elimination, in a fixed order."""
    import numpy as np

    rows = np.concatenate([matrix, values[:, None]], axis=1)
    for i in range(len(rows)):
        rows[i] /= rows[i, i]
        factors = rows[:, i].copy()
        factors[i] = 0
        rows -= factors[:, None] * rows[i]
    return rows[:, -1].copy()


def exponential(values: Floats) -> Floats:
    """Return e^values, of values between −700 and 700, to some 1e-16 of each."""
    import numpy as np

    powers = np.rint(values * 1.4426950408889634)  # of 2; what is left is at most half of ln 2, and its series short
    rest = (values - powers * 0.6931471803691238) - powers * 1.9082149292705877e-10
    series = np.ones_like(rest)
    for n in range(14, 0, -1):
        series = 1 + series * rest / n
    found: Floats = np.ldexp(series, powers.astype(int))
    return found


def exp(value: float) -> float:
    """Return e^value, correctly rounded."""
    return float(Decimal(value).exp())


@lru_cache(maxsize=1024)
def log(value: float) -> float:
    """Return the natural logarithm of a number above 0, correctly rounded."""
    return float(Decimal(value).ln())


def power(base: float, exponent: float) -> float:
    """Return base^exponent of a base above 0, correctly rounded."""
    return float(Decimal(base) ** Decimal(exponent))


def rounded_up(value: float) -> int:
    """Return the least whole number not below ``value``, or hardly: 0.07 · 100 is 7, though a float is above it."""
    return math.ceil(value - NOISE * max(1.0, abs(value)))


def rounded_down(value: float) -> int:
    """Return the largest whole number not above ``value``, or hardly."""
    return math.floor(value + NOISE * max(1.0, abs(value)))
