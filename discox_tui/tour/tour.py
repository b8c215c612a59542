"""The tour under way: which step, whether it was done, what is said on which screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.widgets import Input

from discox_tui.core.actions import ACTIONS
from discox_tui.screens.common.base import DiscoxScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.tour.steps import EVALUATION, OFFER, STEPS, Step
from discox_tui.widgets.bars import TourStrip
from discox_tui.widgets.key_bar import KeyBar
from discox_tui.widgets.text_pane import TextPane
from storage.reviews.events import Event, read_events
from storage.reviews.queue import Queue

if TYPE_CHECKING:
    from discox_tui.screens.common.app_base import AppBase
    from discox_tui.text.runs import Runs

LOOK_AFTER = 0.25
"""Seconds between two looks at whether the step is done: an answer to a question is no action of its own."""

SCREENS = {action.id: action.screens for action in ACTIONS}
WAYS = {
    "review": "This step is in the review: enter opens it from the list of evaluations.",
    "queue": "This step is in the list of all evaluations: {back} goes there.",
}
"""Directions for a screen on which the step cannot be done, by the screen on which it can."""


class Tour:
    """The tour of one app, from its offer or its start until it is left. It asks nothing and holds no key up.

    What is remembered is the number of the step; 0 once it was offered, or taken to its end.
    """

    def __init__(self, app: AppBase) -> None:
        self._app = app
        self._step: int | None = None
        self._ran = False
        self._since = -1
        self._timer = app.set_interval(LOOK_AFTER, self.look)

    @property
    def step(self) -> Step | None:
        """The step that is to be done; None while the tour is only offered."""
        return None if self._step is None else STEPS[self._step]

    def offer(self) -> None:
        """Say that there is a tour."""
        self._app.session.remember("tour", 0)
        self.look()

    async def go_on(self) -> None:
        """Begin, where it was left last; under way, skip the step."""
        if self._step is not None:
            self._go_to(self._step + 1)
            return
        remembered = self._app.session.recall("tour")
        step = remembered if remembered in range(len(STEPS)) else 0
        if "review" in SCREENS[STEPS[step].action]:
            await self._open()
        self._go_to(step)

    async def _open(self) -> None:
        """Open the evaluation that the tour is on, unless it is open."""
        session = self._app.session
        identity = Queue(session.connection, session.reviewer, words=EVALUATION)[0].id
        screen = self._app.screen
        if isinstance(screen, ReviewScreen) and screen.evaluation.id == identity:
            return
        while not isinstance(screen := self._app.screen, QueueScreen):
            await self._app.pop_screen()
        screen.review(identity)

    def _go_to(self, step: int) -> None:
        if step == len(STEPS):
            self._end(0, "That was the tour.")
            return
        self._step = step
        self._app.session.remember("tour", step)
        self._ran = False
        self._since = max((event.counter for event in self._events()), default=0)
        self.look()

    def leave(self) -> None:
        """End it here; it goes on from here."""
        step = (self._step or 0) % (len(STEPS) - 1)  # who leaves at the last word has heard it all
        self._end(step, f"{self._app.key_of('tour')} brings the tour back, where you left it.")

    def _end(self, step: int, message: str) -> None:
        self._timer.stop()
        self._app.session.remember("tour", step)
        self._app.tour = None
        for screen in self._app.screen_stack:
            screen.query(TourStrip).remove()
        self._app.say(message)

    def takes_escape(self) -> bool:
        """Tell if escape leaves the tour: unless the step asks for it, or it closes something smaller first."""
        asked = self.step is not None and self.step.action == "back"
        return (
            not asked
            and isinstance(self._app.screen, DiscoxScreen)
            and not isinstance(self._app.focused, Input | TextPane)
        )

    # --- what was done ---

    def ran(self, action: str) -> None:
        """An action has run; nothing refused it."""
        if self.step is not None and action == self.step.action:
            self._ran = True
        self.look()

    def look(self) -> None:
        """Go on if the step is done, and show what is to be said."""
        if self._step is not None and self._done(STEPS[self._step]):
            self._go_to(self._step + 1)
            return
        screen = self._app.screen
        if not isinstance(screen, DiscoxScreen):
            return
        if (keys := screen.query(KeyBar)) and not screen.query(TourStrip):
            screen.mount(TourStrip(), before=keys.first())
        for strip in screen.query(TourStrip):
            strip.show([self._words(screen)])

    def _done(self, step: Step) -> bool:
        if step.logged is None:
            return self._ran
        kind, decision = step.logged
        return any(
            event.kind == kind and (not decision or event.changes.get("decision") == decision)
            for event in self._events(self._since)
        )

    def _events(self, since: int = -1) -> Iterator[Event]:
        session = self._app.session
        return read_events(session.connection, "reviewer = ? AND counter > ?", (session.layer, since))

    # --- what is said ---

    def _words(self, screen: DiscoxScreen) -> Runs:
        """Return the words for a screen."""
        if self._step is None:
            return self._with_keys(OFFER)
        asks = STEPS[self._step].action == "back"
        step, where = STEPS[self._step], SCREENS[STEPS[self._step].action]
        text = step.text if screen.NAME in where or "app" in where else WAYS[where[0]]
        return [
            (f"{self._step + 1}/{len(STEPS)}  ", "faint"),
            *self._with_keys(text),
            *((part, "faint") for part, _ in self._with_keys("  ({tour} skip" + ("" if asks else ", esc leave") + ")")),
        ]

    def _with_keys(self, text: str) -> Runs:
        """A text with the user's keys in the place of their actions."""
        parts = re.split(r"\{(\w+)\}", text)
        return [(self._app.key_of(part), "title") if at % 2 else (part, "") for at, part in enumerate(parts)]
