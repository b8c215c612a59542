"""JSON objects out of a file, one a line or in one long array, each with its line; what cannot be read is said."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from judges.metric_s.answers import ran_out
from judges.model import Flag
from storage.formats.lines import UNDECODABLE, FormatError, not_utf8, open_file, read_lines
from storage.formats.rows import LeftOut


@dataclass(frozen=True, slots=True)
class JsonObject:
    """One JSON object of a file, its strings safe to store. ``flags`` says what had to be changed for that."""

    line: int
    value: dict[str, Any]
    flags: tuple[Flag, ...] = ()


MEND_LINE = "mend the line, or delete it and import the file again"


LOOKED_AT = 20
"""So many rows of a file are looked at for what it is, of which the first may be broken."""


def any_object(path: Path, fits: Callable[[Mapping[str, Any]], bool]) -> bool:
    """Whether one of a file's first lines is an object that fits. Raises FormatError where it cannot be read."""
    return any(isinstance(item, JsonObject) and fits(item.value) for item in islice(objects_by_line(path), LOOKED_AT))


def read_objects(path: Path) -> Iterator[JsonObject | LeftOut]:
    """Yield the objects of a file that is a JSON list, or lines of JSON. Raises FormatError as these do."""
    return objects_in_array(path) if starts_with_list(path) else objects_by_line(path)


def objects_by_line(path: Path) -> Iterator[JsonObject | LeftOut]:
    """Yield the objects of a JSON Lines file; blank lines are no rows. Raises FormatError as ``read_lines`` does."""
    parser = _Parser()
    for number, line in read_lines(path):
        if line == UNDECODABLE:
            yield LeftOut(number, "not_utf8", "", *not_utf8(line))
        elif line and not line.isspace():
            yield parser.object_in(line, number)


def object_reader() -> Callable[[str, int], JsonObject | LeftOut]:
    """Return what reads a text that should be one JSON object, and its line, as ``objects_by_line`` reads its lines."""
    return _Parser().object_in


def json_value(text: str) -> Any:
    """Return the JSON value that a text is; numbers that cannot be stored are None.

    Raises ValueError where it is none, or is nested too deeply.
    """
    try:
        value = _Parser().decoder.decode(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    if is_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def objects_in_array(path: Path, key: str | None = None) -> Iterator[JsonObject | LeftOut]:
    """Yield the objects of the array that a JSON file is, or that stands under ``key`` in the object that it is.

    The file is streamed: memory holds one object. Where its JSON breaks, the rows go on with the next that begins a
    line as the broken one did; without one, what follows is left out as one row. What stands behind the array is read
    too. Raises FormatError where the file cannot be opened or holds no such array.
    """
    with _Stream(path) as stream:
        try:
            if key is None or stream.next_character() == "[":
                yield from stream.all_objects()
                return
            for name in stream.members():
                if name == key and stream.next_character() == "[":
                    yield from stream.elements()
                    return
                stream.skip()
        except _BrokenJson as error:
            yield error.left_out
            return
    raise FormatError(f"{path}: holds no list under “{key}”; check that this is the right file")


def lists_by_key(path: Path) -> Iterator[tuple[str, JsonObject | LeftOut]]:
    """Yield the objects of every array that stands under a key of the object that a JSON file is, each with that key.

    Streamed, and left out where the JSON breaks, as ``objects_in_array``. Raises FormatError where the file cannot be
    opened.
    """
    name = ""
    with _Stream(path) as stream:
        try:
            for name in stream.members():
                if stream.next_character() == "[":
                    for item in stream.elements():
                        yield name, item
                else:
                    stream.skip()
        except _BrokenJson as error:
            yield name, error.left_out


def whole_object(path: Path) -> JsonObject | LeftOut:
    """Return the object that a JSON file is, read whole. Raises FormatError where the file cannot be opened."""
    with _Stream(path) as stream:
        try:
            return stream.element()
        except _BrokenJson as error:
            return error.left_out


def value_under(path: Path, key: str) -> Any:
    """Return the value of a JSON object's top-level ``key``, or None; the rest is skipped, not kept."""
    try:
        with _Stream(path) as stream:
            for name in stream.members():
                if name == key:
                    return _mended(stream.value(), key, Counter())
                stream.skip()
    except (_BrokenJson, FormatError, RecursionError):
        pass
    return None


def top_level_keys(path: Path) -> Iterator[str]:
    """Yield the keys of the first JSON object of a file, as far as it can be read."""
    try:
        with _Stream(path) as stream:
            for name in stream.members():
                yield name
                stream.skip()
    except _BrokenJson:
        return


def starts_with_list(path: Path) -> bool:
    """Whether a JSON file is a list as a whole, and not lines of which the first happens to be a list."""
    with open_file(path) as file:
        lines = (line for line in iter(lambda: file.readline(_LONGEST_LINE), b"") if line.strip())
        first = next(lines).strip()
        if not first.startswith(b"["):
            return False
        second = next(lines, b"").lstrip()[:1]
    return second not in (b"[", b"{") or not _is_row(first)


_LONGEST_LINE = 1 << 24
"""Bytes of a line that is looked at for whether it is a row of its own."""


def _is_row(line: bytes) -> bool:
    """Whether a line that begins with a bracket closes all that it opens, or opens more than any list of rows."""
    tokens = _TOKEN.finditer(line.decode("utf-8", "replace"))
    return not 0 < sum(_STEPS.get(token[0], 0) for token in tokens) <= DEEPEST


# --- One piece of JSON ----------------------------------------------------------------------------------------

_SUSPECT = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\\u00[0189][0-9a-f]|\\u007f|\\[bf]|\\ud[89a-f]", re.IGNORECASE
)
_REPLACED = re.compile(r"[\x00\ud800-\udfff]")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_DIGITS = 300


