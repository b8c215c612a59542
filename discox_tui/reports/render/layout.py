"""Notes and tables for a terminal of 80 columns, and the undefined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from discox_tui.text.columns import fit
from discox_tui.text.safe import display
from discox_tui.text.widths import widths
from judges.stats.intervals import BOOTSTRAP
from judges.stats.resampling import CONFIDENCE, FEWEST

if TYPE_CHECKING:
    from judges.stats.figure import Interval
    from judges.stats.resampling import Estimate


WIDTH = 76
LABEL = 24
"""Cells of a table's label, where there is room, so that tables stand under one another."""

UNDEFINED = "–"


def note(text: str, indent: int = 2) -> list[str]:
    """Return a sentence or more as lines of at most ``WIDTH`` cells, or one more where a wide character ends one."""
    if not text.isascii():
        text = "".join(character + _FILL * (widths().of(character) - 1) for character in text)
    lines = wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent)
    return [line.replace(_FILL, "") for line in lines]


_FILL = "\0"
"""Stand-in for the second cell of a wide character where lines are broken by their length; no text shown has it."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align a label and columns of numbers; the label gets what it needs of what the numbers leave of the line."""
    columns = [max(map(len, column)) + 2 for column in zip(header[1:], *(row[1:] for row in rows), strict=True)]
    wanted = max(LABEL, *(widths().of(display(row[0])) for row in (header, *rows)))
    room = min(WIDTH - 2 - sum(columns), wanted)
    for label, *cells in (header, *rows):
        numbers = "".join(cell.rjust(width) for cell, width in zip(cells, columns, strict=True))
        yield f"  {fit(label, room)}{numbers}".rstrip()


def table_of_names(header: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """A table in which a label that does not fit stands above its row, for names of judges resemble one another."""
    room = WIDTH - 2 - sum(max(map(len, column)) + 2 for column in zip(header[1:], *(r[1:] for r in rows), strict=True))
    above = [widths().of(display(row[0])) > room for row in rows]
    short = [("", *row[1:]) if long else row for row, long in zip(rows, above, strict=True)]
    lines = table(header, short)
    yield next(lines)
    for row, long, line in zip(rows, above, lines, strict=True):
        if long:
            yield f"  {fit(row[0], WIDTH - 2)}".rstrip()
        yield line


def domains(first: str, second: str) -> str:
    """The domain of an article and the one within it, as far as they are known."""
    return " / ".join(name for name in (first, second) if name)


CONFIDENT = f"{CONFIDENCE:.0%}".replace("%", " %")
"""Head of a column of intervals."""


def intervals_in_words(resamples: int, seed: int) -> str:
    """Return how the intervals of a report are made: method, level, resamples and seed."""
    return f"{CONFIDENT}, {BOOTSTRAP} ({SOURCE}), {resamples:,} resamples, seed {seed}; none under {FEWEST} articles."


SOURCE = "Hesterberg 2015"


def number(value: float | None, form: str = "z.2f") -> str:
    """A number, never as -0; a dash for what is undefined."""
    return UNDEFINED if value is None else format(value, form)


def ends(of: Interval | Estimate | None, form: str = "z.2f", between: str = "-") -> str:
    """Both ends of an interval; a dash where it is undefined."""
    both = of.ends if of else None
    return UNDEFINED if both is None else between.join(format(end, form) for end in both)


def probability(p: float | None) -> str:
    """A p-value in five characters."""
    return UNDEFINED if p is None else "<.001" if p < 0.001 else f"{p:.3f}"
