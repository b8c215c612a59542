"""Superiority test: is a metric more consistent with people than another? Noise does not pass it.

Held against each other by ``c_index`` within articles, by which breaking ties at random gains nothing (by ``acc_eq`` it
does). Its interval takes no more for granted than that chance would treat both alike, so it holds for few articles; and
it is the wider the more was tried, so that trying on finds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judges.meta_eval.pair_counts import tally, terms
from judges.stats.arrays import share
from judges.stats.figure import Figure
from judges.stats.intervals import ExpandedBootstrap
from judges.stats.numerics import NOISE, comparable, rounded_down, rounded_up, total
from judges.stats.resampling import NEVER_VARIES, RESAMPLES, SEED, constant, signs_of

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

ALPHA = 0.05
"""The chance that noise is ever taken for a gain, in all attempts together."""
METHOD = "percentiles over subsets of the articles (Hartigan 1969)"

NO_SCORE = "no two systems scored by people and both metrics"
NO_ORDER = "people tie every two systems"
NEVER_DIFFERS = "people, or one of the two, never tell systems of an article apart"
SEEN = "one of the two was shown examples of it"

_SUBSETS, _MOST_SUBSETS = 2**14, 2**18
_BEYOND = 4
"""Subsets there are to be beyond each end of an interval, where so many can be drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuperiorityTest:
    """Result of the test of a candidate that is to take a standard's place.

    ``n`` articles counted, with ``pairs`` of systems that people tell apart; ``left_out``: reason → articles.
    ``standard``, ``candidate``: their c_index, 0–1; ``gain``: candidate − standard, whose interval from ``low`` to
    ``high`` covers ``confidence``, as the ``attempt`` (1: the first) asks for. None where undefined: ``why``.
    ``needed``: about how many articles would show such a gain, None where it is shown or there is none.
    """

    n: int
    pairs: int
    left_out: Mapping[str, int]
    standard: float | None
    candidate: float | None
    gain: float | None
    low: float | None
    high: float | None
    confidence: float
    attempt: int
    needed: int | None = None
    why: str = ""

    @property
    def adopted(self) -> bool:
        """Return whether a gain is proven."""
        return self.low is not None and self.low > 0

    @property
    def said(self) -> str:
        """The same for people."""
        return "proven gain: the candidate is adopted" if self.adopted else "no proven gain: the standard is kept"


def confidence_of(attempt: int, alpha: float = ALPHA) -> float:
    """Return what the interval of the k-th attempt covers: 1 − 2·alpha / (k·(k + 1)).

    Of an error either way half is a gain that is none; alpha / (k·(k + 1)) adds up to alpha over all k, whoever stops
    when. Bonferroni's alpha / k would do for attempts that are all judged together at the end, and only there.
    """
    return 1 - 2 * alpha / (attempt * (attempt + 1))


def superiority_test(
    human: Floats,
    standard: Floats,
    candidate: Floats,
    attempt: int = 1,
    seen: Collection[int] = (),
    alpha: float = ALPHA,
) -> SuperiorityTest:
    """Return whether ``candidate`` is shown to be more consistent with people than ``standard``.

    All three are articles × systems, higher is better, NaN where missing; pairs are of what all three scored. What was
    learnt from people's verdicts is to be scored by a model that did not learn from the article's. ``attempt``: which
    it is on these people's scores, the first being 1. ``seen``: the rows of articles that do not count, as either was
    shown examples of them. Raises ValueError for other shapes or an attempt below 1.

    With x_d the pairs (a tie by the metric: half) that the candidate orders rightly in article d beyond the standard,
    and w_d the pairs that people order: gain = Σx / Σw. Were the two alike, chance might as well have exchanged them
    in any article; the gains that this test leaves lie between percentiles of Σx / Σw over the subsets of the articles
    (Hartigan 1969: typical values): over all 2^n of few articles, else over random ones. Where x_d / w_d is the same in
    all of them there is no interval: the gains would be one.
    """
    import numpy as np

    shape = human.shape
    if human.ndim != 2 or standard.shape != shape or candidate.shape != shape or attempt < 1:
        raise ValueError("a gate takes three tables of the same articles and systems, and an attempt from 1 on")
    known = np.isfinite(human) & np.isfinite(standard) & np.isfinite(candidate)
    people, one, other = (comparable(np.where(known, each, np.nan)).T for each in (human, standard, candidate))
    (of_standard, w), (of_candidate, _) = (terms("c_index", *tally(people, each)) for each in (one, other))
    held_out = np.array([row not in seen for row in range(len(human))], dtype=bool)
    scored = known.sum(axis=1) > 1
    counted = held_out & (w > 0)
    reasons = {SEEN: ~held_out, NO_SCORE: held_out & ~scored, NO_ORDER: held_out & scored & (w == 0)}
    left_out = {why: int(articles.sum()) for why, articles in reasons.items() if articles.any()}
    n, pairs, confidence = int(counted.sum()), int(w[counted].sum()), confidence_of(attempt, alpha)
    if not n:
        why = "there is no article in which people tell two systems apart that both metrics scored"
        return SuperiorityTest(
            n=0,
            pairs=0,
            left_out=left_out,
            standard=None,
            candidate=None,
            gain=None,
            low=None,
            high=None,
            confidence=confidence,
            attempt=attempt,
            why=why,
        )
    one_value, other_value = (float(each[counted].sum()) / pairs for each in (of_standard, of_candidate))
    x = (of_candidate - of_standard)[counted]
    gain = float(x.sum()) / pairs
    tail = (1 - confidence) / 2
    low, high = _ends(x, w[counted], tail)
    needed, why = None, ""
    if constant((x / w[counted])[None])[0]:
        low, high, why = None, None, NEVER_VARIES
    elif low is None:
        fewest = 1 - math.frexp(tail)[1]  # 2^-fewest is the first power of a half that is no more
        why = f"it takes {fewest} articles at least to show anything at this attempt, and {n} count"
        if n >= fewest:
            why = "after so many attempts nothing can be shown any more"
    elif low <= 0 < gain:
        wider = (gain - low) / gain
        needed = max(n + 1, rounded_up(n * wider * wider))
    return SuperiorityTest(
        n=n,
        pairs=pairs,
        left_out=left_out,
        standard=one_value,
        candidate=other_value,
        gain=gain,
        low=low,
        high=high,
        confidence=confidence,
        attempt=attempt,
        needed=needed,
        why=why,
    )


