"""The footer: the keys that are valid now, from the one registry of actions; a click does what the key does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discox_tui.actions import key_label
from discox_tui.widgets.lines import Bar, Run

if TYPE_CHECKING:
    from textual.events import Click
    from textual.screen import Screen


class KeyBar(Bar):
    """One row of keys with what they do. It follows the screen's bindings."""

    DEFAULT_CSS = "KeyBar { dock: bottom; }"

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, str]] = []

    def on_mount(self) -> None:
        """Follow what is valid."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def on_resize(self) -> None:
        """More or fewer keys fit."""
        self._follow(self.screen)

    def _follow(self, screen: Screen[object]) -> None:
        """Show the keys that are valid now, as many as fit, most used first."""
        if not self.is_attached or screen is not self.screen:
            return
        runs: list[Run] = []
        self._places = []
        room = self.size.width - len("? help") - 2
        last: list[Run] = []
        taken = 0
        seen: set[str] = set()
        for _, binding, enabled, _ in self.screen.active_bindings.values():
            if not binding.show or not enabled or binding.action in seen:
                continue
            seen.add(binding.action)
            key = key_label(binding.key)
            if binding.action == "help":
                last = [(key, "title"), (f" {binding.description}", "faint")]
                continue
            width = len(key) + len(binding.description) + 3
            if taken + width > room:
                continue
            runs += [(key, "title"), (f" {binding.description}  ", "faint")]
            taken += width
            self._places.append((taken, binding.action))
        self.show((runs, last))

    async def on_click(self, event: Click) -> None:
        """Do what the clicked key does."""
        for end, action in self._places:
            if event.x - 1 < end:
                await self.screen.run_action(action)
                return
        await self.app.run_action("help")
