"""One table of scores by humans and metrics, and the arrays that figures of consistency are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judges.meta_eval.human_score import Rating, human_score
from judges.stats.numerics import FINE, fine, total_by
from judges.stats.numerics import comparable as comparable

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

LARGEST = 1e70
"""The size from which products of squares would overflow."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score of one translation. ``metric`` names the metric, or the rater where it is a ``human`` rating.

    ``score``: higher is better (whoever reads a file turns what is not so). ``direction`` like ``zh-en``; an article is
    told by its direction and its key. Of a rating ``rated_as`` says what it is called, empty for a review; where that
    is the ``metric`` too, nobody is named, and each such row is another's. ``segments``: those that were rated, each
    with its number and score; empty where they are not known.
    """

    metric: str
    system: str
    article: str
    direction: str
    score: float
    human: bool
    domain: str = ""
    rated_as: str = ""
    segments: tuple[tuple[int, float], ...] = ()


Cell = tuple[str, str, str]
"""The translation that a row is of: direction, article and system."""


def cell_of(row: ScoreRow) -> Cell:
    """Return the translation that a row is of."""
    return row.direction, row.article, row.system


def ratings_of(rows: Iterable[ScoreRow], unit: float | None = None) -> dict[Cell, list[Rating]]:
    """Return the ratings of each translation, of rows by people; one that is not finite, or too large, is none.

    ``unit``: scores are whole numbers of so many in a point (`judges.stats.numerics.FINE`), else as they are.
    """

    def score_of(score: float) -> float:
        return score if unit is None else round(score * unit) + 0.0

    nothing: dict[int, float] = {}
    found: dict[Cell, list[Rating]] = {}
    for number, row in enumerate(rows):
        if abs(row.score) < LARGEST:
            rater = f"{number} of {row.metric}" if row.metric == row.rated_as else f"named {row.metric}"
            segments = {each: score_of(score) for each, score in row.segments} if row.segments else nothing
            found.setdefault(cell_of(row), []).append(Rating(rater, score_of(row.score), segments))
    return found


def human_scores(rows: Iterable[ScoreRow]) -> dict[Cell, float]:
    """Return the human score of each translation that people rated, of their rows (`judges.meta_eval.human_score`)."""
    return {cell: human_score(of) or 0.0 for cell, of in ratings_of(rows).items()}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sheet:
    """Scores of one direction as arrays, systems × articles; NaN where there is none.

    ``human``: the human score of a translation (`judges.meta_eval.human_score`). A metric's is the mean over its rows,
    should it have several for one translation. Systems, articles and metrics are in the order of their names.
    ``raters``: who gave human scores; ``rated_by_several``: the translations whose human score is a mean.
    """

    direction: str
    systems: tuple[str, ...]
    articles: tuple[str, ...]
    human: Floats
    metrics: Mapping[str, Floats]
    raters: tuple[str, ...] = ()
    rated_by_several: int = 0


def sheets(rows: Iterable[ScoreRow]) -> dict[str, Sheet]:
    """Return the sheet of each direction, in the order of their names; the order of rows does not matter.

    A score that is not finite, or no figure can be computed from (beyond ±1e70), counts as missing.
    """
    by_direction: dict[str, list[ScoreRow]] = {}
    for row in rows:
        by_direction.setdefault(row.direction, []).append(row)
    return {direction: _sheet(direction, found) for direction, found in sorted(by_direction.items())}


def _sheet(direction: str, rows: list[ScoreRow]) -> Sheet:
    import numpy as np

    systems, articles = sorted({row.system for row in rows}), sorted({row.article for row in rows})
    row_of = {system: i * len(articles) for i, system in enumerate(systems)}
    column_of = {article: i for i, article in enumerate(articles)}
    size = len(systems) * len(articles)
    layers: dict[str, tuple[list[int], list[float]]] = {}
    for row in rows:
        if not row.human:
            cells, scores = layers.setdefault(row.metric, ([], []))
            cells.append(row_of[row.system] + column_of[row.article])
            scores.append(row.score)
    by_people = [row for row in rows if row.human]
    ratings = ratings_of(by_people, FINE)
    human = np.full((len(systems), len(articles)), np.nan)
    for (_, article, system), of in ratings.items():
        human[row_of[system] // len(articles), column_of[article]] = (human_score(of) or 0.0) / FINE

    def mean(layer: tuple[list[int], list[float]]) -> Floats:
        cells = np.array(layer[0], dtype=np.int64)
        whole = fine(np.array(layer[1]))
        known = abs(whole) < LARGEST * FINE
        n = np.bincount(cells[known], minlength=size).reshape(len(systems), -1)
        sums = total_by(cells[known], whole[known], size).reshape(len(systems), -1)
        means: Floats = np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0) / FINE
        return means

    return Sheet(
        direction=direction,
        systems=tuple(systems),
        articles=tuple(articles),
        human=human,
        metrics={name: mean(layers[name]) for name in sorted(layers)},
        raters=tuple(sorted({row.metric for row in by_people})),
        rated_by_several=sum(len({rating.rater for rating in of}) > 1 for of in ratings.values()),
    )
