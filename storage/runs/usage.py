"""Usage: calls, failures and tokens, by run and by model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judges.providers.model import Outcome


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls of one model at one server, summed: live, or ``batched``, which has another price.

    ``outcomes``: outcome → number of calls.
    ``cached`` tokens are part of ``input``, ``thinking`` of ``output``. ``unmetered``: how many answered calls the
    server told no tokens of, so that the sums are too low. ``seconds``: summed over the calls, however many were in
    flight at once. ``first``, ``last``: when calls began (UTC).
    """

    provider: str
    server: str
    model: str
    batched: bool
    calls: int
    outcomes: Mapping[Outcome, int]
    input: int
    cached: int
    output: int
    thinking: int
    unmetered: int
    seconds: float
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class RunUsage:
    """Usage of one run. ``at``: when it began (UTC); ``program``: the version that did it."""

    run_id: int
    at: str
    command: str
    program: str
    usage: Usage


def by_model(connection: sqlite3.Connection) -> list[Usage]:
    """Return what every model was asked in all runs, live and batched apart, by provider, server and model."""
    return [_usage(row) for row in connection.execute(_usage_sql("NULL"))]


def by_run(connection: sqlite3.Connection) -> list[RunUsage]:
    """Return what every run asked, live and batched apart, newest first. A run that asked nothing has no row."""
    rows = connection.execute(f"{_usage_sql('run')} ORDER BY of DESC, batched").fetchall()
    # Read after them: another process may begin a run meanwhile.
    runs = {run: rest for run, *rest in connection.execute("SELECT id, at, command, program FROM runs")}
    found = []
    for row in rows:
        at, command, program = runs[row[0]]
        found.append(RunUsage(row[0], at, command, program, _usage(row)))
    return found


def reasons(connection: sqlite3.Connection) -> list[tuple[Outcome, str, int]]:
    """Return why answers were of no use: outcome, reason and number of calls, the most frequent first."""
    rows = connection.execute(
        "SELECT outcome, error, count(*) AS calls FROM v_calls "
        "WHERE outcome IN ('truncated', 'unparsable', 'wrong_shape') AND error <> '' "
        "GROUP BY outcome, error ORDER BY calls DESC, outcome, error"
    )
    return rows.fetchall()


def output_by_step(connection: sqlite3.Connection, model: str) -> dict[str, float]:
    """Return how many tokens a model's usable answers took on average, thinking included, by what they answered."""
    rows = connection.execute(
        "SELECT q.step, avg(c.output_tokens) FROM calls c JOIN requests q ON q.id = c.request_id "
        "WHERE q.model = ? AND c.outcome = 'ok' AND c.output_tokens IS NOT NULL GROUP BY q.step",
        (model,),
    )
    return dict(rows.fetchall())


def _usage(row: Sequence[Any]) -> Usage:
    _, provider, server, model, batched, calls, outcomes, *rest = row
    return Usage(provider, server, model, bool(batched), calls, json.loads(outcomes), *rest)


def _usage_sql(run: str) -> str:
    return f"""
SELECT of, provider, server, model, batched, sum(calls), json_group_object(outcome, calls), sum(input),
  sum(cached), sum(output), sum(thinking), sum(unmetered), sum(seconds), min(first), max(last)
FROM (SELECT {run} AS of, provider, server, model, batched, outcome, sum(calls) AS calls,
  coalesce(sum(input_tokens), 0) AS input, coalesce(sum(cached_tokens), 0) AS cached,
  coalesce(sum(output_tokens), 0) AS output,
  coalesce(sum(thinking_tokens), 0) AS thinking, sum(unmetered) AS unmetered, sum(seconds) AS seconds,
  min(first) AS first, max(last) AS last
  FROM v_usage GROUP BY of, provider, server, model, batched, outcome)
GROUP BY of, provider, server, model, batched
"""
