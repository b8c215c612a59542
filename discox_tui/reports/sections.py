"""The consistency figures as sections of a report, ready to become a file; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from discox_tui.reports.layout import UNDEFINED, counted
from discox_tui.reports.leaderboard import number, probability
from discox_tui.reports.pairwise import DEFINITIONS, cells_of, metrics_of, signatures_of, warnings_of
from discox_tui.reports.tables import (
    COEFFICIENT,
    SHARE,
    Report,
    Scatter,
    Section,
    Shown,
    Table,
    Value,
    ends_of,
    of_estimate,
)
from judges.agreement.figure import Figure
from judges.agreement.pairs import RULES
from judges.agreement.pairwise import DIRECTIONS, LEVELS
from judges.agreement.planning import ASSUMPTION
from judges.metric_s.published import published, published_consistency
from judges.metric_s.scoring import METRIC_S

if TYPE_CHECKING:
    from judges.agreement.documents import Comparison, Part, Scope
    from judges.agreement.findings import Crosstab, Detection, FindingFigures
    from judges.agreement.pairs import Rule
    from judges.agreement.pairwise import Level, PairwiseReport
    from judges.agreement.planning import Plan
    from judges.agreement.report import ConsistencyReport
    from judges.agreement.reviewers import BetweenHumans, Together
    from storage.imports import FileReport
    from storage.pairwise import Pairwise

NO_SCORES = Figure(None, 0, "no scores")
SIGNATURES_SHOWN = 5
"""Signatures under a table that stands alone; the report has them all."""


def consistency_report(
    found: Pairwise,
    reviews: ConsistencyReport | None,
    facts: Mapping[str, str],
    *,
    files: Sequence[FileReport] = (),
    by: str | None = None,
    beside: bool = False,
) -> Report:
    """Return the report: pairwise figures, and those of ``reviews`` where there is a library (None: scores alone).

    ``facts``: how it was made, by name. ``files``: what became of the tables of scores, where there is no library.
    ``by``: only this table of findings by group. ``beside``: with the published figures.
    """
    intervals = intervals_of(found.report.resamples, found.report.seed)
    signatures = [
        said
        for metric in metrics_of(found.report)
        for said in _signatures_of(found, metric)
    ]  # fmt: skip
    scores = (f"Intervals: {intervals}", *_signed(signatures))
    sections = [_headline(found, beside, scores)]
    if found.report.cells:
        sections.append(_rules(found, scores))
    if found.cut:
        sections.append(_groups(found, scores))
    if found.metrics or found.systems:
        sections.append(_compared(found, scores))
    said: dict[str, int] = {}
    if reviews is not None:
        said |= reviews.signatures
        basis = (f"Intervals: {intervals_of(reviews.resamples, reviews.seed)}", *_signed(reviews.signatures))
        sections += [
            _findings(reviews, by, basis),
            _documents(reviews.documents, basis),
            _between_humans(reviews.between_humans, basis),
        ]
    sections += [_left_out(found, reviews, files), _signatures(signatures, said)]
    return Report(
        "Consistency with humans", {**facts, "Intervals": intervals}, sections, warnings_of(found)
    )  # fmt: skip


def intervals_of(resamples: int, seed: int) -> str:
    """How intervals are made."""
    return f"95 %, percentile bootstrap over articles, {resamples:,} resamples, seed {seed}."


def _signatures_of(found: Pairwise, metric: str) -> list[str]:
    """What decided a metric's scores, or the tables they are from: by name, for where they lay is nobody's business."""
    of = found.table.metrics.get(metric)
    return signatures_of(metric, of and replace(of, files=tuple(Path(file).name for file in of.files)))


def _signed(signatures: Sequence[str] | Mapping[str, int]) -> tuple[str, ...]:
    shown = list(signatures)[:SIGNATURES_SHOWN]
    more = len(signatures) - len(shown)
    return (*(f"Signature: {each}" for each in shown), *([f"… and {more} more signatures"] if more else []))


# Pairwise


def _headline(found: Pairwise, beside: bool, basis: Sequence[str]) -> Section:
    report = found.report
    raters = ", ".join(report.raters[:10]) + (" …" if len(report.raters) > 10 else "")
    several = (
        f"; {counted(report.rated_by_several, 'translation')} rated by several, averaged"
        if report.rated_by_several
        else ""
    )
    words = [
        "Of two systems, does the metric rank the one higher that humans rank higher? Segment level: pairs within an "
        "article. System level: pairs of means over the articles that both humans and metric scored. The mean is of "
        "the four cells, unweighted, and undefined if one of them is.",
        f"Humans: {raters or 'none'}{several}.",
    ]
    tables = [
        table
        for rule in dict.fromkeys((found.ties, "c_index" if found.ties != "c_index" else "acc_eq"))
        for table in _four_cells(report, rule, basis, beside)
    ]
    if beside:
        words.append(
            f"Published: {published().source}; judge {published().judge}. Neither the rule for ties nor n were "
            "published; figures over other articles, systems or humans do not compare."
        )
    return Section("Pairwise consistency", words, tables, _scatters(found))


def _four_cells(
    report: PairwiseReport, rule: Rule, basis: Sequence[str], beside: bool = False, of: str = ""
) -> Iterator[Table]:
    """The metrics side by side by one rule: the paper's two directions with their mean, then any others."""
    present = {direction for _, _, direction in report.cells}
    others = sorted(present - set(DIRECTIONS))
    groups: list[tuple[str, ...]] = [DIRECTIONS] if beside or present & set(DIRECTIONS) else []
    groups += [tuple(others[i : i + 2]) for i in range(0, len(others), 2)]
    for directions in groups:
        cells: list[tuple[Level, str]] = [(level, direction) for level in LEVELS for direction in directions]
        paper = directions == DIRECTIONS
        rows: list[Sequence[Value]] = []
        for metric in metrics_of(report):
            figures = [
                report.cells[metric, *cell].figures[rule] if (metric, *cell) in report.cells else NO_SCORES
                for cell in cells
            ]
            figures += [report.averages[metric][rule]] if paper else []
            rows.append((metric, *(Shown(figure, scale=SHARE) for figure in figures)))
            rows.append(("pairs", *(figure.n for figure in figures)))
        if beside and paper and rule == "acc_eq":
            rows += [
                (
                    f"published: {row.metric}",
                    *(number(row.cells[cell], ".3f") for cell in cells),
                    number(row.average, ".3f"),
                )
                for row in published_consistency()
            ]
        if not rows:
            continue
        where = "" if paper else f" ({', '.join(directions)})"
        yield Table(
            f"Pairwise consistency{of}, {rule}{where}",
            ("metric", *(f"{level} {direction}" for level, direction in cells), *(["mean"] if paper else [])),
            rows,
            definitions={rule: DEFINITIONS[rule]},
            basis=basis,
        )


