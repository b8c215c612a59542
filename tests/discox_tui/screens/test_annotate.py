"""Marking in the app: missed errors, other places, invented quotes, repeats, the statement that it was searched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from discox_tui.screens.common.dialogs import Ask, Choose, ChooseInTurn
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.widgets.key_bar import KeyBar
from judges.model import Finding, MarkedError, Place, Side
from tests.support.builders import SOURCE, TRANSLATION, findings
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver, library, opened
from tests.support.nightly import by_day

# What ``builders.findings`` makes, by number: 1 accuracy major, 2 accuracy critical, 3 rubric, 4 fluency,
# 5 fluency dropped as a duplicate of 1, 6 appropriateness.
DROPPED = 5
SCORED = 73


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two evaluations of six findings each."""
    library(tmp_path / "a.db", {}, {})
    return tmp_path / "a.db"


async def select(driver: Driver, side: Side, words: str, *, nth: int = 0) -> Place:
    """Select words with the mouse."""
    text = driver.screen.evaluation.text(side)
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    end = start + len(words)
    pane = driver.screen.texts.pane(side)
    if not pane.display:
        await driver.press("tab")
    cells = {
        offset: (x, y)
        for y in range(pane.size.height)
        for x in range(pane.size.width)
        if (offset := pane.offset_at(x, y)) in (start, end - 1)
    }
    await driver.pilot.mouse_down(pane, offset=cells[start])
    await driver.pilot.hover(pane, offset=cells[end - 1])
    await driver.pilot.mouse_up(pane, offset=cells[end - 1])
    await driver.pilot.pause()
    assert driver.screen.texts.selections[side] == (start, end)
    return Place(side, start, end)


def own(driver: Driver) -> list[MarkedError]:
    return list(driver.app.session.work.errors.values())


def last(driver: Driver) -> dict[str, Any]:
    return driver.events[-1]


def row(driver: Driver, number: int) -> list[str]:
    return driver.row(number).removeprefix("▸").split()


def yours(driver: Driver) -> str:
    return driver.bar("#score").split("\n")[1]


async def mark(driver: Driver, side: Side = "translation", words: str = "every night", keys: str = "e12 1") -> Place:
    """Mark a missed error: by default an omission, major."""
    place = await select(driver, side, words)
    await driver.press(*keys.replace(" ", ""))
    await driver.on(ReviewScreen)
    return place


# --- missed errors ---


@by_day(2)
@pytest.mark.parametrize(
    ("keys", "labels", "said"),
    [
        (("e", "1", "2", "1"), ("accuracy", "omission", "major"), "accuracy · omission 漏译 · ▴ major  −5"),
        (("0", "1", "1", "3"), ("accuracy", "mistranslation", "extremely_critical"), "extremely critical  −50"),
        (("e", "2", "2"), ("fluency", "grammar", "minor"), "fluency · grammar 语法正确性 · ◦ minor  −2"),
        (("e", "3", "1"), ("appropriateness", "style", "major"), "appropriateness · style 风格 · ▴ major  −5"),
        (("e", "down", "enter", "enter"), ("fluency", "disfluent_phrasing", "minor"), "disfluent phrasing"),
    ],
)
async def test_a_missed_error_takes_at_most_five_keys_after_selecting(
    path: Path, keys: tuple[str, ...], labels: tuple[str, str, str], said: str
) -> None:
    async with opened(path) as driver:
        await driver.review()
        place = await select(driver, "translation", "every night")
        assert len(keys) <= 5
        await driver.press(*keys)
        await driver.on(ReviewScreen)
        (error,) = own(driver)
        assert (error.dimension, error.category, error.severity) == labels
        assert error.spans == (place,)
        assert last(driver)["kind"] == "error"
        assert driver.screen.current == error, "it is the current one"
        assert said in driver.detail
        assert "“every night”" in driver.detail
        assert driver.screen.texts.selections == {}
        assert row(driver, 7)[:2] == ["✎", "+1"]
        assert any("Marked +1" in message for message in driver.said)


async def test_keys_typed_ahead_are_answers_and_decide_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await select(driver, "translation", "every night")
        await driver.write("e121")
        await driver.on(ReviewScreen)
        assert [event["kind"] for event in driver.events] == ["opened", "error"]
        assert len(own(driver)) == 1


