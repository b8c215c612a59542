"""What is exported: exact for programs, harmless and whole for people, and never over a file of somebody else's."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.model import Finding, Place
from storage.base.errors import StorageError
from storage.exports.files import whole
from storage.exports.registry import WRITERS
from storage.exports.selection import Selection
from storage.exports.tables.cells import MOST, Cells
from storage.exports.tables.rows import TABLES
from storage.formats.base.items import Annotation, Document, Mark, Segment
from storage.formats.registry import format_named
from storage.integrity.opening import open_library
from storage.reviews.review_log import ReviewLog
from tests.conftest import Command
from tests.support import builders
from tests.support.annotated_files import come_in, library

HOSTILE = "=1+2\t[b]河\u2028水\x85\x1b[31m\u202e\U0001f600“a_x0041_b” <r>&\n"
FORMATS = ("jsonl", "csv", "xlsx", "parquet")
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A library with texts that no program should obey, and one reviewer's work on them."""
    path = tmp_path / "hostile.db"
    finding = Finding("accuracy", 1, f"{HOSTILE}\x00", "1", "mistranslation", "错译", "major", "普通")
    with closing(open_library(path)) as connection:
        first = builders.add(
            connection, article="=HYPERLINK()", source=HOSTILE, translation="\U0001f600" * 20_000, found=(finding,)
        )
        builders.add(connection, article="@x", system="egret", translation="<r>x</r>", found=())
        log = ReviewLog(connection, "lin", "")
        identity = connection.execute("SELECT id FROM findings").fetchone()[0]
        log.decide(first, identity, decision="override", spans=[["translation", 0, 2]], note="+44 号")
        log.mark(first, dimension="fluency", severity="minor", spans=[["source", 0, 4], ["translation", 1, 3]])
    return path


def lines(path: Path) -> list[dict[str, object]]:
    data = path.read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    assert not data or data.endswith(b"\n")
    assert len(data.decode().splitlines()) == data.count(b"\n"), "no reader takes anything else for the end of a line"
    return [json.loads(line) for line in data.decode().splitlines()]


def test_json_lines_are_exact(discox: Command, hostile: Path, tmp_path: Path) -> None:
    result = discox("export", "jsonl", tmp_path / "a.jsonl", "--db", hostile)
    assert (result.code, result.out) == (0, "")
    assert "2 evaluations, 1 findings, 1 verdicts" in result.err
    first, second = lines(tmp_path / "a.jsonl")
    assert first["source"] == HOSTILE
    assert first["findings"][0]["explanation"].startswith(HOSTILE)  # type: ignore[index]
    assert first["verdicts"][0]["spans"] == [["translation", 0, 2]]  # type: ignore[index]
    (error,) = first["own_errors"]  # type: ignore[misc]
    assert (error["source_words"], error["translation_words"]) == (HOSTILE[:4], "\U0001f600" * 2)
    assert (error["blind"], error["missed"]) == (False, None)
    assert second["article"] == "@x"
    assert discox("export", "jsonl", "-", "--db", hostile).code == 0


def test_filters_are_those_of_the_app(discox: Command, sample: Path, tmp_path: Path) -> None:
    def exported(*words: str) -> list[dict[str, object]]:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        result = discox("export", "jsonl", path, *words, "--db", sample)
        assert result.code == 0, result.err
        return lines(path)

    listed = json.loads(discox("list", "--json", "aurora", "news", "--db", sample).out)
    assert [row["evaluation"] for row in exported("aurora", "news")] == [row["id"] for row in listed]
    everybody = exported()
    assert len(everybody) == 12
    reviewers = {review["reviewer"] for row in everybody for review in row["reviews"]}  # type: ignore[attr-defined]
    assert {"lin", "okafor"} <= reviewers
    for words in (("lin",), ("--reviewer", "lin")):
        chosen = exported(*words)
        assert {r["reviewer"] for row in chosen for t in ("reviews", "verdicts", "own_errors") for r in row[t]} == {
            "lin"
        }  # type: ignore[attr-defined]
    assert exported("--judge", "MERIDIAN-pro") == everybody
    assert exported("no such word") == []
    result = discox("export", "jsonl", tmp_path / "x.jsonl", "--judge", "nobody", "--db", sample)
    assert result.code == 1
    assert "meridian-pro" in result.err
    assert not (tmp_path / "x.jsonl").exists()


