"""What a push proves and what only the night does: ``DISCOX_NIGHTLY=1`` asks for all tests, in their long form."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

NIGHTLY = os.environ.get("DISCOX_NIGHTLY") == "1"

at_night = pytest.mark.skipif(not NIGHTLY, reason="runs at night, with DISCOX_NIGHTLY=1")
"""Marks a test that a push goes without, as another like it runs then."""


def rounds(few: int, many: int) -> int:
    """Return how often to try now."""
    return many if NIGHTLY else few


def others_at_night(cases: Iterable[Any], by_day: int = 1) -> list[Any]:
    """Return the cases of a parameter, of which a push tries the first ``by_day`` only."""
    return [
        case if number < by_day else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=at_night)
        for number, case in enumerate(cases)
    ]


def load_profile() -> None:
    """Let a property be tried on 20 examples, at night on 300; a test that is slow says otherwise itself.

    An example may take as long as it likes: its time depends on the machine.
    """
    settings.register_profile("discox", max_examples=rounds(20, 300), deadline=None)
    settings.load_profile("discox")
