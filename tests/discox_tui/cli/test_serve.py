"""``discox serve``: what is said without the extra, who gets a link, taking one back, the address it listens on."""

from __future__ import annotations

import asyncio
import socket
from importlib.util import find_spec
from pathlib import Path

import pytest

from discox_tui.cli import serve as command
from discox_tui.cli.serve import ServeOptions
from storage.base.errors import StorageError
from storage.integrity.opening import open_library
from tests.conftest import Command

EXTRA = all(find_spec(each) is not None for each in command.NEEDED)
needs_extra = pytest.mark.skipif(not EXTRA, reason="the extra `serve` is not installed")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "data_directory", lambda: tmp_path / "data")


def test_without_the_extra_one_line_says_how_to_add_it(discox: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    result = discox("serve", "--demo")
    assert result.code == 1
    assert len(result.err.splitlines()) == 1
    for words in ("pip install", "uv tool install", "pipx inject"):
        assert f"{words}" in result.err
    assert result.err.count("textual-serve") == 4


def people(sample: Path, **options: object) -> dict[str, str]:
    from discox_tui.serve.links import Links

    connection = open_library(sample)
    links = Links.of(sample, sample.parent)
    try:
        return dict(command._people(ServeOptions(**options), connection, links))  # type: ignore[arg-type]
    finally:
        connection.close()


def test_who_gets_a_link(sample: Path, discox: Command) -> None:
    from discox_tui.serve.links import Links

    assert people(sample) == {"mei": "reviewer"}
    assert people(sample, reviewers=("lin",), lead="noor") == {"lin": "reviewer", "noor": "lead"}
    assert people(sample, read_only=True) == {"guest": "reader"}
    assert people(sample, read_only=True, reviewers=("lin",), lead="noor") == {"lin": "reader", "noor": "lead"}
    with pytest.raises(StorageError, match="nothing is planned yet"):
        people(sample, reviewers_from="plan")
    assert discox("plan", "--db", sample, "--reviewers", "ana,ben", "--number", 4).code == 0
    assert people(sample, reviewers_from="plan", lead="ana") == {"ana": "lead", "ben": "reviewer"}
    Links.of(sample, sample.parent).give("ana", "lead")
    assert people(sample) == {"ana": "lead"}
    assert people(sample, reviewer="zoe") == {"zoe": "reviewer"}


def test_names_are_read_once_each_with_any_comma() -> None:
    assert command.names("lin, okafor，林,lin") == ("lin", "okafor", "林")


@needs_extra
def test_a_link_is_taken_back_by_name(sample: Path, discox: Command, tmp_path: Path) -> None:
    from discox_tui.serve.links import Links

    links = Links.of(sample, tmp_path / "data" / "serve")
    secret = links.give("lin", "reviewer")
    result = discox("serve", "--db", sample, "--revoke", "lin")
    assert (result.code, "opens nothing any more" in result.out) == (0, True)
    links.read_anew()
    assert links.holder(secret) is None
    result = discox("serve", "--db", sample, "--revoke", "lin")
    assert (result.code, result.err.strip()) == (1, "discox: lin has no link; nobody has one")


@needs_extra
def test_a_port_that_is_taken_and_a_library_that_is_not_there(sample: Path, discox: Command, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = discox("serve", "--db", sample, "--port", taken.getsockname()[1])
    assert result.code == 1
    assert "name another with --host or --port" in result.err
    assert discox("serve", "--db", tmp_path / "none.db").code == 1
    assert discox("serve", "--db", sample, "--port", 70000).code == 2


@needs_extra
@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)])
def test_listening_for_others_is_said_aloud(
    sample: Path, discox: Command, monkeypatch: pytest.MonkeyPatch, host: str, warned: bool
) -> None:
    from discox_tui.serve import server

    async def ready_and_gone(made: object, host: str, port: int, ready: object) -> None:
        ready(8722)  # type: ignore[operator]
        raise asyncio.CancelledError

    monkeypatch.setattr(server, "run", ready_and_gone)
    result = discox("serve", "--db", sample, "--host", host, "--reviewers", "lin")
    assert result.code == 0
    assert f"lin: http://{host}:8722/" in result.out
    assert ("WARNING" in result.err and "encrypted" in result.err) == warned
    result = discox("serve", "--db", sample, "--public-url", "https://review.example.org/", "--lead", "lin")
    assert "lin (lead): https://review.example.org/" in result.out
