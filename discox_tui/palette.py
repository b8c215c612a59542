"""The command palette: every action that is valid now, with its key, from the one registry."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from discox_tui.actions import ACTIONS, Action, key_label

if TYPE_CHECKING:
    from collections.abc import Iterator


class ActionsProvider(Provider):
    """Finds actions by their title or their help."""

    def _valid(self) -> Iterator[tuple[Action, str]]:
        """The actions that would do something now, each with its line."""
        screen = self.screen
        for action in ACTIONS:
            if action.id == "command_palette":
                continue
            owner = screen if hasattr(screen, f"action_{action.id}") else self.app if "app" in action.screens else None
            if owner is not None and owner.check_action(action.id, ()):
                keys = " ".join(key_label(key) for key in action.keys)
                yield action, f"{action.title} ({keys})" if keys else action.title

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for action, line in self._valid():
            yield DiscoveryHit(Content(line), partial(self._run, action), help=action.help)

    async def search(self, query: str) -> Hits:
        """What fits the words typed."""
        matcher = self.matcher(query)
        for action, line in self._valid():
            score = max(matcher.match(line), matcher.match(action.help) * 0.8)
            if score > 0:
                yield Hit(score, matcher.highlight(line), partial(self._run, action), help=action.help)

    async def _run(self, action: Action) -> None:
        await self.screen.run_action(action.id if hasattr(self.screen, f"action_{action.id}") else f"app.{action.id}")
