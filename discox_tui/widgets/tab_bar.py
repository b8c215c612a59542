"""The tab bar, a widget of its own as screens of any folder may have it: a screen's parts, each with its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discox_tui.text.widths import widths
from discox_tui.widgets.bars import Bar, Run

if TYPE_CHECKING:
    from textual.events import Click

BETWEEN = "   "


class TabBar(Bar):
    """Names of parts, the one that is shown marked. ``parts``: (key, name, action of the screen)."""

    def __init__(self, parts: Sequence[tuple[str, str, str]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._parts = parts

    def mark(self, index: int) -> None:
        """Mark the part that is shown now."""
        runs: list[Run] = []
        for i, (key, name, _) in enumerate(self._parts):
            here = i == index
            runs += [(f"{key} ", "title" if here else "faint"), (name, "title" if here else ""), (BETWEEN, "")]
        self.show((runs, ()))

    async def on_click(self, event: Click) -> None:
        """Show the part under the pointer."""
        x = 1
        for key, name, action in self._parts:
            width = widths().of(f"{key} {name}")
            if x <= event.x < x + width:
                await self.screen.run_action(action)
                return
            x += width + len(BETWEEN)
