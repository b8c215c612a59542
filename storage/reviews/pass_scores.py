"""Scores that people gave translations in other tools: of a whole one, and of every segment the one that stands."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from storage.base.repeats import latest

if TYPE_CHECKING:
    from storage.reviews.events import Event


class Rated(NamedTuple):
    """The score that one person gave a translation, on the scale of its name, higher is better; ``rater`` may be ""."""

    metric: str
    rater: str
    score: float


RATED = """(
SELECT json_group_array(json_array(s.metric, s.rater, s.score, s.import_id, s.line)) FROM scores s
WHERE s.article = e.article AND s.system = e.system AND s.human AND s.direction IN ('', e.direction))
"""
"""People's scores of the translation of an evaluation ``e``, in SQL, as `read_rated` reads them."""


def read_rated(given: str | None, only: Collection[str] | None = None) -> tuple[Rated, ...]:
    """Read what ``RATED`` selects: of each name and rater what was imported last. ``only``: these raters' alone."""
    last: dict[tuple[str, str], tuple[tuple[int, int], Rated]] = {}
    for metric, rater, score, import_id, line in json.loads(given or "[]"):
        at = import_id, line
        if (only is None or rater in only) and at >= last.get((metric, rater), ((0, 0),))[0]:
            last[metric, rater] = at, Rated(metric, rater, score)
    return tuple(rated for _, (_, rated) in sorted(last.items()))


class RatedBySegment(NamedTuple):
    """One person's score of a translation, those by segment, from 1, that came with their passes, and earlier ones."""

    rated: Rated
    segments: dict[int, float]
    earlier: dict[int, list[float]]


def rated_at(
    connection: sqlite3.Connection, evaluation_id: str, only: Collection[str] | None = None
) -> list[RatedBySegment]:
    """Return people's scores of an evaluation's translation. ``only``: these raters' alone."""
    from storage.reviews.events import read_events  # the queue reads no passes

    row = connection.execute(f"SELECT {RATED} FROM evaluations e WHERE e.id = ?", (evaluation_id,)).fetchone()
    where = "evaluation_id = ? AND reviewer = ? AND kind = 'imported'"
    found = []
    for rated in read_rated(row and row[0], only):
        by_segment = _by_segment(list(read_events(connection, where, (evaluation_id, rated.rater))))
        standing = {segment: scores[0] for segment, scores in by_segment.items()}
        earlier = {segment: scores[1:] for segment, scores in by_segment.items() if scores[1:]}
        found.append(RatedBySegment(rated, standing, earlier))
    return found


def segment_scores(passes: Sequence[Event]) -> dict[int, float]:
    """Return the score that one person gave each segment, from 1, in imported passes on one evaluation in log order.

    On the file's own scale, higher is better. Of several of one segment the later (`storage.base.repeats`).
    """
    return {segment: scores[0] for segment, scores in _by_segment(passes).items()}


def _by_segment(passes: Sequence[Event]) -> dict[int, list[float]]:
    """The scores of each segment, that which stands before the others; a pass read again by a mapping counts once."""
    given: dict[int, list[tuple[float, float | None]]] = {}
    for event in {event.changes.get("of", event.id): event for event in passes}.values():
        times: dict[str, float] = event.changes.get("times") or {}
        for segment, score in _scores(event):
            given.setdefault(segment, []).append((score, times.get(str(segment))))
    found = {}
    for segment, scores in sorted(given.items()):
        stands = scores.pop(latest([at for _, at in scores]))
        found[segment] = [score for score, _ in (stands, *scores)]
    return found


def _scores(event: Event) -> Iterator[tuple[int, float]]:
    """The scores of one pass: with its rows, or aside where errors were not asked for."""
    said = [(row.get("segment", 1), row.get("kept") or {}) for row in event.changes.get("rows") or ()]
    aside = (event.changes.get("kept") or {}).get("segments")
    for each in aside if isinstance(aside, list) else ():
        match each:
            case [int(number), dict(kept)]:
                said.append((number + 1, kept))
    for segment, kept in said:
        score = kept.get("score")
        if isinstance(score, (int, float)) and not isinstance(score, bool):
            yield segment, float(score)
