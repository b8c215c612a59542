"""Document scores of a judge beside the humans', by dimension, in all and within articles and systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from judges.consistency.records import ReviewedDocument, article_codes
from judges.model import Score
from judges.stats.correlation import Grouped, Statistic, coded, kendall_tau_b, pearson, spearman, within_groups
from judges.stats.figure import Figure, Interval
from judges.stats.intervals import Bootstrap
from judges.stats.numerics import mean, points
from judges.stats.paired import paired_intervals
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from judges.stats.arrays import Floats, Integers

Part = Literal["total", "accuracy", "fluency", "appropriateness"]
PARTS: tuple[Part, ...] = get_args(Part)

Scope = Literal["all", "articles", "systems"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""All documents together, or the mean over what is computed within each article (system)."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Judge's scores against the human's. Differences are judge - human in points: above 0 the judge is milder."""

    mean_difference: Figure
    mean_absolute_difference: Figure
    pearson: Figure
    spearman: Figure
    kendall_tau_b: Figure


_FIGURES = tuple(field.name for field in fields(Comparison))
NOT_JUDGED = "reviews of judges that were not asked about it"


def compare(
    documents: Sequence[ReviewedDocument],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    parts: Sequence[Part] = PARTS,
    left_out: Mapping[str, int] = MappingProxyType({}),
) -> dict[Part, dict[Scope, Comparison]]:
    """Return the figures of the total (0-100) and of each dimension (0-60, 0-20, 0-20), in all and within groups.

    Within groups a figure is the unweighted mean over the articles or systems in which it is defined. A document
    counts once for each reviewer, and in the dimensions that its judge was asked about. Intervals by bootstrap over
    articles, which the systems share. ``left_out``: what else is not in them: reason → how many.
    """
    bootstrap = Bootstrap(resamples, seed)
    found: dict[Part, dict[Scope, Comparison]] = {}
    for part in parts:
        of_part = [document for document in documents if part == "total" or part in document.dimensions]
        reasons = {**left_out, NOT_JUDGED: len(documents) - len(of_part)}
        found[part] = {
            scope: Comparison(*(getattr(comparison, name).without(reasons) for name in _FIGURES))
            for scope, comparison in _by_scope(of_part, attrgetter(part), bootstrap).items()
        }
    return found


def _by_scope(
    documents: Sequence[ReviewedDocument], of_part: Callable[[Score], float], bootstrap: Bootstrap
) -> dict[Scope, Comparison]:
    import numpy as np

    x, y = (points(np.array([of_part(side) for side in map(attrgetter(of), documents)])) for of in _SIDES)
    numbers = article_codes(documents)
    articles = np.array([numbers[d.direction, d.article] for d in documents], dtype=np.int64)
    groups: dict[Scope, Integers] = {
        "all": np.zeros_like(articles),
        "articles": articles,
        "systems": coded([d.system for d in documents]),
    }
    found = {scope: [within_groups(statistic, x, y, groups[scope]) for statistic, _ in _STATISTICS] for scope in SCOPES}
    intervals: dict[Scope, Sequence[Interval | None]] = {
        "all": paired_intervals(x, y, articles, bootstrap),
        "articles": _over_articles(found["articles"], bootstrap),
        "systems": paired_intervals(x, y, articles, bootstrap, groups["systems"]),
    }
    return {
        scope: Comparison(
            *(
                _figure(mean=mean, scope=scope, fewest=fewest, x=x, y=y, interval=interval)
                for mean, (_, fewest), interval in zip(found[scope], _STATISTICS, intervals[scope], strict=True)
            )
        )
        for scope in SCOPES
    }


def _over_articles(means: Sequence[Grouped], bootstrap: Bootstrap) -> list[Interval | None]:
    """The intervals of means over articles: of each, those in which the statistic is defined are drawn."""
    parts = [
        ([value or 0.0 for value in mean.values], [int(value is not None) for value in mean.values], None)
        for mean in means
    ]
    return [figure.interval for figure in bootstrap.shares(parts, [""] * len(parts))]


def _figure(mean: Grouped, scope: Scope, fewest: int, x: Floats, y: Floats, interval: Interval | None) -> Figure:
    used = None if scope == "all" else (mean.groups_used, mean.groups_total)
    if mean.value is not None:
        return Figure(mean.value, mean.n, groups=used, interval=interval)
    if not len(x):
        why = "no document has been reviewed"
    elif scope != "all":
        why = f"none of the {scope} has two documents whose scores differ for judge and reviewer"
    elif len(x) < fewest:
        why = "one document only"
    else:
        why = f"all scores of the {'judge' if x.min() == x.max() else 'reviewers'} are equal"
    return Figure(None, len(x), why, used)


def _mean_difference(judge: Floats, human: Floats) -> float | None:
    return float(mean(judge - human))


def _mean_absolute_difference(judge: Floats, human: Floats) -> float | None:
    return float(mean(abs(judge - human)))


_SIDES = ("judge", "human")
_STATISTICS: tuple[tuple[Statistic, int], ...] = (
    (_mean_difference, 1),
    (_mean_absolute_difference, 1),
    (pearson, 2),
    (spearman, 2),
    (kendall_tau_b, 2),
)
"""The statistics in the order of `Comparison`, each with the fewest documents that it is defined for."""
