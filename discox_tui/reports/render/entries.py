"""Figures as lines of text: a value with its interval and n, what it is, and why it is undefined if it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from discox_tui.reports.render import layout
from discox_tui.reports.render.layout import UNDEFINED, note, table
from discox_tui.reports.render.tables import sentence
from discox_tui.text.columns import fit
from judges.consistency.crosstabs import Crosstab
from judges.stats.figure import Figure, Interval


def intervals(rows: Iterable[tuple[str, Sequence[tuple[str, Figure, str]]]]) -> Iterator[str]:
    """The intervals that columns have no room for, by row, and why they are undefined or rough, each reason once."""
    found: list[Interval] = []
    for label, named in rows:
        own = [figure.interval for _, figure, _ in named if figure.interval]
        if any(interval.ends for interval in own):
            shown = ", ".join(f"{name} {ends(figure, form)}" for name, figure, form in named if figure.interval)
            yield from note(f"95 % {label}: {shown}", indent=4)
        found += own
    for why in dict.fromkeys(interval.why for interval in found if interval.why):
        yield from note(f"{UNDEFINED} {why}", indent=4)
    for warning in dict.fromkeys(interval.warning for interval in found if interval.warning):
        yield from note(f"Intervals of {warning}", indent=4)


def line(label: str, value: str) -> str:
    """A label and a value, right-aligned in a column of its own."""
    return f"  {fit(label, 34)}{value:>10}"


def entry(label: str, figure: Figure, definition: str) -> Iterator[str]:
    """A figure with its interval and n, what it is, and why it is undefined if it is."""
    beside = f"  {ends(figure, 'z.3f')}" if figure.interval else ""
    yield f"{line(label, value_of(figure))}{beside}   n {figure.n:,}"
    yield from note(definition, indent=4)
    yield from reasons([figure])


def entries(
    figures: Mapping[str, Figure], definitions: Mapping[str, str], more: Mapping[str, str] = MappingProxyType({})
) -> Iterator[str]:
    """Such entries by name, each with what it is; ``more``: what else is to be said of some."""
    for name, figure in figures.items():
        said = sentence(_capital(definitions[name]))
        yield from entry(_capital(name), figure, " ".join(filter(None, (said, more.get(name)))))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def reasons(figures: Iterable[Figure]) -> Iterator[str]:
    """Why these figures are undefined, each reason once."""
    for why in dict.fromkeys(figure.why for figure in figures if figure.value is None):
        yield from note(f"{UNDEFINED} {why}", indent=4)


def crosstab(corner: str, found: Crosstab) -> Iterator[str]:
    """A table of counts by two labels."""
    rows = zip(found.rows, found.counts, strict=True)
    return table(
        (corner, *map(plain_words, found.columns)), [(plain_words(row), *map("{:,}".format, n)) for row, n in rows]
    )


def value_of(figure: Figure, form: str = "z.3f") -> str:
    """The value, never as -0."""
    return layout.number(figure.value, form)


def ends(figure: Figure, form: str = "z.2f") -> str:
    """The ends of a figure's interval, or the undefined."""
    both = figure.interval.ends if figure.interval else None
    return layout.ends(figure.interval, form, " to " if both and both[0] < 0 else "-")


def plain_words(name: str) -> str:
    """A name as people write it."""
    return name.replace("_", " ")
