"""Counts, durations and money in words; apart from the reports, so that a screen loads none of them."""

from __future__ import annotations

import math


def counted(n: int, noun: str, plural: str = "") -> str:
    """A number with its noun, in the plural unless it is one."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def duration(seconds: float) -> str:
    """A time as people say it: ``2 h 5 min``, ``5 min 20 s``, ``20 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def money(amount: float, currency: str) -> str:
    """An amount of money as people write it; small ones are not rounded to nothing."""
    digits = 2 if amount >= 0.1 or amount <= 0 else max(4, 1 - math.floor(math.log10(amount)))
    return f"{amount:,.{digits}f} {currency}".rstrip()
