"""Counting pairs of systems by how humans and a metric order them, and the figures that follow from such counts.

Scores are compared as whole multiples of 1e-6 (`scores.comparable`), higher being better; NaN is a missing score, and
a pair that misses one is no pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from judges.stats.correlation import Values
from judges.stats.figure import Figure
from judges.stats.numerics import MICRO, comparable

if TYPE_CHECKING:
    from judges.stats.arrays import Booleans, Floats, Integers

Pairs: TypeAlias = "tuple[Integers, Integers]"
"""The indices of each pair's first and second system."""

Rule = Literal["acc_eq", "c_index", "drop_human_ties", "drop_all_ties", "half"]
RULES: tuple[Rule, ...] = get_args(Rule)

IN_CACHE = 96 * 1024
"""Bytes of scores that are gathered at once: more would fall out of the cache, and go back to the system each time."""
IN_16_BITS = 2**14
"""Pairs that are counted at once, so that their number fits into the 16 bits in which they are counted fastest."""

NO_PAIR = "no two systems have scores by both"
NO_ARTICLE = "no two systems have an article in common that both scored"
NO_ORDER = "the human scores are tied in every pair"
NO_ORDERS = "every pair is tied by humans or by the metric"


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of systems: ordered alike, ordered otherwise, tied by humans only, by the metric only, by both."""

    concordant: int = 0
    discordant: int = 0
    tied_human: int = 0
    tied_metric: int = 0
    tied_both: int = 0

    @classmethod
    def of(cls, tallies: Floats) -> PairCounts:
        """The five counts over all columns of a `tally`."""
        return cls(*(int(each) for each in tallies.reshape(5, -1).sum(axis=1)))

    @property
    def n(self) -> int:
        """The number of all pairs."""
        return sum(self.each)

    @property
    def each(self) -> tuple[int, int, int, int, int]:
        """The five, in their order."""
        return self.concordant, self.discordant, self.tied_human, self.tied_metric, self.tied_both

    def rule(self, name: Rule) -> Figure:
        """Return the figure by one rule for ties, in [0, 1]; ``n`` is the number of pairs that the rule counts.

        ``acc_eq`` (con + both) / all: Deutsch et al. 2023. ``drop_human_ties`` con / (con + dis + metric ties).
        ``drop_all_ties`` con / (con + dis). ``half`` (con + both + ½ ties) / all. ``c_index`` (con + ½ metric ties) /
        (con + dis + metric ties): Harrell et al. 1982; breaking ties at random gains nothing by it.
        """
        numerator, denominator = terms(name, *self.each)
        if denominator:
            return Figure(numerator / denominator, denominator)
        return Figure(None, 0, NO_PAIR if not self.n else NO_ORDERS if name == "drop_all_ties" else NO_ORDER)


def headlining(ties: Rule) -> tuple[Rule, Rule]:
    """The rules that headline: the one asked for, and c_index beside it; c_index has acc_eq beside it."""
    return ties, "acc_eq" if ties == "c_index" else "c_index"


def terms(rule: Rule, con: Any, dis: Any, human: Any, metric: Any, both: Any) -> tuple[Any, Any]:
    """Return the numerator and the denominator of a rule from the five counts, be they numbers or arrays."""
    match rule:
        case "acc_eq":
            return con + both, con + dis + human + metric + both
        case "half":
            return con + both + (human + metric) / 2, con + dis + human + metric + both
        case "c_index":
            return con + metric / 2, con + dis + metric
        case "drop_human_ties":
            return con, con + dis + metric
        case "drop_all_ties":
            return con, con + dis


@lru_cache(maxsize=8)
def all_pairs(systems: int) -> Pairs:
    """Return the indices i < j of all pairs, not to be written to."""
    import numpy as np

    i, j = np.triu_indices(systems, 1)
    return i, j


def tally(human: Floats, metric: Floats, pairs: Pairs | None = None, epsilon: float = 0.0) -> Floats:
    """Count the pairs of each column: comparable scores (systems × …) to the five counts (5 × …).

    ``human`` and ``metric`` may differ in what can be broadcast; ``pairs`` None: all of them. The metric ties two
    scores that are no more than ``epsilon`` (in the same unit) apart.
    """
    import numpy as np

    i, j = all_pairs(len(human)) if pairs is None else pairs
    human, metric = _narrow(human), _narrow(metric)
    shape = np.broadcast_shapes(human.shape[1:], metric.shape[1:])
    counts = np.zeros((5, *shape))
    step = min(IN_16_BITS, max(1, IN_CACHE // metric.itemsize // max(1, math.prod(shape))))
    for start in range(0, len(i), step):
        some = slice(start, start + step)
        counts += _tally(human, metric, i[some], j[some], epsilon)
    return counts


def _narrow(scores: Any) -> Any:
    """Comparable scores as 32-bit integers, compared at twice the speed, where none is missing or too large."""
    import numpy as np

    return scores.astype(np.int32) if scores.size and abs(scores).max() < 2**30 else scores


def _tally(human: Any, metric: Any, i: Integers, j: Integers, epsilon: float) -> tuple[Any, ...]:
    import numpy as np

    n: Any = len(i)
    if human.dtype != np.int32 or metric.dtype != np.int32:
        known = np.isfinite(human) & np.isfinite(metric)
        n = (known.take(i, 0) & known.take(j, 0)).sum(axis=0)
        human, metric = np.where(known, human, np.nan), np.where(known, metric, np.nan)
    # Compared at once rather than subtracted first: arrays of bytes are many times cheaper to make.
    first, second = human.take(i, 0), human.take(j, 0)
    h_over, h_under = first > second, first < second
    first, second = metric.take(i, 0), metric.take(j, 0)
    if epsilon:
        m_over, m_under = first - second > epsilon, second - first > epsilon
    else:
        m_over, m_under = first > second, first < second

    def count(pairs: Booleans) -> Any:
        return pairs.sum(axis=0, dtype=np.int16)

    concordant, discordant = count(h_over & m_over | h_under & m_under), count(h_over & m_under | h_under & m_over)
    ordered = concordant + discordant
    by_human, by_metric = count(h_over | h_under), count(m_over | m_under)
    return concordant, discordant, by_metric - ordered, by_human - ordered, n - by_human - by_metric + ordered


def count_pairs(human: Values, metric: Values) -> PairCounts:
    """Count all pairs of two equally long lists of scores. O(n log n); a pair with a missing score is left out."""
    from judges.stats.correlation import ordering

    order = ordering(human, metric)
    tied_human, tied_metric = order.ties_x - order.ties_both, order.ties_y - order.ties_both
    ordered = order.pairs - tied_human - tied_metric - order.ties_both
    concordant = (ordered + order.surplus) // 2
    return PairCounts(concordant, ordered - concordant, tied_human, tied_metric, order.ties_both)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The best ``acc_eq`` over one ε with metric ties |m_i - m_j| ≤ ε, and the smallest such ε, in the metric's points.

    ε is chosen on the very pairs it is judged by, so the figure flatters the metric, the more the fewer pairs.
    """

    figure: Figure
    epsilon: float | None


