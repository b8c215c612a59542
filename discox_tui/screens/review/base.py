"""The base of every screen about the open evaluation; a module of its own since two folders of screens build on it."""

from __future__ import annotations

from discox_tui.screens.common.base import DiscoxScreen
from discox_tui.widgets.paired_texts import PairedTexts
from storage.record.library import StoredEvaluation
from storage.reviews.events import Event


class EvaluationScreen(DiscoxScreen):
    """A screen about the evaluation that the session has open. Acts can be undone there, wherever they were done."""

    @property
    def evaluation(self) -> StoredEvaluation:
        """The evaluation under review."""
        assert self.app.session.evaluation is not None
        return self.app.session.evaluation

    @property
    def texts(self) -> PairedTexts:
        """The two panes; only on screens that have them."""
        return self.query_one("#texts", PairedTexts)

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
