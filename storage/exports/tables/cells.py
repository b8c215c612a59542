"""Values as cells of a spreadsheet that people open: text that no program takes for a formula, and what was changed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

MOST = 32_767
"""Characters (of UTF-16) that a cell of Excel holds."""

_FORMULA = ("=", "+", "-", "@", "\t")
_MARKUP = "<r>"
"""Texts that XlsxWriter would take for the XML of a cell of several fonts."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_ENDS = re.compile("\r\n?")

Cell = str | int | float | None


class Cells:
    """Makes cells and counts, by table and column, what they do not show as it is. ``cut``: what is too long is cut."""

    def __init__(self, *, cut: bool) -> None:
        self._cut = cut
        self._long: Counter[str] = Counter()
        self._controls: Counter[str] = Counter()
        self._guarded = 0

    def cell(self, value: object, where: str) -> Cell:
        """Return a value as a cell: truth values as yes and no, lists as JSON, text without what acts on a program."""
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            return value
        if isinstance(value, bool):
            return "yes" if value else "no"
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        plain, removed = _CONTROL.subn("", _ENDS.sub("\n", text))
        begins = unicodedata.normalize("NFKC", (plain.lstrip(" \n\u3000") or " ")[0])
        guarded = begins.startswith(_FORMULA) or text.startswith("\r") or plain.startswith(_MARKUP)
        text = f"'{plain}" if guarded else plain
        if removed:
            self._controls[where] += 1
        self._guarded += guarded
        if len(text) > MOST // 2 and len(text.encode("utf-16-le")) > 2 * MOST:
            self._long[where] += 1
            if self._cut:
                text = text.encode("utf-16-le")[: 2 * (MOST - 1)].decode("utf-16-le", "ignore") + "…"
        return text

    def notes(self) -> Iterator[str]:
        """Yield what was changed, in words for people."""
        became = "and are cut" if self._cut else "and Excel will cut them"
        for where, count in sorted(self._long.items()):
            yield f"{where}: {count:,} longer than a cell of Excel holds ({MOST:,}), {became}; JSONL is whole"
        for where, count in sorted(self._controls.items()):
            yield f"{where}: {count:,} held control characters, which are left out; JSONL has them"
        if self._guarded:
            yield f"{self._guarded:,} cells that a program might take for a formula have an apostrophe before them"
