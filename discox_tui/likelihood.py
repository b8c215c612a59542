"""How likely findings stand, in words: for a command and for the review, which is not to wait for any figure."""

from __future__ import annotations

from discox_tui.reports.layout import counted


def learnt_from(n: int, articles: int) -> str:
    """What a probability rests on."""
    return f"learnt from {counted(n, 'verdict')} in {counted(articles, 'article')}"


def likely(chance: float) -> str:
    """A probability in words."""
    return f"{100 * chance:.0f} % likely to stand"
