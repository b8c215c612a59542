"""Leaderboard of the systems by every cut of the articles: means, what was left out, and leads on the next.

A mean is over the articles that the judge judged of that system; where these differ between systems, means are not
comparable, so who is ahead is decided over the articles that both neighbours have.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal, get_args

from judges.consistency.documents import PARTS, Part
from judges.metric_s.published import KINDS, Field, Kind, field_of, kind_of
from judges.model import EvaluationState
from judges.stats.numerics import FINE, NOISE, comparable, fine, total_by
from judges.stats.resampling import RESAMPLES, SEED, Estimate, Permuted, bootstrap, holm, mean_of, sign_flips

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from judges.stats.arrays import Floats

Cut = Literal["total", "dimension", "direction", "domain", "subdomain", "academic", "kind"]
CUTS: tuple[Cut, ...] = get_args(Cut)
"""The cuts of the figures: all articles by total or by each dimension, the total of each kind of article (``academic``:
of the two halves of the domains), or the systems of each kind among themselves."""

USUAL: tuple[Cut, ...] = ("total", "dimension", "direction", "domain", "academic", "kind")
FEW = 10
"""Articles below which an interval is a rough guess."""
ALPHA = 0.05

Verdict = Literal["ahead", "behind", "not_shown", "undefined"]
"""A system against the next below: ``ahead`` where, over the articles both have, the interval of the mean
difference lies above 0 and the Holm-adjusted p is at most 0.05; ``behind``: the same below 0 (the ranking, over each
system's own articles, has them the other way round); ``undefined``: too few articles in common for an interval, or
their differences never vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A system against the next below, over the articles both have. ``difference``: it minus the other, in points.

    ``p`` is of the sign-flip test; ``p_holm`` is adjusted for all neighbours of one ranking.
    """

    other: str
    difference: Estimate
    p: float | None
    p_holm: float | None
    exact: bool
    verdict: Verdict


LEFT_OUT: Mapping[EvaluationState, str] = {
    "judge_failed": "evaluations in which a judge failed",
    "no_translation": "evaluations without a translation by the system",
    "not_judged": "evaluations of which the judge read nothing",
}
"""Reasons for which evaluations are in no mean, by what became of them."""
ALONE = "articles that only one of the two has"
"""Reason for which articles are in no difference."""


@dataclass(frozen=True, slots=True)
class Human:
    """Reviewers' mean over the articles they are done with, and the judge's over the same ones.

    The reviewers' says what it leaves out of the evaluations that somebody began to review.
    """

    human: Estimate
    judge: Estimate


@dataclass(frozen=True, slots=True)
class Counts:
    """Evaluations by what became of them. The first two are in the mean (``instruction_failed`` as a judged 0).

    ``not_judged``: of which the judge read nothing.
    """

    scored: int
    instruction_failed: int
    judge_failed: int
    no_translation: int
    not_judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRank:
    """One system in one ranking. ``rank``: 1 is best, equal means share one; None where nothing was judged.

    ``parts``: the total and its dimensions over the same articles; as ``mean``, each says what it leaves out.
    ``human`` None: nothing was reviewed. ``lead`` None: it is the last one.
    """

    system: str
    rank: int | None
    mean: Estimate
    parts: dict[Part, Estimate]
    counts: Counts
    human: Human | None
    lead: Lead | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Systems by one part of the score over one kind of article, best first.

    ``label``: the direction, the domain, the dimension or the kind of system; empty for the total. ``articles``: judged
    of any system; ``common``: judged of all systems that have any, so that ``same_articles`` says whether their means
    compare.
    """

    cut: Cut
    label: str
    part: Part
    articles: int
    common: int
    standings: tuple[SystemRank, ...]

    @property
    def same_articles(self) -> bool:
        """Return whether all systems were judged on the same articles."""
        return self.articles == self.common

    @property
    def few(self) -> tuple[str, ...]:
        """The systems whose interval rests on too little to be relied on."""
        return tuple(s.system for s in self.standings if 0 < s.mean.n < FEW)


def rankings(
    rows: Sequence[JudgedTranslation],
    cuts: Collection[Cut] = USUAL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    kinds: Mapping[str, Kind] | None = None,
) -> tuple[Ranking, ...]:
    """Rank the systems by each of the cuts, in the order of ``CUTS``; the order of the rows does not matter.

    The rows are of one judge, one for each (article, system, sample). Samples are averaged within article and system
    first: n counts articles. A dimension that the judge did not judge has no ranking. Every ranking is drawn with the
    same seed, whichever others are asked for. ``kinds``: of systems, where they are not as published; a system of no
    known kind is in no table of a kind, nor an article of no known half of the domains in one of these.
    """
    sheet = _Sheet(rows)
    found: dict[Cut, list[Ranking]] = {cut: [] for cut in CUTS}
    wanted = [(cut, part, "" if cut == "total" else part) for cut, part in _parts(cuts) if sheet.judges(part)]
    for ranking in _rank(sheet, range(len(sheet.articles)), wanted, resamples, seed):
        found[ranking.cut].append(ranking)
    for cut in _OF_ARTICLES:
        if cut in cuts:
            for label, columns in sheet.kinds(cut):
                found[cut] += _rank(sheet, columns, [(cut, "total", label)], resamples, seed)
    of_kind = {system: kind_of(system, kinds) for system in sheet.systems}
    for kind in KINDS if "kind" in cuts else ():
        if alone := [row for row in rows if of_kind[row.system] == kind]:
            of = _Sheet(alone)
            found["kind"] += _rank(of, range(len(of.articles)), [("kind", "total", kind)], resamples, seed)
    return tuple(ranking for cut in CUTS for ranking in found[cut])


_OF_ARTICLES: tuple[Cut, ...] = ("direction", "domain", "subdomain", "academic")
"""The cuts that are kinds of article."""


def _parts(cuts: Collection[Cut]) -> Iterator[tuple[Cut, Part]]:
    if "total" in cuts:
        yield "total", "total"
    if "dimension" in cuts:
        yield from (("dimension", part) for part in PARTS[1:])


class _Sheet:
    """The rows as arrays over part × system × article: the mean over samples, NaN where there is none."""

    def __init__(self, rows: Sequence[JudgedTranslation]) -> None:
        import numpy as np

        self.of_article = {row.article: row for row in rows}
        self.articles = sorted(self.of_article)
        self.systems = sorted({row.system for row in rows})
        shape = len(self.systems), len(self.articles)
        row_of = {system: i for i, system in enumerate(self.systems)}
        column_of = {article: i for i, article in enumerate(self.articles)}
        cell = np.array([row_of[row.system] * shape[1] + column_of[row.article] for row in rows], dtype=np.int64)

        def means(scores: list[tuple[float | None, ...]]) -> Floats:
            values = fine(np.array(scores, dtype=float)).reshape(-1, len(PARTS))
            layers = []
            for layer in values.T:
                known = np.isfinite(layer)
                n = np.bincount(cell[known], minlength=math.prod(shape))
                sums = total_by(cell[known], layer[known], math.prod(shape))
                layers.append(np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0).reshape(shape) / FINE)
            return fine(np.array(layers)) / FINE

        def tally(words: Sequence[str]) -> _Tally:
            said = np.array(words)
            return {
                word: np.bincount(cell[said == word], minlength=math.prod(shape)).reshape(shape)
                for word in sorted(set(words) - {""})
            }

        nothing = (None,) * len(PARTS)
        self.judge = means([row.points or nothing for row in rows])
        self.human = means([row.human or nothing for row in rows])
        self.reviewed = means([row.points if row.human and row.points else nothing for row in rows])
        self._states: _Tally = tally([row.state for row in rows])
        self._unreviewed: _Tally = tally([row.unreviewed for row in rows])

    def judges(self, part: Part) -> bool:
        """Return whether there is anything to rank by; a total always is, though all judges may have failed."""
        return part == "total" or not all(math.isnan(value) for value in self.judge[PARTS.index(part)].flat)

    def kinds(self, cut: Cut) -> Iterator[tuple[str, list[int]]]:
        """The labels of a cut, those with most articles first, each with its columns."""
        columns: dict[str, list[int]] = {}
        for i, article in enumerate(self.articles):
            label = getattr(self.of_article[article], cut)
            if label is not None:
                columns.setdefault(label, []).append(i)
        return iter(sorted(columns.items(), key=lambda kind: (-len(kind[1]), kind[0])))

    def counts(self, system: int, columns: Sequence[int]) -> Counts:
        """Return the numbers of one system's evaluations by what became of them."""
        n = Counter({state: int(table[system, columns].sum()) for state, table in self._states.items()})
        return Counts(
            scored=n["scored"] + n["score_only"],
            instruction_failed=n["instruction_failed"],
            judge_failed=n["judge_failed"],
            no_translation=n["no_translation"],
            not_judged=n["not_judged"],
        )

    def unreviewed(self, system: int, columns: Sequence[int]) -> dict[str, int]:
        """Return why evaluations of one system that somebody began to review have no human score, with how many."""
        return {why: int(table[system, columns].sum()) for why, table in self._unreviewed.items()}


