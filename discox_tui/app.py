"""The Textual app: which screens there are and how it begins and ends. What screens do is in ``screens``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from discox_tui.config.access import AT_THE_MACHINE
from discox_tui.core import actions, themes
from discox_tui.runs.grounder import Grounder
from discox_tui.screens.common.app_base import UNFINISHED, AppBase
from discox_tui.screens.library.queue import QueueScreen

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.command import Provider

    from discox_tui.config.access import Access
    from discox_tui.config.paths import Settings
    from discox_tui.runs.model_run import ModelRun
    from discox_tui.tour.tour import Tour
    from storage.db.connection import Connection
    from storage.db.library_file import LibraryLost


def _palette() -> type[Provider]:
    from discox_tui.palette import ActionsProvider

    return ActionsProvider


class DiscoxApp(AppBase):
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
        access: Access = AT_THE_MACHINE,
    ) -> None:
        """``start``: the id of an evaluation to open at once, instead of where the reviewer stopped; ``building``: open
        the benchmark that is being built.

        ``tour``: this is the sample, so there is a tour; offer it to whoever has not seen it, or begin it.
        ``access``: what whoever works here may reach.
        Raises StorageError for a guideline that cannot be read, KeymapError for a keymap that makes no sense.
        """
        super().__init__(connection, reviewer, settings, access=access)
        self._tour_begins = tour
        self._start = start
        self._begin_building = building
        self._told_of_loss = False
        self._grounder = Grounder()
        self._quitting = False

    def get_default_screen(self) -> QueueScreen:
        """The queue, above which everything else opens."""
        place = self.library.recall("place") or {}
        return QueueScreen(place.get("queue") or {})

    def on_mount(self) -> None:
        """Open, above the queue, the evaluation that was open when the reviewer stopped."""
        if self.library.connection.notice:
            self.call_after_refresh(self.say, self.library.connection.notice, warning=True)
        elif self.access.machine and (unfinished := self.library.recall(UNFINISHED)) is not None:
            waits = isinstance(unfinished, dict) and unfinished.get("batch")
            said = "A batch may be ready; {} collects it" if waits else "A model was not finished; {} goes on with it"
            self.call_after_refresh(self.say, said.format(self.key_of("judge")))
        place = self.library.recall("place") or {}
        if isinstance(self.screen, QueueScreen):
            if self._start:
                self.call_after_refresh(self.screen.review, self._start)
            elif self._begin_building or "build" in place:
                self.call_after_refresh(self._open_building, place)
            elif identity := place.get("evaluation"):
                self.call_after_refresh(self.screen.review, identity, place.get("layer"), place)
        self.typeahead.begin()
        if self.access.write:
            self.call_after_refresh(self._grounder.start, self.library.connection)
        if self._tour_begins == "begin":
            self.call_after_refresh(self.action_tour)
        elif self._tour_begins == "offer" and self.library.recall("tour") is None:
            self.call_after_refresh(self._open_tour().offer)

    def ask_model(self, run: ModelRun) -> None:
        """Carry out a run beside the app. Its order is kept until it is finished, so that another start goes on."""
        from discox_tui.runs.model_run import order_to_plain  # few ask models from here

        before = self.library.recall(UNFINISHED)
        self.library.remember(UNFINISHED, order_to_plain(run.order))
        self.model_run = run
        run.ask(lambda: self.call_later(self._model_run_ended, run, before))

    def _model_run_ended(self, run: ModelRun, before: Any) -> None:
        """Say what came of a run, and locate the errors that it brought."""
        with self.looking():
            if run.error is not None:
                from discox_tui.terminal.crash_trace import report

                run.problem = report(run.error)
            if run.finished or (not run.begun and before is None):
                self.library.forget(UNFINISHED)
            elif not run.begun:
                self.library.remember(UNFINISHED, before)
            self._grounder.start(self.library.connection)
            for screen in self.screen_stack:
                if told := getattr(screen, "model_run_ended", None):
                    told()
            self.say(run.outcome, warning=not run.finished)
        if self._quitting:
            self.leave(0)

    def _open_building(self, place: dict[str, Any]) -> None:
        """Open the benchmark that is being built, where this person left it."""
        from discox_tui.screens.benchmark.screen import BuildScreen

        with self.safely():
            self.push_screen(BuildScreen({**place.get("build", {}), "candidate": place.get("candidate")}))

    def library_lost(self, error: LibraryLost, *, asked: bool) -> None:
        """Offer to save a lost library, or say where it is saved; once, unless the reviewer did something."""
        from discox_tui.screens.common.lost_library import offer_to_save, say_saved

        if asked or not self._told_of_loss:
            self._told_of_loss = True
            if not self.access.write:
                self.say(str(error), warning=True)
            elif self.saved is not None:
                say_saved(self, self.saved)
            else:
                offer_to_save(self, error)

    def go_on(self) -> None:
        """Go on with another file, which holds the same."""
        self._told_of_loss = False
        self.session.refresh()
        self._grounder.stop()
        self._grounder.start(self.library.connection)

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

        self.tour = tour = Tour(self)
        return tour

    def action_change_theme(self) -> None:
        """Change to the next theme."""
        self.theme = themes.after(self.theme)
        self.library.remember("theme", self.theme)
        self.say(f"Theme: {self.theme.removeprefix('discox-')}")

    def action_time(self) -> None:
        """Keep how long the reviewer spends on each finding, or no more."""
        self.stopwatch.running = not self.stopwatch.running
        self.library.remember("time", self.stopwatch.running)
        self.say("Time is kept, pauses left out" if self.stopwatch.running else "Time is not kept")

    async def action_quit(self) -> None:
        """Quit; while a model is asked, once the answers on their way are kept, or at once if it is pressed again."""
        run = self.model_run
        if run is None or not run.going or self._quitting:
            self.leave(0)
            return
        self._quitting = True
        run.stop()
        self.say(f"Answers on their way are waited for and kept; {self.key_of('quit')} again quits at once")

    def leave(self, code: int) -> None:
        """Quit with an exit code; everything is on disk already but the place, which is noted here."""
        try:
            self._told_of_loss = True  # whoever opened the library saves what was lost, and says so
            self.drafts.flush()
            self.stopwatch.leave()
            self.remember_place()
            with self.looking():
                self.forget_note()
            self._grounder.stop()
            if self.model_run is not None:
                self.model_run.close()
        finally:
            self.exit(return_code=code)

    def panic(self, *renderables: object) -> None:
        """End after an error; what is told of it is told once the terminal is given back (``crash_trace``)."""
        self._fatal_error()

    def _fatal_error(self) -> None:
        """End. Textual would draw the trace on the screen, with the values of all that was at hand, keys too."""
        self.drafts.flush()
        self._grounder.stop()
        if self.model_run is not None:
            self.model_run.close()
        self._close_messages_no_wait()
