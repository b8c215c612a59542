"""Somebody rates a segment again: the later counts, the earlier is kept, in every format and over several files."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.analysis.table_scores import counting_scores
from storage.base.repeats import latest
from storage.formats.base.pieces import Item, places
from storage.formats.io.values import moment
from storage.importing.import_report import FileReport
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.reviews.pass_scores import rated_at
from storage.reviews.projections import rebuild
from tests.storage.formats.reading import detected


@pytest.mark.parametrize(
    ("times", "stands"),
    [([None], 0), ([3.0, 1.0, 2.0], 0), ([1.0, 1.0], 1), ([9.0, None], 1), ([None, 5.0, None], 2)],
)
def test_the_latest_stands_else_the_last(times: list[float | None], stands: int) -> None:
    assert latest(times) == stands


def test_a_moment_is_seconds_milliseconds_or_iso() -> None:
    assert moment("1711317347.5") == 1711317347.5
    assert moment(1711317347500) == 1711317347.5
    assert moment("2024-03-24T21:55:47.5Z") == moment("2024-03-24T22:55:47.5+01:00") == 1711317347.5
    nothing: list[object] = ["", "soon", None, True, [], -1]
    assert [moment(each) for each in nothing] == [None] * 6


# --- what a library holds of a file ---


def row(
    user: str, item: int, score: float, start: float | None, spans: int = 0, document: str = "doc#A", **more: Any
) -> list[object]:
    errors = [{"start_i": n, "end_i": n, "severity": "major"} for n in range(spans)]
    times = ["", ""] if start is None else [start, start + 5]
    kind, system = more.get("kind", "TGT"), more.get("system", "A")
    return [user, system, item, kind, "deu", "eng", score, document, "False", json.dumps(errors), *times]


def table(path: Path, rows: Iterable[list[object]]) -> Path:
    held = StringIO()
    csv.writer(held, lineterminator="\n").writerows(rows)
    path.write_text(held.getvalue())
    return path


def batches(folder: Path, *held: list[tuple[int, str, str, str]]) -> None:
    """Batches, each a list of (number, document, source, translation)."""
    written = [
        {
            "items": [
                {"itemID": n, "documentID": d, "targetID": d.split("#")[1], "sourceText": s, "targetText": t}
                for n, d, s, t in items
            ]
        }
        for items in held
    ]
    (folder / "batches.json").write_text(json.dumps(written))


def holds(connection: sqlite3.Connection) -> dict[str, Any]:
    """Return the parts of a library that count: texts, scores, passes and errors, without line numbers."""
    scores = """
    SELECT metric, rater, article, system, round(avg(score), 9) FROM (
      SELECT *, rank() OVER (PARTITION BY metric, rater, article, system ORDER BY import_id DESC) AS age FROM scores)
    WHERE age = 1 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    """
    return {
        "texts": connection.execute(
            "SELECT a.key, a.source, t.system, t.text FROM translations t JOIN articles a ON a.id = t.article_id "
            "ORDER BY 1, 2, 3, 4"
        ).fetchall(),
        "scores": connection.execute(scores).fetchall(),
        "reviews": connection.execute(
            "SELECT e.article, e.system, r.reviewer, r.state, r.search, r.marked, r.total FROM reviews r "
            "JOIN evaluations e ON e.id = r.evaluation_id ORDER BY 1, 2, 3"
        ).fetchall(),
        "errors": connection.execute(
            "SELECT article, system, reviewer, json(spans), severity FROM v_marked_errors ORDER BY 1, 2, 3, 4"
        ).fetchall(),
    }


def imported(database: Path, *paths: Path) -> tuple[dict[str, Any], list[FileReport]]:
    """Import into a new library and return what it holds, which must be what follows from its log alone."""
    database.unlink(missing_ok=True)
    with closing(open_library(database)) as connection:
        reports = [import_path(connection, path) for path in paths]
        found = holds(connection)
        rebuild(connection)
        assert holds(connection) == found
    assert all(report.rows == report.stored + report.unchanged + report.left_out for report in reports)
    return found, reports


# --- Appraise ---


def test_of_two_passes_the_later_counts_whatever_the_order(tmp_path: Path) -> None:
    batches(tmp_path, [(1, "doc#A", "Eins.", "One."), (2, "doc#A", "Zwei.", "Two."), (3, "doc#A", "Drei.", "Three.")])
    rows = [row("ann", 1, 10, 100, 2), row("ann", 2, 20, 110), row("ann", 3, 30, 120), row("ann", 2, 80, 500, 1)]
    found, (report,) = imported(tmp_path / "a.db", table(tmp_path / "t.csv", rows))
    assert found["scores"] == [("ESA", "ann", "doc", "A", 40)]
    assert [review[2:6] for review in found["reviews"]] == [("ann", "done", "done", 3)]
    assert [note.line for note in report.notes if note.code == "another_pass"] == [2]
    assert report.people == {"ann": (1, 3)}
    with closing(open_library(tmp_path / "a.db")) as connection:
        (identity,) = connection.execute("SELECT id FROM evaluations").fetchone()
        ((_, segments, earlier),) = rated_at(connection, identity)
        assert (segments, earlier) == ({1: 10, 2: 80, 3: 30}, {2: [20]})
        again = import_path(connection, tmp_path / "t.csv")
        assert (again.stored, again.unchanged) == (0, 4)
        assert holds(connection) == found
    for seed in range(4):
        random.Random(seed).shuffle(rows)
        assert imported(tmp_path / "b.db", table(tmp_path / "s.csv", rows))[0] == found


def test_without_times_the_first_row_is_the_later_as_appraise_writes_them(tmp_path: Path) -> None:
    batches(tmp_path, [(1, "doc#A", "Eins.", "One.")])
    rows = [row("ann", 1, 70, None), row("ann", 1, 30, None, 2)]
    found, _ = imported(tmp_path / "a.db", table(tmp_path / "t.csv", rows))
    assert found["scores"] == [("ESA", "ann", "doc", "A", 70)]
    assert found["errors"] == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_second_file_after_the_first_is_as_both_together(tmp_path: Path, order: tuple[int, int]) -> None:
    items = [(n, "doc#A", f"Satz {n}.", f"Sentence {n}.") for n in range(1, 5)]
    batches(tmp_path, [(98 + n, d, s, t) for n, d, s, t in items[:2]], [(n - 2, d, s, t) for n, d, s, t in items[2:]])
    first = [row("ann", 99, 10, 100, 1), row("ann", 100, 20, 110, 2)]
    second = [row("ben", 1, 60, 300), row("ben", 2, 70, 310, 1)]
    again = [row("ann", 100, 90, 900)]
    together, _ = imported(tmp_path / "a.db", table(tmp_path / "t.csv", [*first, *second, *again]))
    paths = [table(tmp_path / "one.csv", first), table(tmp_path / "two.csv", [*second, *again])]
    apart, reports = imported(tmp_path / "b.db", *[paths[n] for n in order])
    assert apart == together
    assert together["scores"] == [("ESA", "ann", "doc", "A", 50), ("ESA", "ben", "doc", "A", 65)]
    assert [note.code for note in reports[1].notes].count("another_pass") == 1
    assert together["texts"] == [
        ("doc", "Satz 1.\nSatz 2.\nSatz 3.\nSatz 4.", "A", "Sentence 1.\nSentence 2.\nSentence 3.\nSentence 4.")
    ]


def kept_segments(connection: sqlite3.Connection) -> list[Any]:
    """The segments of the scores that count, of named raters, by number and score."""
    return [dict(each.segments) for each in counting_scores(connection) if each.rater]


def test_the_scores_of_the_standing_segments_alone_are_kept_with_the_score(tmp_path: Path) -> None:
    items = [(n, "doc#A", f"Satz {n}.", f"Sentence {n}.") for n in range(1, 4)]
    batches(tmp_path, items)
    one = table(tmp_path / "1.csv", [row("ann", 1, 10, 100, 1), row("ann", 2, 20, 110), row("ann", 1, 40, 90)])
    two = table(tmp_path / "2.csv", [row("ann", 2, 90, 500), row("ann", 3, 35, 510)])
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, one)
        assert kept_segments(connection) == [{1: 10, 2: 20}]
        import_path(connection, two)
        assert kept_segments(connection) == [{1: 10, 2: 90, 3: 35}]
        assert [each.score for each in counting_scores(connection)] == [45]
    with closing(open_library(tmp_path / "b.db")) as connection:
        for path in (two, one):
            import_path(connection, path)
        assert kept_segments(connection) == [{1: 10, 2: 90, 3: 35}]


def test_a_library_without_segments_learns_those_of_all_passes_that_stand(tmp_path: Path) -> None:
    batches(tmp_path, [(n, "doc#A", f"Satz {n}.", f"Sentence {n}.") for n in (1, 2)])
    one = table(tmp_path / "1.csv", [row("ann", 1, 10, 100), row("ann", 2, 20, 110)])
    two = table(tmp_path / "2.csv", [row("ann", 2, 90, 500)])
    with closing(open_library(tmp_path / "a.db")) as connection:
        for path in (one, two):
            import_path(connection, path)
        connection.execute("DROP TRIGGER scores_no_update")
        connection.execute("UPDATE scores SET segments = '[]'")
        assert import_path(connection, one).stored == 2
        assert kept_segments(connection) == [{1: 10, 2: 90}]
        assert [each.score for each in counting_scores(connection)] == [50]
        assert import_path(connection, two).stored == import_path(connection, one).stored == 0


def test_points_of_mqm_are_of_the_standing_segments(tmp_path: Path) -> None:
    def rows(name: str, *said: tuple[int, str]) -> Path:
        head = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity"
        told = [f"A\td\t{n}\t{n}\tann\tSatz {n}.\tSentence {n}.\tStyle\t{severity}" for n, severity in said]
        (tmp_path / name).mkdir()
        path = tmp_path / name / "mqm_deen.tsv"
        path.write_text("\n".join([head, *told]) + "\n")
        return path

    first = rows("first", (1, "Major"), (2, "Minor"), (3, "Minor"))
    again = rows("again", (1, "Minor"), (2, "Minor"), (3, "Minor"), (3, "Major"))
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, first)
        assert kept_segments(connection) == [{1: -5, 2: -1, 3: -1}]
        import_path(connection, again)
        assert kept_segments(connection) == [{1: -1, 2: -1, 3: -6}]
        assert [each.score for each in counting_scores(connection)] == pytest.approx([-8 / 3])


def test_sums_of_segments_are_kept_of_the_later_line(tmp_path: Path) -> None:
    path = written(tmp_path, "sums_deen")
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, path)
        assert kept_segments(connection) == [{1: 10, 2: 50}]


def test_of_two_rows_of_a_named_rater_in_one_file_the_later_counts_also_where_one_lacks_the_direction(
    tmp_path: Path,
) -> None:
    batches(tmp_path, [(1, "doc#A", "Eins.", "One.")])
    told = [("de-en", 80), ("", 20), ("", 30)]
    path = tmp_path / "s.csv"
    lines_ = [f"E,A,doc,r,{direction},{score}\n" for direction, score in told]
    path.write_text("metric,system,article,rater,direction,score\n" + "".join(lines_))
    with closing(open_library(tmp_path / "a.db")) as connection:
        import_path(connection, table(tmp_path / "t.csv", [row("ann", 1, 70, 10)]))
        import_path(connection, path, format="scores")
        assert [each.score for each in counting_scores(connection) if each.metric == "E"] == [30]


def test_passes_that_come_to_the_whole_are_done(tmp_path: Path) -> None:
    batches(tmp_path, [(n, "doc#A", f"Satz {n}.", f"Sentence {n}.") for n in (1, 2)])
    paths = [table(tmp_path / f"{n}.csv", [row("ann", n, 10 * n, 100, n)]) for n in (1, 2)]
    found, _ = imported(tmp_path / "a.db", *paths)
    assert [review[3:6] for review in found["reviews"]] == [("done", "done", 3)]
    assert found["scores"] == [("ESA", "ann", "doc", "A", 15)]
    half, _ = imported(tmp_path / "b.db", paths[1])
    assert [review[3:6] for review in half["reviews"]] == [("in_progress", None, 2)]


def test_a_document_is_one_in_whatever_pieces_and_a_sentence_twice_in_it_stays_twice(tmp_path: Path) -> None:
    text = ["Ja.", "Nein.", "Ja.", "Doch."]
    whole = [(n, "doc#A", s, f"A {n}") for n, s in enumerate(text, 1)]
    cut = [(90 + n, "doc#B", s, f"B {n}") for n, s in enumerate(text[:2], 1)]
    rest = [(n - 2, "doc#B", text[n - 1], f"B {n}") for n in (3, 4)]
    once_more = [(50 + n, "doc#B", s, f"B {n}") for n, s in enumerate(text, 1)]
    batches(tmp_path, whole, cut, rest, once_more)
    rows = [row("u1", n, 10, n) for n in range(1, 5)]
    rows += [row("u2", n, 20, n, document="doc#B", system="B") for n in (91, 92)]
    rows += [row("u3", n, 30, n, document="doc#B", system="B") for n in (1, 2)]
    rows += [row("u4", n, 40, n, document="doc#B", system="B") for n in (51, 52, 53, 54)]
    found, _ = imported(tmp_path / "a.db", table(tmp_path / "t.csv", rows))
    source = "\n".join(text)
    assert found["texts"] == [
        ("doc", source, "A", "A 1\nA 2\nA 3\nA 4"),
        ("doc", source, "B", "B 1\nB 2\nB 3\nB 4"),
    ]
    states = {review[2]: review[3] for review in found["reviews"]}
    assert states == {"u1": "done", "u2": "in_progress", "u3": "in_progress", "u4": "done"}


def test_where_no_system_is_whole_batches_stand_as_they_are_listed() -> None:
    items = {
        "A": [Item("2", 1, "c"), Item("1", 7, "a"), Item("10", 1, "d"), Item("1", 8, "b")],
        "B": [Item("3", 1, "a"), Item("3", 2, "b"), Item("3", 3, "c"), Item("4", 1, "d")],
    }
    found = places(items)
    assert [found["A", item] for item in items["A"]] == [2, 0, 3, 1]
    assert [found["B", item] for item in items["B"]] == [0, 1, 2, 3]
    alone = places({"A": items["A"]})
    assert sorted(alone.values()) == [0, 1, 2, 3]
    assert alone["A", Item("1", 7, "a")] < alone["A", Item("1", 8, "b")] < alone["A", Item("2", 1, "c")]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), st.data())
def test_a_text_in_pieces_beside_a_whole_one_is_that_text(text: list[str], data: st.DataObject) -> None:
    ends = sorted(data.draw(st.sets(st.integers(1, len(text)), max_size=3)) | {len(text)})
    begins = [0, *ends[:-1]]
    whole = [Item("1", n, sentence) for n, sentence in enumerate(text)]
    parts = [
        Item(str(piece), n, text[n]) for piece, (begin, end) in enumerate(zip(begins, ends, strict=True), 2)
        for n in range(begin, end)
    ]  # fmt: skip
    found = places({"A": data.draw(st.permutations(whole)), "B": data.draw(st.permutations(parts))})
    assert [found["A", item] for item in whole] == list(range(len(text)))
    assert [found["B", item] for item in parts] == list(range(len(text)))


@pytest.mark.parametrize(
    ("document", "system"),
    [
        ("doc#A#duplicate1", "A"), ("doc#A#dup", "A"), ("doc#bad3#A", "A"), ("doc#A", "A#incomplete"),
        ("doc#A#bad#duplicate12", "A"), ("deen-tutorial#A", "A"), ("doc#A", "A-tutorial2"), ("doc#A#DUP2", "A"),
    ],
)  # fmt: skip
def test_fillers_are_left_out_and_said(tmp_path: Path, document: str, system: str) -> None:
    batches(tmp_path, [(1, "doc#A", "Eins.", "One."), (2, document + ("" if "#" in document else "#A"), "Z.", "Two.")])
    rows = [row("ann", 1, 70, 10), row("ann", 2, 30, 20, document=document, system=system)]
    found, (report,) = imported(tmp_path / "a.db", table(tmp_path / "t.csv", rows))
    assert [(note.line, note.code) for note in report.notes if note.kind == "left_out"] == [(2, "no_rating")]
    assert [text[0] for text in found["texts"]] == ["doc"]
    line = {"annotator": "a", "source_text": "Z.", "item_type": "TGT", "task_type": "Direct", "item_id": 1, "score": 1}
    line |= {"document_id": document, "target_id": system, "target_text": "Two.", "mqm_annotations": "[]"}
    (tmp_path / "f.jsonl").write_text(json.dumps(line))
    assert imported(tmp_path / "b.db", tmp_path / "f.jsonl")[1][0].left_out == 1


def test_names_that_only_hold_such_a_word_are_names(tmp_path: Path) -> None:
    batches(tmp_path, [(1, "bad-tutorial-page#A", "Eins.", "One.")])
    found, _ = imported(
        tmp_path / "a.db", table(tmp_path / "t.csv", [row("ann", 1, 70, 10, document="bad-tutorial-page#A")])
    )
    assert [text[0] for text in found["texts"]] == ["bad-tutorial-page"]


# --- every other format ---


def lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def appraise_line(n: int, score: float, at: int, **more: Any) -> dict[str, Any]:
    return {
        "annotator": "ann", "item_type": "TGT", "task_type": "Direct", "document_id": "d", "source_text": f"Satz {n}.",
        "target_id": "A", "target_text": f"Sentence {n}.", "source_language": "deu", "target_language": "eng",
        "batch_name": "b", "item_id": n, "score": score, "mqm_annotations": [], "start_time": at, "end_time": at + 5,
    } | more  # fmt: skip


def unified(n: int, *ratings: dict[str, Any]) -> dict[str, Any]:
    return {
        "doc_id": f"de-en_#_news_#_d_#_{n}", "src_text": f"Satz {n}.", "tgt_text": {"A": f"Sentence {n}."},
        "scores": {"A": list(ratings)},
    }  # fmt: skip


def esa(score: float, *times: int) -> dict[str, Any]:
    return {"annotator": "ann", "score": score, "errors": []} | ({"times": list(times)} if times else {})


MTEVAL = "doc_id\tsegment_id\tsource_lang\ttarget_lang\tset_id\tsystem_id\tsource_segment\thypothesis_segment\toverall"
SQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tscore"


def written(tmp_path: Path, kind: str) -> Path:
    """A file in which segment 1 is rated 90, later 10, and segment 2 once, 50."""
    path = tmp_path / f"{kind}.{'tsv' if kind in ('mteval', 'sqm_deen', 'sums_deen') else 'jsonl'}"
    if kind == "appraise":
        return lines(path, [appraise_line(1, 10, 900), appraise_line(2, 50, 200), appraise_line(1, 90, 100)])
    if kind == "unified":
        return lines(path, [unified(1, esa(10, 900, 905), esa(90, 100, 105)), unified(2, esa(50, 200, 205))])
    if kind == "unified-without-times":
        return lines(path, [unified(1, esa(90), esa(10)), unified(2, esa(50))])
    if kind == "one-a-line":
        of = {"langs": "de-en", "doc_id": "d", "domain": "news", "system": "A", "annotator": "ann", "esa_spans": []}
        told = [(1, 90), (2, 50), (1, 10)]
        texts = [{"line_id": n, "src": f"Satz {n}.", "tgt": f"Sentence {n}.", "esa_score": s} for n, s in told]
        return lines(path, [of | each for each in texts])
    if kind == "mteval":
        rows = [f"d\t{n}\tde\ten\tofficial\tA\tSatz {n}.\tSentence {n}.\t{s}" for n, s in [(1, 90), (1, 10), (2, 50)]]
    elif kind == "sqm_deen":
        rows = [f"A\td\t1\t{n}\tann\tSatz {n}.\tSentence {n}.\t{s}" for n, s in [(1, 90), (1, 10), (2, 50)]]
    else:
        rows = [f"A\td\t{n}\t{s}\tann={s}" for n, s in [(1, 90), (1, 10), (2, 50)]]
    header = {"mteval": [MTEVAL], "sqm_deen": [SQM]}.get(kind, [])
    path.write_text("\n".join([*header, *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    "kind", ["appraise", "unified", "unified-without-times", "one-a-line", "mteval", "sqm_deen", "sums_deen"]
)
def test_a_segment_counts_once(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, kind)
    found, (report,) = imported(tmp_path / "a.db", path)
    ((_, _, _, system, score),) = found["scores"]
    assert (system, score) == ("A", 30)
    assert report.rows == report.stored == 3
    assert {note.code for note in report.notes} & {"another_pass", "given_again"}
    if kind != "sums_deen":
        assert [text[3] for text in found["texts"]] == ["Sentence 1.\nSentence 2."]
    with closing(open_library(tmp_path / "a.db")) as connection:
        again = import_path(connection, path)
        assert (again.stored, holds(connection)) == (0, found)


def test_a_judge_that_answered_again_counts_once(tmp_path: Path) -> None:
    clean, error = "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error", 'Critical:\nMajor:\nstyle - "One"\nMinor:'
    of = {"doc_id": "d", "segment": 1, "system": "A", "source": "Eins.", "translation": "One.", "judge": "gpt"}
    path = lines(tmp_path / "g.jsonl", [of | {"answer": clean}, of | {"answer": error}])
    assert detected(path) == "judge-answers"
    with closing(open_library(tmp_path / "a.db")) as connection:
        report = import_path(connection, path)
        assert (report.rows, [note.code for note in report.notes].count("answered_again")) == (2, 1)
        count = "SELECT errors, EXISTS (SELECT 1 FROM evaluations l WHERE l.supersedes = e.id) FROM evaluations e"
        assert connection.execute(f"{count} ORDER BY position").fetchall() == [(0, 1), (1, 0)]
        assert connection.execute("SELECT score FROM scores").fetchall() == [(-5.0,)]
        again = import_path(connection, path)
        assert (again.stored, again.unchanged) == (0, 2)
        third = lines(tmp_path / "h.jsonl", [of | {"answer": error.replace("style", "fluency/grammar")}])
        said = [note.code for note in import_path(connection, third).notes]
        assert said.count("answered_again") == 1
        assert [row[1] for row in connection.execute(f"{count} ORDER BY position")] == [1, 1, 0]


def test_two_files_of_one_system_s_translations_are_one_judge_s_answers(tmp_path: Path) -> None:
    rows = [{"src": "s", "mt": "mm", "COMET": score, "errors": []} for score in (0.5, 0.25)]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"one/A.txt": [rows[0]], "two/A.txt": [rows[1]]}))
    found, (report,) = imported(tmp_path / "a.db", path)
    assert [score[-1] for score in found["scores"]] == [0.25]
    assert [note.code for note in report.notes].count("answered_again") == 1


def test_the_annotation_that_was_changed_last_counts(tmp_path: Path) -> None:
    def annotation(at: dict[str, str], errors: int) -> dict[str, Any]:
        results = [
            {"id": f"r{n}", "from_name": "label", "to_name": "translation", "type": "labels",
             "value": {"start": n, "end": n + 1, "labels": ["Major"]}}
            for n in range(errors)
        ]  # fmt: skip
        return {"completed_by": {"email": "ann"}, "result": results, "was_cancelled": False} | at

    data = {"source": "Eins.", "translation": "One.", "system": "A", "doc_id": "d"}
    given = [
        annotation({"created_at": "2024-01-01T10:00:00Z", "updated_at": "2024-05-01T10:00:00Z"}, 3),
        annotation({"created_at": "2024-03-01T10:00:00Z"}, 1),
    ]
    for order in (given, given[::-1]):
        path = tmp_path / "tasks.json"
        path.write_text(json.dumps([{"id": 1, "data": data, "annotations": order}]))
        found, (report,) = imported(tmp_path / "a.db", path)
        assert [review[5] for review in found["reviews"]] == [3]
        assert [note.field for note in report.notes if note.code == "another_pass"] == [
            f"annotations[{order.index(given[1])}]"
        ]


MQM = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata"


@pytest.mark.parametrize(("clean_at", "errors"), [(5000, 0), (500, 2), (1500, 1)])
def test_an_error_and_no_error_on_one_segment_are_two_passes_by_their_times(
    tmp_path: Path, clean_at: int, errors: int
) -> None:
    def line(target: str, label: str, severity: str, at: int) -> str:
        metadata = json.dumps({"timestamp": 1_700_000_000_000 + at})
        return f"A\td\t1\t1\tann\tEins zwei.\t{target}\t{label}\t{severity}\t{metadata}"

    rows = [line("<v>One</v> two.", "Style", "Minor", 1000), line("One <v>two</v>.", "Style", "Minor", 2000)]
    rows.append(line("One two.", "No-error", "No-error", clean_at))
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        path = tmp_path / "mqm_deen.tsv"
        path.write_text("\n".join([MQM, *rows]) + "\n")
        found, (report,) = imported(tmp_path / "a.db", path)
        assert [review[5] for review in found["reviews"]] == [errors]
        assert report.rows == report.stored == 3
        assert [score[-1] for score in found["scores"]] == [-1.0 * errors]
    with closing(open_library(tmp_path / "a.db")) as connection:  # opening looks at what is new in the logs
        assert connection.notice == ""
        assert connection.execute("SELECT count(*) FROM blind_errors").fetchone() == (errors,)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(st.data())
def test_order_and_repeats_of_rows_with_times_change_nothing(tmp_path: Path, data: st.DataObject) -> None:
    """Rows in any order, once more or in two files make the same library: Appraise's table and lines, and WMT's."""
    ratings = data.draw(
        st.lists(
            st.tuples(st.sampled_from(["ann", "ben"]), st.integers(1, 3), st.integers(0, 100), st.integers(0, 2)),
            min_size=1,
            max_size=7,
        )
    )
    timed = [(*rating, 100 * n) for n, rating in enumerate(ratings, 1)]
    kind = data.draw(st.sampled_from(["csv", "jsonl", "wmt"]))
    batches(tmp_path, [(n, "d#A", f"Satz {n}.", f"Sentence {n}.") for n in range(1, 4)])

    def put(name: str, chosen: Iterable[tuple[str, int, int, int, int]]) -> Path:
        if kind == "csv":
            rows = [row(who, n, score, at, errors, document="d#A") for who, n, score, errors, at in chosen]
            return table(tmp_path / f"{name}.csv", rows)
        spans = [[{"start_i": i, "end_i": i, "severity": "major"} for i in range(e)] for *_, e, _ in chosen]
        if kind == "jsonl":
            return lines(
                tmp_path / f"{name}.jsonl",
                [
                    appraise_line(n, score, at, annotator=who, mqm_annotations=each)
                    for (who, n, score, _, at), each in zip(chosen, spans, strict=True)
                ],
            )
        return lines(
            tmp_path / f"{name}.jsonl",
            [
                unified(n, {"annotator": who, "score": score, "errors": each, "times": [at, at + 5]})
                for (who, n, score, _, at), each in zip(chosen, spans, strict=True)
            ],
        )

    wanted, _ = imported(tmp_path / "a.db", put("all", timed))
    last = {(who, n): score for who, n, score, _, _ in timed}
    for _, who, _, _, score in wanted["scores"]:
        own = [value for (name, _), value in last.items() if name == who]
        assert score == pytest.approx(sum(own) / len(own))
    shuffled = data.draw(st.permutations([*timed, *data.draw(st.lists(st.sampled_from(timed), max_size=3))]))
    assert imported(tmp_path / "a.db", put("mixed", shuffled))[0] == wanted
    if kind == "csv":  # whose texts are beside it, so that a part of a document is of the whole one
        half = data.draw(st.integers(1, len(timed)))
        apart = [put("one", shuffled[:half]), put("two", shuffled[half:] or shuffled)]
        assert imported(tmp_path / "a.db", *apart, apart[0])[0] == wanted


def test_a_whole_document_that_is_scored_again_counts_once(tmp_path: Path) -> None:
    batches(tmp_path, [(1, "doc#A", "Eins.", "One.")])
    whole = [[*row("ann", 2, score, at)[:8], "True", "[]", at, at] for score, at in ((90, 100), (20, 900), (60, 300))]
    found, (report,) = imported(tmp_path / "a.db", table(tmp_path / "t.csv", [row("ann", 1, 70, 10), *whole]))
    assert [score for score in found["scores"] if score[0] == "ESA (document)"] == [
        ("ESA (document)", "ann", "doc", "A", 20)
    ]
    assert (report.rows, report.left_out) == (4, 0)


def test_a_rater_s_score_that_stands_twice_in_a_table_is_the_later(tmp_path: Path) -> None:
    rows = [("r1", 80), ("r1", 81), ("r2", 5), ("r1", 80)]
    path = tmp_path / "s.csv"
    path.write_text("metric,system,article,rater,score\n" + "".join(f"ESA,A,a1,{r},{s}\n" for r, s in rows))
    with closing(open_library(tmp_path / "a.db")) as connection:
        report = import_path(connection, path, format="scores")
        assert (report.stored, report.unchanged) == (2, 2)
        assert holds(connection)["scores"] == [("ESA", "r1", "a1", "A", 80), ("ESA", "r2", "a1", "A", 5)]
        again = import_path(connection, path, format="scores")
        assert (again.stored, again.unchanged) == (0, 4)
