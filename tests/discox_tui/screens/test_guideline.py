"""The guideline: complete, right about costs, the same in the docs, one key away, its version known."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from discox_tui.app import DiscoxApp
from discox_tui.config.guideline import OURS, Guideline, load_guideline
from discox_tui.config.paths import Settings
from discox_tui.screens.common.dialogs import Choose
from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.figures.leaderboard import LeaderboardScreen
from discox_tui.screens.library.import_report import ImportReportScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.guideline import GuidelinePage
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.widgets.bars import TextBlock
from judges.metric_s.scoring import METRIC_S
from judges.model import CATEGORIES, DECISIONS, DIMENSIONS, SEVERITIES
from storage.integrity.opening import open_library
from storage.reviews.events import read_events
from tests.conftest import REPOSITORY, Command
from tests.discox_tui.screens.test_snapshots import HEAVY, Compare
from tests.support.driving import MIDDLE, SMALL, Driver, opened
from tests.support.nightly import by_day

TITLES = {"override": "Severity, category, place", "reattribute": "re attribute", "restore": "Bring back"}
"""The sections of verdicts that people call otherwise."""


def sections(guideline: Guideline) -> dict[str, str]:
    """Every section's text, by the title in small letters."""
    found: dict[str, str] = {}
    title = ""
    for kind, text in guideline.paragraphs():
        if kind.startswith("#"):
            title = text.casefold().replace("-", " ")
            assert title not in found, "two sections of one name"
            found[title] = ""
        else:
            found[title] += text + "\n"
    return found


OUR = sections(load_guideline(None))


def section(name: str) -> str:
    return next(text for title, text in OUR.items() if title.startswith(name.replace("_", " ").casefold()))


@pytest.mark.parametrize("category", [(name, zh) for each in CATEGORIES.values() for name, zh in each.items()])
def test_every_category_has_a_section_with_an_example_in_both_directions(category: tuple[str, str]) -> None:
    name, chinese = category
    assert f"{name.replace('_', ' ')} {chinese}" in OUR
    for direction in ("zh→en", "en→zh"):
        examples = re.findall(rf"^{direction}.*$", section(name), re.M)
        assert examples, direction
        assert all(re.search("[\u4e00-\u9fff]", example) and re.search("[a-z]{3}", example) for example in examples)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_every_severity_has_a_section_that_says_what_it_costs(severity: str) -> None:
    assert section(severity).startswith(f"−{METRIC_S.severities[severity]}")  # type: ignore[index]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_every_dimension_has_a_section_and_its_points_are_named(dimension: str) -> None:
    assert section(dimension)
    assert f"{dimension} {METRIC_S.maxima[dimension]}" in section("Guideline").replace(" has", "")  # type: ignore[index]


@pytest.mark.parametrize("decision", [*DECISIONS, "repeat", "too_strict", "invented"])
def test_every_verdict_has_a_section(decision: str) -> None:
    assert section(TITLES.get(decision, decision))


def test_the_guideline_is_short_enough_to_be_read() -> None:
    assert len(OURS.read_text(encoding="utf-8").split()) < 1800


def test_the_command_prints_what_the_docs_hold(discox: Command) -> None:
    result = discox("guideline")
    assert result.code == 0
    page = (REPOSITORY / "docs" / "guideline.md").read_text(encoding="utf-8")
    assert result.out == page == OURS.read_text(encoding="utf-8"), "run discox guideline > docs/guideline.md"


# --- a guideline of the team's own ---


