"""Records that the figures are computed from: one for each finding, document, missed error … that was reviewed."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, compress
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from judges.consistency.spans import ErrorSpan
from judges.model import (
    DIMENSIONS,
    Decision,
    Dimension,
    InstructionDecision,
    Judge,
    Place,
    PointDecision,
    Score,
    Severity,
    Side,
)

Key = str | int
"""The id of an evaluation or article."""


BLIND_FIRST, ANCHORED = "blind first", "anchored"
"""A reviewer's start: with the text alone, or with the judge's findings from the beginning."""


@dataclass(frozen=True, slots=True)
class ReviewedRow:
    """Base of every record: the evaluation, its judge model, and its reviewer.

    ``reviewer`` is a layer. ``blind``: they marked errors before they saw the judge's findings.
    """

    evaluation: Key
    article: Key
    system: str
    direction: str
    domain: str
    judge_model: str
    reviewer: str
    blind: bool = field(default=False, kw_only=True)

    @property
    def row(self) -> ReviewedRow:
        """The review that the record is of, alone."""
        head = _row(self)
        return ReviewedRow(*head[:-1], blind=head[-1])

    @property
    def seen(self) -> str:
        """The text that the reviewer saw first."""
        return BLIND_FIRST if self.blind else ANCHORED


class FindingKind(NamedTuple):
    """Kind of a finding: the properties that the figures ask of it. Many findings share one.

    ``kept``: it stood after de-duplication. ``decision`` None: not yet looked at. The ``human_…`` fields are set only
    where the reviewer changed the judge's value. ``category`` and ``severity`` are None where the judge's word was
    unreadable. ``repeat``: right, but a further place of an error that counts already.
    """

    judge: Judge
    dimension: Dimension
    category: str | None
    severity: Severity | None
    kept: bool = True
    decision: Decision | None = None
    human_dimension: Dimension | None = None
    human_category: str | None = None
    human_severity: Severity | None = None
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class ReviewedFinding(ReviewedRow):
    """One judge's finding as one reviewer left it: the fields of a `FindingKind`, in a row of its own.

    ``finding`` is the same for all who reviewed it; None where nobody else did.
    """

    judge: Judge
    dimension: Dimension
    category: str | None
    severity: Severity | None
    kept: bool = True
    decision: Decision | None = None
    human_dimension: Dimension | None = None
    human_category: str | None = None
    human_severity: Severity | None = None
    repeat: bool = False
    finding: Key | None = None


_kind: Callable[[ReviewedFinding], tuple[object, ...]] = attrgetter(*FindingKind._fields)
_row: Callable[[ReviewedRow], tuple[Key, Key, str, str, str, str, str, bool]] = attrgetter(
    "evaluation", "article", "system", "direction", "domain", "judge_model", "reviewer", "blind"
)


def pairs_of(first: Sequence[int], second: Sequence[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the different pairs of two columns of numbers from 0, in order, and for each row the place of its pair."""
    import numpy as np

    a, b = (np.array(column, dtype=np.int64) for column in (first, second))
    width = int(b.max(initial=0)) + 1
    known = np.flatnonzero(np.bincount(a * width + b))
    pairs = [divmod(number, width) for number in known.tolist()]
    return pairs, np.searchsorted(known, a * width + b).tolist()


@dataclass(frozen=True, slots=True)
class FindingTable:
    """Findings in columns, so that hundreds of thousands fit: three numbers a finding and reviewer.

    ``review`` and ``kind`` point into ``reviews`` (one evaluation by one reviewer) and ``kinds``; ``finding`` is the
    same number for all who reviewed the finding.
    """

    reviews: list[ReviewedRow] = field(default_factory=list)
    kinds: list[FindingKind] = field(default_factory=list)
    review: array[int] = field(default_factory=lambda: array("i"))
    kind: array[int] = field(default_factory=lambda: array("i"))
    finding: array[int] = field(default_factory=lambda: array("q"))

    @classmethod
    def of(cls, findings: FindingTable | Iterable[ReviewedFinding]) -> FindingTable:
        """Return rows as a table; a table as it is."""
        if isinstance(findings, FindingTable):
            return findings
        table = cls()
        reviews: dict[tuple[object, ...], int] = {}
        kinds: dict[tuple[object, ...], int] = {}
        same: dict[object, int] = {}
        for number, finding in enumerate(findings):
            head, kind = _row(finding), _kind(finding)
            if head not in reviews:
                table.reviews.append(finding.row)
            if kind not in kinds:
                table.kinds.append(FindingKind._make(kind))
            table.review.append(reviews.setdefault(head, len(reviews)))
            table.kind.append(kinds.setdefault(kind, len(kinds)))
            of_many = (finding.evaluation, finding.finding) if finding.finding is not None else ("alone", number)
            table.finding.append(same.setdefault(of_many, number))
        return table

    def only(self, chosen: Callable[[str], bool]) -> FindingTable:
        """The same of the reviews by chosen reviewers; itself where that is all of them."""
        keep = [chosen(row.reviewer) for row in self.reviews]
        if all(keep):
            return self
        new = list(accumulate(keep, initial=0))
        taken = [keep[review] for review in self.review]
        return FindingTable(
            list(compress(self.reviews, keep)),
            self.kinds,
            array("i", (new[review] for review in compress(self.review, taken))),
            array("i", compress(self.kind, taken)),
            array("q", compress(self.finding, taken)),
        )


