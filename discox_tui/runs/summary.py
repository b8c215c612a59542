"""Summary of a run, or of a dry run, in lines of words: for the command line and the screen alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discox_tui.config.prices import TOLD_CURRENCY
from discox_tui.text.counts import counted, duration, money

if TYPE_CHECKING:  # `discox usage` says some of this, and loads no client
    from discox_tui.runs.budget import Spending
    from discox_tui.runs.dry_run import Estimate
    from discox_tui.runs.judging import Repeated
    from discox_tui.runs.workers import Progress

MOST_REASONS = 10
"""Reasons why work was put off that are said one by one."""
MOST_MISSING = 20
"""Missing answers that are named one by one."""


def stop_reason(progress: Progress, spent: Spending) -> str:
    """Return why a run ended early, with the last failure there was, which may be what is behind it."""
    last = spent.last_failure
    return progress.problem if not last or last in progress.problem else f"{progress.problem}; the last failure: {last}"


def sum_lines(noun: str, made: str, progress: Progress, spent: Spending, currency: str) -> Iterator[str]:
    """Yield what a run came to: so many ``noun`` (in the singular) were ``made``."""
    parts = [f"{counted(progress.done, noun)} {made}"]
    if progress.failed:
        parts.append(f"{progress.failed:,} in which a model gave nothing usable")
    if progress.undone:
        parts.append(f"{progress.undone.total():,} still to be done")
    yield "; ".join(parts)
    yield from undone_lines(progress)
    tokens = f"{spent.input_tokens:,} tokens in ({spent.cached_tokens:,} cached), {spent.output_tokens:,} out"
    cost = f"; {paid}" if (paid := bill(spent, currency)) else ""
    yield f"{counted(spent.calls, 'call')}; {tokens}{cost}"
    if spent.charged:
        without = "; of others nobody knows it" if spent.partly else ""
        yield f"  of {counted(spent.charged, 'call')} the cost is what the server said{without}"
    if spent.unmetered:
        yield f"  {estimate_said(spent.unmetered, spent.estimated_input, spent.estimated_output)}"
    if spent.failures:
        listed = ", ".join(f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in spent.ended.most_common())
        yield f"  {listed}"
        yield f"  the last that could not be used: {spent.last_failure}"


def undone_lines(progress: Progress) -> Iterator[str]:
    """Yield why work was put off, the commonest reason first."""
    for reason, count in progress.undone.most_common(MOST_REASONS):
        yield f"  {count:,}: {reason}"
    if len(progress.undone) > MOST_REASONS:
        yield "  …"


def progress_parts(
    made: str, progress: Progress, spent: Spending, currency: str, seconds: float, *, discreet: bool = False
) -> list[str]:
    """Return how far a run is after so many seconds, part by part, what matters most first.

    ``made``: what is being done ("judged"). ``discreet``: nothing of what a model answered, nor whether it failed.
    """
    parts = [f"{made} {progress.done + progress.failed:,} of {progress.of:,}"]
    if progress.failed and not discreet:
        parts.append(f"{progress.failed:,} with a failure")
    if undone := progress.undone.total():
        parts.append(f"{undone:,} put off")
    parts.append(f"{spent.calls:,} calls, {spent.calls / max(seconds, 1e-9):.1f} a second")
    if (slowed := progress.slowed()) is not None:
        parts.append(f"slowed to {slowed:,.{0 if slowed >= 10 else 1}f} calls a minute by the server")
    if spent.failures and not discreet:
        why = f" ({spent.last_failure:.60})" if spent.last_failure else ""
        parts.append(f"{spent.failures:,} of them in vain{why}")
    parts.append(f"{spent.input_tokens + spent.output_tokens:,} tokens")
    if paid := bill(spent, currency):
        parts.append(paid)
    if progress.done and progress.of > progress.ended:
        parts.append(f"{duration(seconds / progress.ended * (progress.of - progress.ended))} left")
    return parts


def bill(spent: Spending, currency: str) -> str:
    """Return what a run cost as people write it, "" where nobody knows. ``currency``: of the prices."""
    return "" if spent.bill is None else money(spent.bill, bill_currency(spent, currency))


def bill_currency(spent: Spending, currency: str) -> str:
    """Return the currency of what a run cost, "" where nobody knows."""
    return currency or (TOLD_CURRENCY if spent.price is None and spent.charged else "")


def estimate_said(answers: int, asked: int, said: int) -> str:
    """Say what is estimated where a server does not count tokens."""
    beside = f"{asked:,} tokens in and {said:,} out, by their characters, are in the cost and not in the counts"
    return f"of {counted(answers, 'answer')} the server told no count of tokens: {beside}"


def repeated_lines(found: Repeated) -> Iterator[str]:
    """Yield what reading the record once more came to."""
    yield f"{found.same:,} came out as they are stored, {found.other:,} otherwise, {found.new:,} are new"
    for (article, system, sample), why in list(found.missing.items())[:MOST_MISSING]:
        yield f"  missing: article {article}, {system}, sample {sample}: {why}"
    if len(found.missing) > MOST_MISSING:
        yield f"  and {len(found.missing) - MOST_MISSING:,} more"


def estimate_lines(noun: str, estimate: Estimate, spent: Spending, currency: str) -> Iterator[str]:
    """Yield what a run would take for so many ``noun`` (in the singular)."""
    steps = ", ".join(f"{count:,} {step.replace('_', ' ')}" for step, count in estimate.calls.items())
    calls = counted(estimate.calls.total(), "call")
    yield f"{counted(estimate.pieces, noun)} would take at most {calls}: {steps or '–'}"
    if estimate.proved:
        yield (
            f"  to prove {counted(estimate.errors, 'error')} of {counted(estimate.proved, 'evaluation')} among them, "
            "at most three calls each; what is not judged yet counts one error of each judge"
        )
    yield f"  about {estimate.input_tokens:,.0f} tokens in and {estimate.output_tokens:,.0f} out, by rule of thumb"
    if (cost := estimate.cost(spent)) is not None:
        yield f"  about {money(cost, currency)}, nothing being cached"
    if estimate.waiting:
        yield f"  {counted(estimate.waiting, 'call')} beside these wait in a batch"
    if estimate.again:
        more = counted(estimate.again, "call")
        yield f"  {more} more at most, where advice on duplicates is refused and asked for again"
    yield "  the same question, as for the same text by two systems, is asked once"
    yield "  not counted: answers that must be asked for again, quotes that need repair"
