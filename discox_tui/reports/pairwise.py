"""Pairwise consistency as plain text for a terminal of 80 columns, as JSON for programs, as CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from discox_tui.reports.layout import UNDEFINED, WIDTH, counted, note, table, table_of_names
from discox_tui.reports.leaderboard import interval, number, probability
from discox_tui.reports.spreadsheet import csv_text
from discox_tui.text.fitting import fit
from discox_tui.text.safe import safe
from judges.agreement.intervals import FEW
from judges.agreement.pairs import RULES
from judges.agreement.pairwise import DIRECTIONS, LEVELS
from judges.agreement.planning import ASSUMPTION
from judges.agreement.spa import NESTED
from judges.metric_s.published import PublishedConsistency, published, published_consistency
from judges.resampling import CONFIDENCE

if TYPE_CHECKING:
    from judges.agreement.figure import Figure, Interval
    from judges.agreement.pairs import Rule
    from judges.agreement.pairwise import Cell, Level, PairwiseReport
    from judges.agreement.planning import Plan
    from storage.pairwise import Cut, Pairwise
    from storage.scores import Metric

SHARE = f"{CONFIDENCE:.0%}".replace("%", " %")

DEFINITIONS: Mapping[Rule, str] = {
    "acc_eq": "(concordant + tied in both) / all pairs",
    "c_index": "(concordant + ½ tied by the metric) / pairs that humans do not tie",
    "drop_human_ties": "concordant / pairs that humans do not tie",
    "drop_all_ties": "concordant / (concordant + discordant)",
    "half": "(concordant + tied in both + ½ tied in one) / all pairs",
}
"""What each rule for ties does with them."""
COUNTS = {
    "n": "pairs",
    "concordant": "concordant",
    "discordant": "discordant",
    "tied_human": "tied by humans only",
    "tied_metric": "tied by metric only",
    "tied_both": "tied in both",
}
"""The kinds of pairs, by the names of their counts."""
CUT_BY: Mapping[Cut, str] = {
    "dimension": "A judge's points in one dimension against the reviewers'. Other metrics have no dimensions.",
    "system": "Only the pairs that the system is in.",
    "domain": "Only the articles of the domain.",
    "reviewer": "Against the ratings of one person.",
}
"""What the figures of a group are of."""


# Parts of a text, for the screen and for sections too


def signatures_of(name: str, metric: Metric | None) -> list[str]:
    """What decided a metric's scores, or where they come from."""
    if metric is None or metric.judge is None:
        return [f"{name}: {file}" for file in metric.files] if metric else []
    return list(metric.signatures) or [f"imported, signature unknown: judge {metric.judge}"]


def warnings_of(found: Pairwise) -> list[str]:
    """What to know before one relies on the figures."""
    report, warnings = found.report, list[str]()
    if not found.table.rows:
        return ["There are no scores."]
    if not report.raters:
        warnings.append("There are no human scores, so nothing to hold a metric against.")
    if not report.cells:
        warnings.append("There are no scores by a metric.")
    few = sorted({cell.articles for cell in report.cells.values() if cell.articles < FEW})
    if few and report.raters:
        warnings.append(f"Fewer than {FEW} articles somewhere (the least: {few[0]}): intervals are a rough guess.")
    return warnings


def cells_of(report: PairwiseReport, metric: str) -> list[tuple[Level, str]]:
    """The cells of a metric: the four first, by level, then those of other directions."""
    own = {(level, direction) for name, level, direction in report.cells if name == metric}
    directions = [*DIRECTIONS, *sorted({direction for _, direction in own} - set(DIRECTIONS))]
    ordered = [(level, direction) for level in LEVELS for direction in directions]
    return [cell for cell in ordered if cell in own]


def metrics_of(report: PairwiseReport) -> list[str]:
    """The metrics, in the order of the report."""
    return list(dict.fromkeys(metric for metric, _, _ in report.cells))


def published_note() -> str:
    """Where the published figures are from, and what they do not say."""
    return (
        f"Published: {published().source}; judge {published().judge}. Neither the rule for ties nor n were published; "
        "figures over other articles, systems or humans do not compare."
    )


