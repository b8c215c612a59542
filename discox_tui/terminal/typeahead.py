"""Keys typed ahead: each waits for the effect of all before it, and none is acted on that a closed screen was to get.

Textual hands keys on as they arrive, and what they do follows later: the second of two keys that arrive together
reaches a dialog which the first has closed, or acts on the row that the first was about to leave. So input waits here
until nothing that came of earlier input is under way, and what it opened is painted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from textual._time import get_time
from textual.command import CommandPalette
from textual.events import InputEvent, Key, MouseDown, MouseUp, Paste
from textual.screen import ModalScreen

from discox_tui.core.keys import plain_key
from discox_tui.sessions.library import Refused

if TYPE_CHECKING:
    from textual._queue import Queue
    from textual.app import App
    from textual.events import Event
    from textual.message import Message
    from textual.message_pump import MessagePump
    from textual.screen import Screen
    from textual.widget import Widget

LOOK_AGAIN = 0.001
"""Seconds between two looks at whether all is done that came of what was typed."""
TOO_EARLY = "What you typed before the last screen had closed did nothing; type it again if you meant it"


class Gone(NamedTuple):
    """The input that a closed screen took: ``keys``, any digit if ``digits``, and what ``text`` takes."""

    keys: frozenset[str]
    digits: bool = False
    text: Callable[[str, str | None], bool] | None = None

    def took(self, event: Event) -> bool:
        """Tell if an event would have meant something there; a click or a paste always would."""
        if not isinstance(event, Key):
            return isinstance(event, MouseDown | MouseUp | Paste)
        return (
            not self.keys.isdisjoint((event.key, plain_key(event.key, event.character)[0]))
            or (self.digits and (event.character or "").isdecimal())
            or (self.text is not None and self.text(event.key, event.character))
        )


class Typeahead:
    """The input of one app, one event after another."""

    def __init__(self, app: App[None], safely: Callable[[], AbstractContextManager[None]]) -> None:
        """``safely``: says in the app what is refused within."""
        self._app = app
        self._safely = safely
        self._waiting: deque[Event] = deque()
        self._turn: Event | None = None
        self._key = ""
        self._typing_into: Widget | None = None
        self._top: Screen[Any] | None = None
        self._looking = False
        self._changes = self._asked = self._painted = self._begun = 0
        self._began = self._painted_at = 0.0
        self._gone: Gone | None = None

    def painting(self) -> None:
        """Note the first paint after a change: whoever types after having seen that types after this began.

        A later one shows nothing new of it. A key between the two was typed with the change in view.
        """
        if self._begun != self._changes:
            self._begun, self._began = self._changes, get_time()

    def begin(self) -> None:
        """Follow which screen is on top from now on."""
        self._top = self._app.screen
        self._app.screen_change_signal.subscribe(self._app, self._changed, immediate=True)

    @property
    def resting(self) -> bool:
        """True if no input waits and no effect of earlier input is under way."""
        return not self._waiting and self._turn is None and self._settled()

    def keeps(self, event: Event) -> bool:
        """Tell if an event is not for now: it comes again at its turn, or it is too late."""
        if event is self._turn:
            self._turn = None
            return self._is_late(event)
        if event.is_forwarded or not isinstance(event, InputEvent | Paste):
            return False
        self._waiting.append(event)
        self._look_soon()
        return True

    def drop(self, gone: Gone) -> None:
        """Take nothing for an answer to what is about to be shown if it was typed before that is painted."""
        self._gone = gone
        self._await_paint()

    # --- whose turn it is ---

    def _look_soon(self, delay: float = 0) -> None:
        if not self._looking:
            self._looking = True
            asyncio.get_running_loop().call_later(delay, self._look)

    def _look(self) -> None:
        """Let the first that waits have its turn, once all before it have had their effect."""
        self._looking = False
        if not self._app.is_running or self._app._exit:
            self._waiting.clear()  # nobody is there to type to
            return
        ready = self._settled()  # which also asks for word of the paint
        if self._waiting and (ready or self._is_more_text(self._waiting[0])):
            self._turn = self._waiting.popleft()
            self._app.post_message(self._turn)
        if self._waiting or self._painted != self._changes:
            self._look_soon(LOOK_AGAIN)

    def _is_more_text(self, event: Event) -> bool:
        """Tell if an event is one more character for the line that took the one before: that changes nothing else."""
        into = self._typing_into
        return (
            self._turn is None
            and into is not None
            and into is self._app.focused
            and isinstance(event, Key)
            and into.check_consume_key(event.key, event.character)
        )

    def _settled(self) -> bool:
        """Tell if nothing is under way and the top screen is painted."""
        app = self._app
        if any(map(_busy, (app, *app.screen_stack, *app.screen.walk_children()))):
            return False
        if self._painted != self._changes:
            # Only once it is composed: a screen calls back before, too.
            if self._asked != self._changes:
                self._asked = self._changes
                app.call_after_refresh(self._paint, self._changes)
            return False
        # The palette looks for what fits in a worker; enter runs the first that does.
        return all(work.is_finished for work in app.workers if work.group == CommandPalette._GATHER_COMMANDS_GROUP)

    # --- what is typed for a screen that is gone ---

    def _changed(self, top: Screen[Any]) -> None:
        before, self._top = self._top, top
        closed = before is not None and before not in self._app.screen_stack
        self.drop(self._taken_by(before)) if before is not None and closed else self._await_paint()

    def _taken_by(self, screen: Screen[Any]) -> Gone:
        """Return the input that a screen took: all answers of a dialog, else the key that left the screen."""
        if not isinstance(screen, ModalScreen):
            return Gone(frozenset({self._key}))
        bound = (keys.key_to_bindings for _, keys in screen._modal_binding_chain)
        text = screen.focused.check_consume_key if screen.focused is not None else None
        return Gone(frozenset({self._key}.union(*bound)), digits=True, text=text)

    def _await_paint(self) -> None:
        self._changes += 1
        self._look_soon()

    def _paint(self, change: int) -> None:
        self._painted, self._painted_at = change, self._began or get_time()  # nothing is painted without a terminal

    def _is_late(self, event: Event) -> bool:
        """Tell if an event was for a closed screen; the first that was not, and all after it, are for the top one."""
        app, gone = self._app, self._gone
        if gone is not None and event.time <= self._painted_at and gone.took(event):
            if isinstance(event, Key) and event.key != self._key:
                with self._safely():
                    raise Refused(TOO_EARLY)
            return True
        if isinstance(event, Key):
            self._gone = None
            self._key = event.key
            focused = app.focused
            takes = focused is not None and focused.check_consume_key(event.key, event.character)
            self._typing_into = focused if takes else None
        elif isinstance(event, MouseDown | Paste):
            self._typing_into = None
        return False


def _busy(pump: MessagePump) -> bool:
    """Tell if a pump is acting on a message, or has yet to; otherwise it waits for the next one."""
    queue: Queue[Message | None] = pump._message_queue
    return not (pump._closing or pump._closed) and (not queue.empty() or not queue.ready_event._waiters)
