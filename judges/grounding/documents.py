"""Two texts made ready for grounding: searchable, cut into paragraphs, and aligned with one another."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

from judges.grounding.alignment import link, paragraphs, sentences
from judges.grounding.fuzzy_search import Locator, han, latin
from judges.model import SIDES, Bead, Paragraph, Side

_NO_SPACES = ("zh", "zho", "chi", "cmn", "ja", "jpn", "yue", "wuu", "lzh")
_FAR = 100.0
_WITHIN = 0.3
_STOPS = '。！？；.!?;：:，,”"؟؛،۔।»'
_HEADLINE = re.compile(r"(?:[^。；;۔।.\n]|\.(?!\s))*[^。；;۔।.：:，,،؛\n]")

OTHER: dict[Side, Side] = {"source": "translation", "translation": "source"}


class AlignedPosition(NamedTuple):
    """A place on the scale both sides share: paragraph bead, sentence bead in it, fraction of that sentence (0–1)."""

    bead: int
    sentence: int
    fraction: float

    def distance(self, other: AlignedPosition) -> float:
        """Return how far two spots are apart, in sentences; another paragraph counts 100.

        Where in a sentence counts little, because languages order their words differently.
        """
        if self.bead != other.bead:
            return abs(self.bead - other.bead) * _FAR
        return abs(self.sentence - other.sentence) + abs(self.fraction - other.fraction) * _WITHIN


class Text(Locator):
    """One side of a pair."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.paragraphs = paragraphs(text)
        self._starts = [paragraph.start for paragraph in self.paragraphs]

    def paragraph_at(self, position: int) -> int:
        """Return the index of the paragraph that holds ``position`` (or the one before it; 0 at the least)."""
        return max(0, bisect_right(self._starts, position) - 1)

    def sentences(self, first: int, last: int) -> tuple[Paragraph, ...]:
        """Return the sentences of paragraphs ``first`` … ``last``."""
        return tuple(
            sentence
            for paragraph in self.paragraphs[first : last + 1]
            for sentence in sentences(self.text, paragraph.start, paragraph.end)
        )

    @cached_property
    def threes(self) -> frozenset[str]:
        """All that stands in three characters of the folded text; what it does not hold can occur nowhere."""
        string = self.folded.string
        return frozenset(map("".join, zip(string, string[1:], string[2:], strict=False)))

    @cached_property
    def headings(self) -> tuple[int, ...]:
        """Paragraphs that look like titles: short ones without a final stop, and a first line of one sentence."""
        short = 30 if han(self.text) * 3 > len(self.text) else 80
        return tuple(
            k
            for k, p in enumerate(self.paragraphs)
            if (k == 0 and len(self.paragraphs) > 1 and _HEADLINE.fullmatch(self.text, p.start, p.end))
            or (p.end - p.start <= short and self.text[p.end - 1] not in _STOPS)
        )


