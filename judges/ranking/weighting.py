"""What a score is where each finding's deduction counts only in part."""

from __future__ import annotations

import math
from collections.abc import Mapping

from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import DIMENSIONS, Dimension
from judges.ranking.records import Points

_DIGITS = 9
"""Decimals that are kept, those in which scores are added up."""


def points_left(deductions: Mapping[Dimension, float], weights: Weights = METRIC_S) -> Points:
    """Return total and points by dimension after deductions (in points, ≥ 0), each dimension floored at 0 once.

    With whole deductions it is `judges.metric_s.scoring.score`. None for a dimension that is not judged.
    """
    left = {
        dimension: max(0.0, weights.maxima[dimension] - deductions.get(dimension, 0.0)) for dimension in weights.judged
    }
    accuracy, fluency, appropriateness = (
        round(left[dimension], _DIGITS) if dimension in left else None for dimension in DIMENSIONS
    )
    return round(math.fsum(left.values()), _DIGITS), accuracy, fluency, appropriateness
