"""The benchmark that is being built: its candidates, how far each is, and how the quotas stand."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from discox_tui.core import actions
from discox_tui.screens.benchmark import rows
from discox_tui.screens.benchmark.rows import BLOCKS, DECIDED, OUTCOMES, STATES, WARNS
from discox_tui.screens.common.base import LOOK_AFTER
from discox_tui.screens.common.filtered import FilteredScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.sessions.benchmark import BuildSession, Checked, Looked, check_behind
from discox_tui.sessions.library import Refused
from discox_tui.text.counts import counted
from discox_tui.text.runs import Run, Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from storage.base.errors import StorageError
from storage.benchmark.candidates import Candidate

if TYPE_CHECKING:
    from textual.events import Resize

    from judges.benchmark.selection.selection import QuotaState
    from storage.benchmark.checks import Near

COLUMNS = (
    Column("key", "candidate", 12, flex=2, priority=9),
    Column("direction", "dir", 5, priority=4),
    Column("domain", "domain", 8, flex=1, priority=3),
    Column("length", "length", 8, align="right", priority=2),
    Column("points", "points", 6, align="right", priority=5),
    Column("checks", "checks", 8, priority=6),
    Column("filter", "filter", 12, priority=7),
    Column("decision", "decision", 12, priority=8),
    Column("people", "who", 10, flex=1, priority=1),
)
ORDERS = ("position", *(column.key for column in COLUMNS))
"""Columns that ``sort`` goes through; every column's title can be clicked."""
NOTHING = "No candidate yet. Bring articles in with:  discox build add FILE… --direction zh-en"
PENDING = "…"


