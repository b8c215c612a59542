"""Prices as the command line reads them, and sums of money in words: apart, so that usage loads no client."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from discox_tui.cli.judge.options import UsageOptions
from discox_tui.config.prices import TOLD_CURRENCY, Prices, read_prices
from discox_tui.text.counts import counted

if TYPE_CHECKING:
    from discox_tui.runs.budget import Spending


def prices(options: UsageOptions) -> Prices | None:
    """Return the prices that the options name, if any."""
    return read_prices(Path(options.prices)) if options.prices else None


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


def money(amount: float, currency: str) -> str:
    """Return an amount of money as people write it; small ones are not rounded to nothing."""
    digits = 2 if amount >= 0.1 or amount <= 0 else max(4, 1 - math.floor(math.log10(amount)))
    return f"{amount:,.{digits}f} {currency}".rstrip()