_Tally = dict[str, "NDArray[np.int64]"]
"""Word → evaluations of which it is said, system × article."""


def _rank(
    sheet: _Sheet, columns: Sequence[int], wanted: Sequence[tuple[Cut, Part, str]], resamples: int, seed: int
) -> list[Ranking]:
    """The rankings over these articles: one draw serves all parts, systems, reviews and neighbours."""
    import numpy as np

    if not wanted or not sheet.systems:
        return []
    judged = [i for i in columns if np.isfinite(sheet.judge[0, :, i]).any()]
    judge, human, reviewed = (layer[:, :, judged] for layer in (sheet.judge, sheet.human, sheet.reviewed))
    present = np.isfinite(judge[0])
    size, means, orders = len(sheet.systems), dict[Part, list[float]](), {}
    gaps: list[Floats] = []
    alone: list[int] = []
    for _, part, _ in wanted:
        values = judge[PARTS.index(part)]
        means[part] = _compared(values)
        orders[part] = order = sorted(range(size), key=lambda s: (-means[part][s], sheet.systems[s]))
        gaps.append(values[order[:-1]] - values[order[1:]])
        alone += (present[order[:-1]] != present[order[1:]]).sum(axis=1).tolist()
    estimates = iter(bootstrap(np.concatenate([*judge, *human, *reviewed]), resamples, seed))
    between = np.concatenate(gaps)
    drawn = bootstrap(between, resamples, seed, paired=True)
    differences = iter([each.without({ALONE: n}) for each, n in zip(drawn, alone, strict=True)])
    tests = iter(sign_flips(between, resamples, seed))
    by_part = [{part: list(islice(estimates, size)) for part in PARTS} for _ in range(3)]
    counts = [sheet.counts(system, columns) for system in range(size)]
    left_out = [{why: getattr(each, state) for state, why in LEFT_OUT.items()} for each in counts]
    unreviewed = [sheet.unreviewed(system, columns) for system in range(size)]
    common = int(present[present.any(axis=1)].all(axis=0).sum())
    found = []
    for cut, part, label in wanted:
        own = [each.without(left) for each, left in zip(by_part[0][part], left_out, strict=True)]
        humans = [each.without(left) for each, left in zip(by_part[1][part], unreviewed, strict=True)]
        order, compared = orders[part], means[part]
        leads = _leads([sheet.systems[s] for s in order[1:]], differences, tests)
        standings: list[SystemRank] = []
        for place, (s, lead) in enumerate(zip(order, [*leads, None], strict=True)):
            tied = place > 0 and compared[s] == compared[order[place - 1]]
            standings.append(
                SystemRank(
                    system=sheet.systems[s],
                    rank=None if own[s].value is None else standings[-1].rank if tied else place + 1,
                    mean=own[s],
                    parts={each: by_part[0][each][s].without(left_out[s]) for each in PARTS},
                    counts=counts[s],
                    human=Human(humans[s], by_part[2][part][s]) if humans[s].n or humans[s].left_out else None,
                    lead=lead,
                )
            )
        found.append(
            Ranking(cut=cut, label=label, part=part, articles=len(judged), common=common, standings=tuple(standings))
        )
    return found


