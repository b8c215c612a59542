"""Sampling of the evaluations to review: random samples that anyone can draw again from the seed.

Every item has a random number that follows from the seed and its id alone (a permanent random number: Ohlsson 1995).
So what is drawn depends neither on the order in which the items come nor, within a stratum, on what else is there.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

Stratum = tuple[str, ...]
"""The key of a stratum: (system, direction, …)."""

BANDS = ((0, "0–39"), (40, "40–59"), (60, "60–79"), (80, "80–100"))
"""Bands of Metric-S (0–100), each from the score where it begins.

They are fixed, so that a stratum means the same in every library and in every plan.
"""


def band(total: int) -> str:
    """Return the band of a judge's score (0–100): ``0–39``, ``40–59``, ``60–79``, ``80–100``."""
    return next(name for least, name in reversed(BANDS) if total >= least)


def random_number(seed: int, *names: str) -> int:
    """Return a number, uniform below 2^64, that follows from the seed and the names."""
    return int.from_bytes(hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()[:8])


def shuffled(items: Collection[str], seed: int, purpose: str = "") -> list[str]:
    """Return the items in an order that follows from the seed, and differs by ``purpose``."""
    return sorted(items, key=lambda item: (random_number(seed, purpose, item), item))


def allocate(sizes: Mapping[Stratum, int], n: int, seed: int) -> dict[Stratum, int]:
    """Return how many of ``n`` items to draw from each stratum, of which ``sizes`` says how many it has.

    In proportion to the sizes, rounded by the largest remainder; of equal remainders the seed chooses. No stratum goes
    without where ``n`` allows for one of each. Where it does not, strata are hit in proportion to their sizes by a
    systematic draw with a random start (Madow 1949): each item then has the same chance, and neighbours in the order of
    the strata stand for one another. All of it, if there are no more than ``n``.
    """
    strata = sorted(stratum for stratum, size in sizes.items() if size > 0)
    total = sum(sizes[stratum] for stratum in strata)
    if n >= total:
        return {stratum: sizes[stratum] for stratum in strata}
    if n < len(strata):
        return _systematic(sizes, strata, total, n, seed)
    # Whoever would get less than one gets one; what is left is shared out among the others.
    ones: set[Stratum] = set()
    while small := {s for s in strata if s not in ones and sizes[s] * n < total}:
        ones |= small
        n -= len(small)
        total -= sum(sizes[stratum] for stratum in small)
    shares = {stratum: divmod(sizes[stratum] * n, total) for stratum in strata if stratum not in ones}
    drawn = dict.fromkeys(ones, 1) | {stratum: whole for stratum, (whole, _) in shares.items()}
    by_remainder = sorted(shares, key=lambda s: (-shares[s][1], random_number(seed, "remainder", *s), s))
    for stratum in by_remainder[: n - sum(whole for whole, _ in shares.values())]:
        drawn[stratum] += 1
    return {stratum: drawn[stratum] for stratum in strata}


def _systematic(
    sizes: Mapping[Stratum, int], strata: Sequence[Stratum], total: int, n: int, seed: int
) -> dict[Stratum, int]:
    start = random_number(seed, "start") % total
    drawn, edge, before = {}, 0, 0
    for stratum in strata:
        edge += sizes[stratum] * n
        hits = -((start - edge) // total)  # the points start, start + total, … below the edge
        if hits > before:
            drawn[stratum] = hits - before
        before = hits
    return drawn


def draw(items: Mapping[str, Stratum], n: int, seed: int, purpose: str = "") -> list[str]:
    """Return ``n`` items (all, if there are no more), drawn at random within strata that are drawn from as `allocate`
    says: stratum by stratum, in each in random order. ``purpose``: another one draws anew from the same seed.
    """
    strata: defaultdict[Stratum, list[str]] = defaultdict(list)
    for item in shuffled(items, seed, purpose):
        strata[items[item]].append(item)
    sizes = {stratum: len(members) for stratum, members in strata.items()}
    allocation = allocate(sizes, n, random_number(seed, purpose))
    return [item for stratum, count in allocation.items() for item in strata[stratum][:count]]


@dataclass(frozen=True, slots=True)
class AssignedItems:
    """Items of each reviewer: ``alone``, and ``shared`` with others; both in the order they were drawn."""

    alone: dict[str, list[str]]
    shared: dict[str, list[str]]


def assign_items(
    items: Mapping[str, Stratum], reviewers: Sequence[str], shared: int, together: int, seed: int
) -> AssignedItems:
    """Return how to distribute items among reviewers, so that all have as much to do, and the same mix of strata.

    ``shared`` of the items, drawn as `draw` does, go to ``together`` reviewers each; every other item to one. The loads
    differ by one at most, and so do those of one stratum where each item is one reviewer's or everybody's.
    """
    alone: dict[str, list[str]] = {name: [] for name in reviewers}
    several: dict[str, list[str]] = {name: [] for name in reviewers}
    load: Counter[str] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    in_stratum: Counter[tuple[str, Stratum]] = Counter()

    def give(name: str, item: str, to: dict[str, list[str]]) -> None:
        to[name].append(item)
        load[name] += 1
        in_stratum[name, items[item]] += 1

    overlap = draw(items, shared, seed, "overlap") if shared else []
    for item in overlap:
        chosen: list[str] = []
        for _ in range(together):
            others = [name for name in reviewers if name not in chosen]
            chosen.append(min(others, key=lambda name: (load[name], sum(met[name, other] for other in chosen))))
        for name in chosen:
            give(name, item, several)
            met.update((name, other) for other in chosen)
    rest = {item: stratum for item, stratum in items.items() if item not in set(overlap)}
    for item in draw(rest, len(rest), seed, "deal"):
        name = min(reviewers, key=lambda name: (load[name], in_stratum[name, items[item]]))
        give(name, item, alone)
    return AssignedItems(alone, several)


def queue_order(items: Collection[str], again: Collection[str], seed: int, purpose: str) -> tuple[list[str], list[str]]:
    """Return the order of one reviewer's queue: every item once, then those of ``again`` a second time.

    At random, but what comes again came first, and comes again in the same order: between its two turns lie as many
    others as can lie between all of them, one fewer than there are items.
    """
    second = shuffled(again, seed, purpose)
    return [*second, *shuffled(set(items) - set(again), seed, purpose)], second
