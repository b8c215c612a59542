"""All that is said of a translation as one object, which exports of ours put beside a tool's own fields.

From it an import is exact. It holds no texts: those stand in the tool's fields, segment by segment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from judges.model import Place
from storage.formats.base import round_trip
from storage.formats.base.items import Annotation, Document, Mark, ScoreLine, Segment, Unmarked

Scored = Sequence[Any]
"""A score as `storage.exports.scores.Score` has it: metric, human, rater, score, domain, direction, segments."""
_NAMES = ("article", "system", "direction", "domain", "rubric")


def block_of(document: Document, annotations: Iterable[Annotation], scores: Iterable[Scored]) -> dict[str, Any]:
    """Return what is said of a translation; a score that a judge's own annotation holds stands there alone."""
    said = list(annotations)
    held = {(one.metric, one.score) for one in said if not one.human and one.score is not None}
    block: dict[str, Any] = {name: getattr(document, name) for name in _NAMES}
    block["ids"] = [segment.id for segment in document.segments]
    block["annotations"] = [_written(one) for one in said]
    block["scores"] = [list(score) for score in scores if score[1] or (score[0], score[3]) not in held]
    return block


def _written(one: Annotation) -> dict[str, Any]:
    return {
        "annotator": one.annotator,
        "human": one.human,
        "marks": [[m.segment, m.category, m.severity, round_trip.of_mark(m, None)] for m in one.marks],
        "rows": [[row.segment, round_trip.of_rows([row])[0]] for row in one.unmarked],
        "rated": None if one.rated is None else sorted(one.rated),
        "metric": one.metric,
        "score": one.score,
        "kept": one.kept,
    }


def read_block(block: Any, texts: Sequence[tuple[str, str]], line: int) -> Iterator[Document | Annotation | ScoreLine]:
    """Yield a document and what is said of it. Raises ValueError where the block is none for these texts."""
    match block:
        case {"ids": list(ids), "annotations": list(annotations), "scores": list(scores)} if len(ids) == len(texts):
            names = [block.get(name) for name in _NAMES]
        case _:
            raise ValueError("is no block of ours")
    if not texts or not all(isinstance(value, str) for value in (*names, *ids)) or not all(names[:2]):
        raise ValueError("has no names")
    article, system, direction, domain, rubric = names
    segments = tuple(Segment(id, *pair, line) for id, pair in zip(ids, texts, strict=True))
    document = Document(article, system, segments, direction, domain, rubric, line)
    found = [_read(document, each, line) for each in annotations]
    lines = [_score(document, score, line) for score in scores]
    yield document
    yield from found
    yield from lines


def _read(document: Document, written: Any, line: int) -> Annotation:
    match written:
        case {"annotator": str(name), "human": bool(human), "marks": list(marks), "rows": list(rows)}:
            rated, score, kept = (written.get(key) for key in ("rated", "score", "kept"))
        case _:
            raise ValueError("has an annotation that cannot be read")
    numbers = range(len(document.segments))
    unmarked: list[Unmarked] = []
    for row in rows:
        match row:
            case [int(segment), dict(said)] if segment in numbers:
                unmarked += round_trip.to_rows([said], segment)
            case _:
                raise ValueError("has a row that cannot be read")
    if rated is not None and not (isinstance(rated, list) and all(each in numbers for each in rated)):
        raise ValueError("was rated in segments that are not there")
    return Annotation(
        document=document,
        annotator=name,
        human=human,
        marks=tuple(_mark(document, mark) for mark in marks),
        unmarked=tuple(unmarked),
        rated=None if rated is None else frozenset(rated),
        metric=written["metric"] if isinstance(written.get("metric"), str) else "",
        score=float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None,
        kept=kept if isinstance(kept, Mapping) else {},
        line=line,
    )


def _mark(document: Document, written: object) -> Mark:
    match written:
        case [int(segment), str(category), str(severity), dict(own)] if segment in range(len(document.segments)):
            before, after = document.segments[:segment], document.segments[segment:]
        case _:
            raise ValueError("has an error that cannot be read")

    def fits(place: Place) -> bool:  # it may begin in an earlier segment, and end in a later one
        return -_length(before, place) <= place.start and place.end < _length(after, place)

    return round_trip.to_mark(Mark(segment, category, severity), own, fits)


def _length(segments: Sequence[Segment], place: Place) -> int:
    """The characters of some segments' texts, each with a line end."""
    return sum(len(each.source if place.side == "source" else each.translation) + 1 for each in segments)


def _score(document: Document, score: object, line: int) -> ScoreLine:
    match score:
        case [str(metric), bool(human), str(rater), int() | float() as value, str(domain), str(direction), *more]:
            return ScoreLine(
                line=line,
                metric=metric,
                system=document.system,
                article=document.article,
                direction=direction,
                score=float(value),
                human=human,
                rater=rater,
                domain=domain,
                segments=round_trip.of_segments(more[0]) if more else (),
            )
    raise ValueError("has a score that cannot be read")
