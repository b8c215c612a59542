"""A translation of an article that is here is that article's, with its rubric, in whatever file and order it comes."""

from __future__ import annotations

import csv
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from discox_tui.cli.library.which_article import ask_articles
from storage.formats.base.format import ReadOptions
from storage.importing.import_report import FileReport
from storage.importing.pipeline import import_path, import_texts
from storage.integrity.opening import open_library
from storage.record.article_versions import EARLIER_VERSIONS
from tests.conftest import Command

PARAGRAPHS = ("河水 “浅”了。", "Second paragraph, \U0001f600.", "[b]第三段[/b]")
SOURCE = "\n\n".join(PARAGRAPHS)
ANSWERS = ("The river is low.", "二。", "Third.")
RUBRIC = "考点1：“浅”应译为“low”\n考点 2. 第三段"
ARTICLE = {
    "prompt_id": 57,
    "ori_text": SOURCE,
    "reference_list": RUBRIC,
    "Primary_Domain": "学术论文",
    "Secondary_Domain": "社会科学",
    "direction": "zh-en",
    "prompt": "",
}
OTHER = {**ARTICLE, "prompt_id": 58, "ori_text": "另一篇文章。\n第二段。", "reference_list": "考点1：另"}
PAIR = {"article": "57", "system": "heron", "source": SOURCE, "translation": "\n\n".join(ANSWERS)}


def dataset(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


def table(path: Path, *rows: dict[str, Any]) -> Path:
    """Write rows in the form that the name of a file says."""
    names = list(rows[0])
    match path.suffix:
        case ".json":
            path.write_text(json.dumps(rows), encoding="utf-8")
        case ".jsonl":
            path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        case ".xlsx":
            sheet = "".join(
                "<row>"
                + "".join(
                    f'<c t="inlineStr"><is><t xml:space="preserve">{escape(str(cell))}</t></is></c>' for cell in cells
                )
                + "</row>"
                for cells in [names, *([row[name] for name in names] for row in rows)]
            )
            main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
            relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
            with zipfile.ZipFile(path, "w") as packed:
                packed.writestr(
                    "xl/workbook.xml",
                    f'<workbook {main} xmlns:r="{relation}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
                )
                packed.writestr(
                    "xl/_rels/workbook.xml.rels",
                    '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
                )
                packed.writestr(
                    "xl/worksheets/sheet1.xml", f"<worksheet {main}><sheetData>{sheet}</sheetData></worksheet>"
                )
        case _:
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
                writer.writerows([names, *([row[name] for name in names] for row in rows)])
    return path


def xliff(path: Path) -> Path:
    units = "".join(
        f'<trans-unit id="{n}"><source>{escape(source)}</source><target>{escape(target)}</target></trans-unit>'
        for n, (source, target) in enumerate(zip(PARAGRAPHS, ANSWERS, strict=True))
    )
    path.write_text(
        '<xliff version="1.2"><file original="report.docx" source-language="zh-CN" target-language="en-US"><body>'
        f"{units}</body></file></xliff>",
        encoding="utf-8",
    )
    return path


def tmx(path: Path) -> Path:
    units = "".join(
        f'<tu><tuv xml:lang="zh"><seg>{escape(source)}</seg></tuv><tuv xml:lang="en"><seg>{escape(target)}</seg></tuv></tu>'
        for source, target in zip(PARAGRAPHS, ANSWERS, strict=True)
    )
    path.write_text(f'<tmx version="1.4"><header srclang="zh"/><body>{units}</body></tmx>', encoding="utf-8")
    return path


def bilingual(path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("Chinese", "English"), *zip(PARAGRAPHS, ANSWERS, strict=True)])
    return path


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


TABLES = ("csv", "tsv", "json", "jsonl", "xlsx")
WRITERS: dict[str, Callable[[Path], Path]] = {
    **{f"pairs {kind}": lambda folder, kind=kind: table(folder / f"p.{kind}", PAIR) for kind in TABLES},
    **{
        f"by its text {kind}": lambda folder, kind=kind: table(folder / f"p.{kind}", PAIR | {"article": "river"})
        for kind in TABLES
    },
    **{
        f"prompt_id {kind}": lambda folder, kind=kind: table(
            folder / f"p.{kind}", {"prompt_id": 57, **without(PAIR, "article", "source")}
        )
        for kind in TABLES
    },
    "xliff": lambda folder: xliff(folder / "x.xlf"),
    "tmx": lambda folder: tmx(folder / "m.tmx"),
    "bilingual": lambda folder: bilingual(folder / "b.csv"),
    "two texts": lambda folder: folder,
}  # type: ignore[misc]


