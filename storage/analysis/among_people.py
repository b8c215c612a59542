"""People among themselves: each rater held against the others, and every two of them, with the metrics beside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from judges.meta_eval.pair_counts import RULES, Rule
from judges.meta_eval.pairwise import Level, PairwiseReport, pairwise
from judges.meta_eval.score_table import ScoreRow
from judges.stats.figure import Figure, Spread, spread
from storage.analysis.metric_scores import ScoreTable

NOBODY = "no ratings by people"
ONE_PERSON = "ratings by one person only"
NOTHING_SHARED = "no two people have rated the same translation"

Translation = tuple[str, str, str]
"""Direction, article and system."""
MeanOf = tuple[str, Level | None, str]
"""Key of a mean over pairs of raters: metric (empty: a rater), level and direction (None and empty: mean of cells)."""


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """One rater, as if a metric, and the metrics against other raters: what a metric can reach at best.

    All over the translations that the rater and one of the others rated, without SPA. ``name`` is what the ratings are
    called in the ``report``.
    """

    rater: str
    name: str
    others: tuple[str, ...]
    report: PairwiseReport


@dataclass(frozen=True, slots=True)
class AmongPeople:
    """Raters among themselves, as far as they rated the same translations.

    ``raters``: each against the mean of all others. ``pairs``: each against each other one, both directions; of two
    raters these are the same. ``apart``: every two who rated no translation both. ``over_pairs``: the mean of a figure
    over ``pairs``, and its range. ``why``: the reason why there are no figures; else empty.
    """

    raters: tuple[AgainstOthers, ...] = ()
    pairs: tuple[AgainstOthers, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    over_pairs: Mapping[MeanOf, Mapping[Rule, Spread]] = field(default_factory=dict)
    why: str = NOBODY


def among_people(table: ScoreTable, resamples: int, seed: int) -> AmongPeople:
    """Hold the raters of a table against one another, however many they are."""
    people = table.raters
    if len(people) < 2:
        return AmongPeople(why=ONE_PERSON if people else NOBODY)
    human: dict[str, list[ScoreRow]] = {rater: [] for rater in people}
    beside: defaultdict[Translation, list[ScoreRow]] = defaultdict(list)
    for row in table.rows:
        if row.human:
            human[row.metric].append(row)
        else:
            beside[_translation(row)].append(row)

    def against(rater: str, others: Sequence[str]) -> AgainstOthers | None:
        return _against(
            rater, human[rater], [row for other in others for row in human[other]], beside, (resamples, seed)
        )

    every = ((rater, other, against(rater, [other])) for rater, other in permutations(people, 2))
    pairs, apart = list[AgainstOthers](), list[tuple[str, str]]()
    for rater, other, found in every:
        if found:
            pairs.append(found)
        elif rater < other:
            apart.append((rater, other))
    raters = pairs
    if len(people) > 2:
        to_all = (against(rater, [other for other in people if other != rater]) for rater in people)
        raters = [found for found in to_all if found]
    return AmongPeople(tuple(raters), tuple(pairs), tuple(apart), _over_pairs(pairs), "" if pairs else NOTHING_SHARED)


def _against(
    rater: str,
    own: Sequence[ScoreRow],
    others: Sequence[ScoreRow],
    beside: Mapping[Translation, Sequence[ScoreRow]],
    draws: tuple[int, int],
) -> AgainstOthers | None:
    """Return one rater against others over what both rated; None where that is nothing."""
    shared = {_translation(row) for row in own} & {_translation(row) for row in others}
    if not shared:
        return None
    gold = [row for row in others if _translation(row) in shared]
    names = {row.metric for row in gold}
    name = f"{rater} ~ {names.pop() if len(names) == 1 else 'others'}"
    as_metric = [replace(row, metric=name, human=False) for row in own if _translation(row) in shared]
    metrics = [row for translation in shared for row in beside.get(translation, ())]
    report = pairwise([*gold, *as_metric, *metrics], *draws, soft=False)
    return AgainstOthers(rater, name, report.raters, report)


def _over_pairs(pairs: Iterable[AgainstOthers]) -> dict[MeanOf, dict[Rule, Spread]]:
    """Return the mean over pairs of raters of every figure, and its range."""
    figures: defaultdict[MeanOf, list[Mapping[Rule, Figure]]] = defaultdict(list)
    for pair in pairs:
        for (metric, level, direction), cell in pair.report.cells.items():
            figures["" if metric == pair.name else metric, level, direction].append(cell.figures)
        for metric, means in pair.report.averages.items():
            figures["" if metric == pair.name else metric, None, ""].append(means)
    return {of: {rule: spread([each[rule] for each in several]) for rule in RULES} for of, several in figures.items()}


def _translation(row: ScoreRow) -> Translation:
    return row.direction, row.article, row.system
