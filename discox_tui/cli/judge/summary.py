"""Summary of a run, or of a dry run, printed and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discox_tui.cli.core.output import note, say
from discox_tui.runs.budget import Spending
from discox_tui.runs.summary import bill_currency, estimate_lines, stop_reason, sum_lines
from discox_tui.runs.workers import Progress

if TYPE_CHECKING:
    from discox_tui.runs.dry_run import Estimate


def sums(progress: Progress, spent: Spending, currency: str) -> dict[str, Any]:
    """Return what a run came to as a JSON-able object. A cost is null where no price is known."""
    return {
        "done": progress.done,
        "failed": progress.failed,
        "undone": dict(progress.undone),
        "stopped": stop_reason(progress, spent) or None,
        "calls": spent.calls,
        "outcomes": dict(spent.ended),
        "last_failure": spent.last_failure or None,
        "tokens": {"input": spent.input_tokens, "cached": spent.cached_tokens, "output": spent.output_tokens},
        "cost": spent.bill,
        "charged": spent.charged,
        "currency": bill_currency(spent, currency) or None,
        "unmetered": spent.unmetered,
        "estimated_tokens": {"input": spent.estimated_input, "output": spent.estimated_output},
    }


def exit_code(progress: Progress) -> int:
    """Return 0 where nothing is left to be done, if only since a model gave nothing usable; else 1."""
    return int(bool(progress.undone or progress.problem))


def say_sums(noun: str, made: str, progress: Progress, spent: Spending, currency: str) -> None:
    """Print what a run came to: so many ``noun`` (in the singular) were ``made``."""
    for line in sum_lines(noun, made, progress, spent, currency):
        say(line)
    if progress.problem:
        note(f"discox: stopped: {stop_reason(progress, spent)}")


def estimated(estimate: Estimate, spent: Spending, currency: str) -> dict[str, Any]:
    """Return what a run would take as a JSON-able object."""
    return {
        "pieces": estimate.pieces,
        "proved": estimate.proved,
        "errors_proved": estimate.errors,
        "calls": estimate.calls.total(),
        "calls_by_step": dict(estimate.calls),
        "calls_again": estimate.again,
        "calls_waiting": estimate.waiting,
        "estimated_tokens": {"input": round(estimate.input_tokens), "output": round(estimate.output_tokens)},
        "estimated_cost": estimate.cost(spent),
        "currency": currency or None,
    }


def say_estimate(noun: str, estimate: Estimate, spent: Spending, currency: str) -> None:
    """Print what a run would take for so many ``noun`` (in the singular)."""
    for line in estimate_lines(noun, estimate, spent, currency):
        say(line)
