"""Promises of browser sessions, on the wire: first paint of a page, key to frame with four busy, memory of each.

A page's first paint is the time from its request to the first frame that shows the queue, where nobody else works. Then
four reviewers press a key five times a second each, deciding and going back. A frame is what the server sends after a
key; what the browser takes to draw it (some ms) comes on top. The times are those of a wall clock, so they are worth
something on a quiet machine only.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import aiohttp

from benchmarks.figures import Figure, figure
from benchmarks.process import ROOT, environment

NAMES = ("ana", "ben", "cem", "dea")
PAUSE = 0.2
"""Seconds between two keys of one reviewer."""
KEYS = "a[x[" * 9
"""A verdict, back to the error, the opposite verdict, back: each changes what is shown."""
QUEUE = b"not opened"


async def _paint(client: aiohttp.ClientSession, url: str) -> tuple[aiohttp.ClientWebSocketResponse, float]:
    """Open a page; return its socket, and the milliseconds until it shows the queue."""
    origin = "/".join(url.split("/")[:3])
    started = time.perf_counter()
    async with client.get(url) as response:
        await response.read()
    socket = await client.ws_connect(f"{url}ws?width=140&height=40", origin=origin, max_msg_size=0)
    seen = b""
    while QUEUE not in seen:
        seen += (await socket.receive(60)).data
    return socket, (time.perf_counter() - started) * 1000


async def _press(socket: aiohttp.ClientWebSocketResponse, key: str) -> float:
    """Press a key; return the milliseconds until the first frame after it."""
    await _quiet(socket)
    started = time.perf_counter()
    await socket.send_json(["stdin", key])
    await socket.receive(60)
    return (time.perf_counter() - started) * 1000


async def _quiet(socket: aiohttp.ClientWebSocketResponse) -> None:
    """Wait between two keys, and take what comes meanwhile."""
    ends = time.perf_counter() + PAUSE
    while (left := ends - time.perf_counter()) > 0:
        try:
            await asyncio.wait_for(socket.receive(), left)
        except TimeoutError:
            return


async def _reviewing(socket: aiohttp.ClientWebSocketResponse) -> list[float]:
    await _press(socket, "\r")
    return [await _press(socket, key) for key in KEYS]


def _memory(pid: int) -> float:
    """Resident memory of a process in MB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _measure() -> list[Figure]:
    with TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "discox_tui", "serve", "--demo", "--port", "0", "--reviewers", ",".join(NAMES)),
            cwd=ROOT,
            env=environment(XDG_DATA_HOME=folder),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        urls = [(await process.stdout.readline()).decode().split(": ")[1].strip() for _ in NAMES]
        async with aiohttp.ClientSession() as client:
            warm, _ = await _paint(client, urls[0])  # what is imported for the first time is compiled
            await warm.close()
            opened = [await _paint(client, url) for url in urls]
            waits = [wait for each in await asyncio.gather(*(_reviewing(s) for s, _ in opened)) for wait in each]
            said = b""
            while said.count(b"came in") <= len(NAMES):
                said += await process.stderr.readline()
            memory = [_memory(int(pid)) for pid in re.findall(rb"process (\d+)", said)[1:]]
            for socket, _ in opened:
                await socket.close()
        process.send_signal(signal.SIGINT)
        await process.communicate()
    cuts = quantiles(waits, n=20, method="inclusive")
    return [
        figure("first paint of a page", median(paint for _, paint in opened), "ms", "≤ 1500"),
        figure("key to frame, four busy sessions, median", median(waits), "ms", "≤ 60"),
        figure("key to frame, four busy sessions, 95th percentile", cuts[-1], "ms", "≤ 150"),
        figure("memory of a session's process, the largest", max(memory), "MB", "≤ 90"),
    ]


def measure() -> list[Figure]:
    """Measure a server of the sample."""
    return asyncio.run(_measure())
