"""The tables that follow from the review log: kept up to date with each event, and made anew from all at any time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from judges.metric_s.human_score import human_score
from judges.model import MarkedError, Verdict
from storage.db.connection import at_once, transaction
from storage.log.events import readable
from storage.reviews.events import FIELDS, POINT, Event, add_event, checked_entries
from storage.reviews.layers import layers_of, split_layer
from storage.reviews.review_state import TWINS, JudgedRecord, ReviewFold, read_fold

DERIVED = (
    *("verdicts", "single_errors", "single_blind_errors", "whole_passes", "point_verdicts", "reviews", "undone"),
    "contradictions",
)

LEFT_OUT = frozenset(("app_state", "_sqlite_migrations", "checked", "unreadable", *DERIVED))
"""Tables that are in no archive: what the app remembers for a reviewer, and what follows from the logs."""


Row: TypeAlias = tuple[Any, ...]


class Derived(NamedTuple):
    """All that follows from one reviewer's events on one evaluation, and the rows of it by table, as they are kept."""

    fold: ReviewFold
    rows: Mapping[str, Sequence[Row]]


def derive(
    connection: sqlite3.Connection,
    evaluation_id: str,
    reviewer: str,
    judged: JudgedRecord | None = None,
    before: Derived | None = None,
    event: Event | None = None,
) -> Derived:
    """Bring the derived tables up to date for an evaluation and a layer, and return what follows from their events.

    ``judged``: the judge's record, where it was read before. ``before``: what followed until now, if nothing was added
    but ``event``, the last of the log. Call inside a transaction.
    """
    every = [*before.fold.events, event] if before and event else None
    found = read_fold(connection, evaluation_id, reviewer, judged, every)
    of = {"evaluation": evaluation_id, "reviewer": reviewer}
    there = before.rows if every and before else _kept(connection, of)
    now = _rows(found)
    for table in _COLUMNS:
        if now[table] != there[table]:
            _keep(connection, table, of, now[table], there[table])
    undone, wanted = set(there["undone"]), set(now["undone"])
    connection.executemany("DELETE FROM undone WHERE event_id = ?", undone - wanted)
    connection.executemany("INSERT INTO undone VALUES (?)", wanted - undone)
    return Derived(found, now)


def blind_beside(connection: sqlite3.Connection, evaluation_id: str, reviewer: str) -> list[tuple[str, str]]:
    """The blind passes, by evaluation and layer, which end once a layer has seen an evaluation: the same person's."""
    rows = connection.execute(
        f"SELECT evaluation_id, reviewer FROM reviews WHERE (evaluation_id = ? OR evaluation_id IN ({TWINS})) "
        "AND reviewer IN (SELECT value FROM json_each(?)) AND blind IS NOT NULL",
        (evaluation_id, evaluation_id, json.dumps(layers_of(split_layer(reviewer)[0]))),
    )
    return [row for row in rows.fetchall() if row != (evaluation_id, reviewer)]


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


_LABELS = ("dimension", "category", "severity", "category_label", "severity_label")
_COLUMNS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "verdicts": (("finding_id",), (*FIELDS["verdict"], "at", "counter")),
    "single_errors": (("id",), (*_LABELS, "spans", "repeat_of", "missed", "note", "blind", "at")),
    "single_blind_errors": (("id",), (*_LABELS, "spans")),
    "point_verdicts": (("point",), ("decision", "note", "at", "counter")),
    "contradictions": (("subject", "event_id"), ("gave_way",)),
    "whole_passes": ((), ("event_id",)),
    "reviews": (
        (),
        (
            *("state", "reason", "search", "instruction", "blind", "decided", "unsure", "marked", "unconfirmed"),
            *("accuracy", "fluency", "appropriateness", "total", "at", "counter"),
        ),
    ),
}
"""The columns of each table: those by which a row of one review is known, and all others."""

_OF_ONE = "evaluation_id = :evaluation AND reviewer = :reviewer"
_WIDTH = max(len(key) + len(others) for key, others in _COLUMNS.values())


def _select(table: str, columns: Sequence[str], of: str) -> str:
    padded = (*columns, *["NULL"] * (_WIDTH - len(columns)))
    return f"SELECT '{table}', {', '.join(padded)} FROM {of}"


