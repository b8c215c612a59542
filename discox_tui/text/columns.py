"""Cutting and padding text to an exact number of cells, in a module of its own for screens and reports alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from rich.cells import cell_len, split_graphemes

from discox_tui.text.safe import display, safe

Align = Literal["left", "right", "center"]


def fit(text: str, width: int, align: Align = "left") -> str:
    """Return ``text`` shown literally, cut with … or padded to exactly ``width`` cells; no character is cut in half."""
    # Nothing seen needs more: a document of 16k characters, or a letter under 1,000 accents, costs no more than a word.
    head = display(text[: 4 * width])
    if len(head) < len(text) or cell_len(head) > width:
        end = cells = 0
        for _, stop, size in split_graphemes(head)[0]:
            if cells + size > width - 1:
                break
            end, cells = stop, cells + size
        head = head[:end] + "…" if width else ""
    blank = width - cell_len(head)
    before = {"left": 0, "right": blank, "center": blank // 2}[align]
    return " " * before + head + " " * (blank - before)


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
