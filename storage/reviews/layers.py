"""Layers of reviews: a reviewer's own word, theirs when asked again, or one that settles disagreements.

The ``reviewer`` of an event names a layer. Layers never mix: what one says of a finding, another does not see.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, get_args

Purpose = Literal["again", "adjudicated"]
"""``again``: the same reviewer, asked again without seeing what they had said. ``adjudicated``: their word on what
others disagree about."""
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


PLAIN_CLAUSE = " AND ".join(f"r.reviewer NOT GLOB '?*:{purpose}'" for purpose in PURPOSES)
"""The condition that a layer is simply a reviewer's own, in SQL on reviews ``r``."""


def layer_of(reviewer: str, purpose: Purpose) -> str:
    """Return the name of a reviewer's further layer: ``ana:again``, ``ana:adjudicated``."""
    return f"{reviewer}:{purpose}"


def layers_of(reviewer: str) -> tuple[str, ...]:
    """Return the names of all layers that a reviewer can have, their own first."""
    return reviewer, *(layer_of(reviewer, purpose) for purpose in PURPOSES)


@lru_cache(maxsize=1_000)  # it is asked of every verdict, and layers are few
def split_layer(layer: str) -> tuple[str, Purpose | None]:
    """Return whose layer it is, and what for; None: it is simply theirs."""
    reviewer, _, suffix = layer.rpartition(":")
    for purpose in PURPOSES:
        if reviewer and suffix == purpose:
            return reviewer, purpose
    return layer, None


def is_adjudicated(layer: str) -> bool:
    """Return whether the layer settles what others disagree about, so that it is no further opinion beside theirs."""
    return split_layer(layer)[1] == "adjudicated"


def is_again(layer: str) -> bool:
    """Return whether the layer is a reviewer's second answer, to be held against their first only."""
    return split_layer(layer)[1] == "again"
