"""Nothing of what is hidden shows anywhere: not on a screen, in a message, a list, a log, nor in what is remembered.

Every name, word and score of the judge's record is a word that occurs nowhere else (``SECRET``), so it is enough to
look for that.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Input

from discox_tui.actions import Action, actions_of
from discox_tui.screens.base import DiscoxScreen
from discox_tui.screens.dialogs import Choose
from discox_tui.screens.matching import MatchingScreen
from discox_tui.screens.queue import QueueScreen
from discox_tui.screens.review import ReviewScreen
from judges.metric_s.scoring import judged as cost_of
from judges.metric_s.scoring import score
from judges.model import Advice, Article, Finding, Flag, Judgement, RubricPoint, RubricVerdict
from storage.blinding import choose_blinding
from storage.connection import insert, open_database, transaction
from storage.groundings import ground_pending
from storage.library import FromFile, add_evaluation, add_translation
from storage.queue import Queue
from storage.review_log import ReviewLog

from .builders import SOURCE, TRANSLATION
from .conftest import Command
from .driving import WIDE, Driver, opened
from .tables import dump

SECRET = "zq"
SYSTEMS, JUDGE, SCORE = ("zqheron", "zqegret", "zqibis", "zqstork"), "zqosprey", 61.37
STATES = ("scored", "judge_failed", "instruction_failed", "scored")
FOUND = (
    Finding(
        "accuracy", 1, "zqsaid “变浅”译为“grows shallow”。", "zqhint", "mistranslation", "zqlabel", "critical", "zqword"
    ),
    Finding("fluency", 1, "zqsaid “with few passengers”不通顺。", "2", "grammar", "zqlabel", "minor", "zqword"),
    Finding("fluency", 2, "zqsaid “grows shallow”。", "1", "grammar", "zqlabel", "minor", "zqword", None, False, 0, 0),
    Finding("rubric", 1, "zqsaid “渡船”未按考点译出。", "2", "rubric_point", "", "violated", "zqword", 1),
)
NOT_TRIED = {"quit", "blinding", "reveal"}
"""Actions that end the app, or show on purpose."""


Reach = Callable[[], Awaitable[None]]
"""Comes to a screen from wherever the app is."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A library of four evaluations whose judge's record is one secret, of a reviewer who works blind."""
    path = tmp_path / "a.db"
    with closing(open_database(path)) as connection:
        ids = [secret(connection, f"river-0{i % 2}", SYSTEMS[i], STATES[i], i + 1) for i in range(len(STATES))]
        ground_pending(connection, path)
        finding = connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (ids[0],)).fetchone()[0]
        ReviewLog(connection, "lin").decide(ids[0], finding, decision="not_an_error", note="zqnote")
        choose_blinding(connection, "mei", "first")
    return path


def secret(connection: Any, key: str, system: str, state: str, number: int) -> str:
    points = (RubricPoint(1, "“渡船”推荐译为“ferry”"),)
    article = Article(key, SOURCE, "zh-en", "文学", "散文", "", "考点1：“渡船”推荐译为“ferry”", points)
    judgement = Judgement(
        state,  # type: ignore[arg-type]
        score(cost for finding in FOUND if (cost := cost_of(finding))) if state == "scored" else None,
        ("fluency",) if state == "judge_failed" else (),
        FOUND if state != "instruction_failed" else (),
        (RubricVerdict(1, met=False, explanation="zqrubric", hint="zqhint", label="zqlabel"),),
        (Advice("zqadvice", (("fluency", 2),), (("accuracy", 1),), "applied"),),
        instruction_check="zqcheck",
        advice_text="zqadvice",
    )
    with transaction(connection):
        connection.execute("PRAGMA defer_foreign_keys = ON")
        identity = add_evaluation(
            connection,
            add_translation(connection, article, system, TRANSLATION),
            JUDGE,
            judgement,
            FromFile(number, 1),
            raw=f"zqraw {number}",
            stored_score=(SCORE, 30, 20, 11.37),
            flags=(Flag("zqcode", "zqflag"),),
        )
        row: dict[str, object] = dict.fromkeys(("at", "sha256", "format", "options", "program"), "")
        row |= dict.fromkeys(("rows", "stored", "unchanged", "left_out"), 1) | {"id": number, "file": "zqfile.jsonl"}
        insert(connection, "imports", [row])
        note = {"import_id": number, "line": 1, "kind": "flag", "code": "zqcode", "field": "", "message": "zqflag"}
        insert(connection, "import_notes", [note | {"evaluation_id": identity}])
    return identity


