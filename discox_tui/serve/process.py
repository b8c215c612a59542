"""One session's process, and the packets that Textual's web driver exchanges with whoever started it.

A packet is a letter (``D`` what a terminal would get or send, ``M`` JSON about it), its length in four bytes, itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

BEGIN = b"__GANGLION__\n"
"""The line with which the driver begins."""
LONGEST = 1 << 26
"""Bytes of a packet above which it is none."""
PATIENCE = 10.0
"""Seconds that a process has to end in order, before it is ended."""


class AppProcess:
    """An app that runs for one page."""

    def __init__(self, process: Process, say: Callable[[str], object]) -> None:
        """``say``: is given each line that the process says of itself."""
        self._process = process
        self._listener = asyncio.create_task(self._listen(say))

    @classmethod
    async def start(
        cls,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int],
        say: Callable[[str], object],
    ) -> AppProcess:
        """Start ``discox`` with arguments, no shell between, on a page of so many columns and rows."""
        columns, rows = size
        own = {
            "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "TERM_PROGRAM": "browser",
            "COLUMNS": str(columns),
            "ROWS": str(rows),
            **environment,
        }
        inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "discox_tui", *arguments),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=inherited | own,
            start_new_session=True,  # ctrl+c at the server is for the server
        )
        return cls(process, say)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    async def packets(self) -> AsyncIterator[tuple[str, bytes]]:
        """Yield what the app sends, until it ends."""
        assert self._process.stdout is not None
        output = self._process.stdout
        with suppress(asyncio.IncompleteReadError):
            if await output.readuntil(b"\n") != BEGIN:
                return
            while True:
                head = await output.readexactly(5)
                length = int.from_bytes(head[1:], "big")
                if length > LONGEST:
                    return
                yield head[:1].decode("latin-1"), await output.readexactly(length)

    async def type(self, text: str) -> None:
        """Send what was typed, pasted, or done with the mouse."""
        await self._send(b"D", text.encode("utf-8", "replace"))

    async def tell(self, what: str, **values: int) -> None:
        """Send word of something: ``resize`` with ``width`` and ``height``, ``focus``, ``blur``, ``quit``."""
        await self._send(b"M", json.dumps({"type": what, **values}).encode())

    async def _send(self, kind: bytes, payload: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(ConnectionError, RuntimeError):  # it has ended, which its output tells
            self._process.stdin.write(kind + len(payload).to_bytes(4, "big") + payload)
            await self._process.stdin.drain()

    async def end(self) -> int:
        """Let the app end in order, or else end it; return its exit code."""
        asking: tuple[Callable[[], Awaitable[None]], ...] = (partial(self.tell, "quit"), self._terminate, self._kill)
        for ask in asking:
            drained = asyncio.create_task(self._drain())
            try:
                await asyncio.wait_for(ask(), 1)
                await asyncio.wait_for(self._process.wait(), PATIENCE)
                break
            except TimeoutError:
                continue
            finally:
                drained.cancel()
        await asyncio.wait({self._listener}, timeout=1)
        self._listener.cancel()
        return self._process.returncode if self._process.returncode is not None else -1

    async def _terminate(self) -> None:
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _drain(self) -> None:
        """Read on and throw away: who writes to a full pipe does not end."""
        assert self._process.stdout is not None
        with suppress(Exception):
            while await self._process.stdout.read(1 << 16):
                pass

    async def _listen(self, say: Callable[[str], object]) -> None:
        assert self._process.stderr is not None
        with suppress(ValueError):  # a line without an end
            async for line in self._process.stderr:
                say(line.decode("utf-8", "replace").strip())


Message = list[Any]


def read_message(text: str) -> Message | None:
    """Return what a page sent, checked; None for what no page of ours sends."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match found:
        case ["stdin", str()] | ["ping", str() | int()] | ["focus"] | ["blur"]:
            return list(found)
        case ["resize", {"width": int() as width, "height": int() as height}]:
            return ["resize", size_within(width, height)]
    return None


def size_within(columns: int, rows: int) -> tuple[int, int]:
    """Return a size in cells that a page may have."""
    return max(20, min(columns, 500)), max(5, min(rows, 200))
