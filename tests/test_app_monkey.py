"""Any keys and clicks in any order, as a cat on the keyboard gives them: no crash, and the file stays consistent."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest
from textual.geometry import Offset

from discox_tui.actions import ACTIONS
from storage.connection import open_database
from storage.review_log import DERIVED, rebuild

from .driving import MIDDLE, SMALL, WIDE, library, opened
from .tables import dump

QUITS = {key for action in ACTIONS if action.id == "quit" for key in action.keys}
KEYS = sorted({key for action in ACTIONS for key in action.keys} - QUITS)
MORE = ["enter", "escape", "down", "up", "pagedown", "home", "end", "tab", "shift+tab", *"123456789", "ａ", "ｘ"]
SIZES = [WIDE, MIDDLE, SMALL, (60, 20), (59, 19), (200, 60)]


@pytest.mark.parametrize("seed", range(4))
async def test_any_keys_in_any_order(sample: Path, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = sample
    if seed % 2:
        path = tmp_path / "small.db"
        library(path, {}, {"state": "judge_failed"}, {"state": "no_translation", "translation": None, "found": ()})
    record = ("events", *DERIVED, "app_state")
    before = dump(path, without=record)
    async with opened(path, size=chance.choice(SIZES)) as driver:
        for _ in range(120):
            kind = chance.random()
            if kind < 0.05:
                await driver.pilot.resize_terminal(*chance.choice(SIZES))
            elif kind < 0.15:
                width, height = driver.app.size
                await driver.pilot.click(offset=Offset(chance.randrange(width), chance.randrange(height)))
            else:
                await driver.press(chance.choice(KEYS if chance.random() < 0.6 else MORE))
            assert driver.app.is_running
            assert driver.app.return_code is None
    assert dump(path, without=record) == before, "the judge's record is never touched"
    log = dump(path)["events"]
    derived = {name: dump(path)[name] for name in record[1:]}
    with closing(open_database(path)) as connection:
        rebuild(connection)
    assert dump(path)["events"] == log
    assert {name: dump(path)[name] for name in record[1:]} == derived
    async with opened(path) as driver:
        await driver.press("enter", "a")
        assert driver.app.is_running
