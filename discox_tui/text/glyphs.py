"""The glyphs that carry a meaning without colour, in one place so that every screen draws the same one.

Every mark is one cell wide in every terminal: none is of Unicode's "ambiguous" width (as ● ▲ ◆ ■ · are, which
take two cells where a terminal is set for Chinese), none is an emoji.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judges.model import Decision, Severity

SEVERITY_MARKS: dict[Severity, str] = {
    "minor": "◦",
    "major": "▴",
    "critical": "❖",
    "extremely_critical": "✱",
    "violated": "▿",
}
"""A shape of its own for each severity, heavier as it gets worse; ``violated`` (a rubric point) points down."""

DECISION_MARKS: dict[Decision | None, str] = {
    None: "∙",
    "agree": "✓",
    "not_an_error": "✗",
    "override": "~",
    "reattribute": "⇢",
    "duplicate": "=",
    "unsure": "?",
    "restore": "+",
    "too_strict": "⊘",
}
"""Glyphs of the reviewer's decisions; None: not decided yet."""

OWN_MARK = "✎"
"""Stands for an error that the reviewer marked."""

REPEAT_MARK = "↺"
"""Before the number of the error that is the same mistake at another place."""

CONTRADICTED_MARK = "⇄"
"""Before the words of an error of which the reviewer said in two copies what cannot stand together."""

CURRENT_MARK = "▸"
"""Stands before the current row of a list."""

ASCENDING_MARK = "▴"
DESCENDING_MARK = "▾"
"""Stand beside the title of the column that a list is sorted by."""
