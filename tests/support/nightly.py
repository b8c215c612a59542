"""What a push proves and what only the night does: ``DISCOX_NIGHTLY=1`` asks for all tests, in their long form."""

from __future__ import annotations

import os
from math import gcd

import pytest
from hypothesis import settings

NIGHTLY = os.environ.get("DISCOX_NIGHTLY") == "1"

at_night = pytest.mark.skipif(not NIGHTLY, reason="runs at night, with DISCOX_NIGHTLY=1")
"""Marks a test that a push goes without, as another like it runs then."""


def rounds(few: int, many: int) -> int:
    """Return how often to try now."""
    return many if NIGHTLY else few


def by_day(count: int) -> pytest.MarkDecorator:
    """Return the mark of a test of which a push tries only ``count`` cases, spread over all its parameters."""
    return pytest.mark.by_day(count)


def leave_to_the_night(items: list[pytest.Item]) -> list[pytest.Item]:
    """Take the cases out of ``items`` that a push goes without, and return them.

    The first case of a test always stays. The steps between those that stay have no factor in common with their number,
    so that of two parameters each value has its turn.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not NIGHTLY and item.get_closest_marker("by_day"):
            cases.setdefault(item.nodeid.split("[")[0], []).append(item)
    left = []
    for all_of_it in cases.values():
        mark = all_of_it[0].get_closest_marker("by_day")
        assert mark is not None
        whole = len(all_of_it)
        step = next(n for n in range(whole * 5 // 8, 2 * whole + 2) if gcd(n, whole) == 1)
        stay = {number * step % whole for number in range(mark.args[0])}
        left += [item for number, item in enumerate(all_of_it) if number not in stay]
    gone = set(left)
    items[:] = [item for item in items if item not in gone]
    return left


def load_profile() -> None:
    """Let a property be tried on 20 examples, at night on 300; a test that is slow says otherwise itself.

    An example may take as long as it likes: its time depends on the machine.
    """
    settings.register_profile("discox", max_examples=rounds(20, 300), deadline=None)
    settings.load_profile("discox")
