"""The score breakdown: points that each error takes from 60/20/20 by the judge and by the reviewer, with floors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.reports.render.phrases import failed
from discox_tui.screens.review import presenter
from discox_tui.screens.review.error_marks import Standing
from discox_tui.screens.review.list_screen import EvaluationListScreen
from discox_tui.text.glyphs import DECISION_MARKS, OWN_MARK, REPEAT_MARK, SEVERITY_MARKS
from discox_tui.text.runs import Run, Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column
from judges.metric_s.waterfall import NO_TRANSLATION, POINT, Move, Step, Waterfall, effect, waterfall
from judges.model import DIMENSIONS, Decision, Dimension, Finding, MarkedError
from storage.record.library import StoredFinding

LEFT, TAKEN, GONE = "⣿", "⠶", "⠂"
"""Parts of a bar: points that are left, points that this error takes, points that went before."""
BAR, NARROW_BAR = 20, 6
BRIEFLY: dict[Decision | None, str] = {"agree": "agree", "not_an_error": "no error", "restore": "brought back"}
"""Decisions in fewer words than their names."""
OWN_COUNTS = "Errors that you mark make a score once you state that you searched for them (m in the review)."


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the list: a step, or (None) where a dimension begins."""

    dimension: Dimension
    step: Step | None = None


def _columns(bar: int, points: int, error: int, said: str) -> tuple[Column, ...]:
    return (
        Column("label", "#", 3, align="right", priority=9),
        Column("error", "error", error, priority=8),
        Column("judge", "judge", points, align="right", priority=7),
        Column("judge_bar", "", bar, priority=2),
        Column("judge_left", "left", 4, align="right", priority=6),
        Column("you", "you", points, align="right", priority=7),
        Column("your_bar", "", bar, priority=3),
        Column("your_left", "left", 4, align="right", priority=6),
        Column("change", said, 8, flex=1, priority=5),
    )


