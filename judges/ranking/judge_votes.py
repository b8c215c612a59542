"""Votes of several judges, or samples of one: findings that are the same error, and the effective number of votes.

A judge that finds an error votes for it. Judges that make the same mistakes vote alike, so that many of them may be
worth little more than one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from judges.consistency.spans import ALIKE, assign_few, overlaps
from judges.metric_s.scoring import METRIC_S, Weights
from judges.model import DIMENSIONS, Dimension, Places
from judges.ranking.audit_estimate import centre
from judges.ranking.ranking import Points
from judges.stats.arrays import matrix
from judges.stats.figure import Figure
from judges.stats.intervals import Bootstrap
from judges.stats.numerics import mean, points, total
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from judges.stats.arrays import Floats

SAME_WORDS = 0.8
"""The similarity, of 1, from which two findings that are nowhere in the texts are the same error."""
_DIGITS = 9
"""Decimals that are kept, those in which scores are added up."""

ONE_VOTE = "one judge, asked once: nothing to compare"
FEW_ARTICLES = "fewer than two articles of which every judge scored every system"
ONE_SYSTEM = "one system: nothing to compare within articles"
NEVER_DIFFERS = "a judge's scores never differ beyond what article and system explain"


class LocatedFinding(NamedTuple):
    """Finding as it is compared with others: where it is, or what it says where that is
    nowhere (``words``, compared within dimension and category). ``point``: the rubric point that it calls violated.
    """

    places: Places
    dimension: Dimension
    category: str = ""
    point: int | None = None
    words: str = ""

    @property
    def placed(self) -> bool:
        """Return whether its place is known."""
        return any(start < end for _, start, end in self.places)


Group = tuple[tuple[int, int], ...]
"""One error: who found it, and which of that judge's findings it is, by their indexes."""


def group_findings(judges: Sequence[Sequence[LocatedFinding]]) -> list[Group]:
    """Return the errors that judges of one translation found; each finding is in one group, no judge twice in any.

    Every two judges' findings are matched one to one, as `judges.consistency.spans.match_errors` does: so that they
    overlap the most, the same dimension deciding between equal overlaps. Violations of a rubric point match only those
    of the same point, and findings that are nowhere only one another, where dimension and category are the same and
    the words nearly are. With more than two judges the pairs join groups, the closest first, unless that would put two
    findings of one judge together. The order of judges and of findings changes nothing.
    """
    # In an order of the content's own, so that ties are decided alike whatever order judges and findings came in.
    lists = [sorted((_in_order(finding), i) for i, finding in enumerate(of)) for of in judges]
    by_content = sorted(range(len(judges)), key=lambda judge: [content for content, _ in lists[judge]])
    names = [(judge, i) for judge in by_content for _, i in lists[judge]]
    findings = [judges[judge][i] for judge, i in names]
    worth: defaultdict[tuple[int, int], dict[tuple[int, int], float]] = defaultdict(dict)
    for i, j, alike in _alike(findings):
        if names[i][0] != names[j][0]:
            worth[names[i][0], names[j][0]][i, j] = alike + ALIKE * (findings[i].dimension == findings[j].dimension)
    groups = [{judge: number} for number, (judge, _) in enumerate(names)]
    for _, i, j in sorted((-of[pair], *pair) for of in worth.values() for pair in assign_few(of)):
        if not groups[i].keys() & groups[j].keys():
            together = groups[i] | groups[j]
            for number in together.values():
                groups[number] = together
    return sorted({tuple(sorted(names[number] for number in group.values())) for group in groups})


def _in_order(finding: LocatedFinding) -> tuple[object, ...]:
    return (*finding[:3], -1 if finding.point is None else finding.point, finding.words)


