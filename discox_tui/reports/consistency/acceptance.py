"""How well one can tell beforehand which findings stand: as text for a terminal of 80 columns, and as a section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.render.entries import ends, entry, value_of
from discox_tui.reports.render.layout import UNDEFINED, note, table
from discox_tui.reports.render.phrases import learnt_from
from discox_tui.reports.render.tables import SHARE, Scatter, Section, Shown, Table, Value
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


def as_text(found: ModelAssessment) -> str:
    """Return the lines of the section, at most 80 cells wide, ending in a line feed."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: ModelAssessment) -> Iterator[str]:
    yield "VALIDITY"
    yield from note(ABOUT)
    yield ""
    if found.why:
        yield from note(f"{UNDEFINED} nothing can be said: {found.why}.")
    else:
        yield from note(f"{learnt_from(found.n, found.articles).capitalize()}.")
        yield from entry("AUC", found.auc, f"{AUC}.")
        if found.auc.interval and found.auc.interval.warning:
            yield from note(f"Intervals of {found.auc.interval.warning}", indent=4)
        yield ""
        yield from note(f"{BINS} (|), with its 95 % interval (╌, {EFFECTIVE}); + is what was predicted.")
        yield from table(
            ("predicted", "stood", "95 %", "n", "0" + "1".rjust(WIDTH - 1)),
            [
                (
                    value_of(each.predicted),
                    value_of(each.stood),
                    ends(each.stood),
                    f"{each.stood.n:,}",
                    drawn(each),
                )
                for each in found.bins
            ],
        )
    for reason, n in found.left_out.items():
        yield from note(f"! {n:,} left out: {reason}.")


def drawn(of: Bin) -> str:
    """Predicted and seen on an axis from 0 to 1."""
    both = of.stood.interval.ends if of.stood.interval else None
    value, predicted = of.stood.value or 0.0, of.predicted.value or 0.0
    low, high, at, told = (round(share * (WIDTH - 1)) for share in (*(both or (value, value)), value, predicted))
    cells = ["╌" if low <= place <= high else " " for place in range(WIDTH)]
    cells[told] = "+"
    cells[at] = "|"
    return "".join(cells)


def validity_section(found: ModelAssessment, intervals: str) -> Section:
    """Return the section for a report that becomes a file."""
    left = [f"{n:,} left out: {reason}." for reason, n in found.left_out.items()]
    said = (
        f"Nothing can be said: {found.why}." if found.why else f"{learnt_from(found.n, found.articles).capitalize()}."
    )
    basis = (intervals, said)
    auc = Table(
        "AUC", ("", "AUC", "n"), [("out of article", Shown(found.auc, scale=SHARE), found.auc.n)], left, basis=basis
    )
    if not found.bins:
        return Section("Validity", [ABOUT, said, *left], [auc])
    rows: list[Sequence[Value]] = [
        (value_of(each.predicted), Shown(each.stood, scale=SHARE), each.stood.n) for each in found.bins
    ]
    bins = Table("Calibration", ("predicted", "stood", "n"), rows, [f"{BINS}. Intervals: {EFFECTIVE}."], basis=basis)
    plot = Scatter(
        "predicted probability",
        "share that stood",
        [each.predicted.value or 0.0 for each in found.bins],
        [each.stood.value or 0.0 for each in found.bins],
        SHARE,
        "groups of findings",
    )
    return Section("Validity", [ABOUT, said, f"{AUC}.", *left], [auc, bins], [plot])
