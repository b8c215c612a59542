"""Intervals of paired scores: differences and correlations of a judge's and a human's in resamples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from judges.stats.arrays import share
from judges.stats.correlation import members, moments, pearsons_of_sums, ranks
from judges.stats.figure import Interval
from judges.stats.intervals import BOOTSTRAP, Bootstrap
from judges.stats.numerics import MICRO, comparable, snapped, total, total_by, weighted
from judges.stats.resampling import BLOCK, resampled_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from judges.stats.arrays import Floats, Integers

    Whole = NDArray[np.floating[Any]]
    Order: TypeAlias = tuple[Integers, Whole, Whole, Whole]

MANY = 1_500
"""Documents beyond which the interval of tau-b is of no more than `FEWER` resamples, as it takes pairs of articles."""
FEWER = 500
MOST_FOR_TAU_B = 3_000
"""Articles, or different pairs of scores, beyond which no interval of tau-b is computed."""
TOO_MANY = f"too many for this interval: more than {MOST_FOR_TAU_B:,} articles, or different pairs of scores"

FEW_VALUES = 8
"""Least ratio of the different pairs of scores, squared, to the cells of a grid of values, to count in the grid."""
SUMS = 13
"""The parts of the figures but tau-b: see `_sums`."""


def paired_intervals(
    judge: Floats, human: Floats, articles: Integers, bootstrap: Bootstrap, groups: Integers | None = None
) -> tuple[Interval, ...]:
    """The intervals of mean difference, mean |difference|, Pearson's r, Spearman's rho and tau-b, over articles.

    ``articles`` numbers the article of each pair, from 0 and without gaps. With ``groups``, numbered likewise, each is
    the mean of what it is within the groups; they share the articles that are drawn. All but tau-b are made of sums by
    article; rho is r of the ranks that scores have in their group, held as found, not ranked anew in each resample. A
    group in which a side is constant has no correlation and does not count, nor does a resample without any other.
    """
    import numpy as np

    judge, human = comparable(judge), comparable(human)
    n_articles = int(articles.max(initial=-1)) + 1
    if n_articles < 2:
        return (bootstrap.interval(np.zeros(0), n_articles),) * 5
    by_group = members(np.zeros_like(articles) if groups is None else groups)
    sums = np.concatenate([_sums(judge[of], human[of], articles[of], n_articles) for of in by_group], axis=1)
    sums = snapped(sums, 0)
    draws = []
    step = max(1, BLOCK // sums.shape[1])
    for weights in resampled_weights(n_articles, bootstrap.resamples, bootstrap.seed):
        for start in range(0, len(weights), step):
            drawn = weighted(weights[start : start + step], sums).reshape(-1, len(by_group), SUMS)
            n = drawn[..., 0]
            draws.append(
                [
                    _mean(share(drawn[..., 1], n)) / MICRO,
                    _mean(share(drawn[..., 2], n)) / MICRO,
                    _mean(pearsons_of_sums(n, drawn[..., 3:8])),
                    _mean(pearsons_of_sums(n, drawn[..., 8:13])),
                ]
            )
    drawn = np.concatenate(draws, axis=1)
    intervals = [bootstrap.interval(each, n_articles, paired=i == 0) for i, each in enumerate(drawn)]
    return (
        *intervals,
        _tau_b([_order(judge[of], human[of], articles[of], n_articles) for of in by_group], n_articles, bootstrap),
    )


def _mean(figures: Floats) -> Floats:
    """Return the mean of each resample (resamples × groups) over the groups in which there is a figure."""
    import numpy as np

    defined = ~np.isnan(figures)
    return share(total(np.where(defined, figures, 0), 1), defined.sum(axis=1))


def _sums(judge: Floats, human: Floats, articles: Integers, n_articles: int) -> Floats:
    """Return sums by article (articles × 13): number, differences, their sizes, five moments of scores and of ranks."""
    import numpy as np

    difference = judge - human
    columns = [
        np.ones(len(judge)),
        difference,
        abs(difference),
        *moments(judge, human),
        *moments(ranks(judge), ranks(human)),
    ]
    return np.array([total_by(articles, column, n_articles) for column in columns]).T


def _tau_b(orders: list[Order | None], n_articles: int, bootstrap: Bootstrap) -> Interval:
    """The interval of tau-b: an article that is drawn twice brings its pairs with every other one twice.

    So with w the weights and S the surplus of concordant pairs by two articles, the surplus of a resample is w'Sw. Its
    untied pairs are all less those within a value. Pairs are ordered here, each counted both ways round.
    """
    import numpy as np

    found = [order for order in orders if order is not None]
    if len(found) < len(orders):
        return Interval(None, None, BOOTSTRAP, TOO_MANY, n_articles)
    if sum(x_counts.sum() for _, _, x_counts, _ in found) > MANY:
        bootstrap = replace(bootstrap, resamples=min(FEWER, bootstrap.resamples))
    taus = []
    for weights in resampled_weights(n_articles, bootstrap.resamples, bootstrap.seed):
        in_groups = []
        for own, surplus, x_counts, y_counts in found:
            drawn = weights[:, own].astype(surplus.dtype)
            x, y = ((drawn @ counts).astype(float) for counts in (x_counts, y_counts))
            all_pairs = x.sum(axis=1) ** 2
            untied = [all_pairs - np.einsum("ij,ij->i", side, side) for side in (x, y)]
            ordered = np.einsum("ij,ij->i", (drawn @ surplus).astype(float), weights[:, own])
            in_groups.append(share(ordered, np.sqrt(untied[0] * untied[1])))
        taus.append(_mean(np.array(in_groups).T))
    return bootstrap.interval(np.concatenate(taus), n_articles)


def _order(judge: Floats, human: Floats, articles: Integers, n_articles: int) -> Order | None:
    """Return the articles, the surplus by two of them, and the counts of each side's values in each.

    None where it would take too long. What is alike in both scores is counted once. All is whole, and in single
    precision where that holds what it adds up to.
    """
    import numpy as np

    own, article = np.unique(articles, return_inverse=True)
    (xs, x), (ys, y) = (np.unique(side, return_inverse=True) for side in (judge, human))
    cells, cell = np.unique(x * len(ys) + y, return_inverse=True)
    if max(len(own), len(cells)) > MOST_FOR_TAU_B:
        return None
    most = int(np.bincount(article).max(initial=0))
    kind: type[np.floating[Any]] = np.float32 if most * most * n_articles < 2**24 else np.float64

    def counted(code: Integers, n: int) -> Whole:
        return np.bincount(article * n + code, minlength=len(own) * n).reshape(len(own), n).astype(kind)

    x_of, y_of = np.divmod(cells, len(ys))
    in_cell = counted(cell, len(cells))
    if len(x) ** 2 <= min(BLOCK, len(own) * min(len(cells) ** 2, FEW_VALUES * len(xs) * len(ys))):
        return own, _surplus_by_pairs(x, y, article, kind), counted(x, len(xs)), counted(y, len(ys))
    surplus = np.zeros((len(own), len(own)), dtype=kind)
    if len(cells) ** 2 > FEW_VALUES * len(xs) * len(ys):
        step = max(1, BLOCK // (len(xs) * len(ys)))
        for start in range(0, len(own), step):
            some = slice(start, start + step)
            grid = np.zeros((len(in_cell[some]), len(xs) + 1, len(ys) + 1), dtype=kind)
            grid[:, x_of + 1, y_of + 1] = in_cell[some]
            surplus[:, some] = in_cell @ _surplus_at(x_of, y_of, grid.cumsum(axis=1).cumsum(axis=2)).T
        return own, surplus, counted(x, len(xs)), counted(y, len(ys))
    x_of, y_of = x_of.astype(np.int16), y_of.astype(np.int16)
    step = max(1, BLOCK // 2 // len(cells))
    for start in range(0, len(cells), step):
        some = slice(start, start + step)
        signs = np.sign(np.subtract.outer(x_of[some], x_of)) * np.sign(np.subtract.outer(y_of[some], y_of))
        surplus += in_cell[:, some] @ (signs.astype(kind) @ in_cell.T)
    return own, surplus, counted(x, len(xs)), counted(y, len(ys))


def _surplus_by_pairs(x: Integers, y: Integers, article: Integers, kind: type[np.floating[Any]]) -> Whole:
    """Return the surplus of concordant pairs by two articles, each of which has some of the scores."""
    import numpy as np

    order = np.argsort(article, kind="stable")
    a, b = (side[order].astype(np.int16) for side in (x, y))
    starts = np.concatenate([[0], np.cumsum(np.bincount(article))[:-1]])
    signs = np.sign(np.subtract.outer(a, a)) * np.sign(np.subtract.outer(b, b))
    by_row = np.add.reduceat(signs, starts, axis=0, dtype=kind)
    surplus: Whole = np.add.reduceat(by_row, starts, axis=1)
    return surplus


def _surplus_at(x: Integers, y: Integers, below: Whole) -> Whole:
    """Return by article and cell how many of the article's pairs of scores are concordant with the cell's, less others.

    ``below``: articles × (values of x + 1) × (values of y + 1), how many of an article's have fewer of both.
    """
    fewer_x, fewer_y = below[:, x, -1], below[:, -1, y]
    more_x = below[:, -1:, -1] - below[:, x + 1, -1]
    both_fewer = below[:, x, y]
    both_more = more_x - below[:, -1, y + 1] + below[:, x + 1, y + 1]
    fewer_and_more = fewer_x - below[:, x, y + 1], fewer_y - below[:, x + 1, y]
    return both_fewer + both_more - fewer_and_more[0] - fewer_and_more[1]
