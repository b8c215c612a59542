"""The rubric of the article under review: what judge and reviewer say of each point, and where its terms are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from discox_tui.core import actions
from discox_tui.screens.common.dialogs import Ask
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.review import error_marks, presenter
from discox_tui.screens.review.list_screen import EvaluationListScreen
from discox_tui.sessions.drafts import Draft
from discox_tui.sessions.library import Refused
from discox_tui.text.glyphs import DECISION_MARKS, SEVERITY_MARKS
from discox_tui.text.runs import Runs
from discox_tui.text.styles import Mark
from discox_tui.text.wrapping import lines
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.paired_texts import PairedTexts
from discox_tui.widgets.text_pane import TextPane
from discox_tui.widgets.virtual_table import Cell, Column
from judges.model import SIDES, Grounded, PointDecision, RubricPoint, RubricVerdict, Side, Span
from storage.reviews.events import POINT

if TYPE_CHECKING:
    from judges.grounding import Documents

COLUMNS = (
    Column("number", "#", 3, align="right", priority=9),
    Column("judge", "judge", 12, priority=8),
    Column("yours", "you", 12, priority=7),
    Column("text", "rubric point", 8, flex=1, priority=6),
)
NARROW_COLUMNS = (COLUMNS[0], COLUMNS[1]._replace(width=10), *COLUMNS[2:])
SAID: dict[PointDecision, str] = {
    "met": f"{DECISION_MARKS['agree']} met",
    "violated": f"{SEVERITY_MARKS['violated']} violated",
    "too_strict": f"{DECISION_MARKS['too_strict']} too strict",
}
"""Decisions of a reviewer, or the judge, on a point, as a list shows them."""
CURRENT, FORBIDDEN = "point", "forbidden"
"""The keys of what is highlighted: what the point asks for, and what it forbids."""
SHOWN = 12
"""Places of one term that are named at the most."""


class RubricScreen(EvaluationListScreen[RubricPoint]):
    """Each point with its verdicts; its terms are highlighted in both texts."""

    NAME = "rubric"
    TITLE_WORDS = "rubric points"
    COLUMNS = COLUMNS
    NARROW_COLUMNS = NARROW_COLUMNS
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "RubricScreen")

    _documents: Documents | None = None
    _at = -1
    """Number of the current point's place that was shown last."""

    def content(self) -> ComposeResult:
        """A title, the texts, the points and the current one in full, the scores."""
        self._located: dict[int, Grounded] = {}
        yield Bar(id="title")
        yield PairedTexts(ambiguous=self.app.ambiguous, id="texts")
        with Horizontal(id="lower"):
            yield self.make_list()
            yield TextBlock(id="detail")
        yield Bar(2, id="score")

    def on_mount(self) -> None:
        """Show the texts; what is in them of a point follows with it."""
        # Once both panes know their size: each learns it in its own time.
        self.call_after_refresh(self.texts.source.call_later, self.texts.translation.call_later, self._reveal)
        evaluation = self.evaluation
        self.texts.show(evaluation.text("source"), evaluation.text("translation"), evaluation.alignment)
        self.texts.set_headings(*presenter.headings(evaluation))

    def action_rubric(self) -> None:
        """The key that opened it closes it."""
        self.leave()

    def nothing(self) -> str:
        """Return why there are no points."""
        return "" if self.rows() else "This article has no rubric points."

    def rows(self) -> Sequence[RubricPoint]:
        """The article's points, and those that the judge speaks of besides."""
        points = {point.number: point for point in self.evaluation.article.rubric}
        spoken = [verdict.point for verdict in self.evaluation.rubric]
        spoken += [f.finding.rubric_point for f in self.evaluation.findings if f.finding.rubric_point is not None]
        for number in spoken:
            points.setdefault(number, RubricPoint(number, "this point is not in the article's rubric"))
        return list(points.values())

    def key(self, row: RubricPoint) -> int:
        """The number."""
        return row.number

    def subject(self, row: RubricPoint) -> str | None:
        """The finding that it is violated."""
        found = self.app.session.point_finding(row.number)
        return found.id if found else None

    def concerns(self, row: RubricPoint, identity: str | None) -> bool:
        """Tell if an act is about a point; one that is no finding goes by its number."""
        return identity is not None and identity in (self.subject(row), f"{POINT}{row.number}")

    def count(self) -> Runs:
        """Return the number of points that the judge calls met."""
        rows = self.rows()
        met = sum(self._judged(row.number)[0] == SAID["met"] for row in rows)
        return [("the judge calls ", "faint"), (f"{met} of {len(rows)} met", "strong")]

    # --- a point as cells ---

    def cells(self, row: RubricPoint) -> Sequence[Cell]:
        """Return a point's number, both verdicts, its text."""
        decision = self.app.session.point_decision(row.number)
        yours: Cell = (SAID[decision], "current") if decision else (DECISION_MARKS[None], "faint")
        return str(row.number), self._judged(row.number), yours, row.text

    def _verdict(self, number: int) -> RubricVerdict | None:
        return next((verdict for verdict in self.evaluation.rubric if verdict.point == number), None)

    def _judged(self, number: int) -> tuple[str, str]:
        """The judge's verdict on a point."""
        if (found := self.app.session.point_finding(number)) is not None:
            return (SAID["violated"], "violated") if found.finding.kept else ("▿ dropped", "faint")
        verdict = self._verdict(number)
        if verdict is None:
            return ("no answer" if "rubric" in self.evaluation.failed else "not said"), "faint"
        if verdict.met is None:
            return "? unclear", "major"
        return (SAID["met"], "good") if verdict.met else (SAID["violated"], "violated")

    # --- a point in full, and in the texts ---

    def detail(self, row: RubricPoint) -> list[Runs]:
        """The point, what is said of it, where its terms are."""
        session, verdict = self.app.session, self._verdict(row.number)
        found = session.point_finding(row.number)
        said, style = self._judged(row.number)
        explanation = found.finding.explanation if found else verdict.explanation if verdict else ""
        if verdict and verdict.met is None and not found:
            explanation = f"“{verdict.label}” cannot be read. {explanation}"
        paragraphs: list[Runs] = [
            [(f"{row.number}  ", "title"), (row.text, "")],
            [("judge  ", "faint"), (said, style), (f"  {explanation}", "")],
        ]
        if found and not found.finding.kept and (other := self.evaluation.find(found.duplicate_of)):
            paragraphs.append([("dropped  ", "faint"), (f"for {other.number}, {presenter.short_title(other)}", "")])
        paragraphs += presenter.contradicted(session, found.id if found else f"{POINT}{row.number}")
        if decision := session.point_decision(row.number):
            paragraphs.append([("you  ", "faint"), (SAID[decision], "current")])
        if note := session.point_note(row.number):
            paragraphs.append([("note  ", "faint"), (note, "")])
        return [*paragraphs, *self._terms(row)]

    def _grounded(self, row: RubricPoint) -> Grounded:
        """Return the places of a point's terms; the texts are prepared for that once."""
        if row.number not in self._located:
            from judges.grounding import ground_rubric_point, prepare  # not before somebody asks for a term

            evaluation = self.evaluation
            if self._documents is None:
                source, translation = evaluation.text("source"), evaluation.text("translation")
                self._documents = prepare(source, translation, evaluation.article.direction)
            self._located[row.number] = ground_rubric_point(self._documents, row.text)
        return self._located[row.number]

    def _terms(self, row: RubricPoint) -> Iterator[Runs]:
        """Each term with the paragraphs that it is in, and what is nowhere."""
        grounded = self._grounded(row)
        places: dict[tuple[str, str], list[str]] = {}
        for span in grounded.spans:
            words = self.evaluation.text(span.side)[span.start : span.end]
            number = error_marks.paragraph_at(self.evaluation.text(span.side), span.start)
            places.setdefault((_role(span), words), []).append("" if number is None else f"¶{number + 1}")
        for (role, words), found in places.items():
            where = " ".join(found[:SHOWN]) + (" …" if len(found) > SHOWN else "")
            style = "violated" if role == "forbidden" else ""
            yield [(f"{role}  ", "faint"), (f"“{words}”", style), (f"  {where}", "faint")]
        if not any(span.side == "translation" for span in grounded.spans):
            yield [("translation  ", "faint"), ("holds none of the renderings that the point names", "faint")]
        for side, words in grounded.unlocated:
            yield [("not found  ", "faint"), (f"“{words}” occurs nowhere in the {side}", "major")]

    def show_current(self) -> None:
        """Show the current point, and its terms in the texts."""
        super().show_current()
        row = self.list.current
        self._at = -1
        marks: dict[Side, list[Mark]] = {side: [] for side in SIDES}
        for side in SIDES:
            self.texts.pane(side).set_matches(())
        if row is None:
            self.texts.set_marks([], [])
            return
        for span in self._grounded(row).spans:
            forbidden = _role(span) == "forbidden"
            mark = Mark(FORBIDDEN if forbidden else CURRENT, span.start, span.end, "violated" if forbidden else None)
            marks[span.side].append(mark)
        found = self.app.session.point_finding(row.number)
        for side in SIDES if found else ():
            if found:
                marks[side] += error_marks.marks(found, error_marks.Standing.of(found, self.app.session), side)
        self.texts.set_marks(marks["source"], marks["translation"])
        self.texts.current = CURRENT
        self._reveal()

    def _reveal(self) -> None:
        """Bring the current point's terms into view on both sides."""
        if (row := self.list.current) is not None:
            self.texts.reveal(self._first(row, "source"), self._first(row, "translation"))

    def _first(self, row: RubricPoint, side: Side) -> tuple[int, int] | None:
        """Return the stretch to bring into view: the first of a point's terms on a side, else the paragraph."""
        grounded = self._grounded(row)
        for span in grounded.spans:
            if span.side == side:
                return span.start, span.end
        number, paragraphs = grounded.paragraph(side), lines(self.evaluation.text(side))
        if number is None or number >= len(paragraphs):
            return None
        return paragraphs[number].start, paragraphs[number].start + 1

    # --- to the terms and back ---

    def action_next_term(self) -> None:
        """Go to the next place of the point's terms, in the source, then in the translation."""
        spans = self._grounded(self._point()).spans
        if not spans:
            raise Refused("None of the words that this point names is in the texts")
        self._at = (self._at + 1) % len(spans)
        span = spans[self._at]
        for side in SIDES:
            self.texts.pane(side).set_matches([(span.start, span.end)] if side == span.side else ())
        self.texts.front = span.side
        self.texts.pane(span.side).reveal(span.start, span.end)
        same = [other for other in spans if other.side == span.side]
        role = "" if _role(span) == span.side else f": {_role(span)}"
        self.app.say(f"{span.side}, {same.index(span) + 1} of {len(same)}{role}")

    def action_switch_pane(self) -> None:
        """Go into a text, then into the other."""
        self.texts.swap()

    def action_back(self) -> None:
        """Go back from the texts to the point, then to the review."""
        if isinstance(self.focused, TextPane):
            self.set_focus(self.list)
        elif self._at >= 0:
            self.show_current()
        else:
            self.leave()

    # --- deciding ---

    def _point(self) -> RubricPoint:
        if (row := self.list.current) is None:
            raise Refused(self.absent)
        return row

    def _decide(self, decision: PointDecision) -> None:
        row, session = self._point(), self.app.session
        found = session.point_finding(row.number)
        if found is not None and not found.finding.kept:
            raise Refused("De-duplication dropped this point: agree with that, or bring it back, in the review (enter)")
        event = session.set_point(row.number, decision)
        self.refresh_rows()
        if event is not None and self.app.auto_advance:
            self.action_next_row()

    def action_point_met(self) -> None:
        """The translation does what the point asks for."""
        self._decide("met")

    def action_point_violated(self) -> None:
        """It does not."""
        self._decide("violated")

    def action_point_too_strict(self) -> None:
        """The point asks for too much."""
        self._decide("too_strict")

    def action_clear_verdict(self) -> None:
        """Nothing is said of the point after all."""
        row, session = self._point(), self.app.session
        note = session.point_note(row.number)
        session.clear_point(row.number)
        self.refresh_rows()
        self.app.say(presenter.cleared(f"rubric point {row.number}", note))

    def action_next_open_point(self) -> None:
        """Go to the next point without a verdict."""
        rows, at = self.list.rows, self.list.cursor or 0
        for step in range(1, len(rows) + 1):
            index = (at + step) % len(rows)
            if self.app.session.point_decision(rows[index].number) is None:
                self.select(index)
                return
        self.app.say("You have said something of every point.")

    async def action_note(self) -> None:
        """A note on the point."""
        row, session = self._point(), self.app.session
        if session.point_decision(row.number) is None and session.point_finding(row.number) is None:
            raise Refused("First say whether the point is met, violated or too strict; then why")

        def answered(text: str | None) -> None:
            if text is not None:
                with self.app.safely():
                    session.set_point_note(row.number, text)
                    self.app.drafts.drop(draft)
                    self.refresh_rows()

        draft = Draft(self.evaluation.id, f"point {row.number}", f"Note on rubric point {row.number}")
        question = Ask(draft.title, session.point_note(row.number) or "", "why?", draft=draft)
        await self.app.push_screen(question, answered)


def _role(span: Span) -> str:
    """Return the role of a span for its point."""
    return span.method if span.method in ("recommended", "forbidden") else span.side
