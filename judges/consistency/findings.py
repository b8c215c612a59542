"""Figures of a judge's findings, all together: detection by every label, attribution, and agreement on labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from judges.consistency.crosstabs import Crosstab, attribution_table
from judges.consistency.detection import (
    GROUPINGS,
    Detection,
    FindingColumns,
    FindingCounts,
    Grouping,
    Rows,
    Searched,
    detections,
)
from judges.consistency.label_agreement import (
    Deduplication,
    RubricAgreement,
    SeverityAgreement,
    deduplication,
    rubric_agreement,
    severity_agreement,
)
from judges.consistency.records import AddedError, FindingTable, MetPoint, QuoteCount
from judges.stats.figure import Figure
from judges.stats.resampling import RESAMPLES, SEED

UNQUOTED = "findings that quote nothing, or are not looked for in the texts yet"
NO_QUOTE = "no finding was asked for a quote, or looked for in its texts"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingFigures:
    """Figures of the findings, all together and by every grouping.

    ``invented_quotes``: of the findings that quote something, each once, the share with a quote that locating finds
    nowhere; ``marked_invented``: the share that a reviewer marked as invented; ``marked_nowhere``: of these, the share
    that locating finds nowhere either.
    """

    overall: Detection
    by: Mapping[Grouping, Mapping[str, Detection]]
    attribution: Crosstab
    severity: SeverityAgreement
    deduplication: Deduplication
    rubric: RubricAgreement
    invented_quotes: Figure
    marked_invented: Figure
    marked_nowhere: Figure


def finding_figures(
    findings: Rows,
    added: Sequence[AddedError] = (),
    searched: Searched = frozenset(),
    quotes: Sequence[QuoteCount] = (),
    resamples: int = RESAMPLES,
    seed: int = SEED,
    points: Sequence[MetPoint] = (),
) -> FindingFigures:
    """Compute every figure of the findings. ``added`` errors make recall, where documents were ``searched``.

    ``points``: what reviewers said of rubric points that the judge calls met.
    """
    columns = FindingColumns(
        table=FindingTable.of(findings), added=added, searched=searched, resamples=resamples, seed=seed, points=points
    )
    whole, *groups = detections(columns, "all", *GROUPINGS)
    invented, marked, both, quoting = (
        [getattr(quote, name) for quote in quotes] for name in ("invented", "marked", "both", "quoting")
    )
    unquoted = {UNQUOTED: max(0, len(set(columns.table.finding)) - sum(quoting))}
    return FindingFigures(
        overall=whole.get("all", Detection(searched=FindingCounts() if searched else None)),
        by=dict(zip(GROUPINGS, groups, strict=True)),
        attribution=attribution_table(columns.sizes(), columns.added),
        severity=severity_agreement(columns),
        deduplication=deduplication(columns),
        rubric=rubric_agreement(columns),
        invented_quotes=columns.intervals.share(invented, quoting, NO_QUOTE).without(unquoted),
        marked_invented=columns.intervals.share(marked, quoting, NO_QUOTE).without(unquoted),
        marked_nowhere=columns.intervals.share(both, marked, "no reviewer has marked a quote as invented"),
    )


def detection_by(
    grouping: Grouping | Literal["seen"],
    findings: Rows,
    added: Sequence[AddedError] = (),
    searched: Searched = frozenset(),
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Detection]:
    """Count by label, in the declared order of dimensions, categories and severities, else alphabetically.

    By what reviewers had ``seen`` first: blind first, or anchored.
    """
    (found,) = detections(FindingColumns(FindingTable.of(findings), added, searched, resamples, seed), grouping)
    return found