class _Parser:
    """A JSON decoder that notes what it meets: keys that stand twice, numbers that are none, unsafe characters."""

    def __init__(self) -> None:
        self._notes: Counter[tuple[str, str]] = Counter()
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._not_a_number,
            parse_float=self._float,
            parse_int=self._int,
            strict=False,
        )

    def forget(self) -> None:
        """Drop the notes of an attempt that did not succeed."""
        self._notes.clear()

    def object_in(self, text: str, line: int) -> JsonObject | LeftOut:
        """Read a text that should be one JSON object."""
        try:
            start = len(text) - len(text.lstrip(" \t\r\n"))
            value, end = self.decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            self.forget()
            if text.startswith("{", start) and ran_out(text, error):
                return LeftOut(line, "half_written", "", "breaks off: it was not written to its end", MEND_LINE)
            return LeftOut(line, "not_json", "", f"is not JSON ({error.msg} at column {error.colno})", MEND_LINE)
        except RecursionError:
            self.forget()
            return too_deep(line)
        if text[end:].strip():
            self.forget()
            return LeftOut(line, "not_json", "", f"holds more than one JSON value (column {end + 1})", MEND_LINE)
        return self.finished(value, text, line)

    def finished(self, value: object, text: str, line: int) -> JsonObject | LeftOut:
        """Return the object that was just decoded from ``text``, its strings made safe, or why it is none."""
        notes = dict(self._notes)
        self.forget()
        if text.count("[") + text.count("{") > DEEPEST and is_deep(value):
            return too_deep(line)
        if not isinstance(value, dict):
            return LeftOut(line, "not_an_object", "", f"is {kind(value)}, not a JSON object", MEND_LINE)
        flags = [Flag(code, _NOTES[code].format(name)) for code, name in notes]
        if _SUSPECT.search(text):
            counts: Counter[tuple[str, str]] = Counter()
            value = {_mended(key, key, counts): _mended(inner, key, counts) for key, inner in value.items()}
            flags += [Flag(code, f"{_oneline(name)}: {count} {_NOTES[code]}") for (code, name), count in counts.items()]
        return JsonObject(line, value, tuple(flags))

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            for name, count in Counter(name for name, _ in pairs).items():
                if count > 1:
                    self._notes["duplicate_key", _oneline(name)] += 1
        return value

    def _not_a_number(self, name: str) -> Any:
        self._notes["not_a_number", name] += 1
        return None

    def _float(self, digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        self._not_a_number(_oneline(digits))
        return None

    def _int(self, digits: str) -> int | None:
        if len(digits) <= _DIGITS:
            return int(digits)
        self._not_a_number(digits[:12] + "…")
        return None


_NOTES = {
    "duplicate_key": "the key “{}” stands more than once in one object; the last was read",
    "not_a_number": "{} is no number that can be stored; read as nothing",
    "replaced_characters": "NUL or lone surrogate characters, each replaced by U+FFFD",
    "control_characters": "control characters, kept",
}


def _mended(value: Any, field: str, counts: Counter[tuple[str, str]]) -> Any:
    """The value with NUL and lone surrogates replaced one for one, so that offsets hold."""
    if isinstance(value, str):
        if controls := len(_CONTROL.findall(value)):
            counts["control_characters", field] += controls
        mended, replaced = _REPLACED.subn("\ufffd", value)
        if replaced:
            counts["replaced_characters", field] += replaced
        return mended
    if isinstance(value, list):
        return [_mended(inner, field, counts) for inner in value]
    if isinstance(value, dict):
        return {_mended(key, field, counts): _mended(inner, field, counts) for key, inner in value.items()}
    return value


def _oneline(name: str) -> str:
    """A key or number as it can stand in a message."""
    shown = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", "\ufffd", name)
    return shown if len(shown) <= 40 else shown[:40] + "…"


DEEPEST = 200
"""Levels of lists and objects that are read. SQLite takes a thousand, and what is read is put into more of them."""


TOO_DEEP = "is nested too deeply to be read"


def is_deep(value: object) -> bool:
    """Whether a JSON value is nested deeper than ``DEEPEST``."""
    level = [value]
    for _ in range(DEEPEST + 1):
        held = (
            each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list, tuple))
        )
        if not (level := [inner for inners in held for inner in inners]):
            return False
    return True


