"""Differences between two versions of a text, by paragraph, as runs; headless, so in a module without widgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discox_tui.text.runs import Run, Runs

REMOVED, ADDED = "− ", "+ "
"""Before a paragraph as it was, and as it is."""
_COMPARED = 1_000_000_000
"""The product of two paragraphs' lengths above which they are shown whole: comparing them would take seconds."""


def differences(before: str, after: str) -> list[Runs]:
    """Return the paragraphs (split at LF) that differ, each with its number in ``after``; [] where none does.

    What was taken out of a paragraph and what came in has a look of its own, ``removed`` and ``added``.
    """
    from judges.benchmark.checks.version_diff import compare  # few look at versions

    old, new = before.split("\n"), after.split("\n")
    shown: list[Runs] = []
    for same, (a, b), (c, d) in compare(old, new):
        if not same:
            shown.append([(f"¶{1 + sum(1 for paragraph in new[:c] if paragraph.strip())}", "faint")])
            for was, now in zip_longest(old[a:b], new[c:d], fillvalue=""):
                shown += _paragraph(was, now)
    return shown


def _paragraph(was: str, now: str) -> Iterator[Runs]:
    from judges.benchmark.checks.version_diff import compare

    left: list[Run] = [(REMOVED, "removed")]
    right: list[Run] = [(ADDED, "added")]
    if len(was) * len(now) > _COMPARED:
        left.append((was, "removed"))
        right.append((now, "added"))
    else:
        for same, (a, b), (c, d) in compare(was, now):
            left.append((was[a:b], "" if same else "removed"))
            right.append((now[c:d], "" if same else "added"))
    yield from (_whole(runs) for runs, text in ((left, was), (right, now)) if text)


def _whole(runs: Sequence[Run]) -> Runs:
    return [run for run in runs if run[0]]
