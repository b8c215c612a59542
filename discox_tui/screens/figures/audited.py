"""The audited leaderboard: what people's audits of a few articles and the judge's scores of all come to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.reports.ranking import audited as report
from discox_tui.reports.ranking.leaderboard import signatures_of
from discox_tui.reports.render.layout import UNDEFINED, number, probability
from discox_tui.reports.render.model import left_out_in_words
from discox_tui.screens.common.filtered import FilteredScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.text.runs import Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from storage.base.errors import StorageError
from storage.db.connection import open_beside

if TYPE_CHECKING:
    from judges.ranking.audit_estimate import AuditedScores, Difference, Target
    from storage.analysis.audit.leaderboard import AuditedBoard, AuditedCut
    from storage.analysis.sample_scores import Weighing

COLUMNS = (
    Column("rank", "#", 3, align="right", priority=3),
    Column("system", "system", 12, flex=3, priority=10),
    Column("judge", "judge", 6, align="right", priority=7),
    Column("audited", "audited", 7, align="right", priority=9),
    Column("half", "±", 6, align="right", priority=8),
    Column("best", "best", 6, align="right", priority=6),
    Column("gap", "gap", 6, align="right", priority=5),
    Column("gap_half", "±", 6, align="right", priority=4),
    Column("better", "better than", 11, align="right", priority=2),
    Column("open", "undecided", 9, align="right", priority=1),
)

_EXPLAINED = ("judge", "audited", "best", "gap", "±")
VERDICTS = {True: ("better than", "good"), False: ("worse than", "critical"), None: ("undecided against", "faint")}


@dataclass(frozen=True, slots=True)
class Row:
    """A system by its number, of those that a direction ranks."""

    rank: int
    system: int
    name: str
    found: AuditedScores

    @property
    def pairs(self) -> tuple[Difference, ...]:
        """The pairs that it is one of."""
        return tuple(each for each in self.found.differences if self.system in (each.first, each.second))

    def leads(self, pair: Difference) -> bool:
        """True if it scores better than the other of a pair."""
        return (pair.value > 0) == (pair.first == self.system)


class AuditedScreen(FilteredScreen):
    """One judge's audited leaderboard, computed behind the screen: numpy is loaded only now."""

    NAME = "audited"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "AuditedScreen")

    HINT = "words that article, system, direction, domain or judge contain"

    def __init__(self, words: str = "") -> None:
        super().__init__()
        self.words = words
        self._boards: list[AuditedBoard] = []
        self._shown = 0
        self._cut_shown = 0
        self._target: Target = "this-test-set"
        self._holm = False
        self._weigh: Weighing | None = None

    def content(self) -> ComposeResult:
        """A title, the table, all that is to say of the current row and of the leaderboard."""
        yield Bar(id="title")
        yield VirtualTable[Row](COLUMNS, self._cells, key=lambda row: row.name)
        yield TextBlock(id="whole")

    @property
    def table(self) -> VirtualTable[Row]:
        """The table of systems."""
        return self.query_one(VirtualTable)

    async def on_mount(self) -> None:
        """Compute over what the words leave that were typed before."""
        self.set_focus(self.table)
        self._describe()
        if self.words:
            await self.open_filter(focus=False)
        self.filtered()

    def body(self) -> VirtualTable[Row]:
        """The table has the focus."""
        return self.table

    def filtered(self) -> None:
        """Compute over what the words leave."""
        self._compute(self.words, self._target, self._holm, self._weigh)

    @work(thread=True, exclusive=True)
    def _compute(self, words: str, target: Target, holm: bool, weigh: Weighing | None) -> None:
        from storage.analysis.audit.leaderboard import audited_boards
        from storage.analysis.sample_scores import reader_of

        try:
            with closing(open_beside(self.app.session.connection)) as connection:
                boards = audited_boards(connection, words, None, target, holm=holm, read=reader_of(weigh))
        except (sqlite3.Error, StorageError) as error:
            self.app.call_from_thread(self.app.refuse, error)
            return
        self.app.call_from_thread(self._take, (words, target, holm, weigh), boards)

    def _take(self, asked: tuple[str, Target, bool, Weighing | None], boards: list[AuditedBoard]) -> None:
        """Show other leaderboards, that of the same judge if it is still there."""
        if asked != (self.words, self._target, self._holm, self._weigh):
            return  # something else was asked meanwhile
        before = self._board
        self._boards = boards
        names = [(board.audit.of.judge, board.audit.of.signature, board.audit.systems) for board in boards]
        same = before and (before.audit.of.judge, before.audit.of.signature, before.audit.systems)
        self._shown = names.index(same) if same in names else 0
        self._show()

    @property
    def _board(self) -> AuditedBoard | None:
        return self._boards[self._shown] if self._boards else None

    @property
    def _cut(self) -> AuditedCut | None:
        board = self._board
        return board.cuts[self._cut_shown % len(board.cuts)] if board and board.cuts else None

    # --- what is shown ---

    def _show(self) -> None:
        board, cut = self._board, self._cut
        found = cut.found if cut else None
        refused = bool(board and board.audit.refusal)
        empty = "Refused: the judge was shown audited articles." if refused else "No audited article counts yet."
        self.table.empty = empty if board else report.NOTHING
        self.table.set_rows(
            [Row(rank, each, board.audit.systems[each], found) for rank, each in enumerate(report.in_order(found), 1)]
            if board and found
            else []
        )
        self._describe()
        self._show_whole()

    def _cells(self, row: Row) -> Sequence[Cell]:
        found, board = row.found, self._boards[self._shown]
        score, gap = found.scores[row.system], found.gaps[row.system] if found.gaps else None
        decided = [each for each in row.pairs if board.is_decided(each)]
        return (
            (str(row.rank), "faint"),
            row.name,
            number(found.judge[row.system]),
            (number(score.value), "strong"),
            (number(score.half_width), "faint"),
            number(found.best[row.system] if found.best else None),
            number(gap.value if gap else None, "+z.2f"),
            (number(gap.half_width if gap else None), "faint"),
            (UNDEFINED if found.why else f"{sum(map(row.leads, decided)):,}", "good"),
            (UNDEFINED if found.why else f"{sum(not each.why for each in row.pairs) - len(decided):,}", "faint"),
        )

    def _describe(self) -> None:
        board, cut = self._board, self._cut
        left = [("discox", "title"), ("  audited leaderboard", "")]
        left.append((f" by {board.audit.of.judge}" if board else "", ""))
        if self.words:
            left.append((f" with “{self.words}”", "faint"))
        right = [((cut.cut.direction or "all together") if cut else "", "current")]
        chosen = [self._target.replace("-", " "), *(["Holm"] if self._holm else [])]
        chosen += [f"by {self._weigh.replace('-', ' ')}"] if self._weigh else []
        right.append((f"   {', '.join(chosen)}", ""))
        if len(self._boards) > 1:
            right.append((f"   judge {self._shown + 1} of {len(self._boards)}", "faint"))
        self.query_one("#title", Bar).show((left, right))

    def _show_whole(self) -> None:
        board, cut = self._board, self._cut
        paragraphs: list[Runs] = list(self._whole(board, cut)) if board else []
        self.query_one("#whole", TextBlock).show(paragraphs)

    def _whole(self, board: AuditedBoard, cut: AuditedCut | None) -> Iterator[Runs]:
        """Return the share audited and cautions, then the current system's pairs, then all the rest."""
        if cut:
            yield from self._of_cut(board, cut)
        yield from ([(f"! {said}", "major")] for said in report.shortcomings_of(board))
        yield [(" ".join(report.basis_of(board)), "faint")]
        yield from ([(f"{name}: {report.COLUMNS[name]}.", "faint")] for name in _EXPLAINED)
        yield from ([(f"Signature: {each}", "faint")] for each in signatures_of(board.audit.of))

    def _of_cut(self, board: AuditedBoard, cut: AuditedCut) -> Iterator[Runs]:
        yield [(report.audits_of(cut), "strong")]
        yield from ([(f"! {warning}", "major")] for warning in report.warnings_of(cut))
        if cut.cut.left_out:
            yield [(f"Left out: {left_out_in_words(cut.cut.left_out)}.", "")]
        if row := self.table.current:
            yield from self._pairs(board, cut, row)
        kinds = report.kinds_in_words(board, cut, self.app.system_kinds)
        for said in (report.undecided_of(board, cut), report.expectations_of(cut), kinds):
            if said:
                yield [(said, "")]

    def _pairs(self, board: AuditedBoard, cut: AuditedCut, row: Row) -> Iterator[Runs]:
        """The system against each of the others, the decided ones first."""
        systems = board.audit.systems
        for pair in sorted(row.pairs, key=lambda each: (not board.is_decided(each), -abs(each.value))):
            leads, decided = row.leads(pair), board.is_decided(pair)
            word, style = VERDICTS[leads if decided else None] if not pair.why else ("against", "faint")
            other = systems[pair.second if pair.first == row.system else pair.first]
            difference = pair.value if pair.first == row.system else -pair.value
            said = f": {number(difference, '+z.2f')} ± {number(pair.half_width)}"
            p = f", p {probability(pair.p)}, Holm {probability(pair.holm)}"
            needs = "" if decided or pair.why else f", {report.decides(board.needed(cut, pair))} it"
            yield [(row.name, "strong"), (f" {word} ", style), (other, "strong"), (said, ""), (p + needs, "faint")]

    @on(VirtualTable.Highlighted)
    def _highlighted(self) -> None:
        self._show_whole()

    # --- what keys do ---

    def action_next_cut(self) -> None:
        """Show the next direction, or all together."""
        if self._board and len(self._board.cuts) < 2:
            self.app.say("There is one table only.")
            return
        self._cut_shown += 1
        self._show()

    def action_next_judge(self) -> None:
        """Show the audited leaderboard by the next judge."""
        if len(self._boards) < 2:
            self.app.say("There is one judge only.")
            return
        self._shown = (self._shown + 1) % len(self._boards)
        self._show()

    def action_next_target(self) -> None:
        """Estimate the means over new documents, or over these very articles again."""
        self._target = "new-documents" if self._target == "this-test-set" else "this-test-set"
        self.filtered()

    def action_together(self) -> None:
        """Decide all pairs together, or each for itself again."""
        self._holm = not self._holm
        self.filtered()

    def action_next_weighing(self) -> None:
        """Weigh errors by votes, samples by their ranks, or neither again."""
        from storage.analysis.sample_scores import after

        self._weigh = after(self._weigh)
        self.filtered()
