"""Pairwise consistency: whether a metric orders two systems as humans do, by every rule for ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from judges.agreement.figure import Figure, Interval
from judges.agreement.scores import ScoreRow
from judges.resampling import RESAMPLES, SEED

Rule = Literal["acc_eq", "c_index", "drop_human_ties", "drop_all_ties", "half"]
RULES: tuple[Rule, ...] = get_args(Rule)
Level = Literal["system", "segment"]
LEVELS: tuple[Level, ...] = get_args(Level)
DIRECTIONS = ("zh-en", "en-zh")
"""The directions of the four cells."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Pairs of systems by how humans and metric order them."""

    concordant: int = 0
    discordant: int = 0
    tied_human: int = 0
    tied_metric: int = 0
    tied_both: int = 0

    @property
    def n(self) -> int:
        """All pairs."""
        return self.concordant + self.discordant + self.tied_human + self.tied_metric + self.tied_both

    def rule(self, name: Rule) -> Figure:
        """The figure by one rule for ties."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The best ``acc_eq`` over one ε with metric ties |m_i - m_j| ≤ ε, and the smallest such ε (in points)."""

    figure: Figure
    epsilon: float | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One metric against the humans at one level in one direction. Each of ``figures`` carries its interval."""

    metric: str
    level: Level
    direction: str
    counts: Counts
    figures: Mapping[Rule, Figure]
    wilson: Mapping[Rule, Interval]
    calibrated: Calibrated
    spa: Figure | None
    articles: int
    systems: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PairwiseReport:
    """All cells by (metric, level, direction), and the mean of the four cells by metric and rule."""

    cells: Mapping[tuple[str, Level, str], Cell]
    averages: Mapping[str, Mapping[Rule, Figure]]
    raters: tuple[str, ...]
    rated_by_several: int
    resamples: int
    seed: int

    @property
    def average(self) -> Mapping[str, Figure]:
        """The unweighted mean of the four cells' ``acc_eq`` by metric, undefined if a cell is."""
        return {metric: by_rule["acc_eq"] for metric, by_rule in self.averages.items()}


def pairwise(
    rows: Sequence[ScoreRow], resamples: int = RESAMPLES, seed: int = SEED, only_system: str | None = None
) -> PairwiseReport:
    """Hold every metric against the humans; ``only_system``: only pairs that this system is one of."""
    raise NotImplementedError
