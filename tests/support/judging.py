"""``discox judge`` and what it leaves behind, as tests type the one and look at the other."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from judges.model import Article
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from storage.record.library import add_translation
from tests.conftest import Command, Result
from tests.support.scripted_gemini import gemini
from tests.support.scripted_server import Response, Route, ScriptedServer, openai

MODEL = "kestrel"
"""The model that is asked; no text of the sample holds the word."""
PATIENCE = 60.0
ONE = ("--article", "essay-02", "--system", "aurora-72b")
LIVE = ("openai", "gemini")
STEPS = ("instruction_check", "accuracy", "rubric", "fluency", "appropriateness", "deduplication")
GARBAGE = "I am sorry, dear user, but here is a poem about ferries instead."

PROTOCOLS: dict[str, Callable[[Callable[[dict[str, Any], int], Response | str | dict[str, Any]]], Route]] = {
    "openai": openai,
    "gemini": gemini,
}


def asking(server: ScriptedServer, provider: str = "openai") -> tuple[str, ...]:
    """The options that name a scripted server."""
    return ("--provider", provider, "--model", MODEL, "--base-url", address(server, provider))


def address(server: ScriptedServer, provider: str = "openai") -> str:
    """Where a scripted server is, as a user writes it."""
    return f"{server.url}/v1" if provider == "openai" else server.url


def judge(discox: Command, database: Path, server: ScriptedServer, *more: object, provider: str = "openai") -> Result:
    """Judge in this process."""
    return discox("judge", "--db", database, *asking(server, provider), *more)


def report(result: Result, code: int | None = 0) -> Any:
    """What a command printed as JSON. ``code``: the one that it exits with, None for any."""
    assert code is None or result.code == code, result
    return json.loads(result.out)


def listed(discox: Command, database: Path, *words: str) -> list[dict[str, Any]]:
    """The model's evaluations, as ``list --json`` has them."""
    rows: list[dict[str, Any]] = report(discox("list", "--db", database, "--json", MODEL, *words))
    return rows


def shown(discox: Command, database: Path, identity: str) -> dict[str, Any]:
    """One evaluation, as ``show --json`` has it."""
    evaluation: dict[str, Any] = report(discox("show", "--db", database, "--json", identity))
    return evaluation


def rows(database: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What a query finds in the file, read by another program."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query, values).fetchall()


def calls(database: Path) -> list[tuple[str, str]]:
    """Every call on record: (step, outcome)."""
    return [(step, outcome) for step, outcome in rows(database, "SELECT step, outcome FROM v_calls ORDER BY call")]


def intact(database: Path) -> bool:
    """Whether the file is whole, and every reference in it holds."""
    return rows(database, "PRAGMA integrity_check") == [("ok",)] and not rows(database, "PRAGMA foreign_key_check")


def child(*arguments: object) -> subprocess.Popen[str]:
    """The command as a process of its own, without a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "discox_tui", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def served(script: Callable[..., Any], provider: str = "openai") -> ScriptedServer:
    return ScriptedServer(PROTOCOLS[provider](script))


def one(discox: Command, database: Path) -> dict[str, Any]:
    """The only evaluation, as ``show --json`` has it."""
    (row,) = listed(discox, database)
    return shown(discox, database, row["id"])


def library(path: Path, source: str, translation: str | None, prompt: str = "", points: str = "") -> Path:
    """Make a library of one translation."""
    connection = open_library(path)
    with transaction(connection):
        add_translation(connection, Article("own-01", source, "zh-en", prompt=prompt), "own", translation)
    connection.close()
    return path
