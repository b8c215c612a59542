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
from storage.formats.base.items import Annotation, Document, Mark, Remark, RowKind, Segment, Unmarked
from storage.formats.io.rows import LeftOut

OTHER_TEXT = "was marked in another text of this segment than stands here"


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating that one annotator gave of one system's translation of one segment.

    ``segment``: what the file calls it, where that tells it from the others of its document; else "", and segments are
    told apart by their texts and their order. ``annotator`` "": the texts alone, which nobody rated. ``order``: sorts
    the segments; those of one order stay as they come. ``marks``: places are within this segment. ``score``: its score
    under the name ``metric``, higher is better; a document has the mean of its segments'. ``kept``: what else the file
    says of it, JSON-able.
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
    direction: str = ""
    domain: str = ""
    rubric: str = ""
    marks: tuple[Mark, ...] = ()
    kind: RowKind | None = None
    score: float | None = None
    metric: str = ""
    kept: Mapping[str, Any] = field(default_factory=dict)
    asked: bool = True


Item = Rating | LeftOut | Remark


def collect(items: Iterable[Item]) -> Iterator[Annotation | Document | LeftOut | Remark]:
    """Yield what no ratings are as it comes, then each document's annotations, documents in the order of the file.

    A document that nobody rated comes as it is.

    Of a segment that has other texts in a later rating the first are taken, and the marks of the other are not placed.
    A person who rated a segment twice said both; of a judge the second is another annotation.
    """
    alone = 0
    with Groups[Rating]() as documents:
        for item in items:
            if isinstance(item, Rating):
                documents.add((item.direction, item.article, item.system), item)
            else:
                yield item
        for ratings in documents:
            for one in annotated(ratings):
                yield one
                alone += isinstance(one, Annotation) and one.human and not one.rated
    if alone:
        message = f"{alone:,} passes hold scores alone: errors were not asked for, so they are begun and not clean"
        yield Remark(0, "scores_alone", "", message)


def by_segment(items: Iterable[Item]) -> Iterator[Item]:
    """Yield what no ratings are as it comes, then one rating for all rows of a file in which one annotator is about
    one segment, each of which has an error or none.
    """
    with Groups[Rating]() as segments:
        for item in items:
            if isinstance(item, Rating):
                texts = item.source, item.translation
                key = item.direction, item.article, item.system, item.segment, item.annotator, *texts
                segments.add(key, item)
            else:
                yield item
        for rows in segments:
            yield replace(rows[0], marks=tuple(mark for row in rows for mark in row.marks))


def annotated(ratings: list[Rating]) -> Iterator[Annotation | Document | Remark]:
    """Yield the annotations of one document, of which these are all the ratings (at least one), or the document."""
    keys = list(_keys(ratings))
    first: dict[object, Rating] = {}
    for key, rating in zip(keys, ratings, strict=True):
        first.setdefault(key, rating)
    held = sorted(first.items(), key=lambda item: item[1].order)
    number = {key: n for n, (key, _) in enumerate(held)}
    one = ratings[0]
    segments = tuple(Segment(r.segment or str(n), r.source, r.translation, r.line) for n, (_, r) in enumerate(held, 1))
    document = Document(
        one.article, one.system, segments, one.direction, one.domain, one.rubric, min(r.line for r in ratings)
    )
    groups: dict[tuple[str, int], list[tuple[int, Rating]]] = {}
    seen: Counter[tuple[str, object]] = Counter()
    for key, rating in zip(keys, ratings, strict=True):
        if not rating.annotator:
            continue
        times = seen[rating.annotator, key]
        seen[rating.annotator, key] += 1
        if times:
            said = f"{rating.annotator} rates segment {rating.segment or number[key] + 1} of {rating.article} by "
            yield Remark(rating.line, "rated_twice", "", f"{said}{rating.system} again; both are kept")
        texts = first[key]
        if (rating.source, rating.translation) != (texts.source, texts.translation):
            rating = replace(
                rating, marks=tuple(mark._replace(places=(), unplaced=OTHER_TEXT) for mark in rating.marks)
            )
            message = f"segment {rating.segment} has another text in line {texts.line}, which is taken"
            yield Remark(rating.line, "other_text", "", message)
        groups.setdefault((rating.annotator, 0 if rating.human else times), []).append((number[key], rating))
    if not groups:
        yield document
    for (annotator, _), group in groups.items():
        yield _annotation(document, annotator, sorted(group, key=lambda item: item[0]))


def _keys(ratings: list[Rating]) -> Iterator[object]:
    """Yield what tells the segments of a document apart."""
    times: Counter[tuple[str, str, str]] = Counter()
    for rating in ratings:
        if rating.segment:
            yield rating.segment
        else:
            texts = rating.annotator, rating.source, rating.translation
            times[texts] += 1
            yield (*texts[1:], times[texts])


def _annotation(document: Document, annotator: str, group: list[tuple[int, Rating]]) -> Annotation:
    marks, unmarked, aside = [], [], []
    for number, rating in group:
        marks += [mark._replace(segment=number) for mark in rating.marks]
        score = {} if rating.score is None else {"score": rating.score}
        if not rating.asked and not rating.kind:  # no row about errors, so the whole keeps it
            aside.append([number, {**rating.kept, **score}])
            continue
        kind = rating.kind or ("other" if rating.marks else "clean")
        if kind != "other" or score or rating.kept:
            unmarked.append(Unmarked(number, kind, kept={**rating.kept, **score}, line=rating.line))
    scores: dict[int, list[float]] = {}
    for number, rating in group:
        if rating.score is not None:
            scores.setdefault(number, []).append(rating.score)
    means = {number: fmean(of) for number, of in scores.items()}
    one = group[0][1]
    return Annotation(
        document=document,
        annotator=annotator,
        human=one.human,
        marks=tuple(marks),
        unmarked=tuple(unmarked),
        rated=frozenset(number for number, rating in group if rating.asked),
        metric=next((rating.metric for _, rating in group if rating.score is not None), ""),
        score=fmean(means.values()) if means else None,
        segment_scores=means,
        kept={"segments": aside} if aside else {},
        line=min(rating.line for _, rating in group),
        made_of=len(group),
    )
