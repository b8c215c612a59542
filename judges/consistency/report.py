"""Report of all consistency figures of one set of reviews, with their basis and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from judges.consistency.blind_annotation import SpanReport, span_report
from judges.consistency.detection import Detection, Rows, Searched
from judges.consistency.documents import Comparison, Part, Scope, compare
from judges.consistency.error_slices import SliceOutcome, error_slices
from judges.consistency.findings import FindingFigures, detection_by, finding_figures
from judges.consistency.inter_annotator import BetweenHumans, PooledAgreement, between_humans, within_reviewers
from judges.consistency.label_agreement import InstructionAgreement, instruction_agreement
from judges.consistency.records import (
    ANCHORED,
    BLIND_FIRST,
    AddedError,
    BlindAnnotation,
    FindingTable,
    InstructionCheck,
    Key,
    MetPoint,
    MovedPlace,
    QuoteCount,
    ReviewedDocument,
    ReviewedRow,
)
from judges.stats.resampling import RESAMPLES, SEED


@dataclass(frozen=True, slots=True)
class EvaluationCounts:
    """Numbers of evaluations by state; ``reviewed``, ``in_progress`` and ``skipped`` are of the scored.

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
    """Basis of the figures in numbers: findings of one article are no independent witnesses.

    ``searched``: documents, each once for every reviewer, that recall is over.
    """

    articles: int
    systems: int
    reviewers: int
    documents: int
    searched: int


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Blind and other reviews apart: their numbers, and the judge against the humans of each.

    ``blind_first``: these reviews; ``anchored``: how many others there are. ``findings`` and ``scores`` (of totals, in
    all): `BLIND_FIRST` or `ANCHORED` → figures, where there are reviews of both kinds, else nothing.
    """

    blind_first: Sequence[ReviewedRow]
    anchored: int
    findings: Mapping[str, Detection] = field(default_factory=dict)
    scores: Mapping[str, Comparison] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layers:
    """Rows of all layers, for what is no further opinion beside the others'.

    ``again``: pairs of a reviewer's first layer and the one of the second answers. ``apart``: the layers whose findings
    are shown by reviewer, and in no other figure.
    """

    findings: FindingTable
    documents: Sequence[ReviewedDocument]
    added: Sequence[AddedError] = ()
    searched: Searched = frozenset()
    again: Sequence[tuple[str, str]] = ()
    apart: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyReport:
    """Report with every figure, in the order it is read.

    ``left_out``: reason → how many evaluations no figure includes. ``unfinished``: reason → how many reviews whose
    findings count while their scores do not. ``unsearched``: reason → how many were searched for missed errors and yet
    are in no recall. ``within_reviewers``: reviewers with themselves, asked again. ``signatures``: what decided the
    judge's scores → how many evaluations of that kind the figures rest on. ``resamples`` and ``seed`` are what
    intervals were made with.
    """

    evaluations: EvaluationCounts
    left_out: Mapping[str, int]
    unfinished: Mapping[str, int]
    unsearched: Mapping[str, int]
    basis: Basis
    findings: FindingFigures
    instruction: InstructionAgreement
    weak_spots: Sequence[SliceOutcome]
    documents: Mapping[Part, Mapping[Scope, Comparison]]
    between_humans: BetweenHumans
    within_reviewers: Sequence[PooledAgreement]
    spans: SpanReport
    anchoring: Anchoring
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
    *,
    unsearched: Mapping[str, int] = MappingProxyType({}),
    points: Sequence[MetPoint] = (),
    instructions: Sequence[InstructionCheck] = (),
    markings: Sequence[BlindAnnotation] = (),
    unmarked: Mapping[str, int] = MappingProxyType({}),
    unscored: Mapping[str, int] = MappingProxyType({}),
    replaced: Sequence[MovedPlace] = (),
    layers: Layers | None = None,
) -> ConsistencyReport:
    """Compute all figures from the findings and documents that were reviewed.

    The caller chooses the rows (a judge, a direction, …), and says how many evaluations it left out and why
    (``left_out``, ``unfinished``) and in which documents the search for missed errors is done (``searched``); without
    that, recall and F1 are undefined. ``quotes``: what judges quoted, by article. ``markings``: of blind reviewers, and
    ``unmarked``: why how many of their passes are not among them. ``unscored``: why how many errors that reviewers
    marked are none of those ``added``.
    Every row is of a layer that is an opinion of its own, but for those of ``layers``.
    """
    table = FindingTable.of(findings)
    layers = layers or Layers(table, documents)
    rows: list[ReviewedRow] = [*table.reviews, *documents]
    figures = finding_figures(
        findings=table, added=added, searched=searched, quotes=quotes, resamples=resamples, seed=seed, points=points
    )
    reviewed = {(row.evaluation, row.reviewer) for row in rows}
    unsought = {**unscored, NOT_SOUGHT: len(reviewed) - len(searched & reviewed)}
    whole = figures.overall
    whole = replace(whole, recall=whole.recall.without(unsought), f1=whole.f1.without(unsought))
    figures = replace(figures, overall=whole)
    if layers.apart:
        by_reviewer = detection_by(
            grouping="reviewer",
            findings=layers.findings.only(set(layers.apart).__contains__),
            added=[error for error in layers.added if error.reviewer in layers.apart],
            searched={(evaluation, layer) for evaluation, layer in layers.searched if layer in layers.apart},
            resamples=resamples,
            seed=seed,
        )
        figures = replace(figures, by={**figures.by, "reviewer": {**figures.by["reviewer"], **by_reviewer}})
    return ConsistencyReport(
        evaluations=evaluations,
        left_out=left_out,
        unfinished=unfinished,
        unsearched=unsearched,
        basis=Basis(
            articles=len({(row.direction, row.article) for row in rows}),
            systems=len({row.system for row in rows}),
            reviewers=len({row.reviewer for row in rows}),
            documents=len({row.evaluation for row in rows}),
            searched=len(searched),
        ),
        findings=figures,
        instruction=_with(
            instruction_agreement(instructions, resamples, seed),
            {NOT_ASKED: max(0, len(reviewed) - sum(check.passed for check in instructions))},
        ),
        weak_spots=error_slices(table),
        documents=compare(documents, resamples, seed, left_out={**unfinished, **unscored}),
        between_humans=between_humans(table, documents, resamples, seed),
        within_reviewers=within_reviewers(layers.findings, layers.documents, layers.again, resamples, seed)
        if layers.again
        else (),
        spans=span_report(markings, replaced, table, resamples, seed, unmarked),
        anchoring=_anchoring(
            table=table, documents=documents, added=added, searched=searched, resamples=resamples, seed=seed
        ),
        signatures=signatures,
        resamples=resamples,
        seed=seed,
    )


NOT_SOUGHT = "reviews that are no search for missed errors"
NOT_ASKED = "reviews that say nothing of the check"


def _with(found: InstructionAgreement, left_out: Mapping[str, int]) -> InstructionAgreement:
    return replace(found, agreed=found.agreed.without(left_out))


def _anchoring(
    table: FindingTable,
    documents: Sequence[ReviewedDocument],
    added: Sequence[AddedError],
    searched: Searched,
    resamples: int,
    seed: int,
) -> Anchoring:
    reviews: dict[tuple[Key, str], ReviewedRow] = {}
    for row in (*table.reviews, *(document.row for document in documents)):
        reviews.setdefault((row.evaluation, row.reviewer), row)
    blind = [row for row in reviews.values() if row.blind]
    if not blind or len(blind) == len(reviews):
        return Anchoring(blind, len(reviews) - len(blind))
    scores = {
        seen: compare([each for each in documents if each.seen == seen], resamples, seed, ["total"])["total"]["all"]
        for seen in (BLIND_FIRST, ANCHORED)
    }
    by_seen = detection_by(
        grouping="seen", findings=table, added=added, searched=searched, resamples=resamples, seed=seed
    )
    found = {seen: by_seen.get(seen, Detection()) for seen in scores}
    return Anchoring(blind, len(reviews) - len(blind), found, scores)
