"""De-duplication: the findings, the advice on them, what stands, and the reviewer's verdicts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.reports.render.phrases import nothing_found
from discox_tui.screens.review import dialogs, presenter
from discox_tui.screens.review.error_marks import Standing
from discox_tui.screens.review.list_screen import EvaluationListScreen
from discox_tui.sessions.library import Refused
from discox_tui.text.glyphs import DECISION_MARKS, SEVERITY_MARKS
from discox_tui.text.runs import Run, Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column
from judges.metric_s.scoring import judge_deduction, score
from judges.model import AdviceStatus, Flag, Judge
from storage.record.library import StoredFinding
from storage.reviews.events import Event

COLUMNS = (
    Column("decision", "", 1, priority=9),
    Column("number", "#", 3, align="right", priority=8),
    Column("error", "found", 31, priority=7),
    Column("after", "after advice", 16, priority=6),
    Column("yours", "yours", 16, priority=5),
    Column("words", "", 8, flex=1, priority=4),
)
NARROW_COLUMNS = tuple(
    column._replace(width=width) for column, width in zip(COLUMNS, (1, 3, 10, 14, 15, 8), strict=True)
)
STATUS: dict[AdviceStatus, tuple[str, str]] = {
    "applied": ("carried out", "good"),
    "refused": ("refused", "major"),
    "names_nothing": ("names nothing", "faint"),
    "no_such_finding": ("no such finding", "major"),
}
"""Outcomes of a line of advice, each with its style."""
REPEATED = "repeated"
"""The heading of what a judge said word for word twice."""
UNPROVED = "unproved"
"""The heading of what no mend bettered."""
STANDING = "what stands"
"""The heading of what was kept."""
Heading: TypeAlias = int | str
"""The position of a line of advice, or one of the other headings."""


_SAID = {
    REPEATED: "the judge said these twice, word for word",
    UNPROVED: "mended, their sentences were no better, so they cost nothing",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A heading, or a finding beneath it."""

    heading: Heading
    stored: StoredFinding | None = None


