"""The team: how far and where everybody is, what they agree about so far; more work for one, or a note to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui import __version__
from discox_tui.core import actions
from discox_tui.reports.render.phrases import time_left
from discox_tui.screens.common.base import LOOK_AFTER, DiscoxScreen
from discox_tui.screens.common.dialogs import Ask
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.sessions.library import Refused
from discox_tui.text.counts import counted
from discox_tui.text.runs import Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from storage.base.errors import StorageError
from storage.db.connection import data_version, open_beside
from storage.reviews.lead_notes import tell
from storage.reviews.team import Colleague, Overlaps, hand_out, read_overlaps, read_team

COLUMNS = (
    Column("reviewer", "reviewer", 10, flex=1, priority=9),
    Column("assigned", "assigned", 8, align="right", priority=6),
    Column("done", "done", 6, align="right", priority=8),
    Column("left", "left", 6, align="right", priority=7),
    Column("skipped", "skipped", 7, align="right", priority=1),
    Column("unsearched", "not searched", 12, align="right", priority=3),
    Column("time", "time left", 16, priority=4),
    Column("at", "latest act, UTC", 16, priority=2),
    Column("article", "on", 12, flex=2, priority=5),
)
MOST = 10_000
"""Evaluations that are handed out at once."""


def cells(row: Colleague) -> Sequence[Cell]:
    """One reviewer as cells of the table."""
    pace = row.pace
    return (
        (row.name, "strong" if not row.told else "current"),
        f"{pace.assigned:,}",
        (f"{pace.done:,}", "good"),
        f"{pace.left:,}",
        (f"{pace.skipped:,}", "faint"),
        (f"{row.unsearched:,}", "major" if row.unsearched else "faint"),
        (time_left(pace), "faint"),
        (row.at[:16].replace("T", " ") or "–", "faint"),
        (row.article or "–", "faint"),
    )


class TeamScreen(DiscoxScreen):
    """Everybody who reviews here."""

    NAME = "team"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "TeamScreen")

    def __init__(self) -> None:
        super().__init__()
        self._version = -1
        self._overlaps: Overlaps | None = None
        self._counted = self._counting = self._outdated = False

    def content(self) -> ComposeResult:
        """A title, the table, what they agree about."""
        yield Bar(id="title")
        yield VirtualTable(
            COLUMNS,
            cells,
            key=lambda row: row.name,
            empty="Nobody reviews here yet. Distribute evaluations with:  discox plan --reviewers ana,ben",
        )
        yield TextBlock(id="together")

    @property
    def table(self) -> VirtualTable[Colleague]:
        """The table of reviewers."""
        return self.query_one(VirtualTable)

    def on_mount(self) -> None:
        """Show how far they are, and again whenever somebody has done something."""
        self.query_one("#together", TextBlock).can_focus = False
        self.set_focus(self.table)
        with self.app.safely():
            self._show()
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        with self.app.looking():
            if self.is_active and data_version(self.app.session.connection) != self._version:
                self._show()

    def _show(self) -> None:
        session = self.app.session
        self._version = data_version(session.connection)
        team = read_team(session.connection, session.reviewer)
        current = self.table.current
        self.table.set_rows(team, keep=current.name if current is not None else None)
        done, assigned = (sum(getattr(each.pace, name) for each in team) for name in ("done", "assigned"))
        left = [("discox", "title"), ("  team", "")]
        self.query_one("#title", Bar).show((left, [(f"{done:,} of {assigned:,} assigned done", "faint")]))
        self._outdated = True
        self._count()
        self._describe()

    def _count(self) -> None:
        """Compare beside the screen what they say, once at a time: of a large library it takes seconds."""
        if self._outdated and not self._counting:
            self._outdated, self._counting = False, True
            self._compare()

    @work(thread=True, group="team")
    def _compare(self) -> None:
        session = self.app.session
        try:
            with closing(open_beside(session.connection)) as connection:
                self.app.call_from_thread(self._take, read_overlaps(connection, session.reviewer))
        except (StorageError, sqlite3.Error) as error:
            self.app.call_from_thread(self._take, None, error)

    def _take(self, found: Overlaps | None, error: Exception | None = None) -> None:
        self._counting = False
        if not self.is_attached:
            return
        if error is not None:
            self.app.refuse(error, asked=False)
            return
        self._overlaps, self._counted = found, True
        self._describe()
        self._count()

    def _describe(self) -> None:
        self.query_one("#together", TextBlock).show(self._together())

    def _together(self) -> list[Runs]:
        """Lines about all of them, and about the current one."""
        found = self._overlaps
        if not self._counted:
            return [[("Counting…", "faint")]]
        if found is None:
            return [[("Something is hidden from you yet, so nothing is told here of others", "current")]]
        if not found.evaluations:
            said: Runs = [("No evaluation yet that two reviewers are done with", "faint")]
        else:
            said = [
                (f"{counted(found.evaluations, 'evaluation')} that two or more are done with: ", ""),
                (f"alike on {found.alike:,} of {found.shared:,}", "strong"),
                (" findings, points and errors of which at least two said something", ""),
            ]
        lines: list[Runs] = [said]
        if found.left:
            lines.append(
                [(f"{counted(found.left, 'disagreement')} not settled", "major"), ("; d in the queue settles them", "")]
            )
        if found.waiting:
            lines.append([(f"{counted(found.waiting, 'evaluation')} more wait for your own word first", "faint")])
        row = self.table.current
        if row is not None and row.told:
            lines.append([(f"Not seen yet by {row.name}: {row.told}", "current")])
        return lines

    def on_virtual_table_highlighted(self) -> None:
        """Show what is said of the current one."""
        self._describe()

    @property
    def _current(self) -> Colleague:
        if (row := self.table.current) is None:
            raise Refused("There is nobody here yet; discox plan distributes evaluations among reviewers")
        return row

    async def action_hand_out(self) -> None:
        """Assign more evaluations to the current reviewer."""
        name = self._current.name

        def answered(typed: str | None) -> None:
            if not typed or not typed.strip():
                return
            with self.app.safely():
                if not (typed.strip().isdecimal() and 0 < int(typed) <= MOST):
                    raise Refused(f"That is not a whole number from 1 to {MOST:,}; nothing was handed out")
                found = hand_out(self.app.session.connection, name, int(typed), __version__)
                self._show()
                less = "" if found == int(typed) else "; there are no more that nobody has"
                self.app.say(f"{counted(found, 'evaluation')} more for {name}{less}", warning=not found)

        await self.app.push_screen(Ask(f"How many more evaluations for {name}?"), answered)

    async def action_remind(self) -> None:
        """Write a note to the current reviewer."""
        row = self._current

        def answered(typed: str | None) -> None:
            if typed is None:
                return
            with self.app.safely():
                tell(self.app.session.connection, row.name, typed, self.app.session.reviewer)
                self._show()
                self.app.say(f"{row.name} is told at once, or on coming" if typed.strip() else "Nothing is told")

        await self.app.push_screen(Ask(f"A note to {row.name}"), answered)

    def action_back(self) -> None:
        """Go back to the queue."""
        self.app.pop_screen()
