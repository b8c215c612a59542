"""All consistency figures of one set of reviews, with what they rest on and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from judges.agreement.documents import Comparison, Part, Scope, compare
from judges.agreement.findings import FindingFigures, Rows, Searched, finding_figures
from judges.agreement.records import AddedError, FindingTable, QuoteCount, ReviewedDocument, ReviewedRow
from judges.agreement.reviewers import BetweenHumans, between_humans
from judges.agreement.weak_spots import WeakSpot, weak_spots
from judges.resampling import RESAMPLES, SEED


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
    of that kind the figures rest on. ``resamples`` and ``seed`` are what intervals were made with.
    """

    evaluations: EvaluationCounts
    left_out: Mapping[str, int]
    unfinished: Mapping[str, int]
    basis: Basis
    findings: FindingFigures
    weak_spots: Sequence[WeakSpot]
    documents: Mapping[Part, Mapping[Scope, Comparison]]
    between_humans: BetweenHumans
    signatures: Mapping[str, int]
    resamples: int
    seed: int


def consistency(
    findings: Rows,
    documents: Sequence[ReviewedDocument],
    left_out: Mapping[str, int],
    evaluations: EvaluationCounts,
    unfinished: Mapping[str, int] = MappingProxyType({}),
    added: Sequence[AddedError] = (),
    searched: Searched = frozenset(),
    signatures: Mapping[str, int] = MappingProxyType({}),
    quotes: Sequence[QuoteCount] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> ConsistencyReport:
    """Compute all figures from the findings and documents that were reviewed.

    The caller chooses the rows (a judge, a direction, …), and says how many evaluations it left out and why
    (``left_out``, ``unfinished``) and in which documents the search for missed errors is done (``searched``); without
    that, recall and F1 are undefined. ``quotes``: what judges quoted, by article.
    """
    table = FindingTable.of(findings)
    rows: list[ReviewedRow] = [*table.reviews, *documents]
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
        finding_figures(table, added, searched, quotes, resamples, seed),
        weak_spots(table),
        compare(documents, resamples, seed),
        between_humans(table, documents, resamples, seed),
        signatures,
        resamples,
        seed,
    )
