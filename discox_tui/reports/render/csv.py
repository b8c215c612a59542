"""Rows as CSV that spreadsheets open as they are meant, and that none takes for a formula."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from discox_tui.text.safe import safe

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


def _cell(value: object) -> object:
    if isinstance(value, float):
        return round(value, 6) + 0.0
    if isinstance(value, str):
        begins = unicodedata.normalize("NFKC", value.lstrip()[:1])
        return ("'" if begins.startswith(_FORMULA) else "") + safe(value)
    return value
