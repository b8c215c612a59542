"""What is being typed is kept until it is stored or given up, in every dialog with text."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input

from discox_tui.screens.benchmark.candidate import CandidateScreen
from discox_tui.screens.benchmark.forms import DetailsForm, Form, ParagraphForm, PointForm
from discox_tui.screens.benchmark.screen import BuildScreen
from discox_tui.screens.common.dialogs import Ask
from discox_tui.screens.review.rubric import RubricScreen
from discox_tui.sessions.drafts import Draft, Drafts
from discox_tui.sessions.review import ReviewSession
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from tests.support.building_candidates import build_library
from tests.support.driving import Driver, library, opened
from tests.support.nightly import by_day
from tests.support.tables import events


def kept(path: Path) -> list[str]:
    connection = open_library(path)
    try:
        return [row[0] for row in connection.execute("SELECT value FROM app_state WHERE key LIKE 'draft %' ORDER BY 1")]
    finally:
        connection.close()


def test_a_text_is_offered_again_before_it_is_written(tmp_path: Path) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with closing(open_library(tmp_path / "a.db")) as connection:
        drafts = Drafts(ReviewSession(connection, "mei"), lambda seconds, write: None, lambda: None)
        draft, other = Draft(first, "note 1", "Note on error 1"), Draft(first, "note 2", "Note on error 2")
        drafts.keep(draft, {"": "why"})
        assert (drafts.fields(draft), drafts.fields(other)) == ({"": "why"}, {})
        drafts.drop(draft)
        assert drafts.fields(draft) == {}
    assert kept(tmp_path / "a.db") == []


def decided(path: Path) -> list[dict[str, str]]:
    return [event["changes"] for event in events(path) if event["kind"] in ("verdict", "review")]


async def until_kept(driver: Driver, path: Path, text: str) -> None:
    await driver.until(lambda: any(text in draft for draft in kept(path)), f"{text} in {kept(path)}")


async def reviewing(driver: Driver, key: str) -> Ask:
    await driver.review()
    await driver.press(key)
    return await driver.on(Ask)


@pytest.mark.parametrize(
    ("key", "act"), [("n", {"note": "half done"}), ("z", {"state": "skipped", "reason": "half done"})]
)
async def test_a_text_is_kept_while_it_is_typed_and_offered_again(
    tmp_path: Path, key: str, act: dict[str, str]
) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    async with opened(path, start=first) as driver:
        await driver.until(lambda: driver.app.session.evaluation is not None)
        await driver.press("]", key)
        await driver.on(Ask)
        await driver.write("half")
        await until_kept(driver, path, "half")
    async with opened(path) as driver:  # at the place where it was
        await driver.until(lambda: any("“half”" in said for said in driver.said))
        await driver.until(lambda: driver.number == 2)
        await driver.press(key)
        screen = await driver.on(Ask)
        assert screen.query_one(Input).value == "half"
        await driver.write(" done\r")
        await driver.until(lambda: decided(path))
        assert decided(path) == [act]
    assert kept(path) == []


async def test_escape_gives_it_up(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await reviewing(driver, "n")
        await driver.write("half")
        await until_kept(driver, path, "half")
        await driver.press("escape")
        await driver.until(lambda: kept(path) == [])
        await driver.press("n")
        assert (await driver.on(Ask)).query_one(Input).value == ""


async def test_what_is_typed_back_to_what_is_stored_is_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await reviewing(driver, "n")
        await driver.write("x")
        await until_kept(driver, path, "x")
        await driver.press("backspace")
        await driver.until(lambda: kept(path) == [])


async def test_a_note_that_could_not_be_stored_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await reviewing(driver, "n")
        driver.app.session.connection.execute("PRAGMA busy_timeout = 50")
        other = open_library(path)
        with transaction(other):
            await driver.write("half\r")
            await driver.until(lambda: any("another program is writing" in said for said in driver.said))
        other.close()
        assert driver.verdict(1).note is None
        await until_kept(driver, path, "half")
        await driver.press("n")
        assert (await driver.on(Ask)).query_one(Input).value == "half"
        await driver.press("enter")
        await driver.until(lambda: driver.verdict(1).note == "half")
        assert kept(path) == []


async def test_typing_does_not_wait_for_another_program(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    library(path, {})
    async with opened(path) as driver:
        await reviewing(driver, "n")
        assert driver.app.session.connection.execute("PRAGMA busy_timeout").fetchone() == (2000,)
        other = open_library(path)
        with transaction(other):
            await driver.write("half")
            driver.app.drafts._write()
            assert driver.app.drafts._unwritten
        other.close()
        assert driver.app.session.connection.execute("PRAGMA busy_timeout").fetchone() == (2000,)
        await until_kept(driver, path, "half")


async def test_a_note_on_a_rubric_point(sample: Path) -> None:
    async with opened(sample) as driver:
        await driver.review()
        await driver.press("P")
        screen = await driver.on(RubricScreen)
        await driver.press("m", "[", "n")
        await driver.on(Ask)
        await driver.write("half")
        await until_kept(driver, sample, "half")
        number = screen._point().number
    async with opened(sample) as driver:
        await driver.until(lambda: any("“half”" in said for said in driver.said))
        await driver.press("P")
        screen = await driver.on(RubricScreen)
        await driver.until(lambda: screen._point().number == number)
        await driver.press("n")
        assert (await driver.on(Ask)).query_one(Input).value == "half"
        await driver.press("enter")
        await driver.until(lambda: kept(sample) == [])


@by_day(1)
@pytest.mark.parametrize(
    ("key", "form", "field"),
    [
        ("t", ParagraphForm, "why"),
        ("t", ParagraphForm, "paragraph"),
        ("e", PointForm, "expected"),
        ("i", DetailsForm, "domain"),
    ],
)
async def test_a_form_over_a_candidate(tmp_path: Path, key: str, form: type[Form[object]], field: str) -> None:
    path = tmp_path / "a.db"
    build_library(path)
    async with opened(path) as driver:
        await driver.press("b")
        (await driver.on(BuildScreen)).open("dyke")
        await driver.on(CandidateScreen)
        await driver.press(key)
        screen = await driver.on(form)
        screen.set_focus(screen.query_one(f"#{field}"))
        driver.app.post_message(Paste("half\x07é"))
        await until_kept(driver, path, "half")
        before = screen.typed()
        assert "half" in before[field]
        assert ("\x07" in before[field]) == (field == "paragraph"), "of a text, every character"
    async with opened(path) as driver:
        await driver.until(lambda: any("your draft is kept" in said for said in driver.said))
        await driver.press(key)
        screen = await driver.on(form)
        assert screen.typed() == before
        await driver.press("escape", *(["escape"] if screen.changed() else []))
        await driver.until(lambda: kept(path) == [])
