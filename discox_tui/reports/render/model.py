"""Report model: sections of words, tables and plots; a terminal and pages show them with small differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from discox_tui.reports.render.layout import CONFIDENT, UNDEFINED
from judges.stats.figure import Figure, Interval, LeftOut
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


@dataclass(frozen=True, slots=True)
class Ends:
    """An interval alone in a table; None is blank. ``form`` formats its ends on a page."""

    interval: Interval | None
    form: str = "z.3f"


@dataclass(frozen=True, slots=True)
class Label:
    """A row's label that differs on a page and on a terminal."""

    page: str
    terminal: str


PageValue = Shown | int | str
Value = PageValue | Ends | Label


def of_estimate(estimate: Estimate) -> Figure:
    """A mean with the ends of its interval as the figure it is."""
    why = "" if estimate.value is None else estimate.why
    interval = Interval(estimate.low, estimate.high, BOOTSTRAP, why)
    own = estimate.why if estimate.value is None else ""
    return Figure(estimate.value, estimate.n, own, interval=interval, left_out=estimate.left_out)


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
    """Return what decided the scores, for the basis of a table."""
    said = list(signatures)
    more = len(said) - SIGNATURES_SHOWN
    return (
        *(f"Signature: {each}" for each in said[:SIGNATURES_SHOWN]),
        *([f"… and {more} more signatures"] if more > 0 else []),
    )


Medium = Literal["both", "terminal", "page"]
"""Media that show a part: pages are HTML, Markdown and LaTeX."""


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph. On a terminal it is indented by so many cells; without ``wrap`` it is a line of its own."""

    text: str
    on: Medium = "both"
    indent: int = 2
    wrap: bool = True


@dataclass(frozen=True, slots=True)
class Heading:
    """A further heading within a section, on a terminal."""

    text: str
    on: Medium = "terminal"


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a terminal that are laid out already."""

    lines: Sequence[str]
    on: Medium = "terminal"


@dataclass(frozen=True, slots=True)
class Beside:
    """A terminal's column of intervals beside their figures; ``between``: the ends, else "-", or " to " below 0."""

    head: str = CONFIDENT
    form: str = "z.2f"
    between: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column that differs on a page (``head``) and on a terminal (``short``); None: it is not there.

    ``ends``: intervals beside their figures on a terminal.
    """

    head: str | None
    short: str | None
    ends: Beside | None = None


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table as pages show it. The fields are a `Table`'s."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[PageValue]]
    notes: Sequence[str]
    definitions: Mapping[str, str]
    heat: bool
    basis: Sequence[str]

    def remarks(self) -> list[str]:
        """Return why figures or their intervals are undefined or rough, each reason once, what they leave out, then the
        notes.
        """
        return [sentence(each) for each in dict.fromkeys((*self._reasons(), *left_out_of(self.rows), *self.notes))]

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


def left_out_of(rows: Sequence[Sequence[Value]]) -> list[str]:
    """Return what the figures of a table leave out, with the reasons: once where that is the same for all of them."""
    found: dict[str, list[str]] = {}
    shown = 0
    for row in rows:
        figures = [value.figure for value in row if isinstance(value, Shown)]
        shown += bool(figures)
        label = row[0].page if isinstance(row[0], Label) else str(row[0])
        for said in dict.fromkeys(left_out_in_words(figure.left_out) for figure in figures if figure.left_out):
            found.setdefault(said, []).append(label)
    return [
        f"Left out: {said}" if len(labels) == shown else f"Left out of {', '.join(dict.fromkeys(labels))}: {said}"
        for said, labels in found.items()
    ]


def left_out_in_words(left_out: LeftOut) -> str:
    """Return what a figure leaves out, each reason with its number; empty where that is nothing."""
    return "; ".join(f"{why} ({n:,})" for why, n in left_out)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a label and values under a header. ``notes``: of this table; ``definitions``: name → what it is.

    ``heat``: counts by two labels, the judge's in rows, to be tinted by their share of the row. ``basis``: how
    intervals were drawn and what decided the scores, for a table that stands alone. All these are for pages.
    On a terminal a header that is a string has intervals beside where there are any. ``named``: a label that is too
    long stands above its row; ``beneath``: intervals stand beneath their figures; ``gap``: a blank line before it,
    unless a heading is.
    """

    title: str
    header: Sequence[str | Column]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()
    definitions: Mapping[str, str] = field(default_factory=dict)
    heat: bool = False
    basis: Sequence[str] = ()
    on: Medium = "both"
    named: bool = False
    beneath: bool = False
    gap: bool = True

    def on_page(self) -> PageTable:
        """The table as pages show it, without columns of a terminal alone."""
        heads = [each.head if isinstance(each, Column) else each for each in self.header]
        rows = [
            [_on_page(value) for value, head in zip(row, heads, strict=True) if head is not None] for row in self.rows
        ]
        return PageTable(
            self.title,
            [head for head in heads if head is not None],
            rows,
            notes=self.notes,
            definitions=self.definitions,
            heat=self.heat,
            basis=self.basis,
        )


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
class Entries:
    """Figures one beneath another, in the order of their definitions; ``more``: what else a terminal says of some.

    ``notes``, ``scale`` and ``basis``: of the table that a page has of them.
    """

    title: str
    figures: Sequence[Figure]
    definitions: Mapping[str, str]
    more: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    scale: tuple[float, float] = SHARE
    basis: Sequence[str] = ()
    on: Medium = "both"

    def table(self) -> Table:
        """The figures as a page shows them."""
        named = zip(self.definitions, self.figures, strict=True)
        rows = [(name, Shown(figure, scale=self.scale), figure.n) for name, figure in named]
        return Table(self.title, ("", "figure", "n"), rows, self.notes, self.definitions, basis=self.basis)


Part = str | Words | Heading | Lines | Table | Entries | Scatter


@dataclass(frozen=True, slots=True)
class Section:
    """Parts that belong together under one heading, in their order. A page has words, then tables, then plots.

    ``heading``: a terminal's, None: the title; empty: none. A terminal shows no plots.
    """

    title: str
    parts: Sequence[Part]
    heading: str | None = None
    on: Medium = "both"

    @property
    def words(self) -> list[str]:
        """The paragraphs of a page."""
        found = [Words(part) if isinstance(part, str) else part for part in self.parts]
        return [part.text for part in found if isinstance(part, Words) and part.on != "terminal"]

    @property
    def tables(self) -> list[PageTable]:
        """The tables of a page."""
        found = [part.table() if isinstance(part, Entries) and part.on != "terminal" else part for part in self.parts]
        return [part.on_page() for part in found if isinstance(part, Table) and part.on != "terminal"]

    @property
    def plots(self) -> list[Scatter]:
        """The plots of a page."""
        return [part for part in self.parts if isinstance(part, Scatter)]


def nothing(why: str) -> Section:
    """Return the one section of a terminal where there is nothing to report; pages have a warning."""
    return Section("", [Lines([why])], heading="", on="terminal")


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. ``facts``: how it was made, in order; ``warnings``: what to know before relying on it."""

    title: str
    facts: Mapping[str, str]
    sections: Sequence[Section]
    warnings: Sequence[str] = ()

    @property
    def pages(self) -> list[Section]:
        """The sections that pages show."""
        return [section for section in self.sections if section.on != "terminal"]


def _on_page(value: Value) -> PageValue:
    match value:
        case Label():
            return value.page
        case Ends():
            return ends_of(value.interval, value.form) or (UNDEFINED if value.interval else "")
    return value
