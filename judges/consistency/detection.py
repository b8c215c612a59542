"""Precision and recall of a judge's findings, by the reviewers' verdicts, in all and by every label.

A finding that stood after de-duplication is *right* (agreed with, changed, or moved to another dimension), *wrong*
(not an error, a duplicate of another, or a rubric point that asks too much), *unsure* or *unseen*. The last two stay
out of every share, with counts. So do *repeated* ones: an error that is marked at several places counts once.

By dimension, category or severity the judge's label counts for precision and the human's for recall: a finding moved
from accuracy to fluency is right overall, wrong under accuracy and missed under fluency.

Findings that de-duplication dropped are no part of what the judge reported: they count in `deduplication` only, the
restored ones too.

Findings of one article resemble one another. So intervals are by bootstrap over articles, each figure's over those
that say anything of it: the same whatever else is in the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from judges.consistency.crosstabs import NOT_GIVEN, Label, Sizes
from judges.consistency.outcomes import humans_category, humans_dimension, humans_severity, outcome_of
from judges.consistency.records import (
    AddedError,
    FindingTable,
    Key,
    MetPoint,
    ReviewedFinding,
    ReviewedRow,
    article_codes,
)
from judges.model import CATEGORIES, DIMENSIONS, SEVERITIES
from judges.stats.figure import Figure
from judges.stats.intervals import ExpandedBootstrap, Part
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from judges.stats.arrays import Integers

Rows: TypeAlias = "FindingTable | Iterable[ReviewedFinding]"

Grouping = Literal["dimension", "category", "severity", "system", "direction", "domain", "judge_model", "reviewer"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)

NOT_SEARCHED = "no reviewer says that these documents were searched for errors that the judge missed"
NOTHING_DECIDED = "no finding has been decided"
NOTHING_FOUND = "what was reviewed holds no finding of the judge"
NO_ERROR_KNOWN = "no error is known where missed ones were searched for"

_NOTHING_FOUND = Figure(None, 0, NOTHING_FOUND)
_NOTHING_DECIDED = Figure(None, 0, NOTHING_DECIDED)
_NOT_SEARCHED = Figure(None, 0, NOT_SEARCHED)

Searched = Set[tuple[Key, str]]
"""The (evaluation, reviewer) pairs where the search for missed errors is declared done."""


@dataclass(frozen=True, slots=True)
class FindingCounts:
    """Findings that are ``right`` (TP), ``wrong`` (FP), ``unsure`` and ``unseen``, and errors ``missed`` (FN).

    ``repeated``: right findings that are a further place of an error that counts already.
    """

    right: int = 0
    wrong: int = 0
    unsure: int = 0
    unseen: int = 0
    missed: int = 0
    repeated: int = 0

    @property
    def found(self) -> int:
        """The number of findings, decided or not, without repeated ones."""
        return self.right + self.wrong + self.unsure + self.unseen


@dataclass(frozen=True, slots=True)
class Detection(FindingCounts):
    """Precision and recall of a judge's findings: counts, and figures with intervals.

    ``coverage``: (TP + FP) / N, the share of the N findings that is decided. ``precision``: TP / (TP + FP), of the
    decided ones the share that are errors; ``precision_bounds``: TP / N and (TP + U) / N, as if all the undecided (U)
    were wrong, or right. ``searched`` counts the documents where the search for missed errors is done, None if there
    are none; over them alone ``recall``, TP / (TP + FN), and ``f1``, 2TP / (2TP + FP + FN).
    """

    searched: FindingCounts | None = None
    coverage: Figure = _NOTHING_FOUND
    precision: Figure = _NOTHING_DECIDED
    precision_bounds: tuple[Figure, Figure] = (_NOTHING_FOUND, _NOTHING_FOUND)
    recall: Figure = _NOT_SEARCHED
    f1: Figure = _NOT_SEARCHED


_ORDER = tuple(field.name for field in fields(FindingCounts))
_MISSED = _ORDER.index("missed")

_HUMANS: Mapping[str, Label] = {
    "dimension": humans_dimension,
    "category": humans_category,
    "severity": humans_severity,
}
"""Readers of the human's label; a grouping not named here has nothing that a human could change."""

