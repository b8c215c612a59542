"""The tables that follow from the review log: kept up to date with each event, and made anew from all at any time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judges.metric_s.human_score import Work, human_score
from judges.model import Finding, MarkedError, Places, Score
from storage.db.connection import transaction
from storage.db.logs import readable
from storage.record.library import read_signature
from storage.reviews.events import (
    ACTS,
    FIELDS,
    POINT,
    Event,
    add_event,
    begins,
    checked_entries,
    expanded,
    passes_of,
    read_events,
    undone_ids,
)
from storage.reviews.fold import BlindPass, Review, Standing, fold, fold_blind, review_of
from storage.reviews.layers import layers_of, split_layer
from storage.reviews.review_state import errors_of, judged_of

DERIVED = (
    *("verdicts", "single_errors", "single_blind_errors", "whole_passes", "point_verdicts", "reviews", "undone"),
    "contradictions",
)

LEFT_OUT = frozenset(("app_state", "_sqlite_migrations", "checked", "unreadable", *DERIVED))
"""Tables that are in no archive: what the app remembers for a reviewer, and what follows from the logs."""

_OF_ONE = "WHERE evaluation_id = ? AND reviewer = ?"


def derive(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> None:
    """Bring the derived tables up to date for an evaluation and a layer. Call inside a transaction."""
    subject = {"evaluation_id": evaluation_id, "reviewer": reviewer}
    of_all = list(read_events(connection, "evaluation_id = ? AND reviewer = ?", (evaluation_id, reviewer)))
    events = [event for event in of_all if event.kind not in ("time", "hiding")]
    _keep_undone(connection, events)
    passes, gone = passes_of(events)
    whole = len(passes) == 1 and _is_untouched(connection, evaluation_id, reviewer)
    if passes:
        _put(connection, "whole_passes", subject, {"event_id": passes[0].id} if whole else None)
    events = [event for event in expanded(events) if not (whole and event.kind == "error")]
    if gone:
        events = [_without_links(event, gone) for event in events]
    had_blind = any(event.kind == "blind" for event in events)
    blind = _blind_pass(connection, evaluation_id, reviewer) if had_blind else None
    before = [event for event in events if blind.holds(event)] if blind else []
    marked = {str(event.finding_id) for event in before if event.kind == "error"}
    findings, absorbed = judged_of(connection, evaluation_id)
    standing = fold(events, findings, absorbed, marked)
    then = standing.errors if before == events else fold(before, findings, absorbed).errors if before else {}
    _keep(connection, "verdicts", subject, _verdict_rows(standing))
    _keep(connection, "single_errors", subject, _error_rows(standing))
    _keep(connection, "single_blind_errors", subject, {identity: _labels(error) for identity, error in then.items()})
    _keep(
        connection,
        "point_verdicts",
        subject,
        {n: (said.decision, said.note, *_when(standing, f"{POINT}{n}")) for n, said in standing.points.items()},
    )
    _keep_contradictions(connection, subject, standing)
    errors = errors_of(connection, evaluation_id, reviewer) if whole else _in_order(standing.errors)
    work = Work(standing.verdicts, errors, standing.points)
    work = replace(work, blind=blind.stage if blind else None)
    opened = any(event.kind == "opened" for event in events)
    review = review_of(standing.review, bool(opened or work.verdicts or work.errors or work.points), work.blind)
    _put(
        connection,
        "reviews",
        subject,
        None
        if review.state == "not_opened"
        else _review_row(connection, evaluation_id, review, work, findings, of_all[-1]),
    )


def _without_links(event: Event, gone: Collection[str]) -> Event:
    """An event without what it says of errors that came with an imported pass which no longer stands."""
    links = [name for name in ("repeat_of", "matches") if begins(event.changes.get(name)) in gone]
    return replace(event, changes=event.changes | dict.fromkeys(links)) if links else event


def _is_untouched(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> bool:
    """Whether all that a person did about a translation that no judge was asked about came from other tools' files."""
    layers = json.dumps(layers_of(split_layer(reviewer)[0]))
    done = connection.execute(_DONE, (evaluation_id, layers)).fetchall()
    state = connection.execute("SELECT state FROM evaluations WHERE id = ?", (evaluation_id,)).fetchone()
    return done == [(reviewer, "imported")] and state == ("not_judged",)