async def test_it_takes_full_width_keys(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await select(driver, "source", "河水")
        await driver.write("ｅ１２１")
        await driver.on(ReviewScreen)
        assert own(driver)[0].category == "omission"


async def test_an_omission_needs_a_place_in_the_source_only_and_is_offered_as_such(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        place = await select(driver, "source", "每晚")
        await driver.press("e", "1", "enter", "1")
        await driver.on(ReviewScreen)
        (error,) = own(driver)
        assert (error.category, error.spans) == ("omission", (place,))
        assert "nothing is marked there" in driver.detail


async def test_both_sides_can_be_marked_at_once(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        first = await select(driver, "source", "每晚")
        second = await select(driver, "translation", "every night")
        await driver.press("e", "2", "1")
        await driver.on(ReviewScreen)
        assert own(driver)[0].spans == (first, second)


async def test_nothing_selected_is_said(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        await driver.press("e")
        assert driver.app.screen is screen
        assert any("Nothing is selected; select the words first" in message for message in driver.said)
        before = driver.events
        await driver.press("1", "2", "1")
        assert driver.events == before, "answers to what did not open are no verdicts"
        assert driver.said, "it is still being said"
        await driver.press("]", "1")
        assert driver.verdict(2).decision == "agree", "another key, and digits decide again"


async def test_escape_goes_back_by_one_question_and_keeps_the_selection(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        before = driver.events
        await select(driver, "translation", "every night")
        await driver.press("e", "1", "escape")
        dialog = await driver.on(ChooseInTurn)
        assert [choice.value for choice in dialog.choices] == ["accuracy", "fluency", "appropriateness"]
        await driver.press("escape")
        await driver.on(ReviewScreen)
        assert driver.events == before
        assert driver.screen.texts.selections != {}


async def test_what_is_there_already_is_pointed_out(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        before = driver.events
        await select(driver, "translation", "few passengers")
        await driver.press("e")
        await driver.on(ChooseInTurn)
        assert "Already found as 4?" in driver.text
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert driver.number == 4
        assert driver.events == before
        await driver.press("1", "2")
        assert driver.events == before, "answers to questions that did not come are no verdicts"
        await select(driver, "translation", "few passengers")
        await driver.press("e", "0", "2", "2")
        await driver.on(ReviewScreen)
        assert len(own(driver)) == 1
        await select(driver, "translation", "passengers")
        await driver.press("e")
        await driver.on(ChooseInTurn)
        await driver.press("2")
        await driver.on(ReviewScreen)
        assert driver.screen.current == own(driver)[0], "her own ones are pointed out as well"


async def test_own_errors_stand_in_order_of_the_text_keep_their_number_and_are_seen_in_it(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        await mark(driver, words="waits for no", keys="e021")
        await mark(driver, words="The river", keys="e11 1")
        first, second = own(driver)
        assert first.spans < second.spans
        assert driver.screen.current == first
        assert (row(driver, 7)[1], row(driver, 8)[1]) == ("+2", "+1")
        assert "error 7/8" in driver.bar("#title")
        pane = screen.texts.translation
        shown = "".join(pane.render_line(y).text for y in range(pane.size.height))
        assert "✎▴" in shown, "a sign of its own that needs no colour"
        await mark(driver)
        await driver.press("]")
        assert "✎❖" in pane.render_line(2).text, "also where the judge's error beside it is worse"
        await driver.click_text(pane, first.spans[0].start)
        await driver.until(lambda: driver.screen.current == first)


async def test_a_number_is_of_one_error_whatever_is_marked_removed_and_undone(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver, words="waits for no", keys="e021")
        await driver.press("u")
        await mark(driver, words="waits for no", keys="e021")
        assert row(driver, 7)[1] == "+1", "what was undone has no number"
        await mark(driver, words="The river", keys="e11 1")
        await driver.press("j", "x")
        assert row(driver, 7)[1] == "+2", "what was removed keeps its"
        await mark(driver)
        assert [row(driver, 7)[1], row(driver, 8)[1]] == ["+2", "+3"]


@pytest.mark.parametrize(
    ("side", "words", "keys", "said"),
    [
        ("translation", "every night", "e121", "in the source nothing is marked there, where what was left out is"),
        ("source", "每晚", "e22", "in the translation nothing is marked there, where the error is"),
    ],
)
async def test_an_error_marked_where_it_cannot_be_is_pointed_out(
    path: Path, side: Side, words: str, keys: str, said: str
) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver, side, words, keys)
        assert any(said in message for message in driver.said)
        assert "select it (v) and press p" in driver.detail
        await select(driver, *(("source", "每晚") if side == "translation" else ("translation", "every night")))
        await driver.press("p")
        assert "nothing is marked there" not in driver.detail


async def test_the_score_counts_what_was_missed(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver)
        assert f"you    {SCORED - 5}" in yours(driver)
        assert yours(driver).endswith("0/5 +1")
        await driver.press("u")
        assert f"you    {SCORED}" in yours(driver)
        assert any("Undid: marking a missed accuracy error" in message for message in driver.said)
        assert driver.screen.errors.rows == driver.screen.evaluation.findings
        await driver.press("r")
        assert driver.screen.current == own(driver)[0]


async def test_own_errors_are_changed_and_removed_through_the_log(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver)
        await driver.press("s", "2")
        await driver.on(ReviewScreen)
        assert last(driver)["changes"] == {"severity": "critical"}
        await driver.press("c", "1")
        await driver.on(ReviewScreen)
        assert last(driver)["changes"] == {"category": "mistranslation"}
        await driver.press("d", "2", "2")
        await driver.on(ReviewScreen)
        assert last(driver)["changes"] == {"dimension": "fluency", "category": "grammar", "severity": "minor"}
        await driver.press("s")
        assert any("Fluency has only one severity" in message for message in driver.said)
        await driver.press("n")
        (await driver.on(Ask)).query_one(Input).value = "[b]看原文[/b]"
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert "note  [b]看原文[/b]" in driver.detail
        assert own(driver)[0].note == "[b]看原文[/b]"
        assert row(driver, 7)[:2] == ["✎", "+1"]
        await driver.press("x")
        assert last(driver)["changes"] == {"removed": True}
        assert own(driver) == []
        assert driver.screen.errors.rows == driver.screen.evaluation.findings
        await driver.press("u")
        assert own(driver)[0].note == "[b]看原文[/b]"


@by_day(3)
@pytest.mark.parametrize("key", ["a", "w", "i", "1", "7"])
async def test_an_error_of_ones_own_needs_no_verdict(path: Path, key: str) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver)
        before = driver.events
        await driver.press(key)
        assert driver.events == before
        assert any("This error is your own" in message for message in driver.said)


async def test_the_keys_shown_are_those_that_would_not_be_refused(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        assert "a agree" in driver.lines[-1]
        assert "bring back" not in driver.lines[-1]
        await mark(driver)
        await driver.press("space")
        await driver.press("]", "]", "]", "]", "]", "]", "]")
        await driver.until(lambda: "a agree" not in driver.lines[-1])
        await driver.press("[", "[", "[", "b")
        assert any("This error stands already" in message for message in driver.said), "it says why"


@by_day(1)
@pytest.mark.parametrize("size", [WIDE, SMALL, (60, 20)])
async def test_while_text_is_selected_the_way_out_is_shown(path: Path, size: tuple[int, int]) -> None:
    async with opened(path, size=size) as driver:
        await driver.review()
        await driver.press("v")
        await driver.until(lambda: driver.lines[-1].rstrip().endswith("esc clear  ? help"))
        await driver.pilot.click(KeyBar, offset=(size[0] - 15, 0))
        assert driver.screen.texts.selections == {}


async def test_undone_and_done_again_a_removed_error_keeps_its_name(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver)
        await driver.press("x", "u")
        assert any("Undid: removing, error +1 of" in message for message in driver.said)
        await driver.press("r")
        assert any("Did again: removing, error +1 of" in message for message in driver.said)


async def test_undo_follows_an_own_error_to_its_evaluation(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        first = driver.screen.evaluation.id
        await mark(driver)
        await driver.press("}")
        await driver.until(lambda: driver.screen.evaluation.id != first)
        assert own(driver) == []
        await driver.press("u")
        assert driver.screen.evaluation.id == first
        assert own(driver) == []
        await driver.press("r")
        assert driver.screen.current == own(driver)[0]
        await driver.press("q")
    async with opened(path) as driver:
        await driver.on(ReviewScreen)
        await driver.until(lambda: driver.screen.current == own(driver)[0], "it opens where she stopped")


@by_day(7)
@pytest.mark.parametrize(
    ("keys", "most", "kind"),
    [
        ("a", 1, "verdict"),
        ("x", 1, "verdict"),
        ("d2", 2, "verdict"),
        ("s2", 2, "verdict"),
        ("c2", 2, "verdict"),
        ("i", 1, "verdict"),
        ("m", 1, "review"),
        ("selected p", 1, "verdict"),
        ("selected e22", 5, "error"),
        ("selected e121", 5, "error"),
        ("found e0121", 5, "error"),
    ],
)
async def test_common_acts_take_few_keys(path: Path, keys: str, most: int, kind: str) -> None:
    async with opened(path) as driver:
        await driver.review()
        before = len(driver.events)
        if " " in keys:
            what, keys = keys.split()
            await select(driver, "translation", "few passengers" if what == "found" else "every night")
        await driver.press(*keys)
        await driver.on(ReviewScreen)
        assert len(keys) <= most
        assert [event["kind"] for event in driver.events[before:]] == [kind]


# --- the search for missed errors ---


async def test_the_search_is_stated_and_taken_back(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("m")
        assert last(driver)["changes"] == {"search": "done"}
        assert "searched" in yours(driver)
        await driver.press("+")
        assert last(driver)["changes"] == {"search": None}
        assert "searched" not in yours(driver)
        await driver.press("u")
        assert "searched" in yours(driver)
        assert any("search for missed errors" in message for message in driver.said)


@pytest.mark.parametrize("stated", [True, False])
async def test_finishing_says_whether_recall_is_claimed_and_asks_nothing(path: Path, stated: bool) -> None:
    async with opened(path) as driver:
        await driver.review()
        first = driver.screen.evaluation.id
        await driver.press(*(["m"] if stated else []), "f")
        await driver.until(lambda: driver.screen.evaluation.id != first)
        assert any("not searched (m): no recall" in message for message in driver.said) != stated
        assert len([event for event in driver.events if "state" in event.get("changes", {})]) == 1


# --- other places ---


async def test_what_is_selected_becomes_the_place_of_the_error(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        place = await select(driver, "translation", "The ferry")
        await driver.press("p")
        assert driver.verdict(1).decision == "override"
        assert driver.verdict(1).spans == (place,)
        assert driver.number == 2, "it is a verdict"
        await driver.press("[")
        assert "~ changed: other place" in driver.detail
        assert "translation ¶2  “The ferry”" in driver.detail
        assert "“The ferry”" in driver.row(1)
        assert [
            mark.start for mark in driver.screen.texts.translation.looks.marks if mark.key == driver.finding.id
        ] == [place.start]
        sides = {mark.key for mark in driver.screen.texts.source.looks.marks}
        assert driver.finding.id in sides, "the judge's place on the other side stands"
        other = await select(driver, "source", "河水")
        await driver.press("@")
        assert driver.verdict(1).spans == (other, place)
        await driver.press("[", "p")
        assert driver.verdict(1).decision == "agree"
        assert driver.verdict(1).spans is None


async def test_the_judges_own_place_is_no_difference(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await select(driver, "translation", "grows shallow")
        await driver.press("p")
        assert last(driver)["changes"] == {"decision": "agree"}


async def test_the_place_of_an_own_error_is_changed_on_the_sides_selected(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        first = await mark(driver)
        second = await select(driver, "source", "每晚")
        await driver.press("p")
        assert own(driver)[0].spans == (second, first)
        before = driver.events
        await driver.press("p")
        assert driver.events == before
        assert any("Nothing is selected" in message for message in driver.said)


@pytest.mark.parametrize(
    ("number", "said"), [(1, "Nothing is selected"), (DROPPED, "De-duplication dropped this one: agree with that (a)")]
)
async def test_a_refused_place_says_why_and_keeps_the_selection(path: Path, number: int, said: str) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press(*["]"] * (number - 1))
        before = driver.events
        if number == DROPPED:
            await select(driver, "translation", "The ferry")
        await driver.press("p")
        assert driver.events == before
        assert any(said in message for message in driver.said)
        assert bool(driver.screen.texts.selections) == (number == DROPPED)


REPEATED = "The tide came in. The river was red. The tide went out. The moon was red. The tide turned, red."


@pytest.fixture
def ambiguous(tmp_path: Path) -> Path:
    """A finding whose quote occurs three times."""
    found = (Finding("accuracy", 1, "“red”译错，应为crimson。", "1", "mistranslation", "错译", "major", "普通"),)
    library(tmp_path / "b.db", {"found": found, "translation": REPEATED, "source": "潮水来了。"})
    return tmp_path / "b.db"


async def test_stepping_through_the_places_of_an_ambiguous_quote(ambiguous: Path) -> None:
    async with opened(ambiguous) as driver:
        await driver.review()

        def shown() -> list[int]:
            return [mark.start for mark in driver.screen.texts.translation.looks.marks]

        places = [at for at in range(len(REPEATED)) if REPEATED.startswith("red", at)]
        seen = []
        for _ in range(4):
            await driver.press("o")
            assert len(shown()) == 1
            seen.append(places.index(shown()[0]) + 1)
            assert any(f"“red”, translation, {seen[-1]} of 3" in message for message in driver.said)
            assert f"{seen[-1]} of 3" in driver.detail
        assert sorted(seen[:3]) == [1, 2, 3]
        assert seen[3] == seen[0]
        while shown() != places[1:2]:
            await driver.press("&")
        await driver.press("escape")
        await driver.review()
        assert "verdict" not in {event["kind"] for event in driver.events}, "looking decides nothing"
        while shown() != places[1:2]:
            await driver.press("o")
        await driver.press("enter")
        assert driver.verdict(1).spans == (Place("translation", places[1], places[1] + 3),)
        assert shown() == places[1:2]
        assert "shown" not in driver.detail


async def test_an_unambiguous_quote_has_no_other_places(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("o")
        assert any("No quote of the judge's is here more than once" in message for message in driver.said)


# --- invented quotes ---


async def test_a_quote_is_marked_as_invented_and_taken_back(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("i")
        assert last(driver)["changes"] == {"invented": True}
        assert driver.number == 1, "it is no verdict"
        assert driver.verdict(1).decision is None
        assert "invented: what the judge quotes occurs nowhere" in driver.detail
        assert "invented: “grows shallow”" in driver.row(1)
        await driver.press("#")
        assert last(driver)["changes"] == {"invented": None}
        assert "invented" not in driver.row(1)


async def test_where_nothing_is_quoted_nothing_is_invented(tmp_path: Path) -> None:
    library(tmp_path / "a.db", {"found": (replace(findings()[3], explanation="整体不通顺。", hint=""),)})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        before = driver.events
        await driver.press("i")
        assert driver.events == before
        assert any("The judge quotes nothing here" in message for message in driver.said)


# --- repeats ---


async def test_a_repeat_counts_once_and_is_ungrouped(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver)
        assert f"you    {SCORED - 5}" in yours(driver)
        await driver.press("t")
        await driver.on(Choose)
        await driver.press("1")
        await driver.on(ReviewScreen)
        assert own(driver)[0].repeat_of == driver.screen.evaluation.findings[0].id
        assert f"you    {SCORED}" in yours(driver)
        assert "↺ 1 “every night”" in driver.row(7)
        assert "the same mistake as 1 (accuracy · major); together they count once, as 1" in driver.detail
        assert any("counts once with 1, which is not decided yet" in message for message in driver.said)
        await driver.press(*["["] * 6)
        assert "repeats  +1; together they count once, here" in driver.detail
        await driver.press(*["]"] * 6, '"', "0")
        await driver.on(ReviewScreen)
        assert own(driver)[0].repeat_of is None
        assert f"you    {SCORED - 5}" in yours(driver)


async def test_a_finding_repeats_an_own_error_and_is_right(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver)
        await driver.press("[", "[", "[")
        assert driver.number == 4
        await driver.press("t")
        await driver.on(Choose)
        await driver.press("7")
        await driver.on(ReviewScreen)
        assert driver.verdict(4).repeat_of == own(driver)[0].id
        assert driver.verdict(4).decision == "agree"
        assert "↺ +1 " in driver.row(4)
        await driver.press("x")
        assert driver.verdict(4).repeat_of is None, "what is no error repeats none"


async def test_of_a_group_every_place_says_so_and_ungroups(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("]", "t", "1")
        await driver.on(ReviewScreen)
        assert driver.verdict(2).repeat_of == driver.screen.evaluation.findings[0].id
        assert f"you    {SCORED + 5}" in yours(driver), "2 is critical and counts, 1 is major"
        assert "↺ 2 “" in driver.row(1)
        assert "↺ 1 “" in driver.row(2)
        await driver.press("[")
        assert "repeats  2; together they count once, as 2" in driver.detail
        await driver.press("W")
        await driver.until(lambda: "↺ counts with 2 +5" in driver.text)
        await driver.press("escape", "t", "0")
        await driver.on(ReviewScreen)
        assert f"you    {SCORED}" in yours(driver)
        assert "↺" not in driver.row(1) + driver.row(2)
        await driver.press("u")
        assert "↺ 2 “" in driver.row(1)


async def test_a_ring_of_repeats_is_refused(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await mark(driver)
        await driver.press("=", "1")
        await driver.on(ReviewScreen)
        await driver.press(*["["] * 6, "t", "7")
        await driver.on(ReviewScreen)
        assert any("That one is a repeat of this one already" in message for message in driver.said)


# --- a blind pass ---


async def test_before_the_reveal_only_own_errors_are_there_and_every_key_says_so(path: Path) -> None:
    async with opened(path) as driver:
        driver.app.session.blinding = "first"
        await driver.review()
        assert driver.screen.errors.rows == ()
        for key in ("a", "x", "s", "c", "d", "=", "n", "w", "t", "i", "o", "p"):
            await driver.press(key)
            assert isinstance(driver.app.screen, ReviewScreen), key
            assert driver.said, key
        assert [event["kind"] for event in driver.events] == ["blind"]
        await mark(driver)
        assert row(driver, 1)[:2] == ["✎", "+1"]
        assert "1 marked" in yours(driver)
        await driver.press("s", "2")
        await driver.on(ReviewScreen)
        assert own(driver)[0].severity == "critical"
        assert own(driver)[0].blind
        for hidden in ("heron", "osprey", "system-0", "“变浅”译为"):
            assert hidden not in driver.text


# --- sizes, hostile text ---


@by_day(1)
@pytest.mark.parametrize("size", [SMALL, MIDDLE, (60, 20)])
async def test_it_all_works_on_small_terminals(path: Path, size: tuple[int, int]) -> None:
    async with opened(path, size=size) as driver:
        await driver.review()
        await driver.press("v", "right", "right")
        assert driver.screen.texts.selections
        await driver.press("e")
        dialog = await driver.on(ChooseInTurn)
        if dialog.choices[-1].value not in ("accuracy", "fluency", "appropriateness"):
            await driver.press("0")
        await driver.press("1", "1", "1")
        await driver.on(ReviewScreen)
        assert len(own(driver)) == 1
        assert row(driver, 7)[:2] == ["✎", "+1"]
        assert "mistranslation" in driver.detail


async def test_hostile_words_are_shown_as_they_are(tmp_path: Path) -> None:
    hostile = "[@click=app.quit]red[/] \x1b[31m\u202eevil\x00 👩\u200d👩\u200d👧 tab\there [/"
    library(tmp_path / "a.db", {"source": SOURCE, "translation": hostile, "found": ()})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        await driver.press("v", "end", "e", "3", "1")
        await driver.on(ReviewScreen)
        (error,) = own(driver)
        assert error.spans[0].end == len(hostile)
        assert "[@click=app.quit]red[/]" in driver.text
        assert "\x1b" not in driver.text
        assert "\u202e" not in driver.text
        await driver.press("x", "u", "r", "u", "o", "i", "t", "p")
        assert own(driver) == [error]


def test_the_texts_are_those_that_the_tests_speak_of() -> None:
    assert all(words in TRANSLATION for words in ("every night", "few passengers", "The ferry", "waits for no"))
    assert WIDE[0] > MIDDLE[0]
