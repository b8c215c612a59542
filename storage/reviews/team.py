"""A team at work: how far each reviewer is and where, what they agree about so far, and more work for them.

Nothing here is of what is hidden from whoever asks: as long as anything is, they are told of themselves alone.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from storage.db.connection import transaction
from storage.reviews.blinding import hides
from storage.reviews.disagreements import read_docket
from storage.reviews.layers import PLAIN_CLAUSE
from storage.reviews.lead_notes import told
from storage.reviews.pace import Pace, pace
from storage.reviews.plans import PlanOptions, draw_plan, planned_reviewers, write_plan


@dataclass(frozen=True, slots=True)
class Colleague:
    """One reviewer. ``at``: time of their latest act (ISO 8601, UTC), "" if there is none; ``article``: what it was on.

    ``unsearched``: how many evaluations they are done with, and do not say that they searched for missed errors.
    ``told``: a note to them that they have not seen yet.
    """

    pace: Pace
    at: str
    article: str
    unsearched: int
    told: str

    @property
    def name(self) -> str:
        """The reviewer's name."""
        return self.pace.reviewer


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Evaluations that two or more are done with.

    ``shared``: findings, rubric points and errors of which at least two said something; ``alike``: of these, on how
    many all say the same. ``left``: disagreements that nobody has settled. ``waiting``: evaluations that whoever asks
    must speak on first, which are not counted.
    """

    evaluations: int
    shared: int
    alike: int
    left: int
    waiting: int


def read_team(connection: sqlite3.Connection, lead: str) -> list[Colleague]:
    """Return everybody who has work or did some, by name; as long as anything is hidden from a lead, nobody else."""
    names = {
        *planned_reviewers(connection),
        *(row[0] for row in connection.execute(f"SELECT DISTINCT r.reviewer FROM reviews r WHERE {PLAIN_CLAUSE}")),
    }
    if hides(connection, lead):
        names &= {lead}
    return [_colleague(connection, name) for name in sorted(names) if _works(connection, name)]


def _works(connection: sqlite3.Connection, name: str) -> bool:
    """Tell a colleague from a rater who is known from other tools' files alone."""
    row = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM assignments WHERE reviewer = ?1) "
        "OR EXISTS (SELECT 1 FROM events WHERE reviewer = ?1 AND kind <> 'imported')",
        (name,),
    ).fetchone()
    return bool(row[0])


def _colleague(connection: sqlite3.Connection, name: str) -> Colleague:
    latest = connection.execute(
        "SELECT v.at, coalesce(e.article, '') FROM events v LEFT JOIN evaluations e ON e.id = v.evaluation_id "
        "WHERE v.reviewer = ? AND v.kind <> 'imported' ORDER BY v.at DESC, v.id DESC LIMIT 1",
        (name,),
    ).fetchone()
    unsearched = connection.execute(
        "SELECT count(*) FROM reviews WHERE reviewer = ? AND state = 'done' AND search IS NULL", (name,)
    ).fetchone()[0]
    at, article = latest or ("", "")
    return Colleague(pace(connection, name), at, article, unsearched, told(connection, name))


def read_overlaps(connection: sqlite3.Connection, lead: str) -> Overlaps | None:
    """Return what reviewers agree about so far; None as long as anything is hidden from whoever asks."""
    if hides(connection, lead):
        return None
    docket = read_docket(connection, lead)
    return Overlaps(
        len(docket.cases),
        sum(each.shared for each in docket.cases),
        sum(each.alike for each in docket.cases),
        sum(each.left for each in docket.cases),
        docket.waiting,
    )


def hand_out(connection: sqlite3.Connection, reviewer: str, number: int, program: str) -> int:
    """Assign so many more evaluations to a reviewer, drawn as `plans` draws; return how many there were.

    Blind, if any that is theirs already is.
    """
    with transaction(connection):
        blind = connection.execute(
            "SELECT coalesce(max(blind), 0) FROM assignments WHERE reviewer = ?", (reviewer,)
        ).fetchone()[0]
        plan = draw_plan(connection, PlanOptions((reviewer,), number, blind=bool(blind)))
        if plan.drawn:
            write_plan(connection, plan, program)
    return len(plan.drawn)