def _rules(found: Pairwise, basis: Sequence[str]) -> Section:
    report, tables = found.report, list[Table]()
    for metric in metrics_of(report):
        cells = [report.cells[metric, *cell] for cell in cells_of(report, metric)]
        rows: list[Sequence[Value]] = [
            (rule, *(Shown(cell.figures[rule], scale=SHARE) for cell in cells)) for rule in RULES
        ]
        rows.append(("acc_eq, Wilson", *(ends_of(cell.wilson["acc_eq"]) or UNDEFINED for cell in cells)))
        rows.append(("acc_eq, calibrated", *(Shown(cell.calibrated.figure, scale=SHARE) for cell in cells)))
        rows.append(("smallest ε", *(number(cell.calibrated.epsilon, ".4g") for cell in cells)))
        rows.append(
            ("SPA", *(Shown(replace(cell.spa, interval=None), scale=SHARE) if cell.spa else "" for cell in cells))
        )
        rows += [(label, *(getattr(cell.counts, name) for cell in cells)) for name, label in _COUNTS.items()]
        rows += [(name, *(getattr(cell, name) for cell in cells)) for name in ("articles", "systems")]
        left_out = [
            f"Left out of {cell.level} {cell.direction}: "
            + "; ".join(f"{reason} ({n:,})" for reason, n in cell.left_out.items() if n)
            for cell in cells
            if any(cell.left_out.values())
        ]
        tables.append(
            Table(
                f"Every rule for ties: {metric}",
                ("", *(f"{cell.level} {cell.direction}" for cell in cells)),
                rows,
                left_out,
                {str(rule): said for rule, said in DEFINITIONS.items()} | _RULES_TOO,
                basis=(basis[0], *_signed(_signatures_of(found, metric))),
            )
        )
    return Section(
        "Every rule for ties",
        [
            "The rule for ties decides much where scores tie often: always say which one. c_index gains nothing from "
            "breaking ties at random; acc_eq does."
        ],
        tables,
    )


