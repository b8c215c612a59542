"""The figures of reviews as sections of a report, ready to become a file; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.consistency import annotators, error_slices
from discox_tui.reports.consistency import figures as named
from discox_tui.reports.consistency.text import SCOPES, rests_on
from discox_tui.reports.render.entries import plain_words
from discox_tui.reports.render.layout import UNDEFINED
from discox_tui.reports.render.tables import COEFFICIENT, SHARE, Section, Shown, Table, Value, signed
from judges.metric_s.scoring import METRIC_S

if TYPE_CHECKING:
    from judges.consistency.blind_annotation import SpanReport
    from judges.consistency.crosstabs import Crosstab
    from judges.consistency.detection import Detection
    from judges.consistency.documents import Comparison, Part, Scope
    from judges.consistency.findings import FindingFigures
    from judges.consistency.inter_annotator import PooledAgreement
    from judges.consistency.report import Anchoring, ConsistencyReport
    from judges.stats.figure import Figure


def review_sections(report: ConsistencyReport, by: str | None, intervals: str) -> Iterator[Section]:
    """Findings, documents and reviewers. ``by``: only this table of findings by group; ``intervals``: how."""
    signatures = signed(report.signatures)
    basis = (intervals, *signatures)
    yield _findings(report, by, basis, signatures)
    yield _documents(report.documents, basis)
    yield _between_humans(report, basis)
    yield _spans(report.spans, basis)


# Findings


def _findings(report: ConsistencyReport, by: str | None, basis: Sequence[str], signatures: Sequence[str]) -> Section:
    figures = report.findings
    overall = figures.overall
    counts = (
        f"Right {overall.right:,}, wrong {overall.wrong:,}, unsure {overall.unsure:,}, not looked at "
        f"{overall.unseen:,}, missed {overall.missed:,}, repeats of an error that counts already {overall.repeated:,}. "
        f"Documents searched for missed errors: {report.basis.searched:,}."
    )
    tables = [
        _entries("Findings: precision and recall", named.detection(overall), basis, named.DETECTION, [counts]),
        *_by_group(figures, by, basis),
        error_slices.as_table(report, by, signatures),
        _crosstab(
            "Attribution: judge's dimension × reviewer's",
            figures.attribution,
            basis,
            named.ATTRIBUTION_TABLE,
        ),
        _crosstab(
            "Severity: judge's level × reviewer's",
            figures.severity.table,
            basis,
            named.SEVERITY_TABLE,
        ),
        _entries(
            "Severity: agreement",
            named.severity(figures.severity),
            basis,
            named.SEVERITY,
            scale=COEFFICIENT,
        ),
        _entries(
            "De-duplication, rubric points, quotes, instruction check",
            {
                **named.deduplication(figures.deduplication),
                **named.rubric(figures.rubric),
                **named.quotes(figures),
                **named.instruction(report.instruction),
            },
            basis,
            named.DEDUPLICATION | named.RUBRIC | named.QUOTES | named.INSTRUCTION,
            [
                f"Dropped: {figures.deduplication.dropped:,}, of which {figures.deduplication.undecided_drops:,} not "
                f"decided. Violated: {figures.rubric.violated:,}, of which {figures.rubric.undecided:,} not decided."
            ],
        ),
        _crosstab(
            "Rubric points: judge × reviewer",
            figures.rubric.table,
            basis,
            "What the judge calls a point in rows, what reviewers do in columns; a duplicate is no less violated.",
        ),
        _crosstab(
            "Instruction check: judge × reviewer",
            report.instruction.table,
            basis,
            "Whether the output passed the judge's check in rows, whether reviewers agree in columns.",
        ),
    ]
    return Section("Findings", [rests_on(report.basis)], tables)


def _entries(
    title: str,
    figures: Mapping[str, Figure],
    basis: Sequence[str],
    definitions: Mapping[str, str],
    notes: Sequence[str] = (),
    scale: tuple[float, float] = SHARE,
) -> Table:
    rows = [(name, Shown(figure, scale=scale), figure.n) for name, figure in figures.items()]
    return Table(title, ("", "figure", "n"), rows, notes, definitions, basis=basis)


def _by_group(figures: FindingFigures, by: str | None, basis: Sequence[str]) -> Iterator[Table]:
    for grouping, detections in figures.by.items():
        if by not in (None, grouping):
            continue
        plain = grouping in ("category", "severity")
        rows = [_detection(plain_words(label) if plain else label, found) for label, found in detections.items()]
        if rows:
            yield Table(
                f"Findings by {plain_words(grouping)}",
                (plain_words(grouping), "right", "wrong", "missed", "open", "precision", "n", "recall", "n"),
                rows,
                definitions=_GROUPED,
                basis=basis,
            )


def _detection(label: str, found: Detection) -> Sequence[Value]:
    return (
        label,
        found.right,
        found.wrong,
        found.missed,
        found.unsure + found.unseen,
        Shown(found.precision, scale=SHARE),
        found.precision.n,
        Shown(found.recall, scale=SHARE),
        found.recall.n,
    )


_GROUPED = {
    "labels": "by dimension, category and severity the judge's label counts for precision, the reviewer's for recall: "
    "a finding moved from accuracy to fluency is right overall, wrong under accuracy, missed under fluency",
    "open": "unsure, or not looked at",
}


def _crosstab(title: str, found: Crosstab, basis: Sequence[str], note: str) -> Table:
    rows: list[Sequence[Value]] = [
        (plain_words(row), *counts) for row, counts in zip(found.rows, found.counts, strict=True)
    ]
    return Table(title, ("judge", *map(plain_words, found.columns)), rows, [note], heat=True, basis=basis)


# Documents


def _documents(documents: Mapping[Part, Mapping[Scope, Comparison]], basis: Sequence[str]) -> Section:
    tables = []
    for part, by_scope in documents.items():
        top = sum(METRIC_S.maxima.values()) if part == "total" else METRIC_S.maxima[part]
        rows: list[Sequence[Value]] = []
        for scope, found in by_scope.items():
            groups = found.pearson.groups
            rows.append(
                (
                    SCOPES[scope],
                    found.mean_difference.n,
                    Shown(found.mean_difference, "+z.2f"),
                    Shown(found.mean_absolute_difference, ".2f"),
                    *(Shown(each) for each in (found.pearson, found.spearman, found.kendall_tau_b)),
                    f"{groups[0]:,} of {groups[1]:,}" if groups else "",
                )
            )
        tables.append(
            Table(
                f"Scores of documents: {part}, 0–{top}",
                ("", "n", "difference", "|difference|", "r", "rho", "tau-b", "defined in"),
                rows,
                definitions=_COMPARED if part == "total" else {},
                basis=basis,
            )
        )
    words = "The judge's score and the reviewer's: the same weights on what she left standing, of finished reviews."
    return Section("Documents", [words], tables)


_COMPARED = {
    "difference": "the mean of judge - reviewer, in points: above 0 the judge is milder",
    "|difference|": "the mean of its size",
    "r, rho, tau-b": "Pearson's, Spearman's and Kendall's correlations; rho's interval holds the ranks as found",
    "within articles (systems)": "the mean over those where the figure is defined, of how many",
}


# Between humans


def _between_humans(report: ConsistencyReport, basis: Sequence[str]) -> Section:
    found = report.between_humans
    words = [annotators.about_reviewers(report.anchoring)]
    tables: list[Table] = []
    if found.together is None:
        words.append(f"{UNDEFINED} {found.why}.")
    else:
        pairs = found.pairs if len(found.pairs) > 1 else ()
        for each in (found.together, *pairs):
            tables += _together(each, basis)
    if report.within_reviewers:
        words.append(annotators.WITHIN)
        for each in report.within_reviewers:
            tables += _together(each, basis, "herself")
    if report.anchoring.findings:
        tables.append(_blind_first(report.anchoring, basis))
    return Section("Between humans", words, tables)


def _blind_first(found: Anchoring, basis: Sequence[str]) -> Table:
    rows: list[Sequence[Value]] = []
    for seen, detection in found.findings.items():
        scores = found.scores[seen]
        rows.append(
            (
                seen,
                Shown(detection.precision, scale=SHARE),
                detection.precision.n,
                Shown(detection.recall, scale=SHARE),
                Shown(scores.mean_difference, "+z.2f"),
                Shown(scores.mean_absolute_difference, ".2f"),
                Shown(scores.pearson, scale=COEFFICIENT),
                scores.mean_difference.n,
            )
        )
    header = ("", "precision", "n", "recall", "difference", "|difference|", "r", "n of scores")
    return Table("Blind first, and anchored", header, rows, [annotators.about_blind(found)], _BLIND_FIRST, basis=basis)


_BLIND_FIRST = {
    "blind first": "the reviewer had marked her own errors before she saw the judge's findings",
    "anchored": "she saw these from the start, which draws her to them",
    "difference": "of totals, judge - reviewer",
}


def _spans(found: SpanReport, basis: Sequence[str]) -> Section:
    rows: list[Sequence[Value]] = [
        (
            name,
            each.documents,
            *(Shown(figure, scale=SHARE) for figure in (each.partial, each.exact, each.overlap, each.characters)),
            each.partial.n,
        )
        for name, each in annotators.span_rows(found)
    ]
    header = ("F1", "documents", "partial", "exact", "overlap", "characters", "n")
    agreement = Table("Agreement of marked spans", header, rows, basis=basis)
    shares = _entries("Spans: recall and precision", annotators.found_spans(found), basis, annotators.FOUND)
    moved = _entries("Places", {"places changed": found.moved}, basis, {"places changed": annotators.MOVED})
    return Section("Spans", [annotators.SPANS], [agreement, shares, moved])


def _together(found: PooledAgreement, basis: Sequence[str], humans: str = "humans") -> Iterator[Table]:
    names = ", ".join(found.reviewers)
    sides = ((humans, found.humans), ("judge", found.judge))
    agreements = [
        *((f"verdicts, {side}", compared.verdicts) for side, compared in sides),
        *((f"severity, {side}", compared.severities) for side, compared in sides),
    ]
    yield Table(
        f"Agreement: {names}",
        ("", "observed", "kappa", "AC1", "n", "alpha", "n of alpha"),
        [
            (
                label,
                Shown(each.observed, scale=SHARE),
                *(Shown(figure, scale=COEFFICIENT) for figure in (each.kappa, each.ac1)),
                each.observed.n,
                Shown(each.alpha, scale=COEFFICIENT),
                each.alpha.n,
            )
            for label, each in agreements
        ],
        definitions=_AGREEMENT,
        basis=basis,
    )
    yield Table(
        f"Scores: {names}",
        ("", "n", "|difference|", "r", "tau-b"),
        [
            (
                f"scores, {side}",
                compared.scores.mean_absolute_difference.n,
                Shown(compared.scores.mean_absolute_difference, ".2f"),
                Shown(compared.scores.pearson, scale=COEFFICIENT),
                Shown(compared.scores.kendall_tau_b, scale=COEFFICIENT),
            )
            for side, compared in sides
        ],
        definitions={"|difference|": "mean, in points of the total"},
        basis=basis,
    )


_AGREEMENT = {
    "verdicts": "right, not an error, or a duplicate; unsure is missing. The judge itself calls all it reports right",
    "severity": "levels of accuracy errors that both left standing",
    "kappa": "Cohen's; it collapses where nearly all is of one kind",
    "AC1": "Gwet's; it stays where kappa collapses",
    "alpha": "Krippendorff's: nominal of verdicts, ordinal of severity",
}
