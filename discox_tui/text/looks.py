"""What is marked in a text, and the one look that each stretch of it then has."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
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
        self._by_key: defaultdict[str, list[int]] = defaultdict(list)
        for index, mark in enumerate(marks):
            self._by_key[mark.key].append(index)
        self._order = sorted(range(len(marks)), key=lambda index: self.extents[index])
        self._starts = [self.extents[index][0] for index in self._order]
        self._cuts = [0]
        self._looks: list[Look | None] = [None]
        starts: defaultdict[int, list[int]] = defaultdict(list)
        ends: defaultdict[int, list[int]] = defaultdict(list)
        for index, (start, end) in enumerate(self.extents):
            if start < end:
                starts[start].append(index)
                ends[end].append(index)
        showing: list[tuple[tuple[bool, bool, int, bool], int]] = []  # a heap, what shows first
        firm: dict[str, int] = {}  # finding → its open marks, of those that count
        for cut in sorted(starts.keys() | ends.keys()):
            for step, changing in ((-1, ends.get(cut, ())), (1, starts.get(cut, ()))):
                for mark in [marks[index] for index in changing]:
                    if not (mark.weak or mark.dropped):
                        firm[mark.key] = firm.get(mark.key, 0) + step
                        if not firm[mark.key]:
                            del firm[mark.key]
            for index in starts.get(cut, ()):
                heappush(showing, (_precedence(marks[index]), index))
            while showing and self.extents[showing[0][1]][1] <= cut:
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


def _precedence(mark: Mark) -> tuple[bool, bool, int, bool]:
    """Order marks in one place so that the one that shows comes first: what counts, what is worse, what is sure."""
    return (mark.dropped, mark.weak, -rank(mark.severity), mark.approximate)


def _look(mark: Mark, overlap: bool) -> Look:
    return Look(mark.severity, mark.approximate, mark.weak, mark.dropped, overlap)
