"""A document's two whole texts as they are stored, and where its segments, and what is marked in them, are."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence

from judges.model import SIDES, Bead, Grounded, Place, Places, Side, Span
from storage.base.text import storable
from storage.formats.base.items import Document, Mark


class PlacedDocument:
    """A document's two texts as they are stored, and where its segments are in them.

    ``id``: its translation's; ``annotatable``: of the evaluation in which people mark errors. Empty until it is stored.
    """

    def __init__(self, document: Document) -> None:
        self.id = self.annotatable = ""
        self._known: dict[Side, list[int]] = {}
        self._segments = document.segments
        self.source, source_starts = _joined([segment.source for segment in document.segments])
        self.translation, starts = _joined([segment.translation for segment in document.segments])
        self.starts: dict[Side, list[int]] = {"source": source_starts, "translation": starts}

    def segments(self) -> str:
        """The segments as their table holds them."""
        sources, starts = self.starts["source"], self.starts["translation"]
        segments = [
            (storable(id), at_source, at_source + len(source), at, at + len(translation))
            for (id, source, translation, _), at_source, at in zip(self._segments, sources, starts, strict=True)
        ]
        return json.dumps(segments, ensure_ascii=False)

    def places(self, mark: Mark) -> Places:
        """Return where a mark is in the whole texts."""
        bases: dict[Side, int] = {side: starts[mark.segment] for side, starts in self.starts.items()}
        return tuple(Place(side, bases[side] + start, bases[side] + end) for side, start, end in mark.places)

    def grounded(self, mark: Mark) -> Grounded:
        """Return where a mark is, as a finding is located; of one without a place the paragraph of its segment."""
        spans = tuple(Span(side, start, end) for side, start, end in self.places(mark))
        unlocated: tuple[tuple[Side, str], ...] = (("translation", mark.quote),) if mark.quote and not spans else ()
        number = mark.segment
        return Grounded(spans, self._paragraph("source", number), self._paragraph("translation", number), unlocated)

    def alignment(self) -> tuple[Bead, ...]:
        """Return which paragraphs go together: those of a segment."""
        return tuple(
            Bead(*(tuple(self._within(side, number)) for side in SIDES)) for number in range(len(self._segments))
        )

    def _paragraph(self, side: Side, number: int) -> int | None:
        held = self._within(side, number)
        return held[0] if held else None

    def _within(self, side: Side, number: int) -> range:
        """The numbers of the paragraphs, from 0, that begin in a segment."""
        starts = self._paragraphs(side)
        begin = self.starts[side][number]
        segment = self._segments[number]
        end = begin + len(segment.source if side == "source" else segment.translation)
        return range(bisect_left(starts, begin), bisect_left(starts, end))

    def _paragraphs(self, side: Side) -> list[int]:
        from judges.grounding.alignment import paragraphs

        if side not in self._known:
            text = self.source if side == "source" else self.translation
            self._known[side] = [paragraph.start for paragraph in paragraphs(text)]
        return self._known[side]


def _joined(texts: Sequence[str]) -> tuple[str, list[int]]:
    """The texts, each on a line of its own, and where each begins."""
    starts, at = [], 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    return storable("\n".join(texts)), starts
