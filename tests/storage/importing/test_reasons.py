"""One reason, one line: whatever the rows are called, with how many they are and where the first stand."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.base.reasons import first_lines, grouped
from storage.formats.io.rows import LeftOut
from storage.importing.import_report import FileReport, imports
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command


def report_of(*rows: tuple[int, str, str]) -> FileReport:
    report = FileReport(Path("scores.tsv"))
    for line, field, reason in rows:
        report.leave_out(LeftOut(line, "bad", field, reason, "mend it"))
    return report


def test_one_reason_is_one_line_with_the_first_lines_of_the_file() -> None:
    rows = [(n, "score", "is None") for n in range(2, 1202)]
    report = report_of(*rows, (1300, "score", "is “x”, no number"), (1301, "", "has 3 cells"))
    assert report.lines() == [
        "  scores.tsv: left out: 1,200 rows: score: is None; mend it (lines 2, 3, 4, 5, 6, 7, 8, 9 …)",
        "  scores.tsv:1300: left out: score: is “x”, no number; mend it",
        "  scores.tsv:1301: left out: has 3 cells; mend it",
    ]
    assert len(report.as_json()["notes"]) == 1202


def test_what_differs_by_names_and_numbers_goes_together_but_a_few_are_said_each() -> None:
    few = [(n, "doc", f"is “d{n}”, item {n}: unknown") for n in (1, 2, 3)]
    assert len(report_of(*few).lines()) == 3
    many = [(n, "doc", f"is “d{n}”, item {n}: unknown") for n in range(1, 31)]
    assert report_of(*many).lines() == [
        "  scores.tsv: left out: 30 rows: doc: is “d1”, item 1: unknown; mend it, and the like "
        "(lines 1, 2, 3, 4, 5, 6, 7, 8 …)"
    ]
    bare = [(n, "doc", f"{'ab' * n} is unknown") for n in range(1, 31)]
    assert len(report_of(*bare).lines()) == 1


def test_what_is_of_the_whole_file_is_said_each() -> None:
    report = report_of()
    for name in "abcdefghij":
        report.flag(0, "mapping", f"{name} / Minor: severity lost (3 times)")
    assert len(report.lines()) == 10


def test_lines_are_named_once_and_not_where_none_is_known() -> None:
    assert [first_lines(lines) for lines in ([], [0, 0], [3, 3], [1, 2])] == ["", "", " (line 3)", " (lines 1, 2)"]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.text("x1“”", max_size=3))))
def test_every_thing_is_in_one_group_and_groups_come_as_their_first(things: list[tuple[str, str]]) -> None:
    numbered = list(enumerate(things))
    groups = grouped(numbered, lambda each: each[1][0], lambda each: each[1][1])
    assert sorted(each for group in groups for each in group.things) == numbered
    assert [group.things[0][0] for group in groups] == sorted(group.things[0][0] for group in groups)
    for group in groups:
        assert len({kind for _, (kind, _) in group.things}) == 1
        assert group.alike == (len({message for _, (_, message) in group.things}) == 1)


@pytest.fixture
def averages(tmp_path: Path) -> Path:
    path = tmp_path / "mqm_deen.avg_seg_scores.tsv"
    rows = [f"A\t{'None' if n % 3 else -n}\t{n}" for n in range(1, 301)]
    path.write_text("\n".join(["system\tmqm_avg_score\tseg_id", *rows]) + "\n")
    return path


def test_the_library_keeps_a_reason_once_and_every_row(averages: Path, tmp_path: Path, discox: Command) -> None:
    result = discox("import", averages, "--db", tmp_path / "a.db")
    (line,) = [line for line in result.out.splitlines() if "None" in line]
    assert "200 rows" in line
    assert "(lines 2, 3, 5, 6, 8, 9, 11, 12 …)" in line
    told = json.loads(discox("import", averages, "--json", "--db", tmp_path / "b.db").out)
    lines = [n + 1 for n in range(1, 301) if n % 3]
    assert [note["line"] for note in told["files"][0]["notes"] if note["code"] == "not_rated"] == lines
    with closing(open_library(tmp_path / "a.db")) as connection:
        count = "SELECT count(*), sum(length(rows)) FROM import_reasons WHERE code = 'not_rated'"
        assert connection.execute(count).fetchone() == (1, len(json.dumps(lines)))
        kept = connection.execute("SELECT line FROM import_notes WHERE code = 'not_rated' ORDER BY id").fetchall()
        assert [line for (line,) in kept] == lines
        ((_, _, report),) = imports(connection)
        assert [note.line for note in report.notes if note.code == "not_rated"] == lines
        assert import_path(connection, averages).left_out == 200


def test_lines_of_a_log_that_do_not_fit_are_one_line(tmp_path: Path, discox: Command) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"kind": "what"}\n' * 40)
    said = discox("verdicts", "import", path, "--db", tmp_path / "a.db").err.splitlines()
    (line,) = [line for line in said if "kind" in line or "left out" in line][:1]
    assert "40 lines were left out (lines 1, 2, 3, 4, 5, 6, 7, 8 …)" in line
