"""mt-metrics-eval: what its folders, files and JSON Lines come to, and that what is written of a library is that again."""

from __future__ import annotations

import codecs
import json
import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from judges.model import Place
from storage.analysis.table_scores import counting_scores
from storage.exports.mt_metrics_eval.writer import write
from storage.exports.selection import Selection
from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Document, Mark, Segment, Unmarked
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.support.annotated_files import come_in, contents, judged, libraries, library


@given(libraries())
def test_what_is_written_comes_in_as_it_was(items: list[Any]) -> None:
    with library(items) as first, library() as second, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "set"
        write(first, target, Selection())
        come_in(second, target)
        assert contents(second) == contents(first)


@given(libraries())
def test_what_is_written_is_whole_for_those_who_do_not_know_us(items: list[Any]) -> None:
    with library(items) as first, library() as second, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "set"
        write(first, target, Selection())
        shutil.rmtree(target / "discox")
        report = come_in(second, target)
        assert report.left_out == 0
        for path in target.glob("standalone/*.jsonl"):
            assert path.stat().st_size == 0 or come_in(second, path).left_out == 0


def as_it_reads(folder: Path, stem: str, name: str) -> list[str | None]:
    """The texts of a file as mt-metrics-eval takes them: any line end, no blanks after a line, fields of one name."""
    if (path := folder / f"{stem}.jsonl").exists():
        return [json.loads(line)[name] for line in path.open(encoding="utf-8")]
    lines = (line.rstrip() for line in (folder / f"{stem}.txt").open(encoding="utf-8"))
    return [None if line == "[No translation supplied]" else line for line in lines]


@given(libraries())
def test_it_reads_the_texts_that_the_ratings_are_of(items: list[Any]) -> None:
    with library(items) as connection, tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "set"
        write(connection, root, Selection())
        for path in root.glob("standalone/*.jsonl"):
            sources = as_it_reads(root / "sources", path.stem, "source")
            domains = [line.split() for line in (root / f"documents/{path.stem}.docs").open(encoding="utf-8")]
            assert len(domains) == len(sources)
            assert {len(cells) for cells in domains} == {2}
            references = {each.name.split(".")[1] for each in root.glob(f"references/{path.stem}.*")}
            assert references  # it opens no set without
            for name in references:
                assert len(as_it_reads(root / "references", f"{path.stem}.{name}", "target")) == len(sources)
            for line in path.open(encoding="utf-8"):
                row = json.loads(line)
                texts = as_it_reads(root / "system-outputs" / path.stem, row["system_id"], "hypothesis")
                assert len(texts) == len(sources)
                assert row["source"] == sources[row["segment_id"]]
                assert row["hypothesis"] == texts[row["segment_id"]]


# --- a test set of somebody else's ---

DOCS = "news\td1\nnews\td1\ntalk\td2\n"
SOURCE = "一河😀\n二\n三\n"
ERROR = {"start": 1, "end": 3, "category": "Accuracy/Mistranslation", "severity": "major", "score": 5.0}


def rating(*errors: dict[str, Any]) -> str:
    return json.dumps({"errors": list(errors)}, ensure_ascii=False)


@pytest.fixture
def test_set(tmp_path: Path) -> Path:
    """Two documents, two systems."""
    root = tmp_path / "wmt"
    put(root, "documents/zh-en.docs", DOCS)
    put(root, "sources/zh-en.txt", SOURCE)
    put(root, "system-outputs/zh-en/Online-B.1605.txt", "a😀bc\n[No translation supplied]\nz\u2028 \n")
    put(root, "system-outputs/zh-en/M.txt", "one\ntwo\nthree\n")
    put(root, "references/zh-en.refA.txt", "ref\nref\nref\n")
    return root


