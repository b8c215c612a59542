"""What is marked in a text, and the one look that each stretch of it then has."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from judges.model import Severity

_MILDEST_FIRST: tuple[Severity | None, ...] = (None, "minor", "violated", "major", "critical", "extremely_critical")
_RANKS = {severity: rank for rank, severity in enumerate(_MILDEST_FIRST)}


def rank(severity: Severity | None) -> int:
    """Return how severe, from 0 for one that could not be read; what shows where marks meet is the highest."""
    return _RANKS[severity]


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch ``[start, end)`` of the text that finding ``key`` is about; where empty, the place beside it.

    ``approximate``: we are not sure of the place. ``weak``: only the context of what the finding is about.
    ``dropped``: the finding does not count (de-duplicated, or a reviewer said so), so it is shown faintly.
    """

    key: str
    start: int
    end: int
    severity: Severity | None = None
    approximate: bool = False
    weak: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class ParagraphMark:
    """A finding that has no place in the text but a paragraph (0-based): a sign in the gutter only."""

    key: str
    paragraph: int
    severity: Severity | None = None
    dropped: bool = False


class Look(NamedTuple):
    """How a stretch looks: as its most telling mark, ``overlap`` where several findings meet."""

    severity: Severity | None
    approximate: bool
    weak: bool
    dropped: bool
    overlap: bool


def extent(mark: Mark, text: str) -> tuple[int, int]:
    """Return what of ``text`` a mark covers: cut to it, and the character after the place (at a line's end, the one
    before) if it would be none."""
    start, end = max(0, min(mark.start, len(text))), min(mark.end, len(text))
    if end > start:
        return start, end
    after = text[start : start + 1]
    return (start, start + 1) if after and after not in "\r\n␍␊" else (max(0, start - 1), start)


class Looks:
    """The look of every stretch of a text under its marks, found in one sweep over them.

    ``extents[i]`` is what ``marks[i]`` covers.
    """

    def __init__(self, marks: Sequence[Mark] = (), text: str = "") -> None:
        self.marks = marks
        self.extents = [extent(mark, text) for mark in marks]
        self._by_key: dict[str, list[int]] = {}
        for index, mark in enumerate(marks):
            self._by_key.setdefault(mark.key, []).append(index)
        self._order = sorted(range(len(marks)), key=self.extents.__getitem__)
        self._starts = [self.extents[index][0] for index in self._order]
        self._cuts = [0]
        self._looks: list[Look | None] = [None]
        self._sweep()

    def _sweep(self) -> None:
        """Find where looks change, and to what."""
        marks, extents = self.marks, self.extents
        opening = [index for index in reversed(self._order) if extents[index][0] < extents[index][1]]
        closing = sorted(opening, key=lambda index: extents[index][1], reverse=True)
        showing: list[tuple[int, int]] = []  # a heap of what is open, and perhaps no longer; what shows comes first
        firm: dict[str, int] = {}  # finding → its open marks, of those that count
        for cut in sorted({edge for index in opening for edge in extents[index]}):
            while closing and extents[closing[-1]][1] == cut:
                mark = marks[closing.pop()]
                if not (mark.weak or mark.dropped):
                    firm[mark.key] -= 1
                    if not firm[mark.key]:
                        del firm[mark.key]
            while opening and extents[opening[-1]][0] == cut:
                index = opening.pop()
                mark = marks[index]
                if not (mark.weak or mark.dropped):
                    firm[mark.key] = firm.get(mark.key, 0) + 1
                heappush(showing, (_precedence(mark), index))
            while showing and extents[showing[0][1]][1] <= cut:
                heappop(showing)
            self._cuts.append(cut)
            self._looks.append(_look(marks[showing[0][1]], len(firm) > 1) if showing else None)

    def runs(self, start: int, end: int) -> Iterator[tuple[int, int, Look | None]]:
        """Yield ``(start, end, look)`` pieces that partition ``[start, end)``; cost grows with their number only."""
        index = bisect_right(self._cuts, start) - 1
        while start < end:
            stop = min(end, self._cuts[index + 1]) if index + 1 < len(self._cuts) else end
            yield start, stop, self._looks[index]
            start, index = stop, index + 1

    def spans(self, key: str | None = None) -> Iterator[tuple[tuple[int, int], Mark]]:
        """Yield what each mark covers, with the mark: of one finding, or of all."""
        for index in range(len(self.marks)) if key is None else self._by_key.get(key, ()):
            yield self.extents[index], self.marks[index]

    def beginning(self, start: int, end: int) -> list[Mark]:
        """Return the marks that begin in ``[start, end)``."""
        low = bisect_left(self._starts, start)
        return [self.marks[index] for index in self._order[low : bisect_left(self._starts, end, low)]]

    def at(self, offset: int) -> tuple[Mark, ...]:
        """Return the marks that cover ``offset``, the narrowest first."""
        found = [(end - start, index) for index, (start, end) in enumerate(self.extents) if start <= offset < end]
        return tuple(self.marks[index] for _, index in sorted(found))


def _precedence(mark: Mark) -> int:
    """Order marks in one place so that the one that shows comes first: what counts, what is worse, what is sure."""
    return 32 * mark.dropped + 16 * mark.weak - 2 * _RANKS[mark.severity] + mark.approximate


def _look(mark: Mark, overlap: bool) -> Look:
    return Look(mark.severity, mark.approximate, mark.weak, mark.dropped, overlap)
