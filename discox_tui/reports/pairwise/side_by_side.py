"""Metrics, people among themselves and the published figures side by side by one rule for ties, as rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discox_tui.reports.pairwise.words import CEILING, NO_SCORES, OVER_PAIRS, listed, metrics_of
from discox_tui.reports.render.layout import UNDEFINED, number
from discox_tui.text.counts import counted
from judges.meta_eval.pairwise import DIRECTIONS, LEVELS
from judges.metric_s.published import PublishedConsistency, published_consistency
from judges.stats.figure import Figure, Interval
from judges.stats.intervals import no_width

if TYPE_CHECKING:
    from judges.meta_eval.pair_counts import Rule
    from judges.meta_eval.pairwise import Level, PairwiseReport
    from storage.analysis.pairwise import Pairwise

PEOPLE = "people among themselves"
"""Label of the row that stands where there are no such figures."""
SHOWN_BESIDE = 6
"""Raters up to whom the metrics stand beneath each; of more, beneath the mean over pairs, and in the files."""
RANGE = "range over pairs of people"


@dataclass(frozen=True, slots=True)
class Row:
    """One metric, or person, in each cell and the mean. ``label``: indented where it stands beneath a person.

    ``beneath``: intervals of another kind, by the name ``kind``; empty where there are none.
    """

    label: str
    figures: Sequence[Figure]
    kind: str = ""
    beneath: Sequence[Interval | None] = ()


@dataclass(frozen=True, slots=True)
class FourCells:
    """Metrics side by side by one rule for ties: both levels of two directions, with the mean where ``mean`` is True.

    ``metrics`` and ``people``: their rows; ``by_rating``: of metrics against ratings that are on another scale.
    ``published``: the same of the paper, where it is asked for.
    """

    rule: Rule
    directions: tuple[str, ...]
    cells: Sequence[tuple[Level, str]]
    mean: bool
    metrics: Sequence[Row]
    by_rating: Sequence[Row] = ()
    people: Sequence[Row] = ()
    published: Sequence[PublishedConsistency] = ()


def four_cells(
    found: Pairwise, rule: Rule, report: PairwiseReport | None = None, *, beside: bool = False
) -> Iterator[FourCells]:
    """The metrics of a report by one rule, the paper's two directions first.

    Of the whole, also the metrics against ratings that are on another scale, and people among themselves. The mean
    stands in the first table, whatever directions it is of. ``beside``: with the published figures.
    """
    of_whole = report is None
    report = report or found.report
    present = {direction for each in (reports_of(found) if of_whole else [report]) for direction in directions_of(each)}
    of_paper = beside or bool(report.averaged == DIRECTIONS and present & set(DIRECTIONS))
    others = sorted(present - set(DIRECTIONS if of_paper else ()))
    groups: list[tuple[str, ...]] = [DIRECTIONS] if of_paper else []
    groups += [tuple(others[i : i + 2]) for i in range(0, len(others), 2)]
    if of_whole and not groups:  # what cannot be computed stands there too
        groups = [report.averaged[:2]]
    for directions in groups:
        cells: list[tuple[Level, str]] = [(level, direction) for level in LEVELS for direction in directions]
        mean = directions is groups[0]
        yield FourCells(
            rule=rule,
            directions=directions,
            cells=cells,
            mean=mean,
            metrics=[_row(metric, metric, report, rule, cells, mean) for metric in metrics_of(found, report)],
            by_rating=list(_by_rating(found, rule, cells, mean)) if of_whole else (),
            people=list(_people(found, rule, cells, mean)) if of_whole else (),
            published=published_consistency() if beside and mean and rule == "acc_eq" else (),
        )


def reports_of(found: Pairwise) -> list[PairwiseReport]:
    """Return all reports that stand side by side of the whole."""
    return [found.report, *found.by_rating.values(), *(each.report for each in found.people.raters)]


def directions_of(report: PairwiseReport) -> set[str]:
    """Return the directions of a report; of one that has no cell, those that its figures would have been of."""
    return {direction for *_, direction in report.cells} or set(report.averaged if report.averages else ())


def published_rows(table: FourCells) -> list[tuple[str, ...]]:
    """The published figures beside these."""
    return [
        (
            f"published: {row.metric}",
            *(number(row.cells[cell], ".3f") for cell in table.cells),
            number(row.average, ".3f"),
        )
        for row in table.published
    ]


def ceiling(found: Pairwise) -> str:
    """Return what the figures of people among themselves mean."""
    return f"{CEILING} {OVER_PAIRS}" if found.people.of_several else CEILING


def dropped(table: FourCells) -> list[str]:
    """Return in how many comparisons of people a figure is defined, where its mean leaves others out."""
    found: dict[str, None] = {}
    names = [*(f"{level} {direction}".strip() for level, direction in table.cells), *(["mean"] if table.mean else [])]
    for row in table.people:
        for figure, name in zip(row.figures, names, strict=True):
            used, total = figure.groups or (0, 0)
            if 0 < used < total:
                found[f"{name}: mean over {used:,} of {total:,} comparisons of people, undefined in the others"] = None
    return list(found)


def people_note(found: Pairwise) -> str:
    """Return which people rated nothing that the other did, or why there are no figures of people at all."""
    people = found.people
    if people.why:
        return f"{PEOPLE.capitalize()}: {UNDEFINED} {people.why}."
    if not people.apart:
        return ""
    raters = len(found.table.raters)
    pairs = listed((f"{a} and {b}" for a, b in people.apart), "; ")
    return (
        f"{len(people.apart):,} of {counted(raters * (raters - 1) // 2, 'pair')} of people have rated no segment "
        f"both, so no figure: {pairs}."
    )


def _row(
    label: str, metric: str, report: PairwiseReport, rule: Rule, cells: Sequence[tuple[Level, str]], mean: bool
) -> Row:
    own = [report.cells.get((metric, *cell)) for cell in cells]
    nothing = NO_SCORES if report.cells else report.averages[metric][rule]
    figures = [cell.figures[rule] if cell else nothing for cell in own]
    figures += [report.averages[metric][rule]] if mean else []
    wilson = [cell.wilson[rule] if cell and no_width(cell.figures[rule].interval) else None for cell in own]
    return Row(label, figures, "Wilson", wilson) if any(wilson) else Row(label, figures)


def _by_rating(found: Pairwise, rule: Rule, cells: Sequence[tuple[Level, str]], mean: bool) -> Iterator[Row]:
    """Metrics against ratings that are on another scale than those of the headline."""
    for name, report in found.by_rating.items():
        for metric in metrics_of(found, report):
            yield _row(f"{metric}, by {name}", metric, report, rule, cells, mean)


def _people(found: Pairwise, rule: Rule, cells: Sequence[tuple[Level, str]], mean: bool) -> Iterator[Row]:
    """People among themselves; a metric against the same ratings is indented beneath them."""
    people = found.people
    if people.why:
        yield Row(PEOPLE, [Figure(None, 0, people.why)] * (len(cells) + mean))
        return
    if people.of_several:
        for metric in ("", *metrics_of(found)):
            if row := _over_pairs(found, metric, rule, cells, mean):
                yield row
    for against in people.raters:
        yield _row(against.name, against.name, against.report, rule, cells, mean)
        if len(people.raters) > SHOWN_BESIDE:
            continue
        for metric in metrics_of(found, against.report):
            if metric != against.name and any((metric, *cell) in against.report.cells for cell in cells):
                yield _row(f"  {metric}", metric, against.report, rule, cells, mean)


def _over_pairs(found: Pairwise, metric: str, rule: Rule, cells: Sequence[tuple[Level, str]], mean: bool) -> Row | None:
    """The mean over every two people, with its range; of a metric, over the same pairs. None where it has none."""
    over = found.people.over_pairs
    keys: list[tuple[str, Level | None, str]] = [(metric, level, direction) for level, direction in cells]
    keys += [(metric, None, "")] if mean else []
    spreads = [over[key][rule] if key in over else None for key in keys]
    if not any(spreads):
        return None
    two = counted(len(found.people.pairs) // 2, "pair")
    label = f"  {metric}" if metric else f"people, mean of {two}"
    figures = [each.mean if each else NO_SCORES for each in spreads]
    return Row(label, figures, "range", [Interval(each.low, each.high, RANGE) if each else None for each in spreads])
