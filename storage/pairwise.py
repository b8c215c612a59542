"""Pairwise consistency as it is asked for: of all scores and of each group, of two metrics, of two systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, get_args

from judges.agreement.comparing import MetricDifference, difference
from judges.agreement.documents import Part
from judges.agreement.pairs import Rule
from judges.agreement.pairwise import LEVELS, PairwiseReport, pairwise, pairwise_by
from judges.agreement.planning import Plan, plan_metrics
from judges.agreement.scores import ScoreRow, sheets
from judges.agreement.systems import SystemDifference, compare_systems
from judges.model import DIMENSIONS
from judges.resampling import RESAMPLES, SEED
from storage.errors import StorageError
from storage.scores import ScoreTable

Cut = Literal["dimension", "system", "domain", "reviewer"]
CUTS: tuple[Cut, ...] = get_args(Cut)
"""What pairwise figures can be grouped by, besides the direction, which they always are."""


MOST_RATERS = 6
"""Raters up to which each is held against the others."""


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """One rater, as if a metric, and the metrics against the mean of the other raters: what a metric can reach at best.

    All over the translations that she and another rated, without SPA. ``name`` is what her ratings are called in the
    ``report``.
    """

    rater: str
    name: str
    others: tuple[str, ...]
    report: PairwiseReport


@dataclass(frozen=True, slots=True)
class Pairwise:
    """What was computed, and from what. ``ties``: the rule that headlines; all rules are in the report.

    ``between``: each rater against the others, the metrics beside her.
    """

    table: ScoreTable
    report: PairwiseReport
    ties: Rule = "acc_eq"
    between: tuple[AgainstOthers, ...] = ()
    cut: Cut | None = None
    groups: Mapping[str, PairwiseReport] = field(default_factory=dict)
    metrics: tuple[tuple[MetricDifference, Plan], ...] = ()
    systems: tuple[SystemDifference, ...] = ()


def compute_pairwise(
    read: Callable[[Part], ScoreTable],
    *,
    ties: Rule = "acc_eq",
    cut: Cut | None = None,
    compare: tuple[str, str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Pairwise:
    """Hold the metrics of ``read("total")`` against its humans; read the dimensions only where they are the ``cut``.

    ``compare``: two metrics or two systems, by name; a part of the name will do if no other has it. Raises
    StorageError where they are neither.
    """
    table = read("total")
    groups = {} if cut is None else pairwise_groups(cut, read, table, resamples, seed)
    metrics: tuple[tuple[MetricDifference, Plan], ...] = ()
    systems: tuple[SystemDifference, ...] = ()
    if compare is not None:
        names = tuple(sorted({row.metric for row in table.rows if not row.human}))
        others = tuple(sorted({row.system for row in table.rows}))
        if pair := _both(compare, names):
            metrics = _compare_metrics(table, pair, ties, resamples, seed)
        elif pair := _both(compare, others):
            systems = tuple(compare_systems(table.rows, *pair, resamples, seed))
        else:
            raise StorageError(
                f"--compare takes two metrics or two systems; metrics here: {', '.join(names) or 'none'}; "
                f"systems: {', '.join(others) or 'none'}"
            )
    report, between = pairwise(table.rows, resamples, seed), _between(table, resamples, seed)
    return Pairwise(table, report, ties, between, cut, groups, metrics, systems)


def pairwise_groups(
    cut: Cut, read: Callable[[Part], ScoreTable], table: ScoreTable, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, PairwiseReport]:
    """Return the report of each group of a table, which is ``read("total")``."""
    match cut:
        case "dimension":
            return {each: pairwise(read(each).rows, resamples, seed) for each in DIMENSIONS}
        case "reviewer":
            return {each: pairwise(table.only_rater(each).rows, resamples, seed) for each in table.raters}
    return pairwise_by(cut, table.rows, resamples, seed)


MOST_COMPARED = 4
"""Metrics, or systems, up to which every two are compared unasked."""


def compare_each(found: Pairwise) -> Iterator[Pairwise]:
    """Every two metrics compared, then every two systems, where they are few; each as `compute_pairwise` would."""
    rows, report = found.table.rows, found.report
    metrics = list(dict.fromkeys(metric for metric, _, _ in report.cells))
    systems = sorted({row.system for row in rows})
    for pair in combinations(metrics if len(metrics) <= MOST_COMPARED else [], 2):
        yield replace(found, metrics=_compare_metrics(found.table, pair, found.ties, report.resamples, report.seed))
    for pair in combinations(systems if len(systems) <= MOST_COMPARED else [], 2):
        yield replace(found, systems=tuple(compare_systems(rows, *pair, report.resamples, report.seed)))


def _between(table: ScoreTable, resamples: int, seed: int) -> tuple[AgainstOthers, ...]:
    """Each rater against the others, as far as they rated the same; of nobody where there are too many."""
    raters = table.raters
    if not 1 < len(raters) <= MOST_RATERS:
        return ()
    found = []
    for rater in raters:
        hers = [row for row in table.rows if row.human and row.metric == rater]
        rated = {(row.direction, row.article, row.system) for row in hers}
        rows = [row for row in table.rows if (row.direction, row.article, row.system) in rated]
        others = [row for row in rows if row.human and row.metric != rater]
        by_others = {(row.direction, row.article, row.system) for row in others}
        beside = [row for row in rows if not row.human and (row.direction, row.article, row.system) in by_others]
        if others:
            name = f"{rater} ~ {others[0].metric if len({row.metric for row in others}) == 1 else 'others'}"
            as_metric = [ScoreRow(name, r.system, r.article, r.direction, r.score, False, r.domain) for r in hers]
            report = pairwise([*others, *as_metric, *beside], resamples, seed, soft=False)
            found.append(AgainstOthers(rater, name, report.raters, report))
    return tuple(found)


def _both(given: tuple[str, str], names: tuple[str, ...]) -> tuple[str, str] | None:
    """The names that are meant; None where one is none of them, or more than one, or both are the same."""
    first, second = (_meant(each.casefold(), names) for each in given)
    return (first, second) if first and second and first != second else None


def _meant(given: str, names: tuple[str, ...]) -> str | None:
    for fits in (given.__eq__, lambda name: given in name):
        found = [name for name in names if fits(name.casefold())]
        if len(found) == 1:
            return found[0]
    return None


def _compare_metrics(
    table: ScoreTable, pair: tuple[str, str], ties: Rule, resamples: int, seed: int
) -> tuple[tuple[MetricDifference, Plan], ...]:
    found = [
        difference(sheet, *pair, ties, level, resamples, seed)
        for level in LEVELS
        for sheet in sheets(table.rows).values()
        if set(pair) <= sheet.metrics.keys()
    ]
    return tuple((each, plan_metrics(each)) for each in found)
