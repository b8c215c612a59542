"""Every way out of the real program: its exit code, the terminal as it was found, the open note kept, the trace told."""

from __future__ import annotations

import os
import re
import signal
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from storage.integrity.opening import open_library
from tests.discox_tui.terminal.test_pty import decided
from tests.support.driving import library
from tests.support.nightly import at_night, by_day

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")

if os.name == "posix":
    from tests.support.terminal import PATIENCE, Terminal, running

SECRET = "one-that-nobody-may-read"
BREAK = f'raise RuntimeError("broken on purpose with key {SECRET} and sk-abcdefgh12345678")'
BROKEN = {
    "a key in a note": f"""
from discox_tui.screens.common.dialogs import SafeInput
def broken(self): {BREAK}
SafeInput.action_end = broken
""",
    "a worker in a note": f"""
from discox_tui.screens.common.dialogs import SafeInput
async def broken(): {BREAK}
SafeInput.action_end = lambda self: self.run_worker(broken())
""",
    "a timer in a note": f"""
from discox_tui.screens.common.dialogs import SafeInput
def broken(): {BREAK}
SafeInput.action_end = lambda self: self.set_timer(0.01, broken)
""",
    "the reading thread in a note": f"""
from discox_tui.terminal.input import TerminalParser
feed = TerminalParser.feed
def broken(self, data):
    if data == "\\x05": {BREAK}
    return feed(self, data)
TerminalParser.feed = broken
""",
    "a screen that opens": f"""
from discox_tui.screens.review.screen import ReviewScreen
def broken(self): {BREAK}
ReviewScreen.content = broken
""",
    "the beginning": f"""
from discox_tui.app import DiscoxApp
def broken(self): {BREAK}
DiscoxApp.on_mount = broken
""",
    "before the beginning": f"""
from discox_tui.app import DiscoxApp
def broken(self, *arguments, **options): {BREAK}
DiscoxApp.get_driver_class = broken
""",
}


def program(folder: Path, patch: str) -> tuple[str]:
    file = folder / "patched.py"
    file.write_text(f"{patch}\nfrom discox_tui.__main__ import main\nmain()\n")
    return (str(file),)


def begin_note(terminal: Terminal) -> None:
    terminal.until("error 1/6")
    terminal.send("n")
    terminal.until("Note on error 1")
    terminal.send("half a no")
    terminal.until("half a no")


def drafts(path: Path) -> list[str]:
    with closing(open_library(path)) as connection:
        return [row[0] for row in connection.execute("SELECT value FROM app_state WHERE key LIKE 'draft %'")]


def assert_kept(path: Path) -> None:
    """The note is offered where it was, goes on, and once it is stored nothing is kept of it."""
    assert decided(path) == []
    with running(path) as terminal:
        terminal.until("“half a no”")
        terminal.until("error 1/6")
        terminal.send("n")
        terminal.until("Note on error 1")
        terminal.send("te\r")
        terminal.until("note half a note")
        terminal.send("q")
        assert terminal.end() == 0
    assert decided(path) == [{"note": "half a note"}]
    assert drafts(path) == []