def leaks(text: str) -> list[str]:
    """Where a text gives something away."""
    return re.findall(rf".{{0,40}}(?:{SECRET}|61\.37).{{0,20}}", text, re.IGNORECASE)


def nothing_shows(driver: Driver, after: str) -> None:
    """Fail if any screen, message or title shows what is hidden."""
    app = driver.app
    shown = [driver.text, *driver.said, app.title, app.sub_title]
    shown += [str(note) for note in app._notifications]
    for screen in app.screen_stack:
        shown += [screen.title or "", screen.sub_title or ""]
        shown += [str(widget.tooltip) for widget in screen.query("*") if widget.tooltip]
    assert leaks("\n".join(shown)) == [], f"after {after}\n{driver.text}"


async def back(driver: Driver, wanted: type[Screen[Any]]) -> None:
    """Back out until a screen of this kind is on top."""
    for _ in range(8):
        if isinstance(driver.app.screen, wanted):
            return
        await driver.press("escape")
    raise AssertionError(f"no way back to {wanted.__name__}\n{driver.text}")


async def answer(driver: Driver, after: str) -> None:
    """Answer whatever is asked, and look at each step."""
    for keys in (("down",), ("1",), ("enter",), ("1", "enter"), ("1", "enter")):
        if isinstance(driver.app.screen, DiscoxScreen):
            return
        await driver.press(*keys)
        nothing_shows(driver, f"{after} {' '.join(keys)}")


async def visit(driver: Driver, here: type[DiscoxScreen], tried: list[str], reach: Reach) -> None:
    """Do everything that the registry has for a screen, and for each screen that opens from it."""
    for action in (*actions_of(here.NAME), *actions_of("app")):
        if action.id in NOT_TRIED:
            continue
        if isinstance(driver.app.focused, Input):
            await driver.press("escape")
        await reach()
        if not driver.app.screen.check_action(action.id, ()):
            continue
        await do(driver, action)
        tried.append(f"{here.NAME}.{action.id}")
        nothing_shows(driver, tried[-1])
        await answer(driver, tried[-1])
        found = driver.app.screen
        if isinstance(found, DiscoxScreen) and not any(name.startswith(f"{found.NAME}.") for name in tried):
            await visit(driver, type(found), tried, partial(again, driver, type(found), reach, action))


async def again(driver: Driver, kind: type[DiscoxScreen], reach: Reach, action: Action) -> None:
    """Come to a screen the way that it was found, unless it is there."""
    if not isinstance(driver.app.screen, kind):
        await reach()
        await do(driver, action)


async def do(driver: Driver, action: Action) -> None:
    if action.keys:
        await driver.press(action.keys[0])
    else:
        await driver.app.run_action(action.id)
    await driver.pilot.pause(0.05)


async def mark(driver: Driver) -> None:
    """Mark an error of one's own: a sentence, an accuracy mistranslation, major."""
    await driver.press("v", ")", "e")
    nothing_shows(driver, "selecting")
    await driver.press("1", "1", "1")
    await driver.on(ReviewScreen)
    nothing_shows(driver, "marking")


async def test_nothing_shows_on_any_screen(path: Path, discox: Command) -> None:
    tried: list[str] = []
    async with opened(path, size=WIDE) as driver:
        await driver.on(QueueScreen)
        nothing_shows(driver, "start")
        assert "hidden" in driver.text

        async def queue() -> None:
            await back(driver, QueueScreen)

        async def review() -> None:
            screen = driver.app.screen
            if not isinstance(screen, ReviewScreen) or screen.texts.selections:
                await queue()
                await driver.review(0)

        for index in range(len(STATES)):
            await queue()
            await driver.review(index)
            nothing_shows(driver, "opening")
            await mark(driver)
            for keys in ("u", "r", "a", "x", "]", "f"):
                await driver.press(keys)
                nothing_shows(driver, keys)
        await visit(driver, QueueScreen, tried, queue)
        await visit(driver, ReviewScreen, tried, review)
        await review()
        await driver.press("slash", *"qs")
        nothing_shows(driver, "searching")
    names = {name.split(".")[1] for name in tried}
    expected = {action.id for screen in ("queue", "review", "app") for action in actions_of(screen)}
    assert expected - names <= {*NOT_TRIED, "compare", "restore", "command_palette"}
    assert not {name.split(".")[0] for name in tried} & {"consistency", "leaderboard", "import_report", "weak_spot"}
    async with opened(path, size=WIDE) as driver:  # where she stopped
        await driver.on(ReviewScreen)
        nothing_shows(driver, "opening again")
    assert leaks(str(dump(path)["app_state"])) == []
    mine = [line for line in discox("verdicts", "export", "-", "--db", path).out.splitlines() if '"mei"' in line]
    assert len(mine) > len(STATES)
    assert leaks("\n".join(mine)) == []