_KEPT = " UNION ALL ".join(
    (
        *(_select(table, (*key, *others), f"{table} WHERE {_OF_ONE}") for table, (key, others) in _COLUMNS.items()),
        _select("undone", ["event_id"], f"undone JOIN events ON id = event_id WHERE {_OF_ONE}"),
    )
)


def _kept(connection: sqlite3.Connection, of: Mapping[str, str]) -> dict[str, list[Row]]:
    """The derived rows of one reviewer on one evaluation, as they were before."""
    kept: dict[str, list[Row]] = {table: [] for table in (*_COLUMNS, "undone")}
    widths = {table: len(key) + len(others) for table, (key, others) in _COLUMNS.items()} | {"undone": 1}
    for table, *row in connection.execute(_KEPT, of):
        kept[table].append(tuple(row[: widths[table]]))
    return kept


def _keep(
    connection: sqlite3.Connection, table: str, of: Mapping[str, str], rows: Sequence[Row], there: Sequence[Row]
) -> None:
    """Keep these rows in place of those that were there; what is the same already is left alone."""
    key, others = _COLUMNS[table]
    before, now = ({row[: len(key)]: row for row in each} for each in (there, rows))
    subject = tuple(of.values())
    if stale := [(*subject, *each) for each in before.keys() - now.keys()]:
        of_row = " AND ".join(f"{name} = ?" for name in ("evaluation_id", "reviewer", *key))
        connection.executemany(f"DELETE FROM {table} WHERE {of_row}", stale)
    if new := [(*subject, *row) for each, row in now.items() if before.get(each) != row]:
        names = ", ".join(("evaluation_id", "reviewer", *key, *others))
        marks = ", ".join("?" * len(new[0]))
        connection.executemany(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", new)


def _rows(found: ReviewFold) -> dict[str, list[Row]]:
    """The derived rows of one reviewer on one evaluation, by table, with their columns in the order of ``_COLUMNS``."""
    standing, last = found.standing, found.standing.last
    return {
        "verdicts": [
            (identity, *_values(said, FIELDS["verdict"]), last[identity].at, last[identity].counter)
            for identity, said in standing.verdicts.items()
        ],
        "single_errors": [
            (*_error(error), error.repeat_of, error.missed, error.note, error.blind, last[identity].at)
            for identity, error in standing.errors.items()
        ],
        "single_blind_errors": [_error(error) for error in found.blind_errors.values()],
        "point_verdicts": [
            (number, said.decision, said.note, last[f"{POINT}{number}"].at, last[f"{POINT}{number}"].counter)
            for number, said in standing.points.items()
        ],
        "contradictions": [
            (each.subject, each.event_id, json.dumps(each.gave_way, ensure_ascii=False, sort_keys=True))
            for each in standing.contradictions
        ],
        "whole_passes": [(found.whole.id,)] if found.whole else [],
        "reviews": [_review_row(found)] if found.review.state != "not_opened" else [],
        "undone": [(event_id,) for event_id in found.undone],
    }


def _error(error: MarkedError) -> Row:
    return (error.id, *_values(error, (*_LABELS, "spans")))


def _values(said: Verdict | MarkedError, names: tuple[str, ...]) -> Row:
    values: Row = _getter(names)(said)
    if tuple not in map(type, values):
        return values
    return tuple(json.dumps(value) if isinstance(value, tuple) else value for value in values)


@cache
def _getter(names: tuple[str, ...]) -> attrgetter[Row]:
    return attrgetter(*names)


def _review_row(found: ReviewFold) -> Row:
    review, work, judged, latest = found.review, found.work, found.judged, found.events[-1]
    decisions = [
        work.verdicts[identity].decision
        for identity, finding in judged.findings.items()
        if finding.kept and identity in work.verdicts
    ]
    human = human_score(judged.state, judged.findings, work, judged.weights) if judged.state else None
    return (
        *(review.state, review.reason, review.search, review.instruction, review.blind),
        *(sum(each is not None for each in decisions), decisions.count("unsure"), len(work.errors)),
        len(work.unconfirmed),
        *((human.accuracy, human.fluency, human.appropriateness, human.total) if human else (None,) * 4),
        *(latest.at, latest.counter),
    )


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the derived tables anew from the log alone: all at once, within a transaction that is open or its own."""
    with at_once(connection):
        for table in DERIVED:
            connection.execute(f"DELETE FROM {table}")
        query = (
            f"SELECT DISTINCT evaluation_id, reviewer FROM events WHERE evaluation_id <> '' AND {readable('events')}"
        )
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
