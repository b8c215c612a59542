"""The difficulty filter: an article stays if strong systems fail enough of its rubric points.

DiscoX kept what two systems both failed at least 8 points of; its project page words the rule as "every system fails at
least one". What no judge has said counts neither way: an outcome is only claimed where it could not come out
differently.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from judges.stats.numerics import rounded_up

State = Literal["stays", "easy", "cannot_pass", "waiting", "judge_failed", "no_translation"]
"""``stays``: every system fails enough. ``easy``: some system does not. ``cannot_pass``: the article has fewer points
than the rule asks for. ``waiting``: it depends on systems that are not judged yet. ``judge_failed``: it depends on
verdicts that the judge owes. ``no_translation``: every system fails enough, but one only as its text is no translation
at all, which says nothing of how hard the article is."""
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule of the difficulty filter: an article stays where every system fails this much; all conditions must hold.

    ``min_failed``: so many points, from 1. ``min_share``: such a share of the article's points, in (0, 1].
    ``every_fails_one``: one point. A rule without a condition raises ValueError, as does a number out of its range.
    """

    min_failed: int | None = None
    min_share: float | None = None
    every_fails_one: bool = False

    def __post_init__(self) -> None:
        if self.min_failed is None and self.min_share is None and not self.every_fails_one:
            raise ValueError("a filter needs a number of points, a share of them, or “every system fails one”")
        if self.min_failed is not None and self.min_failed < 1:
            raise ValueError("a filter needs one failed point at least")
        if self.min_share is not None and not 0 < self.min_share <= 1:
            raise ValueError("a share of points is above 0 and at most 1")

    def needed(self, points: int) -> int:
        """Return how many of an article's points each system has to fail."""
        share = 0 if self.min_share is None else rounded_up(self.min_share * points)
        return max(self.min_failed or 1, share)

    @property
    def words(self) -> str:
        """The rule in words for people."""
        said = []
        if self.min_failed is not None:
            said.append(f"every system fails {_points(self.min_failed)} at least")
        if self.min_share is not None:
            said.append(f"every system fails {self.min_share:.4g} of the points at least")
        if self.every_fails_one:
            said.append("every system fails one point at least")
        return "; ".join(said)


DISCOX = Rule(min_failed=8)
"""The rule of the paper."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Verdicts on one system's translation: the numbers of the points that it fails, and of those not known.

    A judge that failed leaves all points ``unknown``, one that said nothing readable of a point leaves that.
    ``no_translation``: the text failed the judge's instruction check; it fails every point by that alone.
    """

    failed: frozenset[int]
    unknown: frozenset[int] = frozenset()
    no_translation: bool = False

    def overruled(self, says: Mapping[int, bool]) -> Verdicts:
        """Return the verdicts with a person's in place of the judge's: point → whether the translation meets it."""
        failed = frozenset(point for point, met in says.items() if not met)
        return Verdicts(self.failed - says.keys() | failed, self.unknown - says.keys(), self.no_translation)


@dataclass(frozen=True, slots=True)
class PointOutcome:
    """Outcome of one point: the systems that fail it, and those of which it is not known; the others meet it."""

    number: int
    failed_by: tuple[str, ...]
    unknown_by: tuple[str, ...]
    systems: int

    @property
    def by_all(self) -> bool:
        """Return whether every system fails it: too hard, or asking what is not so."""
        return 0 < self.systems == len(self.failed_by)

    @property
    def by_none(self) -> bool:
        """Return whether every system meets it, so that it tells nobody apart."""
        return self.systems > 0 and not self.failed_by and not self.unknown_by


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of the filter for one article, and ``why`` in words for people.

    ``needed``: the points that each system has to fail. ``failed``: those that each does, None for one of which no
    verdict is known: it is not judged, or the judge failed. ``owed``: the verdicts that the judge owes of each.
    ``points``: in the order of their numbers. ``no_translation``: the systems whose text is none.
    """

    state: State
    why: str
    needed: int
    failed: Mapping[str, int | None]
    points: tuple[PointOutcome, ...]
    owed: Mapping[str, int]
    no_translation: tuple[str, ...] = ()

    def said_of(self, system: str) -> str:
        """Return what is known of a system's translation, in words for people."""
        failed, owed = self.failed[system], self.owed[system]
        if system in self.no_translation:
            return f"no translation; by that alone it fails {failed} of {len(self.points)}"
        if failed is None:
            return "the judge failed" if owed else "not judged yet"
        return f"fails {failed} of {len(self.points)}" + (f", {owed} not known" if owed else "")

    def count_of(self, system: str) -> str:
        """Return how many points a system fails, for a table.

        "–" where no verdict is known, "?" after a number where one is owed, "none" where its text is no translation.
        """
        failed = self.failed.get(system)
        if system in self.no_translation:
            return "none"
        return "–" if failed is None else f"{failed}{'?' if self.owed[system] else ''}"


def decide(rule: Rule, points: Collection[int], verdicts: Mapping[str, Verdicts | None]) -> Outcome:
    """Return whether an article with these ``points`` (their numbers) stays.

    ``verdicts``: by system; None for one that is not translated or judged yet. Numbers that are no points count for
    nothing. More failed points never make an article easier, nor do fewer make it harder.
    """
    numbers = sorted(set(points))
    known = {
        system: said
        and Verdicts(said.failed & set(numbers), (said.unknown - said.failed) & set(numbers), said.no_translation)
        for system, said in verdicts.items()
    }
    needed = rule.needed(len(numbers))
    state, why = _state(needed, len(numbers), known)
    failed = {
        system: None if said is None or (said.unknown and len(said.unknown) == len(numbers)) else len(said.failed)
        for system, said in known.items()
    }
    return Outcome(
        state,
        why,
        needed,
        failed,
        tuple(_point(number, known) for number in numbers),
        {system: len(said.unknown) if said else 0 for system, said in known.items()},
        tuple(system for system, said in known.items() if said and said.no_translation),
    )


def _state(needed: int, points: int, verdicts: Mapping[str, Verdicts | None]) -> tuple[State, str]:
    if points < needed:
        return "cannot_pass", f"It has {_points(points)}, and every system has to fail {needed}."
    if not verdicts:
        return "waiting", "No system is to translate it."
    easy = [system for system, said in verdicts.items() if said and len(said.failed | said.unknown) < needed]
    if easy:
        told = ", ".join(f"{system} fails {_points(_failed(verdicts[system]))}" for system in easy)
        return "easy", f"{told}; {needed} are asked for."
    absent = [system for system, said in verdicts.items() if said is None]
    if absent:
        return "waiting", f"{', '.join(absent)}: not judged yet."
    owed = [system for system, said in verdicts.items() if said and len(said.failed) < needed]
    if owed:
        return "judge_failed", f"{', '.join(owed)}: the judge owes verdicts that it depends on."
    none = [system for system, said in verdicts.items() if said and said.no_translation]
    if none:
        what = "its text is no translation" if len(none) == 1 else "their texts are no translations"
        return "no_translation", f"{', '.join(none)}: {what}, so that nothing shows whether the article is hard."
    return "stays", f"Every system fails {needed} or more of {_points(points)}."


def _failed(said: Verdicts | None) -> int:
    return 0 if said is None else len(said.failed)


def _point(number: int, verdicts: Mapping[str, Verdicts | None]) -> PointOutcome:
    failed = tuple(system for system, said in verdicts.items() if said and number in said.failed)
    unknown = tuple(system for system, said in verdicts.items() if said is None or number in said.unknown)
    return PointOutcome(number, failed, unknown, len(verdicts))


def _points(n: int) -> str:
    return f"{n} point{'' if n == 1 else 's'}"
