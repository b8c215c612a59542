"""Files of every format, damaged at random from a fixed seed: no traceback, and all other rows arrive."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.storage.formats.test_bad_files import HELD, TRANSLATIONS
from tests.support.bad_files import SAMPLES, TEXTS, Sample
from tests.support.nightly import rounds

TOKENS = (
    *(
        "null",
        "true",
        "[]",
        "{}",
        '""',
        "-1",
        "1e999",
        "NaN",
        "-Infinity",
        "9" * 5_000,
        '"x"',
        "[[]]",
        "[null]",
        "[{}]",
    ),
    *('"\\ud800"', '"\\u0000"', '"\\u001b[2J"', "123456789012345678901234567890", "[" * 980 + "]" * 980),
)
"""What is put in the place of a value."""
CASES = rounds(2, 300)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values within one."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


def retyped(chance: random.Random, row: str, delimiter: str) -> str:
    """A row with another value in some place, or twice in it."""
    token = chance.choice(TOKENS)
    if delimiter:
        cells = row.split(delimiter)
        cells[chance.randrange(len(cells))] = token
        return delimiter.join(cells)
    value = json.loads(row)
    *way, last = chance.choice(list(places(value)))
    within = value
    for key in way:
        within = within[key]
    within[last] = "@@"
    return json.dumps(value, ensure_ascii=False).replace('"@@"', token)


def damaged(chance: random.Random, row: str, delimiter: str) -> bytes:
    """A row with one thing wrong, still in one line."""
    data = bytearray(row.encode())
    at = chance.randrange(1, len(data))
    match chance.choice(("retyped", "cut", "byte", "flipped", "doubled")):
        case "retyped":
            return retyped(chance, row, delimiter).encode()
        case "cut":
            del data[at:]
        case "byte":
            data.insert(at, chance.choice((0xFF, 0xE6, 0x80, 0, 0x1B)))
        case "flipped":
            data[at] ^= chance.choice((0x20, 0x40, 0x80))
        case _:
            data.extend(bytes(data))
    return bytes(data)


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blank") / "blank.db"
    open_library(path).close()
    return path


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.kind != "xml"], ids=lambda sample: sample.id)
def test_a_damaged_row_costs_itself_only(sample: Sample, discox: Command, blank: Path, tmp_path: Path) -> None:
    chance = random.Random(sample.id)
    lines = sample.write(TEXTS).split("\n")
    path = tmp_path / sample.name
    for case in range(CASES):
        number = chance.randrange(len(TEXTS))
        row = lines[sample.header + number]
        comma = "," if sample.kind == "json" and row.endswith(",") else ""
        bad = damaged(chance, row.removesuffix(comma), sample.delimiter)
        parts = [line.encode() for line in lines]
        parts[sample.header + number] = bad.replace(b"\n", b" ") + comma.encode()
        path.write_bytes(b"\n".join(parts))
        library = Path(shutil.copy(blank, tmp_path / f"{case}.db"))
        options = ("--no-ground",) if sample.command[0] == "import" else ()
        result = discox(*sample.command, path, "--db", library, *options)
        with closing(sqlite3.connect(library)) as connection:
            found = connection.execute(HELD.get(sample.format, TRANSLATIONS))
            held = {segment for (text,) in found for segment in (text or "").split("\n")}
        cut = sample.kind == "json" and "breaks off" in result.out
        good = [text for at, text in enumerate(TEXTS) if at < number or (at > number and not cut)]
        assert set(good) <= held, (bad, result)
        assert result.code == 0, (bad, result)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_a_cut_file_gives_what_stands_before(sample: Sample, discox: Command, blank: Path, tmp_path: Path) -> None:
    chance = random.Random(sample.id)
    content = sample.write(TEXTS).encode()
    begins = content.index(b"\n", content.index(TEXTS[0].encode())) + 1
    path = tmp_path / sample.name
    for case in range(CASES):
        data = content[: chance.randrange(begins, len(content))]
        path.write_bytes(data)
        library = Path(shutil.copy(blank, tmp_path / f"{case}.db"))
        options = ("--no-ground",) if sample.command[0] == "import" else ()
        result = discox(*sample.command, path, "--db", library, *options)
        assert result.code == 0, (data, result)
        with closing(sqlite3.connect(library)) as connection:
            found = connection.execute(HELD.get(sample.format, TRANSLATIONS))
            held = {segment for (text,) in found for segment in (text or "").split("\n")}
        whole = data.count(b"\n") - sample.header
        assert set(TEXTS[:whole]) <= held, (data, result)
