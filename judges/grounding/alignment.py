"""Alignment of the paragraphs (or sentences) of a translation with those of its source, by dynamic programming.

Length-based alignment after Gale and Church (1993), with lengths weighted by script, so that Chinese and English are
comparable, and a bonus for the numbers and Latin words both sides share.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from judges.model import Bead, Paragraph

_BEADS: tuple[tuple[int, int, float], ...] = (
    (1, 1, 0.0),
    (1, 2, 2.8),
    (2, 1, 2.8),
    (2, 2, 6.3),
    (1, 3, 4.2),
    (3, 1, 4.2),
    (1, 4, 5.0),
    (4, 1, 5.0),
    (1, 0, 3.0),
    (0, 1, 3.0),
)
"""Paragraphs taken on each side and what that costs (like −log of how likely it is against 1-1)."""

_VARIANCE = 1.5
"""Variance of the translation's length per Chinese character of source."""
_SHARED = 2.0
"""Gain for each number or Latin word that both sides of a bead hold, up to ``_MOST_SHARED``."""
_MOST_SHARED = 5
_BAND = 12

_LETTER = 1 / 3.2
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[A-Za-z][A-Za-z'’-]+")


def weigh(text: str) -> float:
    """Return the length of ``text`` in Chinese characters: such a character counts 1, another letter 1/3.2."""
    wide = len(_WIDE.findall(text))
    return wide + (sum(map(str.isalnum, text)) - wide) * _LETTER


def align(source: str, translation: str, direction: str = "") -> tuple[Bead, ...]:
    """Return the paragraph alignment of a pair: beads that together hold every paragraph once, in order.

    ``direction`` is accepted so that callers need not know that the scripts alone decide; it changes nothing.
    """
    return link(source, paragraphs(source), translation, paragraphs(translation))


def link(
    source: str, source_units: Sequence[Paragraph], translation: str, translation_units: Sequence[Paragraph]
) -> tuple[Bead, ...]:
    """Align two sequences of ranges (paragraphs or sentences); indices in the beads are positions in them."""
    n, m = len(source_units), len(translation_units)
    left = _Units(source, source_units)
    right = _Units(translation, translation_units)
    common = set().union(*left.tokens) & set().union(*right.tokens)
    bits = {token: 1 << k for k, token in enumerate(sorted(common))}
    left.mark(bits)
    right.mark(bits)
    ratio = (right.sums[-1] or 1.0) / (left.sums[-1] or 1.0)
    best: list[dict[int, tuple[float, int, int]]] = [{} for _ in range(n + 1)]
    best[0][0] = (0.0, 0, 0)
    slope = m / n if n else 0.0
    band = max(_BAND, abs(m - n) + 4) if max(n, m) > _BAND else m + n
    for i in range(n + 1):
        row = best[i]
        centre = int(i * slope)
        for j in range(max(0, centre - band), min(m, centre + band) + 1):
            here = row.get(j)
            if here is None:
                continue
            cost = here[0]
            for taken, given, prior in _BEADS:
                x, y = i + taken, j + given
                if x > n or y > m:
                    continue
                a, b = (left.sums[x] - left.sums[i]) * ratio, right.sums[y] - right.sums[j]
                step = prior
                if taken and given:
                    shared = (left.union(i, x) & right.union(j, y)).bit_count()
                    step += (a - b) ** 2 / (_VARIANCE * (a + b + 2)) - _SHARED * min(shared, _MOST_SHARED)
                there = best[x].get(y)
                if there is None or cost + step < there[0]:
                    best[x][y] = (cost + step, taken, given)
    beads: list[Bead] = []
    i, j = n, m
    while i or j:
        _, taken, given = best[i].get(j) or (0.0, min(i, 1), min(j, 1))  # outside the band: step back diagonally
        beads.append(Bead(tuple(range(i - taken, i)), tuple(range(j - given, j))))
        i, j = i - taken, j - given
    return tuple(reversed(beads))


class _Units:
    """The lengths (as running sums) and the tokens of one side's units."""

    def __init__(self, text: str, units: Sequence[Paragraph]) -> None:
        parts = [text[unit.start : unit.end] for unit in units]
        self.sums = [0.0]
        for part in parts:
            self.sums.append(self.sums[-1] + weigh(part))
        self.tokens = [{token.replace(",", "").casefold() for token in _TOKEN.findall(part)} for part in parts]
        self._marks: list[int] = []

    def mark(self, bits: dict[str, int]) -> None:
        """Turn each unit's tokens into a bit set, so that a union and a count are cheap."""
        self._marks = [sum(bits.get(token, 0) for token in tokens) for tokens in self.tokens]

    def union(self, start: int, end: int) -> int:
        """Return the tokens of units ``start`` … ``end - 1`` as a bit set."""
        marks = 0
        for k in range(start, end):
            marks |= self._marks[k]
        return marks


_LINE = re.compile(r"[^\n]+")


_SENTENCE_END = re.compile(
    # Stops that are nothing else, with what closes after them, and with marks of the direction of writing.
    r"""[。！？!?；;…।॥؟۔؛።፧։។៕။׃]+["'”’」』）)\]»›״\u200e\u200f\u061c]*"""
    # A full stop before what may be a new sentence.
    r"""|\.+["'”’)\]»›״\u200e\u200f\u061c]*(?=\s+[\u200e\u200f\u061c]?(?:["'“‘(\[«‹„״]\s?)?(\w))"""
)


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of ``text``: its non-blank lines, without the spaces around them.

    Lines end at LF or CRLF only; U+2028 and the like stay inside a paragraph, as they do in the data.
    """
    return tuple(
        Paragraph(line.start() + len(line[0]) - len(line[0].lstrip()), line.start() + len(line[0].rstrip()))
        for line in _LINE.finditer(text)
        if not line[0].isspace()
    )


def sentences(text: str, start: int, end: int) -> tuple[Paragraph, ...]:
    """Return the sentences of ``text[start:end]`` as ranges of ``text``, without the spaces between them."""
    found: list[Paragraph] = []
    begin = start
    matches = _SENTENCE_END.finditer(text, start, end)
    for stop in [match.end() for match in matches if not (match[1] and match[1].islower())] + [end]:
        while begin < stop and text[begin].isspace():
            begin += 1
        if any(c.isalnum() for c in text[begin:stop]):
            found.append(Paragraph(begin, stop))
            begin = stop
    if found and begin < end:  # a tail of bare punctuation belongs to the last sentence
        found[-1] = Paragraph(found[-1].start, end)
    return tuple(found)
