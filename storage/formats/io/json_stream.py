"""A JSON file read piece by piece, past what in it is broken or too deep."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from judges.metric_s.reading.json_answer import ran_out
from storage.base.strict_json import TOO_DEEP
from storage.formats.io.input_file import AnyFile
from storage.formats.io.json_parser import MEND_LINE, JsonObject, Parser, too_deep
from storage.formats.io.lines import open_file
from storage.formats.io.rows import LeftOut

if TYPE_CHECKING:
    from storage.formats.io.json_parser import JsonObject, Parser


def _not_utf8(line: int) -> LeftOut:
    return LeftOut(line, "not_utf8", "", "is not UTF-8 throughout (damaged, or cut off)", MEND_LINE)


_UNDECODED = re.compile(r"[\udc80-\udcff]")
"""Characters that stand for bytes that are not UTF-8; text that is UTF-8 never holds these."""

_CHUNK = 1 << 18
_LARGEST = 1 << 28
_BLANK = re.compile(r"[ \t\r\n]*")
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|(\\?\Z))|[\[\]{}]', re.DOTALL)
"""A string, or a bracket; the group is there where a string has no end."""
STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
_MARGIN = 1 << 10
"""Characters before the end of what is held in which a row may begin that ends after it."""


class BrokenJson(Exception):
    """JSON that cannot be read on from a place."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason

    @property
    def left_out(self) -> LeftOut:
        """All from there on, as one row."""
        mend = "mend the file there, or write it again; what stands before was read"
        return LeftOut(self.line, "not_json", "", f"{self.reason}, so nothing after it can be read", mend)


class Stream:
    """A JSON file read piece by piece, with the line number of the place reached."""

    def __init__(self, path: AnyFile, parser: Parser) -> None:
        self._file = open_file(path)
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._parser = parser
        self._text = ""
        self._at = 0
        self._line = 1
        self._indent = ""
        self._ended = False

    def __enter__(self) -> Stream:
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
        except BrokenJson as error:
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
            token = TOKEN.search(self._text, at)
            if token is None or token[1] is not None:
                self._advance(token.start() if token else len(self._text))
                if not self._fill():
                    raise BrokenJson(line, f"{TOO_DEEP}, and has no end")
                at = 0
            else:
                at = token.end()
                depth += STEPS.get(token[0], 0)
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
            raise self._broken(f"“{character}” is missing") if found else self._breaks_off()
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
            raise self._breaks_off()
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
                    raise self._breaks_off() from None

    def _breaks_off(self) -> BrokenJson:
        within = " within a character" if _UNDECODED.search(self._text[-1:]) else ""
        return self._broken(f"the file breaks off{within}")

    def _broken(self, reason: str) -> BrokenJson:
        return BrokenJson(self._line, reason)
