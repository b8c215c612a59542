"""Reviewing in the app: every key's verdict reaches the file and shows; undo, questions, refusals, moving about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from discox_tui.config.paths import Settings
from discox_tui.screens.common.dialogs import Ask, Choose
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.screens.review.waterfall import WaterfallScreen
from discox_tui.widgets.bars import Bar
from discox_tui.widgets.key_bar import KeyBar
from judges.model import Verdict
from tests.support.builders import findings
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver, library, opened
from tests.support.nightly import by_day

# What ``builders.findings`` makes, by number: 1 accuracy major, 2 accuracy critical, 3 rubric, 4 fluency,
# 5 fluency dropped as a duplicate of 1, 6 appropriateness.
DROPPED = 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two evaluations of six findings each."""
    library(tmp_path / "a.db", {}, {})
    return tmp_path / "a.db"


async def go_to(driver: Driver, number: int) -> None:
    await driver.press(*["]"] * (number - driver.number))
    assert driver.number == number


def last(driver: Driver) -> dict[str, Any]:
    return driver.events[-1]


# --- one key, one verdict ---


VERDICT_KEYS = [
    ("a", 1, "agree", "✓", 73),
    ("1", 1, "agree", "✓", 73),
    ("x", 1, "not_an_error", "✗", 78),
    ("2", 2, "not_an_error", "✗", 83),
    ("x", 3, "not_an_error", "✗", 78),
    ("w", 1, "unsure", "?", 73),
    ("7", 4, "unsure", "?", 73),
    ("a", DROPPED, "agree", "✓", 73),
    ("w", DROPPED, "unsure", "?", 73),
    ("b", DROPPED, "restore", "+", 71),
    ("9", DROPPED, "restore", "+", 71),
]
"""Key, number of the error, what it decides, its mark in the list, and the points then."""