def test_csv_is_for_people(discox: Command, hostile: Path, tmp_path: Path) -> None:
    for target in ("tables", "tables.zip"):
        result = discox("export", "csv", tmp_path / target, "--db", hostile)
        assert result.code == 0, result.err
        assert "32,767" in result.err
        assert "control characters" in result.err
        assert "apostrophe" in result.err
    with zipfile.ZipFile(tmp_path / "tables.zip") as packed:
        assert sorted(packed.namelist()) == sorted(["README.md", *(f"{name}.csv" for name in TABLES)])
        for name in TABLES:
            data = packed.read(f"{name}.csv")
            assert data == (tmp_path / "tables" / f"{name}.csv").read_bytes()
            assert data.startswith(b"\xef\xbb\xbf")
            read = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
            for cell in (cell for row in read for cell in row.values()):
                assert not re.match(r"[=+\-@\t\r]", cell) or re.fullmatch(r"-?[\d.e-]+", cell), cell
                assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", cell)
            if name == "verdicts":
                assert (read[0]["note"], read[0]["article"]) == ("'+44 号", "'=HYPERLINK()")
            if name == "own_errors":
                assert (read[0]["blind"], read[0]["missed"]) == ("no", "")
    assert discox("export", "csv", tmp_path / "tables.zip", "--db", hostile).code == 0, "an earlier one is replaced"
    assert discox("export", "csv", tmp_path / "tables", "--db", hostile).code == 1, (
        "a folder that holds something is not"
    )


def sheets(path: Path) -> dict[str, list[list[str]]]:
    """Every sheet of a workbook as texts, by the XML alone."""
    with zipfile.ZipFile(path) as packed:
        book = ElementTree.fromstring(packed.read("xl/workbook.xml"))
        names = [str(sheet.get("name")) for sheet in book.iter(f"{SHEET}sheet")]
        found = {}
        for number, name in enumerate(names, 1):
            sheet = ElementTree.fromstring(packed.read(f"xl/worksheets/sheet{number}.xml"))
            assert sheet.find(f".//{SHEET}pane[@state='frozen'][@ySplit='1']") is not None
            assert sheet.find(f"{SHEET}autoFilter") is not None
            found[name] = [
                ["".join(cell.itertext()) for cell in row.iter(f"{SHEET}c")] for row in sheet.iter(f"{SHEET}row")
            ]
            assert not list(sheet.iter(f"{SHEET}f")), "there is no formula"
        return found


def test_a_workbook_is_for_people(discox: Command, hostile: Path, tmp_path: Path) -> None:
    result = discox("export", "xlsx", tmp_path / "a.xlsx", "--db", hostile)
    assert result.code == 0, result.err
    assert "evaluations.translation: 1 longer than a cell of Excel holds (32,767), and are cut" in result.err
    found = sheets(tmp_path / "a.xlsx")
    assert list(found) == [name.replace("_", " ") for name in TABLES]
    for name, columns in TABLES.items():
        assert found[name.replace("_", " ")][0] == [column.replace("_", " ") for column in columns]
    evaluations = found["evaluations"]
    row = dict(zip(evaluations[0], evaluations[1], strict=False))
    assert row["article"] == "'=HYPERLINK()"
    assert "文学" in row.values()
    assert "'<r>x</r>" in evaluations[2]
    cell = next(text for text in evaluations[1] if text.startswith("\U0001f600"))
    assert len(cell.encode("utf-16-le")) <= 2 * MOST
    assert cell.endswith("…")
    assert any("a_x005F_x0041_b" in text for text in evaluations[1]), "Excel shows it as a_x0041_b"
    assert discox("export", "xlsx", tmp_path / "a.xlsx", "--db", hostile).code == 0, "an earlier one is replaced"


