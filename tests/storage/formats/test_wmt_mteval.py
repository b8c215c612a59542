"""The tables of WMT's shared task on evaluation."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.exports.registry import WRITERS
from storage.exports.selection import Selection
from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Document, Remark, ScoreLine
from storage.formats.io.rows import LeftOut
from storage.formats.registry import format_named
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.storage.formats.reading import format_in, read_as

DOCUMENT = "en-cs_CZ_#_news_#_d"
NAMES = (
    *("doc_id", "segment_id", "source_lang", "target_lang", "set_id", "system_id", "source_segment"),
    *("hypothesis_segment", "reference_segment", "domain_name", "method"),
)
SPANS = ("start_indices", "end_indices", "error_types")


def row(segment: int, text: str, *more: object, of: str = DOCUMENT, in_set: str = "official") -> list[object]:
    return [of, segment, "en", "cs_CZ", in_set, "A", f"s{segment}", text, "", "news", "ESA", *more]


def table(path: Path, more: tuple[str, ...], *rows: list[object]) -> Path:
    """A file as Python's csv writes it: what needs quotes has them."""
    out = StringIO()
    csv.writer(out, delimiter="\t", lineterminator="\n").writerows([[*NAMES, *more], *rows])
    path.write_text(out.getvalue())
    return path


def read(path: Path, judge: str | None = None) -> list[object]:
    assert format_in(path) == "wmt-mteval"
    return list(read_as(path, "wmt-mteval", ReadOptions(judge=judge)))


def test_parallel_lists_are_findings_of_the_judge(tmp_path: Path) -> None:
    path = table(
        tmp_path / "osprey.tsv",
        (*SPANS, "categories"),
        row(1, 'Dobré "ráno".', "-1", "-1", "no-error", "no-error"),
        row(0, "a😀b\nNone", "1 missing 3 9", "2 missing 3 12", "major minor minor minor", "accuracy/addition x"),
    )
    one, remark = sorted(read(path), key=lambda item: isinstance(item, Remark))
    assert isinstance(one, Annotation)
    assert isinstance(remark, Remark)
    assert remark.code == "judge"
    assert (one.annotator, one.human, one.score) == ("osprey", False, None)
    assert (one.document.article, one.document.direction, one.document.domain) == (DOCUMENT, "en-cs", "news")
    assert [s.translation for s in one.document.segments] == ["a😀b\nNone", 'Dobré "ráno".']
    assert [(m.segment, m.quote, m.severity, m.category, bool(m.places), m.missing) for m in one.marks] == [
        (0, "😀", "major", "accuracy/addition", True, False),
        (0, "", "minor", "x", False, True),
        (0, "", "minor", "", False, False),
        (0, "", "minor", "", False, False),
    ]
    assert [(u.segment, u.kind) for u in one.unmarked if u.kind == "clean"] == [(1, "clean")]
    assert not [item for item in read(path, "J") if isinstance(item, Remark)]


def test_people_s_spans_are_a_reviewer_s_beside_them(tmp_path: Path) -> None:
    gold = tuple(f"{name}_gold" for name in SPANS)
    path = table(tmp_path / "both.tsv", (*SPANS, *gold), row(0, "abc", "0", "1", "minor", "1", "3", "major"))
    found = [item for item in read(path) if isinstance(item, Annotation)]
    assert [(a.annotator, a.human, [m.quote for m in a.marks]) for a in found] == [
        ("both", False, ["a"]),
        ("gold", True, ["bc"]),
    ]


def test_scores_are_means_of_documents_and_texts_alone_wait_for_a_judge(tmp_path: Path) -> None:
    rows = [row(0, "a", 0.5), row(1, "b", 1), row(0, "c", "NaN", of="7", in_set="challenge_X"), row(1, "c", "?")]
    items = read(table(tmp_path / "chrF.tsv", ("overall",), *rows))
    assert [(s.metric, s.article, s.score, s.human) for s in items if isinstance(s, ScoreLine)] == [
        ("chrF", DOCUMENT, 0.75, False)
    ]
    assert [(d.article, len(d.segments)) for d in items if isinstance(d, Document)] == [
        (DOCUMENT, 2),
        ("challenge_X:7", 1),
    ]
    assert [(out.line, out.field) for out in items if isinstance(out, LeftOut)] == [(5, "overall")]


def test_scores_come_without_texts_too(tmp_path: Path) -> None:
    """As the scores of challenge sets are handed back."""
    path = tmp_path / "chrF.tsv"
    names = "doc_id segment_id source_lang target_lang set_id system_id domain_name method overall"
    rows = ["0 1 en amh challenge_S hyp1 News NaN 29.4", "0 2 en amh challenge_S hyp1 News NaN 8.6"]
    rows.append("1 3 en amh challenge_S hyp1 News NaN NaN")
    path.write_text("".join("\t".join(line.split(" ")) + "\n" for line in (names, *rows)))
    items = read(path, "chrF++")
    assert [(s.metric, s.article, round(s.score, 6)) for s in items if isinstance(s, ScoreLine)] == [
        ("chrF++", "challenge_S:0", 19.0)
    ]
    assert [(out.line, out.code) for out in items if isinstance(out, LeftOut)] == [(4, "no_score")]


def test_importing_twice_changes_nothing(tmp_path: Path) -> None:
    path = table(tmp_path / "osprey.tsv", SPANS, row(0, "abc", "0", "1", "minor"), row(1, "d", "-1", "-1", "no-error"))
    connection = open_library(tmp_path / "library.db")
    first, second = import_path(connection, path), import_path(connection, path)
    assert (first.rows, first.stored, first.left_out) == (2, 2, 0)
    assert (second.stored, second.unchanged) == (0, 2)


cells = st.text(st.sampled_from("-1 0 2 missing no-error minor x\"'é"), max_size=12)


@pytest.mark.filterwarnings("error")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=4))
def test_no_list_raises_or_loses_a_row(tmp_path: Path, given: list[tuple[str, str, str]]) -> None:
    path = table(tmp_path / "odd.tsv", SPANS, *(row(n, "abc", *lists) for n, lists in enumerate(given)))
    found = [item for item in read(path) if isinstance(item, Annotation)]
    assert sum(a.rows for a in found) == len(given)
    for mark in (mark for a in found for mark in a.marks):
        assert bool(mark.places) != bool(mark.unplaced)


@pytest.mark.parametrize("name", ["wmt-mqm", "mt-metrics-eval", "label-studio"])
def test_what_is_missing_is_missing_after_a_round_trip(tmp_path: Path, name: str) -> None:
    path = table(tmp_path / "osprey.tsv", SPANS, row(0, "abc", "missing 0", "missing 1", "major minor"))
    first, second = open_library(tmp_path / "a.db"), open_library(tmp_path / "b.db")
    import_path(first, path)
    out = tmp_path / {"wmt-mqm": "out_encs.tsv", "mt-metrics-eval": "set", "label-studio": "out.json"}[name]
    format_named(WRITERS, name).write(first, out, Selection())
    import_path(second, out)
    read_back = "SELECT severity, severity_label FROM findings ORDER BY severity_label"
    found = first.execute(read_back).fetchall()
    assert second.execute(read_back).fetchall() == found == [(None, "major"), ("major", "minor")]
