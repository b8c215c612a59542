"""The MQM scores of systems, as the WMT averages them: over segments, each the mean of its raters' sums of weights."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import NamedTuple

from judges.meta_eval.human_score import Rating, segment_scores
from judges.metric_s.schemes.mapping import Mapping
from judges.stats.numerics import DECIMALS
from storage.exports.items import TranslationAnnotation, read_annotations, weight
from storage.exports.selection import Selection
from storage.formats.base.items import Document
from storage.reviews.queue import words_clause

PEOPLE = "people"
"""Name of those whose scores are no judge's."""


class SystemScore(NamedTuple):
    """MQM score (≥ 0, lower is better) of a system, with the number of segments that it is the mean of."""

    direction: str
    system: str
    by: str
    score: float
    segments: int


def system_scores(connection: sqlite3.Connection, selection: Selection) -> list[SystemScore]:
    """Return the scores of all systems by the people together and by each judge, the best first.

    A severity that the mapping does not know weighs nothing, as in the WMT's own script; so does a repeat.
    """
    of_segments: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for document, several in by_document(read_annotations(connection, selection)):
        for by, ratings in _of_document(several, selection.mapping).items():
            of_segments[document.direction, document.system, by] += segment_scores(ratings).values()
    scores = [SystemScore(*key, fmean(means), len(means)) for key, means in of_segments.items() if means]
    return sorted(scores, key=lambda each: (each.direction, each.by, round(each.score, DECIMALS), each.system))


def people_scores(connection: sqlite3.Connection, words: str = "", reviewer: str | None = None) -> list[SystemScore]:
    """Return those by people alone, where no judge was asked about anything that the words leave; else none.

    ``reviewer``: whose, where not everybody's.
    """
    matching, values = words_clause(words)
    judged = f"SELECT EXISTS (SELECT 1 FROM evaluations e WHERE e.state <> 'not_judged' AND {matching})"
    if connection.execute(judged, values).fetchone()[0]:
        return []
    return [each for each in system_scores(connection, Selection(words, reviewer)) if each.by == PEOPLE]


def by_document(
    items: Iterable[TranslationAnnotation | Document],
) -> Iterator[tuple[Document, list[TranslationAnnotation]]]:
    """Group what is said by document; a document of which nothing is said is passed over."""
    document: Document | None = None
    several: list[TranslationAnnotation] = []
    for item in items:
        if isinstance(item, TranslationAnnotation):
            several.append(item)
            continue
        if document and several:
            yield document, several
        document, several = item, []
    if document and several:
        yield document, several


def _of_document(several: Iterable[TranslationAnnotation], mapping: Mapping) -> dict[str, list[Rating]]:
    """The sums of weights of the segments that each rated, of people together and of each judge."""
    found: defaultdict[str, list[Rating]] = defaultdict(list)
    for one in several:
        annotation = one.annotation
        every = range(len(annotation.document.segments))
        sums = dict.fromkeys(every if annotation.rated is None else sorted(annotation.rated), 0.0)
        for mark in annotation.marks:
            sums[mark.segment] = sums.get(mark.segment, 0.0) + (weight(mark, mapping) or 0.0)
        if sums:
            by = PEOPLE if annotation.human else annotation.annotator
            found[by].append(Rating(annotation.annotator, fmean(sums.values()), sums))
    return found