def further(plan: Plan) -> str:
    """How many more articles it takes, or the undefined."""
    return UNDEFINED if plan.further is None else f"{plan.further:,}"


def plan_notes(plans: Iterable[Plan]) -> list[str]:
    """Why it is undefined, each reason once, and what is assumed."""
    return [*dict.fromkeys(f"{UNDEFINED} further: {plan.why}" for plan in plans if plan.why), ASSUMPTION]


# Text


def as_text(found: Pairwise, *, beside: bool = False) -> str:
    """Return lines without colour of at most 80 cells but for signatures; ``beside``: with the published figures.

    An undefined figure is "–" and its reason stands below. Names are made safe and cut to fit.
    """
    if not found.report.raters and not beside:
        return "\n".join(_headline(found, beside)) + "\n"  # a hundred dashes would say no more
    sections = [_headline(found, beside), *(_metric(found, metric) for metric in metrics_of(found.report))]
    if found.cut:
        sections.append(_groups(found))
    if found.metrics:
        sections.append(_metrics_compared(found))
    if found.systems:
        sections.append(_systems_compared(found))
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def _headline(found: Pairwise, beside: bool) -> Iterator[str]:
    report = found.report
    yield "PAIRWISE CONSISTENCY WITH HUMANS"
    yield from note(
        "Of two systems, does the metric rank the one higher that humans rank higher? Segment (seg): pairs within an "
        "article. System (sys): pairs of means over the articles that both humans and metric scored. "
        f"{found.ties}: {DEFINITIONS[found.ties]}. Mean: of the four cells, unweighted."
    )
    for warning in warnings_of(found):
        yield from note(f"! {warning}")
    if report.cells and (report.raters or beside):
        raters = ", ".join(report.raters[:5]) + (" …" if len(report.raters) > 5 else "")
        several = f", {counted(report.rated_by_several, 'translation')} by several, averaged"
        yield from note(
            f"Humans: {safe(raters) or 'none'}{several if report.rated_by_several else ''}. Intervals: {SHARE} "
            f"percentile bootstrap over articles, {report.resamples:,} resamples, seed {report.seed}."
        )
        for rule in dict.fromkeys((found.ties, "c_index")):
            yield ""
            yield from _four_cells(report, rule, beside, found.between)
        if found.between:
            yield from note(
                "A ~ B: two people by their ratings of the same translations: what to expect of a metric at best."
            )
    for reason, n in found.table.left_out.items():
        yield from note(f"Left out: {n:,} {'score' if n == 1 else 'scores'}, {reason}.")
    if beside:
        yield from note(published_note())


def _four_cells(
    report: PairwiseReport,
    rule: Rule,
    beside: bool = False,
    between: Mapping[tuple[str, str], PairwiseReport] = MappingProxyType({}),
) -> Iterator[str]:
    """The metrics side by side, and people, by one rule: a table for every two directions, the paper's first."""
    shown = [(metric, metric, report) for metric in metrics_of(report)]
    shown += [(f"{pair[0]} ~ {pair[1]}", pair[0], each) for pair, each in between.items() if each.cells]
    present = sorted({direction for _, _, direction in report.cells} - set(DIRECTIONS))
    pairs: list[tuple[str, ...]] = (
        [DIRECTIONS] if any(direction in DIRECTIONS for _, _, direction in report.cells) or beside else []
    )
    pairs += [tuple(present[i : i + 2]) for i in range(0, len(present), 2)]
    for k, directions in enumerate(pairs):
        cells: list[tuple[Level, str]] = [(level, direction) for level in LEVELS for direction in directions]
        rows: list[tuple[str, ...]] = []
        reasons: list[Figure | None] = []
        paper = directions == DIRECTIONS
        for label, metric, each in shown:
            found = (each.cells.get((metric, *cell)) for cell in cells)
            figures = [cell.figures[rule] if cell else None for cell in found]
            figures += [each.averages[metric][rule]] if paper else []
            rows.append((label, *map(_value, figures)))
            rows.append((f"  {SHARE}", *(_ends(figure.interval if figure else None) for figure in figures)))
            reasons += figures
        if beside and paper and rule == "acc_eq":
            rows += [_published_row(row, cells) for row in published_consistency()]
        heads = [_name(*cell) for cell in cells] + (["mean"] if paper else [])
        yield from [""] * (k > 0)
        yield from table_of_names((rule, *heads), rows)
        yield from _reasons(reasons)


