"""Label Studio: what its tasks come to, and that what is written of a library is that again."""

from __future__ import annotations

import csv
import json
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given

from judges.model import Place
from storage.exports.label_studio import CONFIG, is_ours, write
from storage.exports.selection import Selection
from storage.formats.base.items import Annotation, Document, Mark, Ours, Segment
from storage.integrity.opening import open_library
from tests.storage.formats.reading import sniffed
from tests.support.annotated_files import come_in, contents, judged, libraries, library


@given(libraries())
def test_what_is_written_comes_in_as_it_was(items: list[Any]) -> None:
    with library(items) as first, library() as second, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "tasks.json"
        write(first, target, Selection())
        come_in(second, target)
        (told, _, *rest), (expected, _, *others) = contents(second), contents(first)
        assert told == expected
        assert rest == others


# --- tasks of somebody else's ---

SOURCE = "河😀水\r\n深"
TRANSLATION = "  the 😀 river\nruns"
DATA = {"source": SOURCE, "mt_text": TRANSLATION, "doc_id": "d1", "model": "M", "langs": "zh-en", "reviewer_level": 3}


def region(identity: str, start: object, end: object, labels: list[str], **more: Any) -> dict[str, Any]:
    """A stretch with its labels."""
    to, text = more.pop("to", "mt_text"), more.pop("text", None)
    value = {"start": start, "end": end, "labels": labels} | ({} if text is None else {"text": text})
    return {"id": identity, "from_name": "label", "to_name": to, "type": "labels", "value": value, **more}


def choice(identity: str, start: int, end: int, word: str) -> dict[str, Any]:
    value = {"start": start, "end": end, "choices": [word]}
    return {"id": identity, "from_name": "how_bad", "to_name": "mt_text", "type": "choices", "value": value}


def task(annotations: list[Any], predictions: tuple[Any, ...] = (), **more: Any) -> dict[str, Any]:
    return {"id": 4, "data": DATA, "annotations": annotations, "predictions": list(predictions), **more}


def done(by: object, *results: Any, **more: Any) -> dict[str, Any]:
    return {"id": 9, "completed_by": by, "result": list(results), "was_cancelled": False, "ground_truth": True, **more}


def put(folder: Path, content: object, name: str = "export.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def errors(connection: Any) -> list[Any]:
    query = "SELECT reviewer, category_label, severity_label, spans, note FROM marked_errors ORDER BY reviewer, spans"
    return [(*row[:3], json.loads(row[3]), row[4]) for row in connection.execute(query)]


def test_stretches_labels_and_who(tmp_path: Path) -> None:
    results = [
        region("a", "4", "6", ["Accuracy/Mistranslation"], text="😀"),
        choice("a", 4, 6, "Major"),
        region("b", 0, 12, ["Fluency", "Minor"], meta={"text": ["odd"]}),
        region("c", 7, 17, ["Major"], text="river\\nruns"),
        region("d", 4, 6, ["Style"], to="source", text="\n深"),
        region("e", 1, 3, ["Critical", "Accuracy", "Omission"], to="source"),
        region("f", 90, 95, ["Accuracy"]),
        region("g", 0, 3, ["Accuracy"], text="zzz"),
        {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"},
        {"id": "t", "type": "rating", "from_name": "stars", "to_name": "mt_text", "value": {"rating": 4}},
    ]
    people = [done({"email": "ana@x.org", "id": 3}, *results), done(7), done("bo", was_cancelled=True)]
    given = [{"model_version": "gemba", "score": 0.7, "result": [region("p", 0, 3, ["Minor"], score=0.9)]}]
    path = put(tmp_path, [task([*people, {"result": 5}], (*given, {"result": []}), drafts=[{"id": 1}])])
    with library() as connection:
        report = come_in(connection, path)
        assert report.format == "label-studio"
        assert (report.rows, report.left_out) == (6, 2)
        left = [(note.line, note.field) for note in report.notes if note.kind == "left_out"]
        assert left == [(1, "annotations[2]"), (1, "annotations[3]")]
        who = "ana@x.org"
        assert {(row[0], row[4]) for row in errors(connection)} == {(who, None), (who, "odd")}
        spans = {json.dumps(row[3]): row[1:3] for row in errors(connection)}
        assert spans == {
            '[["source", 1, 3]]': ("Accuracy/Omission", "Critical"),
            '[["translation", 6, 7]]': ("Accuracy/Mistranslation", "Major"),
            '[["translation", 0, 12]]': ("Fluency", "Minor"),
            '[["translation", 8, 18]]': ("", "Major"),
            '[["source", 4, 6]]': ("Style", ""),
            "[]": ("Accuracy", ""),
        }
        ((changes,),) = connection.execute("SELECT changes FROM events WHERE reviewer = ?", (who,)).fetchall()
        told = json.loads(changes)
        assert {e["unplaced"] for e in told["errors"] if "unplaced" in e} == {
            "ends after the text",
            "holds other words than it quotes",
        }
        kept = told["kept"]
        assert [result["type"] for result in kept["results"]] == ["relation", "rating"]
        assert kept["task"]["drafts"] == [{"id": 1}]
        assert kept["task"]["data"] == {"reviewer_level": 3}
        assert kept["task"]["cancelled"][0]["completed_by"] == "bo"
        assert kept["ground_truth"] is True
        judges = connection.execute(
            "SELECT judge, errors, article, system FROM evaluations WHERE judge <> ''"
        ).fetchall()
        assert set(judges) == {("gemba", 1, "d1", "M"), ("unknown", 0, "d1", "M")}
        assert connection.execute("SELECT state FROM reviews WHERE reviewer = 'user 7'").fetchall() == [("done",)]


def test_tasks_without_texts_and_lines_of_tasks(tmp_path: Path) -> None:
    bare = {"id": 1, "data": {"text": "x"}, "annotations": []}
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (bare, task([]), {"data": 5})), encoding="utf-8")
    with library() as connection:
        report = come_in(connection, path)
        assert [(note.line, note.field) for note in report.notes if note.kind == "left_out"] == [
            (1, "data.source"),
            (3, "data"),
        ]
        assert connection.execute("SELECT system, state FROM evaluations").fetchall() == [("M", "not_judged")]


