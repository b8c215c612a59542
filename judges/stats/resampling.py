"""Resampling: bootstrap resamples of articles, and permutations of signs.

Articles are what is drawn, as the scores of one article resemble one another (it may be hard for all systems). A
missing score is NaN in the arrays here; no figure that leaves the packages that use them is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from judges.stats.arrays import share
from judges.stats.figure import LeftOut, counted_reasons
from judges.stats.numerics import FINE, NOISE, fine, snapped, total, weighted
from judges.stats.student_t import normal_tail, t_quantile

if TYPE_CHECKING:
    import numpy as np

    from judges.stats.arrays import Booleans, Floats, Integers

Seed: TypeAlias = "int | Sequence[int]"

ONE_IN = 40
"""An interval leaves out one resample in so many at either end. Whole, so that its ends are where they belong."""
CONFIDENCE = 1 - 2 / ONE_IN
RESAMPLES = 2000
"""Bootstrap resamples and permutations, where nobody asks for more."""
SEED = 1
FEWEST = 5
"""Articles below which reports print no interval of a bootstrap: even a widened one would cover too little."""
BLOCK = 2_000_000
"""Numbers that are drawn at once, so that memory stays flat however many resamples are asked for."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` articles with the ends of its interval; what is undefined is None, and ``why`` says so.

    ``left_out``: what it does not cover though it is of the same data, as in a `judges.stats.figure.Figure`.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    why: str = ""
    left_out: LeftOut = ()

    def without(self, left_out: Mapping[str, int]) -> Estimate:
        """Return the mean with what it leaves out: reason → how many."""
        return replace(self, left_out=counted_reasons(left_out))

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends of the interval, or None where it is undefined."""
        return None if self.low is None or self.high is None else (self.low, self.high)


NO_ARTICLE = "no article"
TOO_FEW = "fewer than five articles: no interval"
NEVER_VARIES = "the differences do not vary from article to article, so nothing can be inferred: no interval, no p"


@lru_cache(maxsize=1024)
def expanded_tail(articles: int, tail: float = 1 / ONE_IN) -> float:
    """Return the share of resamples of so many articles (≥ 2) that an expanded percentile interval leaves out a side.

    Φ(-√(m / (m - 1)) · t(1 - tail, m - 1)) where the plain interval leaves out ``tail`` (Hesterberg 2015, "What
    teachers should know about the bootstrap"): resamples of m articles spread too little, as the deviations of a sample
    from its own mean do, and have the tails of the normal where Student's t has heavier ones.
    """
    return normal_tail(-math.sqrt(articles / (articles - 1)) * t_quantile(tail, articles - 1))


def constant(differences: Floats) -> Booleans:
    """Tell of each row of paired differences (rows × pairs, NaN: not a pair) whether all that it has are the same.

    What never varies says nothing of how much another sample might: its variance is undefined, not 0. Of one pair or
    none there is nothing to tell: False.
    """
    import numpy as np

    known = np.isfinite(differences)
    least = np.where(known, differences, np.inf).min(axis=1, initial=np.inf)
    most = np.where(known, differences, -np.inf).max(axis=1, initial=-np.inf)
    noise = NOISE * np.maximum(1, np.maximum(abs(least), abs(most)))
    return np.asarray((known.sum(axis=1) > 1) & (most - least <= noise))


def mean_of(values: Floats) -> tuple[Floats, Integers]:
    """Return the mean of each row over what of it is not missing (0 where all is), and over how many that is."""
    import numpy as np

    present = np.isfinite(values)
    n = present.sum(axis=1)
    return total(fine(np.where(present, values, 0)), 1) / np.maximum(n, 1) / FINE, n


def _whole(values: Floats, present: Booleans) -> Floats:
    """Scores in the unit that they are added up in, 0 where there is none: all sums along a row are exact."""
    import numpy as np

    return snapped(fine(np.where(present, values, 0)), 1)


def bootstrap(values: Floats, resamples: int, seed: int, *, paired: bool = False) -> list[Estimate]:
    """Return the mean of each row of ``values`` (rows × articles) with its expanded percentile bootstrap interval.

    All rows see the same resamples: multinomial weights over the articles (Efron 1979), one matrix product for all.
    The mean of a row with missing articles is the ratio Σ w·x / Σ w over those it has; a resample that holds none of
    them does not count for that row. An interval takes `FEWEST` articles. ``paired``: the rows are differences of
    pairs; such as are `constant` have none either.
    """
    import numpy as np

    means, n = mean_of(values)
    why = np.select([n == 0, paired & constant(values), n < FEWEST], [NO_ARTICLE, NEVER_VARIES, TOO_FEW], "")
    told = why == ""
    low, high = np.full((2, len(n)), np.nan)
    tails = np.array([expanded_tail(articles) for articles in n[told].tolist()])
    low[told], high[told] = percentiles(resampled_means(values[told], resamples, seed).T / FINE, tails=tails)
    columns = means.tolist(), n.tolist(), low.tolist(), high.tolist(), why.tolist()
    return [_estimate(mean, of, ends, reason) for mean, of, *ends, reason in zip(*columns, strict=True)]


def _estimate(mean: float, n: int, ends: Sequence[float], why: str) -> Estimate:
    low, high = (None, None) if why else ends
    return Estimate(mean if n else None, n, low, high, why)


def resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """Return the mean of each row of ``values`` in each resample of `bootstrap` (resamples × rows).

    In the unit in which scores are added up, `judges.stats.numerics.FINE` a point; NaN where none of a row was drawn.
    """
    import numpy as np

    rows, articles = values.shape
    if not rows:
        return np.zeros((resamples, 0))
    present = np.isfinite(values)
    # Rows that miss the same articles, as most do, share the sum of weights.
    masks = {mask.tobytes(): mask for mask in present}
    where = {key: i for i, key in enumerate(masks)}
    mask_of = [where[mask.tobytes()] for mask in present]
    columns = np.concatenate([_whole(values, present), list(masks.values())]).T.copy()
    blocks = resampled_weights(articles, resamples, seed, every=False)
    drawn = [weighted(weights, columns) for weights in blocks]
    return np.concatenate([share(sums[:, :rows], sums[:, rows:][:, mask_of]) for sums in drawn])


def _weights(generator: np.random.Generator, resamples: int, articles: int) -> Floats:
    """Return each article's number of draws in each resample: `Generator.multinomial`, many times faster."""
    import numpy as np

    drawn = generator.integers(0, articles, size=(resamples, articles), dtype=np.int32)
    drawn += np.arange(0, resamples * articles, articles, dtype=np.int32)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * articles).reshape(resamples, articles).astype(float)


