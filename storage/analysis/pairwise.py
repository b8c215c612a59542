"""Pairwise consistency as it is asked for: of all scores and of each group, of two metrics, of two systems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, get_args

from judges.consistency.documents import Part
from judges.consistency.rater_effects import SeverityReport, rater_severity
from judges.meta_eval.human_score import Rating, on_the_same
from judges.meta_eval.metric_ranking import Correction, MetricRanking, rank_metrics
from judges.meta_eval.metric_tests import MetricDifference, compare_metrics
from judges.meta_eval.pair_counts import RULES, Rule, headlining
from judges.meta_eval.pairwise import PairwiseReport, averaged_directions, explained, pairwise, pairwise_by
from judges.meta_eval.rated_segments import SegmentCell, segment_cells
from judges.meta_eval.score_table import Cell, ScoreRow, cell_of, ratings_of
from judges.meta_eval.superiority_test import Claim
from judges.meta_eval.system_tests import SystemDifference, compare_systems
from judges.model import DIMENSIONS
from judges.stats.figure import Figure
from judges.stats.numerics import FINE
from judges.stats.resampling import RESAMPLES, SEED
from storage.analysis.metric_scores import ScoreTable

Cut = Literal["dimension", "system", "domain", "reviewer"]
CUTS: tuple[Cut, ...] = get_args(Cut)
"""Groups of pairwise figures, besides the direction, by which they always are."""


Segments = Mapping[tuple[str, str], SegmentCell]
"""Cells of segments by metric and direction."""


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """One rater, as if a metric, and the metrics against the human score by the ``others``: what a metric can reach.

    All over the translations in which the rater and another rated a segment; the rater's score and the others' are of
    such segments alone. Without SPA. ``name`` is what the ratings are called in the ``report``, which has no cells but
    a reason in its averages where there are no such segments.
    """

    rater: str
    name: str
    others: tuple[str, ...]
    report: PairwiseReport


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Pairwise figures, and the table they are from. ``ties``: the rule that headlines; all rules are in the report.

    ``between``: each rater against the others, the metrics beside. ``by_rating``: the same of ratings that stand apart,
    as they are on another scale, by what they are called. ``claims``: whether the gate lets it be said
    that the second of two compared ``metrics`` is the more consistent; empty where that was not asked. ``rankings``:
    all metrics in clusters of significance, where that was asked. ``segments``: metrics against people segment by
    segment, by what the ratings are called that stand apart ("" for the others), where people rated segments;
    ``segments_left_out``: of what judges say of them, by why. ``severity``: of raters, likewise and by direction, where
    that was asked.
    """

    table: ScoreTable
    report: PairwiseReport
    ties: Rule = "acc_eq"
    between: tuple[AgainstOthers, ...] = ()
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


def compute_pairwise(
    table: ScoreTable, *, ties: Rule = "acc_eq", resamples: int = RESAMPLES, seed: int = SEED
) -> Pairwise:
    """Hold the metrics of a table against its humans, and these against one another."""
    report = pairwise(table.rows, resamples, seed)
    return Pairwise(
        table=table,
        report=explained(report, table.unchosen) if table.unchosen else report,
        ties=ties,
        between=_between(table, resamples, seed),
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


def _between(table: ScoreTable, resamples: int, seed: int) -> tuple[AgainstOthers, ...]:
    """Return each rater against the others, on the segments that they and another rated."""
    of_rater = {
        rater: ratings_of((r for r in table.rows if r.human and r.metric == rater), FINE) for rater in table.raters
    }
    names = {cell_of(row): row for row in table.rows}
    found = []
    for rater, own in of_rater.items() if len(of_rater) > 1 else ():
        others = ratings_of((row for row in table.rows if row.human and row.metric != rater), FINE)
        both = {
            cell: scores
            for cell in sorted(own.keys() & others.keys())
            if (scores := on_the_same(own[cell], others[cell])) is not None
        }
        beside = [each for each, of in of_rater.items() if each != rater and _share_any(own, of)]
        name = f"{rater} ~ {beside[0] if len(beside) == 1 else 'others'}"
        rows = [row for row in table.rows if not row.human and cell_of(row) in both]
        for cell, (score, by_others) in both.items():
            row = replace(names[cell], segments=(), rated_as="")
            rows.append(replace(row, metric=name, human=False, score=score / FINE))
            rows.append(replace(row, metric=", ".join(beside), human=True, score=by_others / FINE))
        report = pairwise(rows, resamples, seed, soft=False)
        if not both:
            nothing = dict.fromkeys(RULES, Figure(None, 0, f"{rater} rated no segment that another rated"))
            report = replace(report, averages={name: nothing}, averaged=averaged_directions(d for d, *_ in own))
        found.append(AgainstOthers(rater, name, tuple(beside), report))
    return tuple(found)


def _share_any(own: Mapping[Cell, Collection[Rating]], others: Mapping[Cell, Collection[Rating]]) -> bool:
    """Return True if both rated a segment of some translation."""
    return any(on_the_same(own[cell], others[cell]) for cell in own.keys() & others.keys())
