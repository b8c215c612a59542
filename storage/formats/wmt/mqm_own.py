"""MQM rows that an export of ours wrote, read back from their metadata: annotations exactly as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judges.model import Place
from storage.formats.base import round_trip
from storage.formats.base.items import NOTHING, Annotation, Document, Mark, Segment, Unmarked
from storage.formats.io.rows import LeftOut
from storage.formats.wmt.mqm_marks import unmarked

Row = tuple[int, list[str], Mapping[str, Any]]
"""A row's line, its cells, and what was written in its metadata."""

AUTOMATIC = "AutoMQM-"
"""The prefix that we write before a judge's name: Marot takes raters for judges whose names begin like that."""


def own_annotations(rows: Sequence[Row], direction: str) -> Iterator[Annotation | LeftOut]:
    """Yield what every rater says of one document, of which these are all the rows (at least one).

    The errors that a reviewer left of a judge's findings are no blind pass, and are left out.
    """
    document = _document(rows, direction)
    index = {number: n for n, number in enumerate(sorted({_number(cells) for _, cells, _ in rows}))}
    raters: dict[tuple[str, bool], list[Row]] = {}
    for row in rows:
        if row[1][4]:
            raters.setdefault((row[1][4], row[2].get("human") is True), []).append(row)
    for (rater, human), said in raters.items():
        if any(own.get("of") for _, _, own in said):
            for line, _, _ in said:
                reason = f"is what {rater[:60]} left of a judge's findings, and no pass of her own"
                yield LeftOut(line, "reviewed", "rater", reason, "bring reviews in with an archive")
            continue
        marks: list[tuple[int, Mark]] = []
        unmarked: list[tuple[int, Unmarked]] = []
        for line, cells, own in said:
            at = index[_number(cells)] if len(document.segments) > 1 else 0
            number = own["n"] if type(own.get("n")) is int else len(marks)
            if "mark" in own:
                mark = Mark(at, cells[7], cells[8], line=line)
                marks.append((number, round_trip.to_mark(mark, own["mark"], _fits(document.segments[at]))))
            elif "row" in own:
                unmarked += ((number, row) for row in round_trip.to_rows([own["row"]], at))
        metric, score, kept, rated = _whole(said, len(document.segments))
        yield Annotation(
            document=document,
            annotator=rater if human else rater.removeprefix(AUTOMATIC),
            human=human,
            marks=tuple(mark for _, mark in sorted(marks, key=lambda item: item[0])),
            unmarked=tuple(row for _, row in sorted(unmarked, key=lambda item: item[0])),
            rated=rated,
            metric=metric,
            score=score,
            kept=kept,
            line=said[0][0],
            made_of=len(said),
        )


def _number(cells: list[str]) -> int:
    return int(cells[2]) if cells[2].isdecimal() else 0


def _fits(segment: Segment) -> Any:
    lengths = {"source": len(segment.source), "translation": len(segment.translation)}

    def fits(place: Place) -> bool:
        return 0 <= place.start <= place.end <= lengths[place.side]

    return fits


def _document(rows: Sequence[Row], direction: str) -> Document:
    line, first, _ = rows[0]
    texts: dict[int, Segment] = {}
    named = [first[1], first[0], direction, "", ""]
    counts: list[int] | None = None
    for _, cells, own in rows:
        source, target = unmarked(cells[5])[0], unmarked(cells[6])[0]
        match own.get("texts"):
            case [str(given), str(translated)]:
                source, target = given, translated
        name = own.get("id")
        texts.setdefault(_number(cells), Segment(name if isinstance(name, str) else cells[3], source, target))
        match own.get("document"):
            case [str(), str(), str(), str(), str()] as told:
                named = [*told]
        match own.get("lines"):
            case [int(sources), int(targets)]:
                counts = [sources, targets]
    segments = tuple(segment for _, segment in sorted(texts.items()))
    if counts is not None:  # the lines of texts that are one segment
        source = "\n".join(segment.source for segment in segments[: counts[0]])
        segments = (Segment("", source, "\n".join(segment.translation for segment in segments[: counts[1]])),)
    article, system, known, domain, rubric = named
    return Document(article, system, segments, known or direction, domain, rubric, line)


def _whole(rows: list[Row], segments: int) -> tuple[str, float | None, Mapping[str, Any], frozenset[int] | None]:
    """Return what was said of the whole: the metric, its score, what else; and the segments that were looked at."""
    metric: str = ""
    score: float | None = None
    kept: Mapping[str, Any] = NOTHING
    rated: frozenset[int] | None = None
    for _, _, own in rows:
        match own.get("pass"):
            case [str(metric), value, dict(kept)]:
                score = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        match own.get("rated"):
            case list(numbers):
                rated = frozenset(n for n in numbers if type(n) is int and 0 <= n < segments)
    return metric, score, kept, rated
