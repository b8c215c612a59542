"""Tables of counts as heat maps that read without colour: the number, its share of the row, and a shade of dots."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from discox_tui.text.columns import fit

if TYPE_CHECKING:
    from judges.consistency.crosstabs import Crosstab

Runs = list[tuple[str, str]]
"""Text and the name of its style, as widgets paint them."""

SHADES = ("⠂", "⠒", "⠶", "⣿")
"""Shades from a trace to nearly all of a row; none is of Unicode's "ambiguous" width."""
FROM = (0.0, 0.1, 0.25, 0.5)
"""The share of its row from which each shade is drawn."""
APART = ("minor", "minor", "major", "critical")
"""The style of each shade off the diagonal, where judge and reviewer differ."""
CELL = 11
SHADE = 3
GAP = 4
LABEL = 10
CORNER = "judge"
SHORT = {"extremely_critical": "extreme", "appropriateness": "appropr."}


def heat_map(title: str, found: Crosstab) -> list[Runs]:
    """Return a table with the judge's labels down and the reviewers' across, two lines a row; empty rows stay out.

    A line takes ``width_of(found)`` cells.
    """
    head = "".join(f"{_short(column):>{CELL}}" for column in found.columns)
    lines: list[Runs] = [[(fit(title, width_of(found)), "strong")], [(fit(CORNER, LABEL), "faint"), (head, "faint")]]
    for row, counts in zip(found.rows, found.counts, strict=True):
        total = sum(counts)
        if not total and row not in found.columns:
            continue  # nobody added an error
        upper: Runs = [(fit(_short(row), LABEL), "")]
        lower: Runs = [(fit(f"n {total:,}", LABEL), "faint")]
        for column, n in zip(found.columns, counts, strict=True):
            shade, style = _shade(n, total, alike=row == column)
            share = "" if not n else "<1%" if n / total < 0.005 else f"{n / total:.0%}"
            upper += [(f"  {shade}", style), (f"{n:>{CELL - SHADE - 2},}", "" if n else "faint")]
            lower += [(f"  {shade}", style), (f"{share:>{CELL - SHADE - 2}}", "faint")]
        lines += [upper, lower]
    return lines


def width_of(found: Crosstab) -> int:
    """The cells that a line of the heat map takes."""
    return LABEL + CELL * len(found.columns)


def beside(left: list[Runs], right: list[Runs], width: int) -> list[Runs]:
    """Put two heat maps next to one another, the left one being ``width`` cells wide."""
    blank: Runs = [(" " * width, "")]
    return [[*a, (" " * GAP, ""), *b] for a, b in zip_longest(left, right, fillvalue=blank)]


def legend() -> Iterator[str]:
    """Yield what the shades mean, for people."""
    said = ("less", *(f"from {start:.0%}".replace("%", " %") for start in FROM[1:]))
    steps = "   ".join(f"{shade * SHADE} {words}" for shade, words in zip(SHADES, said, strict=True))
    yield f"Share of the row: {steps}."
    yield "Where row and column are the same, the reviewers left it as it was."


def _shade(n: int, total: int, *, alike: bool) -> tuple[str, str]:
    if not n:
        return " " * SHADE, ""
    step = max(i for i, start in enumerate(FROM) if n / total >= start)
    return SHADES[step] * SHADE, "good" if alike else APART[step]


def _short(label: str) -> str:
    return SHORT.get(label) or _words(label)


def _words(label: str) -> str:
    return label.replace("_", " ")
