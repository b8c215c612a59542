"""Text of 80 columns: a report's sections for a terminal, and the lines that its parts are laid out in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from discox_tui.reports.render.layout import CONFIDENT, UNDEFINED, WIDTH, ends, note, table, table_of_names
from discox_tui.reports.render.model import (
    Beside,
    Column,
    Ends,
    Entries,
    Heading,
    Label,
    Lines,
    Part,
    Scatter,
    Section,
    Shown,
    Table,
    Value,
    Words,
    left_out_in_words,
    left_out_of,
    sentence,
)
from discox_tui.text.columns import fit
from discox_tui.text.safe import safe
from judges.stats.figure import Figure, Interval


def as_text(sections: Iterable[Section]) -> str:
    """Return lines without colour of at most 80 cells but for signatures, with a blank line between sections.

    An undefined figure is "–". Names are made safe and cut to fit.
    """
    shown = ("\n".join(_section(section)) for section in sections if section.on != "page")
    return "\n\n".join(filter(None, shown)) + "\n"


def _section(section: Section) -> Iterator[str]:
    """The lines of a section; at its end why figures have no interval, where none of the lines says so."""
    lines = list(_lines(section))
    yield from lines
    said = " ".join(" ".join(lines).split())
    for why in dict.fromkeys(_without_interval(section.parts)):
        if why not in said:
            yield from note(f"{UNDEFINED} {why}", indent=4)


def _without_interval(parts: Iterable[Part]) -> Iterator[str]:
    """Yield why intervals are undefined of figures that are not."""
    for part in parts:
        figures: list[Figure] = []
        if isinstance(part, Table) and part.on != "page":
            figures = [value.figure for row in part.rows for value in row if isinstance(value, Shown)]
        elif isinstance(part, Entries) and part.on != "page":
            figures = list(part.figures)
        for figure in figures:
            if figure.value is not None and figure.interval and figure.interval.why:
                yield figure.interval.why


def _lines(section: Section) -> Iterator[str]:
    heading = section.title.upper() if section.heading is None else section.heading
    started, before = bool(heading), None
    if heading:
        yield fit(heading, WIDTH).rstrip()
    for part in section.parts:
        gap = isinstance(part, Table) and part.on != "page" and part.gap and not isinstance(before, Heading)
        for line in (*([""] if gap else []), *_part(part)):
            if started or line:
                yield line
            started = started or bool(line)
        before = part


def _part(part: Part) -> Iterator[str]:
    match part:
        case str():
            yield from note(safe(part))
        case Scatter():
            pass
        case Words() | Heading() | Lines() | Table() | Entries() if part.on == "page":
            pass
        case Words():
            yield from note(safe(part.text), part.indent) if part.wrap else [" " * part.indent + safe(part.text)]
        case Heading():
            yield from ("", fit(part.text, WIDTH).rstrip())
        case Lines():
            yield from part.lines
        case Table():
            yield from _table(part)
            for said in left_out_of(part.rows):
                yield from note(safe(sentence(said)), 4)
        case Entries():
            yield from _entries(part)


# Tables


def _table(of: Table) -> Iterator[str]:
    columns = [_column(head, [row[i] for row in of.rows]) for i, head in enumerate(of.header)]
    header = [head for column in columns if column for head in column[0]]
    rows = []
    for k, row in enumerate(of.rows):
        cells = [cell for column in columns if column for cell in column[1][k]]
        if not any(cells[1:]):
            continue
        rows.append(tuple(cells))
        if of.beneath and any(isinstance(value, Shown) and value.figure.interval for value in row):
            indent = cells[0][: len(cells[0]) - len(cells[0].lstrip(" "))]
            both = [ends(value.figure.interval) if isinstance(value, Shown) else "" for value in row[1:]]
            rows.append((f"{indent}  {CONFIDENT}", *both))
    return (table_of_names if of.named else table)(header, rows)


def _column(head: str | Column, values: Sequence[Value]) -> tuple[list[str], list[list[str]]] | None:
    """The heads and the cells of a column, two where intervals stand beside; None: it is on pages alone."""
    cells = [[_cell(value)] for value in values]
    if isinstance(head, str):
        if not any(isinstance(value, Shown) and value.ends for value in values):
            return [head], cells
        own = [value.ends if isinstance(value, Shown) else "" for value in values]
        return [head, CONFIDENT], [[*cell, each or UNDEFINED] for cell, each in zip(cells, own, strict=True)]
    if head.short is None:
        return None
    if head.ends is None:
        return [head.short], cells
    both = [_beside(value, head.ends) for value in values]
    return [head.short, head.ends.head], [[*cell, each] for cell, each in zip(cells, both, strict=True)]


def _beside(value: Value, how: Beside) -> str:
    return both_ends(value.figure, how.form, how.between) if isinstance(value, Shown) else ""


def _cell(value: Value) -> str:
    match value:
        case Shown():
            return value.value
        case Ends():
            return ends(value.interval, between=_between(value.interval)) if value.interval else ""
        case Label():
            return value.terminal
        case int():
            return f"{value:,}"
    return value


def both_ends(figure: Figure, form: str = "z.2f", between: str = "") -> str:
    """The ends of a figure's interval, or the undefined."""
    return ends(figure.interval, form, between or _between(figure.interval))


def _between(interval: Interval | None) -> str:
    return " to " if interval and interval.low is not None and interval.low < 0 else "-"


# Figures one beneath another


def line(label: str, value: str) -> str:
    """A label and a value, right-aligned in a column of its own."""
    return f"  {fit(label, 34)}{value:>10}"


def _entries(of: Entries) -> Iterator[str]:
    """Each figure with its interval and n, what it is, and why it is undefined if it is."""
    for (name, definition), figure in zip(of.definitions.items(), of.figures, strict=True):
        beside = f"  {both_ends(figure, 'z.3f')}" if figure.interval else ""
        yield f"{line(_capital(name), Shown(figure).value)}{beside}   n {figure.n:,}"
        said = sentence(_capital(definition))
        yield from note(" ".join(filter(None, (said, of.more.get(name)))), indent=4)
        yield from (each for words in undefined([figure]) for each in _part(words))
        if figure.left_out:
            yield from note(safe(f"Left out: {left_out_in_words(figure.left_out)}."), indent=4)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


# Notes beneath tables


def undefined(figures: Iterable[Figure]) -> list[Words]:
    """Return why these figures are undefined, each reason once."""
    whys = dict.fromkeys(figure.why for figure in figures if figure.value is None)
    return [Words(f"{UNDEFINED} {why}", "terminal", 4) for why in whys]


def intervals(rows: Iterable[tuple[str, Sequence[tuple[str, Figure, str]]]]) -> Iterator[Words]:
    """The intervals that columns have no room for, by row, and why they are undefined or rough, each reason once."""
    found: list[Interval] = []
    for label, named in rows:
        own = [figure.interval for _, figure, _ in named if figure.interval]
        if any(interval.ends for interval in own):
            shown = ", ".join(f"{name} {both_ends(figure, form)}" for name, figure, form in named if figure.interval)
            yield Words(f"95 % {label}: {shown}", "terminal", 4)
        found += own
    for why in dict.fromkeys(interval.why for interval in found if interval.why):
        yield Words(f"{UNDEFINED} {why}", "terminal", 4)
    for warning in dict.fromkeys(interval.warning for interval in found if interval.warning):
        yield Words(f"Intervals of {warning}", "terminal", 4)
