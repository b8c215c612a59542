"""The WMT's general task: test sets and submissions come together in whatever order they are imported."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.formats.base.items import Document, Hypothesis, Remark
from storage.formats.base.segments import segments_of
from storage.formats.io.rows import LeftOut, Row
from storage.formats.io.values import wmt_document, wmt_names
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.storage.formats.reading import format_in, read_as

ICELANDIC = "WMT26_###_news_###_eng_Latn_###_isl_Latn_###_paper.101"
CHINESE = "WMT26_###_software_###_eng_Latn_###_zho_Hant_TW_###_app-strings"


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def source(doc_id: str, text: str, **more: Any) -> dict[str, Any]:
    _, domain, first, second, _ = doc_id.split("_###_")
    return {"doc_id": doc_id, "domain": domain, "src_lang": first, "tgt_lang": second, "src_text": text} | more


def hypothesis(doc_id: str, text: str, **more: Any) -> dict[str, Any]:
    return {"doc_id": doc_id, "hypothesis": text, "metadata": {"input_tokens": 9}} | more


TEST_SET = [
    source(ICELANDIC, "<p>One<br>and more.</p>\n<p>Two.</p>", refs={"refA": {"ref": "<p>Eitt.</p>\n<p>Tvö.</p>"}}),
    source(CHINESE, '{\n  "year": "years"\n}', refs={}, video=None),
]
GREBE = [hypothesis(ICELANDIC, "<p>Einn<br>og meira.</p>\n<p>Tveir.</p>"), hypothesis(CHINESE, '{\n  "year": "年"\n}')]
HERON = [hypothesis(ICELANDIC, "<p>Allt í einu.</p>")]
FILES = {"wmt26-genmt.jsonl": TEST_SET, "Grebe 3.1 (pro).jsonl": GREBE, "Heron.jsonl": HERON}

ORDERS = pytest.mark.parametrize("order", list(permutations(FILES)))

TRANSLATIONS = (
    "SELECT a.key, a.source, a.direction, a.domain, t.system, t.text, s.segments, e.state, e.line, i.file "
    "FROM articles a JOIN translations t ON t.article_id = a.id LEFT JOIN segmentations s ON s.translation_id = t.id "
    "JOIN evaluations e ON e.translation_id = t.id JOIN imports i ON i.id = e.import_id ORDER BY 1, 5, 6"
)


def held(connection: sqlite3.Connection, folder: Path) -> list[tuple[Any, ...]]:
    return [(*row[:-1], Path(row[-1]).name) for row in connection.execute(TRANSLATIONS)]


def test_a_test_set_is_articles_and_references(tmp_path: Path) -> None:
    path = lines(tmp_path / "set.jsonl", *TEST_SET)
    assert format_in(path) == "wmt-general"
    items = list(read_as(path, "wmt-general"))
    assert [
        (r.article.key, r.article.source, r.article.direction, r.article.domain) for r in items if isinstance(r, Row)
    ] == [
        (ICELANDIC, "<p>One<br>and more.</p>\n<p>Two.</p>", "en-is", "news"),
        (CHINESE, '{\n  "year": "years"\n}', "en-zh", "software"),
    ]
    (ref,) = (item for item in items if isinstance(item, Document))
    assert (ref.system, ref.direction, [(s.source, s.translation) for s in ref.segments]) == (
        "refA",
        "en-is",
        [("<p>One<br>and more.</p>", "<p>Eitt.</p>"), ("<p>Two.</p>", "<p>Tvö.</p>")],
    )
    assert [r.field for r in items if isinstance(r, Remark)] == ["direction", "direction", "video"] or [
        r.field for r in items if isinstance(r, Remark)
    ] == ["direction", "video", "direction"]


def test_a_submission_is_translations_by_the_file_s_name(tmp_path: Path) -> None:
    path = lines(tmp_path / "Grebe 3.1 (pro).jsonl", *GREBE)
    assert format_in(path) == "wmt-general"
    items = list(read_as(path, "wmt-general"))
    assert [item for item in items if isinstance(item, Hypothesis)] == [
        Hypothesis(ICELANDIC, "Grebe 3.1 (pro)", GREBE[0]["hypothesis"], 1),
        Hypothesis(CHINESE, "Grebe 3.1 (pro)", GREBE[1]["hypothesis"], 2),
    ]
    assert [r.field or r.code for r in items if isinstance(r, Remark)] == ["metadata", "system"]


def test_fields_that_systems_add_do_not_hide_a_submission(tmp_path: Path) -> None:
    """Submissions of 2025 may name another system than their file does, or repeat the source."""
    for more in ({"system": "grebe WMT25", "granularity": "paragraph-level"}, {"source": "One", "_other": []}):
        path = lines(tmp_path / "Grebe.jsonl", hypothesis("en-is_IS_#_news_#_d", "Einn", **more))
        assert format_in(path) == "wmt-general"
        items = list(read_as(path, "wmt-general"))
        assert [item.system for item in items if isinstance(item, Hypothesis)] == ["Grebe"]
        assert {*more} <= {item.field for item in items if isinstance(item, Remark)}
    pair = {"doc_id": "d", "source": "One", "hypothesis": "Einn", "system": "A"}
    assert format_in(lines(tmp_path / "pairs.jsonl", pair)) == "pairs"
    assert format_in(lines(tmp_path / "answers.jsonl", pair | {"answer": "x"})) != "wmt-general"


@ORDERS
def test_in_whatever_order_and_however_often_they_come(tmp_path: Path, order: tuple[str, ...], discox: Command) -> None:
    for name, rows in FILES.items():
        lines(tmp_path / name, *rows)
    together, apart = tmp_path / "a.db", tmp_path / "b.db"
    assert discox("import", *(tmp_path / name for name in order), "--db", together).code == 0
    for name in (*order, *reversed(order)):
        assert discox("import", tmp_path / name, "--db", apart).code == 0
    with closing(sqlite3.connect(together)) as first, closing(sqlite3.connect(apart)) as second:
        found = held(first, tmp_path)
        assert found == held(second, tmp_path)
        assert [(key, system, line, file) for key, _, _, _, system, _, _, _, line, file in found] == [
            (ICELANDIC, "Grebe 3.1 (pro)", 1, "Grebe 3.1 (pro).jsonl"),
            (ICELANDIC, "Heron", 1, "Heron.jsonl"),
            (ICELANDIC, "refA", 1, "wmt26-genmt.jsonl"),
            (CHINESE, "Grebe 3.1 (pro)", 2, "Grebe 3.1 (pro).jsonl"),
        ]
        assert {row[7] for row in found} == {"not_judged"}
        assert [row[1] for row in found[:3]] == [TEST_SET[0]["src_text"]] * 3
        assert found[0][5] == GREBE[0]["hypothesis"]
        assert second.execute("SELECT count(*) FROM imports").fetchone() == (3,)


def test_what_waits_is_said_with_what_to_do(tmp_path: Path) -> None:
    connection = open_library(tmp_path / "library.db")
    report = import_path(connection, lines(tmp_path / "Heron.jsonl", *GREBE))
    assert (report.rows, report.stored, report.left_out) == (2, 2, 0)
    (note,) = (note for note in report.notes if note.code == "no_source")
    assert (note.line, note.field) == (1, "doc_id")
    assert note.message.startswith("2 translations are kept, and wait for their sources: import the test set")
    assert connection.execute("SELECT count(*) FROM translations").fetchone() == (0,)
    again = import_path(connection, tmp_path / "Heron.jsonl")
    assert (again.stored, again.unchanged) == (0, 2)
    assert [note.code for note in again.notes].count("no_source") == 1
    came = import_path(connection, lines(tmp_path / "set.jsonl", TEST_SET[1]))
    assert (came.rows, came.stored) == (1, 1), "what waited is no row of this file"
    (note,) = (note for note in came.notes if note.code == "joined")
    assert note.message.endswith("are here: 1 by Heron")
    assert connection.execute("SELECT count(*) FROM translations").fetchone() == (1,)


def test_what_is_wrong_with_a_line_is_said_with_its_field(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "set.jsonl",
        TEST_SET[0],
        source(ICELANDIC, ""),
        source(ICELANDIC, 7),
        {"doc_id": " ", "src_text": "x"},
        hypothesis(ICELANDIC, ""),
        {"doc_id": ICELANDIC},
        source(ICELANDIC, "x", refs=[1]),
        source(ICELANDIC, "x", refs={"refB": [1], "refC": {"ref": 5}, "refD": "y"}),
    )
    items = list(read_as(path, "wmt-general"))
    assert [(out.line, out.field) for out in items if isinstance(out, LeftOut)] == [
        (2, "src_text"),
        (3, "src_text"),
        (4, "doc_id"),
        (5, "hypothesis"),
        (6, "src_text"),
    ]
    assert [(r.line, r.field) for r in items if isinstance(r, Remark) and r.code == "not_taken"] == [
        (7, "refs"),
        (8, "refs"),
        (8, "refs"),
    ]
    assert [(d.line, d.system) for d in items if isinstance(d, Document)] == [(1, "refA"), (8, "refD")]


def test_ids_of_both_years_say_direction_and_domain() -> None:
    assert wmt_document("en-is_IS_#_literary_#_rink_rats") == ("en-is_IS", "literary")
    assert wmt_document(ICELANDIC) == ("eng_Latn→isl_Latn", "news")
    assert wmt_document("news_###_eng_Latn_###_isl_Latn_###_paper.101") == ("eng_Latn→isl_Latn", "news")
    assert wmt_document("news_###_paper.101") == ("", "news")
    assert wmt_document("paper.101") == wmt_document("") == ("", "")
    assert wmt_names(f"{ICELANDIC}_###_4") == (ICELANDIC, "eng_Latn→isl_Latn", "news", "4")
    assert wmt_names("en-is_#_news_#_d_#_2") == ("en-is_#_news_#_d", "en-is", "news", "2")


def test_a_submission_of_2025_goes_by_its_id_alone(tmp_path: Path) -> None:
    name = "cs-uk_UA_#_edu_#_edu02176"
    path = lines(tmp_path / "set.jsonl", {"doc_id": name, "src_text": "a\n\nb", "refs": {}})
    (row,) = (item for item in read_as(path, "wmt-general") if isinstance(item, Row))
    assert (row.article.direction, row.article.domain) == ("cs-uk", "edu")


@given(st.text("ab \n\r\t", max_size=12), st.text("江b \n\r\t\x0b", max_size=12))
def test_segments_joined_by_line_ends_are_the_texts_again(source: str, translation: str) -> None:
    segments = segments_of(source, translation)
    assert "\n".join(s.source for s in segments) == source
    assert "\n".join(s.translation for s in segments) == translation


def test_texts_with_as_many_blocks_but_not_lines_are_cut_at_blank_lines() -> None:
    segments = segments_of("a\nb\n\nc", "A\n\n\nC")
    assert [(s.source, s.translation) for s in segments] == [("a\nb\n", "A\n\n"), ("c", "C")]
    assert len(segments_of("a\nb\n\nc", "A")) == 1


document = st.sampled_from([ICELANDIC, CHINESE, "en-de_#_news_#_d", "d"])
texts = st.sampled_from(["<p>a</p>\n<p>b</p>", "x", "江\r\nb", " ", 5, None])
rows = st.one_of(
    st.builds(lambda d, t: {"doc_id": d, "src_text": t, "refs": {}}, document, st.just("one\ntwo")),
    st.builds(lambda d, t: {"doc_id": d, "hypothesis": t}, document, texts),
)


@given(st.lists(rows, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_repeats_change_nothing(given: list[dict[str, Any]], chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, found = Path(name), []
        other = [*given, *given]
        chance.shuffle(other)
        for number, each in enumerate((given, other)):
            connection = open_library(folder / f"{number}.db")
            report = import_path(connection, lines(folder / "A.jsonl", *each), format="wmt-general")
            assert not report.problem
            assert report.rows == report.stored + report.unchanged + report.left_out
            found.append(
                [
                    connection.execute(query).fetchall()
                    for query in (
                        "SELECT id, key, direction, domain, source FROM articles ORDER BY id",
                        "SELECT * FROM translations ORDER BY id",
                        "SELECT * FROM segmentations ORDER BY translation_id",
                        "SELECT field, message FROM import_notes WHERE code = 'waiting' AND json_extract(message, '$[0]') "
                        "NOT IN (SELECT key FROM articles) ORDER BY 1",
                    )
                ]
            )
            connection.close()
    assert found[0] == found[1]