# --- other forms of tasks ---

LABELLED = region("a", 4, 6, ["Accuracy", "Major"], text="😀")


def test_one_task_alone_over_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "task.json"
    path.write_text(json.dumps(task([done(7, LABELLED)]), indent=2), encoding="utf-8")
    with library() as connection:
        report = come_in(connection, path)
        assert (report.format, report.rows, report.left_out) == ("label-studio", 1, 0)
        assert errors(connection) == [("user 7", "Accuracy", "Major", [["translation", 6, 7]], None)]


def minimal(**more: Any) -> dict[str, Any]:
    """An object of JSON_MIN."""
    return {
        "id": 4,
        **DATA,
        "annotator": 7,
        "annotation_id": 9,
        "created_at": "c",
        "updated_at": "u",
        "lead_time": 5.5,
        **more,
    }


def test_json_min_has_sides_by_name_and_by_words(tmp_path: Path) -> None:
    rows = minimal(
        label=[
            {"start": 4, "end": 6, "text": "😀", "labels": ["Accuracy", "Major"]},
            {"start": 0, "end": 1, "text": "河", "labels": ["Style", "Minor"]},
            {"start": 1, "end": 3, "labels": ["Other"]},
        ],
        source_label=[{"start": 0, "end": 1, "text": "河", "labels": ["Addition", "Major"]}],
        stars={"rating": 4},
    )
    with library() as connection:
        report = come_in(connection, put(tmp_path, [rows, minimal(annotator=8, annotation_id=10)]))
        assert (report.format, report.rows, report.left_out) == ("label-studio", 2, 0)
        assert errors(connection) == [
            ("user 7", "Style", "Minor", [["source", 0, 1]], None),
            ("user 7", "Addition", "Major", [["source", 0, 1]], None),
            ("user 7", "Accuracy", "Major", [["translation", 6, 7]], None),
            ("user 7", "Other", "", [], None),
        ]
        ((changes,),) = connection.execute("SELECT changes FROM events WHERE reviewer = 'user 7'").fetchall()
        told = json.loads(changes)
        assert {e["unplaced"] for e in told["errors"] if "unplaced" in e} == {"may be in either text"}
        assert (told["kept"]["lead_time"], told["kept"]["task"]["data"]) == (
            5.5,
            {"reviewer_level": 3, "stars": {"rating": 4}},
        )
        assert connection.execute("SELECT state FROM reviews WHERE reviewer = 'user 8'").fetchall() == [("done",)]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_table_is_json_min_in_cells(tmp_path: Path, delimiter: str) -> None:
    """As the tool writes it: columns by their names, all in quotes but numbers, lists as JSON."""
    said = minimal(
        label=[{"start": 4, "end": 6, "text": "😀", "labels": ["Accuracy", "Major"]}],
        source_label=[{"start": 0, "end": 1, "text": "河", "labels": ["Addition"]}],
        source_severity="Minor",
        was_cancelled=False,
    )
    skipped = minimal(annotator="a@b", annotation_id=10, was_cancelled=True)
    path = tmp_path / "project-1.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, sorted(said), quoting=csv.QUOTE_NONNUMERIC, delimiter=delimiter)
        writer.writeheader()
        for row in (said, skipped):
            cells = {n: json.dumps(v, ensure_ascii=False) if isinstance(v, (list, dict)) else v for n, v in row.items()}
            writer.writerow({n: str(v) if isinstance(v, bool) else v for n, v in cells.items()})
    with library() as first, library() as second:
        report = come_in(first, path)
        assert (report.format, report.left_out) == ("label-studio", 1)
        come_in(second, put(tmp_path, [said, skipped]))
        assert errors(first) == errors(second)
        assert errors(first) == [
            ("user 7", "Addition", "Minor", [["source", 0, 1]], None),
            ("user 7", "Accuracy", "Major", [["translation", 6, 7]], None),
        ]


