"""Pairwise consistency as sections of a report, ready to become a file; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    mean_note,
    metrics_of,
    published_note,
    published_rows,
    signatures_of,
    system_notes,
)
from discox_tui.reports.render.layout import UNDEFINED, counted, number, probability
from discox_tui.reports.render.tables import (
    COEFFICIENT,
    SHARE,
    Scatter,
    Section,
    Shown,
    Table,
    Value,
    ends_of,
    of_estimate,
    signed,
)
from judges.meta_eval.pairwise import DIRECTIONS
from judges.meta_eval.scatter_points import equal_limits, points
from judges.meta_eval.soft_pairwise import NESTED
from judges.meta_eval.superiority_test import METHOD
from judges.metric_s.scoring import METRIC_S
from judges.stats.figure import Figure, Interval

if TYPE_CHECKING:
    from judges.meta_eval.pair_counts import Rule
    from judges.meta_eval.pairwise import PairwiseReport
    from storage.analysis.pairwise import Pairwise


def pairwise_sections(
    found: Pairwise, intervals: str, *, by: str | None = None, beside: bool = False
) -> Iterator[Section]:
    """The figures of every metric, by group and compared. ``intervals``: how; ``beside``: with the published ones.

    ``by``: what findings are grouped by.
    """
    basis = (intervals, *signed(all_signatures(found)))
    yield _headline(found, by, beside, basis)
    if found.report.cells:
        yield _rules(found, intervals)
    if found.cut:
        yield _groups(found, basis)
    if found.metrics or found.systems:
        yield _compared(found, basis)


def all_signatures(found: Pairwise) -> list[str]:
    """What decided the scores of every metric."""
    return [said for metric in metrics_of(found) for said in signatures_of(metric, found.table.metrics.get(metric))]


def _headline(found: Pairwise, by: str | None, beside: bool, basis: Sequence[str]) -> Section:
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
        f"{mean_note(report)}.",
        f"Humans: {raters or 'none'}{several}. {gold_note(found)}",
        ANEW,
    ]
    if by in UNCUT:
        words.append(UNCUT[by])
    if found.between:
        words.append(CEILING)
    tables = [table for rule in headlining(found.ties) for table in _four_cells(found, rule, basis, beside=beside)]
    if beside:
        words.append(published_note())
    return Section("Pairwise consistency", words, tables, list(_scatters(found)))


def _four_cells(
    found: Pairwise,
    rule: Rule,
    basis: Sequence[str],
    report: PairwiseReport | None = None,
    *,
    beside: bool = False,
    of: str = "",
) -> Iterator[Table]:
    """The metrics side by side, and people, by one rule: the paper's two directions with their mean, then others."""
    for table in four_cells(found, rule, report, beside=beside):
        rows: list[Sequence[Value]] = []
        for label, figures, wilson in table.rows:
            name = f"… {label.strip()}" if label.startswith(" ") else label
            rows.append((name, *(Shown(figure, scale=SHARE) for figure in figures)))
            rows.append(("pairs", *(figure.n for figure in figures)))
            if wilson:
                rows.append(("Wilson", *(ends_of(each, "z.2f") for each in wilson), *([""] if table.mean else [])))
        rows += published_rows(table)
        if not rows:
            continue
        where = "" if table.directions == DIRECTIONS else f" ({', '.join(table.directions)})"
        yield Table(
            f"Pairwise consistency{of}, {rule}{where}",
            (
                "metric",
                *(f"{level} {direction}" for level, direction in table.cells),
                *(["mean"] if table.mean else []),
            ),
            rows,
            definitions={rule: DEFINITIONS[rule]},
            basis=basis,
        )


