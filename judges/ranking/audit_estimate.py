"""The audited leaderboard: people's mean scores, made more certain by a judge that scored all the articles.

Prediction-powered inference with one slope for all systems, clustered by article (PPI++, arXiv 2311.01453; control
variates in the evaluation of translation, arXiv 2204.05307): what the judge says of the audited articles beyond what it
says of all of them is taken off, as far as it goes with what people say. A judge that is wrong, even one that favours a
system, can only widen the intervals: it biases no score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from judges.stats.numerics import NOISE, mean, points, total, variance
from judges.stats.resampling import NEVER_VARIES, constant, holm
from judges.stats.student_t import t_quantile, t_tail

if TYPE_CHECKING:
    from judges.stats.arrays import Floats, Integers

Target = Literal["this-test-set", "new-documents"]
"""The estimand: the mean over the very articles there are, or over all that they are a sample of."""
TARGETS: tuple[Target, ...] = ("this-test-set", "new-documents")

TOO_FEW = 4
"""Audited articles below which there are people's mean scores only, unless they are all there are."""
SCORES_ONLY = f"fewer than {TOO_FEW} audited articles give scores only: no interval, no p, and no pair is called better"
UNSTABLE = 8
"""Audited articles below which the slope and the intervals may change a lot with the next one."""
BEST_GUESS = 4
"""Systems below which there is no best guess: it learns from how systems differ."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A value with half of its interval's width, None where that is undefined: ``why`` says so."""

    value: float
    half_width: float | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Difference of two systems' scores, first minus second, by their numbers in the order given.

    ``p``: two-sided, that they do not differ; ``holm``: the same, adjusted for all pairs (Holm 1979). ``human_only``:
    half the width of the interval without the judge. ``noise``: the variance of one article's difference, with the
    judge's help, of which more audits leave less; ``rest``: of the variance, what they leave. All are None where they
    are undefined; ``why`` says so of interval and ``p``. A ``p`` is 0 or 1 where nothing is left to chance.
    """

    first: int
    second: int
    value: float
    half_width: float | None
    human_only: float | None
    noise: float | None
    rest: float | None
    p: float | None
    holm: float | None
    why: str = ""

    def decided(self, alpha: float, *, of_all: bool = False) -> bool:
        """Return whether one of the two is better, at this error rate, of the pair alone or of all pairs together."""
        p = self.holm if of_all else self.p
        return p is not None and p < alpha and self.value != 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedScores:
    """Result of ``audited``. Systems are in the order given.

    ``n`` of ``articles`` are audited. ``slope``: how far the judge is followed (≥ 0; 0: not at all). ``judge``: its
    mean scores over all articles; ``human``: people's over the audited ones. ``scores``: the audited ones; ``best``:
    the best guess (None: fewer than four systems), ``gaps``: judge minus human beyond what the judge's scale explains.
    ``correlation``: of judge and people within articles and systems, None where either never differs. ``effective``:
    intervals of so many articles audited without a judge would be as wide (None: nothing to compare). ``noise``: the
    mean over pairs of the variance of one article's difference, with the judge's help; ``noise_alone``: without;
    ``rest``: the mean of what of the variance more audits do not take away. Pairs without an interval are in no mean.
    ``why`` there are scores only, and all else is None; "" where there is more.
    """

    target: Target
    alpha: float
    n: int
    articles: int
    slope: float
    judge: tuple[float, ...]
    human: tuple[float, ...]
    scores: tuple[Spread, ...]
    best: tuple[float, ...] | None
    gaps: tuple[Spread, ...] | None
    differences: tuple[Difference, ...]
    correlation: float | None
    effective: float | None
    noise: float | None
    noise_alone: float | None
    rest: float | None
    why: str = ""


def certain(n: int, articles: int, target: Target) -> bool:
    """Return whether nothing is left to chance: the target is this test set, and every article of it is audited."""
    return target == "this-test-set" and n == articles


def fewest(articles: int, target: Target) -> int:
    """Return how many audited articles of so many it takes for an interval: four, or all there are."""
    return min(TOO_FEW, articles) if target == "this-test-set" else TOO_FEW


def centre(values: Floats) -> Floats:
    """Return scores (articles × systems) less what article and system alone explain."""
    centred: Floats = values - mean(values, 1)[:, None] - mean(values, 0) + mean(values)
    return centred


def audited(
    judge: Floats | Sequence[Sequence[float]],
    human: Floats | Sequence[Sequence[float]],
    rows: Sequence[int],
    target: Target = "this-test-set",
    alpha: float = 0.05,
) -> AuditedScores:
    """Return the audited scores of systems.

    ``judge``: its scores (articles × systems, every one known); ``human``: people's of the audited articles (rows ×
    systems), which ``rows`` names by their index in ``judge``. ``alpha`` in (0, 1): intervals cover 1 − alpha. Raises
    ValueError for nothing audited, an unknown target, an article named twice, other shapes, values that are not finite,
    an alpha that is no probability.

    With F the judge, Y people, d one of n audited of N articles, s and t systems:
    slope = max(0, Σ centre(Y)·centre(F) / Σ centre(F)²) / (1 + 2/n), 0 below four articles;
    score = mean of Y − slope·(F − mean of all F); e_d the same of one article with the slope of the others;
    variance of s − t: (1 − n/N)·var(e_s − e_t)/n for this test set, and for new documents
    var(e_s − e_t)/n + slope²·var(F_s − F_t)/N + 2·slope·cov(e_s − e_t, F_s − F_t)/N. It is undefined below four
    articles, and where e_s − e_t or Y_s − Y_t is the same in all: no width is no certainty. Only where all N are
    audited, for this test set, it is 0.
    """
    import numpy as np

    judge, human, chosen = np.asarray(judge, dtype=float), np.asarray(human, dtype=float), np.asarray(rows, dtype=int)
    n, articles = len(chosen), len(judge)
    if target not in TARGETS:
        raise ValueError(f"{target!r} is nothing that is estimated; known: {', '.join(TARGETS)}")
    if not 0 < alpha < 1:
        raise ValueError(f"a rate of error lies between 0 and 1, and {alpha} does not")
    if not n or len(set(rows)) != n or human.shape != (n, judge.shape[1]):
        raise ValueError("an audit needs people's scores of every system for each of the articles, each named once")
    if not (np.isfinite(judge).all() and np.isfinite(human).all()):
        raise ValueError("every score is to be known: leave out articles with missing ones")
    judge, human = points(judge), points(human)
    seen, means = judge[chosen], mean(judge, 0)
    slope = _slope(human, seen)
    scores = mean(human - slope * (seen - means), 0)
    of_others = np.array([_slope(np.delete(human, d, 0), np.delete(seen, d, 0), n) for d in range(n)])
    errors = human - of_others[:, None] * (seen - means)
    pairs = list(combinations(range(judge.shape[1]), 2))
    first, second = (np.array([pair[side] for pair in pairs], dtype=int) for side in (0, 1))
    by_pair, by_pair_alone = errors[:, first] - errors[:, second], human[:, first] - human[:, second]
    by_judge = judge[:, first] - judge[:, second]
    variances = _variances(errors=by_pair, human=by_pair_alone, judge=by_judge, rows=chosen, slope=slope, target=target)
    alone = _variances(errors=by_pair_alone, human=by_pair_alone, judge=by_judge, rows=chosen, slope=0.0, target=target)
    of_scores = _variances(errors=errors, human=human, judge=judge, rows=chosen, slope=slope, target=target)
    told = certain(n, articles, target) or n >= TOO_FEW
    why = "" if told else SCORES_ONLY
    known = np.isfinite(variances)
    noises = np.where(known, variance(by_pair), np.nan) if told and n > 1 else np.full(len(pairs), np.nan)
    rests = variances - _unseen(n, articles, target) * noises / n
    factor = 0.0 if certain(n, articles, target) else -t_quantile(alpha / 2, n - 1) if told else math.nan
    values = scores[first] - scores[second]
    values[abs(values) <= NOISE] = 0
    p = [_p(value, variance, n) for value, variance in zip(values.tolist(), variances.tolist(), strict=True)]
    best, gaps = None, None
    if told:
        best, gaps = _best_guess(
            judge=means, scores=scores, errors=errors, human=human, articles=articles, target=target, factor=factor
        )
    return AuditedScores(
        target=target,
        alpha=alpha,
        n=n,
        articles=articles,
        slope=slope,
        judge=tuple(means.tolist()),
        human=tuple(mean(human, 0).tolist()),
        scores=_spreads(scores, factor * np.sqrt(of_scores), why),
        best=best,
        gaps=gaps,
        differences=tuple(
            Difference(
                first=s,
                second=t,
                value=value,
                half_width=_known(half_width),
                human_only=_known(without),
                noise=_known(noise),
                rest=_known(left),
                p=one,
                holm=together,
                why="" if one is not None else why or NEVER_VARIES,
            )
            for (s, t), value, half_width, without, noise, left, one, together in zip(
                pairs,
                values.tolist(),
                (factor * np.sqrt(variances)).tolist(),
                (factor * np.sqrt(alone)).tolist(),
                noises.tolist(),
                rests.tolist(),
                p,
                holm(p),
                strict=True,
            )
        ),
        correlation=_correlation(centre(human), centre(seen)) if told else None,
        effective=_effective(n, articles, target, variances, alone),
        noise=_mean_of_known(noises),
        noise_alone=_mean_of_known(np.where(np.isfinite(alone), variance(by_pair_alone), np.nan)) if n > 1 else None,
        rest=_mean_of_known(rests),
        why=why,
    )


def expected_half_width(
    noise: float, n: int, articles: int, target: Target, alpha: float = 0.05, rest: float = 0.0
) -> float:
    """Return half the width of a difference's interval to expect from ``n`` audited articles of ``articles``.

    ``n`` is `fewest` of them at least, and no less than two. ``noise``, ``rest``: the variance of one article's
    difference, and what no audit takes away, as `AuditedScores` and `Difference` have them.
    """
    variance = max(0.0, _unseen(n, articles, target) * noise / n + rest)
    return -t_quantile(alpha / 2, n - 1) * math.sqrt(variance)


def _unseen(n: int, articles: int, target: Target) -> float:
    """The share of what is estimated that the audit has not seen: of a test set less with every audit, else all."""
    return 1 - n / articles if target == "this-test-set" else 1.0


def _slope(human: Floats, judge: Floats, n: int | None = None) -> float:
    """Return the slope of people on the judge, shrunk for ``n`` audited articles (those given, if not said)."""
    n = n or len(human)
    if n < TOO_FEW:
        return 0.0
    of_judge = centre(judge)
    power = total(of_judge**2)
    if power <= NOISE * NOISE * total(judge**2):  # the judge never tells systems apart within an article
        return 0.0
    together: float = total(centre(human) * of_judge)
    return float(max(0.0, together / power)) / (1 + 2 / n)


def _variances(*, errors: Floats, human: Floats, judge: Floats, rows: Integers, slope: float, target: Target) -> Floats:
    """The variance, by column, of a mean of ``errors`` (audited articles × columns) with the judge's help.

    NaN where it is undefined: below `TOO_FEW` articles, and of columns that never vary, be it with the judge's help or
    by what people (``human``) say alone: what the judge varies is not how much people would.
    """
    import numpy as np

    n, articles = len(errors), len(judge)
    if certain(n, articles, target):
        return np.zeros(errors.shape[1])
    if n < TOO_FEW:
        return np.full(errors.shape[1], np.nan)
    of_errors = variance(errors)
    if target == "this-test-set":
        variances = _unseen(n, articles, target) * of_errors / n
    else:
        seen = judge[rows]
        together = total((errors - mean(errors, 0)) * (seen - mean(seen, 0)), 0) / (n - 1)
        variances = of_errors / n + slope * slope * variance(judge) / articles + 2 * slope * together / articles
    return np.where(constant(errors.T) | constant(human.T) | (variances <= 0), np.nan, variances)


def _best_guess(
    *, judge: Floats, scores: Floats, errors: Floats, human: Floats, articles: int, target: Target, factor: float
) -> tuple[tuple[float, ...] | None, tuple[Spread, ...] | None]:
    """The blend of Fay and Herriot (1979) of the audited scores and what the judge's would be on people's scale.

    And what is left of the judge's: how much higher than people it puts each system, with what the sampling of articles
    does to that, the judge's own means being given. Undefined below two audited articles, for few systems, and where
    the judge gives all the same.
    """
    import numpy as np

    n, systems = errors.shape
    x, y = judge - mean(judge), scores - mean(scores)
    power = total(x**2)
    if n < 2 or systems < BEST_GUESS or power <= NOISE * NOISE * total(judge**2):
        return None, None
    share = _unseen(n, articles, target)
    within = errors - mean(errors, 1)[:, None]
    v = mean(share * variance(within) / n)
    b = max(0.0, total(x * y) / power)
    rest = y - b * x
    tau = max(0.0, total(rest**2) / (systems - 2) - v)
    w = tau / (tau + v) if tau + v > 0 else 1.0
    best = mean(scores) + b * x + w * rest
    of_rest = within - np.outer(total(within * x, 1), x) / power if b > 0 else within
    half_widths = factor * np.sqrt(share * variance(of_rest) / n)
    if share > 0:
        never = constant(of_rest.T) | constant((human - mean(human, 1)[:, None]).T)
        half_widths = np.where(never, np.nan, half_widths)
    return tuple(best.tolist()), _spreads(-rest, half_widths)


def _spreads(values: Floats, half_widths: Floats, why: str = "") -> tuple[Spread, ...]:
    return tuple(
        Spread(value, _known(half_width), (why or NEVER_VARIES) if math.isnan(half_width) else "")
        for value, half_width in zip(values.tolist(), half_widths.tolist(), strict=True)
    )


def _p(value: float, variance: float, n: int) -> float | None:
    if math.isnan(variance):
        return None
    if variance <= 0:
        return 1.0 if value == 0 else 0.0
    return 2 * t_tail(abs(value) / math.sqrt(variance), n - 1)


def _correlation(human: Floats, judge: Floats) -> float | None:
    """Return the correlation of two centred arrays; None where one of them is nothing but rounding."""
    powers = total(human**2), total(judge**2)
    if min(powers) <= NOISE * NOISE:
        return None
    return float(total(human * judge)) / math.sqrt(powers[0] * powers[1])


def _effective(n: int, articles: int, target: Target, variances: Floats, alone: Floats) -> float | None:
    """Return the effective sample size without a judge: n times the ratio of the variances over the pairs of which both
    are known.
    """
    import numpy as np

    if certain(n, articles, target):
        return float(n)
    known = np.isfinite(variances) & np.isfinite(alone)
    return n * math.fsum(alone[known].tolist()) / math.fsum(variances[known].tolist()) if known.any() else None


def _mean_of_known(values: Floats) -> float | None:
    """The mean of the values that are not NaN, None of nothing."""
    import numpy as np

    known = values[np.isfinite(values)]
    return float(mean(known)) if len(known) else None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