def _compared(values: Floats) -> list[float]:
    """Keys that order the means of rows; float noise neither makes nor breaks a tie."""
    import numpy as np

    means, n = mean_of(values)
    compared: list[float] = np.where(n > 0, comparable(means), -np.inf).tolist()
    return compared


def _leads(others: Sequence[str], differences: Iterator[Estimate], tests: Iterator[Permuted]) -> list[Lead]:
    """The lead of each system but the last on the next, ``others``; takes as many differences and tests."""
    found = list(zip(others, differences, tests, strict=False))
    adjusted = holm([test.p for _, _, test in found])
    return [
        Lead(other=other, difference=difference, p=test.p, p_holm=p, exact=test.exact, verdict=_verdict(difference, p))
        for (other, difference, test), p in zip(found, adjusted, strict=True)
    ]


def _verdict(difference: Estimate, p: float | None) -> Verdict:
    if difference.low is None or difference.high is None or p is None:
        return "undefined"
    if p <= ALPHA + NOISE and difference.low > NOISE:
        return "ahead"
    if p <= ALPHA + NOISE and difference.high < -NOISE:
        return "behind"
    return "not_shown"


Points = tuple[float | None, float | None, float | None, float | None]
"""Total, accuracy, fluency, appropriateness; None for a dimension that was not judged."""


@dataclass(frozen=True, slots=True)
class JudgedTranslation:
    """One evaluation that counts: of one judge, of one sample of its answers.

    ``points``: the judge's; None where it failed or there was no translation, all 0 where the instruction check
    failed. ``human``: the mean over the reviewers who are done with it; None where nobody is, or what they say does not
    count: ``unreviewed`` says why, of what somebody began. ``evaluation``: its id. One of which the judge read nothing
    is ``not_judged``.
    """

    article: str
    system: str
    direction: str
    domain: str
    subdomain: str
    state: EvaluationState
    points: Points | None
    human: Points | None = None
    sample: int = 1
    evaluation: str = ""
    unreviewed: str = ""

    @property
    def academic(self) -> Field | None:
        """The half of the domains that its article is in, None where that is not known."""
        return field_of(self.domain) or field_of(self.subdomain)
