"""Tables of scores as users have them: every spelling of one table read alike, every row stored, unchanged or left out."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.analysis.metric_scores import read_score_files, read_scores
from storage.formats.base.directions import direction_name
from storage.formats.base.items import Remark, ScoreLine
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut
from storage.importing.import_report import imports
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.storage.formats.reading import read_as

Write = Callable[..., Path]

COLUMNS = ("metric", "system", "article", "direction", "score", "human")
ROWS = (
    ("human", "aurora", "1", "zh-en", "81", "1"),
    ("human", "borealis", "1", "zh-en", "64.5", "1"),
    ("chrF", "aurora", "1", "zh-en", "-0.25", "0"),
    ("chrF", "模型, “甲”", "1", "zh-en", "1e-3", "0"),
)


def cells(
    rows: object = ROWS, columns: object = COLUMNS, delimiter: str = ",", end: str = "\n", quote: bool = False
) -> str:
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([columns, *rows])  # type: ignore[misc]
    return out.getvalue()


def objects(rows: object = ROWS) -> list[dict[str, object]]:
    return [
        dict(zip(COLUMNS, row, strict=True)) | {"score": float(row[4]), "human": int(row[5])}
        for row in rows  # type: ignore[attr-defined]
    ]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str | bytes, name: str = "scores.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def said(path: Path) -> list[tuple[object, ...]]:
    """The scores of a file, without their lines and segments."""
    return [row[1:-1] for row in read_as(path, "scores") if isinstance(row, ScoreLine)]


def left_out(path: Path) -> list[LeftOut]:
    return [row for row in read_as(path, "scores") if isinstance(row, LeftOut)]


def remarks(path: Path) -> list[Remark]:
    return [row for row in read_as(path, "scores") if isinstance(row, Remark)]


WANTED = [
    (metric, system, article, direction, float(score), human == "1", "", "")
    for metric, system, article, direction, score, human in ROWS
]


@pytest.mark.parametrize(
    "content",
    [
        cells(),
        "\ufeff" + cells(),
        cells(end="\r\n"),
        cells(end="\r"),
        cells(delimiter="\t"),
        cells(delimiter=";"),
        "\n\n" + cells(end="\n\n") + ",,,,,\n",
        cells(columns=("Metric", " SYSTEM ", "Article", "direction", "Score", "HUMAN")),
        cells([row[::-1] for row in ROWS], COLUMNS[::-1]),
        cells([(*row, "x\ny") for row in ROWS], (*COLUMNS, "note")),
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in objects()),
        "".join(json.dumps({key.upper(): str(value) for key, value in row.items()}) + "\r\n" for row in objects()),
        json.dumps(objects(), indent=1),
    ],
    ids=["csv", "bom", "crlf", "cr", "tsv", "semicolons", "blank", "case", "order", "more", "jsonl", "texts", "json"],
)
def test_every_spelling_of_a_table_is_the_same_table(write: Write, content: str) -> None:
    path = write(content)
    assert said(path) == WANTED
    assert not left_out(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "gb18030"])
def test_another_encoding_is_refused_with_how_to_convert(write: Write, encoding: str) -> None:
    path = write(cells([*ROWS, ("人工评分", "模型", "文章", "zh-en", "1", "1")]).encode(encoding))
    with pytest.raises(FormatError, match="iconv -f"):
        list(read_as(path, "scores"))


@pytest.mark.parametrize(
    ("content", "missing"),
    [
        ("metric,system,score\nchrF,a,1\n", "no column article"),
        ("chrF,a,1,zh-en,5,0\n", "no columns metric, system, article, score"),
        ("metric,system,article,score,Score\n", "score twice"),
        ('{"prompt_id": 1, "ori_text": "x"}\n', "is no score"),
        ("\n", "is empty"),
    ],
)
def test_what_is_no_such_table_is_said(write: Write, content: str, missing: str) -> None:
    with pytest.raises(FormatError, match=missing) as caught:
        list(read_as(write(content), "scores"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("score", ["nan", "NaN", "inf", "-Infinity", "", "  ", "1_000", "76,5", "1e400", "n/a", "1e13"])
def test_what_is_no_score_is_left_out_with_its_line(write: Write, score: str) -> None:
    path = write(cells([ROWS[0], (*ROWS[1][:4], score, "1"), ROWS[2]]))
    assert [row[4] for row in said(path)] == [81, -0.25]
    (row,) = left_out(path)
    assert (row.line, row.field, row.code) == (3, "score", "bad_field")
    assert "76.5" in row.message


@pytest.mark.parametrize("score", ["NaN", "Infinity", "null", "true", "[1]", '""', "1" * 400])
def test_what_is_no_score_in_json_is_left_out(write: Write, score: str) -> None:
    line = '{"metric": "chrF", "system": "a", "article": %d, "score": %s}\n'
    path = write("".join(line % each for each in enumerate(("2", score, "3"))))
    assert [row[4] for row in said(path)] == [2, 3]
    assert [(row.line, row.field) for row in left_out(path)] == [(2, "score")]


def test_a_row_that_is_broken_costs_no_other(write: Write) -> None:
    good = "chrF,a,{},zh-en,{},0\n"
    lines = [good.format(i, i) for i in range(8)]
    lines[1] = '"chrF,a,1,zh-en,1,0\n'  # a quote that does not close
    lines[3] = "chrF,a,3,zh-en\n"
    lines[5] = "chrF,a,5,zh-en,5,0,more\n"
    path = write((",".join(COLUMNS) + "\n" + "".join(lines)).encode() + b"chrF,\xff\xfe,9,zh-en,9,0\n")
    assert [row[2] for row in said(path)] == ["0", "2", "4", "6", "7"]
    assert [(row.line, row.code) for row in left_out(path)] == [
        (3, "quotes"),
        (5, "cells"),
        (7, "cells"),
        (10, "not_utf8"),
    ]


def test_a_tab_separated_file_may_hold_quotes_as_they_are(write: Write) -> None:
    path = write('metric\tsystem\tarticle\tscore\nchrF\t"the" system\t1\t5\nchrF\t"b"\t1\t6\n')
    assert [row[1] for row in said(path)] == ['"the" system', "b"]


def test_what_a_file_does_not_say_is_told(write: Write) -> None:
    path = write(
        "metric,system,article,score,rater,other,another\nHuman MQM,a,8.0,1,,,\n人工评分,a,8,1,,,\nESA,a,8,1,lin,,\n"
        "humane,a,8,1,,,\nchrF,a,8,1,,,\n"
    )
    assert [(row[0], row[2], row[3], row[5], row[6]) for row in said(path)] == [
        ("Human MQM", "8", "", True, ""),
        ("人工评分", "8", "", True, ""),
        ("ESA", "8", "", True, "lin"),
        ("humane", "8", "", False, ""),
        ("chrF", "8", "", False, ""),
    ]
    found = remarks(path)
    assert found[0].message == "not read: other, another"
    assert [remark.code for remark in found[1:]] == ["taken_for_human"] * 3


def test_human_is_said_in_many_ways_and_never_guessed(write: Write) -> None:
    path = write("metric,system,article,score,human\n" + "".join(f"m,a,{i},1,{h}\n" for i, h in enumerate(
        ["1", "0", "TRUE", "false", "是", "否", "1.0", "no", "2", "maybe"])))  # fmt: skip
    assert [row[5] for row in said(path)] == [True, False, True, False, True, False, True, False]
    assert [(row.line, row.field) for row in left_out(path)] == [(10, "human"), (11, "human")]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("ZH-EN", "zh-en"), ("zh→en", "zh-en"), ("zh_en", "zh-en"), ("zh2en", "zh-en"), ("zh -> en", "zh-en"),
     ("en-de", "en-de"), ("中译英", "zh-en"), ("", "")],
)  # fmt: skip
def test_directions_are_written_in_one_way(given: str, wanted: str) -> None:
    assert direction_name(given) == wanted


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8).map(
    str.strip
)
NAMES = NAMES.filter(bool)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(NAMES, NAMES, st.integers(0, 9), st.floats(-1e6, 1e6)),
        min_size=1,
        max_size=8,
        unique_by=lambda row: row[:3],
    )
)
def test_whatever_names_hold_every_row_comes_back(write: Write, rows: list[tuple[str, str, int, float]]) -> None:
    columns = ("metric", "system", "article", "score", "human")
    given = [(metric, system, f"a{article}", repr(score), "0") for metric, system, article, score in rows]
    wanted = [
        (metric, system, f"a{article}", "", score + 0.0, False, "", "") for metric, system, article, score in rows
    ]
    assert said(write(cells(given, columns, quote=True))) == wanted
    assert said(write(cells(given, columns, "\t", quote=True))) == wanted
    lines = [json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in given]
    assert said(write("".join(lines))) == wanted


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.booleans())
def test_whatever_a_file_holds_it_adds_up(write: Write, content: bytes, headed: bool) -> None:
    path = write(b"metric,system,article,score\n" * headed + content)
    _, (report,) = read_score_files([path])
    assert report.problem or report.rows == report.stored + report.unchanged + report.left_out
    assert "\n" not in report.problem


# --- Storing --------------------------------------------------------------------------------------------------


def test_importing_twice_changes_nothing_and_what_differs_is_flagged(write: Write, tmp_path: Path) -> None:
    rows = [*ROWS, ROWS[0], (*ROWS[0][:4], "80", "1"), (*ROWS[2][:4], "0.75", "0")]
    path = write(cells(rows))
    with closing(open_library(tmp_path / "a.db")) as connection:
        first = import_path(connection, path, format="scores")
        assert (first.rows, first.stored, first.unchanged, first.left_out) == (7, 5, 2, 0)
        assert [(note.line, note.code) for note in first.notes] == [(4, "another_score"), (7, "another_score")]
        before = connection.execute("SELECT * FROM scores").fetchall()
        again = import_path(connection, path, format="scores")
        assert (again.stored, again.unchanged) == (0, 7)
        assert connection.execute("SELECT * FROM scores").fetchall() == before
        assert [report.format for _, _, report in imports(connection)] == ["scores"]
        both = {row.score for row in read_scores(connection).rows if row.system == "aurora"}
        assert both == {81, 80, 0.75}  # of one metric in one file the later, whoever rated without a name counts
        import_path(
            connection,
            write(cells([(*ROWS[2][:4], "0.5", "0"), (*ROWS[0][:4], "70", "1")]), "newer.csv"),
            format="scores",
        )
        newest = {row.score for row in read_scores(connection).rows if row.system == "aurora"}
        assert newest == {81, 80, 70, 0.5}  # people without a name all count, of a metric the newest


def test_the_library_says_what_a_file_does_not(sample: Path, write: Write) -> None:
    with closing(open_library(sample)) as connection:
        key, direction, domain, system = connection.execute(
            "SELECT article, direction, domain, system FROM evaluations LIMIT 1"
        ).fetchone()
        assert direction
        import_path(connection, write(f"metric,system,article,score\nchrF,{system.upper()},{key},5\n"), format="scores")
        import_path(
            connection,
            write(f"metric,system,article,score,direction\nchrF,{system},{key},5,{direction}\n"),
            format="scores",
        )
        rows = [row for row in read_scores(connection).rows if row.metric == "chrF"]
        assert {(row.system, row.direction, row.domain) for row in rows} == {(system, direction, domain)}


def test_the_command_stores_and_the_report_has_it(discox: Command, write: Write, tmp_path: Path) -> None:
    path = write(cells([*ROWS, ("chrF", "", "1", "zh-en", "5", "0")]))
    result = discox("import", "scores", path, "--db", tmp_path / "a.db", "--json")
    assert result.code == 0
    report = json.loads(result.out)
    assert (report["rows"], report["stored"], report["left_out"]) == (5, 4, 1)
    assert report["files"][0]["format"] == "scores"
    assert [note["field"] for note in report["files"][0]["notes"] if note["kind"] == "left_out"] == ["system"]
    again = discox("import", "scores", path, "--db", tmp_path / "a.db")
    assert again.code == 0
    assert "4 unchanged" in again.out
    assert f"{path.name}:6: left out: system:" in again.out


def test_a_folder_called_scores_is_still_a_folder(
    discox: Command, sample_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scores").symlink_to(sample_files)
    monkeypatch.chdir(tmp_path)
    for name in ("./scores", "scores"):
        result = discox("import", name, "--db", tmp_path / "a.db", "--no-ground")
        assert "12" in result.out or "unchanged" in result.out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["import", "scores", "none.csv"], 1, "No such file"),
        (["import", "scores", "none.csv", "--judge", "x"], 2, "--judge"),
        (["import", "scores", "."], 1, "folder"),
    ],
)
def test_what_cannot_be_stored_is_said(
    discox: Command, tmp_path: Path, arguments: list[str], code: int, says: str
) -> None:
    result = discox(*arguments, "--db", tmp_path / "a.db")
    assert result.code == code
    assert says in result.err


# --- What counts, and what is told ----------------------------------------------------------------------------


def human_scores(path: Path, **asked: str) -> set[float]:
    with closing(open_library(path)) as connection:
        return {row.score for row in read_scores(connection, **asked).rows if row.human}  # type: ignore[arg-type]


def test_a_corrected_rating_replaces_the_one_before_and_can_be_taken_back(
    discox: Command, write: Write, tmp_path: Path
) -> None:
    db = tmp_path / "a.db"
    rows = "metric,system,article,direction,score,human,rater\nESA,A,1,zh-en,{},1,lin\n"
    typo, right = write(rows.format(7), "a.csv"), write(rows.format(70), "b.csv")
    for path, stored, counts in ((typo, 1, 7), (right, 1, 70), (right, 0, 70), (typo, 1, 7), (typo, 0, 7)):
        report = json.loads(discox("import", "scores", path, "--db", db, "--json").out)
        assert (report["stored"], report["unchanged"]) == (stored, 1 - stored)
        assert human_scores(db) == {counts}
    assert "the one imported last counts" in discox("import", "scores", right, "--db", db).out


def test_what_stands_beside_nothing_is_flagged_with_its_number(discox: Command, sample: Path, write: Write) -> None:
    rows = [
        ("chrF", f"s{i}", f"a{i}", direction, 1, 0) for i, direction in enumerate(["", "klingon", "zh→fr", "zh-en"])
    ]
    result = discox("import", "scores", write(cells(rows)), "--db", sample)
    for said in (
        "1 score of no direction",
        "klingon is no direction like zh-en and en-zh (1 rows)",
        "zh-fr is another direction than",
        "4 scores of articles that the library does not have: a0, a1, a2 …",
        "4 scores of systems that the library does not have: s0, s1, s2 …",
    ):
        assert said in result.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("metric,system,article,score\nm,A,1,1e999\n", "is “1e999”, beyond ±1e12"),
        ("metric,system,article,score\nm,A,1,-2e12\n", "is “-2e12”, beyond ±1e12"),
        ('{"metric": "m", "system": "A", "article": 1, "score": NaN}\n', "NaN is no number"),
        ('{"metric": "m", "system": "A", "article": 1, "score": 1e400}\n', "1e400 is no number"),
        (f"metric,system,article,score\nm,A,{'x' * 200_000},1\n", "a cell of more than 131,072 characters"),
        ("[" * 5_000, "nested too deeply to be read"),
        (b"metric,system,article,score\nm,A,1,1\nm," + "甲乙".encode("gbk") + b",1,1\n", "iconv -f GB18030"),
    ],
)
def test_a_reason_names_what_stood_there(write: Write, content: str | bytes, said: str) -> None:
    path = write(content, "a.jsonl" if content[:1] in ("{", "[") else "a.csv")
    assert said in " ".join(row.message for row in left_out(path))


def test_traditional_chinese_is_called_by_its_encoding(write: Write) -> None:
    words = "翻譯評分：這篇文章的譯文讀起來很自然，但是有幾個術語沒有統一，請再檢查一次。"
    for encoding, name in (("big5", "BIG5"), ("gb18030", "GB18030")):
        path = write(cells([("人工", words, "1", "zh-en", "1", "1")]).encode(encoding))
        with pytest.raises(FormatError, match=f"iconv -f {name}"):
            list(read_as(path, "scores"))


def test_what_shows_nothing_makes_no_other_name(write: Write) -> None:
    assert {row[1] for row in said(write("metric,system,article,score\nm,A,1,1\nm,A\u200b,2,1\nm,\ufeffA,3,1\n"))} == {
        "A"
    }


def test_ratings_on_another_scale_are_not_averaged_with_reviews(discox: Command, sample: Path, write: Write) -> None:
    reviews = human_scores(sample)
    with closing(open_library(sample)) as connection:
        key, direction, system = connection.execute("SELECT article, direction, system FROM evaluations").fetchone()
    rows = [("adequacy", system, key, direction, "4", "1"), ("ESA", system, key, direction, "81", "1")]
    discox("import", "scores", write(cells(rows)), "--db", sample)
    assert human_scores(sample) == {*reviews, 81}
    said = "Not averaged with the reviews, which are of 0-100: 1 rating by adequacy, 4 to 4; --reviewer adequacy"
    report = json.loads(discox("consistency", "--db", sample, "--json").out)
    assert any(warning.startswith(said) for warning in report["warnings"])
    assert [scale["name"] for scale in report["scales"] if scale["aside"]] == ["adequacy"]
    assert human_scores(sample, reviewer="adequacy") == {4}
    for option in ("--html", "--markdown", "--latex"):
        assert "Not averaged with the reviews" in discox("consistency", "--db", sample, option, "-").out
    assert "Not averaged with the reviews" in discox("consistency", "--db", sample).out


def test_imported_scales_that_differ_are_told(discox: Command, write: Write) -> None:
    rows = "metric,system,article,direction,score,rater\n" + "".join(
        f"ESA,{system},{article},zh-en,{score},{rater}\n"
        for article in (1, 2)
        for system, ana, ben in (("A", 4, 80), ("B", 2, 30))
        for rater, score in (("ana", ana), ("ben", ben))
    )
    warnings = json.loads(discox("consistency", "--scores", write(rows + "m,A,1,zh-en,1,\n"), "--json").out)["warnings"]
    assert any("ana (ESA), 2 to 4; ben (ESA), 30 to 80. Choose with --reviewer" in warning for warning in warnings)
    alone = discox("consistency", "--scores", write(rows), "--reviewer", "ana", "--json").out
    assert not any("different scales" in warning for warning in json.loads(alone)["warnings"])
