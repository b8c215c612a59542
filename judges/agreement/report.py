"""All consistency figures of one set of reviews, with what they rest on and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from judges.agreement.documents import Comparison, Part, Scope, compare
from judges.agreement.findings import (
    GROUPINGS,
    Crosstab,
    Deduplication,
    Detection,
    Grouping,
    Searched,
    SeverityAgreement,
    attribution,
    deduplication,
    detection,
    detection_by,
    severity_agreement,
)
from judges.agreement.records import AddedError, ReviewedDocument, ReviewedFinding, ReviewedRow


@dataclass(frozen=True, slots=True)
class EvaluationCounts:
    """How many evaluations there are, by state; ``reviewed``, ``in_progress`` and ``skipped`` are of the scored.

    A failed evaluation that another took the place of is not counted.
    """

    total: int
    scored: int
    reviewed: int
    in_progress: int
    skipped: int
    judge_failed: int
    instruction_failed: int
    no_translation: int
    score_only: int = 0


@dataclass(frozen=True, slots=True)
class FindingFigures:
    """What became of the findings, all together and by every grouping."""

    overall: Detection
    by: Mapping[Grouping, Mapping[str, Detection]]
    attribution: Crosstab
    severity: SeverityAgreement
    deduplication: Deduplication


@dataclass(frozen=True, slots=True)
class Basis:
    """How much the figures rest on: findings of one article are no independent witnesses."""

    articles: int
    systems: int
    reviewers: int
    documents: int


@dataclass(frozen=True, slots=True)
class ConsistencyReport:
    """Every figure, in the order it is read.

    ``left_out``: reason → how many evaluations no figure includes. ``unfinished``: reason → how many reviews whose
    findings count while their scores do not. ``signatures``: what decided the judge's scores → how many evaluations
    of that kind the figures rest on.
    """

    evaluations: EvaluationCounts
    left_out: Mapping[str, int]
    unfinished: Mapping[str, int]
    basis: Basis
    findings: FindingFigures
    documents: Mapping[Part, Mapping[Scope, Comparison]]
    signatures: Mapping[str, int]


def consistency(
    findings: Sequence[ReviewedFinding],
    documents: Sequence[ReviewedDocument],
    left_out: Mapping[str, int],
    evaluations: EvaluationCounts,
    unfinished: Mapping[str, int] = MappingProxyType({}),
    added: Sequence[AddedError] = (),
    searched: Searched = frozenset(),
    signatures: Mapping[str, int] = MappingProxyType({}),
) -> ConsistencyReport:
    """Compute all figures from the findings and documents that were reviewed.

    The caller chooses the rows (a judge, a direction, …), and says how many evaluations it left out and why
    (``left_out``, ``unfinished``) and in which documents the search for missed errors is done (``searched``); without
    that, recall and F1 are undefined.
    """
    rows: list[ReviewedRow] = [*findings, *documents]
    return ConsistencyReport(
        evaluations,
        left_out,
        unfinished,
        Basis(
            articles=len({(row.direction, row.article) for row in rows}),
            systems=len({row.system for row in rows}),
            reviewers=len({row.reviewer for row in rows}),
            documents=len({row.evaluation for row in rows}),
        ),
        FindingFigures(
            detection(findings, added, searched),
            {grouping: detection_by(grouping, findings, added, searched) for grouping in GROUPINGS},
            attribution(findings, added),
            severity_agreement(findings, added),
            deduplication(findings),
        ),
        compare(documents),
        signatures,
    )
