"""Settings of a benchmark as a whole, from its log: filters, quotas, lengths and hours; whether it can be read."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from judges.benchmark.selection.difficulty_filter import State
from judges.benchmark.selection.selection import CandidateState, Decision, Shared
from storage.benchmark.candidates import DETAILS, ROLES, STAGES, Candidate, Role, Stage, candidates
from storage.benchmark.events import BuildKind, read_build_events, standing_events

if TYPE_CHECKING:
    from judges.benchmark.selection.selection import Quota


@dataclass(frozen=True, slots=True)
class Filtered:
    """A difficulty filter that was set. ``rule``: as JSON; ``signatures``: what was asked of its judges, as
    ``signatures.asked`` has it.

    ``candidates``: key → the article that was put under it. ``judge``: its model's name, "" in a log of before.
    """

    id: str
    at: str
    person: str
    rule: Mapping[str, Any]
    systems: tuple[str, ...]
    signatures: tuple[str, ...]
    candidates: Mapping[str, str]
    judge: str = ""


def filters(connection: sqlite3.Connection) -> list[Filtered]:
    """Return the difficulty filters that were set and stand, oldest first."""
    return [
        Filtered(
            id=event.id,
            at=event.at,
            person=event.person,
            rule=event.changes.get("rule", {}),
            systems=tuple(event.changes.get("systems", ())),
            signatures=tuple(event.changes.get("signatures", ())),
            candidates=event.changes.get("candidates", {}),
            judge=event.changes.get("judge", ""),
        )
        for event in standing_events(connection, "filtered")
    ]


def quotas(connection: sqlite3.Connection) -> tuple[Quota, ...]:
    """Return the quotas that stand; () where there are none."""
    from judges.benchmark.selection.selection import quotas_from_json

    standing = standing_events(connection, "quotas")
    return quotas_from_json(standing[-1].changes) if standing else ()


def lengths(connection: sqlite3.Connection) -> dict[str, tuple[int, str]]:
    """Return how long articles should be at least, by language, where that was set: a count and its unit."""
    standing = standing_events(connection, "lengths")
    least = standing[-1].changes["least"] if standing else {}
    return {language: (int(count), str(unit)) for language, (count, unit) in least.items()}


def seconds_spent(connection: sqlite3.Connection) -> dict[tuple[Stage, str], float]:
    """Return the seconds that each person spent at each stage, pauses left out."""
    spent: defaultdict[tuple[Stage, str], float] = defaultdict(float)
    for event in read_build_events(connection, "kind = 'time'"):
        for stage in STAGES:
            if seconds := event.changes.get("seconds", {}).get(str(stage)):
                spent[stage, event.person] += float(seconds)
    return dict(spent)


def hours_outside(connection: sqlite3.Connection) -> dict[tuple[Stage, str], float]:
    """Return the seconds that each person spent at each stage outside of the program, as people said."""
    spent: defaultdict[tuple[Stage, str], float] = defaultdict(float)
    for event in standing_events(connection, "hours"):
        spent[event.changes["stage"], event.changes["of"]] += float(event.changes["seconds"])
    return {of: seconds for of, seconds in spent.items() if seconds}


def roles(connection: sqlite3.Connection) -> dict[str, tuple[Role, ...]]:
    """Return what everybody was said to be, by name; nothing of whom nobody said anything."""
    said: dict[str, tuple[Role, ...]] = {}
    for event in standing_events(connection, "people"):
        said |= {name: tuple(of) for name, of in event.changes["roles"].items()}
    return {name: of for name, of in said.items() if of}


def acted(connection: sqlite3.Connection) -> dict[str, tuple[Role, ...]]:
    """Return the roles in which everybody has acted: who added or revised, who decided, who settled; by name."""
    did: defaultdict[str, set[Role]] = defaultdict(set)
    for kind, role in _ROLE_OF.items():
        for event in standing_events(connection, kind):
            did[event.person].add(role)
    return {name: tuple(role for role in ROLES if role in did[name]) for name in sorted(did)}


_ROLE_OF: Mapping[BuildKind, Role] = {
    "added": "author",
    "revised": "author",
    "decided": "reviewer",
    "settled": "adjudicator",
}


@dataclass(frozen=True, slots=True)
class Person:
    """One expert: what they were ``said`` to be, and what they ``acted`` as; seconds in the program and outside."""

    name: str
    said: tuple[Role, ...]
    acted: tuple[Role, ...]
    inside: float
    outside: float


def people_of(connection: sqlite3.Connection) -> list[Person]:
    """Return everybody who has a role, did anything, or spent time, by name."""
    said, did = roles(connection), acted(connection)
    inside, outside = seconds_spent(connection), hours_outside(connection)
    names = {*said, *did, *(name for _, name in (*inside, *outside))}
    return [
        Person(
            name,
            said.get(name, ()),
            did.get(name, ()),
            sum(seconds for (_, of), seconds in inside.items() if of == name),
            sum(seconds for (_, of), seconds in outside.items() if of == name),
        )
        for name in sorted(names)
    ]


def target(connection: sqlite3.Connection) -> float | None:
    """Return the share of all candidates that should come in, None where nobody said it."""
    standing = standing_events(connection, "target")
    return float(standing[-1].changes["share"]) if standing else None


def check_log(connection: sqlite3.Connection) -> None:
    """Raise ValueError where the log holds what nothing can be made of, as one that came from elsewhere may."""
    try:
        found = candidates(connection, "")
        for read in (filters, quotas, lengths, seconds_spent, hours_outside, roles, target):
            read(connection)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"the building log cannot be read: {' '.join(str(error).split())}") from None
    there = {identity for (identity,) in connection.execute("SELECT id FROM articles")}
    for each in found:
        if missing := {version.article_id for version in each.versions} - there:
            raise ValueError(f"the building log names the article {min(missing)}, which is not there")
        if not all(isinstance(getattr(each, name), str) for name in DETAILS):
            raise ValueError(f"the building log has no text for the details of {each.key}")


def standing(each: Candidate, difficulty: State | None = None) -> CandidateState:
    """Return where a candidate stands; ``difficulty``: what the filter came to, None where it was under none."""
    said = each.settled or max(each.decisions.values(), key=lambda decided: decided.place, default=None)
    stage = said.stage if said and not each.settled else 3
    return CandidateState(each.direction, each.domain, each.subdomain, difficulty, each.outcome, stage)


def shared(chosen: Iterable[Candidate]) -> list[Shared]:
    """Return the candidates that several are to decide on, with what each said before anyone saw the others' decisions.

    Nothing of a candidate on which not all have decided yet.
    """
    return [
        Shared(
            each.key,
            tuple(each.independent) or each.assigned,
            {name: cast("Decision", said.decision) for name, said in each.independent.items()},
        )
        for each in chosen
        if each.overlap or each.independent
    ]
