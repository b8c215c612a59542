"""Item discrimination: the correlation of an article or a rubric point with the systems' results on the others.

What is tested is left out of what it is tested against: an article, and each of its points, against the other articles.
There systems are compared by their mean distance from the mean of each article, so that a system that misses a hard
article is not taken for a better one; where nothing is missing, that orders them as their means do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations as every_order
from typing import TYPE_CHECKING, Literal, get_args

from judges.stats.arrays import share
from judges.stats.correlation import pearsons
from judges.stats.figure import Figure, Interval, ratio
from judges.stats.intervals import Z95, wilson
from judges.stats.numerics import NOISE, exp, mean, points, product, total, variance

if TYPE_CHECKING:
    from judges.stats.arrays import Booleans, Floats, Integers

Verdict = Literal["tells_apart", "against", "not_shown", "saturated", "failed_by_all", "alike", "undefined"]
"""``tells_apart``: systems that are better elsewhere are better here, p at most ``ALPHA``. ``against``: likewise, but
worse here. ``saturated``: all systems at full marks, or none fails the point. ``failed_by_all``: all at 0, or all fail
the point. ``alike``: all have one score between. ``undefined``: too few systems, or nothing to compare with."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

ALPHA = 0.05
FISHER = "Fisher's z, if systems were drawn independently"
NORMAL = "χ², if systems' scores were normal and independent"
INDEPENDENT = "Wilson, if systems were independent"

