"""The tables that follow from the review log: kept up to date with each event, and made anew from all at any time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from judges.metric_s.reviewing import Work, human_score
from judges.model import NO_VERDICT, Places, Score
from storage.connection import transaction
from storage.events import (
    ACTS,
    FIELDS,
    POINT,
    READABLE,
    Event,
    add_event,
    begins,
    checked_entries,
    expanded,
    passes_of,
    read_events,
    undone_ids,
)
from storage.layers import layers_of, split_layer
from storage.library import read_signature
from storage.review_standing import (
    BlindPass,
    fold_blind,
    fold_error,
    fold_point,
    fold_review,
    fold_verdict,
)
from storage.review_work import errors_of, findings_of, points_of, verdicts_of

DERIVED = ("verdicts", "single_errors", "single_blind_errors", "whole_passes", "point_verdicts", "reviews", "undone")

_OF_ONE = "WHERE evaluation_id = ? AND reviewer = ?"


def derive(
    connection: sqlite3.Connection, evaluation_id: str, reviewer: str, finding_ids: Collection[str | None] = (None,)
) -> None:
    """Bring the derived tables up to date for an evaluation and these findings of it. Call inside a transaction."""
    wanted = [identity for identity in finding_ids if identity is not None]
    by_finding: dict[str | None, list[Event]] = {None: []}
    for event in read_events(
        connection,
        "evaluation_id = ? AND reviewer = ? AND (finding_id IS NULL OR finding_id IN (SELECT value FROM json_each(?)))",
        (evaluation_id, reviewer, json.dumps(wanted)),
    ):
        by_finding.setdefault(event.finding_id, []).append(event)
    of_evaluation = by_finding.pop(None)
    subject = {"evaluation_id": evaluation_id, "reviewer": reviewer}
    passes, gone = passes_of(of_evaluation)
    every, whole = None in finding_ids, False
    if passes:
        whole = len(passes) == 1 and _is_untouched(connection, evaluation_id, reviewer)
        every |= bool(connection.execute(f"SELECT 1 FROM whole_passes {_OF_ONE}", tuple(subject.values())).fetchone())
        _put(connection, "whole_passes", subject, {"event_id": passes[0].id} if whole else None)
        if every:
            for table in _SINGLE:
                connection.execute(f"DELETE FROM {table} {_OF_ONE}", tuple(subject.values()))
    by_finding = {identity: events for identity, events in by_finding.items() if begins(identity) not in gone}
    of_evaluation = list(expanded(of_evaluation))
    marked_elsewhere = [event for event in of_evaluation if event.kind == "error"]
    of_evaluation = [event for event in of_evaluation if event.kind != "error"]
    for event in marked_elsewhere if not whole else ():
        if every or event.finding_id in wanted:
            by_finding[event.finding_id] = [event, *by_finding.get(event.finding_id, ())]
    had_blind = any(event.kind == "blind" for event in of_evaluation)
    blind = _blind_pass(connection, evaluation_id, reviewer) if had_blind else None
    errors = {identity for identity, events in by_finding.items() if any(event.kind == "error" for event in events)}
    for identity, events in by_finding.items():
        standing = _standing(connection, events)
        if identity in errors:
            _derive_error(connection, subject, str(identity), events, blind)
        elif str(identity).startswith(POINT):
            _derive_point(connection, subject, str(identity), standing)
        else:
            _derive_verdict(connection, subject, str(identity), standing)
    if had_blind and not whole and not errors.issuperset(finding_ids):
        # Which of them were marked blind may have changed.
        _derive_errors(connection, subject, blind, {str(event.finding_id): event for event in marked_elsewhere}, gone)
    opened = any(event.kind == "opened" for event in of_evaluation)
    _derive_review(connection, subject, opened, _standing(connection, of_evaluation), blind)


_SINGLE = ("single_errors", "single_blind_errors")
"""Where errors are that were marked one by one, or in a pass that somebody went on with."""


def _is_untouched(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> bool:
    """Whether all that a person did about a translation that no judge was asked about came from other tools' files."""
    layers = json.dumps(layers_of(split_layer(reviewer)[0]))
    done = connection.execute(_DONE, (evaluation_id, layers)).fetchall()
    state = connection.execute("SELECT state FROM evaluations WHERE id = ?", (evaluation_id,)).fetchone()
    return done == [(reviewer, "imported")] and state == ("not_judged",)


_DONE = f"""
SELECT DISTINCT reviewer, kind FROM events
WHERE evaluation_id = ? AND reviewer IN (SELECT value FROM json_each(?)) AND {READABLE} LIMIT 2
"""


