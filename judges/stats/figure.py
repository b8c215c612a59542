"""Figures that can be undefined, never NaN or 0/0 passed off as a number; apart, since every floor names them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval. ``low`` and ``high`` are both None where it is undefined; ``why`` then says so.

    ``method``: how it was made, for people. ``clusters``: the articles it rests on; ``warning`` where they are too few
    for it to be relied on. ``resamples`` that counted, ``dropped`` ones in which the figure was undefined, and the
    ``seed`` that makes them anew: None where nothing was drawn by chance.
    """

    low: float | None
    high: float | None
    method: str
    why: str = ""
    clusters: int | None = None
    resamples: int = 0
    dropped: int = 0
    seed: int | None = None
    warning: str = ""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends, or None where it is undefined."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def caution(self) -> str:
        """Reason for which it is undefined, or not to be relied on; empty where neither is so."""
        return self.why or self.warning


LeftOut = tuple[tuple[str, int], ...]
"""Reasons for which observations are not in a figure, each with how many: spans, findings, documents, as it says."""


def counted_reasons(*counts: Mapping[str, int]) -> LeftOut:
    """Return the sums of reasons → how many, in the order in which they come; a reason of none is no reason."""
    found: Counter[str] = Counter()
    for each in counts:
        found.update(each)
    return tuple((why, n) for why, n in found.items() if n)


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic with its number of observations.

    ``value`` is None where the formula is 0/0; ``why`` then says so in words for people, and is empty otherwise.
    ``n`` counts the observations the figure rests on. ``groups`` is (used, total) where it is a mean over groups:
    those in which the statistic is undefined are dropped from it. ``interval`` None: none was asked for.
    ``left_out``: what it does not cover though it is of the same data: reason → how many.
    """

    value: float | None
    n: int
    why: str = ""
    groups: tuple[int, int] | None = None
    interval: Interval | None = None
    left_out: LeftOut = ()

    def without(self, left_out: Mapping[str, int]) -> Figure:
        """Return the figure with what else it leaves out; a reason that is there already has the sum of both."""
        return replace(self, left_out=counted_reasons(dict(self.left_out), left_out))


def ratio(numerator: float, denominator: int, why: str) -> Figure:
    """The share ``numerator / denominator`` of ``denominator`` observations, undefined (``why``) of none."""
    if denominator == 0:
        return Figure(None, 0, why)
    return Figure(numerator / denominator, denominator)


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean of a figure over pairs of raters, each counting once, with its range; both None where none has it.

    ``mean``: its ``n`` adds up what the figures rest on, ``groups`` are the pairs in which it is defined, and all. It
    has no interval: the pairs share raters and articles, so they are no sample.
    """

    mean: Figure
    low: float | None
    high: float | None


def spread(figures: Sequence[Figure], why: str = "") -> Spread:
    """Return the mean of figures and its range; undefined ones are dropped and counted. ``why``: there are none."""
    values = [figure.value for figure in figures if figure.value is not None]
    groups = len(values), len(figures)
    if not values:
        whys = "; ".join(dict.fromkeys(figure.why for figure in figures)) or why
        return Spread(Figure(None, 0, whys, groups), None, None)
    n = sum(figure.n for figure in figures if figure.value is not None)
    return Spread(Figure(math.fsum(values) / len(values), n, groups=groups), min(values), max(values))
