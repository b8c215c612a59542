"""Judging and translating from the queue: what, by which model, at what cost; then how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from discox_tui.core import actions
from discox_tui.runs.forecast import asked_in_words
from discox_tui.runs.model_run import ModelRun, batch_lines, forget_batches, order_from_plain
from discox_tui.runs.orders import JudgeOrder
from discox_tui.screens.common.app_base import UNFINISHED
from discox_tui.screens.common.base import DiscoxScreen
from discox_tui.screens.common.dialogs import Ask, Choice, Choose
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.library import run_settings
from discox_tui.screens.library.run_settings import FOLD, NONE, NOT_JUDGED, QUEUE, Command, Setting
from discox_tui.sessions.library import Refused
from discox_tui.text.counts import counted
from discox_tui.text.runs import Run, Runs
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.virtual_table import Cell, Column, VirtualTable
from storage.reviews.blinding import HIDDEN, hides
from storage.runs.not_judged import not_judged

LOOK_AFTER = 0.25
"""Seconds between two looks at how far a run is."""
YES, NO = "yes", "no"
LATER, FORGET = "later", "forget"
BATCH_CHOICES = (
    Choice(LATER, 1, "let it wait, to be collected later"),
    Choice(FORGET, 2, "give it up for good", "may still be charged"),
)
NAMES_HIDDEN = "The names of systems are hidden from you: choose what the queue shows, or everything"
COLUMNS = (
    Column("title", "", 24, priority=9),
    Column("value", "", 20, flex=1, priority=8),
    Column("option", "", 22, priority=7),
)


class ModelRunScreen(DiscoxScreen):
    """The settings of a run, above what it would take, how far it is, or what it came to."""

    NAME = "model_run"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "ModelRunScreen")

    def __init__(self, command: Command, words: str, filtered: bool) -> None:
        """``words``: the queue's filter; ``filtered``: it does not show everything."""
        super().__init__()
        self._command, self._words, self._filtered = command, words, filtered
        self._values: dict[str, Any] = {}
        self._counted: ModelRun | None = None
        """The dry run of what the settings order."""
        self._hidden = False
        self._unfolded = False
        self._batches: list[str] = []
        """Lines on the batches that what is not finished waits for."""

    def content(self) -> ComposeResult:
        """A title, the settings, the news."""
        yield Bar(id="title")
        yield VirtualTable(COLUMNS, self._cells, key=lambda setting: setting.name)
        yield TextBlock(id="news")

    @property
    def table(self) -> VirtualTable[Setting]:
        """The table of settings."""
        return self.query_one(VirtualTable)

    def on_mount(self) -> None:
        """Show the settings as they were last, or those of what was not finished."""
        session = self.app.session
        self._hidden = hides(session.connection, session.reviewer)
        kept = session.recall(self._kept)
        self._values = run_settings.values_of(self._command, kept)
        if self._filtered:
            shown = bool(session.queue) or not self._not_judged()
            self._values["what"] = QUEUE if shown or self._command == "translate" else NOT_JUDGED
        self._show_unfinished()
        self.set_focus(self.table)
        self.set_interval(LOOK_AFTER, self._show_news)

    def on_unmount(self) -> None:
        """Count no further: nobody wants it any more."""
        if self._counted is not None and self._counted is not self.app.model_run:
            self._counted.cancel()

    @property
    def _kept(self) -> str:
        return f"{self._command} settings"

    def _show_unfinished(self) -> None:
        """Show the settings; those of what is going on or was not finished stand in place of one's own."""
        run = self.app.model_run
        self._unfinished = order_from_plain(self.app.session.recall(UNFINISHED))
        order = run.order if run is not None and run.going else self._unfinished
        if order is not None:
            self._command = "judge" if isinstance(order, JudgeOrder) else "translate"
        self._shown: dict[str, Any] = self._values if order is None else self._of_order(asdict(order))
        self._batches = []
        if isinstance(order, JudgeOrder) and order.batch and order is self._unfinished:
            with self.app.looking():
                self._batches = batch_lines(self.app.session.connection, order)
        self._show_rows()
        self._show_news()

    def _show_rows(self) -> None:
        at = self.table.cursor
        self.table.set_rows(run_settings.rows_of(self._command, unfolded=self._unfolded))
        self.table.move_cursor(at or 0)

    def _not_judged(self) -> list[str]:
        return not_judged(self.app.session.connection, self._words, by_system=not self._hidden)

    def _of_order(self, order: dict[str, Any]) -> dict[str, Any]:
        ids = order.get("translations") if self._command == "judge" else order.get("article")
        noun = "translation" if self._command == "judge" else "article"
        models = (order["model"], *order.get("more_models", ()))
        return order | {
            "model": f"{run_settings.BETWEEN} ".join(models),
            "what": f"{counted(len(ids), noun)} chosen before" if ids else run_settings.EVERYTHING,
        }

    def _cells(self, setting: Setting) -> Sequence[Cell]:
        if setting is FOLD:
            words = run_settings.fold_words(self._command, self._shown, unfolded=self._unfolded)
            return setting.title, (words, "faint"), ("", "faint")
        value = self._shown.get(setting.name)
        shown = setting.shown(value)
        if setting.name == "what" and value in (QUEUE, NOT_JUDGED) and self._words:
            shown = f"{value}: “{self._words}”"
        if setting.name == "provider" and self._shown.get("preset") and value != run_settings.REPLAY:
            shown = "the known server's"
        if setting.name == "system" and self._command == "judge" and self._hidden and value:
            shown = HIDDEN
        usual = value == run_settings.defaults(self._command).get(setting.name)
        return setting.title, (shown, "faint" if usual else "strong"), (setting.option, "faint")

    # --- settings ---

    @on(VirtualTable.Selected)
    def _selected(self) -> None:
        with self.app.safely():
            self.action_change_setting()

    def action_change_setting(self) -> None:
        """Ask for another value of the current setting."""
        setting = self.table.current
        if setting is None:
            return
        if setting is FOLD:
            self._unfolded = not self._unfolded
            at = self.table.cursor or 0
            self._show_rows()
            if self._unfolded:  # what was unfolded comes into view
                self.table.move_cursor(len(self.table.rows) - 1)
                self.table.move_cursor(at)
            return
        self._refuse_going()
        if self._unfinished is not None:
            raise Refused(
                f"{self.app.key_of('start_run')} goes on with what was not finished as it was begun; "
                f"{self.app.key_of('stop_run')} gives it up, then settings can be changed"
            )
        if setting.name == "system" and self._command == "judge" and self._hidden:
            raise Refused(NAMES_HIDDEN)
        value = self._values.get(setting.name)
        if setting.kind == "switch":
            self._set(setting, not value)
        elif setting.kind == "choice":
            found = run_settings.choices(setting, self._command)
            options = [Choice(each, n, *said) for n, (each, *said) in enumerate(found, start=1)]
            now = NONE if value is None else value
            self.app.push_screen(Choose(setting.title, options, now), lambda chosen: self._chosen(setting, chosen))
        else:
            shown = setting.shown(value) if value not in (None, (), []) else ""
            self.app.push_screen(
                Ask(f"{setting.title} {setting.option}".strip(), shown, setting.hint or setting.unset),
                lambda typed: self._typed(setting, typed),
            )

    def _chosen(self, setting: Setting, value: str | None) -> None:
        if value is not None:
            self._set(setting, None if value == NONE else value)

    def _typed(self, setting: Setting, typed: str | None) -> None:
        if typed is not None:
            with self.app.safely():
                self._set(setting, setting.read(typed))

    def _set(self, setting: Setting, value: Any) -> None:
        if value is None and setting.name in run_settings.defaults(self._command):
            value = run_settings.defaults(self._command)[setting.name]
        self._values[setting.name] = value
        if self._counted is not None:
            self._counted.cancel()
            self._counted = None
        for row in range(len(run_settings.rows_of(self._command, unfolded=self._unfolded))):
            self.table.refresh_row(row)  # one says what another means
        self._show_news()
        with self.app.safely():
            self.app.session.remember(self._kept, self._values)

    # --- the run ---

    def _refuse_going(self) -> None:
        run = self.app.model_run
        if run is not None and run.going:
            pause, stop = self.app.key_of("pause_run"), self.app.key_of("stop_run")
            raise Refused(f"A model is being asked; {pause} pauses that, {stop} stops it")

    def action_dry_run(self) -> None:
        """Count what it would take; nobody is asked."""
        self._refuse_going()
        self._count(then_ask=False)

    def action_start_run(self) -> None:
        """Ask, once that is confirmed; what is paused goes on."""
        run = self.app.model_run
        if run is not None and run.going and run.held:
            self.action_pause_run()
            return
        self._refuse_going()
        if self._counted is not None and self._counted.stage == "counted":
            self._confirm(self._counted)
        else:
            self._count(then_ask=True)

    def _count(self, *, then_ask: bool) -> None:
        session, most = self.app.session, None
        order = self._unfinished
        if order is None:
            what = self._values["what"]
            translations, articles = session.queue.chosen() if what == QUEUE else ((), ())
            if what == QUEUE and not translations:
                raise Refused("The queue shows nothing to ask about; clear its filter, or choose everything")
            if what == NOT_JUDGED and not (translations := tuple(self._not_judged())):
                raise Refused("Every translation has an evaluation; choose everything, to judge by other settings")
            chosen = {"translations": translations} if self._command == "judge" else {"article": articles}
            order = run_settings.order_of(self._command, self._values, chosen)
            most = self._values.get("most")
        if order.retry_failed and self._hidden:
            raise Refused("Not while anything is hidden from you: what is asked again tells where a judge failed")
        if self._counted is not None:
            self._counted.cancel()
        app, self._counted = self.app, ModelRun(session.connection, order, most=most)
        run = self._counted
        run.count(lambda: app.call_later(self._has_counted, run, then_ask))
        self._show_news()

    def _has_counted(self, run: ModelRun, then_ask: bool) -> None:
        if run is not self._counted or not self.is_attached:
            return
        self._show_news()
        if then_ask and run.stage == "counted" and self.is_active:
            with self.app.safely():
                self._confirm(run)

    def _confirm(self, run: ModelRun) -> None:
        """Ask before money is spent."""
        forecast = run.forecast
        assert forecast is not None
        if not forecast.pieces:
            raise Refused("Nothing is left to do")
        choices = (Choice(YES, 1, "ask", asked_in_words(forecast)), Choice(NO, 2, "not now"))

        def answered(answer: str | None) -> None:
            if answer == YES:
                with self.app.safely():
                    self._refuse_going()
                    self._counted = None
                    self.app.ask_model(run)
                    self._show_unfinished()

        asked = ", ".join(each.model for each in run.order.each())
        self.app.push_screen(Choose(f"Ask {asked}?", choices, NO), answered)

    def action_pause_run(self) -> None:
        """Begin no further call, or go on."""
        run = self.app.model_run
        if run is None or not run.going:
            raise Refused("No model is being asked")
        run.hold(not run.held)
        self._show_news()

    def action_stop_run(self) -> None:
        """End it and keep every answer; of what does not go on, give up that it is to be finished."""
        run = self.app.model_run
        if run is not None and run.going:
            run.stop()
        elif self._batches:
            self.app.push_screen(Choose("What waits in a batch", BATCH_CHOICES, LATER), self._give_up)
        elif self._unfinished is not None:
            self._give_up(LATER)
        else:
            raise Refused("No model is being asked, and nothing is unfinished")
        self._show_news()

    def _give_up(self, answer: str | None) -> None:
        """Keep no longer that it is to be finished, or not even look for what is in a batch."""
        if answer is None or self._unfinished is None:
            return
        with self.app.safely():
            said = "Given up; what was answered is kept, and is not asked again"
            if answer == FORGET:
                forget_batches(self.app.session.connection, self._unfinished)
            elif self._batches:
                said = "It waits on; the next start as a batch by this model collects it"
            self.app.session.forget(UNFINISHED)
            self._counted = None
            self._show_unfinished()
            self.app.say(said)

    def action_back(self) -> None:
        """Go back; what is being asked goes on."""
        self.app.pop_screen()

    # --- the news ---

    def model_run_ended(self) -> None:
        """Show what came of it, and what is left."""
        self._show_unfinished()

    def _show_news(self) -> None:
        run = self.app.model_run
        verb = "judge with a model" if self._command == "judge" else "translate with a model"
        state = self._state(run)
        self.query_one("#title", Bar).show(((("discox", "title"), (f"  {verb}", "")), ((state, "current"),)))
        self.query_one("#news", TextBlock).show(self._news(run))

    def _state(self, run: ModelRun | None) -> str:
        if run is not None and run.going:
            return "stopping" if run.interrupted else "paused" if run.held else "asking"
        return "counting" if self._counted is not None and self._counted.stage == "counting" else ""

    def _news(self, run: ModelRun | None) -> list[Runs]:
        key = self.app.key_of
        if run is not None and run.going:
            if not run.begun:
                return [[("Beginning.", "faint")]]
            first, *rest = run.parts(discreet=self._hidden)
            then = "Each evaluation is in the queue as soon as it is stored; you can go there meanwhile."
            waits = "Answers on their way are waited for and kept."
            return [
                [(first, "strong"), (" · ".join(["", *rest]), "")],
                *_plain(run.reasons),
                [(waits if run.held or run.interrupted else then, "faint")],
            ]
        counted_run = self._counted
        if counted_run is not None:
            if counted_run.stage == "counting":
                return [[("Counting; nobody is asked.", "faint")]]
            if counted_run.forecast is None:
                return [[(counted_run.problem, "critical")]]
            found = counted_run.forecast.lines
            then = f"{key('start_run')} asks, once you have confirmed it" if counted_run.forecast.pieces else ""
            return [[(found[0], "strong")], *_plain(found[1:]), [(then, "faint")]]
        news: list[Runs] = []
        if run is not None:
            lines = run.sums(discreet=self._hidden)
            style = "strong" if run.begun else "critical"
            news = [[(lines[0], style)], *_plain(lines[1:], "" if run.finished else "major")]
        if self._batches:
            looks = f"Waits for a batch. {key('start_run')} collects what is ready; {key('stop_run')} ends the waiting."
            news += [[(looks, "current")], *_plain(self._batches)]
        elif self._unfinished is not None:
            goes_on = f"Not finished. {key('start_run')} goes on and asks nothing twice; {key('stop_run')} gives it up."
            news.append([(goes_on, "current")])
        elif not news:
            news = [
                [(f"{key('dry_run')} counts calls, tokens and money; nobody is asked.", "faint")],
                [("The key comes from the environment or a .env file here; it is never typed or shown.", "faint")],
            ]
        return news


def _plain(lines: Sequence[str], style: str = "") -> list[list[Run]]:
    return [[(line, style)] for line in lines]
