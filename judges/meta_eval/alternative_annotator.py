"""The alternative annotator test: whether a judge can stand in for the people who annotated (arXiv 2501.10970)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

from judges.stats.figure import Figure
from judges.stats.numerics import NOISE, comparable
from judges.stats.student_t import t_tail

Scoring = Literal["accuracy", "neg_rmse"]
"""Alignment with the others on an item: the share of equal labels, or minus the root mean square error of scores."""
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)

Unit = Literal["items", "articles"]
"""Observations of the t-test: the difference on each item, or its mean on the items of each article."""
UNITS: tuple[Unit, ...] = get_args(Unit)

Said = Mapping[Hashable, Hashable]
"""Item → the label, or the score, that one annotator gave it; None, or a score that is not finite, is none."""

EXPERTISE: Mapping[str, float] = {"expert": 0.2, "skilled": 0.15, "crowd": 0.1}
"""Epsilon by who the people are: the less a judge costs beside them, the more it may fall behind."""
LEAST_ITEMS = 30
"""Items of a person below which they are not tested."""
RATE = 0.05
"""The rate of false discoveries over the people."""
PASSING = 0.5
"""The winning rate from which a judge may stand in."""

NO_VARIANCE = "no variance: the difference is the same throughout"
ONE_ARTICLE = "one article only: no test over articles"
NO_ARTICLES = "it is not known which items are of one article"
ALONE = "one person only: there is nobody to hold either against"
NOBODY = "nobody annotated anything"
NOT_JUDGED = "it annotated nothing that two people did"
NO_TEST = "no person could be tested"


@dataclass(frozen=True, slots=True)
class PersonTest:
    """One person left out: the candidate and they, each held against the others on the items of both.

    ``n``: the observations (items or articles) of the test. ``difference``: the mean of d = [person ≥ candidate] −
    [candidate ≥ person], in [−1, 1]. ``advantage``: the mean of [candidate ≥ person], in [0, 1]. ``p``: one-sided, of
    a mean d not below epsilon; None where it is undefined (``why``). ``rejected``: it is below epsilon, so that the
    candidate is at least as good less epsilon; False where there is no p.
    """

    person: str
    n: int
    difference: float
    advantage: float
    p: float | None
    rejected: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome over all people, by one unit of observation.

    ``winning_rate``: the share of rejected tests among the defined ones (``n``). ``advantage``: the mean over people.
    ``passes``: whether the rate is at least `PASSING`; None where it is undefined.
    """

    people: tuple[PersonTest, ...]
    winning_rate: Figure
    advantage: Figure
    passes: bool | None


@dataclass(frozen=True, slots=True)
class AlternativeAnnotatorTest:
    """Outcome with items as independent observations, as published, and with articles as clusters.

    ``left_out``: the people who were not tested, with the reason; they are still among the others.
    """

    scoring: Scoring
    epsilon: float
    items: Outcome
    articles: Outcome
    left_out: Mapping[str, str]


def alternative_annotator_test(
    candidate: Said,
    people: Mapping[str, Said],
    scoring: Scoring = "accuracy",
    epsilon: float = EXPERTISE["expert"],
    *,
    articles: Mapping[Hashable, Hashable] | None = None,
    least: int = LEAST_ITEMS,
    rate: float = RATE,
) -> AlternativeAnnotatorTest:
    """Test whether a candidate (a judge or a metric) can stand in for each of the people (Calderon et al. 2025).

    Each person in turn is left out. On every item that they, the candidate and at least one other annotated, candidate
    and person are scored against these others: by the share of equal labels, or by minus the root mean square error.
    d is [person ≥ candidate] − [candidate ≥ person]; a one-sided t-test asks whether its mean is below ``epsilon``.
    Over the people p is corrected after Benjamini and Yekutieli (2001) at ``rate``.

    ``articles``: item → its article, of which the mean d is one observation in the second outcome. ``least``: items
    below which a person is left out. Scores are compared after rounding to 6 decimals. Raises ValueError for an epsilon
    outside [0, 1).
    """
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon {epsilon} is not in [0, 1)")
    known = {name: _known(said, scoring) for name, said in people.items()}
    judged = _known(candidate, scoring)
    by_item: defaultdict[Hashable, list[tuple[str, Hashable]]] = defaultdict(list)
    for name, said in known.items():
        for item, value in said.items():
            if item in judged:
                by_item[item].append((name, value))
    wins: defaultdict[str, dict[Hashable, tuple[bool, bool]]] = defaultdict(dict)
    for item, several in by_item.items():
        for place, (name, value) in enumerate(several):
            others = [other for k, (_, other) in enumerate(several) if k != place]
            if others:
                of_judge, own = (_alignment(each, others, scoring) for each in (judged[item], value))
                wins[name][item] = of_judge >= own, own >= of_judge
    left_out = {
        name: f"{len(wins[name])} items that another and the candidate annotated too; a test takes {least}"
        for name in sorted(known)
        if len(wins[name]) < least
    }
    why = NOBODY if not any(known.values()) else ALONE if sum(map(bool, known.values())) < 2 else ""
    why = why or (NO_TEST if any(wins.values()) else NOT_JUDGED)
    tested = {name: wins[name] for name in sorted(known) if name not in left_out}
    of_items = [
        _tested(name, [(d, w) for d, w in map(_difference, won.values())], epsilon) for name, won in tested.items()
    ]
    of_articles = [_clustered(name, won, articles, epsilon) for name, won in tested.items()]
    return AlternativeAnnotatorTest(
        scoring, epsilon, _outcome(of_items, rate, why), _outcome(of_articles, rate, why), left_out
    )


