"""A crash loses nothing: whatever the screen has shown as decided is on disk when the program is killed that moment."""

from __future__ import annotations

import os
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.driving import library, opened
from tests.support.nightly import at_night, by_day, rounds
from tests.support.tables import events

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")

if os.name == "posix":
    from tests.support.terminal import running

Steps = tuple[tuple[str, str], ...]
"""Keys, and what the screen shows once they were taken."""

ACTS: dict[str, tuple[Steps, str, dict[str, Any]]] = {
    "agree": ((("a", "✓ 1 "),), "verdict", {"decision": "agree"}),
    "reject": ((("x", "✗ 1 "),), "verdict", {"decision": "not_an_error"}),
    "unsure": ((("w", "? 1 "),), "verdict", {"decision": "unsure"}),
    "severity": (
        (("s", "Severity of error 1"), ("2", "~ 1 ")),
        "verdict",
        {"decision": "override", "severity": "critical"},
    ),
    "category": (
        (("c", "Category of error 1"), ("2", "~ 1 ")),
        "verdict",
        {"decision": "override", "category": "omission"},
    ),
    "dimension": (
        (("d", "Dimension of error 1"), ("2", "⇢ 1 ")),
        "verdict",
        {"decision": "reattribute", "dimension": "fluency"},
    ),
    "duplicate": ((("=", "Error 1 is a duplicate of"), ("2", "= 1 ")), "verdict", {"decision": "duplicate"}),
    "note": ((("n", "Note on error 1"), ("看原文\r", "note 看原文")), "verdict", {"note": "看原文"}),
    "restore": ((("]]]]", "error 5/6"), ("b", "+ 5 ")), "verdict", {"decision": "restore"}),
    "undo": ((("a", "✓ 1 "), ("u", "∙ 1 ")), "undo", {}),
    "redo": ((("a", "✓ 1 "), ("u", "∙ 1 "), ("r", "✓ 1 ")), "redo", {}),
    "finish": ((("f", "evaluation 2/2"),), "review", {"state": "done", "reason": None}),
    "skip": (
        (("z", "Skip this evaluation"), ("late\r", "evaluation 2/2")),
        "review",
        {"state": "skipped", "reason": "late"},
    ),
}


@by_day(1)
@pytest.mark.parametrize(("steps", "kind", "changes"), ACTS.values(), ids=ACTS.keys())
async def test_what_was_shown_is_on_disk(tmp_path: Path, steps: Steps, kind: str, changes: dict[str, Any]) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with running(path, "review", first) as terminal:
        terminal.until("error 1/6")
        for keys, shown in steps:
            terminal.send(keys)
            terminal.until(shown)
        terminal.kill()
    acts = [event for event in events(path) if event["kind"] not in ("opened", "time")]
    event = acts[-1]
    assert (event["kind"], event["evaluation"], event["reviewer"]) == (kind, first, "mei")
    assert {name: event.get("changes", {}).get(name) for name in changes} == changes
    async with opened(path, start=first) as driver:
        await driver.until(lambda: driver.app.session.evaluation is not None)
        session = driver.app.session
        assert session.evaluation is not None
        if kind == "review":
            assert (session.review.state, session.review.reason) == (changes["state"], changes["reason"])
        elif kind == "undo":
            assert session.work.verdicts == {}
        else:
            (verdict,) = session.work.verdicts.values()
            wanted = changes or {"decision": "agree"}
            assert {name: getattr(verdict, name) for name in wanted} == wanted


@at_night
def test_killed_in_the_middle_of_many_keys_the_log_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with running(path, "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send("axwaxw" * 2 + "uuurrr" + "[[[[[[axwaxw" * 3)
        terminal.until("✗ 2 ")
        terminal.kill()
    log = events(path)
    assert len(log) > 2
    ids = {event["id"] for event in log}
    assert all(event["target"] in ids for event in log if event["kind"] in ("undo", "redo"))
    with running(path, "review", first) as terminal:
        terminal.until("evaluation 1/2")
        terminal.send("q")
        assert terminal.end() == 0
    assert events(path)[: len(log)] == log


SHOWN = {"✓": "agree", "✗": "not_an_error", "?": "unsure"}
"""What a mark before an error's number says."""


@pytest.mark.parametrize("seed", range(rounds(1, 60)))
def test_killed_at_any_moment_all_that_was_shown_is_on_disk(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with running(path, "review", first) as terminal:
        terminal.until("error 1/6")
        enough = len(terminal.output) + chance.randrange(100, 8_000)
        terminal.send("".join(chance.choice("aaxxww][ur") for _ in range(60)))
        while len(terminal.output) < enough and terminal.read():
            pass
        terminal.kill()
        shown = {(int(number), SHOWN[mark]) for mark, number in re.findall(r"([✓✗?]) (\d) ", terminal.text)}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        numbers = dict(connection.execute("SELECT id, number FROM findings WHERE evaluation_id = ?", (first,)))
    log = events(path)
    said = {(numbers[each["finding"]], each["changes"].get("decision")) for each in log if each["kind"] == "verdict"}
    assert shown <= said
    with running(path, "review", first) as terminal:
        terminal.until("evaluation 1/2")
        terminal.send("q")
        assert terminal.end() == 0
    assert events(path)[: len(log)] == log