async def test_a_key_decides(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        for key, number, decision, mark, points in VERDICT_KEYS:
            await go_to(driver, number)
            finding = driver.finding
            await driver.press(key)
            event = last(driver)
            assert (event["kind"], event["finding"], event["changes"]) == (
                "verdict",
                finding.id,
                {"decision": decision},
            )
            assert event["reviewer"] == "mei"
            assert driver.row(number).split()[:2] == [mark, str(number)]
            assert driver.number == number + 1, "it goes on to the next error"
            judge, you = driver.bar("#score").split("\n")
            assert judge.startswith("judge  73 = accuracy 40/60 · fluency 18/20 · appropriateness 15/20")
            assert you.startswith(f"you    {points} = accuracy")
            assert you.endswith("0/5" if number == DROPPED else "1/5")
            await driver.press("[")
            assert f"you  {mark} {decision.replace('_', ' ')}" in driver.detail
            await driver.press("u")
            await go_to_back(driver, 1)


async def go_to_back(driver: Driver, number: int) -> None:
    await driver.press(*["["] * (driver.number - number))


async def test_deciding_again_the_same_writes_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("a", "[")
        before = driver.events
        await driver.press("a")
        assert driver.events == before
        await driver.press("[", "x")
        assert last(driver)["changes"] == {"decision": "not_an_error"}


# --- two keys: questions ---


async def choose(driver: Driver, *keys: str) -> None:
    await driver.press(keys[0])
    await driver.on(Choose)
    await driver.press(*keys[1:])
    await driver.on(ReviewScreen)


ANSWERS: list[tuple[int, tuple[str, ...], dict[str, str], str]] = [
    (1, ("s", "2"), {"decision": "override", "severity": "critical"}, "~ changed: critical"),
    (1, ("3", "3"), {"decision": "override", "severity": "extremely_critical"}, "changed: extremely critical"),
    (1, ("s", "down", "enter"), {"decision": "override", "severity": "critical"}, "changed: critical"),
    (1, ("s", "1"), {"decision": "agree"}, "✓ agree"),
    (1, ("c", "2"), {"decision": "override", "category": "omission"}, "changed: omission"),
    (6, ("4", "3"), {"decision": "override", "category": "literary_merit"}, "changed: literary merit"),
    (1, ("d", "2"), {"decision": "reattribute", "dimension": "fluency"}, "⇢ moved: fluency"),
    (3, ("5", "3"), {"decision": "reattribute", "dimension": "appropriateness"}, "moved: appropriateness"),
    (4, ("d", "2"), {"decision": "agree"}, "✓ agree"),
]
"""Number of the error, keys, what they decide, and what is said of it then."""


async def test_two_keys_say_in_what_the_judge_is_wrong(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        for number, keys, changes, said in ANSWERS:
            await go_to(driver, number)
            await choose(driver, *keys)
            assert last(driver)["changes"] == changes
            await go_to_back(driver, number)
            assert said in driver.detail
            await driver.press("u")
            await go_to_back(driver, 1)


async def test_the_score_follows_severity_and_dimension(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()

        def yours() -> str:
            return driver.bar("#score").split("\n")[1]

        await choose(driver, "s", "2")
        assert "you    68" in yours()
        assert "accuracy 35/60" in yours()
        await driver.press("[")
        await choose(driver, "d", "2")
        assert "you    76" in yours()
        assert "fluency 16/20" in yours()
        assert "judge  73" in driver.bar("#score")


@pytest.mark.parametrize(
    ("state", "before"), [("judge_failed", ()), ("instruction_failed", ("I", "2"))], ids=["judge", "check"]
)
async def test_after_a_search_what_is_left_of_the_judge_counts_though_a_part_of_it_failed(
    tmp_path: Path, state: str, before: tuple[str, ...]
) -> None:
    library(tmp_path / "a.db", {"state": state})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        for key in before:
            await driver.press(key)
        await driver.on(ReviewScreen)
        assert "you    –" in driver.bar("#score")
        await driver.press("a", "x", "m")
        assert "you    83" in driver.bar("#score"), "as if every judge had answered"
        await driver.press("W")
        await driver.on(WaterfallScreen)
        assert "critical" in driver.text, "what was found is among the steps"


async def test_a_dimension_at_its_floor_says_so(tmp_path: Path) -> None:
    found = tuple(replace(findings()[0], index=n, severity="extremely_critical") for n in range(1, 4))
    library(tmp_path / "a.db", {"found": found})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        assert "accuracy 90 below the floor" in driver.bar("#score")
        await driver.press("x")
        assert "accuracy 40 below the floor" in driver.bar("#score")
        await driver.press("x")
        assert "floor" not in driver.bar("#score")


@by_day(1)
@pytest.mark.parametrize("size", [WIDE, MIDDLE, SMALL])
async def test_every_dimension_at_its_floor_is_named_in_a_window_of_any_size(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    accuracy = replace(findings()[0], severity="extremely_critical")
    fluency = next(finding for finding in findings() if finding.judge == "fluency")
    found = [replace(accuracy, index=n) for n in (1, 2)] + [replace(fluency, index=n) for n in range(1, 18)]
    library(tmp_path / "a.db", {"found": tuple(found)})
    async with opened(tmp_path / "a.db", size=size) as driver:
        await driver.review()
        assert "acc 40, flu 14 below" in driver.screen.query_one("#score", Bar).render_line(1).text, "it is not cut off"


async def test_a_duplicate_is_chosen_by_its_number(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        first = driver.finding
        await go_to(driver, 4)
        await choose(driver, "=", "1")
        assert last(driver)["changes"] == {"decision": "duplicate", "duplicate_of": first.id}
        await go_to_back(driver, 4)
        assert "= duplicate: of 1" in driver.detail
        assert driver.row(4).split()[0] in ("=", "▸")
        await go_to_back(driver, 1)
        before = driver.events
        await choose(driver, "6", "4")
        assert driver.events == before
        assert "Error 4 is itself a duplicate of this one; undo that first" in driver.said


async def test_a_duplicate_among_many_is_typed_with_two_digits(tmp_path: Path) -> None:
    found = tuple(replace(findings()[0], index=n) for n in range(1, 16))
    library(tmp_path / "a.db", {"found": found})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        await choose(driver, "=", "1", "4", "enter")
        fourteenth = driver.screen.evaluation.findings[13]
        assert last(driver)["changes"] == {"decision": "duplicate", "duplicate_of": fourteenth.id}


async def test_a_note_leaves_the_decision_alone_and_letters_decide_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("a", "[", "n")
        await driver.on(Ask)
        await driver.write("axud ？ｘ")
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert driver.verdict(1) == Verdict("agree", note="axud ？ｘ")
        assert last(driver)["changes"] == {"note": "axud ？ｘ"}
        assert driver.number == 1
        assert "note  axud ？ｘ" in driver.detail
        await driver.press("8")
        ask = await driver.on(Ask)
        assert ask.query_one(Input).value == "axud ？ｘ"
        ask.query_one(Input).value = ""
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert driver.verdict(1) == Verdict("agree")
        assert last(driver)["changes"] == {"note": None}


async def test_escape_answers_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        before = driver.events
        for key in ("s", "c", "d", "=", "n", "z"):
            await driver.press(key)
            await driver.until(lambda: isinstance(driver.app.screen, Ask | Choose), key)
            await driver.press("escape")
            await driver.on(ReviewScreen)
            assert driver.events == before


NO_SENSE = (
    (1, "b", "This error stands already"),
    (3, "s", "A rubric point has only one severity"),
    (3, "c", "A rubric point has no categories"),
    (4, "s", "Fluency has only one severity"),
    (DROPPED, "x", "De-duplication dropped this one: agree with that, or restore it first"),
    (DROPPED, "=", "De-duplication dropped this one: agree with that (a), or bring it back (b)"),
    (6, "s", "Appropriateness has only one severity"),
)
"""Number of the error, key, and what is said."""


async def test_what_makes_no_sense_is_refused_with_a_way_out(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        before = driver.events
        for number, key, said in NO_SENSE:
            await go_to(driver, number)
            await driver.press(key)
            assert driver.app.screen is screen
            assert driver.events == before
            assert driver.number == number
            assert any(said in message for message in driver.said), driver.said


async def test_a_dropped_finding_is_not_changed_before_it_is_brought_back(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await go_to(driver, DROPPED)
        for key in ("d", "c"):
            before = driver.events
            await driver.press(key)
            await driver.until(lambda: driver.said or isinstance(driver.app.screen, Choose))
            if isinstance(driver.app.screen, Choose):
                await driver.press("3")
                await driver.on(ReviewScreen)
            assert driver.events == before
            assert any("bring it back (b) and change it" in message for message in driver.said)
            await driver.press("b", "[")
            await choose(driver, key, "3")
            assert last(driver)["changes"].keys() <= {"dimension", "category"}
            assert driver.verdict(DROPPED).decision == "restore"
            await driver.press("u", "u")
            assert driver.verdict(DROPPED) == Verdict()
            assert driver.number == DROPPED


# --- undo ---


async def test_undo_and_redo_go_across_evaluations_and_restarts(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        first = driver.screen.evaluation.id
        await driver.press("a", "x")
        await driver.press("}")
        await driver.until(lambda: driver.screen.evaluation.id != first)
        second = driver.screen.evaluation.id
        await driver.press("w")
        assert driver.verdict(1).decision == "unsure"
        await driver.press("u")
        assert driver.verdict(1) == Verdict()
        assert "Undid: unsure, error 1 of river-01 by system-1" in driver.said
        await driver.press("u")
        assert driver.screen.evaluation.id == first, "undo goes where the act was"
        assert driver.number == 2
        assert driver.verdict(2) == Verdict()
        assert "Undid: not an error, error 2 of river-01 by system-0" in driver.said
        await driver.press("q")
    async with opened(path) as driver:
        await driver.on(ReviewScreen)
        assert driver.screen.evaluation.id == first
        await driver.press("u")
        assert driver.verdict(1) == Verdict()
        await driver.press("u")
        assert "There is nothing left to undo." in driver.said
        await driver.press("r", "r", "r")
        assert driver.screen.evaluation.id == second
        assert driver.verdict(1).decision == "unsure"
        assert "Did again: unsure, error 1 of river-01 by system-1" in driver.said
        await driver.press("r")
        assert "There is nothing to do again." in driver.said
        kinds = [event["kind"] for event in driver.events]
        assert (kinds.count("verdict"), kinds.count("undo"), kinds.count("redo")) == (3, 3, 3)


async def test_a_new_act_ends_what_could_be_done_again(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("a", "u", "x", "r")
        assert driver.verdict(1).decision == "not_an_error"
        assert "There is nothing to do again." in driver.said


async def test_undo_takes_back_finishing_and_skipping(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("f")
        await driver.until(lambda: driver.screen.evaluation.system == "system-1")
        await driver.press("u")
        assert driver.screen.evaluation.system == "system-0"
        assert driver.app.session.review.state == "in_progress"
        await driver.press("r")
        assert driver.app.session.review.state == "done"


# --- the whole evaluation ---


async def test_finishing_says_what_is_missing_and_goes_on(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        first = driver.screen.evaluation.id
        await driver.press("f")
        await driver.until(lambda: driver.screen.evaluation.id != first)
        done = [event for event in driver.events if event["kind"] == "review"]
        assert [event["changes"] for event in done] == [{"state": "done"}]
        assert any("5 undecided" in message for message in driver.said)


@by_day(1)
@pytest.mark.parametrize("keys", [("f",), ("z", *"not my field", "enter")], ids=["done", "skipped"])
async def test_what_moves_in_the_queue_is_left_for_what_came_next(path: Path, keys: tuple[str, ...]) -> None:
    """Sorted by review, what is done goes to the end; it was not the last for that."""
    async with opened(path) as driver:
        queue = await driver.on(QueueScreen)
        while queue.table.sort != ("review", False):
            await driver.press("o")
        await driver.review(0)
        rows = [row.id for row in driver.app.session.queue]
        assert driver.screen.evaluation.id == rows[0]
        await driver.press(*keys)
        await driver.until(lambda: driver.screen.evaluation.id == rows[1], "the next one")
        assert not any("last evaluation" in message for message in driver.said)


async def test_skipping_needs_a_reason(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        first = driver.screen.evaluation.id
        await driver.press("z")
        await driver.on(Ask)
        await driver.press("space", "enter")
        await driver.on(ReviewScreen)
        assert "Skipping needs a reason, so that it is not taken for done." in driver.said
        await driver.press("f8")
        await driver.on(Ask)
        await driver.write("not my field")
        await driver.press("enter")
        await driver.on(ReviewScreen)
        await driver.until(lambda: driver.screen.evaluation.id != first)
        event = last_of(driver, "review")
        assert event["changes"] == {"state": "skipped", "reason": "not my field"}
        assert event["evaluation"] == first


def last_of(driver: Driver, kind: str) -> dict[str, Any]:
    return next(event for event in reversed(driver.events) if event["kind"] == kind)


# --- moving about ---


async def test_the_ends_of_the_list_and_of_the_queue(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("[")
        assert driver.number == 1
        await driver.press("{")
        assert "This is the first evaluation." in driver.said
        await driver.press(*["j"] * 9)
        assert driver.number == 6
        await driver.press("}")
        await driver.until(lambda: driver.screen.evaluation.system == "system-1")
        assert driver.number == 1
        await driver.press("}")
        assert "That was the last evaluation of the queue." in driver.said
        await driver.press("{")
        await driver.until(lambda: driver.screen.evaluation.system == "system-0")


async def test_a_verdict_stays_where_auto_advance_is_off(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("g", "a")
        assert driver.number == 1
        assert driver.verdict(1).decision == "agree"
        await driver.press("q")
    async with opened(path) as driver:
        await driver.on(ReviewScreen)
        await driver.press("]", "x")
        assert driver.number == 2, "it is remembered"
        await driver.press("f6", "w")
        assert driver.number == 3


async def test_settings_turn_auto_advance_off(path: Path) -> None:
    async with opened(path, settings=Settings(auto_advance=False)) as driver:
        await driver.review()
        await driver.press("a")
        assert driver.number == 1


async def test_the_next_undecided_error_is_found_from_anywhere(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("a", "a", "]", "x")
        assert driver.number == DROPPED
        await driver.press("space")
        assert driver.number == 6
        await driver.press(".")
        assert driver.number == 3, "from the top again; what was dropped needs no decision"
        await driver.press("a", "space", "a", "space")
        assert "Every error here is decided. f marks the evaluation as done." in driver.said


async def test_an_evaluation_opens_at_the_first_undecided_error(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("a", "a", "escape")
        await driver.review()
        assert driver.number == 3


async def test_escape_backs_out_one_level_and_never_quits(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.press("/")
        await driver.write("ferry")
        await driver.press("escape")
        await driver.on(ReviewScreen)
        assert not driver.screen.query_one("#search").has_class("-open")
        await driver.press("tab", "escape")
        await driver.on(ReviewScreen)
        await driver.press("escape")
        await driver.on(QueueScreen)
        await driver.press("escape", "escape", "escape")
        await driver.on(QueueScreen)
        assert driver.app.is_running


async def test_searching_marks_both_texts_and_decides_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        before = driver.events
        await driver.press("/")
        await driver.write("xauw")
        assert driver.events == before
        driver.screen.query_one("#search", Input).value = ""
        await driver.write("river")
        await driver.until(lambda: len(driver.screen.texts.translation._matches) == 2)
        await driver.press("enter", "enter")
        assert driver.events == before


async def test_keys_of_a_chinese_input_method_mean_what_is_printed_on_them(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        await driver.write("ａ")
        assert driver.verdict(1).decision == "agree"
        await driver.write("ｘ")
        assert driver.verdict(2).decision == "not_an_error"
        await driver.write("［［")
        assert driver.number == 1
        await driver.write("］")
        assert driver.number == 2
        await driver.write("】")
        assert driver.number == 3
        await driver.write("。")
        assert driver.number == 4
        await driver.write("ｓ")
        assert any("Fluency has only one severity" in message for message in driver.said)
        await driver.write("？")
        await driver.until(lambda: "Help" in driver.text, "the help page")


# --- the mouse ---


async def test_a_click_on_a_row_selects_it(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        await driver.pilot.click(screen.errors, offset=(20, 4))
        await driver.until(lambda: driver.number == 4)
        assert "with few passengers" in driver.detail


async def test_a_click_on_a_highlight_selects_its_finding_and_again_the_next(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        text = screen.evaluation.translation or ""
        await driver.click_text(screen.texts.translation, text.index("few passengers"))
        await driver.until(lambda: driver.number == 4)
        place = text.index("shallow")
        seen = []
        for _ in range(4):
            await driver.click_text(screen.texts.translation, place)
            seen.append(driver.number)
        assert sorted(set(seen)) == [1, 5], "two findings lie there"
        assert seen[:2] == seen[2:]
        before = driver.number
        await driver.click_text(screen.texts.translation, text.index("every"))
        assert driver.number == before


async def test_a_click_on_a_key_in_the_footer_does_what_the_key_does(path: Path) -> None:
    async with opened(path) as driver:
        screen = await driver.review()
        bar = screen.query_one(KeyBar)
        line = bar.render_line(0).text
        await driver.pilot.click(bar, offset=(line.index("not an error") + 2 + 1, 0))
        await driver.until(lambda: driver.verdict(1).decision == "not_an_error")
        await driver.pilot.click(bar, offset=(line.index(" agree") + 2 + 1, 0))
        await driver.until(lambda: driver.verdict(2).decision == "agree")
        await driver.pilot.click(bar, offset=(line.rindex("help") + 1, 0))
        await driver.until(lambda: "Agree with the judge" in driver.text, "the help page")


async def test_the_wheel_scrolls_both_texts_together_unless_unlocked(tmp_path: Path) -> None:
    text = "\n\n".join(f"第{n}段。" + "江水流过。" * 40 for n in range(30))
    other = "\n\n".join(f"Paragraph {n}. " + "The river flows by. " * 20 for n in range(30))
    library(tmp_path / "a.db", {"source": text, "translation": other})
    async with opened(tmp_path / "a.db") as driver:
        screen = await driver.review()
        source, translation = screen.texts.source, screen.texts.translation
        source.action_page_down()
        await driver.until(lambda: translation.scroll_offset.y == source.scroll_offset.y > 0)
        await driver.press("L")
        before = translation.scroll_offset.y
        source.action_page_down()
        await driver.pilot.pause()
        assert translation.scroll_offset.y == before


async def test_the_text_at_the_top_stays_there_when_the_width_changes(tmp_path: Path) -> None:
    text = "\n\n".join(f"第{n}段。" + "江水流过。" * 40 for n in range(30))
    library(tmp_path / "a.db", {"source": text, "translation": text})
    async with opened(tmp_path / "a.db") as driver:
        screen = await driver.review()
        pane = screen.texts.source
        for _ in range(3):
            pane.action_page_down()
        await driver.pilot.pause()
        before = pane.top_offset
        assert before > 500
        for width in (120, 200, 70, 160):
            await driver.pilot.resize_terminal(width, 40)
            await driver.pilot.pause()
            assert pane.top_offset == before
            (row,) = {pane.page.row_on(line) for line in pane.visible_lines[:1]}
            assert row is not None
            start, stop = pane.page.rows.starts[row], pane.page.rows.stops[row]
            assert start <= before <= stop, (width, start, before, stop)


# --- small terminals ---


async def test_at_80_by_24_one_text_is_shown_and_tab_shows_the_other(path: Path) -> None:
    async with opened(path, size=SMALL) as driver:
        screen = await driver.review()
        assert screen.texts.source.display != screen.texts.translation.display
        assert "河水" in driver.text
        assert "shallow in winter" not in driver.text
        await driver.press("tab")
        await driver.until(lambda: "shallow in winter" in driver.text)
        assert "河水" not in "".join(line[:40] for line in driver.lines[:8])
        await driver.press("a", "x")
        assert (driver.verdict(1).decision, driver.verdict(2).decision) == ("agree", "not_an_error")


async def test_a_terminal_too_small_says_so_and_recovers(path: Path) -> None:
    async with opened(path) as driver:
        await driver.review()
        for number, size in enumerate(((59, 40), (120, 19), (20, 5)), 1):
            await driver.pilot.resize_terminal(*size)
            await driver.until(lambda: "discox needs" in driver.text)
            await driver.pilot.resize_terminal(*WIDE)
            await driver.until(lambda: "discox needs" not in driver.text and "river-01" in driver.text)
            await driver.press("a")
            assert driver.verdict(number).decision == "agree"


# --- evaluations with nothing to score ---


@by_day(2)
@pytest.mark.parametrize(
    ("state", "more", "said"),
    [
        ("judge_failed", {}, "no score is claimed: the fluency judge gave nothing usable"),
        ("judge_failed", {"found": ()}, "The fluency judge gave nothing usable, the others found no errors."),
        ("instruction_failed", {"found": ()}, "The instruction check failed: not a translation of the whole text."),
        ("no_translation", {"found": (), "translation": None}, "The system gave no translation."),
        ("scored", {"found": ()}, "The judges found no errors. f marks the evaluation as done."),
    ],
)
async def test_evaluations_without_a_score_or_without_errors_open_and_say_so(
    tmp_path: Path, state: str, more: dict[str, Any], said: str
) -> None:
    library(tmp_path / "a.db", {"state": state} | more)
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        assert said in driver.detail + driver.bar("#score")
        if state != "scored":
            assert state.replace("_", " ") in driver.bar("#title")
        for key in "axwsdc=nbur][ .gL|":
            await driver.press("space" if key == " " else key)
            if not isinstance(driver.app.screen, ReviewScreen):
                await driver.press("escape")
        await driver.press("tab", "tab", "f9")
        await driver.on(ReviewScreen)
        assert last_of(driver, "review")["changes"]["state"] == "done"


async def test_a_judge_that_failed_can_be_reviewed_but_claims_no_score(tmp_path: Path) -> None:
    library(tmp_path / "a.db", {"state": "judge_failed"})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        await driver.press("a", "x")
        assert driver.verdict(2).decision == "not_an_error"
        assert driver.bar("#score").split("\n")[0].startswith("judge  –")
        assert driver.bar("#score").split("\n")[1].startswith("you    –")
