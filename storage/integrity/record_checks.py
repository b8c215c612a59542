"""Checks of a library's tables, and of the judge's record in them: what discox cannot have written is named.

Triggers keep the record as it is; another program can take them away. Nothing can be made of a severity that there is
not, of text where a number belongs, or of a row that refers to none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from typing import Any, NamedTuple, get_args

from judges.model import (
    DIMENSIONS,
    JUDGES,
    SEVERITIES,
    SIDES,
    AdviceStatus,
    EvaluationState,
    SpanRole,
)
from storage.base.errors import Fault, StorageError
from storage.db import schema
from storage.reviews.projections import LEFT_OUT


def _in(*values: str | int) -> str:
    return f"IN ({', '.join(repr(value) for value in values)})"


def _json(column: str, kind: str = "array") -> str:
    return f"CASE WHEN json_valid({column}) THEN json_type({column}) = '{kind}' ELSE 0 END"


def _pairs(column: str) -> str:
    """SQL that is 1 if a column holds a list of lists of two."""
    other = f"SELECT 1 FROM json_each({column}) WHERE type <> 'array' OR json_array_length(value) <> 2"
    return f"CASE WHEN json_valid({column}) THEN json_type({column}) = 'array' AND NOT EXISTS ({other}) ELSE 0 END"


def _or_null(column: str, condition: str) -> str:
    return f"{column} IS NULL OR ({condition})"


_VALUES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "evaluations": {
        "state": (f"state {_in(*get_args(EvaluationState))}", f"is none of {', '.join(get_args(EvaluationState))}"),
        "import_id": ("(import_id IS NULL) <> (run_id IS NULL)", "is not the one origin beside run_id"),
        "signature_id": ("(run_id IS NULL) = (signature_id IS NULL)", "does not go with run_id"),
        "failed": (_json("failed"), "is no list"),
        "flags": (_pairs("flags"), "is no list of pairs"),
        "id": ("id IN (SELECT evaluation_id FROM answers)", "has no row in answers"),
    },
    "findings": {
        "judge": (f"judge {_in(*JUDGES)}", f"is none of {', '.join(JUDGES)}"),
        "dimension": (f"dimension {_in(*DIMENSIONS)}", f"is none of {', '.join(DIMENSIONS)}"),
        "severity": (_or_null("severity", f"severity {_in(*SEVERITIES)}"), f"is none of {', '.join(SEVERITIES)}"),
        "kept": (f"kept {_in(0, 1)}", "is neither 0 nor 1"),
        "quote_notes": (_or_null("quote_notes", _json("quote_notes")), "is no list"),
    },
    "rubric_verdicts": {"met": (_or_null("met", f"met {_in(0, 1)}"), "is neither 0 nor 1")},
    "advice": {
        "drops": (_pairs("drops"), "is no list of pairs"),
        "keeps": (_pairs("keeps"), "is no list of pairs"),
        "status": (f"status {_in(*get_args(AdviceStatus))}", f"is none of {', '.join(get_args(AdviceStatus))}"),
    },
    "groundings": {"alignment": (_pairs("alignment"), "is no list of pairs")},
    "grounded_findings": {
        "unlocated": (_pairs("unlocated"), "is no list of pairs"),
        "notes": (_json("notes"), "is no list"),
    },
    "spans": {
        "side": (f"side {_in(*SIDES)}", f"is none of {', '.join(SIDES)}"),
        "role": (f"role {_in(*get_args(SpanRole))}", f"is none of {', '.join(get_args(SpanRole))}"),
        "start": ('0 <= start AND start <= "end"', "is no place in a text"),
        "confidence": ("confidence BETWEEN 0 AND 1", "is no share"),
    },
    "segmentations": {"segments": (_json("segments"), "is no list")},
    "signatures": {"fields": (_json("fields", "object"), "is no object")},
    "requests": {"parameters": (_json("parameters", "object"), "is no object")},
    "calls": {"form": (_json("form", "object"), "is no object")},
    "plans": {"options": (_json("options", "object"), "is no object")},
    "comparisons": {"details": (_json("details", "object"), "is no object")},
    "assignments": {"blind": (f"blind {_in(0, 1)}", "is neither 0 nor 1")},
    "scores": {
        "score": ("abs(score) < 1e300", "is no number"),
        "segments": (_pairs("segments"), "is no list of pairs"),
    },
}
"""A condition on a column, in SQL, and the message where it does not hold."""

_WHOLE = ("findings", "answers", "rubric_verdicts", "advice")
"""The tables an evaluation is made of: without one of their rows it is another."""

UNDECODABLE = "is not UTF-8"
"""The fault of a text that stops its reader, so that no row can be named."""

_TYPES = {"TEXT": "'text'", "INTEGER": "'integer'", "REAL": "'real', 'integer'"}


def missing_parts(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return what a library of this version lacks, table by table: tables, or columns as they should be."""
    lacks = []
    for table, wanted in _model().columns.items():
        there = {tuple(row) for row in connection.execute(_COLUMNS, (table,))}
        if not there:
            lacks.append((table, "is not there"))
        elif other := sorted(wanted - there):
            lacks.append((table, f"has no column {other[0][0]} {other[0][1]}".rstrip()))
    return lacks


def put_back(connection: sqlite3.Connection) -> list[str]:
    """Make triggers, views and indexes of a library as they should be, and return the names of those that were not."""
    there = {name: (kind, sql) for kind, name, sql in connection.execute(_MADE).fetchall()}
    other = [row for row in _model().made if there.get(row[1]) != (row[0], row[2])]
    for _, name, _ in other:
        if name in there:
            connection.execute(f'DROP {there[name][0]} "{name}"')
    for _, _, sql in other:
        connection.execute(sql)
    return [name for _, name, _ in other]


