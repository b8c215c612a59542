"""What the figures are computed from: one row for each finding, document and missed error a reviewer dealt with."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from judges.model import DIMENSIONS, Decision, Dimension, Judge, Score, Severity

Key = str | int
"""The id of an evaluation or article."""


@dataclass(frozen=True, slots=True)
class ReviewedRow:
    """What every row says: which evaluation, by which judge model, and who reviewed it."""

    evaluation: Key
    article: Key
    system: str
    direction: str
    domain: str
    judge_model: str
    reviewer: str


class FindingKind(NamedTuple):
    """All that the figures ask of a finding: of the many there are, few differ in it.

    ``kept``: it stood after de-duplication. ``decision`` None: not yet looked at. The ``human_…`` fields are set only
    where the reviewer changed the judge's value. ``category`` and ``severity`` are None where the judge's word was
    unreadable.
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
    finding: Key | None = None


_kind: Callable[[ReviewedFinding], tuple[object, ...]] = attrgetter(*FindingKind._fields)
_row: Callable[[ReviewedRow], tuple[Key, Key, str, str, str, str, str]] = attrgetter(
    "evaluation", "article", "system", "direction", "domain", "judge_model", "reviewer"
)


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
                table.reviews.append(ReviewedRow(*head))
            if kind not in kinds:
                table.kinds.append(FindingKind._make(kind))
            table.review.append(reviews.setdefault(head, len(reviews)))
            table.kind.append(kinds.setdefault(kind, len(kinds)))
            of_many = (finding.evaluation, finding.finding) if finding.finding is not None else ("alone", number)
            table.finding.append(same.setdefault(of_many, number))
        return table


class QuoteCount(NamedTuple):
    """Of one article's reviewed findings, how many quote something, and how many of them what occurs nowhere."""

    direction: str
    article: Key
    quoting: int
    invented: int


@dataclass(frozen=True, slots=True)
class AddedError(ReviewedRow):
    """One error that every judge missed and a reviewer added to a document."""

    dimension: Dimension
    category: str | None
    severity: Severity | None


@dataclass(frozen=True, slots=True)
class ReviewedDocument(ReviewedRow):
    """One evaluation's score by the judge, and by one reviewer: the same weights on what she left standing.

    ``dimensions``: those that the judge was asked about; the others have no points to give.
    """

    judge: Score
    human: Score
    dimensions: tuple[Dimension, ...] = DIMENSIONS
