"""Scatter points of a metric against humans, one for each translation; apart, since only charts need them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from judges.meta_eval.pairwise import DIRECTIONS
from judges.meta_eval.score_table import ScoreRow, sheets

Points = tuple[list[float], list[float]]
"""The metric's scores, and the humans' means of the same translations."""


def points(rows: Iterable[ScoreRow]) -> dict[str, dict[str, Points]]:
    """Return by metric and direction (the paper's two first) the translations that have both scores."""
    import numpy as np

    found: dict[str, dict[str, Points]] = {}
    by_direction = sheets(rows)
    others = sorted(by_direction.keys() - set(DIRECTIONS))
    for direction in (*DIRECTIONS, *others):
        if direction not in by_direction:
            continue
        sheet = by_direction[direction]
        for metric, scores in sheet.metrics.items():
            both = np.isfinite(scores) & np.isfinite(sheet.human)
            if both.any():
                found.setdefault(metric, {})[direction] = scores[both].tolist(), sheet.human[both].tolist()
    return found


def equal_limits(groups: Mapping[str, Points], top: float) -> tuple[float, float] | None:
    """The ends that both axes can share: 0 to ``top`` where every score lies there and is not all of another scale."""
    values = [value for pair in groups.values() for axis in pair for value in axis]
    across = max((value for pair in groups.values() for value in pair[0]), default=0.0)
    return (0.0, top) if values and min(values) >= 0 and max(values) <= top and across > 1 else None