def bring(connection: sqlite3.Connection, path: Path, **said: Any) -> FileReport:
    options = ReadOptions(**{"system": "heron", **said})
    if path.is_dir():
        (path / "s.txt").write_text(SOURCE, encoding="utf-8")
        (path / "t.txt").write_text("\n\n".join(ANSWERS), encoding="utf-8")
        return import_texts(connection, path / "s.txt", path / "t.txt", options)
    return import_path(connection, path, options)


def counted(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """The translations on articles that count, as evaluations show them, with the article's rubric."""
    return connection.execute(
        "SELECT e.article, e.system, e.direction, e.domain, a.rubric_text, replace(t.text, char(10), ''), a.source "
        "FROM evaluations e JOIN articles a ON a.id = e.article_id JOIN translations t ON t.id = e.translation_id "
        f"WHERE e.article_id NOT IN {EARLIER_VERSIONS} ORDER BY e.position"
    ).fetchall()


def standing(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    return connection.execute(
        f"SELECT key, rubric_text FROM articles WHERE id NOT IN {EARLIER_VERSIONS} ORDER BY rowid"
    ).fetchall()


EXPECTED = [("57", "heron", "zh-en", "学术论文", RUBRIC, "".join(ANSWERS), SOURCE)]


@pytest.mark.parametrize("articles_first", [True, False], ids=["articles first", "translations first"])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_translation_is_of_the_article_that_is_here(kind: str, articles_first: bool, tmp_path: Path) -> None:
    articles, pairs = dataset(tmp_path / "set.json", ARTICLE, OTHER), WRITERS[kind](tmp_path)
    with closing(open_library(tmp_path / "a.db")) as connection:
        if articles_first:
            import_path(connection, articles)
        report = bring(connection, pairs)
        assert (report.problem, report.rows, report.left_out) == ("", 1, 0)
        if not articles_first:
            import_path(connection, articles)
        assert counted(connection) == EXPECTED
        assert standing(connection) == [("57", RUBRIC), ("58", "考点1：另")]
        again = [bring(connection, pairs), import_path(connection, articles)]
        assert [(each.stored, each.left_out) for each in again] == [(0, 0), (0, 0)]
        assert counted(connection) == EXPECTED


@pytest.mark.parametrize("articles_first", [True, False])
def test_segments_lie_where_the_articles_text_has_them(articles_first: bool, tmp_path: Path) -> None:
    articles, pairs = dataset(tmp_path / "set.json", ARTICLE), xliff(tmp_path / "x.xlf")
    with closing(open_library(tmp_path / "a.db")) as connection:
        for path in (articles, pairs) if articles_first else (pairs, articles):
            import_path(connection, path)
        found = connection.execute(
            'SELECT substr(a.source, s.source_start + 1, s.source_end - s.source_start), substr(t.text, s.start + 1, s."end" - s.start) '
            "FROM segments s JOIN translations t ON t.id = s.translation_id JOIN articles a ON a.id = t.article_id "
            f"WHERE a.id NOT IN {EARLIER_VERSIONS} ORDER BY s.number"
        ).fetchall()
        assert found == list(zip(PARAGRAPHS, ANSWERS, strict=True))


def test_only_a_source_is_enough_and_an_unknown_one_is_said(tmp_path: Path) -> None:
    rows = [without(PAIR, "article"), {"system": "heron", "source": "nobody knows it", "translation": "x"}]
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE))
        report = import_path(connection, table(tmp_path / "p.csv", *rows))
        assert (report.stored, report.left_out) == (1, 1)
        (line,) = (line for line in report.lines() if "left out" in line)
        assert line.startswith(
            "  p.csv:11: left out: article: is empty, and no article that is here has this text; give it"
        )
        assert counted(connection) == EXPECTED


