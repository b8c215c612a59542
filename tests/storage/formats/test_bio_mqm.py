"""The Bio-MQM data set: the same errors from its lists, with offsets, and its tables, with tags."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Remark
from storage.formats.io.rows import LeftOut
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.storage.formats.reading import format_in, read_as

HEADER = "SEG_ID\tDoc\tSource\tTagged_Source\tTarget\tMT\tTagged_Target\tError Category\tSeverity\tAnnotator_ID"


def error(term: str, start: int, end: int, category: str = "Accuracy", severity: str = "Major", **more: Any) -> Any:
    return {"term": term, "startIndex": start, "endIndex": end, "error_category": category, "severity": severity} | more


def segment(number: int, source: str, target: str, *errors: Any, **more: Any) -> dict[str, Any]:
    about = {"SEG_ID": str(number), "filename": "de_en_doc14.txt", "MT_Engine": "Grebe_run1", "Annotator_ID": 5138667}
    locales = {"source_locale": "dede", "target_locale": "enus"}
    found = {"source_errors": [], "target_errors": list(errors)}
    return {"source": source, "target": target} | about | locales | found | {"DOC_ID": "doc14"} | more


def listed(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\ufeff" + json.dumps(rows, ensure_ascii=False, indent=4), encoding="utf-8")
    return path


def table(path: Path, *rows: str) -> Path:
    path.write_text("\n".join((HEADER, *rows, "")), encoding="utf-8")
    return path


def annotations(path: Path) -> list[Annotation]:
    assert format_in(path) == "bio-mqm"
    return [item for item in read_as(path, "bio-mqm") if isinstance(item, Annotation)]


def said(one: Annotation) -> list[tuple[Any, ...]]:
    return [(m.segment, m.category, m.severity, m.quote, [tuple(p) for p in m.places]) for m in one.marks]


def test_lists_have_inclusive_offsets_on_either_side(tmp_path: Path) -> None:
    rows = [
        segment(2, "Zwei", "Two", source_errors=[error("Zw", 0, 1, "Source", "Neutral")]),
        segment(1, "Eins.", "One 😀 thing.", error("thing", 6, 10, "Terminology", error_subcategory="Wrong_term")),
    ]
    (one,) = annotations(listed(tmp_path / "x.json", *rows))
    assert (one.annotator, one.human) == ("5138667", True)
    assert (one.document.article, one.document.system) == ("de-en:doc14", "Grebe_run1")
    assert [(s.id, s.source) for s in one.document.segments] == [("1", "Eins."), ("2", "Zwei")]
    assert said(one) == [
        (0, "Terminology/Wrong_term", "Major", "thing", [("translation", 6, 11)]),
        (1, "Source", "Neutral", "Zw", [("source", 0, 2)]),
    ]
    assert one.rated == frozenset({0, 1})


@pytest.mark.parametrize(
    ("text", "start", "end", "term", "place"),
    [
        ("abc def", 4, 6, "def", (4, 7)),
        ("· x · y", 0, 1, "·", (0, 1)),
        ("the bbr's offer", 4, 9, "bbr\\'s", (4, 9)),
        ("abc def", 0, 2, "def", (4, 7)),
        ("a b a b", 1, 1, "b", None),
        ("abc", 9, 11, "xyz", None),
        ("abc", 0, 1, "", (0, 2)),
    ],
)
def test_where_the_offsets_hold_other_words_the_term_counts(
    tmp_path: Path, text: str, start: int, end: int, term: str, place: tuple[int, int] | None
) -> None:
    (one,) = annotations(listed(tmp_path / "x.json", segment(1, "s", text, error(term, start, end))))
    (mark,) = one.marks
    assert [(p.start, p.end) for p in mark.places] == ([place] if place else [])
    assert bool(mark.unplaced) == (place is None)
    assert mark.kept["startIndex"] == start


def test_tables_have_a_row_for_each_error_or_none(tmp_path: Path) -> None:
    path = table(
        tmp_path / "Grebe_run1_abstract_de2en_en.tsv",
        "1\tdoc100\tEins.\t\tOne thing.\tGrebe_run1\t<tag>One</tag> thing.\tAccuracy - Mistranslation\tMajor\t513",
        "2\tdoc100\tZwei.\t\tTwo.\tGrebe_run1\t\t\t\t513",
        "1\tdoc100\tEins.\t<tag>Ei</tag>ns.\tOne thing.\tGrebe_run1\t\tAccuracy - Omission\tMinor \t513",
        "1\tdoc100\tEins.\t\tOne thing.\tGrebe_run1\tOne <tag>thing\tStyle\tMinor\t77",
    )
    items = list(read_as(path, "bio-mqm"))
    assert format_in(path) == "bio-mqm"
    first, second = (item for item in items if isinstance(item, Annotation))
    assert (first.document.article, first.document.direction) == ("de-en:doc100", "de-en")
    assert said(first) == [
        (0, "Accuracy/Mistranslation", "Major", "One", [("translation", 0, 3)]),
        (0, "Accuracy/Omission", "Minor", "Ei", [("source", 0, 2)]),
    ]
    assert first.rated == frozenset({0, 1})
    assert [(m.places, m.unplaced) for m in second.marks] == [((), "is not within one pair of tags")]
    assert second.rated == frozenset({0})
    assert [r.code for r in items if isinstance(r, Remark)] == ["direction"], "several rows are one rating"


def test_rows_of_a_table_are_one_rating_though_one_has_other_texts_and_objects_of_a_list_are_each(
    tmp_path: Path,
) -> None:
    path = table(
        tmp_path / "x_de2en_en.tsv",
        "1\td\tEins.\t\tOne thing.\tG\t<tag>One</tag> thing.\tStyle\tMajor\t5",
        "1\td\tEins.\t\tOne  thing.\tG\tOne  <tag>thing</tag>.\tStyle\tMinor\t5",
    )
    (one,) = annotations(path)
    assert [(m.severity, bool(m.places)) for m in one.marks] == [("Major", True), ("Minor", False)]
    assert [r.line for r in read_as(path, "bio-mqm") if isinstance(r, Remark) and r.code == "other_text"] == [3]
    rows = [segment(1, "Eins.", "One thing.", error("One", 0, 2)), segment(1, "Eins.", "One thing.")]
    earlier, standing = annotations(listed(tmp_path / "x.json", *rows))
    assert (len(earlier.marks), len(earlier.replaced)) == (1, 1)
    assert (standing.marks, standing.replaced) == ((), ())


@pytest.mark.parametrize(
    ("locales", "file", "direction"),
    [
        (("enus", "zhcn"), "x", "en-zh"),
        (("en_zh", "en_zh"), "x", "en-zh"),
        (("enus-ptbr", "enus-ptbr"), "x", "en-pt"),
        (("eslatam", "enus"), "x", "es-en"),
        (("enus", "eues"), "x", "en-eu"),
        (("ReviewProcess", "ReviewProcess"), "en_zh_doc14.txt", "en-zh"),
        (("", ""), "x", ""),
    ],
)
def test_directions_of_locales(tmp_path: Path, locales: tuple[str, str], file: str, direction: str) -> None:
    row = segment(1, "s", "t") | {"source_locale": locales[0], "target_locale": locales[1], "filename": file}
    (one,) = annotations(listed(tmp_path / "x.json", row))
    assert one.document.direction == direction


def test_lists_without_documents_are_cut_where_the_numbers_begin_anew(tmp_path: Path) -> None:
    def row(number: int, source: str, **more: Any) -> dict[str, Any]:
        found = segment(number, source, f"T {source}") | more
        del found["DOC_ID"]
        return found

    rows = [row(1, "a"), row(1, "a", Annotator_ID=7), row(2, "b"), row(1, "c"), row(2, "b")]
    items = list(read_as(listed(tmp_path / "x.json", *rows), "bio-mqm"))
    found = [item for item in items if isinstance(item, Annotation)]
    assert [(a.annotator, [s.source for s in a.document.segments]) for a in found] == [
        ("5138667", ["a", "b"]),
        ("7", ["a", "b"]),
        ("5138667", ["c", "b"]),
    ]
    assert len({a.document.article for a in found}) == 2
    assert [r.code for r in items if isinstance(r, Remark)] == ["no_documents"]
    other = [each | {"MT_Engine": "Heron", "target": "other"} for each in rows]
    again = annotations(listed(tmp_path / "y.json", *other))
    assert [a.document.article for a in again] == [a.document.article for a in found], "of another system the same"


def test_what_is_wrong_is_said_with_line_and_field(tmp_path: Path) -> None:
    rows = [
        segment(1, "a", "b", "odd"),
        segment(2, "", "b"),
        segment(3, "a", "b", Annotator_ID=None),
        segment(4, "a", "b", target_errors={}),
        segment(5, "a", "b", SEG_ID="x"),
        segment(6, "a", "b", MT_Engine=""),
    ]
    items = list(read_as(listed(tmp_path / "x.json", *rows), "bio-mqm"))
    assert [out.field for out in items if isinstance(out, LeftOut)] == [
        *("source", "Annotator_ID", "target_errors", "SEG_ID", "MT_Engine")
    ]
    (one,) = (item for item in items if isinstance(item, Annotation))
    assert [m.unplaced for m in one.marks] == ["is no error span that can be read"]
    (one, *_) = read_as(tmp_path / "x.json", "bio-mqm", ReadOptions(system="A", direction="zh-en"))
    assert isinstance(one, LeftOut)


TEXTS = st.sampled_from(["a b a", "x😀y", "bbr's"])
ERRORS = st.builds(error, st.sampled_from(["a", "b", "", "😀", "bbr\\'s"]), st.integers(-1, 4), st.integers(-1, 6))
ROWS = st.builds(
    lambda number, text, errors, rater: segment(number, f"s{number}", text, *errors, Annotator_ID=rater),
    st.integers(1, 3), TEXTS, st.lists(ERRORS, max_size=2), st.sampled_from(["p", "q"]),
)  # fmt: skip


@given(st.lists(ROWS, min_size=1, max_size=4, unique_by=lambda r: (r["SEG_ID"], r["Annotator_ID"])), st.randoms(use_true_random=False))  # fmt: skip
def test_the_order_of_rows_changes_nothing_and_places_lie_in_their_texts(
    rows: list[dict[str, Any]], chance: random.Random
) -> None:
    texts: dict[str, str] = {}
    rows = [row | {"target": texts.setdefault(row["SEG_ID"], row["target"])} for row in rows]
    with tempfile.TemporaryDirectory() as name:
        found = []
        for given_ in (rows, chance.sample(rows, len(rows))):
            connection = open_library(Path(name) / f"{len(found)}.db")
            report = import_path(connection, listed(Path(name) / "x.json", *given_))
            assert report.rows == report.stored == len(rows)
            again = import_path(connection, Path(name) / "x.json")
            assert (again.stored, again.unchanged) == (0, len(rows))
            marked = connection.execute(
                "SELECT evaluation_id, reviewer, json(spans), category_label FROM marked_errors"
            ).fetchall()
            translations = connection.execute("SELECT id, text FROM translations ORDER BY id").fetchall()
            found.append((sorted(marked), translations))
            lengths = {"source": 99, "translation": len(translations[0][1])}
            assert all(0 <= s <= e <= lengths[side] for *_, spans, _ in marked for side, s, e in json.loads(spans))
            connection.close()
    assert found[0] == found[1]
