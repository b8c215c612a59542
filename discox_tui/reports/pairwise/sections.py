"""Pairwise consistency as sections of a report; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.pairwise.rankings import ranking_section
from discox_tui.reports.pairwise.segments import segment_section
from discox_tui.reports.pairwise.severity import severity_section
from discox_tui.reports.pairwise.side_by_side import (
    ceiling,
    directions_of,
    dropped,
    four_cells,
    people_note,
    published_rows,
    reports_of,
)
from discox_tui.reports.pairwise.words import (
    ANEW,
    CLAIMED,
    COUNTS,
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
    further,
    gold_note,
    left_out_of,
    listed,
    mean_note,
    metrics_of,
    published_note,
    reasons,
    signatures_of,
    system_notes,
    warnings_of,
)
from discox_tui.reports.published import ablations_parts
from discox_tui.reports.render.layout import UNDEFINED, intervals_in_words, number, probability
from discox_tui.reports.render.model import (
    COEFFICIENT,
    SHARE,
    Beside,
    Column,
    Ends,
    Heading,
    Label,
    Lines,
    Medium,
    Part,
    Scatter,
    Section,
    Shown,
    Table,
    Value,
    Words,
    of_estimate,
    signed,
)
from discox_tui.text.counts import counted
from judges.meta_eval.pair_counts import FOLDS, RULES, headlining
from judges.meta_eval.pairwise import DIRECTIONS, equal_limits, points
from judges.meta_eval.soft_pairwise import NESTED
from judges.meta_eval.superiority_test import METHOD
from judges.metric_s.scoring import METRIC_S
from judges.stats.figure import Figure, Interval

if TYPE_CHECKING:
    from judges.meta_eval.pair_counts import Rule
    from judges.meta_eval.pairwise import Cell, Level, PairwiseReport
    from storage.analysis.pairwise import Pairwise


def pairwise_sections(
    found: Pairwise, intervals: str = "", *, by: str | None = None, beside: bool = False
) -> Iterator[Section]:
    """The figures of every metric, by group and compared. ``intervals``: how; ``beside``: with the published ones.

    ``by``: what findings are grouped by. On a terminal nothing but the headline stands where there are no ratings and
    the published figures are not asked for: a hundred dashes would say no more.
    """
    on: Medium = "both" if found.report.raters or beside else "page"
    yield _headline(found, by, beside, (intervals, *signed(all_signatures(found))))
    if found.report.cells:
        yield _rules(found, intervals, on)
    yield from further_sections(found, intervals, on)


def further_sections(found: Pairwise, intervals: str = "", on: Medium = "both") -> Iterator[Section]:
    """Sections asked for beyond the figures of all scores: groups, and what was compared."""
    basis = (intervals, *signed(all_signatures(found)))
    if found.cut:
        yield _groups(found, basis, on)
    if found.severity:
        yield severity_section(found.severity, basis)
    if found.segments:
        yield segment_section(found, basis)
    if found.rankings:
        yield ranking_section(found.rankings, basis, on)
    if found.metrics or found.systems:
        compared = [*_metrics_compared(found, basis), *_systems_compared(found, basis)]
        yield Section("Compared", compared, heading="", on=on)


def all_signatures(found: Pairwise) -> list[str]:
    """Return what decided the scores of every metric."""
    return [said for metric in metrics_of(found) for said in signatures_of(metric, found.table.metrics.get(metric))]


def _headline(found: Pairwise, by: str | None, beside: bool, basis: Sequence[str]) -> Section:
    report = found.report
    several = f"{counted(report.rated_by_several, 'translation')}{{}} by several, averaged"
    gold, asks = gold_note(found), "Of two systems, does the metric rank the one higher that humans rank higher?"
    parts: list[Part] = [
        Words(
            f"{asks} Segment level: pairs within an article. System level: pairs of means over the articles that both "
            f"humans and metric scored. The mean is of {mean_note(report)}.",
            "page",
        ),
        Words(
            f"Humans: {listed(report.raters, most=10) or 'none'}"
            f"{'; ' + several.format(' rated') if report.rated_by_several else ''}. {gold}",
            "page",
        ),
        Words(ANEW, "page"),
        Words(
            f"{asks} Segment (seg): pairs within an article. System (sys): pairs of means over the articles that both "
            f"humans and metric scored. {found.ties}: {DEFINITIONS[found.ties]}. Mean: of {mean_note(report)}.",
            "terminal",
        ),
        *([UNCUT[by]] if by in UNCUT else []),
        *(Words(f"! {warning}", "terminal") for warning in warnings_of(found)),
    ]
    on: Medium = "both" if found.people.pairs or found.rated or (report.cells and beside) else "page"
    if on == "both":
        parts.append(
            Words(
                f"Humans: {listed(report.raters) or 'none'}"
                f"{', ' + several.format('') if report.rated_by_several else ''}. {gold} Intervals: "
                f"{intervals_in_words(report.resamples, report.seed)} {ANEW}",
                "terminal",
            )
        )
    for rule in headlining(found.ties):
        parts += _four_cells(found, rule, basis, beside=beside, on=on)
    if found.people.pairs:
        parts.append(Words(ceiling(found), on))
    if note := people_note(found):
        parts.append(Words(note, "both" if found.people.apart else "terminal"))
    if on == "both":
        shorter = {short: direction for direction, short in _short(found).items() if short != direction}
        parts += [Words(f"{short}: {direction}", "terminal") for short, direction in shorter.items()]
    for reason, n in found.table.left_out.items():
        parts.append(Words(f"Left out: {n:,} {'score' if n == 1 else 'scores'}, {reason}.", "terminal"))
    if beside:
        parts += [published_note(), *ablations_parts()]
    return Section("Pairwise consistency", [*parts, *_scatters(found)], "PAIRWISE CONSISTENCY WITH HUMANS")


def _four_cells(
    found: Pairwise,
    rule: Rule,
    basis: Sequence[str],
    report: PairwiseReport | None = None,
    *,
    beside: bool = False,
    of: str = "",
    on: Medium = "both",
) -> Iterator[Part]:
    """The metrics side by side, and people, by one rule: the paper's two directions with their mean, then others."""
    short = _short(found)
    for table in four_cells(found, rule, report, beside=beside):
        shown = [*table.metrics, *table.by_rating, *table.people]
        rows: list[Sequence[Value]] = []
        for row in shown:
            name = row.label.lstrip(" ")
            indent = row.label.removesuffix(name)
            rows.append(
                (Label(f"… {name}" if indent else name, row.label), *(Shown(f, scale=SHARE) for f in row.figures))
            )
            rows.append((Label("pairs", f"{indent}  pairs"), *(figure.n for figure in row.figures)))
            if row.beneath:
                both: list[Value] = [Ends(each, "z.2f") for each in row.beneath]
                both += [""] * (len(row.figures) - len(both))
                rows.append((Label(row.kind, f"{indent}  {row.kind}"), *both))
        rows += published_rows(table)
        if not rows:
            continue
        where = "" if table.directions == DIRECTIONS else f" ({', '.join(table.directions)})"
        heads = [Column(f"{level} {direction}", _name(level, short[direction])) for level, direction in table.cells]
        yield Table(
            f"Pairwise consistency{of}, {rule}{where}",
            (Column("metric", rule), *heads, *([Column("mean", "mean")] if table.mean else [])),
            rows,
            dropped(table),
            {rule: DEFINITIONS[rule]},
            basis=basis,
            on=on,
            named=True,
            beneath=True,
        )
        if on == "both":
            yield from _reasons(figure for row in shown for figure in row.figures)
            yield from (Words(each, "terminal", 4) for each in dropped(table))


