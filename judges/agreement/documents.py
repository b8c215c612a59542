"""How close a judge's scores of documents are to the humans', by dimension, in all and within articles and systems."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, get_args

from judges.agreement.correlation import Statistic, coded, kendall_tau_b, pearson, spearman, within_groups
from judges.agreement.figure import Figure
from judges.agreement.records import ReviewedDocument
from judges.model import Score

if TYPE_CHECKING:
    from judges.agreement.correlation import Floats, Integers

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


def compare(documents: Sequence[ReviewedDocument]) -> dict[Part, dict[Scope, Comparison]]:
    """Every figure of the total (0-100) and of each dimension (0-60, 0-20, 0-20), in all and within groups.

    Within groups a figure is the unweighted mean over the articles or systems in which it is defined. A document
    counts once for each reviewer, and in the dimensions that its judge was asked about.
    """
    return {
        part: _by_scope([d for d in documents if part == "total" or part in d.dimensions], attrgetter(part))
        for part in PARTS
    }


def _by_scope(documents: Sequence[ReviewedDocument], points: Callable[[Score], float]) -> dict[Scope, Comparison]:
    groups: Mapping[Scope, Sequence[Hashable]] = {
        "all": [()] * len(documents),
        "articles": [(d.direction, d.article) for d in documents],
        "systems": [d.system for d in documents],
    }
    judge, human = [points(d.judge) for d in documents], [points(d.human) for d in documents]
    return {scope: _comparison(judge, human, coded(groups[scope]), scope) for scope in SCOPES}


def _comparison(judge: list[float], human: list[float], groups: Integers, scope: Scope) -> Comparison:
    import numpy as np

    x, y = np.array(judge, dtype=float), np.array(human, dtype=float)

    def figure(statistic: Statistic, fewest: int) -> Figure:
        mean = within_groups(statistic, x, y, groups)
        used = None if scope == "all" else (mean.groups_used, mean.groups_total)
        if mean.value is not None:
            return Figure(mean.value, mean.n, groups=used)
        if not len(x):
            why = "no document has been reviewed"
        elif scope != "all":
            why = f"none of the {scope} has two documents whose scores differ for judge and reviewer"
        elif len(x) < fewest:
            why = "one document only"
        else:
            why = f"all scores of the {'judge' if x.min() == x.max() else 'reviewers'} are equal"
        return Figure(None, len(x), why, used)

    return Comparison(
        figure(_mean_difference, 1),
        figure(_mean_absolute_difference, 1),
        figure(pearson, 2),
        figure(spearman, 2),
        figure(kendall_tau_b, 2),
    )


def _mean_difference(judge: Floats, human: Floats) -> float | None:
    return float((judge - human).mean())


def _mean_absolute_difference(judge: Floats, human: Floats) -> float | None:
    return float(abs(judge - human).mean())
