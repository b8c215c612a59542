"""One candidate at work: its points and text revised, verdicts on systems overruled, the candidate decided on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.screens.benchmark import rows
from discox_tui.screens.benchmark.candidate_view import NOT_JUDGED, CandidateReading
from discox_tui.screens.benchmark.rows import Span
from discox_tui.screens.common.dialogs import Ask
from discox_tui.sessions.drafts import Draft
from discox_tui.sessions.library import Refused
from discox_tui.text.runs import Runs
from discox_tui.widgets.virtual_table import VirtualTable
from storage.benchmark.stages import conditions_words

if TYPE_CHECKING:
    from judges.benchmark.rubric.points import Point
    from judges.model import PointDecision
    from storage.benchmark.checks import Finding

NO_POINT = "Go to a rubric point first; e writes a new one about the words that are selected"


class CandidateScreen(CandidateReading):
    """One candidate, and every act on it."""

    NAME = "candidate"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)

    # --- points ---

    async def action_add_point(self) -> None:
        """Write a point about what is selected; without a selection, about nothing yet."""
        from judges.benchmark.rubric.points import Point

        selected, source = self.texts.selections, self.article.source
        if "translation" in selected and "source" not in selected:
            raise Refused("Select the term in the source; what is selected in the translation is a rendering of it")
        term = source[slice(*selected["source"])] if "source" in selected else ""
        wrong = ""
        if "translation" in selected and self._evaluation:
            wrong = self._evaluation.text("translation")[slice(*selected["translation"])]
        number = max((point.number for point in self.candidate.version.points), default=0) + 1
        point = Point(number, "", None, " ".join(term.split()), (), (" ".join(wrong.split()),) if wrong else ())
        await self._ask_point(point, new=True)

    @on(VirtualTable.Selected, "#list")
    async def action_edit_point(self) -> None:
        """Change the current point."""
        if self.row.point is None:
            raise Refused(NO_POINT)
        await self._ask_point(self.row.point, new=False)

    async def _ask_point(self, point: Point, *, new: bool) -> None:
        from discox_tui.screens.benchmark.forms import About, PointForm

        points, index, key = self.candidate.version.points, self.row.index, self.key

        def answered(made: Point | None) -> None:
            if made is None:
                return
            with self.app.safely():
                at = len(points) if new else index
                name = made.term or made.text
                note = f"point {made.number} {'added' if new else 'changed'}: {name[:40]}"
                self.texts.clear_selections()
                self.set_focus(self.table)
                if not self.building.revise(key, note, points=(*points[:at], made, *points[at + 1 :])):
                    self.app.say("Nothing is different.")
                self.app.drafts.drop(form.draft)
                self.show(f"point {at}")

        title = f"New rubric point {point.number}" if new else f"Rubric point {point.number}"
        others = points if new else (*points[:index], *points[index + 1 :])
        about = About(self.article.source, self.candidate.direction, others)
        form = PointForm(title, point, about, new=new).drafted(key)
        await self.app.push_screen(form, answered)

    def action_remove_point(self) -> None:
        """Take the current point out; those after it move up where they are numbered one after another."""
        row, points = self.row, self.candidate.version.points
        if row.point is None:
            raise Refused(NO_POINT)
        kept = (*points[: row.index], *points[row.index + 1 :])
        if [point.number for point in points] == list(range(1, len(points) + 1)):
            kept = tuple(replace(point, number=number) for number, point in enumerate(kept, 1))
        name = row.point.term or row.point.text
        self.building.revise(self.key, f"point {row.point.number} removed: {name[:40]}", points=kept)
        self.show(f"point {min(row.index, len(kept) - 1)}")
        self.app.say(f"Point {row.point.number} is taken out; {self.app.key_of('undo')} brings it back.")

    async def action_check_off(self) -> None:
        """Call all right what a check finds here, and say why."""
        if not self.row.open:
            raise Refused("No check finds anything here that nobody has called all right")
        one, key, row = self.row.open[0], self.key, self.row.key

        def answered(why: str | None) -> None:
            if why is not None:
                with self.app.safely():
                    self.building.check_off(key, one.id, why)
                    self.app.drafts.drop(draft)
                    self.show(row)

        draft = Draft(key, f"all right {one.id}", f"All right: {_short(one)}")
        await self.app.push_screen(Ask(draft.title, placeholder="why is it all right?", draft=draft), answered)

    # --- the text ---

    async def action_edit_text(self) -> None:
        """Change one paragraph: where text is selected, or where the current point is, or at the top of the view."""
        from discox_tui.screens.benchmark.forms import Edited, ParagraphForm

        source, key, row = self.article.source, self.key, self.row.key
        start, end = paragraph_at(source, self._editing())
        number = 1 + sum(1 for line in source[:start].split("\n")[:-1] if line.strip())

        def answered(edited: Edited | None) -> None:
            if edited is None:
                return
            with self.app.safely():
                self.texts.clear_selections()
                note = edited.why.strip() or f"¶{number} changed"
                changed = source[:start] + edited.text + source[end:]
                if not self.building.revise(key, note, source=changed):
                    self.app.say("Nothing is different.")
                self.app.drafts.drop(form.draft)
                self.show(row)

        form = ParagraphForm(f"¶{number} of {key}", source[start:end]).drafted(key)
        await self.app.push_screen(form, answered)

    async def action_edit_details(self) -> None:
        """Change what is known of it beside its text."""
        from discox_tui.screens.benchmark.forms import DetailsForm

        key, row = self.key, self.row.key

        def answered(details: dict[str, str] | None) -> None:
            if details:
                with self.app.safely():
                    self.building.describe(key, details)
                    self.app.drafts.drop(form.draft)
                    self.show(row)

        before = {name: getattr(self.candidate, name) for name in DetailsForm.LABELS}
        known = {name: self.building.known(name) for name in before}
        form = DetailsForm(f"Details of {key}", before, known).drafted(key)
        await self.app.push_screen(form, answered)

    def _editing(self) -> int:
        """Return the place of the source that is to be edited."""
        if span := self.texts.selections.get("source"):
            return span[0]
        pane = self.texts.source
        here = next((span for side, span in self._places() if side == "source"), None)
        if here is not None and pane.page.lines_of(*here)[0] in pane.visible_lines:
            return here[0]
        return pane.top_offset

    def action_versions(self) -> None:
        """Show every version, and what is different."""
        from discox_tui.screens.benchmark.versions import VersionsScreen

        self.app.push_screen(VersionsScreen(self.key))

    # --- rubric verdicts ---

    def _overrule(self, decision: PointDecision) -> None:
        row = self.row
        if self._evaluation is None or self.system is None:
            raise Refused(NOT_JUDGED)
        if row.point is None:
            raise Refused(NO_POINT)
        before = self.difficulty and self.difficulty.outcome.state
        event = self.building.overrule(self.key, self._evaluation.id, row.point.number, decision)
        self.show(row.key)
        after = self.difficulty and self.difficulty.outcome.state
        if event is not None and before and after and before != after:
            self.app.say(f"The filter says {after.replace('_', ' ')} now, no longer {before.replace('_', ' ')}.")

    def action_system_meets(self) -> None:
        """The translation does what the point asks for."""
        self._overrule("met")

    def action_system_fails(self) -> None:
        """It does not."""
        self._overrule("violated")

    def action_asks_too_much(self) -> None:
        """The point asks for too much."""
        self._overrule("too_strict")

    def action_clear_verdict(self) -> None:
        """The judge is not overruled after all."""
        if self._evaluation is None or self.system is None:
            raise Refused(NOT_JUDGED)
        if (row := self.row).point is None:
            raise Refused(NO_POINT)
        self.building.overrule(self.key, self._evaluation.id, row.point.number, None)
        self.show(row.key)
        self.app.say(f"Your verdict on rubric point {row.point.number} is cleared. u brings it back.")

    # --- deciding ---

    async def action_accept(self) -> None:
        """Accept the candidate; where a condition of the stages keeps it out, ask why it comes in all the same."""
        await self._let_in(self.building.accept, "You accept it.")

    async def action_reject(self) -> None:
        """Reject the candidate, with a reason."""
        await self._ask_reason("Why is it rejected?", self.building.reject, "You reject it.")

    def action_leave_undecided(self) -> None:
        """Take one's decision back."""
        self.building.leave_undecided(self.key)
        self._decided("You have not decided.")

    async def action_settle_accept(self) -> None:
        """It comes in, though people differ."""

        def settle(key: str, reason: str) -> None:
            self.building.settle(key, accept=True, reason=reason)

        if self.candidate.outcome != "differ" and not self.candidate.settled:
            settle(self.key, "-")  # says why there is nothing to settle
        await self._let_in(settle, "Settled: it is accepted.", settling=True)

    async def action_settle_reject(self) -> None:
        """It stays out, though people differ."""

        def settle(key: str, reason: str) -> None:
            self.building.settle(key, accept=False, reason=reason)

        if self.candidate.outcome != "differ" and not self.candidate.settled:
            settle(self.key, "-")  # says why there is nothing to settle
        await self._ask_reason("Why does it stay out?", settle, "Settled: it is rejected.")

    async def _let_in(self, act: Callable[[str, str], None], said: str, *, settling: bool = False) -> None:
        """Accept by an act of a candidate and a reason; what keeps it out is shown, and the reason asked for."""
        kept = self.building.obstacles(self.key, "accept", settling=settling)
        if not kept or kept[0].final:
            act(self.key, "")
            self._decided(said)
            return
        about = [rows.obstacle(one) for one in kept]
        without = conditions_words(one.code for one in kept)
        await self._ask_reason("Accept it all the same?", act, f"{said[:-1]} without {without}.", about)

    async def _ask_reason(self, title: str, act: Any, said: str, about: Sequence[Runs] = ()) -> None:
        key = self.key

        def answered(reason: str | None) -> None:
            if reason is not None:
                with self.app.safely():
                    act(key, reason.strip())
                    self.app.drafts.drop(draft)
                    self._decided(said)

        draft = Draft(key, title, title)
        hint = "the reason, for the others and the data sheet"
        await self.app.push_screen(Ask(title, placeholder=hint, draft=draft, about=about), answered)

    def _decided(self, said: str) -> None:
        waiting = [name for name in self.candidate.waiting if name != self.building.person]
        self.show()
        self.app.say(f"{said} It waits for {', '.join(waiting)}." if waiting else said)

    # --- undoing ---

    def action_undo(self) -> None:
        """Take back the latest act, on whichever candidate."""
        self._follow(rows.undo(self.building))

    def action_redo(self) -> None:
        """Do again what was taken back last."""
        self._follow(rows.redo(self.building))

    def _follow(self, done: rows.Done) -> None:
        if done.key and done.key != self.key:
            self.open(done.key)
        else:
            self.show()
        self.app.say(done.words)


def paragraph_at(text: str, offset: int) -> Span:
    """Return the paragraph that an offset is in, or the next that is not blank: ``[start, end)``, its LF left out."""
    start = text.rfind("\n", 0, offset) + 1
    while True:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if text[start:end].strip() or end == len(text):
            return start, end
        start = end + 1


def _short(one: Finding) -> str:
    return one.message if len(one.message) <= 60 else f"{one.message[:59]}…"
