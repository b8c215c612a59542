"""JSON objects out of a file, one a line or in one long array, each with its line; what cannot be read is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from storage.base.strict_json import DEEPEST, TOO_DEEP
from storage.formats.io.input_file import AnyFile
from storage.formats.io.json_parser import JsonObject, Parser, is_deep, mended, one_line
from storage.formats.io.json_stream import STEPS, TOKEN, BrokenJson, Stream
from storage.formats.io.lines import UNDECODABLE, FormatError, not_utf8, open_file, read_lines
from storage.formats.io.rows import LeftOut

LOOKED_AT = 20
"""So many rows of a file are looked at for what it is, of which the first may be broken."""


def any_object(path: AnyFile, fits: Callable[[Mapping[str, Any]], bool]) -> bool:
    """Tell if one of a file's first lines is an object that fits. Raises FormatError where it cannot be read."""
    return any(isinstance(item, JsonObject) and fits(item.value) for item in islice(objects_by_line(path), LOOKED_AT))


def read_objects(path: AnyFile) -> Iterator[JsonObject | LeftOut]:
    """Yield the objects of a file that is a JSON list, or lines of JSON. Raises FormatError as these do."""
    return objects_in_array(path) if starts_with_list(path) else objects_by_line(path)


def objects_by_line(path: AnyFile) -> Iterator[JsonObject | LeftOut]:
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


def objects_in_array(path: AnyFile, key: str | None = None) -> Iterator[JsonObject | LeftOut]:
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


def lists_by_key(path: AnyFile) -> Iterator[tuple[str, JsonObject | LeftOut]]:
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


def whole_object(path: AnyFile) -> JsonObject | LeftOut:
    """Return the object that a JSON file is, read whole. Raises FormatError where the file cannot be opened."""
    with Stream(path, Parser()) as stream:
        try:
            return stream.element()
        except BrokenJson as error:
            return error.left_out


def value_under(path: AnyFile, key: str) -> Any:
    """Return the value of a JSON object's top-level ``key``, or None; the rest is skipped, not kept."""
    try:
        with Stream(path, Parser()) as stream:
            for name in stream.members():
                if name == key:
                    return mended(stream.value(), key, Counter())
                stream.skip()
    except (BrokenJson, FormatError, RecursionError):
        pass
    return None


def values_beside(path: AnyFile, known: Collection[str]) -> dict[str, Any]:
    """Return the top-level values of a JSON object under other keys than the known ones, as far as it can be read."""
    found: dict[str, Any] = {}
    try:
        with Stream(path, Parser()) as stream:
            for name in stream.members():
                if name in known:
                    stream.skip()
                else:
                    key = one_line(name)
                    found[key] = mended(stream.value(), key, Counter())
                    if is_deep(found[key]):
                        raise RecursionError
    except (BrokenJson, FormatError, RecursionError):
        pass
    return found


def top_level_keys(path: AnyFile) -> Iterator[str]:
    """Yield the keys of the first JSON object of a file, as far as it can be read."""
    try:
        with Stream(path, Parser()) as stream:
            for name in stream.members():
                yield name
                stream.skip()
    except BrokenJson:
        return


def starts_with_list(path: AnyFile) -> bool:
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
