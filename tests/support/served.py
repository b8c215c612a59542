"""The server of browser sessions in this process, its sessions in processes of their own, and windows onto them."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from discox_tui.serve.links import Link, Links, Role
from discox_tui.serve.server import LIMITS, Limits, Server, run
from tests.support.drawn import Drawn

PATIENCE = 60.0
"""Seconds after which something that does not happen will not."""


class Window:
    """One page as a browser holds it: a web socket, and the terminal that it draws on."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, size: tuple[int, int]) -> None:
        self.socket = socket
        self.screen = Drawn(*size)

    async def read(self) -> bool:
        """Take one message; False once the socket is closed."""
        message = await asyncio.wait_for(self.socket.receive(), PATIENCE)
        if message.type is aiohttp.WSMsgType.BINARY:
            self.screen.draw(message.data)
        return message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT)

    async def sees(self, text: str) -> None:
        """Read until a text stands on the terminal."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not self.screen.shows(text):
                    assert await self.read(), f"closed with {self.socket.close_code} before {text!r}"
        except TimeoutError:
            raise AssertionError("\n".join(self.screen.rows)) from None

    async def type(self, text: str) -> None:
        """Type."""
        await self.socket.send_json(["stdin", text])

    async def closed(self) -> int | None:
        """Read until the socket is closed; return the code that the server gave."""
        while await self.read():
            pass
        return self.socket.close_code


@dataclass
class Served:
    """A running server: its address, the secrets by name, what it said, and a client."""

    base: str
    links: Links
    secrets: dict[str, str]
    client: aiohttp.ClientSession
    said: list[str] = field(default_factory=list)

    def url(self, name: str) -> str:
        return f"{self.base}/{self.secrets[name]}/"

    @property
    def pids(self) -> list[int]:
        """The processes that were started, in order."""
        return [int(found[1]) for line in self.said if (found := re.search(r"process (\d+)", line))]

    async def status(self, path: str, **options: Any) -> int:
        async with self.client.get(self.base + path, **options) as response:
            return response.status

    async def connect(self, name: str, size: tuple[int, int], origin: str | None) -> Window:
        url = f"{self.url(name)}ws?width={size[0]}&height={size[1]}"
        return Window(await self.client.ws_connect(url, max_msg_size=0, origin=origin), size)

    @asynccontextmanager
    async def window(self, name: str, size: tuple[int, int] = (120, 36)) -> AsyncIterator[Window]:
        """A window of somebody's, closed at the end."""
        window = await self.connect(name, size, self.base)
        try:
            yield window
        finally:
            await window.socket.close()

    async def gone(self, pid: int) -> None:
        """Wait until a process has ended."""
        async with asyncio.timeout(PATIENCE):
            while alive(pid):
                await asyncio.sleep(0.02)


def alive(pid: int) -> bool:
    """Tell if a process runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@asynccontextmanager
async def serving(library: Path, folder: Path, limits: Limits = LIMITS, **roles: Role) -> AsyncIterator[Served]:
    """Serve a library to people, each in a part, on a port that is free."""
    links = Links.of(library, folder)
    secrets = {name: links.give(name, role) for name, role in roles.items()}
    port = asyncio.get_running_loop().create_future()
    said: list[str] = []

    def arguments(link: Link) -> list[str]:
        return ["review", "--db", str(library), "--reviewer", link.name]

    server = Server(links, arguments, said.append, limits=limits)
    task = asyncio.create_task(run(server, "127.0.0.1", 0, port.set_result))
    try:
        async with aiohttp.ClientSession() as client:
            yield Served(f"http://127.0.0.1:{await port}", links, secrets, client, said)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
