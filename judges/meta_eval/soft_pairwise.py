"""Soft pairwise accuracy: whether a metric is as sure of which system is better as humans are."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from judges.meta_eval.pair_counts import NO_ARTICLE, NO_PAIR, Pairs, all_pairs
from judges.stats.arrays import share
from judges.stats.figure import Figure
from judges.stats.numerics import FINE, MICRO, ROUNDING, fine, mean, snapped, total, weighted
from judges.stats.resampling import BLOCK, RESAMPLES, SEED, Seed, all_signs, random_signs, resampled_weights, signs_of

if TYPE_CHECKING:
    from judges.stats.arrays import Booleans, Floats

    Differences: TypeAlias = tuple[Floats, Floats, Booleans]

NESTED, NESTED_AT_LEAST = 500, 200
"""Resamples of an interval at most; and of one that would take more than `WORK` with so many, at least."""
SIGNS = 100
"""Sign changes in each of them."""
WORK = 2.5e8
"""Products of a sign and a difference: some hundredths of a second."""
CLOSE = FINE / MICRO
"""Sums no further apart than 1e-6 points are equal, in the unit that scores are added up in."""
SINGLE = 2.0**24
"""A sum of whole numbers below this is exact in single precision."""


def soft_pairwise_accuracy(
    human: Floats, metric: Floats, pairs: Pairs | None = None, permutations: int = RESAMPLES, seed: Seed = SEED
) -> Figure:
    """Return 1 - mean |p_h - p_m| over pairs of systems (Thompson et al. 2024), in [0, 1]; ``n`` is that of pairs.

    Scores are systems × articles, NaN where missing; a pair is compared over the articles with all four scores.
    """
    import numpy as np

    p_human, p_metric = confidences(human, metric, pairs, permutations, seed)
    if not len(p_human):
        scored = (np.isfinite(human) & np.isfinite(metric)).any(axis=1)
        return Figure(None, 0, NO_ARTICLE if scored.sum() > 1 else NO_PAIR)
    return Figure(1 - mean(abs(p_human - p_metric)), len(p_human))


def confidences(
    human: Floats, metric: Floats, pairs: Pairs | None = None, permutations: int = RESAMPLES, seed: Seed = SEED
) -> tuple[Floats, Floats]:
    """Return for each pair that can be compared p_h and p_m, from one-sided paired permutation tests of sums.

    p is the share of sign changes of the differences whose sum is at least the one seen (so it includes equality): of
    all 2^n where these are no more than ``permutations``, else (b + 1) / (k + 1) of k random ones, the same for both.
    The hypothesis is that the system that humans score higher is better; if they tie, the one that the metric scores
    higher. So numbering systems otherwise changes nothing.
    """
    import numpy as np

    h, m, both = _differences(human, metric, pairs)
    turn = _turns(h.sum(axis=1), m.sum(axis=1))
    differences = np.concatenate([h * turn[:, None], m * turn[:, None]]).T
    seen = differences.sum(axis=0) - _close(abs(differences).sum(axis=0))
    blocks, exact = signs_of(human.shape[1], permutations, seed)
    reached, tried = np.zeros(len(seen)), 0
    for signs in blocks:
        reached += (signs @ differences >= seen).sum(axis=0)
        tried += len(signs)
    p = reached / tried if exact else (reached + 1) / (tried + 1)
    return p[: len(both)], p[len(both) :]


def resampled_spa(
    human: Floats, metric: Floats, pairs: Pairs | None = None, resamples: int = NESTED, seed: Seed = SEED
) -> Floats:
    """Return soft pairwise accuracy in each of ``resamples`` of the articles; NaN where no pair can be compared.

    They are `NESTED` at most, and `NESTED_AT_LEAST` at least where that would be more than `WORK`. In each of them is a
    permutation test of its own, of all 2^n sign changes where these are no more than `SIGNS`, else of so many random
    ones, half of them the others' opposites. Every article drawn is an observation: one that is drawn twice has two
    signs, else p would be that of fewer articles than there are. All resamples share the signs, so that one matrix
    product tries them on many: of whole numbers, in single precision where that holds their sums.
    """
    import numpy as np

    h, m, both = _differences(human, metric, pairs)
    n_pairs, articles = both.shape
    resamples = min(resamples, NESTED, max(NESTED_AT_LEAST, int(WORK / (SIGNS * n_pairs * articles or 1))))
    if not both.size:
        return np.full(resamples, np.nan)
    half, exact = _half_signs(articles, seed)
    columns = np.concatenate([h, m]).T
    # In units of what all differences of a column are multiples of, so that its sums are small.
    whole = np.where(abs(columns) < 2**53, columns, 1).astype(np.int64)
    unit = np.maximum(np.gcd.reduce(whole, axis=0), 1).astype(float)
    size = np.concatenate([abs(columns), both.T], axis=1)
    kind = np.float32 if (articles * abs(columns / unit)).max() < SINGLE else np.float64
    tried, half, found = (columns / unit).astype(kind), half.astype(kind), []
    step = max(1, BLOCK // 2 // (len(half) * 2 * n_pairs))
    for weights in resampled_weights(articles, resamples, seed):
        for start in range(0, len(weights), step):
            some = weights[start : start + step]
            drawn = np.repeat(np.tile(np.arange(articles), len(some)), some.ravel().astype(int)).reshape(some.shape)
            sums = (half @ tried[drawn.T].reshape(articles, -1)).reshape(len(half), len(some), -1)
            seen, sizes = weighted(some, columns), weighted(some, size)
            turn = np.tile(_turns(seen[:, :n_pairs], seen[:, n_pairs:]), 2)
            least = np.ceil((turn * seen - _close(sizes[:, : 2 * n_pairs])) / unit).astype(kind)
            reached = (sums >= least).sum(axis=0, dtype=np.int16) + (sums <= -least).sum(axis=0, dtype=np.int16)
            p = reached / (2 * len(half)) if exact else (reached + 1) / (2 * len(half) + 1)
            there = sizes[:, 2 * n_pairs :] > 0
            apart = total(np.where(there, abs(p[:, :n_pairs] - p[:, n_pairs:]), 0), 1)
            n = there.sum(axis=1)
            found.append(1 - share(apart, n))
    return np.concatenate(found)


def spa_of_versions(human: Floats, versions: Floats, seed: Seed = SEED) -> Floats:
    """Return soft pairwise accuracy of each version of a metric; NaN where no pair can be compared.

    ``versions`` are systems × versions × articles, missing (NaN) where ``human`` (systems × articles) is and nowhere
    else. All share the sign changes: all 2^n where these are no more than `SIGNS`, else so many random ones.
    """
    import numpy as np

    i, j = all_pairs(len(human))
    known = np.isfinite(human)
    both = known[i] & known[j]
    i, j, both = i[both.any(axis=1)], j[both.any(axis=1)], both[both.any(axis=1)]
    if not both.size:
        return np.full(versions.shape[1], np.nan)
    half, exact = _half_signs(human.shape[1], seed)
    whole, of_human = fine(versions), fine(human)
    of_human = snapped(np.where(both, of_human[i] - of_human[j], 0), -1)[:, None]
    found = []
    step = max(1, BLOCK // ((len(half) + 2 * human.shape[1]) * len(i)))
    for start in range(0, whole.shape[1], step):
        some = whole[:, start : start + step]
        differences = snapped(np.where(both[:, None], some[i] - some[j], 0), -1)
        turn = _turns(of_human.sum(axis=-1), differences.sum(axis=-1))
        p_human, p_metric = (_p_of(half, each, turn, exact) for each in (of_human, differences))
        found.append(1 - total(abs(p_human - p_metric), 0) / len(i))
    return np.concatenate(found)


def _p_of(half: Floats, differences: Floats, turn: Floats, exact: bool) -> Floats:
    """The one-sided p of each sum of differences (pairs × versions × articles), turned as ``turn`` says."""
    import numpy as np

    sums = half @ differences.reshape(-1, differences.shape[-1]).T
    least = turn * differences.sum(axis=-1) - _close(abs(differences).sum(axis=-1))
    sums = sums.reshape(len(half), *differences.shape[:-1])
    reached = (sums >= least).sum(axis=0) + (sums <= -least).sum(axis=0)
    p: Floats = reached / (2 * len(half)) if exact else (reached + 1) / (2 * len(half) + 1)
    return np.asarray(p)


def _half_signs(articles: int, seed: Seed) -> tuple[Floats, bool]:
    """Sign changes, of each and its opposite one, and whether they are all there are.

    What sums to s with the one sums to -s with the other.
    """
    import numpy as np

    if 2**articles <= SIGNS:
        return all_signs(articles)[: 2 ** (articles - 1)], True
    drawn = random_signs(articles, SIGNS // 2, [*np.atleast_1d(seed).tolist(), articles])
    return np.concatenate(list(drawn)), False


def _differences(human: Floats, metric: Floats, pairs: Pairs | None) -> Differences:
    """The comparable pairs: differences by humans, by the metric, and the articles that have any.

    In the unit that scores are added up in: sums over articles are exact.
    """
    import numpy as np

    i, j = all_pairs(len(human)) if pairs is None else pairs
    known = np.isfinite(human) & np.isfinite(metric)
    both = known[i] & known[j]
    i, j, both = i[both.any(axis=1)], j[both.any(axis=1)], both[both.any(axis=1)]
    human, metric = fine(human), fine(metric)
    h, m = (snapped(np.where(both, scores[i] - scores[j], 0), 1) for scores in (human, metric))
    return h, m, both


def _close(sizes: Floats) -> Floats:
    """The tolerance for two equal sums, by the sizes of their terms."""
    import numpy as np

    close: Floats = np.maximum(CLOSE, ROUNDING * sizes)
    return close


def _turns(human: Floats, metric: Floats) -> Floats:
    """1 or -1 for each sum of differences: which way round the pair is tested."""
    import numpy as np

    human, metric = (np.rint(each / CLOSE) for each in (human, metric))
    turn = np.where(human != 0, np.sign(human), np.sign(metric))
    turn[turn == 0] = 1
    return turn
