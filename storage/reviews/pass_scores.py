"""Scores that came with imported passes: of every segment the one that stands, as the file gave it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from storage.base.repeats import latest
from storage.reviews.events import Event


def segment_scores(passes: Sequence[Event]) -> dict[int, float]:
    """Return the score that one person gave each segment, from 1, in imported passes on one evaluation in log order.

    On the file's own scale, higher is better. Of several of one segment the later (`storage.base.repeats`).
    """
    given: dict[int, list[tuple[float, float | None]]] = {}
    for event in passes:
        times: dict[str, float] = event.changes.get("times") or {}
        for segment, score in _scores(event):
            given.setdefault(segment, []).append((score, times.get(str(segment))))
    return {segment: each[latest([at for _, at in each])][0] for segment, each in sorted(given.items())}


def _scores(event: Event) -> Iterator[tuple[int, float]]:
    """The scores of one pass: with its rows, or aside where errors were not asked for."""
    said = [(row.get("segment", 1), row.get("kept") or {}) for row in event.changes.get("rows") or ()]
    aside = (event.changes.get("kept") or {}).get("segments")
    for each in aside if isinstance(aside, list) else ():
        match each:
            case [int(number), dict(kept)]:
                said.append((number + 1, kept))
    for segment, kept in said:
        score = kept.get("score")
        if isinstance(score, (int, float)) and not isinstance(score, bool):
            yield segment, float(score)
