"""Adjudication: what reviewers disagree about, one thing after another, their words side by side; one key settles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partialmethod
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from discox_tui.core import actions
from discox_tui.screens.adjudication import opinions as sayings
from discox_tui.screens.common.base import LOOK_AFTER
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.review import presenter
from discox_tui.screens.review.base import EvaluationScreen
from discox_tui.screens.review.error_marks import Standing, marks, target
from discox_tui.sessions.library import Refused
from discox_tui.text.counts import counted
from discox_tui.text.runs import Run, Runs
from discox_tui.text.styles import Mark
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from judges.consistency.disagreements import ComparedOpinions
from judges.model import SIDES, MarkedError, Place, Side, Verdict
from storage.record.library import StoredEvaluation
from storage.reviews.disagreements import Case, Disagreement, read_docket
from storage.reviews.events import POINT, Event

COLUMNS = (
    Column("settled", "", 1, priority=9),
    Column("what", "", 11, priority=8),
    Column("said", "said", 4, priority=7),
    Column("article", "article", 6, flex=3, priority=6),
    Column("system", "system", 6, flex=2, priority=5),
)
KEYS = 9
"""Reviewers who can have a key of their own."""


@dataclass(frozen=True, slots=True)
class Row:
    """One disagreement of a case, or, without one, its end. ``name``: what it is called within the case."""

    case: Case
    disagreement: Disagreement | None
    name: str

    @property
    def subject(self) -> str:
        """The subject of the row; empty: the case as a whole."""
        return self.disagreement.compared.subject if self.disagreement else ""

    @property
    def open(self) -> bool:
        """True if it can be done now, and is not."""
        if self.disagreement is not None:
            return not self.disagreement.settled
        return not self.case.left and not self.case.finished

    def concerns(self, event: Event) -> bool:
        """Tell if an act was about it."""
        if self.case.evaluation != event.evaluation_id:
            return False
        if self.disagreement is None:
            return event.kind == "review" and "state" in event.changes
        if event.kind == "review":
            return self.subject == "instruction" and "instruction" in event.changes
        return event.finding_id in {self.subject, *self.disagreement.compared.errors}


def rows_of(case: Case) -> Iterator[Row]:
    """Yield the disagreements of a case, then its end."""
    missed = 0
    for each in case.disagreements:
        compared = each.compared
        missed += compared.kind == "error"
        yield Row(case, each, _name(compared, each.number, missed))
    yield Row(case, None, "end")


def _name(compared: ComparedOpinions, number: int | None, missed: int) -> str:
    match compared.kind:
        case "finding":
            return f"error {number}"
        case "point":
            return f"point {compared.subject.removeprefix(POINT)}"
        case "error":
            return f"missed {missed}?"
        case "instruction":
            return "instruction"


def _cells(row: Row) -> Sequence[Cell]:
    case = row.case
    if row.disagreement is None:
        mark, said = ("✓", "good") if case.finished else ("∙", "faint"), ""
    else:
        mark = ("✓", "good") if row.disagreement.settled else ("∙", "faint")
        said = "".join(sayings.mark(row.disagreement.compared, layer) for layer in case.reviewers)
    return mark, (row.name, "strong" if row.open else "plain"), (said, "current"), case.article, (case.system, "faint")


class AdjudicationScreen(EvaluationScreen):
    """The evaluations that several are done with, as far as the filter of the queue leaves them.

    What is settled goes to a layer of its own.
    """

    NAME = "adjudication"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "AdjudicationScreen")

    def __init__(self, filter_words: str = "") -> None:
        super().__init__()
        self._words = filter_words
        self._cases: dict[str, Case] = {}
        self._waiting = 0
        self._shown: str | None = None

    def content(self) -> ComposeResult:
        """Title, texts, what is to be settled, the judge's words and the reviewers' side by side."""
        yield Bar(id="title")
        yield PairedTexts(ambiguous=self.app.ambiguous, id="texts")
        with Horizontal(id="lower"):
            yield VirtualTable[Row](COLUMNS, _cells, key=lambda row: (row.case.evaluation, row.subject), id="docket")
            with Vertical(id="words"):
                yield TextBlock(id="judges")
                with Horizontal(id="sayings"):
                    yield from (TextBlock(classes="saying") for _ in range(KEYS))

    @property
    def table(self) -> VirtualTable[Row]:
        """The table of what is to be settled, and to be ended."""
        return self.query_one("#docket", VirtualTable)

    def on_mount(self) -> None:
        """Begin at the first that is not settled."""
        self._hand = self.app.session.adjudicate()
        self.table.empty = "nothing to settle"
        self.set_focus(self.table)
        self._read()
        self._go_to_open()
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def on_screen_resume(self) -> None:
        """Something may have been decided in the review meanwhile."""
        if self._cases:
            self._read()

    def _look_elsewhere(self) -> None:
        """Show what others have said or settled meanwhile, in another program."""
        with self.app.looking():
            if self.is_active and self.app.session.changed_elsewhere():
                self._read()

    # --- showing ---

    def _read(self, evaluation: str | None = None) -> None:
        """Read what there is to settle anew, or one evaluation of it, and show it."""
        session = self.app.session
        session.refresh()
        docket = read_docket(session.connection, session.reviewer, self._words, evaluation)
        cases = {case.evaluation: case for case in docket.cases}
        if evaluation is None:
            self._cases, self._waiting = cases, docket.waiting
        else:
            self._cases |= cases
        self.table.set_rows([row for case in self._cases.values() for row in rows_of(case)])
        self._show()

    @on(VirtualTable.Highlighted)
    @on(VirtualTable.Selected)
    def _show(self) -> None:
        """Show the current row."""
        row = self.table.current
        self._show_title(row)
        words = self.query_one("#judges", TextBlock)
        self.query_one("#sayings").display = row is not None and row.disagreement is not None
        if row is None:
            words.show(self._nothing())
            return
        evaluation = self._look(row.case.evaluation)
        self._show_marks(evaluation, row)
        if row.disagreement is None:
            words.show(_end(row.case))
            return
        words.show(sayings.judges(evaluation, row.disagreement))
        blocks, keys = list(self.query(".saying").results(TextBlock)), self._keys(row.case)
        for block, layer in zip(blocks, row.case.reviewers, strict=False):
            key = str(keys.index(layer) + 1) if layer in keys else ""
            block.show(sayings.one(evaluation, row.disagreement.compared, layer, key))
        for number, block in enumerate(blocks):
            block.display = number < len(row.case.reviewers)

    def _show_title(self, row: Row | None) -> None:
        left: list[Run] = [("discox", "title"), ("  adjudication", "strong")]
        if row is not None:
            left.append((f"  {row.case.article} · {row.case.system}", ""))
        cases = self._cases.values()
        count, settled = sum(len(case.disagreements) for case in cases), sum(_settled(case) for case in cases)
        ended = sum(case.finished for case in cases)
        right: list[Run] = []
        if cases:
            right.append((f"{settled} of {count} settled", "good" if settled == count else "strong"))
            right.append((f"  {ended} of {len(cases)} ended", "good" if ended == len(cases) else "strong"))
        if self._waiting:
            right.append((f"  {self._waiting} waiting", "faint"))
        self.query_one("#title", Bar).show((left, right))

    def _nothing(self) -> list[Runs]:
        where = f" with “{self._words}”" if self._words else ""
        rows: list[Runs] = [[(f"There is nothing to settle{where}. What two reviewers are done with stands here.", "")]]
        if self._waiting:
            waiting = counted(self._waiting, "evaluation waits", "evaluations wait")
            rows.append([(f"{waiting} for you: hidden from you, or yours to review, until you have spoken.", "")])
        return rows

    def _look(self, identity: str) -> StoredEvaluation:
        """The evaluation, shown in the panes."""
        session = self.app.session
        evaluation = session.evaluation
        if evaluation is None or evaluation.id != identity:
            evaluation = session.look(identity)
        if self._shown != identity:
            self._shown = identity
            self.texts.show(evaluation.text("source"), evaluation.text("translation"), evaluation.alignment)
            self.texts.set_headings(*presenter.headings(evaluation))
        return evaluation

    def _show_marks(self, evaluation: StoredEvaluation, row: Row) -> None:
        lit: dict[Side, list[Mark]] = {side: [] for side in SIDES}
        places: list[Place] = []
        for saying in row.disagreement.compared.said.values() if row.disagreement else ():
            if isinstance(saying, MarkedError | Verdict) and saying.spans:
                places += saying.spans
                for side, start, end in saying.spans:
                    severity = saying.severity if isinstance(saying, MarkedError) else None
                    lit[side].append(Mark(row.subject, start, end, severity, own=True))
        if (finding := evaluation.find(row.subject)) is not None:
            for side in SIDES:
                lit[side] += marks(finding, Standing(finding.finding.severity, dropped=False), side)
                if place := target(evaluation, finding, side):
                    places.append(Place(side, *place))
        self.texts.set_marks(lit["source"], lit["translation"])
        self.texts.current = row.subject
        first = {side: next(((p.start, p.end) for p in places if p.side == side), None) for side in SIDES}

        def reveal() -> None:
            if self.table.current is row:
                self.texts.reveal(first["source"], first["translation"])

        # Once both panes know their size: each learns it in its own time.
        self.call_after_refresh(self.texts.source.call_later, self.texts.translation.call_later, reveal)

    def _keys(self, case: Case) -> list[str]:
        """Return the reviewer of each digit: everywhere the same, or, of very many, those of the case."""
        names = sorted({name for each in self._cases.values() for name in each.reviewers})
        return names if len(names) <= KEYS else list(case.reviewers[:KEYS])

    # --- moving ---

    def _go_to_open(self) -> bool:
        """Go to the next row that is open, in this evaluation before any other."""
        rows, start = self.table.rows, self.table.cursor
        if start is None:
            return False
        here = rows[start].case.evaluation
        following = [(start + step) % len(rows) for step in range(len(rows))]
        following.sort(key=lambda index: rows[index].case.evaluation != here)
        index = next((index for index in following if rows[index].open), None)
        if index is not None:
            self.table.move_cursor(index)
            self._show()
        return index is not None

    def action_next_disagreement(self) -> None:
        """Go to the next that is not settled, or not ended."""
        rows, start = self.table.rows, self.table.cursor or 0
        following = [(start + step) % len(rows) for step in range(1, len(rows) + 1)]
        index = next((index for index in following if rows[index].open), None)
        if index is None:
            self.app.say("Everything here is settled and ended.")
            return
        self.table.move_cursor(index)
        self._show()

    def action_switch_pane(self) -> None:
        """Go to the other pane."""
        self.texts.swap()

    def action_back(self) -> None:
        """Go back to the queue."""
        self.app.pop_screen()

    # --- settling ---

    def _current(self) -> Row:
        if (row := self.table.current) is None:
            raise Refused("There is nothing to settle here")
        return row

    def _say(self, message: str) -> None:
        # Not refused: after that the next digit is swallowed, and here it is an answer.
        self.app.say(message, warning=True)

    def _take(self, number: int) -> None:
        row = self._current()
        keys = self._keys(row.case)
        if row.disagreement is None:
            self._say(_how_it_ends(row.case))
            return
        if number >= len(keys):
            self._say(f"Only {counted(len(keys), 'reviewer has', 'reviewers have')} a key here")
            return
        opinions = row.disagreement.compared.opinions
        if (layer := keys[number]) not in opinions:
            self._say(f"{layer} has no opinion on this")
            return
        self._hand.settle(row.case.evaluation, row.disagreement.compared, opinions[layer])
        self._settled(row, f"{layer}'s word holds: {sayings.in_words(opinions[layer])}.")

    action_take_first = partialmethod(_take, 0)
    action_take_second = partialmethod(_take, 1)
    action_take_third = partialmethod(_take, 2)
    action_take_fourth = partialmethod(_take, 3)
    action_take_fifth = partialmethod(_take, 4)
    action_take_sixth = partialmethod(_take, 5)
    action_take_seventh = partialmethod(_take, 6)
    action_take_eighth = partialmethod(_take, 7)
    action_take_ninth = partialmethod(_take, 8)

    def action_no_error(self) -> None:
        """There is no error, whatever the reviewers say."""
        row = self._current()
        compared = row.disagreement.compared if row.disagreement else None
        if compared is None or compared.kind not in ("finding", "error"):
            self._say("This is no error; o decides otherwise")
            return
        finding = compared.kind == "finding"
        if finding and (stored := self._look(row.case.evaluation).find(compared.subject)) and not stored.finding.kept:
            self._say("De-duplication dropped this one: take a reviewer's word, or decide in the review (o)")
            return
        self._hand.settle(row.case.evaluation, compared, Verdict("not_an_error") if finding else None)
        self._settled(row, "There is no error here.")

    def action_clear_verdict(self) -> None:
        """It is not settled after all."""
        row = self._current()
        if row.disagreement is None or not row.disagreement.settled:
            self._say("This is not settled, so there is nothing to clear")
            return
        self._hand.unsettle(row.case.evaluation, row.disagreement.compared)
        self._read(row.case.evaluation)
        self.app.say(f"What holds of {row.name} is open again. u brings back what you settled.")

    def _settled(self, row: Row, message: str) -> None:
        """Show what came of settling a row, and go on; after the last one of an evaluation, to its end."""
        self._read(row.case.evaluation)
        case = self._cases[row.case.evaluation]
        self._go_to_open()
        self.app.say(f"{message} {_how_it_ends(case)}" if not case.left and not case.finished else message)

    def action_own_word(self) -> None:
        """None of them is right: decide in the review itself."""
        from discox_tui.screens.adjudication.opinions import OwnVerdictScreen

        row, session = self._current(), self.app.session
        subject = row.subject
        if row.disagreement is not None and row.disagreement.compared.kind == "error":
            work = self.app.session.work
            standing = [identity for identity in row.disagreement.compared.errors if identity in work.errors]
            if not standing:
                self._say(
                    "Take the word that is nearest first, then change it with o; or say that there is no error (x)"
                )
                return
            subject = standing[0]
        session.open(row.case.evaluation, session.layer)
        self.app.push_screen(OwnVerdictScreen({"finding": subject}))

    # --- ending ---

    def action_settle(self) -> None:
        """Take over what all agree about, and end the adjudication of this evaluation."""
        case = self._current().case
        if case.left:
            self._say(_how_it_ends(case))
            return
        taken = self._hand.end(case.evaluation)
        self._read(case.evaluation)
        self._go_to_open()
        self.app.say(f"{case.article} by {case.system} is ended, with {_agreed(taken)}.{self._all_done()}")

    def action_settle_all(self) -> None:
        """End every evaluation in which nothing is left to settle."""
        ending = [case for case in self._cases.values() if not case.left and not case.finished]
        if not ending:
            self._say("No evaluation is settled and waits for its end")
            return
        taken = sum(self._hand.end(case.evaluation) for case in ending)
        self._read()
        self._go_to_open()
        self.app.say(f"{counted(len(ending), 'evaluation')} ended, with {_agreed(taken)}.{self._all_done()}")

    def _all_done(self) -> str:
        return " Everything here is settled and ended." if all(case.finished for case in self._cases.values()) else ""

    # --- undoing ---

    def follow(self, event: Event) -> str:
        """Go to the row that an act was about, and return the act in words."""
        self._read()
        index = next((index for index, row in enumerate(self.table.rows) if row.concerns(event)), None)
        if index is not None:
            self.table.move_cursor(index)
            self._show()
        return self._what(event)

    def _what(self, event: Event) -> str:
        """An act in words."""
        case = self._cases.get(event.evaluation_id)
        where = f"{case.article} by {case.system}" if case else "an evaluation that is not shown here"
        if event.kind == "review" and "state" in event.changes:
            return f"the end of {where}, with all that was taken over"
        if event.kind == "review" and "search" in event.changes:
            return f"the search for missed errors, {where}"
        row = next((row for row in self.table.rows if row.concerns(event)), None)
        return f"what holds of {row.name if row else 'something agreed'}, {where}"


def _settled(case: Case) -> int:
    return len(case.disagreements) - case.left


def _agreed(count: int) -> str:
    return f"{counted(count, 'thing')} that all agree about" if count else "nothing to take over"


def _how_it_ends(case: Case) -> str:
    """Return what is left before an evaluation is ended, or what ends it."""
    if case.left:
        return f"{counted(case.left, 'disagreement is', 'disagreements are')} not settled yet in {case.article}"
    return f"{case.article} is ended" if case.finished else f"f ends {case.article}, with {_agreed(case.agreed)}"


def _end(case: Case) -> list[Runs]:
    """Return the paragraphs of the row for the end of an evaluation."""
    count = len(case.disagreements)
    rows: list[Runs] = [
        [(f"{case.article} by {case.system}", "strong"), (f"  {' and '.join(case.reviewers)} are done", "faint")],
        [(f"{_settled(case)} of {counted(count, 'disagreement')} settled" if count else "They agree about all", "")],
        [(f"{_how_it_ends(case)}.", "good" if case.finished else "")],
    ]
    if case.unsearched:
        who = f"{' and '.join(case.unsearched)} {'does' if len(case.unsearched) == 1 else 'do'} not state"
        rows.append([(f"{who} having searched for missed errors: no recall, unless you state it (o, m).", "major")])
    return rows
