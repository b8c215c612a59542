"""A few lines of a document to change: harmless to look at, and what was not changed comes out as it went in.

Textual's own editor gives its text to the terminal, expands tabs, and splits at everything that Unicode calls a line
end. So what a terminal could obey, and what it could draw in another width, is in the editor as a stand-in: a code
point of private use, one for one, painted as the rest of the app paints that character, and turned back at the end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.text import Text
from textual.message import Message
from textual.widgets import TextArea

from discox_tui.text.safe import display

if TYPE_CHECKING:
    from textual.events import Key, Paste
    from textual.widgets.text_area import Edit, EditResult

_PRIVATE = 0x100000
"""Code points from here on are stand-ins; one of them in the text itself gets a stand-in too."""


class TextEditor(TextArea):
    """A text to edit. Enter keeps it; a new line is made by :meth:`action_new_line` or pasted."""

    DEFAULT_CSS = """
    TextEditor, TextEditor:focus {
        border: none; padding: 0; background: $background; color: $foreground;
        & .text-area--cursor-line { background: $background; }
    }
    """

    class Kept(Message):
        """Enter was pressed."""

    def __init__(self, text: str, *, id: str | None = None) -> None:
        self._stand_ins: dict[int, int] = {}
        self._originals: dict[int, int] = {}
        super().__init__(self._coded(text), soft_wrap=True, compact=True, highlight_cursor_line=False, id=id)

    @property
    def true_text(self) -> str:
        """The text as it is now, every character that stands for another turned back."""
        return self.text.translate(self._originals)

    @true_text.setter
    def true_text(self, text: str) -> None:
        self.text = self._coded(text)

    def get_line(self, line_index: int) -> Text:
        """A line as it is painted."""
        line = self.document.get_line(line_index).translate(self._originals)
        return Text(display(line), end="", no_wrap=True)

    def edit(self, edit: Edit) -> EditResult:
        """Change the text: what is typed or pasted gets stand-ins as the rest."""
        edit.text = self._coded(edit.text)
        return super().edit(edit)

    def action_new_line(self) -> None:
        """Begin another paragraph here."""
        self._replace_via_keyboard("\n", *self.selection)

    def action_copy(self) -> None:
        """Copy what is selected, as it is in the document."""
        if self.selected_text:
            self.app.copy_to_clipboard(self.selected_text.translate(self._originals))

    def action_cut(self) -> None:
        """Cut what is selected; without a selection, nothing."""
        if self.selected_text:
            self.action_copy()
            self._delete_via_keyboard(*self.selection)

    async def _on_key(self, event: Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Kept())
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: Paste) -> None:
        event.text = re.sub(r"\r\n?", "\n", event.text)  # terminals send line ends as returns
        event.prevent_default()
        event.stop()
        await super()._on_paste(event)

    def _coded(self, text: str) -> str:
        if text.isascii() and text.isprintable():
            return text
        for character in set(text) - {"\n"}:
            code = ord(character)
            if code not in self._stand_ins and (code >= _PRIVATE or display(character) != character):
                stand_in = _PRIVATE + len(self._stand_ins)
                self._stand_ins[code], self._originals[stand_in] = stand_in, code
        return text.translate(self._stand_ins)