def test_a_cell_that_was_cut_is_no_clean_pass(tmp_path: Path) -> None:
    """As a spreadsheet saves it, whose cells have an end."""
    regions = json.dumps([{"start": 4, "end": 6, "text": "😀", "labels": ["Accuracy", "Major"]}])
    whole = minimal(label=regions, source="[1] 河")
    cut = whole | {"annotation_id": 10, "annotator": "b", "label": regions[:25]}

    def table(name: str, *rows: dict[str, Any]) -> Path:
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, sorted(whole))
            writer.writeheader()
            writer.writerows(rows)
        return tmp_path / name

    with library() as connection:
        report = come_in(connection, table("project-1.csv", whole, cut))
        assert (report.stored, report.left_out) == (1, 1)
        assert [note.field for note in report.notes if note.kind == "left_out"] == ["label"]
        assert connection.execute("SELECT DISTINCT reviewer FROM events").fetchall() == [("user 7",)]
        report = come_in(connection, table("project-2.csv", cut))
        assert (report.format, report.left_out) == ("label-studio", 1)


def test_json_min_has_lost_the_stretches_of_severities(tmp_path: Path) -> None:
    labels = [{"start": n, "end": n + 2, "labels": ["Accuracy"]} for n in (0, 7)]
    fitting = minimal(translation_category=labels, translation_severity=["Minor", "Major"])
    other = minimal(translation_category=labels, translation_severity="Minor", annotator=8, annotation_id=10)
    with library() as connection:
        report = come_in(connection, put(tmp_path, [fitting, other]))
        assert [row[:3] for row in errors(connection)] == [
            ("user 7", "Accuracy", "Minor"),
            ("user 7", "Accuracy", "Major"),
            ("user 8", "Accuracy", ""),
            ("user 8", "Accuracy", ""),
        ]
        assert [note.code for note in report.notes if note.code == "no_stretch"] == ["no_stretch"]
        ((changes,),) = connection.execute("SELECT changes FROM events WHERE reviewer = 'user 8'").fetchall()
        assert json.loads(changes)["kept"]["results"][0]["value"] == {"choices": ["Minor"]}


def test_a_folder_of_annotations(tmp_path: Path) -> None:
    folder = tmp_path / "storage"
    folder.mkdir()
    of = {"id": 4, "data": DATA, "predictions": [3], "annotations": []}
    put(folder, {**done({"email": "a@b"}, LABELLED), "task": of}, "2")
    put(folder, {**done({"email": "c@d"}, LABELLED), "task": of}, "10")
    put(folder, {**done({"email": "e@f"}), "task": 4}, "11")
    (folder / "12").write_text("{", encoding="utf-8")
    (folder / ".DS_Store").write_text("x", encoding="utf-8")
    with library() as connection:
        report = come_in(connection, folder)
        assert (report.format, report.rows, report.left_out) == ("label-studio", 4, 2)
        assert [note.field for note in report.notes if note.kind == "left_out"] == ["11 data", "12"]
        assert [row[0] for row in errors(connection)] == ["a@b", "c@d"]


def test_a_folder_with_anything_else_in_it_is_no_folder_of_annotations(tmp_path: Path) -> None:
    put(tmp_path, {**done(7, LABELLED), "task": {"id": 4, "data": DATA}}, "2")
    assert sniffed(tmp_path, "label-studio")
    (tmp_path / "ratings.tsv").write_text("x", encoding="utf-8")
    assert not sniffed(tmp_path, "label-studio")