class _Model(NamedTuple):
    """The schema of this version: columns by table; triggers, views and indexes as kind, name and SQL."""

    columns: dict[str, set[tuple[Any, ...]]]
    made: list[tuple[str, str, str]]


@cache
def _model() -> _Model:
    """Read the schema from an empty library in memory, which takes some 30 ms."""
    from sqlite_utils import Database

    with closing(sqlite3.connect(":memory:")) as model:
        schema.migrate(Database(model))
        tables = [table for (table,) in model.execute(_TABLES)]
        columns = {table: {tuple(row) for row in model.execute(_COLUMNS, (table,))} for table in tables}
        return _Model(columns, model.execute(_MADE).fetchall())


_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name <> '_sqlite_migrations'"
)
_COLUMNS = 'SELECT name, type, "notnull", pk FROM pragma_table_info(?)'
_MADE = """
SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'view', 'index') AND sql IS NOT NULL
ORDER BY type = 'trigger', rowid
"""


def faults(connection: sqlite3.Connection) -> list[Fault]:
    """Return the rows of the judge's record, of plans and of runs that discox cannot have written."""
    for table in _tables(connection):
        if is_not_text(connection, table):
            return [Fault(table, "", "a text", UNDECODABLE)]
    found = []
    for table in _tables(connection):
        conditions = _conditions(connection, table)
        blamed = " ".join(f"WHEN NOT ({holds}) THEN '{column}'" for column, (holds, _) in conditions.items())
        query = f"SELECT {_key(connection, table)}, CASE {blamed} END FROM {table} WHERE NOT ({_all(conditions)})"
        for identity, column in connection.execute(query):
            found.append(Fault(table, str(identity), column, conditions[column][1]))
        for parent, condition in _references(connection, table):
            for (identity,) in connection.execute(f"SELECT {_key(connection, table)} FROM {table} WHERE {condition}"):
                found.append(Fault(table, str(identity), parent, "has no such row, though this one refers to it"))
    return found


def drop_faulty(connection: sqlite3.Connection) -> list[Fault]:
    """Take faulty rows out of a copy of a library, with all that refers to them, and return them.

    Of an evaluation that is not whole nothing stays. Call it for nothing but a copy, which has no triggers afterwards.
    Raises StorageError where rows cannot be told apart.
    """
    found = faults(connection)
    if not found:
        return []
    if found[0].reason == UNDECODABLE:
        raise StorageError(f"{found[0].record}: {found[0].field} {UNDECODABLE}")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f'DROP TRIGGER "{name}"')
    before = -1
    while before != (before := connection.total_changes):
        for table in _tables(connection):
            wrong = f"NOT ({_all(_conditions(connection, table))})"
            if table in _WHOLE:
                connection.execute(
                    f"DELETE FROM evaluations WHERE id IN (SELECT evaluation_id FROM {table} WHERE {wrong})"
                )
            connection.execute(f"DELETE FROM {table} WHERE {wrong}")
            for _, condition in _references(connection, table):
                connection.execute(f"DELETE FROM {table} WHERE {condition}")
    return found


def _tables(connection: sqlite3.Connection) -> list[str]:
    names = [name for (name,) in connection.execute(_TABLES).fetchall()]
    return [name for name in names if name not in LEFT_OUT and name not in ("events", "build_events")]


def _conditions(connection: sqlite3.Connection, table: str) -> dict[str, tuple[str, str]]:
    """The conditions on each column, in SQL that is 1 or 0, with the fault where one does not hold."""
    conditions = {}
    for column, declared, needed, in_key in connection.execute(_COLUMNS, (table,)).fetchall():
        types = _TYPES[declared] + ("" if needed or in_key else ", 'null'")
        conditions[column] = (f'typeof("{column}") IN ({types})', f"is no {declared.lower()}")
        if column in _VALUES.get(table, {}):
            holds, reason = _VALUES[table][column]
            conditions[column] = (f"coalesce({conditions[column][0]} AND ({holds}), 0)", reason)
    return conditions


def _all(conditions: Mapping[str, tuple[str, str]]) -> str:
    return " AND ".join(holds for holds, _ in conditions.values())


def _key(connection: sqlite3.Connection, table: str) -> str:
    """The name of a row, in SQL: its primary key; for an evaluation, which is numbered, its id."""
    columns = sorted((row[3], row[0]) for row in connection.execute(_COLUMNS, (table,)) if row[3])
    names = ["id"] if table == "evaluations" else [name for _, name in columns]
    return " || ' ' || ".join(f"CASE typeof(\"{name}\") WHEN 'blob' THEN '?' ELSE \"{name}\" END" for name in names)


def _references(connection: sqlite3.Connection, table: str) -> Iterator[tuple[str, str]]:
    """The tables that rows of a table refer to, and in SQL whether one refers to none of it."""
    columns: dict[int, list[tuple[str, str, str]]] = {}
    for number, _, parent, here, there, *_ in connection.execute(f'PRAGMA foreign_key_list("{table}")').fetchall():
        columns.setdefault(number, []).append((parent, here, there))
    for pairs in columns.values():
        parent = pairs[0][0]
        same = " AND ".join(f'p."{there}" = {table}."{here}"' for _, here, there in pairs)
        said = " AND ".join(f'{table}."{here}" IS NOT NULL' for _, here, _ in pairs)
        yield parent, f"{said} AND NOT EXISTS (SELECT 1 FROM {parent} p WHERE {same})"


def is_not_text(connection: sqlite3.Connection, table: str) -> bool:
    """Tell if a table holds bytes that are no text, in a file that another program wrote."""
    try:
        for _ in connection.execute(f"SELECT * FROM {table}"):
            pass
    except sqlite3.OperationalError:
        return True
    return False
