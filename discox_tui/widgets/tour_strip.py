"""The strip in which the tour speaks: three rows above the keys, over nothing that is being read."""

from __future__ import annotations

from discox_tui.widgets.bars import TextBlock


class TourStrip(TextBlock, can_focus=False):
    """What is to be done now. It takes no key."""

    DEFAULT_CSS = "TourStrip { height: 3; background: $surface; overflow-y: hidden; }"
