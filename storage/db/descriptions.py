"""Descriptions of the tables and views, and questions to ask of them, for programs that show a database."""

from __future__ import annotations

import sqlite3
import tomllib
from importlib.resources import files
from typing import Any, NamedTuple


class Query(NamedTuple):
    """A question in SQL."""

    name: str
    title: str
    sql: str


def queries() -> list[Query]:
    """Return the questions that the documentation asks, in its order."""
    return [Query(name, each["title"], each["sql"].strip()) for name, each in _words()["queries"].items()]


def datasette_metadata(connection: sqlite3.Connection, database: str) -> dict[str, Any]:
    """Return what Datasette 0.x reads with ``--metadata``: descriptions, hidden tables and canned queries.

    ``database``: the name of the file without its ending. A table that only serves others is hidden.
    """
    words = _words()
    tables: dict[str, Any] = {}
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' ORDER BY name"
    )
    for (name,) in found.fetchall():
        about = words["views"].get(name) or words["tables"].get(name)
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')]
        described = {column: words["columns"][column] for column in columns if column in words["columns"]}
        tables[name] = {"description": about} if about else {"hidden": True}
        if name in words["views"]:
            tables[name]["columns"] = described
    return {
        "title": "Verdicts of people on LLM judges of translation",
        "databases": {
            database: {
                "tables": tables,
                "queries": {each.name: {"title": each.title, "sql": each.sql} for each in queries()},
            }
        },
    }


def _words() -> dict[str, Any]:
    return tomllib.loads(files("storage.db").joinpath("descriptions.toml").read_text("utf-8"))
