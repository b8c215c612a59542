"""The leaderboard: systems in order by one judge, table by table, with intervals and who is truly ahead of whom."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.widget import Widget

from discox_tui.core import actions
from discox_tui.reports.consistency.annotators import people_section
from discox_tui.reports.published import metric_section, systems_section
from discox_tui.reports.ranking import leaderboard as report
from discox_tui.reports.render.layout import CONFIDENT, UNDEFINED, ends, number, probability
from discox_tui.reports.render.model import left_out_in_words
from discox_tui.reports.render.text import as_text
from discox_tui.screens.common.filtered import FilteredScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.text.runs import Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from judges.metric_s.published import PublishedSystem, published
from judges.model import DIMENSIONS
from judges.ranking.ranking import CUTS, Cut, Ranking, SystemRank
from judges.stats.resampling import Estimate
from storage.base.errors import StorageError
from storage.db.connection import open_beside

if TYPE_CHECKING:
    from storage.analysis.judge_scores import Leaderboard
    from storage.analysis.sample_scores import Weighing
    from storage.exports.mqm_scores import SystemScore

DRAWN_FROM = 116
"""Columns from which intervals are drawn too."""
WIDEST = 48
"""Cells that a drawn interval's axis takes at the most."""
TABLES: dict[Cut, str] = {
    "total": "total",
    "dimension": "dimensions",
    "direction": "directions",
    "academic": "academic and not",
    "domain": "domains",
    "subdomain": "subdomains",
    "kind": "kinds of system",
}
_NONE: dict[Cut, str] = {
    "kind": "No system here is of a known kind: say it in the settings, under [kinds].",
    "academic": "No domain here is known to be academic or not.",
}
"""Words for a table without rows."""
VERDICTS = {
    "ahead": "Ahead of",
    "behind": "Behind",
    "not_shown": "Not shown to be ahead of",
    "undefined": "Undefined against",
}
VERDICT_STYLES = {"ahead": "good", "behind": "critical", "not_shown": "faint", "undefined": "faint"}


