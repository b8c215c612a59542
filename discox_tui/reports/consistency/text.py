"""The consistency figures as plain text for a terminal of 80 columns, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from discox_tui.reports.consistency import annotators, error_slices
from discox_tui.reports.consistency import figures as named
from discox_tui.reports.render.entries import crosstab, ends, entries, intervals, line, plain_words, reasons, value_of
from discox_tui.reports.render.layout import WIDTH, counted, note, table, table_of_names
from discox_tui.text.columns import fit
from discox_tui.text.safe import safe
from judges.consistency.crosstabs import Crosstab
from judges.consistency.error_slices import SliceOutcome
from judges.metric_s.scoring import METRIC_S
from judges.stats.figure import Figure, Interval

if TYPE_CHECKING:
    from judges.consistency.documents import Comparison, Part, Scope
    from judges.consistency.findings import FindingFigures
    from judges.consistency.label_agreement import InstructionAgreement
    from judges.consistency.report import Basis, ConsistencyReport
    from judges.ranking.acceptance_model import ModelAssessment

# JSON


def as_json(report: ConsistencyReport | ModelAssessment) -> dict[str, Any]:
    """Return the report as what `json.dumps` takes, without NaN.

    A figure is ``{"value", "n"}``, with ``"why"`` where the value is null, ``"groups": {"used", "total"}`` where it
    is a mean over groups, and ``"interval"`` where it has one: ``{"low", "high", "method", "articles", "resamples",
    "dropped", "seed"}``, with ``"why"`` where both ends are null and ``"warning"`` where it rests on few articles.
    """
    plain: dict[str, Any] = _plain(report)
    return plain


def _plain(value: Any) -> Any:
    match value:
        case Figure():
            why = {"why": value.why} if value.value is None else {}
            groups = {"groups": dict(zip(("used", "total"), value.groups, strict=True))} if value.groups else {}
            interval = {"interval": _plain(value.interval)} if value.interval else {}
            return {"value": value.value, "n": value.n, **why, **groups, **interval}
        case Interval():
            words = {"why": value.why, "warning": value.warning}
            return {
                "low": value.low,
                "high": value.high,
                "method": value.method,
                "articles": value.clusters,
                "resamples": value.resamples,
                "dropped": value.dropped,
                "seed": value.seed,
                **{name: said for name, said in words.items() if said},
            }
        case Crosstab():
            rows = zip(value.rows, value.counts, strict=True)
            return {row: dict(zip(value.columns, counts, strict=True)) for row, counts in rows}
        case SliceOutcome():
            counts = {name: getattr(value, name) for name in ("decided", "articles", "rejected", "moved")}
            return {**value.spot._asdict(), **counts, "rate": _plain(value.rate)}
        case Mapping():
            return {str(key): _plain(part) for key, part in value.items()}
        case list() | tuple():
            return [_plain(part) for part in value]
        case _ if is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


# Text, parts of it for sections too

SCOPES: Mapping[Scope, str] = {"all": "in all", "articles": "within articles", "systems": "within systems"}
"""What documents are compared over."""


def rests_on(basis: Basis) -> str:
    """How much the figures of findings rest on."""
    return (
        f"The figures rest on {counted(basis.documents, 'document')}: {counted(basis.articles, 'article')}, "
        f"{counted(basis.systems, 'system')}, {counted(basis.reviewers, 'reviewer')}. Findings of one article resemble "
        "one another: n counts them, not independent observations, and intervals are over articles."
    )


def as_text(report: ConsistencyReport, by: str | None = None, instead: Iterable[str] | None = None) -> str:
    """Return the report as lines of at most 80 cells but for signatures, without colour, ending in a line feed.

    ``by``: of the tables of findings by group only this one; ``spot``: every weak spot in their place. ``instead``:
    what there is where no judge was asked, and so nothing of a judge's was reviewed. An undefined figure is "–" and
    its reason stands under it. Names are made safe and cut to fit.
    """
    about_reviews = (
        _findings(report),
        *([] if by == error_slices.SPOT else [_groups(report.findings, by)]),
        _weak_spots(report, by),
        _attribution(report.findings),
        _severity(report.findings),
        _deduplication(report.findings),
        _rubric(report.findings),
        _instruction(report.instruction),
        _quotes(report.findings),
        _documents(report.documents),
        annotators.blind_first(report.anchoring),
        annotators.between_humans(report.between_humans, report.anchoring),
        annotators.within_reviewers(report.within_reviewers),
        annotators.spans(report.spans),
    )
    reviewed = report.evaluations.reviewed + report.evaluations.in_progress > 0
    marked = report.spans.humans.documents + report.spans.judge.documents > 0
    without_judge = (instead or _nobody_yet(), *((annotators.spans(report.spans),) if marked else ()))
    sections = (
        _evaluations(report),
        *(about_reviews if reviewed else without_judge),
        _signatures(report.signatures),
    )
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def _nobody_yet() -> Iterator[str]:
    yield "FINDINGS AND DOCUMENTS"
    yield from note(
        "Nothing has been reviewed, so there is nothing to hold the judge against: `discox` opens the review."
    )


def _evaluations(report: ConsistencyReport) -> Iterator[str]:
    counts, basis = report.evaluations, report.basis
    yield "EVALUATIONS"
    yield line("in all", f"{counts.total:,}")
    yield line("scored by every judge asked", f"{counts.scored:,}")
    yield line("  reviewed", f"{counts.reviewed:,}")
    yield line("  review in progress", f"{counts.in_progress:,}")
    yield line("  skipped", f"{counts.skipped:,}")
    yield line("a judge failed", f"{counts.judge_failed:,}")
    yield line("failed the instruction check", f"{counts.instruction_failed:,}")
    yield line("no translation", f"{counts.no_translation:,}")
    if counts.score_only:
        yield line("a score only, no findings", f"{counts.score_only:,}")
    yield ""
    yield from _left_out("Left out of all figures below", report.left_out)
    if report.unfinished:
        yield from _left_out("Left out of the document figures only, by review", report.unfinished)
    if report.unsearched:
        yield from _left_out("Searched for missed errors, but left out of recall", report.unsearched)
    yield from note(rests_on(basis))


def _left_out(title: str, reasons: Mapping[str, int]) -> Iterator[str]:
    yield f"  {title}"
    for reason, n in reasons.items():
        yield f"  {n:>8,}  {fit(reason, WIDTH - 12).rstrip()}"
    if not reasons:
        yield "    nothing"
    yield ""


def _findings(report: ConsistencyReport) -> Iterator[str]:
    overall = report.findings.overall
    yield "FINDINGS"
    yield from note(
        "Beside a figure its 95 % interval: percentiles of a bootstrap over the articles that say anything of it "
        f"({report.resamples:,} resamples, seed {report.seed}; all there are, of a handful of articles)."
    )
    of_both = [figure.interval for figure in (overall.coverage, overall.precision) if figure.interval]
    for said in dict.fromkeys(interval.why or interval.warning for interval in of_both):
        if said:
            yield from note(f"! {said}")
    missed = overall.searched.missed if overall.searched else 0
    yield from entries(
        named.detection(overall),
        named.DETECTION,
        {
            "precision": f"Here TP {overall.right:,}, FP {overall.wrong:,}; {counted(overall.repeated, 'repeat')}.",
            "coverage": f"Not yet: {overall.unsure:,} unsure, {overall.unseen:,} unseen.",
            "recall": f"Searched: {report.basis.searched:,}, with {counted(missed, 'missed error')}.",
            "F1": "Precision and recall in one.",
        },
    )


def _groups(figures: FindingFigures, by: str | None) -> Iterator[str]:
    searched = figures.overall.searched is not None
    yield "FINDINGS BY GROUP"
    yield from note(
        "By dimension, category and severity, the judge's label counts for precision and the reviewer's for recall: a "
        "finding moved from accuracy to fluency is right overall, wrong under accuracy, missed under fluency. Open: "
        "unsure or unseen. The n of precision is right + wrong"
        + ("; recall is over the documents searched for missed errors." if searched else ".")
    )
    for grouping, detections in figures.by.items():
        if by not in (None, grouping):
            continue
        rows, figures_shown = [], []
        for label, found in detections.items():
            counts = (found.right, found.wrong, found.missed, found.unsure + found.unseen)
            recall = (found.recall,) if searched else ()
            rows.append(
                (
                    plain_words(label) if grouping in ("category", "severity") else label,
                    *map("{:,}".format, counts),
                    value_of(found.precision),
                    ends(found.precision),
                    *map(value_of, recall),
                )
            )
            figures_shown += [found.precision, *recall]
        header = ("right", "wrong", "missed", "open", "prec.", "95 %", *(("recall",) if searched else ()))
        yield ""
        yield from table((f"by {plain_words(grouping)}", *header), rows)
        yield from reasons(figures_shown)
        if not rows:
            yield "    no findings"


def _weak_spots(report: ConsistencyReport, by: str | None) -> Iterator[str]:
    yield "WEAK SPOTS"
    for name, said in error_slices.DEFINITIONS.items():
        yield from note(f"{name[0].upper()}{name[1:]}: {said}.")
    yield ""
    shown = error_slices.shown(report, by)
    rows = [
        (
            error_slices.name_of(found.spot),
            *map("{:,}".format, (found.decided, found.articles, found.rejected, found.moved)),
            value_of(found.rate),
            ends(found.rate),
        )
        for found in shown
    ]
    yield from table_of_names(("", "n", "art.", "rejected", "moved", "rate", "95 %"), rows)
    if not rows:
        yield "    nothing has been decided"
    for said in error_slices.left_out(report, len(shown)):
        yield from note(said, indent=4)


def _attribution(figures: FindingFigures) -> Iterator[str]:
    yield "ATTRIBUTION"
    yield from note(named.ATTRIBUTION_TABLE)
    yield ""
    yield from crosstab("judge", figures.attribution)


def _severity(figures: FindingFigures) -> Iterator[str]:
    severity = figures.severity
    yield "SEVERITY"
    yield from note(named.SEVERITY_TABLE)
    yield ""
    yield from crosstab("judge", severity.table)
    yield ""
    yield from entries(named.severity(severity), named.SEVERITY)


def _deduplication(figures: FindingFigures) -> Iterator[str]:
    found = figures.deduplication
    yield "DE-DUPLICATION"
    yield from entries(
        named.deduplication(found),
        named.DEDUPLICATION,
        {"drops confirmed": f"Dropped: {found.dropped:,}, of which {found.undecided_drops:,} not decided."},
    )


def _rubric(figures: FindingFigures) -> Iterator[str]:
    found = figures.rubric
    yield "RUBRIC"
    yield from entries(
        named.rubric(found),
        named.RUBRIC,
        {
            "violations upheld": f"Violated: {found.violated:,}, of which {found.undecided:,} not decided.",
            "agreement, met or violated": "A duplicate is no less violated.",
        },
    )
    yield ""
    yield from crosstab("judge", found.table)


def _instruction(found: InstructionAgreement) -> Iterator[str]:
    yield "INSTRUCTION CHECK"
    yield from entries(named.instruction(found), named.INSTRUCTION)
    if found.agreed.n:
        yield ""
        yield from crosstab("judge", found.table)


def _quotes(figures: FindingFigures) -> Iterator[str]:
    yield "QUOTES"
    yield from entries(
        named.quotes(figures),
        named.QUOTES,
        {"invented quotes": "Each finding counts once, however many reviewed it."},
    )


def _documents(documents: Mapping[Part, Mapping[Scope, Comparison]]) -> Iterator[str]:
    yield "DOCUMENTS"
    yield from note(
        "The judge's score and the reviewer's, the same weights on what she left standing. Difference: judge - "
        "reviewer in points, its mean and the mean of its size; above 0 the judge is milder. Then Pearson's r, "
        "Spearman's rho, Kendall's tau-b. Within articles (systems): the mean over those where the figure is defined, "
        "of how many. Intervals, 95 %: rho's holds the ranks as found."
    )
    for part, by_scope in documents.items():
        top = sum(METRIC_S.maxima.values()) if part == "total" else METRIC_S.maxima[part]
        yield ""
        rows = []
        for scope, found in by_scope.items():
            correlations = (found.pearson, found.spearman, found.kendall_tau_b)
            groups = found.pearson.groups
            rows.append(
                (
                    SCOPES[scope],
                    f"{found.mean_difference.n:,}",
                    value_of(found.mean_difference, "+z.2f"),
                    value_of(found.mean_absolute_difference, ".2f"),
                    *map(value_of, correlations),
                    f"{groups[0]:,} of {groups[1]:,}" if groups else "",
                )
            )
        yield from table((f"{part}, 0-{top}", "n", "diff.", "|diff.|", "r", "rho", "tau-b", "defined in"), rows)
        yield from reasons(figure for found in by_scope.values() for figure in (found.mean_difference, found.pearson))
        yield from intervals(
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


def _signatures(signatures: Mapping[str, int]) -> Iterator[str]:
    yield "SIGNATURES"
    yield from note("What decided the judge's scores that the figures rest on, and of how many evaluations.")
    yield ""
    for signature, n in signatures.items():
        yield f"  {n:>8,}  {safe(signature)}"
    if not signatures:
        yield "    none"
