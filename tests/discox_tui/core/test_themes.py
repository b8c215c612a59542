"""Text is readable in the RGB themes (WCAG AA), and the 16-colour theme uses the terminal's own colours only."""

import unicodedata
from typing import get_args

import pytest
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from discox_tui.core.themes import DARK, DEFAULT_THEME, LIGHT, SIXTEEN, THEMES, VARIABLES, after, ansi_color, install
from discox_tui.text.glyphs import ASCENDING_MARK, CURRENT_MARK, DECISION_MARKS, DESCENDING_MARK, SEVERITY_MARKS
from judges.model import DECISIONS, Severity


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.normalized)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@pytest.mark.parametrize(
    "ground",
    ["background", "surface", "panel", "block-cursor-background", "block-cursor-blurred-background"],
)
def test_every_text_colour_reaches_aa_on_every_ground(theme: Theme, ground: str) -> None:
    colors = {**theme.to_color_system().generate(), **theme.variables}
    texts = ["foreground", "faint", "current", "primary", "warning", "error", "success", "link-color"]
    texts += [name for name in VARIABLES if name.startswith("severity-")]
    texts += ["footer-foreground", "footer-key-foreground", "footer-description-foreground"]
    weak = {text: round(contrast(colors[text], colors[ground]), 2) for text in texts}
    assert {text: ratio for text, ratio in weak.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_a_search_match_is_readable(theme: Theme) -> None:
    assert contrast(theme.variables["match-text"], theme.variables["match"]) >= 4.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_theme_sets_every_name(theme: Theme) -> None:
    assert VARIABLES.keys() <= theme.variables.keys()


def test_the_sixteen_colour_theme_names_no_rgb_colour() -> None:
    colors = SIXTEEN.to_color_system().generate()
    assert [name for name, value in colors.items() if "#" in value or "rgb" in value] == []


def test_themes_follow_each_other_round() -> None:
    assert after(DEFAULT_THEME) == "discox-light"
    assert after(after(after(DEFAULT_THEME))) == DEFAULT_THEME
    assert after("nord") == DEFAULT_THEME


def test_marks_are_distinct_and_one_cell_wide_everywhere() -> None:
    assert set(SEVERITY_MARKS) == set(get_args(Severity))
    assert set(DECISION_MARKS) == {None, *DECISIONS}
    for marks in (SEVERITY_MARKS.values(), DECISION_MARKS.values()):
        assert len(set(marks)) == len(marks)
    every = [*SEVERITY_MARKS.values(), *DECISION_MARKS.values(), CURRENT_MARK, ASCENDING_MARK, DESCENDING_MARK]
    assert [mark for mark in every if len(mark) != 1 or unicodedata.east_asian_width(mark) not in ("N", "Na")] == []


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "discox-dark"),
        ({"TERM": "xterm-256color"}, "discox-dark"),
        ({"TERM": "xterm"}, "discox-16"),
        ({"TERM": "dumb"}, "discox-16"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "discox-16"),
    ],
)
def test_the_first_theme_suits_the_terminal(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], name: str
) -> None:
    for variable in ("TERM", "COLORTERM", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    app: App[None] = App(ansi_color=ansi_color())
    install(app)
    assert app.theme == name
