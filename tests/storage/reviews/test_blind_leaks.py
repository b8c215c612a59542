"""Nothing of what is hidden shows anywhere: not on a screen, in a message, a list, a log, nor in what is remembered.

Every name, word and score of the judge's record is a word that occurs nowhere else (``SECRET``), so it is enough to
look for that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets import Input

from discox_tui.core.actions import Action, actions_of
from discox_tui.screens.common.base import DiscoxScreen
from discox_tui.screens.common.dialogs import Choose
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.matching import MatchingScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.sessions.library import Refused
from discox_tui.sessions.review import ReviewSession
from judges.metric_s.scoring import judge_deduction as cost_of
from judges.metric_s.scoring import score
from judges.model import Advice, Article, Finding, Flag, Judgement, RubricPoint, RubricVerdict
from storage.db.connection import insert, transaction
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.record.library import FromFile, add_evaluation, add_translation
from storage.reviews.blinding import blinding_of, choose_blinding, is_hidden
from storage.reviews.events import Event, add_event, unknown_evaluations
from storage.reviews.projections import rebuild
from storage.reviews.queue import Queue
from storage.reviews.review_log import ReviewLog
from storage.reviews.review_state import errors_of
from tests.conftest import Command
from tests.support.builders import SOURCE, TRANSLATION, add
from tests.support.driving import WIDE, Driver, opened
from tests.support.tables import dump

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
    with closing(open_library(path)) as connection:
        ids = [secret(connection, f"river-0{i % 2}", SYSTEMS[i], STATES[i], i + 1) for i in range(len(STATES))]
        ground_pending(connection, path)
        finding = connection.execute("SELECT id FROM findings WHERE evaluation_id = ?", (ids[0],)).fetchone()[0]
        ReviewLog(connection, "lin").decide(ids[0], finding, decision="not_an_error", note="zqnote")
        event = Event(
            id="i",
            at="2026-03-01T00:00:00.000000Z",
            reviewer="kim",
            kind="imported",
            evaluation_id=ids[3],
            finding_id=None,
            changes={"file": "zqheron.tsv"},
        )
        add_event(connection, event)
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
    await driver.pilot.pause()


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
    log = discox("verdicts", "export", "-", "--db", path, "--reviewer", "mei")
    assert len(log.out.splitlines()) > len(STATES)
    assert leaks(log.out + log.err) == []
    assert "what others said of what is hidden" in log.err
    assert not re.search(r"\d", log.err), "how much others said is hidden too"
    log = discox("verdicts", "export", "-", "--db", path, "--reviewer", "lin")
    assert (len(leaks(log.out)), log.err) == (2, "")


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


@pytest.mark.parametrize("order", ["position", "system", "judge", "state", "total", "human", "decided"])
@pytest.mark.parametrize("descending", [False, True])
def test_the_order_tells_nothing(path: Path, order: str, descending: bool) -> None:
    with closing(open_library(path)) as connection:
        queue = Queue(connection, "mei", order=order, descending=descending, blinding="first")
        rows = list(queue)
        public = [(row.article, row.id) for row in rows]
        if order == "system" and descending:
            assert public == sorted(sorted(public), key=lambda each: each[0], reverse=True)
        else:
            assert public == sorted(public, reverse=descending and order == "position")
        assert [queue.index_of(row.id) for row in rows] == list(range(len(rows)))
        assert {(row.system, row.judge, row.state, row.total, row.human) for row in rows} == {
            ("hidden", "hidden", None, None, None)
        }


def test_the_commands_show_nothing(path: Path, discox: Command) -> None:
    with closing(open_library(path)) as connection:
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
    with closing(open_library(path)) as connection:
        first = next(row.id for row in Queue(connection, "ben") if row.state == "scored")
        index = Queue(connection, "mei", blinding="first").index_of(first)
        assert index is not None
    async with opened(path) as driver:
        await driver.review(index)
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
    with closing(open_library(path)) as connection:
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
    log = discox("verdicts", "export", "-", "--db", path, "--reviewer", "mei")
    assert not any(name in log.out for name in SYSTEMS), "nor what a file of others was called"
    assert "zqnote" in log.out


# --- what hides in something else: another judge's evaluation, the order, what is left over, another layer ---


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    """Two articles by two systems, each judged twice; one translation is assigned to mei blind, and once more."""
    path = tmp_path / "planned.db"
    with closing(open_library(path)) as connection:
        for judge in ("osprey", "egret"):
            for number, system in enumerate(("heron", "ibis")):
                for article in ("lake-01", "river-01"):
                    add(
                        connection,
                        article=article,
                        system=system,
                        judge=judge,
                        translation=f"{number} {TRANSLATION}",
                    )
        ground_pending(connection, path)
        (hidden,) = connection.execute(
            "SELECT id FROM evaluations WHERE article = 'lake-01' AND system = 'heron' AND judge = 'osprey'"
        ).fetchone()
        insert(connection, "plans", [{"id": "p", "at": "2026-05-04", "seed": 1, "options": "{}", "program": "x"}])
        rows: list[dict[str, object]] = [
            {"plan_id": "p", "reviewer": "mei", "layer": layer, "position": position, "evaluation_id": hidden}
            | {"purpose": "again" if position > 1 else "review", "blind": 1}
            for position, layer in enumerate(("mei", "mei:again"), 1)
        ]
        insert(connection, "assignments", rows)
    return path


def facts(path: Path, reviewer: str = "mei") -> dict[tuple[str, str, str], tuple[str, str, bool]]:
    """Article, system and judge as they are → system and judge as a reviewer sees them, whether it is hidden."""
    with closing(open_library(path)) as connection:
        known = {row[0]: row[1:] for row in connection.execute("SELECT id, article, system, judge FROM evaluations")}
        return {known[row.id]: (row.system, row.judge, row.hidden) for row in Queue(connection, reviewer)}


def test_hiding_goes_by_translation_and_article(planned: Path, discox: Command) -> None:
    seen = facts(planned)
    for judge in ("osprey", "egret"):
        assert seen["lake-01", "heron", judge] == ("hidden", "hidden", True), "whoever judged it"
        assert seen["lake-01", "ibis", judge] == ("hidden", judge, False), "what is left over would tell"
        assert seen["river-01", "heron", judge] == ("heron", judge, False)
    assert all(
        not hidden and "hidden" not in (system, judge) for system, judge, hidden in facts(planned, "lin").values()
    )
    ask = ("--db", planned, "--reviewer", "mei")
    listed = {each["id"]: each for each in json.loads(discox("list", "--json", *ask).out)}
    assert list(listed) == [
        each["id"] for each in sorted(listed.values(), key=lambda each: (each["article"], each["id"]))
    ], "not in the order of the files, which is that of systems"
    for identity, each in listed.items():
        result = discox("show", identity, *ask)
        if each["article"] == "lake-01":
            assert (each["system"], each["state"] is None) == ("hidden", each["review"]["hidden"])
            assert not re.search("heron|ibis", result.out)
            assert "hidden from mei" in result.err
    assert discox("list", "lake heron", *ask).out == discox("list", "lake ibis", *ask).out == ""


async def test_no_screen_names_what_would_tell(planned: Path) -> None:
    async with opened(planned, size=WIDE) as driver:
        queue = await driver.on(QueueScreen)
        await driver.press("m")
        rows = list(queue.queue)
        assert [row.article for row in rows] == ["lake-01"] * 4 + ["river-01"] * 4
        for words, count in (("heron", 2), ("ibis", 2), ("lake heron", 0)):
            assert len(Queue(driver.app.session.connection, "mei", words=words)) == count
        for index, row in enumerate(rows[:4]):
            await driver.review(index)
            for keys in ("end", "a", "D", "escape", "W", "escape", "P", "escape", "u"):
                await driver.press(keys)
                assert not re.search("heron|ibis", "\n".join([driver.text, *driver.said])), keys
                assert ("osprey" in driver.text or "egret" in driver.text) <= (not row.hidden)
            await back(driver, QueueScreen)
        first = next(index for index, row in enumerate(rows) if row.hidden)
        await driver.review(first)
        await driver.press("R", "2")
        await back(driver, QueueScreen)
        assert not any(row.hidden or row.system == "hidden" for row in queue.queue)
        assert [row.article for row in queue.queue] == ["lake-01"] * 4 + ["river-01"] * 4, (
            "the order is made anew later"
        )
        await driver.press("m", "m")
        assert [row.article for row in queue.queue][:2] == ["lake-01", "river-01"], "as they came"


@pytest.mark.parametrize("judge", ["osprey", "egret"])
@pytest.mark.parametrize("layer", ["mei", "mei:again", "mei:adjudicated"])
def test_what_one_layer_has_seen_no_layer_reviews_blind(planned: Path, layer: str, judge: str) -> None:
    """Also not what it began blind; what it had begun before is over then, and stays a blind pass."""
    with closing(open_library(planned)) as connection:
        ids = dict(
            connection.execute(
                "SELECT judge, id FROM evaluations WHERE article = 'lake-01' AND system = 'heron'"
            ).fetchall()
        )
        begun, late = ReviewLog(connection, "mei"), ReviewLog(connection, "mei:again")
        begun.open(ids["osprey"], hidden=True)
        before = begun.mark(
            ids["osprey"], dimension="fluency", severity="minor", spans=[["translation", 0, 2]]
        ).event.finding_id
        assert is_hidden(connection, layer, ids[judge], "open")
        (begun if (layer, judge) == ("mei", "osprey") else ReviewLog(connection, layer)).open(ids[judge])
        begun.reveal(ids["osprey"])
        after = begun.mark(
            ids["osprey"], dimension="fluency", severity="minor", spans=[["translation", 3, 5]]
        ).event.finding_id
        assert not any(
            is_hidden(connection, each, ids[other], "first") for each in ("mei", "mei:again") for other in ids
        )
        late.open(ids["egret" if layer != "mei:again" or judge != "egret" else "osprey"], hidden=True)
        for _ in range(2):
            errors = errors_of(connection, ids["osprey"], "mei")
            assert [errors[str(each)].blind for each in (before, after)] == [True, False]
            assert begun.review(ids["osprey"]).blind == "revealed"
            assert [row.blind for row in Queue(connection, "mei:again") if row.blind] == []
            rebuild(connection)
    assert not any(hidden or "hidden" in (system, judge) for system, judge, hidden in facts(planned).values())


def test_a_second_time_waits_for_the_first(planned: Path) -> None:
    with closing(open_library(planned)) as connection:
        identity = Queue(connection, "mei", assigned=True)[0].id
        session = ReviewSession(connection, "mei")
        for _ in range(2):
            with pytest.raises(Refused, match="second time"):
                session.open(identity, "mei:again")
            assert connection.execute("SELECT * FROM events WHERE reviewer = 'mei:again'").fetchall() == []
            session.open(identity)
        session.set_state("done")
        session.open(identity, "mei:again")
        assert session.hidden, "she was done without what the judge said, so this is blind too"
        session.open(identity)
        session.set_state("in_progress")
        session.open(identity, "mei:again")


def test_what_a_reviewer_chooses_comes_with_her_log(planned: Path, discox: Command, tmp_path: Path) -> None:
    with closing(open_library(planned)) as connection:
        for blinding in ("first", "systems", "first"):
            choose_blinding(connection, "mei", blinding)  # type: ignore[arg-type]
            choose_blinding(connection, "mei", blinding)  # type: ignore[arg-type]
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (3,)
    fresh, log = tmp_path / "fresh.db", tmp_path / "log.jsonl"
    assert discox("merge", planned, "--db", fresh).code == 0
    assert all(hidden for _, _, hidden in facts_blind(fresh))
    assert discox("verdicts", "export", log, "--db", fresh).code == 0
    with closing(open_library(fresh)) as connection:
        choose_blinding(connection, "mei", "open")
    for arguments in (("merge", planned), ("verdicts", "import", log)):
        assert discox(*arguments, "--db", fresh).code == 0
    with closing(open_library(fresh)) as connection:
        assert blinding_of(connection, "mei") == "open", "the choice made last holds"
    assert discox("verdicts", "import", log, "--db", tmp_path / "other.db").code == 0
    with closing(open_library(tmp_path / "other.db")) as connection:
        assert blinding_of(connection, "mei") == "first"
        assert unknown_evaluations(connection) == 0


def facts_blind(path: Path) -> list[tuple[str, str, bool]]:
    """What mei sees of every evaluation by what she chose."""
    with closing(open_library(path)) as connection:
        queue = Queue(connection, "mei", blinding=blinding_of(connection, "mei"))
        return [(row.system, row.judge, row.hidden) for row in queue]


async def test_why_figures_wait(planned: Path) -> None:
    async with opened(planned) as driver:
        await driver.on(QueueScreen)
        await driver.press("c")
        assert "reveal first" in driver.said[-1]
        assert "(h)" not in driver.said[-1], "it is the plan that hides"
        await driver.press("h", "c")
        assert "turn hiding off (h)" in driver.said[-1]


def test_nobody_draws_what_she_is_to_review_blind_by_what_that_hides(path: Path, discox: Command) -> None:
    ask = ("--db", path, "--reviewers", "ana,ben", "--blind", "--dry-run")
    for by in ((), ("--by", "score"), ("--by", "system,domain"), ("--audit", "1")):
        refused = discox("plan", *ask, *by, "--reviewer", "ana")
        assert (refused.code, refused.out) == (1, "")
        assert "--reviewer NAME" in refused.err
    assert discox("plan", *ask, "--by", "direction,domain", "--reviewer", "ana").code == 0
    assert "zqheron" in discox("plan", *ask, "--reviewer", "lead").out
    assert discox("plan", *ask, "--by", "direction", "--reviewer", "mei").code == 1, "something is hidden from her now"


def test_systems_of_what_nobody_judged_are_named_to_whom_they_are_not_hidden_from(
    tmp_path: Path, discox: Command
) -> None:
    path = tmp_path / "a.db"
    with closing(open_library(path)) as connection:
        with transaction(connection):
            add_translation(connection, Article("river", SOURCE, "zh-en"), "zqheron", TRANSLATION)
        choose_blinding(connection, "mei", "systems")
    assert "translations: zqheron (1)" in discox("list", "--db", path, "--reviewer", "lin").err
    assert "translations: 1;" in discox("list", "--db", path, "--reviewer", "mei").err
