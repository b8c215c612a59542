"""Paragraphs of the consistency screen's parts; no widget here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from discox_tui.reports.pairwise import side_by_side, words
from discox_tui.reports.render import heat_maps
from discox_tui.reports.render.layout import CONFIDENT, UNDEFINED, ends, intervals_in_words, number
from discox_tui.text.columns import fit
from discox_tui.text.runs import Run, Runs
from discox_tui.widgets.virtual_table import Cell, Column
from judges.meta_eval.pair_counts import headlining
from judges.stats.intervals import no_width

if TYPE_CHECKING:
    from judges.consistency.detection import FindingCounts
    from judges.consistency.error_slices import SliceOutcome, Tallies
    from judges.meta_eval.pair_counts import Rule
    from judges.stats.figure import Figure, Interval
    from storage.analysis.pairwise import Pairwise

LABEL = 20
"""Cells for the name of a cell of the four."""
DRAWN_FROM = 92
"""Columns from which intervals are drawn too."""
PERSON = 24
"""Cells for who is held against whom."""
TAKEN = 2 + LABEL + 7 + 2 + 10 + 8 + 10 + 3 + 2
"""Columns beside what is drawn."""
WIDEST = 41
WILSON = "*"
"""Marks an interval that is Wilson's."""
AXIS = "╌"

NOTHING_REVIEWED = (
    "Nothing has been reviewed yet.",
    "Open an evaluation (esc, then enter), decide its errors and mark it as done (f).",
    "What you decide is counted here at once.",
)
NOTHING_FOUND = ("Nothing that was reviewed contains these words.", "Esc clears the filter.")
NO_SCORES = (
    "No translation has both a metric's score and a human one yet, so there is nothing to hold against one another.",
    "A review gives a score once it is done (f) with every error decided; discox import scores FILE brings in others.",
)


def kindly(sentences: Sequence[str]) -> list[Runs]:
    """Say in a few lines why there is nothing to show."""
    first, *others = sentences
    return [[(first, "strong")], [("", "")], *([(sentence, "faint")] for sentence in others)]


# The headline


def headline(found: Pairwise, rule: Rule, counts: FindingCounts, width: int) -> Iterator[Runs]:
    """The mean of the four cells and the cells of every metric by one rule for ties, then what they rest on."""
    report = found.report
    yield from _precision(counts)
    if not found.rated and not found.people.pairs:
        yield [("", "")]
        yield from kindly(NO_SCORES)
        yield from among_people(found, headlining(rule)[0])
        yield from ([(f"! {warning}", "major")] for warning in words.warnings_of(found))
        return
    room = min(WIDEST, width - TAKEN) if width >= DRAWN_FROM else 0
    rule, other = headlining(rule)
    shown: list[Figure] = []
    for metric in words.metrics_of(found):
        cells = [report.cells[metric, *cell] for cell in words.cells_of(report, metric)]
        means = report.averages[metric]
        yield [("", "")]
        yield [(metric, "title")]
        head = f"  {rule:<{LABEL}}{'value':>7}  {CONFIDENT:<10}{'n':>8}{other:>10}"
        yield [(head, "faint"), *_scale(room)]
        yield _cell(words.mean_name(report), means[rule], means[other], None, "strong", room)
        for cell in cells:
            name = _name(cell.level, cell.direction)
            yield _cell(name, cell.figures[rule], cell.figures[other], cell.wilson[rule], "", room)
        shown += [means[rule], means[other], *(cell.figures[rule] for cell in cells)]
    yield from among_people(found, rule)
    yield [("", "")]
    yield from ([(f"! {warning}", "major")] for warning in words.warnings_of(found))
    yield from ([(why, "faint")] for why in words.reasons(shown))
    yield [
        ("Of two systems, does the metric rank the one higher that humans do? ", ""),
        ("Segment: pairs within an article. System: pairs of means over the articles scored by both. ", "faint"),
        (f"{rule}: {words.DEFINITIONS[rule]}. {other}: {words.DEFINITIONS[other]}.", "faint"),
    ]
    if found.people.pairs:
        yield [(side_by_side.ceiling(found), "faint")]
    yield [
        (f"Humans: {', '.join(report.raters)}. {words.gold_note(found)} ", "faint"),
        (f"Intervals: {intervals_in_words(report.resamples, report.seed)} ", "faint"),
        (f"{WILSON}: where every resample gives the same, Wilson's, as if pairs were independent.", "faint"),
    ]
    for reason, n in found.table.left_out.items():
        yield [(f"Left out: {n:,}, {reason}.", "faint")]
    for metric in words.metrics_of(found):
        for signature in words.signatures_of(metric, found.table.metrics.get(metric)):
            yield [(f"Signature: {signature}", "faint")]