def put(root: Path, name: str, content: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


def rows(connection: Any, query: str) -> list[Any]:
    return list(connection.execute(query).fetchall())


def test_texts_and_ratings(test_set: Path) -> None:
    lines = [
        f"Online-B.1605\t{rating(ERROR, ERROR | {'is_source_error': True})}\tr1",
        "Online-B.1605\tNone",
        f"Online-B.1605\t{rating()}\tr2",
        f"M\t{rating(ERROR | {'end': 99}, ERROR | {'start': 1, 'end': 1})}\tr1",
        f"M\t{rating()}\tr1",
        "M\tNone",
    ]
    put(test_set, "human-scores/zh-en.mqm.merged.seg.rating", "\n".join(lines) + "\n")
    with library() as connection:
        report = come_in(connection, test_set)
        assert report.left_out == 0
        texts = rows(
            connection, "SELECT system, key, domain, text FROM translations t JOIN articles a ON a.id = article_id"
        )
        assert ("Online-B.1605", "d1", "news", "a😀bc\n") in texts
        assert ("Online-B.1605", "d2", "talk", "z\u2028 ") in texts
        assert ("refA", "d2", "talk", "ref") in texts
        assert len(texts) == 6
        reviews = rows(
            connection,
            "SELECT e.system, e.article, reviewer, r.state, marked FROM reviews r JOIN evaluations e ON e.id = evaluation_id ORDER BY 1, 2",
        )
        assert reviews == [
            ("M", "d1", "r1", "done", 2),
            ("Online-B.1605", "d1", "r1", "in_progress", 2),
            ("Online-B.1605", "d2", "r2", "done", 0),
        ]
        spans = rows(connection, "SELECT spans FROM marked_errors ORDER BY spans")
        assert [json.loads(each) for (each,) in spans] == [[["source", 1, 3]], [["translation", 1, 3]], [], []]
        kept = rows(connection, "SELECT changes FROM events WHERE reviewer = 'r1'")
        held = [error for (changes,) in kept for error in json.loads(changes)["errors"] if error.get("unplaced")]
        assert sorted(error["unplaced"] for error in held) == ["begins where it ends", "ends after the text"]
        assert all(error["kept"]["score"] == 5.0 and error["kept"]["start"] == 1 for error in held)


def test_scores_by_the_smallest_unit_that_a_document_has(test_set: Path) -> None:
    block = "{0}\t1\n{0}\t{1}\n{0}\t-4\n"
    put(test_set, "human-scores/zh-en.da.seg.score", block.format("M", "None") + block.format("Online-B.1605", 2))
    put(test_set, "metric-scores/zh-en/BLEU-refA.sys.score", "M 30\nOnline-B.1605 nan\n")
    put(test_set, "metric-scores/zh-en/COMET-22-refA.doc.score", "M 0.5\nM 0.6\n")
    put(test_set, "metric-scores/zh-en/COMET-22-refA.seg.score", "M 1\nM 1\nM 1\n")
    put(test_set, "human-scores/zh-en.x.domain.score", "news M 1\ntalk M 2\n")
    with library() as connection:
        report = come_in(connection, test_set)
        assert set(rows(connection, "SELECT metric, human, system, article, score FROM scores")) == {
            ("da", 1, "M", "d1", 1.0),
            ("da", 1, "M", "d2", -4.0),
            ("da", 1, "Online-B.1605", "d1", 1.5),
            ("da", 1, "Online-B.1605", "d2", -4.0),
            ("BLEU-refA", 0, "M", "(whole set)", 30.0),
            ("COMET-22-refA", 0, "M", "d1", 0.5),
            ("COMET-22-refA", 0, "M", "d2", 0.6),
            ("x", 1, "M", "(domain news)", 1.0),
            ("x", 1, "M", "(domain talk)", 2.0),
        }
        told = {(note.code, note.field) for note in report.notes}
        assert ("bad_score", "metric-scores/zh-en/BLEU-refA.sys.score") in told
        assert ("mean", "human-scores/zh-en.da.seg.score") in told
        assert ("no_score", "human-scores/zh-en.da.seg.score") in told
        assert ("aside", "metric-scores/zh-en/COMET-22-refA.seg.score") in told


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("system-outputs/zh-en/M.txt", "one\ntwo\n", 3),
        ("system-outputs/zh-en/M.txt", "one\ntwo\nthree\nfour\n", 4),
        ("sources/zh-en.txt", "one\n", 2),
        ("human-scores/zh-en.da.seg.score", "M\t1\nM\t2\n", 2),
        ("human-scores/zh-en.mqm.seg.rating", f"M\t{rating()}\nM\tNone\n", 2),
        ("human-scores/zh-en.mqm.seg.rating", f"X\t{rating()}\nX\tNone\nX\tNone\n", 3),
        ("human-scores/zh-en.mqm.seg.rating", f'M\t{rating()}\nM\tNone\nM\t{{"errors": [\n', 3),
        ("human-scores/zh-en.mqm.seg.rating", f"M\t{rating()}\nM\tNone\nM\n", 3),
        ("documents/zh-en.docs", "news\td1\n\nnews\td1\n", 2),
    ],
)
def test_lines_that_do_not_go_together_are_refused(test_set: Path, name: str, content: str, line: int) -> None:
    put(test_set, name, content)
    with library() as connection:
        report = come_in(connection, test_set)
        (left,) = [note for note in report.notes if note.kind == "left_out"]
        assert (left.field, left.line) == (name, line)
        assert ";" in left.message


