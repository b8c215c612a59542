"""The screen on which a model is asked, as tests go there and wait; and a server that answers once it is let."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from discox_tui.runs.model_run import ModelRun
from discox_tui.screens.common.dialogs import Choose
from discox_tui.screens.library.model_run import ModelRunScreen
from discox_tui.screens.library.queue import QueueScreen
from tests.support.driving import Driver
from tests.support.judge_script import ScriptedJudge
from tests.support.judging import MODEL, address
from tests.support.scripted_server import Response, ScriptedServer, chat, openai


class Gate:
    """A server that answers once it is let: so many answers, or all."""

    def __init__(self, says: Any = None) -> None:
        self.judge = ScriptedJudge(says or {})
        self._lock, self._left = threading.Lock(), 0
        self.open = False

    def let(self, answers: int) -> None:
        """Let so many more answers through."""
        with self._lock:
            self._left += answers

    def _may(self) -> bool:
        with self._lock:
            if not self.open and not self._left:
                return False
            self._left -= not self.open
            return True

    def __call__(self, body: dict[str, Any], number: int) -> Response:
        said = self.judge(body, number)
        return Response(body=chat(said) if isinstance(said, str) else said, when=self._may)


@contextmanager
def serving(script: Any) -> Iterator[ScriptedServer]:
    with ScriptedServer(openai(script)) as server:
        yield server


def settings(server: ScriptedServer | None = None, **more: Any) -> dict[str, Any]:
    """Settings as the app keeps them."""
    where = {} if server is None else {"base_url": address(server)}
    return {"provider": "openai", "model": MODEL, **where, **more}


async def model_screen(
    driver: Driver, words: str = "", key: str = "J", command: str = "judge", **values: Any
) -> ModelRunScreen:
    """Go from the queue, filtered by words, to the screen, with these settings."""
    queue = await driver.on(QueueScreen)
    driver.app.session.remember(f"{command} settings", values)
    if words:
        await driver.press("/")
        await driver.write(words)
        await driver.press("enter")
        assert queue.words == words
    await driver.press(key)
    return await driver.on(ModelRunScreen)


async def confirmed(driver: Driver) -> None:
    """Start, and say yes to what it costs."""
    await driver.press("s")
    await driver.on(Choose)
    await driver.press("1")
    await driver.on(ModelRunScreen)


def news(driver: Driver) -> str:
    """Return the lines under the settings."""
    from discox_tui.widgets.bars import TextBlock

    return driver.app.screen.query_one("#news", TextBlock).text


def run_of(driver: Driver) -> ModelRun:
    run = driver.app.model_run
    assert run is not None
    return run


async def ended(driver: Driver) -> None:
    await driver.until(lambda: run_of(driver).stage == "ended", "the run ends")
    await driver.until(lambda: driver.said or not driver.app.is_running, "that is said")
