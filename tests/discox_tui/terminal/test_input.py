"""What the app hears of what a terminal sends: keys are keys, and whatever else comes, in whatever pieces, is none."""

from __future__ import annotations

import inspect
import os
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import textual._parser
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import constants, events, messages
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.web_driver import WebDriver
from textual.message import Message

from discox_tui.terminal import input
from discox_tui.terminal.input import KEPT, LONGEST, PASTE_PATIENCE, PATIENCE, REST, TerminalParser
from tests.support.nightly import rounds

TICK = 0.1


class Line:
    """A line from a terminal: bytes in pieces, and time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.parser = TerminalParser()
        self.messages: list[Message] = []
        self._decode = getincrementaldecoder("utf-8")("surrogateescape").decode

    def send(self, *pieces: bytes | str, pause: float = 0.0) -> Line:
        for piece in pieces:
            if text := self._decode(piece if isinstance(piece, bytes) else piece.encode()):
                self.messages += self.parser.feed(text)
            self.wait(pause)
        return self

    def wait(self, seconds: float) -> Line:
        until = self.now + seconds
        while self.now < until:
            self.now = min(until, self.now + TICK)
            self.messages += self.parser.tick()
        return self

    @property
    def keys(self) -> list[str]:
        return [message.key for message in self.messages if isinstance(message, events.Key)]

    @property
    def typed(self) -> str:
        return "".join(m.character or "" for m in self.messages if isinstance(m, events.Key) and m.is_printable)

    @property
    def pasted(self) -> list[str]:
        return [message.text for message in self.messages if isinstance(message, events.Paste)]


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    made = Line()
    for module in (textual._parser, input):
        monkeypatch.setattr(module, "get_time", lambda: made.now)
    return made


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """New lines, as many as are asked for, which share their time."""

    def more() -> Iterator[Line]:
        while True:
            made = Line()
            for module in (textual._parser, input):
                monkeypatch.setattr(module, "get_time", lambda made=made: made.now)
            yield made

    return more()


REPLIES = {
    "OSC 11, BEL": "\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
    "OSC 10, ST": "\x1b]10;rgb:ffff/aaaa/bbbb\x1b\\",
    "OSC 4, C1 ST": "\x1b]4;1;rgb:cccc/0000/0000\u009c",
    "OSC in C1": "\u009d11;rgb:aaaa/aaaa/aaaa\u009c",
    "OSC 52": "\x1b]52;c;YXh3YXh3\x1b\\",
    "OSC 52, long": f"\x1b]52;c;{'QWF4' * 4096}\x07",
    "OSC 99, text": "\x1b]99;i=1:p=title;标题 axw ünï\x1b\\",
    "title": "\x1b]lagree a x w\x1b\\",
    "icon's title": "\x1b]Laxw\x1b\\",
    "primary attributes": "\x1b[?62;22c",
    "secondary attributes": "\x1b[>0;276;0c",
    "tertiary attributes": "\x1bP!|7E565445\x1b\\",
    "mode": "\x1b[?2004;1$y",
    "mode of ANSI": "\x1b[4;2$y",
    "size in cells": "\x1b[8;40;140t",
    "size in pixels": "\x1b[4;640;1120t",
    "size of a cell": "\x1b[6;16;8t",
    "state of the window": "\x1b[1t",
    "place of the window": "\x1b[3;10;20t",
    "cursor": "\x1b[12;40R",
    "cursor, DEC": "\x1b[?12;40;1R",
    "status": "\x1b[0n",
    "printer": "\x1b[?13n",
    "parameters": "\x1b[2;1;1;112;112;1;0x",
    "flags of the keyboard": "\x1b[?1u",
    "modifyOtherKeys": "\x1b[>4;2m",
    "DECRQSS": "\x1bP1$r0;1;31m\x1b\\",
    "DECRQSS, cursor": "\x1bP1$r2 q\x1b\\",
    "XTVERSION": "\x1bP>|xterm(390)\x1b\\",
    "XTGETTCAP": "\x1bP1+r544e=787465726d\x1b\\",
    "kitty graphics": "\x1b_Gi=31;OK\x1b\\",
    "APC in C1": "\u009fGi=31;OK\u009c",
    "PM": "\x1b^axw\x1b\\",
    "SOS": "\x1bXaxw\x1b\\",
    "checksum": "\x1bP1!~A3B2\x1b\\",
    "colour scheme": "\x1b[?997;1n",
    "unknown CSI": "\x1b[99~",
    "unknown CSI, private": "\x1b[=5;7}",
    "unknown CSI, intermediates": "\x1b[3;5 !q",
    "unknown CSI, subparameters": "\x1b[38:2::1:2:3m",
    "unknown SS3": "\x1bOz",
    "unknown SS3, C1": "\u008fz",
    "key of no code": "\x1b[57999u",
    "key of a code past the last": "\x1b[1114112u",
    "key of half a character": "\x1b[55357;2u",
    "key of a huge code": f"\x1b[{'9' * 90}u",
    "very long CSI": f"\x1b[{'1;' * KEPT}A",
    "mouse, oldest": "\x1b[M !!",
    "mouse, urxvt": "\x1b[32;10;10M",
    "focus": "\x1b[I",
    "focus lost": "\x1b[O",
    "stray ST": "\x1b\\",
}
KEYS = {
    "a": ["a"],
    "文": ["文"],
    "é": ["é"],
    "\r": ["enter"],
    "\t": ["tab"],
    "\x7f": ["backspace"],
    "]": ["right_square_bracket"],
    "\x1b[A": ["up"],
    "\x1b[1;5C": ["ctrl+right"],
    "\x1b[Z": ["shift+tab"],
    "\x1b[5~": ["pageup"],
    "\x1b[3~": ["delete"],
    "\x1b[15~": ["f5"],
    "\x1b[25~": ["f13"],
    "\x1b[[A": ["f1"],
    "\x1bOP": ["f1"],
    "\x1bOA": ["up"],
    "\x1bOM": ["enter"],
    "\x1bOk": ["plus"],
    "\x1ba": ["alt+a"],
    "\x1bf": ["ctrl+right"],
    "\x1b[97u": ["a"],
    "\x1b[97;;97u": ["a"],
    "\x1b[13u": ["enter"],
    "\x1b[27u": ["escape"],
    "\x1b[27;5;97~": ["ctrl+a"],
    "\x1b[1;1:1B": ["down"],
    "\x1b[97;1:3u": [],
}


@pytest.fixture(params=REPLIES.values(), ids=REPLIES.keys())
def reply(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_reply_is_no_key(line: Line, reply: str) -> None:
    line.send("a", reply, "b").wait(PATIENCE)
    assert line.keys == ["a", "b"]


def test_replies_that_a_program_in_between_wraps_are_no_keys(line: Line) -> None:
    line.send("\x1bPtmux;\x1b\x1b]11;rgb:0000/0000/0000\x07\x1b\\b", "\x1bP\x1b", pause=0.7).send("\x1b]11;x\x07c")
    assert line.keys == ["b", "c"]


def test_a_reply_cut_anywhere_is_no_key(lines: Iterator[Line], reply: str) -> None:
    data = reply.encode()
    for at in range(2, min(len(data), 60)):
        line = next(lines)
        line.send(data[:at], pause=0.7).send(data[at:], b"b").wait(PATIENCE)
        assert line.keys == ["b"], data[:at]


def test_a_reply_that_comes_byte_by_byte_is_no_key(lines: Iterator[Line], reply: str) -> None:
    if len(reply) < 100:
        line = next(lines)
        line.send(*(bytes([byte]) for byte in reply.encode()), pause=0.09).send("b").wait(PATIENCE)
        assert line.keys == ["b"]


@pytest.mark.parametrize(
    "reply", [text for text in REPLIES.values() if re.match(r"\x1b(\][\dl]|P1|P>|_G|\[[?>])", text)]
)
def test_behind_an_escape_that_was_taken_for_the_key_the_rest_is_no_keys(line: Line, reply: str) -> None:
    line.send(reply[:1], pause=0.5).send(reply[1:], "b").wait(PATIENCE)
    assert line.keys == ["escape", "b"]


@pytest.mark.parametrize("keys", ["]1", "]l", "[a", "P", "[1", "]x]w"])
def test_behind_the_escape_key_keys_are_keys(line: Line, keys: str) -> None:
    line.send("\x1b", pause=0.3).send(keys)
    assert line.typed == keys


@pytest.mark.parametrize(
    "begun", ["\x1b]11;rgb:axw", "\x1bP1$raxw", "\x1b_Gaxw", "\x1b[?62;2", "\x1b[", "\x1b]", "\x1b^", "\x9d1"]
)
def test_what_is_never_ended_is_given_up_and_is_no_keys(line: Line, begun: str) -> None:
    line.send(begun).wait(PATIENCE + 2 * TICK).send("b")
    assert line.keys == ["b"]


def test_what_never_ends_holds_keys_no_longer_than_a_while(line: Line) -> None:
    line.send("\x1b]11;")
    for _ in range(round(LONGEST / 0.5) + 1):
        line.send("x", pause=0.5)
    line.wait(REST + 2 * TICK).send("b")
    assert line.keys == ["b"]


def test_megabytes_that_never_end_are_no_keys(line: Line) -> None:
    line.send("\x1b]52;c;" + "axw" * (input.LENGTH // 2)).wait(REST + 2 * TICK).send("b")
    assert line.keys == ["b"]


@pytest.mark.parametrize("begun", ["\x1b]11;rgb:a", "\x1bP1$r", "\x1b[?62;2", "\x1b[12", "\x1b_G"])
@pytest.mark.parametrize("cancel", ["\x18", "\x1a"])
def test_what_is_cancelled_is_gone(line: Line, begun: str, cancel: str) -> None:
    line.send(f"{begun}{cancel}b")
    assert line.keys == ["b"]


@pytest.mark.parametrize("begun", ["\x1b]11;rgb:a", "\x1bP1$r", "\x1b[?62;2", "\x1b[12", "\x1b_G", "\x1bO"])
def test_a_sequence_ends_what_was_begun(line: Line, begun: str) -> None:
    line.send(f"{begun}\x1b[A{begun}\x1b]11;x\x07b")
    assert line.keys == ["up", "b"]


@pytest.mark.parametrize("begun", ["\x1b[12", "\x1b[?62;2"])
@pytest.mark.parametrize(("key", "name"), [("\r", "enter"), ("文", "文")])
def test_what_cannot_be_a_part_of_a_sequence_is_a_key(line: Line, begun: str, key: str, name: str) -> None:
    assert line.send(begun + key).keys == [name]


def test_thousands_of_sequences_in_one_another_are_no_matter(line: Line) -> None:
    line.send("\x1b]" * 5000 + "\x1bP" * 5000 + "\x1b[1" * 5000).wait(PATIENCE + TICK).send("b")
    assert line.keys == ["b"]


def test_the_escape_key_is_prompt(line: Line) -> None:
    assert line.send("\x1b").wait(constants.ESCAPE_DELAY).keys == ["escape"]


@pytest.mark.parametrize("letter", "axPXOM")
def test_alt_with_a_letter_stays_what_it_is(line: Line, letter: str) -> None:
    line.send(f"\x1b{letter}").wait(PATIENCE + TICK)
    assert line.keys == [f"alt+{'shift+' if letter.isupper() else ''}{letter.lower()}"]


@pytest.mark.parametrize("text", KEYS)
def test_keys_are_keys_however_they_are_cut(lines: Iterator[Line], text: str) -> None:
    data = text.encode()
    for at in range(1, len(data) + 1):
        line = next(lines)
        pause = 0.05 if data[:at] == b"\x1b" else 0.5
        assert line.send(data[:at], pause=pause).send(data[at:]).keys == KEYS[text]


def test_behind_a_text_that_is_a_whole_nothing_belongs_to_it() -> None:
    parser = TerminalParser()
    typed = ["\x1b", "]", "a\x1b", "[", "\x1b[A", "译\x1b", "\x1b"]
    keys = [[event.key for event in parser.whole(each) if isinstance(event, events.Key)] for each in typed]
    assert keys[:5] == [["escape"], ["right_square_bracket"], ["a", "escape"], ["left_square_bracket"], ["up"]]
    assert keys[5][-1:] + keys[6] == ["escape", "escape"]


def test_escape_twice_is_twice(line: Line) -> None:
    assert line.send("\x1b\x1b").wait(1).keys == ["escape", "escape"]


@pytest.mark.parametrize(
    ("report", "key", "character"),
    [
        ("\x1b[122:90;2;90u", "Z", "Z"),
        ("\x1b[122:90;2u", "Z", "Z"),
        ("\x1b[122::122;2;90u", "Z", "Z"),
        ("\x1b[122;2u", "Z", "Z"),
        ("\x1b[49:33;2u", "exclamation_mark", "!"),
        ("\x1b[97;1:1u", "a", "a"),
        ("\x1b[97;1:2u", "a", "a"),
        ("\x1b[97;:2u", "a", "a"),
        ("\x1b[97;65u", "A", "A"),
        ("\x1b[97;66u", "a", "a"),
        ("\x1b[97;129u", "a", "a"),
        ("\x1b[97;193;65u", "A", "A"),
        ("\x1b[97;69u", "ctrl+a", None),
        ("\x1b[97;133:1u", "ctrl+a", None),
        ("\x1b[97;3u", "alt+a", None),
        ("\x1b[1092::97;5u", "ctrl+a", None),
        ("\x1b[1092::97;1u", "ф", "ф"),
        ("\x1b[32;1;32u", "space", " "),
        ("\x1b[13;129u", "enter", "\r"),
        ("\x1b[13;1:2u", "enter", "\r"),
        ("\x1b[9;2u", "shift+tab", None),
        ("\x1b[27;129u", "escape", None),
        ("\x1b[57417;129u", "left", None),
        ("\x1b[57399;129;48u", "0", "0"),
        ("\x1b[1;129A", "up", None),
        ("\x1b[1;2:2A", "shift+up", None),
        ("\x1b[3;5:1~", "ctrl+delete", None),
        ("\x1b[27;2;65~", "A", "A"),
        ("\x1b[27;5;13~", "ctrl+enter", None),
    ],
)
def test_reports_of_keys_are_read(line: Line, report: str, key: str, character: str | None) -> None:
    (event,) = line.send(report).messages
    assert isinstance(event, events.Key)
    assert (event.key, event.character) == (key, character)


def test_text_that_an_input_method_made_is_typed(line: Line) -> None:
    assert line.send("\x1b[0;;20320:22909u").typed == "你好"


@pytest.mark.parametrize(
    "report", ["97;1:3u", "97;5:3u", "122:90;2:3;90u", "1;1:3A", "3;1:3~", "57441;2:3u", "13;1:3u"]
)
def test_a_key_let_go_is_no_key(line: Line, report: str) -> None:
    assert line.send(f"\x1b[{report}").messages == []


FIELD = st.text("0123456789:", max_size=12)


@given(st.lists(FIELD, max_size=5), st.sampled_from("u~ABCDEFHPQRS"))
@settings(max_examples=rounds(20, 20_000))
def test_no_report_raises(fields: list[str], final: str) -> None:
    for message in TerminalParser().feed(f"\x1b[{';'.join(fields)}{final}"):
        assert isinstance(message, events.Key)


# --- pastes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "a\x1b[Ab",
        "\x1b]11;x\x07",
        "\x1b",
        "\x1b[200~",
        "two\rlines",
        "文字 é",
        "\x1b[201",
        "\x18\x1a\x9c",
        "x" * 70_000,
    ],
)
def test_a_paste_is_text_escapes_and_all(lines: Iterator[Line], text: str) -> None:
    data = f"\x1b[200~{text}\x1b[201~b".encode()
    for at in (*range(2, min(len(data), 40)), len(data) - 3):
        line = next(lines)
        line.send(data[:at], pause=0.7).send(data[at:])
        assert (line.pasted, line.keys) == ([text], ["b"])


def test_a_paste_that_is_never_ended_is_given_out(line: Line) -> None:
    line.send("\x1b[200~axw\x1b[A").wait(PASTE_PATIENCE + 2 * TICK).send("b\x1b[201~c")
    assert (line.pasted, line.keys) == (["axw\x1b[A"], ["b", "c"])


def test_bytes_that_are_no_text_are_no_keys_and_no_crash(line: Line) -> None:
    line.send(b"a\xff\xe6\x96", b"b\xc0\xafc\xed\xa0\x80d", b"\x1b[200~p\xffq\x00\x1b[201~")
    assert line.keys == ["a", "b", "c", "d"]
    assert line.pasted == ["p\ufffdq"]


@pytest.mark.parametrize(
    "reply", [b"\x9d11;rgb:a/w/x\x9c", b"\x901$r0m\x9c", b"\x9b>0;276;0c", b"\x1b]11;a\x9c", b"\x9fGx\x9c", b"\x85"]
)
def test_raw_eight_bit_controls_are_read(line: Line, reply: bytes) -> None:
    assert line.send(reply + b"b\x9bA\x8fP").keys == ["b", "up", "f1"]


# --- sizes and the mouse ------------------------------------------------------------------------------------------


def sizes(line: Line) -> list[tuple[int, int]]:
    return [tuple(m.size) for m in line.messages if isinstance(m, events.Resize)]


def clicks(line: Line) -> list[tuple[int, int]]:
    return [(m.x, m.y) for m in line.messages if isinstance(m, events.MouseDown)]


SIZE = "\x1b[48;40;140;640;1120t"


@pytest.mark.parametrize(
    "report", [SIZE, "\x1b[48;40:1;140:0;640:3;1120t", "\x1b[48;40;140;0;0t", "\x1b[48;40;140;640;1120;7t"]
)
def test_the_mouse_is_in_cells_behind_a_size_report(line: Line, report: str) -> None:
    line.send(report, "\x1b[<0;10;30M")
    assert (sizes(line), clicks(line)) == ([(140, 40)], [(9, 29)])


@pytest.mark.parametrize(
    "report", ["48;0;0;0;0", "48;40", "48;40;0;640;1120", "48;99999;99999;1;1", "48;a;b;c;d", "48;;;;", "48;40;140;;"]
)
def test_a_size_that_is_none_changes_nothing(line: Line, report: str) -> None:
    line.send(f"\x1b[{report}t", "\x1b[<0;10;30M")
    assert (sizes(line), clicks(line)) == ([], [(9, 29)])


@pytest.mark.parametrize("setting", [1, 3])
def test_the_mouse_is_in_pixels_where_the_terminal_says_so(line: Line, setting: int) -> None:
    line.send(SIZE, f"\x1b[?1016;{setting}$y", "\x1b[<0;33;17M", "\x1b[<0;1113;625M")
    assert clicks(line) == [(4, 1), (139, 39)]


@pytest.mark.parametrize("setting", [0, 2, 4])
def test_the_mouse_stays_in_cells_where_the_terminal_says_so(line: Line, setting: int) -> None:
    line.send(SIZE, f"\x1b[?1016;{setting}$y", "\x1b[<0;150;30M", "\x1b[<0;10;30M")
    assert clicks(line)[1] == (9, 29)


def test_a_place_that_no_cell_has_is_in_pixels(line: Line) -> None:
    line.send(SIZE, "\x1b[<0;273;465M", "\x1b[<0;33;17M")
    assert clicks(line) == [(34, 29), (4, 1)]


def test_the_mouse_without_numbers_is_nothing(line: Line) -> None:
    assert line.send("\x1b[<M", "\x1b[<;;M", "\x1b[<0;-3;2M", "\x1b[<0;1;M").messages == []


def test_modes_that_were_asked_for_are_heard(line: Line) -> None:
    line.send("\x1b[?2026;2$y", "\x1b[?2048;2$y")
    assert [type(m) for m in line.messages] == [
        messages.TerminalSupportsSynchronizedOutput,
        messages.InBandWindowResize,
    ]


# --- any stream ---------------------------------------------------------------------------------------------------

PARAMETERS = st.text("0123456789;:<=>?", max_size=9)
UNKNOWN = st.one_of(
    st.builds(
        lambda p, i, f: f"\x1b[?{p}{i}{f}",
        PARAMETERS,
        st.text(' !"#$%&', max_size=2),
        st.sampled_from("abcghijkqrvw{|}~"),
    ),
    st.builds(
        lambda kind, text, end: f"\x1b{kind}{text}{end}",
        st.sampled_from("]P^_X"),
        st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x07\x18\x1a\x1b\x9c"), max_size=20),
        st.sampled_from(["\x07", "\x1b\\", "\x9c"]),
    ),
)
PIECE = st.one_of(
    st.sampled_from(sorted(REPLIES.values(), key=len)[:-1]).map(lambda text: (text, [])),
    UNKNOWN.map(lambda text: (text, [])),
    st.sampled_from(sorted(KEYS)).map(lambda text: (text, KEYS[text])),
)


@given(st.lists(PIECE, max_size=12), st.lists(st.integers(1, 40), min_size=1, max_size=20))
@settings(max_examples=rounds(20, 20_000))
def test_the_keys_that_come_out_are_the_keys_that_went_in(pieces: list[tuple[str, list[str]]], cuts: list[int]) -> None:
    data, line, at = "".join(text for text, _ in pieces).encode(), Line(), 0
    for size in cuts * len(data):
        line.send(data[at : at + size])
        at += size
        if at >= len(data):
            break
    assert line.keys == [key for _, keys in pieces for key in keys]


@given(st.lists(st.binary(max_size=30), max_size=20))
@settings(max_examples=rounds(20, 20_000))
def test_no_bytes_raise(pieces: list[bytes]) -> None:
    Line().send(*pieces)


# --- what is mended -----------------------------------------------------------------------------------------------

MENDED = {
    XTermParser.parse: "480166cfaf4c",
    XTermParser.parse_mouse_code: "6d1b429a3440",
    XTermParser._sequence_to_key_events: "f8fb9ab7c494",
    XTermParser._parse_extended_key: "f9e64ce78fbe",
    textual._parser.Parser.feed: "04224e0ac761",
    textual._parser.Parser.tick: "2d34da307341",
    App._handle_exception: "b4010995a00a",
    App._fatal_error: "29f9c6788a18",
    WebDriver.__init__: "80d56278c62b",
    WebDriver.start_application_mode: "f6607b60d0e2",
    WebDriver.stop_application_mode: "e0937d295ce2",
    WebDriver.run_input_thread: "2b7b7dc8d9db",
    WebDriver.on_meta: "6fb7258f50fe",
    WebDriver.write: "4efa549bddfd",
    WebDriver.write_meta: "fa54513688f7",
}
if os.name == "posix":
    from textual.drivers.linux_driver import LinuxDriver

    MENDED |= {
        LinuxDriver.__init__: "32c084d1d459",
        LinuxDriver.start_application_mode: "14de09353f78",
        LinuxDriver.stop_application_mode: "28ae66589c22",
        LinuxDriver.suspend_application_mode: "4e486ce22652",
        LinuxDriver._sigcont_application: "d4d670de073f",
        LinuxDriver._enable_mouse_pixels: "7910f75ca255",
        LinuxDriver._run_input_thread: "679bad44bc4c",
        LinuxDriver.run_input_thread: "4cda6f75a3f0",
        LinuxDriver.process_message: "d9416199f601",
    }


@pytest.mark.parametrize("function", MENDED, ids=lambda function: function.__qualname__)
def test_what_is_mended_of_textual_is_what_was_read(function: Callable[..., Any]) -> None:
    source = "".join(inspect.getsource(function).split())
    assert sha256(source.encode()).hexdigest()[:12] == MENDED[function], (
        f"textual {version('textual')} has another {function.__qualname__} than 8.2.8. Read it beside terminal_input.py and "
        "terminal_driver.py of discox_tui, mend these or drop them, then renew the digest here"
    )


def test_the_parser_of_textual_for_windows_is_the_one_that_is_replaced() -> None:
    source = (Path(textual.__file__).parent / "drivers" / "win32.py").read_text()
    assert "from textual._xterm_parser import XTermParser\n" in source
    assert "parser = XTermParser(" in source
