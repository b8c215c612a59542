"""Reviewers who were blind first, how far spans agree, and scores by people alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from discox_tui.reports.render.csv import csv_text
from discox_tui.reports.render.layout import UNDEFINED, number
from discox_tui.reports.render.model import (
    COEFFICIENT,
    SHARE,
    Beside,
    Column,
    Entries,
    Lines,
    Medium,
    Part,
    Section,
    Shown,
    Table,
    Value,
    Words,
)
from discox_tui.reports.render.text import intervals, undefined
from discox_tui.text.counts import counted
from discox_tui.text.safe import safe
from judges.consistency.span_labels import NONE_MATCHED
from judges.stats.figure import spread

if TYPE_CHECKING:
    from judges.consistency.blind_annotation import SpanAgreement, SpanReport
    from judges.consistency.report import Anchoring
    from storage.exports.mqm_scores import SystemScore

SPANS = (
    "Where errors are, by people who marked them before they saw a judge's findings of the translation, here or in "
    "another tool: passes that are over, in which something was marked or the search was done. Spans are matched one "
    "to one; those of source and translation never match. F1 with partial credit is what to report: the share that "
    "two spans share, half of it where the severity is another. Exact: the same characters; overlap: one shared; "
    "characters: WMT's count. n: spans of both."
)
"""Meaning of the figures of spans."""
FOUND = {
    "recall of spans": "of the spans that people marked blind, the share that the judge marks too, with partial credit",
    "precision of spans": "of the judge's spans in these documents, the share that they mark, likewise",
}
"""Definitions of recall and precision of spans."""
MOVED = "Of the findings that reviewers left standing, the share that they put at another place"
"""Definition of the places changed."""


def about_blind(anchoring: Anchoring) -> str:
    """Return how many reviews began blind, by whom."""
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
    """All agreements of spans that there are, by name; those of two or more of a kind also apart, unless many."""
    yield "blind reviewers", found.humans
    yield from found.pairs.items() if len(found.pairs) <= MOST_PAIRS else ()
    yield "judge, on the same", found.beside
    yield "judge, on all", found.judge
    for reviewer, agreement in found.reviewers.items():
        yield f"judge and {reviewer}", agreement
    yield "judge's place, changed", found.places


def blind_first(found: Anchoring) -> Section:
    """Judge against humans, apart by what reviewers saw first, for a terminal."""
    parts: list[Part] = [about_blind(found)]
    if found.findings:
        parts += [
            "Others are anchored: they saw the judge's findings from the start, which draws them to it. The figures of "
            "findings and of scores (totals: n, mean |difference|, r) in both kinds of review:",
            anchored_table(found, (), "terminal"),
            *undefined([each.recall for each in found.findings.values()] + [c.pearson for c in found.scores.values()]),
            *intervals(
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
            ),
        ]
    return Section("Blind first", parts, on="terminal")


def anchored_table(found: Anchoring, basis: Sequence[str], on: Medium) -> Table:
    """Judge against humans, by what reviewers saw first, as a table."""
    rows: list[Sequence[Value]] = []
    for seen, detection in found.findings.items():
        scores = found.scores[seen]
        rows.append(
            (
                seen,
                *(Shown(detection.precision, scale=SHARE), detection.precision.n, Shown(detection.recall, scale=SHARE)),
                scores.pearson.n,
                Shown(scores.mean_difference, "+z.2f"),
                Shown(scores.mean_absolute_difference, ".2f"),
                Shown(scores.pearson, scale=COEFFICIENT),
                scores.mean_difference.n,
            )
        )
    header = (
        "",
        *(Column("precision", "prec."), "n", Column("recall", "recall")),
        *(Column(None, "docs"), Column("difference", None), Column("|difference|", "|diff.|")),
        *(Column("r", "r"), Column("n of scores", None)),
    )
    notes = [about_blind(found)]
    return Table("Blind first, and anchored", header, rows, notes, _BLIND_FIRST, basis=basis, on=on)


_BLIND_FIRST = {
    "blind first": "the reviewer had marked her own errors before she saw the judge's findings",
    "anchored": "she saw these from the start, which draws her to them",
    "difference": "of totals, judge - reviewer",
}


def spans(found: SpanReport, basis: Sequence[str], on: Medium) -> Section:
    """Agreement of marked spans."""
    every = list(span_rows(found))
    named = [(name, each) for name, each in every if each.documents]
    parts: list[Part] = [SPANS, _spans(every, basis, "page"), Lines([""])]
    if named:
        parts.append(_spans(named, basis, "terminal"))
    parts += undefined(each.partial for _, each in every)
    parts += intervals(
        (name, (("exact", each.exact, "z.2f"), ("overlap", each.overlap, "z.2f"), ("char.", each.characters, "z.2f")))
        for name, each in named
    )
    if len(found.pairs) > MOST_PAIRS:
        over = spread([each.partial for each in found.pairs.values()])
        low, high = (number(end) for end in (over.low, over.high))
        mean = f"{number(over.mean.value)}, from {low} to {high}"
        parts.append(Words(f"Over {len(found.pairs)} pairs of blind reviewers, F1 with partial credit: mean {mean}."))
    parts += _labels(every, basis)
    parts.append(Entries("Spans: recall and precision", (found.recall, found.precision), FOUND, basis=basis))
    parts.append(Entries("Places", (found.moved,), {"places changed": MOVED}, basis=basis))
    return Section("Spans", parts, on=on)


def _labels(every: Sequence[tuple[str, SpanAgreement]], basis: Sequence[str]) -> Iterator[Part]:
    """Categories and severities of errors that both marked in the same place."""
    rows: list[Sequence[Value]] = []
    without: list[str] = []
    for name, found in every:
        if (both := found.labels) is None:
            continue
        for label, each in (("category", both.category), ("severity", both.severity)):
            rows.append(
                (
                    f"{label}, {name}",
                    each.observed.n,
                    Shown(each.observed, scale=SHARE),
                    *(Shown(figure, scale=COEFFICIENT) for figure in (each.kappa, each.ac1)),
                    each.observed.n,
                    each.without,
                    f"{both.only_first:,} + {both.only_second:,}",
                )
            )
            if each.without:
                without.append(f"{name}, {each.without:,} without {label}")
    yield Words(LABELS)
    if not rows:
        yield Words(f"{UNDEFINED} {NONE_MATCHED}")
        return
    header = (
        *(
            "label",
            Column(None, "n"),
            Column("equal", "equal", Beside()),
            Column("kappa", "kappa"),
            Column("AC1", "AC1"),
        ),
        *(Column("n", None), Column("without", None), Column("marked by one", "by one")),
    )
    yield Table("Labels of errors in the same place", header, rows, definitions=_LABELS, basis=basis)
    yield from undefined(value.figure for row in rows for value in row if isinstance(value, Shown))
    if without:
        yield Words(f"Matched, but left out: {'; '.join(without)}.", "terminal", 4)


LABELS = (
    "Labels of errors that both marked in the same place, matched one to one by where they are alone: the share with "
    "equal category, and with equal severity; kappa and AC1 over the labels that either used. By one: errors that only "
    "the first of both marked, and only the second."
)
"""Meaning of the figures of labels."""
_LABELS = {
    "equal": "of matched errors that both gave a label, the share in which it is the same",
    "without": "matched errors that lack it on either side: in none of these figures",
    "marked by one": "errors of the first and of the second of both that are not matched; a judge is the second",
}


def _spans(named: Sequence[tuple[str, SpanAgreement]], basis: Sequence[str], on: Medium) -> Table:
    rows: list[Sequence[Value]] = [
        (
            name,
            each.documents,
            each.partial.n,
            *(Shown(figure, scale=SHARE) for figure in (each.partial, each.exact, each.overlap, each.characters)),
            each.partial.n,
        )
        for name, each in named
    ]
    header = (
        "F1",
        *(Column("documents", "docs"), Column(None, "n"), Column("partial", "partial", Beside())),
        *(Column("exact", "exact"), Column("overlap", "overlap"), Column("characters", "char."), Column("n", None)),
    )
    return Table("Agreement of marked spans", header, rows, basis=basis, on=on, gap=False)


MOST_PAIRS = 6
"""Pairs of people up to which each is shown; of more there are mean and range, and each pair in the files."""
TITLE = "MQM scores by people"
WHAT = (
    "No judge was asked here; this is what people marked. Score: the weights of a segment's errors summed, the mean "
    "over its raters, then over segments, as the WMT averages them. Lower is better; 0 is no error. n: segments. "
    "Systems over different segments do not compare."
)


def people_section(scores: Sequence[SystemScore]) -> Section:
    """Return a table for each direction as a section of a report, the best system first."""
    tables = [
        Table(
            safe(direction) or "(no direction)",
            (Column("system", safe(direction) or "(no direction)"), "MQM", "n"),
            [
                (each.system, Shown(each.figure, "z.2f"), each.segments)
                for each in scores
                if each.direction == direction
            ],
        )
        for direction in dict.fromkeys(score.direction for score in scores)
    ]
    return Section(TITLE, [WHAT, *tables])


def as_json(scores: Sequence[SystemScore]) -> list[dict[str, Any]]:
    """Return them as what `json.dumps` takes; ``score`` is ≥ 0, lower is better."""
    return [each._asdict() for each in scores]


def as_csv(scores: Sequence[SystemScore]) -> str:
    """Return a row for each system."""
    rows = [{**each._asdict(), "lower_is_better": True} for each in scores]
    columns = ("direction", "system", "by", "score", "segments", "unweighed", "repeats", "lower_is_better")
    return csv_text(columns, rows)
