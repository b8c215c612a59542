"""The app's three themes and the colour names that its widgets may use beyond Textual's own.

Few colours: a warm neutral ground, one cool accent for what is current, and a scale from sand to crimson for
severity. A theme sets every name in ``VARIABLES``; an app returns ``VARIABLES`` from its
``get_theme_variable_defaults`` so that a theme from elsewhere still has them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from textual.theme import Theme

if TYPE_CHECKING:
    from textual.app import App

DEFAULT_THEME = "discox-dark"


def _warm(
    name: str,
    *,
    dark: bool,
    background: str,
    surface: str,
    panel: str,
    foreground: str,
    faint: str,
    accent: str,
    cursor: str,
    cursor_blurred: str,
    scrollbar: str,
    severities: tuple[str, str, str, str, str],
    match: str,
    success: str,
) -> Theme:
    """Make an RGB theme; ``severities`` are minor, major, critical, extreme, violated."""
    minor, major, critical, extreme, violated = severities
    return Theme(
        name=name,
        dark=dark,
        primary=accent,
        secondary=faint,
        accent=accent,
        foreground=foreground,
        background=background,
        surface=surface,
        panel=panel,
        boost=panel,
        warning=major,
        error=extreme,
        success=success,
        variables={
            "faint": faint,
            "faint-style": "none",
            "current": accent,
            "match": match,
            "match-text": foreground,
            "severity-minor": minor,
            "severity-major": major,
            "severity-critical": critical,
            "severity-extreme": extreme,
            "severity-violated": violated,
            "text": foreground,
            "text-muted": faint,
            "foreground-muted": faint,
            "block-cursor-foreground": foreground,
            "block-cursor-background": cursor,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-foreground": foreground,
            "block-cursor-blurred-background": cursor_blurred,
            "block-cursor-blurred-text-style": "none",
            "block-hover-background": cursor_blurred,
            "border": accent,
            "border-blurred": panel,
            "scrollbar": scrollbar,
            "scrollbar-hover": faint,
            "scrollbar-active": accent,
            "scrollbar-background": background,
            "scrollbar-corner-color": background,
            "input-selection-background": cursor,
            "screen-selection-background": cursor,
            "footer-background": background,
            "footer-foreground": faint,
            "footer-description-foreground": faint,
            "footer-key-foreground": accent,
            "link-color": accent,
            "link-background-hover": cursor,
            "link-color-hover": foreground,
        },
    )


DARK = _warm(
    "discox-dark",
    dark=True,
    background="#1c1917",
    surface="#231f1c",
    panel="#2b2622",
    foreground="#e4dbce",
    faint="#a89c8b",
    accent="#86bfd0",
    cursor="#3a332d",
    cursor_blurred="#2b2622",
    scrollbar="#4a4139",
    severities=("#cdbf95", "#e5ab5c", "#ee8f68", "#f58a94", "#c9a5dd"),
    match="#57491b",
    success="#9cbf86",
)
LIGHT = _warm(
    "discox-light",
    dark=False,
    background="#f7f2e8",
    surface="#f0e9dc",
    panel="#e8dfcf",
    foreground="#2a2622",
    faint="#665c50",
    accent="#0f5a70",
    cursor="#e0d5c1",
    cursor_blurred="#ece4d6",
    scrollbar="#cfc2ac",
    severities=("#655518", "#824a00", "#9a330e", "#9d0f37", "#6a3488"),
    match="#f3d98b",
    success="#3c5f27",
)
SIXTEEN = Theme(
    name="discox-16",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_default",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    variables={
        # The terminal's own palette decides how bright anything is, so the cursor swaps colours instead of setting
        # one: whatever was readable stays readable.
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "faint": "ansi_default",
        "faint-style": "dim",
        "current": "ansi_cyan",
        "match": "ansi_yellow",
        "match-text": "ansi_black",
        "severity-minor": "ansi_green",
        "severity-major": "ansi_yellow",
        "severity-critical": "ansi_red",
        "severity-extreme": "ansi_bright_red",
        "severity-violated": "ansi_magenta",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-background": "ansi_default",
        "block-cursor-text-style": "reverse",
        "block-cursor-blurred-foreground": "ansi_default",
        "block-cursor-blurred-background": "ansi_default",
        "block-cursor-blurred-text-style": "bold",
        "border": "ansi_cyan",
        "border-blurred": "ansi_default",
        "scrollbar": "ansi_cyan",
        "scrollbar-hover": "ansi_cyan",
        "scrollbar-active": "ansi_cyan",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "footer-key-foreground": "ansi_cyan",
        "input-selection-background": "ansi_cyan",
        "input-selection-foreground": "ansi_black",
        "screen-selection-background": "ansi_cyan",
        "screen-selection-foreground": "ansi_black",
    },
)

THEMES = (DARK, LIGHT, SIXTEEN)
"""Themes, in the order of "change theme"."""

VARIABLES: dict[str, str] = {
    name: DARK.variables[name]
    for name in (
        "faint",
        "faint-style",
        "current",
        "match",
        "match-text",
        "severity-minor",
        "severity-major",
        "severity-critical",
        "severity-extreme",
        "severity-violated",
    )
}
"""The names beyond Textual's own that every theme here sets, with the values a foreign theme falls back to."""


def ansi_color() -> bool | None:
    """Return the value of Textual's ``App(ansi_color=…)``: True if the user asks for no colour, else the theme decides.

    Without it Textual only turns colours to greys, and the terminal's own colours to black on black.
    """
    return True if "NO_COLOR" in os.environ else None


def for_terminal(app: App[Any]) -> str:
    """The name of the theme that suits a user's terminal: the 16-colour one where it shows no more than that."""
    return SIXTEEN.name if app.no_color or app.console.color_system in (None, "standard") else DEFAULT_THEME


def install(app: App[Any], theme: str | None = None) -> None:
    """Register the three themes with an app, in its ``__init__``, and choose one: what suits the terminal, if not this.

    No style sheet is parsed yet; the watcher of themes would have all parsed and matched a second time.
    """
    for each in THEMES:
        app.register_theme(each)
    app.set_reactive(type(app).theme, theme if theme in app.available_themes else for_terminal(app))
    chosen = app.current_theme
    classes = {f"-theme-{chosen.name}": True, "-dark-mode": chosen.dark, "-light-mode": not chosen.dark}
    app.update_classes(classes, update=False)
    app._refresh_truecolor_filter(app.ansi_theme)
    app.stylesheet.set_variables(app.get_css_variables())


def after(theme: str) -> str:
    """The name of the theme that follows this one; the default after a foreign one."""
    names = [each.name for each in THEMES]
    return names[(names.index(theme) + 1) % len(names)] if theme in names else DEFAULT_THEME
