"""Audits read out of the library: what each judge said of all its articles, and people of some of them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from judges.ranking.ranking import JudgedTranslation
from storage.analysis.audit.articles import SCORED, AuditReviews
from storage.analysis.audit.audit import Audit, AuditedArticle, Lacking, with_same_systems
from storage.analysis.audit.plans import AuditPlan, read_audit_plans
from storage.analysis.judge_scores import JudgedRows, Reader, read_judged
from storage.analysis.judged_segments import READ_NOTHING
from storage.record.few_shot_sets import articles_shown
from storage.reviews.plans import BY_DOUBT

Cells = dict[str, list[JudgedTranslation]]
"""Evaluations of one article: system → one evaluation a sample."""
_NO_EVALUATION = "no evaluation"
_STATES = {
    "score_only": "score only",
    "judge_failed": "judge failed",
    "no_translation": "no translation",
    "not_judged": READ_NOTHING,
}


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
    said = AuditReviews(connection, reviewer)
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


def _with_same_systems(group: JudgedRows) -> list[JudgedRows]:
    """A judge's rows, divided where directions differ in their systems."""
    systems: defaultdict[str, set[str]] = defaultdict(set)
    for row in group.rows:
        systems[row.direction].add(row.system)
    return [
        replace(group, rows=tuple(row for row in group.rows if row.direction in directions))
        for directions in with_same_systems(systems)
    ]


def _shown(connection: sqlite3.Connection, group: JudgedRows) -> frozenset[str]:
    return frozenset().union(*(articles_shown(connection, signature) for signature in group.signatures))


def _audit(
    group: JudgedRows, keys: Mapping[str, str], plans: Sequence[AuditPlan], said: AuditReviews, shown: frozenset[str]
) -> Audit:
    systems, cells = _table_of(group.rows)
    judges = group.members or (group,)
    own = tuple(
        plan for plan in plans if not plan.frame.of.isdisjoint(cells) and any(plan.frame.is_of(each) for each in judges)
    )
    directions = {article: next(iter(of.values()))[0].direction for article, of in cells.items()}
    judge: dict[str, tuple[float, ...]] = {}
    left_out, incomplete = [], []
    audits: dict[str, AuditedArticle] = {}
    for article, of in sorted(cells.items(), key=lambda item: (keys[item[0]], item[0])):
        if why := _unscored(systems, of):
            left_out.append(Lacking(keys[article], directions[article], why))
            continue
        judge[article] = tuple(_score_of(of[system]) or 0.0 for system in systems)
        scored = [[row.evaluation for row in of[system] if row.state in SCORED] for system in systems]
        drawn_at = [plan.at for plan in own if article in plan.frame.articles]
        found = said.whole(article, scored, min(drawn_at, default=""))
        if found is not None:
            audits[article] = found
        elif drawn_at or said.anything(scored):
            incomplete.append(Lacking(keys[article], directions[article], said.missing(systems, scored)))
    could = [(plan.frame.of, {directions[each] for each in plan.frame.of & cells.keys()}) for plan in own]
    outside = {
        each
        for each in judge
        if any(each not in of and (each in shown or directions[each] in there) for of, there in could)
    }
    return Audit(
        of=group,
        systems=systems,
        keys=keys,
        directions=directions,
        judge=judge,
        audits=audits,
        incomplete=tuple(incomplete),
        left_out=tuple(left_out),
        outside=frozenset(outside),
        shown=shown & judge.keys(),
        plans=own,
        others=tuple(plan for plan in plans if plan not in own),
    )


def _table_of(rows: Sequence[JudgedTranslation]) -> tuple[tuple[str, ...], dict[str, Cells]]:
    """Return the systems, sorted, and article → system → its evaluations, one a sample."""
    cells: defaultdict[str, Cells] = defaultdict(dict)
    for row in rows:
        cells[row.article].setdefault(row.system, []).append(row)
    return tuple(sorted({row.system for row in rows})), cells


def _score_of(evaluations: Sequence[JudgedTranslation]) -> float | None:
    """Return the judge's total of one translation, the mean over samples; None where it scored none."""
    totals = [row.points[0] for row in evaluations if row.state in SCORED and row.points and row.points[0] is not None]
    return fmean(totals) if totals else None


def _unscored(systems: Sequence[str], cells: Mapping[str, Sequence[JudgedTranslation]]) -> tuple[str, ...]:
    """Return why an article cannot count: each system without a score, and what it has instead."""
    states = {system: cells[system][0].state if system in cells else _NO_EVALUATION for system in systems}
    return tuple(
        f"{system}: {_STATES.get(state, state)}"
        for system, state in states.items()
        if system not in cells or _score_of(cells[system]) is None
    )
