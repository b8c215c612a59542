"""Tables as people keep them are read where it is sure how, and else it is said what differs and how to mend it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from tests.conftest import Command
from tests.storage.formats.test_pairs import stored

HEADER = ["article", "system", "source", "translation"]
ROW = ["a", "s", "河", "river"]


def workbook(path: Path, sheets: Mapping[str, list[list[Any]]], hidden: str = "") -> Path:
    with closing(xlsxwriter.Workbook(path)) as book:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for at, row in enumerate(rows):
                for column, value in enumerate(row):
                    if isinstance(value, date):
                        sheet.write_datetime(at, column, value, day)
                    else:
                        sheet.write(at, column, value)
        for name, sheet in zip(sheets, book.worksheets(), strict=True):
            if name == hidden:
                sheet.hide()
            else:
                sheet.activate()
                sheet.set_first_sheet()
    return path


def test_a_hidden_sheet_is_passed_over_and_every_other_with_the_header_read(discox: Command, tmp_path: Path) -> None:
    old = [HEADER, ["old", "s", "x", "y"]]
    path = workbook(
        tmp_path / "a.xlsx",
        {"old": old, "notes": [["to do"]], "one": [HEADER, ROW], "two": [HEADER, ["b", "s", "江", "stream"]]},
        hidden="old",
    )
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert [row[0] for row in stored(tmp_path / "a.db")] == ["a", "b"]
    for told in ("“old” is hidden", "“notes” has no such header", "“one” is read", "“two” is read"):
        assert told in result.out


@pytest.mark.parametrize("kind", ["xlsx", "csv", "tsv"])
@pytest.mark.parametrize(
    "names",
    [
        ["文章", "系统", "原文", "译文"],
        ["Document", "Model", "Source text", "Hypothesis"],
        ["doc_id", "System", "SRC", "mt"],
    ],
)
def test_a_header_below_a_title_and_by_other_names(
    kind: str, names: list[str], discox: Command, tmp_path: Path
) -> None:
    rows = [["Ratings of May"], [], names, ROW]
    path = tmp_path / f"a.{kind}"
    if kind == "xlsx":
        workbook(path, {"cover": [["hello"]], "data": rows})
    else:
        mark = {"csv": ",", "tsv": "\t"}[kind]
        path.write_text("".join(mark.join(row) + "\n" for row in rows), encoding="utf-8")
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert stored(tmp_path / "a.db") == [("a", "s", "河", "river", "", "", "")], result.err
    assert "the header is in" in result.out
    assert f"“{names[2]}” as source" in result.out
    assert f"“{names[3]}” as translation" in result.out


@pytest.mark.parametrize("options", [[], ["--format", "pairs"]])
def test_columns_that_nobody_knows_are_named_with_sheet_row_and_mend(
    options: list[str], discox: Command, tmp_path: Path
) -> None:
    path = workbook(tmp_path / "a.xlsx", {"Daten": [["Nummer", "Ausgang", "Ziel"], ["1", "x", "y"]]})
    result = discox("import", path, *options, "--db", tmp_path / "a.db")
    assert result.code == 1
    for told in ("sheet “Daten”, row 1, has Nummer, Ausgang, Ziel", "article, system, source, translation", "rename"):
        assert told in result.err
    path = workbook(tmp_path / "b.xlsx", {"Daten": [["src", "mt"], ["x", "y"]]})
    result = discox("import", path, *options, "--db", tmp_path / "a.db")
    assert "has no article, system among its columns src, mt" in result.err
    path = workbook(tmp_path / "c.xlsx", {"Daten": [HEADER]})
    assert "no row below" in discox("import", path, *options, "--db", tmp_path / "a.db").err


def test_dates_and_truth_values_are_read_as_they_are_shown(discox: Command, tmp_path: Path) -> None:
    rows: list[list[Any]] = [HEADER, [datetime(2024, 3, 5), True, "x\r\ny", "z"], [date(2024, 3, 6), False, "x", "y"]]
    path = workbook(tmp_path / "a.xlsx", {"data": rows})
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert [row[:3] for row in stored(tmp_path / "a.db")] == [
        ("2024-03-05", "TRUE", "x\ny"),
        ("2024-03-06", "FALSE", "x"),
    ]
    assert result.out.count("article: is a date, not a text, here 2024-03-05") == 1
    assert result.out.count("system: is a truth value") == 1


def test_the_line_that_excel_puts_first_says_what_parts_cells(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sep=;\r\narticle;system;source;translation\r\na;s;x, y,z,w;z\r\n", encoding="utf-8-sig")
    assert discox("import", path, "--db", tmp_path / "a.db").code == 0
    assert stored(tmp_path / "a.db") == [("a", "s", "x, y,z,w", "z", "", "", "")]


def test_rubric_points_may_be_a_list_and_what_is_not_taken_is_said(discox: Command, tmp_path: Path) -> None:
    row = dict(zip(HEADER, ROW, strict=True))
    rows = [{**row, "rubric": ["“浅” is low", "no\nnotes"]}, {**row, "article": "b", "rubric": {"1": 2}, "domain": [1]}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert [row[6] for row in stored(tmp_path / "a.db")] == ["“浅” is low\nno notes", ""]
    assert "rubric: is an object, and was not taken; write it as a text, or a list of texts" in result.out
    assert "domain: is a list, and was not taken" in result.out


# --- What a spreadsheet makes of other tools' files, and files that are none ---

MQM = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
RATED = [
    ["s", "talk", "1", "1", "rater1", "河, 水", "the <v>river</v>; low", "Accuracy/Mistranslation", "Major"],
    ["s", "talk", "2", "2", "rater1", "江", "stream", "No-error", "No-error"],
]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("names", [MQM, [name.upper() for name in MQM], MQM[::-1]])
def test_ratings_that_went_through_a_spreadsheet(mark: str, names: list[str], discox: Command, tmp_path: Path) -> None:
    import csv

    path = tmp_path / "ratings_zhen.csv"
    rows = RATED if names != MQM[::-1] else [row[::-1] for row in RATED]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=mark).writerows([names, *rows, ["broken"]])
    result = discox("import", path, "--db", tmp_path / "a.db")
    if names == MQM and mark == "\t":
        assert "columns" not in result.out
    else:
        assert "they are read by their names" in result.out
    assert "wmt-mqm, 3 rows = 2 stored + 0 unchanged + 1 left out" in result.out, result.out + result.err
    assert "direction zh-en is from the file's name" in result.out
    assert "ratings_zhen.csv:4: left out: has 1 cells" in result.out
    shown = json.loads(discox("list", "--json", "--db", tmp_path / "a.db", "--reviewer", "rater1").out)
    assert [row["article"] for row in shown] == ["talk"]


def test_appraise_with_semicolons_and_decimal_commas(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("eng01;wmt.A;1;TGT;河;The river;73,5;d#A;False;[];1,5;2,5\n", encoding="utf-8")
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert "appraise-esa, 1 row = 1 stored" in result.out, result.err
    assert scores(tmp_path / "a.db") == [("ESA", 73.5)]


def scores(path: Path) -> list[tuple[str, float]]:
    import sqlite3

    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT metric, score FROM scores ORDER BY article").fetchall()


CLEAN = "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error"


def answers(path: Path, *given: object) -> Path:
    rows = [
        {"article": f"a{n}", "system": "s", "source": "河", "translation": "river", "answer": CLEAN, "score": score}
        for n, score in enumerate(given)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_a_score_column_is_read_flagged_and_named_by_its_range(discox: Command, tmp_path: Path) -> None:
    path = answers(tmp_path / "a.jsonl", "73,5", "abc", 0, "1,234")
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert "a.jsonl:1: flag: score: “73,5” is read as 73.5" in result.out
    assert "a.jsonl:2: flag: score: “abc” is no number, and was not taken; write it like 73.5" in result.out
    assert "a.jsonl:4: flag: score: “1,234” is no number" in result.out
    assert ("GEMBA 0–100", 73.5) in scores(tmp_path / "a.db")
    assert ("GEMBA 0–100", 0.0) in scores(tmp_path / "a.db")
    discox("import", answers(tmp_path / "b.jsonl", -5, 0), "--db", tmp_path / "b.db")
    assert scores(tmp_path / "b.db") == [("GEMBA-MQM", -5.0), ("GEMBA-MQM", 0.0)]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("system,doc,seg_id,rater,source,target,category,severity\n" + "x," * 7 + "x\n",
         ["system, doc, seg_id", "nearest is WMT MQM TSV, but there is no doc_id"]),
        ("metric,system,value\nm,s,1\n", ["nearest is a table of scores", "no article, score"]),
        ("answer,system,src\nx,s,y\n", ["line 1 (read as parted by commas) names answer, system, src", "translation"]),
        ('{"prompt_id": 1, "detailed": 2, "model_output_": ""}\n', ["prompt_id, detailed, model_output_"]),
    ],
)  # fmt: skip
def test_a_file_of_no_format_is_told_the_nearest(
    content: str, told: list[str], discox: Command, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(content, encoding="utf-8")
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert result.code == 1
    for words in told:
        assert words in result.err


def test_a_pdf_is_called_one(discox: Command, tmp_path: Path) -> None:
    path, text = tmp_path / "a.pdf", tmp_path / "a.txt"
    path.write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj")
    text.write_text("a", encoding="utf-8")
    for arguments in (["pair", path, text], ["pair", text, path], [path]):
        result = discox("import", *arguments, "--db", tmp_path / "a.db")
        assert "is a PDF" in result.err
        assert "pdftotext" in result.err


def test_the_line_that_holds_nul_or_is_cut_off_is_named(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "ratings_zhen.tsv"
    rows = [MQM, *RATED, [*RATED[1][:3], "3", *RATED[1][4:]]]
    rows[2] = [*rows[2][:6], "str\0eam", *rows[2][7:]]
    content = "\n".join("\t".join(row) for row in rows).encode() + "\ns\ttalk\t4\t4\trater1\t江".encode()[:-1]
    path.write_bytes(content)
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert "ratings_zhen.tsv:3: flag: its texts hold NUL" in result.out
    assert "ratings_zhen.tsv:5: left out: is cut off within a character" in result.out
    other = tmp_path / "a.csv"
    other.write_bytes("article,system,source,translation\na,s,河,水\n".encode("gb18030") * 9)
    assert "Notepad" in discox("import", other, "--db", tmp_path / "a.db").err


def test_errors_that_are_nowhere_are_said_whatever_the_format(discox: Command, tmp_path: Path) -> None:
    answer = 'Critical:\nno-error\nMajor:\naccuracy/mistranslation - "nowhere"\nMinor:\nno-error'
    path = tmp_path / "a.jsonl"
    row = {"system": "s", "source": "河", "translation": "river", "answer": answer}
    path.write_text(json.dumps(row), encoding="utf-8")
    assert "a.jsonl:1: flag: 1 error is kept, and not placed" in discox("import", path, "--db", tmp_path / "a.db").out
    results = [
        {"id": f"r{n}", "from_name": "label", "to_name": "translation", "type": "labels",
         "value": {"start": start, "end": end, "text": text, "labels": ["Major"]}}
        for n, (start, end, text) in enumerate([(0, 99, "river"), (0, 3, "other")])
    ]  # fmt: skip
    task = {"id": 1, "data": {"source": "河", "translation": "river"}, "annotations": [{"id": 1, "result": results}]}
    path = tmp_path / "b.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    out = discox("import", path, "--db", tmp_path / "b.db").out
    assert out.count("not placed") == 2, out


def test_json_min_is_named(discox: Command, tmp_path: Path) -> None:
    regions = [{"start": 0, "end": 2, "text": "ri", "labels": ["Major"]}]
    task = {"id": 1, "source": "河", "translation": "river", "label": regions, "annotator": 1, "annotation_id": 2}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([task, {**task, "id": 2}]), encoding="utf-8")
    assert discox("import", path, "--db", tmp_path / "a.db").out.count("the file is JSON_MIN") == 1


def test_a_pointer_of_git_lfs_says_how_to_get_the_file(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "humeval.jsonl"
    path.write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 102922129\n")
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert result.code == 1
    assert "git lfs pull" in result.err


@pytest.mark.parametrize(("module", "name"), [("gzip", "gzip"), ("lzma", "xz"), ("bz2", "bzip2")])
def test_a_packed_file_is_to_be_unpacked(discox: Command, tmp_path: Path, module: str, name: str) -> None:
    path = tmp_path / "ratings.tsv.packed"
    path.write_bytes(import_module(module).compress(b"system\tdoc\n" * 99))
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert result.code == 1
    assert f"is a {name} file; unpack it" in result.err
