"""A clock that says what a test wants, where both logs are written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from storage.log import writer

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

    patch.setattr(writer, "datetime", Set)

    def set_to(since: timedelta) -> None:
        state["now"] = START + since

    return set_to
