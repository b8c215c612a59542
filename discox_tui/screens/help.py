"""The help page: the keys that are valid here, and what the marks on the texts mean."""

from __future__ import annotations

from textual.screen import Screen

from discox_tui.actions import key_label
from discox_tui.marks import DECISION_MARKS, SEVERITY_MARKS
from discox_tui.screens.base import DiscoxScreen, actions_on
from discox_tui.screens.dialogs import Page
from discox_tui.widgets.lines import Run
from judges.metric_s.scoring import METRIC_S
from judges.model import Decision

DECIDED: dict[Decision, str] = {
    "agree": "you agree",
    "not_an_error": "not an error",
    "override": "other severity or category",
    "reattribute": "belongs to another dimension",
    "duplicate": "duplicate of another error",
    "unsure": "unsure, to come back to",
    "restore": "brought back after de-duplication",
}


def help_page(screen: Screen[object]) -> Page:
    """Return the help of a screen as a page."""
    paragraphs: list[list[Run]] = []
    group = ""
    for action in actions_on(screen):
        if action.group != group:
            group = action.group
            paragraphs += [[("", "")], [(group, "strong")]]
        keys = " ".join(key_label(key) for key in action.keys)
        paragraphs.append([(f"{keys:<12}", "title"), (f" {action.help}", "")])
    if isinstance(screen, DiscoxScreen) and screen.NAME == "review":
        paragraphs += [[("", "")], [("Marks in the texts", "strong")]]
        for severity, mark in SEVERITY_MARKS.items():
            cost = METRIC_S.severities[severity]
            paragraphs.append([(f"{mark} ", severity), (f"{severity.replace('_', ' ')}, −{cost}", "")])
        paragraphs += [
            [("Italic: the place is approximate. A sign in the margin alone: only the paragraph is known.", "faint")],
            [("", "")],
            [("Marks in the list", "strong")],
        ]
        paragraphs += [
            [(f"{DECISION_MARKS[decision]} ", "current"), (meaning, "")] for decision, meaning in DECIDED.items()
        ]
    return Page("Help", paragraphs[1:])
