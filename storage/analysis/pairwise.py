"""Pairwise consistency as it is asked for: of all scores and of each group, of two metrics, of two systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, get_args

from judges.consistency.documents import Part
from judges.consistency.rater_effects import SeverityReport, rater_severity
from judges.meta_eval.metric_ranking import Correction, MetricRanking, rank_metrics
from judges.meta_eval.metric_tests import MetricDifference, compare_metrics
from judges.meta_eval.pair_counts import Rule, headlining
from judges.meta_eval.pairwise import PairwiseReport, explained, pairwise, pairwise_by
from judges.meta_eval.rated_segments import SegmentCell, segment_cells
from judges.meta_eval.score_table import ScoreRow
from judges.meta_eval.superiority_test import Claim
from judges.meta_eval.system_tests import SystemDifference, compare_systems
from judges.model import DIMENSIONS
from judges.stats.resampling import RESAMPLES, SEED
from storage.analysis.among_people import AmongPeople, among_people
from storage.analysis.metric_scores import ScoreTable

Cut = Literal["dimension", "system", "domain", "reviewer"]
CUTS: tuple[Cut, ...] = get_args(Cut)
"""Groups of pairwise figures, besides the direction, by which they always are."""


Segments = Mapping[tuple[str, str], SegmentCell]
"""Cells of segments by metric and direction."""


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Pairwise figures, and the table they are from. ``ties``: the rule that headlines; all rules are in the report.

    ``people``: raters among themselves, the metrics beside. ``by_rating``: metrics against ratings that stand apart, as
    they are on another scale, by what they are called. ``claims``: whether the gate lets it be said
    that the second of two compared ``metrics`` is the more consistent; empty where that was not asked. ``rankings``:
    all metrics in clusters of significance, where that was asked. ``segments``: metrics against people segment by
    segment, by what the ratings are called that stand apart ("" for the others), where people rated segments;
    ``segments_left_out``: of what judges say of them, by why. ``severity``: of raters, likewise and by direction, where
    that was asked.
    """

    table: ScoreTable
    report: PairwiseReport
    ties: Rule = "acc_eq"
    people: AmongPeople = field(default_factory=AmongPeople)
    by_rating: Mapping[str, PairwiseReport] = field(default_factory=dict)
    cut: Cut | None = None
    groups: Mapping[str, PairwiseReport] = field(default_factory=dict)
    metrics: tuple[MetricDifference, ...] = ()
    claims: tuple[Claim, ...] = ()
    systems: tuple[SystemDifference, ...] = ()
    rankings: tuple[MetricRanking, ...] = ()
    segments: Mapping[str, Segments] = field(default_factory=dict)
    segments_left_out: Mapping[str, int] = field(default_factory=dict)
    severity: Mapping[str, Mapping[str, SeverityReport]] = field(default_factory=dict)

    @property
    def rated(self) -> bool:
        """Return whether there are metrics, and ratings by people that they are held against."""
        return bool(self.report.cells and (self.report.raters or self.by_rating))


def compute_pairwise(
    table: ScoreTable, *, ties: Rule = "acc_eq", resamples: int = RESAMPLES, seed: int = SEED
) -> Pairwise:
    """Hold the metrics of a table against its humans, and these against one another."""
    report = pairwise(table.rows, resamples, seed)
    return Pairwise(
        table=table,
        report=explained(report, table.unchosen) if table.unchosen else report,
        ties=ties,
        people=among_people(table, resamples, seed),
        by_rating={each.label: pairwise(table.by(each).rows, resamples, seed) for each in table.apart},
    )


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


def with_rankings(found: Pairwise, correction: Correction) -> Pairwise:
    """Return the figures with all metrics ranked, by the rules that headline and by SPA: described, no claim."""
    ranked = rank_metrics(found.table.rows, found.report, headlining(found.ties), correction)
    return replace(found, rankings=tuple(ranked))


def with_severity(found: Pairwise) -> Pairwise:
    """Return the figures with the severity of each rater, of the human scores and of each rating that stands apart."""
    rated = {"": [row for row in found.table.rows if row.human]} | {each.label: each.rows for each in found.table.apart}
    resamples, seed = found.report.resamples, found.report.seed
    severity = {label: rater_severity(rows, resamples, seed) for label, rows in rated.items()}
    return replace(found, severity={label: of for label, of in severity.items() if of})


def with_segments(
    found: Pairwise, judged: Callable[[], tuple[Sequence[ScoreRow], Mapping[str, int]]] = lambda: ((), {})
) -> Pairwise:
    """Return the figures with those segment by segment, where people rated segments.

    ``judged``: reads what judges say of segments, and how much of it is left out by why; it is asked only then. It
    stands in place of their scores of whole translations. What a judge read in one piece counts where people rated no
    further segment of the article than the first.
    """
    table = found.table
    tables = {"": table.rows} | {each.label: table.by(each).rows for each in table.apart}
    rated = {label: rows for label, rows in tables.items() if any(row.human and row.segments for row in rows)}
    if not rated:
        return found
    by_judges, left_out = judged()
    cut = {
        (row.direction, row.article)
        for rows in rated.values()
        for row in rows
        if row.human and any(number > 1 for number, _ in row.segments)
    }
    by_judges = [
        row if row.segments or (row.direction, row.article) in cut else replace(row, segments=((1, row.score),))
        for row in by_judges
    ]
    of_judges = {name for name, metric in table.metrics.items() if metric.judge is not None}
    segments = {
        label: segment_cells(
            [*(row for row in rows if row.human or row.metric not in of_judges), *by_judges],
            found.report.resamples,
            found.report.seed,
        )
        for label, rows in rated.items()
    }
    return replace(
        found,
        segments={label: cells for label, cells in segments.items() if cells},
        segments_left_out=left_out,
    )


MOST_RANKED = 12
"""Metrics up to which all are ranked unasked: every two of them take a test."""


def ranked_if_few(found: Pairwise) -> Pairwise:
    """Return the figures with all metrics ranked, where they are several and few; p-values are Holm's."""
    metrics = {metric for metric, _, _ in found.report.cells}
    return with_rankings(found, "holm") if 1 < len(metrics) <= MOST_RANKED else found


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