def _rules(found: Pairwise, intervals: str, on: Medium) -> Section:
    report, parts = found.report, list[Part]()
    for metric in metrics_of(found):
        signatures = signatures_of(metric, found.table.metrics.get(metric))
        cells = [report.cells[metric, *cell] for cell in cells_of(report, metric)]
        parts.append(Heading(f"EVERY RULE FOR TIES: {metric}"))
        parts += [Words(each, "terminal", wrap=False) for each in signatures]
        parts.append(_every_rule(metric, cells, found, "page", (intervals, *signed(signatures))))
        for start in range(0, len(cells), 4):
            shown = cells[start : start + 4]
            parts.append(_every_rule(metric, shown, found, "terminal"))
            parts += _reasons(
                figure
                for cell in shown
                for figure in (
                    *cell.figures.values(),
                    *([cell.held_out.figure] if cell.held_out else []),
                    *([cell.spa] if cell.spa else []),
                )
            )
            parts += [Words(f"{said}.", "terminal", 4) for said in _left_out(shown, _short(found))]
        parts.append(
            Words(
                "Wilson: if pairs were independent, which they are not. Calibrated: metric scores that differ by at "
                f"most ε are tied. Held out: ε is chosen on all but one of {FOLDS} parts of the articles and used on "
                "that one, each in turn; over the pairs of all parts. SPA: 1 - mean |p by humans - p by the metric|, "
                f"its interval of no more than {NESTED} resamples.",
                "terminal",
            )
        )
    parts.append(
        Words(
            "The rule for ties decides much where scores tie often: always say which one. c_index gains nothing from "
            "breaking ties at random; acc_eq does.",
            "page",
        )
    )
    return Section("Every rule for ties", parts, heading="", on=on)