def test_a_name_with_another_text_is_left_out_and_the_rest_arrives(tmp_path: Path) -> None:
    rows = [PAIR | {"source": "Changed text."}, PAIR | {"article": "58"}, PAIR]
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE, OTHER))
        report = import_path(connection, table(tmp_path / "p.jsonl", *rows))
        assert (report.stored, report.left_out) == (1, 2)
        assert counted(connection) == EXPECTED
        notes = [note for note in report.notes if note.kind == "left_out"]
        assert [(note.line, note.code, note.field) for note in notes] == [
            (1, "which_article", "article"),
            (2, "which_article", "article"),
        ]
        assert notes[0].message.startswith("57 is here with another text (it begins “河水")
        assert "and this text is that of 57" in notes[1].message
        assert all("--unclear" in note.message for note in notes)
        assert [key for key, _ in standing(connection)] == ["57", "58"]


@pytest.mark.parametrize(("unclear", "articles"), [("known", ["57"]), ("another", ["57", "57"])])
def test_what_is_not_clear_may_be_said_for_all(unclear: str, articles: list[str], tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE))
        path = table(tmp_path / "p.csv", PAIR | {"source": "Changed\n\ntext."})
        report = import_path(connection, path, ReadOptions(unclear=unclear))  # type: ignore[arg-type]
        assert (report.stored, report.left_out) == (1, 0)
        assert [key for key, _ in standing(connection)] == articles
        rubric = counted(connection)[0][4]
        assert rubric == (RUBRIC if unclear == "known" else "")


def test_in_a_terminal_it_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twins = [ARTICLE, ARTICLE | {"prompt_id": 59}]
    rows = [PAIR | {"article": "river"}, PAIR | {"source": "Changed text."}, PAIR | {"source": "Changed again."}]
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, dataset(tmp_path / "set.json", *twins))
        path = table(tmp_path / "p.json", *rows)
        report = import_path(connection, path)
        assert report.left_out == 3
        lines = iter(["9", "2", "a", ""])
        answers = ask_articles(report, lambda question: next(lines))
        said = capsys.readouterr().out
        assert "2 articles here have this text: 57, 59" in said
        assert "that is none of the answers" in said
        again = import_path(connection, path, ReadOptions(answers=answers))
        assert (again.stored, again.left_out) == (2, 1)
        assert [(row[0], row[4]) for row in counted(connection)] == [("59", RUBRIC), ("57", "")]


def test_the_article_can_be_named_for_a_file_that_does_not(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE, ARTICLE | {"prompt_id": 59}))
        assert bring(connection, xliff(tmp_path / "x.xlf")).left_out == 1
        assert bring(connection, tmp_path / "x.xlf", article="59").stored == 1
        assert [row[0] for row in counted(connection)] == ["59"]


def test_sentences_that_are_alike_stay_apart(tmp_path: Path) -> None:
    rows = [PAIR | {"article": name, "source": "Yes.", "translation": "是"} for name in ("s1", "s2", "s3")]
    with closing(open_library(tmp_path / "a.db")) as connection:
        path = table(tmp_path / "p.csv", *rows)
        assert import_path(connection, path).stored == 3
        assert import_path(connection, path).unchanged == 3
        assert [row[0] for row in counted(connection)] == ["s1", "s2", "s3"]


def test_another_direction_is_another_article(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE))
        assert import_path(connection, table(tmp_path / "p.csv", PAIR | {"direction": "zh-de"})).stored == 1
        assert [(row[0], row[2], row[4]) for row in counted(connection)] == [("57", "zh-de", "")]


def test_work_of_people_stays_and_counts(tmp_path: Path) -> None:
    from storage.reviews.review_log import ReviewLog

    with closing(open_library(tmp_path / "a.db")) as connection:
        bring(connection, table(tmp_path / "p.csv", PAIR))
        (evaluation,) = connection.execute("SELECT id FROM evaluations").fetchone()
        ReviewLog(connection, "ana").open(evaluation)
        report = import_path(connection, dataset(tmp_path / "set.json", ARTICLE))
        assert any("people have worked on" in note.message for note in report.notes)
        assert [(row[0], row[4]) for row in counted(connection)] == [("57", ""), ("57", RUBRIC)]


