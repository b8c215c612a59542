"""The library is no longer the file at its path: what happened, and saving all work to a new file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discox_tui.screens.common.dialogs import Ask, Choice, ChoiceOf, ChooseBelow
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.widgets.bars import TextBlock
from storage.base.errors import StorageError
from storage.integrity.backups import Saved, proposed, save_lost

if TYPE_CHECKING:
    from discox_tui.screens.common.app_base import AppBase
    from storage.db.library_file import LibraryLost

SAVE, ELSEWHERE = "save", "elsewhere"


class LostLibrary(ChooseBelow[str | None]):
    """The dialog for a lost library: save it under the proposed name or another; None: not now."""

    DEFAULT_CSS = style_sheet(__file__, "LostLibrary")

    def __init__(self, what_happened: str, target: Path) -> None:
        super().__init__()
        self._what_happened = what_happened
        self._target = target

    if TYPE_CHECKING:
        app: AppBase

    def on_mount(self) -> None:
        """Propose to save."""
        self.query_one(TextBlock).show(
            [
                [(self._what_happened, "strong")],
                [("All that was decided before can be saved to a new file, and you go on there:", "")],
                [(str(self._target), "current")],
                [("Until then nothing can be decided. Quitting saves, too.", "faint")],
            ]
        )
        choices = (
            Choice(SAVE, 1, "save, go on there"),
            *([Choice(ELSEWHERE, 2, "another name", "for the new file")] if self.app.access.machine else []),
        )
        self.ask(ChoiceOf("Your library was taken away", choices), "not now")

    def choose(self, value: str) -> None:
        """Give the chosen answer."""
        self.dismiss(value)


class SaveTo(Ask):
    """The name of the new file."""


def offer_to_save(app: AppBase, lost: LibraryLost | str) -> None:
    """Ask whether to save a lost library, once; then save it, and go on with the new file."""
    if any(isinstance(screen, LostLibrary | SaveTo) for screen in app.screen_stack):
        return  # it is being asked
    target = proposed(app.session.connection)

    def chosen(answer: str | None) -> None:
        if answer == SAVE:
            _save(app, target)
        elif answer == ELSEWHERE:
            app.push_screen(SaveTo("Save the library to", str(target)), named)

    def named(name: str | None) -> None:
        if name and name.strip():
            _save(app, Path(name.strip()).expanduser())

    app.push_screen(LostLibrary(str(lost), target), chosen)


def _save(app: AppBase, target: Path) -> None:
    connection = app.session.connection
    try:
        saved = save_lost(connection, target)
        if saved.whole and connection.file is not None and connection.file.may_be_closed:
            connection.move_to(saved.file)
            app.go_on()
            app.say(f"All is saved in {saved.file.name}, and you go on there; next time open it with --db {saved.file}")
            return
    except StorageError as error:
        offer_to_save(app, str(error))
        return
    app.saved = saved
    say_saved(app, saved)


def say_saved(app: AppBase, saved: Saved) -> None:
    """Say what is saved where the app cannot go on with it."""
    if saved.whole:
        app.say(f"All is saved in {saved.file}; quit, and open it with --db", warning=True)
    else:
        app.say(
            f"The library itself cannot be read any more; what you decided since you opened it is in {saved.file}: "
            "quit, and add it to a copy of the library with: discox verdicts import",
            warning=True,
        )
