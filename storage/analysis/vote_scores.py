"""Scores in which each finding's deduction counts only in part, for all that is made of judges' scores."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from judges.model import Dimension, Severity
from judges.ranking.judge_votes import Votes, effective_votes, points_left
from judges.ranking.ranking import Points
from storage.analysis.judge_scores import JudgedRows, read_judged
from storage.analysis.judge_votes import VOTING, Panel, match_panel, panels, read_places
from storage.analysis.judged_segments import JudgedSegments


class Cost(NamedTuple):
    """Cost of a finding that stood after de-duplication, before anything is weighed; ``number``: its own, from 1."""

    finding: str
    number: int
    dimension: Dimension
    severity: Severity


def by_votes(connection: sqlite3.Connection, words: str = "", reviewer: str | None = None) -> list[JudgedRows]:
    """Read rows as `read_judged` does, but of all judges that can vote together, with each error's vote share in it."""
    found = panels(connection, read_judged(connection, words, reviewer))
    return [replace(together(connection, panel), votes=_votes(connection, panel)) for panel in found]


def together(connection: sqlite3.Connection, panel: Panel) -> JudgedRows:
    """Return a panel's rows with the points that its judges come to together, in place of each one's own.

    Each error costs what those that found it say, times the share of the judges of the translation that did; where they
    give severities or dimensions that differ, each counts for its part. So the deductions are the judges' means; it
    differs from a mean of scores where a list of one judge goes below the floor of a dimension, which is applied once,
    to all together. A judge that read a part of the translation has no say on errors in the rest of it. An evaluation
    that failed the instruction check takes all points, for its part.

    Rows without a vote stand only where nobody has one: the judge failed, or there was no translation.
    """
    costs = read_costs(connection, (row.evaluation for of in panel.ballots.values() for _, row in of))
    weights = panel.weights
    points: dict[str, Points] = {}
    read = JudgedSegments(connection, (row.evaluation for of in panel.ballots.values() for _, row in of))
    places = read_places(connection, read.partly)
    for of in panel.ballots.values():
        voters = [row.evaluation for _, row in of]
        deductions: defaultdict[tuple[Dimension, int], float] = defaultdict(float)
        for _, row in of:
            for finding, number, dimension, severity in costs.get(row.evaluation, ()):
                segment = read.segment_of(voters, (row.evaluation, number, tuple(places.get(finding, ()))))
                deductions[dimension, read.readers(voters, segment)] += weights.severities[severity]
            for dimension in weights.judged if row.state == "instruction_failed" else ():
                deductions[dimension, len(of)] += weights.maxima[dimension]
        shares: defaultdict[Dimension, float] = defaultdict(float)
        for (dimension, readers), sum_ in sorted(deductions.items()):
            shares[dimension] += sum_ / readers
        shared = points_left(shares, weights)
        points |= {row.evaluation: shared for _, row in of}
    voted = {(row.article, row.system) for of in panel.ballots.values() for _, row in of}
    rows = [
        replace(row, points=points.get(row.evaluation))
        for row in chain.from_iterable(member.rows for member in panel.members)
        if row.evaluation in points or (row.state not in VOTING and (row.article, row.system) not in voted)
    ]
    return JudgedRows(
        judge=f"votes of {panel.called}",
        signatures=tuple(dict.fromkeys(signature for member in panel.members for signature in member.signatures)),
        weights=weights,
        rows=tuple(row for row in rows if row.state != "score_only"),
        superseded=sum(member.superseded for member in panel.members),
        passed_over=sum(member.passed_over for member in panel.members),
        members=panel.members,
    )


def read_costs(connection: sqlite3.Connection, evaluations: Iterable[str]) -> dict[str, list[Cost]]:
    """Return what the findings of each of some evaluations cost; none that was dropped, or has no readable severity."""
    costs: defaultdict[str, list[Cost]] = defaultdict(list)
    for evaluation, *cost in connection.execute(_COSTS, (json.dumps(list(evaluations)),)):
        costs[evaluation].append(Cost._make(cost))
    return costs


_COSTS = """
SELECT f.evaluation_id, f.id, f.number, f.dimension, f.severity
FROM json_each(?) chosen JOIN findings f ON f.evaluation_id = chosen.value AND f.kept AND f.severity IS NOT NULL
"""


def _votes(connection: sqlite3.Connection, panel: Panel) -> Votes:
    matched = match_panel(connection, panel)
    states = [row.state for member in panel.members for row in member.rows]
    return Votes(
        judges=panel.names,
        effective=effective_votes(_totals(panel)),
        errors=dict(sorted(matched.errors.items())),
        findings=len(matched.votes),
        unplaced=matched.unplaced,
        unlocated=matched.unlocated,
        failed=states.count("judge_failed"),
        score_only=states.count("score_only"),
        unread=states.count("not_judged"),
    )


def _totals(panel: Panel) -> list[list[list[float]]]:
    """Return each judge's totals (judges × articles × systems) of the articles of which all scored every system."""
    totals: defaultdict[str, dict[tuple[int, str], float]] = defaultdict(dict)
    for of in panel.ballots.values():
        for judge, row in of:
            if row.points and row.points[0] is not None:
                totals[row.article][judge, row.system] = row.points[0]
    systems = sorted({system for of in totals.values() for _, system in of})
    judges = range(len(panel.names))
    whole = [of for _, of in sorted(totals.items()) if len(of) == len(systems) * len(judges)]
    return [[[of[judge, system] for system in systems] for of in whole] for judge in judges]
