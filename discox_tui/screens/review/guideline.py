"""The guideline to read: scrolled, searched, opened where it speaks of what is being decided."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from discox_tui.config.guideline import Guideline
from discox_tui.core import actions
from discox_tui.screens.common.dialogs import Box, Page, SafeInput
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.text.runs import Run, Runs
from discox_tui.widgets.bars import Bar, TextBlock

_EMPHASIS = re.compile(r"\*\*(.+?)\*\*|`(.+?)`|(?<!\*)\*([^*]+)\*(?!\*)")


class GuidelinePage(Page):
    """A guideline. ``about``: what its section is called, such as a category; without one it begins at the top."""

    DEFAULT_CSS = style_sheet(__file__, "GuidelinePage")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(actions.keys_of("guideline"), "close", "close", show=False, id="guideline"),
        Binding("slash", "search", "search", show=False),
        Binding("n", "next_match", "next match", show=False),
    ]

    HINT = "↑ ↓ scroll  / search  esc close"

    def __init__(self, guideline: Guideline, about: str | None = None) -> None:
        self._about = about
        self._sections: dict[str, int] = {}
        self._matches: list[int] = []
        self._match = -1
        super().__init__(f"Guideline {guideline.version}", list(self._typeset(guideline)))

    def _typeset(self, guideline: Guideline) -> Iterator[Runs]:
        """Yield what is shown, a line for each paragraph and one to part them; note where sections begin."""
        count = 0
        for kind, text in guideline.paragraphs():
            if count and kind != "-":
                yield [("", "")]
                count += 1
            if kind.startswith("#"):
                self._sections.setdefault(_plain(text), count)
                yield [(text, "title" if len(kind) < 3 else "strong")]
            else:
                yield [*([("– ", "faint")] if kind == "-" else []), *_emphasised(text)]
            count += 1

    def compose(self) -> ComposeResult:
        """A title, the text and a line to search in it."""
        with Box():
            yield Bar(id="dialog-title")
            yield TextBlock()
            yield SafeInput(placeholder="search; enter: next, esc: done", id="search")

    def on_mount(self) -> None:
        """Begin at the section that is asked for."""
        if self._about is not None and (start := self.section(self._about)) is not None:
            self.call_after_refresh(self.query_one(TextBlock).go_to, start)

    def section(self, name: str) -> int | None:
        """Return the paragraph at which the section begins whose title begins with ``name``, or None."""
        return next((at for title, at in self._sections.items() if title.startswith(_plain(name))), None)

    # --- search ---

    def action_search(self) -> None:
        """Ask what to search for."""
        field = self.query_one("#search", Input)
        field.add_class("-open")
        self.set_focus(field)

    @on(Input.Changed, "#search")
    def _searched(self, message: Input.Changed) -> None:
        words = message.value.casefold().split()
        texts = ["".join(run[0] for run in runs).casefold() for runs in self._paragraphs]
        self._matches = [at for at, text in enumerate(texts) if words and all(word in text for word in words)]
        self._match = -1
        self.action_next_match()

    @on(Input.Submitted, "#search")
    def action_next_match(self) -> None:
        """Go to the next paragraph that holds all the words."""
        block = self.query_one(TextBlock)
        shown = self._paragraphs
        if self._matches:
            self._match = (self._match + 1) % len(self._matches)
            at = self._matches[self._match]
            here = [(text, "current") for text, _ in self._paragraphs[at]]
            shown = [*self._paragraphs[:at], here, *self._paragraphs[at + 1 :]]
            self.say(f"match {self._match + 1} of {len(self._matches)}  n next  esc close")
        else:
            self.say("no match" if self.query_one("#search", Input).value else self.HINT)
        block.show(shown)
        if self._matches:
            block.go_to(self._matches[self._match])

    def action_close(self) -> None:
        """Close the search, then the page."""
        field = self.query_one("#search", Input)
        if field.has_focus:
            field.remove_class("-open")
            self.set_focus(self.query_one(TextBlock))
        else:
            super().action_close()


def _plain(title: str) -> str:
    """A title or a name as they are compared: ``over_translation`` is “Over-translation”."""
    return title.casefold().replace("_", " ").replace("-", " ")


def _emphasised(text: str) -> Iterator[Run]:
    """Yield a paragraph's runs: strong is strong, what is emphasised or quoted as code stands out."""
    end = 0
    for found in _EMPHASIS.finditer(text):
        if found.start() > end:
            yield text[end : found.start()], ""
        yield (found[1], "strong") if found[1] else (found[2] or found[3], "current")
        end = found.end()
    if end < len(text):
        yield text[end:], ""