class BuildScreen(FilteredScreen):
    """All candidates of the library."""

    NAME = "build"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "BuildScreen")
    HINT = "words that name, domain, direction, decision or person contain"

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        """``state``: filter, order and choice as ``place`` gave them."""
        super().__init__()
        state = state or {}
        self.words = str(state.get("words", ""))
        self._order = state["order"] if state.get("order") in ORDERS else "position"
        self._descending = bool(state.get("descending"))
        self._mine = bool(state.get("mine"))
        self._balance: bool | None = state.get("balance")
        self._at = state.get("key")
        self._candidate = state.get("candidate")
        self._asked = 0

    def content(self) -> ComposeResult:
        """A title, the candidates, the quotas beside them."""
        yield Bar(id="title")
        with Horizontal(id="middle"):
            yield VirtualTable[str](COLUMNS, self._cells, id="candidates")
            yield TextBlock(id="balance")
        yield Bar(id="rule")
        yield Bar(id="progress")

    @property
    def building(self) -> BuildSession:
        """The candidates as this person may see them."""
        return self.app.building

    @property
    def table(self) -> VirtualTable[str]:
        """The names of the candidates that are shown."""
        return self.query_one("#candidates", VirtualTable)

    def body(self) -> VirtualTable[str]:
        """The table has the focus."""
        return self.table

    async def on_mount(self) -> None:
        """Show the candidates, and open the one that was open."""
        if self.words:
            await self.open_filter(focus=False)
        with self.app.looking():
            self.building.changed_elsewhere()
        self.filtered()
        self.set_focus(self.table)
        self.set_interval(LOOK_AFTER, self._look_elsewhere)
        self._move_to(self._at)
        if self._candidate in self.building.candidates:
            self.call_after_refresh(self.open, self._candidate)

    def _move_to(self, key: object) -> None:
        """Make a candidate the current one, if it is among those shown."""
        self.table.move_cursor(next((i for i, row in enumerate(self.table.rows) if row == key), self.table.cursor or 0))

    def _look_elsewhere(self) -> None:
        """Show what another program has brought in or decided meanwhile."""
        with self.app.looking():
            if self.is_active and self.building.changed_elsewhere():
                self.filtered()

    def on_screen_resume(self) -> None:
        """Something may have been decided on a candidate."""
        with self.app.safely():
            if self.is_mounted:
                self.filtered()

    def on_resize(self, event: Resize) -> None:
        """Let quotas and candidates take turns on a narrow terminal."""
        super().on_resize(event)
        self._show_balance()

    def place(self) -> dict[str, Any]:
        """Return what to remember of this screen."""
        state = {"words": self.words, "order": self._order, "descending": self._descending, "mine": self._mine}
        return {"build": state | {"key": self.table.current, "balance": self._balance}}

    # --- showing ---

    def filtered(self) -> None:
        """Show what the words leave, in the order that was chosen."""
        wanted = self.words.casefold().split()
        found = [key for key in self.building.candidates if self._is_wanted(key, wanted)]
        if self._order != "position":
            found.sort(key=self._sorting, reverse=self._descending)
        elif self._descending:
            found.reverse()
        self.table.sort = None if self._order == "position" else (self._order, self._descending)
        if self.words:
            self.table.empty = "No candidate contains these words. Esc clears the filter."
        else:
            self.table.empty = "Nothing is left for you to decide on." if self._mine else NOTHING
        self.table.set_rows(found)
        self._describe()
        self._show_balance()
        self._check()

    def _is_wanted(self, key: str, words: Sequence[str]) -> bool:
        now = self.building.candidates[key]
        if self._mine and self.building.person not in now.waiting:
            return False
        if not words:
            return True
        state = self._state(key)
        facts = (key, now.domain, now.subdomain, now.direction, now.origin, now.licence, now.outcome, state)
        held = " ".join((*facts, *now.assigned, *now.waiting)).casefold()
        return all(word in held for word in words)

    def _state(self, key: str) -> str:
        outcome = self.building.outcomes.get(key)
        return outcome.state if outcome else ""

    def _sorting(self, key: str) -> Any:
        now, checked = self.building.candidates[key], self.building.checked(key)
        match self._order:
            case "length":
                return checked.length if checked else -1
            case "points":
                return len(now.version.points)
            case "checks":
                return _counts(checked)
            case "filter":
                return self._state(key)
            case "decision":
                return now.outcome
            case "people":
                return now.waiting, tuple(now.decisions)
            case field:
                return getattr(now, field)

    def _cells(self, key: str) -> Sequence[Cell]:
        now, checked = self.building.candidates[key], self.building.checked(key)
        outcome = self.building.outcomes.get(key)
        blocks, warns = _counts(checked)
        if checked is None:
            checks: Cell = (PENDING, "faint")
        elif blocks:
            checks = (f"{BLOCKS}{blocks} {WARNS}{warns}" if warns else f"{BLOCKS}{blocks}", "critical")
        else:
            checks = (f"{WARNS}{warns}", "major") if warns else ("✓", "good")
        version = f" v{now.version.number}" if now.version.number > 1 else ""
        return (
            f"{key}{version}",
            (now.direction.replace("-", "→"), "faint"),
            (now.domain, "faint"),
            (f"{checked.length:,}" if checked else PENDING, "faint"),
            (str(len(now.version.points)), "plain" if now.version.points else "major"),
            checks,
            STATES[outcome.state] if outcome else (self._no_outcome(now), "faint"),
            self._decision(now),
            (self._people(now), "faint"),
        )

    def _no_outcome(self, now: Candidate) -> str:
        if not now.was_filtered:
            return "–"
        return "hidden" if self.building.hidden else "∙ new text"

    def _decision(self, now: Candidate) -> Cell:
        """Return the decision; while others have yet to decide, one's own."""
        own = now.decisions.get(self.building.person)
        if now.outcome == "undecided" and own is not None:
            return f"you {DECIDED[own.decision]}", "current"
        words, style = OUTCOMES[now.outcome]
        return (f"{words} {WARNS}", "major") if now.exemptions and now.outcome == "accepted" else (words, style)

    def _people(self, now: Candidate) -> str:
        names = ["you" if name == self.building.person else name for name in now.waiting]
        if names:
            return f"waits for {', '.join(names)}"
        return ", ".join("you" if name == self.building.person else name for name in now.decisions)

    def _describe(self) -> None:
        left: list[Run] = [("discox", "title"), ("  build", "strong")]
        if self._mine:
            left.append(("  yours to decide", ""))
        if self.words:
            left.append((f"  with “{self.words}”", "faint"))
        every = self.building.candidates.values()
        behind = len(self.building.unchecked(list(self.building.candidates)))
        right: list[Run] = [(f"checking {behind:,} more   ", "current")] if behind else []
        self.query_one("#title", Bar).show((left, [*right, (f"reviewer {self.building.person}", "faint")]))
        counts = {name: sum(1 for each in every if each.outcome == name) for name in OUTCOMES}
        shown: list[Run] = [(counted(len(every), "candidate"), "strong")]
        shown += [(f"   {OUTCOMES[name][0][:1]} {n:,} {name}", OUTCOMES[name][1]) for name, n in counts.items() if n]
        exempt = sum(1 for each in every if each.exemptions and each.outcome == "accepted")
        shown += [(f"   {WARNS} {exempt:,} of them without a condition", "major")] if exempt else []
        self.query_one("#progress", Bar).show((shown, ()))
        rules = list(self.building.filter_words.values())
        earlier = f", and {len(rules) - 1} before" if len(rules) > 1 else ""
        rule: Runs = [("filter  ", "faint"), (f"{rules[-1]}{earlier}", "")] if rules else [("no filter yet", "faint")]
        self.query_one("#rule", Bar).show((rule, ()))

    # --- the quotas ---

    @property
    def _with_balance(self) -> bool:
        """True if the quotas are shown: as was chosen, else where there is room."""
        return self.size.width >= 140 if self._balance is None else self._balance

    def _show_balance(self) -> None:
        if not self.is_mounted or not self.query("#balance"):
            return
        self.set_class(self._with_balance, "-balance")
        if self._with_balance:
            self.query_one("#balance", TextBlock).show(self.balance_words())

    def balance_words(self) -> list[Runs]:
        """Return the state of the quotas, in words and figures."""
        from discox_tui.text.columns import fit

        stands = self.building.balance()
        if not stands.quotas and not stands.outside.accepted and not stands.outside.open:
            return [[("Quotas", "strong")], [("There are none yet.", "faint")]]
        head = f"{fit('Quotas', 22)}{'accepted':>10}{'open':>6}"
        lines: list[Runs] = [[(head, "strong")]]
        for each in stands.quotas:
            quota = each.quota
            name = " ".join(filter(None, (quota.direction.replace("-", "→"), quota.subdomain or quota.domain))) or "any"
            lines.append(_quota(fit(name, 22), each))
        if stands.outside.accepted or stands.outside.open:
            name = "in no quota" if stands.quotas else "no quotas yet"
            lines.append([(f"{fit(name, 22)}{stands.outside.accepted:>10}{stands.outside.open:>6}", "faint")])
        wanted = sum(each.quota.wanted for each in stands.quotas)
        if wanted:
            accepted, lacking = (
                sum(each.accepted for each in stands.quotas),
                sum(each.lacking for each in stands.quotas),
            )
            lines.append([("", "")])
            lines.append([(f"{accepted} of {wanted} accepted", "strong")])
            if lacking:
                lines.append([(f"{counted(lacking, 'candidate')} to be looked for", "major")])
        if stands.distance.value is not None:
            lines.append(
                [(f"{stands.distance.value:.0%} of what is accepted would have to be of another kind", "faint")]
            )
        if (share := self.building.target()) is not None:
            every = self.building.candidates.values()
            accepted = sum(each.outcome == "accepted" for each in every)
            reached = f"{accepted} of {counted(len(every), 'candidate')} accepted ({accepted / len(every):.0%})"
            lines.append([(f"{reached}; {share:.0%} should come in", "")])
        if not stands.quotas:
            lines.append([("discox build quotas discox takes DiscoX's own distribution", "faint")])
        return lines

    def action_balance(self) -> None:
        """Show the quotas beside the candidates, or no more."""
        self._balance = not self._with_balance
        self._show_balance()
        self.set_focus(self.query_one("#balance") if self.has_class("-narrow") and self._balance else self.table)

    # --- checks, behind the screen ---

    def _check(self) -> None:
        """Have what is not checked yet checked in another thread, what is in sight first."""
        keys = list(self.table.rows)
        top = self.table.scroll_offset.y
        chosen = self.building.unchecked([*keys[top:], *keys[:top]])
        seen = {each.key for each in chosen}
        chosen += self.building.unchecked([key for key in self.building.candidates if key not in seen])
        chosen = list({each.key: each for each in chosen}.values())
        if chosen or (self.building.candidates and self.building.needs_twins):
            self._asked += 1
            self._check_behind(self._asked, chosen)

    @work(thread=True, exclusive=True, group="checks")
    def _check_behind(self, asked: int, chosen: Sequence[Candidate]) -> None:
        def here(act: Callable[[], object]) -> None:
            if self.is_attached:
                self.app.call_from_thread(self._taking, act)

        def give(made: Mapping[Looked, Checked]) -> None:
            here(partial(self.building.take, made))

        def give_twins(found: Sequence[Near], of: frozenset[str]) -> None:
            here(partial(self.building.take_twins, found, of))

        try:
            check_behind(
                self.building,
                chosen,
                self.building.needs_twins,
                lambda: asked == self._asked and self.is_attached,
                give,
                give_twins,
            )
        except (sqlite3.Error, StorageError) as error:
            here(partial(self.app.refuse, error))

    def _taking(self, act: Callable[[], object]) -> None:
        """Take what was made behind the screen, and show it: the rows and their order stay."""
        act()
        if self.is_attached and len(self.query("#title, #candidates, #progress")) == 3:  # else it is being left
            self.table.set_rows(self.table.rows)
            self._describe()

    # --- opening ---

    def action_open(self) -> None:
        """Open the current candidate."""
        if self.table.current is not None:
            self.open(self.table.current)

    @on(VirtualTable.Selected, "#candidates")
    def _selected(self, message: VirtualTable.Selected) -> None:
        self.open(self.table.rows[message.index])

    def open(self, key: str) -> None:
        """Open a candidate."""
        from discox_tui.screens.benchmark.candidate import CandidateScreen

        self._move_to(key)
        self.app.push_screen(CandidateScreen(key, self.table.rows))

    # --- filter and order ---

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._sort_by(ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)], descending=False)

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._sort_by(self._order, descending=not self._descending)

    @on(VirtualTable.HeaderClicked, "#candidates")
    def _header(self, message: VirtualTable.HeaderClicked) -> None:
        self._sort_by(message.key, descending=self._order == message.key and not self._descending)

    def _sort_by(self, order: str, *, descending: bool) -> None:
        self._order, self._descending = order, descending
        self.filtered()

    def action_assigned(self) -> None:
        """Show what this person is to decide on, or everything."""
        if not self._mine and not any(
            self.building.person in each.waiting for each in self.building.candidates.values()
        ):
            raise Refused("Nothing waits for you; discox build assign distributes candidates among people")
        self._mine = not self._mine
        self.filtered()

    # --- undoing ---

    def action_undo(self) -> None:
        """Take back the latest act, on whichever candidate."""
        self._step(rows.undo(self.building))

    def action_redo(self) -> None:
        """Do again what was taken back last."""
        self._step(rows.redo(self.building))

    def _step(self, done: rows.Done) -> None:
        self.filtered()
        self._move_to(done.key)
        self.app.say(done.words)


def _counts(checked: Checked | None) -> tuple[int, int]:
    """Return the numbers of blocks and of warnings."""
    standing = Counter(one.severity for one in checked.findings if one.checked_off is None) if checked else Counter()
    return standing["blocks"], standing["warns"]


def _quota(name: str, each: QuotaState) -> Runs:
    said = f"{each.accepted} of {each.quota.wanted}"
    style = "good" if not each.short else "major" if each.lacking else ""
    more = f" ▴{each.lacking}" if each.lacking else f" +{each.over}" if each.over else ""
    return [(f"{name}{said:>10}{each.open:>6}", style), (more, "major")]