def test_a_declared_version_counts_else_the_text_does(tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text("Version: team-7 (May)\n# Ours\n", encoding="utf-8")
    assert load_guideline(str(own)).version == "team-7 (May)"
    own.write_text("# Ours\nversion: not here\n", encoding="utf-8")
    first = load_guideline(str(own)).version
    own.write_text("# Ours\nversion: not here!\n", encoding="utf-8")
    assert first != load_guideline(str(own)).version
    assert len({first, load_guideline(str(own)).version, load_guideline(None).version}) == 3
    assert "version: not here!" in [text for _, text in load_guideline(str(own)).paragraphs()]


def test_the_option_comes_before_the_setting(tmp_path: Path, discox: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("team", "mine"):
        (tmp_path / f"{name}.md").write_text(f"version: {name}\nText of {name}.\n", encoding="utf-8")
    settings = tmp_path / "config.toml"
    settings.write_text(f'guideline = "{tmp_path / "team.md"}"\n', encoding="utf-8")
    monkeypatch.setenv("DISCOX_CONFIG", str(settings))
    assert "Text of team." in discox("guideline").out
    assert "Text of mine." in discox("guideline", "--guideline", tmp_path / "mine.md").out
    assert "Text of mine." in discox("--guideline", tmp_path / "mine.md", "guideline").out


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00 no text"])
def test_a_guideline_that_cannot_be_read_is_named(tmp_path: Path, discox: Command, content: bytes | None) -> None:
    path = tmp_path / "guideline.md"
    if content is not None:
        path.write_bytes(content)
    result = discox("guideline", "--guideline", path)
    assert result.code == 1
    assert str(path) in result.err


async def test_a_hostile_guideline_is_shown_literally(sample: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text("version: [red]x[/]\n# [@click=app.quit]T[/]\n\x1b[31m [/] \u202e **a** `\n- ", encoding="utf-8")
    async with opened(sample, settings=Settings(guideline=str(own))) as driver:
        await driver.on(QueueScreen)
        await driver.press("G")
        await driver.on(GuidelinePage)
        assert "Guideline [red]x[/]" in driver.text
        assert "[@click=app.quit]T[/]" in driver.text
        assert "\x1b" not in driver.text


async def test_its_version_is_kept_with_every_act(sample: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text("version: team-7\n", encoding="utf-8")
    for guideline, version in ((None, load_guideline(None).version), (str(own), "team-7")):
        async with opened(sample, start=HEAVY, settings=Settings(guideline=guideline)) as driver:
            await driver.on(ReviewScreen)
            await driver.press("a", "u")
            connection = driver.app.session.connection
            acts = [event for event in read_events(connection, "reviewer = 'mei'") if event.kind != "time"]
            assert [(event.kind, event.guideline) for event in acts[-2:]] == [("verdict", version), ("undo", version)]


# --- on the screen ---


def page(driver: Driver) -> GuidelinePage:
    assert isinstance(driver.app.screen, GuidelinePage)
    return driver.app.screen


@pytest.mark.parametrize(
    ("keys", "screen"),
    [
        ((), QueueScreen),
        (("enter",), ReviewScreen),
        (("c",), ConsistencyScreen),
        (("l",), LeaderboardScreen),
        (("i",), ImportReportScreen),
    ],
)
async def test_one_key_opens_it_everywhere_and_closes_it(sample: Path, keys: tuple[str, ...], screen: type) -> None:
    async with opened(sample) as driver:
        await driver.on(QueueScreen)
        await driver.press(*keys)
        await driver.on(screen)
        for key in ("G", "f12"):
            await driver.press(key)
            await driver.on(GuidelinePage)
            assert f"Guideline {load_guideline(None).version}" in driver.text
            await driver.press(key)
            await driver.on(screen)


async def test_the_users_own_key_opens_and_closes_it(sample: Path, tmp_path: Path) -> None:
    keymap = tmp_path / "keys.toml"
    keymap.write_text('guideline = "K"\n', encoding="utf-8")
    async with opened(sample, start=HEAVY, settings=Settings(keymap=str(keymap))) as driver:
        await driver.on(ReviewScreen)
        await driver.press("c", "K")
        await driver.on(GuidelinePage)
        await driver.press("K")
        await driver.on(Choose)


@by_day(3)
@pytest.mark.parametrize(
    ("keys", "title"),
    [
        (("c",), "Mistranslation 错译"),
        (("c", "down"), "Omission 漏译"),
        (("s",), "Major"),
        (("s", "down", "down"), "Extremely critical"),
        (("d", "down"), "Fluency"),
        (("=",), "Guideline for reviewers"),
    ],
)
@pytest.mark.parametrize("size", [MIDDLE, SMALL])
async def test_from_a_question_it_opens_at_what_is_current_there(
    sample: Path, keys: tuple[str, ...], title: str, size: tuple[int, int]
) -> None:
    async with opened(sample, start=HEAVY, size=size) as driver:
        await driver.on(ReviewScreen)
        await driver.press(keys[0])
        await driver.on(Choose)
        await driver.press(*keys[1:], "G")
        block = (await driver.on(GuidelinePage)).query_one(TextBlock)
        await driver.until(lambda: block.render_line(0).text.strip() == title, title)
        await driver.press("escape")
        await driver.on(Choose)
        assert {event["kind"] for event in driver.events if event["reviewer"] == "mei"} == {"opened"}


async def test_from_the_review_it_opens_at_the_current_error_unless_that_is_hidden(sample: Path) -> None:
    async with opened(sample, start=HEAVY) as driver:
        await driver.on(ReviewScreen)
        await driver.press("]", "]", "]", "G")
        block = (await driver.on(GuidelinePage)).query_one(TextBlock)
        await driver.until(lambda: block.render_line(0).text.strip() == "Omission 漏译")
        await driver.press("G", "escape")
        await driver.on(QueueScreen)
        driver.app.session.hide("first")
        await driver.review(0)
        await driver.press("G")
        block = (await driver.on(GuidelinePage)).query_one(TextBlock)
        assert block.render_line(0).text.strip() == "Guideline for reviewers"


async def test_search_goes_from_match_to_match_and_escape_backs_out_one_level(sample: Path) -> None:
    async with opened(sample, size=SMALL) as driver:
        await driver.on(QueueScreen)
        await driver.press("G", "/")
        await driver.write("source 漏译")
        await driver.until(lambda: "no match" in driver.text)
        for _ in range(9):
            await driver.press("backspace")
        await driver.write("omission")
        await driver.until(lambda: "match 1 of " in driver.text)
        assert "Omission 漏译" in driver.text
        count = int(re.findall(r"match 1 of (\d+)", driver.text)[0])
        assert count > 2
        for at in (*range(2, count + 1), 1):
            await driver.press("enter")
            assert f"match {at} of {count}" in driver.text
        await driver.press("escape", "n")
        assert f"match 2 of {count}" in driver.text
        assert not page(driver).query_one(Input).has_focus
        await driver.press("escape")
        await driver.on(QueueScreen)


@pytest.mark.parametrize("size", [MIDDLE, SMALL], ids=["100x30", "80x24"])
def test_the_page_looks_as_drawn(
    sample: Path, snap_compare: Callable[..., bool] | Compare, size: tuple[int, int]
) -> None:
    connection = open_library(sample)
    app = DiscoxApp(connection, "mei", Settings(theme="discox-dark"), start=HEAVY)

    async def before(pilot: Pilot[None]) -> None:
        driver = Driver(app, pilot)
        await driver.on(ReviewScreen)
        await driver.press("c", "down")
        await driver.on(Choose)
        await driver.press("G")
        await driver.on(GuidelinePage)
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=before)
    connection.close()
