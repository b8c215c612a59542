"""Any bytes at all can be imported: nothing is raised, the report adds up, and the good rows around them arrive."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discox_tui.cli.sample import sample_folder
from storage.importing.import_report import FileReport, imports
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.record.library import read_evaluation

ROWS: list[dict[str, Any]] = json.loads(next(sample_folder().glob("*aurora*")).read_text(encoding="utf-8"))[
    "detailed_results"
]
LINES = [json.dumps(row, ensure_ascii=False).encode() for row in ROWS]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def take(folder: Path, name: str, data: bytes) -> tuple[FileReport, int]:
    """Import the bytes into a new library that is forgotten; return the report and how many evaluations there are."""
    file = folder / name
    file.write_bytes(data)
    database = folder / "a.db"
    for leftover in folder.glob("a.db*"):
        leftover.unlink()
    with closing(open_library(database)) as connection:
        report = import_path(connection, file)
        assert report.rows == report.stored + report.unchanged + report.left_out
        assert "\n" not in report.problem
        assert all("\n" not in note.message for note in report.notes)
        assert sum(note.kind == "left_out" for note in report.notes) == report.left_out
        kept = imports(connection)
        assert len(kept) == (0 if report.problem else 1)
        ids = [row[0] for row in connection.execute("SELECT id FROM evaluations")]
        for identity in ids:
            read_evaluation(connection, identity)
        again = import_path(connection, file)
        assert (again.stored, again.rows) == (0, report.rows)
        assert again.problem == report.problem
        json.dumps([report.as_json(), again.as_json()], allow_nan=False)
    return report, len(ids)


@given(data=st.binary(max_size=400))
@example(data=b"\x0b")
@pytest.mark.parametrize("name", ["x-DISCOXpartial.jsonl", "x-DISCOXresult.json"])
def test_any_bytes(folder: Path, name: str, data: bytes) -> None:
    take(folder, name, data)


@given(line=st.binary(max_size=200).filter(lambda line: line.strip() and b"\n" not in line))
def test_a_bad_line_among_good_ones_costs_itself_only(folder: Path, line: bytes) -> None:
    report, count = take(folder, "x-DISCOXpartial.jsonl", b"\n".join([LINES[0], line, LINES[1]]))
    assert (report.problem, count) == ("", 2)
    assert report.left_out <= 1
    assert all(note.line == 2 for note in report.notes if note.kind == "left_out")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["是", "错误", "[]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    if path:
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*path, key))


PLACES = list(places(ROWS[0]))


@given(place=st.sampled_from(PLACES), value=JSON)
def test_any_value_in_any_place_of_a_row(folder: Path, place: tuple[Any, ...], value: Any) -> None:
    row = json.loads(json.dumps(ROWS[0]))
    inner = row
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    report, count = take(folder, "x-DISCOXpartial.jsonl", json.dumps(row).encode() + b"\n" + LINES[1])
    assert report.problem == ""
    assert count == 2 - report.left_out
    assert report.left_out <= 1


@given(cut=st.integers(0, len(LINES[0])))
def test_a_row_cut_anywhere(folder: Path, cut: int) -> None:
    report, count = take(folder, "x-DISCOXpartial.jsonl", LINES[1] + b"\n" + LINES[0][:cut])
    assert report.problem == ""
    assert count == 1 + (cut == len(LINES[0]))
    assert report.left_out == (0 < cut < len(LINES[0]))


@given(data=st.data())
def test_a_result_file_damaged_anywhere_gives_what_stands_before(folder: Path, data: st.DataObject) -> None:
    whole = json.dumps({"model": "x", "detailed_results": ROWS}, ensure_ascii=False).encode()
    at = data.draw(st.integers(whole.index(b"["), len(whole) - 1))
    damage = data.draw(st.binary(min_size=1, max_size=3))
    report, count = take(folder, "x-DISCOXresult.json", whole[:at] + damage + whole[at + len(damage) :])
    end_of = [
        len(json.dumps({"model": "x", "detailed_results": ROWS[:n]}, ensure_ascii=False).encode()) - 2 for n in range(5)
    ]
    before = sum(end <= at for end in end_of[1:])
    assert count >= before
    assert not report.problem or before == 0