def _published_row(row: PublishedConsistency, cells: Sequence[tuple[Level, str]]) -> tuple[str, ...]:
    return (f"published: {row.metric}", *(number(row.cells[cell], ".3f") for cell in cells), number(row.average, ".3f"))


def _metric(found: Pairwise, metric: str) -> Iterator[str]:
    """All that there is of one metric: every rule side by side, the counts they are made of, what was left out."""
    report = found.report
    yield fit(f"EVERY RULE FOR TIES: {metric}", WIDTH).rstrip()
    for signature in signatures_of(metric, found.table.metrics.get(metric)):
        yield f"  {safe(signature)}"
    cells = cells_of(report, metric)
    for start in range(0, len(cells), 4):
        shown = [report.cells[metric, *cell] for cell in cells[start : start + 4]]
        rows: list[tuple[str, ...]] = []
        for rule in RULES:
            rows.append((rule, *(_value(cell.figures[rule]) for cell in shown)))
            rows.append((f"  {SHARE}", *(_ends(cell.figures[rule].interval) for cell in shown)))
        rows.append(("  acc_eq, Wilson", *(_ends(cell.wilson["acc_eq"]) for cell in shown)))
        rows.append(("acc_eq, calibrated", *(_value(cell.calibrated.figure) for cell in shown)))
        rows.append(("  smallest ε", *(number(cell.calibrated.epsilon, ".4g") for cell in shown)))
        if any(cell.spa for cell in shown):
            rows.append(("SPA", *(_value(cell.spa) if cell.spa else "" for cell in shown)))
            rows.append((f"  {SHARE}", *(_ends(cell.spa.interval) if cell.spa else "" for cell in shown)))
        for name, label in COUNTS.items():
            indent = "" if name == "n" else "  "
            rows.append((indent + label, *(f"{getattr(cell.counts, name):,}" for cell in shown)))
        rows += [(name, *(f"{getattr(cell, name):,}" for cell in shown)) for name in ("articles", "systems")]
        yield ""
        yield from table(("", *(_name(cell.level, cell.direction) for cell in shown)), rows)
        yield from _reasons(
            figure for cell in shown for figure in (*cell.figures.values(), *([cell.spa] if cell.spa else []))
        )
        for cell in shown:
            left = "; ".join(f"{reason} ({n:,})" for reason, n in cell.left_out.items() if n)
            if left:
                yield from note(f"Left out of {_name(cell.level, cell.direction)}: {left}.", indent=4)
    yield from note(
        "Wilson: if pairs were independent, which they are not. Calibrated: metric scores that differ by at most ε "
        f"are tied. SPA: 1 - mean |p by humans - p by the metric|, its interval of no more than {NESTED} resamples."
    )


def _groups(found: Pairwise) -> Iterator[str]:
    yield f"PAIRWISE CONSISTENCY BY {(found.cut or '').upper()}"
    yield from note(CUT_BY[found.cut or "system"])
    for label, report in found.groups.items():
        yield ""
        yield fit(f"{found.cut} {label or '(none)'}", WIDTH).rstrip()
        if report.cells:
            yield from _four_cells(report, found.ties)
        else:
            yield "    no scores"


def _metrics_compared(found: Pairwise) -> Iterator[str]:
    one = found.metrics[0][0]
    yield "TWO METRICS COMPARED"
    yield from note(
        f"{safe(one.second)} minus {safe(one.first)} by {one.measure}, over the translations that both and humans "
        "scored. p: one-sided test that the former is the more consistent (PERM-BOTH). Further: articles that it would "
        "take beyond those there are to tell them apart."
    )
    yield ""
    rows = []
    for each, plan in found.metrics:
        values = number(each.first_value, "z.3f"), number(each.second_value, "z.3f")
        difference, p = number(each.difference.value, "+z.3f"), probability(each.test.p)
        name, ends = _name(each.level, each.direction), _ends(each.difference.interval, "+z.2f", " ")
        rows.append((name, f"{each.articles:,}", *values, difference, ends, p, further(plan)))
    yield from table(("", "articles", "first", "second", "diff.", SHARE, "p", "further"), rows)
    yield from _reasons(each.difference for each, _ in found.metrics)
    for said in plan_notes(plan for _, plan in found.metrics):
        yield from note(said)


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
        ends = interval(each.difference, "z.4g", " ")
        rows.append((scorer, n, mean, ends, probability(each.p), further(each.plan)))
    yield from table(("", "n", "diff.", SHARE, "p", "further"), rows)
    for said in plan_notes(each.plan for each in found.systems):
        yield from note(said)


