"""What a score is where each finding's deduction counts only in part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judges.meta_eval.superiority_test import Claim
from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import DIMENSIONS, Dimension
from judges.ranking.records import Points

if TYPE_CHECKING:
    pass

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


@dataclass(frozen=True, slots=True)
class ByValidity:
    """How scores by validity came about, or why they did not.

    Learnt from ``n`` verdicts in so many ``articles``. ``claims``: what the gate says in each direction, where it was
    asked, by ``ratings`` of people, of which ``seen`` are what reviewers left of this judge's findings, which they saw
    before they decided. ``why``: no such scores are used; empty where they are. ``unlocated``: findings that count in
    full, as where they are was not looked up yet.
    """

    n: int
    articles: int
    claims: tuple[Claim, ...]
    why: str
    unlocated: int = 0
    ratings: int = 0
    seen: int = 0
