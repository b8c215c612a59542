"""Metrics against people segment by segment as a section of a report; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from discox_tui.reports.pairwise.words import reasons
from discox_tui.reports.render.layout import number
from discox_tui.reports.render.model import (
    COEFFICIENT,
    SHARE,
    Column,
    Heading,
    Label,
    Part,
    Section,
    Shown,
    Table,
    Value,
    Words,
)
from judges.meta_eval.rated_segments import GROUPINGS, SEGMENT_MEASURES

if TYPE_CHECKING:
    from judges.meta_eval.rated_segments import Grouping, SegmentCell
    from storage.analysis.pairwise import Pairwise

WHAT = (
    "Segments as people rated them: a segment's human score is the mean over its raters. Of judges, named with "
    "“(errors)”, a segment has minus the MQM weights of the errors in it. Each figure is the unweighted mean over the "
    "groups in which it is defined (groups: of how many); n: the pairs within these groups, of r the scores."
)
GROUPED: dict[Grouping, str] = {
    "item": "by segment, over systems",
    "none": "all scores in one group",
    "sys": "by system, over segments",
}
"""Meaning of each grouping, by its name in mt-metrics-eval."""
CALIBRATED = "acc_eq_calibrated"
NAMES = {
    "acc_eq": "acc_eq",
    "c_index": "c_index",
    "acc_eq_calibrated": "calibrated",
    "kendall_tau_b": "tau-b",
    "pearson": "r",
}
DEFINITIONS = {
    "acc_eq": "(concordant + tied in both) / all pairs of a group",
    "c_index": "(concordant + ½ tied by the metric) / pairs that people do not tie",
    "calibrated": "acc_eq where metric scores at most ε apart are tied, by the ε that makes its mean best; it flatters",
    "tau-b": "Kendall's of each group",
    "r": "Pearson's of each group",
}
"""Definitions of the figures."""


def segment_section(found: Pairwise, basis: Sequence[str]) -> Section:
    """Return a table for each rating, direction and grouping, with what is left out."""
    parts: list[Part] = [WHAT]
    for label, cells in found.segments.items():
        for direction in dict.fromkeys(cell.direction for cell in cells.values()):
            own = [cell for cell in cells.values() if cell.direction == direction]
            of = ", ".join(filter(None, (direction or "(no direction)", label)))
            parts.append(Heading(f"SEGMENTS: {of}"))
            parts += [_table(grouping, own, of, basis) for grouping in GROUPINGS]
            figures = [figure for cell in own for by_name in cell.figures.values() for figure in by_name.values()]
            parts += [Words(why, "terminal", 4) for why in reasons(figures)]
            parts += [Words(f"Left out, {of}: {said}.", indent=4) for said in _left_out(own)]
    for why, n in found.segments_left_out.items():
        parts.append(Words(f"Left out: {n:,} {why}."))
    return Section("Rated segments", parts)


def _table(grouping: Grouping, cells: Sequence[SegmentCell], of: str, basis: Sequence[str]) -> Table:
    rows: list[Sequence[Value]] = []
    for cell in cells:
        figures = [cell.figures[grouping][name] for name in SEGMENT_MEASURES]
        scales = [COEFFICIENT if name in ("kendall_tau_b", "pearson") else SHARE for name in SEGMENT_MEASURES]
        epsilon = number(cell.epsilons[grouping], ".4g")
        rows += [
            (cell.metric, *(Shown(figure, scale=scale) for figure, scale in zip(figures, scales, strict=True))),
            (Label("pairs (r: scores)", "  n"), *(figure.n for figure in figures)),
            (Label("groups", "  groups"), *("{:,}/{:,}".format(*(figure.groups or (0, 0))) for figure in figures)),
            (Label("smallest ε", "  smallest ε"), *(epsilon if n == CALIBRATED else "" for n in SEGMENT_MEASURES)),
        ]
    return Table(
        f"Rated segments, {of}, {GROUPED[grouping]} (grouping {grouping})",
        (
            Column("metric", f"by {grouping}" if grouping != "none" else "no groups"),
            *(Column(name, name) for name in NAMES.values()),
        ),
        rows,
        definitions=DEFINITIONS,
        basis=basis,
        named=True,
        beneath=True,
    )


def _left_out(cells: Sequence[SegmentCell]) -> Iterator[str]:
    for cell in cells:
        said = "; ".join(f"{why} ({n:,})" for why, n in cell.left_out.items() if n)
        if said:
            yield f"{cell.metric}: {said}"
