"""Pairwise consistency: whether metrics order systems as humans do, at both levels, with intervals over articles."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from judges.meta_eval.pair_counts import (
    RULES,
    Calibrated,
    HeldOut,
    PairCounts,
    Pairs,
    Rule,
    all_pairs,
    calibrate,
    hold_out,
    tally,
    terms,
)
from judges.meta_eval.score_table import ScoreRow, Sheet, sheets
from judges.meta_eval.soft_pairwise import NESTED, resampled_spa, soft_pairwise_accuracy
from judges.stats.arrays import share
from judges.stats.figure import Figure, Interval
from judges.stats.intervals import BOOTSTRAP, EVERY_RESAMPLE, expanded, wilson
from judges.stats.numerics import FINE, MICRO, comparable, fine, snapped
from judges.stats.resampling import RESAMPLES, SEED, all_resampled, resampled_sums

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

Level = Literal["system", "segment"]
LEVELS: tuple[Level, ...] = get_args(Level)
DIRECTIONS = ("zh-en", "en-zh")
"""DiscoX's two: where these are, the paper's mean is over their four cells."""

EPSILON_HELD = f"{BOOTSTRAP}, ε as found on all of them"
EPSILONS_HELD = f"{BOOTSTRAP}, each with the ε found without it"
A_TEST_IN_EACH = "a permutation test in each"

Key = tuple[str, Level, str]
"""Metric, level, direction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One metric against the humans at one level in one direction.

    Segment: pairs within an article, over the systems that both judged, counted over all articles. System: pairs of
    means, each over the articles of that system that both judged. ``figures`` and ``calibrated`` carry their interval;
    ``wilson`` is what it would be if pairs were independent. ``spa``: None at segment level, where there is none.
    ``held_out``: None at system level, where the articles of a part have other means than all, so other pairs.
    ``articles`` hold the pairs (system level: the means); ``left_out``: reason → how many translations, or articles.
    """

    metric: str
    level: Level
    direction: str
    counts: PairCounts
    figures: Mapping[Rule, Figure]
    wilson: Mapping[Rule, Interval]
    calibrated: Calibrated
    held_out: HeldOut | None
    spa: Figure | None
    articles: int
    systems: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseReport:
    """Cells by (metric, level, direction), and the mean of the cells of ``averaged`` by metric and rule.

    ``averaged``: the directions that the mean is over, both levels of each (`averaged_directions`).
    ``raters``: whose mean the human score is; ``rated_by_several``: the translations that more than one rated.
    """

    cells: Mapping[Key, Cell]
    averages: Mapping[str, Mapping[Rule, Figure]]
    raters: tuple[str, ...]
    rated_by_several: int
    resamples: int
    seed: int
    averaged: tuple[str, ...] = DIRECTIONS

    @property
    def average(self) -> Mapping[str, Figure]:
        """The unweighted mean of the cells' ``acc_eq`` by metric."""
        return {metric: by_rule["acc_eq"] for metric, by_rule in self.averages.items()}


def pairwise(
    rows: Iterable[ScoreRow],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    system: str | None = None,
    *,
    soft: bool = True,
    averaged: Sequence[str] = (),
) -> PairwiseReport:
    """Hold every metric against the humans in every direction there is; the order of rows does not matter.

    ``system``: only the pairs that this one is in; ``soft`` False: without SPA, which takes longest; ``averaged``: the
    directions of the mean, where they are not those of these rows. Intervals are 95 %
    percentiles over ``resamples`` of the articles; the system level's means are computed anew in each. Metrics of one
    coverage see the same resamples.
    """
    cells: dict[Key, Cell] = {}
    draws: dict[Key, dict[Rule, Floats]] = {}
    by_direction = sheets(rows)
    averaged = tuple(averaged) or averaged_directions(by_direction)
    for sheet in by_direction.values():
        pairs = _pairs_of(sheet, system)
        for metric in sheet.metrics:
            for cell, drawn in _cells(
                sheet=sheet, metric=metric, pairs=pairs, resamples=resamples, seed=seed, soft=soft
            ):
                key = metric, cell.level, cell.direction
                cells[key], draws[key] = cell, drawn
    metrics = sorted({metric for metric, _, _ in cells})
    return PairwiseReport(
        cells={key: cells[key] for metric in metrics for key in cells if key[0] == metric},
        averages={
            metric: {
                rule: _average(
                    metric=metric,
                    rule=rule,
                    directions=averaged,
                    cells=cells,
                    draws=draws,
                    resamples=resamples,
                    seed=seed,
                )
                for rule in RULES
            }
            for metric in metrics
        },
        raters=tuple(sorted({rater for sheet in by_direction.values() for rater in sheet.raters})),
        rated_by_several=sum(sheet.rated_by_several for sheet in by_direction.values()),
        resamples=resamples,
        seed=seed,
        averaged=averaged,
    )


