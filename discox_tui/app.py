"""The Textual app: which screens there are, theme, keymap, palette, guideline. What screens do is in ``screens``."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import events
from textual.app import App

from discox_tui.config.guideline import load_guideline
from discox_tui.core import actions, themes
from discox_tui.core.keymap import load_keymap
from discox_tui.core.keys import key_label, plain_key
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.sessions.drafts import Drafts
from discox_tui.sessions.review import ReviewSession
from discox_tui.sessions.stopwatch import Stopwatch
from discox_tui.sessions.verdict_rules import Refused
from discox_tui.terminal.driver import terminal_driver
from discox_tui.terminal.typeahead import Typeahead
from discox_tui.widgets.bidi_filter import HeldLines
from discox_tui.widgets.key_bar import KeyBar
from storage.base.errors import StorageError
from storage.db.library_file import LibraryLost
from storage.db.sqlite_errors import explain
from storage.reviews.blinding import blinding_of
from storage.reviews.review_log import ReviewLog

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.command import Provider
    from textual.driver import Driver
    from textual.filter import LineFilter

    from discox_tui.config.paths import Settings
    from discox_tui.sessions.benchmark import BuildSession
    from discox_tui.text.widths import Ambiguous
    from discox_tui.tour.tour import Tour
    from discox_tui.widgets.virtual_table import VirtualTable
    from storage.db.connection import Connection
    from storage.integrity.backups import Saved


PATIENCE_MS = 2_000
"""How long a key waits for another program's transaction before the app says so."""
STOPPING = 3.0
"""Seconds that quitting waits at most for what works behind the screen."""


def _palette() -> type[Provider]:
    from discox_tui.palette import ActionsProvider

    return ActionsProvider


