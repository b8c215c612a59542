"""Ranking stability: the ranking of systems on fewer articles, and the number of articles that would do.

Systems are ranked as on a leaderboard: by the mean over the articles that each has. Two neighbours are compared over
the articles that both have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from judges.stats.arrays import share
from judges.stats.figure import Figure, Interval, ratio
from judges.stats.intervals import FEW, expanded, wilson
from judges.stats.numerics import FINE, NOISE, comparable, fine, mean, rounded_down, rounded_up, snapped
from judges.stats.resampling import (
    BLOCK,
    NEVER_VARIES,
    Estimate,
    bootstrap,
    constant,
    expanded_tail,
    mean_of,
    percentiles,
    resampled_means,
)

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

TAU = 0.9
"""From here on a ranking counts as the full one."""
DRAWS = 0.95
"""The share of draws of articles that have to give such a ranking."""
SIZES = 40
"""Sizes at which the curve is computed, at most."""

SUBSETS = "percentiles of random draws without replacement"
OF_DRAWS = "Wilson, of random draws"

TWO_SYSTEMS = "fewer than three systems: tau knows no ranking between the same and the reverse"
ONE_ARTICLE = "fewer than two articles: none can be left out"
ALL_TIED = "all systems share one rank"
TIED = "they share a rank: there is no order to hold"
NONE_IN_COMMON = "fewer than two articles in common"
FEW_ARTICLES = f"fewer than {FEW} articles: what is drawn from them is too nearly the same"
NOT_REACHED = "not reached with fewer articles than there are"


@dataclass(frozen=True, slots=True)
class Place:
    """One system in the ranking. ``rank``: 1 is best, equal means share one. ``mean``: with its interval over articles.

    ``ranks``: both ends of the interval of its rank, rounded outwards; None where there is none, and ``why`` says so.
    """

    system: str
    rank: int
    mean: Estimate
    ranks: tuple[int, int] | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two systems that follow one another. ``holds``: the share of resamples in which the upper one is above.

    Its ``n`` is the articles that both have. ``tied``: the share in which neither is.
    """

    upper: str
    lower: str
    holds: Figure
    tied: float | None


@dataclass(frozen=True, slots=True)
class Size:
    """Random draws of ``n`` articles, none twice. ``tau``: the mean of tau with the full ranking, and its percentiles.

    ``reached``: the share of draws with a tau of ``TAU`` or more; its ``n`` counts draws. A draw on which a system has
    no score has not reached it.
    """

    n: int
    tau: Figure
    reached: Figure


@dataclass(frozen=True, slots=True)
class RankingStability:
    """Stability of a ranking. ``tau``: Kendall's tau-b with the full one, its mean over resamples of the articles in
    which each system has a score.

    ``enough``: the least n from which on ``DRAWS`` of the draws of n articles have a tau of at least ``TAU``; its
    ``n`` is the articles there are, and fewer than ``FEW`` of them say nothing of it. ``curve``: the sizes, least
    first, all below the number of articles.
    """

    places: tuple[Place, ...]
    neighbours: tuple[Neighbours, ...]
    tau: Figure
    enough: Figure
    curve: tuple[Size, ...]


def ranking_stability(scores: Floats, systems: Sequence[str], resamples: int, seed: int) -> RankingStability:
    """Return how the ranking by ``scores`` (systems × articles, NaN where missing; each has one) holds."""
    import numpy as np

    n_articles = scores.shape[1]
    if not systems:
        return RankingStability((), (), Figure(None, 0, TWO_SYSTEMS), Figure(None, n_articles, TWO_SYSTEMS), ())
    means = comparable(mean_of(scores)[0])
    order = sorted(range(len(systems)), key=lambda s: (-means[s], systems[s]))
    ranked, full, names = scores[order], means[order], [systems[s] for s in order]
    rows = np.concatenate([ranked, ranked[:-1] - ranked[1:]])
    draws = comparable(resampled_means(rows, resamples, seed) / FINE) if n_articles > 1 else np.zeros((0, len(rows)))
    drawn, gaps = draws[:, : len(order)], draws[:, len(order) :]
    why = TWO_SYSTEMS if len(systems) < 3 else ONE_ARTICLE if n_articles < 2 else ALL_TIED if _tied(full) else ""
    curve, enough = ((), Figure(None, n_articles, why)) if why else _curve(ranked, full, resamples, seed)
    return RankingStability(
        tuple(_places(names, full, bootstrap(ranked, resamples, seed), drawn)),
        tuple(_neighbours(names, full, rows[len(order) :], gaps)),
        Figure(None, n_articles, why) if why else _tau(taus(full, drawn), n_articles, seed),
        enough,
        curve,
    )


def _tied(full: Floats) -> bool:
    return bool((full == full[0]).all())


def _columns(rows: Floats) -> Floats:
    """Return the summands of the means of ``rows``: values, and 1 where there is one (articles × twice the rows)."""
    import numpy as np

    present = np.isfinite(rows)
    return np.concatenate([snapped(fine(np.where(present, rows, 0)), 1), present]).T.copy()


def _means(sums: Floats) -> Floats:
    half = sums.shape[1] // 2
    return comparable(share(sums[:, :half], sums[:, half:]) / FINE)


