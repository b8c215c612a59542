"""A document's two whole texts as they are stored, and where its segments, and what is marked in them, are."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from judges.model import SIDES, Bead, Grounded, Place, Places, Side, Span
from storage.base.text import storable
from storage.formats.base.items import Document, Mark
from storage.record.article_texts import KnownArticle, moved


class PlacedDocument:
    """A document's two texts as they are stored, and where its segments are in them.

    ``id``: its translation's; ``annotatable``: of the evaluation in which people mark errors. Empty until it is stored.
    ``document``: the same as the article that it is of has it.
    """

    def __init__(self, document: Document) -> None:
        self.id = self.annotatable = ""
        self.document = document
        self._known: dict[Side, list[int]] = {}
        self._segments = document.segments
        self.source, source_starts = _joined([segment.source for segment in document.segments])
        self.translation, starts = _joined([segment.translation for segment in document.segments])
        self.starts: dict[Side, list[int]] = {"source": source_starts, "translation": starts}
        ends = [start + len(s.source) for start, s in zip(source_starts, document.segments, strict=True)]
        self._source_ends = ends
        self._place: Callable[[int, bool], int] | None = None

    def is_of(self, article: KnownArticle) -> None:
        """Take an article's name and what is known of it, and its text, which has the same letters."""
        self.document = replace(
            self.document,
            article=article.key,
            direction=article.direction,
            domain=article.domain,
            rubric=article.rubric_text,
        )
        if article.source != self.source:
            self._place = place = moved(self.source, article.source)
            self.source = article.source
            self.starts["source"] = [place(start, False) for start in self.starts["source"]]
            self._source_ends = [place(end, True) for end in self._source_ends]

    def marked(self, marks: tuple[Mark, ...], before: Document) -> tuple[Mark, ...]:
        """Return marks of the document as the file has it with their places in the article's text."""
        if self._place is None:
            return marks
        _, starts = _joined([segment.source for segment in before.segments])
        return tuple(mark._replace(places=tuple(self._moved(mark, starts[mark.segment]))) for mark in marks)

    def _moved(self, mark: Mark, base: int) -> Iterator[Place]:
        assert self._place is not None
        new = self.starts["source"][mark.segment]
        for side, start, end in mark.places:
            if side == "source":
                start, end = self._place(base + start, False) - new, self._place(base + end, True) - new
            yield Place(side, start, max(start, end))

    def segments(self) -> str:
        """The segments as their table holds them."""
        sources, starts = self.starts["source"], self.starts["translation"]
        segments = [
            (storable(id), at_source, end, at, at + len(translation))
            for (id, _, translation, _), at_source, end, at in zip(
                self._segments, sources, self._source_ends, starts, strict=True
            )
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
        end = self._source_ends[number] if side == "source" else begin + len(self._segments[number].translation)
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
