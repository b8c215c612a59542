"""Changes by locating findings anew: which places came, went and moved, and what is certain or nowhere since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

from judges.model import EXACT, SIDES, Grounded, Side, Span


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes by locating, summed over evaluations.

    ``first``: evaluations that were not located before; ``earlier``: method that the others were located by before →
    number of evaluations. All else is of these others. A place is a highlighted stretch of a finding that is no
    context of another. Of the places of a finding on one side, those that are in both count nothing; of those that are
    in one only, ``moved`` are as many as have a counterpart, and the rest ``gained`` or ``lost``, so that
    ``places_after`` is ``places_before`` + ``gained`` - ``lost``. ``certain``: places of confidence 0.95 and more;
    ``nowhere``: quotes that occur nowhere.
    """

    first: int = 0
    earlier: Mapping[str, int] = field(default_factory=dict)
    gained: int = 0
    lost: int = 0
    moved: int = 0
    places_before: int = 0
    places_after: int = 0
    certain_before: int = 0
    certain_after: int = 0
    nowhere_before: int = 0
    nowhere_after: int = 0

    @property
    def again(self) -> int:
        """Evaluations that were located before."""
        return sum(self.earlier.values())

    @property
    def evaluations(self) -> int:
        """All evaluations that were located."""
        return self.first + self.again

    def __add__(self, other: Changes) -> Changes:
        """Return the changes of both."""
        counts = {
            part.name: getattr(self, part.name) + getattr(other, part.name)
            for part in fields(Changes)
            if part.name != "earlier"
        }
        return Changes(earlier=dict(Counter(self.earlier) + Counter(other.earlier)), **counts)


def changes(method: str, before: Mapping[str, Grounded], after: Mapping[str, Grounded]) -> Changes:
    """Return what changed in one evaluation that was located by ``method`` before, "" if not at all.

    ``before``, ``after``: finding id → where it is.
    """
    if not method:
        return Changes(first=1)
    gained = lost = moved = 0
    for finding in before.keys() | after.keys():
        for side in SIDES:
            old, new = (_places(each.get(finding, Grounded()), side) for each in (before, after))
            went, came = len(old - new), len(new - old)
            moved += min(went, came)
            gained += max(0, came - went)
            lost += max(0, went - came)
    places = [[span for where in each.values() for span in _lit(where)] for each in (before, after)]
    certain = [sum(span.confidence >= EXACT for span in spans) for spans in places]
    nowhere = [sum(len(where.unlocated) for where in each.values()) for each in (before, after)]
    return Changes(
        earlier={method: 1},
        gained=gained,
        lost=lost,
        moved=moved,
        places_before=len(places[0]),
        places_after=len(places[1]),
        certain_before=certain[0],
        certain_after=certain[1],
        nowhere_before=nowhere[0],
        nowhere_after=nowhere[1],
    )


def _lit(where: Grounded) -> Iterable[Span]:
    return (span for span in where.spans if span.lit and span.role == "quote")


def _places(where: Grounded, side: Side) -> set[tuple[int, int]]:
    return {(span.start, span.end) for span in _lit(where) if span.side == side}
