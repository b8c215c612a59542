"""Characters, words, sentences and paragraphs as a reader takes them: found around a place, in the text as it is.

A character is an extended grapheme cluster (UAX #29). A word is a run of letters and digits, with the apostrophes and
separators inside; a run of one punctuation mark, or of spaces, is one too. Chinese is not segmented: without a
dictionary of many megabytes any guess is wrong too often, so each Chinese character, and each hiragana, is a word.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from discox_tui.text.wrapping import Typeset

    Range = tuple[int, int]
    """Code points ``[start, end)``."""

    Unit = Callable[[Typeset, int], Range]
    """The unit of a text around a code point of it."""


class _Patterns(NamedTuple):
    cluster: Any
    safe: Any
    word: Any
    alone: Any


@cache
def _patterns() -> _Patterns:
    import regex  # the standard library knows no clusters and no scripts; only who selects waits for it

    return _Patterns(
        cluster=regex.compile(r"\X"),
        # Before such a character there is surely a boundary, so that clusters can be counted from there.
        safe=regex.compile(
            r"(?<![\p{GCB=Prepend}\p{GCB=Extend}\p{GCB=ZWJ}])\p{GCB=Other}|(?<![\p{GCB=Prepend}\p{GCB=L}])[\p{GCB=LV}\p{GCB=LVT}]"
        ),
        word=regex.compile(
            r"\s+"
            r"|[\p{Han}\p{Hiragana}]\p{M}*"
            r"|[\w--\p{M}--\p{Han}--\p{Hiragana}][\w\p{M}--\p{Han}--\p{Hiragana}]*"
            r"(?:(?:(?<=\p{N})[.,٫٬](?=\p{N})|(?<=[\p{L}\p{M}])['’׳](?=\p{L})|(?<=\p{Hebrew})[\"״](?=\p{Hebrew}))"
            r"[\w\p{M}--\p{Han}--\p{Hiragana}]+)*"
            r"|(.)\p{M}*(?:\1\p{M}*)*",
            regex.V1 | regex.DOTALL,
        ),
        alone=regex.compile(r"[\s\p{Han}\p{Hiragana}]"),
    )


def cluster(typeset: Typeset, offset: int) -> Range:
    """Return the grapheme cluster that holds code point ``offset``; nothing at the end of the text."""
    text = typeset.text
    if not 0 <= offset < len(text):
        return (len(text),) * 2 if offset > 0 else (0, 0)
    patterns = _patterns()
    start = offset
    while start > 0 and not patterns.safe.match(text, start):
        start -= 1
    while (end := patterns.cluster.match(text, start).end()) <= offset:
        start = end
    return start, end


def word(typeset: Typeset, offset: int) -> Range:
    """Return the word, the run of one punctuation mark or the run of spaces that holds ``offset``, whole clusters."""
    low, high = _around(typeset, offset)
    if not low <= offset < high:
        return cluster(typeset, offset)
    text, patterns = typeset.text, _patterns()
    start = offset
    if text[offset].isspace():
        while start > low and text[start - 1].isspace():
            start -= 1
    while start > low and not patterns.alone.match(text, start - 1):
        start -= 1
    found = next(match.span() for match in patterns.word.finditer(text, start, high) if match.end() > offset)
    return whole(typeset, *found)


def sentence(typeset: Typeset, offset: int) -> Range:
    """Return the sentence that holds ``offset`` or, between two, follows it; as locating errors cuts them."""
    from judges.grounding.alignment import sentences

    low, high = _around(typeset, offset)
    found = sentences(typeset.text, low, high)
    for each in found:
        if offset < each.end:
            return whole(typeset, each.start, each.end)
    return whole(typeset, found[-1].start, found[-1].end) if found else paragraph(typeset, offset)


def paragraph(typeset: Typeset, offset: int) -> Range:
    """Return the paragraph that holds ``offset`` or is before it, without the spaces around it."""
    low, high = _around(typeset, offset)
    inside = typeset.text[low:high]
    start, end = low + len(inside) - len(inside.lstrip()), low + len(inside.rstrip())
    return whole(typeset, start, end) if start < end else (low, high)


def whole(typeset: Typeset, start: int, end: int) -> Range:
    """Widen ``[start, end)`` to whole clusters; it must not be empty."""
    return cluster(typeset, start)[0], cluster(typeset, end - 1)[1]


def _around(typeset: Typeset, offset: int) -> Range:
    paragraphs = typeset.paragraphs
    if not paragraphs:
        return 0, 0
    found = paragraphs[max(0, bisect_right(paragraphs, offset, key=lambda each: each.start) - 1)]
    return found.start, found.end
