"""A figure that can be undefined: no statistic here ever yields NaN or passes 0/0 off as a number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic with its number of observations.

    ``value`` is None where the formula is 0/0; ``why`` then says so in words for people, and is empty otherwise.
    ``n`` counts the observations the figure rests on. ``groups`` is (used, total) where it is a mean over groups:
    those in which the statistic is undefined are dropped from it.
    """

    value: float | None
    n: int
    why: str = ""
    groups: tuple[int, int] | None = None


def ratio(numerator: float, denominator: int, why: str) -> Figure:
    """The share ``numerator / denominator`` of ``denominator`` observations, undefined (``why``) of none."""
    if denominator == 0:
        return Figure(None, 0, why)
    return Figure(numerator / denominator, denominator)
