"""People among themselves: each rater held against the others, and every two of them, with the metrics beside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations

from judges.meta_eval.human_score import Rating, on_the_same
from judges.meta_eval.pair_counts import RULES, Rule
from judges.meta_eval.pairwise import Level, PairwiseReport, averaged_directions, pairwise
from judges.meta_eval.score_table import Cell, ScoreRow, cell_of, ratings_of
from judges.stats.figure import Figure, Spread, spread
from judges.stats.numerics import FINE
from storage.analysis.metric_scores import ScoreTable

NOBODY = "no ratings by people"
ONE_PERSON = "ratings by one person only"
NOTHING_SHARED = "no two people have rated the same segment"

MeanOf = tuple[str, Level | None, str]
"""Key of a mean over pairs of raters: metric (empty: a rater), level and direction (None and empty: mean of cells)."""


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """One rater, as if a metric, and the metrics against other raters: what a metric can reach at best.

    All over the translations in which the rater and one of the ``others`` rated a segment; the rater's score and the
    others' are of such segments alone. Without SPA. ``name`` is what the ratings are called in the ``report``, which
    has no cells but a reason in its averages where there are no such segments.
    """

    rater: str
    name: str
    others: tuple[str, ...]
    report: PairwiseReport

    @property
    def why(self) -> str:
        """Reason for which the rater is compared with nobody; empty where they are with somebody."""
        return "" if self.report.cells else self.report.averages[self.name]["acc_eq"].why


@dataclass(frozen=True, slots=True)
class AmongPeople:
    """Raters among themselves, as far as they rated the same segments.

    ``raters``: each against the mean of all others who rated a segment of theirs, or the reason why that is nobody.
    ``pairs``: each against each other one, both directions; of two raters these are the same. ``apart``: every two who
    rated no segment both. ``over_pairs``: the mean of a figure over ``pairs``, and its range. ``why``: the reason why
    there are no figures at all; else empty.
    """

    raters: tuple[AgainstOthers, ...] = ()
    pairs: tuple[AgainstOthers, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    over_pairs: Mapping[MeanOf, Mapping[Rule, Spread]] = field(default_factory=dict)
    why: str = NOBODY

    @property
    def of_several(self) -> bool:
        """Return whether somebody is compared with several others, so that the pairs say more than ``raters`` do."""
        return any(len(each.others) > 1 for each in self.raters)


def among_people(table: ScoreTable, resamples: int, seed: int) -> AmongPeople:
    """Hold the raters of a table against one another, however many they are."""
    people = table.raters
    if len(people) < 2:
        return AmongPeople(why=ONE_PERSON if people else table.unchosen or NOBODY)
    human: dict[str, list[ScoreRow]] = {rater: [] for rater in people}
    beside: dict[Cell, list[ScoreRow]] = {}
    for row in table.rows:
        if row.human:
            human[row.metric].append(row)
        else:
            beside.setdefault(cell_of(row), []).append(row)
    rated = {rater: ratings_of(of, FINE) for rater, of in human.items()}
    of_two = {pair: _on_the_same(rated[pair[0]], [rated[pair[1]]]) for pair in combinations(people, 2)}

    def against(rater: str, others: Sequence[str]) -> AgainstOthers | None:
        if len(others) != 1:
            scores = _on_the_same(rated[rater], [rated[other] for other in others])
        elif (pair := (rater, others[0])) in of_two:
            scores = of_two[pair]
        else:
            scores = [(cell, theirs, own) for cell, own, theirs in of_two[pair[::-1]]]
        return _against(rater, others, scores, beside, (resamples, seed))

    pairs: dict[tuple[str, str], AgainstOthers] = {}
    for rater, other in permutations(people, 2):
        if found := against(rater, [other]):
            pairs[rater, other] = found
    raters: list[AgainstOthers] = []
    for rater in people:
        others = [other for other in people if (rater, other) in pairs]
        found = pairs[rater, others[0]] if len(others) == 1 else against(rater, others)
        raters.append(found or _alone(rater, human[rater], (resamples, seed)))
    every = tuple(pairs.values())
    apart = tuple(pair for pair in combinations(people, 2) if pair not in pairs)
    return AmongPeople(tuple(raters), every, apart, _over_pairs(every), "" if every else NOTHING_SHARED)


_Scores = list[tuple[Cell, float, float]]
"""Scores of translations by the one side and the other, each of the segments that both rated."""


def _on_the_same(own: Mapping[Cell, Sequence[Rating]], others: Sequence[Mapping[Cell, Sequence[Rating]]]) -> _Scores:
    """Return the translations of which both sides rated a segment, in their order."""
    found: _Scores = []
    for cell in sorted(own):
        theirs = [rating for other in others for rating in other.get(cell, ())]
        if theirs and (scores := on_the_same(own[cell], theirs)):
            found.append((cell, scores[0] / FINE, scores[1] / FINE))
    return found


def _against(
    rater: str,
    others: Sequence[str],
    scores: _Scores,
    beside: Mapping[Cell, Sequence[ScoreRow]],
    draws: tuple[int, int],
) -> AgainstOthers | None:
    """Return one rater against others on the segments that both rated; None where that is nothing."""
    name, whose = f"{rater} ~ {others[0] if len(others) == 1 else 'others'}", ", ".join(others)
    rows: list[ScoreRow] = []
    for cell, score, by_others in scores:
        direction, article, system = cell
        rows.append(ScoreRow(name, system, article, direction, score, human=False))
        rows.append(ScoreRow(whose, system, article, direction, by_others, human=True))
        rows += beside.get(cell, ())
    return AgainstOthers(rater, name, tuple(others), pairwise(rows, *draws, soft=False)) if rows else None


def _alone(rater: str, own: Sequence[ScoreRow], draws: tuple[int, int]) -> AgainstOthers:
    """Return a rater who is compared with nobody, with the reason."""
    name = f"{rater} ~ others"
    nothing = dict.fromkeys(RULES, Figure(None, 0, f"{rater} rated no segment that another rated"))
    report = pairwise([], *draws, soft=False, averaged=averaged_directions(row.direction for row in own))
    return AgainstOthers(rater, name, (), replace(report, averages={name: nothing}))


def _over_pairs(pairs: Iterable[AgainstOthers]) -> dict[MeanOf, dict[Rule, Spread]]:
    """Return the mean over pairs of raters of every figure, and its range."""
    figures: defaultdict[MeanOf, list[Mapping[Rule, Figure]]] = defaultdict(list)
    for pair in pairs:
        for (metric, level, direction), cell in pair.report.cells.items():
            figures["" if metric == pair.name else metric, level, direction].append(cell.figures)
        for metric, means in pair.report.averages.items():
            figures["" if metric == pair.name else metric, None, ""].append(means)
    return {of: {rule: spread([each[rule] for each in several]) for rule in RULES} for of, several in figures.items()}
