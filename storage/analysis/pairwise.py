"""Pairwise consistency as it is asked for: of all scores and of each group, of two metrics, of two systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, get_args

from judges.consistency.documents import Part
from judges.meta_eval.metric_tests import MetricDifference, compare_metrics
from judges.meta_eval.pair_counts import Rule
from judges.meta_eval.pairwise import PairwiseReport, pairwise, pairwise_by
from judges.meta_eval.superiority_test import Claim
from judges.meta_eval.system_tests import SystemDifference, compare_systems
from judges.model import DIMENSIONS
from judges.stats.resampling import RESAMPLES, SEED
from storage.analysis.among_people import AmongPeople, among_people
from storage.analysis.metric_scores import ScoreTable

Cut = Literal["dimension", "system", "domain", "reviewer"]
CUTS: tuple[Cut, ...] = get_args(Cut)
"""Groups of pairwise figures, besides the direction, by which they always are."""


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Pairwise figures, and the table they are from. ``ties``: the rule that headlines; all rules are in the report.

    ``people``: raters among themselves, the metrics beside. ``claims``: whether the gate lets it be said
    that the second of two compared ``metrics`` is the more consistent; empty where that was not asked.
    """

    table: ScoreTable
    report: PairwiseReport
    ties: Rule = "acc_eq"
    people: AmongPeople = field(default_factory=AmongPeople)
    cut: Cut | None = None
    groups: Mapping[str, PairwiseReport] = field(default_factory=dict)
    metrics: tuple[MetricDifference, ...] = ()
    claims: tuple[Claim, ...] = ()
    systems: tuple[SystemDifference, ...] = ()


def compute_pairwise(
    table: ScoreTable, *, ties: Rule = "acc_eq", resamples: int = RESAMPLES, seed: int = SEED
) -> Pairwise:
    """Hold the metrics of a table against its humans, and these against one another."""
    return Pairwise(table, pairwise(table.rows, resamples, seed), ties, among_people(table, resamples, seed))


def grouped(found: Pairwise, cut: Cut, read: Callable[[Part], ScoreTable]) -> Pairwise:
    """Return the figures with those of each group; ``read`` gives the scores of a part, where dimensions are cut."""
    resamples, seed = found.report.resamples, found.report.seed
    groups: dict[str, PairwiseReport]
    match cut:
        case "dimension":
            groups = {each: pairwise(read(each).rows, resamples, seed) for each in DIMENSIONS}
        case "reviewer":
            raters = (*found.table.raters, *found.table.adjudicators)
            groups = {each: pairwise(found.table.only_rater(each).rows, resamples, seed) for each in raters}
        case _:
            groups = pairwise_by(cut, found.table.rows, resamples, seed)
    return replace(found, cut=cut, groups=groups)


def with_metrics(found: Pairwise, first: str, second: str) -> Pairwise:
    """Return the figures with what two metrics differ by, described by the rule for ties that headlines: no claim."""
    report = found.report
    compared = compare_metrics(
        rows=found.table.rows,
        first=first,
        second=second,
        measure=found.ties,
        resamples=report.resamples,
        seed=report.seed,
    )
    return replace(found, metrics=tuple(compared))


def with_systems(found: Pairwise, first: str, second: str) -> Pairwise:
    """Return the figures with two systems compared."""
    report = found.report
    return replace(
        found, systems=tuple(compare_systems(found.table.rows, first, second, report.resamples, report.seed))
    )


MOST_COMPARED = 4
"""Metrics, or systems, up to which every two are compared unasked."""


def compare_each(found: Pairwise) -> Iterator[Pairwise]:
    """Yield every two metrics described, without a claim, then every two systems compared, where they are few."""
    metrics = list(dict.fromkeys(metric for metric, _, _ in found.report.cells))
    systems = sorted({row.system for row in found.table.rows})
    for pair in combinations(metrics if len(metrics) <= MOST_COMPARED else [], 2):
        yield with_metrics(found, *pair)
    for pair in combinations(systems if len(systems) <= MOST_COMPARED else [], 2):
        yield with_systems(found, *pair)
