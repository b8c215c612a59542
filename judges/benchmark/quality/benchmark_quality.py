"""Benchmark quality: what the judged systems' scores say of the articles, the points and the ranking.

The figures themselves are in ``telling_apart`` (articles and points) and ``holding`` (the ranking).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judges.benchmark.quality.item_discrimination import ArticleTest, PointTest, article_tests
from judges.benchmark.quality.ranking_stability import RankingStability, ranking_stability
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Cell:
    """One system on one article, the samples of the judge's answers averaged.

    ``score``: in points, None where none is claimed, and ``why`` says so. ``failed``: each rubric point's number → the
    share of the answers that call it failed, in [0, 1]; None where it is not known.
    """

    article: str
    system: str
    score: float | None
    why: str = ""
    failed: Mapping[int, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkQuality:
    """Everything there is to say. ``systems`` and ``articles``: those with any score; the ``unscored`` have none.

    ``cells``: scores that figures rest on, of systems × articles; ``missing``: reason → how many of the others.
    ``complete``: articles on which all systems have a score. ``points`` are empty where the judge says nothing of any.
    """

    systems: tuple[str, ...]
    unscored_systems: tuple[str, ...]
    unscored_articles: tuple[str, ...]
    cells: int
    missing: dict[str, int]
    complete: int
    articles: tuple[ArticleTest, ...]
    points: tuple[PointTest, ...]
    ranking: RankingStability
    resamples: int
    seed: int


def benchmark_quality(
    cells: Iterable[Cell], maximum: float, resamples: int = RESAMPLES, seed: int = SEED
) -> BenchmarkQuality:
    """Return what the scores of one judge, of 0 to ``maximum`` points, say of the test; their order does not matter.

    A system or an article of which nothing is scored takes no part in any figure. ValueError: a cell is there twice.
    """
    import numpy as np

    by_place: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        if by_place.setdefault((cell.system, cell.article), cell) is not cell:
            raise ValueError(f"{cell.system!r} has two scores on {cell.article!r}")
    scored = [cell for cell in by_place.values() if cell.score is not None]
    systems = sorted({cell.system for cell in scored})
    articles = sorted({cell.article for cell in scored})
    scores = np.full((len(systems), len(articles)), np.nan)
    missing: Counter[str] = Counter()
    for i, system in enumerate(systems):
        for j, article in enumerate(articles):
            found = by_place.get((system, article))
            if found is not None and found.score is not None:
                scores[i, j] = found.score
            else:
                missing[found.why if found else NOT_JUDGED] += 1
    of_article = [_points(by_place, systems, article) for article in articles]
    tests, points = article_tests(
        scores=scores, articles=articles, rubrics=of_article, maximum=maximum, permutations=resamples, seed=seed
    )
    return BenchmarkQuality(
        systems=tuple(systems),
        unscored_systems=tuple(sorted({cell.system for cell in by_place.values()}.difference(systems))),
        unscored_articles=tuple(sorted({cell.article for cell in by_place.values()}.difference(articles))),
        cells=len(scored),
        missing=dict(sorted(missing.items())),
        complete=int(np.isfinite(scores).all(axis=0).sum()) if len(systems) else 0,
        articles=tests,
        points=points,
        ranking=ranking_stability(scores, systems, resamples, seed),
        resamples=resamples,
        seed=seed,
    )


def _points(cells: Mapping[tuple[str, str], Cell], systems: list[str], article: str) -> tuple[list[int], Floats]:
    """The numbers of an article's points, and how far each system fails each (systems × points, NaN: not known)."""
    import numpy as np

    said = [cells[system, article].failed if (system, article) in cells else {} for system in systems]
    numbers = sorted({number for each in said for number in each})
    known = [[np.nan if (share := each.get(number)) is None else share for number in numbers] for each in said]
    return numbers, np.array(known, dtype=float).reshape(len(systems), len(numbers))
