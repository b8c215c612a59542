"""Reviewers' words beside their decisions on the judge's findings: errors it missed, repeats, places, quotes.

Few reviews hold any of it. So it is read once for all of them, and not with every finding.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from judges.consistency.outcomes import OUTCOMES, further_places
from judges.consistency.records import MissedKind


@dataclass(frozen=True, slots=True)
class ReviewExtras:
    """Extras of one review: the findings that repeat an error that counts already, and errors that the judge missed.

    ``missed``: those that the reviewer marked and that are none of the judge's findings, and the rubric points that
    they call violated and the judge does not; each once. An error that is none in Metric-S was not for the judge to
    find: ``foreign`` counts these, and ``further`` the further places of errors of theirs. ``invented``: findings whose
    quote occurs nowhere, they say. ``moved``: finding → where they put it, as JSON, of those that they left standing.
    """

    repeats: frozenset[str] = frozenset()
    missed: tuple[MissedKind, ...] = ()
    invented: tuple[str, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)
    foreign: int = 0
    further: int = 0


NOTHING = ReviewExtras()

VIOLATED = MissedKind("accuracy", "rubric_point", "violated")
"""A rubric point that the judge does not call violated."""

ReviewKey = tuple[str, str]
"""Evaluation and layer."""


def read_extras(
    connection: sqlite3.Connection, evaluations: Sequence[str] | None = None
) -> dict[ReviewKey, ReviewExtras]:
    """Return it for every review that holds any of it, of all evaluations or of these."""
    where, values = "1", tuple[str, ...]()
    if evaluations is not None:
        where, values = "evaluation_id IN (SELECT value FROM json_each(?))", (json.dumps(evaluations),)
    links: dict[ReviewKey, dict[str, str]] = defaultdict(dict)
    matched: dict[ReviewKey, dict[str, str]] = defaultdict(dict)
    invented: dict[ReviewKey, list[str]] = defaultdict(list)
    moved: dict[ReviewKey, dict[str, str]] = defaultdict(dict)
    repeating: set[ReviewKey] = set()
    for *key, finding, decision, repeat_of, spans, nowhere, error in connection.execute(_said_sql(where), values):
        review = (key[0], key[1])
        if repeat_of:
            links[review][finding] = repeat_of
            repeating.add(review)
        if error:
            matched[review][error] = finding
        if nowhere:
            invented[review].append(finding)
        if spans and OUTCOMES[decision] == "right":
            moved[review][finding] = spans
    own: dict[ReviewKey, dict[str, MissedKind]] = defaultdict(dict)
    foreign: Counter[ReviewKey] = Counter()
    for *key, error, dimension, category, severity, repeat_of in connection.execute(_own_sql(where), values):
        review = (key[0], key[1])
        if dimension is None or severity is None:
            foreign[review] += 1
            continue
        own[review][error] = MissedKind(dimension, category, severity)
        if repeat_of:
            links[review][error] = repeat_of
            repeating.add(review)
    points: dict[ReviewKey, int] = {(a, b): n for a, b, n in connection.execute(_points_sql(where), values)}
    found: dict[ReviewKey, ReviewExtras] = {}
    for review in dict.fromkeys((*links, *matched, *invented, *moved, *own, *points, *foreign)):
        unmatched = {error: kind for error, kind in own[review].items() if error not in matched[review]}
        further: set[str] = set()
        if review in repeating:
            standing: dict[bool, list[str]] = {True: [], False: []}
            for finding, kept in connection.execute(_STANDING, review):
                standing[bool(kept)].append(finding)
            further = further_places((standing[True], standing[False], unmatched), {**links[review], **matched[review]})
        found[review] = ReviewExtras(
            frozenset(further - own[review].keys()),
            (*(kind for error, kind in unmatched.items() if error not in further), *[VIOLATED] * points.get(review, 0)),
            tuple(invented[review]),
            moved[review],
            foreign[review],
            sum(error in further for error in unmatched),
        )
    return found


def _said_sql(where: str) -> str:
    return f"""
SELECT evaluation_id, reviewer, finding_id, decision, repeat_of, spans, invented, matches FROM verdicts
WHERE (repeat_of IS NOT NULL OR spans IS NOT NULL OR invented IS NOT NULL OR matches IS NOT NULL) AND {where}
"""


def _own_sql(where: str) -> str:
    return f"""
SELECT evaluation_id, reviewer, id, dimension, category, severity, repeat_of FROM marked_errors
WHERE {where}
"""


def _points_sql(where: str) -> str:
    return f"""
SELECT evaluation_id, reviewer, count(*) FROM point_verdicts p WHERE decision = 'violated' AND NOT EXISTS (
  SELECT 1 FROM findings f WHERE f.evaluation_id = p.evaluation_id AND f.rubric_point = p.point
) AND {where} GROUP BY evaluation_id, reviewer
"""


_STANDING = """
SELECT f.id, f.kept FROM verdicts v JOIN findings f ON f.evaluation_id = v.evaluation_id AND f.id = v.finding_id
WHERE v.evaluation_id = ? AND v.reviewer = ?
  AND (f.kept AND v.decision IN ('agree', 'override', 'reattribute', 'restore') OR v.decision = 'restore')
ORDER BY f.number
"""
"""Findings that stand. Of one that was dropped, to agree is to agree with that."""
