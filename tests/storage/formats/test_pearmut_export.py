"""Pearmut as we write it: a campaign that it loads, judges' errors filled in, people's passes in the log beside."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given

from judges.model import Place
from storage.db.connection import Connection
from storage.exports.pearmut import LOG, is_ours, write
from storage.exports.selection import Selection
from storage.formats.base.items import Annotation, Document, Mark, Segment
from storage.formats.base.round_trip import KEY
from tests.storage.formats.reading import format_in
from tests.support.annotated_files import come_in, contents, judged, libraries, library

DOCUMENT = Document("d", "12", (Segment("7", "Eins", "a😀\nb"), Segment("9", "Zwei", "two")), "de-en", "news")
FOUND = (Mark(0, "Accuracy", "Major", (Place("translation", 1, 4),)), Mark(1, "Omission", "Minor"))
SAID = (Mark(1, "Fluency", "Minor", (Place("translation", 0, 3),)),)
ITEMS = [Annotation(DOCUMENT, "osprey", False, FOUND, line=1), Annotation(DOCUMENT, "lin", True, SAID, line=1)]


def export(connection: Connection, folder: Path) -> list[Path]:
    """The campaign, and the log beside it where there is one."""
    path = folder / "out.json"
    report = write(connection, path, Selection())
    for ending, text in report.beside.items():
        (folder / f"out.json{ending}").write_text(text, encoding="utf-8")
    return [path, *(folder / f"out.json{ending}" for ending in report.beside)]


@given(libraries())
def test_what_is_written_comes_in_as_it_was(items: list[Any]) -> None:
    with library(items) as first, library() as second, tempfile.TemporaryDirectory() as folder:
        for path in export(first, Path(folder)):
            assert format_in(path) == "pearmut"
            come_in(second, path)
        (told, scores, *rest), (expected, other_scores, *others) = contents(second), contents(first)
        assert told == expected
        assert scores == other_scores
        assert rest == others
        assert judged(second) == judged(first)


def test_the_campaign_is_as_pearmut_checks_it(tmp_path: Path) -> None:
    with library(ITEMS) as connection:
        path, log = export(connection, tmp_path)
    assert log.name == f"out.json{LOG}"
    assert is_ours(path)
    campaign = json.loads(path.read_text("utf-8"))
    assert campaign["campaign_id"] == "out"
    assert (campaign["info"]["assignment"], campaign["info"]["users"]) == ("single-stream", 1)
    (document,) = campaign["data"]
    assert [(item["src"], item["tgt"]) for item in document] == [("Eins", {"12 ": "a😀\nb"}), ("Zwei", {"12 ": "two"})]
    assert [item["error_spans"]["12 "] for item in document] == [
        [{"start_i": 1, "end_i": 4, "severity": "major", "category": "Accuracy"}],
        [{"start_i": 3, "end_i": 3, "severity": "minor", "category": "Omission"}],
    ], "UTF-16 units, line feeds counted, the end inclusive; what has no place is [missing]"
    (line,) = map(json.loads, log.read_text("utf-8").splitlines())
    assert (line["user_id"], line["item_i"]) == ("lin", 0)
    assert [answer["12 "]["error_spans"] for answer in line["annotation"]] == [
        [],
        [{"start_i": 0, "end_i": 2, "severity": "minor", "category": "Fluency"}],
    ]


def test_what_an_annotator_adds_in_pearmut_is_a_pass_of_theirs(tmp_path: Path) -> None:
    """The log that Pearmut writes has the campaign's items in it, and nothing of ours beside the answers."""
    with library(ITEMS) as connection:
        path, _ = export(connection, tmp_path)
    (document,) = json.loads(path.read_text("utf-8"))["data"]
    answers = [
        {"12 ": {"score": 70, "error_spans": [{"start_i": 0, "end_i": 0, "severity": "major", "category": None}]}}
    ] * 2
    log = tmp_path / "out.jsonl"
    log.write_text(json.dumps({"user_id": "bo", "item_i": 0, "annotation": answers, "item": document}) + "\n")
    with library() as connection:
        come_in(connection, path)
        come_in(connection, log)
        passes = connection.execute("SELECT reviewer, state FROM reviews").fetchall()
        assert passes == [("bo", "done")]
        assert connection.execute("SELECT json(spans) FROM marked_errors").fetchall() == [
            ('[["translation",0,1]]',),
            ('[["translation",5,6]]',),
        ]


def test_a_campaign_that_was_changed_is_read_as_it_stands(tmp_path: Path) -> None:
    with library(ITEMS) as connection:
        path, log = export(connection, tmp_path)
    campaign = json.loads(path.read_text("utf-8"))
    campaign["data"][0][1]["tgt"]["12 "] = "changed"
    path.write_text(json.dumps(campaign), encoding="utf-8")
    line = json.loads(log.read_text("utf-8"))
    line["annotation"][1]["12 "]["error_spans"] = []
    line["annotation"][1]["12 "]["score"] = 90
    log.write_text(json.dumps(line) + "\n", encoding="utf-8")
    with library() as connection:
        come_in(connection, path)
        texts = {text for (text,) in connection.execute("SELECT text FROM translations")}
        assert texts == {"a😀\nb\nchanged"}
        come_in(connection, log)
        assert connection.execute("SELECT count(*) FROM marked_errors").fetchone() == (0,)
    assert KEY in line
