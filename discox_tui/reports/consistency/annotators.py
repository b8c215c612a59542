"""What people say of the same, as text: with one another, with themselves, blind first, and how far spans agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from discox_tui.reports.render.csv import csv_text
from discox_tui.reports.render.entries import ends, entries, entry, intervals, reasons, value_of
from discox_tui.reports.render.layout import UNDEFINED, WIDTH, counted, note, table
from discox_tui.reports.render.tables import Section, Table
from discox_tui.text.columns import fit
from discox_tui.text.safe import safe

if TYPE_CHECKING:
    from judges.consistency.blind_annotation import SpanAgreement, SpanReport
    from judges.consistency.inter_annotator import Agreement, BetweenHumans, PooledAgreement, Rated
    from judges.consistency.report import Anchoring
    from judges.stats.figure import Figure
    from storage.exports.mqm_scores import SystemScore


WITHIN = (
    "Reviewers who were asked again, without a sight of what they had said: their first answer and their second, and "
    "beneath these the judge with both. No judge can agree with a reviewer more than she does with herself, unless by "
    "chance."
)
"""What figures of reviewers with themselves say."""
SPANS = (
    "Where errors are, by people who marked them before they saw a judge's findings of the translation, here or in "
    "another tool: passes that are over, in which something was marked or the search was done. Spans are matched one "
    "to one; those of source and translation never match. F1 with partial credit is what to report: the share that "
    "two spans share, half of it where the severity is another. Exact: the same characters; overlap: one shared; "
    "characters: WMT's count. n: spans of both."
)
"""What figures of spans are."""
FOUND = {
    "recall of spans": "of the spans that people marked blind, the share that the judge marks too, with partial credit",
    "precision of spans": "of the judge's spans in these documents, the share that they mark, likewise",
}
"""What is found of the spans of the other, by name."""
MOVED = "Of the findings that reviewers left standing, the share that they put at another place"
"""What it is to change a place."""


def about_reviewers(anchoring: Anchoring) -> str:
    """What figures between humans say, what they do not, and who was blind first."""
    return (
        "Reviewers with one another, and beneath it the judge with each of them on the same findings and documents: "
        "what humans reach is the ceiling for a judge. All saw the judge's findings when they decided on these. That "
        "draws them to it, and to one another: this is no agreement of independent annotators. "
        + about_blind(anchoring)
    )


def about_blind(anchoring: Anchoring) -> str:
    """How many reviews began blind, by whom."""
    if not anchoring.blind_first:
        return "No document was reviewed blind first."
    n = len(anchoring.blind_first)
    by_reviewer = Counter(row.reviewer for row in anchoring.blind_first)
    who = ", ".join(f"{safe(reviewer)} {count:,}" for reviewer, count in sorted(by_reviewer.items()))
    return (
        f"{n:,} of {counted(n + anchoring.anchored, 'review')} began blind: the reviewer marked her own errors before "
        f"she saw the judge's ({who})."
    )


def span_rows(found: SpanReport) -> Iterator[tuple[str, SpanAgreement]]:
    """All agreements of spans that there are, by name; those of two or more of a kind also apart."""
    yield "blind reviewers", found.humans
    yield from found.pairs.items()
    yield "judge, on the same", found.beside
    yield "judge, on all", found.judge
    for reviewer, agreement in found.reviewers.items():
        yield f"judge and {reviewer}", agreement
    yield "judge's place, changed", found.places


def found_spans(found: SpanReport) -> dict[str, Figure]:
    """How much of the one's spans the other marks, by name."""
    return dict(zip(FOUND, (found.recall, found.precision), strict=True))


def blind_first(found: Anchoring) -> Iterator[str]:
    """Judge against humans, apart by what reviewers saw first."""
    yield "BLIND FIRST"
    yield from note(about_blind(found))
    if not found.findings:
        return
    yield from note(
        "Others are anchored: they saw the judge's findings from the start, which draws them to it. The figures of "
        "findings and of scores (totals: n, mean |difference|, r) in both kinds of review:"
    )
    yield ""
    rows = [
        (
            seen,
            *(value_of(detection.precision), f"{detection.precision.n:,}", value_of(detection.recall)),
            *(f"{scores.pearson.n:,}", value_of(scores.mean_absolute_difference, ".2f"), value_of(scores.pearson)),
        )
        for seen, detection in found.findings.items()
        for scores in (found.scores[seen],)
    ]
    yield from table(("", "prec.", "n", "recall", "docs", "|diff.|", "r"), rows)
    of_both = [d.recall for d in found.findings.values()] + [c.pearson for c in found.scores.values()]
    yield from reasons(of_both)
    yield from intervals(
        (
            seen,
            (
                ("prec.", detection.precision, "z.2f"),
                ("recall", detection.recall, "z.2f"),
                ("|diff.|", found.scores[seen].mean_absolute_difference, ".2f"),
                ("r", found.scores[seen].pearson, "z.3f"),
            ),
        )
        for seen, detection in found.findings.items()
    )


def spans(found: SpanReport) -> Iterator[str]:
    """How far marked spans agree."""
    yield "SPANS"
    yield from note(SPANS)
    yield ""
    named = [(name, agreement) for name, agreement in span_rows(found) if agreement.documents]
    rows = [
        (
            name,
            f"{each.documents:,}",
            f"{each.partial.n:,}",
            value_of(each.partial),
            ends(each.partial),
            *map(value_of, (each.exact, each.overlap, each.characters)),
        )
        for name, each in named
    ]
    if rows:
        yield from table(("F1", "docs", "n", "partial", "95 %", "exact", "overlap", "char."), rows)
    yield from reasons(each.partial for _, each in span_rows(found))
    yield from intervals(
        (name, (("exact", each.exact, "z.2f"), ("overlap", each.overlap, "z.2f"), ("char.", each.characters, "z.2f")))
        for name, each in named
    )
    yield from entries(found_spans(found), FOUND)
    yield from entry("Places changed", found.moved, f"{MOVED}.")


