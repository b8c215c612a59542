"""Pairwise consistency as plain text for a terminal of 80 columns, as JSON for programs, as CSV for spreadsheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discox_tui.reports.entries import value_of
from discox_tui.reports.layout import UNDEFINED, WIDTH, counted, note, table, table_of_names
from discox_tui.reports.numbers import CONFIDENT, ends, number, probability
from discox_tui.reports.spreadsheet import csv_text
from discox_tui.text.fitting import fit
from discox_tui.text.safe import safe
from judges.agreement.correlation import DECIMALS
from judges.agreement.figure import Figure
from judges.agreement.intervals import FEW
from judges.agreement.pairs import RULES
from judges.agreement.pairwise import DIRECTIONS, LEVELS, no_width
from judges.agreement.planning import ASSUMPTION
from judges.agreement.spa import NESTED
from judges.metric_s.published import PublishedConsistency, published, published_consistency
from judges.resampling import CONFIDENCE

if TYPE_CHECKING:
    from judges.agreement.figure import Interval
    from judges.agreement.pairs import Rule
    from judges.agreement.pairwise import Cell, Level, PairwiseReport
    from judges.agreement.planning import Plan
    from judges.agreement.report import ConsistencyReport
    from storage.pairwise import Cut, Pairwise
    from storage.scores import Metric, Scale

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


UNCUT = {
    "severity": "Pairwise figures are not by severity: they are of whole scores.",
    "category": "Pairwise figures are not by category: they are of whole scores.",
    "direction": "Pairwise figures are by direction as they stand.",
    "spot": "Pairwise figures are not by spot: they are of whole scores.",
}
"""Why pairwise figures are not grouped by what findings are."""
ANEW = (
    "An interval says what as many other articles would give, not what endless ones would: with more articles systems "
    "differ more surely, and the system level rises. Where every resample gives the same it has no width and says "
    "nothing: there Wilson's stands beneath, as if pairs were independent, which they are not."
)
"""What intervals are of."""
CEILING = (
    "A ~ B: a person's ratings, as if a metric, against B's (others: the mean of all others'); beneath, the metrics "
    "against the same ratings of the same translations. What people reach is what to expect of a metric at best."
)
"""What people among themselves are held against."""


# Parts of a text, for the screen and for sections too


def headlining(ties: Rule) -> tuple[Rule, Rule]:
    """The rules that headline: the one asked for, and c_index beside it; c_index has acc_eq beside it."""
    return ties, "acc_eq" if ties == "c_index" else "c_index"


def signatures_of(name: str, metric: Metric | None) -> list[str]:
    """What decided a metric's scores, or the tables they are from: by name, where they lay is nobody's business."""
    if metric is None or metric.judge is None:
        return [f"{name}: {Path(file).name}" for file in metric.files] if metric else []
    return list(metric.signatures) or [_unsigned(metric)]


def _unsigned(metric: Metric) -> str:
    return f"imported, signature unknown: judge {metric.judge}"


def warnings_of(found: Pairwise) -> list[str]:
    """What to know before one relies on the figures."""
    report, warnings = found.report, list[str]()
    if not found.table.rows:
        return ["There are no scores.", *_scale_warnings(found)]
    if not report.raters:
        warnings.append("There are no human scores, so nothing to hold a metric against.")
    if not report.cells:
        warnings.append("There are no scores by a metric.")
    few = sorted({cell.articles for cell in report.cells.values() if 0 < cell.articles < FEW})
    if few and report.raters:
        warnings.append(
            f"Fewer than {FEW} articles somewhere (the least: {few[0]}): intervals are a rough guess, if any."
        )
    return [*warnings, *_scale_warnings(found), *_gold_warning(found), *_apart(found), *_too_close(found)]


def _scale_warnings(found: Pairwise) -> Iterator[str]:
    """Ratings that are on different scales, as far as they tell."""
    scales = found.table.scales
    for scale in scales:
        if scale.aside:
            taken = scale.rater if all(each.rater != scale.rater or each is scale for each in scales) else scale.name
            yield (
                f"Not averaged with the reviews, which are of 0-100: {counted(scale.ratings, 'rating')} by "
                f"{_scale(scale)}; --reviewer {taken} takes them alone."
            )
    averaged = [scale for scale in scales if not scale.aside]
    if len({scale.order for scale in averaged}) > 1:
        yield (
            "Ratings that seem to be on different scales are averaged, which no mean can be trusted for: "
            f"{_listed(map(_scale, averaged), '; ')}. Choose with --reviewer NAME."
        )


def _scale(scale: Scale) -> str:
    name = f" ({scale.name})" if scale.name not in ("", scale.rater) else " (reviews)" if not scale.name else ""
    return f"{scale.rater}{name}, {scale.low:g} to {scale.high:g}"


def _listed(names: Iterable[str], between: str = ", ", most: int = 6) -> str:
    """Some names, as many as one reads."""
    shown = list(names)
    return between.join(shown[:most]) + (" …" if len(shown) > most else "")


def gold_note(found: Pairwise) -> str:
    """Where the human scores come from."""
    total = sum(gold.ratings for gold in found.table.gold)
    parts = [
        f"{gold.ratings:,} of tables"
        if gold.judge is None
        else f"{counted(gold.ratings, 'review')} of {gold.judge}{', blind first' if gold.blind else ''}"
        for gold in found.table.gold
    ]
    return f"{counted(total, 'human rating')}: {_listed(parts)}." if parts else ""


def _gold_warning(found: Pairwise) -> Iterator[str]:
    """Whose errors the humans had before them, where others are compared with that judge."""
    of_judges = Counter[str]()
    for gold in found.table.gold:
        if gold.judge is not None and not gold.blind:
            of_judges[gold.judge] += gold.ratings
    total = sum(gold.ratings for gold in found.table.gold)
    if of_judges and len(metrics_of(found)) > 1:
        shares = _listed(f"{judge}'s errors ({n / total:.0%})".replace("%", " %") for judge, n in of_judges.items())
        yield (
            f"Human ratings are what reviewers left of {shares}, seen before they decided. That draws them to that "
            "judge: beside it another judge or metric looks worse than it is."
        )


def _apart(found: Pairwise) -> Iterator[str]:
    """System means that are of different articles."""
    for (metric, _, direction), cell in found.report.cells.items():
        if cell.spa and (disjoint := cell.counts.n - cell.spa.n):
            yield (
                f"{metric}, system {direction}: {disjoint:,} of {counted(cell.counts.n, 'pair')} of systems have no "
                "article in common; their means are of different articles, which may differ in how hard they are."
            )


def _too_close(found: Pairwise) -> Iterator[str]:
    """Scores that differ, but by less than what is compared."""
    scores: dict[str, set[float]] = {}
    for row in found.table.rows:
        scores.setdefault(row.metric, set()).add(round(row.score, _EXACT))
    for name, values in scores.items():
        merged = len(values) - len({round(value, DECIMALS) for value in values})
        if merged:
            yield (
                f"{name}: {merged:,} scores differ from others by less than {10**-DECIMALS:f} and count as tied with "
                "them; multiply the scores, by 1,000 say."
            )


_EXACT = 12
"""Decimals beyond which scores differ by float noise only."""


def cells_of(report: PairwiseReport, metric: str) -> list[tuple[Level, str]]:
    """The cells of a metric: the four first, by level, then those of other directions."""
    own = {(level, direction) for name, level, direction in report.cells if name == metric}
    directions = [*DIRECTIONS, *sorted({direction for _, direction in own} - set(DIRECTIONS))]
    ordered = [(level, direction) for level in LEVELS for direction in directions]
    return [cell for cell in ordered if cell in own]


def metrics_of(found: Pairwise, report: PairwiseReport | None = None) -> list[str]:
    """The metrics of a report (of the whole, where none is named): judges first."""
    there = dict.fromkeys(metric for metric, _, _ in (report or found.report).cells)
    return [metric for metric in dict.fromkeys((*found.table.metrics, *there)) if metric in there]


def blocks(found: Pairwise, report: PairwiseReport | None = None) -> list[tuple[str, str, PairwiseReport]]:
    """What stands side by side, by its name in a report: the metrics; of the whole, people among themselves too.

    A metric against the ratings that a person is held against is indented beneath her.
    """
    shown = [(metric, metric, report or found.report) for metric in metrics_of(found, report)]
    for against in found.between if report is None else ():
        shown += [(against.name, against.name, against.report)]
        shown += [
            (f"  {metric}", metric, against.report)
            for metric in metrics_of(found, against.report)
            if metric != against.name
        ]
    return shown


@dataclass(frozen=True, slots=True)
class FourCells:
    """Metrics side by side by one rule for ties: both levels of two directions, with the mean where ``paper`` is True.

    ``rows``: what is shown, its figures, and Wilson's intervals where one of theirs has no width (else empty).
    ``published``: the same of the paper, where it is asked for.
    """

    rule: Rule
    directions: tuple[str, ...]
    cells: Sequence[tuple[Level, str]]
    paper: bool
    rows: Sequence[tuple[str, Sequence[Figure], Sequence[Interval | None]]]
    published: Sequence[PublishedConsistency] = ()


def four_cells(
    found: Pairwise, rule: Rule, report: PairwiseReport | None = None, *, beside: bool = False
) -> Iterator[FourCells]:
    """The metrics of a report by one rule, the paper's two directions first; of the whole, people among themselves too.

    ``beside``: with the published figures.
    """
    shown = blocks(found, report)
    report = report or found.report
    present = {direction for _, _, direction in report.cells}
    others = sorted(present - set(DIRECTIONS))
    groups: list[tuple[str, ...]] = [DIRECTIONS] if beside or present & set(DIRECTIONS) else []
    groups += [tuple(others[i : i + 2]) for i in range(0, len(others), 2)]
    for directions in groups:
        cells: list[tuple[Level, str]] = [(level, direction) for level in LEVELS for direction in directions]
        paper = directions == DIRECTIONS
        rows = []
        for label, metric, each in shown:
            own = [each.cells.get((metric, *cell)) for cell in cells]
            if label.startswith("  ") and not any(own):
                continue
            figures = [cell.figures[rule] if cell else NO_SCORES for cell in own]
            figures += [each.averages[metric][rule]] if paper else []
            wilson: list[Interval | None] = [
                cell.wilson[rule] if cell and no_width(cell.figures[rule].interval) else None for cell in own
            ]
            rows.append((label, figures, wilson if any(wilson) else []))
        yield FourCells(
            rule,
            directions,
            cells,
            paper,
            rows,
            published_consistency() if beside and paper and rule == "acc_eq" else (),
        )


NO_SCORES = Figure(None, 0, "no scores")


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
        f"{found.ties}: {DEFINITIONS[found.ties]}. Mean: of the four cells, unweighted."
    )
    if by in UNCUT:
        yield from note(UNCUT[by])
    for warning in warnings_of(found):
        yield from note(f"! {safe(warning)}")
    if report.cells and (report.raters or beside):
        several = f", {counted(report.rated_by_several, 'translation')} by several, averaged"
        yield from note(
            f"Humans: {safe(_listed(report.raters)) or 'none'}{several if report.rated_by_several else ''}. "
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
            if wilson:
                both = [ends(each) if each else "" for each in wilson]
                rows.append((f"{indent}  Wilson", *both, *([""] if four.paper else [])))
        rows += [
            (
                f"published: {row.metric}",
                *(number(row.cells[cell], ".3f") for cell in four.cells),
                number(row.average, ".3f"),
            )
            for row in four.published
        ]
        heads = [_name(level, short[direction]) for level, direction in four.cells] + (["mean"] if four.paper else [])
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
        rows: list[tuple[str, ...]] = []
        for rule in RULES:
            rows.append((rule, *(value_of(cell.figures[rule]) for cell in shown)))
            rows.append((f"  {CONFIDENT}", *(ends(cell.figures[rule].interval) for cell in shown)))
        rows.append(("  acc_eq, Wilson", *(ends(cell.wilson["acc_eq"]) for cell in shown)))
        rows.append(("acc_eq, calibrated", *(value_of(cell.calibrated.figure) for cell in shown)))
        rows.append(("  smallest ε", *(number(cell.calibrated.epsilon, ".4g") for cell in shown)))
        if any(cell.spa for cell in shown):
            rows.append(("SPA", *(value_of(cell.spa) if cell.spa else "" for cell in shown)))
            rows.append((f"  {CONFIDENT}", *(ends(cell.spa.interval) if cell.spa else "" for cell in shown)))
        for name, label in COUNTS.items():
            indent = "" if name == "n" else "  "
            rows.append((indent + label, *(f"{getattr(cell.counts, name):,}" for cell in shown)))
        rows += [(name, *(f"{getattr(cell, name):,}" for cell in shown)) for name in ("articles", "systems")]
        yield ""
        yield from table(("", *(_name(cell.level, short[cell.direction]) for cell in shown)), rows)
        yield from _reasons(
            figure for cell in shown for figure in (*cell.figures.values(), *([cell.spa] if cell.spa else []))
        )
        for cell in shown:
            left = "; ".join(f"{reason} ({n:,})" for reason, n in cell.left_out.items() if n)
            if left:
                yield from note(f"Left out of {_name(cell.level, short[cell.direction])}: {left}.", indent=4)
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
            for k, rule in enumerate(headlining(found.ties)):
                yield from [""] * (k > 0)
                yield from _four_cells(found, rule, report)
        else:
            yield "    no scores"


def _metrics_compared(found: Pairwise) -> Iterator[str]:
    one = found.metrics[0]
    yield "TWO METRICS COMPARED"
    yield from note(
        f"{safe(one.second)} minus {safe(one.first)} by {one.measure}, over the translations that both and humans "
        "scored. p: one-sided test that the former is the more consistent (PERM-BOTH). Further: articles that it would "
        "take beyond those there are to tell them apart."
    )
    yield ""
    rows = []
    for each in found.metrics:
        values = number(each.first_value, "z.3f"), number(each.second_value, "z.3f")
        difference, p = number(each.difference.value, "+z.3f"), probability(each.test.p)
        name, interval = (
            _name(each.level, _short(found.report)[each.direction]),
            ends(each.difference.interval, "+z.2f", " "),
        )
        rows.append((name, f"{each.articles:,}", *values, difference, interval, p, further(each.plan)))
    yield from table(("", "articles", "first", "second", "diff.", CONFIDENT, "p", "further"), rows)
    yield from _reasons(each.difference for each in found.metrics)
    for said in plan_notes(each.plan for each in found.metrics):
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
        interval = ends(each.difference, "z.4g", " ")
        rows.append((scorer, n, mean, interval, probability(each.p), further(each.plan)))
    yield from table(("", "n", "diff.", CONFIDENT, "p", "further"), rows)
    for said in plan_notes(each.plan for each in found.systems):
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
    headline = {metric: report.averages[metric][found.ties] for metric in metrics_of(found)}
    plain = {
        "pairwise": _plain_cells(found, report),
        "average": {metric: figure.value for metric, figure in headline.items()},
        "average_why": _whys(headline),
        "average_interval": {metric: _plain_ends(figure.interval) for metric, figure in headline.items()},
        "average_interval_why": _interval_whys(headline),
        "averages": {
            metric: {rule: _plain_figure(figure) for rule, figure in report.averages[metric].items()}
            for metric in headline
        },
        "ties": found.ties,
        "seed": report.seed,
        "resamples": report.resamples,
        "confidence": CONFIDENCE,
        "metrics": {name: _plain_metric(found.table.metrics.get(name)) for name in headline},
        "between_raters": [
            {
                "rater": against.rater,
                "others": list(against.others),
                **_plain_cell(found, cell),
                "metric": None if cell.metric == against.name else cell.metric,
            }
            for against in found.between
            for cell in against.report.cells.values()
        ],
        "raters": list(report.raters),
        "rated_by_several": report.rated_by_several,
        "gold": [
            {"judge": gold.judge, "blind_first": gold.blind, "ratings": gold.ratings} for gold in found.table.gold
        ],
        "scales": [asdict(scale) for scale in found.table.scales],
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
                    "average_why": _whys({metric: rules[found.ties] for metric, rules in group.averages.items()}),
                }
                for label, group in found.groups.items()
            },
        }
    if found.metrics:
        plain["compared_metrics"] = [
            asdict(each) | {"difference": _plain_figure(each.difference)} for each in found.metrics
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
        for metric in metrics_of(found, report)
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
        "spa_n": cell.spa.n if cell.spa else None,
        "spa_resamples": cell.spa.interval.resamples if cell.spa and cell.spa.interval else None,
        "interval": {name: _plain_ends(figure.interval) for name, figure in figures.items()},
        "wilson": {rule: _plain_ends(interval) for rule, interval in cell.wilson.items()},
        "why": _whys(figures),
        "interval_why": _interval_whys(figures),
        "interval_warning": {
            name: figure.interval.warning
            for name, figure in figures.items()
            if figure.interval is not None and figure.interval.warning
        },
        "articles": cell.articles,
        "systems": cell.systems,
        "left_out": dict(cell.left_out),
        **_plain_signature(metric),
    }


def _figures(cell: Cell) -> dict[str, Figure]:
    """The figures of a cell by name: the rules, the calibrated one, and at system level SPA."""
    by_rule = {str(rule): cell.figures[rule] for rule in RULES}
    return {**by_rule, "acc_eq_calibrated": cell.calibrated.figure, **({"spa": cell.spa} if cell.spa else {})}


def _plain_metric(metric: Metric | None) -> dict[str, Any]:
    return {
        "judge": metric.judge if metric else None,
        **_plain_signature(metric),
        "further_signatures": list(metric.signatures[1:]) if metric else [],
        "files": [Path(file).name for file in metric.files] if metric else [],
    }


def _plain_signature(metric: Metric | None) -> dict[str, str | None]:
    """What decided a metric's scores; where that is unknown, why."""
    if metric and metric.signatures:
        return {"signature": metric.signatures[0]}
    why = _unsigned(metric) if metric and metric.judge is not None else "of a table of scores, which has none"
    return {"signature": None, "signature_why": why}


