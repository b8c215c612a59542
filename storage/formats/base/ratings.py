"""Ratings of single segments, in whatever order a file has them, put together into documents and who rated them.

They wait on disk and not in memory, so that a file may be larger than the memory and its documents lie scattered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from storage.base.groups import Groups
from storage.base.repeats import latest
from storage.formats.base import pieces
from storage.formats.base.items import Annotation, Document, Mark, Remark, RowKind, ScoreLine, Segment, Unmarked, again
from storage.formats.io.rows import LeftOut

OTHER_TEXT = "was marked in another text of this segment than stands here"


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating that one annotator gave of one system's translation of one segment.

    ``segment``: what the file calls it, where that tells it from the others of its document; else "", and segments are
    told apart by ``piece`` and ``order``, or without these by their texts and how they follow. ``annotator`` "": the
    texts alone, which nobody rated. ``order``: sorts the segments; those of one order stay as they come. ``piece``: the
    batch in which ``order`` numbers the segments, where each batch begins anew. ``at``: when it was given, in seconds
    since 1970; None where the file does not say. ``marks``: places are within this segment. ``score``: its score
    under the name ``metric``, higher is better; a document has the mean of its segments'. ``kept``: what else the file
    says of it, JSON-able. ``is_row``: of texts alone, whether they are a row of the file.
    ``asked``: whether errors were asked for, so that a segment without marks is clean; else nothing is said of them.
    """

    line: int
    article: str
    system: str
    source: str
    translation: str
    annotator: str
    human: bool
    segment: str = ""
    order: float = 0
    piece: str = ""
    at: float | None = None
    direction: str = ""
    domain: str = ""
    rubric: str = ""
    marks: tuple[Mark, ...] = ()
    kind: RowKind | None = None
    score: float | None = None
    metric: str = ""
    kept: Mapping[str, Any] = field(default_factory=dict)
    asked: bool = True
    is_row: bool = False


Item = Rating | ScoreLine | LeftOut | Remark
Collected = Annotation | Document | ScoreLine | LeftOut | Remark


def collect(items: Iterable[Item], *, newest_first: bool = False) -> Iterator[Collected]:
    """Yield what no ratings are as it comes, then each document's annotations, documents in the order of the file.

    A document that nobody rated comes as it is.

    Of a segment that has other texts in a later rating the first are taken, and the marks of the other are not placed.
    Of what one annotator says of a segment again the later stands (`storage.base.repeats`): by its time, else by the
    order of the file, which ``newest_first`` turns round. The earlier are annotations of their own, before it.
    """
    alone = 0
    with Groups[Rating]() as documents, Groups[tuple[str, pieces.Item]]() as batches:
        for item in items:
            if isinstance(item, Rating):
                documents.add((item.direction, item.article, item.system), item)
                if item.piece:
                    batches.add((item.direction, item.article), (item.system, _item(item)))
            else:
                yield item
        article: tuple[str, str] | None = None
        places: dict[tuple[str, pieces.Item], int] = {}
        for ratings in documents:
            one = ratings[0]
            if (one.direction, one.article) != article:
                article = one.direction, one.article
                by_system: dict[str, set[pieces.Item]] = {}
                for system, each in batches.of(article):
                    by_system.setdefault(system, set()).add(each)
                places = pieces.places(by_system)
            for found in annotated(ratings, places, newest_first=newest_first):
                yield found
                alone += isinstance(found, Annotation) and found.human and not found.rated
    if alone:
        message = f"{alone:,} passes hold scores alone: errors were not asked for, so they are begun and not clean"
        yield Remark(0, "scores_alone", "", message)


def by_segment(items: Iterable[Item]) -> Iterator[Item]:
    """Yield what no ratings are as it comes, then one rating for all rows of a file in which one annotator is about
    one segment, each of which has an error or none: together they are one pass, and none is a later one.

    Of a segment that has other texts in a later row the first are taken, as `collect` does.
    """
    with Groups[Rating]() as segments:
        for item in items:
            if isinstance(item, Rating):
                segments.add((item.direction, item.article, item.system, item.segment), item)
            else:
                yield item
        for rows in segments:
            by_annotator: dict[str, list[Rating]] = {}
            for row in rows:
                if other := _other_text(row, rows[0]):
                    yield other
                by_annotator.setdefault(row.annotator, []).append(_in_texts_of(row, rows[0]))
            for own in by_annotator.values():
                yield replace(own[0], marks=tuple(mark for row in own for mark in row.marks))


def _other_text(rating: Rating, texts: Rating) -> Remark | None:
    if (rating.source, rating.translation) == (texts.source, texts.translation):
        return None
    message = f"segment {rating.segment} has another text in line {texts.line}, which is taken"
    return Remark(rating.line, "other_text", "", message)


def _in_texts_of(rating: Rating, texts: Rating) -> Rating:
    """Return a rating with the texts that are taken for its segment; its marks have no place in others."""
    if _other_text(rating, texts) is None:
        return rating
    marks = tuple(mark._replace(places=(), unplaced=OTHER_TEXT) for mark in rating.marks)
    return replace(rating, source=texts.source, translation=texts.translation, marks=marks)


def _item(rating: Rating) -> pieces.Item:
    return pieces.Item(rating.piece, rating.order, rating.source)