def test_a_line_that_is_no_text_costs_its_document(test_set: Path) -> None:
    put(test_set, "human-scores/zh-en.mqm.seg.rating", f"M\t{rating()}\nM\tNone\nM\t{rating()}\n")
    (test_set / "system-outputs/zh-en/M.txt").write_bytes(b"one\ntw\xff\nthree\n")
    with library() as connection:
        report = come_in(connection, test_set)
        assert {(n.field, n.line) for n in report.notes if n.kind == "left_out"} == {
            ("system-outputs/zh-en/M.txt", 2),
            ("human-scores/zh-en.mqm.seg.rating", 1),
        }
        assert rows(connection, "SELECT article FROM evaluations WHERE system = 'M'") == [("d2",)]


@pytest.mark.parametrize("place", ["wmt/human-scores", "", "wmt"])
def test_one_file_with_its_test_set(test_set: Path, place: str) -> None:
    lines = f"M\t{rating(ERROR)}\nM\tNone\nM\t{rating()}\n"
    path = put(test_set.parent / place, "zh-en.mqm.seg.rating", lines)
    with library() as connection:
        report = come_in(connection, path)
        assert (report.format, report.rows) == ("mt-metrics-eval", 2)
        assert rows(connection, "SELECT DISTINCT reviewer FROM reviews") == [("mqm",)]


def test_a_file_without_its_test_set_says_what_is_missing(tmp_path: Path) -> None:
    path = put(tmp_path, "zh-en.mqm.seg.rating", f"M\t{rating(ERROR)}\n")
    with library() as connection:
        assert "no test set is with it; put it" in import_path(connection, path).problem


def test_texts_as_json_lines(test_set: Path) -> None:
    (test_set / "sources/zh-en.txt").unlink()
    put(test_set, "sources/zh-en.jsonl", '{"source": "a\\nb"}\n{"source": "c"}\n{"source": "d"}\n')
    (test_set / "system-outputs/zh-en/M.txt").unlink()
    put(
        test_set,
        "system-outputs/zh-en/M.jsonl",
        '{"hypothesis": "A\\r\\nB"}\n{"hypothesis": null}\n{"hypothesis": 5}\n',
    )
    with library() as connection:
        report = come_in(connection, test_set)
        assert ("A\r\nB\n",) in rows(connection, "SELECT text FROM translations WHERE system = 'M'")
        assert [(n.field, n.line) for n in report.notes if n.kind == "left_out"] == [
            ("system-outputs/zh-en/M.jsonl", 3)
        ]


def standalone(**changes: Any) -> dict[str, Any]:
    whole = {
        "source": "河😀", "hypothesis": "a😀bc", "errors": [ERROR], "document_id": "d", "segment_id": 7,
        "system_id": "M", "rater_id": "r1", "src_lang": "de", "tgt_lang": "ja",
    }  # fmt: skip
    return whole | changes


def test_ratings_that_hold_their_texts(tmp_path: Path) -> None:
    told = [standalone(segment_id=8, errors=[]), standalone(), standalone(rater_id="r2"), standalone(system_id=None)]
    path = put(tmp_path, "any.jsonl", "".join(json.dumps(row) + "\n" for row in told))
    with library() as connection:
        report = come_in(connection, path)
        assert [(n.line, n.field) for n in report.notes if n.kind == "left_out"] == [(4, "system_id")]
        assert rows(connection, "SELECT reviewer, state, marked FROM reviews ORDER BY 1") == [
            ("r1", "done", 1),
            ("r2", "in_progress", 1),
        ]
        assert rows(connection, "SELECT id FROM segments ORDER BY number") == [("7",), ("8",)]
        assert rows(connection, "SELECT DISTINCT direction FROM articles") == [("de-ja",)]
    with library() as connection:
        come_in(connection, path, options=ReadOptions(judge="autoj", system="S"))
        assert set(rows(connection, "SELECT judge, system, errors FROM evaluations WHERE state = 'scored'")) >= {
            ("autoj", "M", 1),
            ("autoj", "S", 1),
        }


# --- what is written ---


