"""How sure figures of paired scores are: differences and correlations of a judge's and a human's in resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judges.agreement.correlation import DECIMALS, ranks
from judges.agreement.figure import Interval
from judges.agreement.findings import Bootstrap
from judges.agreement.intervals import BOOTSTRAP, share
from judges.resampling import NOISE, resampled_weights

if TYPE_CHECKING:
    from judges.agreement.correlation import Floats, Integers

MOST = 1_500
"""Documents beyond which no interval of tau-b is computed, as it takes every pair of them."""
TOO_MANY = f"too many documents for this interval: more than {MOST:,}"


def paired_intervals(judge: Floats, human: Floats, articles: Integers, bootstrap: Bootstrap) -> tuple[Interval, ...]:
    """The intervals of mean difference, mean |difference|, Pearson's r, Spearman's rho and tau-b, over articles.

    ``articles`` numbers the article of each pair, from 0 and without gaps. All but tau-b are made of sums by article;
    rho is r of the ranks that the scores have among all documents, held as found, not ranked anew in each resample.
    A resample in which a side is constant has no correlation and does not count.
    """
    import numpy as np

    judge, human = judge.round(DECIMALS), human.round(DECIMALS)
    n_articles = int(articles.max(initial=-1)) + 1
    difference = judge - human
    columns = [
        np.ones(len(judge)),
        difference,
        abs(difference),
        *_moments(judge, human),
        *_moments(ranks(judge), ranks(human)),
    ]
    sums = np.array([np.bincount(articles, weights=column, minlength=n_articles) for column in columns]).T
    draws = bootstrap.draws(np.ascontiguousarray(sums))
    n = draws[:, 0]
    figures = [share(draws[:, 1], n), share(draws[:, 2], n), _correlations(n, draws[:, 3:8])]
    figures.append(_correlations(n, draws[:, 8:13]))
    intervals = [bootstrap.interval(each, n_articles) for each in figures]
    return (*intervals, _tau_b(judge, human, articles, n_articles, bootstrap))


def _moments(x: Floats, y: Floats) -> list[Floats]:
    """What sums to r; centred, lest the squares swallow what differs."""
    if len(x):
        x, y = x - x.mean(), y - y.mean()
    return [x, y, x * x, y * y, x * y]


def _correlations(n: Floats, sums: Floats) -> Floats:
    """Pearson's r of each resample from its sums of x, y, xx, yy and xy; NaN where a side is constant."""
    import numpy as np

    x, y, xx, yy, xy = sums.T
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    varied = (spread_x > NOISE * n * xx) & (spread_y > NOISE * n * yy)
    r = np.full(len(n), np.nan)
    np.divide(n * xy - x * y, np.sqrt(np.where(varied, spread_x * spread_y, 1)), out=r, where=varied)
    np.clip(r, -1, 1, out=r)
    return r


def _tau_b(judge: Floats, human: Floats, articles: Integers, n_articles: int, bootstrap: Bootstrap) -> Interval:
    """The interval of tau-b: an article that is drawn twice brings its pairs with every other one twice.

    So with w the weights and S the surplus of concordant pairs by two articles, the surplus of a resample is w'Sw. Its
    untied pairs are all less those within a value. Pairs are ordered here, each counted both ways round.
    """
    import numpy as np

    if len(judge) > MOST:
        return Interval(None, None, BOOTSTRAP, TOO_MANY, n_articles)
    if n_articles < 2:
        return bootstrap.interval(np.zeros(0), n_articles)
    order = np.argsort(articles, kind="stable")
    first = np.searchsorted(articles[order], np.arange(n_articles))
    (x, x_counts), (y, y_counts) = (_values(side[order], articles[order], n_articles) for side in (judge, human))
    signs = np.sign(np.subtract.outer(x, x)) * np.sign(np.subtract.outer(y, y))
    surplus = np.add.reduceat(np.add.reduceat(signs, first, axis=0, dtype=float), first, axis=1)
    taus = []
    for weights in resampled_weights(n_articles, bootstrap.resamples, bootstrap.seed):
        untied = [
            (weights @ counts.sum(axis=1)) ** 2 - ((weights @ counts) ** 2).sum(axis=1)
            for counts in (x_counts, y_counts)
        ]
        taus.append(share(((weights @ surplus) * weights).sum(axis=1), np.sqrt(untied[0] * untied[1])))
    return bootstrap.interval(np.concatenate(taus), n_articles)


def _values(side: Floats, articles: Integers, n_articles: int) -> tuple[Integers, Floats]:
    """The place of each score among the distinct ones, and how often each of these is in each article."""
    import numpy as np

    distinct, code = np.unique(side, return_inverse=True)
    n = len(distinct)
    counts = np.bincount(articles * n + code, minlength=n_articles * n).reshape(n_articles, n)
    return code.astype(np.int16), counts.astype(float)
