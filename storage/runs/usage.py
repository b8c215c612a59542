"""Usage: calls, failures and tokens, by run and by model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judges.providers.model import ANSWERED, Outcome, Tokens
from judges.providers.token_counts import metered


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls of one model at one server, summed: live, or ``batched``, which has another price.

    ``outcomes``: outcome → number of calls.
    ``cached`` tokens are part of ``input``, ``thinking`` of ``output``. ``unmetered``: how many answered calls the
    server told no tokens of, so that the sums are too low. ``seconds``: summed over the calls, however many were in
    flight at once. ``first``, ``last``: when calls began (UTC). ``estimated_input``, ``estimated_output``: the
    unmetered calls' tokens that the server did not tell, by their characters. ``charged``: calls of which the server
    said the cost, ``told_cost`` in all, in US dollars; the ``charged`` tokens are theirs, and within the sums.
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
    charged: int = 0
    told_cost: float = 0.0
    charged_input: int = 0
    charged_cached: int = 0
    charged_output: int = 0
    estimated_input: int = 0
    estimated_output: int = 0


@dataclass(frozen=True, slots=True)
class RunUsage:
    """Usage of one run. ``at``: when it began (UTC); ``program``: the version that did it."""

    run_id: int
    at: str
    command: str
    program: str
    usage: Usage


def by_model(connection: sqlite3.Connection, *, heed_told: bool = True) -> list[Usage]:
    """Return what every model was asked in all runs, live and batched apart, by provider, server and model.

    ``heed_told``: of calls whose cost the server said no tokens are estimated, as nothing follows from them.
    """
    guesses = _estimates(connection, of_runs=False, heed_told=heed_told)
    return [_usage(row, guesses) for row in connection.execute(_usage_sql("NULL"))]


def by_run(connection: sqlite3.Connection, *, heed_told: bool = True) -> list[RunUsage]:
    """Return what every run asked, live and batched apart, newest first. A run that asked nothing has no row.

    ``heed_told``: as of `by_model`.
    """
    rows = connection.execute(f"{_usage_sql('run')} ORDER BY of DESC, batched").fetchall()
    # Read after them: another process may begin a run meanwhile.
    runs = {run: rest for run, *rest in connection.execute("SELECT id, at, command, program FROM runs")}
    guesses = _estimates(connection, of_runs=True, heed_told=heed_told)
    found = []
    for row in rows:
        at, command, program = runs[row[0]]
        found.append(RunUsage(row[0], at, command, program, _usage(row, guesses)))
    return found


def reasons(connection: sqlite3.Connection) -> list[tuple[Outcome, str, int]]:
    """Return why answers were of no use: outcome, reason and number of calls, the most frequent first."""
    rows = connection.execute(
        # After a colon stands what the answer said, which is another one each time.
        "SELECT outcome, substr(error, 1, instr(error || ': ', ': ') - 1) AS reason, count(*) AS calls FROM v_calls "
        "WHERE outcome IN ('truncated', 'unparsable', 'wrong_shape') AND error <> '' "
        "GROUP BY outcome, reason ORDER BY calls DESC, outcome, reason"
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


_Of = tuple[int | None, str, str, str, bool]
"""Key that calls are summed by: the run or None, provider, server, model, whether in batches."""


def _estimates(connection: sqlite3.Connection, *, of_runs: bool, heed_told: bool) -> dict[_Of, tuple[int, int, int]]:
    """Return of how many answered calls servers did not tell the tokens, and these in and out, estimated."""
    rows = connection.execute(
        "SELECT run, provider, server, model, batch IS NOT NULL, request, input_tokens, cached_tokens, output_tokens, "
        "answer FROM v_calls WHERE (input_tokens IS NULL OR output_tokens IS NULL) "
        "AND (cost IS NULL OR NOT ?) AND outcome IN (SELECT value FROM json_each(?))",
        (heed_told, json.dumps(sorted(ANSWERED))),
    ).fetchall()
    if not rows:
        return {}
    from storage.runs.calls import read_request  # loads asyncio, which few lists of usage have to wait for

    found: dict[_Of, tuple[int, int, int]] = {}
    for run, provider, server, model, batched, request, asked, cached, said, answer in rows:
        used = metered(read_request(connection, request), Tokens(asked, cached, said), answer)
        key = (run if of_runs else None, provider, server, model, bool(batched))
        calls, more_in, more_out = found.get(key, (0, 0, 0))
        found[key] = (
            calls + 1,
            more_in + (used.input or 0) - (asked or 0),
            more_out + (used.output or 0) - (said or 0),
        )
    return found


def _usage(row: Sequence[Any], guesses: Mapping[_Of, tuple[int, int, int]]) -> Usage:
    run, provider, server, model, batched, calls, outcomes, *rest = row
    unmetered, asked, said = guesses.get((run, provider, server, model, bool(batched)), (0, 0, 0))
    told = Usage(provider, server, model, bool(batched), calls, json.loads(outcomes), *rest)
    return replace(told, unmetered=unmetered, estimated_input=asked, estimated_output=said)


def _usage_sql(run: str) -> str:
    return f"""
SELECT of, provider, server, model, batched, sum(calls), json_group_object(outcome, calls), sum(input),
  sum(cached), sum(output), sum(thinking), sum(unmetered), sum(seconds), min(first), max(last), sum(charged),
  total(cost), sum(charged_input), sum(charged_cached), sum(charged_output)
FROM (SELECT {run} AS of, provider, server, model, batched, outcome, sum(calls) AS calls,
  coalesce(sum(input_tokens), 0) AS input, coalesce(sum(cached_tokens), 0) AS cached,
  coalesce(sum(output_tokens), 0) AS output,
  coalesce(sum(thinking_tokens), 0) AS thinking, sum(unmetered) AS unmetered, sum(seconds) AS seconds,
  min(first) AS first, max(last) AS last, sum(charged) AS charged, total(cost) AS cost,
  coalesce(sum(charged_input), 0) AS charged_input, coalesce(sum(charged_cached), 0) AS charged_cached,
  coalesce(sum(charged_output), 0) AS charged_output
  FROM v_usage GROUP BY of, provider, server, model, batched, outcome)
GROUP BY of, provider, server, model, batched
"""