def _name(level: Level, direction: str) -> str:
    """A cell's name in nine characters, as far as its direction lets it."""
    short = "".join(character if character.isprintable() else "\ufffd" for character in direction[:7])
    return f"{level[:3]} {short}".strip()


def _value(figure: Figure | None) -> str:
    return number(figure.value if figure else None, "z.3f")


def _ends(found: Interval | None, form: str = "z.2f", between: str = "-") -> str:
    ends = found.ends if found else None
    return UNDEFINED if ends is None else f"{ends[0]:{form}}{between}{ends[1]:{form}}"


def _reasons(figures: Iterable[Figure | None]) -> Iterator[str]:
    """Why figures, or their intervals, are undefined, each reason once."""
    whys: list[str] = []
    for figure in figures:
        if figure is None:
            whys.append("no scores")
        elif figure.value is None:
            whys.append(figure.why)
        elif figure.interval and figure.interval.ends is None:
            whys.append(f"interval: {figure.interval.why}")
    for why in dict.fromkeys(filter(None, whys)):
        yield from note(f"{UNDEFINED} {safe(why)}", indent=4)


# JSON


def as_json(found: Pairwise, *, beside: bool = False) -> dict[str, Any]:
    """Return what `json.dumps` takes, without NaN; what is undefined is null, with the reason in a sibling object."""
    report = found.report
    plain = {
        "pairwise": _plain_cells(found, report),
        "average": {metric: rules[found.ties].value for metric, rules in report.averages.items()},
        "average_why": _whys({metric: rules[found.ties] for metric, rules in report.averages.items()}),
        "average_interval": {
            metric: _plain_ends(rules[found.ties].interval) for metric, rules in report.averages.items()
        },
        "averages": {
            metric: {rule: figure.value for rule, figure in rules.items()} for metric, rules in report.averages.items()
        },
        "ties": found.ties,
        "seed": report.seed,
        "resamples": report.resamples,
        "confidence": CONFIDENCE,
        "metrics": {name: _plain_metric(found.table.metrics.get(name)) for name in metrics_of(report)},
        "between_raters": [
            {"rater": first, "other": second, **_plain_cell(found, cell)}
            for (first, second), each in found.between.items()
            for cell in each.cells.values()
        ],
        "raters": list(report.raters),
        "rated_by_several": report.rated_by_several,
        "scores_left_out": dict(found.table.left_out),
        "warnings": warnings_of(found),
    }
    if found.cut:
        plain["pairwise_by"] = {
            "by": found.cut,
            "groups": {
                label: {
                    "pairwise": _plain_cells(found, group),
                    "average": {metric: rules[found.ties].value for metric, rules in group.averages.items()},
                }
                for label, group in found.groups.items()
            },
        }
    if found.metrics:
        plain["compared_metrics"] = [
            asdict(each)
            | {"difference": _plain_figure(each.difference), "test": asdict(each.test), "plan": asdict(plan)}
            for each, plan in found.metrics
        ]
    if found.systems:
        plain["compared_systems"] = [asdict(each) for each in found.systems]
    if beside:
        plain["published"] = [
            {
                "metric": row.metric,
                "average": row.average,
                "cells": [{"level": level, "direction": d, "value": value} for (level, d), value in row.cells.items()],
            }
            for row in published_consistency()
        ]
    return plain


def _plain_cells(found: Pairwise, report: PairwiseReport) -> list[dict[str, Any]]:
    return [
        _plain_cell(found, report.cells[metric, *cell])
        for metric in metrics_of(report)
        for cell in cells_of(report, metric)
    ]