_COUNTS = {
    "n": "pairs",
    "concordant": "concordant",
    "discordant": "discordant",
    "tied_human": "tied by humans only",
    "tied_metric": "tied by metric only",
    "tied_both": "tied in both",
}
_RULES_TOO = {
    "Wilson": "the interval if pairs were independent, which they are not",
    "calibrated": "the best acc_eq where metric scores that differ by at most ε are tied; chosen on the same pairs",
    "SPA": "1 - mean |p by humans - p by the metric|, p of a permutation test between two systems",
}


def _groups(found: Pairwise, basis: Sequence[str]) -> Section:
    explained = {
        "dimension": "A judge's points in one dimension against the reviewers'. Other metrics have no dimensions.",
        "system": "Only the pairs that the system is in.",
        "domain": "Only the articles of the domain.",
        "reviewer": "Against the ratings of one person.",
    }
    tables = [
        table
        for label, report in found.groups.items()
        for table in _four_cells(report, found.ties, basis, of=f", {found.cut} {label or '(none)'}")
    ]
    empty = [label or "(none)" for label, report in found.groups.items() if not report.cells]
    words = [explained[found.cut or "system"], *([f"No scores: {', '.join(empty)}."] if empty else [])]
    return Section(f"Pairwise consistency by {found.cut}", words, tables)


def _compared(found: Pairwise, basis: Sequence[str]) -> Section:
    tables = []
    if found.metrics:
        one = found.metrics[0][0]
        rows: list[Sequence[Value]] = [
            (
                f"{each.level} {each.direction}",
                each.articles,
                number(each.first_value, "z.3f"),
                number(each.second_value, "z.3f"),
                Shown(each.difference, "+z.3f", COEFFICIENT),
                probability(each.test.p),
                _further(plan),
            )
            for each, plan in found.metrics
        ]
        tables.append(
            Table(
                f"Two metrics: {one.second} minus {one.first}, {one.measure}",
                ("", "articles", one.first, one.second, "difference", "p", "further articles"),
                rows,
                _plan_notes([plan for _, plan in found.metrics]),
                {"p": f"one-sided test that {one.second} is the more consistent (PERM-BOTH)"} | _FURTHER,
                basis=basis,
            )
        )
    if found.systems:
        first = found.systems[0]
        rows = [
            (
                f"{each.direction} {each.scorer or 'humans'}".strip(),
                each.difference.n,
                Shown(of_estimate(each.difference), "+z.4g"),
                probability(each.p),
                _further(each.plan),
            )
            for each in found.systems
        ]
        tables.append(
            Table(
                f"Two systems: {first.second} minus {first.first}",
                ("", "articles", "difference", "p", "further articles"),
                rows,
                _plan_notes([each.plan for each in found.systems]),
                {"difference": "in points of each metric", "p": "two-sided paired permutation test"} | _FURTHER,
                basis=basis,
            )
        )
    return Section("Compared", (), tables)


_FURTHER = {"further articles": "how many it would take, beyond those there are, to tell them apart"}


def _further(plan: Plan) -> str:
    return UNDEFINED if plan.further is None else f"{plan.further:,}"


def _plan_notes(plans: Sequence[Plan]) -> list[str]:
    return [*dict.fromkeys(f"{UNDEFINED} further: {plan.why}" for plan in plans if plan.why), ASSUMPTION]


def _scatters(found: Pairwise) -> list[Scatter]:
    """Each metric's scores against the humans' mean, a point for each translation."""
    from judges.agreement.scores import sheets

    points: dict[str, tuple[list[float], list[float]]] = {}
    for sheet in sheets(found.table.rows).values():
        for metric, scores in sheet.metrics.items():
            across, up = points.setdefault(metric, ([], []))
            for x, y in zip(scores.ravel().tolist(), sheet.human.ravel().tolist(), strict=True):
                if isfinite(x) and isfinite(y):
                    across.append(x)
                    up.append(y)
    top = float(sum(METRIC_S.maxima.values()))
    plots = []
    for metric, (across, up) in points.items():
        of = found.table.metrics.get(metric)
        limits = (0.0, top) if of and of.judge and all(0 <= value <= top for value in (*across, *up)) else None
        plots.append(Scatter(metric, "humans", across, up, limits))
    return plots


