"""MQM scores: of systems, as the WMT averages them over segments, and of the segments that judges found errors in."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import fsum
from statistics import fmean
from typing import NamedTuple

from judges.meta_eval.human_score import Rating, segment_scores
from judges.meta_eval.score_table import ScoreRow
from judges.metric_s.schemes.mapping import Mapping
from judges.stats.figure import Figure
from judges.stats.numerics import DECIMALS
from storage.analysis.review_data import is_meant, metric_name
from storage.exports.items import REPEAT, TranslationAnnotation, read_annotations, weight
from storage.exports.selection import Selection
from storage.formats.base.items import Annotation, Document, Mark
from storage.reviews.queue import words_clause

PEOPLE = "people"
"""Name of those whose scores are no judge's."""


class SystemScore(NamedTuple):
    """MQM score (≥ 0, lower is better) of a system, with the number of segments that it is the mean of.

    ``unweighed``: errors of a severity that the mapping does not know, which weigh nothing; ``repeats``: of such as
    repeat another, likewise.
    """

    direction: str
    system: str
    by: str
    score: float
    segments: int
    unweighed: int = 0
    repeats: int = 0

    @property
    def figure(self) -> Figure:
        """The score with what weighs nothing in it."""
        return Figure(self.score, self.segments).without({UNWEIGHED: self.unweighed, REPEATS: self.repeats})


UNWEIGHED = "errors of a severity that has no weight, which cost nothing"
REPEATS = "repeats of another error, which cost nothing"


def system_scores(connection: sqlite3.Connection, selection: Selection) -> list[SystemScore]:
    """Return the scores of all systems by the people together and by each judge, the best first.

    A severity that the mapping does not know weighs nothing, as in the WMT's own script; so does a repeat. Both are
    counted.
    """
    free: Counter[tuple[str, str, str, str]] = Counter()
    of_segments: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for document, several in by_document(read_annotations(connection, selection)):
        for by, ratings in _of_document(several, selection.mapping).items():
            of_segments[document.direction, document.system, by] += segment_scores(ratings).values()
        for one in several:
            by = PEOPLE if one.annotation.human else one.annotation.annotator
            for mark in one.annotation.marks:
                why = _weightless(mark, selection.mapping)
                free[document.direction, document.system, by, why] += bool(why)
    scores = [
        SystemScore(*key, fmean(means), len(means), free[*key, UNWEIGHED], free[*key, REPEATS])
        for key, means in of_segments.items()
        if means
    ]
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


def judges_by_segment(
    connection: sqlite3.Connection, words: str = "", judges: Collection[str] = ()
) -> tuple[list[ScoreRow], Counter[str]]:
    """Return minus the weights of each judge's errors by segment, and which translations are not there, by why.

    An error is of the segment in which its first place in the translation begins, else in the source. A translation
    counts once all of its errors have a place and a known weight, for a sum that lacks one is none. One in a single
    piece has their sum as its score, and no segments. ``judges``: only these.
    """
    selection = Selection(words)
    rows: list[ScoreRow] = []
    left_out: Counter[str] = Counter()
    for document, several in by_document(read_annotations(connection, selection, judges_only=True)):
        in_one = len(document.segments) == 1
        for one in several:
            annotation = one.annotation
            if judges and not is_meant(judges, annotation.annotator, metric_name(annotation.annotator)):
                continue
            weights = [weight(mark, selection.mapping) for mark in annotation.marks]
            if annotation.read_nothing:
                left_out[NOTHING_READ] += 1
            elif not in_one and any(mark.ours and not mark.places and not mark.unplaced for mark in annotation.marks):
                left_out[NO_PLACE] += 1
            elif None in weights:
                left_out[NO_WEIGHT] += 1
            else:
                rows.append(_by_segment(annotation, weights))
    return rows, left_out


NOTHING_READ = "translations of which a judge read nothing"
NO_PLACE = "translations with an error by a judge whose segment is not known"
NO_WEIGHT = "translations with an error by a judge whose weight is not known"


def _by_segment(annotation: Annotation, weights: Sequence[float | None]) -> ScoreRow:
    document = annotation.document
    every = range(len(document.segments)) if annotation.rated is None else annotation.rated
    of_segment: dict[int, list[float]] = {number: [] for number in every}
    for mark, points in zip(annotation.marks, weights, strict=True):
        of_segment.setdefault(mark.segment, []).append(points or 0.0)
    scores = tuple((number + 1, 0.0 - fsum(of)) for number, of in sorted(of_segment.items()))
    return ScoreRow(
        metric=f"{annotation.annotator} (errors)",
        system=document.system,
        article=document.article,
        direction=document.direction,
        score=fsum(score for _, score in scores),
        human=False,
        domain=document.domain,
        segments=scores if len(document.segments) > 1 else (),
    )


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


def _weightless(mark: Mark, mapping: Mapping) -> str:
    """Return why an error weighs nothing that is one; empty where it weighs, or is neutral."""
    return UNWEIGHED if weight(mark, mapping) is None else REPEATS if mark.kept.get(REPEAT) else ""


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
