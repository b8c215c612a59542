"""The base of screens with a filter: a line that opens over the list, filters as you type, and closes with escape.

The line is made when it is first asked for: a text input costs more to import and to style than the whole queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from discox_tui.screens.common.base import DiscoxScreen
from discox_tui.screens.common.style_sheets import style_sheet

if TYPE_CHECKING:
    from textual.widget import Widget
    from textual.widgets import Input


class FilteredScreen(DiscoxScreen):
    """A screen whose content can be filtered by words. It has a ``#title``, under which the line opens."""

    DEFAULT_CSS = style_sheet(__file__, "FilteredScreen")

    HINT: ClassVar[str] = ""
    """Hint at the words that can be typed."""

    words: str = ""
    """Words that the content is filtered by."""

    def body(self) -> Widget:
        """The widget that has the focus when the line has not."""
        raise NotImplementedError

    def filtered(self) -> None:
        """Show what ``words`` leave."""
        raise NotImplementedError

    async def open_filter(self, *, focus: bool = True) -> None:
        """Open the line, with the words as they are."""
        if not self.query("#filter"):
            from discox_tui.screens.common.dialogs import SafeInput

            await self.mount(SafeInput(self.words, placeholder=self.HINT, id="filter"), after="#title")
        if focus:
            self.set_focus(self.query_one("#filter"))

    async def close_filter(self) -> bool:
        """Close the line and show everything again; False if it was not open."""
        fields = self.query("#filter")
        if not fields:
            return False
        await fields.remove()
        self.set_focus(self.body())
        self._filter_by("")
        return True

    def _filter_by(self, words: str) -> None:
        if words != self.words:
            self.words = words
            with self.app.safely():
                self.filtered()

    async def action_filter(self) -> None:
        """Type words to filter by."""
        await self.open_filter()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Filter as one types."""
        if message.input.id == "filter":
            self._filter_by(message.value)

    async def on_input_submitted(self, message: Input.Submitted) -> None:
        """Keep the words and go back to the content; without any, close the line."""
        if message.input.id == "filter":
            if message.value:
                self.set_focus(self.body())
            else:
                await self.close_filter()

    async def action_back(self) -> None:
        """Close the line; then go back one level."""
        if not await self.close_filter():
            self.app.pop_screen()