_DECLARED: Mapping[str, Sequence[str]] = {
    "dimension": DIMENSIONS,
    "category": [category for categories in CATEGORIES.values() for category in categories],
    "severity": SEVERITIES,
}


@dataclass(frozen=True, slots=True)
class Cells:
    """Findings added up: ``size`` of them by ``kind`` and ``article``, and kept ones by review × outcome."""

    kind: Integers
    article: Integers
    size: Integers
    by_review: Integers


class FindingColumns:
    """A table of findings with the articles, labels and outcomes that every figure asks for."""

    def __init__(
        self,
        table: FindingTable,
        added: Sequence[AddedError] = (),
        searched: Searched = frozenset(),
        resamples: int = RESAMPLES,
        seed: int = SEED,
        points: Sequence[MetPoint] = (),
    ) -> None:
        import numpy as np

        self.table, self.added, self.points = table, added, points
        self.intervals = ExpandedBootstrap(resamples, seed)
        review, kind = np.array(table.review, dtype=np.int64), np.array(table.kind, dtype=np.int64)
        rows: list[ReviewedRow] = [*table.reviews, *added]
        self.places = places = article_codes([*rows, *points])
        self.n_articles = len(places)
        self.article_of = np.array([places[row.direction, row.article] for row in rows], dtype=np.int64)
        self.in_search = np.array([(row.evaluation, row.reviewer) in searched for row in rows], dtype=bool)
        self.any_searched = bool(searched)
        self.kept = np.array([kind.kept for kind in table.kinds], dtype=bool)
        self.outcomes = [outcome_of(kind) for kind in table.kinds]
        self.of_kind = np.bincount(kind, minlength=len(table.kinds))
        self.cells = self._cells(review, kind)
        if self.any_searched:
            sought = self.in_search[review]
            self.cells_searched = self._cells(review[sought], kind[sought])

    def _cells(self, review: Integers, kind: Integers) -> Cells:
        """Add findings up once, so that every figure goes over few cells and not over all findings again."""
        import numpy as np

        places, sizes = np.unique(kind * self.n_articles + self.article_of[review], return_counts=True)
        outcome = np.array([_ORDER.index(outcome) for outcome in self.outcomes], dtype=np.int64)
        kept = self.kept[kind]
        shape = len(self.table.reviews), len(_ORDER)
        by_review = np.bincount(review[kept] * len(_ORDER) + outcome[kind[kept]], minlength=shape[0] * shape[1])
        return Cells(
            places // max(1, self.n_articles), places % max(1, self.n_articles), sizes, by_review.reshape(shape)
        )

    def by_article(self, of_kind: Iterable[bool]) -> Integers:
        """Return how many findings of each article are of these kinds."""
        import numpy as np

        chosen = np.array(list(of_kind), dtype=bool)[self.cells.kind]
        return added_up(self.cells.article[chosen], self.cells.size[chosen], self.n_articles)

    def sizes(self) -> Sizes:
        """Return how many findings there are of each kind."""
        return zip(self.table.kinds, self.of_kind.tolist(), strict=True)


