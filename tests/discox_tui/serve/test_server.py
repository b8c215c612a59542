"""The server: who is let in, what they reach, and that no session touches another."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

aiohttp = pytest.importorskip("aiohttp")
pytest.importorskip("textual_serve")

from discox_tui.serve import server as serve_server  # noqa: E402 - only where the extra is installed
from discox_tui.serve.server import BROKE, ENDED, IDLE, NO_LINK, NO_SENSE, TOO_MANY, Limits  # noqa: E402
from tests.support.served import Served, alive, serving  # noqa: E402

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and process numbers are POSIX's")


def events(library: Path, reviewer: str) -> list[tuple[str, str]]:
    """Return the acts of a reviewer, as kinds and changes."""
    with closing(sqlite3.connect(library)) as connection:
        return connection.execute(
            "SELECT kind, changes FROM events WHERE reviewer = ? ORDER BY counter", (reviewer,)
        ).fetchall()


async def refused(served: Served, name: str, origin: str | None) -> int:
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        await served.connect(name, (80, 24), origin)
    return int(caught.value.status)


async def test_nothing_is_reached_without_a_link(sample: Path, tmp_path: Path) -> None:
    async with serving(sample, tmp_path / "state", lin="reviewer") as served:
        secret = served.secrets["lin"]
        assert await served.status(f"/{secret}/") == 200
        assert await served.status(f"/{secret}") == 200  # sent on to the one with a slash
        for path in (
            *("/", "/ws", f"/{secret[:-1]}/", f"/{secret.swapcase()}/", f"/{secret}/ws/x", "/static/", "/static/x.js"),
            *("/static/..%2fserver.py", "/static/%2e%2e/links.py", f"/{secret}/../../etc/passwd", "/download/x"),
        ):
            assert await served.status(path) == 403, path
        async with served.client.get(f"{served.base}/nobody-has-this-link/") as response:
            assert "not valid" in await response.text()
            assert response.headers["Referrer-Policy"] == "no-referrer"
        async with served.client.get(served.url("lin")) as response:
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert response.headers["Cache-Control"] == "no-store"
            page = await response.text()
            assert not re.search(r"(?:src|href)=\"(?!/static/)", page)
        for name in re.findall(r"/static/([\w.\-]+)", page):
            assert await served.status(f"/static/{name}") == 200
        served.secrets["stranger"] = "A" * 32
        assert await refused(served, "stranger", served.base) == 403
        assert await refused(served, "lin", None) == 403
        assert await refused(served, "lin", "https://elsewhere.example") == 403
        assert await refused(served, "lin", f"{served.base}.elsewhere.example") == 403
        assert served.pids == []


async def test_two_people_review_at_once_and_come_back_to_where_they_were(sample: Path, tmp_path: Path) -> None:
    async with serving(sample, tmp_path / "state", noor="reviewer", mei="reviewer") as served:
        async with served.window("noor") as noor, served.window("mei") as mei:
            await noor.sees("reviewer noor")
            await mei.sees("reviewer mei")
            await noor.type("\r")
            await noor.sees("error 1/7")
            await noor.type("aj")
            await noor.sees("✓ 1")
            await noor.sees("error 3/7")
            await mei.type("\x1b[B\r")
            await mei.sees("essay-02")
            await mei.type("x")
            await mei.sees("✗ 1")
        async with served.window("noor") as noor:  # as a page that is loaded anew
            await noor.sees("error 3/7")
            await noor.type("q")
            assert await noor.closed() == ENDED
        for pid in served.pids:
            await served.gone(pid)
    assert [kind for kind, _ in events(sample, "noor") if kind == "verdict"] == ["verdict"]
    assert ["not_an_error" in changes for kind, changes in events(sample, "mei") if kind == "verdict"] == [True]


async def test_a_process_that_breaks_takes_no_other_along(sample: Path, tmp_path: Path) -> None:
    async with (
        serving(sample, tmp_path / "state", noor="reviewer", mei="reviewer") as served,
        served.window("noor") as noor,
        served.window("mei") as mei,
    ):
        await noor.sees("reviewer noor")
        await mei.sees("reviewer mei")
        os.kill(served.pids[0], signal.SIGKILL)
        assert await noor.closed() == BROKE
        await mei.type("\r")
        await mei.sees("error 1/7")
        assert alive(served.pids[1])


async def test_limits_of_pages_messages_and_idle_time(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve_server, "LOOK_AFTER", 0.05)
    async with (
        serving(sample, tmp_path / "state", Limits(sessions=2), noor="reviewer", mei="reviewer") as served,
        served.window("noor") as noor,
        served.window("mei") as mei,
        served.window("mei") as third,
    ):
        assert await third.closed() == TOO_MANY
        await noor.socket.send_str('["stdin", 5]')
        assert await noor.closed() == NO_SENSE
        await mei.type("x" * (1 << 21))
        assert await mei.closed() == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
    async with serving(sample, tmp_path / "state", Limits(idle=0.2), noor="reviewer") as served:
        async with served.window("noor") as noor:
            assert await noor.closed() == IDLE
        await served.gone(served.pids[0])


async def test_a_link_that_is_taken_back_ends_its_pages(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve_server, "LOOK_AFTER", 0.05)
    async with serving(sample, tmp_path / "state", noor="reviewer", mei="reviewer") as served:
        async with served.window("noor") as noor:
            await noor.sees("reviewer noor")
            type(served.links).of(sample, tmp_path / "state").revoke("noor")  # another process of the lead's
            assert await noor.closed() == NO_LINK
        assert await served.status(f"/{served.secrets['noor']}/") == 403
        assert await served.status(f"/{served.secrets['mei']}/") == 200


async def test_who_only_looks_changes_nothing_and_nobody_asks_models_from_afar(sample: Path, tmp_path: Path) -> None:
    before = events(sample, "guest")
    async with serving(sample, tmp_path / "state", guest="reader") as served, served.window("guest") as guest:
        await guest.sees("reviewer guest")
        await guest.type("J")
        await guest.sees("Not through a link")
        await guest.type("p")
        await guest.sees("on the lead's")
        await guest.type("\r")
        await guest.sees("error 1/7")
        await guest.type("a")
        await guest.sees("only shows the library")
        assert guest.screen.shows("0/6")
    assert events(sample, "guest") == before


async def test_the_server_is_killed_and_starts_again_with_the_same_links(sample: Path, tmp_path: Path) -> None:
    async def start(port: int) -> tuple[asyncio.subprocess.Process, str]:
        command = ("-m", "discox_tui", "serve", "--db", str(sample), "--reviewers", "noor", "--port", str(port))
        environment = os.environ | {"XDG_DATA_HOME": str(tmp_path / "data")}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *command),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
        )
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
        return process, line.split(": ", 1)[1].strip()

    process, url = await start(0)
    async with aiohttp.ClientSession() as client:
        origin = re.match(r"https?://[^/]+", url)
        assert origin is not None
        served = Served(origin[0], None, {"noor": url.split("/")[3]}, client)  # type: ignore[arg-type]
        async with served.window("noor") as noor:
            await noor.sees("reviewer noor")
            await noor.type("\ra")
            await noor.sees("✓ 1")
            process.kill()
            assert process.stderr is not None
            said = (await process.stderr.read()).decode()
            pid = int(re.findall(r"process (\d+)", said)[0])
            await served.gone(pid)
        process, again = await start(int(origin[0].rsplit(":", 1)[1]))
        assert again == url
        async with served.window("noor") as noor:
            await noor.sees("error 2/7")
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
