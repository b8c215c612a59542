"""Pace of a reviewer through what is assigned to them, and the time that the rest should take."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from storage.reviews.blinding import ASKED, HIDDEN_CLAUSE, Blinding, blinding_of
from storage.reviews.layers import layer_of

if TYPE_CHECKING:
    from storage.reviews.plans import AssignedFor

ENOUGH = 3
"""Evaluations that a reviewer must have done, with their time kept, before anything is said of their pace."""


@dataclass(frozen=True, slots=True)
class Speed:
    """The speed of a reviewer, pauses left out, over the evaluations that they have done with their time kept.

    ``a_finding``: seconds on a finding; ``besides``: seconds on an evaluation that are on none of its findings, such as
    reading and searching for missed errors. Both are medians over evaluations, the first of each one's mean.
    """

    evaluations: int
    findings: int
    seconds: float
    a_finding: float
    besides: float

    @property
    def evaluations_an_hour(self) -> float:
        """Evaluations done in an hour."""
        return 3600 * self.evaluations / self.seconds

    @property
    def findings_an_hour(self) -> float:
        """Findings decided in an hour, all that was done beside them included."""
        return 3600 * self.findings / self.seconds


@dataclass(frozen=True, slots=True)
class Pace:
    """The progress of a reviewer with what is assigned to them, and the time that the rest should take.

    Counts are of assignments; ``done_for``, ``assigned_for``: by purpose. ``findings_left``: those not decided, in all
    that is neither done nor skipped; as many as usual for an evaluation whose findings are hidden from them.
    ``speed``: None until enough is known.
    """

    reviewer: str
    assigned: int = 0
    done: int = 0
    in_progress: int = 0
    skipped: int = 0
    assigned_for: Mapping[AssignedFor, int] = field(default_factory=dict)
    done_for: Mapping[AssignedFor, int] = field(default_factory=dict)
    findings_left: float = 0.0
    speed: Speed | None = None

    @property
    def left(self) -> int:
        """Evaluations that are neither done nor skipped."""
        return self.assigned - self.done - self.skipped

    @property
    def seconds_left(self) -> float | None:
        """Return how long the rest should take: each finding that is left, and what an evaluation takes besides."""
        if self.speed is None:
            return None
        return self.findings_left * self.speed.a_finding + self.left * self.speed.besides


def pace(connection: sqlite3.Connection, reviewer: str) -> Pace:
    """Return how far and how fast a reviewer is, without a number that is of what is hidden from them."""
    layers, blinding = (reviewer, layer_of(reviewer, "again")), blinding_of(connection, reviewer)
    rows = []
    for layer in layers:
        rows += connection.execute(
            "SELECT min(a.purpose), coalesce(r.state, 'not_opened'), e.errors, coalesce(r.decided, 0), "
            f"{HIDDEN_CLAUSE} FROM {ASKED} JOIN assignments a ON a.evaluation_id = e.id AND a.layer = e.layer "
            "LEFT JOIN reviews r ON r.evaluation_id = e.id AND r.reviewer = e.layer GROUP BY e.id",
            (blinding, layer),
        ).fetchall()
    speed, usual = _speed(connection, layers, blinding)
    states: Counter[str] = Counter()
    assigned: Counter[AssignedFor] = Counter()
    done: Counter[AssignedFor] = Counter()
    left = 0.0
    for purpose, state, errors, decided, hidden in rows:
        states[state] += 1
        assigned[purpose] += 1
        if state == "done":
            done[purpose] += 1
        elif state != "skipped":
            left += usual if hidden else max(0, errors - decided)
    return Pace(
        reviewer=reviewer,
        assigned=len(rows),
        done=states["done"],
        in_progress=states["in_progress"],
        skipped=states["skipped"],
        assigned_for=assigned,
        done_for=done,
        findings_left=left,
        speed=speed,
    )


def _speed(connection: sqlite3.Connection, layers: tuple[str, str], blinding: Blinding) -> tuple[Speed | None, float]:
    """The speed of a reviewer, and how many findings an evaluation usually has: of those that are shown to them.

    What they were done with and have not revealed counts with its time, and as if the judge had found nothing.
    """
    spent: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    findings: dict[tuple[str, str], int] = {}
    for layer, evaluation, errors, on_finding, seconds in connection.execute(
        f"SELECT t.reviewer, t.evaluation, CASE WHEN {HIDDEN_CLAUSE} THEN NULL ELSE e.errors END, f.id IS NOT NULL, "
        f"t.seconds FROM v_time t JOIN {ASKED} ON e.id = t.evaluation "
        "JOIN reviews r ON r.evaluation_id = t.evaluation AND r.reviewer = t.reviewer AND r.state = 'done' "
        "LEFT JOIN findings f ON f.id = t.subject WHERE t.reviewer IN (?2, ?3)",
        (blinding, *layers),
    ):
        spent[layer, evaluation][bool(on_finding)] += seconds
        if errors is not None:
            findings[layer, evaluation] = errors
    if len(spent) < ENOUGH:
        return None, 0.0
    from statistics import median  # opening the queue does not wait for it

    with_findings = [spent[each][True] / count for each, count in findings.items() if count]
    speed = Speed(
        len(spent),
        sum(findings.values()),
        sum(map(sum, spent.values())),
        median(with_findings) if with_findings else 0.0,
        median(besides for besides, _ in spent.values()),
    )
    return speed, median(findings.values()) if findings else 0.0