class DeduplicationScreen(EvaluationListScreen[Line]):
    """Every line of advice with what it dropped, then what stands; a key agrees, restores, or finds a duplicate."""

    NAME = "deduplication"
    TITLE_WORDS = "de-duplication"
    COLUMNS = COLUMNS
    NARROW_COLUMNS = NARROW_COLUMNS
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)

    def content(self) -> ComposeResult:
        """A title, the advice and the findings, the current one in full, three scores."""
        yield Bar(id="title")
        yield self.make_list()
        yield TextBlock(id="detail")
        yield Bar(3, id="score")

    def action_deduplication(self) -> None:
        """The key that opened it closes it."""
        self.action_back()

    def nothing(self) -> str:
        """Without findings nothing can be a duplicate."""
        return "" if self.evaluation.findings or self.evaluation.advice else nothing_found(self.evaluation)

    def rows(self) -> Sequence[Line]:
        """Each line of advice with what it dropped, what was repeated word for word, what stands."""
        findings = self.evaluation.findings
        unproved = [Line(UNPROVED, stored) for stored in findings if stored.left_out_unproved]
        dropped = [stored for stored in findings if not stored.finding.kept and not stored.left_out_unproved]
        advised: list[Heading] = [*range(len(self.evaluation.advice))]
        lines: list[Line] = []
        for heading in advised:
            beneath = [Line(heading, stored) for stored in dropped if stored.finding.advice == heading]
            lines += [Line(heading), *beneath]
        if repeated := [Line(REPEATED, stored) for stored in dropped if stored.finding.advice not in advised]:
            lines += [Line(REPEATED), *repeated]
        lines += [Line(UNPROVED), *unproved] if unproved else []
        return [*lines, Line(STANDING), *(Line(STANDING, stored) for stored in self.evaluation.errors)]

    def key(self, row: Line) -> Hashable:
        """The finding, or the heading."""
        return row.stored.id if row.stored else row.heading

    def subject(self, row: Line) -> str | None:
        """The finding."""
        return row.stored.id if row.stored else None

    def count(self) -> Runs:
        """Return the numbers found, dropped and left, and the number that stands by the reviewer."""
        found, stand = len(self.evaluation.findings), len(self.evaluation.errors)
        session = self.app.session
        yours = sum(not Standing.of(stored, session).dropped for stored in self.evaluation.findings)
        said = f"{found} found → {found - stand} dropped → {stand} stand"
        return [(said, "strong"), (f" · {yours} by you", "faint")]

    def scores(self) -> Sequence[tuple[Runs, Runs]]:
        """The score before de-duplication, after it, and the reviewer's."""
        evaluation, weights = self.evaluation, self.evaluation.weights
        before = None
        if evaluation.state == "scored":
            costs = (judge_deduction(replace(stored.finding, kept=True)) for stored in evaluation.findings)
            before = score((cost for cost in costs if cost), weights)
        narrow = not self.roomy
        return ((presenter.points("found", before, None, weights, narrow=narrow), ()), *super().scores())

    # --- a line as cells ---

    def cells(self, row: Line) -> Sequence[Cell]:
        """A heading, or a finding: what it was, what became of it, the reviewer's verdict."""
        if row.stored is None:
            return self._heading(row.heading)
        stored, session = row.stored, self.app.session
        now, verdict = Standing.of(stored, session), session.verdict(stored)
        severity = stored.finding.severity
        mark = f"{SEVERITY_MARKS[severity] if severity else '?'} "
        if self.list.columns == COLUMNS:
            name = presenter.short_title(stored)
        elif (point := stored.finding.rubric_point) is not None:
            name = f"r {point}"
        else:
            name = f"{presenter.SHORT[stored.finding.dimension]} {stored.finding.index}"
        return [
            (DECISION_MARKS[verdict.decision], "current" if verdict.decision else "faint"),
            str(stored.number),
            (mark + name, severity or "faint"),
            self._after_advice(stored),
            (self._yours(stored), "current" if verdict.decision else "faint"),
            (presenter.excerpt(self.evaluation, stored, now), "faint" if now.dropped else "plain"),
        ]

    def _heading(self, heading: Heading) -> Sequence[Cell]:
        if isinstance(heading, str):
            said = _SAID.get(heading, "")
            return ["", "", (heading, "strong"), "", "", (said, "faint")]
        advice = self.evaluation.advice[heading]
        return [
            "",
            "",
            (f"advice {heading + 1}", "strong"),
            STATUS[advice.status],
            "",
            (self._advised(heading), "faint"),
        ]

    def _advised(self, line: int) -> str:
        """Return the advice of a line, in the judges' own numbers."""
        advice = self.evaluation.advice[line]
        drops, keeps = (", ".join(map(_reference, names)) for names in (advice.drops, advice.keeps))
        if not drops:
            return "drops nothing"
        return f"drop {drops}" + (f" in favour of {keeps}" if keeps else "")

    def _after_advice(self, stored: StoredFinding) -> Cell:
        if stored.finding.kept:
            return "stands"
        if stored.left_out_unproved:
            return UNPROVED, "faint"
        other = self.evaluation.find(stored.duplicate_of)
        return (f"dropped for {other.number}" if other else "dropped"), "faint"

    def _yours(self, stored: StoredFinding) -> str:
        """Return what becomes of a finding by the reviewer's verdict; empty without one."""
        verdict = self.app.session.verdict(stored)
        match verdict.decision:
            case None:
                return ""
            case "unsure":
                return "unsure"
            case "restore":
                return "brought back"
            case "duplicate":
                other = self.evaluation.find(verdict.duplicate_of)
                return f"duplicate of {other.number}" if other else "duplicate"
        if not stored.finding.kept:
            return "dropped"
        return "no error" if Standing.of(stored, self.app.session).dropped else "stands"

    # --- a line in full ---

    def detail(self, row: Line) -> list[Runs]:
        """Return the advice and its reason, or a finding beside the one that it gave way to."""
        if row.stored is None:
            return self._of_heading(row.heading)
        stored, session, evaluation = row.stored, self.app.session, self.evaluation
        paragraphs: list[Runs] = [
            [(f"{stored.number}  ", "title"), (presenter.short_title(stored), "strong")],
            [(stored.finding.explanation, "")],
        ]
        if not stored.finding.kept:
            if other := evaluation.find(stored.duplicate_of):
                name: list[Run] = [("for  ", "faint"), (f"{other.number} {presenter.short_title(other)}  ", "strong")]
                paragraphs.append([*name, (other.finding.explanation, "")])
            if isinstance(row.heading, int):
                paragraphs.append([("advice  ", "faint"), (evaluation.advice[row.heading].text, "")])
        if covered := [str(other.number) for other in evaluation.findings if other.duplicate_of == stored.id]:
            paragraphs.append([("covers  ", "faint"), (f"{', '.join(covered)}: dropped as duplicate", "")])
        if note := session.verdict(stored).note:
            paragraphs.append([("note  ", "faint"), (note, "")])
        return paragraphs

    def _of_heading(self, heading: Heading) -> list[Runs]:
        evaluation = self.evaluation
        if isinstance(heading, int):
            status, style = STATUS[evaluation.advice[heading].status]
            begin = f"advice {heading + 1}: "
            return [
                [(f"advice {heading + 1}  ", "title"), (status, style), (f"  {self._advised(heading)}", "")],
                *([("why  ", "faint"), (flag.message.removeprefix(begin), "")] for flag in self._flags(begin)),
                [("advice  ", "faint"), (evaluation.advice[heading].text, "")],
            ]
        if heading == REPEATED:
            return [[("A judge that says the same again, of the same place, is counted once.", "")]]
        if heading == UNPROVED:
            return [[("They are in no score; b brings one back. The mend of each stands in the review's detail.", "")]]
        if "deduplication" in evaluation.failed:
            said = "The de-duplicator gave nothing usable. What it answered:"
        elif not evaluation.advice:
            said = "The de-duplicator advised to drop nothing. What it answered:"
        else:
            said = "= calls one of these a duplicate of another. What the de-duplicator answered:"
        return [[(said, "")], [(evaluation.advice_text or "nothing", "faint")]]

    def _flags(self, begin: str) -> Sequence[Flag]:
        return [flag for flag in self.evaluation.flags if flag.message.startswith(begin)]

    # --- deciding ---

    def _stored(self) -> StoredFinding:
        row = self.list.current
        if row is None or row.stored is None:
            raise Refused("Choose one of the findings beneath")
        return row.stored

    def _said(self, event: Event | None) -> None:
        """Show what came of an act and go on to the next finding, if the reviewer wants that."""
        self.refresh_rows()
        if event is not None and self.app.auto_advance:
            at = self.list.cursor or 0
            rest = range(at + 1, len(self.list.rows))
            self.select(next((i for i in rest if self.list.rows[i].stored), at))

    def action_agree(self) -> None:
        """It is rightly dropped."""
        stored = self._stored()
        if stored.finding.kept:
            raise Refused("This one stands; enter goes to it in the review, = calls it a duplicate of another")
        self._said(self.app.session.decide(stored, "agree"))

    def action_restore(self) -> None:
        """It should count after all."""
        self._said(self.app.session.decide(self._stored(), "restore"))

    def action_clear_verdict(self) -> None:
        """No verdict after all."""
        stored, session = self._stored(), self.app.session
        session.clear(stored)
        self.refresh_rows()
        self.app.say(presenter.cleared(f"error {stored.number}", session.verdict(stored).note))

    async def action_duplicate(self) -> None:
        """It stands, but is a duplicate of another one."""
        await self._ask(dialogs.duplicate(self.app.session, self._stored()))

    async def action_note(self) -> None:
        """A note on the finding."""
        await self._ask(dialogs.note(self.app.session, self._stored()))

    async def _ask(self, question: dialogs.Question) -> None:
        def answered(value: str | None) -> None:
            if value is not None:
                with self.app.safely():
                    event = question.act(value)
                    self._said(event if question.decides else None)

        await self.app.push_screen(question.screen, answered)


def _reference(reference: tuple[Judge, int]) -> str:
    """A finding as a line of advice names it."""
    judge, number = reference
    return f"rubric point {number}" if judge == "rubric" else f"{judge} {number}"