def too_deep(line: int) -> LeftOut:
    """What is left out because reading it would exhaust the stack."""
    return LeftOut(line, "too_deep", "", TOO_DEEP, MEND_LINE)


def _not_utf8(line: int) -> LeftOut:
    return LeftOut(line, "not_utf8", "", "is not UTF-8 throughout (damaged, or cut off)", MEND_LINE)


def kind(value: object) -> str:
    """What a JSON value is, for a message."""
    if value is None:
        return "nothing (null)"
    names: dict[type, str] = {bool: "a truth value", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")


# --- A stream of JSON -----------------------------------------------------------------------------------------

_UNDECODED = re.compile(r"[\udc80-\udcff]")
"""What a byte that is not UTF-8 is decoded to; text that is UTF-8 never holds these."""

_CHUNK = 1 << 18
_LARGEST = 1 << 28
_BLANK = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|(\\?\Z))|[\[\]{}]', re.DOTALL)
"""A string, or a bracket; the group is there where a string has no end."""
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
_MARGIN = 1 << 10
"""Characters before the end of what is held in which a row may begin that ends after it."""


class _BrokenJson(Exception):
    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason

    @property
    def left_out(self) -> LeftOut:
        """All from there on, as one row."""
        mend = "mend the file there, or write it again; what stands before was read"
        return LeftOut(self.line, "not_json", "", f"{self.reason}, so nothing after it can be read", mend)


