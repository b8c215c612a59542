"""Rows as CSV that spreadsheets open as they are meant, and that none takes for a formula."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from discox_tui.reports.render.model import left_out_in_words
from discox_tui.text.safe import safe
from judges.stats.figure import Figure, Interval

_FORMULA = ("=", "+", "-", "@")


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows under a header; what a row lacks is empty.

    Numbers are rounded to six decimals. A text that a spreadsheet would take for a formula gets an apostrophe before
    it, and what would steer a terminal is made visible.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def ends_in_columns(interval: Interval | None, start: str = "") -> dict[str, object]:
    """Return both ends of an interval by column, ``low`` and ``high`` after ``start``; empty where it is undefined."""
    low, high = (interval.ends if interval else None) or (None, None)
    return {f"{start}low": low, f"{start}high": high}


def in_columns(figure: Figure, *more: str) -> dict[str, object]:
    """Return a figure by column: ``n``, ``value``, ``low``, ``high`` and ``why``, with ``more`` reasons; ``left_out``
    where it leaves anything out.
    """
    why = "; ".join(dict.fromkeys((*whys_in_column(figure), *filter(None, more))))
    left_out = {"left_out": left_out_in_words(figure.left_out)} if figure.left_out else {}
    return {"n": figure.n, "value": figure.value, **ends_in_columns(figure.interval), "why": why, **left_out}


def whys_in_column(*figures: Figure) -> list[str]:
    """Return why figures, or the intervals of those that are not, are undefined, each reason once."""
    whys = (each.why or (each.interval.why if each.interval else "") for each in figures)
    return list(dict.fromkeys(filter(None, whys)))


def _cell(value: object) -> object:
    if isinstance(value, float):
        return round(value, 6) + 0.0
    if isinstance(value, str):
        begins = unicodedata.normalize("NFKC", value.lstrip()[:1])
        return ("'" if begins.startswith(_FORMULA) else "") + safe(value)
    return value