def benjamini_yekutieli(p: Sequence[float], rate: float = RATE) -> list[bool]:
    """Return which hypotheses are rejected at a rate of false discoveries that holds however tests depend (2001).

    The k smallest of m are, for the largest k whose p is at most k · rate / (m · Σ 1/i).
    """
    order = sorted(range(len(p)), key=p.__getitem__)
    harmonic = math.fsum(1 / i for i in range(1, len(p) + 1))
    most = max((k for k, i in enumerate(order, 1) if p[i] <= k * rate / (len(p) * harmonic) + NOISE), default=0)
    chosen = set(order[:most])
    return [i in chosen for i in range(len(p))]


def _known(said: Said, scoring: Scoring) -> dict[Hashable, Hashable]:
    """The labels there are; the scores as whole numbers of 1e-6, so that arithmetic with them is exact."""
    given = {item: value for item, value in said.items() if value is not None}
    if scoring == "accuracy":
        return given
    import numpy as np

    scores = comparable(np.array(list(given.values()), dtype=float))
    return {item: int(score) for item, score in zip(given, scores.tolist(), strict=True) if math.isfinite(score)}


def _alignment(value: Hashable, others: Iterable[Hashable], scoring: Scoring) -> int:
    """What orders two on an item like their alignment, for the others are the same: a count, or minus squares."""
    if scoring == "accuracy":
        return sum(value == other for other in others)
    return -sum((value - other) ** 2 for other in others)  # type: ignore[operator]


def _difference(won: tuple[bool, bool]) -> tuple[int, int]:
    candidate, person = won
    return person - candidate, int(candidate)


def _clustered(
    name: str,
    won: Mapping[Hashable, tuple[bool, bool]],
    articles: Mapping[Hashable, Hashable] | None,
    epsilon: float,
) -> PersonTest:
    """The test of the means by article, each article counting once."""
    if articles is None:
        every = [_difference(each) for each in won.values()]
        whole = _tested(name, every, epsilon)
        return replace(whole, n=0, p=None, why=NO_ARTICLES)
    by_article: defaultdict[Hashable, list[tuple[int, int]]] = defaultdict(list)
    for item, each in won.items():
        by_article[articles[item]].append(_difference(each))
    means = [
        (Fraction(sum(d for d, _ in each), len(each)), Fraction(sum(w for _, w in each), len(each)))
        for each in by_article.values()
    ]
    return _tested(name, means, epsilon)


def _tested(name: str, observed: Sequence[tuple[int | Fraction, int | Fraction]], epsilon: float) -> PersonTest:
    """One-sided t-test that the mean of the first of each pair is below epsilon; the variance is exact."""
    n = len(observed)
    added, squared = sum(d for d, _ in observed), sum(d * d for d, _ in observed)
    mean, advantage = float(Fraction(added) / n), float(Fraction(sum(w for _, w in observed)) / n)
    if n < 2:
        return PersonTest(name, n, mean, advantage, None, why=ONE_ARTICLE)
    variance = Fraction(n * squared - added * added) / (n * (n - 1))
    if not variance:
        return PersonTest(name, n, mean, advantage, None, why=NO_VARIANCE)
    t = (mean - epsilon) / math.sqrt(variance / n)
    p = t_tail(-t, n - 1) if t < 0 else 1 - t_tail(t, n - 1)
    return PersonTest(name, n, mean, advantage, p)


def _outcome(tests: Sequence[PersonTest], rate: float, why: str) -> Outcome:
    defined = [each for each in tests if each.p is not None]
    rejected = dict(
        zip(
            (each.person for each in defined),
            benjamini_yekutieli([each.p for each in defined if each.p is not None], rate),
            strict=True,
        )
    )
    people = tuple(replace(each, rejected=rejected.get(each.person, False)) for each in tests)
    advantages = [each.advantage for each in people]
    advantage = Figure(math.fsum(advantages) / len(people), len(people)) if people else Figure(None, 0, why)
    if not defined:
        whys = "; ".join(dict.fromkeys(each.why for each in tests)) or why
        return Outcome(people, Figure(None, 0, whys), advantage, None)
    winning = Figure(sum(rejected.values()) / len(defined), len(defined))
    return Outcome(people, winning, advantage, winning.value is not None and winning.value >= PASSING)
