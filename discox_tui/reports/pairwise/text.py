"""Pairwise consistency as plain text for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from discox_tui.reports.pairwise.words import (
    ANEW,
    CEILING,
    CLAIMED,
    CUT_BY,
    DEFINITIONS,
    DESCRIBED,
    UNCLAIMED,
    UNCUT,
    Row,
    attempt_of,
    cells_of,
    claim_notes,
    claimed,
    covers,
    every_rule,
    four_cells,
    further,
    gold_note,
    headlining,
    left_out_of,
    listed,
    mean_note,
    metrics_of,
    published_note,
    published_rows,
    reasons,
    signatures_of,
    system_notes,
    warnings_of,
)
from discox_tui.reports.render.entries import value_of
from discox_tui.reports.render.layout import (
    CONFIDENT,
    UNDEFINED,
    WIDTH,
    counted,
    ends,
    note,
    number,
    probability,
    table,
    table_of_names,
)
from discox_tui.reports.render.tables import of_estimate
from discox_tui.text.columns import fit
from discox_tui.text.safe import safe
from judges.meta_eval.pairwise import DIRECTIONS
from judges.meta_eval.soft_pairwise import NESTED
from judges.stats.figure import Figure, Interval

if TYPE_CHECKING:
    from judges.meta_eval.pair_counts import Rule
    from judges.meta_eval.pairwise import Level, PairwiseReport
    from storage.analysis.pairwise import Pairwise


def as_text(found: Pairwise, *, by: str | None = None, beside: bool = False) -> str:
    """Return lines without colour of at most 80 cells but for signatures; ``beside``: with the published figures.

    ``by``: what findings are grouped by. An undefined figure is "–" and its reason stands below. Names are made safe
    and cut to fit.
    """
    if not found.report.raters and not beside:
        return "\n".join(_headline(found, by, beside)) + "\n"  # a hundred dashes would say no more
    sections = [_headline(found, by, beside), *(_metric(found, metric) for metric in metrics_of(found))]
    return "\n\n".join("\n".join(section) for section in (*sections, *_asked_for(found))) + "\n"


def more_as_text(founds: Iterable[Pairwise]) -> str:
    """Return only what was asked for beyond the figures of all scores: groups, and what was compared."""
    return "\n\n".join("\n".join(section) for found in founds for section in _asked_for(found)) + "\n"


def _asked_for(found: Pairwise) -> Iterator[Iterator[str]]:
    if found.cut:
        yield _groups(found)
    if found.metrics:
        yield _metrics_compared(found)
    if found.systems:
        yield _systems_compared(found)


def _headline(found: Pairwise, by: str | None, beside: bool) -> Iterator[str]:
    report = found.report
    yield "PAIRWISE CONSISTENCY WITH HUMANS"
    yield from note(
        "Of two systems, does the metric rank the one higher that humans rank higher? Segment (seg): pairs within an "
        "article. System (sys): pairs of means over the articles that both humans and metric scored. "
        f"{found.ties}: {DEFINITIONS[found.ties]}. Mean: of {safe(mean_note(report))}."
    )
    if by in UNCUT:
        yield from note(UNCUT[by])
    for warning in warnings_of(found):
        yield from note(f"! {safe(warning)}")
    if report.cells and (report.raters or beside):
        several = f", {counted(report.rated_by_several, 'translation')} by several, averaged"
        yield from note(
            f"Humans: {safe(listed(report.raters)) or 'none'}{several if report.rated_by_several else ''}. "
            f"{safe(gold_note(found))} Intervals: {CONFIDENT} percentile bootstrap over articles, "
            f"{report.resamples:,} resamples, seed {report.seed}. {ANEW}"
        )
        for rule in headlining(found.ties):
            yield ""
            yield from _four_cells(found, rule, beside=beside)
        if found.between:
            yield from note(CEILING)
        for direction, short in _short(report).items():
            if short != direction:
                yield from note(f"{short}: {safe(direction)}")
    for reason, n in found.table.left_out.items():
        yield from note(f"Left out: {n:,} {'score' if n == 1 else 'scores'}, {reason}.")
    if beside:
        yield from note(published_note())


def _four_cells(
    found: Pairwise, rule: Rule, report: PairwiseReport | None = None, *, beside: bool = False
) -> Iterator[str]:
    """The metrics side by side, and people, by one rule: a table for every two directions, the paper's first."""
    short = _short(found.report)
    for k, four in enumerate(four_cells(found, rule, report, beside=beside)):
        rows: list[tuple[str, ...]] = []
        for label, figures, wilson in four.rows:
            indent = " " * (len(label) - len(label.lstrip(" ")))
            rows.append((label, *(number(figure.value, "z.3f") for figure in figures)))
            rows.append((f"{indent}  {CONFIDENT}", *(ends(figure.interval) for figure in figures)))
            rows.append((f"{indent}  pairs", *(f"{figure.n:,}" for figure in figures)))
            if wilson:
                both = [ends(each) if each else "" for each in wilson]
                rows.append((f"{indent}  Wilson", *both, *([""] if four.mean else [])))
        rows += published_rows(four)
        heads = [_name(level, short[direction]) for level, direction in four.cells] + (["mean"] if four.mean else [])
        yield from [""] * (k > 0)
        yield from table_of_names((rule, *heads), rows)
        yield from _reasons(figure for _, figures, _ in four.rows for figure in figures)


