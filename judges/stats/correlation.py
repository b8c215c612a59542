"""Pearson's r, Spearman's rho and Kendall's tau, all undefined rather than NaN on degenerate input.

All take two equally long sequences. A pair with a missing side (None, NaN or infinite) is left out. Where values are
compared they are rounded to 6 decimals, so that float noise neither makes nor breaks a tie; Pearson's r compares none,
and takes them as they are. Each statistic is in [-1, 1], and None where fewer than two pairs remain or a side is
constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from judges.stats.arrays import share
from judges.stats.numerics import NOISE, ROUNDING, comparable, mean, total

if TYPE_CHECKING:
    from judges.stats.arrays import Booleans, Floats, Integers

Values: TypeAlias = "Sequence[float | None] | Floats"
Statistic: TypeAlias = Callable[["Floats", "Floats"], float | None]


def pearson(x: Values, y: Values) -> float | None:
    """Pearson's product-moment correlation: cov(x, y) / (sd(x) sd(y))."""
    import numpy as np

    _, _, complete = _compared(x, y)
    return _pearson(np.asarray(x, dtype=float)[complete], np.asarray(y, dtype=float)[complete])


def spearman(x: Values, y: Values) -> float | None:
    """Spearman's rho: Pearson's r of the ranks, ties sharing their mean rank."""
    x, y = _pairs(x, y)
    return _pearson(ranks(x), ranks(y))


def ranks(values: Floats) -> Floats:
    """The rank of each value from 1, ties sharing their mean rank."""
    import numpy as np

    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    shared: Floats = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return shared


def kendall_tau_b(x: Values, y: Values) -> float | None:
    """Kendall's tau-b (1945): (C - D) / sqrt((pairs - ties in x)(pairs - ties in y)). O(n log n)."""
    order = ordering(x, y)
    untied_x, untied_y = order.pairs - order.ties_x, order.pairs - order.ties_y
    return order.surplus / math.sqrt(untied_x * untied_y) if untied_x and untied_y else None


def kendall_tau_c(x: Values, y: Values) -> float | None:
    """Stuart's tau-c (1953): 2 (C - D) / (n² (m - 1) / m), m the smaller number of distinct values. O(n log n)."""
    order = ordering(x, y)
    m = min(order.distinct_x, order.distinct_y)
    return 2 * order.surplus * m / (order.n**2 * (m - 1)) if m > 1 else None


@dataclass(frozen=True, slots=True)
class Grouped:
    """The mean of a statistic over the groups in which it is defined, with their ``n`` pairs; None if in none.

    ``values``: the statistic of each group, in the order of their numbers.
    """

    value: float | None
    n: int
    groups_used: int
    groups_total: int
    values: tuple[float | None, ...]


def coded(groups: Sequence[Hashable]) -> Integers:
    """Number groups from 0 in the order in which they come."""
    import numpy as np

    names: dict[Hashable, int] = {}
    return np.array([names.setdefault(group, len(names)) for group in groups], dtype=np.int64)


def members(groups: Integers) -> list[Integers]:
    """Return the places of each group's members, of groups numbered from 0."""
    import numpy as np

    if not len(groups):
        return []
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])


def within_groups(statistic: Statistic, x: Values, y: Values, groups: Sequence[Hashable] | Integers) -> Grouped:
    """Apply the statistic to each group on its own and take the unweighted mean over those where it is defined.

    ``groups`` names the group (an article, a system) of each pair, or numbers it (`coded`). An undefined group is
    dropped, never counted as 0, and shows as the difference between ``groups_used`` and ``groups_total``.
    """
    import numpy as np

    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    codes = groups if isinstance(groups, np.ndarray) else coded(groups)
    if not x.shape == y.shape == codes.shape:
        raise ValueError(f"not equally many values and groups: {x.shape}, {y.shape}, {codes.shape}")
    by_group = members(codes)
    values = tuple(statistic(x[of], y[of]) for of in by_group)
    defined = [value for value in values if value is not None]
    n = sum(len(of) for value, of in zip(values, by_group, strict=True) if value is not None)
    used = len(defined)
    return Grouped(math.fsum(defined) / used if used else None, n, used, len(by_group), values)


def _pairs(x: Values, y: Values) -> tuple[Floats, Floats]:
    """The complete pairs, comparable."""
    x, y, complete = _compared(x, y)
    return x[complete], y[complete]


def _compared(x: Values, y: Values) -> tuple[Floats, Floats, Booleans]:
    """Return the pairs, comparable, and which of them are complete."""
    import numpy as np

    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"not two equally long sequences: {x.shape}, {y.shape}")
    x, y = comparable(x), comparable(y)  # beyond 1e300 rounding overflows, and the pair counts as missing
    return x, y, np.isfinite(x) & np.isfinite(y)


