"""The consistency screen: five parts over one filter, counts that follow each verdict, a way from figures to findings."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from discox_tui.screens.common.dialogs import Page
from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.figures.error_slice import WeakSpotScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.widgets.bars import TextBlock
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.discox_tui.screens.test_hostile import HOSTILE, assert_harmless
from tests.support.driving import MIDDLE, SMALL, WIDE, Driver, library, opened
from tests.support.nightly import by_day

PARTS = "12345"


async def consistency(driver: Driver) -> ConsistencyScreen:
    """From the queue, open the screen and wait for its figures."""
    await driver.on(QueueScreen)
    await driver.press("c")
    screen = await driver.on(ConsistencyScreen)
    await driver.until(lambda: up_to_date(driver), "figures")
    return screen


def up_to_date(driver: Driver) -> bool:
    return "updating…" not in driver.bar("#title") and "Counting…" not in driver.text


async def part(driver: Driver, key: str) -> str:
    """Show a part and return what can be seen."""
    await driver.press(key)
    await driver.until(lambda: up_to_date(driver), "the part")
    await driver.pilot.pause()
    return driver.text


async def test_the_figures_follow_the_filter(sample: Path) -> None:
    async with opened(sample) as driver:
        screen = await consistency(driver)
        figures = screen.query_one("#figures", TextBlock)
        assert "all reviewers" in driver.bar("#title")
        whole = figures.text
        spots = len(screen.table.rows)
        await driver.press("/")
        await driver.write("okafor zh-en")
        await driver.press("enter")
        await driver.until(lambda: up_to_date(driver) and figures.text != whole)
        assert "with “okafor zh-en”" in driver.bar("#title")
        await part(driver, "2")
        assert 0 < len(screen.table.rows) != spots
        await part(driver, "3")
        assert "n 122" not in driver.text
        await driver.press("escape")
        await driver.on(ConsistencyScreen)
        await part(driver, "1")
        assert figures.text == whole
        await driver.press("escape")
        await driver.on(QueueScreen)


async def test_leaving_while_the_figures_are_computed_is_no_error(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        for _ in range(3):
            await driver.press("c", "escape")
        await consistency(driver)


@by_day(1)
@pytest.mark.parametrize("size", [WIDE, MIDDLE, SMALL])
async def test_each_part_shows_what_it_is_for(sample: Path, size: tuple[int, int]) -> None:
    async with opened(sample, size=size) as driver:
        await consistency(driver)
        headline = await part(driver, "1")
        assert "mean of the four" in headline
        assert "segment en→zh" in headline
        assert "0.875  –" in headline
        assert "Precision of the findings 0.830  151 right, 31 wrong, 2 open" in headline
        spots = await part(driver, "2")
        assert "27-81 %" in spots
        maps = await part(driver, "3")
        assert "⣿⣿⣿" in maps
        assert "108" in maps
        assert "86%" in maps
        plot = await part(driver, "4")
        assert plot.count("✕") + plot.count("▪") in (10, 11), (
            "nine points, of which two may share a cell, and the legend"
        )
        assert "Metric-S (meridian-pro)" in plot
        assert "EVALUATIONS" in await part(driver, "5")


async def test_judges_come_before_other_metrics(sample: Path, tmp_path: Path) -> None:
    with closing(open_library(sample)) as connection:
        rows = connection.execute("SELECT system, article FROM evaluations WHERE state = 'scored'").fetchall()
        lines = [
            "metric,system,article,score",
            *(f"chrF,{system},{article},{i}" for i, (system, article) in enumerate(rows)),
        ]
        (tmp_path / "scores.csv").write_text("\n".join(lines), encoding="utf-8")
        import_path(connection, tmp_path / "scores.csv", format="scores")
    async with opened(sample) as driver:
        await consistency(driver)
        titles = [line.strip() for line in driver.lines if line.strip() in ("chrF", "Metric-S (meridian-pro)")]
        assert titles == ["Metric-S (meridian-pro)", "chrF"]
        assert "Metric-S (meridian-pro)" in await part(driver, "4")


async def test_part_five_has_all_that_the_command_prints(sample: Path) -> None:
    """Soft accuracy, calibration, Wilson's interval, counts, groups, comparisons with how many more it would take."""
    async with opened(sample) as driver:
        screen = await consistency(driver)
        await part(driver, "5")
        text = screen.query_one("#figures", TextBlock).text
        for said in (
            "SPA",
            "smallest ε",
            "acc_eq, Wilson",
            "tied by metric only",
            "lin ~ okafor",
            "BY SYSTEM",
            "BY DOMAIN",
        ):
            assert said in text
        assert "BY DIMENSION" in text
        assert "TWO SYSTEMS COMPARED" in text
        assert "further" in text
        assert "BETWEEN HUMANS" in text


