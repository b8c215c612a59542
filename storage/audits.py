"""What an audited leaderboard is computed from, read out of the library: which articles people audited, and how chosen.

People's scores are those of whole articles, every system's translation reviewed by the same person. Which articles
count is a matter of how they were chosen: drawn by a plan before she said anything about them, or all there are.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING

from judges.arrays import matrix
from judges.audited.estimate import AuditedScores, Target, audited
from judges.leaderboard.records import JudgedTranslation
from storage.audit_plans import AuditPlan, read_audit_plans
from storage.layers import is_adjudicated, is_again, split_layer
from storage.leaderboard import JudgedRows, Reader, read_judged
from storage.packs import articles_shown, folds_of
from storage.plans import BY_DOUBT
from storage.reviewed import COMPLETE

if TYPE_CHECKING:
    from judges.arrays import Floats

NO_EVALUATION = "no evaluation"
Cells = dict[str, list[JudgedTranslation]]
"""What is known of one article: system → its evaluations, one a sample."""
SCORED = ("scored", "instruction_failed")
"""The states of evaluations that have the judge's score; what is no translation at all has 0."""
_STATES = {
    "score_only": "score only",
    "judge_failed": "judge failed",
    "no_translation": "no translation",
}


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
    they saw what the judge had found.
    """

    id: str
    scores: tuple[float, ...]
    auditors: tuple[str, ...]
    drawn: bool
    blind: bool


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
    ``divided``: other directions have other systems, and audits of their own.
    """

    of: JudgedRows
    systems: tuple[str, ...]
    keys: Mapping[str, str]
    directions: Mapping[str, str]
    judge: Mapping[str, tuple[float, ...]]
    audits: Mapping[str, AuditedArticle]
    incomplete: tuple[Lacking, ...]
    left_out: tuple[Lacking, ...]
    outside: frozenset[str]
    shown: frozenset[str]
    plans: tuple[AuditPlan, ...]
    others: tuple[AuditPlan, ...] = ()
    elsewhere: frozenset[str] = frozenset()
    tables: bool = False
    by_doubt: frozenset[str] = frozenset()
    divided: bool = False

    @cached_property
    def complete(self) -> bool:
        """Whether every article is audited, so that none was chosen.

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
        """The audited articles that count: those drawn; all, where no article that scores are of is left."""
        audited = tuple(each for each in self.population if each in self.audits)
        return audited if audited == self.population else tuple(each for each in audited if self.audits[each].drawn)

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
        """Why nothing may be inferred from the audits, and the way out; "" where it may."""
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
        """All articles that plans drew, audited or not."""
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
        """Whether a plan left some direction out: their shares of what is drawn differ, so each is for itself."""
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
            direction,
            tuple(articles),
            tuple(self.judge[each] for each in articles),
            tuple(row for row, _ in audits),
            tuple(each.scores for _, each in audits),
            sum(not each.blind for _, each in audits),
        )


_NAMED = 5


@dataclass(frozen=True, slots=True)
class Cut:
    """Scores of some articles: the judge's of all, people's of those that ``rows`` names by their index.

    ``saw``: in how many of them the auditor saw the judge's findings.
    """

    direction: str
    articles: tuple[str, ...]
    judge: tuple[tuple[float, ...], ...]
    rows: tuple[int, ...]
    human: tuple[tuple[float, ...], ...]
    saw: int

    @property
    def matrix(self) -> Floats:
        """The judge's scores, articles × systems."""
        return matrix(self.judge)

    def estimate(self, target: Target, alpha: float) -> AuditedScores | None:
        """Return the audited scores; None where nothing counts as audited."""
        return audited(self.matrix, matrix(self.human), self.rows, target, alpha) if self.rows else None