@dataclass(frozen=True, slots=True)
class Row:
    """A system in one ranking, and its published row; one of the two may be missing."""

    ranking: Ranking
    standing: SystemRank | None
    published: PublishedSystem | None

    @property
    def system(self) -> str:
        """The system, by our name for it if we have one."""
        return self.standing.system if self.standing else self.published.system if self.published else ""

    @property
    def published_mean(self) -> float | None:
        """The published mean of the same kind of article."""
        return self.published.figure(self.ranking.cut, self.ranking.label) if self.published else None


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis on a row of cells for means, as shares of the points that can be reached."""

    low: float
    high: float
    width: int

    def draw(self, estimate: Estimate, maximum: int) -> str:
        """An interval as a dashed line with a stroke at the mean; a stroke alone where there is no interval."""
        if estimate.value is None or not maximum:
            return ""
        ends = (estimate.value, estimate.value) if estimate.low is None else (estimate.low, estimate.high)
        start, stop, mean = (self._cell((x or 0.0) / maximum) for x in (*ends, estimate.value))
        line = " " * start + "╌" * (stop - start + 1)
        return f"{line[:mean]}|{line[mean + 1 :]}"

    def _cell(self, share: float) -> int:
        return round((share - self.low) / (self.high - self.low) * (self.width - 1))


def _left_out(estimate: Estimate) -> str:
    """Reasons for which things are not in a mean, behind what is said of it."""
    return f"; left out: {left_out_in_words(estimate.left_out)}" if estimate.left_out else ""


class LeaderboardScreen(FilteredScreen):
    """One judge's rankings, computed behind the screen: numpy is loaded only now."""

    NAME = "leaderboard"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "LeaderboardScreen")

    HINT = "words that article, system, direction, domain or judge contain"

    def __init__(self) -> None:
        super().__init__()
        self._boards: list[Leaderboard] = []
        self._people: list[SystemScore] = []
        self._shown = 0
        self._cut: Cut = "total"
        self._beside = self._all_published = False
        self._weigh: Weighing | None = None
        self._axis = Axis(0, 1, 0)

    def content(self) -> ComposeResult:
        """A title, the table, the whole of the current row."""
        yield Bar(id="title")
        yield VirtualTable[Row]((), self._cells, key=lambda row: (row.ranking.cut, row.ranking.label, row.system))
        yield TextBlock(id="whole")

    @property
    def table(self) -> VirtualTable[Row]:
        """The table of systems."""
        return self.query_one(VirtualTable)

    def on_mount(self) -> None:
        """Compute over everything."""
        self.set_focus(self.table)
        self._describe()
        self.filtered()

    def on_resize(self, event: Resize) -> None:
        """There may be room to draw intervals."""
        super().on_resize(event)
        self._show()

    def body(self) -> Widget:
        """The table has the focus, where there is one."""
        return self.query_one("#whole") if self._people or self._all_published else self.table

    def filtered(self) -> None:
        """Compute over what the words leave."""
        self._compute(self.words, self._weigh)

    @work(thread=True, exclusive=True)
    def _compute(self, words: str, weigh: Weighing | None) -> None:
        from storage.analysis.judge_scores import leaderboards
        from storage.analysis.sample_scores import reader_of
        from storage.exports import mqm_scores

        try:
            with closing(open_beside(self.app.session.connection)) as connection:
                read = reader_of(weigh)
                boards = leaderboards(connection, words, cuts=CUTS, read=read, kinds=self.app.system_kinds)
                people = [] if boards else mqm_scores.people_scores(connection, words)
        except (sqlite3.Error, StorageError) as error:
            self.app.call_from_thread(self.app.refuse, error)
            return
        self.app.call_from_thread(self._take, (words, weigh), boards, people)

    def _take(self, asked: tuple[str, Weighing | None], boards: list[Leaderboard], people: list[SystemScore]) -> None:
        """Show other leaderboards, that of the same judge if it is still there; without any, people's scores."""
        if asked != (self.words, self._weigh):
            return  # something else was asked meanwhile
        before = self._board
        self._boards, self._people = boards, people
        self.set_class(bool(people) or self._all_published, "-people")
        names = [(board.of.judge, board.of.signature) for board in boards]
        same = before and (before.of.judge, before.of.signature)
        self._shown = names.index(same) if same in names else 0
        self.table.empty = "No evaluation contains these words." if self.words else "Nothing has been judged."
        self._show()

    @property
    def _board(self) -> Leaderboard | None:
        return self._boards[self._shown] if self._boards else None

    # --- what is shown ---

    def _show(self) -> None:
        board = self._board
        rows = list(self._rows(board)) if board else []
        shares = [
            value / board.maximum(row.ranking.part)
            for row in rows
            if board and row.standing
            for value in (row.standing.mean.value, row.standing.mean.low, row.standing.mean.high)
            if value is not None
        ]
        low, high = min(shares, default=0.0), max(shares, default=1.0)
        room = min(WIDEST, self.size.width - DRAWN_FROM + 16)
        self._axis = Axis(low, high if high > low else low + 1, room if self.size.width >= DRAWN_FROM else 0)
        if board and not rows:
            self.table.empty = _NONE.get(self._cut, "Nothing is there to rank.")
        self.table.set_columns(list(self._columns()))
        self.table.set_rows(rows)
        self._describe()
        self._show_whole()

    def _rows(self, board: Leaderboard) -> Iterator[Row]:
        for ranking in board.rankings:
            if ranking.cut != self._cut:
                continue
            found = [published().find(standing.system) for standing in ranking.standings]
            yield from (Row(ranking, standing, row) for standing, row in zip(ranking.standings, found, strict=True))
            if self._beside:
                rest = (Row(ranking, None, row) for row in published().systems if row not in found)
                yield from (row for row in rest if row.published_mean is not None)

    def _columns(self) -> Iterator[Column]:
        if self._cut != "total":
            yield Column("label", self._cut, 9, flex=2, priority=11)
        yield Column("rank", "#", 3, align="right", priority=6)
        yield Column("system", "system", 12, flex=3, priority=10)
        yield Column("n", "n", 5, align="right", priority=8)
        yield Column("mean", "mean", 6, align="right", priority=9)
        yield Column("interval", CONFIDENT, 10, align="right", priority=7)
        if self._axis.width:
            ends = f"{self._axis.low:.0%}", f"{self._axis.high:.0%} of the points"
            yield Column(
                "drawn", f"{ends[0]}{ends[1]:>{self._axis.width - len(ends[0])}}", self._axis.width, priority=1
            )
        yield Column("verdict", "vs next", 9, priority=5)
        if self._cut == "total":
            for part in DIMENSIONS:
                yield Column(part, f"{part[:3]}.", 5, align="right", priority=4)
        yield Column("human", "human", 6, align="right", priority=3)
        if self._beside:
            yield Column("published", "publ.", 6, align="right", priority=8)
        yield Column("left", "left out", 8, align="right", priority=2)

    def _cells(self, row: Row) -> Sequence[Cell]:
        standing, ranking = row.standing, row.ranking
        label = [(ranking.label or "(none)", "faint")] if self._cut != "total" else []
        beside = [(number(row.published_mean), "faint")] if self._beside else []
        parts = len(DIMENSIONS) if self._cut == "total" else 0
        drawn = bool(self._axis.width)
        if standing is None:
            blank = [""] * (4 + drawn + parts + 1)
            return *label, "", (row.system, "faint"), *blank, *beside, ""
        lead = standing.lead
        left = sum(n for _, n in standing.mean.left_out)
        maximum = self._boards[self._shown].maximum(ranking.part)
        return (
            *label,
            (number(standing.rank, "d"), "faint"),
            row.system,
            f"{standing.mean.n:,}",
            (number(standing.mean.value), "strong"),
            (ends(standing.mean, "z.1f"), "faint"),
            *([(self._axis.draw(standing.mean, maximum), "current")] if drawn else []),
            (report.VERDICTS[lead.verdict], VERDICT_STYLES[lead.verdict]) if lead else "",
            *(number(standing.parts[part].value) for part in DIMENSIONS[:parts]),
            number(standing.human.human.value if standing.human else None),
            *beside,
            (f"{left:,}", "major" if left else "faint"),
        )

    def _describe(self) -> None:
        board = self._board
        left = [("discox", "title"), ("  leaderboard", ""), (f" by {board.of.judge}" if board else "", "")]
        if self.words:
            left.append((f" with “{self.words}”", "faint"))
        right = [(TABLES[self._cut], "current")]
        if len(self._boards) > 1:
            right.append((f"   judge {self._shown + 1} of {len(self._boards)}", "faint"))
        self.query_one("#title", Bar).show((left, right))

    def _show_whole(self) -> None:
        row, board = self.table.current, self._board
        paragraphs: list[Runs] = list(self._whole(row, board)) if row and board else []
        if self._all_published:
            text = as_text([systems_section(), metric_section()])
            paragraphs = [[(line, "")] for line in text.splitlines()]
        elif self._people:
            paragraphs = [[(line, "")] for line in as_text([people_section(self._people)]).splitlines()]
        self.query_one("#whole", TextBlock).show(paragraphs)

    def _whole(self, row: Row, board: Leaderboard) -> Iterator[Runs]:
        """All that is to say of one system in one ranking, then of the ranking, then of the leaderboard."""
        ranking, standing = row.ranking, row.standing
        yield [(row.system, "strong"), (f"  {report.title_of(ranking, board.maximum(ranking.part))}", "faint")]
        if standing:
            yield from self._standing(standing)
        if self._beside:
            what = f"Published: {number(row.published_mean)}, by {published().judge} over its own articles."
            yield [(what, "" if row.published else "faint")]
            if (mean := published().averages.get(ranking.label)) and ranking.cut == "direction":
                yield [(f"Published mean of the systems, {ranking.label}: {mean['total']:.2f}.", "faint")]
        yield from ([(f"! {warning}", "major")] for warning in report.warnings_of(ranking))
        yield [(" ".join(report.basis_of(board)), "faint")]
        yield [(report.RULE, "faint")]
        for signature in report.signatures_of(board.of):
            yield [(f"Signature: {signature}", "faint")]

    def _standing(self, standing: SystemRank) -> Iterator[Runs]:
        mean, counts, lead, human = standing.mean, standing.counts, standing.lead, standing.human
        yield [
            (f"Mean {number(mean.value)}", ""),
            (f" over n = {mean.n:,}, {CONFIDENT} {ends(mean, 'z.1f', ' to ')}", "faint"),
            (f" ({mean.why})" if mean.why else "", "faint"),
        ]
        yield [
            (f"{counts.scored:,} scored, {counts.instruction_failed:,} failed the check (0 points)", ""),
            (_left_out(mean), ""),
        ]
        if lead:
            difference = lead.difference
            yield [
                (f"{VERDICTS[lead.verdict]} {lead.other}", VERDICT_STYLES[lead.verdict]),
                (f": {number(difference.value, '+z.2f')} over n = {difference.n:,} in common", ""),
                (f", {CONFIDENT} {ends(difference, '+z.1f', ' to ')}", ""),
                (f", p {probability(lead.p)}{' exact' if lead.exact else ''}", ""),
                (f", Holm {probability(lead.p_holm)}", ""),
                (f" ({difference.why})" if difference.why else "", "faint"),
                (_left_out(difference), "faint"),
            ]
        if human:
            means = f"human {number(human.human.value)}, judge {number(human.judge.value)}"
            yield [
                (f"Reviewed {human.human.n:,}: {means}", ""),
                (f" there; human's {CONFIDENT} {ends(human.human, 'z.1f', ' to ')}", "faint"),
                (_left_out(human.human), "faint"),
            ]
        else:
            yield [(f"Reviewed 0: human {UNDEFINED}", "faint")]

    @on(VirtualTable.Highlighted)
    def _highlighted(self) -> None:
        self._show_whole()

    # --- what keys do ---

    def action_next_cut(self) -> None:
        """Show the next table."""
        self._cut = CUTS[(CUTS.index(self._cut) + 1) % len(CUTS)]
        self._start()

    def action_next_judge(self) -> None:
        """Show the leaderboard by the next judge."""
        if len(self._boards) < 2:
            self.app.say("There is one judge only.")
            return
        self._shown = (self._shown + 1) % len(self._boards)
        self._start()

    def action_next_weighing(self) -> None:
        """Weigh errors by votes, samples by their ranks, or neither again."""
        from storage.analysis.sample_scores import after

        self._weigh = after(self._weigh)
        self.filtered()

    def action_published(self) -> None:
        """Show the published figures, or no more."""
        self._beside = not self._beside
        self._show()

    def action_all_published(self) -> None:
        """Show every published figure in place of the leaderboard, or no more."""
        self._all_published = not self._all_published
        self.set_class(bool(self._people) or self._all_published, "-people")
        self._show()
        self.set_focus(self.body())

    def action_audited(self) -> None:
        """Show what people's audits make of it."""
        from discox_tui.screens.figures.audited import AuditedScreen

        self.app.push_screen(AuditedScreen(self.words))

    def _start(self) -> None:
        self.table.move_cursor(0)
        self._show()
        self.table.move_cursor(0)
