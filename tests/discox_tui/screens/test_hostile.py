"""Whatever a document, a judge, a file name or a reviewer holds, the app shows it literally and obeys none of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widgets import Input

from discox_tui.screens.common.dialogs import Ask, Choose
from discox_tui.screens.figures.consistency import ConsistencyScreen
from discox_tui.screens.library.import_report import ImportReportScreen
from discox_tui.screens.library.queue import QueueScreen
from discox_tui.screens.review.screen import ReviewScreen
from discox_tui.text.safe import display, safe
from discox_tui.widgets.bars import TextBlock
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.reviews.review_log import ReviewLog
from tests.support import builders
from tests.support.driving import SMALL, WIDE, Driver, library, opened
from tests.support.nightly import by_day

HOSTILE = {
    "markup": "[b]bold[/b] [red on blue]x[/] [/] [@click=app.quit]quit[/] [link=file:///etc]y",
    "unbalanced markup": "[/b] [b [[ ]] \\[x] [$error] {0} %s",
    "escapes": "a\x1b[2Jb\x1b]0;title\x07c\x1b[?1049ld",
    "clipboard": "a\x1b]52;c;SGVsbG8=\x07b\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
    "C1": "a\x9b2Jb\x9d0;t\x9cc\x85d\x90q\x9c",
    "bidi": "abc\u202edef\u2066ghi\u2069\u200f\u061cxyz",
    "controls": "a\tb\x00c\x07d\x08e\x7ff\x0bg\x0ch",
    "line ends": "a\rb\u2028c\u2029d",
    "emoji": "👩\u200d🔬 👍🏽 🇨🇳 ❤\ufe0f 1\ufe0f\u20e3 e\u0301\u0301\u0301 x\u034fy",
    "blank": "\u3164\u200b\ufeff\u00ad\u2060",
}
CONTROL = set(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0x202E, 0x2066, 0x200F, 0x061C]))


def assert_harmless(driver: Driver, width: int) -> None:
    """Nothing on screen can act on a terminal, and every row is as wide as the terminal."""
    for strip in driver.app.screen._compositor.render_strips():
        assert not set(strip.text) & CONTROL, strip.text
        assert safe(strip.text) == strip.text
        assert cell_len(strip.text) == width, strip.text
        for segment in strip:
            assert not segment.control
            assert segment.style is None or segment.style.link is None
            meta = {} if segment.style is None else segment.style.meta
            assert "@click" not in meta, "text became something to click on"


def shown(text: str, length: int = 6) -> str:
    """The beginning of a text as it is painted."""
    return display(text[:length])


def make(path: Path, text: str) -> None:
    """A library in which every text is the hostile one."""
    found = [
        replace(
            each,
            explanation=f"{text} {each.explanation}",
            hint=text,
            category=None if each.judge == "accuracy" else each.category,
            category_label=text,
            severity=None if each.index == 2 else each.severity,
            severity_label=text,
        )
        for each in builders.findings()
    ]
    library(
        path,
        {
            "article": text,
            "system": text,
            "source": f"{text}\n\n{builders.SOURCE}",
            "translation": f"{text}\n\n{builders.TRANSLATION}",
            "found": tuple(found),
        },
        {},
    )


@by_day(3)
@pytest.mark.parametrize("size", [SMALL, WIDE])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
async def test_hostile_text_is_shown_literally_everywhere(tmp_path: Path, text: str, size: tuple[int, int]) -> None:
    make(tmp_path / "a.db", text)
    reviewer = text.replace("\x00", "") or "x"
    async with opened(tmp_path / "a.db", reviewer=reviewer, size=size) as driver:
        await driver.on(QueueScreen)
        assert_harmless(driver, size[0])
        assert shown(text) in driver.text

        await driver.review()
        assert_harmless(driver, size[0])
        assert shown(text) in driver.lines[0], "the title"
        assert shown(text, 4) in display(driver.detail)
        for _ in range(6):
            await driver.press("]")
            assert_harmless(driver, size[0])
        await driver.press("tab")
        assert_harmless(driver, size[0])
        await driver.press("escape", "[", "w", "u")
        assert_harmless(driver, size[0])
        assert any(shown(text, 4) in display(message) for message in driver.said)
        await driver.press("r")
        assert_harmless(driver, size[0])

        await driver.press("[", "[", "[", "[", "[", "[", "=")
        await driver.on(Choose)
        assert_harmless(driver, size[0])
        await driver.press("escape", "n")
        ask = await driver.on(Ask)
        ask.query_one(Input).insert_text_at_cursor(text)
        await driver.pilot.pause()
        assert_harmless(driver, size[0])
        await driver.press("enter")
        await driver.on(ReviewScreen)
        assert_harmless(driver, size[0])
        assert f"note  {safe(text)}".strip() in driver.detail

        await driver.press("escape")
        await driver.on(QueueScreen)
        await driver.press("/")
        driver.app.screen.query_one("#filter", Input).insert_text_at_cursor(text)
        await driver.pilot.pause()
        assert_harmless(driver, size[0])
        await driver.press("escape", "c")
        screen = await driver.on(ConsistencyScreen)
        await driver.until(lambda: "Precision" in screen.query_one("#figures", TextBlock).text)
        assert_harmless(driver, size[0])


@pytest.mark.parametrize("text", [HOSTILE["markup"], HOSTILE["escapes"], HOSTILE["bidi"], HOSTILE["emoji"]])
async def test_hostile_files_are_shown_literally_in_the_import_report(tmp_path: Path, text: str) -> None:
    name = f"{text.replace('/', '|')[:60]}-DISCOXpartial.jsonl"
    file = tmp_path / name
    rows = [
        '{"error": "[red]x[/] \\u001b]52;c;x\\u0007 \\u202e", "traceback": ""}',
        "{broken",
        '{"\\u001b[2J": 1}',
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    with closing(open_library(tmp_path / "a.db")) as connection:
        report = import_path(connection, file)
        assert report.left_out == 3
    async with opened(tmp_path / "a.db") as driver:
        await driver.on(QueueScreen)
        await driver.press("i")
        screen = await driver.on(ImportReportScreen)
        assert_harmless(driver, WIDE[0])
        assert shown(name, 10) in driver.text
        await driver.press("down")
        assert "[red]x[/]" in screen.query_one("#whole", TextBlock).text
        assert_harmless(driver, WIDE[0])


async def test_what_is_pasted_is_harmless_and_decides_nothing(tmp_path: Path) -> None:
    library(tmp_path / "a.db", {})
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        before = driver.events
        await driver.write("\x1b[200~axw\x1b[201~")
        assert driver.events == before
        await driver.press("n")
        await driver.on(Ask)
        await driver.write("\x1b[200~a\x1b]52;c;x\x07b\u202ec\nd\x1b[201~")
        assert_harmless(driver, WIDE[0])
        await driver.press("enter")
        await driver.on(ReviewScreen)
        note = driver.verdict(1).note
        assert note is not None
        assert not set(note) & CONTROL


async def test_a_note_from_another_log_is_shown_literally(tmp_path: Path) -> None:
    (identity,) = library(tmp_path / "a.db", {})
    with closing(open_library(tmp_path / "a.db")) as connection:
        finding = connection.execute("SELECT id FROM findings WHERE number = 1").fetchone()[0]
        text = " ".join(HOSTILE.values())
        ReviewLog(connection, "mei").decide(identity, finding, decision="agree", note=text)
        ReviewLog(connection, "mei").set_state(identity, "skipped", text)
    async with opened(tmp_path / "a.db") as driver:
        await driver.review()
        await driver.press(*["["] * 6)
        assert_harmless(driver, WIDE[0])
        await driver.press("n")
        await driver.on(Ask)
        assert_harmless(driver, WIDE[0])
        await driver.press("enter")
        await driver.on(ReviewScreen)
        await driver.press("escape")
        await driver.on(QueueScreen)
        assert_harmless(driver, WIDE[0])


@by_day(3)
@pytest.mark.parametrize("size", [WIDE, SMALL])
@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("江" * 16_000, "x" * 16_000),
        ("“" * 8_000 + "江。" * 4_000, "word " * 3_200),
        ("👩\u200d🔬" * 3_000, "e\u0301" * 8_000),
        ("\n" * 16_000 + "江", " \n" * 8_000 + "x"),
        ("a\n" * 8_000, "\u200b" * 16_000),
    ],
    ids=["one word", "quotation marks", "emoji", "blank lines", "many lines"],
)
async def test_long_texts_are_shown(tmp_path: Path, source: str, translation: str, size: tuple[int, int]) -> None:
    library(tmp_path / "a.db", {"source": source, "translation": translation})
    async with opened(tmp_path / "a.db", size=size) as driver:
        screen = await driver.review()
        assert_harmless(driver, size[0])
        await driver.press("]", "]", "a")
        for pane in (screen.texts.source, screen.texts.translation):
            pane.action_scroll_end()
        await driver.pilot.pause()
        assert_harmless(driver, size[0])
        await driver.press("tab")
        assert_harmless(driver, size[0])


async def test_many_findings_on_one_spot(tmp_path: Path) -> None:
    found: Sequence[builders.Finding] = [replace(builders.findings()[0], index=n) for n in range(1, 200)]
    library(tmp_path / "a.db", {"found": tuple(found)})
    async with opened(tmp_path / "a.db") as driver:
        screen = await driver.review()
        text = screen.evaluation.translation or ""
        for expected in (2, 3, 4):
            await driver.click_text(screen.texts.translation, text.index("shallow"))
            await driver.until(lambda wanted=expected: driver.number == wanted)  # type: ignore[misc]
        assert_harmless(driver, WIDE[0])


async def test_an_evaluation_imported_but_not_located_opens(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        builders.add(connection)
        assert ground_pending(connection, tmp_path / "a.db").evaluations == 1
        other = builders.add(connection, system="later")
    async with opened(tmp_path / "a.db", start=other) as driver:
        screen = await driver.on(ReviewScreen)
        assert screen.evaluation.method
        assert "source ¶1 exact" in driver.detail