TOO_FEW = "fewer than three systems: a correlation of two is always 1 or -1"
NO_OTHER = "no other article to compare with"
NO_DIFFERENCE = "the systems do not differ on the other articles"
NO_SPREAD = "fewer than two systems"
NO_REFERENCE = "no other article on which systems' scores differ"
WHY_SAME: dict[Verdict, str] = {
    "saturated": "nothing is lost by any system",
    "failed_by_all": "everything is lost by all systems",
    "alike": "all systems have the same",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """Relation of an article or a point to the rest: Pearson's r over systems; above 0, better ones do better.

    ``p``: two-sided, of permuting the systems; ``exact``: of all orders. Of a point, r is the point-biserial one.
    """

    r: Figure
    p: float | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleTest:
    """One article, over the ``n`` systems that have a score on it. ``lowest``, ``mean``, ``highest``: in points.

    ``spread``: the standard deviation between systems, in points, with an interval from five on. ``spread_p``: the
    share of the articles (of the other ones on which systems differ, and this one) whose scores scatter as widely
    around what the systems' scores elsewhere let expect: how rarely chance makes such a spread. None where undefined.
    """

    article: str
    n: int
    lowest: float
    mean: float
    highest: float
    spread: Figure
    spread_p: float | None
    relation: Relation
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class PointTest:
    """One rubric point of an article. ``failed``: the share of systems that fail it, with Wilson's interval.

    ``unknown``: systems of which no verdict on it is known.
    """

    article: str
    number: int
    failed: Figure
    unknown: int
    relation: Relation
    verdict: Verdict


def article_tests(
    scores: Floats,
    articles: Sequence[str],
    rubrics: Sequence[tuple[Sequence[int], Floats]],
    maximum: float,
    permutations: int,
    seed: int,
) -> tuple[tuple[ArticleTest, ...], tuple[PointTest, ...]]:
    """Test every article and every point. ``scores``: systems × articles, NaN where missing.

    ``rubrics``: of each article the numbers of its points, and how far each system fails each, in [0, 1] (systems ×
    points). Points of which nothing is known of any article give no tests.
    """
    import numpy as np

    scores = points(scores)
    rest, chance = _elsewhere(scores)
    spread_ps = _spread_ps(scores, chance)
    orders = _Orders(permutations, seed)
    any_known = any(np.isfinite(failed).any() for _, failed in rubrics)
    tests, of_points = [], []
    for j, (article, (numbers, failed)) in enumerate(zip(articles, rubrics, strict=True)):
        own = scores[:, j]
        known = own[np.isfinite(own)]
        items = np.concatenate([own[:, None] / maximum, 1 - failed], axis=1)
        verdicts = [_same(items[:, i]) for i in range(items.shape[1])]
        relations = _relations(items, rest[:, j], verdicts, orders)
        tests.append(
            ArticleTest(
                article=article,
                n=len(known),
                lowest=float(known.min()),
                mean=mean(known),
                highest=float(known.max()),
                spread=_spread(known),
                spread_p=spread_ps[j],
                relation=relations[0],
                verdict=_verdict(verdicts[0], relations[0]),
            )
        )
        if any_known:
            for number, column, same, relation in zip(numbers, failed.T, verdicts[1:], relations[1:], strict=True):
                of_points.append(_point(article, number, column, same, relation))
    return tuple(tests), tuple(of_points)


def _point(article: str, number: int, failed: Floats, same: Verdict | None, relation: Relation) -> PointTest:
    import numpy as np

    known = failed[np.isfinite(failed)]
    n = len(known)
    figure = ratio(total(known), n, "no system's verdict on it is known")
    if figure.value is not None:
        figure = Figure(figure.value, n, interval=wilson(figure.value, n, INDEPENDENT))
    return PointTest(
        article=article,
        number=number,
        failed=figure,
        unknown=len(failed) - n,
        relation=relation,
        verdict=_verdict(same, relation),
    )


def _spread(known: Floats) -> Figure:
    """The standard deviation of scores. Its interval: χ² quantiles as Wilson and Hilferty (1931) come near them."""
    n = len(known)
    if n < 2:
        return Figure(None, n, NO_SPREAD)
    value, free = math.sqrt(variance(known)), n - 1
    if n < 5:  # where the quantiles are more than 5 % off
        return Figure(value, n, interval=Interval(None, None, NORMAL, "fewer than five systems: no interval"))
    a = 2 / (9 * free)
    roots = [1 - a + z * math.sqrt(a) for z in (-Z95, Z95)]
    high, low = (value / (root * math.sqrt(root)) for root in roots)
    return Figure(value, n, interval=Interval(low, high, NORMAL))


def _verdict(same: Verdict | None, relation: Relation) -> Verdict:
    if same is not None:
        return same
    if relation.r.value is None or relation.p is None:
        return "undefined"
    if relation.p > ALPHA:
        return "not_shown"
    return "tells_apart" if relation.r.value > 0 else "against"


def _same(item: Floats) -> Verdict | None:
    """Return the reason why shares (NaN where not known) discriminate nothing: systems do not differ in them."""
    import numpy as np

    known = item[np.isfinite(item)]
    if len(known) < 2:
        return "undefined"
    if np.ptp(known) > NOISE:
        return None
    return "saturated" if known[0] > 1 - NOISE else "failed_by_all" if known[0] < NOISE else "alike"


def _elsewhere(scores: Floats) -> tuple[Floats, Floats]:
    """Return each system's mean on the other articles, by article (systems × articles, NaN where there is none).

    And how far its score on this article is from what that lets expect.
    """
    import numpy as np

    present = np.isfinite(scores)
    filled = np.where(present, scores, 0)
    from_mean = np.where(present, filled - total(filled, 0) / np.maximum(present.sum(axis=0), 1), 0)
    rest = share(total(from_mean, 1)[:, None] - from_mean, present.sum(axis=1, keepdims=True) - present.astype(int))
    both = present & np.isfinite(rest)
    expected = np.where(both, rest, 0)
    expected = expected - total(expected, 0) / np.maximum(both.sum(axis=0), 1)
    return rest, np.where(both, from_mean - expected, np.nan)


def _spread_ps(scores: Floats, chance: Floats) -> list[float | None]:
    """The p of each article's spread, from the scatter of ``chance`` in the others on which systems differ."""
    spreads, scatters = _deviations(scores), _deviations(chance)
    known = [None if s is None or not s > NOISE else by_chance for s, by_chance in zip(spreads, scatters, strict=True)]
    found: list[float | None] = []
    for j, spread in enumerate(spreads):
        others = [scatter for i, scatter in enumerate(known) if scatter is not None and i != j]
        as_wide = 0 if spread is None else sum(scatter >= spread - NOISE for scatter in others)
        found.append(None if spread is None or not others else (1 + as_wide) / (1 + len(others)))
    return found


def _deviations(values: Floats) -> list[float | None]:
    """The standard deviation of each column over what is known of it; None of fewer than two."""
    import numpy as np

    known = np.isfinite(values)
    n = known.sum(axis=0)
    from_mean = np.where(known, values - total(np.where(known, values, 0), 0) / np.maximum(n, 1), 0)
    deviations = np.sqrt(total(from_mean**2, 0) / np.maximum(n - 1, 1))
    return [each if of > 1 else None for each, of in zip(deviations.tolist(), n.tolist(), strict=True)]


class _Orders:
    """The orders in which systems are permuted, by how many they are: all there are, or random ones."""

    def __init__(self, permutations: int, seed: int) -> None:
        self._permutations, self._seed = permutations, seed
        self._of: dict[int, tuple[Integers, bool]] = {}

    def of(self, n: int) -> tuple[Integers, bool]:
        import numpy as np

        if n not in self._of:
            if math.factorial(n) <= self._permutations:
                self._of[n] = np.array(list(every_order(range(n)))), True
            else:
                keys = np.random.default_rng((self._seed, n)).random((self._permutations, n))
                self._of[n] = np.argsort(keys, axis=1), False
        return self._of[n]


def _relations(items: Floats, rest: Floats, same: Sequence[Verdict | None], orders: _Orders) -> list[Relation]:
    """The relation of each column of ``items`` (systems × items) to ``rest``, with ``same`` where it does not vary."""
    import numpy as np

    known = np.isfinite(items) & np.isfinite(rest)[:, None]
    rs = pearsons(items, np.broadcast_to(rest[:, None], items.shape)).tolist()
    found = [
        Relation(_correlation(r, int(known[:, i].sum()), _why(known[:, i], items, rest, same[i])))
        for i, r in enumerate(rs)
    ]
    defined = [i for i, relation in enumerate(found) if relation.r.value is not None]
    for mask in {known[:, i].tobytes(): known[:, i] for i in defined}.values():
        columns = [i for i in defined if (known[:, i] == mask).all()]
        ps, exact = _ps(items[mask][:, columns], rest[mask], orders)
        for i, p in zip(columns, ps, strict=True):
            found[i] = Relation(found[i].r, p, exact)
    return found


def _why(known: Booleans, items: Floats, rest: Floats, same: Verdict | None) -> str:
    """Return why there is no correlation, should there be none."""
    import numpy as np

    if not np.isfinite(rest).any():
        return NO_OTHER
    if known.sum() < 3:
        return TOO_FEW
    if same is not None:
        return WHY_SAME[same]
    return NO_DIFFERENCE if np.ptp(rest[known]) <= NOISE * max(1, abs(rest[known]).max()) else WHY_SAME["alike"]


def _correlation(r: float, n: int, why: str) -> Figure:
    if n < 3 or math.isnan(r):
        return Figure(None, n, why)
    if n < 4:
        return Figure(r, n, interval=Interval(None, None, FISHER, "fewer than four systems: no interval"))
    # tanh(atanh r ± h), without either
    above, below, wider = 1 + r, 1 - r, exp(2 * Z95 / math.sqrt(n - 3))
    low, high = above - below * wider, above * wider - below
    return Figure(r, n, interval=Interval(low / (above + below * wider), high / (above * wider + below), FISHER))


def _ps(items: Floats, rest: Floats, orders: _Orders) -> tuple[list[float], bool]:
    """The two-sided p of the covariance of each column with ``rest``: (b + 1) / (k + 1) of k random orders."""
    order, exact = orders.of(len(rest))
    items, rest = items - mean(items, 0), rest - mean(rest)
    seen, size = product(rest[None], items)[0], product(abs(rest)[None], abs(items))[0]
    beyond = (abs(product(rest[order], items)) >= abs(seen) - NOISE * size).sum(axis=0)
    ps = beyond / len(order) if exact else (beyond + 1) / (len(order) + 1)
    return ps.tolist(), exact
