"""``discox import`` from a user's files to rows: what arrives, what is left out and said, and that twice is once."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discox_tui.cli.core.output import progress_line
from storage.importing.import_report import imports
from tests.conftest import Command
from tests.support.tables import dump

SYSTEMS = {"aurora-72b": 4, "heron-14b": 4, "sparrow-3b": 4}


def adds_up(report: dict[str, Any]) -> bool:
    return report["rows"] == report["stored"] + report["unchanged"] + report["left_out"]


def imported(discox: Command, database: Path, *paths: Path, more: tuple[str, ...] = ()) -> dict[str, Any]:
    result = discox("import", "--db", database, "--json", *more, *paths)
    assert result.err == ""
    report: dict[str, Any] = json.loads(result.out)
    assert adds_up(report)
    assert all(map(adds_up, report["files"]))
    for name in ("rows", "stored", "unchanged", "left_out"):
        assert report[name] == sum(file[name] for file in report["files"])
    return report


def listed(discox: Command, database: Path, *words: str) -> list[dict[str, Any]]:
    result = discox("list", "--db", database, "--json", *words)
    assert (result.code, result.err) == (0, "")
    rows: list[dict[str, Any]] = json.loads(result.out)
    return rows


# --- the sample ---


def test_a_folder_is_imported_once_however_often(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    first = imported(discox, database, sample_files, more=("--judge", "meridian-pro"))
    assert (first["rows"], first["left_out"]) == (17, 1)
    over = [Path(file["file"]).name for file in first["files"] if file["passed_over"]]
    assert over == ["audit-sample.zip", "verdicts-lin.jsonl", "verdicts-okafor.jsonl"]
    before = dump(database)
    assert len(before["evaluations"]) == sum(SYSTEMS.values())
    second = imported(discox, database, sample_files, more=("--judge", "meridian-pro"))
    assert (second["stored"], second["unchanged"], second["left_out"]) == (0, 16, 1)
    assert dump(database) == before


def test_files_one_by_one_give_what_the_folder_gives(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    imported(discox, whole, sample_files)
    for file in sorted(sample_files.glob("*DISCOX*")):
        assert discox("import", "--db", parts, "--no-ground", file).code == 0
    assert discox("ground", "--db", parts, "--quiet").code == 0
    moments = ("imports", "import_notes", "groundings", "_sqlite_migrations")
    assert dump(parts, without=moments) == dump(whole, without=moments)


def test_an_import_says_what_became_of_every_row(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    result = discox("import", "--db", tmp_path / "a.db", sample_files)
    assert result.code == 0
    assert "5 rows = 4 stored + 0 unchanged + 1 left out" in result.out
    assert re.search(
        r"sparrow-3b-DISCOXpartial\.jsonl:1: left out: error: the task failed: Request timed out", result.out
    )
    assert re.search(r"heron-14b-DISCOXresult\.json:\d+: flag: fluency: nothing usable", result.out)
    assert "verdicts-lin.jsonl: is a log of verdicts; bring it in with `discox verdicts import`" in result.err


def test_the_judge_and_the_system_may_be_given(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    file = next(sample_files.glob("*aurora*"))
    imported(discox, tmp_path / "a.db", file, more=("--judge", "osprey", "--system", "aurora/72b"))
    assert {(row["judge"], row["system"]) for row in listed(discox, tmp_path / "a.db")} == {("osprey", "aurora/72b")}
    imported(discox, tmp_path / "a.db", file, more=("--judge", "another", "--system", "aurora/72b"))
    assert len(listed(discox, tmp_path / "a.db")) == 8


def test_another_judge_is_another_evaluation_of_the_same_translation(
    discox: Command, sample_files: Path, tmp_path: Path
) -> None:
    database = tmp_path / "a.db"
    file = next(sample_files.glob("*aurora*"))
    imported(discox, database, file, more=("--judge", "one"))
    imported(discox, database, file, more=("--judge", "two"))
    tables = dump(database)
    assert (len(tables["evaluations"]), len(tables["translations"]), len(tables["articles"])) == (8, 4, 4)
    assert any(flag["code"] == "another_evaluation" for row in listed(discox, database) for flag in row["flags"])


# --- the worked cases of the official code ---


def test_every_row_of_the_official_cases_is_read_right(discox: Command, shared: Path, tmp_path: Path) -> None:
    folder = shared / "cases" / "official"
    database = tmp_path / "a.db"
    imported(discox, database, *sorted(folder.glob("*result.json")))
    rows = {(row["system"], row["article"]): row for row in listed(discox, database)}
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert len(rows) == len(expected)
    for wanted in expected:
        row = rows[wanted["system"], str(wanted["prompt_id"])]
        where = (wanted["system"], wanted["prompt_id"], wanted["note"])
        assert row["state"] == wanted["state"], where
        assert sorted(row["failed"]) == sorted(wanted["failed"]), where
        score = row["score"]
        got = score and [score["accuracy"], score["fluency"], score["appropriateness"]]
        assert got == wanted["recomputed"], where
        assert score is None or score["total"] == sum(got), where
        assert row["stored_score"] is None or row["stored_score"]["total"] == wanted["official_score"], where
        if got is not None and row["stored_score"] and score["total"] != wanted["official_score"]:
            assert any(flag["code"] == "score_differs" for flag in row["flags"]), where


def test_partial_and_result_files_are_of_the_same_evaluations(discox: Command, shared: Path, tmp_path: Path) -> None:
    folder = shared / "cases" / "official"
    ids = {}
    for kind in ("*result.json", "*partial.jsonl"):
        database = tmp_path / f"{kind[1:8]}.db"
        imported(discox, database, *sorted(folder.glob(kind)), more=("--no-ground",))
        ids[kind] = {row["id"] for row in listed(discox, database)}
    assert ids["*result.json"] == ids["*partial.jsonl"] != set()


def test_ids_do_not_depend_on_the_database_or_the_way_in(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    result = next(sample_files.glob("*aurora*"))
    rows = json.loads(result.read_text(encoding="utf-8"))["detailed_results"]
    partial = tmp_path / result.name.replace("result.json", "partial.jsonl")
    partial.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in reversed(rows)), encoding="utf-8")
    found = []
    for name, file in (("one.db", result), ("two.db", partial)):
        imported(discox, tmp_path / name, file)
        tables = dump(tmp_path / name)
        found.append(({row[1] for row in tables["evaluations"]}, {row[0] for row in tables["findings"]}))
    assert found[0] == found[1]
    again = imported(discox, tmp_path / "one.db", partial)
    assert (again["stored"], again["unchanged"]) == (0, 4)


def test_the_real_data_set_is_read_whole(discox: Command, shared: Path, tmp_path: Path) -> None:
    report = imported(discox, tmp_path / "a.db", shared / "data" / "discox" / "DISCOX-filtered.json")
    assert (report["stored"], report["left_out"]) == (200, 0)


# --- hostile files ---

Rows = list[dict[str, Any]]


@pytest.fixture
def rows(sample_files: Path) -> Rows:
    """The rows of one system, as a result file holds them."""
    file = next(sample_files.glob("*aurora*"))
    found: Rows = json.loads(file.read_text(encoding="utf-8"))["detailed_results"]
    return found


def lines(rows: Rows) -> list[str]:
    return [json.dumps(row, ensure_ascii=False) for row in rows]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: ("\n\n" + text.replace("\n", "\n \n")).encode(),
        lambda text: text.rstrip("\n").encode(),
    ],
    ids=["byte-order mark", "CRLF", "blank lines", "no last line end"],
)
def test_what_editors_do_to_a_file_changes_nothing(
    discox: Command, rows: Rows, tmp_path: Path, encode: Callable[[str], bytes]
) -> None:
    plain, edited = tmp_path / "x-DISCOXpartial.jsonl", tmp_path / "edited" / "x-DISCOXpartial.jsonl"
    edited.parent.mkdir()
    text = "".join(f"{line}\n" for line in lines(rows))
    plain.write_text(text, encoding="utf-8")
    edited.write_bytes(encode(text))
    imported(discox, tmp_path / "a.db", plain)
    report = imported(discox, tmp_path / "a.db", edited)
    assert (report["stored"], report["unchanged"], report["left_out"]) == (0, 4, 0)


@pytest.mark.parametrize(("encoding", "name"), [("utf-16", "UTF-16"), ("utf-16-le", "UTF-16"), ("gb18030", "GB18030")])
@pytest.mark.parametrize("kind", ["result.json", "partial.jsonl"])
def test_another_encoding_is_named_with_the_way_out(
    discox: Command, rows: Rows, tmp_path: Path, encoding: str, name: str, kind: str
) -> None:
    file = tmp_path / f"x-DISCOX{kind}"
    whole = {"model": "x", "detailed_results": rows}
    text = "\n".join(lines(rows)) if kind == "partial.jsonl" else json.dumps(whole, ensure_ascii=False)
    file.write_bytes(text.encode(encoding))
    result = discox("import", "--db", tmp_path / "a.db", file)
    assert (result.code, result.out) == (1, "")
    assert result.err.count("\n") == 1
    assert str(file) in result.err
    assert f"looks like {name}, not UTF-8; convert it (iconv -f {name}" in result.err


def spoilt(rows: Rows, **fields: Any) -> str:
    return json.dumps(rows[1] | fields, ensure_ascii=False)


BROKEN: dict[str, tuple[Callable[[Rows], str], str, str]] = {
    "half written": (lambda rows: lines(rows)[1][:900], "", "breaks off"),
    "not JSON": (lambda rows: "{'prompt_id': 1}", "", "is not JSON"),
    "a list": (lambda rows: "[1, 2]", "", "a list, not a JSON object"),
    "a number": (lambda rows: "17", "", "a number, not a JSON object"),
    "two values": (lambda rows: "{} {}", "", "more than one JSON value"),
    "deep nesting": (lambda rows: '{"a":' * 100_000 + "1" + "}" * 100_000, "", "nested too deeply"),
    "deep nesting within a row": (
        lambda rows: json.dumps(rows[1])[:-1] + ', "more": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "",
        "nested too deeply",
    ),
    "no source": (lambda rows: spoilt(rows, ori_text=None), "ori_text", "missing or empty"),
    "a source that is a number": (lambda rows: spoilt(rows, ori_text=3), "ori_text", "a number, not text"),
    "no article": (lambda rows: spoilt(rows, prompt_id=None), "prompt_id", "not the article's number"),
    "an article that is a list": (lambda rows: spoilt(rows, prompt_id=[]), "prompt_id", "not the article's number"),
    "a translation that is a list": (lambda rows: spoilt(rows, model_output=["a"]), "model_output", "a list, not text"),
    "a failed task": (lambda rows: '{"error": "no\\nanswer", "traceback": ""}', "error", "the task failed: no answer"),
}


@pytest.mark.parametrize(("make", "field", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_line_is_named_and_the_others_arrive(
    discox: Command, rows: Rows, tmp_path: Path, make: Callable[[Rows], str], field: str, said: str
) -> None:
    file = tmp_path / "x-DISCOXpartial.jsonl"
    good = lines(rows)
    file.write_text("\n".join([good[0], make(rows), good[2], good[3]]), encoding="utf-8")
    report = imported(discox, tmp_path / "a.db", file)
    assert (report["rows"], report["stored"], report["left_out"]) == (4, 3, 1)
    (note,) = [note for note in report["files"][0]["notes"] if note["kind"] == "left_out"]
    assert (note["line"], note["field"] or "") == (2, field)
    assert said in note["message"]
    assert "; " in note["message"], "it says how to mend it"
    shown = discox("import", "--db", tmp_path / "b.db", file).out
    assert f"{file.name}:2: left out:{f' {field}:' if field else ''} {note['message']}" in shown


def test_a_line_cut_within_a_character_is_left_out(discox: Command, rows: Rows, tmp_path: Path) -> None:
    file = tmp_path / "x-DISCOXpartial.jsonl"
    file.write_bytes(f"{lines(rows)[0]}\n".encode() + '{"prompt_id": 1, "ori_text": "江'.encode()[:-1])
    report = imported(discox, tmp_path / "a.db", file)
    assert (report["stored"], report["left_out"]) == (1, 1)
    assert report["files"][0]["notes"][-1]["line"] == 2


def test_a_result_file_that_breaks_off_gives_the_rows_before(
    discox: Command, sample_files: Path, tmp_path: Path
) -> None:
    whole = next(sample_files.glob("*aurora*")).read_text(encoding="utf-8")
    file = tmp_path / "x-DISCOXresult.json"
    file.write_text(whole[: len(whole) * 3 // 4], encoding="utf-8")
    report = imported(discox, tmp_path / "a.db", file)
    assert report["stored"] >= 2
    assert report["left_out"] == 1
    note = report["files"][0]["notes"][-1]
    assert note["kind"] == "left_out"
    assert note["line"] > 100


def test_separators_and_carriage_returns_within_a_text_end_no_line(discox: Command, rows: Rows, tmp_path: Path) -> None:
    text = "one\u2028two\u2029three\x85four\rfive\x0bsix\x0cseven"
    file = tmp_path / "x-DISCOXpartial.jsonl"
    raw = json.dumps(rows[0] | {"model_output": text}, ensure_ascii=False).replace("\\r", "\r")
    file.write_bytes(f"{raw}\n{lines(rows)[1]}\n".encode())
    report = imported(discox, tmp_path / "a.db", file)
    assert (report["stored"], report["left_out"]) == (2, 0)
    first = listed(discox, tmp_path / "a.db")[0]
    assert json.loads(discox("show", "--db", tmp_path / "a.db", "--json", first["id"]).out)["translation"] == text


def test_nul_and_lone_surrogates_are_replaced_one_for_one_and_said(discox: Command, rows: Rows, tmp_path: Path) -> None:
    file = tmp_path / "x-DISCOXpartial.jsonl"
    file.write_text(json.dumps(rows[0] | {"model_output": "a\x00b\ud800c\udc00d"}) + "\n", encoding="utf-8")
    report = imported(discox, tmp_path / "a.db", file)
    assert report["stored"] == 1
    assert "replaced_characters" in {note["code"] for note in report["files"][0]["notes"]}
    first = listed(discox, tmp_path / "a.db")[0]
    shown = json.loads(discox("show", "--db", tmp_path / "a.db", "--json", first["id"]).out)
    assert shown["translation"] == "a\ufffdb\ufffdc\ufffdd"


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        ({"reference_list": 5}, "field_type"),
        ({"score": "high"}, "stored_score_unreadable"),
        ({"domain_score": {"a": 1}}, "stored_score_unreadable"),
        ({"Primary_Domain": ["law"]}, "field_type"),
    ],
)
def test_wrong_types_where_one_can_do_without_are_flagged(
    discox: Command, rows: Rows, tmp_path: Path, spoil: dict[str, Any], code: str
) -> None:
    file = tmp_path / "x-DISCOXpartial.jsonl"
    file.write_text(spoilt(rows, **spoil), encoding="utf-8")
    report = imported(discox, tmp_path / "a.db", file)
    assert report["stored"] == 1
    assert code in {note["code"] for note in report["files"][0]["notes"]}


@pytest.mark.parametrize(
    "judgement", [None, 3, "text", [], {}, {"accuracy": 1}, {"accuracy": {"error_list": "none"}}, [[[]]]], ids=repr
)
def test_a_judgement_that_says_nothing_is_a_judge_that_failed(
    discox: Command, rows: Rows, tmp_path: Path, judgement: Any
) -> None:
    file = tmp_path / "x-DISCOXpartial.jsonl"
    file.write_text(f"{spoilt(rows, detailed_judgement=judgement)}\n{lines(rows)[0]}\n", encoding="utf-8")
    imported(discox, tmp_path / "a.db", file)
    row = listed(discox, tmp_path / "a.db")[0]
    assert (row["state"], row["score"]) == ("judge_failed", None)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, "cannot be read (No such file or directory); check the name"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_bytes(b" \n\t\n"), "is empty"),
        (lambda path: path.write_bytes(b"hello, world\n"), "none of the formats"),
        (lambda path: path.write_bytes(b'{"name": "a package"}'), "holds objects with the keys name"),
        (lambda path: path.write_bytes(b"[]"), "none of the formats"),
        (
            lambda path: path.write_bytes(b"\xef\xbb\xbfMetric;System;Score\r\n"),
            "a table of scores; discox import scores",
        ),
        (lambda path: path.write_bytes(b'{"metric": "a", "system": "b", "score": 1}'), "discox import scores"),
        (lambda path: path.write_bytes(b'[{"metric": "a", "system": "b", "score": 1}]'), "discox import scores"),
        (lambda path: path.write_bytes(b'"metric,system,score'), "none of the formats"),
        (lambda path: path.write_bytes(bytes(range(256)) * 8), ""),
        (lambda path: path.write_bytes(b'{"\x1b]52;c;AAAA\x07": 1}'), "holds objects with the keys"),
    ],
    ids=[
        *("absent", "empty", "blank", "prose", "other JSON", "empty list"),
        *("scores", "scores as lines", "scores as list", "a quote", "binary", "escapes in a key"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line_on_standard_error(
    discox: Command, tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    file = tmp_path / "x.json"
    make(file)
    result = discox("import", "--db", tmp_path / "a.db", file)
    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith("discox: ")
    assert result.err.count("\n") == 1
    assert said in result.err
    assert str(file) in result.err
    assert "\x1b" not in result.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "is none of the formats"),
        ('{"error": "boom", "traceback": "…"}\n', "every row was left out; the report says why"),
        ('{"average_accuracy": 0, "model": "m", "detailed_results": []}', "no file holds a row"),
    ],
    ids=["unreadable", "left out", "no rows"],
)
def test_whatever_could_not_be_done_is_one_line_on_standard_error(
    discox: Command, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, encoding="utf-8")
    for more in ((), ("--json",)):
        result = discox("import", "--db", tmp_path / "a.db", *more, file)
        assert (result.code, result.err.count("\n")) == (1, 1)
        assert result.err.startswith("discox: ")
        assert said in result.err
        assert not more or json.loads(result.out)["stored"] == 0


def test_a_folder_without_files_says_so(discox: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = discox("import", "--db", tmp_path / "a.db", tmp_path / "empty")
    assert result.code == 1
    assert f"{tmp_path / 'empty'}: there is no file to import in it" in result.err


def test_one_bad_file_among_good_ones_fails_but_the_good_ones_arrive(
    discox: Command, sample_files: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("nothing")
    result = discox("import", "--db", tmp_path / "a.db", bad, next(sample_files.glob("*aurora*")))
    assert result.code == 1
    assert len(listed(discox, tmp_path / "a.db")) == 4


def test_a_folder_passes_over_what_is_something_else(discox: Command, sample_files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    (folder / "inner").mkdir(parents=True)
    shutil.copy(next(sample_files.glob("*aurora*")), folder / "inner")
    (folder / "package.json").write_text('{"name": "x"}')
    result = discox("import", "--db", tmp_path / "a.db", folder)
    assert result.code == 0
    assert "passed over: " in result.err
    assert len(listed(discox, tmp_path / "a.db")) == 4


def test_progress_on_a_terminal_shows_a_file_name_literally(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress_line("storing a\x1b[2J\x9b1m.json:")(7, 7)
    shown = capsys.readouterr().err
    assert "storing a␛[2J\ufffd1m.json: 7 of 7" in shown
    assert "\x1b" not in shown


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no file names that are not text")
def test_a_file_whose_name_is_no_utf8_is_imported(discox: Command, rows: Rows, tmp_path: Path) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + "/译-DISCOXpartial.jsonl".encode("gb18030")))
    file.write_text(lines(rows)[0], encoding="utf-8")
    report = imported(discox, tmp_path / "a.db", file)
    assert report["stored"] == 1
    (row,) = listed(discox, tmp_path / "a.db")
    assert row["system"].startswith("\ufffd")
    assert discox("import", "--db", tmp_path / "b.db", file).code == 0
    assert imported(discox, tmp_path / "a.db", file)["unchanged"] == 1


def test_an_empty_path_is_not_the_folder_where_one_is(discox: Command, tmp_path: Path) -> None:
    result = discox("import", "", "--db", tmp_path / "a.db")
    assert result.code == 2
    assert "one of the paths is empty" in result.err


def test_fields_that_nobody_knows_are_kept_and_said_once(discox: Command, tmp_path: Path) -> None:
    rows = [
        {"prompt_id": n, "ori_text": f"Text {n}.", "reference_list": "", "Secondary_domain": "Law", "more": {"a": [n]}}
        for n in (1, 2, 3)
    ]
    path = tmp_path / "set.json"
    path.write_text(json.dumps(rows))
    result = discox("import", path, "--db", tmp_path / "x.db")
    (line,) = [line for line in result.out.splitlines() if "more" in line]
    assert "“Secondary_domain” (3 times, first in line 1; is Secondary_Domain meant?)" in line
    assert "“more” (3 times, first in line 1)" in line
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        kept = connection.execute("SELECT field, message FROM import_notes WHERE code = 'unknown_field' ORDER BY id")
        assert [(field, json.loads(value)) for field, value in kept][3:] == [("more", {"a": [n]}) for n in (1, 2, 3)]
        ((_, _, report),) = imports(connection)
        assert len(report.kept) == 6


def test_an_article_that_is_here_with_another_domain(discox: Command, tmp_path: Path) -> None:
    row = {"prompt_id": 1, "ori_text": "A text.", "reference_list": "", "Primary_Domain": "Law"}
    for name, domain in (("a.jsonl", "Law"), ("b.jsonl", "News"), ("c.jsonl", "")):
        (tmp_path / name).write_text(json.dumps({**row, "Primary_Domain": domain}) + "\n")
    db = tmp_path / "x.db"
    said = [discox("import", tmp_path / name, "--db", db).out for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    assert ["another domain" in each for each in said] == [False, True, False]
    assert "1 (Law here, News in the file)" in said[1]
