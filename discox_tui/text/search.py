"""Search of a text as people search, alone as screens and reports share it: upper and lower case alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def occurrences(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield where ``wanted`` occurs in ``text``, upper and lower case alike; offsets are of ``text`` itself."""
    if not wanted:
        return
    # Lower-casing one character at a time keeps offsets where a letter's lower case is longer than itself.
    folded = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    sought = "".join(low if len(low := c.lower()) == 1 else c for c in wanted)
    start = folded.find(sought)
    while start >= 0:
        yield start, start + len(sought)
        start = folded.find(sought, start + len(sought))