def explained(report: PairwiseReport, why: str) -> PairwiseReport:
    """Return a report of metrics that nobody's ratings are beside, with the reason for that in every figure."""

    def told(figure: Figure) -> Figure:
        return replace(figure, why=why) if figure.value is None else figure

    cells = {
        key: replace(
            cell,
            figures={rule: told(figure) for rule, figure in cell.figures.items()},
            calibrated=replace(cell.calibrated, figure=told(cell.calibrated.figure)),
            held_out=cell.held_out and replace(cell.held_out, figure=told(cell.held_out.figure)),
            spa=cell.spa and told(cell.spa),
        )
        for key, cell in report.cells.items()
    }
    averages = {
        metric: {rule: told(figure) for rule, figure in by_rule.items()} for metric, by_rule in report.averages.items()
    }
    return replace(report, cells=cells, averages=averages)


def averaged_directions(present: Iterable[str]) -> tuple[str, ...]:
    """Return the directions that a mean is over: DiscoX's two where both are there, or none but one of them; else all.

    Further directions beside these two have cells, but no part in the paper's mean.
    """
    there = set(present)
    return DIRECTIONS if there <= set(DIRECTIONS) or there >= set(DIRECTIONS) else tuple(sorted(there))


def pairwise_by(
    by: Literal["domain", "system"], rows: Sequence[ScoreRow], resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, PairwiseReport]:
    """Return the report of each domain, or of the pairs that each system is in, in the order of their names.

    By dimension: give the rows of one dimension's scores to `pairwise`.
    """
    averaged = averaged_directions({row.direction for row in rows})
    if by == "system":
        systems = sorted({row.system for row in rows})
        return {each: pairwise(rows, resamples, seed, each, averaged=averaged) for each in systems}
    return {
        each: pairwise([row for row in rows if row.domain == each], resamples, seed, averaged=averaged)
        for each in sorted({row.domain for row in rows})
    }


def _pairs_of(sheet: Sheet, system: str | None) -> Pairs | None:
    if system is None:
        return None
    i, j = all_pairs(len(sheet.systems))
    at = sheet.systems.index(system) if system in sheet.systems else -1
    asked = (i == at) | (j == at)
    return i[asked], j[asked]


