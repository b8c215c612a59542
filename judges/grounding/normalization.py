"""Normalization of texts, with the way back: an index of where every character came from.

People who quote change quotes, dashes, width, case and spacing; folding undoes that and keeps an index map, so that a
match in the folded text is a range of the real one.
"""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left

_SAME = {
    **dict.fromkeys("“”„‟«»「」『』＂〝〞″״", '"'),
    **dict.fromkeys("‘’‚‛`´′＇׳", "'"),
    **dict.fromkeys("‐‑‒–—―−－─~～〜", "-"),
    **dict.fromkeys("。．", "."),
    **dict.fromkeys("、，", ","),
    **dict.fromkeys("·•・‧", "."),
    "ـ": "",  # only makes an Arabic word longer
}


class _Fold(dict[str, str]):
    """Map of each character to its normal form; filled as characters are met."""

    def __missing__(self, char: str) -> str:
        if (same := _SAME.get(char)) is not None:
            folded = same
        else:
            folded = "".join(
                _SAME.get(c, c)
                for c in unicodedata.normalize("NFKD", char).casefold()
                if not c.isspace() and unicodedata.category(c) not in ("Mn", "Cc", "Cf", "Cs")
            )
        if len(self) < 50_000:  # bounded, whatever the texts hold
            self[char] = folded
        return folded


_FOLD = _Fold()


def fold(text: str) -> str:
    """Return ``text`` without spaces, controls, accents, case, width and styles of quotes and dashes."""
    return "".join([_FOLD[char] for char in text])


def bare(folded: str) -> str:
    """Return only the letters and digits of a folded text."""
    return "".join(filter(str.isalnum, folded))


class Folded:
    """A folded text, and its letters and digits alone (``bare``), with the way back.

    ``origin[k]`` (``bare_origin[k]``) is the original index of folded (bare) character ``k``; both are monotone.
    """

    def __init__(self, text: str) -> None:
        pieces = [_FOLD[char] for char in text]
        self.string = "".join(pieces)
        self.origin = array("I", [i for i, piece in enumerate(pieces) for _ in piece])
        kept = [k for k, char in enumerate(self.string) if char.isalnum()]
        self.bare = "".join([self.string[k] for k in kept])
        self.bare_origin = array("I", [self.origin[k] for k in kept])

    def position(self, index: int) -> int:
        """Return the first folded position at or after the original ``index``."""
        return bisect_left(self.origin, index)
