"""Sampling of the articles to audit, balanced by the judge's scores; apart, since it comes before any estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judges.stats.numerics import NOISE, mean, points, total
from judges.stats.sampling import shuffled

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

SUBSETS = 200
"""Simple random subsets that are drawn, of which the one nearest to all articles is kept (arXiv 2606.15029)."""
CRITERION = (
    f"of {SUBSETS} simple random subsets of the articles the one whose mean contrasts of the systems by the judge "
    "(score minus the article's mean) are nearest to those of all articles, by the sum of squares"
)


@dataclass(frozen=True, slots=True)
class DrawnArticles:
    """Articles that were drawn, sorted; ``distance``: how far their contrasts are from those of all, in points²."""

    articles: tuple[str, ...]
    distance: float


def draw_balanced(articles: Sequence[str], judge: Floats, n: int, seed: int) -> DrawnArticles:
    """Draw ``n`` articles (all, if there are no more) by ``CRITERION``, which anyone can do again from the seed.

    ``judge``: scores (articles × systems) in the order of ``articles``, whose names are all different; neither order
    matters. What is drawn is not worse than random for a judge that says nothing, and every article has nearly the
    chance of every other, so that the estimates of ``judges.ranking.audit_estimate`` hold.
    """
    index = {name: row for row, name in enumerate(articles)}
    judge = points(judge)
    contrasts = judge - mean(judge, 1)[:, None]
    wanted = mean(contrasts, 0)
    best: DrawnArticles | None = None
    for number in range(SUBSETS):
        subset = shuffled(list(articles), seed, f"audit {number}")[:n]
        means = mean(contrasts[[index[name] for name in subset]], 0)
        distance = round(total((means - wanted) ** 2), 9)
        if best is None or distance < best.distance - NOISE / 2:
            best = DrawnArticles(tuple(sorted(subset)), distance)
        if n >= len(articles):
            break
    if best is None:
        raise ValueError("there is nothing to draw")
    return best
