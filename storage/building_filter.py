"""What the difficulty filter comes to: which of its candidates' rubric points systems fail, people's word on top.

Nothing of it is kept. It follows from the filter in the log, from the evaluations under its judge's signature, and from
what reviewers say of them; so whoever overrules a rubric verdict sees the outcome follow.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from judges.building.filtering import Outcome, Rule, Verdicts, decide
from storage.building import Candidate, Filtered, filters
from storage.identity import system_slug
from storage.queue import STANDING

NOT_A_TRANSLATION = "instruction_failed"


@dataclass(frozen=True, slots=True)
class Judged:
    """One system's translation under a filter: its evaluation, and what is known of the points."""

    evaluation: str
    verdicts: Verdicts


def rule_to_json(rule: Rule) -> dict[str, Any]:
    """Return a rule as the log keeps it."""
    return asdict(rule)


def rule_from_json(value: Mapping[str, Any]) -> Rule:
    """Return the rule that the log kept. Raises ValueError for what is none."""
    return Rule(value.get("min_failed"), value.get("min_share"), bool(value.get("every_fails_one")))


def outcomes(connection: sqlite3.Connection, chosen: Iterable[Candidate]) -> dict[str, Outcome]:
    """Return what the last filter comes to, by key, for each candidate whose present version is under one."""
    of = {each.id: each for each in filters(connection)}
    found = {}
    for each in chosen:
        if each.filters:
            under = of[each.filters[-1]]
            said = judged(connection, each.article_id, under)
            points = [point.number for point in each.version.points]
            verdicts = {system: one.verdicts if one else None for system, one in said.items()}
            found[each.key] = decide(rule_from_json(under.rule), points, verdicts)
    return found


def judged(connection: sqlite3.Connection, article_id: str, under: Filtered) -> dict[str, Judged | None]:
    """Return what is known of each system's translation of an article, None where it is not judged yet."""
    rows = connection.execute(_EVALUATIONS, (article_id, json.dumps(under.signatures))).fetchall()
    latest = {system_slug(system): (evaluation, state) for evaluation, system, state in rows}
    points = [row[0] for row in connection.execute(_POINTS, (article_id,))]
    found: dict[str, Judged | None] = {}
    for system in under.systems:
        evaluation, state = latest.get(system_slug(system), ("", ""))
        found[system] = Judged(evaluation, _verdicts(connection, evaluation, state, points)) if evaluation else None
    return found


def _verdicts(connection: sqlite3.Connection, evaluation: str, state: str, points: Iterable[int]) -> Verdicts:
    every = frozenset(points)
    if _is_translation(connection, evaluation, state):
        met = {point: bool(of) for point, of in connection.execute(_VERDICTS, (evaluation,)) if of is not None}
        said = Verdicts(frozenset(point for point in every if met.get(point) is False), every - met.keys())
    else:
        said = Verdicts(every)
    return said.overruled(_said_by_people(connection, evaluation))


def _is_translation(connection: sqlite3.Connection, evaluation: str, state: str) -> bool:
    """Whether an output is a translation at all: what the judge's check says, unless a person overturned it."""
    latest = connection.execute(_INSTRUCTION, (evaluation,)).fetchone()
    overturned = latest is not None and latest[0] == "overturn"
    return (state != NOT_A_TRANSLATION) != overturned


def _said_by_people(connection: sqlite3.Connection, evaluation: str) -> dict[int, bool]:
    """Whether a translation meets a point, by whoever said so last: of what the judge found violated, and of the rest.

    That a point asks too much takes the failure away: the system did nothing wrong.
    """
    said: defaultdict[int, list[tuple[str, bool]]] = defaultdict(list)
    for point, decision, at in connection.execute(_SAID, (evaluation, evaluation)):
        if decision in _MET:
            said[point].append((at, _MET[decision]))
    return {point: max(of)[1] for point, of in said.items()}


_MET = {
    **dict.fromkeys(("not_an_error", "too_strict", "met"), True),
    **dict.fromkeys(("agree", "override", "reattribute", "restore", "violated"), False),
}
"""A duplicate of another error is still a point that is not met as far as the judge says; unsure is no word on it."""

_EVALUATIONS = f"""
SELECT e.id, e.system, e.state FROM evaluations e JOIN signatures g ON g.id = e.signature_id
WHERE e.article_id = ? AND g.asked IN (SELECT value FROM json_each(?)) AND e.sample = 1 AND {STANDING}
  AND e.state <> 'no_translation' ORDER BY e.position
"""
_POINTS = "SELECT number FROM rubric_points WHERE article_id = ?"
_INSTRUCTION = """
SELECT instruction FROM reviews WHERE evaluation_id = ? AND instruction IS NOT NULL ORDER BY at DESC LIMIT 1
"""
_VERDICTS = "SELECT point, met FROM rubric_verdicts WHERE evaluation_id = ? ORDER BY position"
_SAID = """
SELECT f.rubric_point, v.decision, v.at FROM verdicts v
JOIN findings f ON f.evaluation_id = v.evaluation_id AND f.id = v.finding_id
WHERE v.evaluation_id = ? AND f.rubric_point IS NOT NULL
UNION ALL SELECT point, decision, at FROM point_verdicts WHERE evaluation_id = ?
"""
