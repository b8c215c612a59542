"""Appraise's ESA table, its texts beside it, and the JSON Lines of WMT24 and WMT25."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Document, Remark, ScoreLine
from storage.formats.io.rows import LeftOut
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.storage.formats.reading import read_as, sniffed

TEXT = "  Der 😀 Hund.\nLief. "
TIMES = ("1711317347.693", "1711317350.1")


def row(item: object, document: str = "d1#A", spans: object = "[]", score: object = 80, **more: str) -> list[object]:
    given = {
        "user": "engdeu01",
        "system": "wmt23.A",
        "kind": "TGT",
        "whole": "False",
        "src": "eng",
        "tgt": "deu",
    } | more
    texts = spans if isinstance(spans, str) else json.dumps(spans)
    return [
        given["user"], given["system"], item, given["kind"], given["src"], given["tgt"], score, document,
        given["whole"], texts, *TIMES,
    ]  # fmt: skip


def table(path: Path, *rows: list[object]) -> Path:
    held = StringIO()
    csv.writer(held, lineterminator="\n").writerows(rows)
    path.write_text(held.getvalue())
    return path


def batches(folder: Path, *items: tuple[int, str, str, str]) -> None:
    held = [
        {"itemID": i, "documentID": d, "targetID": "wmt23.A", "sourceText": s, "targetText": t, "itemType": "TGT"}
        for i, d, s, t in items
    ]
    (folder / "batches.json").write_text(json.dumps([{"items": held, "task": {}}]))


def read(path: Path, name: str = "appraise-esa") -> tuple[list[Annotation], list[LeftOut], list[Any]]:
    assert sniffed(path, name)
    items = list(read_as(path, name))
    others = [i for i in items if not isinstance(i, (Annotation, LeftOut))]
    return [i for i in items if isinstance(i, Annotation)], [i for i in items if isinstance(i, LeftOut)], others


def test_spans_are_placed_in_the_texts_of_the_batches(tmp_path: Path) -> None:
    spans = [
        {"start_i": 4, "end_i": 5, "severity": "minor", "error_type": None},
        {"start_i": 0, "end_i": 17, "severity": "undecided", "error_type": ["Accuracy", "Addition"]},
        {"start_i": "missing", "end_i": "missing", "severity": "major", "error_type": None},
    ]
    batches(tmp_path, (2, "d1#A", "Two", "Zwei"), (1, "d1#A", "The dog.", TEXT))
    path = table(tmp_path / "esa.csv", row(2), row(1, spans=spans, score="60.5"))
    found, left_out, _ = read(path)
    assert not left_out
    (one,) = found
    assert (one.document.article, one.document.system, one.document.direction) == ("d1", "A", "en-de")
    assert [s.translation for s in one.document.segments] == [TEXT, "Zwei"]
    first, whole, missing = one.marks
    assert TEXT[slice(*first.places[0][1:])] == "😀"
    assert TEXT[slice(*whole.places[0][1:])] == TEXT.strip()
    assert (whole.category, whole.severity) == ("Accuracy/Addition", "undecided")
    assert missing.missing
    assert (one.annotator, one.score, one.rows) == ("engdeu01", 70.25, 2)


def test_what_checks_the_annotator_is_no_rating(tmp_path: Path) -> None:
    batches(tmp_path, (1, "d1#A", "s", "t"))
    rows = [row(1), row(1, kind="BAD"), row(1, kind="CHK"), row(1, kind="what"), row(1, score="?")]
    rows += [row(1, name) for name in ("d1#A#bad", "d1#A#bad7", "d1#dup", "d1#incomplete", "ende-tutorial1")]
    rows += [["short"], row(1, whole="True", score=55)]
    found, left_out, others = read(table(tmp_path / "esa.csv", *rows))
    assert [a.rows for a in found] == [1]
    assert [out.line for out in left_out] == list(range(2, 12))
    assert [(s.metric, s.score, s.rater) for s in others if isinstance(s, ScoreLine)] == [
        ("ESA (document)", 55, "engdeu01")
    ]


def test_some_tables_end_with_the_spans_and_hold_one_bare(tmp_path: Path) -> None:
    batches(tmp_path, (1, "d1#A", "The dog.", TEXT))
    one = "{'start_i': 0, 'end_i': 2, 'severity': 'major'}"
    path = table(tmp_path / "t.csv", row(1, spans=one)[:10], row(2, spans="x")[:10], row(1, spans="")[:9])
    found, left_out, _ = read(path)
    assert [TEXT[slice(*mark.places[0][1:])] for mark in found[0].marks] == ["Der"]
    assert [(item.line, item.code) for item in left_out] == [(2, "cells"), (3, "cells")]


def test_python_s_way_to_write_spans_is_read_and_others_are_kept(tmp_path: Path) -> None:
    batches(tmp_path, (1, "d1#A", "s", "text"), (2, "d1#A", "s2", "text2"))
    python = "[{'start_i': 0, 'end_i': 1, 'severity': 'minor', 'error_type': None}]"
    found, _, others = read(table(tmp_path / "esa.csv", row(1, spans=python), row(2, spans="what?")))
    assert [mark.quote for mark in found[0].marks] == ["te"]
    assert [remark.code for remark in others if isinstance(remark, Remark)] == ["spans"]
    assert found[0].unmarked[1].kept["spans"] == "what?"


def test_without_texts_each_row_says_where_to_put_them(tmp_path: Path) -> None:
    found, left_out, _ = read(table(tmp_path / "esa.csv", row(1), row(2)))
    assert not found
    assert [out.code for out in left_out] == ["no_texts"] * 2
    assert "batches" in left_out[0].mend


def test_texts_may_stand_in_the_table(tmp_path: Path) -> None:
    spans = [{"start_i": 0, "end_i": 2, "severity": "minor"}]
    found, _, _ = read(table(tmp_path / "esa.csv", row(1, "d", spans, src="The dog.", tgt="Der, Hund")))
    assert [mark.quote for mark in found[0].marks] == ["Der"]


def test_texts_are_found_in_wmt_s_folder_past_its_first_line(tmp_path: Path) -> None:
    for name, text in {
        "sources/en-de.txt": "canary\nOne\nTwo\n",
        "documents/en-de.docs": "canary\tcanary\nnews\td1\nnews\td1\n",
        "system-outputs/en-de/A.txt": "canary\nEins\nZwei\n",
    }.items():
        path = tmp_path / "txt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found, left_out, _ = read(table(tmp_path / "esa.csv", row(0, "d1", system="A"), row(2, "d1", system="A")))
    assert not left_out
    assert [s.translation for s in found[0].document.segments] == ["Eins", "Zwei"]
    assert found[0].document.domain == "news"


def test_items_are_numbered_anew_in_every_batch(tmp_path: Path) -> None:
    def item(i: int, d: str, t: str) -> dict[str, Any]:
        return {"itemID": i, "documentID": d, "targetID": "wmt23.A", "sourceText": t, "targetText": t}

    held = [{"items": [item(1, "x#A", "x"), item(2, "d1#A", "one")]}, {"items": [item(2, "d1#A", "two")]}]
    (tmp_path / "batches.json").write_text(json.dumps(held))
    rows = [row(2), row(1, "x#A"), row(2, user="other")]
    found, left_out, _ = read(table(tmp_path / "esa.csv", *rows))
    assert [a.document.segments[0].translation for a in found if a.document.article == "d1"] == ["one"]
    assert [(out.line, "several texts" in out.reason) for out in left_out] == [(3, True)]


# --- JSON Lines -----------------------------------------------------------------------------------------------


def segment(line: int, scores: object, **texts: str) -> dict[str, Any]:
    return {"doc_id": f"en-de_DE_#_news_#_d_#_{line}", "src_text": f"s{line}", "tgt_text": texts, "scores": scores}


def test_a_segment_a_line_comes_to_documents(tmp_path: Path) -> None:
    path = tmp_path / "humeval.jsonl"
    spans = [{"start_i": 1, "end_i": 1, "severity": "major"}]
    first = {"A": [{"score": "90", "annotator": "r1", "errors": spans}, {"score": 50, "annotator": "r2", "errors": []}]}
    rows = [
        segment(1, {"A": [{"score": 70, "annotator": "r1", "errors": []}]}, A="b"),
        segment(0, first, A="abc", B="x"),
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    items = list(read_as(path, "wmt-esa", ReadOptions()))
    found = [i for i in items if isinstance(i, Annotation)]
    assert [(a.annotator, a.score, sorted(a.rated or ()), a.rows) for a in found] == [
        ("r1", 80, [0, 1], 2),
        ("r2", 50, [0], 1),
    ]
    assert [s.translation for s in found[0].document.segments] == ["abc", "b"]
    assert [mark.quote for mark in found[0].marks] == ["b"]
    assert [d.system for d in items if isinstance(d, Document)] == ["B"]


def test_a_system_may_have_one_rating_with_a_score_called_human(tmp_path: Path) -> None:
    """As the ratings of WMT25 are put together."""
    rating = {"human": 71.5, "errors": [{"start_i": 0, "end_i": 2, "severity": "minor"}]}
    line = {"doc_id": "en-de_#_news_#_d_#_0", "src_text": "The", "tgt_text": {"A": "Der"}, "scores": {"A": rating}}
    path = tmp_path / "humeval.jsonl"
    path.write_text(json.dumps(line))
    (one,) = read(path, "wmt-esa")[0]
    assert (one.metric, one.score, len(one.marks), one.kept) == ("ESA", 71.5, 1, {})


def test_ratings_may_be_numbered_by_wave(tmp_path: Path) -> None:
    """As those of WMT25 were on the way, with metrics beside them."""
    spans = [{"start_i": 0, "end_i": 2, "severity": "minor"}]
    waves = {"human1": 80.0, "errors1": spans, "annotator1": "r1", "times1": [1, 2], "MetricX": 0.3}
    waves |= {"human2": 70, "errors2": [], "annotator2": "r2", "times2": [3, 4]}
    line = {"doc_id": "en-de_#_news_#_d_#_0", "src_text": "The", "tgt_text": {"A": "Der"}, "scores": {"A": waves}}
    path = tmp_path / "humeval.jsonl"
    path.write_text(json.dumps(line))
    found = read(path, "wmt-esa")[0]
    assert [(a.annotator, a.score, [m.quote for m in a.marks]) for a in found] == [("r1", 80, ["Der"]), ("r2", 70, [])]
    assert [a.unmarked[0].kept for a in found] == [
        {"times": [1, 2], "MetricX": 0.3, "score": 80},
        {"times": [3, 4], "score": 70},
    ]


def test_a_rating_without_a_list_of_errors_is_not_clean(tmp_path: Path) -> None:
    rating = {"score": 71.5, "annotator": "r", "protocol": "DA"}
    line = {"doc_id": "en-de_#_news_#_d_#_0", "src_text": "The", "tgt_text": {"A": "Der"}, "scores": {"A": [rating]}}
    path = tmp_path / "humeval.jsonl"
    path.write_text(json.dumps(line))
    (one,) = read(path, "wmt-esa")[0]
    assert (one.metric, one.rated) == ("DA", frozenset())


def test_a_rating_a_line_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "wmt24_esa.jsonl"
    rating = {"langs": "en-cs", "line_id": 3, "src": "s", "tgt": "abc", "doc_id": "d", "domain": "news", "system": "A"}
    rating |= {"esa_spans": [{"start_i": 0, "end_i": 0, "severity": "minor"}], "esa_score": "88", "annotator": "r"}
    path.write_text(json.dumps(rating) + "\n")
    (one,) = read(path, "wmt-esa")[0]
    assert (one.score, one.document.direction, one.marks[0].quote) == (88, "en-cs", "a")


def test_importing_twice_changes_nothing_and_adds_up(tmp_path: Path) -> None:
    batches(tmp_path, (1, "d1#A", "s", "t"))
    path = table(tmp_path / "esa.csv", row(1), row(1, kind="BAD"), row(9))
    connection = open_library(tmp_path / "library.db")
    first, second = import_path(connection, path), import_path(connection, path)
    assert (first.format, first.rows, first.stored, first.left_out) == ("appraise-esa", 3, 1, 2)
    assert (second.stored, second.unchanged, second.left_out) == (0, 1, 2)
    assert connection.execute("SELECT metric, score, human, rater FROM scores").fetchall() == [
        ("ESA", 80, 1, "engdeu01")
    ]


odd = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(odd, odd, odd | st.sampled_from(["[]", "[1]", "[{}]", "{'a': 1}", "[{'start_i': 0}]"]))))
def test_no_row_raises_or_gets_lost(tmp_path: Path, given: list[tuple[str, str, str]]) -> None:
    batches(tmp_path, (1, "d1#A", "s", TEXT))
    rows = [row(1), *(row(1, score=score or 3, spans=spans, user=user) for user, score, spans in given)]
    path = table(tmp_path / "esa.csv", *rows)
    found, left_out, _ = read(path)
    assert sum(a.rows for a in found) + len(left_out) == len(rows)


# --- WMT25's table, and Appraise's JSON Lines -----------------------------------------------------------------


def task(number: int, line: int, text: str, system: str = "GPT-4.1") -> dict[str, Any]:
    names = {"documentID": "en-cs_CZ_#_news_#_d", "sourceID": f"en-cs_CZ_#_news_#_d_#_{line}", "targetID": system}
    return {**names, "itemID": number, "itemType": "TGT", "sourceText": f"s{line}", "targetText": text}


def wmt25(line: int, number: int, spans: object, score: int, *, named_twice: bool) -> list[object]:
    """A row as Appraise exported it: the segment's id in place of the item's, or in a column of its own."""
    identity = f"en-cs_CZ_#_news_#_d_#_{line}"
    rest = ["TGT", "eng", "ces", score, "en-cs_CZ_#_news_#_d", "True", json.dumps(spans), *TIMES]
    if named_twice:
        return ["engces101", identity, "GPT-4.1", number, *rest, 1, 12345]
    return ["engces101", "GPT-4.1", identity, *rest]


@pytest.mark.parametrize("named_twice", [False, True])
def test_wmt25_s_tables_say_of_every_segment_that_it_ends_its_document(tmp_path: Path, named_twice: bool) -> None:
    held = [{"items": [task(7, 1, "b<br>cd"), task(8, 0, "a")]}, {"items": [task(7, 1, "other", "B")]}]
    (tmp_path / "wave1_tasks.json").write_text(json.dumps(held))
    spans = [{"start_i": 2, "end_i": 3, "severity": "major", "error_type": None}]
    rows = [wmt25(1, 7, spans, 60, named_twice=named_twice), wmt25(0, 8, [], 100, named_twice=named_twice)]
    tutorial = [*rows[0]]
    tutorial[1 if named_twice else 2] = "deen-tutorial1"
    found, left_out, others = read(table(tmp_path / "wave1.csv", *rows, tutorial))
    assert [(out.line, out.code) for out in left_out] == [(3, "no_rating")]
    assert not others
    (one,) = found
    assert (one.document.article, one.document.system, one.document.direction, one.document.domain) == (
        "en-cs_CZ_#_news_#_d", "GPT-4.1", "en-cs", "news",
    )  # fmt: skip
    assert [(s.id, s.translation) for s in one.document.segments] == [("0", "a"), ("1", "b<br>cd")]
    assert [(mark.segment, mark.quote, mark.severity) for mark in one.marks] == [(1, "cd", "major")]
    assert (one.score, one.annotator) == (80, "engces101")


@pytest.mark.parametrize("more", [[], [3, 991], [3, 991, 0]])
def test_tables_of_scores_alone_say_nothing_of_errors(tmp_path: Path, more: list[int]) -> None:
    """Of campaigns of direct assessment, and of pairs, which go on with the number of the translation."""
    one = {"targetID": "wmt23.A", "targetText": "Hallo."}
    item = {"itemID": 1, "documentID": "d1#A", "segmentID": "s", "segmentText": "Hello.", "targets": [one]}
    (tmp_path / "batches.json").write_text(json.dumps([{"items": [item]}]))
    rows = [row(1, score=70), row(2, score=60, whole="True")]
    found, left_out, others = read(table(tmp_path / "da.csv", *([*cells[:9], *cells[10:], *more] for cells in rows)))
    assert not left_out
    (annotation,) = found
    assert (annotation.metric, annotation.score, annotation.rated) == ("DA", 70, frozenset())
    assert [s.translation for s in annotation.document.segments] == ["Hallo."]
    assert [(s.metric, s.score) for s in others if isinstance(s, ScoreLine)] == [("DA (document)", 60)]


def test_batches_and_numbers_of_the_database_may_follow(tmp_path: Path) -> None:
    batches(tmp_path, (1, "d1#A", "s", "t"))
    (one,) = read(table(tmp_path / "t.csv", [*row(1), 3, 991]))[0]
    assert one.unmarked[0].kept["more"] == ["3", "991"]


def line_of(kind: str, **more: object) -> dict[str, Any]:
    """A line as the tool writes it for a kind of task."""
    about = {"annotator": "engdeu01", "source_id": "s::d1::1", "source_text": "The dog.", "item_type": "TGT"}
    languages = {"source_language": "eng", "target_language": "deu", "document_id": "d1", "is_complete_document": False}
    times = {"start_time": 1.5, "end_time": 3.0, "duration": 1.5, "batch_number": 1, "campaign_name": "c"}
    return about | languages | times | {"item_id": 0, "task_type": kind} | more


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def test_json_lines_hold_one_translation_or_several(tmp_path: Path) -> None:
    spans = json.dumps([{"start_i": 4, "end_i": 5, "severity": "minor", "error_type": None}])
    one = {"target_id": "A", "target_text": TEXT.replace("\n", " "), "score": 70, "mqm_annotations": spans}
    two = {"target_id": "B", "target_text": "Der Hund.", "score": 90, "mqm_annotations": "[]"}
    path = lines(
        tmp_path / "c.jsonl",
        line_of("PairwiseESA", targets=[one, two], comment="why"),
        line_of("PairwiseESA", targets=[one | {"score": 50}], item_id=1, is_complete_document=True)
        | {"source_text": "", "targets": [{**two, "target_text": "", "score": 55}]},
        line_of("Document", **two, item_type="BAD"),
        line_of("Document", **(two | {"target_id": "C", "score": None})),
        line_of("Document", **(two | {"target_id": "D"}), annotator="engdeu02"),
        line_of("PairwiseDocument", targets=[{"target_id": "E", "target_text": "x", "score": 5}]),
    )
    found, left_out, others = read(path, "appraise-jsonl")
    assert [(a.document.system, a.annotator, a.metric, a.score, len(a.marks)) for a in found] == [
        ("A", "engdeu01", "ESA", 70, 1),
        ("B", "engdeu01", "ESA", 90, 0),
        ("D", "engdeu02", "ESA", 90, 0),
        ("E", "engdeu01", "DA", 5, 0),
    ]
    assert found[0].document.direction == "en-de"
    assert found[0].marks[0].quote == "😀"
    assert found[0].unmarked[0].kept["comment"] == "why"
    assert [len(a.rated or ()) for a in found] == [1, 1, 1, 0]
    assert [u.kind for a in found for u in a.unmarked] == ["other", "clean", "clean"]
    assert found[3].kept["segments"][0][1]["score"] == 5
    assert [(out.line, out.code) for out in left_out] == [(3, "no_rating"), (4, "not_rated")]
    assert [(s.metric, s.system, s.score) for s in others if isinstance(s, ScoreLine)] == [("ESA (document)", "B", 55)]


def test_where_versions_count_differently_it_is_said_once(tmp_path: Path) -> None:
    spans = [{"start_i": 1, "end_i": 1, "severity": "minor"}]
    target = {"target_id": "A", "target_text": "a\nbc", "score": 70, "mqm_annotations": spans}
    path = lines(tmp_path / "c.jsonl", line_of("Document", **target), line_of("Document", **target, item_id=1))
    (one,), _, others = read(path, "appraise-jsonl")
    assert [mark.quote for mark in one.marks] == ["b", "b"]
    assert [remark.code for remark in others if isinstance(remark, Remark)] == ["line_feeds"]


def test_translations_that_go_by_one_name_are_told_apart(tmp_path: Path) -> None:
    """As in campaigns of ContrastiveESA, in which all translations of a document have one target."""
    target = {"target_id": "A", "target_text": "x", "segment_id": 1, "score": 70, "mqm_annotations": "[]"}
    path = lines(tmp_path / "c.jsonl", line_of("ContrastiveESA", targets=[target, target | {"target_text": "y"}]))
    found, _, others = read(path, "appraise-jsonl")
    assert [a.document.system for a in found] == ["A", "A 2"]
    assert [remark.code for remark in others if isinstance(remark, Remark)] == ["same_system"]


def test_json_lines_say_what_is_wrong_and_add_up(tmp_path: Path) -> None:
    target = {"target_id": "A", "target_text": "x", "score": 70, "mqm_annotations": "[]"}
    rows = [line_of("Document", **target)]
    rows += [
        line_of("Document", **(target | more))
        for more in ({"target_text": None}, {"annotator": ""}, {"document_id": 0})
    ]
    rows += [
        line_of("PairwiseESA", targets=[]),
        line_of("Document", **(target | {"mqm_annotations": "what?"}), item_id=5),
    ]
    rows[3]["document_id"] = None
    connection = open_library(tmp_path / "library.db")
    path = lines(tmp_path / "c.jsonl", *rows)
    first, second = import_path(connection, path), import_path(connection, path)
    assert (first.format, first.rows, first.stored, first.left_out) == ("appraise-jsonl", 6, 2, 4)
    assert (second.stored, second.unchanged, second.left_out) == (0, 2, 4)
