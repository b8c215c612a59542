"""Settings of a run: parameters, client policy, budget, and the options that are kept on record."""

from __future__ import annotations

from typing import Any

from discox_tui.cli.core.output import note
from discox_tui.cli.judge.options import RunOptions
from discox_tui.config.paths import load_settings, settings_file
from discox_tui.config.presets import preset
from discox_tui.config.prices import Prices
from discox_tui.runs.budget import Spending
from discox_tui.runs.connect import Asked
from judges.providers.client import Policy
from judges.providers.model import Parameters
from storage.base.errors import StorageError


def parameters(options: RunOptions) -> Parameters:
    """Return the parameters that the options give, with what goes along with every call."""
    return asked(options).parameters(
        Parameters(options.max_tokens, options.temperature, options.top_p, options.seed, options.reasoning_effort)
    )


def asked(options: RunOptions) -> Asked:
    """Return the model that the options name, and how. Raises StorageError for a preset that is not there."""
    chosen = preset(options.preset, load_settings().presets, str(settings_file())) if options.preset else None
    if chosen and options.provider not in ("", "replay", chosen.provider):
        said = f"--preset {chosen.name} speaks the protocol {chosen.provider!r}"
        raise StorageError(f"{said}; leave --provider {options.provider} out")
    return Asked(
        options.provider or (chosen.provider if chosen else ""),
        options.model,
        options.base_url,
        options.key_env,
        preset=chosen,
        headers=options.header,
        query=options.query,
        params=options.param,
        stream=options.stream,
    )


def nobody(options: RunOptions) -> str:
    """Return what is wrong where the options do not say who is asked, else ""."""
    said = "name who is asked: --preset NAME or --provider NAME; `discox providers` lists both"
    return "" if options.provider or options.preset else said


def policy(options: RunOptions) -> Policy:
    """Return how hard the options let a server be asked."""
    return Policy(
        concurrency=options.concurrency,
        requests_per_minute=options.requests_per_minute,
        tokens_per_minute=options.tokens_per_minute,
        timeout=options.timeout,
        deadline=max(900.0, 3 * options.timeout),
    )


def spending(
    options: RunOptions, known: Prices | None, *, batch: bool = False, runs: list[Spending] | None = None
) -> Spending:
    """Return a count of nothing yet, with the budget that the options set.

    ``runs``: those of a command of several; they share the budget, and this one is appended. Raises StorageError where
    a cost is limited and the model's price is not known.
    """
    whom, others = asked(options), tuple(filter(None, (getattr(options, "dedup_model", None),)))
    found = {model: known.of(model) if known else None for model in (options.model, *others)}
    for model, price in found.items():
        if options.max_cost is not None and price is None and not (whom.preset and whom.preset.tells_cost):
            where = f"{options.prices} has no price for {model}" if known else "no prices are known"
            raise StorageError(f'--max-cost: {where}; name a price file with a table [models."{model}"]')
        if known is not None and price is None:
            note(f"discox: {options.prices} has no price for {model}")
    paid = {model: price.batched() if price and batch else price for model, price in found.items()}
    spent = Spending(options.max_calls, options.max_cost, paid.pop(options.model), tuple(runs or ()))
    spent.heed_told, spent.other_prices = known is None or known.in_told, paid
    if runs is not None:
        runs.append(spent)
    return spent


_ON_RECORD = (
    *("system", "article", "scheme", "samples", "sample", "explain_in", "prompts", "prompt", "examples", "cross_fit"),
    *("dedup_model", "preset", "param", "stream", "temperature", "top_p", "seed", "reasoning_effort", "max_tokens"),
    *("concurrency", "requests_per_minute", "tokens_per_minute", "timeout", "max_calls", "max_cost", "prices"),
    *("retry_failed", "check", "batch", "wait", "poll", "no_ground"),
)
"""Options of a run that are stored; whatever is not named here, such as an address with a password in it, is not."""


def options_on_record(options: RunOptions) -> dict[str, Any]:
    """Return what the run was asked for, as it is kept."""
    along = {"header": [name for name, _ in options.header], "query": [name for name, _ in options.query]}
    return {name: value for name, value in vars(options).items() if name in _ON_RECORD} | along
