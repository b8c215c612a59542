"""What one reviewer has said of an evaluation, as it stands: read from what is derived of the log."""

from __future__ import annotations

import json
import sqlite3

from judges.metric_s.human_score import Work
from judges.model import Finding, MarkedError, PointVerdict, Verdict
from storage.reviews.events import expanded, read_events
from storage.reviews.fold import Review, spans_of

_OF_ONE = "WHERE evaluation_id = ? AND reviewer = ?"


def findings_of(connection: sqlite3.Connection, evaluation_id: str) -> dict[str, Finding]:
    """Return an evaluation's findings by id, in their order, with what scoring needs of them."""
    return judged_of(connection, evaluation_id)[0]


def judged_of(connection: sqlite3.Connection, evaluation_id: str) -> tuple[dict[str, Finding], dict[str, str]]:
    """Return an evaluation's findings likewise, and of those that were dropped which finding stands for each."""
    rows = connection.execute(
        "SELECT id, judge, judge_index, category, severity, kept, rubric_point, duplicate_of FROM findings "
        "WHERE evaluation_id = ? ORDER BY number",
        (evaluation_id,),
    )
    findings, absorbed = {}, {}
    for identity, judge, index, category, severity, kept, point, duplicate in rows:
        findings[identity] = Finding(judge, index, "", "", category, "", severity, "", point, bool(kept))
        if duplicate is not None:
            absorbed[identity] = duplicate
    return findings, absorbed


def read_work(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> Work:
    """Return all that one reviewer has said of an evaluation, as it stands."""
    review = read_review(connection, evaluation_id, reviewer)
    return Work(
        verdicts_of(connection, evaluation_id, reviewer),
        errors_of(connection, evaluation_id, reviewer),
        points_of(connection, evaluation_id, reviewer),
        review.instruction,
        review.search == "done",
        review.blind,
    )


def numbers_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, int]:
    """Return the number, from 1, of each error that one reviewer marked, also of those that she has removed since.

    It is that of the marking, so that it stays the same whatever is marked later; what was undone has none, unless
    something that was said of it elsewhere brought it back.
    """
    where = (
        "evaluation_id = ?1 AND reviewer = ?2 AND kind IN ('error', 'imported') "
        "AND (id NOT IN (SELECT event_id FROM undone) OR finding_id IN "
        "(SELECT id FROM single_errors WHERE evaluation_id = ?1 AND reviewer = ?2))"
    )
    events = expanded(read_events(connection, where, (evaluation_id, reviewer)))
    marked = dict.fromkeys(str(event.finding_id) for event in events if event.kind == "error")
    return {identity: number for number, identity in enumerate(marked, 1)}


def read_review(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> Review:
    """Return the state of one reviewer's work on an evaluation."""
    row = connection.execute(
        f"SELECT state, reason, search, instruction, blind FROM reviews {_OF_ONE}", (evaluation_id, reviewer)
    ).fetchone()
    return Review(*row) if row else Review()


def verdicts_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, Verdict]:
    """Return one reviewer's present verdicts on an evaluation's findings, by finding id."""
    rows = connection.execute(
        "SELECT finding_id, decision, severity, category, dimension, duplicate_of, repeat_of, spans, invented, "
        f"matches, note FROM verdicts {_OF_ONE}",
        (evaluation_id, reviewer),
    )
    verdicts = {}
    for identity, decision, severity, category, dimension, duplicate, repeat, spans, invented, matches, note in rows:
        verdicts[identity] = Verdict(
            decision,
            severity,
            category,
            dimension,
            duplicate,
            repeat,
            None if spans is None else spans_of(json.loads(spans)),
            None if invented is None else bool(invented),
            matches,
            note,
        )
    return verdicts


def errors_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[str, MarkedError]:
    """Return the errors of an evaluation that one reviewer marked herself, by id, in the order of the source text."""
    rows = connection.execute(
        "SELECT id, dimension, category, severity, spans, repeat_of, missed, note, blind, category_label, "
        f"severity_label FROM marked_errors {_OF_ONE}",
        (evaluation_id, reviewer),
    )
    errors = [
        MarkedError(
            identity,
            dimension,
            category,
            severity,
            spans_of(json.loads(spans)) or (),
            repeat_of,
            missed and bool(missed),
            note,
            bool(blind),
            *labels,
        )
        for identity, dimension, category, severity, spans, repeat_of, missed, note, blind, *labels in rows
    ]
    return {error.id: error for error in sorted(errors, key=lambda error: (error.spans, error.id))}


def points_of(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> dict[int, PointVerdict]:
    """Return what one reviewer says of an evaluation's rubric points that are no findings, by their number."""
    rows = connection.execute(
        f"SELECT point, decision, note FROM point_verdicts {_OF_ONE} ORDER BY point", (evaluation_id, reviewer)
    )
    return {point: PointVerdict(decision, note) for point, decision, note in rows}
