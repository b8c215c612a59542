"""The figures of reviews as sections of a report; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.consistency import annotators, between_humans, definitions, error_slices
from discox_tui.reports.render.layout import WIDTH, intervals_in_words
from discox_tui.reports.render.model import (
    COEFFICIENT,
    SHARE,
    Beside,
    Column,
    Entries,
    Heading,
    Lines,
    Medium,
    Part,
    Section,
    Shown,
    Table,
    Value,
    Words,
    signed,
)
from discox_tui.reports.render.text import intervals as interval_notes
from discox_tui.reports.render.text import line, undefined
from discox_tui.text.columns import fit
from discox_tui.text.counts import counted
from discox_tui.text.safe import safe
from judges.metric_s.scoring import METRIC_S

if TYPE_CHECKING:
    from judges.consistency.crosstabs import Crosstab
    from judges.consistency.documents import Comparison, Scope
    from judges.consistency.documents import Part as ScorePart
    from judges.consistency.findings import FindingFigures
    from judges.consistency.report import Basis, ConsistencyReport

SCOPES: Mapping[Scope, str] = {"all": "in all", "articles": "within articles", "systems": "within systems"}
"""Scopes over which documents are compared."""


def review_sections(
    report: ConsistencyReport, by: str | None = None, intervals: str = "", people: Sequence[Section] = ()
) -> Iterator[Section]:
    """Evaluations, findings, documents, reviewers and signatures. ``intervals``: how they are made.

    ``by``: of the tables of findings by group only this one; ``spot``: every weak spot in their place. ``people``:
    what a terminal shows where no judge was asked, and so nothing of a judge's was reviewed.
    """
    signatures = signed(report.signatures)
    basis = (intervals, *signatures)
    reviewed = report.evaluations.reviewed + report.evaluations.in_progress > 0
    marked = report.spans.humans.documents + report.spans.judge.documents > 0
    on: Medium = "both" if reviewed else "page"
    yield _evaluations(report)
    if not reviewed:
        yield from people or [_nobody_yet()]
    yield Section("Findings", list(_findings(report, by, basis, signatures)), on=on)
    yield Section("Documents", list(_documents(report.documents, basis)), on=on)
    if reviewed:
        yield annotators.blind_first(report.anchoring)
    yield between_humans.between_humans(report, basis, on)
    yield annotators.spans(report.spans, basis, "both" if reviewed or marked else "page")
    yield _signatures(report.signatures)


def _nobody_yet() -> Section:
    said = "Nothing has been reviewed, so there is nothing to hold the judge against: `discox` opens the review."
    return Section("Findings and documents", [said], on="terminal")


# Evaluations


def rests_on(basis: Basis) -> str:
    """Return how much the figures of findings rest on."""
    return (
        f"The figures rest on {counted(basis.documents, 'document')}: {counted(basis.articles, 'article')}, "
        f"{counted(basis.systems, 'system')}, {counted(basis.reviewers, 'reviewer')}. Findings of one article resemble "
        "one another: n counts them, not independent observations, and intervals are over articles."
    )


def _evaluations(report: ConsistencyReport) -> Section:
    counts = report.evaluations
    lines = {
        "in all": counts.total,
        "scored by every judge asked": counts.scored,
        "  reviewed": counts.reviewed,
        "  review in progress": counts.in_progress,
        "  skipped": counts.skipped,
        "a judge failed": counts.judge_failed,
        "failed the instruction check": counts.instruction_failed,
        "no translation": counts.no_translation,
        **({"a score only, no findings": counts.score_only} if counts.score_only else {}),
    }
    left_out = [*_left_out("Left out of all figures below", report.left_out)]
    if report.unfinished:
        left_out += _left_out("Left out of the document figures only, by review", report.unfinished)
    if report.unsearched:
        left_out += _left_out("Searched for missed errors, but left out of recall", report.unsearched)
    shown = [*(line(label, f"{n:,}") for label, n in lines.items()), "", *left_out]
    return Section("Evaluations", [Lines(shown), rests_on(report.basis)], on="terminal")


def _left_out(title: str, reasons: Mapping[str, int]) -> list[str]:
    shown = [f"  {n:>8,}  {fit(reason, WIDTH - 12).rstrip()}" for reason, n in reasons.items()]
    return [f"  {title}", *(shown or ["    nothing"]), ""]


def _signatures(signatures: Mapping[str, int]) -> Section:
    said = "What decided the judge's scores that the figures rest on, and of how many evaluations."
    lines = [f"  {n:>8,}  {safe(signature)}" for signature, n in signatures.items()] or ["    none"]
    return Section("Signatures", [said, Lines(["", *lines])], on="terminal")


# Findings


def _findings(
    report: ConsistencyReport, by: str | None, basis: Sequence[str], signatures: Sequence[str]
) -> Iterator[Part]:
    figures = report.findings
    yield Words(rests_on(report.basis), "page")
    yield from _detection(report, basis)
    yield from _by_group(figures, by, basis)
    yield Heading("WEAK SPOTS")
    yield from error_slices.parts(report, by, signatures)
    yield Heading("ATTRIBUTION")
    yield Words(definitions.ATTRIBUTION_TABLE, "terminal")
    yield _crosstab(
        "Attribution: judge's dimension × reviewer's", figures.attribution, basis, definitions.ATTRIBUTION_TABLE
    )
    yield Heading("SEVERITY")
    yield Words(definitions.SEVERITY_TABLE, "terminal")
    yield _crosstab("Severity: judge's level × reviewer's", figures.severity.table, basis, definitions.SEVERITY_TABLE)
    yield Lines([""])
    agreement = (figures.severity.agreement, *figures.severity.kappa.values())
    yield Entries("Severity: agreement", agreement, definitions.SEVERITY, scale=COEFFICIENT, basis=basis)
    yield from _other_judgements(report, basis)


def _detection(report: ConsistencyReport, basis: Sequence[str]) -> Iterator[Part]:
    overall = report.findings.overall
    yield Words(
        "Beside a figure its interval, of the articles that say anything of it: "
        f"{intervals_in_words(report.resamples, report.seed)}",
        "terminal",
    )
    of_both = [figure.interval for figure in (overall.coverage, overall.precision) if figure.interval]
    for said in dict.fromkeys(interval.caution for interval in of_both):
        if said:
            yield Words(f"! {said}", "terminal")
    missed = overall.searched.missed if overall.searched else 0
    counts = (
        f"Right {overall.right:,}, wrong {overall.wrong:,}, unsure {overall.unsure:,}, not looked at "
        f"{overall.unseen:,}, missed {overall.missed:,}, repeats of an error that counts already {overall.repeated:,}. "
        f"Documents searched for missed errors: {report.basis.searched:,}."
    )
    more = {
        "precision": f"Here TP {overall.right:,}, FP {overall.wrong:,}; {counted(overall.repeated, 'repeat')}.",
        "coverage": f"Not yet: {overall.unsure:,} unsure, {overall.unseen:,} unseen.",
        "recall": f"Searched: {report.basis.searched:,}, with {counted(missed, 'missed error')}.",
        "F1": "Precision and recall in one.",
    }
    shown = (overall.precision, *overall.precision_bounds, overall.coverage, overall.recall, overall.f1)
    title = "Findings: precision and recall"
    yield Entries(title, shown, definitions.DETECTION, more, [counts], basis=basis)


def _by_group(figures: FindingFigures, by: str | None, basis: Sequence[str]) -> Iterator[Part]:
    searched = figures.overall.searched is not None
    if by != error_slices.SPOT:
        yield Heading("FINDINGS BY GROUP")
        yield Words(
            "By dimension, category and severity, the judge's label counts for precision and the reviewer's for "
            "recall: a finding moved from accuracy to fluency is right overall, wrong under accuracy, missed under "
            "fluency. Open: unsure or unseen. The n of precision is right + wrong"
            + ("; recall is over the documents searched for missed errors." if searched else "."),
            "terminal",
        )
    for grouping, detections in figures.by.items():
        if by not in (None, grouping):
            continue
        name, plain = plain_words(grouping), grouping in ("category", "severity")
        rows: list[Sequence[Value]] = [
            (
                plain_words(label) if plain else label,
                *(found.right, found.wrong, found.missed, found.unsure + found.unseen),
                *(Shown(found.precision, scale=SHARE), found.precision.n),
                *(Shown(found.recall, scale=SHARE), found.recall.n),
            )
            for label, found in detections.items()
        ]
        yield Table(
            f"Findings by {name}",
            (
                Column(name, f"by {name}"),
                *("right", "wrong", "missed", "open"),
                *(Column("precision", "prec.", Beside()), Column("n", None)),
                *(Column("recall", "recall" if searched else None), Column("n", None)),
            ),
            rows,
            definitions=_GROUPED,
            basis=basis,
            on="both" if rows else "terminal",
        )
        shown = [(found.precision, found.recall) if searched else (found.precision,) for found in detections.values()]
        yield from undefined(figure for own in shown for figure in own)
        yield Lines([] if rows else ["    no findings"])


_GROUPED = {
    "labels": "by dimension, category and severity the judge's label counts for precision, the reviewer's for recall: "
    "a finding moved from accuracy to fluency is right overall, wrong under accuracy, missed under fluency",
    "open": "unsure, or not looked at",
}


def _other_judgements(report: ConsistencyReport, basis: Sequence[str]) -> Iterator[Part]:
    """De-duplication, rubric points, quotes and the instruction check: one table on a page."""
    figures, check = report.findings, report.instruction
    dropped, points = figures.deduplication, figures.rubric
    drops, violated = (
        f"Dropped: {dropped.dropped:,}, of which {dropped.undecided_drops:,} not decided.",
        f"Violated: {points.violated:,}, of which {points.undecided:,} not decided.",
    )
    of_drops, of_points, of_quotes, of_check = every = (
        Entries(
            "",
            (dropped.drops_confirmed, dropped.duplicates_kept),
            definitions.DEDUPLICATION,
            {"drops confirmed": drops},
            on="terminal",
        ),
        Entries(
            "",
            (points.upheld, points.rejected, points.met_points, points.agreement, points.too_strict),
            definitions.RUBRIC,
            {"violations upheld": violated, "agreement, met or violated": "A duplicate is no less violated."},
            on="terminal",
        ),
        Entries(
            "",
            (figures.invented_quotes, figures.marked_invented, figures.marked_nowhere),
            definitions.QUOTES,
            {"invented quotes": "Each finding counts once, however many reviewed it."},
            on="terminal",
        ),
        Entries("", (check.agreed,), definitions.INSTRUCTION, on="terminal"),
    )
    yield Entries(
        "De-duplication, rubric points, quotes, instruction check",
        [figure for each in every for figure in each.figures],
        {name: said for each in every for name, said in each.definitions.items()},
        notes=[f"{drops} {violated}"],
        basis=basis,
        on="page",
    )
    yield from (Heading("DE-DUPLICATION"), of_drops)
    yield from (Heading("RUBRIC"), of_points)
    yield _crosstab(
        "Rubric points: judge × reviewer",
        points.table,
        basis,
        "What the judge calls a point in rows, what reviewers do in columns; a duplicate is no less violated.",
    )
    yield from (Heading("INSTRUCTION CHECK"), of_check)
    yield _crosstab(
        "Instruction check: judge × reviewer",
        check.table,
        basis,
        "Whether the output passed the judge's check in rows, whether reviewers agree in columns.",
        "both" if check.agreed.n else "page",
    )
    yield from (Heading("QUOTES"), of_quotes)


def _crosstab(title: str, found: Crosstab, basis: Sequence[str], said: str, on: Medium = "both") -> Table:
    """A table of counts by two labels."""
    rows: list[Sequence[Value]] = [
        (plain_words(row), *counts) for row, counts in zip(found.rows, found.counts, strict=True)
    ]
    return Table(title, ("judge", *map(plain_words, found.columns)), rows, [said], heat=True, basis=basis, on=on)


def plain_words(name: str) -> str:
    """A name as people write it."""
    return name.replace("_", " ")


# Documents


def _documents(documents: Mapping[ScorePart, Mapping[Scope, Comparison]], basis: Sequence[str]) -> Iterator[Part]:
    yield Words(
        "The judge's score and the reviewer's: the same weights on what she left standing, of finished reviews.", "page"
    )
    yield Words(
        "The judge's score and the reviewer's, the same weights on what she left standing. Difference: judge - "
        "reviewer in points, its mean and the mean of its size; above 0 the judge is milder. Then Pearson's r, "
        "Spearman's rho, Kendall's tau-b. Within articles (systems): the mean over those where the figure is defined, "
        "of how many. Intervals, 95 %: rho's holds the ranks as found.",
        "terminal",
    )
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
        yield Table(
            f"Scores of documents: {part}, 0–{top}",
            (
                Column("", f"{part}, 0-{top}"),
                "n",
                *(Column("difference", "diff."), Column("|difference|", "|diff.|")),
                *(Column(name, name) for name in ("r", "rho", "tau-b")),
                "defined in",
            ),
            rows,
            definitions=_COMPARED if part == "total" else {},
            basis=basis,
        )
        yield from undefined(each for found in by_scope.values() for each in (found.mean_difference, found.pearson))
        yield from interval_notes(
            (
                SCOPES[scope],
                (
                    ("diff.", found.mean_difference, "z.2f"),
                    ("|diff.|", found.mean_absolute_difference, "z.2f"),
                    ("r", found.pearson, "z.3f"),
                    ("rho", found.spearman, "z.3f"),
                    ("tau-b", found.kendall_tau_b, "z.3f"),
                ),
            )
            for scope, found in by_scope.items()
        )


_COMPARED = {
    "difference": "the mean of judge - reviewer, in points: above 0 the judge is milder",
    "|difference|": "the mean of its size",
    "r, rho, tau-b": "Pearson's, Spearman's and Kendall's correlations; rho's interval holds the ranks as found",
    "within articles (systems)": "the mean over those where the figure is defined, of how many",
}
