"""Scores of segments: the WMT's averages, what its script writes, SQM ratings."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.exports.registry import WRITERS
from storage.exports.selection import Selection
from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Remark, ScoreLine
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut
from storage.formats.registry import format_named
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.storage.formats.reading import format_in, read_as, sniffed

MQM = "system doc doc_id seg_id rater source target category severity".replace(" ", "\t")
SQM = "system doc doc_id seg_id rater source target score".replace(" ", "\t")


def read(path: Path, *lines: str, direction: str | None = None) -> list[object]:
    path.write_text("\n".join(lines) + "\n")
    assert format_in(path) == "wmt-scores"
    return list(read_as(path, "wmt-scores", ReadOptions(direction=direction)))


def scores(items: list[object]) -> list[tuple[str, str, str, str, str, float]]:
    lines = [item for item in items if isinstance(item, ScoreLine)]
    assert all(line.human for line in lines)
    return [(s.metric, s.system, s.article, s.direction, s.rater, s.score) for s in lines]


def codes(items: list[object]) -> list[tuple[int, str]]:
    return [(item.line, item.code) for item in items if isinstance(item, (LeftOut, Remark))]


def test_averages_are_of_segments_where_nothing_says_their_documents(tmp_path: Path) -> None:
    """2020 parts all by blanks, 2021 the first two by a tab."""
    lines = ["system mqm_avg_score seg_id", "A\t-20.000000 84", "A -0.000000 85", "B\tNone 84", "B\t1", "C x 3"]
    items = read(tmp_path / "mqm_ted_zhen.avg_seg_scores.tsv", *lines)
    assert scores(items) == [
        ("MQM average", "A", "mqm_ted_zhen:84", "zh-en", "", -20),
        ("MQM average", "A", "mqm_ted_zhen:85", "zh-en", "", 0),
    ]
    assert codes(items) == [(1, "direction"), (1, "documents"), (4, "not_rated"), (5, "cells"), (6, "cells")]


def test_averages_are_of_documents_where_the_ratings_lie_beside_them(tmp_path: Path) -> None:
    rows = [f"A\td{n // 2}\t1\t{n}\tr\ts\tt\tNo-error\tNo-error" for n in range(4)]
    (tmp_path / "mqm_ted_zhen.tsv").write_text("\n".join([MQM, *rows]))
    lines = ["system mqm_avg_score seg_id", *(f"A\t-{n}.5 {n}" for n in range(4))]
    items = read(tmp_path / "mqm_ted_zhen.avg_seg_scores.tsv", *lines, direction="zh-en")
    assert scores(items) == [
        ("MQM average", "A", "d0", "zh-en", "", -1),
        ("MQM average", "A", "d1", "zh-en", "", -3),
    ]


def test_the_script_s_sums_are_scores_of_raters(tmp_path: Path) -> None:
    lines = [
        "A\td\t1\t-3.5\tr1=2.0\tr2=5.0",
        "A\td\t2\t-0.0\tr1=0",
        "B\td\t1\t-1.0",
        "B\td\tx\t-1",
        "C\td\t1\t70\tr1=70",
    ]
    items = read(tmp_path / "zh-en.score", *lines)
    assert scores(items) == [
        ("MQM", "A", "d", "zh-en", "r1", -1),
        ("MQM", "A", "d", "zh-en", "r2", -5),
        ("MQM average", "B", "d", "zh-en", "", -1),
        ("MQM", "C", "d", "zh-en", "r1", 70),
    ]
    assert (4, "cells") in codes(items)


def test_the_script_s_scores_are_those_of_the_ratings_themselves(tmp_path: Path) -> None:
    rows = ["A\td\t1\t1\tr\ts\t<v>t</v>\tAccuracy/Mistranslation\tMajor", "A\td\t2\t2\tr\ts\tu\tNo-error\tNo-error"]
    (tmp_path / "mqm_zhen.tsv").write_text("\n".join([MQM, *rows]))
    (tmp_path / "mqm_zhen.score").write_text("A\td\t1\t-5.0\tr=5.0\nA\td\t2\t-0.0\tr=0\n")
    connection = open_library(tmp_path / "library.db")
    import_path(connection, tmp_path / "mqm_zhen.tsv")
    report = import_path(connection, tmp_path / "mqm_zhen.score")
    assert (report.format, report.stored, report.unchanged) == ("wmt-scores", 0, 2)


def test_sqm_says_nothing_of_errors(tmp_path: Path) -> None:
    rows = [
        'A\td\t1\t1\tr1\tsay "x\tsag "x\t5',
        "A\td\t2\t2\tr1\ts\tt\t6",
        "A\td\t2\t2\tr2\ts\tt\t?",
        "A\td\t2\t2\t\ts\tt\t3",
        "A\td",
    ]
    path = tmp_path / "psqm_newstest2020_ende.tsv"
    items = read(path, SQM, *rows)
    (one,) = [item for item in items if isinstance(item, Annotation)]
    assert (one.annotator, one.metric, one.score, one.rated) == ("r1", "SQM", 5.5, frozenset())
    assert [s.translation for s in one.document.segments] == ['sag "x', "t"]
    assert codes(items) == [(1, "direction"), (4, "bad_field"), (5, "bad_field"), (6, "cells"), (0, "scores_alone")]
    connection = open_library(tmp_path / "library.db")
    import_path(connection, path)
    assert connection.execute("SELECT state FROM reviews").fetchall() == [("in_progress",)]


@pytest.mark.parametrize("name", ["wmt-mqm", "mt-metrics-eval", "label-studio"])
def test_scores_alone_are_not_clean_after_a_round_trip(tmp_path: Path, name: str) -> None:
    path = tmp_path / "psqm_newstest2020_ende.tsv"
    path.write_text(f"{SQM}\nA\td\t1\t1\tr1\ts\tt\t5\n")
    first, second = open_library(tmp_path / "a.db"), open_library(tmp_path / "b.db")
    import_path(first, path)
    out = tmp_path / {"wmt-mqm": "out_ende.tsv", "mt-metrics-eval": "set", "label-studio": "out.json"}[name]
    format_named(WRITERS, name).write(first, out, Selection())
    import_path(second, out)
    assert second.execute("SELECT count(*) FROM reviews WHERE state = 'done'").fetchone() == (0,)


def test_another_table_is_none_of_these(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("A\td\t1\tx\n")
    assert not sniffed(path, "wmt-scores")
    with pytest.raises(FormatError, match="no table of the WMT"):
        list(read_as(path, "wmt-scores", ReadOptions()))
