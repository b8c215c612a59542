"""How numbers are written in every report: figures, ends of intervals, p-values, and what is undefined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discox_tui.reports.layout import UNDEFINED
from judges.resampling import CONFIDENCE

if TYPE_CHECKING:
    from judges.agreement.figure import Interval
    from judges.resampling import Estimate

CONFIDENT = f"{CONFIDENCE:.0%}".replace("%", " %")
"""What heads a column of intervals."""


def number(value: float | None, form: str = "z.2f") -> str:
    """A number, never as -0; a dash for what is undefined."""
    return UNDEFINED if value is None else format(value, form)


def ends(of: Interval | Estimate | None, form: str = "z.2f", between: str = "-") -> str:
    """Both ends of an interval; a dash where it is undefined."""
    both = of.ends if of else None
    return UNDEFINED if both is None else between.join(format(end, form) for end in both)


def probability(p: float | None) -> str:
    """A p-value in five characters."""
    return UNDEFINED if p is None else "<.001" if p < 0.001 else f"{p:.3f}"
