"""Two whole texts as segments that go together, each paragraph by paragraph, with nothing of them lost."""

from __future__ import annotations

import re
from collections.abc import Sequence

from judges.grounding.alignment import paragraphs
from storage.formats.base.items import Segment

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n(?=[^\S\n]*\S)")


def segments_of(source: str, translation: str) -> tuple[Segment, ...]:
    """Cut a source and its translation into segments that, joined by line ends, are the texts again.

    Where both have as many paragraphs, each pair of them is one; else each pair of what stands between blank lines, if
    both have as many of that; else the whole.
    """
    for cut in (_paragraphs, _blocks):
        pieces = cut(source), cut(translation)
        if len(pieces[0]) == len(pieces[1]) > 1:
            return tuple(Segment(str(number), *pair) for number, pair in enumerate(zip(*pieces, strict=True), 1))
    return (Segment("1", source, translation),)


def _paragraphs(text: str) -> Sequence[str]:
    """The text cut where its paragraphs begin, but the first."""
    starts = (paragraph.start for paragraph in paragraphs(text)[1:])
    return _cut(text, [text.rindex("\n", 0, start) + 1 for start in starts])


def _blocks(text: str) -> Sequence[str]:
    """The text cut where a line begins after blank ones."""
    return _cut(text, [blank.end() for blank in _BLANK_LINE.finditer(text)])


def _cut(text: str, starts: Sequence[int]) -> Sequence[str]:
    """The text cut before these places, each of which a line end stands before, which goes."""
    ends = [*(start - 1 for start in starts), len(text)]
    return [text[start:end] for start, end in zip((0, *starts), ends, strict=True)]
