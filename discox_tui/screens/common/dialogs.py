"""Small questions over a screen: choose one of a few, type a line, read a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key, Paste
from textual.screen import ModalScreen
from textual.widgets import Input

from discox_tui.core import actions
from discox_tui.screens.common.drafting import Drafting
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.text.runs import Runs
from discox_tui.text.safe import safe
from discox_tui.text.widths import widths
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.bidi_filter import FENCE
from discox_tui.widgets.virtual_table import Column, VirtualTable

if TYPE_CHECKING:
    from textual.filter import LineFilter

    from discox_tui.screens.common.app_base import AppBase
    from discox_tui.sessions.drafts import Draft


class SafeInput(Input):
    """A line to type in. What is pasted is made harmless first: an input shows its text to the terminal as it is."""

    def insert_text_at_cursor(self, text: str) -> None:
        """Insert what was typed or pasted."""
        super().insert_text_at_cursor(safe(text))

    def _on_paste(self, event: Paste) -> None:
        """Take all of a text of several lines, as one line; Textual's own input keeps only the first."""
        event.stop()
        event.prevent_default()
        text = " ".join(line.strip() for line in re.split(r"[\r\n]+", event.text) if line.strip())
        start, end = self.selection
        self.replace(safe(text), *sorted((start, end)))

    def validate_value(self, value: str) -> str:
        """Whatever sets the value."""
        return safe(value)


class Box(Vertical):
    """The box around a dialog. Where it shrinks, all is painted.

    Textual would paint only the cells that it leaves, and cut the wide characters half outside of them in two.
    """

    if TYPE_CHECKING:
        app: AppBase

    def on_resize(self) -> None:
        """Paint what is behind, whole."""
        self.screen.refresh()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Keep right-to-left text behind the box from running on through it."""
        filters = super().get_line_filters()
        return [*filters, FENCE] if self.app.bidi_filter.met else filters


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer: the value it stands for, its number on the keyboard, a title and a word of explanation."""

    value: str
    number: int
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ChoiceOf:
    """A question: its title, the answers to choose from, and the one that stands now."""

    title: str
    choices: Sequence[Choice]
    current: str | None = None


Answer = TypeVar("Answer")


class Choosing(ModalScreen[Answer]):
    """Choose one of several: by digit, by arrows and enter, or with the mouse. Escape goes back.

    Up to ten choices, a digit chooses at once; of more, digits go to the row with that number.
    """

    DEFAULT_CSS = style_sheet(__file__, "Choosing")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "step_back", "back", show=False),
        Binding(actions.keys_of("guideline"), "app.guideline", show=False, id="guideline"),
    ]

    if TYPE_CHECKING:
        app: AppBase

    def __init__(self) -> None:
        super().__init__()
        self.choices: Sequence[Choice] = ()
        self._typed = ""

    def compose(self) -> ComposeResult:
        """A title and the choices."""
        with Box():
            yield Bar(id="dialog-title")
            yield VirtualTable((), self._cells, key=lambda choice: choice.value)

    @property
    def about(self) -> str | None:
        """The subject that the guideline is asked about from here: the current choice."""
        current = self.query_one(VirtualTable).current
        return current.value if current else None

    @staticmethod
    def _cells(choice: Choice) -> tuple[tuple[str, str], str, tuple[str, str]]:
        return (str(choice.number), "current"), choice.title, (choice.detail, "faint")

    def ask(self, question: ChoiceOf, escape: str = "cancel") -> None:
        """Show a question; ``escape``: what the escape key does."""
        self.choices, self._typed = question.choices, ""
        hint = f"{self.app.key_of('guideline')} guideline  esc {escape}"
        self.query_one("#dialog-title", Bar).show((((question.title, "title"),), ((hint, "faint"),)))
        table: VirtualTable[Choice] = self.query_one(VirtualTable)
        table.set_columns(
            [
                Column("number", "", max(len(str(choice.number)) for choice in self.choices), align="right"),
                Column("title", "", 18, flex=1),
                Column("detail", "", 10, flex=1),
            ]
        )
        table.set_rows(self.choices)
        table.styles.height = min(len(self.choices) + 1, 20)
        table.move_cursor(next((i for i, each in enumerate(self.choices) if each.value == question.current), 0))
        self.set_focus(table)

    def choose(self, value: str) -> None:
        """Take an answer."""
        raise NotImplementedError

    def on_key(self, event: Key) -> None:
        """Choose, or go there, by number."""
        if not (event.character and event.character.isdecimal() and event.character.isascii()):
            self._typed = ""
            return
        event.stop()
        few = len(self.choices) <= 10 and all(choice.number <= 9 for choice in self.choices)
        self._typed = event.character if few else self._typed + event.character
        for index, choice in enumerate(self.choices):
            if str(choice.number) == self._typed:
                if few:
                    self.choose(choice.value)
                else:
                    self.query_one(VirtualTable).move_cursor(index)
                return

    @on(VirtualTable.Selected)
    def _chosen(self, message: VirtualTable.Selected) -> None:
        self.choose(self.choices[message.index].value)

    def action_step_back(self) -> None:
        """Choose nothing."""
        self.dismiss(None)


