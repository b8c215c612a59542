"""Difference of two versions of a text: what was kept, and what was not; apart, since no check needs it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel


class Stretch(NamedTuple):
    """``old[before[0]:before[1]]`` became ``new[after[0]:after[1]]``; ``same``: they are equal."""

    same: bool
    before: tuple[int, int]
    after: tuple[int, int]


def compare(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Stretch]:
    """Yield the stretches of two sequences in order, same and changed in turn, with the most in common (LCS).

    Takes time and memory as len(old) · len(new) / 64, so a pair of 100,000 characters takes a second.
    """
    changed: Stretch | None = None
    for step in Indel.opcodes(old, new):
        before, after = (step.src_start, step.src_end), (step.dest_start, step.dest_end)
        if step.tag == "equal":
            if changed:
                yield changed
            changed = None
            yield Stretch(True, before, after)
        elif changed:
            changed = Stretch(False, (changed.before[0], before[1]), (changed.after[0], after[1]))
        else:
            changed = Stretch(False, before, after)
    if changed:
        yield changed
