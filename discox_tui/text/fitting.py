"""Cutting and padding text to an exact number of cells."""

from __future__ import annotations

from typing import Literal

from rich.cells import cell_len, split_graphemes

from discox_tui.text.safe import display

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