def among_people(found: Pairwise, rule: Rule) -> Iterator[Runs]:
    """Ratings that stand apart, each by itself, and people among themselves by one rule, the metrics against the same
    ratings beneath; intervals are in part 5. Where there are none, why.
    """
    note = side_by_side.people_note(found)
    if found.people.why:
        yield [("", "")]
        yield [(note, "")]
        if not found.by_rating:
            return
    title = "People among themselves" if not found.by_rating else "Each rating by itself"
    for four in side_by_side.four_cells(found, rule):
        heads = [f"{level[:3]} {direction.replace('-', '→')}" for level, direction in four.cells]
        heads += ["mean"] if four.mean else []
        yield [("", "")]
        yield [
            (f"{title:<{PERSON}}", "title"),
            *((f"{fit(head, 9).strip():>10}", "faint") for head in heads),
        ]
        for row in (*four.by_rating, *(() if found.people.why else four.people)):
            style = "" if row.label.startswith(" ") else "strong"
            yield [
                (f"  {fit(row.label, PERSON - 2)}", style),
                *((f"{number(f.value, 'z.3f'):>10}", style) for f in row.figures),
            ]
            if row.kind == "range":
                yield [
                    (f"  {'  range':<{PERSON - 2}}", "faint"),
                    *((f"{ends(each, 'z.2f'):>10}", "faint") for each in row.beneath),
                ]
    if note and not found.people.why:
        yield [(note, "faint")]
    yield [("  Their n and intervals: 5, figures.", "faint")]


def _precision(counts: FindingCounts) -> Iterator[Runs]:
    decided = counts.right + counts.wrong
    if not counts.found:
        yield [("Findings: none has been reviewed.", "faint")]
        return
    share = f"{counts.right / decided:.3f}" if decided else UNDEFINED
    yield [
        ("Precision of the findings ", ""),
        (share, "strong"),
        (f"  {counts.right:,} right, {counts.wrong:,} wrong, {counts.unsure + counts.unseen:,} open", "faint"),
    ]


def _name(level: str, direction: str) -> str:
    return f"{level:<8}{direction.replace('-', '→')}"


def _cell(name: str, figure: Figure, other: Figure, wilson: Interval | None, style: str, room: int) -> Runs:
    """A figure with its interval, n, and the same by the other rule; Wilson's where the interval has no width."""
    instead = no_width(figure.interval)
    shown = wilson if instead else figure.interval
    ends = shown.ends if shown else None
    interval = f"{ends[0]:.2f}-{ends[1]:.2f}{WILSON * instead}" if ends else UNDEFINED
    runs = [
        (f"  {fit(name, LABEL)}", style),
        (f"{number(figure.value, 'z.3f'):>7}", style or "strong"),
        (f"  {interval:<10}", ""),
        (f"{figure.n:>8,}", "faint"),
        (f"{number(other.value, 'z.3f'):>10}", ""),
    ]
    return [*runs, ("   ", ""), *drawn(figure.value, ends, room)] if room else runs


def _scale(room: int) -> Runs:
    return [("   0" + "1".rjust(room - 1), "faint")] if room else []


