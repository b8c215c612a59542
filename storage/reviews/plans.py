"""Plans of who is to review what: drawing one, and keeping it.

A plan is a record: written once, never changed. A further plan adds to it. What a reviewer has to do is all that the
plans assign to their layers (``storage.reviews.layers``).
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from judges.stats.sampling import Stratum, assign_items, band, draw, queue_order, shuffled
from storage.base.identity import digest
from storage.base.text import utc
from storage.db.connection import insert
from storage.reviews.layers import layer_of, layers_of
from storage.reviews.queue import STANDING, words_clause

Key = Literal["system", "direction", "domain", "score"]
"""The keys that strata can be made by; ``score``: the band of the judge's."""
KEYS: tuple[Key, ...] = get_args(Key)

AssignedFor = Literal["review", "overlap", "again"]
"""``review``: theirs alone. ``overlap``: others have it too, so that agreement can be measured. ``again``: a second
time, so that their agreement with themselves can be."""
ASSIGNED_FOR: tuple[AssignedFor, ...] = get_args(AssignedFor)


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The options of a plan. ``number`` of evaluations, None: all there are; ``overlap``, ``again``: shares 0–1.

    ``overlap``: of the evaluations, how many go to ``overlap_with`` reviewers each; None: to all of them. ``again``: of
    what each reviewer gets, how much comes a second time. ``blind``: they mark errors before they see the judge's.
    """

    reviewers: tuple[str, ...]
    number: int | None = None
    by: tuple[Key, ...] = KEYS
    overlap: float = 0.0
    overlap_with: int | None = None
    again: float = 0.0
    blind: bool = False
    words: str = ""
    seed: int = 1


class Assignment(NamedTuple):
    """One evaluation that one reviewer is to review, in one layer of theirs.

    ``position``: in their queue, from 1, after all that earlier plans assigned to them.
    """

    reviewer: str
    layer: str
    position: int
    evaluation_id: str
    purpose: AssignedFor
    blind: bool

    def as_json(self) -> dict[str, str | int]:
        """Return it as what `json.dumps` takes."""
        plain = self._asdict()
        return {"evaluation" if name == "evaluation_id" else name: value for name, value in plain.items()}


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that was drawn: ``strata`` of all evaluations there were to draw from, by id; what was left out, and why.

    ``drawn``: ids of what it chose; ``assignments``: who is to review it.
    """

    options: PlanOptions
    strata: Mapping[str, Stratum]
    drawn: Sequence[str]
    assignments: Sequence[Assignment]
    left_out: Mapping[str, int]


DOUBTFUL = "most doubtful first"
"""The order of a plan that chooses what to review by the doubts about it: not at random."""
BY_DOUBT = (
    "SELECT a.evaluation_id FROM assignments a JOIN plans p ON p.id = a.plan_id GROUP BY a.evaluation_id "
    f"HAVING min(coalesce(json_extract(p.options, '$.order'), '') = '{DOUBTFUL}')"
)
"""The evaluations that only such plans chose, in SQL: what is found in them says nothing of others."""

LEFT_OUT = {
    "superseded": "a later evaluation took its place",
    "score_only": "score only: no findings to review",
    "judge_failed": "judge failed: no score is claimed",
    "instruction_failed": "instruction check failed: no errors to review",
    "no_translation": "no translation",
    "assigned": "assigned by an earlier plan",
    "opened": "opened already by one of these reviewers",
    "twin": "another evaluation of the same translation can be drawn",
}
"""Reasons for which an evaluation cannot be drawn."""


def draw_plan(connection: sqlite3.Connection, options: PlanOptions) -> Plan:
    """Draw the sample that is asked for and distribute it, without writing anything.

    What an earlier plan drew, or one of these reviewers opened, is not drawn; in a blind plan, nothing of which
    another evaluation of the same translation is. Of one translation only one evaluation is.
    """
    strata, left_out = candidates(connection, options)
    seed, reviewers = options.seed, options.reviewers
    number = len(strata) if options.number is None else min(options.number, len(strata))
    drawn = {item: strata[item] for item in draw(strata, number, seed)}
    shared = round(options.overlap * number) if len(reviewers) > 1 else 0
    dealt = assign_items(drawn, reviewers, shared, min(options.overlap_with or len(reviewers), len(reviewers)), seed)
    assignments = []
    for name in reviewers:
        overlap = set(dealt.shared[name])
        own = {item: strata[item] for item in (*dealt.alone[name], *overlap)}
        again = draw(own, round(options.again * len(own)), seed, f"again {name}")
        first, second = queue_order(own, again, seed, f"queue {name}")
        for position, item in enumerate(first, 1):
            purpose: AssignedFor = "overlap" if item in overlap else "review"
            assignments.append(Assignment(name, name, position, item, purpose, options.blind))
        for position, item in enumerate(second, 1 + len(first)):
            assignments.append(Assignment(name, layer_of(name, "again"), position, item, "again", options.blind))
    return Plan(options, strata, tuple(drawn), assignments, left_out)


