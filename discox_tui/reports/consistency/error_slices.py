"""The judge's weak spots in every report: which there is room for, what their figures are, and as a table or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from discox_tui.reports.render.csv import csv_text
from discox_tui.reports.render.model import SHARE, Beside, Column, Lines, Part, Shown, Table, Words
from judges.stats.intervals import FEW

if TYPE_CHECKING:
    from judges.consistency.error_slices import Slice, SliceOutcome
    from judges.consistency.report import ConsistencyReport

SPOT = "spot"
"""Grouping that shows every weak spot."""
MOST = 20
"""Weak spots in a report that was not asked for all of them: a library can have hundreds."""

DEFINITIONS = {
    "weak spots": "where reviewers reject or move the judge's findings most, by the judge's dimension and category and "
    "the article's domain; in the order of the interval's lower end. The first of many is there by luck too",
    "n": "the decided findings, each by every reviewer who decided it; art.: the articles they are in",
    "rejected": "not an error, or a duplicate of another",
    "moved": "an error, but of another dimension",
    "rate": "rejected and moved, of n; its interval is Wilson's over the effective number of findings, for those of "
    f"one article resemble one another. From fewer than {FEW} articles it is a rough guess",
}
"""Definitions of the columns."""


def _left_out(report: ConsistencyReport, spots: int) -> Iterator[str]:
    """Yield what is not in a table of so many spots, as sentences."""
    overall, more = report.findings.overall, len(report.weak_spots) - spots
    yield f"Left out: {overall.unsure:,} unsure and {overall.unseen:,} unseen findings."
    if more:
        yield f"… and {more:,} more: --by {SPOT} shows all."


def name_of(spot: Slice) -> str:
    """A spot in words."""
    return ", ".join((spot.dimension, spot.category.replace("_", " "), spot.domain or "(no domain)"))


def parts(report: ConsistencyReport, by: str | None, basis: Sequence[str]) -> Iterator[Part]:
    """The weak spots that are shown, with what is not among them. ``basis``: what decided the scores."""
    yield from (Words(f"{name[0].upper()}{name[1:]}: {said}.", "terminal") for name, said in DEFINITIONS.items())
    spots = report.weak_spots if by == SPOT else report.weak_spots[:MOST]
    left_out = list(_left_out(report, len(spots)))
    yield Table(
        "Weak spots",
        ("", "n", "art.", "rejected", "moved", Column("rate", "rate", Beside())),
        [
            (
                name_of(found.spot),
                found.decided,
                found.articles,
                found.rejected,
                found.moved,
                Shown(replace(found.rate, interval=of and replace(of, warning="")), scale=SHARE),
            )
            for found in spots
            for of in (found.rate.interval,)  # what its warning says for each number of articles is defined below
        ],
        left_out,
        DEFINITIONS,
        basis=basis,
        named=True,
    )
    yield Lines([] if spots else ["    nothing has been decided"])
    yield from (Words(said, "terminal", 4) for said in left_out)


def as_csv(report: ConsistencyReport) -> str:
    """Return one row for each weak spot, all of them, as spreadsheets take it."""
    return csv_text(_COLUMNS, map(_row, report.weak_spots))


_COLUMNS = (
    *("dimension", "category", "domain", "n", "articles", "rejected", "moved"),
    *("rate", "rate_low", "rate_high", "interval", "warning"),
)


def _row(found: SliceOutcome) -> dict[str, object]:
    row: dict[str, object] = {
        **found.spot._asdict(),
        "n": found.decided,
        "articles": found.articles,
        "rejected": found.rejected,
        "moved": found.moved,
        "rate": found.rate.value,
    }
    if of := found.rate.interval:
        row |= {"rate_low": of.low, "rate_high": of.high, "interval": of.method, "warning": of.warning}
    return row