class QuoteCount(NamedTuple):
    """Numbers of one article's reviewed findings: those that quote something, and those whose quote occurs nowhere.

    ``invented``: as locating says; ``marked``: as a reviewer does; ``both``: as both do.
    """

    direction: str
    article: Key
    quoting: int
    invented: int
    marked: int = 0
    both: int = 0


class MetPoint(NamedTuple):
    """A rubric point that the judge calls met, and what one reviewer says of it."""

    direction: str
    article: Key
    decision: PointDecision


class InstructionCheck(NamedTuple):
    """Instruction check of one output by the judge, and whether one reviewer agrees."""

    direction: str
    article: Key
    passed: bool
    decision: InstructionDecision


class MissedKind(NamedTuple):
    """Kind of an error that the judge missed: the properties that the figures ask of it."""

    dimension: Dimension
    category: str | None
    severity: Severity | None


@dataclass(frozen=True, slots=True)
class AddedError(ReviewedRow):
    """One error that the judge missed: a reviewer marked it, or calls its rubric point violated."""

    dimension: Dimension
    category: str | None
    severity: Severity | None

    @classmethod
    def of(cls, review: ReviewedRow, kind: MissedKind) -> AddedError:
        """One of this kind, in this review."""
        return cls(*_row(review)[:-1], *kind, blind=review.blind)


class Extent(NamedTuple):
    """Place of a segment: its number from 0, and where it is in both texts, half-open."""

    number: int
    places: Mapping[Side, tuple[int, int]]


class BlindAnnotation(NamedTuple):
    """The errors that one reviewer marked in a translation before seeing any of a judge's.

    ``spans``: with the severities that they gave, in whatever scheme. ``read``: the segments that they looked at, None
    for all; ``extents``: where segments are, as far as somebody looked at a part only. ``unplaced``: so many of the
    errors have no place. ``judges``: where a judge's are, by every evaluation of that translation, empty where no judge
    has seen it; ``beside``: the reviewer's, as they compare with those where that is not with ``spans``.
    ``aside``: reason → how many of the judges' findings, or spans of either, take no part in that.
    """

    translation: Key
    direction: str
    article: Key
    reviewer: str
    spans: tuple[ErrorSpan, ...]
    judges: Mapping[Key, tuple[ErrorSpan, ...]]
    read: frozenset[int] | None = None
    extents: tuple[Extent, ...] = ()
    unplaced: int = 0
    beside: Mapping[Key, tuple[ErrorSpan, ...]] = MappingProxyType({})
    aside: Mapping[str, int] = MappingProxyType({})


def both_read(first: frozenset[int] | None, second: frozenset[int] | None) -> frozenset[int] | None:
    """Return the segments that both looked at; None for all."""
    return second if first is None else first if second is None else first & second


def spans_in(
    spans: Sequence[ErrorSpan], read: frozenset[int] | None, extents: Sequence[Extent]
) -> tuple[ErrorSpan, ...]:
    """Return the spans that begin in one of these segments; all of them where it is None."""
    return tuple(spans) if read is None else tuple(span for span in spans if segment_at(span, extents) in read)


def segment_at(place: ErrorSpan | Place, extents: Sequence[Extent]) -> int | None:
    """Return the number of the segment in which a place begins; None where it is in none.

    Without ``extents`` the text was never divided: it is one segment, the first.
    """
    if not extents:
        return 0
    for extent in extents:
        start, end = extent.places[place.side]
        if start <= place.start <= end:
            return extent.number
    return None


class MovedPlace(NamedTuple):
    """Two places of a finding that a reviewer accepted and moved: the reviewer's, and the one located for it."""

    direction: str
    article: Key
    spans: tuple[ErrorSpan, ...]
    judges: tuple[ErrorSpan, ...]


@dataclass(frozen=True, slots=True)
class ReviewedDocument(ReviewedRow):
    """One evaluation's score by the judge, and by one reviewer: the same weights on what they left standing.

    ``dimensions``: those that the judge was asked about; the others have no points to give.
    """

    judge: Score
    human: Score
    dimensions: tuple[Dimension, ...] = DIMENSIONS

    @classmethod
    def of(cls, review: ReviewedRow, judge: Score, human: Score, dimensions: tuple[Dimension, ...]) -> ReviewedDocument:
        """The scores of this review's document."""
        return cls(*_row(review)[:-1], judge, human, dimensions, blind=review.blind)


def article_codes(rows: Iterable[ReviewedRow | MetPoint | InstructionCheck]) -> dict[tuple[str, Key], int]:
    """Number the articles, in an order of their own, so that a seed always draws the same ones."""
    articles = {(row.direction, row.article) for row in rows}
    return {article: i for i, article in enumerate(sorted(articles, key=lambda pair: (pair[0], str(pair[1]))))}