@pytest.fixture
def traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Path]]:
    """The traces of crashes, in a folder of the test's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SOME_API_KEY", SECRET)
    return lambda: sorted((tmp_path / "home").rglob("crash-*.txt"))


@by_day(1)
@pytest.mark.parametrize("kind", BROKEN)
def test_a_crash_is_a_crash(tmp_path: Path, kind: str, traces: Callable[[], list[Path]]) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with running(path, "review", first, program=program(tmp_path, BROKEN[kind])) as terminal:
        if "note" in kind:
            begin_note(terminal)
            terminal.send("\x05")
        assert terminal.end() == 1
        assert terminal.left_on == []
        output = bytes(terminal.output).decode()
        last = output[output.rfind("\x1b[?1049l") + 1 :]
    assert "Traceback" not in output
    assert SECRET not in output
    assert last.count("discox: the program broke (RuntimeError: broken on purpose") == 1
    (trace,) = traces()
    assert str(trace) in re.sub(r"\s", "", last)
    text = trace.read_text()
    assert "RuntimeError: broken on purpose" in text
    assert "in broken" in text
    assert SECRET not in text
    assert "sk-abcdefgh" not in text
    if sys.platform != "win32":
        assert stat.S_IMODE(trace.stat().st_mode) == 0o600
    if "note" in kind:
        assert_kept(path)


@by_day(1)
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_it_in_order(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with running(path, "review", first) as terminal:
        begin_note(terminal)
        terminal.process.send_signal(getattr(signal, name))
        assert terminal.end() == 128 + getattr(signal, name)
        assert terminal.left_on == []
    assert_kept(path)


@at_night
def test_where_the_terminal_goes_the_program_ends(tmp_path: Path) -> None:
    """Nothing tells it but what it reads and writes: the terminal is not the one that controls it."""
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    ignoring = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)"
    with running(path, "review", first, program=program(tmp_path, ignoring)) as terminal:
        begin_note(terminal)
        assert terminal.hang_up() == 129
    assert_kept(path)


@at_night
def test_an_ignored_hangup_stays_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    ignoring = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)"
    with running(path, "review", first, program=program(tmp_path, ignoring)) as terminal:
        terminal.until("error 1/6")
        terminal.process.send_signal(signal.SIGHUP)
        terminal.send("a")
        terminal.until("✓ 1 ")
        terminal.send("q")
        assert terminal.end() == 0


@at_night
def test_what_was_typed_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with running(path, "review", first) as terminal:
        begin_note(terminal)
        terminal.until(lambda: any("half a no" in draft for draft in drafts(path)))
        terminal.kill()
    assert_kept(path)


@at_night
def test_ended_while_it_is_stopped_it_does_not_take_the_terminal_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    with running(path, "review", first) as terminal:
        begin_note(terminal)
        terminal.process.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        terminal.until(lambda: True)
        before = len(terminal.output)
        terminal.process.send_signal(signal.SIGTERM)
        terminal.process.send_signal(signal.SIGCONT)
        assert terminal.end() == 143
        assert terminal.left_on == []
        assert b"\x1b[?1049h" not in terminal.output[before:]
    assert_kept(path)


@at_night
@pytest.mark.parametrize(
    "hanging",
    [
        "import time\nfrom discox_tui.screens.common.dialogs import SafeInput\nSafeInput.action_end = lambda self: time.sleep(999)",
        "from discox_tui.screens.common.dialogs import SafeInput\n"
        "SafeInput.action_end = lambda self: [self.app._driver.write(' ' * 9999) for _ in range(999)]",
    ],
    ids=["busy", "a terminal that reads nothing"],
)
def test_one_that_hangs_is_ended_all_the_same(tmp_path: Path, hanging: str) -> None:
    path = tmp_path / "a.db"
    first, _ = library(path, {}, {})
    patch = f"{hanging}\nfrom discox_tui.terminal import signals\nsignals.HANGS = 0.2"
    with running(path, "review", first, program=program(tmp_path, patch)) as terminal:
        begin_note(terminal)
        terminal.until(lambda: drafts(path))
        terminal.send("\x05")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(PATIENCE) == 143
        assert terminal.end() == 143
        assert "termios" not in terminal.left_on
    assert_kept(path)


@by_day(1)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_without_one_of_its_streams_it_opens_no_app(tmp_path: Path, closed: str) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    shell = "import os, sys; os.execvp('sh', ['sh', '-c', sys.argv[1], *sys.argv[2:]])"
    command = f'exec "{sys.executable}" -m discox_tui "$0" "$@" {closed}'
    with running(tmp_path / "a.db", "review", first, program=("-c", shell, command)) as terminal:
        assert terminal.end() == 1
        assert b"Traceback" not in terminal.output
        assert ("needs a terminal" in terminal.text) == (closed != "2>&-")
