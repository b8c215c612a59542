"""Summary of a run, or of a dry run, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discox_tui.cli.core.output import note, say
from discox_tui.cli.judge.money import bill, bill_currency, estimate_said, money
from discox_tui.runs.budget import Spending
from discox_tui.runs.workers import Progress
from discox_tui.text.counts import counted

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


def stop_reason(progress: Progress, spent: Spending) -> str:
    """Return why a run ended early, with the last failure there was, which may be what is behind it."""
    last = spent.last_failure
    if not progress.problem or not last or last in progress.problem:
        return progress.problem
    return f"{progress.problem}; the last failure: {last}"


def say_sums(noun: str, made: str, progress: Progress, spent: Spending, currency: str) -> None:
    """Print what a run came to: so many ``noun`` (in the singular) were ``made``."""
    parts = [f"{counted(progress.done, noun)} {made}"]
    if progress.failed:
        parts.append(f"{progress.failed:,} in which a model gave nothing usable")
    if progress.undone:
        parts.append(f"{progress.undone.total():,} still to be done")
    say("; ".join(parts))
    for reason, count in progress.undone.most_common(10):
        say(f"  {count:,}: {reason}")
    if len(progress.undone) > 10:
        say("  …")
    tokens = f"{spent.input_tokens:,} tokens in ({spent.cached_tokens:,} cached), {spent.output_tokens:,} out"
    cost = f"; {paid}" if (paid := bill(spent, currency)) else ""
    say(f"{counted(spent.calls, 'call')}; {tokens}{cost}")
    if spent.charged:
        without = "; of others nobody knows it" if spent.partly else ""
        say(f"  of {counted(spent.charged, 'call')} the cost is what the server said{without}")
    if spent.unmetered:
        say(f"  {estimate_said(spent.unmetered, spent.estimated_input, spent.estimated_output)}")
    if spent.failures:
        listed = ", ".join(f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in spent.ended.most_common())
        say(f"  {listed}")
        say(f"  the last that could not be used: {spent.last_failure}")
    if progress.problem:
        note(f"discox: stopped: {stop_reason(progress, spent)}")


def estimated(estimate: Estimate, spent: Spending, currency: str) -> dict[str, Any]:
    """Return what a run would take as a JSON-able object."""
    return {
        "pieces": estimate.pieces,
        "calls": estimate.calls.total(),
        "calls_by_step": dict(estimate.calls),
        "calls_again": estimate.again,
        "estimated_tokens": {"input": round(estimate.input_tokens), "output": round(estimate.output_tokens)},
        "estimated_cost": estimate.cost(spent),
        "currency": currency or None,
    }


def say_estimate(noun: str, estimate: Estimate, spent: Spending, currency: str) -> None:
    """Print what a run would take for so many ``noun`` (in the singular)."""
    steps = ", ".join(f"{count:,} {step.replace('_', ' ')}" for step, count in estimate.calls.items())
    say(
        f"{counted(estimate.pieces, noun)} would take at most {counted(estimate.calls.total(), 'call')}: {steps or '–'}"
    )
    say(f"  about {estimate.input_tokens:,.0f} tokens in and {estimate.output_tokens:,.0f} out, by rule of thumb")
    if (cost := estimate.cost(spent)) is not None:
        say(f"  about {money(cost, currency)}, nothing being cached")
    if estimate.again:
        more = counted(estimate.again, "call")
        say(f"  {more} more at most, where advice on duplicates is refused and asked for again")
    say("  the same question, as for the same text by two systems, is asked once")
    say("  not counted: answers that must be asked for again, quotes that need repair")
