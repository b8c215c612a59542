"""The ``<v>`` and ``</v>`` that MQM files put around what is marked in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable

Stretches = tuple[tuple[int, int], ...]
"""Code points ``[start, end)`` of a text."""

_TAG = re.compile(r"</?v>")


def unmarked(text: str) -> tuple[str, Stretches | None]:
    """Return a text without ``<v>`` and ``</v>``, and what was between them; None where they do not make pairs."""
    before, _, rest = text.partition("<v>")
    inside, end, after = rest.partition("</v>")
    if end and "v>" not in after and "v>" not in before:
        start = len(before)
        return before + inside + after, ((start, start + len(inside)),)
    parts = _TAG.split(text)
    tags = _TAG.findall(text)
    marks, at = [], 0
    for number, part in enumerate(parts[:-1]):
        at += len(part)
        if tags[number] != ("</v>" if number % 2 else "<v>"):
            return "".join(parts), None
        marks.append(at)
    if len(tags) % 2:
        return "".join(parts), None
    return "".join(parts), tuple(zip(marks[::2], marks[1::2], strict=True))


def marked(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    """Return a text with ``<v>`` and ``</v>`` around stretches of it, which do not overlap."""
    parts, at = [], 0
    for start, end in sorted(stretches):
        parts += [text[at:start], "<v>", text[start:end], "</v>"]
        at = end
    return "".join((*parts, text[at:]))
