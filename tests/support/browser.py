"""A real Chromium, driven through its DevTools: pages to look at, type into and listen to. Tests skip where none is."""

from __future__ import annotations

import asyncio
import base64
import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

from tests.support.drawn import Drawn

PROGRAMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PATIENCE = 60.0
"""Seconds after which something that does not happen will not."""
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Backspace": (8, ""), "F5": (116, ""), "ArrowDown": (40, "")}


def chromium() -> str | None:
    """The path of a Chromium on this machine."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Page:
    """One tab. ``requests``: the addresses of all that it loaded; ``screen``: what its terminal was told to draw."""

    def __init__(self, browser: Browser, session: str, size: tuple[int, int]) -> None:
        self._browser, self._session = browser, session
        self.requests: list[str] = []
        self.problems: list[str] = []
        self.size = size
        self.screen = Drawn(300, 100)
        self.sent: list[str] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return await self._browser.call(method, self._session, **parameters)

    def hear(self, method: str, parameters: dict[str, Any]) -> None:
        match method:
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Network.webSocketCreated":
                self.requests.append(parameters["url"])
                self.screen = Drawn(300, 100)
            case "Network.webSocketFrameSent":
                self.sent.append(parameters["response"]["payloadData"])
            case "Network.webSocketFrameReceived" if parameters["response"]["opcode"] == 2:
                self.screen.draw(base64.b64decode(parameters["response"]["payloadData"]))
            case "Runtime.exceptionThrown":
                self.problems.append(str(parameters["exceptionDetails"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.problems.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")

    async def wait(self, happened: Callable[[], bool], what: str = "") -> None:
        """Wait until something is so."""
        async with asyncio.timeout(PATIENCE):
            while not happened():
                self._browser.heard.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._browser.heard.wait(), 0.5)

    async def sees(self, text: str) -> None:
        """Wait until a text stands on the terminal."""
        try:
            await self.wait(lambda: self.screen.shows(text))
        except TimeoutError:
            raise AssertionError("\n".join((text, *self.screen.rows))) from None

    async def run(self, script: str) -> Any:
        """Run a script, awaited, and return what it gives."""
        found = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def says(self, text: str) -> None:
        """Wait until the page itself, not the terminal, says something."""
        async with asyncio.timeout(PATIENCE):
            while text not in str(await self.run("document.body.className + document.body.innerText")):
                await asyncio.sleep(0.1)

    async def press(self, key: str, modifiers: int = 0) -> None:
        """Press a key: a character, or a name of ``KEYS``; modifiers: 1 alt, 2 ctrl, 8 shift."""
        code, text = KEYS.get(key, (ord(key.upper()[0]), key))
        text = "" if modifiers & 2 else text
        more = {"text": text} if text else {}
        values = {"key": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code, "modifiers": modifiers}
        await self.call("Input.dispatchKeyEvent", type="keyDown", **values, **more)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **values)

    async def compose(self, letters: str, text: str) -> None:
        """Type with an input method: letters that are under composition, then the text that they become."""
        for end in range(1, len(letters) + 1):
            await self.call("Input.imeSetComposition", text=letters[:end], selectionStart=end, selectionEnd=end)
        await self.call("Input.insertText", text=text)

    async def paste(self, text: str) -> None:
        """Put a text on the clipboard and paste it, as the browser's key does."""
        await self.run(f"navigator.clipboard.writeText({text!r})")
        command = {"commands": ["paste"]}
        await self.call(
            "Input.dispatchKeyEvent", type="rawKeyDown", key="v", windowsVirtualKeyCode=86, modifiers=2, **command
        )
        await self.call("Input.dispatchKeyEvent", type="keyUp", key="v", windowsVirtualKeyCode=86, modifiers=2)

    async def mouse(self, what: str, cell: tuple[float, float], **more: Any) -> None:
        """Do something with the mouse in the middle of a cell of the terminal (column, row)."""
        box = await self.run(
            "(({left, top, width, height}) => [left, top, width, height])"
            "(document.querySelector('.xterm-screen').getBoundingClientRect())"
        )
        columns, rows = await self.cells()
        x = box[0] + (cell[0] + 0.5) * box[2] / columns
        y = box[1] + (cell[1] + 0.5) * box[3] / rows
        await self.call("Input.dispatchMouseEvent", type=what, x=x, y=y, **more)

    async def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag from one cell to another."""
        held = {"button": "left", "buttons": 1, "clickCount": 1}
        await self.mouse("mouseMoved", start)
        await self.mouse("mousePressed", start, **held)
        await self.mouse("mouseMoved", ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), **held)
        await self.mouse("mouseMoved", end, **held)
        await self.mouse("mouseReleased", end, **held)

    async def cells(self) -> tuple[int, int]:
        """Columns and rows of the terminal, as it last said."""
        said = [each for each in self.sent if each.startswith('["resize"')][-1]
        found = re.findall(r"\d+", said)
        return int(found[0]), int(found[1])

    async def resize(self, width: int, height: int) -> None:
        """Give the window another size, in pixels."""
        self.size = (width, height)
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    async def picture(self, file: Path) -> None:
        """Write a picture of the page."""
        found = await self.call("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(found["data"]))

    async def reload(self) -> None:
        """Load the page anew."""
        await self.call("Page.reload", ignoreCache=True)

    async def close(self) -> None:
        """Close the tab."""
        await self.call("Page.close")


class Browser:
    """A running browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}
        self.heard = asyncio.Event()

    async def listen(self) -> None:
        async for message in self._socket:
            found = message.json()
            if "id" in found:
                self._waiting.pop(found["id"]).set_result(found)
            elif (page := self._pages.get(found.get("sessionId", ""))) is not None:
                page.hear(found["method"], found["params"])
            self.heard.set()

    async def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        self._number += 1
        answer = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        more = {"sessionId": session} if session else {}
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters, **more})
        found = await asyncio.wait_for(answer, PATIENCE)
        assert "error" not in found, (method, found)
        return dict(found["result"])

    async def open(self, url: str, size: tuple[int, int] = (1280, 800)) -> Page:
        """Open a tab at an address."""
        target = (await self.call("Target.createTarget", url="about:blank"))["targetId"]
        session = (await self.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = self._pages[session] = Page(self, session, size)
        for domain in ("Page", "Network", "Runtime", "Log"):
            await page.call(f"{domain}.enable")
        await page.resize(*size)
        await page.call("Emulation.setFocusEmulationEnabled", enabled=True)
        await page.call("Page.navigate", url=url)
        return page


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Browser]:
    """A browser with a profile in a folder, which may read and write the clipboard."""
    program = chromium()
    assert program is not None
    process = await asyncio.create_subprocess_exec(
        program,
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0"),
        f"--user-data-dir={folder}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        told = folder / "DevToolsActivePort"
        async with asyncio.timeout(PATIENCE):
            while not (told.exists() and len(told.read_text().split()) == 2):
                await asyncio.sleep(0.1)
        port, path = told.read_text().split()
        async with (
            aiohttp.ClientSession() as client,
            client.ws_connect(f"ws://127.0.0.1:{port}{path}", max_msg_size=0) as socket,
        ):
            browser = Browser(socket)
            listening = asyncio.create_task(browser.listen())
            await browser.call(
                "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"]
            )
            yield browser
            with suppress(Exception):
                await browser.call("Browser.close")
            listening.cancel()
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 10)