def read_audits(
    connection: sqlite3.Connection, words: str = "", reviewer: str | None = None, read: Reader | None = None
) -> list[Audit]:
    """Read the audits of each judge and signature of which anything has a score, the most articles first; directions
    with the same systems together.

    ``words``: only evaluations in whose article, system, direction, domain, judge or state every word occurs; so other
    systems need not be audited. ``reviewer``: only what this layer says; else of each evaluation what an adjudication
    came to, and the rest of an article by one reviewer, the mean where several audited it whole. ``read``: what reads
    the judges' scores, where not `read_judged`; an audit that one judge's scores drew is one of votes with its own too.
    """
    keys = dict(connection.execute("SELECT id, key FROM articles"))
    plans = read_audit_plans(connection)
    groups = (read or read_judged)(connection, words, None)
    if not groups:
        return []
    said = _Said(connection, reviewer)
    found = []
    for group in groups:
        parts, shown = _with_same_systems(group), _shown(connection, group)
        found += [replace(_audit(part, keys, plans, said, shown), divided=len(parts) > 1) for part in parts]
    audited = frozenset(article for each in found for article in each.counted)
    drawn = frozenset(article for plan in plans for article in plan.frame.articles)
    doubted = {row[0] for row in connection.execute(BY_DOUBT)}
    found = [
        replace(
            each,
            elsewhere=audited | drawn,
            by_doubt=frozenset(row.article for row in each.of.rows if row.evaluation in doubted),
        )
        for each in found
    ]
    return sorted((each for each in found if each.judge or each.left_out), key=lambda each: -len(each.judge))


def with_same_systems(systems: Mapping[str, Collection[str]]) -> list[frozenset[str]]:
    """Return the directions, those together of which the systems (direction → systems) are the same."""
    together: defaultdict[frozenset[str], set[str]] = defaultdict(set)
    for direction, names in systems.items():
        together[frozenset(names)].add(direction)
    return [frozenset(each) for each in together.values()]


def _with_same_systems(group: JudgedRows) -> list[JudgedRows]:
    """A judge's rows, divided where directions differ in their systems."""
    systems: defaultdict[str, set[str]] = defaultdict(set)
    for row in group.rows:
        systems[row.direction].add(row.system)
    return [
        replace(group, rows=tuple(row for row in group.rows if row.direction in directions))
        for directions in with_same_systems(systems)
    ]


def table_of(
    rows: Sequence[JudgedTranslation],
) -> tuple[tuple[str, ...], dict[str, dict[str, list[JudgedTranslation]]]]:
    """Return the systems, sorted, and article → system → its evaluations, one a sample."""
    cells: defaultdict[str, Cells] = defaultdict(dict)
    for row in rows:
        cells[row.article].setdefault(row.system, []).append(row)
    return tuple(sorted({row.system for row in rows})), cells


def score_of(evaluations: Sequence[JudgedTranslation]) -> float | None:
    """Return the judge's total of one translation, the mean over samples; None where it scored none."""
    totals = [row.points[0] for row in evaluations if row.state in SCORED and row.points and row.points[0] is not None]
    return fmean(totals) if totals else None


def unscored(systems: Sequence[str], cells: Mapping[str, Sequence[JudgedTranslation]]) -> tuple[str, ...]:
    """Return why an article cannot count: each system without a score, and what it has instead."""
    return tuple(
        f"{system}: {_STATES.get(cells[system][0].state, cells[system][0].state) if system in cells else NO_EVALUATION}"
        for system in systems
        if system not in cells or score_of(cells[system]) is None
    )


@dataclass(frozen=True, slots=True)
class _Review:
    """What one layer has said of one evaluation. ``lacks``: why that is no score yet; ``first``: when it began."""

    total: float | None
    blind: bool
    lacks: str
    first: str


