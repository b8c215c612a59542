"""``discox verdicts``: the review log goes out and comes in whole, in any order, once; what does not fit is named."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discox_tui.cli.parser import run
from storage.integrity.opening import open_library
from storage.record.library import read_evaluation
from storage.reviews.projections import rebuild
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders
from tests.support.driving import library
from tests.support.tables import dump, events

HUMAN = ("events", "verdicts", "reviews", "undone")


def human(path: Path) -> dict[str, Any]:
    tables = dump(path)
    return {name: tables[name] for name in HUMAN}


@pytest.fixture
def reviewed(tmp_path: Path) -> Path:
    """A library with every kind of event of two reviewers."""
    path = tmp_path / "reviewed.db"
    first, second = library(path, {}, {})
    with closing(open_library(path)) as connection:
        for name in ("lin", "okafor"):
            log = ReviewLog(connection, name)
            log.open(first)
            one, two, three, *_ = read_evaluation(connection, first).findings
            log.decide(first, one.id, decision="override", severity="critical", note="看原文 [b]\x1b\u202e\u2028")
            log.decide(first, two.id, decision="duplicate", duplicate_of=one.id)
            log.decide(first, three.id, decision="agree")
            log.undo()
            log.undo()
            log.redo()
            log.set_state(first, "done")
            log.set_state(second, "skipped", "not my field")
    return path


def test_a_log_comes_back_as_it_went(discox: Command, reviewed: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    result = discox("verdicts", "export", file, "--db", reviewed)
    assert result.code == 0
    assert result.out == ""
    lines = file.read_text(encoding="utf-8").splitlines()
    assert f"{len(lines)} events written to {file}" in result.err
    assert list(map(json.loads, lines)) == events(reviewed)
    assert discox("verdicts", "export", "-", "--db", reviewed).out == file.read_text(encoding="utf-8")
    fresh = tmp_path / "fresh.db"
    library(fresh, {}, {})
    report = json.loads(discox("verdicts", "import", file, "--db", fresh, "--json").out)
    assert (report["rows"], report["stored"], report["unchanged"], report["left_out"]) == (len(lines), len(lines), 0, 0)
    assert human(fresh) == human(reviewed)
    again = discox("verdicts", "import", file, "--db", fresh)
    assert again.code == 0
    assert f"{len(lines)} events: 0 new, {len(lines)} known, 0 left out" in again.out
    assert human(fresh) == human(reviewed)


def test_lines_may_come_in_any_order_and_in_parts(discox: Command, reviewed: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.db"
    library(fresh, {}, {})
    lines = discox("verdicts", "export", "-", "--db", reviewed).out.splitlines(keepends=True)
    for number, part in enumerate((lines[5:], lines[:8], list(reversed(lines)))):
        file = tmp_path / f"{number}.jsonl"
        file.write_text("".join(part), encoding="utf-8")
        assert discox("verdicts", "import", file, "--db", fresh).code == 0
    assert human(fresh) == human(reviewed)


def test_an_event_that_says_something_else_under_a_known_id_is_reported_and_stays_out(
    discox: Command, reviewed: Path, tmp_path: Path
) -> None:
    before = human(reviewed)
    (first, *_), same = events(reviewed), tmp_path / "same.jsonl"
    same.write_text(json.dumps(first) + "\n", encoding="utf-8")
    assert discox("verdicts", "import", same, "--db", reviewed).err == ""
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({**first, "reviewer": "zoe"}) + "\n", encoding="utf-8")
    said = discox("verdicts", "import", other, "--db", reviewed)
    assert "1 event of the same id" in said.err
    assert first["id"] in said.err
    assert json.loads(discox("verdicts", "import", other, "--json", "--db", reviewed).out)["contradicted"] == [
        first["id"]
    ]
    assert human(reviewed) == before


def test_verdicts_may_come_before_what_they_are_of(
    discox: Command, sample: Path, sample_files: Path, tmp_path: Path
) -> None:
    fresh = tmp_path / "fresh.db"
    for name in ("lin", "okafor"):
        result = discox("verdicts", "import", sample_files / f"verdicts-{name}.jsonl", "--db", fresh)
        assert result.code == 0
    assert "11 evaluations not in this database yet, for which the verdicts wait" in result.out
    assert json.loads(discox("list", "--db", fresh, "--json").out) == []
    assert discox("import", sample_files, "--db", fresh, "--judge", "meridian-pro").code == 0
    assert human(fresh) == human(sample)
    assert (
        discox("consistency", "--db", fresh, "--json").out == discox("consistency", "--db", sample, "--json").out != ""
    )


def test_the_derived_tables_follow_from_the_log(sample: Path, reviewed: Path) -> None:
    for path in (sample, reviewed):
        before = human(path)
        with closing(open_library(path)) as connection:
            rebuild(connection)
        assert human(path) == before


GOOD = {
    "id": "e1",
    "at": "2026-05-11T01:04:20.000000Z",
    "reviewer": "lin",
    "kind": "verdict",
    "evaluation": "v1",
    "finding": "f1",
    "changes": {"decision": "agree"},
}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": None}, "id"),
        ({"id": 7}, "id"),
        ({"at": "yesterday"}, "at"),
        ({"at": "2026-05-11T01:04:20"}, "at"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "at"),
        ({"reviewer": ""}, "reviewer"),
        ({"kind": "opinion"}, "kind"),
        ({"evaluation": ["v1"]}, "evaluation"),
        ({"finding": None}, "finding"),
        ({"kind": "undo"}, "target"),
        ({"changes": [1]}, "changes"),
        ({"changes": {"decision": "perhaps"}}, "changes.decision"),
        ({"changes": {"severity": 3}}, "changes.severity"),
        ({"changes": {"dimension": "style"}}, "changes.dimension"),
        ({"changes": {"category": "misc"}}, "changes.category"),
        ({"changes": {"colour": "red"}}, "changes.colour"),
        ({"kind": "review", "changes": {"state": "half"}}, "changes.state"),
        ({"kind": "opened", "changes": {"decision": "agree"}}, "changes.decision"),
        ({"kind": "time", "changes": {"seconds": {"": -1}}}, "changes.seconds"),
        ({"changes": {"spans": [["source", 2, 1]]}}, "changes.spans"),
        ({"counter": -1}, "counter"),
        ({"counter": 1 << 53}, "counter"),
        ({"counter": True}, "counter"),
        ({"counter": "1"}, "counter"),
    ],
)
def test_a_line_that_does_not_fit_is_named_by_line_and_field_and_the_others_arrive(
    discox: Command, tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    file = tmp_path / "log.jsonl"
    rows = [GOOD, GOOD | change, GOOD | {"id": "e2"}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = discox("verdicts", "import", file, "--db", tmp_path / "a.db", "--json")
    assert result.code == 0
    report = json.loads(result.out)
    assert (report["rows"], report["stored"], report["left_out"]) == (3, 2, 1)
    assert [(note["line"], note["field"]) for note in report["notes"]] == [(2, field)]
    plain = discox("verdicts", "import", file, "--db", tmp_path / "b.db")
    assert plain.err.startswith(f"{file}:2: {field} ")
    assert plain.err.count("\n") == 1
    assert len(events(tmp_path / "b.db")) == 2


@pytest.mark.parametrize(
    "line",
    [
        *("{", "[]", "7", "nothing", '{"id": "x"', "[" * 100_000, '{"id": "\\ud800"}'),
        json.dumps(GOOD)[:-1] + ', "id": "e9"}',
        json.dumps(GOOD).replace('"agree"', "NaN"),
        json.dumps(GOOD | {"kind": "time"}).replace('"decision": "agree"', '"seconds": {"": 1e999}'),
    ],
    ids=lambda line: line[:12] + line[-12:],
)
def test_what_is_no_event_is_left_out(discox: Command, tmp_path: Path, line: str) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(f"\ufeff{json.dumps(GOOD)}\r\n\r\n{line}\r\n", encoding="utf-8")
    report = json.loads(discox("verdicts", "import", file, "--db", tmp_path / "a.db", "--json").out)
    assert (report["stored"], report["left_out"]) == (1, 1)
    assert report["notes"][0]["line"] == 3


@pytest.mark.parametrize("name", ["id", "reviewer", "evaluation", "finding", "note"])
def test_text_that_cannot_be_stored_is_left_out_or_mended(discox: Command, tmp_path: Path, name: str) -> None:
    file = tmp_path / "log.jsonl"
    bad = "a\ud800b\x00c"
    row = GOOD | ({"changes": {"note": bad}} if name == "note" else {name: bad})
    file.write_text("\n".join(map(json.dumps, (row, GOOD | {"id": "e2"}))), encoding="utf-8")
    result = discox("verdicts", "import", file, "--db", tmp_path / "a.db", "--json")
    report = json.loads(result.out)
    assert report["stored"] + report["left_out"] == 2
    assert report["stored"] >= 1
    assert discox("verdicts", "export", "-", "--db", tmp_path / "a.db").code == 0


def test_a_log_without_one_good_line_fails(discox: Command, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("nothing\n")
    assert discox("verdicts", "import", file, "--db", tmp_path / "a.db").code == 1


@pytest.mark.parametrize("content", [None, b"", "江".encode("utf-16"), "江水流过江边".encode("gb18030")])
def test_a_log_that_cannot_be_read_is_one_line(discox: Command, tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "log.jsonl"
    if content is not None:
        file.write_bytes(content)
    result = discox("verdicts", "import", file, "--db", tmp_path / "a.db")
    assert (result.code, result.out) == (1, "")
    assert result.err.count("\n") == 1
    assert str(file) in result.err


def test_an_export_that_cannot_be_written_leaves_the_old_file(discox: Command, reviewed: Path, tmp_path: Path) -> None:
    result = discox("verdicts", "export", tmp_path / "no" / "log.jsonl", "--db", reviewed)
    assert result.code == 1
    assert "cannot be written" in result.err
    folder = tmp_path / "folder"
    folder.mkdir()
    result = discox("verdicts", "export", folder, "--db", reviewed)
    assert result.code == 1
    assert list(tmp_path.glob("*.part")) == []


def test_a_file_of_evaluations_is_no_log(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    result = discox("verdicts", "import", next(sample_files.glob("*partial.jsonl")), "--db", tmp_path / "a.db")
    assert result.code == 1
    assert "Traceback" not in result.err


def test_an_export_replaces_nothing_but_an_earlier_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = tmp_path / "a.db"
    builders.two_evaluations(database)[0].close()
    other = tmp_path / "notes.txt"
    other.write_text("mine\n", encoding="utf-8")
    for target in (database, other, tmp_path):
        assert run(["verdicts", "export", str(target), "--db", str(database)]) == 1
        assert str(target) in capsys.readouterr().err
    assert other.read_text(encoding="utf-8") == "mine\n"
    assert run(["list", "--json", "--db", str(database)]) == 0
    log = tmp_path / "log.jsonl"
    for _ in range(2):
        assert run(["verdicts", "export", str(log), "--db", str(database)]) == 0


def test_a_verdict_on_what_is_not_there_is_left_out_by_line(discox: Command, reviewed: Path, tmp_path: Path) -> None:
    """Of an evaluation that is here; of one that is not, nobody knows yet."""
    evaluation = events(reviewed)[0]["evaluation"]
    (finding, *_) = [each["finding"] for each in events(reviewed) if each["kind"] == "verdict"]
    good = GOOD | {"evaluation": evaluation, "finding": finding}
    rows = [
        good,
        good | {"id": "e2", "finding": "f1"},
        good | {"id": "e3", "kind": "error", "changes": {"severity": "major"}},
        good | {"id": "e4", "changes": {"spans": [["source", 0, 100_000]]}},
        GOOD | {"id": "e5"},
    ]
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = json.loads(discox("verdicts", "import", file, "--db", reviewed, "--json").out)
    assert (report["stored"], report["left_out"]) == (2, 3)
    assert [(note["line"], note["field"]) for note in report["notes"]] == [
        (2, "finding"),
        (3, "finding"),
        (4, "changes.spans"),
    ]


def test_fields_of_events_that_the_log_does_not_know_are_said_once(discox: Command, tmp_path: Path) -> None:
    about = {"at": "2026-05-04T12:00:00.000000Z", "reviewer": "lin", "kind": "opened", "evaluation": "x"}
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({"id": f"e{n}", **about, "mood": n}) + "\n" for n in range(3)))
    result = discox("verdicts", "import", path, "--db", tmp_path / "x.db")
    assert (result.code, result.err.count("mood"), "“mood” (3)" in result.err) == (0, 1, True)
    plain = json.loads(discox("verdicts", "import", path, "--json", "--db", tmp_path / "x.db").out)
    assert plain["unknown_fields"] == {"mood": 3}
