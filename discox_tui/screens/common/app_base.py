"""The app as its screens know it: the session, the stopwatch, what is said, what is refused, and typed-ahead input."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from textual import events
from textual.app import App

from discox_tui.config.access import AT_THE_MACHINE, ONLY_LOOKING
from discox_tui.config.paths import Settings, system_kinds
from discox_tui.core import actions, themes
from discox_tui.core.keys import key_label, plain_key
from discox_tui.sessions.drafts import Drafts
from discox_tui.sessions.library import LibrarySession, Refused
from discox_tui.sessions.stopwatch import Stopwatch
from discox_tui.terminal.driver import terminal_driver
from discox_tui.terminal.typeahead import Typeahead
from discox_tui.text.counts import counted
from discox_tui.widgets.bidi_filter import BidiFilter
from discox_tui.widgets.key_bar import KeyBar
from storage.base.errors import StorageError
from storage.db.library_file import LibraryLost
from storage.db.sqlite_errors import explain
from storage.reviews.lead_notes import tell, told

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.filter import LineFilter

    from discox_tui.config.access import Access
    from discox_tui.config.guideline import Guideline
    from discox_tui.runs.model_run import ModelRun
    from discox_tui.sessions.benchmark import BuildSession
    from discox_tui.sessions.review import ReviewSession
    from discox_tui.text.widths import Ambiguous
    from discox_tui.widgets.text_pane import TextPane
    from discox_tui.widgets.virtual_table import VirtualTable
    from storage.db.connection import Connection
    from storage.integrity.backups import Saved

UNFINISHED = "unfinished model run"
"""Key under which the order of a run is kept until it is finished."""
PATIENCE_MS = 2_000
"""Milliseconds that a key waits for another program's transaction before the app says so."""


class Guide(Protocol):
    """The tour, as the app and its screens know it."""

    async def go_on(self) -> None:
        """Begin, go on, or skip a step."""

    def ran(self, action: str) -> None:
        """Note an action that ran."""

    def takes_escape(self) -> bool:
        """Tell if escape leaves the tour now."""

    def leave(self) -> None:
        """End the tour, to be gone on with later."""

    def look(self) -> None:
        """Look at whether the step is done, and show what is next."""


