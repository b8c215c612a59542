"""The alternative annotator test: whether a judge can stand in for the people who annotated (arXiv 2501.10970)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

from judges.stats.figure import Figure
from judges.stats.numerics import NOISE, comparable
from judges.stats.student_t import t_tail

if TYPE_CHECKING:
    from judges.stats.arrays import Booleans, Integers

Scoring = Literal["accuracy", "neg_rmse"]
"""Alignment with the others on an item: the share of equal labels, or minus the root mean square error of scores."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Annotations:
    """Labels or scores that people and a candidate gave to the same items, as arrays: people × items, and items.

    ``values``: labels as numbers, or scores as whole numbers (objects, so that their squares are exact); they count
    where ``known``. ``articles``: the number of each item's article; None where nobody knows.
    """

    people: Sequence[str]
    values: Integers
    known: Booleans
    candidate: Integers
    candidate_known: Booleans
    articles: Integers | None


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
    import numpy as np

    names = sorted(people)
    items = {item: k for k, item in enumerate(dict.fromkeys(item for said in people.values() for item in said))}
    code: dict[Hashable, int] = {}
    values = np.zeros((len(names) + 1, len(items)), dtype=object if scoring == "neg_rmse" else np.int64)
    known = np.zeros(values.shape, dtype=bool)
    for row, said in enumerate((*(people[name] for name in names), candidate)):
        given = [(items[item], value) for item, value in said.items() if value is not None and item in items]
        if scoring == "accuracy":
            numbers = [code.setdefault(value, len(code)) for _, value in given]
        else:
            numbers = comparable(np.array([value for _, value in given], dtype=float)).tolist()
        for (place, _), number in zip(given, numbers, strict=True):
            if math.isfinite(number):
                values[row, place], known[row, place] = int(number), True
    groups = None
    if articles is not None:
        numbered: dict[Hashable, int] = {}
        groups = np.array([numbered.setdefault(articles.get(item), len(numbered)) for item in items], dtype=np.int64)
    said_by_people = Annotations(names, values[:-1], known[:-1], values[-1], known[-1], groups)
    return compare_annotations(said_by_people, scoring, epsilon, least=least, rate=rate)


def compare_annotations(
    of: Annotations, scoring: Scoring, epsilon: float, *, least: int = LEAST_ITEMS, rate: float = RATE
) -> AlternativeAnnotatorTest:
    """The same of arrays: labels as numbers, or scores as whole ones. Raises ValueError likewise."""
    import numpy as np

    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon {epsilon} is not in [0, 1)")
    here = of.known & of.candidate_known
    shared = here & (here.sum(axis=0) > 1)
    left_out, of_items, of_articles = dict[str, str](), list[PersonTest](), list[PersonTest]()
    for row, name in enumerate(of.people):
        own = shared[row]
        n = int(own.sum())
        if n < least:
            left_out[name] = f"{n} items that another and the candidate annotated too; a test takes {least}"
            continue
        others = np.delete(here, row, axis=0)[:, own]
        said = np.delete(of.values, row, axis=0)[:, own]
        by_candidate, by_person = (
            _alignment(each[own], said, others, scoring) for each in (of.candidate, of.values[row])
        )
        wins = (by_candidate >= by_person).astype(np.int64)
        differences = (by_person >= by_candidate).astype(np.int64) - wins
        of_items.append(_tested(name, differences.tolist(), wins.tolist(), epsilon))
        of_articles.append(_clustered(of_items[-1], differences, wins, of.articles, own, epsilon))
    several = int(of.known.any(axis=1).sum())
    why = NOBODY if not several else ALONE if several < 2 else NO_TEST if shared.any() else NOT_JUDGED
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


def _alignment(values: Integers, others: Integers, known: Booleans, scoring: Scoring) -> Integers:
    """Numbers in the order of alignment on an item, for the others are the same: a count, or minus squares."""
    import numpy as np

    each = (others == values) if scoring == "accuracy" else -((others - values) ** 2)
    found: Integers = np.where(known, each, 0).sum(axis=0)
    return found


def _clustered(
    whole: PersonTest,
    differences: Integers,
    wins: Integers,
    articles: Integers | None,
    own: Booleans,
    epsilon: float,
) -> PersonTest:
    """The test of the means by article, each article counting once."""
    import numpy as np

    if articles is None:
        return replace(whole, n=0, p=None, why=NO_ARTICLES)
    _, place, sizes = np.unique(articles[own], return_inverse=True, return_counts=True)
    by_difference, by_win = (
        [Fraction(int(total), int(n)) for total, n in zip(np.bincount(place, weights=each), sizes, strict=True)]
        for each in (differences, wins)
    )
    return _tested(whole.person, by_difference, by_win, epsilon)


def _tested(
    name: str, differences: Sequence[int | Fraction], wins: Sequence[int | Fraction], epsilon: float
) -> PersonTest:
    """One-sided t-test that the mean difference is below epsilon; the variance is exact."""
    n = len(differences)
    added, squared = sum(differences), sum(d * d for d in differences)
    mean, advantage = float(Fraction(added) / n), float(Fraction(sum(wins)) / n)
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
