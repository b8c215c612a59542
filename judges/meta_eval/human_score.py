"""Human score of a translation, of what several people rated of it: segment by segment, the same for every figure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating that one rater gave of one translation; higher is better.

    ``segments``: each segment that they rated, by its number, and its score. Where it is empty they rated the whole,
    as far as is known, and ``score`` counts in every segment that others rated.
    """

    rater: str
    score: float
    segments: Mapping[int, float] = field(default_factory=dict)


def human_score(ratings: Iterable[Rating], within: Collection[int] | None = None) -> float | None:
    """Return the mean over segments of the mean over the raters of each; None where there is nothing to be had.

    A rater who rated a segment several times counts once in it, with the mean. ``within``: only these segments, where
    any are known. The order of the ratings changes nothing. This is how the WMT averages MQM (Freitag et al. 2021): a
    rater of two segments weighs less than one of twenty, and it does not matter who shared the work of a document.
    """
    given = list(ratings)
    if len(given) == 1 and not given[0].segments:
        return given[0].score + 0.0
    if any(rating.segments for rating in given):
        scores = list(segment_scores(given, within).values())
    else:
        return fmean([fmean([rating.score for rating in of]) for of in _by_rater(given)]) if given else None
    return fmean(scores) if scores else None


def segment_scores(ratings: Iterable[Rating], within: Collection[int] | None = None) -> dict[int, float]:
    """Return the mean over the raters of each segment that anybody rated, or of these; `human_score` says of whom."""
    of_rater = _by_rater(ratings)
    every = {number for of in of_rater for rating in of for number in rating.segments}
    means = {}
    for number in sorted(every if within is None else within):
        scores = [[r.segments.get(number) if r.segments else r.score for r in of] for of in of_rater]
        known = [[score for score in of if score is not None] for of in scores]
        if any(known):
            means[number] = fmean(fmean(of) for of in known if of)
    return means


def _by_rater(ratings: Iterable[Rating]) -> list[list[Rating]]:
    found: dict[str, list[Rating]] = {}
    for rating in ratings:
        found.setdefault(rating.rater, []).append(rating)
    return list(found.values())


def segments_of(ratings: Iterable[Rating]) -> set[int] | None:
    """Return the segments that were rated; None where some rating is of the whole, as far as is known."""
    found: set[int] = set()
    for rating in ratings:
        if not rating.segments:
            return None
        found |= rating.segments.keys()
    return found


def on_the_same(first: Collection[Rating], second: Collection[Rating]) -> tuple[float, float] | None:
    """Return two human scores of one translation, both of the segments that both sides rated; None without any."""
    ours, theirs = segments_of(first), segments_of(second)
    within = ours if theirs is None else theirs if ours is None else ours & theirs
    a, b = human_score(first, within), human_score(second, within)
    return None if a is None or b is None else (a, b)