def annotated(
    ratings: list[Rating], places: Mapping[tuple[str, pieces.Item], int], *, newest_first: bool = False
) -> Iterator[Annotation | Document | Remark]:
    """Yield the annotations of one document, of which these are all the ratings (at least one), or the document.

    ``places``: where the items of batches stand in its text.
    """
    keys = _keys(ratings, places)
    first: dict[object, tuple[float, Rating]] = {}
    for key, rating in zip(keys, ratings, strict=True):
        first.setdefault(key, (key if isinstance(key, int) else rating.order, rating))
    held = sorted(first.items(), key=lambda item: item[1][0])
    number = {key: n for n, (key, _) in enumerate(held)}
    one = ratings[0]
    segments = tuple(
        Segment(r.segment or str(n), r.source, r.translation, r.line) for n, (_, (_, r)) in enumerate(held, 1)
    )
    document = Document(
        article=one.article,
        system=one.system,
        segments=segments,
        direction=one.direction,
        domain=one.domain,
        rubric=one.rubric,
        line=min(r.line for r in ratings),
        made_of=max(1, sum(r.is_row for r in ratings)),
    )
    said: dict[str, dict[int, list[Rating]]] = {}
    for key, rating in zip(keys, ratings, strict=True):
        if not rating.annotator:
            continue
        _, texts = first[key]
        if other := _other_text(rating, texts):
            yield other
        said.setdefault(rating.annotator, {}).setdefault(number[key], []).append(_in_texts_of(rating, texts))
    if not said:
        yield document
    for annotator, of_segments in said.items():
        stands: dict[int, Rating] = {}
        earlier: list[tuple[dict[int, Rating], list[Remark]]] = []
        for at, given in sorted(of_segments.items()):
            rest = given[::-1] if newest_first else [*given]
            stands[at] = rest.pop(latest([rating.at for rating in rest]))
            for times, rating in enumerate(sorted(rest, key=lambda each: each.at or 0) if rest else ()):
                if times == len(earlier):
                    earlier.append(({}, []))
                earlier[times][0][at] = rating
                earlier[times][1].append(_rated_again(document, at, rating, stands[at]))
        for group, why in earlier:
            yield _annotation(document, annotator, group, replaced=tuple(why))
        yield _annotation(document, annotator, stands)


def _rated_again(document: Document, at: int, rating: Rating, stands: Rating) -> Remark:
    what = f"segment “{document.segments[at].id}” of “{document.article[:60]}” by “{rating.system[:60]}”"
    where = f"in line {stands.line}" if stands.line != rating.line else "in this line"
    return again(rating.line, rating.annotator, f"rates {what} again, {where}", human=rating.human)


def _keys(ratings: list[Rating], places: Mapping[tuple[str, pieces.Item], int]) -> list[object]:
    """Return what tells the segments of a document apart, by rating."""
    keys: list[object] = [
        rating.segment or (places[rating.system, _item(rating)] if rating.piece else None) for rating in ratings
    ]
    told_by_texts: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        if key is None:
            told_by_texts.setdefault(ratings[at].annotator, []).append(at)
    for own in told_by_texts.values():
        texts = [(ratings[at].source, ratings[at].translation) for at in own]
        times: Counter[tuple[str, str]] = Counter()
        round_ = _round(texts)
        for place, at in enumerate(own):
            if place % round_ == 0:
                times.clear()
            times[texts[place]] += 1
            keys[at] = (*texts[place], times[texts[place]])
    return keys


def _round(texts: list[tuple[str, str]]) -> int:
    """Return after how many segments all begin again, as if a document was gone through several times.

    So a sentence that occurs twice in a text is told from an answer that was given twice.
    """
    length = len(texts)
    return next(n for n in range(1, length + 1) if length % n == 0 and texts == texts[:n] * (length // n))


def _annotation(
    document: Document, annotator: str, group: Mapping[int, Rating], *, replaced: tuple[Remark, ...] = ()
) -> Annotation:
    marks, unmarked, aside = [], [], []
    for number, rating in group.items():
        marks += [mark._replace(segment=number) for mark in rating.marks]
        score = {} if rating.score is None else {"score": rating.score}
        if not rating.asked and not rating.kind:  # no row about errors, so the whole keeps it
            aside.append([number, {**rating.kept, **score}])
            continue
        kind = rating.kind or ("other" if rating.marks else "clean")
        if kind != "other" or score or rating.kept:
            unmarked.append(Unmarked(number, kind, kept={**rating.kept, **score}, line=rating.line))
    scores = {number: rating.score for number, rating in group.items() if rating.score is not None}
    one = next(iter(group.values()))
    return Annotation(
        document=document,
        annotator=annotator,
        human=one.human,
        marks=tuple(marks),
        unmarked=tuple(unmarked),
        rated=frozenset(number for number, rating in group.items() if rating.asked),
        metric=next((rating.metric for rating in group.values() if rating.score is not None), ""),
        score=fmean(scores.values()) if scores else None,
        segment_scores=scores,
        kept={"segments": aside} if aside else {},
        line=min(rating.line for rating in group.values()),
        made_of=len(group),
        times={number: rating.at for number, rating in group.items() if rating.at is not None},
        replaced=replaced,
    )