def _every_rule(metric: str, cells: Sequence[Cell], found: Pairwise, on: Medium, basis: Sequence[str] = ()) -> Table:
    """Table of the cells of one metric: every rule, what goes with it, and the counts they are made of."""
    short = _short(found)

    def beneath(label: str) -> Label:
        return Label(label, f"  {label}")

    rows: list[Sequence[Value]] = [
        *((rule, *(Shown(cell.figures[rule], scale=SHARE) for cell in cells)) for rule in RULES),
        (beneath("acc_eq, Wilson"), *(Ends(cell.wilson["acc_eq"]) for cell in cells)),
        ("acc_eq, calibrated", *(Shown(cell.calibrated.figure, scale=SHARE) for cell in cells)),
        (beneath("smallest ε"), *(number(cell.calibrated.epsilon, ".4g") for cell in cells)),
        ("acc_eq, ε held out", *(Shown(c.held_out.figure, scale=SHARE) if c.held_out else "" for c in cells)),
        (beneath("its ε"), *(_span(c.held_out.epsilons) if c.held_out else "" for c in cells)),
        ("SPA", *(Shown(cell.spa, scale=SHARE) if cell.spa else "" for cell in cells)),
        *(
            (label if n == "n" else beneath(label), *(getattr(cell.counts, n) for cell in cells))
            for n, label in COUNTS.items()
        ),
        *((name, *(getattr(cell, name) for cell in cells)) for name in ("articles", "systems")),
    ]
    return Table(
        f"Every rule for ties: {metric}",
        ("", *(Column(f"{c.level} {c.direction}", _name(c.level, short[c.direction])) for c in cells)),
        rows,
        list(_left_out(cells)),
        {str(rule): said for rule, said in DEFINITIONS.items()} | _RULES_TOO,
        basis=basis,
        on=on,
        beneath=True,
    )


def _span(epsilons: Sequence[float]) -> str:
    """The least and the greatest ε of the parts."""
    if not epsilons:
        return UNDEFINED
    least, most = (number(of(epsilons), ".4g") for of in (min, max))
    return least if least == most else f"{least}-{most}"


def _left_out(cells: Sequence[Cell], short: dict[str, str] | None = None) -> Iterator[str]:
    for cell in cells:
        if left := left_out_of(cell):
            name = _name(cell.level, short[cell.direction]) if short else f"{cell.level} {cell.direction}"
            yield f"Left out of {name}: {left}"


_RULES_TOO = {
    "Wilson": "the interval if pairs were independent, which they are not",
    "calibrated": "the best acc_eq where metric scores that differ by at most ε are tied; chosen on the same pairs",
    "ε held out": f"likewise, but never chosen on the same pairs: the articles are dealt into {FOLDS} parts, ε is "
    "chosen on all but one and used on that one, each in turn; over the pairs of all parts",
    "SPA": "1 - mean |p by humans - p by the metric|, p of a permutation test between two systems; its interval is of "
    f"no more than {NESTED} resamples",
}


def _groups(found: Pairwise, basis: Sequence[str], on: Medium) -> Section:
    parts: list[Part] = [CUT_BY[found.cut or "system"]]
    empty = []
    for label, report in found.groups.items():
        name = f"{found.cut} {label or '(none)'}"
        tables = [
            part
            for rule in headlining(found.ties)
            for part in _four_cells(found, rule, basis, report, of=f", {name}", on="both" if report.cells else "page")
        ]
        parts += [Heading(name), *tables]
        if not report.cells:
            parts.append(Lines(["    no scores"]))
            empty.append(label or "(none)")
    if empty:
        parts.append(Words(f"No scores: {', '.join(empty)}.", "page"))
    return Section(f"Pairwise consistency by {found.cut}", parts, on=on)


def _metrics_compared(found: Pairwise, basis: Sequence[str]) -> Iterator[Part]:
    if not found.metrics:
        return
    one = found.metrics[0]
    described = DESCRIBED.format(measure=one.measure, second=one.second)
    yield Heading("TWO METRICS COMPARED")
    if found.claims:
        yield from _claims(found)
    else:
        yield Words(UNCLAIMED, "terminal")
    yield Lines([""])
    yield Words(f"{described} Difference: {one.second} minus {one.first}.", "terminal")
    rows: list[Sequence[Value]] = [
        (
            Label(f"{each.level} {each.direction}", _name(each.level, _short(found)[each.direction])),
            each.articles,
            number(each.first_value, "z.3f"),
            number(each.second_value, "z.3f"),
            Shown(each.difference, "+z.3f", COEFFICIENT),
            probability(each.test.p),
        )
        for each in found.metrics
    ]
    difference = Column("difference", "diff.", Beside(form="+z.2f", between=" "))
    yield Table(
        f"Two metrics described: {one.second} minus {one.first}, {one.measure}",
        (
            Column("", one.measure),
            "articles",
            Column(one.first, "first"),
            Column(one.second, "second"),
            difference,
            "p",
        ),
        rows,
        [described, *([] if found.claims else [UNCLAIMED])],
        basis=basis,
    )
    yield from _reasons(each.difference for each in found.metrics)


