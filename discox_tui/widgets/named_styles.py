"""Looks by name, made from the theme's colours, in a module of their own as bars, tables and plots all ask for them.

They are no component classes: a style sheet is matched against each of those anew for every widget that has them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.style import Style
from textual.color import Color

if TYPE_CHECKING:
    from textual.app import App

STYLES: dict[str, tuple[str, str]] = {
    "plain": ("", ""),
    "strong": ("", "bold"),
    "faint": ("faint", "$faint-style"),
    "current": ("current", ""),
    "title": ("current", "bold"),
    "good": ("success", ""),
    "minor": ("severity-minor", ""),
    "major": ("severity-major", ""),
    "critical": ("severity-critical", ""),
    "extremely_critical": ("severity-extreme", "bold"),
    "violated": ("severity-violated", ""),
    "removed": ("severity-critical", "strike"),
    "added": ("success", "underline"),
}
"""Name → the theme's name of its colour, and its text style or, after a $, the theme's name of that."""


def named_style(app: App[Any], name: str) -> Style:
    """Return the look of this name in the app's present theme, to be laid over a ground. Raises KeyError for others."""
    colour, text_style = STYLES[name]
    values = app.theme_variables
    return _style(values[colour] if colour else "", values[text_style[1:]] if text_style[:1] == "$" else text_style)


@lru_cache
def _style(colour: str, text_style: str) -> Style:
    return Style(color=Color.parse(colour).rich_color if colour else None) + Style.parse(text_style or "none")
