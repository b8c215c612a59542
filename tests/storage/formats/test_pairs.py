"""Pairs of texts come in exactly, row by row or paragraph by paragraph, ready to be judged and to be marked."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Document
from storage.formats.io.lines import FormatError
from storage.formats.io.office import docx_text, open_workbook
from storage.importing.pipeline import import_path, import_texts
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.storage.formats.reading import read_as

HEADER = "article,system,source,translation"


def stored(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            "SELECT a.key, t.system, a.source, t.text, a.direction, a.domain, a.rubric_text FROM translations t "
            "JOIN articles a ON a.id = t.article_id ORDER BY t.rowid"
        ).fetchall()


def segments(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(
            'SELECT substr(a.source, s.source_start + 1, s.source_end - s.source_start), substr(t.text, s.start + 1, s."end" - s.start) '
            "FROM segments s JOIN translations t ON t.id = s.translation_id JOIN articles a ON a.id = t.article_id ORDER BY s.number"
        ).fetchall()


def workbook(path: Path, rows: list[list[str]], **members: str) -> Path:
    """Write a workbook as Excel does, its texts in a table of their own, some in the cells."""
    shared: list[str] = []
    lines = []
    for number, row in enumerate(rows, 1):
        cells = []
        for column, text in enumerate(row):
            if text and column % 2:
                cells.append(
                    f'<c r="{chr(65 + column)}{number}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
                )
            elif text:
                cells.append(f'<c r="{chr(65 + column)}{number}" t="s"><v>{len(shared)}</v></c>')
                shared.append(
                    f'<si><r><t xml:space="preserve">{escape(text)}</t></r><rPh sb="0" eb="1"><t>ヨミ</t></rPh></si>'
                )
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    found = {
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{relation}"><sheets><sheet name="表" sheetId="1" r:id="rId7"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/sharedStrings.xml": f"<sst {main}>{''.join(shared)}</sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{''.join(lines)}</sheetData></worksheet>",
        **members,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in found.items():
            packed.writestr(name, content)
    return path


def first_sheet(path: Path) -> list[tuple[int, list[str]]]:
    with open_workbook(path) as book:
        return [(number, cells) for number, cells, _ in book.rows(book.sheets[0])]


def word_document(path: Path, body: str, member: str = "word/document.xml") -> Path:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(member, f"<w:document {space}><w:body>{body}</w:body></w:document>")
    return path


def paragraph(text: str) -> str:
    return f"<w:p><w:pPr><w:pStyle/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>{escape(text)}</w:t></w:r></w:p>"


ROWS = [
    ["news-1", "heron", "河水\n\n“浅”,\t了", 'The "river"\n\nis low, now', "ZH→EN", "新闻", "考点1：“浅”推荐译为“low”"],
    ["2", "egret", "שלום", "مرحبا \U0001f600", "he-ar", "", ""],
]
NAMES = ["Article", "system", "source", "translation", "direction", "domain", "rubric"]


@pytest.mark.parametrize("kind", ["csv", "semicolon", "tsv", "jsonl", "json", "xlsx"])
def test_pairs_come_in_from_every_table(kind: str, discox: Command, tmp_path: Path) -> None:
    import csv

    path = tmp_path / f"pairs.{'csv' if kind == 'semicolon' else kind}"
    objects = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    if kind == "xlsx":
        workbook(path, [NAMES, *ROWS])
    elif kind == "json":
        path.write_text(json.dumps(objects), encoding="utf-8")
    elif kind == "jsonl":
        path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in objects), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file, delimiter={"csv": ",", "semicolon": ";", "tsv": "\t"}[kind]).writerows([NAMES, *ROWS])
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert (result.code, result.err) == (0, "")
    assert "pairs, 2 rows = 2 stored + 0 unchanged + 0 left out" in result.out
    first, second = stored(tmp_path / "a.db")
    assert first == ("news-1", "heron", ROWS[0][2], ROWS[0][3], "zh-en", "新闻", ROWS[0][6])
    assert second == ("2", "egret", "שלום", "مرحبا \U0001f600", "he-ar", "", "")
    listed = json.loads(discox("list", "--json", "--db", tmp_path / "a.db").out)
    assert [row["state"] for row in listed] == ["not_judged", "not_judged"]
    assert (
        "1 rubric"
        in discox("judge", "--provider", "openai", "--model", "x", "--dry-run", "--db", tmp_path / "a.db").out
    )
    again = discox("import", path, "--db", tmp_path / "a.db")
    assert "0 stored + 2 unchanged" in again.out


def test_the_system_may_be_said_for_the_whole_file(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("article,source,translation\na,x,y\n", encoding="utf-8")
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert result.code == 1
    assert "has no system" in result.err
    assert "--system NAME" in result.err
    assert discox("import", path, "--system", "me", "--direction", "en-fr", "--db", tmp_path / "a.db").code == 0
    assert stored(tmp_path / "a.db") == [("a", "me", "x", "y", "en-fr", "", "")]


def test_what_cannot_be_taken_is_named_and_the_rest_arrives(discox: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        f"{HEADER},extra\na,s,x,y,\nb,s,,y,\nc,s,x, ,\n,s,x,y,\ne,,x,y,\nf,s,x\na,s,x,other,\na,s,x,y,1\n",
        encoding="utf-8",
    )
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert result.code == 0
    assert "8 rows = 2 stored + 1 unchanged + 5 left out" in result.out
    for told in (
        "a.csv:2: flag: extra: ",
        "a.csv:3: left out: source: is empty",
        "a.csv:4: left out: translation: is empty",
        "a.csv:5: left out: article: is empty",
        "a.csv:6: left out: system: is empty",
        "a.csv:7: left out: has 3 cells where the header names 5",
        "a.csv:8: flag: another translation of a by s is here",
    ):
        assert told in result.out
    assert [row[3] for row in stored(tmp_path / "a.db")] == ["y", "other"]


@pytest.mark.parametrize("command", [["import"], ["build", "add", "--direction", "en-de"]])
def test_of_a_table_whose_rows_are_all_wrong_each_says_what_is(
    command: list[str], discox: Command, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(f"{HEADER}\nk,s,Hello, world,Hallo\nk,s,Stra".encode() + b"\xdfe,street\n")
    result = discox(*command, path, "--db", tmp_path / "a.db")
    assert "2 rows = 0 stored + 0 unchanged + 2 left out" in result.out
    assert "a.csv:2: left out: has 5 cells where the header names 4" in result.out
    assert "a.csv:3: left out: is not UTF-8 throughout (damaged, or in another encoding)" in result.out
    path.write_text(f"{HEADER}\n", encoding="utf-8")
    result = discox(*command, path, "--db", tmp_path / "a.db")
    assert result.code == 1
    assert "has a header and no row below it" in result.err


@given(
    texts=st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)] * 2)
    )
)
def test_every_text_comes_in_as_it_is(tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("pairs") / "a.jsonl"
    objects = [{"article": "a", "system": "s", "source": x, "translation": y} for x, y in texts]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in objects), encoding="utf-8")
    if not texts:
        return
    found = [item for item in read_as(path, "pairs", ReadOptions()) if isinstance(item, Document)]
    assert [(d.segments[0].source, d.segments[0].translation) for d in found] == [
        pair for pair in texts if all(text.strip() for text in pair)
    ]


# --- Two texts ------------------------------------------------------------------------------------------------


def test_two_plain_texts_are_a_pair_paragraph_by_paragraph(discox: Command, tmp_path: Path) -> None:
    (tmp_path / "brief.txt").write_bytes("\ufeff Eins.\r\n\r\nZwei\u2028zwei.\nDrei.\n".encode())
    (tmp_path / "letter.txt").write_bytes(b"One.\nTwo two.\n\n\nThree.\n")
    files = (tmp_path / "brief.txt", tmp_path / "letter.txt")
    result = discox("import", "pair", *files, "--system", "me", "--direction", "de-en", "--db", tmp_path / "a.db")
    assert (result.code, result.err) == (0, "")
    source, translation = " Eins.\n\nZwei\u2028zwei.\nDrei.", "One.\nTwo two.\n\n\nThree."
    assert stored(tmp_path / "a.db") == [("brief", "me", source, translation, "de-en", "", "")]
    assert segments(tmp_path / "a.db") == [
        (" Eins.\n", "One."),
        ("Zwei\u2028zwei.", "Two two.\n\n"),
        ("Drei.", "Three."),
    ]
    assert (
        "1 unchanged"
        in discox("import", "pair", *files, "--system", "me", "--direction", "de-en", "--db", tmp_path / "a.db").out
    )


def test_texts_with_other_paragraphs_are_one_segment(discox: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\ny\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("xyz\0 y\n", encoding="utf-8")
    result = discox("import", "pair", tmp_path / "a.txt", tmp_path / "b.txt", "--db", tmp_path / "a.db")
    assert result.code == 0
    assert "2 and 1 paragraphs" in result.out
    assert "NUL" in result.out
    assert stored(tmp_path / "a.db") == [("a", "b", "x\ny", "xyz\ufffd y", "", "", "")]
    assert segments(tmp_path / "a.db") == []


def test_a_pair_of_word_documents(tmp_path: Path) -> None:
    body = (
        paragraph("河 & 水")
        + "<w:p/>"
        + "<w:tbl><w:tr><w:tc>" + paragraph("cell") + "</w:tc></w:tr></w:tbl>"
        + "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:r><w:instrText>PAGE</w:instrText><w:footnoteReference/></w:r></w:p>"
        "<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>once</w:t></w:r></mc:Choice>"
        "<mc:Fallback><w:r><w:t>twice</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"
    )  # fmt: skip
    word_document(tmp_path / "a.docx", body)
    text, told = docx_text(tmp_path / "a.docx")
    assert text == "河 & 水\n\ncell\na\tb\nnew\nonce"
    assert told == {"tracked changes", "footnotes or endnotes"}
    (tmp_path / "b.txt").write_text("1\n2\n3\n4\n5", encoding="utf-8")
    with closing(open_library(tmp_path / "a.db")) as connection:
        report = import_texts(connection, tmp_path / "a.docx", tmp_path / "b.txt", ReadOptions(system="me"))
    assert (report.problem, report.stored) == ("", 1)
    assert {note.code for note in report.notes} == {"tracked_changes", "notes"}
    assert segments(tmp_path / "a.db")[0] == ("河 & 水\n", "1")


ENTITIES = "<!DOCTYPE x [" + "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(9)) + "]>"


def bad_documents(folder: Path) -> dict[str, Path]:
    """Files that are no document to be read, each with a word of its message."""
    good = word_document(folder / "good.docx", paragraph("x" * 5_000) + paragraph("y")).read_bytes()
    found = {
        "is no whole zip file": folder / "cut.docx",
        "is damaged": folder / "damaged.docx",
        "broken at line 1": word_document(folder / "broken.docx", "<w:p>"),
        "document type": folder / "entities.docx",
        "zip bomb": word_document(folder / "bomb.docx", " " * (70 << 20)),
        "leads out of": word_document(folder / "path.docx", paragraph("x"), "../word/document.xml"),
        "has no word/document.xml": word_document(folder / "other.docx", paragraph("x"), "word/other.xml"),
        "holds no text": word_document(folder / "empty.docx", "<w:p/>"),
        "is empty": folder / "nothing.txt",
        "looks like UTF-16": folder / "utf16.txt",
        "line 2: is not UTF-8": folder / "bytes.txt",
        "absent.txt": folder / "absent.txt",
        "is a folder": folder,
    }
    (folder / "cut.docx").write_bytes(good[:-30])
    (folder / "damaged.docx").write_bytes(good[:60] + b"\xff" * 9 + good[69:])
    with zipfile.ZipFile(folder / "entities.docx", "w") as packed:
        packed.writestr("word/document.xml", f"{ENTITIES}<x>&e9;</x>")
    (folder / "nothing.txt").touch()
    (folder / "utf16.txt").write_text("河水", encoding="utf-16")
    (folder / "bytes.txt").write_bytes("河水\n".encode() * 1 + b"ab\xffc\n" + "河水\n".encode() * 9)
    return found


def test_bad_documents_are_named_and_nothing_is_stored(discox: Command, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("x", encoding="utf-8")
    for told, path in bad_documents(tmp_path).items():
        for files in ((path, tmp_path / "good.txt"), (tmp_path / "good.txt", path)):
            result = discox("import", "pair", *files, "--db", tmp_path / "a.db")
            assert (result.code, result.out) == (1, ""), told
            assert told in result.err or (path == tmp_path and "folder" in result.err), result.err
            assert str(path) in result.err
            assert "Traceback" not in result.err
    assert stored(tmp_path / "a.db") == []
    assert discox("import", "pair", tmp_path / "good.txt", "--db", tmp_path / "a.db").code == 2
    assert discox("import", "pair", "a", "b", "--judge", "x", "--db", tmp_path / "a.db").code == 2


# --- Workbooks ------------------------------------------------------------------------------------------------


def test_cells_of_a_workbook_are_read_as_excel_shows_them(tmp_path: Path) -> None:
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="B1" t="s"><v>0</v></c><c t="str"><f>A1&amp;"x"</f><v>res_x000D_ult</v></c><c r="AA1"><v>2.5</v></c></row>'
        '<row r="2"/><row><c><v>1</v></c></row></sheetData></worksheet>'
    )
    path = workbook(tmp_path / "a.xlsx", [["河_x0041_水"]], **{"xl/worksheets/sheet1.xml": sheet})
    assert first_sheet(path) == [(1, ["", "河A水", "res\nult", *[""] * 23, "2.5"]), (3, ["1"])]


@pytest.mark.parametrize(
    ("member", "content", "told"),
    [
        ("xl/workbook.xml", "<workbook/>", "no sheet"),
        ("xl/worksheets/sheet1.xml", "<worksheet><row>", "is broken"),
        (
            "xl/worksheets/sheet1.xml",
            '<worksheet><row r="1"><c t="s"><v>99</v></c></row></worksheet>',
            "names a text that is not there",
        ),
        ("xl/sharedStrings.xml", f"{ENTITIES}<sst>&e9;</sst>", "document type"),
        ("xl/worksheets/sheet1.xml", " " * (70 << 20), "zip bomb"),
        ("../evil.xml", "", "leads out of"),
    ],
)
def test_bad_workbooks_are_named(member: str, content: str, told: str, discox: Command, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [NAMES, *ROWS], **{member: content})
    result = discox("import", path, "--format", "pairs", "--db", tmp_path / "a.db")
    assert (result.code, result.out) == (1, "")
    assert told in result.err
    assert str(path) in result.err
    assert discox("import", path, "--db", tmp_path / "a.db").code == 1
    with closing(open_library(tmp_path / "a.db")) as connection:
        assert import_path(connection, path).problem
    assert stored(tmp_path / "a.db") == []


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_one_wrong_byte_in_an_office_file_is_an_error_of_the_format(
    tmp_path_factory: pytest.TempPathFactory, place: float, byte: int
) -> None:
    folder = tmp_path_factory.mktemp("byte")
    files = (workbook(folder / "a.xlsx", [NAMES, *ROWS]), word_document(folder / "a.docx", paragraph("x")))
    for path, read in zip(files, (first_sheet, docx_text), strict=True):
        data = bytearray(path.read_bytes())
        data[int(place * len(data))] = byte
        path.write_bytes(data)
        with contextlib.suppress(FormatError):
            read(path)


def test_what_a_formula_failed_to_come_to_is_no_text(discox: Command, tmp_path: Path) -> None:
    rows = [["article", "system", "source", "translation"], ["a", "s", "x", "_xD83D__xDE00_ y"]]
    path = workbook(tmp_path / "p.xlsx", rows)
    with zipfile.ZipFile(path) as packed:
        sheet = packed.read("xl/worksheets/sheet1.xml").decode()
    cells = "".join(f'<c r="{column}3" t="str"><v>{column}</v></c>' for column in "ABC")
    row = f'<row r="3">{cells}<c r="D3" t="e"><f>1/0</f><v>#DIV/0!</v></c></row></sheetData>'
    workbook(path, rows, **{"xl/worksheets/sheet1.xml": sheet.replace("</sheetData>", row)})
    result = discox("import", path, "--db", tmp_path / "a.db")
    assert "2 rows = 1 stored + 0 unchanged + 1 left out" in result.out
    assert "translation: is #DIV/0!, what a formula came to, and taken as empty" in result.out
    assert [row[3] for row in stored(tmp_path / "a.db")] == ["😀 y"]
