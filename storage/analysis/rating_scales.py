"""Scales of people's ratings: which ratings may be averaged together, and which of them the headline is by."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from judges.meta_eval.score_table import ScoreRow
from judges.metric_s.scoring import METRIC_S


@dataclass(frozen=True, slots=True)
class Scale:
    """Range of one rater's ratings of one name; ``name`` is empty for reviews.

    ``aside``: they are not among the scores of the headline, for these are on another scale.
    """

    name: str
    rater: str
    low: float
    high: float
    ratings: int
    aside: bool = False

    @property
    def order(self) -> tuple[bool, float]:
        """Key that tells scales apart as far as ratings can: points taken off; else if any is below 0, and up to 1, 10,
        100 or beyond.
        """
        if self.penalty:
            return True, math.inf
        return self.low < 0, next((top for top in (1.0, 10.0, 100.0) if self.farthest <= top), math.inf)

    @property
    def penalty(self) -> bool:
        """Return whether points are taken off: none is above 0, and some below."""
        return self.high <= 0 and self.low < 0

    @property
    def farthest(self) -> float:
        """The size of the rating that is farthest from 0."""
        return max(abs(self.low), abs(self.high))

    @property
    def scheme(self) -> str:
        """The name of what they rated by, in lower case; empty where the name may be a person's.

        A name with a dot is of one with what stands before it: the WMT's “mqm.merged” is “mqm”.
        """
        name = self.name.casefold().partition(".")[0]
        return "" if self.name == self.rater and name not in SCHEMES else name


SCHEMES = frozenset({"mqm", "mqm average", "esa", "da", "da-z", "sqm", "wmt", "wmt-z", "wmt-raw", "wmt-appraise"})
"""Names of ratings that are no person's, though nobody is named beside them."""
GOLD = "mqm"
"""The ratings that a test set of mt-metrics-eval holds metrics against, wherever it has them."""
REVIEWS = Scale("", "", 0, sum(METRIC_S.maxima.values()), 0).order

FARTHER = 5
"""Times as far from 0 as others that ratings must end to be on another scale than these."""

Rated = Mapping[tuple[str, str], Sequence[ScoreRow]]
"""(Name, rater) → ratings."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings on one scale. ``label``: what they are called; ``rows``: of all their raters.

    ``asks``: the names by which `--reviewer` takes them alone.
    """

    label: str
    scales: tuple[Scale, ...]
    rows: tuple[ScoreRow, ...]
    asks: tuple[str, ...]

    @property
    def order(self) -> tuple[bool, float]:
        """The order of all of them together (`Scale.order`)."""
        return Scale("", "", min(each.low for each in self.scales), max(each.high for each in self.scales), 0).order


def scales_of(rated: Rated) -> tuple[Scale, ...]:
    """Return the scale of each name and rater, in the order of their names."""
    found = []
    for (name, rater), rows in sorted(rated.items()):
        scores = [row.score for row in rows]
        found.append(Scale(name, rater, min(scores), max(scores), len(scores)))
    return tuple(found)


def on_one_scale(rated: Rated, schemes: Collection[tuple[str, str]] = ()) -> list[Ratings]:
    """Put ratings together that are on one scale, as far as names and numbers tell.

    Ratings of several names are on several, but where the names may be people's, as those of ``schemes``, of name and
    rater, are not. Within one name numbers tell: points
    taken off are on another scale than points given, and what ends `FARTHER` times as far out, beyond 1, 10 or 100, on
    another than what ends before. Who rated nothing but 0 is on the scale of the others.
    """
    by_scheme: dict[str, list[Scale]] = {}
    for scale in scales_of(rated):
        scheme = scale.name.casefold() if (scale.name, scale.rater) in schemes else ""
        by_scheme.setdefault(scale.scheme or scheme, []).append(scale)
    groups: list[list[Scale]] = []
    for several in by_scheme.values():
        told: list[list[Scale]] = []
        for scale in sorted(several, key=lambda each: (not each.farthest, each.penalty, each.farthest)):
            before = next((of for of in reversed(told) if _fits(scale, of)), None)
            if before is None:
                told.append([scale])
            else:
                before.append(scale)
        groups += [sorted(of, key=lambda scale: (scale.name, scale.rater)) for of in told]
    every = [scale for of in groups for scale in of]
    return [
        Ratings(
            label=", ".join(dict.fromkeys(scale.name or scale.rater for scale in of))
            if {scale.name for scale in every if scale not in of}.isdisjoint(scale.name for scale in of)
            else ", ".join(f"{scale.rater} ({scale.name})" for scale in of),
            scales=tuple(of),
            rows=tuple(row for scale in of for row in rated[scale.name, scale.rater]),
            asks=_asks(of, every),
        )
        for of in sorted(groups, key=lambda of: (of[0].name, of[0].rater))
    ]


def _fits(scale: Scale, of: Sequence[Scale]) -> bool:
    """Return whether ratings can be on the scale of those, none of which ends farther out."""
    last = max(of, key=lambda each: each.farthest)
    if not scale.farthest or not last.farthest:
        return True
    near = scale.penalty or scale.order == last.order or scale.farthest < FARTHER * last.farthest
    return scale.penalty == last.penalty and near


def _asks(of: Sequence[Scale], every: Collection[Scale]) -> tuple[str, ...]:
    """Return the names that mean ratings of one scale and of no other: of the ratings, else of people."""
    others = [scale for scale in every if scale not in of]
    elsewhere = {name for scale in others for name in (scale.name, scale.rater)}
    names = dict.fromkeys([scale.name for scale in of] + [scale.rater for scale in of])
    return tuple(name for name in names if name not in elsewhere)