class _Said:
    """All reviews that may count, by evaluation and layer.

    Where the same judge judged a translation again, what somebody came to by its earlier findings is her score of the
    translation until she has one by the later ones.
    """

    def __init__(self, connection: sqlite3.Connection, reviewer: str | None) -> None:
        self.of: defaultdict[str, dict[str, _Review]] = defaultdict(dict)
        began = self._began(connection)
        for (
            identity,
            layer,
            total,
            state,
            complete,
            search,
            blind,
            decided,
            errors,
            unsure,
            unmatched,
            translated,
        ) in connection.execute(_REVIEWS):
            if layer != reviewer if reviewer is not None else is_again(layer):
                continue
            lacking = (
                (state == "skipped", "skipped"),
                (blind == "started", "the judge's findings are still hidden"),
                (unmatched, "errors marked blind not matched"),
                (decided < errors, f"{errors - decided} of {errors} errors not decided"),
                (unsure, "unsure of some errors"),
                (state != "done", "in progress"),
                (translated is None, "instruction check not decided"),
                (translated and search != "done", "search for missed errors not done"),
                (not complete or total is None, "no score yet"),
            )
            why = next((why for lacks, why in lacking if lacks), "")
            self.of[identity][layer] = _Review(total, blind == "revealed", why, began[identity, split_layer(layer)[0]])
        for newer, earlier in connection.execute(_JUDGED_AGAIN):
            for layer, review in self.of.get(earlier, {}).items():
                if not review.lacks and (layer not in self.of[newer] or self.of[newer][layer].lacks):
                    self.of[newer][layer] = review
        self._mixes = reviewer is None

    @staticmethod
    def _began(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
        """When each person first did anything there is an event of, by evaluation."""
        began: defaultdict[tuple[str, str], str] = defaultdict(str)
        for identity, layer, at in connection.execute(_BEGAN):
            key = identity, split_layer(layer)[0]
            began[key] = min(began[key], at) if key in began else at
        return began

    def who(self, cells: Sequence[Sequence[str]]) -> list[str | None]:
        """Who said anything of an article, adjudications not counted; None alone where only these did, or nobody."""
        layers = {layer for cell in cells for each in cell for layer in self.of.get(each, ())}
        return [*sorted(layers - self._settling(layers))] or [None]

    def _settling(self, layers: Collection[str]) -> set[str]:
        """The adjudications among layers, which come before what reviewers say, unless one layer is asked for."""
        return {layer for layer in layers if self._mixes and is_adjudicated(layer)}

    def cell(self, evaluations: Sequence[str], person: str | None) -> dict[str, list[_Review]]:
        """The reviews that a translation's score is the mean of, by layer: adjudicated ones, else this person's."""
        there = {layer for each in evaluations for layer in self.of.get(each, ())}
        for layers in (sorted(self._settling(there)), [person] if person else []):
            found = {
                layer: scores
                for layer in layers
                if (scores := [r for each in evaluations if (r := self.of.get(each, {}).get(layer)) and not r.lacks])
            }
            if found:
                return found
        return {}

    def lacks(self, evaluations: Sequence[str], person: str | None) -> str:
        """What is lacking to a score of a translation by this person; nothing where there is one."""
        if self.cell(evaluations, person):
            return ""
        reviews = [r for each in evaluations if person and (r := self.of.get(each, {}).get(person))]
        return reviews[0].lacks if reviews else "not reviewed"


def _shown(connection: sqlite3.Connection, group: JudgedRows) -> frozenset[str]:
    return frozenset().union(*(articles_shown(connection, signature) for signature in group.signatures))


def _audit(
    group: JudgedRows, keys: Mapping[str, str], plans: Sequence[AuditPlan], said: _Said, shown: frozenset[str]
) -> Audit:
    systems, cells = table_of(group.rows)
    judges = group.members or (group,)
    own = tuple(
        plan for plan in plans if not plan.frame.of.isdisjoint(cells) and any(plan.frame.is_of(each) for each in judges)
    )
    directions = {article: next(iter(of.values()))[0].direction for article, of in cells.items()}
    judge: dict[str, tuple[float, ...]] = {}
    left_out, incomplete = [], []
    audits: dict[str, AuditedArticle] = {}
    for article, of in sorted(cells.items(), key=lambda item: (keys[item[0]], item[0])):
        if why := unscored(systems, of):
            left_out.append(Lacking(keys[article], directions[article], why))
            continue
        judge[article] = tuple(score_of(of[system]) or 0.0 for system in systems)
        scored = [[row.evaluation for row in of[system] if row.state in SCORED] for system in systems]
        drawn_at = [plan.at for plan in own if article in plan.frame.articles]
        found = _whole(article, scored, said, min(drawn_at, default=""))
        if found is not None:
            audits[article] = found
        elif drawn_at or any(said.of.get(each) for cell in scored for each in cell):
            incomplete.append(Lacking(keys[article], directions[article], _missing(systems, scored, said)))
    could = [(plan.frame.of, {directions[each] for each in plan.frame.of & cells.keys()}) for plan in own]
    outside = {
        each
        for each in judge
        if any(each not in of and (each in shown or directions[each] in there) for of, there in could)
    }
    return Audit(
        group,
        systems,
        keys,
        directions,
        judge,
        audits,
        tuple(incomplete),
        tuple(left_out),
        frozenset(outside),
        shown & judge.keys(),
        own,
        tuple(plan for plan in plans if plan not in own),
    )


def _whole(article: str, cells: Sequence[Sequence[str]], said: _Said, drawn_at: str) -> AuditedArticle | None:
    """The audit of an article by those who audited it whole; None where nobody did.

    Where it was drawn, only those count who said nothing of it before, if there are any.
    """
    found = [_by(cells, said, person) for person in said.who(cells)]
    whole = [each for each in found if each is not None]
    drawn = [each for each in whole if drawn_at and drawn_at < each.first]
    counted = drawn or whole
    if not counted:
        return None
    return AuditedArticle(
        article,
        tuple(fmean(column) for column in zip(*(each.scores for each in counted), strict=True)),
        tuple(dict.fromkeys(each.by for each in counted)),
        bool(drawn),
        all(each.blind for each in counted),
    )


@dataclass(frozen=True, slots=True)
class _Whole:
    """What one person came to over a whole article; ``first``: when anybody whose word it is began with it."""

    by: str
    scores: tuple[float, ...]
    first: str
    blind: bool


def _by(cells: Sequence[Sequence[str]], said: _Said, person: str | None) -> _Whole | None:
    found = [said.cell(cell, person) for cell in cells]
    if not all(found):
        return None
    used = [review for cell in found for reviews in cell.values() for review in reviews]
    return _Whole(
        " + ".join(sorted({layer for cell in found for layer in cell})),
        tuple(fmean(fmean(r.total or 0.0 for r in reviews) for reviews in cell.values()) for cell in found),
        min(review.first for review in used),
        all(review.blind for review in used),
    )


def _missing(systems: Sequence[str], cells: Sequence[Sequence[str]], said: _Said) -> tuple[str, ...]:
    """What is lacking to a whole audit, by whoever lacks least."""

    def by(person: str | None) -> list[str]:
        lacks = [(system, said.lacks(cell, person)) for system, cell in zip(systems, cells, strict=True)]
        return [f"{system}: {why}" for system, why in lacks if why]

    best = min(said.who(cells), key=lambda person: len(by(person)))
    lacking = by(best)
    nothing = len(lacking) == len(systems) and all(each.endswith(": not reviewed") for each in lacking)
    return ("not begun",) if nothing else tuple(f"{best}, {each}" if best else each for each in lacking)


_REVIEWS = f"""
SELECT r.evaluation_id, r.reviewer, r.total, r.state, {COMPLETE}, r.search, r.blind, r.decided, e.errors, r.unsure,
  r.unconfirmed, CASE e.state WHEN 'scored' THEN r.instruction IS NOT 'overturn' ELSE r.instruction = 'overturn' END
FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id WHERE e.state IN {SCORED} ORDER BY e.position, r.reviewer
"""
"""Each review, and at last whether she says that it is a translation at all; what is none has no errors to look for."""
_JUDGED_AGAIN = """
SELECT n.id, e.id FROM (SELECT DISTINCT evaluation_id FROM reviews) r JOIN evaluations e ON e.id = r.evaluation_id
JOIN evaluations n ON n.translation_id = e.translation_id AND n.sample = e.sample AND n.judge = e.judge
  AND n.position > e.position
  AND (SELECT asked FROM signatures WHERE id = n.signature_id)
    IS (SELECT asked FROM signatures WHERE id = e.signature_id)
ORDER BY e.position DESC
"""
"""Evaluations, and earlier ones of the same translation by the same judge, asked the same way, the latest first."""
_BEGAN = (
    "SELECT evaluation_id, reviewer, min(at) FROM events WHERE evaluation_id <> '' GROUP BY evaluation_id, reviewer"
)
