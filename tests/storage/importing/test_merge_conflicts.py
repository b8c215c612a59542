"""A row that says something else under the same name, one a table: the record, the name and the fields are told."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.importing.merge import Conflict, MergeReport, merge_file
from storage.integrity.opening import open_library
from tests.support import builders, tampering
from tests.support.tables import dump


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with at least one row in each table that can contradict another file's."""
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    tampering.library(path)
    with closing(open_library(path)) as connection:
        builders.a_run(connection)
    tampering.changed_by_hand(
        path,
        "INSERT INTO advice SELECT id, 0, 'drop it', '[]', '[]', 'applied' FROM evaluations",
        "INSERT INTO segmentations SELECT id, '[[\"1\", 0, 1, 0, 1]]' FROM translations",
        "INSERT INTO plans VALUES ('plan', '2026-01-01', 1, '{}', '0.2')",
        "INSERT INTO assignments SELECT 'plan', 'lin', 'lin', position, id, 'review', 0 FROM evaluations",
        "INSERT INTO packs VALUES ('pack', '2026-01-01', 'ours', 3, '[]')",
        "INSERT INTO comparisons VALUES ('pair', '2026-01-01', 'a', 'b', '{}')",
    )
    return path


@pytest.fixture
def two(whole: Path, tmp_path: Path) -> tuple[Path, Path]:
    """This file, and another that holds the same."""
    paths = tmp_path / "here.db", tmp_path / "there.db"
    for path in paths:
        shutil.copy(whole, path)
    return paths


def merged(here: Path, there: Path, *statements: str) -> MergeReport:
    tampering.changed_by_hand(there, *statements)
    with closing(open_library(here)) as connection:
        return merge_file(connection, there)


def test_the_same_twice_contradicts_nothing(two: tuple[Path, Path]) -> None:
    before = dump(two[0], without=("checked",))
    report = merged(*two)
    assert (report.problem, report.conflicts, report.added, report.left_out) == ("", [], {}, [])
    assert dump(two[0], without=("checked",)) == before


ONE = "rowid = (SELECT min(rowid) FROM {0})"
FIRST = "id = (SELECT min(id) FROM {0})"
OF_FIRST = "evaluation_id = (SELECT min(evaluation_id) FROM {0})"
CASES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "articles": (FIRST, "source = 'other', domain = 'law'", "id", ("domain", "source")),
    "translations": (FIRST, "text = 'other'", "id", ("text",)),
    "signatures": (FIRST, "text = 'other'", "id", ("text",)),
    "texts": (FIRST, "text = 'other'", "id", ("text",)),
    "requests": (FIRST, "sample = 7", "id", ("sample",)),
    "plans": (FIRST, "seed = 7, at = '2027-01-01'", "id", ("at", "seed")),
    "assignments": (
        OF_FIRST,
        "blind = 1, position = 99",
        "plan_id || ':' || layer || ':' || evaluation_id",
        ("position", "blind"),
    ),
    "packs": (FIRST, "content = '[1]', at = '2027-01-01', name = 'theirs'", "id", ("content",)),
    "comparisons": (FIRST, "candidate = 'c', at = '2027-01-01'", "id", ("candidate",)),
    "events": (FIRST, "guideline = 'other'", "id", ("guideline",)),
    "build_events": (FIRST, "person = 'zoe'", "id", ("person",)),
    "rubric_points": (
        "article_id = (SELECT min(article_id) FROM rubric_points)",
        "text = 'other'",
        "article_id || ':' || number",
        ("text",),
    ),
    "segmentations": (
        "translation_id = (SELECT min(translation_id) FROM segmentations)",
        "segments = '[]'",
        "translation_id",
        ("segments",),
    ),
    "evaluations": (FIRST, "total = 7, position = 99, line = 88", "id", ("total",)),
    "answers": (OF_FIRST, "raw = 'other'", "evaluation_id", ("raw",)),
    "findings": (f"{OF_FIRST} AND number = 2", "hint = '9'", "evaluation_id || ':' || number", ("hint",)),
    "rubric_verdicts": (OF_FIRST, "label = 'other'", "evaluation_id || ':' || position", ("label",)),
    "advice": (OF_FIRST, "text = 'other'", "evaluation_id || ':' || position", ("text",)),
}
"""Table → which row, what another file says of it, the row's name, and the fields that contradict."""


FREE = {
    "packs": {"at", "name"},
    "comparisons": {"at"},
    "evaluations": {"position", "import_id", "line", "run_id"},
}
"""Columns that may differ between two files that say the same."""


def names(path: Path, table: str, where: str, name: str) -> str:
    """The name of the one row that a condition selects."""
    with closing(sqlite3.connect(path)) as connection:
        ((identity,),) = connection.execute(f"SELECT {name} FROM {table} WHERE {where}").fetchall()
        return str(identity)


