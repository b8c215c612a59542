"""Any keys and clicks in any order, as a cat on the keyboard gives them: no crash, and the file stays consistent."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest
from textual.geometry import Offset

from discox_tui.core.actions import ACTIONS
from storage.integrity.opening import open_library
from storage.reviews.projections import DERIVED, rebuild
from tests.support.driving import MIDDLE, SMALL, WIDE, library, opened
from tests.support.nightly import by_day
from tests.support.tables import dump

QUITS = {key for action in ACTIONS if action.id == "quit" for key in action.keys}
KEYS = sorted({key for action in ACTIONS for key in action.keys} - QUITS)
MORE = ["enter", "escape", "down", "up", "pagedown", "home", "end", "tab", "shift+tab", *"123456789", "ａ", "ｘ"]
MARKING = [
    "v",
    "right",
    "down",
    ")",
    "e",
    "e",
    *"0123",
    "p",
    "o",
    "i",
    "t",
    "x",
    "u",
    "r",
    "m",
    "=",
    "d",
    "R",
    "]",
    "enter",
]
SIZES = [WIDE, MIDDLE, SMALL, (60, 20), (59, 19), (200, 60)]


def keys(chance: random.Random) -> list[str]:
    return KEYS if chance.random() < 0.6 else MORE


@by_day(2)
@pytest.mark.parametrize(("seed", "marking"), [(0, False), (1, False), (2, False), (3, False), (4, True), (5, True)])
async def test_any_keys_in_any_order(sample: Path, tmp_path: Path, seed: int, marking: bool) -> None:
    """With all keys, or mostly those that mark errors; then the odd one begins with a blind pass."""
    chance = random.Random(seed)
    path = sample
    if seed % 2:
        path = tmp_path / "small.db"
        library(path, {}, {"state": "judge_failed"}, {"state": "no_translation", "translation": None, "found": ()})
    record = ("events", *DERIVED, "app_state")
    before = dump(path, without=record)
    async with opened(path, size=chance.choice(SIZES)) as driver:
        if marking:
            driver.app.session.blinding = "first" if seed % 2 else "open"
            await driver.press("enter")
        for _ in range(120):
            kind = chance.random()
            if kind < 0.05:
                await driver.pilot.resize_terminal(*chance.choice(SIZES))
            elif kind < 0.15:
                width, height = driver.app.size
                await driver.pilot.click(offset=Offset(chance.randrange(width), chance.randrange(height)))
            else:
                await driver.press(chance.choice(MARKING if marking and chance.random() < 0.8 else keys(chance)))
            assert driver.app.is_running
            assert driver.app.return_code is None
    assert dump(path, without=record) == before, "the judge's record is never touched"
    log = dump(path)["events"]
    derived = {name: dump(path)[name] for name in record[1:]}
    with closing(open_library(path)) as connection:
        rebuild(connection)
    assert dump(path)["events"] == log
    assert {name: dump(path)[name] for name in record[1:]} == derived
    async with opened(path) as driver:
        await driver.press("enter", "a")
        assert driver.app.is_running
