"""Segments as people rate them: metrics held against people segment by segment, by the groupings of mt-metrics-eval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from judges.meta_eval.human_score import segment_scores
from judges.meta_eval.metric_tests import finish
from judges.meta_eval.pair_counts import all_pairs, count_pairs, tally
from judges.meta_eval.score_table import LARGEST, ScoreRow, ratings_of
from judges.stats.correlation import pearsons
from judges.stats.figure import Figure, Interval
from judges.stats.intervals import BOOTSTRAP, ExpandedBootstrap
from judges.stats.numerics import FINE, MICRO, NOISE, comparable, mean, snapped, total_by
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from judges.stats.arrays import Booleans, Floats, Integers

Grouping = Literal["item", "none", "sys"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
"""Scores that are compared with one another: of one segment over systems, all, of one system over segments."""
SegmentMeasure = Literal["acc_eq", "c_index", "acc_eq_calibrated", "kendall_tau_b", "pearson"]
SEGMENT_MEASURES: tuple[SegmentMeasure, ...] = get_args(SegmentMeasure)

MOST_PAIRS = 5_000_000
"""Pairs up to which every ε is tried."""
_MANY = 64
"""Scores in a group from which pairs are counted by sorting."""

NO_SEGMENT = "no segment has scores by people and by the metric"
NO_GROUP = "no two scores of a group are by people and by the metric"
PEOPLE_TIE = "people tie every two scores of a group"
SIDE_TIES = "people or the metric tie every two scores of a group"
CONSTANT = "the scores of one side are all equal in every group"
TOO_MANY = f"more than {MOST_PAIRS:,} pairs to try every ε on"
ACROSS = "pairs reach across articles, so these are not resampled"

_WHYS: Mapping[SegmentMeasure, str] = {
    "acc_eq": NO_GROUP,
    "c_index": PEOPLE_TIE,
    "acc_eq_calibrated": NO_GROUP,
    "kendall_tau_b": SIDE_TIES,
    "pearson": CONSTANT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentCell:
    """One metric against people in one direction, over the segments of translations that both scored.

    ``figures``: by grouping and measure, each the mean over the groups in which it is defined; ``n`` of one counts the
    pairs of these that it is made of, of ``pearson`` the scores. ``epsilons``: by grouping, of the calibrated figure,
    in the metric's points; None where that is undefined. ``scores``: the scores that both gave, of so many ``segments``
    of source text in ``articles``; ``left_out``: reason → how many.
    """

    metric: str
    direction: str
    figures: Mapping[Grouping, Mapping[SegmentMeasure, Figure]]
    epsilons: Mapping[Grouping, float | None]
    scores: int
    segments: int
    articles: int
    systems: int
    left_out: Mapping[str, int]


Item = tuple[str, int]
"""One segment of source text: its article and its number."""


def segment_cells(
    rows: Iterable[ScoreRow], resamples: int = RESAMPLES, seed: int = SEED
) -> dict[tuple[str, str], SegmentCell]:
    """Return the cell of each metric and direction in which people rated segments; the order of rows does not matter.

    A segment's human score is the mean over its raters; a metric's is the mean over its rows. Higher is better.
    """
    by_direction: dict[str, list[ScoreRow]] = {}
    for row in rows:
        by_direction.setdefault(row.direction, []).append(row)
    cells = {}
    for direction, found in sorted(by_direction.items()):
        people = [row for row in found if row.human and row.segments]
        if not people:
            continue
        whole = Counter((row.article, row.system) for row in found if row.human and not row.segments)
        human = _human([row for row in found if row.human])
        rated = {(article, system) for article, _, system in human}
        whole_by_people = sum(cell not in rated for cell in whole)
        for metric in sorted({row.metric for row in found if not row.human}):
            own = [row for row in found if row.metric == metric and not row.human]
            given = _given(own)
            there = {(article, system) for article, _, system in given}
            whole_by_metric = len({(row.article, row.system) for row in own} - there)
            cells[metric, direction] = _cell(
                metric,
                direction,
                human,
                given,
                {
                    "translations that people rated as a whole only": whole_by_people,
                    "translations that the metric scored as a whole only": whole_by_metric,
                },
                ExpandedBootstrap(resamples, seed),
            )
    return cells


Scores = dict[tuple[str, int, str], float]
"""Scores by article, number of the segment and system."""


def _human(rows: Iterable[ScoreRow]) -> Scores:
    return {
        (article, number, system): score / FINE
        for (_, article, system), ratings in ratings_of(rows, FINE).items()
        for number, score in segment_scores(ratings).items()
    }


def _given(rows: Iterable[ScoreRow]) -> Scores:
    held: dict[tuple[str, int, str], list[int]] = {}
    for row in rows:
        for number, score in row.segments:
            if abs(score) < LARGEST:
                held.setdefault((row.article, number, row.system), []).append(round(score * FINE))
    return {key: sum(scores) / len(scores) / FINE for key, scores in held.items()}


def _cell(
    metric: str,
    direction: str,
    human: Scores,
    given: Scores,
    whole: Mapping[str, int],
    bootstrap: ExpandedBootstrap,
) -> SegmentCell:
    import numpy as np

    both = sorted(human.keys() & given.keys())
    items: list[Item] = sorted({(article, number) for article, number, _ in both})
    articles, systems = sorted({article for article, _ in items}), sorted({system for *_, system in both})
    column, row = ({name: at for at, name in enumerate(of)} for of in (items, systems))
    layers = np.full((2, len(systems), len(items)), np.nan)
    for key in both:
        article, number, system = key
        layers[:, row[system], column[article, number]] = human[key], given[key]
    at = {article: n for n, article in enumerate(articles)}
    of_article = np.array([at[article] for article, _ in items], dtype=np.int64)
    figures: dict[Grouping, Mapping[SegmentMeasure, Figure]] = {}
    epsilons: dict[Grouping, float | None] = {}
    for grouping in GROUPINGS:
        figures[grouping], epsilons[grouping] = _figures(grouping, layers[0], layers[1], of_article, bootstrap)
    left_out = {
        "scores of segments by people that the metric has none beside": len(human.keys() - given.keys()),
        "scores of segments by the metric that people have none beside": len(given.keys() - human.keys()),
        **whole,
    }
    return SegmentCell(
        metric=metric,
        direction=direction,
        figures=figures,
        epsilons=epsilons,
        scores=len(both),
        segments=len(items),
        articles=len(articles),
        systems=len(systems),
        left_out=left_out,
    )


def _figures(
    grouping: Grouping, human: Floats, metric: Floats, of_article: Integers, bootstrap: ExpandedBootstrap
) -> tuple[dict[SegmentMeasure, Figure], float | None]:
    """The figures of one grouping, of scores by system and segment, and the ε of the calibrated one."""
    import numpy as np

    if not human.size:
        undefined = Interval(None, None, BOOTSTRAP, "the figure is undefined")
        return {each: Figure(None, 0, NO_SEGMENT, interval=undefined) for each in SEGMENT_MEASURES}, None
    match grouping:
        case "sys":
            human, metric = human.T, metric.T
        case "none":
            human, metric = human.reshape(-1, 1), metric.reshape(-1, 1)
    known = np.isfinite(human)
    counts = _counts(human, metric)
    epsilon = _best_epsilon(comparable(human), comparable(metric), counts.sum(axis=0))
    held = counts if not epsilon else tally(comparable(human), comparable(metric), None, epsilon)
    con, dis, _, by_metric, _ = counts
    parts: dict[SegmentMeasure, tuple[Floats, Floats]] = {
        "acc_eq": (finish("acc_eq", counts), counts.sum(axis=0)),
        "c_index": (finish("c_index", counts), con + dis + by_metric),
        "acc_eq_calibrated": (finish("acc_eq", held), counts.sum(axis=0)),
        "kendall_tau_b": (finish("kendall_tau_b", counts), counts.sum(axis=0)),
        "pearson": (pearsons(human, metric), known.sum(axis=0)),
    }
    groups: Booleans = np.asarray(known.any(axis=0))
    within = of_article if grouping == "item" else None
    figures = {name: _mean(values, n, groups, _WHYS[name], within, bootstrap) for name, (values, n) in parts.items()}
    if epsilon is None and figures["acc_eq_calibrated"].value is not None:
        figures["acc_eq_calibrated"] = Figure(None, 0, TOO_MANY, interval=figures["acc_eq_calibrated"].interval)
    defined = figures["acc_eq_calibrated"].value is not None and epsilon is not None
    return figures, epsilon / MICRO if defined and epsilon is not None else None


def _counts(human: Floats, metric: Floats) -> Floats:
    """The five counts of pairs of each column (5 × groups)."""
    import numpy as np

    if len(human) <= _MANY:
        return tally(comparable(human), comparable(metric))
    columns = zip(human.T.tolist(), metric.T.tolist(), strict=True)
    return np.array([count_pairs(*column).each for column in columns], dtype=float).T


def _best_epsilon(human: Floats, metric: Floats, pairs: Floats) -> float | None:
    """The smallest ε, in comparable units, by which the mean of ``acc_eq`` over groups is best; None of too many pairs.

    A pair weighs one part of the ``pairs`` of its group. Two means are equal within 1e-9.
    """
    import numpy as np

    if len(human) * (len(human) - 1) // 2 * human.shape[1] > MOST_PAIRS:
        return None
    i, j = all_pairs(len(human))
    h, m = human[i] - human[j], metric[i] - metric[j]
    there = np.isfinite(h) & np.isfinite(m)
    weights = snapped(np.broadcast_to(1 / np.where(pairs > 0, pairs, 1), h.shape))

    def ordered(of: Booleans) -> tuple[Floats, Floats]:
        sizes, order = np.sort(abs(m[of])), np.argsort(abs(m[of]), kind="stable")
        return sizes, np.concatenate([[0.0], np.cumsum(weights[of][order])])

    gained, plus = ordered(there & (h == 0) & (m != 0))
    lost, minus = ordered(there & (h * m > 0))
    tried = np.unique(gained)
    if not len(tried):
        return 0.0
    surplus = plus[np.searchsorted(gained, tried, "right")] - minus[np.searchsorted(lost, tried, "right")]
    steps = np.rint(surplus / NOISE)
    best = int(steps.argmax())
    return float(tried[best]) if steps[best] > 0 else 0.0


def _mean(
    values: Floats, n: Floats, groups: Booleans, why: str, of_article: Integers | None, bootstrap: ExpandedBootstrap
) -> Figure:
    """The mean over groups that are defined; its interval over articles, where a group lies within one."""
    import numpy as np

    defined = np.isfinite(values)
    used = int(defined.sum()), int(groups.sum())
    if not used[0]:
        undefined = Interval(None, None, BOOTSTRAP, "the figure is undefined")
        return Figure(None, 0, why, groups=used, interval=undefined)
    counted = int(n[defined].sum())
    if of_article is None:
        interval = Interval(None, None, BOOTSTRAP, ACROSS)
        return Figure(float(mean(values[defined])), counted, groups=used, interval=interval)
    size = int(of_article.max()) + 1
    sums = total_by(of_article[defined], values[defined], size)
    figure = bootstrap.share(sums, np.bincount(of_article[defined], minlength=size), why)
    return replace(figure, n=counted, groups=used)