def drawn(value: float | None, ends: tuple[float, float] | None, width: int) -> Runs:
    """A share with its interval on an axis from 0 to 1, as a dashed line with a stroke at the value."""
    if value is None:
        return []
    low, high, at = (round(share * (width - 1)) for share in (*(ends or (value, value)), value))
    line = " " * low + AXIS * (high - low + 1) + " " * (width - 1 - high)
    return [(line[:at], "faint"), ("|", "current"), (line[at + 1 :], "faint")]


# The heat maps


def maps(tallies: Tallies, width: int) -> list[Runs]:
    """The tables of attribution and severity, beside one another where there is room."""
    attribution = heat_maps.heat_map("Attribution: whose errors they are", tallies.attribution())
    severity = heat_maps.heat_map("Severity of accuracy errors", tallies.severity())
    left, right = heat_maps.width_of(tallies.attribution()), heat_maps.width_of(tallies.severity())
    legend: list[Runs] = [[(line, "faint")] for line in heat_maps.legend()]
    if left + heat_maps.GAP + right <= width:
        return [*heat_maps.beside(attribution, severity, left), [("", "")], *legend]
    return [*attribution, [("", "")], *severity, [("", "")], *legend]


# The weak spots


def spot_columns(width: int) -> tuple[Column, ...]:
    """The columns of the table of weak spots."""
    columns = (
        Column("dimension", "dimension", 15, priority=7),
        Column("category", "category", 13, flex=2, priority=8),
        Column("domain", "domain", 8, flex=1, priority=6),
        Column("decided", "n", 5, align="right", priority=5),
        Column("rejected", "rejected", 8, align="right", priority=4),
        Column("moved", "moved", 5, align="right", priority=3),
        Column("rate", "rate", 5, align="right", priority=9),
        Column("interval", CONFIDENT, 9, align="right", priority=10),
    )
    return (*columns, Column("drawn", "0" + "100 %".rjust(20), 21, priority=1)) if width >= DRAWN_FROM + 20 else columns


def spot_cells(found: SliceOutcome) -> Sequence[Cell]:
    """One weak spot as cells; the last is for the drawn interval, should there be room."""
    ends = found.rate.interval.ends if found.rate.interval else None
    low = ends[0] if ends else 0.0
    line = "".join(text for text, _ in drawn(found.rate.value, ends, 21))
    return (
        found.spot.dimension,
        found.spot.category.replace("_", " "),
        (found.spot.domain or "(none)", "faint"),
        f"{found.decided:,}",
        (f"{found.rejected:,}", "plain" if found.rejected else "faint"),
        (f"{found.moved:,}", "plain" if found.moved else "faint"),
        (_percent(found.rate.value), "strong"),
        (
            f"{_percent(ends[0], '')}-{_percent(ends[1])}" if ends else UNDEFINED,
            "critical" if low >= 0.5 else "major" if low >= 0.25 else "plain",
        ),
        (line, "current"),
    )


def _percent(share: float | None, sign: str = " %") -> str:
    return UNDEFINED if share is None else f"{share * 100:.0f}{sign}"


SPOTS = (
    "Enter lists the findings. n: decided, by each reviewer. Rejected: no error, or a duplicate. Moved: to another "
    "dimension. Rate: either; surest first."
)


# The plot


SIGNS = {"▪": "current", "✕": "major", "▴": "good", "∙": "violated"}
"""The sign of each direction in a plot, and its style; every one is one cell wide in every terminal."""


def signs_of(groups: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> list[Run]:
    """Return the sign of each direction, with the number of translations."""
    runs: list[Run] = []
    for (sign, style), (direction, pair) in zip(cycle(SIGNS.items()), groups.items(), strict=False):
        runs += [(f"{sign} ", style), (direction.replace("-", "→"), ""), (f" {len(pair[0]):,}   ", "faint")]
    return runs
