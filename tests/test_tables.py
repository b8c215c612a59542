"""Tables as people keep them are read where it is sure how, and else it is said what differs and how to mend it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from .conftest import Command
from .test_format_pairs import stored

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
