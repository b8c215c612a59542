"""Keys that arrive together: each means what it means alone, but a dialog takes one answer and no more."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.events import Key, MouseDown, MouseUp, Paste

from discox_tui.core.actions import ACTIONS
from discox_tui.screens.benchmark.candidate import CandidateScreen
from discox_tui.screens.benchmark.forms import ParagraphForm
from discox_tui.screens.benchmark.screen import BuildScreen
from discox_tui.screens.common.dialogs import Choose, ChooseInTurn, Page
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.guideline import GuidelinePage
from discox_tui.screens.review.matching import MatchingScreen
from discox_tui.screens.review.rubric import RubricScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.terminal.input import TerminalParser
from discox_tui.terminal.typeahead import TOO_EARLY, Gone
from discox_tui.widgets.text_editor import TextEditor
from discox_tui.widgets.virtual_table import VirtualTable
from judges.model import Place
from storage.integrity.opening import open_library
from storage.reviews.blinding import choose_blinding
from storage.reviews.events import ACTS
from storage.reviews.projections import DERIVED, rebuild
from tests.support.building_candidates import build_library
from tests.support.driving import Driver, library, opened
from tests.support.nightly import by_day, rounds
from tests.support.tables import dump

CRITICAL = {"decision": "override", "severity": "critical"}
FLUENCY = {"decision": "reattribute", "dimension": "fluency"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    library(tmp_path / "a.db", {}, {})
    return tmp_path / "a.db"


def acts(driver: Driver) -> list[dict[str, Any]]:
    """What the log says was done, but looking."""
    return [event["changes"] for event in driver.events if event["kind"] in ACTS]


# --- a dialog takes one answer ---


@by_day(8)
@pytest.mark.parametrize(
    ("key", "answers", "done"),
    [
        ("s", "2222", [CRITICAL]),
        ("s", ["2", "enter", "enter", "1", "down", "9"], [CRITICAL]),
        ("s", ["enter"] * 4, [{"decision": "agree"}]),
        ("s", ["2", *["escape"] * 3], [CRITICAL]),
        ("s", ["escape", "escape", "1", "2"], []),
        ("s", ["２"] * 3, [CRITICAL]),
        ("d", "2222", [FLUENCY]),
        ("c", ["down", *["enter"] * 3], [{"decision": "override", "category": "omission"}]),
        ("I", "1111", [{"instruction": "agree"}]),
        ("I", "2222", [{"instruction": "overturn"}]),
        ("n", [*"ax1", "enter", *"ax1", "enter", "a"], [{"note": "ax1"}]),
        ("z", [*"ax1", "enter", *"ax1", "enter"], [{"state": "skipped", "reason": "ax1"}]),
        ("n", [*"ax1", "escape", *"ax1", "enter", "x"], []),
        ("question_mark", "qqq", []),
        ("question_mark", ["escape"] * 3, []),
        ("G", "GGGG", []),
        ("G", ["/", *"agree", "escape", *["escape"] * 3], []),
    ],
)
async def test_a_dialog_takes_one_answer(path: Path, key: str, answers: Any, done: list[dict[str, Any]]) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        await driver.press(key)
        assert driver.app.screen is not screen
        await driver.burst(*answers)
        assert acts(driver) == done
        assert driver.app.screen is screen
        assert driver.app.is_running


async def test_what_came_too_early_is_told_but_for_a_key_held_down(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.burst("s", "2", "2", "2")
        assert driver.said == []
        await driver.burst("s", "1", "enter")
        assert driver.said == [TOO_EARLY]
        await driver.press("1")
        assert len(acts(driver)) == 2, "and as long as that stands, a digit is no verdict"
        await driver.press("a")
        assert len(acts(driver)) == 3


async def test_the_first_key_that_means_nothing_to_the_dialog_is_for_the_review(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.burst(*"s222", "x", "1", *"s11", "]", "]", "x")
        assert [driver.verdict(number).decision for number in range(1, 7)] == [
            *("override", "not_an_error", "agree", None, None, "not_an_error")
        ], "error 4 has only one severity: its question did not open, and the digits are no answers to anything"


async def test_keys_one_by_one_mean_what_they_say(path: Path) -> None:
    """What is typed once the closing is painted is for what is seen then."""
    async with opened(path) as driver:
        await driver.review()
        await driver.press("s", "2", "2", "1")
        assert [driver.verdict(number).decision for number in (1, 2, 3)] == ["override", "not_an_error", "agree"]


async def test_answers_in_turn_are_one_error_however_many_follow(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        await driver.press("m")
        screen.texts.translation.focus()
        await driver.burst("v", "right", "right", "e", *"0111111111")
        (_, marked) = acts(driver)
        assert (marked["dimension"], marked["spans"]) == ("accuracy", [["translation", 4, 6]]) or marked["dimension"]
        assert driver.app.screen is screen
        await driver.press("v", "right", "e")
        assert isinstance(driver.app.screen, ChooseInTurn)
        await driver.burst(*["escape"] * 9)
        assert driver.app.screen is screen
        assert len(acts(driver)) == 2


async def test_the_palette_runs_one_command_once(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        await driver.burst("ctrl+p", *"not an error", "enter", "enter", "enter", "enter", *"ax")
        await driver.until(lambda: acts(driver))
        await driver.rest()
        assert acts(driver) == [{"decision": "not_an_error"}]
        assert driver.app.screen is screen
        await driver.press("ctrl+p")
        assert isinstance(driver.app.screen, CommandPalette)
        await driver.burst(*["escape"] * 4)
        assert driver.app.screen is screen


async def test_what_is_pointed_at_twice_is_chosen_once(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        await driver.press("s")
        assert isinstance(driver.app.screen, Choose)
        place = driver.app.screen.query_one(VirtualTable).region
        x, row = place.x + 4, place.y + 2  # below the header: the second
        at = (None, x, row, 0, 0, 1, False, False, False, x, row)
        await driver.send(*(kind(*at) for kind in (MouseDown, MouseUp) * 4), Paste("axw"))
        assert acts(driver) == [CRITICAL]
        assert driver.app.screen is screen
        assert driver.number == 2


async def test_a_page_over_a_dialog_closes_alone(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("s", "G")
        assert isinstance(driver.app.screen, GuidelinePage)
        await driver.burst("escape", "escape", "1")
        assert isinstance(driver.app.screen, Choose)
        await driver.burst("2", "G")
        assert acts(driver) == [CRITICAL]
        assert isinstance(driver.app.screen, ReviewScreen)


async def test_revealing_says_nothing_of_what_is_compared_then(path: Path) -> None:
    with closing(open_library(path)) as connection:
        choose_blinding(connection, "mei", "first")
    async with opened(path) as driver:
        screen = await driver.review()
        driver.app.session.mark([Place("translation", 4, 9)], "fluency", "grammar", "minor")
        screen.controller.refresh()
        await driver.press("R")
        await driver.burst("2", "2", "1", "2")
        await driver.on(MatchingScreen)
        assert [list(act) for act in acts(driver)] == [["category", "dimension", "severity", "spans"]]


# --- screens ---


async def test_enter_held_down_opens_one_review_once(path: Path) -> None:
    async with opened(path) as driver:
        await driver.on(QueueScreen)
        await driver.burst("enter", "enter", "enter")
        assert [type(screen) for screen in driver.app.screen_stack] == [QueueScreen, ReviewScreen]
        assert [event["kind"] for event in driver.events] == ["opened"]


async def test_a_verdict_typed_ahead_is_of_the_error_that_is_shown(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("]", "]", "]", "escape")
        await driver.burst("enter", "x", "down", "a")
        assert [driver.verdict(number).decision for number in range(1, 7)] == [
            *(None, None, None, "not_an_error", None, "agree")
        ]


async def test_escape_held_down_goes_back_one_level(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("P")
        assert isinstance(driver.app.screen, RubricScreen)
        await driver.burst(*["escape"] * 5)
        assert isinstance(driver.app.screen, ReviewScreen)
        await driver.burst(*"PPPPP")
        assert isinstance(driver.app.screen, ReviewScreen)
        await driver.burst(*["escape"] * 5)
        assert isinstance(driver.app.screen, QueueScreen)
        await driver.burst("enter", "escape", "down", "enter")
        assert driver.screen.evaluation.system == "system-1", "other keys are for the list that it went back to"


async def test_escape_held_down_throws_no_change_away(tmp_path: Path) -> None:
    build_library(tmp_path / "a.db")
    async with opened(tmp_path / "a.db") as driver:
        await driver.press("b")
        (await driver.on(BuildScreen)).open("dyke")
        await driver.on(CandidateScreen)
        await driver.press("t")
        form = await driver.on(ParagraphForm)
        await driver.write("new")
        await driver.burst(*["escape"] * 6)
        assert driver.app.screen is form
        assert form.query_one(TextEditor).text.startswith("new")
        await driver.press("escape")
        assert isinstance(driver.app.screen, CandidateScreen)


async def test_quitting_more_than_once_is_quitting(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.burst("q", "q", "a", "escape", "q")
        await driver.until(lambda: not driver.app.is_running)
        assert driver.app.return_code == 0
        assert acts(driver) == []


# --- when a key was read ---


def test_all_that_was_read_at_once_bears_one_time() -> None:
    parser = TerminalParser()
    events = [*parser.feed("11\x1b\x1b\x1b")]
    parser._timeout_time = 0.0  # as if nothing had followed for long enough
    events += parser.tick()
    assert [event.key for event in events if isinstance(event, Key)] == ["1", "1", "escape", "escape", "escape"]
    assert len({event.time for event in events}) == 1
    assert [event.time > events[0].time for event in parser.feed("1")] == [True]


# --- any keys ---

DIALOGS = ["s", "c", "d", "=", "t", "n", "z", "I", "?", "G", "e"]
WITHIN = [*"0123456789", "enter", "escape", "up", "down", "home", "end", "２"]
QUITS = {key for action in ACTIONS if action.id == "quit" for key in action.keys}
KEYS = sorted({key for action in ACTIONS for key in action.keys} - QUITS)


@pytest.mark.parametrize("seed", range(rounds(1, 60)))
async def test_no_dialog_takes_two_answers(path: Path, seed: int) -> None:
    """Whatever a dialog understands is typed at it at once: the log has one act more at most, and nothing falls over."""
    chance = random.Random(seed)
    async with opened(path) as driver:
        screen = await driver.review()
        for _ in range(12):
            driver.app.session.undo()
            screen.controller.refresh()
            await driver.press("escape") if screen.texts.selections else None
            key = chance.choice(DIALOGS)
            await driver.press(*("v", "right", "e") if key == "e" else key)
            before = acts(driver)
            if driver.app.screen is screen:
                continue  # there was nothing to ask
            text = ["a", "x"] * (key in "nz")
            await driver.burst(*(chance.choice([*WITHIN, *text]) for _ in range(chance.randrange(2, 9))))
            assert len(acts(driver)) - len(before) in (0, 1)
            while driver.app.screen is not screen:
                await driver.press("escape")
            assert driver.app.screen_stack == [driver.app.screen_stack[0], screen]


VERDICTS = ["a", "x", "w", "b", "i", "u", "r", "]", "[", "j", "k", "down", "up", "space", "m", "L", "g"]
ANSWERED = [["s", "1"], ["s", "2"], ["d", "3"], ["c", "2"], ["=", "4"], ["t", "4"], ["I", "1"], ["n", *"ax", "enter"]]


@pytest.mark.parametrize("seed", range(rounds(1, 40)))
async def test_a_burst_does_what_its_keys_do_one_by_one(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    keys: list[str] = []
    while len(keys) < 25:
        keys += chance.choice(ANSWERED) if chance.random() < 0.3 else [chance.choice(VERDICTS)]
        if keys[-1] == "enter" or (len(keys) > 1 and keys[-1].isdigit()):
            keys.append("]" if keys[-1].isdigit() else "f11")  # what the dialog did not take
    done = []
    for name in ("once", "one by one"):
        library(tmp_path / name, {})
        async with opened(tmp_path / name) as driver:
            await driver.review()
            await (driver.burst if name == "once" else driver.press)(*keys)
            done.append([(event["kind"], event.get("finding"), event.get("changes")) for event in driver.events])
            assert len(done[-1]) > 2
    assert done[0] == done[1]


@pytest.mark.parametrize("seen", [True, False])
async def test_a_key_counts_that_was_typed_with_the_change_in_view(path: Path, seen: bool) -> None:
    """Whatever else is painted before word of that paint comes, as a queue that is read anew."""
    async with opened(path) as driver:
        queue, typeahead = await driver.on(QueueScreen), driver.app.typeahead
        typeahead.drop(Gone(frozenset({"c"})))
        key = None if seen else Key("c", "c")
        typeahead.painting()
        key = key or Key("c", "c")
        typeahead.painting()
        await driver.send(key)
        assert (driver.app.screen is not queue) == seen
        assert (driver.said == [TOO_EARLY]) == (not seen)


@pytest.mark.parametrize("seed", range(rounds(1, 60)))
async def test_any_burst_on_any_screen(sample: Path, seed: int) -> None:
    chance = random.Random(seed)
    record = ("events", *DERIVED, "app_state")
    before = dump(sample, without=record)
    async with opened(sample) as driver:
        for _ in range(15):
            count = chance.choice((1, 3, 8))
            keys = [chance.choice(WITHIN if chance.random() < 0.4 else KEYS) for _ in range(count)]
            await driver.burst(*keys * chance.choice((1, 1, 3)))
            assert driver.app.is_running, keys
            assert isinstance(driver.app.screen_stack[0], QueueScreen)
            assert len(set(driver.app.screen_stack)) == len(driver.app.screen_stack)
            if isinstance(driver.app.screen, Page | CommandPalette):
                await driver.press("escape")
    assert dump(sample, without=record) == before
    derived = {name: dump(sample)[name] for name in DERIVED}
    with closing(open_library(sample)) as connection:
        rebuild(connection)
    assert {name: dump(sample)[name] for name in DERIVED} == derived
