"""Severity of raters: how strictly each scores beside the others, and how much of the variance of scores is theirs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean
from typing import Literal, get_args

from judges.meta_eval.human_score import Rating, on_the_same
from judges.meta_eval.score_table import LARGEST, ScoreRow, ratings_of
from judges.stats.figure import Figure
from judges.stats.intervals import ExpandedBootstrap
from judges.stats.numerics import FINE, ROUNDING
from judges.stats.resampling import RESAMPLES, SEED

Factor = Literal["article", "system", "rater"]
FACTORS: tuple[Factor, ...] = get_args(Factor)
Component = Literal[Factor, "rest"]
COMPONENTS: tuple[Component, ...] = (*FACTORS, "rest")
"""Sources of variance of a score, and all that is none of these."""

NO_ONE_ELSE = "no segment of any translation was rated by this rater and another"
NO_SPREAD = "all scores of a rater are equal, or there is but one"
UNNAMED = "ratings of nobody who is named"


@dataclass(frozen=True, slots=True)
class ZScore:
    """One translation's score by one rater, and the same in standard deviations from the rater's mean."""

    article: str
    system: str
    score: float
    z: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterSeverity:
    """Scores of one rater in one direction.

    ``mean`` and ``deviation`` (over n − 1) of their translations' scores, which ``z_scores`` are in; the deviation is
    undefined of fewer than two scores and 0 where all are equal: then there is no z. ``difference``: the mean of the
    rater's score less that of the others, over the translations of which another rated a segment too, on what both
    rated; below 0 the rater is stricter.
    ``difference_z``: the same of z-scores.
    """

    rater: str
    mean: Figure
    deviation: Figure
    difference: Figure
    difference_z: Figure
    z_scores: tuple[ZScore, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponents:
    """Variance of scores by source, in squared points; a negative one is what the method gives, and is not cut off.

    ``figures`` by component, ``n`` the scores; ``shares``: each of the sum of those above 0, one below being 0.
    ``levels``: how many articles, systems and raters; ``crossed``: every rater scored every translation,
    one by each system of each article.
    """

    figures: Mapping[Component, Figure]
    shares: Mapping[Component, float | None]
    levels: Mapping[Factor, int]
    crossed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityReport:
    """Severity of the raters of one direction, by their names. ``left_out``: reason → ratings."""

    raters: tuple[RaterSeverity, ...]
    variance: VarianceComponents
    left_out: Mapping[str, int]


Scores = Mapping[tuple[str, str, str], float]
"""Score by article, system and rater."""


def rater_severity(rows: Iterable[ScoreRow], resamples: int = RESAMPLES, seed: int = SEED) -> dict[str, SeverityReport]:
    """Return the report of each direction in which a named person rated; the order of rows does not matter.

    Of several ratings of one translation by one rater the mean counts. Ratings are to be on one scale.
    """
    by_direction: dict[str, list[ScoreRow]] = {}
    for row in rows:
        if row.human and abs(row.score) < LARGEST:
            by_direction.setdefault(row.direction, []).append(row)
    found = {}
    for direction, own in sorted(by_direction.items()):
        named = [row for row in own if row.metric != row.rated_as]
        if named:
            unnamed = len(own) - len(named)
            found[direction] = _report(named, ExpandedBootstrap(resamples, seed), {UNNAMED: unnamed} if unnamed else {})
    return found


def _report(rows: Sequence[ScoreRow], bootstrap: ExpandedBootstrap, left_out: Mapping[str, int]) -> SeverityReport:
    held: dict[tuple[str, str, str], list[int]] = {}
    for row in rows:
        held.setdefault((row.article, row.system, row.metric), []).append(round(row.score * FINE))
    exact = {key: Fraction(sum(of), len(of)) / int(FINE) for key, of in sorted(held.items())}
    by_rater: dict[str, dict[tuple[str, str], Fraction]] = {}
    for (article, system, rater), score in exact.items():
        by_rater.setdefault(rater, {})[article, system] = score
    z = {rater: _z(scores) for rater, scores in by_rater.items()}
    ratings: dict[tuple[str, str], dict[str, list[Rating]]] = {}
    for rater in by_rater:
        for (_, article, system), of in ratings_of(row for row in rows if row.metric == rater).items():
            ratings.setdefault((article, system), {})[rater] = of
    raters = []
    for rater, scores in sorted(by_rater.items()):
        mean, deviation = _moments(list(scores.values()))
        differences: dict[str, list[float]] = {}
        of_z: dict[str, list[float]] = {}
        for article, system in scores:
            own = ratings[article, system][rater]
            beside = {
                name: of
                for name, of in ratings[article, system].items()
                if name != rater and on_the_same(own, of) is not None
            }
            both = on_the_same(own, [each for of in beside.values() for each in of]) if beside else None
            if both is not None:
                differences.setdefault(article, []).append(both[0] - both[1])
            others = [value for name in beside if (value := z[name][article, system]) is not None]
            mine = z[rater][article, system]
            if others and mine is not None:
                of_z.setdefault(article, []).append(mine - fmean(others))
        raters.append(
            RaterSeverity(
                rater=rater,
                mean=Figure(mean, len(scores)),
                deviation=Figure(deviation, len(scores), NO_SPREAD if deviation is None else ""),
                difference=_mean(differences, bootstrap, NO_ONE_ELSE),
                difference_z=_mean(of_z, bootstrap, NO_SPREAD if differences else NO_ONE_ELSE),
                z_scores=tuple(
                    ZScore(article, system, float(score), z[rater][article, system])
                    for (article, system), score in scores.items()
                ),
            )
        )
    return SeverityReport(raters=tuple(raters), variance=variance_components(exact), left_out=left_out)


def _moments(scores: Sequence[Fraction]) -> tuple[float, float | None]:
    """The mean, and the standard deviation over n − 1; None of one score."""
    mean = sum(scores) / len(scores)
    if len(scores) < 2:
        return float(mean), None
    squares = sum(((score - mean) ** 2 for score in scores), Fraction(0))
    return float(mean), math.sqrt(squares / (len(scores) - 1))


def _z(scores: Mapping[tuple[str, str], Fraction]) -> dict[tuple[str, str], float | None]:
    mean, deviation = _moments(list(scores.values()))
    if not deviation or deviation <= ROUNDING * max(1.0, abs(mean)):
        return dict.fromkeys(scores, None)
    return {key: (float(score) - mean) / deviation for key, score in scores.items()}


def _mean(by_article: Mapping[str, Sequence[float]], bootstrap: ExpandedBootstrap, why: str) -> Figure:
    """The mean of all values, with its interval over articles."""
    articles = sorted(by_article)
    sums = [math.fsum(by_article[article]) for article in articles]
    return bootstrap.share(sums, [len(by_article[article]) for article in articles], why)


def variance_components(scores: Mapping[tuple[str, str, str], float | Fraction]) -> VarianceComponents:
    """Return the variance of scores that articles, systems and raters have, by article, system and rater.

    Of the model score = mean + article + system + rater + rest, all four random, by Henderson's Method 1 (1953; Searle,
    Casella and McCulloch 1992, chapter 5): the sums of squares of the analysis of variance are set equal to what is
    expected of them, and the equations solved, exactly. With T_f = Σ (sum of a level)² / its n over the levels of f,
    the coefficient of σ²_g in T_f is Σ n_fg² / n_f, that of the rest the number of levels. Where every cell has a score
    this is the ANOVA estimator. Cells may be missing: it is unbiased still, but no longer the only such one.
    Undefined where a factor has one level, or where who rated what does not tell two sources apart.
    """
    keys = sorted(scores)
    values = [Fraction(scores[key]) for key in keys]
    levels: dict[Factor, int] = {factor: len({key[at] for key in keys}) for at, factor in enumerate(FACTORS)}
    crossed = bool(keys) and len(keys) == levels["article"] * levels["system"] * levels["rater"]
    single = [factor for factor in FACTORS if levels[factor] < 2]
    found: Sequence[Fraction] | None = None
    why = f"fewer than two {' and '.join(f'{factor}s' for factor in single)}" if single else ""
    if not single:
        found = _solved(*_equations(keys, values))
        why = "" if found else "who rated what does not tell articles, systems, raters and the rest apart"
    estimates = dict(zip(COMPONENTS, map(float, found), strict=True)) if found else dict.fromkeys(COMPONENTS, None)
    total = sum(max(value, 0.0) for value in estimates.values() if value is not None)
    return VarianceComponents(
        figures={name: Figure(value, len(keys), why) for name, value in estimates.items()},
        shares={
            name: None if value is None or not total else max(value, 0.0) / total for name, value in estimates.items()
        },
        levels=levels,
        crossed=crossed,
    )


Row = list[Fraction]


def _equations(keys: Sequence[tuple[str, str, str]], values: Sequence[Fraction]) -> tuple[list[Row], Row]:
    """The equations of Method 1: coefficients of the four components, and the sums of squares about the mean."""
    n = len(keys)
    of_mean = _term(keys, values, ())
    terms = [_term(keys, values, (at,)) for at in range(3)]
    whole = [Fraction(n)] * 4, sum((value * value for value in values), Fraction(0))
    rows, sides = [], []
    for coefficients, square in (*terms, whole):
        rows.append([a - b for a, b in zip(coefficients, of_mean[0], strict=True)])
        sides.append(square - of_mean[1])
    return rows, sides


def _term(
    keys: Sequence[tuple[str, str, str]], values: Sequence[Fraction], by: tuple[int, ...]
) -> tuple[Row, Fraction]:
    """Coefficients of the components in an uncorrected sum of squares by a factor (none: of the mean), and the sum."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for at, key in enumerate(keys):
        groups.setdefault(tuple(key[each] for each in by), []).append(at)
    square = sum((sum((values[at] for at in of), Fraction(0)) ** 2 / len(of) for of in groups.values()), Fraction(0))
    coefficients: Row = []
    for factor in range(3):
        total = Fraction(0)
        for of in groups.values():
            counts: dict[str, int] = {}
            for at in of:
                counts[keys[at][factor]] = counts.get(keys[at][factor], 0) + 1
            total += Fraction(sum(count * count for count in counts.values()), len(of))
        coefficients.append(total)
    return [*coefficients, Fraction(len(groups))], square


def _solved(rows: Sequence[Row], sides: Row) -> list[Fraction] | None:
    """The solution of as many equations as unknowns, exactly; None where they have not one."""
    matrix = [[*row, side] for row, side in zip(rows, sides, strict=True)]
    for at in range(len(matrix)):
        pivot = next((i for i in range(at, len(matrix)) if matrix[i][at]), None)
        if pivot is None:
            return None
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        matrix[at] = [value / matrix[at][at] for value in matrix[at]]
        for i, row in enumerate(matrix):
            if i != at and row[at]:
                matrix[i] = [a - row[at] * b for a, b in zip(row, matrix[at], strict=True)]
    return [row[-1] for row in matrix]
