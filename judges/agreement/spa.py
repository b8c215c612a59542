"""Soft pairwise accuracy: whether a metric is as sure of which system is better as humans are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judges.agreement.figure import Figure
from judges.agreement.pairs import NO_PAIR, Pairs, all_pairs
from judges.agreement.scores import MICRO
from judges.resampling import RESAMPLES, SEED, Seed, signs_of

if TYPE_CHECKING:
    from judges.resampling import Floats


def soft_pairwise_accuracy(
    human: Floats, metric: Floats, pairs: Pairs | None = None, permutations: int = RESAMPLES, seed: Seed = SEED
) -> Figure:
    """Return 1 - mean |p_h - p_m| over pairs of systems (Thompson et al. 2024), in [0, 1]; ``n`` is that of pairs.

    Scores are systems × articles, NaN where missing; a pair is compared over the articles with all four scores.
    """
    p_human, p_metric = confidences(human, metric, pairs, permutations, seed)
    if not len(p_human):
        return Figure(None, 0, NO_PAIR)
    return Figure(1 - float(abs(p_human - p_metric).mean()), len(p_human))


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

    i, j = all_pairs(len(human)) if pairs is None else pairs
    known = np.isfinite(human) & np.isfinite(metric)
    both = known[i] & known[j]
    i, j, both = i[both.any(axis=1)], j[both.any(axis=1)], both[both.any(axis=1)]
    h, m = (np.where(both, scores[i] - scores[j], 0) for scores in (human, metric))
    h_sum, m_sum = (np.rint(each.sum(axis=1) * MICRO) for each in (h, m))
    turn = np.where(h_sum != 0, np.sign(h_sum), np.sign(m_sum))
    turn[turn == 0] = 1
    differences = np.concatenate([h * turn[:, None], m * turn[:, None]]).T
    seen = differences.sum(axis=0) - 1 / MICRO
    blocks, exact = signs_of(human.shape[1], permutations, seed)
    reached, tried = np.zeros(len(seen)), 0
    for signs in blocks:
        reached += (signs @ differences >= seen).sum(axis=0)
        tried += len(signs)
    p = reached / tried if exact else (reached + 1) / (tried + 1)
    return p[: len(i)], p[len(i) :]
