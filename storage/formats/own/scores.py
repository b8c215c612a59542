"""Tables of scores by any metric or rater, as CSV, TSV or JSON Lines: one row for what one gives one translation."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import islice
from typing import NamedTuple

from storage.base.text import storable
from storage.formats.base.directions import direction_name, has_regions, regions_told
from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.base.items import Remark, ScoreLine
from storage.formats.base.score_lines import Timed, standing
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import LOOKED_AT, read_objects
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.lines import FormatError, open_file
from storage.formats.io.records import is_json
from storage.formats.io.rows import LeftOut

FORMAT = "scores"
"""The name of the format in the report of an import."""

REQUIRED = ("metric", "system", "article", "score")
OPTIONAL = ("direction", "human", "rater", "domain")

HUMAN = re.compile(r"(humans?|人工|人类)(?![a-z])", re.IGNORECASE)
"""The beginning of a metric's name that is a human's rating, where its row does not say so."""


class Scores(Format):
    """Tables of scores. Other columns are named and passed over; lines end at LF, CRLF or CR."""

    name, title, phrase = FORMAT, "Tables of scores", "a table of scores (discox import scores FILE)"
    needed = REQUIRED
    own = True

    def sniff(self, head: Head) -> bool:
        """Tell if the first line, or one of the first objects, names a metric, a system and a score."""
        objects, line = _objects_or_line(head.file)
        names = [list(item.value) for item in islice(objects or (), LOOKED_AT) if isinstance(item, JsonObject)]
        if objects is None:
            names = [next(csv.reader([line], delimiter=mark)) for mark in _MARKS]
        return any({"metric", "system", "score"} <= _known(each) for each in names)

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield the scores in their order, what is left out, and remarks.

        Raises FormatError where the file cannot be read, or is no such table: the message says what is missing.
        """
        scores: Iterator[ScoreLine | LeftOut | Remark] = standing(lambda: _read(file))
        yield from scores


def _read(file: InputFile) -> Iterator[Timed | LeftOut | Remark]:
    reader = _Reader()
    objects, _ = _objects_or_line(file)
    for item in _from_cells(file, reader) if objects is None else _from_objects(file, objects, reader):
        yield Timed(item) if isinstance(item, ScoreLine) else item
    yield from reader.remarks()


def _objects_or_line(path: InputFile) -> tuple[Iterator[JsonObject | LeftOut] | None, str]:
    """A file's objects if it is JSON; else None, and its first line as far as 64 kB go."""
    if is_json(path):
        return read_objects(path), ""
    with open_file(path) as file:
        beginning = file.read(1 << 16).lstrip()
    return None, next(iter(beginning.decode("utf-8", "replace").splitlines()), "")


# --- Rows of cells --------------------------------------------------------------------------------------------

_UNDECODED = re.compile(r"[\udc80-\udcff]")
"""Characters that bytes which are not UTF-8 are decoded to."""
_LONGEST = 500
"""Lines that a row with quoted line ends may have; more are a quote that was never closed."""
_MARKS = "\t,;"
"""Characters that may part cells."""
_MEND = "mend the line, or delete it and import the file again"
_MEND_BYTES = (
    f"{_MEND}; if it is in another encoding, convert it, as with iconv -f GB18030 -t UTF-8, or save it in Excel as "
    "“CSV UTF-8”"
)


def _from_cells(path: InputFile, reader: _Reader) -> Iterator[ScoreLine | LeftOut | Remark]:
    with open_file(path) as binary, TextIOWrapper(binary, "utf-8", "surrogateescape", newline="") as file:
        lines = _Lines(file)
        header = next((line for line in lines if line.strip()), "")
        delimiter, names = _header(path, header)
        yield from reader.other_columns(lines.number, names)
        for number, cells in _rows(lines, delimiter, len(names)):
            if lines.replaced:
                yield Remark(number, "replaced_characters", "", "NUL characters, each replaced by U+FFFD")
                lines.replaced = 0
            if isinstance(cells, LeftOut):
                yield cells
            elif not any(cell.strip() for cell in cells):
                continue
            elif _UNDECODED.search("".join(cells)):
                yield LeftOut(number, "not_utf8", "", "is not UTF-8 throughout (damaged, or cut off)", _MEND_BYTES)
            elif len(cells) < len(names) or any(cells[len(names) :]):
                reason = f"has {len(cells)} cells where the header names {len(names)}"
                yield LeftOut(number, "cells", "", reason, _MEND)
            else:
                yield reader.read(number, dict(zip(names, cells, strict=False)))


