"""Acceptance model: the probability that a reviewer accepts a finding, learnt from verdicts.

A ridge logistic regression on what is known of a finding without reading it. It orders a review, most doubtful
first, and weighs no score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from judges.consistency.error_slices import effective_interval
from judges.model import DIMENSIONS, SEVERITIES, Dimension, Severity
from judges.stats.figure import Figure
from judges.stats.intervals import ExpandedBootstrap
from judges.stats.numerics import ROUNDING, Halves, exponential, halved, log, mean, product, solve, total
from judges.stats.resampling import RESAMPLES, SEED, resampled_weights

if TYPE_CHECKING:
    from judges.stats.arrays import Floats, Integers

Quoted = Literal["exact", "approximate", "not found"]
"""The result of looking for a finding's quotes in the texts."""
QUOTED: tuple[Quoted, ...] = ("exact", "approximate", "not found")

RIDGE = 1.0
"""The penalty on each squared weight of a standardised feature; the intercept has none."""
FEWEST = 4
"""Articles with verdicts below which nothing is learnt."""
BINS = 10
_STEPS = 50
_DIGITS = 9
"""Decimals of a probability, of which the weights are surely right: a step below `_NEAR` is the last."""
_NEAR = 1e-10


class Features(NamedTuple):
    """Features of a finding: ``share`` of the samples or judges that found it (0–1], how many ``findings`` its
    evaluation has.
    """

    dimension: Dimension
    severity: Severity | None
    quoted: Quoted
    share: float
    findings: int


class DecidedFinding(NamedTuple):
    """A finding of an article, and whether a person let it stand (None: nobody has said).

    Agreed with, changed and re-attributed ones stand; rejected ones and duplicates do not. ``by_doubt``: it was
    reviewed because it was doubtful, so that it is learnt from, and no figure rests on it.
    """

    article: str
    known: Features
    valid: bool | None = None
    by_doubt: bool = False


@dataclass(frozen=True)
class AcceptanceModel:
    """Model learnt from ``n`` verdicts in so many ``articles``. Where nothing can be learnt, ``why`` says so."""

    n: int
    articles: int
    why: str = ""
    _said: tuple[DecidedFinding, ...] = ()
    _fits: dict[str, Floats] = field(default_factory=dict)

    def probabilities(self, cases: Sequence[DecidedFinding]) -> list[float]:
        """Return each finding's probability, 0–1; for an article with verdicts, learnt without that article.

        Raises ValueError where nothing was learnt.
        """
        import numpy as np

        if self.why:
            raise ValueError(self.why)
        features = self._scaled(_features([case.known for case in cases]))
        weights = np.array([self._weights(case.article) for case in cases]).reshape(len(cases), features.shape[1])
        # Findings of which the same is known tie, however far the weights were from where they end.
        found: list[float] = _logistic(total(features * weights, 1)).round(_DIGITS).tolist()
        return found

    @cached_property
    def _counts(self) -> tuple[tuple[Features, ...], dict[str, Floats]]:
        """Return the features of findings with verdicts, each once, and article → how many such there are and stand."""
        import numpy as np

        known = sorted({case.known for case in self._said}, key=lambda each: tuple(map(str, each)))
        place = {each: i for i, each in enumerate(known)}
        counts: dict[str, Floats] = {}
        for (article, each, valid), n in Counter((case.article, case.known, case.valid) for case in self._said).items():
            of = counts.setdefault(article, np.zeros((len(known), 2)))
            of[place[each]] += (n, n * bool(valid))
        return tuple(known), counts

    @cached_property
    def _total(self) -> Floats:
        """The same counts of all articles; whole numbers, so that their order is no matter."""
        import numpy as np

        return np.asarray(sum(self._counts[1].values()))

    @cached_property
    def _scale(self) -> tuple[Floats, Floats]:
        """The mean and the spread of each feature over the findings with verdicts."""
        import numpy as np

        features, n = _features(self._counts[0]), self._total[:, :1]
        middle = total(n * features, 0) / n.sum()
        spread = np.sqrt(total(n * (features - middle) ** 2, 0) / n.sum())
        return middle, np.where(spread > ROUNDING, spread, 1)

    def _scaled(self, features: Floats) -> Floats:
        import numpy as np

        middle, spread = self._scale
        return np.hstack([np.ones((len(features), 1)), (features - middle) / spread])

    @cached_property
    def _rows(self) -> _Rows:
        features = self._scaled(_features(self._counts[0]))
        return _Rows(features, halved(features, 1), halved(features, 0))

    def _weights(self, article: str) -> Floats:
        """Return the weights learnt without an article; of one without verdicts, from all."""
        own = self._counts[1].get(article)
        name = "" if own is None else article
        if (found := self._fits.get(name)) is None:
            counts, start = (self._total, None) if own is None else (self._total - own, self._weights(""))
            found = self._fits[name] = _fit(self._rows, counts[:, 0], counts[:, 1], start)
        return found


