"""Scores of imported tables that count: of a metric, or a named rater, those imported last; of nobody's each once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from judges.meta_eval.human_score import Rating, human_score


class TableScore(NamedTuple):
    """The score that a metric or a person gives one translation, as it counts; ``format``: of the file it is from."""

    metric: str
    system: str
    article: str
    direction: str
    domain: str
    score: float
    human: bool
    rater: str
    source: int
    format: str
    segments: tuple[tuple[int, float], ...]

    @property
    def name(self) -> str:
        """The name by which a metric or a person is told from the others of a figure."""
        return (self.rater or self.metric) if self.human else self.metric


def counting_scores(
    connection: sqlite3.Connection, matching: str = "1", values: Sequence[object] = ()
) -> list[TableScore]:
    """Return the scores that count, of the view ``s`` what the condition leaves, in an order of their own.

    Where a file has several of the same, the later of a named rater stands, segment by segment; those of a metric come
    to their mean, and its segments to the means of theirs, where all that it gives say which they are of.
    """
    rows = connection.execute(
        f"""
WITH s AS (
  SELECT v.*, i.format, rank() OVER (
    PARTITION BY metric, human, rater, direction, article, system ORDER BY i.at DESC, i.id DESC
  ) AS age
  FROM v_metric_scores v JOIN imports i ON i.id = v.import
)
SELECT metric, human, rater, direction, article, system, CASE WHEN human AND rater = '' THEN score END AS alone,
  score, domain, import, format, segments, line
FROM s WHERE (age = 1 OR human AND rater = '') AND {matching}
ORDER BY metric, human, rater, direction, article, system, alone, score, segments, import, line
""",
        values,
    )
    of: dict[tuple[str, int, str, str, str, str, float | None], list[_Row]] = {}
    for row in rows:
        of.setdefault(row[:7], []).append(row[7:])
    found = []
    for (metric, human, rater, direction, article, system, _), several in of.items():
        score, segments = _together(bool(human), rater, several)
        _, _, source, file_format, *_ = max(several, key=lambda row: row[2])
        found.append(
            TableScore(
                metric=metric,
                system=system,
                article=article,
                direction=direction,
                domain=max(row[1] for row in several),
                score=score,
                human=bool(human),
                rater=rater,
                source=source,
                format=file_format,
                segments=segments,
            )
        )
    return found


_Row = tuple[float, str, int, str, str, int]
"""Score, domain, import, format, segments and line."""


def _together(human: bool, rater: str, several: Sequence[_Row]) -> tuple[float, tuple[tuple[int, float], ...]]:
    """Return the score of one rater or metric, and of its segments, of all that one file gives the translation."""
    ratings = [Rating("", score, dict(json.loads(segments))) for score, *_, segments, _ in several]
    if len(several) == 1:
        return ratings[0].score, tuple(sorted(ratings[0].segments.items()))
    if human and rater:
        lines = [row[-1] for row in several]
        in_order = [ratings[place] for place in sorted(range(len(lines)), key=lines.__getitem__)]
        later = {number: score for rating in in_order for number, score in rating.segments.items()}
        return (fmean(later.values()) if later else in_order[-1].score), tuple(sorted(later.items()))
    if human:
        ratings = [rating for rating in ratings if rating.segments] or ratings
    numbers = sorted({number for rating in ratings for number in rating.segments})
    means = [(number, _mean(rating.segments.get(number) for rating in ratings)) for number in numbers]
    if not human:
        return fmean(rating.score for rating in ratings), tuple(means) if all(r.segments for r in ratings) else ()
    return human_score(ratings) or 0.0, tuple(means)


def _mean(scores: Iterable[float | None]) -> float:
    return fmean(score for score in scores if score is not None)
