"""Audits of a judge: which articles people audited whole, which of these count, and the scores to compare.

People's scores are those of whole articles, every system's translation reviewed by the same person. Which articles
count is a matter of how they were chosen: drawn by a plan before they said anything about them, or all there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from judges.ranking.audit_estimate import AuditedScores, Target, audited
from judges.stats.arrays import matrix
from judges.stats.figure import LeftOut, counted_reasons
from storage.analysis.audit.plans import AuditPlan
from storage.analysis.judge_scores import JudgedRows
from storage.record.few_shot_sets import folds_of

if TYPE_CHECKING:
    from judges.stats.arrays import Floats


@dataclass(frozen=True, slots=True)
class Lacking:
    """An article that cannot count, by its key; what is lacking, by system where it is one system's."""

    article: str
    direction: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditedArticle:
    """An article that somebody audited whole: people's scores in the order of the systems.

    ``drawn``: by a plan, before any of them said anything about it. ``blind``: they marked errors of their own before
    they saw what the judge had found. Both are None of a table of scores, which tells neither.
    """

    id: str
    scores: tuple[float, ...]
    auditors: tuple[str, ...]
    drawn: bool | None
    blind: bool | None


@dataclass(frozen=True)
class Audit:
    """The audits of what one judge judged, always asked in the same way.

    Articles are in the order of their keys. ``keys``, ``directions``: of every article, by id. ``judge``: its scores of
    the articles that every system has a score of, in the order of ``systems``, which are sorted. ``audits``: those
    audited, by id. ``incomplete``: begun, or drawn and not begun. ``left_out``: articles without a score of every
    system. ``outside``: ids of articles that some draw from their direction could not choose. ``shown``: of those that
    the judge was shown examples of, and not cross-fitted. ``plans``: the audit plans of this judge, in the order they
    were made; ``others``: those of other judges. ``elsewhere``: ids of articles that these drew, or that count as
    audited for another judge. ``tables``: all of it is from tables of scores, which do not say how audited articles
    were chosen. ``by_doubt``: ids of articles of which an evaluation was chosen for review because it was doubtful.
    ``divided``: other directions have other systems, and audits of their own. ``unscored``: systems that people rated
    and the judge did not, with the directions in which they did.
    """

    of: JudgedRows
    systems: tuple[str, ...]
    keys: Mapping[str, str]
    directions: Mapping[str, str]
    judge: Mapping[str, tuple[float, ...]]
    audits: Mapping[str, AuditedArticle]
    incomplete: tuple[Lacking, ...]
    left_out: tuple[Lacking, ...]
    outside: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()
    plans: tuple[AuditPlan, ...] = ()
    others: tuple[AuditPlan, ...] = ()
    elsewhere: frozenset[str] = frozenset()
    tables: bool = False
    by_doubt: frozenset[str] = frozenset()
    divided: bool = False
    unscored: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def complete(self) -> bool:
        """True if every article is audited, so that none was chosen.

        An article that could not be drawn, for the judge was shown examples of it, stays outside even so.
        """
        return bool(self.judge) and self.audits.keys() >= self.judge.keys() and not self.shown & self.outside

    @cached_property
    def population(self) -> tuple[str, ...]:
        """The articles that the scores are of: all, or where a plan chose, those that every plan of their direction
        could draw.
        """
        return tuple(each for each in self.judge if self.complete or each not in self.outside)

    @property
    def unreachable(self) -> tuple[str, ...]:
        """The articles with scores that these are not of."""
        population = set(self.population)
        return tuple(each for each in self.judge if each not in population)

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The audited articles that count: those drawn, or not known not to be; all, where no article that scores are
        of is left.
        """
        audited = tuple(each for each in self.population if each in self.audits)
        return (
            audited
            if audited == self.population
            else tuple(each for each in audited if self.audits[each].drawn is not False)
        )

    @cached_property
    def by_hand(self) -> tuple[str, ...]:
        """The audited articles of the population that somebody chose, so that they do not count."""
        counted = set(self.counted)
        return tuple(each for each in self.population if each in self.audits and each not in counted)

    @property
    def folds(self) -> int:
        """Into how many folds the articles were dealt, where the judge was shown examples; 0 where they were not."""
        return max(map(folds_of, self.of.signatures), default=0)

    @cached_property
    def overlap(self) -> tuple[str, ...]:
        """The articles that count as audited and that the judge was shown examples of: what it says of them was told.

        Where there are any, nothing may be inferred from the audits. Where nothing counts for this judge, and no plan
        is on its way, it is held to the articles that are audited for others.
        """
        return tuple(each for each in self._held_to if each in self.shown)

    @property
    def _held_to(self) -> Collection[str]:
        return self.counted or (() if self.plans else [each for each in self.judge if each in self.elsewhere])

    @property
    def refusal(self) -> str:
        """Return why nothing may be inferred from the audits, and the way out; "" where it may."""
        if not self.overlap:
            return ""
        keys = [self.keys[each] for each in self.overlap]
        some = ", ".join(keys[:_NAMED]) + (" …" if len(keys) > _NAMED else "")
        drew = [plan.id for plan in self.plans or self.others if plan.frame.articles & set(self.overlap)]
        without = " ".join(f"--without-plan {plan}" for plan in drew) or f"--without {keys[0]} …"
        others = "" if self.counted else ", or audit other articles (discox plan --audit N draws none of these)"
        return (
            f"{self.of.judge} was shown people's verdicts on {len(keys):,} of the {len(self._held_to):,} audited "
            f"articles ({some}): it was told some of the answers, so how well it agrees there says nothing of how well "
            "it agrees elsewhere. Judge with --cross-fit K, or with a pack that has nothing of these articles "
            f"(discox pack export FILE {without}){others}."
        )

    @cached_property
    def drawn(self) -> tuple[str, ...]:
        """Return all articles that plans drew, audited or not."""
        return tuple(each for each in self.population if any(each in plan.frame.articles for plan in self.plans))

    @property
    def cuts(self) -> tuple[str, ...]:
        """The directions, where there are several, after all together (“”), where that is a sample of all; none where
        nothing may be inferred.
        """
        if self.overlap:
            return ()
        if len(self._there) < 2:
            return self._there if self.divided and self._there else ("",)
        return self._there if self.apart else ("", *self._there)

    @cached_property
    def apart(self) -> bool:
        """Return True if a plan left a direction out: their shares differ then, so each stands for itself."""
        return self.counted != self.population and any(
            {self.directions[each] for each in plan.frame.of & self.directions.keys()} < set(self._there)
            for plan in self.plans
        )

    @cached_property
    def _there(self) -> tuple[str, ...]:
        return tuple(sorted({self.directions[each] for each in self.population}))

    def of_cut(self, direction: str) -> Cut:
        """The scores of one direction; of all together where it is “”."""
        counted = set(self.counted)
        articles = [each for each in self.population if direction in ("", self.directions[each])]
        audits = [(row, self.audits[each]) for row, each in enumerate(articles) if each in counted]
        return Cut(
            direction=direction,
            articles=tuple(articles),
            judge=tuple(self.judge[each] for each in articles),
            rows=tuple(row for row, _ in audits),
            human=tuple(each.scores for _, each in audits),
            saw=None if self.tables else sum(not each.blind for _, each in audits),
            left_out=self._left_out(direction),
        )

    def _left_out(self, direction: str) -> LeftOut:
        """Return what the scores of a direction, or of all together where it is “”, leave out."""

        def lacking(articles: Collection[Lacking]) -> int:
            return sum(direction in ("", each.direction) for each in articles)

        def ids(articles: Collection[str]) -> int:
            return sum(direction in ("", self.directions[each]) for each in articles)

        counts = {
            NOT_SCORED: lacking(self.left_out),
            NOT_DRAWABLE: ids(self.unreachable),
            NOT_DRAWN: ids(self.by_hand),
            NOT_WHOLE: lacking(self.incomplete),
            UNSCORED: sum(direction in ("", *of) for of in self.unscored.values()),
        }
        return counted_reasons(counts)


_NAMED = 5
NOT_SCORED = "articles without a score of every system"
NOT_DRAWABLE = "articles that could not be drawn when an audit was planned"
NOT_DRAWN = "audited articles that no plan drew before the auditor began"
NOT_WHOLE = "articles of which the audit is not complete"
UNSCORED = "systems that people rated and the judge did not"
"""Reasons for which articles and systems are in no score."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Scores of some articles: the judge's of all, people's of those that ``rows`` names by their index.

    ``saw``: in how many of them the auditor saw the judge's findings, None where nobody knows. ``left_out``: of the
    same direction, what the scores do not cover.
    """

    direction: str
    articles: tuple[str, ...]
    judge: tuple[tuple[float, ...], ...]
    rows: tuple[int, ...]
    human: tuple[tuple[float, ...], ...]
    saw: int | None
    left_out: LeftOut = ()

    @property
    def matrix(self) -> Floats:
        """The judge's scores, articles × systems."""
        return matrix(self.judge)

    def estimate(self, target: Target, alpha: float) -> AuditedScores | None:
        """Return the audited scores; None where nothing counts as audited."""
        return audited(self.matrix, matrix(self.human), self.rows, target, alpha) if self.rows else None


def with_same_systems(systems: Mapping[str, Collection[str]]) -> list[frozenset[str]]:
    """Return the directions, those together of which the systems (direction → systems) are the same, in their order."""
    together: defaultdict[frozenset[str], set[str]] = defaultdict(set)
    for direction, names in systems.items():
        together[frozenset(names)].add(direction)
    return sorted(map(frozenset, together.values()), key=sorted)