def _blind_pass(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> BlindPass | None:
    """The blind pass of a layer on an evaluation, by what its person saw of the translation anywhere."""
    layers = json.dumps(layers_of(split_layer(reviewer)[0]))
    where = (
        f"(evaluation_id = ? OR evaluation_id IN ({_TWINS})) AND reviewer IN (SELECT value FROM json_each(?)) "
        "AND kind IN ('opened', 'blind', 'imported', 'verdict', 'point')"
    )
    events = read_events(connection, where, (evaluation_id, evaluation_id, layers))
    return fold_blind(expanded(events), evaluation_id, reviewer)


_TWINS = (
    "SELECT n.id FROM evaluations m JOIN evaluations n ON n.translation_id = m.translation_id "
    "WHERE m.id = ? AND m.state <> 'not_judged' AND n.state <> 'not_judged'"
)
"""The evaluations of the same translation, where there is a judge's record to be seen."""


def blind_beside(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> list[tuple[str, str]]:
    """The blind passes, by evaluation and layer, which end once a layer has seen an evaluation: the same person's."""
    rows = connection.execute(
        f"SELECT evaluation_id, reviewer FROM reviews WHERE (evaluation_id = ? OR evaluation_id IN ({_TWINS})) "
        "AND reviewer IN (SELECT value FROM json_each(?)) AND blind IS NOT NULL",
        (evaluation_id, evaluation_id, json.dumps(layers_of(split_layer(reviewer)[0]))),
    )
    return [row for row in rows.fetchall() if row != (evaluation_id, reviewer)]


def _standing(connection: sqlite3.Connection, events: Sequence[Event]) -> list[Event]:
    """Keep which of these acts are undone, and return those that are not."""
    undone = undone_ids(events)
    standing = []
    for event in events:
        if event.kind in ACTS:
            if event.id in undone:
                connection.execute("INSERT OR IGNORE INTO undone VALUES (?)", (event.id,))
            else:
                connection.execute("DELETE FROM undone WHERE event_id = ?", (event.id,))
                standing.append(event)
    return standing


def derive_all(connection: sqlite3.Connection, subjects: Iterable[tuple[str, str, str | None]]) -> None:
    """Bring the derived tables up to date for many (evaluation, reviewer, finding). Call inside a transaction."""
    grouped: dict[tuple[str, str], set[str | None]] = {}
    for evaluation_id, reviewer, finding_id in subjects:
        grouped.setdefault((evaluation_id, reviewer), set()).add(finding_id)
    for (evaluation_id, reviewer), findings in grouped.items():
        derive(connection, evaluation_id, reviewer, findings)
    beside = {other for subject in grouped for other in blind_beside(connection, *subject)}
    for other in sorted(beside - grouped.keys()):
        derive(connection, *other)


def derive_waiting(connection: sqlite3.Connection, stored: str, values: Sequence[Any] = ()) -> None:
    """Derive what follows from events that were here before their evaluations. Call inside a transaction.

    ``stored`` selects the ids of evaluations that are new: verdicts may have come, from another's log, before them.
    """
    query = f"SELECT DISTINCT evaluation_id, reviewer, finding_id FROM events WHERE evaluation_id IN ({stored})"
    query += f" AND {READABLE}"
    derive_all(connection, connection.execute(query, values).fetchall())


def _put(connection: sqlite3.Connection, table: str, subject: Mapping[str, str], row: dict[str, Any] | None) -> None:
    """Keep one derived row in place of what was there; none where nothing follows."""
    where = " AND ".join(f"{name} = ?" for name in subject)
    connection.execute(f"DELETE FROM {table} WHERE {where}", tuple(subject.values()))
    if row is not None:
        row = {**subject, **row}
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


def _derive_verdict(
    connection: sqlite3.Connection, subject: Mapping[str, str], finding_id: str, standing: list[Event]
) -> None:
    verdict = fold_verdict(standing)
    row = None if verdict == NO_VERDICT else {name: getattr(verdict, name) for name in FIELDS["verdict"]}
    if row:
        row |= {"spans": _json(verdict.spans), "at": standing[-1].at, "counter": standing[-1].counter}
    _put(connection, "verdicts", {**subject, "finding_id": finding_id}, row)


def _derive_point(
    connection: sqlite3.Connection, subject: Mapping[str, str], finding_id: str, standing: list[Event]
) -> None:
    point = fold_point(standing)
    row: dict[str, Any] | None = None
    if point:
        row = {name: getattr(standing[-1], name) for name in ("at", "counter")}
        row |= {"decision": point.decision, "note": point.note}
    _put(connection, "point_verdicts", {**subject, "point": finding_id.removeprefix(POINT)}, row)


def _derive_errors(
    connection: sqlite3.Connection,
    subject: Mapping[str, str],
    blind: BlindPass | None,
    elsewhere: Mapping[str, Event],
    gone: Collection[str],
) -> None:
    """Derive all errors that the reviewer marked; ``elsewhere``: those that came with an imported pass, by id.

    ``gone``: what the ids of those begin with that came with one that no longer stands.
    """
    chosen = "evaluation_id = ? AND reviewer = ? AND finding_id IN (SELECT e.finding_id FROM events e WHERE"
    values = tuple(subject.values())
    by_error: dict[str, list[Event]] = {identity: [event] for identity, event in elsewhere.items()}
    for event in read_events(
        connection, f"{chosen} e.evaluation_id = ? AND e.reviewer = ? AND e.kind = 'error')", values * 2
    ):
        if begins(event.finding_id) not in gone:
            by_error.setdefault(str(event.finding_id), []).append(event)
    for identity, events in by_error.items():
        _derive_error(connection, subject, identity, events, blind)


def _derive_error(
    connection: sqlite3.Connection,
    subject: Mapping[str, str],
    identity: str,
    events: Sequence[Event],
    blind: BlindPass | None,
) -> None:
    """Derive an error as it stands, and as it stood when the judge's record was shown, if it was marked before."""
    before = [event for event in events if blind and blind.holds(event)]
    for table, then in zip(_SINGLE, (events, before), strict=True):
        undone = undone_ids(then)
        standing = [event for event in then if event.kind == "error" and event.id not in undone]
        error = fold_error(identity, standing, any(event.kind == "error" for event in before))
        row: dict[str, Any] | None = None
        if error is not None:
            names = ("dimension", "category", "severity", "category_label", "severity_label")
            row = {name: getattr(error, name) for name in names} | {"spans": _json(error.spans)}
            if then is events:
                row |= {name: getattr(error, name) for name in ("repeat_of", "missed", "note", "blind")}
                row["at"] = standing[-1].at
        _put(connection, table, {**subject, "id": identity}, row)


def _json(spans: Places | None) -> str | None:
    return None if spans is None else json.dumps(spans)


def _derive_review(
    connection: sqlite3.Connection,
    subject: Mapping[str, str],
    opened: bool,
    standing: Sequence[Event],
    blind: BlindPass | None,
) -> None:
    evaluation_id, reviewer = subject.values()
    verdicts = verdicts_of(connection, evaluation_id, reviewer)
    errors = errors_of(connection, evaluation_id, reviewer)
    points = points_of(connection, evaluation_id, reviewer)
    review = fold_review(standing, bool(opened or verdicts or errors or points), blind.stage if blind else None)
    if review.state == "not_opened":
        _put(connection, "reviews", subject, None)
        return
    work = Work(verdicts, errors, points, review.instruction, review.search == "done", review.blind)
    decided = unsure = 0
    row = connection.execute("SELECT state, signature_id FROM evaluations WHERE id = ?", (evaluation_id,)).fetchone()
    human: Score | None = None
    if row:
        findings = findings_of(connection, evaluation_id)
        for identity, finding in findings.items():
            decision = verdicts[identity].decision if identity in verdicts else None
            decided += finding.kept and decision is not None
            unsure += finding.kept and decision == "unsure"
        human = human_score(row[0], findings, work, read_signature(connection, row[1])[1])
    counter, latest = connection.execute(_LATEST, (evaluation_id, reviewer)).fetchone()
    points_row = (human.accuracy, human.fluency, human.appropriateness, human.total) if human else (None,) * 4
    _put(
        connection,
        "reviews",
        subject,
        {
            "state": review.state,
            "reason": review.reason,
            "decided": decided,
            "unsure": unsure,
            **dict(zip(("accuracy", "fluency", "appropriateness", "total"), points_row, strict=True)),
            "at": latest,
            "counter": counter,
            "search": review.search,
            "instruction": review.instruction,
            "blind": review.blind,
            "marked": len(work.errors),
            "unconfirmed": len(work.unconfirmed),
        },
    )


_LATEST = f"""
SELECT counter, at FROM events WHERE evaluation_id = ? AND reviewer = ? AND {READABLE}
ORDER BY +counter DESC, +at DESC, +id DESC LIMIT 1
"""
"""When a reviewer did her latest act on an evaluation; the signs keep SQLite from walking through all she ever did."""


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the derived tables anew from the log alone."""
    with transaction(connection):
        rebuild_within(connection)


def rebuild_within(connection: sqlite3.Connection) -> None:
    """Make the derived tables anew from the log alone. Call inside a transaction."""
    for table in DERIVED:
        connection.execute(f"DELETE FROM {table}")
    query = f"SELECT DISTINCT evaluation_id, reviewer, finding_id FROM events WHERE {READABLE}"
    derive_all(connection, connection.execute(query).fetchall())


def merge(connection: sqlite3.Connection, events: Iterable[Event]) -> int:
    """Add events of another log; return how many were new. Order and repetition do not matter."""
    touched: set[tuple[str, str, str | None]] = set()
    added = 0
    with transaction(connection), checked_entries(connection):
        for event in events:
            if add_event(connection, event):
                added += 1
                touched.add((event.evaluation_id, event.reviewer, event.finding_id))
        derive_all(connection, sorted(touched, key=lambda subject: (*subject[:2], subject[2] or "")))
    return added