def _plain_figure(figure: Figure) -> dict[str, Any]:
    why = {"why": figure.why} if figure.value is None else {}
    interval = _plain_ends(figure.interval)
    undefined = {"interval_why": figure.interval.why} if figure.interval and interval is None else {}
    return {"value": figure.value, "n": figure.n, **why, "interval": interval, **undefined}


def _plain_ends(found: Interval | None) -> list[float] | None:
    both = found.ends if found else None
    return None if both is None else list(both)


def _whys(figures: Mapping[str, Figure]) -> dict[str, str]:
    return {name: figure.why for name, figure in figures.items() if figure.value is None}


def _interval_whys(figures: Mapping[str, Figure]) -> dict[str, str]:
    return {name: f.interval.why for name, f in figures.items() if f.interval is not None and f.interval.ends is None}


# CSV


def as_csv(found: Pairwise, reviews: ConsistencyReport | None = None) -> str:
    """Return a row for each metric, level and direction, of all scores and of each group, and one for each mean.

    Then one for each figure of ``reviews``: ``level`` is the part of the report, ``label`` of whom or what. An
    undefined figure is an empty cell and ``why`` says so.
    """
    rows = [*_csv_pairwise(found, "", "", found.report)]
    for label, group in found.groups.items():
        rows += _csv_pairwise(found, found.cut or "", label, group)
    if reviews is not None:
        rows += _csv_reviews(reviews)
    return csv_text(_CSV_COLUMNS, rows)


