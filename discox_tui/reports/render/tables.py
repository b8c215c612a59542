"""A report as tables, words and plots, whatever file it becomes; so that every file says the same of a figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from discox_tui.reports.render.layout import UNDEFINED
from judges.stats.figure import Figure, Interval
from judges.stats.intervals import BOOTSTRAP

if TYPE_CHECKING:
    from judges.stats.resampling import Estimate

MARK = "Made by discox-tui"
"""Stands near the beginning of every file that is written: only such a one is ever replaced."""

SHARE = (0.0, 1.0)
COEFFICIENT = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure in a table. ``form`` formats its value and ends; ``scale``: the range it can have, to draw it in."""

    figure: Figure
    form: str = "z.3f"
    scale: tuple[float, float] | None = None

    @property
    def value(self) -> str:
        """The value, never as -0, or the undefined."""
        return UNDEFINED if self.figure.value is None else format(self.figure.value, self.form)

    @property
    def ends(self) -> str:
        """Both ends of the interval; empty where there is none."""
        return ends_of(self.figure.interval, self.form)


Value = Shown | int | str


def of_estimate(estimate: Estimate) -> Figure:
    """A mean with the ends of its interval as the figure it is."""
    why = "" if estimate.value is None else estimate.why
    interval = Interval(estimate.low, estimate.high, BOOTSTRAP, why)
    return Figure(estimate.value, estimate.n, estimate.why if estimate.value is None else "", interval=interval)


def ends_of(interval: Interval | None, form: str = "z.3f") -> str:
    """Both ends of an interval in words; empty where it is undefined."""
    ends = interval.ends if interval else None
    if ends is None:
        return ""
    return (" to " if ends[0] < 0 or form.startswith("+") else "–").join(format(end, form) for end in ends)


def sentence(words: str) -> str:
    """Words with a full stop, so that others can follow them."""
    return words if words.endswith((".", "!", "?")) else f"{words}."


SIGNATURES_SHOWN = 5
"""Signatures under a table that stands alone; the report has them all."""


def signed(signatures: Iterable[str]) -> tuple[str, ...]:
    """What decided the scores, for the basis of a table."""
    said = list(signatures)
    more = len(said) - SIGNATURES_SHOWN
    return (
        *(f"Signature: {each}" for each in said[:SIGNATURES_SHOWN]),
        *([f"… and {more} more signatures"] if more > 0 else []),
    )


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a label and values under a header. ``notes``: of this table; ``definitions``: name → what it is.

    ``heat``: counts by two labels, the judge's in rows, to be tinted by their share of the row. ``basis``: how
    intervals were drawn and what decided the scores, for a table that stands alone.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()
    definitions: Mapping[str, str] = field(default_factory=dict)
    heat: bool = False
    basis: Sequence[str] = ()

    def remarks(self) -> list[str]:
        """Why figures or their intervals are undefined or rough, each reason once, then the notes."""
        return [sentence(each) for each in dict.fromkeys((*self._reasons(), *self.notes))]

    def _reasons(self) -> Iterator[str]:
        for row in self.rows:
            for value in row:
                if not isinstance(value, Shown):
                    continue
                figure = value.figure
                if figure.value is None:
                    yield f"{UNDEFINED} {figure.why}"
                elif figure.interval and figure.interval.why:
                    yield f"Interval: {figure.interval.why}"
                elif figure.interval and figure.interval.warning:
                    yield f"Interval of {figure.interval.warning}"


@dataclass(frozen=True, slots=True)
class Scatter:
    """Scores of the same translations, or of what ``points`` says, ``across`` and ``up``; ``limits`` of both axes where
    these are the same.
    """

    across_label: str
    up_label: str
    across: Sequence[float]
    up: Sequence[float]
    limits: tuple[float, float] | None = None
    points: str = "translations"


@dataclass(frozen=True, slots=True)
class Section:
    """What belongs together under one heading."""

    title: str
    words: Sequence[str] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Scatter] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. ``facts``: how it was made, in order; ``warnings``: what to know before relying on it."""

    title: str
    facts: Mapping[str, str]
    sections: Sequence[Section]
    warnings: Sequence[str] = ()