def _places(names: Sequence[str], full: Floats, means: Sequence[Estimate], drawn: Floats) -> Iterator[Place]:
    import numpy as np

    step = max(1, BLOCK // len(names) ** 2)
    above = [
        (block[:, None, :] > block[:, :, None]).sum(axis=2)
        for block in (drawn[i : i + step] for i in range(0, len(drawn), step))
    ]
    ranks = np.where(np.isfinite(drawn), 1 + np.concatenate(above), np.nan) if above else drawn
    for s, (name, estimate) in enumerate(zip(names, means, strict=True)):
        rank = 1 + int((full > full[s]).sum())
        if estimate.ends is None:
            yield Place(name, rank, estimate, None, estimate.why)
            continue
        (low,), (high,) = percentiles(ranks[None, :, s], tails=np.array([expanded_tail(estimate.n)]))
        yield Place(name, rank, estimate, (rounded_down(low), rounded_up(high)))


def _neighbours(names: Sequence[str], full: Floats, differences: Floats, gaps: Floats) -> Iterator[Neighbours]:
    """Compare neighbours by their ``differences`` (pairs × articles), of which ``gaps`` are the means in resamples."""
    import numpy as np

    common, never = np.isfinite(differences).sum(axis=1).tolist(), constant(differences)
    for i, (upper, lower) in enumerate(pairwise(names)):
        known = gaps[np.isfinite(gaps[:, i]), i]
        if full[i] == full[i + 1]:
            yield Neighbours(upper, lower, Figure(None, common[i], TIED), None)
        elif common[i] < 2:
            yield Neighbours(upper, lower, Figure(None, common[i], NONE_IN_COMMON), None)
        elif never[i]:
            yield Neighbours(upper, lower, Figure(None, common[i], NEVER_VARIES), None)
        else:
            holds = Figure(int((known > 0).sum()) / len(known), common[i])
            yield Neighbours(upper, lower, holds, int((known == 0).sum()) / len(known))


def taus(full: Floats, drawn: Floats) -> Floats:
    """Kendall's tau-b of each row of ``drawn`` (rows × systems) with ``full``; values are compared as they are.

    NaN where either has one rank only, and where a system is not in the row: what is left is not the same ranking.
    """
    import numpy as np

    i, j = np.triu_indices(len(full), 1)
    said = np.sign(full[i] - full[j])
    step = max(1, BLOCK // max(1, len(i)))
    found = [np.zeros(0)]
    for start in range(0, len(drawn), step):
        block = drawn[start : start + step]
        signs = np.sign(block[:, i] - block[:, j])
        found.append(share(signs @ said, np.sqrt((signs != 0).sum(axis=1) * (said != 0).sum())))
    return np.concatenate(found)


def _tau(drawn: Floats, n_articles: int, seed: int) -> Figure:
    import numpy as np

    known = drawn[np.isfinite(drawn)]
    if not len(known):
        return Figure(None, n_articles, "no resample ranks all systems")
    return Figure(mean(known), n_articles, interval=expanded(drawn, n_articles, seed))


def _curve(scores: Floats, full: Floats, draws: int, seed: int) -> tuple[tuple[Size, ...], Figure]:
    """The curve, and the least size that does: found on it, then between its neighbours on it."""
    import numpy as np

    articles = scores.shape[1]
    sizes = np.unique(np.linspace(1, articles - 1, min(SIZES, articles - 1)).round().astype(int)).tolist()
    curve = list(_sizes(scores, full, sizes, draws, seed))
    if articles < FEW:
        return tuple(curve), Figure(None, articles, FEW_ARTICLES)
    if (at := _least(curve)) == len(curve):
        return tuple(curve), Figure(None, articles, NOT_REACHED)
    between = range(curve[at - 1].n + 1 if at else 1, curve[at].n)
    finer = [*_sizes(scores, full, between, draws, seed), curve[at]]
    return tuple(curve), Figure(float(finer[_least(finer)].n), articles)


def _least(curve: Sequence[Size]) -> int:
    """The place from which on every size does; past the end where the last does not."""
    short = [i for i, size in enumerate(curve) if size.reached.value is None or size.reached.value < DRAWS]
    return short[-1] + 1 if short else 0


def _sizes(scores: Floats, full: Floats, sizes: Sequence[int], draws: int, seed: int) -> Iterator[Size]:
    """Draw growing sets of articles: a draw of more articles holds the one of fewer, whichever sizes are asked for."""
    import numpy as np

    columns = _columns(scores)
    order = np.argsort(np.random.default_rng(seed).random((draws, len(columns))), axis=1)
    sums = np.zeros((draws, columns.shape[1]))
    for before, n in pairwise((0, *sizes)):
        for article in range(before, n):
            sums += columns[order[:, article]]
        drawn = taus(full, _means(sums))
        reached = ratio(float((drawn >= TAU - NOISE).sum()), draws, "")
        (low,), (high,) = percentiles(drawn[None])
        known = int(np.isfinite(drawn).sum())
        tau = Figure(None, n, "no draw ranks all systems")
        if known:
            interval = Interval(
                low=float(low),
                high=float(high),
                method=SUBSETS,
                why="",
                clusters=n,
                resamples=known,
                dropped=draws - known,
                seed=seed,
            )
            tau = Figure(mean(drawn[np.isfinite(drawn)]), n, interval=interval)
        yield Size(n, tau, Figure(reached.value, draws, interval=wilson(reached.value, draws, OF_DRAWS)))