_CSV_FIGURES = (*RULES, "acc_eq_calibrated", "spa")
_CSV_COLUMNS = (
    *("by", "label", "metric", "level", "direction", "n", "concordant", "discordant"),
    *("tied_human", "tied_metric", "tied_both"),
    *(f"{name}{end}" for name in _CSV_FIGURES for end in ("", "_low", "_high")),
    *("epsilon", "why", "articles", "systems", "signature", "seed", "resamples"),
    *("figure", "value", "low", "high"),
)


def _csv_pairwise(found: Pairwise, by: str, label: str, report: PairwiseReport) -> Iterator[dict[str, object]]:
    for metric in metrics_of(found, report):
        head: dict[str, object] = {
            "by": by,
            "label": label,
            "metric": metric,
            "signature": " + ".join(signatures_of(metric, found.table.metrics.get(metric))),
            "seed": report.seed,
            "resamples": report.resamples,
        }
        for key in cells_of(report, metric):
            cell = report.cells[metric, *key]
            yield head | {
                "level": cell.level,
                "direction": cell.direction,
                "n": cell.counts.n,
                **asdict(cell.counts),
                **_csv_figures(_figures(cell)),
                "epsilon": cell.calibrated.epsilon,
                "articles": cell.articles,
                "systems": cell.systems,
            }
        means = report.averages[metric]
        yield (
            head
            | {"level": "mean of the four", "n": means["acc_eq"].n}
            | _csv_figures({str(rule): figure for rule, figure in means.items()})
        )


