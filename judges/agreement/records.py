"""What the figures are computed from: one row for each finding, document and missed error a reviewer dealt with."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class ReviewedFinding(ReviewedRow):
    """One judge's finding as one reviewer left it.

    ``kept``: it stood after de-duplication. ``decision`` None: not yet looked at. The ``human_…`` fields are set only
    where she changed the judge's value. ``category`` and ``severity`` are None where the judge's word was unreadable.
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