# Findings


def _findings(report: ConsistencyReport, by: str | None, basis: Sequence[str]) -> Section:
    figures, base = report.findings, report.basis
    overall = figures.overall
    low, high = overall.precision_bounds
    entries = {
        "precision": overall.precision,
        "precision, at least": low,
        "precision, at most": high,
        "coverage": overall.coverage,
        "recall": overall.recall,
        "F1": overall.f1,
    }
    counts = (
        f"Right {overall.right:,}, wrong {overall.wrong:,}, unsure {overall.unsure:,}, not looked at "
        f"{overall.unseen:,}, missed {overall.missed:,}."
    )
    tables = [
        _entries("Findings: precision and recall", entries, basis, _OVERALL, [counts]),
        *_by_group(figures, by, basis),
        _crosstab(
            "Attribution: judge's dimension × reviewer's",
            figures.attribution,
            basis,
            "The judge's dimension in rows, the reviewer's in columns, over the decided findings.",
        ),
        _crosstab(
            "Severity: judge's level × reviewer's",
            figures.severity.table,
            basis,
            "The accuracy judge's level in rows, the reviewer's in columns; other dimensions have one level only. "
            "Elsewhere: moved to another dimension.",
        ),
        _entries(
            "Severity: agreement",
            {"agreement": figures.severity.agreement}
            | {f"kappa, {weighting}": kappa for weighting, kappa in figures.severity.kappa.items()},
            basis,
            _SEVERITY,
            scale=COEFFICIENT,
        ),
        _entries(
            "De-duplication, rubric points, quotes",
            {
                "drops confirmed": figures.deduplication.drops_confirmed,
                "duplicates kept": figures.deduplication.duplicates_kept,
                "violations upheld": figures.rubric.upheld,
                "violations rejected": figures.rubric.rejected,
                "points called met": figures.rubric.met_points,
                "reference too strict": figures.rubric.too_strict,
                "invented quotes": figures.invented_quotes,
                "marked as invented": figures.marked_invented,
            },
            basis,
            _OTHER,
            [
                f"Dropped: {figures.deduplication.dropped:,}, of which {figures.deduplication.undecided_drops:,} not "
                f"decided. Violated: {figures.rubric.violated:,}, of which {figures.rubric.undecided:,} not decided."
            ],
        ),
    ]
    words = [
        f"The figures rest on {counted(base.documents, 'document')}: {counted(base.articles, 'article')}, "
        f"{counted(base.systems, 'system')}, {counted(base.reviewers, 'reviewer')}. Findings of one article resemble "
        "one another: n counts them, not independent observations, and intervals are over articles."
    ]
    return Section("Findings", words, tables)


