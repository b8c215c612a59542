"""WMT MQM TSV: every variant in, row for row out, and our own work in and out again as it was."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges.metric_s.schemes.mapping import read_mapping
from judges.model import Place
from storage.analysis.review_data import read_reviewed
from storage.db.connection import Connection
from storage.exports import wmt_mqm as export
from storage.exports.items import TranslationAnnotation, read_annotations
from storage.exports.mqm_scores import PEOPLE, system_scores
from storage.exports.selection import Selection
from storage.formats.base.directions import direction_in
from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Annotation, Mark, Remark
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut
from storage.formats.wmt import mqm
from storage.importing import imported_passes
from storage.importing.import_report import FileReport
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from storage.reviews.events import read_events
from storage.reviews.projections import DERIVED, merge, rebuild
from storage.reviews.review_log import ReviewLog
from tests.conftest import SHARED, Command
from tests.storage.formats.reading import read_as, sniffed
from tests.support.builders import add

TED = SHARED / "data" / "wmt" / "mqm_ted_zhen.tsv"
OLD = "\t".join(mqm.OLD)
NEW = "\t".join((*mqm.NEW, "metadata"))


def row(
    target: str = "An <v>apple</v> a day.",
    category: str = "Accuracy/Mistranslation",
    severity: str = "Major",
    *more: str,
    system: str = "Online-B.1605",
    doc: str = "talk",
    ids: tuple[str, str] = ("1", "7"),
    rater: str = "rater1",
    source: str = "一天一苹果。",
) -> str:
    """One row, by default with an error in the target."""
    return "\t".join((system, doc, *ids, rater, source, target, category, severity, *more))


def clean(*more: str, target: str = "An apple a day.", **cells: Any) -> str:
    """One row that says that the segment has no error."""
    return row(target, "No-error", "No-error", *more, **cells)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Connection]:
    connection = open_library(tmp_path / "library.db")
    yield connection
    connection.close()


def file(tmp_path: Path, *lines: str, name: str = "mqm_test_zhen.tsv") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    return path


def read(path: Path, direction: str | None = "zh-en", judge: str | None = None) -> list[Any]:
    return list(read_as(path, "wmt-mqm", ReadOptions(judge=judge, direction=direction)))


def passes_in(path: Path) -> list[Annotation]:
    return [item for item in read(path) if isinstance(item, Annotation)]


def marks(path: Path) -> list[Mark]:
    return [mark for annotation in passes_in(path) for mark in annotation.marks]


def out(connection: Connection, path: Path) -> str:
    path.unlink(missing_ok=True)
    export.write(connection, path, Selection())
    return path.read_bytes().decode()


def test_a_row_with_an_error_is_a_mark(tmp_path: Path) -> None:
    path = file(tmp_path, OLD, row())
    (annotation,) = passes_in(path)
    assert annotation.annotator == "rater1"
    assert annotation.human
    assert annotation.document.system == "Online-B.1605"
    assert annotation.document.article == "talk"
    assert annotation.document.segments == (("7", "一天一苹果。", "An apple a day.", 2),)
    assert annotation.marks == (Mark(0, "Accuracy/Mistranslation", "Major", (Place("translation", 3, 8),), line=2),)


def test_spans_of_the_source_and_of_blanks_are_placed_to_the_letter(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        OLD,
        row("An apple a day.", "Accuracy/Omission", "Minor", source="一<v>天一</v>苹果。"),
        row("An<v> </v>apple a day.", "Fluency/Punctuation", "Minor"),
        row("An<v> apple </v>a day."),
        row("<v>An apple a day.</v>"),
        row("<v>An</v> apple a <v>day</v>."),
    )
    assert [mark.places for mark in marks(path)] == [
        (Place("source", 1, 3),),
        (Place("translation", 2, 3),),
        (Place("translation", 2, 9),),
        (Place("translation", 0, 15),),
        (Place("translation", 0, 2), Place("translation", 11, 14)),
    ]


def test_what_cannot_be_placed_keeps_its_mark_and_its_text(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        OLD,
        row("An apple a day.", "Source error", "Minor"),
        row("An <v>orange</v> a day."),
        row("An <v>apple a day."),
        clean(),
    )
    whole, edited, broken = marks(path)
    assert [bool(mark.places) for mark in (whole, edited, broken)] == [False] * 3
    assert (whole.unplaced, edited.unplaced, broken.unplaced) == (
        mqm.NO_STRETCH,
        mqm.OTHER_TEXT,
        mqm.BROKEN,
    )
    assert edited.kept["target"] == "An <v>orange</v> a day."
    assert broken.kept["target"] == "An <v>apple a day."
    assert [item.code for item in read(path) if isinstance(item, Remark)] == ["other_text"]


def test_kinds_of_rows_are_told_apart_in_any_spelling(tmp_path: Path) -> None:
    hotw = json.dumps({"sentence_index": 0, "hotw_error": "<span>x</span>", "hotw_type": "words-flipped"})
    path = file(
        tmp_path,
        NEW,
        row("An apple a day.", "no-error", "No_Error", ""),
        row("An apple a day.", "No error", "no-error", "", ids=("2", "8")),
        row("An apple a day.", "Found", "HOTW-test", hotw, ids=("2", "8")),
        row("An apple a day.", "", "", '{"segment": {}}', ids=("2", "8"), rater=""),
    )
    (annotation,) = passes_in(path)
    assert [each.kind for each in annotation.unmarked] == ["clean", "clean", "quality_check", "other"]
    assert annotation.unmarked[2].kept == {"metadata": hotw}
    assert annotation.unmarked[3].kept == {"metadata": '{"segment": {}}', "rater": ""}
    assert annotation.rated is None
    assert annotation.rows == 4


def test_segments_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        OLD,
        row("Two <v>a</v>", ids=("2", "10"), source="二"),
        row("Zero", ids=("3", "11"), source="三", system="other", rater="x"),
        row("One <v>b</v>", ids=("1", "9"), source="一"),
    )
    mine, other = passes_in(path)
    assert [segment.id for segment in mine.document.segments] == ["9", "10"]
    assert [mark.segment for mark in mine.marks] == [0, 1]
    assert other.document.system == "other"


def test_the_note_of_the_metadata_is_the_marks(tmp_path: Path) -> None:
    text = '{"note":"why \\u2028", "timestamp": 1.50}'
    (mark,) = marks(file(tmp_path, NEW, row(*(), "An <v>apple</v> a day.", "Style", "Minor", text)))
    assert mark.note == "why \u2028"
    assert mark.kept == {"metadata": text}


def test_rows_of_another_width_are_left_out_with_what_to_do(tmp_path: Path) -> None:
    source_error = "\t".join(("s", "d", "1", "一", "one", "Source error", "Major", ""))
    path = file(tmp_path, OLD, source_error, row(), row("a\tb"), "a\tb", row(doc=""), row(ids=("1", "")))
    left = sorted((item for item in read(path) if isinstance(item, LeftOut)), key=lambda item: item.line)
    assert [(item.line, item.code) for item in left] == [
        (2, "short_row"),
        (4, "long_row"),
        (5, "short_row"),
        (6, "no_doc"),
        (7, "no_seg_id"),
    ]
    assert "newstest2020" in left[0].message
    assert len(marks(path)) == 1


def test_a_file_of_source_errors_alone_is_refused_row_by_row(tmp_path: Path, library: Connection) -> None:
    line = "\t".join(("s", "d", "1", "一", "one", "Source error", "Major", ""))
    report = import_path(library, file(tmp_path, OLD, line, line))
    assert (report.rows, report.stored, report.left_out) == (2, 0, 2)


@pytest.mark.parametrize(
    "header",
    [
        OLD,
        OLD + "\tcomment",
        NEW,
        NEW.removesuffix("\tmetadata"),
        NEW + "\t# Documentation: https://example.org",
        None,
    ],
)
def test_every_header_goes_out_as_it_came(header: str | None, tmp_path: Path, library: Connection) -> None:
    tenth = ["{}"] if header and "metadata" in header else [""] if header and "comment" in header else []
    lines = [row("An <v>apple</v> a day.", "Style/Awkward", "Minor", *tenth), clean(*tenth, rater="rater2")]
    path = file(tmp_path, *([header] if header else []), *lines)
    assert sniffed(path, "wmt-mqm")
    report = import_path(library, path)
    assert (report.problem, report.format, report.stored) == ("", "wmt-mqm", 2)
    assert out(library, tmp_path / "out.tsv") == path.read_text(encoding="utf-8")


def test_raw_quotes_are_text(tmp_path: Path, library: Connection) -> None:
    path = file(
        tmp_path, OLD, row('"An <v>apple</v>" a day.'), clean(target='"An apple" a day.'), row('"<v>x', doc="e")
    )
    assert marks(path)[0].places == (Place("translation", 4, 9),)
    assert not [item for item in read(path) if isinstance(item, Remark) and item.code == "quoted"]
    import_path(library, path)
    assert out(library, tmp_path / "out.tsv") == path.read_text(encoding="utf-8")


def test_a_quoted_file_is_unquoted_and_the_user_is_told(tmp_path: Path, library: Connection) -> None:
    path = file(tmp_path, OLD, row('"He said ""an <v>apple</v>""."'), clean(target='"He said ""an apple""."'))
    (annotation,) = passes_in(path)
    assert annotation.document.segments[0].translation == 'He said "an apple".'
    assert [item.code for item in read(path) if isinstance(item, Remark)] == ["quoted"]
    import_path(library, path)
    assert out(library, tmp_path / "out.tsv") == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("stem", "direction"),
    [
        ("mqm_newstest2020_ende", "en-de"),
        ("mqm_ted_zhen", "zh-en"),
        ("mqm.en-uk.v2", "en-uk"),
        ("test", ""),
        ("mqm_news", ""),
        ("mqm_enen", ""),
    ],
)
def test_the_direction_is_in_the_name(stem: str, direction: str) -> None:
    assert direction_in(stem) == direction


def test_a_direction_that_is_given_counts(tmp_path: Path, library: Connection) -> None:
    import_path(library, file(tmp_path, OLD, row()), ReadOptions(direction="ja-en"))
    assert library.execute("SELECT direction FROM articles").fetchone() == ("ja-en",)


@pytest.mark.parametrize(
    "first",
    [
        "system\tdoc\tscore",
        "a,b,c",
        row("x", "Major", "other word"),
    ],
)
def test_another_table_is_refused(first: str, tmp_path: Path) -> None:
    path = file(tmp_path, first)
    assert not sniffed(path, "wmt-mqm")
    with pytest.raises(FormatError, match="tabs"):
        read(path)


def test_rows_of_nobody_alone_are_left_out(tmp_path: Path) -> None:
    path = file(tmp_path, NEW, row("An apple a day.", "", "", "{}", rater=""))
    assert [item.code for item in read(path)] == ["no_rater"]


def test_errors_without_a_rater_have_a_reviewer(tmp_path: Path, library: Connection) -> None:
    path = file(tmp_path, OLD, row(rater=""))
    import_path(library, path)
    assert library.execute("SELECT reviewer FROM reviews").fetchall() == [(mqm.UNNAMED,)]
    assert out(library, tmp_path / "out.tsv") == path.read_text(encoding="utf-8")


def test_a_judge_that_is_named_said_it(tmp_path: Path, library: Connection) -> None:
    import_path(library, file(tmp_path, OLD, row()), ReadOptions(judge="osprey"))
    assert library.execute("SELECT judge, state, errors FROM evaluations").fetchall() == [("osprey", "scored", 1)]


# --- the same file by another mapping ---

NOTE = read_mapping('version = 1\n[rules.accuracy_minor]\nkind = "note"\n')
ERRORS = "SELECT id, category_label, dimension, severity FROM marked_errors ORDER BY id"


def test_another_mapping_reads_the_same_pass_again(tmp_path: Path, library: Connection) -> None:
    path = file(tmp_path, OLD, row(severity="Minor"), row(rater="rater2"))
    assert import_path(library, path).stored == 2
    first = library.execute(ERRORS).fetchall()
    again = import_path(library, path, mapping=NOTE)
    assert (again.stored, again.unchanged) == (1, 1)
    changed = library.execute(ERRORS).fetchall()
    assert [each[0] for each in changed] == [each[0] for each in first]
    assert sorted(str(each[3]) for each in first) == ["major", "major"]
    assert sorted(str(each[3]) for each in changed) == ["None", "major"]
    assert library.execute("SELECT DISTINCT state, marked FROM reviews").fetchall() == [("done", 1)]
    assert out(library, tmp_path / "out.tsv") == path.read_text(encoding="utf-8")
    before = derived(library)
    assert import_path(library, path, mapping=NOTE).stored == 0
    rebuild(library)
    assert derived(library) == before
    assert import_path(library, path).stored == 1
    assert library.execute(ERRORS).fetchall() == first


def test_what_was_done_with_a_passs_errors_stays_by_another_mapping(tmp_path: Path, library: Connection) -> None:
    path = file(tmp_path, OLD, row(severity="Minor"), row(category="Style/Awkward", severity="Minor"))
    import_path(library, path)
    (evaluation,) = library.execute("SELECT id FROM evaluations").fetchone()
    log = ReviewLog(library, "rater1")
    for identity, *_ in library.execute(ERRORS).fetchall()[:1]:
        log.mark(evaluation, identity, severity="critical")
    import_path(library, path, mapping=NOTE)
    found = {label: severity for _, label, _, severity in library.execute(ERRORS)}
    assert found["Accuracy/Mistranslation"] == "critical"
    before = derived(library)
    rebuild(library)
    assert derived(library) == before


def test_errors_that_were_mended_in_the_file_take_the_place_of_those_before(
    tmp_path: Path, library: Connection
) -> None:
    path = file(tmp_path, OLD, row(), clean(ids=("2", "8")))
    import_path(library, path)
    (evaluation,) = library.execute("SELECT id FROM evaluations").fetchone()
    log = ReviewLog(library, "rater1")
    for identity, *_ in library.execute(ERRORS).fetchall():
        log.mark(evaluation, identity, note="seen")
    path.write_text(path.read_text(encoding="utf-8").replace("Major", "Minor"), encoding="utf-8")
    assert import_path(library, path).stored == 2
    assert library.execute("SELECT severity_label, note FROM marked_errors").fetchall() == [("Minor", None)]
    assert library.execute("SELECT severity_label FROM blind_errors").fetchall() == [("Minor",)]
    before = derived(library)
    rebuild(library)
    assert derived(library) == before


def test_another_mapping_of_a_judges_errors_takes_the_place_of_the_first(tmp_path: Path, library: Connection) -> None:
    path = file(tmp_path, OLD, row(severity="Minor"))
    osprey = ReadOptions(judge="osprey")
    import_path(library, path, osprey)
    import_path(library, path, osprey, mapping=NOTE)
    query = "SELECT total, superseded_by IS NULL FROM v_scores ORDER BY total"
    assert library.execute(query).fetchall() == [(95, 0), (100, 1)]
    back = import_path(library, path, osprey)
    assert (back.stored, [note.code for note in back.notes if note.code == "other_mapping"]) == (0, ["other_mapping"])


# --- what is stored ---


def derived(connection: Connection) -> dict[str, list[Any]]:
    tables = ((table, connection.execute(f"SELECT * FROM {table}").fetchall()) for table in DERIVED)
    return {table: sorted(rows, key=repr) for table, rows in tables}


@st.composite
def files(draw: st.DrawFn) -> list[str]:
    """Rows of a few systems, documents, segments and raters, in any order, with any marks."""
    text = st.text(st.sampled_from('ab "é😀\u2028\r<v/>{}'), max_size=6).filter(lambda t: "v>" not in t)
    lines = []
    for _ in range(draw(st.integers(1, 12))):
        number = draw(st.integers(1, 3))
        source, target = f"源{number}", f"target {number}"
        kind = draw(st.integers(0, 5))
        start, end = sorted(draw(st.tuples(st.integers(0, 8), st.integers(0, 8))))
        category, severity = draw(st.sampled_from([("Style", "Minor"), ("Accuracy/Omission", "Major"), ("x", "y")]))
        if kind == 0:
            source = "<v>源</v>" + source[1:]
        elif kind < 3:
            target = f"{target[:start]}<v>{target[start:end]}</v>{target[end:]}"
        elif kind == 3:
            target = draw(text)
        elif kind == 4:
            category, severity = "No-error", draw(st.sampled_from(["No-error", "no_error"]))
        system, doc, rater = (draw(st.sampled_from(names)) for names in (("A", "B.1"), ("d", "e"), ("r1", "r2", "")))
        metadata = draw(st.sampled_from(["", '{"note":"n\\u0000"}', '{"segment": {"a": [1.0]}}', "{broken"]))
        ids = (draw(st.sampled_from([str(number), "7"])), str(number + 4))
        lines.append(
            row(target, category, severity, metadata, source=source, system=system, doc=doc, rater=rater, ids=ids)
        )
    return lines


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files())
def test_any_file_comes_out_row_for_row_and_is_stored_as_the_log_says(tmp_path: Path, lines: list[str]) -> None:
    path = file(tmp_path, NEW, *lines)
    (tmp_path / "any.db").unlink(missing_ok=True)
    connection = open_library(tmp_path / "any.db")
    try:
        report = import_path(connection, path)
        assert report.rows == report.stored + report.left_out == len(lines)
        gone = {note.line for note in report.notes if note.kind == "left_out"}
        kept = [line for number, line in enumerate(lines, 2) if number not in gone]
        if report.stored:
            assert out(connection, tmp_path / "out.tsv") == "".join(f"{line}\n" for line in (NEW, *kept))
        before = derived(connection)
        rebuild(connection)
        assert derived(connection) == before
        for (changes,) in connection.execute("SELECT changes FROM events"):
            assert changes == json.dumps(json.loads(changes), ensure_ascii=False, sort_keys=True)
        again = import_path(connection, path)
        assert (again.stored, again.unchanged) == (0, report.stored)
        assert derived(connection) == before
    finally:
        connection.close()
        for beside in tmp_path.glob("any.db*"):
            beside.unlink()


def test_a_pass_comes_to_what_deriving_it_comes_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file(
        tmp_path,
        OLD,
        row(),
        row("An <v>apple</v> a day.", "Fluency/Spelling", "Minor"),
        row("An apple a <v>day</v>.", "Style", "Minor", rater="r2"),
        clean(rater="r2"),
        row("An apple a <v>day</v>.", "none", "", rater="r3"),
        clean(rater="r4", ids=("2", "8")),
    )

    def stored(name: str) -> dict[str, list[Any]]:
        connection = open_library(tmp_path / name)
        try:
            import_path(connection, path)
            return derived(connection)
        finally:
            connection.close()

    quick = stored("quick.db")
    monkeypatch.setattr(imported_passes, "_ANY", "SELECT 1 WHERE ?1 IS NOT NULL AND ?2 <> ?3 || ?4")
    slow = stored("slow.db")
    assert {table: _untimed(rows) for table, rows in slow.items()} == {
        table: _untimed(rows) for table, rows in quick.items()
    }


def _untimed(rows: list[Any]) -> list[Any]:
    return [tuple(value for value in each if not (isinstance(value, str) and value.endswith("Z"))) for each in rows]


def test_verdicts_that_waited_count_once_their_evaluation_is_here(tmp_path: Path, library: Connection) -> None:
    path = file(tmp_path, OLD, row())
    import_path(library, path)
    log = list(read_events(library))
    other = open_library(tmp_path / "other.db")
    try:
        own = replace(log[0], id="f" * 20, kind="error", finding_id="e1", changes={"severity_label": "Minor"})
        merge(other, [own])
        import_path(other, path)
        assert other.execute("SELECT count(*) FROM marked_errors").fetchone() == (2,)
        before = derived(other)
        rebuild(other)
        assert derived(other) == before
    finally:
        other.close()


def test_importing_twice_changes_nothing(tmp_path: Path, library: Connection) -> None:
    path = file(tmp_path, OLD, row(), clean(rater="rater2"))
    import_path(library, path)
    before = list(library.iterdump())
    again = import_path(library, path)
    assert (again.stored, again.unchanged) == (0, 2)
    assert list(library.iterdump()) == before


def test_rows_on_disk_come_to_what_rows_in_memory_come_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        row(ids=(str(n % 5), str(n % 5)), system=f"s{n % 3}", doc=f"d{n % 4}", rater=f"r{n % 2}") for n in range(200)
    ]
    random.Random(5).shuffle(lines)
    path = file(tmp_path, OLD, *lines[:100], "short", *lines[100:])
    in_memory = read(path)
    monkeypatch.setattr(mqm, "HELD", 1_000)
    assert [item for item in read(path) if isinstance(item, Annotation)] == [
        item for item in in_memory if isinstance(item, Annotation)
    ]
    assert sorted(map(repr, read(path))) == sorted(map(repr, in_memory))


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqm, "HELD", 50_000)

    def peak(documents: int) -> int:
        path = file(tmp_path, OLD, *(row(doc=f"d{n % documents}", rater=f"r{n}") for n in range(documents * 20)))
        tracemalloc.start()
        try:
            for _ in read_as(path, "wmt-mqm", ReadOptions()):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(1_000) < peak(100) * 1.6


# --- what is ours ---


def as_said(connection: Connection) -> list[Any]:
    """What judges and people say, without what names the file that it is from."""
    found = []
    for one in read_annotations(connection, Selection()):
        if isinstance(one, TranslationAnnotation):
            a = one.annotation
            found.append(
                (
                    f"{a.annotator} on {one.of}" if one.of else a.annotator,
                    a.human,
                    replace(a.document, line=0),
                    [(m.segment, m.category, m.severity, m.places, m.note) for m in a.marks],
                    a.unmarked,
                    a.rated,
                )
            )
    return sorted(found, key=repr)


def again(connection: Connection, tmp_path: Path, name: str = "back") -> tuple[Connection, FileReport]:
    path = tmp_path / f"{name}.tsv"
    out(connection, path)
    back = open_library(tmp_path / f"{name}.db")
    return back, import_path(back, path)


def test_what_a_judge_found_comes_back_as_it_was(library: Connection, tmp_path: Path) -> None:
    add(library)
    add(library, system="gull", translation="One\tline <v> here.\n\nAnd\r another.", found=())
    back, report = again(library, tmp_path)
    try:
        assert (report.problem, report.left_out) == ("", 0)
        assert as_said(back) == as_said(library)
        assert [row[0] for row in back.execute("SELECT id FROM translations ORDER BY id")] == [
            row[0] for row in library.execute("SELECT id FROM translations ORDER BY id")
        ]
        assert import_path(back, tmp_path / "back.tsv").stored == 0
    finally:
        back.close()


def test_a_viewer_finds_judges_notes_and_one_marked_stretch(library: Connection, tmp_path: Path) -> None:
    """Marot takes raters called AutoMQM… for judges, shows ``note``, and each <v> that it finds."""
    add(library)
    identity = add(library, system="tern", translation="A <v>river</v> grows.", found=())
    log = ReviewLog(library, "lin")
    log.mark(identity, dimension="fluency", severity="minor", spans=[["translation", 5, 10]], note="which one?")
    log.set_review(identity, state="done", search="done")
    rows = [line.split("\t") for line in out(library, tmp_path / "out.tsv").splitlines()[1:]]
    assert {cells[4] for cells in rows} == {"AutoMQM-osprey", "lin on osprey"}
    notes = {(cells[4], json.loads(cells[9]).get("note")) for cells in rows if cells[7] != "No-error"}
    assert notes == {
        ("lin on osprey", "which one?"),
        *(("AutoMQM-osprey", text) for (text,) in library.execute("SELECT explanation FROM findings WHERE kept")),
    }
    assert [cells[6] for cells in rows if cells[4] == "lin on osprey" and "<v>" in cells[6]] == [
        "A ‹v›<v>river</v>‹/v› grows."
    ]


def test_a_row_shows_one_stretch_of_one_line(library: Connection, tmp_path: Path) -> None:
    identity = add(library, found=())
    log = ReviewLog(library, "lin")
    log.mark(identity, dimension="fluency", severity="minor", category="grammar", spans=[["translation", 4, 40]])
    log.mark(identity, dimension="accuracy", severity="critical", category="omission", spans=[["source", 0, 2]])
    log.set_review(identity, state="done", search="done")
    text = out(library, tmp_path / "out.tsv")
    cells = [line.split("\t") for line in text.splitlines()]
    assert {len(each) for each in cells} == {10}
    assert [each[6] for each in cells if each[7] == "Fluency/Grammar"] == ["The <v>river grows shallow in winter.</v>"]
    assert [(each[5], each[8]) for each in cells if each[7] == "Accuracy/Omission"] == [
        ("<v>河水</v>在冬天变浅。", "Critical")
    ]


def test_what_reviewers_left_of_a_judges_findings_comes_back_as_no_blind_pass(
    discox: Command, sample: Path, tmp_path: Path
) -> None:
    path = tmp_path / "all.tsv"
    assert discox("--db", sample, "export", "wmt-mqm", path).code == 0
    assert (tmp_path / "all.tsv.mapping.tsv").read_text(encoding="utf-8").startswith("judge\tcategory\tseverity")
    assert discox("--db", sample, "export", "wmt-mqm", path).code == 0, "it is ours, as the table beside it says"
    raters = [line.split("\t")[4] for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    ours, back = open_library(sample), open_library(tmp_path / "back.db")
    try:
        report = import_path(back, path)
        assert report.left_out == sum(" on " in rater for rater in raters) > 0
        assert {(note.code, note.field) for note in report.notes if note.kind == "left_out"} == {("reviewed", "rater")}
        begun = [each for each in as_said(ours) if each[-1] == frozenset()]
        assert begun, "of which a row would say that there is no error"
        assert as_said(back) == [each for each in as_said(ours) if " on " not in each[0] and each not in begun]
        blind = sum(human for _, human, *_ in as_said(back))
        assert back.execute("SELECT count(*) FROM reviews").fetchone() == (blind,)
    finally:
        ours.close()
        back.close()


def test_one_file_of_theirs_and_ours_has_both(library: Connection, tmp_path: Path) -> None:
    path = file(
        tmp_path,
        OLD,
        row("An <v>apple</v> a day.", ids=("1", "7")),
        clean(ids=("2", "8"), rater="r2", source="二", target="Two."),
        row("A <v>b</v>", ids=("3", "9"), source="三", rater="r3"),
    )
    import_path(library, path)
    add(library)
    back, report = again(library, tmp_path)
    try:
        assert (report.problem, report.left_out) == ("", 0)
        assert as_said(back) == as_said(library)
    finally:
        back.close()


def test_a_foreign_file_is_not_replaced(discox: Command, sample: Path, tmp_path: Path) -> None:
    path = file(tmp_path, OLD, row())
    result = discox("--db", sample, "export", "wmt-mqm", path)
    assert result.code != 0
    assert path.read_text(encoding="utf-8").startswith(OLD)


def test_two_raters_of_the_same_documents_are_held_against_each_other(
    tmp_path: Path, library: Connection, discox: Command
) -> None:
    lines = [
        row(f"A <v>bc</v> d{n}", doc=f"d{n}", rater="ana", ids=("1", str(n + 1)), source=f"源{n}") for n in range(6)
    ] + [row(f"A <v>b</v>c d{n}", doc=f"d{n}", rater="ben", ids=("1", str(n + 1)), source=f"源{n}") for n in range(6)]
    import_path(library, file(tmp_path, OLD, *lines))
    spans = read_reviewed(library).report(resamples=20).spans
    assert spans.humans.documents == 6
    assert spans.humans.exact.value == 0
    assert spans.humans.characters.value == pytest.approx(2 / 3)
    shown = discox("--db", library.path, "consistency").out
    assert "blind reviewers           6  12    0.667" in shown


# --- the real thing ---


@pytest.mark.skipif(not TED.is_file(), reason="the data of the WMT is not here")
def test_the_ted_talks_of_2021(library: Connection, tmp_path: Path) -> None:
    report = import_path(library, TED)
    assert (report.problem, report.rows, report.stored) == ("", 9_915, 9_915)
    counts = dict(
        library.execute(
            "SELECT t.system, count(*) FROM segments s JOIN translations t ON t.id = s.translation_id GROUP BY t.system"
        )
    )
    assert len(counts) == 15
    assert set(counts.values()) == {529}
    assert library.execute("SELECT count(*) FROM articles").fetchone() == (5,)
    spans = [json.loads(each) for (each,) in library.execute("SELECT spans FROM marked_errors")]
    assert len(spans) == 5_618
    assert sum(places != [] and places[0][0] == "source" for places in spans) == 349
    assert sum(places == [] for places in spans) == 1, "a row with <v> and no </v>"
    scores = system_scores(library, Selection())
    assert {(each.direction, each.by, each.segments) for each in scores} == {("zh-en", PEOPLE, 529)}
    ranked = [(each.system, round(each.score, 2)) for each in scores]
    assert ranked[:2] == [("refB", 0.42), ("DIDI-NLP", 1.65)]
    assert ranked[-1] == ("ref", 5.52)
    assert out(library, tmp_path / "out.tsv") == TED.read_bytes().decode()
    before = derived(library)
    rebuild(library)
    assert derived(library) == before


def test_two_files_of_one_form_stand_one_after_the_other(tmp_path: Path, library: Connection) -> None:
    first = [row(severity="Minor", rater=rater, doc=doc) for rater in ("rater2", "rater1") for doc in ("talk", "news")]
    second = [row(rater=rater, doc=doc) for doc in ("talk", "verse") for rater in ("rater4", "rater3")]
    for name, rows in (("b_zhen.tsv", first), ("a_zhen.tsv", second)):  # in the order they came in, not of their names
        assert import_path(library, file(tmp_path, OLD, *rows, name=name)).stored == 4
    assert out(library, tmp_path / "out.tsv") == "".join(f"{line}\n" for line in (OLD, *first, *second))
    assert import_path(library, file(tmp_path, OLD, *first, name="b_zhen.tsv"), mapping=NOTE).stored
    assert out(library, tmp_path / "out.tsv") == "".join(f"{line}\n" for line in (OLD, *first, *second))
