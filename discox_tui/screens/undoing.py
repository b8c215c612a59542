"""Undo and redo on a screen where a reviewer decides: what an act was about comes back into view, and is named."""

from __future__ import annotations

from discox_tui.screens.opened import OpenedScreen
from storage.events import Event


class UndoingScreen(OpenedScreen):
    """A screen on which what was decided can be taken back, whether it was decided there or elsewhere."""

    def action_undo(self) -> None:
        """Take back the latest act, wherever it was."""
        self._step(self.app.session.undo(), "Undid", "There is nothing left to undo.")

    def action_redo(self) -> None:
        """Do again what was taken back last."""
        self._step(self.app.session.redo(), "Did again", "There is nothing to do again.")

    def _step(self, event: Event | None, did: str, nothing: str) -> None:
        self.app.say(nothing if event is None else f"{did}: {self.follow(event)}")

    def follow(self, event: Event) -> str:
        """Go to what was undone or done again, and return that act in words."""
        raise NotImplementedError
