"""Tables of counts by two labels: what the judge calls an error, and what the reviewer does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias

from judges.consistency.outcomes import humans_dimension, humans_severity, outcome_of
from judges.consistency.records import AddedError, FindingKind, MissedKind
from judges.model import DIMENSIONS, LEVELS

NOT_GIVEN = "not given"
"""The label where the judge's word could not be read, or the human moved a finding and chose no category."""

ELSEWHERE, REJECTED = "elsewhere", "rejected"
"""Columns of a `Crosstab` that are no label: moved away, and no error (or a duplicate of another)."""

Missed: TypeAlias = "AddedError | MissedKind"

Sizes: TypeAlias = "Iterable[tuple[FindingKind, int]]"
"""Kind of finding → its number."""

Label = Callable[[Any], str | None]
"""Reads a label off a finding or an added error."""

LEVELS_OF_ACCURACY = LEVELS["accuracy"]


@dataclass(frozen=True, slots=True)
class Crosstab:
    """Counts by two labels: the judge's in ``rows``, the human's in ``columns``."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    def part(self, labels: Sequence[str]) -> list[list[int]]:
        """The square part in which both gave one of these labels."""
        return [[self.counts[self.rows.index(a)][self.columns.index(b)] for b in labels] for a in labels]


def attribution_table(sizes: Sizes, added: Iterable[Missed] = ()) -> Crosstab:
    """Judge's dimension × human's over the decided findings, given as how many there are of each kind."""
    return _crosstab(
        sizes=sizes,
        chosen=lambda kind: True,
        judges=attrgetter("dimension"),
        humans=humans_dimension,
        added=added,
        labels=DIMENSIONS,
    )


def severity_table(sizes: Sizes, added: Iterable[Missed] = ()) -> Crosstab:
    """Judge's level × human's of the accuracy judge's decided findings, given as how many there are of each kind."""
    missed = [error for error in added if error.dimension == "accuracy" and error.severity in LEVELS_OF_ACCURACY]
    return _crosstab(
        sizes=sizes,
        chosen=levelled,
        judges=attrgetter("severity"),
        humans=humans_level,
        added=missed,
        labels=LEVELS_OF_ACCURACY,
        others=(ELSEWHERE,),
    )


def humans_level(kind: FindingKind) -> str:
    """The level of the accuracy judge as the reviewer left it, or ``elsewhere``."""
    severity = humans_severity(kind) if humans_dimension(kind) == "accuracy" else None
    return severity if severity in LEVELS_OF_ACCURACY else ELSEWHERE


def levelled(kind: FindingKind) -> bool:
    """Return whether it is the accuracy judge's, at a level that can be read."""
    return kind.judge == "accuracy" and kind.severity in LEVELS_OF_ACCURACY


def _crosstab(
    *,
    sizes: Sizes,
    chosen: Callable[[FindingKind], bool],
    judges: Label,
    humans: Label,
    added: Iterable[Missed],
    labels: Sequence[str],
    others: Sequence[str] = (),
) -> Crosstab:
    """Lay decided findings and added errors out over the declared labels; the human's ``others`` are no level."""
    cells: Counter[tuple[str, str]] = Counter(("added", judges(error) or NOT_GIVEN) for error in added)
    for kind, n in sizes:
        outcome = outcome_of(kind)
        if kind.kept and outcome in ("right", "wrong") and chosen(kind):
            column = humans(kind) or NOT_GIVEN if outcome == "right" else REJECTED
            cells[judges(kind) or NOT_GIVEN, column] += n
    rows, columns = (*labels, "added"), (*labels, *others, REJECTED)
    return Crosstab(rows, columns, tuple(tuple(cells[row, column] for column in columns) for row in rows))