def detections(columns: FindingColumns, *groupings: Grouping | Literal["all", "seen"]) -> list[dict[str, Detection]]:
    """Return the counts and figures of each label of each grouping, in the declared order, else alphabetically."""
    parts: list[Part] = []
    by_label: list[list[tuple[str, Integers]]] = []
    for grouping in groupings:
        names, counts = _counts(columns, grouping)
        declared = {label: position for position, label in enumerate(_DECLARED.get(grouping, ()))}
        labels = sorted(names, key=lambda label: (declared.get(label, len(declared)), label))
        by_label.append([(label, counts[:, names[label]].sum(axis=1)) for label in labels])
        for label in labels:
            parts += _parts(columns, *counts[:, names[label]])
    whys = [NOTHING_FOUND, NOTHING_DECIDED, NOTHING_FOUND, NOTHING_FOUND]
    if columns.any_searched:
        whys += [NO_ERROR_KNOWN, NO_ERROR_KNOWN]
    figures = iter(columns.intervals.shares(parts, whys * (len(parts) // len(whys))))

    def detection(sums: Integers) -> Detection:
        (right, wrong, unsure, unseen, missed, repeated), part = sums.tolist()
        coverage, precision, low, high = (next(figures) for _ in range(4))
        found = Detection(
            right=right,
            wrong=wrong,
            unsure=unsure,
            unseen=unseen,
            missed=missed,
            repeated=repeated,
            searched=None,
            coverage=coverage,
            precision=precision,
            precision_bounds=(low, high),
        )
        if columns.any_searched:
            found = replace(found, searched=FindingCounts(*part), recall=next(figures), f1=next(figures))
        return found

    return [{label: detection(sums) for label, sums in labels} for labels in by_label]


def _parts(columns: FindingColumns, counts: Integers, searched: Integers) -> list[Part]:
    """Return the numerators and denominators of a label's figures, from its counts (articles × outcomes)."""
    right, wrong, unsure, unseen, *_ = counts.T
    decided, found = right + wrong, right + wrong + unsure + unseen
    parts: list[Part] = [
        (decided, found, None),
        (right, decided, None),
        (right, found, None),
        (found - wrong, found, None),
    ]
    if columns.any_searched:
        right, wrong, _, _, missed, _ = searched.T
        n = int((right + wrong + missed).sum())
        parts += [(right, right + missed, None), (2 * right, 2 * right + wrong + missed, n)]
    return parts


def _counts(columns: FindingColumns, grouping: Grouping | Literal["all", "seen"]) -> tuple[dict[str, int], Integers]:
    """Return the labels' places, and counts (all or searched × labels × articles × `_ORDER`)."""
    import numpy as np

    names: dict[str, int] = {}

    def coded(labels: Iterable[str | None]) -> Integers:
        return np.array([names.setdefault(label or NOT_GIVEN, len(names)) for label in labels], dtype=np.int64)

    outcome = np.array([_ORDER.index(outcome) for outcome in columns.outcomes], dtype=np.int64)
    in_kinds = grouping in _HUMANS
    added_label = coded(_label(grouping)(error) for error in columns.added)
    if in_kinds:
        judges = coded(_label(grouping)(kind) if kind.kept else None for kind in columns.table.kinds)
        humans = coded(_HUMANS[grouping](kind) if kind.kept else None for kind in columns.table.kinds)
        moved = columns.kept & (judges != humans) & (outcome == _ORDER.index("right"))
        outcome = np.where(moved, _ORDER.index("wrong"), outcome)
    else:
        of_review = coded(_label(grouping)(row) for row in columns.table.reviews)
    counts = np.zeros((2, len(names), columns.n_articles, len(_ORDER)), dtype=np.int64)
    reviews = len(columns.table.reviews)
    for which in range(1 + columns.any_searched):
        cells = columns.cells_searched if which else columns.cells
        if in_kinds:
            for chosen, label, what in (
                (columns.kept, judges, outcome),
                (moved, humans, np.full_like(outcome, _MISSED)),
            ):
                here = chosen[cells.kind]
                kind = cells.kind[here]
                np.add.at(counts[which], (label[kind], cells.article[here], what[kind]), cells.size[here])
        else:
            np.add.at(counts[which], (of_review, columns.article_of[:reviews]), cells.by_review)
        sought = columns.in_search[reviews:] if which else np.ones(len(columns.added), dtype=bool)
        np.add.at(counts[which], (added_label[sought], columns.article_of[reviews:][sought], _MISSED), 1)
    used = counts[0].sum(axis=(1, 2)) > 0
    return {label: place for label, place in names.items() if used[place]}, counts


def added_up(places: Integers, sizes: Integers, n: int) -> Integers:
    """Add sizes up by place (0 … n - 1)."""
    import numpy as np

    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, places, sizes)
    return sums


def _label(grouping: Grouping | Literal["all", "seen"]) -> Label:
    return attrgetter(grouping) if grouping != "all" else lambda _: "all"
