"""The time that a reviewer works on each finding, pauses left out, so that a team can tell what is left to do.

It is told what is in front of them and that they do something; it writes what it counted now and then, not with each
key. Switched off, it counts and writes nothing.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

PAUSE = 60.0
"""Seconds without a key or the mouse from which they are a pause, not work."""
BEGINNING = 10.0
"""Seconds of a pause that count all the same: what they did before they looked up."""
WRITE_AFTER = 180.0
"""Seconds after which what was counted is written, so that a crash loses no more."""


class Subject(NamedTuple):
    """The subject that time is spent on. ``finding``: the id of a finding, or of a marked error; empty: of none."""

    layer: str
    evaluation: str
    finding: str


Write = Callable[[str, str, dict[str, float]], object]
"""Writes, for a layer and an evaluation, the seconds on each of its findings."""


class Stopwatch:
    """Counts the time between a reviewer's inputs towards what was in front of them then."""

    def __init__(self, write: Write, *, running: bool = True, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock``: seconds that never go back."""
        self._write = write
        self._clock = clock
        self._running = running
        self._subject: Subject | None = None
        self._last = self._written = clock()
        self._seconds: defaultdict[Subject, float] = defaultdict(float)

    @property
    def running(self) -> bool:
        """Return whether time is counted. Switched off, what was not written yet is forgotten."""
        return self._running

    @running.setter
    def running(self, running: bool) -> None:
        self._running = running
        self._last = self._clock()
        self._seconds.clear()

    def active(self) -> None:
        """Note that the reviewer did something: pressed a key, moved the mouse."""
        now = self._clock()
        gap, self._last = now - self._last, now
        if self._subject is not None and self._running:
            self._seconds[self._subject] += BEGINNING if gap > PAUSE else gap

    def look_at(self, layer: str, evaluation: str, finding: str = "") -> None:
        """Note what is in front of the reviewer from now on; what was counted of another evaluation is written."""
        self.active()
        before, self._subject = self._subject, Subject(layer, evaluation, finding)
        if (before and before[:2] != self._subject[:2]) or self._last - self._written > WRITE_AFTER:
            self.write()

    def leave(self) -> None:
        """Note that nothing that is reviewed is in front of the reviewer any more, and write what was counted."""
        self.active()
        self._subject = None
        self.write()

    def write(self) -> None:
        """Write what was counted since the last time, to a tenth of a second."""
        counted, self._seconds = self._seconds, defaultdict(float)
        self._written = self._last
        by_evaluation: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        for subject, seconds in counted.items():
            if rounded := round(seconds, 1):
                by_evaluation[subject.layer, subject.evaluation][subject.finding] = rounded
        for (layer, evaluation), spent in by_evaluation.items():
            self._write(layer, evaluation, spent)
