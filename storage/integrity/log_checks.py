"""Checks of a library that another program may have written to: what nothing can be made of is left out, by name.

The rows of both logs stay as they are, since a log only grows. Which of them are unreadable is kept beside them, and
nothing that is read or derived knows of these. A library is looked at anew from where it was looked at before; all of
it is, once its schema has changed, since no row can be changed as long as the triggers are there.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from storage.base.errors import Fault, StorageError
from storage.benchmark.events import BUILD_EVENTS
from storage.db.connection import Connection, is_still, transaction, waiting
from storage.log.events import LOGS, EventTable, Log, readable
from storage.log.rules import EventError, EventRules
from storage.reviews import event_checks
from storage.reviews.events import EVENTS, MANY, Event
from storage.reviews.projections import DERIVED, derive_all, rebuild

_MEND = "`discox merge` into a new library takes over what is whole"


def check_opened(connection: Connection) -> None:
    """Look at what came into a library since it was looked at last, and leave out what nothing can be made of.

    What is unreadable is said in ``connection.notice``. Raises StorageError where tables are missing, or the judge's
    record is not what discox wrote.
    """
    try:
        marks, schema = _marks(connection), _schema(connection)
        latest = _latest(connection)
        if marks[-1] == schema and marks[:-1] == latest:
            pass
        elif not _is_writable(connection.path):
            _look_at_still(connection, marks, schema)
        elif marks[-1] == schema:
            _look_on(connection, marks, latest)
        else:
            _look_at_all(connection, migrated=marks[-1] == 0)
    except sqlite3.OperationalError as error:
        if "no such" not in str(error):
            raise
        _check_tables(connection)
        raise StorageError(_broken(connection, str(error))) from None
    unsaid = connection.execute("SELECT count(*) FROM unreadable WHERE NOT set_aside").fetchone()[0]
    if unsaid:
        _notice(connection, unsaid)


def _notice(connection: Connection, count: int) -> None:
    entries = "1 entry of its logs is" if count == 1 else f"{count:,} entries of its logs are"
    said = f"{connection.path}: {entries} left out, as nothing can be made of it; `discox repair` says why"
    connection.notice = f"{connection.notice}; {said}" if connection.notice else said


def _broken(connection: Connection, what: str) -> str:
    return (
        f"{connection.path}: {what}; another program has changed it: go back to a backup (*.bak beside it), or {_MEND}"
    )


def _marks(connection: sqlite3.Connection) -> tuple[int, ...]:
    """Return the last checked row of each log, and the schema's number then."""
    return tuple(connection.execute("SELECT events, build_events, schema FROM checked").fetchone() or (0, 0, -1))


