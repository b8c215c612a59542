"""JSON objects out of a file, one a line or in one long array, each with its line; what cannot be read is said."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from judges.metric_s.reading.json_answer import ran_out
from judges.model import Flag
from storage.base.strict_json import DEEPEST, TOO_DEEP
from storage.formats.base.rows import LeftOut
from storage.formats.io.json_stream import MEND_LINE, STEPS, TOKEN, BrokenJson, Stream, too_deep
from storage.formats.io.lines import UNDECODABLE, FormatError, not_utf8, open_file, read_lines


@dataclass(frozen=True, slots=True)
class JsonObject:
    """One JSON object of a file, its strings safe to store. ``flags`` says what had to be changed for that."""

    line: int
    value: dict[str, Any]
    flags: tuple[Flag, ...] = ()


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
    parser = Parser()
    for number, line in read_lines(path):
        if line == UNDECODABLE:
            yield LeftOut(number, "not_utf8", "", *not_utf8(line))
        elif line and not line.isspace():
            yield parser.object_in(line, number)


def object_reader() -> Callable[[str, int], JsonObject | LeftOut]:
    """Return what reads a text that should be one JSON object, and its line, as ``objects_by_line`` reads its lines."""
    return Parser().object_in


def json_value(text: str) -> Any:
    """Return the JSON value that a text is, its strings as they are.

    Raises ValueError where it is none, is nested too deeply, or holds a number that cannot be stored.
    """
    parser = Parser()
    try:
        value = parser.decoder.decode(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    if is_deep(value):
        raise ValueError(TOO_DEEP)
    if parser.met_no_number:
        raise ValueError("holds a number that cannot be stored")
    return value


def objects_in_array(path: Path, key: str | None = None) -> Iterator[JsonObject | LeftOut]:
    """Yield the objects of the array that a JSON file is, or that stands under ``key`` in the object that it is.

    The file is streamed: memory holds one object. Where its JSON breaks, the rows go on with the next that begins a
    line as the broken one did; without one, what follows is left out as one row. What stands behind the array is read
    too. Raises FormatError where the file cannot be opened or holds no such array.
    """
    with Stream(path, Parser()) as stream:
        try:
            if key is None or stream.next_character() == "[":
                yield from stream.all_objects()
                return
            for name in stream.members():
                if name == key and stream.next_character() == "[":
                    yield from stream.elements()
                    return
                stream.skip()
        except BrokenJson as error:
            yield error.left_out
            return
    raise FormatError(f"{path}: holds no list under “{key}”; check that this is the right file")


def lists_by_key(path: Path) -> Iterator[tuple[str, JsonObject | LeftOut]]:
    """Yield the objects of every array that stands under a key of the object that a JSON file is, each with that key.

    Streamed, and left out where the JSON breaks, as ``objects_in_array``. Raises FormatError where the file cannot be
    opened.
    """
    name = ""
    with Stream(path, Parser()) as stream:
        try:
            for name in stream.members():
                if stream.next_character() == "[":
                    for item in stream.elements():
                        yield name, item
                else:
                    stream.skip()
        except BrokenJson as error:
            yield name, error.left_out


def whole_object(path: Path) -> JsonObject | LeftOut:
    """Return the object that a JSON file is, read whole. Raises FormatError where the file cannot be opened."""
    with Stream(path, Parser()) as stream:
        try:
            return stream.element()
        except BrokenJson as error:
            return error.left_out


def value_under(path: Path, key: str) -> Any:
    """Return the value of a JSON object's top-level ``key``, or None; the rest is skipped, not kept."""
    try:
        with Stream(path, Parser()) as stream:
            for name in stream.members():
                if name == key:
                    return _mended(stream.value(), key, Counter())
                stream.skip()
    except (BrokenJson, FormatError, RecursionError):
        pass
    return None


def values_beside(path: Path, known: Collection[str]) -> dict[str, Any]:
    """Return the top-level values of a JSON object under other keys than the known ones, as far as it can be read."""
    found: dict[str, Any] = {}
    try:
        with Stream(path, Parser()) as stream:
            for name in stream.members():
                if name in known:
                    stream.skip()
                else:
                    key = _oneline(name)
                    found[key] = _mended(stream.value(), key, Counter())
                    if is_deep(found[key]):
                        raise RecursionError
    except (BrokenJson, FormatError, RecursionError):
        pass
    return found


def top_level_keys(path: Path) -> Iterator[str]:
    """Yield the keys of the first JSON object of a file, as far as it can be read."""
    try:
        with Stream(path, Parser()) as stream:
            for name in stream.members():
                yield name
                stream.skip()
    except BrokenJson:
        return


def starts_with_list(path: Path) -> bool:
    """Tell if a JSON file is a list as a whole, and not lines of which the first happens to be a list."""
    with open_file(path) as file:
        lines = (line for line in iter(lambda: file.readline(_LONGEST_LINE), b"") if line.strip())
        first = next(lines, b"").strip()
        if not first.startswith(b"["):
            return False
        second = next(lines, b"").lstrip()[:1]
    return second not in (b"[", b"{") or not _is_row(first)


_LONGEST_LINE = 1 << 24
"""Bytes of a line that is looked at for whether it is a row of its own."""


def _is_row(line: bytes) -> bool:
    """Tell if a list that begins a file is a row, not a list of rows: no object first, or too deep for one."""
    tokens = TOKEN.finditer(line.decode("utf-8", "replace"))
    opened = sum(STEPS.get(token[0], 0) for token in tokens)
    return opened > DEEPEST or (opened <= 0 and not line[1:].lstrip().startswith(b"{"))


# --- One piece of JSON ----------------------------------------------------------------------------------------

_SUSPECT = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\\u00[0189][0-9a-f]|\\u007f|\\[bf]|\\ud[89a-f]", re.IGNORECASE
)
_REPLACED = re.compile(r"[\x00\ud800-\udfff]")
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_DIGITS = 300


class Parser:
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

    @property
    def met_no_number(self) -> bool:
        """True if a number was met that cannot be stored."""
        return any(code == "not_a_number" for code, _ in self._notes)

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


def is_deep(value: object) -> bool:
    """Tell if a JSON value is nested deeper than ``DEEPEST``."""
    level = [value]
    for _ in range(DEEPEST + 1):
        held = (
            each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list, tuple))
        )
        if not (level := [inner for inners in held for inner in inners]):
            return False
    return True


def kind(value: object) -> str:
    """What a JSON value is, for a message."""
    if value is None:
        return "nothing (null)"
    names: dict[type, str] = {bool: "a truth value", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
