"""The acceptance model held against verdicts: how well one can tell beforehand which findings stand."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from discox_tui.reports.render.layout import UNDEFINED
from discox_tui.reports.render.model import (
    SHARE,
    Beside,
    Column,
    Entries,
    Lines,
    Medium,
    Part,
    Scatter,
    Section,
    Shown,
    Table,
    Value,
    Words,
)
from discox_tui.reports.render.phrases import learnt_from
from judges.consistency.error_slices import EFFECTIVE

if TYPE_CHECKING:
    from judges.ranking.acceptance_model import Bin, ModelAssessment

ABOUT = (
    "How likely a finding stands, from its dimension and severity, whether its quote was found, its vote share, and "
    "how many findings its evaluation has. Each is held against the verdict on it, by what was learnt without its "
    "article. For ordering a review: no finding is to be left out for a low probability, which makes scores worse."
)
AUC = (
    "Of two findings, one that stands and one that does not, how often the first has the higher probability; ties "
    "count half. .5: nothing can be told"
)
BINS = (
    "Calibration: findings in the order of what was predicted; of those alike, the mean of it and the share that stood"
)
WIDTH = 26
"""Cells of the drawn axis from 0 to 1."""


def drawn(of: Bin) -> str:
    """Predicted and seen on an axis from 0 to 1."""
    both = of.stood.interval.ends if of.stood.interval else None
    value, predicted = of.stood.value or 0.0, of.predicted.value or 0.0
    low, high, at, told = (round(share * (WIDTH - 1)) for share in (*(both or (value, value)), value, predicted))
    cells = ["╌" if low <= place <= high else " " for place in range(WIDTH)]
    cells[told] = "+"
    cells[at] = "|"
    return "".join(cells)


def validity_section(found: ModelAssessment, intervals: str = "") -> Section:
    """Return the section of a report. ``intervals``: how they are made."""
    left = [f"{n:,} left out: {reason}." for reason, n in found.left_out.items()]
    said = (
        f"Nothing can be said: {found.why}." if found.why else f"{learnt_from(found.n, found.articles).capitalize()}."
    )
    basis = (intervals, said)
    parts: list[Part] = [
        ABOUT,
        Words(said, "page"),
        *([Words(f"{AUC}.", "page")] if found.bins else []),
        *(Words(each, "page") for each in left),
        Lines([""]),
    ]
    if found.why:
        parts.append(Words(f"{UNDEFINED} nothing can be said: {found.why}.", "terminal"))
    else:
        parts += [Words(said, "terminal"), Entries("", (found.auc,), {"AUC": AUC}, on="terminal")]
        if found.auc.interval and found.auc.interval.caution:
            parts.append(Words(f"Interval: {found.auc.interval.caution}", "terminal", 4))
        about_bins = f"{BINS} (|), with its 95 % interval (╌, {EFFECTIVE}); + is what was predicted."
        parts += [Lines([""]), Words(about_bins, "terminal")]
    auc = [("out of article", Shown(found.auc, scale=SHARE), found.auc.n)]
    parts.append(Table("AUC", ("", "AUC", "n"), auc, left, basis=basis, on="page"))
    rows: list[Sequence[Value]] = [
        (Shown(each.predicted).value, Shown(each.stood, scale=SHARE), each.stood.n, drawn(each)) for each in found.bins
    ]
    stood, scale = Column("stood", "stood", Beside("95 %")), Column(None, f"0{'1'.rjust(WIDTH - 1)}")
    notes = [f"{BINS}. Intervals: {EFFECTIVE}."]
    on: Medium = "terminal" if not found.bins else "page" if found.why else "both"
    if found.bins or not found.why:
        parts.append(Table("Calibration", ("predicted", stood, "n", scale), rows, notes, basis=basis, on=on, gap=False))
    if found.bins:
        predicted, seen = (
            [of(each).value or 0.0 for each in found.bins] for of in (attrgetter("predicted"), attrgetter("stood"))
        )
        parts.append(Scatter("predicted probability", "share that stood", predicted, seen, SHARE, "groups of findings"))
    return Section("Validity", [*parts, *(Words(f"! {each}", "terminal") for each in left)])