def candidates(connection: sqlite3.Connection, options: PlanOptions) -> tuple[dict[str, Stratum], dict[str, int]]:
    """The evaluations that can be drawn, each with its stratum; why others cannot → how many.

    What was chosen by doubt can be drawn as well as any other, so that a sample does not lack what is most doubtful;
    but not blind by who has seen it.
    """
    same = "translation_id" if options.blind else "id"
    at_random = f"e.id NOT IN ({BY_DOUBT})"
    assigned = _set(
        connection,
        f"SELECT e.{same} FROM assignments a JOIN evaluations e ON e.id = a.evaluation_id WHERE {at_random}",
        (),
    )
    opened = _set(
        connection,
        f"SELECT e.{same} FROM reviews r JOIN evaluations e ON e.id = r.evaluation_id "
        f"WHERE {'1' if options.blind else at_random} AND r.reviewer IN (SELECT value FROM json_each(?))",
        (json.dumps([layer for name in options.reviewers for layer in layers_of(name)]),),
    )
    matching, values = words_clause(options.words)
    rows = connection.execute(
        f"SELECT e.id, e.translation_id, {STANDING}, e.state, e.system, e.direction, e.domain, e.total "
        f"FROM evaluations e WHERE {matching}",
        values,
    )
    found: dict[str, Stratum] = {}
    translations: dict[str, str] = {}
    left_out: Counter[str] = Counter()
    for identity, translation, standing, state, system, direction, domain, total in rows:
        known = translation if options.blind else identity
        if not standing:
            left_out["superseded"] += 1
        elif state != "scored":
            left_out[state] += 1
        elif known in assigned:
            left_out["assigned"] += 1
        elif known in opened:
            left_out["opened"] += 1
        else:
            values_of: dict[Key, str] = {"system": system, "direction": direction, "domain": domain}
            values_of["score"] = band(total)
            found[identity] = tuple(values_of[key] for key in options.by)
            translations[identity] = translation
    chosen: dict[str, str] = {}
    for identity in shuffled(found, options.seed, "translation"):
        if chosen.setdefault(translations[identity], identity) != identity:
            left_out["twin"] += 1
            del found[identity]
    return found, {text: left_out[reason] for reason, text in LEFT_OUT.items() if left_out[reason]}


def _set(connection: sqlite3.Connection, query: str, values: Sequence[str]) -> set[str]:
    return {row[0] for row in connection.execute(query, values)}


def write_plan(
    connection: sqlite3.Connection, plan: Plan, program: str, frozen: Mapping[str, object] = MappingProxyType({})
) -> str:
    """Keep a plan; return its id, a digest of all it says. Call inside the transaction in which it was drawn.

    ``frozen``: what else is kept with its options, so that nobody can have decided it later.
    """
    at = utc(datetime.now(UTC))
    options = {name: value for name, value in asdict(plan.options).items() if name != "seed"} | dict(frozen)
    identity = digest("plan", at, plan.options.seed, options, program, plan.assignments)
    said = json.dumps(options, ensure_ascii=False, sort_keys=True)
    insert(
        connection,
        "plans",
        [{"id": identity, "at": at, "seed": plan.options.seed, "options": said, "program": program}],
    )
    insert(connection, "assignments", [{"plan_id": identity, **each._asdict()} for each in plan.assignments])
    return identity


def count_by_doubt(connection: sqlite3.Connection, reviewer: str) -> int:
    """Return how many of the evaluations that are assigned to a reviewer were chosen by doubt, and not at random."""
    own = "SELECT count(DISTINCT evaluation_id) FROM assignments WHERE reviewer = ?"
    return int(connection.execute(f"{own} AND evaluation_id IN ({BY_DOUBT})", (reviewer,)).fetchone()[0])


def planned_reviewers(connection: sqlite3.Connection) -> list[str]:
    """Return the names of all to whom something is assigned."""
    return [row[0] for row in connection.execute("SELECT DISTINCT reviewer FROM assignments ORDER BY reviewer")]
