"""Items of a campaign that are no ratings of a translation, by the names that those who made the campaign gave them."""

from __future__ import annotations

import re

from storage.formats.io.rows import LeftOut

_FILLER = re.compile(r"(?:#(bad|duplicate|dup|incomplete)|-(tutorial))[-_]?\d*(?=#|$)", re.IGNORECASE)
_WHY = {
    "bad": "was damaged on purpose, to check the annotator",
    "dup": "repeats another, to check the annotator",
    "duplicate": "repeats another, to fill up its batch",
    "incomplete": "was not rated to its end",
    "tutorial": "is of the tutorial",
}


def filler(line: int, *names: str) -> LeftOut | None:
    """Return why an item does not count by a name of its own, its document's or its system's; None for others.

    Such marks stand at the end of a name or before the next ``#``, one behind the other: ``d#A#bad#duplicate1``.
    """
    for name in names:
        if found := _FILLER.search(name):
            reason = f"is “{name[:60]}”: {_WHY[(found[1] or found[2]).lower()]}"
            return LeftOut(line, "no_rating", "document", reason, "nothing to do")
    return None