async def test_the_headline_has_both_rules_and_what_people_reach(sample: Path) -> None:
    async with opened(sample, size=SMALL) as driver:
        await consistency(driver)
        for rule, other in (("acc_eq", "c_index"), ("c_index", "acc_eq")):
            head = next(line for line in driver.lines if line.split()[:1] == [rule])
            assert head.split()[-1] == other
            assert "People among themselves" in driver.text
            assert "lin ~ okafor" in driver.text
            await driver.press("v")


async def test_parts_are_gone_through_by_tab_and_by_mouse(sample: Path) -> None:
    async with opened(sample, size=SMALL) as driver:
        await consistency(driver)
        await driver.press("tab")
        assert "rejected" in driver.text
        await driver.press("tab")
        assert "Attribution" in driver.text
        await driver.press(*["shift+tab"] * 4)
        await driver.until(lambda: "EVALUATIONS" in driver.text)
        row = driver.lines[1]
        await driver.pilot.click("#sections", offset=(row.index("heat maps"), 0))
        await driver.pilot.pause()
        assert "Attribution" in driver.text
        await driver.press("?")
        page = await driver.on(Page)
        assert "How to read the parts" in page.query_one(TextBlock).text


async def test_ties_count_by_the_next_rule(sample: Path) -> None:
    async with opened(sample) as driver:
        await consistency(driver)
        assert "ties: acc_eq" in driver.bar("#title")
        await driver.press("v")
        assert "ties: c_index" in driver.bar("#title")
        assert "c_index: (concordant + ½ tied by the metric)" in driver.text
        await driver.press("3", "v")
        assert "ties:" not in driver.bar("#title")


async def test_a_weak_spot_leads_to_its_findings_in_review_and_back(sample: Path) -> None:
    async with opened(sample) as driver:
        screen = await consistency(driver)
        await driver.press("2", "enter")
        spot = await driver.on(WeakSpotScreen)
        assert "fluency · disfluent phrasing · 学术论文" in driver.bar("#title")
        first = screen.table.rows[0]
        assert len(spot.table.rows) == first.rejected + first.moved == 5
        await driver.press("down", "enter")
        review = await driver.on(ReviewScreen)
        row = spot.table.rows[1]
        assert review.finding is not None
        assert (review.evaluation.id, review.finding.id) == (row.evaluation, row.finding)
        await driver.press("escape")
        await driver.on(WeakSpotScreen)
        assert spot.table.cursor == 1
        await driver.press("escape")
        await driver.on(ConsistencyScreen)
        await driver.press("escape")
        await driver.on(QueueScreen)


async def test_a_verdict_is_counted_when_the_screen_is_seen_again(sample: Path) -> None:
    async with opened(sample) as driver:
        screen = await consistency(driver)
        await driver.press("2")
        before = screen.table.rows[0]
        await driver.press("enter")
        await driver.on(WeakSpotScreen)
        await driver.press("enter")
        await driver.on(ReviewScreen)
        await driver.press("x", "escape")
        spot = await driver.on(WeakSpotScreen)
        assert len(spot.table.rows) == before.rejected + before.moved + 1
        await driver.press("escape")
        await driver.on(ConsistencyScreen)
        after = next(found for found in screen.table.rows if found.spot == before.spot)
        assert (after.rejected, after.moved) == (before.rejected + 1, before.moved)
        await part(driver, "1")
        assert "151 right, 32 wrong" in driver.text
        assert "EVALUATIONS" in await part(driver, "5")


async def test_what_another_program_decides_is_counted_too(sample: Path) -> None:
    async with opened(sample) as driver:
        screen = await consistency(driver)
        await driver.press("2")
        before = screen.table.rows[0]
        with closing(open_library(sample)) as connection:
            evaluation, finding = connection.execute(
                "SELECT f.evaluation_id, f.id FROM findings f JOIN evaluations e ON e.id = f.evaluation_id WHERE f.kept "
                "AND (f.dimension, f.category, e.domain) = (?, ?, ?) AND e.state = 'scored'",
                before.spot,
            ).fetchone()
            ReviewLog(connection, "xu").decide(evaluation, finding, decision="not_an_error")
        await driver.until(lambda: any(found.rejected == before.rejected + 1 for found in screen.table.rows))


