"""Find texts that are nearly, or partly, the same: an article counts once, however often it was collected."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judges.stats.arrays import Integers

LEAST = 0.3
"""The share of the shorter text's shingles in the other, in [0, 1], from which two texts are told of."""
SHINGLE = 12
"""The weight of a shingle: twelve letters of an alphabet, four Chinese characters, or a mixture."""
AT_ONCE = 8_000_000
"""Shingles looked at together. Of more, every second, third … is looked at to find pairs, which are then measured."""

_WIDE = 3
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 2**64)


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two texts that share much. ``first``, ``second``: their places in ``texts``, or the latter in ``against``.

    Of their sets of shingles, ``similarity`` is Jaccard's (1901) index, |A ∩ B| / |A ∪ B|, and ``containment`` (Broder
    1997) |A ∩ B| / min(|A|, |B|): 1 where the one text is a part of the other. Both in (0, 1].
    """

    first: int
    second: int
    in_against: bool
    similarity: float
    containment: float


def near_duplicates(texts: Sequence[str], against: Sequence[str] = (), least: float = LEAST) -> list[NearDuplicate]:
    """Return the pairs of ``texts``, and of a text and one of ``against``, that share ``least`` or more of the shorter.

    The nearest first. Only letters and digits count, whatever their case, width or accents' form. About 1 s for 1,000
    articles of 3,000 characters, and in proportion for more.
    """
    sets = [_shingles(text) for text in (*texts, *against)]
    found = []
    for first, second in _sharing(sets, len(texts), least):
        if pair := _measured(sets, first, second, len(texts)):
            found.append(pair)
    chosen = [pair for pair in found if pair.containment >= least]
    return sorted(chosen, key=lambda pair: (-pair.containment, -pair.similarity, pair.first, pair.second))


def _measured(sets: Sequence[Integers], first: int, second: int, own: int) -> NearDuplicate | None:
    import numpy as np

    one, other = sets[first], sets[second]
    shared = len(np.intersect1d(one, other, assume_unique=True))
    if not shared:
        return None
    in_against = second >= own
    union, fewer = len(one) + len(other) - shared, min(len(one), len(other))
    return NearDuplicate(first, second - own if in_against else second, in_against, shared / union, shared / fewer)


def _sharing(sets: Sequence[Integers], own: int, least: float) -> Iterator[tuple[int, int]]:
    """Yield pairs (first < second, the first below ``own``) that share enough of what is looked at."""
    import numpy as np

    step = 1 + sum(map(len, sets)) // AT_ONCE
    looked_at = [each[each % step == 0] if step > 1 else each for each in sets]
    sizes = np.array([len(each) for each in looked_at], dtype=np.int64)
    if not sizes.sum():
        return
    owner = np.repeat(np.arange(len(sets)), sizes)
    _, code = np.unique(np.concatenate(looked_at), return_inverse=True)
    order = np.argsort(code, kind="stable")
    holders = owner[order]  # by shingle, and in order within each
    ends = np.cumsum(np.bincount(code))
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    bounds = np.cumsum(sizes)
    for first in range(own):
        mine = slice(bounds[first] - sizes[first], bounds[first])
        after, end = position[mine] + 1, ends[code[mine]]
        later = end > after
        counts = (end - after)[later]
        if not len(counts):
            continue
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        shared = np.bincount(holders[np.repeat(after[later], counts) + offsets], minlength=len(sets))
        # A sample's share is off by some; whatever comes near is measured whole.
        wanted = (least if step == 1 else least / 2) * np.minimum(sizes, sizes[first])
        for second in np.flatnonzero((shared > 0) & (shared >= wanted)).tolist():
            yield first, second


def _shingles(text: str) -> Integers:
    """The distinct shingles of a text as hashes; a text too short for one is one by itself, and an empty one has none.

    A shingle begins at each letter or digit and ends with the one that brings its weight to `SHINGLE`.
    """
    import numpy as np

    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = np.array([ord(character) for character in folded if character.isalnum()], dtype=np.uint64)
    if not len(letters):
        return np.zeros(0, dtype=np.int64)
    weight = np.concatenate([[0], np.cumsum(np.where(letters >= 0x2E80, _WIDE, 1))])
    ends = np.searchsorted(weight, weight[:-1] + SHINGLE)
    whole = ends < len(weight)
    if not whole.any():
        ends, whole = np.full(len(letters), len(letters)), np.arange(len(letters)) == 0
    # Hashes of stretches from those of the text's beginnings (Karp and Rabin 1987), modulo 2^64, then mixed.
    base, inverse = (np.cumprod(np.full(len(letters), each, dtype=np.uint64)) for each in (_BASE, _INVERSE))
    beginnings = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(letters * base, dtype=np.uint64)])
    begins = np.flatnonzero(whole)
    hashes = (beginnings[ends[begins]] - beginnings[begins]) * inverse[begins]
    hashes = (hashes ^ (hashes >> np.uint64(32))) * np.uint64(_BASE)
    shingles: Integers = np.unique((hashes >> np.uint64(1)).astype(np.int64))
    return shingles
