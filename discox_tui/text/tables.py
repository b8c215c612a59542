"""Plain-text tables for the command line: columns aligned by what a terminal shows, not by characters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.cells import cell_len

from discox_tui.text.safe import safe


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return the lines of a table. ``right``: the columns that are aligned to the right."""
    shown = [tuple(safe(cell) for cell in row) for row in (heads, *rows)]
    widths = [max(cell_len(row[i]) for row in shown) for i in range(len(heads))]
    lines = []
    for row in shown:
        cells = []
        for i, cell in enumerate(row):
            gap = " " * (widths[i] - cell_len(cell))
            cells.append(gap + cell if i in right else cell + gap)
        lines.append("  ".join(cells).rstrip())
    return lines
