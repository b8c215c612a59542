"""Orders of runs as the command line gives them, and what is kept of its options."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from discox_tui.cli.core.output import note
from discox_tui.cli.judge.options import RunOptions
from discox_tui.config.prices import Prices
from discox_tui.runs.budget import Spending
from discox_tui.runs.orders import Order

Kind = TypeVar("Kind", bound=Order)


def order_of(kind: type[Kind], options: RunOptions) -> Kind:
    """Return the order that the options give; what only an app can choose stays as it is."""
    return kind(**{each.name: getattr(options, each.name) for each in fields(kind) if hasattr(options, each.name)})


def nobody(options: RunOptions) -> str:
    """Return what is wrong where the options do not say who is asked, else ""."""
    said = "name who is asked: --preset NAME or --provider NAME; `discox providers` lists both"
    return "" if options.provider or options.preset else said


def spending(
    order: Order, known: Prices | None, *, batch: bool = False, runs: list[Spending] | None = None
) -> Spending:
    """Return a count of nothing yet, with the budget of the order; say where the model's price is not known.

    ``runs``: those of a command of several; they share the budget, and this one is appended. Raises StorageError where
    a cost is limited and the model's price is not known.
    """
    spent = order.spending(known, batch=batch, earlier=tuple(runs or ()))
    for model in order.models:
        if known is not None and spent.price_of(model) is None:
            note(f"discox: {order.prices} has no price for {model}")
    if runs is not None:
        runs.append(spent)
    return spent


_ALSO_ON_RECORD = ("check", "wait", "poll", "no_ground", "words")


def on_record(order: Order, options: RunOptions) -> dict[str, Any]:
    """Return what the run was asked for, as it is kept."""
    return order.on_record() | {name: getattr(options, name) for name in _ALSO_ON_RECORD if hasattr(options, name)}
