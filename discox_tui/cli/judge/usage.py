"""``discox usage``: what runs asked and what it took, by run and by model."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from discox_tui.cli.core.output import json_text, say
from discox_tui.cli.core.session import library
from discox_tui.cli.judge.options import UsageOptions
from discox_tui.config.prices import TOLD_CURRENCY, Prices, read_prices
from discox_tui.runs.summary import estimate_said
from discox_tui.text.columns import table
from discox_tui.text.counts import money
from judges.providers.model import Tokens
from storage.runs.usage import Usage, by_model, by_run, reasons


def usage(options: UsageOptions) -> int:
    """Print calls, tokens, failures and cost."""
    known = read_prices(Path(options.prices)) if options.prices else None
    with library(options) as connection:
        heeds = known is None or known.in_told
        models, of_runs = by_model(connection, heed_told=heeds), by_run(connection, heed_told=heeds)
        why = reasons(connection)
    if options.json:
        runs = [
            {"run": run.run_id, "at": run.at, "command": run.command, "program": run.program, **_json(run.usage, known)}
            for run in of_runs
        ]
        unusable = [{"outcome": outcome, "reason": reason, "calls": calls} for outcome, reason, calls in why]
        print(json_text({"models": [_json(each, known) for each in models], "runs": runs, "reasons": unusable}))
        return 0
    if not models:
        say("nothing was asked yet; `discox judge` and `discox translate` ask models")
        return 0
    servers = {(each.provider, each.server) for each in models}
    name = partial(_name, server=len(servers) > len({each.provider for each in models}))
    say("BY MODEL")
    _table([(name(each), each) for each in models], known)
    say()
    say("BY RUN")
    _table([(f"{run.run_id} {run.at[:16]} {run.command} {name(run.usage)}", run.usage) for run in of_runs], known)
    if why:
        say()
        say("WHY ANSWERS WERE OF NO USE")
    for outcome, reason, calls in why[:_MOST_REASONS]:
        say(f"  {calls:,} {outcome.replace('_', ' ')}: {reason}")
    if len(why) > _MOST_REASONS:
        say(f"  … {len(why) - _MOST_REASONS:,} other reasons; --json lists them")
    if unmetered := sum(each.unmetered for each in models):
        asked, said = (sum(each.estimated_input for each in models), sum(each.estimated_output for each in models))
        say()
        say(f"  {estimate_said(unmetered, asked, said)}")
    return 0


_MOST_REASONS = 10


def _name(usage: Usage, *, server: bool) -> str:
    """Say what was asked, and at which ``server`` where the provider's name does not tell."""
    where = f" at {usage.server}" if server else ""
    return f"{usage.model} ({usage.provider}{', batch' if usage.batched else ''}){where}"


def _cost(usage: Usage, known: Prices | None) -> float | None:
    """Return what was paid: as the server said, and by the price for all else; None where nobody knows."""
    price = known.of(usage.model) if known else None
    charged = usage if usage.charged and (known is None or known.in_told) else None
    if price is None:
        return charged.told_cost if charged else None
    price = price.batched() if usage.batched else price
    asked, said = usage.input + usage.estimated_input, usage.output + usage.estimated_output
    if charged is None:
        return price.of(Tokens(asked, usage.cached, said))
    rest = Tokens(asked - charged.charged_input, usage.cached - charged.charged_cached, said - charged.charged_output)
    return charged.told_cost + (price.of(rest) or 0.0)


def _currency(usage: Usage, known: Prices | None) -> str:
    return known.currency if known else TOLD_CURRENCY if usage.charged else ""


def _json(usage: Usage, known: Prices | None) -> dict[str, Any]:
    return {**asdict(usage), "cost": _cost(usage, known), "currency": _currency(usage, known) or None}


def _table(rows: list[tuple[str, Usage]], known: Prices | None) -> None:
    paid = known is not None or any(each.charged for _, each in rows)
    heads = ["", "calls", "not usable", "tokens in", "cached", "out", "thinking", *(["cost"] if paid else [])]
    lines = []
    for name, each in rows:
        counts = (each.calls, each.calls - each.outcomes.get("ok", 0), each.input, each.cached, each.output)
        cells = [name, *map("{:,}".format, (*counts, each.thinking))]
        if paid:
            cost = _cost(each, known)
            cells.append("–" if cost is None else money(cost, _currency(each, known)))
        lines.append(cells)
    for line in table(heads, lines, right=range(1, len(heads))):
        say(line)
    failures: Counter[str] = Counter()
    for _, each in rows:
        failures.update({outcome: count for outcome, count in each.outcomes.items() if outcome != "ok"})
    if failures:
        listed = (f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in failures.most_common())
        say(f"  not usable: {', '.join(listed)}")
