"""What is said of a reviewer's pace, on the command line and in the queue alike."""

from __future__ import annotations

from discox_tui.reports.layout import duration
from storage.pace import Pace


def time_left(pace: Pace) -> str:
    """How long a reviewer should take for what is left, or why nobody knows."""
    if not pace.left:
        return "nothing left" if pace.assigned else "nothing assigned"
    return "unknown yet" if pace.seconds_left is None else f"about {duration(60 * round(pace.seconds_left / 60))}"
