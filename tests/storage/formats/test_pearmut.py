"""Pearmut's campaign and log: the last answer counts, places count as Pearmut counts, no rating gets lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Document, Remark
from storage.formats.io.rows import LeftOut
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.storage.formats.reading import read_as, sniffed

TEXT = "a😀\nbcd"
ITEMS = [
    {"item_id": "en-de_DE_#_news_#_d1_#_0", "src": "Hi\nyou", "tgt": {"A": TEXT, "B": "x"}},
    {"item_id": "en-de_DE_#_news_#_d1_#_1", "src": "Bye", "tgt": {"A": "yy", "B": "z"}},
]


def campaign(data: object, **info: Any) -> dict[str, Any]:
    """A campaign as versions before 1.1.5 keep it, unless special tokens are noted."""
    return {
        "token": "t",
        "info": {"assignment": "task-based", "protocol": "ESA", **info},
        "campaign_id": "c",
        "data": data,
    }


def answer(score: float | None, *spans: dict[str, Any]) -> dict[str, Any]:
    return {"score": score, "error_spans": list(spans)}


def span(start: object, end: object, severity: object = "minor", **more: Any) -> dict[str, Any]:
    return {"start_i": start, "end_i": end, "severity": severity, "category": None, **more}


def line(annotation: object, user: str = "eve", item_i: object = 0, **more: Any) -> dict[str, Any]:
    return {"user_id": user, "item_i": item_i, "annotation": annotation, **more}


def written(folder: Path, log: list[Any], data: object = None, **info: Any) -> Path:
    """Write a log, and the campaign beside it."""
    if data is not None:
        (folder / "c.json").write_text(json.dumps(campaign(data, **info), indent=1))
    path = folder / "c.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in log))
    return path


def read(path: Path, *beside: Path) -> tuple[list[Annotation], list[LeftOut]]:
    assert sniffed(path, "pearmut")
    items = list(read_as(path, "pearmut", ReadOptions(beside=beside)))
    return [i for i in items if isinstance(i, Annotation)], [i for i in items if isinstance(i, LeftOut)]


def test_a_protocol_that_asks_for_no_errors_says_nothing_of_them(tmp_path: Path) -> None:
    log = [line([{"A": answer(80)}, {"A": answer(60)}])]
    ((one,), _) = read(written(tmp_path, log, [[ITEMS]], protocol="DA"))
    assert (one.metric, one.score, one.rated) == ("DA", 70, frozenset())
    assert (one.unmarked, [number for number, _ in one.kept["segments"]]) == ((), [0, 1])
    marked = [line([{"A": answer(80, span(1, 3))}, {"A": answer(60)}])]
    ((one,), _) = read(written(tmp_path, marked, [[ITEMS]], protocol="DA"))
    assert one.rated == frozenset({0})


def test_a_rating_has_its_places_its_score_and_the_whole_document(tmp_path: Path) -> None:
    spans = span(1, 3), span(6, 6, "major"), span(4, 6, category="Accuracy/Omission"), span(-1, 2), span(0, 99)
    found, left_out = read(written(tmp_path, [line([{"A": answer(80, *spans)}, {"A": answer(60)}])], [[ITEMS]]))
    assert not left_out
    (one,) = found
    assert (one.document.article, one.document.system) == ("en-de_DE_#_news_#_d1", "A")
    assert (one.document.direction, one.document.domain) == ("en-de", "news")
    assert [s.translation for s in one.document.segments] == [TEXT, "yy"]
    assert (one.annotator, one.human, one.metric, one.score, one.rows) == ("eve", True, "ESA", 70, 2)
    placed, missing, into_missing, before, beyond = one.marks
    assert TEXT[slice(*placed.places[0][1:])] == "😀\nb"
    assert missing.missing
    assert not missing.places
    assert TEXT[slice(*into_missing.places[0][1:])] == "cd"
    assert into_missing.category == "Accuracy/Omission"
    assert (before.unplaced, beyond.unplaced) == ("begins or ends before the text", "ends after the text")
    assert [row.kind for row in one.unmarked] == ["other", "clean"]


def test_the_last_answer_counts_and_a_reset_takes_back(tmp_path: Path) -> None:
    log = [
        line([{"A": answer(1)}, {"A": answer(1)}]),
        line([{"A": answer(2)}, {"A": answer(2)}]),
        line([{"B": answer(9)}, {"B": answer(None)}]),
        line([{"A": answer(5)}], "ann"),
        line("__RESET__", "ann"),
        line([{"A": answer(5)}], item_i="welcome_0"),
    ]
    found, left_out = read(written(tmp_path, log, [[ITEMS]]))
    assert [(a.annotator, a.document.system, a.score, len(a.document.segments), bool(a.replaced)) for a in found] == [
        ("eve", "A", 1, 2, True),
        ("eve", "A", 2, 2, False),
        ("eve", "B", 9, 2, False),
    ]
    assert [(out.line, out.code) for out in left_out] == [
        (3, "not_rated"), (4, "reset"), (5, "reset"), (6, "no_rating"),
    ]  # fmt: skip


def test_an_older_log_has_the_answer_of_one_item(tmp_path: Path) -> None:
    found, _ = read(written(tmp_path, [line({"A": answer(92), "B": answer(78, span(0, 0))})], {"eve": [ITEMS]}))
    assert [(a.document.system, a.score, sorted(a.rated or ())) for a in found] == [("A", 92, [0]), ("B", 78, [0])]
    assert [len(a.document.segments) for a in found] == [2, 2]


def test_a_newer_log_has_its_texts_and_needs_no_campaign(tmp_path: Path) -> None:
    found, left_out = read(written(tmp_path, [line([{"A": answer(3)}, {"A": answer(4)}], item=ITEMS)]))
    assert [a.score for a in found] == [3.5]
    assert not left_out


def test_without_a_campaign_each_line_says_how_to_name_one(tmp_path: Path) -> None:
    found, left_out = read(written(tmp_path, [line([{"A": answer(3)}])]))
    assert not found
    assert "discox import CAMPAIGN.json LOG.jsonl" in left_out[0].mend


def test_a_campaign_is_found_in_another_folder_if_named(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "any.json").write_text(json.dumps(campaign([[ITEMS]])))
    path = written(tmp_path, [line([{"A": answer(3)}, {"A": answer(5)}])])
    found, _ = read(path, elsewhere / "any.json", path)
    assert [a.score for a in found] == [4]


@pytest.mark.parametrize("first", ["c.json", "c.jsonl"])
def test_either_order_comes_to_the_same(tmp_path: Path, first: str) -> None:
    written(tmp_path, [line([{"A": answer(80, span(0, 0))}, {"A": answer(60)}])], [[ITEMS]])
    connection = open_library(tmp_path / "library.db")
    order = [first, *({"c.json", "c.jsonl"} - {first})]
    reports = [import_path(connection, tmp_path / name) for name in order]
    assert all(not report.problem for report in reports)
    count = "SELECT (SELECT count(*) FROM translations), (SELECT count(*) FROM events), (SELECT count(*) FROM scores)"
    assert connection.execute(count).fetchone() == (2, 1, 1)
    again = [import_path(connection, tmp_path / name) for name in order]
    assert [report.stored for report in again] == [0, 0]


def test_a_campaigns_documents_come_without_ratings(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(campaign([ITEMS], assignment="single-stream")))
    documents = list(read_as(tmp_path / "c.json", "pearmut", ReadOptions()))
    assert [d.system for d in documents if isinstance(d, Document)] == ["A", "B"]


def test_other_tokens_after_the_text_are_named(tmp_path: Path) -> None:
    tokens = ["[missing]", "[untranslated]"]
    path = written(tmp_path, [line([{"A": answer(1, span(8, 8))}])], [[ITEMS]], special_tokens=tokens)
    (mark,) = read(path)[0][0].marks
    assert (mark.unplaced, mark.missing) == ("stands for [untranslated]", False)


@pytest.mark.parametrize("kept", [True, False])
def test_newer_versions_count_line_feeds(tmp_path: Path, kept: bool) -> None:
    """As 1.1.6 logs what is clicked; it keeps campaigns in another folder, with their special tokens."""
    said = [line([{"A": answer(61, span(1, 2), span(4, 6), span(7, 7))}], item=ITEMS)]
    (tmp_path / "annotations").mkdir()
    (tmp_path / "campaigns").mkdir()
    path = written(tmp_path / "annotations", said)
    if kept:
        (tmp_path / "campaigns" / "c.json").write_text(json.dumps(campaign([[ITEMS]], special_tokens=["[missing]"])))
    first, second, missing = read(path)[0][0].marks
    assert [TEXT[slice(*mark.places[0][1:])] for mark in (first, second)] == ["😀", "bcd"]
    assert missing.missing
    told = [item.code for item in read_as(path, "pearmut", ReadOptions()) if isinstance(item, Remark)]
    assert told == ([] if kept else ["line_feeds"])


def test_a_form_is_no_rating(tmp_path: Path) -> None:
    form = [{"text": "Which languages do you know?", "form": "string"}]
    path = written(tmp_path, [line([{"A": answer(1)}], item=ITEMS), line(["Czech"], item_i=1, item=form)])
    assert [(item.line, item.code) for item in read(path)[1]] == [(2, "no_rating")]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["A", "score", "error_spans"]), inner),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(["eve", "ann"]), values | st.just([{"A": answer(2)}])), min_size=1, max_size=5)
)
def test_nothing_in_a_log_raises_or_gets_lost(tmp_path: Path, log: list[tuple[str, object]]) -> None:
    path = written(tmp_path, [line([{"A": answer(1)}]), *(line(value, user) for user, value in log)], [[ITEMS]])
    found, left_out = read(path)
    lines = {row.line for a in found for row in a.unmarked} | {out.line for out in left_out}
    lines |= {mark.line for a in found for mark in a.marks}
    assert lines == set(range(1, len(log) + 2))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60))
def test_no_bytes_raise(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes(data)
    assert not sniffed(path, "pearmut")


# --- As WMT26 used it -----------------------------------------------------------------------------------------

DOCUMENT = [
    {"item_id": f"news_###_paper.7_###_{n}", "src": f"<img src='a{n}'>" if n else "One", "src_text": f"Text {n}"}
    | {"tgt": {"GPT 5.5": f"<p>eitt {n}</p>", "Human (from scratch)": f"tvö {n}", "C": "c"}}
    for n in range(2)
]


def contrastive(first: float, second: float, **more: Any) -> dict[str, Any]:
    """A line in which two models stand side by side, of each item of a document."""
    both = {"GPT 5.5": answer(first, span(0, 2)), "Human (from scratch)": answer(second)}
    return line([both, both], item=DOCUMENT, **more)


WMT26 = [
    contrastive(10, 20),
    line("__RESET__"),
    contrastive(70, 90),
    contrastive(30, 40, user="bo", item_i=3),
    line([{"C": answer(5)}], user="bo", item_i="welcome_0", item=[{"item_id": "x_#_tutorial_#_1", "tgt": {"C": "c"}}]),
    line([{"1st translation": answer(5)}], item_i="random_2", item=[{"item_id": "attention_check_2", "tgt": {"1st translation": "c"}}]),
    line([{"C": answer(5)}], item_i=9, item=[{"item_id": "attention_check_1", "src": "s", "tgt": {"C": "c"}}]),
]  # fmt: skip


def test_models_side_by_side_are_passes_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "eng_Latn---isl_Latn v3.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in WMT26))
    found, left_out = read(path)
    assert [(a.annotator, a.document.system, a.score, [m.quote for m in a.marks]) for a in found] == [
        ("eve", "GPT 5.5", 70, ["<p>", "<p>"]),
        ("bo", "GPT 5.5", 30, ["<p>", "<p>"]),
        ("eve", "Human (from scratch)", 90, []),
        ("bo", "Human (from scratch)", 40, []),
    ]
    one = found[0].document
    assert (one.article, one.direction, one.domain) == (
        "news_###_eng_Latn_###_isl_Latn_###_paper.7",
        "en-is",
        "news",
    )
    assert [s.source for s in one.segments] == ["Text 0", "Text 1"]
    assert [(out.line, out.code, out.field) for out in left_out] == [
        (1, "reset", ""),
        (2, "reset", ""),
        (5, "no_rating", "item_i"),
        (6, "no_rating", "item_i"),
        (7, "no_rating", "item_id"),
    ]


def test_logs_of_several_campaigns_in_one_file_stay_apart(tmp_path: Path) -> None:
    """Logs as Pearmut downloads them: one object in one line, each campaign's lines as a list."""
    path = tmp_path / "annotations.json"
    logs = {
        "eng_Latn---deu_Latn v3": [],
        "eng_Latn---isl_Latn v3": WMT26[2:3],
        "eng_Latn---lij_Latn v3": WMT26[:2] + WMT26[3:4],
    }
    path.write_text(json.dumps(logs))
    found, left_out = read(path)
    assert [(a.annotator, a.document.direction, a.document.system, a.score) for a in found] == [
        ("eve", "en-is", "GPT 5.5", 70),
        ("eve", "en-is", "Human (from scratch)", 90),
        ("bo", "en-lij", "GPT 5.5", 30),
        ("bo", "en-lij", "Human (from scratch)", 40),
    ]
    assert [out.code for out in left_out] == ["reset", "reset"], "of its own campaign alone"
    connection = open_library(tmp_path / "library.db")
    first, second = import_path(connection, path), import_path(connection, path)
    assert (first.format, first.stored, second.stored) == ("pearmut", 8, 0)
    assert first.rows == first.stored + first.unchanged + first.left_out
