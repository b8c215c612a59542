"""Prices as the command line reads them, and sums of money in words: apart, so that usage loads no client."""

from __future__ import annotations

import math
from pathlib import Path

from discox_tui.cli.judge.options import UsageOptions
from discox_tui.config.prices import Prices, read_prices


def prices(options: UsageOptions) -> Prices | None:
    """Return the prices that the options name, if any."""
    return read_prices(Path(options.prices)) if options.prices else None


def money(amount: float, currency: str) -> str:
    """Return an amount of money as people write it; small ones are not rounded to nothing."""
    digits = 2 if amount >= 0.1 or amount <= 0 else max(4, 1 - math.floor(math.log10(amount)))
    return f"{amount:,.{digits}f} {currency}".rstrip()