def test_work_that_comes_later_brings_an_article_back(tmp_path: Path) -> None:
    from storage.reviews.review_log import ReviewLog

    with closing(open_library(tmp_path / "a.db")) as connection:
        bring(connection, table(tmp_path / "p.csv", PAIR))
        (evaluation,) = connection.execute("SELECT id FROM evaluations").fetchone()
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE))
        assert len(counted(connection)) == 1
        ReviewLog(connection, "ana").open(evaluation)
        assert [row[4] for row in counted(connection)] == ["", RUBRIC]


def test_what_judges_found_in_a_file_is_taken_over(tmp_path: Path) -> None:
    error = {"text": "low", "confidence": 0.9, "severity": "major", "start": 13, "end": 16}
    answers = {"t.txt": [{"src": SOURCE, "mt": "".join(ANSWERS), "COMET": 0.5, "errors": [error]}]}
    (tmp_path / "x.json").write_text(json.dumps(answers), encoding="utf-8")
    with closing(open_library(tmp_path / "a.db")) as connection:
        bring(connection, tmp_path / "x.json")
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE))
        (row,) = connection.execute(
            'SELECT e.errors, s.start, s."end" FROM evaluations e JOIN spans s ON s.evaluation_id = e.id '
            f"WHERE e.judge <> '' AND e.article_id NOT IN {EARLIER_VERSIONS}"
        ).fetchall()
        assert row == (1, 13, 16)


def test_candidates_take_up_translations_of_their_texts(tmp_path: Path) -> None:
    from storage.importing.candidates import add_candidates

    rows = [PAIR, {"prompt_id": 58, "system": "heron", "translation": "Another article."}]
    with closing(open_library(tmp_path / "a.db")) as connection:
        for number, row in enumerate(rows):
            assert import_path(connection, table(tmp_path / f"{number}.csv", row)).stored == 1
        report = add_candidates(connection, dataset(tmp_path / "set.json", ARTICLE, OTHER), "ana")
        assert (report.stored, report.left_out) == (2, 0)
        assert [(row[0], row[4]) for row in counted(connection)] == [("58", "考点1：另"), ("57", RUBRIC)]


def test_a_name_that_nobody_knows_waits_and_is_said_with_the_mend(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE))
        rows = [{"prompt_id": key, "system": "heron", "translation": "x"} for key in ("57.0", "99")]
        report = import_path(connection, table(tmp_path / "p.tsv", *rows))
        assert (report.stored, report.left_out) == (2, 0)
        (line,) = (line for line in report.lines() if "wait" in line)
        assert line == (
            "  p.tsv:3: flag: article: 1 translation is kept, and waits for its source: no article here is called so; "
            "import the articles, and they come in by themselves (of 99); or mend the names (line 3)"
        )
        assert [row[0] for row in counted(connection)] == ["57"]


def test_a_source_that_is_empty_is_that_of_a_known_name_alone(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, dataset(tmp_path / "set.json", ARTICLE))
        report = import_path(
            connection, table(tmp_path / "p.json", PAIR | {"source": ""}, PAIR | {"article": "99", "source": ""})
        )
        assert (report.stored, report.left_out) == (1, 1)
        assert any("left out: source: is empty" in line for line in report.lines())


def test_the_command_asks_in_a_terminal(discox: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from discox_tui.cli.library import imports

    path = tmp_path / "a.db"
    discox("import", "--db", path, dataset(tmp_path / "set.json", ARTICLE))
    pairs = table(tmp_path / "p.csv", PAIR, PAIR | {"source": "Changed.", "translation": "Low."})
    assert "1 stored + 0 unchanged + 1 left out" in discox("import", "--db", path, pairs).out, "without one it says"
    monkeypatch.setattr(imports, "at_terminal", lambda: True)
    monkeypatch.setattr("builtins.input", lambda question: "1")
    asked = discox("import", "--db", path, pairs).out
    assert "it is a translation of 57" in asked
    assert "1 stored + 1 unchanged + 0 left out" in asked
    with closing(open_library(path)) as connection:
        assert [(row[0], row[4]) for row in counted(connection)] == [("57", RUBRIC)] * 2
