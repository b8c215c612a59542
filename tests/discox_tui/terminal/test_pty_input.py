"""What a terminal sends that is no key, to the real program: nothing is decided, nothing breaks, the mouse hits."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.discox_tui.terminal.test_pty import decided
from tests.support.driving import library
from tests.support.nightly import at_night, by_day

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pseudo-terminals")

if os.name == "posix":
    from tests.support.terminal import Terminal, running

REPLIES = {
    "background colour": b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
    "foreground colour": b"\x1b]10;rgb:ffff/aaaa/bbbb\x1b\\",
    "palette, 8 bits": b"\x1b]4;1;rgb:aaaa/aaaa/aaaa\x9c",
    "clipboard": b"\x1b]52;c;YXh3YXh3\x1b\\",
    "attributes": b"\x1b[>0;276;0c\x1b[?62;22c",
    "DECRQSS and XTVERSION": b"\x1bP1$r0;1m\x1b\\\x1bP>|xterm(390) axw\x1b\\",
    "title": b"\x1b]lagree axw\x1b\\",
    "sizes": b"\x1b[8;40;140t\x1b[4;640;1120t\x1b[12;40R",
    "unknown": b"\x1b[=7;7a\x1b[99~\x1bOz\x1b_Gi=1;axw\x1b\\",
    "no text": b"\xff\xfe\xe6\x96",
}
WAYS = ("one write", "split", "slow")


def deliver(terminal: Terminal, data: bytes, way: str) -> None:
    if way == "one write":
        terminal.send(data)
    elif way == "split":
        middle = len(data) // 2
        terminal.send(data[:middle])
        terminal.until(lambda: True)
        terminal.send(data[middle:])
    else:
        terminal.send_slowly(data, 0.002)


@by_day(1)
@pytest.mark.parametrize("way", WAYS)
def test_replies_of_the_terminal_decide_nothing(tmp_path: Path, way: str) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        for reply in REPLIES.values():
            deliver(terminal, reply, way)
        terminal.send("a")
        terminal.until("✓ 1 ")
        terminal.send("q")
        assert terminal.end() == 0
        assert terminal.left_on == []
    assert decided(tmp_path / "a.db") == [{"decision": "agree"}]


@at_night
@pytest.mark.parametrize("way", WAYS)
def test_key_reports_are_typed_into_a_note(tmp_path: Path, way: str) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send("n")
        terminal.until("Note on error 1")
        deliver(terminal, b"\x1b[97;1:3u\x1b[122:90;2;90u\x1b[98;1:1u\x1b[98;1:3u\x1b[49:33;2u\x1b[99;129;99u", way)
        terminal.until("Zb!c")
        deliver(terminal, b"\x1b[200~[\x1b[A\x1b]11;x\x07]\x1b[201~\x1b]11;rgb:a/w/x\x07\x1b[13;1:1u\x1b[13;1:3u", way)
        terminal.until("note Zb!c")
        terminal.send("q")
        assert terminal.end() == 0
    ((note,),) = [list(act.values()) for act in decided(tmp_path / "a.db")]
    assert note == "Zb!c[␛[A␛]11;x␇]"


@at_night
def test_a_string_that_never_ends_holds_the_keys_for_a_moment_only(tmp_path: Path) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send("\x1b]11;rgb:axw\x1b[B")  # a sequence that begins ends it: this is a key
        terminal.until("error 2/6")
        terminal.send("\x1bP1$raxw")
        while not decided(tmp_path / "a.db"):
            terminal.send("\x1b[A")  # ends it too
            terminal.until("error 1/6")
            terminal.send("a")
            terminal.until("✓ 1 ")
        terminal.send("q")
        assert terminal.end() == 0
    assert decided(tmp_path / "a.db") == [{"decision": "agree"}]


@at_night
@pytest.mark.parametrize(
    ("before", "scale"), [("", 1), ("\x1b[?2048;2$y\x1b[?1016;0$y", 1), ("\x1b[?2048;2$y\x1b[?1016;1$y", 8)]
)
def test_the_mouse_hits_behind_a_size_report(tmp_path: Path, before: str, scale: int) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        row = next(y for y, line in enumerate(terminal.rows) if re.match(r"\W*3 +[a-z]+ ", line))
        terminal.send(f"{before}\x1b[48;40;140;640;1120t")
        terminal.until(lambda: True)
        for number, y in ((3, row), (5, row + 2), (1, row - 2)):
            x, y = (20 * 8 + 5, y * 16 + 9) if scale > 1 else (21, y + 1)
            terminal.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
            terminal.until(f"error {number}/6")
        terminal.send("q")
        assert terminal.end() == 0
        assert terminal.left_on == []


def test_the_app_takes_the_size_that_the_terminal_reports(tmp_path: Path) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send("\x1b[48;10;30;0;0t")
        terminal.until("this terminal has 30 × 10")
        terminal.send("\x1b[48:0;40;140:1;640;1120t")
        terminal.until("error 1/6")
        terminal.send("q")
        assert terminal.end() == 0


@at_night
def test_the_size_is_followed_where_a_reply_said_that_it_would_be_reported(tmp_path: Path) -> None:
    first, _ = library(tmp_path / "a.db", {}, {})
    with running(tmp_path / "a.db", "review", first) as terminal:
        terminal.until("error 1/6")
        terminal.send("\x1b[?2048;2$y")  # another terminal's: this one reports nothing
        terminal.until(lambda: b"\x1b[?2048h" in terminal.output)
        terminal.resize(58, 15)
        terminal.until("this terminal has 58 × 15")
        terminal.resize(140, 40)
        terminal.until("error 1/6")
        terminal.send("q")
        assert terminal.end() == 0
        assert terminal.left_on == []
