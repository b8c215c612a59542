"""A parser of terminal input by the grammar of ECMA-48: a key is a key, a reply of the terminal is nothing.

The parser of Textual 8.2 (seen in 8.2.0 to 8.2.8) goes by lists of what it knows. What it does not find there it gives
out as keys, letter by letter, so that a late answer to a question which tmux or another program asked decides things.
It also raises ValueError for key reports with an event type or an alternate key, drops the shift of others, turns the
escapes in a paste into ``^``, and takes every mouse report behind a size report for pixels. Once Textual swallows what
it does not know (docs/dependencies.md says what we propose), this module and ``Terminal.run_input_thread`` can go.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator

from textual import constants, events, messages
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual._parser import ParseEOF, ParseTimeout, Peek1, Read1, TokenCallback
from textual._time import get_time
from textual._xterm_parser import IS_ITERM, XTermParser
from textual.keys import Keys
from textual.message import Message

PATIENCE = 1.0
"""Seconds without a byte after which a sequence that has begun is given up, and with it what came of it."""
LONGEST = 5.0
"""Seconds, and ``LENGTH`` characters, after which a sequence is given up at the first short rest."""
LENGTH = 1 << 20
REST = 0.3
"""Seconds of that rest: longer than pauses within what a program sends, shorter than a person's between two keys."""
PASTE_PATIENCE = 3.0
"""Seconds without a byte after which a paste that was never ended is given out: text is not thrown away."""
KEPT = 256
"""Characters of a control sequence that are looked at. None that is known is as long."""
MOST_CELLS = 4096
"""Columns, or rows, above which a size report is no size."""

Reading = Generator[Read1 | Peek1, str, str]

_ESC = "\x1b"
_CANCEL = "\x18\x1a"
_STRINGS = "P]X^_"
"""Characters that begin, after an escape, DCS, OSC, SOS, PM and APC strings."""
_END_OF_STRING = "\x07\x9c\udc9c" + _CANCEL
_EIGHT_BIT = {chr(base + code): chr(code - 0x40) for code in range(0x80, 0xA0) for base in (0, 0xDC00)}
"""C1 controls, as characters and as bytes that are no UTF-8 → what stands for them after an escape."""
_PASTE, _PASTE_END = "\x1b[200~", "\x1b[201~"
_X10_MOUSE, _LINUX_CONSOLE, _SS3 = "\x1b[M", "\x1b[[", "\x1bO"
_REPORT = re.compile(r"(\d*)(?::(\d*))?(?::(\d*))?(?:;(\d*)(?::(\d*))?(?:;([\d:]*))?)?")
"""key : shifted : base ; modifiers : event ; text, of which most may be absent."""
_MODE = re.compile(r"\?(\d+);(\d)\$")
_PLACE = re.compile(r"(\d+);(\d+)")
_MOUSE = re.compile(r"<\d+;(-?\d+);(-?\d+)")
_LATE_REST = re.compile(
    r"\]\d+; | \][lL][^\x07\x1b]*(?:\x07|\x1b\\) | P[\d>!]+[$+|~] | _G | \[[<=>?]\d | \[\d+;\d+ | \[20[01]~", re.VERBOSE
)
"""The rest of a sequence whose escape came so early that it counted as a key. Nobody types so in one go."""

SHIFT, ALT, CAPS_LOCK = 1, 2, 64
LOCKS = CAPS_LOCK | 128
FOR_FUNCTIONS = range(0xE000, 0xF900)
"""Code points that stand for keys, as the keyboard protocol has it; which, is in Textual's list."""


def _character(code: int) -> str | None:
    """The character of a code point that somebody may type; None where it is none."""
    if code > 0x10FFFF or code in FOR_FUNCTIONS or not chr(code).isprintable():
        return None
    return chr(code)


def plain_report(body: str, final: str) -> str | None:
    """Return the report of a key as Textual reads it, "" for a key let go, None for what is no report of a key.

    Of what lies between ``CSI`` and its end: events but the release, locks and alternate keys are left out; where the
    terminal does not say which text a key gives, it is what the key and its shift give. ``CSI 27 ; m ; c ~`` (xterm's)
    becomes ``CSI c ; m u``.
    """
    match = _REPORT.fullmatch(body) if final in "u~ABCDEFHPQRS" else None
    if match is None:
        return None
    code, shifted, base, modifiers, event, text = match.groups(default="")
    if (code, final) == ("27", "~") and text:
        code, text, final = text, "", "u"
    if not code.isdecimal():
        code = "" if final in "u~" else "1"
    bits = int(modifiers or "1") - 1
    if not code or event not in ("", "1", "2", "3") or bits > 255:
        return None
    key, bits = int(code), max(0, bits)
    typed = [_character(int(each)) for each in text.split(":") if each]
    commanding = bits & ~(SHIFT | LOCKS)
    known = f"{key}{final}" in FUNCTIONAL_KEYS
    if not known and (final != "u" or not (_character(key) or typed)):
        return None
    if event == "3":
        return ""
    if None in typed or commanding & ~ALT:
        typed = []
    if not known and not typed and (character := _character(key)):
        if commanding:
            key = int(base) if base and not character.isascii() and _character(int(base)) else ord(_low(character))
        elif bits & SHIFT and shifted and (other := _character(int(shifted))):
            typed = [other]
        elif not bits & SHIFT or character.isalpha():
            typed = [_high(character) if bool(bits & SHIFT) != bool(bits & CAPS_LOCK) else character]
    bits &= ~LOCKS
    text = ":".join(str(ord(each)) for each in typed if each)
    return f"{_ESC}[{key};{bits + 1 if bits else ''};{text}{final}"


