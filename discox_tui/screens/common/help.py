"""The help page: the keys that are valid here, and what the marks on the texts mean."""

from __future__ import annotations

from textual.screen import Screen

from discox_tui.core.actions import actions_of
from discox_tui.core.keys import key_label
from discox_tui.screens.common.base import DiscoxScreen, actions_on
from discox_tui.screens.common.dialogs import Page
from discox_tui.text.glyphs import DECISION_MARKS, OWN_MARK, REPEAT_MARK, SEVERITY_MARKS
from discox_tui.text.runs import Run
from judges.metric_s.scoring import METRIC_S
from judges.model import Decision

DECIDED: dict[Decision, str] = {
    "agree": "you agree",
    "not_an_error": "not an error",
    "override": "other severity, category or place",
    "reattribute": "belongs to another dimension",
    "duplicate": "duplicate of another error",
    "unsure": "unsure, to come back to",
    "restore": "brought back after de-duplication",
    "too_strict": "the rubric point asks too much",
}


_PARTS = (
    "Headline: of two systems, does the metric rank the one higher that humans do? The mean of four cells: systems' "
    "means and pairs within an article, in both directions. v changes how ties count.",
    "Weak spots: of the findings that reviewers decided, the share that they rejected or moved, by the judge's "
    "dimension and category and the article's domain. The surest come first: by the lower end of the interval, which "
    "knows that findings of one article resemble one another. Enter lists these findings, enter again opens one in "
    "review, esc goes back.",
    "Heat maps: a row is what the judge said, a column what reviewers made of it. A denser shade is a larger share of "
    "the row.",
    "Scatter: a point a translation. Above the line humans are milder than the metric, below it stricter.",
    "Figures: all of them, with definitions, intervals, and what was left out.",
    "Validity: how well one can tell beforehand which findings stand; where | and + agree, it is told rightly.",
    "Counts follow each verdict at once; while intervals follow, the title says updating…",
    "The filter (/) is for all parts. A reviewer's name in it chooses her.",
)
"""Explanation of the consistency screen."""


def help_page(screen: Screen[object]) -> Page:
    """Return the help of a screen as a page."""
    paragraphs: list[list[Run]] = []
    group = ""
    review = isinstance(screen, DiscoxScreen) and screen.NAME == "review"
    for action in (*actions_on(screen), *(actions_of("selection") if review else ())):
        if action.group != group:
            group = action.group
            paragraphs += [[("", "")], [(group, "strong")]]
        keys = " ".join(key_label(key) for key in action.keys)
        paragraphs.append([(f"{keys:<12}", "title"), (f" {action.help}", "")])
    if review:
        paragraphs += _legend()
    if isinstance(screen, DiscoxScreen) and screen.NAME == "consistency":
        paragraphs += [[("", "")], [("How to read the parts", "strong")], *([(line, "")] for line in _PARTS)]
    return Page("Help", paragraphs[1:])


def _legend() -> list[list[Run]]:
    """Return advice for reading along, and the meaning of the signs on the review screen."""
    severities: list[list[Run]] = [
        [(f"{mark} ", severity), (f"{severity.replace('_', ' ')}, −{METRIC_S.severities[severity]}", "")]
        for severity, mark in SEVERITY_MARKS.items()
    ]
    decisions: list[list[Run]] = [
        [(f"{DECISION_MARKS[decision]} ", "current"), (meaning, "")] for decision, meaning in DECIDED.items()
    ]
    return [
        [("", "")],
        [("Reading along", "strong")],
        [
            (f"{'tab':<12}", "title"),
            (" Go into the texts; there the arrows, page up and down, home and end scroll.", ""),
        ],
        [(f"{'wheel':<12}", "title"), (" Scroll the text under the pointer.", "")],
        [(f"{'drag':<12}", "title"), (" Select text; twice pressed by words, three times by sentences.", "")],
        [(f"{'click':<12}", "title"), (" On a highlight: its error; again: the next of those that overlap there.", "")],
        [("", "")],
        [("Signs in the texts and the list", "strong")],
        *severities,
        [(f"{OWN_MARK} ", "current"), ("before a sign and in the list: you marked this error, as +1, +2 …", "")],
        [(f"{REPEAT_MARK} ", "current"), ("before a number: the same mistake as that error; they count once", "")],
        [("~ ", "current"), ("before a sign: the place is approximate, and its words are in italics", "")],
        [("▌ ", "major"), ("at the right edge: where in the whole text the errors are; ◂ the current one", "")],
        [("A sign in the margin without a highlight: only the paragraph is known.", "faint")],
        [("", "")],
        [("What you decided, before the error's number", "strong")],
        [(f"{DECISION_MARKS[None]} ", "faint"), ("nothing yet", "")],
        *decisions,
    ]
