"""JSON text decoded with notes of what it held: keys that stand twice, numbers that are none, unsafe characters."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from judges.metric_s.reading.json_answer import ran_out
from judges.model import Flag
from storage.base.strict_json import DEEPEST, TOO_DEEP
from storage.formats.io.rows import LeftOut


@dataclass(frozen=True, slots=True)
class JsonObject:
    """One JSON object of a file, its strings safe to store. ``flags`` says what had to be changed for that."""

    line: int
    value: dict[str, Any]
    flags: tuple[Flag, ...] = ()


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
            value = {mended(key, key, counts): mended(inner, key, counts) for key, inner in value.items()}
            flags += [Flag(code, f"{one_line(name)}: {count} {_NOTES[code]}") for (code, name), count in counts.items()]
        return JsonObject(line, value, tuple(flags))

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            for name, count in Counter(name for name, _ in pairs).items():
                if count > 1:
                    self._notes["duplicate_key", one_line(name)] += 1
        return value

    def _not_a_number(self, name: str) -> Any:
        self._notes["not_a_number", name] += 1
        return None

    def _float(self, digits: str) -> float | None:
        value = float(digits)
        if math.isfinite(value):
            return value
        self._not_a_number(one_line(digits))
        return None

    def _int(self, digits: str) -> int | None:
        if len(digits) <= _DIGITS:
            return int(digits)
        self._not_a_number(digits[:12] + "…")
        return None


_SUSPECT = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\\u00[0189][0-9a-f]|\\u007f|\\[bf]|\\ud[89a-f]", re.IGNORECASE
)


_REPLACED = re.compile(r"[\x00\ud800-\udfff]")


_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


_DIGITS = 300


_NOTES = {
    "duplicate_key": "the key “{}” stands more than once in one object; the last was read",
    "not_a_number": "{} is no number that can be stored; read as nothing",
    "replaced_characters": "NUL or lone surrogate characters, each replaced by U+FFFD",
    "control_characters": "control characters, kept",
}


def mended(value: Any, field: str, counts: Counter[tuple[str, str]]) -> Any:
    """The value with NUL and lone surrogates replaced one for one, so that offsets hold."""
    if isinstance(value, str):
        if controls := len(_CONTROL.findall(value)):
            counts["control_characters", field] += controls
        safe, replaced = _REPLACED.subn("\ufffd", value)
        if replaced:
            counts["replaced_characters", field] += replaced
        return safe
    if isinstance(value, list):
        return [mended(inner, field, counts) for inner in value]
    if isinstance(value, dict):
        return {mended(key, field, counts): mended(inner, field, counts) for key, inner in value.items()}
    return value


def one_line(name: str) -> str:
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
    """Return what a JSON value is, for a message."""
    if value is None:
        return "nothing (null)"
    names: dict[type, str] = {bool: "a truth value", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")


MEND_LINE = "mend the line, or delete it and import the file again"


def too_deep(line: int) -> LeftOut:
    """Return the row that is left out because reading it would exhaust the stack."""
    return LeftOut(line, "too_deep", "", TOO_DEEP, MEND_LINE)
