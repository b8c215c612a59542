"""Spans of errors in two annotations of the same texts: matched one to one, and WMT's character F1.

Sums of documents are added and divided once (micro averages): an F1 of one document is too often 0/0 or 0.
Source and translation spans never match each other.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, get_args

from judges.model import SIDES, Dimension, Places, Side
from judges.stats.figure import Figure

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

Credit = Literal["exact", "overlap", "partial"]
"""Rules of matching, and their credit: ``exact`` the same characters (em), ``overlap`` one shared character (mp),
``partial`` the shared share of each (mpp)."""
CREDITS: tuple[Credit, ...] = get_args(Credit)

Counting = Literal["wmt23", "wmt25"]
"""``wmt23``: a character is marked or not; ``wmt25``: it is counted as often as it is marked."""

OTHER_SEVERITY = 0.5
"""The share of a match that counts where the severities differ."""

NOTHING_MARKED = "nothing is marked"


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """Characters ``[start, end)`` of one side, marked as an error. Empty: a place where something is missing.

    ``category``: empty where there is none. ``error``: the same for all places of one error; empty: alone.
    """

    side: Side
    start: int
    end: int
    severity: str
    category: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Overlap of two annotations, in sums that add up over documents.

    ``found`` is the credit counted in what was predicted (of ``predicted`` spans or characters), ``recalled`` the one
    counted in the gold (of ``gold``). ``documents``, of which ``empty`` have nothing marked on either side: they add
    nothing to any sum.
    """

    found: float = 0
    recalled: float = 0
    predicted: int = 0
    gold: int = 0
    documents: int = 0
    empty: int = 0

    @property
    def precision(self) -> Figure:
        """The share of the predicted that matched; undefined where nothing was predicted."""
        return self._share(self.found, self.predicted)

    @property
    def recall(self) -> Figure:
        """The share of the gold that was matched; undefined where there is none."""
        return self._share(self.recalled, self.gold)

    @property
    def f1(self) -> Figure:
        """The harmonic mean of precision and recall, 0 where one side is empty; undefined where both are."""
        n = self.predicted + self.gold
        if not n:
            return Figure(None, 0, NOTHING_MARKED)
        if not self.predicted or not self.gold or not self.found:
            return Figure(0.0, n)
        precision, recall = self.found / self.predicted, self.recalled / self.gold
        return Figure(2 * precision * recall / (precision + recall), n)

    def _share(self, credit: float, n: int) -> Figure:
        return Figure(credit / n, n) if n else Figure(None, 0, NOTHING_MARKED)


def total(overlaps: Iterable[Overlap]) -> Overlap:
    """Add the sums of documents up; no documents have nothing."""
    of = list(overlaps)
    return Overlap(
        found=math.fsum(each.found for each in of),
        recalled=math.fsum(each.recalled for each in of),
        predicted=sum(each.predicted for each in of),
        gold=sum(each.gold for each in of),
        documents=sum(each.documents for each in of),
        empty=sum(each.empty for each in of),
    )