class _Lines:
    """The lines of a file, numbered from 1; those that a broken row took with it can be put back."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._again: list[str] = []
        self.number = 0
        self.replaced = 0
        self.taken: list[str] = []

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if len(self.taken) == _LONGEST:
            raise csv.Error("a quote that does not end")
        line = self._again.pop() if self._again else next(self._lines)
        self.number += 1
        self.taken.append(line)
        self.replaced += line.count("\0")
        return line.replace("\0", "\ufffd")

    def put_back(self) -> str:
        """Return the first of the lines taken, and let the others come again."""
        first, *others = self.taken
        self._again.extend(reversed(others))
        self.number -= len(others)
        return first


def _rows(lines: _Lines, delimiter: str, width: int) -> Iterator[tuple[int, list[str] | LeftOut]]:
    """The rows that follow, each with its first line. A quote that breaks a row does not take others with it."""
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.taken.clear()
        number = lines.number + 1
        try:
            yield number, next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            first = lines.put_back().rstrip("\r\n")
            raw = first.split(delimiter)
            if delimiter == "\t" and len(raw) == width:  # many tools write tabs and never quote
                yield number, raw
            elif "field limit" in str(error):
                reason = f"has a cell of more than {csv.field_size_limit():,} characters"
                yield number, LeftOut(number, "cells", "", reason, _MEND)
            else:
                reason = "has a quotation mark that opens a cell and does not close it"
                yield number, LeftOut(number, "quotes", "", reason, _MEND)


def _header(path: InputFile, line: str) -> tuple[str, list[str]]:
    """Return what parts the cells, and the names of the columns."""
    try:
        split = {mark: next(csv.reader([line], delimiter=mark)) for mark in _MARKS}
    except csv.Error:
        raise FormatError(f"{path}: its first line is too long to be a header; {_expected()}") from None
    delimiter = max(split, key=lambda mark: len(_known(split[mark])))
    names = [_name(cell) for cell in split[delimiter]]
    known = _known(names)
    if missing := [name for name in REQUIRED if name not in known]:
        what = "column" if len(missing) == 1 else "columns"
        raise FormatError(f"{path}: its first line names no {what} {', '.join(missing)}; {_expected()}")
    if twice := [name for name in (*REQUIRED, *OPTIONAL) if names.count(name) > 1]:
        raise FormatError(f"{path}: its first line names the column {twice[0]} twice; leave one")
    return delimiter, names


def _expected() -> str:
    return f"a table of scores has the columns {', '.join(REQUIRED)}, and may have {', '.join(OPTIONAL)}"


_OTHER_NAMES = {"reviewer": "rater", "annotator": "rater", "prompt_id": "article"}


def _name(cell: str) -> str:
    name = storable(cell).strip().strip("\ufeff").strip().casefold()
    return _OTHER_NAMES.get(name, name)


def _known(cells: Sequence[str]) -> set[str]:
    return set(map(_name, cells)) & {*REQUIRED, *OPTIONAL}


# --- Objects --------------------------------------------------------------------------------------------------


def _from_objects(
    path: InputFile, objects: Iterator[JsonObject | LeftOut], reader: _Reader
) -> Iterator[ScoreLine | LeftOut | Remark]:
    named = [_known(list(item.value)) for item in islice(read_objects(path), LOOKED_AT) if isinstance(item, JsonObject)]
    if named and max(map(len, named)) < _TELLING_COLUMNS:
        raise FormatError(f"{path}: its first object is no score; {_expected()}")
    for item in objects:
        if isinstance(item, LeftOut):
            yield item
            continue
        values = {_name(key): value for key, value in item.value.items()}
        yield from reader.other_columns(item.line, values)
        yield from (Remark(item.line, flag.code, "", flag.message) for flag in item.flags if flag.code in _TELLING)
        for flag in item.flags:
            if flag.code == "not_a_number" and values.get("score", "") is None:
                values["score"] = _Unread(flag.message.partition(";")[0])
        yield reader.read(item.line, values)


_TELLING_COLUMNS = 3
"""Columns of a table of scores by which an object is taken for one of its rows."""


class _Unread(NamedTuple):
    """A value that stood where a number should and could not be read as one."""

    why: str


_TELLING = ("duplicate_key", "replaced_characters")
"""Flags worth a remark of those that the JSON reader met; a number that is none leaves the row out anyway."""


# --- One row --------------------------------------------------------------------------------------------------

LARGEST = 1e12
"""Scores may be as far from 0 as this."""
_WHOLE = re.compile(r"(\d+)\.0+")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
"""Characters that show nothing and would make two names of one."""
_USUAL_DIRECTIONS = ("zh-en", "en-zh")
_DIRECTION = re.compile("[a-z]{2,3}-[a-z]{2,3}")
_YES = frozenset(("1", "1.0", "true", "yes", "y", "是"))
_NO = frozenset(("0", "0.0", "false", "no", "n", "否"))


class _Unfit(Exception):
    """A cell that cannot be taken: which, why, and how to mend it."""

    def __init__(self, field: str, reason: str, mend: str) -> None:
        super().__init__(reason)
        self.field, self.reason, self.mend = field, reason, mend


class _Reader:
    """Reads the cells of one row; keeps what is to be remarked on once a file."""

    def __init__(self) -> None:
        self._others: set[str] = set()
        self._told: dict[str, int] = {}
        self._directions: dict[str, list[int]] = {}
        self._regions: dict[str, int] = {}

    def read(self, line: int, values: Mapping[str, object]) -> ScoreLine | LeftOut:
        """Read one row: cells by the names of their columns."""
        try:
            metric, system = _text(values, "metric"), _text(values, "system")
            article, score = _text(values, "article"), _score(values.get("score"))
            direction, rater, domain = (_text(values, name, "") for name in ("direction", "rater", "domain"))
            human = _human(values.get("human"))
        except _Unfit as unfit:
            return LeftOut(line, "bad_field", unfit.field, unfit.reason, unfit.mend)
        if human is None:
            human = bool(rater) or HUMAN.match(metric) is not None
            if human:
                self._told.setdefault(metric, line)
        if has_regions(direction):
            self._regions.setdefault(direction, line)
        direction = direction_name(direction)
        if direction and direction not in _USUAL_DIRECTIONS:
            self._directions.setdefault(direction, []).append(line)
        return ScoreLine(
            line=line,
            metric=metric,
            system=system,
            article=_WHOLE.sub(r"\1", article) if _WHOLE.fullmatch(article) else article,
            direction=direction,
            score=score,
            human=human,
            rater=rater,
            domain=domain,
        )

    def other_columns(self, line: int, names: Mapping[str, object] | Sequence[str]) -> Iterator[Remark]:
        """Say which columns are passed over, each once."""
        new = [name for name in names if name not in REQUIRED and name not in OPTIONAL and name not in self._others]
        if new:
            self._others.update(new)
            shown = ", ".join(name[:40] or "(no name)" for name in new[:20]) + (" …" if len(new) > 20 else "")
            yield Remark(line, "other_columns", "", f"not read: {shown}")

    def remarks(self) -> Iterator[Remark]:
        """Say which metrics were taken for humans though their rows did not say so, and what to know of directions."""
        for metric, line in self._told.items():
            message = f"{metric} is taken for human ratings by its name or a rater's; a column human would say it"
            yield Remark(line, "taken_for_human", "human", message)
        for written, line in self._regions.items():
            yield Remark(line, *regions_told(written))
        for direction, lines in self._directions.items():
            what = "is another direction than" if _DIRECTION.fullmatch(direction) else "is no direction like"
            message = (
                f"{direction[:40]} {what} {' and '.join(_USUAL_DIRECTIONS)} ({len(lines):,} rows): it has cells of its "
                "own, and no part in the mean where those two are"
            )
            yield Remark(lines[0], "other_direction", "direction", message)


def _text(values: Mapping[str, object], name: str, default: str | None = None) -> str:
    value = values.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is not None and not isinstance(value, str):
        raise _Unfit(name, f"is {kind(value)}, not text", "write it as text")
    text = _INVISIBLE.sub("", value or "").strip()
    if text:
        return text
    if default is None:
        raise _Unfit(name, "is empty" if name in values else "is missing", f"give the {name}, or delete the row")
    return default


_MEND_SCORE = "give a number such as 76.5, or delete the row"


def _score(value: object) -> float:
    if isinstance(value, _Unread):
        raise _Unfit("score", f"cannot be taken: {value.why}", _MEND_SCORE)
    if isinstance(value, str):
        text = value.strip()
        if not text:
            raise _Unfit("score", "is empty", _MEND_SCORE)
        shown = f"“{text[:40]}”"
        try:
            number = float(text) if "_" not in text else math.nan
        except ValueError:
            number = math.nan
        if math.isnan(number) or (math.isinf(number) and not any(map(str.isdigit, text))):
            raise _Unfit("score", f"is {shown}, which is no score", _MEND_SCORE)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number, shown = (float(value), f"{value:g}") if abs(value) <= LARGEST else (math.inf, "a number")
    else:
        raise _Unfit("score", f"is {kind(value)}, not a number", _MEND_SCORE)
    if abs(number) > LARGEST:
        raise _Unfit("score", f"is {shown}, beyond ±1e12, as far as scores are taken", _MEND_SCORE)
    return number + 0.0  # -0.0 is 0


def _human(value: object) -> bool | None:
    """Tell if a person gave the score; None where the row does not say."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().casefold() if isinstance(value, str | int | float) else ""
    if text in _YES or text in _NO:
        return text in _YES
    if text or not (value is None or isinstance(value, str)):
        shown = f"“{text[:40]}”" if text else kind(value)
        raise _Unfit("human", f"is {shown}, neither 1 nor 0", "write 1 for a person's rating, 0 for a metric's score")
    return None
