"""The base of every screen: the keys at its foot, and a word to those whose terminal is too small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.screen import Screen
from textual.widgets import Static

from discox_tui.core.actions import Action, ScreenName, actions_of
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.widgets.bars import TourStrip
from discox_tui.widgets.compositor import ChangesCompositor
from discox_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Resize

    from discox_tui.screens.common.app_base import AppBase

LOOK_AFTER = 0.75
"""Seconds between two looks at whether another program has written to the file."""
SMALLEST = (60, 20)
"""Columns and rows below which nothing useful can be shown."""
NARROW = 100
"""Columns below which a screen has the class ``-narrow``."""
LOW = 32
"""Rows below which a screen has the class ``-low``."""


def actions_on(screen: Screen[Any]) -> tuple[Action, ...]:
    """Return what can be done on a screen: its own actions, if it has a name, then those valid everywhere."""
    own = actions_of(screen.NAME) if isinstance(screen, DiscoxScreen) else ()
    return (*own, *actions_of("app"))


class DiscoxScreen(Screen[None]):
    """A screen of the app. Subclasses say their name and compose their own widgets in ``content``."""

    NAME: ClassVar[ScreenName]
    """Its name in the registry of actions."""

    if TYPE_CHECKING:
        app: AppBase

    DEFAULT_CSS = style_sheet(__file__, "DiscoxScreen")

    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = ChangesCompositor()

    def compose(self) -> ComposeResult:
        """The screen's own widgets, what the tour says while there is one, the keys."""
        yield from self.content()
        if self.app.tour is not None:
            yield TourStrip()
        yield KeyBar()
        yield Static("", markup=False, id="too-small")

    def content(self) -> ComposeResult:
        """Yield the screen's own widgets."""
        raise NotImplementedError

    def offers(self, action: str) -> bool:
        """Tell if a valid key is to be shown among the keys."""
        return True

    def on_resize(self, event: Resize) -> None:
        """Say so where nothing fits."""
        width, height = event.size
        tiny = width < SMALLEST[0] or height < SMALLEST[1]
        self.set_class(tiny, "-tiny")
        self.set_class(width < NARROW, "-narrow")
        self.set_class(height < LOW, "-low")
        if tiny:
            self.query_one("#too-small", Static).update(
                f"discox needs {SMALLEST[0]} × {SMALLEST[1]} cells; this terminal has {width} × {height}"
            )