# --- what is written ---


def test_what_came_from_there_goes_back(tmp_path: Path) -> None:
    relation = {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}
    first, second = region("a", 2, 5, ["Accuracy"]), region("b", 6, 7, ["Style"])
    path = put(tmp_path, [task([done({"email": "a@b"}, first, second, relation, choice("a", 2, 5, "Major"))])])
    with library() as connection:
        come_in(connection, path)
        report = write(connection, tmp_path / "out.json", Selection())
    (written,) = json.loads((tmp_path / "out.json").read_text("utf-8"))
    (annotation,) = written["annotations"]
    assert annotation["completed_by"] == {"email": "a@b"}
    assert relation in annotation["result"]
    shown = [(r["id"], r["from_name"], r["value"]) for r in annotation["result"] if r != relation]
    assert ("a", "translation_category", {"start": 2, "end": 5, "text": "the", "labels": ["Accuracy"]}) in shown
    assert ("a", "translation_severity", {"start": 2, "end": 5, "text": "the", "choices": ["Major"]}) in shown
    config = ElementTree.fromstring(report.beside[CONFIG])
    names = {element.get("name") for element in config.iter()}
    assert {r["from_name"] for r in annotation["result"] if r != relation} | {"source", "translation"} <= names
    shown_fields = {element.get("value", "")[1:] for element in config.iter("Text")}
    assert shown_fields <= set(written["data"])
    assert "source" not in shown_fields  # there the tool shows the task itself


def test_who_is_unknown_there_is_not_named_as_a_user(tmp_path: Path) -> None:
    document = Document("d", "M", (Segment("", "a", "bc"),), "zh-en")
    mark = Mark(0, "", "", (Place("translation", 0, 1),), ours=Ours("fluency", "grammar", "minor"))
    with library([Annotation(document, "lin", True, (mark,))]) as connection:
        write(connection, tmp_path / "out.json", Selection())
    (written,) = json.loads((tmp_path / "out.json").read_text("utf-8"))
    (annotation,) = written["annotations"]
    assert "completed_by" not in annotation  # Label Studio refuses tasks by users whom it does not know
    assert annotation["ground_truth"] is False  # which it takes every annotation for that does not say
    assert annotation["result"][0]["value"]["labels"] == ["Fluency/Grammar"]
    annotation["result"][0]["value"]["labels"] = ["Accuracy"]
    annotation["result"][1]["value"]["choices"] = ["Major"]
    annotation["result"][0]["value"] |= {"start": 1, "end": 2, "text": "c"}
    with library() as connection:
        come_in(connection, put(tmp_path, [written], "changed.json"))
        assert errors(connection) == [("lin", "Accuracy", "Major", [["translation", 1, 2]], None)]


def test_the_judges_of_the_sample_come_in_as_they_were(sample: Path, tmp_path: Path) -> None:
    with closing(open_library(sample)) as first, library() as second:
        write(first, tmp_path / "tasks.json", Selection())
        assert is_ours(tmp_path / "tasks.json")
        come_in(second, tmp_path / "tasks.json")
        assert judged(second) == judged(first)


def through_a_project(tasks: list[dict[str, Any]], *, changed_by: int | None = None) -> list[dict[str, Any]]:
    """Tasks as a project gives them back: all its own, but for data, results, and the numbers that annotations had."""
    number = count(31)
    return [
        {
            "id": next(number),
            "data": each["data"],
            "annotations": [
                {
                    "id": next(number),
                    "created_at": "2026-05-04T09:12:40Z",
                    "import_id": one["id"],
                    "result": one["result"],
                    "was_cancelled": False,
                    "completed_by": 1,
                    "updated_by": changed_by,
                    "ground_truth": True,
                    "lead_time": None,
                }
                for one in each["annotations"]
            ],
            "predictions": [
                {"id": next(number), "model_version": one["model_version"], "result": one["result"], "score": None}
                for one in each["predictions"]
            ],
        }
        for each in tasks
    ]


@given(libraries())
def test_a_project_gives_back_all_that_it_was_given(items: list[Any]) -> None:
    with library(items) as first, library() as second, tempfile.TemporaryDirectory() as folder:
        write(first, Path(folder) / "tasks.json", Selection())
        tasks = json.loads((Path(folder) / "tasks.json").read_text("utf-8"))
        come_in(second, put(Path(folder), through_a_project(tasks)))
        (told, _, *rest), (expected, _, *others) = contents(second), contents(first)
        assert told == expected
        assert rest == others


