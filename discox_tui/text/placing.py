"""On which line each paragraph begins: one below the other, or beside its counterpart in the other text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judges.model import Bead

if TYPE_CHECKING:
    from collections.abc import Sequence


def stacked_tops(rows: Sequence[int]) -> tuple[list[int], int]:
    """Return the line each paragraph begins on with an empty line between them, and how many lines that makes."""
    tops, line = [], 0
    for count in rows:
        tops.append(line)
        line += count + 1
    return tops, max(0, line - 1)


def aligned_tops(
    beads: Sequence[Bead], rows: tuple[Sequence[int], Sequence[int]]
) -> tuple[tuple[list[int], list[int]], int]:
    """Return the line each paragraph of either side begins on so that aligned ones begin on the same, and the height.

    Args:
        beads: the alignment, in order. A paragraph that no bead names goes with what stands before it.
        rows: how many rows each paragraph of the source, and of the translation, takes.
    """
    tops: tuple[list[int], list[int]] = ([], [])
    ends = [0, 0]
    for bead in (*beads, Bead(tuple(range(len(rows[0]))), tuple(range(len(rows[1]))))):
        ends = [max(ends)] * 2
        for side, numbers in enumerate((bead.source, bead.translation)):
            last = min(max(numbers, default=-1), len(rows[side]) - 1)
            for paragraph in range(len(tops[side]), last + 1):
                tops[side].append(ends[side])
                ends[side] += rows[side][paragraph] + 1
    return tops, max(0, max(ends) - 1)
