"""Keys that the real program gets in one read, in two, or one by one: a dialog takes one answer, and no key is an accident."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .tables import events

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")

if os.name == "posix":
    from .terminal import Terminal

REVIEW = "error {}/6"


def said(path: Path) -> list[dict[str, str]]:
    return [event["changes"] for event in events(path) if event["kind"] in ("verdict", "error", "point", "review")]


def quit_well(terminal: Terminal) -> None:
    terminal.send("q")
    assert terminal.end() == 0
    assert b"Traceback" not in terminal.output


SEVERITY, DIMENSION = "Severity of error 1", "Dimension of error 1"
CRITICAL = {"decision": "override", "severity": "critical"}
FLUENCY = {"decision": "reattribute", "dimension": "fluency"}
DIALOGS = [
    ("s", SEVERITY, "222", [CRITICAL]),
    ("s", SEVERITY, "22", [CRITICAL]),
    ("s", SEVERITY, "2" * 40, [CRITICAL]),
    ("s", SEVERITY, "2\r\r\r", [CRITICAL]),
    ("s", SEVERITY, "2\x1b[B\x1b[B12", [CRITICAL]),
    ("s", SEVERITY, "\r\r\r", [{"decision": "agree"}]),
    ("s", SEVERITY, "\x1b[A\x1b[B\r\r", [{"decision": "agree"}]),
    ("d", DIMENSION, "222", [FLUENCY]),
    ("c", "Category of error 1", "111", [{"category": "accuracy", "decision": "override"}]),
    ("=", "Error 1 is a duplicate of", "222", None),
    ("t", "Error 1 is the same mistake as", "222", None),
    ("n", "Note on error 1", "why\r\r\r", [{"note": "why"}]),
    ("n", "Note on error 1", "why\raxw12\r", [{"note": "why"}]),
    ("z", "Skip this evaluation", "why\raxw12\r", [{"state": "skipped", "reason": "why"}]),
    ("I", "Instruction check", "111", [{"instruction": "agree"}]),
    ("I", "Instruction check", "222", [{"instruction": "overturn"}]),
    ("?", "Agree with the judge", "?1?1", []),
    ("?", "Agree with the judge", "qqq", []),
    ("G", "Guideline", "GGG", []),
    ("s", SEVERITY, "G\x1b[201~1", []),
]