def test_rows_that_contradict_are_told_and_kept_and_change_nothing(two: tuple[Path, Path]) -> None:
    here, there = two
    identities = {table: names(here, table, where.format(table), name) for table, (where, _, name, _) in CASES.items()}
    before = dump(here, without=("merge_conflicts", "checked"))
    report = merged(
        here,
        there,
        *(f"UPDATE {table} SET {change} WHERE {case.format(table)}" for table, (case, change, *_) in CASES.items()),
    )
    assert (report.problem, report.left_out, report.added) == ("", [], {})
    assert sorted(report.conflicts) == sorted(
        Conflict(table, identities[table], fields) for table, (*_, fields) in CASES.items()
    )
    assert dump(here, without=("merge_conflicts", "checked")) == before
    kept = {record: (identity, json.loads(content)) for record, identity, content in dump(here)["merge_conflicts"]}
    assert len(kept) == len(dump(here)["merge_conflicts"]) == len(CASES)
    for table, (_, change, *_) in CASES.items():
        identity, said = kept[table]
        column, value = change.split(",")[0].split(" = ")
        assert (identity, str(said[column])) == (identities[table], value.strip("'"))
        assert not set(said) & FREE.get(table, set()), table


def test_when_and_under_what_name_something_came_contradicts_nothing(two: tuple[Path, Path]) -> None:
    report = merged(
        *two,
        "UPDATE packs SET at = '2027-01-01', name = 'theirs'",
        "UPDATE comparisons SET at = '2027-01-01'",
        "UPDATE evaluations SET position = position + 50, line = 88 WHERE run_id IS NULL",
    )
    assert (report.problem, report.conflicts, report.added) == ("", [], {})


def test_a_part_that_this_file_does_not_have_contradicts_it(two: tuple[Path, Path]) -> None:
    here, there = two
    tables = ("rubric_verdicts", "advice")
    expected = {
        (table, names(here, table, OF_FIRST.format(table), "evaluation_id || ':' || position")) for table in tables
    }
    tampering.changed_by_hand(here, *(f"DELETE FROM {table} WHERE {OF_FIRST.format(table)}" for table in tables))
    before = dump(here, without=("merge_conflicts", "checked"))
    article = names(here, "articles", "key = 'river-01'", "id")
    report = merged(here, there, f"INSERT INTO rubric_points VALUES ('{article}', 9, 'nine')")
    found = {(record, of): fields for record, of, fields in report.conflicts}
    assert set(found) == expected | {("rubric_points", f"{article}:9")}
    assert found["rubric_points", f"{article}:9"] == ("text",)
    assert (report.problem, report.added) == ("", {})
    assert dump(here, without=("merge_conflicts", "checked")) == before


def test_all_of_a_new_thing_comes_with_it(whole: Path, tmp_path: Path) -> None:
    here = tmp_path / "here.db"
    with closing(open_library(here)) as connection:
        report = merge_file(connection, whole)
        assert report.conflicts == []
        there = dump(whole)
        counted = {
            name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in (*CASES, "groundings", "grounded_findings", "spans", "calls", "runs", "imports", "batches")
        }
    for name, count in counted.items():
        assert count == len(there[name]) == report.added[name], name


def test_a_report_without_what_is_hidden_keeps_only_what_tells_nothing() -> None:
    report = MergeReport(
        Path("x"),
        {"articles": 2, "events": 3, "findings": 4},
        [Conflict("articles", "a", ("source",)), Conflict("findings", "f", ("hint",))],
        left_out=["something"],  # type: ignore[list-item]
    )
    report.leave_out_hidden()
    assert report.whole is False
    assert report.left_out == []
    assert "events" not in report.added
    assert report.added.get("articles") == 2
    assert [conflict.record for conflict in report.conflicts] == ["articles"]


STATES = ["submitting", "submitted", "lost", "collected"]
"""From the earliest to the latest."""


def test_of_two_states_of_a_batch_the_later_one_holds_with_its_reason(two: tuple[Path, Path]) -> None:
    here, there = two
    pairs = [(ours, theirs) for ours in STATES for theirs in STATES if ours != theirs]
    batch = "INSERT INTO batches SELECT NULL, run_id, '{0}-{1}', at, '{2}', '{3}', '{2}' FROM batches LIMIT 1"
    tampering.changed_by_hand(here, *(batch.format(a, b, "ours", a) for a, b in pairs))
    report = merged(here, there, *(batch.format(a, b, "theirs", b) for a, b in pairs))
    assert (report.problem, report.conflicts, report.added) == ("", [], {})
    with closing(sqlite3.connect(here)) as connection:
        found = {row[0]: row[1:] for row in connection.execute("SELECT token, state, remote, reason FROM batches")}
    for ours, theirs in pairs:
        later = STATES.index(theirs) > STATES.index(ours)
        whose = "theirs" if later else "ours"
        assert found[f"{ours}-{theirs}"] == (theirs if later else ours, whose, whose)
