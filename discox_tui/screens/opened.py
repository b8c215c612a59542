"""What every screen about the open evaluation has: the evaluation, and the two texts where it shows them."""

from __future__ import annotations

from discox_tui.screens.base import DiscoxScreen
from discox_tui.widgets.paired_texts import PairedTexts
from storage.library import StoredEvaluation


class OpenedScreen(DiscoxScreen):
    """A screen about the evaluation that the session has open."""

    @property
    def evaluation(self) -> StoredEvaluation:
        """The evaluation under review."""
        assert self.app.session.evaluation is not None
        return self.app.session.evaluation

    @property
    def texts(self) -> PairedTexts:
        """The two panes; only on screens that have them."""
        return self.query_one("#texts", PairedTexts)
