"""Reasons that many rows have, each once: rows of a kind go together, though names and numbers in them differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Generic, TypeVar

T = TypeVar("T")

_VARIES = re.compile(r"“[^”]*”|[-+]?\d[\d.,]*")
"""The parts of a message that are of one row: what is quoted, and numbers."""
_FEW = 5
"""Reasons of one kind that are said one by one; more of them differ by names that are not quoted."""
_APART = 3
"""Rows of which each is said by itself where what is said differs, so that no value goes unsaid."""
_LINES = 8
"""Lines that a reason names."""


@dataclass(slots=True)
class Group(Generic[T]):
    """Things that have one reason, in their order. ``message``: of the first; ``alike``: whether of all."""

    message: str
    things: list[T] = field(default_factory=list)
    alike: bool = True


def grouped(things: Iterable[T], kind: Callable[[T], Hashable], message: Callable[[T], str]) -> list[Group[T]]:
    """Return things of one reason together, reasons as they came first, and what has one in its order.

    ``kind``: by which they are told apart in any case; of one kind with many reasons all go together. A few of which
    something else is said each are left apart.
    """
    kinds: dict[Hashable, dict[str, list[tuple[int, T]]]] = {}
    for place, thing in enumerate(things):
        shape = _VARIES.sub("…", message(thing))
        kinds.setdefault(kind(thing), {}).setdefault(shape, []).append((place, thing))
    found: list[tuple[int, Group[T]]] = []
    for shapes in kinds.values():
        together = (
            [sorted(chain(*shapes.values()), key=lambda each: each[0])] if len(shapes) > _FEW else shapes.values()
        )
        for same in together:
            said = message(same[0][1])
            alike = all(message(thing) == said for _, thing in same)
            if alike or len(same) > _APART:
                found.append((same[0][0], Group(said, [thing for _, thing in same], alike)))
            else:
                found += ((place, Group(message(thing), [thing])) for place, thing in same)
    return [group for _, group in sorted(found, key=lambda each: each[0])]


def first_lines(lines: Iterable[int]) -> str:
    """Return the first of the lines that something is on, in brackets; empty where none is known."""
    known = [line for line in dict.fromkeys(lines) if line]
    if not known:
        return ""
    shown = ", ".join(f"{line:,}" for line in known[:_LINES]) + (" …" if len(known) > _LINES else "")
    return f" (line {shown})" if len(known) == 1 else f" (lines {shown})"