def fit_acceptance(cases: Iterable[DecidedFinding]) -> AcceptanceModel:
    """Learn from the cases that have a verdict; what is learnt does not depend on their order."""
    said = tuple(case for case in cases if case.valid is not None)
    n, articles, stood = len(said), len({case.article for case in said}), sum(bool(case.valid) for case in said)
    why = ""
    if articles < FEWEST:
        why = f"verdicts in {articles} articles; at least {FEWEST} are needed"
    elif not 0 < stood < n:
        why = _ONE_KIND[stood == n]
    return AcceptanceModel(n, articles, why, () if why else said)


_ONE_KIND = {True: "all findings with a verdict stand", False: "no finding with a verdict stands"}


@dataclass(frozen=True, slots=True)
class Bin:
    """Findings with nearly the same predicted validity: the mean of that, and the share that stood, with its interval
    (`effective_interval`), which knows that findings of one article resemble one another.
    """

    predicted: Figure
    stood: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAssessment:
    """Quality of the predictions, on articles that nothing was learnt from.

    Learnt from ``n`` verdicts in so many ``articles``, or not: ``why``. ``auc``: how often of two findings the one that
    stands has the higher probability; ``bins``: the calibration plot. ``left_out``: reason → findings that are in
    neither.
    """

    n: int
    articles: int
    why: str
    auc: Figure
    bins: tuple[Bin, ...]
    left_out: Mapping[str, int]
    seed: int
    resamples: int


def assess_acceptance(
    learnt: AcceptanceModel,
    cases: Iterable[DecidedFinding],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    left_out: Mapping[str, int] = MappingProxyType({}),
) -> ModelAssessment:
    """Hold what was learnt against the verdicts on these cases, but for those that were reviewed by doubt.

    ``left_out``: reason → findings that are not among the cases.
    """
    import numpy as np

    said = [case for case in cases if case.valid is not None]
    drawn = [] if learnt.why else sorted((case for case in said if not case.by_doubt), key=lambda case: str(case))
    counts = {**left_out, "learnt from, but chosen by doubt": sum(case.by_doubt for case in said)}
    left = {reason: n for reason, n in counts.items() if n}
    stood = np.array([bool(case.valid) for case in drawn], dtype=bool)
    why = learnt.why or ("" if 0 < stood.sum() < len(drawn) else _ONE_KIND[bool(stood.all())] if drawn else _NONE)
    if why:
        return ModelAssessment(
            n=learnt.n,
            articles=learnt.articles,
            why=why,
            auc=Figure(None, len(drawn), why),
            bins=(),
            left_out=left,
            seed=seed,
            resamples=resamples,
        )
    predicted = np.array(learnt.probabilities(drawn))
    number = {name: i for i, name in enumerate(dict.fromkeys(case.article for case in drawn))}
    rows = np.array([number[case.article] for case in drawn])
    auc = _auc(predicted, stood, rows, len(number), ExpandedBootstrap(resamples, seed))
    bins = _bins(predicted, stood, rows, len(number))
    return ModelAssessment(
        n=learnt.n, articles=learnt.articles, why="", auc=auc, bins=bins, left_out=left, seed=seed, resamples=resamples
    )


_NONE = "every finding with a verdict was chosen by doubt"


def uncertainty_order(probabilities: Sequence[float]) -> list[int]:
    """Return the indexes of cases in the order of a review that begins with what is least likely to stand.

    What was reviewed in this order is no random sample, and is nothing to infer from.
    """
    return sorted(range(len(probabilities)), key=lambda i: (probabilities[i], i))