_OVERALL = {
    "precision": "TP / (TP + FP): of the decided findings, the share that are errors. Right (TP): agreed with, "
    "changed, or moved to another dimension. Wrong (FP): not an error, or a duplicate of another",
    "precision, at least": "TP / N: if all that is unsure or unseen were wrong",
    "precision, at most": "(TP + U) / N: if all that is unsure or unseen were right",
    "coverage": "of all findings, the share that is decided",
    "recall": "TP / (TP + FN): of the errors known, the share that the judge found",
    "F1": "2TP / (2TP + FP + FN)",
}
_SEVERITY = {
    "agreement": "the share of these errors left at the judge's level",
    "kappa, nominal": "Cohen's: agreement beyond chance; another level is another level",
    "kappa, linear": "the same, two levels apart counting twice as much as one",
    "kappa, quadratic": "the same, two levels apart counting four times as much as one",
}
_OTHER = {
    "drops confirmed": "of the findings that de-duplication dropped, the share that reviewers did not restore",
    "duplicates kept": "of the findings it kept, the share called a duplicate of another",
    "violations upheld": "of the rubric points called violated, the share that reviewers left standing",
    "violations rejected": "the share that reviewers called no error",
    "points called met": "agreement on the points that the judge calls met",
    "reference too strict": "how often a point asks for more than the text does",
    "invented quotes": "of the findings that quote something, the share with a quote that occurs nowhere",
    "marked as invented": "the share that reviewers marked so",
}


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
        rows = [_detection(_words(label) if plain else label, found) for label, found in detections.items()]
        if rows:
            yield Table(
                f"Findings by {_words(grouping)}",
                (_words(grouping), "right", "wrong", "missed", "open", "precision", "n", "recall", "n"),
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
    rows: list[Sequence[Value]] = [(_words(row), *counts) for row, counts in zip(found.rows, found.counts, strict=True)]
    return Table(title, ("judge", *map(_words, found.columns)), rows, [note], heat=True, basis=basis)


# Documents


def _documents(documents: Mapping[Part, Mapping[Scope, Comparison]], basis: Sequence[str]) -> Section:
    scopes: Mapping[Scope, str] = {"all": "in all", "articles": "within articles", "systems": "within systems"}
    tables = []
    for part, by_scope in documents.items():
        top = sum(METRIC_S.maxima.values()) if part == "total" else METRIC_S.maxima[part]
        rows: list[Sequence[Value]] = []
        for scope, found in by_scope.items():
            groups = found.pearson.groups
            rows.append(
                (
                    scopes[scope],
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


def _between_humans(found: BetweenHumans, basis: Sequence[str]) -> Section:
    words = [
        "Reviewers with one another, and beneath it the judge with each of them on the same findings and documents: "
        "what humans reach is the ceiling for a judge. All saw the judge's findings before they decided. That draws "
        "them to it, and to one another: this is no agreement of independent annotators, and no document was reviewed "
        "blind first."
    ]
    tables: list[Table] = []
    if found.together is None:
        words.append(f"{UNDEFINED} {found.why}.")
    else:
        pairs = found.pairs if len(found.pairs) > 1 else ()
        for each in (found.together, *pairs):
            tables += _together(each, basis)
    tables.append(
        _entries(
            "Marked spans", {"spans": found.spans}, basis, {"spans": "F1 of spans that two marked, with partial credit"}
        )
    )
    return Section("Between humans", words, tables)


def _together(found: Together, basis: Sequence[str]) -> Iterator[Table]:
    names = ", ".join(found.reviewers)
    sides = (("humans", found.humans), ("judge", found.judge))
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


# What it rests on


def _left_out(found: Pairwise, report: ConsistencyReport | None, files: Sequence[FileReport]) -> Section:
    tables = []
    if files:
        counts = [(file.file.name, file.rows, file.stored, file.unchanged, file.left_out) for file in files]
        tables.append(Table("Rows of the tables of scores", ("file", "rows", "used", "repeated", "left out"), counts))
    for file in files:
        of_a_kind: dict[str, list[str]] = {}
        for entry in file.notes:
            of_a_kind.setdefault(entry.code, []).append(file.line_of(entry).strip())
        if of_a_kind:
            rows = [(lines[0], len(lines)) for lines in of_a_kind.values()]
            tables.append(Table(f"Left out or flagged: {file.file.name}", ("the first of its kind", "rows"), rows))
    if found.table.left_out:
        tables.append(Table("Scores left out", ("reason", "scores"), list(found.table.left_out.items())))
    if report is not None:
        tables.append(
            Table("Evaluations left out of all figures of findings", ("reason", "evaluations"), _rows(report.left_out))
        )
        if report.unfinished:
            tables.append(
                Table("Left out of the document figures only", ("reason", "reviews"), _rows(report.unfinished))
            )
    return Section("Left out, and why", () if tables else ("Nothing.",), tables)


def _rows(reasons: Mapping[str, int]) -> list[Sequence[Value]]:
    return [(reason, n) for reason, n in reasons.items()] or [("nothing", 0)]


def _signatures(of_scores: Sequence[str], of_reviews: Mapping[str, int]) -> Section:
    rows: list[Sequence[Value]] = [
        (said, of_reviews.get(said, "")) for said in dict.fromkeys((*of_scores, *of_reviews))
    ]
    words = "What decided the judge's scores, and of how many reviewed evaluations; of tables, the file."
    return Section("Signatures", [words], [Table("Signatures", ("signature", "evaluations"), rows)])


def _words(name: str) -> str:
    return name.replace("_", " ")