def _claims(found: Pairwise) -> Iterator[Part]:
    """Claims that the second metric is the more consistent, in each direction."""
    one, said, notes = found.claims[0], [claimed(claim) for claim in found.claims], claim_notes(found)
    asks = f"Is {one.candidate} more consistent with humans than {one.standard}?"
    yield from (Words(each, "terminal") for each in (asks, *said, CLAIMED))
    rows: list[Sequence[Value]] = []
    for claim in found.claims:
        gate = claim.gate
        interval = Interval(gate.low, gate.high, METHOD, clusters=gate.n)
        gain = Figure(gate.gain, gate.n, gate.why if gate.gain is None else "", interval=interval)
        rows.append(
            (
                Label(f"segment {claim.direction}".strip(), _short(found)[claim.direction]),
                gate.n,
                number(gate.standard, "z.3f"),
                number(gate.candidate, "z.3f"),
                Shown(gain, "+z.3f", COEFFICIENT),
                covers(claim),
                attempt_of(claim),
            )
        )
    yield Table(
        asks,
        (
            "",
            "articles",
            Column(one.standard, "first"),
            Column(one.candidate, "second"),
            Column("gain", "gain", Beside("interval", "+z.3f", " ")),
            Column("interval covers", "covers"),
            "attempt",
        ),
        rows,
        [*said, CLAIMED, *notes],
        {"gain": f"in c_index, {DEFINITIONS['c_index']}"},
        basis=(f"Intervals: {METHOD}", *signed(all_signatures(found))),
    )
    yield from (Words(note, "terminal", 4) for note in notes)


def _systems_compared(found: Pairwise, basis: Sequence[str]) -> Iterator[Part]:
    if not found.systems:
        return
    one, notes = found.systems[0], system_notes(found)
    minus = f"{one.second} minus {one.first}"
    yield Heading("TWO SYSTEMS COMPARED")
    yield Words(
        f"{minus}, in points of each metric. p: two-sided paired permutation test. Further: articles that it would "
        "take beyond those there are to tell them apart.",
        "terminal",
    )
    rows: list[Sequence[Value]] = [
        (
            f"{each.direction} {each.scorer or 'humans'}".strip(),
            each.difference.n,
            Shown(of_estimate(each.difference), "+z.4g"),
            probability(each.p),
            further(each.plan),
        )
        for each in found.systems
    ]
    yield Table(
        f"Two systems: {minus}",
        (
            "",
            Column("articles", "n"),
            Column("difference", "diff.", Beside(form="z.4g", between=" ")),
            "p",
            Column("further articles", "further"),
        ),
        rows,
        notes,
        {
            "difference": "in points of each metric",
            "p": "two-sided paired permutation test",
            "further articles": "how many it would take, beyond those there are, to tell them apart",
        },
        basis=basis,
    )
    yield from _reasons(of_estimate(each.difference) for each in found.systems)
    yield from (Words(note, "terminal") for note in notes)


def _scatters(found: Pairwise) -> Iterator[Scatter]:
    """Each metric's scores against the humans' mean, a point for each translation, all directions in one."""
    plotted = points(found.table.rows)
    for metric in (metric for metric in metrics_of(found) if metric in plotted):
        groups = plotted[metric]
        across, up = ([value for pair in groups.values() for value in pair[axis]] for axis in (0, 1))
        of = found.table.metrics.get(metric)
        limits = equal_limits(groups, sum(METRIC_S.maxima.values())) if of and of.judge else None
        yield Scatter(metric, "humans", across, up, limits)


def _short(found: Pairwise) -> dict[str, str]:
    """Return a name of at most seven characters for each direction, none like another."""
    names: dict[str, str] = {}
    directions = sorted({direction for each in reports_of(found) for direction in directions_of(each)})
    for direction in dict.fromkeys((*DIRECTIONS, *directions)):
        plain = "".join(character if character.isprintable() else "\ufffd" for character in direction)
        names[direction] = plain if len(plain) <= 7 else f"{plain[:5]}~{len(names) + 1}"
    return names


def _name(level: Level, direction: str) -> str:
    """A cell's name in nine characters, of a direction in seven."""
    return f"{level[:3]} {direction}".strip()


def _reasons(figures: Iterable[Figure | None]) -> list[Words]:
    """Return why figures, or their intervals, are undefined, each reason once."""
    return [Words(why, "terminal", 4) for why in reasons(figures)]