def _csv_figures(figures: Mapping[str, Figure]) -> dict[str, object]:
    row: dict[str, object] = {"why": "; ".join(dict.fromkeys(_whys(figures).values()))}
    for name, figure in figures.items():
        low, high = (figure.interval.ends if figure.interval else None) or (None, None)
        row |= {name: figure.value, f"{name}_low": low, f"{name}_high": high}
    return row


def _csv_reviews(reviews: ConsistencyReport) -> Iterator[dict[str, object]]:
    parts = {
        "findings": reviews.findings,
        "instruction check": reviews.instruction,
        "documents": reviews.documents,
        "between humans": reviews.between_humans,
        "reviewers with themselves": reviews.within_reviewers,
        "spans": reviews.spans,
        "blind first or anchored": reviews.anchoring,
    }
    for part, value in parts.items():
        for path, figure in _figures_in(value):
            *of, name = path
            by = of[1] if of[:1] == ["by"] else ""
            low, high = (figure.interval.ends if figure.interval else None) or (None, None)
            yield {
                "by": by,
                "label": " / ".join(of[2:] if by else of),
                "level": part,
                "n": figure.n,
                "figure": name,
                "value": figure.value,
                "low": low,
                "high": high,
                "why": figure.why,
                "seed": reviews.seed,
                "resamples": reviews.resamples,
            }


def _figures_in(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Figure]]:
    """Every figure within a value, with the names that lead to it."""
    match value:
        case Figure():
            yield path, value
        case Mapping():
            for name, part in value.items():
                yield from _figures_in(part, (*path, str(name)))
        case tuple() | list():
            for number_, part in enumerate(value, 1):
                yield from _figures_in(part, (*path, ", ".join(getattr(part, "reviewers", ())) or str(number_)))
        case _ if is_dataclass(value):
            for each in fields(value):
                yield from _figures_in(getattr(value, each.name), (*path, each.name))
