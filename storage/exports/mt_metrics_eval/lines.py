"""Articles cut into lines: as many for the source as for each of its translations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from judges.grounding.alignment import paragraphs
from judges.model import Place, Side
from storage.exports.items import Cut, TranslationAnnotation
from storage.formats.base.items import Document, Mark


@dataclass
class Translated:
    """One translation and all that is said of it."""

    document: Document
    said: list[TranslationAnnotation] = field(default_factory=list)


def articles(items: Iterable[TranslationAnnotation | Document]) -> Iterator[list[Translated]]:
    """Group what comes by article."""
    held: list[Translated] = []
    last = None
    for item in items:
        if isinstance(item, TranslationAnnotation):
            held[-1].said.append(item)
            continue
        source = "\n".join(segment.source for segment in item.segments)
        article = item.article, source, item.rubric, item.direction
        if held and article != last:
            yield held
            held = []
        last = article
        held.append(Translated(item))
    if held:
        yield held


Ranges = list[tuple[int, int]]


class Lines(NamedTuple):
    """A document as lines of files. ``ranges``: where each line is in the whole texts, by side."""

    cut: Cut
    ranges: dict[Side, Ranges]
    segmented: bool

    def texts(self, side: Side) -> list[str]:
        """Return the lines of a side."""
        return [self.cut.texts[side][start:end] for start, end in self.ranges[side]]

    def gaps(self, side: Side) -> list[str] | None:
        """Return the text around the lines; None for a line end between each."""
        text, at, gaps = self.cut.texts[side], 0, []
        for start, end in self.ranges[side]:
            gaps.append(text[at:start])
            at = end
        gaps.append(text[at:])
        return None if gaps == ["", *["\n"] * (len(gaps) - 2), ""] else gaps

    def line_of(self, mark: Mark, place: Place | None) -> int:
        """Return the line that a mark is of."""
        if self.segmented or place is None:
            return mark.segment if self.segmented else 0
        ranges = self.ranges[place.side]
        return max((at for at, (start, _) in enumerate(ranges) if start <= place.start), default=0)


def cut_lines(documents: Sequence[Document]) -> list[Lines]:
    """Cut the translations of one article into as many lines each: segments, paragraphs, or none."""
    cuts = [Cut(document) for document in documents]
    sides: tuple[Side, Side] = ("source", "translation")
    sources = {tuple(segment.source for segment in document.segments) for document in documents}
    if len(sources) == 1 and len(next(iter(sources))) > 1:
        found = []
        for document, cut in zip(documents, cuts, strict=True):
            ranges: dict[Side, Ranges] = {
                side: [
                    (start, start + len(getattr(segment, side)))
                    for start, segment in zip(cut.starts[side], document.segments, strict=True)
                ]
                for side in sides
            }
            found.append(Lines(cut, ranges, True))
        return found
    held: list[dict[Side, Ranges]] = [
        {side: [(p.start, p.end) for p in paragraphs(cut.texts[side])] for side in sides} for cut in cuts
    ]
    counts = {len(ranges) for each in held for ranges in each.values()}
    if len(counts) != 1 or counts == {0}:
        held = [{side: [(0, len(cut.texts[side]))] for side in sides} for cut in cuts]
    return [Lines(cut, ranges, False) for cut, ranges in zip(cuts, held, strict=True)]
