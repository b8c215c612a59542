"""Runs: pieces of a line, each with the name of its style; apart from the widgets, for headless parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


Run = tuple[str, str]
"""Text and the name of its style: one of ``named_styles.STYLES``, or "" for plain."""


Runs = Sequence[Run]