def test_names_places_and_scores_of_what_is_written(tmp_path: Path) -> None:
    first = Document("河 1", "a/b c", (Segment("0", "s1", "t\nx"), Segment("1", "s2", "t2")), "zh-en", "two words")
    second = Document("河 1", "Q", (Segment("0", "s1", "u1"), Segment("1", "s2", "u2")), "zh-en", "two words")
    place = Place("translation", 0, 2)
    items = [
        Annotation(first, "p-1.x", True, (Mark(1, "Accuracy/Addition", "Major", (place,)),)),
        Annotation(first, "p-2", True, (Mark(1, "Fluency/Punctuation", "minor", (place,)),), rated=frozenset([1])),
        Annotation(second, "j.1-x", False, (Mark(0, "Style", "Minor", (place,)),)),
        Annotation(second, "p-2", True, (), (Unmarked(0, "clean"), Unmarked(1, "clean"))),
    ]
    with library(items) as connection:
        report = write(connection, tmp_path / "set", Selection())
    root = tmp_path / "set"
    read = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in root.rglob("*") if path.is_file()}
    assert read["documents/zh-en.docs"] == "two_words\t河_1\n" * 2
    assert read["sources/zh-en.txt"] == "s1\ns2\n"
    assert read["system-outputs/zh-en/a_b_c.jsonl"] == '{"hypothesis":"t\\nx"}\n{"hypothesis":"t2"}\n'
    assert read["system-outputs/zh-en/Q.txt"] == "u1\nu2\n"
    assert read["human-scores/zh-en.p_1_x.seg.score"] == "a_b_c\t0.0\na_b_c\t-5.0\n"
    assert read["human-scores/zh-en.p_2.seg.score"] == "Q\t0.0\nQ\t0.0\na_b_c\tNone\na_b_c\t-0.1\n"
    assert read["human-scores/zh-en.p_2.sys.score"] == "Q\t0.0\na_b_c\t-0.1\n"
    assert read["human-scores/zh-en.p_1_x.doc.score"] == "a_b_c\t-2.5\n"
    assert read["human-scores/zh-en.mqm.seg.score"] == "Q\t0.0\nQ\t0.0\na_b_c\t0.0\na_b_c\t-2.55\n"
    assert read["metric-scores/zh-en/j_1_x-src.seg.rating"].startswith('Q\t{"errors":[{"start":0,"end":2,')
    assert not any(name.startswith("metric-scores") and name.endswith(".score") for name in read)
    assert any("a metric must" in note for note in report.notes)
    ratings = read["human-scores/zh-en.p_2.seg.rating"].splitlines()
    assert ratings[2] == "a_b_c\tNone"
    assert json.loads(ratings[3].split("\t")[1])["errors"][0]["score"] == -0.1
    for name in read:
        stem = name.split("/")[-1]
        assert name.startswith("system") or stem.count(".") == (3 if name.startswith("human") else stem.count("."))


def test_paragraphs_are_lines(tmp_path: Path) -> None:
    document = Document("d", "Q", (Segment("", "一\n\n二\r\n", "  one\ntwo"),), "zh-en")
    mark = Mark(0, "Accuracy", "Major", (Place("translation", 2, 9),))
    with library([Annotation(document, "p", True, (mark,))]) as connection:
        write(connection, tmp_path / "set", Selection())
    assert (tmp_path / "set/sources/zh-en.txt").read_text("utf-8") == "一\n二\n"
    assert (tmp_path / "set/system-outputs/zh-en/Q.txt").read_text("utf-8") == "one\ntwo\n"
    first, second = (tmp_path / "set/human-scores/zh-en.p.seg.rating").read_text("utf-8").splitlines()
    (error,) = json.loads(first.split("\t")[1])["errors"]
    assert (error["start"], error["end"], error["discox"]["places"]) == (0, 3, [["translation", 0, 7]])
    assert json.loads(second.split("\t")[1])["errors"] == []


def test_a_reference_is_written_as_one_and_so_is_that_there_is_none(tmp_path: Path) -> None:
    for system, file, text in (
        ("refA", "refA.jsonl", '{"target":"with a blank "}\n{"target":"x"}\n'),
        ("none", "none.txt", "[No translation supplied]\n" * 2),
    ):
        document = Document("d", system, (Segment("1", "a", "with a blank "), Segment("2", "b", "x")), "zh-en")
        with library([document]) as connection:
            report = write(connection, tmp_path / system, Selection())
        (path,) = (tmp_path / system / "references").iterdir()
        assert (path.name, path.read_text("utf-8")) == (f"zh-en.{file}", text)
        assert any("no reference is known" in note for note in report.notes) == (system == "none")
        with library() as connection:
            come_in(connection, tmp_path / system)
            assert rows(connection, "SELECT system, text FROM translations") == [(system, "with a blank \nx")]


# --- bad files in a folder ---