class Documents:
    """A source and its translation, prepared once and asked many times."""

    def __init__(self, source: str, translation: str, direction: str) -> None:
        self.direction = direction
        self.sides: dict[Side, Text] = {"source": Text(source), "translation": Text(translation)}
        left, right = self.sides["source"], self.sides["translation"]
        self.alignment: tuple[Bead, ...] = link(source, left.paragraphs, translation, right.paragraphs)
        self._bead: dict[Side, dict[int, int]] = {
            side: {p: b for b, bead in enumerate(self.alignment) for p in getattr(bead, side)} for side in SIDES
        }
        self._scales: dict[int, dict[Side, list[tuple[int, int, int]]]] = {}
        languages = [*(code.split("_")[0].casefold() for code in direction.split("-")), "", ""]
        self.wide: dict[Side, bool | None] = {
            side: language in _NO_SPACES if language else han(self.sides[side].text) * 4 > len(text)
            for side, language, text in zip(SIDES, languages, (source, translation), strict=False)
        }

    @property
    def same_script(self) -> bool:
        """Return whether the script cannot tell the source from the translation."""
        return self.wide["source"] == self.wide["translation"]

    def reach(self, text: str) -> int:
        """Return how many characters of ``text``, from its beginning, stand together in one of the two texts."""
        return max(self.sides[side].reach(text) for side in SIDES)

    def counterpart(self, side: Side, paragraph: int) -> tuple[int, ...]:
        """Return the paragraphs of the other side that go with this one."""
        bead = self._bead[side].get(paragraph)
        return () if bead is None else getattr(self.alignment[bead], OTHER[side])

    def bead_at(self, side: Side, position: int) -> int:
        """Return the number of the paragraph bead that holds ``position``."""
        return self._bead[side].get(self.sides[side].paragraph_at(position), 0)

    def place(self, side: Side, position: int, roughly: bool = False) -> AlignedPosition:
        """Return where ``position`` is on the scale both sides share; ``roughly``, which is quick: by paragraphs."""
        bead = self.bead_at(side, position)
        scale = self._scale(bead)[side] if self.alignment and not roughly else []
        if not scale:
            return AlignedPosition(bead, 0, 0.0)
        start, end, number = scale[max(0, bisect_right(scale, position, key=lambda stretch: stretch[0]) - 1)]
        return AlignedPosition(bead, number, max(0.0, min(1.0, (position - start) / max(1, end - start))))

    def position(self, side: Side, spot: AlignedPosition) -> int | None:
        """Return the offset on ``side`` that ``spot`` falls on, at a word boundary, or None without a counterpart."""
        text = self.sides[side].text
        scale = self._scale(spot.bead)[side] if spot.bead < len(self.alignment) else []
        for start, end, number in scale:
            if number < spot.sentence:
                continue
            at = start + round(spot.fraction * (end - start)) if number == spot.sentence else start
            while start < at < end and latin(text[at - 1]) and latin(text[at]):
                at -= 1
            return at
        return scale[-1][1] if scale else None

    def window(self, side: Side, spot: AlignedPosition) -> tuple[int, int] | None:
        """Return the stretch of ``side`` that goes with ``spot``: its sentence bead and those next to it."""
        scale = self._scale(spot.bead)[side] if spot.bead < len(self.alignment) else []
        near = [stretch for stretch in scale if abs(stretch[2] - spot.sentence) <= 1]
        return (near[0][0], near[-1][1]) if near else None

    def sentence_beads(self, bead: int) -> tuple[tuple[Bead, ...], tuple[Paragraph, ...], tuple[Paragraph, ...]]:
        """Return one paragraph bead's alignment by sentences, with the sentences of both sides it speaks of."""
        linked = self.alignment[bead]
        units = {
            side: self.sides[side].sentences(getattr(linked, side)[0], getattr(linked, side)[-1])
            if getattr(linked, side)
            else ()
            for side in SIDES
        }
        left, right = units["source"], units["translation"]
        beads = link(self.sides["source"].text, left, self.sides["translation"].text, right)
        return beads, left, right

    def _scale(self, bead: int) -> dict[Side, list[tuple[int, int, int]]]:
        """Return, by side, the stretches of a paragraph bead: (start, end, number of the sentence bead)."""
        if bead not in self._scales:
            beads, left, right = self.sentence_beads(bead)
            units: dict[Side, tuple[Paragraph, ...]] = {"source": left, "translation": right}
            self._scales[bead] = {
                side: [
                    (units[side][held[0]].start, units[side][held[-1]].end, number)
                    for number, linked in enumerate(beads)
                    if (held := getattr(linked, side))
                ]
                for side in SIDES
            }
        return self._scales[bead]


def prepare(source: str, translation: str, direction: str) -> Documents:
    """Return a prepared pair. ``direction`` is like ``zh-en``; about 35 ms for 16,000 characters."""
    return Documents(source, translation, direction)
