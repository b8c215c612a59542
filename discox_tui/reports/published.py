"""Published figures of DiscoX's authors as sections of a report: systems, kinds, directions, domains, the metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from discox_tui.reports.render.layout import UNDEFINED, number
from discox_tui.reports.render.model import Column, Heading, Label, Part, Section, Table, Value, Words
from judges.metric_s.published import KINDS, Published, published, published_consistency
from judges.model import DIMENSIONS

DIRECTIONS = ("zh-en", "en-zh")
SHORT = dict(zip(DIMENSIONS, ("acc.", "flu.", "app."), strict=True))
_ACADEMIC = {
    "academic": "all",
    "social_science": "social",
    "natural_science": "natural",
    "humanities": "human.",
    "applied": "applied",
}
_OTHERS = {"non_academic": "all", "news": "news", "domain_specific": "specific", "literature_arts": "literary"}
_KIND = {"domain-specific": "specific"}
"""Kinds in fewer letters, for a terminal."""
NOT_SAID = "no figure of it was published"


def about_published() -> str:
    """Return where the figures are from, and what they do not compare with."""
    figures = published()
    return (
        f"{figures.source}. Judge {figures.judge}, {figures.articles} articles: figures by another judge, or over "
        f"other articles, do not compare with them. {' '.join(figures.notes)}"
    )


def systems_section() -> Section:
    """Return the published leaderboard: its systems, their kinds, and the same by direction and by domain."""
    figures = published()
    academic = _domains("Published, total in academic domains", _ACADEMIC)
    others = _domains("Published, total in non-academic domains", _OTHERS)
    tables = (_systems(figures), _kinds(figures), _directions(figures), academic, others)
    return Section("Published", [about_published(), *_titled(tables)])


def _titled(tables: Iterable[Table]) -> Iterator[Part]:
    """The tables; on a terminal each with its title above and its notes below."""
    for table in tables:
        yield Heading(table.title.upper())
        yield table
        yield from (Words(note, "terminal") for note in table.notes)


def _systems(figures: Published) -> Table:
    rows: list[Sequence[Value]] = [
        (
            row.system,
            *(number(row.figure("total" if part == "total" else "dimension", part)) for part in row.parts),
            *(number(row.figure("direction", direction)) for direction in DIRECTIONS),
            Label(row.kind, _KIND.get(row.kind, row.kind)),
        )
        for row in figures.systems
    ]
    return Table("Published", ("", "total", *SHORT.values(), *DIRECTIONS, "kind"), rows)


def _kinds(figures: Published) -> Table:
    rows: list[Sequence[Value]] = []
    for kind in KINDS:
        of = [row for row in figures.systems if row.kind == kind]
        best = max(of, key=lambda row: row.parts["total"])
        rows.append((kind, len(of), f"{fmean(row.parts['total'] for row in of):.2f}", best.system))
    note = "The mean is over the published totals of the kind's systems, computed here."
    return Table("Published, by kind of system", ("kind", "systems", "mean", "best"), rows, [note])


def _directions(figures: Published) -> Table:
    rows = [(name, *(f"{of[part]:.2f}" for part in ("total", *DIMENSIONS))) for name, of in figures.averages.items()]
    note = "Means over the systems that have figures by direction, as published."
    return Table("Published, mean of the systems by direction", ("", "total", *SHORT.values()), rows, [note])


def _domains(title: str, names: Mapping[str, str]) -> Table:
    rows = [(row.system, *(number(row.domains.get(name)) for name in names)) for row in published().systems]
    heads = [Column(name.replace("_", "-"), short) for name, short in names.items()]
    return Table(title, ("", *heads), rows, [f"{UNDEFINED} {NOT_SAID}"])


def metric_section() -> Section:
    """Return the published agreement of metrics with people, and that of the metric's ablations."""
    cells = [(level, direction) for level in ("system", "segment") for direction in DIRECTIONS]
    rows = [
        (row.metric, *(number(row.cells[cell], ".3f") for cell in cells), number(row.average, ".3f"))
        for row in published_consistency()
    ]
    heads = [Column(f"{level} {direction}", f"{level[:3]} {direction}") for level, direction in cells]
    table = Table("Published: consistency with humans", ("", *heads, "mean"), rows, [*without_figures()])
    return Section("Published consistency", [*_titled([table, ablations()])])


def ablations_parts() -> Iterator[Part]:
    """Yield what stands with published figures of consistency: metrics without any, and the ablations."""
    yield from (Words(note) for note in without_figures())
    yield from _titled([ablations()])


def without_figures() -> list[str]:
    """Return which metrics are named with the published figures and have none."""
    none = [row.metric for row in published_consistency() if row.average is None and not any(row.cells.values())]
    return [f"{metric} {UNDEFINED} {NOT_SAID}." for metric in none]


def ablations() -> Table:
    """Return how far variants of the metric agree with people at the system level, as published."""
    rows = [(name, f"{value:.2f}") for name, value in published().ablations.items()]
    note = "System level alone, as published; neither n nor a rule for ties was."
    return Table("Published: ablations", ("", "agreement"), rows, [note])
