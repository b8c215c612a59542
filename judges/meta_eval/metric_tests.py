"""Significance tests of two metrics: is one more consistent with humans than the other?

Measures are computed for many versions of a metric at once. At segment level a measure is made of what adds up over
articles (``summands``), at system level it is that of one column of means; both end in ``finish``. A value that is 0/0
is NaN here.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from judges.meta_eval.pair_counts import Rule, tally, terms
from judges.meta_eval.pairwise import LEVELS, Level
from judges.meta_eval.sample_size import Plan, plan_metrics
from judges.meta_eval.score_table import ScoreRow, Sheet, sheets
from judges.meta_eval.soft_pairwise import spa_of_versions
from judges.stats.arrays import share
from judges.stats.correlation import pearsons
from judges.stats.figure import Figure, Interval
from judges.stats.intervals import BOOTSTRAP, expanded
from judges.stats.numerics import FINE, NOISE, comparable, fine, mean, snapped, total
from judges.stats.resampling import NEVER_VARIES, RESAMPLES, SEED, Seed, all_resampled, resampled_sums, signs_of

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

Measure = Literal[Rule, "kendall_tau_b", "pearson"]
"""A rule for ties, Kendall's tau-b over the same pairs, or Pearson's r (at segment level its mean within articles)."""
MEASURES: tuple[Measure, ...] = get_args(Measure)
Tested = Literal[Measure, "spa"]
"""Measure that PERM-BOTH can test: soft pairwise accuracy, too, which is of systems only."""

SPREAD = 100.0
"""The standard deviation of standardised scores, so that comparing them at six decimals keeps apart what differs."""
PAIRS_AT_ONCE = 100_000
"""Pairs that are counted at once."""


@dataclass(frozen=True, slots=True)
class PermBoth:
    """The one-sided test that the second metric is the more consistent one.

    ``p`` None: nothing to permute, or the difference is undefined or never varies. ``exact``: all swaps were tried.
    ``degenerate``: in how many of ``permutations`` a measure was undefined, and counted as 0.
    """

    p: float | None
    exact: bool
    permutations: int
    degenerate: int
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference:
    """Two metrics over the translations that both and humans scored; ``difference`` is second - first.

    Its interval is of the paired bootstrap over ``articles``; ``error`` the standard deviation of the difference in its
    resamples. None where undefined. ``plan``: how many articles it would take to tell them apart.
    """

    first: str
    second: str
    measure: Measure
    level: Level
    direction: str
    first_value: float | None
    second_value: float | None
    difference: Figure
    test: PermBoth
    error: float | None
    articles: int
    plan: Plan


def compare_metrics(
    rows: Iterable[ScoreRow],
    first: str,
    second: str,
    measure: Measure = "acc_eq",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[MetricDifference]:
    """Compare two metrics at both levels, in each direction in which both are; p-values are not adjusted."""
    both = [sheet for sheet in sheets(rows).values() if {first, second} <= sheet.metrics.keys()]
    return [
        difference(
            sheet=sheet, first=first, second=second, measure=measure, level=level, resamples=resamples, seed=seed
        )
        for level in LEVELS
        for sheet in both
    ]


def value_of(measure: Measure, level: Level, human: Floats, metric: Floats) -> float | None:
    """Return the measure of one metric (systems × articles, NaN where missing); None where it is 0/0."""
    ((value,),) = _values([measure], level, human, metric[:, None]).tolist()
    return None if math.isnan(value) else float(value)


def difference(
    sheet: Sheet,
    first: str,
    second: str,
    measure: Measure = "acc_eq",
    level: Level = "segment",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> MetricDifference:
    """Return how much more consistent the second metric is, with its paired interval and the test of PERM-BOTH."""
    import numpy as np

    human, one, other = _common(sheet, first, second)
    articles = human.shape[1]
    chance = [seed, zlib.crc32(sheet.direction.encode())]
    values = {first: value_of(measure, level, human, one), second: value_of(measure, level, human, other)}
    undefined = [name for name, value in values.items() if value is None]
    a, b = values[first], values[second]
    if a is None or b is None:
        interval = Interval(None, None, BOOTSTRAP, "the difference is undefined", articles)
        why = f"0/0 for {' and '.join(undefined)}: of what all three scored no pair of systems counts for it"
        found, error = Figure(None, articles, why, interval=interval), None
    else:
        draws = np.subtract(
            *_resampled(
                measure=measure,
                level=level,
                human=human,
                versions=np.stack([other, one], axis=1),
                resamples=resamples,
                seed=chance,
            )
        )
        interval = expanded(draws, articles, None if all_resampled(articles, resamples) else seed, paired=True)
        found = Figure(b - a, articles, interval=interval)
        error = _deviation(draws) if articles > 1 and not np.isnan(draws).all() else None
    return MetricDifference(
        first=first,
        second=second,
        measure=measure,
        level=level,
        direction=sheet.direction,
        first_value=a,
        second_value=b,
        difference=found,
        test=PermBoth(None, False, 0, 0, NEVER_VARIES)
        if interval.why == NEVER_VARIES
        else perm_both(
            human=human, first=one, second=other, measure=measure, level=level, permutations=resamples, seed=chance
        ),
        error=error,
        articles=articles,
        plan=plan_metrics(found, error),
    )


def _deviation(values: Floats) -> float:
    """The standard deviation of all values that are not NaN."""
    import numpy as np

    known = values[np.isfinite(values)]
    return math.sqrt(total((known - mean(known)) ** 2) / len(known))


def _common(sheet: Sheet, first: str, second: str) -> tuple[Floats, Floats, Floats]:
    """The scores of humans and both metrics, over what all three scored; NaN elsewhere."""
    import numpy as np

    layers = sheet.human, sheet.metrics[first], sheet.metrics[second]
    known = np.isfinite(layers).all(axis=0)
    judged = known.any(axis=0)
    human, one, other = (np.where(known, each, np.nan)[:, judged] for each in layers)
    return human, one, other


def perm_both(
    human: Floats,
    first: Floats,
    second: Floats,
    measure: Tested = "acc_eq",
    level: Level = "segment",
    permutations: int = RESAMPLES,
    seed: Seed = SEED,
) -> PermBoth:
    """Test whether ``second`` is more consistent with ``human`` than ``first`` (all systems × articles): PERM-BOTH.

    If neither were, the standardised scores of a translation might as well be swapped between the two (Deutsch et al.
    2021): p = the share of swaps with a difference at least as great, over all 2^n swaps of n translations where these
    are no more than ``permutations``; else (b + 1) / (k + 1), b of k random ones. Where a swap leaves a measure
    undefined it counts as 0. Only translations that all three scored take part. ``spa`` is one of systems: there is
    none at segment level; it tries as many sign changes as `spa_of_versions` does.
    """
    (found,) = perm_both_by(
        human=human,
        first=first,
        second=second,
        measures=[measure],
        level=level,
        permutations=permutations,
        seed=seed,
    )
    return found


def perm_both_by(
    human: Floats,
    first: Floats,
    second: Floats,
    measures: Sequence[Tested],
    level: Level = "segment",
    permutations: int = RESAMPLES,
    seed: Seed = SEED,
) -> list[PermBoth]:
    """Return what `perm_both` says by each measure, all of the same swaps, counted once."""
    import numpy as np

    known = np.isfinite(human) & np.isfinite(first) & np.isfinite(second)
    n = int(known.sum())
    if not n:
        return [PermBoth(None, False, 0, 0, "no translation was scored by humans and both metrics") for _ in measures]
    judged = known.any(axis=0)  # an article that has none is not there, so that it takes no chance
    human, first, second = (np.where(known, each, np.nan)[:, judged] for each in (human, first, second))
    known = known[:, judged]
    one, other = _standardised(first), _standardised(second)
    seen = [_values(measures, level, human, each[:, None], seed)[:, 0] for each in (one, other)]
    least = (seen[1] - seen[0] - NOISE)[:, None]
    defined = np.isfinite(least[:, 0])
    (reached, degenerate), tried = np.zeros((2, len(measures)), dtype=int), 0
    blocks, exact = signs_of(n, permutations, seed)
    # A version of a metric takes as many numbers as there are pairs within its articles.
    at_once = max(1, PAIRS_AT_ONCE // max(1, human.size * len(human) // 2))
    for signs in blocks if defined.any() else ():
        for start in range(0, len(signs), at_once):
            kept = signs[start : start + at_once] > 0
            mask = np.ones((len(human), len(kept), human.shape[1]), dtype=bool)
            mask.transpose(1, 0, 2)[:, known] = kept
            a = _values(measures, level, human, np.where(mask, one[:, None], other[:, None]), seed)
            b = _values(measures, level, human, np.where(mask, other[:, None], one[:, None]), seed)
            degenerate += (np.isnan(a) | np.isnan(b)).sum(axis=1)
            reached += (np.nan_to_num(b) - np.nan_to_num(a) >= least).sum(axis=1)
            tried += len(kept)
    ps = reached / max(1, tried) if exact else (reached + 1) / (tried + 1)
    return [
        PermBoth(p, exact, tried, none) if there else PermBoth(None, False, 0, 0, UNDEFINED_FOR_ONE)
        for p, none, there in zip(ps.tolist(), degenerate.tolist(), defined.tolist(), strict=True)
    ]


UNDEFINED_FOR_ONE = "the measure is undefined for one of the two"


def _standardised(scores: Floats) -> Floats:
    import numpy as np

    whole = comparable(scores)
    result: Floats = (whole - mean(whole[np.isfinite(whole)])) / (_deviation(whole) or 1.0) * SPREAD
    return result


def _values(measures: Sequence[Tested], level: Level, human: Floats, versions: Floats, seed: Seed = SEED) -> Floats:
    """The measures of each version of a metric (systems × versions × articles) against human scores."""
    import numpy as np

    sums: dict[bool, Floats] = {}
    found = []
    for measure in measures:
        if measure == "spa":
            found.append(spa_of_versions(human, versions, seed))
            continue
        kind = measure == "pearson"
        if kind not in sums and level == "system":
            sums[kind] = summands(measure, means(human)[:, None], means(versions))
        elif kind not in sums:
            sums[kind] = snapped(summands(measure, human[:, None], versions), -1).sum(axis=-1)
        found.append(finish(measure, sums[kind]))
    return np.stack(found)


def _resampled(measure: Measure, level: Level, human: Floats, versions: Floats, resamples: int, seed: Seed) -> Floats:
    """The measure of each version in each resample of the articles (versions × resamples)."""
    import numpy as np

    systems, size, articles = versions.shape
    if level == "segment":
        parts = summands(measure, human[:, None], versions)
        drawn = resampled_sums(parts.reshape(-1, articles).T, resamples, seed).T
        return finish(measure, drawn.reshape(len(parts), size, -1))
    known = np.isfinite(human)
    layers = [human, *versions.transpose(1, 0, 2)]
    parts = np.array([known, *(snapped(fine(np.where(known, each, 0)), -1) for each in layers)], dtype=float)
    n, *sums = resampled_sums(parts.reshape(-1, articles).T, resamples, seed).T.reshape(len(parts), systems, -1)
    with np.errstate(invalid="ignore"):
        across = np.array(sums) / np.where(n > 0, n, np.nan) / FINE
    return finish(measure, summands(measure, across[0][:, None], across[1:].transpose(1, 0, 2)))


def summands(measure: Measure, human: Floats, metric: Floats) -> Floats:
    """Return what each column contributes (parts × …): scores are systems × …, NaN where missing."""
    import numpy as np

    if measure != "pearson":
        return tally(comparable(human), comparable(metric))
    r = pearsons(*np.broadcast_arrays(human, metric))
    return np.stack([np.nan_to_num(r), np.isfinite(r)])


def finish(measure: Measure, sums: Floats) -> Floats:
    """Return the measure (…) from sums of what columns contribute (parts × …); NaN where it is undefined."""
    import numpy as np

    if measure == "pearson":
        return share(*sums)
    if measure == "kendall_tau_b":
        con, dis, human, metric, _ = sums
        untied = np.sqrt((con + dis + metric) * (con + dis + human))
        return share(con - dis, untied)
    return share(*terms(measure, *sums))


def means(scores: Floats) -> Floats:
    """Return the mean of each system (systems × … × articles to systems × …) over the articles it has; else NaN."""
    import numpy as np

    known = np.isfinite(scores)
    return share(snapped(fine(np.where(known, scores, 0)), -1).sum(axis=-1), known.sum(axis=-1)) / FINE