def _pearson(x: Floats, y: Floats) -> float | None:
    if len(x) < 2:
        return None
    r = float(pearsons(x, y))
    return None if math.isnan(r) else r


def pearsons(x: Floats, y: Floats) -> Floats:
    """Pearson's r of each column (observations × …, of the same shape, NaN where missing); NaN where undefined."""
    import numpy as np

    known = np.isfinite(x) & np.isfinite(y)
    n = known.sum(axis=0)
    x, y = _deviations(x, known, n), _deviations(y, known, n)
    xy, xx, yy = (total(a * b, 0) for a, b in ((x, y), (x, x), (y, y)))
    clipped: Floats = np.clip(share(xy, np.sqrt(xx * yy)), -1, 1)
    return clipped


def _deviations(values: Floats, known: Booleans, n: Integers) -> Floats:
    """Deviations from the mean of each column, at most 1 in size; 0 where all known values are the same.

    So they are where nothing but float noise tells them apart. The squares of what is left neither overflow nor vanish.
    """
    import numpy as np

    values = np.where(known, values, 0)
    deviations = np.where(known, values - total(values, 0) / np.maximum(n, 1), 0)
    size, spread = abs(values).max(axis=0, initial=0), abs(deviations).max(axis=0, initial=0)
    varied = np.ptp(np.where(known, deviations, 0), axis=0) > ROUNDING * size
    scaled: Floats = np.where(varied, deviations / np.where(varied, spread, 1), 0)
    return scaled


def moments(x: Floats, y: Floats) -> list[Floats]:
    """Return the summands of Pearson's r: x, y, x², y² and xy; centred, lest the squares swallow what differs."""
    x, y = x - mean(x), y - mean(y)
    return [x, y, x * x, y * y, x * y]


def pearsons_of_sums(n: Floats, sums: Floats) -> Floats:
    """Pearson's r from sums of `moments` (… × 5) over ``n`` observations; NaN where a side is constant.

    Sums of squares know of a spread only where it is more than `NOISE` of them.
    """
    import numpy as np

    x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    varied = (spread_x > NOISE * n * xx) & (spread_y > NOISE * n * yy)
    r = np.full(n.shape, np.nan)
    np.divide(n * xy - x * y, np.sqrt(np.where(varied, spread_x * spread_y, 1)), out=r, where=varied)
    np.clip(r, -1, 1, out=r)
    return r


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering:
    """Order of ``n`` observations by two variables: ``surplus`` is concordant minus discordant pairs.

    ``ties_x`` and ``ties_y`` count the pairs tied in both too, which are ``ties_both``.
    """

    n: int
    pairs: int
    ties_x: int
    ties_y: int
    ties_both: int
    surplus: int
    distinct_x: int
    distinct_y: int


def ordering(x: Values, y: Values) -> Ordering:
    """Count pairs after Knight (1966): sort by (x, y); what is still inverted in y is discordant."""
    import numpy as np

    def tied(counts: Integers) -> int:
        return int((counts * (counts - 1) // 2).sum())

    x, y = _pairs(x, y)
    _, x_rank, x_counts = np.unique(x, return_inverse=True, return_counts=True)
    _, y_rank, y_counts = np.unique(y, return_inverse=True, return_counts=True)
    joint = np.sort(x_rank * len(y_counts) + y_rank)
    tied_in_both = tied(np.unique(joint, return_counts=True)[1])
    n = len(x)
    pairs, ties_x, ties_y = n * (n - 1) // 2, tied(x_counts), tied(y_counts)
    discordant = _inversions(joint % max(1, len(y_counts)))
    surplus = pairs - ties_x - ties_y + tied_in_both - 2 * discordant
    return Ordering(
        n=n,
        pairs=pairs,
        ties_x=ties_x,
        ties_y=ties_y,
        ties_both=tied_in_both,
        surplus=surplus,
        distinct_x=len(x_counts),
        distinct_y=len(y_counts),
    )


def _inversions(ranks: Integers) -> int:
    """Count i < j with ranks[i] > ranks[j], bit by bit from the top.

    At each bit the ranks are grouped by their higher bits, in their original order within a group; a pair of one
    group is inverted at this bit where a 1 stands before a 0.
    """
    import numpy as np

    inverted = 0
    for bit in reversed(range(int(ranks.max(initial=0)).bit_length())):
        group, high = ranks >> (bit + 1), (ranks >> bit) & 1
        start = np.searchsorted(group, group)
        ones = np.cumsum(high)
        ones_before_in_group = ones - (ones - high)[start]
        inverted += int(ones_before_in_group[high == 0].sum())
        ranks = ranks[np.argsort(ranks >> bit, kind="stable")]
    return inverted