def _cells(
    sheet: Sheet, metric: str, pairs: Pairs | None, resamples: int, seed: int, soft: bool
) -> Iterator[tuple[Cell, dict[Rule, Floats]]]:
    """Both cells of a metric, each with its rules' values in the resamples."""
    import numpy as np

    rated, scored = np.isfinite(sheet.human), np.isfinite(sheet.metrics[metric])
    both = rated & scored
    left_out = {
        "translations without a score by the metric": int((rated & ~scored).sum()),
        "translations without a human score": int((scored & ~rated).sum()),
    }
    judged = both.any(axis=0)
    human, automatic = (np.where(both, each, np.nan)[:, judged] for each in (sheet.human, sheet.metrics[metric]))
    both = both[:, judged]
    systems, articles = both.shape

    # Per-article sums, once: the five counts, what an ε makes of them, and the parts of the systems' means.
    within = comparable(human), comparable(automatic)
    best = calibrate(*within, pairs)
    tallies, held = tally(*within, pairs), tally(*within, pairs, _units(best.epsilon))
    parts = np.concatenate([snapped(fine(np.where(both, each, 0)), 1) for each in (human, automatic)] + [both])
    chance = [seed, zlib.crc32(sheet.direction.encode())]  # or both directions would draw the same articles
    held_out, of_parts = hold_out(*within, pairs, chance)
    drawn = resampled_sums(np.concatenate([tallies, held, of_parts, parts]).T, resamples, chance).T
    seeded = None if all_resampled(articles, resamples) else seed

    def means(parts: Floats) -> tuple[Floats, Floats]:
        human, automatic, n = parts[:systems], parts[systems : 2 * systems], parts[2 * systems :]
        return comparable(share(human, n) / FINE), comparable(share(automatic, n) / FINE)

    across = means(parts.sum(axis=1)[:, None])
    best_across = calibrate(*across, pairs)
    resampled = means(drawn[15:])
    across_held = tally(*resampled, pairs, _units(best_across.epsilon))

    systems_there = int(both.any(axis=1).sum())
    of_means = _Tallied(PairCounts.of(tally(*across, pairs)), tally(*resampled, pairs), best_across, across_held)
    yield of_means.cell(
        (metric, "system", sheet.direction),
        articles=articles,
        systems=systems_there,
        seed=seeded,
        left_out=left_out,
        spa=_soft(human=human, automatic=automatic, pairs=pairs, resamples=resamples, seed=seed, chance=chance)
        if soft
        else None,
    )
    paired = int((tallies.sum(axis=0) > 0).sum())
    within_articles = _Tallied(PairCounts.of(tallies), drawn[:5], best, drawn[5:10])
    of_held_out = share(*terms("acc_eq", *drawn[10:15]))
    held_out = replace(held_out, figure=_with_interval(held_out.figure, of_held_out, paired, seeded, EPSILONS_HELD))
    yield within_articles.cell(
        (metric, "segment", sheet.direction),
        articles=paired,
        systems=systems_there,
        seed=seeded,
        left_out=left_out | {"articles without a pair of systems": articles - paired},
        held_out=held_out,
    )


@dataclass(frozen=True, slots=True)
class _Tallied:
    """The pairs of one level: their counts, these in each resample, and there too where the best ε ties scores."""

    counts: PairCounts
    draws: Floats
    best: Calibrated
    held: Floats

    def cell(
        self,
        key: Key,
        *,
        articles: int,
        systems: int,
        seed: int | None,
        left_out: Mapping[str, int],
        spa: Figure | None = None,
        held_out: HeldOut | None = None,
    ) -> tuple[Cell, dict[Rule, Floats]]:
        """The cell, and its rules' values in the resamples."""
        values = {rule: share(*terms(rule, *self.draws)) for rule in RULES}
        figures = {rule: _with_interval(self.counts.rule(rule), values[rule], articles, seed) for rule in RULES}
        beside = {rule: wilson(figure.value, figure.n) for rule, figure in figures.items()}
        held = share(*terms("acc_eq", *self.held))
        best = replace(self.best, figure=_with_interval(self.best.figure, held, articles, seed, EPSILON_HELD))
        metric, level, direction = key
        cell = Cell(
            metric=metric,
            level=level,
            direction=direction,
            counts=self.counts,
            figures=figures,
            wilson=beside,
            calibrated=best,
            held_out=held_out,
            spa=spa,
            articles=articles,
            systems=systems,
            left_out=left_out,
        )
        return cell, values


def _soft(
    human: Floats, automatic: Floats, pairs: Pairs | None, resamples: int, seed: int, chance: Sequence[int]
) -> Figure:
    """Soft pairwise accuracy with its interval."""
    articles, nested = human.shape[1], min(resamples, NESTED)
    all_nested = all_resampled(articles, nested)
    return _with_interval(
        soft_pairwise_accuracy(human, automatic, pairs, max(1, resamples), chance),
        resampled_spa(human, automatic, pairs, nested, chance),
        articles,
        None if all_nested else seed,
        f"{EVERY_RESAMPLE if all_nested else BOOTSTRAP}, {A_TEST_IN_EACH}",
    )