async def test_filter_and_order_know_nothing_of_it(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.on(QueueScreen)
        for words in ("qheron", "qosprey", "failed", "scored", "q"):
            await driver.press("slash")
            screen.query_one("#filter", Input).value = words
            await driver.pilot.pause()
            assert len(screen.queue) == 0, words
            nothing_shows(driver, words)
            await driver.press("escape")
        for words in ("river", "hidden", "not opened"):
            await driver.press("slash")
            screen.query_one("#filter", Input).value = words
            await driver.pilot.pause()
            assert len(screen.queue) == len(STATES), words
            await driver.press("escape")


@pytest.mark.parametrize("order", ["system", "judge", "state", "total", "human", "decided"])
@pytest.mark.parametrize("descending", [False, True])
def test_the_order_tells_nothing(path: Path, order: str, descending: bool) -> None:
    with closing(open_database(path)) as connection:
        queue = Queue(connection, "mei", order=order, descending=descending, blinding="first")
        rows = list(queue)
        public = [(row.article if order == "system" else "", row.id) for row in rows]
        if order == "system" and descending:
            assert [a for a, _ in public] == sorted((a for a, _ in public), reverse=True)
        else:
            assert public == sorted(public)
        assert [queue.index_of(row.id) for row in rows] == list(range(len(rows)))
        assert {(row.system, row.judge, row.state, row.total, row.human) for row in rows} == {
            ("hidden", "hidden", "scored", None, None)
        }


def test_the_commands_show_nothing(path: Path, discox: Command) -> None:
    with closing(open_database(path)) as connection:
        ids = [row.id for row in Queue(connection, "mei")]
    ask = ("--db", path, "--reviewer", "mei")
    for arguments in (("list",), ("list", "--json"), *(("show", i, *more) for i in ids for more in ((), ("--json",)))):
        result = discox(*arguments, *ask)
        assert result.code == 0
        assert leaks(result.out + result.err) == [], arguments
        assert "another --reviewer" in result.err
    assert discox("list", "zqheron", *ask).out == ""
    for arguments in (("consistency",), ("consistency", "--json"), ("leaderboard",), ("leaderboard", "--csv")):
        result = discox(*arguments, *ask)
        assert (result.code, leaks(result.out + result.err)) == (1, [])
        assert result.err.count("\n") == 1
    assert leaks(discox("ground", *ask).err) == []
    assert {name for name in SYSTEMS if name in discox("list", "--db", path, "--reviewer", "ben").out} == {*SYSTEMS}


async def test_what_is_revealed_appears(path: Path, discox: Command) -> None:
    async with opened(path) as driver:
        await driver.review(0)
        await mark(driver)
        await driver.press("R")
        await driver.on(Choose)
        nothing_shows(driver, "asking")
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert driver.app.session.hidden, "the answer that enter gives shows nothing"
        await driver.press("R", "2")
        await driver.on(MatchingScreen)
        assert "zqsaid" in driver.text
        await driver.press("escape")
        await driver.on(ReviewScreen)
        assert "zqosprey" in driver.text
        assert "61.37" in driver.text
        assert "zqheron" not in driver.text, "systems are hidden as long as one works blind"
        await driver.press("escape")
        screen = await driver.on(QueueScreen)
        await driver.press("h")
        assert driver.app.session.blinding == "open"
        assert {name for name in SYSTEMS if name in driver.text} == {*SYSTEMS}
        assert [row.blind for row in screen.queue].count("revealed") == 1
    assert "zqosprey" in discox("list", "--db", path, "--reviewer", "mei").out


async def test_only_systems_are_hidden(path: Path, discox: Command) -> None:
    with closing(open_database(path)) as connection:
        choose_blinding(connection, "mei", "systems")
    async with opened(path) as driver:
        await driver.on(QueueScreen)
        for step in ("queue", "review"):
            assert not any(name in driver.text for name in SYSTEMS), step
            assert JUDGE in driver.text
            for keys in ("c", "l", "i") if step == "queue" else ("a", "u"):
                await driver.press(keys)
                assert not any(name in driver.text for name in SYSTEMS), keys
            if step == "queue":
                await driver.review(0)
    for arguments in (("list",), ("list", "--json"), ("list", "river", "--json")):
        result = discox(*arguments, "--db", path, "--reviewer", "mei")
        assert JUDGE in result.out
        assert not any(name in result.out for name in SYSTEMS)
    assert discox("list", "zqheron", "--db", path, "--reviewer", "mei").out == ""
