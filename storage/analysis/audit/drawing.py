"""Drawing the articles that are to be audited, and giving each whole to one reviewer, or to several."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from judges.ranking.audit_sampling import CRITERION, draw_balanced
from judges.stats.arrays import matrix
from judges.stats.sampling import Stratum, allocate, assign_items, shuffled
from storage.analysis.audit.audit import Audit
from storage.analysis.audit.from_library import read_audits
from storage.analysis.audit.plans import Frame
from storage.analysis.review_data import is_meant
from storage.base.errors import StorageError
from storage.reviews.layers import layers_of
from storage.reviews.plans import AssignedFor, Assignment, Plan, PlanOptions, write_plan

LEFT_OUT = {
    "unscored": "without a score of every system",
    "opened": "opened already by one of these reviewers",
    "drawn": "drawn by an earlier plan of an audit",
    "shown": "of which the judge was shown examples",
    "outside": "that an earlier plan could not draw, so that they could not count",
}
"""Reasons for which an article cannot be drawn."""


@dataclass(frozen=True, slots=True)
class DrawnAudit:
    """A plan of an audit that was drawn: of whose scores, what is to be frozen, and who gets what.

    In ``plan``, ``strata`` and ``drawn`` are of articles.
    """

    of: Audit
    plan: Plan
    frame: Frame


def draw_audit(connection: sqlite3.Connection, options: PlanOptions, judge: str | None = None) -> DrawnAudit:
    """Draw ``options.number`` whole articles by ``CRITERION`` and distribute them, without writing anything.

    The number is shared out among the directions in proportion to their articles. What an earlier plan of an audit of
    the same judge drew stays among what could be drawn, for it still counts; what one of these reviewers has opened
    does not, for it was chosen by hand, nor what the judge was shown examples of, nor what such a plan could not draw.
    ``judge``: whose scores balance the draw, where there are several. Raises StorageError where that is not said,
    nothing has been scored, or directions differ in their systems.
    """
    audit = _of_judge(read_audits(connection, options.words), judge)
    before = {article for plan in audit.plans for article in plan.frame.articles}
    opened = _opened(connection, audit, options.reviewers) - before
    outside = audit.outside - audit.shown
    there = [article for article in audit.judge if article not in opened | audit.shown | outside]
    strata: dict[str, Stratum] = {each: (audit.directions[each],) for each in there if each not in before}
    by_direction: defaultdict[Stratum, list[str]] = defaultdict(list)
    for article, stratum in strata.items():
        by_direction[stratum].append(article)
    number = min(options.number or len(strata), len(strata))
    drawn: dict[str, Stratum] = {}
    distances = {}
    for stratum, n in allocate({key: len(each) for key, each in by_direction.items()}, number, options.seed).items():
        articles = by_direction[stratum]
        chosen = draw_balanced(articles, matrix([audit.judge[each] for each in articles]), n, options.seed)
        drawn |= dict.fromkeys(chosen.articles, stratum)
        distances[stratum[0]] = chosen.distance
    counts = {
        "unscored": len(audit.left_out),
        "opened": len(opened & audit.judge.keys()),
        "drawn": len(before & audit.judge.keys()),
        "shown": len(audit.shown - opened - before),
        "outside": len(outside - opened - before),
    }
    left_out = {LEFT_OUT[reason]: n for reason, n in counts.items() if n}
    frame = Frame(
        judge=audit.of.judge,
        signatures=audit.of.signatures,
        criterion=CRITERION,
        systems=audit.systems,
        of=frozenset(there),
        articles=frozenset(drawn),
        distances=distances,
    )
    assignments = _assignments(connection, audit, drawn, options)
    return DrawnAudit(audit, Plan(options, strata, tuple(drawn), assignments, left_out), frame)


def write_audit(connection: sqlite3.Connection, drawn: DrawnAudit, program: str) -> str:
    """Keep what was drawn; return the plan's id. Call inside the transaction in which it was drawn."""
    return write_plan(connection, drawn.plan, program, {"audit": drawn.frame.plain()})


def _of_judge(audits: list[Audit], judge: str | None) -> Audit:
    scored = [each for each in audits if each.judge]
    found = [each for each in scored if judge is None or is_meant([judge], each.of.judge)]
    names = sorted({each.of.judge for each in (found or scored)})
    if not scored:
        raise StorageError("no article has a score of every system by one judge; there is nothing to audit")
    if not found:
        raise StorageError(f"no articles are scored by {judge}; there is {', '.join(names)}")
    if len(names) > 1:
        raise StorageError(f"several judges scored the articles; choose one: --judge {' or --judge '.join(names)}")
    same = [each for each in found if each.of.signatures == found[0].of.signatures]
    if len(same) > 1:
        directions = (sorted({each.directions[article] for article in each.judge}) for each in same)
        choices = ", ".join(" and ".join(each or "(none)" for each in of) for of in directions)
        raise StorageError(f"systems differ by direction; audit each by a plan of its own, with --words: {choices}")
    if found[0].refusal and (found[0].counted or found[0].shown >= found[0].judge.keys()):
        raise StorageError(found[0].refusal)
    return found[0]


def _opened(connection: sqlite3.Connection, audit: Audit, reviewers: tuple[str, ...]) -> set[str]:
    """The articles in which one of these people has done anything with this judge's evaluations."""
    layers = [layer for name in reviewers for layer in layers_of(name)]
    query = "SELECT DISTINCT evaluation_id FROM events WHERE reviewer IN (SELECT value FROM json_each(?))"
    touched = {row[0] for row in connection.execute(query, (json.dumps(layers),))}
    return {row.article for row in audit.of.rows if row.evaluation in touched}


def _assignments(
    connection: sqlite3.Connection, audit: Audit, drawn: Mapping[str, Stratum], options: PlanOptions
) -> list[Assignment]:
    """Return each reviewer's articles in random order, the systems of each too; but not what they have already."""
    seed, reviewers = options.seed, options.reviewers
    shared = round(options.overlap * len(drawn)) if len(reviewers) > 1 else 0
    dealt = assign_items(drawn, reviewers, shared, min(options.overlap_with or len(reviewers), len(reviewers)), seed)
    first: dict[tuple[str, str], str] = {}
    for row in sorted(audit.of.rows, key=lambda row: row.sample):
        if row.state == "scored":
            first.setdefault((row.article, row.system), row.evaluation)
    has = {(layer, each) for layer, each in connection.execute("SELECT layer, evaluation_id FROM assignments")}
    found = []
    position: Counter[str] = Counter()
    for name in reviewers:
        overlap = set(dealt.shared[name])
        for article in shuffled({*dealt.alone[name], *overlap}, seed, f"queue {name}"):
            purpose: AssignedFor = "overlap" if article in overlap else "review"
            for system in shuffled(audit.systems, seed, f"queue {name} {article}"):
                evaluation = first[article, system]
                if (name, evaluation) not in has:
                    position[name] += 1
                    found.append(
                        Assignment(
                            reviewer=name,
                            layer=name,
                            position=position[name],
                            evaluation_id=evaluation,
                            purpose=purpose,
                            blind=options.blind,
                        )
                    )
    return found