def calibrate(human: Floats, metric: Floats, pairs: Pairs | None = None) -> Calibrated:
    """Calibrate ``acc_eq`` on comparable scores (systems × articles, or systems alone; Deutsch et al. 2023). Exact.

    Only the differences themselves need trying: between two of them no pair changes. O(n log n) in the pairs.
    """
    import numpy as np

    i, j = all_pairs(len(human)) if pairs is None else pairs
    h, m = human[i] - human[j], metric[i] - metric[j]
    product, m = h * m, abs(m)
    n = int(np.isfinite(product).sum())
    if not n:
        return Calibrated(Figure(None, 0, NO_PAIR), None)
    gained, lost = np.sort(m[(h == 0) & (m > 0)]), np.sort(m[product > 0])
    right = int(((h == 0) & (m == 0)).sum()) + len(lost)
    if not len(gained):
        return Calibrated(Figure(right / n, n), 0.0)
    # Only where a pair is gained can it become better; the first of several equal differences stands for none of them.
    last = np.append(gained[1:] != gained[:-1], True)
    epsilons = gained[last]
    surplus = np.flatnonzero(last) + 1 - np.searchsorted(lost, epsilons, side="right")
    best = int(surplus.argmax())
    if surplus[best] <= 0:
        return Calibrated(Figure(right / n, n), 0.0)
    return Calibrated(Figure((right + int(surplus[best])) / n, n), float(epsilons[best]) / MICRO)


FOLDS = 5
"""Parts of the articles: in each the ε is used that was chosen on the others."""
TOO_FEW_TO_HOLD_OUT = f"fewer than {FOLDS} articles with a pair, so that there are not {FOLDS} parts"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The ``acc_eq`` of all pairs, each by an ε that was chosen without its article.

    ``epsilons``: of each of the `FOLDS` parts the ε that is best in the others, in the metric's points; empty where the
    figure is undefined.
    """

    figure: Figure
    epsilons: tuple[float, ...]


def hold_out(
    human: Floats, metric: Floats, pairs: Pairs | None = None, seed: int | Sequence[int] = 1
) -> tuple[HeldOut, Floats]:
    """Calibrate as `calibrate` does, but never on the pairs that are judged; scores are systems × articles.

    The articles with a pair are dealt at random (``seed``) into `FOLDS` parts as equal in number as can be. For each
    part ε is chosen on the others; the figure is over the pairs of all parts together, so that each counts once and
    alike. Undefined where there are fewer articles with a pair than parts. Also returned: the five counts of each
    column (5 × articles), which the figure is the sum of.
    """
    import numpy as np

    tallies = tally(human, metric, pairs)
    paired = np.flatnonzero(tallies.sum(axis=0))
    if len(paired) < FOLDS:
        why = TOO_FEW_TO_HOLD_OUT if len(paired) else NO_PAIR
        return HeldOut(Figure(None, 0, why), ()), tallies
    part = np.full(human.shape[1], -1)
    part[np.random.default_rng(seed).permutation(paired)] = np.arange(len(paired)) % FOLDS
    epsilons = []
    for each in range(FOLDS):
        own, others = part == each, (part >= 0) & (part != each)
        epsilon = calibrate(human[:, others], metric[:, others], pairs).epsilon or 0.0
        tallies[:, own] = tally(human[:, own], metric[:, own], pairs, float(round(epsilon * MICRO)))
        epsilons.append(epsilon)
    return HeldOut(PairCounts.of(tallies).rule("acc_eq"), tuple(epsilons)), tallies


def pair_scores(scores: Values) -> Floats:
    """Return a list of scores as `tally` and `calibrate` take them; None, NaN and infinity are missing."""
    import numpy as np

    whole = comparable(np.asarray(scores, dtype=float))
    whole[~np.isfinite(whole)] = np.nan
    return whole