class _Stream:
    """A JSON file read piece by piece, with the line number of the place reached."""

    def __init__(self, path: Path) -> None:
        self._file = open_file(path)
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._parser = _Parser()
        self._text = ""
        self._at = 0
        self._line = 1
        self._indent = ""
        self._ended = False

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def members(self) -> Iterator[str]:
        """Yield the keys of an object; before the next one its value must have been read or skipped."""
        self._expect("{")
        if self.next_character() == "}":
            return
        while True:
            if self.next_character() != '"':
                raise self._broken("a key is missing")
            name = self.value()
            self._expect(":")
            self.next_character()
            yield name
            if self.next_character() != ",":
                self._expect("}")
                return
            self._advance(self._at + 1)

    def all_objects(self) -> Iterator[JsonObject | LeftOut]:
        """Yield the objects of a file, be they in arrays or one behind the other, and what is none."""
        while character := self.next_character():
            if character == "[":
                yield from self.elements()
            else:
                yield from self._row("")

    def elements(self) -> Iterator[JsonObject | LeftOut]:
        """Yield the objects of an array, and what in it is none."""
        self._expect("[")
        while self.next_character() != "]":
            yield from self._row(",")
        self._advance(self._at + 1)

    def _row(self, separator: str) -> Iterator[JsonObject | LeftOut]:
        """Yield an object and go past what parts it from the next; from a broken one to the next that can be found."""
        indent = self._indent
        try:
            yield self.element()
            if separator and self.next_character() not in ("]", "{"):  # an object is one without a comma before it
                self._expect(separator)
        except _BrokenJson as error:
            if not self._find_next(separator, indent):
                raise
            yield LeftOut(
                error.line, "not_json", "", error.reason, f"mend it; the rows from line {self._line} on were read"
            )

    def _find_next(self, separator: str, indent: str) -> bool:
        """Go to the next object that begins a line with this indent; False where there is none."""
        start = re.compile(rf"{separator}[ \t]*\r?\n{indent}(?=\{{)")
        while not (found := start.search(self._text, self._at)):
            self._advance(max(self._at, len(self._text) - len(indent) - _MARGIN))
            if not self._fill():
                return False
        self._advance(found.end())
        return True

    def _pass_over(self) -> None:
        """Go past a list or an object by its brackets, however deep it is."""
        depth, at, line = 0, self._at, self._line
        while True:
            token = _TOKEN.search(self._text, at)
            if token is None or token[1] is not None:
                self._advance(token.start() if token else len(self._text))
                if not self._fill():
                    raise _BrokenJson(line, f"{TOO_DEEP}, and has no end")
                at = 0
            else:
                at = token.end()
                depth += _STEPS.get(token[0], 0)
                if not depth:
                    self._advance(at)
                    return

    def element(self) -> JsonObject | LeftOut:
        """Read one value, which should be an object."""
        self.next_character()
        line = self._line
        try:
            value, end = self._decoded()
        except RecursionError:
            self._pass_over()
            return too_deep(line)
        text = self._text[self._at : end]
        found = _not_utf8(line) if _UNDECODED.search(text) else self._parser.finished(value, text, line)
        self._advance(end)
        return found

    def skip(self) -> None:
        """Pass over a value; an array's elements one by one."""
        if self.next_character() == "[":
            for _ in self.elements():
                pass
        else:
            self.element()

    def value(self) -> Any:
        """Read one value whole."""
        value, end = self._decoded()
        self._advance(end)
        return value

    def next_character(self) -> str:
        """Go to the next character that is not blank and return it ("" at the end of the file)."""
        self._indent = ""
        while True:
            blank = _BLANK.match(self._text, self._at)
            assert blank is not None
            self._indent = (self._indent + blank[0]).rpartition("\n")[2]
            self._advance(blank.end())
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def _expect(self, character: str) -> None:
        found = self.next_character()
        if found != character:
            raise self._broken(f"“{character}” is missing" if found else "the file breaks off")
        self._advance(self._at + 1)

    def _advance(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def _fill(self) -> bool:
        """Read on, at least as much again as is held; False at the end of the file."""
        if self._ended:
            return False
        held = self._text[self._at :]
        data = self._file.read(max(_CHUNK, len(held)))
        self._ended = not data
        self._text = held + self._decode.decode(data, final=self._ended)
        self._at = 0
        return bool(data)

    def _decoded(self) -> tuple[Any, int]:
        """The value at this place and where it ends, reading on as far as it needs."""
        if not self.next_character():
            raise self._broken("the file breaks off")
        while True:
            self._parser.forget()
            try:
                value, end = self._parser.decoder.raw_decode(self._text, self._at)
                if end < len(self._text) or not self._fill():
                    return value, end
            except json.JSONDecodeError as error:
                if not ran_out(self._text, error):
                    line = self._line + self._text.count("\n", self._at, error.pos)
                    raise self._broken(f"the JSON is broken at line {line} ({error.msg})") from None
                if len(self._text) - self._at > _LARGEST or not self._fill():
                    raise self._broken("the file breaks off") from None

    def _broken(self, reason: str) -> _BrokenJson:
        return _BrokenJson(self._line, reason)