def test_windows_line_ends_and_byte_order_marks(test_set: Path) -> None:
    put(test_set, "human-scores/zh-en.mqm.seg.rating", f"M\t{rating(ERROR)}\tr\nM\tNone\nM\t{rating()}\tr\n")
    put(test_set, "metric-scores/zh-en/BLEU-refA.sys.score", "M 30\n")
    with library() as first, library() as second:
        come_in(first, test_set)
        for path in test_set.rglob("*.*"):
            path.write_bytes(codecs.BOM_UTF8 + path.read_bytes().replace(b"\n", b"\r\n"))
        come_in(second, test_set)
        assert contents(second) == contents(first)


@pytest.mark.parametrize("name", ["sources/zh-en.txt", "system-outputs/zh-en/M.txt", "human-scores/zh-en.da.seg.score"])
@pytest.mark.parametrize(("encoding", "told"), [("utf-16", "UTF-16"), ("gb18030", "GB18030")])
def test_other_encodings_are_named(test_set: Path, name: str, encoding: str, told: str) -> None:
    path = put(test_set, name, "")
    path.write_bytes("河水在冬天变浅\n渡船仍旧过江\n老人说江水\n".encode(encoding))
    with library() as connection:
        report = come_in(connection, test_set)
        (left,) = [note for note in report.notes if note.kind == "left_out"]
        assert left.field == name
        assert told in left.message


def test_what_cannot_be_stored_is_replaced_and_said(test_set: Path) -> None:
    put(test_set, "system-outputs/zh-en/M.txt", "one\0\ntwo\u0085\x0c\nthree\n")
    bad = json.dumps(ERROR | {"category": "x\0\ud800", "start": 0, "end": 9}).replace("5.0", "NaN")
    put(test_set, "human-scores/zh-en.mqm.seg.rating", f'M\t{{"errors": [{bad}]}}\nM\tNone\nM\tNone\n')
    with library() as connection:
        report = come_in(connection, test_set)
        assert rows(connection, "SELECT category_label FROM marked_errors") == [("x\ufffd\ufffd",)]
        assert ("one\ufffd\ntwo\u0085\x0c",) in rows(connection, "SELECT text FROM translations")
        codes = {(note.code, note.field) for note in report.notes}
        assert ("replaced_characters", "system-outputs/zh-en/M.txt") in codes
        assert ("replaced_characters", "human-scores/zh-en.mqm.seg.rating") in codes


def test_the_judges_of_the_sample_come_in_as_they_were(sample: Path, tmp_path: Path) -> None:
    with closing(open_library(sample)) as first, library() as second:
        report = write(first, tmp_path / "set", Selection())
        told = come_in(second, tmp_path / "set")
        assert judged(second) == judged(first)
        assert report.counts["errors"] > 0
        assert {note.code for note in told.notes} <= {"reviewed", "computed", "mapping"}


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2)])
def test_several_lines_for_each_are_told_what_to_do_and_files_of_passes_come_in(
    test_set: Path, before: int, after: int
) -> None:
    """One rater marks the first segment again: lines cannot say so, but two files can, and the later counts."""
    first, again = (
        [f"M\t{rating(*(ERROR | {'start': k} for k in range(n)))}\tr1", *[f"M\t{rating()}\tr1"] * 2]
        for n in (before, after)
    )
    score = [f"M {score}" for score in (-1, -2, -3, -4, -5, -6)]
    put(test_set, "human-scores/zh-en.mqm.seg.rating", "\n".join(first + again) + "\n")
    put(test_set, "human-scores/zh-en.da.seg.score", "\n".join(score) + "\n")
    with library() as connection:
        report = come_in(connection, test_set)
        assert [(each.code, each.line) for each in report.notes if each.code in ("repeated", "misaligned")] == [
            ("repeated", 6),
            ("repeated", 6),
        ]
        said = next(each.message for each in report.notes if each.code == "repeated")
        assert "has 6 lines of M where the texts need 3" in said
        assert "2 for each" in said
        assert "a file of its own" in said
        assert rows(connection, "SELECT count(*) FROM marked_errors") == [(0,)]
    put(test_set, "human-scores/zh-en.mqm.seg.rating", "\n".join(first) + "\n")
    put(test_set, "human-scores/zh-en.mqm2.seg.rating", "\n".join(again) + "\n")
    with library() as connection:
        report = come_in(connection, test_set)
        standing = {each.article: (each.score, each.segments) for each in counting_scores(connection)}
        assert standing == {"d1": (-2.5 * after, ((1, -5.0 * after), (2, 0.0))), "d2": (0.0, ((1, 0.0),))}
        assert "again" in " ".join(each.message for each in report.notes)
