"""COMET's JSON: spans of XCOMET, scores alone of models that mark none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Remark, ScoreLine
from storage.formats.io.rows import LeftOut
from storage.formats.tools import xcomet
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.storage.formats.reading import read_as, sniffed


def written(folder: Path, held: object) -> Path:
    path = folder / "out.json"
    path.write_text(json.dumps(held, indent=4))
    return path


def error(text: str, start: object, end: object, severity: str = "minor") -> dict[str, Any]:
    return {"text": text, "confidence": 0.4, "severity": severity, "start": start, "end": end}


def test_spans_are_placed_without_their_leading_space_and_no_errors_are_clean(tmp_path: Path) -> None:
    rows = [
        {
            "src": "s",
            "mt": "the old 😀 dog",
            "COMET": 0.7,
            "errors": [error("old 😀", 3, 9, "critical"), error("x", 0, 3)],
        },
        {"src": "t", "mt": "fine", "ref": "r", "COMET": 0.9},
    ]
    path = written(tmp_path, {"outputs/en-de/A.b.txt": rows, "B": rows[1:]})
    assert sniffed(path, "xcomet")
    found = list(read_as(path, "xcomet", ReadOptions()))
    assert all(isinstance(item, Annotation) for item in found)
    first, clean, other = [item for item in found if isinstance(item, Annotation)]
    assert [a.document.system for a in (first, clean, other)] == ["A.b", "A.b", "B"]
    placed, differs = first.marks
    assert "the old 😀 dog"[slice(*placed.places[0][1:])] == "old 😀"
    assert (placed.severity, placed.kept["confidence"]) == ("critical", 0.4)
    assert differs.unplaced == "holds other words than it quotes"
    assert (first.annotator, first.human, first.metric, first.score) == ("XCOMET", False, "XCOMET", 0.7)
    assert [row.kind for row in clean.unmarked] == ["clean"]


def test_of_a_model_that_marks_nothing_only_scores_come(tmp_path: Path) -> None:
    rows = [{"src": "s", "mt": "m", "COMET": 0.5}, {"src": "s", "mt": "m", "COMET": None}]
    items = list(read_as(written(tmp_path, {"A.txt": rows}), "xcomet", ReadOptions(judge="wmt22-comet-da")))
    assert [type(item) for item in items] == [Remark, ScoreLine, LeftOut]
    assert [(i.metric, i.system, i.human) for i in items if isinstance(i, ScoreLine)] == [
        ("wmt22-comet-da", "A", False)
    ]


def test_segments_of_two_systems_stand_beside_each_other(tmp_path: Path) -> None:
    rows = [{"src": "s", "mt": "m", "COMET": 0.5, "errors": []}]
    found = list(read_as(written(tmp_path, {"A": rows, "B": rows}), "xcomet", ReadOptions()))
    assert len({item.document.article for item in found if isinstance(item, Annotation)}) == 1


def test_findings_are_stored_once_with_their_places(tmp_path: Path) -> None:
    path = written(tmp_path, {"A": [{"src": "s", "mt": "a dog", "COMET": 0.5, "errors": [error("dog", 1, 5)]}]})
    connection = open_library(tmp_path / "library.db")
    first, second = import_path(connection, path), import_path(connection, path)
    assert (first.format, first.rows, first.stored, second.unchanged) == ("xcomet", 1, 1, 1)
    assert connection.execute("SELECT severity_label FROM findings").fetchall() == [("minor",)]


def test_a_file_that_breaks_off_gives_what_stands_before(tmp_path: Path) -> None:
    rows = [{"src": "s", "mt": "m", "COMET": 0.5, "errors": []}] * 2
    path = written(tmp_path, {"A": rows})
    path.write_text(path.read_text()[:-40])
    items = list(read_as(path, "xcomet", ReadOptions()))
    assert {type(item) for item in items} == {Annotation, LeftOut}


@pytest.mark.parametrize("name", ["A", "a/A.txt", "C:\\x\\A.txt", "A.txt"])
def test_a_system_is_called_as_its_file(name: str) -> None:
    assert xcomet.system_of(name) == "A"


values = st.recursive(
    st.none() | st.integers(-2, 9) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["start", "end", "text"]), inner),
    max_leaves=5,
)
rows = st.dictionaries(st.sampled_from(["src", "mt", "COMET", "errors", "ref"]), values | st.text(max_size=5))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(rows, max_size=4))
def test_no_row_raises_or_gets_lost(tmp_path: Path, given: list[dict[str, Any]]) -> None:
    held = [{"src": "s", "mt": "m", "COMET": 0.5}, *given]
    path = written(tmp_path, {"A": held})
    assert sniffed(path, "xcomet")
    items = list(read_as(path, "xcomet", ReadOptions()))
    assert sum(i.rows if isinstance(i, Annotation) else not isinstance(i, Remark) for i in items) == len(held)