def test_parquet_is_exact(discox: Command, hostile: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    result = discox("export", "parquet", tmp_path / "tables", "--db", hostile)
    assert result.code == 0, result.err
    read = {name: parquet.read_table(tmp_path / "tables" / f"{name}.parquet").to_pylist() for name in TABLES}
    assert {name: tuple(rows[0]) for name, rows in read.items() if rows} == {
        name: columns for name, columns in TABLES.items() if read[name]
    }
    assert read["evaluations"][0]["source"] == HOSTILE
    assert read["evaluations"][0]["total"] == 95
    assert read["findings"][0]["kept"] is True
    assert json.loads(read["verdicts"][0]["spans"]) == [["translation", 0, 2]]
    assert read["figures"]


def test_parquet_says_what_it_needs(
    discox: Command, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = discox("export", "parquet", tmp_path / "tables", "--db", sample)
    assert result.code == 1
    assert "pip install pyarrow" in result.err
    assert not (tmp_path / "tables").exists()


@pytest.mark.parametrize("name", [writer.name for writer in WRITERS])
def test_nothing_of_somebody_elses_is_replaced(name: str, discox: Command, sample: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.zip"
    with zipfile.ZipFile(theirs, "w") as packed:
        packed.writestr("manifest.json", "{}")
        packed.writestr("docProps/core.xml", "<x/>")
    for content in (b"system\tdoc\n", b'{"evaluation": 1}\n', b"\xff\xfe", theirs.read_bytes()):
        theirs.write_bytes(content)
        result = discox("export", name, theirs, "--db", sample)
        assert result.code == 1
        assert str(theirs) in result.err
        assert theirs.read_bytes() == content
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "mine.txt").touch()
    assert discox("export", name, folder, "--db", sample).code == 1
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert discox("export", name, tmp_path / "absent" / "x.zip", "--db", sample).code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "library.db", "theirs.zip"]


def test_wrong_use_is_said(discox: Command, sample: Path, tmp_path: Path) -> None:
    result = discox("export", "docx", tmp_path / "x", "--db", sample)
    assert result.code == 2
    assert "jsonl" in result.err
    assert discox("export", "jsonl", tmp_path / "x", "--db", tmp_path / "absent.db").code == 1


def test_what_is_hidden_is_not_exported(discox: Command, sample: Path, tmp_path: Path) -> None:
    with closing(open_library(sample)) as connection:
        identity = connection.execute("SELECT id FROM evaluations").fetchone()[0]
        ReviewLog(connection, "new", "").open(identity, hidden=True)
    for name in FORMATS:
        result = discox("export", name, tmp_path / "x", "--reviewer", "new", "--db", sample)
        assert result.code == 1
        assert "hidden" in result.err
        assert not (tmp_path / "x").exists()


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with whole(str(path)) as partial:
        partial.write_text("first")
        assert not path.exists()
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    with whole(str(link), lambda found: True) as partial:
        partial.write_text("second")
    assert link.is_symlink()
    assert path.read_text() == "second"

    with pytest.raises(KeyboardInterrupt), whole(str(path), lambda found: True):
        raise KeyboardInterrupt
    with pytest.raises(StorageError, match="no space"), whole(str(path), lambda found: True):
        raise OSError(28, "no space")
    assert path.read_text() == "second"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["a.txt", "link.txt"]


@given(text=st.text(st.characters()), cut=st.booleans())
def test_no_cell_is_a_formula_and_nothing_else_is_changed(text: str, cut: bool) -> None:
    made = Cells(cut=cut).cell(text, "x")
    assert isinstance(made, str)
    assert not made.startswith(("=", "+", "-", "@", "\t", "\r", "<r>"))
    plain = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "", re.sub("\r\n?", "\n", text))
    assert made in (plain, f"'{plain}")
    made.encode()


def test_every_format_is_registered_once() -> None:
    assert len({writer.name for writer in WRITERS}) == len(WRITERS)
    for writer in WRITERS:
        assert writer.is_ours(Path("/absent")) is False
    assert Selection().words == ""


@pytest.mark.parametrize("name", ["wmt-mqm", "mt-metrics-eval", "label-studio"])
def test_who_has_only_begun_a_text_has_not_called_its_rest_clean(name: str, tmp_path: Path) -> None:
    document = Document("d", "A", (Segment("1", "Eins.\n\nZwei.", "One.\n\nTwo."),), "de-en")
    mark = Mark(0, "Accuracy/Mistranslation", "Major", (Place("translation", 0, 3),))
    items = [Annotation(document, "lin", True, (mark,), rated=frozenset(), line=1)]
    out = tmp_path / {"wmt-mqm": "out_deen.tsv", "mt-metrics-eval": "set", "label-studio": "out.json"}[name]
    with library(items) as first, library() as second:
        format_named(WRITERS, name).write(first, out, Selection())
        written = "".join(file.read_text() for file in ([out] if out.is_file() else sorted(out.rglob("*.rating"))))
        assert "No-error" not in written
        assert '"errors":[]' not in written
        come_in(second, out)
        assert second.execute("SELECT reviewer, state FROM reviews").fetchall() == [("lin", "in_progress")]
