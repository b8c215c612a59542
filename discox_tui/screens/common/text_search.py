"""A line at the foot of a screen that searches source and translation, as one types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from discox_tui.screens.common.dialogs import SafeInput
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.text.search import occurrences
from discox_tui.widgets.paired_texts import PairedTexts
from judges.model import SIDES, Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from discox_tui.screens.common.app_base import AppBase


class TextSearch(SafeInput):
    """Shown while a search goes on. Enter goes to the next match."""

    DEFAULT_CSS = style_sheet(__file__, "TextSearch")

    if TYPE_CHECKING:
        app: AppBase

    def __init__(self, text: Callable[[Side], str], *, id: str) -> None:
        """``text``: what the screen's texts hold."""
        super().__init__(placeholder="search both texts; enter: next, esc: done", id=id)
        self._text = text
        self._matches: list[tuple[Side, int, int]] = []
        self._match = -1

    @property
    def open(self) -> bool:
        """True if a search goes on."""
        return self.has_class("-open")

    def begin(self) -> None:
        """Ask for words."""
        self.set_class(True, "-open")
        self.screen.set_focus(self)

    def end(self) -> None:
        """Search no more; where the focus then is, is the screen's."""
        self.value = ""
        self.set_class(False, "-open")

    @on(Input.Changed)
    def _searched(self, message: Input.Changed) -> None:
        message.stop()
        texts = self.screen.query_one(PairedTexts)
        self._matches = [(side, *span) for side in SIDES for span in occurrences(self._text(side), message.value)]
        for side in SIDES:
            texts.pane(side).set_matches([(start, end) for where, start, end in self._matches if where == side])
        self._match = -1
        if message.value and not self._matches:
            self.app.say("no match", warning=True)
        self._next()

    @on(Input.Submitted)
    def _next(self) -> None:
        if self._matches:
            texts = self.screen.query_one(PairedTexts)
            self._match = (self._match + 1) % len(self._matches)
            side, start, end = self._matches[self._match]
            self.app.say(f"match {self._match + 1} of {len(self._matches)}, in the {side}")
            if texts.front != side:
                texts.front = side
            texts.pane(side).reveal(start, end)
