"""The one rule of which answer stands where somebody answers the same again: for formats, imports and logs.

What is given again is given instead: people come back and change their minds, tools write a file anew. So the earlier
is kept and shown, and only the later counts; the two never come to a mean.
"""

from __future__ import annotations

from collections.abc import Sequence

LATEST = 1e11
"""Seconds since 1970 that no answer reaches, in the year 5138; what is beyond counts milliseconds."""


def latest(times: Sequence[float | None]) -> int:
    """Return which of several answers stands (at least one), by their own times, in the order in which they were given.

    The latest by its time, where all have one: files list them in any order. Else, and of those of one time, the last.
    """
    known = [time for time in times if time is not None]
    if len(known) < len(times):
        return len(times) - 1
    return max(range(len(known)), key=lambda place: (known[place], place))
