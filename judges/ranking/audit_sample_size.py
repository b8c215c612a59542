"""Sample size of an audit: the width of intervals with more articles, and the number to tell two systems apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judges.ranking.audit_estimate import TOO_FEW, Target, expected_half_width, fewest
from judges.stats.numerics import mean, points, variance

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

FAIR = 0.5
"""The correlation of judge and people within articles that is assumed before anything is audited."""
MOST = 1_000_000
"""More audited articles than anyone will ever have."""


def noise_of_judge(judge: Floats) -> float:
    """Return the variance of one article's difference of two systems, the mean over pairs, by a judge's own scores.

    ``judge``: articles × systems, at least two of each. It stands for people's where nobody has audited yet.
    """
    import numpy as np

    judge = points(judge)
    first, second = np.triu_indices(judge.shape[1], 1)
    return float(mean(variance(judge[:, first] - judge[:, second])))


def noise_with_judge(noise: float, n: int, correlation: float = FAIR) -> float:
    """Return what a judge of this correlation with people leaves of ``noise`` when ``n`` articles are audited.

    The slope is shrunk by c = 1 / (1 + 2/n): of the variance 1 − correlation²·(2c − c²) is left; all below four.
    """
    if n < TOO_FEW:
        return noise
    c = 1 / (1 + 2 / n)
    return noise * (1 - correlation * correlation * (2 * c - c * c))


def sizes(n: int, articles: int, target: Target = "this-test-set") -> tuple[int, ...]:
    """Return how many audited articles to forecast for: half of ``n``, ``n``, twice and four times as many.

    As many at least as an interval takes, and no more than there are: none where these are too few.
    """
    least = fewest(articles, target)
    if not 2 <= least <= articles:
        return ()
    return tuple(sorted({min(max(least, each), articles) for each in (n // 2, n, 2 * n, 4 * n)}))


def articles_needed(
    noise: float, difference: float, articles: int, target: Target, alpha: float = 0.05, rest: float = 0.0
) -> int | None:
    """Return the fewest audited articles with which half an interval's width is below such a ``difference``.

    ``noise``, ``rest``: as `expected_half_width` has them.

    None where that would be more than ``MOST``, no number would do, or the difference is 0. For this test set at most
    all there are; no fewer than an interval takes.
    """
    wanted, least = abs(difference), fewest(articles, target)
    most = articles if target == "this-test-set" else MOST

    def enough(n: int) -> bool:
        return expected_half_width(noise=noise, n=n, articles=articles, target=target, alpha=alpha, rest=rest) < wanted

    if wanted <= 0 or least < 2 or not enough(most):
        return None
    if enough(least):
        return least
    low, high = least, min(2 * least, most)
    while not enough(high):
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