def _schema(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA schema_version").fetchone()[0])


def _latest(connection: sqlite3.Connection) -> tuple[int, ...]:
    return tuple(connection.execute(f"SELECT coalesce(max(rowid), 0) FROM {log}").fetchone()[0] for log in LOGS)


def _look_on(connection: Connection, marks: Sequence[int], latest: Sequence[int]) -> None:
    """Look at what is new in both logs."""
    found = _unreadable(connection, marks)
    if not found and sum(latest) - sum(marks[:-1]) < MANY:
        return
    if not found:
        with suppress(sqlite3.OperationalError), waiting(connection, 0), transaction(connection):
            _mark(connection)  # who writes now is not waited for; it is done another time
        return
    with transaction(connection):
        _derive_anew(connection, _keep(connection, found))


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and not is_still(path)


def _look_at_all(connection: Connection, *, migrated: bool) -> None:
    """Look at all there is; what follows from the log is made anew where some of it had become unreadable.

    ``migrated``: the file is of an earlier version, whose fold let contradictions stand; all of it is made anew.
    """
    from storage.integrity.record_checks import put_back

    _check_tables(connection)
    with transaction(connection):
        put_back(connection)
        _check_record(connection)
        if found := _unreadable(connection):
            _keep(connection, found)
        else:
            _mark(connection)
        if found or migrated:
            rebuild(connection)


def _check_tables(connection: Connection) -> None:
    from storage.integrity.record_checks import missing_parts

    if lacks := missing_parts(connection):
        raise StorageError(_broken(connection, " ".join(lacks[0])))


def _check_record(connection: Connection) -> None:
    from storage.integrity.record_checks import faults

    if wrong := faults(connection):
        raise StorageError(_broken(connection, wrong[0].line))


def _look_at_still(connection: Connection, marks: Sequence[int], schema: int) -> None:
    """Look at a library that cannot be written: what is unreadable is known to this connection alone."""
    if marks[-1] != schema:
        _check_record(connection)
    found = _unreadable(connection, marks if marks[-1] == schema else (0, 0))
    if found:
        connection.execute("CREATE TEMP TABLE unreadable AS SELECT * FROM main.unreadable")
        _keep(connection, found, "temp.unreadable")


def _mark(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM checked")
    connection.execute("INSERT INTO checked VALUES (?, ?, ?)", (*_latest(connection), _schema(connection)))


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of a repair: entries of the logs set aside, and parts of the schema put back."""

    set_aside: list[Fault]
    put_back: list[str]


def repair(connection: Connection) -> Repair:
    """Look at all of a library, set aside what is unreadable in its logs, and make all anew that follows from them.

    What is set aside is not spoken of again when the library is opened. One transaction. Raises StorageError where
    the library cannot be written, or its tables or the judge's record are not what discox wrote.
    """
    from storage.integrity.record_checks import put_back

    if not _is_writable(connection.path):
        raise StorageError(f"{connection.path}: nothing may be written here; copy it, and repair the copy")
    _check_tables(connection)
    with transaction(connection):
        made = put_back(connection)
        _check_record(connection)
        connection.execute("DELETE FROM unreadable")
        found = _unreadable(connection)
        _keep(connection, found, set_aside=True)
        rebuild(connection)
        _mark(connection)
    return Repair([fault for _, _, fault in found], made)


Found = tuple[Log, int, Fault]
"""The log of an unreadable event, its rowid, and what is wrong."""


def _keep(
    connection: sqlite3.Connection, found: Iterable[Found], table: str = "unreadable", set_aside: bool = False
) -> list[tuple[str, str]]:
    """Keep which events are unreadable; return the evaluations and reviewers that the review log's are of."""
    touched = []
    for log, rowid, fault in found:
        connection.execute(
            f"INSERT OR REPLACE INTO {table} SELECT ?, id, ?, ?, ? FROM {log} WHERE rowid = ?",
            (log, fault.field, fault.reason, int(set_aside), rowid),
        )
        if log == "events":
            with _text_or_bytes(connection):
                row = connection.execute("SELECT evaluation_id, reviewer FROM events WHERE rowid = ?", (rowid,))
                touched += [row.fetchone()]
    return [pair for pair in touched if all(isinstance(name, str) for name in pair)]


def _derive_anew(connection: sqlite3.Connection, pairs: Iterable[tuple[str, str]]) -> None:
    """Derive all that follows from the events of these evaluations and reviewers, of which some became unreadable."""
    of = "evaluation_id = ? AND reviewer = ?"
    for pair in dict.fromkeys(pairs):
        for table in DERIVED:
            if table == "undone":
                undone = "event_id IN (SELECT id FROM unreadable)"
                connection.execute(f"DELETE FROM undone WHERE {undone}")
            else:
                connection.execute(f"DELETE FROM {table} WHERE {of}", pair)
        query = f"SELECT DISTINCT evaluation_id, reviewer FROM events WHERE {of} AND {readable('events')}"
        derive_all(connection, connection.execute(query, pair).fetchall())


# --- one log after the other ---


def _unreadable(connection: sqlite3.Connection, since: Sequence[int] = (0, 0)) -> list[Found]:
    """The events of both logs, added after these entries, that nothing can be made of; without those known already."""
    found: list[Found] = []
    for log, entry, latest in zip(LOGS, since, _latest(connection), strict=False):
        if entry == latest:
            continue
        where = f"rowid > ? AND id NOT IN (SELECT id FROM unreadable WHERE record = '{log}')"
        found += [(log, rowid, fault) for rowid, fault in unreadable_of(connection, log, where, (entry,))]
    return found


def unreadable_of(
    connection: sqlite3.Connection, log: Log, where: str, values: Sequence[Any] = (), schemas: Sequence[str] = ("main",)
) -> Iterator[tuple[int, Fault]]:
    """Yield the rowids of the events, selected in SQL, that nothing can be made of, with what is wrong with each.

    ``schemas``: the log's, and where else its articles, evaluations and findings may be.
    """
    rules = _rules(log)
    context = Context(connection, schemas)
    columns = ", ".join(_TABLES[log].columns)
    query = f"SELECT rowid, {columns} FROM {schemas[0]}.{log} WHERE {where} ORDER BY rowid"
    with _text_or_bytes(connection):
        rows = connection.execute(query, values)
        while some := rows.fetchmany(1_000):
            for rowid, *row in some:
                try:
                    event = rules.event_of_row(row)
                    context.check(event)
                except EventError as error:
                    yield rowid, Fault(log, _named(row[0]), error.field, str(error))


def _rules(log: Log) -> EventRules[Any]:
    if log == "events":
        return event_checks.RULES
    from storage.benchmark.event_checks import RULES

    return RULES


_TABLES: dict[Log, EventTable[Any]] = {"events": EVENTS, "build_events": BUILD_EVENTS}


def _named(identity: object) -> str:
    return identity if isinstance(identity, str) else repr(identity)


@contextmanager
def _text_or_bytes(connection: sqlite3.Connection) -> Iterator[None]:
    """Let text that is no UTF-8 come as bytes, where it would stop everything."""
    before, connection.text_factory = connection.text_factory, _decoded
    try:
        yield
    finally:
        connection.text_factory = before


def _decoded(raw: bytes) -> str | bytes:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


class Context:
    """The record that events are checked against: an evaluation's findings and texts, the articles of versions."""

    def __init__(self, connection: sqlite3.Connection, schemas: Sequence[str] = ("main",)) -> None:
        """``schemas``: where to look, the first that knows."""
        self.connection = connection
        self.schemas = schemas
        self._known = lru_cache(maxsize=64)(self._read)

    def check(self, event: Any) -> None:
        """Raise EventError where an event speaks of what is not in the evaluation that it is of."""
        if not isinstance(event, Event):
            article = event.changes["article_id"] if event.kind in ("added", "revised") else None
            if article is not None and not self._has_article(article):
                raise EventError("changes.article_id", f"names the article {article:.40}, which is not there")
            return
        if event.kind not in ("verdict", "error", "imported"):
            return
        known = self._known(event.evaluation_id)
        if known is None:
            return
        findings, lengths = known
        if event.kind != "imported" and (event.finding_id in findings) != (event.kind == "verdict"):
            what = "names no finding of its evaluation" if event.kind == "verdict" else "is a finding of the judge's"
            raise EventError("finding", f"{what}: {event.finding_id!r:.40}")
        for said in (event.changes, *(event.changes.get("errors") or ())):
            for side, _, end in said.get("spans") or ():
                if end > lengths[side]:
                    raise EventError("changes.spans", f"goes beyond the end of the {side}, which has {lengths[side]:,}")

    def _read(self, evaluation: str) -> tuple[frozenset[str], dict[str, int]] | None:
        """The findings of an evaluation and how long its texts are; None where it is not there, or not yet."""
        for schema in self.schemas:
            row = self.connection.execute(
                f"SELECT length(a.source), coalesce(length(t.text), 0) FROM {schema}.evaluations e "
                f"JOIN {schema}.articles a ON a.id = e.article_id JOIN {schema}.translations t "
                "ON t.id = e.translation_id WHERE e.id = ?",
                (evaluation,),
            ).fetchone()
            if row:
                findings = self.connection.execute(
                    f"SELECT id FROM {schema}.findings WHERE evaluation_id = ?", (evaluation,)
                )
                return frozenset(identity for (identity,) in findings), {"source": row[0], "translation": row[1]}
        return None

    def _has_article(self, identity: str) -> bool:
        queries = (f"SELECT 1 FROM {schema}.articles WHERE id = ?" for schema in self.schemas)
        return any(self.connection.execute(query, (identity,)).fetchone() for query in queries)
