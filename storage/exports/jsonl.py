"""Evaluations as JSON Lines for programs: one object a line with all that belongs to it, exact."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from pathlib import Path

from storage.exports.evaluations import exported
from storage.exports.selection import ExportReport, Selection

_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
"""Characters that some programs take for the end of a line, so that they are written as escapes."""
_OF = ("findings", "reviews", "verdicts", "own_errors", "points")


def write(connection: sqlite3.Connection, path: Path, selection: Selection) -> ExportReport:
    """Write one object for each evaluation: UTF-8 without a byte-order mark, lines ending at LF alone."""
    counts: Counter[str] = Counter(evaluations=0, findings=0, verdicts=0)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for one in exported(connection, selection):
            rows = {name: getattr(one, name) for name in _OF}
            line = json.dumps(one.evaluation | rows, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            line = _LINE_ENDS.sub(lambda match: f"\\u{ord(match[0]):04x}", line)
            file.write(f"{line}\n")
            counts["evaluations"] += 1
            counts.update({name.replace("_", " "): len(found) for name, found in rows.items() if found})
    return ExportReport(dict(counts))


def is_ours(path: Path) -> bool:
    """Return True if the file's first line is an evaluation as it is written here."""
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and {"evaluation", *_OF} <= first.keys()
