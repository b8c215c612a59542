"""Marks in a text, and the one look that each stretch of it then has."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from copy import copy
from dataclasses import dataclass
from itertools import accumulate, pairwise
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
    ``own``: the reviewer marked it.
    """

    key: str
    start: int
    end: int
    severity: Severity | None = None
    approximate: bool = False
    weak: bool = False
    dropped: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class ParagraphMark:
    """A finding that has no place in the text but a paragraph (0-based): a sign in the gutter only."""

    key: str
    paragraph: int
    severity: Severity | None = None
    dropped: bool = False


class Look(NamedTuple):
    """The look of a stretch: its most telling mark's; ``overlap`` where several findings meet.

    ``own``: one of them is the reviewer's own, whatever the others are.
    """

    severity: Severity | None
    approximate: bool
    weak: bool
    dropped: bool
    overlap: bool
    own: bool = False


def extent(mark: Mark, text: str) -> tuple[int, int]:
    """Return what of ``text`` a mark covers: cut to it, and the character after the place (at a line's end, the one
    before) if it would be none."""
    start, end = max(0, min(mark.start, len(text))), min(mark.end, len(text))
    if end > start:
        return start, end
    after = text[start : start + 1]
    return (start, start + 1) if after and after not in "\r\n␍␊" else (max(0, start - 1), start)


class Looks:
    """Marks over a text, and the look they give to any stretch of it, whose cost is that of the marks on it only.

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
        self._ends = list(accumulate((self.extents[index][1] for index in self._order), max))  # the last so far

    def replaced(self, key: str, marks: Sequence[Mark]) -> Looks | None:
        """Return these marks with others for one finding, at no more cost than theirs; None if they are elsewhere."""
        indexes = self._by_key.get(key, [])
        places = [(self.marks[index].start, self.marks[index].end) for index in indexes]
        if places != [(mark.start, mark.end) for mark in marks]:
            return None
        changed, all_marks = copy(self), list(self.marks)
        for index, mark in zip(indexes, marks, strict=True):
            all_marks[index] = mark
        changed.marks = all_marks
        return changed

    def spans(self, key: str | None = None) -> Iterator[tuple[tuple[int, int], Mark]]:
        """Yield what each mark covers, with the mark: of one finding, or of all."""
        for index in range(len(self.marks)) if key is None else self._by_key.get(key, ()):
            yield self.extents[index], self.marks[index]

    def on(self, start: int, end: int) -> list[tuple[tuple[int, int], Mark]]:
        """Return the marks that touch ``[start, end)`` with what they cover, by where they begin."""
        candidates = self._order[bisect_right(self._ends, start) : bisect_left(self._starts, end)]
        return [(self.extents[index], self.marks[index]) for index in candidates if self.extents[index][1] > start]

    def runs(self, start: int, end: int) -> Iterator[tuple[int, int, Look | None]]:
        """Yield ``(start, end, look)`` pieces that partition ``[start, end)``."""
        here = self.on(start, end)
        edges = {start, end, *(edge for span, _ in here for edge in span if start < edge < end)}
        for left, right in pairwise(sorted(edges)):
            yield left, right, _look([mark for (begin, stop), mark in here if begin <= left < stop])

    def beginning(self, start: int, end: int) -> list[Mark]:
        """Return the marks that begin in ``[start, end)``."""
        low = bisect_left(self._starts, start)
        return [self.marks[index] for index in self._order[low : bisect_left(self._starts, end, low)]]

    def at(self, offset: int) -> tuple[Mark, ...]:
        """Return the marks that cover ``offset``, the narrowest first."""
        narrowest_first = sorted(self.on(offset, offset + 1), key=lambda found: found[0][1] - found[0][0])
        return tuple(mark for _, mark in narrowest_first)


def _look(marks: Sequence[Mark]) -> Look | None:
    """Return the look of a stretch under these marks: what counts shows first, then what is worse, what is sure."""
    if not marks:
        return None
    top = min(marks, key=lambda mark: (mark.dropped, mark.weak, -rank(mark.severity), mark.approximate))
    overlap = len({mark.key for mark in marks if not (mark.weak or mark.dropped)}) > 1
    own = any(mark.own and not mark.dropped for mark in marks)
    return Look(top.severity, top.approximate, top.weak, top.dropped, overlap, own)
