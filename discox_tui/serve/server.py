"""The web server: a page for whoever has a link, a web socket for the page, and behind each one process."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import WSCloseCode, WSMsgType, web

from discox_tui.serve.links import ACCESS, Link, Links
from discox_tui.serve.process import AppProcess, read_message, size_within
from discox_tui.text.safe import safe

PAGE = Path(__file__).parent / "page"
ENDED, BROKE, IDLE, NO_LINK, TOO_MANY, NO_SENSE = range(4000, 4006)
"""Codes with which a socket is closed, for the page to say why."""
LARGEST_MESSAGE = 1 << 20
"""Bytes that a page may send at once: a long paste."""
ONE_LINK = 4
"""Pages that one link may have open at once."""
HEARTBEAT = 20.0
"""Seconds after which a page is asked whether it is still there."""
LOOK_AFTER = 2.0
"""Seconds between two looks at which links were revoked, and who has gone."""
FONT_SIZES = range(8, 49)
_HOST = re.compile(r"[\w.\-]+(?::\d+)?|\[[0-9a-fA-F:.]+\](?::\d+)?")
NOT_VALID = "This link is not valid. Ask whoever gave it to you for another one."


class Limits(NamedTuple):
    """The bounds of a server: pages open at once, and seconds after which one is ended in which nothing is typed."""

    sessions: int = 16
    idle: float = 3600.0


LIMITS = Limits()


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine's own, which nobody else reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bundled() -> dict[str, Path]:
    """Return the files that anybody may load, by name; no other path leads to any file."""
    spec = find_spec("textual_serve")
    assert spec is not None
    assert spec.submodule_search_locations
    static = Path(next(iter(spec.submodule_search_locations))) / "static"
    return {
        "textual.js": static / "js" / "textual.js",
        "xterm.css": static / "css" / "xterm.css",
        "mono.ttf": static / "fonts" / "RobotoMono-VariableFont_wght.ttf",
        "mono-italic.ttf": static / "fonts" / "RobotoMono-Italic-VariableFont_wght.ttf",
        **{name: PAGE / name for name in ("page.css", "page.js", "icon.svg")},
    }


@dataclass(eq=False)
class _Session:
    """One page that is open. ``over``: set once its process has ended."""

    link: Link
    socket: web.WebSocketResponse
    typed: float = field(default_factory=time.monotonic)
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Server:
    """The server of one library."""

    def __init__(
        self,
        links: Links,
        arguments: Callable[[Link], list[str]],
        say: Callable[[str], object],
        *,
        admits: Callable[[Link], bool] = lambda link: True,
        limits: Limits = LIMITS,
        public: str = "",
        title: str = "",
    ) -> None:
        """``arguments``: of ``discox``, for whoever has a link. ``say``: is given what the log should tell.

        ``admits``: whether a link is let in this time. ``public``: the address under which a proxy shows the server.
        ``title``: of the page, beside the name.
        """
        self._links, self._arguments, self._say, self._admits = links, arguments, say, admits
        self._limits, self._public, self._title = limits, public.rstrip("/"), title
        self._files = _bundled()
        self._sessions: set[_Session] = set()
        self._watch: asyncio.Task[None] | None = None

    def app(self) -> web.Application:
        """Return the application that answers requests."""
        app = web.Application(client_max_size=1 << 10, middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/static/{name}", self._file),
                web.get("/{secret:[A-Za-z0-9_-]{8,64}}/ws", self._socket),
                web.get("/{secret:[A-Za-z0-9_-]{8,64}}/", self._page),
                web.get("/{secret:[A-Za-z0-9_-]{8,64}}", self._slash),
            ]
        )
        app.on_startup.append(self._begin)
        app.on_shutdown.append(self._end)
        return app

    # --- requests ---

    @web.middleware
    async def _guard(self, request: web.Request, handler: Callable[..., object]) -> web.StreamResponse:
        """Answer with the headers that keep a page to itself; whatever is not there is a link that is not valid."""
        try:
            response: web.StreamResponse = await handler(request)  # type: ignore[misc]
        except web.HTTPNotFound:
            response = self._refusal()
        except web.HTTPException as error:
            response = web.Response(status=error.status, text=error.reason)
        if not response.prepared:
            self._protect(response, request)
        return response

    def _protect(self, response: web.StreamResponse, request: web.Request) -> None:
        host = request.host if _HOST.fullmatch(request.host) else "localhost"
        response.headers.update(
            {
                "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
                f"font-src 'self'; img-src 'self' data:; connect-src 'self' ws://{host} wss://{host}; "
                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Cross-Origin-Resource-Policy": "same-origin",
                "X-Robots-Tag": "noindex",
                "Server": "discox",
                "Cache-Control": response.headers.get("Cache-Control", "no-store"),
            }
        )

    def _link(self, request: web.Request) -> Link | None:
        self._links.read_anew()
        link = self._links.holder(request.match_info["secret"])
        return link if link is not None and self._admits(link) else None

    def _refusal(self, status: int = 403) -> web.Response:
        return _html("word.html", {"title": "discox", "said": NOT_VALID}, status)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        found = self._files.get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        return web.FileResponse(found, headers={"Cache-Control": "no-cache"})

    async def _slash(self, request: web.Request) -> web.StreamResponse:
        if self._link(request) is None:
            return self._refusal()
        return web.Response(status=308, headers={"Location": f"{request.path}/"})

    async def _page(self, request: web.Request) -> web.StreamResponse:
        link = self._link(request)
        if link is None:
            return self._refusal()
        size = request.query.get("size", "")
        values = {
            "title": " · ".join(filter(None, ("discox", self._title, link.name))),
            "said": "Connecting …",
            "size": size if size.isdecimal() and len(size) < 4 and int(size) in FONT_SIZES else "16",
        }
        return _html("page.html", values)

    def _is_ours(self, request: web.Request) -> bool:
        """Tell if a request comes from a page of this server, and not from another's that knows the link."""
        origin = request.headers.get("Origin", "")
        if self._public and origin == self._public:
            return True
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc == request.host

    # --- one page ---

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        link = self._link(request)
        if link is None or not self._is_ours(request):
            return self._refusal()
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT, max_msg_size=LARGEST_MESSAGE, compress=False)
        await socket.prepare(request)
        # A page that is loaded anew begins where the one before it ended, so that has to have ended.
        closing = [each.over.wait() for each in self._sessions if each.link == link and each.socket.closed]
        if closing:
            await asyncio.wait(map(asyncio.ensure_future, closing), timeout=HEARTBEAT)
        if len(self._sessions) >= self._limits.sessions or sum(e.link == link for e in self._sessions) >= ONE_LINK:
            await socket.close(code=TOO_MANY)
            return socket
        session = _Session(link, socket)
        self._sessions.add(session)
        try:
            await self._serve(session, size_within(_number(request, "width", 80), _number(request, "height", 24)))
        finally:
            self._sessions.discard(session)
            session.over.set()
        return socket

    async def _serve(self, session: _Session, size: tuple[int, int]) -> None:
        """Run a process for a page until either ends; nothing that goes wrong here touches another page."""
        link, socket = session.link, session.socket
        process = await AppProcess.start(
            self._arguments(link), ACCESS[link.role].as_environment(), size, partial(self._told, link)
        )
        self._say(f"{link.name} came in ({link.role}, process {process.pid})")
        showing = asyncio.create_task(self._show(process, socket))
        reading = asyncio.create_task(self._read(process, session))
        try:
            await asyncio.wait({showing, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended = showing.done()
            for task in (showing, reading):
                task.cancel()
                with suppress(asyncio.CancelledError, ConnectionError):
                    await task
            code = await asyncio.shield(process.end())
            if not socket.closed:
                await socket.close(code=BROKE if ended and code else ENDED)
            self._say(f"{link.name} left{f' (exit code {code})' if code else ''}")

    async def _show(self, process: AppProcess, socket: web.WebSocketResponse) -> None:
        """Let the page draw what the app writes. Addresses to open and files to save are not passed on."""
        async for kind, payload in process.packets():
            if kind == "D":
                await socket.send_bytes(payload)

    async def _read(self, process: AppProcess, session: _Session) -> None:
        """Let the app have what is done on the page, until that is closed."""
        async for message in session.socket:
            found = read_message(message.data) if message.type is WSMsgType.TEXT else None
            match found:
                case ["stdin", str(typed)]:
                    session.typed = time.monotonic()
                    await process.type(typed)
                case ["resize", (width, height)]:
                    await process.tell("resize", width=width, height=height)
                case ["ping", value]:
                    await session.socket.send_json(["pong", value])
                case ["focus" | "blur" as what]:
                    await process.tell(what)
                case _:
                    await session.socket.close(code=NO_SENSE)
                    return

    def _told(self, link: Link, line: str) -> None:
        self._say(f"{link.name}: {safe(line)}")

    # --- all pages ---

    async def _begin(self, _: web.Application) -> None:
        self._watch = asyncio.create_task(self._look())

    async def _end(self, _: web.Application) -> None:
        if self._watch is not None:
            self._watch.cancel()
        sessions = list(self._sessions)
        for each in sessions:
            await each.socket.close(code=WSCloseCode.GOING_AWAY)
        if sessions:
            await asyncio.wait([asyncio.ensure_future(each.over.wait()) for each in sessions], timeout=HEARTBEAT)

    async def _look(self) -> None:
        """End the pages whose link was revoked, or in which nothing was typed for long."""
        while True:
            await asyncio.sleep(LOOK_AFTER)
            with suppress(Exception):
                self._links.read_anew()
            held = {each.hash for each in self._links if not each.revoked}
            idle_since = time.monotonic() - self._limits.idle
            for each in list(self._sessions):
                if each.link.hash not in held:
                    await each.socket.close(code=NO_LINK)
                elif each.typed < idle_since:
                    await each.socket.close(code=IDLE)


def _number(request: web.Request, name: str, default: int) -> int:
    given = request.query.get(name, "")
    return int(given) if given.isdecimal() and len(given) < 5 else default


def _html(name: str, values: Mapping[str, str], status: int = 200) -> web.Response:
    text = (PAGE / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", escape(safe(value)))
    return web.Response(text=text, status=status, content_type="text/html")


async def run(server: Server, host: str, port: int, ready: Callable[[int], object]) -> None:
    """Serve until this is cancelled; ``ready`` is given the port. Raises OSError where it is taken."""
    runner = web.AppRunner(server.app(), access_log=None, handle_signals=False, shutdown_timeout=5)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        ready(runner.addresses[0][1])
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
