"""The view of a candidate: its text with the points' terms lit, the points, results of checks and of systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from discox_tui.screens.benchmark import rows
from discox_tui.screens.benchmark.rows import Row, Span
from discox_tui.screens.common.base import LOOK_AFTER, NARROW, DiscoxScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.common.text_search import TextSearch
from discox_tui.sessions.benchmark import BUILDING, BuildSession, Checked, Difficulty
from discox_tui.sessions.library import Refused
from discox_tui.text.counts import counted
from discox_tui.text.runs import Run, Runs
from discox_tui.text.styles import Mark
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.text_pane import TextPane
from discox_tui.widgets.virtual_table import Cell, VirtualTable
from judges.model import SIDES, RubricVerdict, Side

if TYPE_CHECKING:
    from textual.events import Resize

    from judges.benchmark.rubric.points import Point
    from judges.benchmark.selection.difficulty_filter import PointOutcome
    from judges.model import Article
    from storage.benchmark.candidates import Candidate
    from storage.record.library import StoredEvaluation

NOT_JUDGED = "No translation of this version is judged yet; discox build filter has it translated and judged"


class CandidateReading(DiscoxScreen):
    """One candidate to read; nothing of it is changed here."""

    DEFAULT_CSS = style_sheet(__file__, "CandidateReading")

    def __init__(self, key: str, keys: Sequence[str] = ()) -> None:
        """``keys``: the candidates among which to go on and back."""
        super().__init__()
        self.key = key
        self._keys = keys
        self._system = 0
        self.difficulty: Difficulty | None = None
        """Outcome of the filter."""
        self._evaluation: StoredEvaluation | None = None
        self._shown: tuple[str, str | None] | None = None
        self._terms: dict[int, Sequence[Span]] = {}
        self._renderings: dict[int, dict[str, Sequence[Span]]] = {}
        self._step = -1

    def content(self) -> ComposeResult:
        """Title, texts, points and the current one in full, what was decided."""
        yield Bar(id="title")
        yield PairedTexts(ambiguous=self.app.ambiguous, id="texts")
        with Horizontal(id="lower"):
            yield VirtualTable[Row](rows.NARROW_COLUMNS, self._cells, key=lambda row: row.key, id="list")
            yield TextBlock(id="detail")
        yield Bar(id="decision")
        yield TextSearch(self._text, id="search")

    # --- what is shown ---

    @property
    def building(self) -> BuildSession:
        """The benchmark."""
        return self.app.building

    @property
    def candidate(self) -> Candidate:
        """The candidate as this person may see it."""
        return self.building.candidates[self.key]

    @property
    def article(self) -> Article:
        """The version of the article that counts."""
        return self.building.article(self.key)

    @property
    def checked(self) -> Checked | None:
        """Results of the checks."""
        return self.building.checked(self.key, wait=True)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of the filter."""
        return tuple(self.difficulty.outcome.failed) if self.difficulty else ()

    @property
    def system(self) -> str | None:
        """The system whose translation is shown."""
        return self.systems[self._system % len(self.systems)] if self.systems else None

    @property
    def texts(self) -> PairedTexts:
        """The source and, once there is one that is judged, a translation."""
        return self.query_one("#texts", PairedTexts)

    @property
    def search(self) -> TextSearch:
        """The line to search the texts with."""
        return self.query_one("#search", TextSearch)

    def _text(self, side: Side) -> str:
        """Return the text of one side."""
        return self.article.source if side == "source" else self._evaluation.text(side) if self._evaluation else ""

    @property
    def table(self) -> VirtualTable[Row]:
        """The points and what checks find."""
        return self.query_one("#list", VirtualTable)

    @property
    def row(self) -> Row:
        """The row that is current; the first is of the article."""
        return self.table.current or Row("article")

    def on_mount(self) -> None:
        """Show the candidate."""
        across = self.texts.source.go_across
        self.texts.source.go_across = lambda: across() if self._evaluation else None
        self.show()
        self.app.offer_draft(self.key)
        self.set_focus(self.table)
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        """Show what another program has written meanwhile."""
        with self.app.looking():
            if self.is_active and self.building.changed_elsewhere():
                self.show()

    def on_resize(self, event: Resize) -> None:
        """Other words fit."""
        super().on_resize(event)
        self.table.set_columns(rows.NARROW_COLUMNS if event.size.width < 120 else rows.COLUMNS)
        if self.is_mounted and self._shown:
            self._describe()

    def place(self) -> dict[str, Any]:
        """Return what to remember of this screen."""
        return {"candidate": self.key}

    def show(self, row: str | None = None) -> None:
        """Show the candidate as it stands; ``row``: the key of the row to go to."""
        self.difficulty = self.building.difficulty(self.key)
        system = self.system
        identity = self.difficulty.evaluations.get(system) if self.difficulty and system else None
        if identity is None:
            self._evaluation = None
        elif self._evaluation is None or self._evaluation.id != identity:
            self._evaluation = self.building.judging.look(identity)
        self._show_texts(identity)
        found = rows.rows_of(self.candidate, self.checked)
        self.table.set_rows(found, keep=row)
        self._show_marks()
        self.show_current()
        self.refresh_bindings()

    def _show_texts(self, identity: str | None) -> None:
        wanted = self.candidate.article_id, identity
        if self._shown == wanted:
            return
        source, evaluation = self.article.source, self._evaluation
        translation = evaluation.text("translation") if evaluation else ""
        tops = self.texts.tops if self._shown and self._shown[0] == wanted[0] else None
        self._shown, self._terms, self._renderings = wanted, {}, {}
        self.texts.arrangement = None if evaluation else "turns"
        self.texts.front = "source"
        self.texts.show(source, translation, evaluation.alignment if evaluation else ())
        self._find()
        if tops is not None:
            self.texts.source.top_offset = tops[0]
        else:
            self.call_after_refresh(self.texts.source.call_later, self._reveal)

    def _find(self) -> None:
        """Locate the terms in the source and the renderings in the translation."""
        from judges.benchmark.rubric.points import places, searchable

        translation = searchable(self._evaluation.text("translation")) if self._evaluation else None
        for index, point in enumerate(self.candidate.version.points):
            self._terms[index] = places(point, self.article.source)
            if translation:
                self._renderings[index] = {
                    words: [(found.start, found.end) for found in translation.forms(words)]
                    for words in (*point.expected, *point.forbidden)
                }

    def _show_marks(self) -> None:
        marks: dict[Side, list[Mark]] = {side: [] for side in SIDES}
        for row in self.table.rows:
            if row.point is not None:
                outcome = self._outcome(row.point)
                failed = outcome is not None and self.system in outcome.failed_by
                severity: Literal["violated"] | None = "violated" if failed else None
                marks["source"] += [Mark(row.key, *span, severity) for span in self._terms.get(row.index, ())]
                for words, places in self._renderings.get(row.index, {}).items():
                    bad: Literal["violated"] | None = "violated" if words in row.point.forbidden else None
                    marks["translation"] += [Mark(row.key, *span, bad) for span in places]
            elif row.kind == "finding" and row.found[0].start is not None:
                one = row.found[0]
                start = one.start or 0
                level: Literal["critical", "major"] = "critical" if one.severity == "blocks" else "major"
                marks["source"].append(
                    Mark(row.key, start, one.end or start, level, dropped=one.checked_off is not None)
                )
        self.texts.set_marks(marks["source"], marks["translation"])

    def show_current(self) -> None:
        """Show the current row in full, and where it is."""
        self._step = -1
        for side in SIDES:
            self.texts.pane(side).set_matches(())
        self.texts.current = self.row.key
        self.query_one("#detail", TextBlock).show(self._detail())
        self._describe()
        self.app.stopwatch.look_at(BUILDING, self.key, str(self.building.stage(self.key)))

    def _describe(self) -> None:
        now, narrow = self.candidate, self.size.width < NARROW
        facts = [now.direction.replace("-", "→"), "" if narrow else now.domain, f"v{now.version.number}"]
        left: list[Run] = [
            ("discox", "title"),
            (f"  {self.key}", "strong"),
            (f"  {' · '.join(filter(None, facts))}", ""),
        ]
        right: list[Run] = []
        if self.key in self._keys:
            name = "" if narrow else "candidate "
            right.append((f"{name}{self._keys.index(self.key) + 1}/{len(self._keys):,}", "faint"))
        self.query_one("#title", Bar).show((left, right))
        self.query_one("#decision", Bar).show((self._decision(), self._filter()))
        headings = ["Source", ""]
        if self.system and self.difficulty:
            said = self.difficulty.outcome.said_of(self.system)
            number = f"system {self.systems.index(self.system) + 1} of {len(self.systems)}"
            headings[1] = f"{self.system}  {said}   {number}"
            if self._evaluation is None:
                headings[0] = f"Source   ({headings[1]})"
        self.texts.set_headings(*headings)

    def _decision(self) -> Runs:
        now, person = self.candidate, self.building.person
        own = now.decisions.get(person)
        runs: list[Run] = [rows.OUTCOMES[now.outcome]]
        if own is not None and (now.outcome in ("undecided", "differ") or len(now.decisions) > 1):
            runs += [("   you ", "faint"), (rows.DECIDED[own.decision], "current")]
        runs += [
            (f"   {name} {rows.DECIDED[said.decision]}", "faint")
            for name, said in now.decisions.items()
            if name != person
        ]
        waiting = ["you" if name == person else name for name in now.waiting]
        if waiting:
            runs.append((f"   waits for {', '.join(waiting)}", "faint"))
        if now.outcome in ("undecided", "differ") and (kept := self.building.obstacles(self.key, "accept", wait=False)):
            runs.append((f"   {rows.BLOCKS} {counted(len(kept), 'condition')} not met", "critical"))
        if now.outcome == "differ":
            runs.append(
                (f"   {self.app.key_of('settle_accept')} {self.app.key_of('settle_reject')} settle it", "major")
            )
        return runs

    def _filter(self) -> Runs:
        if self.difficulty is None:
            return (
                [("∙ new text, not judged", "major")]
                if self.candidate.was_filtered and not self.building.hidden
                else ()
            )
        outcome = self.difficulty.outcome
        counts = "  ".join(f"{name} {outcome.count_of(name)}" for name in outcome.failed)
        return [rows.STATES[self.difficulty.outcome.state], (f"   failed: {counts}", "faint")]

    def _cells(self, row: Row) -> Sequence[Cell]:
        narrow = len(self.table.columns) < len(rows.COLUMNS)
        return rows.cells(row, self.systems, self._outcome(row.point), narrow=narrow)

    def _outcome(self, point: Point | None) -> PointOutcome | None:
        """Return the systems that fail a point."""
        if point is None or self.difficulty is None or all(v is None for v in self.difficulty.outcome.failed.values()):
            return None
        return next((each for each in self.difficulty.outcome.points if each.number == point.number), None)

    def _detail(self) -> list[Runs]:
        row, building = self.row, self.building
        if row.kind == "article":
            rule = building.filter_words.get(self.candidate.filters[-1], "") if self.candidate.filters else ""
            said = rows.article_detail(
                self.candidate, self.checked, self.difficulty, rule, building.hidden, building.person
            )
            return [*said, *rows.quota_detail(building.quota(self.key))]
        if row.point is None:
            return [rows.said_of(row.found[0])]
        translation = self._evaluation.text("translation") if self._evaluation else None
        found = rows.point_detail(row.point, self.article.source, self._terms.get(row.index, ()))
        found += rows.rendering_detail(row.point, translation, self._renderings.get(row.index, {}))
        if self._evaluation is not None and self.system:
            judging, number = building.judging, row.point.number
            if judging.evaluation is None or judging.evaluation.id != self._evaluation.id:
                judging.look(self._evaluation.id)
            owed = "the judge failed" if "rubric" in self._evaluation.failed else "says nothing of this point"
            found += rows.verdict_detail(
                self.system, self._judged(number), owed, judging.point_decision(number), judging.point_note(number)
            )
            found += rows.tells_apart(self._outcome(row.point))
        return [*found, *map(rows.said_of, row.found)]

    def _judged(self, number: int) -> RubricVerdict | None:
        """The judge's verdict on a point of the translation that is shown."""
        evaluation = self._evaluation
        if evaluation is None:
            return None
        said = next((verdict for verdict in evaluation.rubric if verdict.point == number), None)
        if said is None and (found := self.building.judging.point_finding(number)):
            return RubricVerdict(number, met=False, explanation=found.finding.explanation)
        return said

    # --- moving ---

    def _go(self, index: int) -> None:
        self.table.move_cursor(index)
        self.show_current()
        self._reveal()

    @on(VirtualTable.Highlighted, "#list")
    def _highlighted(self) -> None:
        self.show_current()
        self._reveal()

    def _places(self) -> list[tuple[Side, Span]]:
        """Return the current row's places in the texts."""
        row = self.row
        if row.kind == "finding" and row.found[0].start is not None:
            start = row.found[0].start
            return [("source", (start, row.found[0].end or start + 1))]
        places: list[tuple[Side, Span]] = [("source", span) for span in self._terms.get(row.index, ())]
        every = {span for spans in self._renderings.get(row.index, {}).values() for span in spans}
        return places + [("translation", span) for span in sorted(every)]

    def _reveal(self) -> None:
        """Bring the current row's places into view."""
        first: dict[Side, Span] = {}
        for side, span in self._places():
            first.setdefault(side, span)
        if first:
            self.texts.reveal(first.get("source"), first.get("translation"))

    def action_next_row(self) -> None:
        """Go to the next point, or to what a check finds."""
        self._go((self.table.cursor or 0) + 1)

    def action_previous_row(self) -> None:
        """Go to the one before."""
        self._go((self.table.cursor or 0) - 1)

    @on(TextPane.MarkClicked)
    def _mark_clicked(self, message: TextPane.MarkClicked) -> None:
        """Go to what is clicked; again: to the next of those that overlap there."""
        keys, current = message.keys, self.row.key
        chosen = keys[(keys.index(current) + 1) % len(keys)] if current in keys else keys[0]
        self._go(next((index for index, row in enumerate(self.table.rows) if row.key == chosen), 0))

    def action_next_term(self) -> None:
        """Go to the next place of the point, in the source, then in the translation."""
        places = self._places()
        if not places:
            raise Refused("None of the words that this is about is in the texts")
        self._step = (self._step + 1) % len(places)
        where, span = places[self._step]
        for side in SIDES:
            self.texts.pane(side).set_matches([span] if side == where else ())
        self.texts.front = where
        self.texts.pane(where).reveal(*span)
        same = [each for each in places if each[0] == where]
        self.app.say(f"{where}, {same.index((where, span)) + 1} of {len(same)}")

    def action_next_system(self) -> None:
        """Show the next system's translation."""
        if not self.systems:
            raise Refused(NOT_JUDGED)
        self._system = (self._system + 1) % len(self.systems)
        self.show()

    def action_next_candidate(self) -> None:
        """Go to the next candidate of the list."""
        self._open_beside(1)

    def action_previous_candidate(self) -> None:
        """Go to the one before."""
        self._open_beside(-1)

    def _open_beside(self, step: int) -> None:
        at = self._keys.index(self.key) + step if self.key in self._keys else -1
        if not 0 <= at < len(self._keys):
            self.app.say("That was the last candidate of the list." if step > 0 else "This is the first candidate.")
            return
        self.open(self._keys[at])

    def action_next_open(self) -> None:
        """Go to the next candidate that this person has yet to decide on."""
        at = self._keys.index(self.key) if self.key in self._keys else 0
        for key in (*self._keys[at + 1 :], *self._keys[:at]):
            now = self.building.candidates[key]
            person = self.building.person
            if person not in now.decisions and now.outcome == "undecided" and person in (now.assigned or (person,)):
                self.open(key)
                return
        self.app.say("Nothing else here waits for your decision.")

    def open(self, key: str) -> None:
        """Show another candidate, from its beginning."""
        self.key, self._shown, self._evaluation = key, None, None
        self.table.move_cursor(0)
        self.show("article")
        self.set_focus(self.table)
        self.app.remember_place()

    def action_switch_pane(self) -> None:
        """Go into a text, then into the other."""
        if self._evaluation is None:
            self.set_focus(self.texts.source)
        else:
            self.texts.swap()

    def action_select_start(self) -> None:
        """Let the keys select text: of the source, unless the other one has the focus."""
        if not isinstance(self.focused, TextPane):
            self.texts.front = "source"
            self.set_focus(self.texts.source, scroll_visible=False)
        self.texts.start_selection()

    def action_search(self) -> None:
        """Search the texts."""
        self.search.begin()

    def action_lock(self) -> None:
        """Scroll together, or each alone."""
        self.texts.locked = not self.texts.locked
        self.app.say("The texts scroll together" if self.texts.locked else "The texts scroll each alone")

    def action_back(self) -> None:
        """Let go of a search, of what is selected, of the text, of the term; then go back to the candidates."""
        if self.search.open:
            self.search.end()
            self.set_focus(self.table)
        elif self.texts.selections:
            self.texts.clear_selections()
        elif isinstance(self.focused, TextPane):
            self.set_focus(self.table)
        elif self._step >= 0:
            self.show_current()
        else:
            self.app.stopwatch.leave()
            self.app.pop_screen()
            self.app.remember_place()
