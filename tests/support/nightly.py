"""How often a test tries: a few times on every run, many times where ``DISCOX_NIGHTLY=1`` asks for the long form."""

from __future__ import annotations

import os

NIGHTLY = os.environ.get("DISCOX_NIGHTLY") == "1"


def rounds(few: int, many: int) -> int:
    """Return how often to try now."""
    return many if NIGHTLY else few