def _rules(found: Pairwise, intervals: str) -> Section:
    report, tables = found.report, list[Table]()
    for metric in metrics_of(found):
        cells = [report.cells[metric, *cell] for cell in cells_of(report, metric)]
        rows = [(row.label, *map(_value, row.values)) for row in every_rule(cells)]
        left_out = [f"Left out of {c.level} {c.direction}: {left}" for c in cells if (left := left_out_of(c))]
        tables.append(
            Table(
                f"Every rule for ties: {metric}",
                ("", *(f"{cell.level} {cell.direction}" for cell in cells)),
                rows,
                left_out,
                {str(rule): said for rule, said in DEFINITIONS.items()} | _RULES_TOO,
                basis=(intervals, *signed(signatures_of(metric, found.table.metrics.get(metric)))),
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


def _value(value: Figure | Interval | int | str) -> Value:
    match value:
        case Figure():
            return Shown(value, scale=SHARE)
        case Interval():
            return ends_of(value) or UNDEFINED
    return value


_RULES_TOO = {
    "Wilson": "the interval if pairs were independent, which they are not",
    "calibrated": "the best acc_eq where metric scores that differ by at most ε are tied; chosen on the same pairs",
    "SPA": "1 - mean |p by humans - p by the metric|, p of a permutation test between two systems; its interval is of "
    f"no more than {NESTED} resamples",
}


def _groups(found: Pairwise, basis: Sequence[str]) -> Section:
    tables = [
        table
        for label, report in found.groups.items()
        for rule in headlining(found.ties)
        for table in _four_cells(found, rule, basis, report, of=f", {found.cut} {label or '(none)'}")
    ]
    empty = [label or "(none)" for label, report in found.groups.items() if not report.cells]
    words = [CUT_BY[found.cut or "system"], *([f"No scores: {', '.join(empty)}."] if empty else [])]
    return Section(f"Pairwise consistency by {found.cut}", words, tables)


def _compared(found: Pairwise, basis: Sequence[str]) -> Section:
    tables = []
    if found.claims:
        tables.append(_claims(found))
    if found.metrics:
        one = found.metrics[0]
        rows: list[Sequence[Value]] = [
            (
                f"{each.level} {each.direction}",
                each.articles,
                number(each.first_value, "z.3f"),
                number(each.second_value, "z.3f"),
                Shown(each.difference, "+z.3f", COEFFICIENT),
                probability(each.test.p),
            )
            for each in found.metrics
        ]
        tables.append(
            Table(
                f"Two metrics described: {one.second} minus {one.first}, {one.measure}",
                ("", "articles", one.first, one.second, "difference", "p"),
                rows,
                [DESCRIBED.format(measure=one.measure, second=one.second), *([] if found.claims else [UNCLAIMED])],
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
                further(each.plan),
            )
            for each in found.systems
        ]
        tables.append(
            Table(
                f"Two systems: {first.second} minus {first.first}",
                ("", "articles", "difference", "p", "further articles"),
                rows,
                system_notes(found),
                {"difference": "in points of each metric", "p": "two-sided paired permutation test"} | _FURTHER,
                basis=basis,
            )
        )
    return Section("Compared", (), tables)


def _claims(found: Pairwise) -> Table:
    """Whether the second metric is shown to be the more consistent, in each direction."""
    one = found.claims[0]
    rows: list[Sequence[Value]] = []
    for claim in found.claims:
        gate = claim.gate
        interval = Interval(gate.low, gate.high, METHOD, clusters=gate.n)
        gain = Figure(gate.gain, gate.n, gate.why if gate.gain is None else "", interval=interval)
        rows.append(
            (
                f"segment {claim.direction}".strip(),
                gate.n,
                number(gate.standard, "z.3f"),
                number(gate.candidate, "z.3f"),
                Shown(gain, "+z.3f", COEFFICIENT),
                covers(claim),
                attempt_of(claim),
            )
        )
    return Table(
        f"Is {one.candidate} more consistent with humans than {one.standard}?",
        ("", "articles", one.standard, one.candidate, "gain", "interval covers", "attempt"),
        rows,
        [*map(claimed, found.claims), CLAIMED, *claim_notes(found)],
        {"gain": f"in c_index, {DEFINITIONS['c_index']}"},
        basis=(f"Intervals: {METHOD}", *signed(all_signatures(found))),
    )


_FURTHER = {"further articles": "how many it would take, beyond those there are, to tell them apart"}


def _scatters(found: Pairwise) -> Iterator[Scatter]:
    """Each metric's scores against the humans' mean, a point for each translation, all directions in one."""
    plotted = points(found.table.rows)
    for metric in (metric for metric in metrics_of(found) if metric in plotted):
        groups = plotted[metric]
        across, up = ([value for pair in groups.values() for value in pair[axis]] for axis in (0, 1))
        of = found.table.metrics.get(metric)
        limits = equal_limits(groups, sum(METRIC_S.maxima.values())) if of and of.judge else None
        yield Scatter(metric, "humans", across, up, limits)