def _alike(findings: Sequence[LocatedFinding]) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs of findings (i < j) that may be the same error, with their similarity: above 0, up to 1."""
    located = [() if finding.point is not None else finding.places for finding in findings]
    yield from ((*pair, overlap) for pair, overlap in overlaps(located).items())
    same_point: defaultdict[int, list[int]] = defaultdict(list)
    nowhere: defaultdict[tuple[Dimension, str], list[int]] = defaultdict(list)
    for i, finding in enumerate(findings):
        if finding.point is not None:
            same_point[finding.point].append(i)
        elif finding.words and not finding.placed:
            nowhere[finding.dimension, finding.category].append(i)
    for of_point in same_point.values():
        yield from ((i, j, 1.0) for i, j in combinations(of_point, 2))
    for unplaced in nowhere.values():
        for i, j in combinations(unplaced, 2):
            if (alike := _same_words(findings[i].words, findings[j].words)) >= SAME_WORDS:
                yield i, j, alike


def _same_words(a: str, b: str) -> float:
    if a == b:
        return 1.0
    from rapidfuzz.fuzz import ratio

    return ratio(a, b, score_cutoff=100 * SAME_WORDS) / 100


@dataclass(frozen=True, slots=True)
class EffectiveVotes:
    """Effective number of judges, from 1 to as many as they are; ``correlation``: of two of them.

    ``n`` of the figures counts the translations they rest on.
    """

    votes: Figure
    correlation: Figure


def effective_votes(
    totals: Sequence[Sequence[Sequence[float]]], resamples: int = RESAMPLES, seed: int = SEED
) -> EffectiveVotes:
    """Return what k judges are worth whose scores go together: k / (1 + (k − 1)·ρ), as Kish's (1965) design effect.

    ``totals``: judges × articles × systems, every one known. ρ is the mean over pairs of judges of Pearson's
    correlation of their totals within articles and systems (`judges.ranking.audit_estimate.centre`).
    It is taken as 0 where it is negative: the mean of k such judges varies as much as that of so many that vary
    independently. What judges find in common because it is there counts like what they find in common because they
    err alike; without people's word the two are not to be told apart. Whether they find the same errors says less: of
    what nobody found nothing is known.

    Undefined for one judge, under two articles or systems, and where a judge's scores never differ within articles and
    systems. Intervals: percentile bootstrap over articles.
    """
    import numpy as np

    judges, articles = len(totals), len(totals[0])
    systems = len(totals[0][0]) if articles else 0
    why = ONE_VOTE if judges < 2 else FEW_ARTICLES if articles < 2 else ONE_SYSTEM if systems < 2 else ""
    n = articles * systems
    if not why:
        centred = np.array([centre(points(matrix(each))) for each in totals])
        sums = total(centred[:, None] * centred, 3).reshape(judges * judges, articles).T
        scale = np.abs(np.array(totals)).max(initial=1.0) ** 2 * n
        correlation = _correlations(total(sums, 0)[None], judges, 1e-12 * scale)[0]
        why = "" if np.isfinite(correlation) else NEVER_DIFFERS
    if why:
        return EffectiveVotes(Figure(None, n, why), Figure(None, n, why))
    bootstrap = Bootstrap(resamples, seed)
    draws = _correlations(bootstrap.draws(sums), judges, 1e-12 * scale)

    def figure(value: float, drawn: Floats) -> Figure:
        return Figure(value, n, interval=bootstrap.interval(drawn, articles))

    return EffectiveVotes(
        figure(float(_worth(correlation, judges)), _worth(draws, judges)), figure(float(correlation), draws)
    )


def _correlations(sums: Floats, judges: int, nothing: float) -> Floats:
    """The mean correlation of two judges from sums of products (cases × judges²), NaN where one never differs."""
    import numpy as np

    products = sums.reshape(-1, judges, judges)
    squares = np.diagonal(products, axis1=1, axis2=2)
    spread = np.sqrt(np.where(squares > nothing, squares, np.nan))
    first, second = np.triu_indices(judges, 1)
    known = np.isfinite(spread).all(axis=1)
    means = np.full(len(products), np.nan)
    means[known] = mean((products[:, first, second] / (spread[:, first] * spread[:, second]))[known], 1)
    return means


def _worth(correlation: Floats, judges: int) -> Floats:
    import numpy as np

    return np.asarray(judges / (1 + (judges - 1) * np.clip(correlation, 0, 1)))


@dataclass(frozen=True, slots=True)
class Votes:
    """Judges that vote together. ``judges``: each judge and sample, in words.

    ``errors``: (found by, of so many judges of the translation) → how many errors; ``unplaced``: findings whose place
    is not known, matched by their words. ``unlocated``: translations of which the findings are not counted here, as
    nobody has looked yet where they are. ``failed``: evaluations of which the judge failed, which have no vote;
    ``score_only``: such as are a score without findings, likewise; ``unread``: such whose judge read nothing of the
    translation.
    """

    judges: tuple[str, ...]
    effective: EffectiveVotes
    errors: Mapping[tuple[int, int], int]
    findings: int
    unplaced: int
    unlocated: int
    failed: int
    score_only: int
    unread: int = 0


def points_left(deductions: Mapping[Dimension, float], weights: Weights = METRIC_S) -> Points:
    """Return total and points by dimension after deductions (in points, ≥ 0), each dimension floored at 0 once.

    With whole deductions it is `judges.metric_s.scoring.score`. None for a dimension that is not judged.
    """
    left = {
        dimension: max(0.0, weights.maxima[dimension] - deductions.get(dimension, 0.0)) for dimension in weights.judged
    }
    accuracy, fluency, appropriateness = (
        round(left[dimension], _DIGITS) if dimension in left else None for dimension in DIMENSIONS
    )
    return round(math.fsum(left.values()), _DIGITS), accuracy, fluency, appropriateness