class AppBase(App[None]):
    """The app of one reviewer on one library, without its screens."""

    def __init__(
        self, connection: Connection, reviewer: str, settings: Settings, *, access: Access = AT_THE_MACHINE
    ) -> None:
        """Raises StorageError for a guideline that cannot be read, KeymapError for a keymap that makes no sense."""
        self.bidi_filter = BidiFilter()
        self.typeahead = Typeahead(self, self.safely)
        super().__init__(ansi_color=themes.ansi_color())
        self._settings = settings
        self.system_kinds = system_kinds(settings)
        if settings.guideline:
            _ = self.guideline  # read at once: it may be missing
        self.library = LibrarySession(connection, reviewer)
        """The reviewer at the library; the same as ``session`` once there is one."""
        self._session: ReviewSession | None = None
        self.access = access
        self.note = ""
        """The note of whoever leads that this reviewer sees."""
        self.ambiguous: Ambiguous = 2 if settings.wide_quotes else 1
        auto_advance = self.library.recall("auto_advance")
        self.auto_advance = settings.auto_advance if auto_advance is None else bool(auto_advance)
        times = self.library.recall("time")
        self.stopwatch = Stopwatch(self._spend, running=settings.time if times is None else bool(times))
        self.places: dict[tuple[str, str], dict[str, Any]] = {}
        """Places where the reviewer left evaluations since the app began, by evaluation id and layer."""
        self.tour: Guide | None = None
        self.saved: Saved | None = None
        """The part of a lost library that was saved, if the app cannot go on with it."""
        self.drafts = Drafts(self.library, self.set_timer, self.remember_place)
        self.ending: int | None = None
        """The exit code with which the app is ending, where it was told to from without."""
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        self.model_run: ModelRun | None = None
        """The run that asks a model beside the app, or the last one that did."""
        self._building: BuildSession | None = None
        self._refused = False
        self._speaker: KeyBar | None = None
        themes.install(self, self.library.recall("theme") or settings.theme)
        self._own_keys: dict[str, str] = {}
        if settings.keymap:
            from discox_tui.core.keymap import load_keymap  # few have one

            self._own_keys = load_keymap(Path(settings.keymap).expanduser())
        self.set_keymap(self._own_keys)

    @cached_property
    def guideline(self) -> Guideline:
        """The guideline that the reviewer goes by."""
        from discox_tui.config.guideline import load_guideline  # the queue does not wait for it

        return load_guideline(self._settings.guideline)

    def get_css_variables(self) -> dict[str, str]:
        """Return the colours of the theme; none for the toolkit's own, before ours is chosen."""
        return super().get_css_variables() if themes.DARK.name in self.available_themes else {}

    def get_driver_class(self) -> type[Driver]:
        """The class that writes to the terminal and reads from it."""
        return terminal_driver(super().get_driver_class())

    def _begin_update(self) -> None:
        self.typeahead.painting()
        super()._begin_update()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of every line before it is put on the screen."""
        return [*super().get_line_filters(), self.bidi_filter]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The colour names of this app, for themes from elsewhere."""
        return themes.VARIABLES

    def on_ready(self) -> None:
        """Look for garbage from now on, if starting put that off, but never among what starting made."""
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    @property
    def session(self) -> ReviewSession:
        """The reviewer at work on evaluations, from when it is first asked for."""
        if self._session is None:
            from discox_tui.sessions.review import ReviewSession  # the queue does not wait for it

            last = self.library
            self.library = self._session = ReviewSession(
                last.connection,
                last.reviewer,
                guideline=self.guideline.version,
                blinding=last.blinding,
                before=last,
            )
            self._session.on_unstored = lambda error: self.call_after_refresh(self.refuse, error)
        return self._session

    @property
    def building(self) -> BuildSession:
        """The benchmark that is being built, read when it is first asked for."""
        if self._building is None:
            from discox_tui.sessions.benchmark import BuildSession  # who reviews does not wait for it

            self._building = BuildSession(self.session)
        return self._building

    @contextmanager
    def safely(self) -> Iterator[None]:
        """Say in one line what was refused, by the disk or for making no sense; what was not written is not shown."""
        try:
            yield
        except (sqlite3.Error, StorageError, Refused) as error:
            self.refuse(error)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Do ``safely`` what nobody asked for: that the library is lost is said once."""
        try:
            yield
        except (sqlite3.Error, StorageError) as error:
            self.refuse(error, asked=False)

    def refuse(self, error: Exception, *, asked: bool = True) -> None:
        """Say in one line what was refused, and why; if the library is lost, deal with that instead.

        ``asked``: the reviewer did something; else they need not be told twice.
        """
        if isinstance(error, sqlite3.Error):
            try:
                self.library.connection.check()
            except LibraryLost as lost:
                error = lost
        if isinstance(error, LibraryLost):
            self.library_lost(error, asked=asked)
            return
        self._refused = self._refused or isinstance(error, Refused)
        if isinstance(error, sqlite3.Error) and not self.access.write:
            self.say(ONLY_LOOKING, warning=asked)
            return
        said = explain(error, self.library.connection.path, short=True) if isinstance(error, sqlite3.Error) else error
        self.say(str(said), warning=True)

    def library_lost(self, error: LibraryLost, *, asked: bool) -> None:
        """Deal with a library that is no longer the file at its path; ``asked`` as in `refuse`."""
        raise NotImplementedError

    def ask_model(self, run: ModelRun) -> None:
        """Carry out a run beside the app, and keep its order until it is finished."""
        raise NotImplementedError

    def go_on(self) -> None:
        """Go on with another file, which holds the same."""
        raise NotImplementedError

    def leave(self, code: int) -> None:
        """Quit with an exit code, after all that is open was kept."""
        raise NotImplementedError

    def on_virtual_table_unreadable(self, message: VirtualTable.Unreadable) -> None:
        """Say why rows stay blank."""
        self.refuse(message.error, asked=False)

    def on_text_pane_copied(self, message: TextPane.Copied) -> None:
        """Say that it was done: nothing else shows it."""
        self.say(f"Copied {counted(message.count, 'character')}")

    async def run_action(self, *arguments: Any, **options: Any) -> bool:
        """Run an action, safely; the tour is told of those that ran."""
        with self.safely():
            done = await super().run_action(*arguments, **options)
            if self.tour is not None and done:
                self.tour.ran(str(arguments[0]).rpartition(".")[2])
            return done
        return True

    async def on_event(self, event: events.Event) -> None:
        """Let keys typed with a Chinese input method on mean what is printed on them, except in a text input.

        A letter that no input takes is acted on here and now: left to bubble up, what it opens would get its focus
        only after the letters that were typed next had gone elsewhere.
        """
        if self.typeahead.keeps(event):
            return
        if isinstance(event, events.InputEvent):
            self.stopwatch.active()
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._refused = self._refused and bool(self._said)
            if self._refused and (event.character or "").isdecimal() and not self.screen.is_modal:
                return  # answers to questions that did not open; alone, digits would be verdicts
            self._refused = False
            self._be_silent()
            if event.key == "escape" and self.tour is not None and self.tour.takes_escape():
                self.tour.leave()
                return
            focused = self.focused
            if focused is None or not focused.check_consume_key(event.key, event.character):
                event.key, event.character = plain_key(event.key, event.character)
                if event.is_printable and await self._check_bindings(event.key):
                    return
        await super().on_event(event)

    def say(self, message: str, *, warning: bool = False) -> None:
        """Tell the reviewer something, literally, for a few seconds, in the row of keys."""
        for screen in reversed(self.screen_stack):
            for bar in screen.query(KeyBar):
                if self._speaker is not None and self._speaker is not bar:
                    self._speaker.be_silent()
                self._speaker = bar
                bar.say(message, "major" if warning else "current")
                return

    @property
    def _said(self) -> str:
        """The message that stands in a row of keys; empty if there is none."""
        return self._speaker.message if self._speaker is not None else ""

    def _be_silent(self) -> None:
        """Take the message away: it is about the last act, so it goes with the next."""
        if self._speaker is not None:
            self._speaker.be_silent()
            self._speaker = None

    def key_of(self, action: str) -> str:
        """The first key that this user has for an action, as people write it."""
        return key_label((self._own_keys.get(action) or actions.keys_of(action)).split(",")[0])

    def _spend(self, layer: str, evaluation_id: str, seconds: dict[str, float]) -> None:
        with self.looking():
            if layer:
                from storage.reviews.review_log import ReviewLog

                ReviewLog(self.library.connection, layer).spend(evaluation_id, seconds)
            else:
                from discox_tui.sessions.benchmark import spend

                spend(self.library.connection, self.library.reviewer, evaluation_id, seconds)

    def remember_place(self) -> None:
        """Note where the reviewer is, so that the app opens there again."""
        place: dict[str, Any] = {}
        for screen in self.screen_stack:
            if describe := getattr(screen, "place", None):
                place |= describe()
        try:
            self.library.remember("place", place)
        except LibraryLost as error:
            self.refuse(error, asked=False)
        except (sqlite3.Error, StorageError):
            pass  # it is no part of the record; what is will be refused aloud

    def look_for_note(self) -> None:
        """Say what the lead has left word of, once; it stands over the queue until the app ends."""
        note = told(self.library.connection, self.library.reviewer)
        if note != self.note:
            self.note = note
            if note:
                self.say(note, warning=True)

    def forget_note(self) -> None:
        """Keep no more what was seen."""
        if self.note and self.access.write and told(self.library.connection, self.library.reviewer) == self.note:
            tell(self.library.connection, self.library.reviewer, "", "")

    def offer_draft(self, about: str) -> None:
        """Say, once, that what was begun about an evaluation or a candidate when the program ended is kept."""
        if said := self.drafts.offer(about):
            self.say(said)

    def end(self, code: int) -> None:
        """End in order with an exit code, whatever is open. For signal handlers, and threads that see no terminal."""
        if self.ending is None:
            self.ending = code
            if self._loop is not None:
                with suppress(RuntimeError):  # it has ended already
                    self._loop.call_soon_threadsafe(self.leave, code)
            else:  # it has not begun, and will not
                self._exit, self._return_code = True, code

    @property
    def broken(self) -> Exception | None:
        """The error that ended the app, if one did."""
        return self._exception