class DiscoxApp(App[None]):
    """The app of one reviewer on one library."""

    TITLE = "discox"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_palette}
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings("app")

    def __init__(
        self,
        connection: Connection,
        reviewer: str,
        settings: Settings,
        *,
        start: str | None = None,
        building: bool = False,
        tour: Literal["offer", "begin"] | None = None,
    ) -> None:
        """``start``: the id of an evaluation to open at once, instead of where the reviewer stopped; ``building``: open
        the benchmark that is being built.

        ``tour``: this is the sample, so there is a tour; offer it to whoever has not seen it, or begin it.
        Raises StorageError for a guideline that cannot be read, KeymapError for a keymap that makes no sense.
        """
        self.held_lines = HeldLines()
        self.typeahead = Typeahead(self)
        super().__init__(ansi_color=themes.ansi_color())
        self.guideline = load_guideline(settings.guideline)
        self.session = ReviewSession(
            connection, reviewer, guideline=self.guideline.version, blinding=blinding_of(connection, reviewer)
        )
        self.ambiguous: Ambiguous = 2 if settings.wide_quotes else 1
        auto_advance = self.session.recall("auto_advance")
        self.auto_advance = settings.auto_advance if auto_advance is None else bool(auto_advance)
        times = self.session.recall("time")
        self.stopwatch = Stopwatch(self._spend, running=settings.time if times is None else bool(times))
        self.places: dict[tuple[str, str], dict[str, Any]] = {}
        """Where the reviewer left each evaluation, by its id and her layer, that she opened since the app began."""
        self.tour: Tour | None = None
        self._tour_begins = tour
        self._start = start
        self._begin_building = building
        self._building: BuildSession | None = None
        self.session.on_unstored = lambda error: self.call_after_refresh(self.refuse, error)
        self.saved: Saved | None = None
        """The part of a lost library that was saved, if the app cannot go on with it."""
        self._told_of_loss = False
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        self._refused = False
        self.drafts = Drafts(self.session, self.set_timer, self.remember_place)
        self.ending: int | None = None
        """The exit code with which the app is ending, where it was told to from without."""
        self._grounder: subprocess.Popen[bytes] | None = None
        themes.install(self)
        theme = self.session.recall("theme") or settings.theme
        if theme in self.available_themes:
            self.theme = theme
        self._own_keys = load_keymap(Path(settings.keymap).expanduser()) if settings.keymap else {}
        self.set_keymap(self._own_keys)

    def get_driver_class(self) -> type[Driver]:
        """The class that writes to the terminal and reads from it."""
        return terminal_driver(super().get_driver_class())

    def _begin_update(self) -> None:
        self.typeahead.painting()
        super()._begin_update()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every line goes through before it is put on the screen."""
        return [*super().get_line_filters(), self.held_lines]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The colour names of this app, for themes from elsewhere."""
        return themes.VARIABLES

    def get_default_screen(self) -> QueueScreen:
        """The queue, above which everything else opens."""
        place = self.session.recall("place") or {}
        return QueueScreen(place.get("queue") or {})

    def on_mount(self) -> None:
        """Open, above the queue, the evaluation that was open when the reviewer stopped."""
        if self.session.connection.notice:
            self.call_after_refresh(self.say, self.session.connection.notice, warning=True)
        place = self.session.recall("place") or {}
        if isinstance(self.screen, QueueScreen):
            if self._start:
                self.call_after_refresh(self.screen.review, self._start)
            elif self._begin_building or "build" in place:
                self.call_after_refresh(self._open_building, place)
            elif identity := place.get("evaluation"):
                self.call_after_refresh(self.screen.review, identity, place.get("layer"), place)
        self.typeahead.begin()
        self.call_after_refresh(self._ground_behind)
        if self._tour_begins == "begin":
            self.call_after_refresh(self.action_tour)
        elif self._tour_begins == "offer" and self.session.recall("tour") is None:
            self.call_after_refresh(self._open_tour().offer)

    def _open_building(self, place: dict[str, Any]) -> None:
        """Open the benchmark that is being built, where this person left it."""
        from discox_tui.screens.benchmark.screen import BuildScreen

        with self.safely():
            self.push_screen(BuildScreen({**place.get("build", {}), "candidate": place.get("candidate")}))

    @property
    def building(self) -> BuildSession:
        """The benchmark that is being built, read when it is first asked for."""
        if self._building is None:
            from discox_tui.sessions.benchmark import BuildSession  # who reviews does not wait for it

            self._building = BuildSession(self.session)
        return self._building

    def on_ready(self) -> None:
        """Look for garbage from now on, if starting put that off, but never among what starting made."""
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    @contextmanager
    def safely(self) -> Iterator[None]:
        """Say in one line what was refused, by the disk or for making no sense; what was not written is not shown."""
        try:
            yield
        except (sqlite3.Error, StorageError, Refused) as error:
            self.refuse(error)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """As ``safely``, for what nobody asked for: that the library is lost is said once."""
        try:
            yield
        except (sqlite3.Error, StorageError) as error:
            self.refuse(error, asked=False)

    def refuse(self, error: Exception, *, asked: bool = True) -> None:
        """Say in one line what was refused, and why; if the library is lost, offer to save it.

        ``asked``: the reviewer did something; else she need not be told twice.
        """
        if isinstance(error, sqlite3.Error):
            try:
                self.session.connection.check()
            except LibraryLost as lost:
                error = lost
        if isinstance(error, LibraryLost):
            from discox_tui.screens.common.lost_library import offer_to_save, say_saved

            if asked or not self._told_of_loss:
                self._told_of_loss = True
                if self.saved is not None:
                    say_saved(self, self.saved)
                else:
                    offer_to_save(self, error)
            return
        self._refused = self._refused or isinstance(error, Refused)
        said = explain(error, self.session.connection.path, short=True) if isinstance(error, sqlite3.Error) else error
        self.say(str(said), warning=True)

    def on_virtual_table_unreadable(self, message: VirtualTable.Unreadable) -> None:
        """Say why rows stay blank."""
        self.refuse(message.error, asked=False)

    def go_on(self) -> None:
        """Go on with another file, which holds the same."""
        self._told_of_loss = False
        self.session.refresh()
        self._stop_grounder()
        self._ground_behind()

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
                bar.say(message, "major" if warning else "current")
                return

    @property
    def _said(self) -> str:
        """What is being said, or nothing."""
        return next((bar.message for screen in self.screen_stack for bar in screen.query(KeyBar) if bar.message), "")

    def _be_silent(self) -> None:
        """What was said is about the last act, so it goes away with the next."""
        for screen in self.screen_stack:
            for bar in screen.query(KeyBar):
                bar.be_silent()

    # --- actions that are valid everywhere ---

    async def action_help(self) -> None:
        """Show the keys of the screen, and what its marks mean."""
        from discox_tui.screens.common.help import help_page

        await self.push_screen(help_page(self.screen))

    async def action_guideline(self) -> None:
        """Open the guideline, where it speaks of what the screen is about."""
        from discox_tui.screens.review.guideline import GuidelinePage

        await self.push_screen(GuidelinePage(self.guideline, getattr(self.screen, "about", None)))

    async def action_tour(self) -> None:
        """Begin the tour, go on with it, or skip one step of it."""
        if self._tour_begins is None:
            self.say("The tour is on the sample, where nothing you decide counts. Quit and type:  discox tour")
            return
        await (self.tour or self._open_tour()).go_on()

    def _open_tour(self) -> Tour:
        from discox_tui.tour.tour import Tour  # few take it

        self.tour = Tour(self)
        return self.tour

    def key_of(self, action: str) -> str:
        """The first key that this user has for an action, as people write it."""
        return key_label((self._own_keys.get(action) or actions.keys_of(action)).split(",")[0])

    def action_change_theme(self) -> None:
        """Change to the next theme."""
        self.theme = themes.after(self.theme)
        self.session.remember("theme", self.theme)
        self.say(f"Theme: {self.theme.removeprefix('discox-')}")

    def action_time(self) -> None:
        """Keep how long the reviewer spends on each finding, or no more."""
        self.stopwatch.running = not self.stopwatch.running
        self.session.remember("time", self.stopwatch.running)
        self.say("Time is kept, pauses left out" if self.stopwatch.running else "Time is not kept")

    def _spend(self, layer: str, evaluation_id: str, seconds: dict[str, float]) -> None:
        with self.looking():
            if layer:
                ReviewLog(self.session.connection, layer).spend(evaluation_id, seconds)
            else:
                from discox_tui.sessions.benchmark import spend

                spend(self.session.connection, self.session.reviewer, evaluation_id, seconds)

    async def action_quit(self) -> None:
        """Quit; everything is on disk already but the place, which is noted here."""
        self._leave(0)

    def _leave(self, code: int) -> None:
        try:
            self._told_of_loss = True  # whoever opened the library saves what was lost, and says so
            self.drafts.flush()
            self.stopwatch.leave()
            self.remember_place()
            self._stop_grounder()
        finally:
            self.exit(return_code=code)

    def end(self, code: int) -> None:
        """End in order with an exit code, whatever is open. For signal handlers, and threads that see no terminal."""
        if self.ending is None:
            self.ending = code
            if self._loop is not None:
                with suppress(RuntimeError):  # it has ended already
                    self._loop.call_soon_threadsafe(self._leave, code)
            else:  # it has not begun, and will not
                self._exit, self._return_code = True, code

    def offer_draft(self, about: str) -> None:
        """Say, once, that what was begun about an evaluation or a candidate when the program ended is kept."""
        if said := self.drafts.offer(about):
            self.say(said)

    @property
    def broken(self) -> Exception | None:
        """The error that ended the app, if one did."""
        return self._exception

    def panic(self, *renderables: object) -> None:
        """End after an error; what is told of it is told once the terminal is given back (``crash_trace``)."""
        self._fatal_error()

    def _fatal_error(self) -> None:
        """End. Textual would draw the trace on the screen, with the values of all that was at hand, keys too."""
        self.drafts.flush()
        self._stop_grounder()
        self._close_messages_no_wait()

    def _stop_grounder(self) -> None:
        """End the process that locates errors, and wait: who closes the library last leaves one file that holds all."""
        if self._grounder is None:
            return
        with suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._grounder.pid, signal.SIGTERM)  # it began a session of its own, with its workers
            else:
                self._grounder.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._grounder.wait(STOPPING)
        self._grounder = None

    def remember_place(self) -> None:
        """Note where the reviewer is, so that the app opens there again."""
        place: dict[str, Any] = {}
        for screen in self.screen_stack:
            if describe := getattr(screen, "place", None):
                place |= describe()
        try:
            self.session.remember("place", place)
        except LibraryLost as error:
            self.refuse(error, asked=False)
        except (sqlite3.Error, StorageError):
            pass  # it is no part of the record; what is will be refused aloud

    # --- work behind the screen ---

    def _ground_behind(self) -> None:
        """Locate, in a process of its own, the errors of evaluations that were only stored yet."""
        from storage.record.groundings import any_missing

        path = self.session.connection.path
        if any_missing(self.session.connection):
            self._grounder = subprocess.Popen(
                [sys.executable, "-m", "discox_tui", "ground", "--quiet", "--db", os.fspath(path.absolute())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
