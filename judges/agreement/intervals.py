"""How sure a figure is: percentile intervals from resamples of articles, and Wilson's, as if nothing were clustered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from judges.agreement.figure import Interval
from judges.resampling import RESAMPLES, SEED, all_resampled, percentiles, resampled_sums

if TYPE_CHECKING:
    from judges.resampling import Floats

FEW = 10
"""Articles below which an interval is a rough guess."""
Z95 = 1.959963984540054
"""The standard normal's 97.5 % quantile."""

BOOTSTRAP = "percentile bootstrap over articles"
EVERY_RESAMPLE = "percentiles of all resamples of the articles"
WILSON = "Wilson, if pairs were independent"


def wilson(share: float | None, n: float, method: str = WILSON) -> Interval:
    """Wilson's (1927) score interval of a share of ``n`` independent observations, in [0, 1]; undefined of none.

    ``n`` need not be whole: dependent observations are worth an effective number of independent ones.
    """
    if share is None or not n:
        return Interval(None, None, method, "the figure is undefined")
    z2 = Z95 * Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return Interval(max(0.0, middle - half), min(1.0, middle + half), method)


def from_draws(draws: Floats, clusters: int, seed: int | None, method: str = "") -> Interval:
    """The percentile interval of a figure from its values in resamples (1-d; NaN where undefined) of ``clusters``.

    A resample in which the figure is 0/0 does not count, and is counted. ``seed`` None: every resample there is was
    taken. Undefined below two clusters.
    """
    import numpy as np

    method = method or (EVERY_RESAMPLE if seed is None else BOOTSTRAP)
    if clusters < 2:
        return Interval(None, None, method, "fewer than two articles: no interval", clusters)
    dropped = int(np.isnan(draws).sum())
    counted = len(draws) - dropped
    if not counted:
        return Interval(None, None, method, "undefined in every resample", clusters, 0, dropped, seed)
    (low,), (high,) = percentiles(draws[None])
    warning = f"{clusters} articles: a rough guess" if clusters < FEW else ""
    return Interval(float(low), float(high), method, "", clusters, counted, dropped, seed, warning)


def ratio_interval(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """The interval of Σ numerators / Σ denominators, given by article; articles without a denominator do not count."""
    import numpy as np

    sums = np.array([numerators, denominators], dtype=float).T
    sums = sums[sums[:, 1] > 0]
    draws = share(*resampled_sums(sums, resamples, seed).T)
    return from_draws(draws, len(sums), None if all_resampled(len(sums), resamples) else seed)


def share(numerators: Floats, denominators: Floats) -> Floats:
    """Elementwise numerators / denominators, NaN where it would be 0/0: of resamples, never a figure."""
    import numpy as np

    nothing = np.full(np.broadcast(numerators, denominators).shape, np.nan)
    shares: Floats = np.divide(numerators, denominators, out=nothing, where=denominators > 0)
    return shares
