"""Keys that the real program gets in one read, in several, and one by one: a dialog takes one answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from storage.reviews.events import ACTS
from tests.support.driving import library
from tests.support.nightly import at_night, by_day
from tests.support.tables import events

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")

if os.name == "posix":
    from tests.support.terminal import Terminal, running

SEVERITY = "Severity of error 1"
CRITICAL = {"decision": "override", "severity": "critical"}


def acts(path: Path) -> list[dict[str, Any]]:
    return [event["changes"] for event in events(path) if event["kind"] in ACTS]


def quits_well(terminal: Terminal) -> bool:
    """Whether the program is there to be quit, by one key, and ends as it should."""
    terminal.send("q")
    return terminal.end() == 0 and b"Traceback" not in terminal.output


@by_day(1)
@pytest.mark.parametrize(
    ("key", "shows", "answers", "done"),
    [
        ("s", SEVERITY, "22", [CRITICAL]),
        ("s", SEVERITY, "2" * 60, [CRITICAL]),
        ("s", SEVERITY, "\x1b[B2\r\r\x1b[A11", [CRITICAL]),
        ("s", SEVERITY, "\r\r\r", [{"decision": "agree"}]),
        ("d", "Dimension of error 1", "222", [{"decision": "reattribute", "dimension": "fluency"}]),
        ("n", "Note on error 1", "ax1\rax1\r", [{"note": "ax1"}]),
        ("I", "Instruction check", "1111", [{"instruction": "agree"}]),
        ("?", "esc close", "qqqq", []),
    ],
    ids=ascii,
)
def test_a_dialog_takes_one_answer(
    tmp_path: Path, key: str, shows: str, answers: str, done: list[dict[str, Any]]
) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send(key)
        terminal.until(shows)
        terminal.send(answers)
        terminal.until(lambda: shows not in terminal.text and len(acts(tmp_path / "a.db")) >= len(done))
        assert quits_well(terminal)
    assert acts(tmp_path / "a.db") == done


@at_night
def test_answers_in_several_writes_and_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with running(path, "review", first) as terminal:
        terminal.until("error 1/6")
        for part in ("s", "2", "x"):  # with no look at the screen between them
            terminal.send(part)
        terminal.until("error 3/6")
        terminal.send("[")
        terminal.until("error 2/6")
        terminal.send("c33a")
        terminal.until("✓ 3 ")
        terminal.send("]]")
        terminal.until("error 6/6")
        terminal.send("d")
        terminal.until("Dimension of error 6")
        terminal.send("\x1b")
        terminal.until(lambda: "Dimension of error 6" not in terminal.text)
        terminal.send("1")
        terminal.until("✓ 6 ")
        assert quits_well(terminal)
    decided = [act["decision"] for act in acts(path)]
    assert decided == ["override", "not_an_error", "override", "agree", "agree"]


@at_night
def test_enter_and_escape_held_down_go_one_level(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {}, {})
    with running(path) as terminal:
        terminal.until("2 evaluations")
        terminal.send("\r\r\r")
        terminal.until("error 1/6")
        terminal.send("P1")
        terminal.until(lambda: len(acts(path)) == 1 and "rubric points" in terminal.text)
        terminal.send("\x1b\x1b\x1b\x1b")
        terminal.until("error 1/6")
        terminal.send("a")
        terminal.until("error 2/6")
        assert quits_well(terminal)
    assert [event["kind"] for event in events(path) if event["kind"] != "time"] == ["opened", "verdict", "verdict"]
