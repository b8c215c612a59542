"""The base of dialogs in which text is typed: it is kept as a draft until it is stored or given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual import on
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen
from textual.widgets import Input

from discox_tui.text.safe import safe

if TYPE_CHECKING:
    from discox_tui.screens.common.app_base import AppBase
    from discox_tui.sessions.drafts import Draft, Fields

Given = TypeVar("Given")


class Drafting(ModalScreen[Given]):
    """A dialog that keeps what is typed. Escape gives it up; who stores what the dialog gives drops the draft."""

    draft: Draft | None = None
    """The purpose of its text; None: it is not kept."""
    _as_stored: Fields | None = None

    if TYPE_CHECKING:
        app: AppBase

    def typed(self) -> Fields:
        """Return the text of its fields."""
        return {field.id or "": field.value for field in self.query(Input)}

    def type_again(self, fields: Fields) -> None:
        """Fill its fields with what stood there."""
        for field in self.query(Input):
            field.value = safe(fields.get(field.id or "", field.value))

    def on_mount(self) -> None:
        """Bring back what was typed when the program ended."""
        self._as_stored = self.typed()
        if self.draft is not None and (kept := self.app.drafts.fields(self.draft)):
            self.type_again(kept)

    @on(Input.Changed)
    def keep_draft(self) -> None:
        """Keep what is typed."""
        if self.draft is not None and self._as_stored is not None:
            if (typed := self.typed()) == self._as_stored:
                self.app.drafts.drop(self.draft)
            else:
                self.app.drafts.keep(self.draft, typed)

    def dismiss(self, result: Given | None = None) -> AwaitComplete:
        """Close it; with nothing to give, nothing is kept."""
        self._as_stored = None  # what is heard of its fields from now on is late
        if result is None:
            self.app.drafts.drop(self.draft)
        return super().dismiss(result)