def test_what_was_drawn_in_a_project_is_its_makers(tmp_path: Path) -> None:
    document = Document("d", "M", (Segment("", "a", "bc"),), "zh-en")
    with library([Annotation(document, "lin", True, ())]) as connection:
        write(connection, tmp_path / "out.json", Selection())
    (each,) = through_a_project(json.loads((tmp_path / "out.json").read_text("utf-8")))
    for new in ({"import_id": None}, {}):  # older versions say nothing of where it came from
        each["annotations"] = [{"id": 0, "created_at": "2026-05-04T09:12:40Z", "completed_by": 1, "result": [], **new}]
        with library() as connection:
            come_in(connection, put(tmp_path, [each], "drawn.json"))
            assert connection.execute("SELECT reviewer FROM reviews").fetchall() == [("user 1",)]


def test_whoever_changed_an_annotation_in_a_project_made_it(tmp_path: Path) -> None:
    document = Document("d", "M", (Segment("", "a", "bc"),), "zh-en")
    mark = Mark(0, "Accuracy", "Major", (Place("translation", 0, 1),))
    nowhere = Mark(0, "Style", "Minor", unplaced="quotes what does not occur in the text")
    with library([Annotation(document, "lin", True, (mark, nowhere))]) as connection:
        write(connection, tmp_path / "out.json", Selection())
    written = json.loads((tmp_path / "out.json").read_text("utf-8"))
    with library() as connection:
        come_in(connection, put(tmp_path, through_a_project(written, changed_by=4), "changed.json"))
        assert errors(connection) == [("user 1", "Accuracy", "Major", [["translation", 0, 1]], None)]


def test_a_review_that_went_through_a_project_is_no_pass_of_its_own(sample: Path, tmp_path: Path) -> None:
    with closing(open_library(sample)) as first, library() as second:
        write(first, tmp_path / "tasks.json", Selection())
        tasks = json.loads((tmp_path / "tasks.json").read_text("utf-8"))
        reviews = sum("of" in own for each in tasks for own in each["data"]["discox"].get("annotations", ()))
        assert reviews
        for changed_by in (None, 1):
            report = come_in(second, put(tmp_path, through_a_project(tasks, changed_by=changed_by)))
            assert [note.code for note in report.notes if note.kind == "left_out"] == ["reviewed"] * reviews
        assert judged(second) == judged(first)


def test_predictions_that_are_numbers_alone_are_told_once(tmp_path: Path) -> None:
    """Label Studio exports them so."""
    path = put(tmp_path, [{**task([done(7)]), "predictions": [1]}, {**task([]), "predictions": [2, 3]}])
    with library() as connection:
        report = come_in(connection, path)
        assert (report.left_out, [note.code for note in report.notes].count("no_predictions")) == (0, 1)


def test_offsets_are_code_points_of_the_text_as_it_is(tmp_path: Path) -> None:
    """As Label Studio 1.23 writes them for what is drawn in a browser; it leaves blanks out of the words."""
    data = {"source": "河", "translation": " \tlead 😀\r\nwide \u3000end "}
    drawn = [(8, 9, "", ["😀"]), (11, 16, "wide", ["wide "]), (0, 2, "", [" \t"])]
    results = [
        region(str(n), start, end, labels, to="translation", text=text or labels[0])
        for n, (start, end, text, labels) in enumerate(drawn)
    ]
    with library() as connection:
        come_in(connection, put(tmp_path, [{"id": 1, "data": data, "annotations": [done(1, *results)]}]))
        found = {label: data["translation"][slice(*span[0][1:])] for _, label, _, span, _ in errors(connection)}
    assert found == {"😀": "😀", "wide ": "wide ", " \t": " \t"}


def test_two_annotations_of_one_user_are_kept_and_told(tmp_path: Path) -> None:
    first, second = done(7, region("a", 2, 5, ["Style"])), done(7, region("b", 2, 5, ["Accuracy"]))
    path = put(tmp_path, [task([first, second])])
    with library() as connection:
        for told in (1, 0):
            report = come_in(connection, path)
            assert [note.code for note in report.notes].count("another_pass") == told
        assert connection.execute("SELECT count(*) FROM events WHERE reviewer = 'user 7'").fetchall() == [(2,)]
        assert [row[1] for row in errors(connection)] == ["Accuracy"]