def resampled_sums(sums: Floats, resamples: int, seed: Seed) -> Floats:
    """Return the sum of each column of ``sums`` (articles × columns) over every resample (resamples × columns).

    Figures that are made of such sums (shares, means, what is made of means) need nothing else to be bootstrapped
    over articles. Where there are no more than ``resamples`` ways to draw n of n articles (n^n), each is taken once and
    the distribution is exact; the columns of one call see the same resamples.
    """
    import numpy as np

    if not len(sums):
        return np.zeros((resamples, sums.shape[1]))
    columns = snapped(sums, 0)
    return np.concatenate([weighted(weights, columns) for weights in resampled_weights(len(sums), resamples, seed)])


def resampled_weights(articles: int, resamples: int, seed: Seed, *, every: bool = True) -> Iterator[Floats]:
    """Yield how often each article is in each resample that `resampled_sums` takes, by blocks (resamples × articles).

    For figures that are made of pairs of articles, so that no sums by article will do. ``every`` False: drawn by
    chance even where each could be taken once.
    """
    import numpy as np

    if every and all_resampled(articles, resamples):
        drawn = np.indices((articles,) * articles).reshape(articles, -1).T
        yield (drawn[:, :, None] == np.arange(articles)).sum(axis=1).astype(float)
        return
    step = max(1, BLOCK // articles)
    if resamples <= step:
        yield _one_block(articles, resamples, seed if isinstance(seed, int) else tuple(seed))
        return
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, step):
        yield _weights(generator, min(step, resamples - start), articles)


@lru_cache(maxsize=4)
def _one_block(articles: int, resamples: int, seed: int | tuple[int, ...]) -> Floats:
    """The resamples that many figures of one report share, not to be written to."""
    import numpy as np

    weights = _weights(np.random.default_rng(seed), resamples, articles)
    weights.flags.writeable = False
    return weights


def all_resampled(articles: int, resamples: int) -> bool:
    """Return whether `resampled_sums` takes every resample there is, once."""
    return 0 < articles < 10 and articles**articles <= resamples


