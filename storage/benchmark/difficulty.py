"""Results of the difficulty filter: the rubric points of its candidates that systems fail, people's word on top.

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

from judges.benchmark.selection.difficulty_filter import Outcome, Rule, Verdicts, decide
from judges.metric_s.human_score import POINT_MET
from storage.base.identity import system_slug
from storage.benchmark.candidates import Candidate
from storage.benchmark.settings import Filtered, filters
from storage.reviews.queue import LATEST

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


def asked(connection: sqlite3.Connection, under: Iterable[Filtered]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return which models made the systems' translations, as far as that was done here, and the judges' signatures."""
    every = list(under)
    systems = {system_slug(system) for each in every for system in each.systems}
    names = [(system, model) for system, model in connection.execute(_MADE) if system_slug(system) in systems]
    signatures = json.dumps([signature for each in every for signature in each.signatures])
    return names, [text for (text,) in connection.execute(_ASKED, (signatures,))]


def judges_of(connection: sqlite3.Connection, under: Filtered, *, hidden: bool = False) -> list[str]:
    """Return the models that judge for a filter; of a log without any those that did, unless ``hidden``."""
    if under.judge or hidden:
        return [under.judge] if under.judge else []
    rows = connection.execute(_JUDGES, (json.dumps(under.signatures),))
    return [label.removesuffix(":rubric") for (label,) in rows]


def filter_words(connection: sqlite3.Connection, under: Filtered, *, hidden: bool = False) -> str:
    """Return a filter's rule, judge and systems in words for people; ``hidden``: no more than the log may tell."""
    judge = ", ".join(judges_of(connection, under, hidden=hidden)) or "not told"
    named = "" if hidden else f"; systems {', '.join(under.systems)}"
    return f"{rule_from_json(under.rule).words}; rubric judge {judge}{named}"


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
        met = {point: bool(of) for point, of in connection.execute(_VERDICTS, (evaluation,))}
        said = Verdicts(frozenset(point for point in every if met.get(point) is False), every - met.keys())
    else:
        said = Verdicts(every, no_translation=True)
    return said.overruled(_said_by_people(connection, evaluation))


def _is_translation(connection: sqlite3.Connection, evaluation: str, state: str) -> bool:
    """Return whether an output is a translation at all: what the judge's check says, unless a person overturned it."""
    latest = connection.execute(_INSTRUCTION, (evaluation,)).fetchone()
    overturned = latest is not None and latest[0] == "overturn"
    return (state != NOT_A_TRANSLATION) != overturned


def _said_by_people(connection: sqlite3.Connection, evaluation: str) -> dict[int, bool]:
    """Return whether a translation meets a point, by whoever said so last, of findings and of points without one."""
    said: defaultdict[int, list[tuple[int, str, bool]]] = defaultdict(list)
    for point, decision, *place in connection.execute(_SAID, (evaluation, evaluation)):
        if decision in POINT_MET:
            said[point].append((*place, POINT_MET[decision]))
    return {point: max(of)[-1] for point, of in said.items()}


_EVALUATIONS = f"""
SELECT e.id, e.system, e.state FROM evaluations e JOIN signatures g ON g.id = e.signature_id
WHERE e.article = (SELECT key FROM articles WHERE id = ?1) AND e.article_id = ?1
  AND g.asked IN (SELECT value FROM json_each(?2)) AND e.sample = 1 AND {LATEST} AND e.state <> 'no_translation'
ORDER BY e.position
"""
"""The article's key comes first, as there is an index of it."""
_MADE = """
SELECT DISTINCT t.system, r.model FROM made_translations m JOIN translations t ON t.id = m.translation_id
JOIN runs r ON r.id = m.run_id ORDER BY 1, 2
"""
_ASKED = """
SELECT text FROM signatures WHERE asked IN (SELECT value FROM json_each(?))
AND json_array_length(fields, '$.formats') > 0 ORDER BY text
"""
_JUDGES = """
SELECT DISTINCT e.judge FROM signatures g JOIN evaluations e ON e.signature_id = g.id
WHERE g.asked IN (SELECT value FROM json_each(?)) ORDER BY 1
"""
_POINTS = "SELECT number FROM rubric_points WHERE article_id = ?"
_INSTRUCTION = """
SELECT instruction FROM reviews WHERE evaluation_id = ? AND instruction IS NOT NULL
ORDER BY counter DESC, at DESC LIMIT 1
"""
_VERDICTS = """
SELECT point, min(met) FROM rubric_verdicts WHERE evaluation_id = ? AND met IS NOT NULL GROUP BY point
"""
"""A point that the judge speaks of twice is met if it says so both times, as everywhere."""
_SAID = """
SELECT f.rubric_point, v.decision, v.counter, v.at FROM verdicts v
JOIN findings f ON f.evaluation_id = v.evaluation_id AND f.id = v.finding_id
WHERE v.evaluation_id = ? AND f.rubric_point IS NOT NULL
UNION ALL SELECT point, decision, counter, at FROM point_verdicts WHERE evaluation_id = ?
"""
