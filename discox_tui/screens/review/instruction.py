"""The instruction check: whether the output is a translation at all, as the judge says, and the reviewer."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias, cast

from textual.binding import Binding, BindingType

from discox_tui.core import actions
from discox_tui.screens.common.dialogs import Choice, ChoiceOf, ChooseBelow
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.sessions.library import Refused
from discox_tui.sessions.review import ReviewSession
from discox_tui.widgets.bars import TextBlock
from judges.model import InstructionDecision

Answer: TypeAlias = InstructionDecision | Literal["nothing"]
"""``nothing`` takes an earlier answer back."""


class InstructionCheck(ChooseBelow[Answer | None]):
    """The judge's words, and whether they are right: ``agree``, ``overturn`` or ``nothing``; None leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(actions.keys_of("clear_verdict"), "clear_verdict", show=False, id="clear_verdict")
    ]
    DEFAULT_CSS = style_sheet(__file__, "InstructionCheck")

    def __init__(self, session: ReviewSession) -> None:
        """Raise Refused where there is nothing to be checked, or where it is hidden."""
        super().__init__()
        evaluation = session.evaluation
        assert evaluation is not None
        if session.hidden:
            raise Refused("What the judge said is hidden from you until you reveal it")
        if evaluation.translation is None:
            raise Refused("The system gave no translation, so there is none to check")
        failed = evaluation.state == "instruction_failed"
        if "instruction_check" in evaluation.failed:
            self._words = "The instruction check gave nothing usable."
        else:
            self._words = evaluation.instruction_check or "The record does not hold what the judge said."
        self._verdict = "no translation of the whole text: 0 points" if failed else "a translation of the whole text"
        now = session.work.instruction
        choices = [
            Choice("agree", 1, "agree", "it is none: 0 points" if failed else "it is a translation"),
            Choice("overturn", 2, "overturn", "it is a translation" if failed else "it is none: 0 points"),
        ]
        if now is not None:
            choices.append(Choice("nothing", 3, "take it back", "say nothing of it"))
        self._question = ChoiceOf("Instruction check", choices, now)

    def on_mount(self) -> None:
        """Start at the reviewer's last answer."""
        block = self.query_one(TextBlock)
        block.show([[("judge  ", "faint"), (self._verdict, "strong")], [(self._words, "")]])
        self.ask(self._question)

    def action_clear_verdict(self) -> None:
        """Take an earlier answer back; there is nothing to take back of none."""
        if self._question.current is not None:
            self.choose("nothing")

    def choose(self, value: str) -> None:
        """Give the chosen answer."""
        self.dismiss(cast("Answer", value))
