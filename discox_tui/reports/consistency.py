"""The consistency figures as plain text for a terminal of 80 columns, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from discox_tui.reports.layout import UNDEFINED, WIDTH, counted, note, table
from discox_tui.text.fitting import fit
from discox_tui.text.safe import safe
from judges.agreement.figure import Figure
from judges.agreement.findings import Crosstab, Detection
from judges.metric_s.scoring import METRIC_S

if TYPE_CHECKING:
    from judges.agreement.documents import Comparison, Part, Scope
    from judges.agreement.report import ConsistencyReport, FindingFigures

# JSON


def as_json(report: ConsistencyReport) -> dict[str, Any]:
    """Return the report as what `json.dumps` takes, without NaN.

    A figure is ``{"value", "n"}``, with ``"why"`` where the value is null and ``"groups": {"used", "total"}`` where it
    is a mean over groups.
    """
    plain: dict[str, Any] = _plain(report)
    return plain


def _plain(value: Any) -> Any:
    match value:
        case Figure():
            why = {"why": value.why} if value.value is None else {}
            groups = {"groups": dict(zip(("used", "total"), value.groups, strict=True))} if value.groups else {}
            return {"value": value.value, "n": value.n, **why, **groups}
        case Detection():
            names = ("right", "wrong", "unsure", "unseen", "missed", "coverage", "precision", "precision_bounds")
            return {name: _plain(getattr(value, name)) for name in (*names, "recall", "f1", "searched")}
        case Crosstab():
            rows = zip(value.rows, value.counts, strict=True)
            return {row: dict(zip(value.columns, counts, strict=True)) for row, counts in rows}
        case Mapping():
            return {str(key): _plain(part) for key, part in value.items()}
        case tuple():
            return [_plain(part) for part in value]
        case _ if is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


# Text


def as_text(report: ConsistencyReport) -> str:
    """Return the report as lines of at most 80 cells but for signatures, without colour, ending in a line feed.

    An undefined figure is "–" and its reason stands under it. Names are made safe and cut to fit.
    """
    sections = (
        _evaluations(report),
        _findings(report.findings),
        _groups(report.findings),
        _attribution(report.findings),
        _severity(report.findings),
        _deduplication(report.findings),
        _documents(report.documents),
        _signatures(report.signatures),
    )
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def _evaluations(report: ConsistencyReport) -> Iterator[str]:
    counts, basis = report.evaluations, report.basis
    yield "EVALUATIONS"
    yield _line("in all", f"{counts.total:,}")
    yield _line("scored by every judge asked", f"{counts.scored:,}")
    yield _line("  reviewed", f"{counts.reviewed:,}")
    yield _line("  review in progress", f"{counts.in_progress:,}")
    yield _line("  skipped", f"{counts.skipped:,}")
    yield _line("a judge failed", f"{counts.judge_failed:,}")
    yield _line("failed the instruction check", f"{counts.instruction_failed:,}")
    yield _line("no translation", f"{counts.no_translation:,}")
    if counts.score_only:
        yield _line("a score only, no findings", f"{counts.score_only:,}")
    yield ""
    yield from _left_out("Left out of all figures below", report.left_out)
    if report.unfinished:
        yield from _left_out("Left out of the document figures only, by review", report.unfinished)
    yield from note(
        f"The figures rest on {counted(basis.documents, 'document')}: {counted(basis.articles, 'article')}, "
        f"{counted(basis.systems, 'system')}, {counted(basis.reviewers, 'reviewer')}. Findings of one article resemble "
        "one another: n counts them, not independent observations."
    )


def _left_out(title: str, reasons: Mapping[str, int]) -> Iterator[str]:
    yield f"  {title}"
    for reason, n in reasons.items():
        yield f"  {n:>8,}  {fit(reason, WIDTH - 12).rstrip()}"
    if not reasons:
        yield "    nothing"
    yield ""


def _findings(figures: FindingFigures) -> Iterator[str]:
    overall = figures.overall
    low, high = overall.precision_bounds
    yield "FINDINGS"
    yield from _entry(
        "Precision",
        overall.precision,
        f"Of the decided findings, the share that are errors: TP / (TP + FP), here {overall.right:,} and "
        f"{overall.wrong:,}. Right (TP): agreed with, changed, or moved to another dimension. Wrong (FP): not an "
        "error, or a duplicate of another.",
    )
    yield from _entry("Precision at least", low, "If all that is unsure or unseen were wrong: TP / N.")
    yield from _entry("Precision at most", high, "If all that is unsure or unseen were right: (TP + U) / N.")
    yield from _entry(
        "Coverage",
        overall.coverage,
        f"Of all findings, the share that is decided. Not yet: {overall.unsure:,} unsure, {overall.unseen:,} unseen.",
    )
    yield from _entry("Recall", overall.recall, "Of the errors known, the share that the judge found: TP / (TP + FN).")
    yield from _entry("F1", overall.f1, "Precision and recall in one: 2TP / (2TP + FP + FN).")


def _groups(figures: FindingFigures) -> Iterator[str]:
    searched = figures.overall.searched is not None
    yield "FINDINGS BY GROUP"
    yield from note(
        "By dimension, category and severity, the judge's label counts for precision and the reviewer's for recall: a "
        "finding moved from accuracy to fluency is right overall, wrong under accuracy, missed under fluency. Open: "
        "unsure or unseen. The n of precision is right + wrong"
        + ("; recall is over the documents searched for missed errors." if searched else "; its bounds are as above.")
    )
    for grouping, detections in figures.by.items():
        rows, figures_shown = [], []
        for label, found in detections.items():
            shown = (found.recall,) if searched else found.precision_bounds
            counts = (found.right, found.wrong, found.missed, found.unsure + found.unseen)
            rows.append(
                (
                    _words(label) if grouping in ("category", "severity") else label,
                    *map("{:,}".format, counts),
                    _number(found.precision),
                    _number(found.recall) if searched else "-".join(_number(bound, ".2f") for bound in shown),
                )
            )
            figures_shown += [found.precision, *shown]
        header = ("right", "wrong", "missed", "open", "precision", "recall" if searched else "bounds")
        yield ""
        yield from table((f"by {_words(grouping)}", *header), rows)
        yield from _reasons(figures_shown)
        if not rows:
            yield "    no findings"


def _attribution(figures: FindingFigures) -> Iterator[str]:
    yield "ATTRIBUTION"
    yield from note("The judge's dimension (rows) and the reviewer's (columns), over the decided findings.")
    yield ""
    yield from _crosstab("judge", figures.attribution)


def _severity(figures: FindingFigures) -> Iterator[str]:
    severity = figures.severity
    yield "SEVERITY"
    yield from note(
        "The accuracy judge's level (rows) and the reviewer's (columns); other dimensions have one level only. "
        "Elsewhere: moved to another dimension."
    )
    yield ""
    yield from _crosstab("judge", severity.table)
    yield ""
    yield from _entry("Agreement", severity.agreement, "The share of these errors left at the judge's level.")
    explained = {
        "nominal": "Cohen's kappa: agreement beyond chance; another level is another level.",
        "linear": "The same, two levels apart counting twice as much as one.",
        "quadratic": "The same, two levels apart counting four times as much as one.",
    }
    for weighting, kappa in severity.kappa.items():
        yield from _entry(f"Kappa, {weighting}", kappa, explained[weighting])


def _deduplication(figures: FindingFigures) -> Iterator[str]:
    found = figures.deduplication
    yield "DE-DUPLICATION"
    yield from _entry(
        "Drops confirmed",
        found.drops_confirmed,
        f"Of the findings it dropped, the share that reviewers did not restore. Dropped: {found.dropped:,}, of which "
        f"{found.undecided_drops:,} not decided.",
    )
    yield from _entry(
        "Duplicates kept", found.duplicates_kept, "Of the findings it kept, the share called a duplicate of another."
    )


def _documents(documents: Mapping[Part, Mapping[Scope, Comparison]]) -> Iterator[str]:
    yield "DOCUMENTS"
    yield from note(
        "The judge's score and the reviewer's, the same weights on what she left standing. Difference: judge - "
        "reviewer in points, its mean and the mean of its size; above 0 the judge is milder. Then Pearson's r, "
        "Spearman's rho, Kendall's tau-b. Within articles (systems): the mean over those where the figure is defined, "
        "of how many."
    )
    scopes: Mapping[Scope, str] = {"all": "in all", "articles": "within articles", "systems": "within systems"}
    for part, by_scope in documents.items():
        top = sum(METRIC_S.maxima.values()) if part == "total" else METRIC_S.maxima[part]
        yield ""
        rows = []
        for scope, found in by_scope.items():
            correlations = (found.pearson, found.spearman, found.kendall_tau_b)
            groups = found.pearson.groups
            rows.append(
                (
                    scopes[scope],
                    f"{found.mean_difference.n:,}",
                    _number(found.mean_difference, "+z.2f"),
                    _number(found.mean_absolute_difference, ".2f"),
                    *map(_number, correlations),
                    f"{groups[0]:,} of {groups[1]:,}" if groups else "",
                )
            )
        yield from table((f"{part}, 0-{top}", "n", "diff.", "|diff.|", "r", "rho", "tau-b", "defined in"), rows)
        yield from _reasons(figure for found in by_scope.values() for figure in (found.mean_difference, found.pearson))


def _signatures(signatures: Mapping[str, int]) -> Iterator[str]:
    yield "SIGNATURES"
    yield from note("What decided the judge's scores that the figures rest on, and of how many evaluations.")
    yield ""
    for signature, n in signatures.items():
        yield f"  {n:>8,}  {safe(signature)}"
    if not signatures:
        yield "    none"


def _line(label: str, value: str) -> str:
    """A label and a value, right-aligned in a column of its own."""
    return f"  {fit(label, 34)}{value:>10}"


def _entry(label: str, figure: Figure, definition: str) -> Iterator[str]:
    """A figure with its n, what it is, and why it is undefined if it is."""
    yield f"{_line(label, _number(figure))}   n {figure.n:,}"
    yield from note(definition, indent=4)
    yield from _reasons([figure])


def _reasons(figures: Iterable[Figure]) -> Iterator[str]:
    """Why these figures are undefined, each reason once."""
    for why in dict.fromkeys(figure.why for figure in figures if figure.value is None):
        yield from note(f"{UNDEFINED} {why}", indent=4)


def _crosstab(corner: str, found: Crosstab) -> Iterator[str]:
    rows = zip(found.rows, found.counts, strict=True)
    return table((corner, *map(_words, found.columns)), [(_words(row), *map("{:,}".format, n)) for row, n in rows])


def _number(figure: Figure, form: str = "z.3f") -> str:
    """The value, never as -0."""
    return UNDEFINED if figure.value is None else format(figure.value, form)


def _words(name: str) -> str:
    return name.replace("_", " ")