@pytest.mark.parametrize("key", PARTS)
async def test_where_nothing_was_reviewed_it_says_so_and_what_to_do(tmp_path: Path, key: str) -> None:
    library(tmp_path / "a.db", {}, {})
    async with opened(tmp_path / "a.db", size=SMALL) as driver:
        await consistency(driver)
        await part(driver, key)
        assert "Nothing has been reviewed yet." in driver.text
        assert "–" not in driver.text


async def test_a_filter_that_leaves_nothing_says_so(sample: Path) -> None:
    async with opened(sample) as driver:
        await consistency(driver)
        await driver.press("/")
        await driver.write("nowhere")
        await driver.press("enter")
        for key in PARTS:
            await part(driver, key)
            assert "Nothing that was reviewed contains these words." in driver.text


async def test_scores_by_people_are_shown_though_nothing_was_reviewed(tmp_path: Path) -> None:
    library(tmp_path / "a.db", {})
    rows = ["metric,system,article,direction,score,human"]
    for system in range(4):
        for article in range(3):
            score = (system * 7 + article) % 5
            rows += [f"chrF,s{system},a{article},zh-en,{score / 5},0", f"anna,s{system},a{article},zh-en,{system},1"]
    (tmp_path / "scores.csv").write_text("\n".join(rows), encoding="utf-8")
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, tmp_path / "scores.csv", format="scores")
    async with opened(tmp_path / "a.db") as driver:
        await consistency(driver)
        assert "chrF" in driver.text
        assert "segment zh→en" in driver.text
        assert "chrF" in await part(driver, "4")
        assert "Nothing has been reviewed yet." in await part(driver, "2")


async def test_the_headline_says_why_there_is_no_interval(tmp_path: Path) -> None:
    library(tmp_path / "a.db", {})
    rows = ["metric,system,article,direction,score,human"]
    rows += [f"{name},s{i},a,zh-en,{i},{int(name == 'anna')}" for name in ("chrF", "anna") for i in range(3)]
    (tmp_path / "scores.csv").write_text("\n".join(rows), encoding="utf-8")
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, tmp_path / "scores.csv", format="scores")
    async with opened(tmp_path / "a.db", size=WIDE) as driver:
        await consistency(driver)
        assert "– interval: fewer than five articles: no interval" in driver.text


@by_day(2)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_names_are_shown_literally(tmp_path: Path, text: str) -> None:
    text = text.replace("\x00", "")
    path = tmp_path / "a.db"
    library(path, {"article": text, "system": text, "domain": text}, {"article": text, "domain": text})
    score = {"metric": f"m {text}", "system": text, "article": text, "direction": "zh-en", "score": 0.5, "human": 0}
    (tmp_path / "scores.jsonl").write_text(json.dumps(score) + "\n", encoding="utf-8")
    with closing(open_library(path)) as connection:
        import_path(connection, tmp_path / "scores.jsonl", format="scores")
        for name in (text, "mei"):
            log = ReviewLog(connection, name)
            for evaluation, finding in connection.execute("SELECT evaluation_id, id FROM findings").fetchall():
                log.decide(evaluation, finding, decision="not_an_error", note=text)
                log.set_state(evaluation, "done")
    async with opened(path, size=SMALL) as driver:
        await consistency(driver)
        for key in PARTS:
            await part(driver, key)
            assert_harmless(driver, SMALL[0])
        await driver.press("4", "m")
        assert_harmless(driver, SMALL[0])
        await driver.press("2", "enter")
        spot = await driver.on(WeakSpotScreen)
        assert spot.table.rows
        assert_harmless(driver, SMALL[0])


PLOT = """
import asyncio, json, sys
from pathlib import Path
from discox_tui.app import DiscoxApp
from storage.integrity.opening import open_library
from discox_tui.config.paths import Settings

async def use():
    app = DiscoxApp(open_library(Path(sys.argv[1])), "mei", Settings())
    loaded = []
    async with app.run_test(size=(120, 40)) as pilot:
        for keys in (("c", "2", "3"), ("4",)):
            await pilot.press(*keys)
            await app.workers.wait_for_complete()
            await pilot.pause()
            loaded.append("plotext" in sys.modules)
    print(json.dumps(loaded))

asyncio.run(use())
"""


def test_the_plot_is_loaded_only_when_it_is_shown(sample: Path) -> None:
    result = subprocess.run([sys.executable, "-c", PLOT, str(sample)], capture_output=True, text=True, check=True)
    assert json.loads(result.stdout) == [False, True]