def span_match(gold: Sequence[ErrorSpan], predicted: Sequence[ErrorSpan], credit: Credit = "partial") -> Overlap:
    """Match the spans of one document one to one so that the credit is the highest possible (Hungarian method).

    A pair is worth 1 where its spans are the same (``exact``) or share a character (``overlap``), and its Dice
    coefficient for ``partial``; half of it where the severities differ. What counts as found is the pair's worth;
    for ``partial`` the shared characters as a share of the predicted span (precision) and of the gold one (recall),
    likewise halved: "match with partial overlap and partial credit" (arXiv 2603.19921). Empty spans match only one
    another, in the same place.
    """
    import numpy as np

    # In an order of their own, so that ties are decided alike whatever order spans came in.
    gold, predicted = (sorted(spans, key=attrgetter("side", "start", "end", "severity")) for spans in (gold, predicted))
    worth = np.array([[_worth(p, g, credit) for g in gold] for p in predicted], dtype=float)
    worth = worth.reshape(len(predicted), len(gold))
    rows, columns = (np.flatnonzero(worth.any(axis=axis)) for axis in (1, 0))
    found, recalled = [], []
    for row, column in assign(worth[np.ix_(rows, columns)]):  # most spans touch no other
        i, j = rows[row], columns[column]
        if not worth[i, j]:
            continue
        p, g = predicted[i], gold[j]
        reward = _reward(p, g)
        shared = _shared(p, g)
        found.append(reward * (shared / _length(p) if credit == "partial" else 1))
        recalled.append(reward * (shared / _length(g) if credit == "partial" else 1))
    return Overlap(
        found=math.fsum(found),
        recalled=math.fsum(recalled),
        predicted=len(predicted),
        gold=len(gold),
        documents=1,
        empty=int(not gold and not predicted),
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """Two errors, by their places in the two markings, that may be one and the same. ``overlap``: above 0, up to 1."""

    first: int
    second: int
    overlap: float


def match_errors(
    first: Sequence[tuple[Places, Dimension | None]], second: Sequence[tuple[Places, Dimension | None]]
) -> list[Pair]:
    """Match the errors of two markings of one document one to one so that they overlap the most (Hungarian method).

    An error is where it is marked, and its dimension, which decides between equal overlaps. The overlap is that of
    `overlaps`. Errors that share no character are in no pair.
    """
    both = [*first, *second]
    found = {
        (i, j - len(first)): overlap
        for (i, j), overlap in overlaps([places for places, _ in both]).items()
        if i < len(first) <= j
    }
    worth = {(i, j): overlap + ALIKE * (first[i][1] == second[j][1]) for (i, j), overlap in found.items()}
    return [Pair(i, j, found[i, j]) for i, j in assign_few(worth)]


ALIKE = 1e-6
"""The bonus of the same dimension on an overlap, so that it decides between equal ones."""


def overlaps(errors: Sequence[Places]) -> dict[tuple[int, int], float]:
    """Return how far errors of one document overlap, for every two (i < j) that share a character.

    The Dice coefficient of the characters on the sides where both are marked: source and translation never match each
    other, and an omission matches on its source.
    """
    stretches: dict[Side, list[tuple[int, int, int]]] = {side: [] for side in SIDES}
    lengths: dict[Side, dict[int, int]] = {side: {} for side in SIDES}
    for error, places in enumerate(errors):
        for side, start, end in sorted(places) if len(places) > 1 else places:
            length = lengths[side].get(error)
            if length is not None and length and start < (last := stretches[side][-1])[1]:
                start = last[1]  # it was marked twice
            lengths[side][error] = (length or 0) + max(0, end - start)
            if start < end:
                stretches[side].append((start, end, error))
    shared: Counter[tuple[int, int]] = Counter()
    for of in stretches.values():
        reaching: list[tuple[int, int]] = []
        for start, end, error in sorted(of):
            reaching = [each for each in reaching if each[0] > start]
            for other_end, other in reaching:
                shared[(error, other) if error < other else (other, error)] += min(end, other_end) - start
            reaching.append((end, error))
    found = {}
    for (i, j), n in shared.items():
        both = [of for of in lengths.values() if i in of and j in of]
        found[i, j] = 2 * n / sum(of[i] + of[j] for of in both)
    return found


def char_f1(gold: Sequence[ErrorSpan], predicted: Sequence[ErrorSpan], counting: Counting = "wmt25") -> Overlap:
    """Count the marked characters of one document that both mark, half where the severity is another.

    As WMT's scripts do, with any number of severities: in 2023 a character was marked or not, and two markings agree
    on it if they share a severity; since 2025 it counts as often as it is marked, severity by severity, and what is
    left of both goes together for half. An empty span marks no character. Documents in
    which neither marked anything are counted and add nothing.
    """
    both, in_gold, in_predicted = 0.0, 0, 0
    for side in SIDES:
        for length, g, p in _stretches(side, gold, predicted):
            if counting == "wmt23":
                in_gold += length * bool(g)
                in_predicted += length * bool(p)
                both += length * (0 if not g or not p else 1 if g.keys() & p.keys() else OTHER_SEVERITY)
            else:
                same = (g & p).total()
                in_gold += length * g.total()
                in_predicted += length * p.total()
                both += length * (same + OTHER_SEVERITY * (min(g.total(), p.total()) - same))
    return Overlap(
        found=both,
        recalled=both,
        predicted=in_predicted,
        gold=in_gold,
        documents=1,
        empty=int(not gold and not predicted),
    )


def assign(worth: Floats) -> list[tuple[int, int]]:
    """Return pairs (row, column), each row and each column at most once, with the highest possible sum of worth.

    As many pairs as the shorter side has. The Hungarian method (Kuhn 1955) with shortest augmenting paths (Jonker and
    Volgenant 1987), O(n² m) for n ≤ m: every row in turn takes a place along the path that costs the others least.
    """
    import numpy as np

    if worth.shape[0] > worth.shape[1]:
        return sorted((row, column) for column, row in assign(worth.T))
    rows, columns = worth.shape
    cost = -worth
    of_row, of_column = np.zeros(rows), np.zeros(columns)  # potentials: cost - both is 0 for a pair, else not below
    taken_by = np.full(columns, -1)
    for start in range(rows):
        distance, before = np.full(columns, np.inf), np.full(columns, -1)
        done = np.zeros(columns, dtype=bool)
        row, column, least = start, -1, 0.0
        while row >= 0:
            reduced = least + cost[row] - of_row[row] - of_column
            nearer = ~done & (reduced < distance)
            distance[nearer], before[nearer] = reduced[nearer], column
            column = int(np.argmin(np.where(done, np.inf, distance)))
            least = float(distance[column])
            done[column] = True
            row = int(taken_by[column])
        on_path = done & (np.arange(columns) != column)
        of_row[start] += least
        of_row[taken_by[on_path]] += least - distance[on_path]
        of_column[on_path] -= least - distance[on_path]
        while column >= 0:
            previous = int(before[column])
            taken_by[column] = taken_by[previous] if previous >= 0 else start
            column = previous
    return sorted((int(row), column) for column, row in enumerate(taken_by) if row >= 0)


def assign_few(worth: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Return the same where only these pairs (row, column) are worth anything, more than 0, and no other is made.

    What shares no row or column, not even through others, is assigned for itself.
    """
    of_row: defaultdict[int, list[int]] = defaultdict(list)
    of_column: defaultdict[int, list[int]] = defaultdict(list)
    for row, column in worth:
        of_row[row].append(column)
        of_column[column].append(row)
    found: list[tuple[int, int]] = []
    seen: set[int] = set()
    for first in sorted(of_row):
        if first in seen:
            continue
        rows, columns = [first], list[int]()
        seen.add(first)
        for row in rows:  # grows while it is walked
            for column in of_row[row]:
                if column not in columns:
                    columns.append(column)
                    new = [each for each in of_column[column] if each not in seen]
                    seen.update(new)
                    rows += new
        # Where everybody can have the best there is for it, nobody can have better.
        by_row = {row: max((worth[row, column], column) for column in of_row[row])[1] for row in rows}
        if len(set(by_row.values())) == len(rows):
            found += by_row.items()
            continue
        by_column = [(max((worth[row, column], row) for row in of_column[column])[1], column) for column in columns]
        found += by_column if len(dict(by_column)) == len(columns) else _part(sorted(rows), sorted(columns), worth)
    return sorted(found)


def _part(rows: list[int], columns: list[int], worth: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    import numpy as np

    pairs = assign(np.array([[worth.get((row, column), 0.0) for column in columns] for row in rows]))
    return [(rows[i], columns[j]) for i, j in pairs if (rows[i], columns[j]) in worth]


def _worth(p: ErrorSpan, g: ErrorSpan, credit: Credit) -> float:
    shared = _shared(p, g)
    if not shared:
        return 0.0
    if credit == "exact":
        return _reward(p, g) * ((p.start, p.end) == (g.start, g.end))
    return _reward(p, g) * (2 * shared / (_length(p) + _length(g)) if credit == "partial" else 1)


def _reward(p: ErrorSpan, g: ErrorSpan) -> float:
    return 1 if p.severity == g.severity else OTHER_SEVERITY


def _shared(p: ErrorSpan, g: ErrorSpan) -> int:
    """Return how many characters two spans share; an empty one counts as one, that it shares with its like."""
    if p.side != g.side:
        return 0
    if p.start == p.end or g.start == g.end:
        return int((p.start, p.end) == (g.start, g.end))
    return max(0, min(p.end, g.end) - max(p.start, g.start))


def _length(span: ErrorSpan) -> int:
    return max(1, span.end - span.start)


def _stretches(
    side: Side, gold: Iterable[ErrorSpan], predicted: Iterable[ErrorSpan]
) -> list[tuple[int, Counter[str], Counter[str]]]:
    """The stretches between one span's end and the next: length, and how often each severity marks it, by whom."""
    steps: dict[int, tuple[Counter[str], Counter[str]]] = {}
    for which, spans in enumerate((gold, predicted)):
        for span in spans:
            if span.side == side:
                for at, step in ((span.start, 1), (span.end, -1)):
                    steps.setdefault(at, (Counter(), Counter()))[which][span.severity] += step
    marked: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    found = []
    for at, end in pairwise(sorted(steps)):
        for open_now, change in zip(marked, steps[at], strict=True):
            open_now.update(change)
        found.append((end - at, +marked[0], +marked[1]))
    return found
