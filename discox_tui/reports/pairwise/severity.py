"""Severity of raters and the variance of scores as a section of a report; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.pairwise.words import reasons
from discox_tui.reports.render.layout import number
from discox_tui.reports.render.model import Beside, Column, Heading, Part, Section, Shown, Table, Value, Words
from judges.consistency.rater_effects import COMPONENTS

if TYPE_CHECKING:
    from judges.consistency.rater_effects import RaterSeverity, SeverityReport, VarianceComponents

WHAT = (
    "Difference: a rater's score less that of the others, over what another rated too; below 0 the rater is stricter. "
    "z: the same in standard deviations of each rater's own scores, from their own mean. Raters who had other articles "
    "have other means: compare them by the difference."
)
VARIANCE = (
    "Variance of scores by source: score = mean + article + system + rater + rest, all random, by Henderson's Method "
    "1; where every rater scored all it is the ANOVA's. One below 0 is shown as it is; a share is of those above 0."
)


def severity_section(severity: Mapping[str, Mapping[str, SeverityReport]], basis: Sequence[str]) -> Section:
    """Return two tables for each rating and direction: the raters, and the variance of their scores."""
    parts: list[Part] = [WHAT, VARIANCE]
    for label, by_direction in severity.items():
        for direction, of in by_direction.items():
            name = ", ".join(filter(None, (direction or "(no direction)", label)))
            parts += [Heading(f"RATERS: {name}"), _raters(name, of.raters, basis), _variance(name, of.variance, basis)]
            parts += [Words(why, "terminal", 4) for why in _reasons(of)]
            parts += [Words(f"Left out, {name}: {n:,} {why}.", indent=4) for why, n in of.left_out.items()]
    return Section("Severity of raters", parts)


def _raters(name: str, raters: Sequence[RaterSeverity], basis: Sequence[str]) -> Table:
    rows: list[Sequence[Value]] = [
        (
            each.rater,
            each.mean.n,
            *(Shown(figure, "z.2f") for figure in (each.mean, each.deviation)),
            each.difference.n,
            Shown(each.difference, "+z.2f"),
            Shown(each.difference_z, "+z.2f"),
        )
        for each in raters
    ]
    return Table(
        f"Severity of raters, {name}",
        (
            *("rater", "n"),
            *(Column("mean", "mean"), Column("standard deviation", "sd"), Column("n shared", "shared")),
            *(Column("difference", "diff.", Beside(between=" to ")), Column("difference of z", "z")),
        ),
        rows,
        [WHAT],
        basis=basis,
        named=True,
    )


def _variance(name: str, of: VarianceComponents, basis: Sequence[str]) -> Table:
    rows: list[Sequence[Value]] = [
        (
            each,
            "" if each == "rest" else f"{of.levels[each]:,}",
            Shown(of.figures[each], "z.4g"),
            number(of.shares[each], ".3f"),
            of.figures[each].n,
        )
        for each in COMPONENTS
    ]
    design = "crossed: every rater scored everything" if of.crossed else "not crossed: some cells have no score"
    return Table(
        f"Variance of scores by source, {name}",
        (Column("source", "variance"), "levels", Column("component", "component"), "share", "n"),
        rows,
        [VARIANCE, f"The design is {design}"],
        basis=basis,
    )


def _reasons(of: SeverityReport) -> Iterator[str]:
    figures = [f for each in of.raters for f in (each.mean, each.deviation, each.difference, each.difference_z)]
    yield from reasons([*figures, *of.variance.figures.values()])
    if not of.variance.crossed:
        yield "Not crossed: some raters scored only some of the translations."