def _low(character: str) -> str:
    return character.lower() if len(character.lower()) == 1 else character


def _high(character: str) -> str:
    return character.upper() if len(character.upper()) == 1 else character


class TerminalParser(XTermParser):
    """A parser of a terminal's input that swallows whole what is no key, no mouse, no paste and no size.

    Fed with text in which bytes that are no UTF-8 are lone surrogates (``errors="surrogateescape"``).
    """

    _ahead: tuple[str, ...] = ()
    """Characters that were read ahead."""
    _escaped = 0.0
    """Time at which an escape that nothing followed was given out as a key."""
    _read_at = 0.0
    _told_mouse = False
    """True once the terminal has said in which unit it measures the mouse's place."""

    def feed(self, data: str) -> Iterable[Message]:
        """Read a text; what can only be the rest of a sequence gets its escape back, which was taken for a key."""
        if data and self._escaped:
            if get_time() - self._escaped < PATIENCE and _LATE_REST.match(data):
                data = _ESC + data
            self._escaped = 0.0
        self._read_at = get_time()
        return self._stamped(super().feed(data))

    def tick(self) -> Iterable[Message]:
        """Return what turned out to be an event since nothing followed: an escape."""
        return self._stamped(super().tick())

    def whole(self, data: str) -> list[Message]:
        """Read a text to which nothing that follows belongs: an escape at its end is the key, and no beginning."""
        found = [*self.feed(data)]
        if data.endswith(_ESC) and self._timeout_time is not None:
            self._timeout_time = get_time()
            found += self.tick()
            self._escaped = 0.0
        return found

    def _stamped(self, messages: Iterable[Message]) -> list[Message]:
        """Let events bear the time of their read, whenever they are made or handed on (``typeahead`` goes by it)."""
        found = list(messages)
        for message in found:
            message.time = self._read_at
        return found

    def parse(self, token_callback: TokenCallback[Message]) -> Generator[Read1 | Peek1, str, None]:
        """Give the keys, pastes, mouse and size reports of what is read to the callback."""
        try:
            while True:
                character = yield from self._next()
                if character == _ESC:
                    yield from self._escape(token_callback)
                elif introducer := _EIGHT_BIT.get(character):
                    yield from self._introduced(introducer, token_callback)
                elif not "\ud800" <= character <= "\udfff":
                    for key in self._sequence_to_key_events(character):
                        self._give(key, token_callback)
        except ParseEOF:
            return

    def _next(self, patience: float | None = None) -> Reading:
        """The next character. Raises ParseTimeout where none comes in so many seconds."""
        if self._ahead:
            character, *rest = self._ahead
            self._ahead = tuple(rest)
            return character
        return (yield Read1(patience))

    @staticmethod
    def _patience(since: float, length: int) -> float:
        return PATIENCE if get_time() - since < LONGEST and length < LENGTH else REST

    @staticmethod
    def _give(key: events.Key, give: TokenCallback[Message]) -> None:
        if key.key != Keys.Ignore:
            give(key)

    def _escape(self, give: TokenCallback[Message]) -> Generator[Read1 | Peek1, str, None]:
        """After an escape: a sequence, a key with alt, or the escape key."""
        try:
            character = yield from self._next(constants.ESCAPE_DELAY)
        except ParseTimeout:
            self._escaped = get_time()
            give(events.Key("escape", _ESC))
            return
        if character in (*_STRINGS, "[", "O"):
            yield from self._introduced(character, give)
        elif character == _ESC or character in _EIGHT_BIT:
            give(events.Key("escape", _ESC))
            self._ahead = (character, *self._ahead)
        elif character not in "\\" + _CANCEL and not "\ud800" <= character <= "\udfff":
            self._alt(character, give)

    def _alt(self, character: str, give: TokenCallback[Message]) -> None:
        keys = list(self._sequence_to_key_events(_ESC + character))
        for key in keys or self._sequence_to_key_events(character, alt=True):
            self._give(key, give)

    def _introduced(self, introducer: str, give: TokenCallback[Message]) -> Generator[Read1 | Peek1, str, None]:
        """A sequence or string, from what follows its introducer to its end."""
        sequence, since, length = _ESC + introducer, get_time(), 0
        if introducer not in (*_STRINGS, "[", "O"):
            return
        try:
            if introducer in _STRINGS:
                while (character := (yield from self._next(self._patience(since, length)))) not in _END_OF_STRING:
                    length += 1
                    if character == _ESC:
                        while (following := (yield from self._next(PATIENCE))) == _ESC:
                            pass  # programs in between double it
                        if following != "\\":  # another sequence begins
                            self._ahead = (_ESC, following, *self._ahead)
                        return
                return
            while True:
                character = yield from self._next(self._patience(since, length))
                length += 1
                if not " " <= character <= "~":  # which cannot be a part of it
                    if character not in _CANCEL:
                        self._ahead = (character, *self._ahead)
                    return
                sequence += character if length <= KEPT else ""
                if (character not in "0123456789;" if introducer == "O" else character >= "@") and (
                    sequence != _LINUX_CONSOLE
                ):
                    break
            if sequence == _X10_MOUSE:
                yield from self._three_bytes()
            elif sequence == _PASTE:
                yield from self._paste(give)
            elif length <= KEPT:
                for token in self._whole(sequence):
                    give(token)
        except ParseTimeout:
            if introducer in "PXO" and not length:
                self._alt(introducer, give)

    def _three_bytes(self) -> Generator[Read1 | Peek1, str, None]:
        """Pass over the rest of the oldest kind of mouse report. Textual does not read it; they are no keys."""
        left = 3
        while left > 0:
            character = yield from self._next(PATIENCE)
            if character == _ESC:
                self._ahead = (character, *self._ahead)
                return
            left -= 1 if character >= "\ud800" else len(character.encode())

    def _paste(self, give: TokenCallback[Message]) -> Generator[Read1 | Peek1, str, None]:
        """Everything up to the end of a paste, escapes and all."""
        text: list[str] = []
        try:
            while text[-1:] != ["~"] or "".join(text[-len(_PASTE_END) :]) != _PASTE_END:
                text.append((yield from self._next(PASTE_PATIENCE)))
            del text[-len(_PASTE_END) :]
        except ParseTimeout:
            pass
        pasted = re.sub("[\ud800-\udfff]", "\ufffd", "".join(text).replace("\x00", ""))
        if pasted:
            give(events.Paste(pasted))

    # --- sequences that are whole ---

    def _whole(self, sequence: str) -> Iterator[Message]:
        """Yield the events that a sequence stands for; mostly none."""
        body, final = sequence[2:-1], sequence[-1]
        if sequence == "\x1b[I":
            yield events.AppFocus()
        elif sequence == "\x1b[O":
            yield events.AppBlur()
        elif sequence.startswith(_SS3):
            yield from (key for key in self._sequence_to_key_events(sequence) if key.key != Keys.Ignore)
        elif body[:1] in ("<", "=", ">", "?"):
            if final in "mM" and (place := _MOUSE.fullmatch(body)):
                yield from self._mouse(sequence, int(place[1]), int(place[2]))
            elif final == "y" and (mode := _MODE.fullmatch(body)):
                yield from self._mode(mode[1], int(mode[2]))
        elif final == "t" and body.startswith("48;"):
            yield from self._size(body)
        elif final == "R" and _PLACE.fullmatch(body):
            return  # where the cursor is, rather than f3 with shift, which some send so and nothing here is bound to
        elif (report := plain_report(body, final)) is not None:
            for key in self._parse_extended_key(report) or ():
                yield key.copy()
        elif isinstance(keys := ANSI_SEQUENCES_KEYS.get(sequence), tuple):
            yield from (events.Key(key.value, None) for key in keys)

    def _mode(self, mode: str, setting: int) -> Iterator[Message]:
        """Yield the events that a mode's state stands for: 1 and 3 are set, 2 and 4 are not, 0 is not known."""
        if mode == "2026" and setting:
            yield messages.TerminalSupportsSynchronizedOutput()
        elif mode == "2048" and constants.SMOOTH_SCROLL and not IS_ITERM:
            yield messages.InBandWindowResize.from_setting_parameter(setting)
        elif mode == "1016":
            self._told_mouse, self.mouse_pixels = True, setting in (1, 3)

    def _size(self, body: str) -> Iterator[Message]:
        """The terminal's size; it says nothing of how the mouse's place is measured."""
        numbers = [field.partition(":")[0] for field in body.split(";")[1:5]]
        if len(numbers) < 4 or not all(number.isdecimal() for number in numbers):
            return
        rows, columns, height, width = map(int, numbers)
        if not (0 < rows <= MOST_CELLS and 0 < columns <= MOST_CELLS):
            return
        pixels = (width, height) if width and height else None
        self.terminal_size, self.terminal_pixel_size = (columns, rows), pixels
        yield events.Resize.from_dimensions((columns, rows), pixels)

    def _mouse(self, sequence: str, x: int, y: int) -> Iterator[Message]:
        """The mouse, in cells, or in pixels where the terminal says so, or where no cell is that far out."""
        columns, rows = self.terminal_size or (x, y)
        if not self._told_mouse and (x > columns or y > rows):
            self.mouse_pixels = True
        if (event := self.parse_mouse_code(sequence)) is not None:
            yield event
