"""The scores that were imported, as an export takes them along: those of one translation of a document."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from typing import NamedTuple

from storage.exports.selection import Selection
from storage.formats.base.items import Document


class Score(NamedTuple):
    """One score, higher is better; ``rater``, ``domain`` and ``direction`` are empty where nobody said.

    ``segments``: those that it is the mean of, as `storage.formats.base.items.ScoreLine` has them.
    """

    metric: str
    human: bool
    rater: str
    score: float
    domain: str
    direction: str
    segments: list[list[float]]


class Scores:
    """Scores of a library, by people and judges that are chosen, by the translation that they are of."""

    def __init__(self, connection: sqlite3.Connection, selection: Selection) -> None:
        self._of: dict[tuple[str, str, str], list[Score]] = defaultdict(list)
        for article, system, metric, human, rater, points, domain, direction, segments in connection.execute(_SCORES):
            score = Score(metric, bool(human), rater, points, domain, direction, json.loads(segments))
            if is_meant(selection, score.metric, score.human, score.rater):
                self._of[article, system, score.direction].append(score)

    def of(self, document: Document) -> list[Score]:
        """Return the scores of one translation, in a fixed order; those without a direction are of every one."""
        names = document.article, document.system
        return [
            score for direction in sorted({"", document.direction}) for score in self._of.get((*names, direction), ())
        ]


def is_meant(selection: Selection, metric: str, human: bool, rater: str) -> bool:
    """Return True if a score is of a chosen person, or of a chosen judge."""
    if human:
        return selection.reviewer in (None, rater, metric)
    return not selection.judges or metric.casefold() in {judge.casefold() for judge in selection.judges}


_SCORES = """
SELECT DISTINCT article, system, metric, human, rater, score, domain, direction, segments FROM scores
ORDER BY metric, human, rater, score, segments
"""
