"""Ranks of metrics in clusters of significance: which metrics can be told apart by how consistent they are."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

from judges.meta_eval.metric_tests import PermBoth, Tested, perm_both_by
from judges.meta_eval.pair_counts import Rule
from judges.meta_eval.pairwise import LEVELS, Cell, Level, PairwiseReport
from judges.meta_eval.score_table import ScoreRow, Sheet, sheets
from judges.stats.figure import Figure
from judges.stats.numerics import DECIMALS, NOISE
from judges.stats.resampling import benjamini_hochberg, holm

Correction = Literal["none", "holm", "bh"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
"""Adjustments of p-values for their number: none, Holm's (1979), Benjamini and Hochberg's (1995)."""
SIGNIFICANT = 0.05
"""The p up to which one metric is ahead of another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """The one-sided test that the metric ``ahead`` is more consistent with people than the one ``behind``.

    Over the ``translations`` that people and both scored. ``p``: adjusted for all tests of the ranking, as it says;
    ``test.p`` is as found. None where there is no test.
    """

    ahead: str
    behind: str
    translations: int
    test: PermBoth
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMetric:
    """A metric with its figure over all translations that people and it scored, and its rank.

    ``rank``: one more than the clusters above; None where the figure is undefined. ``lacks``: translations with a
    human score that it did not score. ``closest``: the test by which it stays in its cluster or begins a new one, the
    smallest p of those against it there; None for the best.
    """

    metric: str
    figure: Figure
    rank: int | None
    lacks: int
    closest: PairTest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRanking:
    """All metrics of a direction by one measure at one level, the best first; those undefined come last.

    ``tests``: of every two that are defined, the one that is higher up ``ahead``. Their p-values are one family, which
    the ``correction`` is for.
    """

    direction: str
    level: Level
    measure: Tested
    correction: Correction
    metrics: tuple[RankedMetric, ...]
    tests: tuple[PairTest, ...]

    @property
    def resamples(self) -> tuple[int, int]:
        """The fewest and the most swaps that a test tried."""
        tried = [each.test.permutations for each in self.tests if each.test.p is not None] or [0]
        return min(tried), max(tried)


def rank_metrics(
    rows: Iterable[ScoreRow], report: PairwiseReport, rules: Sequence[Rule], correction: Correction = "none"
) -> list[MetricRanking]:
    """Rank the metrics of each direction by each of the rules at both levels, and by soft pairwise accuracy.

    ``report``: the figures of these rows, with SPA; tests draw as often as it did, by its seed.
    """
    found: list[MetricRanking] = []
    for sheet in sheets(rows).values():
        for level in LEVELS[::-1]:
            measures: list[Tested] = [*rules]
            if level == "system":
                measures.append("spa")
            found += _rank(sheet, report, level, measures, correction)
    return found


def _rank(
    sheet: Sheet, report: PairwiseReport, level: Level, measures: Sequence[Tested], correction: Correction
) -> Iterable[MetricRanking]:
    import numpy as np

    cells = {metric: report.cells[metric, level, sheet.direction] for metric in sheet.metrics}
    figures = {measure: {name: _figure(cell, measure) for name, cell in cells.items()} for measure in measures}
    chance = [report.seed, zlib.crc32(sheet.direction.encode())]
    tests: dict[tuple[str, str], dict[Tested, PermBoth]] = {}
    shared: dict[frozenset[str], int] = {}
    for pair in combinations(sheet.metrics, 2):
        layers = [sheet.human, *(sheet.metrics[name] for name in pair)]
        shared[frozenset(pair)] = int(np.isfinite(layers).all(axis=0).sum())
        # The test is one-sided, so each measure is tested the way round in which its figures lie.
        for ahead, behind in (pair, pair[::-1]):
            asked = [each for each in measures if _before(figures[each], ahead, behind)]
            if asked:
                results = perm_both_by(
                    human=sheet.human,
                    first=sheet.metrics[behind],
                    second=sheet.metrics[ahead],
                    measures=asked,
                    level=level,
                    permutations=report.resamples,
                    seed=chance,
                )
                tests[ahead, behind] = dict(zip(asked, results, strict=True))
    for measure in measures:
        own = figures[measure]
        order = sorted(own, key=lambda name: _key(own, name))
        defined = [name for name in order if own[name].value is not None]
        pairs = list(combinations(defined, 2))
        ps = adjusted([tests[pair][measure].p for pair in pairs], correction)
        of_pairs = {
            (ahead, behind): PairTest(
                ahead=ahead,
                behind=behind,
                translations=shared[frozenset((ahead, behind))],
                test=tests[ahead, behind][measure],
                p=p,
            )
            for (ahead, behind), p in zip(pairs, ps, strict=True)
        }
        ranks, closest = clusters(defined, of_pairs)
        metrics = tuple(
            RankedMetric(
                metric=name,
                figure=own[name],
                rank=ranks.get(name),
                lacks=cells[name].left_out.get("translations without a score by the metric", 0),
                closest=closest.get(name),
            )
            for name in order
        )
        yield MetricRanking(
            direction=sheet.direction,
            level=level,
            measure=measure,
            correction=correction,
            metrics=metrics,
            tests=tuple(of_pairs.values()),
        )


def _figure(cell: Cell, measure: Tested) -> Figure:
    if measure == "spa":
        return cell.spa or Figure(None, 0, "SPA was not asked for")
    figure: Figure = cell.figures[measure]  # type: ignore[index]  # no other measures are ranked by
    return figure


def _key(figures: Mapping[str, Figure], name: str) -> tuple[float, str]:
    """The order of metrics: the highest first, then by name; those undefined last."""
    value = figures[name].value
    return (float("inf") if value is None else -round(value, DECIMALS), name)


def _before(figures: Mapping[str, Figure], ahead: str, behind: str) -> bool:
    """Tell if the one stands above the other, and both have a place."""
    there = figures[ahead].value is not None and figures[behind].value is not None
    return there and _key(figures, ahead) < _key(figures, behind)


def adjusted(ps: Sequence[float | None], correction: Correction) -> list[float | None]:
    """Return p-values adjusted for their number, in the order given; None is no test and stays None."""
    match correction:
        case "holm":
            return holm(ps)
        case "bh":
            return benjamini_hochberg(ps)
    return list(ps)


def clusters(
    order: Sequence[str], tests: Mapping[tuple[str, str], PairTest]
) -> tuple[dict[str, int], dict[str, PairTest]]:
    """Return the rank of each metric of ``order``, best first, and the test that decides of each but the best.

    From the best down, a metric begins a new cluster where one of the cluster is significantly ahead of it (p at most
    `SIGNIFICANT`), as the WMT's metrics tasks have it (Freitag et al. 2023; mt-metrics-eval, ``AssignRanks``). A rank
    is one more than the number of clusters above.
    """
    ranks: dict[str, int] = {}
    closest: dict[str, PairTest] = {}
    start = rank = 0
    for i, name in enumerate(order):
        against = [tests[above, name] for above in order[start:i]]
        known = [(test.p, at, test) for at, test in enumerate(against) if test.p is not None]
        if known:
            closest[name] = min(known)[2]
        if not i or any(p <= SIGNIFICANT + NOISE for p, _, _ in known):
            start, rank = i, rank + 1
        ranks[name] = rank
    return ranks, closest
