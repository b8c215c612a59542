"""A clock that says what a test wants, in the modules that write to the logs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from storage.benchmark import log
from storage.reviews import review_log

START = datetime(2026, 5, 4, 12, tzinfo=UTC)
YEAR = timedelta(days=365)

Clock = Callable[[timedelta], None]


def a_clock(patch: pytest.MonkeyPatch) -> Clock:
    """Put a clock in place that starts at noon and goes on by a second each time; the result sets it, from ``START``."""
    state = {"now": START}

    class Set(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            state["now"] += timedelta(seconds=1)
            return state["now"]

    for module in (review_log, log):
        patch.setattr(module, "datetime", Set)

    def set_to(since: timedelta) -> None:
        state["now"] = START + since

    return set_to