def within_reviewers(found: Sequence[PooledAgreement]) -> Iterator[str]:
    """Reviewers with themselves."""
    yield "REVIEWERS WITH THEMSELVES"
    if not found:
        yield from note(f"{UNDEFINED} nobody has been asked again", indent=4)
        return
    yield from note(WITHIN)
    for each in found:
        yield ""
        yield from _together(None, each, "herself")


def between_humans(found: BetweenHumans, anchoring: Anchoring) -> Iterator[str]:
    """Reviewers with one another, and the judge beside."""
    yield "BETWEEN HUMANS"
    yield from note(about_reviewers(anchoring))
    if found.together is None:
        yield from note(f"{UNDEFINED} {found.why}", indent=4)
    else:
        yield from note(
            "Verdicts: right, not an error, or a duplicate; unsure is missing. Severity: levels of accuracy "
            "errors that both left standing. Observed agreement, Cohen's kappa, Gwet's AC1 (steady where nearly all "
            "is of one kind, while kappa collapses), Krippendorff's alpha (nominal; of severity ordinal). The judge "
            "itself calls all it reports right. Scores: mean |difference| in points, Pearson's r, Kendall's tau-b."
        )
        pairs = found.pairs if len(found.pairs) > 1 else ()
        for title, each in (("all together", found.together), *((None, pair) for pair in pairs)):
            yield ""
            yield from _together(title, each)


def _together(title: str | None, found: PooledAgreement, humans: str = "humans") -> Iterator[str]:
    """Verdicts, severities and scores of some layers, each with the judge's beneath, and intervals of the first."""
    names = ", ".join(found.reviewers)
    yield f"  {fit(names if title is None else f'{title}: {names}', WIDTH - 2).rstrip()}"
    sides: tuple[tuple[str, Rated], ...] = ((humans, found.humans), ("judge", found.judge))
    agreements: list[tuple[str, Agreement]] = [
        *((f"verdicts, {side}", compared.verdicts) for side, compared in sides),
        *((f"severity, {side}", compared.severities) for side, compared in sides),
    ]
    rows = [
        (
            label,
            f"{each.observed.n:,}",
            *map(value_of, (each.observed, each.kappa, each.ac1, each.alpha)),
            ends(each.alpha),
        )
        for label, each in agreements
    ]
    yield from table(("", "n", "observed", "kappa", "AC1", "alpha", "95 % (alpha)"), rows)
    yield from reasons(figure for _, e in agreements for figure in (e.observed, e.kappa, e.ac1, e.alpha))
    scores = [(f"scores, {side}", compared.scores) for side, compared in sides]
    difference = [each.mean_absolute_difference for _, each in scores]
    rows = [
        (
            label,
            f"{apart.n:,}",
            value_of(apart, ".2f"),
            ends(apart),
            value_of(each.pearson),
            value_of(each.kendall_tau_b),
        )
        for (label, each), apart in zip(scores, difference, strict=True)
    ]
    yield from table(("", "n", "|diff.|", "95 % (|diff.|)", "r", "tau-b"), rows)
    yield from reasons([*difference, *(each.pearson for _, each in scores)])
    yield from intervals(
        (side, (("r", compared.scores.pearson, "z.3f"), ("tau-b", compared.scores.kendall_tau_b, "z.3f")))
        for side, compared in sides
    )


TITLE = "MQM scores by people"
WHAT = (
    "No judge was asked here; this is what people marked. Score: the weights of a segment's errors summed, the mean "
    "over its raters, then over segments, as the WMT averages them. Lower is better; 0 is no error. n: segments. "
    "Systems over different segments do not compare."
)


def as_text(scores: Sequence[SystemScore]) -> Iterator[str]:
    """Yield the lines of a table for each direction, the best system first."""
    yield TITLE.upper()
    yield from note(WHAT)
    for direction in dict.fromkeys(score.direction for score in scores):
        rows = [
            (safe(each.system), f"{each.score:.2f}", f"{each.segments:,}")
            for each in scores
            if each.direction == direction
        ]
        yield ""
        yield from table((safe(direction) or "(no direction)", "MQM", "n"), rows)


def as_section(scores: Sequence[SystemScore]) -> Section:
    """Return a table for each direction as a section of a report, the best system first."""
    tables = [
        Table(
            safe(direction) or "(no direction)",
            ("system", "MQM", "n"),
            [(each.system, f"{each.score:.2f}", each.segments) for each in scores if each.direction == direction],
        )
        for direction in dict.fromkeys(score.direction for score in scores)
    ]
    return Section(TITLE, (WHAT,), tables)


def as_json(scores: Sequence[SystemScore]) -> list[dict[str, Any]]:
    """Return them as what `json.dumps` takes; ``score`` is ≥ 0, lower is better."""
    return [each._asdict() for each in scores]


def as_csv(scores: Sequence[SystemScore]) -> str:
    """Return a row for each system."""
    rows = [{**each._asdict(), "lower_is_better": True} for each in scores]
    return csv_text(("direction", "system", "by", "score", "segments", "lower_is_better"), rows)
