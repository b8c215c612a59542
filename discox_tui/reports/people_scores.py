"""The MQM scores that people gave systems, in every form of a report: what there is to show without a judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from discox_tui.reports.layout import note, table
from discox_tui.reports.spreadsheet import csv_text
from discox_tui.reports.tables import Section, Table
from discox_tui.text.safe import safe

if TYPE_CHECKING:
    from storage.exports.mqm_scores import SystemScore

TITLE = "MQM scores by people"
WHAT = (
    "No judge was asked here; this is what people marked. Score: the weights of a segment's errors summed, the mean "
    "over its raters, then over segments, as the WMT averages them. Lower is better; 0 is no error. n: segments. "
    "Systems over different segments do not compare."
)


def as_text(scores: Sequence[SystemScore]) -> Iterator[str]:
    """Yield the lines of a table for each direction, the best system first."""
    yield TITLE.upper()
    yield from note(WHAT)
    for direction in dict.fromkeys(score.direction for score in scores):
        rows = [
            (safe(each.system), f"{each.score:.2f}", f"{each.segments:,}")
            for each in scores
            if each.direction == direction
        ]
        yield ""
        yield from table((safe(direction) or "(no direction)", "MQM", "n"), rows)


def as_section(scores: Sequence[SystemScore]) -> Section:
    """Return a table for each direction as a section of a report, the best system first."""
    tables = [
        Table(
            safe(direction) or "(no direction)",
            ("system", "MQM", "n"),
            [(each.system, f"{each.score:.2f}", each.segments) for each in scores if each.direction == direction],
        )
        for direction in dict.fromkeys(score.direction for score in scores)
    ]
    return Section(TITLE, (WHAT,), tables)


def as_json(scores: Sequence[SystemScore]) -> list[dict[str, Any]]:
    """Return them as what `json.dumps` takes; ``score`` is ≥ 0, lower is better."""
    return [each._asdict() for each in scores]


def as_csv(scores: Sequence[SystemScore]) -> str:
    """Return a row for each system."""
    rows = [{**each._asdict(), "lower_is_better": True} for each in scores]
    return csv_text(("direction", "system", "by", "score", "segments", "lower_is_better"), rows)