class WaterfallScreen(EvaluationListScreen[Line]):
    """The steps of the open evaluation's two scores, the judge's and the reviewer's."""

    NAME = "waterfall"
    TITLE_WORDS = "how the score comes about"
    COLUMNS = _columns(BAR, 9, 20, "what you said")
    NARROW_COLUMNS = _columns(NARROW_BAR, 5, 11, "you said")
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)

    whole = Waterfall((), None, None)
    """The steps as they are now."""

    def content(self) -> ComposeResult:
        """A title, the steps, the current one in words, the scores."""
        yield Bar(id="title")
        yield self.make_list()
        yield TextBlock(id="detail")
        yield Bar(2, id="score")

    def action_waterfall(self) -> None:
        """The key that opened it closes it."""
        self.action_back()

    def refresh_rows(self) -> None:
        """Compute the steps anew."""
        evaluation, findings = self.evaluation, self._findings
        self.whole = waterfall(evaluation.state, findings, self.app.session.work, evaluation.weights)
        super().refresh_rows()

    @property
    def _findings(self) -> dict[str, Finding]:
        return {stored.id: stored.finding for stored in self.evaluation.findings}

    def nothing(self) -> str:
        """Return why there are no steps."""
        if self.whole.judge or self.whole.human:
            return ""
        evaluation = self.evaluation
        return {
            "score_only": f"The judge gave a score and named no errors, so there are no steps to it. {OWN_COUNTS}",
            "judge_failed": f"No score is claimed: {failed(evaluation)} gave nothing usable. {OWN_COUNTS}",
            "no_translation": "The system gave no translation, so there is nothing to take points from.",
        }.get(evaluation.state, "No score is claimed.")

    def rows(self) -> Sequence[Line]:
        """Each dimension's beginning and its steps."""
        lines: list[Line] = []
        steps = self.whole.steps
        for dimension in DIMENSIONS:
            here = [Line(dimension, step) for step in steps if step.dimension == dimension]
            if here or dimension in self.evaluation.weights.judged:
                lines += [Line(dimension), *here]
        return lines

    def key(self, row: Line) -> tuple[str, str]:
        """An error that was moved is in two dimensions."""
        return row.dimension, row.step.subject if row.step else ""

    def subject(self, row: Line) -> str | None:
        """The error, if it is one of the list."""
        found = self.app.session.find(row.step.subject) if row.step else None
        return found.id if found else None

    def concerns(self, row: Line, identity: str | None) -> bool:
        """A step is also about a point that is no finding."""
        return row.step is not None and row.step.subject == identity

    def count(self) -> Runs:
        """By how much the two scores differ."""
        whole = self.whole
        if whole.judge is None or whole.human is None:
            return ()
        difference = whole.human.total - whole.judge.total
        if not difference:
            return [("you give the same as the judge", "faint")]
        more = "more" if difference > 0 else "less"
        return [("you give ", "faint"), (f"{abs(difference)} {more}", "strong"), (" than the judge", "faint")]

    # --- a step as cells ---

    def cells(self, row: Line) -> Sequence[Cell]:
        """Return the points that a step takes, and the points left."""
        roomy = self.list.columns == self.COLUMNS
        most = self.evaluation.weights.maxima[row.dimension]
        whole = self.whole
        if row.step is None:
            full = [
                move
                for claimed in (whole.judge, whole.human)
                for move in ("", *self._side(Move(None, 0, 0, most) if claimed else None, most, roomy)[1:])
            ]
            return ["", (row.dimension if roomy else presenter.SHORT[row.dimension], "strong"), *full, ""]
        step = row.step
        label, error = self._error(step)
        sides = (*self._side(step.judge, most, roomy), *self._side(step.human, most, roomy))
        subject = self.app.session.find(step.subject)
        dropped = isinstance(subject, StoredFinding) and not subject.finding.kept
        change = self._change(step)
        return [label, error, *sides, (change, "current") if change or not dropped else ("dropped", "faint")]

    def _error(self, step: Step) -> tuple[Cell, Cell]:
        """Return the name of a step."""
        session = self.app.session
        if step.subject == NO_TRANSLATION:
            return "", ("everything", "critical")
        if (subject := session.find(step.subject)) is None:
            number = step.subject.removeprefix(POINT)
            return OWN_MARK, (f"{SEVERITY_MARKS['violated']} rubric {number}", "violated")
        taken = next((move.severity for move in (step.judge, step.human) if move and move.severity), None)
        severity = taken or Standing.of(subject, session).severity
        name = "extreme" if severity == "extremely_critical" else presenter.words(severity)
        if severity == "violated" and isinstance(subject, StoredFinding):
            name = f"rubric {subject.finding.rubric_point}"
        mark = SEVERITY_MARKS[severity] if severity else "?"
        return session.label(subject), (f"{mark} {name}", taken or "faint")

    def _side(self, move: Move | None, most: int, roomy: bool) -> tuple[Cell, Cell, Cell]:
        """Return the points one side takes, a bar, the points left."""
        if move is None:
            return ("–", "faint"), "", ("–", "faint")
        taken: Cell = ("0", "faint")
        if move.counted < move.points:
            taken = (f"−{move.counted} of {move.points}" if roomy else f"{move.counted}/{move.points}", "major")
        elif move.points:
            taken = f"−{move.points}"
        return taken, _bar(move, most, BAR if roomy else NARROW_BAR), str(move.left)

    def _change(self, step: Step) -> str:
        """Return the reviewer's verdict, and by how many points it differs by rule in this dimension."""
        session = self.app.session
        if step.human is None:
            return ""
        if step.subject == NO_TRANSLATION:
            said = {"agree": "✓ agree", "overturn": "✗ overturned"}
            return said.get(session.work.instruction or "", "")
        if NO_TRANSLATION in (each.subject for each in self.whole.steps):
            return ""  # whatever the verdict, everything is gone by one of the two
        difference = f" {_signed((step.judge.points if step.judge else 0) - step.human.points)}"
        subject = session.find(step.subject)
        if subject is None:
            return f"violated, you say{difference}"
        if (other := session.counts_as(subject)) is not None:
            return f"{REPEAT_MARK} counts with {session.label(other)}{difference}"
        if isinstance(subject, MarkedError):
            return f"{OWN_MARK} yours{difference}"
        verdict = session.verdict(subject)
        if verdict.decision is None:
            return ""
        said_ = BRIEFLY.get(verdict.decision) or presenter.words(verdict.severity or verdict.decision)
        if verdict.dimension and verdict.dimension != subject.finding.dimension:
            here = step.dimension == subject.finding.dimension
            said_ = f"to {verdict.dimension}" if here else f"from {subject.finding.dimension}"
        return f"{DECISION_MARKS[verdict.decision]} {said_}{difference}"

    # --- a step in words ---

    def detail(self, row: Line) -> list[Runs]:
        """Each side's step in words, and what the reviewer's verdict does to the total."""
        if row.step is None:
            return self._begin(row.dimension)
        step, session, evaluation = row.step, self.app.session, self.evaluation
        subject = session.find(step.subject)
        paragraphs: list[Runs] = [self._title(step)]
        paragraphs.append([("judge  ", "faint"), *_words(step.judge, step.dimension)])
        if isinstance(subject, StoredFinding) and not subject.finding.kept:
            why = "it was unproved" if subject.left_out_unproved else "de-duplication had dropped it"
            paragraphs[-1] = [*paragraphs[-1], (f"; {why}", "faint")]
        change = self._change(step)
        human: list[Run] = [("you  ", "faint"), *_words(step.human, step.dimension)]
        paragraphs.append([*human, (f"; {change}" if change else "", "current")])
        moved = effect(step.subject, evaluation.state, self._findings, session.work, evaluation.weights)
        if moved is not None and change:
            said = f"your word on it makes your total {_signed(moved)}"
            if not moved:
                swallowed = step.judge and step.human and step.judge.points != step.human.points
                said = "your word on it changes nothing in your total" + (": a floor swallows it" if swallowed else "")
            paragraphs.append([("effect  ", "faint"), (said, "strong" if moved else "")])
        if subject is not None:
            words = presenter.excerpt(evaluation, subject, Standing.of(subject, session))
            paragraphs.append([(words, "faint")])
        return paragraphs

    def _title(self, step: Step) -> Runs:
        session = self.app.session
        if step.subject == NO_TRANSLATION:
            return [("The output is no translation of the whole text", "critical")]
        if (subject := session.find(step.subject)) is None:
            number = step.subject.removeprefix(POINT)
            return [(f"rubric point {number}", "strong"), ("  the judge did not call it violated", "faint")]
        return [(f"{session.label(subject)}  ", "title"), (presenter.short_title(subject), "strong")]

    def _begin(self, dimension: Dimension) -> list[Runs]:
        """Return a dimension's sum, and how to read the bars."""
        whole = self.whole
        scores: list[Run] = [(f"{dimension}  ", "strong")]
        for name, score in (("judge", whole.judge), ("you", whole.human)):
            if score is not None:
                lost = score.lost[DIMENSIONS.index(dimension)]
                floor = f", {lost} below the floor" if lost else ""
                most = self.evaluation.weights.maxima[dimension]
                scores.append((f"{name} {score.of(dimension)} of {most}{floor}  ", ""))
        legend = f"{LEFT * 3} left   {TAKEN * 3} taken by this error   {GONE * 3} gone before"
        floors = "“of”: the floor at 0 swallows the rest."
        return [scores, [(legend, "faint")], [(floors, "faint")]]


def _bar(move: Move, most: int, width: int) -> str:
    """Return the cells of a bar: points left, points just taken, points gone before."""
    left = round(width * move.left / most) if most else 0
    before = round(width * (move.left + move.counted) / most) if most else 0
    return LEFT * left + TAKEN * (before - left) + GONE * (width - before)


def _words(move: Move | None, dimension: Dimension) -> list[Run]:
    """One side's step in words."""
    if move is None:
        return [("no score is claimed", "faint")]
    before = move.left + move.counted
    if not move.points:
        return [(f"takes nothing; {dimension} stays at {move.left}", "")]
    if move.counted < move.points:
        if not move.counted:
            return [(f"−{move.points} does not count: {dimension} stands at its floor already", "major")]
        only = f"of −{move.points} only {move.counted} count; {dimension} {before} → {move.left}"
        return [(only, ""), ("  the floor swallows the rest", "major")]
    return [(f"takes {move.points}; {dimension} {before} → {move.left}", "")]


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"
