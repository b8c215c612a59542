"""Intervals of figures: percentiles of resamples of articles, and Wilson's, as if nothing were clustered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from judges.stats.arrays import share
from judges.stats.figure import Figure, Interval, ratio
from judges.stats.numerics import total
from judges.stats.resampling import (
    FEWEST,
    NEVER_VARIES,
    RESAMPLES,
    SEED,
    TOO_FEW,
    all_resampled,
    constant,
    expanded_tail,
    percentiles,
    resampled_sums,
)

if TYPE_CHECKING:
    from judges.stats.arrays import Floats, Integers

Sums: TypeAlias = "Sequence[float] | Integers | Floats"
Part: TypeAlias = "tuple[Sums, Sums, int | None]"
"""Numerators and denominators of a share by article, and what its ``n`` is where that is not the sum of the latter."""

FEW = 10
"""Articles below which an interval is a rough guess."""
Z95 = 1.959963984540054
"""The standard normal's 97.5 % quantile."""

BOOTSTRAP = "expanded percentile bootstrap over articles"
EVERY_RESAMPLE = "expanded percentiles of all resamples of the articles"
PLAIN = "percentile bootstrap over articles"
PLAIN_OF_EVERY = "percentiles of all resamples of the articles"
NO_WIDTH = "no width: every resample gave the same, which is no certainty"
WILSON = "Wilson, if pairs were independent"


def wilson(share: float | None, n: float, method: str = WILSON) -> Interval:
    """Wilson's (1927) score interval of a share of ``n`` independent observations, in [0, 1]; undefined of none.

    ``n`` need not be whole: dependent observations are worth an effective number of independent ones.
    """
    if share is None or not n:
        return Interval(None, None, method, "the figure is undefined")
    z2 = Z95 * Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # It holds the share itself, which is an end of it at 0 and 1; there a sum's last digit may say otherwise.
    low, high = max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
    return Interval(0.0 if share == 0 else low, 1.0 if share == 1 else high, method)


def expanded(draws: Floats, clusters: int, seed: int | None, method: str = "", *, paired: bool = False) -> Interval:
    """The interval that reports print of a figure, from its values in resamples (1-d; NaN: undefined) of ``clusters``.

    Percentiles that leave out as little as so few articles ask for (`expanded_tail`), and none of fewer than `FEWEST`.
    ``paired``: the figure is a difference of two measures of the same articles; one that is the same in every resample
    has no interval, any other is warned of. A resample in which the figure is 0/0 does not count, and is counted.
    ``seed`` None: every resample there is was taken.
    """
    method = method or (EVERY_RESAMPLE if seed is None else BOOTSTRAP)
    why = NEVER_VARIES if paired and never_varies(draws) else TOO_FEW if clusters < FEWEST else ""
    if why:
        return Interval(None, None, method, why, clusters)
    found = _of_draws(draws, clusters, seed, method, expanded_tail(clusters))
    if not no_width(found):
        return found
    return replace(found, warning="; ".join(filter(None, (found.warning, NO_WIDTH))))


def no_width(interval: Interval | None) -> bool:
    """Return whether an interval's ends are one, so that it says nothing of how sure the figure is."""
    return interval is not None and interval.low is not None and interval.low == interval.high


def without_ends(interval: Interval, why: str) -> Interval:
    """The interval as undefined for this reason."""
    return replace(interval, low=None, high=None, why=why, warning="")


def never_varies(draws: Floats) -> bool:
    """Tell if a figure is the same in every resample in which it is defined, of two at least."""
    return bool(constant(draws[None])[0])


def from_draws(draws: Floats, clusters: int, seed: int | None, method: str = "") -> Interval:
    """The plain percentile interval of a resampling's own distribution; undefined below two clusters.

    Of few articles it covers too little: what is printed is `expanded`, whose arguments these are.
    """
    method = method or (PLAIN_OF_EVERY if seed is None else PLAIN)
    if clusters < 2:
        return Interval(None, None, method, "fewer than two articles: no interval", clusters)
    return _of_draws(draws, clusters, seed, method, None)


def _of_draws(draws: Floats, clusters: int, seed: int | None, method: str, tail: float | None) -> Interval:
    import numpy as np

    dropped = int(np.isnan(draws).sum())
    counted = len(draws) - dropped
    if not counted:
        return Interval(
            low=None,
            high=None,
            method=method,
            why="undefined in every resample",
            clusters=clusters,
            resamples=0,
            dropped=dropped,
            seed=seed,
        )
    tails = None if tail is None else np.array([tail])
    (low,), (high,) = percentiles(draws[None], tails=tails, steps=seed is None)
    warning = f"{clusters} articles: a rough guess" if clusters < FEW else ""
    return Interval(
        low=float(low),
        high=float(high),
        method=method,
        why="",
        clusters=clusters,
        resamples=counted,
        dropped=dropped,
        seed=seed,
        warning=warning,
    )


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Intervals over articles of figures that are made of sums by article; one drawing for the same articles.

    They are a resampling's own: reports take an `ExpandedBootstrap`.
    """

    resamples: int = RESAMPLES
    seed: int = SEED

    def share(self, numerators: Sums, denominators: Sums, why: str) -> Figure:
        """Σ numerators / Σ denominators, both by article, undefined (``why``) of nothing."""
        (figure,) = self.shares([(numerators, denominators, None)], [why])
        return figure

    def shares(self, parts: Sequence[Part], whys: Sequence[str]) -> list[Figure]:
        """The same for many figures; articles without a denominator do not count."""
        import numpy as np

        figures: list[Figure] = []
        alike: dict[bytes, list[int]] = {}
        above, below = (np.array([part[i] for part in parts], dtype=float) for i in (0, 1))
        for i, ((_, _, n), why) in enumerate(zip(parts, whys, strict=True)):
            denominator = int(below[i].sum())
            figure = ratio(total(above[i]), denominator, why)
            figures.append(figure if n is None or not denominator else replace(figure, n=n))
            if denominator:
                alike.setdefault((below[i] > 0).tobytes(), []).append(i)
        for mask, members in alike.items():
            rows = np.frombuffer(mask, dtype=bool)
            sums = np.concatenate([above[members][:, rows], below[members][:, rows]]).T
            draws = self.draws(np.ascontiguousarray(sums))
            shares = share(draws[:, : len(members)], draws[:, len(members) :])
            for k, i in enumerate(members):
                figures[i] = replace(figures[i], interval=self.interval(shares[:, k], int(rows.sum())))
        return figures

    def draws(self, sums: Floats) -> Floats:
        """Sums (articles × columns) over every resample of the articles (resamples × columns)."""
        return resampled_sums(sums if len(sums) > 1 else sums[:0], self.resamples, self.seed)

    def interval(self, draws: Floats, articles: int, *, paired: bool = False) -> Interval:
        """The interval of a figure from its values in these resamples; ``paired`` changes nothing here."""
        return from_draws(draws, articles, self.seed_of(articles))

    def seed_of(self, articles: int) -> int | None:
        """The seed that draws so many articles, None where every resample is taken."""
        return None if all_resampled(articles, self.resamples) else self.seed


@dataclass(frozen=True, slots=True)
class ExpandedBootstrap(Bootstrap):
    """The same with the intervals that reports print."""

    def interval(self, draws: Floats, articles: int, *, paired: bool = False) -> Interval:
        """The interval of a figure from its values in these resamples, as `expanded` has it."""
        return expanded(draws, articles, self.seed_of(articles), paired=paired)
