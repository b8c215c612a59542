"""What is said of a reviewer's pace, on the command line and in the queue alike."""

from __future__ import annotations

from discox_tui.reports.layout import duration
from storage.pace import Pace


def time_left(pace: Pace) -> str:
    """How long a reviewer should take for what is left, or why nobody knows."""
    if not pace.left:
        return "nothing left" if pace.assigned else "nothing assigned"
    if pace.seconds_left is None:
        return "unknown yet"
    return f"about {duration(60 * max(1, round(pace.seconds_left / 60))).removesuffix(' 0 s')}"


def pace_words(pace: Pace) -> str:
    """Pace and time left in a few words."""
    if pace.speed is None or not pace.left:
        return f"time left: {time_left(pace)}" if pace.left else time_left(pace)
    return f"{pace.speed.evaluations_an_hour:.1f} an hour, {time_left(pace)} left"