_DONE = f"""
SELECT DISTINCT reviewer, kind FROM events
WHERE evaluation_id = ? AND reviewer IN (SELECT value FROM json_each(?)) AND {readable("events")} LIMIT 2
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


def _keep_undone(connection: sqlite3.Connection, events: Sequence[Event]) -> None:
    """Keep which of these acts are undone."""
    undone = undone_ids(events)
    targets = {event.target for event in events if event.kind in ("undo", "redo")}
    for event in events if targets else ():
        if event.kind in ACTS and event.id in undone:
            connection.execute("INSERT OR IGNORE INTO undone VALUES (?)", (event.id,))
        elif event.id in targets:
            connection.execute("DELETE FROM undone WHERE event_id = ?", (event.id,))


def derive_all(connection: sqlite3.Connection, subjects: Iterable[tuple[str, str]]) -> None:
    """Bring the derived tables up to date for many (evaluation, layer). Call inside a transaction."""
    wanted = set(subjects)
    for each in sorted(wanted):
        derive(connection, *each)
    beside = {other for each in wanted for other in blind_beside(connection, *each)}
    for other in sorted(beside - wanted):
        derive(connection, *other)


def derive_waiting(connection: sqlite3.Connection, stored: str, values: Sequence[Any] = ()) -> None:
    """Derive what follows from events that were here before their evaluations. Call inside a transaction.

    ``stored`` selects the ids of evaluations that are new: verdicts may have come, from another's log, before them.
    """
    query = (
        "SELECT DISTINCT evaluation_id, reviewer FROM events "
        f"WHERE evaluation_id IN ({stored}) AND {readable('events')}"
    )
    derive_all(connection, connection.execute(query, values).fetchall())


def _put(connection: sqlite3.Connection, table: str, subject: Mapping[str, str], row: dict[str, Any] | None) -> None:
    """Keep one derived row in place of what was there; none where nothing follows."""
    where = " AND ".join(f"{name} = ?" for name in subject)
    connection.execute(f"DELETE FROM {table} WHERE {where}", tuple(subject.values()))
    if row is not None:
        row = {**subject, **row}
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


_LABELS = ("dimension", "category", "severity", "category_label", "severity_label")
_ROWS: dict[str, tuple[str, ...]] = {
    "verdicts": ("finding_id", *FIELDS["verdict"], "at", "counter"),
    "single_errors": ("id", *_LABELS, "spans", "repeat_of", "missed", "note", "blind", "at"),
    "single_blind_errors": ("id", *_LABELS, "spans"),
    "point_verdicts": ("point", "decision", "note", "at", "counter"),
}
"""By table the columns of what is kept for one layer on one evaluation, by which a row is known first."""


def _keep(
    connection: sqlite3.Connection, table: str, subject: Mapping[str, str], rows: Mapping[Any, tuple[Any, ...]]
) -> None:
    """Keep these rows, by what each is of, in place of what was there; what is the same already is left alone."""
    key, *names = _ROWS[table]
    of = tuple(subject.values())
    columns = ", ".join((key, *names))
    there = {row[0]: row[1:] for row in connection.execute(f"SELECT {columns} FROM {table} {_OF_ONE}", of)}
    stale = [(*of, each) for each, row in there.items() if rows.get(each) != row]
    if stale:
        connection.executemany(f"DELETE FROM {table} {_OF_ONE} AND {key} = ?", stale)
    if new := [(*of, each, *row) for each, row in rows.items() if there.get(each) != row]:
        marks = ", ".join("?" * len(new[0]))
        connection.executemany(f"INSERT INTO {table} (evaluation_id, reviewer, {columns}) VALUES ({marks})", new)


def _verdict_rows(standing: Standing) -> dict[str, tuple[Any, ...]]:
    rows = {}
    for identity, said in standing.verdicts.items():
        links = said.duplicate_of, said.repeat_of, _json(said.spans), said.invented, said.matches, said.note
        rows[identity] = (
            said.decision,
            said.severity,
            said.category,
            said.dimension,
            *links,
            *_when(standing, identity),
        )
    return rows


def _when(standing: Standing, subject: str) -> tuple[str, int]:
    """The time of the last act on a subject, and its place in the log."""
    last = standing.last[subject]
    return last.at, last.counter


def _error_rows(standing: Standing) -> dict[str, tuple[Any, ...]]:
    return {
        identity: (*_labels(error), error.repeat_of, error.missed, error.note, error.blind, standing.last[identity].at)
        for identity, error in standing.errors.items()
    }


def _labels(error: MarkedError) -> tuple[Any, ...]:
    return *(getattr(error, name) for name in _LABELS), _json(error.spans)


def _in_order(errors: Mapping[str, MarkedError]) -> dict[str, MarkedError]:
    return {error.id: error for error in sorted(errors.values(), key=lambda error: (error.spans, error.id))}


def _json(spans: Places | None) -> str | None:
    return None if spans is None else json.dumps(spans)


def _keep_contradictions(connection: sqlite3.Connection, subject: Mapping[str, str], standing: Standing) -> None:
    of = tuple(subject.values())
    rows = [
        (*of, each.subject, each.event_id, json.dumps(each.gave_way, ensure_ascii=False, sort_keys=True))
        for each in standing.contradictions
    ]
    connection.execute(f"DELETE FROM contradictions {_OF_ONE}", of)
    if rows:
        connection.executemany("INSERT INTO contradictions VALUES (?, ?, ?, ?, ?)", rows)


def _review_row(
    connection: sqlite3.Connection,
    evaluation_id: str,
    review: Review,
    said: Work,
    findings: Mapping[str, Finding],
    latest: Event,
) -> dict[str, Any]:
    """The row of a review; ``latest``: what its reviewer did last."""
    work = replace(said, instruction=review.instruction, search_done=review.search == "done")
    decided = unsure = 0
    row = connection.execute("SELECT state, signature_id FROM evaluations WHERE id = ?", (evaluation_id,)).fetchone()
    human: Score | None = None
    if row:
        for identity, finding in findings.items():
            decision = work.verdicts[identity].decision if identity in work.verdicts else None
            decided += finding.kept and decision is not None
            unsure += finding.kept and decision == "unsure"
        human = human_score(row[0], findings, work, read_signature(connection, row[1])[1])
    points_row = (human.accuracy, human.fluency, human.appropriateness, human.total) if human else (None,) * 4
    return {
        "state": review.state,
        "reason": review.reason,
        "decided": decided,
        "unsure": unsure,
        **dict(zip(("accuracy", "fluency", "appropriateness", "total"), points_row, strict=True)),
        "at": latest.at,
        "counter": latest.counter,
        "search": review.search,
        "instruction": review.instruction,
        "blind": review.blind,
        "marked": len(work.errors),
        "unconfirmed": len(work.unconfirmed),
    }


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the derived tables anew from the log alone."""
    with transaction(connection):
        rebuild_within(connection)


def rebuild_within(connection: sqlite3.Connection) -> None:
    """Make the derived tables anew from the log alone. Call inside a transaction."""
    for table in DERIVED:
        connection.execute(f"DELETE FROM {table}")
    query = f"SELECT DISTINCT evaluation_id, reviewer FROM events WHERE evaluation_id <> '' AND {readable('events')}"
    derive_all(connection, connection.execute(query).fetchall())


def merge(connection: sqlite3.Connection, events: Iterable[Event]) -> int:
    """Add events of another log; return how many were new. Order and repetition do not matter."""
    touched: set[tuple[str, str]] = set()
    added = 0
    with transaction(connection), checked_entries(connection):
        for event in events:
            if add_event(connection, event):
                added += 1
                touched.add((event.evaluation_id, event.reviewer))
        derive_all(connection, touched)
    return added