def _features(known: Sequence[Features]) -> Floats:
    """One row for each."""
    import numpy as np

    rows = [
        [
            *(each.dimension == dimension for dimension in DIMENSIONS),
            *(each.severity == severity for severity in SEVERITIES),
            *(each.quoted == quoted for quoted in QUOTED),
            each.share,
            log(1 + each.findings),
        ]
        for each in known
    ]
    return np.array(rows, dtype=float).reshape(len(known), len(DIMENSIONS) + len(SEVERITIES) + len(QUOTED) + 2)


class _Rows(NamedTuple):
    """Features of findings, and what they are multiplied by: row by row, and column by column."""

    features: Floats
    by_row: Halves
    by_column: Halves


def _fit(rows: _Rows, n: Floats, stood: Floats, start: Floats | None = None) -> Floats:
    """The weights of a ridge logistic regression, by Newton's method; it is convex, so where it ends is the only place.

    ``n`` findings are alike in each row, of which so many ``stood``. Where all of them did, or none, the intercept
    would run away: it is held by half a case of each kind.
    """
    import numpy as np

    features = rows.features
    penalty = np.full(features.shape[1], RIDGE)
    penalty[0] = 0
    cases, valid = float(n.sum()), float(stood.sum())
    share = (valid + 0.5) / (cases + 1)
    weights = np.zeros(features.shape[1])
    weights[0] = log(share / (1 - share))
    if valid in (0, cases):
        return weights
    if start is not None:
        weights = start.copy()
    for _ in range(_STEPS):
        expected = _logistic(product(rows.by_row, weights[:, None])[:, 0])
        gradient = product(rows.by_column.T, (stood - n * expected)[:, None])[:, 0] - penalty * weights
        curvature = product((features * (n * expected * (1 - expected))[:, None]).T, rows.by_column)
        step = solve(curvature + np.diag(penalty + 1e-9), gradient)
        size = float(np.abs(step).max())
        weights = weights + step * min(1.0, 4 / size if size else 1.0)  # far steps overshoot
        if size < _NEAR:
            break
    return weights


def _logistic(of: Floats) -> Floats:
    import numpy as np

    return np.asarray(1 / (1 + exponential(-np.clip(of, -700, 700))))


def _auc(predicted: Floats, stood: Floats, rows: Integers, articles: int, draws: ExpandedBootstrap) -> Figure:
    """The area under the curve, ties counting half, with its bootstrap interval over articles.

    With w findings' weights in a resample: Σ over pairs (one stood, one did not) of their products, those in the right
    order over all; the sum over pairs of articles is made once.
    """
    import numpy as np

    yes, no = stood == 1, stood == 0
    right = np.zeros((articles, articles))
    for article in range(articles):
        fell = np.sort(predicted[no & (rows == article)])
        above = np.searchsorted(fell, predicted[yes], "left") + np.searchsorted(fell, predicted[yes], "right")
        right[:, article] = np.bincount(rows[yes], above / 2, articles)
    pairs = np.outer(*(np.bincount(rows[which], minlength=articles) for which in (yes, no))).astype(float)
    found = []
    for weights in resampled_weights(articles, draws.resamples, draws.seed):
        above, below = (((weights @ each) * weights).sum(axis=1) for each in (right, pairs))
        found.append(np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0))
    interval = draws.interval(np.concatenate(found), articles)
    return Figure(float(right.sum() / pairs.sum()), len(predicted), interval=interval)


def _bins(predicted: Floats, stood: Floats, rows: Integers, articles: int) -> tuple[Bin, ...]:
    """The calibration plot: findings in the order of what was predicted, as many in each bin."""
    import numpy as np

    found = []
    for part in np.array_split(np.argsort(predicted, kind="stable"), min(BINS, len(predicted))):
        n = np.bincount(rows[part], minlength=articles).tolist()
        valid = np.bincount(rows[part], stood[part], articles).astype(int).tolist()
        share = Figure(sum(valid) / len(part), len(part), interval=effective_interval(zip(valid, n, strict=True)))
        found.append(Bin(Figure(mean(predicted[part]), len(part)), share))
    return tuple(found)