def _metric(found: Pairwise, metric: str) -> Iterator[str]:
    """All that there is of one metric: every rule side by side, the counts they are made of, what was left out."""
    report, short = found.report, _short(found.report)
    yield fit(f"EVERY RULE FOR TIES: {metric}", WIDTH).rstrip()
    for signature in signatures_of(metric, found.table.metrics.get(metric)):
        yield f"  {safe(signature)}"
    cells = cells_of(report, metric)
    for start in range(0, len(cells), 4):
        shown = [report.cells[metric, *cell] for cell in cells[start : start + 4]]
        rows = [line for row in every_rule(shown) if set(row.values) != {""} for line in _lines(row)]
        yield ""
        yield from table(("", *(_name(cell.level, short[cell.direction]) for cell in shown)), rows)
        yield from _reasons(
            figure for cell in shown for figure in (*cell.figures.values(), *([cell.spa] if cell.spa else []))
        )
        for cell in shown:
            if left := left_out_of(cell):
                yield from note(f"Left out of {_name(cell.level, short[cell.direction])}: {left}.", indent=4)
    yield from note(
        "Wilson: if pairs were independent, which they are not. Calibrated: metric scores that differ by at most ε "
        f"are tied. SPA: 1 - mean |p by humans - p by the metric|, its interval of no more than {NESTED} resamples."
    )


def _lines(row: Row) -> Iterator[tuple[str, ...]]:
    """A row, and the intervals of its figures beneath."""
    yield ("  " * row.beneath + row.label, *map(_cell, row.values))
    figures = [value if isinstance(value, Figure) else None for value in row.values]
    if any(figures):
        yield (f"  {CONFIDENT}", *(ends(figure.interval) if figure else "" for figure in figures))


def _cell(value: Figure | Interval | int | str) -> str:
    match value:
        case Figure():
            return value_of(value)
        case Interval():
            return ends(value)
        case int():
            return f"{value:,}"
    return value


def _groups(found: Pairwise) -> Iterator[str]:
    yield f"PAIRWISE CONSISTENCY BY {(found.cut or '').upper()}"
    yield from note(CUT_BY[found.cut or "system"])
    for label, report in found.groups.items():
        yield ""
        yield fit(f"{found.cut} {label or '(none)'}", WIDTH).rstrip()
        if report.cells:
            for k, rule in enumerate(headlining(found.ties)):
                yield from [""] * (k > 0)
                yield from _four_cells(found, rule, report)
        else:
            yield "    no scores"


def _metrics_compared(found: Pairwise) -> Iterator[str]:
    one = found.metrics[0]
    yield "TWO METRICS COMPARED"
    yield from _claims(found) if found.claims else note(UNCLAIMED)
    yield ""
    second, first = safe(one.second), safe(one.first)
    yield from note(f"{DESCRIBED.format(measure=one.measure, second=second)} Difference: {second} minus {first}.")
    yield ""
    rows = []
    for each in found.metrics:
        values = number(each.first_value, "z.3f"), number(each.second_value, "z.3f")
        difference, interval = number(each.difference.value, "+z.3f"), ends(each.difference.interval, "+z.2f", " ")
        name = _name(each.level, _short(found.report)[each.direction])
        rows.append((name, f"{each.articles:,}", *values, difference, interval, probability(each.test.p)))
    yield from table((one.measure, "articles", "first", "second", "diff.", CONFIDENT, "p"), rows)
    yield from _reasons(each.difference for each in found.metrics)


def _claims(found: Pairwise) -> Iterator[str]:
    one = found.claims[0]
    yield from note(f"Is {safe(one.candidate)} more consistent with humans than {safe(one.standard)}?")
    for claim in found.claims:
        yield from note(safe(claimed(claim)))
    yield from note(CLAIMED)
    yield ""
    rows = []
    for claim in found.claims:
        gate = claim.gate
        both = UNDEFINED if gate.low is None else f"{gate.low:+z.3f} {gate.high:+z.3f}"
        values = number(gate.standard, "z.3f"), number(gate.candidate, "z.3f"), number(gate.gain, "+z.3f")
        name = _short(found.report)[claim.direction]
        rows.append((name, f"{gate.n:,}", *values, both, covers(claim), attempt_of(claim)))
    yield from table(("", "articles", "first", "second", "gain", "interval", "covers", "attempt"), rows)
    for said in claim_notes(found):
        yield from note(safe(said), indent=4)


def _systems_compared(found: Pairwise) -> Iterator[str]:
    one = found.systems[0]
    yield "TWO SYSTEMS COMPARED"
    yield from note(
        f"{safe(one.second)} minus {safe(one.first)}, in points of each metric. p: two-sided paired permutation test. "
        "Further: articles that it would take beyond those there are to tell them apart."
    )
    yield ""
    rows = []
    for each in found.systems:
        scorer = f"{each.direction} {each.scorer or 'humans'}".strip()
        n, mean = f"{each.difference.n:,}", number(each.difference.value, "+z.4g")
        interval = ends(each.difference, "z.4g", " ")
        rows.append((scorer, n, mean, interval, probability(each.p), further(each.plan)))
    yield from table(("", "n", "diff.", CONFIDENT, "p", "further"), rows)
    yield from _reasons(of_estimate(each.difference) for each in found.systems)
    for said in system_notes(found):
        yield from note(said)


def _short(report: PairwiseReport) -> dict[str, str]:
    """What each direction is called where there are seven characters, and none like another."""
    names: dict[str, str] = {}
    for direction in dict.fromkeys((*DIRECTIONS, *(direction for _, _, direction in report.cells))):
        plain = "".join(character if character.isprintable() else "\ufffd" for character in direction)
        names[direction] = plain if len(plain) <= 7 else f"{plain[:5]}~{len(names) + 1}"
    return names


def _name(level: Level, direction: str) -> str:
    """A cell's name in nine characters, of a direction in seven."""
    return f"{level[:3]} {direction}".strip()


def _reasons(figures: Iterable[Figure | None]) -> Iterator[str]:
    """Why figures, or their intervals, are undefined, each reason once."""
    for why in reasons(figures):
        yield from note(safe(why), indent=4)
