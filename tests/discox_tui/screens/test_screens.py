"""The other screens: the queue with its filter and order, palette, help, themes, import report, restarts."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.widgets import Input

from discox_tui.cli.sample import load_sample
from discox_tui.config.paths import Settings
from discox_tui.screens.common.dialogs import Page
from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.library.import_report import ImportReportScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.widgets.bars import TextBlock
from discox_tui.widgets.key_bar import KeyBar
from discox_tui.widgets.virtual_table import VirtualTable
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver, library, opened
from tests.support.nightly import by_day


def systems(driver: Driver) -> list[str]:
    screen = driver.app.screen
    assert isinstance(screen, QueueScreen)
    return [row.system for row in screen.table.rows]


# --- the queue ---


async def test_the_queue_shows_scores_and_how_far_the_review_is(sample: Path) -> None:
    async with opened(sample, reviewer="lin") as driver:
        await driver.on(QueueScreen)
        text = driver.text
        assert "12 evaluations   ✓ 9 done   ▸ 1 in progress   1 skipped   1 not opened" in text
        first = next(line for line in driver.lines if "law-01" in line and "aurora" in line)
        assert "76" in first
        assert "6/6" in first
        assert "✓ done" in first
        failed = next(line for line in driver.lines if "essay-02" in line and "heron" in line)
        assert "failed" in failed
        assert " 40 " not in failed, "no total is claimed"
        assert any("0 check" in line for line in driver.lines)


async def test_the_queue_is_filtered_as_one_types_and_letters_do_nothing_else(sample: Path) -> None:
    async with opened(sample) as driver:
        queue = await driver.on(QueueScreen)
        await driver.press("/")
        await driver.write("her")
        assert set(systems(driver)) == {"heron-14b"}
        await driver.write("on LAW")
        assert len(systems(driver)) == 1
        await driver.write(" qico")
        assert systems(driver) == []
        assert "No evaluation contains these words. Esc clears the filter." in driver.text
        assert driver.app.screen is queue
        await driver.press("escape")
        assert len(systems(driver)) == 12
        assert queue.table.has_focus
        await driver.press("/")
        await driver.write("100%_[x]\\")
        assert systems(driver) == []


async def test_the_filter_stays_while_one_reviews_and_next_goes_through_it(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press("/")
        await driver.write("law")
        await driver.press("enter")
        await driver.review()
        seen = [driver.screen.evaluation.system]
        for _ in range(2):
            await driver.press("}")
            seen.append(driver.screen.evaluation.system)
        assert seen == ["aurora-72b", "heron-14b", "sparrow-3b"]
        assert "evaluation 3/3" in driver.bar("#title")
        await driver.press("}")
        assert "That was the last evaluation of the queue." in driver.said
        await driver.press("escape")
        queue = await driver.on(QueueScreen)
        assert queue.table.cursor == 2
        assert len(systems(driver)) == 3


async def test_the_queue_is_sorted_by_key_and_by_its_headers(sample: Path) -> None:
    async with opened(sample) as driver:
        queue = await driver.on(QueueScreen)
        unsorted = systems(driver)
        await driver.press("o")
        assert queue.table.sort == ("article", False)
        articles = [row.article for row in queue.table.rows]
        assert articles == sorted(articles)
        await driver.press("O")
        assert [row.article for row in queue.table.rows] == sorted(articles, reverse=True)
        header = queue.table.render_line(0).text
        place = header.index("judge's") + 3
        await driver.pilot.click(queue.table, offset=(place, 0))
        await driver.until(lambda: queue.table.sort == ("total", False))
        totals = [row.total for row in queue.table.rows]
        assert totals == [*sorted(total for total in totals if total is not None), None], "none is last"
        await driver.pilot.click(queue.table, offset=(place, 0))
        await driver.until(lambda: queue.table.sort == ("total", True))
        assert [row.total for row in queue.table.rows][-1] is None, "none is last both ways"
        while queue.table.sort is not None:
            await driver.press("f6")
        assert systems(driver) == unsorted, "after the last column comes the order of the import"


async def test_a_click_moves_and_a_second_click_opens(sample: Path) -> None:
    async with opened(sample) as driver:
        queue = await driver.on(QueueScreen)
        await driver.pilot.click(queue.table, offset=(10, 4))
        await driver.until(lambda: queue.table.cursor == 3)
        await driver.pilot.click(queue.table, offset=(10, 4))
        await driver.on(ReviewScreen)
        assert driver.screen.evaluation.article.key == "news-04"


async def test_what_was_decided_shows_in_the_queue_at_once(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.review()
        await driver.press("x", "escape")
        queue = await driver.on(QueueScreen)
        row = queue.table.render_line(1).text
        assert "in progress" in row
        assert "1/6" in row


@by_day(1)
@pytest.mark.parametrize("size", [WIDE, MIDDLE, SMALL])
async def test_an_empty_library_says_how_to_begin(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(tmp_path / "a.db", size=size) as driver:
        await driver.on(QueueScreen)
        assert "Nothing here yet. Bring result files in with:  discox import FILE" in driver.text
        await driver.press("enter", "o", "O", "/", "escape")
        await driver.on(QueueScreen)
        await driver.press("i")
        await driver.on(ImportReportScreen)
        assert "Nothing was imported yet." in driver.text
        await driver.press("enter", "escape")
        await driver.on(QueueScreen)
        await driver.press("c")
        screen = await driver.on(ConsistencyScreen)
        await driver.until(lambda: "Nothing has been reviewed yet." in screen.query_one("#figures", TextBlock).text)


@by_day(1)
@pytest.mark.parametrize("keys", [(), ("enter",), ("i",), ("c",)])
async def test_q_quits_from_every_screen(sample: Path, keys: tuple[str, ...]) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press(*keys, "q")
        await driver.until(lambda: driver.app.return_code is not None, "the end")
        assert driver.app.return_code == 0


# --- restarts ---


async def test_the_app_opens_where_it_was_left(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press("/")
        await driver.write("sparrow")
        await driver.press("enter", "o")
        await driver.press("T")
        await driver.review(2)
        screen = driver.screen
        left = screen.evaluation.id
        await driver.press("]", "]", "]", "]", "]", "]")
        screen.texts.translation.scroll_to_line(7)
        await driver.pilot.pause()
        number = driver.number
        tops = (screen.texts.source.top_offset, screen.texts.translation.top_offset)
        assert tops[1] > 0
        theme = driver.app.theme
        assert theme == "discox-light"
        await driver.press("q")
    async with opened(sample) as driver:
        screen = await driver.on(ReviewScreen)
        assert (screen.evaluation.id, driver.number) == (left, number)
        await driver.until(lambda: screen.texts.translation.top_offset == tops[1])
        assert screen.texts.source.top_offset == tops[0]
        assert driver.app.theme == theme
        await driver.press("escape")
        queue = await driver.on(QueueScreen)
        assert set(systems(driver)) == {"sparrow-3b"}
        assert queue.table.sort == ("article", False)
        assert queue.query_one("#filter", Input).value == "sparrow"
        current = queue.table.current
        assert current is not None
        assert current.id == left


async def test_the_place_is_one_reviewers_own(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.review(3)
        await driver.press("q")
    async with opened(sample, reviewer="okafor") as driver:
        await driver.on(QueueScreen)
    async with opened(sample) as driver:
        await driver.on(ReviewScreen)


async def test_an_evaluation_that_was_only_opened_opens_again_if_nobody_quits(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discox_tui.screens.review.screen.REMEMBER_AFTER", 0.01)
    async with opened(sample) as driver:
        screen = await driver.review(3)
        await driver.until(lambda: driver.app.session.recall("place"), "it is noted")
    async with opened(sample) as driver:
        again = await driver.on(ReviewScreen)
        assert again.evaluation.id == screen.evaluation.id


async def test_an_evaluation_named_opens_instead(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.review(3)
        await driver.press("q")
    async with opened(sample, start="73044a12051082cf8e16") as driver:
        screen = await driver.on(ReviewScreen)
        assert screen.evaluation.id == "73044a12051082cf8e16"


async def test_a_place_that_is_not_there_any_more_is_passed_over(tmp_path: Path) -> None:
    library(tmp_path / "a.db", {})
    async with opened(tmp_path / "a.db") as driver:
        driver.app.session.remember("place", {"evaluation": "gone", "finding": 3, "queue": {"order": "none"}})
    async with opened(tmp_path / "a.db") as driver:
        await driver.on(QueueScreen)
        await driver.until(lambda: driver.said)
        assert "no evaluation has the id 'gone'" in driver.said[0]


# --- theme, help, palette, keymap ---


async def test_themes_go_round_and_text_stays(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.review()
        before = driver.lines[:-1]
        names = []
        for _ in range(3):
            await driver.press("T")
            names.append(driver.app.theme)
            assert driver.lines[:-1] == before
            assert "Theme: " in driver.lines[-1]
        assert names == ["discox-light", "discox-16", "discox-dark"]


HELP = {
    "": "Open the evaluation, or the candidate.",
    "enter": "Agree with the judge: the finding stands, or is rightly dropped.",
    "i": "Show only what contains the words you type.",
    "c": "Go back one level; never quits.",
}
"""The key that opens a screen from the queue, and what the help says there."""


async def test_help_tells_the_keys_of_its_screen(sample: Path) -> None:
    async with opened(sample) as driver:
        queue = await driver.on(QueueScreen)
        for opens, said in HELP.items():
            await driver.press(*filter(None, [opens]))
            below = driver.app.screen
            for key in ("question_mark", "f1"):
                await driver.press(key)
                page = await driver.on(Page)
                text = page.query_one(TextBlock).text
                assert said in text
                assert "Quit; everything is already saved." in text
                before = driver.events
                await driver.press("a", "x", "s")
                assert driver.app.screen is page
                assert driver.events == before
                await driver.press("escape")
                assert await driver.on(type(below)) is below
            if below is not queue:
                await driver.press("escape")
                await driver.on(QueueScreen)


async def test_the_palette_runs_an_action_of_the_screen(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.review()
        before = driver.number
        await driver.press("ctrl+p")
        await driver.on(CommandPalette)
        await driver.write("not an error")
        await driver.until(lambda: "not an error (x 2)" in driver.text, "the action and its keys")
        await driver.press("down", "enter")
        await driver.on(ReviewScreen)
        await driver.until(lambda: driver.verdict(before).decision == "not_an_error")


async def test_the_palette_offers_what_has_no_key_here_neither(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press("ctrl+p")
        await driver.on(CommandPalette)
        await driver.until(lambda: "consistency" in driver.text, "the queue's actions")
        assert "not an error" not in driver.text
        assert "back (esc)" not in driver.text, "below the queue there is nothing to go back to"
        await driver.press("escape")
        await driver.on(QueueScreen)


async def test_a_keymap_of_ones_own_is_used_and_shown(sample: Path, tmp_path: Path) -> None:
    keymap = tmp_path / "keys.toml"
    keymap.write_text('agree = "y"\n')
    async with opened(sample, settings=Settings(theme="discox-dark", keymap=str(keymap))) as driver:
        await driver.review()
        assert "y agree" in driver.lines[-1]
        number = driver.number
        await driver.press("a")
        assert driver.verdict(number).decision is None
        await driver.press("y")
        assert driver.verdict(number).decision == "agree"


# --- import report ---


async def test_the_import_report_names_file_and_line_and_opens_what_it_is_about(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press("i")
        screen = await driver.on(ImportReportScreen)
        assert "12 stored   1 left out   2 flags" in driver.bar("#title")
        table: VirtualTable[object] = screen.query_one(VirtualTable)
        await driver.press("/")
        await driver.write("left out timed")
        assert len(table.rows) == 1
        assert "the task failed: Request timed out" in screen.query_one("#whole", TextBlock).text
        await driver.press("escape")
        assert len(table.rows) > 4
        await driver.press("/")
        await driver.write("fluency nothing usable")
        await driver.press("enter", "enter")
        review = await driver.on(ReviewScreen)
        assert review.evaluation.state == "judge_failed"


async def test_escape_leaves_the_filter_then_the_report(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press("i")
        await driver.on(ImportReportScreen)
        await driver.press("/", "escape")
        await driver.on(ImportReportScreen)
        await driver.press("escape")
        await driver.on(QueueScreen)


# --- more than one at work ---


async def test_two_apps_on_one_file_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {}, {})
    async with opened(path) as one, opened(path, reviewer="okafor") as other:
        await one.review()
        await other.review()
        for key in "axw":
            await one.press(key)
            await other.press("x")
        await one.press("u")
        for driver, standing in ((one, 2), (other, 3)):
            mine = [event for event in driver.events if event["reviewer"] == driver.app.session.reviewer]
            assert sum(event["kind"] == "verdict" for event in mine) == 3
            assert sum(driver.verdict(number).decision is not None for number in range(1, 7)) == standing


async def test_one_reviewer_in_two_windows_sees_both_after_coming_back(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {}, {})
    async with opened(path) as one, opened(path) as other:
        await one.review()
        await other.review()
        await one.press("a")
        await other.press("]", "x")
        assert [event["changes"] for event in one.events if event["kind"] == "verdict"] == [
            {"decision": "agree"},
            {"decision": "not_an_error"},
        ]
        await one.press("escape")
        await one.review()
        assert [one.verdict(number).decision for number in (1, 2)] == ["agree", "not_an_error"]
        await one.press("u")
        assert one.verdict(2).decision is None, "the latest act of hers, whichever window it was in"


async def test_what_another_program_imports_arrives(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await driver.on(QueueScreen)
        with closing(open_library(path)) as connection:
            load_sample(connection)
        await driver.review()
        await driver.press("escape")
        queue = await driver.on(QueueScreen)
        await driver.press("/")
        await driver.write("aurora")
        assert len(queue.table.rows) == 4


async def test_what_is_of_no_line_and_of_no_direction_leaves_no_mark(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("article,system,source,translation\na,s,x,y\n", encoding="utf-8")
    (tmp_path / "mqm_zhen.tsv").write_text(
        "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
        "s\td\t1\t1\tr\t他高兴。\tHe <v>happy</v>.\tFluency/Grammar\tMinor\n",
        encoding="utf-8",
    )
    with closing(open_library(tmp_path / "a.db")) as connection:
        for name in ("one.csv", "mqm_zhen.tsv"):
            import_path(connection, tmp_path / name)
    async with opened(tmp_path / "a.db") as driver:
        await driver.on(QueueScreen)
        await driver.press("i")
        await driver.on(ImportReportScreen)
        lost = next(line for line in driver.lines if "severity lost" in line)
        assert " 0 " not in lost, "it is of the whole file"
        await driver.press("escape")
        await driver.review()
        assert driver.screen.evaluation.article.direction == ""
        heading = next(line for line in driver.lines if line.startswith("  source"))
        assert "source ·" not in heading


MESSAGES = (
    ("short", 1),
    ("two " * 30, 2),
    ("[b]中文" * 10, 1),
    ("字" * 100, 3),
    ("x" * 1_000, 3),
    ("a\nb " * 30, 2),
)
"""A message and how many rows it takes."""


async def test_a_message_takes_the_rows_that_it_needs(sample: Path) -> None:
    async with opened(sample, size=SMALL) as driver:
        await driver.on(QueueScreen)
        before, bar = driver.lines, driver.app.screen.query_one(KeyBar)
        for message, rows in MESSAGES:
            driver.app.say(message)
            await driver.pilot.pause()
            assert bar.size.height == rows
            said = "".join("".join(driver.lines[-rows:]).replace("␊", "").split())
            wanted = "".join(message.split())
            assert said == wanted if rows < 3 else wanted.startswith(said.rstrip("…"))
            assert driver.lines[: -rows - 1] == before[: -rows - 1]
            bar.be_silent()
            await driver.until(lambda: driver.lines == before)
