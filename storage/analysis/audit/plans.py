"""Plans of audits: whole articles drawn at random from what a judge scored, and what is frozen when they are drawn."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from storage.analysis.judge_scores import JudgedRows


@dataclass(frozen=True, slots=True)
class Frame:
    """Plans of audits: they freeze the frame, so that nothing said later can have decided what was drawn.

    ``judge`` and ``signatures``: whose scores balanced it. ``systems``: of which. ``of``: ids of all articles that
    could be drawn; ``articles``: of those that were. ``distances``: by direction, how far the judge's mean contrasts
    of these are from those of all that could be drawn, in points².
    """

    judge: str
    signatures: tuple[str, ...]
    criterion: str
    systems: tuple[str, ...]
    of: frozenset[str]
    articles: frozenset[str]
    distances: Mapping[str, float]

    def is_of(self, rows: JudgedRows) -> bool:
        """Return True if this judge, asked in the same way, is who it was balanced by."""
        mine, theirs = set(self.signatures), set(rows.signatures)
        return self.judge == rows.judge and (bool(mine & theirs) or not mine | theirs)

    def plain(self) -> dict[str, object]:
        """Return what is stored of it."""
        return {
            "judge": self.judge,
            "signatures": self.signatures,
            "criterion": self.criterion,
            "systems": self.systems,
            "of": sorted(self.of),
            "articles": sorted(self.articles),
            "distances": dict(self.distances),
        }


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """A plan of an audit that is kept: when it was made, and from which seed."""

    id: str
    at: str
    seed: int
    frame: Frame


def read_audit_plans(connection: sqlite3.Connection) -> list[AuditPlan]:
    """Return the plans of audits in the order they were made."""
    found = []
    for identity, at, seed, options in connection.execute(_PLANS):
        plain = json.loads(options)["audit"]
        frame = Frame(
            judge=plain["judge"],
            signatures=tuple(plain["signatures"]),
            criterion=plain["criterion"],
            systems=tuple(plain["systems"]),
            of=frozenset(plain["of"]),
            articles=frozenset(plain["articles"]),
            distances=plain["distances"],
        )
        found.append(AuditPlan(identity, at, seed, frame))
    return found


_PLANS = "SELECT id, at, seed, options FROM plans WHERE json_type(options, '$.audit') = 'object' ORDER BY at, id"
