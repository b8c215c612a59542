"""The footer: the keys that are valid now, from the one registry of actions; a click does what the key does.

What the app has to say stands in the same row for a few seconds, where it covers nothing that is being read; where it
is longer, a row or two more.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from discox_tui.core.keys import key_label
from discox_tui.text.runs import Run, Runs
from discox_tui.text.safe import display
from discox_tui.text.widths import widths
from discox_tui.widgets.bars import Bar

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.events import Click
    from textual.screen import Screen
    from textual.timer import Timer


PINNED = ("select_nothing", "help")
"""The actions whose keys are always there, at the right."""
SECONDS = 5.0
"""Seconds that a message stands."""
MOST_ROWS = 3
"""Rows of a message; the rest is cut."""


class KeyBar(Bar):
    """A row of keys with what they do. It follows the screen's bindings."""

    DEFAULT_CSS = "KeyBar { dock: bottom; }"

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int, str, DOMNode]] = []
        self._silence: Timer | None = None
        self._style = ""
        self.message = ""
        """Message that is being shown, or nothing."""

    def say(self, message: str, style: str) -> None:
        """Show a message in place of the keys for a few seconds."""
        self.message, self._style = message, style
        self._places = []
        self._show([([(row, style)], ()) for row in self._in_rows(message)])
        if self._silence is not None:
            self._silence.stop()
        self._silence = self.set_timer(SECONDS, self.be_silent)

    def _in_rows(self, message: str) -> list[str]:
        width = self.size.width
        if not width or widths().of(display(message)) <= width:
            return [message]
        from discox_tui.text.wrapping import Typeset  # few messages are so long

        starts = Typeset(message.replace("\n", " ")).rows(width).starts[:MOST_ROWS]
        return [message[start:end].rstrip() for start, end in pairwise([*starts, len(message)])]

    def _show(self, rows: list[tuple[Runs, Runs]]) -> None:
        if len(rows) != len(self.rows):
            self.styles.height = len(rows)
        self.show(*rows)

    def be_silent(self) -> None:
        """Take a message away; nothing happens where there is none."""
        if not self.message:
            return
        self.message = ""
        if self.is_attached:
            self._follow(self.screen)

    def on_mount(self) -> None:
        """Follow what is valid."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def on_resize(self) -> None:
        """More or fewer keys fit, or words of what is being said."""
        if self.message:
            self._show([([(row, self._style)], ()) for row in self._in_rows(self.message)])
        self._follow(self.screen)

    def _follow(self, screen: Screen[object]) -> None:
        """Show the keys that are valid now, as many as fit, most used first."""
        if not self.is_attached or screen is not self.screen or self.message:
            return
        runs: list[Run] = []
        self._places = []
        offers = getattr(screen, "offers", lambda action: True)
        valid = [each for each in screen.active_bindings.values() if each.enabled and offers(each.binding.action)]
        first = {each.binding.action: each for each in reversed(valid)}
        pinned = {name: first[name] for name in PINNED if name in first}
        last: list[Run] = []
        for active in pinned.values():
            last += [
                ("  " * bool(last) + key_label(active.binding.key), "title"),
                (f" {active.binding.description}", "faint"),
            ]
        room = self.size.width - sum(len(text) for text, _ in last) - 2
        at = room
        for number, (action, active) in enumerate(pinned.items()):
            width = sum(len(text) for text, _ in last[2 * number : 2 * number + 2])
            self._places.append((at, at + width, action, active.node))
            at += width
        taken = 0
        seen: set[str] = {*pinned}
        # What is used most comes first, the rest as far as there is room.
        for active in sorted(valid, key=lambda active: not active.binding.show):
            binding = active.binding
            if binding.action in seen or not binding.id:
                continue
            seen.add(binding.action)
            key = key_label(binding.key)
            width = len(key) + len(binding.description) + 3
            if taken + width > room:
                continue
            runs += [(key, "title"), (f" {binding.description}  ", "faint")]
            self._places.append((taken, taken + width, binding.action, active.node))
            taken += width
        self._show([(runs, last)])

    async def on_click(self, event: Click) -> None:
        """Do what the clicked key does; a message goes away."""
        if self.message:
            self.be_silent()
            return
        for start, end, action, node in self._places:
            if start <= event.x - 1 < end:
                await self.app.run_action(action, node)
                return
        await self.app.run_action("help")