def _plain_cell(found: Pairwise, cell: Cell) -> dict[str, Any]:
    figures = _figures(cell)
    metric = found.table.metrics.get(cell.metric)
    return {
        "metric": cell.metric,
        "level": cell.level,
        "direction": cell.direction,
        "n": cell.counts.n,
        **asdict(cell.counts),
        **{name: figure.value for name, figure in figures.items()},
        "epsilon": cell.calibrated.epsilon,
        "spa_resamples": cell.spa.interval.resamples if cell.spa and cell.spa.interval else None,
        "interval": {name: _plain_ends(figure.interval) for name, figure in figures.items()},
        "wilson": {rule: _plain_ends(ends) for rule, ends in cell.wilson.items()},
        "why": _whys(figures),
        "interval_why": {
            name: figure.interval.why
            for name, figure in figures.items()
            if figure.interval is not None and figure.interval.ends is None
        },
        "articles": cell.articles,
        "systems": cell.systems,
        "left_out": dict(cell.left_out),
        "signature": metric.signatures[0] if metric and metric.signatures else None,
    }


def _figures(cell: Cell) -> dict[str, Figure]:
    """The figures of a cell by name: the rules, the calibrated one, and at system level SPA."""
    by_rule = {str(rule): cell.figures[rule] for rule in RULES}
    return {**by_rule, "acc_eq_calibrated": cell.calibrated.figure, **({"spa": cell.spa} if cell.spa else {})}


def _plain_metric(metric: Metric | None) -> dict[str, Any]:
    if metric is None:
        return {"judge": None, "signature": None, "further_signatures": [], "files": []}
    return {
        "judge": metric.judge,
        "signature": metric.signatures[0] if metric.signatures else None,
        "further_signatures": list(metric.signatures[1:]),
        "files": list(metric.files),
    }


def _plain_figure(figure: Figure) -> dict[str, Any]:
    why = {"why": figure.why} if figure.value is None else {}
    return {"value": figure.value, "n": figure.n, **why, "interval": _plain_ends(figure.interval)}


def _plain_ends(found: Interval | None) -> list[float] | None:
    ends = found.ends if found else None
    return None if ends is None else list(ends)


def _whys(figures: Mapping[str, Figure]) -> dict[str, str]:
    return {name: figure.why for name, figure in figures.items() if figure.value is None}


# CSV


def as_csv(found: Pairwise) -> str:
    """Return one row for each metric, level and direction, of all scores and of each group, as spreadsheets take it.

    An undefined figure is an empty cell and ``why`` says so.
    """
    rows = [_csv_row(found, "", "", cell) for cell in found.report.cells.values()]
    rows += [
        _csv_row(found, found.cut or "", label, cell)
        for label, group in found.groups.items()
        for cell in group.cells.values()
    ]
    return csv_text(_CSV_COLUMNS, rows)


_CSV_FIGURES = (*RULES, "acc_eq_calibrated", "spa")
_CSV_COLUMNS = (
    *("by", "label", "metric", "level", "direction", "n", "concordant", "discordant"),
    *("tied_human", "tied_metric", "tied_both"),
    *(f"{name}{end}" for name in _CSV_FIGURES for end in ("", "_low", "_high")),
    *("epsilon", "why", "articles", "systems", "signature", "seed", "resamples"),
)


def _csv_row(found: Pairwise, by: str, label: str, cell: Cell) -> dict[str, object]:
    figures = _figures(cell)
    row: dict[str, object] = {
        "by": by,
        "label": label,
        "metric": cell.metric,
        "level": cell.level,
        "direction": cell.direction,
        "n": cell.counts.n,
        **asdict(cell.counts),
        "epsilon": cell.calibrated.epsilon,
        "why": "; ".join(dict.fromkeys(_whys(figures).values())),
        "articles": cell.articles,
        "systems": cell.systems,
        "signature": " + ".join(signatures_of(cell.metric, found.table.metrics.get(cell.metric))),
        "seed": found.report.seed,
        "resamples": found.report.resamples,
    }
    for name, figure in figures.items():
        low, high = (figure.interval.ends if figure.interval else None) or (None, None)
        row |= {name: figure.value, f"{name}_low": low, f"{name}_high": high}
    return row
