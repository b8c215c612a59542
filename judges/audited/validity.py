"""How likely a person would let a finding stand, learnt from the verdicts there are.

A ridge logistic regression on what is known of a finding without reading it. It orders a review (most doubtful first)
and can weigh findings within the audited leaderboard; it is no score of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from judges.agreement.figure import Figure, Interval
from judges.agreement.intervals import from_draws, wilson
from judges.model import DIMENSIONS, SEVERITIES, Dimension, Severity
from judges.resampling import RESAMPLES, SEED, resampled_weights
from judges.sampling import shuffled

if TYPE_CHECKING:
    from judges.arrays import Floats, Integers

Quoted = Literal["exact", "approximate", "not found"]
"""Whether what a finding quotes was found in the texts."""
QUOTED: tuple[Quoted, ...] = ("exact", "approximate", "not found")

RIDGE = 1.0
"""The penalty on each squared weight of a standardised feature; the intercept has none."""
FOLDS = 10
"""Parts into which the articles are divided, where there are as many."""
FEWEST = 4
"""Articles with verdicts below which nothing is learnt."""
BINS = 10
_STEPS = 50


@dataclass(frozen=True, slots=True)
class Case:
    """What is known of a finding: ``share`` of the samples or judges that found it (0–1], how many ``findings`` its
    evaluation has, and whether a person let it stand (None: nobody has said).

    Agreed with, changed and re-attributed ones stand; rejected ones and duplicates do not.
    """

    article: str
    dimension: Dimension
    severity: Severity | None
    quoted: Quoted
    share: float
    findings: int
    valid: bool | None


@dataclass(frozen=True, slots=True)
class Bin:
    """Findings with nearly the same predicted validity: the mean of that, and the share that stood."""

    n: int
    predicted: float
    stood: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Validity:
    """What was learnt. ``probabilities``: of each case in order, 0–1; of an article with verdicts by the model that was
    fitted without it. None, with ``why``, where nothing can be learnt. ``auc``: how often of two findings the one that
    stands has the higher probability, out of fold; ``bins``: the calibration plot.
    """

    probabilities: tuple[float, ...] | None
    n: int
    articles: int
    auc: Figure
    bins: tuple[Bin, ...]
    why: str = ""


def learn_validity(cases: Sequence[Case], seed: int = SEED) -> Validity:
    """Fit the model, out of fold for the articles that have verdicts; deterministic by ``seed``, whatever the order of
    the cases.
    """
    import numpy as np

    places = sorted(range(len(cases)), key=lambda i: _in_order(cases[i]))  # sums in one order round alike
    cases = [cases[i] for i in places]
    said = np.array([case.valid is not None for case in cases], dtype=bool)
    stood = np.array([bool(case.valid) for case in cases], dtype=float)
    articles = sorted({case.article for case in cases if case.valid is not None})
    n = int(said.sum())
    why = ""
    if len(articles) < FEWEST:
        why = f"verdicts in {len(articles)} articles; at least {FEWEST} are needed"
    elif not 0 < stood[said].sum() < n:
        why = "all findings with a verdict stand" if stood[said].all() else "no finding with a verdict stands"
    if why:
        return Validity(None, n, len(articles), Figure(None, n, why), (), why)
    features = _features(cases)
    probabilities = _probabilities(features, _fit(features[said], stood[said]))
    folds = {name: i % min(FOLDS, len(articles)) for i, name in enumerate(shuffled(articles, seed, "folds"))}
    fold = np.array([folds.get(case.article, -1) for case in cases])
    for held in range(min(FOLDS, len(articles))):
        learnt = said & (fold != held)
        probabilities[fold == held] = _probabilities(features[fold == held], _fit(features[learnt], stood[learnt]))
    probabilities = probabilities.round(12)  # findings of which the same is known tie, wherever they stand
    number = {name: i for i, name in enumerate(articles)}
    rows = np.array([number.get(case.article, -1) for case in cases])[said]
    auc = _auc(probabilities[said], stood[said], rows, len(articles), seed)
    bins = _bins(probabilities[said], stood[said])
    return Validity(tuple(probabilities[np.argsort(places)].tolist()), n, len(articles), auc, bins)


def _in_order(case: Case) -> tuple[str | float, ...]:
    return (case.article, case.dimension, case.severity or "", case.quoted, case.share, case.findings, str(case.valid))


def most_doubtful_first(probabilities: Sequence[float]) -> list[int]:
    """Return the indexes of cases in the order of a review that begins with what is least likely to stand.

    What was reviewed in this order is no random sample, and is nothing to infer from.
    """
    return sorted(range(len(probabilities)), key=lambda i: (probabilities[i], i))


def _features(cases: Sequence[Case]) -> Floats:
    """One row a case: an intercept, and standardised features."""
    import numpy as np

    rows = [
        [
            *(case.dimension == dimension for dimension in DIMENSIONS),
            *(case.severity == severity for severity in SEVERITIES),
            *(case.quoted == quoted for quoted in QUOTED),
            case.share,
            math.log1p(case.findings),
        ]
        for case in cases
    ]
    features = np.array(rows, dtype=float)
    spread = features.std(0)
    scaled = (features - features.mean(0)) / np.where(spread > 0, spread, 1)
    return np.hstack([np.ones((len(scaled), 1)), scaled])


def _fit(features: Floats, stood: Floats) -> Floats:
    """The weights of a ridge logistic regression, by Newton's method; it is convex, so where it ends is the only place.

    Where all of ``stood`` is the same the intercept would run away: it is held by half a case of each kind.
    """
    import numpy as np

    penalty = np.full(features.shape[1], RIDGE)
    penalty[0] = 0
    mean = (stood.sum() + 0.5) / (len(stood) + 1)
    weights = np.zeros(features.shape[1])
    weights[0] = math.log(mean / (1 - mean))
    one_kind = stood.min() == stood.max() if len(stood) else True
    if one_kind:
        return weights
    for _ in range(_STEPS):
        probabilities = _probabilities(features, weights)
        gradient = features.T @ (stood - probabilities) - penalty * weights
        curvature = (features * (probabilities * (1 - probabilities))[:, None]).T @ features + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curvature, gradient)
        size = float(np.abs(step).max())
        weights = weights + step * min(1.0, 4 / size if size else 1.0)  # far steps overshoot
        if size < 1e-10:
            break
    return weights


def _probabilities(features: Floats, weights: Floats) -> Floats:
    import numpy as np

    return np.asarray(1 / (1 + np.exp(-np.clip(features @ weights, -700, 700))))


def _auc(predicted: Floats, stood: Floats, rows: Integers, articles: int, seed: int) -> Figure:
    """The area under the curve, ties counting half, with its bootstrap interval over articles.

    With w findings' weights in a resample: Σ over pairs (one stood, one did not) of their products, those in the right
    order over all; the sum over pairs of articles is made once.
    """
    import numpy as np

    yes, no = stood == 1, stood == 0
    right, pairs = np.zeros((articles, articles)), np.zeros((articles, articles))
    others, order = predicted[no], np.argsort(predicted[no], kind="stable")
    ranked, of_others = others[order], rows[no][order]
    counts = np.zeros((len(ranked) + 1, articles))
    np.add.at(counts, (np.arange(1, len(ranked) + 1), of_others), 1)
    counts = counts.cumsum(0)  # by article, of the first k findings that did not stand
    low = counts[np.searchsorted(ranked, predicted[yes], "left")]
    high = counts[np.searchsorted(ranked, predicted[yes], "right")]
    np.add.at(right, rows[yes], (low + high) / 2)
    np.add.at(pairs, rows[yes], np.broadcast_to(counts[-1], low.shape))
    value = float(right.sum() / pairs.sum())
    draws = []
    for weights in resampled_weights(articles, RESAMPLES, seed):
        above = np.einsum("ra,ab,rb->r", weights, right, weights, optimize=True)
        below = np.einsum("ra,ab,rb->r", weights, pairs, weights, optimize=True)
        draws.append(np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0))
    return Figure(value, len(predicted), interval=from_draws(np.concatenate(draws), articles, seed))


def _bins(predicted: Floats, stood: Floats) -> tuple[Bin, ...]:
    """The calibration plot: findings in the order of what was predicted, as many in each bin."""
    import numpy as np

    order = np.argsort(predicted, kind="stable")
    return tuple(
        Bin(len(part), float(predicted[part].mean()), share := float(stood[part].mean()), wilson(share, len(part)))
        for part in np.array_split(order, min(BINS, len(order)))
    )
