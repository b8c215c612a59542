"""Adjudication: what reviewers disagree about, one thing after another, their words side by side; one key settles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from discox_tui import actions
from discox_tui.marks import DECISION_MARKS, OWN_MARK, SEVERITY_MARKS
from discox_tui.review_session import Refused
from discox_tui.screens import describe
from discox_tui.screens.base import DiscoxScreen
from discox_tui.screens.describe import words
from discox_tui.screens.standing import Standing, marks, target
from discox_tui.text.looks import Mark
from discox_tui.widgets.lines import Bar, Run, Runs, TextBlock
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from judges.agreement.disagreements import Saying
from judges.model import SIDES, MarkedError, Place, PointVerdict, Side, Verdict
from storage.blinding import blinding_of, masked
from storage.disagreements import Adjudication, Disagreement, read_disagreements
from storage.layers import layer_of
from storage.library import StoredEvaluation
from storage.review_log import POINT, Event

COLUMNS = (
    Column("settled", "", 1, priority=9),
    Column("article", "article", 8, flex=1, priority=8),
    Column("system", "system", 6, flex=1, priority=5),
    Column("what", "", 10, priority=7),
    Column("said", "", 5, priority=6),
)
MOST = 5
"""Reviewers whose words stand side by side, each with a key; more are told to go two by two."""


class AdjudicationScreen(DiscoxScreen):
    """The disagreements of what the filter of the queue leaves; what is settled goes to a layer of its own."""

    NAME = "adjudication"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = """
    AdjudicationScreen {
        & > #texts { height: 1fr; margin: 1 0 0 0; }
        & > #lower { height: 40%; min-height: 9; max-height: 18; margin: 1 0 0 0; }
        & > #lower > VirtualTable { width: 42; }
        & > #lower > #words > #judges { height: 1fr; }
        & > #lower > #words > #sayings { height: 2fr; margin: 1 0 0 0; }
        &.-narrow > #lower > VirtualTable { width: 26; }
        &.-low > #texts, &.-low > #lower { margin: 0; }
        &.-low > #lower > #words > #sayings { margin: 0; }
    }
    """

    def __init__(self, filter_words: str = "") -> None:
        super().__init__()
        self._words = filter_words
        self._rows: list[Disagreement] = []
        self._evaluation: StoredEvaluation | None = None

    def content(self) -> ComposeResult:
        """Title, texts, what is to be settled, the judge's words and the reviewers' side by side."""
        yield Bar(id="title")
        yield PairedTexts(ambiguous=self.app.ambiguous, id="texts")
        with Horizontal(id="lower"):
            yield VirtualTable[Disagreement](COLUMNS, _cells, key=_key, id="disagreements")
            with Vertical(id="words"):
                yield TextBlock(id="judges")
                with Horizontal(id="sayings"):
                    yield from (TextBlock(classes="saying") for _ in range(MOST))

    @property
    def texts(self) -> PairedTexts:
        """The two panes."""
        return self.query_one("#texts", PairedTexts)

    @property
    def table(self) -> VirtualTable[Disagreement]:
        """What is to be settled."""
        return self.query_one("#disagreements", VirtualTable)

    def on_mount(self) -> None:
        """Begin at the first that is not settled."""
        session = self.app.session
        self._hand = Adjudication(session.connection, session.reviewer, session.log.guideline)
        self.table.empty = (
            "There is nothing to settle: where two reviewers are done with the same, what they differ in stands here."
        )
        self.set_focus(self.table)
        self._read()
        self._go_to_open(0)

    def on_screen_resume(self) -> None:
        """Something may have been decided in the review meanwhile."""
        if self._rows:
            self._read()

    # --- showing ---

    def _read(self) -> None:
        session = self.app.session
        self._rows = read_disagreements(session.connection, session.reviewer, self._words)
        self.table.set_rows(self._rows)
        self._show()

    @on(VirtualTable.Highlighted)
    def _show(self) -> None:
        """Show the current disagreement."""
        row = self.table.current
        settled = sum(each.settled for each in self._rows)
        left: list[Run] = [("discox", "title"), ("  adjudication", "strong")]
        if row is not None:
            left.append((f"  {row.article} · {row.system}", ""))
        count = f"{settled} of {len(self._rows)} settled"
        self.query_one("#title", Bar).show((left, [(count, "good" if settled == len(self._rows) else "strong")]))
        blocks = list(self.query(".saying").results(TextBlock))
        if row is None:
            return
        evaluation = self._open(row.evaluation)
        self._show_marks(evaluation, row)
        self.query_one("#judges", TextBlock).show(_judges(evaluation, row))
        for number, block in enumerate(blocks):
            block.display = number < len(row.compared.said)
        for number, (block, (layer, saying)) in enumerate(zip(blocks, row.compared.said.items(), strict=False), 1):
            block.show(_saying(evaluation, number, layer, saying))

    def _open(self, identity: str) -> StoredEvaluation:
        """The evaluation, shown in the panes."""
        from storage.groundings import read_grounded

        if self._evaluation is None or self._evaluation.id != identity:
            session = self.app.session
            blinding = blinding_of(session.connection, session.reviewer)
            evaluation = read_grounded(session.connection, identity)
            self._evaluation = masked(evaluation, "open" if blinding == "open" else "systems")
            self.texts.show(evaluation.text("source"), evaluation.text("translation"), evaluation.alignment)
            self.texts.set_headings(
                f" source · {evaluation.article.direction.replace('-', ' → ')}",
                f" translation · {self._evaluation.system}",
            )
        return self._evaluation

    def _show_marks(self, evaluation: StoredEvaluation, row: Disagreement) -> None:
        lit: dict[Side, list[Mark]] = {side: [] for side in SIDES}
        places: list[Place] = []
        for saying in row.compared.said.values():
            if isinstance(saying, MarkedError | Verdict) and saying.spans:
                places += saying.spans
                for side, start, end in saying.spans:
                    severity = saying.severity if isinstance(saying, MarkedError) else None
                    lit[side].append(Mark(row.compared.subject, start, end, severity, own=True))
        if (finding := evaluation.find(row.compared.subject)) is not None:
            for side in SIDES:
                lit[side] += marks(finding, Standing(finding.finding.severity, dropped=False), side)
                if place := target(evaluation, finding, side):
                    places.append(Place(side, *place))
        self.texts.set_marks(lit["source"], lit["translation"])
        self.texts.current = row.compared.subject
        first = {side: next(((p.start, p.end) for p in places if p.side == side), None) for side in SIDES}
        self.texts.reveal(first["source"], first["translation"])

    # --- moving ---

    def _go_to_open(self, start: int) -> bool:
        for step in range(len(self._rows)):
            index = (start + step) % len(self._rows)
            if not self._rows[index].settled:
                self.table.move_cursor(index)
                self._show()
                return True
        return False

    def action_next_disagreement(self) -> None:
        """Go to the next that is not settled."""
        if not self._go_to_open((self.table.cursor or 0) + 1):
            self.app.say("Everything here is settled. f takes over what is agreed about and ends the evaluation.")

    def action_switch_pane(self) -> None:
        """Go to the other pane."""
        self.texts.swap()

    def action_back(self) -> None:
        """Go back to the queue."""
        self.app.pop_screen()

    # --- settling ---

    def action_take_first(self) -> None:
        """The first reviewer is right."""
        self._take(0)

    def action_take_second(self) -> None:
        """The second."""
        self._take(1)

    def action_take_third(self) -> None:
        """The third."""
        self._take(2)

    def action_take_fourth(self) -> None:
        """The fourth."""
        self._take(3)

    def action_take_fifth(self) -> None:
        """The fifth."""
        self._take(4)

    def _current(self) -> Disagreement:
        if (row := self.table.current) is None:
            raise Refused("There is nothing to settle here")
        return row

    def _take(self, number: int) -> None:
        row = self._current()
        said = list(row.compared.said.items())
        if number >= len(said):
            self.app.say(f"Only {len(said)} reviewers have said something of this", warning=True)
            return
        layer, saying = said[number]
        self._hand.settle(row.evaluation, row.compared, saying)
        self._read()
        self.app.say(f"{layer}'s word holds: {_in_words(saying)}")
        self._go_to_open(self.table.cursor or 0)

    def action_own_word(self) -> None:
        """None of them is right: decide in the review itself."""
        from discox_tui.screens.review import ReviewScreen

        row, session = self._current(), self.app.session
        session.open(row.evaluation, layer_of(session.reviewer, "adjudicated"))
        self.app.push_screen(ReviewScreen({"finding": row.compared.subject}))

    def action_settle(self) -> None:
        """Take over what all agree about, and end the adjudication of this evaluation."""
        row = self._current()
        left = sum(each.evaluation == row.evaluation and not each.settled for each in self._rows)
        if left:
            # Not refused: after that the next digit is swallowed, and here it is an answer.
            self.app.say(f"{left} of this evaluation are not settled yet", warning=True)
            return
        taken = self._hand.finish(row.evaluation)
        self._read()
        self.app.say(f"{row.article} by {row.system} is settled, with {taken} that all agree about.")
        self._go_to_open(self.table.cursor or 0)

    def action_undo(self) -> None:
        """Take back what was settled last."""
        self._step(self._hand.log.undo(), "Undid", "There is nothing left to undo.")

    def action_redo(self) -> None:
        """Settle again what was taken back."""
        self._step(self._hand.log.redo(), "Did again", "There is nothing to do again.")

    def _step(self, event: Event | None, did: str, nothing: str) -> None:
        self._read()
        if event is None:
            self.app.say(nothing)
            return
        for index, row in enumerate(self._rows):
            subjects = {row.compared.subject, *row.compared.errors}
            if row.evaluation == event.evaluation_id and (event.finding_id or "instruction") in subjects:
                self.table.move_cursor(index)
                self._show()
        self.app.say(f"{did}: what was settled last")


def _key(row: Disagreement) -> tuple[str, str]:
    return row.evaluation, row.compared.subject


def _cells(row: Disagreement) -> Sequence[Cell]:
    said = "".join(_mark(saying) for saying in row.compared.said.values())
    mark = ("✓", "good") if row.settled else ("∙", "faint")
    return mark, row.article, (row.system, "faint"), _what(row), (said, "current")


def _what(row: Disagreement) -> str:
    match row.compared.kind:
        case "finding":
            return f"error {row.number}"
        case "point":
            return f"point {row.compared.subject.removeprefix(POINT)}"
        case "error":
            return "missed?"
        case "instruction":
            return "instruction"


def _mark(saying: Saying) -> str:
    match saying:
        case Verdict():
            return DECISION_MARKS[saying.decision]
        case MarkedError():
            return OWN_MARK
        case PointVerdict():
            return {"met": "✓", "violated": "✗", "too_strict": "⊘"}[saying.decision]
        case None:
            return "∙"
        case _:
            return "✓" if saying == "agree" else "✗"


def _in_words(saying: Saying) -> str:
    """What a reviewer says, in a line."""
    match saying:
        case Verdict():
            changes = [words(value) for value in (saying.dimension, saying.category, saying.severity) if value]
            changes += ["other place"] if saying.spans else []
            return f"{words(saying.decision)}{': ' if changes else ''}{', '.join(changes)}"
        case MarkedError():
            return f"{saying.dimension} · {words(saying.category)} · {words(saying.severity)}"
        case PointVerdict():
            return words(saying.decision)
        case None:
            return "searched, and marked nothing here"
        case _:
            return f"{saying}s with the instruction check" if saying == "agree" else "overturns the instruction check"


def _saying(evaluation: StoredEvaluation, number: int, layer: str, saying: Saying) -> list[Runs]:
    """One reviewer's word, with her reason."""
    rows: list[Runs] = [[(f"{number}  ", "title"), (layer, "strong")], [(f"{_mark(saying)} {_in_words(saying)}", "")]]
    if isinstance(saying, Verdict) and (other := evaluation.find(saying.duplicate_of)):
        rows.append([("of  ", "faint"), (f"{other.number}, {describe.short_title(other)}", "")])
    if isinstance(saying, Verdict | MarkedError):
        rows += [
            [(f"{side}  ", "faint"), (f"“{evaluation.text(side)[start:end]}”", "")]
            for side, start, end in saying.spans or ()
        ]
    if isinstance(saying, Verdict | MarkedError | PointVerdict) and saying.note:
        rows.append([("note  ", "faint"), (saying.note, "")])
    return rows


def _judges(evaluation: StoredEvaluation, row: Disagreement) -> list[Runs]:
    """What the judge says of it."""
    finding = evaluation.find(row.compared.subject)
    if finding is not None:
        mark = SEVERITY_MARKS[finding.finding.severity] if finding.finding.severity else "?"
        title = f"{finding.number}  {describe.short_title(finding)}"
        dropped = [] if finding.finding.kept else [("  dropped by de-duplication", "faint")]
        return [[("judge  ", "faint"), (f"{mark} {title}", "strong"), *dropped], [(finding.finding.explanation, "")]]
    if row.compared.kind == "point":
        number = int(row.compared.subject.removeprefix(POINT))
        text = next((point.text for point in evaluation.article.rubric if point.number == number), "")
        return [[("rubric  ", "faint"), (f"{number}  {text}", "")]]
    if row.compared.kind == "instruction":
        return [[("judge  ", "faint"), (evaluation.instruction_check or words(evaluation.state), "")]]
    return [[("The judge has nothing here: a reviewer marked it as missed.", "")]]