class Choose(Choosing[str | None]):
    """One question; gives the value of what is chosen, or None."""

    def __init__(self, title: str, choices: Sequence[Choice], current: str | None = None) -> None:
        super().__init__()
        self._question = ChoiceOf(title, choices, current)

    def on_mount(self) -> None:
        """Start at what is chosen now."""
        self.ask(self._question)

    def choose(self, value: str) -> None:
        """Give the chosen answer."""
        self.dismiss(value)


class ChooseBelow(Choosing[Answer]):
    """A question below a text that says what it is about."""

    def compose(self) -> ComposeResult:
        """A title, the text, the choices."""
        with Box():
            yield Bar(id="dialog-title")
            yield TextBlock()
            yield VirtualTable((), self._cells, key=lambda choice: choice.value)


class ChooseInTurn(Choosing[tuple[str, ...] | None]):
    """Questions that follow from one another; gives the values of what is chosen, or None.

    All are asked in the one dialog, so that keys typed ahead are answers and nothing else. Escape goes back by one.
    """

    def __init__(self, following: Callable[[tuple[str, ...]], ChoiceOf | None]) -> None:
        """``following``: the next question after these answers; None: there is none."""
        super().__init__()
        self._following = following
        self._answers: tuple[str, ...] = ()

    def on_mount(self) -> None:
        """Begin."""
        self._go_on(())

    def _go_on(self, answers: tuple[str, ...]) -> None:
        question = self._following(answers)
        if question is None:
            self.dismiss(answers)
            return
        self._answers = answers
        self.ask(question, "back" if answers else "cancel")

    def choose(self, value: str) -> None:
        """Ask the next question."""
        self._go_on((*self._answers, value))

    def action_step_back(self) -> None:
        """Ask the question before again."""
        if self._answers:
            self._go_on(self._answers[:-1])
        else:
            self.dismiss(None)


class Ask(Drafting[str | None]):
    """Type one line. Enter gives it, escape gives None. What is asked ``about`` stands above, and wants an answer."""

    DEFAULT_CSS = style_sheet(__file__, "Ask")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_none", "cancel", show=False)]

    def __init__(
        self,
        title: str,
        value: str = "",
        placeholder: str = "",
        *,
        draft: Draft | None = None,
        about: Sequence[Runs] = (),
    ) -> None:
        """``draft``: what the line is for, so that it is kept until it is stored."""
        super().__init__()
        self.draft = draft
        self._about = about
        self._title = title
        self._value = value
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """A title and a line."""
        with Box():
            yield Bar(id="dialog-title")
            if self._about:
                yield TextBlock(id="about")
            yield SafeInput(safe(self._value), placeholder=self._placeholder)

    def on_mount(self) -> None:
        """Say what is asked."""
        self._hint("enter keep  esc cancel", "faint")
        if self._about:
            block = self.query_one("#about", TextBlock)
            block.show(self._about)
            block.styles.height = min(_MOST_ABOUT, sum(_lines(runs) for runs in self._about))
        self.set_focus(self.query_one(Input))

    def _hint(self, words: str, style: str) -> None:
        self.query_one("#dialog-title", Bar).show((((self._title, "title"),), ((words, style),)))

    @on(Input.Submitted)
    def _typed(self, message: Input.Submitted) -> None:
        if self._about and not message.value.strip():
            self._hint("say why, or esc", "major")
        else:
            self.dismiss(message.value)

    def action_dismiss_none(self) -> None:
        """Give nothing."""
        self.dismiss(None)


_MOST_ABOUT = 11
"""Lines of what is asked about that are shown at once; the others are scrolled to."""


def _lines(runs: Runs) -> int:
    """Return about how many lines a paragraph takes in a narrow dialog."""
    return 1 + sum(widths().of(text) for text, _ in runs) // 66


class Page(ModalScreen[None]):
    """A page to read. Escape, or the key that opened it, closes it."""

    DEFAULT_CSS = style_sheet(__file__, "Page")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,f1,q,enter", "close", "close", show=False)]
    HINT = "↑ ↓ scroll  esc close"

    def __init__(self, title: str, paragraphs: Sequence[Runs]) -> None:
        super().__init__()
        self._title = title
        self._paragraphs = paragraphs

    def compose(self) -> ComposeResult:
        """A title and the text."""
        with Box():
            yield Bar(id="dialog-title")
            yield TextBlock()

    def on_mount(self) -> None:
        """Fill it."""
        self.say(self.HINT)
        block = self.query_one(TextBlock)
        block.show(self._paragraphs)
        self.set_focus(block)

    def say(self, hint: str) -> None:
        """Show a hint beside the title."""
        self.query_one("#dialog-title", Bar).show((((self._title, "title"),), ((hint, "faint"),)))

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)
