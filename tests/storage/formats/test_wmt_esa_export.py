"""WMT's unified JSON Lines as we write them: an equal library from them, and other tools see the same errors."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given

from judges.model import Place
from storage.exports.selection import Selection
from storage.exports.wmt_esa import is_ours, write
from storage.formats.base.items import Annotation, Document, Mark, Segment
from storage.formats.base.round_trip import KEY
from tests.storage.formats.reading import format_in
from tests.support.annotated_files import come_in, contents, judged, libraries, library

DOCUMENT = Document("d", "A", (Segment("7", "Eins", " a😀 b"), Segment("9", "Zwei", "two\nlines")), "de-en", "news")
MARKS = (
    Mark(0, "Accuracy/Mistranslation", "Major", (Place("translation", 2, 3),), note="why"),
    Mark(1, "Accuracy/Omission", "Minor", (Place("source", 0, 4),)),
    Mark(1, "Fluency", "Minor", (Place("translation", 4, 9),)),
)


@given(libraries())
def test_what_is_written_comes_in_as_it_was(items: list[Any]) -> None:
    with library(items) as first, library() as second, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.jsonl"
        write(first, target, Selection())
        if not target.read_text("utf-8"):
            return
        assert format_in(target) == "wmt-esa"
        come_in(second, target)
        (told, scores, *rest), (expected, other_scores, *others) = contents(second), contents(first)
        assert told == expected
        assert scores == other_scores
        assert rest == others
        assert judged(second) == judged(first)


def written(folder: Path) -> list[dict[str, Any]]:
    with library([Annotation(DOCUMENT, "lin", True, MARKS, line=1)]) as connection:
        write(connection, folder / "out.jsonl", Selection())
    assert is_ours(folder / "out.jsonl")
    return [json.loads(line) for line in (folder / "out.jsonl").read_text("utf-8").split("\n") if line]


def test_the_format_s_own_fields_say_what_it_has_a_place_for(tmp_path: Path) -> None:
    first, second = written(tmp_path)
    assert (first["doc_id"], second["doc_id"]) == ("de-en_#_news_#_d_#_0", "de-en_#_news_#_d_#_1")
    assert (first["src_text"], second["tgt_text"]) == ("Eins", {"A": "two\nlines"})
    (entry,) = first["scores"]["A"]
    assert (entry["annotator"], entry["protocol"]) == ("lin", "ESA")
    span = {"start_i": 1, "end_i": 2, "severity": "major", "category": "Accuracy/Mistranslation"}
    assert entry["errors"] == [span], "UTF-16 units of the trimmed text, the end inclusive"
    assert [(e["start_i"], e["end_i"]) for e in second["scores"]["A"][0]["errors"]] == [("missing", "missing"), (4, 8)]


def test_what_was_changed_in_a_file_is_read_as_it_stands(tmp_path: Path) -> None:
    rows = written(tmp_path)
    rows[0]["scores"]["A"][0]["errors"][0]["severity"] = "minor"
    for changed, errors in ((rows, ["Minor", "minor", "minor"]), (rows[1:], ["minor", "minor"])):
        path = tmp_path / "changed.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in changed), encoding="utf-8")
        with library() as connection:
            report = come_in(connection, path)
            assert [note.code for note in report.notes].count("changed") == 1
            found = connection.execute("SELECT severity_label FROM marked_errors").fetchall()
            assert sorted(label.casefold() for (label,) in found) == sorted(each.casefold() for each in errors)


def test_other_tools_read_the_same_places(tmp_path: Path) -> None:
    rows = [{name: value for name, value in row.items() if name != KEY} for row in written(tmp_path)]
    path = tmp_path / "plain.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with library() as connection:
        come_in(connection, path)
        found = connection.execute("SELECT json(spans), category_label FROM marked_errors").fetchall()
        assert sorted(found) == [
            ('[["translation",10,15]]', "Fluency"),
            ('[["translation",2,3]]', "Accuracy/Mistranslation"),
            ("[]", "Accuracy/Omission"),
        ]