def _ends(x: Floats, w: Floats, tail: float) -> tuple[float | None, float | None]:
    """The ends that leave ``tail`` of the subsets beyond either; None where there are too few.

    The subset that holds no article is beyond both. The order in which articles are given does not matter, and
    exchanging the two metrics exchanges the ends.
    """
    import numpy as np

    order = np.lexsort((x if x.sum() >= 0 else -x, w))
    wanted = min(_MOST_SUBSETS, max(_SUBSETS, rounded_up(_BEYOND / tail)))
    blocks, exact = signs_of(len(x), wanted, SEED)
    sums = np.concatenate([(signs < 0) @ np.stack([x, w])[:, order].T for signs in blocks])
    gains = np.sort(share(sums[:, 0], sums[:, 1]))  # NaN, of none, goes to the end
    among = len(gains) if exact else len(gains) + 1
    gains = gains[np.isfinite(gains)]
    beyond = rounded_down(among * tail) - (among - len(gains))
    if not 0 <= beyond < len(gains):
        return None, None
    return float(gains[beyond]), float(gains[-1 - beyond])


@dataclass(frozen=True, slots=True)
class Correlations:
    """Pearson's r with people within articles, of two metrics; None where one of the three never differs.

    ``difference``: candidate − standard, ``n`` articles. It describes; no claim rests on it.
    """

    standard: float | None
    candidate: float | None
    difference: Figure


def correlations(
    human: Floats,
    standard: Floats,
    candidate: Floats,
    seen: Collection[int] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Correlations:
    """Return how far two metrics go with people within the articles that `superiority_test` counts.

    Arguments are those of `superiority_test`. Of the translations that all three scored, each score is taken less its
    article's mean. Interval: expanded percentile bootstrap over articles, both metrics in the same resamples.
    """
    import numpy as np

    known = np.isfinite(human) & np.isfinite(standard) & np.isfinite(candidate)
    scored = np.maximum(known.sum(1, keepdims=True), 1)
    values = [comparable(np.where(known, each, 0.0)) for each in (human, standard, candidate)]
    people, one, other = (np.where(known, each - total(each, 1)[:, None] / scored, 0.0) for each in values)
    counted = np.array([row not in seen for row in range(len(human))], dtype=bool) & (np.ptp(people, 1) > NOISE)
    products = ((people, people), (one, one), (other, other), (people, one), (people, other))
    sums = np.stack([total(x * y, 1)[counted] for x, y in products], axis=1)
    n = int(counted.sum())
    nothing = NOISE * NOISE * np.array([total(each**2) for each in values])

    def both(of: Floats) -> Floats:
        squares = np.where(of[:, :3] > nothing, of[:, :3], np.nan)
        found: Floats = of[:, 3:] / np.sqrt(squares[:, :1] * squares[:, 1:])
        return found

    one_value, other_value = both(total(sums, 0)[None])[0].tolist()
    if math.isnan(one_value + other_value):
        left = [None if math.isnan(each) else each for each in (one_value, other_value)]
        return Correlations(left[0], left[1], Figure(None, n, NEVER_DIFFERS))
    bootstrap = ExpandedBootstrap(resamples, seed)
    draws = both(bootstrap.draws(sums))
    interval = bootstrap.interval(draws[:, 1] - draws[:, 0], n, paired=True)
    return Correlations(one_value, other_value, Figure(other_value - one_value, n, interval=interval))


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim that ``candidate`` is more consistent than ``standard`` in a ``direction``, and the result of its test.

    ``correlations``: of both with people, beside the claim.
    ``attempts``: how many comparisons of two metrics the library has in this direction, of whatever metrics, people
    and articles; None where there is no library that would count them.
    """

    standard: str
    candidate: str
    direction: str
    gate: SuperiorityTest
    correlations: Correlations
    attempts: int | None = None
