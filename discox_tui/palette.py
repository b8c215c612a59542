"""The command palette: every action that is valid now, with its key, from the one registry."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from discox_tui.core.actions import Action
from discox_tui.core.keys import key_label
from discox_tui.screens.common.base import actions_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import App
    from textual.screen import Screen


class ActionsProvider(Provider):
    """Finds actions by their title or their help."""

    def _valid(self) -> Iterator[tuple[Action, str]]:
        """The actions that would do something now, each with its line."""
        for action in actions_on(self.screen):
            if action.id != "command_palette" and self._owner(action).check_action(action.id, ()):
                keys = " ".join(key_label(key) for key in action.keys)
                yield action, f"{action.title} ({keys})" if keys else action.title

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for action, line in self._valid():
            yield DiscoveryHit(Content(line), partial(self._run, action), help=action.help)

    async def search(self, query: str) -> Hits:
        """Find the actions that fit the words typed."""
        matcher = self.matcher(query)
        for action, line in self._valid():
            score = max(matcher.match(line), matcher.match(action.help) * 0.8)
            if score > 0:
                yield Hit(score, matcher.highlight(line), partial(self._run, action), help=action.help)

    async def _run(self, action: Action) -> None:
        await self._owner(action).run_action(action.id)

    def _owner(self, action: Action) -> App[Any] | Screen[Any]:
        return self.app if "app" in action.screens else self.screen