def percentiles(draws: Floats, *, tails: Floats | None = None, steps: bool = False) -> tuple[Floats, Floats]:
    """Return the ends of the percentile interval of each row of ``draws`` over what of it is not NaN.

    ``tails``: the share that each row's leaves out at either end, else one in `ONE_IN`. Linear between neighbours;
    ``steps``: of every draw there is, of which few values have much weight, so that nothing lies between two of them,
    but where the end falls just between them (the mean).
    """
    import numpy as np

    ordered = np.sort(draws, axis=1)  # NaN goes to the end
    n = np.isfinite(ordered).sum(axis=1)
    last, rows = np.maximum(n - 1, 0), np.arange(len(draws))
    out = (n if steps else last) / ONE_IN if tails is None else (n if steps else last) * tails
    below = np.floor(out + NOISE).astype(np.int64)
    beyond = np.where(out - below > NOISE, out - below, 0)
    if steps:  # ``below`` draws are left out at either end; where these are exactly the share, the end is half way
        below, beyond = np.where(beyond == 0, np.maximum(below - 1, 0), below), np.where(beyond == 0, 0.5, 0)
    ends = []
    for first, second in ((below, below + 1), (last - below, last - below - 1)):
        near, next_in = ordered[rows, first], ordered[rows, np.clip(second, 0, last)]
        ends.append(near + (next_in - near) * beyond)
    return ends[0], ends[1]


@dataclass(frozen=True, slots=True)
class Permuted:
    """The p-value of a permutation test; None where undefined. ``exact``: all permutations were tried."""

    p: float | None
    exact: bool = False


def sign_flips(differences: Floats, permutations: int, seed: int) -> list[Permuted]:
    """Return, for each row of paired differences (rows × articles, NaN: not a pair), the two-sided p of a mean of 0.

    If neither system were better, each difference might as well have the other sign. Where 2^n ≤ ``permutations`` all
    signs are tried: p = the share of them with a sum as far from 0. Else p = (b + 1) / (k + 1), b of k random ones
    being as far (Phipson and Smyth 2010). Undefined below two articles, and where the differences are `constant`.
    """
    import numpy as np

    present = np.isfinite(differences)
    pairs = present.sum(axis=1).tolist()
    filled = _whole(differences, present)
    far = abs(filled.sum(axis=1)) - pairs  # each may be off by the rounding of two scores to 1e-9 points
    beyond = _as_far(filled, far, permutations, seed) if any(2**n > permutations for n in pairs) else [0] * len(pairs)
    found = []
    for i, (n, same) in enumerate(zip(pairs, constant(differences).tolist(), strict=True)):
        if n < 2 or same:
            found.append(Permuted(None))
        elif 2**n <= permutations:
            beyond_all = abs(all_signs(n) @ filled[i, present[i]]) >= far[i]
            found.append(Permuted(int(beyond_all.sum()) / 2**n, exact=True))
        else:
            found.append(Permuted((beyond[i] + 1) / (permutations + 1)))
    return found


def _as_far(differences: Floats, far: Floats, permutations: int, seed: int) -> list[int]:
    """Return the number of random signs that leave each row's sum as far from 0; 0 and no pair do not count."""
    import numpy as np

    beyond = np.zeros(len(differences), dtype=np.int64)
    for signs in random_signs(differences.shape[1], permutations, seed):
        beyond += (abs(signs @ differences.T) >= far).sum(axis=0)
    counts: list[int] = beyond.tolist()
    return counts


def all_signs(n: int) -> Floats:
    """Return every way (2^n × n) to give ``n`` numbers a sign of 1 or -1, all 1 first."""
    import numpy as np

    return (1 - 2 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)).astype(np.float64)


def random_signs(n: int, permutations: int, seed: Seed) -> Iterator[Floats]:
    """Yield ``permutations`` random ways (rows) to give ``n`` numbers a sign of 1 or -1, in blocks."""
    import numpy as np

    generator = np.random.default_rng(seed)
    step = max(1, BLOCK // max(1, n))
    for start in range(0, permutations, step):
        bits = generator.integers(0, 2, size=(min(step, permutations - start), n), dtype=np.int8)
        yield bits.astype(np.float64) * 2 - 1


def signs_of(n: int, permutations: int, seed: Seed) -> tuple[Iterator[Floats], bool]:
    """Return blocks of signs, and whether they are all there are: so where 2^n ≤ ``permutations``."""
    if 2**n <= permutations:
        return iter([all_signs(n)]), True
    return random_signs(n, permutations, seed), False


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for their number (Holm 1979), in the order given; None is no test and stays None."""
    adjusted: list[float | None] = [None] * len(ps)
    tests = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    reached = 0.0
    for rank, (p, i) in enumerate(tests):
        reached = max(reached, min(1.0, (len(tests) - rank) * p))
        adjusted[i] = reached
    return adjusted


def benjamini_hochberg(ps: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for the share of false discoveries (Benjamini and Hochberg 1995), likewise.

    Of m tests the k-th smallest p becomes min over j ≥ k of m · p_j / j, at most 1.
    """
    adjusted: list[float | None] = [None] * len(ps)
    tests = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    reached = 1.0
    for rank, (p, i) in reversed(list(enumerate(tests, 1))):
        reached = min(reached, len(tests) * p / rank)
        adjusted[i] = reached
    return adjusted