def _units(epsilon: float | None) -> float:
    return float(round((epsilon or 0) * MICRO))


def _with_interval(figure: Figure, draws: Floats, articles: int, seed: int | None, method: str = "") -> Figure:
    if figure.value is None:
        why = "the figure is undefined"
        return replace(figure, interval=Interval(None, None, method or BOOTSTRAP, why, articles))
    return replace(figure, interval=expanded(draws, articles, seed, method))


def _average(
    metric: str,
    rule: Rule,
    directions: Sequence[str],
    cells: Mapping[Key, Cell],
    draws: Mapping[Key, Mapping[Rule, Floats]],
    resamples: int,
    seed: int,
) -> Figure:
    """The unweighted mean of cells, and of their values in each resample: the directions' are independent."""
    import numpy as np

    wanted: list[tuple[Level, str]] = [(level, direction) for level in LEVELS for direction in directions]
    keys: dict[tuple[Level, str], Key] = {cell: (metric, *cell) for cell in wanted}
    parts = {cell: cells[key].figures[rule] for cell, key in keys.items() if key in cells}
    n = sum(figure.n for figure in parts.values())
    value = mean_of_cells({cell: figure.value for cell, figure in parts.items()}, wanted)
    if value is None:
        whys = {cell: parts[cell].why if cell in parts else "no scores" for cell in wanted}
        lacking = ", ".join(
            f"{f'{level} {direction}'.strip()} ({why})" for (level, direction), why in whys.items() if why
        )
        undefined = Interval(None, None, BOOTSTRAP, "the figure is undefined")
        return Figure(None, n, f"undefined without {lacking}", interval=undefined)
    generator = np.random.default_rng(seed)
    mean = np.zeros(resamples)
    for direction in directions:
        system, segment = (draws[metric, level, direction][rule] for level in LEVELS)
        both = system + segment
        # Of few articles there are fewer resamples than are asked for: draw among them.
        mean += both if len(both) == resamples else both[generator.integers(0, len(both), resamples)]
    articles = min(cells[key].articles for key in keys.values())
    return Figure(value, n, interval=expanded(mean / len(wanted), articles, seed))


def mean_of_cells(cells: Mapping[tuple[Level, str], float | None], wanted: Sequence[tuple[Level, str]]) -> float | None:
    """Return the unweighted mean of these cells' figures; None if one is missing, or there are none."""
    values = [value for cell in wanted if (value := cells.get(cell)) is not None]
    return math.fsum(values) / len(wanted) if values and len(values) == len(wanted) else None


Points = tuple[list[float], list[float]]
"""The metric's scores, and the humans' means of the same translations."""


def points(rows: Iterable[ScoreRow]) -> dict[str, dict[str, Points]]:
    """Return by metric and direction (the paper's two first) the translations that have both scores."""
    import numpy as np

    found: dict[str, dict[str, Points]] = {}
    by_direction = sheets(rows)
    others = sorted(by_direction.keys() - set(DIRECTIONS))
    for direction in (*DIRECTIONS, *others):
        if direction not in by_direction:
            continue
        sheet = by_direction[direction]
        for metric, scores in sheet.metrics.items():
            both = np.isfinite(scores) & np.isfinite(sheet.human)
            if both.any():
                found.setdefault(metric, {})[direction] = scores[both].tolist(), sheet.human[both].tolist()
    return found


def equal_limits(groups: Mapping[str, Points], top: float) -> tuple[float, float] | None:
    """The ends that both axes can share: 0 to ``top`` where every score lies there and is not all of another scale."""
    values = [value for pair in groups.values() for axis in pair for value in axis]
    across = max((value for pair in groups.values() for value in pair[0]), default=0.0)
    return (0.0, top) if values and min(values) >= 0 and max(values) <= top and across > 1 else None
