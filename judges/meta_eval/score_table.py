"""One table of scores by humans and metrics, and the arrays that figures of consistency are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judges.stats.numerics import FINE, fine, total_by
from judges.stats.numerics import comparable as comparable

if TYPE_CHECKING:
    from judges.stats.arrays import Floats, Integers

LARGEST = 1e70
"""The size from which products of squares would overflow."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score of one translation. ``metric`` names the metric, or the rater where it is a ``human`` rating.

    ``score``: higher is better (whoever reads a file turns what is not so). ``direction`` like ``zh-en``; an article is
    told by its direction and its key.
    """

    metric: str
    system: str
    article: str
    direction: str
    score: float
    human: bool
    domain: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sheet:
    """Scores of one direction as arrays, systems × articles; NaN where there is none.

    ``human``: the mean over the raters of a translation. A metric's is the mean over its rows, should it have several
    for one translation. Systems, articles and metrics are in the order of their names. ``raters``: who gave human
    scores; ``rated_by_several``: the translations whose human score is a mean.
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
    layers: dict[str | None, tuple[list[int], list[float]]] = {None: ([], [])}
    for row in rows:
        cells, scores = layers.setdefault(None if row.human else row.metric, ([], []))
        cells.append(row_of[row.system] + column_of[row.article])
        scores.append(row.score)

    def mean(layer: tuple[list[int], list[float]]) -> tuple[Floats, Integers]:
        cells = np.array(layer[0], dtype=np.int64)
        whole = fine(np.array(layer[1]))
        known = abs(whole) < LARGEST * FINE
        n = np.bincount(cells[known], minlength=size).reshape(len(systems), -1)
        sums = total_by(cells[known], whole[known], size).reshape(len(systems), -1)
        return np.divide(sums, n, out=np.full(n.shape, np.nan), where=n > 0) / FINE, n

    human, ratings = mean(layers.pop(None))
    names = sorted(name for name in layers if name is not None)
    return Sheet(
        direction=direction,
        systems=tuple(systems),
        articles=tuple(articles),
        human=human,
        metrics={name: mean(layers[name])[0] for name in names},
        raters=tuple(sorted({row.metric for row in rows if row.human})),
        rated_by_several=int((ratings > 1).sum()),
    )
